/* Memory: address modes, every width, partial masks, shared and private memory, transactions. */
#include "test/unit/runtime_memory.h"

/* ---- loads and stores of every width, in order and scattered, all lanes and some --------------------- */

struct width {
    enum bc_op load, loadx, store, storex;
    unsigned bytes;
    bool wide, is_signed;
};
static const struct width widths[] = {
    {BC_ld_g8, BC_ldx_g8, BC_st_g8, BC_stx_g8, 1, false, false},
    {BC_ld_g8s, BC_ldx_g8s, BC_st_g8, BC_stx_g8, 1, false, true},
    {BC_ld_g16, BC_ldx_g16, BC_st_g16, BC_stx_g16, 2, false, false},
    {BC_ld_g16s, BC_ldx_g16s, BC_st_g16, BC_stx_g16, 2, false, true},
    {BC_ld_g32, BC_ldx_g32, BC_st_g32, BC_stx_g32, 4, false, false},
    {BC_ld_g64, BC_ldx_g64, BC_st_g64, BC_stx_g64, 8, true, false},
};

static uint64_t element(const void *base, uint32_t i, const struct width *w)
{
    uint64_t x = 0;
    memcpy(&x, (const char *)base + (size_t)i * w->bytes, w->bytes);
    if (w->is_signed && w->bytes < 4)
        x = (uint32_t)(w->bytes == 1 ? (int32_t)(int8_t)x : (int32_t)(int16_t)x);
    return x;
}

/* out32or64[lane * stride] = in[index], by width; index = lane * step mod 64. */
static void copy_lanes(const struct width *w, unsigned step, bool mode_x, bool half, const char *isa)
{
    struct maker m = begin();
    unsigned shift = (unsigned)__builtin_ctz(w->bytes);
    make_fill(&m, BC_FROM_CONSTANT, BC_KIND_V, 12, step);
    make_fill(&m, BC_FROM_CONSTANT, BC_KIND_V, 13, 63);
    make_fill(&m, BC_FROM_CONSTANT, BC_KIND_V, 14, shift);
    make(&m, bc_scalar_op(SCALAR_mul_I, BC_FORM_V), .d = 1, .a = 0, .b = 12);
    make(&m, bc_scalar_op(SCALAR_and_I, BC_FORM_V), .d = 1, .a = 1, .b = 13);
    make(&m, bc_scalar_op(SCALAR_and_I, BC_FORM_V), .d = 2, .a = 0, .b = half ? 8 : 9);
    make(&m, bc_scalar_op(SCALAR_eq_I, BC_FORM_V), .d = 0, .a = 2, .b = 9);
    make(&m, bc_scalar_op(SCALAR_shl_I, BC_FORM_V), .d = 4, .a = 1, .b = 14);
    make(&m, bc_scalar_op(SCALAR_add_I, BC_FORM_V), .d = 5, .a = 4, .b = 11);
    make(&m, bc_scalar_op(SCALAR_add_I, BC_FORM_V), .d = 4, .a = 4, .b = 10);
    make(&m, BC_br, .a = 0);
    uint32_t branch = make_branch(&m, 0, 0, 0);
    uint32_t then = make_block(&m, 0);
    if (mode_x) {
        make(&m, w->loadx, .d = 6, .a = 1, .b = 0, .c = (uint16_t)shift, .e = make_site(&m, BC_SITE_GLOBAL),
             .imm = 8);
        make(&m, w->storex, .d = 6, .a = 1, .b = 1, .c = (uint16_t)shift, .e = make_site(&m, BC_SITE_GLOBAL));
    } else {
        make(&m, w->load, .d = 6, .a = 4, .e = make_site(&m, BC_SITE_GLOBAL), .imm = 8);
        make(&m, w->store, .a = 5, .b = 6, .e = make_site(&m, BC_SITE_GLOBAL));
    }
    uint32_t jump = make(&m, BC_jump), join = make_block(&m, BC_RECONVERGE);
    make(&m, BC_exit);
    m.p->code.at[jump].imm = join;
    branch_at(&m, branch)->yes = then;
    branch_at(&m, branch)->no = branch_at(&m, branch)->reconverge = join;
    memset(kernc_buffer_map(out), 0x77, 1024);
    if (run(&m, 64, isa, NULL) != KERNC_OK)
        fail_msg("%s", kernc_error_text(context));
    bool touched[64] = {false};
    for (unsigned lane = 0; lane < 64; lane++)
        touched[lane * step & 63] |= !half || lane % 2 == 0;
    for (unsigned i = 0; i < 64; i++) {
        uint64_t want = touched[i] ? element((char *)kernc_buffer_map(in) + 8, i, w) : 0;
        if (!touched[i])
            memset(&want, 0x77, sizeof want);
        uint64_t mask = w->bytes == 8 ? UINT64_MAX : ((uint64_t)1 << w->bytes * 8) - 1;
        uint64_t got = element(kernc_buffer_map(out), i, &(struct width){.bytes = w->bytes});
        if (got != (want & mask))
            fail_msg("%u bytes, step %u, mode %c, %s, element %u: %llx, not %llx", w->bytes, step,
                     mode_x ? 'X' : 'V', isa, i, (unsigned long long)got, (unsigned long long)(want & mask));
    }
}

static void lanes_are_copied(void **state)
{
    UNUSED(state);
    for (unsigned w = 0; w < COUNT(widths); w++)
        for (unsigned v = 0; v < 24; v++) {
            static const unsigned steps[] = {1, 3, 63};
            const char *isa = v & 1 ? NULL : "base";
            copy_lanes(&widths[w], steps[v >> 3], v >> 1 & 1, v >> 2 & 1, isa);
        }
}

/* A loaded sub-word arrives extended. */
static void small_loads_extend(void **state)
{
    UNUSED(state);
    for (unsigned w = 0; w < 4; w++) {
        struct maker m = begin();
        unsigned shift = (unsigned)__builtin_ctz(widths[w].bytes);
        make(&m, widths[w].loadx, .d = 6, .a = 0, .b = 0, .c = (uint16_t)shift,
             .e = make_site(&m, BC_SITE_GLOBAL));
        make(&m, BC_stx_g32, .d = 6, .a = 0, .b = 1, .c = 2, .e = make_site(&m, BC_SITE_GLOBAL));
        make(&m, BC_exit);
        assert_int_equal(run(&m, 32, NULL, NULL), KERNC_OK);
        for (unsigned i = 0; i < 32; i++)
            assert_int_equal(((uint32_t *)kernc_buffer_map(out))[i],
                             element(kernc_buffer_map(in), i, &widths[w]));
    }
}

static void float_stores_make_nans_canonical(void **state)
{
    UNUSED(state);
    struct maker m = begin();
    make_fill(&m, BC_FROM_CONSTANT, BC_KIND_V, 12, 0xffc12345);
    make_fill(&m, BC_FROM_CONSTANT, BC_KIND_W, 14, 0xfff8000000012345);
    make(&m, BC_stx_gf32, .d = 12, .a = 0, .b = 1, .c = 2, .e = make_site(&m, BC_SITE_GLOBAL));
    make(&m, BC_stx_gf64, .d = 14, .a = 0, .b = 1, .c = 3, .imm = 256, .e = make_site(&m, BC_SITE_GLOBAL));
    make(&m, BC_stx_g32, .d = 12, .a = 0, .b = 1, .c = 2, .imm = 768, .e = make_site(&m, BC_SITE_GLOBAL));
    make(&m, BC_exit);
    assert_int_equal(run(&m, 16, NULL, NULL), KERNC_OK);
    const uint32_t *words = kernc_buffer_map(out);
    assert_int_equal(words[3], 0x7fc00000);
    assert_true(*(const uint64_t *)&words[64 + 6] == SCALAR_NAN_F64);
    assert_int_equal(words[192 + 3], 0xffc12345);
}

/* ---- shared and private memory ----------------------------------------------------------------------- */

static void private_memory_is_each_lanes_own(void **state)
{
    UNUSED(state);
    struct maker m = begin();
    m.kernel->private_bytes = 32;
    make_fill(&m, BC_FROM_CONSTANT, BC_KIND_V, 12, 16);
    make(&m, BC_ld_p32, .d = 2, .a = 12, .imm = 4, .e = make_site(&m, BC_SITE_PRIVATE));
    make(&m, bc_scalar_op(SCALAR_add_I, BC_FORM_V), .d = 2, .a = 2, .b = 0);
    make(&m, BC_st_p32, .a = 12, .b = 2, .imm = 8, .e = make_site(&m, BC_SITE_PRIVATE));
    make(&m, BC_ld_p32, .d = 4, .a = 12, .imm = 8, .e = make_site(&m, BC_SITE_PRIVATE));
    make(&m, BC_stx_g32, .d = 4, .a = 0, .b = 1, .c = 2, .e = make_site(&m, BC_SITE_GLOBAL));
    make(&m, BC_exit);
    assert_int_equal(run(&m, 40, NULL, NULL), KERNC_OK);
    for (unsigned i = 0; i < 40; i++)
        assert_int_equal(((uint32_t *)kernc_buffer_map(out))[i], i);
}

static void shared_memory_is_the_blocks(void **state)
{
    UNUSED(state);
    struct maker m = begin();
    m.p->shared_bytes = 16 + 64 * 4;
    make_fill(&m, BC_FROM_CONSTANT, BC_KIND_S, 2, 16);
    make_fill(&m, BC_FROM_CONSTANT, BC_KIND_V, 12, 63);
    make(&m, BC_stx_h32, .d = 0, .a = 0, .b = 2, .c = 2, .e = make_site(&m, BC_SITE_SHARED));
    make(&m, bc_scalar_op(SCALAR_sub_I, BC_FORM_V), .d = 1, .a = 12, .b = 0);
    make(&m, BC_ldx_h32, .d = 2, .a = 1, .b = 2, .c = 2, .e = make_site(&m, BC_SITE_SHARED));
    make(&m, BC_stx_g32, .d = 2, .a = 0, .b = 1, .c = 2, .e = make_site(&m, BC_SITE_GLOBAL));
    make(&m, BC_exit);
    assert_int_equal(run(&m, 64, NULL, NULL), KERNC_OK);
    for (unsigned i = 0; i < 64; i++)
        assert_int_equal(((uint32_t *)kernc_buffer_map(out))[i], 63 - i);
}

static void objects_are_copied_and_cleared(void **state)
{
    UNUSED(state);
    struct maker m = begin();
    m.kernel->private_bytes = 64;
    make_fill(&m, BC_FROM_CONSTANT, BC_KIND_V, 12, 17);
    make_fill(&m, BC_FROM_CONSTANT, BC_KIND_V, 13, 5);
    make(&m, bc_scalar_op(SCALAR_mul_I, BC_FORM_V), .d = 1, .a = 0, .b = 13);
    make(&m, bc_scalar_op(SCALAR_add_I, BC_FORM_V), .d = 2, .a = 1, .b = 10);
    make(&m, bc_scalar_op(SCALAR_add_I, BC_FORM_V), .d = 3, .a = 1, .b = 11);
    make(&m, BC_memcpy, .a = 12, .b = 2, .c = 2 + 4 * 0, .imm = 5, .e = make_site(&m, BC_SITE_OTHER));
    make(&m, BC_memcpy, .a = 3, .b = 12, .c = 0 + 4 * 2, .imm = 5, .e = make_site(&m, BC_SITE_OTHER));
    make(&m, BC_memzero, .a = 3, .c = 0, .imm = 1, .e = make_site(&m, BC_SITE_OTHER));
    make(&m, BC_exit);
    assert_int_equal(run(&m, 32, NULL, NULL), KERNC_OK);
    for (unsigned i = 0; i < 160; i++)
        assert_int_equal(((uint8_t *)kernc_buffer_map(out))[i],
                         i % 5 ? ((uint8_t *)kernc_buffer_map(in))[i] : 0);
}

/* ---- transactions ------------------------------------------------------------------------------------ */

static uint64_t transactions(unsigned step, bool half)
{
    struct maker m = begin();
    make_fill(&m, BC_FROM_CONSTANT, BC_KIND_V, 12, step);
    make(&m, bc_scalar_op(SCALAR_mul_I, BC_FORM_V), .d = 1, .a = 0, .b = 12);
    make(&m, bc_scalar_op(SCALAR_and_I, BC_FORM_V), .d = 2, .a = 0, .b = half ? 8 : 9);
    make(&m, bc_scalar_op(SCALAR_eq_I, BC_FORM_V), .d = 0, .a = 2, .b = 9);
    make(&m, BC_br, .a = 0);
    uint32_t branch = make_branch(&m, 0, 0, 0);
    uint32_t then = make_block(&m, 0);
    make(&m, BC_ldx_g8, .d = 3, .a = 1, .b = 0, .c = 0, .e = make_site(&m, BC_SITE_GLOBAL));
    uint32_t jump = make(&m, BC_jump), join = make_block(&m, BC_RECONVERGE);
    make(&m, BC_exit);
    m.p->code.at[jump].imm = join;
    branch_at(&m, branch)->yes = then;
    branch_at(&m, branch)->no = branch_at(&m, branch)->reconverge = join;
    kernc_metrics metrics;
    assert_int_equal(run(&m, 64, NULL, &metrics), KERNC_OK);
    assert_int_equal(metrics.memory_instructions, 1);
    return metrics.memory_transactions;
}

static void transactions_are_exact(void **state)
{
    UNUSED(state);
    kernc_buffer *small_in = in, *wide = NULL;
    assert_int_equal(kernc_buffer_create(context, 64 * 40000, "wide", &wide), KERNC_OK);
    in = wide;
    assert_int_equal(transactions(1, false), 1);
    assert_int_equal(transactions(2, false), 1);
    assert_int_equal(transactions(3, false), 2);
    assert_int_equal(transactions(128, false), 64);
    assert_int_equal(transactions(128, true), 32);
    assert_int_equal(transactions(64, true), 32);
    assert_int_equal(transactions(64, false), 32);
    assert_int_equal(transactions(40000, false), 64);
    assert_int_equal(transactions(0, true), 1);
    in = small_in;
    kernc_buffer_free(wide);
}

/* out[t] = in[index], where the index was filled in. `written`: something else is put into its register. */
static kernc_module *copy_by_index(bool written)
{
    struct maker m = begin();
    make_fill(&m, BC_FROM_SPECIAL, BC_KIND_V, 20, BC_SPECIAL_TID_X);
    if (written)
        make(&m, bc_scalar_op(SCALAR_xor_I, BC_FORM_V), .d = 20, .a = 20, .b = 8);
    make(&m, BC_ldx_g32, .d = 2, .a = 20, .b = 0, .c = 2, .e = make_site(&m, BC_SITE_GLOBAL));
    make(&m, BC_stx_g32, .d = 2, .a = 0, .b = 1, .c = 2, .e = make_site(&m, BC_SITE_GLOBAL));
    make(&m, BC_exit);
    return make_finish(&m, context);
}

/* Lanes whose indices were filled in are known to count up, unless rows are shorter than a warp; no program
 * may write the register. */
static void filled_indices_may_not_count_up(void **state)
{
    UNUSED(state);
    for (unsigned rows = 1; rows <= 2; rows++) {
        kernc_module *module = copy_by_index(false);
        assert_non_null(module);
        kernc_argument args[2];
        kernc_launch l = launch_of(32, 32, NULL, args);
        l.block[0] = 32 / rows;
        l.block[1] = rows;
        assert_int_equal(kernc_run(kernc_module_kernel_at(module, 0), &l, NULL), KERNC_OK);
        const uint32_t *from = kernc_buffer_map(in), *to = kernc_buffer_map(out);
        for (unsigned t = 0; t < 32; t++)
            assert_int_equal(to[t], from[t % (32 / rows)]);
        kernc_module_free(module);
    }
    assert_null(copy_by_index(true));
    assert_non_null(strstr(kernc_error_text(context), "which is preloaded"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_are_copied),
        cmocka_unit_test(small_loads_extend),
        cmocka_unit_test(float_stores_make_nans_canonical),
        cmocka_unit_test(private_memory_is_each_lanes_own),
        cmocka_unit_test(shared_memory_is_the_blocks),
        cmocka_unit_test(objects_are_copied_and_cleared),
        cmocka_unit_test(transactions_are_exact),
        cmocka_unit_test(filled_indices_may_not_count_up),
    };
    return cmocka_run_group_tests_name("runtime: memory", tests, set_up, tear_down);
}
