/* split_group.c: operations of the warp on pairs.
 *
 * Exchanges move each half. Sums need the carries between words: the low word is added as two halves of 16
 * bits, which no warp of fewer than 2^16 lanes can carry out of. The least of a pair is the least high word,
 * then the least low word among the lanes that have it; the others take part with the value that never wins.
 */
#include "opt/lower/split_i64.h"

/* The operation `ins` on another value of its type's word. */
static ir_ref again(struct splitter *x, const struct ir_ins *ins, enum ir_op op, ir_ref value)
{
    ir_ref args[2] = {value, ins->argc > 1 ? ins->args[1] : 0};
    ir_ref r = ir_emit(&x->c, op, IR_TYPE_I32, ins->argc, args);
    ir_at(x->f, r)->token = ins->token;
    return r;
}

static struct split_pair each_half(struct splitter *x, const struct ir_ins *ins, struct split_pair a)
{
    struct split_pair p = {again(x, ins, ins->op, a.lo), 0};
    p.hi = again(x, ins, ins->op, a.hi);
    return p;
}

static struct split_pair sum(struct splitter *x, const struct ir_ins *ins, struct split_pair a)
{
    ir_ref sixteen = split_const(x, 16);
    ir_ref low = again(x, ins, ins->op, split_emit1(x, IR_zext16, a.lo));
    ir_ref middle = again(x, ins, ins->op, split_emit2(x, IR_lshr, a.lo, sixteen));
    ir_ref high = again(x, ins, ins->op, a.hi);
    middle = split_emit2(x, IR_add, middle, split_emit2(x, IR_lshr, low, sixteen));
    struct split_pair p = {split_emit2(x, IR_shl, middle, sixteen), 0};
    p.lo = split_emit2(x, IR_or, p.lo, split_emit1(x, IR_zext16, low));
    p.hi = split_emit2(x, IR_add, high, split_emit2(x, IR_lshr, middle, sixteen));
    return p;
}

static struct split_pair least(struct splitter *x, const struct ir_ins *ins, struct split_pair a)
{
    bool smallest = ins->op == IR_reduce_smin || ins->op == IR_reduce_umin;
    ir_ref high = again(x, ins, ins->op, a.hi);
    ir_ref takes_part = split_compare(x, IR_eq, a.hi, high);
    ir_ref low = split_choose(x, takes_part, a.lo, split_const(x, smallest ? UINT32_MAX : 0));
    return (struct split_pair){again(x, ins, smallest ? IR_reduce_umin : IR_reduce_umax, low), high};
}

bool split_group(struct splitter *x, ir_ref r)
{
    struct ir_ins ins = *ir_at(x->f, r);
    if (ins.op < IR_shuffle || ins.op > IR_scan_add)
        return false;
    struct split_pair a = split_halves(x, ins.args[0]), p;
    switch (ins.op) {
    case IR_reduce_add:
    case IR_scan_add: p = sum(x, &ins, a); break;
    case IR_reduce_smin:
    case IR_reduce_smax:
    case IR_reduce_umin:
    case IR_reduce_umax: p = least(x, &ins, a); break;
    default: p = each_half(x, &ins, a);
    }
    split_set_pair(x, r, p);
    return true;
}
