/* opt_analyses.c: the runner's cache of analyses: what is kept, what is forgotten, what is noticed. */
#include "opt/runner/internal.h"

#include <setjmp.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

/* A loop with a divergent branch, convergent operations and two objects. */
static const char module_text[] =
    "define void @first(%p: ptr.global, %q: ptr.global) convergent {\n"
    "entry:\n"
    "  %tok = token.entry\n"
    "  %a = alloca 8 align 4\n"
    "  %b = alloca 8 align 4\n"
    "  %lane = special lane\n"
    "  br head(0)\n"
    "head(%i: i32):\n"
    "  %heart = token.loop [%tok]\n"
    "  store i32 %a, %i\n"
    "  %x = load i32 %a\n"
    "  %y = ptradd ptr.private %a, 0\n"
    "  store i32 %y, %x\n"
    "  %c = slt %x, 5\n"
    "  brif %c, left, right\n"
    "left:\n"
    "  %s = reduce.add i32 %i [%heart]\n"
    "  %third = sdiv i32 %i, 3\n"
    "  store i32 %p, %s\n"
    "  br latch\n"
    "right:\n"
    "  store i32 %q, %lane\n"
    "  barrier [%heart]\n"
    "  call void @second()\n"
    "  br latch\n"
    "latch:\n"
    "  %next = add i32 %i, 1\n"
    "  %more = slt %next, 9\n"
    "  brif %more, head(%next), done\n"
    "done:\n"
    "  ret\n"
    "}\n"
    "define void @second() {\n"
    "entry:\n"
    "  ret\n"
    "}\n";

struct setting {
    struct arena       arena;
    struct ir_module  *m;
    struct ir_function *f;
    struct opt_cache   cache;
    struct opt_options options;
    struct opt_context c;
};

static void start(struct setting *x)
{
    struct diagnostics d;
    memset(x, 0, sizeof *x);
    struct source *s = source_new(&x->arena, "m.kir", module_text, sizeof module_text - 1);
    diag_init(&d, &x->arena, s);
    x->m = ir_parse(s, &d);
    assert_non_null(x->m);
    assert_true(ir_verify(x->m, &d));
    x->f = x->m->functions.at[0];
    opt_options_init(&x->options);
    x->options.check_analyses = true;
    x->c = (struct opt_context){.cache = &x->cache, .options = &x->options};
}

static void end(struct setting *x)
{
    opt_cache_free(&x->cache);
    ir_module_free(x->m);
    arena_free(&x->arena);
}

static const void *ask(struct setting *x, enum opt_analysis n, const struct ir_function *f)
{
    switch (n) {
#define ANALYSIS(name, type, of, compute) case OPT_ANALYSIS_##name: return opt_##name(&x->c, f);
#define MODULE_ANALYSIS(name, type, of, compute)                                                             \
    case OPT_ANALYSIS_##name: return opt_##name(&x->c, x->m);
#include "opt/runner/analyses.def"
    default: return NULL;
    }
}

/* ---- what is kept ------------------------------------------------------------------------------------ */

static void results_are_kept_by_function(void **state)
{
    struct setting x;
    unsigned of_module = 0;
    start(&x);
    for (unsigned n = 0; n < OPT_ANALYSES; n++) {
        const void *first = ask(&x, n, x.f), *second = ask(&x, n, x.m->functions.at[1]);
        if (first && first == second) /* without a profile there is none */
            of_module++;
        assert_ptr_equal(ask(&x, n, x.f), first);
        assert_ptr_equal(ask(&x, n, x.m->functions.at[1]), second);
    }
    assert_int_equal(of_module, 5);
    opt_invalidate(&x.c, x.f);
    assert_int_equal(opt_cfg(&x.c, x.m->functions.at[1])->blocks, 1);
    assert_int_equal(opt_cfg(&x.c, x.f)->blocks, 6);
    end(&x);
}

/* How many of the function's analyses there are, of control flow and of values. */
static void count_kept(const struct setting *x, unsigned *graph, unsigned *values)
{
    enum { GRAPH, VALUES };
    unsigned kept[2] = {0};
#define ANALYSIS(name, type, of, compute) kept[of] += opt_cache_has(&x->cache, x->f, OPT_ANALYSIS_##name);
#define MODULE_ANALYSIS(name, type, of, compute)
#include "opt/runner/analyses.def"
    *graph = kept[GRAPH];
    *values = kept[VALUES];
}

static void what_is_kept_is_a_graphs_or_all(void **state)
{
    struct setting x;
    unsigned graph, values, all_graph, all_values;
    start(&x);
    for (unsigned n = 0; n < OPT_ANALYSES; n++)
        ask(&x, n, x.f);
    count_kept(&x, &all_graph, &all_values);
    assert_true(all_graph > 4 && all_values > 6);
    opt_cache_keep(&x.cache, x.f, OPT_KEEP_ALL);
    count_kept(&x, &graph, &values);
    assert_true(graph == all_graph && values == all_values);
    opt_cache_keep(&x.cache, x.f, OPT_KEEP_GRAPH);
    count_kept(&x, &graph, &values);
    assert_true(graph == all_graph && values == 0);
    opt_cache_keep(&x.cache, x.f, OPT_KEEP_NOTHING);
    count_kept(&x, &graph, &values);
    assert_true(graph == 0 && values == 0);
    end(&x);
}

static void new_values_outdate_what_describes_values(void **state)
{
    struct setting x;
    unsigned graph, values;
    start(&x);
    opt_cycles(&x.c, x.f);
    opt_uses(&x.c, x.f);
    ir_const_i32(x.f, 12345);
    assert_true(opt_cache_has(&x.cache, x.f, OPT_ANALYSIS_uses)); /* of this pass still */
    opt_cache_keep(&x.cache, x.f, OPT_KEEP_ALL);
    count_kept(&x, &graph, &values);
    assert_true(graph == 2 && values == 0);
    end(&x);
}

/* ---- what is noticed --------------------------------------------------------------------------------- */

static ir_ref named(const struct ir_function *f, const char *name)
{
    for (ir_ref r = 1; r < f->ins.count; r++)
        if (ir_at(f, r)->name && strcmp(ir_at(f, r)->name, name) == 0)
            return r;
    fail_msg("there is no %%%s", name);
    return 0;
}

/* The right side leaves the loop. */
static void change_edge(struct ir_function *f)
{
    uint32_t head = ir_at(f, named(f, "heart"))->block, latch = ir_at(f, named(f, "next"))->block;
    uint32_t right = ir_block_at(f, head)->edges.at[1].block;
    ir_block_at(f, right)->edges.at[0].block = ir_block_at(f, latch)->edges.at[1].block;
}

/* Threads that came to the return stop. */
static void change_end(struct ir_function *f)
{
    uint32_t latch = ir_at(f, named(f, "next"))->block;
    ir_at(f, ir_terminator(f, ir_block_at(f, latch)->edges.at[1].block))->op = IR_trap;
}

static void change_order(struct ir_function *f)
{
    uint32_t last = vec_last(&f->order);
    vec_last(&f->order) = f->order.at[1];
    f->order.at[1] = last;
}

static void change_operand(struct ir_function *f)
{
    ir_at(f, named(f, "more"))->args[0] = named(f, "lane");
}

static void change_token(struct ir_function *f)
{
    ir_at(f, named(f, "s"))->token = named(f, "tok");
}

static void change_immediate(struct ir_function *f)
{
    ir_at(f, named(f, "lane"))->imm++;
}

static void change_argument(struct ir_function *f)
{
    uint32_t latch = ir_at(f, named(f, "next"))->block;
    ir_block_at(f, latch)->edges.at[0].args[0] = named(f, "lane");
}

static void change_kind(struct ir_function *f)
{
    f->flags |= IR_FN_KERNEL;
}

static void remove_one(struct ir_function *f)
{
    ir_ref barrier = 0;
    ir_each_block(i, b, f)
        ir_each_ins(r, f, b)
            if (ir_at(f, r)->op == IR_barrier)
                barrier = r;
    ir_remove(f, barrier);
}

/* The function calls itself. */
static void change_call(struct ir_function *f)
{
    ir_each_block(i, b, f)
        ir_each_ins(r, f, b)
            if (ir_at(f, r)->op == IR_call)
                ir_at(f, r)->imm = f->id;
}

/* What is said to have changed of the function, or (of_module) the module, after analysis n had been made. */
static const char *changed(void (*change)(struct ir_function *), enum opt_analysis n, bool of_module)
{
    struct setting x;
    start(&x);
    ask(&x, n, x.f);
    assert_null(opt_cache_changed(&x.cache, x.m, x.f));
    assert_null(opt_cache_changed(&x.cache, x.m, NULL));
    change(x.f);
    const char *what = opt_cache_changed(&x.cache, x.m, of_module ? NULL : x.f);
    end(&x);
    return what;
}

static void changes_of_control_flow_are_noticed(void **state)
{
    static void (*const changes[])(struct ir_function *) = {change_edge, change_end, change_order};
    for (unsigned i = 0; i < COUNT(changes); i++)
        assert_string_equal(changed(changes[i], OPT_ANALYSIS_cycles, false), "control flow");
}

static void changes_of_values_are_noticed(void **state)
{
    static void (*const changes[])(struct ir_function *) = {change_operand,  change_token, change_immediate,
                                                            change_argument, change_kind,  remove_one};
    for (unsigned i = 0; i < COUNT(changes); i++) {
        assert_string_equal(changed(changes[i], OPT_ANALYSIS_uses, false), "values");
        assert_null(changed(changes[i], OPT_ANALYSIS_cycles, false));
        assert_string_equal(changed(changes[i], OPT_ANALYSIS_addresses_taken, true), "values");
        assert_null(changed(changes[i], OPT_ANALYSIS_callees_first, true));
    }
    assert_string_equal(changed(change_call, OPT_ANALYSIS_callees_first, true), "who calls whom");
}

/* ---- what may be asked for --------------------------------------------------------------------------- */

/* What the call says on standard error before it aborts. */
static void dies(void (*call)(struct setting *), char *said, size_t size)
{
    struct setting x;
    int            ends[2], status;
    start(&x);
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        signal(SIGABRT, SIG_DFL);
        call(&x);
        _exit(0);
    }
    close(ends[1]);
    size_t length = 0;
    for (ssize_t n; (n = read(ends[0], said + length, size - 1 - length)) > 0;)
        length += (size_t)n;
    said[length] = 0;
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    end(&x);
}

static void ask_for_costs(struct setting *x)
{
    x->c.on_function = true;
    opt_cfg(&x->c, x->f);
    opt_costs(&x->c, x->m);
}

static void what_functions_ask_of_the_module_is_made_before(void **state)
{
    struct setting x;
    char said[256];
    start(&x);
    opt_cache_module(&x.c, x.m, OPT_ANALYSIS_costs);
    ask_for_costs(&x);
    end(&x);
    dies(ask_for_costs, said, sizeof said);
    assert_non_null(strstr(said, "it asks for costs of the module, and opt/passes.def does not say so"));
}

static void ask_within_a_graph(struct setting *x)
{
    x->cache.of_graph = true;
    opt_uses(&x->c, x->f);
}

static void a_graphs_analyses_ask_for_no_values(void **state)
{
    char said[256];
    dies(ask_within_a_graph, said, sizeof said);
    assert_non_null(strstr(said, "an analysis of control flow asks for uses"));
}

static void read_loops(struct opt_context *c, void *data)
{
    struct setting *x = data;
    assert_int_equal(opt_cycles(c, x->f)->count, 1);
    assert_ptr_equal(opt_cycles(c, x->f), opt_cycles(c, x->f));
    assert_true(opt_costs(c, x->m)->at[1] > 0 && opt_costs(c, x->m)->at[0] == 0); /* which nothing calls */
}

static void what_reads_a_module_gets_what_it_asks_for(void **state)
{
    struct setting x;
    start(&x);
    opt_read(&x.options, read_loops, &x);
    end(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_are_kept_by_function),
        cmocka_unit_test(what_is_kept_is_a_graphs_or_all),
        cmocka_unit_test(new_values_outdate_what_describes_values),
        cmocka_unit_test(changes_of_control_flow_are_noticed),
        cmocka_unit_test(changes_of_values_are_noticed),
        cmocka_unit_test(what_functions_ask_of_the_module_is_made_before),
        cmocka_unit_test(a_graphs_analyses_ask_for_no_values),
        cmocka_unit_test(what_reads_a_module_gets_what_it_asks_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
