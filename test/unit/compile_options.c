/* compile_options.c: entries of kernc_options that the compiler refuses, and what it says. */
#include "include/kernc.h"

#include "base/base.h"

#include <cmocka.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

static const char kernel[] = "kernel void k(global float *out, int n) {\n"
                             "    float v = 0;\n"
                             "    for (int i = 0; i < n; i++) v += out[i];\n"
                             "    out[threadIdx.x] = v;\n"
                             "}\n";

static void expect(const kernc_options *o, kernc_compile_status wanted, const char *message)
{
    kernc_result *r = kernc_compile("k.kern", kernel, sizeof kernel - 1, o);
    const char *said = kernc_result_text(r, KERNC_TEXT_DIAGNOSTICS, NULL);
    if (kernc_result_status(r) != wanted || (message && (!said || !strstr(said, message))))
        fail_msg("status %d, \"%s\" for \"%s\"", (int)kernc_result_status(r), said ? said : "", message);
    assert_true((wanted == KERNC_COMPILED) == (kernc_result_text(r, KERNC_TEXT_BYTECODE, NULL) != NULL));
    kernc_result_free(r);
}

static kernc_options barrier_options(void)
{
    kernc_options o;
    kernc_options_init(&o);
    o.scheme = "barrier";
    return o;
}

/* Each is refused behind one that is right, too. */
static void arguments(void **state)
{
    UNUSED(state);
    static const struct {
        const char *entry, *message;
    } wrong[] = {
        {"", "argument '': wanted: NAME=SPEC"},
        {"n", "argument 'n': wanted: NAME=SPEC"},
        {"n=", "argument 'n=': "},
        {"n=four", "argument 'n=four': "},
        {"n=4 5", "argument 'n=4 5': "},
        {"out=zeros(", "argument 'out=zeros(': "},
        {"out=zeros(-1)", "argument 'out=zeros(-1)': "},
        {"out={1, 2", "argument 'out={1, 2': "},
        {"=4", "argument '=4': "},
    };
    kernc_options o = barrier_options();
    for (size_t i = 0; i < COUNT(wrong); i++) {
        const char *const entries[] = {"n=4", wrong[i].entry};
        o.arguments = entries + 1, o.argument_count = 1;
        expect(&o, KERNC_BAD_OPTION, wrong[i].message);
        o.arguments = entries, o.argument_count = 2;
        expect(&o, KERNC_BAD_OPTION, wrong[i].message);
    }
}

static void arguments_that_are_right(void **state)
{
    UNUSED(state);
    static const char *const entries[] = {"n=4", "out=zeros(64)", "n=5"};
    kernc_options o = barrier_options();
    o.arguments = entries, o.argument_count = COUNT(entries);
    expect(&o, KERNC_COMPILED, NULL);
    o.argument_count = 0;
    expect(&o, KERNC_COMPILED, NULL);
}

static void thresholds(void **state)
{
    UNUSED(state);
    kernc_threshold t = {.line = 2, .column = 5, .threshold = KERNC_MAX_WARP + 1};
    kernc_options o = barrier_options();
    o.thresholds = &t, o.threshold_count = 1;
    expect(&o, KERNC_BAD_OPTION, "a threshold is a number from 0 to 64, not 65");
    t.threshold = KERNC_THRESHOLD_OFF;
    expect(&o, KERNC_COMPILED, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arguments),
        cmocka_unit_test(arguments_that_are_right),
        cmocka_unit_test(thresholds),
    };
    return cmocka_run_group_tests_name("compile: options", tests, NULL, NULL);
}
