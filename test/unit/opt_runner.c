/* opt_runner.c: the dumps that the pass runner makes, and their filters. */
#include "test/unit/opt_runner.h"

/* ---- dumps ------------------------------------------------------------------------------------------- */

static void print_after_names_pass_and_function(void **state)
{
    struct run x;
    start(&x);
    x.o.passes = "mem2reg,gvn";
    x.o.print_after = "gvn";
    assert_true(go(&x));
    assert_true(shows(&x, "; *** IR Dump After gvn on first ***\ndefine i32 @first("));
    assert_true(shows(&x, "; *** IR Dump After gvn on second ***\n"));
    assert_false(shows(&x, "After mem2reg"));
    end(&x);
}

static void print_after_all_obeys_filters(void **state)
{
    struct run x;
    start(&x);
    x.o.passes = "mem2reg,gvn,dce";
    x.o.print_after_all = true;
    x.o.filter_functions = "second";
    x.o.filter_passes = "gvn,dce";
    assert_true(go(&x));
    assert_int_equal(count(&x, "; *** IR Dump"), 2);
    assert_false(shows(&x, "@first"));
    end(&x);
}

static void print_before_shows_the_state_before(void **state)
{
    struct run x;
    start(&x);
    x.o.passes = "mem2reg";
    x.o.print_before = "mem2reg";
    assert_true(go(&x));
    assert_true(shows(&x, "; *** IR Dump Before mem2reg on first ***\n"));
    assert_true(shows(&x, "alloca"));
    end(&x);
}

static void print_changed_hides_what_did_not_change(void **state)
{
    struct run x;
    start(&x);
    x.o.passes = "mem2reg,gvn,dce";
    x.o.print_changed = OPT_CHANGED_ON;
    assert_true(go(&x));
    assert_int_equal(count(&x, "At Start"), 2);
    assert_int_equal(count(&x, "IR Dump After"), 2);
    assert_true(shows(&x, "After mem2reg on first"));
    assert_true(shows(&x, "After gvn on first"));
    end(&x);
}

static void print_changed_diff_is_a_unified_diff(void **state)
{
    struct run x;
    start(&x);
    x.o.passes = "mem2reg";
    x.o.print_changed = OPT_CHANGED_DIFF;
    assert_true(go(&x));
    assert_true(shows(&x, "After mem2reg on first ***\n@@ -1,8 +1,5 @@\n"));
    assert_true(shows(&x, "-  %a = alloca 4 align 4\n"));
    assert_true(shows(&x, "-  %c = mul i32 %b, 1\n+  %c = mul i32 %x, 1\n"));
    end(&x);
}

/* Comments are skipped when the text is read again. */
static void divergence_is_a_comment(void **state)
{
    struct run x;
    struct text marked = {0}, plain = {0}, again = {0};
    start(&x);
    ir_print_module_by(x.m, ir_print_divergence, &marked);
    ir_print_module(x.m, &plain);
    assert_non_null(
        strstr(marked.at, "  brif %c, then, done(%x)                       ; divergent: <- %c\n"));
    assert_non_null(strstr(marked.at, "done(%y: i32):                                  ; %y divergent: "));
    assert_non_null(strstr(marked.at, "; uniform\n"));
    struct ir_module *m = ir_parse(source_new(&x.arena, "m.kir", marked.at, marked.length), &x.d);
    assert_non_null(m);
    ir_print_module(m, &again);
    assert_string_equal(again.at, plain.at);
    ir_module_free(m);
    text_free(&marked);
    text_free(&plain);
    text_free(&again);
    end(&x);
}

/* What the passes break is printed without marks. */
static void divergence_of_wrong_ir_is_left_out(void **state)
{
    struct run x;
    struct text marked = {0}, plain = {0};
    start(&x);
    struct ir_function *f = x.m->functions.at[1];
    ir_block_at(f, ir_entry(f))->edges.at[1].argc = 0;
    ir_print_divergence(f, &marked);
    ir_print_function(f, &plain, NULL);
    assert_string_equal(marked.at, plain.at);
    text_free(&marked);
    text_free(&plain);
    end(&x);
}

static const char mark_text[] = "define kernel void @k(%p: ptr.global, %n: i32) {\n"
                                "entry:\n"
                                "  %i = special lane\n"
                                "  %a = xor i32 %i, %i\n"
                                "  %b = sub i32 %a, %n\n"
                                "  %c = mul i32 %b, %n\n"
                                "  %d = add i32 %c, %i\n"
                                "  store i32 %p, %d\n"
                                "  ret\n"
                                "}\n";

/* A line whose value became uniform is part of the difference; one that is divergent for another reason is
 * not. */
static void diff_shows_what_became_uniform(void **state)
{
    struct run x;
    start(&x);
    ir_module_free(x.m);
    x.m = ir_parse(source_new(&x.arena, "m.kir", mark_text, sizeof mark_text - 1), &x.d);
    assert_non_null(x.m);
    x.o.passes = "gvn";
    x.o.print_changed = OPT_CHANGED_DIFF;
    x.o.divergence = true;
    assert_true(go(&x));
    assert_true(shows(&x, "-  %c = mul i32 %b, %n                           ; divergent: <- %b\n"));
    assert_true(shows(&x, "+  %c = mul i32 %b, %n                           ; uniform\n"));
    assert_true(shows(&x, "   %d = add i32 %c, %i                           ; divergent: <- %i\n"));
    end(&x);
}

static void dump_dir_holds_a_module_for_each_change(void **state)
{
    struct run x;
    char folder[] = "/tmp/opt_runnerXXXXXX";
    assert_non_null(mkdtemp(folder));
    start(&x);
    x.o.passes = "mem2reg,sccp,gvn";
    x.o.dump_dir = folder;
    assert_true(go(&x));
    static const char *const wanted[] = {"000-input.kir", "002-mem2reg.kir", "004-gvn.kir"};
    for (unsigned i = 0; i < COUNT(wanted); i++) {
        struct text t = {0};
        char *path = arena_printf(&x.arena, "%s/%s", folder, wanted[i]);
        assert_null(file_read(path, 1 << 20, &t));
        assert_non_null(strstr(t.at, "define i32 @first("));
        text_free(&t);
        unlink(path);
    }
    assert_int_equal(rmdir(folder), 0);
    end(&x);
}

static void dump_dir_that_is_none_is_an_error(void **state)
{
    struct run x;
    start(&x);
    x.o.dump_dir = "/nonexistent/folder";
    assert_false(go(&x));
    assert_string_equal(x.d.all.at[0].id, "dump-dir");
    end(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(print_after_names_pass_and_function),
        cmocka_unit_test(print_after_all_obeys_filters),
        cmocka_unit_test(print_before_shows_the_state_before),
        cmocka_unit_test(print_changed_hides_what_did_not_change),
        cmocka_unit_test(print_changed_diff_is_a_unified_diff),
        cmocka_unit_test(divergence_is_a_comment),
        cmocka_unit_test(divergence_of_wrong_ir_is_left_out),
        cmocka_unit_test(diff_shows_what_became_uniform),
        cmocka_unit_test(dump_dir_holds_a_module_for_each_change),
        cmocka_unit_test(dump_dir_that_is_none_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
