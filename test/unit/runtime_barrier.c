/* Time slices under the scheme barrier: after how many a group that spins gives way, to whom, and that each
 * group keeps its scalars. A slice is RT_SLICE_INSTRUCTIONS long, and ends at the next block. */
#include "include/kernc.h"

#include "runtime/launch/grid.h"

#include <cmocka.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

enum { LANES = 32, WORDS = 64, PATIENCE = 64 };

static kernc_context *context;
static kernc_buffer *out;
static kernc_metrics metrics;

static int32_t *words(void)
{
    return kernc_buffer_map(out);
}

/* Compiles at -O1 and launches one warp. */
static void run(uint32_t threads, const char *source)
{
    kernc_options o;
    kernc_options_init(&o);
    o.scheme = "barrier";
    o.level = 1;
    kernc_result *r = kernc_compile("test.kern", source, strlen(source), &o);
    size_t n;
    const char *bytes = kernc_result_text(r, KERNC_TEXT_BYTECODE, &n);
    if (!bytes)
        fail_msg("%s", kernc_result_text(r, KERNC_TEXT_DIAGNOSTICS, NULL));
    kernc_module *module;
    kernc_kernel *kernel;
    assert_int_equal(kernc_module_load(context, bytes, n, &module), KERNC_OK);
    assert_int_equal(kernc_module_kernel(module, "k", &kernel), KERNC_OK);
    memset(words(), 0, WORDS * sizeof(int32_t));
    kernc_argument args[] = {kernc_arg_buffer("out", out)};
    kernc_launch l = {.size = sizeof l,
                      .block = {threads},
                      .warp = LANES,
                      .args = args,
                      .arg_count = 1,
                      .fuel = 400 * RT_SLICE_INSTRUCTIONS};
    kernc_statistics *s = NULL;
    if (kernc_run(kernel, &l, &s) != KERNC_OK)
        fail_msg("%s", kernc_error_text(context));
    metrics.size = sizeof metrics;
    kernc_statistics_metrics(s, &metrics);
    kernc_statistics_free(s);
    kernc_module_free(module);
    kernc_result_free(r);
}

/* The warp spun for so many slices, and little more. */
static void expect_slices(unsigned slices)
{
    uint64_t least = (uint64_t)slices * RT_SLICE_INSTRUCTIONS;
    if (metrics.warp_instructions < least || metrics.warp_instructions > least + RT_SLICE_INSTRUCTIONS / 2)
        fail_msg("%llu instructions are not %u slices", (unsigned long long)metrics.warp_instructions,
                 slices);
}

/* The larger group runs first and spins for the other one, which is ready. */
static void gives_way_to_ready_lanes(void **state)
{
    UNUSED(state);
    run(LANES, "kernel void k(global int *out) {\n"
               "    if (laneId == 31)\n"
               "        atomic_xchg(out, 1);\n"
               "    else\n"
               "        while (atomic_add(out, 0) == 0) ;\n"
               "    out[1] = (int)ballot(true);\n"
               "}\n");
    expect_slices(PATIENCE);
    assert_int_equal(metrics.yields, 0);
    assert_int_equal(words()[1], -1);
}

/* Once it had to, a group gives way after a slice: the last lane spins for those that spun for it. */
static void gives_way_sooner_again(void **state)
{
    UNUSED(state);
    run(LANES, "kernel void k(global int *out) {\n"
               "    if (laneId == 31) {\n"
               "        atomic_xchg(out, 1);\n"
               "        while (atomic_add(out + 1, 0) == 0) ;\n"
               "    } else {\n"
               "        while (atomic_add(out, 0) == 0) ;\n"
               "        atomic_xchg(out + 1, 1);\n"
               "    }\n"
               "    out[2] = (int)ballot(true);\n"
               "}\n");
    expect_slices(PATIENCE + 1);
    assert_int_equal(metrics.yields, 0);
    assert_int_equal(words()[2], -1);
}

/* The holder of the lock waits behind the loop for those that spin, so that the barrier is given up for each
 * but the last: it is the smaller group, which runs after a slice, and waits; after another it goes on. */
static void gives_way_to_waiting_lanes(void **state)
{
    UNUSED(state);
    run(4, "kernel void k(global int *out) {\n"
           "    while (atomic_cas(out, 0, 1) != 0) ;\n"
           "    atomic_add(out + 1, 1);\n"
           "    atomic_xchg(out, 0);\n"
           "}\n");
    expect_slices(PATIENCE + 1 + 2 + 2);
    assert_int_equal(metrics.yields, 3);
    assert_int_equal(words()[1], 4);
}

/* Lanes that diverge and reconverge as they spin give way as well. */
static void releases_are_no_progress(void **state)
{
    UNUSED(state);
    run(4, "kernel void k(global int *out) {\n"
           "    while (atomic_cas(out, 0, 1) != 0)\n"
           "        if (laneId & 1) out[4 + laneId]++;\n"
           "    atomic_add(out + 1, 1);\n"
           "    atomic_xchg(out, 0);\n"
           "}\n");
    assert_true(metrics.yields > 0);
    assert_int_equal(words()[1], 4);
}

/* For lanes that compute, or count, the others wait, however long: behind the loop, and, once groups have taken
 * turns, behind the longer of two arms. */
static void lanes_that_compute_are_waited_for(void **state)
{
    UNUSED(state);
    run(LANES, "kernel void k(global int *out) {\n"
               "    int v = laneId, n = laneId == 5 ? 800000 : 10;\n"
               "    for (int i = 0; i < n; i++) v += atomic_add(out + 3, 1);\n"
               "    out[1] = (int)ballot(true);\n"
               "    if (laneId < 30)\n"
               "        for (int i = 0; i < (n | 800000); i++) v = v * 3 + 1;\n"
               "    else\n"
               "        for (int i = 0; i < (n | 100000); i++) v = v * 7 + 1;\n"
               "    atomic_add(out, v & 1);\n"
               "    out[2] = (int)ballot(true);\n"
               "}\n");
    assert_int_equal(metrics.yields, 0);
    assert_int_equal(words()[1], -1);
    assert_int_equal(words()[2], -1);
}

/* Lanes that yields have released take turns behind the spin lock: `i` and `n`, which lanes of a group share in
 * scalar registers, are not those of another group; `v`, of each lane, counts on with them. */
static void groups_keep_their_scalars(void **state)
{
    UNUSED(state);
    run(4, "kernel void k(global int *out) {\n"
           "    while (atomic_cas(out, 0, 1) != 0) ;\n"
           "    atomic_xchg(out, 0);\n"
           "    int v = laneId & 32, n = 0;\n"
           "    for (int i = 0; i < 100000; i++) { n = n * 5 + i; v = v * 5 + i; }\n"
           "    out[1 + laneId] = v ^ n;\n"
           "}\n");
    assert_int_equal(metrics.yields, 3);
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(words()[1 + i], 0);
}

static int set_up(void **state)
{
    UNUSED(state);
    return kernc_context_create(NULL, &context) || kernc_buffer_create(context, WORDS * 4, "out", &out);
}

static int tear_down(void **state)
{
    UNUSED(state);
    kernc_context_free(context);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gives_way_to_ready_lanes),          cmocka_unit_test(gives_way_sooner_again),
        cmocka_unit_test(gives_way_to_waiting_lanes),        cmocka_unit_test(releases_are_no_progress),
        cmocka_unit_test(lanes_that_compute_are_waited_for), cmocka_unit_test(groups_keep_their_scalars),
    };
    return cmocka_run_group_tests_name("runtime: scheme barrier", tests, set_up, tear_down);
}
