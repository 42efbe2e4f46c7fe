/* launch_directives.c: the text of launch directives: what is read and written again, what else is taken, and
 * what is said of others, with the place. IR text, assembly and the command line read with these functions
 * alone.
 */
#include "launch/launch.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static struct arena arena;

static const char *written(const char *text)
{
    struct launch l;
    struct text out = {.arena = &arena};
    size_t n;
    const char *why = launch_read_directive(&arena, text, &n, &l);
    if (why)
        return arena_printf(&arena, "%zu: %s", n, why);
    launch_write_directive(&l, "@", &out);
    if (text[n])
        text_printf(&out, "|%s", text + n);
    return out.at;
}

static void what_is_written_reads_back(void **state)
{
    static const char *const texts[] = {
        "launch @k()",
        "launch @\"a kernel\"(n = 4, \"of it\" = -1.5) grid(2, 1, 1) block(32, 1, 1) shared(16, 8) !7",
        "launch @k(f = file \"a \\\"b\\\", c).bin\", d = buffer \"d\", r = round \"round * 2\", p = null)",
        "launch @k(x.a = {1, 2.5, -3}, s = list \"{{1, .n = {2}}, {3}}\") grid(\"8 - round, 2\")",
        "launch @k(a = zeros(1), b = iota(2), c = ramp(0, 1.5, 3), d = random(4, 1, -1, 1), "
        "e = normal(5, 2, 0.0, 1.0))",
        "launch @k(m = 18446744073709551615, l = -9223372036854775808) show(m) show(\"x.y\"[0..8] \".n[1]\" "
        "as hex)",
        "buffer d of int 4 (zeros(64)) !2",
        "buffer \"odd name\" of struct 12 \"{x:float2@0,n:uchar[2][2]@8}12\" (zeros(2))",
        "repeat 100 while \"odd name\" !6",
        "repeat while d",
        "end !9",
        "output show(d ) save(d = \"o.png\", 64, 32) !8",
    };
    for (size_t i = 0; i < COUNT(texts); i++) {
        const char *once = written(texts[i]);
        if (!strstr(texts[i], "d )"))
            assert_string_equal(once, texts[i]);
        assert_string_equal(written(once), once);
    }
}

/* Read, and as what. */
static const char *const taken[][2] = {
    {"launch k ( n=4 ) block( 8 ) grid(2)", "launch @k(n = 4) grid(2, 1, 1) block(8, 1, 1)"},
    {"launch @k(n = 4, ; a comment)\n  m = {1,\n 2}) grid(\n 4 - round)\nnext",
     "launch @k(n = 4, m = {1, 2}) grid(\"4 - round\")|\nnext"},
    {"launch @k(f = file(\"a,b.bin\"), g = @a.bin, r = 2 * (round + 1), n = (int)1.5)",
     "launch @k(f = file \"a,b.bin\", g = file \"a.bin\", r = round \"2 * (round + 1)\", n = 1)"},
    {"launch @k() show(a[3]) show(a.x.y as hex) show(a[0..2].n[1])",
     "launch @k() show(a[3..4]) show(a \".x.y\" as hex) show(a[0..2] \".n[1]\")"},
    {"launch @k() show(a, b[1])", "launch @k() show(a) show(b[1..2])"},
    {"launch @k() show(a) grid(2) save(b = \"c\") ; a comment",
     "launch @k() grid(2, 1, 1) show(a) save(b = \"c\")|; a comment"},
    {"end !3:7 more", "end !3|more"},
};

static void more_is_taken(void **state)
{
    for (size_t i = 0; i < COUNT(taken); i++) {
        const char *got = written(taken[i][0]), *bar = strchr(got, '|');
        /* blanks before what follows belong to neither */
        const char *plain =
            bar ? arena_printf(&arena, "%.*s|%s", (int)(bar - got), got, bar + 1 + strspn(bar + 1, " "))
                : got;
        assert_string_equal(plain, taken[i][1]);
    }
}

/* A text, and "offset: message". */
static const char *const refused[][2] = {
    {"launch", "6: the name of a kernel is missing"},
    {"launch k", "8: a launch is written launch kernel(name = value, …)"},
    {"launch k(4)", "10: '=' is wanted behind the name of an argument"},
    {"launch k(a = 4", "14: ',' or ')' is wanted behind an argument"},
    {"launch k(a = zeroes(4))", "13: wanted: a number, zeros, iota, ramp, random, normal, @file or {list}"},
    {"launch k(a = \"b)", "13: wanted: a number, zeros, iota, ramp, random, normal, @file or {list}"},
    {"launch k(a = file \"b)", "13: the text is not closed on its line"},
    {"launch k(a = file \"b\\q\")",
     "13: no such escape: there are \\n \\t \\\" \\\\ and \\x with two hexadecimal digits"},
    {"launch k() grid(0)", "16: a size is an integer, 1 or more"},
    {"launch k() grid(4294967296)", "16: a size is at most 4294967295"},
    {"launch k() grid(1, 2, 3, 4)", "16: there are at most three sizes"},
    {"launch k() grid 4", "16: sizes stand in parentheses"},
    {"launch k() show(a[4..4])", "22: the range is empty"},
    {"launch k() show(a as bits)", "21: behind 'as' stands hex"},
    {"launch k() save(a)", "17: a file's name in quotes is wanted behind name ="},
    {"launch k() save(a = b.png)", "20: a file's name in quotes is wanted behind name ="},
    {"buffer b of integer 4 (zeros(3))",
     "12: an element's type is wanted, as Kern calls it: int, float, struct"},
    {"buffer b of int 4 (5)", "19: this makes no buffer"},
    {"buffer b of int 4", "17: a buffer is written buffer name of int 4 (zeros(8))"},
    {"repeat 99999999999999999999", "7: the number is too large"},
    {"end !x", "5: a line is wanted"},
    {"ends", "0: launch, buffer, repeat, end or output is wanted"},
};

static void mistakes_have_their_places(void **state)
{
    for (size_t i = 0; i < COUNT(refused); i++)
        assert_string_equal(written(refused[i][0]), refused[i][1]);
}

static const char *shown(const char *text)
{
    struct launch_output o;
    const char *why = launch_parse_show(&arena, text, &o);
    return why ? why
               : arena_printf(&arena, "%s %d..%d %s%s", o.name, (int)o.first, (int)o.last,
                              o.path ? o.path : "-", o.hex ? " hex" : "");
}

static const char *saved(const char *text)
{
    struct launch_output o;
    const char *why = launch_parse_save(&arena, text, &o);
    return why ? why : arena_printf(&arena, "%s %s %u %u", o.name, o.file, o.width, o.height);
}

static void the_command_line_says_the_same(void **state)
{
    assert_string_equal(shown("a"), "a 0..0 -");
    assert_string_equal(shown("a[2].x as hex"), "a 2..3 .x hex");
    assert_string_equal(shown("\"a.b\"[1..4] \".n[1]\""), "a.b 1..4 .n[1]");
    assert_string_equal(shown("a[2]x"),
                        "behind a range stands nothing, a .member, an [index] or \" as hex\"");
    assert_string_equal(shown("[2]"), "the name of a buffer is missing");
    assert_string_equal(shown("a[x]"), "a range is written name[first..end]");
    assert_string_equal(saved("a=b.png"), "a b.png 0 0");
    assert_string_equal(saved("a=b:c.png:64x32"), "a b:c.png 64 32");
    assert_string_equal(saved("a=b:64x"), "a b:64x 0 0");
    assert_string_equal(saved("a=\"b c.png\", 64, 32"), "a b c.png 64 32");
    assert_string_equal(saved("a=b:0x3"), "a picture's sides are 1 or more");
    assert_string_equal(saved("=b"), "it is written name=file or name=file:WxH");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_reads_back),
        cmocka_unit_test(more_is_taken),
        cmocka_unit_test(mistakes_have_their_places),
        cmocka_unit_test(the_command_line_says_the_same),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    arena_free(&arena);
    return failed;
}
