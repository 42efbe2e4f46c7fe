/* reference.c: C++'s references. A declaration with & is checked as one of a variable; what a pointer in
 * its place would
 * have to have elsewhere is noted on the way, so that the message about the & mends all of it:
 *
 *     void half(float &x) { x /= 2; }        void half(float *x) { *x /= 2; }
 *     half(a[i]);                            half(&a[i]);
 *
 * A reference to what is const becomes a copy.
 */
#include "frontend/check.h"

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
    for (uint32_t i = 0; i < fe->references.count; i++) {
        const struct fe_reference *r = fe->references.at[i];
        fe_report(fe, FE_MSG(foreign_word), r->where, "&",
                  r->is_const ? "there are no references: take a copy"
                              : "there are no references: take a pointer, int *x, and give it &a");
        fe_fixit(fe, r->where, r->is_const ? "" : "*");
        for (uint32_t k = 0; k < r->edits.count; k++)
            fe_fix_also(fe, r->edits.at[k].where, r->edits.at[k].insert);
    }
}
