/* barrier_flow.h: the dataflow of convergence barriers ("Speculative Reconvergence", section 4.2.1).
 *
 * Joined (equation 1, forward): on some way from the function's entry a thread has joined (or rejoined) the
 * barrier and neither waited for it nor cancelled it since. Live (equation 2, backward): on some way from here
 * a thread waits for it before it joins anew. Equation 2 ends that at every join; but threads that join a
 * post-dominator's barrier once more stay in it, so that only the joins of predictions do.
 *
 * Registers are numbered from 0, in the order in which they are met; sets have these numbers.
 */
#ifndef KERNC_IR_BARRIER_FLOW_H
#define KERNC_IR_BARRIER_FLOW_H

#include "ir/analysis/analysis.h"

struct ir_barrier_flow;

/* What counts beside the operations that stand in the function. All zero: nothing. */
struct ir_barrier_context {
    /* Who diverges at a branch joins the barrier whose wait the place begins with that the branch names: so
     * it is when all barriers are placed. */
    bool branches_join;
    u32_vec first;           /* registers that get the first numbers */
    struct bitset inherited; /* registers that callers hand on: joined at the entry, live where it returns */
    /* Adds the barriers that a call of the function may wait for; NULL: none. */
    void (*waits_of_call)(const void *data, const struct ir_barrier_flow *w, ir_ref call, struct bitset live);
    const void *data;
};

struct ir_barrier_flow {
    struct arena *arena;
    const struct ir_cfg *g;
    const struct ir_barrier_context *context;
    u32_vec registers; /* by number: the register */
    struct map number;
    struct bitset *joined_in, *joined_out, *live_in,
        *live_out; /* by reachable block: at its start, its end */
};

/* Keeps the graph and the context. Time: see ir_dataflow_solve. */
struct ir_barrier_flow *ir_barrier_flow_new(struct arena *a, const struct ir_cfg *g,
                                            const struct ir_barrier_context *context);
/* MAP_NONE: no operation of the function is on the register. */
static inline uint32_t ir_barrier_number(const struct ir_barrier_flow *w, uint32_t reg)
{
    return map_get(&w->number, reg);
}
/* The number of the barrier that threads join as they diverge at the end of the block; MAP_NONE: none. */
uint32_t ir_barrier_of_branch(const struct ir_barrier_flow *w, uint32_t b);
/* What executing r does to what is joined behind it, or live before it. */
void ir_barrier_step_joined(const struct ir_barrier_flow *w, ir_ref r, struct bitset joined);
void ir_barrier_step_live(const struct ir_barrier_flow *w, ir_ref r, struct bitset live);
/* New sets: what is joined just before r, live just before it, or just behind it. Linear in r's block. */
struct bitset ir_barrier_joined_before(const struct ir_barrier_flow *w, ir_ref r);
struct bitset ir_barrier_live_before(const struct ir_barrier_flow *w, ir_ref r);
struct bitset ir_barrier_live_behind(const struct ir_barrier_flow *w, ir_ref r);

#endif
