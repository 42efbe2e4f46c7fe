/* ranges_test.c: ranges of integers in random functions with random assertions: the values of a run lie in
 * them, and the pass `bounds` removes no assertion that would have failed. `opt_ranges SEED` shows one.
 * KERNC_TEST_PROGRAMS: how many modules.
 */
#include "ir/analysis/ranges.h"
#include "test/opt/evaluate.h"
#include "test/opt/optimize.h"
#include "test/opt/random_ir.h"
#include "test/programs.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { INPUTS = 3, FUEL = 60000 };
static const uint64_t inputs[INPUTS][3] = {{0, 0, 1}, {256, 5, 0xfffffff0}, {1024, 77777, 3}};

static uint32_t seeds;

static struct ir_function *main_of(const struct ir_module *m)
{
    return m->functions.at[m->functions.count - 1];
}

static ir_ref emit_assert(struct ir_cursor *c, ir_ref condition)
{
    ir_ref r = ir_emit1(c, IR_assert, IR_TYPE_VOID, condition);
    ir_at(c->fn, r)->imm = ir_text_add(c->fn->module, "no", 2);
    return r;
}

static struct ir_cursor before(struct ir_function *f, ir_ref r)
{
    return (struct ir_cursor){.fn = f, .block = ir_at(f, r)->block, .before = r};
}

/* Behind one in eight integers: that it is below, or above, some number. */
static void add_assertions(struct ir_function *f, uint64_t seed)
{
    static const uint32_t limits[] = {1, 4, 31, 255, 1000, 0x7fffffff, 0x80000000, 0xfffffffe};
    uint32_t count = f->ins.count;
    for (ir_ref r = 1; r < count; r++) {
        const struct ir_ins *ins = ir_at(f, r);
        uint64_t random = hash_mix(seed, r);
        if (ins->type != IR_TYPE_I32 || ins->block == IR_NO_BLOCK || ins->op == IR_param || random % 8)
            continue;
        struct ir_cursor c = before(f, ins->next);
        ir_ref limit = ir_const_i32(f, limits[random / 8 % COUNT(limits)]);
        bool is_left = random / 64 % 4;
        emit_assert(&c, ir_emit2(&c, random / 256 % 2 ? IR_ult : IR_slt, IR_TYPE_I1, is_left ? r : limit,
                                 is_left ? limit : r));
    }
}

/* Traps before `at` unless the value is in the range. Whether that says anything. */
static bool check_value(struct ir_function *f, ir_ref at, ir_ref v, struct ir_range range)
{
    struct ir_cursor c = before(f, at);
    if (range.lo > range.hi) {
        emit_assert(&c, ir_const_i1(f, false));
        return true;
    }
    if (range.lo == INT32_MIN && range.hi == INT32_MAX)
        return false;
    ir_ref lo = ir_const_i32(f, (uint32_t)range.lo), hi = ir_const_i32(f, (uint32_t)range.hi);
    emit_assert(&c, ir_emit2(&c, IR_sle, IR_TYPE_I1, lo, v));
    emit_assert(&c, ir_emit2(&c, IR_sle, IR_TYPE_I1, v, hi));
    return true;
}

/* Before each use of an integer. How many ranges were checked. */
static uint32_t check_uses(struct ir_function *f)
{
    struct arena a = {0};
    const struct ir_cfg *g = ir_cfg_new(&a, f);
    struct ir_ranges *ranges = ir_ranges_new(&a, g, ir_dominators_new(&a, g), ir_cycles_new(&a, g), NULL);
    uint32_t checked = 0;
    for (uint32_t i = 0; i < g->rpo_count; i++)
        for (ir_ref r = ir_block_at(f, g->rpo[i])->first, next; r; r = next) {
            next = ir_at(f, r)->next;
            for (uint32_t k = 0; k < ir_at(f, r)->argc; k++) {
                ir_ref v = ir_at(f, r)->args[k];
                if (ir_at(f, v)->type == IR_TYPE_I32 && ir_at(f, v)->op != IR_constant)
                    checked += check_value(f, r, v, ir_range_at(ranges, v, r));
            }
        }
    arena_free(&a);
    return checked;
}

static struct ir_module *subject(uint64_t seed)
{
    struct ir_module *m = random_module(seed, true);
    optimize(m, seed % 2 ? "simplify_cfg,mem2reg" : "simplify_cfg,mem2reg,sccp,gvn,rotate", 0);
    add_assertions(main_of(m), seed);
    return m;
}

/* Of runs that end, all that is seen; of runs that an assertion stops, that one does. */
static void compare(const struct ir_module *m, const struct ir_module *other, uint64_t seed, uint32_t runs[2])
{
    for (unsigned i = 0; i < INPUTS; i++) {
        struct evaluation x = evaluate(main_of(m), inputs[i], seed + i, FUEL);
        struct evaluation y = evaluate(main_of(other), inputs[i], seed + i, 8 * FUEL);
        bool same = x.result == y.result && x.memory == y.memory && x.trace == y.trace;
        if (x.finished ? !y.finished || !same : x.trapped && !y.trapped)
            fail_msg("seed %" PRIu64 ", input %u: %s", seed, i, y.trapped ? "a range is wrong" : "no trap");
        runs[0] += x.finished;
        runs[1] += x.trapped;
    }
}

static void test_values_in_ranges(void **state)
{
    (void)state;
    uint32_t checked = 0, runs[2] = {0};
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        struct ir_module *m = subject(seed), *other = subject(seed);
        checked += check_uses(main_of(other));
        compare(m, other, seed, runs);
        ir_module_free(m);
        ir_module_free(other);
    }
    assert_true(checked > 20 * seeds && runs[0] > seeds / 4 && runs[1] > seeds / 4);
}

static uint32_t count_assertions(const struct ir_function *f)
{
    uint32_t n = 0;
    ir_each_block(i, b, f)
        ir_each_ins(r, f, b)
            n += ir_at(f, r)->op == IR_assert;
    return n;
}

static void test_bounds_keeps_traps(void **state)
{
    (void)state;
    uint32_t before_pass = 0, behind = 0, runs[2] = {0};
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        struct ir_module *m = subject(seed), *other = subject(seed);
        optimize(other, "bounds", 0);
        before_pass += count_assertions(main_of(m));
        behind += count_assertions(main_of(other));
        compare(m, other, seed, runs);
        optimize(other, "bounds,rotate,licm,gvn,dce", 0);
        compare(m, other, seed, runs);
        ir_module_free(m);
        ir_module_free(other);
    }
    assert_true(behind < before_pass && behind > before_pass / 4);
}

static void show(uint64_t seed)
{
    struct ir_module *m = subject(seed);
    struct text t = {0};
    ir_print_module(m, &t);
    check_uses(main_of(m));
    text_addz(&t, "; ---- checked\n");
    ir_print_module(m, &t);
    fwrite(t.at, 1, t.length, stdout);
    text_free(&t);
    ir_module_free(m);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_values_in_ranges),
                                       cmocka_unit_test(test_bounds_keeps_traps)};
    seeds = test_programs(200);
    if (argc > 1) {
        show(strtoull(argv[1], NULL, 10));
        return 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
