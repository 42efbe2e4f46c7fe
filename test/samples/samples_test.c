/* samples_test.c: every sample gives the bits of its plain-C reference, at every warp width and -O level, under
 * convergence barriers, at thread frontiers with either machine, structured, under the oracle, and on the
 * warp-core machine in its sound modes unless it computes with doubles. No barrier is given up, and frontiers
 * execute no more than pdom and struct. Each machine runs a sample at -O2 and at one of the other levels, which
 * take turns; sanitizers ($KERNC_TEST_PATIENCE) have time for every other machine and -O2 alone.
 *
 * Runs the program named by $KERNC (default ./kernc) from the root of the project.
 */
#include "base/base.h"
#include "test/samples/reference.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

struct sample {
    const char *name;
    const char *outputs[4]; /* buffers, in the order of the reference's bytes */
    void *(*reference)(size_t *n);
    const char *options; /* a smaller launch than the file's own; NULL: none */
    bool has_doubles;    /* so no warp-core machine runs it */
};

static const struct sample samples[] = {
    {"saxpy", {"y"}, reference_saxpy, NULL, false},
    {"matmul", {"c"}, reference_matmul, NULL, false},
    {"reduce", {"total"}, reference_reduce, NULL, false},
    {"scan", {"out"}, reference_scan, NULL, false},
    {"histogram", {"bins"}, reference_histogram, NULL, false},
    {"nbody", {"ax", "ay", "az"}, reference_nbody, NULL, false},
    {"bitonic", {"data"}, reference_bitonic, NULL, false},
    {"bitonic", {"data"}, reference_bitonic_32, "--block=32 --grid=64", false},
    {"bitonic",
     {"data"},
     reference_bitonic_32_reversed,
     "--block=32 --grid=64 --arg 'data=ramp(2047, 0, 2048)'",
     false},
    {"bitonic", {"data"}, reference_bitonic_128, "--block=128 --grid=16", false},
    {"bitonic", {"data"}, reference_bitonic_reversed, "--arg 'data=ramp(2047, 0, 2048)'", false},
    {"collatz", {"steps"}, reference_collatz, NULL, false},
    {"sobel", {"edges"}, reference_sobel, NULL, false},
    {"mandelbrot",
     {"image"},
     reference_mandelbrot,
     "--arg 'image=zeros(19200)' --arg width=160 --arg height=120 --grid=10",
     false},
    {"pathtracer",
     {"image"},
     reference_pathtracer,
     "--arg 'image=zeros(5184)' --arg width=48 --arg height=36 --grid=14",
     false},
    {"rsbench", {"out"}, reference_rsbench, "--arg 'out=zeros(384)' --arg tasks=2 --grid=1", false},
    {"xsbench",
     {"out", "largest"},
     reference_xsbench,
     "--arg 'out=zeros(640)' --arg 'largest=zeros(128)' --arg tasks=4 --grid=1",
     true},
    {"mcb",
     {"out", "events"},
     reference_mcb,
     "--arg 'out=zeros(512)' --arg 'events=zeros(512)' --arg particles=16 --grid=2",
     false},
    {"iterdelay", {"out"}, reference_iterdelay, NULL, false},
    {"anyhit", {"out"}, reference_anyhit, "--arg rays=8 --arg cost=150", false},
    {"mcgpu", {"dose", "image"}, reference_mcgpu, "--arg photons=3", false},
    {"gpumcml", {"absorbed", "escaped"}, reference_gpumcml, "--arg packets=64", false},
    {"md5",
     {"key", "least"},
     reference_md5,
     "--arg 'key=zeros(256)' --arg 'least=zeros(256)' --arg tasks=4 --grid=2",
     false},
    {"commoncall", {"out"}, reference_commoncall, NULL, false},
    {"shortcircuit", {"out"}, reference_shortcircuit, "--arg rounds=4", false},
    {"splitmerge", {"out"}, reference_splitmerge, NULL, false},
    {"exceptions", {"out"}, reference_in_call, "--kernel=in_call", false},
    {"exceptions", {"out"}, reference_in_loop, "--kernel=in_loop", false},
    {"exceptions", {"out"}, reference_in_condition, "--kernel=in_condition", false},
    {"mummer", {"out"}, reference_mummer, NULL, false},
    {"pathfind", {"out"}, reference_pathfind, "--arg agents=1", false},
    {"photon", {"dose", "out"}, reference_photon, "--arg photons=2", false},
    {"mcx", {"fluence", "out"}, reference_mcx, "--arg photons=1", false},
    {"bgsub", {"image"}, reference_bgsub, "--arg 'image=zeros(1536)' --arg width=32 --grid=12", false},
    {"raytrace",
     {"image"},
     reference_raytrace,
     "--arg 'image=zeros(1536)' --arg width=48 --arg height=32 --grid=12",
     false},
    {"csc_hoist", {"out"}, reference_csc_hoist, NULL, false},
    {"csc_sink", {"out"}, reference_csc_sink, NULL, false},
    {"csc_split", {"out"}, reference_csc_split, NULL, false},
    {"csc_rename", {"out"}, reference_csc_rename, NULL, false},
    {"csc_switch", {"out"}, reference_csc_ways4, "--kernel=ways4", false},
    {"csc_switch", {"out"}, reference_csc_ways8, "--kernel=ways8", false},
    {"csc_loads", {"out"}, reference_csc_same, "--kernel=same", false},
    {"csc_loads", {"out"}, reference_csc_apart, "--kernel=apart", false},
    {"csc_loads", {"out"}, reference_csc_ways, "--kernel=ways", false},
    {"convops", {"out"}, reference_reductions, "--kernel=reductions", false},
    {"convops", {"out"}, reference_append, "--kernel=append", false},
    {"convops", {"left", "stayed"}, reference_breaks, "--kernel=breaks", false},
    {"convops", {"out"}, reference_threaded, "--kernel=threaded", false},
    {"bfs", {"distance"}, reference_bfs, NULL, false},
    {"kmeans", {"cx", "cy", "cluster"}, reference_kmeans, NULL, false},
    {"radix", {"keys", "values"}, reference_radix, NULL, false},
    {"inflate", {"text", "failed", "good"}, reference_inflate, NULL, false},
    {"sha256", {"nonce", "hash"}, reference_sha256, NULL, false},
    {"sha256", {"nonce", "hash"}, reference_sha256_short, "-D BITS=8 -D START=0 -D THREADS=64", false},
    {"fft", {"re", "im", "row_re", "row_im"}, reference_fft, NULL, false},
};
enum { WARP_CORES = 3 }; /* the last of the machines */
static const char *const machines[] = {
    "--warp=1",
    "--warp=4",
    "--warp=8",
    "--warp=32",
    "--warp=64",
    "--scheme=barrier",
    "--scheme=barrier --warp=64",
    "--scheme=tf-stack",
    "--scheme=tf-sandy",
    "--scheme=struct",
    "--scheme=oracle",
    "--target=warp-core --divergence=rpc",
    "--target=warp-core --divergence=source-pc",
    "--target=warp-core --divergence=frontier",
};

static char directory[] = "/tmp/kernc-samples-XXXXXX";

/* Runs the sample and gathers the saved buffers' bytes in t. */
static void run_sample(const struct sample *s, const char *machine, int level, struct text *t)
{
    const char *kernc = getenv("KERNC");
    struct text command = {0};
    text_printf(&command, "%s run samples/%s.kern -w %s -O%d --no-outputs", kernc ? kernc : "./kernc",
                s->name, machine, level);
    text_printf(&command, " %s", s->options != NULL ? s->options : "");
    for (int i = 0; i < 4 && s->outputs[i] != NULL; i++)
        text_printf(&command, " --save %s=%s/%d.bin", s->outputs[i], directory, i);
    text_printf(&command, " --stats-json=%s/stats >/dev/null", directory);
    if (system(command.at) != 0)
        fail_msg("failed: %s", command.at);
    text_free(&command);
    for (int i = 0; i < 4 && s->outputs[i] != NULL; i++) {
        char path[64];
        snprintf(path, sizeof path, "%s/%d.bin", directory, i);
        struct text part = {0};
        const char *why = file_read(path, (size_t)1 << 30, &part);
        if (why != NULL)
            fail_msg("%s: %s", path, why);
        text_add(t, part.at, part.length);
        text_free(&part);
        unlink(path);
    }
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

/* Checks the mix of the latest run; its metric of this name. */
static uint64_t metric(const char *machine, const char *name)
{
    struct text stats = read_stats();
    const char *at = stats.at;
    uint64_t value = next_number(&at, name);
    check_mix(machine, stats.at, "warp_instructions");
    check_mix(machine, stats.at, "thread_instructions");
    text_free(&stats);
    return value;
}

/* Whether sample number i runs on machine w at this level. */
static bool has_its_turn(size_t i, size_t w, int level)
{
    bool odd = (i + w) % 2;
    if (getenv("KERNC_TEST_PATIENCE") != NULL)
        return level == 2 && odd;
    return level == 2 || level == odd;
}

static void equals_reference(void **state)
{
    const struct sample *s = *state;
    size_t n = 0;
    void *expected = s->reference(&n);
    for (size_t w = 0; w < COUNT(machines) - (s->has_doubles ? WARP_CORES : 0); w++)
        for (int level = 0; level <= 2; level++) {
            if (!has_its_turn((size_t)(s - samples), w, level))
                continue;
            struct text got = {0};
            run_sample(s, machines[w], level, &got);
            if (metric(machines[w], "yields") != 0)
                fail_msg("%s: yields are not 0", machines[w]);
            if (got.length != n)
                fail_msg("%s with %s -O%d: %zu bytes, not %zu", s->name, machines[w], level, got.length, n);
            for (size_t i = 0; i < n; i++)
                if (got.at[i] != ((char *)expected)[i])
                    fail_msg("%s with %s -O%d: byte %zu differs", s->name, machines[w], level, i);
            text_free(&got);
        }
    mem_free(expected);
}

static uint64_t executed(const struct sample *s, const char *machine)
{
    struct text bytes = {0};
    run_sample(s, machine, 2, &bytes);
    text_free(&bytes);
    return metric(machine, "warp_instructions");
}

/* At thread frontiers a warp executes at most 1.02 times the instructions of the better of pdom and struct. */
static void frontiers_lose_nothing(void **state)
{
    const struct sample *s = *state;
    uint64_t pdom = executed(s, "--scheme=pdom"), structured = executed(s, "--scheme=struct");
    uint64_t frontiers = executed(s, "--scheme=tf-stack"), best = pdom < structured ? pdom : structured;
    if ((double)frontiers > 1.02 * (double)best)
        fail_msg("%s: tf-stack executes %llu, pdom %llu, struct %llu", s->name, (unsigned long long)frontiers,
                 (unsigned long long)pdom, (unsigned long long)structured);
}

int main(void)
{
    if (mkdtemp(directory) == NULL)
        return 1;
    struct CMUnitTest tests[2 * COUNT(samples)];
    for (size_t i = 0; i < COUNT(samples); i++) {
        void *s = (void *)&samples[i];
        tests[2 * i] = (struct CMUnitTest){samples[i].name, equals_reference, NULL, NULL, s};
        tests[2 * i + 1] =
            (struct CMUnitTest){"frontiers lose nothing", frontiers_lose_nothing, NULL, NULL, s};
    }
    int failed = _cmocka_run_group_tests("samples", tests, COUNT(tests), NULL, NULL);
    rmdir(directory);
    return failed != 0;
}
