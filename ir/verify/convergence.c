/* convergence.c: the rules on tokens and predictions that hold place by place (Convergent Operation
 * Semantics: the intrinsics' own rules); those on cycles and regions are in tokens.c.
 */
#include "ir/verify/verify.h"

static bool may_have_token(enum ir_op op)
{
    return ir_op_info[op].flags & IR_CONVERGENT || op == IR_call || op == IR_icall;
}

/* Reports a token operand that should not be or be otherwise. */
static void check_token(struct verifier *v, ir_ref r)
{
    const struct ir_ins *ins = ir_at(v->fn, r);
    bool source = ins->op == IR_entry || ins->op == IR_anchor;
    if (ins->token && !may_have_token(ins->op))
        ir_ins_broken(v, IR_RULE_TOKEN_USER, r, "this is no convergent operation");
    else if (ins->token && ir_at(v->fn, ins->token)->type != IR_TYPE_TOKEN)
        ir_ins_broken(v, IR_RULE_TOKEN_TYPE, r, "what stands in brackets is no token");
    if ((source && ins->token) || (ins->op == IR_loop && !ins->token))
        ir_ins_broken(v, IR_RULE_TOKEN_SOURCE, r,
                      source ? "this begins a chain of tokens" : "this needs a token");
}

/* `earlier`: a convergent operation stands before r in its block. */
static void check_entry_token(struct verifier *v, ir_ref r, ir_ref first, bool earlier)
{
    if (r != first)
        ir_ins_broken(v, IR_RULE_TOKEN_ENTRY, r, "there is another token.entry");
    else if (ir_at(v->fn, r)->block != ir_entry(v->fn))
        ir_ins_broken(v, IR_RULE_TOKEN_ENTRY, r, "this is not the entry block");
    else if (earlier)
        ir_ins_broken(v, IR_RULE_TOKEN_ENTRY, r, "a convergent operation stands before it");
}

static void check_token_operands(struct verifier *v, ir_ref entry)
{
    const struct ir_function *f = v->fn;
    ir_each_block(i, b, f) {
        bool earlier = false;
        ir_each_ins(r, f, b) {
            check_token(v, r);
            if (ir_at(f, r)->op == IR_entry)
                check_entry_token(v, r, entry, earlier);
            earlier |= ir_is_convergent(f, r);
        }
    }
}

static void check_hearts_first(struct verifier *v)
{
    const struct ir_function *f = v->fn;
    ir_each_block(i, b, f) {
        bool earlier = false;
        ir_each_ins(r, f, b) {
            if (ir_at(f, r)->op == IR_loop && earlier)
                ir_ins_broken(v, IR_RULE_TOKEN_FIRST, r,
                              "a convergent operation stands before it in its block");
            earlier |= ir_is_convergent(f, r);
        }
    }
}

static void check_cycles_and_regions(struct verifier *v, const struct ir_cfg *c)
{
    const struct ir_tokens *tokens = ir_tokens_new(v->scratch, c);
    if (tokens->defs.count && !ir_verify_tokens(v->scratch, tokens, ir_cycles_new(v->scratch, c), v->d))
        v->broken = true;
}

void ir_verify_convergence(struct verifier *v, const struct ir_cfg *cfg)
{
    struct ir_token_modes m = ir_token_modes_of(v->fn);
    ir_ref needs_caller = m.entry ? m.entry : m.uncontrolled;
    check_token_operands(v, m.entry);
    if (m.controlled && m.uncontrolled)
        ir_ins_broken(v, IR_RULE_TOKEN_MIXED, m.uncontrolled,
                      "other convergent operations of the function have a token");
    if (needs_caller && !(v->fn->flags & IR_FN_CONVERGENT))
        ir_ins_broken(v, IR_RULE_CONVERGENT, needs_caller, "the function is not marked convergent");
    if (!v->broken && (m.controlled || m.entry)) {
        check_cycles_and_regions(v, cfg);
        check_hearts_first(v);
    }
}
