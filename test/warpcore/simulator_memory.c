/* simulator_memory.c: loads, stores and atomics in every address space, under masks; accesses that fault. */
#include "test/warpcore/simulator_test.h"

enum { BASE = 3, WHERE = 4, VALUE = 5, OTHER = 6, PREDICATE = 1 };
enum { OPS_A_SPACE = WC_ld_shared_u8 - WC_ld_global_u8, WORDS = 20 };

/* Lane number, the address that argument `word` plus byte offset in[lane] makes,
 * and in[8 + lane] in VALUE. */
static void load_lanes(struct machine *m, enum wc_space space)
{
    m->image->shared_bytes = m->image->kernels.at[0].private_bytes = 4 * WORDS;
    put(m, WC_csrr, .d = LANE, .imm = WC_CSR_LANE);
    put(m, WC_ldarg, .d = BASE, .imm = 0);
    machine_element(m, BASE, BASE, LANE);
    put(m, WC_ld_global_32, .d = WHERE, .a = BASE);
    put(m, WC_ld_global_32, .d = VALUE, .a = BASE, .imm = 4 * WC_LANES);
    put(m, WC_ld_global_32, .d = OTHER, .a = BASE, .imm = 8 * WC_LANES);
    put(m, WC_and_I_imm, .d = 9, .a = OTHER, .imm = 1);
    put(m, WC_ne_I_imm, .d = PREDICATE, .a = 9, .imm = 0);
    put(m, WC_ldarg, .d = 9, .imm = 1);
    if (space == WC_SPACE_global)
        put(m, WC_add_I, .d = WHERE, .a = WHERE, .b = 9);
}

/* Copies the words of another space to the buffer of argument 1, so that they can be looked at: lane 0's. */
static void save_space(struct machine *m, enum wc_space space, uint32_t words)
{
    if (space == WC_SPACE_global)
        return;
    put(m, WC_ldarg, .d = 9, .imm = 1);
    for (uint32_t i = WC_FIRST_ADDRESS / 4; i < words; i++) {
        put(m, space == WC_SPACE_shared ? WC_ld_shared_32 : WC_ld_private_32, .d = 10, .a = 0,
            .imm = (int32_t)(4 * i));
        put(m, WC_st_global_32, .d = 10, .a = 9, .imm = (int32_t)(4 * i));
    }
}

/* checked: bytes that the access must have, of which it moves the first `bytes` */
struct width {
    enum wc_op load, store;
    uint32_t bytes, checked;
    bool is_signed;
};
static const struct width widths[] = {
    {WC_ld_global_u8, WC_st_global_8, 1, 1, false},      {WC_ld_global_s8, WC_st_global_8, 1, 1, true},
    {WC_ld_global_u16, WC_st_global_16, 2, 2, false},    {WC_ld_global_s16, WC_st_global_16, 2, 2, true},
    {WC_ld_global_32, WC_st_global_32, 4, 4, false},     {WC_ld_global_32, WC_st_global_f32, 4, 4, false},
    {WC_ld_global_lo64, WC_st_global_lo64, 4, 8, false},
};

/* Byte offsets of the lanes: one behind the other, or anywhere. Two lanes never write the same bytes. */
static void choose_offsets(struct test_random *r, uint32_t *in, uint32_t bytes)
{
    uint32_t slots = (WORDS * 4 - WC_FIRST_ADDRESS) / bytes, first = test_below(r, slots - WC_LANES + 1);
    bool run = test_below(r, 2);
    uint32_t taken = 0;
    for (unsigned i = 0; i < WC_LANES; i++) {
        uint32_t slot = run ? first + i : test_below(r, slots);
        while (!run && taken >> slot % 32 & 1)
            slot = test_below(r, slots < 32 ? slots : 32);
        taken |= 1u << slot % 32;
        in[i] = WC_FIRST_ADDRESS + slot * bytes;
        in[WC_LANES + i] = (uint32_t)test_next(r);
    }
}

static uint32_t extended(uint32_t x, const struct width *w)
{
    if (w->bytes == 4)
        return x;
    uint32_t mask = (1u << 8 * w->bytes) - 1, sign = 1u << (8 * w->bytes - 1);
    return w->is_signed && (x & sign) ? x | ~mask : x & mask;
}

/* The active lanes store and load back; what others had stays. */
static void check_width(const struct width *w, enum wc_space space, struct test_random *r)
{
    struct machine m = machine_new(WC_MODE_RPC);
    uint32_t *in = machine_buffer(&m, "in", 3 * WC_LANES), *memory = machine_buffer(&m, "memory", WORDS);
    uint32_t *out = machine_buffer(&m, "out", WC_LANES);
    load_lanes(&m, space);
    put(&m, WC_li, .d = 7, .imm = -5);
    uint32_t skip = put(&m, WC_brn, .a = PREDICATE, .imm = 0);
    put(&m, (enum wc_op)(w->store + space * OPS_A_SPACE), .d = VALUE, .a = WHERE);
    put(&m, (enum wc_op)(w->load + space * OPS_A_SPACE), .d = 7, .a = WHERE);
    machine_target(&m, skip);
    machine_reconverge(&m, skip);
    put(&m, WC_converge, .imm = WC_NONE);
    put(&m, WC_ldarg, .d = BASE, .imm = 2);
    machine_element(&m, BASE, BASE, LANE);
    put(&m, WC_st_global_32, .d = 7, .a = BASE);
    save_space(&m, space == WC_SPACE_private ? WC_SPACE_global : space, WORDS);
    put(&m, WC_exit);
    for (int run = 0; run < 60; run++) {
        uint8_t expected[WORDS * 4] = {0};
        memset(memory, 0, sizeof expected);
        choose_offsets(r, in, w->checked);
        if (w->store == WC_st_global_f32 && run % 2)
            in[WC_LANES] = 0xffc00001;
        for (unsigned i = 0; i < WC_LANES; i++)
            in[2 * WC_LANES + i] = run % 3 ? test_below(r, 2) : 1;
        machine_expect(&m, 1, WC_LANES, KERNC_OK);
        for (unsigned i = 0; i < WC_LANES; i++) {
            uint32_t value = in[WC_LANES + i];
            if (w->store == WC_st_global_f32)
                value = scalar_bits_f32(scalar_from_f32(value));
            bool active = in[2 * WC_LANES + i];
            assert_int_equal(out[i], active ? extended(value, w) : (uint32_t)-5);
            if (active)
                memcpy(expected + in[i], &value, w->bytes);
        }
        if (space != WC_SPACE_private)
            assert_memory_equal(memory, expected, sizeof expected);
    }
    machine_free(&m);
}

void loads_and_stores(void **state)
{
    struct test_random r = {11};
    for (unsigned space = 0; space < 3; space++)
        for (unsigned i = 0; i < COUNT(widths); i++)
            check_width(&widths[i], (enum wc_space)space, &r);
}

/* ---- atomics ----------------------------------------------------------------------------------------- */

static uint32_t atomic_result(enum wc_op op, uint32_t old, uint32_t b, uint32_t c)
{
    float x = scalar_from_f32(old), y = scalar_from_f32(b);
    switch (op) {
    case WC_at_global_add_I: return old + b;
    case WC_at_global_sub_I: return old - b;
    case WC_at_global_smin_I: return i32(old) < i32(b) ? old : b;
    case WC_at_global_smax_I: return i32(old) > i32(b) ? old : b;
    case WC_at_global_umin_I: return old < b ? old : b;
    case WC_at_global_umax_I: return old > b ? old : b;
    case WC_at_global_and_I: return old & b;
    case WC_at_global_or_I: return old | b;
    case WC_at_global_xor_I: return old ^ b;
    case WC_at_global_xchg_I: return b;
    case WC_at_global_cas_I: return old == b ? c : old;
    case WC_at_global_add_F: return scalar_bits_f32(x + y);
    case WC_at_global_sub_F: return scalar_bits_f32(x - y);
    case WC_at_global_min_F: return scalar_bits_f32(scalar_fminf(x, y));
    case WC_at_global_max_F: return scalar_bits_f32(scalar_fmaxf(x, y));
    case WC_at_global_xchg_F: return scalar_bits_f32(y);
    default: return old == scalar_bits_f32(y) ? scalar_bits_f32(scalar_from_f32(c)) : old;
    }
}

/* The lanes in ascending order, several at one word. */
static void check_atomic(enum wc_op op, bool shared, struct test_random *r)
{
    enum { SHARED = WC_at_shared_add_I - WC_at_global_add_I, PLACES = 3 };
    struct machine m = machine_new(WC_MODE_RPC);
    uint32_t *in = machine_buffer(&m, "in", 3 * WC_LANES), *memory = machine_buffer(&m, "memory", WORDS);
    uint32_t *out = machine_buffer(&m, "out", WC_LANES);
    bool cas = op == WC_at_global_cas_I || op == WC_at_global_cas_F;
    load_lanes(&m, shared ? WC_SPACE_shared : WC_SPACE_global);
    put(&m, (enum wc_op)(op + shared * SHARED), .d = 7, .a = WHERE, .b = VALUE, .c = cas ? OTHER : 0);
    put(&m, WC_ldarg, .d = BASE, .imm = 2);
    machine_element(&m, BASE, BASE, LANE);
    put(&m, WC_st_global_32, .d = 7, .a = BASE);
    save_space(&m, shared ? WC_SPACE_shared : WC_SPACE_global, WORDS);
    put(&m, WC_exit);
    for (int run = 0; run < 30; run++) {
        uint32_t expected[WORDS] = {0};
        for (unsigned i = 0; i < WORDS; i++)
            expected[i] = memory[i] = shared             ? 0
                                      : test_below(r, 2) ? test_below(r, 4)
                                                         : (uint32_t)test_next(r);
        for (unsigned i = 0; i < WC_LANES; i++) {
            in[i] = WC_FIRST_ADDRESS + 4 * test_below(r, PLACES);
            in[WC_LANES + i] = test_below(r, 2) ? test_below(r, 4) : (uint32_t)test_next(r);
            in[2 * WC_LANES + i] = (uint32_t)test_next(r);
        }
        machine_expect(&m, 1, WC_LANES, KERNC_OK);
        for (unsigned i = 0; i < WC_LANES; i++) {
            uint32_t *at = &expected[in[i] / 4];
            assert_int_equal(out[i], *at);
            *at = atomic_result(op, *at, in[WC_LANES + i], in[2 * WC_LANES + i]);
        }
        assert_memory_equal(memory + WC_FIRST_ADDRESS / 4, expected + WC_FIRST_ADDRESS / 4,
                            sizeof expected - WC_FIRST_ADDRESS);
    }
    machine_free(&m);
}

void atomics(void **state)
{
    struct test_random r = {13};
    for (unsigned op = WC_at_global_add_I; op < WC_at_shared_add_I; op++) {
        check_atomic((enum wc_op)op, false, &r);
        check_atomic((enum wc_op)op, true, &r);
    }
}

/* ---- what faults ------------------------------------------------------------------------------------- */

/* An access at base (argument 0 if `buffer`) + offset by lane 3 alone, all others at a good place. */
static void check_bad(struct wc_ins access, bool buffer, uint32_t offset, uint32_t good, const char *text)
{
    struct machine m = machine_new(WC_MODE_RPC);
    machine_buffer(&m, "data", 4);
    put(&m, WC_ldarg, .d = BASE, .imm = 0);
    put(&m, WC_csrr, .d = LANE, .imm = WC_CSR_LANE);
    put(&m, WC_eq_I_imm, .d = 1, .a = LANE, .imm = 3);
    machine_constant(&m, 4, offset);
    machine_constant(&m, 5, good);
    if (buffer)
        put(&m, WC_add_I, .d = 4, .a = 4, .b = BASE);
    if (buffer || access.op < WC_ld_shared_u8)
        put(&m, WC_add_I, .d = 5, .a = 5, .b = BASE);
    put(&m, WC_select_I, .d = 4, .a = 1, .b = 4, .c = 5);
    access.a = 4;
    machine_put(&m, access);
    put(&m, WC_exit);
    machine_expect_fault(&m, WC_LANES, WC_TRAP_ACCESS, text);
    const kernc_trap *t = kernc_last_trap(m.context);
    assert_int_equal(t->thread[0], 3);
    assert_true(t->has_address && t->line > 100);
    machine_free(&m);
}
#define bad(op_, ...) check_bad((struct wc_ins){.op = (op_), .d = 6}, __VA_ARGS__)

void bad_accesses(void **state)
{
    bad(WC_ld_global_32, false, 0, 0, "is a null pointer access");
    bad(WC_ld_global_32, true, 16, 0, "0 bytes past the end of buffer data");
    bad(WC_ld_global_32, true, 0xfffffffc, 0,
        "at global address 0x000ffffc is out of bounds: index -1, 4 bytes before buffer data");
    bad(WC_ld_global_32, true, 0x300000, 0, "3145712 bytes past the end of buffer data");
    bad(WC_ld_global_32, true, 2, 0, "is misaligned");
    bad(WC_ld_global_lo64, true, 4, 0, "load of 8 bytes at global address 0x00100004 is misaligned");
    bad(WC_st_global_lo64, true, 16, 0, "store of 8 bytes at global address 0x00100010 is out of bounds");
    bad(WC_st_shared_lo64, false, 60, 16, "is misaligned");
    bad(WC_st_global_16, true, 1, 0, "store of 2 bytes at global address");
    bad(WC_st_global_8, true, 16, 0, "store of 1 byte at global address");
    bad(WC_ld_global_32, false, 0xfffffffc, 0, "is a null pointer access");
    bad(WC_ld_global_32, false, 0xff000000, 0, "bytes before buffer data");
    bad(WC_at_global_add_I, true, 16, 0, "store of 4 bytes at global address");
    bad(WC_ld_shared_32, false, 0, 16,
        "load of 4 bytes at shared address 0x00000000 is a null pointer access");
    bad(WC_ld_shared_32, false, 64, 16, "the block's shared memory has 64 bytes");
    bad(WC_st_shared_32, false, 62, 16, "is misaligned");
    bad(WC_st_private_32, false, 64, 16, "the thread's private memory has 64 bytes");
    bad(WC_st_private_f32, false, 0xfffffff0, 16, "the thread's private memory has 64 bytes");
    bad(WC_ld_private_u8, false, 15, 16, "is a null pointer access");
}
