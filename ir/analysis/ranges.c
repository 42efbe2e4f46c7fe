/* ranges.c: value range propagation. See ranges.h.
 *
 * Conditions are kept by the values that they compare, with the place from which on they hold: the block that
 * an edge of a branch alone leads to, or the point behind an assertion. What dominates that place is bounded.
 * One of a sum with a constant bounds what the sum was made of, too, unless the sum may wrap around.
 */
#include "ir/analysis/range_of.h"

enum {
    ROUNDS_MAX = 40,  /* beyond these nothing is known */
    ROUNDS_EXACT = 2, /* times a cycle's depth: then its header's parameters that still grow are widened */
    WIDENED_DEPTH_MAX = 12, /* deeper ones as if they were of this depth */
    ROUNDS_NARROW = 2,
    CONDITIONS_MAX = 32, /* looked at for a value and a place */
    DEPTH_MAX = 8,       /* of a condition made of conditions */
    SUMS_MAX = 4,        /* constants added one after the other */
};

struct condition {
    ir_ref test; /* a comparison */
    ir_ref of;   /* what it compares: the value that it bounds, plus `add` unless that wraps around */
    int64_t add;
    bool truth;
    uint32_t block, position; /* holds from there on, in what the block dominates */
    uint32_t next;            /* of the same value, plus 1; 0: none */
};

struct ir_ranges {
    struct arena *arena;
    const struct ir_function *f;
    const struct ir_cfg *g;
    const struct ir_dominators *d;
    uint8_t *widen;      /* by block: in which round the header of a cycle begins; 0: none */
    struct ir_range *of; /* by value */
    uint32_t *position;  /* by instruction: in its block, from 1 */
    uint32_t *first;     /* by value: its latest condition, plus 1; 0: none */
    VEC(struct condition) conditions;
    bool changed;
};

static const struct ir_range EMPTY = {INT64_MAX, INT64_MIN};

static bool is_integer(enum ir_type t)
{
    return t == IR_TYPE_I32 || t == IR_TYPE_I64;
}

static bool is_empty(struct ir_range r)
{
    return r.lo > r.hi;
}

static struct ir_range join(struct ir_range a, struct ir_range b)
{
    return (struct ir_range){a.lo < b.lo ? a.lo : b.lo, a.hi > b.hi ? a.hi : b.hi};
}

static struct ir_range base_of(const struct ir_ranges *g, ir_ref v)
{
    const struct ir_ins *ins = ir_at(g->f, v);
    if (!is_integer((enum ir_type)ins->type))
        return ir_range_of_type(IR_TYPE_I1);
    return ins->op == IR_constant ? ir_range_of(ins, 0, NULL) : g->of[v];
}

/* ---- conditions ---------------------------------------------------------------------------------------- */

static void at_most(struct ir_range *r, int64_t limit, bool below)
{
    if (below && limit == INT64_MIN)
        *r = EMPTY;
    else if (r->hi > limit - below)
        r->hi = limit - below;
}

static void at_least(struct ir_range *r, int64_t limit, bool above)
{
    if (above && limit == INT64_MAX)
        *r = EMPTY;
    else if (r->lo < limit + above)
        r->lo = limit + above;
}

/* v < o, v <= o; or o < v, o <= v. */
static void bound_signed(struct ir_range *r, struct ir_range o, bool is_left, bool strict)
{
    if (is_left)
        at_most(r, o.hi, strict);
    else
        at_least(r, o.lo, strict);
}

/* The same, unsigned: a limit that is not negative makes what is below it so. */
static void bound_unsigned(struct ir_range *r, struct ir_range o, bool is_left, bool strict)
{
    if (is_left && o.lo >= 0) {
        at_least(r, 0, false);
        at_most(r, o.hi, strict);
    } else if (!is_left && r->lo >= 0) {
        at_least(r, o.lo > 0 ? o.lo : 0, strict);
    }
}

static void bound_unequal(struct ir_range *r, struct ir_range o)
{
    if (o.lo != o.hi)
        return;
    if (r->lo == o.lo)
        at_least(r, o.lo, true);
    if (r->hi == o.lo)
        at_most(r, o.lo, true);
}

/* r, the range of v, where the comparison is true, or false. */
static struct ir_range bounded(const struct ir_ranges *g, struct ir_range r, ir_ref v, ir_ref test,
                               bool truth)
{
    const struct ir_ins *ins = ir_at(g->f, test);
    if (ins->args[0] == ins->args[1] || is_empty(r))
        return r;
    bool is_left = ins->args[0] == v, less = truth == is_left;
    struct ir_range o = base_of(g, ins->args[is_left]);
    if (is_empty(o))
        return EMPTY;
    switch (ins->op) {
    case IR_slt:
    case IR_sle: bound_signed(&r, o, less, (ins->op == IR_slt) == truth); break;
    case IR_ult:
    case IR_ule: bound_unsigned(&r, o, less, (ins->op == IR_ult) == truth); break;
    default:
        if ((ins->op == IR_eq) != truth) {
            bound_unequal(&r, o);
        } else {
            at_least(&r, o.lo, false);
            at_most(&r, o.hi, false);
        }
    }
    return r;
}

static bool is_test(const struct ir_ranges *g, const struct ir_ins *ins)
{
    switch (ins->op) {
    case IR_eq:
    case IR_ne:
    case IR_slt:
    case IR_sle:
    case IR_ult:
    case IR_ule: return is_integer((enum ir_type)ir_at(g->f, ins->args[0])->type);
    default: return false;
    }
}

/* Calls `each` for the comparisons that are true, or false, if the condition is. */
static void each_test(struct ir_ranges *g, ir_ref condition, bool truth, unsigned depth,
                      void each(struct ir_ranges *g, ir_ref test, bool truth, void *data), void *data)
{
    const struct ir_ins *ins = ir_at(g->f, condition);
    if (is_test(g, ins)) {
        each(g, condition, truth, data);
    } else if (depth < DEPTH_MAX && ins->op == IR_not) {
        each_test(g, ins->args[0], !truth, depth + 1, each, data);
    } else if (depth < DEPTH_MAX && ins->op == (truth ? IR_and : IR_or)) {
        each_test(g, ins->args[0], truth, depth + 1, each, data);
        each_test(g, ins->args[1], truth, depth + 1, each, data);
    }
}

struct place {
    uint32_t block, position;
};

/* The constant that is added to get the value; false: it is no such sum. */
static bool added_constant(const struct ir_ranges *g, ir_ref sum, int64_t *k)
{
    const struct ir_ins *ins = ir_at(g->f, sum);
    if (ins->op != IR_add || ir_at(g->f, ins->args[1])->op != IR_constant)
        return false;
    *k = base_of(g, ins->args[1]).lo;
    return true;
}

static void add_condition(struct ir_ranges *g, ir_ref bounds, struct condition c)
{
    c.next = g->first[bounds];
    vec_push(g->arena, &g->conditions, c);
    g->first[bounds] = g->conditions.count;
}

static void add_test(struct ir_ranges *g, ir_ref test, bool truth, void *data)
{
    const struct place *at = data;
    int64_t k;
    for (unsigned i = 0; i < 2; i++) {
        ir_ref v = ir_at(g->f, test)->args[i];
        struct condition c = {test, v, 0, truth, at->block, at->position, 0};
        if (ir_at(g->f, v)->op == IR_constant)
            continue;
        add_condition(g, v, c);
        for (unsigned n = 0; n < SUMS_MAX && added_constant(g, v, &k); n++) {
            v = ir_at(g->f, v)->args[0];
            c.add = (int64_t)((uint64_t)c.add + (uint64_t)k);
            add_condition(g, v, c);
        }
    }
}

static void add_edges(struct ir_ranges *g, uint32_t b, const struct ir_ins *branch)
{
    for (uint32_t e = 0; e < 2; e++) {
        uint32_t to = ir_block_at(g->f, b)->edges.at[e].block;
        if (ir_pred_count(g->g, to) == 1)
            each_test(g, branch->args[0], e == 0, 0, add_test, &(struct place){to, 0});
    }
}

static void add_conditions(struct ir_ranges *g, uint32_t b)
{
    uint32_t n = 0;
    ir_each_ins(r, g->f, b)
        {
            const struct ir_ins *ins = ir_at(g->f, r);
            g->position[r] = ++n;
            if (ins->op == IR_assert)
                each_test(g, ins->args[0], true, 0, add_test, &(struct place){b, n});
            else if (ins->op == IR_brif)
                add_edges(g, b, ins);
        }
}

static bool holds_at(const struct ir_ranges *g, const struct condition *c, struct place at)
{
    return c->block == at.block ? c->position < at.position : ir_dominates(g->d, c->block, at.block);
}

/* The range of a sum of type t with a constant. False: it may wrap around, or r is empty. */
static bool range_of_sum(enum ir_type t, struct ir_range r, int64_t k, struct ir_range *sum)
{
    struct ir_range all = ir_range_of_type(t);
    return !is_empty(r) && !__builtin_add_overflow(r.lo, k, &sum->lo)
           && !__builtin_add_overflow(r.hi, k, &sum->hi) && sum->lo >= all.lo && sum->hi <= all.hi;
}

/* r, the range of v, where the condition holds. */
static struct ir_range bounded_by(const struct ir_ranges *g, struct ir_range r, ir_ref v,
                                  const struct condition *c)
{
    struct ir_range sum;
    if (c->of == v)
        return bounded(g, r, v, c->test, c->truth);
    if (!range_of_sum((enum ir_type)ir_at(g->f, v)->type, r, c->add, &sum))
        return r;
    sum = bounded(g, sum, c->of, c->test, c->truth);
    return is_empty(sum) ? EMPTY : (struct ir_range){sum.lo - c->add, sum.hi - c->add};
}

static struct ir_range bounded_at(const struct ir_ranges *g, ir_ref v, struct ir_range r, struct place at)
{
    unsigned n = 0;
    for (uint32_t i = g->first[v]; i && n < CONDITIONS_MAX; i = g->conditions.at[i - 1].next, n++) {
        const struct condition *c = &g->conditions.at[i - 1];
        if (holds_at(g, c, at))
            r = bounded_by(g, r, v, c);
    }
    return is_empty(r) ? EMPTY : r;
}

/* A sum with a constant is bounded by what is known there of what it is made of, too. */
static struct ir_range range_in(const struct ir_ranges *g, ir_ref v, struct place at)
{
    struct ir_range r = base_of(g, v), sum;
    int64_t k;
    if (added_constant(g, v, &k)) {
        ir_ref part = ir_at(g->f, v)->args[0];
        struct ir_range of_part = bounded_at(g, part, base_of(g, part), at);
        if (range_of_sum((enum ir_type)ir_at(g->f, v)->type, of_part, k, &sum)) {
            at_least(&r, sum.lo, false);
            at_most(&r, sum.hi, false);
        }
    }
    return bounded_at(g, v, r, at);
}

/* ---- propagation --------------------------------------------------------------------------------------- */

struct bounding {
    ir_ref value;
    struct ir_range range;
};

static void bound_by(struct ir_ranges *g, ir_ref test, bool truth, void *data)
{
    struct bounding *b = data;
    const ir_ref *args = ir_at(g->f, test)->args;
    if (args[0] == b->value || args[1] == b->value)
        b->range = bounded(g, b->range, b->value, test, truth);
}

static struct ir_range range_if(struct ir_ranges *g, ir_ref v, struct place at, ir_ref condition, bool truth)
{
    struct bounding b = {v, range_in(g, v, at)};
    each_test(g, condition, truth, 0, bound_by, &b);
    return is_empty(b.range) ? EMPTY : b.range;
}

/* Of the argument that an edge passes. */
static struct ir_range passed(struct ir_ranges *g, uint32_t b, uint32_t e, uint32_t argument)
{
    const struct ir_edge *edge = &ir_block_at(g->f, b)->edges.at[e];
    const struct ir_ins *end = ir_at(g->f, ir_terminator(g->f, b));
    struct place at = {b, UINT32_MAX};
    if (end->op == IR_brif)
        return range_if(g, edge->args[argument], at, end->args[0], e == 0);
    return range_in(g, edge->args[argument], at);
}

static struct ir_range param_range(struct ir_ranges *g, ir_ref param)
{
    const struct ir_ins *ins = ir_at(g->f, param);
    struct ir_range r = EMPTY;
    if (ins->block == ir_entry(g->f))
        return ir_range_of_type((enum ir_type)ins->type);
    ir_each_pred(p, ins->block, g->g) if (bitset_has(g->g->reachable, p)) r =
            join(r, passed(g, p, g->g->pred_edges[p_at], (uint32_t)ins->imm));
    return r;
}

static struct ir_range value_range(struct ir_ranges *g, ir_ref v)
{
    const struct ir_ins *ins = ir_at(g->f, v);
    struct place at = {ins->block, g->position[v]};
    struct ir_range a[2] = {{0, 0}, {0, 0}};
    if (ins->op == IR_select)
        return join(range_if(g, ins->args[1], at, ins->args[0], true),
                    range_if(g, ins->args[2], at, ins->args[0], false));
    if (ir_is_pure((enum ir_op)ins->op))
        for (uint32_t i = 0; i < ins->argc && i < 2; i++) {
            a[i] = range_in(g, ins->args[i], at);
            if (is_empty(a[i]))
                return EMPTY;
        }
    return ir_range_of(ins, ins->argc ? (enum ir_type)ir_at(g->f, ins->args[0])->type : IR_TYPE_VOID, a);
}

/* What grows for long grows to the end, or not below 0. */
static struct ir_range widened(struct ir_range old, struct ir_range now, enum ir_type t)
{
    struct ir_range all = ir_range_of_type(t);
    if (is_empty(old))
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
        if (!is_integer(t))
            continue;
        struct ir_range now = join(g->of[v], param_range(g, v));
        set(g, v, widens ? widened(g->of[v], now, t) : now);
    }
    ir_each_ins(r, g->f, b) if (is_integer((enum ir_type)ir_at(g->f, r)->type))
            set(g, r, join(g->of[r], value_range(g, r)));
}

/* From above, so that each round's ranges hold. */
static void narrow_block(struct ir_ranges *g, uint32_t b)
{
    const u32_vec *params = &ir_block_at(g->f, b)->params;
    for (uint32_t i = 0; i < params->count; i++)
        if (is_integer((enum ir_type)ir_at(g->f, params->at[i])->type))
            set(g, params->at[i], param_range(g, params->at[i]));
    ir_each_ins(r, g->f, b) if (is_integer((enum ir_type)ir_at(g->f, r)->type))
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
                                const struct ir_cycles *cycles)
{
    struct ir_ranges *g = arena_array(a, struct ir_ranges, 1);
    uint32_t n = c->fn->ins.count;
    *g = (struct ir_ranges){.arena = a, .f = c->fn, .g = c, .d = d};
    g->of = arena_array(a, struct ir_range, n);
    g->position = arena_array(a, uint32_t, n);
    g->first = arena_array(a, uint32_t, n);
    for (uint32_t i = 0; i < n; i++)
        g->of[i] = EMPTY;
    g->widen = arena_array(a, uint8_t, c->blocks);
    find_headers(g, cycles);
    for (uint32_t i = 0; i < c->rpo_count; i++)
        add_conditions(g, c->rpo[i]);
    propagate(g);
    return g;
}

/* ---- questions ----------------------------------------------------------------------------------------- */

struct ir_range ir_range_at(const struct ir_ranges *g, ir_ref value, ir_ref at)
{
    return range_in(g, value, (struct place){ir_at(g->f, at)->block, g->position[at]});
}

/* a < b, or a <= b. */
static bool is_less(struct ir_range a, struct ir_range b, bool or_equal)
{
    return a.hi < b.lo || (or_equal && a.hi == b.lo);
}

static bool is_true(const struct ir_ranges *g, ir_ref condition, ir_ref at, unsigned depth)
{
    const struct ir_ins *ins = ir_at(g->f, condition);
    if (ins->op == IR_constant)
        return ins->imm & 1;
    if (ins->op == IR_and && depth < DEPTH_MAX)
        return is_true(g, ins->args[0], at, depth + 1) && is_true(g, ins->args[1], at, depth + 1);
    if (!is_test(g, ins))
        return false;
    struct ir_range a = ir_range_at(g, ins->args[0], at), b = ir_range_at(g, ins->args[1], at);
    switch (ins->op) {
    case IR_slt:
    case IR_sle: return is_less(a, b, ins->op == IR_sle);
    case IR_ult:
    case IR_ule: return a.lo >= 0 && b.lo >= 0 && is_less(a, b, ins->op == IR_ule);
    case IR_ne: return a.hi < b.lo || b.hi < a.lo;
    default: return a.lo == a.hi && b.lo == b.hi && a.lo == b.lo; /* eq */
    }
}

bool ir_is_true_at(const struct ir_ranges *g, ir_ref condition, ir_ref at)
{
    return is_true(g, condition, at, 0);
}
