/* Memory, containers, text and files, with rigged allocation failures. */
#include "base/base.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static struct arena arena;

static int tear_down(void **state)
{
    UNUSED(state);
    mem_fail_after(0);
    arena_free(&arena);
    return 0;
}

/* ---- memory -------------------------------------------------------------------------------------- */

static void arena_hands_out_zeroed_aligned_memory(void **state)
{
    UNUSED(state);
    char *previous = NULL;
    for (size_t n = 0; n < 20000; n = n * 5 / 4 + 1) {
        arena_alloc(&arena, n % 9); /* small ones lie between */
        char *p = arena_alloc(&arena, n);
        assert_int_equal((uintptr_t)p % (n > 8 ? 16 : 8), 0);
        assert_ptr_not_equal(p, previous);
        for (size_t i = 0; i < n; i++)
            assert_int_equal(p[i], 0);
        memset(p, 0xaa, n);
        previous = p;
    }
    assert_true(arena.total > 20000);
    arena_free(&arena);
    assert_int_equal(arena.total, 0);
    assert_string_equal(arena_printf(&arena, "%d %s", 42, "x"), "42 x");
    assert_string_equal(arena_strdup(&arena, "abcdef", 3), "abc");
    assert_string_equal(arena_strdup(&arena, NULL, 0), "");
}

static void check_zeroed_and_fill(size_t n)
{
    char *p = arena_alloc(&arena, n);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(p[i], 0);
    memset(p, 0xaa, n);
}

/* Rounds of every size, small and large by turns. */
static void arena_that_is_reset_hands_out_zeroed_memory(void **state)
{
    UNUSED(state);
    for (size_t round = 0; round < 200; round++) {
        size_t most = round % 7 ? round % 7 * 600 : 40000;
        for (size_t n = 0; n < most; n = n * 5 / 4 + 1)
            check_zeroed_and_fill(n);
        arena_reset(&arena);
        assert_true(arena.total <= 16384 + 64);
    }
    arena_alloc(&arena, 1);
    const struct arena_chunk *kept = arena.chunks;
    arena_reset(&arena);
    assert_ptr_equal(arena.chunks, kept);
}

static void scratch_memory_is_used_again_within_another(void **state)
{
    UNUSED(state);
    struct scratch outer, inner; /* 500 bytes share a chunk; a chunk of their own would not be kept */
    const char *first = NULL;
    scratch_begin(&outer);
    for (int round = 0; round < 3; round++) {
        char *p = arena_alloc(scratch_begin(&inner), 500);
        for (size_t i = 0; i < 500; i++)
            assert_int_equal(p[i], 0);
        memset(p, 0xaa, 500);
        assert_true(round == 0 || p == first);
        first = p;
        arena_alloc(&outer.arena, 100);
        scratch_end(&inner);
    }
    assert_non_null(outer.spare.chunks);
    scratch_end(&outer);
}

/* Runs `work` with the n-th allocation failing, for n = 1, 2, ... until none fails. */
static long failures_of(void (*work)(void))
{
    for (volatile long n = 1;; n++) {
        struct mem_guard guard;
        if (mem_guard_enter(&guard)) {
            arena_free(&arena);
            continue;
        }
        mem_fail_after(n);
        work();
        mem_fail_after(0);
        mem_guard_leave(&guard);
        arena_free(&arena);
        return n - 1;
    }
}

static void allocate_much(void)
{
    u32_vec v = {0};
    struct map m = {0};
    struct strings s = {.arena = &arena};
    for (uint32_t i = 0; i < 5000; i++) {
        vec_push(&arena, &v, i);
        map_set(&arena, &m, i, i);
        intern(&s, (const char *)&i, sizeof i);
    }
}

static void failures_unwind_to_the_guard(void **state)
{
    UNUSED(state);
    assert_true(failures_of(allocate_much) > 3);
}

static void guards_nest(void **state)
{
    UNUSED(state);
    struct mem_guard outer, inner;
    volatile int path = 0;
    if (mem_guard_enter(&outer)) {
        assert_int_equal(path, 1);
        mem_guard_leave(&outer); /* harmless */
        return;
    }
    if (mem_guard_enter(&inner)) {
        path = 1;
        mem_fail(1);
    }
    mem_fail(1);
}

static void absurd_sizes_fail(void **state)
{
    UNUSED(state);
    volatile int failed = 0;
    for (volatile int i = 0; i < 4; i++) {
        struct mem_guard guard;
        struct text t = {0};
        u32_vec v = {0};
        if (mem_guard_enter(&guard)) {
            failed++;
            continue;
        }
        switch (i) {
        case 0: arena_array(&arena, uint64_t, SIZE_MAX / 4); break;
        case 1: arena_alloc(&arena, SIZE_MAX - 8); break;
        case 2: text_add(&t, "", SIZE_MAX - 3); break;
        case 3: vec_reserve(&arena, &v, UINT32_MAX); break;
        }
        mem_guard_leave(&guard);
    }
    assert_int_equal(failed, 4);
}

/* ---- containers ---------------------------------------------------------------------------------- */

static void vectors_grow(void **state)
{
    UNUSED(state);
    u32_vec v = {0};
    for (uint32_t i = 0; i < 1000; i++)
        vec_push(&arena, &v, i * i);
    for (uint32_t i = 0; i < 1000; i++)
        assert_int_equal(v.at[i], i * i);
    assert_int_equal(vec_pop(&v), 999 * 999);
    assert_int_equal(vec_last(&v), 998 * 998);
    vec_resize(&arena, &v, 5000);
    assert_int_equal(v.count, 5000);
    assert_true(v.capacity >= 5000);
    assert_int_equal(v.at[998], 998 * 998);
    vec_clear(&v);
    assert_int_equal(v.count, 0);
}

static void bitsets_of_every_size(void **state)
{
    UNUSED(state);
    for (uint32_t bits = 0; bits < 200; bits += 7) {
        struct bitset threes = bitset_new(&arena, bits), evens = bitset_new(&arena, bits),
                      s = bitset_new(&arena, bits);
        for (uint32_t i = 0; i < bits; i += 3)
            bitset_add(threes, i);
        for (uint32_t i = 0; i < bits; i += 2)
            bitset_add(evens, i);
        bitset_copy(s, threes);
        assert_true(bitset_equal(s, threes));
        assert_false(bitset_union(s, threes));
        assert_int_equal(bitset_union(s, evens), bits > 2);
        assert_int_equal(bitset_subtract(s, evens), bits > 0);
        for (uint32_t i = 0; i < bits; i++)
            assert_int_equal(bitset_has(s, i), i % 3 == 0 && i % 2 != 0);
        bitset_copy(s, threes);
        assert_int_equal(bitset_intersect(s, evens), bits > 3);
        uint32_t next = 0;
        bitset_each(i, s) {
            assert_int_equal(i, next);
            next += 6;
        }
        assert_int_equal(bitset_count(s), (bits + 5) / 6);
        bitset_clear(s);
        assert_int_equal(bitset_next(s, 0), bits);
    }
}

static void maps_keep_every_key(void **state)
{
    UNUSED(state);
    struct map m = {0};
    assert_int_equal(map_get(&m, 0), MAP_NONE);
    for (uint32_t i = 0; i < 3000; i++)
        map_set(&arena, &m, (uint64_t)i << 40, i);
    for (uint32_t i = 0; i < 3000; i += 2)
        map_set(&arena, &m, (uint64_t)i << 40, i + 1);
    for (uint32_t i = 0; i < 3000; i++)
        assert_int_equal(map_get(&m, (uint64_t)i << 40), i % 2 ? i : i + 1);
    assert_int_equal(map_get(&m, 1), MAP_NONE);
    assert_int_equal(m.count, 3000);
}

static void equal_texts_are_one(void **state)
{
    UNUSED(state);
    struct strings s = {.arena = &arena};
    const char *first[500];
    char name[16];
    for (int i = 0; i < 500; i++) {
        snprintf(name, sizeof name, "name%d", i);
        first[i] = intern_z(&s, name);
        assert_string_equal(first[i], name);
    }
    for (int i = 0; i < 500; i++) {
        snprintf(name, sizeof name, "name%d", i);
        assert_ptr_equal(intern_z(&s, name), first[i]);
    }
    assert_ptr_equal(intern(&s, "name1xyz", 5), first[1]);
    assert_ptr_not_equal(intern(&s, "a\0b", 3), intern(&s, "a\0c", 3));
    assert_string_equal(intern(&s, "", 0), "");
    assert_true(hash_bytes("a", 1) != hash_bytes("a\0", 2));
}

/* ---- text ---------------------------------------------------------------------------------------- */

static void text_grows(void **state)
{
    UNUSED(state);
    struct text t = {0};
    text_addz(&t, "a");
    text_char(&t, 'b');
    text_add(&t, "cd", 2);
    text_printf(&t, "%0*d", 100, 7);
    assert_int_equal(t.length, 104);
    assert_int_equal(strlen(t.at), 104);
    assert_memory_equal(t.at, "abcd000", 7);
    text_free(&t);
    assert_null(t.at);
}

static void expect_shown(void (*show)(struct text *, const char *, size_t), const char *bytes, size_t n,
                         const char *wanted)
{
    struct text t = {0};
    show(&t, bytes, n);
    assert_string_equal(t.at, wanted);
    text_free(&t);
}
#define SHOWN(show, literal, wanted) expect_shown(show, literal, sizeof(literal) - 1, wanted)

static void unknown_bytes_are_made_safe(void **state)
{
    UNUSED(state);
    SHOWN(text_json, "a\"\\\n\t\r\x01\0z", "\"a\\\"\\\\\\n\\t\\r\\u0001\\u0000z\"");
    SHOWN(text_json, "\xc3\xa4\xff\xc3", "\"\xc3\xa4\\ufffd\\ufffd\"");
    SHOWN(text_visible, "a\tb\n\033[\r\x7f\0", "a\tb\n\\x1b[\\x0d\\x7f\\x00");
    SHOWN(text_visible_line, "a\tb\n", "a\\x09b\\x0a");
    SHOWN(text_visible, "\xe2\x82\xac\xf0\x9f\x98\x80", "\xe2\x82\xac\xf0\x9f\x98\x80");
    SHOWN(text_visible,
          "\xc0\x80\xed\xa0\x80\xf4\x90\x80\x80\xe2\x82", /* overlong, surrogate, too large, cut */
          "\\xc0\\x80\\xed\\xa0\\x80\\xf4\\x90\\x80\\x80\\xe2\\x82");
    SHOWN(text_visible, "\xc2\x9b\xe2\x80\xae",
          "\\xc2\\x9b\\xe2\\x80\\xae"); /* C1 control, right-to-left override */
}

/* ---- files --------------------------------------------------------------------------------------- */

static char folder[] = "/tmp/kernc-base-XXXXXX";

static const char *in_folder(const char *name)
{
    return arena_printf(&arena, "%s/%s", folder, name);
}

static void expect_content(const char *path, const char *wanted)
{
    struct text t = {0};
    assert_null(file_read(path, 1000, &t));
    assert_string_equal(t.at, wanted);
    text_free(&t);
}

static void files_are_replaced_whole(void **state)
{
    UNUSED(state);
    assert_non_null(mkdtemp(folder));
    const char *file = in_folder("file"), *link = in_folder("link");
    struct stat st;
    assert_null(file_write(file, "one", 3));
    expect_content(file, "one");
    assert_int_equal(chmod(file, 0600), 0);
    assert_int_equal(symlink("file", link), 0);
    assert_null(file_write(link, "second", 6));
    expect_content(file, "second");
    assert_int_equal(lstat(link, &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    assert_int_equal(stat(file, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    unlink(link);
    unlink(file);
    assert_int_equal(rmdir(folder), 0); /* nothing else was left behind */
}

static void file_problems_are_reported(void **state)
{
    UNUSED(state);
    struct text t = {0};
    assert_string_equal(file_read("/nonexistent/file", 10, &t), "No such file or directory");
    assert_string_equal(file_read("/tmp", 10, &t), "Is a directory");
    assert_string_equal(file_read("/dev/zero", 100000, &t), "the file is too large");
    assert_string_equal(file_write("/nonexistent/file", "", 0), "No such file or directory");
    assert_string_equal(file_write("/tmp", "", 0), "Is a directory");
    assert_null(file_write("/dev/null", "abc", 3));
    assert_string_equal(file_write("/dev/full", "abc", 3), "No space left on device");
    assert_null(file_read("/dev/null", 0, &t));
    assert_string_equal(t.at, "");
    text_free(&t);
}

static void lack_of_memory_is_handed_on(void **state)
{
    UNUSED(state);
    struct mem_guard guard;
    struct text t = {0};
    if (mem_guard_enter(&guard))
        return;
    mem_fail_after(1);
    file_read("/dev/null", 0, &t);
    fail();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(arena_hands_out_zeroed_aligned_memory, tear_down),
        cmocka_unit_test(scratch_memory_is_used_again_within_another),
        cmocka_unit_test_teardown(arena_that_is_reset_hands_out_zeroed_memory, tear_down),
        cmocka_unit_test_teardown(failures_unwind_to_the_guard, tear_down),
        cmocka_unit_test_teardown(guards_nest, tear_down),
        cmocka_unit_test_teardown(absurd_sizes_fail, tear_down),
        cmocka_unit_test_teardown(vectors_grow, tear_down),
        cmocka_unit_test_teardown(bitsets_of_every_size, tear_down),
        cmocka_unit_test_teardown(maps_keep_every_key, tear_down),
        cmocka_unit_test_teardown(equal_texts_are_one, tear_down),
        cmocka_unit_test_teardown(text_grows, tear_down),
        cmocka_unit_test_teardown(unknown_bytes_are_made_safe, tear_down),
        cmocka_unit_test_teardown(files_are_replaced_whole, tear_down),
        cmocka_unit_test_teardown(file_problems_are_reported, tear_down),
        cmocka_unit_test_teardown(lack_of_memory_is_handed_on, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
