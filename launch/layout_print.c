/* layout_print.c: values of a layout as text. */
#include "launch/layout.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- one number -------------------------------------------------------------------------------------- */

/* The shortest decimal that reads back as the same value. */
static void print_float(double d, bool single, struct text *t)
{
    char s[40];
    for (int digits = single ? 6 : 15; digits <= 17; digits++) {
        snprintf(s, sizeof s, "%.*g", digits, d);
        if (single ? strtof(s, NULL) == (float)d : strtod(s, NULL) == d)
            break;
    }
    text_addz(t, isnan(d) ? "nan" : s);
}

/* Zero-extended; the hosts kernc runs on are little-endian. */
static uint64_t bits_at(const unsigned char *bytes, uint32_t n)
{
    uint64_t x = 0;
    memcpy(&x, bytes, n);
    return x;
}

static bool is_signed(enum launch_element e)
{
    return e == LAUNCH_CHAR || e == LAUNCH_SHORT || e == LAUNCH_INT || e == LAUNCH_LONG;
}

static void print_float_at(const unsigned char *bytes, struct text *t)
{
    float f;
    memcpy(&f, bytes, sizeof f);
    print_float(f, true, t);
}

static void print_double_at(const unsigned char *bytes, struct text *t)
{
    double d;
    memcpy(&d, bytes, sizeof d);
    print_float(d, false, t);
}

void layout_print_number(enum launch_element e, const unsigned char *bytes, struct text *out)
{
    uint32_t n = launch_element_bytes(e), shift = 64 - 8 * n;
    uint64_t x = bits_at(bytes, n);
    if (e == LAUNCH_FLOAT)
        print_float_at(bytes, out);
    else if (e == LAUNCH_DOUBLE)
        print_double_at(bytes, out);
    else if (is_signed(e))
        text_printf(out, "%lld", (long long)((int64_t)(x << shift) >> shift));
    else
        text_printf(out, "%llu", (unsigned long long)x);
}

static void print_bits(const unsigned char *bytes, uint32_t n, struct text *out)
{
    text_printf(out, "0x%0*llx", (int)(2 * n), (unsigned long long)bits_at(bytes, n));
}

/* ---- values ------------------------------------------------------------------------------------------ */

/* Without its outermost dimension; *bytes: how far its elements are apart. */
static struct layout element_of(const struct layout *l, size_t *bytes)
{
    struct layout one = *l;
    one.counts.at++;
    one.counts.count--;
    *bytes = l->bytes;
    for (uint32_t i = 0; i < one.counts.count; i++)
        *bytes *= one.counts.at[i];
    return one;
}

static void print_array(const struct layout *l, const unsigned char *bytes, bool hex, struct text *out)
{
    size_t step;
    struct layout one = element_of(l, &step);
    for (uint32_t i = 0; i < l->counts.at[0]; i++) {
        text_addz(out, i ? ", " : "{");
        layout_print(&one, bytes + i * step, hex, out);
    }
    text_char(out, '}');
}

static void print_numbers(const struct layout *l, const unsigned char *bytes, bool hex, struct text *out)
{
    uint32_t n = l->bytes / l->scalars;
    for (uint32_t k = 0; k < l->scalars; k++) {
        text_addz(out, k ? " " : l->scalars > 1 ? "(" : "");
        if (hex)
            print_bits(bytes + k * n, n, out);
        else
            layout_print_number(l->element, bytes + k * n, out);
    }
    text_addz(out, l->scalars > 1 ? ")" : "");
}

static void print_structure(const struct layout *l, const unsigned char *bytes, bool hex, struct text *out)
{
    text_char(out, '{');
    for (const struct layout *m = l->members; m; m = m->next) {
        text_printf(out, "%s%s = ", m == l->members ? "" : ", ", m->name);
        layout_print(m, bytes + m->offset, hex, out);
    }
    text_char(out, '}');
}

static void print_unknown(const struct layout *l, const unsigned char *bytes, struct text *out)
{
    text_char(out, '<');
    for (uint32_t k = 0; k < l->bytes; k++)
        text_printf(out, "%02x", bytes[k]);
    text_char(out, '>');
}

void layout_print(const struct layout *l, const unsigned char *bytes, bool hex, struct text *out)
{
    if (l->counts.count) {
        print_array(l, bytes, hex, out);
        return;
    }
    switch (l->kind) {
    case LAYOUT_NUMBER: print_numbers(l, bytes, hex, out); break;
    case LAYOUT_POINTER: print_bits(bytes, l->bytes, out); break;
    case LAYOUT_STRUCTURE: print_structure(l, bytes, hex, out); break;
    case LAYOUT_UNKNOWN: print_unknown(l, bytes, out); break;
    }
}

/* ---- rows of a table --------------------------------------------------------------------------------- */

struct collecting {
    struct arena *arena;
    layout_leaves leaves;
};

static void collect(struct collecting *c, const struct layout *l, const char *name, uint32_t offset);

/* `part`: the member's name, or NULL: its number is the name. */
static void collect_part(struct collecting *c, const struct layout *l, const char *name, const char *part,
                         uint32_t index, uint32_t offset)
{
    const char *dot = *name ? "." : "";
    collect(c, l,
            part ? arena_printf(c->arena, "%s%s%s", name, dot, part)
                 : arena_printf(c->arena, "%s%s%u", name, dot, index),
            offset);
}

static void collect(struct collecting *c, const struct layout *l, const char *name, uint32_t offset)
{
    size_t step = 0;
    if (l->counts.count) {
        struct layout one = element_of(l, &step);
        for (uint32_t i = 0; i < l->counts.at[0]; i++)
            collect_part(c, &one, name, NULL, i, offset + i * (uint32_t)step);
    } else if (l->kind == LAYOUT_STRUCTURE) {
        for (const struct layout *m = l->members; m; m = m->next)
            collect_part(c, m, name, m->name, 0, offset + m->offset);
    } else if (l->kind == LAYOUT_NUMBER && l->scalars > 1) {
        struct layout one = *l;
        one.scalars = 1;
        one.bytes = l->bytes / l->scalars;
        for (uint32_t k = 0; k < l->scalars; k++)
            collect_part(c, &one, name, (const char *[]){"x", "y", "z", "w"}[k], 0, offset + k * one.bytes);
    } else {
        struct layout_leaf leaf = {name, *l};
        leaf.layout.offset = offset;
        vec_push(c->arena, &c->leaves, leaf);
    }
}

layout_leaves layout_leaves_of(struct arena *a, const struct layout *l)
{
    struct collecting c = {.arena = a};
    collect(&c, l, "", 0);
    return c.leaves;
}

void layout_row(const layout_leaves *leaves, const unsigned char *bytes, char separator, struct text *out)
{
    for (uint32_t i = 0; i < leaves->count; i++) {
        const struct layout *l = &leaves->at[i].layout;
        if (i)
            text_char(out, separator);
        if (!bytes)
            text_addz(out, leaves->at[i].name);
        else if (l->kind == LAYOUT_NUMBER)
            layout_print_number(l->element, bytes + l->offset, out);
        else
            layout_print(l, bytes + l->offset, false, out);
    }
}
