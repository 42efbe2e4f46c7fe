/* run_kbc.c: runs the only kernel of a compiled file with the small library alone: no compiler is linked.
 * Every pointer parameter gets a buffer of 1,024 zeros; the first bytes of the first one are printed.
 *
 *     kernc build fill.kern -o fill.kbc
 *     cc run_kbc.c $(pkg-config --cflags --libs kernc-rt) -o run_kbc && ./run_kbc fill.kbc
 */
#include <kernc-rt.h>
#include <stdio.h>

#define MOST_BYTES 1000000
#define PARAMETERS 8

static char bytes[MOST_BYTES];

static int failed(const kernc_context *ctx)
{
    const kernc_trap *t = kernc_last_trap(ctx);
    if (t)
        fprintf(stderr, "%s:%u: %s\n", t->file, t->line, t->text);
    else
        fprintf(stderr, "%s\n", kernc_error_text(ctx));
    return 1;
}

static int run(kernc_context *ctx, size_t n)
{
    kernc_module *module;
    kernc_kernel *kernel;
    kernc_buffer *buffers[PARAMETERS] = {0};
    kernc_argument args[PARAMETERS];
    if (kernc_module_load(ctx, bytes, n, &module) != KERNC_OK ||
        kernc_module_kernel(module, NULL, &kernel) != KERNC_OK)
        return failed(ctx);
    uint32_t count = kernc_kernel_parameter_count(kernel);
    for (uint32_t i = 0; i < count && i < PARAMETERS; i++) {
        kernc_parameter p = {.size = sizeof p};
        kernc_kernel_parameter(kernel, i, &p);
        if (p.is_pointer && kernc_buffer_create(ctx, 1024 * p.element_bytes, p.name, &buffers[i]) != KERNC_OK)
            return failed(ctx);
        args[i] = p.is_pointer ? kernc_arg_buffer(NULL, buffers[i]) : kernc_arg_bits(NULL, 1024);
    }
    kernc_launch launch = {
        .size = sizeof launch, .grid = {8}, .block = {128}, .args = args, .arg_count = count};
    if (count > PARAMETERS || kernc_run(kernel, &launch, NULL) != KERNC_OK)
        return failed(ctx);
    const int *first = kernc_buffer_map(buffers[0]);
    printf("%s: %d %d %d %d\n", kernc_kernel_name(kernel), first[0], first[1], first[2], first[3]);
    return 0;
}

int main(int argc, char **argv)
{
    kernc_context *ctx;
    FILE *f = argc == 2 ? fopen(argv[1], "rb") : NULL;
    if (!f) {
        fprintf(stderr, "usage: run_kbc FILE.kbc\n");
        return 64;
    }
    size_t n = fread(bytes, 1, sizeof bytes, f);
    fclose(f);
    if (kernc_context_create(NULL, &ctx) != KERNC_OK)
        return 1;
    int code = run(ctx, n);
    kernc_context_free(ctx);
    return code;
}
