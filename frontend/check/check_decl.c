/* check_decl.c: declarations: variables with their address spaces, tokens, functions, kernels; values that the
 * caller gives to constants.
 *
 * Outside functions a variable is constant data (`const`, `constant`) or shared memory. A const scalar with
 * a constant value is itself a constant expression, wherever it is declared. All declarations of one
 * function share one fe_function.
 */
#include "base/nearest.h"
#include "frontend/check/check.h"
#include "ir/limits.h"

/* ---- variables --------------------------------------------------------------------------------------- */

static struct fe_variable *variable_new(struct checker *c, struct fe_decl *d, enum fe_space space)
{
    struct fe_variable *v = arena_new(c->arena, struct fe_variable);
    v->decl = d;
    v->space = (uint8_t)(space == FE_SPACE_NONE ? FE_SPACE_PRIVATE : space);
    v->loop = c->nest.loop;
    v->ends = UINT32_MAX;
    d->info = v;
    return v;
}

/* The scope of a function's variable begins; it ends in fe_leave_decl. */
static void begin_scope(struct checker *c, struct fe_variable *v)
{
    if (c->scopes.level == 0)
        return;
    v->begins = ++c->body.point;
    v->outer = c->nest.visible;
    c->nest.visible = v;
}

static const struct fe_type *element_of(const struct fe_type *t)
{
    while (t->kind == FE_TYPE_ARRAY)
        t = t->of;
    return t;
}

/* The space the variable lives in, after complaining about one that it can't live in. */
static enum fe_space variable_space(struct checker *c, struct fe_decl *d)
{
    enum fe_space space = fe_form_space(d->form);
    if (space == FE_SPACE_GLOBAL) {
        fe_report(c->fe, FE_MSG(global_variable), d->name_at, d->name);
        return FE_SPACE_PRIVATE;
    }
    if (c->scopes.level > 0 || space == FE_SPACE_SHARED || space == FE_SPACE_CONSTANT)
        return space;
    if (d->type->is_const && space != FE_SPACE_PRIVATE)
        return FE_SPACE_CONSTANT;
    if (!fe_is_error(element_of(d->type)))
        fe_report(c->fe, FE_MSG(file_variable), d->name_at, d->name,
                  fe_type_text(c, element_of(d->type)->plain), d->name);
    d->type = c->types->error;
    return FE_SPACE_PRIVATE;
}

static bool add_unsized(struct checker *c, struct fe_decl *d)
{
    struct fe_function *kernel = c->function;
    bool fits = kernel->unsized.count < LAUNCH_MAX_SHARED;
    if (fits)
        vec_push(c->arena, &kernel->unsized, d);
    else
        fe_report(c->fe, FE_MSG(unsized_many), d->name_at, LAUNCH_MAX_SHARED);
    return fits;
}

/* `shared float tile[];` stands in kernels only. */
static bool check_unsized(struct checker *c, struct fe_decl *d)
{
    bool in_kernel = c->scopes.level && c->function && c->function->is_kernel;
    if (in_kernel && add_unsized(c, d))
        return true;
    if (!in_kernel)
        fe_report(c->fe, FE_MSG(unsized_place), d->name_at, d->name, fe_type_text(c, d->type->of), d->name);
    d->type = c->types->error;
    return false;
}

static bool check_variable_type(struct checker *c, struct fe_decl *d)
{
    struct fe_type *t = d->type;
    bool sized_by_init = t->kind == FE_TYPE_ARRAY && t->count == FE_UNSIZED && d->init;
    if (fe_is_error(t) || t->is_complete || sized_by_init)
        return true;
    if (t->kind == FE_TYPE_ARRAY && t->of->is_complete && fe_form_space(d->form) == FE_SPACE_SHARED)
        return check_unsized(c, d);
    if (t->kind == FE_TYPE_ARRAY && t->of->is_complete)
        fe_report(c->fe, FE_MSG(unsized_array), d->name_at, d->name, fe_type_text(c, t->of), d->name);
    else
        fe_report(c->fe, FE_MSG(variable_type), d->name_at, d->name, fe_type_text(c, t));
    d->type = c->types->error;
    return false;
}

static void check_variable_init(struct checker *c, struct fe_decl *d, struct fe_variable *v)
{
    bool is_object = v->space == FE_SPACE_SHARED || v->space == FE_SPACE_CONSTANT;
    if (v->space == FE_SPACE_SHARED && d->init)
        fe_report(c->fe, FE_MSG(shared_initialiser), d->init->where);
    else if (v->space == FE_SPACE_CONSTANT && !d->init && !fe_is_error(d->type))
        fe_report(c->fe, FE_MSG(constant_without_value), d->name_at, d->name, d->name);
    if (!d->init && !is_object)
        fe_note_unset(d->type);
    if (d->init) {
        struct fe_expr *init = d->init;
        fe_note_referred(c, d, init);
        d->init = NULL; /* not yet a value that the initialiser itself could use */
        c->body.own_value = fe_is_scalar(d->type) && !is_object ? v : NULL;
        init = fe_check_init(c, init, c->scopes.level ? d->form : NULL, &d->type);
        d->type = fe_resolve_type(c, d->type);
        c->body.own_value = NULL;
        v->in_own_value = d->used;
        if (v->space == FE_SPACE_CONSTANT && !fe_is_error(init->type) && !init->constant &&
            !fe_named_function(init))
            fe_report(c->fe, FE_MSG(initialiser_not_constant), init->where, d->name);
        d->init = init;
        fe_define(c, d);
        v->assigned = true;
    } else if (!is_object) {
        v->never_set = fe_is_scalar(d->type) && c->scopes.level;
    }
    v->read |= v->space == FE_SPACE_SHARED;
}

static void check_variable(struct checker *c, struct fe_decl *d)
{
    fe_deduce(c, d);
    d->type = fe_check_form(c, d->form);
    check_variable_type(c, d);
    enum fe_space space = variable_space(c, d);
    if (space == FE_SPACE_CONSTANT)
        d->type = fe_const_of(c->types, d->type);
    if (c->scopes.level && !fe_is_error(d->type))
        d->type = fe_undecided_of(c, d->form, d->type, d);
    struct fe_variable *v = variable_new(c, d, space);
    fe_enter(c, FE_NAMES, d);
    begin_scope(c, v);
    check_variable_init(c, d, v);
    if (space == FE_SPACE_CONSTANT && d->type->is_complete)
        d->type = fe_const_of(c->types, d->type);
}

/* ---- tokens ------------------------------------------------------------------------------------------ */

static void check_heart(struct checker *c, struct fe_variable *v, struct fe_expr *call)
{
    if (call->call.arg_count != 1) {
        fe_report(c->fe, FE_MSG(argument_count), call->where, 1, "", call->call.arg_count);
        return;
    }
    fe_check_token_use(c, call->call.args, true);
    struct fe_loop *loop = &c->function->tokens.loops.at[c->nest.loop];
    if (!c->nest.heart_allowed) {
        fe_report(c->fe, FE_MSG(heart_place), call->where);
        return;
    }
    loop->controlled = true;
    loop->heart = v;
}

static void check_token_init(struct checker *c, struct fe_decl *d, struct fe_variable *v)
{
    struct fe_expr *e = d->init;
    const struct fe_builtin *b = NULL;
    if (e && e->kind == FE_EXPR_CALL && e->call.callee->kind == FE_EXPR_NAME &&
        !fe_find(c, FE_NAMES, e->call.callee->name.name))
        b = fe_find_builtin(c, e->call.callee->name.name);
    if (!b || b->how != FE_HOW_TOKEN || e->call.token) {
        fe_report(c->fe, FE_MSG(token_initialiser), e ? e->where : d->name_at);
        return;
    }
    e->call.callee->name.builtin = b;
    e->type = d->type;
    if (!c->function->tokens.controlled)
        c->function->tokens.controlled_at = e->where;
    c->function->tokens.controlled = true;
    fe_add_use(c, FE_USE_CONVERGENT, e->where, true);
    if (b->op[0] == IR_loop) {
        check_heart(c, v, e);
    } else if (e->call.arg_count) {
        fe_report(c->fe, FE_MSG(argument_count), e->where, 0, "s", e->call.arg_count);
    } else if (b->op[0] == IR_entry) {
        if (c->function->tokens.makes_entry || c->nest.loop)
            fe_report(c->fe, FE_MSG(entry_place), e->where);
        c->function->tokens.makes_entry = true;
    }
}

static void check_token(struct checker *c, struct fe_decl *d)
{
    d->type = c->types->basic[FE_TYPE_TOKEN];
    struct fe_variable *v = variable_new(c, d, FE_SPACE_PRIVATE);
    if (c->scopes.level == 0) {
        fe_report(c->fe, FE_MSG(token_type), d->name_at);
        d->type = c->types->error;
        return;
    }
    check_token_init(c, d, v);
    v->assigned = true;
    if (!fe_enter(c, FE_NAMES, d))
        begin_scope(c, v);
}

/* ---- functions --------------------------------------------------------------------------------------- */

/* Numbers and what is made of them. */
static bool is_of_numbers(const struct fe_type *t)
{
    while (t->kind == FE_TYPE_ARRAY)
        t = t->of;
    if (t->kind != FE_TYPE_STRUCT)
        return fe_is_arithmetic(t);
    for (const struct fe_decl *f = t->decl->members.first; f; f = f->next)
        if (!is_of_numbers(f->type))
            return false;
    return true;
}

/* A structure of numbers, which is passed number by number. */
static bool is_plain_data(const struct fe_type *t)
{
    return t->kind == FE_TYPE_STRUCT && t->is_complete && t->scalars <= IR_MAX_ARGS - 2 && is_of_numbers(t);
}

static void check_kernel_parameter(struct checker *c, struct fe_decl *p)
{
    const struct fe_type *t = p->type;
    bool data = fe_is_pointer(t) && !fe_is_function_pointer(t) &&
                (t->space == FE_SPACE_GLOBAL || t->space == FE_SPACE_CONSTANT);
    bool is_private = fe_is_pointer(t) && !fe_is_function_pointer(t) && t->space == FE_SPACE_PRIVATE;
    if (is_private && !fe_is_pointer(t->of))
        fe_report(c->fe, FE_MSG(kernel_pointer), p->where, fe_type_text(c, t));
    else if (fe_is_unsized(p) && t->of->is_complete)
        return;
    else if (fe_is_unsized(p))
        fe_report(c->fe, FE_MSG(kernel_shared), p->where, fe_type_text(c, t));
    else if (!fe_is_error(t) && !data && !fe_is_arithmetic(t) && !is_plain_data(t))
        fe_report(c->fe, FE_MSG(kernel_parameter), p->where, fe_type_text(c, t));
}

static void check_extern(struct checker *c, struct fe_decl *d)
{
    if (d->body)
        fe_report(c->fe, FE_MSG(extern_body), d->name_at, d->name);
    if (d->flags & (FE_DECL_KERNEL | FE_DECL_CONVERGENT))
        fe_report(c->fe, FE_MSG(extern_flags), d->name_at, d->name);
    if (!fe_is_arithmetic(d->type->of) && d->type->of->kind != FE_TYPE_VOID)
        fe_report(c->fe, FE_MSG(extern_type), d->name_at, fe_type_text(c, d->type->of));
    uint32_t n = 0;
    for (struct fe_decl *p = fe_params(d); p; p = p->next, n++)
        if (!fe_is_arithmetic(p->type))
            fe_report(c->fe, FE_MSG(extern_type), p->where, fe_type_text(c, p->type));
    if (n > IR_MAX_HOST_ARGS)
        fe_report(c->fe, FE_MSG(extern_parameters), d->name_at, IR_MAX_HOST_ARGS);
}

static void check_signature(struct checker *c, struct fe_decl *d)
{
    if (d->flags & FE_DECL_EXTERN)
        check_extern(c, d);
    if (!(d->flags & FE_DECL_KERNEL))
        return;
    if (d->type->of->kind != FE_TYPE_VOID)
        fe_report(c->fe, FE_MSG(kernel_result), d->name_at, d->name);
    uint32_t scalars = 0;
    for (struct fe_decl *p = fe_params(d); p; p = p->next) {
        check_kernel_parameter(c, p);
        scalars += is_plain_data(p->type) ? p->type->scalars : 1;
    }
    if (scalars > IR_MAX_ARGS - 2)
        fe_report(c->fe, FE_MSG(too_many_parameters), d->name_at, IR_MAX_ARGS - 2);
}

static struct fe_function *function_new(struct checker *c, struct fe_decl *d)
{
    struct fe_function *f = arena_new(c->arena, struct fe_function);
    f->name = d->name;
    f->decl = d;
    f->type = d->type;
    f->index = c->program->functions.count;
    f->is_kernel = d->flags & FE_DECL_KERNEL;
    f->is_extern = d->flags & FE_DECL_EXTERN;
    vec_push(c->arena, &f->tokens.loops, (struct fe_loop){0});
    vec_push(c->arena, &c->program->functions, f);
    return f;
}

/* A further declaration of a function: the same type and words; at most one body. */
static void redeclare(struct checker *c, struct fe_decl *d, struct fe_decl *there)
{
    struct fe_function *f = fe_is_error(there->type) ? NULL : there->info;
    uint32_t differ = (d->flags ^ there->flags) & (FE_DECL_KERNEL | FE_DECL_EXTERN);
    if (!f || fe_is_error(d->type)) {
        d->type = c->types->error;
        return;
    }
    d->info = f;
    if (d->type != there->type || differ) {
        fe_report(c->fe, FE_MSG(conflicting_declaration), d->name_at, d->name, fe_type_text(c, d->type),
                  fe_type_text(c, there->type));
        fe_note(c->fe, FE_MSG(previous_declaration), there->name_at, there->name);
        d->type = c->types->error;
    } else if (d->body && f->is_defined) {
        fe_report(c->fe, FE_MSG(redefinition), d->name_at, d->name);
        fe_note(c->fe, FE_MSG(previous_declaration), f->decl->name_at, d->name);
        d->type = c->types->error;
    }
}

static void check_function(struct checker *c, struct fe_decl *d)
{
    if (d->flags & FE_DECL_KERNEL)
        fe_close_kernel(d);
    d->type = fe_check_form(c, d->form);
    if (c->scopes.level > 0) {
        fe_report(c->fe, FE_MSG(local_function), d->name_at, d->name);
        d->type = c->types->error;
        return;
    }
    struct fe_decl *there = fe_find_here(c, FE_NAMES, d->name);
    if (there && there->kind == FE_DECL_FUNCTION) {
        redeclare(c, d, there);
    } else if (fe_enter(c, FE_NAMES, d)) {
        d->type = c->types->error;
    } else if (!fe_is_error(d->type)) {
        d->info = function_new(c, d);
    }
    if (fe_is_error(d->type))
        return;
    check_signature(c, d);
    struct fe_function *f = fe_function(d);
    f->convergent |= (d->flags & FE_DECL_CONVERGENT) != 0;
    if (d->body) {
        bool used = f->decl->used;
        f->is_defined = true;
        f->decl = d;
        d->used |= used;
        fe_note_open(f);
    }
}

/* ---- assertions -------------------------------------------------------------------------------------- */

static void check_static_assert(struct checker *c, struct fe_decl *d)
{
    const struct fe_expr *text = d->init->next;
    struct fe_expr *x = d->init = fe_check_value(c, d->init);
    if (fe_is_error(x->type))
        return;
    if (!x->constant || !fe_is_scalar(x->type)) {
        fe_report(c->fe, FE_MSG(not_constant), x->where, "the condition of static_assert");
    } else if (fe_is_zero(x->type, x->value)) {
        const char *said = text ? arena_strdup(c->arena, text->string.bytes, text->string.length) : "";
        fe_report(c->fe, FE_MSG(static_assert_failed), x->where, *said ? ": " : "", said);
    }
}

/* ---- typedefs ---------------------------------------------------------------------------------------- */

/* `typedef unsigned int uint;` says what is so. */
static void check_builtin_typedef(struct checker *c, struct fe_decl *d)
{
    const struct fe_type *there = c->types->error;
    size_t n;
    const char *text = fe_span_text(c->fe, d->name_at, &n);
    for (int k = 0; k <= FE_TYPE_TOKEN; k++)
        if (strcmp(fe_word_text[k], d->name) == 0)
            there = c->types->basic[k];
    if (!fe_is_error(d->type) && d->type != there)
        fe_report(c->fe, FE_MSG(typedef_of_word), d->name_at, arena_strdup(c->arena, text, n),
                  fe_type_text(c, there), fe_type_text(c, d->type));
}

static void check_typedef(struct checker *c, struct fe_decl *d)
{
    d->type = fe_check_form(c, d->form);
    if (fe_form_space(d->form) != FE_SPACE_NONE)
        fe_report(c->fe, FE_MSG(misplaced_space), d->where, fe_space_text[fe_form_space(d->form)]);
    if (d->flags & FE_DECL_WORD)
        check_builtin_typedef(c, d);
    else
        fe_enter(c, FE_NAMES, d);
}

/* ---- any declaration --------------------------------------------------------------------------------- */

void fe_check_decl(struct checker *c, struct fe_decl *d)
{
    switch (d->kind) {
    case FE_DECL_VARIABLE:
        if (d->form->kind == FE_FORM_WORD && d->form->word == FE_WORD_TOKEN)
            check_token(c, d);
        else
            check_variable(c, d);
        break;
    case FE_DECL_FUNCTION: check_function(c, d); break;
    case FE_DECL_TYPEDEF: check_typedef(c, d); break;
    case FE_DECL_STRUCT: fe_check_struct(c, d); break;
    case FE_DECL_ENUM: fe_check_enum(c, d); break;
    case FE_DECL_ASSERT: check_static_assert(c, d); break;
    default: break; /* launches are checked last */
    }
}

void fe_enter_parameter(struct checker *c, struct fe_decl *p)
{
    if (!p->name)
        return;
    if (!p->type)
        p->type = c->types->error;
    variable_new(c, p, FE_SPACE_PRIVATE);
    if (c->function && c->function->is_kernel && fe_is_unsized(p) && p->type->of->is_complete)
        add_unsized(c, p);
    fe_enter(c, FE_NAMES, p);
}

void fe_leave_decl(struct checker *c, struct fe_decl *d)
{
    bool is_parameter = d->kind == FE_DECL_PARAMETER;
    struct fe_variable *v = d->kind == FE_DECL_VARIABLE || is_parameter ? fe_variable(d) : NULL;
    if (v && !is_parameter)
        v->ends = c->body.point;
    if (!v || !d->type || fe_is_error(d->type) || c->scopes.level == 0)
        return;
    if (d->reference)
        return;
    if (is_parameter) {
        if (v->assigned && !v->read)
            fe_report(c->fe, FE_MSG(unread_parameter), d->name_at, d->name);
        return;
    }
    if (!d->used)
        fe_report(c->fe, FE_MSG(unused_variable), d->name_at, d->name);
    else if (!v->read && !d->type->is_const)
        fe_report(c->fe, FE_MSG(unread_variable), d->name_at, d->name);
}

/* ---- -D NAME=VALUE ----------------------------------------------------------------------------------- */

/* Values that the caller gives to constants of the file. Only scalars outside functions are such constants:
 * what they are declared with is checked as ever, and then replaced, before anything reads it. */

/* "NAME=VALUE", or "NAME", which is 1. */
static bool names(const char *define, const char *name)
{
    size_t n = strcspn(define, "=");
    return strlen(name) == n && memcmp(define, name, n) == 0;
}

static bool is_settable(const struct fe_decl *d)
{
    const struct fe_variable *v = d->kind == FE_DECL_VARIABLE ? fe_variable(d) : NULL;
    return v && v->space == FE_SPACE_CONSTANT && fe_is_scalar(d->type) && !fe_is_pointer(d->type);
}

/* NULL, or why the text is no value of the type. */
static const char *value_of(struct checker *c, const char *define, const char *text, const struct fe_type *t,
                            scalar_bits *bits)
{
    struct launch_value v = {0};
    bool octal = false;
    bool truth = t->kind == FE_TYPE_BOOL && (strcmp(text, "true") == 0 || strcmp(text, "false") == 0);
    if (truth) {
        *bits = text[0] == 't';
        return NULL;
    }
    const char *wrong = launch_parse_source_number(c->arena, text, &v.n[0], &octal);
    if (wrong)
        return t->kind == FE_TYPE_BOOL ? "wanted is true or false" : wrong;
    uint64_t magnitude = *text == '-' ? 0 - (uint64_t)v.n[0].i : (uint64_t)v.n[0].i;
    if (octal && magnitude >= 8)
        fe_report(c->fe, FE_MSG(define_octal), (span){0}, define, (unsigned long long)magnitude);
    return launch_make_scalar(&v, fe_launch_element(t), 0, bits);
}

/* The last one given counts, as with other compilers. */
static const char *find(const struct fe_options *o, const char *name)
{
    for (uint32_t i = o->define_count; i-- > 0;)
        if (names(o->defines[i], name))
            return o->defines[i];
    return NULL;
}

void fe_define(struct checker *c, struct fe_decl *d)
{
    const char *define = c->scopes.level == 0 && is_settable(d) ? find(&c->fe->options, d->name) : NULL;
    if (!define || !d->init || fe_is_error(d->init->type))
        return;
    const char *text = define[strlen(d->name)] ? define + strlen(d->name) + 1 : "1";
    struct fe_expr *e = arena_new(c->arena, struct fe_expr);
    *e = *d->init;
    const char *wrong = value_of(c, define, text, d->type, &e->value);
    if (wrong)
        fe_report(c->fe, FE_MSG(define_value), (span){0}, define, fe_type_text(c, d->type), wrong);
    else
        d->init = e;
}

/* "; it has N, scale", or that it has none. */
static const char *settable_names(struct checker *c)
{
    const char *names = "";
    for (const struct fe_decl *d = c->program->unit->first; d; d = d->next)
        if (is_settable(d))
            names = arena_printf(c->arena, "%s%s%s", names, *names ? ", " : "", d->name);
    return *names ? arena_printf(c->arena, "; it has %s", names) : "; it has none";
}

void fe_check_defines(struct checker *c)
{
    for (uint32_t i = 0; i < c->fe->options.define_count; i++) {
        const char *define = c->fe->options.defines[i];
        const char *name = arena_strdup(c->arena, define, strcspn(define, "="));
        struct nearest near = nearest_to(name);
        bool found = false;
        for (const struct fe_decl *d = c->program->unit->first; d && !found; d = d->next) {
            if (!is_settable(d))
                continue;
            found = names(define, d->name);
            nearest_consider(&near, d->name);
        }
        const char *meant = found ? NULL : nearest_name(&near);
        if (!found)
            fe_report(c->fe, FE_MSG(define_unknown), (span){0}, define, name,
                      meant ? arena_printf(c->arena, "; did you mean '%s'?", meant) : settable_names(c));
    }
}
