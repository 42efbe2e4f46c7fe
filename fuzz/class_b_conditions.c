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

static struct fz_node *remainder_is(struct generator *g, struct fz_node *x, uint32_t modulus)
{
    return fz_by(g->p, FZ_OP_EQ, fz_by(g->p, FZ_OP_REM, x, modulus), below(g, modulus));
}

/* Of the hash, or of a result: that decides later, wherever the thread has got to, behind its loop, too. */
static struct fz_node *bits_are(struct generator *g, enum fz_kind x, uint32_t shifts)
{
    static const uint8_t masks[] = {1, 1, 3, 7};
    uint32_t mask = masks[below(g, COUNT(masks))], shift = below(g, shifts);
    return fz_bits_are(g->p, x, shift, mask, below(g, mask + 1));
}

struct fz_node *fz_b_simple_condition(struct generator *g)
{
    uint32_t dice = below(g, 100);
    struct fz_node *n;
    if (dice < 35)
        return fz_in_lanes(g->p, random_lanes(g));
    if (dice < 55 && g->loops) {
        n = fz_node(g->p, FZ_NODE_VARIABLE);
        n->name = g->counters[below(g, g->loops)];
        return remainder_is(g, n, 1 + below(g, 4));
    }
    if (dice < 67)
        return bits_are(g, FZ_NODE_HASH, 28);
    if (dice < 80)
        return bits_are(g, FZ_NODE_SEEN, 9);
    if (dice < 88) {
        n = fz_add(fz_node(g->p, FZ_NODE_INPUT), fz_constant(g->p, FZ_UINT, below(g, FZ_INPUTS)));
        return fz_by(g->p, FZ_OP_NE, fz_by(g->p, FZ_OP_AND, n, 1), 0);
    }
    return remainder_is(g, fz_leaf(g->p, FZ_NODE_GEOMETRY, 0, FZ_THREAD), 2 + below(g, 5));
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

struct fz_node *fz_b_number(struct generator *g, uint32_t constant)
{
    uint32_t which = below(g, 5), shift = below(g, which == 1 ? 28 : 9), modulus = 2 + below(g, 3);
    if (which == 0)
        return fz_constant(g->p, FZ_INT, constant);
    if (which > 2)
        return fz_lane_number(g->p, 1 + shift % 6, modulus);
    struct fz_node *n = fz_leaf(g->p, FZ_NODE_CAST, 0, 0);
    n->type = FZ_UINT;
    return fz_add(n, fz_by(g->p, FZ_OP_SHR, fz_node(g->p, which == 1 ? FZ_NODE_HASH : FZ_NODE_SEEN), shift));
}

/* ---- what is seen ------------------------------------------------------------------------------------ */

struct fz_node *fz_b_log(struct generator *g)
{
    struct fz_node *n = fz_node(g->p, FZ_NODE_LOG);
    n->op = (uint8_t)(fz_chance(&g->r, 60) ? FZ_BALLOT_ALL : below(g, FZ_OBSERVATIONS));
    n->flag = fz_chance(&g->r, 40);
    n->name = fz_chance(&g->r, 40);
    n->value = below(g, 33);
    if (n->op == FZ_BALLOT || n->op == FZ_ANY || n->op == FZ_ALL)
        return fz_add(n, fz_b_simple_condition(g));
    if (n->op == FZ_REDUCE_ADD || n->op == FZ_SCAN_ADD)
        return fz_add(n, fz_by(g->p, FZ_OP_ADD, fz_leaf(g->p, FZ_NODE_GEOMETRY, 0, FZ_LANE), below(g, 33)));
    return fz_add(n, fz_node(g->p, FZ_NODE_HASH));
}

struct fz_node *fz_b_noise(struct generator *g)
{
    uint32_t dice = below(g, 100), constant = below(g, 1u << 20);
    if (dice < 15)
        return fz_assign(g->p, fz_node(g->p, FZ_NODE_NOISE), fz_node(g->p, FZ_NODE_HASH));
    if (dice < 40)
        return fz_noise(g->p, constant);
    struct fz_node *n = fz_leaf(g->p, FZ_NODE_STIR, constant, 0);
    n->flag = fz_chance(&g->r, 40);
    return n;
}

struct fz_node *fz_b_observation(struct generator *g)
{
    return g->quiet ? fz_b_noise(g) : fz_b_log(g);
}
