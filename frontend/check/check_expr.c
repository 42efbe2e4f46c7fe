/* check_expr.c: names, literals, members, elements and the other expressions that are no operators or calls.
 *
 * After checking, an lvalue has `lvalue` set and its type may be const; an INDEX has a pointer on its left
 * (an array there has been converted); a name of the thread's geometry (threadIdx.x) is a NAME whose
 * `builtin` is its row. What has a compile-time value has `constant` and `value` set.
 */
#include "frontend/check/check.h"

const char *fe_type_text(struct checker *c, const struct fe_type *t)
{
    struct text text = {.arena = c->arena};
    fe_type_print(t, &text);
    return text.at;
}

struct fe_expr *fe_poison(struct checker *c, struct fe_expr *e)
{
    e->type = c->types->error;
    e->constant = false;
    return e;
}

static struct fe_expr *set_constant(struct fe_expr *e, struct fe_type *t, scalar_bits v)
{
    e->type = t;
    e->constant = true;
    e->value = v;
    return e;
}

/* ---- literals ---------------------------------------------------------------------------------------- */

/* C99 6.4.4.1: the first of these types that holds the value. */
static struct fe_expr *check_int(struct checker *c, struct fe_expr *e)
{
    bool may_be_signed = !(e->literal & FE_LIT_UNSIGNED), decimal = e->literal & FE_LIT_DECIMAL;
    bool may_be_unsigned = !may_be_signed || !decimal;
    bool may_be_int = !(e->literal & FE_LIT_LONG), is_character = e->literal & FE_LIT_CHARACTER;
    enum fe_type_kind k = FE_TYPE_ULONG;
    if (is_character || (may_be_int && may_be_signed && e->value <= INT32_MAX))
        k = FE_TYPE_INT;
    else if (may_be_int && may_be_unsigned && e->value <= UINT32_MAX)
        k = FE_TYPE_UINT;
    else if (may_be_signed && e->value <= INT64_MAX)
        k = FE_TYPE_LONG;
    if (e->literal & FE_LIT_OCTAL && e->value >= 8)
        fe_report(c->fe, FE_MSG(octal_number), e->where, (unsigned long long)e->value);
    return set_constant(e, c->types->basic[k], e->value);
}

static struct fe_expr *check_float(struct checker *c, struct fe_expr *e)
{
    struct fe_type *d = c->types->basic[FE_TYPE_DOUBLE], *f = c->types->basic[FE_TYPE_FLOAT];
    if (e->literal & FE_LIT_FLOAT)
        return set_constant(e, f, fe_fold_conversion(d, f, e->value));
    return set_constant(e, d, e->value);
}

/* ---- names ------------------------------------------------------------------------------------------- */

/* LIKE_THIS: as what a build gives by -D. */
static bool is_macro_name(const char *name)
{
    return strlen(name) > 2 && !name[strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789")];
}

static void report_undeclared(struct checker *c, struct fe_expr *e)
{
    const struct fe_foreign_name *foreign = fe_find_foreign(c->arena, e->name.name);
    const struct fe_expr *call =
        c->context.called && c->context.called->call.callee == e ? c->context.called : NULL;
    const char *near = foreign ? NULL : fe_suggest(c, FE_NAMES, e->name.name);
    if (foreign && foreign->advice) {
        fe_report(c->fe, FE_MSG(foreign_word), e->where, e->name.name, foreign->advice);
        c->fe->in_host |= fe_is_of_host(foreign);
        if (call && foreign->parameters)
            fe_fix_call(c, foreign, call);
        else if (foreign->kern && !foreign->parameters)
            fe_fixit(c->fe, e->where, foreign->kern);
    } else if (foreign) {
        fe_report(c->fe, FE_MSG(foreign_spelling), e->where, e->name.name, foreign->kern);
        fe_fixit(c->fe, e->where, foreign->kern);
    } else if (fe_is_excused(c->fe, e->name.name)) {
        return;
    } else if (near) {
        fe_report(c->fe, FE_MSG(undeclared_suggest), e->where, e->name.name, near);
        fe_fix_slip(c->fe, e->where, e->name.name, near);
    } else {
        if (is_macro_name(e->name.name) && !call)
            fe_report(c->fe, FE_MSG(undeclared_constant), e->where, e->name.name, e->name.name, e->name.name);
        else
            fe_report(c->fe, FE_MSG(undeclared), e->where, e->name.name);
        fe_excuse(c->fe, e->name.name, strlen(e->name.name)); /* once is enough */
    }
}

/* In a launch, of its repeat. */
static struct fe_expr *check_round(struct checker *c, struct fe_expr *e)
{
    e->type = c->types->basic[FE_TYPE_LONG];
    if (!fe_launch_in_repeat(c, c->context.launch)) {
        fe_report(c->fe, FE_MSG(launch_round), e->where);
        return fe_poison(c, e);
    }
    c->context.names_round = true;
    return e;
}

static struct fe_expr *check_builtin_name(struct checker *c, struct fe_expr *e)
{
    const struct fe_builtin *b = fe_find_builtin(c, e->name.name);
    if (c->context.launch && strcmp(e->name.name, "round") == 0)
        return check_round(c, e);
    if (b && b->how == FE_HOW_SPECIAL) {
        e->name.builtin = b;
        e->type = c->types->basic[FE_TYPE_UINT];
        return e;
    }
    if (b) {
        fe_report(c->fe, FE_MSG(builtin_not_called), e->where, e->name.name);
        return fe_poison(c, e);
    }
    enum fe_type_kind kind;
    scalar_bits value;
    if (fe_find_constant(e->name.name, &kind, &value))
        return set_constant(e, c->types->basic[kind], value);
    const char *with_x = arena_printf(c->arena, "%s.x", e->name.name);
    if (fe_find_builtin(c, intern_z(&c->fe->strings, with_x)))
        fe_report(c->fe, FE_MSG(geometry_member), e->where, e->name.name);
    else
        report_undeclared(c, e);
    return fe_poison(c, e);
}

static struct fe_expr *check_variable_name(struct checker *c, struct fe_expr *e, struct fe_decl *d)
{
    e->type = d->type;
    fe_note_reference_use(c, d, e);
    if (d->type->kind == FE_TYPE_TOKEN) {
        fe_report(c->fe, FE_MSG(token_as_value), e->where, d->name);
        return fe_poison(c, e);
    }
    e->lvalue = true;
    bool has_value = d->kind == FE_DECL_VARIABLE && d->type->is_const && d->init && d->init->constant &&
                     fe_is_scalar(d->type);
    if (has_value) {
        e->constant = true;
        e->value = d->init->value;
    }
    return e;
}

static struct fe_expr *check_name(struct checker *c, struct fe_expr *e)
{
    struct fe_decl *d = fe_find(c, FE_NAMES, e->name.name);
    if (!d)
        return check_builtin_name(c, e);
    e->name.decl = d;
    d->used = true;
    if (!d->type)
        return fe_poison(c, e);
    switch (d->kind) {
    case FE_DECL_VARIABLE:
    case FE_DECL_PARAMETER: return check_variable_name(c, e, d);
    case FE_DECL_ENUMERATOR: return set_constant(e, d->type, d->init ? d->init->value : 0);
    case FE_DECL_FUNCTION:
        e->type = d->type;
        if (!fe_is_error(d->type))
            fe_function(d)->decl->used = true;
        return e;
    default: fe_report(c->fe, FE_MSG(type_as_value), e->where, d->name); return fe_poison(c, e);
    }
}

/* ---- members and elements ---------------------------------------------------------------------------- */

/* threadIdx.x and the like: the pair becomes one name. */
static bool check_geometry(struct checker *c, struct fe_expr *e)
{
    struct fe_expr *o = e->member.object;
    if (o->kind != FE_EXPR_NAME || e->member.arrow || fe_find(c, FE_NAMES, o->name.name))
        return false;
    char text[64];
    int n = snprintf(text, sizeof text, "%s.%s", o->name.name, e->member.name);
    if (n >= (int)sizeof text)
        return false;
    const char *name = intern(&c->fe->strings, text, (size_t)n);
    const struct fe_builtin *b = fe_find_builtin(c, name);
    if (!b)
        return false;
    if (c->function)
        c->function->asks_thread |= strcmp(o->name.name, "threadIdx") == 0;
    e->kind = FE_EXPR_NAME;
    e->name.name = name;
    e->name.decl = NULL;
    e->name.builtin = b;
    e->type = c->types->basic[FE_TYPE_UINT];
    return true;
}

static void report_no_field(struct checker *c, struct fe_expr *e, const struct fe_type *s)
{
    if (fe_is_excused(c->fe, e->member.name))
        return;
    const char *near = c->fe->diags->stopped ? NULL : fe_suggest_field(s->decl, e->member.name);
    if (near) {
        fe_report(c->fe, FE_MSG(no_member_suggest), e->op_at, fe_type_text(c, s->plain), e->member.name,
                  near);
        fe_fix_slip(c->fe, e->op_at, e->member.name, near);
    } else {
        fe_report(c->fe, FE_MSG(no_member), e->op_at, fe_type_text(c, s->plain), e->member.name);
    }
}

static bool check_member_object(struct checker *c, struct fe_expr *e, const struct fe_type **structure)
{
    struct fe_expr *o = e->member.object;
    const struct fe_type *t = o->type;
    if (fe_is_error(t))
        return false;
    if (e->member.arrow && fe_is_pointer(t) && t->of->kind == FE_TYPE_STRUCT)
        t = t->of;
    else if (e->member.arrow || t->kind != FE_TYPE_STRUCT) {
        bool other =
            e->member.arrow ? t->kind == FE_TYPE_STRUCT : fe_is_pointer(t) && t->of->kind == FE_TYPE_STRUCT;
        if (other)
            fe_report(c->fe, FE_MSG(wrong_member_operator), e->op_at, fe_type_text(c, t->plain),
                      e->member.arrow ? "." : "->", e->member.arrow ? "->" : ".");
        else
            fe_report(c->fe, FE_MSG(not_a_structure), o->where, fe_type_text(c, t->plain));
        return false;
    }
    if (!t->is_complete) {
        fe_report(c->fe, FE_MSG(incomplete_type), o->where, fe_type_text(c, t->plain));
        return false;
    }
    *structure = t;
    return true;
}

static struct fe_expr *check_member(struct checker *c, struct fe_expr *e)
{
    const struct fe_type *s = NULL;
    if (check_geometry(c, e))
        return e;
    struct fe_expr *o = e->member.object =
        e->member.arrow ? fe_check_value(c, e->member.object) : fe_check_expr(c, e->member.object);
    if (!check_member_object(c, e, &s))
        return fe_poison(c, e);
    if (fe_is_vector(s))
        return fe_check_selection(c, e, s);
    struct fe_decl *f = fe_find_field(c, s, e->member.name);
    if (!f) {
        report_no_field(c, e, s);
        return fe_poison(c, e);
    }
    e->member.field = f;
    e->lvalue = e->member.arrow || o->lvalue;
    e->type = s->is_const ? fe_const_of(c->types, f->type) : f->type;
    return e;
}

/* Behind & the index may be that behind the last element. */
static void check_index_bounds(struct checker *c, struct fe_expr *e, const struct fe_type *of)
{
    const struct fe_expr *i = e->sub.b;
    if (!i->constant || (of->kind != FE_TYPE_ARRAY && !fe_is_vector(of)))
        return;
    int64_t at = fe_integer_value(i);
    bool end = c->context.addressed == e && of->count != FE_UNSIZED;
    if (at < 0 || (uint64_t)at >= of->count + end)
        fe_report(c->fe, FE_MSG(array_bounds), i->where, (long long)at,
                  of->kind == FE_TYPE_ARRAY ? "an array" : "a vector", (unsigned long long)of->count);
}

/* Arrays and functions become pointers, and the value is used. */
static struct fe_expr *used(struct checker *c, struct fe_expr *e)
{
    e = fe_decay(c, e);
    if (e->lvalue || fe_selects(e))
        fe_note_read(c, e);
    return e;
}

static bool check_index_type(struct checker *c, const struct fe_expr *i)
{
    bool good = fe_is_integer(i->type);
    if (!good && !fe_is_error(i->type))
        fe_report(c->fe, FE_MSG(index_not_integer), i->where, fe_type_text(c, i->type->plain),
                  fe_is_float(i->type) ? "; write (int) before it" : "");
    return good;
}

/* v[i] of a vector; with a constant i the element by its name. */
static struct fe_expr *index_vector(struct checker *c, struct fe_expr *e)
{
    struct fe_expr *v = e->sub.a, *i = e->sub.b;
    const struct fe_type *t = v->type;
    if (!check_index_type(c, i))
        return fe_poison(c, e);
    check_index_bounds(c, e, t);
    if (i->constant && (uint64_t)fe_integer_value(i) < t->count) {
        static const char *const names[FE_VECTOR_MAX] = {"x", "y", "z", "w"};
        const char *name = names[fe_integer_value(i)];
        e->kind = FE_EXPR_MEMBER;
        e->member.object = v;
        e->member.name = intern_z(&c->fe->strings, name);
        e->member.arrow = false;
        return fe_check_selection(c, e, t);
    }
    if (!v->lvalue)
        fe_note_read(c, v);
    e->sub.b = fe_convert(c, i, fe_promoted(c, i->type));
    e->lvalue = v->lvalue;
    e->type = t->is_const ? fe_const_of(c->types, t->of) : t->of;
    return e;
}

/* As a use of the element: the array's address does not escape. */
static struct fe_expr *decay_for_index(struct checker *c, struct fe_expr *object)
{
    struct fe_variable *root = object->type->kind == FE_TYPE_ARRAY ? fe_root_variable(object) : NULL;
    bool was_read = root && root->read, was_assigned = root && root->assigned;
    c->context.indexed = object;
    struct fe_expr *a = fe_decay(c, object);
    c->context.indexed = NULL;
    if (root)
        root->read = was_read, root->assigned = was_assigned;
    else if (a == object && a->lvalue)
        fe_note_read(c, a);
    return a;
}

static struct fe_expr *check_index(struct checker *c, struct fe_expr *e)
{
    struct fe_expr *object = fe_check_expr(c, e->sub.a), *i = fe_check_expr(c, e->sub.b);
    if (fe_is_integer(object->type) && !fe_is_arithmetic(i->type)) { /* i[a] is a[i] */
        struct fe_expr *a = object;
        object = i;
        i = a;
    }
    i = e->sub.b = used(c, i);
    if (fe_is_vector(object->type)) {
        e->sub.a = object;
        return index_vector(c, e);
    }
    struct fe_expr *a = e->sub.a = decay_for_index(c, object);
    if (fe_is_error(a->type) || fe_is_error(i->type))
        return fe_poison(c, e);
    if (!fe_is_pointer(a->type) || fe_is_function_pointer(a->type)) {
        fe_report(c->fe, FE_MSG(not_indexable), a->where, fe_type_text(c, a->type->plain));
        return fe_poison(c, e);
    }
    if (!check_index_type(c, i))
        return fe_poison(c, e);
    if (!a->type->of->is_complete) {
        fe_report(c->fe, FE_MSG(incomplete_type), a->where, fe_type_text(c, a->type->of));
        return fe_poison(c, e);
    }
    check_index_bounds(c, e, object->type);
    e->sub.b = fe_convert(c, i, fe_promoted(c, i->type));
    e->lvalue = true;
    e->type = a->type->of;
    return e;
}

/* ---- the rest ---------------------------------------------------------------------------------------- */

static bool both(enum fe_type_kind k, const struct fe_expr *a, const struct fe_expr *b)
{
    return a->type->kind == k && b->type->kind == k;
}

/* The common type of the two branches of ?:, or NULL. */
static struct fe_type *branch_type(struct checker *c, struct fe_expr *a, struct fe_expr *b)
{
    if (both(FE_TYPE_BOOL, a, b))
        return a->type->plain;
    if (fe_is_arithmetic(a->type) && fe_is_arithmetic(b->type))
        return fe_common_type(c, a->type, b->type);
    if (a->type->plain == b->type->plain)
        return a->type->plain;
    if (fe_is_pointer(a->type) && fe_is_null_constant(b))
        return a->type->plain;
    if (fe_is_pointer(b->type) && fe_is_null_constant(a))
        return b->type->plain;
    fe_unify_spaces(c, a->type, b->type);
    bool pointers = fe_is_pointer(a->type) && fe_is_pointer(b->type) && a->type->space == b->type->space &&
                    a->type->of->plain == b->type->of->plain;
    return !pointers ? NULL : a->type->of->is_const ? a->type->plain : b->type->plain;
}

static struct fe_expr *check_conditional(struct checker *c, struct fe_expr *e)
{
    struct fe_expr *a = e->sub.a = fe_check_condition(c, e->sub.a);
    struct fe_expr *x = fe_check_value(c, e->sub.b), *y = fe_check_value(c, e->sub.c);
    e->sub.b = x, e->sub.c = y;
    if (fe_is_error(a->type) || fe_is_error(x->type) || fe_is_error(y->type))
        return fe_poison(c, e);
    struct fe_type *t = branch_type(c, x, y);
    if (!t) {
        fe_report(c->fe, FE_MSG(branch_types), e->op_at, fe_type_text(c, x->type->plain),
                  fe_type_text(c, y->type->plain));
        return fe_poison(c, e);
    }
    e->type = t;
    if (fe_is_scalar(t)) {
        x = e->sub.b = fe_convert(c, x, t);
        y = e->sub.c = fe_convert(c, y, t);
    }
    if (a->constant && x->constant && y->constant)
        return set_constant(e, t, a->value ? x->value : y->value);
    return e;
}

static struct fe_expr *check_comma(struct checker *c, struct fe_expr *e)
{
    e->sub.a = fe_check_expr(c, e->sub.a);
    e->sub.b = fe_check_value(c, e->sub.b);
    e->type = e->sub.b->type->plain;
    return e;
}

static struct fe_expr *check_sizeof(struct checker *c, struct fe_expr *e)
{
    struct fe_type *t;
    if (e->kind == FE_EXPR_SIZEOF_TYPE) {
        t = fe_check_form(c, e->cast.form);
    } else {
        c->context.unevaluated++;
        e->sub.a = fe_check_expr(c, e->sub.a);
        c->context.unevaluated--;
        t = e->sub.a->type;
    }
    if (fe_is_error(t))
        return fe_poison(c, e);
    if (!t->is_complete) {
        fe_report(c->fe, FE_MSG(sizeof_incomplete), e->where, fe_type_text(c, t));
        return fe_poison(c, e);
    }
    return set_constant(e, c->types->basic[FE_TYPE_UINT], t->size);
}

static struct fe_expr *check_literal(struct checker *c, struct fe_expr *e)
{
    struct fe_type *t = fe_check_form(c, e->cast.form);
    bool is_sized = t->is_complete || t->kind == FE_TYPE_ARRAY || fe_is_error(t);
    if (!is_sized) {
        fe_report(c->fe, FE_MSG(incomplete_type), e->where, fe_type_text(c, t));
        return fe_poison(c, e);
    }
    e->cast.a = fe_check_init(c, e->cast.a, NULL, &t);
    e->type = t;
    e->lvalue = true;
    return fe_is_error(t) ? fe_poison(c, e) : e;
}

struct fe_expr *fe_check_expr(struct checker *c, struct fe_expr *e)
{
    switch (e->kind) {
    case FE_EXPR_INT: return check_int(c, e);
    case FE_EXPR_FLOAT: return check_float(c, e);
    case FE_EXPR_BOOL: return set_constant(e, c->types->basic[FE_TYPE_BOOL], e->value);
    case FE_EXPR_NAME: return check_name(c, e);
    case FE_EXPR_UNARY: return fe_check_unary(c, e);
    case FE_EXPR_BINARY: return fe_check_binary(c, e);
    case FE_EXPR_ASSIGN: return fe_check_assign(c, e);
    case FE_EXPR_CONDITIONAL: return check_conditional(c, e);
    case FE_EXPR_COMMA: return check_comma(c, e);
    case FE_EXPR_CAST: return fe_check_cast(c, e);
    case FE_EXPR_SIZEOF_EXPR:
    case FE_EXPR_SIZEOF_TYPE: return check_sizeof(c, e);
    case FE_EXPR_CALL: return fe_check_call(c, e);
    case FE_EXPR_INDEX: return check_index(c, e);
    case FE_EXPR_MEMBER: return check_member(c, e);
    case FE_EXPR_LITERAL: return check_literal(c, e);
    case FE_EXPR_STRING: fe_report(c->fe, FE_MSG(string_as_value), e->where); return fe_poison(c, e);
    case FE_EXPR_INIT: fe_report(c->fe, FE_MSG(braces_as_value), e->where); return fe_poison(c, e);
    case FE_EXPR_FILE: fe_report(c->fe, FE_MSG(file_as_value), e->where); return fe_poison(c, e);
    default: BUG("expression kind %d", e->kind);
    }
}

struct fe_expr *fe_check_value(struct checker *c, struct fe_expr *e)
{
    return used(c, fe_check_expr(c, e));
}

struct fe_expr *fe_check_condition(struct checker *c, struct fe_expr *e)
{
    bool assigns = e->kind == FE_EXPR_ASSIGN && e->op == FE_OP_NONE && !e->parenthesised;
    e = fe_check_value(c, e);
    if (fe_is_error(e->type))
        return e;
    if (assigns)
        fe_report(c->fe, FE_MSG(assignment_in_condition), e->op_at);
    if (fe_is_vector(e->type)) {
        fe_report(c->fe, FE_MSG(vector_condition), e->where, fe_type_text(c, e->type->plain));
        return fe_poison(c, e);
    }
    if (!fe_is_scalar(e->type)) {
        fe_report(c->fe, FE_MSG(condition_type), e->where, fe_type_text(c, e->type->plain));
        return fe_poison(c, e);
    }
    return fe_convert(c, e, c->types->basic[FE_TYPE_BOOL]);
}

bool fe_check_constant(struct checker *c, struct fe_expr **e, const char *what, int64_t low, int64_t high,
                       int64_t *v)
{
    struct fe_expr *x = *e = fe_check_value(c, *e);
    if (fe_is_error(x->type))
        return false;
    if (!x->constant || !fe_is_integer(x->type)) {
        fe_report(c->fe, FE_MSG(not_constant), x->where, what);
        return false;
    }
    *v = fe_integer_value(x);
    bool wrapped = *v < 0 && x->type->kind == FE_TYPE_ULONG;
    if (wrapped || *v < low || *v > high) {
        fe_report(c->fe, FE_MSG(constant_range), x->where, what, (long long)low, (long long)high);
        return false;
    }
    return true;
}
