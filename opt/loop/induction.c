/* induction.c: expressions of a loop's counter become variables of their own that go forward by an addition.
 *
 * J. Cocke, K. Kennedy, "An algorithm for reduction of operator strength" (1977), for loops with one way in
 * and one way back. A counter is a parameter of the header to which each iteration adds the same. What is
 * made of it by adding, subtracting and multiplying what the loop doesn't change is f(i) = scale * i +
 * offset, modulo 2^bits like all integers; so f(i + step) = f(i) + scale * step holds exactly, whatever wraps
 * around.
 *
 * The rule when it pays: the addition takes the place of two operations at least, one of them a
 * multiplication that is no shift; the expression is computed in every iteration; and no more than MOST
 * variables are added to a loop, since each holds a register all the time. Shifts and sums that addresses
 * take in (base + (index << n) + offset) are no reason.
 *
 * Linear. Needs cycles and dominators.
 */
#include "opt/pass.h"

enum { MOST = 4 };

/* An expression of counter `counter`: one more operation on `inner`, an expression or the counter itself. */
struct expression {
    ir_ref counter, inner;
    uint32_t saves;
    bool multiplies;
};
struct loop {
    uint32_t cycle, header, before, latch, before_edge, latch_edge, made;
};
struct induction {
    struct opt_context *c;
    struct ir_function *f;
    const struct ir_cfg *g;
    const struct ir_dominators *d;
    const struct ir_cycles *cycles;
    const struct opt_uses *uses;
    struct expression *at; /* by value; counter 0: none */
    ir_ref *step;          /* by counter: what an iteration adds; 0: no counter */
    uint32_t values;       /* when the pass began */
    struct opt_renaming renaming;
};

/* ---- loops ------------------------------------------------------------------------------------------- */

static bool find_loop(const struct induction *x, uint32_t cycle, struct loop *l)
{
    const struct ir_cycle *k = &x->cycles->at[cycle];
    *l = (struct loop){cycle, k->header, IR_NO_BLOCK, IR_NO_BLOCK, 0, 0, 0};
    if (k->entries.count != 1 || k->header == ir_entry(x->f) || ir_pred_count(x->g, k->header) != 2)
        return false;
    ir_each_pred(p, k->header, x->g) {
        bool inside = ir_cycle_has(x->cycles, cycle, p);
        *(inside ? &l->latch : &l->before) = p;
        *(inside ? &l->latch_edge : &l->before_edge) = x->g->pred_edges[p_at];
    }
    return l->latch != IR_NO_BLOCK && l->before != IR_NO_BLOCK &&
           ir_at(x->f, ir_terminator(x->f, l->before))->op == IR_br;
}

static bool is_invariant(const struct induction *x, const struct loop *l, ir_ref r)
{
    uint32_t b = ir_at(x->f, r)->block;
    return b == IR_NO_BLOCK || !ir_cycle_has(x->cycles, l->cycle, b);
}

static ir_ref argument(const struct induction *x, uint32_t block, uint32_t edge, ir_ref param)
{
    return ir_block_at(x->f, block)->edges.at[edge].args[ir_at(x->f, param)->imm];
}

static void find_counters(struct induction *x, const struct loop *l)
{
    const u32_vec *params = &ir_block_at(x->f, l->header)->params;
    for (uint32_t i = 0; i < params->count; i++) {
        ir_ref p = params->at[i];
        const struct ir_ins *next = ir_at(x->f, argument(x, l->latch, l->latch_edge, p));
        if (next->op != IR_add || ir_is_float(next->type))
            continue;
        for (unsigned k = 0; k < 2; k++)
            if (next->args[k] == p && is_invariant(x, l, next->args[1 - k]))
                x->step[p] = next->args[1 - k];
    }
}

/* ---- expressions ------------------------------------------------------------------------------------- */

static ir_ref counter_of(const struct induction *x, ir_ref r)
{
    return r >= x->values ? 0 : x->step[r] ? r : x->at[r].counter;
}

static bool is_dear(const struct induction *x, const struct ir_ins *ins, ir_ref factor)
{
    scalar_bits bits;
    return ins->op == IR_mul && (!ir_is_const(x->f, factor, &bits) || (bits & (bits - 1)));
}

static uint32_t use_count(const struct induction *x, ir_ref r)
{
    return x->uses->start[r + 1] - x->uses->start[r];
}

static void note_expression(struct induction *x, struct loop *l, ir_ref r)
{
    const struct ir_ins *ins = ir_at(x->f, r);
    if ((ins->op != IR_add && ins->op != IR_sub && ins->op != IR_mul) || ir_is_float(ins->type))
        return;
    unsigned k = is_invariant(x, l, ins->args[0]); /* which operand has the counter */
    ir_ref inner = ins->args[k], counter = counter_of(x, inner);
    if (!counter || ir_at(x->f, counter)->block != l->header || !is_invariant(x, l, ins->args[1 - k]))
        return;
    const struct expression *e = &x->at[inner];
    bool alone = inner != counter && use_count(x, inner) == 1;
    x->at[r] = (struct expression){counter, inner, 1 + (alone ? e->saves : 0),
                                   is_dear(x, ins, ins->args[1 - k]) || (alone && e->multiplies)};
}

/* Whether a larger expression takes r in. */
static bool is_part(const struct induction *x, ir_ref r)
{
    const struct opt_use *u = &x->uses->at[x->uses->start[r]];
    return use_count(x, r) == 1 && u->edge == IR_NO_BLOCK && x->at[u->user].counter != 0;
}

/* ---- new variables ----------------------------------------------------------------------------------- */

/* r where the counter is `at`: the same operations once more, before the loop. */
static ir_ref evaluate(struct induction *x, struct ir_cursor *c, ir_ref r, ir_ref at)
{
    u32_vec chain = {0};
    for (; x->at[r].counter; r = x->at[r].inner)
        vec_push(x->c->scratch, &chain, r);
    while (chain.count) {
        ir_ref old = vec_pop(&chain);
        struct ir_ins ins = *ir_at(x->f, old);
        ir_ref args[2] = {ins.args[0], ins.args[1]};
        args[ins.args[0] != x->at[old].inner] = at;
        c->at = ins.at;
        at = ir_emit2(c, ins.op, ins.type, args[0], args[1]);
    }
    return at;
}

/* What an iteration adds to r. */
static ir_ref scaled_step(struct induction *x, struct ir_cursor *c, ir_ref r)
{
    ir_ref by = x->step[x->at[r].counter];
    bool negative = false;
    for (; x->at[r].counter; r = x->at[r].inner) {
        const struct ir_ins *ins = ir_at(x->f, r);
        bool second = ins->args[0] != x->at[r].inner;
        negative ^= ins->op == IR_sub && second;
        if (ins->op == IR_mul)
            by = ir_emit2(c, IR_mul, ins->type, by, ins->args[!second]);
    }
    return negative ? ir_emit1(c, IR_neg, ir_at(x->f, by)->type, by) : by;
}

static void make_variable(struct induction *x, struct loop *l, ir_ref r)
{
    struct ir_ins ins = *ir_at(x->f, r);
    struct ir_cursor before = {.fn = x->f, .block = l->before, .before = ir_terminator(x->f, l->before)};
    ir_ref first = evaluate(x, &before, r, argument(x, l->before, l->before_edge, x->at[r].counter));
    before.at = ins.at;
    ir_ref step = scaled_step(x, &before, r);
    struct ir_cursor back = {
        .fn = x->f, .block = l->latch, .before = ir_terminator(x->f, l->latch), .at = ins.at};
    ir_ref variable = ir_param_new(x->f, l->header, ins.type, ins.name);
    ir_ref next = ir_emit2(&back, IR_add, ins.type, variable, step);
    ir_edge_arg(x->f, &ir_block_at(x->f, l->before)->edges.at[l->before_edge], first);
    ir_edge_arg(x->f, &ir_block_at(x->f, l->latch)->edges.at[l->latch_edge], next);
    opt_rename(&x->renaming, x->f, r, variable);
    l->made++;
    opt_remark(x->c, x->f, OPT_APPLIED, "reduced", ins.at,
               "goes forward by an addition instead of a multiplication");
    opt_count(x->c, "variables", 1);
}

static void consider(struct induction *x, struct loop *l, ir_ref r)
{
    const struct expression *e = &x->at[r];
    if (!e->counter || e->saves < 2 || !e->multiplies || is_part(x, r))
        return;
    const struct ir_ins *ins = ir_at(x->f, r);
    if (!ir_dominates(x->d, ins->block, l->latch))
        opt_remark(x->c, x->f, OPT_MISSED, "seldom", ins->at, "multiplication stays: not in every iteration");
    else if (l->made == MOST)
        opt_remark(x->c, x->f, OPT_MISSED, "registers", ins->at,
                   "multiplication stays: %d variables were added to the loop", MOST);
    else
        make_variable(x, l, r);
}

/* Calls visit on each old instruction of the loops that were found, definitions before uses. */
static void walk(struct induction *x, struct loop *loops,
                 void (*visit)(struct induction *, struct loop *, ir_ref))
{
    for (uint32_t i = 0; i < x->g->rpo_count; i++) {
        uint32_t cycle = x->cycles->innermost[x->g->rpo[i]];
        if (cycle == IR_NO_CYCLE || loops[cycle].latch == IR_NO_BLOCK)
            continue;
        ir_each_ins(r, x->f, x->g->rpo[i])
            if (r < x->values)
                visit(x, &loops[cycle], r);
    }
}

bool opt_induction(struct opt_context *c, struct ir_function *f)
{
    struct induction x = {
        .c = c, .f = f, .g = opt_cfg(c, f), .cycles = opt_cycles(c, f), .values = f->ins.count};
    if (x.cycles->count == 0)
        return false;
    x.d = opt_dominators(c, f);
    x.uses = opt_uses(c, f);
    x.at = arena_array(c->scratch, struct expression, x.values);
    x.step = arena_array(c->scratch, ir_ref, x.values);
    x.renaming.arena = c->scratch;
    struct loop *loops = arena_array(c->scratch, struct loop, x.cycles->count);
    for (uint32_t k = 0; k < x.cycles->count; k++) {
        if (find_loop(&x, k, &loops[k]))
            find_counters(&x, &loops[k]);
        else
            loops[k].latch = IR_NO_BLOCK;
    }
    walk(&x, loops, note_expression);
    walk(&x, loops, consider);
    opt_rename_all(&x.renaming, f);
    return x.renaming.made != 0;
}
