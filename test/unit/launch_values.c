/* Launch values: what --arg's text means, the bytes each generator makes, and what is refused. */
#include "launch/launch.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <unistd.h>

#define LIMIT (1u << 20)

static struct arena arena;

static struct launch_value parse(const char *text)
{
    struct launch_value v;
    const char *problem = launch_parse_value(&arena, text, &v);
    if (problem)
        print_error("%s: %s\n", text, problem);
    assert_null(problem);
    return v;
}

static void refuse_text(const char *text, const char *message)
{
    struct launch_value v;
    const char *problem = launch_parse_value(&arena, text, &v);
    assert_non_null(problem);
    assert_string_equal(problem, message);
}

static void *make(const char *text, enum launch_element e, size_t bytes)
{
    struct launch_value v = parse(text);
    void *p;
    size_t n;
    const char *problem = launch_make_buffer(&arena, &v, e, launch_element_bytes(e), NULL, LIMIT, &p, &n);
    assert_null(problem);
    assert_int_equal(n, bytes);
    return p;
}

static void expect_buffer(const char *text, enum launch_element e, const void *wanted, size_t bytes)
{
    void *p = make(text, e, bytes);
    assert_memory_equal(p, wanted, bytes);
    mem_free(p);
}

static void refuse_buffer(const char *text, enum launch_element e, const char *message)
{
    struct launch_value v = parse(text);
    void *p;
    size_t n;
    uint32_t size = e == LAUNCH_BYTES ? 12 : launch_element_bytes(e);
    const char *problem = launch_make_buffer(&arena, &v, e, size, NULL, LIMIT, &p, &n);
    assert_non_null(problem);
    assert_string_equal(problem, message);
    assert_null(p);
}

static void expect_scalar(const char *text, enum launch_element e, uint64_t wanted)
{
    struct launch_value v = parse(text);
    uint64_t bits;
    assert_null(launch_make_scalar(&v, e, 0, &bits));
    assert_int_equal(bits, wanted);
}

static void refuse_scalar(const char *text, enum launch_element e)
{
    struct launch_value v = parse(text);
    uint64_t bits;
    assert_non_null(launch_make_scalar(&v, e, 0, &bits));
}

/* ---- text ---------------------------------------------------------------------------------------- */

static void numbers(void **state)
{
    UNUSED(state);
    assert_int_equal(parse(" -17 ").n[0].i, -17);
    assert_int_equal(parse("0x10").n[0].i, 16);
    assert_int_equal(parse("true").n[0].i, 1);
    assert_int_equal(parse("false").n[0].i, 0);
    assert_true(parse("1.5").n[0].f == 1.5);
    assert_true(parse("-1e-3").n[0].f == -1e-3);
    assert_true(parse(".5").n[0].f == .5);
    assert_true(parse("-inf").n[0].f == -INFINITY);
    assert_true(isnan(parse("nan").n[0].f));
    assert_int_equal(parse("18446744073709551615").n[0].i, -1);
    assert_int_equal(parse("-9223372036854775808").n[0].i, INT64_MIN);
    refuse_text("18446744073709551616",
                "this number does not fit in 64 bits; the largest is 18446744073709551615");
    refuse_text("-9223372036854775809",
                "this number does not fit in 64 bits; the least is -9223372036854775808");
    refuse_text("1e999", "this number is too large for a double");
    refuse_text("1.2.3", "a number has one point at most; to group its digits write 1'000'000");
    refuse_text("1 2", "something follows the value");
    refuse_text("", "wanted: a number, zeros, iota, ramp, random, normal, @file or {list}");
    refuse_text("zeroes(3)", "wanted: a number, zeros, iota, ramp, random, normal, @file or {list}");
    refuse_text("0x", "a hexadecimal number needs digits after '0x'");
}

static void forms(void **state)
{
    UNUSED(state);
    struct launch_value v = parse("random(8, 42, -1.0, 1.0)");
    assert_int_equal(v.kind, LAUNCH_RANDOM);
    assert_int_equal(v.count, 8);
    assert_int_equal(v.seed, 42);
    assert_true(v.n[0].f == -1 && v.n[1].f == 1);
    assert_string_equal(parse("@a b.bin").text, "a b.bin");
    assert_string_equal(parse("file(\"x.bin\")").text, "x.bin");
    assert_int_equal(parse("{1, 2.5, -3}").count, 3);
    refuse_text("zeros 3", "this is written zeros(count)");
    refuse_text("zeros(3", "this is written zeros(count)");
    refuse_text("random(3, 1)", "this is written random(count, seed, lo, hi)");
    refuse_text("zeros(-1)", "a count or seed is an integer, 0 or more");
    refuse_text("zeros(0)", "a buffer needs at least one element");
    refuse_text("zeros(1.5)", "a count or seed is an integer, 0 or more");
    refuse_text("ramp(0, x, 3)", "a number is wanted here");
    refuse_text("{}", "a number is wanted here");
    assert_string_equal(parse("{5, {6}}").text, "{5, {6}}");
    assert_int_equal(parse("{.x = 6}").kind, LAUNCH_STRUCTS);
    assert_int_equal(parse("{1, .5}").kind, LAUNCH_LIST);
    assert_int_equal(parse("null").kind, LAUNCH_NULL);
    refuse_text("{1", "a list is written {1, 2, 3}");
    refuse_text("@", "the name of a file is missing");
    refuse_text("file(x)", "a file is written @name or file(\"name\")");
}

/* ---- scalars --------------------------------------------------------------------------------------- */

static void scalars(void **state)
{
    UNUSED(state);
    expect_scalar("-1", LAUNCH_CHAR, 0xffffffffu);
    expect_scalar("-1", LAUNCH_LONG, UINT64_MAX);
    expect_scalar("4294967295", LAUNCH_UINT, 0xffffffffu);
    expect_scalar("18446744073709551615", LAUNCH_ULONG, UINT64_MAX);
    expect_scalar("1", LAUNCH_FLOAT, 0x3f800000u);
    expect_scalar("-0.5", LAUNCH_DOUBLE, 0xbfe0000000000000u);
    expect_scalar("true", LAUNCH_BOOL, 1);
    refuse_scalar("2", LAUNCH_BOOL);
    refuse_scalar("128", LAUNCH_CHAR);
    refuse_scalar("-1", LAUNCH_UINT);
    refuse_scalar("-1", LAUNCH_ULONG);
    refuse_scalar("9223372036854775808", LAUNCH_LONG);
    refuse_scalar("1.0", LAUNCH_INT);
    refuse_scalar("1", LAUNCH_BYTES);
    refuse_scalar("zeros(4)", LAUNCH_INT);
}

/* ---- buffers --------------------------------------------------------------------------------------- */

static void simple_buffers(void **state)
{
    UNUSED(state);
    expect_buffer("zeros(3)", LAUNCH_SHORT, (int16_t[]){0, 0, 0}, 6);
    expect_buffer("iota(4)", LAUNCH_INT, (int32_t[]){0, 1, 2, 3}, 16);
    expect_buffer("iota(3)", LAUNCH_FLOAT, (float[]){0, 1, 2}, 12);
    expect_buffer("ramp(0, 1, 5)", LAUNCH_DOUBLE, (double[]){0, .25, .5, .75, 1}, 40);
    expect_buffer("ramp(10, -10, 4)", LAUNCH_INT, (int32_t[]){10, 4, -3, -10}, 16);
    expect_buffer("ramp(7, 9, 1)", LAUNCH_INT, (int32_t[]){7}, 4);
    expect_buffer("ramp(0, 18446744073709551615, 2)", LAUNCH_ULONG, (uint64_t[]){0, UINT64_MAX}, 16);
    expect_buffer("{1, 2, 255}", LAUNCH_UCHAR, (uint8_t[]){1, 2, 255}, 3);
    expect_buffer("{1, 2.5}", LAUNCH_FLOAT, (float[]){1, 2.5f}, 8);
}

static void random_follows_the_formula(void **state)
{
    UNUSED(state);
    assert_int_equal(launch_word(0, 0), 0xe220a8397b1dcdafu); /* splitmix64's published first words for seed
                                                                 0 */
    assert_int_equal(launch_word(0, 1), 0x6e789e6aa1b965f4u);
    uint64_t z = launch_word(5, 2);
    int32_t *i = make("random(3, 5, -10, 10)", LAUNCH_INT, 12);
    assert_int_equal(i[2], -10 + (int64_t)((unsigned __int128)z * 21 >> 64));
    mem_free(i);
    double *d = make("random(3, 5, 2, 4)", LAUNCH_DOUBLE, 24);
    assert_true(d[2] == 2 + 2 * ((double)(z >> 11) * 0x1p-53));
    mem_free(d);
    uint64_t *u = make("random(3, 5, 0, 18446744073709551615)", LAUNCH_ULONG, 24);
    assert_int_equal(u[2], z);
    mem_free(u);
}

static void random_stays_in_bounds(void **state)
{
    UNUSED(state);
    float *f = make("random(10000, 1, 0, 1.0)", LAUNCH_FLOAT, 40000);
    double sum = 0;
    for (int i = 0; i < 10000; i++) {
        assert_true(f[i] >= 0 && f[i] < 1);
        sum += f[i];
    }
    assert_true(fabs(sum / 10000 - .5) < .02);
    mem_free(f);
    /* one step wide: rounding would reach hi */
    f = make("random(1000, 1, 1.0, 1.0000001)", LAUNCH_FLOAT, 4000);
    for (int i = 0; i < 1000; i++)
        assert_true(f[i] == 1.0f);
    mem_free(f);
}

static void normal_has_its_moments(void **state)
{
    UNUSED(state);
    double *d = make("normal(20000, 3, 10, 2)", LAUNCH_DOUBLE, 160000), sum = 0, square = 0;
    for (int i = 0; i < 20000; i++) {
        sum += d[i];
        square += (d[i] - 10) * (d[i] - 10);
    }
    assert_true(fabs(sum / 20000 - 10) < .05);
    assert_true(fabs(square / 20000 - 4) < .1);
    mem_free(d);
    uint8_t *u = make("normal(1000, 3, 250, 100)", LAUNCH_UCHAR, 1000);
    int top = 0;
    for (int i = 0; i < 1000; i++)
        top += u[i] == 255;
    assert_true(top > 300); /* clamped, not wrapped */
    mem_free(u);
}

static void bad_buffers(void **state)
{
    UNUSED(state);
    refuse_buffer("3", LAUNCH_INT, "this parameter is a buffer, not a number");
    refuse_buffer("iota(257)", LAUNCH_UCHAR, "the number does not fit the type (0 to 255)");
    refuse_buffer("random(4, 1, 5, 2)", LAUNCH_INT, "the lower bound is above the upper bound");
    refuse_buffer("random(4, 1, 0.5, 2)", LAUNCH_INT, "an integer is wanted here");
    refuse_buffer("random(4, 1, -1, 2)", LAUNCH_UINT, "the number does not fit the type (0 to 4294967295)");
    refuse_buffer("random(4, 1, 0, inf)", LAUNCH_FLOAT, "the bounds must be finite");
    refuse_buffer("ramp(0, nan, 4)", LAUNCH_FLOAT, "the bounds must be finite");
    refuse_buffer("{1, 256}", LAUNCH_UCHAR, "the number does not fit the type (0 to 255)");
    refuse_buffer("iota(4)", LAUNCH_BYTES, "a buffer of structs is made by zeros(n), {list} or @file");
    refuse_buffer("zeros(1048577)", LAUNCH_CHAR, "the buffer is larger than the memory limit (--max-memory)");
    refuse_buffer("zeros(18446744073709551615)", LAUNCH_LONG,
                  "the buffer is larger than the memory limit (--max-memory)");
}

static void buffers_from_files(void **state)
{
    UNUSED(state);
    char name[] = "/tmp/kernc-launch-XXXXXX", spec[64];
    int fd = mkstemp(name);
    assert_true(fd >= 0 && write(fd, "abcdefgh", 8) == 8);
    close(fd);
    snprintf(spec, sizeof spec, "@%s", name);
    expect_buffer(spec, LAUNCH_INT, "abcdefgh", 8);
    refuse_buffer(spec, LAUNCH_BYTES, "the file has 8 bytes, no multiple of the 12 of an element");
    unlink(name);
    refuse_buffer(spec, LAUNCH_INT, "No such file or directory");
}

/* One element is what the whole buffer has there. */
static void elements_alone(void **state)
{
    UNUSED(state);
    static const char *const specs[] = {
        "zeros(9)",
        "iota(9)",
        "ramp(3, 90, 9)",
        "random(9, 7, 0, 99)",
        "normal(9, 7, 50, 9)",
        "{1, 2, 3, 4, 5, 6, 7, 8, 9}",
    };
    static const enum launch_element types[] = {LAUNCH_UCHAR, LAUNCH_SHORT, LAUNCH_INT,
                                                LAUNCH_LONG,  LAUNCH_FLOAT, LAUNCH_DOUBLE};
    for (size_t s = 0; s < COUNT(specs); s++)
        for (size_t t = 0; t < COUNT(types); t++) {
            struct launch_value v;
            void *bytes;
            size_t n, size = launch_element_bytes(types[t]);
            uint64_t element, whole;
            assert_null(launch_parse_value(&arena, specs[s], &v));
            assert_null(launch_make_buffer(&arena, &v, types[t], (uint32_t)size, NULL, LIMIT, &bytes, &n));
            for (uint64_t i = 0; i < 9; i++) {
                whole = 0;
                memcpy(&whole, (char *)bytes + i * size, size);
                assert_true(launch_make_element(&v, types[t], i, &element));
                assert_int_equal(element, whole);
            }
            assert_false(launch_make_element(&v, types[t], 9, &element));
            mem_free(bytes);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers),
        cmocka_unit_test(forms),
        cmocka_unit_test(scalars),
        cmocka_unit_test(simple_buffers),
        cmocka_unit_test(random_follows_the_formula),
        cmocka_unit_test(random_stays_in_bounds),
        cmocka_unit_test(normal_has_its_moments),
        cmocka_unit_test(bad_buffers),
        cmocka_unit_test(buffers_from_files),
        cmocka_unit_test(elements_alone),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    arena_free(&arena);
    return failed;
}
