/* number_read.c: numbers as people write them, in sources, IR text, options and files of data: the only reader
 * of them. The value is that of strtoull and strtod in the C locale.
 */
#include "base/number_read.h"
#include "base/base.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHORT_NUMBER 64 /* bytes of a number that needs no allocation */

struct reading {
    const char *text, *at, *end;
    struct number *to;
};

unsigned number_digit(char c)
{
    return c >= '0' && c <= '9'   ? (unsigned)(c - '0')
           : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
           : c >= 'A' && c <= 'F' ? (unsigned)(c - 'A') + 10
                                  : NO_DIGIT;
}

static bool is_digit(char c, unsigned base)
{
    return number_digit(c) < base;
}

static const char *kind_of(const struct number *n)
{
    return n->base == 2    ? "a binary"
           : n->base == 8  ? "an octal"
           : n->base == 16 ? "a hexadecimal"
                           : "a decimal";
}

/* The byte at r->at + i; 0 behind the end. */
static char peek(const struct reading *r, size_t i)
{
    return i < (size_t)(r->end - r->at) ? r->at[i] : 0;
}

__attribute__((format(printf, 3, 4))) static bool refuse(struct reading *r, enum number_fault fault,
                                                         const char *format, ...)
{
    va_list list;
    va_start(list, format);
    r->to->fault = fault;
    r->to->fault_at = (size_t)(r->at - r->text);
    vsnprintf(r->to->problem, sizeof r->to->problem, format, list);
    va_end(list);
    return false;
}

/* ---- the parts of a number ------------------------------------------------------------------------- */

static unsigned base_of(const char *text, size_t n, unsigned forms)
{
    size_t digits = 1;
    if (n < 2 || text[0] != '0')
        return 10;
    if ((text[1] | 32) == 'x')
        return 16;
    if ((text[1] | 32) == 'b')
        return 2;
    while (digits < n && (is_digit(text[digits], 10) || text[digits] == '\''))
        digits++;
    bool is_float = digits < n && (text[digits] == '.' || (text[digits] | 32) == 'e');
    return is_float || digits == 1 || !(forms & NUMBER_OCTAL) ? 10 : 8;
}

/* Digits, with separators between them; false after a complaint. */
static bool read_digits(struct reading *r, unsigned base, size_t *count)
{
    for (;; r->at++) {
        if (is_digit(peek(r, 0), base))
            ++*count;
        else if (peek(r, 0) != '\'')
            return true;
        else if (r->at == r->text || !is_digit(r->at[-1], base) || !is_digit(peek(r, 1), base))
            return refuse(r, NUMBER_SEPARATOR, "a ' in a number stands between two digits");
    }
}

static bool refuse_point(struct reading *r)
{
    if (r->to->base == 2)
        return refuse(r, NUMBER_POINT,
                      "a binary number has no point; write it in hexadecimal, such as 0x1.8p0");
    return refuse(r, NUMBER_POINT, "a number has one point at most; to group its digits write 1'000'000");
}

/* The digits of the number, and its point. */
static bool read_mantissa(struct reading *r)
{
    size_t digits = 0;
    if (!read_digits(r, r->to->base, &digits))
        return false;
    if (peek(r, 0) == '.' && r->to->base != 2) {
        r->to->is_float = true;
        r->at++;
        if (!read_digits(r, r->to->base, &digits))
            return false;
    }
    if (digits == 0 && r->to->base != 10)
        return refuse(r, NUMBER_NO_DIGITS, "%s number needs digits after '%.2s'", kind_of(r->to), r->text);
    if (digits == 0)
        return refuse(r, NUMBER_NO_DIGITS, "a number has digits");
    return peek(r, 0) != '.' || refuse_point(r);
}

static bool read_exponent(struct reading *r)
{
    size_t digits = 0;
    char letter = r->to->base == 16 ? 'p' : r->to->base == 10 ? 'e' : 0, c = peek(r, 0) | 32;
    if (!letter || c != letter)
        return r->to->base != 16 || !r->to->is_float ||
               refuse(r, NUMBER_NO_HEX_EXPONENT,
                      "a hexadecimal floating number needs an exponent, such as p0");
    r->to->is_float = true;
    r->at += peek(r, 1) == '+' || peek(r, 1) == '-' ? 2 : 1;
    if (!is_digit(peek(r, 0), 10))
        return refuse(r, NUMBER_NO_EXPONENT_DIGITS, "the exponent of a number needs digits");
    if (!read_digits(r, 10, &digits))
        return false;
    return peek(r, 0) != '.' || refuse(r, NUMBER_POINT, "the exponent of a number is an integer");
}

/* ---- suffixes --------------------------------------------------------------------------------------- */

static bool refuse_suffix(struct reading *r, const char *suffix)
{
    struct number *n = r->to;
    int length = r->end - suffix < 40 ? (int)(r->end - suffix) : 40;
    r->at = suffix;
    if (is_digit(*suffix, 10))
        return refuse(r, NUMBER_DIGIT, "'%c' is no digit of %s number", *suffix, kind_of(n));
    if (*suffix == '_')
        return refuse(r, NUMBER_SUFFIX, "'_' can't stand in a number; to group its digits write 1'000'000");
    if (!n->is_float && (*suffix | 32) == 'f' && length == 1)
        return refuse(r, NUMBER_SUFFIX, "'%c' is no suffix of an integer; a float is written %.*s.0f",
                      *suffix, (int)(suffix - r->text < 40 ? suffix - r->text : 40), r->text);
    return refuse(r, NUMBER_SUFFIX, "'%.*s' is no suffix of %s; %s", length, suffix,
                  n->is_float ? "a floating number" : "an integer",
                  n->is_float ? "f makes it a float"
                              : "u, l, ll, ul and ull make it unsigned, long and both");
}

static bool read_suffix(struct reading *r, unsigned forms)
{
    const char *suffix = r->at;
    struct number *n = r->to;
    if (r->at < r->end && (is_digit(*r->at, 10) || *r->at == '_'))
        return refuse_suffix(r, suffix);
    bool narrow = n->is_float || (forms & NUMBER_FLOAT_SUFFIX);
    if (narrow && (peek(r, 0) | 32) == 'f') {
        n->is_float = n->is_single = true;
        r->at++;
    }
    while (!n->is_float && r->at < r->end) {
        char c = peek(r, 0);
        bool *flag = (c | 32) == 'u' ? &n->is_unsigned : (c | 32) == 'l' ? &n->is_long : NULL;
        if (!flag || *flag)
            return refuse_suffix(r, suffix);
        *flag = true;
        r->at += flag == &n->is_long && peek(r, 1) == c ? 2 : 1; /* a long long is a long */
    }
    return r->at == r->end || refuse_suffix(r, suffix);
}

/* ---- values ----------------------------------------------------------------------------------------- */

static bool integer_value(struct reading *r, const char *end)
{
    uint64_t v = 0;
    bool overflow = false;
    for (const char *c = r->text + (r->to->base == 16 || r->to->base == 2 ? 2 : 0); c < end; c++)
        if (*c != '\'')
            overflow |= (int)__builtin_mul_overflow(v, (uint64_t)r->to->base, &v) |
                        __builtin_add_overflow(v, number_digit(*c), &v);
    r->to->integer = v;
    r->to->value = (double)v;
    r->at = r->text;
    return !overflow || refuse(r, NUMBER_INTEGER_TOO_LARGE,
                               "this number does not fit in 64 bits; the largest is 18446744073709551615");
}

/* Keeps of a decimal number its digits without zeros at either end; returns their number. */
static size_t keep_digits(char *number)
{
    size_t n = 0;
    for (const char *c = number; *c && (*c | 32) != 'e'; c++)
        if (is_digit(*c, 10) && (n || *c != '0'))
            number[n++] = *c;
    while (n && number[n - 1] == '0')
        n--;
    return n;
}

/* Whether the decimals, of which it keeps the digits, are the value that is the nearest to them, to its last
 * digit; a double has 767 at most. A wider type would not tell all, and other hosts have another one. */
static bool is_exact(char *decimals, double value)
{
    char exact[800];
    snprintf(exact, sizeof exact, "%.766e", value);
    size_t n = keep_digits(decimals);
    return n == keep_digits(exact) && memcmp(decimals, exact, n) == 0;
}

/* The number, up to `end`, without separators and with a zero behind it. */
static bool float_value(struct reading *r, const char *end, unsigned forms)
{
    char buffer[SHORT_NUMBER];
    size_t n = (size_t)(end - r->text), length = 0;
    char *copy = n < sizeof buffer ? buffer : mem_alloc(n + 1);
    locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    for (const char *c = r->text; c < end; c++)
        if (*c != '\'')
            copy[length++] = *c;
    copy[length] = 0;
    r->to->value = r->to->is_single ? strtof_l(copy, NULL, c_locale) : strtod_l(copy, NULL, c_locale);
    freelocale(c_locale);
    r->to->is_inexact = forms & NUMBER_EXACTNESS && r->to->base == 10 && !is_exact(copy, r->to->value);
    if (copy != buffer)
        mem_free(copy);
    r->at = r->text;
    return !isinf(r->to->value) || refuse(r, NUMBER_FLOAT_TOO_LARGE, "this number is too large for a %s",
                                          r->to->is_single ? "float" : "double");
}

bool number_read(const char *text, size_t n, unsigned forms, struct number *to)
{
    struct reading r = {text, text, text + n, to};
    *to = (struct number){.base = (uint8_t)base_of(text, n, forms)};
    r.at += to->base == 16 || to->base == 2 ? 2 : 0;
    if (!read_mantissa(&r) || !read_exponent(&r))
        return false;
    const char *end = r.at;
    if (!read_suffix(&r, forms))
        return false;
    return to->is_float ? float_value(&r, end, forms) : integer_value(&r, end);
}

size_t number_length(const char *text, size_t n)
{
    size_t i = n && text[0] == '.' ? 1 : 0;
    bool hex = n > 1 && text[0] == '0' && (text[1] | 32) == 'x';
    for (; i < n; i++) {
        char c = text[i], before = i ? (char)(text[i - 1] | 32) : 0;
        bool letter = (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z') || c == '_' || c == '\'';
        bool sign = (c == '+' || c == '-') && i > 1 && before == (hex ? 'p' : 'e');
        bool point = c == '.' && !(i + 1 < n && text[i + 1] == '.');
        if (!letter && !sign && !point)
            break;
    }
    return i;
}
