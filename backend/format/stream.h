/* stream.h: one description of a file's layout (.kbc, .wcb) for both directions: each function writes *x to
 * the stream, or reads it from there, as stream_writing says. Numbers are little-endian. Private to the
 * format half.
 */
#ifndef KERNC_BACKEND_STREAM_H
#define KERNC_BACKEND_STREAM_H

#include "backend/format/interface.h"

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

/* Rows that every format has (stream_tables.c); they take at least so many bytes. */
enum { STREAM_PARAM_BYTES = 15, STREAM_LAUNCH_BYTES = 128, STREAM_UNSIZED_BYTES = 8 };
/* A row each, in the order of its fields. */
void stream_param(struct stream *s, struct be_param *p);
void stream_launch(struct stream *s, struct launch *l);
void stream_unsized(struct stream *s, struct be_unsized *u);

/* The header: magic, version, hash of the vocabulary (a file made with other operations is refused rather
 * than misread), bytes of the body, hash of the body. The hash finds accidents; nothing relies on it, since
 * reading checks every length and the verifiers everything else. */
#define STREAM_MAGIC_BYTES 8
#define STREAM_HASH_START  0xcbf29ce484222325u
struct stream_kind {
    const char *magic;
    uint32_t version;
    uint64_t vocabulary;
    const char *not_this, *other_vocabulary, *too_long; /* what is said of a wrong file */
    void (*exchange)(struct stream *s, void *object);   /* the body */
    void (*free)(void *object);
};
/* FNV-1a of n bytes, going on from h; begun with STREAM_HASH_START. */
uint64_t stream_hash(uint64_t h, const void *bytes, size_t n);
/* Appends the header and the body, already written, to `out`. */
void stream_seal(const struct stream_kind *kind, const void *body, size_t n, struct text *out);
/* The whole file. An object being written is not changed. */
void stream_write(const struct stream_kind *kind, void *object, struct text *out);
/* Fills a new object, with vectors and strings in its arena; NULL, or why not. If it fails, for want of
 * memory too, the object is freed. */
const char *stream_read(const struct stream_kind *kind, const void *bytes, size_t n, void *object,
                        struct arena *arena);

#endif
