/* simulator_lanes.c: each lane operation of the instruction set against base/scalar.def, under every kind of
 * mask. */
#include "test/warpcore/simulator_test.h"

enum { A = 4, B = 5, C = 6, RESULT = 7, ADDRESS = 3, MASK = 8 };

/* Values that operations treat in a special way, among random ones. */
static uint32_t any_word(struct test_random *r)
{
    static const uint32_t special[] = {
        0,          1,          2,          31,         32,         33,         0x7fffffff, 0x80000000,
        0xffffffff, 0x3f800000, 0xbf800000, 0x00000001, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc12345,
        0x4b000001, 0x4effffff, 0x4f000000, 0xcf000000, 0x4f800000, 0x80000001, 0x33800000, 0x40490fdb};
    if (test_below(r, 2))
        return special[test_below(r, COUNT(special))];
    uint32_t x = (uint32_t)test_next(r);
    return test_below(r, 3) ? x : x >> test_below(r, 32);
}

/* What a lane's operation gives. */
static uint32_t wanted(const struct wc_ins *ins, const uint32_t *x)
{
    const struct wc_op_info *info = &wc_op_info[ins->op];
    const struct scalar_case_info *row = &scalar_case_info[info->lane];
    scalar_bits operand[SCALAR_MAX_ARGS] = {0};
    for (unsigned i = 0; i < row->arity; i++)
        operand[i] = row->argument[i] == SCALAR_B ? x[i] & 1 : x[i];
    if (info->major == WC_MAJOR_ALUI)
        operand[1] = (uint32_t)ins->imm;
    return (uint32_t)scalar_evaluate((enum scalar_case)info->lane, operand);
}

/* Register A + i, or the predicate of that number: in[i], lane by lane. The predicates are 1 to 4. */
static void load_operands(struct machine *m)
{
    put(m, WC_csrr, .d = LANE, .imm = WC_CSR_LANE);
    put(m, WC_ldarg, .d = ADDRESS, .imm = 0);
    machine_element(m, ADDRESS, ADDRESS, LANE);
    for (uint8_t i = 0; i < 4; i++) {
        put(m, WC_ld_global_32, .d = (uint8_t)(A + i), .a = ADDRESS, .imm = 4 * WC_LANES * i);
        put(m, WC_and_I_imm, .d = 9, .a = (uint8_t)(A + i), .imm = 1);
        put(m, WC_ne_I_imm, .d = (uint8_t)(1 + i), .a = 9, .imm = 0);
    }
    put(m, WC_ldarg, .d = MASK, .imm = 2);
    put(m, WC_lshr_I, .d = MASK, .a = MASK, .b = LANE);
    put(m, WC_and_I_imm, .d = MASK, .a = MASK, .imm = 1);
    put(m, WC_ne_I_imm, .d = 5, .a = MASK, .imm = 0);
}

/* Where the clock runs, a NaN is canonical already. */
static void store_result(struct machine *m, enum scalar_type type)
{
    bool canonical = type == SCALAR_F && !m->launch.flags;
    if (type == SCALAR_B)
        put(m, WC_zext_BI, .d = RESULT, .a = 4);
    put(m, WC_ldarg, .d = ADDRESS, .imm = 1);
    machine_element(m, ADDRESS, ADDRESS, LANE);
    put(m, canonical ? WC_st_global_f32 : WC_st_global_32, .d = RESULT, .a = ADDRESS);
    put(m, WC_exit);
}

/* The instruction, with registers or predicates as its row has them. */
static struct wc_ins operation(enum wc_op op, struct test_random *r)
{
    const char *letters = wc_op_info[op].operands;
    struct wc_ins ins = {.op = (uint16_t)op, .d = letters[0] == 'P' ? 4 : RESULT};
    ins.a = letters[1] == 'p' ? 1 : letters[1] == 'r' ? A : 0;
    ins.b = letters[2] == 'p' ? 2 : letters[2] == 'r' ? B : 0;
    ins.c = letters[3] == 'p' ? 3 : letters[3] == 'r' ? C : 0;
    ins.imm = letters[4] == 'i' ? (int32_t)test_below(r, 4096) - 2048 : 0;
    return ins;
}

static void check_lane(const struct wc_ins *ins, enum scalar_type type, const uint32_t *in,
                       const uint32_t *out, unsigned lane, bool active, bool timed)
{
    uint32_t x[3] = {in[lane], in[WC_LANES + lane], in[2 * WC_LANES + lane]}, old = in[3 * WC_LANES + lane];
    uint32_t want = active ? wanted(ins, x) : type == SCALAR_B ? old & 1 : old;
    if (!active && type == SCALAR_F && !timed)
        want = scalar_bits_f32(scalar_from_f32(want));
    if (out[lane] != want)
        fail_msg("%s of 0x%08x, 0x%08x, 0x%08x, imm %d, in %s lane %u: 0x%08x, not 0x%08x",
                 wc_op_info[ins->op].mnemonic, x[0], x[1], x[2], ins->imm, active ? "active" : "inactive",
                 lane, out[lane], want);
}

static void check_operation(enum wc_op op, const char *isa, bool timed, struct test_random *r)
{
    enum { RUNS = 60 };
    enum scalar_type type = (enum scalar_type)scalar_case_info[wc_op_info[op].lane].result;
    struct machine m = machine_new(WC_MODE_RPC);
    uint32_t *in = machine_buffer(&m, "in", 4 * WC_LANES), *out = machine_buffer(&m, "out", WC_LANES);
    machine_number(&m, "mask", 0);
    m.launch.flags = timed ? KERNC_STATISTICS : 0;
    m.launch.isa = isa;
    load_operands(&m);
    uint32_t skip = put(&m, WC_brn, .a = 5, .imm = 0, .rpc = 0);
    struct wc_ins ins = operation(op, r);
    machine_put(&m, ins);
    machine_target(&m, skip);
    machine_reconverge(&m, skip);
    put(&m, WC_converge, .imm = WC_NONE);
    store_result(&m, type);
    for (int run = 0; run < RUNS; run++) {
        uint32_t mask = run % 3 ? (uint32_t)test_below(r, 256) : 255;
        for (unsigned i = 0; i < 4 * WC_LANES; i++)
            in[i] = any_word(r);
        m.arguments[2].value.bits = mask;
        machine_expect(&m, 1, WC_LANES, KERNC_OK);
        for (unsigned lane = 0; lane < WC_LANES; lane++)
            check_lane(&ins, type, in, out, lane, mask >> lane & 1, timed);
    }
    machine_free(&m);
}

static void check_operations(const char *isa, bool timed)
{
    struct test_random r = {7};
    unsigned count = 0;
    for (unsigned op = 0; op < WC_OPS; op++)
        if (wc_op_info[op].lane >= 0) {
            check_operation((enum wc_op)op, isa, timed, &r);
            count++;
        }
    assert_true(count > 100);
}

void lane_operations(void **state)
{
    check_operations(NULL, false);
    check_operations(NULL, true);
}

void lane_operations_of_the_base(void **state)
{
    check_operations("base", false);
    check_operations("base", true);
}

/* r0 reads 0 and p0 reads true whatever is written to them. */
void constant_registers(void **state)
{
    struct machine m = machine_new(WC_MODE_RPC);
    uint32_t *out = machine_buffer(&m, "out", WC_LANES);
    put(&m, WC_li, .d = 0, .imm = 77);
    put(&m, WC_csrr, .d = 0, .imm = WC_CSR_LANE);
    put(&m, WC_ne_I, .d = 0, .a = 0, .b = 0);
    put(&m, WC_any, .d = 0, .a = 1);
    put(&m, WC_zext_BI, .d = 5, .a = 0);
    put(&m, WC_shl_I_imm, .d = 5, .a = 5, .imm = 4);
    put(&m, WC_add_I, .d = 5, .a = 5, .b = 0);
    put(&m, WC_csrr, .d = LANE, .imm = WC_CSR_LANE);
    put(&m, WC_ldarg, .d = ADDRESS, .imm = 0);
    machine_element(&m, ADDRESS, ADDRESS, LANE);
    put(&m, WC_st_global_32, .d = 5, .a = ADDRESS);
    put(&m, WC_exit);
    machine_expect(&m, 1, WC_LANES, KERNC_OK);
    for (unsigned lane = 0; lane < WC_LANES; lane++)
        assert_int_equal(out[lane], 16);
    machine_free(&m);
}

void numbers(void **state)
{
    static const uint32_t words[] = {0, 1, 0x3ff, 0x400, 0x12345678, 0x80000000, 0xffffffff};
    struct machine m = machine_new(WC_MODE_RPC);
    uint32_t *out = machine_buffer(&m, "out", COUNT(words) + 2);
    put(&m, WC_ldarg, .d = ADDRESS, .imm = 0);
    for (unsigned i = 0; i < COUNT(words); i++) {
        machine_constant(&m, 5, words[i]);
        put(&m, WC_st_global_32, .d = 5, .a = ADDRESS, .imm = (int32_t)(4 * i));
    }
    for (unsigned i = 0; i < 2; i++) {
        put(&m, WC_li, .d = 5, .imm = i ? 0x1fffff : -0x200000);
        put(&m, WC_st_global_32, .d = 5, .a = ADDRESS, .imm = (int32_t)(4 * (COUNT(words) + i)));
    }
    put(&m, WC_exit);
    machine_expect(&m, 1, 1, KERNC_OK);
    for (unsigned i = 0; i < COUNT(words); i++)
        assert_int_equal(out[i], words[i]);
    assert_int_equal(out[COUNT(words)], 0xffe00000);
    assert_int_equal(out[COUNT(words) + 1], 0x1fffff);
    machine_free(&m);
}
