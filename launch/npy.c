/* npy.c: see npy.h. The format is that of numpy.lib.format. */
#include "launch/npy.h"

#include <ctype.h>
#include <stdlib.h>

#define MAGIC       "\x93NUMPY"
#define MAGIC_BYTES 6
#define ALIGNMENT   64 /* of the elements, by spaces at the end of the header */

static const char no_header[] = "this is no .npy file, or its header is cut off";
static const char bad_header[] = "the header is no dictionary of descr, fortran_order and shape";

/* ---- reading ----------------------------------------------------------------------------------------- */

/* What the dictionary says. count: the product of the shape; type: NULL while it has not been said. */
struct header {
    struct arena *arena;
    const char *at; /* NUL-terminated text of the dictionary */
    const char *type;
    bool has_order, fortran, has_shape, overflow;
    uint32_t dimensions;
    uint64_t count;
};

static bool read_dimension(struct header *h)
{
    uint64_t n = 0;
    h->at += strspn(h->at, " \t\n");
    if (!isdigit((unsigned char)*h->at))
        return false;
    for (; isdigit((unsigned char)*h->at); h->at++)
        h->overflow |= __builtin_mul_overflow(n, 10, &n) || __builtin_add_overflow(n, *h->at - '0', &n);
    h->overflow |= __builtin_mul_overflow(h->count, n, &h->count);
    h->dimensions++;
    return true;
}

/* (), (n,), (n, m), … */
static bool read_shape(struct header *h)
{
    if (h->has_shape || !npy_accept(&h->at, "("))
        return false;
    h->has_shape = true;
    h->count = 1;
    while (read_dimension(h))
        if (!npy_accept(&h->at, ","))
            break;
    return npy_accept(&h->at, ")");
}

static bool read_entry(struct header *h)
{
    const char *key = npy_string(h->arena, &h->at);
    if (!key || !npy_accept(&h->at, ":"))
        return false;
    if (strcmp(key, "descr") == 0 && !h->type)
        return (h->type = npy_read_type(h->arena, &h->at)) != NULL;
    if (strcmp(key, "shape") == 0)
        return read_shape(h);
    if (strcmp(key, "fortran_order") != 0 || h->has_order)
        return false;
    h->has_order = true;
    h->fortran = npy_accept(&h->at, "True");
    return h->fortran || npy_accept(&h->at, "False");
}

static bool read_dictionary(struct header *h)
{
    if (!npy_accept(&h->at, "{"))
        return false;
    while (!npy_accept(&h->at, "}")) {
        if (!read_entry(h))
            return false;
        if (!npy_accept(&h->at, ",") && *(h->at + strspn(h->at, " \t\n")) != '}')
            return false;
    }
    return h->type && h->has_order && h->has_shape && !h->at[strspn(h->at, " \t\n")];
}

/* Of a message; a type that is only a string, without its quotes. */
static const char *shown(struct arena *a, const char *type)
{
    enum { MOST = 400 };
    size_t n = strlen(type);
    if (*type == '\'')
        type++, n -= 2;
    return arena_printf(a, "%.*s%s", (int)(n < MOST ? n : MOST), type, n < MOST ? "" : "...");
}

/* Whether they differ in the order of bytes alone. */
static bool is_swapped(struct arena *a, const char *type, const char *wanted)
{
    char *little = arena_strdup(a, type, strlen(type));
    for (char *at = little; *at; at++)
        if (*at == '>' && at[-1] == '\'')
            *at = '<';
    return strcmp(little, wanted) == 0;
}

static const char *check_type(struct header *h, const char *wanted)
{
    if (strcmp(h->type, wanted) == 0)
        return NULL;
    const char *why = is_swapped(h->arena, h->type, wanted) ? " (big-endian)" : "";
    return arena_printf(h->arena, "its elements are %s%s, not %s", shown(h->arena, h->type), why,
                        shown(h->arena, wanted));
}

/* Where the dictionary begins, and its bytes; 0: there is no header. */
static size_t find_dictionary(const struct text *file, size_t *n)
{
    const unsigned char *p = (const unsigned char *)file->at;
    if (file->length < MAGIC_BYTES + 4 || memcmp(p, MAGIC, MAGIC_BYTES) != 0 || p[6] < 1 || p[6] > 3)
        return 0;
    size_t begin = p[6] == 1 ? 10 : 12;
    if (file->length < begin)
        return 0;
    *n = (size_t)p[8] | (size_t)p[9] << 8;
    if (p[6] > 1)
        *n |= (size_t)p[10] << 16 | (size_t)p[11] << 24;
    return begin;
}

const char *npy_read_header(struct arena *a, const struct text *file, const char *type,
                            uint32_t element_bytes, size_t *data, uint64_t *bytes)
{
    struct header h = {.arena = a};
    size_t n = 0, begin = find_dictionary(file, &n);
    if (begin && n > LAUNCH_MAX_HEADER)
        return "the header is larger than the limit (npy_header_bytes)";
    if (!begin || file->length - begin < n)
        return no_header;
    h.at = arena_strdup(a, file->at + begin, n);
    if (strlen(h.at) != n || !read_dictionary(&h))
        return bad_header;
    const char *problem = check_type(&h, type);
    if (problem)
        return problem;
    if (h.fortran && h.dimensions > 1)
        return "its elements are in Fortran's order; save numpy.ascontiguousarray(x)";
    *data = begin + n;
    h.overflow |= __builtin_mul_overflow(h.count, element_bytes, bytes);
    if (h.overflow)
        *bytes = UINT64_MAX;
    return NULL;
}

/* ---- writing ----------------------------------------------------------------------------------------- */

/* The tuple; false: the elements do not make whole pictures. */
static bool add_shape(size_t count, uint32_t width, uint32_t height, struct text *t)
{
    uint64_t pixels = (uint64_t)width * height;
    if (pixels && count % pixels)
        return false;
    if (!pixels)
        text_printf(t, "(%zu,)", count);
    else if (count == pixels)
        text_printf(t, "(%u, %u)", height, width);
    else
        text_printf(t, "(%u, %u, %zu)", height, width, count / (size_t)pixels);
    return true;
}

/* Version 1.0 has two bytes for the length, 2.0 four. */
const char *npy_write_header(const char *type, size_t count, uint32_t width, uint32_t height,
                             struct text *out)
{
    struct arena a = {0};
    struct text t = {.arena = &a};
    text_printf(&t, "{'descr': %s, 'fortran_order': False, 'shape': ", type);
    bool fits = add_shape(count, width, height, &t), large = t.length > UINT16_MAX - 2 * ALIGNMENT;
    size_t begin = MAGIC_BYTES + (large ? 6 : 4);
    text_addz(&t, ", }");
    while ((begin + t.length + 1) % ALIGNMENT)
        text_char(&t, ' ');
    text_char(&t, '\n');
    size_t n = t.length;
    const char version[6] = {large ? 2 : 1, 0, (char)n, (char)(n >> 8), (char)(n >> 16), (char)(n >> 24)};
    if (fits) {
        text_add(out, MAGIC, MAGIC_BYTES);
        text_add(out, version, begin - MAGIC_BYTES);
        text_add(out, t.at, t.length);
    }
    arena_free(&a);
    return fits ? NULL : "the number of values is no multiple of the picture's size";
}
