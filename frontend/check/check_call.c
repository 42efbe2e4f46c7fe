/* check_call.c: calls of functions, through pointers, and of builtins; the token that a call names.
 *
 * A call of a function of the file has `target` set to its fe_function; one through a pointer has a
 * callee of pointer type. Of a builtin the callee's `builtin` is set, and the arguments have the types
 * that its signature asks for.
 */
#include "frontend/check/check.h"

struct fe_use *fe_add_use(struct checker *c, enum fe_use_kind kind, span where, bool has_token)
{
    if (c->context.unevaluated || !c->function)
        return &c->no_use;
    struct fe_use use = {.kind = (uint8_t)kind,
                         .has_token = has_token,
                         .in_try = c->nest.in_try,
                         .loop = c->nest.loop,
                         .where = where};
    vec_push(c->arena, &c->function->tokens.uses, use);
    return &vec_last(&c->function->tokens.uses);
}

/* ---- tokens ------------------------------------------------------------------------------------------ */

static void note_controlled(struct checker *c, span where)
{
    if (c->function && !c->function->tokens.controlled) {
        c->function->tokens.controlled = true;
        c->function->tokens.controlled_at = where;
    }
}

void fe_check_token_use(struct checker *c, struct fe_expr *name, bool is_heart)
{
    struct fe_decl *d = name->kind == FE_EXPR_NAME ? fe_find(c, FE_NAMES, name->name.name) : NULL;
    note_controlled(c, name->where);
    name->type = c->types->error;
    if (!d || d->kind != FE_DECL_VARIABLE || !d->type || d->type->kind != FE_TYPE_TOKEN) {
        if (!d || !d->type || !fe_is_error(d->type))
            fe_report(c->fe, FE_MSG(not_a_token), name->where);
        return;
    }
    struct fe_variable *v = fe_variable(d);
    d->used = v->read = true;
    name->name.decl = d;
    name->type = d->type;
    uint32_t wanted = is_heart ? c->function->tokens.loops.at[c->nest.loop].parent : c->nest.loop;
    if (v->loop != wanted) {
        fe_report(c->fe, FE_MSG(token_loop), name->where, d->name);
        fe_note(c->fe, FE_MSG(declared_here), d->name_at, d->name);
    }
}

static void check_call_token(struct checker *c, struct fe_expr *e, bool allowed)
{
    if (!e->call.token)
        return;
    if (!allowed)
        fe_report(c->fe, FE_MSG(token_not_convergent), e->call.token->where);
    else
        fe_check_token_use(c, e->call.token, false);
}

/* ---- arguments --------------------------------------------------------------------------------------- */

/* The row of foreign.def for what is called, if the file has no such name. */
static const struct fe_foreign_name *foreign_callee(struct checker *c, const struct fe_expr *e)
{
    const struct fe_expr *callee = e->call.callee;
    bool is_foreign = callee->kind == FE_EXPR_NAME && fe_is_error(callee->type) && !callee->name.decl;
    return is_foreign ? fe_find_foreign(c->arena, callee->name.name) : NULL;
}

/* Checks each argument by itself, but for those that its language's function has alone; false if one has an
 * error. */
static bool check_arguments(struct checker *c, struct fe_expr *e)
{
    bool good = true;
    const struct fe_foreign_name *foreign = foreign_callee(c, e);
    uint32_t i = 0;
    for (struct fe_expr **a = &e->call.args; *a; a = &(*a)->next) {
        struct fe_expr *next = (*a)->next;
        if (foreign && fe_drops_argument(foreign, i++))
            continue;
        *a = fe_check_value(c, *a);
        (*a)->next = next;
        good &= !fe_is_error((*a)->type);
    }
    return good;
}

static void note_references(struct checker *c, const struct fe_expr *e)
{
    const struct fe_function *f = e->call.target;
    const struct fe_decl *p = fe_params(f->decl);
    for (const struct fe_expr *a = e->call.args; a && p; a = a->next, p = p->next)
        fe_note_referred(c, p, a);
}

static void convert_argument(struct checker *c, struct fe_expr **a, struct fe_type *to)
{
    struct fe_expr *next = (*a)->next;
    *a = fe_convert_assign(c, *a, to, "argument");
    (*a)->next = next;
}

static bool check_count(struct checker *c, struct fe_expr *e, uint32_t wanted, bool more)
{
    if (e->call.arg_count == wanted || (more && e->call.arg_count > wanted))
        return true;
    fe_report(c->fe, FE_MSG(argument_count), e->where, wanted, wanted == 1 ? "" : "s", e->call.arg_count);
    return false;
}

/* ---- functions and pointers to them ------------------------------------------------------------------ */

static struct fe_type *check_direct(struct checker *c, struct fe_expr *e)
{
    struct fe_expr *callee = e->call.callee;
    struct fe_function *f = fe_function(callee->name.decl);
    e->call.target = f;
    if (f->is_kernel) {
        fe_report(c->fe, FE_MSG(call_of_kernel), callee->where, f->name);
        return NULL;
    }
    fe_add_use(c, FE_USE_CALL, e->where, e->call.token != NULL)->callee = f;
    return f->type;
}

/* The callee's function type; NULL after a message. */
static struct fe_type *check_callee(struct checker *c, struct fe_expr *e)
{
    c->context.called = e;
    struct fe_expr *callee = e->call.callee = fe_check_expr(c, e->call.callee);
    c->context.called = NULL;
    if (fe_is_error(callee->type))
        return NULL;
    if (callee->kind == FE_EXPR_NAME && callee->type->kind == FE_TYPE_FUNCTION)
        return check_direct(c, e);
    if (callee->kind == FE_EXPR_UNARY && callee->op == FE_OP_DEREF && callee->type->kind == FE_TYPE_FUNCTION)
        callee = e->call.callee = callee->sub.a;
    else if (callee->lvalue)
        fe_note_read(c, callee);
    if (!fe_is_function_pointer(callee->type)) {
        fe_report(c->fe, FE_MSG(not_callable), callee->where, fe_type_text(c, callee->type->plain));
        return NULL;
    }
    fe_add_use(c, FE_USE_ICALL, e->where, e->call.token != NULL)->signature = callee->type->of->signature;
    return callee->type->of;
}

/* The type of what is called by the types of its arguments; NULL after a message. */
static struct fe_type *choose_instance(struct checker *c, struct fe_expr *e, uint32_t use)
{
    struct fe_function *f = fe_instance(c, e->call.target, e);
    if (!f)
        return NULL;
    e->call.target = f;
    if (c->function && !c->context.unevaluated)
        c->function->tokens.uses.at[use].callee = f;
    return f->type;
}

static struct fe_expr *check_function_call(struct checker *c, struct fe_expr *e)
{
    uint32_t use = c->function ? c->function->tokens.uses.count : 0; /* of a direct call */
    struct fe_type *t = check_callee(c, e);
    bool good = check_arguments(c, e);
    check_call_token(c, e, true);
    if (!t)
        fe_note_macro_call(c, e);
    if (t && good && e->call.target && e->call.arg_count == t->param_count)
        t = choose_instance(c, e, use);
    if (!t)
        return fe_poison(c, e);
    e->type = t->of;
    if (!check_count(c, e, t->param_count, false)) {
        struct fe_function *f = e->call.target;
        if (f)
            fe_note(c->fe, FE_MSG(declared_here), f->decl->name_at, f->name);
        return e;
    }
    if (e->call.target)
        note_references(c, e);
    uint32_t i = 0;
    for (struct fe_expr **a = &e->call.args; good && *a; a = &(*a)->next)
        convert_argument(c, a, t->params[i++]);
    return e;
}

/* ---- builtins ---------------------------------------------------------------------------------------- */

static bool argument_error(struct checker *c, const struct fe_builtin *b, const struct fe_expr *a,
                           const char *wanted)
{
    fe_report(c->fe, FE_MSG(builtin_argument), a->where, b->name, wanted, fe_type_text(c, a->type->plain));
    return false;
}

/* As decide_generic, of pointers in any address space. */
static bool data_pointer(struct checker *c, const struct fe_builtin *b, char letter, const struct fe_expr *a,
                         struct fe_type **generic)
{
    struct fe_type *t = a->type->plain, *of = fe_is_pointer(t) ? t->of : NULL, *wanted = *generic;
    if (!of || of->kind == FE_TYPE_FUNCTION)
        return argument_error(c, b, a, letter == 'z' ? "a pointer" : "a pointer to what may be written");
    if (letter != 'z' && (of->is_const || t->space == FE_SPACE_CONSTANT))
        return argument_error(c, b, a, "a pointer to what may be written");
    if (letter == 'z' || letter == 'Z')
        return true;
    if (letter == 'e')
        return of->kind == FE_TYPE_INT || argument_error(c, b, a, "a pointer to int");
    if (letter == 'R')
        wanted = c->types->basic[FE_TYPE_FLOAT];
    if (wanted ? of != wanted : !fe_is_float(of))
        return argument_error(c, b, a,
                              !wanted                         ? "a pointer to float or double"
                              : wanted->kind == FE_TYPE_FLOAT ? "a pointer to float"
                                                              : "a pointer to double");
    *generic = of->plain;
    return true;
}

/* Checks that the argument suits its letter and lets it take part in deciding *generic. */
static bool decide_generic(struct checker *c, const struct fe_builtin *b, char letter,
                           const struct fe_expr *a, struct fe_type **generic)
{
    struct fe_type *t = a->type->plain, *of = fe_is_pointer(t) ? t->of : NULL;
    switch (letter) {
    case 'N':
    case 'I':
        if (!(letter == 'N' ? fe_is_arithmetic(t) : fe_is_integer(t)))
            return argument_error(c, b, a, letter == 'N' ? "a number" : "an integer");
        *generic = *generic ? fe_common_type(c, *generic, t) : fe_promoted(c, t);
        return true;
    case 'F':
        if (!fe_is_arithmetic(t))
            return argument_error(c, b, a, "a number");
        if (fe_is_float(t) && (!*generic || t->kind > (*generic)->kind))
            *generic = t;
        return true;
    case 'P': {
        fe_default_space(c, t);
        bool known = of && (of->kind >= FE_TYPE_INT && of->kind <= FE_TYPE_DOUBLE) && !of->is_const;
        bool has_place = of && (t->space == FE_SPACE_GLOBAL || t->space == FE_SPACE_SHARED);
        if (!known || !has_place || (fe_is_float(of) && b->op[2] == IR_none))
            return argument_error(
                c, b, a,
                b->op[2] == IR_none
                    ? "a global or shared pointer to int, uint, long or ulong"
                    : "a global or shared pointer to int, uint, long, ulong, float or double");
        *generic = of->plain;
        return true;
    }
    case 'Q':
    case 'R':
    case 'e':
    case 'z':
    case 'Z': return data_pointer(c, b, letter, a, generic);
    case 's': *generic = t; return fe_is_arithmetic(t) || argument_error(c, b, a, "a number");
    case 'x':
    case 'y':
        *generic = t;
        return (fe_is_arithmetic(t) && t->size == (letter == 'x' ? 4 : 8)) ||
               argument_error(c, b, a, letter == 'x' ? "a 32-bit number" : "a 64-bit number");
    default: return true;
    }
}

static bool resolve_generic(struct checker *c, struct fe_expr *e, const struct fe_builtin *b,
                            struct fe_type **generic)
{
    uint32_t i = 0;
    bool good = true, floats = strchr(b->signature, 'F') != NULL;
    *generic = NULL;
    for (struct fe_expr *a = e->call.args; a; a = a->next)
        good &= decide_generic(c, b, fe_builtin_param(b, i++), a, generic);
    if (!*generic)
        *generic = c->types->basic[floats ? FE_TYPE_DOUBLE : FE_TYPE_INT];
    return good;
}

/* The value of a pure builtin of constant arguments. */
static void fold_builtin(struct fe_expr *e, const struct fe_builtin *b, const struct fe_type *generic)
{
    scalar_bits v[SCALAR_MAX_ARGS] = {0};
    uint32_t n = 0;
    enum ir_op op = fe_builtin_op(b, generic);
    if (b->how != FE_HOW_OP || op == IR_none || e->type->kind != generic->kind)
        return;
    for (const struct fe_expr *a = e->call.args; a; a = a->next) {
        if (!a->constant || a->type->kind != generic->kind)
            return;
        v[n++] = a->value;
    }
    enum scalar_type t = (enum scalar_type)ir_type_info[fe_ir_type(generic)].scalar;
    int k = scalar_find((enum scalar_op)op, t, t);
    if (k < 0)
        return;
    e->constant = true;
    e->value = scalar_evaluate((enum scalar_case)k, v);
}

static void note_builtin_use(struct checker *c, struct fe_expr *e, const struct fe_builtin *b)
{
    check_call_token(c, e, fe_builtin_is_convergent(b));
    if (fe_builtin_is_convergent(b))
        fe_add_use(c, FE_USE_CONVERGENT, e->where, e->call.token != NULL);
}

/* threadIdx and the like are names; laneId() is accepted for laneId. */
static struct fe_expr *check_special_call(struct checker *c, struct fe_expr *e)
{
    struct fe_expr *name = e->call.callee;
    if (e->call.arg_count)
        check_count(c, e, 0, false);
    name->type = c->types->basic[FE_TYPE_UINT];
    name->next = e->next;
    return name;
}

/* A builtin of which some argument is a vector: the call stands for one of each element. */
static struct fe_expr *check_vector_builtin(struct checker *c, struct fe_expr *e, const struct fe_builtin *b)
{
    struct fe_type *generic, *vector = fe_vector_among(e);
    if (!fe_check_vector_builtin(c, e, b) || !resolve_generic(c, fe_as_elements(c, e), b, &generic))
        return fe_poison(c, e);
    uint32_t i = 0;
    for (struct fe_expr **a = &e->call.args; *a; a = &(*a)->next) {
        char letter = fe_builtin_param(b, i++);
        bool converts = !strchr("PQRezZxys", letter);
        struct fe_type *parameter = converts ? fe_builtin_type(c->types, letter, generic) : NULL;
        if (fe_is_vector((*a)->type) ? !fe_check_vector_argument(c, *a, parameter) : false)
            return fe_poison(c, e);
        if (!fe_is_vector((*a)->type) && converts)
            convert_argument(c, a, parameter);
        if (fe_is_error((*a)->type))
            return fe_poison(c, e);
    }
    e->call.target = generic;
    e->type = fe_vector_result(c, vector, fe_builtin_type(c->types, b->signature[0], generic));
    return e;
}

/* OpenCL's barrier(CLK_LOCAL_MEM_FENCE): the flags are reported and left out. */
static void drop_flags(struct checker *c, struct fe_expr *e)
{
    struct fe_expr *last = e->call.args, *first = last;
    while (last && last->next)
        last = last->next;
    while (first && first->kind == FE_EXPR_BINARY)
        first = first->sub.a;
    const struct fe_foreign_name *flag =
        first && first->kind == FE_EXPR_NAME ? fe_find_foreign(c->arena, first->name.name) : NULL;
    if (!flag || !flag->advice || fe_find(c, FE_NAMES, first->name.name))
        return;
    fe_report(c->fe, FE_MSG(foreign_word), first->where, flag->text, flag->advice);
    fe_fixit(c->fe, (span){e->op_at.end, (place){e->where.end.line, e->where.end.column - 1}}, "");
    e->call.args = NULL;
    e->call.arg_count = 0;
}

static struct fe_expr *check_builtin_call(struct checker *c, struct fe_expr *e, const struct fe_builtin *b)
{
    struct fe_type *generic;
    e->call.callee->name.builtin = b;
    e->call.callee->type = c->types->basic[FE_TYPE_VOID];
    if (b->how == FE_HOW_SPECIAL)
        return check_special_call(c, e);
    if (b->how == FE_HOW_TOKEN) {
        fe_report(c->fe, FE_MSG(token_maker), e->where, b->name);
        return fe_poison(c, e);
    }
    if (b->how == FE_HOW_PRINTF) {
        check_call_token(c, e, false);
        return fe_check_printf(c, e);
    }
    if (fe_builtin_params(b) == 0 && !e->call.token)
        drop_flags(c, e);
    bool good = check_arguments(c, e);
    note_builtin_use(c, e, b);
    bool short_counter = b->how == FE_HOW_COUNTER && e->call.arg_count == 1; /* it has no limit */
    if (!check_count(c, e, fe_builtin_params(b) - short_counter, false) || !good)
        return fe_poison(c, e);
    if (strpbrk(b->signature, "VW"))
        return fe_check_whole_vectors(c, e, b);
    if (fe_vector_among(e))
        return check_vector_builtin(c, e, b);
    if (!resolve_generic(c, e, b, &generic))
        return fe_poison(c, e);
    uint32_t i = 0;
    for (struct fe_expr **a = &e->call.args; *a; a = &(*a)->next) {
        char letter = fe_builtin_param(b, i++);
        if (!strchr("PQRezZxys", letter))
            convert_argument(c, a, fe_builtin_type(c->types, letter, generic));
        if (fe_is_error((*a)->type))
            return fe_poison(c, e);
    }
    e->type = fe_builtin_type(c->types, b->signature[0], generic);
    fold_builtin(e, b, generic);
    return e;
}

struct fe_expr *fe_check_call(struct checker *c, struct fe_expr *e)
{
    struct fe_expr *callee = e->call.callee;
    if (callee->kind == FE_EXPR_NAME && !fe_find(c, FE_NAMES, callee->name.name)) {
        const struct fe_builtin *b = fe_find_builtin(c, callee->name.name);
        if (b)
            return check_builtin_call(c, e, b);
        struct fe_expr *vector = fe_check_vector_call(c, e);
        if (vector)
            return vector;
    }
    return check_function_call(c, e);
}
