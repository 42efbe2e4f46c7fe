/* compact.c: gives back the numbers of what has been removed from a function.
 *
 * Passes make new instructions and remove old ones, so that after some of them most entries of fn->ins name
 * nothing, and what is left lies far apart: each table by number, and each walk over the function, then goes
 * through memory for nothing. What is left gets the numbers from 0 on, in the order that it had, so that no
 * comparison of two numbers changes; operands and arguments get lists of their own, in that order too.
 */
#include "ir/ir.h"

struct renumbering {
    struct ir_function *f;
    ir_ref *values;   /* old -> new; 0: removed */
    uint32_t *blocks; /* old -> new; IR_NO_BLOCK: removed */
};

static uint32_t new_block(const struct renumbering *n, uint32_t b)
{
    return b >= IR_AT_RETURN ? b : n->blocks[b]; /* those are no blocks */
}

/* A list may have been that of others as well: a fresh one. */
static ir_ref *new_list(const struct renumbering *n, const ir_ref *refs, uint32_t count)
{
    if (count == 0)
        return NULL;
    ir_ref *fresh = arena_array(&n->f->module->arena, ir_ref, count);
    for (uint32_t i = 0; i < count; i++)
        fresh[i] = n->values[refs[i]];
    return fresh;
}

/* ---- numbers ----------------------------------------------------------------------------------------- */

static uint32_t number_values(struct renumbering *n, struct arena *a)
{
    uint32_t kept = 1;
    n->values = arena_array(a, ir_ref, n->f->ins.count);
    for (ir_ref r = 1; r < n->f->ins.count; r++)
        if (ir_at(n->f, r)->op != IR_none)
            n->values[r] = kept++;
    return kept;
}

static uint32_t number_blocks(struct renumbering *n, struct arena *a)
{
    uint32_t kept = 0;
    n->blocks = arena_array(a, uint32_t, n->f->blocks.count);
    for (uint32_t b = 0; b < n->f->blocks.count; b++)
        n->blocks[b] = ir_block_at(n->f, b)->removed ? IR_NO_BLOCK : kept++;
    return kept;
}

/* ---- moving: each to a place that is not behind its own ---------------------------------------------- */

static void move_value(const struct renumbering *n, ir_ref r)
{
    struct ir_ins *to = ir_at(n->f, n->values[r]);
    *to = *ir_at(n->f, r);
    to->args = new_list(n, to->args, to->argc);
    to->token = n->values[to->token];
    to->prev = n->values[to->prev];
    to->next = n->values[to->next];
    to->block = new_block(n, to->block);
}

static void move_block(const struct renumbering *n, uint32_t b)
{
    struct ir_block *to = ir_block_at(n->f, n->blocks[b]);
    *to = *ir_block_at(n->f, b);
    to->first = n->values[to->first];
    to->last = n->values[to->last];
    to->reconverge = new_block(n, to->reconverge);
    to->frontier = new_block(n, to->frontier);
    for (uint32_t i = 0; i < to->params.count; i++)
        to->params.at[i] = n->values[to->params.at[i]];
    for (uint32_t e = 0; e < to->edges.count; e++) {
        struct ir_edge *edge = &to->edges.at[e];
        edge->block = n->blocks[edge->block];
        edge->args = new_list(n, edge->args, edge->argc);
        edge->capacity = edge->argc;
    }
}

static void move_all(const struct renumbering *n)
{
    struct ir_function *f = n->f;
    for (ir_ref r = 1; r < f->ins.count; r++)
        if (n->values[r])
            move_value(n, r);
    for (uint32_t b = 0; b < f->blocks.count; b++)
        if (n->blocks[b] != IR_NO_BLOCK)
            move_block(n, b);
    for (uint32_t i = 0; i < f->order.count; i++)
        f->order.at[i] = n->blocks[f->order.at[i]];
    for (uint32_t i = 0; i < f->constants.capacity; i++)
        if (f->constants.values[i] != MAP_NONE)
            f->constants.values[i] = n->values[f->constants.values[i]];
}

bool ir_compact(struct ir_function *f, uint32_t least)
{
    struct renumbering n = {.f = f};
    struct scratch scratch;
    if (f->ins.count < least || f->removed <= f->ins.count / 2)
        return false;
    struct arena *a = scratch_begin(&scratch);
    uint32_t values = number_values(&n, a), blocks = number_blocks(&n, a);
    move_all(&n);
    f->ins.count = values;
    f->blocks.count = blocks;
    f->removed = 0;
    scratch_end(&scratch);
    return true;
}
