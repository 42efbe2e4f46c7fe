/* joined_barriers.c: branches by which threads go on to one of several barriers that have become one.
 *
 * opt/convergence/join_barriers.c leads the ways to several barriers through one block, gives each an anchor
 * and goes on from there to the barrier that a thread came for. All threads that stay come through, and all
 * of them go to the same one, or the program is wrong. So such a branch parts no threads, and those who wait
 * for each other in front of it do so no longer than at the barrier.
 *
 * It is a branch from all of whose sides threads come to a barrier by an anchor in the same block before any
 * other convergent operation, and it is the nearest dominator of these barriers.
 */
#include "ir/analysis/analysis.h"

enum reach { NO_BARRIER, BARRIER, NO_OPERATION };

/* What threads come to in the block itself. A heart counts as an operation. */
static enum reach reach_in(const struct ir_function *f, uint32_t b)
{
    ir_each_ins(r, f, b) {
        const struct ir_ins *ins = ir_at(f, r);
        ir_ref token = ins->op == IR_barrier ? ins->token : 0;
        if (token && ir_at(f, token)->op == IR_anchor && ir_at(f, token)->block == b)
            return BARRIER;
        if (ins->op != IR_anchor && ir_is_convergent(f, r))
            return NO_BARRIER;
    }
    return NO_OPERATION;
}

/* The nearest common dominator of the barriers that all ways on lead to; `nearest` has the same of the blocks
 * behind. IR_NO_BLOCK: not all do. */
static uint32_t nearest_of(const struct ir_block *block, const struct ir_dominators *d,
                           const uint32_t *nearest)
{
    uint32_t of_all = IR_NO_BLOCK;
    for (uint32_t e = 0; e < block->edges.count; e++) {
        uint32_t behind = nearest[block->edges.at[e].block];
        if (behind == IR_NO_BLOCK)
            return IR_NO_BLOCK;
        of_all = e ? ir_dominators_common(d, of_all, behind) : behind;
    }
    return of_all;
}

struct bitset ir_joined_barriers_new(struct arena *a, const struct ir_cfg *c, const struct ir_dominators *d)
{
    struct bitset joined = bitset_new(a, c->blocks);
    uint32_t *nearest = arena_array(a, uint32_t, c->blocks);
    for (uint32_t b = 0; b < c->blocks; b++)
        nearest[b] = IR_NO_BLOCK; /* it stays so of blocks that an edge leads back to */
    for (uint32_t i = c->rpo_count; i-- > 0;) {
        uint32_t b = c->rpo[i];
        enum reach reach = reach_in(c->fn, b);
        if (reach == BARRIER)
            nearest[b] = b;
        else if (reach == NO_OPERATION)
            nearest[b] = nearest_of(ir_block_at(c->fn, b), d, nearest);
        if (reach == NO_OPERATION && nearest[b] == b)
            bitset_add(joined, b);
    }
    return joined;
}

uint32_t ir_joined_first(const struct ir_cfg *c, struct bitset joined, const uint32_t *blocks, uint32_t count)
{
    uint32_t first = IR_NO_BLOCK;
    for (uint32_t i = 0; i < count; i++)
        if (bitset_has(joined, blocks[i]) &&
            (first == IR_NO_BLOCK || c->rpo_index[blocks[i]] < c->rpo_index[first]))
            first = blocks[i];
    return first;
}

uint32_t ir_jump_before(const struct ir_cfg *c, uint32_t b)
{
    uint32_t before = IR_NO_BLOCK, ways = 0;
    ir_each_pred(p, b, c)
        if (bitset_has(c->reachable, p)) {
            before = p;
            ways++;
        }
    return ways == 1 && ir_block_at(c->fn, before)->edges.count == 1 ? before : IR_NO_BLOCK;
}
