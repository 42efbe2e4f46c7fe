/* opencl.c: times one benchmark kernel on the first OpenCL device it finds (PoCL;
 * Oclgrind when run under it).
 *
 *     bench_opencl CASE RUNS      prints the median CPU seconds of a launch, compilation and copies left out,
 *                                 and "equal" or "DIFFERENT" against plain C
 */
#define CL_TARGET_OPENCL_VERSION 120
#include "test/bench/cases.h"
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void need(cl_int status, const char *what)
{
    if (status != CL_SUCCESS) {
        fprintf(stderr, "bench_opencl: %s: OpenCL error %d\n", what, status);
        exit(2);
    }
}

static cl_kernel build(cl_context context, cl_device_id device, const struct bench_case *c)
{
    char path[128];
    static char source[16384];
    snprintf(path, sizeof path, "test/bench/kernels/%s.cl", c->file);
    FILE *f = fopen(path, "r");
    if (f == NULL) {
        perror(path);
        exit(2);
    }
    size_t n = fread(source, 1, sizeof source - 1, f);
    fclose(f);
    const char *text = source;
    cl_int status;
    cl_program p = clCreateProgramWithSource(context, 1, &text, &n, &status);
    need(status, "program");
    need(clBuildProgram(p, 1, &device, "", NULL, NULL), "build");
    cl_kernel k = clCreateKernel(p, c->name, &status);
    need(status, "kernel");
    return k;
}

/* One launch on fresh buffers; its seconds. The result replaces what `result` held. */
static double launch(cl_context context, cl_command_queue q, cl_kernel k, struct bench_case *c, void *result)
{
    cl_mem memory[5] = {0};
    cl_int status = CL_SUCCESS;
    bench_reset(c);
    for (unsigned i = 0; i < c->argc; i++) {
        struct bench_arg *a = &c->args[i];
        if (a->buffer) {
            memory[i] =
                clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, a->size, a->bytes, &status);
            need(status, "buffer");
        }
        need(clSetKernelArg(k, i, a->buffer ? sizeof(cl_mem) : a->size,
                            a->buffer ? (void *)&memory[i] : a->bytes),
             "arg");
    }
    size_t global = (size_t)c->grid * c->block, local = c->block;
    need(clFinish(q), "finish");
    double start = bench_cpu_seconds();
    need(clEnqueueNDRangeKernel(q, k, 1, NULL, &global, &local, 0, NULL, NULL), "launch");
    need(clFinish(q), "finish");
    double seconds = bench_cpu_seconds() - start;
    need(clEnqueueReadBuffer(q, memory[0], CL_TRUE, 0, c->args[0].size, result, 0, NULL, NULL), "read");
    for (unsigned i = 0; i < c->argc; i++)
        if (memory[i] != NULL)
            clReleaseMemObject(memory[i]);
    return seconds;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    int runs = argc > 2 ? atoi(argv[2]) : 1;
    struct bench_case *c = NULL;
    bench_setup();
    for (int i = 0; i < BENCH_CASES; i++)
        if (argc > 1 && strcmp(argv[1], bench_cases[i].name) == 0)
            c = &bench_cases[i];
    if (c == NULL || runs < 1 || runs > 100) {
        fprintf(stderr, "usage: bench_opencl k1..k6 [RUNS]\n");
        return 64;
    }
    cl_platform_id platform;
    cl_device_id device;
    cl_int status;
    need(clGetPlatformIDs(1, &platform, NULL), "platform");
    need(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "device");
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    need(status, "context");
    cl_command_queue q = clCreateCommandQueue(context, device, 0, &status);
    need(status, "queue");
    cl_kernel k = build(context, device, c);

    void *result = malloc(c->args[0].size);
    double seconds[100];
    if (runs > 1)
        launch(context, q, k, c, result); /* warm: PoCL compiles at the first launch */
    for (int i = 0; i < runs; i++)
        seconds[i] = launch(context, q, k, c, result);
    qsort(seconds, (size_t)runs, sizeof *seconds, by_value);
    bench_reset(c);
    c->plain(c);
    printf("%.9f %s\n", seconds[runs / 2], bench_equal(c, result) ? "equal" : "DIFFERENT");
    return 0;
}
