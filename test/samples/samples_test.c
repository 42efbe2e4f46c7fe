/* samples_test.c: every sample gives the bits of its plain-C reference, at every warp width and -O level, and
 * on the warp-core machine in both of its sound modes.
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
    const char *outputs[4];                /* buffers, in the order of the reference's bytes */
    void *(*reference)(size_t *n);
    const char *options;                   /* a smaller launch than the file's own; NULL: none */
};

static const struct sample samples[] = {
    { "saxpy", { "y" }, reference_saxpy, NULL },
    { "matmul", { "c" }, reference_matmul, NULL },
    { "reduce", { "total" }, reference_reduce, NULL },
    { "scan", { "out" }, reference_scan, NULL },
    { "histogram", { "bins" }, reference_histogram, NULL },
    { "nbody", { "ax", "ay", "az" }, reference_nbody, NULL },
    { "bitonic", { "data" }, reference_bitonic, NULL },
    { "sobel", { "edges" }, reference_sobel, NULL },
    { "mandelbrot", { "image" }, reference_mandelbrot,
      "--arg 'image=zeros(19200)' --arg width=160 --arg height=120 --grid=10" },
    { "pathtracer", { "image" }, reference_pathtracer,
      "--arg 'image=zeros(5184)' --arg width=48 --arg height=36 --grid=14" },
};
static const char *const machines[] = {
    "--warp=1", "--warp=4", "--warp=8", "--warp=32", "--warp=64",
    "--target=warp-core --divergence=rpc", "--target=warp-core --divergence=source-pc",
};

static char directory[] = "/tmp/kernc-samples-XXXXXX";

/* Runs the sample and gathers the saved buffers' bytes in t. */
static void run_sample(const struct sample *s, const char *machine, int level, struct text *t)
{
    const char *kernc = getenv("KERNC");
    struct text command = { 0 };
    text_printf(&command, "%s run samples/%s.kern -w %s -O%d --no-outputs", kernc ? kernc : "./kernc",
                s->name, machine, level);
    text_printf(&command, " %s", s->options != NULL ? s->options : "");
    for (int i = 0; i < 4 && s->outputs[i] != NULL; i++)
        text_printf(&command, " --save %s=%s/%d.bin", s->outputs[i], directory, i);
    text_printf(&command, " >/dev/null");
    if (system(command.at) != 0)
        fail_msg("failed: %s", command.at);
    text_free(&command);
    for (int i = 0; i < 4 && s->outputs[i] != NULL; i++) {
        char path[64];
        snprintf(path, sizeof path, "%s/%d.bin", directory, i);
        struct text part = { 0 };
        const char *why = file_read(path, (size_t)1 << 30, &part);
        if (why != NULL)
            fail_msg("%s: %s", path, why);
        text_add(t, part.at, part.length);
        text_free(&part);
        unlink(path);
    }
}

static void equals_reference(void **state)
{
    const struct sample *s = *state;
    size_t n = 0;
    void *expected = s->reference(&n);
    for (size_t w = 0; w < COUNT(machines); w++)
        for (int level = 0; level <= 2; level++) {
            struct text got = { 0 };
            run_sample(s, machines[w], level, &got);
            if (got.length != n)
                fail_msg("%s with %s -O%d: %zu bytes, not %zu", s->name, machines[w], level, got.length, n);
            for (size_t i = 0; i < n; i++)
                if (got.at[i] != ((char *)expected)[i])
                    fail_msg("%s with %s -O%d: byte %zu differs", s->name, machines[w], level, i);
            text_free(&got);
        }
    mem_free(expected);
}

int main(void)
{
    if (mkdtemp(directory) == NULL)
        return 1;
    struct CMUnitTest tests[COUNT(samples)];
    for (size_t i = 0; i < COUNT(samples); i++)
        tests[i] = (struct CMUnitTest){ samples[i].name, equals_reference, NULL, NULL, (void *)&samples[i] };
    int failed = _cmocka_run_group_tests("samples", tests, COUNT(samples), NULL, NULL);
    rmdir(directory);
    return failed != 0;
}
