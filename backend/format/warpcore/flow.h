/* flow.h: control flow as the divergence unit sees it: a plain graph, of words or of blocks, whose branches
 * have two sides. What the verifier of emitted code, the stack bound and tests share; it knows neither IR nor
 * words.
 *
 * An *end* is a node without successors that does not stop: EXIT, RET. A node that stops is a trap: no lane
 * comes out of it, so it does not count for where lanes reconverge. All is worked out on the graph
 * restricted to nodes that reach an end: lanes reconverge at the immediate post-dominator there.
 *
 * The *influence* of branch b: the nodes that can be reached from its sides without passing the place where
 * its lanes reconverge. While its entry is on the stack, lanes run nowhere else. It is transitive: for a
 * branch d in b's influence, d's lies within b's.
 */
#ifndef KERNC_WARPCORE_FLOW_H
#define KERNC_WARPCORE_FLOW_H

#include "base/base.h"

#define WC_NO_NODE UINT32_MAX
struct wc_node {
    uint32_t count;      /* successors: 0 to 2 */
    uint32_t next[2];    /* of a branch: next[0] the next word, or where the branch sends
                            those that do not take it, next[1] the target; a target that is the
                            next word is an edge like another */
    uint32_t reconverge; /* of a branch that diverges: where they reconverge, as claimed; else WC_NO_NODE */
    bool diverges;       /* a branch that may diverge: not proven uniform */
    bool stops;          /* without successors, and no end */
    bool check;          /* mode frontier: a CONVERGE, where lanes look for those that wait */
};
struct wc_flow {
    uint32_t count;
    struct wc_node *at;
};

/* Influences of branches, one after the other, in time proportional to their size. */
struct wc_influence {
    uint32_t *seen, mark;
    u32_vec nodes;
};
/* None computed yet. Linear. */
struct wc_influence *wc_influence_new(struct arena *a, const struct wc_flow *g);
/* The influence of `branch`, whose lanes reconverge at `reconverge`, is then in `nodes`. */
void wc_influence_of(struct arena *a, struct wc_influence *i, const struct wc_flow *g, uint32_t branch,
                     uint32_t reconverge);
/* Whether the node is in the latest influence. */
static inline bool wc_influenced(const struct wc_influence *i, uint32_t node)
{
    return i->seen[node] == i->mark;
}

#endif
