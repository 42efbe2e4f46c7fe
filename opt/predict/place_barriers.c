/* place_barriers.c: lowering for the scheme barrier: convergence barriers where threads are to reconverge
 * ("Speculative Reconvergence", section 4).
 *
 * In this order, for each function: the predictions' joins, waits and rejoins (predict.c); those of
 * post-dominators (pdom_barriers.c); cancels where regions end (predict_cancel.c); deconfliction
 * (deconflict.c). The machine part is runtime/schemes/barrier.c. A wait ends its block, as the threads behind
 * it are others.
 *
 * Registers are numbered through the module: those of predicted functions come first.
 */
#include "ir/views/views.h"
#include "opt/predict/barriers.h"

/* ---- editing ----------------------------------------------------------------------------------------- */

ir_ref barriers_wait_before(struct barriers *x, ir_ref r, uint32_t reg, uint32_t threshold)
{
    for (ir_ref i = r, next; i; i = next) {
        next = ir_at(x->f, i)->next;
        if (i == r || (ir_at(x->f, i)->op != IR_loop && ir_at(x->f, i)->op != IR_entry))
            continue;
        /* a heart stays in its cycle's header; no convergent operation stands before it */
        ir_unlink(x->f, i);
        ir_link(&(struct ir_cursor){x->f, ir_at(x->f, r)->block, r, {0, 0}}, i);
    }
    while (ir_at(x->f, r)->op == IR_loop || ir_at(x->f, r)->op == IR_entry)
        r = ir_at(x->f, r)->next;
    uint32_t block = ir_at(x->f, r)->block, next = ir_block_split(x->f, block, r, NULL);
    ir_ref wait = barriers_put(x, block, 0, IR_cb_wait, reg, threshold);
    struct ir_cursor at = {x->f, block, 0, {0, 0}};
    ir_emit_br(&at, next);
    return wait;
}

void barriers_rejoin_behind(struct barriers *x, ir_ref wait, uint32_t reg)
{
    uint32_t next = ir_block_at(x->f, ir_at(x->f, wait)->block)->edges.at[0].block;
    barriers_put(x, next, ir_block_at(x->f, next)->first, IR_cb_rejoin, reg, 0);
}

void barriers_look(struct barriers *x)
{
    opt_invalidate(x->c, x->f);
    x->cfg = opt_cfg(x->c, x->f);
    x->dominators = opt_dominators(x->c, x->f);
    x->post = opt_return_post_dominators(x->c, x->f);
}

static bool is_predict(const struct ir_ins *ins)
{
    return ins->op == IR_predict || ins->op == IR_predict_function;
}

/* Of an earlier run: what passes did since may have changed who waits for whom. Whether there were any, or
 * predictions are there, which go whatever comes of them. */
static bool remove_all(struct ir_function *f)
{
    bool any = false;
    ir_each_block(k, b, f) {
        for (ir_ref r = ir_block_at(f, b)->first, next; r; r = next) {
            next = ir_at(f, r)->next;
            any |= is_predict(ir_at(f, r));
            if (!ir_is_convergence_barrier(ir_at(f, r)->op))
                continue;
            ir_remove(f, r);
            any = true;
        }
    }
    return any;
}

/* ---- predicted functions (section 4.4) --------------------------------------------------------------- */

/* Threads that call a predicted function wait at its entry, and stay in the barrier. */
static void wait_at_entry(struct barriers *x)
{
    uint32_t reg = x->of_function[x->f->id];
    if (reg == UINT32_MAX || x->f->order.count == 0)
        return;
    const struct ir_ins *predict = &x->predicts[x->f->id];
    struct opt_prediction_name name = {predict->at, {0, 0}};
    uint32_t threshold = barriers_threshold(x, name, predict->imm2);
    ir_ref first = ir_block_at(x->f, ir_entry(x->f))->first;
    ir_ref wait = barriers_wait_before(x, first, reg, threshold);
    ir_at(x->f, wait)->at = predict->at;
    barriers_rejoin_behind(x, wait, reg);
}

/* ---- layout ------------------------------------------------------------------------------------------ */

/* New blocks (from `first` on) stand behind the block that leads to them, as what was one block should. */
static void lay_out(struct barriers *x, uint32_t first)
{
    struct ir_function *f = x->f;
    struct bitset placed = bitset_new(x->arena, f->blocks.count);
    u32_vec order = {0}, work = {0};
    for (uint32_t i = 0; i < f->order.count; i++) {
        if (f->order.at[i] < first)
            vec_push(x->arena, &work, f->order.at[i]);
        while (work.count) {
            uint32_t b = vec_pop(&work);
            if (bitset_has(placed, b))
                continue;
            bitset_add(placed, b);
            vec_push(x->arena, &order, b);
            for (uint32_t e = ir_block_at(f, b)->edges.count; e-- > 0;)
                if (ir_block_at(f, b)->edges.at[e].block >= first)
                    vec_push(x->arena, &work, ir_block_at(f, b)->edges.at[e].block);
        }
    }
    INVARIANT(order.count == f->order.count);
    memcpy(f->order.at, order.at, order.count * sizeof *order.at);
}

/* ---- the steps, shown -------------------------------------------------------------------------------- */

/* Prints the function as it is, with what is joined and live by equations 1 and 2: Figure 4. */
static void show(const struct barriers *x, const char *step)
{
    const struct opt_options *o = x->c->options;
    if (!opt_option(x->c, OPT_OPTION_barrier_stages) || !o->print || !x->c->report)
        return;
    struct text out = {.arena = x->arena};
    text_printf(&out, "; *** Barriers of %s: %s ***\n", x->f->name, step);
    ir_view_comments(ir_viewer_new(x->arena, x->f), IR_VIEW_barriers, &out);
    text_addz(&out, "\n");
    o->print(o->data, out.at, out.length);
}

/* ---- functions --------------------------------------------------------------------------------------- */

static void work_on(struct barriers x)
{
    struct scratch scratch;
    x.arena = scratch_begin(&scratch);
    uint32_t first = x.f->blocks.count;
    barriers_look(&x);
    barriers_predict(&x);
    if (x.predictions.count)
        show(&x, "joins, waits and rejoins of predictions");
    barriers_post_dominators(&x);
    if (x.predictions.count) {
        show(&x, "barriers of post-dominators");
        barriers_cancel(&x);
        show(&x, "cancels where live ranges end");
        barriers_deconflict(&x);
        barriers_drop_idle(&x);
        show(&x, "deconflicted");
    }
    barriers_join_by_branches(&x);
    wait_at_entry(&x);
    lay_out(&x, first);
    opt_invalidate(x.c, x.f);
    scratch_end(&scratch);
}

/* The first Predict of each function that one names. */
static struct ir_ins *find_first_predicts(struct opt_context *c, const struct ir_module *m)
{
    struct ir_ins *first = arena_array(c->scratch, struct ir_ins, m->functions.count);
    struct bitset seen = bitset_new(c->scratch, m->functions.count);
    for (uint32_t i = 0; i < m->functions.count; i++) {
        const struct ir_function *f = m->functions.at[i];
        ir_each_block(k, b, f) {
            ir_each_ins(r, f, b) {
                const struct ir_ins *ins = ir_at(f, r);
                if (ins->op != IR_predict_function || bitset_has(seen, (uint32_t)ins->imm))
                    continue;
                bitset_add(seen, (uint32_t)ins->imm);
                first[ins->imm] = *ins;
            }
        }
    }
    return first;
}

/* What is compared with the limit predict_work. *any: it has a Predict. */
static uint64_t work_of(const struct ir_function *f, bool *any)
{
    uint64_t barriers = 0;
    ir_each_block(k, b, f) {
        barriers += ir_block_at(f, b)->edges.count > 1;
        ir_each_ins(r, f, b) {
            barriers += is_predict(ir_at(f, r));
            *any |= is_predict(ir_at(f, r));
        }
    }
    return barriers * f->order.count;
}

/* The function for which the module's predictions are too much work, all of which go then: threads that wait
 * for one have to leave its barrier in each function that it may lead through. NULL: there is none. A function
 * has a barrier for each branch and prediction at most. */
static const struct ir_function *find_too_large(struct opt_context *c, const struct ir_module *m)
{
    const struct ir_function *found = NULL;
    bool any = false;
    for (uint32_t i = 0; i < m->functions.count; i++) {
        const struct ir_function *f = m->functions.at[i];
        if (work_of(f, &any) >= c->options->limits[OPT_LIMIT_predict_work])
            found = f;
    }
    return any ? found : NULL;
}

static bool are_off(struct opt_context *c, const struct ir_module *m)
{
    if (!opt_honours_predictions(c))
        return true;
    const struct ir_function *large = find_too_large(c, m);
    if (large)
        opt_remark(c, large, OPT_MISSED, "limit", large->at, "limit of %u reached (--limit=%s=N)",
                   c->options->limits[OPT_LIMIT_predict_work], opt_limit_info[OPT_LIMIT_predict_work].name);
    if (large)
        opt_warning(c, large, DIAG_GROUP_predict, large->at,
                    "control flow too large for predictions, which have no effect: limit of %u reached "
                    "(--limit=%s=N)",
                    c->options->limits[OPT_LIMIT_predict_work], opt_limit_info[OPT_LIMIT_predict_work].name);
    return large != NULL;
}

uint32_t barriers_place_in(struct opt_context *c, struct ir_module *m, struct ir_function *f)
{
    struct barriers x = {.c = c, .m = m, .f = f};
    uint32_t registers = 0;
    bool any = false;
    x.off = !opt_honours_predictions(c) || work_of(f, &any) >= c->options->limits[OPT_LIMIT_predict_work];
    x.registers = &registers;
    barriers_without_functions(&x);
    work_on(x);
    return registers;
}

bool opt_place_barriers(struct opt_context *c, struct ir_module *m)
{
    bool changed = false;
    for (uint32_t i = 0; i < m->functions.count; i++)
        changed |= remove_all(m->functions.at[i]);
    struct barriers x = {.c = c, .m = m, .off = are_off(c, m)};
    uint32_t registers = barriers_find_calls(&x);
    x.predicts = find_first_predicts(c, m);
    const u32_vec *order = opt_callees_first(c, m);
    x.registers = &registers;
    for (uint32_t i = order->count; i-- > 0;) {
        x.f = m->functions.at[order->at[i]];
        if (x.f->order.count)
            work_on(x);
    }
    if (registers > IR_MAX_BARRIERS)
        opt_error(c, m->functions.at[0], "barriers", (place){0, 0},
                  "the module needs more than %u convergence barrier registers", IR_MAX_BARRIERS);
    return changed || registers > 0;
}
