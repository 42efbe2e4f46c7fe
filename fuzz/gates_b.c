/* gates_b.c: parts of class b with a gate: threads of both sides of a branch may return and may come to a
 * barrier, and all of one side return. An input says which, so a compiler can't know it. The others pass their
 * barrier when those have returned, and are all that is left of the kernel: so a gate stands where all threads
 * come that have not returned, at the end of the kernel or behind another gate's barrier, and may be passed
 * several times.
 */
#include "fuzz/generate.h"

enum { PERCENT = 30, MOST_DEPTH = 2 };

static struct fz_node *condition(struct generator *g)
{
    return fz_thread_condition(g->p, &g->r, true);
}

/* quiet: nothing convergent. */
static struct fz_node *list(struct generator *g, bool quiet)
{
    struct fz_node *block = node(g, FZ_NODE_BLOCK), *n;
    g->row = quiet ? FZ_ROW_Q : FZ_ROW_B;
    for (uint32_t i = below(g, 3); i > 0; i--)
        fz_add(block, fz_make_simple(g));
    if (chance(g, 30)) { /* some leave for themselves, and nobody waits for them on the way */
        n = fz_some(g, condition(g), fz_leaf(g->p, FZ_NODE_STIR, 1, 0));
        fz_add(fz_child(n, 1), node(g, FZ_NODE_RETURN));
        fz_add(block, n);
    }
    return block;
}

static struct fz_node *gate(struct generator *g);

static struct fz_node *list_behind(struct generator *g)
{
    struct fz_node *block = list(g, false);
    return g->at.depth < MOST_DEPTH && chance(g, 30) ? fz_add(block, gate(g)) : block;
}

/* Threads that have left a gate's loop may run while others are at its barrier, and come to what is behind it
 * with them or not: so nothing convergent is there. */
static struct fz_node *gate(struct generator *g)
{
    struct fz_node *n = fz_leaf(g->p, FZ_NODE_GATE, below(g, FZ_INPUTS), (uint8_t)below(g, FZ_GATE_FORMS));
    g->at.depth++;
    n->flag = chance(g, 25);
    n->name = chance(g, 30) ? 2 + below(g, 2) : 1;
    fz_add(fz_add(n, condition(g)), list(g, false));
    fz_add(n, list(g, n->op == FZ_GATE_LOOP));
    fz_add(fz_add(n, list_behind(g)), list_behind(g));
    g->at.depth--;
    return n;
}

void fz_add_gates(struct fz_program *p)
{
    struct generator g = {.p = p, .r = fz_random(p->seed, 'G'), .f = fz_kernel(p)};
    if (!chance(&g, PERCENT))
        return;
    fz_add(fz_kernel(p)->body, gate(&g));
    fz_add(fz_kernel(p)->body, fz_make_log(&g));
}

static void look(const struct fz_node *n, void *data)
{
    *(bool *)data |= n->kind == FZ_NODE_GATE && n->op == FZ_GATE_LOOP;
}

bool fz_has_gates(const struct fz_program *p)
{
    return fz_has_log(p) && fz_count(p, FZ_NODE_GATE);
}

bool fz_leaves_late(const struct fz_program *p)
{
    bool late = false;
    if (fz_has_log(p))
        fz_walk(fz_kernel(p)->body, look, &late);
    return late;
}
