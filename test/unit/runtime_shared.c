/* runtime_shared.c: arrays in shared memory that a launch sizes, through the C interface. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "kernc.h"

static const char source[] =
    "kernel void turn(global int *p)\n"
    "{\n"
    "    shared int one;\n"
    "    shared int tile[];\n"
    "    one = 5;\n"
    "    tile[threadIdx.x] = p[threadIdx.x];\n"
    "    barrier();\n"
    "    p[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x] + one;\n"
    "}\n"
    "kernel void several(shared char *c, global int *p, shared int *words)\n"
    "{\n"
    "    shared long wide[];\n"
    "    int i = threadIdx.x;\n"
    "    c[i] = i; words[i] = i * 10; wide[i] = i * 100;\n"
    "    barrier();\n"
    "    i = blockDim.x - 1 - i;\n"
    "    p[threadIdx.x] = c[i] + words[i] + wide[i];\n"
    "}\n"
    "kernel void plain(global int *p) { shared int a[2]; a[0] = p[0]; p[1] = a[0]; }\n";
enum { THREADS = 48 };

static kernc_kernel *load(kernc_context *c, const char *scheme, const char *name)
{
    kernc_options o;
    kernc_module *m;
    kernc_kernel *k;
    size_t n;
    kernc_options_init(&o);
    o.scheme = scheme;
    kernc_result *r = kernc_compile("turn.kern", source, sizeof source - 1, &o);
    const char *bytes = kernc_result_text(r, KERNC_TEXT_BYTECODE, &n);
    assert_non_null(bytes);
    assert_int_equal(kernc_module_load(c, bytes, n, &m), KERNC_OK);
    assert_int_equal(kernc_module_kernel(m, name, &k), KERNC_OK);
    kernc_result_free(r);
    return k;
}

static kernc_status run(kernc_kernel *k, kernc_buffer *b, uint32_t shared)
{
    kernc_argument a = kernc_arg_buffer("p", b);
    kernc_launch l = {
        .size = sizeof l, .block = {THREADS}, .args = &a, .arg_count = 1, .threads = 2, .shared = shared};
    return kernc_run(k, &l, NULL);
}

static kernc_status run_sizes(kernc_kernel *k, kernc_buffer *b, const uint32_t *sizes, uint32_t count,
                              uint32_t shared)
{
    kernc_argument a = kernc_arg_buffer("p", b);
    kernc_launch l = {.size = sizeof l, .block = {THREADS}, .args = &a, .arg_count = 1, .shared = shared};
    l.shared_sizes = sizes;
    l.shared_count = count;
    return kernc_run(k, &l, NULL);
}

static void expect(const kernc_context *c, kernc_status got, kernc_status wanted, const char *text)
{
    assert_int_equal(got, wanted);
    assert_non_null(strstr(kernc_error_text(c), text));
}

static void sized_by_launches(void **state)
{
    static const char *const schemes[] = {"oracle", "pdom", "barrier", "tf-stack", "warp-core:rpc"};
    for (unsigned s = 0; s < sizeof schemes / sizeof *schemes; s++) {
        kernc_context *c;
        kernc_buffer *b;
        const char *name = NULL;
        assert_int_equal(kernc_context_create(NULL, &c), KERNC_OK);
        kernc_kernel *k = load(c, schemes[s], "turn");
        assert_int_equal(kernc_buffer_create(c, THREADS * 4, "p", &b), KERNC_OK);
        int *at = kernc_buffer_map(b);
        assert_int_equal(kernc_kernel_shared(k, &name), 4);
        assert_string_equal(name, "tile");
        for (uint32_t more = 0; more < 3; more++) {
            for (int i = 0; i < THREADS; i++)
                at[i] = i;
            assert_int_equal(run(k, b, THREADS + 1000 * more), KERNC_OK);
            for (int i = 0; i < THREADS; i++)
                assert_int_equal(at[i], THREADS - 1 - i + 5);
        }
        expect(c, run(k, b, THREADS - 1), KERNC_TRAP, "is out of bounds");
        expect(c, run(k, b, 0), KERNC_INVALID,
               "kernel turn: how many elements (of 4 bytes) its shared array tile");
        expect(c, run(k, b, 1 << 18), KERNC_LIMIT, "there are 1048576 (BC_MAX_SHARED)");
        assert_int_equal(run(k, b, (1 << 18) - 8), KERNC_OK); /* 32 bytes are before it */
        expect(c, run(k, b, UINT32_MAX), KERNC_LIMIT, "there are 1048576 (BC_MAX_SHARED)");
        kernc_context_free(c);
    }
}

static void kernels_without(void **state)
{
    kernc_context *c;
    kernc_buffer *b;
    const char *name = NULL;
    assert_int_equal(kernc_context_create(NULL, &c), KERNC_OK);
    kernc_kernel *k = load(c, "pdom", "plain");
    assert_int_equal(kernc_buffer_create(c, THREADS * 4, "p", &b), KERNC_OK);
    assert_int_equal(kernc_kernel_shared(k, &name), 0);
    assert_string_equal(name, "");
    assert_int_equal(kernc_kernel_shared(NULL, NULL), 0);
    expect(c, run(k, b, 3), KERNC_INVALID, "kernel plain has no shared array without a size");
    assert_int_equal(run(k, b, 0), KERNC_OK);
    kernc_context_free(c);
}

static void several_arrays(void **state)
{
    static const char *const schemes[] = {"oracle", "pdom", "warp-core:frontier"}, *const names[] = {
                                                                                       "c", "words", "wide"};
    static const uint32_t bytes[] = {1, 4, 8}, exact[] = {THREADS, THREADS, THREADS},
                          more[] = {1000, 77, THREADS};
    static const uint32_t none[] = {THREADS, 0, THREADS}, large[] = {THREADS, 1 << 18, THREADS};
    for (unsigned s = 0; s < sizeof schemes / sizeof *schemes; s++) {
        kernc_context *c;
        kernc_buffer *b;
        const char *name = NULL;
        assert_int_equal(kernc_context_create(NULL, &c), KERNC_OK);
        kernc_kernel *k = load(c, schemes[s], "several");
        assert_int_equal(kernc_buffer_create(c, THREADS * 4, "p", &b), KERNC_OK);
        const int *at = kernc_buffer_map(b);
        assert_int_equal(kernc_kernel_parameter_count(k), 1);
        for (uint32_t i = 0; i < 3; i++) {
            assert_int_equal(kernc_kernel_shared_array(k, i, &name), bytes[i]);
            assert_string_equal(name, names[i]);
        }
        assert_int_equal(kernc_kernel_shared_array(k, 3, &name), 0);
        assert_string_equal(name, "");
        assert_int_equal(run_sizes(k, b, exact, 3, 0), KERNC_OK);
        for (int i = 0; i < THREADS; i++)
            assert_int_equal(at[i], 111 * (THREADS - 1 - i));
        assert_int_equal(run_sizes(k, b, more, 3, 0), KERNC_OK);
        expect(c, run_sizes(k, b, (const uint32_t[]){THREADS, THREADS, THREADS - 1}, 3, 0), KERNC_TRAP,
               "is out of bounds");
        expect(c, run(k, b, 5), KERNC_INVALID, "how many elements (of 4 bytes) its shared array words");
        expect(c, run_sizes(k, b, exact, 2, 0), KERNC_INVALID, "its shared array wide");
        expect(c, run_sizes(k, b, none, 3, 0), KERNC_INVALID, "its shared array words");
        expect(c, run_sizes(k, b, more, 4, 0), KERNC_INVALID,
               "has 3 shared arrays without a size, and 4 sizes");
        expect(c, run_sizes(k, b, NULL, 3, 0), KERNC_INVALID, "no shared_sizes, but a count of 3");
        expect(c, run_sizes(k, b, exact, 3, 5), KERNC_INVALID, "by shared and by shared_sizes");
        expect(c, run_sizes(k, b, large, 3, 0), KERNC_LIMIT, "262144 elements of its shared array words");
        kernc_context_free(c);
    }
}

/* Of the memory that the context allows, the array takes its part. */
static void over_memory(void **state)
{
    kernc_context_options o = {.size = sizeof o, .max_memory = 400000};
    kernc_context *c;
    kernc_buffer *b;
    assert_int_equal(kernc_context_create(&o, &c), KERNC_OK);
    kernc_kernel *k = load(c, "pdom", "turn");
    assert_int_equal(kernc_buffer_create(c, THREADS * 4, "p", &b), KERNC_OK);
    expect(c, run(k, b, 100000), KERNC_LIMIT, "shared memory of 400032 bytes is over the limit of memory");
    assert_int_equal(run(k, b, 1000), KERNC_OK);
    kernc_context_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sized_by_launches),
        cmocka_unit_test(several_arrays),
        cmocka_unit_test(kernels_without),
        cmocka_unit_test(over_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
