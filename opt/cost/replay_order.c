/* replay_order.c: a warp goes through what its lanes were sampled to do, as thread frontiers have it: of all
 * places where lanes are, that of highest priority is run, by all that are there.
 */
#include "opt/cost/cost.h"

/* A block's instructions; of a call the callee's cycles too, of the analysis costs. */
static uint32_t size_of(const struct ir_function *f, uint32_t b, const uint64_t *functions)
{
    uint32_t size = 0;
    ir_each_ins(r, f, b) {
        size++;
        if (ir_at(f, r)->op == IR_call && functions)
            size += (uint32_t)functions[ir_at(f, r)->imm];
    }
    return size;
}

uint32_t *cost_sizes_of_blocks(struct arena *a, const struct ir_function *f, const uint64_t *functions)
{
    uint32_t *size = arena_array(a, uint32_t, f->blocks.count);
    ir_each_block(i, b, f)
        size[b] = size_of(f, b, functions);
    return size;
}

/* The block of highest priority among those that lanes are to visit next; IR_NO_BLOCK: all are done. */
static uint32_t highest(const struct cost_sample *s, const uint32_t *at, uint32_t lanes,
                        const uint32_t *priority)
{
    uint32_t best = IR_NO_BLOCK;
    for (uint32_t n = 0; n < lanes; n++) {
        if (at[n] == s->lane[n].count)
            continue;
        uint32_t b = s->lane[n].at[at[n]].block;
        best = best == IR_NO_BLOCK || priority[b] < priority[best] ? b : best;
    }
    return best;
}

uint64_t cost_replay_order(const struct cost_sample *s, uint32_t lanes, const uint32_t *priority,
                           const uint32_t *size)
{
    uint32_t at[COST_MAX_LANES] = {0};
    uint64_t sum = 0;
    for (uint32_t b; (b = highest(s, at, lanes, priority)) != IR_NO_BLOCK;) {
        sum += size[b];
        for (uint32_t n = 0; n < lanes; n++)
            at[n] += at[n] < s->lane[n].count && s->lane[n].at[at[n]].block == b;
    }
    return sum;
}
