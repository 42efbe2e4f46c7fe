/* nonconvergent.c: functions and calls that need no threads together stop being convergent.
 *
 * "Convergent Operation Semantics", Inferring non-convergence: a function that has no token.entry (and no
 * uncontrolled convergent operation: infer_tokens.c leaves none) is not convergent, and a call of such a
 * function needs no token. Callees come before their callers, so that what a call loses can be the last that
 * its caller had. Tokens that are left without a use go, the entry's among them.
 *
 * Calls through pointers stay as their signature says. Linear.
 */
#include "opt/pass.h"

struct infer {
    struct opt_context *c;
    struct ir_module *m;
    bool changed;
};

static bool drop_token(struct infer *n, struct ir_function *f, ir_ref r)
{
    struct ir_ins *ins = ir_at(f, r);
    if (ins->op != IR_call || !ins->token || n->m->functions.at[ins->imm]->flags & IR_FN_CONVERGENT)
        return false;
    opt_remark(n->c, f, OPT_APPLIED, "call", ins->at,
               "call of '%s' needs no token: the function is not convergent",
               n->m->functions.at[ins->imm]->name);
    ins->token = 0;
    return n->changed = true;
}

/* Removes tokens without users, and those that only they used. */
static void remove_unused_tokens(struct infer *n, struct ir_function *f)
{
    uint32_t *uses = arena_array(n->c->scratch, uint32_t, f->ins.count);
    u32_vec unused = {0};
    ir_each_block(i, b, f)
        ir_each_ins(r, f, b)
            uses[ir_at(f, r)->token]++;
    ir_each_block(i, b, f)
        ir_each_ins(r, f, b)
            if (opt_is_token_op(ir_at(f, r)->op) && uses[r] == 0)
                vec_push(n->c->scratch, &unused, r);
    while (unused.count) {
        ir_ref r = vec_pop(&unused), token = ir_at(f, r)->token;
        ir_remove(f, r);
        if (token && --uses[token] == 0)
            vec_push(n->c->scratch, &unused, token);
    }
}

static void work_on(struct infer *n, struct ir_function *f)
{
    bool dropped = false;
    ir_each_block(i, b, f)
        ir_each_ins(r, f, b)
            dropped |= drop_token(n, f, r);
    if (dropped)
        remove_unused_tokens(n, f);
    if (!(f->flags & IR_FN_CONVERGENT) || f->order.count == 0)
        return;
    ir_ref entry = ir_token_modes_of(f).entry;
    if (entry) {
        opt_remark(n->c, f, OPT_MISSED, "convergent", ir_at(f, entry)->at,
                   "'%s' stays convergent: it has '%s'", f->name, ir_op_info[IR_entry].text);
        return;
    }
    f->flags &= ~IR_FN_CONVERGENT;
    opt_remark(n->c, f, OPT_APPLIED, "function", f->at, "'%s' is not convergent", f->name);
    opt_count(n->c, "functions", 1);
    n->changed = true;
}

bool opt_nonconvergent(struct opt_context *c, struct ir_module *m)
{
    struct infer n = {.c = c, .m = m};
    const u32_vec *order = opt_callees_first(c, m);
    for (uint32_t i = 0; i < order->count; i++)
        work_on(&n, m->functions.at[order->at[i]]);
    return n.changed;
}
