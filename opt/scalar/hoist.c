/* hoist.c: what both targets of a branch compute is computed before it, once.
 *
 * The two targets are blocks that only the branch leads to. An instruction of the one that stands in the
 * other one too, with equal operands, moves before the branch. Both ran it anyway, so nothing is speculated.
 *
 * "Convergent Operation Semantics", Hoisting and sinking: anchors may be hoisted in acyclic control flow,
 * since an operation of either way still meets only threads that went its way. Operations themselves are
 * merged only if the branch is uniform: else threads of both sides would take part (Reductions inside
 * divergent control flow). Only what comes before all other convergent operations of its way moves, so that
 * regions of tokens stay nested.
 *
 * Blocks in post-order, so that what comes out of an inner branch can go on. WAY_MAX instructions of each way
 * are looked at, hence linear.
 */
#include "opt/kit/co_execution.h"

enum { HOIST_MAX = 32 };

struct hoist {
    struct opt_context *c;
    struct ir_function *f;
    struct opt_co_execution co_execution;
    struct opt_renaming renaming;
    uint32_t branch, targets[2]; /* at work */
    bool changed;
};

static bool computes_only(const struct ir_ins *ins)
{
    switch (ins->op) {
    case IR_ptradd:
    case IR_ptrcast:
    case IR_object:
    case IR_function:
    case IR_special: return true;
    default: return ir_is_pure(ins->op);
    }
}

/* ---- pairs of equal instructions --------------------------------------------------------------------- */

static bool operands_stand_before(const struct hoist *h, const struct ir_ins *ins)
{
    for (uint32_t i = 0; i < ins->argc; i++)
        if (ir_at(h->f, ins->args[i])->block == h->targets[0])
            return false;
    return !ins->token || ir_at(h->f, ins->token)->block != h->targets[0];
}

static bool equal(struct hoist *h, const struct ir_ins *a, const struct ir_ins *b)
{
    if (a->op != b->op || a->type != b->type || a->mem != b->mem || a->imm != b->imm || a->imm2 != b->imm2 ||
        a->argc != b->argc || opt_renamed(&h->renaming, a->token) != opt_renamed(&h->renaming, b->token))
        return false;
    for (uint32_t i = 0; i < a->argc; i++)
        if (opt_renamed(&h->renaming, a->args[i]) != opt_renamed(&h->renaming, b->args[i]))
            return false;
    return true;
}

/* The first convergent operation that is left in the block, or 0. */
static ir_ref first_convergent(const struct hoist *h, uint32_t b)
{
    uint32_t n = 0;
    ir_each_ins(r, h->f, b)
        if (n++ == HOIST_MAX || ir_is_convergent(h->f, r))
            return r;
    return 0;
}

static ir_ref find_equal(struct hoist *h, ir_ref r)
{
    uint32_t n = 0;
    ir_each_ins(s, h->f, h->targets[1])
        if (n++ == HOIST_MAX)
            return 0;
        else if (equal(h, ir_at(h->f, r), ir_at(h->f, s)))
            return s;
    return 0;
}

/* The other way's instruction that r may be merged with, or 0. */
static ir_ref find_partner(struct hoist *h, ir_ref r)
{
    const struct ir_ins *ins = ir_at(h->f, r);
    if (!operands_stand_before(h, ins))
        return 0;
    if (computes_only(ins))
        return find_equal(h, r);
    if ((ins->op != IR_anchor && !opt_is_convergent_value((enum ir_op)ins->op)) ||
        r != first_convergent(h, h->targets[0]))
        return 0;
    ir_ref s = first_convergent(h, h->targets[1]);
    if (!s || !equal(h, ins, ir_at(h->f, s)))
        return 0;
    if (ins->op == IR_anchor || opt_branch_is_uniform(&h->co_execution, h->branch, ins->token))
        return s;
    opt_remark(h->c, h->f, OPT_MISSED, "convergent", ins->at,
               "'%s' of both ways not merged before the branch: it is divergent, and threads of both would "
               "take part",
               ir_op_info[ins->op].text);
    return 0;
}

/* ---- branches ---------------------------------------------------------------------------------------- */

static void hoist(struct hoist *h, ir_ref r, ir_ref s)
{
    const struct ir_ins *ins = ir_at(h->f, r);
    struct ir_cursor before = {.fn = h->f, .block = h->branch, .before = ir_terminator(h->f, h->branch)};
    if (ir_is_convergent(h->f, r))
        opt_remark(h->c, h->f, OPT_APPLIED, ins->op == IR_anchor ? "anchor" : "convergent", ins->at,
                   "'%s' of both ways merged before the branch%s", ir_op_info[ins->op].text,
                   ins->op == IR_anchor ? "" : ", which is uniform");
    ir_unlink(h->f, r);
    ir_link(&before, r);
    opt_rename(&h->renaming, h->f, s, r);
    ir_remove(h->f, s);
    opt_count(h->c, "instructions", 1);
    h->changed = true;
}

/* Whether the edge leads to a block that nothing else leads to, in the same cycle. */
static bool is_way(const struct hoist *h, uint32_t b, uint32_t to)
{
    return to != ir_entry(h->f) && ir_pred_count(h->co_execution.g, to) == 1 &&
           h->co_execution.cycles->innermost[b] == h->co_execution.cycles->innermost[to];
}

static void hoist_visit_branch(struct hoist *h, uint32_t b)
{
    const struct ir_block *block = ir_block_at(h->f, b);
    if (ir_at(h->f, block->last)->op != IR_brif || !is_way(h, b, block->edges.at[0].block) ||
        !is_way(h, b, block->edges.at[1].block))
        return;
    uint32_t n = 0;
    h->branch = b;
    h->targets[0] = block->edges.at[0].block;
    h->targets[1] = block->edges.at[1].block;
    for (ir_ref r = ir_block_at(h->f, h->targets[0])->first, next; r && n < HOIST_MAX; r = next, n++) {
        next = ir_at(h->f, r)->next;
        ir_ref s = find_partner(h, r);
        if (s)
            hoist(h, r, s);
    }
}

bool opt_hoist(struct opt_context *c, struct ir_function *f)
{
    struct hoist h = {
        .c = c, .f = f, .co_execution = opt_co_execution_new(c, f), .renaming.arena = c->scratch};
    for (uint32_t i = h.co_execution.g->rpo_count; i-- > 0;)
        hoist_visit_branch(&h, h.co_execution.g->rpo[i]);
    opt_rename_all(&h.renaming, f);
    return h.changed;
}
