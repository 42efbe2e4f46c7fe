/* sampled_warps.c: the warps of a kernel by which predictions are weighed, in the model of opt/cost/cost.h.
 *
 * Some lanes of a few warps are enough to screen out a kernel in which nothing will pay. Of most others a few
 * whole warps run to their end in a small part of the budget. Else warps across the grid are probed, and those
 * chosen that differ most.
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
    MUCH = 20,           /* of that saving, a few other warps are enough to confirm it */
    IDLE_OF_MIXED = 20,  /* per cent of the cycles that are lost where a prediction is tried by the screen */
    IDLE_OF_PARTS = 10,
};

/* ---- running them ------------------------------------------------------------------------------------ */

static uint64_t steps_of_a_warp(const struct detection *d)
{
    return d->c->options->limits[OPT_LIMIT_predict_steps] / d->shares;
}

/* The cycles of one warp in the code, or `most` and more; UINT64_MAX: not found out. */
static uint64_t cycles_of(const struct detection *d, const struct cost_code *code,
                          const struct cost_sample *s, uint64_t most)
{
    struct cost_figures figures = {0};
    cost_replay(s, code, steps_of_a_warp(d), most, &figures);
    return figures.cut ? UINT64_MAX : figures.cycles;
}

uint64_t detect_cycles(const struct detection *d, const struct cost_code *code,
                       const struct cost_sample *const *warps, uint32_t count)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count && sum != UINT64_MAX; i++)
        sum = detect_plus(sum, cycles_of(d, code, warps[i], UINT64_MAX));
    return sum;
}

struct cycle_sums detect_sums(const struct detection *d, const struct cost_code *code,
                              const struct cycle_sums *bounds)
{
    struct cycle_sums sums = {.warps = 0};
    for (uint64_t sum = 0; sums.warps < d->warps && !sums.far; sums.warps++) {
        uint64_t most = bounds ? bounds->at[sums.warps] : UINT64_MAX;
        sums.far = sum >= most;
        if (!sums.far)
            sum = detect_plus(sum, cycles_of(d, code, d->sample[sums.warps], most - sum));
        sums.far |= sum >= most;
        sums.at[sums.warps] = sum;
    }
    return sums;
}

/* Figures of the code that stands. */
static void replay_all(struct detection *d)
{
    d->plain = (struct cost_figures){0};
    d->plain.executions = arena_array(d->arena, uint64_t, d->f->blocks.count);
    d->plain.visits = arena_array(d->arena, uint64_t, d->f->blocks.count);
    d->plain.extra = arena_array(d->arena, uint64_t, d->f->blocks.count);
    d->plain.taken = arena_array(d->arena, uint64_t, d->code->edges.count);
    struct cost_figures one = d->plain;
    for (uint32_t i = 0; i < d->warps; i++) {
        cost_replay(d->sample[i], d->code, steps_of_a_warp(d), UINT64_MAX, &one);
        d->plain.cycles += one.cycles;
        d->plain.instructions += one.instructions;
        d->plain.cut |= one.cut;
        d->sums.at[i] = d->plain.cycles;
    }
    d->sums.warps = d->warps;
}

void detect_measure(struct detection *d)
{
    d->code = detect_code(d, NULL, NULL, DETECT_ALL);
    replay_all(d);
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

static void begin_model(struct detection *d, const struct cost_hints *hints, uint64_t budget, uint32_t shares,
                        uint32_t margin)
{
    d->warps = 0;
    d->parts = 1;
    d->guessed = false;
    d->margin = margin;
    d->budget = budget / shares;
    d->shares = shares;
    d->hints = *hints;
}

/* This warp alone. */
static void model_warp(struct detection *d, const struct cost_hints *hints, uint64_t budget, uint32_t margin)
{
    begin_model(d, hints, budget, 1, margin);
    add_sample(d, sample_warp(d, hints, budget));
    replay_all(d);
}

/* These, the middle one first. False: one is too long for its part of the budget, or they are for the steps. */
static bool model_several(struct detection *d, const struct probe *chosen, uint32_t count, uint64_t budget)
{
    begin_model(d, &chosen[count / 2].hints, budget, count, MARGIN);
    for (uint32_t i = 0; i < count; i++) {
        const struct probe *p = &chosen[(i + count / 2) % count];
        const struct cost_sample *s =
            p->sample && !p->sample->cut ? p->sample : sample_warp(d, &p->hints, d->budget);
        if (s->cut)
            return false;
        add_sample(d, s);
    }
    replay_all(d);
    return !d->plain.cut;
}

/* Some lanes of each warp are enough to tell where no prediction will pay: neither for all of them as if they
 * were one warp, whose lanes are as far apart as they come, nor for those of each warp by themselves, of whom
 * few lose little. *fit: they are not too long for their part of the budget. */
static bool passes_screen(struct detection *d, const struct cost_hints *warps, uint32_t count,
                          uint64_t budget, bool *fit)
{
    struct cost_hints mixed;
    *fit = true;
    if (count < 2 || !opt_option(d->c, OPT_OPTION_predict_screen) || !cost_mix(warps, count, &mixed))
        return true;
    begin_model(d, &mixed, budget, count, MARGIN);
    const struct cost_sample *s = sample_warp(d, &mixed, d->budget);
    *fit = !s->cut;
    if (!*fit)
        return true;
    add_sample(d, s);
    replay_all(d);
    if (d->plain.cut || detect_is_promising(d, IDLE_OF_MIXED))
        return true;
    begin_model(d, &mixed, budget, count, MARGIN);
    for (uint32_t i = 0; i < count; i++)
        add_sample(d, cost_sample_part(d->arena, s, i, count));
    d->parts = count;
    replay_all(d);
    return d->plain.cut || detect_is_promising(d, IDLE_OF_PARTS);
}

/* Several warps that are cut tell of the kernel's begin: then one alone, and parts of it at last. */
void detect_model(struct detection *d)
{
    uint64_t budget = d->c->options->limits[OPT_LIMIT_predict_sample];
    struct cost_hints given = d->hints, *hints = arena_array(d->arena, struct cost_hints, WARPS);
    struct probe chosen[WARPS] = {0};
    hints[0] = given;
    uint32_t count = cost_choose_warps(hints, WARPS);
    bool fit;
    d->code = detect_code(d, NULL, NULL, DETECT_ALL);
    d->screened_out = !passes_screen(d, hints, count, budget / SMALL_SHARE, &fit);
    for (uint32_t i = 0; i < count; i++)
        chosen[i].hints = hints[i];
    if (d->screened_out && !detect_needs_whole_warps(d))
        return;
    if (fit && model_several(d, chosen, count, budget / SMALL_SHARE))
        return;
    d->hints = given;
    count = choose_warps(d, budget, chosen);
    if (count > 1 && model_several(d, chosen, count, budget))
        return;
    const struct cost_hints *middle = &chosen[count / 2].hints;
    model_warp(d, middle, budget, MARGIN);
    for (uint32_t n = 0; n < SMALLER_SAMPLES && d->plain.cut; n++)
        model_warp(d, middle, d->budget / 4, MARGIN_SMALLER);
}

/* ---- what it says, confirmed ------------------------------------------------------------------------- */

/* Other warps across the launch, once each: those that are short. How many there are, `most` at most. */
static uint32_t sample_others(struct detection *d, uint32_t most)
{
    struct cost_hints hints[DETECT_OTHERS] = {d->hints};
    uint64_t budget = d->c->options->limits[OPT_LIMIT_predict_sample] / DETECT_OTHERS;
    uint32_t count = d->shares > 1 ? cost_choose_warps(hints, DETECT_OTHERS) : 0;
    for (; d->others_tried < count && count > d->warps && d->others < most; d->others_tried++) {
        /* so the first few of all stand far apart */
        uint32_t i = count == DETECT_OTHERS ? d->others_tried * 5 % DETECT_OTHERS : d->others_tried;
        const struct cost_sample *s = sample_warp(d, &hints[i], budget);
        if (!s->cut)
            d->other[d->others++] = s;
    }
    return d->others < most ? d->others : most;
}

static uint64_t cycles_of_others(const struct detection *d, const struct cost_code *code, uint32_t count)
{
    return detect_cycles(d, code, d->other, count);
}

static bool others_save(const struct detection *d, const struct cost_code *code, uint32_t count,
                        uint32_t per_cent)
{
    return detect_is_less(cycles_of_others(d, code, count), cycles_of_others(d, d->code, count), per_cent);
}

/* Few warps of many may be of one mind by chance, but hardly where they save much. */
bool detect_confirmed(struct detection *d, const struct cost_code *code)
{
    uint32_t few = sample_others(d, DETECT_WARPS);
    if (few == DETECT_WARPS && others_save(d, code, few, MUCH))
        return true;
    uint32_t count = sample_others(d, DETECT_OTHERS);
    return count <= d->warps || others_save(d, code, count, d->margin);
}

/* What is sampled has as many lanes as the model's warps. */
static const struct cost_sample *first_part(const struct detection *d, const struct cost_sample *s)
{
    return d->parts > 1 ? cost_sample_part(d->arena, s, 0, d->parts) : s;
}

/* The warp that stands for all, if what is not known is otherwise: number i below COST_GUESSES. */
static const struct cost_sample *const *guess(struct detection *d, uint32_t i)
{
    struct cost_hints hints = d->hints;
    hints.guess = i;
    if (!d->guess[i])
        d->guess[i] = first_part(d, sample_warp(d, &hints, d->budget));
    return &d->guess[i];
}

bool detect_is_risky(struct detection *d, const struct cost_code *code)
{
    bool risky = false;
    for (uint32_t i = 1; i < COST_GUESSES && d->guessed && !risky; i++)
        risky = detect_cycles(d, code, guess(d, i), 1) > detect_cycles(d, d->code, guess(d, i), 1);
    return risky;
}

/* Figures of these warps in the code as it stands. False: not found out. */
static bool measure(const struct detection *d, const struct cost_sample *const *warps, uint32_t count,
                    struct cost_figures *figures)
{
    uint32_t blocks = d->f->blocks.count;
    *figures = (struct cost_figures){.executions = arena_array(d->arena, uint64_t, blocks),
                                     .visits = arena_array(d->arena, uint64_t, blocks),
                                     .extra = arena_array(d->arena, uint64_t, blocks),
                                     .taken = arena_array(d->arena, uint64_t, d->code->edges.count)};
    for (uint32_t i = 0; i < count && !figures->cut; i++)
        cost_replay(warps[i], d->code, steps_of_a_warp(d), UINT64_MAX, figures);
    return !figures->cut;
}

bool detect_any_loses(struct detection *d,
                      bool (*loses)(const void *data, const struct cost_figures *figures), const void *data)
{
    uint32_t others = d->parts == 1 ? sample_others(d, DETECT_OTHERS) : 0;
    struct cost_figures figures;
    bool any = others > d->warps && (!measure(d, d->other, others, &figures) || loses(data, &figures));
    for (uint32_t i = 0; i < d->warps && d->parts > 1 && !any; i++)
        any = !measure(d, &d->sample[i], 1, &figures) || loses(data, &figures);
    for (uint32_t i = 1; i < COST_GUESSES && d->guessed && !any; i++)
        any = !measure(d, guess(d, i), 1, &figures) || loses(data, &figures);
    return any;
}

void detect_tell_model(const struct detection *d)
{
    bool sample = any_sample_is_cut(d);
    if (d->parts > 1) {
        opt_remark(d->c, d->f, OPT_APPLIED, "model", d->f->at,
                   "no prediction pays for %u threads of each of %u warps, so no more are run in the model "
                   "(-fpredict-screen=0 runs whole warps): they execute %llu instructions in %llu cycles",
                   d->lanes, d->warps, detect_of_a_warp(d, d->plain.instructions),
                   detect_of_a_warp(d, d->plain.cycles));
        return;
    }
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
