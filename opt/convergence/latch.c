/* latch.c: one way round loops that threads leave for good alone.
 *
 * A loop whose ways out are all leaving (ir/analysis/leaving.c), or traps, is endless for threads that stay.
 * Post-dominators take some block of it for an end (ir_reconvergence_new: the last in reverse post-order),
 * and branches that could only reconverge behind that block have no reconvergence point. All ways round the
 * loop are led through one block that does nothing else: that is the block which is taken, and whoever goes
 * round reconverges there at the latest.
 */
#include "opt/kit/merge_edges.h"

struct latches {
    struct arena *arena;
    struct ir_function *f;
    const struct ir_cfg *g;
    const struct ir_cycles *cycles;
    const struct ir_leaving *leaving;
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
    if (!bitset_has(x->leaving->wait, k->header) || k->entries.count > 1)
        return false;
    for (uint32_t i = 0; i < k->count; i++)
        if (goes_on(x, cycle, x->cycles->blocks[k->first + i]))
            return false;
    return true;
}

bool opt_unify_latches(struct opt_context *c, struct ir_function *f)
{
    struct latches x = {c->scratch, f, opt_cfg(c, f), opt_cycles(c, f), opt_leaving(c, f)};
    u32_vec endless = {0};
    bool changed = false;
    for (uint32_t k = 0; k < x.cycles->count; k++) /* all before there are new blocks */
        if (is_endless(&x, k))
            vec_push(x.arena, &endless, k);
    for (uint32_t i = 0; i < endless.count; i++) {
        opt_edges back = opt_edges_back(x.arena, x.g, x.cycles, endless.at[i]);
        if (back.count == 1 && ir_block_at(f, back.at[0].block)->edges.count == 1)
            continue;
        opt_merge_edges(c->scratch, f, &back, ir_at(f, ir_terminator(f, back.at[0].block))->at);
        changed = true;
    }
    opt_count(c, "latches", changed);
    return changed;
}
