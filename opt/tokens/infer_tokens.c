/* infer_tokens.c: tokens for convergent operations that have none.
 *
 * "Convergent Operation Semantics", Inferring Tokens: cycles with several entries become loops
 * (opt_make_reducible), then the entry token stands in the entry block, a heart at the start of each loop's
 * header with the token of the loop around it, and each operation takes the token of its innermost loop. A
 * token.entry without users may be there already, and is the one.
 *
 * The runner begins with this pass, since others may change which cycle an operation is in: they all see
 * controlled operations only. Linear but for that.
 */
#include "opt/kit/merge_edges.h"

static ir_ref add_token(struct ir_function *f, enum ir_op op, uint32_t block, ir_ref token)
{
    struct ir_cursor c = {.fn = f, .block = block, .before = ir_block_at(f, block)->first};
    ir_ref r = ir_emit0(&c, op, IR_TYPE_TOKEN);
    ir_at(f, r)->token = token;
    return r;
}

static u32_vec uncontrolled_operations(struct arena *a, const struct ir_function *f)
{
    u32_vec found = {0};
    ir_each_block(i, b, f)
        ir_each_ins(r, f, b)
            if (ir_is_convergent(f, r) && !opt_is_token_op(ir_at(f, r)->op))
                vec_push(a, &found, r);
    return found;
}

static void infer(struct opt_context *c, struct ir_function *f, ir_ref entry)
{
    const struct ir_cycles *cycles = opt_cycles(c, f);
    ir_ref *hearts = arena_array(c->scratch, ir_ref, cycles->count);
    u32_vec uncontrolled = uncontrolled_operations(c->scratch, f);
    if (!entry)
        entry = add_token(f, IR_entry, ir_entry(f), 0);
    for (uint32_t i = 0; i < cycles->count; i++) {
        uint32_t parent = cycles->at[i].parent;
        hearts[i] =
            add_token(f, IR_loop, cycles->at[i].header, parent == IR_NO_CYCLE ? entry : hearts[parent]);
    }
    for (uint32_t i = 0; i < uncontrolled.count; i++) {
        uint32_t cycle = cycles->innermost[ir_at(f, uncontrolled.at[i])->block];
        ir_at(f, uncontrolled.at[i])->token = cycle == IR_NO_CYCLE ? entry : hearts[cycle];
    }
}

bool opt_infer(struct opt_context *c, struct ir_function *f)
{
    struct ir_token_modes modes = ir_token_modes_of(f);
    bool changed = false;
    if (!modes.uncontrolled)
        return false;
    if (opt_make_reducible(c, f, &changed))
        infer(c, f, modes.entry);
    else
        opt_error(c, f, "irreducible", ir_at(f, modes.uncontrolled)->at,
                  "no token can be inferred for '%s': cycles with several entries are nested deeper than "
                  "--limit=%s=%u allows",
                  ir_op_info[ir_at(f, modes.uncontrolled)->op].text,
                  opt_limit_info[OPT_LIMIT_reducible_rounds].name,
                  c->options->limits[OPT_LIMIT_reducible_rounds]);
    return true;
}
