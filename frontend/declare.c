/* declare.c: declarations from specifiers and declarators; launch directives.
 *
 * A declarator is read from the name outwards, which is how its type reads: each suffix and star goes into
 * the hole that the one before left, and the declaration's own type into the last.
 */
#include "frontend/parser.h"

static const char *const qualifier_text[QUALIFIERS] = {
    "const", "global", "shared", "constant", "private", "kernel", "extern", "convergent",
};
#define SPACES                                                                                               \
    (1u << QUALIFIER_GLOBAL | 1u << QUALIFIER_SHARED | 1u << QUALIFIER_CONSTANT | 1u << QUALIFIER_PRIVATE)
#define FUNCTION_WORDS (1u << QUALIFIER_KERNEL | 1u << QUALIFIER_EXTERN | 1u << QUALIFIER_CONVERGENT)

static unsigned lowest(uint32_t set)
{
    return (unsigned)__builtin_ctz(set);
}

/* ---- qualifiers --------------------------------------------------------------------------------- */

struct qualifiers *fe_qualifier(struct parser *p, struct qualifiers *to, uint32_t word, span where)
{
    if (!to)
        to = arena_new(p->arena, struct qualifiers);
    if (to->set >> word & 1)
        fe_report(p->fe, FE_MSG(repeated_specifier), where, qualifier_text[word]);
    else if ((1u << word & SPACES) && (to->set & SPACES))
        fe_report(p->fe, FE_MSG(two_spaces), where, qualifier_text[lowest(to->set & SPACES)],
                  qualifier_text[word]);
    else
        to->set |= 1u << word, to->at[word] = where;
    return to;
}

/* Puts const and the space on a level of a type. */
static void qualify(struct fe_form *f, const struct qualifiers *q)
{
    if (!q)
        return;
    f->is_const |= q->set >> QUALIFIER_CONST & 1;
    if (q->set & SPACES) {
        unsigned space = lowest(q->set & SPACES);
        f->space = (uint8_t)(FE_SPACE_GLOBAL + space - QUALIFIER_GLOBAL);
        f->space_at = q->at[space];
    }
}

/* Complains about kernel, extern and convergent where no function is declared. */
static void refuse_function_words(struct parser *p, const struct qualifiers *q)
{
    if (q && q->set & FUNCTION_WORDS) {
        unsigned word = lowest(q->set & FUNCTION_WORDS);
        fe_report(p->fe, FE_MSG(specifier_on_type), q->at[word], qualifier_text[word]);
    }
}

/* The same of a variable; CUDA's `extern __shared__ float s[];` is one without extern. */
static void refuse_variable_words(struct parser *p, const struct qualifiers *q, const struct declarator *d)
{
    uint32_t both = 1u << QUALIFIER_EXTERN | 1u << QUALIFIER_SHARED;
    if (!q || (q->set & both) != both) {
        refuse_function_words(p, q);
        return;
    }
    span where = q->at[QUALIFIER_EXTERN];
    fe_report(p->fe, FE_MSG(extern_shared), where, d->name);
    if (p->blocks.count)
        fe_fixit(p->fe, where, "");
}

struct specifiers fe_specifiers(struct parser *p, struct qualifiers *before, struct fe_form *f,
                                struct qualifiers *behind)
{
    for (unsigned word = 0; behind && word < QUALIFIERS; word++)
        if (behind->set >> word & 1)
            before = fe_qualifier(p, before, word, behind->at[word]);
    qualify(f, before);
    return (struct specifiers){f, before};
}

static uint8_t function_flags(const struct qualifiers *q)
{
    uint32_t set = q ? q->set : 0;
    return (uint8_t)((set >> QUALIFIER_KERNEL & 1 ? FE_DECL_KERNEL : 0) |
                     (set >> QUALIFIER_EXTERN & 1 ? FE_DECL_EXTERN : 0) |
                     (set >> QUALIFIER_CONVERGENT & 1 ? FE_DECL_CONVERGENT : 0));
}

/* ---- declarators -------------------------------------------------------------------------------- */

struct declarator *fe_declarator_name(struct parser *p, const char *name, span where)
{
    struct declarator *d = arena_new(p->arena, struct declarator);
    d->name = name;
    d->name_at = d->where = where;
    d->hole = &d->head;
    return d;
}

struct declarator *fe_declarator_abstract(struct parser *p, span where)
{
    return fe_declarator_name(p, NULL, (span){where.at, where.at});
}

static struct declarator *fill(struct declarator *d, struct fe_form *f)
{
    *d->hole = f;
    d->hole = &f->of;
    d->where = (span){f->where.at.line < d->where.at.line || (f->where.at.line == d->where.at.line &&
                                                               f->where.at.column < d->where.at.column)
                          ? f->where.at
                          : d->where.at,
                      d->where.end.line < f->where.end.line || (d->where.end.line == f->where.end.line &&
                                                                 d->where.end.column < f->where.end.column)
                          ? f->where.end
                          : d->where.end};
    return d;
}

struct declarator *fe_declarator_pointer(struct parser *p, struct declarator *d, struct qualifiers *q,
                                         span where)
{
    struct fe_form *f = fe_form_new(p, FE_FORM_POINTER, where);
    refuse_function_words(p, q);
    qualify(f, q);
    return fill(d, f);
}

struct declarator *fe_declarator_array(struct parser *p, struct declarator *d, struct fe_expr *count,
                                       span where)
{
    struct fe_form *f = fe_form_new(p, FE_FORM_ARRAY, where);
    f->count = count;
    return fill(d, f);
}

/* (void) has no parameters. */
static bool is_void_list(const struct fe_decl *only)
{
    return only && !only->next && !only->name && only->form->kind == FE_FORM_WORD &&
           only->form->word == FE_WORD_VOID;
}

struct declarator *fe_declarator_function(struct parser *p, struct declarator *d, struct list params,
                                          span where)
{
    struct fe_form *f = fe_form_new(p, FE_FORM_FUNCTION, where);
    f->function.params = is_void_list(params.first) ? NULL : params.first;
    for (struct fe_decl *a = f->function.params; a; a = a->next)
        f->function.param_count++;
    return fill(d, f);
}

/* The declared type; the depth of each level counts from the declaration's own type. */
static struct fe_form *complete(struct parser *p, struct specifiers s, struct declarator *d)
{
    *d->hole = s.form;
    uint32_t depth = 1, limit = p->fe->options.limits.tree_depth;
    for (struct fe_form *f = d->head; f != s.form; f = f->of)
        depth++;
    if (depth > limit && !p->stopped) {
        fe_report(p->fe, FE_MSG(tree_too_deep), d->where, limit);
        p->stopped = true;
    }
    for (struct fe_form *f = d->head; f != s.form; f = f->of)
        f->depth = (uint16_t)depth--;
    return d->head;
}

struct fe_form *fe_type_name(struct parser *p, struct specifiers s, struct declarator *d)
{
    refuse_function_words(p, s.qualifiers);
    if (s.form->kind != FE_FORM_WORD && s.form->kind != FE_FORM_NAME && s.form->named.defines)
        fe_report(p->fe, FE_MSG(definition_in_type), s.form->where, "an expression");
    return d ? complete(p, s, d) : s.form;
}

/* ---- declarations ------------------------------------------------------------------------------- */

static struct fe_decl *decl_new(struct parser *p, enum fe_decl_kind kind, struct specifiers s,
                                struct declarator *d, span where)
{
    struct fe_decl *decl = arena_new(p->arena, struct fe_decl);
    decl->kind = kind;
    decl->name = d->name;
    decl->name_at = d->name_at;
    decl->where = where;
    decl->is_file_scope = p->blocks.count == 0;
    decl->form = complete(p, s, d);
    return decl;
}

struct fe_decl *fe_param(struct parser *p, struct specifiers s, struct declarator *d, span where)
{
    refuse_function_words(p, s.qualifiers);
    if (s.form->kind != FE_FORM_WORD && s.form->kind != FE_FORM_NAME && s.form->named.defines)
        fe_report(p->fe, FE_MSG(definition_in_type), s.form->where, "a parameter list");
    return decl_new(p, FE_DECL_PARAMETER, s, d, where);
}

struct list fe_fields(struct parser *p, struct specifiers s, struct list declarators, span where)
{
    struct list fields = {0};
    refuse_function_words(p, s.qualifiers);
    for (struct declarator *d = declarators.first; d; d = d->next) {
        struct fe_decl *field = decl_new(p, FE_DECL_FIELD, s, d, where);
        list_add(&fields, field);
    }
    return fields;
}

struct list fe_anonymous_field(struct parser *p, struct specifiers s, span where)
{
    struct declarator *d = fe_declarator_abstract(p, where);
    bool is_anonymous = s.form->kind == FE_FORM_STRUCT && s.form->named.defines && !s.form->named.name;
    if (!is_anonymous)
        fe_report(p->fe, FE_MSG(anonymous_member), where);
    return is_anonymous ? fe_fields(p, s, (struct list){d, d}, where) : (struct list){0};
}

struct fe_decl *fe_enumerator(struct parser *p, const char *name, span where, struct fe_expr *value)
{
    struct fe_decl *d = arena_new(p->arena, struct fe_decl);
    d->kind = FE_DECL_ENUMERATOR;
    d->name = name;
    d->where = d->name_at = where;
    d->is_file_scope = p->blocks.count == 0;
    d->init = value;
    fe_declare_name(p, name, false);
    return d;
}

/* The types that were defined inside the declaration, which come first. */
static struct list take_definitions(struct parser *p)
{
    struct list taken = p->definitions;
    p->definitions = (struct list){0};
    return taken;
}

struct list fe_type_declaration(struct parser *p, struct specifiers s, bool complain, span where)
{
    if (complain)
        refuse_function_words(p, s.qualifiers);
    bool is_forward = s.form->kind == FE_FORM_STRUCT && !s.qualifiers;
    if (complain && !is_forward && !p->definitions.first)
        fe_report(p->fe, FE_MSG(empty_declaration), where);
    return take_definitions(p);
}

struct fe_decl *fe_static_assert(struct parser *p, struct fe_expr *condition, struct fe_expr *text, span where)
{
    struct fe_decl *d = arena_new(p->arena, struct fe_decl);
    d->kind = FE_DECL_ASSERT;
    d->where = d->name_at = where;
    d->init = condition;
    condition->next = text;
    return d;
}

static struct fe_decl *variable_or_function(struct parser *p, struct specifiers s, struct declarator *d,
                                            span where)
{
    struct fe_decl *decl = decl_new(p, FE_DECL_VARIABLE, s, d, where);
    if (decl->form->kind == FE_FORM_FUNCTION) {
        decl->kind = FE_DECL_FUNCTION;
        if (d->init)
            fe_report(p->fe, FE_MSG(function_initialiser), d->init->where, d->name);
        return decl;
    }
    decl->init = d->init;
    refuse_variable_words(p, s.qualifiers, d);
    return decl;
}

struct list fe_declaration(struct parser *p, struct specifiers s, struct list declarators, bool is_typedef,
                           span where)
{
    struct list all = take_definitions(p);
    if (is_typedef)
        refuse_function_words(p, s.qualifiers);
    for (struct declarator *d = declarators.first; d; d = d->next) {
        struct fe_decl *decl = is_typedef ? decl_new(p, FE_DECL_TYPEDEF, s, d, where)
                                          : variable_or_function(p, s, d, where);
        decl->flags = function_flags(s.qualifiers);
        list_add(&all, decl);
    }
    return all;
}

/* A body needs a declarator with a parameter list; what else stands before one gets an empty list. */
struct fe_decl *fe_function_begin(struct parser *p, struct specifiers s, struct declarator *d)
{
    struct fe_decl *f = decl_new(p, FE_DECL_FUNCTION, s, d, span_join(s.form->where, d->where));
    f->flags = function_flags(s.qualifiers);
    if (f->form->kind != FE_FORM_FUNCTION) {
        fe_report(p->fe, FE_MSG(body_without_parameters), d->name_at, d->name, d->name);
        struct fe_form *form = fe_form_new(p, FE_FORM_FUNCTION, d->where);
        form->of = f->form;
        f->form = form;
    }
    fe_type_scope_open(p);
    fe_declare_params(p, f->form);
    return f;
}

struct list fe_function_end(struct parser *p, struct fe_decl *f, struct fe_stmt *body)
{
    fe_type_scope_close(p, p->blocks.count ? vec_last(&p->blocks).scopes : 0);
    struct list all = take_definitions(p);
    f->body = body;
    f->where.end = body->where.end;
    list_add(&all, f);
    return all;
}

struct list fe_list_join(struct list a, struct list b)
{
    if (!a.first)
        return b;
    if (b.first) {
        ((struct fe_decl *)a.last)->next = b.first;
        a.last = b.last;
    }
    return a;
}

void fe_unit_add(struct fe_unit *u, struct list decls)
{
    struct list all = fe_list_join((struct list){u->first, u->last}, decls);
    for (struct fe_decl *d = decls.first; d; d = d->next)
        u->count++;
    u->first = all.first;
    u->last = all.last;
}

/* ---- launch directives --------------------------------------------------------------------------- */

struct fe_launch_item *fe_launch_item(struct parser *p, const char *name, span name_at, struct fe_expr *value,
                                      struct fe_expr *first, struct fe_expr *last)
{
    struct fe_launch_item *item = arena_new(p->arena, struct fe_launch_item);
    item->name = name;
    item->name_at = name_at;
    item->value = value;
    item->first = first;
    item->last = last;
    return item;
}

struct fe_launch_item *fe_shown_part(struct fe_launch_item *item, struct fe_launch_item *part, span where)
{
    part->name_at = where;
    item->parts = fe_launch_append(item->parts, (struct list){part, part});
    return item;
}

struct fe_launch_item *fe_shown_as(struct parser *p, struct fe_launch_item *item, const char *as, span as_at,
                                   const char *how, span how_at)
{
    item->hex = strcmp(as, "as") == 0 && strcmp(how, "hex") == 0;
    if (!item->hex)
        fe_report(p->fe, FE_MSG(show_as), span_join(as_at, how_at), as, how);
    return item;
}

struct fe_launch_item *fe_launch_append(struct fe_launch_item *to, struct list items)
{
    if (!to)
        return items.first;
    struct fe_launch_item *last = to;
    while (last->next)
        last = last->next;
    last->next = items.first;
    return to;
}

struct list fe_launch_numbers(struct parser *p, struct list values)
{
    struct list items = {0};
    for (struct fe_expr *e = values.first, *next; e; e = next) {
        next = e->next;
        e->next = NULL;
        struct fe_launch_item *item = fe_launch_item(p, NULL, e->where, e, NULL, NULL);
        list_add(&items, item);
    }
    return items;
}

void fe_launch_size(struct parser *p, struct fe_launch *l, bool is_grid, span where, struct list numbers)
{
    const char *word = is_grid ? "grid" : "block";
    struct fe_launch_item *first = numbers.first, **to = is_grid ? &l->grid : &l->block;
    if (*to)
        fe_report(p->fe, FE_MSG(repeated_clause), where, word);
    for (unsigned n = 0; first; first = first->next)
        if (++n == 4)
            fe_report(p->fe, FE_MSG(too_many_dimensions), first->name_at, word);
    *to = numbers.first;
    *(is_grid ? &l->grid_at : &l->block_at) = where;
}

void fe_launch_shared(struct parser *p, struct fe_launch *l, span where, struct fe_expr *elements)
{
    if (l->shared)
        fe_report(p->fe, FE_MSG(repeated_clause), where, "shared");
    l->shared = elements;
    l->shared_at = where;
}

struct fe_decl *fe_directive(struct parser *p, enum launch_step step, span where, const char *name,
                             span name_at, struct fe_launch *l)
{
    struct fe_decl *d = arena_new(p->arena, struct fe_decl);
    d->kind = FE_DECL_LAUNCH;
    d->name = name;
    d->name_at = name_at;
    d->where = where;
    d->is_file_scope = true;
    d->launch = l;
    l->step = step;
    return d;
}

struct fe_decl *fe_launch_decl(struct parser *p, span where, const char *kernel, span kernel_at,
                               struct fe_launch *l, struct list arguments)
{
    l->kernel_at = kernel_at;
    l->arguments = arguments.first;
    return fe_directive(p, LAUNCH_KERNEL, where, kernel, kernel_at, l);
}

struct fe_launch_item *fe_launch_short(struct parser *p, const char *name, span where)
{
    struct fe_launch_item *item = fe_launch_item(p, name, where, fe_expr_name(p, where, name), NULL, NULL);
    item->is_short = true;
    return item;
}

struct fe_launch *fe_launch_new(struct parser *p, struct fe_launch_item *shows, struct fe_launch_item *saves)
{
    struct fe_launch *l = arena_new(p->arena, struct fe_launch);
    l->shows = shows;
    l->saves = saves;
    return l;
}

struct fe_decl *fe_buffer_decl(struct parser *p, span where, struct specifiers s, const char *name,
                               span name_at, struct fe_expr *value)
{
    struct fe_launch *l = fe_launch_new(p, NULL, NULL);
    l->arguments = fe_launch_item(p, name, name_at, value, NULL, NULL);
    struct fe_decl *d = fe_directive(p, LAUNCH_BUFFER, where, name, name_at, l);
    d->form = fe_type_name(p, s, NULL);
    return d;
}

struct fe_launch *fe_repetition(struct parser *p, struct fe_expr *rounds, const char *flag, span flag_at)
{
    struct fe_launch *l = fe_launch_new(p, NULL, NULL);
    l->rounds = rounds;
    l->flag = flag;
    l->flag_at = flag_at;
    return l;
}

struct list fe_repeat(struct parser *p, span where, struct fe_launch *l, struct list directives, span end)
{
    struct fe_decl *first = fe_directive(p, LAUNCH_REPEAT, where, NULL, where, l);
    struct fe_decl *last = fe_directive(p, LAUNCH_END, end, NULL, end, fe_launch_new(p, NULL, NULL));
    return fe_list_join(fe_list_join((struct list){first, first}, directives), (struct list){last, last});
}
