/* idle_predictions.c: Predicts that have no effect under any scheme.
 *
 * *Idle* ones, from which no thread comes to what is predicted, are removed: a search from each Predict over
 * the blocks of its function; calls are asked whether they may lead to the predicted function, through pointers
 * to any.
 *
 * Others *merge nothing*: the threads that a Predict lets wait for each other come to the label together as
 * they are. So it is if at each branch of the region (opt/predict/barriers.h) one successor alone stays in the
 * region, or all ways to the label pass the branch's post-dominator, where its threads reconverge. The usual
 * case is a Predict in the loop whose iterations it is to merge: its region ends with each iteration.
 *
 * Time: for idle ones Predicts times the instructions of their functions, for others times branches too; beyond
 * the limit predict_work (of Predicts times blocks, and times branches) nothing is said.
 */
#include "base/rows.h"
#include "opt/pass.h"

struct idle_finder {
    struct ir_module *m;
    struct diagnostics *d;
    struct arena *arena;
    struct rows callers;     /* of each function */
    u32_vec by_pointer;      /* functions that call through pointers */
    struct bitset predicted; /* functions for which leads[] is known */
    struct bitset *leads;    /* of a predicted function: those from which it may be called */
};

/* ---- who calls whom ---------------------------------------------------------------------------------- */

static void find_callers(struct idle_finder *x)
{
    struct edge_list calls = {0};
    for (uint32_t i = 0; i < x->m->functions.count; i++) {
        const struct ir_function *f = x->m->functions.at[i];
        ir_each_block(k, b, f) {
            ir_each_ins(r, f, b) {
                if (ir_at(f, r)->op == IR_icall)
                    vec_push(x->arena, &x->by_pointer, i);
                if (ir_at(f, r)->op == IR_call)
                    edge_add(x->arena, &calls, (uint32_t)ir_at(f, r)->imm, i);
            }
        }
    }
    x->callers = rows_of_edges(x->arena, x->m->functions.count, &calls);
}

static struct bitset leads_to(struct idle_finder *x, uint32_t function)
{
    if (bitset_has(x->predicted, function))
        return x->leads[function];
    struct walk w = walk_new(x->arena, x->m->functions.count);
    walk_add(&w, function);
    for (uint32_t i = 0; i < x->by_pointer.count; i++)
        walk_add(&w, x->by_pointer.at[i]);
    walk_each(f, &w)
        rows_each(i, x->callers, f)
            walk_add(&w, x->callers.at[i]);
    bitset_add(x->predicted, function);
    return x->leads[function] = w.seen;
}

/* ---- what a Predict leads to ------------------------------------------------------------------------- */

/* Whether threads at r are at what is predicted, or may be soon. */
static bool is_predicted(struct idle_finder *x, const struct ir_function *f, const struct ir_ins *predict,
                         ir_ref r)
{
    const struct ir_ins *ins = ir_at(f, r);
    if (predict->op == IR_predict)
        return ins->op == IR_predict_point && ins->imm == predict->imm;
    return ins->op == IR_icall ||
           (ins->op == IR_call && bitset_has(leads_to(x, (uint32_t)predict->imm), (uint32_t)ins->imm));
}

static bool is_idle(struct idle_finder *x, const struct ir_function *f, ir_ref predict)
{
    const struct ir_ins *p = ir_at(f, predict);
    struct walk w = walk_new(x->arena, f->blocks.count);
    for (ir_ref r = p->next; r; r = ir_at(f, r)->next)
        if (is_predicted(x, f, p, r))
            return false;
    ir_add_successors(&w, f, p->block, IR_NO_BLOCK);
    walk_each(b, &w) {
        ir_each_ins(r, f, b)
            if (is_predicted(x, f, p, r))
                return false;
        ir_add_successors(&w, f, b, IR_NO_BLOCK);
    }
    return true;
}

/* ---- what a Predict merges --------------------------------------------------------------------------- */

/* What one Predict lets threads wait for, in its function. */
struct region {
    struct idle_finder *x;
    const struct ir_cfg *cfg;
    const struct ir_dominators *post;
    const struct ir_ins *predict;
    u32_vec points;       /* blocks with a label or a call where the threads wait */
    struct bitset begins; /* blocks with a Predict of the same before the first of these */
    struct bitset inside; /* blocks at whose start a point is ahead without passing a Predict of the same */
};

/* Notes the block's points and Predicts. False: threads may come to the point by way of other functions. */
static bool look_at_block(struct region *g, uint32_t b)
{
    const struct ir_function *f = g->cfg->fn;
    bool has_point = false;
    ir_each_ins(r, f, b) {
        const struct ir_ins *ins = ir_at(f, r);
        if (ins->op == g->predict->op && ins->imm == g->predict->imm && !has_point)
            bitset_add(g->begins, b);
        if (!is_predicted(g->x, f, g->predict, r))
            continue;
        if (ins->op == IR_icall || (ins->op == IR_call && ins->imm != g->predict->imm))
            return false;
        if (!has_point)
            vec_push(g->x->arena, &g->points, b);
        has_point = true;
    }
    return true;
}

static void find_inside(struct region *g)
{
    struct walk w = walk_new(g->x->arena, g->cfg->blocks);
    for (uint32_t i = 0; i < g->points.count; i++)
        walk_add(&w, g->points.at[i]);
    walk_each(b, &w)
        if (!bitset_has(g->begins, b)) {
            bitset_add(g->inside, b);
            ir_add_predecessors(&w, g->cfg, b, IR_NO_BLOCK);
        }
}

/* Whether threads that go different ways at the end of block b may come to a point one after the other. */
static bool parts(const struct region *g, uint32_t b)
{
    const struct ir_block *block = ir_block_at(g->cfg->fn, b);
    uint32_t join = g->post->depth[b] ? g->post->idom[b] : IR_NO_BLOCK, first = IR_NO_BLOCK;
    bool several = false;
    for (uint32_t e = 0; e < block->edges.count; e++) {
        uint32_t to = block->edges.at[e].block;
        several |= bitset_has(g->inside, to) && first != IR_NO_BLOCK && first != to;
        first = bitset_has(g->inside, to) ? to : first;
    }
    if (!several)
        return false;
    struct walk w = walk_new(g->x->arena, g->cfg->blocks);
    for (uint32_t i = 0; i < g->points.count; i++)
        if (g->points.at[i] != join)
            walk_add(&w, g->points.at[i]);
    walk_each(p, &w)
        if (!bitset_has(g->begins, p))
            ir_add_predecessors(&w, g->cfg, p, join);
    for (uint32_t e = 0; e < block->edges.count; e++)
        if (bitset_has(w.seen, block->edges.at[e].block) && bitset_has(g->inside, block->edges.at[e].block))
            return true;
    return false;
}

static bool merges_nothing(struct region *g)
{
    const struct ir_function *f = g->cfg->fn;
    struct walk w = walk_new(g->x->arena, g->cfg->blocks);
    for (uint32_t i = 0; i < g->cfg->rpo_count; i++)
        if (!look_at_block(g, g->cfg->rpo[i]))
            return false;
    find_inside(g);
    walk_add(&w, g->predict->block);
    walk_each(b, &w) {
        if (parts(g, b))
            return false;
        for (uint32_t e = 0; e < ir_block_at(f, b)->edges.count; e++)
            if (bitset_has(g->inside, ir_block_at(f, b)->edges.at[e].block))
                walk_add(&w, ir_block_at(f, b)->edges.at[e].block);
    }
    return true;
}

/* The innermost loop around the Predict and a point: where it begins in the source; line 0: there is none. */
static place loop_around(const struct region *g, const struct ir_cycles *cycles)
{
    const struct ir_function *f = g->cfg->fn;
    uint32_t k = cycles->innermost[g->predict->block];
    while (k != IR_NO_CYCLE && !ir_cycle_has(cycles, k, g->points.at[0]))
        k = cycles->at[k].parent;
    if (k != IR_NO_CYCLE)
        ir_each_ins(r, f, cycles->at[k].header)
            if (ir_at(f, r)->at.line)
                return ir_at(f, r)->at;
    return (place){0, 0};
}

/* What diagnostics call the target. */
static const char *name_of(const struct idle_finder *x, const struct ir_ins *predict)
{
    return predict->op == IR_predict
               ? "label"
               : arena_printf(x->arena, "function '%s'", x->m->functions.at[predict->imm]->name);
}

static void tell_merges_nothing(struct idle_finder *x, struct opt_context *c, const struct ir_function *f,
                                ir_ref r)
{
    const struct ir_ins *predict = ir_at(f, r);
    struct region g = {.x = x,
                       .cfg = opt_cfg(c, f),
                       .post = opt_return_post_dominators(c, f),
                       .predict = predict,
                       .begins = bitset_new(x->arena, f->blocks.count),
                       .inside = bitset_new(x->arena, f->blocks.count)};
    if (!merges_nothing(&g))
        return;
    place loop = loop_around(&g, opt_cycles(c, f));
    diag_warn(x->d, DIAG_GROUP_predict, (span){predict->at, {0}},
              "in @%s: threads come together from here to the predicted %s as they are: nothing is merged%s",
              f->name, name_of(x, predict),
              loop.line ? arena_printf(x->arena,
                                       "; to merge the iterations of the loop in line %u, write the Predict "
                                       "in front of it",
                                       loop.line)
                        : "");
}

/* ---- functions --------------------------------------------------------------------------------------- */

static void work_on(struct idle_finder *x, struct opt_context *context, struct ir_function *f, bool all)
{
    const struct ir_cfg *c = opt_cfg(context, f);
    for (uint32_t i = 0; i < c->rpo_count; i++) {
        for (ir_ref r = ir_block_at(f, c->rpo[i])->first, next; r; r = next) {
            const struct ir_ins *ins = ir_at(f, r);
            next = ins->next;
            if (ins->op != IR_predict && ins->op != IR_predict_function)
                continue;
            if (!is_idle(x, f, r)) {
                if (all)
                    tell_merges_nothing(x, context, f, r);
                continue;
            }
            diag_warn(x->d, DIAG_GROUP_predict, (span){ins->at, {0}},
                      "in @%s: no thread comes from here to the predicted %s: the prediction has no effect",
                      f->name, name_of(x, ins));
            ir_remove(f, r);
        }
    }
}

static uint64_t count_predicts(const struct ir_function *f, uint64_t *branches)
{
    uint64_t n = 0;
    *branches = 0;
    ir_each_block(k, b, f) {
        *branches += ir_block_at(f, b)->edges.count > 1;
        ir_each_ins(r, f, b)
            n += ir_at(f, r)->op == IR_predict || ir_at(f, r)->op == IR_predict_function;
    }
    return n;
}

static void work_on_all(struct opt_context *c, void *data)
{
    struct idle_finder *x = data;
    struct ir_module *m = x->m;
    bool searched = false;
    for (uint32_t i = 0; i < m->functions.count; i++) {
        uint64_t branches, predicts = count_predicts(m->functions.at[i], &branches);
        uint64_t work = predicts * m->functions.at[i]->blocks.count;
        uint32_t most = c->options->limits[OPT_LIMIT_predict_work];
        if (!predicts || work >= most)
            continue;
        if (!searched) {
            find_callers(x);
            x->predicted = bitset_new(x->arena, m->functions.count);
            x->leads = arena_array(x->arena, struct bitset, m->functions.count);
        }
        searched = true;
        work_on(x, c, m->functions.at[i], work * branches < most);
    }
}

void opt_drop_idle_predictions(struct ir_module *m, const struct opt_options *o, struct diagnostics *d)
{
    struct scratch scratch;
    struct idle_finder x = {.m = m, .d = d, .arena = scratch_begin(&scratch)};
    opt_read(o, work_on_all, &x);
    scratch_end(&scratch);
}
