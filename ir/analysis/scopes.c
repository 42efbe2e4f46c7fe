/* scopes.c: the parts of a function in which threads are together by an instance: extended cycles, and the
 * regions of anchors.
 *
 * "Convergent Operation Semantics", Extended Cycles: the convergence region of a token that a cycle defines
 * may reach beyond the cycle; there threads are still grouped by the iteration that they left in. So are they
 * in the region of a token made from that one (token.loop). An anchor's group is the implementation's choice,
 * and holds in the regions of its token and of those made from it.
 *
 * Only regions that reach beyond the innermost cycle of their definition, and those of anchors, are kept:
 * rows by block. A question about a point costs the rows of its block times the nesting of tokens.
 */
#include "ir/analysis/analysis.h"

struct row {
    uint32_t def, end; /* as tokens->defs and region->ends */
};

struct ir_scopes {
    const struct ir_cfg *cfg;
    const struct ir_cycles *cycles;
    const struct ir_tokens *tokens; /* NULL: no scope but the cycles themselves */
    uint32_t *home;                 /* of each token's definition: its block */
    uint32_t *operand;              /* of each definition: that of its own token; UINT32_MAX: none */
    uint32_t *anchor;               /* of each definition: scope of the anchor it stems from, or
                                       IR_NO_SCOPE */
    u32_vec anchors;                /* definitions, by scope less the cycles */
    u32_vec *regions;               /* of each scope: the definitions whose regions belong to it */
    u32_vec *blocks;                /* of each definition: blocks of its region, if it is kept */
    uint32_t *row_start;
    struct row *rows;
    uint32_t *seen, round; /* by block, for ir_scope_beyond */
    u32_vec list;
    struct arena *arena;
};

/* ---- which regions count ----------------------------------------------------------------------------- */

/* Definitions come in reverse post-order, so that the operand's is known. */
static void find_origins(struct ir_scopes *s)
{
    const struct ir_tokens *t = s->tokens;
    for (uint32_t i = 0; i < t->defs.count; i++) {
        const struct ir_ins *def = ir_at(s->cfg->fn, t->defs.at[i]);
        s->home[i] = def->block;
        s->operand[i] = def->token != 0 ? t->index[def->token] : UINT32_MAX;
        s->anchor[i] = s->operand[i] != UINT32_MAX ? s->anchor[s->operand[i]] : IR_NO_SCOPE;
        if (def->op == IR_anchor) {
            s->anchor[i] = s->cycles->count + s->anchors.count;
            vec_push(s->arena, &s->anchors, i);
        }
    }
}

/* A use outside the innermost cycle of the definition is what lets its region reach beyond it. */
static bool is_used_beyond(const struct ir_scopes *s, uint32_t def)
{
    const struct ir_tokens *t = s->tokens;
    uint32_t k = s->cycles->innermost[s->home[def]];
    for (uint32_t u = t->use_start[def]; k != IR_NO_CYCLE && u < t->use_start[def + 1]; u++)
        if (!ir_cycle_has(s->cycles, k, ir_at(s->cfg->fn, t->uses[u])->block))
            return true;
    return false;
}

static struct bitset find_kept(struct ir_scopes *s)
{
    struct bitset kept = bitset_new(s->arena, s->tokens->defs.count);
    for (uint32_t i = 0; i < s->tokens->defs.count; i++)
        if (s->anchor[i] != IR_NO_SCOPE || is_used_beyond(s, i) ||
            (s->operand[i] != UINT32_MAX && bitset_has(kept, s->operand[i])))
            bitset_add(kept, i);
    return kept;
}

/* ---- regions by scope and by block ------------------------------------------------------------------- */

static void add_to_scope(struct ir_scopes *s, uint32_t scope, uint32_t def)
{
    u32_vec *list = &s->regions[scope];
    if (list->count == 0 || vec_last(list) != def)
        vec_push(s->arena, list, def);
}

/* To the anchor it stems from, and to each cycle that has a definition it stems from. */
static void add_to_scopes(struct ir_scopes *s, uint32_t def)
{
    if (s->anchor[def] != IR_NO_SCOPE)
        add_to_scope(s, s->anchor[def], def);
    for (uint32_t d = def; d != UINT32_MAX; d = s->operand[d])
        for (uint32_t k = s->cycles->innermost[s->home[d]]; k != IR_NO_CYCLE; k = s->cycles->at[k].parent)
            add_to_scope(s, k, def);
}

/* False: over the limit. Blocks in all regions so far are counted in *total. */
static bool keep_region(struct ir_scopes *s, uint32_t def, u32_vec *ends, uint32_t *total)
{
    struct scratch scratch;
    struct ir_token_region *g =
        ir_token_region_new(scratch_begin(&scratch), s->tokens, s->tokens->defs.at[def]);
    *total += g->blocks.count;
    for (uint32_t i = 0; i < g->blocks.count; i++) {
        vec_push(s->arena, &s->blocks[def], g->blocks.at[i]);
        vec_push(s->arena, ends, g->ends.at[i]);
        s->row_start[g->blocks.at[i] + 1]++;
    }
    scratch_end(&scratch);
    add_to_scopes(s, def);
    return *total <= IR_MAX_REGION_BLOCKS;
}

static void fill_rows(struct ir_scopes *s, struct bitset kept, const u32_vec *ends)
{
    uint32_t blocks = s->cfg->blocks, *next = arena_array(s->arena, uint32_t, blocks + 1);
    for (uint32_t b = 0; b < blocks; b++)
        s->row_start[b + 1] += s->row_start[b];
    memcpy(next, s->row_start, blocks * sizeof *next);
    s->rows = arena_array(s->arena, struct row, s->row_start[blocks]);
    bitset_each(def, kept)
        for (uint32_t i = 0; i < s->blocks[def].count; i++)
            s->rows[next[s->blocks[def].at[i]]++] = (struct row){def, ends[def].at[i]};
}

struct ir_scopes *ir_scopes_new(struct arena *a, const struct ir_cfg *c, const struct ir_cycles *f,
                                const struct ir_tokens *t)
{
    struct ir_scopes *s = arena_new(a, struct ir_scopes);
    uint32_t defs = t != NULL ? t->defs.count : 0, total = 0;
    *s = (struct ir_scopes){.cfg = c, .cycles = f, .tokens = t, .arena = a};
    s->row_start = arena_array(a, uint32_t, c->blocks + 1), s->seen = arena_array(a, uint32_t, c->blocks);
    s->home = arena_array(a, uint32_t, defs), s->operand = arena_array(a, uint32_t, defs);
    s->anchor = arena_array(a, uint32_t, defs), s->blocks = arena_array(a, u32_vec, defs);
    if (t != NULL)
        find_origins(s);
    s->regions = arena_array(a, u32_vec, f->count + s->anchors.count + 1);
    if (defs == 0)
        return s;
    struct bitset kept = find_kept(s);
    u32_vec *ends = arena_array(a, u32_vec, defs);
    bitset_each(def, kept)
        if (!keep_region(s, def, &ends[def], &total))
            return NULL;
    fill_rows(s, kept, ends);
    return s;
}

/* ---- questions --------------------------------------------------------------------------------------- */

uint32_t ir_scope_count(const struct ir_scopes *s)
{
    return s->cycles->count + s->anchors.count;
}

ir_ref ir_scope_anchor(const struct ir_scopes *s, uint32_t scope)
{
    return scope < s->cycles->count ? 0 : s->tokens->defs.at[s->anchors.at[scope - s->cycles->count]];
}

/* Whether the region of the definition belongs to the scope. */
static bool belongs(const struct ir_scopes *s, uint32_t def, uint32_t scope)
{
    if (scope >= s->cycles->count)
        return s->anchor[def] == scope;
    for (; def != UINT32_MAX; def = s->operand[def])
        if (ir_cycle_has(s->cycles, scope, s->home[def]))
            return true;
    return false;
}

static bool row_has(const struct ir_scopes *s, struct row row, uint32_t block, uint32_t position)
{
    return position <= row.end &&
           (s->home[row.def] != block || position > s->tokens->position[s->tokens->defs.at[row.def]]);
}

static bool has_point(const struct ir_scopes *s, uint32_t scope, uint32_t block, uint32_t position)
{
    if (scope < s->cycles->count && ir_cycle_has(s->cycles, scope, block))
        return true;
    for (uint32_t i = s->row_start[block]; i < s->row_start[block + 1]; i++)
        if (row_has(s, s->rows[i], block, position) && belongs(s, s->rows[i].def, scope))
            return true;
    return false;
}

static uint32_t position_of(const struct ir_scopes *s, ir_ref r)
{
    return s->tokens == NULL || ir_at(s->cfg->fn, r)->op == IR_param ? 0 : s->tokens->position[r];
}

bool ir_scope_has(const struct ir_scopes *s, uint32_t scope, ir_ref r)
{
    return has_point(s, scope, ir_at(s->cfg->fn, r)->block, position_of(s, r));
}

bool ir_scope_moved(const struct ir_scopes *s, ir_ref token)
{
    return s->home[s->tokens->index[token]] != ir_at(s->cfg->fn, token)->block;
}

bool ir_scope_decides(const struct ir_scopes *s, ir_ref token, uint32_t scope)
{
    uint32_t def = s->tokens->index[token];
    return token == ir_scope_anchor(s, scope) ||
           has_point(s, scope, s->home[def], s->tokens->position[token]);
}

static void list_block(struct ir_scopes *s, uint32_t block)
{
    if (s->seen[block] == s->round)
        return;
    s->seen[block] = s->round;
    vec_push(s->arena, &s->list, block);
}

const u32_vec *ir_scope_beyond(struct ir_scopes *s, uint32_t scope)
{
    s->round++;
    vec_clear(&s->list);
    for (uint32_t i = 0; i < s->regions[scope].count; i++) {
        const u32_vec *blocks = &s->blocks[s->regions[scope].at[i]];
        for (uint32_t b = 0; b < blocks->count; b++)
            if (scope >= s->cycles->count || !ir_cycle_has(s->cycles, scope, blocks->at[b]))
                list_block(s, blocks->at[b]);
    }
    return &s->list;
}

static void add_scope(struct ir_scopes *s, uint32_t scope, u32_vec *out)
{
    for (uint32_t i = 0; i < out->count; i++)
        if (out->at[i] == scope)
            return;
    vec_push(s->arena, out, scope);
}

/* The outermost cycle around a block has the extended cycles of all others in its own. */
static void add_outermost(struct ir_scopes *s, uint32_t block, u32_vec *out)
{
    uint32_t k = s->cycles->innermost[block];
    while (k != IR_NO_CYCLE && s->cycles->at[k].parent != IR_NO_CYCLE)
        k = s->cycles->at[k].parent;
    if (k != IR_NO_CYCLE)
        add_scope(s, k, out);
}

u32_vec ir_scopes_around(struct ir_scopes *s, ir_ref r)
{
    u32_vec out = {0};
    uint32_t block = ir_at(s->cfg->fn, r)->block;
    add_outermost(s, block, &out);
    for (uint32_t i = s->row_start[block]; i < s->row_start[block + 1]; i++) {
        if (!row_has(s, s->rows[i], block, position_of(s, r)))
            continue;
        for (uint32_t def = s->rows[i].def; def != UINT32_MAX; def = s->operand[def])
            add_outermost(s, s->home[def], &out);
        if (s->anchor[s->rows[i].def] != IR_NO_SCOPE)
            add_scope(s, s->anchor[s->rows[i].def], &out);
    }
    return out;
}
