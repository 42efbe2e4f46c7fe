/* infer.c: tokens for a function whose convergent operations have none.
 *
 * "Convergent Operation Semantics", Inferring Tokens: the entry token in the entry block, a heart at the
 * start of each loop's header with the token of the loop around it, and for each operation the token of its
 * innermost loop. Cycles with several entries have to be made loops first: all edges to entries lead through
 * one block, the new header. The pass does so; inlining does not, and leaves such calls alone.
 */
#include "opt/gather.h"

static ir_ref add_token(struct ir_function *f, enum ir_op op, uint32_t block, ir_ref token)
{
    struct ir_cursor c = {.fn = f, .block = block, .before = ir_block_at(f, block)->first};
    ir_ref r = ir_emit0(&c, op, IR_TYPE_TOKEN);
    ir_at(f, r)->token = token;
    return r;
}

struct opt_token_modes opt_token_modes_of(const struct ir_function *f)
{
    struct opt_token_modes m = {0};
    for ir_each_block(i, b, f)
        for ir_each_ins(r, f, b) {
            const struct ir_ins *ins = ir_at(f, r);
            m.entry |= ins->op == IR_entry;
            if (ins->token || opt_is_token_op(ins->op))
                m.controlled = true;
            else if (ir_is_convergent(f, r))
                m.uncontrolled = true;
        }
    return m;
}

bool opt_infer_tokens(struct arena *scratch, struct ir_function *f)
{
    const struct ir_cfg *g = ir_cfg_new(scratch, f);
    const struct ir_cycles *cycles = ir_cycles_new(scratch, g);
    ir_ref *hearts = arena_array(scratch, ir_ref, cycles->count);
    for (uint32_t i = 0; i < cycles->count; i++)
        if (cycles->at[i].entries.count != 1)
            return false;
    u32_vec plain = {0};
    for ir_each_block(i, b, f)
        for ir_each_ins(r, f, b)
            if (ir_is_convergent(f, r))
                vec_push(scratch, &plain, r);
    ir_ref entry = add_token(f, IR_entry, ir_entry(f), 0);
    for (uint32_t i = 0; i < cycles->count; i++) {
        uint32_t parent = cycles->at[i].parent;
        hearts[i] = add_token(f, IR_loop, cycles->at[i].header,
                              parent == IR_NO_CYCLE ? entry : hearts[parent]);
    }
    for (uint32_t i = 0; i < plain.count; i++) {
        uint32_t cycle = cycles->innermost[ir_at(f, plain.at[i])->block];
        ir_at(f, plain.at[i])->token = cycle == IR_NO_CYCLE ? entry : hearts[cycle];
    }
    return true;
}

bool opt_infer(struct opt_context *c, struct ir_function *f)
{
    struct opt_token_modes modes = opt_token_modes_of(f);
    if (!modes.uncontrolled || modes.controlled)
        return false;
    bool changed = false;
    if (opt_make_reducible(c, f, &changed) && opt_infer_tokens(c->scratch, f))
        return true;
    opt_remark(c, f, OPT_MISSED, "irreducible", f->at,
               "no tokens inferred: too many cycles with several entries");
    return true;
}
