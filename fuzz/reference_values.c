/* reference_values.c: what expressions compute for the lanes of a mask, operands from left to right, each
 * with its effects before the next begins. Effects are on memory that is the thread's own, so that lanes may
 * follow each other in any order.
 *
 * Memory is values of 64 bits, of which a variable has one or several in each lane; buffers, and the members
 * of a union, have their bytes. A pointer is where such a value is.
 */
#include "fuzz/print.h"
#include "fuzz/reference.h"

/* ---- memory ------------------------------------------------------------------------------------------ */

uint32_t fz_values_of(const struct fz_variable *v)
{
    switch (v->shape) {
    case FZ_ARRAY: return v->parameter ? 1 : FZ_ARRAY_LENGTH;
    case FZ_STRUCT: return FZ_FIELDS;
    case FZ_VECTOR: return v->elements;
    case FZ_ROWS: return FZ_MOST_VALUES;
    case FZ_TARGETS:
    case FZ_POINTERS: return FZ_TARGET_COUNT;
    default: return 1;
    }
}

uint64_t *fz_variable_at(const struct fz_frame *f, uint32_t variable, uint32_t lane)
{
    const struct fz_variable *v = &f->f->variables.at[variable];
    uint64_t *at = f->values + f->at[variable] + (size_t)lane * fz_values_of(v);
    return v->shape == FZ_ARRAY && v->parameter ? (uint64_t *)(uintptr_t)*at : at;
}

uint64_t fz_load(const void *at, size_t size, enum fz_type type)
{
    uint64_t bits = 0;
    memcpy(&bits, at, size); /* low bytes first */
    return type == FZ_BOOL ? bits != 0 : fz_canonical(bits, type);
}

void fz_store(void *at, size_t size, uint64_t bits)
{
    memcpy(at, &bits, size);
}

static size_t bytes_of(enum fz_type t)
{
    return fz_type_info[t].bits / 8;
}

static char *cells(const struct fz_warp *w, enum fz_type type)
{
    for (uint32_t i = 0; i < w->p->buffers.count; i++)
        if (w->p->buffers.at[i].type == type && strncmp(w->p->buffers.at[i].name, "cells_", 6) == 0)
            return w->contents[i];
    BUG("no buffer has these cells");
}

/* The index that n has for an array of so many elements, a power of two. */
static void find_index(struct fz_frame *f, const struct fz_node *n, fz_lanes mask, uint32_t length,
                       uint64_t index[])
{
    bool checked = n->kind == FZ_NODE_ELEMENT && n->flag, beyond = n == f->w->beyond;
    if (checked)
        fz_evaluate_as(f, n->first, mask, FZ_ULONG, index);
    else
        fz_evaluate_masked(f, n->first, mask, beyond ? 2 * length - 1 : length - 1, index);
    fz_each_lane(lane, fz_live(f, mask))
    {
        if (index[lane] >= length && !f->w->failed)
            f->w->failed = true, f->w->stopped = beyond;
        index[lane] %= length;
    }
}

uint32_t fz_place_of_field(const struct fz_program *p, uint64_t field)
{
    return field >= 1 && field <= p->overlapping ? 1 : (uint32_t)field;
}

size_t fz_find_places(struct fz_frame *f, const struct fz_node *n, fz_lanes mask, void *at[])
{
    struct fz_warp *w = f->w;
    uint64_t index[FZ_MAX_LANES];
    size_t size = 4;
    mask = fz_live(f, mask);
    switch (n->kind) {
    case FZ_NODE_VARIABLE:
    case FZ_NODE_POINTER:
    case FZ_NODE_MEMBER: fz_each_lane(lane, mask) at[lane] = fz_variable_at(f, n->name, lane); return 8;
    case FZ_NODE_FIELD:
        fz_each_lane(lane, mask) at[lane] =
            fz_variable_at(f, n->name, lane) + fz_place_of_field(w->p, n->value);
        return bytes_of(w->p->fields[n->value]);
    case FZ_NODE_ELEMENT:
        find_index(f, n, mask, FZ_ARRAY_LENGTH, index);
        fz_each_lane(lane, fz_live(f, mask)) at[lane] = fz_variable_at(f, n->name, lane) + index[lane];
        return 8;
    case FZ_NODE_AT:
    case FZ_NODE_ENTRY:
        find_index(f, n, mask, FZ_TARGET_COUNT, index);
        fz_each_lane(lane, fz_live(f, mask)) at[lane] = fz_variable_at(f, n->name, lane) + index[lane];
        return 8;
    case FZ_NODE_DEREF:
        fz_evaluate_pointer(f, n->first, mask, index);
        fz_each_lane(lane, fz_live(f, mask)) at[lane] = (void *)(uintptr_t)index[lane];
        return 8;
    case FZ_NODE_BEHIND:
        fz_each_lane(lane, mask) at[lane] = (void *)(uintptr_t)*fz_variable_at(f, n->name, lane);
        return 8;
    case FZ_NODE_CELL:
        size = bytes_of((enum fz_type)n->type);
        find_index(f, n, mask, FZ_CELLS, index);
        fz_each_lane(lane, fz_live(f, mask)) at[lane] =
            cells(w, (enum fz_type)n->type) + ((w->first + lane) * FZ_CELLS + index[lane]) * size;
        return size;
    case FZ_NODE_OWN:
        find_index(f, n, mask, FZ_CELLS, index);
        fz_each_lane(lane, fz_live(f, mask)) at[lane] =
            w->own + (w->first + lane - w->block) * FZ_CELLS + index[lane];
        return 4;
    case FZ_NODE_INPUT:
        find_index(f, n, mask, FZ_INPUTS, index);
        fz_each_lane(lane, fz_live(f, mask)) at[lane] = (void *)&w->p->inputs[index[lane]];
        return 4;
    case FZ_NODE_TABLE:
        find_index(f, n, mask, FZ_TABLE, index);
        fz_each_lane(lane, fz_live(f, mask)) at[lane] = (void *)&w->p->table[index[lane]];
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

/* The values of pointers: of an expression where the place of an int is, or a variable's that has one. */
void fz_evaluate_pointer(struct fz_frame *f, const struct fz_node *n, fz_lanes mask, uint64_t to[])
{
    void *at[FZ_MAX_LANES];
    if (n->kind == FZ_NODE_CHOSEN) {
        fz_lanes yes = fz_holds(f, n->first, mask);
        fz_evaluate_pointer(f, fz_child(n, 1), yes, to);
        fz_evaluate_pointer(f, fz_child(n, 2), fz_live(f, mask) & ~yes, to);
        return;
    }
    size_t size = fz_find_places(f, n, mask, at);
    INVARIANT(size == 8);
    fz_each_lane(lane, fz_live(f, mask)) to[lane] =
        n->kind == FZ_NODE_AT ? (uint64_t)(uintptr_t)at[lane] : fz_load(at[lane], size, FZ_ULONG);
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

/* ---- operands ---------------------------------------------------------------------------------------- */

void fz_evaluate_as(struct fz_frame *f, const struct fz_node *n, fz_lanes mask, enum fz_type type,
                    uint64_t v[])
{
    enum fz_type from = fz_type_of(f->w->p, f->f, n);
    fz_evaluate(f, n, mask, v);
    fz_each_lane(lane, fz_live(f, mask)) v[lane] = fz_converted(v[lane], from, type);
}

void fz_evaluate_masked(struct fz_frame *f, const struct fz_node *n, fz_lanes mask, uint32_t bits,
                        uint64_t v[])
{
    enum fz_type t = fz_type_of(f->w->p, f->f, n);
    fz_evaluate_as(f, n, mask, fz_is_float(t) ? FZ_INT : t, v);
    fz_each_lane(lane, fz_live(f, mask)) v[lane] &= bits;
}

void fz_evaluate_amount(struct fz_frame *f, const struct fz_node *n, fz_lanes mask, uint64_t v[])
{
    fz_evaluate_masked(f, n, mask, f->w->p->checked ? 31 : UINT32_MAX, v);
}

fz_lanes fz_holds(struct fz_frame *f, const struct fz_node *n, fz_lanes mask)
{
    uint64_t v[FZ_MAX_LANES];
    fz_lanes result = 0;
    if (mask)
        fz_evaluate_as(f, n, mask, FZ_BOOL, v);
    fz_each_lane(lane, fz_live(f, mask)) result |= (fz_lanes)v[lane] << lane;
    return result;
}

/* A condition, as its lanes have it. */
static void set_where(fz_lanes yes, fz_lanes mask, uint64_t v[])
{
    fz_each_lane(lane, mask) v[lane] = fz_has_lane(yes, lane);
}

/* ---- expressions ------------------------------------------------------------------------------------- */

static void evaluate_binary(struct fz_frame *f, const struct fz_node *n, fz_lanes mask, uint64_t v[])
{
    const struct fz_node *x = n->first, *y = n->first->next;
    enum fz_type xt = fz_type_of(f->w->p, f->f, x), yt = fz_type_of(f->w->p, f->f, y), result;
    enum fz_operator op = (enum fz_operator)n->op;
    uint64_t b[FZ_MAX_LANES];
    if (op == FZ_OP_BOTH || op == FZ_OP_EITHER) {
        fz_lanes yes = fz_holds(f, x, mask), asked = op == FZ_OP_BOTH ? yes : fz_live(f, mask) & ~yes;
        yes = (yes & ~asked) | fz_holds(f, y, asked);
        set_where(yes, fz_live(f, mask), v);
        return;
    }
    fz_evaluate(f, x, mask, v);
    if (op == FZ_OP_SHL || op == FZ_OP_SHR)
        fz_evaluate_amount(f, y, mask, b), yt = FZ_UINT;
    else
        fz_evaluate(f, y, mask, b);
    fz_each_lane(lane, fz_live(f, mask)) v[lane] = fz_operate(op, v[lane], xt, b[lane], yt, &result);
}

static void evaluate_choice(struct fz_frame *f, const struct fz_node *n, fz_lanes mask, uint64_t v[])
{
    enum fz_type t = fz_type_of(f->w->p, f->f, n);
    fz_lanes yes = fz_holds(f, n->first, mask);
    fz_evaluate_as(f, fz_child(n, 1), yes, t, v);
    fz_evaluate_as(f, fz_child(n, 2), fz_live(f, mask) & ~yes, t, v);
}

static void evaluate_increment(struct fz_frame *f, const struct fz_node *n, fz_lanes mask, uint64_t v[])
{
    void *at[FZ_MAX_LANES];
    enum fz_type t = fz_type_of(f->w->p, f->f, n);
    size_t size = fz_find_places(f, n->first, mask, at);
    INVARIANT(size);
    fz_each_lane(lane, fz_live(f, mask))
    {
        uint64_t before = fz_load(at[lane], size, t), after = fz_stepped(before, t, n->op);
        fz_store(at[lane], size, after);
        v[lane] = n->op < 2 ? before : after;
    }
}

static void evaluate_same(struct fz_frame *f, const struct fz_node *n, fz_lanes mask, uint64_t v[])
{
    uint64_t other[FZ_MAX_LANES];
    fz_evaluate_pointer(f, n->first, mask, v);
    fz_evaluate_pointer(f, n->first->next, mask, other);
    fz_each_lane(lane, fz_live(f, mask)) v[lane] = v[lane] == other[lane];
}

static void evaluate_builtin(struct fz_frame *f, const struct fz_node *n, fz_lanes mask, uint64_t v[])
{
    const struct fe_builtin *b = &fe_builtins[n->value];
    enum fz_type generic = (enum fz_type)n->type;
    uint64_t x[FE_BUILTIN_ARGS][FZ_MAX_LANES];
    uint32_t params = fe_builtin_params(b), i = 0;
    int known = fz_known(b);
    INVARIANT(known >= 0 && params <= FE_BUILTIN_ARGS);
    for (const struct fz_node *a = n->first; a && i < params; a = a->next, i++)
        fz_evaluate_as(f, a, mask, fz_letter_type(fe_builtin_param(b, i), generic), x[i]);
    fz_each_lane(lane, fz_live(f, mask))
    {
        uint64_t arguments[FE_BUILTIN_ARGS];
        for (i = 0; i < params; i++)
            arguments[i] = x[i][lane];
        v[lane] = fz_apply(known, b, arguments, generic);
    }
}

/* The first product first. */
static void evaluate_dot(struct fz_frame *f, const struct fz_node *n, fz_lanes mask, uint64_t v[])
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

/* ---- calls ------------------------------------------------------------------------------------------- */

/* The lanes that call the first of two functions: a condition says so, or a place that is written there. */
static fz_lanes call_first(struct fz_frame *f, const struct fz_node *n, fz_lanes mask)
{
    if (n->kind == FZ_NODE_CALL)
        return mask;
    if (fz_calls_known_place(f->w->p))
        return fz_known_place(n) == 0 ? mask : 0;
    return fz_holds(f, n->first, mask);
}

/* As the parameter has it: an array's is where it is, a structure's all its members. */
static void evaluate_argument(struct fz_frame *f, const struct fz_node *n, fz_lanes mask,
                              const struct fz_variable *parameter, uint64_t v[][FZ_MAX_LANES])
{
    switch (n->kind) {
    case FZ_NODE_ADDRESS:
        fz_each_lane(lane, fz_live(f, mask)) v[0][lane] = (uintptr_t)fz_variable_at(f, n->name, lane);
        return;
    case FZ_NODE_STRUCTURE:
        for (uint32_t i = 0; i < FZ_FIELDS; i++)
            fz_each_lane(lane, fz_live(f, mask)) v[i][lane] = fz_variable_at(f, n->name, lane)[i];
        return;
    default:
        if (parameter->shape == FZ_POINTER)
            fz_evaluate_pointer(f, n, mask, v[0]);
        else
            fz_evaluate_as(f, n, mask, (enum fz_type)parameter->type, v[0]);
    }
}

static void evaluate_call(struct fz_frame *f, const struct fz_node *n, fz_lanes mask, uint64_t v[])
{
    struct fz_frame callees[2];
    fz_lanes first = call_first(f, n, mask);
    bool either = n->kind == FZ_NODE_CALL_EITHER;
    const struct fz_node *argument = either ? n->first->next : n->first;
    for (uint32_t c = 0; c <= either; c++)
        fz_enter(&callees[c], f->w, c ? (uint32_t)n->value : n->name, mask);
    for (uint32_t i = 0; argument; argument = argument->next, i++) {
        uint64_t values[FZ_FIELDS][FZ_MAX_LANES];
        const struct fz_variable *parameter = &callees[0].f->variables.at[i];
        evaluate_argument(f, argument, mask, parameter, values);
        for (uint32_t c = 0; c <= either; c++)
            for (uint32_t k = 0; k < fz_values_of(parameter); k++)
                fz_each_lane(lane, fz_live(f, mask)) callees[c]
                    .values[callees[c].at[i] + lane * fz_values_of(parameter) + k] = values[k][lane];
    }
    for (uint32_t c = 0; c <= either; c++) {
        fz_lanes back = fz_run_call(f, &callees[c], fz_live(f, mask) & (c ? ~first : first));
        fz_each_lane(lane, back) v[lane] = callees[c].result[lane];
    }
}

/* ---- all --------------------------------------------------------------------------------------------- */

void fz_evaluate(struct fz_frame *f, const struct fz_node *n, fz_lanes mask, uint64_t v[])
{
    enum fz_type t, result;
    void *at[FZ_MAX_LANES];
    fz_lanes yes;
    uint64_t elements[FZ_MOST_ELEMENTS][FZ_MAX_LANES];
    size_t size;
    mask = fz_live(f, mask);
    switch (n->kind) {
    case FZ_NODE_CONSTANT:
        fz_each_lane(lane, mask) v[lane] =
            fz_canonical(fz_cut(n->value, (enum fz_type)n->type), (enum fz_type)n->type);
        break;
    case FZ_NODE_GEOMETRY: fz_each_lane(lane, mask) v[lane] = geometry(f->w, n->op, lane); break;
    case FZ_NODE_UNARY:
        t = fz_type_of(f->w->p, f->f, n->first);
        fz_evaluate(f, n->first, mask, v);
        fz_each_lane(lane, fz_live(f, mask)) v[lane] =
            fz_operate_unary((enum fz_operator)n->op, v[lane], t, &result);
        break;
    case FZ_NODE_BINARY: evaluate_binary(f, n, mask, v); break;
    case FZ_NODE_CHOICE: evaluate_choice(f, n, mask, v); break;
    case FZ_NODE_CAST: fz_evaluate_as(f, n->first, mask, (enum fz_type)n->type, v); break;
    case FZ_NODE_INCREMENT: evaluate_increment(f, n, mask, v); break;
    case FZ_NODE_SAME: evaluate_same(f, n, mask, v); break;
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
        t = fz_type_of(f->w->p, f->f, n);
        size = fz_find_places(f, n, mask, at);
        INVARIANT(size);
        fz_each_lane(lane, fz_live(f, mask)) v[lane] = fz_load(at[lane], size, t);
    }
}
