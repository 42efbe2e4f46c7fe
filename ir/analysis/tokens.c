/* tokens.c: where convergence tokens are made and used, their convergence regions, and the static rules.
 *
 * "Convergent Operation Semantics", section Static Rules. The rules speak of closed paths; as the document
 * says, it suffices to look at the cycles of the hierarchy: a closed path that breaks a rule lies in a
 * cycle that breaks it. For a cycle C and a token T used in C but defined outside, they come to:
 *
 *   token-in-cycle   only token.loop may use T                         (rule 1)
 *   token-two-uses   one such use a cycle, of one such token           (rules 2 and 3)
 *   token-heart      its block dominates C: header of a natural loop   (rule 4)
 *
 * and for regions: token-nesting — a region that has a use of a token has its definition as well.
 *
 * Time: instructions and edges, plus the sum of the regions' sizes (regions nest, so about depth × blocks).
 * The document leaves open whether a region goes round a back edge to its own definition: it stops there.
 */
#include "ir/analysis/analysis.h"

/* ---- definitions and uses ---------------------------------------------------------------------------- */

/* Counts (fill: false) or places the uses; `at` are the row starts shifted by one, or the cursors. */
static void each_use(struct ir_tokens *t, uint32_t *by_def, uint32_t *by_block, bool fill)
{
    const struct ir_function *f = t->cfg->fn;
    for (uint32_t i = 0; i < t->cfg->rpo_count; i++) {
        uint32_t b = t->cfg->rpo[i];
        ir_each_ins(r, f, b) {
            ir_ref token = ir_at(f, r)->token;
            if (token == 0 || t->index[token] == UINT32_MAX)
                continue;
            uint32_t def = t->index[token];
            if (fill) {
                t->uses[by_def[def]++] = r;
                t->users[by_block[b]++] = r;
            } else {
                by_def[def + 1]++;
                by_block[b + 1]++;
            }
        }
    }
}

static void find_uses(struct arena *a, struct ir_tokens *t)
{
    uint32_t defs = t->defs.count, blocks = t->cfg->blocks;
    t->use_start = arena_array(a, uint32_t, defs + 1);
    t->user_start = arena_array(a, uint32_t, blocks + 1);
    if (defs)
        each_use(t, t->use_start, t->user_start, false);
    for (uint32_t i = 0; i < defs; i++)
        t->use_start[i + 1] += t->use_start[i];
    for (uint32_t b = 0; b < blocks; b++)
        t->user_start[b + 1] += t->user_start[b];
    t->uses = arena_array(a, uint32_t, t->use_start[defs]);
    t->users = arena_array(a, uint32_t, t->use_start[defs]);
    uint32_t *by_def = arena_array(a, uint32_t, defs + 1), *by_block = arena_array(a, uint32_t, blocks + 1);
    memcpy(by_def, t->use_start, defs * sizeof *by_def);
    memcpy(by_block, t->user_start, blocks * sizeof *by_block);
    if (defs)
        each_use(t, by_def, by_block, true);
}

struct ir_tokens *ir_tokens_new(struct arena *a, const struct ir_cfg *c)
{
    const struct ir_function *f = c->fn;
    struct ir_tokens *t = arena_new(a, struct ir_tokens);
    t->cfg = c;
    t->position = arena_array(a, uint32_t, f->ins.count);
    t->index = arena_array(a, uint32_t, f->ins.count);
    for (uint32_t r = 0; r < f->ins.count; r++)
        t->index[r] = UINT32_MAX;
    for (uint32_t i = 0; i < c->rpo_count; i++) {
        uint32_t position = 0;
        ir_each_ins(r, f, c->rpo[i]) {
            t->position[r] = position++;
            if (ir_at(f, r)->type == IR_TYPE_TOKEN) {
                t->index[r] = t->defs.count;
                vec_push(a, &t->defs, r);
            }
        }
    }
    find_uses(a, t);
    return t;
}

struct bitset ir_tokens_in_use(struct arena *a, const struct ir_function *f)
{
    struct bitset used = bitset_new(a, f->ins.count);
    ir_each_block(i, b, f)
        ir_each_ins(r, f, b) {
            ir_ref token = ir_at(f, r)->op == IR_loop ? 0 : ir_at(f, r)->token;
            for (; token && !bitset_has(used, token); token = ir_at(f, token)->token)
                bitset_add(used, token);
        }
    return used;
}

/* ---- convergence regions ----------------------------------------------------------------------------- */

/* Puts block b into the region up to `end`; true if it was not there before. */
static bool extend(struct arena *a, struct ir_token_region *g, uint32_t b, uint32_t end)
{
    uint32_t i = map_get(&g->at, b);
    if (i == MAP_NONE) {
        map_set(a, &g->at, b, g->blocks.count);
        vec_push(a, &g->blocks, b);
        vec_push(a, &g->ends, end);
        return true;
    }
    if (g->ends.at[i] < end)
        g->ends.at[i] = end;
    return false;
}

struct ir_token_region *ir_token_region_new(struct arena *a, const struct ir_tokens *t, ir_ref def)
{
    const struct ir_function *f = t->cfg->fn;
    struct ir_token_region *g = arena_new(a, struct ir_token_region);
    uint32_t i = t->index[def], home = ir_at(f, def)->block;
    g->def = def;
    for (uint32_t u = t->use_start[i]; u < t->use_start[i + 1]; u++)
        extend(a, g, ir_at(f, t->uses[u])->block, t->position[t->uses[u]]);
    /* every block before its turn is live at its start: its predecessors are live through to their ends */
    for (uint32_t next = 0; next < g->blocks.count; next++) {
        uint32_t b = g->blocks.at[next];
        if (b == home)
            continue;
        ir_each_pred(p, b, t->cfg)
            if (bitset_has(t->cfg->reachable, p))
                extend(a, g, p, IR_REGION_THROUGH);
    }
    return g;
}

bool ir_token_region_has(const struct ir_token_region *g, const struct ir_tokens *t, ir_ref r)
{
    const struct ir_function *f = t->cfg->fn;
    uint32_t b = ir_at(f, r)->block, i = map_get(&g->at, b);
    if (i == MAP_NONE || t->position[r] > g->ends.at[i])
        return false;
    return b != ir_at(f, g->def)->block || t->position[r] > t->position[g->def];
}

bool ir_token_dominates(const struct ir_tokens *t, const struct ir_dominators *d, ir_ref def, ir_ref other)
{
    uint32_t a = ir_at(t->cfg->fn, def)->block, b = ir_at(t->cfg->fn, other)->block;
    return a == b ? t->position[def] < t->position[other] : ir_dominates(d, a, b);
}

/* ---- static rules ------------------------------------------------------------------------------------ */

static bool broken(const struct ir_tokens *t, struct diagnostics *d, const char *rule, ir_ref user,
                   ir_ref def, const char *text)
{
    const struct ir_function *f = t->cfg->fn;
    place at = ir_at(f, user)->at, from = ir_at(f, def)->at;
    struct scratch scratch;
    struct text line = {.arena = scratch_begin(&scratch)};
    ir_print_ins(f, user, &line);
    diag_add(d, DIAG_ERROR, rule, (span){at, {0, 0}}, "in @%s: %s: %s", f->name, text, line.at);
    scratch_end(&scratch);
    diag_add(d, DIAG_NOTE, rule, (span){from, {0, 0}}, "the token is defined here");
    return false;
}

/* Rules 1 to 4 for one use; hearts[c] is the use that cycle c has already. */
static bool check_cycles(const struct ir_tokens *t, const struct ir_cycles *f, struct diagnostics *d,
                         ir_ref user, ir_ref *hearts)
{
    const struct ir_function *fn = t->cfg->fn;
    ir_ref def = ir_at(fn, user)->token;
    uint32_t b = ir_at(fn, user)->block, home = ir_at(fn, def)->block;
    for (uint32_t c = f->innermost[b]; c != IR_NO_CYCLE && !ir_cycle_has(f, c, home); c = f->at[c].parent) {
        if (ir_at(fn, user)->op != IR_loop)
            return broken(
                t, d, "token-in-cycle", user, def,
                "only token.loop may use a token inside a cycle that does not contain its definition");
        if (f->at[c].header != b || f->at[c].entries.count > 1)
            return broken(t, d, "token-heart", user, def,
                          "the heart of a cycle must stand in the header of a natural loop");
        if (hearts[c] != 0)
            return broken(t, d, "token-two-uses", user, def,
                          "a cycle may use only one token from outside, and only once");
        hearts[c] = user;
    }
    return true;
}

/* Every use of another token inside the region has its definition there. */
static bool check_nesting(struct arena *a, const struct ir_tokens *t, struct diagnostics *d, ir_ref def)
{
    const struct ir_function *f = t->cfg->fn;
    struct ir_token_region *g = ir_token_region_new(a, t, def);
    bool fine = true;
    for (uint32_t i = 0; i < g->blocks.count; i++) {
        uint32_t b = g->blocks.at[i];
        for (uint32_t u = t->user_start[b]; u < t->user_start[b + 1]; u++) {
            ir_ref user = t->users[u], other = ir_at(f, user)->token;
            if (other == def || !ir_token_region_has(g, t, user) || ir_token_region_has(g, t, other))
                continue;
            fine = broken(t, d, "token-nesting", user, other,
                          "convergence regions must nest: the region of another token has this use but not "
                          "its definition");
        }
    }
    return fine;
}

bool ir_verify_tokens(struct arena *a, const struct ir_tokens *t, const struct ir_cycles *f,
                      struct diagnostics *d)
{
    ir_ref *hearts = arena_array(a, ir_ref, f->count);
    bool fine = true;
    for (uint32_t i = 0; i < t->cfg->rpo_count; i++) {
        uint32_t b = t->cfg->rpo[i];
        for (uint32_t u = t->user_start[b]; u < t->user_start[b + 1]; u++)
            fine &= check_cycles(t, f, d, t->users[u], hearts);
    }
    for (uint32_t i = 0; i < t->defs.count; i++) {
        struct scratch scratch;
        fine &= check_nesting(scratch_begin(&scratch), t, d, t->defs.at[i]);
        scratch_end(&scratch);
    }
    return fine;
}
