/* denormals_test.c: lanes that do not count meet no denormal numbers, which many processors are slow on: the
 * benchmark kernels and the samples, in whose own lanes there are none, leave the processor's flags of them
 * clear. So do functions whose frames lie in the same place.
 */
#include "driver/driver.h"
#include "include/kernc-rt.h"
#include "include/kernc.h"
#include "test/bench/cases.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#if defined __SSE2__
#include <xmmintrin.h>

enum { DENORMAL_OR_UNDERFLOW = 0x02 | 0x10, CONTROL = 0x1f80 };

static char source[1 << 14];

static size_t read_source(const struct bench_case *c)
{
    char path[128];
    snprintf(path, sizeof path, "test/bench/kernels/%s.kern", c->file);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    size_t n = fread(source, 1, sizeof source, f);
    fclose(f);
    return n;
}

static kernc_kernel *compile(kernc_context *context, const struct bench_case *c, unsigned level)
{
    kernc_options o;
    kernc_module *m;
    kernc_kernel *k;
    size_t size;
    kernc_options_init(&o);
    o.level = level;
    kernc_result *r = kernc_compile(c->file, source, read_source(c), &o);
    const char *bytes = kernc_result_text(r, KERNC_TEXT_BYTECODE, &size);
    assert_int_equal(kernc_module_load(context, bytes, size, &m), KERNC_OK);
    assert_int_equal(kernc_module_kernel(m, c->name, &k), KERNC_OK);
    kernc_result_free(r);
    return k;
}

static kernc_argument argument(kernc_context *context, const struct bench_arg *a)
{
    kernc_buffer *b;
    uint64_t bits = 0;
    if (!a->buffer) {
        memcpy(&bits, a->bytes, a->size);
        return kernc_arg_bits(NULL, bits);
    }
    assert_int_equal(kernc_buffer_create(context, a->size, NULL, &b), KERNC_OK);
    assert_int_equal(kernc_buffer_write(b, 0, a->bytes, a->size), KERNC_OK);
    return kernc_arg_buffer(NULL, b);
}

/* Flags are a thread's own: one host thread runs the launch, this one. */
static unsigned flags_of_launch(struct bench_case *c, unsigned level, unsigned width)
{
    kernc_context *context;
    kernc_argument args[5];
    assert_int_equal(kernc_context_create(NULL, &context), KERNC_OK);
    kernc_kernel *k = compile(context, c, level);
    bench_reset(c);
    for (unsigned i = 0; i < c->argc; i++)
        args[i] = argument(context, &c->args[i]);
    kernc_launch l = {.size = sizeof l,
                      .grid = {c->grid},
                      .block = {c->block},
                      .args = args,
                      .arg_count = c->argc,
                      .threads = 1,
                      .warp = width};
    _mm_setcsr(CONTROL);
    assert_int_equal(kernc_run(k, &l, NULL), KERNC_OK);
    unsigned flags = _mm_getcsr() & DENORMAL_OR_UNDERFLOW;
    kernc_context_free(context);
    return flags;
}

static void no_denormals(void **state)
{
    (void)state;
    for (unsigned i = 0; i < BENCH_CASES; i++)
        for (unsigned level = 0; level <= 2; level += 2)
            for (unsigned width = 8; width <= 32; width *= 4)
                if (flags_of_launch(&bench_cases[i], level, width))
                    fail_msg("%s meets denormals at -O%u, warp %u", bench_cases[i].name, level, width);
}

/* Runs `kernc run` of a file in this process, and its launch in this thread. */
static unsigned flags_of_run(const char *path, const char *launch, unsigned level, unsigned width)
{
    char text[512], *argv[32];
    int argc = 0;
    struct command c = {0};
    snprintf(text, sizeof text, "kernc run %s --no-outputs --threads=1 -O%u --warp=%u %s", path, level, width,
             launch);
    for (char *word = strtok(text, " "); word; word = strtok(NULL, " "))
        argv[argc++] = word;
    optind = 0; /* getopt begins anew */
    assert_int_equal(command_parse(&c, argc, argv), EXIT_OK);
    _mm_setcsr(CONTROL);
    assert_int_equal(c.verb->run(&c), EXIT_OK);
    unsigned flags = _mm_getcsr() & DENORMAL_OR_UNDERFLOW;
    messages_end(&c);
    arena_free(&c.arena);
    return flags;
}

/* With launches smaller than the files' own where those take long; from this level on. Below it, lanes that
 * wait come to denormals by divisions of their own old floats. rsbench is left out: what its own lanes compute
 * underflows. */
static const struct {
    const char *path, *launch;
    unsigned level;
} files[] = {
    {"samples/saxpy.kern", "", 0},
    {"samples/matmul.kern", "", 0},
    {"samples/reduce.kern", "", 0},
    {"samples/scan.kern", "", 0},
    {"samples/histogram.kern", "", 0},
    {"samples/nbody.kern", "", 0},
    {"samples/bitonic.kern", "", 0},
    {"samples/sobel.kern", "", 0},
    {"samples/collatz.kern", "", 0},
    {"samples/anyhit.kern", "--grid=1 --arg rays=8", 0},
    {"samples/commoncall.kern", "--grid=2", 0},
    {"samples/csc_hoist.kern", "", 0},
    {"samples/csc_sink.kern", "", 0},
    {"samples/csc_split.kern", "", 0},
    {"samples/gpumcml.kern", "--arg packets=64", 2},
    {"samples/iterdelay.kern", "--grid=2", 0},
    {"samples/mcb.kern", "--grid=2 --arg particles=16", 0},
    {"samples/mcgpu.kern", "--arg photons=3", 2},
    {"samples/md5.kern", "--grid=2 --arg tasks=4", 0},
    {"samples/xsbench.kern", "--grid=1 -DSEARCH=13 --arg tasks=4", 0},
    {"samples/mandelbrot.kern", "--arg image=zeros(4096) --arg width=64 --arg height=64 --grid=2", 0},
    {"samples/pathtracer.kern", "--arg image=zeros(1296) --arg width=24 --arg height=18 --grid=4", 1},
    {"test/backend/run/frames.kern", "-fno-inline", 0},
};

static void files_meet_no_denormals(void **state)
{
    (void)state;
    for (unsigned i = 0; i < COUNT(files); i++)
        for (unsigned level = files[i].level; level <= 2; level += 2)
            for (unsigned width = 8; width <= 32; width *= 4)
                if (flags_of_run(files[i].path, files[i].launch, level, width))
                    fail_msg("%s meets denormals at -O%u, warp %u", files[i].path, level, width);
}
#else
static void files_meet_no_denormals(void **state)
{
    (void)state;
    skip();
}
static void no_denormals(void **state)
{
    (void)state;
    skip();
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_denormals),
                                       cmocka_unit_test(files_meet_no_denormals)};
    bench_setup();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
