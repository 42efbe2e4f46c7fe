/* npy.c: see npy.h. The format is that of numpy.lib.format. */
#include "base/npy.h"

#include <ctype.h>
#include <stdlib.h>

#define MAGIC       "\x93NUMPY"
#define MAGIC_BYTES 6
#define ALIGNMENT   64 /* of the elements, by spaces at the end of the header */

static const char no_header[] = "this is no .npy file, or its header is cut off";
static const char bad_header[] = "the header is no dictionary of descr, fortran_order and shape";

/* The type as NumPy spells it, e.g. <f4; one byte has no order: |u1. A struct is |V and its bytes. */
static const char *type_of(struct arena *a, enum launch_element e, uint32_t element_bytes)
{
    static const char kinds[] = {
        [LAUNCH_BYTES] = 'V', [LAUNCH_BOOL] = 'b',   [LAUNCH_CHAR] = 'i',  [LAUNCH_UCHAR] = 'u',
        [LAUNCH_SHORT] = 'i', [LAUNCH_USHORT] = 'u', [LAUNCH_INT] = 'i',   [LAUNCH_UINT] = 'u',
        [LAUNCH_LONG] = 'i',  [LAUNCH_ULONG] = 'u',  [LAUNCH_FLOAT] = 'f', [LAUNCH_DOUBLE] = 'f'};
    bool ordered = e != LAUNCH_BYTES && element_bytes > 1;
    return arena_printf(a, "%c%c%u", ordered ? '<' : '|', kinds[e], element_bytes);
}

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

static bool accept(struct header *h, const char *word)
{
    size_t n = strlen(word);
    h->at += strspn(h->at, " \t\n");
    if (strncmp(h->at, word, n) != 0)
        return false;
    h->at += n;
    return true;
}

/* A string in single or double quotes, without escapes; NULL: there is none. */
static const char *read_string(struct header *h)
{
    const char *quote = accept(h, "'") ? "'" : accept(h, "\"") ? "\"" : NULL;
    size_t n = quote ? strcspn(h->at, quote) : 0;
    if (!quote || !h->at[n])
        return NULL;
    const char *s = arena_strdup(h->arena, h->at, n);
    h->at += n + 1;
    return s;
}

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
    if (h->has_shape || !accept(h, "("))
        return false;
    h->has_shape = true;
    h->count = 1;
    while (read_dimension(h))
        if (!accept(h, ","))
            break;
    return accept(h, ")");
}

static bool read_entry(struct header *h)
{
    const char *key = read_string(h);
    if (!key || !accept(h, ":"))
        return false;
    if (strcmp(key, "descr") == 0 && !h->type)
        return (h->type = read_string(h)) != NULL;
    if (strcmp(key, "shape") == 0)
        return read_shape(h);
    if (strcmp(key, "fortran_order") != 0 || h->has_order)
        return false;
    h->has_order = true;
    h->fortran = accept(h, "True");
    return h->fortran || accept(h, "False");
}

static bool read_dictionary(struct header *h)
{
    if (!accept(h, "{"))
        return false;
    while (!accept(h, "}")) {
        if (!read_entry(h))
            return false;
        if (!accept(h, ",") && *(h->at + strspn(h->at, " \t\n")) != '}')
            return false;
    }
    return h->type && h->has_order && h->has_shape && !h->at[strspn(h->at, " \t\n")];
}

static const char *check_type(struct header *h, enum launch_element e, uint32_t element_bytes)
{
    const char *wanted = type_of(h->arena, e, element_bytes);
    bool order = *wanted == '|' ? strchr("|<=>", *h->type) : strchr("<=", *h->type);
    if (*h->type && order && strcmp(h->type + 1, wanted + 1) == 0)
        return NULL;
    const char *why = *h->type == '>' && strcmp(h->type + 1, wanted + 1) == 0 ? " (big-endian)" : "";
    return arena_printf(h->arena, "its elements are %.32s%s, not %s", h->type, why, wanted);
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

const char *npy_read_header(struct arena *a, const struct text *file, enum launch_element e,
                            uint32_t element_bytes, size_t *data)
{
    struct header h = {.arena = a};
    size_t n = 0, begin = find_dictionary(file, &n);
    uint64_t bytes;
    if (begin && n > LAUNCH_MAX_HEADER)
        return "the header is larger than the limit (npy_header_bytes)";
    if (!begin || file->length - begin < n)
        return no_header;
    h.at = arena_strdup(a, file->at + begin, n);
    if (strlen(h.at) != n || !read_dictionary(&h))
        return bad_header;
    const char *problem = check_type(&h, e, element_bytes);
    if (problem)
        return problem;
    if (h.fortran && h.dimensions > 1)
        return "its elements are in Fortran's order; save numpy.ascontiguousarray(x)";
    *data = begin + n;
    h.overflow |= __builtin_mul_overflow(h.count, element_bytes, &bytes);
    return !h.overflow && bytes == file->length - *data ? NULL : "its size is not what its shape says";
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

const char *npy_write_header(enum launch_element e, uint32_t element_bytes, size_t count, uint32_t width,
                             uint32_t height, struct text *out)
{
    struct arena a = {0};
    struct text t = {.arena = &a};
    text_printf(&t, "{'descr': '%s', 'fortran_order': False, 'shape': ", type_of(&a, e, element_bytes));
    bool fits = add_shape(count, width, height, &t);
    text_addz(&t, ", }");
    while ((MAGIC_BYTES + 4 + t.length + 1) % ALIGNMENT)
        text_char(&t, ' ');
    text_char(&t, '\n');
    const char version[4] = {1, 0, (char)t.length, (char)(t.length >> 8)};
    if (fits) {
        text_add(out, MAGIC, MAGIC_BYTES);
        text_add(out, version, sizeof version);
        text_add(out, t.at, t.length);
    }
    arena_free(&a);
    return fits ? NULL : "the number of values is no multiple of the picture's size";
}
