/* api_test.c: every function of the public headers runs out of memory at every place: it says
 * KERNC_NO_MEMORY, and the same call in the same context then does what it does in a fresh one. The
 * address sanitizer finds what was not freed.
 */
#include "include/kernc.h"

#include "base/base.h"
#include "test/memory/failing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const char source[] = "kernel void k(global int *out, int n) {\n"
                             "    int t = threadIdx.x;\n"
                             "    for (int i = 0; i < n + t % 2; i++)\n"
                             "        out[t] += i;\n"
                             "    out[0] = t;\n"
                             "    printf(\"%d\\n\", t);\n"
                             "}\n";

/* What one case is about: made by `prepare` without failures; `call` is what fails, `undo` takes it back. */
struct test {
    const char *scheme, *checks;
    int trace;
    bool steps;
    uint32_t threads;
    kernc_context *context;
    kernc_module *module;
    kernc_kernel *kernel;
    kernc_buffer *buffer;
    kernc_statistics *statistics;
    struct text program;
    uint64_t seen; /* a hash of what callbacks got and buffers hold */
};

static void take(void *user, const char *bytes, size_t n)
{
    struct test *t = user;
    t->seen = hash_mix(t->seen, hash_bytes(bytes, n));
}

static void take_step(void *user, const kernc_step *s)
{
    struct test *t = user;
    t->seen = hash_mix(t->seen, s->active);
}

/* ---- calls --------------------------------------------------------------------------------------------- */

static kernc_status create(struct test *t)
{
    kernc_context_options o = {.size = sizeof o, .output = take, .output_user = t};
    return kernc_context_create(&o, &t->context);
}

static void undo_create(struct test *t)
{
    kernc_context_free(t->context);
    t->context = NULL;
}

static kernc_status host_function(struct test *t)
{
    return kernc_host_function(t->context, "f", (void (*)(void))take);
}

static kernc_status library(struct test *t)
{
    return kernc_load_library(t->context, "libm.so.6");
}

static void nothing(struct test *t)
{
    UNUSED(t);
}

static kernc_status load(struct test *t)
{
    return kernc_module_load(t->context, t->program.at, t->program.length, &t->module);
}

static void undo_load(struct test *t)
{
    kernc_module_free(t->module);
}

static kernc_status make_buffer(struct test *t)
{
    return kernc_buffer_create(t->context, 64, "out", &t->buffer);
}

static void undo_buffer(struct test *t)
{
    kernc_buffer_free(t->buffer);
}

static kernc_status run(struct test *t)
{
    kernc_argument args[] = {kernc_arg_buffer("out", t->buffer), kernc_arg_int("n", 3)};
    kernc_launch l = {.size = sizeof l,
                      .grid = {4},
                      .block = {8},
                      .args = args,
                      .arg_count = 2,
                      .threads = t->threads,
                      .flags = KERNC_STATISTICS,
                      .trace = t->trace,
                      .trace_output = take,
                      .trace_user = t,
                      .step = t->steps ? take_step : NULL,
                      .step_user = t};
    t->statistics = NULL;
    kernc_status status = kernc_run(t->kernel, &l, &t->statistics);
    if (status == KERNC_NO_MEMORY) {
        assert_null(t->statistics);
        assert_null(kernc_last_trap(t->context));
    }
    return status;
}

static void undo_run(struct test *t)
{
    kernc_statistics_free(t->statistics);
    memset(kernc_buffer_map(t->buffer), 0, 64);
    kernc_alarms_forget(t->context);
    t->seen = 0;
}

/* As it comes out of a good launch. */
static uint64_t result_of(struct test *t)
{
    kernc_metrics m = {.size = sizeof m};
    kernc_alarm a = {.size = sizeof a};
    unsigned alarms = 0;
    kernc_statistics_metrics(t->statistics, &m);
    while (kernc_alarm_at(t->context, alarms, &a))
        alarms++;
    uint64_t hash = hash_mix(m.warp_instructions, alarms);
    hash = hash_mix(hash, t->threads == 1 ? hash_bytes(kernc_buffer_map(t->buffer), 64) : 0);
    return hash_mix(hash, t->seen);
}

static kernc_status sum(struct test *t)
{
    return kernc_kernel_statistics(t->kernel, &t->statistics);
}

static void undo_sum(struct test *t)
{
    kernc_statistics_free(t->statistics);
}

/* ---- everywhere ---------------------------------------------------------------------------------------- */

static void fail_everywhere(struct test *t, kernc_status (*call)(struct test *), void (*undo)(struct test *),
                            bool compares)
{
    enum { MOST = 100000 };
    uint64_t good = 0;
    assert_int_equal(call(t), KERNC_OK);
    if (compares)
        good = result_of(t);
    undo(t);
    for (int onwards = 0; onwards < 2; onwards++)
        for (long k = 1;; k++) {
            failing_begin(k, onwards);
            kernc_status status = call(t);
            long n = failing_end();
            if (status != KERNC_OK && status != KERNC_NO_MEMORY)
                fail_msg("%s, request %ld of %ld: %s: %s", t->scheme, k, n, kernc_status_name(status),
                         kernc_error_text(t->context));
            if (status == KERNC_OK) /* nothing failed, or what can be done without */
                undo(t);
            else if (call != create)
                assert_non_null(strstr(kernc_error_text(t->context), "memory"));
            if (compares)
                undo_run(&(struct test){.context = t->context, .buffer = t->buffer}), t->seen = 0;
            assert_int_equal(call(t), KERNC_OK);
            if (compares && result_of(t) != good)
                fail_msg("%s, request %ld of %ld: the next launch gives something else", t->scheme, k, n);
            undo(t);
            if (n < k)
                break;
            assert_true(k < MOST);
        }
}

static void everything(struct test t)
{
    kernc_options o;
    kernc_options_init(&o);
    o.scheme = t.scheme;
    o.checks = t.checks;
    kernc_result *r = kernc_compile("k.kern", source, sizeof source - 1, &o);
    size_t n = 0;
    const char *bytes = kernc_result_text(r, KERNC_TEXT_BYTECODE, &n);
    assert_non_null(bytes);
    text_add(&t.program, bytes, n);
    kernc_result_free(r);
    fail_everywhere(&t, create, undo_create, false);
    assert_int_equal(create(&t), KERNC_OK);
    fail_everywhere(&t, host_function, nothing, false);
    fail_everywhere(&t, load, undo_load, false);
    fail_everywhere(&t, make_buffer, undo_buffer, false);
    assert_int_equal(load(&t), KERNC_OK);
    assert_int_equal(make_buffer(&t), KERNC_OK);
    t.kernel = kernc_module_kernel_at(t.module, 0);
    fail_everywhere(&t, run, undo_run, true);
    fail_everywhere(&t, sum, undo_sum, false);
    kernc_context_free(t.context);
    text_free(&t.program);
}

/* ---- tests --------------------------------------------------------------------------------------------- */

static void all_schemes(void **state)
{
    UNUSED(state);
    kernc_scheme s = {.size = sizeof s};
    for (unsigned i = 0; kernc_scheme_at(i, &s); i++)
        everything((struct test){.scheme = s.name, .threads = 1, .steps = i % 2});
}

static void several_threads(void **state)
{
    UNUSED(state);
    everything((struct test){.scheme = "pdom", .threads = 3});
}

static void traces(void **state)
{
    UNUSED(state);
    static const char *const schemes[] = {"barrier", "warp-core:rpc"};
    for (size_t i = 0; i < COUNT(schemes); i++)
        for (int trace = KERNC_TRACE_VCD; trace <= KERNC_TRACE_TEXT; trace++)
            everything((struct test){.scheme = schemes[i], .threads = 1, .trace = trace});
}

static void checks(void **state)
{
    UNUSED(state);
    everything((struct test){.scheme = "pdom", .checks = "all", .threads = 1});
    everything((struct test){.scheme = "oracle", .checks = "uniformity", .threads = 1});
}

static void libraries(void **state)
{
    UNUSED(state);
    struct test t = {.scheme = "pdom"};
    assert_int_equal(create(&t), KERNC_OK);
    assert_int_equal(library(&t), KERNC_OK); /* what the loader keeps for the process is there */
    fail_everywhere(&t, library, nothing, false);
    kernc_context_free(t.context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_schemes), cmocka_unit_test(several_threads), cmocka_unit_test(traces),
        cmocka_unit_test(checks),      cmocka_unit_test(libraries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
