/* opt_pipelines.c: pipelines, switches, bisection, options of passes, remarks, times. */
#include "test/unit/opt_runner.h"

#include <signal.h>
#include <sys/wait.h>

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

/* The passes of lists, one behind the other. */
static uint32_t passes_of(const char *const lists[], uint32_t count, enum opt_pass all[], uint32_t most)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i++)
        for (const char *at = lists[i]; *at;) {
            size_t length = strcspn(at, ",");
            assert_true(n < most);
            if (length)
                all[n++] = opt_pass_find(at, length);
            at += length + (at[length] == ',');
        }
    return n;
}

static void every_pipeline_keeps_the_order(void **state)
{
    for (unsigned s = 0; s < SCHEMES; s++)
        for (unsigned level = 0; level <= OPT_LEVEL_DEFAULT; level++) {
            const char *target = scheme_target((enum scheme)s)->lowering;
            const char *const lists[] = {opt_entry, opt_pipeline(level), target, scheme_info[s].lowering};
            enum opt_pass all[200];
            uint32_t n = passes_of(lists, COUNT(lists), all, COUNT(all));
            for (unsigned i = 0; i < OPT_ORDERS; i++)
                if (!opt_keeps_order(all, n, &opt_orders[i]))
                    fail_msg("%s -O%u: %s stands before %s", scheme_info[s].name, level,
                             opt_pass_info[opt_orders[i].after].name,
                             opt_pass_info[opt_orders[i].before].name);
        }
}

/* There is an order of all passes that keeps all rows, no row is there twice, and all are asked of some
 * list. */
static void the_order_has_no_cycle(void **state)
{
    bool placed[OPT_PASSES] = {false}, found = true;
    uint32_t left = OPT_PASSES;
    while (found) {
        found = false;
        for (unsigned p = 0; p < OPT_PASSES; p++) {
            bool waits = placed[p];
            for (unsigned i = 0; i < OPT_ORDERS; i++)
                waits |= opt_orders[i].after == p && !placed[opt_orders[i].before];
            if (!waits)
                placed[p] = found = true, left--;
        }
    }
    assert_int_equal(left, 0);
    for (unsigned i = 0; i < OPT_ORDERS; i++)
        for (unsigned k = 0; k < i; k++)
            assert_false(opt_orders[i].before == opt_orders[k].before &&
                         opt_orders[i].after == opt_orders[k].after);
}

/* Each row says something: of its two passes alone it is kept in one order, and not in the other. */
static void each_row_of_the_order_is_asked(void **state)
{
    for (unsigned i = 0; i < OPT_ORDERS; i++) {
        const struct opt_order *o = &opt_orders[i];
        const enum opt_pass right[] = {o->before, o->after, o->before}, wrong[] = {o->after, o->before};
        assert_true(opt_keeps_order(right, 3, o));
        assert_false(opt_keeps_order(wrong, 2, o));
        assert_true(opt_keeps_order(wrong, 1, o) && opt_keeps_order(right, 1, o));
    }
}

/* A list of the user's runs as it is, and is warned of. */
static void a_list_in_the_wrong_order_is_warned_of(void **state)
{
    struct run x;
    start(&x);
    x.o.passes = "gvn,mem2reg";
    assert_true(go(&x));
    assert_int_equal(x.d.errors, 0);
    assert_int_equal(x.d.all.count, 1);
    assert_string_equal(x.d.all.at[0].id, "passes");
    assert_string_equal(x.d.all.at[0].text,
                        "the pass 'gvn' runs before 'mem2reg', and does more behind it: two "
                        "loads of a variable in memory are no equal expressions");
    assert_int_equal(x.r.times[OPT_PASS_gvn].runs, 2);
    end(&x);
    start(&x);
    x.o.passes = "mem2reg,gvn";
    assert_true(go(&x));
    assert_int_equal(x.d.all.count, 0);
    end(&x);
}

/* A pipeline of the compiler's own is not run in a wrong order. */
static void a_wrong_order_of_its_own_is_an_internal_error(void **state)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        struct run x;
        assert_non_null(freopen("/dev/null", "w", stderr));
        start(&x);
        x.o.lowering = "reconverge,unify_edges";
        go(&x);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
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
    assert_non_null(opt_options_set(&x.o, &x.arena, "no-reconverge"));
    x.o.passes = "reconverge,gvn";
    x.o.lowering = "reconverge";
    x.o.bisect_limit = 0;
    assert_true(go(&x));
    assert_int_equal(x.r.times[OPT_PASS_infer_tokens].runs, 2);
    assert_int_equal(x.r.times[OPT_PASS_gvn].runs, 0);
    assert_int_equal(x.r.times[OPT_PASS_reconverge].runs, 2);
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
        {"no-inlne", "there is no pass or option 'inlne' for -f; did you mean 'inline'? -fhelp lists them"},
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unknown_pass_is_an_error),
        cmocka_unit_test(every_pipeline_names_passes_of_its_level),
        cmocka_unit_test(every_pipeline_keeps_the_order),
        cmocka_unit_test(the_order_has_no_cycle),
        cmocka_unit_test(each_row_of_the_order_is_asked),
        cmocka_unit_test(a_list_in_the_wrong_order_is_warned_of),
        cmocka_unit_test(a_wrong_order_of_its_own_is_an_internal_error),
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
