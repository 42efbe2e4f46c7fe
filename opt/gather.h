/* gather.h: leading edges through one block, where threads can meet.
 *
 * The new block has a parameter that says which of the edges' targets comes next, and parameters for the
 * arguments of all of them; its branch goes on to the target. No thread's path changes but for this block.
 */
#ifndef KERNC_OPT_GATHER_H
#define KERNC_OPT_GATHER_H

#include "opt/pass.h"

struct opt_edge { uint32_t block, edge; };       /* edge number `edge` of block `block` */
typedef VEC(struct opt_edge) opt_edges;

/* The new block. Values that reached uses behind the edges by dominance may not do so any more: the caller
 * repairs that. `at`: the place that the branch is given. */
uint32_t opt_gather(struct arena *scratch, struct ir_function *f, const opt_edges *edges, place at);
/* Turns the block's switch, if it ends in one, into a chain of tests for equality, each in a block of its
 * own. */
void opt_switch_to_tests(struct ir_function *f, uint32_t block);

/* Gives each cycle with several entries a header (opt/reducible.c). False: they are nested too deep. */
bool opt_make_reducible(struct opt_context *c, struct ir_function *f, bool *changed);

#endif
