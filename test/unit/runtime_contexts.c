/* runtime_contexts.c: modules, statistics, memory failure, several contexts. */
#include "test/unit/runtime_api.h"

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
    kernc_launch l = {
        .size = sizeof l, .block = {40}, .args = a.at, .arg_count = 6, .flags = KERNC_STATISTICS};
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_survive_the_file_format),
        cmocka_unit_test(refused_programs_say_why),
        cmocka_unit_test(schemes_refuse_what_they_lack),
        cmocka_unit_test(kernels_are_found_by_name),
        cmocka_unit_test(structs_are_filled_as_far_as_their_size_says),
        cmocka_unit_test(statistics_add_up),
        cmocka_unit_test(allocation_failures_are_survived),
        cmocka_unit_test(contexts_in_threads_do_not_disturb_each_other),
    };
    return cmocka_run_group_tests_name("runtime: contexts", tests, set_up, tear_down);
}
