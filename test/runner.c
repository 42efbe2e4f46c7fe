/* runner.c: runs the tests it is given, several at a time, and counts them. See test/README.md.
 *
 *   runner [-j N] [-u] [-f TEXT] [-k KERNC] [-t N] PATH...
 *
 * A PATH is a folder (walked for annotated files), an annotated file, or an executable (a cmocka program,
 * whose tests are counted one by one). -u rewrites golden files, -f runs only paths that contain TEXT, -t says
 * which N took most of the processor. The last line is "N passed, N failed", with ", N skipped" if a tool was
 * missing; the exit code is 1 if anything failed, or if something was skipped although CI is set.
 *
 * KERNC_TEST_PART=I/N: of the annotated files in folders the I-th of N parts.
 */
#include "test/runner.h"
#include "base/base.h"

#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct taken {
    double seconds;
    const char *path;
};

struct suite {
    struct arena arena;
    VEC(const char *) paths;
    struct test_options options;
    const char *filter;
    unsigned part, parts; /* KERNC_TEST_PART; parts 0: all */
    long jobs, slowest;   /* how many of those that took most time are told */
    pthread_mutex_t lock; /* guards what follows */
    uint32_t next;
    struct test_counts counts;
    VEC(struct taken) taken;
};

/* ---- finding tests --------------------------------------------------------------------------------- */

static bool ends_with(const char *s, const char *end)
{
    size_t n = strlen(s), m = strlen(end);
    return n >= m && strcmp(s + n - m, end) == 0;
}

static bool is_annotated_name(const char *name)
{
    static const char *const endings[] = {".kern", ".kir", ".test", ".ll", ".cu", ".cl", ".hip"};
    for (size_t i = 0; i < COUNT(endings); i++)
        if (ends_with(name, endings[i]))
            return true;
    return false;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void add_file(struct suite *s, const char *path)
{
    if (!s->filter || strstr(path, s->filter))
        vec_push(&s->arena, &s->paths, path);
}

/* By the path's hash: a new file moves no other one to another part. */
static bool is_in_part(const struct suite *s, const char *path)
{
    return !s->parts || hash_bytes(path, strlen(path)) % s->parts == s->part % s->parts;
}

static void read_part(struct suite *s)
{
    const char *words = getenv("KERNC_TEST_PART");
    if (words && (sscanf(words, "%u/%u", &s->part, &s->parts) != 2 || !s->parts)) {
        fprintf(stderr, "runner: KERNC_TEST_PART is I/N, part I of N: %s\n", words);
        exit(2);
    }
}

/* Folders named "inputs" hold what tests read, not tests. */
static void walk(struct suite *s, const char *folder)
{
    DIR *d = opendir(folder);
    if (!d) {
        fprintf(stderr, "runner: cannot read %s\n", folder);
        exit(2);
    }
    VEC(const char *) names = {0};
    for (struct dirent *e; (e = readdir(d));)
        if (e->d_name[0] != '.' && strcmp(e->d_name, "inputs") != 0)
            vec_push(&s->arena, &names, arena_printf(&s->arena, "%s/%s", folder, e->d_name));
    closedir(d);
    if (names.count)
        qsort(names.at, names.count, sizeof *names.at, by_name);
    for (uint32_t i = 0; i < names.count; i++) {
        struct stat st;
        if (stat(names.at[i], &st) == 0 && S_ISDIR(st.st_mode))
            walk(s, names.at[i]);
        else if (is_annotated_name(names.at[i]) && is_in_part(s, names.at[i]))
            add_file(s, names.at[i]);
    }
}

static void add_path(struct suite *s, const char *path)
{
    struct stat st;
    if (stat(path, &st) < 0) {
        fprintf(stderr, "runner: there is no %s\n", path);
        exit(2);
    }
    if (S_ISDIR(st.st_mode))
        walk(s, path);
    else
        add_file(s, path);
}

/* ---- running ------------------------------------------------------------------------------------- */

static void run_one(const char *path, const struct test_options *o, struct test_result *r)
{
    if (is_annotated_name(path))
        test_run_annotated(path, o, r);
    else
        test_run_unit(path, o, r);
}

static void report(struct suite *s, const char *path, const struct test_result *r)
{
    pthread_mutex_lock(&s->lock);
    vec_push(&s->arena, &s->taken, ((struct taken){r->seconds, path}));
    s->counts.passed += r->counts.passed;
    s->counts.failed += r->counts.failed;
    s->counts.skipped += r->counts.skipped;
    if (r->counts.failed)
        printf("FAILED %s\n%s", path, r->log.length ? r->log.at : "");
    else if (r->counts.skipped)
        printf("skipped %s: %s", path, r->log.length ? r->log.at : "\n");
    fflush(stdout);
    pthread_mutex_unlock(&s->lock);
}

static void *worker(void *data)
{
    struct suite *s = data;
    for (;;) {
        pthread_mutex_lock(&s->lock);
        uint32_t i = s->next++;
        pthread_mutex_unlock(&s->lock);
        if (i >= s->paths.count)
            return NULL;
        struct test_result r = {0};
        run_one(s->paths.at[i], &s->options, &r);
        report(s, s->paths.at[i], &r);
        text_free(&r.log);
    }
}

static void run_all(struct suite *s)
{
    pthread_t threads[64];
    long n = s->jobs < 1 ? 1 : s->jobs > (long)COUNT(threads) ? (long)COUNT(threads) : s->jobs;
    pthread_mutex_init(&s->lock, NULL);
    for (long i = 0; i < n; i++)
        if (pthread_create(&threads[i], NULL, worker, s) != 0)
            exit(2);
    for (long i = 0; i < n; i++)
        pthread_join(threads[i], NULL);
}

static int by_seconds(const void *a, const void *b)
{
    double x = ((const struct taken *)a)->seconds, y = ((const struct taken *)b)->seconds;
    return (x < y) - (x > y);
}

static void tell_slowest(struct suite *s)
{
    if (s->slowest > 0 && s->taken.count)
        qsort(s->taken.at, s->taken.count, sizeof *s->taken.at, by_seconds);
    for (uint32_t i = 0; i < s->taken.count && i < s->slowest; i++)
        printf("%8.2f s  %s\n", s->taken.at[i].seconds, s->taken.at[i].path);
}

static void parse_options(struct suite *s, int argc, char **argv)
{
    s->jobs = sysconf(_SC_NPROCESSORS_ONLN);
    s->options.kernc = "./kernc";
    const char *slash = strrchr(argv[0], '/');
    s->options.tools = slash ? arena_strdup(&s->arena, argv[0], (size_t)(slash - argv[0])) : ".";
    for (int option; (option = getopt(argc, argv, "j:uf:k:t:")) != -1;) {
        switch (option) {
        case 'j': s->jobs = atol(optarg); break;
        case 'u': s->options.update = true; break;
        case 'f': s->filter = optarg; break;
        case 'k': s->options.kernc = optarg; break;
        case 't': s->slowest = atol(optarg); break;
        default: exit(64);
        }
    }
}

int main(int argc, char **argv)
{
    static struct suite s;
    parse_options(&s, argc, argv);
    read_part(&s);
    for (int i = optind; i < argc; i++)
        add_path(&s, argv[i]);
    if (!test_prepare(&s.options))
        return 2;
    run_all(&s);
    test_clean_up(&s.options);
    tell_slowest(&s);
    printf("%u passed, %u failed", s.counts.passed, s.counts.failed);
    if (s.counts.skipped)
        printf(", %u skipped", s.counts.skipped);
    printf("\n");
    arena_free(&s.arena);
    const char *ci = getenv("CI");
    return s.counts.failed || (s.counts.skipped && ci && *ci) || s.counts.passed == 0;
}
