/* literals.c: numbers, characters, strings and comments: what stands between their delimiters. A broken
 * literal is reported and stands for some value of its kind.
 */
#include "frontend/grammar.h"
#include "frontend/parser.h"
#include <locale.h>
#include <math.h>
#include <stdlib.h>

/* ---- UTF-8 ----------------------------------------------------------------------------------------- */

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
    const char *at = memmem(text, (size_t)(end - text), key, sizeof key - 1), *before = p->line_start;
    if (!at)
        return;
    while (before < start && (*before == ' ' || *before == '\t'))
        before++;
    struct diag_ignore ignore = {.line = p->line + (before == start)};
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
        p->falls |= memmem(text, (size_t)(end - text), marks[i], strlen(marks[i])) != NULL;
}

static void skip_line_comment(struct parser *p, const char *start)
{
    const char *end = memchr(p->cursor, '\n', (size_t)(p->end - p->cursor));
    end = end ? end : p->end;
    check_bytes(p, p->cursor, end);
    note_ignored(p, start, p->cursor, end);
    note_fall(p, p->cursor, end);
    p->cursor = end;
}

static void skip_block_comment(struct parser *p, const char *start)
{
    place opened = fe_here(p, start);
    const char *close = memmem(p->cursor, (size_t)(p->end - p->cursor), "*/", 2);
    const char *end = close ? close : p->end;
    for (const char *line; (line = memchr(p->cursor, '\n', (size_t)(end - p->cursor))) != NULL;) {
        check_bytes(p, p->cursor, line);
        p->cursor = p->line_start = line + 1;
        p->line++;
    }
    check_bytes(p, p->cursor, end);
    if (opened.line == p->line) {
        note_ignored(p, start, p->cursor, end);
        note_fall(p, p->cursor, end);
    }
    p->cursor = close ? close + 2 : p->end;
    if (!close) {
        fe_report(p->fe, FE_MSG(unterminated_comment), (span){opened, {opened.line, opened.column + 2}});
        fe_note(p->fe, FE_MSG(file_ends), (span){fe_here(p, p->end), {0}});
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

/* A number without its separators, suffix cut off. */
struct number {
    struct parser *p;
    span where;
    char *text, *end;
    unsigned base;
    bool is_float;
    uint8_t flags; /* enum fe_literal_flag */
};

static bool is_digit(char c, unsigned base)
{
    unsigned v = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
                 : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
                 : c >= 'A' && c <= 'F' ? (unsigned)(c - 'A') + 10
                                        : 99;
    return v < base;
}

static bool remove_separators(struct number *n)
{
    char *to = n->text;
    bool good = true;
    for (const char *c = n->text; c < n->end; c++) {
        if (*c == '\'')
            good &= c > n->text && c + 1 < n->end && is_digit(c[-1], 16) && is_digit(c[1], 16);
        else
            *to++ = *c;
    }
    *to = 0;
    n->end = to;
    if (!good)
        fe_report(n->p->fe, FE_MSG(bad_separator), n->where);
    return good;
}

static const char *kind_of(const struct number *n)
{
    switch (n->base) {
    case 2: return "a binary";
    case 8: return "an octal";
    case 16: return "a hexadecimal";
    default: return "a decimal";
    }
}

static bool bad_suffix(struct number *n, const char *suffix)
{
    fe_report(n->p->fe, FE_MSG(bad_suffix), n->where, suffix,
              n->is_float ? "a floating number" : "an integer",
              n->is_float ? "f makes it a float" : "u, l, ll, ul and ull make it unsigned, long and both");
    return false;
}

static bool parse_suffix(struct number *n, const char *suffix)
{
    n->flags |= n->base == 10 ? FE_LIT_DECIMAL : n->base == 8 ? FE_LIT_OCTAL : 0;
    if (n->is_float) {
        if (*suffix && strcasecmp(suffix, "f") != 0)
            return bad_suffix(n, suffix);
        n->flags |= *suffix ? FE_LIT_FLOAT : 0;
        return true;
    }
    for (const char *c = suffix; *c; c++) {
        uint8_t flag = *c == 'u' || *c == 'U' ? FE_LIT_UNSIGNED : *c == 'l' || *c == 'L' ? FE_LIT_LONG : 0;
        if (!flag || n->flags & flag)
            return bad_suffix(n, suffix);
        n->flags |= flag;
        c += flag == FE_LIT_LONG && c[1] == c[0]; /* a long long is a long */
    }
    return true;
}

/* The digits and dot from *at; how many digits there were. */
static unsigned skip_digits(struct number *n, char **at)
{
    unsigned digits = 0;
    for (; is_digit(**at, n->base) || **at == '.'; ++*at) {
        n->is_float |= **at == '.';
        digits += **at != '.';
    }
    return digits;
}

/* Finds where the suffix begins; NULL after a report. */
static char *find_suffix(struct number *n)
{
    char *at = n->text + (n->base == 16 || n->base == 2 ? 2 : 0);
    if (skip_digits(n, &at) == 0) {
        fe_report(n->p->fe, FE_MSG(no_digits), n->where, kind_of(n), arena_strdup(n->p->arena, n->text, 2));
        return NULL;
    }
    if (n->base == 16 ? *at == 'p' || *at == 'P' : n->base == 10 && (*at == 'e' || *at == 'E')) {
        n->is_float = true;
        at += at[1] == '+' || at[1] == '-' ? 2 : 1;
        if (!is_digit(*at, 10)) {
            fe_report(n->p->fe, FE_MSG(no_exponent_digits), n->where);
            return NULL;
        }
        while (is_digit(*at, 10))
            at++;
    } else if (n->base == 16 && n->is_float) {
        fe_report(n->p->fe, FE_MSG(no_hex_exponent), n->where);
        return NULL;
    }
    if (is_digit(*at, 10)) {
        fe_report(n->p->fe, FE_MSG(bad_digit), n->where, *at, kind_of(n));
        return NULL;
    }
    return at;
}

static void integer_value(struct number *n, const char *end, struct fe_expr *e)
{
    uint64_t v = 0;
    bool overflow = false;
    for (const char *c = n->text + (n->base == 16 || n->base == 2 ? 2 : 0); c < end; c++) {
        unsigned digit = *c <= '9' ? (unsigned)(*c - '0') : (unsigned)((*c | 32) - 'a') + 10;
        overflow |= (int)__builtin_mul_overflow(v, n->base, &v) | __builtin_add_overflow(v, digit, &v);
    }
    if (overflow)
        fe_report(n->p->fe, FE_MSG(integer_too_large), n->where);
    e->value = v;
}

static void float_value(struct number *n, char *end, struct fe_expr *e)
{
    char suffix = *end;
    *end = 0;
    locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    double v =
        n->flags & FE_LIT_FLOAT ? strtof_l(n->text, NULL, c_locale) : strtod_l(n->text, NULL, c_locale);
    if (n->base == 10 && strtold_l(n->text, NULL, c_locale) != v)
        n->flags |= FE_LIT_INEXACT;
    freelocale(c_locale);
    *end = suffix;
    if (isinf(v))
        fe_report(n->p->fe, FE_MSG(float_too_large), n->where, n->flags & FE_LIT_FLOAT ? "float" : "double");
    e->kind = FE_EXPR_FLOAT;
    e->value = scalar_bits_f64(v);
}

static unsigned base_of(const char *text)
{
    if (text[0] != '0')
        return 10;
    if (text[1] == 'x' || text[1] == 'X')
        return 16;
    if (text[1] == 'b' || text[1] == 'B')
        return 2;
    size_t digits = strspn(text, "0123456789'");
    bool is_float = text[digits] == '.' || text[digits] == 'e' || text[digits] == 'E';
    return is_float || digits == 1 ? 10 : 8;
}

/* `0..8` is a range: the number ends before its dots. */
static size_t before_range(struct parser *p, const char *text, size_t n)
{
    const char *range = memmem(text, n, "..", 2);
    if (!range)
        return n;
    p->cursor = range;
    return (size_t)(range - text);
}

#define SHORT_NUMBER 64

int fe_lex_number(struct parser *p, const char *text, size_t n, span where, union value *value)
{
    char buffer[SHORT_NUMBER];
    size_t limit = p->fe->options.limits.number_length;
    n = before_range(p, text, n);
    where.end = fe_here(p, p->cursor);
    struct fe_expr *e = value->expr = fe_expr_new(p, FE_EXPR_INT, where);
    if (n > limit) {
        fe_report(p->fe, FE_MSG(number_too_long), where, (unsigned)limit);
        return TOK_INTEGER;
    }
    char *copy = n < sizeof buffer ? buffer : arena_alloc(p->arena, n + 1);
    memcpy(copy, text, n);
    copy[n] = 0;
    struct number number = {.p = p, .where = where, .text = copy, .end = copy + n, .base = base_of(copy)};
    if (!remove_separators(&number))
        return TOK_INTEGER;
    char *suffix = find_suffix(&number);
    if (!suffix || !parse_suffix(&number, suffix))
        return TOK_INTEGER;
    if (number.is_float)
        float_value(&number, suffix, e);
    else
        integer_value(&number, suffix, e);
    e->literal = number.flags;
    return number.is_float ? TOK_FLOATING : TOK_INTEGER;
}

/* ---- strings and characters -------------------------------------------------------------------------- */

static int simple_escape(char c)
{
    static const char from[] = "ntrabfv\\'\"", to[] = "\n\t\r\a\b\f\v\\'\"";
    const char *at = c ? strchr(from, c) : NULL;
    return at ? to[at - from] : -1;
}

/* Up to `most` digits of the base at the cursor, as a value; the cursor moves behind them. */
static unsigned escape_digits(struct parser *p, unsigned base, unsigned most)
{
    unsigned v = 0;
    for (unsigned n = 0; n < most && is_digit(*p->cursor, base); n++, p->cursor++)
        v = v * base + (unsigned)(*p->cursor <= '9' ? *p->cursor - '0' : (*p->cursor | 32) - 'a' + 10);
    return v;
}

/* The byte of an escape whose backslash is at `start`; the cursor is behind it,
 * and moves behind the escape. */
static char escape(struct parser *p, const char *start)
{
    unsigned v = 0;
    int simple = simple_escape(*p->cursor);
    if (simple >= 0) {
        p->cursor++;
        return (char)simple;
    }
    if (*p->cursor == 'x' && is_digit(p->cursor[1], 16)) {
        p->cursor++;
        v = escape_digits(p, 16, 8);
    } else if (is_digit(*p->cursor, 8)) {
        v = escape_digits(p, 8, 3);
    } else {
        uint32_t point;
        unsigned n = utf8_decode(p->cursor, (size_t)(p->end - p->cursor), &point);
        char *shown = n ? arena_strdup(p->arena, p->cursor, n) : "";
        p->cursor += n;
        fe_report(p->fe, FE_MSG(unknown_escape), (span){fe_here(p, start), fe_here(p, p->cursor)}, shown);
    }
    if (v > 255)
        fe_report(p->fe, FE_MSG(escape_too_large), (span){fe_here(p, start), fe_here(p, p->cursor)},
                  arena_strdup(p->arena, start, (size_t)(p->cursor - start)));
    return (char)v;
}

/* Where the literal ends: at its quote, or if it has none on its line, where the line does. */
static const char *find_quote(const struct parser *p, char quote)
{
    const char *at = p->cursor;
    while (at < p->end && *at != quote && *at != '\n' && !(*at == '\r' && at[1] == '\n'))
        at += *at == '\\' && at + 1 < p->end && at[1] != '\n' && at[1] != '\r' ? 2 : 1;
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
    struct literal l = {.closed = end < p->end && *end == quote};
    l.bytes = arena_alloc(p->arena, (size_t)(end - p->cursor) + 1);
    check_bytes(p, p->cursor, end);
    while (p->cursor < end) {
        const char *start = p->cursor++;
        l.bytes[l.length++] = *start == '\\' && p->cursor < end ? escape(p, start) : *start;
    }
    p->cursor = end + l.closed;
    l.where = (span){at, fe_here(p, p->cursor)};
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
