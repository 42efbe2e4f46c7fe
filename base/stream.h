/* stream.h: one description of a binary file's layout for both directions: each function writes *x to the
 * stream, or reads it from there, as stream_writing says. Numbers are little-endian.
 */
#ifndef KERNC_STREAM_H
#define KERNC_STREAM_H

#include "base/base.h"

struct stream {
    struct text *out;        /* writing; NULL: reading */
    const uint8_t *at, *end; /* reading: what is left */
    struct arena *arena;     /* reading: where strings and vectors go */
    const char *why;         /* reading: the first thing that was wrong; then all reads give 0 */
};
static inline bool stream_writing(const struct stream *s)
{
    return s->out;
}
/* `why` is a static text; the first one counts. Nothing more is read. */
void stream_fail(struct stream *s, const char *why);

/* n bytes as they lie in memory; where the file ends before, zeros are read. */
void stream_raw(struct stream *s, void *bytes, size_t n);
/* Written as bytes of their size, a bool as one that must be 0 or 1, a double as its bits. */
void stream_u8(struct stream *s, uint8_t *x);
void stream_u16(struct stream *s, uint16_t *x);
void stream_u32(struct stream *s, uint32_t *x);
void stream_u64(struct stream *s, uint64_t *x);
void stream_bool(struct stream *s, bool *x);
void stream_double(struct stream *s, double *x);
void stream_string(struct stream *s, const char **x); /* NUL-terminated, may be NULL */
/* n bytes that may contain NUL; read back with a NUL behind them, 16-byte aligned. */
void stream_bytes(struct stream *s, const uint8_t **x, uint32_t *n);
/* The length of a vector whose elements take at least `least` bytes each; more than the rest holds fails. */
void stream_length(struct stream *s, uint32_t *n, uint32_t least);

/* A vector: its length, then exchange(s, &element) for each. */
#define stream_vector(s, v, least, exchange)                                                                 \
    do {                                                                                                     \
        uint32_t n_ = (v)->count;                                                                            \
        stream_length((s), &n_, (least));                                                                    \
        if (!stream_writing(s))                                                                              \
            vec_resize((s)->arena, (v), n_);                                                                 \
        for (uint32_t i_ = 0; i_ < n_ && !(s)->why; i_++)                                                    \
            exchange((s), &(v)->at[i_]);                                                                     \
    } while (0)
/* The same for elements that lie in memory as they do in the file, which is `bytes` for each: structures of
 * numbers without padding. All are copied at once. */
#define stream_rows(s, v, bytes)                                                                             \
    do {                                                                                                     \
        _Static_assert(sizeof *(v)->at == (bytes), "the rows have padding");                                 \
        uint32_t n_ = (v)->count;                                                                            \
        stream_length((s), &n_, (bytes));                                                                    \
        if (!stream_writing(s))                                                                              \
            vec_resize((s)->arena, (v), n_);                                                                 \
        stream_raw((s), (v)->at, (size_t)n_ *(bytes));                                                       \
    } while (0)

#endif
