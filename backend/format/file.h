/* file.h: what the files of bytecode programs (.kbc) and of warp-core images (.wcb) have in common: the header,
 * how the whole is written and read, rows of kernel parameters. Private to the format half.
 */
#ifndef KERNC_BACKEND_FILE_H
#define KERNC_BACKEND_FILE_H

#include "backend/format/interface.h"
#include "base/stream.h"

/* Rows that every format has; they take at least so many bytes. */
enum { STREAM_PARAM_BYTES = 15, STREAM_UNSIZED_BYTES = 8 };
/* A row each, in the order of its fields. */
void stream_param(struct stream *s, struct be_param *p);
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
