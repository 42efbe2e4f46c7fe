/* weigh_prediction.c: what a prediction costs and saves, and from how many lanes on.
 *
 * Sampled warps run the code that there would be (try_prediction.c) in the model (opt/cost/cost.h): the cycles
 * without the prediction against those with it. The first warp screens: it tells which threshold is best, and
 * whether it is worth while to run the others. If it pays on all, further warps of the launch confirm that.
 */
#include "opt/predict/detect_predictions.h"

enum {
    STEPS_OF_THRESHOLDS = 8,
    MOST_STEP = 4,
    FAR = 8, /* a replay ends where it costs one part in so many */
};

/* ---- codes ------------------------------------------------------------------------------------------- */

static struct tried_codes codes_of(const struct detection *d, const struct candidate *k)
{
    struct tried_codes t = {.none = k->number == DETECT_FOUND ? d->code : detect_code(d, NULL, k, DETECT_ALL),
                            .some = detect_code(d, k, NULL, DETECT_TRIED),
                            .all = detect_code(d, k, NULL, DETECT_ALL)};
    t.reg = cost_code_register(t.some, DETECT_TRIED);
    return t;
}

/* Codes with different thresholds differ in these alone, but for those of which all wait. */
static struct cost_code *with_threshold(const struct tried_codes *t, uint32_t threshold)
{
    if (threshold == DETECT_ALL)
        return t->all;
    cost_code_set_threshold(t->some, t->reg, threshold);
    return t->some;
}

/* ---- the first warp ---------------------------------------------------------------------------------- */

static uint64_t far_above(uint64_t cycles)
{
    return cycles < UINT64_MAX - cycles / FAR ? cycles + cycles / FAR : UINT64_MAX;
}

/* On the warps that w is of. most: it is of no use if it takes as many. */
static void try_threshold(const struct detection *d, const struct tried_codes *t, struct weighed *w,
                          uint32_t threshold, uint64_t most)
{
    uint64_t limit = w->with < most ? w->with : most;
    uint64_t with = detect_cycles(d, with_threshold(t, threshold), d->sample, w->warps, limit);
    if (with >= w->with)
        return;
    w->with = with;
    w->far = with >= most;
    w->threshold = threshold;
}

/* If that saves anything, neighbours of the best by a step, an eighth of the warp or less; below a step powers
 * of two. */
static void try_neighbours(const struct detection *d, const struct tried_codes *t, struct weighed *w,
                           uint64_t most)
{
    uint32_t step = d->lanes / STEPS_OF_THRESHOLDS;
    step = step > MOST_STEP ? MOST_STEP : step ? step : 1;
    if (w->far || w->with >= w->without)
        return;
    uint32_t middle = w->threshold == DETECT_ALL ? d->lanes : w->threshold;
    if (middle + step < d->lanes)
        try_threshold(d, t, w, middle + step, most);
    for (uint32_t n = middle > step ? middle - step : middle / 2; n; n = n > step ? n - step : n / 2) {
        try_threshold(d, t, w, n, most);
        if (w->threshold != n)
            break;
    }
}

/* All, and quarters of the warp. */
static void find_threshold(const struct detection *d, const struct tried_codes *t, struct weighed *w,
                           uint64_t most)
{
    uint32_t quarter = d->lanes / 4 ? d->lanes / 4 : 1;
    try_threshold(d, t, w, DETECT_ALL, most);
    for (uint32_t n = quarter; n < d->lanes; n += quarter)
        try_threshold(d, t, w, n, most);
    try_neighbours(d, t, w, most);
}

/* What was found is kept until the code is another one, or the model. */
const struct screened *detect_screen(struct detection *d, const struct candidate *k, uint64_t most)
{
    for (uint32_t i = 0; i < d->screened.count; i++) {
        const struct screened *s = &d->screened.at[i];
        if (s->label == k->label && s->start == k->start && s->number == k->number)
            return s;
    }
    struct screened s = {
        k->label, k->start, k->number, codes_of(d, k), {.with = UINT64_MAX, .warps = d->first_warps}};
    s.w.without = k->number == DETECT_FOUND
                      ? d->first
                      : detect_cycles(d, s.codes.none, d->sample, d->first_warps, UINT64_MAX);
    uint64_t far = far_above(s.w.without);
    find_threshold(d, &s.codes, &s.w, most < far ? most : far);
    s.w.first = s.w.with;
    vec_push(d->arena, &d->screened, s);
    return &vec_last(&d->screened);
}

/* ---- all warps --------------------------------------------------------------------------------------- */

static uint64_t cycles_of(const struct detection *d, const struct cost_code *code, uint64_t most)
{
    return detect_cycles(d, code, d->sample, d->warps, most);
}

/* What is best for the first warp has neighbours that may be better for all. */
static void weigh_found(struct detection *d, const struct tried_codes *t, struct weighed *w)
{
    uint64_t most = far_above(d->plain.cycles);
    if (w->far)
        return;
    w->without = d->plain.cycles;
    w->warps = d->warps;
    if (d->warps > d->first_warps) {
        w->with = UINT64_MAX;
        try_threshold(d, t, w, w->threshold, most);
        try_neighbours(d, t, w, most);
    }
    if (!detect_saves(d, w->with, w->without))
        return;
    const struct cost_code *code = with_threshold(t, w->threshold);
    w->risky = detect_is_risky(d, code);
    w->chance = d->screened_out || !detect_confirmed(d, code);
}

/* A threshold that the source names is kept unless another one saves. */
static void weigh_users(const struct detection *d, const struct candidate *k, const struct tried_codes *t,
                        struct weighed *w)
{
    w->warps = d->warps;
    w->without = cycles_of(d, t->none, UINT64_MAX);
    w->with = cycles_of(d, with_threshold(t, w->threshold), UINT64_MAX);
    w->far = false;
    w->own = w->with != UINT64_MAX ? cycles_of(d, with_threshold(t, k->threshold), UINT64_MAX) : w->own;
    if (k->threshold && w->own != UINT64_MAX && !detect_saves(d, w->with, w->own))
        *w = (struct weighed){w->without, w->own, w->own, .threshold = k->threshold, .warps = d->warps};
}

struct weighed detect_weigh(struct detection *d, const struct candidate *k, uint64_t most)
{
    struct weighed w = {.without = d->plain.cycles, .with = UINT64_MAX, .own = UINT64_MAX, .warps = d->warps};
    if (d->plain.cut)
        return w;
    const struct screened *s = detect_screen(d, k, most);
    struct tried_codes t = s->codes;
    w = s->w;
    w.own = UINT64_MAX;
    if (k->number == DETECT_FOUND)
        weigh_found(d, &t, &w);
    else
        weigh_users(d, k, &t, &w);
    return w;
}
