/* simulator_group.c: operations of a warp, control registers, printing. */
#include "test/warpcore/simulator_test.h"

enum { BASE = 3, VALUE = 4, INDEX = 5, RESULT = 7, CHOSEN = 1, FLAG = 2 };

struct lanes {
    uint32_t value[WC_LANES], index[WC_LANES], active;
};

static uint32_t shuffled(enum wc_op op, const struct lanes *x, unsigned lane)
{
    uint32_t b = x->index[lane];
    uint32_t from = op == WC_shuffle       ? b
                    : op == WC_shuffle_xor ? lane ^ b
                    : op == WC_shuffle_up  ? lane - b
                                           : lane + b;
    return x->value[from < WC_LANES && x->active >> from & 1 ? from : lane];
}

/* Two lanes' values joined. */
static uint32_t joined(enum wc_op op, uint32_t a, uint32_t b)
{
    float x = scalar_from_f32(a), y = scalar_from_f32(b);
    switch (op) {
    case WC_reduce_add_I:
    case WC_scan_add_I: return a + b;
    case WC_reduce_smin_I: return i32(a) < i32(b) ? a : b;
    case WC_reduce_smax_I: return i32(a) > i32(b) ? a : b;
    case WC_reduce_umin_I: return a < b ? a : b;
    case WC_reduce_umax_I: return a > b ? a : b;
    case WC_reduce_and_I: return a & b;
    case WC_reduce_or_I: return a | b;
    case WC_reduce_xor_I: return a ^ b;
    case WC_reduce_add_F:
    case WC_scan_add_F: return scalar_raw_f32(x + y);
    case WC_reduce_min_F: return scalar_raw_f32(scalar_fminf(x, y));
    default: return scalar_raw_f32(scalar_fmaxf(x, y));
    }
}

static uint32_t reduced(enum wc_op op, const struct lanes *x, unsigned lane)
{
    bool scan = op == WC_scan_add_I || op == WC_scan_add_F, any = false;
    uint32_t all = 0;
    for (unsigned i = 0; i < WC_LANES && (!scan || i <= lane); i++)
        if (x->active >> i & 1) {
            all = any ? joined(op, all, x->value[i]) : x->value[i];
            any = true;
        }
    return all;
}

/* What the active lane gets; predicates count as 0 or 1, the flag is the value's low bit. */
static uint32_t expected(enum wc_op op, const struct lanes *x, unsigned lane)
{
    uint32_t flags = 0;
    for (unsigned i = 0; i < WC_LANES; i++)
        flags |= (x->active >> i & 1 & x->value[i]) << i;
    switch (op) {
    case WC_ballot: return flags;
    case WC_any: return flags != 0;
    case WC_all: return flags == x->active;
    case WC_elect: return lane == (unsigned)__builtin_ctz(x->active);
    case WC_first: return x->value[__builtin_ctz(x->active)];
    case WC_shuffle:
    case WC_shuffle_xor:
    case WC_shuffle_up:
    case WC_shuffle_down: return shuffled(op, x, lane);
    default: return reduced(op, x, lane);
    }
}

static bool is_float(enum wc_op op)
{
    return op == WC_reduce_add_F || op == WC_reduce_min_F || op == WC_reduce_max_F || op == WC_scan_add_F;
}

static void check_group(enum wc_op op, struct test_random *r)
{
    const char *letters = wc_op_info[op].operands;
    struct machine m = machine_new(WC_MODE_RPC);
    uint32_t *in = machine_buffer(&m, "in", 3 * WC_LANES), *out = machine_buffer(&m, "out", WC_LANES);
    put(&m, WC_csrr, .d = LANE, .imm = WC_CSR_LANE);
    put(&m, WC_ldarg, .d = BASE, .imm = 0);
    machine_element(&m, BASE, BASE, LANE);
    put(&m, WC_ld_global_32, .d = VALUE, .a = BASE);
    put(&m, WC_ld_global_32, .d = INDEX, .a = BASE, .imm = 4 * WC_LANES);
    put(&m, WC_ld_global_32, .d = 6, .a = BASE, .imm = 8 * WC_LANES);
    put(&m, WC_ne_I_imm, .d = CHOSEN, .a = 6, .imm = 0);
    put(&m, WC_and_I_imm, .d = 6, .a = VALUE, .imm = 1);
    put(&m, WC_ne_I_imm, .d = FLAG, .a = 6, .imm = 0);
    put(&m, WC_li, .d = RESULT, .imm = -7);
    uint32_t skip = put(&m, WC_brn, .a = CHOSEN, .imm = 0);
    put(&m, op, .d = letters[0] == 'P' ? 3 : RESULT,
        .a = letters[1] == 'p'   ? FLAG
             : letters[1] == 'r' ? VALUE
                                 : 0,
        .b = letters[2] == 'r' ? INDEX : 0);
    if (letters[0] == 'P')
        put(&m, WC_zext_BI, .d = RESULT, .a = 3);
    machine_target(&m, skip);
    machine_reconverge(&m, skip);
    put(&m, WC_converge, .imm = WC_NONE);
    put(&m, WC_ldarg, .d = BASE, .imm = 1);
    machine_element(&m, BASE, BASE, LANE);
    put(&m, WC_st_global_32, .d = RESULT, .a = BASE);
    put(&m, WC_exit);
    for (int run = 0; run < 60; run++) {
        struct lanes x = {.active = run % 3 ? 1 + test_below(r, 255) : 255};
        for (unsigned i = 0; i < WC_LANES; i++) {
            float f = (float)((int)test_below(r, 2000) - 1000) / 8;
            in[i] = x.value[i] = is_float(op)       ? scalar_raw_f32(f)
                                 : test_below(r, 3) ? (uint32_t)test_next(r)
                                                    : test_below(r, 2);
            in[WC_LANES + i] = x.index[i] =
                test_below(r, 4) ? test_below(r, WC_LANES) : (uint32_t)test_next(r);
            in[2 * WC_LANES + i] = x.active >> i & 1;
        }
        machine_expect(&m, 1, WC_LANES, KERNC_OK);
        for (unsigned i = 0; i < WC_LANES; i++) {
            uint32_t want = x.active >> i & 1 ? expected(op, &x, i) : (uint32_t)-7;
            if (out[i] != want)
                fail_msg("%s under mask 0x%02x, lane %u: 0x%08x, not 0x%08x", wc_op_info[op].mnemonic,
                         x.active, i, out[i], want);
        }
    }
    machine_free(&m);
}

void warp_operations(void **state)
{
    struct test_random r = {17};
    for (unsigned op = WC_ballot; op <= WC_scan_add_F; op++)
        check_group((enum wc_op)op, &r);
}

/* ---- control registers ------------------------------------------------------------------------------- */

/* Each thread writes what it reads, at its number in the launch. */
static uint32_t *read_everywhere(struct machine *m, enum wc_csr csr, uint32_t words)
{
    uint32_t *out = machine_buffer(m, "out", words);
    put(m, WC_csrr, .d = RESULT, .imm = (int32_t)csr);
    put(m, WC_csrr, .d = 4, .imm = WC_CSR_WARP);
    put(m, WC_shl_I_imm, .d = 4, .a = 4, .imm = 3);
    put(m, WC_csrr, .d = 5, .imm = WC_CSR_LANE);
    put(m, WC_add_I, .d = 4, .a = 4, .b = 5);
    put(m, WC_csrr, .d = 5, .imm = WC_CSR_BID_X);
    put(m, WC_mul_I_imm, .d = 5, .a = 5, .imm = 30);
    put(m, WC_add_I, .d = 4, .a = 4, .b = 5);
    put(m, WC_ldarg, .d = BASE, .imm = 0);
    machine_element(m, BASE, BASE, 4);
    put(m, WC_st_global_32, .d = RESULT, .a = BASE);
    put(m, WC_exit);
    return out;
}

/* Blocks of 3 x 5 x 2 threads, six of them; `t`: number of the thread in its block. */
static uint32_t csr_expected(enum wc_csr csr, uint32_t block, uint32_t t)
{
    switch (csr) {
    case WC_CSR_TID_X: return t % 3;
    case WC_CSR_TID_Y: return t / 3 % 5;
    case WC_CSR_TID_Z: return t / 15;
    case WC_CSR_BID_X: return block;
    case WC_CSR_BDIM_X: return 3;
    case WC_CSR_BDIM_Y: return 5;
    case WC_CSR_BDIM_Z: return 2;
    case WC_CSR_GDIM_X: return 6;
    case WC_CSR_GDIM_Y:
    case WC_CSR_GDIM_Z: return 1;
    case WC_CSR_LANE: return t % WC_LANES;
    case WC_CSR_WARP: return t / WC_LANES;
    case WC_CSR_WARPSIZE: return WC_LANES;
    case WC_CSR_ACTIVE:
    case WC_CSR_LIVE: return t / WC_LANES == 3 ? 0x3f : 0xff;
    default: return 0; /* y, z of the block, the clock, the depth, the data that is not there */
    }
}

void control_registers(void **state)
{
    for (size_t i = 0; i < wc_csr_count; i++) {
        if (!wc_csr_info[i].readable)
            continue;
        enum wc_csr csr = (enum wc_csr)wc_csr_info[i].number;
        struct machine m = machine_new(WC_MODE_RPC);
        uint32_t *out = read_everywhere(&m, csr, 180);
        m.launch.block[1] = 5;
        m.launch.block[2] = 2;
        machine_expect(&m, 6, 3, KERNC_OK);
        for (uint32_t t = 0; t < 180; t++)
            assert_int_equal(out[t], csr_expected(csr, t / 30, t % 30));
        machine_free(&m);
    }
}

/* ---- printing ---------------------------------------------------------------------------------------- */

void printing(void **state)
{
    struct machine m = machine_new(WC_MODE_RPC);
    uint32_t format = machine_text(&m, "%d %llx %.2f\n", "ilf"), plain = machine_text(&m, "100%%\n", "");
    put(&m, WC_csrr, .d = LANE, .imm = WC_CSR_LANE);
    put(&m, WC_sub_I, .d = LANE, .a = 0, .b = LANE);
    put(&m, WC_st_private_32, .d = LANE, .a = WC_FRAME, .imm = 0);
    put(&m, WC_st_private_32, .d = LANE, .a = WC_FRAME, .imm = 4);
    put(&m, WC_li, .d = 5, .imm = 1);
    put(&m, WC_st_private_32, .d = 5, .a = WC_FRAME, .imm = 8);
    put(&m, WC_sitof_IF, .d = 5, .a = LANE);
    put(&m, WC_st_private_f32, .d = 5, .a = WC_FRAME, .imm = 12);
    put(&m, WC_printf, .a = WC_FRAME, .imm = (int32_t)format);
    put(&m, WC_printf, .a = 0, .imm = (int32_t)plain);
    put(&m, WC_exit);
    machine_expect(&m, 1, 2, KERNC_OK);
    assert_string_equal(m.printed->at, "0 100000000 0.00\n-1 1ffffffff -1.00\n100%\n100%\n");
    machine_free(&m);

    m = machine_new(WC_MODE_RPC);
    format = machine_text(&m, "%d\n", "i");
    put(&m, WC_li, .d = 5, .imm = 64);
    put(&m, WC_printf, .a = 5, .imm = (int32_t)format);
    put(&m, WC_exit);
    machine_expect_fault(&m, 1, WC_TRAP_ACCESS, "load of 4 bytes at private address 0x00000040");
    machine_free(&m);
}
