/* outputs.c: see outputs.h. */
#include "launch/outputs.h"
#include "launch/layout.h"
#include "launch/npy.h"
#include "launch/picture.h"

#include <math.h>

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
