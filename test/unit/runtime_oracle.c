/* The oracle on programs made by hand, whose groups follow from "Convergent Operation Semantics" by
 * reasoning. */
#include "test/unit/runtime_program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

enum { LANES = 8, WORDS = 256 };

static kernc_context *context;
static kernc_buffer  *out;
static kernc_metrics  metrics;
static uint64_t       fuel;
static uint32_t       block_threads;

static uint32_t *words(void)
{
    return kernc_buffer_map(out);
}

enum { TID, ONE, ZERO, EIGHT, ODD, ROW, TEMP, AT, COUNT_, OTHER, ENTRY, HEART, CALLEE_TOKEN, SLOT,
       SECOND_SLOT, POINTER, ICALL_SLOT };

/* Registers by the names above; s0 out, s1 1. The block is the kernel's first. */
static struct maker begin(void)
{
    struct maker m = make_program(40, 8, 16);
    m.p->scheme = "oracle";
    make_fill(&m, BC_FROM_PARAM, BC_KIND_S, 0, make_param(&m, "out", BE_PTR));
    make_fill(&m, BC_FROM_CONSTANT, BC_KIND_S, 1, 1);
    make_fill(&m, BC_FROM_SPECIAL, BC_KIND_V, TID, BC_SPECIAL_TID_X);
    make_fill(&m, BC_FROM_CONSTANT, BC_KIND_V, ONE, 1);
    make_fill(&m, BC_FROM_CONSTANT, BC_KIND_V, ZERO, 0);
    make_fill(&m, BC_FROM_CONSTANT, BC_KIND_V, EIGHT, 8);
    make_block(&m, BC_RECONVERGE);
    memset(words(), 0, WORDS * 4);
    fuel = 0;
    block_threads = LANES;
    return m;
}

static void op3(struct maker *m, enum scalar_case c, unsigned d, unsigned a, unsigned b)
{
    make(m, bc_scalar_op(c, BC_FORM_V), .d = (uint16_t)d, .a = (uint16_t)a, .b = (uint16_t)b);
}

/* out[row * 8 + tid] = the group, by token; row is a register. */
static void record(struct maker *m, unsigned token, unsigned row)
{
    make(m, BC_active, .d = 2, .e = (uint16_t)token);
    make(m, BC_spread_v, .d = TEMP, .a = 2);
    op3(m, SCALAR_mul_I, AT, row, EIGHT);
    op3(m, SCALAR_add_I, AT, AT, TID);
    make(m, BC_stx_g32, .d = TEMP, .a = AT, .b = 0, .c = 2, .e = make_site(m, BC_SITE_GLOBAL));
}

/* A branch on a < b (unsigned); targets are set by aim. */
static uint32_t branch_if_less(struct maker *m, unsigned a, unsigned b)
{
    make(m, bc_scalar_op(SCALAR_ult_I, BC_FORM_B), .a = (uint16_t)a, .b = (uint16_t)b);
    return make_branch(m, 0, 0, BC_NO_TARGET);
}

static void aim(struct maker *m, uint32_t branch, uint32_t yes, uint32_t no)
{
    branch_at(m, branch)->yes = yes;
    branch_at(m, branch)->no = no;
}

static kernc_status run(struct maker *m)
{
    kernc_module *module = make_finish(m, context);
    if (!module)
        fail_msg("%s", kernc_error_text(context));
    kernc_argument args[] = {kernc_arg_buffer("out", out)};
    kernc_launch options = {.size = sizeof options, .block = {block_threads}, .warp = LANES, .fuel = fuel,
                            .args = args, .arg_count = 1};
    kernc_statistics *s = NULL;
    kernc_status status = kernc_run(kernc_module_kernel_at(module, 0), &options, &s);
    metrics.size = sizeof metrics;
    kernc_statistics_metrics(s, &metrics);
    kernc_statistics_free(s);
    kernc_module_free(module);
    return status;
}

static void run_well(struct maker *m)
{
    if (run(m) != KERNC_OK)
        fail_msg("%s", kernc_error_text(context));
}

static void run_to_fault(struct maker *m, const char *text)
{
    assert_int_equal(run(m), KERNC_TRAP);
    if (!strstr(kernc_error_text(context), text))
        fail_msg("\"%s\" says nothing of \"%s\"", kernc_error_text(context), text);
}

/* Each row: the groups that lanes 0 to 7 saw. */
static void expect(unsigned row, const uint32_t groups[LANES])
{
    for (unsigned i = 0; i < LANES; i++)
        if (words()[row * LANES + i] != groups[i])
            fail_msg("row %u, lane %u: group %#x, not %#x", row, i, words()[row * LANES + i], groups[i]);
}

/* ---- groups ------------------------------------------------------------------------------------------ */

/* if (tid < 1) goto op; if (1 < tid) goto op; return; op: … : lanes come two ways, lane 1 not at all. */
static void lanes_come_by_any_way(void **state)
{
    UNUSED(state);
    struct maker m = begin();
    make(&m, BC_tok_entry, .d = ENTRY);
    uint32_t first = branch_if_less(&m, TID, ONE), next = make_block(&m, BC_RECONVERGE);
    uint32_t second = branch_if_less(&m, ONE, TID), op = make_block(&m, BC_RECONVERGE);
    record(&m, ENTRY, ZERO);
    make(&m, BC_exit);
    uint32_t end = make_block(&m, BC_RECONVERGE);
    make(&m, BC_exit);
    aim(&m, first, op, next);
    aim(&m, second, op, end);
    run_well(&m);
    expect(0, (uint32_t[]){0xfd, 0, 0xfd, 0xfd, 0xfd, 0xfd, 0xfd, 0xfd});
    assert_true(metrics.simt_efficiency == 1.0 / LANES);
}

/* row = 0; do { heart; record; } while (row++ < tid); record by the entry: the last ones wait for nobody. */
static void iterations_count(void **state)
{
    UNUSED(state);
    struct maker m = begin();
    make(&m, BC_tok_entry, .d = ENTRY);
    make(&m, BC_mov_v, .d = ROW, .a = ZERO);
    make(&m, BC_mov_v, .d = OTHER, .a = EIGHT);
    uint32_t head = make_block(&m, BC_RECONVERGE);
    make(&m, BC_tok_loop, .d = HEART, .a = ENTRY);
    record(&m, HEART, ROW);
    make(&m, BC_mov_v, .d = COUNT_, .a = ROW);
    op3(&m, SCALAR_add_I, ROW, ROW, ONE);
    uint32_t back = branch_if_less(&m, COUNT_, TID), end = make_block(&m, BC_RECONVERGE);
    record(&m, ENTRY, OTHER);
    make(&m, BC_exit);
    aim(&m, back, head, end);
    run_well(&m);
    for (unsigned row = 0; row < LANES; row++)
        for (unsigned i = 0; i < LANES; i++)
            assert_int_equal(words()[row * LANES + i], i < row ? 0 : 0xff & 0xff << row);
    expect(8, (uint32_t[]){0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff});
}

/* The same, but an operation by the heart behind the loop: who leaves in the same iteration, here each
 * alone. */
static void the_region_goes_beyond_the_cycle(void **state)
{
    UNUSED(state);
    struct maker m = begin();
    make(&m, BC_tok_entry, .d = ENTRY);
    make(&m, BC_mov_v, .d = COUNT_, .a = ZERO);
    uint32_t head = make_block(&m, BC_RECONVERGE);
    make(&m, BC_tok_loop, .d = HEART, .a = ENTRY);
    op3(&m, SCALAR_lshr_I, ODD, TID, ONE);
    make(&m, BC_mov_v, .d = ROW, .a = COUNT_);
    op3(&m, SCALAR_add_I, COUNT_, COUNT_, ONE);
    uint32_t back = branch_if_less(&m, ROW, ODD), end = make_block(&m, BC_RECONVERGE);
    record(&m, HEART, ZERO);
    make(&m, BC_exit);
    aim(&m, back, head, end);
    run_well(&m);
    expect(0, (uint32_t[]){3, 3, 12, 12, 48, 48, 192, 192});
}

/* if (tid < 1 or more) f() from two places: the callee's entry is another instance for each call. */
static void entries_are_those_of_the_call(void **state)
{
    UNUSED(state);
    struct maker m = begin();
    make(&m, BC_tok_entry, .d = ENTRY);
    uint32_t branch = branch_if_less(&m, TID, ONE), left = make_block(&m, BC_RECONVERGE);
    uint32_t first = make(&m, BC_call, .d = SLOT, .e = ENTRY),
             behind = make_block(&m, BC_RECONVERGE | BC_RETURN);
    uint32_t skip = make(&m, BC_jump), right = make_block(&m, BC_RECONVERGE);
    uint32_t second = make(&m, BC_call, .d = SLOT, .e = ENTRY),
             also = make_block(&m, BC_RECONVERGE | BC_RETURN);
    make(&m, BC_jump, .imm = also + 2);
    uint32_t end = make_block(&m, BC_RECONVERGE);
    record(&m, ENTRY, ONE);
    make(&m, BC_exit);
    make_function(&m, "f", 0, SLOT);
    vec_last(&m.p->functions).entry = BC_NO_TARGET;
    uint32_t callee = make_block(&m, BC_RECONVERGE);
    op3(&m, SCALAR_add_I, TEMP, ONE, ONE);
    make(&m, BC_tok_entry, .d = CALLEE_TOKEN);
    record(&m, CALLEE_TOKEN, ZERO);
    make(&m, BC_ret, .a = SLOT, .e = make_site(&m, BC_SITE_OTHER));
    UNUSED(behind);
    m.p->code.at[skip].imm = end;
    m.p->code.at[first].imm = m.p->code.at[second].imm = callee;
    aim(&m, branch, left, right);
    run_well(&m);
    expect(0, (uint32_t[]){1, 0xfe, 0xfe, 0xfe, 0xfe, 0xfe, 0xfe, 0xfe});
    expect(1, (uint32_t[]){0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff});
}

/* Everybody calls through a pointer: even lanes f, odd lanes g. A lane that is in f can't come to g's entry
 * any more. */
static void calls_through_pointers_keep_the_calls_token(void **state)
{
    UNUSED(state);
    struct maker m = begin();
    make(&m, BC_tok_entry, .d = ENTRY);
    op3(&m, SCALAR_and_I, POINTER, TID, ONE);
    op3(&m, SCALAR_add_I, POINTER, POINTER, ONE);
    op3(&m, SCALAR_add_I, POINTER, POINTER, ONE);
    make(&m, BC_icall, .d = ICALL_SLOT, .a = POINTER, .b = ENTRY, .e = make_site(&m, BC_SITE_OTHER),
         .imm = 3);
    make_block(&m, BC_RECONVERGE | BC_RETURN);
    record(&m, ENTRY, ONE);
    make(&m, BC_exit);
    for (unsigned k = 0; k < 2; k++) {
        unsigned slot = k ? SECOND_SLOT : SLOT;
        uint32_t f = make_function(&m, k ? "g" : "f", 3, slot);
        uint32_t code = make_block(&m, BC_RECONVERGE);
        make(&m, BC_tok_entry, .d = CALLEE_TOKEN);
        record(&m, CALLEE_TOKEN, ZERO);
        make(&m, BC_ret, .a = (uint16_t)slot, .e = make_site(&m, BC_SITE_OTHER));
        m.p->functions.at[f].entry = make_block(&m, BC_RECONVERGE);
        make(&m, BC_mov_v, .d = (uint16_t)slot, .a = ICALL_SLOT);
        make(&m, BC_jump, .imm = code);
    }
    run_well(&m);
    expect(0, (uint32_t[]){0x55, 0xaa, 0x55, 0xaa, 0x55, 0xaa, 0x55, 0xaa});
    expect(1, (uint32_t[]){0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff});
}

/* Lanes come to an anchor after loops of different length, and wait there for each other. */
static void anchors_take_all_that_wait(void **state)
{
    UNUSED(state);
    struct maker m = begin();
    make(&m, BC_mov_v, .d = COUNT_, .a = ZERO);
    uint32_t head = make_block(&m, BC_RECONVERGE);
    op3(&m, SCALAR_add_I, COUNT_, COUNT_, ONE);
    uint32_t back = branch_if_less(&m, COUNT_, TID), end = make_block(&m, BC_RECONVERGE);
    make(&m, BC_tok_anchor, .d = HEART);
    record(&m, HEART, ZERO);
    make(&m, BC_exit);
    aim(&m, back, head, end);
    run_well(&m);
    expect(0, (uint32_t[]){0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff});
}

/* ---- progress ---------------------------------------------------------------------------------------- */

/* Lanes below 4 spin until lane 7 has written out[100], which it does after its `wait`: an anchor, or
 * nothing. */
static void lanes_that_spin_let_others_go_on(void **state)
{
    UNUSED(state);
    for (unsigned with_anchor = 0; with_anchor < 2; with_anchor++) {
        struct maker m = begin();
        make_fill(&m, BC_FROM_CONSTANT, BC_KIND_V, 30, 4);
        make_fill(&m, BC_FROM_CONSTANT, BC_KIND_V, 31, 100);
        uint32_t branch = branch_if_less(&m, TID, 30), spin = make_block(&m, BC_RECONVERGE);
        make(&m, BC_ldx_g32, .d = TEMP, .a = 31, .b = 0, .c = 2, .e = make_site(&m, BC_SITE_GLOBAL));
        uint32_t seen = branch_if_less(&m, ZERO, TEMP), writer = make_block(&m, BC_RECONVERGE);
        if (with_anchor)
            make(&m, BC_tok_anchor, .d = HEART);
        make(&m, BC_stx_g32, .d = ONE, .a = 31, .b = 0, .c = 2, .e = make_site(&m, BC_SITE_GLOBAL));
        make(&m, BC_exit);
        uint32_t end = make_block(&m, BC_RECONVERGE);
        make(&m, BC_exit);
        aim(&m, branch, spin, writer);
        aim(&m, seen, end, spin);
        run_well(&m);
        assert_int_equal(words()[100], 1);
    }
}

/* Many iterations make many instances; they take no more memory than few. */
static void instances_are_given_back(void **state)
{
    UNUSED(state);
    struct maker m = begin();
    make_fill(&m, BC_FROM_CONSTANT, BC_KIND_V, 30, 30000);
    make(&m, BC_tok_entry, .d = ENTRY);
    make(&m, BC_mov_v, .d = COUNT_, .a = ZERO);
    uint32_t head = make_block(&m, BC_RECONVERGE);
    make(&m, BC_tok_loop, .d = HEART, .a = ENTRY);
    op3(&m, SCALAR_add_I, COUNT_, COUNT_, ONE);
    record(&m, HEART, ZERO);
    make(&m, BC_stx_g32, .d = HEART, .a = TID, .b = 0, .c = 2, .e = make_site(&m, BC_SITE_GLOBAL));
    uint32_t back = branch_if_less(&m, COUNT_, 30), end = make_block(&m, BC_RECONVERGE);
    make(&m, BC_exit);
    aim(&m, back, head, end);
    run_well(&m);
    for (unsigned i = 0; i < LANES; i++)
        assert_in_range(words()[i], 1, 64);
}

/* ---- barriers and faults ----------------------------------------------------------------------------- */

/* if (tid < limit) record; barrier; over two warps: all live threads of the block pass it at once. */
static void barriers_wait_for_all_live_lanes(void **state)
{
    UNUSED(state);
    struct maker m = begin();
    block_threads = 2 * LANES;
    make(&m, BC_tok_entry, .d = ENTRY);
    uint32_t branch = branch_if_less(&m, TID, EIGHT), low = make_block(&m, BC_RECONVERGE);
    make(&m, BC_stx_g32, .d = ONE, .a = TID, .b = 0, .c = 2, .e = make_site(&m, BC_SITE_GLOBAL));
    uint32_t reconverge = make_block(&m, BC_RECONVERGE);
    make(&m, BC_barrier, .e = ENTRY, .imm = make_site(&m, BC_SITE_OTHER));
    op3(&m, SCALAR_sub_I, AT, TID, EIGHT);
    make(&m, BC_exit);
    aim(&m, branch, low, reconverge);
    run_well(&m);
    for (unsigned i = 0; i < LANES; i++)
        assert_int_equal(words()[i], 1);
}

static void barriers_out_of_reach_are_faults(void **state)
{
    UNUSED(state);
    struct maker m = begin();
    make(&m, BC_tok_entry, .d = ENTRY);
    uint32_t branch = branch_if_less(&m, TID, ONE), left = make_block(&m, BC_RECONVERGE);
    make(&m, BC_barrier, .e = ENTRY, .imm = make_site(&m, BC_SITE_OTHER));
    uint32_t reconverge = make_block(&m, BC_RECONVERGE);
    record(&m, ENTRY, ZERO);
    make(&m, BC_exit);
    aim(&m, branch, left, reconverge);
    run_to_fault(&m, "barrier reached by only 1 of 8 threads of the warp");
}

/* op in a cycle by a token from outside breaks the static rules: two such operations wait in a circle. */
static void circles_are_faults(void **state)
{
    UNUSED(state);
    struct maker m = begin();
    make(&m, BC_tok_entry, .d = ENTRY);
    uint32_t branch = branch_if_less(&m, TID, ONE), first = make_block(&m, BC_RECONVERGE);
    record(&m, ENTRY, ZERO);
    uint32_t second = make_block(&m, BC_RECONVERGE);
    record(&m, ENTRY, ONE);
    make(&m, BC_jump, .imm = first);
    aim(&m, branch, first, second);
    run_to_fault(&m, "threads wait for each other at convergent operations");
}

/* for (;;) token = loop token; would keep an instance for each iteration. */
static void tokens_nested_in_themselves_are_faults(void **state)
{
    UNUSED(state);
    struct maker m = begin();
    make(&m, BC_tok_entry, .d = HEART);
    make(&m, BC_jump, .imm = m.p->code.count + 1);
    uint32_t loop = make_block(&m, BC_RECONVERGE);
    make(&m, BC_tok_loop, .d = HEART, .a = HEART, .imm = 0);
    make(&m, BC_jump, .imm = loop);
    fuel = 10000;
    run_to_fault(&m, "a token is nested in itself");
}

static void operations_need_tokens(void **state)
{
    UNUSED(state);
    struct maker m = begin();                        /* a register that no token was written to */
    record(&m, HEART, ZERO);
    make(&m, BC_exit);
    run_to_fault(&m, "a convergent operation without a token");
}

static int set_up(void **state)
{
    UNUSED(state);
    kernc_context_options o = {.size = sizeof o};
    bool made = kernc_context_create(&o, &context) == KERNC_OK &&
                kernc_buffer_create(context, WORDS * 4, "out", &out) == KERNC_OK;
    return made ? 0 : -1;
}

static int tear_down(void **state)
{
    UNUSED(state);
    kernc_context_free(context);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_come_by_any_way),
        cmocka_unit_test(iterations_count),
        cmocka_unit_test(the_region_goes_beyond_the_cycle),
        cmocka_unit_test(entries_are_those_of_the_call),
        cmocka_unit_test(calls_through_pointers_keep_the_calls_token),
        cmocka_unit_test(anchors_take_all_that_wait),
        cmocka_unit_test(lanes_that_spin_let_others_go_on),
        cmocka_unit_test(instances_are_given_back),
        cmocka_unit_test(barriers_wait_for_all_live_lanes),
        cmocka_unit_test(barriers_out_of_reach_are_faults),
        cmocka_unit_test(circles_are_faults),
        cmocka_unit_test(operations_need_tokens),
        cmocka_unit_test(tokens_nested_in_themselves_are_faults),
    };
    return cmocka_run_group_tests_name("runtime: oracle", tests, set_up, tear_down);
}
