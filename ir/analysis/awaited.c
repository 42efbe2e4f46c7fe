/* awaited.c: operations that threads may come to from a barrier.
 *
 * A barrier waits for all threads that have not returned. Where some are at one, and others elsewhere, the
 * latter have to run to the kernel's end first. They can't if on their way they come to a convergent operation
 * where they wait for those at the barrier, as these may come there, too: that is the kernel's mistake.
 *
 * An operation is *awaited* if some barrier leads to it by ways that do not pass the definition of its token.
 * A call counts as an operation, and as a barrier if it may lead to one; a heart counts if it controls
 * operations. Which barrier the others are at is not asked: who is released waited where these come to, too.
 */
#include "ir/analysis/analysis.h"

struct finder {
    struct arena *arena;
    const struct ir_cfg *g;
    const struct ir_function *f;
    struct bitset functions; /* see ir_waiting_functions */
    struct bitset waiting;   /* blocks with a barrier, or a call that may lead to one */
};

bool ir_gathers(const struct ir_function *f, ir_ref r, struct bitset in_use)
{
    enum ir_op op = (enum ir_op)ir_at(f, r)->op;
    if (op == IR_loop)
        return bitset_has(in_use, r);
    return op != IR_barrier && op != IR_entry && op != IR_anchor && ir_is_convergent(f, r);
}

static bool waits_at(const struct finder *x, ir_ref r)
{
    return ir_at(x->f, r)->op == IR_barrier || ir_call_may_wait(x->f, r, x->functions);
}

/* Whether threads may wait in the operation's block before it, behind the definition of its token. */
static bool waits_before(const struct finder *x, ir_ref operation)
{
    bool waits = false;
    for (ir_ref r = ir_block_at(x->f, ir_at(x->f, operation)->block)->first; r != operation;
         r = ir_at(x->f, r)->next)
        waits = (waits && r != ir_at(x->f, operation)->token) || waits_at(x, r);
    return waits;
}

static bool is_awaited(const struct finder *x, ir_ref operation)
{
    const struct ir_ins *ins = ir_at(x->f, operation);
    uint32_t home = ins->token ? ir_at(x->f, ins->token)->block : IR_NO_BLOCK;
    struct walk w = walk_new(x->arena, x->g->blocks);
    if (waits_before(x, operation))
        return true;
    if (home != ins->block)
        ir_add_predecessors(&w, x->g, ins->block, IR_NO_BLOCK);
    walk_each(b, &w) {
        if (bitset_has(x->waiting, b))
            return true;
        if (b != home)
            ir_add_predecessors(&w, x->g, b, IR_NO_BLOCK);
    }
    return false;
}

struct bitset ir_awaited_new(struct arena *a, const struct ir_cfg *c, struct bitset waiting)
{
    struct finder x = {.arena = a, .g = c, .f = c->fn, .functions = waiting};
    struct bitset awaited = bitset_new(a, c->fn->ins.count);
    x.waiting = bitset_new(a, c->blocks);
    for (uint32_t i = 0; i < c->rpo_count; i++)
        ir_each_ins(r, c->fn, c->rpo[i])
            if (waits_at(&x, r))
                bitset_add(x.waiting, c->rpo[i]);
    if (bitset_next(x.waiting, 0) >= x.waiting.bits)
        return awaited;
    struct bitset used = ir_tokens_in_use(a, c->fn);
    for (uint32_t i = 0; i < c->rpo_count; i++)
        ir_each_ins(r, c->fn, c->rpo[i])
            if (ir_gathers(c->fn, r, used) && is_awaited(&x, r))
                bitset_add(awaited, r);
    return awaited;
}
