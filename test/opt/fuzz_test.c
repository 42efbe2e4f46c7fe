/* fuzz_test.c: random modules compute the same before and after each pass alone and after the pipelines.
 * `opt_fuzz SEED [PASSES]` runs one seed and prints the module before and after. KERNC_TEST_PROGRAMS: how
 * many modules each test takes; "structured", the quickest, ten times so many.
 */
#include "backend/warpcore/reconverge.h"
#include "opt/opt.h"
#include "test/opt/evaluate.h"
#include "test/opt/optimize.h"
#include "test/opt/random_ir.h"
#include "test/opt/structured.h"
#include "test/programs.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { INPUTS = 3, FUEL = 60000 };

static uint32_t seeds;

static const struct ir_function *main_of(const struct ir_module *m)
{
    return m->functions.at[m->functions.count - 1];
}

/* The optimized code may take fewer steps, so only runs that end within the fuel say something. */
static void compare(const struct ir_module *before, const struct ir_module *after, uint64_t seed,
                    const char *passes)
{
    static const uint64_t inputs[INPUTS][IR_MAX_ARGS] = {{0, 0, 1}, {256, 5, 0xfffffff0}, {1024, 77777, 3}};
    const struct ir_function *optimized = after->functions.at[main_of(before)->id]; /* passes may add some */
    for (unsigned i = 0; i < INPUTS; i++) {
        struct evaluation x = evaluate(main_of(before), inputs[i], seed + i, FUEL);
        struct evaluation y = evaluate(optimized, inputs[i], seed + i, 4 * FUEL);
        if (!x.finished)
            continue;
        if (!y.finished || x.result != y.result || x.memory != y.memory || x.trace != y.trace)
            fail_msg("seed %" PRIu64 ", passes %s, input %u: result %" PRIx64 " became %" PRIx64 "%s%s", seed,
                     passes, i, x.result, y.result, x.memory != y.memory ? ", memory differs" : "",
                     x.trace != y.trace ? ", order differs" : "");
    }
}

static void check(uint64_t seed, const char *passes)
{
    struct ir_module *before = random_module(seed, true), *after = random_module(seed, true);
    optimize(after, passes, 0);
    compare(before, after, seed, passes);
    ir_module_free(before);
    ir_module_free(after);
}

static void check_pipeline(void **state)
{
    for (uint64_t seed = 1; seed <= seeds; seed++)
        check(seed, *state);
}

/* Whether functions keep their bodies and parameters, so that they can be called as before. */
static bool keeps_functions(unsigned pass)
{
    return pass != OPT_PASS_drop_uncalled && pass != OPT_PASS_split_i64;
}

/* Alone on values (after mem2reg), where most of them work. */
static void check_passes(void **state)
{
    for (unsigned p = 0; p < OPT_PASSES; p++) {
        char passes[64];
        if (!keeps_functions(p))
            continue;
        snprintf(passes, sizeof passes, "simplify_cfg,mem2reg,%s", opt_pass_info[p].name);
        for (uint64_t seed = 1000; seed < 1000 + seeds / 4; seed++)
            check(seed, passes);
    }
}

/* In any order, several times, beginning on memory or on values. */
static void check_lists(void **state)
{
    for (uint64_t seed = 7000; seed < 7000 + 2 * seeds; seed++) {
        uint64_t random = hash_mix(seed, 0);
        char passes[512] = "";
        for (uint32_t i = 0, n = 1 + random % 12; i < n; i++) {
            random = hash_mix(random, i);
            unsigned p = random % OPT_PASSES;
            const char *name =
                (i == 0 && seed % 2) || !keeps_functions(p) ? "mem2reg" : opt_pass_info[p].name;
            snprintf(passes + strlen(passes), sizeof passes - strlen(passes), "%s%s", i ? "," : "", name);
        }
        check(seed, passes);
    }
}

static bool is_structured(struct arena *scratch, const struct ir_function *f)
{
    const struct ir_cfg *g = ir_cfg_new(scratch, f);
    return opt_is_structured(scratch, g, ir_return_post_dominators_new(scratch, g));
}

/* Random modules have no tokens and are small, so nothing is declined. */
static void check_structured(void **state)
{
    uint32_t unstructured = 0;
    for (uint64_t seed = 5000; seed < 5000 + 10 * seeds; seed++) {
        struct arena scratch = {0};
        struct ir_module *m = random_module(seed, true);
        optimize(m, "simplify_cfg,mem2reg", 0);
        unstructured += !is_structured(&scratch, main_of(m));
        optimize(m, "structurize", 0);
        for (uint32_t i = 0; i < m->functions.count; i++)
            if (!is_structured(&scratch, m->functions.at[i]))
                fail_msg("seed %" PRIu64 ": %s is not structured", seed, m->functions.at[i]->name);
        ir_module_free(m);
        arena_free(&scratch);
    }
    assert_true(unstructured > 10 * seeds / 4);
}

/* What the code generator of mode source-pc asks for (backend/warpcore/reconverge.h). */
static void check_normal_form(void **state)
{
    for (uint64_t seed = 6000; seed < 6000 + seeds; seed++) {
        struct arena scratch = {0};
        struct diagnostics d;
        struct ir_module *m = random_module(seed, true);
        diag_init(&d, &scratch, NULL);
        optimize_for(m, "simplify_cfg,mem2reg,unify_returns,reconverge,lower_switch",
                     SCHEME_warp_core_source_pc);
        for (uint32_t i = 0; i < m->functions.count; i++) {
            struct ir_cfg *g = ir_cfg_new(&scratch, m->functions.at[i]);
            if (!wc_reconvergence_new(&scratch, g, ir_cycles_new(&scratch, g), WC_MODE_SOURCE_PC, &d))
                fail_msg("seed %" PRIu64 ": %s", seed, d.all.at[0].text);
        }
        ir_module_free(m);
        arena_free(&scratch);
    }
}

static void show(uint64_t seed, const char *passes)
{
    struct ir_module *m = random_module(seed, true);
    struct text t = {0};
    ir_print_module(m, &t);
    optimize(m, passes, 0);
    text_addz(&t, "; ---- after\n");
    ir_print_module(m, &t);
    fwrite(t.at, 1, t.length, stdout);
    text_free(&t);
    ir_module_free(m);
    check(seed, passes);
}

int main(int argc, char **argv)
{
    seeds = test_programs(200);
    if (argc > 1) {
        show(strtoull(argv[1], NULL, 0), argc > 2 ? argv[2] : opt_pipeline(OPT_LEVEL_DEFAULT));
        return 0;
    }
    char *levels[] = {(char *)opt_pipeline(1), (char *)opt_pipeline(2)};
    const struct CMUnitTest tests[] = {
        {"pass by pass", check_passes, NULL, NULL, NULL},
        {"random lists of passes", check_lists, NULL, NULL, NULL},
        {"structured", check_structured, NULL, NULL, NULL},
        {"normal form", check_normal_form, NULL, NULL, NULL},
        {"-O1", check_pipeline, NULL, NULL, levels[0]},
        {"-O2", check_pipeline, NULL, NULL, levels[1]},
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
