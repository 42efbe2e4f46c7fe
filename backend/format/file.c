/* file.c: see file.h. */
#include "backend/format/file.h"

/* ---- header ------------------------------------------------------------------------------------------ */

uint64_t stream_hash(uint64_t h, const void *bytes, size_t n)
{
    const uint8_t *at = bytes; /* FNV-1a */
    for (size_t i = 0; i < n; i++)
        h = (h ^ at[i]) * 0x100000001b3u;
    return h;
}

struct header {
    uint32_t version;
    uint64_t vocabulary, bytes, hash;
};

static void exchange_header(struct stream *s, struct header *h)
{
    stream_u32(s, &h->version);
    stream_u64(s, &h->vocabulary);
    stream_u64(s, &h->bytes);
    stream_u64(s, &h->hash);
}

static void add_header(const struct stream_kind *kind, const void *body, size_t n, struct text *out)
{
    struct stream s = {.out = out};
    struct header h = {kind->version, kind->vocabulary, n, stream_hash(STREAM_HASH_START, body, n)};
    text_add(out, kind->magic, STREAM_MAGIC_BYTES);
    exchange_header(&s, &h);
}

void stream_seal(const struct stream_kind *kind, const void *body, size_t n, struct text *out)
{
    add_header(kind, body, n, out);
    text_add(out, body, n);
}

/* Starts reading the body; NULL, or why not. */
static const char *open_body(struct stream *s, const struct stream_kind *kind, const void *bytes, size_t n)
{
    struct header h = {0};
    if (n < STREAM_MAGIC_BYTES || memcmp(bytes, kind->magic, STREAM_MAGIC_BYTES) != 0)
        return kind->not_this;
    *s =
        (struct stream){.at = (const uint8_t *)bytes + STREAM_MAGIC_BYTES, .end = (const uint8_t *)bytes + n};
    exchange_header(s, &h);
    if (s->why)
        return s->why;
    if (h.version != kind->version)
        return "it has another version of the format";
    if (h.vocabulary != kind->vocabulary)
        return kind->other_vocabulary;
    if (h.bytes != (size_t)(s->end - s->at))
        return "its length is not what its header says";
    return h.hash == stream_hash(STREAM_HASH_START, s->at, (size_t)(s->end - s->at))
               ? NULL
               : "it is damaged (wrong checksum)";
}

/* ---- whole files ------------------------------------------------------------------------------------- */

/* The header is known when the body stands behind it. */
void stream_write(const struct stream_kind *kind, void *object, struct text *out)
{
    struct scratch scratch;
    struct text header = {.arena = scratch_begin(&scratch)};
    struct stream s = {.out = out};
    size_t begin = out->length;
    add_header(kind, NULL, 0, out);
    size_t body = out->length;
    kind->exchange(&s, object);
    add_header(kind, out->at + body, out->length - body, &header);
    memcpy(out->at + begin, header.at, header.length);
    scratch_end(&scratch);
}

static void read_body(struct stream *s, const struct stream_kind *kind, void *object)
{
    struct mem_guard guard;
    if (mem_guard_enter(&guard)) {
        kind->free(object);
        mem_fail(0);
    }
    kind->exchange(s, object);
    mem_guard_leave(&guard);
}

const char *stream_read(const struct stream_kind *kind, const void *bytes, size_t n, void *object,
                        struct arena *arena)
{
    struct stream s = {0};
    const char *why = open_body(&s, kind, bytes, n);
    if (!why) {
        s.arena = arena;
        read_body(&s, kind, object);
        if (s.at != s.end)
            stream_fail(&s, kind->too_long);
        why = s.why;
    }
    if (why)
        kind->free(object);
    return why;
}

/* ---- rows -------------------------------------------------------------------------------------------- */

void stream_param(struct stream *s, struct be_param *p)
{
    stream_string(s, &p->name);
    stream_string(s, &p->text);
    stream_u8(s, &p->type);
    stream_u8(s, &p->element);
    stream_u32(s, &p->element_bytes);
    stream_bool(s, &p->pointer);
    stream_string(s, &p->layout);
}

void stream_unsized(struct stream *s, struct be_unsized *u)
{
    stream_string(s, &u->name);
    stream_u32(s, &u->bytes);
}
