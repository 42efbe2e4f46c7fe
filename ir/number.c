/* number.c: constants and strings in the text form.
 *
 * Decimals are the shortest that read back exactly, found by trying precisions; reading and writing use
 * the C locale whatever the program's is.
 */
#include "ir/syntax.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct locale_guard { locale_t c, before; };

static struct locale_guard c_locale_enter(void)
{
    struct locale_guard g = {.c = newlocale(LC_ALL_MASK, "C", (locale_t)0)};
    if (g.c)
        g.before = uselocale(g.c);
    return g;
}

static void c_locale_leave(struct locale_guard g)
{
    if (!g.c)
        return;
    uselocale(g.before);
    freelocale(g.c);
}

bool ir_read_double(const char *text, double *d)
{
    struct locale_guard g = c_locale_enter();
    *d = strtod(text, NULL);
    c_locale_leave(g);
    return isfinite(*d);
}

bool ir_read_float(const char *text, float *f)
{
    struct locale_guard g = c_locale_enter();
    *f = strtof(text, NULL);
    c_locale_leave(g);
    return isfinite(*f);
}

/* ---- writing --------------------------------------------------------------------------------------- */

#define DIGITS_MAX 40

static void add_point(char *digits)
{
    if (!strpbrk(digits, ".e"))
        strcat(digits, ".0");
}

static void shortest_double(double d, char digits[DIGITS_MAX])
{
    struct locale_guard g = c_locale_enter();
    for (int precision = 1; precision <= 17; precision++) {
        snprintf(digits, DIGITS_MAX, "%.*g", precision, d);
        if (strtod(digits, NULL) == d)
            break;
    }
    c_locale_leave(g);
    add_point(digits);
}

static void shortest_float(float f, char digits[DIGITS_MAX])
{
    struct locale_guard g = c_locale_enter();
    for (int precision = 1; precision <= 9; precision++) {
        snprintf(digits, DIGITS_MAX, "%.*g", precision, (double)f);
        if (strtof(digits, NULL) == f)
            break;
    }
    c_locale_leave(g);
    add_point(digits);
}

void ir_print_double(double d, struct text *out)
{
    char digits[DIGITS_MAX];
    if (isfinite(d))
        shortest_double(d, digits);
    text_addz(out, isnan(d) ? "nan" : isinf(d) ? (d < 0 ? "-inf" : "inf") : digits);
}

static void print_f64(uint64_t bits, struct text *out)
{
    double d = scalar_from_f64(bits);
    if (isnan(d) && bits != SCALAR_NAN_F64)
        text_printf(out, "nan(0x%llx)", (unsigned long long)bits);
    else
        ir_print_double(d, out);
}

static void print_f32(uint32_t bits, struct text *out)
{
    float f = scalar_from_f32(bits);
    char digits[DIGITS_MAX];
    if (isnan(f) && bits != SCALAR_NAN_F32) {
        text_printf(out, "nanf(0x%x)", bits);
        return;
    }
    if (isfinite(f))
        shortest_float(f, digits);
    text_addz(out, isnan(f) ? "nan" : isinf(f) ? (f < 0 ? "-inf" : "inf") : digits);
    text_char(out, 'f');
}

void ir_print_constant(enum ir_type t, scalar_bits bits, struct text *out)
{
    switch (t) {
    case IR_TYPE_I1:  text_addz(out, bits ? "true" : "false"); return;
    case IR_TYPE_I32: text_printf(out, "%d", i32((uint32_t)bits)); return;
    case IR_TYPE_I64: text_printf(out, "%lldL", (long long)bits); return;
    case IR_TYPE_F32: print_f32((uint32_t)bits, out); return;
    case IR_TYPE_F64: print_f64(bits, out); return;
    default: break;
    }
    if (ir_is_pointer(t) && bits == 0)
        text_printf(out, "null.%s", ir_type_info[t].text + strlen("ptr."));
    else
        text_printf(out, "%s 0x%llx", ir_type_info[t].text, (unsigned long long)bits);
}

void ir_print_string(const char *bytes, size_t n, struct text *out)
{
    text_char(out, '"');
    for (size_t i = 0; i < n;) {
        unsigned length = utf8_visible(bytes + i, n - i);
        if (bytes[i] == '"' || bytes[i] == '\\')
            text_printf(out, "\\%c", bytes[i]);
        else if (bytes[i] == '\n' || bytes[i] == '\t')
            text_addz(out, bytes[i] == '\n' ? "\\n" : "\\t");
        else if (length)
            text_add(out, bytes + i, length);
        else
            text_printf(out, "\\x%02x", (unsigned char)bytes[i]);
        i += length ? length : 1;
    }
    text_char(out, '"');
}
