/* check_launch.c: launch directives: the kernel exists, each of its parameters is given once and with a value
 * that its type can take, grid and block are in range; named buffers exist before they are used and have the
 * elements that their users want. Makes the struct launch that programs carry along.
 *
 * Numbers are constant expressions. How buffers are made by name (zeros, random, …) is base's table
 * launch_forms, which the command line's --arg uses too.
 */
#include "base/nearest.h"
#include "frontend/check/check.h"
#include "launch/layout.h"

/* ---- names: buffers, repeats, parameters ------------------------------------------------------------- */

/* The BUFFER of this name before the directive; NULL: there is none. Linear in the file. */
static struct fe_decl *find_buffer(const struct checker *c, const struct fe_decl *before, const char *name)
{
    for (struct fe_decl *d = c->program->unit->first; d != before; d = d->next)
        if (d->kind == FE_DECL_LAUNCH && d->launch->step == LAUNCH_BUFFER && d->name == name)
            return d;
    return NULL;
}

uint64_t fe_launch_rounds(const struct checker *c, const struct fe_decl *directive)
{
    uint64_t rounds = 0;
    for (const struct fe_decl *d = c->program->unit->first; d != directive; d = d->next) {
        if (d->kind != FE_DECL_LAUNCH)
            continue;
        if (d->launch->step == LAUNCH_REPEAT)
            rounds = d->launch->built.rounds && !d->launch->flag ? d->launch->built.rounds : UINT64_MAX;
        else if (d->launch->step == LAUNCH_END)
            rounds = 0;
    }
    return rounds;
}

bool fe_launch_in_repeat(const struct checker *c, const struct fe_decl *directive)
{
    return fe_launch_rounds(c, directive) > 0;
}

/* The kernel's parameter and its index; NULL: there is none. */
static struct fe_decl *find_parameter(const struct fe_launched *t, const char *name, uint32_t *index)
{
    *index = 0;
    if (!t->kernel)
        return NULL;
    for (struct fe_decl *p = fe_params(t->kernel->decl); p; p = p->next, ++*index)
        if (p->name == name)
            return p;
    return NULL;
}

/* "; did you mean 'count'?", or "". */
static const char *advise(struct checker *c, const struct nearest *n)
{
    const char *near = c->fe->diags->stopped ? NULL : nearest_name(n);
    return near ? arena_printf(c->arena, "; did you mean '%s'?", near) : "";
}

static const char *near_parameter(struct checker *c, const struct fe_launched *t, const char *name)
{
    struct nearest n = nearest_to(name);
    for (struct fe_decl *p = fe_params(t->kernel->decl); p; p = p->next)
        if (p->name)
            nearest_consider(&n, p->name);
    return advise(c, &n);
}

/* "; did you mean 'scale'?" of a kernel's name that is none; "": none is near. */
static const char *near_kernel(struct checker *c, const char *name)
{
    struct nearest n = nearest_to(name);
    for (uint32_t i = 0; i < c->program->functions.count; i++)
        if (c->program->functions.at[i]->is_kernel)
            nearest_consider(&n, c->program->functions.at[i]->name);
    return advise(c, &n);
}

/* The parameter that an argument without a name would be for. */
static const char *parameter_at(const struct fe_launched *t, const struct fe_launch_item *i)
{
    struct fe_decl *p = fe_params(t->kernel->decl);
    for (struct fe_launch_item *a = t->directive->launch->arguments; a && p && a != i; a = a->next)
        p = p->next;
    return p && p->name ? p->name : "NAME";
}

/* The same; NULL after a message, or of one whose type is wrong. */
static struct fe_decl *need_parameter(struct checker *c, struct fe_launched *t,
                                      const struct fe_launch_item *i, uint32_t *at)
{
    struct fe_decl *p = find_parameter(t, i->name, at);
    if (!p && i->is_short && !find_buffer(c, t->directive, i->name)) {
        fe_report(c->fe, FE_MSG(launch_positions), i->name_at, parameter_at(t, i));
    } else if (!p) {
        fe_report(c->fe, FE_MSG(launch_parameter), i->name_at, t->kernel->name, i->name,
                  near_parameter(c, t, i->name));
        fe_note(c->fe, FE_MSG(declared_here), t->kernel->decl->name_at, t->kernel->name);
    }
    if (p && fe_is_unsized(p))
        fe_report(c->fe, FE_MSG(launch_shared), i->name_at, i->name);
    return p && !fe_is_error(p->type) && !fe_is_unsized(p) ? p : NULL;
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
    *n = fe_launch_number(x);
    return true;
}

/* A constant from `low` on, which messages call `what`. False after a message. */
static bool to_count(struct checker *c, struct fe_expr **e, const char *what, int64_t low, uint64_t *count)
{
    int64_t v;
    if (!fe_check_constant(c, e, what, low, INT64_MAX, &v))
        return false;
    *count = (uint64_t)v;
    return true;
}

static bool form_argument(struct checker *c, enum launch_operand what, struct fe_expr **e,
                          struct launch_value *v)
{
    struct fe_expr *next = (*e)->next;
    bool good = what == LAUNCH_COUNT  ? to_count(c, e, "the count of a buffer", 1, &v->count)
                : what == LAUNCH_SEED ? to_count(c, e, "a seed", 0, &v->seed)
                                      : to_number(c, e, &v->n[what == LAUNCH_N1]);
    (*e)->next = next;
    return good;
}

/* The name of a file whose ending is known. */
static bool file_name(struct checker *c, const struct fe_expr *e, struct launch_value *v)
{
    v->kind = LAUNCH_FILE;
    v->text = arena_strdup(c->arena, e->string.bytes, e->string.length);
    if (e->string.length == 0 || strlen(v->text) != e->string.length)
        fe_report(c->fe, FE_MSG(launch_file_name), e->where);
    else if (launch_wrong_ending(v->text))
        fe_report(c->fe, FE_MSG(launch_value), e->where, v->text, launch_wrong_ending(v->text));
    else
        return true;
    return false;
}

static const char known_forms[] = "known are zeros, iota, ramp, random, normal and file";

static bool form_value(struct checker *c, struct fe_expr *e, struct launch_value *v)
{
    const struct launch_form *form = NULL;
    const char *name = e->call.callee->kind == FE_EXPR_NAME ? e->call.callee->name.name : "";
    if (strcmp(name, "file") == 0 && e->call.arg_count == 1 && e->call.args->kind == FE_EXPR_STRING)
        return file_name(c, e->call.args, v);
    for (size_t i = 0; i < LAUNCH_FORMS; i++)
        if (strcmp(name, launch_forms[i].name) == 0)
            form = &launch_forms[i];
    if (!form || e->call.arg_count != launch_operands_of(form)) {
        fe_report(c->fe, FE_MSG(launch_form), e->where, form ? form->usage : known_forms);
        return false;
    }
    v->kind = form->kind;
    struct fe_expr **a = &e->call.args;
    for (uint32_t i = 0; i < launch_operands_of(form); i++, a = &(*a)->next)
        if (!form_argument(c, form->operands[i], a, v))
            return false;
    return true;
}

static bool list_value(struct checker *c, struct fe_expr *e, struct launch_value *v)
{
    v->kind = LAUNCH_LIST;
    for (struct fe_init *i = e->init.items; i; i = i->next) {
        struct launch_number n;
        if (i->path || !to_number(c, &i->value, &n))
            return false;
        vec_push(c->arena, &v->list, n);
    }
    v->count = v->list.count;
    return true;
}

/* A list for a buffer of structures, or one with braces or names in it: as C initialises an array. */
static bool structs_value(struct checker *c, struct fe_launch_item *i, const struct fe_type *element,
                          struct launch_value *v)
{
    if (!element->plain->is_complete) {
        fe_report(c->fe, FE_MSG(incomplete_type), i->value->where, fe_type_text(c, element->plain));
        return false;
    }
    struct fe_type *array = fe_array_of(c->types, element->plain, FE_UNSIZED);
    struct fe_expr *e = i->value = fe_check_init(c, i->value, NULL, &array);
    struct text text = {.arena = c->arena};
    struct layout l = layout_of(c->arena, fe_launch_element(element), (uint32_t)element->size,
                                fe_layout_text(c->arena, element));
    if (fe_is_error(e->type))
        return false;
    if (!e->constant || e->kind != FE_EXPR_INIT) {
        fe_report(c->fe, FE_MSG(not_constant), e->where, "a number of a launch");
        return false;
    }
    if (l.kind == LAYOUT_UNKNOWN) {
        fe_report(c->fe, FE_MSG(launch_form), e->where, "of such structures zeros and file make some");
        return false;
    }
    uint64_t most = 8 * (uint64_t)IR_MAX_STRING; /* of bytes that may have a short text */
    uint8_t *bytes =
        arena_array(c->arena, uint8_t, (array->size < most ? array->size : 0) + sizeof(scalar_bits));
    for (const struct fe_init *x = e->init.items; x && array->size < most; x = x->next)
        if (fe_is_scalar(x->value->type))
            memcpy(bytes + x->offset, &x->value->value, x->value->type->size);
    if (array->size < most)
        layout_print_list(&l, bytes, array->count, &text);
    if (array->size >= most || text.length > IR_MAX_STRING) {
        fe_report(c->fe, FE_MSG(launch_list_long), e->where, i->name, IR_MAX_STRING);
        return false;
    }
    *v = (struct launch_value){.kind = LAUNCH_STRUCTS, .text = text.at};
    return true;
}

static bool has_braces(const struct fe_expr *list)
{
    for (const struct fe_init *i = list->init.items; i; i = i->next)
        if (i->value->kind == FE_EXPR_INIT || i->path)
            return true;
    return false;
}

/* What the value would make of the first element already says whether type and value fit. */
static const char *try_value(struct checker *c, const struct launch_value *v, const struct fe_type *element)
{
    struct launch_value one = *v;
    void *bytes = NULL;
    size_t n;
    uint64_t bits;
    if (v->kind == LAUNCH_SCALAR || v->kind == LAUNCH_ROUND)
        return launch_make_scalar(v, fe_launch_element(element), 0, &bits);
    if (v->kind == LAUNCH_FILE || v->kind == LAUNCH_NULL)
        return NULL;
    if (v->kind != LAUNCH_LIST)
        one.count = 1;
    const char *problem = launch_make_buffer(c->arena, &one, fe_launch_element(element),
                                             (uint32_t)element->size, NULL, SIZE_MAX / 2, &bytes, &n);
    mem_free(bytes);
    return problem;
}

/* A buffer by its name. */
static bool named_value(struct checker *c, const struct fe_launched *t, const struct fe_launch_item *i,
                        const struct fe_type *type, struct launch_value *v)
{
    const char *name = i->value->name.name;
    struct fe_decl *b = find_buffer(c, t->directive, name);
    v->kind = LAUNCH_NAMED;
    v->text = name;
    if (!fe_is_pointer(type)) {
        fe_report(c->fe, FE_MSG(launch_kind), i->value->where, i->name, "a buffer", fe_type_text(c, type));
    } else if (!b && fe_is_excused(c->fe, name)) {
        return false;
    } else if (!b) {
        fe_report(c->fe, FE_MSG(launch_no_buffer), i->value->where, name, fe_type_text(c, type->of->plain),
                  arena_printf(c->arena, " %s", name));
    } else if (!fe_is_error(b->type) && b->type->plain != type->of->plain) {
        fe_report(c->fe, FE_MSG(launch_buffer_type), i->value->where, i->name, fe_type_text(c, type), name,
                  fe_type_text(c, b->type));
        fe_note(c->fe, FE_MSG(declared_here), b->name_at, name);
    } else {
        return true;
    }
    return false;
}

/* A name alone that stands for no constant: for a pointer always. */
static bool is_named(struct checker *c, const struct fe_launched *t, const struct fe_expr *e,
                     const struct fe_type *type)
{
    if (e->kind != FE_EXPR_NAME)
        return false;
    const char *name = e->name.name;
    return fe_is_pointer(type) || (!fe_find(c, FE_NAMES, name) && find_buffer(c, t->directive, name));
}

/* No buffer: null, or C's null pointer constants. */
static bool is_null(struct checker *c, const struct fe_launched *t, const struct fe_expr *e,
                    const struct fe_type *type)
{
    const char *name = e->kind == FE_EXPR_NAME ? e->name.name : "";
    bool zero = e->kind == FE_EXPR_INT && e->value == 0;
    bool word = strcmp(name, "null") == 0 || strcmp(name, "NULL") == 0;
    return fe_is_pointer(type) && (zero || (word && !find_buffer(c, t->directive, name)));
}

static bool check_value(struct checker *c, const struct fe_launch_item *i, const struct launch_value *v,
                        const struct fe_type *element)
{
    const char *problem = try_value(c, v, element);
    if (problem)
        fe_report(c->fe, FE_MSG(launch_value), i->value->where, i->name, problem);
    return !problem;
}

static bool makes_buffer(struct checker *c, const struct fe_expr *e)
{
    return e->kind == FE_EXPR_INIT || e->kind == FE_EXPR_FILE ||
           (e->kind == FE_EXPR_CALL && e->call.callee->kind == FE_EXPR_NAME &&
            !fe_find_builtin(c, e->call.callee->name.name));
}

static bool buffer_value(struct checker *c, struct fe_launch_item *i, const struct fe_type *element,
                         struct launch_value *v)
{
    struct fe_expr *e = i->value;
    if (!makes_buffer(c, e)) {
        fe_report(c->fe, FE_MSG(launch_form), e->where, known_forms);
        return false;
    }
    bool is_struct = element->kind == FE_TYPE_STRUCT && !fe_is_vector(element);
    if (e->kind == FE_EXPR_INIT && (is_struct || has_braces(e)))
        return structs_value(c, i, element, v);
    bool good = e->kind == FE_EXPR_INIT   ? list_value(c, e, v)
                : e->kind == FE_EXPR_FILE ? file_name(c, e, v)
                                          : form_value(c, e, v);
    return good && check_value(c, i, v, element);
}

static bool made_value(struct checker *c, const struct fe_launched *launched, struct fe_launch_item *i,
                       const struct fe_type *t, struct launch_value *v)
{
    bool is_buffer = makes_buffer(c, i->value);
    if (is_buffer != fe_is_pointer(t)) {
        fe_report(c->fe, FE_MSG(launch_kind), i->value->where, i->name, is_buffer ? "a buffer" : "a scalar",
                  fe_type_text(c, t));
        return false;
    }
    if (is_buffer) {
        c->context.launch = launched->directive; /* a round is known there, and refused */
        bool good = buffer_value(c, i, t->of, v);
        c->context.launch = NULL;
        return good;
    }
    return fe_launch_check_number(c, launched, &i->value, v) && check_value(c, i, v, t);
}

static bool launch_value(struct checker *c, const struct fe_launched *t, struct fe_launch_item *i,
                         const struct fe_type *type, struct launch_value *v)
{
    if (is_null(c, t, i->value, type)) {
        v->kind = LAUNCH_NULL;
        return true;
    }
    return is_named(c, t, i->value, type) ? named_value(c, t, i, type, v) : made_value(c, t, i, type, v);
}

/* ---- the parts of a directive ------------------------------------------------------------------------ */

/* Of a type's bytes; a register holds narrow integers extended. */
static struct launch_number number_at(const uint8_t *bytes, const struct fe_type *t)
{
    struct fe_expr x = {.type = (struct fe_type *)t, .constant = true};
    memcpy(&x.value, bytes, t->size);
    unsigned above = t->size < 4 ? 32 - 8 * (unsigned)t->size : 0;
    if (above && fe_is_signed(t))
        x.value = (uint32_t)((int32_t)(uint32_t)(x.value << above) >> above);
    return fe_launch_number(&x);
}

/* The initialiser of the scalar there, if it is no constant. */
static const struct fe_expr *by_round(const struct fe_expr *init, uint32_t offset)
{
    const struct fe_expr *last = NULL;
    for (const struct fe_init *x = init->init.items; x; x = x->next)
        if (x->offset == offset)
            last = x->value;
    return last && !last->constant ? last : NULL;
}

/* A structure's value, {1, .y = 2}: an argument for each of its scalars; those not named are 0. */
static void structure_value(struct checker *c, struct fe_launched *t, struct fe_launch_item *i,
                            struct fe_type *type)
{
    struct fe_launch *l = t->directive->launch;
    if (i->value->kind != FE_EXPR_INIT && !fe_is_vector(type)) {
        fe_report(c->fe, FE_MSG(launch_structure), i->value->where, i->name, fe_type_text(c, type));
        return;
    }
    c->context.launch = t->directive;
    c->context.names_round = false;
    struct fe_expr *e = i->value = fe_check_init(c, i->value, NULL, &type);
    c->context.launch = NULL;
    if (fe_is_error(e->type))
        return;
    if ((!e->constant && !c->context.names_round) || e->kind != FE_EXPR_INIT) {
        fe_report(c->fe, FE_MSG(not_constant), e->where, "a number of a launch");
        return;
    }
    uint8_t *bytes = arena_array(c->arena, uint8_t, type->size + sizeof(scalar_bits));
    for (const struct fe_init *x = e->init.items; x; x = x->next)
        if (fe_is_scalar(x->value->type) && x->value->constant)
            memcpy(bytes + x->offset, &x->value->value, x->value->type->size);
    fe_leaves leaves = fe_leaves_of(c->arena, i->name, type);
    for (uint32_t k = 0; k < leaves.count; k++) {
        struct launch_argument a = {.name = leaves.at[k].name};
        const struct fe_expr *x = by_round(e, leaves.at[k].offset);
        a.value.n[0] = number_at(bytes + leaves.at[k].offset, leaves.at[k].type->plain);
        if (!x || fe_launch_value(c, x, &a.value))
            vec_push(c->arena, &l->built.arguments, a);
    }
}

static void check_arguments(struct checker *c, struct fe_launch *l, struct fe_launched *t)
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
        if (p->type->kind == FE_TYPE_STRUCT)
            structure_value(c, t, i, p->type->plain);
        else if (launch_value(c, t, i, p->type, &a.value))
            vec_push(c->arena, &l->built.arguments, a);
    }
}

static void check_all_given(struct checker *c, struct fe_launch *l, struct fe_launched *t)
{
    uint32_t at = 0;
    for (struct fe_decl *p = fe_params(t->kernel->decl); p; p = p->next, at++)
        if (!bitset_has(t->given, at) && p->name && !fe_is_unsized(p)) {
            fe_report(c->fe, FE_MSG(launch_missing), l->kernel_at, t->kernel->name, p->name);
            fe_note(c->fe, FE_MSG(declared_here), p->name_at, p->name);
        }
}

/* ---- outputs: buffers that exist, parts that their elements have --------------------------------------- */

/* A parameter that is one, or a named buffer. */
static bool need_buffer(struct checker *c, struct fe_launched *t, const struct fe_launch_item *i)
{
    uint32_t at;
    struct fe_decl *p = find_parameter(t, i->name, &at);
    if (!p && find_buffer(c, t->directive, i->name))
        return true;
    if (!t->kernel && fe_is_excused(c->fe, i->name))
        return false;
    if (!t->kernel) {
        fe_report(c->fe, FE_MSG(launch_no_buffer), i->name_at, i->name, "int ", i->name);
        return false;
    }
    p = need_parameter(c, t, i, &at);
    if (p && !fe_is_pointer(p->type))
        fe_report(c->fe, FE_MSG(launch_not_buffer), i->name_at, i->name);
    return p && fe_is_pointer(p->type);
}

/* Of a parameter that is a buffer, or of a named buffer. */
static const struct fe_type *element_of(const struct checker *c, const struct fe_launched *t,
                                        const char *name)
{
    uint32_t at;
    const struct fe_decl *p = find_parameter(t, name, &at);
    const struct fe_type *type = p ? p->type->of : find_buffer(c, t->directive, name)->type;
    return type->plain;
}

/* The elements that stand behind the buffer's name: [first..last], [first]. */
static bool shown_range(struct checker *c, struct fe_launch_item *part, struct launch_output *o)
{
    if (!to_count(c, &part->first, "the start of a range", 0, &o->first))
        return false;
    o->last = o->first + 1;
    return !part->last || to_count(c, &part->last, "the end of a range", (int64_t)o->first + 1, &o->last);
}

/* Adds .name or [index] to the path. */
static bool shown_part(struct checker *c, const struct fe_launch_item *i, struct fe_launch_item *part,
                       struct text *path)
{
    int64_t index;
    if (part->name) {
        text_printf(path, ".%s", part->name);
    } else if (part->last) {
        fe_report(c->fe, FE_MSG(show_range), part->name_at, i->name, path->at ? path->at : "");
        return false;
    } else if (!fe_check_constant(c, &part->first, "an index", 0, UINT32_MAX, &index)) {
        return false;
    } else {
        text_printf(path, "[%lld]", (long long)index);
    }
    return true;
}

static bool check_path(struct checker *c, const struct fe_type *element, const struct fe_launch_item *i,
                       const char *path)
{
    struct layout part, whole = layout_of(c->arena, fe_launch_element(element), (uint32_t)element->size,
                                          fe_layout_text(c->arena, element));
    const char *problem = layout_find(c->arena, &whole, path, &part);
    if (problem)
        fe_report(c->fe, FE_MSG(show_part), i->parts->name_at, i->name, problem);
    return !problem;
}

static void check_show(struct checker *c, struct fe_launch *l, struct fe_launched *t,
                       struct fe_launch_item *i)
{
    struct launch_output o = {.name = i->name, .hex = i->hex};
    struct text path = {.arena = c->arena};
    struct fe_launch_item *part = i->parts;
    if (!need_buffer(c, t, i))
        return;
    if (part && !part->name) {
        if (!shown_range(c, part, &o))
            return;
        part = part->next;
    }
    for (; part; part = part->next)
        if (!shown_part(c, i, part, &path))
            return;
    const struct fe_type *element = element_of(c, t, i->name);
    o.path = path.at;
    if (!path.at || fe_is_error(element) || check_path(c, element, i, path.at))
        vec_push(c->arena, &l->built.outputs, o);
}

static void check_save(struct checker *c, struct fe_launch *l, struct fe_launched *t,
                       struct fe_launch_item *i)
{
    struct launch_output o = {.name = i->name, .save = true};
    struct launch_value file;
    int64_t width = 0, height = 0;
    if (!need_buffer(c, t, i) || !file_name(c, i->value, &file))
        return;
    if (i->first && !i->last) {
        fe_report(c->fe, FE_MSG(save_form), i->first->where);
        return;
    }
    if (i->first && (!fe_check_constant(c, &i->first, "the width of a picture", 1, 65535, &width) ||
                     !fe_check_constant(c, &i->last, "the height of a picture", 1, 65535, &height)))
        return;
    o.file = file.text;
    o.width = (uint32_t)width;
    o.height = (uint32_t)height;
    vec_push(c->arena, &l->built.outputs, o);
}

/* The directive's shows and saves. */
static void check_outputs(struct checker *c, struct fe_launch *l, struct fe_launched *t)
{
    for (struct fe_launch_item *i = l->shows; i; i = i->next)
        check_show(c, l, t, i);
    for (struct fe_launch_item *i = l->saves; i; i = i->next)
        check_save(c, l, t, i);
}

/* ---- the directives ------------------------------------------------------------------------------------ */

static void check_shared(struct checker *c, struct fe_launch *l, struct fe_launched *t)
{
    struct fe_function *k = t->kernel;
    uint32_t given = 0, count = k->unsized.count;
    for (struct fe_launch_item *i = l->shared; i; i = i->next)
        given++;
    if (given && !count) {
        fe_report(c->fe, FE_MSG(launch_no_unsized), l->shared_at, k->name);
    } else if (given > count) {
        fe_report(c->fe, FE_MSG(launch_many_unsized), l->shared_at, k->name, count, count > 1 ? "s" : "",
                  given);
    } else if (given < count) {
        const struct fe_decl *u = k->unsized.at[given];
        fe_report(c->fe, FE_MSG(launch_unsized), l->kernel_at, u->name, k->name,
                  count > 1 ? "shared(N, N)" : "shared(N)");
        fe_note(c->fe, FE_MSG(declared_here), u->name_at, u->name);
    } else if (given) {
        fe_launch_check_sizes(c, t, LAUNCH_SHARED, l->shared, l->shared_at, "the length of a shared array",
                              INT32_MAX);
    }
}

static void check_kernel(struct checker *c, struct fe_decl *d)
{
    struct fe_launch *l = d->launch;
    struct fe_decl *k = fe_find(c, FE_NAMES, d->name);
    if (!k || k->kind != FE_DECL_FUNCTION || fe_is_error(k->type) || !fe_function(k)->is_kernel) {
        bool known = (k && k->type && fe_is_error(k->type)) || fe_is_excused(c->fe, d->name);
        if (!known)
            fe_report(c->fe, FE_MSG(launch_kernel), l->kernel_at, d->name, near_kernel(c, d->name));
        return;
    }
    struct fe_launched t = {d, fe_function(k), bitset_new(c->arena, fe_function(k)->type->param_count)};
    l->built.kernel = d->name;
    check_arguments(c, l, &t);
    check_all_given(c, l, &t);
    if (!l->block && t.kernel->asks_thread)
        fe_report(c->fe, FE_MSG(launch_no_block), l->kernel_at);
    fe_launch_check_sizes(c, &t, LAUNCH_GRID, l->grid, l->grid_at, "a dimension of the grid",
                          IR_MAX_GRID_BLOCKS);
    fe_launch_check_sizes(c, &t, LAUNCH_BLOCK, l->block, l->block_at, "a dimension of the block",
                          IR_MAX_BLOCK_THREADS);
    check_shared(c, l, &t);
    check_outputs(c, l, &t);
}

static void check_buffer(struct checker *c, struct fe_decl *d)
{
    struct fe_decl *other = find_buffer(c, d, d->name);
    struct launch_argument a = {.name = d->name};
    if (other) {
        fe_report(c->fe, FE_MSG(buffer_twice), d->name_at, d->name);
        fe_note(c->fe, FE_MSG(declared_here), other->name_at, d->name);
    }
    d->type = fe_check_form(c, d->form);
    if (fe_is_error(d->type))
        return;
    if (!fe_is_arithmetic(d->type) && d->type->kind != FE_TYPE_STRUCT) {
        fe_report(c->fe, FE_MSG(buffer_element), d->name_at, fe_type_text(c, d->type));
        d->type = c->types->error;
        return;
    }
    d->launch->built.name = d->name;
    d->launch->built.element = fe_launch_element(d->type);
    d->launch->built.element_bytes = (uint32_t)d->type->size;
    d->launch->built.layout = fe_layout_text(c->arena, d->type);
    if (buffer_value(c, d->launch->arguments, d->type, &a.value))
        vec_push(c->arena, &d->launch->built.arguments, a);
}

static void check_repeat(struct checker *c, struct fe_decl *d)
{
    struct fe_launch *l = d->launch;
    int64_t rounds = 0;
    struct fe_decl *flag = l->flag ? find_buffer(c, d, l->flag) : NULL;
    if (fe_launch_in_repeat(c, d))
        fe_report(c->fe, FE_MSG(repeat_nested), d->where);
    if (d->next->launch->step == LAUNCH_END)
        fe_report(c->fe, FE_MSG(repeat_empty), d->where);
    if (l->rounds && !fe_check_constant(c, &l->rounds, "the number of rounds", 1, INT32_MAX, &rounds))
        return;
    if (l->flag && !flag && !fe_is_excused(c->fe, l->flag))
        fe_report(c->fe, FE_MSG(launch_no_buffer), l->flag_at, l->flag, "int ", l->flag);
    else if (flag && !fe_is_error(flag->type) && !fe_is_integer(flag->type))
        fe_report(c->fe, FE_MSG(repeat_flag), l->flag_at, l->flag, fe_type_text(c, flag->type));
    l->built.rounds = (uint64_t)rounds;
    l->built.name = l->flag;
}

void fe_check_launch(struct checker *c, struct fe_decl *d)
{
    struct fe_launched only_outputs = {.directive = d};
    d->launch->built.step = d->launch->step;
    d->launch->built.line = d->where.at.line;
    switch (d->launch->step) {
    case LAUNCH_KERNEL: check_kernel(c, d); break;
    case LAUNCH_BUFFER: check_buffer(c, d); break;
    case LAUNCH_REPEAT: check_repeat(c, d); break;
    case LAUNCH_OUTPUT: check_outputs(c, d->launch, &only_outputs); break;
    case LAUNCH_END: break;
    }
}
