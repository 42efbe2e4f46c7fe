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

void be_take_operands(struct be_selector *s, const struct ir_ins *ins, bool scalar,
                      uint32_t regs[SCALAR_MAX_ARGS])
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

/* Whether operand k is a product in lanes that only this sum or difference reads. */
static bool is_own_product(const struct be_selector *s, const struct ir_ins *sum, unsigned k)
{
    ir_ref r = sum->args[k];
    const struct ir_ins *x = ir_at(s->ir, r);
    return x->op == IR_mul && x->block == sum->block && s->uses[r] == 1 && !be_uniform(s, r);
}

/* The operands of a sum or difference of floats that are such products: bit k stands for operand k. */
static unsigned own_products(const struct be_selector *s, const struct ir_ins *ins)
{
    if ((ins->op != IR_add && ins->op != IR_sub) || !ir_is_float((enum ir_type)ins->type))
        return 0;
    return (unsigned)is_own_product(s, ins, 0) | (unsigned)is_own_product(s, ins, 1) << 1;
}

/* Products become part of their sum or difference; the factors come first. */
static bool put_product_sum(struct be_selector *s, ir_ref r)
{
    static const uint16_t fused[][3][2] = {
        /* by difference or not, own products - 1, width */
        {{SCALAR_muladd_F, SCALAR_muladd_D},
         {SCALAR_muladd_F, SCALAR_muladd_D},
         {SCALAR_dot2_F, SCALAR_dot2_D}},
        {{SCALAR_mulsub_F, SCALAR_mulsub_D},
         {SCALAR_submul_F, SCALAR_submul_D},
         {SCALAR_cross2_F, SCALAR_cross2_D}},
    };
    const struct ir_ins *ins = ir_at(s->ir, r);
    unsigned products = own_products(s, ins), n = 0, cycles = 0;
    uint32_t x[SCALAR_MAX_ARGS] = {0};
    if (!products)
        return false;
    for (unsigned k = 0; k < 2; k++)
        if (products >> k & 1) {
            const struct ir_ins *product = ir_at(s->ir, ins->args[k]);
            x[n++] = be_lanes(s, product->args[0]);
            x[n++] = be_lanes(s, product->args[1]);
            cycles += ir_cost_of(s->ir, ins->args[k]);
        }
    if (n == 2)
        x[n] = be_lanes(s, ins->args[products == 1]);
    enum scalar_case which =
        (enum scalar_case)fused[ins->op == IR_sub][products - 1][ins->type == IR_TYPE_F64];
    struct be_word *w = be_put(s, bc_scalar_op(which, BC_FORM_V), be_define(s, r), x[0], x[1], x[3]);
    w->c = x[2];
    w->cycles = (uint8_t)(w->cycles + cycles);
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
    w->cycles = ir_latency_cycles[IR_LAT_ALU];
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
    uint64_t d;
    if (!be_is_grid_index(s, r, &d) && !put_shift(s, r) && !put_product_sum(s, r))
        be_select_as(s, r, ir_scalar_case(s->ir, r));
}
