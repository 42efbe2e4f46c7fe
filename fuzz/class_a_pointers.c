/* class_a_pointers.c: few ints with many pointers to them: variables, tables, structures, pointers to
 * pointers, pointers chosen by conditions and passed to functions. All lead to one of FZ_TARGET_COUNT ints of
 * a function's own or, in shared memory, of the thread's own; there is no arithmetic on them.
 */
#include "fuzz/class_a.h"

static uint32_t below(struct generator *g, uint32_t n)
{
    return fz_below(&g->r, n);
}

void fz_add_pointers(struct generator *g)
{
    if (!g->p->pointers || (g->p->shared_targets && !g->is_kernel))
        return;
    fz_variable(g->p, g->f, FZ_TARGETS, FZ_INT, fz_next(&g->r));
    for (uint32_t i = 1 + below(g, 3); i > 0; i--)
        fz_variable(g->p, g->f, FZ_POINTER, FZ_INT, fz_next(&g->r));
    for (uint32_t i = below(g, 3); i > 0; i--)
        fz_variable(g->p, g->f, FZ_POINTERS, FZ_INT, fz_next(&g->r));
    for (uint32_t i = below(g, 3); i > 0; i--)
        fz_variable(g->p, g->f, FZ_LINK, FZ_INT, fz_next(&g->r));
    for (uint32_t i = below(g, 3); i > 0; i--)
        fz_variable(g->p, g->f, FZ_LEADER, FZ_INT, fz_next(&g->r));
}

static struct fz_node *with_index(struct generator *g, struct fz_node *n)
{
    bool constant = fz_chance(&g->r, 60);
    return fz_add(n, constant ? fz_constant(g->p, FZ_INT, below(g, FZ_TARGET_COUNT)) : fz_random_expr(g, 1));
}

/* A variable of the shape as the node's kind has it; NULL: there is none. */
static struct fz_node *variable(struct generator *g, enum fz_kind kind, enum fz_shape shape)
{
    uint32_t v = fz_pick_variable(g, shape, false);
    if (v == UINT32_MAX)
        return NULL;
    struct fz_node *n = fz_node(g->p, kind);
    n->name = v;
    return kind == FZ_NODE_AT || kind == FZ_NODE_ENTRY ? with_index(g, n) : n;
}

/* What a pointer can be put in; NULL: there is nothing. */
static struct fz_node *random_pointer_place(struct generator *g)
{
    struct fz_node *n = NULL;
    switch (below(g, 5)) {
    case 0: n = variable(g, FZ_NODE_BEHIND, FZ_LEADER); break;
    case 1: n = variable(g, FZ_NODE_MEMBER, FZ_LINK); break;
    case 2: n = variable(g, FZ_NODE_ENTRY, FZ_POINTERS); break;
    default: break;
    }
    return n ? n : variable(g, FZ_NODE_POINTER, FZ_POINTER);
}

static struct fz_node *random_chosen(struct generator *g)
{
    struct fz_node *n = fz_add(fz_node(g->p, FZ_NODE_CHOSEN), fz_random_expr(g, 1));
    for (int i = 0; i < 2; i++) {
        struct fz_node *p = below(g, 3) ? random_pointer_place(g) : variable(g, FZ_NODE_AT, FZ_TARGETS);
        if (!p)
            p = random_pointer_place(g);
        if (!p)
            return NULL;
        fz_add(n, p);
    }
    return n;
}

struct fz_node *fz_random_pointer(struct generator *g)
{
    uint32_t dice = below(g, 100);
    struct fz_node *n = NULL;
    if (!g->p->pointers)
        return NULL;
    if (dice < 25)
        n = variable(g, FZ_NODE_AT, FZ_TARGETS);
    else if (dice < 45)
        n = random_chosen(g);
    return n ? n : random_pointer_place(g);
}

struct fz_node *fz_random_deref(struct generator *g)
{
    struct fz_node *p = fz_random_pointer(g);
    return p ? fz_add(fz_node(g->p, FZ_NODE_DEREF), p) : NULL;
}

struct fz_node *fz_random_same(struct generator *g)
{
    struct fz_node *a = fz_random_pointer(g), *b = fz_random_pointer(g);
    return a && b ? fz_add(fz_add(fz_node(g->p, FZ_NODE_SAME), a), b) : NULL;
}

struct fz_node *fz_random_point(struct generator *g)
{
    struct fz_node *n = NULL, *target = g->p->pointers ? random_pointer_place(g) : NULL;
    if (!target)
        return NULL;
    if (target->kind != FZ_NODE_BEHIND && fz_chance(&g->r, 25))
        n = variable(g, FZ_NODE_LEAD, FZ_LEADER);
    if (n)
        return fz_add(n, target);
    n = fz_add(fz_node(g->p, FZ_NODE_POINT), target);
    return fz_add(n, fz_random_pointer(g));
}

/* The ints as one number; NULL: there are none. */
struct fz_node *fz_all_targets(struct generator *g)
{
    struct fz_node *sum = fz_constant(g->p, FZ_INT, 1);
    uint32_t targets = fz_find_shape(g->f, FZ_TARGETS);
    for (uint32_t i = 0; i < FZ_TARGET_COUNT && targets != UINT32_MAX; i++) {
        struct fz_node *at = fz_node(g->p, FZ_NODE_AT), *product = fz_node(g->p, FZ_NODE_BINARY);
        struct fz_node *next = fz_node(g->p, FZ_NODE_BINARY);
        at->name = targets;
        fz_add(at, fz_constant(g->p, FZ_INT, i));
        product->op = FZ_OP_MUL;
        fz_add(fz_add(product, sum), fz_constant(g->p, FZ_INT, 31));
        next->op = FZ_OP_ADD;
        sum = fz_add(fz_add(next, product), fz_add(fz_node(g->p, FZ_NODE_DEREF), at));
    }
    return targets == UINT32_MAX ? NULL : sum;
}
