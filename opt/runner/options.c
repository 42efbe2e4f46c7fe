/* options.c: the tables of limits and of the settings of passes, and reading -f. */
#include "base/nearest.h"
#include "opt/opt.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

const struct opt_option_info opt_option_info[OPT_OPTIONS] = {
#define FLAG(name, value, meaning)                {#name, meaning, OPT_FLAG, value, 0, 1},
#define NUMBER(name, value, least, most, meaning) {#name, meaning, OPT_NUMBER, value, least, most},
#define CHOICE(name, value, meaning)              {#name, meaning, OPT_CHOICE, OPT_##name##_##value, 0, 0},
#include "opt/options.def"
};
const struct opt_word_info opt_word_info[OPT_WORDS] = {
#define WORD(option, word, meaning) {#word, meaning, OPT_OPTION_##option},
#include "opt/options.def"
};

const struct opt_limit_info opt_limit_info[OPT_LIMITS] = {
#define LIMIT(name, value, most, meaning) {#name, meaning, value, most},
#include "opt/limits.def"
};

void opt_options_init(struct opt_options *o)
{
    *o = (struct opt_options){.level = OPT_LEVEL_DEFAULT,
                              .bisect_limit = -1,
                              .warp = OPT_DEFAULT_WARP,
                              .properties = scheme_info[SCHEME_DEFAULT].properties};
    for (unsigned l = 0; l < OPT_LIMITS; l++)
        o->limits[l] = opt_limit_info[l].value;
    for (unsigned n = 0; n < OPT_OPTIONS; n++)
        o->values[n] = opt_option_info[n].value;
}

static bool lower(uint32_t *value, uint32_t to)
{
    bool lowers = *value > to;
    *value = lowers ? to : *value;
    return lowers;
}

bool opt_limit_growth(struct opt_options *o, unsigned row)
{
    static const struct {
        uint32_t inline_size, unroll_size, unroll_loops;
    } rows[] = {
#define GROWTH(inline_size, unroll_size, unroll_loops)                                                       \
    {inline_size, unroll_size, OPT_unroll_loops_##unroll_loops},
#include "opt/growth.def"
    };
    bool lowers = false;
    if (row < COUNT(rows)) {
        lowers |= lower(&o->values[OPT_OPTION_inline_size], rows[row].inline_size);
        lowers |= lower(&o->values[OPT_OPTION_unroll_size], rows[row].unroll_size);
        lowers |= lower(&o->values[OPT_OPTION_unroll_loops], rows[row].unroll_loops);
    }
    return lowers;
}

enum opt_limit opt_limit_find(const char *name, size_t n)
{
    unsigned l = 0;
    while (l < OPT_LIMITS &&
           (strlen(opt_limit_info[l].name) != n || memcmp(opt_limit_info[l].name, name, n) != 0))
        l++;
    return (enum opt_limit)l;
}

/* ---- names ------------------------------------------------------------------------------------------- */

static char plain(char c)
{
    return c == '-' ? '_' : c;
}

/* Whether n bytes are the name, - or _ in either. */
static bool is_name(const char *name, const char *text, size_t n)
{
    size_t i = 0;
    while (i < n && name[i] && plain(name[i]) == plain(text[i]))
        i++;
    return i == n && !name[i];
}

const char *opt_spelled(const char *name, char buffer[OPT_NAME_MAX])
{
    size_t i = 0;
    for (; name[i] && i < OPT_NAME_MAX - 1; i++)
        buffer[i] = name[i] == '_' ? '-' : name[i];
    buffer[i] = 0;
    return buffer;
}

static enum opt_pass find_pass(const char *text, size_t n)
{
    unsigned p = 0;
    while (p < OPT_PASSES && !is_name(opt_pass_info[p].name, text, n))
        p++;
    return (enum opt_pass)p;
}

static enum opt_option find_option(const char *text, size_t n)
{
    unsigned k = 0;
    while (k < OPT_OPTIONS && !is_name(opt_option_info[k].name, text, n))
        k++;
    return (enum opt_option)k;
}

/* The word of the option; OPT_WORDS: it has no such word. */
static enum opt_word find_word(enum opt_option option, const char *text)
{
    unsigned w = 0;
    while (w < OPT_WORDS &&
           (opt_word_info[w].option != option || !is_name(opt_word_info[w].name, text, strlen(text))))
        w++;
    return (enum opt_word)w;
}

/* ---- messages ---------------------------------------------------------------------------------------- */

static const char *did_you_mean(struct arena *a, const struct nearest *n)
{
    const char *name = nearest_name(n);
    return name ? arena_printf(a, "; did you mean '%s'?", name) : "";
}

/* What is no name of a pass or option. */
static const char *refuse_name(struct arena *a, const char *text, size_t length)
{
    char *name = arena_strdup(a, text, length);
    struct nearest n = nearest_to(name);
    for (unsigned p = 0; p < OPT_PASSES; p++)
        if (opt_pass_info[p].level)
            nearest_consider(&n, opt_spelled(opt_pass_info[p].name, arena_array(a, char, OPT_NAME_MAX)));
    for (unsigned k = 0; k < OPT_OPTIONS; k++)
        nearest_consider(&n, opt_spelled(opt_option_info[k].name, arena_array(a, char, OPT_NAME_MAX)));
    const char *meant = did_you_mean(a, &n);
    return arena_printf(a, "there is no pass or option '%.60s' for -f%s%s -fhelp lists them", name, meant,
                        *meant ? "" : ";");
}

const char *opt_option_values(enum opt_option k, struct arena *a)
{
    const struct opt_option_info *o = &opt_option_info[k];
    const char *list = "";
    if (o->kind == OPT_FLAG)
        return "on or off";
    if (o->kind == OPT_NUMBER)
        return arena_printf(a, "%" PRIu32 " to %" PRIu32, o->least, o->most);
    for (unsigned w = 0; w < OPT_WORDS; w++)
        if (opt_word_info[w].option == k)
            list = arena_printf(a, "%s%s%s", list, *list ? ", " : "", opt_word_info[w].name);
    return list;
}

static const char *refuse_value(struct arena *a, enum opt_option k, const char *value)
{
    char name[OPT_NAME_MAX];
    struct nearest n = nearest_to(value);
    for (unsigned w = 0; w < OPT_WORDS; w++)
        if (opt_word_info[w].option == k)
            nearest_consider(&n, opt_word_info[w].name);
    return arena_printf(a, "-f%s wants %s%s, not '%.60s'%s", opt_spelled(opt_option_info[k].name, name),
                        opt_option_info[k].kind == OPT_NUMBER ? "a number from " : "one of ",
                        opt_option_values(k, a), value, did_you_mean(a, &n));
}

/* ---- reading ----------------------------------------------------------------------------------------- */

static bool read_number(const struct opt_option_info *o, const char *text, uint32_t *value)
{
    char *end;
    if (*text < '0' || *text > '9')
        return false;
    uint64_t n = strtoull(text, &end, 10);
    if (*end || n < o->least || n > o->most)
        return false;
    *value = (uint32_t)n;
    return true;
}

/* "NAME=VALUE", the name being of n bytes. */
static const char *set_value(struct opt_options *o, struct arena *a, const char *text, size_t n)
{
    enum opt_option k = find_option(text, n);
    const char *value = text + n + 1;
    if (k == OPT_OPTIONS && find_pass(text, n) == OPT_PASSES)
        return refuse_name(a, text, n);
    if (k == OPT_OPTIONS || opt_option_info[k].kind == OPT_FLAG)
        return arena_printf(a, "-f%.*s takes no value", (int)n, text);
    if (opt_option_info[k].kind == OPT_NUMBER)
        return read_number(&opt_option_info[k], value, &o->values[k]) ? NULL : refuse_value(a, k, value);
    enum opt_word w = find_word(k, value);
    if (w == OPT_WORDS)
        return refuse_value(a, k, value);
    o->values[k] = w;
    return NULL;
}

const char *opt_options_set(struct opt_options *o, struct arena *a, const char *text)
{
    size_t n = strcspn(text, "=");
    if (text[n])
        return set_value(o, a, text, n);
    bool off = strncmp(text, "no-", 3) == 0;
    const char *name = off ? text + 3 : text;
    enum opt_pass p = find_pass(name, strlen(name));
    enum opt_option k = find_option(name, strlen(name));
    if (p != OPT_PASSES && opt_pass_info[p].level == 0)
        return arena_printf(a, "the pass '%s' runs where it is required: nothing switches it", name);
    if (p != OPT_PASSES)
        o->off[p] = off;
    else if (k == OPT_OPTIONS)
        return refuse_name(a, name, strlen(name));
    else if (opt_option_info[k].kind != OPT_FLAG)
        return arena_printf(a, "-f%s wants a value: %s", name, opt_option_values(k, a));
    else
        o->values[k] = !off;
    return NULL;
}

/* ---- help -------------------------------------------------------------------------------------------- */

const char *opt_option_default(enum opt_option k, char buffer[OPT_NAME_MAX])
{
    const struct opt_option_info *o = &opt_option_info[k];
    if (o->kind == OPT_CHOICE)
        return opt_word_info[o->value].name;
    snprintf(buffer, OPT_NAME_MAX, "%" PRIu32, o->value);
    return o->kind == OPT_NUMBER ? buffer : o->value ? "on" : "off";
}

const char *opt_option_text(enum opt_option k, uint32_t value, struct arena *a)
{
    char name[OPT_NAME_MAX];
    opt_spelled(opt_option_info[k].name, name);
    if (opt_option_info[k].kind == OPT_FLAG)
        return arena_printf(a, "%s%s", value ? "" : "no-", name);
    if (opt_option_info[k].kind == OPT_CHOICE)
        return arena_printf(a, "%s=%s", name, opt_word_info[value].name);
    return arena_printf(a, "%s=%" PRIu32, name, value);
}

const char *opt_option_usage(enum opt_option k, struct arena *a)
{
    char name[OPT_NAME_MAX];
    opt_spelled(opt_option_info[k].name, name);
    switch (opt_option_info[k].kind) {
    case OPT_FLAG: return arena_printf(a, "-f[no-]%s", name);
    case OPT_NUMBER: return arena_printf(a, "-f%s=N", name);
    default: return arena_printf(a, "-f%s=WORD", name);
    }
}

static void text_of_option(enum opt_option k, struct arena *a, struct text *out)
{
    const struct opt_option_info *o = &opt_option_info[k];
    char value[OPT_NAME_MAX];
    text_printf(out, "  %-26s %s (%s, default %s)\n", opt_option_usage(k, a), o->meaning,
                opt_option_values(k, a), opt_option_default(k, value));
    for (unsigned w = 0; w < OPT_WORDS; w++)
        if (opt_word_info[w].option == k)
            text_printf(out, "    %-24s %s\n", opt_word_info[w].name, opt_word_info[w].meaning);
}

void opt_options_text(struct text *out)
{
    struct scratch scratch;
    struct arena *a = scratch_begin(&scratch);
    text_addz(out, "passes: -fno-NAME takes one out of the level's\n");
    for (unsigned p = 0; p < OPT_PASSES; p++)
        if (opt_pass_info[p].level)
            text_printf(out, "  %-14s %s\n", opt_pass_info[p].name, opt_pass_info[p].meaning);
    text_addz(out, "\noptions of passes:\n");
    for (unsigned k = 0; k < OPT_OPTIONS; k++)
        text_of_option(k, a, out);
    scratch_end(&scratch);
}
