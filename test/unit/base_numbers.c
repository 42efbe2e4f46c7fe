/* base/number_read.c: each form of number, good and bad; random ones beside strtoull and strtod. */
#include "base/base.h"
#include "base/number_read.h"
#include "base/scalar.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>
#include <errno.h>
#include <math.h>

static const struct {
    const char *text;
    uint64_t value;
    uint8_t base;
    const char *suffix; /* of u, l */
} integers[] = {
    {"0", 0, 10, ""},
    {"7", 7, 10, ""},
    {"00", 0, 8, ""},
    {"017", 15, 8, ""},
    {"0x1f", 31, 16, ""},
    {"0X1F", 31, 16, ""},
    {"0xe", 14, 16, ""},
    {"0b101", 5, 2, ""},
    {"0B1", 1, 2, ""},
    {"1'000'000", 1000000, 10, ""},
    {"0x7fff'ffff", 0x7fffffff, 16, ""},
    {"0b1'0", 2, 2, ""},
    {"01'7", 15, 8, ""},
    {"1u", 1, 10, "u"},
    {"1U", 1, 10, "u"},
    {"1l", 1, 10, "l"},
    {"1ll", 1, 10, "l"},
    {"1LL", 1, 10, "l"},
    {"1ul", 1, 10, "ul"},
    {"1lu", 1, 10, "ul"},
    {"0xfULL", 15, 16, "ul"},
    {"1llu", 1, 10, "ul"},
    {"18446744073709551615", UINT64_MAX, 10, ""},
    {"0xffffffffffffffff", UINT64_MAX, 16, ""},
    {"01777777777777777777777", UINT64_MAX, 8, ""},
};

static const struct {
    const char *text;
    double value;
    bool single, inexact;
} floats[] = {
    {"1.0", 1, false, false},
    {"1.", 1, false, false},
    {".5", .5, false, false},
    {"1e3", 1e3, false, false},
    {"1E+3", 1e3, false, false},
    {"1e-3", 1e-3, false, true},
    {"0.1", .1, false, true},
    {"0.1f", (double).1f, true, true},
    {"1.5F", 1.5, true, false},
    {"0x1.8p3", 12, false, false},
    {"0x.8p0", .5, false, false},
    {"0x1p-1074", 0x1p-1074, false, false},
    {"089.5", 89.5, false, false},
    {"010e1", 100, false, false},
    {"1'0.2'5e1'0", 10.25e10, false, false},
    {"1e-400", 0, false, true},
    {"0x1.fp0f", 1.9375, true, false},
    {"00.5", .5, false, false},
    {"0.0e9", 0, false, false},
    {"0.1000000000000000055511151231257827", .1, false, true}, /* of 55 digits */
    {"0.1000000000000000055511151231257827021181583404541015625", .1, false, false},
};

static const struct {
    const char *text;
    enum number_fault fault;
    size_t at;
    const char *says;
} bad[] = {
    {"1.000.000", NUMBER_POINT, 5, "a number has one point at most; to group its digits write 1'000'000"},
    {"1.2.3e5", NUMBER_POINT, 3, "one point at most"},
    {"0x1.8.8p1", NUMBER_POINT, 5, "one point at most"},
    {"0b1.1", NUMBER_POINT, 3, "a binary number has no point; write it in hexadecimal, such as 0x1.8p0"},
    {"0b.1", NUMBER_NO_DIGITS, 2, "a binary number needs digits after '0b'"},
    {"1e5.3", NUMBER_POINT, 3, "the exponent of a number is an integer"},
    {"1e5.", NUMBER_POINT, 3, "is an integer"},
    {"0x", NUMBER_NO_DIGITS, 2, "a hexadecimal number needs digits after '0x'"},
    {"0b", NUMBER_NO_DIGITS, 2, "a binary number needs digits after '0b'"},
    {"0x.p1", NUMBER_NO_DIGITS, 3, "a hexadecimal number needs digits"},
    {".", NUMBER_NO_DIGITS, 1, "a number has digits"},
    {"", NUMBER_NO_DIGITS, 0, "a number has digits"},
    {"1e", NUMBER_NO_EXPONENT_DIGITS, 2, "the exponent of a number needs digits"},
    {"1e+", NUMBER_NO_EXPONENT_DIGITS, 3, "needs digits"},
    {"0x1p", NUMBER_NO_EXPONENT_DIGITS, 4, "needs digits"},
    {"0x1.8", NUMBER_NO_HEX_EXPONENT, 5, "needs an exponent, such as p0"},
    {"0x1.8f", NUMBER_NO_HEX_EXPONENT, 6, "needs an exponent, such as p0"},
    {"1''0", NUMBER_SEPARATOR, 1, "a ' in a number stands between two digits"},
    {"1'", NUMBER_SEPARATOR, 1, "between two digits"},
    {"0x'1", NUMBER_SEPARATOR, 2, "between two digits"},
    {"1'.5", NUMBER_SEPARATOR, 1, "between two digits"},
    {"1.'5", NUMBER_SEPARATOR, 2, "between two digits"},
    {"1e'5", NUMBER_NO_EXPONENT_DIGITS, 2, "needs digits"},
    {"089", NUMBER_DIGIT, 1, "'8' is no digit of an octal number"},
    {"0b102", NUMBER_DIGIT, 4, "'2' is no digit of a binary number"},
    {"10q", NUMBER_SUFFIX, 2, "'q' is no suffix of an integer; u, l, ll, ul and ull make it"},
    {"1uu", NUMBER_SUFFIX, 1, "'uu' is no suffix of an integer"},
    {"1lul", NUMBER_SUFFIX, 1, "'lul' is no suffix of an integer"},
    {"1Ll", NUMBER_SUFFIX, 1, "'Ll' is no suffix of an integer"},
    {"1.5l", NUMBER_SUFFIX, 3, "'l' is no suffix of a floating number; f makes it a float"},
    {"1.0d", NUMBER_SUFFIX, 3, "'d' is no suffix of a floating number"},
    {"1.0ff", NUMBER_SUFFIX, 3, "'ff' is no suffix of a floating number"},
    {"1f", NUMBER_SUFFIX, 1, "'f' is no suffix of an integer; a float is written 1.0f"},
    {"1_000", NUMBER_SUFFIX, 1, "'_' can't stand in a number; to group its digits write 1'000'000"},
    {"0x1g", NUMBER_SUFFIX, 3, "'g' is no suffix of an integer"},
    {"18446744073709551616", NUMBER_INTEGER_TOO_LARGE, 0, "does not fit in 64 bits"},
    {"0x10000000000000000", NUMBER_INTEGER_TOO_LARGE, 0, "does not fit in 64 bits"},
    {"1e309", NUMBER_FLOAT_TOO_LARGE, 0, "too large for a double"},
    {"1e39f", NUMBER_FLOAT_TOO_LARGE, 0, "too large for a float"},
    {"0x1p1024", NUMBER_FLOAT_TOO_LARGE, 0, "too large for a double"},
};

static struct number good(const char *text)
{
    struct number n;
    if (!number_read(text, strlen(text), NUMBER_OCTAL | NUMBER_EXACTNESS, &n))
        fail_msg("'%s': %s", text, n.problem);
    assert_int_equal(number_length(text, strlen(text)), strlen(text));
    return n;
}

static void good_integers(void **state)
{
    for (size_t i = 0; i < COUNT(integers); i++) {
        struct number n = good(integers[i].text);
        assert_false(n.is_float);
        assert_int_equal(n.integer, integers[i].value);
        assert_int_equal(n.base, integers[i].base);
        assert_int_equal(n.is_unsigned, strchr(integers[i].suffix, 'u') != NULL);
        assert_int_equal(n.is_long, strchr(integers[i].suffix, 'l') != NULL);
    }
}

static void good_floats(void **state)
{
    for (size_t i = 0; i < COUNT(floats); i++) {
        struct number n = good(floats[i].text);
        assert_true(n.is_float);
        assert_true(n.value == floats[i].value);
        assert_int_equal(n.is_single, floats[i].single);
        assert_int_equal(n.is_inexact, floats[i].inexact);
    }
}

static void bad_numbers(void **state)
{
    for (size_t i = 0; i < COUNT(bad); i++) {
        struct number n;
        if (number_read(bad[i].text, strlen(bad[i].text), NUMBER_OCTAL, &n))
            fail_msg("'%s' was read", bad[i].text);
        if (n.fault != bad[i].fault || n.fault_at != bad[i].at || !strstr(n.problem, bad[i].says))
            fail_msg("'%s': fault %d at %zu: %s", bad[i].text, n.fault, n.fault_at, n.problem);
    }
}

/* Without the forms of a source: a leading 0 means nothing, and in IR text an f may follow an integer. */
static void forms(void **state)
{
    struct number n;
    assert_true(number_read("089", 3, 0, &n) && n.integer == 89 && n.base == 10);
    assert_false(number_read("1f", 2, 0, &n));
    assert_true(number_read("1f", 2, NUMBER_FLOAT_SUFFIX, &n) && n.is_float && n.is_single && n.value == 1);
}

static void lengths(void **state)
{
    static const struct {
        const char *text;
        size_t length;
    } cases[] = {{"0..8", 1},  {"1.5..2", 3},   {"1.2.3+4", 5}, {"1e+5", 4}, {"1e-5-1", 4},
                 {"0xe+1", 3}, {"0x1p+3+1", 6}, {"1 2", 1},     {"1,2", 1},  {"1]", 1},
                 {".5.", 3},   {"1'000)", 5},   {"1_0u;", 4},   {"7", 1},    {"1...3", 1}};
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_int_equal(number_length(cases[i].text, strlen(cases[i].text)), cases[i].length);
}

static uint64_t next(uint64_t *state)
{
    *state = hash_mix(*state, 0x9e3779b97f4a7c15u);
    return *state;
}

/* What the C library makes of the whole text, which has neither separators nor suffixes nor a binary prefix: an
 * integer of this base, else a floating number; false: nothing. */
static bool as_c_reads(const char *text, bool *is_float, uint64_t *integer, double *value)
{
    char *end;
    bool hex = text[0] == '0' && (text[1] | 32) == 'x';
    errno = 0;
    *integer = strtoull(text, &end, 0);
    *is_float = *end != 0 || end == text;
    if (!*is_float)
        return errno == 0 && !(hex && strlen(text) == 2);
    *value = strtod(text, &end);
    if (!strpbrk(text, ".eEpP"))
        return false; /* an octal number with an 8 */
    return *end == 0 && end > text && isfinite(*value) && !(hex && !strpbrk(text, "pP"));
}

static void random_numbers(void **state)
{
    static const char *const alphabets[] = {"0123456789.e+-", "01.e",   "0x19af.p+-",
                                            "0127",           "0x1.8p", "0189."};
    uint64_t seed = 27;
    unsigned read = 0, refused = 0;
    for (int i = 0; i < 200000; i++) {
        const char *letters = alphabets[next(&seed) % COUNT(alphabets)];
        char text[24];
        size_t n = 1 + next(&seed) % 12;
        for (size_t k = 0; k < n; k++)
            text[k] = letters[next(&seed) % strlen(letters)];
        text[n] = 0;
        if (strpbrk(text, "af") && (text[0] != '0' || text[1] != 'x'))
            continue; /* f is a suffix */
        if (!strchr("0123456789.", text[0]) || number_length(text, n) != n)
            continue;
        bool is_float;
        uint64_t integer;
        double value = 0;
        struct number r;
        bool expected = as_c_reads(text, &is_float, &integer, &value);
        bool got = number_read(text, n, NUMBER_OCTAL, &r);
        if (got != expected ||
            (got && (r.is_float != is_float || (is_float ? r.value != value : r.integer != integer))))
            fail_msg("'%s': C %s, read %s: %s", text, expected ? "reads it" : "refuses it",
                     got ? "well" : "not", r.problem);
        read += got;
        refused += !got;
    }
    assert_true(read > 20000 && refused > 20000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_integers), cmocka_unit_test(good_floats), cmocka_unit_test(bad_numbers),
        cmocka_unit_test(forms),         cmocka_unit_test(lengths),     cmocka_unit_test(random_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
