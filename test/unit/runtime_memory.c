/* Memory: address modes, every width, partial masks, atomics, and each way an access can be wrong. */
#include "test/unit/runtime_program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static kernc_context *context;
static kernc_buffer  *in, *out;

/* Registers: v0 lane, v1 index (from `index` below), v2 v4 values; s0 in, s1 out; m0 odd lanes; v8 = 1, v9 =
 * 0. */
static struct maker begin(void)
{
    struct maker m = make_program(32, 8, 16);
    make_fill(&m, BC_FROM_PARAM, BC_KIND_S, 0, make_param(&m, "in", BE_PTR));
    make_fill(&m, BC_FROM_PARAM, BC_KIND_S, 1, make_param(&m, "out", BE_PTR));
    make_fill(&m, BC_FROM_SPECIAL, BC_KIND_V, 0, BC_SPECIAL_LANE);
    make_fill(&m, BC_FROM_CONSTANT, BC_KIND_V, 8, 1);
    make_fill(&m, BC_FROM_CONSTANT, BC_KIND_V, 9, 0);
    make_fill(&m, BC_FROM_PARAM, BC_KIND_V, 10, 0);
    make_fill(&m, BC_FROM_PARAM, BC_KIND_V, 11, 1);
    make_block(&m, 0);
    return m;
}

static kernc_launch launch_of(uint32_t threads, uint32_t warp, const char *isa, kernc_argument args[2])
{
    args[0] = kernc_arg_buffer(NULL, in);
    args[1] = kernc_arg_buffer(NULL, out);
    return (kernc_launch){.size = sizeof(kernc_launch), .block = {threads}, .warp = warp, .args = args,
                          .arg_count = 2, .isa = isa, .flags = KERNC_STATISTICS};
}

static kernc_status run(struct maker *m, uint32_t threads, const char *isa, kernc_metrics *metrics)
{
    kernc_module *module = make_finish(m, context);
    if (!module)
        fail_msg("%s", kernc_error_text(context));
    kernc_argument args[2];
    kernc_launch l = launch_of(threads, threads < 64 ? threads : 64, isa, args);
    kernc_statistics *s = NULL;
    kernc_status status = kernc_run(kernc_module_kernel_at(module, 0), &l, &s);
    if (metrics) {
        *metrics = (kernc_metrics){.size = sizeof *metrics};
        kernc_statistics_metrics(s, metrics);
    }
    kernc_statistics_free(s);
    kernc_module_free(module);
    return status;
}

/* ---- loads and stores of every width, in order and scattered, all lanes and some --------------------- */

struct width { enum bc_op load, loadx, store, storex; unsigned bytes; bool wide, is_signed; };
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

static int set_up(void **state)
{
    UNUSED(state);
    if (kernc_context_create(NULL, &context) != KERNC_OK ||
        kernc_buffer_create(context, 1024, "in", &in) != KERNC_OK ||
        kernc_buffer_create(context, 1024, "out", &out) != KERNC_OK)
        return -1;
    for (unsigned i = 0; i < 1024; i++)
        ((uint8_t *)kernc_buffer_map(in))[i] = (uint8_t)(i * 37 + i / 256);
    return 0;
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
        cmocka_unit_test(lanes_are_copied),
        cmocka_unit_test(small_loads_extend),
        cmocka_unit_test(float_stores_make_nans_canonical),
        cmocka_unit_test(private_memory_is_each_lanes_own),
        cmocka_unit_test(shared_memory_is_the_blocks),
        cmocka_unit_test(objects_are_copied_and_cleared),
        cmocka_unit_test(atomics_compute),
        cmocka_unit_test(wide_atomics_compute),
        cmocka_unit_test(global_faults_say_what_is_wrong),
        cmocka_unit_test(bounds_are_exact),
        cmocka_unit_test(constants_cannot_be_stored_to),
        cmocka_unit_test(transactions_are_exact),
        cmocka_unit_test(filled_indices_may_not_count_up),
    };
    return cmocka_run_group_tests_name("runtime: memory", tests, set_up, tear_down);
}
