/* simulator_test.h: what the parts of the simulator's tests share. */
#ifndef KERNC_TEST_SIMULATOR_TEST_H
#define KERNC_TEST_SIMULATOR_TEST_H

#include "test/warpcore/machine.h"

#include <setjmp.h>

#include <cmocka.h>

/* A source of random numbers (splitmix64). */
struct test_random {
    uint64_t state;
};
uint64_t test_next(struct test_random *r);
static inline uint32_t test_below(struct test_random *r, uint32_t n)
{
    return (uint32_t)(test_next(r) >> 32) % n;
}

/* Runs and checks how it ends. */
void machine_expect(struct machine *m, uint32_t blocks, uint32_t threads, kernc_status status);
/* It ends with this trap: its code stands in the report, `text` in the trap's text. */
void machine_expect_fault(struct machine *m, uint32_t threads, enum wc_trap code, const char *text);

/* Of the latest run. */
static inline const kernc_metrics *metrics(const struct machine *m)
{
    static kernc_metrics latest;
    latest = (kernc_metrics){.size = sizeof latest};
    kernc_statistics_metrics(m->statistics, &latest);
    return &latest;
}
/* Predicate p: lane numbers below `limit`. The lanes' numbers stay in their register. */
enum { LANE = 2 };
static inline void below(struct machine *m, uint8_t p, int32_t limit)
{
    put(m, WC_csrr, .d = LANE, .imm = WC_CSR_LANE);
    put(m, WC_slt_I_imm, .d = p, .a = LANE, .imm = limit);
}
/* Five words of 1 + 1 + 1 + 2 + 1 cycles, timed. */
struct machine six_cycles(void);

/* The tests: simulator_lanes.c, simulator_memory.c, simulator_group.c, simulator_flow.c,
 * simulator_cycles.c, simulator_hostile.c */
#define SIMULATOR_TESTS(test)                                                                                \
    test(lane_operations) test(lane_operations_of_the_base) test(constant_registers) test(numbers)           \
        test(loads_and_stores) test(atomics) test(bad_accesses) test(warp_operations)                        \
            test(control_registers) test(printing) test(divergence_counts) test(cycles_of_warps)             \
                test(cycles_of_diverge) test(cycles_of_exit) test(cycles_of_cores) test(calls)               \
                    test(barriers) test(broken_barriers) test(faults) test(fault_report) test(fuel)          \
                        test(module_of_both_kinds) test(no_memory) test(random_programs)
#define DECLARE(name) void name(void **state);
SIMULATOR_TESTS(DECLARE)
#undef DECLARE

#endif
