/* literals.c: numbers, characters, strings and comments: what stands between their delimiters. A broken
 * literal is reported and stands for some value of its kind.
 */
#include "base/number_read.h"
#include "frontend/parse/grammar.h"
#include "frontend/parse/parser.h"

/* ---- UTF-8 ----------------------------------------------------------------------------------------- */

/* Reports a NUL byte between them, at most one: comments are in whatever encoding. */
static void check_comment(struct parser *p, const char *at, const char *end)
{
    const char *nul = memchr(at, 0, (size_t)(end - at));
    if (nul)
        fe_report(p->fe, FE_MSG(nul_byte), (span){fe_here(p, nul), fe_here(p, nul + 1)});
}

/* Reports what is no UTF-8, or NUL, from `at` to the end of the line; at most once a line. */
static void check_bytes(struct parser *p, const char *at, const char *end)
{
    while (at < end) {
        uint32_t point;
        unsigned n = *at > 0 ? 1 : utf8_decode(at, (size_t)(end - at), &point);
        if (*at == 0 || n == 0) {
            span where = {fe_here(p, at), fe_here(p, at + 1)};
            if (*at == 0)
                fe_report(p->fe, FE_MSG(nul_byte), where);
            else
                fe_report(p->fe, FE_MSG(invalid_utf8), where);
            return;
        }
        at += n;
    }
}

/* ---- comments -------------------------------------------------------------------------------------- */

/* The name of the group that n bytes name; NULL after a warning. */
static const char *group_name(struct parser *p, const char *name, size_t n)
{
    for (unsigned g = DIAG_GROUP_none + 1; g < DIAG_GROUPS; g++)
        if (strlen(diag_group_info[g].name) == n && memcmp(diag_group_info[g].name, name, n) == 0)
            return diag_group_info[g].name;
    span where = {fe_here(p, name), fe_here(p, name + n)};
    fe_report(p->fe, FE_MSG(unknown_group), where, arena_strdup(p->arena, name, n));
    return NULL;
}

/* kern:ignore(perf, unused) in a comment: for its line, or if it stands alone there, for the next. */
static void note_ignored(struct parser *p, const char *start, const char *text, const char *end)
{
    static const char key[] = "kern:ignore(";
    const char *at = memmem(text, (size_t)(end - text), key, sizeof key - 1), *before = p->in.line_start;
    if (!at)
        return;
    while (before < start && (*before == ' ' || *before == '\t'))
        before++;
    struct diag_ignore ignore = {.line = p->in.line + (before == start)};
    struct diagnostics *d = p->fe->diags;
    for (at += sizeof key - 1; at < end && *at != ')';) {
        size_t n = strspn(at, "abcdefghijklmnopqrstuvwxyz-");
        if (n && (ignore.id = group_name(p, at, n)))
            diag_ignore(d, ignore);
        at += n ? n : 1;
    }
}

/* A comment such as "falls through": for the line of the case behind it. */
static void note_fall(struct parser *p, const char *text, const char *end)
{
    static const char *const marks[] = {"fallthrough",  "fall through", "falls through",
                                        "fall-through", "FALLTHROUGH",  "FALL THROUGH"};
    for (size_t i = 0; i < COUNT(marks); i++)
        p->falls_through |= memmem(text, (size_t)(end - text), marks[i], strlen(marks[i])) != NULL;
}

static void skip_line_comment(struct parser *p, const char *start)
{
    const char *end = memchr(p->in.cursor, '\n', (size_t)(p->in.end - p->in.cursor));
    end = end ? end : p->in.end;
    check_comment(p, p->in.cursor, end);
    note_ignored(p, start, p->in.cursor, end);
    note_fall(p, p->in.cursor, end);
    const char *last = end > start && end[-1] == '\r' ? end - 1 : end;
    if (last[-1] == '\\' && end < p->in.end) {
        span where = {fe_here(p, last - 1), fe_here(p, last)};
        if (fe_report(p->fe, FE_MSG(comment_joined), where))
            fe_fix_removal(p->fe, where);
    }
    p->in.cursor = end;
}

static void skip_block_comment(struct parser *p, const char *start)
{
    place opened = fe_here(p, start);
    const char *close = memmem(p->in.cursor, (size_t)(p->in.end - p->in.cursor), "*/", 2);
    const char *end = close ? close : p->in.end;
    for (const char *line; (line = memchr(p->in.cursor, '\n', (size_t)(end - p->in.cursor))) != NULL;) {
        check_comment(p, p->in.cursor, line);
        p->in.cursor = p->in.line_start = line + 1;
        p->in.line++;
    }
    check_comment(p, p->in.cursor, end);
    if (opened.line == p->in.line) {
        note_ignored(p, start, p->in.cursor, end);
        note_fall(p, p->in.cursor, end);
    }
    p->in.cursor = close ? close + 2 : p->in.end;
    if (!close) {
        fe_report(p->fe, FE_MSG(unterminated_comment), (span){opened, {opened.line, opened.column + 2}});
        fe_note(p->fe, FE_MSG(file_ends), (span){fe_here(p, p->in.end), {0}});
    }
}

void fe_skip_comment(struct parser *p, const char *start, bool is_block)
{
    if (is_block)
        skip_block_comment(p, start);
    else
        skip_line_comment(p, start);
}

/* ---- numbers --------------------------------------------------------------------------------------- */

static uint8_t literal_flags(const struct number *n)
{
    return (uint8_t)((n->is_unsigned ? FE_LIT_UNSIGNED : 0) | (n->is_long ? FE_LIT_LONG : 0) |
                     (n->is_single ? FE_LIT_FLOAT : 0) | (n->base == 10 ? FE_LIT_DECIMAL : 0) |
                     (n->base == 8 ? FE_LIT_OCTAL : 0) | (n->is_inexact ? FE_LIT_INEXACT : 0));
}

static void report_number(struct parser *p, const struct number *n, const char *text, span where)
{
    static const struct {
        enum fe_message id;
        const char *format;
    } messages[NUMBER_FAULTS] = {
        [NUMBER_NO_DIGITS] = {FE_MSG(no_digits)},
        [NUMBER_DIGIT] = {FE_MSG(bad_digit)},
        [NUMBER_POINT] = {FE_MSG(bad_point)},
        [NUMBER_SEPARATOR] = {FE_MSG(bad_separator)},
        [NUMBER_NO_EXPONENT_DIGITS] = {FE_MSG(no_exponent_digits)},
        [NUMBER_NO_HEX_EXPONENT] = {FE_MSG(no_hex_exponent)},
        [NUMBER_SUFFIX] = {FE_MSG(bad_suffix)},
        [NUMBER_INTEGER_TOO_LARGE] = {FE_MSG(integer_too_large)},
        [NUMBER_FLOAT_TOO_LARGE] = {FE_MSG(float_too_large)},
    };
    if (n->fault == NUMBER_POINT || n->fault == NUMBER_DIGIT || n->fault == NUMBER_SUFFIX)
        where.at = fe_here(p, text + n->fault_at);
    fe_report(p->fe, messages[n->fault].id, messages[n->fault].format, where, n->problem);
}

int fe_lex_number(struct parser *p, const char *text, size_t n, span where, union value *value)
{
    struct number number;
    size_t limit = p->fe->options.limits.number_length;
    n = number_length(text, n);
    p->in.cursor = text + n;
    where.end = fe_here(p, p->in.cursor);
    struct fe_expr *e = value->expr = fe_expr_new(p, FE_EXPR_INT, where);
    if (n > limit) {
        fe_report(p->fe, FE_MSG(number_too_long), where, (unsigned)limit);
        return TOK_INTEGER;
    }
    if (!number_read(text, n, NUMBER_OCTAL | NUMBER_EXACTNESS, &number)) {
        report_number(p, &number, text, where);
        return TOK_INTEGER;
    }
    e->literal = literal_flags(&number);
    e->value = number.is_float ? scalar_bits_f64(number.value) : number.integer;
    e->kind = number.is_float ? FE_EXPR_FLOAT : FE_EXPR_INT;
    return number.is_float ? TOK_FLOATING : TOK_INTEGER;
}

/* ---- strings and characters -------------------------------------------------------------------------- */

static int simple_escape(char c)
{
    static const char from[] = "ntrabfv\\'\"?", to[] = "\n\t\r\a\b\f\v\\'\"?";
    const char *at = c ? strchr(from, c) : NULL;
    return at ? to[at - from] : -1;
}

/* Up to `most` digits of the base at the cursor, as a value; the cursor moves behind them. */
static unsigned escape_digits(struct parser *p, unsigned base, unsigned most)
{
    unsigned v = 0;
    for (unsigned n = 0; n < most && number_digit(*p->in.cursor) < base; n++, p->in.cursor++)
        v = v * base + number_digit(*p->in.cursor);
    return v;
}

/* The byte of an escape whose backslash is at `start`; the cursor is behind it,
 * and moves behind the escape. */
static char escape(struct parser *p, const char *start)
{
    unsigned v = 0;
    int simple = simple_escape(*p->in.cursor);
    if (simple >= 0) {
        p->in.cursor++;
        return (char)simple;
    }
    if (*p->in.cursor == 'x' && number_digit(p->in.cursor[1]) < 16) {
        p->in.cursor++;
        v = escape_digits(p, 16, 8);
    } else if (number_digit(*p->in.cursor) < 8) {
        v = escape_digits(p, 8, 3);
    } else {
        uint32_t point;
        unsigned n = utf8_decode(p->in.cursor, (size_t)(p->in.end - p->in.cursor), &point);
        char *shown = n ? arena_strdup(p->arena, p->in.cursor, n) : "";
        p->in.cursor += n;
        fe_report(p->fe, FE_MSG(unknown_escape), (span){fe_here(p, start), fe_here(p, p->in.cursor)}, shown);
    }
    if (v > 255)
        fe_report(p->fe, FE_MSG(escape_too_large), (span){fe_here(p, start), fe_here(p, p->in.cursor)},
                  arena_strdup(p->arena, start, (size_t)(p->in.cursor - start)));
    return (char)v;
}

/* Where the literal ends: at its quote, or if it has none on its line, where the line does. */
static const char *find_quote(const struct parser *p, char quote)
{
    const char *at = p->in.cursor;
    while (at < p->in.end && *at != quote && *at != '\n' && !(*at == '\r' && at[1] == '\n'))
        at += *at == '\\' && at + 1 < p->in.end && at[1] != '\n' && at[1] != '\r' ? 2 : 1;
    return at;
}

struct literal {
    char *bytes;
    size_t length;
    span where;
    bool closed;
};

/* Decodes a string or character whose opening quote, at `at`, is behind the cursor. */
static struct literal decode(struct parser *p, char quote, place at)
{
    const char *end = find_quote(p, quote);
    struct literal l = {.closed = end < p->in.end && *end == quote};
    l.bytes = arena_alloc(p->arena, (size_t)(end - p->in.cursor) + 1);
    check_bytes(p, p->in.cursor, end);
    while (p->in.cursor < end) {
        const char *start = p->in.cursor++;
        l.bytes[l.length++] = *start == '\\' && p->in.cursor < end ? escape(p, start) : *start;
    }
    p->in.cursor = end + l.closed;
    l.where = (span){at, fe_here(p, p->in.cursor)};
    if (!l.closed)
        p->broken_literal = at;
    return l;
}

int fe_lex_string(struct parser *p, place at, union value *value)
{
    struct literal l = decode(p, '"', at);
    size_t limit = p->fe->options.limits.string_length;
    if (!l.closed) {
        fe_report(p->fe, FE_MSG(unterminated_string), l.where);
        fe_note(p->fe, FE_MSG(line_ends), span_after(l.where));
    }
    if (l.length > limit) {
        fe_report(p->fe, FE_MSG(string_too_long), l.where, (unsigned)limit);
        l.length = limit;
    }
    value->expr = fe_expr_new(p, FE_EXPR_STRING, l.where);
    value->expr->string.bytes = l.bytes;
    value->expr->string.length = (uint32_t)l.length;
    return TOK_STRING;
}

/* Like C's, a character is an int: that of the signed byte. */
int fe_lex_character(struct parser *p, place at, union value *value)
{
    struct literal l = decode(p, '\'', at);
    if (!l.closed)
        fe_report(p->fe, FE_MSG(unterminated_character), l.where);
    else if (l.length == 0)
        fe_report(p->fe, FE_MSG(empty_character), l.where);
    else if (l.length > 1)
        fe_report(p->fe, FE_MSG(long_character), l.where);
    value->expr = fe_expr_new(p, FE_EXPR_INT, l.where);
    value->expr->literal = FE_LIT_CHARACTER;
    value->expr->value = (uint32_t)(int32_t)(signed char)l.bytes[0];
    return TOK_INTEGER;
}
