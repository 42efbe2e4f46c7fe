/* control_dependence.c: which branches decide whether a block runs.
 *
 * Ferrante, Ottenstein, Warren, "The program dependence graph and its use in optimization" (TOPLAS 1987),
 * section 3.1: for an edge A -> B where B does not post-dominate A, every block from B up the post-dominator
 * tree to, but without, A's parent there is control dependent on that edge.
 */
#include "ir/analysis/analysis.h"

/* Counts (while d->on is NULL) or places the edge in the row of each block that depends on it. */
static void walk_edge(const struct ir_dominators *post, uint32_t branch, uint32_t to, uint32_t *at,
                      struct ir_control_dependence *d, uint32_t edge)
{
    uint32_t stop = post->idom[branch];
    for (uint32_t b = to; b != stop && b != IR_NO_BLOCK; b = post->idom[b]) {
        if (d->on != NULL)
            d->on[at[b]++] = (struct ir_control){branch, edge};
        else
            at[b + 1]++;
    }
}

static void walk(const struct ir_cfg *c, const struct ir_dominators *post, uint32_t *at,
                 struct ir_control_dependence *d)
{
    for (uint32_t i = 0; i < c->rpo_count; i++) {
        const struct ir_block *b = ir_block_at(c->fn, c->rpo[i]);
        for (uint32_t e = 0; b->edges.count > 1 && e < b->edges.count; e++)
            walk_edge(post, c->rpo[i], b->edges.at[e].block, at, d, e);
    }
}

struct ir_control_dependence *ir_control_dependence_new(struct arena *a, const struct ir_cfg *c,
                                                        const struct ir_dominators *post)
{
    struct ir_control_dependence *d = arena_new(a, struct ir_control_dependence);
    d->start = arena_array(a, uint32_t, c->blocks + 1);
    walk(c, post, d->start, d);
    for (uint32_t b = 0; b < c->blocks; b++)
        d->start[b + 1] += d->start[b];
    uint32_t *at = arena_array(a, uint32_t, c->blocks + 1);
    memcpy(at, d->start, (c->blocks + 1) * sizeof *at);
    d->on = arena_array(a, struct ir_control, d->start[c->blocks] + 1);
    walk(c, post, at, d);
    return d;
}
