/* lower_function.c: the frame of a function: its blocks, allocas, parameters, way out, and entry token. */
#include "frontend/lower/lower.h"

#define INS_A_LINE 12 /* values of short statements, and room for those that passes make */

/* ---- blocks ------------------------------------------------------------------------------------------ */

uint32_t fe_block(struct lowering *l, const char *name)
{
    return ir_block_new(l->f, name);
}

void fe_start(struct lowering *l, uint32_t block)
{
    vec_push(l->arena, &l->frame.started, block);
    if (l->function->tokens.has_jumps)
        vec_push(l->arena, &l->frame.block_loops, l->frame.loop);
    l->c.block = block;
    l->open = true;
}

void fe_branch(struct lowering *l, uint32_t to)
{
    if (l->open)
        ir_emit_br(&l->c, to);
    l->open = false;
}

void fe_branch_if(struct lowering *l, ir_ref condition, uint32_t yes, uint32_t no)
{
    ir_emit_brif(&l->c, condition, yes, no);
    l->open = false;
}

void fe_place(struct lowering *l, span where)
{
    l->c.at = where.at;
}

/* Allocas stand together at the start of the entry block. */
ir_ref fe_alloca(struct lowering *l, uint64_t bytes, uint32_t align, const char *hint)
{
    struct ir_cursor c = {.fn = l->f, .block = ir_entry(l->f), .at = l->c.at};
    c.before =
        l->frame.last_alloca ? ir_at(l->f, l->frame.last_alloca)->next : ir_block_at(l->f, c.block)->first;
    ir_ref r = ir_emit0(&c, IR_alloca, IR_TYPE_PRIVATE);
    ir_at(l->f, r)->imm = (int64_t)bytes;
    ir_at(l->f, r)->imm2 = align;
    ir_at(l->f, r)->name = hint;
    return l->frame.last_alloca = r;
}

ir_ref fe_token(struct lowering *l, const struct fe_expr *named)
{
    return named ? fe_variable(named->name.decl)->address : l->function->tokens.loops.at[l->frame.loop].token;
}

/* ---- signatures -------------------------------------------------------------------------------------- */

bool fe_returns_by_pointer(const struct fe_type *result, bool throws)
{
    return result->kind == FE_TYPE_STRUCT || (throws && result->kind != FE_TYPE_VOID);
}

static enum ir_type parameter_ir_type(const struct fe_type *t)
{
    return t->kind == FE_TYPE_STRUCT ? IR_TYPE_PRIVATE : fe_ir_type(t);
}

static enum ir_type result_ir_type(const struct fe_type *result, bool throws)
{
    return throws ? IR_TYPE_I1 : fe_returns_by_pointer(result, throws) ? IR_TYPE_VOID : fe_ir_type(result);
}

uint32_t fe_ir_signature(struct lowering *l, const struct fe_type *t, bool throws, bool convergent)
{
    struct ir_signature s = {.result = (uint8_t)result_ir_type(t->of, throws), .convergent = convergent};
    if (fe_returns_by_pointer(t->of, throws))
        s.args[s.argc++] = IR_TYPE_PRIVATE;
    for (uint32_t i = 0; i < t->param_count; i++)
        s.args[s.argc++] = (uint8_t)parameter_ir_type(t->params[i]);
    return ir_signature_add(l->module, s);
}

/* ---- the way out ------------------------------------------------------------------------------------- */

/* The function's only return, with a parameter for what it returns. */
static uint32_t return_block(struct lowering *l)
{
    if (!l->frame.return_block) {
        l->frame.return_block = fe_block(l, "return");
        if (l->f->result != IR_TYPE_VOID)
            ir_param_new(l->f, l->frame.return_block, l->f->result, NULL);
    }
    return l->frame.return_block;
}

static void leave(struct lowering *l, ir_ref value)
{
    uint32_t from = l->c.block;
    fe_branch(l, return_block(l));
    if (value)
        ir_edge_arg(l->f, &ir_block_at(l->f, from)->edges.at[0], value);
}

void fe_return(struct lowering *l, ir_ref value)
{
    const struct fe_type *result = l->function->type->of;
    if (!l->function->throws) {
        leave(l, fe_is_aggregate(result) ? 0 : value);
        return;
    }
    if (value && fe_is_scalar(result))
        fe_store(l, (struct address){l->frame.result_pointer, 0, NULL}, result, value);
    leave(l, ir_const_i1(l->f, false));
}

static void trap_uncaught(struct lowering *l)
{
    static const char text[] = "nothing catches a throw";
    uint32_t from = l->c.block;
    if (!l->frame.uncaught) {
        l->frame.uncaught = fe_block(l, "uncaught");
        fe_start(l, l->frame.uncaught);
        ir_ref r = ir_emit0(&l->c, IR_trap, IR_TYPE_VOID);
        ir_at(l->f, r)->imm = ir_text_add(l->module, text, sizeof text - 1);
        l->c.block = from;
        l->open = true;
    }
    fe_branch(l, l->frame.uncaught);
}

void fe_throw(struct lowering *l)
{
    if (l->frame.handler)
        fe_branch(l, l->frame.handler);
    else if (l->function->throws)
        leave(l, ir_const_i1(l->f, true));
    else
        trap_uncaught(l);
}

/* The end of the body: nothing is returned where something should be: zero. */
static void fall_off(struct lowering *l)
{
    const struct fe_type *result = l->function->type->of;
    if (!l->open)
        return;
    if (result->kind == FE_TYPE_STRUCT)
        fe_zero(l, (struct address){l->frame.result_pointer, 0, NULL}, result);
    fe_return(l, fe_is_scalar(result) ? fe_zero_value(l, result) : 0);
}

static void finish_return(struct lowering *l)
{
    if (!l->frame.return_block)
        return;
    const u32_vec *params = &ir_block_at(l->f, l->frame.return_block)->params;
    l->frame.loop = 0;
    fe_start(l, l->frame.return_block);
    ir_emit_ret(&l->c, params->count ? params->at[0] : 0);
    l->open = false;
}

/* ---- parameters -------------------------------------------------------------------------------------- */

static ir_ref add_param(struct lowering *l, enum ir_type t, const char *hint)
{
    return ir_param_new(l->f, ir_entry(l->f), t, hint);
}

/* A structure that a kernel takes: a parameter for each of its scalars. */
static bool in_parts(const struct lowering *l, const struct fe_decl *p)
{
    return l->function->is_kernel && p->type->kind == FE_TYPE_STRUCT;
}

/* An array in shared memory that the launch sizes is no parameter in the IR: its variable points to it. */
static bool is_sized_by_launch(const struct lowering *l, const struct fe_decl *p)
{
    return l->function->is_kernel && fe_is_unsized(p);
}

static ir_ref unsized_array(struct lowering *l, struct fe_variable *v)
{
    ir_ref r = ir_emit0(&l->c, IR_object, IR_TYPE_SHARED);
    ir_at(l->f, r)->imm = fe_object_of(l, v);
    ir_at(l->f, r)->name = fe_hint(l, v);
    return r;
}

static void add_parts(struct lowering *l, const struct fe_decl *p)
{
    fe_leaves leaves = fe_leaves_of(l->arena, p->name, p->type);
    for (uint32_t i = 0; i < leaves.count; i++)
        add_param(l, fe_ir_type(leaves.at[i].type), intern_z(&l->module->strings, leaves.at[i].name));
}

/* From the function's parameter number `part` on; the number of the next. */
static uint32_t store_parts(struct lowering *l, const struct fe_decl *p, uint32_t part)
{
    fe_leaves leaves = fe_leaves_of(l->arena, p->name, p->type);
    for (uint32_t i = 0; i < leaves.count; i++) {
        struct address at = {fe_variable(p)->address, (int32_t)leaves.at[i].offset, NULL};
        ir_ref v = ir_block_at(l->f, ir_entry(l->f))->params.at[part++];
        fe_store(l, at, leaves.at[i].type->plain, v);
    }
    return part;
}

static void lower_parameters(struct lowering *l)
{
    uint32_t n = 0;
    if (fe_returns_by_pointer(l->function->type->of, l->function->throws))
        l->frame.result_pointer = add_param(l, IR_TYPE_PRIVATE, "result");
    for (struct fe_decl *p = fe_params(l->function->decl); p; p = p->next) {
        struct fe_variable *v = fe_variable(p);
        if (in_parts(l, p))
            add_parts(l, p);
        else if (!is_sized_by_launch(l, p))
            v->address = add_param(l, parameter_ir_type(p->type), fe_hint(l, v));
        n++;
    }
    ir_ref *values = arena_array(l->arena, ir_ref, n + 1);
    uint32_t part = 0; /* of the kernel's parameters in the IR */
    n = 0;
    for (struct fe_decl *p = fe_params(l->function->decl); p; p = p->next) {
        struct fe_variable *v = fe_variable(p);
        fe_place(l, p->name_at);
        values[n++] = v->address;
        if (p->type->kind != FE_TYPE_STRUCT || in_parts(l, p))
            v->address = fe_alloca(l, p->type->size, p->type->align, fe_hint(l, v));
    }
    n = 0;
    for (struct fe_decl *p = fe_params(l->function->decl); p; p = p->next, n++) {
        fe_place(l, p->name_at);
        if (is_sized_by_launch(l, p))
            fe_store(l, (struct address){fe_variable(p)->address, 0, NULL}, p->type->plain,
                     unsized_array(l, fe_variable(p)));
        else if (in_parts(l, p))
            part = store_parts(l, p, part);
        else if (p->type->kind != FE_TYPE_STRUCT)
            fe_store(l, (struct address){fe_variable(p)->address, 0, NULL}, p->type->plain, values[n]);
        part += !in_parts(l, p) && !is_sized_by_launch(l, p);
    }
}

static void make_entry_token(struct lowering *l)
{
    struct fe_function *f = l->function;
    bool inferred = f->tokens.loops.at[0].convergent && !f->tokens.controlled;
    if (inferred || f->tokens.makes_entry)
        f->tokens.loops.at[0].token = ir_emit0(&l->c, IR_entry, IR_TYPE_TOKEN);
}

/* ---- the whole --------------------------------------------------------------------------------------- */

static void tell_unreachable_predicts(const struct lowering *l, struct bitset dead)
{
    bitset_each(b, dead) {
        ir_each_ins(r, l->f, b) {
            const struct ir_ins *i = ir_at(l->f, r);
            if (i->op == IR_predict || i->op == IR_predict_function)
                fe_report(l->fe, FE_MSG(predict_unreachable), (span){i->at, {0}});
        }
    }
}

/* Gives the blocks the order of the text and drops those that nothing reaches. */
static void settle_blocks(struct lowering *l)
{
    struct ir_function *f = l->f;
    struct bitset reached = bitset_new(l->arena, f->blocks.count),
                  dead = bitset_new(l->arena, f->blocks.count);
    u32_vec work = {0};
    vec_push(l->arena, &work, l->frame.started.at[0]);
    bitset_add(reached, l->frame.started.at[0]);
    while (work.count) {
        const struct ir_block *b = ir_block_at(f, vec_pop(&work));
        for (uint32_t e = 0; e < b->edges.count; e++)
            if (!bitset_has(reached, b->edges.at[e].block)) {
                bitset_add(reached, b->edges.at[e].block);
                vec_push(l->arena, &work, b->edges.at[e].block);
            }
    }
    vec_clear(&f->order);
    for (uint32_t i = 0; i < l->frame.started.count; i++)
        if (bitset_has(reached, l->frame.started.at[i]))
            vec_push(&l->module->arena, &f->order, l->frame.started.at[i]);
    for (uint32_t b = 0; b < f->blocks.count; b++)
        if (!bitset_has(reached, b))
            bitset_add(dead, b);
    tell_unreachable_predicts(l, dead);
    ir_blocks_remove(f, dead);
}

/* Room for what as many lines mostly need: growing by doubling would leave as much again unused. */
static void reserve_ins(struct lowering *l, const struct fe_decl *d)
{
    uint32_t lines = d->body->block.close.at.line - d->name_at.at.line + 1;
    vec_reserve(&l->module->arena, &l->f->ins, INS_A_LINE * lines);
}

void fe_lower_function(struct lowering *l, struct fe_function *f)
{
    const struct fe_stmt *body = f->decl->body;
    l->function = f;
    l->f = f->ir;
    l->c = (struct ir_cursor){.fn = f->ir, .at = f->decl->name_at.at};
    l->frame.last_alloca = l->frame.return_block = l->frame.result_pointer = l->frame.handler =
        l->frame.uncaught = l->frame.loop = 0;
    vec_clear(&l->frame.started);
    vec_clear(&l->frame.block_loops);
    reserve_ins(l, f->decl);

    fe_start(l, fe_block(l, "entry"));
    lower_parameters(l);
    make_entry_token(l);
    fe_lower_list(l, body->block.first);
    fe_place(l, body->block.close);
    fall_off(l);
    finish_return(l);
    settle_blocks(l);
    if (f->tokens.controlled || (f->tokens.has_jumps && f->tokens.loops.at[0].convergent))
        fe_place_goto_tokens(l);
}
