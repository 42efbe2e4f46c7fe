/* legalize_group.c: operations of the warp on pairs.
 *
 * Exchanges move each half. Sums need the carries between words: the low word is added as two halves of 16
 * bits, which no warp of fewer than 2^16 lanes can carry out of. The least of a pair is the least high word,
 * then the least low word among the lanes that have it; the others take part with the value that never wins.
 */
#include "backend/warpcore/legalize.h"

/* The operation `ins` on another value of its type's word. */
static ir_ref again(struct wc_legalizer *x, const struct ir_ins *ins, enum ir_op op, ir_ref value)
{
    ir_ref args[2] = {value, ins->argc > 1 ? ins->args[1] : 0};
    ir_ref r = ir_emit(&x->c, op, IR_TYPE_I32, ins->argc, args);
    ir_at(x->f, r)->token = ins->token;
    return r;
}

static struct wc_pair each_half(struct wc_legalizer *x, const struct ir_ins *ins, struct wc_pair a)
{
    struct wc_pair p = {again(x, ins, ins->op, a.lo), 0};
    p.hi = again(x, ins, ins->op, a.hi);
    return p;
}

static struct wc_pair sum(struct wc_legalizer *x, const struct ir_ins *ins, struct wc_pair a)
{
    ir_ref sixteen = wc_const(x, 16);
    ir_ref low = again(x, ins, ins->op, wc_emit1(x, IR_zext16, a.lo));
    ir_ref middle = again(x, ins, ins->op, wc_emit2(x, IR_lshr, a.lo, sixteen));
    ir_ref high = again(x, ins, ins->op, a.hi);
    middle = wc_emit2(x, IR_add, middle, wc_emit2(x, IR_lshr, low, sixteen));
    struct wc_pair p = {wc_emit2(x, IR_shl, middle, sixteen), 0};
    p.lo = wc_emit2(x, IR_or, p.lo, wc_emit1(x, IR_zext16, low));
    p.hi = wc_emit2(x, IR_add, high, wc_emit2(x, IR_lshr, middle, sixteen));
    return p;
}

static struct wc_pair least(struct wc_legalizer *x, const struct ir_ins *ins, struct wc_pair a)
{
    bool smallest = ins->op == IR_reduce_smin || ins->op == IR_reduce_umin;
    ir_ref high = again(x, ins, ins->op, a.hi);
    ir_ref takes_part = wc_compare(x, IR_eq, a.hi, high);
    ir_ref low = wc_choose(x, takes_part, a.lo, wc_const(x, smallest ? UINT32_MAX : 0));
    return (struct wc_pair){again(x, ins, smallest ? IR_reduce_umin : IR_reduce_umax, low), high};
}

bool wc_split_group(struct wc_legalizer *x, ir_ref r)
{
    struct ir_ins ins = *ir_at(x->f, r);
    if (ins.op < IR_shuffle || ins.op > IR_scan_add)
        return false;
    struct wc_pair a = wc_halves(x, ins.args[0]), p;
    switch (ins.op) {
    case IR_reduce_add: case IR_scan_add: p = sum(x, &ins, a); break;
    case IR_reduce_smin: case IR_reduce_smax: case IR_reduce_umin: case IR_reduce_umax:
        p = least(x, &ins, a);
        break;
    default: p = each_half(x, &ins, a);
    }
    wc_set_pair(x, r, p);
    return true;
}
