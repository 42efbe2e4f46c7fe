/* detect_predictions.c: predictions that nobody wrote ("Speculative Reconvergence", section 4.5), and whether
 * those of the source pay. Runs for -fpredict=auto, and for -fpredict=found, where the source has none left.
 *
 * Three patterns: *iteration delay*, a divergent branch in a loop, one side of which is to be run by lanes of
 * several iterations together; *loop merge*, a loop that lanes leave in different iterations inside another
 * one; and *ways* that lead to one block, none of which reconverges there: to a side of a condition of several
 * terms, or back to the begin of a loop. The label is at the start of the side or of the inner loop's body, or
 * at the block; the Predict in front of a loop around, or where the ways part. Which of them pay, and from how
 * many lanes on, is found by sampled warps that run the code that there would be (try_prediction.c) in a model
 * (opt/cost/cost.h): the cycles without the prediction against those with it and some thresholds. Of an
 * outermost loop the prediction is taken that saves most, then, with that, the one that saves most besides. One
 * that saves less than DETECT_MARGIN per cent, or costs if what is not known of the data is otherwise, is not,
 * and a remark says what was found.
 *
 * A loop nest with predictions of the source keeps them: if it is one, it is weighed in the same way, and keeps
 * a threshold that it names unless another one saves as much more; several are left as they are. None is
 * dropped. Whatever is declined, or does not pay, has a remark that says why.
 */
#include "opt/predict/detect_predictions.h"

enum { ALL = 0, STEPS_OF_THRESHOLDS = 8, MOST_STEP = 4, MOST_OF_NEST = 3, SMALLER_SAMPLES = 2 };

struct weighed {
    uint64_t without, with, own; /* own: with the source's threshold, where there is one of the source */
    uint32_t threshold;
    bool risky; /* it costs if what is not known is otherwise */
};
/* ---- weighing ---------------------------------------------------------------------------------------- */

static uint64_t steps_of_a_warp(const struct detection *d)
{
    return d->c->options->limits[OPT_LIMIT_predict_steps] / d->warps;
}

/* The cycles of these warps in the code; UINT64_MAX: not found out. */
static uint64_t cycles_of_warps(const struct detection *d, const struct cost_code *code,
                                const struct cost_sample *const *warps, uint32_t count)
{
    struct cost_figures figures = {0};
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        cost_replay(warps[i], code, steps_of_a_warp(d), UINT64_MAX, &figures);
        sum += figures.cycles;
        if (figures.cut)
            return UINT64_MAX;
    }
    return sum;
}

static uint64_t cycles_of(const struct detection *d, const struct cost_code *code)
{
    return cycles_of_warps(d, code, d->sample, d->warps);
}

/* Whether so many cycles are so many fewer that it is worth it. */
static bool saves(const struct detection *d, uint64_t with, uint64_t without)
{
    return with < without && (without - with) * 100 >= without * d->margin;
}

/* Whether it would cost if what is not known of the kernel's data were otherwise. */
static bool is_risky(const struct detection *d, const struct cost_code *code)
{
    for (uint32_t i = 1; i < COST_GUESSES && d->guessed; i++) {
        uint64_t without = cycles_of_warps(d, d->code, &d->guess[i], 1);
        uint64_t with = cycles_of_warps(d, code, &d->guess[i], 1);
        if (with > without)
            return true;
    }
    return false;
}

/* A prediction's codes: with the threshold that is tried, in this register, and with all waiting. */
struct tried {
    struct cost_code *some, *all;
    uint32_t reg;
};

static struct cost_code *with_threshold(const struct tried *t, uint32_t threshold)
{
    if (threshold == ALL)
        return t->all;
    cost_code_set_threshold(t->some, t->reg, threshold);
    return t->some;
}

static void try_threshold(const struct detection *d, const struct tried *t, uint32_t threshold,
                          struct weighed *best)
{
    uint64_t with = cycles_of(d, with_threshold(t, threshold));
    if (with < best->with) {
        best->with = with;
        best->threshold = threshold;
    }
}

/* All, then quarters of the warp; of the best of these, if it saves anything, the neighbours by a step, an
 * eighth of the warp or less; below a step powers of two. */
static void find_threshold(const struct detection *d, const struct tried *t, struct weighed *best)
{
    uint32_t step = d->lanes / STEPS_OF_THRESHOLDS, quarter = d->lanes / 4 ? d->lanes / 4 : 1;
    step = step > MOST_STEP ? MOST_STEP : step ? step : 1;
    try_threshold(d, t, ALL, best);
    for (uint32_t n = quarter; n < d->lanes; n += quarter)
        try_threshold(d, t, n, best);
    if (best->with >= best->without)
        return;
    uint32_t middle = best->threshold == ALL ? d->lanes : best->threshold;
    if (middle + step < d->lanes)
        try_threshold(d, t, middle + step, best);
    for (uint32_t n = middle > step ? middle - step : middle / 2; n; n = n > step ? n - step : n / 2) {
        try_threshold(d, t, n, best);
        if (best->threshold != n)
            break;
    }
}

/* A threshold that the source names is kept unless another one saves. Codes with different thresholds differ in
 * these alone, but for those of which all wait. */
static struct weighed weigh(struct detection *d, const struct candidate *k)
{
    bool found = k->number == DETECT_FOUND;
    struct tried t = {.some = detect_code(d, k, NULL, DETECT_TRIED), .all = detect_code(d, k, NULL, ALL)};
    struct weighed best = {.with = UINT64_MAX, .own = UINT64_MAX};
    best.without = found ? d->plain.cycles : cycles_of(d, detect_code(d, NULL, k, ALL));
    t.reg = cost_code_register(t.some, DETECT_TRIED);
    if (!d->plain.cut)
        find_threshold(d, &t, &best);
    best.risky =
        found && saves(d, best.with, best.without) && is_risky(d, with_threshold(&t, best.threshold));
    if (!found && best.with != UINT64_MAX)
        best.own = cycles_of(d, with_threshold(&t, k->threshold));
    if (k->threshold && best.own != UINT64_MAX && !saves(d, best.with, best.own))
        best = (struct weighed){best.without, best.own, best.own, k->threshold, false};
    return best;
}

/* What is said of a warp is the mean. */
static unsigned long long of_a_warp(const struct detection *d, uint64_t cycles)
{
    return cycles / d->warps;
}

static bool pays(const struct detection *d, struct weighed w)
{
    return saves(d, w.with, w.without) && !w.risky;
}

static const char *kind_of(const struct candidate *k)
{
    return k->number != DETECT_FOUND    ? "the prediction"
           : k->pattern == DETECT_LOOPS ? "merging the loops"
           : k->pattern == DETECT_DELAY ? "delaying iterations"
                                        : "bringing together those that come by several ways";
}

static const char *lanes_text(struct arena *a, uint32_t threshold)
{
    return threshold == 1 ? "1 thread waits"
           : threshold    ? arena_printf(a, "%u threads wait", threshold)
                          : "all threads wait";
}

/* The first place in the source that the block has, or the blocks that it leads to; at last the function's. */
static place place_of(const struct ir_function *f, uint32_t b)
{
    for (uint32_t looks = 0; looks < f->order.count; looks++) {
        ir_each_ins(r, f, b)
            if (ir_at(f, r)->at.line)
                return ir_at(f, r)->at;
        if (!ir_block_at(f, b)->edges.count)
            break;
        b = ir_block_at(f, b)->edges.at[0].block;
    }
    return f->at;
}

/* Of a Predict at the end of the block: of the jump there, or of the loop behind it. */
static place place_before(const struct ir_function *f, uint32_t b)
{
    place at = ir_at(f, ir_terminator(f, b))->at;
    return at.line ? at : place_of(f, ir_block_at(f, b)->edges.at[0].block);
}

static void tell(const struct detection *d, const struct candidate *k, struct weighed w, bool taken)
{
    enum opt_remark_kind kind = taken ? OPT_APPLIED : OPT_MISSED;
    const char *verdict = taken        ? "pays"
                          : pays(d, w) ? "pays less than another"
                          : w.risky    ? "pays by a guess, and costs by others"
                                       : "does not pay";
    if (w.with == UINT64_MAX)
        opt_remark(d->c, d->f, OPT_MISSED, "predict-steps", k->at,
                   "%s was not weighed: limit of %u steps reached (--limit=predict_steps=N)", kind_of(k),
                   d->c->options->limits[OPT_LIMIT_predict_steps]);
    else
        opt_remark(d->c, d->f, kind, "predict", k->at,
                   "%s %s: in the model a warp takes %llu cycles instead of %llu if %s at line %u%s",
                   kind_of(k), verdict, of_a_warp(d, w.with), of_a_warp(d, w.without),
                   lanes_text(d->arena, w.threshold), place_of(d->f, k->label).line,
                   !k->threshold || w.threshold == k->threshold
                       ? ""
                       : arena_printf(d->arena, ", not %u", k->threshold));
}

/* ---- the source's ------------------------------------------------------------------------------------ */

/* One that does not pay stays as it is: who wrote it may know more than the model. Like all notes of the group
 * `perf` what is said is no warning, which -Werror would refuse. */
static void tell_kept(const struct detection *d, const struct candidate *k, struct weighed w)
{
    bool costs = w.own > w.without;
    const char *figures =
        arena_printf(d->arena, "in the model a warp takes %llu cycles instead of %llu if %s at line %u",
                     of_a_warp(d, w.own), of_a_warp(d, w.without), lanes_text(d->arena, k->threshold),
                     place_of(d->f, k->label).line);
    opt_remark(d->c, d->f, OPT_MISSED, "predict", k->at, "the prediction %s, and is kept: %s",
               costs ? "does not pay" : arena_printf(d->arena, "saves less than %u %%", d->margin), figures);
    if (costs && diag_is_on(d->c->diagnostics, DIAG_GROUP_perf, k->at.line))
        diag_add(d->c->diagnostics, DIAG_REMARK, "perf", (span){k->at, {0}},
                 "in @%s: the prediction seems to cost: %s", d->f->name, figures);
}

/* Predictions of the source, each one of its nest alone; nests of others are marked only. False: a function is
 * predicted too. */
static bool find_users(struct detection *d, struct candidate *users, uint32_t *starts, uint32_t *points)
{
    for (uint32_t i = 0; i < d->cfg->rpo_count; i++) {
        ir_each_ins(r, d->f, d->cfg->rpo[i]) {
            const struct ir_ins *ins = ir_at(d->f, r);
            if (ins->op == IR_predict_function) {
                opt_remark(d->c, d->f, OPT_MISSED, "predict-function", ins->at,
                           "predictions of a function that predicts another are not weighed, nor looked for");
                return false;
            }
            if (ins->op == IR_predict) {
                users[ins->imm].start = ins->block;
                users[ins->imm].threshold = ins->imm2;
                users[ins->imm].at = ins->at;
                starts[ins->imm]++;
            } else if (ins->op == IR_predict_point) {
                users[ins->imm].label = ins->block;
                users[ins->imm].nest = detect_outermost(d->cycles, ins->block);
                points[ins->imm]++;
            }
        }
    }
    return true;
}

static void insert(struct detection *d, const struct candidate *k, uint32_t threshold)
{
    struct opt_prediction_name name = {place_before(d->f, k->start), place_of(d->f, k->label)};
    if (detect_left_out(d, name))
        return;
    detect_insert(d->f, k, name, threshold);
    detect_report(d, name);
}

/* Says why a prediction of the source stays as it is. single: it has one start and one point in a nest of which
 * it is the only one. */
static bool is_left(const struct detection *d, const struct candidate *k, bool single)
{
    bool endless = false;
    ir_ref obstacle = single ? detect_obstacle(d, k, &endless) : 0;
    if (!single)
        opt_remark(
            d->c, d->f, OPT_MISSED, "source", k->at,
            "the prediction is not weighed: it has several places, others beside it, or no loop around");
    else if (obstacle)
        opt_remark(d->c, d->f, OPT_MISSED, "convergent", k->at,
                   "the prediction is not weighed: the convergent operation in line %u stands in its region",
                   ir_at(d->f, obstacle)->at.line);
    else if (endless)
        opt_remark(d->c, d->f, OPT_MISSED, "endless", k->at,
                   "the prediction is not weighed: the function may never return from its region");
    return !single || obstacle || endless;
}

static bool weigh_users(struct detection *d, struct candidate *users, const uint32_t *starts,
                        const uint32_t *points)
{
    uint32_t *count = arena_array(d->arena, uint32_t, d->cycles->count + 1), kept = d->f->predictions;
    bool changed = false;
    for (uint32_t i = 0; i < kept; i++) {
        if (!starts[i] || !points[i] || users[i].nest == IR_NO_CYCLE)
            continue;
        bitset_add(d->users, users[i].nest);
        count[users[i].nest]++;
    }
    for (uint32_t i = 0; i < kept; i++) {
        struct candidate *k = &users[i];
        bool single = starts[i] == 1 && points[i] == 1 && k->nest != IR_NO_CYCLE && count[k->nest] == 1;
        if (!starts[i] || is_left(d, k, single))
            continue;
        k->number = i;
        struct weighed w = weigh(d, k);
        if (!pays(d, w) && w.own != UINT64_MAX) {
            tell_kept(d, k, w);
            continue;
        }
        tell(d, k, w, pays(d, w));
        if (!pays(d, w))
            continue;
        detect_set_threshold(d->f, i, w.threshold);
        changed = true;
    }
    return changed;
}

/* ---- those that are found ---------------------------------------------------------------------------- */

static void decline(const struct detection *d, const struct candidate *k, const char *id, const char *why)
{
    if (d->taken.count)
        return;
    opt_remark(
        d->c, d->f, OPT_MISSED, id, k->at,
        "%s is not tried at line %u: %s; in the model it could save at most %llu of a warp's %llu cycles",
        kind_of(k), place_of(d->f, k->label).line, why, of_a_warp(d, k->idle), of_a_warp(d, d->plain.cycles));
}

/* Whether the source has predictions in the nest. */
static bool is_users(const struct detection *d, const struct candidate *k)
{
    return k->nest == IR_NO_CYCLE ? d->f->predictions != 0 : bitset_has(d->users, k->nest);
}

/* Says why if the candidate is not to be weighed. count: those that are. */
static bool is_declined(const struct detection *d, const struct candidate *k, uint32_t count)
{
    bool endless = false;
    uint32_t most = d->c->options->limits[OPT_LIMIT_predict_candidates];
    ir_ref obstacle = k->start == IR_NO_BLOCK ? 0 : detect_obstacle(d, k, &endless);
    if (!detect_is_idle(d, k))
        decline(d, k, "predict", arena_printf(d->arena, "it has to save %u %%", d->margin));
    else if (k->at_loop)
        decline(d, k, "loop", "a loop begins there, with no block in front of it");
    else if (k->start == IR_NO_BLOCK)
        decline(d, k, "entries", "no block leads to the loop alone");
    else if (is_users(d, k))
        decline(d, k, "source", "the source has a prediction in the loop");
    else if (obstacle)
        decline(d, k, "convergent",
                arena_printf(d->arena, "the convergent operation in line %u would have other threads",
                             ir_at(d->f, obstacle)->at.line));
    else if (endless)
        decline(d, k, "endless", "the function may never return from its region");
    else if (d->f->predictions + d->taken.count + count >= IR_MAX_PREDICTIONS)
        decline(d, k, "predictions",
                arena_printf(d->arena, "limit of %u predictions of a function reached", IR_MAX_PREDICTIONS));
    else if (count >= most)
        decline(d, k, "predict-candidates",
                arena_printf(d->arena, "limit of %u reached (--limit=predict_candidates=N)", most));
    else
        return false;
    return true;
}

/* Whether it is as the one before, but for the loop around: what holds for both is reported once. */
static bool is_same(const struct detection *d, uint32_t i)
{
    const struct candidate *k = &d->all.at[i], *before = i ? k - 1 : NULL;
    return before && before->label == k->label && before->pattern == k->pattern &&
           before->at.line == k->at.line && before->at.column == k->at.column;
}

/* Whether a prediction that was taken has its label there. */
static bool is_taken(const struct detection *d, uint32_t label)
{
    for (uint32_t i = 0; i < d->taken.count; i++)
        if (d->taken.at[i].label == label)
            return true;
    return false;
}

/* Takes of each nest the candidate that saves most. Where others are taken already, nothing is said of those
 * that are not. False: none is. */
static bool choose(struct detection *d)
{
    uint32_t count = 0, before = d->taken.count;
    struct weighed *w = arena_array(d->arena, struct weighed, d->all.count + 1);
    const struct candidate **of = arena_array(d->arena, const struct candidate *, d->all.count + 1);
    for (uint32_t i = 0; i < d->all.count; i++) {
        const struct candidate *k = &d->all.at[i];
        if (is_taken(d, k->label) || (is_users(d, k) && is_same(d, i)) || is_declined(d, k, count))
            continue;
        of[count] = k;
        w[count++] = weigh(d, k);
    }
    for (uint32_t i = 0; i < count; i++) {
        bool best = pays(d, w[i]);
        for (uint32_t k = 0; k < count; k++)
            best &= k == i || of[k]->nest != of[i]->nest || !pays(d, w[k]) ||
                    w[k].without - w[k].with < w[i].without - w[i].with ||
                    (w[k].without - w[k].with == w[i].without - w[i].with && i < k);
        if (best || !before)
            tell(d, of[i], w[i], best);
        if (!best)
            continue;
        vec_push(d->arena, &d->taken, *of[i]);
        vec_last(&d->taken).threshold = w[i].threshold;
    }
    return d->taken.count > before;
}

/* ---- the function ------------------------------------------------------------------------------------ */

static void measure(struct detection *d)
{
    d->code = detect_code(d, NULL, NULL, ALL);
    d->plain = (struct cost_figures){0};
    d->plain.executions = arena_array(d->arena, uint64_t, d->f->blocks.count);
    d->plain.visits = arena_array(d->arena, uint64_t, d->f->blocks.count);
    d->plain.extra = arena_array(d->arena, uint64_t, d->f->blocks.count);
    struct cost_figures one = d->plain;
    for (uint32_t i = 0; i < d->warps; i++) {
        cost_replay(d->sample[i], d->code, steps_of_a_warp(d), UINT64_MAX, &one);
        d->plain.cycles += one.cycles;
        d->plain.instructions += one.instructions;
        d->plain.cut |= one.cut;
    }
}

static bool any_sample_is_cut(const struct detection *d)
{
    for (uint32_t i = 0; i < d->warps; i++)
        if (d->sample[i]->cut)
            return true;
    return false;
}

/* What a model says that does not run to its end may be of the function's begin alone. */
static void tell_model(const struct detection *d)
{
    bool sample = any_sample_is_cut(d);
    opt_remark(d->c, d->f, OPT_APPLIED, "model", d->f->at,
               "in the model a warp executes %llu instructions in %llu cycles%s",
               of_a_warp(d, d->plain.instructions), of_a_warp(d, d->plain.cycles),
               d->f->predictions ? ", with the source's predictions" : "");
    enum opt_limit l = sample ? OPT_LIMIT_predict_sample : OPT_LIMIT_predict_steps;
    if (sample || d->plain.cut)
        opt_remark(d->c, d->f, OPT_MISSED, sample ? "predict-sample" : "predict-steps", d->f->at,
                   "the model does not run to its end: limit of %u reached (--limit=%s=N)",
                   d->c->options->limits[l], opt_limit_info[l].name);
}

/* How far the trips of a warp's lanes are apart: the most blocks that one runs, over their mean. */
static double spread_of(const struct cost_sample *s)
{
    double most = 0, sum = 0;
    for (uint32_t n = 0; n < s->lanes; n++) {
        most = s->lane[n].count > most ? s->lane[n].count : most;
        sum += s->lane[n].count;
    }
    return sum > 0 ? most * s->lanes / sum : 1;
}

/* Warps across the grid are probed, and those taken that stand in the middle of equal parts of them, ordered by
 * their spread: so kinds of warps count by how many there are of each. */
static void choose_warps(struct detection *d, struct cost_hints *hints, uint64_t budget)
{
    struct cost_hints probes[DETECT_PROBES] = {hints[0]};
    double spread[DETECT_PROBES];
    uint32_t count = cost_choose_warps(probes, DETECT_PROBES);
    d->warps = count < DETECT_WARPS ? count : DETECT_WARPS;
    for (uint32_t i = 0; i < count && count > DETECT_WARPS; i++) {
        struct scratch scratch;
        struct cost_hints probe = probes[i];
        double x = spread_of(cost_sample_new(scratch_begin(&scratch), d->u, d->functions, &probe,
                                             budget / DETECT_PROBE_SHARE / count));
        scratch_end(&scratch);
        uint32_t at = i;
        for (; at > 0 && spread[at - 1] > x; at--) {
            spread[at] = spread[at - 1];
            probes[at] = probes[at - 1];
        }
        spread[at] = x;
        probes[at] = probe;
    }
    for (uint32_t i = 0; i < d->warps; i++)
        hints[i] = probes[(2 * i + 1) * count / (2 * d->warps)];
}

static void sample_warps(struct detection *d, struct cost_hints *hints, uint64_t budget)
{
    hints[0].guess = 0;
    d->guessed = false;
    for (uint32_t i = 0; i < d->warps; i++) {
        d->sample[i] = cost_sample_new(d->arena, d->u, d->functions, &hints[i], budget / d->warps);
        d->guessed |= d->sample[i]->guessed;
    }
    d->lanes = d->sample[0]->lanes;
    for (uint32_t i = 1; i < COST_GUESSES && d->guessed; i++) {
        hints[0].guess = i;
        d->guess[i] = cost_sample_new(d->arena, d->u, d->functions, &hints[0], budget / d->warps);
    }
}

/* Where several warps are more than the model may run, the middle one alone tells more than the begin of each.
 * Lanes that run one after the other take many steps: then a smaller sample tells more than the begin of a
 * large one, but what it says of the rest is little. */
static void model_warps(struct detection *d, struct cost_hints *hints)
{
    uint64_t budget = d->c->options->limits[OPT_LIMIT_predict_sample];
    d->margin = DETECT_MARGIN;
    choose_warps(d, hints, budget);
    sample_warps(d, hints, budget);
    measure(d);
    if (d->warps > 1 && (d->plain.cut || any_sample_is_cut(d))) {
        hints[0] = hints[d->warps / 2];
        d->warps = 1;
        sample_warps(d, hints, budget);
        measure(d);
    }
    for (uint32_t n = 0; n < SMALLER_SAMPLES && d->plain.cut; n++) {
        budget /= 4;
        d->margin = DETECT_MARGIN_SMALLER;
        sample_warps(d, hints, budget);
        measure(d);
    }
    tell_model(d);
}

/* One after the other, each with those before it. */
static bool find(struct detection *d)
{
    for (uint32_t n = 0; n < MOST_OF_NEST; n++) {
        vec_clear(&d->all);
        detect_candidates(d);
        if (!choose(d))
            break;
        measure(d);
    }
    for (uint32_t i = 0; i < d->taken.count; i++)
        insert(d, &d->taken.at[i], d->taken.at[i].threshold);
    return d->taken.count != 0;
}

static bool work_on(struct opt_context *c, struct ir_function *f, const uint64_t *functions)
{
    struct scratch scratch;
    struct detection d = {.c = c,
                          .f = f,
                          .functions = functions,
                          .arena = scratch_begin(&scratch),
                          .cfg = opt_cfg(c, f),
                          .dominators = opt_dominators(c, f),
                          .post = opt_return_post_dominators(c, f),
                          .cycles = opt_cycles(c, f),
                          .u = opt_machine_uniformity(c, f)};
    struct cost_hints hints[DETECT_WARPS] = {{.profile = opt_profile(c, f),
                                              .launch = cost_launch_of(d.arena, f, c->options),
                                              .warp = c->options->warp}};
    bool changed = false;
    uint32_t n = f->predictions, *starts = arena_array(d.arena, uint32_t, n + 1),
             *points = arena_array(d.arena, uint32_t, n + 1);
    struct candidate *users = arena_array(d.arena, struct candidate, n + 1);
    d.users = bitset_new(d.arena, d.cycles->count + 1);
    if (find_users(&d, users, starts, points) && bitset_count(d.u->branches)) {
        model_warps(&d, hints);
        changed = weigh_users(&d, users, starts, points);
        changed |= find(&d);
    }
    scratch_end(&scratch);
    return changed;
}

bool opt_detect_predictions(struct opt_context *c, struct ir_module *m)
{
    bool changed = false;
    if (!opt_finds_predictions(c->options))
        return false;
    const uint64_t *functions = opt_costs(c, m)->at;
    for (uint32_t i = 0; i < m->functions.count; i++)
        if (m->functions.at[i]->order.count)
            changed |= work_on(c, m->functions.at[i], functions);
    return changed;
}
