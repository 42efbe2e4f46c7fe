/* simulator_hostile.c: programs of random words: those that the verifier lets pass end, fault or run out of
 * fuel. */
#include "test/programs.h"
#include "test/warpcore/simulator_test.h"

static struct wc_ins random_word(struct test_random *r, uint32_t words)
{
    static const uint16_t flow[] = {WC_br,   WC_brn,  WC_converge, WC_diverge, WC_csrw,
                                    WC_call, WC_exit, WC_ret,      WC_callr};
    for (;;) {
        struct wc_ins ins = {.op = test_below(r, 2) ? flow[test_below(r, COUNT(flow))]
                                                    : (uint16_t)test_below(r, WC_OPS)};
        const char *letters = wc_op_info[ins.op].operands;
        uint8_t *fields[] = {&ins.d, &ins.a, &ins.b, &ins.c};
        for (unsigned i = 0; i < 4; i++)
            *fields[i] = letters[i] == '-'
                             ? 0
                             : (uint8_t)test_below(r, letters[i] == 'p' || letters[i] == 'P' ? 4 : 8);
        ins.imm = letters[4] == 'n'                        ? 0
                  : letters[4] == 'k' || letters[4] == 's' ? (int32_t)test_below(r, words)
                  : letters[4] == 'C'                      ? WC_CSR_BARRIER + (int32_t)test_below(r, 2)
                  : letters[4] == 'c'                      ? (int32_t)test_below(r, WC_CSR_SPECIALS)
                  : letters[4] == 'w'                      ? (int32_t)test_below(r, 3)
                  : letters[4] == '-'                      ? 0
                                                           : (int32_t)test_below(r, 64);
        ins.rpc = letters[5] == '-' ? 0 : test_below(r, 3) ? (uint16_t)test_below(r, words) : WC_NONE;
        if (wc_imm_fits((enum wc_op)ins.op, ins.imm))
            return ins;
    }
}

/* True: the verifier let it run. */
static bool run_random(uint64_t seed, enum wc_mode mode)
{
    struct test_random r = {seed};
    uint32_t words = 4 + test_below(&r, 40);
    struct machine m = machine_new(mode);
    machine_buffer(&m, "a", 16);
    machine_text(&m, "text\n", "");
    put(&m, WC_csrr, .d = 1, .imm = WC_CSR_LANE);
    put(&m, WC_ldarg, .d = 2, .imm = 0);
    put(&m, WC_slt_I_imm, .d = 1, .a = 1, .imm = (int32_t)test_below(&r, 9));
    while (m.image->code.count < words)
        machine_put(&m, random_word(&r, words + 1));
    put(&m, WC_exit);
    m.launch.fuel = 5000;
    m.launch.flags = seed % 2 ? KERNC_STATISTICS : 0;
    kernc_status status = machine_run(&m, 2, 1 + test_below(&r, 50));
    if (status != KERNC_OK && status != KERNC_TRAP && status != KERNC_LIMIT && status != KERNC_BAD_PROGRAM)
        fail_msg("seed %llu: %s", (unsigned long long)seed, kernc_error_text(m.context));
    machine_free(&m);
    return status != KERNC_BAD_PROGRAM;
}

void random_programs(void **state)
{
    uint32_t ran = 0, programs = 10 * test_programs(150);
    for (uint64_t seed = 1; seed <= programs; seed++)
        ran += run_random(seed, (enum wc_mode)(seed % WC_MODES));
    assert_true(ran > programs / 6);
}
