/* merge_edges.h: leading edges through one block, where threads can reconverge.
 *
 * The new block has a parameter that says which of the edges' targets comes next, and parameters for the
 * arguments of all of them, shared where there are many; its branch goes on to the target. No thread's path
 * changes but for this block.
 */
#ifndef KERNC_OPT_MERGE_EDGES_H
#define KERNC_OPT_MERGE_EDGES_H

#include "opt/pass.h"

struct opt_edge {
    uint32_t block, edge; /* edge number `edge` of block `block` */
};
typedef VEC(struct opt_edge) opt_edges;
static inline uint32_t opt_edge_target(const struct ir_function *f, struct opt_edge e)
{
    return ir_block_at(f, e.block)->edges.at[e.edge].block;
}
/* Edges from blocks of `from` to blocks that are not in `inside`, by their source in reverse post-order. */
opt_edges opt_edges_out(struct arena *a, const struct ir_cfg *g, struct bitset from, struct bitset inside);
/* Edges to the cycle's header from blocks of the cycle. */
opt_edges opt_edges_back(struct arena *a, const struct ir_cfg *g, const struct ir_cycles *f, uint32_t cycle);
/* Begins a new block, a plain jump away, before the instruction. False: it is the first of its block. */
bool opt_split_before(struct ir_function *f, ir_ref r);

/* The new block. Values that reached uses behind the edges by dominance may not do so any more: the caller
 * repairs that. `at`: the place that the branch is given. */
uint32_t opt_merge_edges(struct arena *scratch, struct ir_function *f, const opt_edges *edges, place at);
/* One edge from the block, which ends in a switch, to each of its targets (unify.c): those that several
 * edges with different arguments lead to get a new block in front, if there are others. True if there are
 * such. */
bool opt_unify_switch(struct opt_context *c, struct ir_function *f, uint32_t block);
/* Turns the block's switch, if it ends in one, into a chain of tests for equality, each in a block of its
 * own. */
void opt_switch_to_tests(struct ir_function *f, uint32_t block);

/* What was chosen of reconvergence does not hold for the graph that a pass is to make. Whether anything was.
 * (reconverge.c) */
bool opt_forget_places(struct opt_context *c, struct ir_function *f);
/* Removes hearts that separate no threads (reconverge.c): those that no operation is controlled by, and
 * those in no cycle without the definition that they are made from, whose uses get that. */
bool opt_drop_needless_hearts(struct opt_context *c, struct ir_function *f);
/* Cuts blocks between operations of different scopes, so that each block is of one (reconverge.c). */
bool opt_split_scopes(struct opt_context *c, struct ir_function *f);
/* Whether threads of a kernel may end while others are on their way to a barrier, in what it calls too, so that
 * it needs supersteps (supersteps.c). */
bool opt_needs_supersteps(struct opt_context *c, struct ir_function *f);
/* Gives each cycle with several entries a header. False: they are nested too deep. */
bool opt_make_reducible(struct opt_context *c, struct ir_function *f, bool *changed);

#endif
