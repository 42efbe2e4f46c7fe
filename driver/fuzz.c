/* fuzz.c: kernc fuzz: random programs through every scheme and level. All the work is in fuzz/. */
#include "fuzz/fuzz.h"
#include "base/checks.h"
#include "base/program.h"
#include "driver/driver.h"
#include "driver/interrupt.h"
#include "fuzz/emit.h"
#include "fuzz/plant.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- lists ------------------------------------------------------------------------------------------- */

/* The option's names between commas, or NULL at the end; *at moves on. */
static char *next_item(struct command *c, const char **at)
{
    size_t n = strcspn(*at, ",");
    if (!**at)
        return NULL;
    char *item = arena_strdup(&c->arena, *at, n);
    *at += n + ((*at)[n] == ',');
    return item;
}

/* Numbers, each from least to most, in place of the defaults. */
static int take_numbers(struct command *c, enum option_id id, uint64_t least, uint64_t most, uint32_t *to,
                        uint32_t room, uint32_t *count)
{
    const char *at = option_value(c, id);
    if (!at)
        return EXIT_OK;
    *count = 0;
    for (char *item; (item = next_item(c, &at)) != NULL;) {
        const char *end = item;
        uint64_t n;
        if (!scan_number(&end, &n) || *end || n < least || n > most || *count == room)
            return complain(c, EXIT_USAGE, "--%s wants at most %u numbers from %llu to %llu, not '%s'",
                            option_info[id].name, room, (unsigned long long)least, (unsigned long long)most,
                            item);
        to[(*count)++] = (uint32_t)n;
    }
    return *count ? EXIT_OK : complain(c, EXIT_USAGE, "--%s wants a number", option_info[id].name);
}

static int take_schemes(struct command *c, struct fz_options *o)
{
    scheme_list list = {0};
    int code = schemes_take(c, &list);
    o->schemes.count = 0;
    for (uint32_t i = 0; i < list.count; i++)
        o->schemes.at[o->schemes.count++] = list.at[i];
    return code;
}

static int take_classes(struct command *c, struct fz_options *o)
{
    const char *at = option_value(c, OPTION_CLASS);
    struct text letters = {0};
    if (!at)
        return EXIT_OK;
    for (char *item; (item = next_item(c, &at)) != NULL;) {
        if (strlen(item) != 1 || !fz_class_find(*item)) {
            text_free(&letters);
            return complain(c, EXIT_USAGE,
                            "there is no class '%s' of programs; there are a, b, c, d, e, f, g and h", item);
        }
        text_char(&letters, *item);
    }
    o->classes = arena_strdup(&c->arena, letters.length ? letters.at : "", letters.length);
    text_free(&letters);
    return *o->classes ? EXIT_OK : complain(c, EXIT_USAGE, "--class wants a, b, c, d, e, f, g or h");
}

static int take_number(struct command *c, enum option_id id, uint64_t least, uint64_t most, uint32_t *to)
{
    uint64_t n = *to;
    int code = option_number(c, id, least, most, &n);
    *to = (uint32_t)n;
    return code;
}

/* Bits of the names between commas; 0: some of them is none of a mistake with memory. */
static uint32_t mistakes_of(struct command *c, const char *names)
{
    uint32_t all = 0;
    for (char *item; (item = next_item(c, &names)) != NULL;) {
        unsigned i = 0;
        while (i < FZ_MISTAKES && strcmp(fz_mistake_names[i], item) != 0)
            i++;
        if (i == FZ_MISTAKES)
            return 0;
        all |= 1u << i;
    }
    return all;
}

/* The schemes, levels and widths under which memory can be checked, unless others are asked for. */
static int take_plants(struct command *c, struct fz_options *o)
{
    const char *names = option_value(c, OPTION_PLANT);
    if (!names)
        return EXIT_OK;
    o->plants = mistakes_of(c, names);
    if (!o->plants)
        return complain(c, EXIT_USAGE, "--plant wants %s, not '%s'",
                        check_names(&c->arena, 0, CHECK_ALL, " or "), names);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < o->schemes.count; i++)
        if (fz_checks_memory(o->schemes.at[i]))
            o->schemes.at[kept++] = o->schemes.at[i];
    o->schemes.count = kept;
    kept = 0;
    for (uint32_t i = 0; i < o->widths.count; i++)
        if (o->widths.at[i] >= 2) /* syncwarp() orders threads that are alone in their warp with nobody */
            o->widths.at[kept++] = o->widths.at[i];
    o->widths.count = kept;
    if (!option_given(c, OPTION_CLASS))
        o->classes = "a";
    return o->schemes.count && o->widths.count
               ? EXIT_OK
               : complain(c, EXIT_USAGE,
                          "--plant wants a scheme of bytecode but oracle, and warps of at least 2");
}

/* -f and --passes: of all setups, instead of what is drawn. */
static int take_passes(struct command *c, struct fz_options *o)
{
    size_t n;
    const char *const *switches = option_values(c, OPTION_SWITCH, &n);
    struct opt_options opt;
    opt_options_init(&opt);
    for (size_t i = 0; i < n; i++) {
        const char *wrong = opt_options_set(&opt, &c->arena, switches[i]);
        if (wrong)
            return complain(c, EXIT_USAGE, "%s", wrong);
    }
    for (unsigned i = 0; i < OPT_PASSES; i++)
        o->passes.off |= (uint64_t)opt.off[i] << i;
    for (unsigned k = 0; k < OPT_OPTIONS; k++)
        o->passes.values[k] = opt.values[k] == opt_option_info[k].value ? 0 : opt.values[k] + 1;
    const char *check = option_value(c, OPTION_CHECK), *list = option_value(c, OPTION_PASSES);
    o->checks_memory = o->plants || (check && check_memory_bits(check));
    if (check && !o->checks_memory && check_find_claim(check) == CHECK_CLAIMS)
        return complain(c, EXIT_USAGE, "--check wants %s, not '%s'",
                        check_names(&c->arena, 0, CHECKS, " or "), check);
    if (o->checks_memory && strcmp(o->classes, "a") != 0 && strcmp(o->classes, "d") != 0)
        return complain(c, EXIT_USAGE, "memory is checked in programs of class a or d: --class=a");
    o->passes.check = o->plants ? "all" : check;
    if (list && !fz_passes_parse(&o->passes, list))
        return complain(c, EXIT_USAGE, "--passes wants 1 to %d passes, not '%s'", FZ_MAX_PASSES, list);
    return EXIT_OK;
}

/* The command's words, divided by spaces. It has to take an empty module. */
static int take_command(struct command *c, struct fz_options *o)
{
    VEC(const char *) words = {0};
    struct text empty = {.arena = &c->arena}, made = {.arena = &c->arena}, errors = {.arena = &c->arena};
    const char *text = o->through_text = option_value(c, OPTION_THROUGH);
    if (!text)
        return EXIT_OK;
    for (const char *at = text; *at;) {
        size_t blank = strspn(at, " "), n = strcspn(at + blank, " ");
        if (n)
            vec_push(&c->arena, &words, arena_strdup(&c->arena, at + blank, n));
        at += blank + n;
    }
    vec_push(&c->arena, &words, NULL);
    o->through = words.at;
    if (!*o->through || strchr(text, '\''))
        return complain(c, EXIT_USAGE, "--opt wants a command, its words divided by spaces, not '%s'", text);
    if (!option_given(c, OPTION_CLASS))
        o->classes = "be";
    if (!option_given(c, OPTION_WIDTHS))
        o->widths.at[0] = 4, o->widths.at[1] = 8, o->widths.at[2] = 32, o->widths.count = 3;
    struct program_end end = program_run(
        o->through, &(struct program_streams){
                        .input = &empty, .output = &made, .errors = &errors, .most = 1 << 20, .seconds = 60});
    text_char(&errors, '\n');
    return end.is_well ? EXIT_OK
                       : complain(c, EXIT_INPUT, "the command '%s' does not take an empty module: %.*s", text,
                                  end.problem ? 200 : (int)strcspn(errors.at, "\n"),
                                  end.problem ? strerror(end.problem) : errors.at);
}

static int take_levels(struct command *c, struct fz_options *o)
{
    return take_numbers(c, OPTION_LEVELS, 0, 2, o->levels.at, COUNT(o->levels.at), &o->levels.count);
}

static int take_widths(struct command *c, struct fz_options *o)
{
    return take_numbers(c, OPTION_WIDTHS, 1, KERNC_MAX_WARP, o->widths.at, COUNT(o->widths.at),
                        &o->widths.count);
}

static int take_options(struct command *c, struct fz_options *o)
{
    const struct option_range numbers[] = {
        {OPTION_SEED, 0, UINT64_MAX / 2, &o->seed, false},
        {OPTION_COUNT, 1, 1000000000, &o->count, false},
    };
    int code = option_numbers(c, numbers, COUNT(numbers)) ?: take_classes(c, o) ?: take_schemes(c, o);
    code = code ?: take_levels(c, o) ?: take_widths(c, o) ?: take_plants(c, o) ?: take_passes(c, o);
    code = code ?: schedule_take(c, &o->schedule) ?: take_number(c, OPTION_SETUPS, 0, 1000, &o->setups);
    code = code ?: take_command(c, o) ?: take_number(c, OPTION_JOBS, 1, FZ_MAX_JOBS, &o->jobs);
    code = code ?: take_number(c, OPTION_PATIENCE, 1, 3600, &o->patience);
    return code;
}

/* ---- the verb ---------------------------------------------------------------------------------------- */

struct screen {
    bool terminal;
    uint64_t shown;
};

static void say(void *data, const char *line)
{
    struct screen *s = data;
    if (s->shown)
        fputs("\r\033[K", stderr);
    s->shown = 0;
    printf("%s\n", line);
    fflush(stdout);
}

static void show_progress(void *data, char class, uint64_t done, uint64_t failures)
{
    struct screen *s = data;
    if (!s->terminal || done < s->shown + 50)
        return;
    s->shown = done;
    fprintf(stderr, "\r\033[Kclass %c: %llu programs, %llu failures", class, (unsigned long long)done,
            (unsigned long long)failures);
}

static int show_program(const struct fz_options *o)
{
    for (const char *letter = o->classes; *letter; letter++)
        for (uint64_t seed = o->seed; seed < o->seed + o->count; seed++) {
            struct arena a = {0};
            struct text source = {0};
            fz_print(fz_make(o, fz_class_find(*letter), seed, &a),
                     arena_printf(&a, "class %c, seed %llu", *letter, (unsigned long long)seed), &source);
            fwrite(source.at, 1, source.length, stdout);
            text_free(&source);
            arena_free(&a);
        }
    return EXIT_OK;
}

/* ---- tests for others -------------------------------------------------------------------------------- */

/* As a file of the folder, or as what is printed. */
static int emit_program(struct command *c, const struct fz_options *o, const struct fz_dialect *to,
                        char class, uint64_t seed)
{
    struct arena a = {0};
    struct text source = {0};
    const char *warp = option_value(c, OPTION_WIDTHS), *why = NULL, *path = NULL;
    char *command = arena_printf(&a, "kernc fuzz --emit=%s --class=%c --seed=%llu%s%s", to->name, class,
                                 (unsigned long long)seed, warp ? " --warp=" : "", warp ? warp : "");
    fz_emit(fz_make(o, fz_class_find(class), seed, &a), to, warp ? o->widths.at[0] : to->width, command,
            &source);
    if (o->keep) {
        path = arena_printf(&a, "%s/%c-%llu.%s", o->keep, class, (unsigned long long)seed, to->extension);
        why = file_write(path, source.at, source.length);
    } else {
        fwrite(source.at, 1, source.length, stdout);
    }
    int code = why ? complain(c, EXIT_INPUT, "cannot write '%s': %s", path, why) : EXIT_OK;
    text_free(&source);
    arena_free(&a);
    return code;
}

static int emit(struct command *c, struct fz_options *o, const char *language)
{
    const struct fz_dialect *to = fz_dialect_find(language);
    if (!to)
        return complain(c, EXIT_USAGE, "--emit=cl, cu, glsl or ll, not '%s'", language);
    if (!option_given(c, OPTION_CLASS))
        o->classes = "b";
    for (const char *letter = o->classes; *letter; letter++)
        if (!strchr(fz_emitted(to), *letter))
            return complain(c, EXIT_USAGE,
                            "--emit writes programs of classes b and j, which log who is together, and of "
                            "class e as ll, not of class %c as %s; --print writes that as it is",
                            *letter, to->name);
    if (option_given(c, OPTION_WIDTHS) &&
        (o->widths.count != 1 || (to->only_width && o->widths.at[0] != to->width)))
        return complain(c, EXIT_USAGE,
                        to->only_width ? "warps of %s have %u threads" : "--emit=%s wants one --warp",
                        to->name, to->width);
    if (!o->keep && !option_given(c, OPTION_COUNT))
        o->count = 1;
    if (!o->keep && (o->count > 1 || o->classes[1]))
        return complain(c, EXIT_USAGE, "--emit of several programs wants a folder: --keep=DIR");
    int code = EXIT_OK;
    for (const char *letter = o->classes; *letter && !code; letter++)
        for (uint64_t seed = o->seed; seed < o->seed + o->count && !code; seed++)
            code = emit_program(c, o, to, *letter, seed);
    return code;
}

/* ---- trying ------------------------------------------------------------------------------------------ */

/* What can be written stands in a verdict, which has room for so many setups. */
static int check_room(struct command *c, const struct fz_options *o)
{
    uint32_t all = o->schemes.count * o->levels.count * o->widths.count;
    uint32_t setups = o->setups && o->setups < all ? o->setups : all;
    if (setups > FZ_MAX_EXECUTED)
        return complain(c, EXIT_USAGE, "--csv wants at most %d setups of a program, not %u", FZ_MAX_EXECUTED,
                        setups);
    return EXIT_OK;
}

/* Tries all programs; a signal ends that. */
static int fuzz(struct command *c, struct fz_options *o)
{
    const char *problem;
    o->interrupt = interrupt_flag();
    interrupt_listen(true);
    int code = fz_fuzz(o, &c->arena, &problem) ? EXIT_FOUND : EXIT_OK;
    interrupt_listen(false);
    if (problem)
        code = complain(c, EXIT_LIMIT, "%s", problem);
    return interrupted() ? complain(c, interrupt_code(), "interrupted: not all programs were tried") : code;
}

/* The same, and writes what they executed to the file, if that is all of them. */
static int fuzz_into(struct command *c, struct fz_options *o, const char *file)
{
    struct text rows = {0};
    int code = check_room(c, o);
    if (code)
        return code;
    o->level_passes = true;
    o->executed = &rows;
    code = fuzz(c, o);
    bool whole = code == EXIT_OK || code == EXIT_FOUND;
    int written = !whole ? EXIT_OK : write_output(c, file, rows.at, rows.length);
    text_free(&rows);
    return written ? written : code;
}

int verb_fuzz(struct command *c)
{
    struct fz_options o;
    struct screen screen = {.terminal = isatty(STDERR_FILENO)};
    fz_options_init(&o);
    int code = take_options(c, &o);
    if (code)
        return code;
    if (option_given(c, OPTION_PRINT))
        return show_program(&o);
    o.reduce = !option_given(c, OPTION_NO_REDUCE);
    o.level_passes = option_given(c, OPTION_LEVEL_PASSES);
    o.sums = option_given(c, OPTION_SUMS);
    o.keep = option_value(c, OPTION_KEEP);
    if (o.keep && mkdir(o.keep, 0777) && access(o.keep, W_OK))
        return complain(c, EXIT_INPUT, "cannot write into '%s'", o.keep);
    o.say = say;
    o.progress = show_progress;
    o.data = &screen;
    const char *csv = option_value(c, OPTION_COMPARE_CSV), *language = option_value(c, OPTION_EMIT_TEST);
    if (language)
        return emit(c, &o, language);
    return csv ? fuzz_into(c, &o, csv) : fuzz(c, &o);
}
