/* registers.c: which block parameters get the register of what edges bring to them, so that nothing is moved:
 * as the code generator coalesces (backend/bytecode/regalloc.c, ir/analysis/coalesce.h), on the IR.
 *
 * Positions are those of reverse post-order: instruction i reads at 2 i and writes at 2 i + 1; a parameter
 * begins where its block does; arguments of edges are read behind the last instruction. Edges that go back come
 * first.
 *
 * Not known here: values that threads share in one register, which have others of their own.
 */
#include "ir/analysis/coalesce.h"
#include "opt/cost/cost.h"

#include <stdlib.h>

struct back_edge {
    uint32_t header, end; /* positions: where the header begins, and where the block that leads to it ends */
};

struct coalescer {
    struct arena *arena;
    const struct ir_cfg *g;
    struct ir_lives lives; /* by ir_ref */
    struct ir_coalescer groups;
};

/* ---- intervals --------------------------------------------------------------------------------------- */

static void use(struct coalescer *x, ir_ref r, uint32_t at)
{
    struct ir_span *whole = &x->lives.whole[r];
    whole->end = at > whole->end ? at : whole->end;
    edge_add(x->arena, &x->lives.uses, r, at);
}

static void find_positions(struct coalescer *x)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < x->g->rpo_count; i++) {
        uint32_t b = x->g->rpo[i];
        const struct ir_block *block = ir_block_at(x->g->fn, b);
        struct ir_span *here = &x->lives.block[i];
        here->start = 2 * at;
        for (uint32_t k = 0; k < block->params.count; k++)
            x->lives.whole[block->params.at[k]] = (struct ir_span){2 * at, 2 * at};
        ir_each_ins(r, x->g->fn, b) {
            const struct ir_ins *ins = ir_at(x->g->fn, r);
            x->lives.whole[r] = (struct ir_span){2 * at + 1, 2 * at + 1};
            for (uint32_t k = 0; k < ins->argc; k++)
                use(x, ins->args[k], 2 * at);
            at++;
        }
        here->end = 2 * at - 1;
        for (uint32_t e = 0; e < block->edges.count; e++)
            for (uint32_t k = 0; k < block->edges.at[e].argc; k++)
                use(x, block->edges.at[e].args[k], here->end);
    }
}

static int by_header(const void *x, const void *y)
{
    const struct back_edge *a = x, *b = y;
    return (a->header > b->header) - (a->header < b->header);
}

/* From the first header on: what lives to the end of a loop reaches the headers in it, which come behind. */
static void extend_over_loops(struct coalescer *x)
{
    VEC(struct back_edge) back = {0};
    for (uint32_t i = 0; i < x->g->rpo_count; i++) {
        const struct ir_block *block = ir_block_at(x->g->fn, x->g->rpo[i]);
        for (uint32_t e = 0; e < block->edges.count; e++) {
            uint32_t to = x->g->rpo_index[block->edges.at[e].block];
            if (to <= i)
                vec_push(x->arena, &back,
                         ((struct back_edge){x->lives.block[to].start, x->lives.block[i].end}));
        }
    }
    if (back.count)
        qsort(back.at, back.count, sizeof *back.at, by_header);
    for (ir_ref r = 0; r < x->lives.values; r++) {
        struct ir_span *whole = &x->lives.whole[r];
        for (uint32_t k = 0; k < back.count && back.at[k].header <= whole->end; k++)
            if (whole->start < back.at[k].header && whole->end < back.at[k].end)
                whole->end = back.at[k].end;
    }
}

/* ---- groups ------------------------------------------------------------------------------------------ */

static void coalesce_edges(struct coalescer *x, bool back)
{
    const struct ir_function *f = x->g->fn;
    for (uint32_t i = 0; i < x->g->rpo_count; i++) {
        const struct ir_block *block = ir_block_at(f, x->g->rpo[i]);
        for (uint32_t e = 0; e < block->edges.count; e++) {
            const struct ir_edge *edge = &block->edges.at[e];
            if ((x->g->rpo_index[edge->block] <= i) != back)
                continue;
            for (uint32_t k = 0; k < edge->argc; k++)
                if (!ir_is_const(f, edge->args[k], NULL))
                    ir_coalesce(&x->groups, ir_block_at(f, edge->block)->params.at[k], edge->args[k]);
        }
    }
}

uint32_t *cost_registers(struct arena *a, const struct ir_cfg *g)
{
    uint32_t values = g->fn->ins.count;
    struct coalescer x = {.arena = a,
                          .g = g,
                          .lives = {.g = g,
                                    .block = arena_array(a, struct ir_span, g->rpo_count),
                                    .whole = arena_array(a, struct ir_span, values),
                                    .values = values}};
    find_positions(&x);
    extend_over_loops(&x);
    x.groups = ir_coalescer_new(a, &x.lives);
    coalesce_edges(&x, true);
    coalesce_edges(&x, false);
    return x.groups.leader;
}
