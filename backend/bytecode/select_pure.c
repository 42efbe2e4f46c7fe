/* select_pure.c: selection of pure operations: in scalars where all operands are uniform, else in lanes. */
#include "backend/bytecode/select.h"

bool be_all_uniform(const struct be_selector *s, const struct ir_ins *ins)
{
    for (uint32_t i = 0; i < ins->argc; i++)
        if (!be_uniform(s, ins->args[i]))
            return false;
    return true;
}

static bool all_invariant(const struct be_selector *s, const struct ir_ins *ins)
{
    for (uint32_t i = 0; i < ins->argc; i++)
        if (!be_invariant(s, ins->args[i]))
            return false;
    return true;
}

void be_take_operands(struct be_selector *s, const struct ir_ins *ins, bool scalar, uint32_t regs[SCALAR_MAX_ARGS])
{
    for (uint32_t i = 0; i < ins->argc; i++)
        regs[i] = scalar ? be_scalar(s, ins->args[i]) : be_lanes(s, ins->args[i]);
}

void be_select_as(struct be_selector *s, ir_ref r, enum scalar_case which)
{
    const struct ir_ins *ins = ir_at(s->ir, r);
    uint32_t regs[SCALAR_MAX_ARGS] = {0};
    bool scalar = be_all_uniform(s, ins), invariant = scalar && all_invariant(s, ins);
    be_take_operands(s, ins, scalar, regs);
    uint32_t d = scalar ? be_define_scalar(s, r, invariant) : be_define(s, r);
    be_put(s, bc_scalar_op(which, scalar ? BC_FORM_S : BC_FORM_V), d, regs[0], regs[1], regs[3])->c = regs[2];
    if (scalar)
        be_spread(s, r);
}

/* A product of floats in lanes that only this sum or difference reads is made part of it: operand `k`, or -1. */
static int product_operand(const struct be_selector *s, const struct ir_ins *ins)
{
    if ((ins->op != IR_add && ins->op != IR_sub) || !ir_is_float((enum ir_type)ins->type))
        return -1;
    for (int k = 1; k >= 0; k--) {
        const struct ir_ins *x = ir_at(s->ir, ins->args[k]);
        if (x->op == IR_mul && x->block == ins->block && s->uses[ins->args[k]] == 1 && !be_uniform(s, ins->args[k]))
            return k;
    }
    return -1;
}

static bool put_product_sum(struct be_selector *s, ir_ref r)
{
    const struct ir_ins *ins = ir_at(s->ir, r);
    int k = product_operand(s, ins);
    if (k < 0)
        return false;
    bool wide = ins->type == IR_TYPE_F64;
    enum scalar_case which = ins->op == IR_add ? (wide ? SCALAR_muladd_D : SCALAR_muladd_F)
                           : k == 0            ? (wide ? SCALAR_mulsub_D : SCALAR_mulsub_F)
                                               : (wide ? SCALAR_submul_D : SCALAR_submul_F);
    const struct ir_ins *product = ir_at(s->ir, ins->args[k]);
    uint32_t a = be_lanes(s, product->args[0]), b = be_lanes(s, product->args[1]), c = be_lanes(s, ins->args[1 - k]);
    struct be_word *w = be_put(s, bc_scalar_op(which, BC_FORM_V), be_define(s, r), a, b, 0);
    w->c = c;
    w->cycles = (uint8_t)(w->cycles + be_latency[ir_latency_of(s->ir, ins->args[k])]);
    return true;
}

/* x * 2^n, where the optimiser has not made it a shift: the exponent, or -1. */
static int power_of_two(const struct be_selector *s, const struct ir_ins *ins, ir_ref *x)
{
    uint64_t bits;
    if (ins->op != IR_mul || ir_is_float((enum ir_type)ins->type))
        return -1;
    for (int i = 0; i < 2; i++) {
        *x = ins->args[1 - i];
        if (ir_is_const(s->ir, ins->args[i], &bits) && bits && !(bits & (bits - 1)))
            return __builtin_ctzll(bits);
    }
    return -1;
}

static bool put_shift(struct be_selector *s, ir_ref r)
{
    const struct ir_ins *ins = ir_at(s->ir, r);
    bool wide = ins->type == IR_TYPE_I64;
    ir_ref x;
    int n = power_of_two(s, ins, &x);
    if (n < 0 || be_uniform(s, x))
        return false;
    uint32_t count = be_lane_constant(s, wide ? BC_KIND_W : BC_KIND_V, (uint64_t)n), from = be_lanes(s, x);
    struct be_word *w = be_put(s, bc_scalar_op(wide ? SCALAR_shl_L : SCALAR_shl_I, BC_FORM_V),
                               be_define(s, r), from, count, 0);
    w->cycles = be_latency[IR_LAT_ALU];
    return true;
}

void be_select_cast(struct be_selector *s, ir_ref r)
{
    ir_ref from = be_strip_casts(s, r);
    s->lanes[r] = be_lanes(s, from);
    if (be_uniform(s, from))
        s->scalars[r] = be_scalar(s, from);
    s->invariant[r] = be_invariant(s, from);
}

void be_select_pure(struct be_selector *s, ir_ref r)
{
    if (!put_shift(s, r) && !put_product_sum(s, r))
        be_select_as(s, r, ir_scalar_case(s->ir, r));
}
