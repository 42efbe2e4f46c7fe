/* reference_values.c: what expressions compute for the lanes of a mask, by docs/language.md: C's conversions,
 * and what Kern defines where C does not. Nothing here has an effect that others see, so that order does not
 * matter.
 */
#include "base/scalar.h"
#include "fuzz/reference.h"

#include <math.h>

/* ---- conversions ------------------------------------------------------------------------------------- */

static bool is_signed(enum fz_type t)
{
    return fz_type_info[t].family == 's';
}

/* The low bits, as the type holds them. */
static uint64_t cut(uint64_t v, enum fz_type t)
{
    uint32_t bits = t == FZ_BOOL ? 1 : fz_type_info[t].bits;
    return bits == 64 ? v : v & (((uint64_t)1 << bits) - 1);
}

/* An integer as 64 bits. */
static uint64_t extended(uint64_t v, enum fz_type t)
{
    uint32_t shift = 64 - fz_type_info[t].bits;
    return is_signed(t) ? (uint64_t)((int64_t)(v << shift) >> shift) : v;
}

static double number(uint64_t v, enum fz_type t)
{
    if (t == FZ_FLOAT)
        return (double)scalar_from_f32((uint32_t)v);
    if (t == FZ_DOUBLE)
        return scalar_from_f64(v);
    return is_signed(t) ? (double)(int64_t)extended(v, t) : (double)v;
}

/* Rounded once: a long would be rounded twice on its way through double. */
static float to_float(uint64_t v, enum fz_type t)
{
    if (fz_is_float(t))
        return (float)number(v, t);
    return is_signed(t) ? (float)(int64_t)extended(v, t) : (float)v;
}

static uint64_t to_integer(double d, enum fz_type t)
{
    switch (t) {
    case FZ_UINT: return scalar_dtoui32(d);
    case FZ_LONG: return scalar_dtosi64(d);
    case FZ_ULONG: return scalar_dtoui64(d);
    default: return cut(scalar_dtosi32(d), t);
    }
}

uint64_t fz_canonical(uint64_t bits, enum fz_type type)
{
    bool is_nan = fz_is_float(type) && number(bits, type) != number(bits, type);
    return !is_nan ? bits : type == FZ_FLOAT ? SCALAR_NAN_F32 : SCALAR_NAN_F64;
}

static bool is_true(uint64_t bits, enum fz_type type)
{
    return fz_is_float(type) ? number(bits, type) != 0 : bits != 0;
}

uint64_t fz_converted(uint64_t v, enum fz_type from, enum fz_type to)
{
    if (from == to)
        return v;
    if (to == FZ_BOOL)
        return is_true(v, from);
    if (to == FZ_FLOAT)
        return scalar_bits_f32(to_float(v, from));
    if (to == FZ_DOUBLE)
        return scalar_bits_f64(number(v, from));
    return fz_is_float(from) ? to_integer(number(v, from), to) : cut(extended(v, from), to);
}

/* ---- operators --------------------------------------------------------------------------------------- */

static enum fz_type promoted(enum fz_type t)
{
    return t < FZ_INT ? FZ_INT : t;
}

static enum fz_type common(enum fz_type a, enum fz_type b)
{
    a = promoted(a), b = promoted(b);
    return a > b ? a : b;
}

static uint64_t float_result(enum fz_operator op, uint64_t a, uint64_t b, enum fz_type t)
{
    if (t == FZ_DOUBLE) {
        double x = scalar_from_f64(a), y = scalar_from_f64(b);
        return scalar_bits_f64(op == FZ_OP_ADD   ? x + y
                               : op == FZ_OP_SUB ? x - y
                               : op == FZ_OP_MUL ? x * y
                                                 : x / y);
    }
    float x = scalar_from_f32((uint32_t)a), y = scalar_from_f32((uint32_t)b);
    return scalar_bits_f32(op == FZ_OP_ADD   ? x + y
                           : op == FZ_OP_SUB ? x - y
                           : op == FZ_OP_MUL ? x * y
                                             : x / y);
}

static uint64_t quotient(uint64_t a, uint64_t b, enum fz_type t)
{
    if (b == 0)
        return ~(uint64_t)0;
    return is_signed(t) ? scalar_sdiv64(extended(a, t), extended(b, t)) : a / b;
}

static uint64_t rest(uint64_t a, uint64_t b, enum fz_type t)
{
    if (b == 0)
        return a;
    return is_signed(t) ? scalar_srem64(extended(a, t), extended(b, t)) : a % b;
}

static uint64_t shifted(enum fz_operator op, uint64_t a, uint64_t by, enum fz_type t)
{
    uint32_t n = (uint32_t)by & (fz_type_info[t].bits - 1);
    if (op == FZ_OP_SHL)
        return a << n;
    return is_signed(t) ? (uint64_t)((int64_t)extended(a, t) >> n) : a >> n;
}

static bool compared(enum fz_operator op, uint64_t a, uint64_t b, enum fz_type t)
{
    bool less, equal;
    if (fz_is_float(t))
        less = number(a, t) < number(b, t), equal = number(a, t) == number(b, t);
    else if (is_signed(t))
        less = (int64_t)extended(a, t) < (int64_t)extended(b, t), equal = a == b;
    else
        less = a < b, equal = a == b;
    bool ordered = !fz_is_float(t) || (number(a, t) == number(a, t) && number(b, t) == number(b, t));
    switch (op) {
    case FZ_OP_LT: return less;
    case FZ_OP_LE: return less || equal;
    case FZ_OP_GT: return ordered && !less && !equal;
    case FZ_OP_GE: return ordered && !less;
    case FZ_OP_EQ: return equal;
    default: return !equal;
    }
}

static uint64_t integer_result(enum fz_operator op, uint64_t a, uint64_t b, enum fz_type t)
{
    switch (op) {
    case FZ_OP_ADD: return cut(a + b, t);
    case FZ_OP_SUB: return cut(a - b, t);
    case FZ_OP_MUL: return cut(a * b, t);
    case FZ_OP_DIV: return cut(quotient(a, b, t), t);
    case FZ_OP_REM: return cut(rest(a, b, t), t);
    case FZ_OP_AND: return a & b;
    case FZ_OP_OR: return a | b;
    case FZ_OP_XOR: return a ^ b;
    default: BUG("no operator of integers");
    }
}

uint64_t fz_operate(enum fz_operator op, uint64_t a, enum fz_type at, uint64_t b, enum fz_type bt,
                    enum fz_type *result)
{
    const struct fz_operator_info *o = &fz_operator_info[op];
    if (o->operands == 'I' && fz_is_float(at)) /* as the printer converts it */
        a = fz_converted(a, at, FZ_INT), at = FZ_INT;
    if (o->operands == 'I' && fz_is_float(bt))
        b = fz_converted(b, bt, FZ_INT), bt = FZ_INT;
    *result = o->result == 'B' ? FZ_BOOL : o->result == 'L' ? promoted(at) : common(at, bt);
    if (o->result == 'L')
        return cut(shifted(op, fz_converted(a, at, *result), b, *result), *result);
    enum fz_type t = common(at, bt);
    a = fz_converted(a, at, t), b = fz_converted(b, bt, t);
    if (o->result == 'B')
        return compared(op, a, b, t);
    return fz_is_float(t) ? float_result(op, a, b, t) : integer_result(op, a, b, t);
}

uint64_t fz_operate_unary(enum fz_operator op, uint64_t a, enum fz_type t, enum fz_type *result)
{
    if (op == FZ_OP_FLIP && fz_is_float(t))
        a = fz_converted(a, t, FZ_INT), t = FZ_INT;
    *result = op == FZ_OP_NOT ? FZ_BOOL : promoted(t);
    if (op == FZ_OP_NOT)
        return !is_true(a, t);
    a = fz_converted(a, t, *result);
    if (op == FZ_OP_FLIP)
        return cut(~a, *result);
    if (*result == FZ_FLOAT)
        return scalar_bits_f32(-scalar_from_f32((uint32_t)a));
    return *result == FZ_DOUBLE ? scalar_bits_f64(-scalar_from_f64(a)) : cut(-a, *result);
}

/* ---- builtins ---------------------------------------------------------------------------------------- */

enum known {
    MIN,
    MAX,
    CLAMP,
    ABS,
    FMIN,
    FMAX,
    FABS,
    FMA,
    SQRT,
    FLOOR,
    RINT,
    COPYSIGN,
    POPCOUNT,
    CLZ,
    BREV,
    ROTL,
    MULHI,
    KNOWN
};

static enum known number_of(const struct fe_builtin *b)
{
    static const char *const names[KNOWN] = {
        [MIN] = "min",           [MAX] = "max",           [CLAMP] = "clamp", [ABS] = "abs",
        [FMIN] = "fmin",         [FMAX] = "fmax",         [FABS] = "fabs",   [FMA] = "fma",
        [SQRT] = "sqrt",         [FLOOR] = "floor",       [RINT] = "rint",   [CLZ] = "clz",
        [COPYSIGN] = "copysign", [POPCOUNT] = "popcount", [BREV] = "brev",   [ROTL] = "rotl",
        [MULHI] = "mulhi"};
    enum known i = MIN;
    while (i < KNOWN && strcmp(names[i], b->name) != 0)
        i++;
    return i;
}

bool fz_is_known(const struct fe_builtin *b)
{
    return number_of(b) < KNOWN;
}

/* The smaller one, or the larger; a NaN loses, and -0 is less than 0. */
static uint64_t lesser(uint64_t a, uint64_t b, enum fz_type t, bool larger)
{
    if (t == FZ_FLOAT) {
        float x = scalar_from_f32((uint32_t)a), y = scalar_from_f32((uint32_t)b);
        return scalar_bits_f32(larger ? scalar_fmaxf(x, y) : scalar_fminf(x, y));
    }
    if (t == FZ_DOUBLE) {
        double x = scalar_from_f64(a), y = scalar_from_f64(b);
        return scalar_bits_f64(larger ? scalar_fmax(x, y) : scalar_fmin(x, y));
    }
    return compared(FZ_OP_LT, a, b, t) == larger ? b : a;
}

static uint64_t sign_of(enum fz_type t)
{
    return (uint64_t)1 << (fz_type_info[t].bits - 1);
}

static uint64_t magnitude(uint64_t a, enum fz_type t)
{
    if (fz_is_float(t))
        return number(a, t) != number(a, t) ? a : a & ~sign_of(t);
    return (int64_t)extended(a, t) < 0 ? cut(-a, t) : a;
}

static uint64_t reversed(uint64_t a, enum fz_type t)
{
    uint64_t result = 0;
    for (uint32_t i = 0; i < fz_type_info[t].bits; i++)
        result |= (a >> i & 1) << (fz_type_info[t].bits - 1 - i);
    return result;
}

static uint64_t rotated(uint64_t a, uint64_t by, enum fz_type t)
{
    uint32_t bits = fz_type_info[t].bits, n = (uint32_t)by & (bits - 1);
    return n ? cut(a << n | a >> (bits - n), t) : a;
}

/* The upper half of the product, from halves of the numbers; a negative one counts as much too large. */
static uint64_t upper_half(uint64_t a, uint64_t b, enum fz_type t)
{
    uint32_t half = fz_type_info[t].bits / 2;
    uint64_t low = ((uint64_t)1 << half) - 1, al = a & low, ah = a >> half, bl = b & low, bh = b >> half;
    uint64_t middle = (al * bl >> half) + (ah * bl & low) + (al * bh & low);
    uint64_t result = ah * bh + (ah * bl >> half) + (al * bh >> half) + (middle >> half);
    result -= is_signed(t) && a & sign_of(t) ? b : 0;
    result -= is_signed(t) && b & sign_of(t) ? a : 0;
    return cut(result, t);
}

static uint64_t real(enum known which, const uint64_t x[], enum fz_type t)
{
    if (t == FZ_DOUBLE) {
        double a = scalar_from_f64(x[0]);
        switch (which) {
        case SQRT: return scalar_bits_f64(sqrt(a));
        case FLOOR: return scalar_bits_f64(floor(a));
        case RINT: return scalar_bits_f64(rint(a));
        default: return scalar_bits_f64(fma(a, scalar_from_f64(x[1]), scalar_from_f64(x[2])));
        }
    }
    float a = scalar_from_f32((uint32_t)x[0]);
    switch (which) {
    case SQRT: return scalar_bits_f32(sqrtf(a));
    case FLOOR: return scalar_bits_f32(floorf(a));
    case RINT: return scalar_bits_f32(rintf(a));
    default:
        return scalar_bits_f32(fmaf(a, scalar_from_f32((uint32_t)x[1]), scalar_from_f32((uint32_t)x[2])));
    }
}

static uint64_t apply(enum known which, const uint64_t x[], enum fz_type t)
{
    switch (which) {
    case MIN:
    case FMIN: return lesser(x[0], x[1], t, false);
    case MAX:
    case FMAX: return lesser(x[0], x[1], t, true);
    case CLAMP: return lesser(lesser(x[0], x[1], t, true), x[2], t, false);
    case ABS:
    case FABS: return magnitude(x[0], t);
    case COPYSIGN: return fz_canonical((x[0] & ~sign_of(t)) | (x[1] & sign_of(t)), t);
    case POPCOUNT: return (uint64_t)__builtin_popcountll(x[0]);
    case CLZ:
        return x[0] ? (uint64_t)__builtin_clzll(x[0]) - (64 - fz_type_info[t].bits) : fz_type_info[t].bits;
    case BREV: return reversed(x[0], t);
    case ROTL: return rotated(x[0], x[1], t);
    case MULHI: return upper_half(x[0], x[1], t);
    default: return real(which, x, t);
    }
}

uint64_t fz_apply(const struct fe_builtin *b, const uint64_t arguments[], enum fz_type t)
{
    enum fz_type as = promoted(t);
    uint64_t x[3];
    for (uint32_t i = 0; i < COUNT(x); i++)
        x[i] = fz_converted(arguments[i], t, as);
    uint64_t result = apply(number_of(b), x, as);
    return *b->signature == 'i' ? result : fz_converted(result, as, t);
}

static void evaluate_builtin(struct fz_frame *f, const struct fz_node *n, uint64_t mask, uint64_t v[])
{
    uint64_t x[3][FZ_MAX_LANES] = {0};
    uint32_t count = 0;
    for (const struct fz_node *a = n->first; a && count < COUNT(x); a = a->next)
        fz_evaluate_as(f, a, mask, n->type, x[count++]);
    fz_each_lane(lane, mask)
    {
        const uint64_t arguments[] = {x[0][lane], x[1][lane], x[2][lane]};
        v[lane] = fz_apply(&fe_builtins[n->value], arguments, n->type);
    }
}

/* ---- memory ------------------------------------------------------------------------------------------ */

uint64_t *fz_variable_at(const struct fz_frame *f, uint32_t variable, uint32_t lane)
{
    return f->values + ((size_t)variable * FZ_MAX_LANES + lane) * FZ_MOST_VALUES;
}

static char *cells(const struct fz_warp *w, enum fz_type type)
{
    for (uint32_t i = 0; i < w->p->buffers.count; i++)
        if (w->p->buffers.at[i].type == type && strncmp(w->p->buffers.at[i].name, "cells_", 6) == 0)
            return w->contents[i];
    BUG("no buffer has these cells");
}

/* Where each lane has what n names, and of how many bytes it is; 0: n is no place. */
static size_t find_places(struct fz_frame *f, const struct fz_node *n, uint64_t mask, const void *at[])
{
    struct fz_warp *w = f->w;
    uint64_t index[FZ_MAX_LANES];
    size_t size;
    switch (n->kind) {
    case FZ_NODE_VARIABLE:
    case FZ_NODE_FIELD:
        fz_each_lane(lane, mask) at[lane] = fz_variable_at(f, n->name, lane) + n->value;
        return 8;
    case FZ_NODE_ELEMENT:
        if (n->flag)
            fz_evaluate_as(f, n->first, mask, FZ_ULONG, index);
        else
            fz_evaluate_masked(f, n->first, mask, FZ_ARRAY_LENGTH - 1, index);
        fz_each_lane(lane, mask)
        {
            w->failed |= index[lane] >= FZ_ARRAY_LENGTH;
            at[lane] = fz_variable_at(f, n->name, lane) + index[lane] % FZ_ARRAY_LENGTH;
        }
        return 8;
    case FZ_NODE_CELL:
        size = fz_type_info[n->type].bits / 8;
        fz_evaluate_masked(f, n->first, mask, FZ_CELLS - 1, index);
        fz_each_lane(lane, mask) at[lane] =
            cells(w, n->type) + ((w->first + lane) * FZ_CELLS + index[lane]) * size;
        return size;
    case FZ_NODE_OWN:
        fz_evaluate_masked(f, n->first, mask, FZ_CELLS - 1, index);
        fz_each_lane(lane, mask) at[lane] = w->own + (w->first + lane - w->block) * FZ_CELLS + index[lane];
        return 4;
    case FZ_NODE_INPUT:
        fz_evaluate_masked(f, n->first, mask, FZ_INPUTS - 1, index);
        fz_each_lane(lane, mask) at[lane] = &w->p->inputs[index[lane]];
        return 4;
    case FZ_NODE_TABLE:
        fz_evaluate_masked(f, n->first, mask, FZ_TABLE - 1, index);
        fz_each_lane(lane, mask) at[lane] = &w->p->table[index[lane]];
        return 4;
    case FZ_NODE_HASH: fz_each_lane(lane, mask) at[lane] = &w->hash[lane]; return 4;
    case FZ_NODE_GUIDE: fz_each_lane(lane, mask) at[lane] = &w->guide[lane]; return 4;
    case FZ_NODE_SEEN: fz_each_lane(lane, mask) at[lane] = &w->seen[lane]; return 8;
    case FZ_NODE_NOISE:
        fz_each_lane(lane, mask) at[lane] = (uint32_t *)w->contents[1] + w->first + lane;
        return 4;
    default: return 0;
    }
}

void fz_store(struct fz_frame *f, const struct fz_node *target, uint64_t mask, const uint64_t v[])
{
    const void *at[FZ_MAX_LANES];
    size_t size = find_places(f, target, mask, at);
    INVARIANT(size);
    fz_each_lane(lane, mask) memcpy((void *)at[lane], &v[lane], size); /* low bytes first */
}

static uint64_t geometry(const struct fz_warp *w, uint8_t which, uint32_t lane)
{
    uint32_t gid = w->first + lane, threads = w->p->threads;
    switch (which) {
    case 0: return gid;
    case 1: return gid % threads;
    case 2: return gid / threads;
    case 3: return threads;
    case 4: return w->p->blocks;
    default: return lane;
    }
}

/* ---- expressions ------------------------------------------------------------------------------------- */

void fz_evaluate_as(struct fz_frame *f, const struct fz_node *n, uint64_t mask, enum fz_type type,
                    uint64_t v[])
{
    enum fz_type from = fz_type_of(f->w->p, f->f, n);
    fz_evaluate(f, n, mask, v);
    fz_each_lane(lane, mask) v[lane] = fz_converted(v[lane], from, type);
}

void fz_evaluate_masked(struct fz_frame *f, const struct fz_node *n, uint64_t mask, uint32_t bits,
                        uint64_t v[])
{
    enum fz_type t = fz_type_of(f->w->p, f->f, n);
    fz_evaluate_as(f, n, mask, fz_is_float(t) ? FZ_INT : t, v);
    fz_each_lane(lane, mask) v[lane] &= bits;
}

uint64_t fz_holds(struct fz_frame *f, const struct fz_node *n, uint64_t mask)
{
    uint64_t v[FZ_MAX_LANES], result = 0;
    if (mask)
        fz_evaluate_as(f, n, mask, FZ_BOOL, v);
    fz_each_lane(lane, mask) result |= v[lane] << lane;
    return result;
}

/* A condition, as its lanes have it. */
static void set_where(uint64_t yes, uint64_t mask, uint64_t v[])
{
    fz_each_lane(lane, mask) v[lane] = yes >> lane & 1;
}

static void evaluate_binary(struct fz_frame *f, const struct fz_node *n, uint64_t mask, uint64_t v[])
{
    const struct fz_node *x = n->first, *y = n->first->next;
    enum fz_type xt = fz_type_of(f->w->p, f->f, x), yt = fz_type_of(f->w->p, f->f, y), result;
    uint64_t b[FZ_MAX_LANES], yes;
    if (n->op == FZ_OP_BOTH || n->op == FZ_OP_EITHER) {
        yes = fz_holds(f, x, mask);
        yes = n->op == FZ_OP_BOTH ? fz_holds(f, y, yes) : yes | fz_holds(f, y, mask & ~yes);
        set_where(yes, mask, v);
        return;
    }
    fz_evaluate(f, x, mask, v);
    fz_evaluate(f, y, mask, b);
    fz_each_lane(lane, mask) v[lane] = fz_operate((enum fz_operator)n->op, v[lane], xt, b[lane], yt, &result);
}

static void evaluate_call(struct fz_frame *f, const struct fz_node *n, uint64_t mask, uint64_t v[])
{
    uint64_t arguments[8][FZ_MAX_LANES], first = mask;
    const struct fz_node *argument = n->first;
    if (n->kind == FZ_NODE_CALL_EITHER) {
        first = fz_holds(f, argument, mask);
        argument = argument->next;
    }
    for (uint32_t i = 0; argument && i < COUNT(arguments); argument = argument->next, i++)
        fz_evaluate_as(f, argument, mask, f->w->p->functions.at[n->name].variables.at[i].type, arguments[i]);
    const uint64_t masks[] = {first, mask & ~first};
    for (uint32_t i = 0; i < 2; i++)
        if (masks[i]) {
            struct fz_frame called = fz_call(f, i ? (uint32_t)n->value : n->name, masks[i], arguments);
            fz_each_lane(lane, masks[i]) v[lane] = called.result[lane];
        }
}

/* The first product first. */
static void evaluate_dot(struct fz_frame *f, const struct fz_node *n, uint64_t mask, uint64_t v[])
{
    uint64_t a[FZ_MOST_ELEMENTS][FZ_MAX_LANES], b[FZ_MOST_ELEMENTS][FZ_MAX_LANES];
    enum fz_type t = fz_type_of(f->w->p, f->f, n->first), result;
    fz_evaluate_vector(f, n->first, mask, a);
    fz_evaluate_vector(f, n->first->next, mask, b);
    for (uint32_t e = 0; e < fz_length_of(f->f, n->first); e++)
        fz_each_lane(lane, mask)
        {
            uint64_t product = fz_operate(FZ_OP_MUL, a[e][lane], t, b[e][lane], t, &result);
            v[lane] = e ? fz_operate(FZ_OP_ADD, v[lane], t, product, t, &result) : product;
        }
}

void fz_evaluate(struct fz_frame *f, const struct fz_node *n, uint64_t mask, uint64_t v[])
{
    enum fz_type t, result;
    const void *at[FZ_MAX_LANES];
    uint64_t yes, elements[FZ_MOST_ELEMENTS][FZ_MAX_LANES];
    size_t size;
    switch (n->kind) {
    case FZ_NODE_CONSTANT:
        fz_each_lane(lane, mask) v[lane] = fz_canonical(cut(n->value, n->type), n->type);
        break;
    case FZ_NODE_GEOMETRY: fz_each_lane(lane, mask) v[lane] = geometry(f->w, n->op, lane); break;
    case FZ_NODE_UNARY:
        t = fz_type_of(f->w->p, f->f, n->first);
        fz_evaluate(f, n->first, mask, v);
        fz_each_lane(lane, mask) v[lane] = fz_operate_unary((enum fz_operator)n->op, v[lane], t, &result);
        break;
    case FZ_NODE_BINARY: evaluate_binary(f, n, mask, v); break;
    case FZ_NODE_CHOICE:
        t = fz_type_of(f->w->p, f->f, n);
        yes = fz_holds(f, n->first, mask);
        fz_evaluate_as(f, n->first->next, yes, t, v);
        fz_evaluate_as(f, n->first->next->next, mask & ~yes, t, v);
        break;
    case FZ_NODE_CAST: fz_evaluate_as(f, n->first, mask, n->type, v); break;
    case FZ_NODE_BUILTIN: evaluate_builtin(f, n, mask, v); break;
    case FZ_NODE_BITS: fz_evaluate(f, n->first, mask, v); break;
    case FZ_NODE_DOT: evaluate_dot(f, n, mask, v); break;
    case FZ_NODE_SWIZZLE:
        fz_evaluate_vector(f, n->first, mask, elements);
        fz_each_lane(lane, mask) v[lane] = elements[n->value & 3][lane];
        break;
    case FZ_NODE_CALL:
    case FZ_NODE_CALL_EITHER: evaluate_call(f, n, mask, v); break;
    case FZ_NODE_NEVER: set_where(0, mask, v); break;
    case FZ_NODE_ELECT: set_where(mask & -mask, mask, v); break;
    case FZ_NODE_VOTE:
        yes = fz_holds(f, n->first, mask);
        set_where((n->op ? yes == mask : yes != 0) ? mask : 0, mask, v);
        break;
    default:
        size = find_places(f, n, mask, at);
        INVARIANT(size);
        fz_each_lane(lane, mask)
        {
            v[lane] = 0;
            memcpy(&v[lane], at[lane], size);
        }
    }
}
