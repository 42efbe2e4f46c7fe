/* check_ops.c: the operators. After checking, both operands of an arithmetic operator have one type (the
 * count of a shift that of the shifted value), conditions are bool, and of `p + i` the pointer stands left.
 * The right side of a compound assignment has the type the operation is done in.
 *
 * Comparisons and logical operators give bool (C: int), and so do & | ^ of two bools.
 */
#include "frontend/check/check.h"

static struct fe_expr *bad_operand(struct checker *c, struct fe_expr *e, const struct fe_expr *a)
{
    fe_report(c->fe, FE_MSG(unary_operand), a->where, fe_op_text[e->op], fe_type_text(c, a->type->plain));
    return fe_poison(c, e);
}

static struct fe_expr *fold_unary(struct fe_expr *e, const struct fe_expr *a)
{
    if (a->constant) {
        e->constant = true;
        e->value = fe_fold_unary(e->op, a->type, a->value);
    }
    return e;
}

/* ---- lvalues ----------------------------------------------------------------------------------------- */

/* Several elements of a vector that is an lvalue. */
static bool check_selected(struct checker *c, const struct fe_expr *a)
{
    const struct fe_type *vector = a->member.arrow ? a->member.object->type->of : a->member.object->type;
    bool is_const = vector->has_const || fe_space_of(a) == FE_SPACE_CONSTANT, twice = fe_selects_twice(a);
    if (twice)
        fe_report(c->fe, FE_MSG(element_twice), a->op_at, a->member.name);
    else if (is_const)
        fe_report(c->fe, FE_MSG(assign_const), a->where, fe_type_text(c, vector));
    return !twice && !is_const;
}

static bool check_modifiable(struct checker *c, const struct fe_expr *a)
{
    if (fe_selects(a) && (a->member.arrow || a->member.object->lvalue))
        return check_selected(c, a);
    if (!a->lvalue || a->type->kind == FE_TYPE_ARRAY || a->type->kind == FE_TYPE_FUNCTION) {
        if (a->type->kind == FE_TYPE_ARRAY)
            fe_report(c->fe, FE_MSG(assign_array), a->where);
        else
            fe_report(c->fe, FE_MSG(not_an_lvalue), a->where);
        return false;
    }
    if (a->type->has_const || fe_space_of(a) == FE_SPACE_CONSTANT) {
        fe_report(c->fe, FE_MSG(assign_const), a->where, fe_type_text(c, a->type));
        struct fe_variable *v = fe_root_variable(a);
        if (v)
            fe_note(c->fe, FE_MSG(declared_here), v->decl->name_at, v->decl->name);
        return false;
    }
    return true;
}

static void note_assigned(struct checker *c, const struct fe_expr *a)
{
    struct fe_variable *v = fe_root_variable(a);
    if (v && !c->context.unevaluated)
        v->assigned = true;
}

static struct fe_expr *check_address(struct checker *c, struct fe_expr *e)
{
    c->context.addressed = e->sub.a;
    struct fe_expr *a = e->sub.a = fe_check_expr(c, e->sub.a);
    if (fe_is_error(a->type))
        return fe_poison(c, e);
    if (a->type->kind == FE_TYPE_FUNCTION && !fe_take_function(c, a))
        return fe_poison(c, e);
    if (a->type->kind == FE_TYPE_FUNCTION) {
        e->type = fe_pointer_to(c->types, a->type, FE_SPACE_PRIVATE);
        return e;
    }
    if (!a->lvalue) {
        fe_report(c->fe, FE_MSG(address_of_value), a->where);
        return fe_poison(c, e);
    }
    struct fe_variable *v = fe_root_variable(a);
    if (v)
        v->read = v->assigned = true;
    fe_default_space(c, a->type);
    e->type = fe_pointer_to(c->types, fe_resolve_type(c, a->type), fe_settled_space(c, a));
    return e;
}

static struct fe_expr *check_deref(struct checker *c, struct fe_expr *e)
{
    struct fe_expr *a = e->sub.a = fe_check_value(c, e->sub.a);
    if (fe_is_error(a->type))
        return fe_poison(c, e);
    if (!fe_is_pointer(a->type))
        return bad_operand(c, e, a);
    if (!a->type->of->is_complete && a->type->of->kind != FE_TYPE_FUNCTION) {
        fe_report(c->fe, FE_MSG(incomplete_type), a->where, fe_type_text(c, a->type->of));
        return fe_poison(c, e);
    }
    e->type = a->type->of;
    e->lvalue = a->type->of->kind != FE_TYPE_FUNCTION;
    return e;
}

static struct fe_expr *check_step(struct checker *c, struct fe_expr *e)
{
    struct fe_expr *a = e->sub.a = fe_check_expr(c, e->sub.a);
    if (fe_is_error(a->type))
        return fe_poison(c, e);
    if (!check_modifiable(c, a))
        return fe_poison(c, e);
    bool data_pointer = fe_is_pointer(a->type) && a->type->of->is_complete;
    bool number = (fe_is_arithmetic(a->type) && a->type->kind != FE_TYPE_BOOL) || fe_is_vector(a->type);
    if (!data_pointer && !number)
        return bad_operand(c, e, a);
    fe_note_read(c, a);
    note_assigned(c, a);
    e->type = a->type->plain;
    return e;
}

struct fe_expr *fe_check_unary(struct checker *c, struct fe_expr *e)
{
    switch (e->op) {
    case FE_OP_ADDRESS: return check_address(c, e);
    case FE_OP_DEREF: return check_deref(c, e);
    case FE_OP_PREINC:
    case FE_OP_PREDEC:
    case FE_OP_POSTINC:
    case FE_OP_POSTDEC: return check_step(c, e);
    case FE_OP_NOT:
        e->sub.a = fe_check_condition(c, e->sub.a);
        e->type = e->sub.a->type;
        return fe_is_error(e->type) ? e : fold_unary(e, e->sub.a);
    default: break;
    }
    struct fe_expr *a = e->sub.a = fe_check_value(c, e->sub.a);
    if (fe_is_error(a->type))
        return fe_poison(c, e);
    const struct fe_type *t = fe_is_vector(a->type) ? a->type->of : a->type;
    if (!(e->op == FE_OP_BITNOT ? fe_is_integer(t) : fe_is_arithmetic(t)))
        return bad_operand(c, e, a);
    if (fe_is_vector(a->type)) {
        e->type = a->type->plain;
        return e;
    }
    a = e->sub.a = fe_convert(c, a, fe_promoted(c, a->type));
    e->type = a->type->plain;
    return fold_unary(e, a);
}

/* ---- binary operators -------------------------------------------------------------------------------- */

static struct fe_expr *bad_operands(struct checker *c, struct fe_expr *e)
{
    bool numbers = fe_is_arithmetic(e->sub.a->type) && fe_is_arithmetic(e->sub.b->type);
    if (e->op == FE_OP_REM && numbers) {
        fe_report(c->fe, FE_MSG(float_remainder), e->op_at);
        return fe_poison(c, e);
    }
    fe_report(c->fe, FE_MSG(binary_operands), e->op_at, fe_op_text[e->op],
              fe_type_text(c, e->sub.a->type->plain), fe_type_text(c, e->sub.b->type->plain));
    return fe_poison(c, e);
}

static bool wants_integers(enum fe_op op)
{
    return op == FE_OP_REM || (op >= FE_OP_SHL && op <= FE_OP_OR);
}

static bool is_data_pointer(const struct fe_type *t)
{
    return fe_is_pointer(t) && !fe_is_function_pointer(t);
}

static void fold_binary(struct checker *c, struct fe_expr *e)
{
    const struct fe_expr *a = e->sub.a, *b = e->sub.b;
    bool by_zero = (e->op == FE_OP_DIV || e->op == FE_OP_REM) && fe_is_integer(b->type) && b->value == 0;
    bool traps = by_zero && c->fe->options.trap_division;
    if (a->constant && b->constant && !traps && !fe_is_pointer(a->type)) {
        e->constant = true;
        e->value = fe_fold_binary(e->op, a->type, a->value, b->value);
    }
}

static struct fe_expr *check_arithmetic(struct checker *c, struct fe_expr *e)
{
    struct fe_expr *a = e->sub.a, *b = e->sub.b;
    if (wants_integers(e->op) && !(fe_is_integer(a->type) && fe_is_integer(b->type)))
        return bad_operands(c, e);
    bool shift = e->op == FE_OP_SHL || e->op == FE_OP_SHR;
    bool bitwise = e->op >= FE_OP_AND && e->op <= FE_OP_OR;
    bool bools = a->type->kind == FE_TYPE_BOOL && b->type->kind == FE_TYPE_BOOL;
    struct fe_type *t = shift ? fe_promoted(c, a->type) : fe_common_type(c, a->type, b->type);
    if (bools && (bitwise || e->op == FE_OP_EQ || e->op == FE_OP_NE))
        t = a->type->plain;
    fe_suspect_operands(c, e);
    fe_check_quotient(c, a, t);
    fe_check_quotient(c, b, t);
    e->sub.a = fe_convert(c, a, t);
    e->sub.b = fe_convert(c, b, t);
    e->type = fe_is_comparison(e->op) ? c->types->basic[FE_TYPE_BOOL] : t;
    fold_binary(c, e);
    fe_suspect_result(c, e);
    return e;
}

static struct fe_expr *check_pointer_sum(struct checker *c, struct fe_expr *e)
{
    if (e->op == FE_OP_ADD && fe_is_integer(e->sub.a->type)) {
        struct fe_expr *a = e->sub.a;
        e->sub.a = e->sub.b;
        e->sub.b = a;
    }
    struct fe_expr *a = e->sub.a, *b = e->sub.b;
    fe_unify_spaces(c, a->type, b->type);
    bool sum = is_data_pointer(a->type) && fe_is_integer(b->type);
    bool difference = e->op == FE_OP_SUB && is_data_pointer(a->type) && is_data_pointer(b->type) &&
                      a->type->space == b->type->space && a->type->of->plain == b->type->of->plain;
    if (!sum && !difference)
        return bad_operands(c, e);
    if (!a->type->of->is_complete) {
        fe_report(c->fe, FE_MSG(incomplete_type), a->where, fe_type_text(c, a->type->of));
        return fe_poison(c, e);
    }
    if (sum)
        e->sub.b = fe_convert(c, b, fe_promoted(c, b->type));
    e->type = sum ? a->type->plain : c->types->basic[FE_TYPE_INT];
    return e;
}

static bool is_void_pointer(const struct fe_expr *e)
{
    return e->type->of->kind == FE_TYPE_VOID;
}

/* Why pointers, or a pointer and a number, are not compared. */
static struct fe_expr *bad_pointers(struct checker *c, struct fe_expr *e)
{
    const struct fe_type *a = e->sub.a->type->plain, *b = e->sub.b->type->plain;
    bool both = fe_is_pointer(a) && fe_is_pointer(b);
    if (both && a->space != b->space)
        fe_report(c->fe, FE_MSG(pointer_spaces), e->op_at, fe_op_text[e->op], fe_type_text(c, a),
                  fe_type_text(c, b));
    else if (!both && (fe_is_arithmetic(a) || fe_is_arithmetic(b)))
        fe_report(c->fe, FE_MSG(pointer_with_number), e->op_at, fe_op_text[e->op], fe_type_text(c, a),
                  fe_type_text(c, b));
    else
        return bad_operands(c, e);
    return fe_poison(c, e);
}

static struct fe_expr *check_pointer_comparison(struct checker *c, struct fe_expr *e)
{
    struct fe_expr *a = e->sub.a, *b = e->sub.b;
    bool equality = e->op == FE_OP_EQ || e->op == FE_OP_NE;
    fe_unify_spaces(c, a->type, b->type);
    if (fe_is_pointer(a->type) && fe_is_null_constant(b) && equality)
        e->sub.b = fe_convert(c, b, a->type);
    else if (fe_is_pointer(b->type) && fe_is_null_constant(a) && equality)
        e->sub.a = fe_convert(c, a, b->type);
    else if (!fe_is_pointer(a->type) || !fe_is_pointer(b->type) || a->type->space != b->type->space ||
             fe_is_function_pointer(a->type) != fe_is_function_pointer(b->type) ||
             (fe_is_function_pointer(a->type) && !equality))
        return bad_pointers(c, e);
    else if (a->type->of->plain != b->type->of->plain && !is_void_pointer(a) && !is_void_pointer(b))
        fe_report(c->fe, FE_MSG(pointer_types), e->op_at, fe_type_text(c, a->type->plain),
                  fe_type_text(c, b->type->plain), fe_type_text(c, a->type->plain));
    e->type = c->types->basic[FE_TYPE_BOOL];
    return e;
}

static struct fe_expr *check_logical(struct checker *c, struct fe_expr *e)
{
    struct fe_expr *a = e->sub.a = fe_check_condition(c, e->sub.a);
    struct fe_expr *b = e->sub.b = fe_check_condition(c, e->sub.b);
    if (fe_is_error(a->type) || fe_is_error(b->type))
        return fe_poison(c, e);
    e->type = c->types->basic[FE_TYPE_BOOL];
    bool decided = a->constant && (e->op == FE_OP_LOGAND ? !a->value : a->value != 0);
    if (decided || (a->constant && b->constant)) {
        e->constant = true;
        e->value = decided ? a->value : b->value;
    }
    return e;
}

/* sub.a and sub.b have been checked. */
static struct fe_expr *check_operands(struct checker *c, struct fe_expr *e)
{
    const struct fe_type *a = e->sub.a->type, *b = e->sub.b->type;
    if (fe_is_error(a) || fe_is_error(b))
        return fe_poison(c, e);
    if (fe_is_arithmetic(a) && fe_is_arithmetic(b))
        return check_arithmetic(c, e);
    if (fe_is_vector(a) || fe_is_vector(b))
        return fe_check_elements(c, e);
    if (fe_is_pointer(a) || fe_is_pointer(b))
        return fe_is_comparison(e->op)                    ? check_pointer_comparison(c, e)
               : e->op == FE_OP_ADD || e->op == FE_OP_SUB ? check_pointer_sum(c, e)
                                                          : bad_operands(c, e);
    return bad_operands(c, e);
}

struct fe_expr *fe_check_binary(struct checker *c, struct fe_expr *e)
{
    if (e->op == FE_OP_LOGAND || e->op == FE_OP_LOGOR)
        return check_logical(c, e);
    e->sub.a = fe_check_value(c, e->sub.a);
    e->sub.b = fe_check_value(c, e->sub.b);
    fe_suspect_order(c, e);
    return check_operands(c, e);
}

/* ---- assignment -------------------------------------------------------------------------------------- */

static struct fe_expr *check_compound(struct checker *c, struct fe_expr *e)
{
    struct fe_expr *a = e->sub.a;
    struct fe_expr probe = *e; /* a op b, without the assignment */
    probe.kind = FE_EXPR_BINARY;
    probe.lvalue = probe.constant = false;
    probe.sub.a = a;
    check_operands(c, &probe);
    if (fe_is_error(probe.type))
        return fe_poison(c, e);
    if (fe_is_vector(probe.type) && !fe_is_vector(a->type))
        return bad_operands(c, e);
    if (fe_is_pointer(probe.type) != fe_is_pointer(a->type) || (fe_is_pointer(a->type) && probe.sub.b == a))
        return bad_operands(c, e);
    e->sub.b = probe.sub.b;
    e->type = a->type->plain;
    return e;
}

struct fe_expr *fe_check_assign(struct checker *c, struct fe_expr *e)
{
    struct fe_expr *a = e->sub.a = fe_check_expr(c, e->sub.a);
    struct fe_expr *b = e->sub.b = fe_check_value(c, e->sub.b);
    if (fe_is_error(a->type) || fe_is_error(b->type)) {
        if (!fe_is_error(a->type))
            note_assigned(c, a);
        return fe_poison(c, e);
    }
    if (!check_modifiable(c, a))
        return fe_poison(c, e);
    if (e->op != FE_OP_NONE) {
        fe_note_read(c, a);
        e = check_compound(c, e);
    } else {
        e->sub.b = fe_convert_assign(c, b, a->type, "assignment");
        e->type = fe_is_error(e->sub.b->type) ? c->types->error : a->type->plain;
    }
    note_assigned(c, a);
    return e;
}
