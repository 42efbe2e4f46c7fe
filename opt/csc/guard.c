/* guard.c: code that one arm executes in any case, and the other under a condition of its own (Listing 1.10).
 * The first gets a condition, too, which always holds, so that both are conditionals that correspond; where
 * they become one, it is that of Listing 1.11: `p = true` in the one arm, the condition in the other.
 *
 * The edge past the code is never taken. What it gives the parameters of the block behind is zero, and means
 * nothing.
 */
#include "opt/csc/csc.h"

uint32_t csc_guarded_side(struct csc *p, uint32_t conditional)
{
    const struct ir_block *b = ir_block_at(p->f, conditional);
    uint32_t stop = opt_post_dominators(p->c, p->f)->idom[conditional];
    uint32_t side = b->edges.at[0].block == stop;
    bool guards = ir_at(p->f, b->last)->op == IR_brif && b->edges.at[!side].block == stop &&
                  b->edges.at[side].block != stop && csc_is_arm(p, conditional, b->edges.at[side].block);
    return guards ? side : CSC_NONE;
}

static void add_edges(struct csc *p, opt_edges *edges, uint32_t block)
{
    const struct ir_cfg *g = opt_cfg(p->c, p->f);
    ir_each_pred(q, block, g)
        vec_push(p->arena, edges, ((struct opt_edge){q, g->pred_edges[q_at]}));
}

/* Guards stand in one another: the last one that was made for a body leads to it, and what led to the body
 * before leads to the guard. */
opt_edges csc_edges_to(struct csc *p, uint32_t block)
{
    opt_edges edges = {0};
    for (uint32_t i = p->guards.count; i-- > 0;) {
        const struct csc_guard *g = &p->guards.at[i];
        if (g->body == block) {
            vec_push(p->arena, &edges, ((struct opt_edge){g->block, g->side}));
            return edges;
        }
        if (g->block == block)
            block = g->body;
        else if (g->next == block)
            vec_push(p->arena, &edges, ((struct opt_edge){g->block, !g->side}));
    }
    add_edges(p, &edges, block);
    return edges;
}

bool csc_is_never(const struct csc *p, uint32_t block, uint32_t e)
{
    for (uint32_t i = 0; i < p->guards.count; i++)
        if (p->guards.at[i].block == block)
            return p->guards.at[i].side != e;
    return false;
}

/* ---- making one ---------------------------------------------------------------------------------- */

/* Parameters like those of `like`. */
static void add_parameters(struct ir_function *f, uint32_t block, uint32_t like)
{
    for (uint32_t k = 0; k < ir_block_at(f, like)->params.count; k++) {
        const struct ir_ins *x = ir_at(f, ir_block_at(f, like)->params.at[k]);
        ir_param_new(f, block, (enum ir_type)x->type, x->name);
    }
}

static void branch(struct ir_function *f, const struct csc_guard *g, place at)
{
    struct ir_cursor c = {.fn = f, .block = g->block, .at = at};
    uint32_t to[2] = {g->side ? g->next : g->body, g->side ? g->body : g->next};
    ir_emit_brif(&c, ir_const_i1(f, g->side == 0), to[0], to[1]);
    for (uint32_t k = 0; k < ir_block_at(f, g->block)->params.count; k++) {
        struct ir_block *b = ir_block_at(f, g->block);
        ir_edge_arg(f, &b->edges.at[g->side], b->params.at[k]);
    }
    for (uint32_t k = 0; k < ir_block_at(f, g->next)->params.count; k++) {
        enum ir_type type = (enum ir_type)ir_at(f, ir_block_at(f, g->next)->params.at[k])->type;
        ir_ref zero = ir_const(f, type, 0);
        ir_edge_arg(f, &ir_block_at(f, g->block)->edges.at[!g->side], zero);
    }
}

void csc_make_guard(struct csc *p, struct csc_pair *q)
{
    struct ir_function *f = p->f;
    uint32_t *block = q->guarded == CSC_FIRST_GUARDED ? &q->x : &q->y, body = *block;
    struct csc_guard g = {.block = ir_block_new(f, "guard"),
                          .body = body,
                          .next = ir_block_at(f, body)->edges.at[0].block,
                          .side = csc_guarded_side(p, q->guarded == CSC_FIRST_GUARDED ? q->y : q->x)};
    opt_edges edges = csc_edges_to(p, body);
    INVARIANT(g.side != CSC_NONE);
    add_parameters(f, g.block, body);
    branch(f, &g, ir_at(f, ir_terminator(f, body))->at);
    for (uint32_t i = 0; i < edges.count; i++)
        ir_block_at(f, edges.at[i].block)->edges.at[edges.at[i].edge].block = g.block;
    vec_push(p->arena, &p->guards, g);
    *block = g.block;
}
