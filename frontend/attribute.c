/* attribute.c: what other languages write in brackets about a declaration or statement. It is reported and left
 * out: [[aligned(16)]], [numthreads(8, 1, 1)], and words with parentheses, __attribute__((packed)).
 */
#include "frontend/parser.h"

/* Behind the bracket that closes the one at `at`; NULL: there is none before a semicolon or brace. */
static const char *closing(const char *at)
{
    unsigned open = 0;
    for (; *at && !strchr(";{}", *at); at++) {
        open += *at == '(' || *at == '[';
        open -= *at == ')' || *at == ']';
        if (!open)
            return at + 1;
    }
    return NULL;
}

/* The row of the first word between these that has one. */
static const struct fe_foreign_name *row_within(const char *at, const char *end)
{
    const struct fe_foreign_name *row = NULL;
    while (at < end && !row) {
        size_t n = fe_begins_word(*at) ? fe_word_length(at) : 0;
        row = n ? fe_find_attribute(at, n) : NULL;
        at += n ? n : 1;
    }
    return row;
}

/* GLSL's `layout(…) in;`; false: there is none. */
static bool skip_direction(struct parser *p)
{
    const char *at = p->cursor + strspn(p->cursor, " \t");
    size_t n = fe_word_length(at);
    const char *behind = at + n + strspn(at + n, " \t");
    bool is_direction = (n == 2 && memcmp(at, "in", 2) == 0) || (n == 3 && memcmp(at, "out", 3) == 0);
    if (!is_direction || *behind != ';')
        return false;
    fe_go_on(p, behind + 1);
    return true;
}

bool fe_skip_call(struct parser *p, const char *word, const char *advice, span where, bool fixes)
{
    const char *open = p->cursor + strspn(p->cursor, " \t\r\n"), *end = *open == '(' ? closing(open) : NULL;
    if (!end)
        return false;
    const struct fe_foreign_name *row = row_within(open, end);
    fe_report(p->fe, FE_MSG(foreign_word), where, row ? row->text : word, row ? row->advice : advice);
    fe_go_on(p, end);
    bool is_removed = skip_direction(p) || fixes;
    if (is_removed)
        fe_fix_removal(p->fe, (span){where.at, fe_here(p, p->cursor)});
    return true;
}

bool fe_skip_brackets(struct parser *p, const char *at, bool may_begin)
{
    const char *end = closing(at), *word = at + 1 + strspn(at + 1, " \t[");
    size_t n = end && fe_begins_word(*word) ? fe_word_length(word) : 0;
    if (!n)
        return false;
    bool is_double = at[1] == '[';
    const struct fe_foreign_name *row = is_double ? row_within(at, end) : fe_find_attribute(word, n);
    const char *next = word + n + strspn(word + n, " \t"), *behind = end + strspn(end, " \t");
    bool is_single = may_begin && row && (*next == '(' || *next == ']') && *behind != '=' && *behind != '[' &&
                     *behind != '.';
    if (!is_double && !is_single)
        return false;
    span where = {fe_here(p, word), fe_here(p, word + n)};
    place begin = fe_here(p, at);
    fe_report(p->fe, FE_MSG(foreign_word), where, row ? row->text : arena_strdup(p->arena, word, n),
              row ? row->advice : "there are no attributes: remove it");
    fe_go_on(p, end);
    fe_fix_removal(p->fe, (span){begin, fe_here(p, end)});
    return true;
}
