/* launch_files.c: buffers from files: their bytes, text, pictures. What the end of a name says is in
 * files.def; driver/outputs.c writes the same.
 */
#include "base/npy.h"
#include "base/picture.h"

#include <ctype.h>
#include <stdlib.h>

static const struct {
    const char *ending;
    enum launch_encoding encoding;
} endings[] = {
#define ENCODING(ending, id, meaning) {ending, LAUNCH_##id},
#include "base/files.def"
};

const char launch_unknown_ending[] = "unknown ending; there are"
#define ENCODING(ending, id, meaning) " " ending
#include "base/files.def"
                                     "and none at all";

enum launch_encoding launch_encoding_of(const char *file)
{
    const char *slash = strrchr(file, '/'), *base = slash ? slash + 1 : file, *dot = strrchr(base, '.');
    for (size_t i = 0; i < COUNT(endings); i++)
        if (strcmp(endings[i].ending, dot && dot > base ? dot : "") == 0)
            return endings[i].encoding;
    return LAUNCH_NO_ENCODING;
}

/* What is being read, and the buffer being made. */
struct reading {
    struct arena *arena;
    enum launch_element element;
    uint32_t element_bytes;
    const char *layout;
    size_t limit;
    struct text buffer;
};

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

static const char *read_text(struct reading *r, const struct text *file)
{
    static const char mark[] = "\xef\xbb\xbf"; /* of byte order: spreadsheets write it */
    const char *begin = file->at + (strncmp(file->at, mark, 3) == 0 ? 3 : 0);
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

static const char *read_picture(struct reading *r, const struct text *file, bool color)
{
    const char *at = file->at + 2;
    if (strncmp(file->at, color ? "P6" : "P5", 2) != 0)
        return color ? "a .ppm file begins with P6" : "a .pgm file begins with P5";
    uint64_t width = header_number(&at), height = header_number(&at), most = header_number(&at);
    uint64_t bytes = width * height * (color ? 3 : 1);
    if (!bytes || most != 255 || !isspace((unsigned char)*at))
        return "the picture's header is not width, height and 255";
    if (file->length - (size_t)(at + 1 - file->at) != bytes)
        return "the picture's size is not what its header says";
    return add_pixels(r, (const unsigned char *)at + 1, bytes, color);
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

/* ---- any file ---------------------------------------------------------------------------------------- */

static const char *take_bytes(struct reading *r, struct text *file)
{
    if (file->length % r->element_bytes)
        return "the file's length is no multiple of the element's size";
    r->buffer = *file;
    *file = (struct text){0};
    return NULL;
}

/* Of vectors, elements are scalars. */
static const char *read_npy(struct reading *r, struct text *file)
{
    size_t data = 0;
    uint32_t scalar = launch_element_bytes(r->element);
    struct layout l = layout_of(r->arena, r->element, scalar ? scalar : r->element_bytes, r->layout);
    const char *problem = npy_read_header(r->arena, file, npy_type(r->arena, &l), l.bytes, &data);
    if (problem)
        return problem;
    memmove(file->at, file->at + data, file->length - data);
    file->length -= data;
    return file->length > r->limit ? launch_too_large : take_bytes(r, file);
}

static const char *decode(struct reading *r, struct text *file, enum launch_encoding e)
{
    if (e == LAUNCH_RAW)
        return take_bytes(r, file);
    if (e == LAUNCH_NPY)
        return read_npy(r, file);
    if (r->element == LAUNCH_BYTES)
        return "structs are read from .npy, or from their bytes alone (.bin)";
    if (e == LAUNCH_PGM || e == LAUNCH_PPM)
        return read_picture(r, file, e == LAUNCH_PPM);
    return e == LAUNCH_PNG ? read_png(r, file) : read_text(r, file);
}

const char *launch_read_file(struct arena *a, const char *path, enum launch_element e, uint32_t element_bytes,
                             const char *layout, size_t limit, void **bytes, size_t *n)
{
    enum launch_encoding encoding = launch_encoding_of(path);
    struct reading r = {
        .arena = a, .element = e, .element_bytes = element_bytes, .layout = layout, .limit = limit};
    struct text file = {0};
    if (encoding == LAUNCH_NO_ENCODING)
        return launch_unknown_ending;
    bool raw = encoding == LAUNCH_RAW || encoding == LAUNCH_NPY;
    size_t header = encoding == LAUNCH_NPY ? LAUNCH_MAX_HEADER : 0;
    size_t most = !raw ? LAUNCH_MAX_FILE : limit < SIZE_MAX - header ? limit + header : limit;
    const char *problem = file_read(path, most, &file);
    if (problem == file_too_large && raw)
        problem = launch_too_large;
    if (!problem && file.length == 0)
        problem = "the file is empty";
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
