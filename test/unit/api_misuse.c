/* api_misuse.c: what the headers say of wrong calls: NULL, sizes of 0 and huge ones, indices out of range,
 * calls in a wrong order or from within a launch. Each is one test.
 */
#include "include/kernc.h"

#include "base/base.h"

#include <limits.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const char source[] = "extern int twice(int x);\n"
                             "kernel void k(global int *out, int n) {\n"
                             "    out[threadIdx.x] = n > 1 ? twice(n) : n;\n"
                             "    printf(\"%d\\n\", n);\n"
                             "}\n";

static kernc_context *context;
static kernc_module *module;
static kernc_kernel *kernel;
static kernc_buffer *buffer;
static kernc_statistics *statistics;

/* ---- a context in which all is well, but for the call -------------------------------------------------- */

static void (*called_back)(void);

static void output(void *user, const char *bytes, size_t n)
{
    UNUSED(user);
    UNUSED(bytes);
    UNUSED(n);
    if (called_back)
        called_back();
}

static int32_t twice(int32_t x)
{
    if (called_back)
        called_back();
    return 2 * x;
}

static kernc_launch launch_of(const kernc_argument *args, uint32_t count)
{
    return (kernc_launch){.size = sizeof(kernc_launch), .block = {4}, .args = args, .arg_count = count};
}

static kernc_status run(int n, kernc_statistics **s)
{
    kernc_argument args[] = {kernc_arg_buffer("out", buffer), kernc_arg_int("n", n)};
    kernc_launch l = launch_of(args, 2);
    l.flags = KERNC_STATISTICS;
    return kernc_run(kernel, &l, s);
}

static int set_up(void **state)
{
    UNUSED(state);
    kernc_context_options o = {.size = sizeof o, .output = output};
    kernc_result *r = kernc_compile("k.kern", source, sizeof source - 1, NULL);
    size_t n = 0;
    const char *bytes = kernc_result_text(r, KERNC_TEXT_BYTECODE, &n);
    called_back = NULL;
    bool good = bytes && kernc_context_create(&o, &context) == KERNC_OK &&
                kernc_host_function(context, "twice", (void (*)(void))twice) == KERNC_OK &&
                kernc_module_load(context, bytes, n, &module) == KERNC_OK &&
                kernc_module_kernel(module, NULL, &kernel) == KERNC_OK &&
                kernc_buffer_create(context, 64, "out", &buffer) == KERNC_OK &&
                run(1, &statistics) == KERNC_OK;
    kernc_result_free(r);
    return good ? 0 : -1;
}

/* After each misuse all is as it was. */
static int tear_down(void **state)
{
    UNUSED(state);
    called_back = NULL;
    bool good = run(3, NULL) == KERNC_OK && *(int32_t *)kernc_buffer_map(buffer) == 6;
    kernc_context_free(context);
    kernc_statistics_free(statistics); /* outlives the context */
    return good ? 0 : -1;
}

static void invalid(kernc_status status)
{
    assert_int_equal(status, KERNC_INVALID);
}

/* ---- NULL ---------------------------------------------------------------------------------------------- */

static void null_contexts(void **state)
{
    UNUSED(state);
    kernc_buffer *b;
    kernc_module *m;
    kernc_alarm a = {.size = sizeof a};
    invalid(kernc_context_create(NULL, NULL));
    kernc_context_free(NULL);
    kernc_alarms_forget(NULL);
    assert_non_null(kernc_error_text(NULL));
    assert_null(kernc_last_trap(NULL));
    assert_false(kernc_alarm_at(NULL, 0, &a));
    invalid(kernc_host_function(NULL, "f", (void (*)(void))twice));
    invalid(kernc_load_library(NULL, "libm"));
    invalid(kernc_module_load(NULL, source, sizeof source, &m));
    invalid(kernc_buffer_create(NULL, 8, NULL, &b));
}

static void null_objects(void **state)
{
    UNUSED(state);
    kernc_kernel *k;
    kernc_parameter p = {.size = sizeof p};
    kernc_launch l = launch_of(NULL, 0);
    int x = 0;
    assert_string_equal(kernc_module_scheme(NULL), "");
    assert_int_equal(kernc_module_kernel_count(NULL), 0);
    assert_null(kernc_module_kernel_at(NULL, 0));
    invalid(kernc_module_kernel(NULL, "k", &k));
    kernc_module_free(NULL);
    assert_string_equal(kernc_kernel_name(NULL), "");
    assert_int_equal(kernc_kernel_parameter_count(NULL), 0);
    assert_false(kernc_kernel_parameter(NULL, 0, &p));
    assert_int_equal(kernc_kernel_threshold(NULL, NULL, NULL), 0);
    assert_int_equal(kernc_kernel_shared(NULL, NULL), 0);
    assert_int_equal(kernc_kernel_shared_array(NULL, 1, NULL), 0);
    invalid(kernc_run(NULL, &l, NULL));
    invalid(kernc_kernel_statistics(NULL, &(kernc_statistics *){NULL}));
    kernc_buffer_free(NULL);
    assert_int_equal(kernc_buffer_size(NULL), 0);
    assert_int_equal(kernc_buffer_address(NULL), 0);
    assert_null(kernc_buffer_map(NULL));
    invalid(kernc_buffer_write(NULL, 0, &x, 4));
    invalid(kernc_buffer_read(NULL, 0, &x, 4));
    invalid(kernc_buffer_copy(NULL, 0, buffer, 0, 4));
    invalid(kernc_buffer_copy(buffer, 0, NULL, 0, 4));
    invalid(kernc_buffer_fill(NULL, 0, 4, &x, 4));
}

static void null_arguments(void **state)
{
    UNUSED(state);
    invalid(kernc_host_function(context, NULL, (void (*)(void))twice));
    invalid(kernc_host_function(context, "f", NULL));
    invalid(kernc_load_library(context, NULL));
    invalid(kernc_module_load(context, NULL, 8, &(kernc_module *){NULL}));
    invalid(kernc_module_load(context, source, sizeof source, NULL));
    invalid(kernc_module_kernel(module, "k", NULL));
    assert_false(kernc_kernel_parameter(kernel, 0, NULL));
    assert_false(kernc_alarm_at(context, 0, NULL));
    invalid(kernc_buffer_create(context, 8, NULL, NULL));
    invalid(kernc_buffer_write(buffer, 0, NULL, 4));
    invalid(kernc_buffer_read(buffer, 0, NULL, 4));
    invalid(kernc_buffer_fill(buffer, 0, 4, NULL, 4));
    invalid(kernc_run(kernel, NULL, NULL));
    invalid(kernc_kernel_statistics(kernel, NULL));
    assert_int_equal(kernc_buffer_write(buffer, 0, NULL, 0), KERNC_OK);
    assert_int_equal(kernc_buffer_read(buffer, 64, NULL, 0), KERNC_OK);
}

static void null_statistics(void **state)
{
    UNUSED(state);
    uint64_t lanes[KERNC_MAX_WARP + 1];
    kernc_metrics m = {.size = sizeof m};
    kernc_class_metrics c = {.size = sizeof c};
    kernc_line_metrics l = {.size = sizeof l};
    kernc_place_metrics p = {.size = sizeof p};
    kernc_branch_metrics b = {.size = sizeof b};
    kernc_statistics_free(NULL);
    assert_false(kernc_statistics_metrics(NULL, &m) || kernc_statistics_metrics(statistics, NULL));
    assert_false(kernc_statistics_active_lanes(NULL, lanes) ||
                 kernc_statistics_active_lanes(statistics, NULL));
    assert_true(kernc_statistics_active_lanes(statistics, lanes));
    assert_false(kernc_statistics_class(NULL, 0, &c) || kernc_statistics_class(statistics, 0, NULL));
    assert_false(kernc_statistics_class(statistics, UINT32_MAX, &c));
    assert_int_equal(kernc_statistics_line_count(NULL), 0);
    assert_false(kernc_statistics_line(NULL, 0, &l) || kernc_statistics_line(statistics, 0, NULL));
    assert_false(kernc_statistics_line(statistics, kernc_statistics_line_count(statistics), &l));
    assert_false(kernc_statistics_place(NULL, 0, &p) || kernc_statistics_place(statistics, 0, NULL));
    assert_false(kernc_statistics_place(statistics, UINT32_MAX, &p));
    assert_false(kernc_statistics_branch(NULL, 0, &b) || kernc_statistics_branch(statistics, 0, NULL));
    assert_false(kernc_statistics_branch(statistics, UINT32_MAX, &b));
}

/* ---- sizes, indices, kinds ----------------------------------------------------------------------------- */

/* A size of 0 has room for nothing; one beyond the struct is that of a newer header. */
static void sizes_of_structs(void **state)
{
    UNUSED(state);
    struct {
        kernc_metrics m;
        char more[64];
    } newer = {.m.size = sizeof newer};
    kernc_metrics none = {.size = 0};
    kernc_parameter p = {.size = 0};
    kernc_scheme s = {.size = 0};
    kernc_launch l = {.size = 0};
    assert_false(kernc_statistics_metrics(statistics, &none));
    assert_false(kernc_kernel_parameter(kernel, 0, &p));
    assert_false(kernc_scheme_at(0, &s) || kernc_scheme_at(0, NULL) || kernc_scheme_at(UINT_MAX, &s));
    invalid(kernc_run(kernel, &l, NULL));
    memset(newer.more, 7, sizeof newer.more);
    assert_true(kernc_statistics_metrics(statistics, &newer.m));
    for (size_t i = 0; i < sizeof newer.more; i++)
        assert_int_equal(newer.more[i], 7);
}

static void indices_out_of_range(void **state)
{
    UNUSED(state);
    kernc_parameter p = {.size = sizeof p};
    kernc_kernel *k;
    assert_null(kernc_module_kernel_at(module, 1));
    assert_null(kernc_module_kernel_at(module, UINT32_MAX));
    assert_int_equal(kernc_module_kernel(module, "none", &k), KERNC_NOT_FOUND);
    assert_null(k);
    assert_false(kernc_kernel_parameter(kernel, 2, &p) || kernc_kernel_parameter(kernel, UINT32_MAX, &p));
    assert_non_null(kernc_status_name((kernc_status)99));
}

static void sizes_of_buffers(void **state)
{
    UNUSED(state);
    static const uint64_t huge[] = {(uint64_t)1 << 32, UINT64_MAX, UINT64_MAX - 65534, (uint64_t)1 << 48};
    kernc_context_options all = {.size = sizeof all, .max_memory = UINT64_MAX};
    kernc_context *c;
    kernc_buffer *b;
    assert_int_equal(kernc_context_create(&all, &c), KERNC_OK);
    for (size_t i = 0; i < COUNT(huge); i++) {
        assert_int_equal(kernc_buffer_create(context, huge[i], "b", &b), KERNC_LIMIT);
        assert_int_equal(kernc_buffer_create(c, huge[i], "b", &b), KERNC_LIMIT);
        assert_null(b);
    }
    assert_int_equal(kernc_buffer_create(c, 0, "b", &b), KERNC_OK);
    assert_int_equal(kernc_buffer_size(b), 0);
    invalid(kernc_buffer_write(b, 0, &c, 1));
    kernc_context_free(c);
}

static void ranges_of_buffers(void **state)
{
    UNUSED(state);
    int x[32] = {0};
    invalid(kernc_buffer_write(buffer, 61, x, 4));
    invalid(kernc_buffer_write(buffer, UINT64_MAX, x, 4));
    invalid(kernc_buffer_read(buffer, 4, x, UINT64_MAX - 2));
    invalid(kernc_buffer_copy(buffer, 0, buffer, 32, 64));
    invalid(kernc_buffer_fill(buffer, 0, 64, x, 0));
    invalid(kernc_buffer_fill(buffer, 0, 6, x, 4));
    invalid(kernc_buffer_fill(buffer, 0, UINT64_MAX - 3, x, 4));
}

static void arguments_of_launches(void **state)
{
    UNUSED(state);
    kernc_context *c;
    kernc_buffer *b;
    assert_int_equal(kernc_context_create(NULL, &c), KERNC_OK);
    assert_int_equal(kernc_buffer_create(c, 64, "out", &b), KERNC_OK);
    kernc_argument out = kernc_arg_buffer("out", buffer), n = kernc_arg_int("n", 1), bare = n, unknown = n;
    bare.name = NULL;
    unknown.kind = (kernc_argument_kind)99;
    const struct {
        kernc_argument at[3];
        uint32_t count;
    } wrong[] = {
        {{out}, 1},
        {{out, n, n}, 3},
        {{out, bare}, 2},
        {{out, out}, 2},
        {{out, unknown}, 2},
        {{n, out, kernc_arg_int("m", 1)}, 3},
        {{kernc_arg_buffer("out", NULL), n}, 2},
        {{kernc_arg_buffer("out", b), n}, 2}, /* of another context */
        {{kernc_arg_int("out", 4), n}, 2},
        {{out, kernc_arg_float("n", 1)}, 2},
        {{out, kernc_arg_bits("n", UINT64_MAX)}, 2},
    };
    for (size_t i = 0; i < COUNT(wrong); i++) {
        kernc_launch l = launch_of(wrong[i].at, wrong[i].count);
        invalid(kernc_run(kernel, &l, NULL));
        assert_string_not_equal(kernc_error_text(context), "");
    }
    kernc_launch none = launch_of(NULL, 2), all = launch_of(wrong[0].at, UINT32_MAX);
    invalid(kernc_run(kernel, &none, NULL));
    kernc_argument many[3] = {bare, bare, bare};
    many[0] = kernc_arg_buffer(NULL, buffer);
    all.args = many;
    invalid(kernc_run(kernel, &all, NULL)); /* ends at the first that has no parameter */
    kernc_context_free(c);
}

static void fields_of_launches(void **state)
{
    UNUSED(state);
    kernc_argument args[] = {kernc_arg_buffer("out", buffer), kernc_arg_int("n", 1)};
    const kernc_launch good = launch_of(args, 2);
    kernc_launch wrong[18];
    size_t n = 0;
    for (size_t i = 0; i < COUNT(wrong); i++)
        wrong[i] = good;
    wrong[n++].scheme = "";
    wrong[n++].scheme = "barrier";
    wrong[n++].isa = "none";
    wrong[n++].segment = 3;
    wrong[n++].banks = 3;
    wrong[n++].banks = 1u << 31;
    wrong[n++].warp = UINT32_MAX;
    wrong[n++].threads = UINT32_MAX;
    wrong[n++].cores = UINT32_MAX;
    wrong[n++].trace = 99;
    wrong[n++].trace = KERNC_TRACE_VCD;
    wrong[n++].anchors = -1;
    wrong[n++].schedule = 99;
    wrong[n++].shared = 5;
    wrong[n++].shared_count = UINT32_MAX;
    wrong[n].shared_sizes = &(uint32_t){7}, wrong[n++].shared_count = 1;
    wrong[n].grid[0] = wrong[n].grid[1] = UINT32_MAX, wrong[n++].grid[2] = UINT32_MAX;
    wrong[n].block[0] = wrong[n].block[1] = UINT32_MAX, wrong[n++].block[2] = UINT32_MAX;
    for (size_t i = 0; i < n; i++) {
        kernc_statistics *s = (kernc_statistics *)&s;
        kernc_status status = kernc_run(kernel, &wrong[i], &s);
        if (status != KERNC_INVALID && status != KERNC_LIMIT && status != KERNC_NOT_FOUND)
            fail_msg("launch %zu: %s", i, kernc_status_name(status));
        assert_null(s);
    }
}

/* ---- the compiler -------------------------------------------------------------------------------------- */

static void null_results(void **state)
{
    UNUSED(state);
    kernc_image_figures image = {.size = sizeof image};
    kernc_figures f = {.size = sizeof f};
    kernc_prediction p = {.size = sizeof p};
    size_t n;
    kernc_result_free(NULL);
    assert_int_equal(kernc_result_status(NULL), KERNC_COMPILE_NO_MEMORY);
    assert_int_equal(kernc_result_input(NULL), KERNC_INPUT_AUTO);
    assert_int_equal(kernc_result_errors(NULL) + kernc_result_warnings(NULL), 0);
    assert_null(kernc_result_text(NULL, KERNC_TEXT_BYTECODE, &n));
    assert_false(kernc_result_image(NULL, "k", &image) || kernc_result_figures(NULL, &f));
    assert_false(kernc_result_prediction(NULL, "k", 0, &p) || kernc_result_check_launch(NULL, kernel, 32));
    kernc_result *r = kernc_compile("k.kern", source, sizeof source - 1, NULL);
    assert_null(kernc_result_text(r, (kernc_text)-1, &n));
    assert_null(kernc_result_text(r, KERNC_TEXTS, &n));
    assert_false(kernc_result_image(r, NULL, &image) || kernc_result_image(r, "k", NULL));
    assert_false(kernc_result_figures(r, NULL) || kernc_result_prediction(r, NULL, 0, &p) ||
                 kernc_result_prediction(r, "k", 0, NULL) || kernc_result_prediction(r, "k", UINT_MAX, &p));
    assert_true(kernc_result_check_launch(r, NULL, 32));
    assert_non_null(kernc_result_text(r, KERNC_TEXT_BYTECODE, NULL));
    kernc_result_free(r);
}

static void compiled(const char *name, const void *bytes, size_t n, const kernc_options *o,
                     kernc_compile_status wanted)
{
    kernc_result *r = kernc_compile(name, bytes, n, o);
    assert_non_null(r);
    if (kernc_result_status(r) != wanted)
        fail_msg("status %d: %s", kernc_result_status(r), kernc_result_text(r, KERNC_TEXT_DIAGNOSTICS, NULL));
    for (int what = 0; what < KERNC_TEXTS; what++)
        kernc_result_text(r, what, NULL);
    kernc_result_free(r);
}

static void null_inputs(void **state)
{
    UNUSED(state);
    compiled(NULL, source, sizeof source - 1, NULL, KERNC_COMPILED);
    compiled("k.kern", NULL, 0, NULL, KERNC_COMPILED);
    compiled("k.kern", NULL, 8, NULL, KERNC_BAD_OPTION);
    kernc_options_defaults(NULL, 64);
    uint64_t small[2] = {7, 7};
    kernc_options_defaults((kernc_options *)(void *)small, 4);
    assert_int_equal(small[0] + small[1], 14);
}

/* Each option by itself; all others are well. */
static void options(void **state)
{
    UNUSED(state);
    static const char *const holes[] = {"all", NULL};
    kernc_options o[40];
    kernc_compile_status wanted[40];
    size_t n = 0;
    for (size_t i = 0; i < COUNT(o); i++)
        kernc_options_init(&o[i]);
#define CASE(status, set) (o[n].set, wanted[n++] = (status))
    CASE(KERNC_COMPILED, size = 0);
    CASE(KERNC_COMPILED, scheme = NULL);
    CASE(KERNC_BAD_OPTION, scheme = "");
    CASE(KERNC_BAD_OPTION, input = 99);
    CASE(KERNC_BAD_OPTION, input = -1);
    CASE(KERNC_BAD_OPTION, level = UINT_MAX);
    CASE(KERNC_BAD_OPTION, analysis_form = 99);
    CASE(KERNC_BAD_OPTION, print_changed = -5);
    CASE(KERNC_BAD_OPTION, warp = UINT_MAX);
    CASE(KERNC_BAD_OPTION, switch_count = 3);
    CASE(KERNC_BAD_OPTION, warning_count = SIZE_MAX);
    CASE(KERNC_BAD_OPTION, limit_count = 1);
    CASE(KERNC_BAD_OPTION, argument_count = 1);
    CASE(KERNC_BAD_OPTION, define_count = 1);
    CASE(KERNC_BAD_OPTION, threshold_count = 1);
    CASE(KERNC_BAD_OPTION, warning_count = 2 + 0 * (o[n].warnings = holes, 0));
    CASE(KERNC_BAD_OPTION, switch_count = 2 + 0 * (o[n].switches = holes, 0));
    CASE(KERNC_COMPILED, profile_length = 99);
    CASE(KERNC_BAD_SOURCE, profile = "");
    CASE(KERNC_COMPILED, print_after_all = true);
    CASE(KERNC_COMPILED, print_changed = KERNC_CHANGED_DIFF);
    CASE(KERNC_COMPILED, passes = "");
    CASE(KERNC_BAD_OPTION, passes = "none");
    CASE(KERNC_COMPILED, analyses = "");
    CASE(KERNC_BAD_OPTION, checks = "none");
    CASE(KERNC_COMPILED, bisect_limit = LONG_MIN);
    CASE(KERNC_COMPILED, error_limit = UINT_MAX);
#undef CASE
    for (size_t i = 0; i < n; i++)
        compiled("k.kern", source, sizeof source - 1, &o[i], wanted[i]);
}

/* ---- from within a launch ------------------------------------------------------------------------------ */

static unsigned calls;

static void use_busy_context(void)
{
    kernc_module *m = NULL;
    kernc_buffer *b = NULL;
    int x = 0;
    calls++;
    invalid(run(1, NULL));
    invalid(kernc_module_load(context, source, sizeof source, &m));
    invalid(kernc_buffer_create(context, 8, NULL, &b));
    invalid(kernc_host_function(context, "f", (void (*)(void))twice));
    invalid(kernc_load_library(context, "libm"));
    assert_non_null(strstr(kernc_error_text(context), "a launch of this context runs"));
    kernc_buffer_free(buffer); /* left out */
    kernc_module_free(module);
    kernc_context_free(context);
    assert_int_equal(kernc_buffer_read(buffer, 0, &x, 4), KERNC_OK);
    assert_int_equal(kernc_buffer_size(buffer), 64);
}

static void calls_of_the_launching_context(void **state)
{
    UNUSED(state);
    called_back = use_busy_context;
    calls = 0;
    assert_int_equal(run(2, NULL), KERNC_OK);
    assert_int_equal(calls, 5); /* of four threads' host function, and of the block's output */
}

/* Another context, made and launched by what a launch calls. */
static void use_other_context(void)
{
    kernc_context *own_context = context;
    kernc_module *own_module = module;
    kernc_kernel *own_kernel = kernel;
    kernc_buffer *own_buffer = buffer;
    kernc_statistics *own_statistics = statistics;
    assert_int_equal(set_up(NULL), 0);
    assert_int_equal(tear_down(NULL), 0);
    called_back = use_other_context;
    context = own_context, module = own_module, kernel = own_kernel, buffer = own_buffer;
    statistics = own_statistics;
}

static void launches_of_other_contexts(void **state)
{
    UNUSED(state);
    called_back = use_other_context;
    assert_int_equal(run(2, NULL), KERNC_OK);
}

/* ---- longjmp out of a launch --------------------------------------------------------------------------- */

static jmp_buf left;
static pthread_t launching;
static unsigned leave_at; /* the call that leaves */

static void leave(void)
{
    if (pthread_equal(pthread_self(), launching) && --leave_at == 0)
        longjmp(left, 1);
}

/* Of no use any more, and reachable: what a launch that was left has is not freed. */
static kernc_context *lost[8];

static void leave_launch(unsigned which, uint32_t threads, unsigned at)
{
    kernc_argument args[] = {kernc_arg_buffer("out", buffer), kernc_arg_int("n", 2)};
    kernc_launch l = launch_of(args, 2);
    kernc_module *m = NULL;
    kernc_buffer *b = NULL;
    int32_t x = 0;
    l.grid[0] = 64;
    l.threads = threads;
    leave_at = at;
    launching = pthread_self();
    called_back = leave;
    if (setjmp(left) == 0) {
        kernc_run(kernel, &l, NULL);
        fail();
    }
    invalid(run(1, NULL));
    assert_non_null(strstr(kernc_error_text(context), "or was left by longjmp"));
    invalid(kernc_module_load(context, source, sizeof source, &m));
    invalid(kernc_buffer_create(context, 8, NULL, &b));
    kernc_buffer_free(buffer); /* left out */
    kernc_module_free(module);
    kernc_context_free(context);
    assert_int_equal(kernc_buffer_read(buffer, 0, &x, 4), KERNC_OK);
    assert_true(x == 4 || (x == 1 && at <= 4)); /* of the first launch, before the first block has ended */
    lost[which] = context;
}

/* The context is lost, and nothing else: not this thread's guards for want of memory, nor other contexts. */
static void launches_left_by_longjmp(void **state)
{
    UNUSED(state);
    static const struct {
        uint32_t threads;
        unsigned at;
    } cases[] = {{1, 1}, {1, 5}, {1, 6}, {2, 1}, {2, 5}, {2, 22}};
    for (unsigned i = 0; i < COUNT(cases); i++) {
        struct mem_guard guard;
        leave_launch(i, cases[i].threads, cases[i].at);
        mem_guard_push(&guard);
        assert_null(guard.outer);
        mem_guard_leave(&guard);
        kernc_statistics_free(statistics);
        assert_int_equal(set_up(NULL), 0);
        assert_int_equal(run(2, NULL), KERNC_OK);
    }
}

/* ---- order --------------------------------------------------------------------------------------------- */

static void freed_in_any_order(void **state)
{
    UNUSED(state);
    kernc_context *c;
    kernc_buffer *a, *b;
    kernc_statistics *s;
    assert_int_equal(kernc_context_create(NULL, &c), KERNC_OK);
    assert_int_equal(kernc_buffer_create(c, 8, "a", &a), KERNC_OK);
    assert_int_equal(kernc_buffer_create(c, 8, "b", &b), KERNC_OK);
    kernc_buffer_free(a);
    kernc_context_free(c); /* b with it */
    assert_int_equal(kernc_kernel_statistics(kernel, &s), KERNC_OK);
    kernc_statistics_free(s);
    kernc_buffer_free(buffer);
    kernc_argument args[] = {kernc_arg_bits("out", 0), kernc_arg_int("n", 1)};
    kernc_launch l = launch_of(args, 2);
    assert_int_equal(kernc_run(kernel, &l, NULL), KERNC_TRAP); /* a null pointer */
    kernc_module_free(module);
    kernc_context_free(context);
    kernc_statistics_free(statistics);
    assert_int_equal(set_up(NULL), 0);
}

/* ---- stack --------------------------------------------------------------------------------------------- */

/* The kernels of one program under all schemes, each launched once. */
struct launches {
    kernc_kernel *kernels[32];
    unsigned count, good;
};

static void *launch_on_little_stack(void *data)
{
    struct launches *x = data;
    kernc_argument args[] = {kernc_arg_buffer("out", buffer), kernc_arg_int("n", 1)};
    for (unsigned i = 0; i < x->count; i++) {
        kernc_launch l = launch_of(args, 2);
        l.flags = KERNC_STATISTICS;
        x->good += kernc_run(x->kernels[i], &l, NULL) == KERNC_OK;
    }
    return NULL;
}

static kernc_kernel *compile_for(const char *scheme)
{
    static const char plain[] = "kernel void k(global int *out, int n) {\n"
                                "    if (threadIdx.x > n) out[threadIdx.x] = ballot(n > 0);\n"
                                "    printf(\"%d\\n\", n);\n"
                                "}\n";
    kernc_options o;
    kernc_module *m = NULL;
    kernc_options_init(&o);
    o.scheme = scheme;
    kernc_result *r = kernc_compile("k.kern", plain, sizeof plain - 1, &o);
    size_t n = 0;
    const char *bytes = kernc_result_text(r, KERNC_TEXT_BYTECODE, &n);
    assert_int_equal(kernc_module_load(context, bytes, n, &m), KERNC_OK);
    kernc_result_free(r);
    return kernc_module_kernel_at(m, 0);
}

/* 256 KiB, as kernc-rt.h has it; compiling on 2 MiB is in the tests of limits. */
static void launches_on_little_stack(void **state)
{
    UNUSED(state);
    pthread_attr_t attributes;
    pthread_t thread;
    struct launches x = {.count = 0};
    kernc_scheme s = {.size = sizeof s};
    while (x.count < COUNT(x.kernels) && kernc_scheme_at(x.count, &s))
        x.kernels[x.count++] = compile_for(s.name);
    pthread_attr_init(&attributes);
    assert_int_equal(pthread_attr_setstacksize(&attributes, 256 << 10), 0);
    assert_int_equal(pthread_create(&thread, &attributes, launch_on_little_stack, &x), 0);
    pthread_join(thread, NULL);
    pthread_attr_destroy(&attributes);
    assert_true(x.count >= 10);
    assert_int_equal(x.good, x.count);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(null_contexts),
        TEST(null_objects),
        TEST(null_arguments),
        TEST(null_statistics),
        TEST(sizes_of_structs),
        TEST(indices_out_of_range),
        TEST(sizes_of_buffers),
        TEST(ranges_of_buffers),
        TEST(arguments_of_launches),
        TEST(fields_of_launches),
        TEST(null_results),
        TEST(null_inputs),
        TEST(options),
        TEST(calls_of_the_launching_context),
        TEST(launches_of_other_contexts),
        TEST(launches_left_by_longjmp),
        TEST(freed_in_any_order),
        TEST(launches_on_little_stack),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
