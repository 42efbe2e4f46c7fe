/* dominators.h: dominator trees of any graph whose nodes are blocks, and perhaps a virtual exit. */
#ifndef KERNC_IR_DOMINATORS_H
#define KERNC_IR_DOMINATORS_H

#include "ir/analysis/analysis.h"

/* Edges in compressed rows: those of node n lead to to[start[n]] … to[start[n + 1] - 1]. */
struct dominator_links {
    uint32_t *start, *to;
};
/* A graph with its edges in both directions. */
struct dominator_graph {
    uint32_t nodes, root;
    struct dominator_links succ, pred;
};
/* Edges out of live blocks by block number. */
struct dominator_links dominator_successors(struct arena *a, const struct ir_cfg *c);
/* The tree of blocks: nodes below `blocks` are blocks, one beyond them may be the root. Near-linear. */
struct ir_dominators *dominator_tree(struct arena *a, const struct dominator_graph *g, uint32_t blocks);

#endif
