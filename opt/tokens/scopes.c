/* scopes.c: tokens as the order of blocks takes them (ir/converge/order.h): hearts that separate no instances
 * go, and each block has operations of one scope.
 */
#include "opt/kit/merge_edges.h"

/* The scope of the token that the operation uses, if its block is behind it: twice the anchor and one more,
 * or twice the block of the cycle's heart; else IR_NO_BLOCK. */
static uint32_t scope_behind(const struct ir_cycles *cycles, const struct ir_function *f, ir_ref r)
{
    for (ir_ref token = ir_at(f, r)->token; token; token = ir_at(f, token)->token) {
        uint32_t home = ir_at(f, token)->block, k = cycles->innermost[home];
        bool anchor = ir_at(f, token)->op == IR_anchor && home != ir_at(f, r)->block;
        if (anchor || (k != IR_NO_CYCLE && !ir_cycle_has(cycles, k, ir_at(f, r)->block)))
            return anchor ? 2 * token + 1 : 2 * home;
    }
    return IR_NO_BLOCK;
}

/* The token that separates the same instances: of a heart that is in no cycle without the token from which it
 * is made, that one. */
static ir_ref first_of_equals(const struct ir_cycles *cycles, const struct ir_function *f, ir_ref token)
{
    while (token && ir_at(f, token)->op == IR_loop) {
        uint32_t home = ir_at(f, token)->block, outer = ir_at(f, ir_at(f, token)->token)->block;
        if (ir_cycle_common(cycles, home, outer) != cycles->innermost[home])
            break;
        token = ir_at(f, token)->token;
    }
    return token;
}

/* Hearts that no operation is controlled by, directly or by another heart, separate no threads. */
static bool drop_unused_hearts(struct opt_context *c, struct ir_function *f)
{
    struct bitset in_use = *opt_tokens_in_use(c, f);
    u32_vec unused = {0};
    ir_each_block(i, b, f)
        ir_each_ins(r, f, b)
            if (ir_at(f, r)->op == IR_loop && !bitset_has(in_use, r))
                vec_push(c->scratch, &unused, r);
    for (uint32_t i = unused.count; i-- > 0;)
        ir_remove(f, unused.at[i]);
    if (unused.count)
        opt_invalidate(c, f);
    return unused.count;
}

/* A heart that is not needed has no region, which would have to stay whole. */
static bool skip_needless_hearts(struct opt_context *c, struct ir_function *f)
{
    const struct ir_cycles *cycles = opt_cycles(c, f);
    bool changed = false;
    ir_each_block(i, b, f)
        ir_each_ins(r, f, b) {
            ir_ref token = first_of_equals(cycles, f, ir_at(f, r)->token);
            changed |= token != ir_at(f, r)->token;
            ir_at(f, r)->token = token;
        }
    if (changed)
        opt_invalidate(c, f);
    return changed;
}

bool opt_drop_needless_hearts(struct opt_context *c, struct ir_function *f)
{
    if (!opt_tokens(c, f)->defs.count)
        return false;
    bool changed = skip_needless_hearts(c, f);
    return drop_unused_hearts(c, f) || changed;
}

/* Anchors whose tokens are used in other blocks: each has a scope. */
static struct bitset anchors_with_scopes(struct opt_context *c, const struct ir_function *f,
                                         const struct ir_cfg *g)
{
    struct bitset found = bitset_new(c->scratch, f->ins.count);
    for (uint32_t i = 0; i < g->rpo_count; i++)
        ir_each_ins(r, f, g->rpo[i]) {
            ir_ref token = ir_at(f, r)->token;
            if (token && ir_at(f, token)->op == IR_anchor && ir_at(f, token)->block != g->rpo[i])
                bitset_add(found, token);
        }
    return found;
}

bool opt_split_scopes(struct opt_context *c, struct ir_function *f)
{
    if (!opt_tokens(c, f)->defs.count)
        return false;
    const struct ir_cycles *cycles = opt_cycles(c, f);
    const struct ir_cfg *g = opt_cfg(c, f);
    struct bitset anchors = anchors_with_scopes(c, f, g);
    u32_vec cuts = {0};
    for (uint32_t i = 0; i < g->rpo_count; i++) {
        uint32_t last = IR_NO_BLOCK;
        bool begun = false; /* the scope of an anchor of this block */
        ir_each_ins(r, f, g->rpo[i]) {
            if (!ir_at(f, r)->token && ir_at(f, r)->op != IR_anchor)
                continue;
            uint32_t scope = scope_behind(cycles, f, r);
            bool begins = bitset_has(anchors, r);
            bool cut = (last != IR_NO_BLOCK && scope != last) || (begins && begun);
            if (cut)
                vec_push(c->scratch, &cuts, r);
            begun = begins || (begun && !cut);
            last = scope;
        }
    }
    for (uint32_t i = cuts.count; i-- > 0;)
        opt_split_before(f, cuts.at[i]);
    if (cuts.count)
        opt_invalidate(c, f);
    return cuts.count;
}
