/* convert.c: C's conversions, made explicit: promotions, usual arithmetic conversions, conversion as by
 * assignment, casts, decay of arrays and functions to pointers; and what an lvalue is part of.
 *
 * No conversion, implicit or by a cast, leads from one address space to another, to or from function
 * pointers of another type, or between pointers and floating types.
 */
#include "frontend/check/check.h"

struct fe_type *fe_promoted(struct checker *c, struct fe_type *t)
{
    return fe_is_integer(t) && t->size < 4 ? c->types->basic[FE_TYPE_INT] : t->plain;
}

struct fe_type *fe_common_type(struct checker *c, struct fe_type *a, struct fe_type *b)
{
    a = fe_promoted(c, a), b = fe_promoted(c, b);
    return a->kind > b->kind ? a : b; /* the kinds stand in the order of C's conversion ranks */
}

bool fe_is_null_constant(const struct fe_expr *e)
{
    return e->constant && !e->lvalue && fe_is_integer(e->type) && e->value == 0;
}

static struct fe_expr *wrap(struct checker *c, struct fe_expr *e, struct fe_type *to)
{
    struct fe_expr *cast = arena_new(c->arena, struct fe_expr);
    cast->kind = FE_EXPR_CAST;
    cast->implicit = true;
    cast->depth = e->depth;
    cast->where = cast->op_at = e->where;
    cast->type = to;
    cast->next = e->next;
    cast->cast.a = e;
    return cast;
}

struct fe_expr *fe_convert(struct checker *c, struct fe_expr *e, struct fe_type *to)
{
    to = to->plain;
    if (e->type->plain == to || fe_is_error(e->type) || fe_is_error(to))
        return e;
    if (!e->constant)
        return wrap(c, e, to);
    scalar_bits v = fe_fold_conversion(e->type, to, e->value);
    if (e->lvalue) {
        e = wrap(c, e, to);
        e->constant = true;
    }
    e->type = to;
    e->value = v;
    return e;
}

/* ---- lvalues ----------------------------------------------------------------------------------------- */

struct fe_variable *fe_root_variable(const struct fe_expr *e)
{
    for (;;) {
        if (e->kind == FE_EXPR_MEMBER && !e->member.arrow)
            e = e->member.object;
        else if (e->kind == FE_EXPR_INDEX && fe_is_vector(e->sub.a->type))
            e = e->sub.a;
        else if (e->kind == FE_EXPR_INDEX && e->sub.a->kind == FE_EXPR_CAST && e->sub.a->implicit)
            e = e->sub.a->cast.a;
        else
            break;
    }
    bool is_variable = e->kind == FE_EXPR_NAME && e->name.decl &&
                       (e->name.decl->kind == FE_DECL_VARIABLE || e->name.decl->kind == FE_DECL_PARAMETER);
    return is_variable ? fe_variable(e->name.decl) : NULL;
}

/* The pointer through which the lvalue is reached; NULL: it is *base, or a part of it. */
static const struct fe_expr *reached_by(const struct fe_expr *e, const struct fe_expr **base)
{
    for (;;) {
        const struct fe_expr *outer = NULL;
        if (e->kind == FE_EXPR_MEMBER)
            outer = e->member.object;
        else if (e->kind == FE_EXPR_INDEX || (e->kind == FE_EXPR_UNARY && e->op == FE_OP_DEREF))
            outer = e->sub.a;
        if (outer && fe_is_pointer(outer->type))
            return outer;
        if (!outer && e->kind != FE_EXPR_COMMA) {
            *base = e;
            return NULL;
        }
        e = outer ? outer : e->sub.b;
    }
}

enum fe_space fe_space_of(const struct fe_expr *e)
{
    const struct fe_expr *base, *pointer = reached_by(e, &base);
    const struct fe_variable *v = pointer ? NULL : fe_root_variable(base);
    return pointer ? (enum fe_space)pointer->type->space : v ? (enum fe_space)v->space : FE_SPACE_PRIVATE;
}

enum fe_space fe_settled_space(struct checker *c, const struct fe_expr *e)
{
    const struct fe_expr *base, *pointer = reached_by(e, &base);
    if (pointer)
        fe_default_space(c, pointer->type);
    return fe_space_of(e);
}

void fe_note_read(struct checker *c, struct fe_expr *e)
{
    struct fe_variable *v = fe_root_variable(e);
    if (!v || c->context.unevaluated)
        return;
    if (v == c->body.own_value && !v->assigned) {
        fe_report(c->fe, FE_MSG(own_value), e->where, v->decl->name);
        v->assigned = true;
    }
    if (v->never_set && !v->assigned && v->loop == c->nest.loop && !c->body.labels.count) {
        fe_report(c->fe, FE_MSG(uninitialised), e->where, v->decl->name);
        fe_note(c->fe, FE_MSG(declared_here), v->decl->name_at, v->decl->name);
        v->assigned = true; /* once is enough */
    }
    v->read = true;
}

bool fe_take_function(struct checker *c, struct fe_expr *e)
{
    if (e->kind != FE_EXPR_NAME)
        return true; /* what a pointer points to */
    struct fe_function *f = fe_function(e->name.decl);
    if (f->is_kernel || f->is_extern) {
        fe_report(c->fe, FE_MSG(function_address), e->where, f->is_kernel ? "a kernel" : "a host function");
        return false;
    }
    f->address_taken = true;
    fe_need_as_written(c, f, e->where);
    if (!f->is_defined)
        vec_push(c->arena, &c->undefined_targets, e);
    return true;
}

struct fe_expr *fe_decay(struct checker *c, struct fe_expr *e)
{
    if (e->type->kind == FE_TYPE_FUNCTION && !fe_take_function(c, e))
        return fe_poison(c, e);
    if (e->type->kind == FE_TYPE_FUNCTION)
        return wrap(c, e, fe_pointer_to(c->types, e->type, FE_SPACE_PRIVATE));
    if (e->type->kind != FE_TYPE_ARRAY)
        return e;
    struct fe_variable *v = fe_root_variable(e);
    if (v)
        v->read = v->assigned = true;
    enum fe_space space = fe_settled_space(c, e);
    if (c->context.indexed != e)
        fe_default_space(c, e->type->of);
    return wrap(c, e, fe_pointer_to(c->types, e->type->of, space));
}

/* ---- as by assignment -------------------------------------------------------------------------------- */

void fe_check_quotient(struct checker *c, const struct fe_expr *e, const struct fe_type *to)
{
    bool divides = e->kind == FE_EXPR_BINARY && e->op == FE_OP_DIV && fe_is_integer(e->type);
    if (!divides || !fe_is_float(to) || !e->constant)
        return;
    int64_t a = fe_integer_value(e->sub.a), b = fe_integer_value(e->sub.b);
    if (b && b != -1 && a % b) /* b -1: exact, and the least number has no quotient */
        fe_report(c->fe, FE_MSG(integer_quotient), e->where, (long long)fe_integer_value(e));
}

/* Warns if a constant does not survive the conversion. Bit patterns of the same width do. */
static void check_constant_fits(struct checker *c, const struct fe_expr *e, const struct fe_type *to)
{
    if (!e->constant || !fe_is_integer(to) || to->kind == FE_TYPE_BOOL)
        return;
    bool fits = true;
    if (fe_is_float(e->type)) {
        double x = fe_float_value(e);
        double top = to->size == 8 ? 0x1p63 : (double)((int64_t)1 << (to->size * 8 - 1));
        bool is_signed = fe_is_signed(to);
        fits = x == scalar_trunc(x) && x >= (is_signed ? -top : 0) && x < (is_signed ? top : 2 * top);
    } else if (to->size < e->type->size && to->size < 8) {
        int64_t x = fe_integer_value(e), half = (int64_t)1 << (to->size * 8 - 1);
        fits = x >= -half && x < 2 * half;
    }
    if (!fits)
        fe_report(c->fe, FE_MSG(constant_conversion), e->where, fe_type_text(c, e->type->plain),
                  fe_type_text(c, to));
}

static bool same_target(const struct fe_type *a, const struct fe_type *b)
{
    return a->of->plain == b->of->plain || a->of->kind == FE_TYPE_VOID || b->of->kind == FE_TYPE_VOID;
}

static struct fe_expr *assign_pointer(struct checker *c, struct fe_expr *e, struct fe_type *to,
                                      const char *what)
{
    struct fe_type *from = e->type->plain;
    if (fe_is_null_constant(e))
        return fe_convert(c, e, to);
    if (!fe_is_pointer(from)) {
        fe_report(c->fe, FE_MSG(incompatible_types), e->where, what, fe_type_text(c, to),
                  fe_type_text(c, from));
        return fe_poison(c, e);
    }
    fe_unify_spaces(c, from, to);
    if (fe_is_function_pointer(from) != fe_is_function_pointer(to) || !same_target(from, to)) {
        fe_report(c->fe, FE_MSG(incompatible_types), e->where, what, fe_type_text(c, to),
                  fe_type_text(c, from));
        return fe_poison(c, e);
    }
    if (from->space != to->space) {
        fe_report(c->fe, FE_MSG(address_space), e->where, what, fe_type_text(c, to), fe_type_text(c, from),
                  fe_type_text(c, fe_pointer_to(c->types, to->of, from->space)));
        return fe_poison(c, e);
    }
    if (from->of->is_const && !to->of->is_const) {
        fe_report(c->fe, FE_MSG(discards_const), e->where, what, fe_type_text(c, to), fe_type_text(c, from));
        return fe_poison(c, e);
    }
    return fe_convert(c, e, to);
}

struct fe_expr *fe_convert_assign(struct checker *c, struct fe_expr *e, struct fe_type *to, const char *what)
{
    struct fe_type *from = e->type->plain;
    to = to->plain;
    if (fe_is_error(from) || fe_is_error(to))
        return e;
    if (fe_is_pointer(to))
        return assign_pointer(c, e, to, what);
    if (fe_is_arithmetic(to) &&
        (fe_is_arithmetic(from) || (to->kind == FE_TYPE_BOOL && fe_is_pointer(from)))) {
        check_constant_fits(c, e, to);
        fe_check_quotient(c, e, to);
        return fe_convert(c, e, to);
    }
    if (from == to && to->kind != FE_TYPE_VOID)
        return e;
    if (fe_is_vector(to) && fe_is_arithmetic(from))
        return fe_widen(c, e, to);
    if (fe_is_vector(to) && fe_is_vector(from) && to->count == from->count) {
        fe_report(c->fe, FE_MSG(vector_types), e->where, fe_type_text(c, to), fe_type_text(c, from),
                  fe_type_text(c, to));
        return fe_poison(c, e);
    }
    fe_report(c->fe, FE_MSG(incompatible_types), e->where, what, fe_type_text(c, to), fe_type_text(c, from));
    return fe_poison(c, e);
}

/* ---- casts ------------------------------------------------------------------------------------------- */

static bool cast_is_allowed(const struct fe_type *from, const struct fe_type *to)
{
    if (!fe_is_scalar(from) || !fe_is_scalar(to))
        return false;
    if (fe_is_function_pointer(from) || fe_is_function_pointer(to))
        return from == to || to->kind == FE_TYPE_BOOL;
    if (fe_is_pointer(from) || fe_is_pointer(to))
        return !fe_is_float(from) && !fe_is_float(to);
    return true;
}

struct fe_expr *fe_check_cast(struct checker *c, struct fe_expr *e)
{
    struct fe_type *to = fe_check_form(c, e->cast.form)->plain;
    if (fe_is_vector(to))
        return fe_check_vector_cast(c, e, to);
    struct fe_expr *a = e->cast.a = fe_check_value(c, e->cast.a);
    struct fe_type *from = a->type->plain;
    if (fe_is_error(from) || fe_is_error(to))
        return fe_poison(c, e);
    if (fe_is_pointer(to))
        fe_default_space(c, from);
    e->type = to = fe_adopt_spaces(c, e->cast.form, to, from);
    if (to->kind == FE_TYPE_VOID)
        return e;
    bool null_cast = fe_is_pointer(to) && fe_is_null_constant(a);
    if (fe_is_pointer(from) && fe_is_pointer(to) && from->space != to->space) {
        fe_report(c->fe, FE_MSG(cast_address_space), e->where, fe_type_text(c, from), fe_type_text(c, to));
        return fe_poison(c, e);
    }
    if (!null_cast && !cast_is_allowed(from, to)) {
        fe_report(c->fe, FE_MSG(bad_cast), e->where, fe_type_text(c, from), fe_type_text(c, to));
        return fe_poison(c, e);
    }
    if (a->constant) {
        e->constant = true;
        e->value = fe_fold_conversion(from, to, a->value);
    }
    return e;
}
