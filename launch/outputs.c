/* outputs.c: see outputs.h. */
#include "launch/outputs.h"
#include "launch/layout.h"
#include "launch/npy.h"
#include "launch/picture.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* ---- what the command line says ---------------------------------------------------------------------- */

static bool scan_number(const char **at, uint64_t *n)
{
    char *end;
    errno = 0;
    *n = strtoull(*at, &end, 10);
    bool good = **at >= '0' && **at <= '9' && errno == 0;
    *at = end;
    return good;
}

static const char bad_range[] = "a range is written name[first..end]";

/* [first..end] or [index]; *at moves behind it. */
static const char *parse_range(const char **at, struct launch_output *o)
{
    ++*at;
    if (!scan_number(at, &o->first))
        return bad_range;
    o->last = o->first + 1;
    if (**at == '.' && (strncmp(*at, "..", 2) != 0 || (*at += 2, !scan_number(at, &o->last))))
        return bad_range;
    if (*(*at)++ != ']')
        return bad_range;
    return o->first < o->last ? NULL : "the range is empty";
}

const char *output_parse_show(struct arena *a, const char *text, struct launch_output *o)
{
    size_t all = strlen(text), n;
    const char *problem = NULL;
    *o = (struct launch_output){.hex = all > 7 && strcmp(text + all - 7, " as hex") == 0};
    text = arena_strdup(a, text, o->hex ? all - 7 : all);
    n = strcspn(text, "[.");
    o->name = arena_strdup(a, text, n);
    text += n;
    if (n == 0)
        return "the name of a buffer is missing";
    if (*text == '[')
        problem = parse_range(&text, o);
    if (!problem && *text && *text != '.' && *text != '[')
        problem = "behind a range stands nothing, a .member, an [index] or \" as hex\"";
    o->path = text;
    return problem;
}

/* Reads ":WxH" at the end of a file's name; false if there is none. */
static bool parse_size(const char *file, struct launch_output *o, size_t *name_length)
{
    const char *colon = strrchr(file, ':'), *at = colon ? colon + 1 : NULL;
    uint64_t width, height;
    if (!at || !scan_number(&at, &width) || *at++ != 'x' || !scan_number(&at, &height) || *at)
        return false;
    o->width = width > UINT32_MAX ? UINT32_MAX : (uint32_t)width;
    o->height = height > UINT32_MAX ? UINT32_MAX : (uint32_t)height;
    *name_length = (size_t)(colon - file);
    return true;
}

const char *output_parse_save(struct arena *a, const char *text, struct launch_output *o)
{
    const char *equals = strchr(text, '=');
    *o = (struct launch_output){.save = true};
    if (!equals || equals == text || !equals[1])
        return "it is written name=file or name=file:WxH";
    const char *file = equals + 1;
    size_t n = strlen(file);
    bool sized = parse_size(file, o, &n);
    o->name = arena_strdup(a, text, (size_t)(equals - text));
    o->file = arena_strdup(a, file, n);
    return sized && (!o->width || !o->height) ? "a picture's sides are 1 or more" : NULL;
}

/* ---- one value --------------------------------------------------------------------------------------- */

/* Bytes of a scalar; of a struct all. */
static uint32_t unit(const struct view *v)
{
    uint32_t bytes = launch_element_bytes((enum launch_element)v->element);
    return bytes ? bytes : v->element_bytes;
}

/* Values: of vectors their scalars. */
static size_t count_of(const struct view *v)
{
    return unit(v) ? v->n / unit(v) : 0;
}

/* Values in an element. */
static uint32_t values_of(const struct view *v)
{
    return unit(v) ? v->element_bytes / unit(v) : 1;
}

static bool is_float(const struct view *v)
{
    return v->element == LAUNCH_FLOAT || v->element == LAUNCH_DOUBLE;
}

static double float_at(const struct view *v, size_t i)
{
    float f;
    double d;
    memcpy(&f, v->bytes + i * unit(v), sizeof f);
    if (v->element == LAUNCH_FLOAT)
        return f;
    memcpy(&d, v->bytes + i * unit(v), sizeof d);
    return d;
}

static bool is_signed(const struct view *v)
{
    return v->element == LAUNCH_CHAR || v->element == LAUNCH_SHORT || v->element == LAUNCH_INT ||
           v->element == LAUNCH_LONG;
}

/* Sign- or zero-extended; the hosts kernc runs on are little-endian. */
static int64_t integer_at(const struct view *v, size_t i)
{
    uint64_t x = 0;
    memcpy(&x, v->bytes + i * unit(v), unit(v));
    unsigned shift = 64 - 8 * unit(v);
    return is_signed(v) ? (int64_t)(x << shift) >> shift : (int64_t)x;
}

const char *output_show(struct arena *a, const struct launch_output *o, const struct view *v, struct text *t)
{
    struct layout whole = layout_of(a, (enum launch_element)v->element, v->element_bytes, v->layout), part;
    size_t count = v->n / whole.bytes, end = o->last ? o->last : count;
    const char *path = o->path ? o->path : "", *problem = layout_find(a, &whole, path, &part);
    if (problem)
        return problem;
    if (end > count)
        return arena_printf(a, "%llu..%zu goes beyond its %zu elements", (unsigned long long)o->first, end,
                            count);
    text_printf(t, "%s[%llu..%zu]%s:", v->name, (unsigned long long)o->first, end, path);
    for (size_t i = o->first; i < end; i++) {
        text_char(t, ' ');
        layout_print(&part, v->bytes + i * whole.bytes + part.offset, o->hex, t);
    }
    text_char(t, '\n');
    return NULL;
}

/* ---- files ------------------------------------------------------------------------------------------- */

/* A row for each structure; in .csv below one of the names. */
static const char *encode_rows(struct arena *a, const struct view *v, char separator, struct text *t)
{
    struct layout l = layout_of(a, LAUNCH_BYTES, v->element_bytes, v->layout);
    if (l.kind == LAYOUT_UNKNOWN)
        return "a buffer of such structs is saved as its bytes alone (.bin, .npy)";
    layout_leaves leaves = layout_leaves_of(a, &l);
    if (separator == ',') {
        layout_row(&leaves, NULL, separator, t);
        text_char(t, '\n');
    }
    for (size_t i = 0; i < v->n / l.bytes; i++) {
        layout_row(&leaves, v->bytes + i * l.bytes, separator, t);
        text_char(t, '\n');
    }
    return NULL;
}

static const char *encode_text(const struct launch_output *o, const struct view *v, char separator,
                               struct text *t)
{
    size_t n = count_of(v), width = o->width ? (size_t)o->width * values_of(v) : values_of(v);
    for (size_t i = 0; i < n; i++) {
        layout_print_number((enum launch_element)v->element, v->bytes + i * unit(v), t);
        text_char(t, (i + 1) % width && i + 1 < n ? separator : '\n');
    }
    return NULL;
}

static unsigned char channel(const struct view *v, size_t i)
{
    if (is_float(v)) {
        double d = float_at(v, i) * 255 + 0.5;
        return d >= 255 ? 255 : d > 0 ? (unsigned char)d : 0; /* NaN is black */
    }
    int64_t x = integer_at(v, i);
    bool huge = x > 255 || (v->element == LAUNCH_ULONG && x < 0);
    return huge ? 255 : x < 0 ? 0 : (unsigned char)x;
}

static void add_pixel(const struct view *v, size_t i, bool color, struct text *t)
{
    bool packed = color && (v->element == LAUNCH_INT || v->element == LAUNCH_UINT);
    unsigned char grey = channel(v, i);
    int64_t rgb = packed ? integer_at(v, i) : (int64_t)grey * 0x10101;
    char bytes[3] = {(char)(rgb >> 16), (char)(rgb >> 8), (char)rgb};
    text_add(t, color ? bytes : (char *)&grey, color ? 3 : 1);
}

/* The side of a square of `count` values, 0 if there is none. */
static uint32_t side_of(size_t count)
{
    size_t side = (size_t)sqrt((double)count);
    side += (side + 1) * (side + 1) <= count;
    return side * side == count && side <= UINT32_MAX ? (uint32_t)side : 0;
}

/* Fills in the sides of a square picture. */
static void choose_size(const struct view *v, bool color, uint32_t *width, uint32_t *height)
{
    size_t n = count_of(v);
    if (*width)
        return;
    *width = side_of(n);
    if (!*width && color && n % 3 == 0)
        *width = side_of(n / 3);
    *height = *width;
}

/* Appends the pixels, of one value each or, in colour, of three; `p` gets the picture's sides. */
static const char *add_pixels(const struct launch_output *o, const struct view *v, bool color,
                              struct picture *p, struct text *t)
{
    size_t n = count_of(v);
    *p = (struct picture){o->width, o->height, color, NULL};
    choose_size(v, color, &p->width, &p->height);
    uint64_t pixels = (uint64_t)p->width * p->height;
    if (color && pixels && n / 4 == pixels && n % 4 == 0)
        return "a pixel has one value or three, not four: store it without alpha, as a uchar3";
    if (!pixels || (n != pixels && !(color && n / 3 == pixels && n % 3 == 0)))
        return color ? "the picture's size fits neither one nor three values a pixel (save with :WxH)"
                     : "the picture's size is not the number of values (save with :WxH)";
    for (size_t i = 0; i < n; i++) {
        if (n == pixels)
            add_pixel(v, i, color, t);
        else
            text_char(t, (char)channel(v, i));
    }
    return NULL;
}

static const char *encode_netpbm(const struct launch_output *o, const struct view *v, bool color,
                                 struct text *t)
{
    struct text pixels = {0};
    struct picture p;
    const char *problem = add_pixels(o, v, color, &p, &pixels);
    if (!problem)
        text_printf(t, "P%c\n%u %u\n255\n", color ? '6' : '5', p.width, p.height);
    if (!problem)
        text_add(t, pixels.at, pixels.length);
    text_free(&pixels);
    return problem;
}

/* In colour where .ppm has three different channels; else grey, a third of the bytes. */
static const char *encode_png(struct arena *a, const struct launch_output *o, const struct view *v,
                              struct text *t)
{
    struct text pixels = {0};
    struct picture p;
    const char *problem = add_pixels(o, v, true, &p, &pixels);
    bool packed = v->element == LAUNCH_INT || v->element == LAUNCH_UINT;
    bool grey = !problem && !packed && count_of(v) == (size_t)p.width * p.height;
    for (size_t i = 0; grey && i < pixels.length / 3; i++)
        pixels.at[i] = pixels.at[3 * i];
    p.color = !grey;
    p.pixels = (unsigned char *)pixels.at;
    if (!problem)
        problem = png_write(a, &p, t);
    text_free(&pixels);
    return problem;
}

static const char *encode_npy(struct arena *a, const struct launch_output *o, const struct view *v,
                              struct text *t)
{
    struct layout l = layout_of(a, v->element, unit(v), v->layout);
    bool rows = !o->width && values_of(v) > 1 && count_of(v) / values_of(v) <= UINT32_MAX;
    uint32_t width = rows ? values_of(v) : o->width;
    uint32_t height = rows ? (uint32_t)(count_of(v) / values_of(v)) : o->height;
    const char *problem = npy_write_header(npy_type(a, &l), count_of(v), width, height, t);
    if (!problem)
        text_add(t, (const char *)v->bytes, v->n);
    return problem;
}

const char *output_encode(struct arena *a, const struct launch_output *o, const struct view *v,
                          struct text *t)
{
    enum launch_encoding e = launch_encoding_of(o->file);
    if (launch_wrong_ending(o->file))
        return launch_wrong_ending(o->file);
    if (e == LAUNCH_NPY)
        return encode_npy(a, o, v, t);
    if ((e == LAUNCH_TEXT || e == LAUNCH_CSV) && v->element == LAUNCH_BYTES)
        return encode_rows(a, v, e == LAUNCH_CSV ? ',' : ' ', t);
    if (e != LAUNCH_RAW && v->element == LAUNCH_BYTES)
        return "a buffer of structs is no picture; it is saved as .csv, .txt, .npy or .bin";
    if (e == LAUNCH_PNG)
        return encode_png(a, o, v, t);
    if (e == LAUNCH_PGM || e == LAUNCH_PPM)
        return encode_netpbm(o, v, e == LAUNCH_PPM, t);
    if (e == LAUNCH_TEXT || e == LAUNCH_CSV)
        return encode_text(o, v, e == LAUNCH_CSV ? ',' : ' ', t);
    text_add(t, (const char *)v->bytes, v->n);
    return NULL;
}
