/* strength.c: multiplication and division by constants as cheaper operations.
 *
 * Powers of two become shifts and masks. Other divisors: T. Granlund and P. Montgomery, "Division by
 * invariant integers using multiplication" (1994), in the formulation of Warren's "Hacker's Delight",
 * chapter 10; the magic numbers are found in 128-bit arithmetic by their definition. Signed dividends that
 * cannot be negative (ir/analysis/ranges.c, asked only if there are any) need no correction of their sign, nor
 * do remainders by powers of two that are only compared with 0.
 * Division by zero is defined (docs/language.md) and folded by simplify.c. Linear.
 */
#include "opt/pass.h"

/* positive: the dividend is not negative */
struct reduce {
    struct ir_cursor c;
    enum ir_type type;
    unsigned bits;
    bool positive;
};

static ir_ref number(struct reduce *s, uint64_t n)
{
    return ir_const(s->c.fn, s->type, n);
}

static ir_ref emit(struct reduce *s, enum ir_op op, ir_ref a, ir_ref b)
{
    return ir_emit2(&s->c, op, s->type, a, b);
}

static ir_ref shift(struct reduce *s, enum ir_op op, ir_ref a, unsigned n)
{
    return n ? emit(s, op, a, number(s, n)) : a;
}

/* ---- unsigned ---------------------------------------------------------------------------------------- */

/* An m of no more than `bits` bits with x / d == x * m >> (bits + s) for all x, if there is one: m * d
 * exceeds the power of two by 2^s at most. */
static bool short_magic(const struct reduce *s, uint64_t d, uint64_t *m, unsigned *n)
{
    unsigned __int128 one = 1;
    for (*n = 0; *n < s->bits; ++*n) {
        unsigned __int128 power = one << (s->bits + *n), least = (power + d - 1) / d;
        if (least >> s->bits)
            return false;
        *m = (uint64_t)least;
        if (least * d - power <= one << *n)
            return true;
    }
    return false;
}

/* Else m has one bit more, the top one: t = x * (m - 2^bits) >> bits, and x + t halved without overflow. */
static ir_ref divide_unsigned(struct reduce *s, ir_ref x, uint64_t d)
{
    unsigned log = 64 - (unsigned)__builtin_clzll(d - 1); /* ceil(log2 d) */
    if ((d & (d - 1)) == 0)
        return shift(s, IR_lshr, x, log);
    uint64_t m;
    unsigned n;
    if (short_magic(s, d, &m, &n))
        return shift(s, IR_lshr, emit(s, IR_mulhi_u, x, number(s, m)), n);
    unsigned __int128 one = 1;
    unsigned __int128 low = ((one << log) - d) * (one << s->bits) / d + 1; /* m - 2^bits; below 2^bits */
    ir_ref t = emit(s, IR_mulhi_u, x, number(s, (uint64_t)low));
    ir_ref half = shift(s, IR_lshr, emit(s, IR_sub, x, t), 1);
    return shift(s, IR_lshr, emit(s, IR_add, half, t), log - 1);
}

/* ---- signed ------------------------------------------------------------------------------------------ */

/* The smallest m and s with m = floor(2^(bits + s) / d) + 1 and m * d - 2^(bits + s) <= 2^(s + 1) (section
 * 10-1). */
static uint64_t signed_magic(uint64_t d, unsigned bits, unsigned *s)
{
    unsigned __int128 one = 1;
    for (*s = 0;; ++*s) {
        unsigned __int128 power = one << (bits + *s), m = power / d + 1;
        if (m * d - power <= one << (*s + 1) || *s == bits - 2)
            return (uint64_t)m;
    }
}

/* x, or the sum of x and 2^log - 1 if it is negative: what rounds to zero when the low bits are dropped. */
static ir_ref round_to_zero(struct reduce *s, ir_ref x, unsigned log)
{
    ir_ref sign = log == 1 ? x : shift(s, IR_ashr, x, s->bits - 1);
    return emit(s, IR_add, x, shift(s, IR_lshr, sign, s->bits - log));
}

static ir_ref divide_power(struct reduce *s, ir_ref x, unsigned log)
{
    return s->positive ? shift(s, IR_lshr, x, log) : shift(s, IR_ashr, round_to_zero(s, x, log), log);
}

/* The remainder by a power of two needs no quotient. */
static ir_ref remainder_power(struct reduce *s, ir_ref x, uint64_t d)
{
    if (s->positive)
        return emit(s, IR_and, x, number(s, d - 1));
    ir_ref rounded = round_to_zero(s, x, (unsigned)__builtin_ctzll(d));
    return emit(s, IR_sub, x, emit(s, IR_and, rounded, number(s, -d)));
}

static ir_ref divide_signed(struct reduce *s, ir_ref x, uint64_t d)
{
    if ((d & (d - 1)) == 0)
        return divide_power(s, x, (unsigned)__builtin_ctzll(d));
    unsigned n;
    uint64_t m = signed_magic(d, s->bits, &n);
    ir_ref q = emit(s, IR_mulhi_s, x, number(s, m));
    if (m >> (s->bits - 1) & 1)
        q = emit(s, IR_add, q, x);
    q = shift(s, IR_ashr, q, n);
    return s->positive ? q : emit(s, IR_add, q, shift(s, IR_lshr, x, s->bits - 1));
}

/* ---- instructions ------------------------------------------------------------------------------------ */

/* |d| of a signed divisor; 0 for those left alone: 0, 1, -1 (simplify.c) and the smallest number. */
static uint64_t magnitude(const struct reduce *s, uint64_t d, bool *negative)
{
    uint64_t mask = s->bits == 64 ? UINT64_MAX : UINT32_MAX;
    *negative = d >> (s->bits - 1) & 1;
    uint64_t size = *negative ? -d & mask : d;
    return size < 2 || size >> (s->bits - 1) ? 0 : size;
}

static ir_ref reduce_signed(struct reduce *s, enum ir_op op, ir_ref x, uint64_t d)
{
    bool negative;
    uint64_t size = magnitude(s, d, &negative);
    if (!size)
        return 0;
    if (op == IR_srem && (size & (size - 1)) == 0)
        return remainder_power(s, x, size);
    ir_ref q = divide_signed(s, x, size);
    if (op == IR_srem)
        return emit(s, IR_sub, x, emit(s, IR_mul, q, number(s, size)));
    return negative ? ir_emit1(&s->c, IR_neg, s->type, q) : q;
}

static ir_ref reduce(struct reduce *s, enum ir_op op, ir_ref x, ir_ref constant, uint64_t d)
{
    bool power = d && (d & (d - 1)) == 0;
    if (d < 2)
        return 0;
    switch (op) {
    case IR_mul: return power ? shift(s, IR_shl, x, (unsigned)__builtin_ctzll(d)) : 0;
    case IR_udiv: return divide_unsigned(s, x, d);
    case IR_urem:
        if (power)
            return emit(s, IR_and, x, number(s, d - 1));
        return emit(s, IR_sub, x, emit(s, IR_mul, divide_unsigned(s, x, d), constant));
    default: return reduce_signed(s, op, x, d);
    }
}

static bool is_reducible(enum ir_op op)
{
    return op == IR_mul || op == IR_udiv || op == IR_urem || op == IR_sdiv || op == IR_srem;
}

/* The constant on the right of an operation to reduce. */
static bool reduces(const struct ir_function *f, const struct ir_ins *ins, scalar_bits *d)
{
    return is_reducible((enum ir_op)ins->op) && !ir_is_float((enum ir_type)ins->type) &&
           ir_is_const(f, ins->args[1], d);
}

/* A remainder by a power of two whose sign does not matter. */
static bool is_zero_test(struct opt_context *c, const struct ir_function *f, ir_ref r)
{
    bool only = true;
    scalar_bits zero;
    opt_each_use(u, opt_uses(c, f), r) {
        const struct ir_ins *user = ir_at(f, u->user);
        bool equality = user->op == IR_eq || user->op == IR_ne;
        only &= equality && user->args[0] == r && ir_is_const(f, user->args[1], &zero) && zero == 0;
    }
    return only;
}

/* Signed divisions by constants whose dividends are never negative, or count as such, while the function is as
 * it was. */
static struct bitset find_positive(struct opt_context *c, struct ir_function *f)
{
    struct bitset found = bitset_new(c->scratch, f->ins.count);
    const struct ir_ranges *g = NULL;
    scalar_bits d;
    ir_each_block(i, b, f)
        ir_each_ins(r, f, b) {
            const struct ir_ins *ins = ir_at(f, r);
            if ((ins->op != IR_sdiv && ins->op != IR_srem) || !reduces(f, ins, &d))
                continue;
            g = g ? g : opt_ranges(c, f);
            bool is_power = d && !(d & (d - 1));
            if (ir_range_at(g, ins->args[0], r).lo >= 0 ||
                (ins->op == IR_srem && is_power && is_zero_test(c, f, r)))
                bitset_add(found, r);
        }
    return found;
}

bool opt_strength(struct opt_context *c, struct ir_function *f)
{
    struct opt_renaming n = {.arena = c->scratch};
    struct bitset positive = find_positive(c, f);
    ir_each_block(i, b, f)
        for (ir_ref r = ir_block_at(f, b)->first, next; r; r = next) {
            struct ir_ins ins = *ir_at(f, r);
            scalar_bits d;
            next = ins.next;
            if (!reduces(f, &ins, &d))
                continue;
            struct reduce s = {{.fn = f, .block = b, .before = r, .at = ins.at},
                               ins.type,
                               ir_type_info[ins.type].bytes * 8u,
                               bitset_has(positive, r)};
            ir_ref by = reduce(&s, ins.op, ins.args[0], ins.args[1], d);
            if (!by)
                continue;
            opt_rename(&n, f, r, by);
            ir_remove(f, r);
        }
    opt_rename_all(&n, f);
    opt_count(c, "operations", n.made);
    return n.made != 0;
}
