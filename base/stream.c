/* stream.c: numbers, strings and byte strings, to and from bytes. Reading never goes beyond `end`. */
#include "base/stream.h"

void stream_fail(struct stream *s, const char *why)
{
    if (!s->why)
        s->why = why;
    s->at = s->end;
}

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "bytes are exchanged as they lie in memory");

void stream_raw(struct stream *s, void *bytes, size_t n)
{
    if (stream_writing(s)) {
        text_add(s->out, bytes, n);
        return;
    }
    if ((size_t)(s->end - s->at) < n) {
        stream_fail(s, "the file ends too early");
        memset(bytes, 0, n);
        return;
    }
    if (n)
        memcpy(bytes, s->at, n);
    s->at += n;
}

void stream_u8(struct stream *s, uint8_t *x)
{
    stream_raw(s, x, sizeof *x);
}

void stream_u16(struct stream *s, uint16_t *x)
{
    stream_raw(s, x, sizeof *x);
}

void stream_u32(struct stream *s, uint32_t *x)
{
    stream_raw(s, x, sizeof *x);
}

void stream_u64(struct stream *s, uint64_t *x)
{
    stream_raw(s, x, sizeof *x);
}

void stream_bool(struct stream *s, bool *x)
{
    uint8_t bit = *x;
    stream_raw(s, &bit, sizeof bit);
    if (bit > 1)
        stream_fail(s, "a truth value is neither 0 nor 1");
    *x = bit == 1;
}

void stream_double(struct stream *s, double *x)
{
    stream_raw(s, x, sizeof *x);
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
