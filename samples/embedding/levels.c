/* levels.c: a C program that launches kernels on the same buffers again and again, until one of them finds
 * nothing new: what `repeat while (found) { launch … }` does in a .kern file.
 *
 *     cc levels.c $(pkg-config --cflags --libs kernc) -o levels
 */
#include <kernc.h>
#include <stdio.h>
#include <string.h>

enum { NODES = 1024, BLOCK = 128 };

static const char source[] =
    "kernel void start(global int *distance)\n"
    "{\n"
    "    int node = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    distance[node] = node == 0 ? 0 : -1;\n"
    "}\n"
    "kernel void widen(global int *distance, global int *found, int level, int nodes)\n"
    "{\n"
    "    int node = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    if (atomic_or(&distance[node], 0) != level)\n"
    "        return;\n"
    "    for (int way = 0; way < 2; way++) {\n"
    "        int next = way ? (3 * node + 1) % nodes : (node + 17) % nodes;\n"
    "        if (atomic_cas(&distance[next], -1, level + 1) == -1)\n"
    "            atomic_or(found, 1);\n"
    "    }\n"
    "}\n";

struct search {
    kernc_context *context;
    kernc_module *module;
    kernc_kernel *start, *widen;
    kernc_buffer *distance, *found;
};

static kernc_status load(struct search *s)
{
    size_t n = 0;
    kernc_result *r = kernc_compile("levels.kern", source, strlen(source), NULL);
    const char *bytecode = kernc_result_text(r, KERNC_TEXT_BYTECODE, &n);
    kernc_status status = kernc_module_load(s->context, bytecode, n, &s->module);
    kernc_result_free(r);
    if (status == KERNC_OK)
        status = kernc_module_kernel(s->module, "start", &s->start);
    if (status == KERNC_OK)
        status = kernc_module_kernel(s->module, "widen", &s->widen);
    if (status == KERNC_OK)
        status = kernc_buffer_create(s->context, NODES * sizeof(int32_t), "distance", &s->distance);
    if (status == KERNC_OK)
        status = kernc_buffer_create(s->context, sizeof(int32_t), "found", &s->found);
    return status;
}

static kernc_status run(kernc_kernel *kernel, const kernc_argument *args, uint32_t count)
{
    kernc_launch launch = {.size = sizeof launch,
                           .grid = {NODES / BLOCK},
                           .block = {BLOCK},
                           .args = args,
                           .arg_count = count,
                           .flags = KERNC_STATISTICS};
    return kernc_run(kernel, &launch, NULL);
}

/* The buffers keep what a launch leaves: the next one goes on from there. *levels: launches of `widen`. */
static kernc_status search(struct search *s, int *levels)
{
    int32_t found = 1;
    kernc_status status = run(s->start, (kernc_argument[]){kernc_arg_buffer("distance", s->distance)}, 1);
    for (*levels = 0; status == KERNC_OK && found; ++*levels) {
        kernc_argument args[] = {kernc_arg_buffer("distance", s->distance),
                                 kernc_arg_buffer("found", s->found), kernc_arg_int("level", *levels),
                                 kernc_arg_int("nodes", NODES)};
        found = 0;
        kernc_buffer_write(s->found, 0, &found, sizeof found);
        status = run(s->widen, args, 4);
        kernc_buffer_read(s->found, 0, &found, sizeof found);
    }
    return status;
}

/* The sum over all launches of a kernel. */
static unsigned long long executed(kernc_kernel *kernel)
{
    kernc_statistics *sum = NULL;
    kernc_metrics metrics = {.size = sizeof metrics};
    if (kernc_kernel_statistics(kernel, &sum) == KERNC_OK)
        kernc_statistics_metrics(sum, &metrics);
    kernc_statistics_free(sum);
    return metrics.warp_instructions;
}

int main(void)
{
    struct search s = {0};
    int32_t distance[NODES], farthest = 0;
    int levels = 0;
    if (kernc_context_create(NULL, &s.context) != KERNC_OK)
        return 1;
    kernc_status status = load(&s);
    if (status == KERNC_OK)
        status = search(&s, &levels);
    if (status != KERNC_OK) {
        fprintf(stderr, "%s: %s\n", kernc_status_name(status), kernc_error_text(s.context));
    } else {
        kernc_buffer_read(s.distance, 0, distance, sizeof distance);
        for (int i = 0; i < NODES; i++)
            farthest = distance[i] > farthest ? distance[i] : farthest;
        printf("farthest node: %d, launches: %d, warp instructions: %llu\n", (int)farthest, levels,
               executed(s.start) + executed(s.widen));
    }
    kernc_context_free(s.context);
    return status != KERNC_OK;
}
