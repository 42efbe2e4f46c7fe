/* class_a_expr.c: random expressions over all types, operators and builtins. */
#include "fuzz/class_a.h"
#include "ir/ir.h"

static uint32_t below(struct generator *g, uint32_t n)
{
    return fz_below(&g->r, n);
}

/* Of class f: no expression has an effect, so that its reference need not know their order. */
static bool is_plain(const struct generator *g)
{
    return g->p->class == 'f';
}

enum fz_type fz_random_type(struct generator *g)
{
    return (enum fz_type)(fz_chance(&g->r, 45) ? FZ_INT + below(g, 2) : below(g, fz_types(g->p)));
}

static struct fz_node *random_constant(struct generator *g)
{
    enum fz_type t = fz_random_type(g);
    return fz_constant(g->p, t, fz_random_bits(&g->r, t));
}

/* ---- variables --------------------------------------------------------------------------------------- */

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

static struct fz_node *named(struct generator *g, enum fz_kind kind, uint32_t variable)
{
    struct fz_node *n = fz_node(g->p, kind);
    n->name = variable;
    return n;
}

static struct fz_node *random_field(struct generator *g, uint32_t variable)
{
    struct fz_node *n = named(g, FZ_NODE_FIELD, variable);
    n->value = below(g, FZ_FIELDS);
    return n;
}

static struct fz_node *random_cell(struct generator *g)
{
    struct fz_node *n = fz_node(g->p, FZ_NODE_CELL);
    for (uint32_t wanted = below(g, 4), i = 0;;
         i = (i + 1) % g->p->buffers.count) /* the cells' buffers, some of four */
        if (strncmp(g->p->buffers.at[i].name, "cells_", 6) == 0 && wanted-- == 0) {
            n->type = g->p->buffers.at[i].type;
            return fz_add(n, fz_random_expr(g, 1));
        }
}

/* A variable, an element or a member; NULL: there is none of the kind chosen. */
static struct fz_node *random_stored(struct generator *g, bool assignable)
{
    struct fz_node *target = fz_chance(&g->r, 40) ? fz_random_deref(g) : NULL;
    if (target)
        return target;
    enum fz_shape shape = (enum fz_shape)(fz_chance(&g->r, 65) ? FZ_SCALAR : below(g, 3));
    uint32_t v = fz_pick_variable(g, shape, assignable);
    if (v == UINT32_MAX)
        return NULL;
    if (shape == FZ_SCALAR)
        return named(g, FZ_NODE_VARIABLE, v);
    if (shape == FZ_STRUCT)
        return random_field(g, v);
    return fz_add(named(g, FZ_NODE_ELEMENT, v), fz_random_expr(g, 1));
}

struct fz_node *fz_random_place(struct generator *g, bool integer)
{
    struct fz_node *n = g->is_kernel && fz_chance(&g->r, 15) ? random_cell(g) : random_stored(g, true);
    if (g->is_kernel && is_plain(g) && fz_chance(&g->r, 10))
        n = fz_add(fz_node(g->p, FZ_NODE_OWN), fz_random_expr(g, 1));
    if (!n || !integer)
        return n;
    enum fz_type t = fz_type_of(g->p, g->f, n);
    return t == FZ_BOOL || fz_is_float(t) ? NULL : n;
}

static struct fz_node *random_leaf(struct generator *g)
{
    uint32_t dice = below(g, 100);
    struct fz_node *n = dice < 60 ? random_stored(g, false) : dice < 63 ? fz_random_same(g) : NULL;
    if (n || dice < 72)
        return n ? n : random_constant(g);
    if (dice < 80)
        return fz_add(fz_node(g->p, FZ_NODE_INPUT), random_constant(g));
    if (dice < 85)
        return fz_add(fz_node(g->p, FZ_NODE_TABLE), random_constant(g));
    if (dice < 90 && g->is_kernel)
        return random_cell(g);
    if (dice < 94 && g->is_kernel && is_plain(g))
        return fz_add(fz_node(g->p, FZ_NODE_OWN), random_constant(g));
    n = fz_node(g->p, FZ_NODE_GEOMETRY);
    n->op = (uint8_t)(fz_chance(&g->r, 70) ? below(g, 2) : below(g, FZ_GEOMETRIES));
    return n;
}

/* ---- operators --------------------------------------------------------------------------------------- */

static struct fz_node *random_unary(struct generator *g, uint32_t depth)
{
    struct fz_node *n = fz_node(g->p, FZ_NODE_UNARY);
    n->op = (uint8_t)(FZ_OP_MINUS + below(g, FZ_OPERATORS - FZ_OP_MINUS));
    return fz_add(n, fz_random_expr(g, depth - 1));
}

/* What is multiplied with, or divided by, in cheaper ways: small numbers, powers of two and those beside. */
static struct fz_node *random_factor(struct generator *g)
{
    enum fz_type t = fz_chance(&g->r, 50) ? FZ_INT : FZ_INT + below(g, FZ_FLOAT - FZ_INT);
    uint64_t n = (uint64_t)1 << below(g, fz_chance(&g->r, 60) ? 6 : fz_type_info[t].bits);
    if (fz_chance(&g->r, 35))
        n = fz_chance(&g->r, 70) ? 2 + below(g, 30) : n + 1 - 2 * below(g, 2);
    return fz_constant(g->p, t, fz_chance(&g->r, 20) ? -n : n);
}

static struct fz_node *random_binary(struct generator *g, uint32_t depth)
{
    struct fz_node *n = fz_node(g->p, FZ_NODE_BINARY);
    n->op = (uint8_t)below(g, FZ_OP_MINUS);
    fz_add(n, fz_random_expr(g, depth - 1));
    bool by_constant = n->op >= FZ_OP_MUL && n->op <= FZ_OP_REM && fz_chance(&g->r, 75);
    return fz_add(n, by_constant ? random_factor(g) : fz_random_expr(g, depth - 1));
}

static struct fz_node *random_choice(struct generator *g, uint32_t depth)
{
    struct fz_node *n = fz_node(g->p, FZ_NODE_CHOICE);
    for (int i = 0; i < 3; i++)
        fz_add(n, fz_random_expr(g, depth - 1));
    return n;
}

static struct fz_node *random_cast(struct generator *g, uint32_t depth)
{
    struct fz_node *n = fz_node(g->p, FZ_NODE_CAST);
    n->type = (uint8_t)below(g, fz_types(g->p));
    return fz_add(n, fz_random_expr(g, depth - 1));
}

static struct fz_node *random_increment(struct generator *g)
{
    struct fz_node *target = fz_random_place(g, true);
    if (!target)
        return random_leaf(g);
    struct fz_node *n = fz_node(g->p, FZ_NODE_INCREMENT);
    n->op = (uint8_t)below(g, 4);
    return fz_add(n, target);
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
        return fz_chance(&g->r, 60) || !doubles ? FZ_FLOAT : FZ_DOUBLE;
    for (;;) {
        enum fz_type t = numbers[below(g, strchr(params, 'I') ? 4 : doubles ? 6 : 5)];
        if (fz_type_info[t].family != 'u' || b->op[1] != IR_none)
            return t;
    }
}

/* Whether class f has it, whose reference computes it by itself. */
static bool is_simple(const struct fe_builtin *b)
{
    static const char *const names[] = {"min", "max", "abs", "popcount", "clz"};
    for (size_t i = 0; i < COUNT(names); i++)
        if (strcmp(b->name, names[i]) == 0)
            return true;
    return false;
}

static bool may_use(const struct fz_program *p, const struct fe_builtin *b)
{
    if (p->class == 'f')
        return is_simple(b);
    return fz_is_pure(b) && (fz_types(p) > FZ_DOUBLE || !strchr(b->signature, 'd'));
}

static struct fz_node *random_builtin(struct generator *g, uint32_t depth)
{
    uint32_t row;
    do
        row = below(g, fe_builtin_count);
    while (!may_use(g->p, &fe_builtins[row]));
    struct fz_node *n = fz_node(g->p, FZ_NODE_BUILTIN);
    n->value = row;
    n->type = (uint8_t)generic_type(g, &fe_builtins[row]);
    for (uint32_t i = 0; i < fe_builtin_params(&fe_builtins[row]); i++)
        fz_add(n, fz_random_expr(g, depth - 1));
    return n;
}

/* False: the caller has no array or structure of the kind that a parameter wants. */
static bool add_argument(struct generator *g, struct fz_node *call, const struct fz_variable *param,
                         uint32_t depth)
{
    if (param->shape == FZ_POINTER) {
        struct fz_node *p = fz_random_pointer(g);
        if (p)
            fz_add(call, p);
        return p;
    }
    if (param->shape == FZ_SCALAR) {
        fz_add(call, fz_random_expr(g, depth > 1 ? 2 : 1));
        return true;
    }
    for (uint32_t i = 0; i < g->f->variables.count; i++) {
        const struct fz_variable *v = &g->f->variables.at[i];
        if (v->shape == param->shape && (v->shape == FZ_STRUCT || v->type == param->type)) {
            fz_add(call, named(g, v->shape == FZ_STRUCT ? FZ_NODE_STRUCTURE : FZ_NODE_ADDRESS, i));
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
    bool either = g->is_kernel && fz_chance(&g->r, 50) && same_type(f, &g->p->functions.at[other]) &&
                  may_call(g, &g->p->functions.at[other]);
    struct fz_node *n = named(g, either ? FZ_NODE_CALL_EITHER : FZ_NODE_CALL, callee);
    if (!either)
        return n;
    n->value = other;
    return fz_add(n, fz_random_expr(g, 1));
}

struct fz_node *fz_random_call_of(struct generator *g, uint32_t callee, uint32_t depth)
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

static struct fz_node *random_call(struct generator *g, uint32_t depth)
{
    uint32_t callees = (uint32_t)(g->f - g->p->functions.at);
    struct fz_node *n = callees ? fz_random_call_of(g, below(g, callees), depth) : NULL;
    return n ? n : random_builtin(g, depth);
}

struct fz_node *fz_random_expr(struct generator *g, uint32_t depth)
{
    uint32_t dice = below(g, 100);
    if (depth == 0 || dice < 15)
        return random_leaf(g);
    if (dice < 55)
        return random_binary(g, depth);
    if (dice < 63)
        return random_unary(g, depth);
    if (dice < 70)
        return random_choice(g, depth);
    if (dice < 78)
        return random_cast(g, depth);
    if (dice < 82)
        return is_plain(g) ? random_leaf(g) : random_increment(g);
    return dice < 93 ? random_builtin(g, depth) : random_call(g, depth);
}
