/* class_a.c: class a: kernels without races whose threads can't see with whom they run: C's control flow, all
 * types, memory of all spaces, device functions and exceptions.
 *
 * Well defined by construction: indices are masked; every loop has a counter of its own with a bound of at
 * most seven; a thread writes its own cells and slots of global memory and its own slot of shared memory, and
 * reads others' slots only between two barriers that stand in uniform flow; atomics commute and their results
 * are not used; exceptions are thrown where something catches. There is no reference: all setups have to
 * agree. In 10 % of the branches one arm is like the other (vary.c). Class d is the same without double.
 */
#include "fuzz/class_a.h"

enum { MAX_SIZE = 200 }; /* nodes of an arm that another one is like */

static uint32_t below(struct generator *g, uint32_t n)
{
    return fz_below(&g->r, n);
}

static struct fz_node *empty_block(struct generator *g)
{
    return fz_node(g->p, FZ_NODE_BLOCK);
}

/* A block one level further in. */
static struct fz_node *inner_block(struct generator *g, uint32_t most)
{
    g->at.depth++;
    struct fz_node *block = fz_random_block(g, most);
    g->at.depth--;
    return block;
}

/* ---- straight-line statements ------------------------------------------------------------------------ */

static struct fz_node *random_assign(struct generator *g)
{
    struct fz_node *target = fz_random_place(g, false);
    if (!target)
        return NULL;
    struct fz_node *n = fz_node(g->p, FZ_NODE_ASSIGN);
    bool compound = fz_chance(&g->r, 40);
    bool integer = !fz_is_float(fz_type_of(g->p, g->f, target));
    n->op = (uint8_t)(compound ? below(g, integer ? FZ_OP_LT : FZ_OP_REM) : FZ_OPERATORS);
    return fz_add(fz_add(n, target), fz_random_expr(g, 3));
}

struct fz_node *fz_random_copy(struct generator *g)
{
    struct fz_node *n = fz_node(g->p, FZ_NODE_COPY);
    for (int i = 0; i < 2; i++) {
        uint32_t v = fz_pick_variable(g, FZ_STRUCT, true);
        if (v == UINT32_MAX)
            return NULL;
        struct fz_node *s = fz_node(g->p, FZ_NODE_STRUCTURE);
        s->name = v;
        fz_add(n, s);
    }
    return n;
}

struct fz_node *fz_random_output(struct generator *g)
{
    struct fz_node *n = fz_node(g->p, FZ_NODE_OUTPUT);
    n->value = below(g, FZ_SLOTS);
    return fz_add(n, fz_random_expr(g, 2));
}

struct fz_node *fz_random_atomic(struct generator *g)
{
    struct fz_node *n = fz_node(g->p, FZ_NODE_ATOMIC);
    n->value = below(g, FZ_ATOMICS);
    n->flag = g->counts && fz_chance(&g->r, 60);
    fz_add(n, fz_random_expr(g, 1));
    return fz_add(n, fz_random_expr(g, 2));
}

static struct fz_node *random_simple(struct generator *g)
{
    uint32_t dice = below(g, 100);
    struct fz_node *point = below(g, 4) == 0 ? fz_random_point(g) : NULL;
    g->cost += g->at.times;
    if (point)
        return point;
    if (g->is_kernel && dice < 10)
        return fz_random_atomic(g);
    if (g->is_kernel && dice < 22)
        return fz_random_output(g);
    return dice < 26 ? fz_random_copy(g) : random_assign(g);
}

/* ---- jumps ------------------------------------------------------------------------------------------- */

struct fz_node *fz_random_return(struct generator *g)
{
    struct fz_node *n = fz_node(g->p, FZ_NODE_RETURN);
    return g->is_kernel ? n : fz_add(n, fz_random_expr(g, 2));
}

/* NULL: no jump is allowed here. */
static struct fz_node *random_jump(struct generator *g)
{
    switch (below(g, 5)) {
    case 0:
    case 1: return g->at.may_break ? fz_node(g->p, FZ_NODE_BREAK) : NULL;
    case 2: return g->at.may_continue ? fz_node(g->p, FZ_NODE_CONTINUE) : NULL;
    case 3: return g->at.may_return ? fz_random_return(g) : NULL;
    default: break;
    }
    if (!g->at.may_throw)
        return NULL;
    g->f->throws = true; /* or is caught inside: then too much is feared, nothing wrong */
    return fz_node(g->p, FZ_NODE_THROW);
}

/* ---- arms alike -------------------------------------------------------------------------------------- */

static struct fz_node *fresh(void *data)
{
    return random_simple(data);
}

/* In 10 % of the branches one that has much in common with `arm`, which has added `cost`; else NULL. */
static struct fz_node *another_arm(struct generator *g, const struct fz_node *arm, uint32_t cost)
{
    struct fz_variation v = {g->p, g->f, &g->r, fresh, g};
    if (!fz_chance(&g->r, 10) || fz_size(arm) > MAX_SIZE)
        return NULL;
    g->cost += cost;
    return fz_varied(&v, arm);
}

/* ---- branches ---------------------------------------------------------------------------------------- */

static struct fz_node *random_if(struct generator *g)
{
    struct fz_node *n = fz_node(g->p, FZ_NODE_IF), *jump = fz_chance(&g->r, 25) ? random_jump(g) : NULL;
    uint32_t before = g->cost;
    fz_add(n, fz_random_expr(g, 3));
    fz_add(n, inner_block(g, jump ? 1 : 3));
    if (jump)
        fz_add(n->first->next, jump);
    struct fz_node *other = another_arm(g, n->first->next, g->cost - before);
    if (other)
        return fz_add(n, other);
    return fz_add(n, fz_chance(&g->r, 50) ? inner_block(g, 3) : empty_block(g));
}

static struct fz_node *random_switch(struct generator *g)
{
    struct position outer = g->at;
    struct fz_node *n = fz_node(g->p, FZ_NODE_SWITCH), *cases = empty_block(g), *last = NULL, *arm;
    uint32_t cost = 0, count = 1 + below(g, 5), otherwise = below(g, 8), value = below(g, 2);
    n->value = 7;
    g->at.may_break = true;
    for (uint32_t i = 0; i < count; i++, value += 1 + below(g, 2)) {
        struct fz_node *c = fz_node(g->p, FZ_NODE_CASE);
        c->flag = i == otherwise;
        c->value = value;
        uint32_t before = g->cost;
        arm = last ? another_arm(g, last, cost) : NULL;
        last = arm ? arm : inner_block(g, 2);
        cost = g->cost - before;
        fz_add(c, last);
        if (fz_chance(&g->r, 70))
            fz_add(c->first, fz_node(g->p, FZ_NODE_BREAK));
        fz_add(cases, c);
    }
    g->at = outer;
    return fz_add(fz_add(n, fz_random_expr(g, 2)), cases);
}

struct fz_node *fz_random_try(struct generator *g)
{
    struct position outer = g->at;
    bool threw = g->f->throws;
    struct fz_node *n = fz_node(g->p, FZ_NODE_TRY);
    g->at.may_throw = true;
    fz_add(n, inner_block(g, 4));
    if (fz_chance(&g->r, 60))
        fz_begin_with_call(g, n->first);
    g->at = outer;
    g->f->throws = threw;
    return fz_add(n, inner_block(g, 2));
}

static struct fz_node *random_scope(struct generator *g)
{
    struct fz_node *n = fz_node(g->p, FZ_NODE_SCOPE), *value = fz_random_expr(g, 2);
    uint32_t v = fz_variable(g->p, g->f, FZ_SCALAR, fz_random_type(g), 0);
    n->name = v;
    struct fz_node *body = inner_block(g, 3);
    g->f->variables.at[v].scoped = true; /* out of sight for what follows */
    return fz_add(fz_add(n, value), body);
}

/* ---- loops ------------------------------------------------------------------------------------------- */

uint32_t fz_new_counter(struct generator *g)
{
    uint32_t v = fz_variable(g->p, g->f, FZ_SCALAR, FZ_INT, 0);
    g->f->variables.at[v].counter = true;
    return v;
}

struct fz_node *fz_always(struct generator *g)
{
    return fz_constant(g->p, FZ_BOOL, 1);
}

static struct fz_node *random_loop(struct generator *g)
{
    struct position outer = g->at;
    struct fz_node *n = fz_node(g->p, FZ_NODE_LOOP);
    n->op = (uint8_t)below(g, FZ_LOOP_FORMS);
    n->value = g->at.times > 16 ? 1 : g->at.times > 4 ? 3 : 7;
    n->flag = n->op == FZ_FOR && fz_chance(&g->r, 25);
    n->name = fz_new_counter(g);
    fz_add(n, fz_chance(&g->r, 30) ? fz_constant(g->p, FZ_INT, 1 + below(g, 7)) : fz_random_expr(g, 2));
    g->at.times *= (uint32_t)n->value + 1;
    fz_add(n, fz_chance(&g->r, 30) ? fz_random_expr(g, 2) : fz_always(g));
    g->at.loops++;
    g->at.may_break = g->at.may_continue = true;
    fz_add(n, inner_block(g, 4));
    g->at.may_break = g->at.may_continue = false; /* what an endless loop does before its own break */
    fz_add(n, n->op == FZ_ENDLESS && fz_chance(&g->r, 50) ? inner_block(g, 1) : empty_block(g));
    g->at = outer;
    return n;
}

/* ---- any --------------------------------------------------------------------------------------------- */

static struct fz_node *random_construct(struct generator *g)
{
    uint32_t dice = below(g, 100);
    if (dice < 40)
        return random_if(g);
    if (dice < 70)
        return g->at.loops < 3 ? random_loop(g) : random_if(g);
    if (dice < 84)
        return random_switch(g);
    return dice < 92 ? fz_random_try(g) : random_scope(g);
}

struct fz_node *fz_random_statement(struct generator *g)
{
    if (g->budget == 0)
        return NULL;
    g->budget--;
    if (g->at.depth < 5 && g->cost < FZ_MAX_COST && fz_chance(&g->r, 45))
        return random_construct(g);
    return random_simple(g);
}

struct fz_node *fz_random_block(struct generator *g, uint32_t most)
{
    struct fz_node *block = empty_block(g);
    for (uint32_t count = 1 + below(g, most); count > 0; count--) {
        struct fz_node *s = fz_random_statement(g);
        if (s)
            fz_add(block, s);
    }
    return block;
}
