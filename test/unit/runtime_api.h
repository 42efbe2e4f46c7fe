/* runtime_api.h: a kernel of six parameters in a context. */
#ifndef KERNC_TEST_UNIT_RUNTIME_API_H
#define KERNC_TEST_UNIT_RUNTIME_API_H

#include "test/unit/runtime_program.h"
#include <cmocka.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

static kernc_context *context;
static kernc_module *module;
static kernc_kernel *kernel;
static kernc_buffer *buffer;

/* k(global int *p, int n, float f, double d, long l, bool b): stores n to p. */
static inline kernc_module *make_module(kernc_context *c)
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

static inline kernc_argument typed(const char *name, kernc_argument_kind kind, uint64_t bits)
{
    kernc_argument a = kernc_arg_bits(name, bits);
    a.kind = kind;
    return a;
}

struct arguments {
    kernc_argument at[7];
};

static inline struct arguments good_arguments(bool named)
{
    struct arguments a = {{kernc_arg_buffer("p", buffer), kernc_arg_int("n", 7), kernc_arg_float("f", 1),
                           typed("d", KERNC_ARG_DOUBLE, 0), typed("l", KERNC_ARG_LONG, 5),
                           typed("b", KERNC_ARG_BOOL, 1)}};
    for (unsigned i = 0; i < 6 && !named; i++)
        a.at[i].name = NULL;
    return a;
}

static inline kernc_status run(const struct arguments *a, uint32_t count)
{
    kernc_launch l = {.size = sizeof l, .block = {32}, .args = a->at, .arg_count = count};
    return kernc_run(kernel, &l, NULL);
}

static inline void expect(kernc_status got, kernc_status wanted, const char *text)
{
    assert_int_equal(got, wanted);
    if (!strstr(kernc_error_text(context), text))
        fail_msg("\"%s\" says nothing of \"%s\"", kernc_error_text(context), text);
}

static inline int set_up(void **state)
{
    UNUSED(state);
    if (kernc_context_create(NULL, &context) != KERNC_OK ||
        kernc_buffer_create(context, 4096, "p", &buffer) != KERNC_OK)
        return -1;
    module = make_module(context);
    kernel = kernc_module_kernel_at(module, 0);
    return kernel ? 0 : -1;
}

static inline int tear_down(void **state)
{
    UNUSED(state);
    kernc_context_free(context);
    return 0;
}

#endif
