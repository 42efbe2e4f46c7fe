/* fuzz_run.c: see fuzz.h. */
#include "test/fuzz/fuzz.h"
#include "kernc-rt.h"

#define BUFFER_BYTES 512
#define MOST_PARAMETERS 64

static void drop_output(void *user, const char *bytes, size_t size)
{
}

static kernc_argument argument_for(kernc_context *ctx, const kernc_parameter *p)
{
    kernc_buffer *b = NULL;
    if (p->is_pointer && kernc_buffer_create(ctx, BUFFER_BYTES, "b", &b) == KERNC_OK)
        return kernc_arg_buffer(NULL, b);
    return kernc_arg_bits(NULL, 5);
}

static void run_kernel(kernc_context *ctx, kernc_kernel *k)
{
    kernc_argument args[MOST_PARAMETERS];
    uint32_t       n = kernc_kernel_parameter_count(k);
    for (uint32_t i = 0; i < n && i < MOST_PARAMETERS; i++) {
        kernc_parameter p;
        if (!kernc_kernel_parameter(k, i, &p))
            return;
        args[i] = argument_for(ctx, &p);
    }
    kernc_launch launch = {.size = sizeof launch, .grid = {2}, .block = {6}, .args = args, .arg_count = n};
    launch.warp = 4;
    launch.fuel = 20000;
    launch.flags = KERNC_STATISTICS;
    kernc_statistics *s = NULL;
    if (n <= MOST_PARAMETERS)
        kernc_run(k, &launch, &s);
    kernc_statistics_free(s);
}

void fuzz_run_program(const void *bytes, size_t size)
{
    kernc_context_options o = {.size = sizeof o, .max_memory = 16 << 20, .output = drop_output};
    kernc_context        *ctx;
    kernc_module         *m;
    if (kernc_context_create(&o, &ctx) != KERNC_OK)
        return;
    if (kernc_module_load(ctx, bytes, size, &m) == KERNC_OK)
        for (uint32_t i = 0; i < kernc_module_kernel_count(m) && i < 4; i++)
            run_kernel(ctx, kernc_module_kernel_at(m, i));
    kernc_context_free(ctx);
}
