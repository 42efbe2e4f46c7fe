/* class_b_conditions.c: the conditions of class b, and the statements that show who runs together. */
#include "fuzz/class_b.h"

static uint32_t below(struct generator *g, uint32_t n)
{
    return fz_below(&g->r, n);
}

struct fz_node *fz_b_leaf(struct generator *g, enum fz_kind kind, uint64_t value, uint8_t op)
{
    return fz_leaf(g->p, kind, value, op);
}

/* ---- conditions -------------------------------------------------------------------------------------- */

static uint64_t random_lanes(struct generator *g)
{
    uint64_t m = fz_next(&g->r);
    switch (below(g, 5)) {
    case 0: return (uint64_t)1 << below(g, 64);
    case 1: return m & fz_next(&g->r);
    case 2: return m | fz_next(&g->r);
    case 3: return 0x0101010101010101u * (m & 0xff);
    default: return m;
    }
}

static struct fz_node *index_condition(struct generator *g)
{
    uint8_t modulus = (uint8_t)(1 + below(g, 4));
    struct fz_node *n = fz_b_leaf(g, FZ_NODE_INDEX_IS, below(g, modulus), modulus);
    n->name = g->counters[below(g, g->loops)];
    return n;
}

static struct fz_node *hash_condition(struct generator *g)
{
    static const uint8_t masks[] = {1, 1, 3, 7};
    struct fz_node *n = fz_b_leaf(g, FZ_NODE_HASH_IS, below(g, 28), masks[below(g, COUNT(masks))]);
    n->name = below(g, n->op + 1u);
    return n;
}

/* A result decides later, wherever the thread has got to meanwhile: behind its loop, too. */
static struct fz_node *seen_condition(struct generator *g)
{
    static const uint8_t masks[] = {1, 3, 7};
    struct fz_node *n = fz_b_leaf(g, FZ_NODE_SEEN_IS, below(g, 9), masks[below(g, COUNT(masks))]);
    n->name = below(g, n->op + 1u);
    return n;
}

struct fz_node *fz_b_simple_condition(struct generator *g)
{
    uint32_t dice = below(g, 100);
    if (dice < 35)
        return fz_b_leaf(g, FZ_NODE_LANES, random_lanes(g), 0);
    if (dice < 55 && g->loops)
        return index_condition(g);
    if (dice < 67)
        return hash_condition(g);
    if (dice < 80)
        return seen_condition(g);
    if (dice < 88)
        return fz_b_leaf(g, FZ_NODE_UNIFORM, below(g, FZ_INPUTS), 0);
    uint8_t modulus = (uint8_t)(2 + below(g, 5));
    return fz_b_leaf(g, FZ_NODE_THREAD_IS, below(g, modulus), modulus);
}

struct fz_node *fz_b_condition(struct generator *g, uint32_t depth)
{
    uint32_t dice = below(g, 100);
    struct fz_node *n;
    if (depth == 0 || dice < 60 || (g->quiet && dice < 80))
        return fz_b_simple_condition(g);
    if (dice < 68)
        return fz_node(g->p, FZ_NODE_ELECT);
    if (dice < 80)
        return fz_add(fz_b_leaf(g, FZ_NODE_VOTE, 0, (uint8_t)below(g, 2)), fz_b_condition(g, depth - 1));
    n = fz_b_leaf(g, dice < 87 ? FZ_NODE_UNARY : FZ_NODE_BINARY, 0,
                  dice < 87   ? FZ_OP_NOT
                  : dice < 94 ? FZ_OP_BOTH
                              : FZ_OP_EITHER);
    fz_add(n, fz_b_condition(g, depth - 1));
    return n->kind == FZ_NODE_UNARY ? n : fz_add(n, fz_b_condition(g, depth - 1));
}

/* ---- what is seen ------------------------------------------------------------------------------------ */

struct fz_node *fz_b_log(struct generator *g)
{
    struct fz_node *n = fz_node(g->p, FZ_NODE_LOG);
    n->op = (uint8_t)(fz_chance(&g->r, 60) ? FZ_BALLOT_ALL : below(g, FZ_OBSERVATIONS));
    n->flag = fz_chance(&g->r, 40);
    n->name = fz_chance(&g->r, 40);
    n->value = below(g, 33);
    return fz_add(n, fz_b_simple_condition(g));
}

struct fz_node *fz_b_noise(struct generator *g)
{
    bool stirs = fz_chance(&g->r, 60);
    struct fz_node *n = fz_b_leaf(g, stirs ? FZ_NODE_STIR : FZ_NODE_NOISE, below(g, 1u << 20), 0);
    n->flag = fz_chance(&g->r, stirs ? 40 : 60);
    return n;
}

struct fz_node *fz_b_observation(struct generator *g)
{
    return g->quiet ? fz_b_noise(g) : fz_b_log(g);
}
