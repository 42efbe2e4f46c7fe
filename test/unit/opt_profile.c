/* Edges from the counts of a profile: what is known where, and on inputs so large that anything but
 * near-linear time would be seen. */
#include "opt/cost/cost.h"
#include "opt/opt.h"

#include <cmocka.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

enum { MANY = 50000, SECONDS = 5 };

struct counts {
    struct arena arena;
    struct ir_module *module;
    struct ir_function *f;
    ir_ref zero;
    struct opt_options options;
    struct cost_profile *profile;
};

static int set_up(void **state)
{
    struct counts *x = calloc(1, sizeof *x);
    x->module = ir_module_new("profile");
    x->f = ir_function_new(x->module, "f", IR_TYPE_VOID, 0);
    x->zero = ir_const_i32(x->f, 0);
    *state = x;
    return 0;
}

static int tear_down(void **state)
{
    struct counts *x = *state;
    ir_module_free(x->module);
    arena_free(&x->arena);
    free(x);
    return 0;
}

static struct ir_cursor in(struct counts *x, uint32_t block, uint32_t line, uint32_t column)
{
    return (struct ir_cursor){.fn = x->f, .block = block, .at = {line, column}};
}

static void branch(struct counts *x, uint32_t block, uint32_t line, uint32_t yes, uint32_t no)
{
    struct ir_cursor at = in(x, block, line, 5);
    ir_emit_brif(&at, ir_const_i1(x->f, true), yes, no);
}

static void go_on(struct counts *x, uint32_t block, uint32_t line, uint32_t to)
{
    struct ir_cursor at = in(x, block, line, 5);
    ir_emit_br(&at, to);
}

static void end(struct counts *x, uint32_t block, uint32_t line)
{
    struct ir_cursor at = in(x, block, line, 5);
    ir_emit_ret(&at, 0);
}

static uint32_t new_block(struct counts *x)
{
    return ir_block_new(x->f, "b");
}

/* a -> b, c; b -> c, in lines 1 to 3: a. */
static uint32_t triangle(struct counts *x)
{
    uint32_t a = new_block(x), b = new_block(x), c = new_block(x);
    branch(x, a, 1, b, c);
    go_on(x, b, 2, c);
    end(x, c, 3);
    return a;
}

static void row(struct counts *x, uint32_t line, uint32_t column, uint64_t lanes)
{
    struct opt_place_count p = {{line, column}, lanes};
    vec_push(&x->arena, &x->options.profile, p);
}

static void read_with(struct counts *x, const struct cost_branches *branches)
{
    const struct ir_cfg *cfg = ir_cfg_new(&x->arena, x->f);
    x->profile = cost_profile_new(&x->arena, cfg, ir_cycles_new(&x->arena, cfg), branches, &x->options);
}

static void read(struct counts *x)
{
    read_with(x, cost_branches_new(&x->arena, x->module, &x->options));
}

static double likely(const struct counts *x, uint32_t block, uint32_t edge)
{
    uint32_t p = cost_likely(x->profile, block, edge);
    return p == UINT32_MAX ? -1 : p / 65536.0;
}

static void read_in_time(struct counts *x)
{
    clock_t begin = clock();
    read(x);
    double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    if (seconds > SECONDS)
        fail_msg("%g s", seconds);
}

/* ---- what is known --------------------------------------------------------------------------------- */

static void without_counts_nothing_is_known(void **state)
{
    struct counts *x = *state;
    end(x, new_block(x), 1);
    read(x);
    assert_false(cost_is_counted(x->profile, 0));
    row(x, 7, 0, 5); /* of no line of the function */
    read(x);
    assert_false(cost_is_counted(x->profile, 0));
}

/* The edge past b has what b leaves. */
static void edges_follow_from_blocks(void **state)
{
    struct counts *x = *state;
    uint32_t a = triangle(x);
    row(x, 1, 5, 100);
    row(x, 2, 0, 25);
    read(x);
    assert_true(likely(x, a, 0) == 0.25 && likely(x, a, 1) == 0.75);
}

/* Both edges of a lead to b, and those of b to c: which lanes take which cannot be told. */
static void parallel_edges_are_two(void **state)
{
    struct counts *x = *state;
    uint32_t a = new_block(x), b = new_block(x), c = new_block(x);
    branch(x, a, 1, b, b);
    branch(x, b, 2, c, c);
    end(x, c, 3);
    row(x, 1, 5, 8);
    row(x, 2, 5, 8);
    row(x, 3, 0, 8);
    read(x);
    assert_true(likely(x, a, 0) == -1 && likely(x, b, 1) == -1);
}

/* Two copies of a branch: two rows are theirs in order, three are not, and the largest holds for both. */
static void copies_have_their_own_rows(void **state)
{
    struct counts *x = *state;
    uint32_t a = new_block(x), yes = new_block(x), b = new_block(x), more = new_block(x), c = new_block(x);
    branch(x, a, 1, yes, b);
    go_on(x, yes, 2, b);
    branch(x, b, 1, more, c);
    go_on(x, more, 3, c);
    end(x, c, 4);
    row(x, 1, 5, 10);
    row(x, 1, 5, 40);
    row(x, 2, 0, 5);
    row(x, 3, 0, 10);
    read(x);
    assert_true(likely(x, a, 0) == 0.5 && likely(x, b, 0) == 0.25);
    x->options.profile.count = 0;
    for (uint64_t lanes = 10; lanes <= 40; lanes += 15)
        row(x, 1, 5, lanes);
    row(x, 2, 0, 5);
    row(x, 3, 0, 10);
    read(x);
    assert_true(likely(x, a, 0) == 0.125 && likely(x, b, 0) == 0.25);
}

/* What was one branch has three rows, as copies were made of it in the run: it has their sum. */
static void one_branch_has_all_rows(void **state)
{
    struct counts *x = *state;
    uint32_t a = triangle(x);
    for (uint64_t lanes = 10; lanes <= 30; lanes += 10)
        row(x, 1, 5, lanes);
    row(x, 2, 0, 15);
    read(x);
    assert_true(cost_count(x->profile, a) == 60 && likely(x, a, 0) == 0.25);
}

/* Another function had two branches of the place when they were numbered; this one has got one more since. */
static void branches_may_have_been_added(void **state)
{
    struct counts *x = *state;
    uint32_t a = new_block(x), b = new_block(x), c = new_block(x);
    branch(x, a, 1, b, c);
    branch(x, b, 1, c, c);
    end(x, c, 3);
    x->f = ir_function_new(x->module, "g", IR_TYPE_VOID, 0);
    x->zero = ir_const_i32(x->f, 0);
    uint32_t d = new_block(x), e = new_block(x), f = new_block(x);
    const struct cost_branches *branches = cost_branches_new(&x->arena, x->module, &x->options);
    branch(x, d, 1, e, f);
    go_on(x, e, 2, f);
    end(x, f, 3);
    for (uint64_t lanes = 10; lanes <= 30; lanes += 10)
        row(x, 1, 5, lanes);
    read_with(x, branches);
    assert_false(cost_is_counted(x->profile, d)); /* numbered without it */
    x->options.profile.count = 0;
    row(x, 1, 5, 10);
    row(x, 1, 5, 20);
    row(x, 1, 5, 30);
    read(x);
    assert_true(cost_count(x->profile, d) == 30);
}

/* A test in front of a loop of one block, which runs 100 times for 10 threads; what is behind has no line. */
static void loops_are_entered(void **state)
{
    struct counts *x = *state;
    uint32_t a = new_block(x), b = new_block(x), c = new_block(x);
    branch(x, a, 1, b, c);
    branch(x, b, 2, b, c);
    end(x, c, 0);
    row(x, 1, 5, 10);
    row(x, 2, 5, 100);
    read(x);
    assert_true(cost_trips(x->profile, 0) == 10 && likely(x, b, 0) == (uint32_t)(0.9 * 65536) / 65536.0);
    x->options.profile.count = 0;
    row(x, 2, 5, 100);
    read(x);
    assert_true(cost_trips(x->profile, 0) == 0);
}

/* ---- large inputs ---------------------------------------------------------------------------------- */

/* A switch to MANY branches; each goes to a block of its own or to the next one's, whose counts are known, so
 * that their edges follow one from the other, from the last to the first. */
static void knowledge_goes_a_long_way(void **state)
{
    struct counts *x = *state;
    uint32_t first = new_block(x), *b = arena_array(&x->arena, uint32_t, MANY + 1),
             *to = arena_array(&x->arena, uint32_t, MANY + 1);
    for (uint32_t i = 0; i < MANY; i++)
        b[i] = new_block(x);
    for (uint32_t i = 0; i <= MANY; i++)
        to[i] = new_block(x);
    struct ir_cursor at = in(x, first, 1, 5);
    ir_emit_switch(&at, x->zero, b[0]);
    for (uint32_t i = 1; i < MANY; i++)
        ir_edge_add(x->f, first, b[i], i);
    row(x, 1, 5, (uint64_t)MANY * 4);
    for (uint32_t i = 0; i < MANY; i++) {
        branch(x, b[i], 2 + i, to[i], to[i + 1]);
        row(x, 2 + i, 5, 4);
    }
    for (uint32_t i = 0; i <= MANY; i++) {
        end(x, to[i], MANY + 2 + i);
        row(x, MANY + 2 + i, 0, i == 0 ? 1 : i < MANY ? 4 : 3);
    }
    read_in_time(x);
    for (uint32_t i = 0; i < MANY; i++)
        assert_true(likely(x, b[i], 0) == 0.25);
    assert_true(likely(x, first, MANY - 1) > 0);
}

/* A branch copied MANY times, of which the profile has one row more, in a line with as many rows. */
static void one_place_many_times(void **state)
{
    struct counts *x = *state;
    uint32_t at = new_block(x);
    for (uint32_t i = 0; i <= MANY; i++)
        row(x, 1, 0, 3);
    for (uint32_t i = 0; i <= MANY; i++)
        row(x, 1, 5, i);
    for (uint32_t i = 0; i < MANY; i++) {
        uint32_t side = new_block(x), next = new_block(x);
        branch(x, at, 1, side, next);
        go_on(x, side, 1, next);
        at = next;
    }
    end(x, at, 1);
    read_in_time(x);
    assert_true(likely(x, 0, 0) == (double)(uint32_t)(3.0 / MANY * 65536) / 65536);
}

/* Many functions: the module's branches are numbered once. */
static void many_functions(void **state)
{
    struct counts *x = *state;
    row(x, 1, 5, 4);
    row(x, 2, 0, 1);
    for (uint32_t i = 0; i < MANY; i++) {
        triangle(x);
        x->f = ir_function_new(x->module, "g", IR_TYPE_VOID, 0);
    }
    end(x, new_block(x), 3);
    clock_t begin = clock();
    const struct cost_branches *branches = cost_branches_new(&x->arena, x->module, &x->options);
    for (uint32_t i = 0; i < MANY; i++) {
        x->f = x->module->functions.at[i];
        read_with(x, branches);
        assert_true(likely(x, 0, 0) == 0.25);
    }
    double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    if (seconds > SECONDS)
        fail_msg("%g s", seconds);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(without_counts_nothing_is_known),
        TEST(edges_follow_from_blocks),
        TEST(parallel_edges_are_two),
        TEST(copies_have_their_own_rows),
        TEST(one_branch_has_all_rows),
        TEST(branches_may_have_been_added),
        TEST(loops_are_entered),
        TEST(knowledge_goes_a_long_way),
        TEST(one_place_many_times),
        TEST(many_functions),
    };
    return cmocka_run_group_tests_name("opt: counts of a profile", tests, NULL, NULL);
}
