/* decided.c: branches that each path to them has decided.
 *
 * Behind what nested branches have in common their conditions are asked again, the inner ones first. Where an
 * inner arm has nothing left to do there, a block only asks the outer condition, and its edges come from both
 * sides of the outer branch: then each edge leads straight on, and the block goes. So do selects on the
 * condition of what one side gives to such a block: that side's edges give their own value instead.
 *
 * Only a block whose edges are all decided is skipped, so that no thread waits for fewer others than before:
 * those of one side still reconverge where their side goes on. In post-order: what a block leads to has been
 * worked on before. Linear.
 */
#include "opt/csc/csc.h"

/* An edge to the block at work, and the edge of its dominator's branch that all paths to it have taken;
 * CSC_NONE: it leads back to the block, for threads of both sides. */
struct decided_edge {
    struct opt_edge edge;
    uint32_t side;
};
struct decided {
    struct csc *p;
    struct ir_function *f;
    const struct ir_cfg *g;
    const struct ir_dominators *dominators;
    struct opt_renaming renaming;
    uint32_t *uses;  /* by value, */
    uint32_t *preds; /* edges to each block, both as the function is now */
    struct bitset removed;
    VEC(struct decided_edge) edges;
    bool loops_back; /* one of them leads back */
    bool changed;
};

/* ---- edges --------------------------------------------------------------------------------------- */

static ir_ref now(struct decided *s, ir_ref r)
{
    return opt_renamed(&s->renaming, r);
}

static bool is_parameter_of(const struct decided *s, ir_ref r, uint32_t b)
{
    return ir_at(s->f, r)->op == IR_param && ir_at(s->f, r)->block == b;
}

/* Counts what the edge uses, or no longer does. */
static void count_edge(struct decided *s, const struct ir_edge *e, uint32_t by)
{
    s->preds[e->block] += by;
    for (uint32_t k = 0; k < e->argc; k++)
        s->uses[now(s, e->args[k])] += by;
}

/* Leads the edge through its block, by that block's edge `on`. */
static void lead_on(struct decided *s, struct ir_edge *e, const struct ir_edge *on)
{
    ir_ref *args = arena_array(&s->f->module->arena, ir_ref, on->argc);
    for (uint32_t k = 0; k < on->argc; k++) {
        ir_ref arg = now(s, on->args[k]);
        args[k] = is_parameter_of(s, arg, e->block) ? e->args[ir_at(s->f, arg)->imm] : arg;
    }
    count_edge(s, e, UINT32_MAX);
    *e = (struct ir_edge){.block = on->block, .argc = on->argc, .args = args, .value = e->value};
    count_edge(s, e, 1);
    s->changed = true;
}

/* The block, which only has a terminator. */
static void drop_if_unreached(struct decided *s, uint32_t b)
{
    const struct ir_block *block = ir_block_at(s->f, b);
    const struct ir_ins *end = ir_at(s->f, block->last);
    if (s->preds[b])
        return;
    for (uint32_t k = 0; k < end->argc; k++)
        s->uses[now(s, end->args[k])]--;
    for (uint32_t e = 0; e < block->edges.count; e++)
        count_edge(s, &block->edges.at[e], UINT32_MAX);
    bitset_add(s->removed, b);
}

/* Whether the block has nothing but a terminator of this operation, all its edges lead forward, and they alone
 * use its parameters. */
static bool only_ends(struct decided *s, uint32_t b, enum ir_op op)
{
    const struct ir_block *block = ir_block_at(s->f, b);
    uint32_t own = 0, all = 0;
    if (b == ir_entry(s->f) || block->first != block->last || ir_at(s->f, block->last)->op != op)
        return false;
    for (uint32_t e = 0; e < block->edges.count; e++) {
        if (s->g->rpo_index[block->edges.at[e].block] <= s->g->rpo_index[b])
            return false;
        for (uint32_t k = 0; k < block->edges.at[e].argc; k++)
            own += is_parameter_of(s, now(s, block->edges.at[e].args[k]), b);
    }
    for (uint32_t k = 0; k < block->params.count; k++)
        all += s->uses[block->params.at[k]];
    return own == all;
}

static void skip_empty(struct decided *s, uint32_t b)
{
    for (uint32_t e = 0; e < ir_block_at(s->f, b)->edges.count; e++) {
        struct ir_edge *edge = &ir_block_at(s->f, b)->edges.at[e];
        uint32_t to = edge->block;
        if (!only_ends(s, to, IR_br))
            continue;
        lead_on(s, edge, &ir_block_at(s->f, to)->edges.at[0]);
        drop_if_unreached(s, to);
    }
}

/* ---- edges to a block ---------------------------------------------------------------------------- */

/* The edge of `branch` that leads to the edge (q, e) always; CSC_NONE: there is none. */
static uint32_t side_of(const struct decided *s, uint32_t branch, uint32_t q, uint32_t e)
{
    const struct ir_block *b = ir_block_at(s->f, branch);
    if (q == branch)
        return e;
    for (uint32_t side = 0; side < 2; side++)
        if (ir_pred_count(s->g, b->edges.at[side].block) == 1 &&
            ir_dominates(s->dominators, b->edges.at[side].block, q))
            return side;
    return CSC_NONE;
}

/* The condition that all edges to the block have decided, but for those that lead back to it, or 0. */
static ir_ref find_edges(struct decided *s, uint32_t b)
{
    uint32_t branch = s->dominators->idom[b];
    vec_clear(&s->edges);
    s->loops_back = false;
    if (b == ir_entry(s->f) || branch == IR_NO_BLOCK ||
        ir_at(s->f, ir_terminator(s->f, branch))->op != IR_brif)
        return 0;
    ir_each_pred(q, b, s->g) {
        struct decided_edge w = {{q, s->g->pred_edges[q_at]}, 0};
        bool back = ir_dominates(s->dominators, b, q);
        w.side = back ? CSC_NONE : side_of(s, branch, q, w.edge.edge);
        if (!back && (w.side == CSC_NONE || s->g->rpo_index[q] >= s->g->rpo_index[b]))
            return 0;
        s->loops_back |= back;
        vec_push(s->p->c->scratch, &s->edges, w);
    }
    return ir_at(s->f, ir_terminator(s->f, branch))->args[0];
}

static struct ir_edge *edge_of(const struct decided *s, const struct decided_edge *w)
{
    return &ir_block_at(s->f, w->edge.block)->edges.at[w->edge.edge];
}

/* ---- selects ------------------------------------------------------------------------------------- */

/* What the edge gives for a value that is there before block b or its parameter. */
static ir_ref given(struct decided *s, uint32_t b, const struct ir_edge *e, ir_ref value)
{
    return is_parameter_of(s, value, b) ? now(s, e->args[ir_at(s->f, value)->imm]) : value;
}

/* Edges of the side give `value`, which is there before block b or its parameter, for the parameter. */
static void give(struct decided *s, uint32_t b, uint32_t side, ir_ref param, ir_ref value)
{
    for (uint32_t i = 0; i < s->edges.count; i++) {
        struct ir_edge *e = edge_of(s, &s->edges.at[i]);
        ir_ref *args = arena_array(&s->f->module->arena, ir_ref, e->argc);
        if (s->edges.at[i].side != side)
            continue;
        memcpy(args, e->args, e->argc * sizeof *args);
        args[ir_at(s->f, param)->imm] = given(s, b, e, value);
        count_edge(s, e, UINT32_MAX);
        *e = (struct ir_edge){.block = b, .argc = e->argc, .args = args, .value = e->value};
        count_edge(s, e, 1);
    }
}

/* Whether the edges that lead back give `param` what select r of it and of `value` would be there: r itself,
 * if it gives r for `value`, too, or that does not change; or one for both. */
static bool back_edges_keep(struct decided *s, uint32_t b, ir_ref r, ir_ref param, ir_ref value)
{
    for (uint32_t i = 0; i < s->edges.count; i++) {
        if (s->edges.at[i].side != CSC_NONE)
            continue;
        const struct ir_edge *e = edge_of(s, &s->edges.at[i]);
        ir_ref x = given(s, b, e, param), y = given(s, b, e, value);
        if (x != y && (x != r || is_parameter_of(s, value, b)))
            return false;
    }
    return true;
}

/* Select r on the decided condition: a parameter that nothing else uses takes its place. */
static void absorb(struct decided *s, uint32_t b, ir_ref r)
{
    const struct ir_ins *ins = ir_at(s->f, r);
    for (uint32_t side = 0; side < 2; side++) {
        ir_ref value = now(s, ins->args[1 + side]), param = now(s, ins->args[2 - side]);
        bool there = is_parameter_of(s, value, b) || ir_at(s->f, value)->op == IR_constant ||
                     ir_at(s->f, value)->block != b;
        if (value == param || !there || !is_parameter_of(s, param, b) || s->uses[param] != 1 ||
            !back_edges_keep(s, b, r, param, value))
            continue;
        give(s, b, side, param, value);
        for (uint32_t k = 0; k < ins->argc; k++)
            s->uses[now(s, ins->args[k])]--;
        s->uses[param] = s->uses[r];
        opt_rename(&s->renaming, s->f, r, param);
        ir_remove(s->f, r);
        s->changed = true;
        return;
    }
}

/* What select operand r is for threads for which `condition` holds, or does not hold. */
static ir_ref chosen(struct decided *s, ir_ref condition, ir_ref r, uint32_t side)
{
    const struct ir_ins *ins = ir_at(s->f, r);
    while (ins->op == IR_select && ins->args[0] == condition) {
        r = now(s, ins->args[1 + side]);
        ins = ir_at(s->f, r);
    }
    return r;
}

/* A select of selects on its own condition chooses from what they choose from; or it is one of them. */
static void flatten_select(struct decided *s, ir_ref r)
{
    struct ir_ins *ins = ir_at(s->f, r);
    ir_ref old[2] = {now(s, ins->args[1]), now(s, ins->args[2])};
    for (uint32_t side = 0; side < 2; side++) {
        ir_ref is = chosen(s, ins->args[0], old[side], side);
        s->changed |= is != old[side];
        s->uses[old[side]]--;
        s->uses[is]++;
        ins->args[1 + side] = is;
    }
    for (uint32_t side = 0; side < 2; side++) {
        const struct ir_ins *one = ir_at(s->f, old[side]);
        if (one->op != IR_select || one->args[0] != ins->args[0] || now(s, one->args[1]) != ins->args[1] ||
            now(s, one->args[2]) != ins->args[2])
            continue;
        for (uint32_t k = 0; k < ins->argc; k++)
            s->uses[now(s, ins->args[k])]--;
        s->uses[old[side]] += s->uses[r];
        opt_rename(&s->renaming, s->f, r, old[side]);
        ir_remove(s->f, r);
        return;
    }
}

static void flatten_selects(struct decided *s, uint32_t b)
{
    for (ir_ref r = ir_block_at(s->f, b)->first, next; r; r = next) {
        next = ir_at(s->f, r)->next;
        if (ir_at(s->f, r)->op == IR_select)
            flatten_select(s, r);
    }
}

static void absorb_selects(struct decided *s, uint32_t b, ir_ref condition)
{
    for (ir_ref r = ir_block_at(s->f, b)->first, next; r; r = next) {
        next = ir_at(s->f, r)->next;
        if (ir_at(s->f, r)->op == IR_select && ir_at(s->f, r)->args[0] == condition)
            absorb(s, b, r);
    }
}

/* ---- the blocks ---------------------------------------------------------------------------------- */

static void decided_visit_block(struct decided *s, uint32_t b)
{
    ir_ref condition = find_edges(s, b);
    if (condition == 0)
        return;
    absorb_selects(s, b, condition);
    const struct ir_block *block = ir_block_at(s->f, b);
    if (s->loops_back || block->first != block->last || ir_at(s->f, block->last)->op != IR_brif ||
        ir_at(s->f, block->last)->args[0] != condition)
        return;
    skip_empty(s, b);
    if (!only_ends(s, b, IR_brif))
        return;
    for (uint32_t i = 0; i < s->edges.count; i++)
        lead_on(s, edge_of(s, &s->edges.at[i]), &block->edges.at[s->edges.at[i].side]);
    drop_if_unreached(s, b);
}

void csc_pass_decided(struct csc *p)
{
    struct decided s = {.p = p,
                        .f = p->f,
                        .g = opt_cfg(p->c, p->f),
                        .dominators = opt_dominators(p->c, p->f),
                        .renaming = {.arena = p->c->scratch},
                        .uses = opt_count_uses(p->c->scratch, p->f),
                        .preds = arena_array(p->c->scratch, uint32_t, p->f->blocks.count),
                        .removed = bitset_new(p->c->scratch, p->f->blocks.count)};
    for (uint32_t b = 0; b < p->f->blocks.count; b++)
        s.preds[b] = ir_block_at(p->f, b)->removed ? 0 : ir_pred_count(s.g, b);
    for (uint32_t i = 0; i < s.g->rpo_count; i++)
        flatten_selects(&s, s.g->rpo[i]);
    for (uint32_t i = s.g->rpo_count; i-- > 0;)
        if (!bitset_has(s.removed, s.g->rpo[i]))
            decided_visit_block(&s, s.g->rpo[i]);
    if (!s.changed)
        return;
    opt_rename_all(&s.renaming, p->f);
    ir_blocks_remove(p->f, s.removed);
    opt_invalidate(p->c, p->f);
}
