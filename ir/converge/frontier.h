/* frontier.h: thread frontiers ("SIMD Re-Convergence at Thread Frontiers"). A machine runs, of all blocks
 * in which threads of a warp are, the one of highest priority. The priorities are those of the order of
 * blocks (order.h); why they are right: docs/reconvergence.md.
 */
#ifndef KERNC_IR_CONVERGE_FRONTIER_H
#define KERNC_IR_CONVERGE_FRONTIER_H

#include "base/rows.h"
#include "ir/analysis/analysis.h"

/* The reachable blocks, highest priority first (section 4.1); the entry is the first. They stand as in the
 * order, with a block in place of each latch: the header, or, if one block alone leads back to it, and
 * neither to another block of the scope nor is led to from outside, that block. `ties`, `work`, and what
 * is asked of the function: see ir_order_new; empty: that is too little. */
u32_vec ir_priorities(struct arena *a, const struct ir_cfg *c, const struct ir_cycles *f,
                      const struct ir_tokens *t, const uint32_t *ties, uint64_t work);

struct ir_frontier {
    u32_vec order;        /* as above */
    uint32_t *priority;   /* by block: its place in `order`; 0 is the highest */
    struct rows frontier; /* of each block: where disabled threads may wait while it runs, by
                             priority; all of lower priority than the block */
    struct bitset checks; /* blocks that threads may enter while others wait there, or in a
                             block of higher priority: re-convergence checks */
    bool cut;             /* `work` was too little: frontiers are empty, all blocks are
                             checked */
};
/* divergent: blocks at whose branches threads may diverge; others go one way together. order: any that has
 * each reachable block once, the entry first. work: steps, each a block added to a frontier or a look at
 * one. */
struct ir_frontier *ir_frontier_new(struct arena *a, const struct ir_cfg *c, struct bitset divergent,
                                    u32_vec order, uint64_t work);
/* The same, with barriers as the paper has them (section 4.2): if others may wait elsewhere while a block
 * with a barrier runs, all blocks with barriers come last instead, but for the entry. In kernels: the last
 * block of another function is the one where it returns. */
struct ir_frontier *ir_frontier_barriers_last(struct arena *a, const struct ir_cfg *c,
                                              struct bitset divergent, u32_vec order, uint64_t work);
/* Whether others may wait in block w while b runs. O(log of its frontier). */
bool ir_frontier_has(const struct ir_frontier *x, uint32_t b, uint32_t w);

/* The branches at which threads of a converged group may diverge, or threads that a machine runs together:
 * those of two analyses of the function. The second (ignore_tokens) is needed only where the first leaves a
 * branch out. */
struct bitset ir_divergent_branches_new(struct arena *a, const struct ir_cfg *c, const struct ir_cycles *f);
bool ir_has_other_branch(const struct ir_cfg *c, struct bitset divergent);

#endif
