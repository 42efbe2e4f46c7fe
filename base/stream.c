/* stream.c: numbers, strings and byte strings, to and from bytes. Reading never goes beyond `end`. */
#include "base/stream.h"

void stream_fail(struct stream *s, const char *why)
{
    if (!s->why)
        s->why = why;
    s->at = s->end;
}

/* The low `n` bytes of x. */
static uint64_t exchange(struct stream *s, uint64_t x, unsigned n)
{
    uint8_t bytes[8];
    if (stream_writing(s)) {
        for (unsigned i = 0; i < n; i++)
            bytes[i] = (uint8_t)(x >> 8 * i);
        text_add(s->out, (const char *)bytes, n);
        return x;
    }
    if ((size_t)(s->end - s->at) < n) {
        stream_fail(s, "the file ends too early");
        return 0;
    }
    x = 0;
    for (unsigned i = 0; i < n; i++)
        x |= (uint64_t)s->at[i] << 8 * i;
    s->at += n;
    return x;
}

void stream_u8(struct stream *s, uint8_t *x)
{
    *x = (uint8_t)exchange(s, *x, 1);
}

void stream_u16(struct stream *s, uint16_t *x)
{
    *x = (uint16_t)exchange(s, *x, 2);
}

void stream_u32(struct stream *s, uint32_t *x)
{
    *x = (uint32_t)exchange(s, *x, 4);
}

void stream_u64(struct stream *s, uint64_t *x)
{
    *x = exchange(s, *x, 8);
}

void stream_bool(struct stream *s, bool *x)
{
    uint64_t bit = exchange(s, *x, 1);
    if (bit > 1)
        stream_fail(s, "a truth value is neither 0 nor 1");
    *x = bit == 1;
}

void stream_double(struct stream *s, double *x)
{
    uint64_t bits;
    memcpy(&bits, x, sizeof bits);
    bits = exchange(s, bits, 8);
    memcpy(x, &bits, sizeof bits);
}

void stream_length(struct stream *s, uint32_t *n, uint32_t least)
{
    stream_u32(s, n);
    if (!stream_writing(s) && *n > (size_t)(s->end - s->at) / least) {
        stream_fail(s, "a table is longer than the file");
        *n = 0;
    }
}

void stream_bytes(struct stream *s, const uint8_t **x, uint32_t *n)
{
    stream_length(s, n, 1);
    if (stream_writing(s)) {
        text_add(s->out, (const char *)*x, *n);
        return;
    }
    uint8_t *copy = arena_array(s->arena, uint8_t, (size_t)*n + 1);
    if (*n)
        memcpy(copy, s->at, *n);
    s->at += *n;
    *x = copy;
}

/* A string is its length plus 1 and its bytes; 0 is NULL. */
void stream_string(struct stream *s, const char **x)
{
    uint32_t n = *x ? (uint32_t)strlen(*x) + 1 : 0;
    stream_u32(s, &n);
    if (stream_writing(s)) {
        text_add(s->out, *x ? *x : "", n ? n - 1 : 0);
        return;
    }
    *x = NULL;
    if (n == 0)
        return;
    if (n - 1 > (size_t)(s->end - s->at) || memchr(s->at, 0, n - 1)) {
        stream_fail(s, "a string is longer than the file, or has a NUL in it");
        return;
    }
    *x = arena_strdup(s->arena, (const char *)s->at, n - 1);
    s->at += n - 1;
}
