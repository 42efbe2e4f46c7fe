/* The check of where lanes wait: a program that has lost a place of a frontier traps where lanes wait there,
 * and names both; one that has lost nothing runs. */
#include "backend/format/bytecode/program.h"
#include "include/kernc-rt.h"
#include "include/kernc.h"
#include "runtime/schemes/scheme.h"

#include <cmocka.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

enum { THREADS = 8 };

static const char source[] = "int f(int n) { int s = 0; while (s < n) s += s % 3 + 1; return s; }\n"
                             "int g(int n) { return n % 2 ? f(n) : n + 2; }\n"
                             "kernel void k(global int *out)\n"
                             "{\n"
                             "    int (*ways[2])(int) = {f, g};\n"
                             "    int t = threadIdx.x, s = 0;\n"
                             "    for (int i = 0; i < t; i++)\n"
                             "        if (i % 3 == 2)\n"
                             "            s += i;\n"
                             "        else\n"
                             "            s = ways[t & 1](s + i);\n"
                             "    out[t] = s;\n"
                             "}\n";

static struct text bytecode_of(const char *scheme)
{
    kernc_options o;
    kernc_options_init(&o);
    o.scheme = scheme;
    o.level = 0;
    o.checks = "frontier";
    kernc_result *r = kernc_compile("test.kern", source, strlen(source), &o);
    size_t n;
    const char *bytes = kernc_result_text(r, KERNC_TEXT_BYTECODE, &n);
    if (!bytes)
        fail_msg("%s", kernc_result_text(r, KERNC_TEXT_DIAGNOSTICS, NULL));
    struct text copy = {0};
    text_add(&copy, bytes, n);
    kernc_result_free(r);
    return copy;
}

/* Runs it; *text: why it trapped. */
static kernc_status launch(const struct text *bytes, char text[300])
{
    kernc_context *context = NULL;
    kernc_buffer *out = NULL;
    kernc_module *module = NULL;
    kernc_kernel *kernel = NULL;
    assert_int_equal(kernc_context_create(NULL, &context), KERNC_OK);
    assert_int_equal(kernc_buffer_create(context, THREADS * sizeof(int32_t), "out", &out), KERNC_OK);
    assert_int_equal(kernc_module_load(context, bytes->at, bytes->length, &module), KERNC_OK);
    assert_int_equal(kernc_module_kernel(module, "k", &kernel), KERNC_OK);
    kernc_argument args[] = {kernc_arg_buffer("out", out)};
    kernc_launch l = {.size = sizeof l, .block = {THREADS}, .args = args, .arg_count = 1};
    kernc_status status = kernc_run(kernel, &l, NULL);
    snprintf(text, 300, "%s", status == KERNC_OK ? "" : kernc_error_text(context));
    kernc_module_free(module);
    kernc_context_free(context);
    return status;
}

/* Without the row of `waiting`, or without all (row == UINT32_MAX). */
static kernc_status launch_without(const struct text *bytes, uint32_t row, char text[300])
{
    const char *why = NULL;
    struct bc_program *p = bc_read(bytes->at, bytes->length, &why);
    assert_non_null(p);
    struct text changed = {0};
    uint32_t kept = 0;
    for (uint32_t i = 0; i < p->waiting.count; i++)
        if (row != UINT32_MAX && i != row)
            p->waiting.at[kept++] = p->waiting.at[i];
    p->waiting.count = kept;
    bc_write(p, &changed);
    bc_program_free(p);
    kernc_status status = launch(&changed, text);
    text_free(&changed);
    return status;
}

static uint32_t rows_in(const struct text *bytes)
{
    const char *why = NULL;
    struct bc_program *p = bc_read(bytes->at, bytes->length, &why);
    assert_non_null(p);
    assert_true(p->checks_waiting);
    uint32_t n = p->waiting.count;
    bc_program_free(p);
    return n;
}

static void check_scheme(const char *scheme)
{
    struct text bytes = bytecode_of(scheme);
    char text[300];
    uint32_t rows = rows_in(&bytes), found = 0;
    if (launch(&bytes, text) != KERNC_OK)
        fail_msg("%s", text);
    assert_int_equal(launch_without(&bytes, UINT32_MAX, text), KERNC_TRAP);
    for (uint32_t i = 0; i < rows; i++) {
        if (launch_without(&bytes, i, text) == KERNC_OK)
            continue;
        found++;
        assert_non_null(strstr(text, "lane "));
        assert_non_null(strstr(text, " which is not in the thread frontier of word "));
    }
    assert_true(found >= rows / 3); /* lanes wait in many of the places where they may */
    text_free(&bytes);
}

/* Of each machine that runs them. */
static void lanes_wait_in_frontiers(void **state)
{
    for (unsigned s = 0; s < SCHEMES; s++)
        if (scheme_has((enum scheme)s, SCHEME_FRONTIERS) && rt_scheme_of((enum scheme)s))
            check_scheme(scheme_info[s].name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(lanes_wait_in_frontiers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
