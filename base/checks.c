/* checks.c: see checks.h. */
#include "base/checks.h"

const struct check_info check_info[CHECKS] = {
#define MEMORY_CHECK(id, name, bit, where, meaning) [CHECK_##id] = {#name, meaning, bit, CHECK_ON_##where},
#include "base/checks.def"
    [CHECK_ALL] = {"all", "all of these",
#define MEMORY_CHECK(id, name, bit, where, meaning) bit |
#include "base/checks.def"
                   0, CHECK_ON_BYTECODE},
#define CLAIM_CHECK(name, where, meaning)                                                                    \
    [CHECK_FIRST_CLAIM + CHECK_CLAIM_##name] = {#name, meaning, 0, CHECK_ON_##where},
#include "base/checks.def"
};

static unsigned find(const char *name, size_t n)
{
    unsigned i = 0;
    while (i < CHECKS && (strlen(check_info[i].name) != n || memcmp(check_info[i].name, name, n) != 0))
        i++;
    return i;
}

static unsigned bits_of_list(const char *list, bool whole)
{
    unsigned all = 0;
    for (const char *at = list; *at; at += strcspn(at, ","), at += *at == ',') {
        unsigned i = find(at, strcspn(at, ","));
        if (i == CHECKS || !check_info[i].memory)
            return 0;
        all |= i == CHECK_ALL && !whole ? 0 : check_info[i].memory;
    }
    return all;
}

unsigned check_memory_bits(const char *list)
{
    return bits_of_list(list, true);
}

unsigned check_named_bits(const char *list)
{
    return bits_of_list(list, false);
}

bool check_has_scheme(unsigned check, enum scheme s)
{
    bool bytecode = scheme_info[s].target == TARGET_bytecode, reference = s == SCHEME_REFERENCE;
    switch (check_info[check].where) {
    case CHECK_ON_WARPS: return bytecode && !reference;
    case CHECK_ON_BYTECODE: return bytecode;
    case CHECK_ON_REFERENCE: return reference;
    default: return bytecode && scheme_has(s, SCHEME_FRONTIERS);
    }
}

unsigned check_bits_under(enum scheme s)
{
    unsigned bits = 0;
    for (unsigned i = 0; i < CHECK_ALL; i++)
        bits |= check_has_scheme(i, s) ? check_info[i].memory : 0;
    return bits;
}

enum check_claim check_find_claim(const char *name)
{
    unsigned k = 0;
    while (k < CHECK_CLAIMS && strcmp(check_claim_name((enum check_claim)k), name) != 0)
        k++;
    return (enum check_claim)k;
}

const char *check_names(struct arena *a, unsigned from, unsigned to, const char *last)
{
    const char *names = check_info[from].name;
    for (unsigned i = from + 1; i < to; i++)
        names = arena_printf(a, "%s%s%s", names, i + 1 == to ? last : ", ", check_info[i].name);
    return names;
}
