/* speculate.c: arms of a branch that run whether they are wanted or not. */
#include "opt/pass.h"

bool opt_may_speculate(const struct ir_function *f, ir_ref r)
{
    return ir_only_computes((enum ir_op)ir_at(f, r)->op);
}

void opt_hoist_arm(struct ir_function *f, uint32_t b, uint32_t e)
{
    struct ir_edge *edge = &ir_block_at(f, b)->edges.at[e];
    struct ir_block *arm = ir_block_at(f, edge->block);
    struct ir_cursor c = {.fn = f, .block = b, .before = ir_terminator(f, b)};
    for (ir_ref r = arm->first, next; r != arm->last; r = next) {
        next = ir_at(f, r)->next;
        ir_unlink(f, r);
        ir_link(&c, r);
    }
    edge->block = arm->edges.at[0].block;
    edge->argc = arm->edges.at[0].argc;
    edge->args = arm->edges.at[0].args;
    edge->capacity = 0;
}

uint32_t opt_count_selects(const ir_ref *yes, const ir_ref *no, uint32_t n)
{
    uint32_t differ = 0;
    for (uint32_t i = 0; i < n; i++)
        differ += yes[i] != no[i];
    return differ;
}

void opt_join_by_selects(struct ir_function *f, uint32_t b)
{
    const struct ir_edge yes = ir_block_at(f, b)->edges.at[0], no = ir_block_at(f, b)->edges.at[1];
    ir_ref branch = ir_terminator(f, b), condition = ir_at(f, branch)->args[0];
    struct ir_cursor c = {.fn = f, .block = b, .before = branch, .at = ir_at(f, branch)->at};
    ir_ref *args = arena_array(&f->module->arena, ir_ref, yes.argc);
    for (uint32_t i = 0; i < yes.argc; i++)
        args[i] = yes.args[i] == no.args[i] ? yes.args[i]
                                            : ir_emit3(&c, IR_select, ir_at(f, yes.args[i])->type, condition,
                                                       yes.args[i], no.args[i]);
    opt_branch_fold(f, b, 0);
    ir_block_at(f, b)->edges.at[0] = (struct ir_edge){.block = yes.block, .argc = yes.argc, .args = args};
}
