/* class_e_tokens.c: random valid tokens in a graph: hearts in headers and elsewhere, anchors, and the places
 * of operations inside cycles, behind them (extended cycles) and beside them. Whatever is put in stays only
 * if the function keeps the static rules, by the verifier's word.
 */
#include "fuzz/class_e.h"
#include "fuzz/waits_e.h"

static bool is_valid(const struct fz_e_function *g)
{
    struct arena a = {0};
    struct diagnostics d;
    diag_init(&d, &a, NULL);
    bool ok = ir_verify_function(g->fn, &d);
    arena_free(&a);
    return ok;
}

/* 0: it would break a rule. */
static ir_ref put(struct fz_e_function *g, enum ir_op op, uint32_t block, ir_ref before, ir_ref token)
{
    struct ir_cursor c = {g->fn, block, before, {0, 0}};
    bool makes_token = op == IR_entry || op == IR_anchor || op == IR_loop;
    ir_ref r = ir_emit0(&c, op, makes_token ? IR_TYPE_TOKEN : IR_TYPE_VOID);
    ir_at(g->fn, r)->token = token;
    if (is_valid(g))
        return r;
    ir_remove(g->fn, r);
    return 0;
}

static uint32_t random_block(struct fz_e_function *g)
{
    return g->cfg->rpo[fz_e_below(g, g->cfg->rpo_count)];
}

/* The first instruction that is no heart. */
static ir_ref behind_hearts(const struct fz_e_function *g, uint32_t block)
{
    ir_ref r = ir_block_at(g->fn, block)->first;
    while (ir_at(g->fn, r)->op == IR_loop || ir_at(g->fn, r)->op == IR_entry)
        r = ir_at(g->fn, r)->next;
    return r;
}

/* ---- tokens ------------------------------------------------------------------------------------------ */

/* A token whose definition dominates the block, later ones more often; tokens.count: none. */
static uint32_t choose_token(struct fz_e_function *g, uint32_t block)
{
    uint32_t n = g->tokens.count;
    for (uint32_t tries = 0; n > 0 && tries < 6; tries++) {
        uint32_t i = fz_e_chance(g, 50) ? n - 1 - fz_e_below(g, n < 3 ? n : 3) : fz_e_below(g, n);
        if (ir_dominates(g->dominators, ir_at(g->fn, g->tokens.at[i].def)->block, block))
            return i;
    }
    return n;
}

/* Its number. */
static uint32_t add_place(struct fz_e_function *g, ir_ref at, uint32_t token)
{
    struct fz_e_place p = {.at = at, .token = token, .twin = FZ_E_NONE, .user = IR_NO_BLOCK};
    if (!at)
        return FZ_E_NONE;
    vec_push(g->arena, &g->places, p);
    return g->places.count - 1;
}

/* A token by an anchor has a leader, where one may stand. */
static void add_token(struct fz_e_function *g, ir_ref def, bool by_anchor)
{
    struct fz_e_token t = {.def = def, .by_anchor = by_anchor};
    uint32_t block = def ? ir_at(g->fn, def)->block : 0;
    if (!def)
        return;
    if (by_anchor && !g->blocks[block].quiet) {
        bool heart = ir_at(g->fn, def)->op == IR_loop;
        t.leader = put(g, IR_syncwarp, block, heart ? behind_hearts(g, block) : ir_at(g->fn, def)->next, def);
        if (add_place(g, t.leader, g->tokens.count) != FZ_E_NONE)
            vec_last(&g->places).is_leader = true;
    }
    vec_push(g->arena, &g->tokens, t);
}

/* Not in a quiet arm: the heart would count who took it. */
static void put_heart(struct fz_e_function *g, uint32_t block)
{
    ir_ref def = 0;
    for (uint32_t tries = g->blocks[block].quiet ? 4 : 0, token; !def && tries < 4; tries++)
        if ((token = choose_token(g, block)) < g->tokens.count) {
            const struct fz_e_token *t = &g->tokens.at[token];
            def = put(g, IR_loop, block, behind_hearts(g, block), t->def);
            add_token(g, def, t->by_anchor);
        }
}

static void put_hearts_of_cycles(struct fz_e_function *g)
{
    for (uint32_t c = 0; c < g->cycles->count; c++) /* outer cycles first */
        for (uint32_t tries = 0; tries < 2; tries++)
            if (fz_e_chance(g, tries ? 10 : 80))
                put_heart(g, g->cycles->at[c].header);
}

static void put_anchor(struct fz_e_function *g)
{
    uint32_t block = random_block(g);
    ir_ref before = fz_e_chance(g, 50) ? behind_hearts(g, block) : ir_terminator(g->fn, block);
    add_token(g, put(g, IR_anchor, block, before, 0), true);
}

/* ---- operations -------------------------------------------------------------------------------------- */

/* A block outside the token's innermost cycle that its definition dominates, mostly one soon behind it;
 * IR_NO_BLOCK: none was met. */
static uint32_t block_beyond(struct fz_e_function *g, uint32_t token)
{
    uint32_t home = ir_at(g->fn, g->tokens.at[token].def)->block, cycle = g->cycles->innermost[home];
    uint32_t found = IR_NO_BLOCK;
    for (uint32_t tries = 0; cycle != IR_NO_CYCLE && tries < 12; tries++) {
        uint32_t b = random_block(g);
        bool beyond = !ir_cycle_has(g->cycles, cycle, b) && ir_dominates(g->dominators, home, b);
        if (beyond && (found == IR_NO_BLOCK || g->blocks[b].position < g->blocks[found].position))
            found = b;
    }
    return found;
}

static uint32_t put_at_end(struct fz_e_function *g, uint32_t block, uint32_t token)
{
    ir_ref def = g->tokens.at[token].def;
    return add_place(g, put(g, IR_syncwarp, block, ir_terminator(g->fn, block), def), token);
}

static void put_operation(struct fz_e_function *g)
{
    uint32_t block = random_block(g), token = choose_token(g, block);
    if (token < g->tokens.count)
        put_at_end(g, block, token);
}

/* Behind the cycles of hearts (extended cycles). */
static void put_operations_beyond(struct fz_e_function *g)
{
    for (uint32_t token = 0; token < g->tokens.count; token++)
        for (uint32_t n = 1 + fz_e_below(g, 2), block; n > 0; n--)
            if ((block = block_beyond(g, token)) != IR_NO_BLOCK)
                put_at_end(g, block, token);
}

static uint32_t put_at_head(struct fz_e_function *g, uint32_t block, uint32_t token)
{
    return add_place(g, put(g, IR_syncwarp, block, behind_hearts(g, block), g->tokens.at[token].def), token);
}

/* Tempts passes to move operations across a branch: the same one in both arms, the same one before the branch
 * and in an arm, or one whose result an arm alone sees. */
static void put_temptation(struct fz_e_function *g, uint32_t b)
{
    bool by_entry = !g->is_free && g->cycles->innermost[b] == IR_NO_CYCLE && fz_e_chance(g, 70);
    uint32_t token = by_entry ? 0 : choose_token(g, b), kind = fz_e_below(g, 3);
    const struct ir_block *block = ir_block_at(g->fn, b);
    if (token == g->tokens.count || block->edges.count != 2 || g->blocks[block->edges.at[0].block].quiet)
        return;
    uint32_t yes = block->edges.at[0].block, no = block->edges.at[1].block;
    if (yes == no || ir_pred_count(g->cfg, yes) > 1 || (kind == 0 && ir_pred_count(g->cfg, no) > 1))
        return;
    uint32_t one = kind == 0 ? put_at_head(g, no, token) : put_at_end(g, b, token);
    uint32_t other = kind == 2 ? FZ_E_NONE : put_at_head(g, yes, token);
    if (one != FZ_E_NONE && other != FZ_E_NONE) {
        g->places.at[other].twin = one;
        g->places.at[one].twin = other;
    }
    if (one != FZ_E_NONE && kind == 2)
        g->places.at[one].user = yes;
    g->blocks[b].tempts = true;
}

/* ---- barriers ---------------------------------------------------------------------------------------- */

/* Where all threads come to it that do not go where no way leads to a barrier any more: others may go past
 * it, but some schemes do not let them return while others are there (docs/language.md). Whether threads
 * wait for each other in a circle is seen when the reference runs. */
static void put_barrier(struct fz_e_function *g, uint32_t block, uint32_t token)
{
    if (token == g->tokens.count || g->tokens.at[token].by_anchor || g->blocks[block].quiet)
        return;
    ir_ref before = fz_e_chance(g, 50) ? behind_hearts(g, block) : ir_terminator(g->fn, block);
    if (ir_at(g->fn, g->tokens.at[token].def)->block == block)
        before = ir_terminator(g->fn, block);
    ir_ref r = put(g, IR_barrier, block, before, g->tokens.at[token].def);
    if (r && !fz_barriers_are_right(g->fn, g->cfg, g->arena))
        ir_remove(g->fn, r);
}

/* More of them where some threads return early. */
static void put_barriers(struct fz_e_function *g)
{
    uint32_t returns = 0;
    ir_each_block(i, b, g->fn)
        returns += ir_at(g->fn, ir_terminator(g->fn, b))->op == IR_ret;
    uint32_t percent = g->for_good ? 100 : returns > 1 ? 70 : 20;
    for (uint32_t n = fz_e_chance(g, percent) ? 2 + 2 * returns + 6 * g->for_good : 0; n > 0; n--) {
        uint32_t block = random_block(g);
        put_barrier(g, block, choose_token(g, block));
    }
}

/* In cycles, by their hearts: of some programs, by a chance of their own. Threads leave for good then, but for
 * operations behind the cycle that hold them (extended cycles). */
static void put_barriers_in_cycles(struct fz_e_function *g)
{
    enum { PERCENT = 70, TRIES = 4 };
    struct fz_random own = fz_random(g->p->seed, 'W'), *outer = g->r;
    g->r = &own;
    for (uint32_t token = fz_e_chance(g, PERCENT) ? 0 : g->tokens.count; token < g->tokens.count; token++) {
        uint32_t home = ir_at(g->fn, g->tokens.at[token].def)->block, cycle = g->cycles->innermost[home];
        if (cycle == IR_NO_CYCLE || g->cycles->at[cycle].header != home)
            continue;
        const struct ir_cycle *k = &g->cycles->at[cycle];
        for (uint32_t tries = 0; tries < TRIES; tries++) {
            uint32_t any = g->cycles->blocks[k->first + fz_e_below(g, k->count)];
            put_barrier(g, tries ? any : home, token);
        }
    }
    g->r = outer;
}

void fz_e_place_tokens(struct fz_e_function *g, uint32_t operations)
{
    if (!g->is_free)
        add_token(g, put(g, IR_entry, 0, ir_block_at(g->fn, 0)->first, 0), false);
    for (uint32_t i = g->is_free ? 1 : fz_e_below(g, 2); i > 0; i--)
        put_anchor(g);
    put_hearts_of_cycles(g);
    if (fz_e_chance(g, 25))
        put_anchor(g);
    if (fz_e_chance(g, 25))
        put_heart(g, random_block(g));
    if (!g->is_calm)
        put_operations_beyond(g);
    if (g->tokens.count)
        for (uint32_t i = 0; i < operations; i++)
            put_operation(g);
    for (uint32_t i = 0; g->tokens.count && !g->is_calm && i < g->cfg->rpo_count; i++) {
        bool behind_loops = g->cycles->count && g->cycles->innermost[g->cfg->rpo[i]] == IR_NO_CYCLE;
        for (uint32_t tries = fz_e_below(g, 4) + 2 * behind_loops; tries > 0; tries--)
            put_temptation(g, g->cfg->rpo[i]);
    }
    if (g->is_kernel && g->may_wait) {
        put_barriers(g);
        put_barriers_in_cycles(g);
    }
}
