/* instance.c: address spaces that a program leaves open, and functions checked once for each choice of them.
 *
 * A pointer is open if no space is written for what it points to. Of a parameter it takes its space from the
 * argument, of a variable of a function from its initialiser, of a cast from what is cast; where these are no
 * pointers it is private. A function with open parameters is checked and lowered once for each combination of
 * spaces that it is called with: an *instance*, a function of its own whose name says the spaces. As written,
 * with private pointers, it is checked if it is called so, if its address is taken, or if nobody calls it.
 * An open result takes the space of the first open parameter.
 *
 * A variable that is declared without a value, or with a null one, has an *undecided* pointer: a type of its
 * own, private at first, whose space is set by the first pointer that it meets in the text. Expressions before
 * that refer to the same type, so that they need not be checked again; d->type is the usual type from there on.
 * What asks for the space before it is decided settles it as private: the address of what it points to, a cast,
 * a call that would choose an instance. Two undecided pointers that meet are decided together.
 */
#include "frontend/check/check.h"

static bool is_data_pointer(const struct fe_type *t)
{
    return fe_is_pointer(t) && !fe_is_function_pointer(t);
}

/* Whether the form says no space of this type, a pointer to data. An array that is a parameter is a pointer. */
static bool is_open(const struct fe_form *f, const struct fe_type *t)
{
    bool points = f->kind == FE_FORM_POINTER || f->kind == FE_FORM_ARRAY;
    return points && is_data_pointer(t) && fe_form_space(f->of) == FE_SPACE_NONE;
}

struct fe_type *fe_adopt_spaces(struct checker *c, const struct fe_form *f, struct fe_type *t,
                                const struct fe_type *from)
{
    bool points = f->kind == FE_FORM_POINTER || f->kind == FE_FORM_ARRAY;
    if (!points || !is_data_pointer(t) || !is_data_pointer(from))
        return t;
    struct fe_type *of = fe_adopt_spaces(c, f->of, t->of, from->of);
    bool takes = is_open(f, t) && (from->space != FE_SPACE_CONSTANT || of->is_const);
    struct fe_type *r = fe_pointer_to(c->types, of, takes ? from->space : t->space);
    return t->is_const ? fe_const_of(c->types, r) : r;
}

/* ---- variables that are given a pointer later -------------------------------------------------------- */

struct fe_type *fe_undecided_of(struct checker *c, const struct fe_form *f, struct fe_type *t,
                                struct fe_decl *d)
{
    if (t->kind == FE_TYPE_ARRAY && f->kind == FE_FORM_ARRAY) {
        struct fe_type *of = fe_undecided_of(c, f->of, t->of, d);
        return of == t->of ? t : fe_array_of(c->types, of, t->count);
    }
    if (f->kind != FE_FORM_POINTER || t->is_const || !is_open(f, t))
        return t;
    struct fe_type *u = arena_new(c->arena, struct fe_type);
    *u = *t;
    u->plain = u->with = u;
    u->qualified = NULL;
    memset(u->pointers, 0, sizeof u->pointers);
    u->decl = d;
    return u;
}

struct fe_type *fe_resolve_type(struct checker *c, struct fe_type *t)
{
    if (t->kind == FE_TYPE_ARRAY) {
        struct fe_type *of = fe_resolve_type(c, t->of);
        return of == t->of ? t : fe_array_of(c->types, of, t->count);
    }
    bool other = is_data_pointer(t) && !t->is_const && !t->decl;
    return other ? fe_pointer_to(c->types, t->of, (enum fe_space)t->space) : t;
}

static void decide(struct checker *c, struct fe_type *t, enum fe_space space)
{
    while (fe_is_undecided(t)) {
        struct fe_decl *d = t->decl;
        t->space = (uint8_t)space;
        t->decl = NULL;
        d->type = fe_resolve_type(c, d->type);
        t = t->with;
    }
}

/* Makes one ring of two, unless they are one already. */
static void join(struct fe_type *a, struct fe_type *b)
{
    struct fe_type *t = a;
    while (t->with != a && t != b)
        t = t->with;
    if (t == b)
        return;
    t = a->with;
    a->with = b->with;
    b->with = t;
}

void fe_unify_spaces(struct checker *c, struct fe_type *a, struct fe_type *b)
{
    if (!is_data_pointer(a) || !is_data_pointer(b))
        return;
    if (fe_is_undecided(a) && fe_is_undecided(b))
        join(a, b);
    else if (fe_is_undecided(a))
        decide(c, a, (enum fe_space)b->space);
    else
        decide(c, b, (enum fe_space)a->space);
}

void fe_default_space(struct checker *c, struct fe_type *t)
{
    decide(c, t, FE_SPACE_PRIVATE);
}

/* ---- kernels ------------------------------------------------------------------------------------------- */

void fe_close_kernel(struct fe_decl *kernel)
{
    for (struct fe_decl *p = fe_params(kernel); p; p = p->next)
        for (struct fe_form *f = p->form; f->kind == FE_FORM_POINTER || f->kind == FE_FORM_ARRAY; f = f->of) {
            struct fe_form *to = f->of;
            while (to->kind == FE_FORM_ARRAY)
                to = to->of;
            if (to->kind != FE_FORM_FUNCTION && to->space == FE_SPACE_NONE)
                to->space = FE_SPACE_GLOBAL;
        }
}

/* ---- instances --------------------------------------------------------------------------------------- */

/* Its body, as written or of an instance, is to be checked. */
static void need(struct checker *c, struct fe_function *f, span where)
{
    if (f->versions.is_needed)
        return;
    f->versions.is_needed = true;
    f->versions.called_at = where;
    vec_push(c->arena, &c->instances.needed, f);
}

void fe_need_as_written(struct checker *c, struct fe_function *f, span where)
{
    if (f->versions.is_open)
        need(c, f, where);
}

void fe_note_open(struct fe_function *f)
{
    for (const struct fe_decl *p = fe_params(f->decl); p; p = p->next)
        f->versions.is_open |= is_open(p->form, p->type);
    f->versions.is_open &= !f->is_kernel;
}

static void add_spaces(struct text *name, const struct fe_form *f, const struct fe_type *t)
{
    for (; is_data_pointer(t) && (f->kind == FE_FORM_POINTER || f->kind == FE_FORM_ARRAY);
         f = f->of, t = t->of)
        if (is_open(f, t))
            text_printf(name, ".%s", fe_space_text[t->space]);
}

/* "sum.global.private": a space for each open pointer. */
static const char *instance_name(struct checker *c, const struct fe_function *f, struct fe_type *const *types)
{
    struct text name = {.arena = c->arena};
    uint32_t i = 0;
    text_addz(&name, f->name);
    for (const struct fe_decl *p = fe_params(f->decl); p; p = p->next)
        add_spaces(&name, p->form, types[i++]);
    return intern_z(&c->fe->strings, name.at);
}

static struct fe_function *instance_new(struct checker *c, struct fe_function *f, struct fe_type *type,
                                        struct fe_type *const *types, span where)
{
    struct fe_decl *d = arena_new(c->arena, struct fe_decl);
    struct fe_function *i = arena_new(c->arena, struct fe_function);
    struct fe_decl **to;
    uint32_t n = 0;
    *d = *f->decl;
    d->form = arena_new(c->arena, struct fe_form);
    *d->form = *f->decl->form;
    to = &d->form->function.params;
    for (const struct fe_decl *p = fe_params(f->decl); p; p = p->next, to = &(*to)->next) {
        *to = arena_new(c->arena, struct fe_decl);
        **to = *p;
        (*to)->type = types[n++];
        (*to)->used = false;
    }
    d->type = type;
    d->used = true;
    d->info = i;
    d->body = fe_copy_body(c->arena, f->versions.pristine ? f->versions.pristine : f->decl->body);
    i->name = instance_name(c, f, types);
    i->decl = d;
    i->type = type;
    i->index = c->program->functions.count;
    i->is_defined = true;
    i->convergent = f->convergent;
    i->versions.written = f;
    vec_push(c->arena, &i->tokens.loops, (struct fe_loop){0});
    vec_push(c->arena, &c->program->functions, i);
    vec_push(c->arena, &f->versions.instances, i);
    need(c, i, where);
    return i;
}

/* The instance of this type; one too many gives a message and NULL. */
static struct fe_function *instance_of(struct checker *c, struct fe_function *f, struct fe_type *type,
                                       struct fe_type *const *types, span where)
{
    uint32_t limit = c->fe->options.limits.instances;
    for (uint32_t i = 0; i < f->versions.instances.count; i++)
        if (f->versions.instances.at[i]->type == type)
            return f->versions.instances.at[i];
    if (c->instances.count++ >= limit) {
        if (c->instances.count == limit + 1)
            fe_report(c->fe, FE_MSG(too_many_instances), where, limit);
        return NULL;
    }
    return instance_new(c, f, type, types, where);
}

/* An open result is a pointer into the space of the first open parameter. */
static struct fe_type *result_type(struct checker *c, const struct fe_function *f,
                                   struct fe_type *const *types)
{
    struct fe_type *result = f->type->of;
    uint32_t i = 0;
    for (const struct fe_decl *p = fe_params(f->decl); p; p = p->next, i++)
        if (is_open(p->form, p->type))
            return fe_adopt_spaces(c, f->decl->form->of, result,
                                   fe_pointer_to(c->types, result, (enum fe_space)types[i]->space));
    return result;
}

struct fe_function *fe_instance(struct checker *c, struct fe_function *f, const struct fe_expr *call)
{
    uint32_t n = f->type->param_count, i = 0;
    if (!f->versions.is_open || !f->is_defined)
        return f;
    struct fe_type **types = arena_array(c->arena, struct fe_type *, n);
    const struct fe_expr *a = call->call.args;
    for (const struct fe_decl *p = fe_params(f->decl); p; p = p->next, a = a->next) {
        if (is_open(p->form, p->type))
            fe_default_space(c, a->type);
        types[i++] = fe_adopt_spaces(c, p->form, p->type, a->type->plain);
    }
    struct fe_type *type = fe_function_of(c->types, result_type(c, f, types), n, types);
    if (type == f->type) {
        need(c, f, call->where);
        return f;
    }
    return instance_of(c, f, type, types, call->where);
}

/* ---- bodies ------------------------------------------------------------------------------------------ */

/* The versions of one function share their messages: after a mistake the others are not looked at, and
 * warnings are given once. */
static void check_version(struct checker *c, struct fe_function *f)
{
    struct fe_function *written = f->versions.written ? f->versions.written : f;
    uint32_t errors = c->fe->diags->errors;
    if (written->versions.has_failed)
        return;
    if (f == written && !written->versions.pristine)
        written->versions.pristine = fe_copy_body(c->arena, written->decl->body);
    c->fe->is_repeating = written->versions.is_checked;
    if (f->versions.written || f->versions.instances.count)
        c->fe->instance =
            (struct fe_instance_note){written->name, fe_type_text(c, f->type), f->versions.called_at, false};
    fe_check_body(c, f);
    fe_end_instance(c->fe);
    c->fe->is_repeating = false;
    written->versions.is_checked = true;
    written->versions.has_failed = c->fe->diags->errors > errors;
}

static void check_needed(struct checker *c)
{
    while (c->instances.checked < c->instances.needed.count)
        check_version(c, c->instances.needed.at[c->instances.checked++]);
}

/* The body of a function with a parameter or result that is of no type: for its messages alone. */
static void check_nameless(struct checker *c, struct fe_decl *d)
{
    struct fe_function *f = arena_new(c->arena, struct fe_function);
    f->name = d->name;
    f->decl = d;
    f->type = fe_function_of(c->types, c->types->error, 0, NULL);
    f->is_kernel = d->flags & FE_DECL_KERNEL;
    vec_push(c->arena, &f->tokens.loops, (struct fe_loop){0});
    fe_check_body(c, f);
}

void fe_check_bodies(struct checker *c)
{
    uint32_t count = c->program->functions.count;
    for (struct fe_decl *d = c->program->unit->first; d; d = d->next) {
        if (d->kind != FE_DECL_FUNCTION || !d->body)
            continue;
        if (!fe_is_error(d->type) && !fe_function(d)->versions.is_open)
            fe_check_body(c, fe_function(d));
        else if (fe_is_error(d->form->type))
            check_nameless(c, d);
    }
    check_needed(c);
    for (uint32_t i = 0; i < count; i++) {
        struct fe_function *f = c->program->functions.at[i];
        if (f->versions.is_open && f->is_defined && !f->versions.instances.count)
            need(c, f, f->decl->name_at);
        check_needed(c);
        if (f->is_predicted && f->versions.instances.count)
            fe_report(c->fe, FE_MSG(predict_open), f->predicted_at, f->name);
        f->is_defined &= !f->versions.is_open || f->versions.is_needed || f->is_predicted;
    }
}
