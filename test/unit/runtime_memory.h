/* runtime_memory.h: programs with a buffer to read and one to write. */
#ifndef KERNC_TEST_UNIT_RUNTIME_MEMORY_H
#define KERNC_TEST_UNIT_RUNTIME_MEMORY_H

#include "test/unit/runtime_program.h"
#include <cmocka.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

static kernc_context *context;
static kernc_buffer *in, *out;

/* Registers: v0 lane, v1 index (from `index` below), v2 v4 values; s0 in, s1 out; m0 odd lanes; v8 = 1, v9 =
 * 0. */
static inline struct maker begin(void)
{
    struct maker m = make_program(32, 8, 16);
    make_fill(&m, BC_FROM_PARAM, BC_KIND_S, 0, make_param(&m, "in", BE_PTR));
    make_fill(&m, BC_FROM_PARAM, BC_KIND_S, 1, make_param(&m, "out", BE_PTR));
    make_fill(&m, BC_FROM_SPECIAL, BC_KIND_V, 0, BC_SPECIAL_LANE);
    make_fill(&m, BC_FROM_CONSTANT, BC_KIND_V, 8, 1);
    make_fill(&m, BC_FROM_CONSTANT, BC_KIND_V, 9, 0);
    make_fill(&m, BC_FROM_PARAM, BC_KIND_V, 10, 0);
    make_fill(&m, BC_FROM_PARAM, BC_KIND_V, 11, 1);
    make_block(&m, 0);
    return m;
}

static inline kernc_launch launch_of(uint32_t threads, uint32_t warp, const char *isa, kernc_argument args[2])
{
    args[0] = kernc_arg_buffer(NULL, in);
    args[1] = kernc_arg_buffer(NULL, out);
    return (kernc_launch){.size = sizeof(kernc_launch),
                          .block = {threads},
                          .warp = warp,
                          .args = args,
                          .arg_count = 2,
                          .isa = isa,
                          .flags = KERNC_STATISTICS};
}

static inline kernc_status run(struct maker *m, uint32_t threads, const char *isa, kernc_metrics *metrics)
{
    kernc_module *module = make_finish(m, context);
    if (!module)
        fail_msg("%s", kernc_error_text(context));
    kernc_argument args[2];
    kernc_launch l = launch_of(threads, threads < 64 ? threads : 64, isa, args);
    kernc_statistics *s = NULL;
    kernc_status status = kernc_run(kernc_module_kernel_at(module, 0), &l, &s);
    if (metrics) {
        *metrics = (kernc_metrics){.size = sizeof *metrics};
        kernc_statistics_metrics(s, metrics);
    }
    kernc_statistics_free(s);
    kernc_module_free(module);
    return status;
}

static inline int set_up(void **state)
{
    UNUSED(state);
    if (kernc_context_create(NULL, &context) != KERNC_OK ||
        kernc_buffer_create(context, 1024, "in", &in) != KERNC_OK ||
        kernc_buffer_create(context, 1024, "out", &out) != KERNC_OK)
        return -1;
    for (unsigned i = 0; i < 1024; i++)
        ((uint8_t *)kernc_buffer_map(in))[i] = (uint8_t)(i * 37 + i / 256);
    return 0;
}

static inline int tear_down(void **state)
{
    UNUSED(state);
    kernc_context_free(context);
    return 0;
}

#endif
