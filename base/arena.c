/* arena.c: bump allocation in chunks that are freed together.
 *
 * A chunk is cleared as it is handed out, CLEAR bytes ahead: all of [at, end) is zero, and the chunk ends at
 * `limit`. So what is never asked for is never touched. Chunks grow with the arena (as large as all before
 * them, within limits), which keeps both small arenas small and the number of chunks low. A request too large
 * to share a chunk gets its own and leaves the current one in use. Under the address sanitizer the unused
 * parts are poisoned and allocations are separated, so that overruns inside an arena are found too.
 */
#include "base/base.h"

#include <stdio.h>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#define POISON(p, n)   ASAN_POISON_MEMORY_REGION((p), (n))
#define UNPOISON(p, n) ASAN_UNPOISON_MEMORY_REGION((p), (n))
#define GAP            16
#else
#define POISON(p, n)   UNUSED(p)
#define UNPOISON(p, n) UNUSED(p)
#define GAP            0
#endif

#define ALIGNMENT  16
#define SMALL      8
#define CHUNK_MIN  ((size_t)4096)
#define CHUNK_KEPT ((size_t)65536) /* by arena_reset */
#define CLEAR      ((size_t)1024)
#define CHUNK_MAX  ((size_t)8 << 20)
#define BYTES_MAX  (SIZE_MAX / 2) /* far more than the host has, far less than what overflows */

struct arena_chunk {
    struct arena_chunk *next;
    size_t bytes; /* of `data` */
    _Alignas(ALIGNMENT) char data[];
};

void arena_init(struct arena *a)
{
    *a = (struct arena){0};
}

void arena_free(struct arena *a)
{
    for (struct arena_chunk *c = a->chunks, *next; c; c = next) {
        next = c->next;
        UNPOISON(c->data, c->bytes);
        mem_free(c);
    }
    arena_init(a);
}

/* From the start of the chunk, of which nothing is clear. */
static void begin_chunk(struct arena *a, struct arena_chunk *c)
{
    a->at = a->end = c->data;
    a->limit = c->data + c->bytes;
    POISON(c->data, c->bytes);
}

/* The chunk in use, if it is small. */
void arena_reset(struct arena *a)
{
    struct arena_chunk *kept = NULL;
    for (struct arena_chunk *c = a->chunks, *next; c; c = next) {
        next = c->next;
        UNPOISON(c->data, c->bytes);
        if (c->data + c->bytes == a->limit && c->bytes <= CHUNK_KEPT)
            kept = c;
        else
            mem_free(c);
    }
    arena_init(a);
    if (!kept)
        return;
    kept->next = NULL;
    a->chunks = kept;
    a->total = sizeof *kept + kept->bytes;
    begin_chunk(a, kept);
}

/* The chunk is linked before it is used, so that arena_free finds it whatever happens next. */
static struct arena_chunk *link_chunk(struct arena *a, struct arena_chunk *c, size_t bytes)
{
    c->bytes = bytes;
    c->next = a->chunks;
    a->chunks = c;
    a->total += sizeof *c + bytes;
    return c;
}

static size_t next_chunk_bytes(const struct arena *a)
{
    size_t size = a->total < CHUNK_MIN ? CHUNK_MIN : a->total < CHUNK_MAX ? a->total : CHUNK_MAX;
    return (size - sizeof(struct arena_chunk)) / ALIGNMENT * ALIGNMENT;
}

/* `bytes` are more than are clear; `at` is aligned for them. */
static __attribute__((noinline)) char *alloc_beyond_clear(struct arena *a, size_t bytes)
{
    if (bytes > (size_t)(a->limit - a->at)) {
        size_t shared = next_chunk_bytes(a);
        if (bytes > shared / 4)
            return link_chunk(a, mem_alloc(sizeof(struct arena_chunk) + bytes), bytes)->data;
        struct arena_chunk *c = mem_realloc(NULL, sizeof *c + shared);
        begin_chunk(a, link_chunk(a, c, shared));
    }
    char *p = a->at;
    size_t left = (size_t)(a->limit - a->end),
           needed = (size_t)(p + bytes - a->end + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    size_t more = needed > CLEAR ? needed : CLEAR < left ? CLEAR : left;
    UNPOISON(p, (size_t)(a->end - p) + more);
    memset(a->end, 0, more);
    a->end += more;
    a->at = p + bytes;
    POISON(p + bytes, (size_t)(a->end - a->at));
    return p;
}

/* Bytes taken for a request. Nothing of up to SMALL bytes needs to be aligned to more: lists of one or two
 * references are the most frequent requests. Distinct allocations have distinct addresses. */
static inline size_t step_of(size_t bytes)
{
    if (bytes + GAP <= SMALL)
        return SMALL;
    return (bytes + GAP + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static inline void *take(struct arena *a, size_t bytes)
{
    if (bytes > BYTES_MAX)
        mem_fail(bytes);
    size_t step = step_of(bytes);
    if (step != SMALL)
        a->at += -(uintptr_t)a->at % ALIGNMENT; /* what is clear ends aligned, so this stays within */
    char *p = a->at;
    if (step > (size_t)(a->end - p)) {
        p = alloc_beyond_clear(a, step);
        POISON(p + bytes, step - bytes);
        return p;
    }
    a->at = p + step;
    UNPOISON(p, bytes);
    return p;
}

void *arena_alloc(struct arena *a, size_t bytes)
{
    return take(a, bytes);
}

void *arena_alloc_array(struct arena *a, size_t size, size_t count)
{
    size_t bytes;
    if (__builtin_mul_overflow(size, count, &bytes))
        mem_fail(SIZE_MAX);
    return take(a, bytes);
}

char *arena_strdup(struct arena *a, const char *s, size_t length)
{
    if (length > BYTES_MAX)
        mem_fail(length);
    char *copy = arena_alloc(a, length + 1);
    if (length)
        memcpy(copy, s, length);
    return copy;
}

char *arena_vprintf(struct arena *a, const char *fmt, va_list args)
{
    va_list again;
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, fmt, args);
    INVARIANT(length >= 0);
    char *s = arena_alloc(a, (size_t)length + 1);
    vsnprintf(s, (size_t)length + 1, fmt, again);
    va_end(again);
    return s;
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    char *s = arena_vprintf(a, fmt, args);
    va_end(args);
    return s;
}
