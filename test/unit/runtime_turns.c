/* runtime_turns.c: barriers, time slices, fuel, traps, printed text, host functions. */
#include "test/unit/runtime_control.h"

/* ---- barriers and turns ------------------------------------------------------------------------------ */

/* shared[t] = t; barrier; out[t] = shared[threads - 1 - t], over several warps. */
static void barriers_order_the_block(void **state)
{
    UNUSED(state);
    for (unsigned warp = 7; warp <= 64; warp += 19) {
        struct maker m = begin();
        m.p->shared_bytes = 16 + 200 * 4;
        constant(&m, 10, 199);
        make_fill(&m, BC_FROM_CONSTANT, BC_KIND_S, 4, 16);
        make(&m, BC_stx_h32, .d = 0, .a = 0, .b = 4, .c = 2, .e = make_site(&m, BC_SITE_SHARED));
        make(&m, BC_barrier, .e = BC_NO_TOKEN, .imm = make_site(&m, BC_SITE_OTHER));
        op3(&m, SCALAR_sub_I, 4, 10, 0);
        make(&m, BC_ldx_h32, .d = 5, .a = 4, .b = 4, .c = 2, .e = make_site(&m, BC_SITE_SHARED));
        store_result(&m, 5);
        make(&m, BC_exit);
        options.block[0] = 200;
        options.warp = warp;
        run_well(&m);
        for (unsigned i = 0; i < 200; i++)
            assert_int_equal(words()[i], 199 - i);
    }
}

/* Threads below the limit end or wait elsewhere; the others come to a barrier. */
static void barrier_after_branch(uint32_t limit, bool other_barrier, kernc_status status, const char *text)
{
    struct maker m = begin();
    constant(&m, 10, limit);
    make(&m, bc_scalar_op(SCALAR_ult_I, BC_FORM_B), .a = 0, .b = 10);
    uint32_t branch = make_branch(&m, 0, 0, 0), low = make_block(&m, 0);
    if (other_barrier)
        make(&m, BC_barrier, .e = BC_NO_TOKEN, .imm = make_site(&m, BC_SITE_OTHER));
    make(&m, BC_exit);
    uint32_t high = make_block(&m, 0);
    make(&m, BC_barrier, .e = BC_NO_TOKEN, .imm = make_site(&m, BC_SITE_OTHER));
    make(&m, BC_exit);
    *branch_at(&m, branch) =
        (struct bc_branch){BC_branch, branch_at(&m, branch)->site, low, high, BC_NO_TARGET};
    options.block[0] = 96;
    if (status == KERNC_OK)
        run_well(&m);
    else
        run_to_fault(&m, status, text);
}

static void barriers_that_cannot_open_are_faults(void **state)
{
    UNUSED(state);
    barrier_after_branch(32, false, KERNC_OK, "");
    barrier_after_branch(16, false, KERNC_OK, "");
    barrier_after_branch(32, true, KERNC_TRAP, "wait at different barriers");
    barrier_after_branch(80, true, KERNC_TRAP, "barrier reached by only 16 of 32 threads of the warp");
}

/* Warp 0 spins until warp 1 has set a flag in shared memory. */
static void a_spinning_warp_does_not_keep_others_from_running(void **state)
{
    UNUSED(state);
    struct maker m = begin();
    m.p->shared_bytes = 32;
    constant(&m, 10, 32);
    constant(&m, 11, 16);
    make_fill(&m, BC_FROM_CONSTANT, BC_KIND_S, 4, 16);
    make(&m, bc_scalar_op(SCALAR_ult_I, BC_FORM_B), .a = 0, .b = 10);
    uint32_t branch = make_branch(&m, 0, 0, 0), spin = make_block(&m, 0);
    make(&m, BC_ldu_h32, .d = 5, .a = 4, .e = make_site(&m, BC_SITE_SHARED));
    make(&m, bc_scalar_op(SCALAR_ne_I, BC_FORM_C), .a = 5, .b = 1);
    uint32_t again = make_branch(&m, spin, 0, BC_NO_TARGET), set = make_block(&m, 0);
    make(&m, BC_st_h32, .a = 11, .b = 2, .e = make_site(&m, BC_SITE_SHARED));
    uint32_t jump = make(&m, BC_jump), end = make_block(&m, BC_RECONVERGE);
    store_result(&m, 0);
    make(&m, BC_exit);
    m.p->code.at[jump].imm = end;
    branch_at(&m, again)->no = end;
    *branch_at(&m, branch) = (struct bc_branch){BC_branch, branch_at(&m, branch)->site, spin, set, end};
    options.block[0] = 64;
    run_well(&m);
    assert_int_equal(words()[63], 63);
    assert_int_equal(words()[5], 5);
}

static void endless_loops_run_out_of_fuel(void **state)
{
    UNUSED(state);
    for (unsigned threads = 1; threads <= 2; threads++) {
        struct maker m = begin();
        uint32_t head = make_block(&m, 0);
        make(&m, BC_jump, .imm = head);
        options.fuel = 100000;
        options.grid[0] = 4;
        options.threads = threads;
        run_to_fault(&m, KERNC_LIMIT, "out of fuel after 100000 warp instructions");
        assert_true(metrics.warp_instructions >= 100000);
    }
}

static volatile int stop;

static void *stop_soon(void *unused)
{
    UNUSED(unused);
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    stop = 1;
    return NULL;
}

static void endless_loops_are_found(void **state)
{
    UNUSED(state);
    for (unsigned threads = 1; threads <= 3; threads++) {
        struct maker m = begin();
        uint32_t head = make_block(&m, 0);
        make(&m, BC_jump, .imm = head);
        options.grid[0] = 4;
        options.threads = threads;
        run_to_fault(&m, KERNC_DEADLOCK, "deadlock: lanes 0-");
        assert_non_null(kernc_last_trap(context));
        assert_int_equal(kernc_last_trap(context)->block[0], 0);
        assert_true(metrics.warp_instructions < 1 << 26);
    }
}

static void another_thread_interrupts_a_launch(void **state)
{
    UNUSED(state);
    pthread_t thread;
    struct maker m = begin();
    uint32_t head = make_block(&m, 0);
    make(&m, BC_clock, .d = 4); /* else it would be a deadlock */
    make(&m, BC_jump, .imm = head);
    options.threads = 2;
    options.grid[0] = 4;
    options.interrupt = &stop;
    assert_int_equal(pthread_create(&thread, NULL, stop_soon, NULL), 0);
    run_to_fault(&m, KERNC_LIMIT, "interrupted ");
    pthread_join(thread, NULL);
}

static void fuel_is_exact_for_launches_that_end(void **state)
{
    UNUSED(state);
    for (unsigned fuel = 14; fuel <= 15; fuel++) {
        struct maker m = begin();
        store_result(&m, 0);
        make(&m, BC_exit);
        options.grid[0] = 5;
        options.fuel = fuel;
        assert_int_equal(run(&m), fuel == 15 ? KERNC_OK : KERNC_LIMIT);
    }
}

/* ---- traps ------------------------------------------------------------------------------------------- */

/* Block b traps if b >= 3; whatever the host threads do, block 3 is named, and what blocks 0 to 3 print is
 * printed. */
static void the_lowest_block_traps(void **state)
{
    UNUSED(state);
    for (unsigned threads = 1; threads <= 4; threads++) {
        struct maker m = begin();
        make_fill(&m, BC_FROM_SPECIAL, BC_KIND_S, 4, BC_SPECIAL_BID_X);
        make_fill(&m, BC_FROM_CONSTANT, BC_KIND_S, 5, 3);
        uint32_t format = make_text(&m, "block %d\n"), text = make_text(&m, "too many blocks");
        make(&m, BC_splat_v, .d = 4, .a = 4);
        op3(&m, SCALAR_eq_I, 0, 1, 3);
        make(&m, BC_br, .a = 0);
        uint32_t first = make_branch(&m, 0, 0, 0), print = make_block(&m, 0);
        struct bc_operand operand = {BE_I32, BC_KIND_S, 4};
        vec_push(&m.p->arena, &m.p->operands, operand);
        make(&m, BC_printf, .a = 1, .b = 0, .e = make_site(&m, BC_SITE_OTHER), .imm = format);
        uint32_t jump = make(&m, BC_jump), join = make_block(&m, BC_RECONVERGE);
        make(&m, bc_scalar_op(SCALAR_ult_I, BC_FORM_C), .a = 4, .b = 5);
        uint32_t branch = make_branch(&m, 0, 0, BC_NO_TARGET), good = make_block(&m, 0);
        make(&m, BC_exit);
        uint32_t trap = make_block(&m, 0);
        make(&m, BC_trap, .e = make_site(&m, BC_SITE_OTHER), .imm = text);
        m.p->code.at[jump].imm = join;
        *branch_at(&m, first) = (struct bc_branch){BC_branch, branch_at(&m, first)->site, print, join, join};
        branch_at(&m, branch)->yes = good;
        branch_at(&m, branch)->no = trap;
        options.grid[0] = 50;
        options.threads = threads;
        run_to_fault(&m, KERNC_TRAP, "kernel k: too many blocks (block 3,0,0 thread 0,0,0)");
        assert_string_equal(printed.at, "block 0\nblock 1\nblock 2\nblock 3\n");
        assert_int_equal(kernc_last_trap(context)->block[0], 3);
        assert_int_equal(kernc_last_trap(context)->line, 13);
    }
}

static void asserts_name_the_first_thread_that_fails(void **state)
{
    UNUSED(state);
    struct maker m = begin();
    uint32_t text = make_text(&m, "assertion failed: y < 1");
    make_fill(&m, BC_FROM_SPECIAL, BC_KIND_V, 12, BC_SPECIAL_TID_Y);
    op3(&m, SCALAR_ult_I, 0, 12, 2);
    make(&m, BC_assert, .a = 0, .e = make_site(&m, BC_SITE_OTHER), .imm = text);
    make(&m, BC_exit);
    options.block[0] = 8;
    options.block[1] = 8;
    run_to_fault(&m, KERNC_TRAP, "assertion failed: y < 1 (block 0,0,0 thread 0,1,0)");
}

/* ---- printf ------------------------------------------------------------------------------------------ */

static void printf_formats_by_operand(void **state)
{
    UNUSED(state);
    struct maker m = begin();
    static const struct bc_operand operands[] = {
        {BE_I32, BC_KIND_V, 4},
        {BE_F64, BC_KIND_W, 8},
        {BE_I64, BC_KIND_W, 10},
        {BE_I32, BC_KIND_S, 1},
    };
    make_fill(&m, BC_FROM_CONSTANT, BC_KIND_W, 8, scalar_raw_f64(1.5));
    make_fill(&m, BC_FROM_CONSTANT, BC_KIND_W, 10, (uint64_t)-7);
    for (unsigned i = 0; i < COUNT(operands); i++)
        vec_push(&m.p->arena, &m.p->operands, operands[i]);
    uint32_t format = make_text(&m, "%-3d|%6.2f|%lld|%05x 100%%\n");
    op3(&m, SCALAR_add_I, 4, 1, 2);
    make(&m, BC_printf, .a = 4, .b = 0, .e = make_site(&m, BC_SITE_OTHER), .imm = format);
    make(&m, BC_exit);
    options.block[0] = 2;
    run_well(&m);
    assert_string_equal(printed.at, "1  |  1.50|-7|00001 100%\n2  |  1.50|-7|00001 100%\n");
}

/* Text of many blocks on several threads comes in block order. */
static void printed_text_is_in_block_order(void **state)
{
    UNUSED(state);
    struct text want = {0};
    for (unsigned b = 0; b < 300; b++)
        text_printf(&want, "%u ", b);
    for (unsigned threads = 1; threads <= 4; threads++) {
        struct maker m = begin();
        struct bc_operand operand = {BE_I32, BC_KIND_S, 4};
        make_fill(&m, BC_FROM_SPECIAL, BC_KIND_S, 4, BC_SPECIAL_BID_X);
        vec_push(&m.p->arena, &m.p->operands, operand);
        make(&m, BC_printf, .a = 1, .b = 0, .e = make_site(&m, BC_SITE_OTHER), .imm = make_text(&m, "%d "));
        make(&m, BC_exit);
        options.block[0] = 1;
        options.grid[0] = 300;
        options.threads = threads;
        run_well(&m);
        assert_string_equal(printed.at, want.at);
    }
    text_free(&want);
}

/* ---- host functions ---------------------------------------------------------------------------------- */

static float scale(float x, int32_t by, const uint32_t *first)
{
    return x * (float)by + (float)first[0];
}

static void host_functions_are_called_by_lane(void **state)
{
    UNUSED(state);
    for (int known = 0; known < 2; known++) {
        struct maker m = begin();
        static const struct bc_operand operands[] = {
            {BE_F32, BC_KIND_V, 4}, {BE_I32, BC_KIND_V, 1}, {BE_PTR, BC_KIND_S, 0}};
        for (unsigned i = 0; i < COUNT(operands); i++)
            vec_push(&m.p->arena, &m.p->operands, operands[i]);
        struct bc_host host = {.name = known ? "scale" : "unknown",
                               .result = BE_F32,
                               .argc = 3,
                               .args = {BE_F32, BE_I32, BE_PTR}};
        vec_push(&m.p->arena, &m.p->hosts, host);
        make(&m, bc_scalar_op(SCALAR_uitof_IF, BC_FORM_V), .d = 4, .a = 1);
        make(&m, BC_hostcall, .d = 6, .a = 3, .b = 0, .e = make_site(&m, BC_SITE_OTHER), .imm = 0);
        make(&m, bc_scalar_op(SCALAR_ftoui_FI, BC_FORM_V), .d = 6, .a = 6);
        store_result(&m, 6);
        make(&m, BC_exit);
        words()[0] = 1000;
        assert_int_equal(kernc_host_function(context, "scale", (void (*)(void))scale), KERNC_OK);
        if (!known) {
            run_to_fault(&m, KERNC_TRAP, "host function unknown is in no loaded library");
            continue;
        }
        run_well(&m);
        for (unsigned i = 0; i < 32; i++)
            assert_int_equal(words()[i], i * i + 1000);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(barriers_order_the_block),
        cmocka_unit_test(barriers_that_cannot_open_are_faults),
        cmocka_unit_test(a_spinning_warp_does_not_keep_others_from_running),
        cmocka_unit_test(endless_loops_run_out_of_fuel),
        cmocka_unit_test(endless_loops_are_found),
        cmocka_unit_test(another_thread_interrupts_a_launch),
        cmocka_unit_test(fuel_is_exact_for_launches_that_end),
        cmocka_unit_test(the_lowest_block_traps),
        cmocka_unit_test(asserts_name_the_first_thread_that_fails),
        cmocka_unit_test(printf_formats_by_operand),
        cmocka_unit_test(printed_text_is_in_block_order),
        cmocka_unit_test(host_functions_are_called_by_lane),
    };
    return cmocka_run_group_tests_name("runtime: turns", tests, set_up, tear_down);
}
