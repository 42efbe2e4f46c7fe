/* compiler.c: C and C++ alike: kernc.h alone, before any other header. Compiles for both targets. */
#include <kernc.h>

#include <stdio.h>
#include <string.h>

static const char source[] = "kernel void fill(global int *a) { a[threadIdx.x] = threadIdx.x; }\n";

static void show_image(const kernc_result *result)
{
    kernc_image_figures figures;
    figures.size = sizeof figures;
    printf("%s\n", kernc_result_image(result, "fill", &figures) && figures.words ? "image" : "no image");
}

static void show_figures(const kernc_result *result)
{
    kernc_figures figures;
    figures.size = sizeof figures;
    if (kernc_result_figures(result, &figures))
        printf("%s\n", figures.instructions ? "figures" : "no figures");
}

static int compile(const char *scheme)
{
    kernc_options options;
    kernc_result *result;
    size_t n = 0;
    int good;
    kernc_options_init(&options);
    options.scheme = scheme;
    result = kernc_compile("fill.kern", source, strlen(source), &options);
    good = kernc_result_status(result) == KERNC_COMPILED &&
           kernc_result_text(result, KERNC_TEXT_BYTECODE, &n) && n;
    printf("%s: %u errors, %s, ", scheme, kernc_result_errors(result), good ? "compiled" : "not compiled");
    show_image(result);
    show_figures(result);
    kernc_result_free(result);
    return good ? 0 : 1;
}

int main(void)
{
    kernc_scheme scheme;
    unsigned i;
    scheme.size = sizeof scheme;
    for (i = 0; kernc_scheme_at(i, &scheme); i++)
        if (scheme.sound && compile(scheme.name))
            return 1;
    return compile("none") == 1 ? 0 : 1;
}
