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
    opt_cache_init(&x->cache);
    opt_options_init(&x->options);
    x->c = (struct opt_context){.cache = &x->cache, .options = &x->options, .needs = OPT_ALL_ANALYSES};
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
#define ANALYSIS(name, type, what, needs, compute) case OPT_ANALYSIS_##name: return opt_##name(&x->c, f);
#define MODULE_ANALYSIS(name, type, what, needs, compute)                                                    \
    case OPT_ANALYSIS_##name: return opt_##name(&x->c, x->m);
#include "opt/runner/analyses.def"
    default: return NULL;
    }
}

/* ---- what is kept ------------------------------------------------------------------------------------ */

static void results_are_kept_by_function(void **state)
{
    struct setting x;
    start(&x);
    for (unsigned n = 0; n < OPT_ANALYSES; n++) {
        const void *first = ask(&x, n, x.f), *second = ask(&x, n, x.m->functions.at[1]);
        if (opt_analysis_of_module(n))
            assert_ptr_equal(first, second);
        else
            assert_ptr_not_equal(first, second);
        assert_ptr_equal(ask(&x, n, x.f), first);
        assert_ptr_equal(ask(&x, n, x.m->functions.at[1]), second);
    }
    opt_invalidate(&x.c, x.f);
    assert_int_equal(opt_cfg(&x.c, x.m->functions.at[1])->blocks, 1);
    assert_int_equal(opt_cfg(&x.c, x.f)->blocks, 6);
    end(&x);
}

static bool is_kept(const struct setting *x, const char *name)
{
    return opt_cache_has(&x->cache, x->f, opt_analyses_named(name));
}

static void what_is_made_of_a_forgotten_one_goes_too(void **state)
{
    struct setting x;
    start(&x);
    for (unsigned n = 0; n < OPT_ANALYSES; n++)
        ask(&x, n, x.f);
    opt_cache_keep(&x.cache, x.f, OPT_ALL_ANALYSES & ~opt_analyses_named("post_dominators"));
    assert_true(is_kept(&x, "cfg dominators reconvergence cycles pst tokens uniformity uses"));
    assert_false(is_kept(&x, "post_dominators"));
    assert_false(is_kept(&x, "control_dependence"));
    assert_false(is_kept(&x, "pdg"));
    end(&x);
}

static void new_values_outdate_what_describes_values(void **state)
{
    struct setting x;
    start(&x);
    for (unsigned n = 0; n < OPT_ANALYSES; n++)
        ask(&x, n, x.f);
    ir_const_i32(x.f, 12345);
    assert_ptr_not_equal(opt_uses(&x.c, x.f), NULL);       /* of this pass still */
    opt_cache_keep(&x.cache, x.f, OPT_ALL_ANALYSES);
    assert_true(is_kept(&x, "cfg dominators post_dominators cycles pst control_dependence"));
    static const char *const gone[] = {"leaving",            "reconvergence", "tokens",    "uniformity",
                                       "machine_uniformity", "uses",          "points_to", "pdg"};
    for (unsigned i = 0; i < COUNT(gone); i++)
        assert_false(is_kept(&x, gone[i]));
    end(&x);
}

/* Else what it keeps would be forgotten all the same. */
static void passes_keep_what_they_keep_is_made_of(void **state)
{
    struct opt_cache k;
    opt_cache_init(&k);
    for (unsigned p = 0; p < OPT_PASSES; p++) {
        uint32_t keeps = opt_analyses_named(opt_pass_info[p].keeps);
        for (unsigned n = 0; n < OPT_ANALYSES; n++)
            if (keeps >> n & 1)
                assert_int_equal(k.needs[n] & ~keeps, 0);
    }
    opt_cache_free(&k);
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
static void change_control_flow(struct ir_function *f)
{
    uint32_t head = ir_at(f, named(f, "heart"))->block, latch = ir_at(f, named(f, "next"))->block;
    uint32_t right = ir_block_at(f, head)->edges.at[1].block;
    ir_block_at(f, right)->edges.at[0].block = ir_block_at(f, latch)->edges.at[1].block;
}

/* Threads that return do not wait for others any more. */
static void change_kind(struct ir_function *f)
{
    f->flags |= IR_FN_KERNEL;
}

/* The right side leaves the loop, and values and a token are others. */
static void change_values(struct ir_function *f)
{
    change_control_flow(f);
    ir_at(f, named(f, "more"))->args[0] = named(f, "lane");
    ir_at(f, named(f, "next"))->args[1] = named(f, "lane");
    ir_at(f, named(f, "y"))->args[0] = named(f, "b");
    ir_at(f, named(f, "s"))->token = named(f, "tok");
}

/* A function that waits no more, that calls itself, and whose address is taken. */
static void change_calls(struct ir_function *f)
{
    ir_ref barrier = 0;
    ir_each_block(i, b, f)
        ir_each_ins(r, f, b) {
            if (ir_at(f, r)->op == IR_call)
                ir_at(f, r)->imm = f->id;
            if (ir_at(f, r)->op == IR_barrier)
                barrier = r;
        }
    ir_remove(f, barrier);
    ir_const(f, IR_TYPE_FUNCTION, f->id + 1);
}

/* The left side goes on to the right one, where a barrier is. */
static void lead_to_barrier(struct ir_function *f)
{
    uint32_t head = ir_at(f, named(f, "heart"))->block;
    const struct ir_block *b = ir_block_at(f, head);
    ir_block_at(f, b->edges.at[0].block)->edges.at[0].block = b->edges.at[1].block;
}

/* Nothing leads back, and the heart is not used. */
static void change_loop(struct ir_function *f)
{
    uint32_t latch = ir_at(f, named(f, "next"))->block;
    ir_block_at(f, latch)->edges.at[0].block = ir_block_at(f, latch)->edges.at[1].block;
    ir_each_block(i, b, f)
        ir_each_ins(r, f, b)
            if (ir_at(f, r)->token == named(f, "heart"))
                ir_at(f, r)->token = named(f, "tok");
}

/* The left side leads to the end of a kernel: who takes it leaves the others, who go on to the barrier. */
static void change_returns(struct ir_function *f)
{
    uint32_t head = ir_at(f, named(f, "heart"))->block, latch = ir_at(f, named(f, "next"))->block;
    uint32_t left = ir_block_at(f, head)->edges.at[0].block;
    ir_block_at(f, left)->edges.at[0].block = ir_block_at(f, latch)->edges.at[1].block;
    change_kind(f);
}

/* Each side comes to a barrier by an anchor of its own, and to nothing before it. */
static void join_barriers(struct ir_function *f)
{
    uint32_t head = ir_at(f, named(f, "heart"))->block;
    change_loop(f);
    ir_remove(f, named(f, "heart"));
    for (uint32_t e = 0; e < 2; e++) {
        uint32_t b = ir_block_at(f, head)->edges.at[e].block;
        struct ir_cursor c = {.fn = f, .block = b, .before = ir_block_at(f, b)->first};
        ir_ref token = ir_emit0(&c, IR_anchor, IR_TYPE_TOKEN);
        ir_at(f, ir_emit0(&c, IR_barrier, IR_TYPE_VOID))->token = token;
    }
}

/* Of an analysis that is asked for alone, with what it is made of: its name must come up if that is right. */
static void check_notices(enum opt_analysis n, const char *name, void (*change)(struct ir_function *))
{
    struct setting x, y;
    start(&x);
    start(&y);
    ask(&x, n, x.f);
    assert_null(opt_cache_check(&x.cache, &x.options, x.m, x.f));
    assert_null(opt_cache_check(&x.cache, &x.options, x.m, NULL));
    assert_true(opt_analysis_equal(n, ask(&x, n, x.f), ask(&y, n, y.f), x.f));
    opt_invalidate(&y.c, y.f);
    opt_invalidate(&y.c, NULL);
    change(y.f);
    if (opt_analysis_equal(n, ask(&x, n, x.f), ask(&y, n, y.f), x.f))
        fail_msg("%s does not notice", name);
    change(x.f);
    assert_true(opt_cache_check(&x.cache, &x.options, x.m, x.f) ||
                opt_cache_check(&x.cache, &x.options, x.m, NULL));
    end(&x);
    end(&y);
}

static void (*change_of(enum opt_analysis n))(struct ir_function *)
{
    switch (n) {
    case OPT_ANALYSIS_leaving: return change_kind;
    case OPT_ANALYSIS_stayed_in: return change_returns;
    case OPT_ANALYSIS_ending: return lead_to_barrier;
    case OPT_ANALYSIS_tokens_in_use: return change_loop;
    case OPT_ANALYSIS_joined_barriers: return join_barriers;
    default: return change_values;
    }
}

static void every_analysis_notices_a_change(void **state)
{
#define BLOCKS change_control_flow
#define VALUES change_of(n)
#define ANALYSIS(id, type, what, needs, compute)                                                             \
    {                                                                                                        \
        enum opt_analysis n = OPT_ANALYSIS_##id;                                                             \
        check_notices(n, #id, what);                                                                         \
    }
#define MODULE_ANALYSIS(id, type, what, needs, compute) check_notices(OPT_ANALYSIS_##id, #id, change_calls);
#include "opt/runner/analyses.def"
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

static void ask_for_cycles(struct setting *x)
{
    x->c.needs = opt_analyses_named("dominators");
    opt_dominators(&x->c, x->f);         /* made of cfg, which need not be named */
    opt_cycles(&x->c, x->f);
}

static void asking_for_what_is_not_named_is_a_bug(void **state)
{
    char said[256];
    dies(ask_for_cycles, said, sizeof said);
    assert_non_null(strstr(said, "it asks for cycles, which its row does not name"));
}

static void read_loops(struct opt_context *c, void *data)
{
    struct setting *x = data;
    assert_int_equal(opt_cycles(c, x->f)->count, 1);
    assert_ptr_equal(opt_cycles(c, x->f), opt_cycles(c, x->f));
    assert_true(opt_costs(c, x->m)->at[1] > 0 && opt_costs(c, x->m)->at[0] == 0); /* which nothing calls */
}

static void read_outside_of_passes(struct setting *x)
{
    opt_read(&x->options, "cycles", read_loops, x);
}

static void what_reads_a_module_gets_what_it_names(void **state)
{
    struct setting x;
    char said[256];
    start(&x);
    opt_read(&x.options, "cycles costs", read_loops, &x);
    end(&x);
    dies(read_outside_of_passes, said, sizeof said);
    assert_non_null(strstr(said, "it asks for costs, which its row does not name"));
}

static void name_none(struct setting *x)
{
    opt_analyses_named("cfg nonsense");
}

static void naming_what_there_is_not_is_a_bug(void **state)
{
    char said[256];
    dies(name_none, said, sizeof said);
    assert_non_null(strstr(said, "there is no analysis 'nonsense'"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_are_kept_by_function),
        cmocka_unit_test(what_is_made_of_a_forgotten_one_goes_too),
        cmocka_unit_test(new_values_outdate_what_describes_values),
        cmocka_unit_test(passes_keep_what_they_keep_is_made_of),
        cmocka_unit_test(every_analysis_notices_a_change),
        cmocka_unit_test(asking_for_what_is_not_named_is_a_bug),
        cmocka_unit_test(what_reads_a_module_gets_what_it_names),
        cmocka_unit_test(naming_what_there_is_not_is_a_bug),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
