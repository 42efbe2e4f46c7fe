/* stack_bound.h: how many entries the divergence stack can hold, from control flow alone.
 *
 * Two bounds, of which the smaller holds. Each entry's saved mask is a proper subset of that of the entry
 * below it, so there are at most WC_LANES - 1. And the branches that have entries on the stack form a path of
 * the *stacking graph*: branches that diverge, with an edge from b to d if d is in b's influence (flow.h).
 * An edge weighs 1, or 0 where d shares b's entry:
 *
 *   rpc        they reconverge at the same place, and either one side of d is that place itself, or nothing
 *              waits in the entry yet, or what waits there waits for d's target
 *   source-pc  d is b (a loop's exit branch)
 *   article    no bound but the machine's
 *
 * In mode frontier an entry is a place where lanes wait, and the second bound is the size of the largest
 * frontier (flow_frontier.h).
 *
 * Since what an entry waits for depends on who shared it before, the nodes of the graph are pairs (branch,
 * target that its entry holds). Depths beyond WC_LANES - 1 are of no interest, so that relaxation ends after
 * that many rounds, cycles or not. Where there are over WC_MAX_STACK_STEPS steps to be taken the first bound
 * is given.
 */
#ifndef KERNC_WARPCORE_STACK_BOUND_H
#define KERNC_WARPCORE_STACK_BOUND_H

#include "backend/format/warpcore/flow.h"
#include "backend/format/warpcore/isa.h"

/* The bound for one function; calls are nodes like others. Branches are those with `diverges`, their
 * `reconverge` is given (none: their lanes never reconverge). depth, if not NULL, has a place for each node
 * and gets the most entries of this function while the node runs, with those that it pushes. */
uint32_t wc_stack_bound(struct arena *scratch, const struct wc_flow *g, enum wc_mode mode, uint8_t *depth);

#endif
