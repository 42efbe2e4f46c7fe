/* runtime.c: C and C++ alike: kernc-rt.h alone, before any other header. Runs `fill` of a compiled file. */
#include <kernc-rt.h>

#include <stdio.h>
#include <string.h>

static char file[1 << 20];

static void collect(void *user, const char *bytes, size_t size)
{
    (void)bytes;
    *(size_t *)user += size;
}

static int show(kernc_statistics *statistics, const int *out)
{
    kernc_metrics m;
    kernc_line_metrics line;
    m.size = sizeof m;
    line.size = sizeof line;
    if (!kernc_statistics_metrics(statistics, &m) || !kernc_statistics_line(statistics, 0, &line))
        return 1;
    printf("%d %d %d, %s, line %u\n", out[0], out[1], out[2],
           m.simt_efficiency > 0 ? "counted" : "not counted", (unsigned)line.line);
    kernc_statistics_free(statistics);
    return 0;
}

static int run(kernc_context *context, kernc_module *module)
{
    kernc_kernel *kernel;
    kernc_buffer *out;
    kernc_statistics *statistics;
    kernc_parameter first;
    kernc_argument args[2];
    kernc_launch launch;
    first.size = sizeof first;
    if (kernc_module_kernel(module, "fill", &kernel) || !kernc_kernel_parameter(kernel, 0, &first) ||
        kernc_buffer_create(context, 1024 * first.element_bytes, first.name, &out))
        return 1;
    args[0] = kernc_arg_buffer(NULL, out);
    args[1] = kernc_arg_int(NULL, 1024);
    memset(&launch, 0, sizeof launch);
    launch.size = sizeof launch;
    launch.grid[0] = 8;
    launch.block[0] = 128;
    launch.args = args;
    launch.arg_count = kernc_kernel_parameter_count(kernel);
    if (kernc_run(kernel, &launch, &statistics))
        return 1;
    return show(statistics, (const int *)kernc_buffer_map(out));
}

int main(int argc, char **argv)
{
    kernc_context_options options;
    kernc_context *context;
    kernc_module *module;
    size_t printed = 0, n;
    int code;
    FILE *f = fopen(argc > 1 ? argv[1] : "", "rb");
    if (!f)
        return 64;
    n = fread(file, 1, sizeof file, f);
    fclose(f);
    memset(&options, 0, sizeof options);
    options.size = sizeof options;
    options.output = collect;
    options.output_user = &printed;
    if (kernc_context_create(&options, &context))
        return 1;
    code = kernc_module_load(context, file, n, &module) || run(context, module);
    if (code)
        printf("%s: %s\n", kernc_status_name(KERNC_INVALID), kernc_error_text(context));
    kernc_context_free(context);
    return code;
}
