/* samples_test.c: samples give the bits of their plain-C references under every scheme and warp width, and on
 * the warp-core machine in its sound modes unless they compute with doubles. No barrier is given up, frontiers
 * execute no more than pdom and struct, and no launch takes more core cycles at -O2 than at -O1. A sample runs
 * at -O2 on the machines whose counts are compared, and, by turns, on half of the other schemes and warp
 * widths; on one of warp-core's at -O1 too; at the other levels every sixteenth machine runs it, by turns.
 * Sanitizers ($KERNC_TEST_PATIENCE) have time for every other machine and -O2 alone.
 *
 * Runs kernc's main in a child of its own each time, from the root of the project.
 */
#include "base/base.h"
#include "base/scheme.h"
#include "test/samples/reference.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { MOST_WORDS = 9, MOST_LAUNCHES = 256 };
int kernc_main(int argc, char **argv);

struct sample {
    const char *name;
    const char *outputs[4]; /* buffers, in the order of the reference's bytes */
    void *(*reference)(size_t *n);
    const char *options[MOST_WORDS]; /* a smaller launch than the file's own */
    bool has_doubles;                /* so no warp-core machine runs it */
};

static const struct sample samples[] = {
    {"saxpy", {"y"}, reference_saxpy, {0}, false},
    {"matmul", {"c"}, reference_matmul, {0}, false},
    {"reduce", {"total"}, reference_reduce, {0}, false},
    {"scan", {"out"}, reference_scan, {0}, false},
    {"histogram", {"bins"}, reference_histogram, {0}, false},
    {"nbody",
     {"ax", "ay", "az"},
     reference_nbody,
     {"--arg=ax=zeros(256)", "--arg=ay=zeros(256)", "--arg=az=zeros(256)", "--arg=x=random(256, 1, -1, 1)",
      "--arg=y=random(256, 2, -1, 1)", "--arg=z=random(256, 3, -1, 1)", "--arg=mass=random(256, 4, 0.5, 2)",
      "--arg=n=256", "--grid=2"},
     false},
    {"bitonic", {"data"}, reference_bitonic, {0}, false},
    {"bitonic", {"data"}, reference_bitonic_32, {"--block=32", "--grid=64"}, false},
    {"bitonic",
     {"data"},
     reference_bitonic_32_reversed,
     {"--block=32", "--grid=64", "--arg=data=ramp(2047, 0, 2048)"},
     false},
    {"bitonic", {"data"}, reference_bitonic_128, {"--block=128", "--grid=16"}, false},
    {"bitonic", {"data"}, reference_bitonic_reversed, {"--arg=data=ramp(2047, 0, 2048)"}, false},
    {"collatz", {"steps"}, reference_collatz, {0}, false},
    {"sobel", {"edges"}, reference_sobel, {0}, false},
    {"mandelbrot",
     {"image"},
     reference_mandelbrot,
     {"--arg=image=zeros(4800)", "--arg=width=80", "--arg=height=60", "--grid=3"},
     false},
    {"pathtracer",
     {"image"},
     reference_pathtracer,
     {"--arg=image=zeros(576)", "--arg=width=16", "--arg=height=12", "--grid=2"},
     false},
    {"rsbench", {"out"}, reference_rsbench, {"--arg=out=zeros(384)", "--arg=tasks=1", "--grid=1"}, false},
    {"xsbench",
     {"out", "largest"},
     reference_xsbench,
     {"-DSEARCH=13", "--arg=out=zeros(640)", "--arg=largest=zeros(128)", "--arg=tasks=2", "--grid=1"},
     true},
    {"mcb",
     {"out", "events"},
     reference_mcb,
     {"--arg=out=zeros(512)", "--arg=events=zeros(512)", "--arg=particles=16", "--grid=2"},
     false},
    {"iterdelay", {"out"}, reference_iterdelay, {"--arg=out=zeros(512)", "--grid=4"}, false},
    {"anyhit",
     {"out"},
     reference_anyhit,
     {"--arg=out=zeros(256)", "--arg=rays=8", "--arg=cost=150", "--grid=2"},
     false},
    {"mcgpu", {"dose", "image"}, reference_mcgpu, {"--arg=photons=3"}, false},
    {"gpumcml", {"absorbed", "escaped"}, reference_gpumcml, {"--arg=packets=64"}, false},
    {"md5",
     {"key", "least"},
     reference_md5,
     {"--arg=key=zeros(256)", "--arg=least=zeros(256)", "--arg=tasks=4", "--grid=2"},
     false},
    {"commoncall", {"out"}, reference_commoncall, {"--arg=out=zeros(256)", "--grid=2"}, false},
    {"shortcircuit", {"out"}, reference_shortcircuit, {"--arg=rounds=4"}, false},
    {"splitmerge", {"out"}, reference_splitmerge, {0}, false},
    {"exceptions", {"out"}, reference_in_call, {"--kernel=in_call"}, false},
    {"exceptions", {"out"}, reference_in_loop, {"--kernel=in_loop"}, false},
    {"exceptions", {"out"}, reference_in_condition, {"--kernel=in_condition"}, false},
    {"mummer", {"out"}, reference_mummer, {0}, false},
    {"pathfind", {"out"}, reference_pathfind, {"--arg=out=zeros(256)", "--arg=agents=1", "--grid=2"}, false},
    {"photon",
     {"dose", "out"},
     reference_photon,
     {"--arg=out=zeros(256)", "--arg=photons=2", "--grid=2"},
     false},
    {"mcx",
     {"fluence", "out"},
     reference_mcx,
     {"--arg=out=zeros(256)", "--arg=photons=1", "--grid=2"},
     false},
    {"bgsub", {"image"}, reference_bgsub, {"--arg=image=zeros(1536)", "--arg=width=32", "--grid=12"}, false},
    {"raytrace",
     {"image"},
     reference_raytrace,
     {"--arg=image=zeros(768)", "--arg=width=32", "--arg=height=24", "--grid=6"},
     false},
    {"csc_hoist", {"out"}, reference_csc_hoist, {0}, false},
    {"csc_sink", {"out"}, reference_csc_sink, {0}, false},
    {"csc_split", {"out"}, reference_csc_split, {0}, false},
    {"csc_rename", {"out"}, reference_csc_rename, {0}, false},
    {"csc_switch", {"out"}, reference_csc_ways4, {"--kernel=ways4"}, false},
    {"csc_switch", {"out"}, reference_csc_ways8, {"--kernel=ways8"}, false},
    {"csc_loads", {"out"}, reference_csc_same, {"--kernel=same"}, false},
    {"csc_loads", {"out"}, reference_csc_apart, {"--kernel=apart"}, false},
    {"csc_loads", {"out"}, reference_csc_ways, {"--kernel=ways"}, false},
    {"convops", {"out"}, reference_reductions, {"--kernel=reductions"}, false},
    {"convops", {"out"}, reference_append, {"--kernel=append"}, false},
    {"convops", {"left", "stayed"}, reference_breaks, {"--kernel=breaks"}, false},
    {"convops", {"out"}, reference_threaded, {"--kernel=threaded"}, false},
    {"bfs", {"distance"}, reference_bfs, {0}, false},
    {"kmeans", {"cx", "cy", "cluster"}, reference_kmeans, {0}, false},
    {"radix", {"keys", "values"}, reference_radix, {0}, false},
    {"inflate", {"text", "failed", "good"}, reference_inflate, {0}, false},
    {"sha256", {"nonce", "hash"}, reference_sha256, {0}, false},
    {"sha256", {"nonce", "hash"}, reference_sha256_short, {"-DBITS=8", "-DSTART=0", "-DTHREADS=64"}, false},
    {"fft", {"re", "im", "row_re", "row_im"}, reference_fft, {0}, false},
};

static const struct machine {
    const char *words[2];
    unsigned lacks; /* enum target_lack */
    bool unsound;   /* its results may be wrong */
} machines[] = {
    {{"--warp=1"}, 0, false},
    {{"--warp=4"}, 0, false},
    {{"--warp=8"}, 0, false},
    {{"--warp=64"}, 0, false},
    {{"--scheme=barrier", "--warp=64"}, 0, false},
#define LACKS_bytecode  0
#define LACKS_warp_core TARGET_NO_DOUBLE
#define SCHEME(id, name, target, machine, lowering, properties, meaning)                                     \
    {{"--scheme=" name}, LACKS_##target, ((properties)&SCHEME_UNSOUND) != 0},
#include "base/schemes.def"
};

static char directory[] = "/tmp/kernc-samples-XXXXXX";

static void add_words(struct arena *a, const char *const *words, size_t n, char **argv, int *argc)
{
    for (size_t i = 0; i < n && words[i] != NULL; i++)
        argv[(*argc)++] = arena_printf(a, "%s", words[i]);
}

/* Runs the sample and gathers the saved buffers' bytes in t. */
static void run_sample(const struct sample *s, const struct machine *m, int level, struct text *t)
{
    struct arena a = {0};
    int argc = 0, status = 0;
    char *argv[24] = {"kernc", "run", "-w", "--no-outputs"};
    while (argv[argc] != NULL)
        argc++;
    argv[argc++] = arena_printf(&a, "samples/%s.kern", s->name);
    argv[argc++] = arena_printf(&a, "-O%d", level);
    argv[argc++] = arena_printf(&a, "--stats-json=%s/stats", directory);
    add_words(&a, m->words, COUNT(m->words), argv, &argc);
    add_words(&a, s->options, COUNT(s->options), argv, &argc);
    for (int i = 0; i < 4 && s->outputs[i] != NULL; i++)
        argv[argc++] = arena_printf(&a, "--save=%s=%s/%d.bin", s->outputs[i], directory, i);
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        if (freopen("/dev/null", "w", stdout) == NULL)
            _exit(127);
        _exit(kernc_main(argc, argv));
    }
    if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0)
        fail_msg("failed: %s on %s at -O%d", s->name, m->words[0], level);
    for (int i = 0; i < 4 && s->outputs[i] != NULL; i++) {
        const char *path = arena_printf(&a, "%s/%d.bin", directory, i);
        struct text part = {0};
        const char *why = file_read(path, (size_t)1 << 30, &part);
        if (why != NULL)
            fail_msg("%s: %s", path, why);
        text_add(t, part.at, part.length);
        text_free(&part);
        unlink(path);
    }
    arena_free(&a);
}

/* The JSON of the latest run, which is read once. */
static struct text read_stats(void)
{
    char path[64];
    snprintf(path, sizeof path, "%s/stats", directory);
    struct text stats = {0};
    const char *why = file_read(path, (size_t)1 << 30, &stats);
    if (why != NULL)
        fail_msg("%s: %s", path, why);
    text_add(&stats, "", 1);
    unlink(path);
    return stats;
}

/* The number of the next member of this name from *at on, which moves behind it. */
static uint64_t next_number(const char **at, const char *name)
{
    struct text key = {0};
    text_printf(&key, "\"%s\": ", name);
    const char *found = strstr(*at, key.at);
    if (found == NULL)
        fail_msg("no %s", name);
    *at = found + key.length;
    text_free(&key);
    return strtoull(*at, NULL, 10);
}

/* The instructions of all classes are those of the run. */
static void check_mix(const char *machine, const char *stats, const char *name)
{
    const char *at = stats, *begin = strstr(stats, "\"instruction_mix\": {");
    const char *end = begin != NULL ? strstr(begin, "}}") : NULL;
    uint64_t all = next_number(&at, name), sum = 0;
    if (end == NULL)
        fail_msg("%s: no instruction mix", machine);
    for (at = begin; at < end && strstr(at, name) != NULL && strstr(at, name) < end;)
        sum += next_number(&at, name);
    if (sum != all)
        fail_msg("%s: classes have %llu %s of %llu", machine, (unsigned long long)sum, name,
                 (unsigned long long)all);
}

/* What a run has counted. */
struct counts {
    uint64_t warp_instructions; /* of the first launch */
    uint32_t launches;
    uint64_t core_cycles[MOST_LAUNCHES];
};

/* Checks the statistics of the latest run. */
static void check_stats(const char *machine, struct counts *c)
{
    struct text stats = read_stats();
    const char *at = stats.at;
    c->warp_instructions = next_number(&at, "warp_instructions");
    c->launches = 0;
    for (at = stats.at; strstr(at, "\"core_cycles\": ") != NULL;) {
        if (c->launches == MOST_LAUNCHES)
            fail_msg("%s: too many launches", machine);
        c->core_cycles[c->launches++] = next_number(&at, "core_cycles");
    }
    at = stats.at;
    if (next_number(&at, "yields") != 0)
        fail_msg("%s: yields are not 0", machine);
    check_mix(machine, stats.at, "warp_instructions");
    check_mix(machine, stats.at, "thread_instructions");
    text_free(&stats);
}

static bool sanitized(void)
{
    return getenv("KERNC_TEST_PATIENCE") != NULL;
}

static bool is_warp_core(const struct machine *m)
{
    return m->lacks & TARGET_NO_DOUBLE;
}

/* Of warp-core's modes each sample shows in one that -O2 takes no more cycles than -O1. */
static bool shows_levels(size_t i, size_t w)
{
    return is_warp_core(&machines[w]) && (i + w) % 3 == 0;
}

/* Whether the machine's counts are held against those of others. */
static bool is_compared(const struct machine *m)
{
    return strcmp(m->words[0], "--scheme=tf-stack") == 0 || strcmp(m->words[0], "--scheme=pdom") == 0 ||
           strcmp(m->words[0], "--scheme=struct") == 0 || is_warp_core(m);
}

/* Whether sample number i runs on machine w at this level. Each runs on every other machine, and on those whose
 * counts are compared. */
static bool has_its_turn(size_t i, size_t w, int level)
{
    if (sanitized())
        return level == 2 && (i + w) % 2;
    if (level == 2)
        return is_compared(&machines[w]) || (i + w) % 2 == 0;
    return (level == 1 && shows_levels(i, w)) || (i + w) % 16 == (size_t)level;
}

static void run_and_compare(const struct sample *s, const struct machine *m, int level, const char *expected,
                            size_t n, struct counts *c)
{
    struct text got = {0};
    run_sample(s, m, level, &got);
    check_stats(m->words[0], c);
    if (got.length != n)
        fail_msg("%s with %s -O%d: %zu bytes, not %zu", s->name, m->words[0], level, got.length, n);
    for (size_t i = 0; i < n; i++)
        if (got.at[i] != expected[i])
            fail_msg("%s with %s -O%d: byte %zu differs", s->name, m->words[0], level, i);
    text_free(&got);
}

/* At thread frontiers a warp executes at most 1.02 times the instructions of the better of pdom and struct.
 * `counts`: by machine, at -O2. */
static void frontiers_lose_nothing(const struct sample *s, const struct counts *counts)
{
    uint64_t best = UINT64_MAX, frontiers = 0;
    for (size_t w = 0; w < COUNT(machines); w++) {
        const char *machine = machines[w].words[0];
        if (strcmp(machine, "--scheme=tf-stack") == 0)
            frontiers = counts[w].warp_instructions;
        if (strcmp(machine, "--scheme=pdom") == 0 || strcmp(machine, "--scheme=struct") == 0)
            best = counts[w].warp_instructions < best ? counts[w].warp_instructions : best;
    }
    if ((double)frontiers > 1.02 * (double)best)
        fail_msg("%s: tf-stack executes %llu, the better of pdom and struct %llu", s->name,
                 (unsigned long long)frontiers, (unsigned long long)best);
}

/* At -O2 (`now`) no launch takes more cycles of warp-core than at -O1. */
static void levels_lose_nothing(const struct sample *s, const struct machine *m, const struct counts *before,
                                const struct counts *now)
{
    if (before->launches != now->launches)
        fail_msg("%s with %s: other launches at -O2", s->name, m->words[0]);
    for (uint32_t i = 0; i < now->launches; i++)
        if (now->core_cycles[i] > before->core_cycles[i])
            fail_msg("%s with %s, launch %u: %llu core cycles at -O2, %llu at -O1", s->name, m->words[0], i,
                     (unsigned long long)now->core_cycles[i], (unsigned long long)before->core_cycles[i]);
}

static void equals_reference(void **state)
{
    const struct sample *s = *state;
    size_t n = 0;
    struct counts lower, counts[COUNT(machines)] = {0};
    void *expected = s->reference(&n);
    for (size_t w = 0; w < COUNT(machines); w++) {
        if (machines[w].unsound || (s->has_doubles && is_warp_core(&machines[w])))
            continue;
        for (int level = 0; level <= 2; level++)
            if (has_its_turn((size_t)(s - samples), w, level))
                run_and_compare(s, &machines[w], level, expected, n, level == 2 ? &counts[w] : &lower);
        if (!sanitized() && shows_levels((size_t)(s - samples), w))
            levels_lose_nothing(s, &machines[w], &lower, &counts[w]);
    }
    if (!sanitized())
        frontiers_lose_nothing(s, counts);
    mem_free(expected);
}

int main(void)
{
    if (mkdtemp(directory) == NULL)
        return 1;
    struct CMUnitTest tests[COUNT(samples)];
    for (size_t i = 0; i < COUNT(samples); i++)
        tests[i] = (struct CMUnitTest){samples[i].name, equals_reference, NULL, NULL, (void *)&samples[i]};
    int failed = _cmocka_run_group_tests("samples", tests, COUNT(tests), NULL, NULL);
    rmdir(directory);
    return failed != 0;
}
