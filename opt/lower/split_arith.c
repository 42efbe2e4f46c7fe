/* split_arith.c: arithmetic on pairs. Every expansion is straight-line code: selects, no branches.
 *
 * A shift by n modulo 64 is one by n modulo 32 across the words, and an exchange of words where n & 32. The
 * part that crosses is shifted in two steps, by 1 and by 31 - n, since a shift by 32 is one by 0.
 */
#include "opt/lower/split_i64.h"

ir_ref split_const(struct splitter *x, uint32_t v)
{
    return ir_const_i32(x->f, v);
}

ir_ref split_emit1(struct splitter *x, enum ir_op op, ir_ref a)
{
    return ir_emit1(&x->c, op, IR_TYPE_I32, a);
}

ir_ref split_emit2(struct splitter *x, enum ir_op op, ir_ref a, ir_ref b)
{
    return ir_emit2(&x->c, op, IR_TYPE_I32, a, b);
}

ir_ref split_compare(struct splitter *x, enum ir_op op, ir_ref a, ir_ref b)
{
    return ir_emit2(&x->c, op, IR_TYPE_I1, a, b);
}

ir_ref split_choose(struct splitter *x, ir_ref condition, ir_ref a, ir_ref b)
{
    return a == b ? a : ir_emit3(&x->c, IR_select, IR_TYPE_I32, condition, a, b);
}

ir_ref split_bool_word(struct splitter *x, ir_ref condition)
{
    return ir_emit1(&x->c, IR_zext, IR_TYPE_I32, condition);
}

struct split_pair split_choose_pair(struct splitter *x, ir_ref condition, struct split_pair a,
                                    struct split_pair b)
{
    return (struct split_pair){split_choose(x, condition, a.lo, b.lo),
                               split_choose(x, condition, a.hi, b.hi)};
}

static struct split_pair both(struct splitter *x, uint64_t v)
{
    return (struct split_pair){split_const(x, (uint32_t)v), split_const(x, (uint32_t)(v >> 32))};
}

static ir_ref logic(struct splitter *x, enum ir_op op, ir_ref a, ir_ref b)
{
    return ir_emit2(&x->c, op, IR_TYPE_I1, a, b);
}

/* ---- sums and products ------------------------------------------------------------------------------- */

struct split_pair split_add_pair(struct splitter *x, struct split_pair a, struct split_pair b)
{
    ir_ref lo = split_emit2(x, IR_add, a.lo, b.lo),
           carry = split_bool_word(x, split_compare(x, IR_ult, lo, b.lo));
    return (struct split_pair){lo, split_emit2(x, IR_add, split_emit2(x, IR_add, a.hi, b.hi), carry)};
}

static struct split_pair subtract(struct splitter *x, struct split_pair a, struct split_pair b)
{
    ir_ref borrow = split_bool_word(x, split_compare(x, IR_ult, a.lo, b.lo));
    ir_ref hi = split_emit2(x, IR_sub, split_emit2(x, IR_sub, a.hi, b.hi), borrow);
    return (struct split_pair){split_emit2(x, IR_sub, a.lo, b.lo), hi};
}

static struct split_pair negate(struct splitter *x, struct split_pair a)
{
    return subtract(x, both(x, 0), a);
}

/* a * b of words, in full. */
static struct split_pair product(struct splitter *x, ir_ref a, ir_ref b)
{
    return (struct split_pair){split_emit2(x, IR_mul, a, b), split_emit2(x, IR_mulhi_u, a, b)};
}

static struct split_pair multiply(struct splitter *x, struct split_pair a, struct split_pair b)
{
    struct split_pair p = product(x, a.lo, b.lo);
    p.hi = split_emit2(x, IR_add, p.hi, split_emit2(x, IR_mul, a.lo, b.hi));
    p.hi = split_emit2(x, IR_add, p.hi, split_emit2(x, IR_mul, a.hi, b.lo));
    return p;
}

/* Words 2 and 3 of the 128-bit product: the middle sum is below 3 * 2^32. */
static struct split_pair multiply_high(struct splitter *x, struct split_pair a, struct split_pair b)
{
    ir_ref zero = split_const(x, 0);
    struct split_pair low = product(x, a.lo, b.lo), m1 = product(x, a.hi, b.lo), m2 = product(x, a.lo, b.hi);
    struct split_pair middle =
        split_add_pair(x, (struct split_pair){low.hi, zero}, (struct split_pair){m1.lo, zero});
    middle = split_add_pair(x, middle, (struct split_pair){m2.lo, zero});
    struct split_pair high = split_add_pair(x, product(x, a.hi, b.hi), (struct split_pair){middle.hi, zero});
    high = split_add_pair(x, high, (struct split_pair){m1.hi, zero});
    return split_add_pair(x, high, (struct split_pair){m2.hi, zero});
}

static ir_ref is_negative(struct splitter *x, struct split_pair a)
{
    return split_compare(x, IR_slt, a.hi, split_const(x, 0));
}

static struct split_pair absolute(struct splitter *x, struct split_pair a)
{
    struct split_pair opposite = negate(x, a);
    return split_choose_pair(x, is_negative(x, a), opposite, a);
}

static struct split_pair multiply_high_signed(struct splitter *x, struct split_pair a, struct split_pair b)
{
    struct split_pair p = multiply_high(x, a, b), zero = both(x, 0);
    p = subtract(x, p, split_choose_pair(x, is_negative(x, a), b, zero));
    return subtract(x, p, split_choose_pair(x, is_negative(x, b), a, zero));
}

/* ---- shifts ------------------------------------------------------------------------------------------ */

/* high << n | low >> (32 - n), n modulo 32: what a funnel shift gives. */
static ir_ref across_left(struct splitter *x, ir_ref high, ir_ref low, ir_ref n)
{
    ir_ref by = split_emit1(x, IR_not, n);
    ir_ref rest = split_emit2(x, IR_lshr, split_emit2(x, IR_lshr, low, split_const(x, 1)), by);
    return split_emit2(x, IR_or, split_emit2(x, IR_shl, high, n), rest);
}

static ir_ref across_right(struct splitter *x, ir_ref high, ir_ref low, ir_ref n)
{
    ir_ref by = split_emit1(x, IR_not, n);
    ir_ref rest = split_emit2(x, IR_shl, split_emit2(x, IR_shl, high, split_const(x, 1)), by);
    return split_emit2(x, IR_or, split_emit2(x, IR_lshr, low, n), rest);
}

static ir_ref crosses(struct splitter *x, ir_ref n)
{
    return split_compare(x, IR_ne, split_emit2(x, IR_and, n, split_const(x, 32)), split_const(x, 0));
}

static struct split_pair shift_left(struct splitter *x, struct split_pair a, ir_ref n)
{
    struct split_pair near = {split_emit2(x, IR_shl, a.lo, n), across_left(x, a.hi, a.lo, n)};
    return split_choose_pair(x, crosses(x, n), (struct split_pair){split_const(x, 0), near.lo}, near);
}

/* `op` is lshr or ashr. */
static struct split_pair shift_right(struct splitter *x, struct split_pair a, ir_ref n, enum ir_op op)
{
    struct split_pair near = {across_right(x, a.hi, a.lo, n), split_emit2(x, op, a.hi, n)};
    ir_ref fill = op == IR_ashr ? split_emit2(x, IR_ashr, a.hi, split_const(x, 31)) : split_const(x, 0);
    return split_choose_pair(x, crosses(x, n), (struct split_pair){near.hi, fill}, near);
}

static struct split_pair rotate_left(struct splitter *x, struct split_pair a, ir_ref n)
{
    struct split_pair b = split_choose_pair(x, crosses(x, n), (struct split_pair){a.hi, a.lo}, a);
    return (struct split_pair){across_left(x, b.lo, b.hi, n), across_left(x, b.hi, b.lo, n)};
}

/* A known n: 0 < n < 64. */
static struct split_pair shift_by_constant(struct splitter *x, struct split_pair a, uint32_t n, enum ir_op op)
{
    ir_ref by = split_const(x, n & 31), zero = split_const(x, 0);
    if (op == IR_shl && n >= 32)
        return (struct split_pair){zero, n == 32 ? a.lo : split_emit2(x, IR_shl, a.lo, by)};
    if (op == IR_shl)
        return (struct split_pair){split_emit2(x, IR_shl, a.lo, by), across_left(x, a.hi, a.lo, by)};
    if (n < 32)
        return (struct split_pair){across_right(x, a.hi, a.lo, by), split_emit2(x, op, a.hi, by)};
    ir_ref fill = op == IR_ashr ? split_emit2(x, IR_ashr, a.hi, split_const(x, 31)) : zero;
    return (struct split_pair){n == 32 ? a.hi : split_emit2(x, op, a.hi, by), fill};
}

static struct split_pair shift(struct splitter *x, struct split_pair a, struct split_pair b, enum ir_op op)
{
    scalar_bits n;
    if (ir_is_const(x->f, b.lo, &n))
        return n & 63 ? shift_by_constant(x, a, n & 63, op) : a;
    return op == IR_shl ? shift_left(x, a, b.lo) : shift_right(x, a, b.lo, op);
}

/* ---- comparisons ------------------------------------------------------------------------------------- */

/* `op`: eq or ne. */
static ir_ref equality(struct splitter *x, struct split_pair a, struct split_pair b, enum ir_op op)
{
    ir_ref high = split_emit2(x, IR_xor, a.hi, b.hi);
    ir_ref differs = split_emit2(x, IR_or, split_emit2(x, IR_xor, a.lo, b.lo), high);
    return split_compare(x, op, differs, split_const(x, 0));
}

/* `op`: slt sle ult ule; the low words compare unsigned. */
static ir_ref order(struct splitter *x, struct split_pair a, struct split_pair b, enum ir_op op)
{
    bool is_signed = op == IR_slt || op == IR_sle, or_equal = op == IR_sle || op == IR_ule;
    ir_ref high = split_compare(x, is_signed ? IR_slt : IR_ult, a.hi, b.hi);
    ir_ref low = split_compare(x, or_equal ? IR_ule : IR_ult, a.lo, b.lo);
    return logic(x, IR_or, high, logic(x, IR_and, split_compare(x, IR_eq, a.hi, b.hi), low));
}

static struct split_pair least(struct splitter *x, struct split_pair a, struct split_pair b, enum ir_op op)
{
    bool is_signed = op == IR_smin || op == IR_smax, smallest = op == IR_smin || op == IR_umin;
    ir_ref less = order(x, a, b, is_signed ? IR_slt : IR_ult);
    return smallest ? split_choose_pair(x, less, a, b) : split_choose_pair(x, less, b, a);
}

/* ---- counting bits ----------------------------------------------------------------------------------- */

/* clz counts from the high word, ctz from the low one. */
static struct split_pair count_zeros(struct splitter *x, enum ir_op op, ir_ref near, ir_ref far)
{
    ir_ref more = split_emit2(x, IR_add, split_emit1(x, op, far), split_const(x, 32));
    ir_ref count = split_emit1(x, op, near);
    ir_ref n = split_choose(x, split_compare(x, IR_eq, near, split_const(x, 0)), more, count);
    return (struct split_pair){n, split_const(x, 0)};
}

static struct split_pair count_ones(struct splitter *x, struct split_pair a)
{
    ir_ref high = split_emit1(x, IR_popcount, a.hi);
    ir_ref n = split_emit2(x, IR_add, split_emit1(x, IR_popcount, a.lo), high);
    return (struct split_pair){n, split_const(x, 0)};
}

/* ---- floats ------------------------------------------------------------------------------------------ */

static ir_ref float_const(struct splitter *x, float v)
{
    return ir_const(x->f, IR_TYPE_F32, scalar_raw_f32(v));
}

static ir_ref float2(struct splitter *x, enum ir_op op, ir_ref a, ir_ref b)
{
    return ir_emit2(&x->c, op, IR_TYPE_F32, a, b);
}

/* The 32 bits from the first set one on, the lowest one set too where anything below is: a float has 24 bits,
 * so the conversion of this word rounds as that of the whole would. Then times 2^(32 - n), exactly. */
static ir_ref to_float(struct splitter *x, struct split_pair a)
{
    ir_ref n = split_emit1(x, IR_clz, a.hi), zero = split_const(x, 0);
    ir_ref whole = split_compare(x, IR_eq, a.hi, zero);
    ir_ref rest = split_bool_word(x, split_compare(x, IR_ne, split_emit2(x, IR_shl, a.lo, n), zero));
    ir_ref top = split_emit2(x, IR_or, across_left(x, a.hi, a.lo, n), rest);
    ir_ref word = split_choose(x, whole, a.lo, top);
    ir_ref exponent = split_choose(x, whole, zero, split_emit2(x, IR_sub, split_const(x, 32), n));
    ir_ref scale =
        split_emit2(x, IR_shl, split_emit2(x, IR_add, exponent, split_const(x, 127)), split_const(x, 23));
    ir_ref power = ir_emit1(&x->c, IR_bits, IR_TYPE_F32, scale);
    return float2(x, IR_mul, ir_emit1(&x->c, IR_uitof, IR_TYPE_F32, word), power);
}

static ir_ref signed_to_float(struct splitter *x, struct split_pair a)
{
    ir_ref below = is_negative(x, a);
    ir_ref magnitude = to_float(x, split_choose_pair(x, below, negate(x, a), a));
    ir_ref opposite = ir_emit1(&x->c, IR_neg, IR_TYPE_F32, magnitude);
    return ir_emit3(&x->c, IR_select, IR_TYPE_F32, below, opposite, magnitude);
}

/* Of 0 <= a < 2^64: the high word is the integer part of a / 2^32 (exact: the division changes only the
 * exponent, or the result is below 1), and what is left of a after it fits a float exactly. NaN gives 0. */
static struct split_pair from_magnitude(struct splitter *x, ir_ref a)
{
    ir_ref high = ir_emit1(&x->c, IR_truncf, IR_TYPE_F32, float2(x, IR_mul, a, float_const(x, 0x1p-32f)));
    ir_ref rest = float2(x, IR_sub, a, float2(x, IR_mul, high, float_const(x, 0x1p32f)));
    return (struct split_pair){split_emit1(x, IR_ftoui, rest), split_emit1(x, IR_ftoui, high)};
}

static struct split_pair to_unsigned(struct splitter *x, ir_ref a)
{
    ir_ref above = split_compare(x, IR_le, float_const(x, 0x1p64f), a);
    struct split_pair p = from_magnitude(x, float2(x, IR_fmax, a, float_const(x, 0)));
    return split_choose_pair(x, above, both(x, UINT64_MAX), p);
}

static struct split_pair to_signed(struct splitter *x, ir_ref a)
{
    ir_ref above = split_compare(x, IR_le, float_const(x, 0x1p63f), a);
    ir_ref below = split_compare(x, IR_le, a, float_const(x, -0x1p63f));
    ir_ref negative = split_compare(x, IR_lt, a, float_const(x, 0));
    struct split_pair p = from_magnitude(x, ir_emit1(&x->c, IR_abs, IR_TYPE_F32, a));
    p = split_choose_pair(x, negative, negate(x, p), p);
    p = split_choose_pair(x, above, both(x, INT64_MAX), p);
    return split_choose_pair(x, below, both(x, (uint64_t)INT64_MIN), p);
}

/* ---- all --------------------------------------------------------------------------------------------- */

/* Halves that are put together stay what they are: this pass may run where it has run before. */
static ir_ref either(struct splitter *x, ir_ref a, ir_ref b)
{
    ir_ref zero = split_const(x, 0);
    if (a == zero || b == zero)
        return a == zero ? b : a;
    return split_emit2(x, IR_or, a, b);
}

static struct split_pair wordwise(struct splitter *x, enum ir_op op, struct split_pair a, struct split_pair b)
{
    if (op == IR_or)
        return (struct split_pair){either(x, a.lo, b.lo), either(x, a.hi, b.hi)};
    return (struct split_pair){split_emit2(x, op, a.lo, b.lo), split_emit2(x, op, a.hi, b.hi)};
}

static struct split_pair extend(struct splitter *x, const struct ir_ins *ins)
{
    ir_ref a = ins->args[0];
    if (ins->op == IR_sext)
        return (struct split_pair){a, split_emit2(x, IR_ashr, a, split_const(x, 31))};
    ir_ref lo = ir_at(x->f, a)->type == IR_TYPE_I1 ? split_bool_word(x, a) : a;
    return (struct split_pair){lo, split_const(x, 0)};
}

/* The pair that instruction `ins` (a copy: the table may move) with i64 operands a and b makes; lo 0: none of
 * these. */
static struct split_pair integer_pair(struct splitter *x, const struct ir_ins *ins, struct split_pair a,
                                      struct split_pair b)
{
    switch (ins->op) {
    case IR_add: return split_add_pair(x, a, b);
    case IR_sub: return subtract(x, a, b);
    case IR_mul: return multiply(x, a, b);
    case IR_mulhi_u: return multiply_high(x, a, b);
    case IR_mulhi_s: return multiply_high_signed(x, a, b);
    case IR_and:
    case IR_or:
    case IR_xor: return wordwise(x, ins->op, a, b);
    case IR_not: return (struct split_pair){split_emit1(x, IR_not, a.lo), split_emit1(x, IR_not, a.hi)};
    case IR_shl:
    case IR_lshr:
    case IR_ashr: return shift(x, a, b, ins->op);
    case IR_rotl: return rotate_left(x, a, b.lo);
    case IR_neg: return negate(x, a);
    case IR_abs: return absolute(x, a);
    case IR_smin:
    case IR_smax:
    case IR_umin:
    case IR_umax: return least(x, a, b, ins->op);
    case IR_popcount: return count_ones(x, a);
    case IR_clz: return count_zeros(x, IR_clz, a.hi, a.lo);
    case IR_ctz: return count_zeros(x, IR_ctz, a.lo, a.hi);
    case IR_brev: return (struct split_pair){split_emit1(x, IR_brev, a.hi), split_emit1(x, IR_brev, a.lo)};
    default: return (struct split_pair){0, 0};
    }
}

/* A value of another type made of i64 ones; 0: none of these. */
static ir_ref narrow_value(struct splitter *x, const struct ir_ins *ins, struct split_pair a,
                           struct split_pair b)
{
    switch (ins->op) {
    case IR_eq:
    case IR_ne: return equality(x, a, b, ins->op);
    case IR_slt:
    case IR_sle:
    case IR_ult:
    case IR_ule: return order(x, a, b, ins->op);
    case IR_trunc: return a.lo;
    case IR_sitof: return signed_to_float(x, a);
    case IR_uitof: return to_float(x, a);
    default: return 0;
    }
}

static bool split_to_narrow(struct splitter *x, ir_ref r, const struct ir_ins *ins)
{
    struct split_pair a = split_halves(x, ins->args[0]),
                      b = ins->argc > 1 ? split_halves(x, ins->args[1]) : a;
    ir_ref value = narrow_value(x, ins, a, b);
    if (value)
        split_set_value(x, r, value);
    return value;
}

/* Conversions from and to doubles, divisions. */
static bool is_kept(const struct splitter *x, const struct ir_ins *ins)
{
    bool division = ins->op == IR_sdiv || ins->op == IR_udiv || ins->op == IR_srem || ins->op == IR_urem;
    return ins->type == IR_TYPE_F64 || ir_at(x->f, ins->args[0])->type == IR_TYPE_F64 || division;
}

bool split_arithmetic(struct splitter *x, ir_ref r)
{
    struct ir_ins ins = *ir_at(x->f, r);
    if (!ir_is_pure(ins.op) || is_kept(x, &ins))
        return false;
    if (ins.type != IR_TYPE_I64)
        return split_to_narrow(x, r, &ins);
    struct split_pair p;
    if (ins.op == IR_select)
        p = split_choose_pair(x, ins.args[0], split_halves(x, ins.args[1]), split_halves(x, ins.args[2]));
    else if (ins.op == IR_sext || ins.op == IR_zext)
        p = extend(x, &ins);
    else if (ins.op == IR_ftosi || ins.op == IR_ftoui)
        p = ins.op == IR_ftosi ? to_signed(x, ins.args[0]) : to_unsigned(x, ins.args[0]);
    else
        p = integer_pair(x, &ins, split_halves(x, ins.args[0]),
                         ins.argc > 1 ? split_halves(x, ins.args[1]) : (struct split_pair){0, 0});
    if (p.lo)
        split_set_pair(x, r, p);
    return p.lo;
}
