/* goto_tokens.c: tokens where control flow is not only that of statements (convergence document, "Inferring
 * Tokens").
 *
 * Lowering has given each operation the heart of the loop statement around it in the text. Where gotos make
 * cycles, that may break the static rules, so here every cycle that has a convergent operation and no heart
 * in its header gets one, and each use of a token takes
 *   - the heart of the innermost loop statement around it whose heart dominates it, if that lies in the
 *     innermost cycle of the graph around the use (or there is none);
 *   - else the heart of that cycle.
 * A cycle with several entries has no heart: a convergent operation in it is an error.
 *
 * Functions that name their tokens are not changed: they are only checked against the static rules.
 */
#include "frontend/lower/lower.h"
#include "ir/analysis/analysis.h"

struct placer {
    struct lowering *l;
    struct ir_function *f;
    struct arena *arena;
    struct ir_cfg *cfg;
    struct ir_dominators *dominators;
    struct ir_cycles *cycles;
    uint32_t *loop_of;        /* by block: innermost loop statement around it */
    ir_ref *hearts;           /* by cycle; 0: none */
    struct bitset convergent; /* cycles that have a convergent operation */
};

/* ---- checking ---------------------------------------------------------------------------------------- */

/* Says the first broken rule; what the verifier calls a rule is the user's mistake here. */
static bool check_rules(struct placer *p)
{
    struct diagnostics found;
    diag_init(&found, p->arena, NULL);
    struct ir_tokens *tokens = ir_tokens_new(p->arena, p->cfg);
    if (ir_verify_tokens(p->arena, tokens, p->cycles, &found))
        return true;
    const struct diagnostic *first = &found.all.at[0];
    fe_report(p->l->fe, FE_MSG(token_rule), first->where, first->text);
    for (uint32_t i = 1; i < found.all.count && found.all.at[i].severity == DIAG_NOTE; i++)
        fe_note(p->l->fe, FE_MSG(token_made_here), found.all.at[i].where);
    return false;
}

/* ---- cycles that need a heart ------------------------------------------------------------------------ */

static bool report_irreducible(struct placer *p, uint32_t cycle, ir_ref use)
{
    const struct ir_cycle *c = &p->cycles->at[cycle];
    fe_report(p->l->fe, FE_MSG(goto_irreducible), (span){ir_at(p->f, use)->at, {0}});
    for (uint32_t i = 0; i < c->entries.count && i < 4; i++) {
        ir_ref first = ir_block_at(p->f, c->entries.at[i])->first;
        fe_note(p->l->fe, FE_MSG(cycle_entry), (span){ir_at(p->f, first)->at, {0}});
    }
    return false;
}

/* Marks the cycles around a use; false if one has several entries. */
static bool mark_cycles(struct placer *p, ir_ref use)
{
    uint32_t cycle = p->cycles->innermost[ir_at(p->f, use)->block];
    while (cycle != IR_NO_CYCLE && !bitset_has(p->convergent, cycle)) {
        bitset_add(p->convergent, cycle);
        if (p->cycles->at[cycle].entries.count > 1)
            return report_irreducible(p, cycle, use);
        cycle = p->cycles->at[cycle].parent;
    }
    return true;
}

static bool mark_all(struct placer *p)
{
    for (uint32_t i = 0; i < p->cfg->rpo_count; i++)
        ir_each_ins(r, p->f, p->cfg->rpo[i])
            if (ir_at(p->f, r)->token && !mark_cycles(p, r))
                return false;
    return true;
}

/* ---- choosing ---------------------------------------------------------------------------------------- */

/* A loop that a goto enters may have no heart left: its header is unreachable if no iteration ends. */
static bool has_heart_above(const struct placer *p, uint32_t loop, uint32_t block)
{
    ir_ref heart = p->l->function->tokens.loops.at[loop].token;
    uint32_t at = heart ? ir_at(p->f, heart)->block : IR_NO_BLOCK;
    return at != IR_NO_BLOCK && ir_dominates(p->dominators, at, block);
}

/* The token for a use in this block, seen from inside `cycle` but in none of its inner cycles. */
static ir_ref choose(struct placer *p, uint32_t block, uint32_t loop, uint32_t cycle)
{
    struct fe_loop *loops = p->l->function->tokens.loops.at;
    while (loop && !has_heart_above(p, loop, block))
        loop = loops[loop].parent;
    ir_ref heart = loops[loop].token;
    if (cycle == IR_NO_CYCLE || ir_cycle_has(p->cycles, cycle, ir_at(p->f, heart)->block))
        return heart;
    return p->hearts[cycle];
}

static bool is_heart(const struct placer *p, ir_ref r)
{
    return ir_at(p->f, r)->op == IR_loop;
}

static ir_ref heart_of_block(const struct placer *p, uint32_t b)
{
    ir_each_ins(r, p->f, b)
        if (is_heart(p, r))
            return r;
    return 0;
}

/* Finds or makes the heart of each marked cycle; parents come first. */
static void place_hearts(struct placer *p)
{
    for (uint32_t i = 0; i < p->cycles->count; i++) {
        const struct ir_cycle *c = &p->cycles->at[i];
        if (!bitset_has(p->convergent, i))
            continue;
        p->hearts[i] = heart_of_block(p, c->header);
        if (p->hearts[i])
            continue;
        struct ir_cursor at = {.fn = p->f, .block = c->header, .before = ir_block_at(p->f, c->header)->first};
        at.at = ir_at(p->f, at.before)->at;
        p->hearts[i] = ir_emit0(&at, IR_loop, IR_TYPE_TOKEN);
        ir_at(p->f, p->hearts[i])->token = choose(p, c->header, p->loop_of[c->header], c->parent);
    }
}

/* The loop statement whose heart this is, and so not the one around it. */
static uint32_t loop_around(const struct placer *p, ir_ref use, uint32_t block)
{
    uint32_t loop = p->loop_of[block];
    const struct fe_loop *loops = p->l->function->tokens.loops.at;
    return is_heart(p, use) && loops[loop].token == use ? loops[loop].parent : loop;
}

static void choose_token(struct placer *p, ir_ref use)
{
    uint32_t block = ir_at(p->f, use)->block, cycle = p->cycles->innermost[block];
    if (is_heart(p, use) && cycle != IR_NO_CYCLE && p->hearts[cycle] == use)
        cycle = p->cycles->at[cycle].parent;
    ir_at(p->f, use)->token = choose(p, block, loop_around(p, use, block), cycle);
}

static void choose_all(struct placer *p)
{
    for (uint32_t i = 0; i < p->cfg->rpo_count; i++)
        ir_each_ins(r, p->f, p->cfg->rpo[i])
            if (ir_at(p->f, r)->token)
                choose_token(p, r);
}

static void find_loops(struct placer *p)
{
    p->loop_of = arena_array(p->arena, uint32_t, p->f->blocks.count);
    for (uint32_t i = 0; i < p->l->frame.block_loops.count; i++)
        p->loop_of[p->l->frame.started.at[i]] = p->l->frame.block_loops.at[i];
}

bool fe_place_goto_tokens(struct lowering *l)
{
    struct placer p = {.l = l, .f = l->f, .arena = l->arena};
    p.cfg = ir_cfg_new(p.arena, p.f);
    p.cycles = ir_cycles_new(p.arena, p.cfg);
    if (l->function->tokens.controlled)
        return check_rules(&p);
    p.dominators = ir_dominators_new(p.arena, p.cfg);
    p.hearts = arena_array(p.arena, ir_ref, p.cycles->count + 1);
    p.convergent = bitset_new(p.arena, p.cycles->count + 1);
    find_loops(&p);
    if (!mark_all(&p))
        return false;
    place_hearts(&p);
    choose_all(&p);
    return check_rules(&p);
}
