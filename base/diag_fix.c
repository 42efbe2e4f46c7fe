/* diag_fix.c: the fix-its of diagnostics, applied to the text that they are about.
 *
 * A diagnostic's edits are made together or not at all. Edits of different diagnostics may overlap, as
 * where a call
 * and one of its arguments are both to be written anew: then the one that begins first in the text is
 * made, and the
 * other is left for another round over the new text. Equal edits are one. At least one diagnostic's edits
 * are made
 * where there are any. Time n log n in the edits.
 */
#include "base/diag.h"

#include <stdlib.h>

struct edit {
    uint32_t from, to, of; /* bytes of the text; the diagnostic */
    const char *insert;
};
typedef VEC(struct edit) edit_list;

static uint32_t offset_of(const struct source *s, place p)
{
    uint32_t start = p.line <= s->line_count ? s->lines[p.line - 1] : (uint32_t)s->length;
    uint32_t end = p.line < s->line_count ? s->lines[p.line] : (uint32_t)s->length;
    uint64_t offset = (uint64_t)start + p.column - 1;
    return offset < end ? (uint32_t)offset : end;
}

/* False: the edit is not of the program's own file, or nowhere. */
static bool add_edit(struct arena *a, const struct source *own, const struct diag_fix *f, uint32_t of,
                     edit_list *edits)
{
    place at = f->where.at, end = f->where.end;
    if (!at.line || !at.column || !end.line || !end.column)
        return false;
    bool is_own = source_of(own, &at.line) == own && source_of(own, &end.line) == own;
    struct edit e = {offset_of(own, at), offset_of(own, end), of, f->insert};
    if (!is_own || e.to < e.from)
        return false;
    vec_push(a, edits, e);
    return true;
}

/* Those of the diagnostic; none if one of them cannot be made. */
static void add_edits(struct arena *a, const struct diagnostics *d, uint32_t i, edit_list *edits)
{
    const struct diagnostic *g = &d->all.at[i];
    uint32_t before = edits->count;
    bool good = g->has_fix && g->parent == UINT32_MAX && add_edit(a, d->source, &g->fix, i, edits);
    for (uint32_t k = 0; good && k < g->also.count; k++)
        good = add_edit(a, d->source, &g->also.at[k], i, edits);
    if (!good)
        edits->count = before;
}

static int by_place(const void *x, const void *y)
{
    const struct edit *a = x, *b = y;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    if (a->to != b->to)
        return a->to < b->to ? -1 : 1; /* what is only inserted comes first */
    return a->of < b->of ? -1 : a->of > b->of;
}

static bool are_equal(const struct edit *a, const struct edit *b)
{
    return a->from == b->from && a->to == b->to && strcmp(a->insert, b->insert) == 0;
}

static bool overlap(const struct edit *first, const struct edit *next)
{
    bool both_insert = first->from == first->to && next->from == next->to && first->from == next->from;
    return next->from < first->to || both_insert;
}

/* Diagnostics that have to wait for another round. */
static struct bitset losers(struct arena *a, const struct diagnostics *d, const edit_list *edits)
{
    struct bitset lost = bitset_new(a, d->all.count);
    const struct edit *last = NULL;
    for (uint32_t i = 0; i < edits->count; i++) {
        const struct edit *e = &edits->at[i];
        if (bitset_has(lost, e->of) || (last && are_equal(last, e)))
            continue;
        if (last && overlap(last, e))
            bitset_add(lost, e->of);
        else
            last = e;
    }
    return lost;
}

/* New lines end as those of the text do. */
static void insert_text(struct text *out, const char *insert, bool has_returns)
{
    for (; *insert; insert++) {
        if (*insert == '\n' && has_returns)
            text_char(out, '\r');
        text_char(out, *insert);
    }
}

void diag_apply_fixes(const struct diagnostics *d, struct text *out, u32_vec *applied)
{
    struct scratch scratch;
    struct arena *a = scratch_begin(&scratch);
    edit_list edits = {0};
    for (uint32_t i = 0; i < d->all.count; i++)
        add_edits(a, d, i, &edits);
    if (edits.count)
        qsort(edits.at, edits.count, sizeof edits.at[0], by_place);
    struct bitset lost = losers(a, d, &edits);
    const struct source *s = d->source;
    bool has_returns = s->line_count > 1 && s->lines[1] > 1 && s->text[s->lines[1] - 2] == '\r';
    const struct edit *last = NULL;
    uint32_t at = 0;
    for (uint32_t i = 0; i < edits.count; i++) {
        const struct edit *e = &edits.at[i];
        if (bitset_has(lost, e->of) || (last && are_equal(last, e)))
            continue;
        text_add(out, s->text + at, e->from - at);
        insert_text(out, e->insert, has_returns);
        at = e->to;
        last = e;
    }
    text_add(out, s->text + at, s->length - at);
    struct bitset seen = bitset_new(a, d->all.count);
    for (uint32_t i = 0; i < edits.count; i++)
        if (!bitset_has(lost, edits.at[i].of))
            bitset_add(seen, edits.at[i].of);
    for (uint32_t i = 0; i < d->all.count; i++)
        if (bitset_has(seen, i))
            vec_push(out->arena, applied, i);
    scratch_end(&scratch);
}
