/* runtime_faults.c: atomics, and each way an access can be wrong. */
#include "test/unit/runtime_memory.h"

/* ---- atomics ----------------------------------------------------------------------------------------- */

static uint32_t one_atomic(enum bc_op op, uint32_t before, uint32_t operand, uint32_t exchange,
                           uint32_t threads)
{
    struct maker m = begin();
    make_fill(&m, BC_FROM_CONSTANT, BC_KIND_V, 12, operand);
    make_fill(&m, BC_FROM_CONSTANT, BC_KIND_V, 13, exchange);
    bool cas = op == BC_at_gcas_I || op == BC_at_gcas_F;
    make(&m, op, .d = 2, .a = 11, .b = 12, .c = cas ? 13 : 0, .e = make_site(&m, BC_SITE_GLOBAL), .imm = 512);
    make(&m, BC_stx_g32, .d = 2, .a = 0, .b = 1, .c = 2, .e = make_site(&m, BC_SITE_GLOBAL));
    make(&m, BC_exit);
    uint32_t *words = kernc_buffer_map(out);
    words[128] = before;
    if (run(&m, threads, NULL, NULL) != KERNC_OK)
        fail_msg("%s", kernc_error_text(context));
    assert_int_equal(words[0], before);
    return words[128];
}

static void atomics_compute(void **state)
{
    UNUSED(state);
    assert_int_equal(one_atomic(BC_at_gadd_I, 5, 3, 0, 16), 5 + 48);
    assert_int_equal(((uint32_t *)kernc_buffer_map(out))[7], 5 + 21);
    assert_int_equal(one_atomic(BC_at_gsub_I, 5, 3, 0, 2), (uint32_t)-1);
    assert_int_equal(one_atomic(BC_at_gsmin_I, 5, (uint32_t)-3, 0, 2), (uint32_t)-3);
    assert_int_equal(one_atomic(BC_at_gsmax_I, 5, (uint32_t)-3, 0, 2), 5);
    assert_int_equal(one_atomic(BC_at_gumin_I, 5, (uint32_t)-3, 0, 2), 5);
    assert_int_equal(one_atomic(BC_at_gumax_I, 5, (uint32_t)-3, 0, 2), (uint32_t)-3);
    assert_int_equal(one_atomic(BC_at_gand_I, 5, 6, 0, 2), 4);
    assert_int_equal(one_atomic(BC_at_gor_I, 5, 6, 0, 2), 7);
    assert_int_equal(one_atomic(BC_at_gxor_I, 5, 6, 0, 2), 5);
    assert_int_equal(one_atomic(BC_at_gxchg_I, 5, 6, 0, 2), 6);
    assert_int_equal(one_atomic(BC_at_gcas_I, 5, 5, 9, 2), 9);
    assert_int_equal(one_atomic(BC_at_gcas_I, 5, 6, 9, 2), 5);
    assert_int_equal(one_atomic(BC_at_gadd_F, 0x3f800000, 0x40000000, 0, 2), 0x40a00000);
    assert_int_equal(one_atomic(BC_at_gsmin_F, 0x3f800000, 0xffc11111, 0, 2), 0x3f800000);
    assert_int_equal(one_atomic(BC_at_gxchg_F, 0x3f800000, 0xffc11111, 0, 2), 0x7fc00000);
    assert_int_equal(one_atomic(BC_at_gcas_F, 0x7fc00000, 0xffc11111, 0x40000000, 2), 0x40000000);
}

/* 64-bit atomics in shared memory, under half a mask. */
static void wide_atomics_compute(void **state)
{
    UNUSED(state);
    struct maker m = begin();
    m.p->shared_bytes = 32;
    make_fill(&m, BC_FROM_CONSTANT, BC_KIND_V, 12, 16);
    make_fill(&m, BC_FROM_CONSTANT, BC_KIND_W, 14, (uint64_t)-5);
    make_fill(&m, BC_FROM_CONSTANT, BC_KIND_W, 16, 77);
    make_fill(&m, BC_FROM_CONSTANT, BC_KIND_W, 18, (uint64_t)-80);
    make_fill(&m, BC_FROM_CONSTANT, BC_KIND_S, 3, 1);
    make(&m, bc_scalar_op(SCALAR_and_I, BC_FORM_V), .d = 2, .a = 0, .b = 8);
    make(&m, bc_scalar_op(SCALAR_eq_I, BC_FORM_V), .d = 0, .a = 2, .b = 9);
    make(&m, BC_br, .a = 0);
    uint32_t branch = make_branch(&m, 0, 0, 0), then = make_block(&m, 0);
    make(&m, BC_at_hadd_L, .d = 20, .a = 12, .b = 14, .e = make_site(&m, BC_SITE_SHARED));
    make(&m, BC_at_hsmin_L, .d = 22, .a = 12, .b = 16, .e = make_site(&m, BC_SITE_SHARED));
    make(&m, BC_at_hcas_L, .d = 22, .a = 12, .b = 18, .c = 16, .e = make_site(&m, BC_SITE_SHARED));
    make(&m, BC_stx_g64, .d = 20, .a = 0, .b = 1, .c = 3, .e = make_site(&m, BC_SITE_GLOBAL));
    make(&m, BC_stx_g64, .d = 22, .a = 0, .b = 1, .c = 3, .imm = 256, .e = make_site(&m, BC_SITE_GLOBAL));
    uint32_t jump = make(&m, BC_jump), join = make_block(&m, BC_RECONVERGE);
    make(&m, BC_exit);
    m.p->code.at[jump].imm = join;
    *branch_at(&m, branch) = (struct bc_branch){BC_branch, branch_at(&m, branch)->site, then, join, join};
    assert_int_equal(run(&m, 32, NULL, NULL), KERNC_OK);
    const int64_t *got = kernc_buffer_map(out);
    for (int i = 0; i < 32; i += 2)
        assert_int_equal(got[i], -5 * (i / 2));
    assert_int_equal(got[32 + 0], -80);
    assert_int_equal(got[32 + 2], 77);
}

/* ---- faults ------------------------------------------------------------------------------------------ */

/* Access at in + lane * 4 + offset (global), or at `offset` (shared, private). */
static void expect_fault(enum bc_op op, uint32_t offset, const char *text, unsigned thread)
{
    struct maker m = begin();
    m.p->shared_bytes = 64;
    m.kernel->private_bytes = 64;
    make_fill(&m, BC_FROM_CONSTANT, BC_KIND_V, 12, 2);
    make(&m, bc_scalar_op(SCALAR_shl_I, BC_FORM_V), .d = 1, .a = 0, .b = 12);
    make(&m, bc_scalar_op(SCALAR_add_I, BC_FORM_V), .d = 2, .a = 1, .b = 10);
    make(&m, op, .d = 4, .a = 2, .e = make_site(&m, BC_SITE_GLOBAL), .imm = offset);
    make(&m, BC_exit);
    assert_int_equal(run(&m, 32, NULL, NULL), KERNC_TRAP);
    const kernc_trap *t = kernc_last_trap(context);
    assert_non_null(t);
    if (!strstr(t->text, text))
        fail_msg("\"%s\" says nothing of \"%s\"", t->text, text);
    assert_int_equal(t->thread[0], thread);
    assert_int_equal(t->line, 10);
    assert_int_equal(t->column, 3);
    assert_true(t->has_address);
}

static void global_faults_say_what_is_wrong(void **state)
{
    UNUSED(state);
    expect_fault(BC_ld_g32, 1024 - 31 * 4, "0 bytes past the end of buffer in (0x00100000, 1024 bytes)", 31);
    expect_fault(BC_ld_g32, 1024, "0 bytes past the end of buffer in", 0);
    expect_fault(BC_ld_g32, 1026, "is misaligned", 0);
    expect_fault(BC_ld_g32, (uint32_t)-4, "4 bytes before buffer in", 0);
    expect_fault(BC_ld_g64, 8, "is misaligned", 1);
    expect_fault(BC_ld_g32, 0x001fff00, "256 bytes before buffer out", 0);
    expect_fault(BC_ld_g32, 0xffe00000u, "is out of bounds", 0);
    expect_fault(BC_ld_p32, 0, "is out of bounds: the thread's private memory has 64 bytes", 0);
    expect_fault(BC_ld_h32, 0, "is out of bounds: the block's shared memory has 64 bytes", 0);
    expect_fault(BC_ld_h32, 0xfff00000u, "is a null pointer access", 0);
}

/* The last aligned places are valid, in scattered accesses across two buffers too. */
static void bounds_are_exact(void **state)
{
    UNUSED(state);
    struct maker m = begin();
    make_fill(&m, BC_FROM_CONSTANT, BC_KIND_V, 12, 255);
    make(&m, bc_scalar_op(SCALAR_sub_I, BC_FORM_V), .d = 1, .a = 12, .b = 0);
    make(&m, BC_ldx_g32, .d = 2, .a = 1, .b = 0, .c = 2, .e = make_site(&m, BC_SITE_GLOBAL));
    make(&m, bc_scalar_op(SCALAR_and_I, BC_FORM_V), .d = 3, .a = 0, .b = 8);
    make(&m, bc_scalar_op(SCALAR_eq_I, BC_FORM_V), .d = 0, .a = 3, .b = 9);
    make(&m, bc_scalar_op(SCALAR_select_I, BC_FORM_V), .d = 4, .a = 0, .b = 10, .c = 11);
    make(&m, BC_ld_g32, .d = 5, .a = 4, .e = make_site(&m, BC_SITE_GLOBAL), .imm = 1020);
    make(&m, BC_exit);
    assert_int_equal(run(&m, 64, NULL, NULL), KERNC_OK);
}

static void constants_cannot_be_stored_to(void **state)
{
    UNUSED(state);
    static const uint8_t data[64] __attribute__((aligned(16))) = {1, 2, 3};
    for (int store = 0; store < 2; store++) {
        struct maker m = begin();
        uint8_t *copy = arena_alloc(&m.p->arena, sizeof data);
        memcpy(copy, data, sizeof data);
        m.p->data = copy;
        m.p->data_bytes = sizeof data;
        make_fill(&m, BC_FROM_DATA, BC_KIND_V, 12, 2);
        if (store)
            make(&m, BC_st_g8, .a = 12, .b = 0, .e = make_site(&m, BC_SITE_GLOBAL));
        else {
            make(&m, BC_ld_g8, .d = 2, .a = 12, .e = make_site(&m, BC_SITE_GLOBAL));
            make(&m, BC_stx_g32, .d = 2, .a = 0, .b = 1, .c = 2, .e = make_site(&m, BC_SITE_GLOBAL));
        }
        make(&m, BC_exit);
        assert_int_equal(run(&m, 8, NULL, NULL), store ? KERNC_TRAP : KERNC_OK);
        if (store)
            assert_non_null(strstr(kernc_error_text(context), "is a store to constant data"));
        else
            assert_int_equal(((uint32_t *)kernc_buffer_map(out))[5], 3);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(atomics_compute),
        cmocka_unit_test(wide_atomics_compute),
        cmocka_unit_test(global_faults_say_what_is_wrong),
        cmocka_unit_test(bounds_are_exact),
        cmocka_unit_test(constants_cannot_be_stored_to),
    };
    return cmocka_run_group_tests_name("runtime: faults", tests, set_up, tear_down);
}
