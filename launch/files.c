/* files.c: buffers from files: their bytes, text, pictures. What the end of a name says is in
 * files.def; outputs.c writes the same.
 */
#include "base/file.h"
#include "launch/layout.h"
#include "launch/npy.h"
#include "launch/picture.h"

#include <ctype.h>
#include <stdlib.h>
#include <strings.h>

static const struct {
    const char *ending;
    enum launch_encoding encoding;
} endings[] = {
#define ENCODING(ending, id, meaning) {ending, LAUNCH_##id},
#include "launch/files.def"
};

static const struct {
    const char *ending, *why;
} foreign[] = {
#define FOREIGN(ending, instead) {ending, ending " is neither read nor written: " instead},
#include "launch/files.def"
};

static const char *ending_of(const char *file)
{
    const char *slash = strrchr(file, '/'), *base = slash ? slash + 1 : file, *dot = strrchr(base, '.');
    return dot && dot > base ? dot : "";
}

enum launch_encoding launch_encoding_of(const char *file)
{
    for (size_t i = 0; i < COUNT(endings); i++)
        if (strcasecmp(endings[i].ending, ending_of(file)) == 0)
            return endings[i].encoding;
    return LAUNCH_RAW;
}

const char *launch_wrong_ending(const char *file)
{
    for (size_t i = 0; i < COUNT(foreign); i++)
        if (strcasecmp(foreign[i].ending, ending_of(file)) == 0)
            return foreign[i].why;
    return NULL;
}

/* What is being read, and the buffer being made. */
struct reading {
    struct arena *arena;
    enum launch_encoding encoding;
    enum launch_element element;
    uint32_t element_bytes;
    const char *layout;
    size_t limit;
    size_t header, whole; /* bytes of a header, and of the file by what it says; 0: it says nothing */
    struct text buffer;
};

enum {
    LOOK_BYTES = LAUNCH_MAX_HEADER + 12
}; /* of a file's beginning: with magic, version and length of .npy */

static const char bad_shape[] = "its size is not what its shape says";
static const char bad_picture[] = "the picture's size is not what its header says";

static const char *add_number(struct reading *r, struct launch_number n)
{
    char bytes[8] = {0};
    uint32_t size = launch_element_bytes(r->element);
    const char *problem = launch_check_number(n, r->element);
    if (!problem && size > r->limit - r->buffer.length)
        problem = launch_too_large;
    if (problem)
        return problem;
    launch_store_number(n, r->element, bytes);
    text_add(&r->buffer, bytes, size);
    return NULL;
}

/* ---- text -------------------------------------------------------------------------------------------- */

static const char *skip_blanks(const char *at)
{
    return at + strspn(at, " \t\r");
}

/* One number and what stands behind it. A comma announces another number on the line. */
static const char *read_value(struct reading *r, const char **at)
{
    struct launch_number n;
    const char *before = *at, *problem = launch_parse_number(at, &n);
    if (!problem)
        problem = add_number(r, n);
    if (problem)
        return problem;
    const char *after = *at;
    *at = skip_blanks(after);
    if (**at == ',') {
        *at = skip_blanks(*at + 1);
        return **at == '\n' || **at == 0 ? "a number is wanted behind the comma" : NULL;
    }
    bool separate = *at > after || **at == '\n' || **at == 0;
    return separate && after > before ? NULL : "a number ends with a blank, a comma or the line";
}

static const char byte_order_mark[] = "\xef\xbb\xbf"; /* spreadsheets write it */

static const char *read_text(struct reading *r, const struct text *file)
{
    const char *begin = file->at + (strncmp(file->at, byte_order_mark, 3) == 0 ? 3 : 0);
    uint32_t line = 1;
    for (const char *at = skip_blanks(begin); *at; at = skip_blanks(at)) {
        if (*at == '\n') {
            line++, at++;
            continue;
        }
        const char *problem = read_value(r, &at);
        if (problem)
            return problem == launch_too_large ? problem
                                               : arena_printf(r->arena, "line %u: %s", line, problem);
    }
    return strlen(file->at) < file->length ? "a text has no NUL bytes" : NULL;
}

/* Of structures. */
static const char *read_rows(struct reading *r, const struct text *file)
{
    struct layout l = layout_of(r->arena, r->element, r->element_bytes, r->layout);
    const char *begin = file->at + (strncmp(file->at, byte_order_mark, 3) == 0 ? 3 : 0);
    if (l.kind == LAYOUT_UNKNOWN)
        return "such structs are read from their bytes alone (.bin, .npy)";
    if (strlen(file->at) < file->length)
        return "a text has no NUL bytes";
    return layout_read_rows(r->arena, &l, begin, r->limit, &r->buffer);
}

/* ---- pictures: the binary forms of netpbm, and PNG ------------------------------------------------------ */

/* A number of the header, behind blanks and comments; 0: there is none. */
static uint32_t header_number(const char **at)
{
    uint32_t n = 0;
    for (; isspace((unsigned char)**at) || **at == '#'; ++*at)
        if (**at == '#')
            *at += strcspn(*at, "\n");
    for (; isdigit((unsigned char)**at) && n < 100000; ++*at)
        n = n * 10 + (uint32_t)(**at - '0');
    return n;
}

static struct launch_number channel(const struct reading *r, const unsigned char *at)
{
    bool is_float = r->element == LAUNCH_FLOAT || r->element == LAUNCH_DOUBLE;
    return (struct launch_number){.is_float = is_float, .i = *at, .f = is_float ? *at / 255.0 : *at};
}

/* Pixels of 8-bit channels, `color` three a pixel. */
static const char *add_pixels(struct reading *r, const unsigned char *p, size_t bytes, bool color)
{
    const unsigned char *end = p + bytes;
    bool packed = color && (r->element == LAUNCH_INT || r->element == LAUNCH_UINT);
    const char *problem = NULL;
    for (; !problem && p < end; p += packed ? 3 : 1) {
        int64_t rgb = packed ? p[0] << 16 | p[1] << 8 | p[2] : 0;
        problem = add_number(r, packed ? (struct launch_number){.i = rgb, .f = (double)rgb} : channel(r, p));
    }
    return problem;
}

/* *pixels: where they begin, behind the header; *bytes: what they take. */
static const char *read_header(const struct text *file, bool color, const char **pixels, uint64_t *bytes)
{
    const char *at = file->at + 2;
    if (strncmp(file->at, color ? "P6" : "P5", 2) != 0)
        return color ? "a .ppm file begins with P6" : "a .pgm file begins with P5";
    uint64_t width = header_number(&at), height = header_number(&at), most = header_number(&at);
    *bytes = width * height * (color ? 3 : 1);
    *pixels = at + 1;
    return *bytes && most == 255 && isspace((unsigned char)*at)
               ? NULL
               : "the picture's header is not width, height and 255";
}

static const char *read_picture(struct reading *r, const struct text *file, bool color)
{
    return add_pixels(r, (const unsigned char *)file->at + r->header, file->length - r->header, color);
}

/* int and uint are 0xRRGGBB, as they are saved, of grey pictures too. */
static const char *read_png(struct reading *r, const struct text *file)
{
    struct picture p;
    bool packed = r->element == LAUNCH_INT || r->element == LAUNCH_UINT;
    const char *problem = png_read(r->arena, file, LAUNCH_MAX_FILE, packed, &p);
    size_t bytes = (size_t)p.width * p.height * (p.color ? 3 : 1);
    if (!problem)
        problem = add_pixels(r, p.pixels, bytes, p.color);
    free(p.pixels);
    return problem;
}

/* ---- bytes, .npy --------------------------------------------------------------------------------------- */

static const char *no_multiple(const struct reading *r, uint64_t size)
{
    return arena_printf(r->arena, "the file has %llu bytes, no multiple of the %u of an element",
                        (unsigned long long)size, r->element_bytes);
}

static const char *take_bytes(struct reading *r, struct text *file)
{
    if (file->length % r->element_bytes)
        return no_multiple(r, file->length);
    r->buffer = *file;
    *file = (struct text){0};
    return NULL;
}

static const char *read_npy(struct reading *r, struct text *file)
{
    memmove(file->at, file->at + r->header, file->length - r->header);
    file->length -= r->header;
    return take_bytes(r, file);
}

/* ---- any file ---------------------------------------------------------------------------------------- */

static const char *wrong_size(const struct reading *r)
{
    return r->encoding == LAUNCH_NPY ? bad_shape : bad_picture;
}

/* Of a file with a header: r->header, and *bytes behind it. Of vectors, elements are scalars. */
static const char *read_beginning(struct reading *r, const struct text *beginning, uint64_t *bytes)
{
    const char *pixels = beginning->at, *problem;
    uint32_t scalar = launch_element_bytes(r->element);
    if (r->encoding == LAUNCH_NPY) {
        struct layout l = layout_of(r->arena, r->element, scalar ? scalar : r->element_bytes, r->layout);
        return npy_read_header(r->arena, beginning, npy_type(r->arena, &l), l.bytes, &r->header, bytes);
    }
    problem = read_header(beginning, r->encoding == LAUNCH_PPM, &pixels, bytes);
    r->header = (size_t)(pixels - beginning->at);
    return problem;
}

/* What a beginning says of the whole file: no more is read than that. */
static const char *look(void *data, const struct text *beginning, uint64_t size, size_t *limit)
{
    struct reading *r = data;
    uint64_t bytes = 0;
    bool known = size != FILE_SIZE_UNKNOWN, picture = r->encoding == LAUNCH_PGM || r->encoding == LAUNCH_PPM;
    if (beginning->length == 0)
        return "the file is empty";
    if (r->encoding == LAUNCH_RAW)
        return known && size % r->element_bytes ? no_multiple(r, size) : NULL;
    if (r->encoding != LAUNCH_NPY && (!picture || r->element == LAUNCH_BYTES))
        return NULL;
    const char *problem = read_beginning(r, beginning, &bytes);
    if (problem)
        return problem;
    if (bytes >= SIZE_MAX - r->header || (known && size != r->header + bytes))
        return wrong_size(r);
    if (r->encoding == LAUNCH_NPY && bytes > r->limit)
        return launch_too_large;
    r->whole = r->header + bytes;
    *limit = r->whole < *limit ? r->whole : *limit;
    return NULL;
}

static const char *decode(struct reading *r, struct text *file, enum launch_encoding e)
{
    if (e == LAUNCH_RAW)
        return take_bytes(r, file);
    if (e == LAUNCH_NPY)
        return read_npy(r, file);
    if (r->element == LAUNCH_BYTES)
        return e == LAUNCH_TEXT || e == LAUNCH_CSV
                   ? read_rows(r, file)
                   : "structs are no picture; they are read from .csv, .txt, .npy, .bin";
    if (e == LAUNCH_PGM || e == LAUNCH_PPM)
        return read_picture(r, file, e == LAUNCH_PPM);
    return e == LAUNCH_PNG ? read_png(r, file) : read_text(r, file);
}

const char *launch_read_file(struct arena *a, const char *path, enum launch_element e, uint32_t element_bytes,
                             const char *layout, size_t limit, void **bytes, size_t *n)
{
    enum launch_encoding encoding = launch_encoding_of(path);
    struct reading r = {.arena = a,
                        .encoding = encoding,
                        .element = e,
                        .element_bytes = element_bytes,
                        .layout = layout,
                        .limit = limit};
    struct text file = {0};
    const char *wrong = launch_wrong_ending(path);
    if (wrong)
        return wrong;
    bool raw = encoding == LAUNCH_RAW || encoding == LAUNCH_NPY;
    size_t header = encoding == LAUNCH_NPY ? LAUNCH_MAX_HEADER : 0;
    size_t most = !raw ? LAUNCH_MAX_FILE : limit < SIZE_MAX - header ? limit + header : limit;
    const char *problem = file_read_after(path, most, LOOK_BYTES, look, &r, &file);
    if (problem == file_too_large && encoding == LAUNCH_RAW)
        problem = launch_too_large;
    if (r.whole && (problem == file_too_large || (!problem && file.length != r.whole)))
        problem = wrong_size(&r);
    if (!problem)
        problem = decode(&r, &file, encoding);
    if (!problem && r.buffer.length == 0)
        problem = "the file has no values";
    if (!problem && r.buffer.length % element_bytes)
        problem = "the file's values do not fill the last vector";
    text_free(&file);
    *bytes = problem ? NULL : r.buffer.at;
    *n = r.buffer.length;
    if (problem)
        text_free(&r.buffer);
    return problem;
}
