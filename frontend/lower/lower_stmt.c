/* lower_stmt.c: statements and local declarations.
 *
 * A loop has a header, which is where its heart stands, a body, at most one latch, and an exit. The block
 * that `continue` leads to is made only if there is a continue.
 */
#include "frontend/lower/lower.h"

static void lower_stmt(struct lowering *l, const struct fe_stmt *s);

/* ---- declarations ------------------------------------------------------------------------------------ */

static void lower_token(struct lowering *l, struct fe_decl *d)
{
    struct fe_variable *v = fe_variable(d);
    const struct fe_builtin *b = d->init->call.callee->name.builtin;
    if (b->op[0] == IR_entry)
        v->address = l->function->tokens.loops.at[0].token;
    else if (b->op[0] == IR_anchor)
        v->address = ir_emit0(&l->c, IR_anchor, IR_TYPE_TOKEN);
    if (b->op[0] != IR_entry) /* a loop's heart stands in its header already */
        ir_at(l->f, v->address)->name = fe_hint(l, v);
}

/* Where a private variable lives; a jump may come to its scope before its declaration is lowered. */
static struct address private_address(struct lowering *l, struct fe_variable *v)
{
    const struct fe_decl *d = v->decl;
    if (!v->address)
        v->address = fe_alloca(l, d->type->size, d->type->align, fe_hint(l, v));
    return (struct address){v->address, 0, fe_hint(l, v)};
}

/* The variable is zero, as it has no value of its own. */
static void begin_as_zero(struct lowering *l, struct address a, const struct fe_decl *d)
{
    fe_zero(l, a, d->type->plain);
    fe_tell_variable(l, a, d->type, false);
}

void fe_lower_variable(struct lowering *l, struct fe_decl *d)
{
    struct fe_variable *v = fe_variable(d);
    fe_place(l, d->name_at);
    if (d->type->kind == FE_TYPE_TOKEN) {
        lower_token(l, d);
        return;
    }
    if (v->space != FE_SPACE_PRIVATE)
        return;
    struct address a = private_address(l, v);
    if (!d->init || v->in_own_value)
        begin_as_zero(l, a, d);
    else
        fe_tell_variable(l, a, d->type, true);
    if (d->init)
        fe_lower_init(l, a, d->type->plain, d->init);
}

/* A jump enters these scopes behind the declarations: the variables begin as zero. What has been zeroed for
 * the same jump is left out, so that the cases of a switch together zero each variable once. */
static void enter_scopes(struct lowering *l, struct fe_variable *visible, uint32_t point)
{
    for (struct fe_variable *v = visible; (v = fe_entered(v, point)) && v->zeroed_at != point; v = v->outer) {
        v->zeroed_at = point;
        if (v->space == FE_SPACE_PRIVATE && l->open)
            begin_as_zero(l, private_address(l, v), v->decl);
    }
}

static void lower_decls(struct lowering *l, const struct fe_stmt *s)
{
    for (struct fe_decl *d = s->decls; d; d = d->next)
        if (d->kind == FE_DECL_VARIABLE)
            fe_lower_variable(l, d);
}

/* ---- branches and loops ------------------------------------------------------------------------------ */

static void lower_if(struct lowering *l, const struct fe_stmt *s)
{
    uint32_t then = fe_block(l, "if.then"), end = fe_block(l, "if.end");
    uint32_t otherwise = s->branch.otherwise ? fe_block(l, "if.else") : end;
    fe_lower_condition(l, s->branch.condition, then, otherwise);
    fe_start(l, then);
    lower_stmt(l, s->branch.then);
    fe_branch(l, end);
    if (s->branch.otherwise) {
        fe_start(l, otherwise);
        lower_stmt(l, s->branch.otherwise);
        fe_branch(l, end);
    }
    fe_start(l, end);
}

struct loop { /* what was around it */
    struct jump_targets targets, *breaks, *continues;
    uint32_t outer;
};

/* Emits the heart of the loop at the start of its header, where the cursor stands. */
static void place_heart(struct lowering *l, const struct fe_stmt *s)
{
    struct fe_loop *loops = l->function->tokens.loops.at, *loop = &loops[s->loop.number];
    ir_ref outer = loop->controlled ? fe_variable(loop->heart->decl->init->call.args->name.decl)->address
                   : loop->convergent && !l->function->tokens.controlled ? loops[loop->parent].token
                                                                         : 0;
    if (!outer)
        return;
    fe_place(l, s->where);
    loop->token = ir_emit0(&l->c, IR_loop, IR_TYPE_TOKEN);
    ir_at(l->f, loop->token)->token = outer;
    if (loop->controlled)
        loop->heart->address = loop->token;
}

/* Starts the header. */
static void enter_loop(struct lowering *l, struct loop *loop, const struct fe_stmt *s, uint32_t header,
                       const char *exit_name, const char *continue_name)
{
    *loop = (struct loop){.breaks = l->frame.breaks, .continues = l->frame.continues, .outer = l->frame.loop};
    loop->targets.on_break = fe_block(l, exit_name);
    loop->targets.continue_name = continue_name;
    l->frame.breaks = l->frame.continues = &loop->targets;
    fe_branch(l, header);
    l->frame.loop = s->loop.number;
    fe_start(l, header);
    place_heart(l, s);
}

/* The end of the body: goes on where `continue` leads. */
static void end_body(struct lowering *l, struct loop *loop)
{
    if (loop->targets.on_continue) {
        fe_branch(l, loop->targets.on_continue);
        fe_start(l, loop->targets.on_continue);
    }
}

static void leave_loop(struct lowering *l, struct loop *loop)
{
    l->frame.breaks = loop->breaks;
    l->frame.continues = loop->continues;
    l->frame.loop = loop->outer;
    fe_start(l, loop->targets.on_break);
}

static bool is_endless(const struct fe_expr *condition)
{
    return !condition || (condition->constant && condition->value);
}

/* while and for; `step` may be NULL. */
static void lower_loop(struct lowering *l, const struct fe_stmt *s, const struct fe_expr *step)
{
    bool is_for = s->kind == FE_STMT_FOR, endless = is_endless(s->loop.condition);
    struct loop loop;
    fe_place(l, s->where);
    uint32_t header = fe_block(l, endless  ? is_for ? "for.body" : "while.body"
                                  : is_for ? "for.cond"
                                           : "while.cond");
    enter_loop(l, &loop, s, header, is_for ? "for.end" : "while.end", is_for ? "for.step" : "while.next");
    if (!endless) {
        uint32_t body = fe_block(l, is_for ? "for.body" : "while.body");
        fe_lower_condition(l, s->loop.condition, body, loop.targets.on_break);
        fe_start(l, body);
    }
    lower_stmt(l, s->loop.body);
    end_body(l, &loop);
    if (step && l->open)
        fe_lower_effect(l, step);
    fe_place(l, s->where);
    fe_branch(l, header);
    leave_loop(l, &loop);
}

static bool is_logical(const struct fe_expr *e)
{
    return e->kind == FE_EXPR_BINARY && (e->op == FE_OP_LOGAND || e->op == FE_OP_LOGOR);
}

static void lower_do(struct lowering *l, const struct fe_stmt *s)
{
    struct loop loop;
    uint32_t header = fe_block(l, "do.body");
    fe_place(l, s->where);
    enter_loop(l, &loop, s, header, "do.end", "do.cond");
    lower_stmt(l, s->loop.body);
    end_body(l, &loop);
    if (l->open && is_logical(s->loop.condition)) { /* several edges back would be several latches */
        uint32_t latch = fe_block(l, "do.latch");
        fe_lower_condition(l, s->loop.condition, latch, loop.targets.on_break);
        fe_start(l, latch);
        fe_branch(l, header);
    } else if (l->open) {
        fe_lower_condition(l, s->loop.condition, header, loop.targets.on_break);
    }
    leave_loop(l, &loop);
}

static void lower_for(struct lowering *l, const struct fe_stmt *s)
{
    if (s->loop.init)
        lower_stmt(l, s->loop.init);
    lower_loop(l, s, s->loop.step);
}

/* Cases are compared as signed numbers of the switch's width. */
static int64_t case_value(const struct fe_expr *e)
{
    return e->type->size == 8 ? (int64_t)e->value : (int32_t)e->value;
}

static void lower_switch(struct lowering *l, const struct fe_stmt *s)
{
    struct jump_targets targets = {.on_break = fe_block(l, "switch.end")}, *outer = l->frame.breaks;
    uint32_t otherwise = targets.on_break;
    ir_ref v = fe_lower_value(l, s->select.value);
    fe_place(l, s->where);
    for (struct fe_stmt *k = s->select.cases; k; k = k->label.next_case) {
        enter_scopes(l, k->label.visible, s->select.point);
        k->label.block = fe_block(l, k->kind == FE_STMT_CASE ? "switch.case" : "switch.default");
        if (k->kind == FE_STMT_DEFAULT)
            otherwise = k->label.block;
    }
    ir_emit_switch(&l->c, v, otherwise);
    for (struct fe_stmt *k = s->select.cases; k; k = k->label.next_case)
        if (k->kind == FE_STMT_CASE)
            ir_edge_add(l->f, l->c.block, k->label.block, case_value(k->label.value));
    l->open = false;
    l->frame.breaks = &targets;
    lower_stmt(l, s->select.body);
    fe_branch(l, targets.on_break);
    l->frame.breaks = outer;
    fe_start(l, targets.on_break);
}

/* ---- jumps ------------------------------------------------------------------------------------------- */

static uint32_t label_block(struct lowering *l, struct fe_stmt *label)
{
    if (!label->jump.block)
        label->jump.block = fe_block(l, intern_z(&l->module->strings, label->jump.name));
    return label->jump.block;
}

/* The number of the prediction whose point is this label. */
static uint32_t label_prediction(struct lowering *l, struct fe_stmt *label)
{
    if (!label->jump.prediction)
        label->jump.prediction = ++l->f->predictions;
    return label->jump.prediction - 1;
}

static void lower_label(struct lowering *l, struct fe_stmt *s)
{
    uint32_t block = label_block(l, s);
    fe_place(l, s->jump.name_at);
    fe_branch(l, block);
    fe_start(l, block);
    if (s->jump.is_predicted) {
        uint32_t number = label_prediction(l, s);
        ir_ref r = ir_emit0(&l->c, IR_predict_point, IR_TYPE_VOID);
        ir_at(l->f, r)->imm = number;
    }
}

static void lower_predict(struct lowering *l, const struct fe_stmt *s)
{
    uint32_t number =
        s->jump.label ? label_prediction(l, s->jump.label) : fe_function(s->jump.function)->ir->id;
    ir_ref r = ir_emit0(&l->c, s->jump.label ? IR_predict : IR_predict_function, IR_TYPE_VOID);
    ir_at(l->f, r)->imm = number;
    ir_at(l->f, r)->imm2 = s->jump.threshold ? (uint32_t)s->jump.threshold->value : 0;
}

static void lower_goto(struct lowering *l, const struct fe_stmt *s)
{
    enter_scopes(l, s->jump.label->jump.visible, s->jump.point);
    fe_branch(l, label_block(l, s->jump.label));
}

static void lower_continue(struct lowering *l)
{
    struct jump_targets *t = l->frame.continues;
    if (!t->on_continue)
        t->on_continue = fe_block(l, t->continue_name);
    fe_branch(l, t->on_continue);
}

static void lower_return(struct lowering *l, const struct fe_stmt *s)
{
    ir_ref v = 0;
    if (s->expr && s->expr->type->kind == FE_TYPE_STRUCT) {
        struct address from = fe_lower_address(l, s->expr);
        fe_place(l, s->where);
        fe_copy(l, (struct address){l->frame.result_pointer, 0, NULL}, from, s->expr->type);
    } else if (s->expr) {
        v = fe_lower_value(l, s->expr);
        fe_place(l, s->where);
    }
    fe_return(l, v);
}

static void lower_try(struct lowering *l, const struct fe_stmt *s)
{
    uint32_t outer = l->frame.handler, handler = fe_block(l, "catch"), end = fe_block(l, "try.end");
    l->frame.handler = handler;
    lower_stmt(l, s->attempt.body);
    fe_branch(l, end);
    l->frame.handler = outer;
    fe_start(l, handler);
    lower_stmt(l, s->attempt.handler);
    fe_branch(l, end);
    fe_start(l, end);
}

/* ---- all --------------------------------------------------------------------------------------------- */

void fe_lower_list(struct lowering *l, const struct fe_stmt *first)
{
    for (const struct fe_stmt *s = first; s; s = s->next)
        lower_stmt(l, s);
}

/* Opens a block that nothing leads to, for statements that may hold labels. */
static void open_unreachable(struct lowering *l, const struct fe_stmt *s)
{
    bool marker = s->kind == FE_STMT_LABEL || s->kind == FE_STMT_CASE || s->kind == FE_STMT_DEFAULT ||
                  s->kind == FE_STMT_BLOCK || s->kind == FE_STMT_EMPTY;
    if (!l->open && !marker)
        fe_start(l, fe_block(l, "unreachable"));
}

static void lower_stmt(struct lowering *l, const struct fe_stmt *s)
{
    open_unreachable(l, s);
    fe_place(l, s->where);
    switch (s->kind) {
    case FE_STMT_EMPTY: break;
    case FE_STMT_EXPR: fe_lower_effect(l, s->expr); break;
    case FE_STMT_DECL: lower_decls(l, s); break;
    case FE_STMT_BLOCK: fe_lower_list(l, s->block.first); break;
    case FE_STMT_IF: lower_if(l, s); break;
    case FE_STMT_WHILE: lower_loop(l, s, NULL); break;
    case FE_STMT_DO: lower_do(l, s); break;
    case FE_STMT_FOR: lower_for(l, s); break;
    case FE_STMT_SWITCH: lower_switch(l, s); break;
    case FE_STMT_CASE:
    case FE_STMT_DEFAULT:
        fe_branch(l, s->label.block);
        fe_start(l, s->label.block);
        break;
    case FE_STMT_LABEL: lower_label(l, (struct fe_stmt *)s); break;
    case FE_STMT_BREAK: fe_branch(l, l->frame.breaks->on_break); break;
    case FE_STMT_CONTINUE: lower_continue(l); break;
    case FE_STMT_RETURN: lower_return(l, s); break;
    case FE_STMT_GOTO: lower_goto(l, s); break;
    case FE_STMT_TRY: lower_try(l, s); break;
    case FE_STMT_THROW: fe_throw(l); break;
    case FE_STMT_PREDICT: lower_predict(l, s); break;
    default: BUG("statement kind %d", s->kind);
    }
}
