/* idle_predictions.c: Predicts that have no effect under any scheme, as no thread comes from there to what is
 * predicted.
 *
 * A search from each Predict over the blocks of its function; calls are asked whether they may lead to the
 * predicted function, through pointers to any. Time: Predicts times the instructions of their functions; beyond
 * the limit predict_work (Predicts times blocks) those of a function stay.
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

static void work_on(struct idle_finder *x, struct ir_function *f, const struct ir_cfg *c)
{
    for (uint32_t i = 0; i < c->rpo_count; i++) {
        for (ir_ref r = ir_block_at(f, c->rpo[i])->first, next; r; r = next) {
            const struct ir_ins *ins = ir_at(f, r);
            next = ins->next;
            if ((ins->op != IR_predict && ins->op != IR_predict_function) || !is_idle(x, f, r))
                continue;
            const char *what = ins->op == IR_predict ? "label"
                                                     : arena_printf(x->arena, "function '%s'",
                                                                    x->m->functions.at[ins->imm]->name);
            diag_warn(x->d, DIAG_GROUP_predict, (span){ins->at, {0}},
                      "in @%s: no thread comes from here to the predicted %s: the prediction has no effect",
                      f->name, what);
            ir_remove(f, r);
        }
    }
}

static uint64_t count_predicts(const struct ir_function *f)
{
    uint64_t n = 0;
    ir_each_block(k, b, f)
        ir_each_ins(r, f, b)
            n += ir_at(f, r)->op == IR_predict || ir_at(f, r)->op == IR_predict_function;
    return n;
}

static void work_on_all(struct opt_context *c, void *data)
{
    struct idle_finder *x = data;
    struct ir_module *m = x->m;
    bool searched = false;
    for (uint32_t i = 0; i < m->functions.count; i++) {
        uint64_t predicts = count_predicts(m->functions.at[i]);
        uint32_t most = c->options->limits[OPT_LIMIT_predict_work];
        if (!predicts || predicts * m->functions.at[i]->blocks.count >= most)
            continue;
        if (!searched) {
            find_callers(x);
            x->predicted = bitset_new(x->arena, m->functions.count);
            x->leads = arena_array(x->arena, struct bitset, m->functions.count);
        }
        searched = true;
        work_on(x, m->functions.at[i], opt_cfg(c, m->functions.at[i]));
    }
}

void opt_drop_idle_predictions(struct ir_module *m, const struct opt_options *o, struct diagnostics *d)
{
    struct scratch scratch;
    struct idle_finder x = {.m = m, .d = d, .arena = scratch_begin(&scratch)};
    opt_read(o, work_on_all, &x);
    scratch_end(&scratch);
}
