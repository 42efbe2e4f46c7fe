/* saxpy.c: a C program that compiles a Kern kernel from a string, runs it, and checks the result.
 *
 *     cc saxpy.c $(pkg-config --cflags --libs kernc) -o saxpy
 */
#include <kernc.h>
#include <stdio.h>
#include <string.h>

static const char source[] = "kernel void saxpy(global float *y, const global float *x, float a, int n)\n"
                             "{\n"
                             "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                             "    if (i < n)\n"
                             "        y[i] = a * x[i] + y[i];\n"
                             "}\n";

enum { N = 1000 };

/* Compiles the source and loads the bytecode into the context. */
static kernc_module *build(kernc_context *ctx)
{
    kernc_module *module = NULL;
    kernc_result *r = kernc_compile("saxpy.kern", source, strlen(source), NULL);
    size_t n;
    const char *messages = kernc_result_text(r, KERNC_TEXT_DIAGNOSTICS, NULL);
    const char *bytecode = kernc_result_text(r, KERNC_TEXT_BYTECODE, &n);
    if (messages)
        fputs(messages, stderr);
    if (bytecode && kernc_module_load(ctx, bytecode, n, &module) != KERNC_OK)
        fprintf(stderr, "%s\n", kernc_error_text(ctx));
    kernc_result_free(r);
    return module;
}

static kernc_status run(kernc_context *ctx, kernc_module *module, const float *x, float *y)
{
    kernc_kernel *kernel;
    kernc_buffer *bx, *by;
    kernc_statistics *statistics = NULL;
    kernc_status status = kernc_module_kernel(module, "saxpy", &kernel);
    if (status == KERNC_OK)
        status = kernc_buffer_create(ctx, N * sizeof *x, "x", &bx);
    if (status == KERNC_OK)
        status = kernc_buffer_create(ctx, N * sizeof *y, "y", &by);
    if (status != KERNC_OK)
        return status;
    kernc_buffer_write(bx, 0, x, N * sizeof *x);
    kernc_buffer_write(by, 0, y, N * sizeof *y);

    kernc_argument args[] = {kernc_arg_buffer("y", by), kernc_arg_buffer("x", bx), kernc_arg_float("a", 2),
                             kernc_arg_int("n", N)};
    kernc_launch launch = {.size = sizeof launch, .grid = {8}, .block = {128}, .args = args, .arg_count = 4};
    status = kernc_run(kernel, &launch, &statistics);
    if (status != KERNC_OK)
        return status;
    kernc_metrics metrics = {.size = sizeof metrics};
    if (kernc_statistics_metrics(statistics, &metrics))
        printf("SIMT efficiency %.1f %%\n", 100 * metrics.simt_efficiency);
    kernc_statistics_free(statistics);
    return kernc_buffer_read(by, 0, y, N * sizeof *y);
}

int main(void)
{
    float x[N], y[N];
    kernc_context *ctx;
    for (int i = 0; i < N; i++) {
        x[i] = (float)i;
        y[i] = 1;
    }
    if (kernc_context_create(NULL, &ctx) != KERNC_OK)
        return 1;
    kernc_module *module = build(ctx);
    kernc_status status = module ? run(ctx, module, x, y) : KERNC_BAD_PROGRAM;
    if (module && status != KERNC_OK)
        fprintf(stderr, "%s: %s\n", kernc_status_name(status), kernc_error_text(ctx));
    kernc_context_free(ctx);
    if (status != KERNC_OK)
        return 1;
    for (int i = 0; i < N; i++)
        if (y[i] != 2 * x[i] + 1)
            return 1;
    printf("y[999] = %g\n", (double)y[999]);
    return 0;
}
