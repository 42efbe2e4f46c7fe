/* negate_test.c: what is done with negations of floats is exact. Each expression is optimized and computed
 * before and after on all pairs of special values (with some for %c), in both widths; one NaN is as good as
 * another. The number of negations left is as said, so that each rule is known to have been used; and where a
 * tempting rule is wrong, the form it would give is seen to differ.
 */
#include "opt/opt.h"
#include "test/opt/evaluate.h"
#include "test/opt/optimize.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define PASSES "gvn,dce,negate,gvn,dce"

/* Of %a, %b, %c; T stands for the type, a number's # for what ends a constant of it. */
struct expression {
    const char *body;
    unsigned negations;
    const char *wrong;
};

#define NEG_A        "%x = neg T %a; "
#define NEG_B        "%y = neg T %b; "
#define AB(op, a, b) "%r = " op " T " a ", " b
static const struct expression expressions[] = {
    /* sums, differences, negations */
    {NEG_B AB("add", "%a", "%y"), 0, NULL},
    {NEG_A AB("add", "%x", "%b"), 0, NULL},
    {NEG_A NEG_B AB("add", "%x", "%y"), 1, "%s = add T %a, %b; %r = neg T %s"},
    {NEG_A AB("add", "%x", "%x"), 1, NULL},
    {NEG_B AB("sub", "%a", "%y"), 0, NULL},
    {NEG_A NEG_B AB("sub", "%x", "%y"), 0, NULL},
    {NEG_A AB("sub", "%x", "%b"), 1, "%s = add T %a, %b; %r = neg T %s"},
    {NEG_A AB("sub", "%x", "0.25#"), 0, NULL},
    {NEG_A AB("sub", "%x", "-0.0#"), 0, NULL},
    {NEG_A AB("sub", "0.0#", "%x"), 0, AB("add", "%a", "-0.0#")},
    {"%s = sub T %a, %b; %r = neg T %s", 1, AB("sub", "%b", "%a")},
    {"%s = add T %a, %b; %r = neg T %s", 1, NEG_A AB("sub", "%x", "%b")},
    {"%s = sub T %a, 0.25#; %r = neg T %s", 1, AB("sub", "0.25#", "%a")},
    {NEG_A "%r = neg T %x", 0, NULL},
    {NEG_A "%r = abs T %x", 0, NULL},
    {"%s = abs T %a; %r = neg T %s", 1, "%r = abs T %a"},
    /* products and constants */
    {NEG_A NEG_B AB("mul", "%x", "%y"), 0, NULL},
    {NEG_A NEG_B AB("div", "%x", "%y"), 0, NULL},
    {NEG_A AB("mul", "%x", "%x"), 0, NULL},
    {NEG_A AB("div", "%x", "%x"), 0, NULL},
    {NEG_A AB("mul", "%x", "0.25#"), 0, NULL},
    {NEG_A AB("mul", "0.0#", "%x"), 0, NULL},
    {NEG_A AB("div", "%x", "3.0#"), 0, NULL},
    {NEG_A AB("div", "0.0#", "%x"), 0, NULL},
    {NEG_A AB("div", "3.0#", "%x"), 0, NULL},
    {AB("mul", "%a", "-1.0#"), 1, NULL},
    {AB("div", "%a", "-1.0#"), 1, NULL},
    {NEG_A AB("mul", "%x", "-1.0#"), 0, NULL},
    {NEG_A AB("div", "%x", "-1.0#"), 0, NULL},
    {AB("div", "-1.0#", "%a"), 0, NULL},
    {"%s = mul T %a, 0.25#; %r = neg T %s", 0, NULL},
    {"%s = div T %a, 3.0#; %r = neg T %s", 0, NULL},
    {"%s = div T 3.0#, %a; %r = neg T %s", 0, NULL},
    {"%s = mul T %a, 0.25#; %t = neg T %s; " AB("add", "%s", "%t"), 0, "%r = mul T %a, 0.0#"},
    /* products whose uses take the negation in */
    {NEG_A "%s = mul T %x, %b; " AB("add", "%c", "%s"), 0, NULL},
    {NEG_A "%s = mul T %b, %x; " AB("sub", "%c", "%s"), 0, NULL},
    {NEG_A "%s = div T %x, %b; " AB("add", "%s", "%c"), 0, NULL},
    {NEG_A "%s = div T %b, %x; " AB("sub", "0.25#", "%s"), 0, NULL},
    {NEG_A "%s = div T %b, %x; " AB("sub", "%s", "0.25#"), 0, NULL},
    {NEG_A "%s = div T %x, %b; %t = mul T %s, 0.5#; " AB("sub", "0.25#", "%t"), 0, NULL},
    {NEG_A "%s = div T %x, %b; %t = mul T %s, %c; " AB("sub", "%b", "%t"), 0, NULL},
    {NEG_A "%s = mul T %x, %b; %t = abs T %s; %u = neg T %s; " AB("div", "%t", "%u"), 0, NULL},
    {NEG_A "%s = mul T %x, %b; " AB("mul", "%s", "%s"), 0, NULL},
    /* products with a use that doesn't */
    {NEG_A AB("mul", "%x", "%b"), 1, NULL},
    {NEG_A AB("div", "%b", "%x"), 1, NULL},
    {NEG_A "%s = mul T %x, %b; " AB("sub", "%s", "%c"), 1,
     "%s = mul T %a, %b; %t = add T %s, %c; %r = neg T %t"},
    {NEG_A "%s = mul T %x, %b; %t = mul T %s, %c; " AB("div", "%t", "%b"), 1, NULL},
    {NEG_A "%s = mul T %x, %b; %t = add T %s, %c; " AB("fmax", "%s", "%t"), 1, NULL},
};

static const uint32_t single[] = {0,          1,          0x00400000, 0x00800000, 0x3e800000,
                                  0x3f800000, 0x40490fdb, 0x7f7fffff, 0x7f800000, 0x7fc00000};
static const uint64_t wide[] = {0,
                                1,
                                UINT64_C(0x8000000000000),
                                UINT64_C(0x10000000000000),
                                UINT64_C(0x3fd0000000000000),
                                UINT64_C(0x3ff0000000000000),
                                UINT64_C(0x400921fb54442d18),
                                UINT64_C(0x7fefffffffffffff),
                                UINT64_C(0x7ff0000000000000),
                                UINT64_C(0x7ff8000000000000)};
enum { VALUES = 2 * COUNT(single), SOME = 8 };

/* Of the values: both zeros, and every third. */
static unsigned some(unsigned i)
{
    return i < 2 ? i : 3 * i - 2;
}

static uint64_t special(enum ir_type t, unsigned i)
{
    uint64_t sign = i & 1;
    return t == IR_TYPE_F32 ? single[i / 2] | sign << 31 : wide[i / 2] | sign << 63;
}

static struct ir_module *parse(const struct text *t)
{
    struct arena a = {0};
    struct diagnostics d;
    struct source *s = source_new(&a, "expression", t->at, t->length);
    diag_init(&d, &a, s);
    struct ir_module *m = ir_parse(s, &d);
    if (!m || !ir_verify(m, &d)) {
        diag_print(&d, stderr, false);
        fail_msg("no module:\n%s", t->at);
    }
    arena_free(&a);
    return m;
}

static struct ir_module *module_of(const char *body, enum ir_type type)
{
    const char *name = type == IR_TYPE_F32 ? "f32" : "f64";
    struct text t = {0};
    text_printf(&t, "define %s @f(%%a: %s, %%b: %s, %%c: %s) {\nentry:\n", name, name, name, name);
    for (const char *p = body; *p; p++)
        switch (*p) {
        case 'T': text_addz(&t, name); break;
        case '#': text_addz(&t, type == IR_TYPE_F32 ? "f" : ""); break;
        case ';': text_char(&t, '\n'); break;
        default: text_char(&t, *p);
        }
    text_addz(&t, "\n  ret %r\n}\n");
    struct ir_module *m = parse(&t);
    text_free(&t);
    return m;
}

static unsigned negations(const struct ir_function *f)
{
    unsigned n = 0;
    ir_each_ins(r, f, ir_entry(f))
        n += ir_at(f, r)->op == IR_neg;
    return n;
}

static bool is_nan(enum ir_type t, uint64_t bits)
{
    return t == IR_TYPE_F32 ? (bits & 0x7fffffff) > 0x7f800000
                            : bits << 1 > UINT64_C(0x7ff0000000000000) << 1;
}

/* The number of inputs on which two functions differ; prints the first if `say`. */
static unsigned differences(const struct ir_function *f, const struct ir_function *g, enum ir_type t,
                            bool uses_c, bool say)
{
    unsigned n = 0, some_c = uses_c ? SOME : 1;
    for (unsigned i = 0; i < VALUES * VALUES * some_c; i++) {
        uint64_t args[] = {special(t, i % VALUES), special(t, i / VALUES % VALUES),
                           special(t, some(i / VALUES / VALUES))};
        uint64_t x = evaluate(f, args, 1, 100).result, y = evaluate(g, args, 1, 100).result;
        if (x == y || (is_nan(t, x) && is_nan(t, y)))
            continue;
        if (say && n == 0)
            print_message("of %" PRIx64 " %" PRIx64 " %" PRIx64 ": %" PRIx64 " became %" PRIx64 "\n", args[0],
                          args[1], args[2], x, y);
        n++;
    }
    return n;
}

static void check(const struct expression *e, enum ir_type t)
{
    bool uses_c = strstr(e->body, "%c");
    struct ir_module *before = module_of(e->body, t), *after = module_of(e->body, t);
    optimize(after, PASSES, 0);
    if (differences(before->functions.at[0], after->functions.at[0], t, uses_c, true))
        fail_msg("not exact: %s", e->body);
    unsigned left = negations(after->functions.at[0]);
    if (left != e->negations)
        fail_msg("%s: %u negations left, not %u", e->body, left, e->negations);
    if (e->wrong) {
        struct ir_module *wrong = module_of(e->wrong, t);
        if (!differences(before->functions.at[0], wrong->functions.at[0], t, uses_c, false))
            fail_msg("%s: could as well be %s", e->body, e->wrong);
        ir_module_free(wrong);
    }
    ir_module_free(before);
    ir_module_free(after);
}

static void check_expressions(void **state)
{
    (void)state;
    for (unsigned i = 0; i < COUNT(expressions); i++) {
        check(&expressions[i], IR_TYPE_F32);
        check(&expressions[i], IR_TYPE_F64);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(check_expressions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
