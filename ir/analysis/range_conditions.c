/* range_conditions.c: what conditions say of ranges.
 *
 * Conditions are kept by the values that they compare, with the place from which on they hold: the block that
 * an edge of a branch alone leads to, or the point behind an assertion. What dominates that place is bounded.
 * One of a sum with a constant bounds what the sum was made of, too, unless the sum may wrap around.
 */
#include "ir/analysis/range_of.h"

enum {
    CONDITIONS_MAX = 32, /* looked at for a value and a place */
    DEPTH_MAX = 8,       /* of a condition made of conditions */
    SUMS_MAX = 4,        /* constants added one after the other */
};

static struct ir_range base_of(const struct ir_ranges *g, ir_ref v)
{
    const struct ir_ins *ins = ir_at(g->f, v);
    if (!ir_has_range((enum ir_type)ins->type))
        return ir_range_of_type(IR_TYPE_I1);
    return ins->op == IR_constant ? ir_range_of(ins, 0, NULL) : g->of[v];
}

static void at_most(struct ir_range *r, int64_t limit, bool below)
{
    if (below && limit == INT64_MIN)
        *r = IR_RANGE_EMPTY;
    else if (r->hi > limit - below)
        r->hi = limit - below;
}

static void at_least(struct ir_range *r, int64_t limit, bool above)
{
    if (above && limit == INT64_MAX)
        *r = IR_RANGE_EMPTY;
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
    if (ins->args[0] == ins->args[1] || ir_range_is_empty(r))
        return r;
    bool is_left = ins->args[0] == v, less = truth == is_left;
    struct ir_range o = base_of(g, ins->args[is_left]);
    if (ir_range_is_empty(o))
        return IR_RANGE_EMPTY;
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
    case IR_ule: return ir_has_range((enum ir_type)ir_at(g->f, ins->args[0])->type);
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

/* The constant that is added to get the value; false: it is no such sum. */
static bool added_constant(const struct ir_ranges *g, ir_ref sum, int64_t *k)
{
    const struct ir_ins *ins = ir_at(g->f, sum);
    if (ins->op != IR_add || ir_at(g->f, ins->args[1])->op != IR_constant)
        return false;
    *k = base_of(g, ins->args[1]).lo;
    return true;
}

static void add_condition(struct ir_ranges *g, ir_ref bounds, struct ir_range_condition c)
{
    c.next = g->first[bounds];
    vec_push(g->arena, &g->conditions, c);
    g->first[bounds] = g->conditions.count;
}

static void add_test(struct ir_ranges *g, ir_ref test, bool truth, void *data)
{
    const struct ir_range_place *at = data;
    int64_t k;
    for (unsigned i = 0; i < 2; i++) {
        ir_ref v = ir_at(g->f, test)->args[i];
        struct ir_range_condition c = {test, v, 0, truth, at->block, at->position, 0};
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
            each_test(g, branch->args[0], e == 0, 0, add_test, &(struct ir_range_place){to, 0});
    }
}

void ir_range_conditions_of(struct ir_ranges *g, uint32_t b)
{
    uint32_t n = 0;
    ir_each_ins(r, g->f, b) {
        const struct ir_ins *ins = ir_at(g->f, r);
        g->position[r] = ++n;
        if (ins->op == IR_assert)
            each_test(g, ins->args[0], true, 0, add_test, &(struct ir_range_place){b, n});
        else if (ins->op == IR_brif)
            add_edges(g, b, ins);
    }
}

static bool holds_at(const struct ir_ranges *g, const struct ir_range_condition *c, struct ir_range_place at)
{
    return c->block == at.block ? c->position < at.position : ir_dominates(g->d, c->block, at.block);
}

/* The range of a sum of type t with a constant. False: it may wrap around, or r is empty. */
static bool range_of_sum(enum ir_type t, struct ir_range r, int64_t k, struct ir_range *sum)
{
    struct ir_range all = ir_range_of_type(t);
    return !ir_range_is_empty(r) && !__builtin_add_overflow(r.lo, k, &sum->lo) &&
           !__builtin_add_overflow(r.hi, k, &sum->hi) && sum->lo >= all.lo && sum->hi <= all.hi;
}

/* r, the range of v, where the condition holds. */
static struct ir_range bounded_by(const struct ir_ranges *g, struct ir_range r, ir_ref v,
                                  const struct ir_range_condition *c)
{
    struct ir_range sum;
    if (c->of == v)
        return bounded(g, r, v, c->test, c->truth);
    if (!range_of_sum((enum ir_type)ir_at(g->f, v)->type, r, c->add, &sum))
        return r;
    sum = bounded(g, sum, c->of, c->test, c->truth);
    return ir_range_is_empty(sum) ? IR_RANGE_EMPTY : (struct ir_range){sum.lo - c->add, sum.hi - c->add};
}

static struct ir_range bounded_at(const struct ir_ranges *g, ir_ref v, struct ir_range r,
                                  struct ir_range_place at)
{
    unsigned n = 0;
    for (uint32_t i = g->first[v]; i && n < CONDITIONS_MAX; i = g->conditions.at[i - 1].next, n++) {
        const struct ir_range_condition *c = &g->conditions.at[i - 1];
        if (holds_at(g, c, at))
            r = bounded_by(g, r, v, c);
    }
    return ir_range_is_empty(r) ? IR_RANGE_EMPTY : r;
}

/* A sum with a constant is bounded by what is known there of what it is made of, too. */
struct ir_range ir_range_in(const struct ir_ranges *g, ir_ref v, struct ir_range_place at)
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

struct ir_range ir_range_if(struct ir_ranges *g, ir_ref v, struct ir_range_place at, ir_ref condition,
                            bool truth)
{
    struct bounding b = {v, ir_range_in(g, v, at)};
    each_test(g, condition, truth, 0, bound_by, &b);
    return ir_range_is_empty(b.range) ? IR_RANGE_EMPTY : b.range;
}

/* ---- questions ----------------------------------------------------------------------------------------- */

struct ir_range ir_range_at(const struct ir_ranges *g, ir_ref value, ir_ref at)
{
    return ir_range_in(g, value, (struct ir_range_place){ir_at(g->f, at)->block, g->position[at]});
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
