/* Control flow under pdom, groups, indices of threads, several host threads. */
#include "test/unit/runtime_control.h"

/* ---- pdom -------------------------------------------------------------------------------------------- */

/* for (i = 0; i < lane; i++) sum += i;  one entry, lanes reconverge behind the loop. */
static void loops_of_different_length(void **state)
{
    UNUSED(state);
    struct maker m = begin();
    op3(&m, SCALAR_add_I, 4, 3, 3);
    op3(&m, SCALAR_add_I, 5, 3, 3);
    uint32_t to_head = make(&m, BC_jump);
    uint32_t head = make_block(&m, 0);
    make(&m, bc_scalar_op(SCALAR_ult_I, BC_FORM_B), .a = 4, .b = 1);
    uint32_t branch = make_branch(&m, 0, 0, 0);
    uint32_t body = make_block(&m, 0);
    op3(&m, SCALAR_add_I, 5, 5, 4);
    op3(&m, SCALAR_add_I, 4, 4, 2);
    make(&m, BC_jump, .imm = head);
    uint32_t end = make_block(&m, BC_RECONVERGE);
    store_result(&m, 5);
    make(&m, BC_exit);
    m.p->code.at[to_head].imm = head;
    *branch_at(&m, branch) = (struct bc_branch){BC_branch, branch_at(&m, branch)->site, body, end, end};
    run_well(&m);
    for (unsigned i = 0; i < 32; i++)
        assert_int_equal(words()[i], i * (i - 1) / 2);
    assert_int_equal(metrics.divergences, 31);
    assert_int_equal(metrics.reconvergences, 1);
    assert_int_equal(metrics.max_stack_depth, 1);
    assert_int_equal(metrics.warp_instructions, 3 + 2 * 32 + 31 * 3 + 3);
    assert_int_equal(metrics.thread_instructions, 3 * 32 + 2 * (32 + 31 * 32 / 2) + 3 * 31 * 32 / 2 + 3 * 32);
}

/* if (lane & 1) { if (lane & 2) r = 3 else r = 1 } else r = 8;  both reconverge at one block. */
static void branches_that_share_a_reconvergence_point(void **state)
{
    UNUSED(state);
    struct maker m = begin();
    constant(&m, 10, 2);
    constant(&m, 11, 8);
    op3(&m, SCALAR_and_I, 4, 1, 2);
    op3(&m, SCALAR_and_I, 5, 1, 10);
    op3(&m, SCALAR_ne_I, 0, 4, 3);
    op3(&m, SCALAR_ne_I, 1, 5, 3);
    make(&m, BC_br, .a = 0);
    uint32_t outer = make_branch(&m, 0, 0, 0), odd = make_block(&m, 0);
    make(&m, BC_br, .a = 1);
    uint32_t inner = make_branch(&m, 0, 0, 0), both = make_block(&m, 0);
    op3(&m, SCALAR_add_I, 6, 10, 2);
    uint32_t jump1 = make(&m, BC_jump), single = make_block(&m, 0);
    op3(&m, SCALAR_add_I, 6, 2, 3);
    uint32_t jump2 = make(&m, BC_jump), even = make_block(&m, 0);
    op3(&m, SCALAR_add_I, 6, 11, 3);
    uint32_t jump3 = make(&m, BC_jump), end = make_block(&m, BC_RECONVERGE);
    make(&m, BC_active, .d = 2, .e = BC_NO_TOKEN);
    make(&m, BC_splat_v, .d = 7, .a = 2);
    store_result(&m, 6);
    make(&m, BC_stx_g32, .d = 7, .a = 0, .b = 0, .c = 2, .imm = 128, .e = make_site(&m, BC_SITE_GLOBAL));
    make(&m, BC_exit);
    m.p->code.at[jump1].imm = m.p->code.at[jump2].imm = m.p->code.at[jump3].imm = end;
    *branch_at(&m, outer) = (struct bc_branch){BC_branch, branch_at(&m, outer)->site, odd, even, end};
    *branch_at(&m, inner) = (struct bc_branch){BC_branch, branch_at(&m, inner)->site, both, single, end};
    run_well(&m);
    for (unsigned i = 0; i < 32; i++) {
        assert_int_equal(words()[i], i & 1 ? i & 2 ? 3 : 1 : 8);
        assert_int_equal(words()[32 + i], UINT32_MAX);
    }
    assert_int_equal(metrics.divergences, 2);
    assert_int_equal(metrics.reconvergences, 1);
    assert_int_equal(metrics.max_stack_depth, 3);
}

/* Half the lanes end in one side; the others go on, with no lane left behind. */
static void lanes_that_end_leave_all_entries(void **state)
{
    UNUSED(state);
    struct maker m = begin();
    op3(&m, SCALAR_and_I, 4, 1, 2);
    op3(&m, SCALAR_ne_I, 0, 4, 3);
    make(&m, BC_br, .a = 0);
    uint32_t branch = make_branch(&m, 0, 0, 0), odd = make_block(&m, 0);
    make(&m, BC_exit);
    uint32_t even = make_block(&m, 0), jump = make(&m, BC_jump), end = make_block(&m, BC_RECONVERGE);
    make(&m, BC_active, .d = 2, .e = BC_NO_TOKEN);
    make(&m, BC_splat_v, .d = 7, .a = 2);
    store_result(&m, 7);
    make(&m, BC_exit);
    m.p->code.at[jump].imm = end;
    *branch_at(&m, branch) = (struct bc_branch){BC_branch, branch_at(&m, branch)->site, odd, even, end};
    run_well(&m);
    for (unsigned i = 0; i < 32; i++)
        assert_int_equal(words()[i], i & 1 ? 0 : 0x55555555);
}

static void switches_find_their_cases(void **state)
{
    UNUSED(state);
    static const int64_t values[] = {-5, 3, 7, 200};
    for (int wide = 0; wide < 3; wide++) {
        struct maker m = begin();
        uint32_t targets[5], jumps[5];
        constant(&m, 10, 10);
        op3(&m, SCALAR_sub_I, 4, 1, 10);
        make(&m, bc_scalar_op(SCALAR_sext_IL, BC_FORM_V), .d = 8, .a = 4);
        make_fill(&m, BC_FROM_CONSTANT, BC_KIND_S, 3, 7);
        make_site(&m, BC_SITE_BRANCH);
        make(&m,
             wide == 2 ? BC_switch_s
             : wide    ? BC_switch_w
                       : BC_switch_v,
             .a = wide == 2 ? 3
                  : wide    ? 8
                            : 4,
             .imm = 0);
        for (unsigned i = 0; i < 5; i++) {
            constant(&m, 20 + i, 100 + i);
            targets[i] = make_block(&m, 0);
            op3(&m, SCALAR_add_I, 6, 20 + i, 3);
            jumps[i] = make(&m, BC_jump);
        }
        uint32_t end = make_block(&m, BC_RECONVERGE);
        store_result(&m, 6);
        make(&m, BC_exit);
        for (unsigned i = 0; i < 5; i++)
            m.p->code.at[jumps[i]].imm = end;
        for (unsigned i = 0; i < 4; i++) {
            struct bc_case row = {values[i], targets[i]};
            vec_push(&m.p->arena, &m.p->cases, row);
        }
        struct bc_switch table = {.count = 4, .otherwise = targets[4], .reconverge = end, .site = 0};
        vec_push(&m.p->arena, &m.p->switches, table);
        run_well(&m);
        for (int i = 0; i < 32; i++) {
            int value = wide == 2 ? 7 : i - 10;
            assert_int_equal(words()[i], value == -5 ? 100 : value == 3 ? 101 : value == 7 ? 102 : 104);
        }
        assert_int_equal(metrics.divergences, wide == 2 ? 0 : 1);
        assert_int_equal(metrics.reconvergences, wide == 2 ? 0 : 1);
    }
}

/* Lanes call f or g, which is convergent, through pointers, reconverge behind the call; f returns from two
 * places. */
static void calls_through_pointers_reconverge(void **state)
{
    UNUSED(state);
    enum { GOOD, NO_FUNCTION, NOT_CONVERGENT };
    for (int bad = GOOD; bad <= NOT_CONVERGENT; bad++) {
        uint32_t signature = bc_signature(2, bad != NOT_CONVERGENT);
        struct maker m = begin();
        constant(&m, 10, 5);
        op3(&m, SCALAR_and_I, 4, 1, 2);
        op3(&m, SCALAR_add_I, 5, 4, 2);
        op3(&m, SCALAR_add_I, 5, 5, bad == NO_FUNCTION ? 10 : 2);
        uint32_t site = make_site(&m, BC_SITE_OTHER);
        make(&m, BC_icall, .d = 30, .a = 5, .b = BC_NO_TOKEN, .e = (uint16_t)site, .imm = signature);
        make_block(&m, BC_RETURN | BC_RECONVERGE);
        make(&m, BC_active, .d = 2, .e = BC_NO_TOKEN);
        make(&m, BC_splat_v, .d = 7, .a = 2);
        make(&m, BC_stx_g32, .d = 7, .a = 0, .b = 0, .c = 2, .imm = 128, .e = make_site(&m, BC_SITE_GLOBAL));
        store_result(&m, 6);
        make(&m, BC_exit);
        make_function(&m, "f", bc_signature(2, false), 30);
        make_block(&m, 0);
        make(&m, bc_scalar_op(SCALAR_ult_I, BC_FORM_B), .a = 1, .b = 10);
        uint32_t branch = make_branch(&m, 0, 0, BC_NO_TARGET), low = make_block(&m, 0);
        op3(&m, SCALAR_add_I, 6, 2, 3);
        make(&m, BC_ret, .a = 30, .e = make_site(&m, BC_SITE_OTHER));
        uint32_t high = make_block(&m, 0);
        op3(&m, SCALAR_add_I, 6, 10, 2);
        make(&m, BC_ret, .a = 30, .e = make_site(&m, BC_SITE_OTHER));
        branch_at(&m, branch)->yes = low;
        branch_at(&m, branch)->no = high;
        make_function(&m, "g", bc_signature(2, true), 30);
        make_block(&m, 0);
        op3(&m, SCALAR_add_I, 6, 10, 10);
        make(&m, BC_ret, .a = 30, .e = make_site(&m, BC_SITE_OTHER));
        if (bad) {
            run_to_fault(&m, KERNC_TRAP,
                         bad == NO_FUNCTION ? "function pointer (6)" : "function pointer (3)");
            continue;
        }
        run_well(&m);
        for (unsigned i = 0; i < 32; i++) {
            assert_int_equal(words()[i], i & 1 ? 10 : i < 5 ? 1 : 6);
            assert_int_equal(words()[32 + i], UINT32_MAX);
        }
        assert_int_equal(metrics.divergences, 2);
    }
}

/* f returns from two places to one, where all go on together: 2 instructions there, 6 in f, the call. */
static void lanes_that_return_apart_reconverge(void **state)
{
    UNUSED(state);
    struct maker m = begin();
    uint32_t call = make(&m, BC_call, .d = 30);
    make_block(&m, BC_RETURN | BC_RECONVERGE);
    store_result(&m, 4);
    make(&m, BC_exit);
    make_function(&m, "f", 0, 30);
    m.p->functions.at[1].entry = BC_NO_TARGET;
    m.p->code.at[call].imm = make_block(&m, 0);
    op3(&m, SCALAR_and_I, 4, 1, 2);
    make(&m, bc_scalar_op(SCALAR_eq_I, BC_FORM_B), .a = 4, .b = 2);
    uint32_t branch = make_branch(&m, 0, 0, BC_NO_TARGET), odd = make_block(&m, 0);
    make(&m, BC_ret, .a = 30, .e = make_site(&m, BC_SITE_OTHER));
    uint32_t even = make_block(&m, 0);
    make(&m, BC_ret, .a = 30, .e = make_site(&m, BC_SITE_OTHER));
    branch_at(&m, branch)->yes = odd;
    branch_at(&m, branch)->no = even;
    run_well(&m);
    for (unsigned i = 0; i < 32; i++)
        assert_int_equal(words()[i], i & 1);
    assert_int_equal(metrics.warp_instructions, 9);
    assert_int_equal(metrics.thread_instructions, 32 * 8);
}

/* f returns true in odd lanes. Where the branch behind its call reads that, they go on at its targets at once,
 * else behind the call: the warp executes one word less. */
static void returns_lead_to_successors(void **state)
{
    UNUSED(state);
    uint64_t instructions[2];
    for (uint16_t read = 0; read < 2; read++) {
        struct maker m = begin();
        m.p->scheme = "tf-stack";
        uint32_t call = make(&m, BC_call, .d = 30);
        make_block(&m, BC_RETURN);
        make(&m, BC_br, .a = (uint16_t)(1 - read));
        uint32_t branch = make_branch(&m, 0, 0, BC_NO_TARGET), yes = make_block(&m, 0);
        store_result(&m, 1);
        make(&m, BC_exit);
        uint32_t no = make_block(&m, 0);
        store_result(&m, 2);
        make(&m, BC_exit);
        make_function(&m, "f", 0, 30);
        m.p->functions.at[1].entry = BC_NO_TARGET;
        m.p->code.at[call].imm = make_block(&m, 0);
        op3(&m, SCALAR_and_I, 4, 1, 2);
        make(&m, bc_scalar_op(SCALAR_eq_I, BC_FORM_V), .d = 2, .a = 4, .b = 2);
        make(&m, BC_mov_m, .d = 0, .a = 2);
        make(&m, BC_ret_m, .d = 1, .a = 30, .b = 2, .e = make_site(&m, BC_SITE_OTHER));
        branch_at(&m, branch)->yes = yes;
        branch_at(&m, branch)->no = no;
        run_well(&m);
        instructions[read] = metrics.warp_instructions;
        for (unsigned i = 0; i < 32; i++)
            assert_int_equal(words()[i], i & 1 ? i : 1);
    }
    assert_int_equal(instructions[0], instructions[1] - 1);
}

static void returns_to_successors_need_frontiers(void **state)
{
    UNUSED(state);
    struct maker m = begin();
    make(&m, BC_exit);
    make_function(&m, "f", 0, 30);
    m.p->functions.at[1].entry = BC_NO_TARGET;
    make_block(&m, 0);
    make(&m, BC_ret_true, .d = 1, .a = 30, .e = make_site(&m, BC_SITE_OTHER));
    assert_null(make_finish(&m, context));
    assert_non_null(
        strstr(kernc_error_text(context), "is not for the scheme pdom: it has no calls with two successors"));
}

/* ---- groups ------------------------------------------------------------------------------------------ */

static void groups_combine_their_lanes(void **state)
{
    UNUSED(state);
    struct maker m = begin();
    static const enum bc_op reductions[] = {BC_reduce_add_I, BC_reduce_umax_I, BC_reduce_umin_I,
                                            BC_reduce_xor_I};
    constant(&m, 10, 20);
    op3(&m, SCALAR_ult_I, 0, 1, 10);
    make(&m, BC_br, .a = 0);
    uint32_t branch = make_branch(&m, 0, 0, 0), then = make_block(&m, 0);
    for (unsigned i = 0; i < COUNT(reductions); i++) {
        make(&m, reductions[i], .d = 2, .a = 0, .e = BC_NO_TOKEN);
        make(&m, BC_spread_v, .d = 4, .a = 2);
        make(&m, BC_stx_g32, .d = 4, .a = 3, .b = 0, .c = 2, .imm = 512 + 4 * i,
             .e = make_site(&m, BC_SITE_GLOBAL));
    }
    make(&m, BC_scan_add_I, .d = 5, .a = 2, .e = BC_NO_TOKEN);
    make(&m, BC_shuffle_down_v, .d = 6, .a = 0, .b = 2, .e = BC_NO_TOKEN);
    make(&m, BC_elect, .d = 1, .e = BC_NO_TOKEN);
    make(&m, BC_any, .d = 3, .a = 1, .e = BC_NO_TOKEN);
    make(&m, BC_all, .d = 4, .a = 1, .e = BC_NO_TOKEN);
    make(&m, bc_scalar_op(SCALAR_select_I, BC_FORM_V), .d = 7, .a = 1, .b = 5, .c = 6);
    store_result(&m, 7);
    uint32_t jump = make(&m, BC_jump), join = make_block(&m, BC_RECONVERGE);
    make(&m, BC_exit);
    m.p->code.at[jump].imm = join;
    *branch_at(&m, branch) = (struct bc_branch){BC_branch, branch_at(&m, branch)->site, then, join, join};
    run_well(&m);
    assert_int_equal(words()[128], 190);
    assert_int_equal(words()[129], 19);
    assert_int_equal(words()[130], 0);
    assert_int_equal(words()[131], 0);
    assert_int_equal(words()[0], 1);
    for (unsigned i = 1; i < 32; i++)
        assert_int_equal(words()[i], i >= 20 ? 0 : i == 19 ? 19 : i + 1);
}

/* ---- several host threads ---------------------------------------------------------------------------- */

static void host_threads_share_global_memory(void **state)
{
    UNUSED(state);
    for (unsigned threads = 1; threads <= 4; threads += 3) {
        struct maker m = begin();
        make_fill(&m, BC_FROM_PARAM, BC_KIND_V, 12, 0);
        make(&m, BC_at_gadd_I, .d = 4, .a = 12, .b = 2, .e = make_site(&m, BC_SITE_GLOBAL), .imm = 16);
        make(&m, BC_exit);
        options.grid[0] = 100;
        options.grid[1] = 20;
        options.threads = threads;
        run_well(&m);
        assert_int_equal(words()[4], 2000 * 32);
        assert_int_equal(metrics.warp_instructions, 4000);
        assert_true(metrics.simt_efficiency == 1);
    }
}

/* v4 = (v22 * rows + v21) * columns + v20 */
static void place_of(struct maker *m, unsigned columns, unsigned rows)
{
    constant(m, 10, columns);
    constant(m, 11, rows);
    op3(m, SCALAR_mul_I, 4, 22, 11);
    op3(m, SCALAR_add_I, 4, 4, 21);
    op3(m, SCALAR_mul_I, 4, 4, 10);
    op3(m, SCALAR_add_I, 4, 4, 20);
}

/* Thread and block indices in three dimensions, with warps that do not divide the block. */
static void indices_have_three_dimensions(void **state)
{
    UNUSED(state);
    struct maker m = begin();
    static const enum bc_special specials[] = {BC_SPECIAL_TID_X, BC_SPECIAL_TID_Y, BC_SPECIAL_TID_Z,
                                               BC_SPECIAL_WARP};
    for (unsigned i = 0; i < COUNT(specials); i++)
        make_fill(&m, BC_FROM_SPECIAL, BC_KIND_V, 20 + i, specials[i]);
    constant(&m, 12, 1000);
    place_of(&m, 3, 5);
    op3(&m, SCALAR_mul_I, 5, 23, 12);
    op3(&m, SCALAR_add_I, 5, 5, 4);
    make(&m, BC_stx_g32, .d = 5, .a = 4, .b = 0, .c = 2, .e = make_site(&m, BC_SITE_GLOBAL));
    make(&m, BC_exit);
    options.block[0] = 3;
    options.block[1] = 5;
    options.block[2] = 4;
    options.warp = 13;
    run_well(&m);
    for (unsigned t = 0; t < 60; t++)
        assert_int_equal(words()[t], t + t / 13 * 1000);
}

/* The same of the grid: thread (x, y) of the grid stores its number to its place. */
static void grid_indices_have_three_dimensions(void **state)
{
    UNUSED(state);
    for (unsigned warp = 5; warp <= 32; warp += 27) {
        struct maker m = begin();
        for (unsigned d = 0; d < 3; d++)
            make_fill(&m, BC_FROM_GRID, BC_KIND_V, 20 + d, d);
        place_of(&m, 6, 8);
        make(&m, BC_stx_g32, .d = 4, .a = 4, .b = 0, .c = 2, .e = make_site(&m, BC_SITE_GLOBAL));
        make(&m, BC_exit);
        memcpy(options.block, (uint32_t[]){3, 2, 1}, sizeof options.block);
        memcpy(options.grid, (uint32_t[]){2, 4, 3}, sizeof options.grid);
        options.warp = warp;
        run_well(&m);
        for (unsigned t = 0; t < 6 * 8 * 3; t++)
            assert_int_equal(words()[t], t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loops_of_different_length),
        cmocka_unit_test(branches_that_share_a_reconvergence_point),
        cmocka_unit_test(lanes_that_end_leave_all_entries),
        cmocka_unit_test(switches_find_their_cases),
        cmocka_unit_test(calls_through_pointers_reconverge),
        cmocka_unit_test(groups_combine_their_lanes),
        cmocka_unit_test(lanes_that_return_apart_reconverge),
        cmocka_unit_test(returns_lead_to_successors),
        cmocka_unit_test(returns_to_successors_need_frontiers),
        cmocka_unit_test(host_threads_share_global_memory),
        cmocka_unit_test(indices_have_three_dimensions),
        cmocka_unit_test(grid_indices_have_three_dimensions),
    };
    modelled = true;
    return cmocka_run_group_tests_name("runtime: control", tests, set_up, tear_down);
}
