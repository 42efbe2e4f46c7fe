/* bench.c: kernc beside its peers, in one run: plain C, PoCL and Oclgrind on the six kernels of kernels/.
 *
 *     bench [RUNS]          (default 5; from the root of the project; `make bench` calls it)
 *
 * Prints Markdown tables: medians of CPU time in milliseconds (of wall time in T9), and ratios with their
 * targets. One host thread, warp 32, unless a row says otherwise. A peer that is not installed is
 * "absent". Results are compared with plain C's; a wrong one is an error. Times only mean something as
 * ratios within one run.
 */
#include "include/kernc.h"
#include "test/bench/cases.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RUNS = 50, SOURCE_BYTES = 16384 };

static int runs = 5, failures;

/* ---- kernc ------------------------------------------------------------------------------------------- */

static char *read_source(const struct bench_case *c, size_t *n)
{
    static char text[SOURCE_BYTES];
    char path[128];
    snprintf(path, sizeof path, "test/bench/kernels/%s.kern", c->file);
    FILE *f = fopen(path, "r");
    if (f == NULL) {
        perror(path);
        exit(2);
    }
    *n = fread(text, 1, sizeof text, f);
    fclose(f);
    return text;
}

struct ready { /* a compiled kernel with its buffers */
    kernc_context *context;
    kernc_kernel *kernel;
    kernc_buffer *buffers[5];
    kernc_argument args[5];
};

static void need(const struct ready *r, kernc_status s, const char *what)
{
    if (s == KERNC_OK)
        return;
    fprintf(stderr, "bench: %s: %s\n", what, kernc_error_text(r->context));
    exit(2);
}

/* checks: as in kernc_options, or NULL. */
static void compile(struct ready *r, const struct bench_case *c, unsigned level, const char *checks)
{
    size_t n, size;
    char *source = read_source(c, &n);
    kernc_options o;
    kernc_options_init(&o);
    o.level = level;
    o.checks = checks;
    kernc_result *result = kernc_compile(c->file, source, n, &o);
    const char *bytes = kernc_result_text(result, KERNC_TEXT_BYTECODE, &size);
    if (bytes == NULL) {
        fprintf(stderr, "%s", kernc_result_text(result, KERNC_TEXT_DIAGNOSTICS, NULL));
        exit(2);
    }
    kernc_module *m;
    need(r, kernc_context_create(NULL, &r->context), "context");
    need(r, kernc_module_load(r->context, bytes, size, &m), "load");
    need(r, kernc_module_kernel(m, c->name, &r->kernel), "kernel");
    kernc_result_free(result);
    for (unsigned i = 0; i < c->argc; i++) {
        const struct bench_arg *a = &c->args[i];
        uint64_t bits = 0;
        if (a->buffer) {
            need(r, kernc_buffer_create(r->context, a->size, NULL, &r->buffers[i]), "buffer");
            r->args[i] = kernc_arg_buffer(NULL, r->buffers[i]);
        } else {
            memcpy(&bits, a->bytes, a->size);
            r->args[i] = kernc_arg_bits(NULL, bits);
        }
    }
}

static double wall_seconds(const kernc_statistics *s)
{
    kernc_metrics m = {.size = sizeof m};
    kernc_statistics_metrics(s, &m);
    return m.seconds;
}

/* CPU seconds of one launch on fresh buffers; *wall (if not NULL) gets the wall seconds. */
static double launch(struct ready *r, struct bench_case *c, uint32_t threads, uint32_t flags, double *wall)
{
    bench_reset(c);
    for (unsigned i = 0; i < c->argc; i++)
        if (c->args[i].buffer)
            need(r, kernc_buffer_write(r->buffers[i], 0, c->args[i].bytes, c->args[i].size), "write");
    kernc_launch l = {.size = sizeof l,
                      .grid = {c->grid},
                      .block = {c->block},
                      .args = r->args,
                      .arg_count = c->argc,
                      .threads = threads,
                      .flags = flags};
    kernc_statistics *s = NULL;
    double start = bench_cpu_seconds();
    need(r, kernc_run(r->kernel, &l, &s), c->name);
    double seconds = bench_cpu_seconds() - start;
    if (wall != NULL)
        *wall = wall_seconds(s);
    kernc_statistics_free(s);
    return seconds;
}

static void check(struct ready *r, struct bench_case *c)
{
    bench_reset(c);
    c->plain(c);
    if (!bench_equal(c, kernc_buffer_map(r->buffers[0]))) {
        fprintf(stderr, "bench: %s: kernc's result differs from plain C's\n", c->name);
        failures++;
    }
}

/* The kernels have no races. */
static void check_alarms(struct ready *r, const struct bench_case *c)
{
    kernc_alarm a = {.size = sizeof a};
    if (!kernc_alarm_at(r->context, 0, &a))
        return;
    fprintf(stderr, "bench: %s: line %u: %s\n", c->name, a.line, a.text);
    failures++;
}

/* ---- peers and statistics ---------------------------------------------------------------------------- */

/* Median seconds from `bench_opencl` in the environment given, or NaN. */
static double ask_peer(const char *environment, const struct bench_case *c, int times)
{
    char command[256], verdict[32] = "";
    double seconds = NAN;
    snprintf(command, sizeof command, "%s %s %s %d 2>/dev/null", environment, getenv("BENCH_OPENCL"), c->name,
             times);
    FILE *p = getenv("BENCH_OPENCL") != NULL ? popen(command, "r") : NULL;
    if (p == NULL)
        return NAN;
    if (fscanf(p, "%lf %31s", &seconds, verdict) != 2)
        seconds = NAN;
    pclose(p);
    if (strcmp(verdict, "DIFFERENT") == 0)
        fprintf(stderr, "bench: note: %s: the peer's result differs from plain C's\n", c->name);
    return seconds;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *x)
{
    qsort(x, (size_t)runs, sizeof *x, by_value);
    return x[runs / 2];
}

static double geomean(const double *x)
{
    double sum = 0;
    for (int i = 0; i < BENCH_CASES; i++)
        sum += log(x[i]);
    return exp(sum / BENCH_CASES);
}

/* ---- tables ------------------------------------------------------------------------------------------ */

enum column {
    PLAIN,
    KERNC,
    COUNTED,
    LEVEL0,
    CHECKED,
    ONE_THREAD,
    TWO_THREADS,
    POCL,
    OCLGRIND,
    OCLGRIND_RACES,
    COLUMNS
};
static const char *const column_names[COLUMNS] = {
    "plain C -O2",
    "kernc -O2",
    "kernc, statistics",
    "kernc -O0",
    "kernc, memory checked",
    "kernc, wall time",
    "kernc, 2 threads, wall time",
    "PoCL basic",
    "Oclgrind",
    "Oclgrind --data-races",
};
static double table[COLUMNS][BENCH_CASES];

/* All of kernc's columns and plain C in turn, so that the machine's moods touch them alike. */
static void measure(int k)
{
    struct bench_case *c = &bench_cases[k];
    struct ready fast = {0}, slow = {0}, checked = {0};
    double sample[COLUMNS][MOST_RUNS];
    compile(&fast, c, 2, NULL);
    compile(&slow, c, 0, NULL);
    compile(&checked, c, 2, "all");
    launch(&fast, c, 1, 0, NULL);
    check(&fast, c);
    launch(&slow, c, 1, 0, NULL);
    check(&slow, c);
    launch(&checked, c, 1, 0, NULL);
    check(&checked, c);
    check_alarms(&checked, c);
    for (int i = 0; i < runs; i++) {
        bench_reset(c);
        double start = bench_cpu_seconds();
        c->plain(c);
        sample[PLAIN][i] = bench_cpu_seconds() - start;
        sample[KERNC][i] = launch(&fast, c, 1, 0, &sample[ONE_THREAD][i]);
        sample[COUNTED][i] = launch(&fast, c, 1, KERNC_STATISTICS, NULL);
        sample[LEVEL0][i] = launch(&slow, c, 1, 0, NULL);
        sample[CHECKED][i] = launch(&checked, c, 1, 0, NULL);
        launch(&fast, c, 2, 0, &sample[TWO_THREADS][i]);
    }
    for (enum column x = PLAIN; x <= TWO_THREADS; x++)
        table[x][k] = median(sample[x]);
    table[POCL][k] = ask_peer("POCL_DEVICES=basic POCL_MAX_PTHREAD_COUNT=1", c, runs);
    table[OCLGRIND][k] = ask_peer("OCLGRIND_NUM_THREADS=1 oclgrind --num-threads 1", c, 1);
    table[OCLGRIND_RACES][k] = ask_peer("OCLGRIND_NUM_THREADS=1 oclgrind --data-races --num-threads 1", c, 1);
    kernc_context_free(fast.context);
    kernc_context_free(checked.context);
    kernc_context_free(slow.context);
    fprintf(stderr, "%s done\n", c->name);
}

static void print_times(void)
{
    printf("| ms |");
    for (int k = 0; k < BENCH_CASES; k++)
        printf(" %s %s |", bench_cases[k].name, bench_cases[k].what);
    printf("\n| --- |");
    for (int k = 0; k < BENCH_CASES; k++)
        printf(" ---: |");
    for (enum column x = 0; x < COLUMNS; x++) {
        printf("\n| %s |", column_names[x]);
        for (int k = 0; k < BENCH_CASES; k++)
            printf(isnan(table[x][k]) ? " absent |" : " %.3f |", 1e3 * table[x][k]);
    }
    printf("\n\n");
}

/* A row: over / under for each kernel, and their geometric mean beside the target. */
static void print_ratio(const char *name, enum column over, enum column under, const char *target)
{
    double ratio[BENCH_CASES];
    printf("| %s |", name);
    for (int k = 0; k < BENCH_CASES; k++) {
        ratio[k] = table[over][k] / table[under][k];
        printf(isnan(ratio[k]) ? " absent |" : " %.3g |", ratio[k]);
    }
    if (isnan(geomean(ratio)))
        printf(" | %s |\n", target);
    else
        printf(" %.3g | %s |\n", geomean(ratio), target);
}

/* Seconds to compile k2 and run it once, context and all. */
static double compile_and_run(void)
{
    double sample[MOST_RUNS];
    for (int i = 0; i < runs; i++) {
        struct ready r = {0};
        double start = bench_cpu_seconds();
        compile(&r, &bench_cases[1], 2, NULL);
        launch(&r, &bench_cases[1], 1, 0, NULL);
        sample[i] = bench_cpu_seconds() - start;
        kernc_context_free(r.context);
    }
    return median(sample);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        runs = atoi(argv[1]);
    if (runs < 1 || runs > MOST_RUNS) {
        fprintf(stderr, "usage: bench [RUNS 1..%d]\n", MOST_RUNS);
        return 64;
    }
    bench_setup();
    for (int k = 0; k < BENCH_CASES; k++)
        measure(k);
    print_times();
    printf("| ratio | k1 | k2 | k3 | k4 | k5 | k6 | geometric mean | target |\n");
    printf("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |\n");
    print_ratio("T1 Oclgrind / kernc with statistics", OCLGRIND, COUNTED, ">= 500, each >= 200");
    print_ratio("T2 kernc / PoCL", KERNC, POCL, "<= 1.25; k2, k3 <= 0.75; k4, k5 <= 2; k1 <= 4");
    print_ratio("T4 -O0 / -O2", LEVEL0, KERNC, ">= 1.3");
    print_ratio("T9 one thread / two", ONE_THREAD, TWO_THREADS, ">= 1.8 on a large grid");
    print_ratio("statistics / plain", COUNTED, KERNC, "");
    print_ratio("kernc / plain C", KERNC, PLAIN, "");
    print_ratio("memory checked / plain", CHECKED, KERNC, "each <= 12");
    print_ratio("Oclgrind --data-races / memory checked", OCLGRIND_RACES, CHECKED, "each >= 30");
    printf("\nT8: compile and run k2 in one process: %.1f ms (target <= 40)\n", 1e3 * compile_and_run());
    return failures != 0;
}
