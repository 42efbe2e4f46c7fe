/* large_test.c: sources that are large, deep or both end soon: with a module, or with an error that has a
 * place; and a compilation that runs out of memory, wherever that is, gives all of it back.
 */
#include "test/frontend/large_test.h"

#include "frontend/frontend.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>

#include <cmocka.h>

#define SECONDS 20.0 /* for each, on a slow machine under sanitizers */

struct large {
    const char *before, *repeated, *between, *closing, *after;
    unsigned times;
    bool is_good;
};

/* before, `repeated` times over, between, `closing` times over, after; %u in `repeated` is the number of the
 * turn. */
static const struct large sources[] = {
    {"int f(int a) { return ", "(", "a", ")", "; }", 250, true},
    {"int f(int a) { return ", "(", "a", ")", "; }", 1000000, false},
    {"int f(int a) { return ", "- ", "a", "", "; }", 900, true},
    {"int f(int a) { return ", "- ", "a", "", "; }", 1000000, false},
    {"int f(int a) { return a", " + a", "", "", "; }", 900, true},
    {"int f(int a) { return a", " + a", "", "", "; }", 1000000, false},
    {"int f(int a) { return ", "a ? 1 : ", "2", "", "; }", 900, true},
    {"int f(int a) { return ", "a ? 1 : ", "2", "", "; }", 300000, false},
    {"void f(int a) { ", "if (a) a = %u; else ", ";", "", " }", 900, true},
    {"void f(int a) { ", "if (a) a = %u; else ", ";", "", " }", 300000, false},
    {"void f(int a) { ", "{", "", "}", " }", 250, true},
    {"void f(int a) { ", "while (a) ", "a--;", "", " }", 300000, false},
    {"void f(int a) { switch (a) { ", "case %u: ", "a = 1;", "", " } }", 50000, true},
    {"void f(int a) { ", "label%u: ", ";", "", " }", 50000, true},
    {"typedef int T", "[1]", ";", "", "", 100000, false},
    {"typedef int ", "*", "T;", "", "", 100000, false},
    {"typedef int ", "(*", "T", ")(int)", ";", 100000, false},
    {"struct s {", "struct {", "int a;", "} x;", "};", 100000, false},
    {"const int a[] = {", "%u, ", "", "", "};", 100000, true},
    {"const int a = ", "{", "1", "}", ";", 100000, false},
    {"void f() { printf(", "\"abc\" ", "", "", "); }", 20000, true},
    {"void f() { printf(", "\"abc\" ", "", "", "); }", 300000, false},
    {"int f(int a)\n{\n", "    a = a * 31 + %u;\n", "    return a;\n}\n", "", "", 100000, true},
    {"", "int f%u(int a) { return a; }\n", "", "", "", 50000, true},
    {"int f(int a)\n{\n", "    a = ;\n", "}\n", "", "", 100000, false},
    {"", "}", "", "", "", 100000, false},
    {"", "/* ", "", "", "", 300000, false},
    {"void f() { ", "\"", "", "", "", 300001, false},
    {"", "\377", "", "", "", 300000, false},
};

static void make_source(const struct large *l, struct text *t)
{
    text_addz(t, l->before);
    for (unsigned i = 0; i < l->times; i++) {
        const char *number = strstr(l->repeated, "%u");
        if (number)
            text_printf(t, "%.*s%u%s", (int)(number - l->repeated), l->repeated, i, number + 2);
        else
            text_addz(t, l->repeated);
    }
    text_addz(t, l->between);
    for (unsigned i = 0; i < l->times; i++)
        text_addz(t, l->closing);
    text_addz(t, l->after);
}

/* Seconds of the processor: other work on the machine does not count. */
static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void compile_large(const struct large *l)
{
    struct text t = {0};
    struct arena a = {0};
    struct diagnostics d;
    make_source(l, &t);
    struct source *s = source_new(&a, "large", t.at, t.length);
    diag_init(&d, &a, s);
    double start = now();
    struct ir_module *m = fe_compile(s, &d, NULL);
    double seconds = now() - start;
    if ((m != NULL) != l->is_good || (m == NULL) != (d.errors > 0) || seconds > SECONDS) {
        diag_print(&d, stderr, false);
        fail_msg("%s%s… %u times: %s after %.1f s", l->before, l->repeated, l->times,
                 m ? "a module" : "no module", seconds);
    }
    if (!m && d.all.at[0].where.at.line == 0)
        fail_msg("%s%s…: an error without a place", l->before, l->repeated);
    ir_module_free(m);
    arena_free(&a);
    text_free(&t);
}

void test_large(void **state)
{
    UNUSED(state);
    for (size_t i = 0; i < COUNT(sources); i++)
        compile_large(&sources[i]);
}

/* Everything that a small kernel can make the front end do. */
static const char kernel[] = "struct s { int a[3]; float b; };\n"
                             "float half(float x) { if (x < 0) throw; return x / 2; }\n"
                             "kernel void k(global float *out, int n)\n"
                             "{\n"
                             "    shared float tile[64];\n"
                             "    struct s s = {{1, 2}, .b = 3};\n"
                             "    float (*f)(float) = half;\n"
                             "    for (int i = 0; i < n; i++) {\n"
                             "        try { out[i] = f(tile[i]) + s.a[i % 3]; } catch { goto end; }\n"
                             "        barrier();\n"
                             "        printf(\"%d\\n\", i);\n"
                             "    }\n"
                             "end:\n"
                             "}\n"
                             "launch k(out = zeros(4), n = 1) grid(1) block(64);\n";

/* Whether it was compiled although the n-th allocation fails. */
static bool compile_with_failure(long n)
{
    struct arena a = {0};
    struct diagnostics d;
    struct mem_guard guard;
    struct source *s = source_new(&a, "kernel", kernel, sizeof kernel - 1);
    diag_init(&d, &a, s);
    mem_fail_after(n);
    if (mem_guard_enter(&guard)) {
        mem_fail_after(0);
        arena_free(&a);
        return false;
    }
    struct ir_module *m = fe_compile(s, &d, NULL);
    mem_guard_leave(&guard);
    mem_fail_after(0);
    assert_non_null(m);
    ir_module_free(m);
    arena_free(&a);
    return true;
}

/* Leaks are for the address sanitizer to find. */
void test_memory(void **state)
{
    UNUSED(state);
    for (long n = 1; !compile_with_failure(n); n++)
        assert_true(n < 100000);
}
