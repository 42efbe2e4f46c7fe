/* cut.h: the exits of a set of blocks led through one block ("cut" of F. Zhang, E. D'Hollander, "Using
 * hammock graphs to structure programs", 2004, and of H. Wu et al., "Characterization and transformation of
 * unstructured control flow in GPU applications", 2011): for loops that are left at several places, and for
 * blocks that should come before a reconvergence point.
 *
 * The set is given by block number. Edges to blocks that can't reach a ret do not count as exits: nobody
 * waits for lanes there.
 */
#ifndef KERNC_OPT_CUT_H
#define KERNC_OPT_CUT_H

#include "opt/kit/demote.h"
#include "opt/kit/merge_edges.h"

struct opt_cut {
    struct opt_context *c;
    struct ir_function *f;
    struct arena *arena; /* of one round: until the function changes */
    const struct ir_cfg *g;
    const struct ir_cycles *cycles;
    const struct ir_dominators *dominators, *reconvergence;
    const struct ir_strong_components *components;
    const struct ir_tokens *tokens;
};
/* Gets the analyses of the function as it is now from the runner. */
void opt_cut_analyse(struct opt_cut *x);
/* Whether the block reaches a ret. */
static inline bool opt_returns(const struct opt_cut *x, uint32_t b)
{
    return x->reconvergence->depth[b] != 0;
}

/* Adds what has to stay together: blocks up to the last use of tokens that are defined in the set, since
 * tokens go through no parameter. False: a block had to be split at the end of such a region; all is to be
 * looked at anew. */
bool opt_cut_keep_tokens(struct opt_cut *x, struct bitset set);
/* Edges from the set to blocks outside that reach a ret. */
opt_edges opt_cut_edges_out(const struct opt_cut *x, struct bitset set);
/* Leads the edges, which are put in another order, through one block and on by tests behind it, such that
 * threads that go to different targets still reconverge where the targets do. They are all the exits of a
 * set of blocks that is entered at block `from`: a loop's header, or a branch; to two targets or more. The
 * new block. */
uint32_t opt_cut_lead_on(struct opt_cut *x, const opt_edges *edges, uint32_t from, place at);
/* Leads `first` and the paths on from `rest`, as above, through one block; the first edge's target is what its
 * branch leads to if true. If `rest` is not empty, `first` leads to the header of the loop that `rest`
 * leaves. The new block. */
uint32_t opt_cut_merge(struct opt_cut *x, const opt_edges *first, const opt_edges *rest, place at);

/* Gives loops one way out (cut_loops.c). False: too large. *changed is set if something was, and stays as it is
 * otherwise. */
bool opt_cut_loops(struct opt_context *c, struct ir_function *f, bool *changed);

#endif
