/* flow_frontier.h: where lanes may wait while others run, on a machine that always runs those of the lowest
 * word (mode frontier): "SIMD Re-Convergence at Thread Frontiers", section 4.1, on words instead of blocks.
 *
 * Lanes wait at *places*: the two sides of a branch that may diverge, and CONVERGEs (nodes with `check`). The
 * frontier of a node: the places where others may wait when it is run. A branch with frontier F leaves lanes
 * in S = F ∪ its sides, and a node before a CONVERGE in S = F ∪ that, of which any may be the lowest: each
 * place s of S has all places of S above it in its frontier. Other nodes hand theirs on.
 */
#ifndef KERNC_WARPCORE_FLOW_FRONTIER_H
#define KERNC_WARPCORE_FLOW_FRONTIER_H

#include "backend/format/warpcore/flow.h"

struct wc_frontier {
    u32_vec places;    /* nodes, ascending */
    struct bitset *at; /* by node: indices of places */
};
/* NULL: it takes more than `steps` steps, each a node whose frontier is handed on, or a pair of places. */
struct wc_frontier *wc_frontier_new(struct arena *a, const struct wc_flow *g, uint64_t steps);
/* The lowest place of the node's frontier; WC_NO_NODE: nobody waits. */
uint32_t wc_frontier_first(const struct wc_frontier *x, uint32_t node);

#endif
