/* check_type.c: types as written become types; structures and enumerations are defined. */
#include "frontend/check/check.h"
#include "ir/limits.h"

enum fe_space fe_form_space(const struct fe_form *f)
{
    while (f->kind == FE_FORM_ARRAY)
        f = f->of;
    return f->space;
}

/* ---- structures and enumerations --------------------------------------------------------------------- */

static uint64_t field_key(const struct fe_type *structure, const char *name)
{
    return hash_mix((uintptr_t)structure->decl, (uintptr_t)name);
}

/* The compiler's own structures are not in the map. */
static struct fe_decl *vector_field(const struct fe_type *vector, const char *name)
{
    for (struct fe_decl *f = vector->decl->members.first; f; f = f->next)
        if (strcmp(f->name, name) == 0)
            return f;
    return NULL;
}

struct fe_decl *fe_find_field(struct checker *c, const struct fe_type *structure, const char *name)
{
    if (fe_is_vector(structure))
        return vector_field(structure, name);
    uint64_t key = field_key(structure, name);
    for (uint32_t i; (i = map_get(&c->fields.index, key)) != MAP_NONE; key++) {
        struct fe_decl *f = c->fields.list.at[i];
        if (f->name == name && f->info == structure->decl)
            return f;
    }
    return NULL;
}

static void enter_field(struct checker *c, const struct fe_type *structure, struct fe_decl *f)
{
    uint64_t key = field_key(structure, f->name);
    while (map_get(&c->fields.index, key) != MAP_NONE)
        key++;
    f->info = structure->decl;
    vec_push(c->arena, &c->fields.list, f);
    map_set(c->arena, &c->fields.index, key, c->fields.list.count - 1);
}

static void check_field_name(struct checker *c, const struct fe_type *structure, struct fe_decl *f)
{
    struct fe_decl *there = fe_find_field(c, structure, f->name);
    if (there) {
        fe_report(c->fe, FE_MSG(redefinition), f->name_at, f->name);
        fe_note(c->fe, FE_MSG(previous_declaration), there->name_at, f->name);
    } else {
        enter_field(c, structure, f);
    }
}

static void check_field(struct checker *c, struct fe_type *structure, struct fe_decl *f)
{
    f->type = fe_check_form(c, f->form);
    bool is_object = fe_is_scalar(f->type) || fe_is_aggregate(f->type);
    if (fe_form_space(f->form) != FE_SPACE_NONE) {
        fe_report(c->fe, FE_MSG(misplaced_space), f->where, fe_space_text[fe_form_space(f->form)]);
    } else if (f->type->kind == FE_TYPE_FUNCTION) {
        fe_report(c->fe, FE_MSG(method), f->name_at);
        f->type = c->types->error;
    } else if (!fe_is_error(f->type) && (!f->type->is_complete || !is_object)) {
        fe_report(c->fe, FE_MSG(field_type), f->name_at, fe_type_text(c, f->type));
        f->type = c->types->error;
    }
    if (f->name)
        check_field_name(c, structure, f);
}

/* The members of a member without a name are found in the structure around it: as copies that lie where they
 * are from there. Behind the last one initialisers go on with `behind`, in a union behind each. */
static void promote_fields(struct checker *c, const struct fe_type *structure, const struct fe_decl *unnamed,
                           struct fe_decl *behind)
{
    struct fe_decl *first = NULL, **to = &first;
    if (fe_is_error(unnamed->type))
        return;
    for (const struct fe_decl *f = unnamed->type->decl->members.first; f; f = f->next, to = &(*to)->next) {
        *to = arena_new(c->arena, struct fe_decl);
        **to = *f;
        (*to)->next = NULL;
        (*to)->offset += unnamed->offset;
    }
    for (struct fe_decl *f = first, *next; f; f = next) {
        next = f->next;
        f->next = next && !fe_is_union(unnamed->type) ? next : behind;
        if (f->name)
            check_field_name(c, structure, f);
        else
            promote_fields(c, structure, f, f->next);
    }
}

/* The type that a tag already stands for here if it is still without members, else a new one. */
static struct fe_type *type_to_define(struct checker *c, struct fe_decl *d)
{
    struct fe_decl *there = d->name ? fe_find_here(c, FE_TAGS, d->name) : NULL;
    bool is_union = d->flags & FE_DECL_UNION;
    if (there && there->kind == FE_DECL_STRUCT && there->type && !there->type->is_complete &&
        !there->type->decl && fe_is_union(there->type) == is_union)
        return there->type;
    struct fe_type *t = fe_struct_new(c->types, d->name, is_union);
    d->type = t;
    if (d->name)
        fe_enter(c, FE_TAGS, d);
    return t;
}

void fe_check_struct(struct checker *c, struct fe_decl *d)
{
    if (d->type)
        return;
    struct fe_type *t = type_to_define(c, d);
    d->type = t;
    t->decl = d;
    if (!d->members.first)
        fe_report(c->fe, FE_MSG(empty_structure), d->where);
    for (struct fe_decl *f = d->members.first; f; f = f->next)
        check_field(c, t, f);
    fe_struct_define(c->types, t, d);
    for (struct fe_decl *f = d->members.first; f; f = f->next)
        if (!f->name)
            promote_fields(c, t, f, f->next);
    if (t->size > IR_MAX_OBJECT_BYTES) {
        fe_report(c->fe, FE_MSG(object_too_large), d->name_at, (unsigned long long)IR_MAX_OBJECT_BYTES);
        t->size = t->align;
    }
    if (t->depth > FE_TYPE_DEPTH) {
        fe_report(c->fe, FE_MSG(type_depth), d->name_at, FE_TYPE_DEPTH);
        t->depth = 0;
        d->members.first = NULL;
    }
}

static void set_enumerator(struct checker *c, struct fe_decl *e, int64_t v)
{
    struct fe_expr *x = arena_new(c->arena, struct fe_expr);
    x->kind = FE_EXPR_INT;
    x->where = e->name_at;
    x->type = c->types->basic[FE_TYPE_INT];
    x->constant = true;
    x->value = (uint32_t)v;
    e->init = x;
}

void fe_check_enum(struct checker *c, struct fe_decl *d)
{
    int64_t v = 0;
    if (d->type)
        return;
    d->type = c->types->basic[FE_TYPE_INT];
    if (d->name)
        fe_enter(c, FE_TAGS, d);
    for (struct fe_decl *e = d->members.first; e; e = e->next) {
        if (e->init &&
            !fe_check_constant(c, &e->init, "the value of an enumerator", INT32_MIN, INT32_MAX, &v))
            v = 0;
        if (v > INT32_MAX) {
            fe_report(c->fe, FE_MSG(enumerator_overflow), e->name_at, e->name);
            v = 0;
        }
        set_enumerator(c, e, v++);
        e->type = d->type;
        fe_enter(c, FE_NAMES, e);
    }
}

/* ---- forms ------------------------------------------------------------------------------------------- */

/* A tag that has not been seen: an incomplete structure, to be defined later in this scope. */
static struct fe_type *forward_structure(struct checker *c, struct fe_form *f)
{
    struct fe_decl *d = arena_new(c->arena, struct fe_decl);
    d->kind = FE_DECL_STRUCT;
    d->name = f->named.name;
    d->where = d->name_at = f->where;
    d->type = fe_struct_new(c->types, d->name, f->named.is_union);
    fe_enter(c, FE_TAGS, d);
    return d->type;
}

static struct fe_type *tagged_type(struct checker *c, struct fe_form *f)
{
    if (f->named.decl) {
        (f->kind == FE_FORM_STRUCT ? fe_check_struct : fe_check_enum)(c, f->named.decl);
        return f->named.decl->type;
    }
    struct fe_decl *d = fe_find(c, FE_TAGS, f->named.name);
    bool other_kind = d && (d->kind == FE_DECL_STRUCT) != (f->kind == FE_FORM_STRUCT);
    if (other_kind ||
        (d && d->type && f->kind == FE_FORM_STRUCT && fe_is_union(d->type) != f->named.is_union)) {
        fe_report(c->fe, FE_MSG(wrong_tag), f->where, f->named.name);
        fe_note(c->fe, FE_MSG(previous_declaration), d->name_at, d->name);
        return c->types->error;
    }
    if (d)
        return d->type;
    if (fe_is_excused(c->fe, f->named.name))
        return c->types->error;
    if (f->kind == FE_FORM_STRUCT)
        return forward_structure(c, f);
    fe_report(c->fe, FE_MSG(undeclared), f->where, f->named.name);
    return c->types->error;
}

static struct fe_type *typedef_type(struct checker *c, struct fe_form *f)
{
    struct fe_decl *d = f->named.decl = fe_find(c, FE_NAMES, f->named.name);
    if (d && d->kind == FE_DECL_TYPEDEF) {
        d->used = true;
        return d->type ? d->type : c->types->error;
    }
    struct fe_type *vector = d ? NULL : fe_find_vector(c->types, f->named.name);
    if (vector)
        return vector;
    if (!fe_is_excused(c->fe, f->named.name)) {
        fe_report(c->fe, FE_MSG(unknown_type), f->where, f->named.name);
        fe_excuse(c->fe, f->named.name, strlen(f->named.name)); /* once is enough */
    }
    return c->types->error;
}

static struct fe_type *pointer_type(struct checker *c, struct fe_form *f)
{
    struct fe_type *of = fe_check_form(c, f->of);
    enum fe_space space = fe_form_space(f->of);
    if (of->kind == FE_TYPE_TOKEN) {
        fe_report(c->fe, FE_MSG(token_type), f->where);
        return c->types->error;
    }
    if (space == FE_SPACE_CONSTANT)
        of = fe_const_of(c->types, of);
    return fe_pointer_to(c->types, of, of->kind == FE_TYPE_FUNCTION ? FE_SPACE_PRIVATE : space);
}

static struct fe_type *array_type(struct checker *c, struct fe_form *f)
{
    struct fe_type *of = fe_check_form(c, f->of);
    int64_t n;
    if (fe_is_error(of))
        return of;
    if (!of->is_complete) {
        fe_report(c->fe, FE_MSG(array_element), f->where, fe_type_text(c, of));
        return c->types->error;
    }
    if (!f->count)
        return fe_array_of(c->types, of, FE_UNSIZED);
    if (!fe_check_constant(c, &f->count, "the size of an array", 1, INT64_MAX, &n))
        return c->types->error;
    struct fe_type *t = fe_array_of(c->types, of, (uint64_t)n);
    if (t->size <= IR_MAX_OBJECT_BYTES)
        return t;
    fe_report(c->fe, FE_MSG(object_too_large), f->where, (unsigned long long)IR_MAX_OBJECT_BYTES);
    return c->types->error;
}

/* A parameter's type after C's adjustment: arrays and functions become pointers. */
static struct fe_type *parameter_type(struct checker *c, struct fe_decl *p)
{
    struct fe_type *t = fe_check_form(c, p->form);
    enum fe_space space = fe_form_space(p->form);
    if (t->kind == FE_TYPE_ARRAY)
        return fe_pointer_to(c->types, space == FE_SPACE_CONSTANT ? fe_const_of(c->types, t->of) : t->of,
                             space);
    if (t->kind == FE_TYPE_FUNCTION)
        return fe_pointer_to(c->types, t, FE_SPACE_PRIVATE);
    if (space != FE_SPACE_NONE && space != FE_SPACE_PRIVATE) {
        fe_report(c->fe, FE_MSG(parameter_space), p->where, fe_space_text[space]);
        return c->types->error;
    }
    if (fe_is_error(t) || (t->is_complete && t->kind != FE_TYPE_TOKEN))
        return t;
    fe_report(c->fe, FE_MSG(parameter_type), p->where, fe_type_text(c, t));
    return c->types->error;
}

static struct fe_type *function_type(struct checker *c, struct fe_form *f)
{
    uint32_t n = f->function.param_count, i = 0;
    struct fe_type **params = arena_array(c->arena, struct fe_type *, n ? n : 1),
                   *result = fe_check_form(c, f->of);
    bool good = !fe_is_error(result);
    enum fe_space space = fe_form_space(f->of);
    if (space != FE_SPACE_NONE) {
        fe_report(c->fe, FE_MSG(misplaced_space), f->of->space_at, fe_space_text[space]);
    } else if (good && !fe_is_scalar(result) && result->kind != FE_TYPE_VOID &&
               !(result->kind == FE_TYPE_STRUCT && result->is_complete)) {
        fe_report(c->fe, FE_MSG(result_type), f->of->where, fe_type_text(c, result));
        good = false;
    }
    for (struct fe_decl *p = f->function.params; p; p = p->next) {
        p->type = params[i++] = parameter_type(c, p);
        good &= !fe_is_error(p->type);
    }
    if (n > IR_MAX_ARGS - 2) {
        fe_report(c->fe, FE_MSG(too_many_parameters), f->where, IR_MAX_ARGS - 2);
        good = false;
    }
    return good ? fe_function_of(c->types, result, n, params) : c->types->error;
}

struct fe_type *fe_check_form(struct checker *c, struct fe_form *f)
{
    if (f->type)
        return f->type;
    struct fe_type *t;
    switch (f->kind) {
    case FE_FORM_WORD: t = c->types->basic[f->word]; break;
    case FE_FORM_STRUCT:
    case FE_FORM_ENUM: t = tagged_type(c, f); break;
    case FE_FORM_NAME: t = typedef_type(c, f); break;
    case FE_FORM_POINTER: t = pointer_type(c, f); break;
    case FE_FORM_ARRAY: t = array_type(c, f); break;
    default: t = function_type(c, f); break;
    }
    if (t->depth > FE_TYPE_DEPTH) {
        fe_report(c->fe, FE_MSG(type_depth), f->where, FE_TYPE_DEPTH);
        t = c->types->error;
    }
    return f->type = f->is_const ? fe_const_of(c->types, t) : t;
}
