/* predict.c: predictions: where their regions end, which can be honoured, and their joins, waits and rejoins
 * ("Speculative Reconvergence", sections 4.1 and 4.4).
 *
 * Threads join at each Predict, wait at the label and rejoin behind it. A function's wait stands at its entry;
 * here, calls that lead to it count as waits.
 *
 * A prediction lets threads of different iterations run together and keeps apart such as would have run
 * together. So it is refused, with a warning, where the threads of a convergent operation would be others:
 * where one stands in the prediction's area, unless an anchor's token controls it.
 */
#include "opt/convergence/barriers.h"

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

/* ---- regions ----------------------------------------------------------------------------------------- */

/* Whether the prediction begins in the block before, or where, one of its waits stands. */
static bool begins_before_wait(const struct barriers *x, const struct barrier_prediction *p, uint32_t b)
{
    ir_each_ins(r, x->f, b) {
        for (uint32_t i = 0; i < p->starts.count; i++)
            if (p->starts.at[i].predict == r)
                return true;
        for (uint32_t i = 0; i < p->points.count; i++)
            if (p->points.at[i] == r)
                return false;
    }
    return false;
}

/* Blocks at whose start a wait is ahead, backwards from the waits (equation 2). */
static void find_region(struct barriers *x, struct barrier_prediction *p)
{
    u32_vec work = {0};
    struct bitset begins = bitset_new(x->arena, x->f->blocks.count);
    p->region = bitset_new(x->arena, x->f->blocks.count);
    for (uint32_t i = 0; i < p->starts.count; i++)
        if (begins_before_wait(x, p, p->starts.at[i].block))
            bitset_add(begins, p->starts.at[i].block);
    for (uint32_t i = 0; i < p->points.count; i++)
        vec_push(x->arena, &work, ir_at(x->f, p->points.at[i])->block);
    while (work.count) {
        uint32_t b = vec_pop(&work);
        if (bitset_has(p->region, b) || bitset_has(begins, b))
            continue;
        bitset_add(p->region, b);
        ir_each_pred(q, b, x->cfg)
            vec_push(x->arena, &work, q);
    }
    p->size = bitset_count(p->region);
}

/* Whether a wait is ahead of the start. */
static bool is_ahead(const struct barriers *x, const struct barrier_prediction *p,
                     const struct barrier_start *s)
{
    const struct ir_block *b = ir_block_at(x->f, s->block);
    for (uint32_t e = 0; e < b->edges.count; e++)
        if (bitset_has(p->region, b->edges.at[e].block))
            return true;
    for (ir_ref r = s->predict; r; r = ir_at(x->f, r)->next)
        for (uint32_t i = 0; i < p->points.count; i++)
            if (p->points.at[i] == r)
                return true;
    return false;
}

/* Starts from which no wait can be reached but by another start: no thread is to join there, as none that
 * does not pass that one would ever leave. */
static void drop_idle_starts(struct barriers *x, struct barrier_prediction *p)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < p->starts.count; i++) {
        if (is_ahead(x, p, &p->starts.at[i]))
            p->starts.at[kept++] = p->starts.at[i];
        else
            ir_remove(x->f, p->starts.at[i].predict);
    }
    p->is_idle = kept == 0 && p->starts.count > 0;
    p->starts.count = kept;
}

/* The exits of the starts, and the blocks on the way there; gates: what dominates those. */
static void find_area(struct barriers *x, struct barrier_prediction *p)
{
    u32_vec work = {0};
    p->area = bitset_new(x->arena, x->f->blocks.count);
    for (uint32_t i = 0; i < p->starts.count; i++) {
        struct barrier_start *s = &p->starts.at[i];
        s->exit = x->post->depth[s->block] ? x->post->idom[s->block] : IR_NO_BLOCK;
        while (s->exit != IR_NO_BLOCK && bitset_has(p->region, s->exit))
            s->exit = x->post->idom[s->exit];
    }
    for (uint32_t i = 0; i < p->starts.count; i++) {
        struct bitset seen = bitset_new(x->arena, x->f->blocks.count);
        p->starts.at[i].gate = p->starts.at[i].block;
        vec_push(x->arena, &work, p->starts.at[i].block);
        while (work.count) {
            uint32_t b = vec_pop(&work);
            if (bitset_has(seen, b))
                continue;
            bitset_add(seen, b);
            p->starts.at[i].gate = ir_dominators_common(x->dominators, p->starts.at[i].gate, b);
            const struct ir_block *block = ir_block_at(x->f, b);
            for (uint32_t e = 0; e < block->edges.count; e++)
                if (block->edges.at[e].block != p->starts.at[i].exit)
                    vec_push(x->arena, &work, block->edges.at[e].block);
        }
        bitset_union(p->area, seen);
    }
}

/* ---- gates ------------------------------------------------------------------------------------------- */

/* Whether threads that are together at the end of block d come to the exit together, in the same iteration. */
static bool leads_to_exit(const struct barriers *x, const struct ir_cycles *cycles, uint32_t d, uint32_t exit)
{
    uint32_t own = cycles->innermost[d], other = cycles->innermost[exit];
    bool same = own == other || (other != IR_NO_CYCLE && cycles->at[other].header == exit &&
                                 cycles->at[other].parent == own);
    return same && d != exit && ir_dominates(x->post, exit, d);
}

/* Whether threads that control flow keeps together come to the block together: none that waits comes there. */
static bool is_before(const struct barriers *x, struct bitset areas, uint32_t d)
{
    ir_each_pred(q, d, x->cfg)
        if (bitset_has(areas, q))
            return false;
    return true;
}

/* All threads that come to the start's area together are to leave it together, whether they pass the start or
 * not: they join before it. False: there is no such place. */
static bool find_gate(struct barriers *x, const struct ir_cycles *cycles, struct bitset areas,
                      struct barrier_start *s)
{
    uint32_t d = s->gate;
    s->gate = IR_NO_BLOCK;
    if (s->exit == IR_NO_BLOCK || barriers_ends_kernel(x, s->exit))
        return true;
    while (d != IR_NO_BLOCK && !(leads_to_exit(x, cycles, d, s->exit) && is_before(x, areas, d)))
        d = x->dominators->idom[d];
    s->gate = d;
    return d != IR_NO_BLOCK;
}

static bool find_gates(struct barriers *x, struct barrier_prediction *p, struct bitset areas)
{
    const struct ir_cycles *cycles = opt_cycles(x->c, x->f);
    for (uint32_t i = 0; i < p->starts.count; i++)
        if (!find_gate(x, cycles, areas, &p->starts.at[i])) {
            opt_warning(x->c, x->f, DIAG_GROUP_predict, p->at,
                        "the prediction is not honoured: threads may come into its region by several ways");
            return false;
        }
    return true;
}

/* ---- what is refused --------------------------------------------------------------------------------- */

/* The anchor that the token stems from, or 0. */
static ir_ref anchor_of(const struct ir_function *f, ir_ref token)
{
    while (token && ir_at(f, token)->op == IR_loop)
        token = ir_at(f, token)->token;
    return token && ir_at(f, token)->op == IR_anchor ? token : 0;
}

/* Whether threads that execute the anchor together execute r with nobody else: nothing between them lets other
 * threads come along. */
static bool directly_behind(const struct ir_function *f, ir_ref anchor, ir_ref r)
{
    for (r = ir_at(f, r)->prev; r && r != anchor; r = ir_at(f, r)->prev) {
        enum ir_op op = (enum ir_op)ir_at(f, r)->op;
        if (op == IR_call || op == IR_icall || op == IR_predict_point)
            return false;
    }
    return r != 0;
}

/* Whether r is in the area; in the block of a start it may stand before the start. */
static bool in_area(const struct barriers *x, const struct barrier_prediction *p, ir_ref r)
{
    uint32_t b = ir_at(x->f, r)->block;
    if (!bitset_has(p->area, b) || bitset_has(p->region, b))
        return bitset_has(p->area, b);
    for (uint32_t i = 0; i < p->starts.count; i++)
        if (p->starts.at[i].block == b)
            for (ir_ref k = p->starts.at[i].predict; k; k = ir_at(x->f, k)->next)
                if (k == r)
                    return true;
    for (uint32_t i = 0; i < p->starts.count; i++)
        if (p->starts.at[i].block == b)
            return false;
    return true;
}

/* Whether convergent functions stand between it and the predicted one. */
static bool calls_through_convergent(const struct barriers *x, const struct barrier_prediction *p, ir_ref r)
{
    bool through_convergent = false;
    if (p->function != BARRIER_NO_FUNCTION)
        barriers_leads_to(x, r, x->of_function[p->function], &through_convergent);
    return through_convergent;
}

/* A convergent operation whose threads the prediction would change, in the area or by an anchor there; or 0. */
static ir_ref convergent_in(const struct barriers *x, const struct barrier_prediction *p)
{
    for (uint32_t i = 0; i < x->cfg->rpo_count; i++) {
        ir_each_ins(r, x->f, x->cfg->rpo[i]) {
            if (calls_through_convergent(x, p, r) && in_area(x, p, r))
                return r;
            if (!ir_is_convergent(x->f, r) || opt_is_token_op((enum ir_op)ir_at(x->f, r)->op))
                continue;
            ir_ref anchor = anchor_of(x->f, ir_at(x->f, r)->token);
            if (anchor && directly_behind(x->f, anchor, r))
                continue;
            if (in_area(x, p, r) || (anchor && in_area(x, p, anchor)))
                return r;
        }
    }
    return 0;
}

static const char *name_of(const struct barriers *x, const struct barrier_prediction *p)
{
    return p->function == BARRIER_NO_FUNCTION
               ? "label"
               : arena_printf(x->arena, "function '%s'", x->m->functions.at[p->function]->name);
}

/* Why the prediction can't be honoured: a warning has been given. */
static bool refuse(struct barriers *x, struct barrier_prediction *p)
{
    ir_ref obstacle;
    bool ends = true;
    for (uint32_t i = 0; i < p->starts.count; i++)
        ends &= p->starts.at[i].exit != IR_NO_BLOCK;
    if (!p->starts.count && !p->is_idle)
        return true; /* a label whose Predict is never reached */
    if (p->is_idle)
        opt_warning(x->c, x->f, DIAG_GROUP_predict, p->at,
                    "no thread comes from here to the predicted %s: the prediction has no effect",
                    name_of(x, p));
    else if ((obstacle = convergent_in(x, p)) != 0)
        opt_warning(
            x->c, x->f, DIAG_GROUP_predict, p->at,
            "the prediction is not honoured: the threads of the convergent operation in line %u would not "
            "be the same",
            ir_at(x->f, obstacle)->at.line);
    else if (!ends && !(x->f->flags & IR_FN_KERNEL))
        opt_warning(x->c, x->f, DIAG_GROUP_predict, p->at,
                    "the prediction is not honoured: the function may never return from its region");
    else if (p->function != BARRIER_NO_FUNCTION &&
             bitset_has(x->inherited[x->f->id], x->of_function[p->function]))
        opt_warning(x->c, x->f, DIAG_GROUP_predict, p->at,
                    "the prediction is not honoured: this may be called in a region of the same one");
    else
        return false;
    return true;
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
                        name_of(x, p), first->at.line);
    }
}

/* ---- placing ----------------------------------------------------------------------------------------- */

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
                   "threads wait for each other at the predicted %s, in %u blocks", name_of(x, p), p->size);
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
    for (uint32_t i = 0; i < x->predictions.count; i++) {
        struct barrier_prediction *p = &x->predictions.at[i];
        find_region(x, p);
        drop_idle_starts(x, p);
        find_area(x, p);
        if (refuse(x, p))
            remove_marks(x, p);
        else
            x->predictions.at[kept++] = *p;
    }
    x->predictions.count = kept;
    struct bitset areas = bitset_new(x->arena, x->f->blocks.count);
    for (uint32_t i = 0; i < kept; i++)
        bitset_union(areas, x->predictions.at[i].area);
    kept = 0;
    for (uint32_t i = 0; i < x->predictions.count; i++) {
        struct barrier_prediction *p = &x->predictions.at[i];
        if (find_gates(x, p, areas))
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
        struct barrier_prediction p = {
            .function = f, .reg = reg, .is_inherited = true, .size = UINT32_MAX};
        find_calls(x, &p);
        p.region = p.area = bitset_new(x->arena, x->f->blocks.count);
        for (uint32_t i = 0; i < x->cfg->rpo_count; i++)
            bitset_add(p.area, x->cfg->rpo[i]);
        barriers_hand_on(x, reg, p.area);
        vec_push(x->arena, &x->predictions, p);
    }
}

void barriers_predict(struct barriers *x)
{
    uint32_t forced = opt_option(x->c, OPT_OPTION_predict_threshold);
    find_predictions(x);
    if (opt_option(x->c, OPT_OPTION_predict) == OPT_predict_off) {
        for (uint32_t i = 0; i < x->predictions.count; i++)
            remove_marks(x, &x->predictions.at[i]);
        x->predictions.count = 0;
        return;
    }
    keep_honoured(x);
    for (uint32_t i = 0; i < x->predictions.count; i++) {
        struct barrier_prediction *p = &x->predictions.at[i];
        tell_thresholds(x, p);
        p->threshold = forced ? forced : p->threshold;
        p->reg = p->function == BARRIER_NO_FUNCTION ? (*x->registers)++ : x->of_function[p->function];
    }
    for (uint32_t i = 0; i < x->predictions.count; i++)
        if (x->predictions.at[i].function != BARRIER_NO_FUNCTION)
            barriers_hand_on(x, x->predictions.at[i].reg, x->predictions.at[i].area);
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
