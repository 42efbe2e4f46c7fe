/* unroll.c: loops whose number of iterations is known are written out, whole or by a divisor of it.
 *
 * The number is found by running the loop's exit test on constants (what J. Sathyanathan's trip count by
 * exhaustive evaluation does): the test has to depend on nothing but parameters of the header that begin as
 * constants. Copies are chained by the back edge; all tests but the last one's are then decided. Loops that
 * count up or down to a limit are unrolled with a remainder (unroll_rest.c).
 *
 * Convergent operations ("Convergent Operation Semantics", Loop unrolling examples): written out whole, each
 * iteration's operations take the token that the heart had, and the heart goes; by a divisor, one heart stays
 * for the copies of one round. A loop whose token is used behind it (an extended cycle) stays as it is.
 *
 * What becomes of predictions' marks: unroll_predict.c.
 *
 * Innermost loops only, SIZE_FULL or OPT_UNROLL_SIZE_PART instructions at most; needs cycles and dominators.
 */
#include "opt/loop/unroll.h"

enum {
    TRIPS_MAX = 4096,
    TRIPS_FULL = OPT_UNROLL_TRIPS_FULL,
    SIZE_FULL = 256,
    FACTOR_MAX = 8,
    DEPTH_MAX = 32
};

/* ---- how often --------------------------------------------------------------------------------------- */

struct runner {
    const struct opt_unroll *u;
    uint32_t header, cycle;
    const scalar_bits *now; /* by position of the header's parameters */
    const bool *known;
};

static bool run_value(const struct runner *x, ir_ref r, unsigned depth, scalar_bits *bits);

/* A select that is the same whatever its condition is. */
static bool run_select(const struct runner *x, const struct ir_ins *ins, unsigned depth, scalar_bits *bits)
{
    scalar_bits other;
    return run_value(x, ins->args[1], depth + 5, bits) && run_value(x, ins->args[2], depth + 5, &other) &&
           *bits == other;
}

static bool run_value(const struct runner *x, ir_ref r, unsigned depth, scalar_bits *bits)
{
    const struct ir_function *f = x->u->f;
    const struct ir_ins *ins = ir_at(f, r);
    scalar_bits args[SCALAR_MAX_ARGS];
    if (ir_is_const(f, r, bits))
        return true;
    if (ins->op == IR_param && ins->block == x->header) {
        *bits = x->now[ins->imm];
        return x->known[ins->imm];
    }
    if (!ir_is_pure(ins->op) || depth >= DEPTH_MAX || !ir_cycle_has(x->u->cycles, x->cycle, ins->block))
        return false;
    for (uint32_t i = 0; i < ins->argc; i++)
        if (!run_value(x, ins->args[i], depth + 1 + (i > 0) * 4, &args[i]))
            return ins->op == IR_select && i == 0 && run_select(x, ins, depth, bits);
    return opt_fold(f, r, args, bits);
}

struct ir_edge *opt_unroll_entering_edge(const struct opt_unroll *u, uint32_t cycle, uint32_t *from)
{
    uint32_t header = u->cycles->at[cycle].header;
    struct ir_edge *found = NULL;
    ir_each_pred(b, header, u->g) {
        if (ir_cycle_has(u->cycles, cycle, b))
            continue;
        if (found)
            return NULL;
        *from = b;
        found = &ir_block_at(u->f, b)->edges.at[u->g->pred_edges[b_at]];
    }
    return found;
}

enum { PARAMS_MAX = 16 };

/* What the header's parameters begin as, by position: known where all entering edges agree on a constant. */
static void find_begin(const struct opt_unroll *u, uint32_t cycle, bool *known, scalar_bits *now)
{
    uint32_t header = u->cycles->at[cycle].header, n = ir_block_at(u->f, header)->params.count;
    bool first = true;
    ir_each_pred(b, header, u->g) {
        if (ir_cycle_has(u->cycles, cycle, b))
            continue;
        const struct ir_edge *in = &ir_block_at(u->f, b)->edges.at[u->g->pred_edges[b_at]];
        for (uint32_t i = 0; i < n; i++) {
            scalar_bits bits;
            bool is_const = ir_is_const(u->f, in->args[i], &bits);
            known[i] = is_const && (first || (known[i] && now[i] == bits));
            now[i] = is_const ? bits : 0;
        }
        first = false;
    }
}

/* Runs the test until it leaves; false if it can't be run or does not leave in time. */
static bool count_trips(const struct opt_unroll *u, struct opt_unroll_plan *p)
{
    uint32_t header = u->cycles->at[p->cycle].header, n = ir_block_at(u->f, header)->params.count;
    const struct ir_edge *back = &ir_block_at(u->f, p->latch)->edges.at[p->latch_edge];
    ir_ref condition = ir_at(u->f, ir_terminator(u->f, p->test))->args[0];
    scalar_bits now[PARAMS_MAX] = {0}, next[PARAMS_MAX], truth;
    bool known[PARAMS_MAX] = {false}, still[PARAMS_MAX];
    struct runner x = {u, header, p->cycle, now, known};
    if (n > PARAMS_MAX || header == ir_entry(u->f))
        return false;
    find_begin(u, p->cycle, known, now);
    for (p->trips = 1; p->trips <= TRIPS_MAX; p->trips++) {
        if (!run_value(&x, condition, 0, &truth))
            return false;
        if ((truth ? 0 : 1) == p->out)
            return true;
        for (uint32_t i = 0; i < n; i++)
            still[i] = known[i] && run_value(&x, back->args[i], 0, &next[i]);
        memcpy(now, next, n * sizeof *now);
        memcpy(known, still, n * sizeof *known);
    }
    return false;
}

/* ---- whether ----------------------------------------------------------------------------------------- */

bool opt_unroll_decline(const struct opt_unroll *u, ir_ref r, const char *id, const char *why)
{
    opt_remark(u->c, u->f, OPT_MISSED, id, ir_at(u->f, r)->at, "loop not unrolled: %s", why);
    return false;
}

static bool token_stays_inside(struct opt_unroll *u, uint32_t cycle, ir_ref token)
{
    opt_each_use(use, u->uses, token)
        if (!ir_cycle_has(u->cycles, cycle, use->block))
            return opt_unroll_decline(u, token, "token",
                                      "its token is used behind it, where iterations still count");
    return true;
}

/* ---- whether ----------------------------------------------------------------------------------------- */

static bool may_copy(struct opt_unroll *u, const struct opt_unroll_plan *p, ir_ref r)
{
    const struct ir_ins *ins = ir_at(u->f, r);
    if (opt_is_prediction(ins->op))
        return opt_unroll_may_copy_mark(u, p, r);
    if ((ins->op == IR_call || ins->op == IR_icall) && !opt_unroll_may_copy_call(u, p, r))
        return false;
    if (ins->op == IR_alloca || ins->op == IR_entry)
        return false;
    return ins->type != IR_TYPE_TOKEN || token_stays_inside(u, p->cycle, r);
}

static bool measure(struct opt_unroll *u, struct opt_unroll_plan *p)
{
    const struct ir_cycle *l = &u->cycles->at[p->cycle];
    p->size = 0;
    for (uint32_t i = 0; i < l->count; i++)
        ir_each_ins(r, u->f, u->cycles->blocks[l->first + i])
            if (++p->size > SIZE_FULL)
                return false;
    return true;
}

static bool may_copy_all(struct opt_unroll *u, const struct opt_unroll_plan *p)
{
    const struct ir_cycle *l = &u->cycles->at[p->cycle];
    for (uint32_t i = 0; i < l->count; i++)
        ir_each_ins(r, u->f, u->cycles->blocks[l->first + i])
            if (!may_copy(u, p, r))
                return false;
    return true;
}

static bool find_latch(const struct opt_unroll *u, struct opt_unroll_plan *p)
{
    p->latch = IR_NO_BLOCK;
    ir_each_pred(b, u->cycles->at[p->cycle].header, u->g) {
        if (!ir_cycle_has(u->cycles, p->cycle, b))
            continue;
        if (p->latch != IR_NO_BLOCK)
            return false;
        p->latch = b;
        p->latch_edge = u->g->pred_edges[b_at];
    }
    return p->latch != IR_NO_BLOCK;
}

/* The latch or the header, if it decides whether to leave. */
static bool find_test(const struct opt_unroll *u, struct opt_unroll_plan *p, uint32_t b)
{
    const struct ir_block *block = ir_block_at(u->f, b);
    p->test = b;
    if (ir_at(u->f, block->last)->op != IR_brif)
        return false;
    bool leaves0 = !ir_cycle_has(u->cycles, p->cycle, block->edges.at[0].block);
    bool leaves1 = !ir_cycle_has(u->cycles, p->cycle, block->edges.at[1].block);
    p->out = leaves1;
    return leaves0 != leaves1;
}

static uint32_t choose_factor(const struct opt_unroll *u, const struct opt_unroll_plan *p)
{
    if (p->trips <= TRIPS_FULL && p->trips * p->size <= opt_option(u->c, OPT_OPTION_unroll_size))
        return p->trips;
    if (opt_option(u->c, OPT_OPTION_unroll_loops) == OPT_unroll_loops_whole)
        return 0;
    for (uint32_t n = FACTOR_MAX; n > 1 && p->test == p->latch; n--)
        if (n < p->trips && p->trips % n == 0 && n * p->size <= OPT_UNROLL_SIZE_PART)
            return n;
    return 0;
}

static bool may_run(const struct opt_unroll *u, const struct opt_unroll_plan *p)
{
    uint32_t header = u->cycles->at[p->cycle].header;
    if (cost_is_counted(u->profile, header) && cost_count(u->profile, header) == 0)
        return opt_unroll_decline(u, ir_terminator(u->f, p->latch), "cold", "by the profile it does not run");
    return true;
}

static bool make_plan(struct opt_unroll *u, uint32_t cycle, struct opt_unroll_plan *p)
{
    const struct ir_cycle *l = &u->cycles->at[cycle];
    *p = (struct opt_unroll_plan){.cycle = cycle};
    if (l->entries.count != 1 || !find_latch(u, p) || !measure(u, p) || !may_run(u, p))
        return false;
    bool found =
        (find_test(u, p, p->latch) && count_trips(u, p)) || (find_test(u, p, l->header) && count_trips(u, p));
    p->factor = found ? choose_factor(u, p) : 0;
    if (p->factor)
        return may_copy_all(u, p);
    return opt_option(u->c, OPT_OPTION_unroll_loops) == OPT_unroll_loops_counted &&
           find_test(u, p, p->latch) && opt_unroll_counts(u, p) && may_copy_all(u, p) &&
           opt_unroll_may_leave_rest(u, p);
}

/* ---- copies ------------------------------------------------------------------------------------------ */

static int by_rpo(const struct ir_cfg *g, uint32_t a, uint32_t b)
{
    return (g->rpo_index[a] > g->rpo_index[b]) - (g->rpo_index[a] < g->rpo_index[b]);
}

/* The loop's blocks in reverse post-order: insertion sort, since SIZE_FULL bounds them. */
static uint32_t blocks_in_order(const struct opt_unroll *u, const struct ir_cycle *l, uint32_t *list)
{
    for (uint32_t i = 0; i < l->count; i++) {
        uint32_t at = i, b = u->cycles->blocks[l->first + i];
        for (; at > 0 && by_rpo(u->g, list[at - 1], b) > 0; at--)
            list[at] = list[at - 1];
        list[at] = b;
    }
    return l->count;
}

/* Users of the copies keep the one heart, or get its own token at the end. */
struct opt_loop_copy opt_unroll_copy(struct opt_unroll *u, const struct opt_unroll_plan *p)
{
    const struct ir_cycle *l = &u->cycles->at[p->cycle];
    uint32_t list[SIZE_FULL], n = blocks_in_order(u, l, list);
    opt_clone_reserve(&u->clone);
    for (uint32_t i = 0; i < n; i++)
        opt_clone_block(&u->clone, list[i]);
    for (uint32_t i = 0; i < n; i++)
        opt_clone_instructions(&u->clone, list[i], list[i] != l->header);
    for (uint32_t i = 0; i < n; i++)
        opt_clone_edges(&u->clone, list[i]);
    opt_unroll_renumber(u, p, list, n);
    struct opt_loop_copy copy = {u->clone.block[l->header], u->clone.block[p->latch],
                                 u->clone.block[p->test]};
    for (uint32_t i = 0; i < n; i++)
        opt_clone_forget(&u->clone, list[i]);
    return copy;
}

static void remove_heart(struct opt_unroll *u, uint32_t header)
{
    for (ir_ref r = ir_block_at(u->f, header)->first, next; r; r = next) {
        next = ir_at(u->f, r)->next;
        if (ir_at(u->f, r)->op != IR_loop)
            continue;
        opt_rename(&u->renaming, u->f, r, ir_at(u->f, r)->token);
        ir_remove(u->f, r);
    }
}

/* All copies are of the loop as it was; only then are they chained. Copy k is reached from copy k - 1 by its
 * back edge, the first one from the last. Tests are decided: all but the last stay in the loop, and the last
 * one leaves if it is the loop's last iteration. */
static void unroll_loop(struct opt_unroll *u, const struct opt_unroll_plan *p)
{
    const struct ir_cycle *l = &u->cycles->at[p->cycle];
    struct opt_loop_copy copies[TRIPS_FULL] = {{l->header, p->latch, p->test}};
    place at = ir_at(u->f, ir_terminator(u->f, p->test))->at;
    for (uint32_t k = 1; k < p->factor; k++)
        copies[k] = opt_unroll_copy(u, p);
    for (uint32_t k = 0; k < p->factor; k++)
        ir_block_at(u->f, copies[k].latch)->edges.at[p->latch_edge].block =
            copies[(k + 1) % p->factor].header;
    for (uint32_t k = 0; k + 1 < p->factor; k++)
        opt_branch_fold(u->f, copies[k].test, !p->out);
    if (p->factor == p->trips) {
        opt_branch_fold(u->f, copies[p->factor - 1].test, p->out);
        remove_heart(u, l->header);
    }
    opt_remark(u->c, u->f, OPT_APPLIED, p->factor == p->trips ? "full" : "partial", at,
               "loop of %u iterations unrolled %u times", p->trips, p->factor);
    opt_count(u->c, p->factor == p->trips ? "loops, whole" : "loops, in part", 1);
}

/* ---- the whole --------------------------------------------------------------------------------------- */

static void demote_loop(struct opt_unroll *u, uint32_t cycle)
{
    const struct ir_cycle *l = &u->cycles->at[cycle];
    for (uint32_t i = 0; i < l->count; i++) {
        uint32_t b = u->cycles->blocks[l->first + i];
        for (uint32_t k = 0; k < ir_block_at(u->f, b)->params.count; k++)
            if (bitset_has(u->outside, ir_block_at(u->f, b)->params.at[k]))
                opt_demote(&u->demotion, ir_block_at(u->f, b)->params.at[k]);
        ir_each_ins(r, u->f, b)
            if (bitset_has(u->outside, r))
                opt_demote(&u->demotion, r);
    }
}

bool opt_unroll(struct opt_context *c, struct ir_function *f)
{
    struct opt_unroll u = {.c = c,
                           .f = f,
                           .g = opt_cfg(c, f),
                           .d = opt_dominators(c, f),
                           .cycles = opt_cycles(c, f),
                           .profile = opt_profile(c, f),
                           .demotion = {.c = c, .f = f},
                           .clone = {.arena = c->scratch, .f = f},
                           .renaming.arena = c->scratch};
    u.clone.demotion = &u.demotion;
    VEC(struct opt_unroll_plan) plans = {0};
    struct opt_unroll_plan p;
    if (!u.cycles->count || !opt_ssa_possible(c, f))
        return false;
    struct bitset inner = bitset_new(c->scratch, u.cycles->count);
    for (uint32_t i = 0; i < u.cycles->count; i++)
        bitset_add(inner, i);
    for (uint32_t i = 0; i < u.cycles->count; i++)
        if (u.cycles->at[i].parent != IR_NO_CYCLE)
            bitset_remove(inner, u.cycles->at[i].parent);
    u.uses = opt_uses(c, f);
    opt_unroll_find_homes(&u);
    bitset_each(i, inner)
        if (make_plan(&u, i, &p)) {
            vec_push(c->scratch, &plans, p);
            for (uint32_t k = 0; k < u.cycles->at[i].count; k++)
                opt_demote_region(&u.demotion, u.cycles->blocks[u.cycles->at[i].first + k], plans.count);
        }
    if (!plans.count)
        return false;
    u.outside = opt_used_outside(&u.demotion);
    for (uint32_t i = 0; i < plans.count; i++)
        demote_loop(&u, plans.at[i].cycle);
    for (uint32_t i = 0; i < plans.count; i++)
        if (plans.at[i].trips)
            unroll_loop(&u, &plans.at[i]);
        else
            opt_unroll_rest(&u, &plans.at[i]);
    opt_rename_all(&u.renaming, f);
    opt_demote_finish(&u.demotion);
    return true;
}
