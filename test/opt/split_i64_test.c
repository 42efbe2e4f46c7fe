/* split_i64_test.c: each operation on i64 computes on pairs what base/scalar.def says of whole values.
 *
 * A function `i64 f(i64, i64)` (or of the types the case has) of one operation is lowered, whereupon it
 * takes the halves; the plain evaluator of test/opt runs it on edges and random numbers.
 */
#include "opt/opt.h"
#include "test/opt/evaluate.h"
#include "test/opt/optimize.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

enum { RANDOM_TRIES = 3000, FUEL = 20000 };

static enum ir_type type_of(enum scalar_type t)
{
    static const uint8_t types[] = {IR_TYPE_I1, IR_TYPE_I32, IR_TYPE_I64, IR_TYPE_F32, IR_TYPE_F64};
    return (enum ir_type)types[t];
}

static bool concerns_pairs(const struct scalar_case_info *c)
{
    bool wide = c->result == SCALAR_L, has_double = c->result == SCALAR_D;
    for (unsigned i = 0; i < c->arity; i++) {
        wide |= c->argument[i] == SCALAR_L;
        has_double |= c->argument[i] == SCALAR_D;
    }
    return wide && !has_double;
}

/* A kernel that calls the function, so that it is reached. */
static void add_kernel(struct ir_module *m, const struct ir_function *callee,
                       const struct scalar_case_info *n)
{
    struct ir_function *f = ir_function_new(m, intern_z(&m->strings, "k"), IR_TYPE_VOID, IR_FN_KERNEL);
    struct ir_cursor c = {.fn = f, .block = ir_block_new(f, "entry")};
    struct ir_kernel_info info = {.function = f->id};
    ir_ref args[3];
    for (unsigned i = 0; i < n->arity; i++)
        args[i] = ir_const(f, type_of((enum scalar_type)n->argument[i]), 1);
    ir_ref r = ir_emit(&c, IR_call, type_of((enum scalar_type)n->result), n->arity, args);
    ir_at(f, r)->imm = callee->id;
    ir_emit_ret(&c, 0);
    vec_push(&m->arena, &m->kernels, info);
}

static struct ir_module *module_of(const struct scalar_case_info *n)
{
    struct ir_module *m = ir_module_new("split");
    struct ir_function *f =
        ir_function_new(m, intern_z(&m->strings, "f"), type_of((enum scalar_type)n->result), 0);
    struct ir_cursor c = {.fn = f, .block = ir_block_new(f, "entry")};
    ir_ref args[3];
    for (unsigned i = 0; i < n->arity; i++)
        args[i] = ir_param_new(f, c.block, type_of((enum scalar_type)n->argument[i]), NULL);
    ir_emit_ret(&c, ir_emit(&c, (enum ir_op)n->op, type_of((enum scalar_type)n->result), n->arity, args));
    add_kernel(m, f, n);
    return m;
}

static void lower(struct ir_module *m)
{
    optimize(m, "lower_division,split_i64", 0);
}

/* ---- operands ---------------------------------------------------------------------------------------- */

static const uint64_t edges[] = {
    0, 1, 2, 31, 32, 33, 63, 64, 0x7fffffff, 0x80000000, 0xffffffff, 0x100000000, 0x7fffffffffffffff,
    0x8000000000000000, 0x8000000000000001, 0xffffffff00000000, 0xffffffffffffffff, 0x8000008000000000,
    0x8000008000000001,
    0x5f000000 /* 2^63 as a float */, 0x5f800000, 0xdf000000, 0x7fc00000, 0xff800000, 0x80000001,
};

static uint64_t random_operand(uint64_t n, uint64_t i)
{
    uint64_t v = hash_mix(n, i);
    return n % 3 ? v >> (hash_mix(i, n) & 63) : v;
}

static uint64_t narrowed(enum scalar_type t, uint64_t v)
{
    return t == SCALAR_B ? v & 1 : t == SCALAR_L ? v : (uint32_t)v;
}

static void try_once(const struct ir_module *m, enum scalar_case n, const uint64_t operands[3])
{
    const struct scalar_case_info *info = &scalar_case_info[n];
    uint64_t whole[3] = {0}, args[6], count = 0;
    for (unsigned i = 0; i < info->arity; i++) {
        whole[i] = narrowed((enum scalar_type)info->argument[i], operands[i]);
        args[count++] = info->argument[i] == SCALAR_L ? (uint32_t)whole[i] : whole[i];
        if (info->argument[i] == SCALAR_L)
            args[count++] = whole[i] >> 32;
    }
    uint64_t expected = scalar_evaluate(n, whole);
    struct evaluation e = evaluate(m->functions.at[0], args, 0, FUEL);
    if (!e.finished || e.result != expected)
        fail_msg("%s(%#" PRIx64 ", %#" PRIx64 ", %#" PRIx64 ") gives %#" PRIx64 ", not %#" PRIx64, info->name,
                 whole[0], whole[1], whole[2], e.result, expected);
}

static void test_case(enum scalar_case n)
{
    struct ir_module *m = module_of(&scalar_case_info[n]);
    lower(m);
    for (size_t i = 0; i < COUNT(edges); i++)
        for (size_t k = 0; k < COUNT(edges); k++)
            try_once(m, n, (uint64_t[]){edges[i], edges[k], edges[(i + k) % COUNT(edges)]});
    for (uint64_t i = 0; i < RANDOM_TRIES; i++)
        try_once(m, n, (uint64_t[]){random_operand(i, 1), random_operand(i, 2), random_operand(i, 3)});
    ir_module_free(m);
}

static void each_operation(void **state)
{
    unsigned tested = 0;
    for (unsigned n = 0; n < SCALAR_CASES; n++)
        if (concerns_pairs(&scalar_case_info[n])) {
            test_case((enum scalar_case)n);
            tested++;
        }
    assert_true(tested > 30);
}

/* What is left of i64 afterwards is what opt/lower/split_i64.h says. */
static void only_halves_are_left(void **state)
{
    for (unsigned n = 0; n < SCALAR_CASES; n++) {
        if (!concerns_pairs(&scalar_case_info[n]))
            continue;
        struct ir_module *m = module_of(&scalar_case_info[n]);
        lower(m);
        for (uint32_t i = 0; i < m->functions.count; i++) {
            const struct ir_function *f = m->functions.at[i];
            ir_each_block(k, b, f)
                ir_each_ins(r, f, b) {
                    enum ir_op op = (enum ir_op)ir_at(f, r)->op;
                    if (ir_at(f, r)->type == IR_TYPE_I64 && op != IR_zext && op != IR_shl && op != IR_or &&
                        op != IR_lshr && op != IR_call)
                        fail_msg("%s leaves an i64 %s", scalar_case_info[n].name, ir_op_info[op].text);
                }
        }
        ir_module_free(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_operation),
                                       cmocka_unit_test(only_halves_are_left)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
