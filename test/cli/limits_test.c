/* limits_test.c: every limit that can be changed at 1, 2 and 3, with every verb that has limits, on the samples
 * and the regression tests: each command ends as it does without the limit, or with a message that names it and
 * an exit code that says so; none crashes, hangs, or calls itself wrong.
 *
 * The scheme, the level, checks and options are drawn by the number of the trial, of which there are a hundred
 * thousand and more. `make check` takes SAMPLE of them, others if KERNC_TEST_ROTATE is another number;
 * KERNC_TEST_LIMITS=I/N takes all those of part I of N (`make limits`: all of them).
 */
#include "driver/driver.h"
#include "test/fuzz/apart.h"

#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

enum { SAMPLE = 2500, BATCH = 50, VALUES = 3, MOST_WORDS = 32 };

/* ---- trials -------------------------------------------------------------------------------------------- */

/* What each verb is given, behind which the limit counts. */
static const struct tried_verb {
    const char *name, *options;
    bool compiles; /* alone; else it also launches */
} tried_verbs[] = {
    {"build", "-o /dev/null", true},
    {"dump", "--analysis=cfg,cycles,pst,pdg,uniformity,tokens,frontier", true},
    {"run", "--no-outputs --threads=1 --fuel=5000 --max-rounds=3", false},
    {"compare", "--threads=1 --fuel=5000 --max-rounds=3", false},
    {"tune", "--threads=1 --fuel=5000 --runs=3", false},
};

static struct arena arena;
static VEC(const char *) files;
static VEC(const struct limit_row *) limits; /* those that can be changed */

static void add_folder(const char *path)
{
    DIR *folder = opendir(path);
    assert_non_null(folder);
    for (struct dirent *e; (e = readdir(folder));) {
        const char *ending = strrchr(e->d_name, '.');
        if (ending && (strcmp(ending, ".kern") == 0 || strcmp(ending, ".kir") == 0))
            vec_push(&arena, &files, arena_printf(&arena, "%s/%s", path, e->d_name));
    }
    closedir(folder);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

struct trial {
    const char *words[MOST_WORDS]; /* the command's, the limit last */
    int count;
    const struct limit_row *limit;
};

static void add_words(struct trial *t, const char *text)
{
    for (char *word = strtok(arena_strdup(&arena, text, strlen(text)), " "); word; word = strtok(NULL, " "))
        t->words[t->count++] = word;
}

/* What the runtime checks under the scheme, or "". */
static const char *check_of(enum scheme s)
{
    if (scheme_info[s].target != TARGET_bytecode)
        return "";
    if (s == SCHEME_REFERENCE)
        return "--check=uniformity";
    return s == SCHEME_tf_stack || s == SCHEME_tf_sandy ? "--check=frontier"
                                                        : "--check=race,bounds,uninit,barrier";
}

/* False: the verb has no such limit. */
static bool make_trial(struct trial *t, uint64_t n)
{
    static const char *const switches[] = {"", "-fpredict=auto", "-fpriorities=model", ""};
    uint64_t drawn = hash_mix(n, 27);
    unsigned value = (unsigned)(n % VALUES) + 1;
    *t = (struct trial){.limit = limits.at[n / VALUES % limits.count]};
    n /= VALUES * limits.count;
    const struct tried_verb *v = &tried_verbs[n % COUNT(tried_verbs)];
    const char *file = files.at[n / COUNT(tried_verbs) % files.count];
    enum scheme s = (enum scheme)(drawn % SCHEMES);
    bool own = t->limit->option != OPTIONS;
    for (size_t i = 0; own && i < verb_count; i++)
        if (strcmp(verbs[i].name, v->name) == 0 &&
            !strchr(option_info[t->limit->option].verbs, verbs[i].letter))
            return false;
    add_words(t, arena_printf(&arena, "kernc %s %s %s --verify-each -O%u", v->name, file, v->options,
                              (unsigned)(drawn >> 8) % 3));
    if (strcmp(v->name, "compare") == 0)
        add_words(t, arena_printf(&arena, "--schemes=%s", scheme_info[s].name));
    else if (strcmp(v->name, "tune") != 0)
        add_words(t, arena_printf(&arena, "--scheme=%s", scheme_info[s].name));
    if (!(drawn >> 16 & 3) && (strcmp(v->name, "run") == 0 || strcmp(v->name, "dump") == 0))
        add_words(t, check_of(s));
    if (strcmp(v->name, "tune") != 0) /* there may be nothing to tune if the compiler finds none */
        add_words(t, switches[drawn >> 20 & 3]);
    add_words(t, arena_printf(&arena, "--limit=%s=%u", t->limit->name, value));
    return true;
}

/* ---- running one ----------------------------------------------------------------------------------------- */

/* Files of this process and of those that it forks. */
static struct {
    int said;  /* gets what commands say */
    int shown; /* the standard error that there was */
    int nowhere;
} out;

static const char *what_was_said(void)
{
    static char text[1 << 16];
    ssize_t n = pread(out.said, text, sizeof text - 1, 0);
    text[n > 0 ? n : 0] = 0;
    return text;
}

/* How the first `count` words of the command end; what they say is behind out.said. */
static int run_words(const struct trial *t, int count)
{
    char *words[MOST_WORDS + 1];
    struct command c = {0};
    struct mem_guard guard;
    for (int i = 0; i < count; i++)
        words[i] = (char *)t->words[i];
    words[count] = NULL;
    optind = 0; /* getopt begins anew */
    ftruncate(out.said, 0);
    lseek(out.said, 0, SEEK_SET);
    if (mem_guard_enter(&guard))
        return EXIT_LIMIT;
    int code = command_parse(&c, count, words);
    if (code == EXIT_OK)
        code = c.verb->run(&c);
    messages_end(&c);
    mem_guard_leave(&guard);
    arena_free(&c.arena);
    fflush(NULL);
    return code;
}

static void show(const struct trial *t, const char *why, const char *said)
{
    struct text text = {0};
    for (int i = 0; i < t->count; i++)
        text_printf(&text, "%s ", t->words[i]);
    dprintf(out.shown, "%s\n    %s: %.2000s\n", text.at, why, said);
    text_free(&text);
}

/* NULL: it ended well, or as it should. */
static const char *judge(const struct trial *t)
{
    int code = run_words(t, t->count);
    const char *said = what_was_said();
    bool named = strstr(said, t->limit->name);
    if (strstr(said, "internal error"))
        return "an internal error";
    if (code == EXIT_USAGE && !named) /* it may be too small for the verb */
        return "wrong usage";
    if (code == EXIT_OK || named || t->limit->option != OPTIONS || run_words(t, t->count - 1) == code)
        return NULL;
    run_words(t, t->count);
    what_was_said();
    return "a failure that does not name the limit";
}

/* ---- the tests ------------------------------------------------------------------------------------------- */

/* Which trials: those of a part, or drawn ones. */
struct choice {
    uint64_t all, seed;
    unsigned long part, parts; /* parts 0: drawn */
};

static uint64_t number_of(const struct choice *c, uint32_t i)
{
    return c->parts ? i * c->parts + c->part : hash_mix(i, c->seed) % c->all;
}

static void try(void *data, uint32_t i, struct apart *a)
{
    struct trial t;
    dup2(out.nowhere, STDOUT_FILENO);
    dup2(out.said, STDERR_FILENO);
    if (!make_trial(&t, number_of(data, i)))
        return;
    const char *why = judge(&t);
    if (why)
        show(&t, why, what_was_said());
    a->taken += why != NULL;
}

/* How many are bad of those from `first` to end - 1; one that ends its process is the last of it. */
static uint32_t try_batch(struct choice *c, uint32_t first, uint32_t end)
{
    uint32_t bad = 0;
    while (first < end) {
        struct apart a;
        struct trial t;
        char why[200];
        bool fine = apart_run(&a, first, end, try, c, why, sizeof why);
        bad += a.taken + !fine;
        first = a.at + 1;
        if (!fine && make_trial(&t, number_of(c, a.at)))
            show(&t, why, what_was_said());
    }
    return bad;
}

static void small_limits_are_named(void **state)
{
    const char *part = getenv("KERNC_TEST_LIMITS"), *rotate = getenv("KERNC_TEST_ROTATE");
    struct choice c = {.all = (uint64_t)files.count * COUNT(tried_verbs) * limits.count * VALUES,
                       .seed = rotate ? strtoull(rotate, NULL, 10) : 0};
    uint32_t count = SAMPLE, bad = 0;
    (void)state;
    if (part && sscanf(part, "%lu/%lu", &c.part, &c.parts) == 2 && c.parts > 0) {
        c.part %= c.parts;
        count = (uint32_t)((c.all - c.part + c.parts - 1) / c.parts);
    }
    for (uint32_t first = 0; first < count; first += BATCH)
        bad += try_batch(&c, first, first + BATCH < count ? first + BATCH : count);
    print_message("%u of %llu commands tried, %u bad\n", count, (unsigned long long)c.all, bad);
    assert_true(count > 0);
    assert_int_equal(bad, 0);
}

/* What commands print goes nowhere, what they say to a file without a name. */
static int open_files(void **state)
{
    (void)state;
    out.nowhere = open("/dev/null", O_WRONLY);
    out.shown = dup(STDERR_FILENO);
    out.said = memfd_create("said", MFD_CLOEXEC);
    assert_true(out.nowhere >= 0 && out.shown >= 0 && out.said >= 0);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(small_limits_are_named)};
    add_folder("samples");
    add_folder("test/regress");
    for (size_t i = 0; i < limit_row_count; i++)
        if (limit_rows[i].most)
            vec_push(&arena, &limits, &limit_rows[i]);
    qsort(files.at, files.count, sizeof *files.at, by_name);
    return cmocka_run_group_tests_name("limits", tests, open_files, NULL);
}
