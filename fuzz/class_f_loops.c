/* class_f_loops.c: loops of class f, and branches of two arms with a loop each that counts to a bound of the
 * launch or of the thread: to n in the one, and to n, n + 1 or 2 n in the other; here and there with a break in
 * the midst of the body.
 */
#include "fuzz/class_f.h"

/* ---- loops ------------------------------------------------------------------------------------------ */

struct fz_node *fz_f_loop(struct generator *g)
{
    struct position outer = g->at;
    struct fz_node *n = fz_node(g->p, FZ_NODE_LOOP), *always = fz_constant(g->p, FZ_BOOL, 1);
    n->op = (uint8_t)fz_below(&g->r, FZ_LOOP_FORMS);
    n->value = g->at.times > 4 ? 1 : 3;
    n->flag = n->op == FZ_FOR && fz_chance(&g->r, 25);
    n->name = fz_variable(g->p, g->f, FZ_SCALAR, FZ_INT, 0);
    g->f->variables.at[n->name].counter = true;
    switch (fz_below(&g->r, 3)) {
    case 0: fz_add(n, fz_constant(g->p, FZ_INT, 1 + fz_below(&g->r, 3))); break;
    case 1: fz_add(n, fz_f_own_input(g)); break;
    default: fz_add(n, fz_random_expr(g, 2));
    }
    g->at.times *= (uint32_t)n->value + 1;
    fz_add(n, fz_chance(&g->r, 25) ? fz_f_condition(g) : always);
    g->at.loops++;
    g->at.may_break = g->at.may_continue = true;
    fz_add(n, fz_f_inner(g, 1, 4));
    g->at.may_break = g->at.may_continue = false; /* what an endless loop does before its own break */
    fz_add(n, n->op == FZ_ENDLESS && fz_chance(&g->r, 50) ? fz_f_inner(g, 1, 1) : fz_f_empty(g));
    g->at = outer;
    return n;
}

/* ---- loops in both arms ------------------------------------------------------------------------------ */

/* The bound of both is one number of the launch, or of the thread. */
static struct fz_node *counted_loop(struct generator *g)
{
    struct position outer = g->at;
    struct fz_node *n = fz_node(g->p, FZ_NODE_LOOP), *body;
    n->op = fz_chance(&g->r, 75) ? FZ_FOR : (uint8_t)fz_below(&g->r, FZ_ENDLESS);
    n->value = g->at.times > 4 ? 3 : 7;
    n->name = fz_variable(g->p, g->f, FZ_SCALAR, FZ_INT, 0);
    g->f->variables.at[n->name].counter = true;
    fz_add(n, fz_chance(&g->r, 70)
                  ? fz_add(fz_node(g->p, FZ_NODE_INPUT), fz_f_constant(g, fz_below(&g->r, FZ_INPUTS)))
                  : fz_f_own_input(g));
    fz_add(n, fz_constant(g->p, FZ_BOOL, 1));
    g->at.times *= (uint32_t)n->value + 1;
    g->at.loops++;
    g->at.may_break = g->at.may_continue = true;
    body = fz_f_inner(g, 1, 4);
    if (fz_chance(&g->r, 40)) {
        struct fz_node *stop = fz_add(fz_node(g->p, FZ_NODE_IF), fz_f_condition(g));
        fz_add(stop, fz_add(fz_chance(&g->r, 30) ? fz_f_inner(g, 1, 2) : fz_f_empty(g),
                            fz_node(g->p, FZ_NODE_BREAK)));
        fz_add(fz_add(body, fz_add(stop, fz_f_empty(g))), fz_f_simple(g));
    }
    g->at = outer;
    return fz_add(fz_add(n, body), fz_f_empty(g));
}

/* The loop's bound n becomes n + 1 or 2 n, or stays. */
static void change_bound(struct generator *g, struct fz_node *loop)
{
    struct fz_node *bound = loop->first, *rest = bound->next;
    bound->next = NULL;
    switch (fz_below(&g->r, 3)) {
    case 0: bound = fz_f_operation(g, FZ_OP_ADD, bound, fz_f_constant(g, 1)); break;
    case 1: bound = fz_f_operation(g, FZ_OP_MUL, bound, fz_f_constant(g, 2)); break;
    default: break;
    }
    bound->next = rest;
    loop->first = bound;
}

struct fz_node *fz_f_loops(struct generator *g)
{
    struct fz_node *n = fz_add(fz_node(g->p, FZ_NODE_IF), fz_f_condition(g)), *loop;
    uint32_t before = g->cost;
    g->at.depth++;
    struct fz_node *arm = fz_add(fz_f_block(g, 0, 1), counted_loop(g));
    g->at.depth--;
    struct fz_node *other = fz_f_another_arm(g, arm, g->cost - before);
    for (loop = other->first; loop && loop->kind != FZ_NODE_LOOP; loop = loop->next)
        continue;
    if (loop)
        change_bound(g, loop);
    return fz_add(fz_add(n, arm), other);
}
