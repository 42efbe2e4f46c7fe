/* check_launch.c: launch directives: the kernel exists, each of its parameters is given once and with a value
 * that its type can take, grid and block are in range. Makes the struct launch that programs carry along.
 *
 * Numbers are constant expressions. How buffers are made by name (zeros, random, …) is base's table
 * launch_forms, which the command line's --arg uses too.
 */
#include "frontend/check.h"

struct target {
    struct fe_function *kernel;
    struct bitset given;
}; /* the kernel, and which parameters are given */

static struct fe_decl *find_parameter(const struct target *t, const char *name, uint32_t *index)
{
    *index = 0;
    for (struct fe_decl *p = fe_params(t->kernel->decl); p; p = p->next, ++*index)
        if (p->name == name)
            return p;
    return NULL;
}

static struct fe_decl *need_parameter(struct checker *c, struct target *t, const struct fe_launch_item *i,
                                      uint32_t *at)
{
    struct fe_decl *p = find_parameter(t, i->name, at);
    if (!p) {
        fe_report(c->fe, FE_MSG(launch_parameter), i->name_at, t->kernel->name, i->name);
        fe_note(c->fe, FE_MSG(declared_here), t->kernel->decl->name_at, t->kernel->name);
    }
    return p && !fe_is_error(p->type) ? p : NULL;
}

/* ---- values ------------------------------------------------------------------------------------------ */

static bool to_number(struct checker *c, struct fe_expr **e, struct launch_number *n)
{
    struct fe_expr *x = *e = fe_check_value(c, *e);
    if (fe_is_error(x->type))
        return false;
    if (!x->constant || !fe_is_arithmetic(x->type)) {
        fe_report(c->fe, FE_MSG(not_constant), x->where, "a number of a launch");
        return false;
    }
    if (fe_is_float(x->type)) {
        *n = (struct launch_number){.is_float = true, .f = fe_float_value(x)};
    } else {
        int64_t i = fe_integer_value(x);
        *n = (struct launch_number){.i = i,
                                    .f = x->type->kind == FE_TYPE_ULONG ? (double)(uint64_t)i : (double)i};
    }
    return true;
}

static bool to_count(struct checker *c, struct fe_expr **e, const char *what, int64_t low, uint64_t *count)
{
    int64_t v;
    if (!fe_check_constant(c, e, what, low, INT64_MAX, &v))
        return false;
    *count = (uint64_t)v;
    return true;
}

static bool form_argument(struct checker *c, char what, struct fe_expr **e, struct launch_value *v)
{
    struct fe_expr *next = (*e)->next;
    bool good = what == 'c'   ? to_count(c, e, "the count of a buffer", 1, &v->count)
                : what == 's' ? to_count(c, e, "a seed", 0, &v->seed)
                              : to_number(c, e, &v->n[what - '0']);
    (*e)->next = next;
    return good;
}

static bool file_name(struct checker *c, const struct fe_expr *e, struct launch_value *v)
{
    v->kind = LAUNCH_FILE;
    v->file = arena_strdup(c->arena, e->string.bytes, e->string.length);
    if (e->string.length == 0 || strlen(v->file) != e->string.length)
        fe_report(c->fe, FE_MSG(launch_file_name), e->where);
    else if (launch_encoding_of(v->file) == LAUNCH_NO_ENCODING)
        fe_report(c->fe, FE_MSG(launch_value), e->where, v->file, launch_unknown_ending);
    else
        return true;
    return false;
}

static bool form_value(struct checker *c, struct fe_expr *e, struct launch_value *v)
{
    const struct launch_form *form = NULL;
    const char *name = e->call.callee->kind == FE_EXPR_NAME ? e->call.callee->name.name : "";
    if (strcmp(name, "file") == 0 && e->call.arg_count == 1 && e->call.args->kind == FE_EXPR_STRING)
        return file_name(c, e->call.args, v);
    for (size_t i = 0; i < LAUNCH_FORMS; i++)
        if (strcmp(name, launch_forms[i].name) == 0)
            form = &launch_forms[i];
    if (!form || e->call.arg_count != strlen(form->arguments)) {
        fe_report(c->fe, FE_MSG(launch_form), e->where,
                  form ? form->usage : "known are zeros, iota, ramp, random, normal and file");
        return false;
    }
    v->kind = form->kind;
    struct fe_expr **a = &e->call.args;
    for (const char *what = form->arguments; *what; what++, a = &(*a)->next)
        if (!form_argument(c, *what, a, v))
            return false;
    return true;
}

static bool list_value(struct checker *c, struct fe_expr *e, struct launch_value *v)
{
    v->kind = LAUNCH_LIST;
    for (struct fe_init *i = e->init.items; i; i = i->next) {
        struct launch_number n;
        if (i->field || i->index || !to_number(c, &i->value, &n))
            return false;
        vec_push(c->arena, &v->list, n);
    }
    v->count = v->list.count;
    return true;
}

/* What the value would make of the first element already says whether type and value fit. */
static const char *try_value(struct checker *c, const struct launch_value *v, const struct fe_type *element)
{
    struct launch_value one = *v;
    void *bytes = NULL;
    size_t n;
    uint64_t bits;
    if (v->kind == LAUNCH_SCALAR)
        return launch_make_scalar(v, fe_launch_element(element), &bits);
    if (v->kind == LAUNCH_FILE)
        return NULL;
    if (v->kind != LAUNCH_LIST)
        one.count = 1;
    const char *problem = launch_make_buffer(c->arena, &one, fe_launch_element(element),
                                             (uint32_t)element->size, SIZE_MAX / 2, &bytes, &n);
    mem_free(bytes);
    return problem;
}

static bool launch_value(struct checker *c, struct fe_launch_item *i, const struct fe_type *t,
                         struct launch_value *v)
{
    struct fe_expr *e = i->value;
    bool is_buffer = e->kind == FE_EXPR_INIT || e->kind == FE_EXPR_FILE ||
                     (e->kind == FE_EXPR_CALL && e->call.callee->kind == FE_EXPR_NAME &&
                      !fe_find_builtin(c, e->call.callee->name.name));
    if (is_buffer != fe_is_pointer(t)) {
        fe_report(c->fe, FE_MSG(launch_kind), e->where, i->name, is_buffer ? "a buffer" : "a scalar",
                  fe_type_text(c, t));
        return false;
    }
    bool good = e->kind == FE_EXPR_INIT   ? list_value(c, e, v)
                : e->kind == FE_EXPR_FILE ? file_name(c, e, v)
                : is_buffer               ? form_value(c, e, v)
                                          : to_number(c, &i->value, &v->n[0]);
    if (!good)
        return false;
    const char *problem = try_value(c, v, fe_is_pointer(t) ? t->of : t);
    if (problem)
        fe_report(c->fe, FE_MSG(launch_value), i->value->where, i->name, problem);
    return !problem;
}

/* ---- the parts of a directive ------------------------------------------------------------------------ */

static void check_arguments(struct checker *c, struct fe_launch *l, struct target *t)
{
    uint32_t at;
    for (struct fe_launch_item *i = l->arguments; i; i = i->next) {
        struct fe_decl *p = need_parameter(c, t, i, &at);
        struct launch_argument a = {.name = i->name};
        if (!p)
            continue;
        if (bitset_has(t->given, at))
            fe_report(c->fe, FE_MSG(launch_twice), i->name_at, i->name);
        bitset_add(t->given, at);
        if (launch_value(c, i, p->type, &a.value))
            vec_push(c->arena, &l->built.arguments, a);
    }
}

static void check_all_given(struct checker *c, struct fe_launch *l, struct target *t)
{
    uint32_t at = 0;
    for (struct fe_decl *p = fe_params(t->kernel->decl); p; p = p->next, at++)
        if (!bitset_has(t->given, at) && p->name) {
            fe_report(c->fe, FE_MSG(launch_missing), l->kernel_at, t->kernel->name, p->name);
            fe_note(c->fe, FE_MSG(declared_here), p->name_at, p->name);
        }
}

#define MOST_BLOCK_THREADS 4096
#define MOST_GRID_BLOCKS   INT32_MAX

static void check_size(struct checker *c, struct fe_launch_item *items, span where, const char *what,
                       int64_t most, uint32_t size[3])
{
    uint64_t product = 1;
    uint32_t n = 0;
    for (struct fe_launch_item *i = items; i && n < 3; i = i->next) {
        int64_t v;
        if (!fe_check_constant(c, &i->value, what, 1, most, &v))
            return;
        size[n++] = (uint32_t)v;
        product *= (uint64_t)v;
        if (product > (uint64_t)most) {
            fe_report(c->fe, FE_MSG(launch_size), where, what, (long long)most);
            return;
        }
    }
    while (n && n < 3)
        size[n++] = 1;
}

static bool need_buffer(struct checker *c, struct target *t, const struct fe_launch_item *i)
{
    uint32_t at;
    struct fe_decl *p = need_parameter(c, t, i, &at);
    if (p && !fe_is_pointer(p->type))
        fe_report(c->fe, FE_MSG(launch_not_buffer), i->name_at, i->name);
    return p && fe_is_pointer(p->type);
}

static void check_show(struct checker *c, struct fe_launch *l, struct target *t, struct fe_launch_item *i)
{
    struct launch_output o = {.name = i->name};
    if (!need_buffer(c, t, i))
        return;
    if (i->first && (!to_count(c, &i->first, "the start of a range", 0, &o.first) ||
                     !to_count(c, &i->last, "the end of a range", (int64_t)o.first + 1, &o.last)))
        return;
    vec_push(c->arena, &l->built.outputs, o);
}

static void check_save(struct checker *c, struct fe_launch *l, struct target *t, struct fe_launch_item *i)
{
    struct launch_output o = {.name = i->name, .save = true};
    struct launch_value file;
    int64_t width = 0, height = 0;
    if (!need_buffer(c, t, i) || !file_name(c, i->value, &file))
        return;
    if (i->first && (!fe_check_constant(c, &i->first, "the width of a picture", 1, 65535, &width) ||
                     !fe_check_constant(c, &i->last, "the height of a picture", 1, 65535, &height)))
        return;
    o.file = file.file;
    o.width = (uint32_t)width;
    o.height = (uint32_t)height;
    vec_push(c->arena, &l->built.outputs, o);
}

void fe_check_launch(struct checker *c, struct fe_decl *d)
{
    struct fe_launch *l = d->launch;
    struct fe_decl *k = fe_find(c, FE_NAMES, d->name);
    if (!k || k->kind != FE_DECL_FUNCTION || fe_is_error(k->type) || !fe_function(k)->is_kernel) {
        if (!k || !k->type || !fe_is_error(k->type))
            fe_report(c->fe, FE_MSG(launch_kernel), l->kernel_at, d->name);
        return;
    }
    struct target t = {fe_function(k), bitset_new(c->arena, fe_function(k)->type->param_count)};
    l->built.kernel = d->name;
    l->built.line = d->where.at.line;
    check_arguments(c, l, &t);
    check_all_given(c, l, &t);
    check_size(c, l->grid, l->grid_at, "a dimension of the grid", MOST_GRID_BLOCKS, l->built.grid);
    check_size(c, l->block, l->block_at, "a dimension of the block", MOST_BLOCK_THREADS, l->built.block);
    for (struct fe_launch_item *i = l->shows; i; i = i->next)
        check_show(c, l, &t, i);
    for (struct fe_launch_item *i = l->saves; i; i = i->next)
        check_save(c, l, &t, i);
}
