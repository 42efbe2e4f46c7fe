/* ranges.c: value range propagation. See ranges.h.
 *
 * Demand-driven: only values that somebody asks for are propagated, and those that their ranges are made of:
 * operands, arguments of edges, and what conditions compare them with. Of others the type is known.
 */
#include "ir/analysis/range_of.h"

enum {
    ROUNDS_MAX = 40,  /* beyond these nothing is known */
    ROUNDS_EXACT = 2, /* times a cycle's depth: then its header's parameters that still grow are widened */
    WIDENED_DEPTH_MAX = 12, /* deeper ones as if they were of this depth */
    ROUNDS_NARROW = 2,
};

/* ---- who is asked for -------------------------------------------------------------------------------- */

static void want(struct ir_ranges *g, ir_ref v)
{
    const struct ir_ins *ins = ir_at(g->f, v);
    if (ins->op != IR_constant)
        walk_add(&g->wanted, v);
}

static void want_operands(struct ir_ranges *g, ir_ref v)
{
    const struct ir_ins *ins = ir_at(g->f, v);
    for (uint32_t i = 0; i < ins->argc; i++)
        want(g, ins->args[i]);
}

static void want_arguments(struct ir_ranges *g, const struct ir_ins *param)
{
    ir_each_pred(p, param->block, g->g) {
        const struct ir_block *b = ir_block_at(g->f, p);
        want(g, b->edges.at[g->g->pred_edges[p_at]].args[(uint32_t)param->imm]);
        if (ir_at(g->f, ir_terminator(g->f, p))->op == IR_brif)
            want_operands(g, ir_terminator(g->f, p));
    }
}

/* What ranges of the wanted values are made of. Truths are followed too: they are made of comparisons. */
static void want_inputs(struct ir_ranges *g)
{
    walk_each(v, &g->wanted) {
        const struct ir_ins *ins = ir_at(g->f, v);
        if (ins->block == IR_NO_BLOCK)
            continue;
        for (uint32_t i = g->first[v]; i; i = g->conditions.at[i - 1].next)
            want_operands(g, g->conditions.at[i - 1].test);
        if (ins->op == IR_param && ins->block != ir_entry(g->f))
            want_arguments(g, ins);
        else if (ir_is_pure((enum ir_op)ins->op))
            want_operands(g, v);
    }
}

/* ---- propagation ------------------------------------------------------------------------------------- */

static struct ir_range join(struct ir_range a, struct ir_range b)
{
    return (struct ir_range){a.lo < b.lo ? a.lo : b.lo, a.hi > b.hi ? a.hi : b.hi};
}

/* Of the argument that an edge passes. */
static struct ir_range range_of_argument(struct ir_ranges *g, uint32_t b, uint32_t e, uint32_t argument)
{
    const struct ir_edge *edge = &ir_block_at(g->f, b)->edges.at[e];
    const struct ir_ins *end = ir_at(g->f, ir_terminator(g->f, b));
    struct ir_range_place at = {b, UINT32_MAX};
    if (end->op == IR_brif)
        return ir_range_if(g, edge->args[argument], at, end->args[0], e == 0);
    return ir_range_in(g, edge->args[argument], at);
}

static struct ir_range param_range(struct ir_ranges *g, ir_ref param)
{
    const struct ir_ins *ins = ir_at(g->f, param);
    struct ir_range r = IR_RANGE_EMPTY;
    if (ins->block == ir_entry(g->f))
        return ir_range_of_type((enum ir_type)ins->type);
    ir_each_pred(p, ins->block, g->g)
        if (bitset_has(g->g->reachable, p))
            r = join(r, range_of_argument(g, p, g->g->pred_edges[p_at], (uint32_t)ins->imm));
    return r;
}

static struct ir_range value_range(struct ir_ranges *g, ir_ref v)
{
    const struct ir_ins *ins = ir_at(g->f, v);
    struct ir_range_place at = {ins->block, g->position[v]};
    struct ir_range a[2] = {{0, 0}, {0, 0}};
    if (ins->op == IR_select)
        return join(ir_range_if(g, ins->args[1], at, ins->args[0], true),
                    ir_range_if(g, ins->args[2], at, ins->args[0], false));
    if (ir_is_pure((enum ir_op)ins->op))
        for (uint32_t i = 0; i < ins->argc && i < 2; i++) {
            a[i] = ir_range_in(g, ins->args[i], at);
            if (ir_range_is_empty(a[i]))
                return IR_RANGE_EMPTY;
        }
    return ir_range_of(ins, ins->argc ? (enum ir_type)ir_at(g->f, ins->args[0])->type : IR_TYPE_VOID, a);
}

/* What grows for long grows to the end, or not below 0. */
static struct ir_range widened(struct ir_range old, struct ir_range now, enum ir_type t)
{
    struct ir_range all = ir_range_of_type(t);
    if (ir_range_is_empty(old))
        return now;
    if (now.lo < old.lo)
        now.lo = now.lo >= 0 ? 0 : all.lo;
    if (now.hi > old.hi)
        now.hi = all.hi;
    return now;
}

static void set(struct ir_ranges *g, ir_ref v, struct ir_range r)
{
    g->changed |= g->of[v].lo != r.lo || g->of[v].hi != r.hi;
    g->of[v] = r;
}

static void grow_block(struct ir_ranges *g, uint32_t b, uint32_t round)
{
    const u32_vec *params = &ir_block_at(g->f, b)->params;
    bool widens = g->widen[b] && round >= g->widen[b];
    for (uint32_t i = 0; i < params->count; i++) {
        ir_ref v = params->at[i];
        enum ir_type t = (enum ir_type)ir_at(g->f, v)->type;
        if (!bitset_has(g->wanted.seen, v) || !ir_has_range(t))
            continue;
        struct ir_range now = join(g->of[v], param_range(g, v));
        set(g, v, widens ? widened(g->of[v], now, t) : now);
    }
    ir_each_ins(r, g->f, b)
        if (bitset_has(g->wanted.seen, r) && ir_has_range((enum ir_type)ir_at(g->f, r)->type))
            set(g, r, join(g->of[r], value_range(g, r)));
}

/* From above, so that each round's ranges hold. */
static void narrow_block(struct ir_ranges *g, uint32_t b)
{
    const u32_vec *params = &ir_block_at(g->f, b)->params;
    for (uint32_t i = 0; i < params->count; i++)
        if (bitset_has(g->wanted.seen, params->at[i]) &&
            ir_has_range((enum ir_type)ir_at(g->f, params->at[i])->type))
            set(g, params->at[i], param_range(g, params->at[i]));
    ir_each_ins(r, g->f, b)
        if (bitset_has(g->wanted.seen, r) && ir_has_range((enum ir_type)ir_at(g->f, r)->type))
            set(g, r, value_range(g, r));
}

static void forget_all(struct ir_ranges *g)
{
    for (ir_ref r = 1; r < g->f->ins.count; r++)
        g->of[r] = ir_range_of_type((enum ir_type)ir_at(g->f, r)->type);
}

static void propagate(struct ir_ranges *g)
{
    uint32_t round = 0;
    do {
        g->changed = false;
        for (uint32_t i = 0; i < g->g->rpo_count; i++)
            grow_block(g, g->g->rpo[i], round);
    } while (g->changed && ++round < ROUNDS_MAX);
    if (g->changed) {
        forget_all(g);
        return;
    }
    for (uint32_t n = 0; n < ROUNDS_NARROW; n++)
        for (uint32_t i = 0; i < g->g->rpo_count; i++)
            narrow_block(g, g->g->rpo[i]);
}

/* Every closed path has the header of a cycle. Outer cycles are widened before inner ones, which then grow to
 * what they get from outside, and no further. */
static void find_headers(struct ir_ranges *g, const struct ir_cycles *cycles)
{
    for (uint32_t i = 0; i < cycles->count; i++) {
        uint32_t depth = cycles->at[i].depth;
        g->widen[cycles->at[i].header] =
            (uint8_t)(ROUNDS_EXACT * (depth < WIDENED_DEPTH_MAX ? depth : WIDENED_DEPTH_MAX));
    }
}

struct ir_ranges *ir_ranges_new(struct arena *a, const struct ir_cfg *c, const struct ir_dominators *d,
                                const struct ir_cycles *cycles, const u32_vec *asked)
{
    struct ir_ranges *g = arena_array(a, struct ir_ranges, 1);
    uint32_t n = c->fn->ins.count;
    *g = (struct ir_ranges){.arena = a, .f = c->fn, .g = c, .d = d};
    g->of = arena_array(a, struct ir_range, n);
    g->position = arena_array(a, uint32_t, n);
    g->first = arena_array(a, uint32_t, n);
    g->widen = arena_array(a, uint8_t, c->blocks);
    find_headers(g, cycles);
    for (uint32_t i = 0; i < c->rpo_count; i++)
        ir_range_conditions_of(g, c->rpo[i]);
    g->wanted = walk_new(a, n);
    for (ir_ref r = 1; r < n; r++)
        if (!asked)
            want(g, r);
    for (uint32_t i = 0; asked && i < asked->count; i++)
        want(g, asked->at[i]);
    want_inputs(g);
    for (ir_ref r = 0; r < n; r++)
        g->of[r] = bitset_has(g->wanted.seen, r) ? IR_RANGE_EMPTY
                                                 : ir_range_of_type((enum ir_type)ir_at(c->fn, r)->type);
    propagate(g);
    return g;
}
