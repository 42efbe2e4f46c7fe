/* What a launch tells of a warp's steps: kernc_launch.step, and traces. Each scheme: test/cli/steps.test. */
#include "test/unit/runtime_program.h"

#include <cmocka.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

enum { MOST = 64 };

struct seen {
    kernc_step step;
    kernc_group group; /* the last one */
    uint32_t line;
};

static kernc_context *context;
static struct seen seen[MOST];
static uint64_t count, of_warp[8];
static struct text traced;

static void see(void *user, const kernc_step *s)
{
    assert_ptr_equal(user, &count);
    assert_int_equal(s->size, sizeof *s);
    count++;
    assert_int_equal(s->number, ++of_warp[s->warp]);
    if (count > MOST)
        return;
    seen[count - 1] = (struct seen){.step = *s, .line = s->line_count ? s->lines[0] : 0};
    if (s->group_count)
        seen[count - 1].group = s->groups[s->group_count - 1];
}

static void keep(void *user, const char *bytes, size_t n)
{
    text_add(user, bytes, n);
}

/* for (i = 0; i < end; i++) of vectors; v1 is the lane. Blocks: 0, the loop's head 1 and body 2, the exit 3;
 * their lines are 100 more. */
static kernc_module *loop(bool by_lane, uint32_t end)
{
    struct maker m = make_program(8, 2, 2);
    make_fill(&m, BC_FROM_SPECIAL, BC_KIND_V, 1, BC_SPECIAL_LANE);
    make_fill(&m, BC_FROM_CONSTANT, BC_KIND_V, 2, 1);
    make_fill(&m, BC_FROM_CONSTANT, BC_KIND_V, 3, 0);
    make_fill(&m, BC_FROM_CONSTANT, BC_KIND_V, 4, end);
    make_block(&m, 0);
    make(&m, bc_scalar_op(SCALAR_add_I, BC_FORM_V), .d = 5, .a = 3, .b = 3);
    uint32_t to_head = make(&m, BC_jump), head = make_block(&m, 0);
    make(&m, bc_scalar_op(SCALAR_ult_I, BC_FORM_B), .a = 5, .b = by_lane ? 1 : 4);
    uint32_t branch = make_branch(&m, 0, 0, 0), body = make_block(&m, 0);
    make(&m, bc_scalar_op(SCALAR_add_I, BC_FORM_V), .d = 5, .a = 5, .b = 2);
    make(&m, BC_jump, .imm = head);
    uint32_t leave = make_block(&m, BC_RECONVERGE);
    make(&m, BC_exit);
    m.p->code.at[to_head].imm = head;
    *branch_at(&m, branch) = (struct bc_branch){
        .op = BC_branch, .site = branch_at(&m, branch)->site, .yes = body, .no = leave, .reconverge = leave};
    kernc_module *module = make_finish(&m, context);
    if (!module)
        fail_msg("%s", kernc_error_text(context));
    return module;
}

static void launch(kernc_module *module, kernc_launch l)
{
    count = 0;
    memset(of_warp, 0, sizeof of_warp);
    l.size = sizeof l;
    l.warp = 8;
    l.step = see;
    l.step_user = &count;
    kernc_status status = kernc_run(kernc_module_kernel_at(module, 0), &l, NULL);
    if (status != KERNC_OK)
        fail_msg("%s", kernc_error_text(context));
}

static void expect(unsigned number, uint32_t code, uint64_t active, uint64_t waiting)
{
    const struct seen *s = &seen[number - 1];
    assert_int_equal(s->step.code, code);
    assert_int_equal(s->line, 100 + code);
    assert_int_equal(s->step.active, active);
    assert_int_equal(s->group.lanes & ~active, waiting);
    assert_true(!waiting || (s->group.line == 103 && s->group.code == 3 && s->group.wait == KERNC_WAIT_TURN));
}

/* Of four lanes lane n leaves the loop after n iterations, and waits for the others behind it. */
static void lanes_leave_and_meet(void **state)
{
    kernc_module *module = loop(true, 0);
    launch(module, (kernc_launch){.block = {4}});
    assert_int_equal(count, 9);
    expect(1, 0, 15, 0);
    expect(2, 1, 15, 0);
    expect(3, 2, 14, 1);
    expect(4, 1, 14, 1);
    expect(5, 2, 12, 3);
    expect(6, 1, 12, 3);
    expect(7, 2, 8, 7);
    expect(8, 1, 8, 7);
    expect(9, 3, 15, 0);
    assert_int_equal(seen[0].step.lanes, 4);
    assert_int_equal(seen[0].step.live, 15);
    kernc_module_free(module);
}

/* Warps that begin one after the other without leaving the core are told apart; others are not told of. */
static void one_warp_is_reported(void **state)
{
    kernc_module *module = loop(true, 0);
    launch(module, (kernc_launch){.grid = {3, 2}, .block = {20}, .step_block = {1, 1}, .step_warp = 2});
    assert_int_equal(count, 9);
    assert_int_equal(seen[0].step.lanes, 4);
    launch(module, (kernc_launch){.grid = {3, 2}, .block = {20}, .threads = 4, .step_warp = 1});
    assert_int_equal(count, 17);
    launch(module, (kernc_launch){.grid = {3, 2}, .block = {20}, .step_warp = 3});
    assert_int_equal(count, 0);
    launch(module, (kernc_launch){.grid = {3, 2}, .block = {20}, .step_block = {0, 2}});
    assert_int_equal(count, 0);
    kernc_module_free(module);
}

/* Several warps of a block, each with numbers of its own; there need not be as many. */
static void several_warps_are_reported(void **state)
{
    kernc_module *module = loop(true, 0);
    launch(module, (kernc_launch){.grid = {3, 2}, .block = {20}, .step_block = {1, 1}, .step_warps = 3});
    assert_int_equal(of_warp[0], 17);
    assert_int_equal(of_warp[1], 17);
    assert_int_equal(of_warp[2], 9);
    launch(module, (kernc_launch){.grid = {3, 2}, .block = {20}, .step_warp = 1, .step_warps = UINT32_MAX});
    assert_int_equal(of_warp[0], 0);
    assert_int_equal(count, 17 + 9);
    kernc_module_free(module);
}

/* Each block that is run is one step, also where a time slice ends in it. */
static void slices_make_no_steps(void **state)
{
    enum { ROUNDS = 100000 };
    kernc_module *module = loop(false, ROUNDS);
    launch(module, (kernc_launch){.block = {24}, .step_warp = 1});
    assert_int_equal(count, 2 * ROUNDS + 3);
    kernc_module_free(module);
}

/* The trace has all warps' steps one behind the other, each once, and turns that begin in the middle of one. */
static void the_trace_has_no_gaps(void **state)
{
    enum { ROUNDS = 100000, CYCLES = 3 * (4 + ROUNDS * 6 + 2 + 2) };
    kernc_module *module = loop(false, ROUNDS);
    kernc_launch l = {.block = {24}, .trace = KERNC_TRACE_TEXT, .trace_output = keep, .trace_user = &traced};
    l.trace_to = KERNC_MAX_TRACE_CYCLES;
    text_free(&traced);
    launch(module, l);
    uint64_t now = 0;
    char *at = strchr(traced.at, '\n') + 1;
    for (; *at; at = strchr(at, '\n') + 1) {
        assert_int_equal(strtoull(at, &at, 10), now);
        now += strtoull(at, &at, 10);
    }
    assert_int_equal(now, CYCLES);
    text_free(&traced);
    kernc_module_free(module);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_leave_and_meet),       cmocka_unit_test(one_warp_is_reported),
        cmocka_unit_test(several_warps_are_reported), cmocka_unit_test(slices_make_no_steps),
        cmocka_unit_test(the_trace_has_no_gaps),
    };
    if (kernc_context_create(NULL, &context) != KERNC_OK)
        return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    kernc_context_free(context);
    return failed;
}
