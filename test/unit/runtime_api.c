/* The public interface: misuse is refused with a text, limits are named, nothing crashes on NULL. */
#include "test/unit/runtime_program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <pthread.h>
#include <cmocka.h>

static kernc_context *context;
static kernc_module  *module;
static kernc_kernel  *kernel;
static kernc_buffer  *buffer;

/* k(global int *p, int n, float f, double d, long l, bool b): stores n to p. */
static kernc_module *make_module(kernc_context *c)
{
    struct maker m = make_program(8, 2, 8);
    static const enum be_value types[] = {BE_PTR, BE_I32, BE_F32, BE_F64, BE_I64, BE_I1};
    static const char *const names[] = {"p", "n", "f", "d", "l", "b"};
    for (unsigned i = 0; i < COUNT(types); i++)
        make_fill(&m, BC_FROM_PARAM, BC_KIND_S, i, make_param(&m, names[i], types[i]));
    make_fill(&m, BC_FROM_SPECIAL, BC_KIND_V, 0, BC_SPECIAL_TID_X);
    make_fill(&m, BC_FROM_PARAM, BC_KIND_V, 2, 1);
    make_block(&m, 0);
    make(&m, BC_stx_g32, .d = 2, .a = 0, .b = 0, .c = 2, .e = make_site(&m, BC_SITE_GLOBAL));
    make(&m, BC_exit);
    return make_finish(&m, c);
}

static kernc_argument typed(const char *name, kernc_argument_kind kind, uint64_t bits)
{
    kernc_argument a = kernc_arg_bits(name, bits);
    a.kind = kind;
    return a;
}

struct arguments { kernc_argument at[7]; };

static struct arguments good_arguments(bool named)
{
    struct arguments a = {{kernc_arg_buffer("p", buffer), kernc_arg_int("n", 7), kernc_arg_float("f", 1),
                           typed("d", KERNC_ARG_DOUBLE, 0), typed("l", KERNC_ARG_LONG, 5),
                           typed("b", KERNC_ARG_BOOL, 1)}};
    for (unsigned i = 0; i < 6 && !named; i++)
        a.at[i].name = NULL;
    return a;
}

static kernc_status run(const struct arguments *a, uint32_t count)
{
    kernc_launch l = {.size = sizeof l, .block = {32}, .args = a->at, .arg_count = count};
    return kernc_run(kernel, &l, NULL);
}

static void expect(kernc_status got, kernc_status wanted, const char *text)
{
    assert_int_equal(got, wanted);
    if (!strstr(kernc_error_text(context), text))
        fail_msg("\"%s\" says nothing of \"%s\"", kernc_error_text(context), text);
}

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

/* ---- modules ----------------------------------------------------------------------------------------- */

static void programs_survive_the_file_format(void **state)
{
    UNUSED(state);
    struct text bytes = {0};
    kernc_module *copy = NULL;
    bc_write(rt_module_program(module), &bytes);
    assert_int_equal(kernc_module_load(context, bytes.at, bytes.length, &copy), KERNC_OK);
    assert_int_equal(kernc_kernel_parameter_count(kernc_module_kernel_at(copy, 0)), 6);
    kernc_module_free(copy);
    assert_int_equal(kernc_module_load(context, bytes.at, bytes.length / 2, &copy), KERNC_BAD_PROGRAM);
    assert_null(copy);
    bytes.at[0] ^= 1;
    expect(kernc_module_load(context, bytes.at, bytes.length, &copy), KERNC_BAD_PROGRAM, "not a program");
    text_free(&bytes);
}

static void refused_programs_say_why(void **state)
{
    UNUSED(state);
    struct maker m = make_program(2, 0, 0);
    make_block(&m, 0);
    make(&m, BC_jump, .imm = 77);
    assert_null(make_finish(&m, context));
    assert_non_null(strstr(kernc_error_text(context), "program refused"));
}

static void refuse(struct bc_ins ins, const char *scheme, const char *text)
{
    struct maker m = make_program(2, 0, 2);
    make_block(&m, 0);
    make_site(&m, BC_SITE_OTHER);
    make_word(&m, ins);
    make(&m, BC_exit);
    m.p->scheme = scheme;
    assert_null(make_finish(&m, context));
    if (!strstr(kernc_error_text(context), text))
        fail_msg("'%s' instead of '%s'", kernc_error_text(context), text);
}

static void schemes_refuse_what_they_lack(void **state)
{
    UNUSED(state);
    struct bc_ins own = {.op = BC_scheme}, active = {.op = BC_active, .e = BC_NO_TOKEN};
    refuse(own, "pdom", "word 1 is not for the scheme pdom: it has no operations of its own");
    refuse(own, "oracle", "word 1 is not for the scheme oracle: it has no operations of its own");
    struct bc_ins wait = {.op = BC_wait};
    refuse(wait, "pdom", "word 1 is not for the scheme pdom: it has no operations of its own");
    refuse(wait, "oracle", "word 1 is not for the scheme oracle: it has no operations of its own");
    static const struct bc_ins no_barrier[] = {
        {.op = BC_scheme, .a = BC_CB_OPS},
        {.op = BC_scheme, .a = UINT16_MAX},
        {.op = BC_scheme, .a = BC_CB_JOIN, .d = 2},
        {.op = BC_scheme, .a = BC_CB_JOIN, .imm = 1},
        {.op = BC_scheme, .a = BC_CB_CANCEL, .d = 2},
        {.op = BC_scheme, .a = BC_CB_CANCEL, .imm = 65},
        {.op = BC_scheme, .a = BC_CB_CANCEL, .c = 1},
        {.op = BC_scheme, .a = BC_CB_REJOIN, .d = 1},
        {.op = BC_scheme, .a = BC_CB_REJOIN, .imm = 1},
        {.op = BC_wait, .d = 2},
        {.op = BC_wait, .imm = 65},
    };
    for (uint32_t i = 0; i < sizeof no_barrier / sizeof *no_barrier; i++)
        refuse(no_barrier[i], "barrier", "word 1 is not for the scheme barrier: it has no such operation");
    refuse((struct bc_ins){.op = BC_scheme, .e = 9}, "barrier", "word 1: no site 9");
    refuse((struct bc_ins){.op = BC_wait, .e = 9}, "barrier", "word 1: no site 9");
    refuse((struct bc_ins){.op = BC_wait, .a = 1}, "barrier", "word 1: an unused field is not 0");
    refuse(active, "oracle", "word 1 is not for the scheme oracle: it decides by tokens");
    refuse(active, "rank", "there is no divergence scheme rank");
}

static void kernels_are_found_by_name(void **state)
{
    UNUSED(state);
    kernc_kernel *k = NULL;
    kernc_parameter p = {.size = sizeof p};
    assert_int_equal(kernc_module_kernel(module, NULL, &k), KERNC_OK);
    assert_string_equal(kernc_kernel_name(k), "k");
    expect(kernc_module_kernel(module, "x", &k), KERNC_NOT_FOUND, "no kernel x");
    assert_null(k);
    assert_true(kernc_kernel_parameter(kernel, 0, &p));
    assert_string_equal(p.name, "p");
    assert_true(p.is_pointer);
    assert_false(kernc_kernel_parameter(kernel, 6, &p));
    assert_null(kernc_module_kernel_at(module, 1));
    uint32_t line = 1, column = 1;
    assert_int_equal(kernc_kernel_threshold(kernel, &line, &column) + line + column, 0);
    assert_int_equal(kernc_kernel_threshold(NULL, NULL, NULL), 0);
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
    assert_int_equal(count, 2047);
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

/* ---- statistics, memory failure, several contexts ---------------------------------------------------- */

/* Callers with an older header: what lies behind the size they say is not theirs. */
static void structs_are_filled_as_far_as_their_size_says(void **state)
{
    UNUSED(state);
    kernc_metrics few;
    memset(&few, 0xee, sizeof few);
    few.size = offsetof(kernc_metrics, overhead_instructions);
    struct arguments a = good_arguments(true);
    kernc_launch l = {.size = sizeof l, .block = {40}, .args = a.at, .arg_count = 6};
    kernc_statistics *s = NULL;
    assert_int_equal(kernc_run(kernel, &l, &s), KERNC_OK);
    assert_true(kernc_statistics_metrics(s, &few));
    assert_int_equal(few.size, offsetof(kernc_metrics, overhead_instructions));
    assert_int_equal(few.warp_instructions, 6);
    assert_int_equal(few.thread_instructions, 120);
    assert_int_equal(few.overhead_instructions, 0xeeeeeeeeeeeeeeee);
    few.size = 0;
    assert_false(kernc_statistics_metrics(s, &few));
    kernc_line_metrics line = {.size = offsetof(kernc_line_metrics, thread_instructions)};
    assert_true(kernc_statistics_line(s, 0, &line));
    assert_int_equal(line.line, 10);
    assert_int_equal(line.thread_instructions, 0);
    kernc_parameter p = {.size = offsetof(kernc_parameter, type)};
    assert_true(kernc_kernel_parameter(kernel, 0, &p));
    assert_string_equal(p.name, "p");
    assert_null(p.type);
    kernc_statistics_free(s);
}

static void statistics_add_up(void **state)
{
    UNUSED(state);
    kernc_module *m = make_module(context);
    kernc_kernel *k = kernc_module_kernel_at(m, 0);
    kernc_statistics *one = NULL, *all = NULL;
    expect(kernc_kernel_statistics(k, &all), KERNC_NOT_FOUND, "has not run");
    struct arguments a = good_arguments(true);
    kernc_launch l = {.size = sizeof l, .block = {40}, .args = a.at, .arg_count = 6,
                      .flags = KERNC_STATISTICS};
    for (int i = 0; i < 3; i++) {
        kernc_statistics_free(one);
        assert_int_equal(kernc_run(k, &l, &one), KERNC_OK);
    }
    assert_int_equal(kernc_kernel_statistics(k, &all), KERNC_OK);
    kernc_metrics x = {.size = sizeof x}, y = x;
    assert_true(kernc_statistics_metrics(one, &x) && kernc_statistics_metrics(all, &y));
    assert_int_equal(x.warp_instructions, 6);
    assert_int_equal(x.thread_instructions, 120);
    assert_true(x.simt_efficiency == 1 && x.activity_factor < 0 && x.memory_efficiency == 1);
    assert_int_equal(x.memory_instructions, 2);
    assert_int_equal(x.memory_transactions, 2);
    assert_int_equal(x.cycles, 8);
    assert_true(x.seconds > 0 && y.seconds > x.seconds);
    assert_int_equal(y.warp_instructions, 18);
    assert_int_equal(y.memory_transactions, 6);
    kernc_class_metrics integer = {.size = sizeof integer}, global = integer, control = integer;
    assert_true(kernc_statistics_class(one, 0, &integer) && kernc_statistics_class(all, 6, &global) &&
                kernc_statistics_class(one, 12, &control));
    assert_string_equal(integer.key, "integer");
    assert_string_equal(global.key, "global");
    assert_string_equal(control.key, "control");
    assert_int_equal(integer.warp_instructions, 2);
    assert_int_equal(global.warp_instructions, 6);
    assert_int_equal(control.thread_instructions, 40);
    assert_false(kernc_statistics_class(one, 15, &control));
    kernc_line_metrics first = {.size = sizeof first}, second = first;
    assert_int_equal(kernc_statistics_line_count(one), 2);
    assert_true(kernc_statistics_line(one, 0, &first) && kernc_statistics_line(all, 1, &second));
    assert_int_equal(first.line, 10);
    assert_int_equal(first.memory_transactions, 2);
    assert_int_equal(second.warp_instructions, 18);
    assert_false(kernc_statistics_line(one, 2, &first));
    kernc_statistics_free(one);
    kernc_statistics_free(all);
    kernc_module_free(m);
}

/* Whichever allocation fails, the call says so and the context still works. */
static void allocation_failures_are_survived(void **state)
{
    UNUSED(state);
    struct arguments a = good_arguments(true);
    unsigned failed = 0;
    for (long n = 1; n < 60; n++) {
        mem_fail_after(n);
        kernc_statistics *s = NULL;
        kernc_launch l = {.size = sizeof l, .block = {64}, .args = a.at, .arg_count = 6};
        kernc_status status = kernc_run(kernel, &l, &s);
        mem_fail_after(0);
        kernc_statistics_free(s);
        failed += status == KERNC_NO_MEMORY;
        assert_true(status == KERNC_NO_MEMORY || status == KERNC_OK);
        assert_int_equal(run(&a, 6), KERNC_OK);
    }
    assert_true(failed >= 3);
}

static void *use_context(void *result)
{
    kernc_context *c = NULL;
    kernc_buffer *b = NULL;
    if (kernc_context_create(NULL, &c) != KERNC_OK || kernc_buffer_create(c, 4096, "b", &b) != KERNC_OK)
        return NULL;
    struct arguments a = good_arguments(true);
    a.at[0].value.buffer = b;
    kernc_launch l = {
        .size = sizeof l, .grid = {50}, .block = {64}, .threads = 2, .args = a.at, .arg_count = 6};
    bool good = kernc_run(kernc_module_kernel_at(make_module(c), 0), &l, NULL) == KERNC_OK;
    *(bool *)result = good && ((int *)kernc_buffer_map(b))[63] == 7;
    kernc_context_free(c);
    return NULL;
}

static void contexts_in_threads_do_not_disturb_each_other(void **state)
{
    UNUSED(state);
    pthread_t threads[4];
    bool good[4] = {false};
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, use_context, &good[i]), 0);
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        assert_true(good[i]);
    }
}

static int set_up(void **state)
{
    UNUSED(state);
    if (kernc_context_create(NULL, &context) != KERNC_OK ||
        kernc_buffer_create(context, 4096, "p", &buffer) != KERNC_OK)
        return -1;
    module = make_module(context);
    kernel = kernc_module_kernel_at(module, 0);
    return kernel ? 0 : -1;
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
        cmocka_unit_test(arguments_by_position_and_by_name),
        cmocka_unit_test(wrong_arguments_are_refused),
        cmocka_unit_test(buffers_of_other_contexts_are_refused),
        cmocka_unit_test(launch_limits_are_named),
        cmocka_unit_test(registers_count_against_the_limit_of_memory),
        cmocka_unit_test(programs_survive_the_file_format),
        cmocka_unit_test(refused_programs_say_why),
        cmocka_unit_test(schemes_refuse_what_they_lack),
        cmocka_unit_test(kernels_are_found_by_name),
        cmocka_unit_test(buffers_are_copied_and_filled),
        cmocka_unit_test(addresses_run_out_with_a_text),
        cmocka_unit_test(libraries_are_loaded_by_name),
        cmocka_unit_test(nothing_crashes_on_null),
        cmocka_unit_test(structs_are_filled_as_far_as_their_size_says),
        cmocka_unit_test(statistics_add_up),
        cmocka_unit_test(allocation_failures_are_survived),
        cmocka_unit_test(contexts_in_threads_do_not_disturb_each_other),
    };
    return cmocka_run_group_tests_name("runtime: public interface", tests, set_up, tear_down);
}
