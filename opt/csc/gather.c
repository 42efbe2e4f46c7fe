/* gather.c: one way to two blocks, for the threads of both arms (see correspond.c). */
#include "opt/csc/csc.h"

struct gather {
    struct csc *p;
    struct ir_function *f;
    uint32_t block, to[2];
    u32_vec slot[2]; /* of each parameter of x or y: which of the new block's it gets */
};

/* ---- which parameters become one --------------------------------------------------------------------- */

enum { LIKENESS_MOST = 6, EDGES_LOOKED_AT = 3, PARAMETERS_LOOKED_AT = 32 };

struct sharing {
    struct csc *p;
    uint32_t block[2];
    const u32_vec *params[2];
    opt_edges edges[2];
    struct bitset taken; /* of x's */
};

/* What the edge gives parameter k; 0: it leads elsewhere by now. */
static ir_ref given(const struct sharing *s, uint32_t arm, uint32_t edge, uint32_t k)
{
    struct opt_edge at = s->edges[arm].at[edge];
    const struct ir_edge *e = &ir_block_at(s->p->f, at.block)->edges.at[at.edge];
    return e->block == s->block[arm] && k < e->argc ? opt_renamed(&s->p->renaming, e->args[k]) : 0;
}

/* 2: one value, or results of one operation with an operand in common; 1: of one operation; 0: neither. */
static uint32_t likeness_of_values(const struct ir_function *f, ir_ref v, ir_ref w)
{
    const struct ir_ins *x = ir_at(f, v), *y = ir_at(f, w);
    if (v == w)
        return v ? 2 : 0;
    if (x->op != y->op || x->op == IR_constant || x->op == IR_param || x->op == IR_none)
        return 0;
    for (uint32_t k = 0; k < x->argc && k < y->argc; k++)
        if (x->args[k] == y->args[k])
            return 2;
    return 1;
}

/* How much alike is what the edges to the blocks give parameter i of x and k of y: so counters become one, and
 * sums. */
static uint32_t likeness(const struct sharing *s, uint32_t i, uint32_t k)
{
    uint32_t sum = 0;
    for (uint32_t d = 0; d < s->edges[0].count && d < EDGES_LOOKED_AT; d++)
        for (uint32_t e = 0; e < s->edges[1].count && e < EDGES_LOOKED_AT; e++)
            sum += likeness_of_values(s->p->f, given(s, 0, d, i), given(s, 1, e, k));
    return sum < LIKENESS_MOST ? sum : LIKENESS_MOST;
}

/* The first parameter of x that is free, of k's type and so much like it; or their number. */
static uint32_t find_like(const struct sharing *s, uint32_t k, uint32_t least)
{
    const struct ir_function *f = s->p->f;
    const u32_vec *xs = s->params[0];
    uint32_t i = 0;
    while (i < xs->count &&
           (bitset_has(s->taken, i) || ir_at(f, xs->at[i])->type != ir_at(f, s->params[1]->at[k])->type ||
            (least && likeness(s, i, k) < least)))
        i++;
    return i;
}

u32_vec csc_shared_parameters(struct csc *p, uint32_t x, uint32_t y)
{
    struct sharing s = {
        .p = p, .block = {x, y}, .params = {&ir_block_at(p->f, x)->params, &ir_block_at(p->f, y)->params}};
    uint32_t xs = s.params[0]->count, ys = s.params[1]->count, blocks = opt_cfg(p->c, p->f)->blocks;
    bool few = xs <= PARAMETERS_LOOKED_AT && ys <= PARAMETERS_LOOKED_AT && x < blocks && y < blocks;
    u32_vec shared = {0};
    s.taken = bitset_new(p->arena, xs + 1);
    for (uint32_t k = 0; k < ys; k++)
        vec_push(p->arena, &shared, CSC_NONE);
    if (few) {
        s.edges[0] = csc_edges_to(p, x);
        s.edges[1] = csc_edges_to(p, y);
    }
    for (uint32_t least = few ? LIKENESS_MOST : 0;; least--) {
        for (uint32_t k = 0; k < ys; k++) {
            uint32_t i = shared.at[k] == CSC_NONE ? find_like(&s, k, least) : xs;
            if (i == xs)
                continue;
            bitset_add(s.taken, i);
            shared.at[k] = i;
        }
        if (least == 0)
            return shared;
    }
}

/* ---- one way to both --------------------------------------------------------------------------------- */

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
