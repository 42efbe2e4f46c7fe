/* limits_test.c: every limit that can be changed at 1, 2 and 3, with every verb that has limits, on the samples
 * and the tests of test/regress and test/mistakes: each command ends as it does without the limit, or with a
 * message that names it and an exit code that says so; none crashes, hangs, or calls itself wrong.
 *
 * The scheme, the level, checks and options are drawn by the number of the trial, of which there are over
 * 300,000. KERNC_TEST_LIMITS=I/N takes part I of N: each has every limit, value and verb, on another N-th of
 * the files. `make check` takes one of PARTS, CI another larger one every day, `make limits` all.
 */
#include "base/checks.h"
#include "driver/driver.h"
#include "test/fuzz/isolated.h"
#include "test/sections.h"

#include <dirent.h>
#include <fcntl.h>
#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

enum { PARTS = 256, BATCH = 500, VALUES = 3, MOST_WORDS = 32 };

/* ---- trials -------------------------------------------------------------------------------------------- */

/* What each verb is given, behind which the limit counts. */
static const struct tried_verb {
    const char *name, *options;
} tried_verbs[] = {
    {"build", "-o /dev/null"},
    {"dump", "--analysis=cfg,cycles,pst,pdg,uniformity,tokens,frontier,barriers"},
    {"run", "--no-outputs --threads=1 --fuel=5000 --max-rounds=3"},
    {"compare", "--threads=1 --fuel=5000 --max-rounds=3"},
    {"report", "-o /dev/null --threads=1 --fuel=5000 --max-rounds=3 --max-steps=50"},
    {"tune", "--threads=1 --fuel=5000 --runs=3"},
    {"fix", "-o /dev/null"},
};

static bool takes(const struct tried_verb *v, enum option_id o)
{
    size_t i = 0;
    while (strcmp(verbs[i].name, v->name) != 0)
        i++;
    return verb_in(&verbs[i], option_info[o].verbs);
}

static struct arena arena;
static VEC(const char *) files;
static const char *section_folder;           /* beside the program */
static VEC(const struct limit_row *) limits; /* those that can be changed */

/* A section goes to a file of its own, which stays for those who look at what failed. */
static void add_section(const char *path, const struct section *s)
{
    const char *own = arena_printf(&arena, "%s/%s%s", section_folder, s->name, strrchr(path, '.'));
    assert_null(file_write(own, s->at, s->length));
    vec_push(&arena, &files, own);
}

static void add_file(const char *path)
{
    struct text text = {.arena = &arena};
    assert_null(file_read(path, 1u << 26, &text));
    section_list sections = sections_of(&arena, &text);
    for (uint32_t i = 0; sections.at[0].name && i < sections.count; i++)
        add_section(path, &sections.at[i]);
    if (!sections.at[0].name)
        vec_push(&arena, &files, path);
}

static void add_folder(const char *path)
{
    DIR *folder = opendir(path);
    assert_non_null(folder);
    for (struct dirent *e; (e = readdir(folder));) {
        const char *dot = strrchr(e->d_name, '.');
        if (dot && (strcmp(dot, ".kern") == 0 || strcmp(dot, ".kir") == 0))
            add_file(arena_printf(&arena, "%s/%s", path, e->d_name));
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
    bool unsound; /* the scheme: with other code its runs may go wrong in other ways */
};

static void add_words(struct trial *t, const char *text)
{
    for (char *word = strtok(arena_strdup(&arena, text, strlen(text)), " "); word; word = strtok(NULL, " "))
        t->words[t->count++] = word;
}

/* What the runtime checks under the scheme, or "". */
static const char *check_of(enum scheme s)
{
    if (!check_bits_under(s))
        return "";
    return scheme_check(s) ? arena_printf(&arena, "--check=%s", scheme_check(s)) : "--check=all";
}

/* False: the verb has no such limit. */
static bool make_trial(struct trial *t, uint64_t n)
{
    static const char *const switches[] = {"", "-fpredict=auto"};
    uint64_t drawn = hash_mix(n, 27);
    unsigned value = (unsigned)(n % VALUES) + 1;
    *t = (struct trial){.limit = limits.at[n / VALUES % limits.count],
                        .unsound = scheme_info[drawn % SCHEMES].properties & SCHEME_UNSOUND};
    n /= VALUES * limits.count;
    const struct tried_verb *v = &tried_verbs[n % COUNT(tried_verbs)];
    const char *file = files.at[n / COUNT(tried_verbs) % files.count];
    enum scheme s = (enum scheme)(drawn % SCHEMES);
    if (t->limit->option != OPTIONS && !takes(v, t->limit->option))
        return false;
    add_words(t, arena_printf(&arena, "kernc %s %s %s", v->name, file, v->options));
    if (takes(v, OPTION_LEVEL))
        add_words(t, arena_printf(&arena, "--verify-each -O%u", (unsigned)(drawn >> 8) % 3));
    if (takes(v, OPTION_SCHEME))
        add_words(t, arena_printf(&arena, "--scheme=%s", scheme_info[s].name));
    if (takes(v, OPTION_SCHEMES))
        add_words(t, arena_printf(&arena, "--schemes=%s", scheme_info[s].name));
    if (!(drawn >> 16 & 3) && takes(v, OPTION_CHECK))
        add_words(t, check_of(s));
    if (takes(v, OPTION_SWITCH) && strcmp(v->name, "tune") != 0) /* it may have nothing to tune then */
        add_words(t, switches[drawn >> 20 & 1]);
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
    if (strstr(said, "error: internal error: "))
        return "an internal error";
    if (code == EXIT_USAGE && !named) /* it may be too small for the verb */
        return "wrong usage";
    if (code == EXIT_OK || named || (code == EXIT_TRAPPED && t->unsound) || t->limit->option != OPTIONS ||
        run_words(t, t->count - 1) == code)
        return NULL;
    run_words(t, t->count);
    what_was_said();
    return "a failure that does not name the limit";
}

/* ---- the tests ------------------------------------------------------------------------------------------- */

struct part {
    uint32_t number, parts;
};

/* Of all limits, values and verbs on one file, others on the next. */
static bool has(const struct part *p, uint32_t trial)
{
    uint32_t of_file = COUNT(tried_verbs) * limits.count * VALUES;
    return (trial / of_file + trial % of_file) % p->parts == p->number;
}

static void try(void *data, uint32_t n, struct isolated *a)
{
    struct trial t;
    dup2(out.nowhere, STDOUT_FILENO);
    dup2(out.said, STDERR_FILENO);
    if (!has(data, n) || !make_trial(&t, n))
        return;
    const char *why = judge(&t);
    if (why)
        show(&t, why, what_was_said());
    a->taken += why != NULL;
}

/* How many are bad of those from `first` to end - 1; one that ends its process is the last of it. */
static uint32_t try_batch(struct part *p, uint32_t first, uint32_t end)
{
    uint32_t bad = 0;
    while (first < end) {
        struct isolated a;
        struct trial t;
        char why[200];
        bool fine = isolated_run(&a, first, end, try, p, why, sizeof why);
        bad += a.taken + !fine;
        first = a.at + 1;
        if (!fine && make_trial(&t, a.at))
            show(&t, why, what_was_said());
    }
    return bad;
}

static void small_limits_are_named(void **state)
{
    const char *words = getenv("KERNC_TEST_LIMITS");
    uint32_t all = files.count * COUNT(tried_verbs) * limits.count * VALUES, count = 0, bad = 0;
    struct part p = {0, PARTS};
    (void)state;
    if (words && (sscanf(words, "%u/%u", &p.number, &p.parts) != 2 || !p.parts))
        fail_msg("KERNC_TEST_LIMITS is I/N, part I of N: %s", words);
    p.number %= p.parts;
    for (uint32_t n = 0; n < all; n++)
        count += has(&p, n);
    uint32_t batch = p.parts < all / BATCH ? p.parts * BATCH : all;
    for (uint32_t first = 0; first < all; first += batch)
        bad += try_batch(&p, first, first + batch < all ? first + batch : all);
    print_message("%u of %u commands tried, %u bad\n", count, all, bad);
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

int main(int argc, char **argv)
{
    (void)argc;
    const struct CMUnitTest tests[] = {cmocka_unit_test(small_limits_are_named)};
    setenv("PATH", "", 1); /* Graphviz is not run for each report */
    section_folder = arena_printf(&arena, "%s.sections", argv[0]);
    mkdir(section_folder, 0777);
    /* Commands get the memory that those before them have freed: new pages would take a third of the time. */
    mallopt(M_MMAP_THRESHOLD, 1 << 30);
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
    add_folder("samples");
    add_folder("test/regress");
    add_folder("test/mistakes");
    for (size_t i = 0; i < limit_row_count; i++)
        if (limit_rows[i].most)
            vec_push(&arena, &limits, &limit_rows[i]);
    qsort(files.at, files.count, sizeof *files.at, by_name);
    return cmocka_run_group_tests_name("limits", tests, open_files, NULL);
}
