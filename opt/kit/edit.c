/* edit.c: changes that several passes make. */
#include "opt/pass.h"

/* ---- renaming ---------------------------------------------------------------------------------------- */

static void renaming_reserve(struct opt_renaming *n, uint32_t count)
{
    if (count <= n->count)
        return;
    ir_ref *grown = arena_array(n->arena, ir_ref, count + count / 2);
    if (n->count)
        memcpy(grown, n->to, n->count * sizeof *grown);
    n->to = grown;
    n->count = count + count / 2;
}

ir_ref opt_renamed(struct opt_renaming *n, ir_ref r)
{
    ir_ref end = r;
    while (end < n->count && n->to[end])
        end = n->to[end];
    while (r != end) {
        ir_ref next = n->to[r];
        n->to[r] = end;
        r = next;
    }
    return end;
}

void opt_rename(struct opt_renaming *n, const struct ir_function *f, ir_ref old, ir_ref by)
{
    renaming_reserve(n, f->ins.count);
    by = opt_renamed(n, by);
    INVARIANT(old != by);
    n->to[old] = by;
    n->made++;
}

void opt_rename_all(struct opt_renaming *n, struct ir_function *f)
{
    if (!n->made)
        return;
    renaming_reserve(n, f->ins.count);
    ir_substitute(f, n->to);
}

/* ---- parameters and blocks --------------------------------------------------------------------------- */

static void edge_drop_dead(struct ir_function *f, struct ir_edge *e, struct bitset dead)
{
    const u32_vec *params = &ir_block_at(f, e->block)->params;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < e->argc; i++)
        if (!bitset_has(dead, params->at[i]))
            e->args[kept++] = e->args[i];
    e->argc = kept;
}

static void block_drop_dead(struct ir_function *f, struct ir_block *block, struct bitset dead)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < block->params.count; i++) {
        ir_ref p = block->params.at[i];
        if (bitset_has(dead, p)) {
            ir_drop(f, p);
        } else {
            ir_at(f, p)->imm = kept;
            block->params.at[kept++] = p;
        }
    }
    block->params.count = kept;
}

void opt_params_remove(struct ir_function *f, struct bitset dead)
{
    ir_each_block(i, b, f)
        for (uint32_t e = 0; e < ir_block_at(f, b)->edges.count; e++)
            edge_drop_dead(f, &ir_block_at(f, b)->edges.at[e], dead);
    ir_each_block(i, b, f)
        block_drop_dead(f, ir_block_at(f, b), dead);
}

void opt_block_append(struct ir_function *f, uint32_t into, uint32_t from)
{
    struct ir_cursor c = {.fn = f, .block = into};
    struct ir_block *to = ir_block_at(f, into), *source = ir_block_at(f, from);
    to->reconverge = source->reconverge;
    to->overhead = source->overhead;
    to->predicated = source->predicated;
    for (ir_ref r = source->first, next; r; r = next) {
        next = ir_at(f, r)->next;
        ir_unlink(f, r);
        ir_link(&c, r);
    }
    to->edges.at = source->edges.at;
    to->edges.count = source->edges.count;
    to->edges.capacity = source->edges.capacity;
    memset(&source->edges, 0, sizeof source->edges);
}

uint32_t opt_target_append(struct opt_renaming *n, struct ir_function *f, uint32_t b)
{
    struct ir_edge edge = ir_block_at(f, b)->edges.at[0];
    const u32_vec *params = &ir_block_at(f, edge.block)->params;
    for (uint32_t i = 0; i < params->count; i++)
        opt_rename(n, f, params->at[i], edge.args[i]);
    ir_remove(f, ir_terminator(f, b));
    opt_block_append(f, b, edge.block);
    return edge.block;
}

void opt_branch_fold(struct ir_function *f, uint32_t b, uint32_t e)
{
    struct ir_block *block = ir_block_at(f, b);
    struct ir_ins *t = ir_at(f, block->last);
    t->op = IR_br;
    t->argc = 0;
    block->edges.at[0] = block->edges.at[e];
    block->edges.at[0].value = 0;
    block->edges.count = 1;
    block->reconverge = IR_NO_BLOCK;
    block->predicated = 0;
}

static bool returns(const struct ir_function *f, uint32_t b)
{
    return ir_at(f, ir_terminator(f, b))->op == IR_ret;
}

static void lead_to_return(struct ir_function *f, uint32_t b, uint32_t end)
{
    ir_ref ret = ir_terminator(f, b), value = f->result == IR_TYPE_VOID ? 0 : ir_at(f, ret)->args[0];
    struct ir_cursor c = {.fn = f, .block = b, .at = ir_at(f, ret)->at};
    ir_remove(f, ret);
    ir_emit_br(&c, end);
    if (value)
        ir_edge_arg(f, &ir_block_at(f, b)->edges.at[0], value);
}

bool opt_return_once(struct arena *scratch, const struct ir_cfg *g, struct ir_function *f)
{
    u32_vec blocks = {0};
    for (uint32_t i = 0; i < g->rpo_count; i++)
        if (returns(f, g->rpo[i]))
            vec_push(scratch, &blocks, g->rpo[i]);
    bool alone = blocks.count == 1 && ir_block_at(f, blocks.at[0])->first == ir_terminator(f, blocks.at[0]);
    if (blocks.count == 0 || alone)
        return false;
    uint32_t end = ir_block_new(f, "return");
    ir_ref value = f->result == IR_TYPE_VOID ? 0 : ir_param_new(f, end, (enum ir_type)f->result, NULL);
    struct ir_cursor c = {.fn = f, .block = end, .at = ir_at(f, ir_terminator(f, blocks.at[0]))->at};
    ir_emit_ret(&c, value);
    for (uint32_t i = 0; i < blocks.count; i++)
        lead_to_return(f, blocks.at[i], end);
    return true;
}

/* ---- memory ------------------------------------------------------------------------------------------ */

ir_ref opt_reloaded(struct ir_cursor *c, enum ir_mem m, ir_ref stored)
{
    switch (m) {
    case IR_MEM_U8: return ir_emit1(c, IR_zext8, IR_TYPE_I32, stored);
    case IR_MEM_S8: return ir_emit1(c, IR_sext8, IR_TYPE_I32, stored);
    case IR_MEM_U16: return ir_emit1(c, IR_zext16, IR_TYPE_I32, stored);
    case IR_MEM_S16: return ir_emit1(c, IR_sext16, IR_TYPE_I32, stored);
    default: return stored;
    }
}

/* ---- blocks ------------------------------------------------------------------------------------------ */

uint32_t opt_drop_unreachable(struct arena *scratch, const struct ir_cfg *g, struct ir_function *f)
{
    if (g->rpo_count == f->order.count)
        return 0;
    struct bitset dead = bitset_new(scratch, f->blocks.count);
    ir_each_block(i, b, f)
        if (!bitset_has(g->reachable, b))
            bitset_add(dead, b);
    ir_blocks_remove(f, dead);
    return (uint32_t)bitset_count(dead);
}

/* ---- finding ----------------------------------------------------------------------------------------- */

u32_vec opt_find_backwards(struct arena *a, const struct ir_function *f, enum ir_op op, enum ir_op other)
{
    u32_vec found = {0};
    ir_each_block(i, b, f)
        for (ir_ref r = ir_block_at(f, b)->last; r; r = ir_at(f, r)->prev)
            if (ir_at(f, r)->op == op || ir_at(f, r)->op == other)
                vec_push(a, &found, r);
    return found;
}

/* ---- function pointers ------------------------------------------------------------------------------- */

u32_vec opt_pointer_targets(struct arena *a, const struct ir_module *m, struct bitset taken,
                            uint32_t signature)
{
    u32_vec found = {0};
    bitset_each(n, taken)
        if (ir_may_call(&m->signatures.at[signature], m->functions.at[n]))
            vec_push(a, &found, n);
    return found;
}
