/* detect_predictions.c: predictions that nobody wrote ("Speculative Reconvergence", section 4.5), and whether
 * those of the source pay. Runs for -fpredict=auto, and for -fpredict=found, where the source has none left.
 *
 * Three patterns: *iteration delay*, a divergent branch in a loop, one side of which is to be run by lanes of
 * several iterations together; *loop merge*, a loop that lanes leave in different iterations inside another
 * one; and *ways* that lead to one block, none of which reconverges there: to a side of a condition of several
 * terms, or back to the begin of a loop. The label is at the start of the side or of the inner loop's body, or
 * at the block; the Predict in front of a loop around, or where the ways part. Which of them pay, and from how
 * many lanes on, is found in a model of warps (weigh_prediction.c). Of an outermost loop the prediction is
 * taken that saves most, then, with that, the one that saves most besides. One that saves less than a margin
 * (sampled_warps.c), or costs if what is not known of the data is otherwise, is not, and a remark says what was
 * found. One that could not save what another one does is not weighed.
 *
 * At last arms that nearly every warp runs anyway are predicated (predicate_arms.c).
 *
 * A loop nest with predictions of the source keeps them: if it is one, it is weighed in the same way, and keeps
 * its threshold unless another one saves as much more; several are left as they are. None is dropped. Whatever
 * is declined, or does not pay, has a remark that says why.
 */
#include "opt/predict/detect_predictions.h"

enum { MOST_OF_NEST = 3 };

static bool pays(const struct detection *d, struct weighed w)
{
    return !w.sums.far && detect_saves(d, w.with, w.without) && !w.risky && !w.chance;
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

static unsigned long long of_a_warp(struct weighed w, uint64_t cycles)
{
    return cycles / w.sums.warps;
}

static void tell(const struct detection *d, const struct candidate *k, struct weighed w, bool taken)
{
    enum opt_remark_kind kind = taken ? OPT_APPLIED : OPT_MISSED;
    bool less = pays(d, w) || (w.sums.far && detect_saves(d, w.with, w.without));
    const char *verdict = taken      ? "pays"
                          : less     ? "pays less than another"
                          : w.risky  ? "pays by a guess, and costs by others"
                          : w.chance ? "pays for some warps, and not for all"
                                     : "does not pay";
    if (w.with == UINT64_MAX)
        opt_remark(d->c, d->f, OPT_MISSED, "predict-steps", k->at,
                   "%s was not weighed: limit of %u steps reached (--limit=predict_steps=N)", kind_of(k),
                   d->c->options->limits[OPT_LIMIT_predict_steps]);
    else
        opt_remark(d->c, d->f, kind, "predict", k->at,
                   "%s %s: in the model a warp takes %s%llu cycles instead of %llu if %s at line %u%s",
                   kind_of(k), verdict, w.sums.far ? "more than " : "", of_a_warp(w, w.with),
                   of_a_warp(w, w.without), lanes_text(d->arena, w.threshold), place_of(d->f, k->label).line,
                   !k->threshold || w.threshold == k->threshold
                       ? ""
                       : arena_printf(d->arena, ", not %u", k->threshold));
}

/* ---- the source's ------------------------------------------------------------------------------------ */

/* One that does not pay stays as it is: who wrote it may know more than the model. Like all notes of the group
 * `perf` what is said is no warning, which -Werror would refuse. */
static void tell_kept(const struct detection *d, const struct candidate *k, struct weighed w)
{
    bool costs = w.with > w.without;
    const char *figures =
        arena_printf(d->arena, "in the model a warp takes %llu cycles instead of %llu if %s at line %u",
                     of_a_warp(w, w.with), of_a_warp(w, w.without), lanes_text(d->arena, w.threshold),
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
        struct weighed w = detect_weigh(d, k, NULL);
        bool better = pays(d, w) || (w.own != UINT64_MAX && detect_saves(d, w.with, w.own));
        if (!better && w.own != UINT64_MAX) {
            w.with = w.own;
            w.threshold = k->threshold;
        }
        if (pays(d, w) || w.own == UINT64_MAX)
            tell(d, k, w, pays(d, w));
        else
            tell_kept(d, k, w);
        if (better)
            detect_set_threshold(d->f, i, w.threshold);
        changed |= better;
    }
    return changed;
}

/* ---- those that are found ---------------------------------------------------------------------------- */

/* Whether the source has predictions in the nest. */
static bool is_users(const struct detection *d, const struct candidate *k)
{
    return k->nest == IR_NO_CYCLE ? d->f->predictions != 0 : bitset_has(d->users, k->nest);
}

/* Why a candidate is not to be weighed. */
struct reason {
    const char *id, *text; /* id: NULL: it is to be weighed */
};

/* saved: by another one in the nest; count: those that are to be. */
static struct reason why_not(const struct detection *d, const struct candidate *k, uint64_t saved,
                             uint32_t count)
{
    bool endless = false;
    uint32_t most = d->c->options->limits[OPT_LIMIT_predict_candidates];
    ir_ref obstacle = k->start == IR_NO_BLOCK ? 0 : detect_obstacle(d, k, &endless);
    if (!detect_is_idle(d, k))
        return (struct reason){"predict", arena_printf(d->arena, "it has to save %u %%", d->margin)};
    if (k->idle <= saved)
        return (struct reason){"predict", "another one saves as much"};
    if (k->at_loop)
        return (struct reason){"loop", "a loop begins there, with no block in front of it"};
    if (k->start == IR_NO_BLOCK)
        return (struct reason){"entries", "no block leads to the loop alone"};
    if (is_users(d, k))
        return (struct reason){"source", "the source has a prediction in the loop"};
    if (obstacle)
        return (struct reason){"convergent",
                               arena_printf(d->arena,
                                            "the convergent operation in line %u would have other threads",
                                            ir_at(d->f, obstacle)->at.line)};
    if (endless)
        return (struct reason){"endless", "the function may never return from its region"};
    if (d->f->predictions + d->taken.count + count >= IR_MAX_PREDICTIONS)
        return (struct reason){
            "predictions",
            arena_printf(d->arena, "limit of %u predictions of a function reached", IR_MAX_PREDICTIONS)};
    if (count >= most)
        return (struct reason){
            "predict-candidates",
            arena_printf(d->arena, "limit of %u reached (--limit=predict_candidates=N)", most)};
    return (struct reason){NULL, NULL};
}

/* Of the candidates that may save most. */
bool detect_is_promising(struct detection *d, uint32_t per_cent)
{
    bool promising = d->f->predictions;
    uint32_t most = opt_option(d->c, OPT_OPTION_predict_screen);
    vec_clear(&d->all);
    detect_candidates(d);
    for (uint32_t i = 0, count = 0; i < d->all.count && !promising && count < most; i++) {
        const struct candidate *k = &d->all.at[i];
        if (k->idle * 100 < d->plain.cycles * per_cent || why_not(d, k, 0, count).id)
            continue;
        promising = detect_saves_something(d, k);
        count++;
    }
    return promising;
}

/* Says why if the candidate is not to be weighed, unless others were taken already. */
static bool is_declined(const struct detection *d, const struct candidate *k, uint64_t saved, uint32_t count)
{
    struct reason why = why_not(d, k, saved, count);
    if (why.id && !d->taken.count)
        opt_remark(
            d->c, d->f, OPT_MISSED, why.id, k->at,
            "%s is not tried at line %u: %s; in the model it could save at most %llu of a warp's %llu cycles",
            kind_of(k), place_of(d->f, k->label).line, why.text, detect_of_a_warp(d, k->idle),
            detect_of_a_warp(d, d->plain.cycles));
    return why.id;
}

/* Whether it is as the one before, but for the loop around: what holds for both is reported once. */
static bool is_same(const struct detection *d, uint32_t i)
{
    const struct candidate *k = &d->all.at[i], *before = i ? k - 1 : NULL;
    return before && before->label == k->label && before->pattern == k->pattern &&
           before->at.line == k->at.line && before->at.column == k->at.column;
}

/* Whether the label has a prediction, or was weighed before and has none that saves anything. */
static bool is_settled(const struct detection *d, uint32_t label)
{
    for (uint32_t i = 0; i < d->taken.count; i++)
        if (d->taken.at[i].label == label)
            return true;
    return bitset_has(d->hopeless, label);
}

static void note_hopeless(struct detection *d, const struct candidate **of, const struct weighed *w,
                          uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        bitset_add(d->hopeless, of[i]->label);
    for (uint32_t i = 0; i < count; i++)
        if (w[i].with < w[i].without)
            bitset_remove(d->hopeless, of[i]->label);
}

/* Takes of each nest the candidate that saves most. Where others are taken already, nothing is said of those
 * that are not. False: none is. */
static bool choose(struct detection *d)
{
    uint32_t count = 0, before = d->taken.count;
    struct weighed *w = arena_array(d->arena, struct weighed, d->all.count + 1);
    const struct candidate **of = arena_array(d->arena, const struct candidate *, d->all.count + 1);
    struct weighed *best = arena_array(d->arena, struct weighed, d->cycles->count + 1);
    for (uint32_t i = 0; i < d->all.count; i++) {
        const struct candidate *k = &d->all.at[i];
        struct weighed *most = &best[k->nest == IR_NO_CYCLE ? d->cycles->count : k->nest], *this = &w[count];
        uint64_t saved = most->without - most->with;
        if (is_settled(d, k->label) || (is_users(d, k) && is_same(d, i)) || is_declined(d, k, saved, count))
            continue;
        *this = detect_weigh(d, k, saved ? most : NULL);
        of[count++] = k;
        if (pays(d, *this) && this->without - this->with > saved)
            *most = *this;
    }
    for (uint32_t i = 0; i < count; i++) {
        bool taken = pays(d, w[i]);
        for (uint32_t k = 0; k < count; k++)
            taken &= k == i || of[k]->nest != of[i]->nest || !pays(d, w[k]) ||
                     w[k].without - w[k].with < w[i].without - w[i].with ||
                     (w[k].without - w[k].with == w[i].without - w[i].with && i < k);
        if (taken || !before)
            tell(d, of[i], w[i], taken);
        if (!taken)
            continue;
        vec_push(d->arena, &d->taken, *of[i]);
        vec_last(&d->taken).threshold = w[i].threshold;
    }
    note_hopeless(d, of, w, count);
    return d->taken.count > before;
}

/* ---- the function ------------------------------------------------------------------------------------ */

/* One after the other, each with those before it. Of a kernel that is screened out none is taken: there are
 * only remarks. */
static bool find(struct detection *d)
{
    for (uint32_t n = 0; n < MOST_OF_NEST && (!d->screened_out || d->c->options->remarks); n++) {
        vec_clear(&d->all);
        detect_candidates(d);
        if (!choose(d))
            break;
        detect_measure(d);
    }
    bool predicated = detect_predicated_arms(d);
    for (uint32_t i = 0; i < d->taken.count; i++)
        insert(d, &d->taken.at[i], d->taken.at[i].threshold);
    return d->taken.count || predicated;
}

/* Whether there is a place for a prediction: before the model has figures, each saves enough. */
static bool has_places(struct detection *d)
{
    bool any = false;
    detect_candidates(d);
    for (uint32_t i = 0; i < d->all.count && !any; i++)
        any = d->all.at[i].start != IR_NO_BLOCK && !d->all.at[i].at_loop;
    return any;
}

static bool work_on(struct opt_context *c, struct ir_function *f, const uint64_t *functions)
{
    struct scratch scratch;
    struct detection d = {.c = c,
                          .f = f,
                          .functions = functions,
                          .lanes = 1,
                          .arena = scratch_begin(&scratch),
                          .cfg = opt_cfg(c, f),
                          .dominators = opt_dominators(c, f),
                          .post = opt_return_post_dominators(c, f),
                          .cycles = opt_cycles(c, f),
                          .u = opt_machine_uniformity(c, f)};
    d.hints = (struct cost_hints){.profile = opt_profile(c, f),
                                  .launch = cost_launch_of(d.arena, f, c->options),
                                  .warp = c->options->warp};
    bool changed = false;
    uint32_t n = f->predictions, *starts = arena_array(d.arena, uint32_t, n + 1),
             *points = arena_array(d.arena, uint32_t, n + 1);
    struct candidate *users = arena_array(d.arena, struct candidate, n + 1);
    d.users = bitset_new(d.arena, d.cycles->count + 1);
    d.hopeless = bitset_new(d.arena, f->blocks.count);
    bool known = find_users(&d, users, starts, points) && bitset_count(d.u->branches);
    d.has_places = known && (n || has_places(&d));
    if (known && (d.has_places || c->options->remarks)) {
        detect_model(&d);
        detect_tell_model(&d);
        changed = weigh_users(&d, users, starts, points);
        if (changed)
            detect_measure(&d);
        changed |= find(&d);
    }
    scratch_end(&scratch);
    return changed;
}

/* A function that was inlined wherever it was called is there to be dropped. */
static bool is_reached(const struct ir_function *f, const uint64_t *functions)
{
    return f->order.count && ((f->flags & IR_FN_KERNEL) || functions[f->id]);
}

/* Marks both sides of all branches: those are predicated that can be. */
static bool predicate_all(struct ir_function *f)
{
    bool any = false;
    ir_each_block(i, b, f)
        if (ir_at(f, ir_terminator(f, b))->op == IR_brif) {
            ir_block_at(f, b)->predicated = IR_BOTH_SIDES;
            any = true;
        }
    return any;
}

bool opt_detect_predictions(struct opt_context *c, struct ir_module *m)
{
    bool changed = false;
    for (uint32_t i = 0; i < m->functions.count && opt_option(c, OPT_OPTION_predicate) == OPT_predicate_all;
         i++)
        changed |= predicate_all(m->functions.at[i]);
    if (!opt_finds_predictions(c->options))
        return changed;
    const uint64_t *functions = opt_costs(c, m)->at;
    for (uint32_t i = 0; i < m->functions.count; i++)
        if (is_reached(m->functions.at[i], functions))
            changed |= work_on(c, m->functions.at[i], functions);
    return changed;
}
