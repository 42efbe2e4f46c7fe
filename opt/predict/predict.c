/* predict.c: predictions and their joins, waits and rejoins ("Speculative Reconvergence", sections 4.1
 * and 4.4).
 *
 * Threads join at each Predict, wait at the label and rejoin behind it. A function's wait stands at its entry;
 * here, calls that lead to it count as waits. Where regions end is found by predict_region.c; what can't be
 * honoured is refused by predict_refuse.c.
 */
#include "opt/predict/barriers.h"

/* ---- finding ----------------------------------------------------------------------------------------- */

static struct barrier_prediction *prediction_of(struct barriers *x, struct map *index, uint32_t function,
                                                uint32_t key)
{
    uint64_t name = (uint64_t)(function != BARRIER_NO_FUNCTION) << 32 | key;
    uint32_t at = map_get(index, name);
    if (at == MAP_NONE) {
        at = x->predictions.count;
        map_set(x->arena, index, name, at);
        vec_push(x->arena, &x->predictions, ((struct barrier_prediction){.function = function}));
    }
    return &x->predictions.at[at];
}

static void find_one(struct barriers *x, struct map *index, ir_ref r)
{
    const struct ir_ins *ins = ir_at(x->f, r);
    if (ins->op != IR_predict && ins->op != IR_predict_point && ins->op != IR_predict_function)
        return;
    uint32_t function = ins->op == IR_predict_function ? (uint32_t)ins->imm : BARRIER_NO_FUNCTION;
    struct barrier_prediction *p = prediction_of(x, index, function, (uint32_t)ins->imm);
    if (ins->op == IR_predict_point) {
        p->to = p->points.count ? p->to : ins->at;
        vec_push(x->arena, &p->points, r);
        return;
    }
    if (!p->starts.count) {
        p->threshold = ins->imm2;
        p->at = ins->at;
    }
    vec_push(x->arena, &p->starts, ((struct barrier_start){r, 0, ins->block, IR_NO_BLOCK, IR_NO_BLOCK}));
}

static void find_calls(struct barriers *x, struct barrier_prediction *p)
{
    uint32_t reg = x->of_function[p->function];
    bool through_convergent;
    for (uint32_t i = 0; i < x->cfg->rpo_count; i++)
        ir_each_ins(r, x->f, x->cfg->rpo[i])
            if (barriers_leads_to(x, r, reg, &through_convergent))
                vec_push(x->arena, &p->points, r);
}

static void find_predictions(struct barriers *x)
{
    struct map index = {0};
    for (uint32_t i = 0; i < x->cfg->rpo_count; i++)
        ir_each_ins(r, x->f, x->cfg->rpo[i])
            find_one(x, &index, r);
    for (uint32_t i = 0; i < x->predictions.count; i++)
        if (x->predictions.at[i].function != BARRIER_NO_FUNCTION &&
            x->of_function[x->predictions.at[i].function] != UINT32_MAX) /* -fpredict=off: of none */
            find_calls(x, &x->predictions.at[i]);
}

/* ---- placing ----------------------------------------------------------------------------------------- */

const char *barriers_name(const struct barriers *x, const struct barrier_prediction *p)
{
    return p->function == BARRIER_NO_FUNCTION
               ? "label"
               : arena_printf(x->arena, "function '%s'",
                              barriers_source_name(x->arena, x->m->functions.at[p->function]));
}

/* The wait has one threshold: that of the first Predict. */
static void tell_thresholds(struct barriers *x, const struct barrier_prediction *p)
{
    const struct ir_ins *first = ir_at(x->f, p->starts.at[0].predict);
    for (uint32_t i = 1; i < p->starts.count && !opt_option(x->c, OPT_OPTION_predict_threshold); i++) {
        const struct ir_ins *ins = ir_at(x->f, p->starts.at[i].predict);
        if (ins->imm2 != first->imm2)
            opt_warning(x->c, x->f, DIAG_GROUP_predict, ins->at,
                        "the predicted %s has another threshold in line %u, which holds here too",
                        barriers_name(x, p), first->at.line);
    }
}

static void remove_marks(struct barriers *x, struct barrier_prediction *p)
{
    for (uint32_t i = 0; i < p->starts.count; i++)
        ir_remove(x->f, p->starts.at[i].predict);
    for (uint32_t i = 0; p->function == BARRIER_NO_FUNCTION && i < p->points.count; i++)
        ir_remove(x->f, p->points.at[i]);
}

static void place_waits(struct barriers *x, uint32_t number)
{
    struct barrier_prediction *p = &x->predictions.at[number];
    for (uint32_t i = 0; i < p->points.count; i++) {
        ir_ref r = p->points.at[i], wait = r;
        if (p->function == BARRIER_NO_FUNCTION) {
            wait = barriers_wait_before(x, r, p->reg, p->threshold);
            ir_at(x->f, wait)->at = ir_at(x->f, p->starts.at[0].predict)->at;
            barriers_rejoin_behind(x, wait, p->reg);
        }
        vec_push(x->arena, &x->waits, ((struct barrier_wait){number, wait}));
    }
}

static void place_joins(struct barriers *x, uint32_t number)
{
    struct barrier_prediction *p = &x->predictions.at[number];
    for (uint32_t i = 0; i < p->starts.count; i++) {
        struct barrier_start *s = &p->starts.at[i];
        s->join = barriers_put(x, s->block, s->predict, IR_cb_join, p->reg, 1);
        opt_remark(x->c, x->f, OPT_APPLIED, "predict", ir_at(x->f, s->predict)->at,
                   "threads wait for each other at the predicted %s, in %u blocks", barriers_name(x, p),
                   p->size);
    }
}

/* What stands behind a wait has moved to a new block: areas and starts follow. */
static void follow_splits(struct barriers *x)
{
    for (uint32_t i = 0; i < x->predictions.count; i++) {
        struct barrier_prediction *p = &x->predictions.at[i];
        for (uint32_t k = 0; k < p->starts.count; k++)
            p->starts.at[k].block = ir_at(x->f, p->starts.at[k].predict)->block;
        struct bitset area = bitset_new(x->arena, x->f->blocks.count);
        bitset_each(b, p->area)
            bitset_add(area, b);
        for (uint32_t k = 0; k < x->waits.count; k++) {
            uint32_t block = ir_at(x->f, x->waits.at[k].at)->block;
            if (ir_at(x->f, x->waits.at[k].at)->op == IR_cb_wait && bitset_has(area, block))
                bitset_add(area, ir_block_at(x->f, block)->edges.at[0].block);
        }
        p->area = area;
    }
}

/* Takes out the predictions that are refused. */
static void keep_honoured(struct barriers *x)
{
    uint32_t kept = 0;
    struct barrier_marks marks = barriers_marks(x);
    for (uint32_t i = 0; i < x->predictions.count; i++) {
        struct barrier_prediction *p = &x->predictions.at[i];
        barriers_find_region(x, &marks, p);
        if (barriers_refuse(x, &marks, p)) {
            remove_marks(x, p);
            continue;
        }
        barriers_find_area_calls(x, &marks, p);
        x->predictions.at[kept++] = *p;
    }
    x->predictions.count = kept;
    struct bitset areas = bitset_new(x->arena, x->f->blocks.count);
    for (uint32_t i = 0; i < kept; i++)
        bitset_union(areas, x->predictions.at[i].area);
    kept = 0;
    for (uint32_t i = 0; i < x->predictions.count; i++) {
        struct barrier_prediction *p = &x->predictions.at[i];
        if (barriers_find_gates(x, p, areas))
            x->predictions.at[kept++] = *p;
        else
            remove_marks(x, p);
    }
    x->predictions.count = kept;
}

static void inherit(struct barriers *x)
{
    for (uint32_t f = 0; f < x->m->functions.count; f++) {
        uint32_t reg = x->of_function[f];
        if (reg == UINT32_MAX || !bitset_has(x->inherited[x->f->id], reg))
            continue;
        struct barrier_prediction p = {.function = f, .reg = reg, .is_inherited = true, .size = UINT32_MAX};
        find_calls(x, &p);
        p.region = p.area = bitset_new(x->arena, x->f->blocks.count);
        for (uint32_t i = 0; i < x->cfg->rpo_count; i++) {
            bitset_add(p.area, x->cfg->rpo[i]);
            ir_each_ins(r, x->f, x->cfg->rpo[i])
                if (ir_at(x->f, r)->op == IR_call)
                    vec_push(x->arena, &p.calls, r);
        }
        barriers_hand_on(x, &p);
        vec_push(x->arena, &x->predictions, p);
    }
}

/* The wait of a function is that of its first Predict (place_barriers.c). */
static struct opt_prediction_name report_name(const struct barriers *x, const struct barrier_prediction *p)
{
    return p->function == BARRIER_NO_FUNCTION
               ? (struct opt_prediction_name){p->at, p->to}
               : (struct opt_prediction_name){x->predicts[p->function].at, {0, 0}};
}

static void choose_threshold(struct barriers *x, struct barrier_prediction *p)
{
    struct opt_prediction_name name = report_name(x, p);
    bool of_label = p->function == BARRIER_NO_FUNCTION;
    p->threshold = barriers_threshold(x, name, of_label ? p->threshold : x->predicts[p->function].imm2);
    barriers_report(x, name, p->threshold);
}

void barriers_predict(struct barriers *x)
{
    find_predictions(x);
    if (x->off) {
        for (uint32_t i = 0; i < x->predictions.count; i++)
            remove_marks(x, &x->predictions.at[i]);
        x->predictions.count = 0;
        return;
    }
    barriers_make_preheaders(x);
    keep_honoured(x);
    for (uint32_t i = 0; i < x->predictions.count; i++) {
        struct barrier_prediction *p = &x->predictions.at[i];
        tell_thresholds(x, p);
        choose_threshold(x, p);
        p->reg = p->function == BARRIER_NO_FUNCTION ? (*x->registers)++ : x->of_function[p->function];
    }
    for (uint32_t i = 0; i < x->predictions.count; i++)
        if (x->predictions.at[i].function != BARRIER_NO_FUNCTION)
            barriers_hand_on(x, &x->predictions.at[i]);
    inherit(x);
    for (uint32_t i = 0; i < x->predictions.count; i++)
        place_joins(x, i);
    for (uint32_t i = 0; i < x->predictions.count; i++)
        place_waits(x, i);
    follow_splits(x);
    for (uint32_t i = 0; i < x->predictions.count; i++)
        remove_marks(x, &x->predictions.at[i]);
    if (x->predictions.count)
        barriers_look(x);
}
