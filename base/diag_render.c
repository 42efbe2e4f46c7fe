/* diag_render.c: diagnostics as people read them.
 *
 *     file.kc:3:9: error: 'x' is not declared here
 *         3 |     y = x + 1;
 *           |         ^
 *           |         z
 *
 * The line under the source line marks the range, the next one shows the fix-it: what to insert or, as
 * dashes, what to delete. A shown line is a row of cells: a character of valid UTF-8 takes one, a byte
 * that must not reach a terminal four (\xNN). Tabs are kept in all three lines, so that they align for
 * any tab width. Of a line wider than WINDOW cells only the part around the caret is shown.
 */
#include "base/diag.h"

#include <stdlib.h>
#include <unistd.h>

#define WINDOW 120 /* cells of source shown */
#define BEFORE 60  /* of them, how many at least stand before the caret of a long line */

#define BOLD  "\033[1m"
#define GREEN "\033[1;32m"
#define RESET "\033[0m"

struct view {
    struct text *out;
    bool color;
    uint32_t line, shown; /* its number in the program, and in its file */
    const char *bytes;
    uint32_t length;
    uint32_t first, last; /* the bytes shown: first <= i < last */
};

static void paint(struct text *t, bool color, const char *escape)
{
    if (color)
        text_addz(t, escape);
}

/* ---- cells -------------------------------------------------------------------------------------- */

/* The character at byte i: its length in bytes; *cells gets its width. */
static uint32_t character_at(const struct view *v, uint32_t i, uint32_t *cells)
{
    uint32_t length = v->bytes[i] == '\t' ? 1 : utf8_visible(v->bytes + i, v->length - i);
    *cells = length ? 1 : 4;
    return length ? length : 1;
}

static uint32_t cells_between(const struct view *v, uint32_t from, uint32_t to)
{
    uint32_t sum = 0;
    for (uint32_t i = from, cells; i < to; sum += cells)
        i += character_at(v, i, &cells);
    return sum;
}

/* The byte `cells` cells after the byte `from`, or the line's end. */
static uint32_t advance(const struct view *v, uint32_t from, uint32_t cells)
{
    for (uint32_t done = 0, more; from < v->length && done < cells; done += more)
        from += character_at(v, from, &more);
    return from;
}

/* Chooses first and last around the byte `caret`, leaving nothing out if the line is short. */
static void choose_window(struct view *v, uint32_t caret)
{
    uint32_t before = cells_between(v, 0, caret < v->length ? caret : v->length);
    bool fits = cells_between(v, 0, v->length) <= WINDOW;
    v->first = fits || before <= BEFORE ? 0 : advance(v, 0, before - BEFORE);
    v->last = advance(v, v->first, WINDOW);
}

static void repeat(struct text *t, char c, uint32_t times)
{
    while (times--)
        text_char(t, c);
}

/* ---- the lines of a snippet ---------------------------------------------------------------------- */

static void show_line(const struct view *v)
{
    text_printf(v->out, "%5u | %s", v->shown, v->first ? "..." : "");
    text_visible(v->out, v->bytes + v->first, v->last - v->first);
    text_addz(v->out, v->last < v->length ? "...\n" : "\n");
}

/* The margin, then blanks below the cells before byte `upto`. */
static void indent_to(const struct view *v, uint32_t upto)
{
    text_addz(v->out, v->first ? "      |    " : "      | ");
    for (uint32_t i = v->first, cells; i < upto && i < v->last;) {
        char blank = v->bytes[i] == '\t' ? '\t' : ' ';
        i += character_at(v, i, &cells);
        repeat(v->out, blank, cells);
    }
}

/* The span's bytes in the view: offset of the first and beyond the last that is shown. */
static void clip(const struct view *v, span s, uint32_t *from, uint32_t *to)
{
    uint32_t end = s.end.line == 0 ? s.at.column : s.end.line > s.at.line ? v->length : s.end.column - 1;
    *from = s.at.column - 1 < v->length ? s.at.column - 1 : v->length;
    *to = end < *from ? *from : end < v->last ? end : v->last;
}

static void show_caret(const struct view *v, span where)
{
    uint32_t from, to;
    clip(v, where, &from, &to);
    uint32_t cells = cells_between(v, from, to);
    indent_to(v, from);
    paint(v->out, v->color, GREEN);
    text_char(v->out, '^');
    repeat(v->out, '~', cells > 1 ? cells - 1 : 0);
    paint(v->out, v->color, RESET);
    text_char(v->out, '\n');
}

static void show_fix(const struct view *v, const struct diag_fix *fix)
{
    uint32_t from, to;
    clip(v, fix->where, &from, &to);
    if (from < v->first || from > v->last)
        return;
    indent_to(v, from);
    paint(v->out, v->color, GREEN);
    if (*fix->insert)
        text_visible_line(v->out, fix->insert, strlen(fix->insert));
    else
        repeat(v->out, '-', cells_between(v, from, to));
    paint(v->out, v->color, RESET);
    text_char(v->out, '\n');
}

static bool in_source(const struct diagnostics *d, place p)
{
    if (!d->source || !p.line || !p.column)
        return false;
    const struct source *file = source_of(d->source, &p.line);
    return p.line <= file->line_count;
}

static struct view view_of(const struct diagnostics *d, place p, struct text *t, bool color)
{
    struct view v = {.out = t, .color = color, .line = p.line, .shown = p.line};
    source_of(d->source, &v.shown);
    v.bytes = source_line(d->source, p.line, &v.length);
    choose_window(&v, p.column - 1);
    return v;
}

static void show_snippet(const struct diagnostics *d, const struct diagnostic *g, struct text *t, bool color)
{
    if (!in_source(d, g->where.at))
        return;
    struct view v = view_of(d, g->where.at, t, color);
    show_line(&v);
    show_caret(&v, g->where);
    if (!g->has_fix || !in_source(d, g->fix.where.at))
        return;
    if (g->fix.where.at.line != v.line) {
        v = view_of(d, g->fix.where.at, t, color);
        show_line(&v);
    }
    show_fix(&v, &g->fix);
}

/* ---- a diagnostic -------------------------------------------------------------------------------- */

static void show_place(const struct diagnostics *d, place p, struct text *t)
{
    const char *file = diag_file(d, &p.line), *name = file ? file : "kernc";
    text_visible_line(t, name, strlen(name));
    if (!d->source)
        p.line = 0;
    if (p.line)
        text_printf(t, ":%u", p.line);
    if (p.line && p.column)
        text_printf(t, ":%u", p.column);
    text_addz(t, ": ");
}

static void show_group(const struct diagnostic *g, struct text *t)
{
    if (g->promoted)
        text_printf(t, " [-Werror=%s]", g->id);
    else if (g->severity == DIAG_WARNING || g->severity == DIAG_REMARK)
        text_printf(t, " [-W%s]", g->id);
}

void diag_heading(const struct diagnostics *d, const struct diagnostic *g, struct text *t, bool color)
{
    static const char *const colors[] = {"\033[1;36m", "\033[1;34m", "\033[1;35m", "\033[1;31m"};
    paint(t, color, BOLD);
    show_place(d, g->where.at, t);
    paint(t, color, colors[g->severity]);
    text_printf(t, "%s: ", diag_severity_name(g->severity));
    paint(t, color, RESET BOLD);
    text_visible_line(t, g->text, strlen(g->text));
    paint(t, color, RESET);
    show_group(g, t);
}

void diag_text(const struct diagnostics *d, struct text *t, bool color)
{
    for (uint32_t i = 0; i < d->all.count; i++) {
        diag_heading(d, &d->all.at[i], t, color);
        text_char(t, '\n');
        show_snippet(d, &d->all.at[i], t, color);
    }
}

void diag_print(const struct diagnostics *d, FILE *out, bool color)
{
    struct scratch scratch;
    struct text t = {.arena = scratch_begin(&scratch)};
    diag_text(d, &t, color);
    if (t.length)
        fwrite(t.at, 1, t.length, out);
    scratch_end(&scratch);
}

bool diag_color_wanted(FILE *out)
{
    const char *term = getenv("TERM");
    return isatty(fileno(out)) && !getenv("NO_COLOR") && term && strcmp(term, "dumb") != 0;
}
