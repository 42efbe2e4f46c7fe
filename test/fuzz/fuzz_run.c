/* fuzz_run.c: see fuzz.h. */
#include "test/fuzz/fuzz.h"
#include "kernc-rt.h"

#include <stdlib.h>

#define BUFFER_BYTES 512
#define MOST_PARAMETERS 64

static void drop_output(void *user, const char *bytes, size_t size)
{
}

static kernc_argument argument_for(kernc_context *ctx, const kernc_parameter *p, kernc_buffer **b)
{
    if (p->is_pointer && kernc_buffer_create(ctx, BUFFER_BYTES, "b", b) == KERNC_OK)
        return kernc_arg_buffer(NULL, *b);
    return kernc_arg_bits(NULL, 5);
}

static void run_kernel(kernc_context *ctx, kernc_kernel *k, unsigned warp)
{
    kernc_argument args[MOST_PARAMETERS];
    kernc_buffer  *buffers[MOST_PARAMETERS] = {NULL};
    uint32_t       n = kernc_kernel_parameter_count(k);
    if (n > MOST_PARAMETERS)
        return;
    for (uint32_t i = 0; i < n; i++) {
        kernc_parameter p;
        if (!kernc_kernel_parameter(k, i, &p))
            abort();
        args[i] = argument_for(ctx, &p, &buffers[i]);
    }
    kernc_launch launch = {.size = sizeof launch, .grid = {2}, .block = {6}, .args = args, .arg_count = n};
    launch.warp = warp;
    launch.fuel = 20000;
    launch.flags = KERNC_STATISTICS;
    kernc_statistics *s = NULL;
    kernc_run(k, &launch, &s);
    kernc_statistics_free(s);
    for (uint32_t i = 0; i < n; i++)
        kernc_buffer_free(buffers[i]);
}

void fuzz_run_within(kernc_context *ctx, const void *bytes, size_t size, unsigned warp)
{
    kernc_module *m;
    if (kernc_module_load(ctx, bytes, size, &m) != KERNC_OK)
        return;
    for (uint32_t i = 0; i < kernc_module_kernel_count(m) && i < 4; i++)
        run_kernel(ctx, kernc_module_kernel_at(m, i), warp);
    kernc_module_free(m);
}

void fuzz_run_program(const void *bytes, size_t size, unsigned warp)
{
    kernc_context_options o = {.size = sizeof o, .max_memory = 16 << 20, .output = drop_output};
    kernc_context        *ctx;
    if (kernc_context_create(&o, &ctx) != KERNC_OK)
        return;
    fuzz_run_within(ctx, bytes, size, warp);
    kernc_context_free(ctx);
}
