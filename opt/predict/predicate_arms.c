/* predicate_arms.c: arms that nearly every warp runs anyway are predicated (S. Mahlke et al., "Effective
 * Compiler Support for Predicated Execution Using the Hyperblock", chooses by a profile what to include).
 *
 * A warp pays for a branch whose lanes part, and at the end of each arm for a jump, or for the wait that it
 * falls into. A predicated arm needs no end, and where both sides are such arms there is no branch. What is
 * lost are the arm's cycles each time that a group of lanes comes to the branch none of which takes it. Lanes
 * go as they go without, so that the difference follows from how often groups come to blocks (struct
 * cost_figures). Branches are taken from the last one of the order to the first, as in ir_predication_new:
 * what stands in an arm has been decided then. Where a branch is left in an arm, that is none.
 *
 * What the model has not seen decides nothing: there is no bound on how long an arm is.
 */
#include "opt/predict/detect_predictions.h"

enum { WORTH = 400 /* one part in so many of the cycles has to be saved */ };

/* Sums over the blocks of the order from some place on. */
struct behind {
    uint64_t cycles; /* what they issue */
    uint32_t stay;   /* how many can't stand in an arm */
};
struct choice {
    struct detection *d;
    struct ir_predication p; /* what can be predicated, if all is that stands in an arm */
    uint8_t *sides;          /* by block: those that are */
    struct behind *behind;   /* by place */
    uint64_t *issued;        /* by block: cycles of its code, as it stands */
    uint32_t *edges;         /* by block: in the code, the first edge at its end */
    uint32_t parts;          /* of a warp, for which is chosen by what one of them does */
    int64_t gain, sure;      /* of all; of it, what parts of warps gain already */
};

static bool is_worth(const struct detection *d, int64_t gain)
{
    return gain > 0 && (uint64_t)gain * WORTH >= d->plain.cycles;
}

/* ---- what a branch's arms gain ----------------------------------------------------------------------- */

/* How often groups come to the branch and no lane takes the arm, if each of so many parts of a warp misses it
 * as often as those that came. */
static int64_t times_missed(const uint64_t *executions, uint32_t branch, uint32_t arm, uint32_t parts)
{
    double times = (double)executions[branch], missed = times - (double)executions[arm], all = missed;
    for (uint32_t k = 1; k < parts && times > 0; k++)
        all *= missed / times;
    return (int64_t)all;
}

/* Whether no side of the branch is left to be branched to. */
static bool is_whole(const struct choice *c, uint32_t branch, unsigned sides)
{
    const struct ir_block *block = ir_block_at(c->d->f, branch);
    for (uint32_t e = 0; e < 2; e++)
        sides |= (unsigned)(block->edges.at[e].block == block->reconverge) << e;
    return sides == IR_BOTH_SIDES;
}

/* Instructions by which lanes that the branch sends to where they reconverge move something, and jump; 0: they
 * move nothing, or go elsewhere. */
static uint32_t moves_of(const struct choice *c, uint32_t branch, uint32_t e)
{
    const struct ir_block *block = ir_block_at(c->d->f, branch);
    bool direct = block->edges.at[e].block == block->reconverge;
    return direct ? c->d->code->edges.at[c->edges[branch] + e].moves : 0;
}

/* Cycles that warps need not if these arms of the branch are predicated, or need more. What came to the branch
 * was one of so many parts of a warp. */
static int64_t gain_of(const struct choice *c, uint32_t branch, unsigned sides,
                       const struct cost_figures *figures, uint32_t parts)
{
    const struct ir_block *block = ir_block_at(c->d->f, branch);
    int64_t times = (int64_t)figures->executions[branch], gain = 0;
    bool whole = is_whole(c, branch, sides);
    if (whole)
        gain += times * ir_latency_cycles[IR_LAT_BR];
    for (uint32_t e = 0; e < 2; e++) {
        int64_t moves = moves_of(c, branch, e);
        if (whole && moves) /* a jump less, each time */
            gain += (int64_t)figures->taken[c->edges[branch] + e] * moves - times * (moves - 1);
        if (!(sides >> e & 1))
            continue;
        struct ir_arm arm = c->p.arms[branch].side[e];
        int64_t missed = times_missed(figures->executions, branch, block->edges.at[e].block, parts);
        int64_t cost = (int64_t)(c->behind[arm.first].cycles - c->behind[arm.end].cycles);
        bool own_end = c->p.ends[c->d->f->order.at[arm.end - 1]] == branch; /* and not that of an arm in it */
        gain += (own_end ? times - missed : 0) * ir_latency_cycles[IR_LAT_BR] - missed * cost;
    }
    return gain;
}

/* ---- choosing them ----------------------------------------------------------------------------------- */

/* Of the code as it stands: by block its cycles, with the moves behind it, and its edges. */
static void look_at_code(struct choice *c)
{
    const struct detection *d = c->d;
    c->issued = arena_array(d->arena, uint64_t, d->f->blocks.count);
    c->edges = arena_array(d->arena, uint32_t, d->f->blocks.count);
    for (uint32_t i = 0; i < d->code->pieces.count; i++) {
        const struct cost_piece *p = &d->code->pieces.at[i];
        if (p->block == IR_NO_BLOCK)
            continue;
        c->issued[p->block] += p->cycles;
        for (uint32_t e = 0; e < p->edges; e++)
            c->issued[p->block] += d->code->edges.at[p->first_edge + e].moves;
        if (p->is_last)
            c->edges[p->block] = p->first_edge;
    }
}

/* What a block costs less that ends with such a branch, or ends an arm. */
static uint64_t saved_by_guards(const struct choice *c, uint32_t b, bool whole)
{
    uint64_t jumps = 0;
    for (uint32_t e = 0; e < 2 && whole; e++)
        jumps += moves_of(c, b, e) != 0;
    bool guards = whole || c->p.ends[b] != IR_NO_BLOCK;
    return guards && c->issued[b] ? ir_latency_cycles[IR_LAT_BR] + jumps : 0;
}

/* Both sides of branches whose lanes part, but for those that are marked already. */
static uint8_t *find_asked(const struct detection *d)
{
    uint8_t *asked = arena_array(d->arena, uint8_t, d->f->blocks.count);
    bitset_each(b, d->u->branches)
        asked[b] = ir_block_at(d->f, b)->predicated ? 0 : IR_BOTH_SIDES;
    return asked;
}

static bool is_label(const struct detection *d, uint32_t b)
{
    for (uint32_t i = 0; i < d->taken.count; i++)
        if (d->taken.at[i].label == b || d->taken.at[i].start == b)
            return true;
    return false;
}

static place place_of(const struct detection *d, uint32_t b)
{
    return ir_at(d->f, ir_terminator(d->f, b))->at;
}

static bool can_be_arms(const struct choice *c, uint32_t b, unsigned sides)
{
    bool stay = (c->p.sides[b] & sides) != sides;
    for (uint32_t e = 0; e < 2; e++)
        if (sides >> e & 1)
            stay |= c->behind[c->p.arms[b].side[e].first].stay != c->behind[c->p.arms[b].side[e].end].stay;
    return !stay;
}

/* The arms of the branch that save most. */
static unsigned best_of(struct choice *c, uint32_t b)
{
    const struct detection *d = c->d;
    unsigned best = 0;
    int64_t most = INT64_MIN;
    for (unsigned sides = 1; sides <= IR_BOTH_SIDES; sides++) {
        int64_t gain = can_be_arms(c, b, sides) ? gain_of(c, b, sides, &d->plain, c->parts) : INT64_MIN;
        if (gain > most) {
            most = gain;
            best = sides;
        }
    }
    if (best && most < 0 && c->parts == 1)
        opt_remark(d->c, d->f, OPT_MISSED, "predicate", place_of(d, b),
                   "arms are not predicated: a warp would take %llu cycles in the model then, and not %llu",
                   detect_of_a_warp(d, d->plain.cycles - (uint64_t)most),
                   detect_of_a_warp(d, d->plain.cycles));
    if (!best || most <= 0)
        return 0;
    int64_t sure = gain_of(c, b, best, &d->plain, 1);
    c->gain += most;
    c->sure += sure > 0 ? sure : 0;
    return best;
}

/* From the last block to the first, with the sums behind each: of arms that are predicated without what ends
 * them, and without the branch. */
static void choose(struct choice *c)
{
    const struct ir_function *f = c->d->f;
    c->sides = arena_array(c->d->arena, uint8_t, f->blocks.count);
    c->p = ir_predication_new(c->d->arena, c->d->cfg, find_asked(c->d), false);
    look_at_code(c);
    c->behind = arena_array(c->d->arena, struct behind, f->order.count + 1);
    for (uint32_t i = f->order.count; i-- > 0;) {
        uint32_t b = f->order.at[i];
        c->sides[b] = (uint8_t)(c->p.sides[b] ? best_of(c, b) : 0);
        bool whole = c->sides[b] && is_whole(c, b, c->sides[b]),
             branches = ir_block_at(f, b)->edges.count > 1;
        uint64_t saved = saved_by_guards(c, b, whole);
        bool stays = (branches && !whole) || is_label(c->d, b);
        c->behind[i] =
            (struct behind){c->behind[i + 1].cycles + c->issued[b] - saved, c->behind[i + 1].stay + stays};
    }
}

/* ---- remarks ----------------------------------------------------------------------------------------- */

/* Says of arms that are one block what in them can't be predicated. */
static void tell_obstacles(const struct choice *c)
{
    const struct detection *d = c->d;
    bitset_each(b, d->u->branches)
        for (uint32_t e = 0; e < ir_block_at(d->f, b)->edges.count && !c->p.sides[b]; e++) {
            uint32_t arm = ir_block_at(d->f, b)->edges.at[e].block;
            const struct ir_block *block = ir_block_at(d->f, arm);
            bool one = ir_pred_count(d->cfg, arm) == 1 && ir_at(d->f, block->last)->op == IR_br &&
                       block->edges.at[0].block == ir_block_at(d->f, b)->reconverge;
            ir_ref r = one ? ir_unpredicable(d->f, arm) : 0;
            if (r)
                opt_remark(d->c, d->f, OPT_MISSED, "predicable", ir_at(d->f, r)->at,
                           "the arm is not predicated, of the branch in line %u: it has '%s'",
                           place_of(d, b).line, ir_op_info[ir_at(d->f, r)->op].text);
        }
}

static void tell(const struct choice *c)
{
    const struct detection *d = c->d;
    const uint64_t *times = d->plain.executions;
    ir_each_block(k, b, d->f)
        for (uint32_t e = 0; e < 2; e++)
            if (c->sides[b] >> e & 1)
                opt_remark(
                    d->c, d->f, OPT_APPLIED, "predicate", place_of(d, b),
                    "the arm where the condition is %s is predicated: in the model lanes take it %llu of the "
                    "%llu times that a warp comes to the branch",
                    e ? "false" : "true", detect_of_a_warp(d, times[ir_block_at(d->f, b)->edges.at[e].block]),
                    detect_of_a_warp(d, times[b]));
    opt_remark(d->c, d->f, OPT_APPLIED, "predicate", d->f->at,
               "predicated arms: in the model a warp takes %llu cycles instead of %llu",
               detect_of_a_warp(d, d->plain.cycles - (uint64_t)c->gain),
               detect_of_a_warp(d, d->plain.cycles));
}

/* ---- the function ------------------------------------------------------------------------------------ */

static bool are_wanted(const struct detection *d)
{
    return opt_option(d->c, OPT_OPTION_predicate) == OPT_predicate_auto && d->has_places && !d->plain.cut;
}

bool detect_needs_whole_warps(struct detection *d)
{
    struct choice c = {.d = d, .parts = d->parts};
    if (!are_wanted(d))
        return false;
    choose(&c);
    return is_worth(d, c.gain - c.sure);
}

static bool loses(const void *data, const struct cost_figures *figures)
{
    const struct choice *c = data;
    int64_t gain = 0;
    ir_each_block(k, b, c->d->f)
        gain += c->sides[b] ? gain_of(c, b, c->sides[b], figures, 1) : 0;
    return gain < 0;
}

bool detect_predicated_arms(struct detection *d)
{
    struct choice c = {.d = d, .parts = 1};
    if (!are_wanted(d))
        return false;
    choose(&c);
    tell_obstacles(&c);
    if (!is_worth(d, c.gain))
        return false;
    if (detect_any_loses(d, loses, &c)) {
        opt_remark(d->c, d->f, OPT_MISSED, "predicate", d->f->at,
                   "arms are not predicated: they save cycles in some warps, and not in all");
        return false;
    }
    ir_each_block(k, b, d->f)
        if (c.sides[b])
            ir_block_at(d->f, b)->predicated = c.sides[b];
    tell(&c);
    return true;
}
