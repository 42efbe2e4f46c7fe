/* pdom.c: lowering for the scheme of the same name: the lanes that diverge at a branch reconverge at its
 * immediate post-dominator (the pre-Volta GPUs' scheme, after Fung et al., "Dynamic Warp Formation", 2007,
 * section 2).
 *
 * Names the place (ir_block.reconverge); the machine part is runtime/schemes/pdom.c. A branch that only the
 * function's end post-dominates names none. In kernels with barriers, edges by which threads leave for good do
 * not count (ir/analysis/leaving.c). Those threads must not wait for others all the same: where their way to
 * the end leads through a place where threads reconverge that may come to a barrier before, it is a copy of
 * their own. Near-linear.
 */
#include "opt/kit/merge_edges.h"
#include "opt/pass.h"

static bool is_branch(const struct ir_function *f, uint32_t b)
{
    enum ir_op op = (enum ir_op)ir_at(f, ir_terminator(f, b))->op;
    return op == IR_brif || op == IR_switch;
}

/* Whether threads of a branch before a barrier reconverge where some may come that have left for good. */
static bool leads_into_those_that_left(struct opt_context *c, const struct ir_function *f)
{
    const struct ir_leaving *leaving = opt_leaving(c, f);
    const struct ir_cfg *g = opt_cfg(c, f);
    const struct ir_dominators *post = opt_reconvergence(c, f);
    bool found = false;
    for (uint32_t i = 0; i < g->rpo_count; i++) {
        uint32_t b = g->rpo[i];
        found |= is_branch(f, b) && post->idom[b] != IR_NO_BLOCK && bitset_has(leaving->wait, b) &&
                 bitset_has(leaving->gone, post->idom[b]) && bitset_has(opt_uniformity(c, f)->branches, b);
    }
    return found;
}

bool opt_pdom(struct opt_context *c, struct ir_function *f)
{
    bool changed = f->flags & IR_FN_KERNEL && leads_into_those_that_left(c, f) && opt_split_leaving(c, f);
    const struct ir_cfg *g = opt_cfg(c, f);
    const struct ir_dominators *post = opt_reconvergence(c, f);
    for (uint32_t i = 0; i < g->rpo_count; i++) {
        uint32_t b = g->rpo[i];
        struct ir_block *block = ir_block_at(f, b);
        if (is_branch(f, b) && block->reconverge != post->idom[b]) {
            block->reconverge = post->idom[b];
            changed = true;
        }
    }
    return changed;
}
