/* declare.c: declarations from specifiers and declarators.
 *
 * A declarator is read from the name outwards, which is how its type reads: each suffix and star goes into
 * the hole that the one before left, and the declaration's own type into the last.
 */
#include "frontend/parse/parser.h"

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
    if (word == QUALIFIER_CONST) /* may be repeated, as in C */
        to->set |= 1u << word, to->at[word] = where;
    else if (to->set >> word & 1)
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
    d->where =
        (span){f->where.at.line < d->where.at.line ||
                       (f->where.at.line == d->where.at.line && f->where.at.column < d->where.at.column)
                   ? f->where.at
                   : d->where.at,
               d->where.end.line < f->where.end.line ||
                       (d->where.end.line == f->where.end.line && d->where.end.column < f->where.end.column)
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

struct declarator *fe_declarator_reference(struct parser *p, struct declarator *d, span where)
{
    d->reference = arena_new(p->arena, struct fe_reference);
    d->reference->where = where;
    vec_push(p->arena, &p->fe->deferred.references, d->reference);
    return d;
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
    decl->reference = d->reference;
    if (d->reference)
        d->reference->is_const = decl->form == s.form && s.form->is_const;
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

struct fe_decl *fe_static_assert(struct parser *p, struct fe_expr *condition, struct fe_expr *text,
                                 span where)
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
        struct fe_decl *decl =
            is_typedef ? decl_new(p, FE_DECL_TYPEDEF, s, d, where) : variable_or_function(p, s, d, where);
        decl->flags = function_flags(s.qualifiers) | (d->is_word ? FE_DECL_WORD : 0);
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
