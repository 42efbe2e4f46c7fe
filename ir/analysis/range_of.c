/* range_of.c: the range of what an operation gives, from those of its operands. See ranges.h. */
#include "ir/analysis/range_of.h"
#include "ir/limits.h"

static int64_t least(enum ir_type t)
{
    return t == IR_TYPE_I64 ? INT64_MIN : INT32_MIN;
}

static int64_t largest(enum ir_type t)
{
    return t == IR_TYPE_I64 ? INT64_MAX : INT32_MAX;
}

struct ir_range ir_range_of_type(enum ir_type t)
{
    return t == IR_TYPE_I1 ? (struct ir_range){0, 1} : (struct ir_range){least(t), largest(t)};
}

/* What may wrap around may be anything. */
static struct ir_range exact(enum ir_type t, __int128 lo, __int128 hi)
{
    bool fits = lo >= least(t) && hi <= largest(t);
    return fits ? (struct ir_range){(int64_t)lo, (int64_t)hi} : ir_range_of_type(t);
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* The range around four corners. */
static struct ir_range corners(enum ir_type t, const __int128 c[4])
{
    __int128 lo = c[0], hi = c[0];
    for (unsigned i = 1; i < 4; i++) {
        lo = c[i] < lo ? c[i] : lo;
        hi = c[i] > hi ? c[i] : hi;
    }
    return exact(t, lo, hi);
}

static struct ir_range product(enum ir_type t, struct ir_range a, struct ir_range b)
{
    return corners(t, (const __int128[]){(__int128)a.lo * b.lo, (__int128)a.lo * b.hi, (__int128)a.hi * b.lo,
                                         (__int128)a.hi * b.hi});
}

/* By a positive divisor. */
static struct ir_range quotient(enum ir_type t, struct ir_range a, struct ir_range b)
{
    return corners(t, (const __int128[]){a.lo / b.lo, a.lo / b.hi, a.hi / b.lo, a.hi / b.hi});
}

/* A quotient or a shift of an unsigned number: at most its largest value by the smallest divisor. */
static struct ir_range unsigned_quotient(enum ir_type t, struct ir_range a, uint64_t divisor)
{
    uint64_t most = a.lo >= 0 ? (uint64_t)a.hi : t == IR_TYPE_I64 ? UINT64_MAX : UINT32_MAX;
    return exact(t, 0, most / divisor);
}

/* By a positive divisor; what is left has the dividend's sign. */
static struct ir_range signed_remainder(struct ir_range a, struct ir_range b)
{
    return (struct ir_range){a.lo >= 0 ? 0 : larger(a.lo, -(b.hi - 1)),
                             a.hi <= 0 ? 0 : smaller(a.hi, b.hi - 1)};
}

static struct ir_range unsigned_remainder(struct ir_range a, struct ir_range b)
{
    return (struct ir_range){0, a.lo >= 0 ? smaller(a.hi, b.hi - 1) : b.hi - 1};
}

/* At most the largest number of as many bits. */
static struct ir_range or_of(struct ir_range a, struct ir_range b)
{
    uint64_t bits = (uint64_t)(a.hi | b.hi);
    return (struct ir_range){0, bits ? (int64_t)(UINT64_MAX >> __builtin_clzll(bits)) : 0};
}

static struct ir_range bitwise(enum ir_op op, enum ir_type t, struct ir_range a, struct ir_range b)
{
    bool positive = a.lo >= 0 && b.lo >= 0;
    if (op != IR_and)
        return positive ? or_of(a, b) : ir_range_of_type(t);
    if (positive)
        return (struct ir_range){0, smaller(a.hi, b.hi)};
    return a.lo >= 0   ? (struct ir_range){0, a.hi}
           : b.lo >= 0 ? (struct ir_range){0, b.hi}
                       : ir_range_of_type(t);
}

static struct ir_range shifted(enum ir_op op, enum ir_type t, struct ir_range a, struct ir_range by)
{
    unsigned width = t == IR_TYPE_I64 ? 64 : 32, n = (unsigned)by.lo & (width - 1);
    if (by.lo != by.hi)
        return op != IR_shl && a.lo >= 0 ? (struct ir_range){0, a.hi} : ir_range_of_type(t);
    if (n == 0)
        return a;
    if (op == IR_shl)
        return exact(t, (__int128)a.lo * ((__int128)1 << n), (__int128)a.hi * ((__int128)1 << n));
    if (op == IR_ashr || a.lo >= 0)
        return (struct ir_range){a.lo >> n, a.hi >> n};
    return unsigned_quotient(t, a, (uint64_t)1 << n);
}

/* Smaller and larger, read as unsigned: as signed if both are positive. */
static struct ir_range chosen(enum ir_op op, enum ir_type t, struct ir_range a, struct ir_range b)
{
    bool positive = a.lo >= 0 && b.lo >= 0;
    if (op == IR_smin || (op == IR_umin && positive))
        return (struct ir_range){smaller(a.lo, b.lo), smaller(a.hi, b.hi)};
    if (op == IR_smax || (op == IR_umax && positive))
        return (struct ir_range){larger(a.lo, b.lo), larger(a.hi, b.hi)};
    if (op == IR_umin && (a.lo >= 0 || b.lo >= 0))
        return (struct ir_range){0, a.lo >= 0 ? a.hi : b.hi};
    return ir_range_of_type(t);
}

static struct ir_range within(struct ir_range a, struct ir_range limits)
{
    return a.lo >= limits.lo && a.hi <= limits.hi ? a : limits;
}

static struct ir_range converted(const struct ir_ins *ins, enum ir_type from, struct ir_range a)
{
    switch (ins->op) {
    case IR_sext8: return within(a, (struct ir_range){INT8_MIN, INT8_MAX});
    case IR_sext16: return within(a, (struct ir_range){INT16_MIN, INT16_MAX});
    case IR_zext8: return within(a, (struct ir_range){0, UINT8_MAX});
    case IR_zext16: return within(a, (struct ir_range){0, UINT16_MAX});
    case IR_sext: return from == IR_TYPE_I1 ? (struct ir_range){-1, 0} : a;
    case IR_zext: return a.lo >= 0 ? a : (struct ir_range){0, UINT32_MAX};
    default: return within(a, ir_range_of_type(ins->type)); /* trunc */
    }
}

static struct ir_range divided(enum ir_op op, enum ir_type t, struct ir_range a, struct ir_range b)
{
    if (b.lo <= 0)
        return ir_range_of_type(t);
    switch (op) {
    case IR_sdiv: return quotient(t, a, b);
    case IR_srem: return signed_remainder(a, b);
    case IR_urem: return unsigned_remainder(a, b);
    default: return unsigned_quotient(t, a, (uint64_t)b.lo); /* udiv */
    }
}

static struct ir_range loaded(const struct ir_ins *ins)
{
    switch (ins->mem) {
    case IR_MEM_U8: return (struct ir_range){0, UINT8_MAX};
    case IR_MEM_S8: return (struct ir_range){INT8_MIN, INT8_MAX};
    case IR_MEM_U16: return (struct ir_range){0, UINT16_MAX};
    case IR_MEM_S16: return (struct ir_range){INT16_MIN, INT16_MAX};
    default: return ir_range_of_type(ins->type);
    }
}

/* Places in a block and in a warp: a block has few threads, whichever way they lie. A grid may be larger than a
 * signed number. */
static struct ir_range special(const struct ir_ins *ins)
{
    switch (ins->imm) {
    case IR_SPECIAL_LANE: return (struct ir_range){0, 63};
    case IR_SPECIAL_WARPSIZE: return (struct ir_range){1, 64};
    case IR_SPECIAL_TID_X:
    case IR_SPECIAL_TID_Y:
    case IR_SPECIAL_TID_Z:
    case IR_SPECIAL_WARP: return (struct ir_range){0, IR_MAX_BLOCK_THREADS - 1};
    case IR_SPECIAL_BDIM_X:
    case IR_SPECIAL_BDIM_Y:
    case IR_SPECIAL_BDIM_Z: return (struct ir_range){1, IR_MAX_BLOCK_THREADS};
    default: return ir_range_of_type(ins->type);
    }
}

struct ir_range ir_range_of(const struct ir_ins *ins, enum ir_type from, const struct ir_range a[2])
{
    enum ir_type t = (enum ir_type)ins->type;
    switch (ins->op) {
    case IR_constant:
        return (struct ir_range){t == IR_TYPE_I64 ? ins->imm : (int32_t)ins->imm,
                                 t == IR_TYPE_I64 ? ins->imm : (int32_t)ins->imm};
    case IR_special: return special(ins);
    case IR_load: return loaded(ins);
    case IR_add: return exact(t, (__int128)a[0].lo + a[1].lo, (__int128)a[0].hi + a[1].hi);
    case IR_sub: return exact(t, (__int128)a[0].lo - a[1].hi, (__int128)a[0].hi - a[1].lo);
    case IR_mul: return product(t, a[0], a[1]);
    case IR_neg: return exact(t, -(__int128)a[0].hi, -(__int128)a[0].lo);
    case IR_not: return (struct ir_range){-1 - a[0].hi, -1 - a[0].lo};
    case IR_abs:
        return a[0].lo >= 0
                   ? a[0]
                   : exact(t, 0, larger(a[0].hi, 0) > -(__int128)a[0].lo ? a[0].hi : -(__int128)a[0].lo);
    case IR_sdiv:
    case IR_udiv:
    case IR_srem:
    case IR_urem: return divided(ins->op, t, a[0], a[1]);
    case IR_and:
    case IR_or:
    case IR_xor: return bitwise(ins->op, t, a[0], a[1]);
    case IR_shl:
    case IR_lshr:
    case IR_ashr: return shifted(ins->op, t, a[0], a[1]);
    case IR_smin:
    case IR_smax:
    case IR_umin:
    case IR_umax: return chosen(ins->op, t, a[0], a[1]);
    case IR_popcount:
    case IR_clz:
    case IR_ctz: return (struct ir_range){0, t == IR_TYPE_I64 ? 64 : 32};
    case IR_sext8:
    case IR_sext16:
    case IR_zext8:
    case IR_zext16:
    case IR_sext:
    case IR_zext:
    case IR_trunc: return converted(ins, from, a[0]);
    default: return ir_range_of_type(t);
    }
}
