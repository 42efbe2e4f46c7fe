/* ir_reject.c: every message of the parser and every rule of the verifier has an example that it refuses.
 *
 * The first line of test/ir/reject/NAME.kir is "; EXPECT: id", the id of the first diagnostic. Rules that
 * text cannot break are in ir_verify.c, the parser's other limits in ir_text.c.
 */
#include "test/unit/ir_files.h"

#include "ir/text/lexer.h"
#include "ir/verify/verify.h"

struct seen {
    struct strings ids;
};

static void expected_id(const char *path, const struct text *t, char id[64])
{
    if (!t->at || sscanf(t->at, "; EXPECT: %63s", id) != 1)
        fail_msg("%s: no '; EXPECT: id' in the first line", path);
}

static void refuse(const char *path, void *data)
{
    struct seen *seen = data;
    struct text t = file_text(path);
    struct reading r;
    char id[64];
    expected_id(path, &t, id);
    reading_start(&r, path, t.at, t.length);
    if (r.module)
        assert_false(ir_verify(r.module, &r.diagnostics));
    if (strcmp(reading_first_id(&r), id) != 0)
        fail_msg("%s: wanted %s, got %s", path, id, reading_first_id(&r));
    intern_z(&seen->ids, id);
    reading_end(&r);
    text_free(&t);
}

static void need_example(struct seen *seen, const char *id)
{
    uint32_t before = seen->ids.count;
    intern_z(&seen->ids, id);
    if (seen->ids.count != before)
        fail_msg("test/ir/reject has no example of %s", id);
}

static void test_every_rule_has_an_example(void **state)
{
    struct arena a;
    arena_init(&a);
    struct seen seen = {.ids = {.arena = &a}};
    assert_true(each_file("test/ir/reject", refuse, &seen) > 0);
    uint32_t examples = seen.ids.count, known = 0;
    for (uint32_t i = 0; i < IR_MESSAGES; i++, known++)
        need_example(&seen, ir_message_info[i].name);
    for (uint32_t i = 0; i < IR_RULES; i++) {
        if (ir_rule_info[i].in_text)
            need_example(&seen, ir_rule_info[i].name);
        known += ir_rule_info[i].in_text;
    }
    assert_int_equal(examples, known);
    arena_free(&a);
}

/* One mistake does not hide the next: each line of this function has its own. */
static void test_several_errors(void **state)
{
    static const char text[] =
        "define void @f() {\nentry:\n  %x = frob i32 1\n  %y = add i33 1, 2\n  fence fence\n"
        "  %z = add i32 %q, $\n  br away\n}\ntext #0 = \"a\ntext #0 = \"b\"\nnonsense\n";
    static const uint32_t lines[] = {3, 4, 5, 6, 6, 7, 9, 11};
    struct reading r;
    reading_start(&r, "several", text, sizeof text - 1);
    assert_null(r.module);
    uint32_t found = 0;
    for (uint32_t i = 0; i < COUNT(lines); i++)
        for (uint32_t k = 0; k < r.diagnostics.all.count; k++)
            if (r.diagnostics.all.at[k].where.at.line == lines[i]) {
                found++;
                break;
            }
    assert_int_equal(found, COUNT(lines));
    reading_end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_rule_has_an_example),
        cmocka_unit_test(test_several_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
