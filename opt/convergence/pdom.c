/* pdom.c: lowering for the scheme of the same name: the lanes that diverge at a branch reconverge at its
 * immediate post-dominator (the pre-Volta GPUs' scheme, after Fung et al., "Dynamic Warp Formation", 2007,
 * section 2).
 *
 * Only names the place (ir_block.reconverge); the machine part is runtime/schemes/pdom.c. A branch that only
 * the function's end post-dominates names none. In kernels with barriers, edges by which threads leave for
 * good do not count (ir/analysis/leaving.c). Keeps the graph. Near-linear.
 */
#include "opt/pass.h"

static bool is_branch(const struct ir_function *f, uint32_t b)
{
    enum ir_op op = (enum ir_op)ir_at(f, ir_terminator(f, b))->op;
    return op == IR_brif || op == IR_switch;
}

bool opt_pdom(struct opt_context *c, struct ir_function *f)
{
    bool                        changed = false;
    const struct ir_cfg        *g = opt_cfg(c, f);
    const struct ir_dominators *post = opt_reconvergence(c, f);
    for (uint32_t i = 0; i < g->rpo_count; i++) {
        uint32_t         b = g->rpo[i];
        struct ir_block *block = ir_block_at(f, b);
        if (is_branch(f, b) && block->reconverge != post->idom[b]) {
            block->reconverge = post->idom[b];
            changed = true;
        }
    }
    return changed;
}
