/* sampled_warps.c: the warps of a kernel by which predictions are weighed, in the model of opt/cost/cost.h.
 *
 * Of most kernels a few warps run to their end in a small part of the budget. Of others, warps across the grid
 * are probed, and those chosen that differ most.
 */
#include "opt/predict/detect_predictions.h"

enum {
    WARPS = DETECT_WARPS,
    SMALL_SHARE = 8,     /* one part in so many of the sample's budget is for warps that are short */
    PROBES = 16,         /* warps of a launch among which are chosen */
    PROBE_SHARE = 8,     /* one part in so many of the budget is for these together */
    SMALLER_SAMPLES = 2, /* see detect_model */
    MARGIN = 3,          /* per cent of the cycles that a prediction has to save */
    MARGIN_SMALLER = 50, /* the same where the sample is smaller than it should be */
};

/* ---- running them ------------------------------------------------------------------------------------ */

static uint64_t steps_of_a_warp(const struct detection *d)
{
    return d->c->options->limits[OPT_LIMIT_predict_steps] / d->warps;
}

uint64_t detect_cycles(const struct detection *d, const struct cost_code *code,
                       const struct cost_sample *const *warps, uint32_t count, uint64_t most)
{
    struct cost_figures figures = {0};
    uint64_t sum = 0;
    struct scratch scratch;
    struct arena *a = scratch_begin(&scratch);
    for (uint32_t i = 0; i < count && sum < most && !figures.cut; i++) {
        const struct cost_sample *s = warps[i];
        s = bitset_count(code->gone) ? cost_sample_without(a, s, code->gone) : s;
        cost_replay(s, code, steps_of_a_warp(d), most - sum, &figures);
        sum += figures.cycles;
    }
    scratch_end(&scratch);
    return figures.cut ? UINT64_MAX : sum;
}

void detect_measure(struct detection *d)
{
    d->code = detect_code(d, NULL, NULL, DETECT_ALL);
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

/* ---- choosing them ----------------------------------------------------------------------------------- */

/* How far the ways of a warp's lanes are apart: 1 over its activity factor. */
static double spread_of(const struct cost_sample *s)
{
    return s->visits ? (double)s->together * s->lanes / (double)s->visits : 1;
}

/* A warp that is probed. The sample is all of it, if that was not cut. */
struct probe {
    struct cost_hints hints;
    struct cost_sample *sample; /* NULL: it was not probed */
    double spread;
};

static struct cost_sample *sample_warp(const struct detection *d, const struct cost_hints *hints,
                                       uint64_t budget)
{
    return cost_sample_new(d->arena, d->u, d->functions, hints, budget);
}

/* Warps across the grid are probed, and those taken that stand in the middle of equal parts of them, ordered by
 * their spread: so kinds of warps count by how many there are of each. How many are taken. */
static uint32_t choose_warps(const struct detection *d, uint64_t budget, struct probe *chosen)
{
    struct cost_hints hints[PROBES] = {d->hints};
    struct probe all[PROBES];
    uint32_t count = cost_choose_warps(hints, PROBES), taken = count < WARPS ? count : WARPS;
    for (uint32_t i = 0; i < count; i++) {
        struct probe p = {.hints = hints[i]};
        uint32_t at = i;
        if (count > WARPS) {
            p.sample = sample_warp(d, &hints[i], budget / PROBE_SHARE / count);
            p.spread = spread_of(p.sample);
        }
        for (; at > 0 && all[at - 1].spread > p.spread; at--)
            all[at] = all[at - 1];
        all[at] = p;
    }
    for (uint32_t i = 0; i < taken; i++)
        chosen[i] = all[(2 * i + 1) * count / (2 * taken)];
    return taken;
}

/* ---- the model --------------------------------------------------------------------------------------- */

static void add_sample(struct detection *d, const struct cost_sample *s)
{
    d->sample[d->warps++] = s;
    d->guessed |= s->guessed;
    d->lanes = d->sample[0]->lanes;
}

/* This warp alone. */
static void model_warp(struct detection *d, const struct cost_hints *hints, uint64_t budget, uint32_t margin)
{
    d->warps = 0;
    d->guessed = false;
    d->margin = margin;
    d->budget = budget;
    d->hints = *hints;
    add_sample(d, sample_warp(d, hints, budget));
    detect_measure(d);
}

/* These, the middle one first. False: one is too long for its part of the budget, or they are for the steps. */
static bool model_several(struct detection *d, const struct probe *chosen, uint32_t count, uint64_t budget)
{
    d->warps = 0;
    d->guessed = false;
    d->margin = MARGIN;
    d->budget = budget / count;
    d->hints = chosen[count / 2].hints;
    for (uint32_t i = 0; i < count; i++) {
        const struct probe *p = &chosen[(i + count / 2) % count];
        const struct cost_sample *s =
            p->sample && !p->sample->cut ? p->sample : sample_warp(d, &p->hints, d->budget);
        if (s->cut)
            return false;
        add_sample(d, s);
    }
    detect_measure(d);
    return !d->plain.cut;
}

static bool model_short(struct detection *d, uint64_t budget)
{
    struct cost_hints hints[WARPS] = {d->hints};
    struct probe warps[WARPS] = {0};
    uint32_t count = cost_choose_warps(hints, WARPS);
    for (uint32_t i = 0; i < count; i++)
        warps[i].hints = hints[i];
    return model_several(d, warps, count, budget);
}

/* Several warps that are cut tell of the kernel's begin: then one alone, and parts of it at last. */
void detect_model(struct detection *d)
{
    uint64_t budget = d->c->options->limits[OPT_LIMIT_predict_sample];
    struct cost_hints given = d->hints;
    struct probe chosen[WARPS];
    if (model_short(d, budget / SMALL_SHARE))
        return;
    d->hints = given;
    uint32_t count = choose_warps(d, budget, chosen);
    if (count > 1 && model_several(d, chosen, count, budget))
        return;
    const struct cost_hints *middle = &chosen[count / 2].hints;
    model_warp(d, middle, budget, MARGIN);
    for (uint32_t n = 0; n < SMALLER_SAMPLES && d->plain.cut; n++)
        model_warp(d, middle, d->budget / 4, MARGIN_SMALLER);
}

/* ---- what it says, confirmed ------------------------------------------------------------------------- */

/* Few warps of many may be of one mind by chance. False: others are not to be had. */
static bool sample_others(struct detection *d)
{
    struct cost_hints hints[DETECT_OTHERS] = {d->hints};
    uint64_t budget = d->c->options->limits[OPT_LIMIT_predict_sample] / DETECT_OTHERS;
    uint32_t count = d->warps > 1 && !d->others ? cost_choose_warps(hints, DETECT_OTHERS) : 0;
    for (uint32_t i = 0; i < count && count > d->warps; i++) {
        const struct cost_sample *s = sample_warp(d, &hints[i], budget);
        if (!s->cut)
            d->other[d->others++] = s;
    }
    return d->others > d->warps;
}

static uint64_t cycles_of_others(const struct detection *d, const struct cost_code *code)
{
    return detect_cycles(d, code, d->other, d->others, UINT64_MAX);
}

bool detect_confirmed(struct detection *d, const struct cost_code *code)
{
    return !sample_others(d) || detect_saves(d, cycles_of_others(d, code), cycles_of_others(d, d->code));
}

bool detect_is_risky(struct detection *d, const struct cost_code *code)
{
    bool risky = false;
    for (uint32_t i = 1; i < COST_GUESSES && d->guessed && !risky; i++) {
        struct cost_hints hints = d->hints;
        hints.guess = i;
        if (!d->guess[i])
            d->guess[i] = sample_warp(d, &hints, d->budget);
        risky = detect_cycles(d, code, &d->guess[i], 1, UINT64_MAX) >
                detect_cycles(d, d->code, &d->guess[i], 1, UINT64_MAX);
    }
    return risky;
}

bool detect_is_no_worse(struct detection *d, const struct cost_code *code)
{
    return (!sample_others(d) || cycles_of_others(d, code) <= cycles_of_others(d, d->code)) &&
           !detect_is_risky(d, code);
}

void detect_tell_model(const struct detection *d)
{
    bool sample = any_sample_is_cut(d);
    opt_remark(d->c, d->f, OPT_APPLIED, "model", d->f->at,
               "in the model a warp executes %llu instructions in %llu cycles%s",
               detect_of_a_warp(d, d->plain.instructions), detect_of_a_warp(d, d->plain.cycles),
               d->f->predictions ? ", with the source's predictions" : "");
    enum opt_limit l = sample ? OPT_LIMIT_predict_sample : OPT_LIMIT_predict_steps;
    if (sample || d->plain.cut)
        opt_remark(d->c, d->f, OPT_MISSED, sample ? "predict-sample" : "predict-steps", d->f->at,
                   "the model does not run to its end: limit of %u reached (--limit=%s=N)",
                   d->c->options->limits[l], opt_limit_info[l].name);
}
