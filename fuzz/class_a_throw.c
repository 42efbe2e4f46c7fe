/* class_a_throw.c: exceptions of class a that come out of calls: functions that begin with a throw, under a
 * condition, and `try` blocks that begin with a call of such a function.
 */
#include "fuzz/class_a.h"

static void put_first(struct fz_node *block, struct fz_node *n)
{
    n->next = block->first;
    block->first = n;
}

bool fz_any_throws(const struct generator *g)
{
    for (const struct fz_function *f = g->p->functions.at; f < g->f; f++)
        if (f->throws)
            return true;
    return false;
}

void fz_begin_with_throw(struct generator *g, struct fz_node *body)
{
    struct fz_node *n = fz_node(g->p, FZ_NODE_IF);
    fz_add(n, fz_random_expr(g, 2));
    fz_add(n, fz_add(fz_node(g->p, FZ_NODE_BLOCK), fz_node(g->p, FZ_NODE_THROW)));
    put_first(body, fz_add(n, fz_node(g->p, FZ_NODE_BLOCK)));
    g->f->throws = true;
}

void fz_begin_with_call(struct generator *g, struct fz_node *block)
{
    uint32_t callees = (uint32_t)(g->f - g->p->functions.at);
    uint32_t callee = callees ? fz_below(&g->r, callees) : 0;
    for (uint32_t i = 0; i < callees && !g->p->functions.at[callee].throws; i++)
        callee = (callee + 1) % callees;
    struct fz_node *target = callees ? fz_random_place(g, false) : NULL;
    struct fz_node *call = target ? fz_random_call_of(g, callee, 2) : NULL;
    if (!call)
        return;
    struct fz_node *n = fz_node(g->p, FZ_NODE_ASSIGN);
    n->op = FZ_OPERATORS;
    put_first(block, fz_add(fz_add(n, target), call));
}
