/* The random tester itself: determinism, coverage, compilation, the references on cases known by hand, the
 * reducer on planted faults.
 */
#include "fuzz/fuzz.h"
#include "fuzz/reference_e.h"
#include "include/kernc.h"
#include "ir/analysis/analysis.h"
#include "test/programs.h"

#include <cmocka.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

static struct arena arena;

static int tear_down(void **state)
{
    UNUSED(state);
    arena_free(&arena);
    return 0;
}

static char *text_of(const struct fz_program *p)
{
    struct text t = {0};
    fz_print(p, NULL, &t);
    char *copy = arena_strdup(&arena, t.at, t.length);
    text_free(&t);
    return copy;
}

/* ---- generators -------------------------------------------------------------------------------------- */

static void a_seed_gives_one_program(void **state)
{
    UNUSED(state);
    for (const char *letter = "abcdefghij"; *letter; letter++)
        for (uint64_t seed = 1; seed <= 30; seed++) {
            const struct fz_class *class = fz_class_find(*letter);
            char *first = text_of(fz_generate(class, seed, &arena));
            assert_string_equal(first, text_of(fz_generate(class, seed, &arena)));
            assert_string_not_equal(first, text_of(fz_generate(class, seed + 1, &arena)));
        }
    assert_null(fz_class_find('k'));
}

static void programs_compile(void **state)
{
    UNUSED(state);
    kernc_options o;
    kernc_options_init(&o);
    o.level = 0;
    o.no_warnings = true;
    o.ir_only = true;
    o.input = KERNC_INPUT_AUTO;
    for (const char *letter = "abcdefghij"; *letter; letter++)
        for (uint64_t seed = 1; seed <= test_programs(50); seed++) {
            char *source = text_of(fz_generate(fz_class_find(*letter), seed, &arena));
            kernc_result *r = kernc_compile("random.kern", source, strlen(source), &o);
            if (kernc_result_status(r) != KERNC_COMPILED)
                fail_msg("class %c, seed %u: %s", *letter, (unsigned)seed,
                         kernc_result_text(r, KERNC_TEXT_DIAGNOSTICS, NULL));
            kernc_result_free(r);
        }
}

static void every_construct_appears(void **state)
{
    UNUSED(state);
    uint32_t seen[FZ_NODES] = {0}, programs = test_programs(150);
    for (const char *letter = "abcdefghij"; *letter; letter++)
        for (uint64_t seed = 1; seed <= programs; seed++) {
            struct arena a = {0};
            struct fz_program *p = fz_generate(fz_class_find(*letter), seed, &a);
            for (uint32_t kind = 0; kind < FZ_NODES; kind++)
                seen[kind] += fz_count(p, (enum fz_kind)kind);
            arena_free(&a);
        }
    for (uint32_t kind = 0; kind < FZ_NODES; kind++)
        if (!seen[kind] && programs >= 500 && kind != FZ_NODE_PLANT) /* which fz_plant adds */
            fail_msg("no program has a %s", fz_node_info[kind].name);
}

/* ---- class e ----------------------------------------------------------------------------------------- */

enum feature {
    HEARTS,
    NESTED_HEARTS,
    EXTENDED,
    SEVERAL_LEFT,
    ANCHORS,
    IRREDUCIBLE,
    TWINS,
    CALLS,
    POINTERS,
    BARRIERS,
    EARLY_RETURNS,
    FEATURES
};
static const char *const feature_names[FEATURES] = {
    "heart",
    "heart by a heart",
    "operation behind its heart's cycle",
    "edge out of two cycles",
    "anchor",
    "irreducible cycle",
    "edge beside one to the same block",
    "call",
    "call through a pointer",
    "barrier",
    "early return",
};

static uint32_t features_of_edges(const struct ir_function *f, const struct ir_cycles *c, uint32_t b)
{
    const struct ir_block *block = ir_block_at(f, b);
    uint32_t found = 0, inner = c->innermost[b];
    for (uint32_t e = 0; e < block->edges.count; e++) {
        uint32_t to = block->edges.at[e].block;
        bool leaves = inner != IR_NO_CYCLE && !ir_cycle_has(c, inner, to);
        uint32_t outer = leaves ? c->at[inner].parent : IR_NO_CYCLE;
        bool leaves_two = outer != IR_NO_CYCLE && !ir_cycle_has(c, outer, to);
        found |= (uint32_t)leaves_two << SEVERAL_LEFT;
        found |= (uint32_t)(e && block->edges.at[e - 1].block == to) << TWINS;
    }
    return found;
}

static uint32_t features_of_ins(const struct ir_function *f, const struct ir_cycles *c, ir_ref r)
{
    const struct ir_ins *ins = ir_at(f, r), *token = ir_at(f, ins->token);
    bool by_heart = ins->token && token->op == IR_loop;
    uint32_t cycle = by_heart ? c->innermost[token->block] : IR_NO_CYCLE;
    switch (ins->op) {
    case IR_loop: return 1u << HEARTS | (uint32_t)by_heart << NESTED_HEARTS;
    case IR_anchor: return 1u << ANCHORS;
    case IR_barrier: return 1u << BARRIERS;
    case IR_call: return 1u << CALLS;
    case IR_icall: return 1u << POINTERS;
    case IR_ret: return (uint32_t)(ins->block != f->order.at[f->order.count - 1]) << EARLY_RETURNS;
    default: return (uint32_t)(cycle != IR_NO_CYCLE && !ir_cycle_has(c, cycle, ins->block)) << EXTENDED;
    }
}

static uint32_t features_of(const struct ir_function *f)
{
    struct arena a = {0};
    const struct ir_cycles *c = ir_cycles_new(&a, ir_cfg_new(&a, f));
    uint32_t found = 0;
    for (uint32_t i = 0; i < c->count; i++)
        found |= (uint32_t)(c->at[i].entries.count > 1) << IRREDUCIBLE;
    ir_each_block(i, b, f) {
        found |= features_of_edges(f, c, b);
        ir_each_ins(r, f, b)
            found |= features_of_ins(f, c, r);
    }
    arena_free(&a);
    return found;
}

/* Each in 2 of 100 kernels at least, where there are enough of them to say so. */
static void graphs_with_tokens_vary(void **state)
{
    UNUSED(state);
    uint32_t count[FEATURES] = {0}, programs = test_programs(150);
    for (uint64_t seed = 1; seed <= programs; seed++) {
        struct ir_module *m = fz_parse_module(fz_generate(&fz_class_e, seed, &arena));
        uint32_t found = features_of(m->functions.at[m->kernels.at[0].function]);
        for (uint32_t i = 0; i < FEATURES; i++)
            count[i] += found >> i & 1;
        ir_module_free(m);
    }
    for (uint32_t i = 0; i < FEATURES; i++) {
        print_message("%3u %% have: %s\n", count[i] * 100 / programs, feature_names[i]);
        assert_true(programs < 500 || count[i] >= programs / 50);
    }
}

/* What the implementation chooses is not seen. */
static void anchors_are_not_seen(void **state)
{
    UNUSED(state);
    for (uint64_t seed = 1; seed <= test_programs(100); seed++) {
        struct fz_program *p = fz_generate(&fz_class_e, seed, &arena);
        void *log = arena_alloc_array(&arena, 8, fz_elements(p, &p->buffers.at[0]));
        for (uint32_t width = 1; width <= 64; width *= 8)
            if (!fz_class_e.expect(p, width, &log))
                fail_msg("seed %u, width %u: the log depends on anchors\n%s", (unsigned)seed, width,
                         p->module);
    }
}

static void check_arms(const struct ir_function *f, uint64_t seed)
{
    struct arena a = {0};
    const struct ir_cfg *c = ir_cfg_new(&a, f);
    ir_each_block(i, b, f) {
        const struct ir_block *block = ir_block_at(f, b);
        ir_ref condition = ir_at(f, block->last)->op == IR_brif ? ir_at(f, block->last)->args[0] : 0;
        if (!condition || ir_at(f, condition)->op != IR_ne)
            continue;
        const struct ir_ins *bit = ir_at(f, ir_at(f, condition)->args[0]);
        const struct ir_ins *leader = bit->op == IR_and ? ir_at(f, bit->args[0]) : bit;
        if (leader->op != IR_broadcast_first || ir_at(f, leader->token)->op != IR_anchor)
            continue;
        for (uint32_t e = 0; e < 2; e++)
            if (ir_pred_count(c, block->edges.at[e].block) != 1)
                fail_msg("seed %u: an arm that an anchor chooses is entered from elsewhere", (unsigned)seed);
    }
    arena_free(&a);
}

/* A branch on what an anchor gave has two arms that nobody else enters: they would be told apart. */
static void arms_of_diamonds_are_entered_by_one_branch(void **state)
{
    UNUSED(state);
    for (uint64_t seed = 1; seed <= test_programs(100); seed++) {
        struct arena a = {0};
        struct ir_module *m = fz_parse_module(fz_generate(&fz_class_e, seed, &a));
        for (uint32_t i = 0; i < m->functions.count; i++)
            check_arms(m->functions.at[i], seed);
        ir_module_free(m);
        arena_free(&a);
    }
}

/* ---- plans and trials -------------------------------------------------------------------------------- */

static void plans_draw_distinct_setups(void **state)
{
    UNUSED(state);
    struct fz_options o;
    fz_setup_vec plan = {0}, all = {0};
    fz_options_init(&o);
    struct fz_program *p = fz_generate(&fz_class_a, 3, &arena);
    o.setups = 5;
    fz_plan(&o, p, &arena, &plan);
    assert_int_equal(plan.count, 6); /* and the reference setup */
    for (uint32_t i = 1; i < plan.count; i++)
        for (uint32_t j = i + 1; j < plan.count; j++)
            assert_false(plan.at[i].scheme == plan.at[j].scheme && plan.at[i].level == plan.at[j].level &&
                         plan.at[i].width == plan.at[j].width);
    o.setups = 0;
    fz_plan(&o, p, &arena, &all);
    assert_int_equal(all.count, 1 + o.schemes.count * o.levels.count * o.widths.count);
}

static void plans_draw_passes(void **state)
{
    UNUSED(state);
    struct fz_options o;
    uint32_t lists = 0, switched = 0, told = 0, shares = 0, checks = 0, plain = 0;
    fz_options_init(&o);
    for (uint64_t seed = 1; seed <= 200; seed++) {
        fz_setup_vec plan = {0};
        fz_plan(&o, fz_generate(&fz_class_c, seed, &arena), &arena, &plan);
        assert_false(fz_passes_given(&plan.at[0].passes));
        for (uint32_t i = 1; i < plan.count; i++) {
            const struct fz_passes *passes = &plan.at[i].passes;
            assert_false(passes->count && passes->off);
            lists += passes->count != 0;
            switched += passes->off != 0;
            told += passes->values[OPT_OPTION_inline_size] != 0;
            shares += passes->values[OPT_OPTION_share_gain] == 1; /* 0 */
            struct fz_passes unchecked = *passes;
            if (passes->check)
                assert_string_equal(passes->check, scheme_check(plan.at[i].scheme));
            checks += passes->check && strcmp(passes->check, "frontier") == 0;
            unchecked.check = NULL;
            plain += !fz_passes_given(&unchecked);
        }
    }
    assert_true(lists > 300 && switched > 200 && told > 50 && shares > 30 && plain > 800);
    assert_true(checks > 100);
    o.schemes.count = o.levels.count = o.widths.count = 1; /* a setup asked for is tried as it is */
    for (uint64_t seed = 1; seed <= 50; seed++) {
        fz_setup_vec plan = {0};
        fz_plan(&o, fz_generate(&fz_class_c, seed, &arena), &arena, &plan);
        assert_int_equal(plan.count, 2);
        assert_false(fz_passes_given(&plan.at[1].passes));
    }
}

static void an_internal_error_is_a_failure_of_its_own(void **state)
{
    UNUSED(state);
    struct fz_options o;
    fz_setup_vec plan = {0};
    struct fz_program *p = fz_generate(&fz_class_c, 1, &arena);
    fz_options_init(&o);
    fz_plan(&o, p, &arena, &plan);
    while (p->buffers.count < 9) /* one more than fz_try can take */
        vec_push(&arena, &p->buffers, p->buffers.at[0]);
    struct fz_verdict v = fz_try_in_child(&o, p, &plan), other = v;
    assert_int_equal(v.outcome, FZ_BUG);
    assert_ptr_equal(strstr(v.text, "fuzz/trial.c:"), v.text);
    assert_non_null(strstr(v.text, "invariant broken: p->buffers.count"));
    snprintf(other.text, sizeof other.text,
             "opt/scalar/gvn.c:12 in gvn on k: invariant broken: p->buffers.count");
    assert_false(fz_same_kind(&v, &other));
}

static bool has_gvn_behind_licm(const struct fz_passes *p, void *data)
{
    uint32_t i = 0;
    ++*(uint32_t *)data;
    while (i < p->count && p->at[i] != OPT_PASS_licm)
        i++;
    while (i < p->count && p->at[i] != OPT_PASS_gvn)
        i++;
    return i < p->count;
}

static bool has_no_sink(const struct fz_passes *p, void *data)
{
    ++*(uint32_t *)data;
    return p->off >> OPT_PASS_sink & 1;
}

static void passes_are_reduced_and_written(void **state)
{
    UNUSED(state);
    struct fz_passes p = {0}, again = {0};
    uint32_t asked = 0;
    assert_true(fz_passes_parse(&p, "gvn,mem2reg,licm,sccp,licm,gvn,reconverge"));
    assert_string_equal(fz_passes_text(&arena, &p), " --passes=gvn,mem2reg,licm,sccp,licm,gvn,reconverge");
    uint32_t tries = fz_passes_reduce(&p, has_gvn_behind_licm, &asked);
    assert_int_equal(tries, asked);
    assert_string_equal(fz_passes_list(&arena, &p), "licm,gvn");
    p = (struct fz_passes){.off = (uint64_t)1 << OPT_PASS_gvn | (uint64_t)1 << OPT_PASS_sink};
    assert_string_equal(fz_passes_text(&arena, &p), " -fno-gvn -fno-sink");
    fz_passes_reduce(&p, has_no_sink, &asked);
    assert_string_equal(fz_passes_text(&arena, &p), " -fno-sink");
    p.values[OPT_OPTION_unroll_loops] = OPT_unroll_loops_exact + 1;
    p.values[OPT_OPTION_inline_size] = 1;
    p.values[OPT_OPTION_inline_called_once] = 1;
    assert_string_equal(fz_passes_text(&arena, &p),
                        " -fno-sink -finline-size=0 -fno-inline-called-once -funroll-loops=exact");
    fz_passes_reduce(&p, has_no_sink, &asked);
    assert_string_equal(fz_passes_text(&arena, &p), " -fno-sink");
    assert_false(fz_passes_equal(&p, &again));
    assert_false(fz_passes_parse(&again, ""));
    assert_false(fz_passes_parse(&again, "gvn,none"));
    assert_true(fz_passes_parse(&again, "gvn,gvn,gvn,gvn,gvn,gvn,gvn,gvn,gvn,gvn,gvn,gvn,gvn,gvn,gvn,gvn"));
    assert_false(fz_passes_parse(&again, "gvn,gvn,gvn,gvn,gvn,gvn,gvn,gvn,gvn,gvn,gvn,gvn,gvn,gvn,gvn,gvn,"
                                         "gvn"));
}

/* ---- the reducer ------------------------------------------------------------------------------------- */

static bool has_ballot_in_switch_in_loop(const struct fz_node *n, uint32_t inside)
{
    inside |= n->kind == FZ_NODE_LOOP ? 1 : n->kind == FZ_NODE_SWITCH ? (inside & 1) << 1 : 0;
    if (n->kind == FZ_NODE_LOG)
        return inside & 2;
    for (const struct fz_node *child = n->first; child; child = child->next)
        if (has_ballot_in_switch_in_loop(child, inside))
            return true;
    return false;
}

static bool planted(const struct fz_program *p, void *data)
{
    ++*(uint32_t *)data;
    return has_ballot_in_switch_in_loop(fz_kernel(p)->body, 0);
}

static bool has_barrier_in_endless_loop(const struct fz_node *n, bool inside)
{
    inside |= n->kind == FZ_NODE_FOREVER;
    bool has = inside && n->kind == FZ_NODE_BARRIER;
    for (const struct fz_node *child = n->first; child && !has; child = child->next)
        has = has_barrier_in_endless_loop(child, inside);
    return has;
}

/* That nobody runs, or it would be no program of the class. */
static bool planted_where_nobody_comes(const struct fz_program *p, void *data)
{
    ++*(uint32_t *)data;
    void *contents[3];
    struct arena a = {0};
    for (uint32_t i = 0; i < 3; i++)
        contents[i] = arena_alloc_array(&a, 8, fz_elements(p, &p->buffers.at[i]));
    memcpy(contents[2], p->inputs, sizeof p->inputs);
    bool fails = has_barrier_in_endless_loop(fz_kernel(p)->body, false) &&
                 fz_class_find(p->class)->expect(p, 8, contents);
    arena_free(&a);
    return fails;
}

/* Ten programs of the class in which the fault is, down to so many nodes. */
static void finds(const struct fz_class *class, fz_still_fails *fault, uint32_t most)
{
    uint32_t reduced = 0;
    for (uint64_t seed = 1; reduced < 10; seed++) {
        struct fz_program *p = fz_generate(class, seed, &arena);
        uint32_t asked = 0;
        if (!fault(p, &asked) || fz_program_size(p) < 60)
            continue;
        asked = 0;
        uint32_t tries = fz_reduce(p, fault, &asked);
        assert_int_equal(tries, asked);
        assert_true(fault(p, &asked));
        if (fz_program_size(p) > most)
            fail_msg("seed %u: %u nodes are left\n%s", (unsigned)seed, fz_program_size(p), text_of(p));
        reduced++;
    }
}

static void reducer_finds_a_planted_fault(void **state)
{
    UNUSED(state);
    /* block, loop (bound, condition, body, leaving), switch (selector, cases), case, block, log, its operand */
    finds(&fz_class_b, planted, 13);
    /* block, loop (bound, condition, body, leaving), endless loop, its body, barrier */
    finds(&fz_class_j, planted_where_nobody_comes, 9);
}

static bool always(const struct fz_program *p, void *data)
{
    UNUSED(p), UNUSED(data);
    return true;
}

static void reducer_ends_with_nothing(void **state)
{
    UNUSED(state);
    for (const char *letter = "abcdefghij"; *letter; letter++) {
        struct fz_program *p = fz_generate(fz_class_find(*letter), 5, &arena);
        fz_reduce(p, always, NULL);
        assert_int_equal(fz_program_size(p), 1);
        assert_int_equal(p->threads, 1);
    }
}

static void failures_of_one_kind(void **state)
{
    UNUSED(state);
    struct fz_verdict a = {.outcome = FZ_REJECTED, .text = "x.kern:3:9: error: 'v1' is odd"};
    struct fz_verdict b = {.outcome = FZ_REJECTED, .text = "x.kern:12:1: error: 'v22' is odd"};
    struct fz_verdict c = {.outcome = FZ_REJECTED, .text = "x.kern:12:1: error: 'v22' is even"};
    assert_true(fz_same_kind(&a, &b));
    assert_false(fz_same_kind(&a, &c));
    b.outcome = FZ_TRAPPED;
    assert_false(fz_same_kind(&a, &b));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_seed_gives_one_program, tear_down),
        cmocka_unit_test_teardown(programs_compile, tear_down),
        cmocka_unit_test_teardown(every_construct_appears, tear_down),
        cmocka_unit_test_teardown(graphs_with_tokens_vary, tear_down),
        cmocka_unit_test_teardown(anchors_are_not_seen, tear_down),
        cmocka_unit_test_teardown(arms_of_diamonds_are_entered_by_one_branch, tear_down),
        cmocka_unit_test_teardown(plans_draw_distinct_setups, tear_down),
        cmocka_unit_test_teardown(plans_draw_passes, tear_down),
        cmocka_unit_test_teardown(passes_are_reduced_and_written, tear_down),
        cmocka_unit_test_teardown(an_internal_error_is_a_failure_of_its_own, tear_down),
        cmocka_unit_test_teardown(reducer_finds_a_planted_fault, tear_down),
        cmocka_unit_test_teardown(reducer_ends_with_nothing, tear_down),
        cmocka_unit_test_teardown(failures_of_one_kind, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
