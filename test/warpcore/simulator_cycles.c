/* simulator_cycles.c: what instructions, warps, blocks and cores cost. */
#include "test/warpcore/simulator_test.h"

enum { BASE = 3 };

static uint32_t parameter(enum wc_parameter which)
{
    return wc_timing_default.parameter[which];
}

/* Until the first instruction of a block's first warp: 64 bytes of shared memory and those of each lane are
 * cleared, 32 a cycle. */
static uint32_t start_of_warp(void)
{
    return parameter(WC_START) + 64 * WC_LANES / 32 * parameter(WC_CLEAR);
}
static uint32_t start_of_block(void)
{
    return 64 / 32 * parameter(WC_CLEAR) + start_of_warp();
}

struct machine six_cycles(void)
{
    struct machine m = machine_new(WC_MODE_RPC);
    put(&m, WC_li, .d = 1, .imm = 3);
    put(&m, WC_li, .d = 2, .imm = 4);
    put(&m, WC_add_I, .d = 1, .a = 1, .b = 2);
    put(&m, WC_mul_I, .d = 1, .a = 1, .b = 2);
    put(&m, WC_exit);
    m.launch.flags = KERNC_STATISTICS;
    return m;
}

void cycles_of_warps(void **state)
{
    struct machine m = six_cycles();
    machine_expect(&m, 1, WC_LANES, KERNC_OK);
    assert_int_equal(metrics(&m)->cycles, 6);
    assert_int_equal(metrics(&m)->core_cycles, start_of_block() + 6);
    machine_expect(&m, 1, 4 * WC_LANES, KERNC_OK); /* they hide each other's cycles: 20 words in a row */
    assert_int_equal(metrics(&m)->cycles, 24);
    assert_int_equal(metrics(&m)->core_cycles, start_of_block() + 20);
    /* the fifth follows the first, which ends after 17 cycles; the other three go before it in turn */
    machine_expect(&m, 1, 5 * WC_LANES, KERNC_OK);
    assert_int_equal(metrics(&m)->core_cycles, start_of_block() + 17 + 3 + start_of_warp() + 6);
    /* four pipelines, with units of their own: each issues as if it were alone */
    m.launch.timing = "ISSUE 4\nALU 1 0\nMUL 2 0\nFLOW 1 0";
    machine_expect(&m, 1, 4 * WC_LANES, KERNC_OK);
    assert_int_equal(metrics(&m)->core_cycles, start_of_block() + 6);
    m.launch.timing = "# no multiplier is that slow\nMUL 100 100\nSTART 1\n";
    machine_expect(&m, 1, 1, KERNC_OK);
    assert_int_equal(metrics(&m)->cycles, 104);
    assert_int_equal(metrics(&m)->core_cycles, start_of_block() - parameter(WC_START) + 1 + 104);
    /* one after the other; once an EXIT is issued where the next MUL could be */
    machine_expect(&m, 1, 4 * WC_LANES, KERNC_OK);
    assert_int_equal(metrics(&m)->core_cycles, start_of_block() - parameter(WC_START) + 1 + 12 + 400 + 1 + 1);
    m.launch.timing = "MUL 0";
    machine_expect(&m, 1, 1, KERNC_INVALID);
    machine_free(&m);
}

/* DIVERGE that diverges is counted and charged as a branch that does: csrr, slti, DIVERGE, one
 * more for the lanes below `limit`, CONVERGE, EXIT. */
static void check_diverge(int32_t limit, uint32_t words, bool diverges)
{
    struct machine m = machine_new(WC_MODE_RPC);
    below(&m, 1, limit);
    uint32_t diverge = put(&m, WC_diverge, .a = 1, .imm = 0);
    put(&m, WC_li, .d = 5, .imm = 1);
    machine_target(&m, diverge);
    machine_reconverge(&m, diverge);
    put(&m, WC_converge, .imm = WC_NONE);
    put(&m, WC_exit);
    m.launch.flags = KERNC_STATISTICS;
    machine_expect(&m, 1, WC_LANES, KERNC_OK);
    assert_int_equal(metrics(&m)->warp_instructions, words);
    assert_int_equal(metrics(&m)->divergences, diverges);
    assert_int_equal(metrics(&m)->cycles, words + (diverges ? parameter(WC_DIVERGE) : 0));
    assert_int_equal(metrics(&m)->core_cycles, start_of_block() + metrics(&m)->cycles);
    machine_free(&m);
}

void cycles_of_diverge(void **state)
{
    check_diverge(3, 6, true);
    check_diverge(WC_LANES, 6, false);
    check_diverge(0, 5, false);
}

/* EXIT pops an entry a cycle: four branches part the lanes for good, each leaves an entry that has run. */
void cycles_of_exit(void **state)
{
    enum { DEPTH = 4 };
    uint64_t cycles[2];
    for (unsigned slow = 0; slow < 2; slow++) {
        struct machine m = machine_new(WC_MODE_RPC);
        uint32_t branches[DEPTH];
        for (int i = 0; i < DEPTH; i++) {
            below(&m, 1, DEPTH - i);
            branches[i] = put(&m, WC_brn, .a = 1, .imm = 0, .rpc = m.image->code.count);
        }
        put(&m, WC_exit);
        for (unsigned i = 0; i < DEPTH; i++)
            machine_target(&m, branches[i]);
        put(&m, WC_exit);
        m.launch.flags = KERNC_STATISTICS;
        m.launch.timing = slow ? "POP 10" : NULL;
        machine_expect(&m, 1, WC_LANES, KERNC_OK);
        assert_int_equal(metrics(&m)->warp_instructions, 3 * DEPTH + 1 + DEPTH);
        cycles[slow] = metrics(&m)->cycles;
        machine_free(&m);
    }
    assert_int_equal(cycles[0], 3 * DEPTH + 1 + DEPTH * (1 + parameter(WC_DIVERGE) + parameter(WC_POP)));
    assert_int_equal(cycles[1], cycles[0] + DEPTH * (10 - parameter(WC_POP)));
}

void cycles_of_cores(void **state)
{
    struct machine m = six_cycles();
    machine_expect(&m, 5, WC_LANES, KERNC_OK);
    assert_int_equal(metrics(&m)->core_cycles, 5 * (start_of_block() + 6));
    m.launch.cores = 2;
    machine_expect(&m, 5, WC_LANES, KERNC_OK);
    assert_int_equal(metrics(&m)->core_cycles, 3 * (start_of_block() + 6));
    m.launch.cores = KERNC_MAX_CORES + 1;
    machine_expect(&m, 5, WC_LANES, KERNC_LIMIT);
    machine_free(&m);

    m = machine_new(WC_MODE_RPC); /* each lane in a segment of its own */
    machine_buffer(&m, "data", 64);
    put(&m, WC_csrr, .d = LANE, .imm = WC_CSR_LANE);
    put(&m, WC_shl_I_imm, .d = LANE, .a = LANE, .imm = 5);
    put(&m, WC_ldarg, .d = BASE, .imm = 0);
    put(&m, WC_add_I, .d = BASE, .a = BASE, .b = LANE);
    put(&m, WC_ld_global_32, .d = 5, .a = BASE);
    put(&m, WC_exit);
    m.launch.flags = KERNC_STATISTICS;
    m.launch.segment = 64;
    machine_expect(&m, 1, WC_LANES, KERNC_OK);
    assert_int_equal(metrics(&m)->cycles, 4 + (4 + 7 * parameter(WC_SEGMENT)) + 1);
    assert_int_equal(metrics(&m)->core_cycles, start_of_block() + metrics(&m)->cycles);
    assert_int_equal(metrics(&m)->memory_instructions, 1);
    assert_int_equal(metrics(&m)->memory_transactions, 4);
    machine_free(&m);
}
