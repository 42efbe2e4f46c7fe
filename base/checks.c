/* checks.c: see checks.h. */
#include "base/checks.h"

const struct check_info check_info[CHECKS] = {
#define MEMORY_CHECK(id, name, bit, meaning) [CHECK_##id] = {#name, meaning, bit},
#include "base/checks.def"
    [CHECK_ALL] = {"all", "all of these",
#define MEMORY_CHECK(id, name, bit, meaning) bit |
#include "base/checks.def"
                   0},
#define CLAIM_CHECK(name, meaning) [CHECK_FIRST_CLAIM + CHECK_CLAIM_##name] = {#name, meaning, 0},
#include "base/checks.def"
};

static unsigned bits_of(const char *name, size_t n)
{
    for (unsigned i = 0; i < CHECKS; i++)
        if (strlen(check_info[i].name) == n && memcmp(check_info[i].name, name, n) == 0)
            return check_info[i].memory;
    return 0;
}

unsigned check_memory_bits(const char *list)
{
    unsigned all = 0, one = 1;
    for (const char *at = list; *at && one; at += strcspn(at, ","), at += *at == ',') {
        one = bits_of(at, strcspn(at, ","));
        all |= one;
    }
    return one ? all : 0;
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
