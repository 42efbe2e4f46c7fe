/* lexer.re: LLVM IR text to tokens (re2c). What a word means is the parser's business.
 *
 * Needs: text that ends in a NUL which is no part of it. Time is linear in the text.
 */
#include "base/number_read.h"
#include "import/parse.h"

void ll_lexer_init(struct parser *p)
{
    p->cursor = p->line_start = p->source->text;
    p->end = p->source->text + p->source->length;
    p->line = 1;
}

static place here(const struct parser *p, const char *at)
{
    return (place){p->line, (uint32_t)(at - p->line_start) + 1};
}

void ll_skip_line(struct parser *p)
{
    const char *newline = memchr(p->cursor, '\n', (size_t)(p->end - p->cursor));
    p->cursor = newline ? newline : p->end;
    ll_advance(p);
}

/* Digits from `at` to the cursor, which may have a colon behind them. */
static uint32_t number(const char *at, const char *end)
{
    uint64_t n = 0;
    for (; at < end && number_digit(*at) < 10; at++)
        n = n < UINT32_MAX ? n * 10 + number_digit(*at) : n;
    return n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
}

static uint64_t hex(const char *at, const char *end)
{
    uint64_t n = 0;
    for (; at < end; at++)
        n = n << 4 | number_digit(*at);
    return n;
}

static void take(struct parser *p, const char *from, const char *end)
{
    p->token.length = (size_t)(end - from);
    p->token.text = intern(&p->strings, from, p->token.length);
}

/* A string's bytes: \5C is a byte, \\ a backslash. */
static void take_quoted(struct parser *p, const char *from, const char *end)
{
    if (!memchr(from, '\\', (size_t)(end - from))) {
        take(p, from, end);
        return;
    }
    char *bytes = arena_alloc(p->arena, (size_t)(end - from) + 1), *to = bytes;
    while (from < end) {
        size_t n = *from == '\\' ? (size_t)(end - from) : 0;
        bool is_byte = n > 2 && number_digit(from[1]) < 16 && number_digit(from[2]) < 16;
        bool is_backslash = n > 1 && from[1] == '\\';
        *to++ = is_byte ? (char)hex(from + 1, from + 3) : *from;
        from += is_byte ? 3 : is_backslash ? 2 : 1;
    }
    take(p, bytes, to);
}

/* What begins here is no token. */
static void stray(struct parser *p, const char *at)
{
    span where = {here(p, at), here(p, at + 1)};
    struct text shown = {.arena = p->arena};
    text_visible_line(&shown, at, 1);
    p->cursor = at;
    p->token.kind = LEX_END;
    if (*at == '"')
        ll_error(p, where, "import-syntax", "a string without its closing \" on the line");
    else
        ll_error(p, where, "import-syntax", "unexpected character '%s'", shown.at);
}

static int next_token(struct parser *p)
{
    const unsigned char *cursor, *marker, *limit;
    const char *at, *end;
    UNUSED(marker);

#define GIVE(t) do { p->cursor = end = (const char *)cursor; p->token.kind = (t); } while (0)
#define TEXT(t, before, after) do { GIVE(t); take(p, at + (before), end - (after)); return (t); } while (0)
#define QUOTED(t, before, after) \
    do { GIVE(t); take_quoted(p, at + (before), end - (after)); return (t); } while (0)
#define NUMBER(t, before, after) \
    do { GIVE(t); p->token.number = number(at + (before), end); TEXT(t, before, after); } while (0)

next:
    cursor = (const unsigned char *)p->cursor;
    limit = (const unsigned char *)p->end;
    at = p->cursor;
    p->token.where.at = here(p, at);
    /*!re2c
        re2c:define:YYCTYPE  = "unsigned char";
        re2c:define:YYCURSOR = cursor;
        re2c:define:YYMARKER = marker;
        re2c:define:YYLIMIT  = limit;
        re2c:yyfill:enable = 0;
        re2c:eof = 0;

        digits = [0-9]+;
        hexes  = [0-9A-Fa-f]+;
        name   = [-a-zA-Z$._] [-a-zA-Z$._0-9]*;
        string = "\"" [^"\n]* "\"";

        [ \t\r]+          { p->cursor = (const char *)cursor; goto next; }
        ";" [^\n]*        { p->cursor = (const char *)cursor; goto next; }
        "\n"              { p->cursor = p->line_start = (const char *)cursor; p->line++; goto next; }

        [us] "0x" hexes           { TEXT(LEX_INTEGER, 0, 0); }
        [a-zA-Z_] [a-zA-Z0-9_]*   { TEXT(LEX_WORD, 0, 0); }
        string ":"        { QUOTED(LEX_LABEL, 1, 2); }
        digits ":"                { NUMBER(LEX_LABEL_NUMBER, 0, 1); }
        [-a-zA-Z$._0-9]+ ":"      { TEXT(LEX_LABEL, 0, 1); }
        "%" name          { TEXT(LEX_LOCAL, 1, 0); }
        "%" string        { QUOTED(LEX_LOCAL, 2, 1); }
        "%" digits        { NUMBER(LEX_LOCAL_NUMBER, 1, 0); }
        "@" (name | digits)       { TEXT(LEX_GLOBAL, 1, 0); }
        "@" string        { QUOTED(LEX_GLOBAL, 2, 1); }
        "$" name          { TEXT(LEX_COMDAT, 1, 0); }
        "$" string        { QUOTED(LEX_COMDAT, 2, 1); }
        "!" digits        { NUMBER(LEX_NODE, 1, 0); }
        "!" ([-a-zA-Z$._\\] [-a-zA-Z$._0-9\\]*) { TEXT(LEX_METADATA, 1, 0); }
        "#" digits        { NUMBER(LEX_GROUP, 1, 0); }
        "#" [a-z_]+       { TEXT(LEX_RECORD, 1, 0); }
        "^" digits        { NUMBER(LEX_SUMMARY, 1, 0); }
        "-"? digits       { NUMBER(LEX_INTEGER, 0, 0); }
        [-+]? digits "." [0-9]* ([eE] [-+]? digits)?    { TEXT(LEX_DECIMAL, 0, 0); }
        "0x" [KLMHR]? hexes {
                              GIVE(LEX_HEX);
                              p->token.bits = hex(at + (strchr("KLMHR", at[2]) ? 3 : 2), end);
                              TEXT(LEX_HEX, 0, 0);
                          }
        string            { QUOTED(LEX_STRING, 1, 1); }
        "c" string        { QUOTED(LEX_BYTES, 2, 1); }
        "..."             { TEXT(LEX_DOTS, 0, 0); }
        [=,*[\]{}()<>|!:/] { TEXT(*at, 0, 0); }

        *                 { stray(p, at); return LEX_END; }
        $                 { GIVE(LEX_END); p->token.text = ""; return LEX_END; }
    */
}

void ll_advance(struct parser *p)
{
    if (p->failed)
        return;
    next_token(p);
    p->token.where.end = here(p, p->cursor);
}
