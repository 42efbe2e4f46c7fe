/* lower_call.c: calls of device functions, directly and through pointers, and of host functions.
 *
 * Behind a call of a function that throws stands a branch on the flag it returns: to the innermost handler,
 * or out of this function the same way, or in a kernel to a trap.
 */
#include "frontend/lower/lower.h"

struct call {
    u32_vec args;
    ir_ref callee;         /* function pointer, or 0 */
    struct address result; /* where a result by pointer goes */
    bool by_pointer, throws;
};

const char *fe_result_name(struct lowering *l, const struct fe_expr *call)
{
    const struct fe_function *f = call->call.target;
    return f ? arena_printf(l->arena, "%s()", f->name) : NULL;
}

/* name: of the parameter, if it is known. */
static void lower_argument(struct lowering *l, struct call *call, const struct fe_expr *a, const char *name)
{
    if (a->type->kind != FE_TYPE_STRUCT) {
        vec_push(l->arena, &call->args, fe_lower_value(l, a));
        return;
    }
    struct address from = fe_lower_address(l, a);
    bool fresh = a->kind == FE_EXPR_CALL || a->kind == FE_EXPR_LITERAL;
    if (!fresh) {
        struct address copy = fe_temporary(l, a->type, name);
        fe_copy(l, copy, from, a->type);
        from = copy;
    }
    vec_push(l->arena, &call->args, fe_pointer(l, from));
}

static void lower_arguments(struct lowering *l, struct call *call, const struct fe_expr *e)
{
    if (call->callee)
        vec_push(l->arena, &call->args, call->callee);
    if (call->by_pointer)
        vec_push(l->arena, &call->args, fe_pointer(l, call->result));
    const struct fe_function *f = e->call.target;
    const struct fe_decl *p = f ? fe_params(f->decl) : NULL;
    for (const struct fe_expr *a = e->call.args; a; a = a->next, p = p ? p->next : NULL)
        lower_argument(l, call, a, p ? p->name : NULL);
}

static ir_ref emit(struct lowering *l, struct call *call, enum ir_op op, const struct fe_type *result,
                   uint32_t number)
{
    enum ir_type t = call->throws                                       ? IR_TYPE_I1
                     : call->by_pointer || result->kind == FE_TYPE_VOID ? IR_TYPE_VOID
                                                                        : fe_ir_type(result);
    ir_ref r = ir_emit(&l->c, op, t, call->args.count, call->args.at);
    ir_at(l->f, r)->imm = number;
    return r;
}

static void branch_on_throw(struct lowering *l, ir_ref thrown)
{
    uint32_t unwind = fe_block(l, "call.threw"), go_on = fe_block(l, "call.cont");
    fe_branch_if(l, thrown, unwind, go_on);
    fe_start(l, unwind);
    fe_throw(l);
    fe_start(l, go_on);
}

static ir_ref lower_host_call(struct lowering *l, const struct fe_expr *e, const struct fe_function *f)
{
    struct call call = {0};
    lower_arguments(l, &call, e);
    fe_place(l, e->where);
    return f->is_predicted ? emit(l, &call, IR_call, e->type, f->ir->id)
                           : emit(l, &call, IR_hostcall, e->type, f->host);
}

ir_ref fe_lower_call(struct lowering *l, const struct fe_expr *e, struct address *into)
{
    const struct fe_expr *callee = e->call.callee;
    if (callee->kind == FE_EXPR_NAME && callee->name.builtin)
        return fe_lower_builtin(l, e, callee->name.builtin);
    const struct fe_function *f = e->call.target;
    if (f && f->is_extern)
        return lower_host_call(l, e, f);

    const struct fe_type *type = f ? f->type : callee->type->of;
    const struct fe_signature *s = &l->program->signatures.at[type->signature];
    struct call call = {.throws = f ? f->throws : s->throws};
    bool convergent = f ? f->convergent : s->convergent;
    call.by_pointer = fe_returns_by_pointer(type->of, call.throws);
    if (call.by_pointer)
        call.result = into ? *into : fe_temporary(l, type->of, fe_result_name(l, e));
    if (!f)
        call.callee = fe_lower_value(l, callee);
    lower_arguments(l, &call, e);
    fe_place(l, e->where);
    ir_ref token = convergent || e->call.token ? fe_token(l, e->call.token) : 0;
    ir_ref r = emit(l, &call, f ? IR_call : IR_icall, type->of,
                    f ? f->ir->id : fe_ir_signature(l, type, s->throws, s->convergent));
    ir_at(l->f, r)->token = token;
    if (call.throws)
        branch_on_throw(l, r);
    if (type->of->kind == FE_TYPE_VOID || fe_is_aggregate(type->of))
        return 0;
    return call.by_pointer ? fe_load(l, call.result, type->of) : r;
}
