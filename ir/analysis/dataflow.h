/* dataflow.h: data-flow problems over sets of bits whose meet is union, forward or backward.
 *
 *   entered(n) = outside(n), and the union of left(p) over the nodes p whose row in `flow` has n
 *   left(n)    = transfer(n, entered(n))
 */
#ifndef KERNC_IR_DATAFLOW_H
#define KERNC_IR_DATAFLOW_H

#include "ir/analysis/analysis.h"

struct ir_dataflow {
    const struct rows *flow; /* by node: its successors (forward), or its predecessors (backward) */
    const u32_vec *order;    /* all nodes, in which few edges lead back: so they are visited first */
    uint32_t bits;
    /* Turns what holds where the node is entered into what holds where it is left; monotone. */
    void (*transfer)(void *data, uint32_t node, struct bitset set);
    void *data;
    const struct bitset *outside; /* by node: what holds there whatever leads to it; or NULL, as without bits:
                                     nothing */
};

/* The least solution: entered(n) by node. Each node is visited at most once for each bit that its
 * predecessors gain; in the order of a reducible graph a few times. */
struct bitset *ir_dataflow_solve(struct arena *a, const struct ir_dataflow *d);
/* A flow over reachable blocks: the successors of each, or, `against` the edges, its predecessors. */
struct rows ir_cfg_edges(struct arena *a, const struct ir_cfg *g, bool against);

#endif
