/* fold_branches.c: no branches on constants for a target that would jump instead.
 *
 * simplify_cfg folds them too, if it runs. Here it is needed: `converge` sees to it that threads reconverge
 * where post-dominators stand, and an edge that the code generator left out would move them. Linear.
 */
#include "opt/kit/merge_edges.h"

bool opt_fold_branches(struct opt_context *c, struct ir_function *f)
{
    bool changed = false;
    ir_each_block(i, b, f) {
        const struct ir_ins *t = ir_at(f, ir_terminator(f, b));
        scalar_bits value;
        if ((t->op != IR_brif && t->op != IR_switch) || !ir_is_const(f, t->args[0], &value))
            continue;
        opt_branch_fold(f, b, opt_chosen_edge(f, b, value));
        opt_count(c, "branches", 1);
        changed = true;
    }
    if (!changed)
        return false;
    opt_invalidate(c, f);
    opt_drop_unreachable(c->scratch, opt_cfg(c, f), f);
    opt_invalidate(c, f);
    return true;
}
