/* opt_runner.c: what the pass runner shows: dumps, differences, filters, bisection, remarks, times, files. */
#include "ir/views/views.h"
#include "opt/opt.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

static const char module_text[] =
    "define i32 @first(%x: i32) {\n"
    "entry:\n"
    "  %a = alloca 4 align 4\n"
    "  store i32 %a, %x\n"
    "  %b = load i32 %a !3:7\n"
    "  %c = mul i32 %b, 1\n"
    "  ret %c\n"
    "}\n"
    "define i32 @second(%x: i32, %p: ptr.global) convergent {\n"
    "entry:\n"
    "  %tok = token.entry\n"
    "  %c = slt %x, 5\n"
    "  brif %c, then, done(%x)\n"
    "then:\n"
    "  %s = reduce.add i32 %x [%tok] !9:4\n"
    "  br done(%s)\n"
    "done(%y: i32):\n"
    "  ret %y\n"
    "}\n";

struct run {
    struct arena       arena;
    struct ir_module  *m;
    struct opt_options o;
    struct opt_report  r;
    struct diagnostics d;
    struct text        printed;
};

static void take(void *data, const char *text, size_t n)
{
    text_add(data, text, n);
}

static void start(struct run *x)
{
    memset(x, 0, sizeof *x);
    struct source *s = source_new(&x->arena, "m.kir", module_text, sizeof module_text - 1);
    diag_init(&x->d, &x->arena, s);
    x->m = ir_parse(s, &x->d);
    assert_non_null(x->m);
    opt_options_init(&x->o);
    opt_report_init(&x->r);
    x->o.print = take;
    x->o.data = &x->printed;
    x->o.verify_each = x->o.check_analyses = true;
    text_addz(&x->printed, "");
}

static bool go(struct run *x)
{
    return opt_run(x->m, &x->o, &x->r, &x->d);
}

static void end(struct run *x)
{
    ir_module_free(x->m);
    opt_report_free(&x->r);
    text_free(&x->printed);
    arena_free(&x->arena);
}

static bool shows(const struct run *x, const char *what)
{
    return strstr(x->printed.at, what) != NULL;
}

static unsigned count(const struct run *x, const char *what)
{
    unsigned n = 0;
    for (const char *at = x->printed.at; (at = strstr(at, what)); at += strlen(what))
        n++;
    return n;
}

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
    assert_non_null(strstr(marked.at,
                           "  brif %c, then, done(%x)                       ; divergent: <- %c\n"));
    assert_non_null(strstr(marked.at,
                           "done(%y: i32):                                  ; %y divergent: "));
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

static const char mark_text[] =
    "define kernel void @k(%p: ptr.global, %n: i32) {\n"
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

/* ---- pipelines --------------------------------------------------------------------------------------- */

static void unknown_pass_is_an_error(void **state)
{
    struct run x;
    start(&x);
    x.o.passes = "mem2reg,nonsense,gvn";
    assert_false(go(&x));
    assert_string_equal(x.d.all.at[0].id, "unknown-pass");
    assert_memory_equal(x.d.all.at[0].text, "there is no pass 'nonsense'; there are mem2reg, ", 48);
    end(&x);
}

static void every_pipeline_names_passes_of_its_level(void **state)
{
    for (unsigned level = 0; level <= OPT_LEVEL_DEFAULT; level++)
        for (const char *at = opt_pipeline(level); *at;) {
            size_t n = strcspn(at, ",");
            enum opt_pass p = opt_pass_find(at, n);
            assert_int_not_equal(p, OPT_PASSES);
            assert_true(opt_pass_info[p].level <= level);
            at += n + (at[n] == ',');
        }
}

static void switches_take_passes_out(void **state)
{
    struct run x;
    start(&x);
    assert_null(opt_options_set(&x.o, &x.arena, "no-mem2reg"));
    assert_null(opt_options_set(&x.o, &x.arena, "no-simplify-cfg"));
    x.o.passes = "mem2reg,gvn";
    assert_true(go(&x));
    assert_int_equal(x.r.times[OPT_PASS_mem2reg].runs, 0);
    assert_int_equal(x.r.times[OPT_PASS_gvn].runs, 2);
    end(&x);
}

static void bisection_stops_at_the_limit(void **state)
{
    struct run x;
    start(&x);
    x.o.passes = "mem2reg,gvn";
    x.o.bisect_limit = 1;
    assert_true(go(&x));
    assert_true(shows(&x, "BISECT: running pass (1) mem2reg on first\n"));
    assert_true(shows(&x, "BISECT: NOT running pass (2) mem2reg on second\n"));
    assert_true(shows(&x, "BISECT: NOT running pass (4) gvn on second\n"));
    assert_int_equal(x.r.times[OPT_PASS_gvn].runs, 0);
    end(&x);
}

/* What every run begins with and a scheme needs can be switched off by nothing, and is no step. */
static void required_passes_always_run(void **state)
{
    struct run x;
    start(&x);
    assert_non_null(opt_options_set(&x.o, &x.arena, "no-pdom"));
    x.o.passes = "pdom,gvn";
    x.o.lowering = "pdom";
    x.o.bisect_limit = 0;
    assert_true(go(&x));
    assert_int_equal(x.r.times[OPT_PASS_infer_tokens].runs, 2);
    assert_int_equal(x.r.times[OPT_PASS_gvn].runs, 0);
    assert_int_equal(x.r.times[OPT_PASS_pdom].runs, 2);
    assert_int_equal(x.r.steps, 4);
    end(&x);
}

static struct text module_after(long bisect_limit)
{
    struct run x;
    struct text t = {0};
    start(&x);
    x.o.level = 2;
    x.o.bisect_limit = bisect_limit;
    assert_true(go(&x));
    ir_print_module(x.m, &t);
    end(&x);
    return t;
}

static void passes_by_function_or_one_by_one_give_the_same(void **state)
{
    struct text by_function = module_after(-1), one_by_one = module_after(1000000);
    assert_string_equal(by_function.at, one_by_one.at);
    text_free(&by_function);
    text_free(&one_by_one);
}

static void each_function_goes_through_all_passes_first(void **state)
{
    struct run x;
    start(&x);
    x.o.passes = "mem2reg,gvn";
    x.o.print_after_all = true;
    assert_true(go(&x));
    const char *gvn = strstr(x.printed.at, "After gvn on first"),
               *second = strstr(x.printed.at, "After mem2reg on second");
    assert_true(gvn && second && gvn < second);
    end(&x);
}

/* ---- options of passes ------------------------------------------------------------------------------- */

static void options_take_values(void **state)
{
    struct run x;
    start(&x);
    assert_int_equal(x.o.values[OPT_OPTION_inline_size], 40);
    assert_null(opt_options_set(&x.o, &x.arena, "inline-size=0"));
    assert_null(opt_options_set(&x.o, &x.arena, "no-inline_called_once"));
    assert_null(opt_options_set(&x.o, &x.arena, "unroll_loops=whole"));
    assert_int_equal(x.o.values[OPT_OPTION_inline_size], 0);
    assert_int_equal(x.o.values[OPT_OPTION_inline_called_once], 0);
    assert_int_equal(x.o.values[OPT_OPTION_unroll_loops], OPT_unroll_loops_whole);
    assert_null(opt_options_set(&x.o, &x.arena, "inline-called-once"));
    assert_int_equal(x.o.values[OPT_OPTION_inline_called_once], 1);
    end(&x);
}

/* An option that is refused stays as it was. */
static void options_say_what_is_wrong(void **state)
{
    static const char *const wrong[][2] = {
        {"nonsense", "there is no pass or option 'nonsense' for -f; -fhelp lists them"},
        {"no-inlne",
         "there is no pass or option 'inlne' for -f; did you mean 'inline'? -fhelp lists them"},
        {"inline-sise=3",
         "there is no pass or option 'inline-sise' for -f; did you mean 'inline-size'? -fhelp lists them"},
        {"inline-size", "-finline-size wants a value: 0 to 4000"},
        {"no-unroll-loops", "-funroll-loops wants a value: whole, exact, counted"},
        {"inline-size=4001", "-finline-size wants a number from 0 to 4000, not '4001'"},
        {"inline-size=-1", "-finline-size wants a number from 0 to 4000, not '-1'"},
        {"inline-size=", "-finline-size wants a number from 0 to 4000, not ''"},
        {"inline-size=18446744073709551617", "-finline-size wants a number from 0 to 4000, not "
                                             "'18446744073709551617'"},
        {"unroll-loops=hole", "-funroll-loops wants one of whole, exact, counted, not 'hole'; did you mean "
                              "'whole'?"},
        {"inline-called-once=1", "-finline-called-once takes no value"},
        {"gvn=1", "-fgvn takes no value"},
        {"no-infer-tokens", "the pass 'infer-tokens' runs where it is required: nothing switches it"},
    };
    struct run x;
    start(&x);
    for (unsigned i = 0; i < COUNT(wrong); i++)
        assert_string_equal(opt_options_set(&x.o, &x.arena, wrong[i][0]), wrong[i][1]);
    for (unsigned k = 0; k < OPT_OPTIONS; k++)
        assert_int_equal(x.o.values[k], opt_option_info[k].value);
    end(&x);
}

static void rows_of_options_fit(void **state)
{
    for (unsigned k = 0; k < OPT_OPTIONS; k++) {
        const struct opt_option_info *o = &opt_option_info[k];
        assert_true(strlen(o->name) < OPT_NAME_MAX - 1);
        if (o->kind == OPT_CHOICE)
            assert_int_equal(opt_word_info[o->value].option, k);
        else
            assert_true(o->least <= o->value && o->value <= o->most && o->least < o->most);
        assert_true(o->kind != OPT_FLAG || opt_pass_find(o->name, strlen(o->name)) == OPT_PASSES);
    }
}

/* ---- what is collected ------------------------------------------------------------------------------- */

static void remarks_have_places(void **state)
{
    struct run x;
    struct text t = {0}, json = {0};
    const struct source source = {.name = "k.kern"};
    start(&x);
    x.o.passes = "ifconvert";
    x.o.remarks = true;
    assert_true(go(&x));
    opt_remarks_text(&x.r, &source, &t);
    assert_string_equal(t.at, "k.kern:9:4: remark: branch stays: 'reduce.add' must not be speculated "
                              "[ifconvert missed: convergent] in second\n");
    opt_remarks_json(&x.r, &source, &json);
    assert_non_null(strstr(json.at, "\"pass\": \"ifconvert\", \"kind\": \"missed\", \"id\": \"convergent\""));
    assert_non_null(strstr(json.at, "\"line\": 9, \"column\": 4}"));
    text_free(&t);
    text_free(&json);
    end(&x);
}

static void times_and_counters(void **state)
{
    struct run x;
    struct text t = {0}, stats = {0};
    start(&x);
    x.o.passes = "mem2reg";
    x.o.stats = true;
    assert_true(go(&x));
    opt_times_text(&x.r, &t);
    assert_non_null(strstr(t.at, "     2        1  mem2reg\n"));
    opt_stats_text(&x.r, &stats);
    assert_non_null(strstr(stats.at, "         1  mem2reg        loads replaced\n"));
    text_free(&t);
    text_free(&stats);
    end(&x);
}

/* ---- differences ------------------------------------------------------------------------------------- */

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
        cmocka_unit_test(print_after_names_pass_and_function),
        cmocka_unit_test(print_after_all_obeys_filters),
        cmocka_unit_test(print_before_shows_the_state_before),
        cmocka_unit_test(print_changed_hides_what_did_not_change),
        cmocka_unit_test(print_changed_diff_is_a_unified_diff),
        cmocka_unit_test(divergence_is_a_comment),
        cmocka_unit_test(divergence_of_wrong_ir_is_left_out),
        cmocka_unit_test(diff_shows_what_became_uniform),
        cmocka_unit_test(diffs_show_other_text_than_they_compare),
        cmocka_unit_test(dump_dir_holds_a_module_for_each_change),
        cmocka_unit_test(dump_dir_that_is_none_is_an_error),
        cmocka_unit_test(unknown_pass_is_an_error),
        cmocka_unit_test(every_pipeline_names_passes_of_its_level),
        cmocka_unit_test(switches_take_passes_out),
        cmocka_unit_test(bisection_stops_at_the_limit),
        cmocka_unit_test(required_passes_always_run),
        cmocka_unit_test(passes_by_function_or_one_by_one_give_the_same),
        cmocka_unit_test(each_function_goes_through_all_passes_first),
        cmocka_unit_test(options_take_values),
        cmocka_unit_test(options_say_what_is_wrong),
        cmocka_unit_test(rows_of_options_fit),
        cmocka_unit_test(remarks_have_places),
        cmocka_unit_test(times_and_counters),
        cmocka_unit_test(diffs_of_small_texts),
        cmocka_unit_test(diffs_of_random_texts_apply),
        cmocka_unit_test(large_diffs_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
