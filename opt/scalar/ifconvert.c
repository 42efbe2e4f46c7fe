/* ifconvert.c: short arms of a branch become selects.
 *
 * if (c) x = a; else x = b; with arms that only compute, have no effect and cannot trap, is x = c ? a : b: a
 * divergent branch costs a warp more than both arms then do. Blocks are taken in post-order, and a join that
 * is left with one predecessor is appended to it, so that nests collapse from the inside. Linear.
 *
 * An arm with a convergent operation stays: it must not be speculated.
 */
#include "opt/pass.h"

enum { COST_MAX = 6, SELECTS_MAX = 3 }; /* cycles of both arms; parameters */

struct convert {
    struct opt_context *c;
    struct ir_function *f;
    uint32_t *preds; /* by block: edges into it */
    struct bitset removed;
    struct opt_renaming renaming;
    bool changed;
};

/* An empty way has block == the join itself. */
struct path {
    uint32_t block, join;
    const ir_ref *args;
    uint32_t cost;
};

/* Says of an arm that is short enough why it stays. */
static void decline(struct convert *v, ir_ref r)
{
    const struct ir_ins *ins = ir_at(v->f, r);
    if (ir_is_convergent(v->f, r))
        opt_remark(v->c, v->f, OPT_MISSED, "convergent", ins->at, "branch stays: '%s' must not be speculated",
                   ir_op_info[ins->op].text);
    else if (ins->op == IR_load)
        opt_remark(v->c, v->f, OPT_MISSED, "may-trap", ins->at,
                   "branch stays: the load may trap where it did not run");
}

static bool arm_cost(struct convert *v, uint32_t b, uint32_t *cost)
{
    ir_each_ins(r, v->f, b) {
        if (r == ir_terminator(v->f, b))
            return true;
        if (!opt_may_speculate(v->f, r)) {
            decline(v, r);
            return false;
        }
        *cost += ir_cost_of(v->f, r);
        if (*cost > COST_MAX)
            return false;
    }
    return false;
}

/* The way along edge e of b: through an arm of its own, or (if `straight`) straight to a join. */
static struct path path_of(const struct convert *v, uint32_t b, uint32_t e, bool straight)
{
    const struct ir_edge *edge = &ir_block_at(v->f, b)->edges.at[e];
    const struct ir_block *arm = ir_block_at(v->f, edge->block);
    if (straight || v->preds[edge->block] != 1 || arm->params.count || ir_at(v->f, arm->last)->op != IR_br)
        return (struct path){edge->block, edge->block, edge->args, 0};
    return (struct path){edge->block, arm->edges.at[0].block, arm->edges.at[0].args, 0};
}

/* Diamond, either triangle, or two straight edges to one block. */
static bool find_paths(const struct convert *v, uint32_t b, struct path paths[2])
{
    for (unsigned straight = 0; straight < 4; straight++) {
        paths[0] = path_of(v, b, 0, straight & 1);
        paths[1] = path_of(v, b, 1, straight & 2);
        if (paths[0].join == paths[1].join && paths[0].join != b)
            return true;
    }
    return false;
}

static void join_paths(struct convert *v, uint32_t b, const struct path paths[2])
{
    for (uint32_t w = 0; w < 2; w++)
        if (paths[w].block != paths[w].join) {
            opt_hoist_arm(v->f, b, w);
            bitset_add(v->removed, paths[w].block);
        }
    opt_join_by_selects(v->f, b);
    v->preds[paths[0].join]--;
    v->changed = true;
}

static bool has_convergent(const struct ir_function *f, uint32_t b)
{
    ir_each_ins(r, f, b)
        if (ir_is_convergent(f, r))
            return true;
    return false;
}

static void append_join(struct convert *v, uint32_t b, uint32_t join)
{
    if (v->preds[join] != 1 || has_convergent(v->f, join))
        return;
    bitset_add(v->removed, opt_target_append(&v->renaming, v->f, b));
}

static void ifconvert_visit_branch(struct convert *v, uint32_t b)
{
    ir_ref branch = ir_terminator(v->f, b);
    struct path paths[2];
    uint32_t cost = 0;
    if (bitset_has(v->removed, b) || ir_at(v->f, branch)->op != IR_brif || !find_paths(v, b, paths))
        return;
    for (unsigned w = 0; w < 2; w++)
        if (paths[w].block != paths[w].join && !arm_cost(v, paths[w].block, &cost))
            return;
    uint32_t values = ir_block_at(v->f, paths[0].join)->params.count;
    if (opt_count_selects(paths[0].args, paths[1].args, values) > SELECTS_MAX)
        return;
    opt_remark(v->c, v->f, OPT_APPLIED, "select", ir_at(v->f, branch)->at, "branch became select");
    opt_count(v->c, "branches", 1);
    join_paths(v, b, paths);
    append_join(v, b, paths[0].join);
}

bool opt_ifconvert(struct opt_context *c, struct ir_function *f)
{
    const struct ir_cfg *g = opt_cfg(c, f);
    struct convert v = {
        .c = c, .f = f, .removed = bitset_new(c->scratch, f->blocks.count), .renaming.arena = c->scratch};
    v.preds = arena_array(c->scratch, uint32_t, f->blocks.count);
    for (uint32_t b = 0; b < f->blocks.count; b++)
        v.preds[b] = ir_pred_count(g, b);
    v.preds[ir_entry(f)]++;
    for (uint32_t i = g->rpo_count; i-- > 0;)
        ifconvert_visit_branch(&v, g->rpo[i]);
    if (!v.changed)
        return false;
    opt_rename_all(&v.renaming, f);
    ir_blocks_remove(f, v.removed);
    return true;
}
