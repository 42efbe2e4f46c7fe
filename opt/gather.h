/* gather.h: leading edges through one block, where threads can meet.
 *
 * The new block has a parameter that says which of the edges' targets comes next, and parameters for the arguments of
 * all of them; its branch goes on to the target. No thread's path changes but for this block.
 */
#ifndef KERNC_OPT_GATHER_H
#define KERNC_OPT_GATHER_H

#include "opt/pass.h"

struct opt_edge { uint32_t block, edge; };       /* edge number `edge` of block `block` */
typedef VEC(struct opt_edge) opt_edges;

/* The new block. Values that reached uses behind the edges by dominance may not do so any more: the caller repairs
 * that. `at`: the place that the branch is given. */
uint32_t opt_gather(struct arena *scratch, struct ir_function *f, const opt_edges *edges, place at);

#endif
