/* weigh_prediction.c: what a prediction costs and saves, and from how many lanes on.
 *
 * Sampled warps run the code that there would be (try_prediction.c) in the model (opt/cost/cost.h): the cycles
 * without the prediction against those with it. Thresholds race: one is dropped as soon as the warps up to
 * there take an eighth more than with the best so far, or than without the prediction. Further warps of the
 * launch confirm what pays on all.
 */
#include "opt/predict/detect_predictions.h"

enum {
    STEPS_OF_THRESHOLDS = 8,
    MOST_STEP = 4,
    FAR = 8, /* see above: one part in so many */
};

struct race {
    const struct detection *d;
    /* the code without it, with the threshold in register `reg`, with all waiting */
    struct cost_code *none, *some, *all;
    uint32_t reg;
    struct cycle_sums bounds; /* one that reaches these is dropped */
    struct weighed best;
};

/* ---- codes ------------------------------------------------------------------------------------------- */

static struct race begin(const struct detection *d, const struct candidate *k)
{
    struct race r = {.d = d,
                     .none = k->number == DETECT_FOUND ? d->code : detect_code(d, NULL, k, DETECT_ALL),
                     .some = detect_code(d, k, NULL, DETECT_TRIED),
                     .all = detect_code(d, k, NULL, DETECT_ALL),
                     .best = {.own = UINT64_MAX, .sums = {.far = true}}};
    memset(r.bounds.at, 0xff, sizeof r.bounds.at);
    r.reg = cost_code_register(r.some, DETECT_TRIED);
    return r;
}

/* Codes with different thresholds differ in these alone, but for those of which all wait. */
static struct cost_code *with_threshold(const struct race *r, uint32_t threshold)
{
    if (threshold == DETECT_ALL)
        return r->all;
    cost_code_set_threshold(r->some, r->reg, threshold);
    return r->some;
}

/* ---- bounds ------------------------------------------------------------------------------------------ */

static uint64_t far_above(uint64_t cycles)
{
    return detect_plus(cycles, cycles / FAR);
}

/* Nothing is of use that takes far more than these up to a warp, or as much in the end. */
static void bound(struct cycle_sums *bounds, const struct cycle_sums *s, bool in_the_end)
{
    for (uint32_t i = 0; i < s->warps; i++) {
        uint64_t most = in_the_end && i + 1 == s->warps ? s->at[i] : far_above(s->at[i]);
        bounds->at[i] = bounds->at[i] < most ? bounds->at[i] : most;
    }
}

/* ---- the race ---------------------------------------------------------------------------------------- */

/* While all are dropped, the one that got farthest stands for them. */
static void try_threshold(struct race *r, uint32_t threshold)
{
    struct cycle_sums s = detect_sums(r->d, with_threshold(r, threshold), &r->bounds);
    if (s.far && (!r->best.sums.far || s.warps <= r->best.sums.warps))
        return;
    r->best.sums = s;
    r->best.threshold = threshold;
    if (!s.far)
        bound(&r->bounds, &s, true);
}

static bool saves(const struct race *r, const struct cycle_sums *without)
{
    const struct cycle_sums *s = &r->best.sums;
    return !s->far && s->at[s->warps - 1] < without->at[s->warps - 1];
}

/* All, and quarters of the warp; if one saves anything, its neighbours by a step, an eighth of the warp or
 * less; below a step powers of two. */
static void find_threshold(struct race *r, const struct cycle_sums *without)
{
    uint32_t lanes = r->d->lanes, quarter = lanes / 4 ? lanes / 4 : 1, step = lanes / STEPS_OF_THRESHOLDS;
    step = step > MOST_STEP ? MOST_STEP : step ? step : 1;
    try_threshold(r, DETECT_ALL);
    for (uint32_t n = quarter; n < lanes; n += quarter)
        try_threshold(r, n);
    if (!saves(r, without))
        return;
    uint32_t middle = r->best.threshold == DETECT_ALL ? lanes : r->best.threshold;
    if (middle + step < lanes)
        try_threshold(r, middle + step);
    for (uint32_t n = middle > step ? middle - step : middle / 2; n; n = n > step ? n - step : n / 2) {
        try_threshold(r, n);
        if (r->best.threshold != n)
            break;
    }
}

/* ---- a prediction ------------------------------------------------------------------------------------ */

static void add_up(struct weighed *w, const struct cycle_sums *without)
{
    w->with = w->sums.at[w->sums.warps - 1];
    w->without = without->at[w->sums.warps - 1];
}

static struct race race_found(const struct detection *d, const struct candidate *k,
                              const struct weighed *best)
{
    struct race r = begin(d, k);
    bound(&r.bounds, &d->sums, false);
    if (best)
        bound(&r.bounds, &best->sums, false);
    find_threshold(&r, &d->sums);
    add_up(&r.best, &d->sums);
    return r;
}

bool detect_saves_something(const struct detection *d, const struct candidate *k)
{
    struct race r = race_found(d, k, NULL);
    return saves(&r, &d->sums);
}

static struct weighed weigh_found(struct detection *d, const struct candidate *k, const struct weighed *best)
{
    struct race r = race_found(d, k, best);
    struct weighed w = r.best;
    if (w.sums.far || !detect_saves(d, w.with, w.without))
        return w;
    const struct cost_code *code = with_threshold(&r, w.threshold);
    w.risky = detect_is_risky(d, code);
    w.chance = d->screened_out || !detect_confirmed(d, code);
    return w;
}

/* The source's threshold takes part. One that it names is kept unless another one saves as much more. */
static struct weighed weigh_users(struct detection *d, const struct candidate *k)
{
    struct race r = begin(d, k);
    struct cycle_sums without = detect_sums(d, r.none, NULL);
    struct weighed own = {.threshold = k->threshold};
    own.sums = detect_sums(d, with_threshold(&r, own.threshold), NULL);
    add_up(&own, &without);
    own.own = own.with;
    r.best = own;
    bound(&r.bounds, &own.sums, true);
    find_threshold(&r, &without);
    add_up(&r.best, &without);
    return k->threshold && !detect_saves(d, r.best.with, own.with) ? own : r.best;
}

struct weighed detect_weigh(struct detection *d, const struct candidate *k, const struct weighed *best)
{
    if (d->plain.cut)
        return (struct weighed){.without = d->plain.cycles,
                                .with = UINT64_MAX,
                                .own = UINT64_MAX,
                                .sums = {.warps = d->warps, .far = true}};
    return k->number == DETECT_FOUND ? weigh_found(d, k, best) : weigh_users(d, k);
}
