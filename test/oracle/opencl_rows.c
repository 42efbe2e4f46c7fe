/* opencl_rows.c: runs files of `kernc fuzz --emit=cl` on the first OpenCL device: PoCL, or Oclgrind under its
 * name.
 *
 *     opencl_rows [OPTION] FILE...      OPTION for the compiler
 *
 * A line for each; exits with 1 if a row was wrong, with 2 if something failed.
 */
#define CL_TARGET_OPENCL_VERSION 120
#include "test/oracle/launch_line.h"
#include <CL/cl.h>

static bool failed(const char *path, const char *what, cl_int status)
{
    if (status == CL_SUCCESS)
        return false;
    printf("%s: %s: OpenCL error %d\n", path, what, status);
    fflush(stdout);
    return true;
}

struct device {
    cl_device_id id;
    cl_context context;
    cl_command_queue queue;
};

static cl_program build(const struct device *d, const char *path, const char *text, size_t size,
                        const char *options)
{
    cl_int status;
    char log[2000] = "";
    cl_program p = clCreateProgramWithSource(d->context, 1, &text, &size, &status);
    if (failed(path, "program", status))
        return NULL;
    status = clBuildProgram(p, 1, &d->id, options, NULL, NULL);
    if (status != CL_SUCCESS)
        clGetProgramBuildInfo(p, d->id, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL);
    if (!failed(path, "build", status))
        return p;
    printf("%s\n", log);
    return NULL;
}

/* The number of wrong rows, or -1. */
static long run(const struct device *d, const char *path, cl_program p, const struct launch_line *l)
{
    const size_t sizes[3] = {8 * (size_t)l->log, 4 * (size_t)l->noise, 4 * (size_t)l->wrong};
    size_t threads = (size_t)l->grid * l->block, block = l->block;
    cl_uint zero = 0, wrong = ~0u;
    cl_mem memory[3];
    cl_int status;
    cl_kernel k = clCreateKernel(p, "k", &status);
    if (failed(path, "kernel", status))
        return -1;
    for (cl_uint i = 0; i < 3; i++) {
        memory[i] = clCreateBuffer(d->context, CL_MEM_READ_WRITE, sizes[i], NULL, &status);
        if (failed(path, "buffer", status) ||
            failed(path, "zeros",
                   clEnqueueFillBuffer(d->queue, memory[i], &zero, 4, 0, sizes[i], 0, NULL, NULL)) ||
            failed(path, "argument", clSetKernelArg(k, i, sizeof(cl_mem), &memory[i])))
            return -1;
    }
    if (failed(path, "launch",
               clEnqueueNDRangeKernel(d->queue, k, 1, NULL, &threads, &block, 0, NULL, NULL)) ||
        failed(path, "result",
               clEnqueueReadBuffer(d->queue, memory[2], CL_TRUE, 0, 4, &wrong, 0, NULL, NULL)))
        return -1;
    for (int i = 0; i < 3; i++)
        clReleaseMemObject(memory[i]);
    clReleaseKernel(k);
    return wrong;
}

int main(int argc, char **argv)
{
    struct device d;
    cl_platform_id platform;
    cl_int status;
    int code = 0;
    if (failed("opencl_rows", "platform", clGetPlatformIDs(1, &platform, NULL)) ||
        failed("opencl_rows", "device", clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &d.id, NULL)))
        return 2;
    d.context = clCreateContext(NULL, 1, &d.id, NULL, NULL, &status);
    if (failed("opencl_rows", "context", status))
        return 2;
    d.queue = clCreateCommandQueue(d.context, d.id, 0, &status);
    if (failed("opencl_rows", "queue", status))
        return 2;
    bool optioned = argc > 1 && *argv[1] == '-';
    for (int i = 1 + optioned; i < argc; i++) {
        struct launch_line l;
        size_t size;
        char *text = read_file(argv[i], &size);
        cl_program p = read_launch(text, &l) ? build(&d, argv[i], text, size, optioned ? argv[1] : "") : NULL;
        long wrong = p ? run(&d, argv[i], p, &l) : -1;
        if (wrong < 0)
            code = 2;
        else if (!say_rows(argv[i], (unsigned)wrong) && code == 0)
            code = 1;
        if (p)
            clReleaseProgram(p);
        free(text);
    }
    return code;
}
