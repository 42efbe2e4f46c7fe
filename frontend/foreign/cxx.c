/* cxx.c: C++'s references, and its auto. The parser has reported them; the checker notes what it takes to write
 * them in Kern, so that the fix-it of the message does all of it.
 */
#include "frontend/check/check.h"

/* ---- references -------------------------------------------------------------------------------------- */

/* A declaration with & is checked as one of a variable; what a pointer in its place would have to have
 * elsewhere is noted on the way:
 *
 *     void half(float &x) { x /= 2; }        void half(float *x) { *x /= 2; }
 *     half(a[i]);                            half(&a[i]);
 *
 * A reference to what is const becomes a copy. */

static void note_edit(struct checker *c, const struct fe_decl *d, span where, const char *insert)
{
    struct fe_edit e = {where, insert};
    vec_push(c->arena, &d->reference->edits, e);
}

static bool has_pointer(const struct checker *c, const struct fe_decl *d)
{
    return d->reference && !d->reference->is_const && !c->fe->is_repeating;
}

/* Whether *x stands where the name does without parentheses around it. */
static bool is_bare(struct checker *c, span where)
{
    size_t n;
    uint32_t line = where.at.line;
    const char *text = source_of(c->fe->source, &line)->text, *at = fe_span_text(c->fe, where, &n),
               *next = at + n;
    while (at > text && (at[-1] == ' ' || at[-1] == '\t'))
        at--;
    next += strspn(next, " \t");
    bool is_operand = *next == '.' || *next == '[' || (*next == '-' && (next[1] == '>' || next[1] == '-')) ||
                      (*next == '+' && next[1] == '+');
    return !is_operand && (at == text || at[-1] != '/');
}

void fe_note_reference_use(struct checker *c, const struct fe_decl *d, const struct fe_expr *name)
{
    if (!has_pointer(c, d))
        return;
    const char *insert = is_bare(c, name->where) ? arena_printf(c->arena, "*%s", d->name)
                                                 : arena_printf(c->arena, "(*%s)", d->name);
    note_edit(c, d, name->where, insert);
}

void fe_note_referred(struct checker *c, const struct fe_decl *d, const struct fe_expr *to)
{
    if (has_pointer(c, d))
        note_edit(c, d, (span){to->where.at, to->where.at}, "&");
}

void fe_report_references(struct frontend *fe)
{
    for (uint32_t i = 0; i < fe->deferred.references.count; i++) {
        const struct fe_reference *r = fe->deferred.references.at[i];
        fe_report(fe, FE_MSG(foreign_word), r->where, "&",
                  r->is_const ? "there are no references: take a copy"
                              : "there are no references: take a pointer, int *x, and give it &a");
        fe_fixit(fe, r->where, r->is_const ? "" : "*");
        for (uint32_t k = 0; k < r->edits.count; k++)
            fe_fix_also(fe, r->edits.at[k].where, r->edits.at[k].insert);
    }
}

/* ---- auto -------------------------------------------------------------------------------------------- */

/* A variable declared so is checked with the type of its initialiser, which the fix-it writes:
 *
 *     auto n = a[i] * 2;        float n = a[i] * 2;
 *     const auto *p = &a[i];    const float *p = &a[i];
 *
 * No type is written that is not known, that several variables of one declaration differ in, or that takes
 * more than words and stars. Spaces are left to the initialiser: what is written is the same for each
 * instance of a function. */

static uint64_t key_of(place p)
{
    return (uint64_t)p.line << 32 | p.column;
}

void fe_note_auto(struct frontend *fe, span where)
{
    uint32_t which = fe_latest(fe);
    if (which == UINT32_MAX)
        return;
    struct fe_auto a = {.which = which, .where = where};
    vec_push(&fe->arena, &fe->deferred.autos, a);
    map_set(&fe->arena, &fe->deferred.autos_at, key_of(where.at), fe->deferred.autos.count - 1);
}

void fe_fix_autos(struct frontend *fe)
{
    for (uint32_t i = 0; i < fe->deferred.autos.count; i++) {
        struct fe_auto *a = &fe->deferred.autos.at[i];
        if (!a->type || a->differs)
            continue;
        size_t n = strlen(a->type), blanks;
        const char *text = fe_span_text(fe, a->where, &blanks) + (a->where.end.column - a->where.at.column);
        if (a->type[n - 1] == '*') /* float *p */
            a->where.end.column += (uint32_t)strspn(text, " \t");
        diag_fix_later(fe->diags, a->which, a->where, a->type);
    }
}

/* The level of the form that is the word; NULL: none is. */
static struct fe_form *word_of(const struct checker *c, const struct fe_decl *d, struct fe_auto **a)
{
    struct fe_form *f = d->form;
    while (f->kind == FE_FORM_POINTER)
        f = f->of;
    uint32_t i = f->kind == FE_FORM_NAME ? map_get(&c->fe->deferred.autos_at, key_of(f->where.at)) : MAP_NONE;
    if (i == MAP_NONE)
        return NULL;
    *a = &c->fe->deferred.autos.at[i];
    return f;
}

/* How the type is written; NULL: by more than words and stars. */
static const char *words_of(struct checker *c, const struct fe_type *t)
{
    struct text stars = {.arena = c->arena};
    text_addz(&stars, "");
    while (fe_is_pointer(t) && !fe_is_function_pointer(t)) {
        if (stars.length && t->is_const)
            return NULL;
        text_char(&stars, '*');
        t = t->of;
    }
    bool is_named =
        fe_is_arithmetic(t) || fe_is_vector(t) || (t->kind == FE_TYPE_STRUCT && t->decl && t->decl->name);
    if (!is_named)
        return NULL;
    return arena_printf(c->arena, "%s%s%s%s", t->is_const && stars.length ? "const " : "",
                        fe_type_text(c, t->plain), stars.length ? " " : "", stars.at);
}

/* The type of the value, of which nothing is said here and nothing noted. */
static struct fe_type *type_of(struct checker *c, const struct fe_expr *value)
{
    bool in_host = c->fe->in_host, is_repeating = c->fe->is_repeating;
    c->fe->in_host = c->fe->is_repeating = true;
    c->context.unevaluated++;
    struct fe_type *t = fe_check_value(c, fe_copy_expr(c->arena, value))->type;
    c->context.unevaluated--;
    c->fe->in_host = in_host;
    c->fe->is_repeating = is_repeating;
    return t;
}

void fe_deduce(struct checker *c, struct fe_decl *d)
{
    struct fe_auto *a = NULL;
    struct fe_form *word = word_of(c, d, &a);
    if (!word || !d->init || d->init->kind == FE_EXPR_INIT)
        return;
    struct fe_type *t = type_of(c, d->init);
    bool is_pointed = word != d->form || d->reference;
    for (const struct fe_form *f = d->form; f != word; f = f->of) {
        if (!fe_is_pointer(t) || fe_is_function_pointer(t))
            return;
        t = t->of;
    }
    if (!is_pointed || word->is_const)
        t = t->plain;
    bool is_known = !fe_is_error(t) && !fe_is_undecided(t) && t->is_complete;
    const char *text = is_known ? words_of(c, t) : NULL;
    if (text && word->is_const && fe_is_pointer(t))
        text = NULL; /* the const is the pointer's own, and would be what it points to */
    if (text && is_pointed && t->is_const && !fe_is_pointer(t))
        text = arena_printf(c->arena, "const %s", text);
    a->differs |= a->is_known && (!text || !a->type || strcmp(a->type, text) != 0);
    a->type = text;
    a->is_known = true;
    if (is_known && !word->type)
        word->type = word->is_const ? fe_const_of(c->types, t) : t;
}
