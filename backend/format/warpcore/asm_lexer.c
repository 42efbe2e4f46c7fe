/* asm_lexer.c: the tokens of assembly. A comment goes from `;` to the end of its line. */
#include "backend/format/warpcore/asm.h"

const char *const wc_value_names[BE_PTR + 1] = {
    [BE_I1] = "i1", [BE_I32] = "i32", [BE_I64] = "i64", [BE_F32] = "f32", [BE_PTR] = "ptr",
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_word_start(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.' || c == '$';
}

static bool is_word_char(char c)
{
    return is_word_start(c) || is_digit(c);
}

bool wc_plain_name(const char *name)
{
    if (!is_word_start(*name) || *name == '.')
        return false;
    while (is_word_char(*name))
        name++;
    return *name == '\0';
}

void wc_lexer_start(struct wc_lexer *l)
{
    l->at = l->line_start = 0;
    l->line = 1;
    wc_lexer_advance(l);
}

static char peek(const struct wc_lexer *l, uint32_t ahead)
{
    return l->at + ahead < l->source->length ? l->source->text[l->at + ahead] : '\0';
}

static place here(const struct wc_lexer *l)
{
    return (place){l->line, l->at - l->line_start + 1};
}

static void skip_blanks(struct wc_lexer *l)
{
    while (peek(l, 0) == ' ' || peek(l, 0) == '\t' || peek(l, 0) == '\r')
        l->at++;
    if (peek(l, 0) == ';')
        wc_lexer_skip_line(l);
}

void wc_lexer_skip_line(struct wc_lexer *l)
{
    while (l->at < l->source->length && l->source->text[l->at] != '\n')
        l->at++;
}

span wc_lexer_go(struct wc_lexer *l, uint32_t from, uint32_t to)
{
    for (l->at = from; l->at < to && l->at < l->source->length; l->at++)
        if (l->source->text[l->at] == '\n') {
            l->line++;
            l->line_start = l->at + 1;
        }
    return (span){here(l), here(l)};
}

static void bad(struct wc_lexer *l, const char *id, const char *text)
{
    l->token.kind = WC_TOKEN_BAD;
    l->token.where.end = here(l);
    diag_add(l->d, DIAG_ERROR, id, l->token.where, "%s", text);
}

static int hex_digit(char c)
{
    return is_digit(c)            ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* The character behind a backslash, which is at l->at; -1: there is no such escape. */
static int escape(struct wc_lexer *l)
{
    char c = peek(l, 1);
    l->at += 2;
    switch (c) {
    case 'n': return '\n';
    case 't': return '\t';
    case '"':
    case '\\': return c;
    case 'x': {
        int high = hex_digit(peek(l, 0)), low = high < 0 ? -1 : hex_digit(peek(l, 1));
        l->at += low < 0 ? 0 : 2;
        return low < 0 ? -1 : high * 16 + low;
    }
    default: return -1;
    }
}

/* The opening quote is at l->at; where the closing one is wanted, at most. */
static size_t string_end(const struct wc_lexer *l)
{
    size_t end = l->at + 1;
    while (end < l->source->length && l->source->text[end] != '"' && l->source->text[end] != '\n')
        end += l->source->text[end] == '\\' && end + 1 < l->source->length ? 2 : 1;
    return end;
}

static void lex_string(struct wc_lexer *l)
{
    char *text = arena_alloc(l->arena, string_end(l) - l->at + 1);
    uint32_t n = 0;
    bool good = true;
    l->token.kind = WC_TOKEN_STRING;
    for (l->at++; l->at < l->source->length && peek(l, 0) != '"' && peek(l, 0) != '\n';) {
        int c = peek(l, 0) == '\\' ? escape(l) : (unsigned char)l->source->text[l->at++];
        if (c < 0 && good)
            bad(l, "string",
                "no such escape: there are \\n \\t \\\" \\\\ and \\x with two hexadecimal digits");
        good = good && c >= 0;
        text[n++] = (char)c;
    }
    if (peek(l, 0) == '"')
        l->at++;
    else if (good)
        bad(l, "string", "the string is not closed on its line");
    l->token.text = text;
    l->token.length = n;
}

/* 1.5e-3: a sign belongs to a decimal number's exponent. */
static bool is_number_char(const struct wc_lexer *l, uint32_t start)
{
    char c = peek(l, 0), before = l->source->text[l->at - 1];
    bool hex = l->at >= start + 2 && (l->source->text[start + 1] == 'x' || l->source->text[start + 1] == 'X');
    return is_word_char(c) || ((c == '+' || c == '-') && !hex && (before == 'e' || before == 'E'));
}

static void lex_plain(struct wc_lexer *l, enum wc_token_kind kind)
{
    uint32_t start = l->at++;
    l->token.kind = kind;
    while (kind == WC_TOKEN_NUMBER ? is_number_char(l, start) : is_word_char(peek(l, 0)))
        l->at++;
    l->token.length = l->at - start;
    l->token.text = arena_strdup(l->arena, l->source->text + start, l->token.length);
}

static void lex_mark(struct wc_lexer *l, const char *mark)
{
    l->token.kind = WC_TOKEN_MARK;
    l->token.text = mark;
    l->token.length = 1;
    l->at++;
}

static void lex_line_end(struct wc_lexer *l)
{
    l->token.kind = WC_TOKEN_LINE;
    l->at++;
    l->line++;
    l->line_start = l->at;
}

void wc_lexer_advance(struct wc_lexer *l)
{
    static const char marks[] = ",:[]+-*(){}=";
    skip_blanks(l);
    char c = peek(l, 0);
    l->token = (struct wc_token){.where = {here(l), here(l)}, .text = "", .start = l->at};
    if (l->at >= l->source->length)
        return;
    if (c == '\n')
        lex_line_end(l);
    else if (c == '"')
        lex_string(l);
    else if (is_digit(c))
        lex_plain(l, WC_TOKEN_NUMBER);
    else if (is_word_start(c))
        lex_plain(l, WC_TOKEN_WORD);
    else if (c && strchr(marks, c))
        lex_mark(l, strchr(marks, c));
    else {
        unsigned length = utf8_visible(l->source->text + l->at, l->source->length - l->at);
        l->at += length ? length : 1;
        bad(l, "character", "this character does not belong in assembly");
    }
    if (l->token.kind != WC_TOKEN_LINE)
        l->token.where.end = here(l);
}

bool wc_at_label(const struct wc_lexer *l)
{
    struct wc_lexer ahead = *l;
    skip_blanks(&ahead);
    return (l->token.kind == WC_TOKEN_WORD || l->token.kind == WC_TOKEN_STRING) && peek(&ahead, 0) == ':';
}
