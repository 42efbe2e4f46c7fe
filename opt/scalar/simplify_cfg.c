/* simplify_cfg.c: a smaller graph with the same paths.
 *
 * In this order: branches on constants are folded; unreachable blocks removed; edges that lead to an empty
 * block lead to where it leads; a branch whose edges are all equal becomes a br; a block whose only predecessor
 * has no other successor is appended to it. Nothing is duplicated, so convergent operations never are.
 *
 * A heart comes before every other convergent operation of its block: a block that begins with
 * one is not appended to a block that has some. Near-linear.
 */
#include "opt/pass.h"

#include <inttypes.h>

struct simplify {
    struct opt_context *c;
    struct ir_function *f;
    struct opt_renaming renaming;
    bool changed;
    bool stale; /* the graph has changed since it was last asked for */
};

static void change(struct simplify *s)
{
    s->changed = s->stale = true;
}

static const struct ir_cfg *graph(struct simplify *s)
{
    if (s->stale)
        opt_invalidate(s->c, s->f);
    s->stale = false;
    return opt_cfg(s->c, s->f);
}

/* ---- branches on constants --------------------------------------------------------------------------- */

static void fold_constant(struct simplify *s, uint32_t b)
{
    const struct ir_ins *t = ir_at(s->f, ir_terminator(s->f, b));
    scalar_bits value;
    if ((t->op != IR_brif && t->op != IR_switch) || !ir_is_const(s->f, t->args[0], &value))
        return;
    opt_branch_fold(s->f, b, ir_chosen_edge(s->f, b, value));
    opt_count(s->c, "branches folded", 1);
    change(s);
}

static bool edges_equal(const struct ir_edge *a, const struct ir_edge *b)
{
    return a->block == b->block && a->argc == b->argc &&
           (a->argc == 0 || memcmp(a->args, b->args, a->argc * sizeof *a->args) == 0);
}

static void fold_same_edges(struct simplify *s, uint32_t b)
{
    const struct ir_block *block = ir_block_at(s->f, b);
    for (uint32_t e = 1; e < block->edges.count; e++)
        if (!edges_equal(&block->edges.at[0], &block->edges.at[e]))
            return;
    if (block->edges.count < 2)
        return;
    opt_branch_fold(s->f, b, 0);
    opt_count(s->c, "branches folded", 1);
    change(s);
}

/* Cases that lead where the default leads are dropped. */
static void drop_default_cases(struct simplify *s, uint32_t b)
{
    struct ir_block *block = ir_block_at(s->f, b);
    uint32_t kept = 1;
    if (ir_at(s->f, block->last)->op != IR_switch)
        return;
    for (uint32_t e = 1; e < block->edges.count; e++)
        if (!edges_equal(&block->edges.at[0], &block->edges.at[e]))
            block->edges.at[kept++] = block->edges.at[e];
    if (kept != block->edges.count)
        change(s);
    block->edges.count = kept;
}

/* brif (not x), a, b is brif x, b, a. */
static void drop_negation(struct simplify *s, uint32_t b)
{
    struct ir_block *block = ir_block_at(s->f, b);
    struct ir_ins *t = ir_at(s->f, block->last);
    if (t->op != IR_brif || ir_at(s->f, t->args[0])->op != IR_not)
        return;
    t->args[0] = ir_at(s->f, t->args[0])->args[0];
    struct ir_edge e = block->edges.at[0];
    block->edges.at[0] = block->edges.at[1];
    block->edges.at[1] = e;
    change(s);
}

/* ---- unreachable blocks ------------------------------------------------------------------------------ */

static void remove_unreachable(struct simplify *s)
{
    uint32_t n = opt_drop_unreachable(s->c->scratch, graph(s), s->f);
    if (!n)
        return;
    opt_count(s->c, "unreachable blocks", n);
    change(s);
}

/* ---- empty blocks ------------------------------------------------------------------------------------ */

static bool only_jumps(struct simplify *s, uint32_t b)
{
    const struct ir_block *block = ir_block_at(s->f, b);
    return b != ir_entry(s->f) && block->first == block->last && ir_at(s->f, block->last)->op == IR_br &&
           block->edges.at[0].block != b;
}

/* Whether the parameters of a block that only jumps serve nothing else. uses: NULL if it has none. */
static bool is_empty(struct simplify *s, const uint32_t *uses, uint32_t b)
{
    const struct ir_block *block = ir_block_at(s->f, b);
    uint32_t own = 0, all = 0;
    for (uint32_t i = 0; i < block->edges.at[0].argc; i++) {
        const struct ir_ins *arg = ir_at(s->f, block->edges.at[0].args[i]);
        own += arg->op == IR_param && arg->block == b;
    }
    for (uint32_t i = 0; i < block->params.count; i++)
        all += uses[block->params.at[i]];
    return own == all;
}

static ir_ref *arguments_through(struct simplify *s, const struct ir_edge *edge, uint32_t b)
{
    const struct ir_edge *on = &ir_block_at(s->f, b)->edges.at[0];
    ir_ref *args = arena_array(&s->f->module->arena, ir_ref, on->argc);
    for (uint32_t i = 0; i < on->argc; i++) {
        const struct ir_ins *arg = ir_at(s->f, on->args[i]);
        args[i] = arg->op == IR_param && arg->block == b ? edge->args[arg->imm] : on->args[i];
    }
    return args;
}

/* Empty blocks that only lead to each other are an endless loop, in which one has to stay: the walk stops
 * after as many steps as there are blocks in the chain, found by Brent's turtle. */
static void skip_empty(struct simplify *s, struct bitset empty, struct ir_edge *edge)
{
    uint32_t turtle = edge->block, steps = 0, limit = 2;
    while (bitset_has(empty, edge->block)) {
        const struct ir_edge *on = &ir_block_at(s->f, edge->block)->edges.at[0];
        edge->args = arguments_through(s, edge, edge->block);
        edge->argc = on->argc;
        edge->capacity = 0;
        edge->block = on->block;
        change(s);
        if (edge->block == turtle)
            return;
        if (++steps == limit) {
            turtle = edge->block;
            steps = 0;
            limit *= 2;
        }
    }
}

/* In post-order, so that where an empty block leads is known before what leads to it. */
static void skip_empty_blocks(struct simplify *s)
{
    const struct ir_cfg *g = graph(s);
    struct bitset empty = bitset_new(s->c->scratch, s->f->blocks.count);
    uint32_t *uses = NULL, n = 0;
    ir_each_block(i, b, s->f) {
        if (!only_jumps(s, b))
            continue;
        if (!uses && ir_block_at(s->f, b)->params.count)
            uses = opt_count_uses(s->c->scratch, s->f);
        if (is_empty(s, uses, b)) {
            bitset_add(empty, b);
            n++;
        }
    }
    for (uint32_t i = n ? g->rpo_count : 0; i-- > 0;) {
        struct ir_block *block = ir_block_at(s->f, g->rpo[i]);
        for (uint32_t e = 0; e < block->edges.count; e++)
            skip_empty(s, empty, &block->edges.at[e]);
    }
    opt_count(s->c, "empty blocks", n);
}

/* ---- chains ------------------------------------------------------------------------------------------ */

/* 0: there is none. */
static ir_ref first_convergent(const struct simplify *s, uint32_t b)
{
    ir_each_ins(r, s->f, b)
        if (ir_is_convergent(s->f, r))
            return r;
    return 0;
}

static bool may_append(struct simplify *s, const struct ir_cfg *g, uint32_t b)
{
    if (ir_at(s->f, ir_terminator(s->f, b))->op != IR_br)
        return false;
    uint32_t next = ir_block_at(s->f, b)->edges.at[0].block;
    if (next == b || ir_pred_count(g, next) != 1 || next == ir_entry(s->f))
        return false;
    bool heart = ir_at(s->f, first_convergent(s, next))->op == IR_loop && first_convergent(s, b);
    if (heart)
        opt_remark(s->c, s->f, OPT_MISSED, "heart", ir_at(s->f, ir_terminator(s->f, b))->at,
                   "block not merged with the next one: its heart has to come before all convergent "
                   "operations");
    return !heart;
}

static void merge_chains(struct simplify *s)
{
    const struct ir_cfg *g = graph(s);
    struct bitset removed = bitset_new(s->c->scratch, s->f->blocks.count);
    uint32_t n = 0;
    for (uint32_t i = 0; i < g->rpo_count; i++) {
        uint32_t b = g->rpo[i];
        while (!bitset_has(removed, b) && may_append(s, g, b)) {
            bitset_add(removed, opt_target_append(&s->renaming, s->f, b));
            n++;
        }
    }
    if (n == 0)
        return;
    opt_rename_all(&s->renaming, s->f);
    ir_blocks_remove(s->f, removed);
    opt_count(s->c, "blocks merged", n);
    change(s);
}

static void round_once(struct simplify *s)
{
    ir_each_block(i, b, s->f)
        fold_constant(s, b);
    remove_unreachable(s);
    skip_empty_blocks(s);
    ir_each_block(i, b, s->f) {
        drop_negation(s, b);
        drop_default_cases(s, b);
        fold_same_edges(s, b);
    }
    remove_unreachable(s);
    merge_chains(s);
}

bool opt_simplify_cfg(struct opt_context *c, struct ir_function *f)
{
    enum { ROUNDS = 4 };
    bool changed = false;
    for (unsigned i = 0; i < ROUNDS; i++) {
        struct simplify s = {.c = c, .f = f, .renaming.arena = c->scratch};
        round_once(&s);
        if (s.stale)
            opt_invalidate(c, f);
        if (!s.changed)
            break;
        changed = true;
    }
    return changed;
}
