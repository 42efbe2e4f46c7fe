/* latch.c: one way round loops that threads leave for good alone.
 *
 * A loop whose ways out are all leaving (ir/analysis/leaving.c), or traps, is endless for threads that stay.
 * Post-dominators take some block of it for an end (ir/analysis/post_dominators.c), and branches that could
 * only reconverge behind that block have no reconvergence point. So the loop gets a block that does nothing
 * but jump, which is the one that is taken, and whoever goes round reconverges there at the latest:
 *
 *   - a cycle with barriers that have become one a block before the branch to these;
 *   - another loop with one header a latch, through which all ways round are led.
 */
#include "opt/kit/merge_edges.h"

struct latches {
    struct arena *arena;
    struct ir_function *f;
    const struct ir_cfg *g;
    const struct ir_cycles *cycles;
    const struct ir_leaving *leaving;
    struct bitset joined; /* see ir_joined_barriers_new */
};

/* Whether threads leave the cycle's block otherwise than for good. */
static bool goes_on(const struct latches *x, uint32_t cycle, uint32_t b)
{
    const struct ir_block *block = ir_block_at(x->f, b);
    bool on = false;
    for (uint32_t e = 0; e < block->edges.count; e++) {
        uint32_t s = block->edges.at[e].block;
        on |= !ir_cycle_has(x->cycles, cycle, s) && !ir_is_leaving(x->leaving, b, s);
    }
    return on;
}

static bool is_endless(const struct latches *x, uint32_t cycle)
{
    const struct ir_cycle *k = &x->cycles->at[cycle];
    if (!bitset_has(x->leaving->wait, k->header))
        return false;
    for (uint32_t i = 0; i < k->count; i++)
        if (goes_on(x, cycle, x->cycles->blocks[k->first + i]))
            return false;
    return true;
}

static opt_edges edges_into(const struct latches *x, uint32_t block)
{
    opt_edges in = {0};
    ir_each_pred(p, block, x->g)
        if (bitset_has(x->g->reachable, p))
            vec_push(x->arena, &in, ((struct opt_edge){p, x->g->pred_edges[p_at]}));
    return in;
}

/* The edges that go through the new block; none: the cycle has such a block. */
static opt_edges edges_to_merge(const struct latches *x, uint32_t cycle)
{
    const struct ir_cycle *k = &x->cycles->at[cycle];
    uint32_t joined = ir_joined_first(x->g, x->joined, x->cycles->blocks + k->first, k->count);
    if (joined != IR_NO_BLOCK)
        return ir_jump_before(x->g, joined) != IR_NO_BLOCK ? (opt_edges){0} : edges_into(x, joined);
    opt_edges back = opt_edges_back(x->arena, x->g, x->cycles, cycle);
    bool has_latch = back.count == 1 && ir_block_at(x->f, back.at[0].block)->edges.count == 1;
    return has_latch || k->entries.count > 1 ? (opt_edges){0} : back;
}

bool opt_unify_latches(struct opt_context *c, struct ir_function *f)
{
    struct latches x = {.arena = c->scratch,
                        .f = f,
                        .g = opt_cfg(c, f),
                        .cycles = opt_cycles(c, f),
                        .leaving = opt_leaving(c, f),
                        .joined = *opt_joined_barriers(c, f)};
    u32_vec endless = {0};
    bool changed = false;
    for (uint32_t k = 0; k < x.cycles->count; k++) /* all before there are new blocks */
        if (is_endless(&x, k))
            vec_push(x.arena, &endless, k);
    for (uint32_t i = 0; i < endless.count; i++) { /* no two have an edge in common */
        opt_edges edges = edges_to_merge(&x, endless.at[i]);
        if (edges.count == 0)
            continue;
        opt_merge_edges(x.arena, f, &edges, ir_at(f, ir_terminator(f, edges.at[0].block))->at);
        changed = true;
    }
    opt_count(c, "latches", changed);
    return changed;
}
