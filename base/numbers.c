/* numbers.c: decimals and quoted strings as text.
 *
 * Decimals are the shortest that read back exactly, found by trying precisions; reading and writing use the C
 * locale whatever the program's is.
 */
#include "base/base.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct locale_guard {
    locale_t c, before;
};

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

bool decimal_float(const char *text, float *f)
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

void text_double(struct text *out, double d)
{
    char digits[DIGITS_MAX];
    if (isfinite(d))
        shortest_double(d, digits);
    text_addz(out, isnan(d) ? "nan" : isinf(d) ? (d < 0 ? "-inf" : "inf") : digits);
}

void text_float(struct text *out, float f)
{
    char digits[DIGITS_MAX];
    if (isfinite(f))
        shortest_float(f, digits);
    text_addz(out, isnan(f) ? "nan" : isinf(f) ? (f < 0 ? "-inf" : "inf") : digits);
}

void text_quoted(struct text *out, const char *bytes, size_t n)
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
