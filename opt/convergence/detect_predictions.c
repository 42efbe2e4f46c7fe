/* detect_predictions.c: predictions that nobody wrote ("Speculative Reconvergence", section 4.5), and whether
 * those of the source pay. Runs for -fpredict=auto alone.
 *
 * Two patterns in the cycle forest: *iteration delay*, a divergent branch in a loop, one side of which is to be
 * run by lanes of several iterations together; and *loop merge*, a loop that lanes leave in different
 * iterations inside another one. The label is at the start of the side or of the inner loop's body, the
 * Predict in front of the outer loop. Which of them pay, and from how many lanes on, is told by a warp that
 * runs sampled lanes in a model (opt/cost/cost.h): the cycles without the prediction against those with it at
 * each threshold of a list. Of an outermost loop one prediction is taken, the one that saves most; where it
 * saves less than DETECT_MARGIN per cent none is, and a remark says what was found.
 *
 * A loop nest with predictions of the source keeps them: if it is one, it is weighed in the same way, at its
 * own threshold if it names one, and dropped where it would not pay; several are left as they are.
 */
#include "opt/convergence/detect_predictions.h"

enum { CANDIDATES = 6, ALL = 0 };

static const uint32_t thresholds[] = {1, 2, 4, 8, 12, 16, 20, 24, 28, ALL};

struct weighed {
    uint64_t without, with;
    uint32_t threshold;
};
/* ---- weighing ---------------------------------------------------------------------------------------- */

static struct weighed weigh(struct detection *d, const struct candidate *k)
{
    struct scratch scratch;
    struct arena *a = scratch_begin(&scratch);
    const struct cost_sample *s = cost_sample_collapse(a, d->sample, k->label, d->further);
    struct cost_rules rules = {.label = IR_NO_BLOCK, .start = IR_NO_BLOCK};
    struct cost_figures figures = {0};
    uint64_t steps = d->c->options->limits[OPT_LIMIT_predict_steps];
    cost_replay(s, &rules, steps, &figures);
    struct weighed best = {.without = figures.cycles, .with = UINT64_MAX};
    rules = (struct cost_rules){k->label, k->start, detect_region(d, k->start, k->label), 0};
    for (uint32_t i = 0; !figures.cut && i < COUNT(thresholds); i++) {
        uint32_t threshold = k->threshold ? k->threshold : thresholds[i];
        rules.threshold = threshold;
        cost_replay(s, &rules, steps, &figures);
        if (!figures.cut && figures.cycles < best.with) {
            best.with = figures.cycles;
            best.threshold = threshold;
        }
        figures.cut = false;
        if (k->threshold)
            break;
    }
    scratch_end(&scratch);
    return best;
}

static bool pays(struct weighed w)
{
    return w.with < w.without && (w.without - w.with) * 100 >= w.without * DETECT_MARGIN;
}

static const char *kind_of(const struct candidate *k)
{
    return k->number != DETECT_FOUND ? "the prediction"
           : k->merge                ? "merging the loops"
                                     : "delaying iterations";
}

static const char *lanes_text(struct arena *a, uint32_t threshold)
{
    return threshold == 1 ? "1 thread" : threshold ? arena_printf(a, "%u threads", threshold) : "all threads";
}

/* The first place in the source that the block has. */
static place place_of(const struct ir_function *f, uint32_t b)
{
    ir_each_ins(r, f, b)
        if (ir_at(f, r)->at.line)
            return ir_at(f, r)->at;
    return (place){0};
}

static void tell(const struct detection *d, const struct candidate *k, struct weighed w, bool taken)
{
    enum opt_remark_kind kind = taken ? OPT_APPLIED : OPT_MISSED;
    const char *verdict = taken ? "pays" : pays(w) ? "pays less than another" : "does not pay";
    if (w.with == UINT64_MAX)
        opt_remark(d->c, d->f, OPT_MISSED, "predict-steps", k->at,
                   "%s was not weighed: limit of %u steps of a warp reached (--limit=predict_steps=N)",
                   kind_of(k), d->c->options->limits[OPT_LIMIT_predict_steps]);
    else
        opt_remark(d->c, d->f, kind, "predict", k->at,
                   "%s %s: in the model a warp takes %llu cycles instead of %llu if %s wait at line %u",
                   kind_of(k), verdict, (unsigned long long)w.with, (unsigned long long)w.without,
                   lanes_text(d->arena, w.threshold), place_of(d->f, k->label).line);
}

/* ---- the source's ------------------------------------------------------------------------------------ */

static void remove_prediction(struct ir_function *f, uint32_t number)
{
    ir_each_block(i, b, f) {
        for (ir_ref r = ir_block_at(f, b)->first, next; r; r = next) {
            next = ir_at(f, r)->next;
            enum ir_op op = ir_at(f, r)->op;
            if ((op == IR_predict || op == IR_predict_point) && ir_at(f, r)->imm == number)
                ir_remove(f, r);
        }
    }
}

/* Predictions of the source, each one of its nest alone; nests of others are marked only. False: a function is
 * predicted too. */
static bool find_users(struct detection *d, struct candidate *users, uint32_t *starts, uint32_t *points)
{
    for (uint32_t i = 0; i < d->cfg->rpo_count; i++) {
        ir_each_ins(r, d->f, d->cfg->rpo[i]) {
            const struct ir_ins *ins = ir_at(d->f, r);
            if (ins->op == IR_predict_function)
                return false;
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

/* ---- the function ------------------------------------------------------------------------------------ */

static void insert(struct detection *d, const struct candidate *k, uint32_t threshold)
{
    ir_ref end = ir_terminator(d->f, k->start);
    struct ir_cursor start = {d->f, k->start, end, ir_at(d->f, end)->at};
    struct ir_cursor label = {d->f, k->label, ir_block_at(d->f, k->label)->first, place_of(d->f, k->label)};
    ir_ref r = ir_emit0(&start, IR_predict, IR_TYPE_VOID);
    ir_ref p = ir_emit0(&label, IR_predict_point, IR_TYPE_VOID);
    ir_at(d->f, r)->imm = ir_at(d->f, p)->imm = d->f->predictions++;
    ir_at(d->f, r)->imm2 = threshold;
    detect_report(d, (struct opt_prediction_name){start.at, label.at});
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
        if (starts[i] != 1 || points[i] != 1 || k->nest == IR_NO_CYCLE || count[k->nest] != 1)
            continue;
        k->number = i;
        struct weighed w = weigh(d, k);
        bool taken = pays(w);
        tell(d, k, w, taken);
        if (!taken)
            remove_prediction(d->f, i);
        for (uint32_t b = 0; taken && b < d->f->order.count; b++)
            ir_each_ins(r, d->f, d->f->order.at[b])
                if (ir_at(d->f, r)->op == IR_predict && ir_at(d->f, r)->imm == i)
                    ir_at(d->f, r)->imm2 = w.threshold;
        changed = true;
    }
    return changed;
}

static bool choose(struct detection *d)
{
    uint32_t weighed_count = 0;
    struct weighed w[CANDIDATES];
    const struct candidate *of[CANDIDATES];
    for (uint32_t i = 0; i < d->all.count && weighed_count < CANDIDATES; i++) {
        const struct candidate *k = &d->all.at[i];
        bool endless;
        ir_ref obstacle = detect_obstacle(d, k, &endless);
        if (bitset_has(d->users, k->nest) || endless || d->f->predictions == IR_MAX_PREDICTIONS)
            continue;
        if (obstacle) {
            opt_remark(d->c, d->f, OPT_MISSED, "convergent", k->at,
                       "%s is not tried: the convergent operation in line %u would have other threads",
                       kind_of(k), ir_at(d->f, obstacle)->at.line);
            continue;
        }
        of[weighed_count] = k;
        w[weighed_count++] = weigh(d, k);
    }
    bool changed = false;
    for (uint32_t i = 0; i < weighed_count; i++) {
        bool best = pays(w[i]);
        for (uint32_t k = 0; k < weighed_count; k++)
            best &= k == i || of[k]->nest != of[i]->nest || !pays(w[k]) ||
                    w[k].without - w[k].with < w[i].without - w[i].with ||
                    (w[k].without - w[k].with == w[i].without - w[i].with && i < k);
        tell(d, of[i], w[i], best);
        if (best)
            insert(d, of[i], w[i].threshold);
        changed |= best;
    }
    return changed;
}

static void measure_plainly(struct detection *d)
{
    struct cost_rules rules = {.label = IR_NO_BLOCK, .start = IR_NO_BLOCK};
    d->plain.executions = arena_array(d->arena, uint64_t, d->f->blocks.count);
    d->plain.visits = arena_array(d->arena, uint64_t, d->f->blocks.count);
    d->plain.extra = arena_array(d->arena, uint64_t, d->f->blocks.count);
    d->further = arena_array(d->arena, double, d->f->blocks.count);
    cost_replay(d->sample, &rules, d->c->options->limits[OPT_LIMIT_predict_steps], &d->plain);
    for (uint32_t b = 0; b < d->f->blocks.count; b++)
        if (d->plain.visits[b] > d->plain.executions[b])
            d->further[b] = (double)d->plain.extra[b] / (double)(d->plain.visits[b] - d->plain.executions[b]);
}

static bool work_on(struct opt_context *c, struct ir_function *f, const uint64_t *functions,
                    const struct cost_branches *branches)
{
    struct scratch scratch;
    struct detection d = {.c = c,
                          .f = f,
                          .arena = scratch_begin(&scratch),
                          .cfg = opt_cfg(c, f),
                          .dominators = opt_dominators(c, f),
                          .post = opt_return_post_dominators(c, f),
                          .cycles = opt_cycles(c, f),
                          .u = opt_machine_uniformity(c, f)};
    struct cost_profile *profile = cost_profile_new(d.arena, d.cfg, branches, c->options);
    struct cost_hints hints = {.likely = profile ? cost_profile_likely : NULL,
                               .data = profile,
                               .launch = cost_launch_of(d.arena, f, c->options)};
    bool changed = false;
    uint32_t n = f->predictions, *starts = arena_array(d.arena, uint32_t, n + 1),
             *points = arena_array(d.arena, uint32_t, n + 1);
    struct candidate *users = arena_array(d.arena, struct candidate, n + 1);
    d.users = bitset_new(d.arena, d.cycles->count + 1);
    if (find_users(&d, users, starts, points) && d.cycles->count && bitset_count(d.u->branches)) {
        d.sample = cost_sample_new(d.arena, d.u, d.post, functions, &hints,
                                   c->options->limits[OPT_LIMIT_predict_sample]);
        measure_plainly(&d);
        detect_candidates(&d);
        changed = weigh_users(&d, users, starts, points);
        changed |= choose(&d);
    }
    scratch_end(&scratch);
    return changed;
}

bool opt_detect_predictions(struct opt_context *c, struct ir_module *m)
{
    bool changed = false;
    if (opt_option(c, OPT_OPTION_predict) != OPT_predict_auto)
        return false;
    const uint64_t *functions = cost_of_functions(c->scratch, m, opt_callees_first(c, m));
    const struct cost_branches *branches = cost_branches_new(c->scratch, m, c->options);
    for (uint32_t i = 0; i < m->functions.count; i++)
        if (m->functions.at[i]->order.count)
            changed |= work_on(c, m->functions.at[i], functions, branches);
    return changed;
}
