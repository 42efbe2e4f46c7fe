/* fuzz_run.c: see fuzz.h. */
#include "backend/format/bytecode/program.h"
#include "backend/format/warpcore/image.h"
#include "kernc-rt.h"
#include "runtime/module.h"
#include "test/fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>

enum { BUFFER_BYTES = 512, MOST_BUFFER_BYTES = 1 << 16 };
enum { MOST_PARAMETERS = 64, MOST_THREADS = 256, FUEL = 20000 };

static void drop_output(void *user, const char *bytes, size_t size)
{
}

/* A kernel with what its program says of it. */
struct entry {
    kernc_context *ctx;
    kernc_kernel *kernel;
    const struct launch *launch; /* NULL: the program has none of it */
    const struct be_param *params;
    uint32_t param_count;
    struct arena arena;
};

static struct entry entry_of(kernc_context *ctx, kernc_module *m, uint32_t index)
{
    const struct bc_program *p = rt_module_program(m);
    const struct wc_image *i = rt_module_image(m);
    struct entry t = {.ctx = ctx, .kernel = kernc_module_kernel_at(m, index)};
    t.params = p ? p->kernels.at[index].params.at : i->kernels.at[index].params.at;
    t.param_count = kernc_kernel_parameter_count(t.kernel);
    const struct launch *launches = p ? p->launches.at : i->launches.at;
    uint32_t count = p ? p->launches.count : i->launches.count;
    for (uint32_t k = 0; k < count && !t.launch; k++)
        if (launches[k].step == LAUNCH_KERNEL && strcmp(launches[k].kernel, kernc_kernel_name(t.kernel)) == 0)
            t.launch = &launches[k];
    return t;
}

/* ---- arguments --------------------------------------------------------------------------------------- */

/* Files are not read: the program that names them is not trusted. */
static const struct launch_value *value_of(const struct entry *t, const struct be_param *p)
{
    for (uint32_t i = 0; t->launch && i < t->launch->arguments.count; i++) {
        const struct launch_argument *a = &t->launch->arguments.at[i];
        if (strcmp(a->name, p->name) == 0 && a->value.kind != LAUNCH_FILE)
            return &a->value;
    }
    return NULL;
}

static kernc_buffer *make_buffer(struct entry *t, const struct be_param *p)
{
    const struct launch_value *v = value_of(t, p);
    void *bytes = NULL;
    size_t n = BUFFER_BYTES;
    if (v && launch_make_buffer(&t->arena, v, (enum launch_element)p->element, p->element_bytes, p->layout,
                                MOST_BUFFER_BYTES, &bytes, &n))
        bytes = NULL, n = BUFFER_BYTES;
    kernc_buffer *b = NULL;
    if (kernc_buffer_create(t->ctx, n, p->name, &b) == KERNC_OK && bytes && n)
        kernc_buffer_write(b, 0, bytes, n);
    mem_free(bytes);
    return b;
}

static kernc_argument argument_for(struct entry *t, const struct be_param *p, kernc_buffer **b)
{
    const struct launch_value *v = value_of(t, p);
    uint64_t bits;
    if (p->pointer && (*b = make_buffer(t, p)) != NULL)
        return kernc_arg_buffer(NULL, *b);
    if (!v || p->pointer || launch_make_scalar(v, (enum launch_element)p->element, 0, &bits))
        bits = 5;
    return kernc_arg_bits(NULL, bits);
}

/* ---- launches ---------------------------------------------------------------------------------------- */

/* Two blocks, as the program has them if they are not too large. */
static kernc_launch launch_of(const struct entry *t)
{
    kernc_launch l = {.size = sizeof l, .grid = {2}, .block = {6}, .fuel = FUEL, .flags = KERNC_STATISTICS};
    uint64_t threads = 1;
    for (int d = 0; t->launch && d < 3; d++)
        threads *= t->launch->block[d] <= MOST_THREADS ? t->launch->block[d] : 0;
    if (t->launch && threads && threads <= MOST_THREADS)
        memcpy(l.block, t->launch->block, sizeof l.block);
    return l;
}

static void run_kernel(struct entry *t, unsigned warp)
{
    kernc_argument args[MOST_PARAMETERS];
    kernc_buffer *buffers[MOST_PARAMETERS] = {NULL};
    if (t->param_count > MOST_PARAMETERS)
        return;
    for (uint32_t i = 0; i < t->param_count; i++)
        args[i] = argument_for(t, &t->params[i], &buffers[i]);
    kernc_launch launch = launch_of(t);
    launch.args = args;
    launch.arg_count = t->param_count;
    launch.warp = warp;
    uint32_t sizes[16];
    launch.shared_sizes = sizes;
    while (kernc_kernel_shared_array(t->kernel, launch.shared_count, NULL))
        sizes[launch.shared_count++] = 64;
    kernc_statistics *s = NULL;
    if (kernc_run(t->kernel, &launch, &s) == KERNC_NO_MEMORY) {
        fprintf(stderr, "the program uses up the host's memory\n");
        abort();
    }
    kernc_statistics_free(s);
    for (uint32_t i = 0; i < t->param_count; i++)
        kernc_buffer_free(buffers[i]);
}

bool fuzz_run_within(kernc_context *ctx, const void *bytes, size_t size, unsigned warp)
{
    kernc_module *m;
    if (kernc_module_load(ctx, bytes, size, &m) != KERNC_OK)
        return false;
    for (uint32_t i = 0; i < kernc_module_kernel_count(m) && i < 4; i++) {
        struct entry t = entry_of(ctx, m, i);
        run_kernel(&t, warp);
        arena_free(&t.arena);
    }
    kernc_module_free(m);
    return true;
}

kernc_context *fuzz_context(void)
{
    kernc_context_options o = {.size = sizeof o, .max_memory = 16 << 20, .output = drop_output};
    kernc_context *ctx = NULL;
    kernc_context_create(&o, &ctx);
    return ctx;
}

bool fuzz_run_program(const void *bytes, size_t size, unsigned warp)
{
    kernc_context *ctx = fuzz_context();
    bool taken = ctx && fuzz_run_within(ctx, bytes, size, warp);
    kernc_context_free(ctx);
    return taken;
}
