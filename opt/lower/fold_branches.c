/* fold_branches.c: no branches on constants for a target that would jump instead.
 *
 * simplify_cfg folds them too, if it runs. Here it is needed: `converge` sees to it that threads reconverge
 * where post-dominators stand, and an edge that the code generator left out would move them. It knows the
 * parameters of blocks with one way in as well. What is folded may leave others with one: then all is looked at
 * again. Linear for each of these rounds, of which functions need one or two.
 */
#include "opt/kit/merge_edges.h"

/* What comes to the block of the parameter, which has one way in. */
static ir_ref only_argument(const struct ir_cfg *g, ir_ref param)
{
    uint32_t b = ir_at(g->fn, param)->block, k = 0, first = g->pred_start[b];
    while (ir_block_at(g->fn, b)->params.at[k] != param)
        k++;
    return ir_block_at(g->fn, g->preds[first])->edges.at[g->pred_edges[first]].args[k];
}

static bool has_one_way_in(const struct ir_cfg *g, uint32_t b)
{
    return b != ir_entry(g->fn) && ir_pred_count(g, b) == 1;
}

static bool is_known(const struct ir_cfg *g, ir_ref r, scalar_bits *value)
{
    while (ir_at(g->fn, r)->op == IR_param && has_one_way_in(g, ir_at(g->fn, r)->block))
        r = only_argument(g, r);
    return ir_is_const(g->fn, r, value);
}

static bool fold_known(struct opt_context *c, struct ir_function *f)
{
    const struct ir_cfg *g = opt_cfg(c, f);
    bool changed = false;
    for (uint32_t i = 0; i < g->rpo_count; i++) {
        const struct ir_ins *t = ir_at(f, ir_terminator(f, g->rpo[i]));
        scalar_bits value;
        if ((t->op != IR_brif && t->op != IR_switch) || !is_known(g, t->args[0], &value))
            continue;
        opt_branch_fold(f, g->rpo[i], ir_chosen_edge(f, g->rpo[i], value));
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

bool opt_fold_branches(struct opt_context *c, struct ir_function *f)
{
    bool changed = false;
    while (fold_known(c, f))
        changed = true;
    return changed;
}
