/* base_diff.c: differences of texts, as unified diffs. */
#include "base/base.h"

#include <cmocka.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static struct diff_version version_of(const char *compared, const char *shown)
{
    struct diff_version v = {0};
    text_addz(&v.compared, compared);
    text_addz(&v.shown, shown);
    return v;
}

static void version_free(struct diff_version *v)
{
    text_free(&v->compared);
    text_free(&v->shown);
}

static void diff(const char *a, const char *b, struct text *out)
{
    struct diff_version before = version_of(a, ""), after = version_of(b, "");
    text_addz(out, "");
    text_diff(&before, &after, out);
    version_free(&before);
    version_free(&after);
}

static void check_diff(const char *a, const char *b, const char *wanted)
{
    struct text t = {0};
    diff(a, b, &t);
    assert_string_equal(t.at, wanted);
    text_free(&t);
}

/* Context is what is shown of the newer text. */
static void diffs_show_other_text_than_they_compare(void **state)
{
    struct diff_version before = version_of("a\nb\n", "A1\nB1\n"), after = version_of("a\nc\n", "A2\nC2\n");
    struct text t = {0};
    text_diff(&before, &after, &t);
    assert_string_equal(t.at, "@@ -1,2 +1,2 @@\n A2\n-B1\n+C2\n");
    text_free(&t);
    version_free(&before);
    version_free(&after);
}

static void diffs_of_small_texts(void **state)
{
    check_diff("", "", "");
    check_diff("a\nb\n", "a\nb\n", "");
    check_diff("", "a\n", "@@ -0,0 +1,1 @@\n+a\n");
    check_diff("a\n", "", "@@ -1,1 +0,0 @@\n-a\n");
    check_diff("a\nb\nc\n", "a\nx\nc\n", "@@ -1,3 +1,3 @@\n a\n-b\n+x\n c\n");
    check_diff("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\n5\n6\n7\n8\nx\n",
               "@@ -6,4 +6,4 @@\n 6\n 7\n 8\n-9\n+x\n");
}

static uint64_t seed = 1;

static uint32_t draw(uint32_t below)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 33) % below;
}

/* Applies a unified diff to lines of one letter each. */
static void apply(const char *a, const char *diff, char *out)
{
    unsigned line = 1;
    size_t n = 0;
    while (*diff) {
        unsigned from, length, other, other_length;
        if (sscanf(diff, "@@ -%u,%u +%u,%u @@", &from, &length, &other, &other_length) == 4) {
            for (unsigned stop = from + (length == 0); line < stop; line++) {
                out[n++] = a[(line - 1) * 2];
                out[n++] = '\n';
            }
        } else if (*diff == '-') {
            assert_int_equal(a[(line++ - 1) * 2], diff[1]);
        } else {
            line += *diff == ' ';
            out[n++] = diff[1];
            out[n++] = '\n';
        }
        diff = strchr(diff, '\n') + 1;
    }
    for (; (line - 1) * 2 < strlen(a); line++) {
        out[n++] = a[(line - 1) * 2];
        out[n++] = '\n';
    }
    out[n] = 0;
}

static void diffs_of_random_texts_apply(void **state)
{
    for (unsigned i = 0; i < 3000; i++) {
        char a[200], b[200], out[400];
        unsigned n = draw(40), m = draw(40), letters = 1 + draw(5);
        for (unsigned k = 0; k < n; k++)
            a[2 * k] = (char)('a' + draw(letters)), a[2 * k + 1] = '\n';
        for (unsigned k = 0; k < m; k++)
            b[2 * k] = (char)('a' + draw(letters)), b[2 * k + 1] = '\n';
        a[2 * n] = b[2 * m] = 0;
        struct text t = {0};
        diff(a, b, &t);
        apply(a, t.at, out);
        assert_string_equal(out, b);
        text_free(&t);
    }
}

/* Two texts with nothing in common cost more edits than the limit: shown as replaced, at once. */
static void large_diffs_end(void **state)
{
    struct text a = {0}, b = {0}, t = {0};
    for (unsigned i = 0; i < 20000; i++) {
        text_printf(&a, "a%u\n", i);
        text_printf(&b, "b%u\n", i);
    }
    diff(a.at, b.at, &t);
    assert_memory_equal(t.at, "@@ -1,20000 +1,20000 @@\n-a0\n", 28);
    text_free(&a);
    text_free(&b);
    text_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(diffs_show_other_text_than_they_compare),
        cmocka_unit_test(diffs_of_small_texts),
        cmocka_unit_test(diffs_of_random_texts_apply),
        cmocka_unit_test(large_diffs_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
