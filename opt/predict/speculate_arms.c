/* speculate_arms.c: arms that nearly every time run anyway are put before their branches: speculation, and
 * if-conversion where no branch is left of it (S. Mahlke et al., "Effective Compiler Support for Predicated
 * Execution Using the Hyperblock", chooses by a profile what to include).
 *
 * A warp whose lanes part pays for the branch, and at the end of each arm for a jump, or for the wait that it
 * falls into. An arm that only computes can run before the branch, for all lanes: then its end costs nothing,
 * since its lanes branch to where they wait. If both sides lead to one block then, there are selects instead
 * of the branch. What is lost are the arm's cycles each time that a group of lanes comes to the branch none of
 * which takes it. Of that the model knows how often it is (struct cost_figures). So blocks are taken in
 * post-order, that branches collapse from the inside, and of each branch the arms that save most. Then the
 * sampled warps run the code that there would be, and a change that costs something there is taken back.
 *
 * Unlike ifconvert this has no bound on how long an arm is. Here, what the model has not seen decides nothing.
 */
#include "opt/predict/detect_predictions.h"

enum {
    BOTH = 3,
    WORTH = 400, /* one part in so many of the cycles has to be saved */
    TRIALS = 6,
};

/* The function with what was chosen so far. */
struct arms {
    const struct detection *d;
    struct ir_function *f;
    uint32_t *preds; /* by block: edges into it */
    struct bitset gone, kept;
    struct opt_renaming renaming;
};

/* ---- changes ----------------------------------------------------------------------------------------- */

static bool has_mark(const struct ir_function *f, uint32_t b)
{
    ir_each_ins(r, f, b)
        if (opt_is_prediction((enum ir_op)ir_at(f, r)->op))
            return true;
    return false;
}

/* Blocks that something names: the entry, where threads reconverge, and labels. */
static void find_kept(struct arms *x)
{
    x->kept = bitset_new(x->d->arena, x->f->blocks.count);
    bitset_add(x->kept, ir_entry(x->f));
    for (uint32_t i = 0; i < x->d->taken.count; i++) {
        bitset_add(x->kept, x->d->taken.at[i].label);
        bitset_add(x->kept, x->d->taken.at[i].start);
    }
    ir_each_block(k, b, x->f)
        if (has_mark(x->f, b))
            bitset_add(x->kept, b);
}

static struct arms begin(const struct detection *d, struct ir_function *f)
{
    uint32_t blocks = f->blocks.count;
    struct arms x = {.d = d,
                     .f = f,
                     .preds = arena_array(d->arena, uint32_t, blocks),
                     .gone = bitset_new(d->arena, blocks),
                     .renaming.arena = d->arena};
    ir_each_block(k, b, f)
        for (uint32_t e = 0; e < ir_block_at(f, b)->edges.count; e++)
            x.preds[ir_block_at(f, b)->edges.at[e].block]++;
    find_kept(&x);
    return x;
}

static bool is_named(const struct arms *x, uint32_t b)
{
    bool named = bitset_has(x->kept, b);
    ir_each_block(k, from, x->f)
        named |= !bitset_has(x->gone, from) && ir_block_at(x->f, from)->reconverge == b;
    return named;
}

/* Whether nothing but edge e of the branch leads to the arm, from which one leads on, to another block. */
static bool is_arm(const struct arms *x, uint32_t branch, uint32_t e)
{
    const struct ir_edge *edge = &ir_block_at(x->f, branch)->edges.at[e];
    const struct ir_block *arm = ir_block_at(x->f, edge->block);
    return x->preds[edge->block] == 1 && !arm->params.count && ir_at(x->f, arm->last)->op == IR_br &&
           !edge->breaks && !arm->edges.at[0].breaks && arm->edges.at[0].block != edge->block &&
           arm->edges.at[0].block != branch && !is_named(x, edge->block);
}

/* What stands in the arm and cannot run before the branch, or 0. */
static ir_ref obstacle_in(const struct arms *x, uint32_t arm)
{
    ir_each_ins(r, x->f, arm)
        if (r != ir_block_at(x->f, arm)->last && !opt_may_speculate(x->f, r))
            return r;
    return 0;
}

static uint32_t target_of(const struct arms *x, struct speculation s, uint32_t e)
{
    uint32_t to = ir_block_at(x->f, s.branch)->edges.at[e].block;
    return s.arms >> e & 1 ? ir_block_at(x->f, to)->edges.at[0].block : to;
}

static const ir_ref *arguments_of(const struct arms *x, struct speculation s, uint32_t e)
{
    const struct ir_edge *edge = &ir_block_at(x->f, s.branch)->edges.at[e];
    return s.arms >> e & 1 ? ir_block_at(x->f, edge->block)->edges.at[0].args : edge->args;
}

static bool is_joined(const struct arms *x, struct speculation s)
{
    return target_of(x, s, 0) == target_of(x, s, 1);
}

static bool is_branch(const struct arms *x, uint32_t b)
{
    return !bitset_has(x->gone, b) && ir_at(x->f, ir_terminator(x->f, b))->op == IR_brif;
}

static bool are_arms(const struct arms *x, struct speculation s)
{
    return is_branch(x, s.branch) && (!(s.arms & 1) || is_arm(x, s.branch, 0)) &&
           (!(s.arms & 2) || is_arm(x, s.branch, 1));
}

static bool have_obstacle(const struct arms *x, struct speculation s)
{
    bool any = false;
    for (uint32_t e = 0; e < 2; e++)
        any |= s.arms >> e & 1 && obstacle_in(x, ir_block_at(x->f, s.branch)->edges.at[e].block);
    return any;
}

/* A block that only this one leads to, where a visit of it would tell nothing, becomes part of it. */
static void append_target(struct arms *x, uint32_t b)
{
    uint32_t to = ir_block_at(x->f, b)->edges.at[0].block;
    if (x->preds[to] != 1 || is_named(x, to) || bitset_has(x->kept, b))
        return;
    ir_each_ins(r, x->f, to)
        if (cost_is_access(x->f, r) || ir_is_convergent(x->f, r))
            return;
    bitset_add(x->gone, opt_target_append(&x->renaming, x->f, b));
}

static void speculate(struct arms *x, struct speculation s)
{
    bool joined = is_joined(x, s);
    for (uint32_t e = 0; e < 2; e++)
        if (s.arms >> e & 1) {
            bitset_add(x->gone, ir_block_at(x->f, s.branch)->edges.at[e].block);
            opt_hoist_arm(x->f, s.branch, e);
        }
    if (!joined)
        return;
    opt_join_by_selects(x->f, s.branch);
    x->preds[ir_block_at(x->f, s.branch)->edges.at[0].block]--;
    append_target(x, s.branch);
}

/* What was chosen. An inner branch that stays after all may leave no arm of an outer one. */
static struct arms speculated(const struct detection *d, struct ir_function *f)
{
    struct arms x = begin(d, f);
    for (uint32_t i = 0; i < d->speculated.count; i++)
        if (are_arms(&x, d->speculated.at[i]) && !have_obstacle(&x, d->speculated.at[i]))
            speculate(&x, d->speculated.at[i]);
    return x;
}

struct bitset detect_speculate(const struct detection *d, struct ir_function *f)
{
    if (!d->speculated.count)
        return bitset_new(d->arena, f->blocks.count);
    struct arms x = speculated(d, f);
    opt_rename_all(&x.renaming, f);
    ir_blocks_remove(f, x.gone);
    return x.gone;
}

/* ---- what they save ---------------------------------------------------------------------------------- */

/* How often the warps came to a block, by groups. */
static uint64_t times_at(const struct detection *d, uint32_t b)
{
    return d->plain.executions[b];
}

/* How often they came to the branch and no lane took the arm. parts: what came there was one of so many parts
 * of a warp, each of which misses the arm as often. */
static int64_t times_missed(const struct detection *d, uint32_t branch, uint32_t arm, uint32_t parts)
{
    double times = (double)times_at(d, branch), missed = times - (double)times_at(d, arm), all = missed;
    for (uint32_t k = 1; k < parts && times > 0; k++)
        all *= missed / times;
    return (int64_t)all;
}

/* Cycles that the warps need not, by how often they came to the branch and to its arms. What is moved then,
 * since a value of the other side still lives, is not known here. */
static int64_t gain_of(const struct arms *x, struct speculation s, uint32_t parts)
{
    int64_t times = (int64_t)times_at(x->d, s.branch), gain = 0;
    for (uint32_t e = 0; e < 2; e++) {
        uint32_t arm = ir_block_at(x->f, s.branch)->edges.at[e].block;
        int64_t missed = times_missed(x->d, s.branch, arm, parts);
        int64_t cost = cost_of_block(x->f, arm) - ir_cost_of(x->f, ir_terminator(x->f, arm));
        if (s.arms >> e & 1)
            gain += (times - missed) * ir_latency_cycles[IR_LAT_BR] - missed * cost;
    }
    if (is_joined(x, s)) {
        uint32_t values = ir_block_at(x->f, target_of(x, s, 0))->params.count;
        uint32_t selects = opt_count_selects(arguments_of(x, s, 0), arguments_of(x, s, 1), values);
        gain += times * (ir_latency_cycles[IR_LAT_BR] - (int64_t)selects * ir_latency_cycles[IR_LAT_ALU]);
    }
    return gain;
}

static bool is_worth(const struct detection *d, int64_t gain)
{
    return gain > 0 && (uint64_t)gain * WORTH >= d->plain.cycles;
}

struct choice {
    const struct detection *d;
    bool joined;    /* only those of which no branch is left; else only the others */
    uint32_t parts; /* see times_missed; with several, nothing is said of arms that stay */
    VEC(struct speculation) found;
    VEC(int64_t) gains;
    int64_t gain; /* of all together */
    int64_t sure; /* of it, what parts of warps gain already */
};

/* Says of an arm that would be worth it what keeps it behind its branch. */
static void tell_obstacle(const struct arms *x, struct speculation s)
{
    for (uint32_t e = 0; e < 2; e++) {
        ir_ref r = s.arms >> e & 1 ? obstacle_in(x, ir_block_at(x->f, s.branch)->edges.at[e].block) : 0;
        if (r)
            opt_remark(
                x->d->c, x->d->f, OPT_MISSED, ir_is_convergent(x->f, r) ? "convergent" : "effect",
                ir_at(x->f, r)->at, "the arm stays behind its branch in line %u: '%s' must not be speculated",
                ir_at(x->f, ir_terminator(x->f, s.branch))->at.line, ir_op_info[ir_at(x->f, r)->op].text);
    }
}

static void tell_loss(const struct arms *x, uint32_t b, int64_t gain)
{
    const struct detection *d = x->d;
    opt_remark(
        d->c, d->f, OPT_MISSED, "speculate", ir_at(x->f, ir_terminator(x->f, b))->at,
        "arms stay behind the branch: with selects instead a warp would take %llu cycles in the model, "
        "and not %llu",
        detect_of_a_warp(d, d->plain.cycles - (uint64_t)gain), detect_of_a_warp(d, d->plain.cycles));
}

/* Of the branch the arms that save most, as far as is known before it is tried. */
static void choose_arms(struct choice *c, struct arms *x, uint32_t b)
{
    struct speculation best = {b, 0};
    int64_t most = INT64_MIN;
    for (uint32_t arms = 1; arms <= BOTH; arms++) {
        struct speculation s = {b, arms};
        if (!are_arms(x, s) || is_joined(x, s) != c->joined)
            continue;
        int64_t gain = gain_of(x, s, c->parts);
        if (have_obstacle(x, s)) {
            if (c->joined && c->parts == 1 && is_worth(x->d, gain))
                tell_obstacle(x, s);
        } else if (gain > most) {
            most = gain;
            best = s;
        }
    }
    if (!best.arms || most <= 0) {
        if (best.arms && c->joined && c->parts == 1)
            tell_loss(x, b, most);
        return;
    }
    vec_push(x->d->arena, &c->found, best);
    vec_push(x->d->arena, &c->gains, most);
    c->gain += most;
    int64_t sure = gain_of(x, best, 1);
    c->sure += sure > 0 ? sure : 0;
    if (c->joined && x->f != x->d->f)
        speculate(x, best);
}

static void choose_in(struct choice *c, struct arms *x)
{
    const struct ir_cfg *cfg = x->d->cfg;
    for (uint32_t i = cfg->rpo_count; i-- > 0;)
        if (bitset_has(x->d->u->branches, cfg->rpo[i]) && is_branch(x, cfg->rpo[i]))
            choose_arms(c, x, cfg->rpo[i]);
}

static void choose(struct ir_module *m, void *data)
{
    struct choice *c = data;
    struct arms x = speculated(c->d, detect_copy(m, c->d->f));
    choose_in(c, &x);
}

/* Of a function in which no branch collapses no copy is needed. */
static struct choice choices(const struct detection *d, bool joined, uint32_t parts)
{
    struct choice c = {.d = d, .joined = joined, .parts = parts};
    if (!d->speculated.count && !d->c->options->remarks) {
        struct arms x = begin(d, d->f);
        choose_in(&c, &x);
        if (!joined || !c.found.count)
            return c;
        c = (struct choice){.d = d, .joined = joined, .parts = parts};
    }
    struct ir_module *m = ir_module_new(d->f->module->file);
    ir_module_fill(m, choose, &c);
    ir_module_free(m);
    return c;
}

/* ---- trying them ------------------------------------------------------------------------------------- */

static place place_of(const struct detection *d, struct speculation s)
{
    return ir_at(d->f, ir_terminator(d->f, s.branch))->at;
}

/* The least that the warps took with what is in d->speculated, and the code of it. */
struct least {
    uint64_t cycles;
    const struct cost_code *code;
};

/* Those in addition, if the warps need so many cycles less; whether they do. */
static bool try(struct detection *d, const struct speculation *s, uint32_t count, int64_t gain,
                struct least *least)
{
    uint32_t before = d->speculated.count;
    for (uint32_t i = 0; i < count; i++)
        vec_push(d->arena, &d->speculated, s[i]);
    const struct cost_code *code = detect_code(d, NULL, NULL, DETECT_ALL);
    uint64_t with = detect_cycles(d, code, d->sample, d->warps);
    int64_t saved = (int64_t)(least->cycles - with);
    if (with == UINT64_MAX || saved < gain || !is_worth(d, saved)) {
        d->speculated.count = before;
        return false;
    }
    *least = (struct least){with, code};
    return true;
}

static void try_each(struct detection *d, const struct choice *c, uint32_t *trials, struct least *least)
{
    for (uint32_t i = 0; i < c->found.count && *trials; i++) {
        if (!is_worth(d, c->gains.at[i]))
            continue;
        --*trials;
        if (!try(d, &c->found.at[i], 1, 0, least))
            opt_remark(d->c, d->f, OPT_MISSED, "speculate", place_of(d, c->found.at[i]),
                       "arms stay behind the branch: before it they would cost a warp more in the model");
    }
}

/* All together, if they save what was expected. */
static void try_all_or_each(struct detection *d, const struct choice *c, uint32_t *trials,
                            struct least *least)
{
    bool several = c->found.count > 1;
    if (is_worth(d, c->gain) && !(several && try(d, c->found.at, c->found.count, c->gain, least)))
        try_each(d, c, trials, least);
}

static void tell(const struct detection *d, uint64_t with)
{
    for (uint32_t i = 0; i < d->speculated.count; i++) {
        struct speculation s = d->speculated.at[i];
        uint64_t taken[2] = {0};
        for (uint32_t e = 0; e < 2; e++)
            taken[e] = times_at(d, ir_block_at(d->f, s.branch)->edges.at[e].block);
        uint64_t less = s.arms == BOTH ? taken[taken[1] < taken[0]] : taken[s.arms >> 1];
        opt_remark(d->c, d->f, OPT_APPLIED, "speculate", place_of(d, s),
                   "%s before the branch: in the model %s run %llu of the %llu times that a warp comes to it",
                   s.arms == BOTH ? "both arms run" : "an arm runs", s.arms == BOTH ? "both" : "it is",
                   detect_of_a_warp(d, less), detect_of_a_warp(d, times_at(d, s.branch)));
    }
    opt_remark(d->c, d->f, OPT_APPLIED, "speculate", d->f->at,
               "arms before branches: in the model a warp takes %llu cycles instead of %llu",
               detect_of_a_warp(d, with), detect_of_a_warp(d, d->plain.cycles));
}

bool detect_needs_whole_warps(const struct detection *d)
{
    struct choice joined = choices(d, true, d->parts), others = choices(d, false, d->parts);
    return is_worth(d, joined.gain + others.gain - joined.sure - others.sure);
}

void detect_speculations(struct detection *d)
{
    struct least least = {d->plain.cycles, d->code};
    uint32_t trials = TRIALS;
    if (d->plain.cut)
        return;
    for (uint32_t others = 0; others < 2; others++) {
        struct choice c = choices(d, !others, 1);
        try_all_or_each(d, &c, &trials, &least);
    }
    if (!d->speculated.count)
        return;
    if (detect_is_no_worse(d, least.code)) {
        tell(d, least.cycles);
        return;
    }
    opt_remark(d->c, d->f, OPT_MISSED, "speculate", d->f->at,
               "arms stay behind %u branches: before them they save cycles in some warps, and not in all",
               d->speculated.count);
    vec_clear(&d->speculated);
}
