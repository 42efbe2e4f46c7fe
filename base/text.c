/* text.c: growing byte strings, and the two ways to show bytes of unknown origin: JSON and terminal.
 *
 * Invariant: once anything was added, `at` is NUL-terminated and capacity > length.
 */
#include "base/base.h"

#include <stdio.h>

void text_free(struct text *t)
{
    if (!t->arena)
        mem_free(t->at);
    *t = (struct text){.arena = t->arena};
}

static char *moved(const struct text *t, size_t capacity)
{
    if (!t->arena)
        return mem_realloc(t->at, capacity);
    char *at = arena_alloc(t->arena, capacity);
    if (t->length)
        memcpy(at, t->at, t->length);
    return at;
}

/* Makes room for n more bytes and the NUL. */
static void reserve(struct text *t, size_t n)
{
    size_t need;
    if (__builtin_add_overflow(t->length, n, &need) || need >= SIZE_MAX / 4)
        mem_fail(n);
    if (need < t->capacity)
        return;
    size_t capacity = t->capacity < 32 ? 32 : t->capacity;
    while (capacity <= need)
        capacity *= 2;
    t->at = moved(t, capacity);
    t->capacity = capacity;
}

void text_add(struct text *t, const char *bytes, size_t n)
{
    reserve(t, n);
    if (n)
        memcpy(t->at + t->length, bytes, n);
    t->length += n;
    t->at[t->length] = 0;
}

void text_addz(struct text *t, const char *z)
{
    text_add(t, z, strlen(z));
}

void text_char(struct text *t, char c)
{
    text_add(t, &c, 1);
}

void text_vprintf(struct text *t, const char *fmt, va_list args)
{
    va_list again;
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, fmt, args);
    INVARIANT(n >= 0);
    reserve(t, (size_t)n);
    vsnprintf(t->at + t->length, (size_t)n + 1, fmt, again);
    t->length += (size_t)n;
    va_end(again);
}

void text_printf(struct text *t, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    text_vprintf(t, fmt, args);
    va_end(args);
}

/* ---- characters --------------------------------------------------------------------------------- */

/* The smallest code point that needs so many bytes: anything below is an overlong form. */
static const uint32_t smallest[5] = {0, 0, 0x80, 0x800, 0x10000};

static unsigned announced_length(unsigned char lead)
{
    return lead < 0x80 ? 1 : lead < 0xc0 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf8 ? 4 : 0;
}

unsigned utf8_decode(const char *bytes, size_t n, uint32_t *point)
{
    const unsigned char *at = (const unsigned char *)bytes;
    unsigned length = n ? announced_length(at[0]) : 0;
    if (length == 0 || length > n)
        return 0;
    uint32_t p = length == 1 ? at[0] : at[0] & (0x7fu >> length);
    for (unsigned i = 1; i < length; i++) {
        if ((at[i] & 0xc0) != 0x80)
            return 0;
        p = p << 6 | (at[i] & 0x3f);
    }
    if (p < smallest[length] || p > 0x10ffff || (p >= 0xd800 && p < 0xe000))
        return 0;
    *point = p;
    return length;
}

/* Characters that move the cursor, switch the terminal's mode or reorder the text around them. */
static bool is_control(uint32_t p)
{
    bool reorders =
        p == 0x200e || p == 0x200f || (p >= 0x2028 && p <= 0x202e) || (p >= 0x2066 && p <= 0x2069);
    return p < 0x20 || (p >= 0x7f && p < 0xa0) || reorders;
}

unsigned utf8_visible(const char *bytes, size_t n)
{
    uint32_t point;
    unsigned length = utf8_decode(bytes, n, &point);
    return length && !is_control(point) ? length : 0;
}

static void json_escape(struct text *t, uint32_t p)
{
    switch (p) {
    case '"': text_addz(t, "\\\""); break;
    case '\\': text_addz(t, "\\\\"); break;
    case '\n': text_addz(t, "\\n"); break;
    case '\t': text_addz(t, "\\t"); break;
    case '\r': text_addz(t, "\\r"); break;
    default: text_printf(t, "\\u%04x", (unsigned)p);
    }
}

void text_json(struct text *t, const char *bytes, size_t n)
{
    text_char(t, '"');
    for (size_t i = 0; i < n;) {
        uint32_t point = 0xfffd; /* the replacement character stands for a broken byte */
        unsigned length = utf8_decode(bytes + i, n - i, &point);
        if (length == 0 || is_control(point) || point == '"' || point == '\\')
            json_escape(t, point);
        else
            text_add(t, bytes + i, length);
        i += length ? length : 1;
    }
    text_char(t, '"');
}

/* Controls other than those in `kept` and broken bytes become \xNN. */
static void show_all_but(struct text *t, const char *bytes, size_t n, const char *kept)
{
    for (size_t i = 0; i < n;) {
        unsigned length = bytes[i] && strchr(kept, bytes[i]) ? 1 : utf8_visible(bytes + i, n - i);
        if (length)
            text_add(t, bytes + i, length);
        else
            text_printf(t, "\\x%02x", (unsigned char)bytes[i]);
        i += length ? length : 1;
    }
}

void text_visible(struct text *t, const char *bytes, size_t n)
{
    show_all_but(t, bytes, n, "\n\t");
}

void text_visible_line(struct text *t, const char *bytes, size_t n)
{
    show_all_but(t, bytes, n, "");
}
