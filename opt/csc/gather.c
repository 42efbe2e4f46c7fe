/* gather.c: one way to two blocks, for the threads of both arms (see correspond.c). */
#include "opt/csc/csc.h"

struct gather {
    struct csc *p;
    struct ir_function *f;
    uint32_t block, to[2];
    u32_vec slot[2]; /* of each parameter of x or y: which of the new block's it gets */
};

u32_vec csc_shared_parameters(struct csc *p, uint32_t x, uint32_t y)
{
    const u32_vec *xs = &ir_block_at(p->f, x)->params, *ys = &ir_block_at(p->f, y)->params;
    struct bitset taken = bitset_new(p->arena, xs->count + 1);
    u32_vec shared = {0};
    for (uint32_t k = 0; k < ys->count; k++) {
        uint32_t i = 0;
        while (i < xs->count &&
               (bitset_has(taken, i) || ir_at(p->f, xs->at[i])->type != ir_at(p->f, ys->at[k])->type))
            i++;
        if (i < xs->count)
            bitset_add(taken, i);
        vec_push(p->arena, &shared, i < xs->count ? i : CSC_NONE);
    }
    return shared;
}

static uint32_t add_slot(struct gather *g, ir_ref like, uint32_t owner)
{
    ir_ref r = ir_param_new(g->f, g->block, (enum ir_type)ir_at(g->f, like)->type, ir_at(g->f, like)->name);
    map_set(g->p->arena, &g->p->owner, r, owner);
    return ir_block_at(g->f, g->block)->params.count - 1;
}

static void make_parameters(struct gather *g)
{
    u32_vec shared = csc_shared_parameters(g->p, g->to[0], g->to[1]);
    uint32_t n = ir_block_at(g->f, g->to[0])->params.count;
    for (uint32_t k = 0; k < n; k++)
        vec_push(g->p->arena, &g->slot[0], add_slot(g, ir_block_at(g->f, g->to[0])->params.at[k], 0));
    for (uint32_t k = 0; k < shared.count; k++) {
        uint32_t s = shared.at[k];
        if (s == CSC_NONE)
            s = add_slot(g, ir_block_at(g->f, g->to[1])->params.at[k], 1);
        else
            map_set(g->p->arena, &g->p->owner, ir_block_at(g->f, g->block)->params.at[s], CSC_BOTH);
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
    struct gather g = {.p = p, .f = p->f, .to = {q.x, q.y}};
    g.block = ir_block_new(p->f, "both");
    make_parameters(&g);
    for (uint32_t arm = 0; arm < 2; arm++) {
        opt_edges edges = csc_edges_to(p, g.to[arm]);
        for (uint32_t i = 0; i < edges.count; i++)
            redirect(&g, arm, &ir_block_at(p->f, edges.at[i].block)->edges.at[edges.at[i].edge]);
    }
    branch(&g, condition);
    vec_push(p->arena, &p->branches, g.block);
    return g.block;
}
