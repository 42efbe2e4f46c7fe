/* gather.c: one way to two blocks, for the threads of both arms (see correspond.c). */
#include "opt/csc/csc.h"

struct gather {
    struct csc *p;
    struct ir_function *f;
    uint32_t block, to[2];
    u32_vec slot[2]; /* of each parameter of x or y: which of the new block's it gets */
};

/* A parameter of the new block that arm 1 does not use yet; one of no meaning to arm 0 if there is none. */
static uint32_t find_slot(struct gather *g, enum ir_type type, struct bitset taken)
{
    const u32_vec *params = &ir_block_at(g->f, g->block)->params;
    for (uint32_t k = 0; k < params->count; k++)
        if (!bitset_has(taken, k) && ir_at(g->f, params->at[k])->type == type)
            return k;
    return UINT32_MAX;
}

static uint32_t add_slot(struct gather *g, ir_ref like, uint32_t owner)
{
    ir_ref r = ir_param_new(g->f, g->block, (enum ir_type)ir_at(g->f, like)->type, ir_at(g->f, like)->name);
    map_set(g->p->arena, &g->p->owner, r, owner);
    return ir_block_at(g->f, g->block)->params.count - 1;
}

/* Parameters of x and y of one type share one. */
static void make_parameters(struct gather *g)
{
    const struct ir_block *x = ir_block_at(g->f, g->to[0]), *y = ir_block_at(g->f, g->to[1]);
    uint32_t n = x->params.count, m = y->params.count;
    struct bitset taken = bitset_new(g->p->arena, n + m + 1);
    for (uint32_t k = 0; k < n; k++)
        vec_push(g->p->arena, &g->slot[0], add_slot(g, ir_block_at(g->f, g->to[0])->params.at[k], 0));
    for (uint32_t k = 0; k < m; k++) {
        ir_ref param = ir_block_at(g->f, g->to[1])->params.at[k];
        uint32_t s = find_slot(g, (enum ir_type)ir_at(g->f, param)->type, taken);
        if (s == UINT32_MAX)
            s = add_slot(g, param, 1);
        else if (s < n)
            map_set(g->p->arena, &g->p->owner, ir_block_at(g->f, g->block)->params.at[s], CSC_BOTH);
        bitset_add(taken, s);
        vec_push(g->p->arena, &g->slot[1], s);
    }
}

/* What means nothing to the arm is zero. */
static void redirect(struct gather *g, uint32_t arm, struct ir_edge *e)
{
    const u32_vec *params = &ir_block_at(g->f, g->block)->params;
    ir_ref *args = arena_array(&g->f->module->arena, ir_ref, params->count);
    for (uint32_t k = 0; k < params->count; k++)
        args[k] = ir_const(g->f, (enum ir_type)ir_at(g->f, params->at[k])->type, 0);
    for (uint32_t k = 0; k < e->argc; k++)
        args[g->slot[arm].at[k]] = e->args[k];
    *e = (struct ir_edge){.block = g->block, .argc = params->count, .args = args, .value = e->value};
}

static void branch(struct gather *g, ir_ref condition)
{
    struct ir_cursor c = {.fn = g->f, .block = g->block, .at = ir_at(g->f, condition)->at};
    ir_emit_brif(&c, condition, g->to[0], g->to[1]);
    for (uint32_t arm = 0; arm < 2; arm++)
        for (uint32_t k = 0; k < g->slot[arm].count; k++) {
            struct ir_block *b = ir_block_at(g->f, g->block);
            ir_edge_arg(g->f, &b->edges.at[arm], b->params.at[g->slot[arm].at[k]]);
        }
}

uint32_t csc_gather(struct csc *p, struct csc_pair q, ir_ref condition)
{
    const struct ir_cfg *cfg = opt_cfg(p->c, p->f);
    struct gather g = {.p = p, .f = p->f, .to = {q.x, q.y}};
    g.block = ir_block_new(p->f, "both");
    make_parameters(&g);
    for (uint32_t arm = 0; arm < 2; arm++)
        ir_each_pred(b, g.to[arm], cfg)
            redirect(&g, arm, &ir_block_at(p->f, b)->edges.at[cfg->pred_edges[b_at]]);
    branch(&g, condition);
    vec_push(p->arena, &p->branches, g.block);
    return g.block;
}
