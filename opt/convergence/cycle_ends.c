/* cycle_ends.c: which block ends each outermost cycle in the order of priorities, where threads wait for each
 * other before the next turn (-fpriorities).
 *
 * No choice is best for all graphs. Take `A; if (p) goto A; B; goto A`. If A is last in the order, threads of
 * all turns reconverge there, and B is run for those of them who come by. If B is last, A is run until all
 * have come to B. The first way executes A least often, the second way B. It is a matter of how many threads
 * go which way, and of what A and B cost.
 *
 * So a warp of sampled lanes of the expected launch (opt/cost/cost.h) tries, for one cycle after the other,
 * each end that leads to another order. The one by which it executes least is taken, if it saves END_MARGIN per
 * mille. Functions that are no kernels have no launch, and end their cycles as usual. Time: MOST_TRIALS orders
 * of the function, each with COST_LANES times what the lanes run (limit priority_sample).
 */
#include "opt/convergence/cycle_ends.h"
#include "base/launch.h"
#include "ir/analysis/callgraph.h"
#include "opt/cost/cost.h"

enum { END_MARGIN = 2, MOST_TRIALS = 64 };

struct chooser {
    struct opt_context *c;
    const struct ir_function *f;
    struct arena *arena;
    uint32_t *outermost; /* by block: the cycle; or IR_NO_CYCLE */
    uint32_t
        *blocks[IR_CYCLE_ENDS]; /* in the order by that end: each outermost cycle's, from its `first` on */
    uint8_t *ends;              /* as chosen so far */
    uint32_t *priority;         /* scratch */
    const struct cost_sample *sample;
    uint32_t lanes; /* of a warp: those of the block, COST_LANES at most */
    uint32_t *size;
    uint64_t best; /* instructions */
};

/* An order that is tried; that by the ends chosen is the analysis priorities. */
static u32_vec order_by(struct chooser *x, const uint8_t *ends)
{
    return ir_priorities_new(x->arena, opt_cfg(x->c, x->f), opt_cycles(x->c, x->f), opt_leaving(x->c, x->f),
                             ends, x->c->options->limits[OPT_LIMIT_priority_work]);
}

/* ---- which ends make a difference -------------------------------------------------------------------- */

static void find_outermost(struct chooser *x)
{
    const struct ir_cycles *cycles = opt_cycles(x->c, x->f);
    x->outermost = arena_array(x->arena, uint32_t, x->f->blocks.count);
    memset(x->outermost, 0xff, x->f->blocks.count * sizeof *x->outermost);
    for (uint32_t k = 0; k < cycles->count; k++) {
        const struct ir_cycle *cycle = &cycles->at[k];
        for (uint32_t i = 0; cycle->parent == IR_NO_CYCLE && i < cycle->count; i++)
            x->outermost[cycles->blocks[cycle->first + i]] = k;
    }
}

static void end_all(const struct chooser *x, uint8_t *ends, enum ir_cycle_end end)
{
    const struct ir_cycles *cycles = opt_cycles(x->c, x->f);
    for (uint32_t k = 0; k < cycles->count; k++)
        if (cycles->at[k].parent == IR_NO_CYCLE)
            ends[cycles->at[k].header] = (uint8_t)end;
}

/* The cycles' blocks in the order that they have if all cycles end so. False: no order, a limit was reached. */
static bool find_blocks(struct chooser *x, enum ir_cycle_end end)
{
    const struct ir_cycles *cycles = opt_cycles(x->c, x->f);
    uint8_t *ends = arena_array(x->arena, uint8_t, x->f->blocks.count);
    uint32_t *count = arena_array(x->arena, uint32_t, cycles->count);
    end_all(x, ends, end);
    u32_vec order = order_by(x, ends);
    x->blocks[end] = arena_array(x->arena, uint32_t, x->f->blocks.count);
    for (uint32_t i = 0; i < order.count; i++) {
        uint32_t k = x->outermost[order.at[i]];
        if (k != IR_NO_CYCLE)
            x->blocks[end][cycles->at[k].first + count[k]++] = order.at[i];
    }
    return order.count;
}

/* Whether no end before this one puts the cycle's blocks in the same order. */
static bool is_new(const struct chooser *x, const struct ir_cycle *k, enum ir_cycle_end end)
{
    bool same = k->parent != IR_NO_CYCLE;
    for (unsigned e = 0; e < end; e++)
        same |=
            memcmp(x->blocks[e] + k->first, x->blocks[end] + k->first, k->count * sizeof *x->blocks[e]) == 0;
    return !same;
}

static bool is_choice(struct chooser *x)
{
    const struct ir_cycles *cycles = opt_cycles(x->c, x->f);
    bool found = false;
    for (unsigned end = 0; end < IR_CYCLE_ENDS; end++) {
        if (!find_blocks(x, (enum ir_cycle_end)end))
            return false;
        for (uint32_t k = 0; k < cycles->count; k++)
            found |= is_new(x, &cycles->at[k], (enum ir_cycle_end)end) && end != IR_END_USUAL;
    }
    return found;
}

/* ---- choosing ---------------------------------------------------------------------------------------- */

static uint64_t weigh(struct chooser *x)
{
    u32_vec order = order_by(x, x->ends);
    for (uint32_t i = 0; i < order.count; i++)
        x->priority[order.at[i]] = i;
    return cost_replay_order(x->sample, x->lanes, x->priority, x->size);
}

static void choose(struct chooser *x, const struct ir_cycle *k, uint32_t *trials)
{
    uint8_t *own = &x->ends[k->header], best = *own;
    for (unsigned end = IR_END_USUAL + 1; end < IR_CYCLE_ENDS && *trials < MOST_TRIALS; end++) {
        if (!is_new(x, k, (enum ir_cycle_end)end))
            continue;
        ++*trials;
        *own = (uint8_t)end;
        uint64_t now = weigh(x);
        if (now * 1000 > x->best * (1000 - END_MARGIN))
            continue;
        x->best = now;
        best = (uint8_t)end;
    }
    *own = best;
}

/* As many as a block of the launch has; COST_LANES if nothing is said of it. */
static uint32_t lanes_of(const struct launch *l)
{
    uint64_t threads = 1;
    for (uint32_t i = 0; l && i < 3; i++)
        threads *= l->block[i] ? l->block[i] : i ? 1 : COST_LANES;
    return l && threads < COST_LANES ? (uint32_t)threads : COST_LANES;
}

static void choose_all(struct chooser *x)
{
    struct opt_context *c = x->c;
    const struct ir_cycles *cycles = opt_cycles(c, x->f);
    struct cost_hints hints = {.launch = cost_launch_of(x->arena, x->f, c->options)};
    const uint64_t *functions = ir_has_calls(x->f) ? opt_costs(c, x->f->module)->at : NULL;
    x->sample =
        cost_sample_new(x->arena, opt_machine_uniformity(c, x->f), opt_return_post_dominators(c, x->f),
                        functions, &hints, c->options->limits[OPT_LIMIT_priority_sample]);
    x->lanes = lanes_of(hints.launch);
    x->size = cost_sizes_of_blocks(x->arena, x->f, functions);
    x->priority = arena_array(x->arena, uint32_t, x->f->blocks.count);
    uint64_t usual = x->best = weigh(x);
    uint32_t trials = 0;
    for (uint32_t k = 0; k < cycles->count; k++)
        if (cycles->at[k].parent == IR_NO_CYCLE)
            choose(x, &cycles->at[k], &trials);
    opt_count(c, "orders tried", trials);
    if (x->sample->cut)
        opt_below(c, x->f, OPT_LIMIT_priority_sample, UINT64_MAX);
    if (x->best < usual)
        opt_remark(c, x->f, OPT_APPLIED, "priorities", x->f->at,
                   "in the model a warp executes %llu instructions instead of %llu by the priorities chosen",
                   (unsigned long long)x->best, (unsigned long long)usual);
}

static const uint8_t *choose_by_model(struct opt_context *c, struct arena *a, const struct ir_function *f)
{
    struct scratch scratch;
    struct chooser x = {.c = c, .f = f, .ends = arena_array(a, uint8_t, f->blocks.count)};
    x.arena = scratch_begin(&scratch);
    find_outermost(&x);
    if (is_choice(&x))
        choose_all(&x);
    scratch_end(&scratch);
    return x.ends;
}

static const uint8_t *choose_ends(struct opt_context *c, struct arena *a, const struct ir_function *f)
{
    uint32_t word = opt_option(c, OPT_OPTION_priorities);
    if (c->options->target != TARGET_bytecode || opt_cycles(c, f)->count == 0)
        return NULL;
    if (word == OPT_priorities_model)
        return f->flags & IR_FN_KERNEL ? choose_by_model(c, a, f) : NULL;
    struct chooser x = {.c = c, .f = f};
    uint8_t *ends = arena_array(a, uint8_t, f->blocks.count);
    end_all(&x, ends, (enum ir_cycle_end)(word - OPT_priorities_shape));
    return ends;
}

struct opt_ends *opt_choose_ends(struct opt_context *c, struct arena *a, const struct ir_function *f)
{
    struct opt_ends *ends = arena_new(a, struct opt_ends);
    ends->at = choose_ends(c, a, f);
    return ends;
}
