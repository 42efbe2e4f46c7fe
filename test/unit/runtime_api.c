/* The public interface: arguments, launches, buffers: misuse is refused with a text, limits are named, nothing
 * crashes on NULL. */
#include "test/unit/runtime_api.h"

/* ---- arguments --------------------------------------------------------------------------------------- */

static void arguments_by_position_and_by_name(void **state)
{
    UNUSED(state);
    struct arguments a = good_arguments(false);
    assert_int_equal(run(&a, 6), KERNC_OK);
    assert_int_equal(((int *)kernc_buffer_map(buffer))[31], 7);
    a = good_arguments(true);
    kernc_argument first = a.at[0];
    a.at[0] = a.at[5];
    a.at[5] = first;
    a.at[1].value.i = 9;
    assert_int_equal(run(&a, 6), KERNC_OK);
    assert_int_equal(((int *)kernc_buffer_map(buffer))[31], 9);
}

static void wrong_arguments_are_refused(void **state)
{
    UNUSED(state);
    struct arguments a = good_arguments(true);
    expect(run(&a, 5), KERNC_INVALID, "parameter b is not given");
    a.at[6] = a.at[0];
    expect(run(&a, 7), KERNC_INVALID, "parameter p of kernel k is given twice");
    a.at[5].name = "q";
    expect(run(&a, 6), KERNC_INVALID, "kernel k has no parameter q");
    a.at[5].name = NULL;
    expect(run(&a, 6), KERNC_INVALID, "either all arguments have names or none has");
    a = good_arguments(false);
    a.at[6] = a.at[0];
    expect(run(&a, 7), KERNC_INVALID, "kernel k has 6 parameters, not 7");
    a.at[0].value.buffer = NULL;
    expect(run(&a, 6), KERNC_INVALID, "argument p of kernel k is no buffer of this context");
    a = good_arguments(false);
    a.at[1] = kernc_arg_float(NULL, 1);
    expect(run(&a, 6), KERNC_INVALID,
           "parameter n of kernel k is number: an argument of kind float does not fit");
    a.at[1] = kernc_arg_bits(NULL, (uint64_t)1 << 32);
    expect(run(&a, 6), KERNC_INVALID, "an argument of kind bits does not fit");
    a.at[1] = kernc_arg_int(NULL, 1);
    a.at[0] = kernc_arg_int(NULL, 1);
    expect(run(&a, 6), KERNC_INVALID, "an argument of kind int does not fit");
    kernc_launch l = {.size = sizeof l, .arg_count = 3};
    expect(kernc_run(kernel, &l, NULL), KERNC_INVALID, "no arguments, but a count of 3");
}

static void buffers_of_other_contexts_are_refused(void **state)
{
    UNUSED(state);
    kernc_context *other = NULL;
    assert_int_equal(kernc_context_create(NULL, &other), KERNC_OK);
    struct arguments a = good_arguments(true);
    assert_int_equal(kernc_buffer_create(other, 4096, "other", &a.at[0].value.buffer), KERNC_OK);
    expect(run(&a, 6), KERNC_INVALID, "no buffer of this context");
    kernc_context_free(other);
}

/* ---- launches ---------------------------------------------------------------------------------------- */

static void launch_limits_are_named(void **state)
{
    UNUSED(state);
    struct arguments a = good_arguments(true);
    kernc_launch l = {.size = sizeof l, .block = {65, 64}, .args = a.at, .arg_count = 6};
    expect(kernc_run(kernel, &l, NULL), KERNC_LIMIT,
           "a block of 65 x 64 x 1 threads is over the limit of 4096");
    l.block[0] = l.block[1] = 0xffffffff;
    expect(kernc_run(kernel, &l, NULL), KERNC_LIMIT, "over the limit");
    l.block[0] = l.block[1] = 8;
    l.grid[0] = l.grid[1] = 65536;
    expect(kernc_run(kernel, &l, NULL), KERNC_LIMIT, "a grid of 65536 x 65536 x 1 blocks is over the limit");
    l.grid[0] = (uint32_t)KERNC_MAX_GRID_BLOCKS + 1, l.grid[1] = 1;
    expect(kernc_run(kernel, &l, NULL), KERNC_LIMIT,
           "2147483648 x 1 x 1 blocks is over the limit of 2147483647");
    l.grid[0] = 1;
    l.grid[1] = 1;
    l.warp = 65;
    expect(kernc_run(kernel, &l, NULL), KERNC_LIMIT, "a warp of 65 threads is over the limit of 64");
    l.warp = 8;
    l.threads = 257;
    expect(kernc_run(kernel, &l, NULL), KERNC_LIMIT, "257 host threads are over the limit of 256");
    l.threads = 1;
    l.segment = 100;
    expect(kernc_run(kernel, &l, NULL), KERNC_INVALID, "a segment of 100 bytes");
    l.segment = 64;
    l.banks = 24;
    expect(kernc_run(kernel, &l, NULL), KERNC_INVALID,
           "24 banks of shared memory: their number must be a power of two");
    l.banks = 256;
    expect(kernc_run(kernel, &l, NULL), KERNC_LIMIT, "256 banks of shared memory are over the limit of 128");
    l.banks = 0;
    l.anchors = 3;
    expect(kernc_run(kernel, &l, NULL), KERNC_INVALID, "3 is no choice of anchors' groups");
    l.anchors = KERNC_ANCHORS_ALL;
    l.scheme = "none";
    expect(kernc_run(kernel, &l, NULL), KERNC_NOT_FOUND, "no divergence scheme none");
    l.scheme = "oracle";
    expect(kernc_run(kernel, &l, NULL), KERNC_INVALID, "compiled for scheme pdom, not for oracle");
    l.scheme = NULL;
    l.isa = "vax";
    expect(kernc_run(kernel, &l, NULL), KERNC_NOT_FOUND, "no interpreter for instruction set vax");
    l.isa = NULL;
    l.size = 0;
    expect(kernc_run(kernel, &l, NULL), KERNC_INVALID, "a launch needs its size set");
    expect(kernc_run(kernel, NULL, NULL), KERNC_INVALID, "a launch needs its size set");
}

static void registers_count_against_the_limit_of_memory(void **state)
{
    UNUSED(state);
    kernc_context *small = NULL;
    kernc_buffer *b = NULL;
    kernc_context_options o = {.size = sizeof o, .max_memory = 5000};
    assert_int_equal(kernc_context_create(&o, &small), KERNC_OK);
    assert_int_equal(kernc_buffer_create(small, 5001, "big", &b), KERNC_LIMIT);
    assert_non_null(strstr(kernc_error_text(small), "5000"));
    assert_null(b);
    assert_int_equal(kernc_buffer_create(small, 4000, "fits", &b), KERNC_OK);
    struct arguments a = good_arguments(true);
    a.at[0].value.buffer = b;
    kernc_module *m = make_module(small);
    kernc_launch l = {.size = sizeof l, .args = a.at, .arg_count = 6};
    assert_int_equal(kernc_run(kernc_module_kernel_at(m, 0), &l, NULL), KERNC_LIMIT);
    assert_non_null(strstr(kernc_error_text(small), "max_memory"));
    kernc_context_free(small);
}

/* ---- buffers ----------------------------------------------------------------------------------------- */

static void buffers_are_copied_and_filled(void **state)
{
    UNUSED(state);
    kernc_buffer *b = NULL;
    const uint8_t pattern[] = {1, 2, 3};
    uint8_t got[9];
    assert_int_equal(kernc_buffer_create(context, 9, NULL, &b), KERNC_OK);
    assert_int_equal(kernc_buffer_fill(b, 0, 9, pattern, 3), KERNC_OK);
    assert_int_equal(kernc_buffer_read(b, 0, got, 9), KERNC_OK);
    assert_memory_equal(got, "\1\2\3\1\2\3\1\2\3", 9);
    expect(kernc_buffer_fill(b, 0, 8, pattern, 3), KERNC_INVALID, "no multiple of a pattern of 3");
    expect(kernc_buffer_read(b, 5, got, 5), KERNC_INVALID, "bytes 5 to 10 are outside buffer");
    expect(kernc_buffer_write(b, UINT64_MAX, got, 2), KERNC_INVALID, "outside buffer");
    assert_int_equal(kernc_buffer_copy(b, 1, b, 0, 8), KERNC_OK);
    assert_int_equal(((uint8_t *)kernc_buffer_map(b))[3], 3);
    assert_int_equal(kernc_buffer_address(b) & 0xfffff, 0);
    kernc_buffer_free(b);
}

static void addresses_run_out_with_a_text(void **state)
{
    UNUSED(state);
    kernc_context *c = NULL;
    kernc_context_options o = {.size = sizeof o, .max_memory = UINT64_MAX};
    kernc_buffer *b = NULL, *first = NULL;
    unsigned count = 0;
    assert_int_equal(kernc_context_create(&o, &c), KERNC_OK);
    assert_int_equal(kernc_buffer_create(c, (uint64_t)1 << 32, "all", &b), KERNC_LIMIT);
    while (kernc_buffer_create(c, 1, NULL, &b) == KERNC_OK) {
        first = first ? first : b;
        count++;
    }
    assert_int_equal(count, 2045); /* of a segment each, and one behind it */
    assert_non_null(strstr(kernc_error_text(c), "no room for it among the 4 GiB of addresses"));
    kernc_buffer_free(first);
    assert_int_equal(kernc_buffer_create(c, 1 << 20, NULL, &b), KERNC_OK);
    kernc_context_free(c);
}

/* ---- host functions ---------------------------------------------------------------------------------- */

static void libraries_are_loaded_by_name(void **state)
{
    UNUSED(state);
    assert_int_equal(kernc_load_library(context, "libm"), KERNC_OK);
    expect(kernc_load_library(context, "libnothing.so"), KERNC_NOT_FOUND, "cannot load libnothing.so");
    expect(kernc_load_library(context, NULL), KERNC_INVALID, "no library named");
    expect(kernc_load_library(context, ""), KERNC_INVALID, "no library named");
    expect(kernc_host_function(context, "f", NULL), KERNC_INVALID, "needs a name and an address");
}

/* ---- NULL -------------------------------------------------------------------------------------------- */

static void nothing_crashes_on_null(void **state)
{
    UNUSED(state);
    kernc_context_free(NULL);
    kernc_module_free(NULL);
    kernc_buffer_free(NULL);
    kernc_statistics_free(NULL);
    assert_int_equal(kernc_context_create(NULL, NULL), KERNC_INVALID);
    assert_non_null(kernc_error_text(NULL));
    assert_null(kernc_last_trap(NULL));
    assert_int_equal(kernc_module_load(NULL, "", 0, NULL), KERNC_INVALID);
    assert_int_equal(rt_module_adopt(NULL, NULL, NULL), KERNC_INVALID);
    assert_int_equal(kernc_module_kernel(NULL, "k", NULL), KERNC_INVALID);
    assert_int_equal(kernc_module_kernel_count(NULL), 0);
    assert_null(kernc_module_kernel_at(NULL, 0));
    assert_null(rt_module_program(NULL));
    assert_string_equal(kernc_kernel_name(NULL), "");
    assert_int_equal(kernc_kernel_parameter_count(NULL), 0);
    assert_false(kernc_kernel_parameter(NULL, 0, NULL));
    assert_int_equal(kernc_buffer_create(NULL, 1, NULL, NULL), KERNC_INVALID);
    assert_null(kernc_buffer_map(NULL));
    assert_int_equal(kernc_buffer_size(NULL), 0);
    assert_int_equal(kernc_buffer_address(NULL), 0);
    assert_int_equal(kernc_buffer_write(NULL, 0, NULL, 0), KERNC_INVALID);
    assert_int_equal(kernc_buffer_read(buffer, 0, NULL, 4), KERNC_INVALID);
    assert_int_equal(kernc_buffer_copy(NULL, 0, buffer, 0, 0), KERNC_INVALID);
    assert_int_equal(kernc_buffer_fill(NULL, 0, 0, NULL, 0), KERNC_INVALID);
    assert_int_equal(kernc_run(NULL, NULL, NULL), KERNC_INVALID);
    assert_false(kernc_statistics_metrics(NULL, NULL));
    assert_false(kernc_statistics_active_lanes(NULL, NULL));
    assert_false(kernc_statistics_class(NULL, 0, NULL));
    assert_false(kernc_statistics_line(NULL, 0, NULL));
    assert_int_equal(kernc_kernel_statistics(NULL, NULL), KERNC_INVALID);
    assert_int_equal(kernc_load_library(NULL, "libm"), KERNC_INVALID);
    assert_int_equal(kernc_host_function(NULL, "f", NULL), KERNC_INVALID);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arguments_by_position_and_by_name),
        cmocka_unit_test(wrong_arguments_are_refused),
        cmocka_unit_test(buffers_of_other_contexts_are_refused),
        cmocka_unit_test(launch_limits_are_named),
        cmocka_unit_test(registers_count_against_the_limit_of_memory),
        cmocka_unit_test(buffers_are_copied_and_filled),
        cmocka_unit_test(addresses_run_out_with_a_text),
        cmocka_unit_test(libraries_are_loaded_by_name),
        cmocka_unit_test(nothing_crashes_on_null),
    };
    return cmocka_run_group_tests_name("runtime: public interface", tests, set_up, tear_down);
}
