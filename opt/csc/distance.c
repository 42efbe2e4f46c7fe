/* distance.c: how far the addresses of two accesses are from each other, where that is the same for all
 * threads: accesses next to each other touch the same segments, be they one or two.
 *
 * An address is a sum of values, each times a constant, and a number. Two differ by a number if they are sums
 * of the same values: x[j + t] and x[j + t + 9]. It is only asked for costs, so that sums may wrap.
 */
#include "opt/csc/csc.h"

enum { TERMS_MAX = 8, DEPTH_MAX = 8 };
struct term {
    ir_ref value;
    uint32_t factor;
};
struct sum {
    struct term at[TERMS_MAX];
    uint32_t count, number;
    bool too_long;
};

static void add_term(struct sum *s, ir_ref value, uint32_t factor)
{
    for (uint32_t i = 0; i < s->count; i++)
        if (s->at[i].value == value) {
            s->at[i].factor += factor;
            return;
        }
    s->too_long |= s->count == TERMS_MAX;
    if (!s->too_long)
        s->at[s->count++] = (struct term){value, factor};
}

/* Adds `factor` times r. */
static void add_value(struct csc *p, struct sum *s, ir_ref r, uint32_t factor, uint32_t depth)
{
    const struct ir_function *f = p->f;
    scalar_bits n = 0;
    r = opt_renamed(&p->renaming, r);
    const struct ir_ins *ins = ir_at(f, r);
    bool constant = ins->argc == 2 && ir_is_const(f, opt_renamed(&p->renaming, ins->args[1]), &n);
    if (ir_is_const(f, r, &n))
        s->number += factor * (uint32_t)n;
    else if (depth == DEPTH_MAX)
        add_term(s, r, factor);
    else if (ins->op == IR_ptradd || ins->op == IR_add || ins->op == IR_sub) {
        add_value(p, s, ins->args[0], factor, depth + 1);
        add_value(p, s, ins->args[1], ins->op == IR_sub ? -factor : factor, depth + 1);
    } else if (constant && ins->op == IR_mul)
        add_value(p, s, ins->args[0], factor * (uint32_t)n, depth + 1);
    else if (constant && ins->op == IR_shl && n < 32)
        add_value(p, s, ins->args[0], factor << n, depth + 1);
    else
        add_term(s, r, factor);
}

/* Takes the term's like out of the sum; false: it has none. */
static bool take_out(struct csc *p, struct sum *s, struct term x)
{
    for (uint32_t i = 0; i < s->count; i++)
        if (s->at[i].factor == x.factor && csc_is_same(p, x.value, s->at[i].value)) {
            s->at[i] = s->at[--s->count];
            return true;
        }
    return false;
}

bool csc_find_distance(struct csc *p, ir_ref x, ir_ref y, int32_t *distance)
{
    struct sum of[2] = {0};
    add_value(p, &of[0], x, 1, 0);
    add_value(p, &of[1], y, 1, 0);
    for (uint32_t i = 0; i < of[0].count; i++)
        if (of[0].at[i].factor && !take_out(p, &of[1], of[0].at[i]))
            return false;
    *distance = (int32_t)(of[0].number - of[1].number);
    for (uint32_t i = 0; i < of[1].count; i++)
        if (of[1].at[i].factor)
            return false;
    return !of[0].too_long && !of[1].too_long;
}
