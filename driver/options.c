/* options.c: the tables of verbs and options, and reading a command line by them with getopt_long_only, so
 * that long names take one dash or two and -O2 -fno-gvn -Wall read as people write them.
 */
#include "base/nearest.h"
#include "driver/driver.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

const struct verb verbs[VERBS] = {
#define VERB(id, name, arguments, help) {VERB_##id, #name, arguments, help, verb_##name},
#include "driver/verbs.def"
};

const struct option_info option_info[OPTIONS] = {
#define OPTION(id, name, letter, argument, verbs, help) [OPTION_##id] = {name, letter, argument, verbs, help},
#include "driver/options.def"
};

const struct option_row option_rows[] = {
#define GROUP(title)                                    {OPTIONS, title},
#define OPTION(id, name, letter, argument, verbs, help) {OPTION_##id, NULL},
#include "driver/options.def"
};
const size_t option_row_count = COUNT(option_rows);

/* ---- getopt's view of the table ---------------------------------------------------------------------- */

#define FIRST_LONG 256 /* getopt returns FIRST_LONG + id for long names, else the letter */

/* The letters begin with a colon: a missing value is told from an unknown option. */
struct getopt_tables {
    struct option names[OPTIONS + 1];
    char letters[2 * OPTIONS + 2];
};

static int argument_kind(const char *argument)
{
    return *argument == '=' ? required_argument : *argument ? optional_argument : no_argument;
}

static void make_getopt_tables(const struct verb *verb, struct getopt_tables *t)
{
    struct option *name = t->names;
    char *letter = t->letters;
    *letter++ = ':';
    for (int i = 0; i < OPTIONS; i++) {
        const struct option_info *o = &option_info[i];
        if (!verb_in(verb, o->verbs))
            continue;
        if (*o->name)
            *name++ = (struct option){o->name, argument_kind(o->argument), NULL, FIRST_LONG + i};
        if (o->letter)
            *letter++ = o->letter;
        if (o->letter && *o->argument)
            *letter++ = ':';
    }
    *name = (struct option){0};
    *letter = 0;
}

static enum option_id option_of(const struct verb *verb, int code)
{
    if (code >= FIRST_LONG)
        return (enum option_id)(code - FIRST_LONG);
    for (int i = 0; i < OPTIONS; i++)
        if (option_info[i].letter == code && verb_in(verb, option_info[i].verbs))
            return (enum option_id)i;
    BUG("getopt gave %d", code);
}

/* ---- parsing ----------------------------------------------------------------------------------------- */

static const struct verb *find_verb(struct command *c, const char *name)
{
    struct nearest n = nearest_to(name);
    for (size_t i = 0; i < VERBS; i++) {
        if (strcmp(verbs[i].name, name) == 0)
            return &verbs[i];
        nearest_consider(&n, verbs[i].name);
    }
    const char *near = nearest_name(&n);
    if (strchr(name, '.') && access(name, R_OK) == 0) {
        complain(c, EXIT_USAGE, "a verb stands before the file: kernc run %s; `kernc --help` lists them",
                 name);
        return NULL;
    }
    complain(c, EXIT_USAGE, "there is no verb '%s'; %s%s%s`kernc --help` lists them", name,
             near ? "did you mean '" : "", near ? near : "", near ? "'? " : "");
    return NULL;
}

static int usage(struct command *c, const char *what)
{
    const char *between = what[strlen(what) - 1] == '?' ? " " : "; ";
    return complain(c, EXIT_USAGE, "%s%s`kernc %s --help` lists the options", what, between, c->verb->name);
}

/* The verbs that have the option, as "run, compare". */
static const char *owners(struct command *c, const struct option_info *o)
{
    const char *names = "";
    for (size_t i = 0; i < VERBS; i++)
        if (verb_in(&verbs[i], o->verbs))
            names = arena_printf(&c->arena, "%s%s%s", names, *names ? ", " : "", verbs[i].name);
    return names;
}

/* A long name that is none of the verb's. */
static int refuse_name(struct command *c, const char *word, const char *name)
{
    struct nearest n = nearest_to(name);
    const char *begun = NULL;
    for (int i = 0; i < OPTIONS; i++) {
        const struct option_info *o = &option_info[i];
        bool mine = verb_in(c->verb, o->verbs);
        if (i == OPTION_CPP && c->verb->run == verb_fix && strcmp(o->name, name) == 0)
            return complain(c, EXIT_USAGE,
                            "fix mends what is written in a file, not what the preprocessor makes of it: run "
                            "it without -cpp, "
                            "and give -cpp to build or run for the macros that are left");
        if (!mine && *name && strcmp(o->name, name) == 0)
            return usage(c, arena_printf(&c->arena, "--%s is an option of %s", name, owners(c, o)));
        if (!mine || !*o->name)
            continue;
        nearest_consider(&n, o->name);
        if (strncmp(o->name, name, strlen(name)) == 0 && begun)
            return usage(c, arena_printf(&c->arena, "'%s' may be --%s or --%s", word, begun, o->name));
        if (strncmp(o->name, name, strlen(name)) == 0)
            begun = o->name;
    }
    const char *near = nearest_name(&n);
    return usage(c, near ? arena_printf(&c->arena, "there is no option '%s'; did you mean --%s?", word, near)
                         : arena_printf(&c->arena, "there is no option '%s'", word));
}

static int refuse_letter(struct command *c, const char *word)
{
    return usage(c, arena_printf(&c->arena, "there is no option '%s'", word));
}

/* "; there are race, bounds": what the option's value may be. "" where no table has it. */
static const char *choices(struct command *c, const struct option_info *o)
{
    struct value_names v;
    struct text t = {.arena = &c->arena};
    if (!value_names((enum option_id)(o - option_info), &v))
        return "";
    for (uint32_t i = 0; i < v.rows.count; i++)
        text_printf(&t, "%s%s", i ? ", " : "; there are ", v.rows.at[i].name);
    arena_free(&v.arena);
    return t.at;
}

/* What getopt does not take: code '?' or ':'. */
static int refuse(struct command *c, int code, const char *word)
{
    const char *name = word + strspn(word, "-");
    if (code == '?' && optopt < FIRST_LONG)
        return refuse_name(c, word, arena_strdup(&c->arena, name, strcspn(name, "=")));
    const struct option_info *o = &option_info[option_of(c->verb, optopt)];
    if (code == '?')
        return usage(c, arena_printf(&c->arena, "--%s takes no value", o->name));
    if (*o->name)
        return usage(c, arena_printf(&c->arena, "--%s wants a value: --%s%s%s", o->name, o->name, o->argument,
                                     choices(c, o)));
    return usage(c,
                 arena_printf(&c->arena, "-%c wants a value: -%c%s", o->letter, o->letter, o->argument + 1));
}

/* getopt takes one letter for the only long name that begins with it. Those who know other compilers mean
 * something else by it. */
static bool is_abbreviated(int code, const char *word)
{
    return code >= FIRST_LONG && word[0] == '-' && word[1] != '-' && word[1] && !word[2];
}

static int take_file(struct command *c, int argc, char **argv)
{
    if (option_given(c, OPTION_HELP) || limits_asked(c) || switches_asked(c) || timing_asked(c) ||
        schemes_asked(c) || values_asked(c))
        return EXIT_OK;
    if (!*c->verb->arguments && optind < argc)
        return usage(c, arena_printf(&c->arena, "%s takes no file", c->verb->name));
    if (!*c->verb->arguments)
        return EXIT_OK;
    if (optind == argc)
        return usage(c, arena_printf(&c->arena, "no file to %s", c->verb->name));
    c->file = argv[optind];
    if (c->verb->id == VERB_VALIDATE) {
        c->other = argv[optind + 1];
        if (optind + 2 != argc)
            return usage(c, "validate takes two files: the program as it was, and as it has become");
        return EXIT_OK;
    }
    if (optind + 1 == argc)
        return EXIT_OK;
    return usage(c,
                 arena_printf(&c->arena, "one file at a time: %s, and also %s?", c->file, argv[optind + 1]));
}

bool wants_json(int argc, char **argv)
{
    bool json = false;
    for (int i = 1; i < argc; i++) {
        const char *name = argv[i] + (strncmp(argv[i], "--", 2) == 0);
        if (strncmp(name, "-diagnostics=", strlen("-diagnostics=")) == 0)
            json = strcmp(strchr(name, '=') + 1, "json") == 0;
        else if (strcmp(name, "-diagnostics") == 0 && i + 1 < argc)
            json = strcmp(argv[i + 1], "json") == 0;
    }
    return json;
}

int command_parse(struct command *c, int argc, char **argv)
{
    struct getopt_tables tables;
    *c = (struct command){.json = wants_json(argc, argv)};
    c->verb = find_verb(c, argv[1]);
    if (!c->verb)
        return EXIT_USAGE;
    make_getopt_tables(c->verb, &tables);
    opterr = 0;
    argc--, argv++;
    for (int code; (code = getopt_long_only(argc, argv, tables.letters, tables.names, NULL)) != -1;) {
        const char *word = argv[optind - 1];
        if (code == ':' && is_abbreviated(optopt, word))
            return refuse_letter(c, word);
        if (code == '?' || code == ':')
            return refuse(c, code, word);
        word = optarg == word ? argv[optind - 2] : word;
        if (is_abbreviated(code, word))
            return refuse_letter(c, word);
        struct given g = {option_of(c->verb, code), optarg ? optarg : ""};
        int wrong = g.id == OPTION_LIMIT ? limit_take(c, &g) : EXIT_OK;
        if (wrong)
            return wrong;
        vec_push(&c->arena, &c->given, g);
    }
    return take_file(c, argc, argv);
}

const char *option_value(const struct command *c, enum option_id id)
{
    for (uint32_t i = c->given.count; i-- > 0;)
        if (c->given.at[i].id == id)
            return c->given.at[i].value;
    return NULL;
}

const char *const *options_spelled(struct command *c, size_t *n)
{
    VEC(const char *) words = {0};
    for (uint32_t i = 0; i < c->given.count; i++) {
        const struct given *g = &c->given.at[i];
        const struct option_info *o = &option_info[g->id];
        const char *name = *o->name ? arena_printf(&c->arena, "--%s%s", o->name, *g->value ? "=" : "")
                                    : arena_printf(&c->arena, "-%c", o->letter);
        vec_push(&c->arena, &words, arena_printf(&c->arena, "%s%s", name, g->value));
    }
    *n = words.count;
    return words.at;
}

/* ---- numbers ----------------------------------------------------------------------------------------- */

bool scan_number(const char **s, uint64_t *n)
{
    char *end;
    if (!isdigit((unsigned char)**s))
        return false;
    errno = 0;
    *n = strtoull(*s, &end, 10);
    *s = end;
    return errno == 0;
}

int option_number(struct command *c, enum option_id id, uint64_t least, uint64_t most, uint64_t *n)
{
    const char *text = option_value(c, id), *at = text;
    uint64_t value;
    if (!text)
        return EXIT_OK;
    if (!scan_number(&at, &value) || *at || value < least || value > most)
        return complain(c, EXIT_USAGE, "--%s wants a number from %llu to %llu, not '%s'",
                        option_info[id].name, (unsigned long long)least, (unsigned long long)most, text);
    *n = value;
    return EXIT_OK;
}

int option_numbers(struct command *c, const struct option_range *all, size_t count)
{
    int code = EXIT_OK;
    for (size_t i = 0; !code && i < count; i++) {
        const struct option_range *o = &all[i];
        code = option_number(c, o->id, o->least, o->most, o->n);
        if (!code && o->power && *o->n & (*o->n - 1))
            code = complain(c, EXIT_USAGE, "--%s wants a power of two, not %llu", option_info[o->id].name,
                            (unsigned long long)*o->n);
    }
    return code;
}

int option_warp(struct command *c, uint64_t *warp, bool *block)
{
    const char *text = option_value(c, OPTION_WARP), *at = text;
    bool is_block = text && strcmp(text, "block") == 0, models = verb_in(c->verb, IN_RUN | IN_COMPARE);
    uint64_t n;
    if (block)
        *block = is_block;
    if (is_block && models)
        return EXIT_OK;
    if (text && models && (!scan_number(&at, &n) || *at || n < 1 || n > KERNC_MAX_WARP))
        return complain(c, EXIT_USAGE, "--warp wants a number from 1 to %d, or block, not '%s'",
                        KERNC_MAX_WARP, text);
    return option_number(c, OPTION_WARP, 1, KERNC_MAX_WARP, warp);
}

int option_size(struct command *c, enum option_id id, uint64_t *n)
{
    static const char suffixes[] = "KMG";
    const char *text = option_value(c, id), *at = text;
    uint64_t value;
    if (!text)
        return EXIT_OK;
    bool good = scan_number(&at, &value);
    const char *suffix = *at ? strchr(suffixes, *at) : NULL;
    unsigned shift = suffix ? 10 * (unsigned)(suffix - suffixes + 1) : 0;
    if (!good || at[suffix != NULL] || value > UINT64_MAX >> shift)
        return complain(c, EXIT_USAGE,
                        "--%s wants a number of bytes such as 65536, 64K, 100M or 2G, not '%s'",
                        option_info[id].name, text);
    *n = value << shift;
    return EXIT_OK;
}
