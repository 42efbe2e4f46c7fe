/* order.h: the order of a function's blocks that says who waits for whom, and what follows from it: where the
 * threads that a branch separates wait for each other (docs/reconvergence.md).
 *
 * Nodes are the latches of cycles, by the number of the cycle, and behind them the blocks. A latch stands for
 * the end of an iteration: all edges from a cycle to its header lead there.
 */
#ifndef KERNC_IR_CONVERGE_ORDER_H
#define KERNC_IR_CONVERGE_ORDER_H

#include "ir/analysis/analysis.h"

/* A scope is a run of nodes in the order: an extended cycle ("Convergent Operation Semantics", Extended
 * Cycles), by the number of the cycle; or the blocks of an anchor's regions; or the function, which is the
 * last. */
struct ir_order {
    const struct ir_cycles *cycles;
    struct arena *arena;
    uint32_t scopes;          /* the function's number */
    uint32_t *around;         /* by scope: the one that it is in; the function: itself */
    uint32_t *depth;          /* by scope: how many it is in */
    u32_vec first;            /* by scope: the block that stands first in it: a header, an anchor's block */
    u32_vec scope;            /* by block: the innermost one */
    u32_vec at;               /* the nodes in order */
    u32_vec position;         /* by node: its place in `at` */
    struct bitset convergent; /* by block: has an operation that threads with one instance of a token execute
                                together, or a heart that controls such */
    struct bitset demanded;   /* by cycle: its scope has such a block, so that iterations do not mix */
    struct bitset barriers;   /* by block that was there first: has a barrier */
};

static inline uint32_t ir_order_block(const struct ir_order *o, uint32_t node)
{
    return node < o->cycles->count ? IR_NO_BLOCK : node - o->cycles->count;
}
static inline uint32_t ir_order_node(const struct ir_order *o, uint32_t block)
{
    return o->cycles->count + block;
}

/* Each scope is one run of nodes: topologically sorted without the edges to its header, which is first;
 * blocks with barriers as late as that allows; the latch last. Ties: as in `ties`, by
 * block, or, NULL, in reverse post-order. `work`: blocks of
 * regions that reach beyond a cycle looked at, at most; NULL: that is too little. The function's blocks are
 * cut between operations of different scopes (opt_split_scopes). O((blocks + edges) * (depth of scopes + log
 * blocks)) and the work. */
struct ir_order *ir_order_new(struct arena *a, const struct ir_cfg *c, const struct ir_cycles *f,
                              const struct ir_tokens *t, const uint32_t *ties, uint64_t work);
/* Such ties: by block its place in a reverse post-order, in which what the second of two edges leads to stands
 * behind the first's, or, of blocks in `turned`, before it. */
uint32_t *ir_ties_by_edges(struct arena *a, const struct ir_cfg *c, struct bitset turned);
/* A new block, which stands before the node. O(nodes). */
void ir_order_insert(struct ir_order *o, uint32_t block, uint32_t before);
/* Whether scope `inner` is `outer` or in it. O(depth). */
bool ir_scope_lies_in(const struct ir_order *o, uint32_t inner, uint32_t outer);
/* The node that the edge from block u to block v leads to: v, or the latch of a cycle that goes round. */
uint32_t ir_order_target(const struct ir_order *o, uint32_t u, uint32_t v);

/* Edges that nobody waits for, by ir_edge_key. */
static inline uint64_t ir_edge_key(uint32_t from, uint32_t to)
{
    return (uint64_t)from << 32 | to;
}

/* For machines that can't hold a group at a barrier: adds the edges of a kernel by which threads leave those
 * who come to one. `waiting`: see ir_waiting_functions; `divergent`: blocks at whose branch threads diverge;
 * `points`: by block, where they wait for each other, IR_NO_BLOCK: nowhere. Linear for each convergent
 * operation behind the barriers, and for each divergent branch before these. (barriers.c) */
void ir_pass_over_barriers(struct arena *a, const struct ir_cfg *c, struct bitset waiting,
                           struct bitset divergent, const uint32_t *points, struct map *exits);
/* Whether threads of some divergent branch come to barriers by two ways, before they wait for each other, and
 * by one of them may end first. Arguments: see above. Linear for each such branch. */
bool ir_end_before_barriers(struct arena *a, const struct ir_cfg *c, struct bitset waiting,
                            struct bitset divergent, const uint32_t *points);
/* The blocks that lead to a barrier from which threads may return. Linear. */
struct bitset ir_leads_to_barrier(struct arena *a, const struct ir_cfg *c, struct bitset waiting);

/* The graph of the nodes without the edges of `exits`: of threads for whom others wait. A latch leads to its
 * header. Linear. */
struct ir_order_graph {
    struct rows next, before; /* by node */
};
struct ir_order_graph ir_order_graph_new(struct arena *a, const struct ir_cfg *c, const struct ir_order *o,
                                         const struct map *exits);
/* The tree of nodes by where threads wait: the immediate post-dominators of that graph
 *
 *   - in which a block without edges leads to the end;
 *   - in which the latch of a demanded cycle leads to where its scope is left, instead of to its header:
 *     iterations do not mix;
 *   - with an edge from the latch of an endless cycle to the end, or to the node that `virtual` has for it.
 *
 * `virtual`: by cycle; IR_NO_BLOCK: the end. Near-linear, but for the depth of cycles. */
struct ir_dominators *ir_reconvergence_tree(struct arena *a, const struct ir_order *o,
                                            const struct ir_order_graph *graph, const uint32_t *virtual);

#endif
