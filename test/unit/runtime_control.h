/* runtime_control.h: programs that run in one context, on one buffer of words. */
#ifndef KERNC_TEST_UNIT_RUNTIME_CONTROL_H
#define KERNC_TEST_UNIT_RUNTIME_CONTROL_H

#include "test/unit/runtime_program.h"
#include <cmocka.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

enum { THREADS = 256 };

static kernc_context *context;
static kernc_buffer *out;
static struct text printed;
static kernc_metrics metrics;
static kernc_launch options; /* what run() uses beside arguments; reset by begin() */
static bool modelled;        /* run() also tries the model of a warp that holds a block, if one does */

static inline uint32_t *words(void)
{
    return kernc_buffer_map(out);
}

static inline void collect(void *user, const char *bytes, size_t size)
{
    text_add(user, bytes, size);
}

/* Registers: v0 thread index, v1 lane, v2 = 1, v3 = 0, s0 out, s1 = 1;
 * v4 … v15, m0 … m7, s2 … s15 are free. */
static inline struct maker begin(void)
{
    struct maker m = make_program(40, 8, 16);
    make_fill(&m, BC_FROM_PARAM, BC_KIND_S, 0, make_param(&m, "out", BE_PTR));
    make_fill(&m, BC_FROM_CONSTANT, BC_KIND_S, 1, 1);
    make_fill(&m, BC_FROM_SPECIAL, BC_KIND_V, 0, BC_SPECIAL_TID_X);
    make_fill(&m, BC_FROM_SPECIAL, BC_KIND_V, 1, BC_SPECIAL_LANE);
    make_fill(&m, BC_FROM_CONSTANT, BC_KIND_V, 2, 1);
    make_fill(&m, BC_FROM_CONSTANT, BC_KIND_V, 3, 0);
    make_block(&m, 0);
    options = (kernc_launch){.size = sizeof options, .block = {32}, .warp = 32};
    text_free(&printed);
    memset(words(), 0, THREADS * 4);
    return m;
}

static inline void constant(struct maker *m, unsigned v, uint32_t value)
{
    make_fill(m, BC_FROM_CONSTANT, BC_KIND_V, v, value);
}

static inline void op3(struct maker *m, enum scalar_case c, unsigned d, unsigned a, unsigned b)
{
    make(m, bc_scalar_op(c, BC_FORM_V), .d = (uint16_t)d, .a = (uint16_t)a, .b = (uint16_t)b);
}

static inline void store_result(struct maker *m, unsigned v)
{
    make(m, BC_stx_g32, .d = (uint16_t)v, .a = 0, .b = 0, .c = 2, .e = make_site(m, BC_SITE_GLOBAL));
}

static inline kernc_status launch(kernc_module *module)
{
    kernc_argument args[] = {kernc_arg_buffer("out", out)};
    options.args = args;
    options.arg_count = 1;
    kernc_statistics *s = NULL;
    kernc_status status = kernc_run(kernc_module_kernel_at(module, 0), &options, &s);
    metrics.size = sizeof metrics;
    kernc_statistics_metrics(s, &metrics);
    kernc_statistics_free(s);
    return status;
}

/* Again, with the model: the same memory and counts. */
static inline void launch_modelled(kernc_module *module)
{
    uint32_t left[THREADS];
    kernc_metrics first = metrics;
    memcpy(left, words(), sizeof left);
    memset(words(), 0, sizeof left);
    options.flags |= KERNC_BLOCK_WARP;
    assert_int_equal(launch(module), KERNC_OK);
    options.flags &= ~(uint32_t)KERNC_BLOCK_WARP;
    assert_memory_equal(words(), left, sizeof left);
    assert_int_equal(metrics.block_warp_instructions, first.warp_instructions);
    assert_true(metrics.activity_factor == first.activity_factor);
    metrics = first;
}

static inline kernc_status run(struct maker *m)
{
    kernc_module *module = make_finish(m, context);
    if (!module)
        fail_msg("%s", kernc_error_text(context));
    kernc_status status = launch(module);
    if (status == KERNC_OK && modelled && metrics.activity_factor >= 0)
        launch_modelled(module);
    kernc_module_free(module);
    return status;
}

static inline void run_well(struct maker *m)
{
    if (run(m) != KERNC_OK)
        fail_msg("%s", kernc_error_text(context));
}

static inline void run_to_fault(struct maker *m, kernc_status status, const char *text)
{
    assert_int_equal(run(m), status);
    if (!strstr(kernc_error_text(context), text))
        fail_msg("\"%s\" says nothing of \"%s\"", kernc_error_text(context), text);
}

static inline int set_up(void **state)
{
    UNUSED(state);
    kernc_context_options o = {.size = sizeof o, .output = collect, .output_user = &printed};
    bool made = kernc_context_create(&o, &context) == KERNC_OK &&
                kernc_buffer_create(context, 1024, "out", &out) == KERNC_OK;
    return made ? 0 : -1;
}

static inline int tear_down(void **state)
{
    UNUSED(state);
    text_free(&printed);
    kernc_context_free(context);
    return 0;
}

#endif
