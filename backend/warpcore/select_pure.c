/* select_pure.c: pure operations and sums of addresses. A number becomes an instruction's own where it fits. */
#include "backend/warpcore/select.h"

/* Operation of a scalar case, and its form with a number for b; 0: none. Row 0 is add, which has both. */
#define LANE(name) [SCALAR_##name] = WC_##name + 1,
static const uint16_t lane_ops[SCALAR_CASES] = {
#define WC_LANE(name, mnemonic, major, func, operands, unit) LANE(name)
#include "backend/format/warpcore/isa.def"
};
static const uint16_t number_ops[SCALAR_CASES] = {
#define WC_LANE_IMM(name, mnemonic, func, operands, unit) [SCALAR_##name] = WC_##name##_imm + 1,
#include "backend/format/warpcore/isa.def"
};

/* The number that b of this operation may be, or that a may be if they may change places. */
static bool number_operand(struct wc_selector *s, const struct ir_ins *ins, unsigned op, ir_ref *other,
                           int32_t *imm)
{
    bool commutes = ir_op_info[ins->op].flags & IR_COMMUTES;
    for (unsigned i = 2; i-- > (commutes ? 0u : 1u);) {
        uint32_t v;
        if (!wc_known(s, ins->args[i], &v) || !wc_imm_fits((enum wc_op)op, (int32_t)v))
            continue;
        *other = ins->args[1 - i];
        *imm = (int32_t)v;
        return true;
    }
    return false;
}

static bool select_with_number(struct wc_selector *s, ir_ref r, enum scalar_case n)
{
    const struct ir_ins *ins = ir_at(s->ir, r);
    ir_ref other;
    int32_t imm;
    uint32_t v;
    if (n == SCALAR_sub_I && wc_known(s, ins->args[1], &v) && wc_imm_fits(WC_add_I_imm, (int32_t)-v)) {
        uint32_t a = wc_value(s, ins->args[0]);
        wc_put(s, WC_add_I_imm, wc_define(s, r), a, 0, (int32_t)-v);
        return true;
    }
    if (!number_ops[n] || !number_operand(s, ins, number_ops[n] - 1u, &other, &imm))
        return false;
    uint32_t a = wc_value(s, other);
    wc_put(s, number_ops[n] - 1u, wc_define(s, r), a, 0, imm);
    return true;
}

static void select_lane_operation(struct wc_selector *s, ir_ref r, unsigned op)
{
    const struct ir_ins *ins = ir_at(s->ir, r);
    uint32_t x[3] = {0, 0, 0};
    for (uint32_t i = 0; i < ins->argc; i++)
        x[i] = wc_value(s, ins->args[i]);
    wc_put(s, op, wc_define(s, r), x[0], x[1], 0)->c = x[2];
}

/* A product and its sum or difference, each rounded: two instructions here. */
static void select_product_sum(struct wc_selector *s, ir_ref r)
{
    const struct ir_ins *ins = ir_at(s->ir, r);
    uint32_t a = wc_value(s, ins->args[0]), b = wc_value(s, ins->args[1]), c = wc_value(s, ins->args[2]);
    uint32_t product = wc_make(s, WC_mul_F, a, b, 0);
    bool turned = ins->op == IR_submul;
    wc_put(s, ins->op == IR_muladd ? WC_add_F : WC_sub_F, wc_define(s, r), turned ? c : product,
           turned ? product : c, 0);
}

/* Two products and their sum or difference, each rounded: three instructions. */
static void select_two_products(struct wc_selector *s, ir_ref r)
{
    const struct ir_ins *ins = ir_at(s->ir, r);
    uint32_t x[4];
    for (unsigned i = 0; i < COUNT(x); i++)
        x[i] = wc_value(s, ins->args[i]);
    uint32_t first = wc_make(s, WC_mul_F, x[0], x[1], 0), second = wc_make(s, WC_mul_F, x[2], x[3], 0);
    wc_put(s, ins->op == IR_dot2 ? WC_add_F : WC_sub_F, wc_define(s, r), first, second, 0);
}

void wc_select_pure(struct wc_selector *s, ir_ref r)
{
    const struct ir_ins *ins = ir_at(s->ir, r);
    if (ins->type == IR_TYPE_I64 || ins->type == IR_TYPE_F64)
        return; /* parts of a join, which its user splits; a printed double */
    if (ins->op == IR_trunc) {
        s->f->lo[r] = wc_half(s, ins->args[0], false);
        return;
    }
    enum scalar_case n = ir_scalar_case(s->ir, r);
    if (n == SCALAR_bits_IF)
        s->f->lo[r] = wc_value(s, ins->args[0]);
    else if (ins->op == IR_muladd || ins->op == IR_mulsub || ins->op == IR_submul)
        select_product_sum(s, r);
    else if (ins->op == IR_dot2 || ins->op == IR_cross2)
        select_two_products(s, r);
    else if (n == SCALAR_select_F)
        select_lane_operation(s, r, WC_select_I);
    else if (!select_with_number(s, r, n)) {
        if (!lane_ops[n])
            BUG("no instruction for %s", scalar_case_info[n].name);
        select_lane_operation(s, r, lane_ops[n] - 1u);
    }
}

void wc_select_ptradd(struct wc_selector *s, ir_ref r)
{
    const struct ir_ins *ins = ir_at(s->ir, r);
    for (unsigned i = 2; i-- > 0;) {
        uint32_t v;
        if (!wc_known(s, ins->args[i], &v) || !wc_imm_fits(WC_add_I_imm, (int32_t)v))
            continue;
        uint32_t a = wc_value(s, ins->args[1 - i]);
        wc_put(s, WC_add_I_imm, wc_define(s, r), a, 0, (int32_t)v);
        return;
    }
    select_lane_operation(s, r, WC_add_I);
}
