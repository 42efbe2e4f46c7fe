/* analysis.h: what can be computed about a function's control flow. Each analysis allocates in the arena
 * it is given (its scratch memory too) and describes the function as it was then; arrays are indexed by
 * block number and have fn->blocks.count entries.
 */
#ifndef KERNC_IR_ANALYSIS_H
#define KERNC_IR_ANALYSIS_H

#include "ir/ir.h"

/* ---- control-flow graph (ir/cfg.c) ----------------------------------------------------------------- */

struct ir_cfg {
    const struct ir_function *fn;
    uint32_t      blocks;                  /* fn->blocks.count */
    uint32_t     *pred_start;              /* preds of b: preds[pred_start[b] .. pred_start[b + 1] - 1] */
    uint32_t     *preds;                   /* one entry for each edge from a live block, in layout order */
    uint32_t     *pred_edges;              /* beside preds: which of the predecessor's edges it is */
    uint32_t     *rpo, rpo_count;          /* the blocks reachable from the entry, in reverse post-order */
    uint32_t     *rpo_index;               /* position in rpo; IR_NO_BLOCK: not reachable */
    struct bitset reachable;
};
/* Linear in blocks and edges. Edges to blocks that do not exist are not allowed. */
struct ir_cfg *ir_cfg_new(struct arena *a, const struct ir_function *f);
static inline uint32_t ir_pred_count(const struct ir_cfg *c, uint32_t b) { return c->pred_start[b + 1] - c->pred_start[b]; }
/* for ir_each_pred(p, b, cfg) — p is a predecessor, once for each of its edges to b */
#define ir_each_pred(p, b, c)                                                                                \
    (uint32_t p##_at = (c)->pred_start[b], p;                                                                \
     p##_at < (c)->pred_start[(b) + 1] && ((p) = (c)->preds[p##_at], true); p##_at++)

/* ---- dominators (ir/dominators.c) ------------------------------------------------------------------- */

struct ir_dominators {
    uint32_t *idom;                        /* the parent in the tree; IR_NO_BLOCK: a root, or not in the tree */
    uint32_t *depth;                       /* 1 for a root; 0: not in the tree (not reachable) */
    uint32_t *pre, *post;                  /* preorder number, and the largest one in the block's subtree */
    uint32_t *order, count;                /* the blocks of the tree by preorder number: parents before children */
};
struct ir_dominators *ir_dominators_new(struct arena *a, const struct ir_cfg *c);
/* Of the blocks reachable from the entry. The root is a virtual exit behind every ret and trap: idom ==
 * IR_NO_BLOCK says that only the exit post-dominates the block (depth 1). A part of the graph that cannot
 * reach the exit (an endless loop) gets a virtual edge to it from its last block in reverse post-order, and
 * so on until every block has a path; the choice is deterministic and changes nothing for other blocks. */
struct ir_dominators *ir_post_dominators_new(struct arena *a, const struct ir_cfg *c);
/* Reflexive; false if either block is not in the tree. O(1). */
static inline bool ir_dominates(const struct ir_dominators *d, uint32_t a, uint32_t b)
{
    return d->depth[a] && d->depth[b] && d->pre[a] <= d->pre[b] && d->pre[b] <= d->post[a];
}

#endif
