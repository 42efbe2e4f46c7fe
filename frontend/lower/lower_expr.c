/* lower_expr.c: expressions that give scalars.
 *
 * Conditions are lowered to branches, so that && || ! cost no values where only control flow is wanted;
 * where their value is wanted it arrives as a block parameter.
 */
#include "frontend/lower/lower.h"

ir_ref fe_zero_value(struct lowering *l, const struct fe_type *t)
{
    return ir_const(l->f, fe_ir_type(t), 0);
}

ir_ref fe_lower_conversion(struct lowering *l, ir_ref v, const struct fe_type *from, const struct fe_type *to)
{
    struct fe_step steps[FE_MAX_STEPS];
    uint32_t n = fe_conversion(from, to, steps);
    for (uint32_t i = 0; i < n; i++)
        v = steps[i].op == IR_ne ? ir_emit2(&l->c, IR_ne, IR_TYPE_I1, v, ir_const(l->f, steps[i].from, 0))
                                 : ir_emit1(&l->c, steps[i].op, steps[i].to, v);
    return v;
}

/* ---- pointers ---------------------------------------------------------------------------------------- */

ir_ref fe_offset_pointer(struct lowering *l, ir_ref p, ir_ref index, const struct fe_type *index_type,
                         uint64_t size)
{
    scalar_bits known;
    if (ir_is_const(l->f, index, &known)) {
        index = ir_const_i32(l->f, (uint32_t)known * (uint32_t)size);
    } else {
        if (index_type->size == 8)
            index = ir_emit1(&l->c, IR_trunc, IR_TYPE_I32, index);
        if (size != 1)
            index = ir_emit2(&l->c, IR_mul, IR_TYPE_I32, index, ir_const_i32(l->f, (uint32_t)size));
    }
    return ir_emit2(&l->c, IR_ptradd, ir_at(l->f, p)->type, p, index);
}

/* p - index * size */
static ir_ref offset_back(struct lowering *l, ir_ref p, ir_ref index, const struct fe_type *index_type,
                          uint64_t size)
{
    scalar_bits known;
    enum ir_type t = ir_at(l->f, index)->type;
    index = ir_is_const(l->f, index, &known) ? ir_const(l->f, t, -known) : ir_emit1(&l->c, IR_neg, t, index);
    return fe_offset_pointer(l, p, index, index_type, size);
}

static ir_ref pointer_difference(struct lowering *l, ir_ref a, ir_ref b, const struct fe_type *pointer)
{
    a = ir_emit1(&l->c, IR_ptrcast, IR_TYPE_I32, a);
    b = ir_emit1(&l->c, IR_ptrcast, IR_TYPE_I32, b);
    ir_ref bytes = ir_emit2(&l->c, IR_sub, IR_TYPE_I32, a, b);
    return ir_emit2(&l->c, IR_sdiv, IR_TYPE_I32, bytes, ir_const_i32(l->f, (uint32_t)pointer->of->size));
}

/* ---- operators --------------------------------------------------------------------------------------- */

static void check_divisor(struct lowering *l, enum fe_op op, const struct fe_type *t, ir_ref divisor)
{
    static const char text[] = "integer division by zero";
    scalar_bits known;
    if (!l->trap_division || (op != FE_OP_DIV && op != FE_OP_REM) || !fe_is_integer(t))
        return;
    if (ir_is_const(l->f, divisor, &known) && known)
        return;
    ir_ref fine = ir_emit2(&l->c, IR_ne, IR_TYPE_I1, divisor, fe_zero_value(l, t));
    ir_ref r = ir_emit1(&l->c, IR_assert, IR_TYPE_VOID, fine);
    ir_at(l->f, r)->imm = ir_text_add(l->module, text, sizeof text - 1);
}

/* The amount that the operand of a shift had before it was converted to the type that is shifted. */
static const struct fe_expr *amount_of(const struct fe_expr *operand)
{
    while (operand->kind == FE_EXPR_CAST && operand->implicit && fe_is_integer(operand->cast.a->type))
        operand = operand->cast.a;
    return operand;
}

/* For the checker, unless it is seen to be less than the bits of type t, which is shifted. */
void fe_tell_shift(struct lowering *l, enum fe_op op, const struct fe_type *t, ir_ref amount,
                   const struct fe_type *of)
{
    scalar_bits known;
    uint32_t bits = (uint32_t)t->size * 8;
    bool shift = op == FE_OP_SHL || op == FE_OP_SHR;
    if (!shift || !l->fe->options.tells_shifts || (ir_is_const(l->f, amount, &known) && known < bits))
        return;
    const struct fe_type *whole = l->program->types.basic[fe_is_signed(of) ? FE_TYPE_LONG : FE_TYPE_ULONG];
    ir_ref nowhere = ir_const(l->f, IR_TYPE_PRIVATE, 0), value = fe_lower_conversion(l, amount, of, whole);
    ir_ref check = ir_emit3(&l->c, IR_check_memory, IR_TYPE_VOID, nowhere, nowhere, value);
    const char *text = arena_printf(l->arena, "16 s p %u %u %s", fe_is_signed(of) ? 0 : 1, bits,
                                    op == FE_OP_SHL ? "left" : "right");
    ir_at(l->f, check)->imm = ir_text_add(l->module, text, strlen(text));
}

/* The right operand, in the type of the operation. */
static ir_ref lower_right(struct lowering *l, const struct fe_expr *e)
{
    const struct fe_expr *b = e->sub.b, *amount = amount_of(b);
    bool shift = e->op == FE_OP_SHL || e->op == FE_OP_SHR;
    if (!shift || !l->fe->options.tells_shifts || !fe_is_integer(b->type))
        return fe_lower_value(l, b);
    ir_ref v = fe_lower_value(l, amount);
    fe_place(l, b->where);
    fe_tell_shift(l, e->op, b->type, v, amount->type);
    for (const struct fe_expr *to = amount; to != b;) {
        const struct fe_expr *next = b;
        while (next->cast.a != to)
            next = next->cast.a;
        v = fe_lower_conversion(l, v, to->type, next->type);
        to = next;
    }
    return v;
}

ir_ref fe_lower_operation(struct lowering *l, enum fe_op op, const struct fe_type *t, ir_ref a, ir_ref b)
{
    bool swap;
    enum ir_op ir = fe_binary_op(op, t, &swap);
    bool compares = op >= FE_OP_LT && op <= FE_OP_NE;
    check_divisor(l, op, t, b);
    return ir_emit2(&l->c, ir, compares ? IR_TYPE_I1 : fe_ir_type(t), swap ? b : a, swap ? a : b);
}

static ir_ref lower_logical(struct lowering *l, const struct fe_expr *e)
{
    bool is_and = e->op == FE_OP_LOGAND;
    uint32_t right = fe_block(l, is_and ? "land.rhs" : "lor.rhs"),
             end = fe_block(l, is_and ? "land.end" : "lor.end");
    ir_ref result = ir_param_new(l->f, end, IR_TYPE_I1, NULL), a = fe_lower_value(l, e->sub.a);
    fe_place(l, e->op_at);
    ir_emit_brif(&l->c, a, is_and ? right : end, is_and ? end : right);
    ir_edge_arg(l->f, &ir_block_at(l->f, l->c.block)->edges.at[is_and], ir_const_i1(l->f, !is_and));
    fe_start(l, right);
    ir_ref b = fe_lower_value(l, e->sub.b);
    uint32_t from = l->c.block;
    fe_branch(l, end);
    ir_edge_arg(l->f, &ir_block_at(l->f, from)->edges.at[0], b);
    fe_start(l, end);
    return result;
}

static ir_ref lower_binary(struct lowering *l, const struct fe_expr *e)
{
    if (e->op == FE_OP_LOGAND || e->op == FE_OP_LOGOR)
        return lower_logical(l, e);
    const struct fe_type *t = e->sub.a->type;
    ir_ref a = fe_lower_value(l, e->sub.a), b = lower_right(l, e);
    fe_place(l, e->op_at);
    if (!fe_is_pointer(t) || (e->op >= FE_OP_LT && e->op <= FE_OP_NE))
        return fe_lower_operation(l, e->op, t, a, b);
    if (fe_is_pointer(e->sub.b->type))
        return pointer_difference(l, a, b, t);
    return (e->op == FE_OP_SUB ? offset_back : fe_offset_pointer)(l, a, b, e->sub.b->type, t->of->size);
}

/* The new value of `a op= b` or ++ --, in the type of the lvalue; b has the type of the operation. */
static ir_ref updated(struct lowering *l, enum fe_op op, const struct fe_type *t, ir_ref old, ir_ref b,
                      const struct fe_type *with)
{
    if (fe_is_pointer(t))
        return (op == FE_OP_SUB ? offset_back : fe_offset_pointer)(l, old, b, with, t->of->size);
    ir_ref v = fe_lower_conversion(l, old, t, with);
    return fe_lower_conversion(l, fe_lower_operation(l, op, with, v, b), with, t);
}

static ir_ref lower_assign(struct lowering *l, const struct fe_expr *e)
{
    const struct fe_type *t = e->sub.a->type->plain;
    ir_ref v = lower_right(l, e);
    struct address a = fe_lower_address(l, e->sub.a);
    fe_place(l, e->op_at);
    if (e->op != FE_OP_NONE)
        v = updated(l, e->op, t, fe_load(l, a, t), v, e->sub.b->type);
    fe_store(l, a, t, v);
    return v;
}

static ir_ref lower_step(struct lowering *l, const struct fe_expr *e)
{
    const struct fe_type *t = e->type, *ints = l->program->types.basic[FE_TYPE_INT];
    const struct fe_type *with = fe_is_pointer(t) || t->size < 4 ? ints : t;
    bool up = e->op == FE_OP_PREINC || e->op == FE_OP_POSTINC,
         before = e->op == FE_OP_PREINC || e->op == FE_OP_PREDEC;
    struct address a = fe_lower_address(l, e->sub.a);
    fe_place(l, e->op_at);
    ir_ref old = fe_load(l, a, t);
    ir_ref one = ir_const(l->f, fe_ir_type(with), fe_fold_conversion(ints, with, 1));
    ir_ref v = updated(l, up ? FE_OP_ADD : FE_OP_SUB, t, old, one, with);
    fe_store(l, a, t, v);
    return before ? v : old;
}

void fe_note_address(struct lowering *l, const struct fe_function *f)
{
    const struct fe_signature *s = &l->program->signatures.at[f->type->signature];
    if (f->convergent)
        fe_ir_signature(l, f->type, s->throws, s->convergent);
}

static ir_ref function_value(struct lowering *l, const struct fe_expr *e)
{
    if (e->kind == FE_EXPR_UNARY) /* *p of a function pointer */
        return fe_lower_value(l, e->sub.a);
    const struct fe_function *f = fe_function(e->name.decl);
    fe_note_address(l, f);
    ir_ref r = ir_emit0(&l->c, IR_function, IR_TYPE_FUNCTION);
    ir_at(l->f, r)->imm = f->ir->id;
    return r;
}

static ir_ref lower_unary(struct lowering *l, const struct fe_expr *e)
{
    if (e->op >= FE_OP_PREINC)
        return lower_step(l, e);
    if (e->op == FE_OP_ADDRESS)
        return e->sub.a->type->kind == FE_TYPE_FUNCTION ? function_value(l, e->sub.a)
                                                        : fe_pointer(l, fe_lower_address_of(l, e->sub.a));
    ir_ref a = fe_lower_value(l, e->sub.a);
    fe_place(l, e->where);
    switch (e->op) {
    case FE_OP_NEG: return ir_emit1(&l->c, IR_neg, fe_ir_type(e->type), a);
    case FE_OP_NOT:
    case FE_OP_BITNOT: return ir_emit1(&l->c, IR_not, fe_ir_type(e->type), a);
    default: return a;
    }
}

static ir_ref lower_cast(struct lowering *l, const struct fe_expr *e)
{
    const struct fe_type *from = e->cast.a->type;
    if (e->type->kind == FE_TYPE_VOID) {
        fe_lower_effect(l, e->cast.a);
        return 0;
    }
    if (from->kind == FE_TYPE_ARRAY)
        return fe_pointer(l, fe_lower_address(l, e->cast.a));
    if (from->kind == FE_TYPE_FUNCTION)
        return function_value(l, e->cast.a);
    ir_ref v = fe_lower_value(l, e->cast.a);
    fe_place(l, e->where);
    return fe_lower_conversion(l, v, from, e->type);
}

static void lower_branch(struct lowering *l, const struct fe_expr *e, uint32_t end)
{
    ir_ref v = fe_lower_value(l, e);
    uint32_t from = l->c.block;
    fe_branch(l, end);
    if (v)
        ir_edge_arg(l->f, &ir_block_at(l->f, from)->edges.at[0], v);
}

static ir_ref lower_conditional(struct lowering *l, const struct fe_expr *e)
{
    uint32_t yes = fe_block(l, "cond.true"), no = fe_block(l, "cond.false"), end = fe_block(l, "cond.end");
    ir_ref result = e->type->kind == FE_TYPE_VOID ? 0 : ir_param_new(l->f, end, fe_ir_type(e->type), NULL);
    fe_lower_condition(l, e->sub.a, yes, no);
    fe_start(l, yes);
    lower_branch(l, e->sub.b, end);
    fe_start(l, no);
    lower_branch(l, e->sub.c, end);
    fe_start(l, end);
    return result;
}

static ir_ref lower_special(struct lowering *l, const struct fe_expr *e)
{
    fe_place(l, e->where);
    ir_ref r = ir_emit0(&l->c, IR_special, IR_TYPE_I32);
    ir_at(l->f, r)->imm = e->name.builtin->op[0];
    return r;
}

static ir_ref lower_load(struct lowering *l, const struct fe_expr *e)
{
    struct address a = fe_lower_address(l, e);
    fe_place(l, e->where);
    return fe_load(l, a, e->type);
}

ir_ref fe_lower_value(struct lowering *l, const struct fe_expr *e)
{
    if (e->constant)
        return ir_const(l->f, fe_ir_type(e->type), e->value);
    if (fe_is_aggregate(e->type)) {
        fe_lower_address(l, e);
        return 0;
    }
    if (e->lvalue)
        return lower_load(l, e);
    switch (e->kind) {
    case FE_EXPR_NAME: return lower_special(l, e);
    case FE_EXPR_UNARY: return lower_unary(l, e);
    case FE_EXPR_BINARY: return lower_binary(l, e);
    case FE_EXPR_ASSIGN: return lower_assign(l, e);
    case FE_EXPR_CONDITIONAL: return lower_conditional(l, e);
    case FE_EXPR_COMMA: fe_lower_effect(l, e->sub.a); return fe_lower_value(l, e->sub.b);
    case FE_EXPR_CAST: return lower_cast(l, e);
    case FE_EXPR_CALL: return fe_lower_call(l, e, NULL);
    case FE_EXPR_INDEX:
    case FE_EXPR_MEMBER: return lower_load(l, e); /* of a structure or vector that is no lvalue */
    default: BUG("value of expression kind %d", e->kind);
    }
}

void fe_lower_effect(struct lowering *l, const struct fe_expr *e)
{
    if (e->type->kind != FE_TYPE_FUNCTION)
        fe_lower_value(l, e);
}

/* ---- conditions -------------------------------------------------------------------------------------- */

void fe_lower_condition(struct lowering *l, const struct fe_expr *e, uint32_t yes, uint32_t no)
{
    bool logical = e->kind == FE_EXPR_BINARY && (e->op == FE_OP_LOGAND || e->op == FE_OP_LOGOR);
    if (e->constant) {
        fe_place(l, e->where);
        fe_branch(l, e->value ? yes : no);
    } else if (logical) {
        bool is_and = e->op == FE_OP_LOGAND;
        uint32_t right = fe_block(l, is_and ? "land.rhs" : "lor.rhs");
        fe_lower_condition(l, e->sub.a, is_and ? right : yes, is_and ? no : right);
        fe_start(l, right);
        fe_lower_condition(l, e->sub.b, yes, no);
    } else if (e->kind == FE_EXPR_UNARY && e->op == FE_OP_NOT) {
        fe_lower_condition(l, e->sub.a, no, yes);
    } else {
        ir_ref v = fe_lower_value(l, e);
        fe_place(l, e->where);
        fe_branch_if(l, v, yes, no);
    }
}
