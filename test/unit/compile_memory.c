/* compile_memory.c: running out of memory anywhere while compiling is passed on as a status, and what was
 * taken until then is freed (the address sanitizer finds what is not). Each allocation fails once where a
 * compilation has few, else one in every so many.
 */
#include "include/kernc.h"

#include "base/base.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const char kernel[] =
    "constant int table[4] = {1, 2, 3, 4};\n"
    "float half(float x) { return x / 2; }\n"
    "kernel void k(global float *out, int n) {\n"
    "    shared float tile[64];\n"
    "    float (*f)(float) = half;\n"
    "    int t = threadIdx.x;\n"
    "    for (int i = 0; i < n; i++) {\n"
    "        if (table[i & 3] == t) { tile[t] = out[t * 16]; continue; }\n"
    "        assert(i < 1000);\n"
    "        switch (t + i) { case 1: out[t] += f(tile[i % 64]); case 2: goto end; default: t++; }\n"
    "        if (ballot(t > i) == 3u) break;\n"
    "    }\n"
    "    printf(\"%d\\n\", t);\n"
    "end:\n"
    "    barrier();\n"
    "    out[t & 63] = tile[0];\n"
    "}\n";

static void drop(void *data, const char *text, size_t n)
{
    UNUSED(data);
    UNUSED(text);
    UNUSED(n);
}

/* Compiles and asks for all texts, with the n-th allocation failing; 0: none. How many texts there were, -1 if
 * it was not compiled. */
static int texts(const kernc_options *o, long n)
{
    int there = 0;
    mem_fail_after(n);
    kernc_result *r = kernc_compile("kernel", kernel, sizeof kernel - 1, o);
    kernc_compile_status status = r ? kernc_result_status(r) : KERNC_COMPILE_NO_MEMORY;
    for (int what = 0; status == KERNC_COMPILED && what < KERNC_TEXTS; what++)
        there += kernc_result_text(r, what, NULL) != NULL;
    mem_fail_after(0);
    kernc_result_free(r);
    if (status == KERNC_COMPILED)
        return there;
    assert_int_equal(status, KERNC_COMPILE_NO_MEMORY);
    return -1;
}

static void fail_everywhere(const kernc_options *o)
{
    enum { TRIES = 40 };
    int all = texts(o, 0);
    long last = 0;
    assert_true(all >= 5);
    for (long step = 1 << 20; step; step /= 2) /* the last allocation, by halves */
        last += texts(o, last + step) == all ? 0 : step;
    assert_true(last > 50);
    for (long n = 1; n <= last; n += last / TRIES + 1)
        assert_true(texts(o, n) < all);
}

static void schemes(void **state)
{
    UNUSED(state);
    static const char *const warnings[] = {"perf"};
    kernc_scheme s = {.size = sizeof s};
    for (unsigned k = 0; kernc_scheme_at(k, &s); k++)
        for (unsigned level = 0; level < 3; level += 2) {
            kernc_options o;
            kernc_options_init(&o);
            o.scheme = s.name;
            o.level = level;
            o.warnings = warnings;
            o.warning_count = level > 0;
            o.collect = level > 0;
            fail_everywhere(&o);
        }
}

static void dumps(void **state)
{
    UNUSED(state);
    static const char *const names[] = {"pdom", "warp-core:rpc"};
    for (unsigned k = 0; k < COUNT(names); k++) {
        kernc_options o;
        kernc_options_init(&o);
        o.scheme = names[k];
        o.print = drop;
        o.print_changed = KERNC_CHANGED_DIFF;
        o.print_before_all = o.divergence = o.verify_each = true;
        o.analyses = "cfg,dominators,post-dominators,cycles,pst,pdg,uniformity,tokens";
        o.analysis_form = (int)k;
        fail_everywhere(&o);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(schemes),
        cmocka_unit_test(dumps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
