/* reference_f_values.c: what expressions of class f compute for one thread, by docs/language.md: C's
 * conversions, and what Kern defines where C does not. Nothing here has an effect, so that order does not
 * matter.
 */
#include "base/scalar.h"
#include "fuzz/reference_f.h"

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

bool fz_is_true(uint64_t bits, enum fz_type type)
{
    return fz_is_float(type) ? number(bits, type) != 0 : bits != 0;
}

uint64_t fz_converted(uint64_t v, enum fz_type from, enum fz_type to)
{
    if (from == to)
        return v;
    if (to == FZ_BOOL)
        return fz_is_true(v, from);
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

static uint64_t binary(struct fz_warp *w, struct fz_frame *f, const struct fz_node *n, uint32_t lane)
{
    enum fz_type at = fz_type_of(w->p, f->f, n->first), bt = fz_type_of(w->p, f->f, n->first->next), result;
    uint64_t a = fz_value(w, f, n->first, lane), b = fz_value(w, f, n->first->next, lane);
    if (n->op == FZ_OP_BOTH)
        return fz_is_true(a, at) && fz_is_true(b, bt);
    if (n->op == FZ_OP_EITHER)
        return fz_is_true(a, at) || fz_is_true(b, bt);
    return fz_operate((enum fz_operator)n->op, a, at, b, bt, &result);
}

static uint64_t unary(struct fz_warp *w, struct fz_frame *f, const struct fz_node *n, uint32_t lane)
{
    enum fz_type t = fz_type_of(w->p, f->f, n->first), to;
    uint64_t a = fz_value(w, f, n->first, lane);
    if (n->op == FZ_OP_NOT)
        return !fz_is_true(a, t);
    if (n->op == FZ_OP_FLIP && fz_is_float(t))
        a = fz_converted(a, t, FZ_INT), t = FZ_INT;
    to = promoted(t);
    a = fz_converted(a, t, to);
    if (n->op == FZ_OP_FLIP)
        return cut(~a, to);
    if (to == FZ_FLOAT)
        return scalar_bits_f32(-scalar_from_f32((uint32_t)a));
    return to == FZ_DOUBLE ? scalar_bits_f64(-scalar_from_f64(a)) : cut(-a, to);
}

/* ---- builtins ---------------------------------------------------------------------------------------- */

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

static uint64_t magnitude(uint64_t a, enum fz_type t)
{
    if (fz_is_float(t))
        return number(a, t) != number(a, t) ? a : a & ~((uint64_t)1 << (fz_type_info[t].bits - 1));
    return (int64_t)extended(a, t) < 0 ? cut(-a, t) : a;
}

static uint64_t builtin(struct fz_warp *w, struct fz_frame *f, const struct fz_node *n, uint32_t lane)
{
    enum fz_type t = n->type;
    const char *name = fe_builtins[n->value].name;
    uint64_t a = fz_value_as(w, f, n->first, lane, t);
    uint64_t b = n->first->next ? fz_value_as(w, f, n->first->next, lane, t) : 0;
    if (strcmp(name, "min") == 0 || strcmp(name, "max") == 0)
        return lesser(a, b, t, strcmp(name, "max") == 0);
    if (strcmp(name, "abs") == 0)
        return magnitude(a, t);
    if (strcmp(name, "popcount") == 0)
        return (uint64_t)__builtin_popcountll(a);
    INVARIANT(strcmp(name, "clz") == 0);
    return a ? (uint64_t)__builtin_clzll(a) - (64 - fz_type_info[t].bits) : fz_type_info[t].bits;
}

/* ---- memory ------------------------------------------------------------------------------------------ */

uint64_t *fz_variable_at(const struct fz_frame *f, uint32_t variable, uint32_t lane)
{
    return f->values + ((size_t)variable * f->lanes + lane % f->lanes) * FZ_ARRAY_LENGTH;
}

static void *cell(struct fz_warp *w, struct fz_frame *f, const struct fz_node *n, uint32_t lane)
{
    size_t size = fz_type_info[n->type].bits / 8, index = (w->first + lane) * FZ_CELLS;
    for (uint32_t i = 0; i < w->p->buffers.count; i++)
        if (w->p->buffers.at[i].type == n->type && strncmp(w->p->buffers.at[i].name, "cells_", 6) == 0)
            return (char *)w->contents[i] + (index + fz_masked(w, f, n->first, lane, FZ_CELLS - 1)) * size;
    BUG("no buffer has these cells");
}

static uint64_t *element(struct fz_warp *w, struct fz_frame *f, const struct fz_node *n, uint32_t lane)
{
    uint64_t index = n->flag ? fz_value_as(w, f, n->first, lane, FZ_LONG)
                             : fz_masked(w, f, n->first, lane, FZ_ARRAY_LENGTH - 1);
    w->failed |= index >= FZ_ARRAY_LENGTH;
    return fz_variable_at(f, n->name, lane) + index % FZ_ARRAY_LENGTH;
}

static uint32_t *own(struct fz_warp *w, struct fz_frame *f, const struct fz_node *n, uint32_t lane)
{
    uint32_t thread = w->first + lane - w->block;
    return w->own + thread * FZ_CELLS + fz_masked(w, f, n->first, lane, FZ_CELLS - 1);
}

void fz_store(struct fz_warp *w, struct fz_frame *f, const struct fz_node *target, uint32_t lane,
              uint64_t bits)
{
    switch (target->kind) {
    case FZ_NODE_VARIABLE: *fz_variable_at(f, target->name, lane) = bits; break;
    case FZ_NODE_ELEMENT: *element(w, f, target, lane) = bits; break;
    case FZ_NODE_FIELD: fz_variable_at(f, target->name, lane)[target->value] = bits; break;
    case FZ_NODE_CELL:
        memcpy(cell(w, f, target, lane), &bits, fz_type_info[target->type].bits / 8); /* low bytes first */
        break;
    case FZ_NODE_OWN: *own(w, f, target, lane) = (uint32_t)bits; break;
    default: BUG("%s is no place", fz_node_info[target->kind].name);
    }
}

static uint64_t geometry(const struct fz_warp *w, uint8_t which, uint32_t lane)
{
    uint32_t gid = w->first + lane, threads = w->p->threads;
    switch (which) {
    case 0: return gid;
    case 1: return gid % threads;
    case 2: return gid / threads;
    case 3: return threads;
    default: return w->p->blocks;
    }
}

/* ---- expressions ------------------------------------------------------------------------------------- */

uint32_t fz_masked(struct fz_warp *w, struct fz_frame *f, const struct fz_node *n, uint32_t lane,
                   uint32_t mask)
{
    enum fz_type t = fz_type_of(w->p, f->f, n);
    uint64_t v = fz_value(w, f, n, lane);
    return (uint32_t)(fz_is_float(t) ? fz_converted(v, t, FZ_INT) : v) & mask;
}

uint64_t fz_value_as(struct fz_warp *w, struct fz_frame *f, const struct fz_node *n, uint32_t lane,
                     enum fz_type type)
{
    return fz_converted(fz_value(w, f, n, lane), fz_type_of(w->p, f->f, n), type);
}

static uint64_t choice(struct fz_warp *w, struct fz_frame *f, const struct fz_node *n, uint32_t lane)
{
    bool yes = fz_value_as(w, f, n->first, lane, FZ_BOOL);
    return fz_value_as(w, f, yes ? n->first->next : n->first->next->next, lane, fz_type_of(w->p, f->f, n));
}

static uint64_t call(struct fz_warp *w, struct fz_frame *f, const struct fz_node *n, uint32_t lane)
{
    const struct fz_node *argument = n->first;
    uint32_t callee = n->name, count = 0;
    uint64_t args[8];
    if (n->kind == FZ_NODE_CALL_EITHER) {
        callee = fz_value_as(w, f, argument, lane, FZ_BOOL) ? n->name : (uint32_t)n->value;
        argument = argument->next;
    }
    const struct fz_function *called = &w->p->functions.at[callee];
    for (; argument && count < COUNT(args); argument = argument->next, count++)
        args[count] = fz_value_as(w, f, argument, lane, called->variables.at[count].type);
    return fz_call_lane(w, callee, args, lane);
}

uint64_t fz_value(struct fz_warp *w, struct fz_frame *f, const struct fz_node *n, uint32_t lane)
{
    uint64_t bits = 0;
    switch (n->kind) {
    case FZ_NODE_CONSTANT: return fz_canonical(cut(n->value, n->type), n->type);
    case FZ_NODE_VARIABLE: return *fz_variable_at(f, n->name, lane);
    case FZ_NODE_ELEMENT: return *element(w, f, n, lane);
    case FZ_NODE_FIELD: return fz_variable_at(f, n->name, lane)[n->value];
    case FZ_NODE_CELL: memcpy(&bits, cell(w, f, n, lane), fz_type_info[n->type].bits / 8); return bits;
    case FZ_NODE_OWN: return *own(w, f, n, lane);
    case FZ_NODE_INPUT: return (uint32_t)w->p->inputs[fz_masked(w, f, n->first, lane, FZ_INPUTS - 1)];
    case FZ_NODE_TABLE: return (uint32_t)w->p->table[fz_masked(w, f, n->first, lane, FZ_TABLE - 1)];
    case FZ_NODE_GEOMETRY: return geometry(w, n->op, lane);
    case FZ_NODE_UNARY: return unary(w, f, n, lane);
    case FZ_NODE_BINARY: return binary(w, f, n, lane);
    case FZ_NODE_CHOICE: return choice(w, f, n, lane);
    case FZ_NODE_CAST: return fz_value_as(w, f, n->first, lane, n->type);
    case FZ_NODE_BUILTIN: return builtin(w, f, n, lane);
    case FZ_NODE_CALL:
    case FZ_NODE_CALL_EITHER: return call(w, f, n, lane);
    default: BUG("%s has no value", fz_node_info[n->kind].name);
    }
}
