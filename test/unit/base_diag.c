/* Diagnostics: what is collected, and the exact text shown. */
#include "base/diag.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct arena arena;
static struct diagnostics d;

static span at(uint32_t line, uint32_t column)
{
    return (span){.at = {line, column}};
}

static span range(uint32_t line, uint32_t column, uint32_t end_line, uint32_t end_column)
{
    return (span){{line, column}, {end_line, end_column}};
}

static void start(const char *text)
{
    diag_init(&d, &arena, source_new(&arena, "k.kc", text, strlen(text)));
}

static void expect(const char *wanted)
{
    struct text t = {0};
    text_add(&t, "", 0);
    diag_text(&d, &t, false);
    assert_string_equal(t.at, wanted);
    text_free(&t);
}

static void expect_json(const char *wanted)
{
    struct text t = {0};
    diag_json_text(&d, &t);
    assert_string_equal(t.at, wanted);
    text_free(&t);
}

static void lines_are_found(void **state)
{
    UNUSED(state);
    struct source *s = source_new(&arena, "a", "one\r\n\nthree\n", 12);
    uint32_t n;
    assert_int_equal(s->line_count, 4);
    assert_memory_equal(source_line(s, 1, &n), "one", 3);
    assert_int_equal(n, 3);
    source_line(s, 2, &n);
    assert_int_equal(n, 0);
    assert_memory_equal(source_line(s, 3, &n), "three", 5);
    assert_int_equal(n, 5);
    assert_string_equal(source_line(s, 4, &n), "");
    assert_string_equal(source_line(s, 5, &n), "");
    assert_string_equal(source_line(s, 0, &n), "");
}

static void lines_of_included_files(void **state)
{
    UNUSED(state);
    struct source *s = source_new(&arena, "a", "one\ntwo", 7);
    uint32_t n, line = 4;
    assert_int_equal(source_include(&arena, s, "b", "", 0)->before, 2);
    assert_int_equal(source_include(&arena, s, "c", "four\nfive\n", 10)->before, 3);
    assert_memory_equal(source_line(s, 4, &n), "four", 4);
    assert_int_equal(n, 4);
    assert_string_equal(source_line(s, 7, &n), "");
    assert_string_equal(source_of(s, &line)->name, "c");
    assert_int_equal(line, 1);
    line = 3;
    assert_string_equal(source_of(s, &line)->name, "b");
    line = 0;
    assert_ptr_equal(source_of(s, &line), s);
    line = 1;
    assert_true(source_whole_line(s, "c", &line) && line == 4);
    assert_true(source_whole_line(s, "a", &line) == false && line == 4); /* it has two lines */
    line = 2;
    assert_true(source_whole_line(s, "a", &line) && line == 2);
    assert_false(source_whole_line(s, "d", &line));
    assert_true(source_hash(s) != source_hash(source_new(&arena, "a", "one\ntwo", 7)));
}

static void names_of_files(void **state)
{
    UNUSED(state);
    struct source *s = source_new(&arena, "a\n2 x", "one\ntwo", 7);
    struct text t = {.arena = &arena};
    uint32_t line = 3;
    size_t n;
    source_include(&arena, s, "b c", "x\n", 2);
    source_include(&arena, s, "d", "", 0);
    source_names(s, &t);
    assert_string_equal(t.at, "a?2 x\n2 b c\n4 d");
    assert_memory_equal(source_names_find(t.at, &line, &n), "b c", 3);
    assert_true(n == 3 && line == 1);
    line = 2;
    assert_memory_equal(source_names_find(t.at, &line, &n), "a?2 x", 5);
    assert_true(n == 5 && line == 2);
    line = 9;
    assert_memory_equal(source_names_find("a\n3", &line, &n), "a", 1);
    assert_true(n == 1 && line == 9);
    assert_memory_equal(source_names_find("a\n99999999999999999999999 b", &line, &n), "a", 1);
    assert_int_equal(line, 9);
}

/* Lines of a preprocessor's output: 1 and 2 are a's own, 4 and 5 are lines 100 and 101 of x, 7 is line 3 of a;
 * behind them the file b, whose last line is line 9 of it. */
static void line_markers(void **state)
{
    UNUSED(state);
    static const struct {
        uint32_t whole, line;
        const char *file;
    } cases[] = {{1, 1, "a"}, {2, 2, "a"}, {4, 100, "x"}, {5, 101, "x"},
                 {7, 3, "a"}, {8, 1, "b"}, {10, 9, "b"}};
    struct source *s = source_new(&arena, "a", "1\n2\n#\n4\n5\n#\n7", 14);
    struct text t = {.arena = &arena};
    source_mark(&arena, s, 3, 100, "x");
    source_mark(&arena, s, 6, 3, "a");
    source_include(&arena, s, "b", "8\n#\n10", 6);
    source_mark(&arena, s, 9, 9, NULL);
    source_names(s, &t);
    assert_string_equal(t.at, "a\n3 =100 x\n6 =3 a\n7 b\n9 =9 b");
    for (size_t i = 0; i < COUNT(cases); i++) {
        uint32_t line = cases[i].whole;
        size_t n;
        assert_string_equal(source_of(s, &line)->name, cases[i].file);
        assert_int_equal(line, cases[i].line);
        assert_true(source_whole_line(s, cases[i].file, &line));
        assert_int_equal(line, cases[i].whole);
        assert_memory_equal(source_names_find(t.at, &line, &n), cases[i].file, 1);
        assert_int_equal(line, cases[i].line);
        assert_int_equal(n, 1);
    }
    uint32_t n, line = 102;
    assert_false(source_whole_line(s, "x", &line));
    assert_memory_equal(source_line(s, 5, &n), "5", 1);
}

static void caret_range_and_note(void **state)
{
    UNUSED(state);
    start("int x;\n\tint y = foo(x);\n");
    diag_add(&d, DIAG_ERROR, "undeclared", range(2, 10, 2, 13), "'%s' is not declared", "foo");
    diag_add(&d, DIAG_NOTE, "here", at(1, 5), "x is here");
    diag_add(&d, DIAG_WARNING, "unused", at(1, 5), "unused");
    expect("k.kc:2:10: error: 'foo' is not declared\n"
           "    2 | \tint y = foo(x);\n"
           "      | \t        ^~~\n"
           "k.kc:1:5: note: x is here\n"
           "    1 | int x;\n"
           "      |     ^\n"
           "k.kc:1:5: warning: unused [-Wunused]\n"
           "    1 | int x;\n"
           "      |     ^\n");
    assert_int_equal(d.errors, 1);
    assert_int_equal(d.warnings, 1);
    assert_int_equal(d.all.at[1].parent, 0);
}

static void places_without_text(void **state)
{
    UNUSED(state);
    start("a\n");
    diag_add(&d, DIAG_ERROR, "io", (span){0}, "nowhere");
    diag_add(&d, DIAG_ERROR, "io", at(2, 1), "at the end");
    diag_add(&d, DIAG_ERROR, "io", at(9, 9), "beyond");
    diag_add(&d, DIAG_ERROR, "io", at(1, 70), "beyond the line");
    expect("k.kc: error: nowhere\n"
           "k.kc:2:1: error: at the end\n    2 | \n      | ^\n"
           "k.kc:9:9: error: beyond\n"
           "k.kc:1:70: error: beyond the line\n    1 | a\n      |  ^\n");
    diag_init(&d, &arena, NULL);
    diag_add(&d, DIAG_ERROR, "io", at(1, 1), "no source");
    expect("kernc: error: no source\n");
}

static void ranges_over_lines_end_with_the_first(void **state)
{
    UNUSED(state);
    start("f(a,\n  b)\n");
    diag_add(&d, DIAG_ERROR, "x", range(1, 2, 2, 5), "call");
    expect("k.kc:1:2: error: call\n    1 | f(a,\n      |  ^~~\n");
}

static void fixits(void **state)
{
    UNUSED(state);
    start("int x\nint y;;\n");
    diag_add(&d, DIAG_ERROR, "semi", at(1, 5), "expected ';'");
    diag_fixit(&d, at(1, 6), ";");
    diag_add(&d, DIAG_WARNING, "extra", at(2, 1), "extra ';'");
    diag_fixit(&d, range(2, 6, 2, 8), "");
    diag_add(&d, DIAG_ERROR, "far", at(1, 1), "far");
    diag_fixit(&d, range(2, 5, 2, 6), "z");
    expect("k.kc:1:5: error: expected ';'\n    1 | int x\n      |     ^\n      |      ;\n"
           "k.kc:2:1: warning: extra ';' [-Wextra]\n    2 | int y;;\n      | ^\n      |      --\n"
           "k.kc:1:1: error: far\n    1 | int x\n      | ^\n    2 | int y;;\n      |     z\n");
}

static void hostile_bytes_are_shown(void **state)
{
    UNUSED(state);
    start("\033[31m\xc3\xa9\xff x = \xe2\x80\xae;\n");
    diag_add(&d, DIAG_ERROR, "x", range(1, 8, 1, 9), "bad \033]0;\xc3\xa4\n");
    diag_add(&d, DIAG_ERROR, "x", at(1, 10), "after");
    expect("k.kc:1:8: error: bad \\x1b]0;\xc3\xa4\\x0a\n"
           "    1 | \\x1b[31m\xc3\xa9\\xff x = \\xe2\\x80\\xae;\n"
           "      |          ^~~~\n"
           "k.kc:1:10: error: after\n"
           "    1 | \\x1b[31m\xc3\xa9\\xff x = \\xe2\\x80\\xae;\n"
           "      |               ^\n");
}

static void long_lines_are_windowed(void **state)
{
    UNUSED(state);
    char line[1001], row[121], blank[61];
    memset(line, 'a', 1000);
    memset(row, 'a', 120);
    memset(blank, ' ', 60);
    line[1000] = row[120] = blank[60] = 0;
    line[500] = '!';
    row[60] = '!';
    start(line);
    diag_add(&d, DIAG_ERROR, "x", range(1, 501, 1, 502), "mid");
    struct text wanted = {0};
    text_printf(&wanted, "k.kc:1:501: error: mid\n    1 | ...%s...\n      |    %s^\n", row, blank);
    expect(wanted.at);
    text_free(&wanted);
}

static void errors_stop_at_the_limit(void **state)
{
    UNUSED(state);
    start("a\n");
    d.error_limit = 2;
    for (int i = 0; i < 5; i++) {
        diag_add(&d, DIAG_ERROR, "x", (span){0}, "error %d", i);
        diag_add(&d, DIAG_NOTE, "x", (span){0}, "note %d", i);
    }
    expect("k.kc: error: error 0\nk.kc: note: note 0\nk.kc: error: error 1\nk.kc: note: note 1\n"
           "k.kc: error: too many errors, stopping\n");
    assert_int_equal(d.errors, 2);
    assert_true(d.stopped);
}

static void warnings_can_be_silenced_or_promoted(void **state)
{
    UNUSED(state);
    start("a\n");
    d.warnings_off = true;
    diag_add(&d, DIAG_WARNING, "w", (span){0}, "silent");
    diag_add(&d, DIAG_NOTE, "w", (span){0}, "as well");
    diag_fixit(&d, at(1, 1), "b");
    d.warnings_off = false;
    d.warnings_are_errors = true;
    diag_add(&d, DIAG_WARNING, "w", (span){0}, "loud");
    expect("k.kc: error: loud [-Werror=w]\n");
    assert_int_equal(d.errors, 1);
}

/* Off by default, off by -W, ignored on a line; a note goes with its warning. */
static void warnings_come_in_groups(void **state)
{
    start("int a;\nint b;\n");
    vec_push(&arena, &d.ignored, ((struct diag_ignore){2, "return"}));
    diag_warn(&d, DIAG_GROUP_unused, at(1, 5), "first");
    diag_add(&d, DIAG_NOTE, "note", at(1, 5), "note");
    assert_true(diag_set_groups(&d, "unused"));
    assert_true(diag_set_groups(&d, "no-sign"));
    assert_false(diag_set_groups(&d, "none"));
    assert_false(diag_set_groups(&d, "nonsense"));
    diag_warn(&d, DIAG_GROUP_unused, at(1, 5), "'%s'", "a");
    diag_warn(&d, DIAG_GROUP_return, at(2, 5), "second");
    diag_warn(&d, DIAG_GROUP_sign, at(2, 5), "third");
    expect("k.kc:1:5: warning: 'a' [-Wunused]\n    1 | int a;\n      |     ^\n");
    assert_true(diag_is_on(&d, DIAG_GROUP_return, 1) && !diag_is_on(&d, DIAG_GROUP_return, 2));
    assert_true(diag_set_groups(&d, "no-all"));
    assert_false(diag_is_on(&d, DIAG_GROUP_return, 0));
}

static void colour_on_request(void **state)
{
    UNUSED(state);
    start("a\n");
    diag_add(&d, DIAG_ERROR, "x", at(1, 1), "t");
    struct text t = {0};
    diag_text(&d, &t, true);
    assert_string_equal(t.at, "\033[1mk.kc:1:1: \033[1;31merror: \033[0m\033[1mt\033[0m\n    1 | a\n"
                              "      | \033[1;32m^\033[0m\n");
    text_free(&t);
}

static void json(void **state)
{
    UNUSED(state);
    start("abc\n");
    expect_json("[]\n");
    diag_add(&d, DIAG_ERROR, "x", range(1, 1, 1, 3), "a \"b\"\n\xff");
    diag_fixit(&d, at(1, 1), "q");
    diag_add(&d, DIAG_NOTE, "n", at(1, 3), "one");
    diag_add(&d, DIAG_NOTE, "n", (span){0}, "two");
    diag_add(&d, DIAG_REMARK, "r", at(1, 1), "three");
    expect_json("[{\"severity\":\"error\",\"id\":\"x\",\"file\":\"k.kc\",\"line\":1,\"column\":1,"
                "\"endLine\":1,\"endColumn\":3,\"message\":\"a \\\"b\\\"\\n\\ufffd\","
                "\"fix\":{\"line\":1,\"column\":1,\"endLine\":1,\"endColumn\":1,\"insert\":\"q\"},"
                "\"notes\":[{\"severity\":\"note\",\"id\":\"n\",\"file\":\"k.kc\",\"line\":1,\"column\":3,"
                "\"endLine\":1,\"endColumn\":4,\"message\":\"one\"},{\"severity\":\"note\","
                "\"id\":\"n\",\"file\":\"k.kc\",\"line\":0,\"column\":0,\"endLine\":0,\"endColumn\":0,"
                "\"message\":\"two\"}]},\n {\"severity\":\"remark\",\"id\":\"r\",\"file\":\"k.kc\","
                "\"line\":1,\"column\":1,\"endLine\":1,\"endColumn\":2,\"message\":\"three\","
                "\"notes\":[]}]\n");
}

static void expect_mended(const char *wanted, uint32_t count)
{
    struct text t = {.arena = &arena};
    u32_vec applied = {0};
    diag_apply_fixes(&d, &t, &applied);
    assert_string_equal(t.at, wanted);
    assert_int_equal(applied.count, count);
}

static void error_with_fix(span where, const char *insert)
{
    diag_add(&d, DIAG_ERROR, "x", where, "t");
    diag_fixit(&d, where, insert);
}

static void fixits_are_applied(void **state)
{
    UNUSED(state);
    start("f(g(1), 2);\n");
    expect_mended("f(g(1), 2);\n", 0);
    error_with_fix(range(1, 3, 1, 4), "h"); /* inside the next: has to wait */
    error_with_fix(range(1, 1, 1, 11), "g(1) / 2");
    error_with_fix(range(1, 11, 1, 12), " ;");
    expect_mended("g(1) / 2 ;\n", 2);

    start("a b\nc\n");
    error_with_fix(range(1, 1, 1, 3), "");
    error_with_fix(range(1, 1, 1, 3), "");  /* the same twice is one */
    error_with_fix(range(1, 3, 1, 3), "x"); /* before what is replaced */
    error_with_fix(range(1, 3, 1, 4), "y");
    error_with_fix(range(2, 1, 3, 1), "");
    expect_mended("xy\n", 5);

    start("a\r\nb\r\n");
    error_with_fix(range(1, 2, 1, 2), "\nc");
    error_with_fix(range(1, 2, 1, 2), "d"); /* which of two is to come first is not known */
    diag_add(&d, DIAG_NOTE, "n", at(2, 1), "notes do not count");
    diag_fixit(&d, range(2, 1, 2, 2), "q");
    expect_mended("a\r\nc\r\nb\r\n", 1);
}

static void edits_of_one_fixit(void **state)
{
    UNUSED(state);
    start("a b c\n");
    error_with_fix(range(1, 5, 1, 6), "C");
    error_with_fix(range(1, 1, 1, 2), "A");
    diag_fix_also(&d, range(1, 3, 1, 4), "B");
    expect_mended("A B C\n", 2);
    error_with_fix(range(1, 3, 1, 6), "x"); /* begins behind one edit of the others, so it waits */
    expect_mended("A B C\n", 2);
    expect_json(
        "[{\"severity\":\"error\",\"id\":\"x\",\"file\":\"k.kc\",\"line\":1,\"column\":5,\"endLine\":1,"
        "\"endColumn\":6,\"message\":\"t\",\"fix\":{\"line\":1,\"column\":5,\"endLine\":1,\"endColumn\":6,"
        "\"insert\":\"C\"},\"notes\":[]},\n "
        "{\"severity\":\"error\",\"id\":\"x\",\"file\":\"k.kc\",\"line\":1,"
        "\"column\":1,\"endLine\":1,\"endColumn\":2,\"message\":\"t\",\"fix\":{\"line\":1,\"column\":1,"
        "\"endLine\":1,\"endColumn\":2,\"insert\":\"A\",\"also\":[{\"line\":1,\"column\":3,\"endLine\":1,"
        "\"endColumn\":4,\"insert\":\"B\"}]},\"notes\":[]},\n {\"severity\":\"error\",\"id\":\"x\","
        "\"file\":\"k.kc\",\"line\":1,\"column\":3,\"endLine\":1,\"endColumn\":6,\"message\":\"t\",\"fix\":{"
        "\"line\":1,\"column\":3,\"endLine\":1,\"endColumn\":6,\"insert\":\"x\"},\"notes\":[]}]\n");

    /* One edit that has no place takes the whole fix-it with it; then the other may be made. */
    start("a b c\n");
    error_with_fix(range(1, 1, 1, 2), "A");
    diag_fix_also(&d, range(0, 0, 0, 0), "B");
    error_with_fix(range(1, 3, 1, 4), "x");
    expect_mended("a x c\n", 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_found),
        cmocka_unit_test(lines_of_included_files),
        cmocka_unit_test(names_of_files),
        cmocka_unit_test(line_markers),
        cmocka_unit_test(caret_range_and_note),
        cmocka_unit_test(places_without_text),
        cmocka_unit_test(ranges_over_lines_end_with_the_first),
        cmocka_unit_test(fixits),
        cmocka_unit_test(fixits_are_applied),
        cmocka_unit_test(edits_of_one_fixit),
        cmocka_unit_test(hostile_bytes_are_shown),
        cmocka_unit_test(long_lines_are_windowed),
        cmocka_unit_test(errors_stop_at_the_limit),
        cmocka_unit_test(warnings_can_be_silenced_or_promoted),
        cmocka_unit_test(warnings_come_in_groups),
        cmocka_unit_test(colour_on_request),
        cmocka_unit_test(json),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    arena_free(&arena);
    return failed;
}
