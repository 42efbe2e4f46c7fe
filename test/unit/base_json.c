/* base_json.c: the reader of JSON. */
#include "base/json.h"

#include <cmocka.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

static struct arena arena;

static const struct json *read(const char *text)
{
    const char *why = NULL;
    const struct json *j = json_read(&arena, text, strlen(text), &why);
    assert_true((j == NULL) == (why != NULL));
    return j;
}

static void values_are_read(void **state)
{
    UNUSED(state);
    const struct json *j =
        read(" {\"a\": [1, -2.5e3, true, false, null, {}, []],\n\"b\" : \"x\\n\\u00e9\\ud83d\\ude00\\/\"} ");
    const struct json *a = json_member(j, "a"), *b = json_member(j, "b");
    static const enum json_kind kinds[] = {JSON_NUMBER, JSON_NUMBER, JSON_TRUE, JSON_FALSE,
                                           JSON_NULL,   JSON_OBJECT, JSON_ARRAY};
    assert_int_equal(j->count, 2);
    assert_int_equal(a->count, COUNT(kinds));
    const struct json *e = a->first;
    for (size_t i = 0; i < COUNT(kinds); i++, e = e->next)
        assert_int_equal(e->kind, kinds[i]);
    assert_string_equal(a->first->next->text, "-2.5e3");
    assert_string_equal(b->text, "x\n\xc3\xa9\xf0\x9f\x98\x80/");
    assert_int_equal(b->length, strlen(b->text));
    assert_null(json_member(j, "c"));
    assert_null(json_member(a, "a"));
    assert_null(json_member(NULL, "a"));
}

static void what_is_none_is_refused(void **state)
{
    static const char *const wrong[] = {
        "",
        " ",
        "{",
        "[1,]",
        "[1 2]",
        "{\"a\" 1}",
        "{a: 1}",
        "01",
        "1.",
        "-",
        "1e",
        "+1",
        "tru",
        "\"a",
        "\"\\x\"",
        "\"\\u12\"",
        "\"\\ud800\"",
        "\"\\udc00\"",
        "\"\\ud800\\u0041\"",
        "\"\n\"",
        "1 2",
        "{\"a\": 1,}",
        "\"\\",
        "[\"a]",
    };
    UNUSED(state);
    for (size_t i = 0; i < COUNT(wrong); i++)
        if (read(wrong[i]))
            fail_msg("taken: %s", wrong[i]);
    const char *why = NULL;
    assert_null(json_read(&arena, "1\0", 2, &why));
    assert_null(json_read(&arena, "[1,\n2,\n?]", 9, &why));
    assert_string_equal(why, "line 3 is no JSON");
}

static void nesting_is_limited(void **state)
{
    char text[2 * JSON_MAX_DEPTH + 3];
    UNUSED(state);
    for (int deep = JSON_MAX_DEPTH; deep <= JSON_MAX_DEPTH + 1; deep++) {
        memset(text, '[', (size_t)deep);
        memset(text + deep, ']', (size_t)deep);
        text[2 * deep] = 0;
        assert_int_equal(read(text) != NULL, deep == JSON_MAX_DEPTH);
    }
}

static void numbers_without_sign(void **state)
{
    static const struct {
        const char *text;
        uint64_t max;
        bool good;
        uint64_t value;
    } all[] = {
        {"0", 0, true, 0},
        {"255", 255, true, 255},
        {"256", 255, false, 0},
        {"-1", 9, false, 0},
        {"1.0", 9, false, 0},
        {"1e0", 9, false, 0},
        {"18446744073709551615", UINT64_MAX, true, UINT64_MAX},
        {"18446744073709551616", UINT64_MAX, false, 0},
        {"\"1\"", 9, false, 0},
    };
    UNUSED(state);
    for (size_t i = 0; i < COUNT(all); i++) {
        uint64_t value = 77;
        assert_int_equal(json_unsigned(read(all[i].text), all[i].max, &value), all[i].good);
        assert_int_equal(value, all[i].good ? all[i].value : 77);
    }
    uint64_t value;
    assert_false(json_unsigned(NULL, 1, &value));
}

static int tear_down(void **state)
{
    UNUSED(state);
    arena_free(&arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_read),
        cmocka_unit_test(what_is_none_is_refused),
        cmocka_unit_test(nesting_is_limited),
        cmocka_unit_test(numbers_without_sign),
    };
    return cmocka_run_group_tests_name("base_json", tests, NULL, tear_down);
}
