/* cut.c: see cut.h. */
#include "opt/cut.h"

void opt_cut_analyse(struct opt_cut *x)
{
    x->g = ir_cfg_new(x->arena, x->f);
    x->cycles = ir_cycles_new(x->arena, x->g);
    x->dominators = ir_dominators_new(x->arena, x->g);
    x->meets = ir_meets_new(x->arena, x->g);
    x->tokens = ir_tokens_new(x->arena, x->g);
}

static uint32_t home(const struct opt_cut *x, ir_ref r)
{
    return ir_at(x->f, r)->block;
}

/* ---- tokens -------------------------------------------------------------------------------------------- */

/* The first user of a token behind the end of the region in its block number i: what has to begin a block; 0:
 * none. */
static ir_ref split_point(const struct opt_cut *x, const struct ir_token_region *g, uint32_t i)
{
    uint32_t b = g->blocks.at[i];
    for (uint32_t u = x->tokens->user_start[b]; u < x->tokens->user_start[b + 1]; u++)
        if (g->ends.at[i] != IR_REGION_THROUGH && x->tokens->position[x->tokens->users[u]] > g->ends.at[i])
            return x->tokens->users[u];
    return 0;
}

static bool split(struct opt_cut *x, ir_ref at)
{
    uint32_t b = home(x, at);
    if (at == 0 || ir_block_at(x->f, b)->first == at)
        return false;
    uint32_t rest = ir_block_split(x->f, b, at, "rest");
    struct ir_cursor c = {.fn = x->f, .block = b, .at = ir_at(x->f, at)->at};
    ir_emit_br(&c, rest);
    return true;
}

/* True: a block was split. */
static bool add_region(struct opt_cut *x, struct bitset set, ir_ref def, bool *grew)
{
    const struct ir_token_region *g = ir_token_region_new(x->arena, x->tokens, def);
    for (uint32_t i = 0; i < g->blocks.count; i++) {
        if (bitset_has(set, g->blocks.at[i]))
            continue;
        if (split(x, split_point(x, g, i)))
            return true;
        bitset_add(set, g->blocks.at[i]);
        *grew = true;
    }
    return false;
}

bool opt_cut_keep_tokens(struct opt_cut *x, struct bitset set)
{
    bool grew = true;
    while (grew) {
        grew = false;
        for (uint32_t i = 0; i < x->tokens->defs.count; i++)
            if (bitset_has(set, home(x, x->tokens->defs.at[i])) &&
                add_region(x, set, x->tokens->defs.at[i], &grew))
                return false;
    }
    return true;
}

/* ---- the cut ------------------------------------------------------------------------------------------- */

opt_edges opt_cut_edges_out(const struct opt_cut *x, struct bitset set)
{
    opt_edges out = {0};
    for bitset_each (b, set)
        for (uint32_t e = 0; e < ir_block_at(x->f, b)->edges.count; e++) {
            uint32_t to = ir_block_at(x->f, b)->edges.at[e].block;
            if (!bitset_has(set, to) && opt_returns(x, to))
                vec_push(x->arena, &out, ((struct opt_edge){b, e}));
        }
    return out;
}

static bool have_one_target(const struct opt_cut *x, const opt_edges *edges)
{
    for (uint32_t i = 1; i < edges->count; i++)
        if (ir_block_at(x->f, edges->at[i].block)->edges.at[edges->at[i].edge].block !=
            ir_block_at(x->f, edges->at[0].block)->edges.at[edges->at[0].edge].block)
            return false;
    return true;
}

/* Tells the edges in `rest` apart behind the new block, so that its own branch has two sides. */
uint32_t opt_cut_gather(struct opt_cut *x, const opt_edges *first, const opt_edges *rest, place at)
{
    opt_edges all = {0};
    for (uint32_t i = 0; i < first->count; i++)
        vec_push(x->arena, &all, first->at[i]);
    if (!have_one_target(x, rest))
        opt_switch_to_tests(x->f, opt_gather(x->arena, x->f, rest, at));
    for (uint32_t i = 0; i < rest->count; i++)
        vec_push(x->arena, &all, rest->at[i]);
    return opt_gather(x->arena, x->f, &all, at);
}
