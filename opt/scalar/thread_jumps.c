/* thread_jumps.c: an edge that decides the branch it leads to goes straight where the branch will go.
 *
 * A block of parameters, a few pure instructions and a branch is passed by every edge whose constant
 * arguments decide the branch. Nothing is copied: what the block computes has to be constant for that edge,
 * or unused behind the block. Headers of cycles are not passed, since that would give a loop a second entry.
 *
 * The new edge may lead to a block with convergent operations: the threads of an operation are those of its
 * token that reach it, by whatever path ("Convergent Operation Semantics", Unstructured control flow). A
 * block that holds one itself would have to be copied, and stays. A *divergent* branch stays too, for
 * speed's sake: its block is where threads reconverge.
 *
 * Linear: a block's edges are looked at once.
 */
#include "opt/pass.h"

enum { BODY_MAX = 4 };

struct thread {
    struct opt_context *c;
    struct ir_function *f;
    const struct ir_cfg *g;
    const struct ir_cycles *cycles;
    const struct opt_uses *uses;
    uint32_t block;         /* the block at work */
    ir_ref known[BODY_MAX]; /* its instructions, and their bits for the edge at work */
    scalar_bits bits[BODY_MAX];
    uint32_t count;
    bool changed;
};

static bool used_only_here(const struct thread *t, ir_ref r, uint32_t b)
{
    opt_each_use(u, t->uses, r)
        if (u->block != b)
            return false;
    return true;
}

static bool is_header(const struct thread *t, uint32_t b)
{
    uint32_t cycle = t->cycles->innermost[b];
    for (uint32_t i = 0; cycle != IR_NO_CYCLE && i < t->cycles->at[cycle].entries.count; i++)
        if (t->cycles->at[cycle].entries.at[i] == b)
            return true;
    return false;
}

static bool branches_on_parameters(const struct thread *t, uint32_t b)
{
    const struct ir_block *block = ir_block_at(t->f, b);
    enum ir_op op = ir_at(t->f, block->last)->op;
    return (op == IR_brif || op == IR_switch) && block->params.count && b != ir_entry(t->f) &&
           !is_header(t, b);
}

/* Whether edges may pass the block; says why not where only a convergent operation is in the way. */
static bool may_pass(struct thread *t, uint32_t b)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < ir_block_at(t->f, b)->params.count; i++)
        if (!used_only_here(t, ir_block_at(t->f, b)->params.at[i], b))
            return false;
    ir_each_ins(r, t->f, b) {
        if (r == ir_terminator(t->f, b))
            return true;
        if (ir_is_convergent(t->f, r)) {
            opt_remark(t->c, t->f, OPT_MISSED, "convergent", ir_at(t->f, r)->at,
                       "jump not threaded: '%s' would be copied", ir_op_info[ir_at(t->f, r)->op].text);
            return false;
        }
        if (!ir_is_pure(ir_at(t->f, r)->op) || ++n > BODY_MAX || !used_only_here(t, r, b))
            return false;
    }
    return false;
}

/* First asked before any edge is threaded, and found once. */
static bool is_divergent(struct thread *t, uint32_t b)
{
    return bitset_has(opt_uniformity(t->c, t->f)->branches, b);
}

/* ---- one edge ---------------------------------------------------------------------------------------- */

/* A value's bits when the block is entered by this edge. */
static bool value_for(const struct thread *t, const struct ir_edge *in, ir_ref r, scalar_bits *bits)
{
    const struct ir_ins *ins = ir_at(t->f, r);
    if (ins->op == IR_param && ins->block == t->block)
        return ir_is_const(t->f, in->args[ins->imm], bits);
    for (uint32_t i = 0; i < t->count; i++)
        if (t->known[i] == r) {
            *bits = t->bits[i];
            return true;
        }
    return ir_is_const(t->f, r, bits);
}

static void run_body(struct thread *t, const struct ir_edge *in)
{
    t->count = 0;
    ir_each_ins(r, t->f, t->block) {
        const struct ir_ins *ins = ir_at(t->f, r);
        scalar_bits args[SCALAR_MAX_ARGS], bits;
        bool known = ir_is_pure(ins->op);
        for (uint32_t i = 0; known && i < ins->argc; i++)
            known = value_for(t, in, ins->args[i], &args[i]);
        if (known && opt_fold(t->f, r, args, &bits)) {
            t->known[t->count] = r;
            t->bits[t->count++] = bits;
        }
    }
}

/* What the edge has to pass on instead of `arg`, or 0 if it cannot be named there. */
static ir_ref argument_for(struct thread *t, const struct ir_edge *in, ir_ref arg)
{
    const struct ir_ins *ins = ir_at(t->f, arg);
    scalar_bits bits;
    if (ins->block != t->block)
        return arg;
    if (ins->op == IR_param)
        return in->args[ins->imm];
    return value_for(t, in, arg, &bits) ? ir_const(t->f, ins->type, bits) : 0;
}

static void thread_edge(struct thread *t, uint32_t from, uint32_t e)
{
    struct ir_edge *in = &ir_block_at(t->f, from)->edges.at[e];
    scalar_bits bits;
    run_body(t, in);
    if (!value_for(t, in, ir_at(t->f, ir_terminator(t->f, t->block))->args[0], &bits))
        return;
    const struct ir_edge *on = &ir_block_at(t->f, t->block)->edges.at[ir_chosen_edge(t->f, t->block, bits)];
    ir_ref *args = arena_array(&t->f->module->arena, ir_ref, on->argc);
    for (uint32_t i = 0; i < on->argc; i++)
        if (!(args[i] = argument_for(t, in, on->args[i])))
            return;
    *in = (struct ir_edge){.block = on->block, .argc = on->argc, .args = args, .value = in->value};
    opt_count(t->c, "edges", 1);
    t->changed = true;
}

static bool has_constant_edge(const struct thread *t, uint32_t b)
{
    ir_each_pred(p, b, t->g) {
        const struct ir_edge *e = &ir_block_at(t->f, p)->edges.at[t->g->pred_edges[p_at]];
        for (uint32_t i = 0; i < e->argc; i++)
            if (ir_is_const(t->f, e->args[i], NULL))
                return true;
    }
    return false;
}

static void thread_jumps_visit_block(struct thread *t, uint32_t b)
{
    if (!branches_on_parameters(t, b) || !has_constant_edge(t, b) || !may_pass(t, b))
        return;
    place at = ir_at(t->f, ir_terminator(t->f, b))->at;
    if (is_divergent(t, b)) {
        opt_remark(t->c, t->f, OPT_MISSED, "reconvergence", at,
                   "jump not threaded: threads reconverge at the divergent branch");
        return;
    }
    bool before = t->changed;
    t->block = b;
    ir_each_pred(p, b, t->g)
        if (bitset_has(t->g->reachable, p) &&
            ir_block_at(t->f, p)->edges.at[t->g->pred_edges[p_at]].block == b)
            thread_edge(t, p, t->g->pred_edges[p_at]);
    if (t->changed != before)
        opt_remark(t->c, t->f, OPT_APPLIED, "threaded", at, "jump threaded past the branch");
}

bool opt_thread_jumps(struct opt_context *c, struct ir_function *f)
{
    struct thread t = {
        .c = c, .f = f, .g = opt_cfg(c, f), .cycles = opt_cycles(c, f), .uses = opt_uses(c, f)};
    for (uint32_t i = 0; i < t.g->rpo_count; i++)
        thread_jumps_visit_block(&t, t.g->rpo[i]);
    return t.changed;
}
