/* simplify_float.c: algebra on floats, by identities exact in every bit.
 *
 * Exact are x * 1, x / 1, x - (+0), x + (-0), x * -1 = -x, x / -1 = -x; not x + 0 (-0 becomes +0),
 * x * 0, x - x. A NaN's sign and payload are not defined (base/scalar.def), all else is: zeros'
 * signs and infinities too.
 *
 * Negations: rounding to nearest is symmetric, so the sign of a product or quotient can stand at either
 * operand or at the result; and a difference is by definition the sum with a negation. Not exact are b - a
 * for -(a - b) and -(a + b) for (-a) - b: a sum that cancels is +0 whichever way round. So constants take a
 * negation in, sums and differences turn into each other, and the two negations of a product go. Each of
 * these rules takes away a use of a negation and makes none; negate.c moves negations to where that
 * happens, and says why it ends.
 */
#include "opt/scalar/simplify.h"

static scalar_bits sign_bit(enum ir_type t)
{
    return t == IR_TYPE_F32 ? UINT64_C(1) << 31 : UINT64_C(1) << 63;
}

static bool is_float(const struct opt_view *v, unsigned arg, double value)
{
    if (!v->is_const[arg])
        return false;
    if (v->ins.type == IR_TYPE_F32) {
        float narrow = (float)value;
        uint32_t bits;
        memcpy(&bits, &narrow, 4);
        return v->bits[arg] == bits;
    }
    uint64_t bits;
    memcpy(&bits, &value, 8);
    return v->bits[arg] == bits;
}

/* ---- negations --------------------------------------------------------------------------------------- */

/* What operand `arg` is the negation of, or 0. */
static ir_ref negated(const struct opt_view *v, unsigned arg)
{
    return maker(v, arg)->op == IR_neg ? maker(v, arg)->args[0] : 0;
}

ir_ref opt_opposite(struct ir_function *f, ir_ref constant)
{
    const struct ir_ins *ins = ir_at(f, constant);
    return ir_const(f, ins->type, (scalar_bits)ins->imm ^ sign_bit(ins->type));
}

static ir_ref opposite(const struct opt_view *v, unsigned arg)
{
    return opt_opposite(v->f, v->ins.args[arg]);
}

static ir_ref negate(struct opt_view *v, unsigned arg)
{
    return negated(v, arg) ? negated(v, arg) : opt_rewrite(v, IR_neg, v->ins.args[arg], 0);
}

static ir_ref simplify_sum(struct opt_view *v)
{
    ir_ref x = negated(v, 0), y = negated(v, 1);
    if (is_float(v, 1, -0.0))
        return v->ins.args[0];
    if (y)
        return opt_rewrite(v, IR_sub, v->ins.args[0], y);
    return x ? opt_rewrite(v, IR_sub, v->ins.args[1], x) : 0;
}

/* (-x) - c is (-c) - x: both are the sum of -x and -c. */
static ir_ref simplify_difference(struct opt_view *v)
{
    ir_ref x = negated(v, 0), y = negated(v, 1);
    if (is_float(v, 1, 0.0))
        return v->ins.args[0];
    if (x && y)
        return opt_rewrite(v, IR_sub, y, x);
    if (y)
        return opt_rewrite(v, IR_add, v->ins.args[0], y);
    return x && v->is_const[1] ? opt_rewrite(v, IR_sub, opposite(v, 1), x) : 0;
}

/* a * b and a / b. */
static ir_ref simplify_product(struct opt_view *v)
{
    ir_ref x = negated(v, 0), y = negated(v, 1);
    if (is_float(v, 1, 1.0))
        return v->ins.args[0];
    if (is_float(v, 1, -1.0))
        return negate(v, 0);
    if (x && y)
        return opt_rewrite(v, v->ins.op, x, y);
    if (x && v->is_const[1])
        return opt_rewrite(v, v->ins.op, x, opposite(v, 1));
    return y && v->is_const[0] ? opt_rewrite(v, v->ins.op, opposite(v, 0), y) : 0;
}

bool opt_takes_negation(const struct ir_function *f, ir_ref r, ir_ref operand)
{
    const struct ir_ins *ins = ir_at(f, r);
    if (ins->op == IR_neg || ins->op == IR_abs)
        return true;
    if (ins->argc != 2)
        return false;
    bool left = ins->args[0] == operand, right = ins->args[1] == operand;
    const struct ir_ins *other = ir_at(f, ins->args[left]);
    switch (ins->op) {
    case IR_add: return left != right && other->op != IR_neg;
    case IR_sub: return left != right && (right || other->op == IR_constant || other->op == IR_neg);
    case IR_mul:
    case IR_div: return left == right || other->op == IR_constant || other->op == IR_neg;
    default: return false;
    }
}

/* ---- by operation ------------------------------------------------------------------------------------ */

ir_ref opt_simplify_float(struct opt_view *v)
{
    switch (v->ins.op) {
    case IR_add: return simplify_sum(v);
    case IR_sub: return simplify_difference(v);
    case IR_mul:
    case IR_div: return simplify_product(v);
    case IR_neg: return opt_simplify_involution(v);
    case IR_abs:
        return maker(v, 0)->op == IR_abs ? v->ins.args[0]
               : negated(v, 0)           ? opt_rewrite(v, IR_abs, negated(v, 0), 0)
                                         : 0;
    case IR_select: return opt_simplify_select(v);
    default: return 0;
    }
}
