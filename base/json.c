/* json.c: a reader of JSON (RFC 8259) by recursive descent. Whether strings are valid UTF-8 is not asked. */
#include "base/json.h"

#include <ctype.h>
#include <stdlib.h>

struct reader {
    struct arena *arena;
    const char *start, *at, *end; /* *end is NUL */
    unsigned depth;
};

static bool read_value(struct reader *r, struct json *j);

static void skip_blanks(struct reader *r)
{
    r->at += strspn(r->at, " \t\r\n");
}

static bool accept(struct reader *r, char c)
{
    skip_blanks(r);
    if (*r->at != c)
        return false;
    r->at++;
    return true;
}

/* ---- strings ------------------------------------------------------------------------------------------- */

static bool read_hex(struct reader *r, uint32_t *unit)
{
    *unit = 0;
    for (int i = 0; i < 4; i++, r->at++) {
        if (!isxdigit((unsigned char)*r->at))
            return false;
        *unit =
            *unit * 16 + (uint32_t)(isdigit((unsigned char)*r->at) ? *r->at - '0' : (*r->at | 32) - 'a' + 10);
    }
    return true;
}

static char *add_utf8(char *to, uint32_t c)
{
    if (c < 0x80) {
        *to++ = (char)c;
        return to;
    }
    int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    *to++ = (char)(0xffu << (7 - more) | c >> 6 * more);
    while (more--)
        *to++ = (char)(0x80 | (c >> 6 * more & 63));
    return to;
}

/* Behind \u. A surrogate counts only as the first of a pair. */
static bool read_unicode(struct reader *r, char **to)
{
    uint32_t c, low;
    if (!read_hex(r, &c) || (c >= 0xdc00 && c < 0xe000))
        return false;
    if (c >= 0xd800 && c < 0xdc00) {
        if (r->at[0] != '\\' || r->at[1] != 'u')
            return false;
        r->at += 2;
        if (!read_hex(r, &low) || low < 0xdc00 || low > 0xdfff)
            return false;
        c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
    }
    *to = add_utf8(*to, c);
    return true;
}

static bool read_escape(struct reader *r, char **to)
{
    static const char written[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    const char *which = *r->at ? strchr(written, *r->at) : NULL;
    if (*r->at++ == 'u')
        return read_unicode(r, to);
    if (!which)
        return false;
    *(*to)++ = meant[which - written];
    return true;
}

static bool read_string(struct reader *r, const char **text, size_t *length)
{
    if (!accept(r, '"'))
        return false;
    const char *close = r->at;
    while (*close != '"' && close < r->end)
        close += *close == '\\' && close + 1 < r->end ? 2 : 1;
    /* No escape is shorter than what it means. */
    char *start = arena_alloc(r->arena, (size_t)(close - r->at) + 1), *to = start;
    while (*r->at != '"') {
        if ((unsigned char)*r->at < 0x20)
            return false;
        if (*r->at != '\\')
            *to++ = *r->at++;
        else if (r->at++, !read_escape(r, &to))
            return false;
    }
    r->at++;
    *text = start;
    *length = (size_t)(to - start);
    return true;
}

/* ---- numbers and words --------------------------------------------------------------------------------- */

static bool skip_digits(struct reader *r)
{
    const char *first = r->at;
    while (isdigit((unsigned char)*r->at))
        r->at++;
    return r->at > first;
}

static bool read_number(struct reader *r, struct json *j)
{
    const char *first = r->at;
    r->at += *r->at == '-';
    if (r->at[0] == '0' && isdigit((unsigned char)r->at[1]))
        return false;
    if (!skip_digits(r) || (*r->at == '.' && (r->at++, !skip_digits(r))))
        return false;
    if (*r->at == 'e' || *r->at == 'E') {
        r->at++;
        r->at += *r->at == '-' || *r->at == '+';
        if (!skip_digits(r))
            return false;
    }
    j->kind = JSON_NUMBER;
    j->length = (size_t)(r->at - first);
    j->text = arena_strdup(r->arena, first, j->length);
    return true;
}

static bool read_word(struct reader *r, struct json *j)
{
    static const char *const words[] = {"null", "false", "true"};
    for (unsigned i = 0; i < COUNT(words); i++)
        if (!strncmp(r->at, words[i], strlen(words[i]))) {
            r->at += strlen(words[i]);
            j->kind = (enum json_kind)i;
            return true;
        }
    return false;
}

/* ---- arrays and objects -------------------------------------------------------------------------------- */

static bool read_elements(struct reader *r, struct json *j, char close)
{
    const struct json **tail = &j->first;
    if (accept(r, close))
        return true;
    do {
        struct json *element = arena_new(r->arena, struct json);
        size_t length;
        if (close == '}' && (!read_string(r, &element->name, &length) || !accept(r, ':')))
            return false;
        if (!read_value(r, element))
            return false;
        *tail = element;
        tail = (const struct json **)&element->next;
        j->count++;
    } while (accept(r, ','));
    return accept(r, close);
}

static bool read_value(struct reader *r, struct json *j)
{
    bool good;
    skip_blanks(r);
    if (++r->depth > JSON_MAX_DEPTH)
        return false;
    if (*r->at == '"') {
        j->kind = JSON_STRING;
        good = read_string(r, &j->text, &j->length);
    } else if (*r->at == '{' || *r->at == '[') {
        j->kind = *r->at == '{' ? JSON_OBJECT : JSON_ARRAY;
        good = read_elements(r, j, *r->at++ == '{' ? '}' : ']');
    } else {
        good = *r->at == '-' || isdigit((unsigned char)*r->at) ? read_number(r, j) : read_word(r, j);
    }
    r->depth--;
    return good;
}

const struct json *json_read(struct arena *a, const char *text, size_t n, const char **why)
{
    struct json *j = arena_new(a, struct json);
    const char *copy = arena_strdup(a, text, n);
    struct reader r = {.arena = a, .start = copy, .at = copy, .end = copy + n};
    bool good = read_value(&r, j);
    if (good) {
        skip_blanks(&r);
        good = r.at == r.end;
    }
    if (good)
        return j;
    size_t line = 1;
    for (const char *c = copy; c < r.at && c < r.end; c++)
        line += *c == '\n';
    *why = arena_printf(a, "line %zu is no JSON", line);
    return NULL;
}

const struct json *json_member(const struct json *o, const char *name)
{
    const struct json *m = o && o->kind == JSON_OBJECT ? o->first : NULL;
    while (m && strcmp(m->name, name) != 0)
        m = m->next;
    return m;
}

bool json_unsigned(const struct json *j, uint64_t max, uint64_t *value)
{
    uint64_t n = 0;
    if (!j || j->kind != JSON_NUMBER)
        return false;
    for (const char *c = j->text; *c; c++) {
        unsigned digit = (unsigned)(*c - '0');
        if (digit > 9 || n > (UINT64_MAX - digit) / 10 || (n = n * 10 + digit) > max)
            return false;
    }
    *value = n;
    return true;
}
