/* schedule.c: hoist, sink and split (section 2) as one list schedule.
 *
 * The stages alternate: in an even one all pairs that are ready are executed, in the odd one behind it all
 * that is ready of each arm alone. What is ready only needs what was executed before. So there are as few
 * stages as the pairs allow. A pair in stage 0 is hoisted; the arms' last stage is the old branch, and a pair
 * behind it is sunk; every other stage costs a branch more. A pure operation of one arm may be executed by
 * all where that saves a stage: branch flattening of what is cheap.
 *
 * Pairs may cross: x of the one arm before y, and y's partner before x's. Then neither gets ready, and the
 * lighter one is split. So are the pairs of a stage that costs more than it saves, and the schedule is
 * made anew. Arms with convergent operations are not split: from one arm's first operations the other's last
 * ones could be reached then, and regions of tokens would not be nested any more.
 */
#include "opt/csc/csc.h"

enum { ROUNDS_MAX = 8, CHOICES_MAX = 32, LOOKED_AT_MAX = 64 };

struct schedule {
    struct csc_arms *a;
    uint32_t *pending;          /* by node: nodes before it that are not in the order */
    u32_vec common, own;        /* ready: pairs, by their node of arm 0, and others */
    uint32_t common_at, own_at; /* how many of them have been taken */
    u32_vec half;               /* ready nodes whose partners were not */
    uint32_t stage, left;
};

static struct csc_node *node(const struct schedule *s, uint32_t n)
{
    return &s->a->nodes.at[n];
}

/* ---- the order ----------------------------------------------------------------------------------- */

static void make_ready(struct schedule *s, uint32_t n)
{
    struct arena *a = s->a->p->arena;
    uint32_t partner = node(s, n)->partner;
    if (partner == CSC_NONE)
        vec_push(a, &s->own, n);
    else if (s->pending[partner] == 0)
        vec_push(a, &s->common, n < partner ? n : partner);
    else
        vec_push(a, &s->half, n);
}

static void release(struct schedule *s, uint32_t n)
{
    rows_each(k, s->a->after, n)
        if (--s->pending[s->a->after.at[k]] == 0)
            make_ready(s, s->a->after.at[k]);
}

static void place_node(struct schedule *s, uint32_t n)
{
    node(s, n)->stage = s->stage;
    s->left--;
    release(s, n);
}

static void execute(struct schedule *s, uint32_t n)
{
    uint32_t partner = node(s, n)->partner;
    vec_push(s->a->p->arena, &s->a->order, n);
    place_node(s, n);
    if (partner != CSC_NONE)
        place_node(s, partner);
}

static bool is_waiting(const struct schedule *s, uint32_t n)
{
    return node(s, n)->stage == CSC_NONE;
}

/* ---- what all may compute for one arm ------------------------------------------------------------ */

static bool may_speculate(const struct schedule *s, uint32_t n)
{
    enum ir_op op = ir_at(s->a->p->f, node(s, n)->ins)->op;
    return node(s, n)->partner == CSC_NONE && (ir_is_pure(op) || op == IR_ptradd || op == IR_ptrcast);
}

/* Adds to `needed` what has to be computed before n, each behind its operands; false: that is not all pure,
 * or costs more than is left of `budget`. */
static bool find_needed(const struct schedule *s, uint32_t n, uint32_t *budget, u32_vec *needed)
{
    rows_each(k, s->a->before, n) {
        uint32_t b = s->a->before.at[k];
        bool known = !is_waiting(s, b);
        for (uint32_t i = 0; i < needed->count; i++)
            known |= needed->at[i] == b;
        if (known)
            continue;
        if (!may_speculate(s, b) || node(s, b)->weight > *budget)
            return false;
        *budget -= node(s, b)->weight ? node(s, b)->weight : 1;
        if (!find_needed(s, b, budget, needed))
            return false;
        vec_push(s->a->p->arena, needed, b);
    }
    return true;
}

/* Executes for all what makes a pair ready; false: no pair is that near. */
static bool speculate(struct schedule *s, uint32_t *budget)
{
    uint32_t looked_at = 0;
    for (uint32_t n = 0; n < s->a->first && looked_at < LOOKED_AT_MAX; n++) {
        uint32_t partner = node(s, n)->partner, left = *budget;
        u32_vec needed = {0};
        if (partner == CSC_NONE || !is_waiting(s, n))
            continue;
        looked_at++;
        if (!find_needed(s, n, &left, &needed) || !find_needed(s, partner, &left, &needed) || !needed.count)
            continue;
        *budget = left;
        for (uint32_t i = 0; i < needed.count; i++)
            execute(s, needed.at[i]);
        return true;
    }
    return false;
}

/* All that is left, if it is cheap and pure and the arms end alike: no branch is needed any more. */
static bool flatten(struct schedule *s, uint32_t *budget)
{
    u32_vec needed = {0};
    uint32_t left = *budget, count = s->a->nodes.count;
    if (!s->a->same_end || s->left > CSC_SPECULATE)
        return false;
    for (uint32_t n = 0; n < count; n++) {
        if (!is_waiting(s, n))
            continue;
        if (!may_speculate(s, n) || node(s, n)->weight > left)
            return false;
        left -= node(s, n)->weight;
        vec_push(s->a->p->arena, &needed, n);
    }
    for (uint32_t i = 0; i < needed.count; i++)
        execute(s, needed.at[i]);
    return needed.count > 0;
}

/* ---- stages -------------------------------------------------------------------------------------- */

static bool run_common(struct schedule *s)
{
    uint32_t before = s->left, budget = CSC_SPECULATE;
    do {
        while (s->common_at < s->common.count)
            execute(s, s->common.at[s->common_at++]);
    } while (s->left && (speculate(s, &budget) || flatten(s, &budget)));
    return s->left != before;
}

static bool run_own(struct schedule *s)
{
    uint32_t before = s->left;
    while (s->own_at < s->own.count) {
        uint32_t n = s->own.at[s->own_at++];
        if (is_waiting(s, n))
            execute(s, n);
    }
    return s->left != before;
}

static void unpair(struct csc_arms *a, uint32_t n)
{
    a->nodes.at[a->nodes.at[n].partner].partner = CSC_NONE;
    a->nodes.at[n].partner = CSC_NONE;
}

/* Nothing is ready: pairs cross. Of those with one ready node the lightest is split. */
static void uncross(struct schedule *s)
{
    uint32_t best = CSC_NONE, kept = 0;
    for (uint32_t i = 0; i < s->half.count; i++) {
        uint32_t n = s->half.at[i];
        if (!is_waiting(s, n) || node(s, n)->partner == CSC_NONE)
            continue;
        s->half.at[kept++] = n;
        if (kept <= CHOICES_MAX && (best == CSC_NONE || node(s, n)->weight < node(s, best)->weight))
            best = n;
    }
    s->half.count = kept;
    INVARIANT(best != CSC_NONE);
    unpair(s->a, best);
    vec_push(s->a->p->arena, &s->own, best);
}

/* Odd stages with nothing for all between them, where pairs were split, become one. */
static void close_gaps(struct csc_arms *a, uint32_t stages)
{
    struct bitset filled = bitset_new(a->p->arena, stages + 2);
    uint32_t *fewer = arena_array(a->p->arena, uint32_t, stages + 2), gaps = 0;
    for (uint32_t n = 0; n < a->nodes.count; n++)
        bitset_add(filled, a->nodes.at[n].stage);
    for (uint32_t s = 2; s < stages + 2; s++) {
        gaps += s % 2 == 0 && !bitset_has(filled, s);
        fewer[s] = 2 * gaps;
    }
    for (uint32_t n = 0; n < a->nodes.count; n++)
        a->nodes.at[n].stage -= fewer[a->nodes.at[n].stage];
}

static void make_order(struct csc_arms *a)
{
    uint32_t count = a->nodes.count;
    struct schedule s = {.a = a, .left = count, .pending = arena_array(a->p->arena, uint32_t, count + 1)};
    vec_clear(&a->order);
    for (uint32_t n = 0; n < count; n++) {
        a->nodes.at[n].stage = CSC_NONE;
        s.pending[n] = row_length(&a->before, n);
    }
    for (uint32_t n = 0; n < count; n++)
        if (s.pending[n] == 0 &&
            (n < a->first || a->nodes.at[n].partner == CSC_NONE || s.pending[a->nodes.at[n].partner] != 0))
            make_ready(&s, n);
    for (bool idle = false; s.left; s.stage++) {
        bool some = s.stage % 2 == 0 ? run_common(&s) : run_own(&s);
        if (!some && idle)
            uncross(&s);
        idle = !some;
    }
    close_gaps(a, s.stage);
}

/* ---- operations of one arm as late as may be ----------------------------------------------------- */

/* A value is carried over fewer stages, unless its operands would be carried instead. */
static void delay(struct csc_arms *a)
{
    uint32_t last = csc_last_own_stage(a);
    for (uint32_t i = a->order.count; i-- > 0;) {
        uint32_t n = a->order.at[i], latest = last, carried = 0;
        if (!csc_is_own_stage(&a->nodes.at[n]))
            continue;
        rows_each(k, a->after, n) {
            uint32_t stage = a->nodes.at[a->after.at[k]].stage;
            stage -= stage % 2 == 0;
            latest = stage < latest ? stage : latest;
        }
        rows_each(k, a->before, n)
            carried += csc_is_own_stage(&a->nodes.at[a->before.at[k]]);
        if (latest > a->nodes.at[n].stage && latest % 2 == 1 && carried <= 1)
            a->nodes.at[n].stage = latest;
    }
}

/* ---- what does not pay --------------------------------------------------------------------------- */

/* Splits the pairs of stages that cost more than they save; false: there are none. */
static bool drop_stages(struct csc_bill *b, bool all)
{
    struct csc_arms *a = b->a;
    uint32_t last = csc_last_own_stage(a), dropped = 0;
    for (uint32_t i = 0; i < a->order.count; i++) {
        uint32_t n = a->order.at[i], s = a->nodes.at[n].stage;
        if (a->nodes.at[n].partner == CSC_NONE)
            continue;
        bool splits = s > 0 && s < last, never = (splits && a->communicates) || (s > 0 && a->hoist_only);
        if (!all && !never && b->saved[s] > b->copies[s] + (splits ? CSC_BRANCH : 0))
            continue;
        unpair(a, n);
        dropped++;
    }
    return dropped > 0;
}

void csc_schedule(struct csc_arms *a)
{
    for (uint32_t round = 0;; round++) {
        struct csc_bill b = {.a = a};
        make_order(a);
        delay(a);
        csc_make_bill(&b);
        if (!drop_stages(&b, round >= ROUNDS_MAX))
            return;
    }
}
