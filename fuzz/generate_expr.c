/* generate_expr.c: random expressions, conditions and numbers, drawn by the weights of weights.def: over all
 * types, operators and builtins; over what a thread knows of its way; and pointers to few ints.
 */
#include "fuzz/generate.h"
#include "ir/ir.h"

enum fz_type fz_random_type(struct generator *g)
{
    return (enum fz_type)(chance(g, 45) ? FZ_INT + below(g, 2) : below(g, fz_types(g->p)));
}

/* ---- places ------------------------------------------------------------------------------------------ */

static bool fits(const struct fz_variable *v, enum fz_shape shape, bool assignable)
{
    return v->shape == shape && !v->scoped && !(assignable && v->counter);
}

uint32_t fz_pick_variable(struct generator *g, enum fz_shape shape, bool assignable)
{
    uint32_t count = 0, chosen = UINT32_MAX;
    for (uint32_t i = 0; i < g->f->variables.count; i++)
        if (fits(&g->f->variables.at[i], shape, assignable) && below(g, ++count) == 0)
            chosen = i;
    return chosen;
}

struct fz_node *fz_named(struct generator *g, enum fz_kind kind, uint32_t variable)
{
    struct fz_node *n = node(g, kind);
    n->name = variable;
    return n;
}

/* A variable of the shape as the node's kind has it; NULL: there is none. */
static struct fz_node *variable(struct generator *g, enum fz_kind kind, enum fz_shape shape, bool assignable)
{
    uint32_t v = fz_pick_variable(g, shape, assignable);
    return v == UINT32_MAX ? NULL : fz_named(g, kind, v);
}

/* ---- pointers ---------------------------------------------------------------------------------------- */

/* All lead to one of FZ_TARGET_COUNT ints of a function's own or, in shared memory, of the thread's own;
 * there is no arithmetic on them. */
static struct fz_node *pointers_at(struct generator *g, enum fz_kind kind, enum fz_shape shape)
{
    struct fz_node *n = variable(g, kind, shape, false);
    if (!n)
        return NULL;
    bool is_constant = chance(g, 60);
    return fz_add(n,
                  is_constant ? fz_constant(g->p, FZ_INT, below(g, FZ_TARGET_COUNT)) : fz_expression(g, 1));
}

/* What a pointer can be put in; NULL: there is nothing. */
static struct fz_node *pointer_place(struct generator *g)
{
    struct fz_node *n = NULL;
    switch (below(g, 5)) {
    case 0: n = variable(g, FZ_NODE_BEHIND, FZ_LEADER, false); break;
    case 1: n = variable(g, FZ_NODE_MEMBER, FZ_LINK, false); break;
    case 2: n = pointers_at(g, FZ_NODE_ENTRY, FZ_POINTERS); break;
    default: break;
    }
    return n ? n : variable(g, FZ_NODE_POINTER, FZ_POINTER, false);
}

static struct fz_node *chosen_pointer(struct generator *g)
{
    struct fz_node *n = fz_add(node(g, FZ_NODE_CHOSEN), fz_expression(g, 1));
    for (int i = 0; i < 2; i++) {
        struct fz_node *p = below(g, 3) ? pointer_place(g) : pointers_at(g, FZ_NODE_AT, FZ_TARGETS);
        if (!p)
            p = pointer_place(g);
        if (!p)
            return NULL;
        fz_add(n, p);
    }
    return n;
}

static struct fz_node *random_pointer(struct generator *g)
{
    uint32_t dice = below(g, 100);
    struct fz_node *n = NULL;
    if (!g->p->pointers)
        return NULL;
    if (dice < 25)
        n = pointers_at(g, FZ_NODE_AT, FZ_TARGETS);
    else if (dice < 45)
        n = chosen_pointer(g);
    return n ? n : pointer_place(g);
}

struct fz_node *fz_make_point(struct generator *g)
{
    struct fz_node *n = NULL, *target = g->p->pointers ? pointer_place(g) : NULL;
    if (!target)
        return NULL;
    if (target->kind != FZ_NODE_BEHIND && chance(g, 25))
        n = variable(g, FZ_NODE_LEAD, FZ_LEADER, false);
    if (n)
        return fz_add(n, target);
    return fz_add(fz_add(node(g, FZ_NODE_POINT), target), random_pointer(g));
}

static struct fz_node *make_variable(struct generator *g, bool assignable)
{
    return variable(g, FZ_NODE_VARIABLE, FZ_SCALAR, assignable);
}

static struct fz_node *make_element(struct generator *g, bool assignable)
{
    struct fz_node *n = variable(g, FZ_NODE_ELEMENT, FZ_ARRAY, assignable);
    return n ? fz_add(n, fz_expression(g, 1)) : NULL;
}

static struct fz_node *make_field(struct generator *g, bool assignable)
{
    struct fz_node *n = variable(g, FZ_NODE_FIELD, FZ_STRUCT, assignable);
    if (n)
        n->value = below(g, FZ_FIELDS);
    return n;
}

static struct fz_node *make_deref(struct generator *g, bool assignable)
{
    struct fz_node *p = random_pointer(g);
    UNUSED(assignable);
    return p ? fz_add(node(g, FZ_NODE_DEREF), p) : NULL;
}

static struct fz_node *make_cell(struct generator *g, bool assignable)
{
    struct fz_node *n = node(g, FZ_NODE_CELL);
    UNUSED(assignable);
    if (!g->is_kernel)
        return NULL;
    for (uint32_t wanted = below(g, 4), i = 0;;
         i = (i + 1) % g->p->buffers.count) /* the cells' buffers, some of four */
        if (strncmp(g->p->buffers.at[i].name, "cells_", 6) == 0 && wanted-- == 0) {
            n->type = g->p->buffers.at[i].type;
            return fz_add(n, fz_expression(g, 1));
        }
}

static struct fz_node *make_own(struct generator *g, bool assignable)
{
    UNUSED(assignable);
    return g->is_kernel ? fz_add(node(g, FZ_NODE_OWN), fz_expression(g, 1)) : NULL;
}

/* NULL: there is none of the form chosen. */
static struct fz_node *random_place(struct generator *g, bool assignable)
{
    static struct fz_node *(*const makers[])(struct generator *, bool) = {
#define PLACE(id, ...) make_##id,
#include "fuzz/weights.def"
    };
    static const uint8_t weights[][FZ_WEIGHTS] = {
#define PLACE(id, a, b, q, c, f, h, meaning) {a, b, q, c, f, h},
#include "fuzz/weights.def"
    };
    struct fz_node *n = makers[fz_draw(g, weights, COUNT(weights))](g, assignable);
    return n ? n : make_variable(g, assignable);
}

struct fz_node *fz_place(struct generator *g, bool integer)
{
    struct fz_node *n = random_place(g, true);
    if (!n || !integer)
        return n;
    enum fz_type t = fz_type_of(g->p, g->f, n);
    return t == FZ_BOOL || fz_is_float(t) ? NULL : n;
}

/* ---- leaves ------------------------------------------------------------------------------------------ */

static struct fz_node *make_place(struct generator *g)
{
    return random_place(g, false);
}

static struct fz_node *make_same(struct generator *g)
{
    struct fz_node *a = random_pointer(g), *b = random_pointer(g);
    return a && b ? fz_add(fz_add(node(g, FZ_NODE_SAME), a), b) : NULL;
}

static struct fz_node *make_constant(struct generator *g)
{
    enum fz_type t = fz_random_type(g);
    return fz_constant(g->p, t, fz_random_bits(&g->r, t));
}

static struct fz_node *make_input(struct generator *g)
{
    return fz_add(node(g, FZ_NODE_INPUT), make_constant(g));
}

static struct fz_node *make_table(struct generator *g)
{
    return fz_add(node(g, FZ_NODE_TABLE), make_constant(g));
}

static struct fz_node *make_geometry(struct generator *g)
{
    return fz_leaf(g->p, FZ_NODE_GEOMETRY, 0, (uint8_t)below(g, chance(g, 70) ? 2 : FZ_GEOMETRIES));
}

static struct fz_node *make_leaf(struct generator *g, uint32_t depth)
{
    static struct fz_node *(*const makers[])(struct generator *) = {
#define LEAF(id, ...) make_##id,
#include "fuzz/weights.def"
    };
    static const uint8_t weights[][FZ_WEIGHTS] = {
#define LEAF(id, a, b, q, c, f, h, meaning) {a, b, q, c, f, h},
#include "fuzz/weights.def"
    };
    struct fz_node *n = makers[fz_draw(g, weights, COUNT(weights))](g);
    UNUSED(depth);
    return n ? n : make_constant(g);
}

/* ---- operators --------------------------------------------------------------------------------------- */

static struct fz_node *make_unary(struct generator *g, uint32_t depth)
{
    uint8_t op = (uint8_t)(FZ_OP_MINUS + below(g, FZ_OPERATORS - FZ_OP_MINUS));
    return fz_add(fz_leaf(g->p, FZ_NODE_UNARY, 0, op), fz_expression(g, depth - 1));
}

/* What is multiplied with, or divided by, in cheaper ways: small numbers, powers of two and those beside. */
static struct fz_node *random_factor(struct generator *g)
{
    enum fz_type t = chance(g, 50) ? FZ_INT : FZ_INT + below(g, FZ_FLOAT - FZ_INT);
    uint64_t n = (uint64_t)1 << below(g, chance(g, 60) ? 6 : fz_type_info[t].bits);
    if (chance(g, 35))
        n = chance(g, 70) ? 2 + below(g, 30) : n + 1 - 2 * below(g, 2);
    return fz_constant(g->p, t, chance(g, 20) ? -n : n);
}

static struct fz_node *make_binary(struct generator *g, uint32_t depth)
{
    struct fz_node *n = fz_leaf(g->p, FZ_NODE_BINARY, 0, (uint8_t)below(g, FZ_OP_MINUS));
    fz_add(n, fz_expression(g, depth - 1));
    bool by_constant = n->op >= FZ_OP_MUL && n->op <= FZ_OP_REM && chance(g, 75);
    return fz_add(n, by_constant ? random_factor(g) : fz_expression(g, depth - 1));
}

static struct fz_node *make_choice(struct generator *g, uint32_t depth)
{
    struct fz_node *n = node(g, FZ_NODE_CHOICE);
    for (int i = 0; i < 3; i++)
        fz_add(n, fz_expression(g, depth - 1));
    return n;
}

static struct fz_node *make_cast(struct generator *g, uint32_t depth)
{
    struct fz_node *n = node(g, FZ_NODE_CAST);
    n->type = (uint8_t)below(g, fz_types(g->p));
    return fz_add(n, fz_expression(g, depth - 1));
}

#define make_vector_element fz_make_vector_element
#define make_dot            fz_make_dot

static struct fz_node *make_increment(struct generator *g, uint32_t depth)
{
    struct fz_node *target = fz_place(g, true);
    return target ? fz_add(fz_leaf(g->p, FZ_NODE_INCREMENT, 0, (uint8_t)below(g, 4)), target)
                  : make_leaf(g, depth);
}

/* ---- calls ------------------------------------------------------------------------------------------- */

/* A type for the generic places of a builtin's signature. */
static enum fz_type generic_type(struct generator *g, const struct fe_builtin *b)
{
    static const enum fz_type numbers[] = {FZ_INT, FZ_UINT, FZ_LONG, FZ_ULONG, FZ_FLOAT, FZ_DOUBLE};
    const char *params = b->signature + 2;
    bool doubles = fz_types(g->p) > FZ_DOUBLE;
    if (strchr(params, 'x'))
        return (enum fz_type[]){FZ_INT, FZ_UINT, FZ_FLOAT}[below(g, 3)];
    if (strchr(params, 'y'))
        return (enum fz_type[]){FZ_LONG, FZ_ULONG, FZ_DOUBLE}[below(g, doubles ? 3 : 2)];
    if (strchr(params, 'F'))
        return chance(g, 60) || !doubles ? FZ_FLOAT : FZ_DOUBLE;
    for (;;) {
        enum fz_type t = numbers[below(g, strchr(params, 'I') ? 4 : doubles ? 6 : 5)];
        if (fz_type_info[t].family != 'u' || b->op[1] != IR_none)
            return t;
    }
}

static bool may_use(const struct generator *g, const struct fe_builtin *b)
{
    if (fz_is_plain(g->p))
        return fz_is_common(b);
    return fz_is_pure(b) && (fz_types(g->p) > FZ_DOUBLE || !strchr(b->signature, 'd'));
}

static struct fz_node *make_builtin(struct generator *g, uint32_t depth)
{
    uint32_t row;
    do
        row = below(g, fe_builtin_count);
    while (!may_use(g, &fe_builtins[row]));
    struct fz_node *n = fz_leaf(g->p, FZ_NODE_BUILTIN, row, 0);
    n->type = (uint8_t)generic_type(g, &fe_builtins[row]);
    for (uint32_t i = 0; i < fe_builtin_params(&fe_builtins[row]); i++)
        fz_add(n, fz_expression(g, depth - 1));
    return n;
}

/* False: the caller has no array or structure of the kind that a parameter wants. */
static bool add_argument(struct generator *g, struct fz_node *call, const struct fz_variable *param,
                         uint32_t depth)
{
    if (param->shape == FZ_POINTER) {
        struct fz_node *p = random_pointer(g);
        if (p)
            fz_add(call, p);
        return p;
    }
    if (param->shape == FZ_SCALAR) {
        fz_add(call, fz_expression(g, depth > 1 ? 2 : 1));
        return true;
    }
    for (uint32_t i = 0; i < g->f->variables.count; i++) {
        const struct fz_variable *v = &g->f->variables.at[i];
        if (v->shape == param->shape && (v->shape == FZ_STRUCT || v->type == param->type)) {
            fz_add(call, fz_named(g, v->shape == FZ_STRUCT ? FZ_NODE_STRUCTURE : FZ_NODE_ADDRESS, i));
            return true;
        }
    }
    return false;
}

static bool same_type(const struct fz_function *a, const struct fz_function *b)
{
    if (a->params != b->params || a->result != b->result)
        return false;
    for (uint32_t i = 0; i < a->params; i++)
        if (a->variables.at[i].type != b->variables.at[i].type ||
            a->variables.at[i].shape != b->variables.at[i].shape)
            return false;
    return true;
}

static bool may_call(const struct generator *g, const struct fz_function *f)
{
    return (g->at.may_throw || !f->throws) && g->cost + g->at.times * f->cost < FZ_MAX_COST;
}

/* Through a pointer to this function or another of its type. Only the kernel does: whatever a pointer of some
 * type may reach counts as called, and calls may not go round. */
static struct fz_node *begin_call(struct generator *g, uint32_t callee, uint32_t callees)
{
    const struct fz_function *f = &g->p->functions.at[callee];
    uint32_t other = below(g, callees);
    bool either = g->is_kernel && chance(g, 50) && same_type(f, &g->p->functions.at[other]) &&
                  may_call(g, &g->p->functions.at[other]);
    struct fz_node *n = fz_named(g, either ? FZ_NODE_CALL_EITHER : FZ_NODE_CALL, callee);
    if (!either)
        return n;
    n->value = other;
    return fz_add(n, fz_expression(g, 1));
}

struct fz_node *fz_call_of(struct generator *g, uint32_t callee, uint32_t depth)
{
    const struct fz_function *f = &g->p->functions.at[callee];
    if (!may_call(g, f))
        return NULL;
    struct fz_node *n = begin_call(g, callee, (uint32_t)(g->f - g->p->functions.at));
    for (uint32_t i = 0; i < f->params; i++)
        if (!add_argument(g, n, &f->variables.at[i], depth))
            return NULL;
    g->cost += g->at.times * f->cost;
    g->f->throws |= f->throws;
    return n;
}

static struct fz_node *make_call(struct generator *g, uint32_t depth)
{
    uint32_t callees = (uint32_t)(g->f - g->p->functions.at);
    struct fz_node *n = callees ? fz_call_of(g, below(g, callees), depth) : NULL;
    return n ? n : make_builtin(g, depth);
}

struct fz_node *fz_expression(struct generator *g, uint32_t depth)
{
    static struct fz_node *(*const makers[])(struct generator *, uint32_t) = {
#define EXPRESSION(id, ...) make_##id,
#include "fuzz/weights.def"
    };
    static const uint8_t weights[][FZ_WEIGHTS] = {
#define EXPRESSION(id, a, b, q, c, f, h, meaning) {a, b, q, c, f, h},
#include "fuzz/weights.def"
    };
    return depth ? makers[fz_draw(g, weights, COUNT(weights))](g, depth) : make_leaf(g, depth);
}

/* ---- conditions -------------------------------------------------------------------------------------- */

static struct fz_node *make_any_expression(struct generator *g, uint32_t depth)
{
    return fz_expression(g, depth ? 3 : 1);
}

static struct fz_node *make_less(struct generator *g, uint32_t depth)
{
    struct fz_node *x = fz_expression(g, 1);
    UNUSED(depth);
    return fz_binary(g->p, FZ_OP_LT, x, fz_expression(g, 1));
}

struct fz_node *fz_own_input(struct generator *g)
{
    struct fz_node *gid = fz_leaf(g->p, FZ_NODE_GEOMETRY, 0, FZ_GID);
    return fz_add(node(g, FZ_NODE_INPUT), fz_by(g->p, FZ_OP_ADD, gid, below(g, FZ_INPUTS)));
}

static struct fz_node *bit_of(struct generator *g, struct fz_node *x, uint32_t bit)
{
    return fz_by(g->p, FZ_OP_NE, fz_by(g->p, FZ_OP_AND, x, 1u << bit), 0);
}

static struct fz_node *make_own_bit(struct generator *g, uint32_t depth)
{
    UNUSED(depth);
    uint32_t bit = below(g, 4);
    return bit_of(g, fz_own_input(g), bit);
}

static struct fz_node *make_input_is(struct generator *g, uint32_t depth)
{
    UNUSED(depth);
    struct fz_node *index = fz_constant(g->p, FZ_UINT, below(g, FZ_INPUTS));
    return bit_of(g, fz_add(node(g, FZ_NODE_INPUT), index), 0);
}

static struct fz_node *remainder_is(struct generator *g, struct fz_node *x, uint32_t modulus)
{
    return fz_by(g->p, FZ_OP_EQ, fz_by(g->p, FZ_OP_REM, x, modulus), below(g, modulus));
}

static struct fz_node *make_thread_is(struct generator *g, uint32_t depth)
{
    UNUSED(depth);
    return remainder_is(g, fz_leaf(g->p, FZ_NODE_GEOMETRY, 0, FZ_THREAD), 2 + below(g, 5));
}

static struct fz_node *make_lanes(struct generator *g, uint32_t depth)
{
    uint64_t m = fz_next(&g->r);
    UNUSED(depth);
    switch (below(g, 5)) {
    case 0: m = (uint64_t)1 << below(g, 64); break;
    case 1: m &= fz_next(&g->r); break;
    case 2: m |= fz_next(&g->r); break;
    case 3: m = 0x0101010101010101u * (m & 0xff); break;
    default: break;
    }
    return fz_in_lanes(g->p, m);
}

static struct fz_node *make_counter_is(struct generator *g, uint32_t depth)
{
    if (!g->at.loops)
        return make_lanes(g, depth);
    struct fz_node *i = fz_named(g, FZ_NODE_VARIABLE, g->at.counters[below(g, g->at.loops)]);
    return remainder_is(g, i, 1 + below(g, 4));
}

static struct fz_node *bits_are(struct generator *g, enum fz_kind x, uint32_t shifts)
{
    static const uint8_t masks[] = {1, 1, 3, 7};
    uint32_t mask = masks[below(g, COUNT(masks))], shift = below(g, shifts);
    return fz_bits_are(g->p, x, shift, mask, below(g, mask + 1));
}

static struct fz_node *make_hash_is(struct generator *g, uint32_t depth)
{
    UNUSED(depth);
    return bits_are(g, FZ_NODE_HASH, 28);
}

static struct fz_node *make_seen_is(struct generator *g, uint32_t depth)
{
    UNUSED(depth);
    return bits_are(g, FZ_NODE_SEEN, 9);
}

static struct fz_node *make_guide_is(struct generator *g, uint32_t depth)
{
    uint32_t shift = below(g, 28);
    UNUSED(depth);
    return fz_bits_are(g->p, FZ_NODE_GUIDE, shift, chance(g, 70) ? 1 : 3, 0);
}

static struct fz_node *combined(struct generator *g, enum fz_operator op, uint32_t depth)
{
    if (depth == 0)
        return fz_condition(g, 0);
    struct fz_node *x = fz_condition(g, depth - 1);
    return fz_binary(g->p, op, x, fz_condition(g, depth - 1));
}

static struct fz_node *make_both(struct generator *g, uint32_t depth)
{
    return combined(g, FZ_OP_BOTH, depth);
}

static struct fz_node *make_either(struct generator *g, uint32_t depth)
{
    return combined(g, FZ_OP_EITHER, depth);
}

static struct fz_node *make_not(struct generator *g, uint32_t depth)
{
    struct fz_node *x = fz_condition(g, depth ? depth - 1 : 0);
    return depth ? fz_add(fz_leaf(g->p, FZ_NODE_UNARY, 0, FZ_OP_NOT), x) : x;
}

static struct fz_node *make_vote(struct generator *g, uint32_t depth)
{
    struct fz_node *x = fz_condition(g, depth ? depth - 1 : 0);
    return depth ? fz_add(fz_leaf(g->p, FZ_NODE_VOTE, 0, (uint8_t)below(g, 2)), x) : x;
}

static struct fz_node *make_elect(struct generator *g, uint32_t depth)
{
    return depth ? node(g, FZ_NODE_ELECT) : fz_condition(g, 0);
}

struct fz_node *fz_condition(struct generator *g, uint32_t depth)
{
    static struct fz_node *(*const makers[])(struct generator *, uint32_t) = {
#define CONDITION(id, ...) make_##id,
#include "fuzz/weights.def"
    };
    static const uint8_t weights[][FZ_WEIGHTS] = {
#define CONDITION(id, a, b, q, c, f, h, meaning) {a, b, q, c, f, h},
#include "fuzz/weights.def"
    };
    return makers[fz_draw(g, weights, COUNT(weights))](g, depth);
}

struct fz_node *fz_operand(struct generator *g, enum fz_observation op)
{
    if (op == FZ_BALLOT || op == FZ_ANY || op == FZ_ALL)
        return fz_condition(g, 0);
    if (op == FZ_REDUCE_ADD || op == FZ_SCAN_ADD)
        return fz_by(g->p, FZ_OP_ADD, fz_leaf(g->p, FZ_NODE_GEOMETRY, 0, FZ_LANE), below(g, 33));
    return node(g, FZ_NODE_HASH);
}

/* ---- numbers ----------------------------------------------------------------------------------------- */

enum number {
#define NUMBER(id, ...) NUMBER_##id,
#include "fuzz/weights.def"
};

struct fz_node *fz_number(struct generator *g, uint32_t constant)
{
    static const uint8_t weights[][FZ_WEIGHTS] = {
#define NUMBER(id, a, b, q, c, f, h, meaning) {a, b, q, c, f, h},
#include "fuzz/weights.def"
    };
    enum number which = (enum number)fz_draw(g, weights, COUNT(weights));
    uint32_t value = below(g, 28), modulus = 2 + below(g, 3);
    struct fz_node *bits;
    switch (which) {
    case NUMBER_constant: return fz_constant(g->p, FZ_INT, constant);
    case NUMBER_own_input: return fz_own_input(g);
    case NUMBER_lane: return fz_lane_number(g->p, 1 + value % 6, modulus);
    case NUMBER_hash: return fz_by(g->p, FZ_OP_SHR, node(g, FZ_NODE_HASH), value);
    case NUMBER_seen:
        bits = fz_add(node(g, FZ_NODE_CAST), fz_by(g->p, FZ_OP_SHR, node(g, FZ_NODE_SEEN), value % 9));
        bits->type = FZ_UINT;
        return bits;
    default: return fz_expression(g, 2);
    }
}
