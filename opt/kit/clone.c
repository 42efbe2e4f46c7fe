/* clone.c: see clone.h. */
#include "opt/kit/clone.h"

void opt_clone_reserve(struct opt_clone *c)
{
    if (c->values < c->f->ins.count) {
        c->values = 2 * c->f->ins.count;
        c->value = arena_array(c->arena, ir_ref, c->values);
    }
    if (c->blocks < c->f->blocks.count) {
        c->blocks = 2 * c->f->blocks.count;
        c->block = arena_array(c->arena, uint32_t, c->blocks);
        for (uint32_t b = 0; b < c->blocks; b++)
            c->block[b] = IR_NO_BLOCK;
    }
}

static void note_copy(struct opt_clone *c, ir_ref r, ir_ref copy)
{
    c->value[r] = copy;
    if (c->demotion)
        opt_demote_copy(c->demotion, r, copy);
}

uint32_t opt_clone_block(struct opt_clone *c, uint32_t b)
{
    uint32_t copy = c->block[b] = ir_block_new(c->f, ir_block_at(c->f, b)->name);
    for (uint32_t i = 0; i < ir_block_at(c->f, b)->params.count; i++) {
        ir_ref p = ir_block_at(c->f, b)->params.at[i];
        note_copy(c, p, ir_param_new(c->f, copy, ir_at(c->f, p)->type, ir_at(c->f, p)->name));
    }
    return copy;
}

void opt_clone_instructions(struct opt_clone *c, uint32_t b, bool hearts)
{
    struct ir_cursor to = {.fn = c->f, .block = c->block[b]};
    ir_each_ins(r, c->f, b)
        if (hearts || ir_at(c->f, r)->op != IR_loop)
            note_copy(c, r, ir_copy_ins(&to, c->f, r, c->value));
}

void opt_clone_edges(struct opt_clone *c, uint32_t b)
{
    for (uint32_t e = 0; e < ir_block_at(c->f, b)->edges.count; e++) {
        struct ir_edge edge = ir_block_at(c->f, b)->edges.at[e];
        struct ir_edge *copy = ir_edge_add(c->f, c->block[b], opt_cloned_block(c, edge.block), edge.value);
        for (uint32_t i = 0; i < edge.argc; i++)
            ir_edge_arg(c->f, copy, opt_cloned_value(c, edge.args[i]));
    }
}

void opt_clone_forget(struct opt_clone *c, uint32_t b)
{
    c->block[b] = IR_NO_BLOCK;
    for (uint32_t i = 0; i < ir_block_at(c->f, b)->params.count; i++)
        c->value[ir_block_at(c->f, b)->params.at[i]] = 0;
    ir_each_ins(r, c->f, b)
        c->value[r] = 0;
}
