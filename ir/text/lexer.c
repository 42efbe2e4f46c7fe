/* lexer.c: words of the text form, on demand. Every byte is looked at a bounded number of times.
 *
 * The source ends with a NUL that is not part of it; a NUL inside is an error like any strange byte.
 */
#include "ir/text/lexer.h"
#include "base/number_read.h"
#include "base/scalar.h"

#include "ir/limits.h"
#include "ir/text/syntax.h"

const struct ir_message_info ir_message_info[IR_MESSAGES] = {
#define MSG(id, name, format) {name, format},
#include "ir/text/messages.def"
};

void ir_message(struct diagnostics *d, span where, enum ir_message m, ...)
{
    va_list args;
    va_start(args, m);
    diag_addv(d, DIAG_ERROR, ir_message_info[m].name, where, ir_message_info[m].format, args);
    va_end(args);
}

void ir_lexer_init(struct lexer *l, const struct source *s, struct diagnostics *d, struct strings *strings)
{
    *l = (struct lexer){.source = s, .diagnostics = d, .strings = strings, .line = 1};
}

static char peek(const struct lexer *l, size_t ahead)
{
    return l->at + ahead < l->source->length ? l->source->text[l->at + ahead] : '\0';
}

static bool at_end(const struct lexer *l)
{
    return l->at >= l->source->length;
}

static place here(const struct lexer *l)
{
    return (place){l->line, (uint32_t)(l->at - l->line_start) + 1};
}

/* Skips blanks and comments; true if a line has ended. */
static bool skip_blanks(struct lexer *l)
{
    bool new_line = false;
    for (; !at_end(l); l->at++) {
        char c = l->source->text[l->at];
        if (c == '\n') {
            new_line = true;
            l->line++;
            l->line_start = l->at + 1;
        } else if (c == ';') {
            while (l->at + 1 < l->source->length && l->source->text[l->at + 1] != '\n')
                l->at++;
        } else if (c != ' ' && c != '\t' && c != '\r') {
            break;
        }
    }
    return new_line;
}

span ir_lexer_go(struct lexer *l, size_t token, size_t to)
{
    for (l->at = token; l->at < to && !at_end(l); l->at++)
        if (l->source->text[l->at] == '\n') {
            l->line++;
            l->line_start = l->at + 1;
        }
    return (span){here(l), here(l)};
}

bool ir_lexer_sees(const struct lexer *l, char c)
{
    size_t ahead = 0;
    while (peek(l, ahead) == ' ' || peek(l, ahead) == '\t')
        ahead++;
    return peek(l, ahead) == c;
}

static void complain(struct lexer *l, struct token *t, enum ir_message m, const char *what, const char *kind)
{
    t->kind = TOKEN_ERROR;
    t->where.end = here(l);
    ir_message(l->diagnostics, t->where, m, what, kind);
}

/* The text from byte `from` to here, interned. */
static void take_text(struct lexer *l, struct token *t, size_t from)
{
    t->length = l->at - from;
    t->text = intern(l->strings, l->source->text + from, t->length);
}

static void lex_name(struct lexer *l, struct token *t, enum token_kind kind, size_t prefix)
{
    t->kind = kind;
    l->at += prefix;
    size_t from = l->at;
    while (ir_is_name_char(peek(l, 0)))
        l->at++;
    take_text(l, t, from);
    if (t->length == 0) {
        t->kind = TOKEN_ERROR;
        ir_message(l->diagnostics, t->where, MSG_CHARACTER, l->source->text[from - 1]);
    } else if (t->length > IR_MAX_NAME) {
        t->kind = TOKEN_ERROR;
        ir_message(l->diagnostics, t->where, MSG_LIMIT, IR_MAX_NAME, "characters in a name");
    }
}

/* ---- strings --------------------------------------------------------------------------------------- */

static int hex_digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* The character an escape stands for, after the backslash; -1: none. */
static int lex_escape(struct lexer *l)
{
    char c = peek(l, 0);
    l->at++;
    if (c == 'n' || c == 't')
        return c == 'n' ? '\n' : '\t';
    if (c == '"' || c == '\\')
        return c;
    int high = c == 'x' ? hex_digit(peek(l, 0)) : -1, low = c == 'x' ? hex_digit(peek(l, 1)) : -1;
    if (high < 0 || low < 0)
        return -1;
    l->at += 2;
    return high * 16 + low;
}

/* Length of the raw text up to the closing quote; SIZE_MAX: there is none on the line. */
static size_t raw_length(const struct lexer *l)
{
    size_t n = 0;
    while (l->at + n < l->source->length && peek(l, n) != '\n' && peek(l, n) != '"')
        n += peek(l, n) == '\\' && peek(l, n + 1) != '\n' ? 2 : 1;
    return peek(l, n) == '"' ? n : SIZE_MAX;
}

void ir_lexer_skip_line(struct lexer *l)
{
    while (!at_end(l) && peek(l, 0) != '\n')
        l->at++;
}

/* At the opening quote. */
static void lex_string(struct lexer *l, struct token *t, enum token_kind kind)
{
    l->at++;
    size_t n = raw_length(l);
    if (n == SIZE_MAX) {
        ir_lexer_skip_line(l);
        complain(l, t, MSG_STRING, NULL, NULL);
        return;
    }
    t->kind = kind;
    char *bytes = arena_alloc(l->strings->arena, n + 1);
    for (size_t end = l->at + n; l->at < end;) {
        int c = peek(l, 0) == '\\' ? (l->at++, lex_escape(l)) : (unsigned char)l->source->text[l->at++];
        if (c < 0 && t->kind != TOKEN_ERROR)
            complain(l, t, MSG_ESCAPE, NULL, NULL);
        bytes[t->length++] = (char)c;
    }
    l->at++;
    t->text = bytes;
}

/* At the opening quote of x"…". */
static void lex_bytes(struct lexer *l, struct token *t)
{
    size_t from = ++l->at;
    while (hex_digit(peek(l, 0)) >= 0)
        l->at++;
    size_t digits = l->at - from;
    if (peek(l, 0) != '"' || digits % 2) {
        ir_lexer_skip_line(l);
        complain(l, t, MSG_HEX, NULL, NULL);
        return;
    }
    l->at++;
    t->kind = TOKEN_BYTES;
    t->length = digits / 2;
    char *bytes = arena_alloc(l->strings->arena, t->length + 1);
    for (size_t i = 0; i < t->length; i++)
        bytes[i] = (char)(hex_digit(l->source->text[from + 2 * i]) * 16 +
                          hex_digit(l->source->text[from + 2 * i + 1]));
    t->text = bytes;
}

static void lex_global(struct lexer *l, struct token *t)
{
    if (peek(l, 1) != '"') {
        lex_name(l, t, TOKEN_GLOBAL, 1);
        return;
    }
    l->at++;
    lex_string(l, t, TOKEN_GLOBAL);
    if (t->kind == TOKEN_ERROR)
        return;
    if (t->length > IR_MAX_NAME || memchr(t->text, 0, t->length)) {
        t->kind = TOKEN_ERROR;
        ir_message(l->diagnostics, t->where, MSG_LIMIT, IR_MAX_NAME,
                   "characters (none of them NUL) in a name");
        return;
    }
    t->text = intern(l->strings, t->text, t->length);
}

/* ---- numbers --------------------------------------------------------------------------------------- */

static void skip_digits(struct lexer *l)
{
    while (peek(l, 0) >= '0' && peek(l, 0) <= '9')
        l->at++;
}

/* A fault is placed where it shows. */
static void complain_number(struct lexer *l, struct token *t, size_t from, const struct number *n)
{
    t->where.at.column += (uint32_t)(from - t->start + n->fault_at);
    complain(l, t, MSG_NUMBER, n->problem, NULL);
}

static void lex_number(struct lexer *l, struct token *t)
{
    size_t start = l->at, from = start + (peek(l, 0) == '-');
    struct number n;
    t->negative = from > start;
    l->at = from + number_length(l->source->text + from, l->source->length - from);
    bool good = number_read(l->source->text + from, l->at - from, NUMBER_FLOAT_SUFFIX, &n);
    if (good && n.is_unsigned) {
        good = false;
        snprintf(n.problem, sizeof n.problem, "there is no suffix u; L makes the number an i64");
    }
    if (!good) {
        complain_number(l, t, from, &n);
        return;
    }
    take_text(l, t, start);
    t->kind = n.is_float ? TOKEN_FLOAT : TOKEN_INTEGER;
    t->suffix = n.is_single ? 'f' : n.is_long ? 'L' : 0;
    t->number = n.is_float ? scalar_bits_f64(t->negative ? -n.value : n.value) : n.integer;
}

static void lex_index(struct lexer *l, struct token *t)
{
    struct number n;
    size_t from = ++l->at;
    skip_digits(l);
    t->kind = TOKEN_INDEX;
    if (l->at == from)
        complain(l, t, MSG_NUMBER, "a '#' stands before a number", NULL);
    else if (!number_read(l->source->text + from, l->at - from, 0, &n))
        complain_number(l, t, from, &n);
    t->number = n.integer;
}

/* ---- any word -------------------------------------------------------------------------------------- */

static void lex_punctuation(struct lexer *l, struct token *t)
{
    unsigned char c = (unsigned char)l->source->text[l->at++];
    t->kind = TOKEN_PUNCTUATION;
    t->number = c;
    if (c && strchr("(){}[]=,:+-!", c))
        return;
    if (c == '.' && peek(l, 0) == '.') {
        l->at++;
        t->kind = TOKEN_RANGE;
        return;
    }
    t->kind = TOKEN_ERROR;
    ir_message(l->diagnostics, t->where, MSG_CHARACTER, c);
}

struct token ir_lex(struct lexer *l)
{
    struct token t = {.kind = TOKEN_END, .first_on_line = l->at == 0};
    t.first_on_line |= skip_blanks(l);
    t.start = l->at;
    t.where.at = here(l);
    char c = peek(l, 0);
    bool digit = (c >= '0' && c <= '9') || (c == '-' && peek(l, 1) >= '0' && peek(l, 1) <= '9');
    if (at_end(l))
        return t;
    if (digit)
        lex_number(l, &t);
    else if (c == 'x' && peek(l, 1) == '"')
        l->at++, lex_bytes(l, &t);
    else if (c != '.' && ir_is_name_char(c))
        lex_name(l, &t, TOKEN_WORD, 0);
    else if (c == '%')
        lex_name(l, &t, TOKEN_LOCAL, 1);
    else if (c == '@')
        lex_global(l, &t);
    else if (c == '#')
        lex_index(l, &t);
    else if (c == '"')
        lex_string(l, &t, TOKEN_STRING);
    else
        lex_punctuation(l, &t);
    t.where.end = here(l);
    return t;
}
