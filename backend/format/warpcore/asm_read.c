/* asm_read.c: what the assembler takes from the text: marks, words, numbers, names and strings, with what is
 * wrong about them.
 */
#include "backend/format/warpcore/asm.h"

#include <errno.h>
#include <stdlib.h>

static bool report(struct wc_assembler *a, span where, const char *id, const char *fmt, va_list ap)
{
    if (!a->failed && a->lexer.token.kind != WC_TOKEN_BAD)
        diag_addv(a->d, DIAG_ERROR, id, where, fmt, ap);
    a->failed = true;
    return false;
}

bool wc_asm_error(struct wc_assembler *a, const char *id, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    report(a, a->lexer.token.where, id, fmt, ap);
    va_end(ap);
    return false;
}

bool wc_asm_error_at(struct wc_assembler *a, span where, const char *id, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    report(a, where, id, fmt, ap);
    va_end(ap);
    return false;
}

bool wc_accept_mark(struct wc_assembler *a, char mark)
{
    struct wc_token *t = &a->lexer.token;
    if (a->failed || t->kind != WC_TOKEN_MARK || *t->text != mark)
        return false;
    wc_lexer_advance(&a->lexer);
    return true;
}

bool wc_accept_word(struct wc_assembler *a, const char *word)
{
    struct wc_token *t = &a->lexer.token;
    if (a->failed || t->kind != WC_TOKEN_WORD || strcmp(t->text, word) != 0)
        return false;
    wc_lexer_advance(&a->lexer);
    return true;
}

bool wc_expect_mark(struct wc_assembler *a, char mark)
{
    return wc_accept_mark(a, mark) || wc_asm_error(a, "syntax", "'%c' is wanted here", mark);
}

/* The magnitude of an integer token. */
static bool read_magnitude(const char *text, uint64_t *n)
{
    char *end;
    errno = 0;
    *n = strtoull(text, &end, text[0] == '0' && (text[1] == 'x' || text[1] == 'X') ? 16 : 10);
    return *end == '\0' && errno == 0;
}

static uint64_t take_u64(struct wc_assembler *a, const char *what)
{
    uint64_t n = 0;
    if (a->lexer.token.kind != WC_TOKEN_NUMBER)
        wc_asm_error(a, "syntax", "%s is wanted here", what);
    else if (!read_magnitude(a->lexer.token.text, &n))
        wc_asm_error(a, "number", "this is no integer of 64 bits");
    if (a->failed)
        return 0;
    wc_lexer_advance(&a->lexer);
    return n;
}

int64_t wc_take_integer(struct wc_assembler *a, int64_t least, int64_t most, const char *what)
{
    span where = a->lexer.token.where;
    bool negative = wc_accept_mark(a, '-');
    where.end = a->lexer.token.where.end;
    uint64_t n = take_u64(a, what);
    if (a->failed)
        return 0;
    bool fits = negative ? n <= (uint64_t) - (least + 1) + 1 && least < 0 : n <= (uint64_t)most;
    if (negative && n == 0)
        return 0;
    if (!fits) {
        wc_asm_error_at(a, where, "range", "the number is out of range: %lld to %lld", (long long)least,
                        (long long)most);
        return 0;
    }
    return negative ? -(int64_t)(n - 1) - 1 : (int64_t)n;
}

uint32_t wc_take_u32(struct wc_assembler *a, uint32_t most, const char *what)
{
    return (uint32_t)wc_take_integer(a, 0, most, what);
}

const char *wc_take_name(struct wc_assembler *a, const char *what)
{
    struct wc_token t = a->lexer.token;
    if ((t.kind != WC_TOKEN_WORD && t.kind != WC_TOKEN_STRING) || memchr(t.text, 0, t.length)) {
        wc_asm_error(a, "syntax", "%s is wanted here", what);
        return "";
    }
    wc_lexer_advance(&a->lexer);
    return arena_strdup(&a->m->arena, t.text, t.length);
}

struct wc_token wc_take_string(struct wc_assembler *a, const char *what)
{
    struct wc_token t = a->lexer.token;
    if (t.kind != WC_TOKEN_STRING) {
        wc_asm_error(a, "syntax", "%s in quotes is wanted here", what);
        return (struct wc_token){.text = ""};
    }
    wc_lexer_advance(&a->lexer);
    return t;
}

uint32_t wc_take_target(struct wc_assembler *a, enum wc_fixup_kind kind, uint32_t index, const char *what)
{
    struct wc_token t = a->lexer.token;
    if (t.kind == WC_TOKEN_NUMBER)
        return wc_take_u32(a, WC_MAX_WORDS - 1, what);
    if (t.kind != WC_TOKEN_WORD && t.kind != WC_TOKEN_STRING) {
        wc_asm_error(a, "syntax", "%s is wanted here: a label or a word's number", what);
        return 0;
    }
    wc_lexer_advance(&a->lexer);
    struct wc_fixup f = {kind, index, intern(&a->names, t.text, t.length), t.where};
    vec_push(&a->arena, &a->fixups, f);
    return 0;
}
