/* legalize_arith.c: arithmetic on pairs. Every expansion is straight-line code: selects, no branches.
 *
 * A shift by n modulo 64 is one by n modulo 32 across the words, and an exchange of words where n & 32. The
 * part that crosses is shifted in two steps, by 1 and by 31 - n, since a shift by 32 is one by 0.
 */
#include "backend/warpcore/legalize.h"

ir_ref wc_const(struct wc_legalizer *x, uint32_t v)
{
    return ir_const_i32(x->f, v);
}

ir_ref wc_emit1(struct wc_legalizer *x, enum ir_op op, ir_ref a)
{
    return ir_emit1(&x->c, op, IR_TYPE_I32, a);
}

ir_ref wc_emit2(struct wc_legalizer *x, enum ir_op op, ir_ref a, ir_ref b)
{
    return ir_emit2(&x->c, op, IR_TYPE_I32, a, b);
}

ir_ref wc_compare(struct wc_legalizer *x, enum ir_op op, ir_ref a, ir_ref b)
{
    return ir_emit2(&x->c, op, IR_TYPE_I1, a, b);
}

ir_ref wc_choose(struct wc_legalizer *x, ir_ref condition, ir_ref a, ir_ref b)
{
    return a == b ? a : ir_emit3(&x->c, IR_select, IR_TYPE_I32, condition, a, b);
}

ir_ref wc_bool_word(struct wc_legalizer *x, ir_ref condition)
{
    return ir_emit1(&x->c, IR_zext, IR_TYPE_I32, condition);
}

struct wc_pair wc_choose_pair(struct wc_legalizer *x, ir_ref condition, struct wc_pair a, struct wc_pair b)
{
    return (struct wc_pair){wc_choose(x, condition, a.lo, b.lo), wc_choose(x, condition, a.hi, b.hi)};
}

static struct wc_pair both(struct wc_legalizer *x, uint64_t v)
{
    return (struct wc_pair){wc_const(x, (uint32_t)v), wc_const(x, (uint32_t)(v >> 32))};
}

static ir_ref logic(struct wc_legalizer *x, enum ir_op op, ir_ref a, ir_ref b)
{
    return ir_emit2(&x->c, op, IR_TYPE_I1, a, b);
}

/* ---- sums and products --------------------------------------------------------------------------------- */

struct wc_pair wc_add_pair(struct wc_legalizer *x, struct wc_pair a, struct wc_pair b)
{
    ir_ref lo = wc_emit2(x, IR_add, a.lo, b.lo), carry = wc_bool_word(x, wc_compare(x, IR_ult, lo, b.lo));
    return (struct wc_pair){lo, wc_emit2(x, IR_add, wc_emit2(x, IR_add, a.hi, b.hi), carry)};
}

static struct wc_pair subtract(struct wc_legalizer *x, struct wc_pair a, struct wc_pair b)
{
    ir_ref borrow = wc_bool_word(x, wc_compare(x, IR_ult, a.lo, b.lo));
    ir_ref hi = wc_emit2(x, IR_sub, wc_emit2(x, IR_sub, a.hi, b.hi), borrow);
    return (struct wc_pair){wc_emit2(x, IR_sub, a.lo, b.lo), hi};
}

static struct wc_pair negate(struct wc_legalizer *x, struct wc_pair a)
{
    return subtract(x, both(x, 0), a);
}

/* a * b of words, in full. */
static struct wc_pair product(struct wc_legalizer *x, ir_ref a, ir_ref b)
{
    return (struct wc_pair){wc_emit2(x, IR_mul, a, b), wc_emit2(x, IR_mulhi_u, a, b)};
}

static struct wc_pair multiply(struct wc_legalizer *x, struct wc_pair a, struct wc_pair b)
{
    struct wc_pair p = product(x, a.lo, b.lo);
    p.hi = wc_emit2(x, IR_add, p.hi, wc_emit2(x, IR_mul, a.lo, b.hi));
    p.hi = wc_emit2(x, IR_add, p.hi, wc_emit2(x, IR_mul, a.hi, b.lo));
    return p;
}

/* Words 2 and 3 of the 128-bit product: the middle sum is below 3 * 2^32. */
static struct wc_pair multiply_high(struct wc_legalizer *x, struct wc_pair a, struct wc_pair b)
{
    ir_ref zero = wc_const(x, 0);
    struct wc_pair low = product(x, a.lo, b.lo), m1 = product(x, a.hi, b.lo), m2 = product(x, a.lo, b.hi);
    struct wc_pair middle = wc_add_pair(x, (struct wc_pair){low.hi, zero}, (struct wc_pair){m1.lo, zero});
    middle = wc_add_pair(x, middle, (struct wc_pair){m2.lo, zero});
    struct wc_pair high = wc_add_pair(x, product(x, a.hi, b.hi), (struct wc_pair){middle.hi, zero});
    high = wc_add_pair(x, high, (struct wc_pair){m1.hi, zero});
    return wc_add_pair(x, high, (struct wc_pair){m2.hi, zero});
}

static ir_ref is_negative(struct wc_legalizer *x, struct wc_pair a)
{
    return wc_compare(x, IR_slt, a.hi, wc_const(x, 0));
}

static struct wc_pair multiply_high_signed(struct wc_legalizer *x, struct wc_pair a, struct wc_pair b)
{
    struct wc_pair p = multiply_high(x, a, b), zero = both(x, 0);
    p = subtract(x, p, wc_choose_pair(x, is_negative(x, a), b, zero));
    return subtract(x, p, wc_choose_pair(x, is_negative(x, b), a, zero));
}

/* ---- shifts -------------------------------------------------------------------------------------------- */

/* high << n | low >> (32 - n), n modulo 32: what a funnel shift gives. */
static ir_ref across_left(struct wc_legalizer *x, ir_ref high, ir_ref low, ir_ref n)
{
    ir_ref rest = wc_emit2(x, IR_lshr, wc_emit2(x, IR_lshr, low, wc_const(x, 1)), wc_emit1(x, IR_not, n));
    return wc_emit2(x, IR_or, wc_emit2(x, IR_shl, high, n), rest);
}

static ir_ref across_right(struct wc_legalizer *x, ir_ref high, ir_ref low, ir_ref n)
{
    ir_ref rest = wc_emit2(x, IR_shl, wc_emit2(x, IR_shl, high, wc_const(x, 1)), wc_emit1(x, IR_not, n));
    return wc_emit2(x, IR_or, wc_emit2(x, IR_lshr, low, n), rest);
}

static ir_ref crosses(struct wc_legalizer *x, ir_ref n)
{
    return wc_compare(x, IR_ne, wc_emit2(x, IR_and, n, wc_const(x, 32)), wc_const(x, 0));
}

static struct wc_pair shift_left(struct wc_legalizer *x, struct wc_pair a, ir_ref n)
{
    struct wc_pair near = {wc_emit2(x, IR_shl, a.lo, n), across_left(x, a.hi, a.lo, n)};
    return wc_choose_pair(x, crosses(x, n), (struct wc_pair){wc_const(x, 0), near.lo}, near);
}

/* `op` is lshr or ashr. */
static struct wc_pair shift_right(struct wc_legalizer *x, struct wc_pair a, ir_ref n, enum ir_op op)
{
    struct wc_pair near = {across_right(x, a.hi, a.lo, n), wc_emit2(x, op, a.hi, n)};
    ir_ref fill = op == IR_ashr ? wc_emit2(x, IR_ashr, a.hi, wc_const(x, 31)) : wc_const(x, 0);
    return wc_choose_pair(x, crosses(x, n), (struct wc_pair){near.hi, fill}, near);
}

static struct wc_pair rotate_left(struct wc_legalizer *x, struct wc_pair a, ir_ref n)
{
    struct wc_pair b = wc_choose_pair(x, crosses(x, n), (struct wc_pair){a.hi, a.lo}, a);
    return (struct wc_pair){across_left(x, b.lo, b.hi, n), across_left(x, b.hi, b.lo, n)};
}

/* A known n: 0 < n < 64. */
static struct wc_pair shift_by_constant(struct wc_legalizer *x, struct wc_pair a, uint32_t n, enum ir_op op)
{
    ir_ref by = wc_const(x, n & 31), zero = wc_const(x, 0);
    if (op == IR_shl && n >= 32)
        return (struct wc_pair){zero, n == 32 ? a.lo : wc_emit2(x, IR_shl, a.lo, by)};
    if (op == IR_shl)
        return (struct wc_pair){wc_emit2(x, IR_shl, a.lo, by), across_left(x, a.hi, a.lo, by)};
    if (n < 32)
        return (struct wc_pair){across_right(x, a.hi, a.lo, by), wc_emit2(x, op, a.hi, by)};
    ir_ref fill = op == IR_ashr ? wc_emit2(x, IR_ashr, a.hi, wc_const(x, 31)) : zero;
    return (struct wc_pair){n == 32 ? a.hi : wc_emit2(x, op, a.hi, by), fill};
}

static struct wc_pair shift(struct wc_legalizer *x, struct wc_pair a, struct wc_pair b, enum ir_op op)
{
    scalar_bits n;
    if (ir_is_const(x->f, b.lo, &n))
        return n & 63 ? shift_by_constant(x, a, n & 63, op) : a;
    return op == IR_shl ? shift_left(x, a, b.lo) : shift_right(x, a, b.lo, op);
}

/* ---- comparisons --------------------------------------------------------------------------------------- */

/* `op`: eq or ne. */
static ir_ref equality(struct wc_legalizer *x, struct wc_pair a, struct wc_pair b, enum ir_op op)
{
    ir_ref differs = wc_emit2(x, IR_or, wc_emit2(x, IR_xor, a.lo, b.lo), wc_emit2(x, IR_xor, a.hi, b.hi));
    return wc_compare(x, op, differs, wc_const(x, 0));
}

/* `op`: slt sle ult ule; the low words compare unsigned. */
static ir_ref order(struct wc_legalizer *x, struct wc_pair a, struct wc_pair b, enum ir_op op)
{
    bool is_signed = op == IR_slt || op == IR_sle, or_equal = op == IR_sle || op == IR_ule;
    ir_ref high = wc_compare(x, is_signed ? IR_slt : IR_ult, a.hi, b.hi);
    ir_ref low = wc_compare(x, or_equal ? IR_ule : IR_ult, a.lo, b.lo);
    return logic(x, IR_or, high, logic(x, IR_and, wc_compare(x, IR_eq, a.hi, b.hi), low));
}

static struct wc_pair least(struct wc_legalizer *x, struct wc_pair a, struct wc_pair b, enum ir_op op)
{
    bool is_signed = op == IR_smin || op == IR_smax, smallest = op == IR_smin || op == IR_umin;
    ir_ref less = order(x, a, b, is_signed ? IR_slt : IR_ult);
    return smallest ? wc_choose_pair(x, less, a, b) : wc_choose_pair(x, less, b, a);
}

/* ---- counting bits ------------------------------------------------------------------------------------- */

/* clz counts from the high word, ctz from the low one. */
static struct wc_pair count_zeros(struct wc_legalizer *x, enum ir_op op, ir_ref near, ir_ref far)
{
    ir_ref more = wc_emit2(x, IR_add, wc_emit1(x, op, far), wc_const(x, 32));
    ir_ref n = wc_choose(x, wc_compare(x, IR_eq, near, wc_const(x, 0)), more, wc_emit1(x, op, near));
    return (struct wc_pair){n, wc_const(x, 0)};
}

static struct wc_pair count_ones(struct wc_legalizer *x, struct wc_pair a)
{
    ir_ref n = wc_emit2(x, IR_add, wc_emit1(x, IR_popcount, a.lo), wc_emit1(x, IR_popcount, a.hi));
    return (struct wc_pair){n, wc_const(x, 0)};
}

/* ---- floats -------------------------------------------------------------------------------------------- */

static ir_ref float_const(struct wc_legalizer *x, float v)
{
    return ir_const(x->f, IR_TYPE_F32, scalar_raw_f32(v));
}

static ir_ref float2(struct wc_legalizer *x, enum ir_op op, ir_ref a, ir_ref b)
{
    return ir_emit2(&x->c, op, IR_TYPE_F32, a, b);
}

/* The 32 bits from the first set one on, the lowest one set too where anything below is: a float has 24 bits,
 * so the conversion of this word rounds as that of the whole would. Then times 2^(32 - n), exactly. */
static ir_ref to_float(struct wc_legalizer *x, struct wc_pair a)
{
    ir_ref n = wc_emit1(x, IR_clz, a.hi), zero = wc_const(x, 0);
    ir_ref whole = wc_compare(x, IR_eq, a.hi, zero);
    ir_ref rest = wc_bool_word(x, wc_compare(x, IR_ne, wc_emit2(x, IR_shl, a.lo, n), zero));
    ir_ref top = wc_emit2(x, IR_or, across_left(x, a.hi, a.lo, n), rest);
    ir_ref word = wc_choose(x, whole, a.lo, top);
    ir_ref exponent = wc_choose(x, whole, zero, wc_emit2(x, IR_sub, wc_const(x, 32), n));
    ir_ref scale = wc_emit2(x, IR_shl, wc_emit2(x, IR_add, exponent, wc_const(x, 127)), wc_const(x, 23));
    return float2(x, IR_mul, ir_emit1(&x->c, IR_uitof, IR_TYPE_F32, word),
                  ir_emit1(&x->c, IR_bits, IR_TYPE_F32, scale));
}

static ir_ref signed_to_float(struct wc_legalizer *x, struct wc_pair a)
{
    ir_ref below = is_negative(x, a);
    ir_ref magnitude = to_float(x, wc_choose_pair(x, below, negate(x, a), a));
    ir_ref opposite = ir_emit1(&x->c, IR_neg, IR_TYPE_F32, magnitude);
    return ir_emit3(&x->c, IR_select, IR_TYPE_F32, below, opposite, magnitude);
}

/* Of 0 <= a < 2^64: the high word is the integer part of a / 2^32 (exact: the division changes only the
 * exponent, or the result is below 1), and what is left of a after it fits a float exactly. NaN gives 0. */
static struct wc_pair from_magnitude(struct wc_legalizer *x, ir_ref a)
{
    ir_ref high = ir_emit1(&x->c, IR_truncf, IR_TYPE_F32, float2(x, IR_mul, a, float_const(x, 0x1p-32f)));
    ir_ref rest = float2(x, IR_sub, a, float2(x, IR_mul, high, float_const(x, 0x1p32f)));
    return (struct wc_pair){wc_emit1(x, IR_ftoui, rest), wc_emit1(x, IR_ftoui, high)};
}

static struct wc_pair to_unsigned(struct wc_legalizer *x, ir_ref a)
{
    ir_ref above = wc_compare(x, IR_le, float_const(x, 0x1p64f), a);
    struct wc_pair p = from_magnitude(x, float2(x, IR_fmax, a, float_const(x, 0)));
    return wc_choose_pair(x, above, both(x, UINT64_MAX), p);
}

static struct wc_pair to_signed(struct wc_legalizer *x, ir_ref a)
{
    ir_ref above = wc_compare(x, IR_le, float_const(x, 0x1p63f), a);
    ir_ref below = wc_compare(x, IR_le, a, float_const(x, -0x1p63f));
    ir_ref negative = wc_compare(x, IR_lt, a, float_const(x, 0));
    struct wc_pair p = from_magnitude(x, ir_emit1(&x->c, IR_abs, IR_TYPE_F32, a));
    p = wc_choose_pair(x, negative, negate(x, p), p);
    p = wc_choose_pair(x, above, both(x, INT64_MAX), p);
    return wc_choose_pair(x, below, both(x, (uint64_t)INT64_MIN), p);
}

/* ---- all ----------------------------------------------------------------------------------------------- */

static struct wc_pair wordwise(struct wc_legalizer *x, enum ir_op op, struct wc_pair a, struct wc_pair b)
{
    return (struct wc_pair){wc_emit2(x, op, a.lo, b.lo), wc_emit2(x, op, a.hi, b.hi)};
}

static struct wc_pair extend(struct wc_legalizer *x, const struct ir_ins *ins)
{
    ir_ref a = ins->args[0];
    if (ins->op == IR_sext)
        return (struct wc_pair){a, wc_emit2(x, IR_ashr, a, wc_const(x, 31))};
    ir_ref lo = ir_at(x->f, a)->type == IR_TYPE_I1 ? wc_bool_word(x, a) : a;
    return (struct wc_pair){lo, wc_const(x, 0)};
}

/* The pair that instruction `ins` (a copy: the table may move) with i64 operands a and b makes; lo 0: none of
 * these. */
static struct wc_pair integer_pair(struct wc_legalizer *x, const struct ir_ins *ins, struct wc_pair a,
                                   struct wc_pair b)
{
    switch (ins->op) {
    case IR_add: return wc_add_pair(x, a, b);
    case IR_sub: return subtract(x, a, b);
    case IR_mul: return multiply(x, a, b);
    case IR_mulhi_u: return multiply_high(x, a, b);
    case IR_mulhi_s: return multiply_high_signed(x, a, b);
    case IR_and: case IR_or: case IR_xor: return wordwise(x, ins->op, a, b);
    case IR_not: return (struct wc_pair){wc_emit1(x, IR_not, a.lo), wc_emit1(x, IR_not, a.hi)};
    case IR_shl: case IR_lshr: case IR_ashr: return shift(x, a, b, ins->op);
    case IR_rotl: return rotate_left(x, a, b.lo);
    case IR_neg: return negate(x, a);
    case IR_abs: return wc_choose_pair(x, is_negative(x, a), negate(x, a), a);
    case IR_smin: case IR_smax: case IR_umin: case IR_umax: return least(x, a, b, ins->op);
    case IR_popcount: return count_ones(x, a);
    case IR_clz: return count_zeros(x, IR_clz, a.hi, a.lo);
    case IR_ctz: return count_zeros(x, IR_ctz, a.lo, a.hi);
    case IR_brev: return (struct wc_pair){wc_emit1(x, IR_brev, a.hi), wc_emit1(x, IR_brev, a.lo)};
    default: return (struct wc_pair){0, 0};
    }
}

/* A value of another type made of i64 ones; 0: none of these. */
static ir_ref narrow_value(struct wc_legalizer *x, const struct ir_ins *ins, struct wc_pair a,
                           struct wc_pair b)
{
    switch (ins->op) {
    case IR_eq: case IR_ne: return equality(x, a, b, ins->op);
    case IR_slt: case IR_sle: case IR_ult: case IR_ule: return order(x, a, b, ins->op);
    case IR_trunc: return a.lo;
    case IR_sitof: return signed_to_float(x, a);
    case IR_uitof: return to_float(x, a);
    default: return 0;
    }
}

static bool split_to_narrow(struct wc_legalizer *x, ir_ref r, const struct ir_ins *ins)
{
    struct wc_pair a = wc_halves(x, ins->args[0]), b = ins->argc > 1 ? wc_halves(x, ins->args[1]) : a;
    wc_set_value(x, r, narrow_value(x, ins, a, b));
    return true;
}

bool wc_split_arithmetic(struct wc_legalizer *x, ir_ref r)
{
    struct ir_ins ins = *ir_at(x->f, r);
    if (!ir_is_pure(ins.op))
        return false;
    if (ins.type != IR_TYPE_I64)
        return split_to_narrow(x, r, &ins);
    struct wc_pair p;
    if (ins.op == IR_select)
        p = wc_choose_pair(x, ins.args[0], wc_halves(x, ins.args[1]), wc_halves(x, ins.args[2]));
    else if (ins.op == IR_sext || ins.op == IR_zext)
        p = extend(x, &ins);
    else if (ins.op == IR_ftosi || ins.op == IR_ftoui)
        p = ins.op == IR_ftosi ? to_signed(x, ins.args[0]) : to_unsigned(x, ins.args[0]);
    else
        p = integer_pair(x, &ins, wc_halves(x, ins.args[0]),
                         ins.argc > 1 ? wc_halves(x, ins.args[1]) : (struct wc_pair){0, 0});
    INVARIANT(p.lo && p.hi);
    wc_set_pair(x, r, p);
    return true;
}
