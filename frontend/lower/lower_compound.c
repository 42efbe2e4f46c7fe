/* lower_compound.c: builtins that are several operations of the IR: copying and filling memory, numbers taken
 * apart and put together by their bits, counters that wrap, and what a group finds out in several steps.
 *
 * Each gives the same bits wherever its operations do. The convergent ones name one token, so that one group
 * performs all their steps.
 */
#include "frontend/lower/lower.h"

#define UNROLLED_ACCESSES 16 /* a copy of so many loads at most is written out */

struct compound {
    struct lowering *l;
    const struct fe_expr *e;
    const ir_ref *at; /* the arguments' values */
};

static ir_ref integer(struct compound *c, enum ir_type t, uint64_t v)
{
    return ir_const(c->l->f, t, t == IR_TYPE_I32 ? (uint32_t)v : v);
}

static ir_ref op1(struct compound *c, enum ir_op op, enum ir_type t, ir_ref a)
{
    return ir_emit1(&c->l->c, op, t, a);
}

static ir_ref op2(struct compound *c, enum ir_op op, enum ir_type t, ir_ref a, ir_ref b)
{
    return ir_emit2(&c->l->c, op, t, a, b);
}

static ir_ref choose(struct compound *c, ir_ref condition, enum ir_type t, ir_ref a, ir_ref b)
{
    return ir_emit3(&c->l->c, IR_select, t, condition, a, b);
}

static const struct fe_type *basic(struct compound *c, enum fe_type_kind kind)
{
    return c->l->program->types.basic[kind];
}

static void store(struct compound *c, ir_ref pointer, const struct fe_type *t, ir_ref v)
{
    fe_store(c->l, (struct address){pointer, 0, NULL}, t, v);
}

static const struct fe_expr *argument(const struct compound *c, uint32_t i)
{
    const struct fe_expr *a = c->e->call.args;
    while (i--)
        a = a->next;
    return a;
}

/* ---- memory ------------------------------------------------------------------------------------------ */

/* What a byte-wise operation on objects of this type may access at once. */
static uint32_t unit_of(const struct fe_expr *pointer)
{
    const struct fe_type *of = pointer->type->of;
    return of->is_complete && of->align ? of->align : 1;
}

static const struct fe_type *unit_type(struct compound *c, uint32_t unit)
{
    return basic(c, unit == 8   ? FE_TYPE_ULONG
                    : unit == 4 ? FE_TYPE_UINT
                    : unit == 2 ? FE_TYPE_USHORT
                                : FE_TYPE_UCHAR);
}

/* The units at byte offset `i` of a copy (from != 0) or fill. */
static void move_unit(struct compound *c, uint32_t unit, ir_ref i, ir_ref from, ir_ref pattern)
{
    const struct fe_type *t = unit_type(c, unit);
    enum ir_type to_type = ir_at(c->l->f, c->at[0])->type;
    ir_ref v = unit == 8 || !pattern ? pattern : op1(c, IR_trunc, IR_TYPE_I32, pattern);
    if (pattern && unit < 4)
        v = op2(c, IR_and, IR_TYPE_I32, v, integer(c, IR_TYPE_I32, unit == 2 ? 0xffff : 0xff));
    if (from) {
        ir_ref at = op2(c, IR_ptradd, ir_at(c->l->f, from)->type, from, i);
        v = fe_load(c->l, (struct address){at, 0, NULL}, t);
    }
    store(c, op2(c, IR_ptradd, to_type, c->at[0], i), t, v);
}

/* while (i < end) move a unit: *counter is the byte offset. */
static void move_loop(struct compound *c, uint32_t unit, ir_ref counter, ir_ref end, ir_ref from,
                      ir_ref pattern)
{
    struct lowering *l = c->l;
    const struct fe_type *t = basic(c, FE_TYPE_UINT);
    struct address i = {counter, 0, NULL};
    uint32_t test = fe_block(l, "bytes.test"), body = fe_block(l, "bytes"), done = fe_block(l, "bytes.end");
    fe_branch(l, test);
    fe_start(l, test);
    ir_ref at = fe_load(l, i, t);
    fe_branch_if(l, op2(c, IR_ult, IR_TYPE_I1, at, end), body, done);
    fe_start(l, body);
    move_unit(c, unit, at, from, pattern);
    fe_store(l, i, t, op2(c, IR_add, IR_TYPE_I32, at, integer(c, IR_TYPE_I32, unit)));
    fe_branch(l, test);
    fe_start(l, done);
}

/* at[2] bytes, by units as long as they last and then by bytes. */
static void move_bytes(struct compound *c, uint32_t unit, ir_ref from, ir_ref pattern)
{
    scalar_bits n;
    bool known = ir_is_const(c->l->f, c->at[2], &n);
    if (known && n / unit + n % unit <= UNROLLED_ACCESSES) {
        for (uint32_t i = 0; i < n; i += n - i < unit ? 1 : unit)
            move_unit(c, n - i < unit ? 1 : unit, integer(c, IR_TYPE_I32, i), from, pattern);
        return;
    }
    ir_ref counter = fe_alloca(c->l, 4, 4, NULL);
    store(c, counter, basic(c, FE_TYPE_UINT), integer(c, IR_TYPE_I32, 0));
    ir_ref whole = unit == 1
                       ? c->at[2]
                       : op2(c, IR_and, IR_TYPE_I32, c->at[2], integer(c, IR_TYPE_I32, 0 - (uint64_t)unit));
    move_loop(c, unit, counter, whole, from, pattern);
    if (unit > 1 && !(known && n % unit == 0))
        move_loop(c, 1, counter, c->at[2], from, pattern);
}

static ir_ref lower_memcpy(struct compound *c)
{
    uint32_t a = unit_of(argument(c, 0)), b = unit_of(argument(c, 1));
    move_bytes(c, a < b ? a : b, c->at[1], 0);
    return 0;
}

static ir_ref lower_memset(struct compound *c)
{
    ir_ref byte = op2(c, IR_and, IR_TYPE_I32, c->at[1], integer(c, IR_TYPE_I32, 0xff));
    ir_ref pattern = op2(c, IR_mul, IR_TYPE_I64, op1(c, IR_zext, IR_TYPE_I64, byte),
                         integer(c, IR_TYPE_I64, 0x0101010101010101u));
    move_bytes(c, unit_of(argument(c, 0)), 0, pattern);
    return 0;
}

/* ---- numbers and their bits -------------------------------------------------------------------------- */

/* How a floating type is made. */
struct layout {
    const struct fe_type *type;
    enum ir_type t, bits;
    uint32_t fraction, most; /* bits of the fraction; greatest exponent field */
};

static struct layout layout_of(struct compound *c, const struct fe_type *t)
{
    return t->kind == FE_TYPE_FLOAT
               ? (struct layout){basic(c, FE_TYPE_FLOAT), IR_TYPE_F32, IR_TYPE_I32, 23, 255}
               : (struct layout){basic(c, FE_TYPE_DOUBLE), IR_TYPE_F64, IR_TYPE_I64, 52, 2047};
}

/* 2 to the n, a normal number. */
static ir_ref power(struct compound *c, const struct layout *f, int n)
{
    return ir_const(c->l->f, f->t, (uint64_t)((int)(f->most / 2) + n) << f->fraction);
}

/* One step toward x * 2^n: where n is beyond the exponents, some of it is multiplied to *x. Downward it stops
 * short of where a later step could round a number that is subnormal already. */
static void scale(struct compound *c, const struct layout *f, ir_ref *x, ir_ref *n)
{
    int up = (int)(f->most / 2), least = 1 - up, down = least + (int)f->fraction + 1;
    ir_ref big = op2(c, IR_slt, IR_TYPE_I1, integer(c, IR_TYPE_I32, (uint32_t)up), *n);
    ir_ref small = op2(c, IR_slt, IR_TYPE_I1, *n, integer(c, IR_TYPE_I32, (uint32_t)least));
    ir_ref one = power(c, f, 0), low = choose(c, small, f->t, power(c, f, down), one);
    ir_ref factor = choose(c, big, f->t, power(c, f, up), low);
    ir_ref part = choose(
        c, big, IR_TYPE_I32, integer(c, IR_TYPE_I32, (uint32_t)up),
        choose(c, small, IR_TYPE_I32, integer(c, IR_TYPE_I32, (uint32_t)down), integer(c, IR_TYPE_I32, 0)));
    *x = op2(c, IR_mul, f->t, *x, factor);
    *n = op2(c, IR_sub, IR_TYPE_I32, *n, part);
}

static ir_ref widen(struct compound *c, const struct layout *f, enum ir_op op, ir_ref v)
{
    return f->bits == IR_TYPE_I32 ? v : op1(c, op, IR_TYPE_I64, v);
}

/* x * 2^n, rounded once: after two steps the rest of n is a normal exponent, or the result is certain. */
static ir_ref lower_ldexp(struct compound *c)
{
    struct layout f = layout_of(c, c->e->type);
    int up = (int)(f.most / 2);
    ir_ref x = c->at[0], n = c->at[1];
    scale(c, &f, &x, &n);
    scale(c, &f, &x, &n);
    n = op2(c, IR_smin, IR_TYPE_I32, n, integer(c, IR_TYPE_I32, (uint32_t)up));
    n = op2(c, IR_smax, IR_TYPE_I32, n, integer(c, IR_TYPE_I32, (uint32_t)(1 - up)));
    n = op2(c, IR_add, IR_TYPE_I32, n, integer(c, IR_TYPE_I32, (uint32_t)up));
    ir_ref field = op2(c, IR_shl, f.bits, widen(c, &f, IR_zext, n), integer(c, f.bits, f.fraction));
    return op2(c, IR_mul, f.t, x, op1(c, IR_bits, f.t, field));
}

/* x is 0, infinite or a NaN: it is its own fraction, and its exponent 0. Subnormal numbers are scaled first. */
static ir_ref lower_frexp(struct compound *c)
{
    struct layout f = layout_of(c, c->e->type);
    uint64_t fraction = ((uint64_t)1 << f.fraction) - 1,
             sign = (uint64_t)1 << (f.bits == IR_TYPE_I32 ? 31 : 63);
    int raise = f.bits == IR_TYPE_I32 ? 32 : 64;
    ir_ref x = c->at[0], magnitude = op1(c, IR_abs, f.t, x);
    ir_ref subnormal = op2(c, IR_lt, IR_TYPE_I1, magnitude, power(c, &f, 1 - (int)(f.most / 2)));
    ir_ref y = choose(c, subnormal, f.t, op2(c, IR_mul, f.t, x, power(c, &f, raise)), x);
    ir_ref bits = op1(c, IR_bits, f.bits, y);
    ir_ref field = op2(c, IR_and, f.bits, op2(c, IR_lshr, f.bits, bits, integer(c, f.bits, f.fraction)),
                       integer(c, f.bits, f.most));
    ir_ref exponent = f.bits == IR_TYPE_I32 ? field : op1(c, IR_trunc, IR_TYPE_I32, field);
    int bias = (int)(f.most / 2) - 1;
    ir_ref moved = choose(c, subnormal, IR_TYPE_I32, integer(c, IR_TYPE_I32, (uint32_t)(bias + raise)),
                          integer(c, IR_TYPE_I32, (uint32_t)bias));
    ir_ref finite =
        op2(c, IR_lt, IR_TYPE_I1, magnitude, ir_const(c->l->f, f.t, (uint64_t)f.most << f.fraction));
    ir_ref some = op2(c, IR_lt, IR_TYPE_I1, fe_zero_value(c->l, f.type), magnitude);
    ir_ref usual = op2(c, IR_and, IR_TYPE_I1, finite, some);
    ir_ref half = op2(c, IR_or, f.bits, op2(c, IR_and, f.bits, bits, integer(c, f.bits, sign | fraction)),
                      integer(c, f.bits, (uint64_t)bias << f.fraction));
    exponent = op2(c, IR_sub, IR_TYPE_I32, exponent, moved);
    store(c, c->at[1], basic(c, FE_TYPE_INT),
          choose(c, usual, IR_TYPE_I32, exponent, integer(c, IR_TYPE_I32, 0)));
    return choose(c, usual, f.t, op1(c, IR_bits, f.t, half), x);
}

/* Both parts have x's sign; what is left of an infinity is 0. */
static ir_ref lower_modf(struct compound *c)
{
    struct layout f = layout_of(c, c->e->type);
    ir_ref x = c->at[0], whole = op1(c, IR_truncf, f.t, x);
    ir_ref infinity = ir_const(c->l->f, f.t, (uint64_t)f.most << f.fraction);
    ir_ref infinite = op2(c, IR_eq, IR_TYPE_I1, op1(c, IR_abs, f.t, x), infinity);
    store(c, c->at[1], f.type, whole);
    ir_ref rest = choose(c, infinite, f.t, fe_zero_value(c->l, f.type), op2(c, IR_sub, f.t, x, whole));
    return op2(c, IR_copysign, f.t, rest, x);
}

static ir_ref lower_sincos(struct compound *c)
{
    struct layout f = layout_of(c, argument(c, 1)->type->of);
    store(c, c->at[1], f.type, op1(c, IR_sin, f.t, c->at[0]));
    store(c, c->at[2], f.type, op1(c, IR_cos, f.t, c->at[0]));
    return 0;
}

static ir_ref lower_exp10(struct compound *c)
{
    const struct fe_type *t = c->e->type->plain;
    ir_ref ten = ir_const(c->l->f, fe_ir_type(t),
                          fe_fold_conversion(basic(c, FE_TYPE_DOUBLE), t, scalar_bits_f64(10)));
    return op2(c, IR_pow, fe_ir_type(t), ten, c->at[0]);
}

/* ---- groups ------------------------------------------------------------------------------------------ */

static ir_ref together(struct compound *c, ir_ref r)
{
    ir_at(c->l->f, r)->token = fe_token(c->l, c->e->call.token);
    return r;
}

/* The lanes that agree with this one about a truth value. */
static ir_ref agreeing(struct compound *c, ir_ref bit)
{
    ir_ref set = together(c, op1(c, IR_ballot, IR_TYPE_I64, bit));
    return choose(c, bit, IR_TYPE_I64, set, op1(c, IR_not, IR_TYPE_I64, set));
}

/* Bit by bit. Only the bits of a narrow type may differ between lanes. */
static ir_ref lower_match(struct compound *c)
{
    const struct fe_expr *a = argument(c, 0);
    enum ir_type t = fe_ir_type(a->type);
    ir_ref v = c->at[0], mask = together(c, ir_emit0(&c->l->c, IR_active_mask, IR_TYPE_I64));
    if (t == IR_TYPE_I1)
        return op2(c, IR_and, IR_TYPE_I64, mask, agreeing(c, v));
    if (fe_is_float(a->type)) {
        t = t == IR_TYPE_F32 ? IR_TYPE_I32 : IR_TYPE_I64;
        v = op1(c, IR_bits, t, v);
    }
    for (uint32_t i = 0; i < a->type->size * 8; i++) {
        ir_ref bit = op2(c, IR_and, t, v, integer(c, t, (uint64_t)1 << i));
        bit = op2(c, IR_ne, IR_TYPE_I1, bit, integer(c, t, 0));
        mask = op2(c, IR_and, IR_TYPE_I64, mask, agreeing(c, bit));
    }
    return mask;
}

/* Of integers the sum without the own value. Floats are not subtracted: what the next lower lane of the group
 * has got is the sum, in the order of the lanes. */
static ir_ref lower_scan_exclusive(struct compound *c)
{
    enum ir_type t = fe_ir_type(c->e->type);
    ir_ref sum = together(c, op1(c, IR_scan_add, t, c->at[0]));
    if (!fe_is_float(c->e->type))
        return op2(c, IR_sub, t, sum, c->at[0]);
    ir_ref lane = ir_emit0(&c->l->c, IR_special, IR_TYPE_I32), group, below, next;
    ir_at(c->l->f, lane)->imm = IR_SPECIAL_LANE;
    group = together(c, ir_emit0(&c->l->c, IR_active_mask, IR_TYPE_I64));
    below = op2(c, IR_shl, IR_TYPE_I64, integer(c, IR_TYPE_I64, 1), op1(c, IR_zext, IR_TYPE_I64, lane));
    below =
        op2(c, IR_and, IR_TYPE_I64, group, op2(c, IR_sub, IR_TYPE_I64, below, integer(c, IR_TYPE_I64, 1)));
    next = op1(c, IR_trunc, IR_TYPE_I32, op1(c, IR_clz, IR_TYPE_I64, below));
    next = op2(c, IR_sub, IR_TYPE_I32, integer(c, IR_TYPE_I32, 63), next);
    ir_ref value = together(c, op2(c, IR_shuffle, t, sum, next));
    ir_ref first = op2(c, IR_eq, IR_TYPE_I1, below, integer(c, IR_TYPE_I64, 0));
    return choose(c, first, t, fe_zero_value(c->l, c->e->type), value);
}

/* ---- counters ---------------------------------------------------------------------------------------- */

/* What follows `old`, by CUDA's rules for a limit. */
static ir_ref wrapped(struct compound *c, enum ir_op op, ir_ref old)
{
    const struct fe_type *type = c->e->type;
    enum ir_type t = fe_ir_type(type);
    enum ir_op less = fe_is_signed(type) ? IR_slt : IR_ult;
    ir_ref limit = c->at[1], one = integer(c, t, 1), zero = integer(c, t, 0);
    if (op == IR_atomic_add) {
        ir_ref next = op2(c, IR_add, t, old, one);
        return choose(c, op2(c, less, IR_TYPE_I1, old, limit), t, next, zero);
    }
    ir_ref above = op2(c, less, IR_TYPE_I1, limit, old);
    ir_ref restart = op2(c, IR_or, IR_TYPE_I1, op2(c, IR_eq, IR_TYPE_I1, old, zero), above);
    return choose(c, restart, t, limit, op2(c, IR_sub, t, old, one));
}

/* A loop that ends when nobody has come between its look at memory and its exchange. */
struct exchange {
    const struct fe_type *type;
    struct address guess;
    uint32_t again;
    ir_ref expected; /* what memory is taken to hold */
};

static struct exchange begin_exchange(struct compound *c, const struct fe_type *type)
{
    struct lowering *l = c->l;
    struct exchange x = {.type = type, .guess = {fe_alloca(l, type->size, type->align, NULL), 0, NULL}};
    x.again = fe_block(l, "exchange");
    fe_store(l, x.guess, type, integer(c, fe_ir_type(type), 0));
    fe_branch(l, x.again);
    fe_start(l, x.again);
    x.expected = fe_load(l, x.guess, type);
    return x;
}

/* Goes on where `next` has been written; gives what was there before. */
static ir_ref end_exchange(struct compound *c, const struct exchange *x, ir_ref next)
{
    struct lowering *l = c->l;
    uint32_t done = fe_block(l, "exchange.end");
    ir_ref old = ir_emit3(&l->c, IR_atomic_cas, fe_ir_type(x->type), c->at[0], x->expected, next);
    ir_at(l->f, old)->mem = (uint8_t)fe_ir_mem(x->type);
    fe_store(l, x->guess, x->type, old);
    fe_branch_if(l, op2(c, IR_eq, IR_TYPE_I1, old, x->expected), done, x->again);
    fe_start(l, done);
    return old;
}

/* Without a limit an addition or subtraction of 1; with one a loop that ends when nobody came between. */
static ir_ref lower_counter(struct compound *c, enum ir_op op)
{
    const struct fe_type *type = c->e->type;
    enum ir_type t = fe_ir_type(type);
    if (c->e->call.arg_count == 1) {
        ir_ref r = op2(c, op, t, c->at[0], integer(c, t, 1));
        ir_at(c->l->f, r)->mem = (uint8_t)fe_ir_mem(type);
        return r;
    }
    struct exchange x = begin_exchange(c, type);
    return end_exchange(c, &x, wrapped(c, op, x.expected));
}

/* ---- atomics of doubles -------------------------------------------------------------------------------- */

static ir_ref bits_of(struct compound *c, ir_ref d)
{
    return op1(c, IR_bits, IR_TYPE_I64, d);
}

/* By the bits of the number in memory, which no operation of the IR works on as a double. */
static ir_ref lower_atomic_double(struct compound *c, enum ir_op op)
{
    static const struct {
        enum ir_op atomic, op;
    } rows[] = {{IR_atomic_add, IR_add},
                {IR_atomic_sub, IR_sub},
                {IR_atomic_umin, IR_fmin},
                {IR_atomic_umax, IR_fmax}};
    struct lowering *l = c->l;
    const struct fe_type *bits = basic(c, FE_TYPE_ULONG);
    ir_ref args[3] = {c->at[0], bits_of(c, c->at[1])}, old;
    size_t row = 0;
    while (row < COUNT(rows) && rows[row].atomic != op)
        row++;
    if (row < COUNT(rows)) {
        struct exchange x = begin_exchange(c, bits);
        ir_ref next = op2(c, rows[row].op, IR_TYPE_F64, op1(c, IR_bits, IR_TYPE_F64, x.expected), c->at[1]);
        old = end_exchange(c, &x, bits_of(c, next));
    } else {
        uint32_t count = op == IR_atomic_cas ? 3 : 2;
        if (op == IR_atomic_cas)
            args[2] = bits_of(c, c->at[2]);
        old = ir_emit(&l->c, op, IR_TYPE_I64, count, args);
        ir_at(l->f, old)->mem = IR_MEM_I64;
    }
    return op1(c, IR_bits, IR_TYPE_F64, old);
}

ir_ref fe_lower_compound(struct lowering *l, const struct fe_expr *e, const struct fe_builtin *b,
                         const ir_ref *arguments)
{
    struct compound c = {l, e, arguments};
    switch (b->how) {
    case FE_HOW_MEMCPY: return lower_memcpy(&c);
    case FE_HOW_MEMSET: return lower_memset(&c);
    case FE_HOW_LDEXP: return lower_ldexp(&c);
    case FE_HOW_FREXP: return lower_frexp(&c);
    case FE_HOW_MODF: return lower_modf(&c);
    case FE_HOW_SINCOS: return lower_sincos(&c);
    case FE_HOW_EXP10: return lower_exp10(&c);
    case FE_HOW_MATCH: return lower_match(&c);
    case FE_HOW_SCAN: return lower_scan_exclusive(&c);
    case FE_HOW_COUNTER: return lower_counter(&c, b->op[0]);
    case FE_HOW_ATOMIC: return lower_atomic_double(&c, b->op[2]);
    default: BUG("builtin %s", b->name);
    }
}
