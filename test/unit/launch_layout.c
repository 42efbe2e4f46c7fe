/* launch_layout.c: layouts as damaged files may hold them: what is none is refused, what is one lies within
 * its bytes. */
#include "launch/layout.h"

#include <cmocka.h>
#include <setjmp.h>
#include <stdarg.h>

static struct arena arena;

static const char *why(const char *text)
{
    struct layout l;
    const char *problem = layout_parse(&arena, text, &l);
    return problem ? problem : "";
}

static void only_layouts_are_read(void **state)
{
    UNUSED(state);
    assert_string_equal(why("{x:float@0,n:int[2][3]@4,in:{p:uchar4@0,q:pointer@4}8[3]@28}52"), "");
    assert_string_equal(why("{i:int@0,f:float@0,b:uchar[4]@0}4"), "");
    assert_non_null(strstr(why("float"), "unknown type"));
    assert_non_null(strstr(why("{x:half@0}4"), "unknown type"));
    assert_non_null(strstr(why("{x:float5@0}4"), "unknown type"));
    assert_non_null(strstr(why("{x:struct@0}4"), "unknown type"));
    assert_non_null(strstr(why("{x:pointer2@0}8"), "unknown type"));
    assert_non_null(strstr(why("{x:averyverylongword@0}4"), "unknown type"));
    assert_non_null(strstr(why("{}4"), "name:type@offset"));
    assert_non_null(strstr(why("{x:int}4"), "name:type@offset"));
    assert_non_null(strstr(why("{x:int[0]@0}4"), "name:type@offset"));
    assert_non_null(strstr(why("{x:int@0"), "its size"));
    assert_non_null(strstr(why("{x:int@0}"), "its size"));
    assert_non_null(strstr(why("{x:int@0}99999999999"), "its size"));
    assert_non_null(strstr(why("{x:int@0}4}"), "more"));
}

static void members_lie_inside(void **state)
{
    UNUSED(state);
    assert_non_null(strstr(why("{x:int@1}4"), "outside"));
    assert_non_null(strstr(why("{x:int@4294967295}4"), "outside"));
    assert_non_null(strstr(why("{x:int[2]@0}4"), "outside"));
    assert_non_null(strstr(why("{x:long[4294967295][4294967295]@0}4294967295"), "outside"));
    assert_non_null(strstr(why("{x:{y:char@0}1[5]@0}4"), "outside"));
}

static void nesting_ends(void **state)
{
    UNUSED(state);
    struct text t = {.arena = &arena};
    for (int i = 0; i < 100000; i++)
        text_addz(&t, "{x:");
    assert_non_null(strstr(why(t.at), "too long"));
    t.at[3 * (LAYOUT_MAX_DEPTH + 1)] = 0;
    assert_non_null(strstr(why(t.at), "too many structures"));
}

static void sizes_are_compared(void **state)
{
    UNUSED(state);
    assert_true(layout_is_good(NULL, 7));
    assert_true(layout_is_good("{x:int@0}4", 4));
    assert_false(layout_is_good("{x:int@0}4", 8));
    assert_false(layout_is_good("", 4));
}

static void parts_are_found(void **state)
{
    UNUSED(state);
    struct layout whole, part;
    assert_null(layout_parse(&arena, "{a:int@0,in:{v:short3[2]@2}16[2][2]@4}68", &whole));
    assert_null(layout_find(&arena, &whole, ".in[1][0].v[1].z", &part));
    assert_int_equal(part.offset, 4 + 2 * 16 + 2 + 6 + 4);
    assert_int_equal(part.bytes, 2);
    assert_non_null(layout_find(&arena, &whole, ".in[4294967296]", &part));
    assert_non_null(layout_find(&arena, &whole, "a", &part));
}

static int clean_up(void **state)
{
    UNUSED(state);
    arena_free(&arena);
    return 0;
}

static void assert_path(const struct layout *whole, uint32_t offset, const char *path)
{
    assert_string_equal(layout_path(&arena, whole, offset), path);
}

/* Members behind each other, in arrays and vectors; over each other; and a gap. */
static void offsets_have_paths(void **unused)
{
    struct layout whole;
    UNUSED(unused);
    assert_null(layout_parse(
        &arena, "{c:char@0,n:int[2][3]@4,in:{l:long@0,v:float3@8}24[2]@32,u:{i:int@0,l:long@0}8@80}88",
        &whole));
    assert_path(&whole, 0, ".c");
    assert_path(&whole, 1, "");
    assert_path(&whole, 4, ".n[0][0]");
    assert_path(&whole, 27, ".n[1][2]");
    assert_path(&whole, 32, ".in[0].l");
    assert_path(&whole, 32 + 24 + 8 + 8, ".in[1].v.z");
    assert_path(&whole, 32 + 24 + 21, ".in[1]");
    assert_path(&whole, 83, ".u.i");
    assert_path(&whole, 84, ".u.l");
    assert_path(&whole, 88, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_layouts_are_read), cmocka_unit_test(members_lie_inside),
        cmocka_unit_test(nesting_ends),          cmocka_unit_test(sizes_are_compared),
        cmocka_unit_test(parts_are_found),       cmocka_unit_test(offsets_have_paths),
    };
    return cmocka_run_group_tests(tests, NULL, clean_up);
}
