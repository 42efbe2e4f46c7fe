/* registers.c: which block parameters get the register of what edges bring to them, so that nothing is moved:
 * as the code generator coalesces (backend/bytecode/regalloc.c), on the IR.
 *
 * A live range is one interval of positions in reverse post-order: instruction i reads at 2 i and writes at
 * 2 i + 1; a parameter begins where its block does; arguments of edges are read behind the last instruction. A
 * value that is defined before a loop, and lives in it, lives to the loop's end. Edges that go back come first:
 * a parameter's group takes in the group of an argument if no two of their intervals overlap.
 *
 * Not known here: values that threads share in one register, which have others of their own.
 */
#include "opt/cost/cost.h"

#include <stdlib.h>

enum { GROUP_MOST = 256 }; /* values of a group, as in the code generator */

struct back_edge {
    uint32_t header, end; /* positions: where the header begins, and where the block that leads to it ends */
};

struct coalescer {
    struct arena *arena;
    const struct ir_cfg *g;
    uint32_t *first, *last;  /* by block: positions of its first and its last instruction */
    uint32_t *start, *end;   /* by value: its interval */
    ir_ref *leader, *behind; /* by value: the one that stands for its group; the group's next one, by start */
    uint32_t *count;         /* by leader */
};

/* ---- intervals --------------------------------------------------------------------------------------- */

static void use(struct coalescer *x, ir_ref r, uint32_t at)
{
    x->end[r] = at > x->end[r] ? at : x->end[r];
}

static void find_positions(struct coalescer *x)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < x->g->rpo_count; i++) {
        uint32_t b = x->g->rpo[i];
        const struct ir_block *block = ir_block_at(x->g->fn, b);
        x->first[b] = 2 * at;
        for (uint32_t k = 0; k < block->params.count; k++)
            x->start[block->params.at[k]] = x->end[block->params.at[k]] = 2 * at;
        ir_each_ins(r, x->g->fn, b) {
            const struct ir_ins *ins = ir_at(x->g->fn, r);
            x->start[r] = 2 * at + 1;
            use(x, r, 2 * at + 1);
            for (uint32_t k = 0; k < ins->argc; k++)
                use(x, ins->args[k], 2 * at);
            at++;
        }
        x->last[b] = 2 * at - 1;
        for (uint32_t e = 0; e < block->edges.count; e++)
            for (uint32_t k = 0; k < block->edges.at[e].argc; k++)
                use(x, block->edges.at[e].args[k], x->last[b]);
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
        for (uint32_t e = 0; e < block->edges.count; e++)
            if (x->g->rpo_index[block->edges.at[e].block] <= i)
                vec_push(x->arena, &back,
                         ((struct back_edge){x->first[block->edges.at[e].block], x->last[x->g->rpo[i]]}));
    }
    if (back.count)
        qsort(back.at, back.count, sizeof *back.at, by_header);
    for (ir_ref r = 0; r < x->g->fn->ins.count; r++)
        for (uint32_t k = 0; k < back.count && back.at[k].header <= x->end[r]; k++)
            if (x->start[r] < back.at[k].header && x->end[r] < back.at[k].end)
                x->end[r] = back.at[k].end;
}

/* ---- groups ------------------------------------------------------------------------------------------ */

static bool overlap(const struct coalescer *x, ir_ref a, ir_ref b)
{
    while (a && b) {
        if (x->start[a] <= x->end[b] && x->start[b] <= x->end[a])
            return true;
        if (x->start[a] < x->start[b])
            a = x->behind[a];
        else
            b = x->behind[b];
    }
    return false;
}

/* Leaders are the first of their groups. */
static void merge(struct coalescer *x, ir_ref a, ir_ref b)
{
    ir_ref first = x->start[a] < x->start[b] ? a : b, last = 0;
    x->count[first] = x->count[a] + x->count[b];
    while (a || b) {
        ir_ref *next = !b || (a && x->start[a] < x->start[b]) ? &a : &b, r = *next;
        *next = x->behind[r];
        x->leader[r] = first;
        if (last)
            x->behind[last] = r;
        x->behind[r] = 0;
        last = r;
    }
}

static void coalesce_edges(struct coalescer *x, bool back)
{
    const struct ir_function *f = x->g->fn;
    for (uint32_t i = 0; i < x->g->rpo_count; i++) {
        const struct ir_block *block = ir_block_at(f, x->g->rpo[i]);
        for (uint32_t e = 0; e < block->edges.count; e++) {
            const struct ir_edge *edge = &block->edges.at[e];
            if ((x->g->rpo_index[edge->block] <= i) != back)
                continue;
            for (uint32_t k = 0; k < edge->argc; k++) {
                ir_ref to = x->leader[ir_block_at(f, edge->block)->params.at[k]];
                ir_ref from = x->leader[edge->args[k]];
                if (to != from && !ir_is_const(f, edge->args[k], NULL) &&
                    x->count[to] + x->count[from] <= GROUP_MOST && !overlap(x, to, from))
                    merge(x, to, from);
            }
        }
    }
}

ir_ref *cost_registers(struct arena *a, const struct ir_cfg *g)
{
    uint32_t values = g->fn->ins.count;
    struct coalescer x = {.arena = a,
                          .g = g,
                          .first = arena_array(a, uint32_t, g->blocks),
                          .last = arena_array(a, uint32_t, g->blocks),
                          .start = arena_array(a, uint32_t, values),
                          .end = arena_array(a, uint32_t, values),
                          .leader = arena_array(a, ir_ref, values),
                          .behind = arena_array(a, ir_ref, values),
                          .count = arena_array(a, uint32_t, values)};
    for (ir_ref r = 0; r < values; r++) {
        x.leader[r] = r;
        x.count[r] = 1;
    }
    find_positions(&x);
    extend_over_loops(&x);
    coalesce_edges(&x, true);
    coalesce_edges(&x, false);
    return x.leader;
}
