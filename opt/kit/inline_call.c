/* inline_call.c: see inline_call.h. */
#include "opt/kit/inline_call.h"

/* One call being inlined. */
struct site {
    struct ir_function *f;
    const struct ir_function *callee;
    ir_ref call;
    struct ir_ins ins; /* the call, as it was */
    uint32_t after;    /* block behind the call */
    ir_ref *map;       /* values of the callee */
    uint32_t *blocks;  /* blocks of the callee */
};

static ir_ref mapped(struct site *s, ir_ref r)
{
    const struct ir_ins *ins = ir_at(s->callee, r);
    return ins->op == IR_constant ? ir_const(s->f, ins->type, (scalar_bits)ins->imm) : s->map[r];
}

/* The callee's entry stands for its parameters by the call's arguments: nothing leads back to it. */
static void make_blocks(struct site *s, const struct ir_cfg *g)
{
    for (uint32_t i = 0; i < g->rpo_count; i++) {
        uint32_t b = g->rpo[i], copy = ir_block_new(s->f, ir_block_at(s->callee, b)->name);
        const u32_vec *params = &ir_block_at(s->callee, b)->params;
        s->blocks[b] = copy;
        for (uint32_t k = 0; k < params->count; k++) {
            const struct ir_ins *p = ir_at(s->callee, params->at[k]);
            s->map[params->at[k]] =
                b == ir_entry(s->callee) ? s->ins.args[k] : ir_param_new(s->f, copy, p->type, p->name);
        }
    }
}

static void copy_ret(struct site *s, struct ir_cursor *c, const struct ir_ins *ins)
{
    ir_emit_br(c, s->after);
    if (ins->argc)
        ir_edge_arg(s->f, &ir_block_at(s->f, c->block)->edges.at[0], mapped(s, ins->args[0]));
}

static void copy_instruction(struct site *s, struct ir_cursor *c, ir_ref r)
{
    const struct ir_ins *ins = ir_at(s->callee, r);
    struct ir_cursor entry = {
        .fn = s->f, .block = ir_entry(s->f), .before = ir_block_at(s->f, ir_entry(s->f))->first};
    switch (ins->op) {
    case IR_entry: s->map[r] = s->ins.token; return;
    case IR_ret:
        c->at = ins->at;
        copy_ret(s, c, ins);
        return;
    case IR_alloca: s->map[r] = ir_copy_ins(&entry, s->callee, r, s->map); return;
    default: break;
    }
    ir_ref copy = s->map[r] = ir_copy_ins(c, s->callee, r, s->map);
    if (ins->op == IR_predict || ins->op == IR_predict_point)
        ir_at(s->f, copy)->imm += s->f->predictions;
}

static void copy_edges(struct site *s, uint32_t b)
{
    const struct ir_block *from = ir_block_at(s->callee, b);
    for (uint32_t e = 0; e < from->edges.count; e++) {
        const struct ir_edge *edge = &from->edges.at[e];
        struct ir_edge *copy = ir_edge_add(s->f, s->blocks[b], s->blocks[edge->block], edge->value);
        for (uint32_t i = 0; i < edge->argc; i++)
            ir_edge_arg(s->f, copy, mapped(s, edge->args[i]));
    }
}

static void copy_body(struct site *s, const struct ir_cfg *g)
{
    for (uint32_t i = 0; i < g->rpo_count; i++) {
        struct ir_cursor c = {.fn = s->f, .block = s->blocks[g->rpo[i]]};
        ir_each_ins(r, s->callee, g->rpo[i])
            copy_instruction(s, &c, r);
        copy_edges(s, g->rpo[i]);
    }
    s->f->predictions += s->callee->predictions;
}

const ir_ref *opt_inline_call(struct opt_context *c, struct ir_function *f, ir_ref call,
                              struct opt_renaming *renaming)
{
    struct site s = {
        .f = f, .callee = f->module->functions.at[ir_at(f, call)->imm], .call = call, .ins = *ir_at(f, call)};
    const struct ir_cfg *g = opt_cfg(c, s.callee);
    s.map = arena_array(c->scratch, ir_ref, s.callee->ins.count);
    s.blocks = arena_array(c->scratch, uint32_t, s.callee->blocks.count);
    s.after = ir_block_split(f, s.ins.block, call, NULL);
    if (s.ins.type != IR_TYPE_VOID)
        opt_rename(renaming, f, call, ir_param_new(f, s.after, s.ins.type, s.ins.name));
    ir_remove(f, call);
    make_blocks(&s, g);
    copy_body(&s, g);
    struct ir_cursor from = {.fn = f, .block = s.ins.block, .at = s.ins.at};
    ir_emit_br(&from, s.blocks[ir_entry(s.callee)]);
    return s.map;
}
