/* simulator_flow.c: control flow, calls, barriers, faults and limits. */
#include "runtime/module.h"
#include "test/warpcore/simulator_test.h"

enum { BASE = 3, WARP = 4 };

/* ---- counts ------------------------------------------------------------------------------------------ */

/* Three lanes add twice, the others once: two words before, the branch, one or two adds, CONVERGE twice,
 * EXIT. */
void divergence_counts(void **state)
{
    struct machine m = machine_new(WC_MODE_RPC);
    below(&m, 1, 3);
    uint32_t branch = put(&m, WC_br, .a = 1, .imm = 0);
    put(&m, WC_add_I_imm, .d = 5, .a = 5, .imm = 1);
    uint32_t jump = put(&m, WC_br, .a = 0, .imm = 0, .rpc = WC_NONE);
    machine_target(&m, branch);
    put(&m, WC_add_I_imm, .d = 5, .a = 5, .imm = 1);
    put(&m, WC_add_I_imm, .d = 5, .a = 5, .imm = 1);
    machine_target(&m, jump);
    machine_reconverge(&m, branch);
    put(&m, WC_converge, .imm = WC_NONE);
    put(&m, WC_exit);
    machine_expect(&m, 3, WC_LANES, KERNC_OK);
    assert_int_equal(metrics(&m)->warp_instructions, 3 * (3 + 2 + 2 + 2 + 1));
    assert_int_equal(metrics(&m)->thread_instructions, 3 * (3 * 8 + 2 * 5 + 5 + 2 * 3 + 3 + 8));
    assert_int_equal(metrics(&m)->converges, 6);
    assert_int_equal(metrics(&m)->effective_converges, 6);
    assert_int_equal(metrics(&m)->overhead_instructions, 6);
    assert_int_equal(metrics(&m)->divergences, 3);
    assert_int_equal(metrics(&m)->reconvergences, 3);
    assert_int_equal(metrics(&m)->max_stack_depth, 1);
    uint64_t by_line = 0;
    kernc_line_metrics line = {.size = sizeof line};
    for (uint32_t i = 0; kernc_statistics_line(m.statistics, i, &line); i++)
        by_line += line.warp_instructions;
    assert_int_equal(by_line, metrics(&m)->warp_instructions);
    machine_free(&m);
}

/* ---- calls ------------------------------------------------------------------------------------------- */

/* A function that adds 5 to r5, called directly by lanes 0..3 and through a register by all. */
void calls(void **state)
{
    struct machine m = machine_new(WC_MODE_RPC);
    uint32_t *out = machine_buffer(&m, "out", WC_LANES);
    below(&m, 1, 4);
    uint32_t skip = put(&m, WC_brn, .a = 1, .imm = 0);
    uint32_t call = put(&m, WC_call, .d = WC_LINK, .imm = 0);
    machine_target(&m, skip);
    machine_reconverge(&m, skip);
    put(&m, WC_converge, .imm = WC_NONE);
    uint32_t address = put(&m, WC_li, .d = 6, .imm = 0);
    put(&m, WC_callr, .d = WC_LINK, .a = 6);
    put(&m, WC_ldarg, .d = BASE, .imm = 0);
    machine_element(&m, BASE, BASE, LANE);
    put(&m, WC_st_global_32, .d = 5, .a = BASE);
    put(&m, WC_exit);
    machine_target(&m, call);
    machine_target(&m, address);
    put(&m, WC_add_I_imm, .d = 5, .a = 5, .imm = 5);
    put(&m, WC_ret, .a = WC_LINK);
    machine_expect(&m, 1, WC_LANES, KERNC_OK);
    for (unsigned i = 0; i < WC_LANES; i++)
        assert_int_equal(out[i], i < 4 ? 10 : 5);
    machine_free(&m);
}

/* ---- barriers ---------------------------------------------------------------------------------------- */

/* Each warp writes its number to shared memory and, behind the barrier, reads the next
 * warp's; three times. */
static struct machine neighbours(uint32_t **out, uint32_t warps)
{
    struct machine m = machine_new(WC_MODE_RPC);
    m.image->shared_bytes = 16 + 4 * warps;
    *out = machine_buffer(&m, "out", warps * WC_LANES);
    put(&m, WC_csrr, .d = WARP, .imm = WC_CSR_WARP);
    put(&m, WC_li, .d = 9, .imm = 3);
    uint32_t again = put(&m, WC_shl_I_imm, .d = 5, .a = WARP, .imm = 2);
    put(&m, WC_mul_I, .d = 6, .a = WARP, .b = 9);
    put(&m, WC_st_shared_32, .d = 6, .a = 5, .imm = 16);
    put(&m, WC_csrw, .a = 0, .imm = WC_CSR_BARRIER);
    put(&m, WC_add_I_imm, .d = 5, .a = WARP, .imm = 1);
    put(&m, WC_urem_I_imm, .d = 5, .a = 5, .imm = (int32_t)warps);
    put(&m, WC_shl_I_imm, .d = 5, .a = 5, .imm = 2);
    put(&m, WC_ld_shared_32, .d = 6, .a = 5, .imm = 16);
    put(&m, WC_add_I, .d = 7, .a = 7, .b = 6);
    put(&m, WC_csrw, .a = 0, .imm = WC_CSR_BARRIER);
    put(&m, WC_add_I_imm, .d = 9, .a = 9, .imm = -1);
    put(&m, WC_ne_I_imm, .d = 1, .a = 9, .imm = 0);
    put(&m, WC_br, .a = 1, .imm = (int32_t)again, .rpc = WC_NONE);
    put(&m, WC_shl_I_imm, .d = 5, .a = WARP, .imm = 3);
    put(&m, WC_csrr, .d = LANE, .imm = WC_CSR_LANE);
    put(&m, WC_add_I, .d = 5, .a = 5, .b = LANE);
    put(&m, WC_ldarg, .d = BASE, .imm = 0);
    machine_element(&m, BASE, BASE, 5);
    put(&m, WC_st_global_32, .d = 7, .a = BASE);
    put(&m, WC_exit);
    return m;
}

void barriers(void **state)
{
    static const uint32_t sizes[] = {1, 3, 4, 5, 100, 512};
    for (size_t i = 0; i < COUNT(sizes); i++) {
        uint32_t warps = sizes[i], *out;
        struct machine m = neighbours(&out, warps);
        m.launch.flags = i % 2 ? KERNC_STATISTICS : 0;
        machine_expect(&m, 2, warps * WC_LANES, KERNC_OK);
        for (uint32_t t = 0; t < warps * WC_LANES; t++)
            assert_int_equal(out[t], (t / WC_LANES + 1) % warps * 6);
        if (i % 2 && warps > WC_SLOTS) /* at each of six barriers so many leave their slots and come back, one
                                          at a time */
            assert_true(metrics(&m)->core_cycles >
                        2 * 6 * 2 * (warps - WC_SLOTS) * wc_timing_default.parameter[WC_SWAP]);
        machine_free(&m);
    }
}

void broken_barriers(void **state)
{
    struct machine m = machine_new(WC_MODE_RPC); /* only some lanes come */
    below(&m, 1, 3);
    uint32_t skip = put(&m, WC_brn, .a = 1, .imm = 0);
    put(&m, WC_csrw, .a = 0, .imm = WC_CSR_BARRIER);
    machine_target(&m, skip);
    machine_reconverge(&m, skip);
    put(&m, WC_converge, .imm = WC_NONE);
    put(&m, WC_exit);
    machine_expect_fault(&m, WC_LANES, WC_TRAP_BARRIER, "barrier reached by only 3 of 8 threads of the warp");
    machine_free(&m);

    for (unsigned timed = 0; timed < 2; timed++) { /* the places of those who wait do not matter */
        m = machine_new(WC_MODE_RPC);
        put(&m, WC_csrr, .d = WARP, .imm = WC_CSR_WARP);
        put(&m, WC_eq_I_imm, .d = 1, .a = WARP, .imm = 0);
        uint32_t branch = put(&m, WC_br, .a = 1, .imm = 0, .rpc = WC_NONE);
        put(&m, WC_csrw, .a = 0, .imm = WC_CSR_BARRIER);
        machine_target(&m, branch);
        put(&m, WC_csrw, .a = 0, .imm = WC_CSR_BARRIER);
        put(&m, WC_exit);
        m.launch.flags = timed ? KERNC_STATISTICS : 0;
        machine_expect(&m, 1, 2 * WC_LANES, KERNC_OK);
        machine_free(&m);
    }

    m = machine_new(WC_MODE_RPC); /* warps that have ended are not waited for */
    put(&m, WC_csrr, .d = WARP, .imm = WC_CSR_WARP);
    put(&m, WC_eq_I_imm, .d = 1, .a = WARP, .imm = 0);
    uint32_t branch = put(&m, WC_br, .a = 1, .imm = 0, .rpc = WC_NONE);
    put(&m, WC_csrw, .a = 0, .imm = WC_CSR_BARRIER);
    machine_target(&m, branch);
    put(&m, WC_exit);
    machine_expect(&m, 1, 9 * WC_LANES, KERNC_OK);
    machine_free(&m);
}

/* ---- faults ------------------------------------------------------------------------------------------ */

void faults(void **state)
{
    struct machine m = machine_new(WC_MODE_RPC);
    uint32_t text = machine_text(&m, "index is even", "");
    below(&m, 1, 5);
    put(&m, WC_assert, .a = 1, .imm = (int32_t)text);
    put(&m, WC_exit);
    machine_expect_fault(&m, WC_LANES, WC_TRAP_ASSERT, "index is even");
    assert_int_equal(kernc_last_trap(m.context)->thread[0], 5);
    assert_int_equal(kernc_last_trap(m.context)->line, 102);
    machine_free(&m);

    m = machine_new(WC_MODE_RPC);
    text = machine_text(&m, "unreachable", "");
    put(&m, WC_trap, .imm = (int32_t)text);
    machine_expect_fault(&m, WC_LANES, WC_TRAP_TRAP, "unreachable");
    machine_free(&m);

    m = machine_new(WC_MODE_RPC); /* a branch said to be uniform */
    below(&m, 1, 5);
    put(&m, WC_br, .a = 1, .imm = 3, .rpc = WC_NONE);
    put(&m, WC_exit);
    machine_expect_fault(&m, WC_LANES, WC_TRAP_NOT_UNIFORM, "lanes disagree at a branch");
    machine_free(&m);

    m = machine_new(WC_MODE_RPC);
    put(&m, WC_csrr, .d = LANE, .imm = WC_CSR_LANE);
    put(&m, WC_ret, .a = LANE);
    machine_expect_fault(&m, WC_LANES, WC_TRAP_NOT_UNIFORM, "lanes disagree on where to go: words 0 and 1");
    machine_free(&m);

    m = machine_new(WC_MODE_RPC);
    put(&m, WC_li, .d = 5, .imm = 3);
    put(&m, WC_callr, .d = WC_LINK, .a = 5);
    put(&m, WC_exit);
    machine_expect_fault(&m, WC_LANES, WC_TRAP_BAD_PC, "a jump to word 3");
    machine_free(&m);

    m = machine_new(WC_MODE_ARTICLE);
    put(&m, WC_ne_I, .d = 1, .a = 0, .b = 0);
    put(&m, WC_diverge, .a = 1, .imm = 2, .rpc = WC_NONE);
    put(&m, WC_exit);
    machine_expect_fault(&m, WC_LANES, WC_TRAP_DIVERGE_EMPTY, "DIVERGE");
    machine_free(&m);

    m = machine_new(WC_MODE_ARTICLE); /* all go on: the swap leaves nobody */
    put(&m, WC_diverge, .a = 0, .imm = 2, .rpc = WC_NONE);
    put(&m, WC_converge, .imm = WC_NONE);
    put(&m, WC_exit);
    machine_expect_fault(&m, WC_LANES, WC_TRAP_NO_RECONVERGENCE, "the swap leaves no lane active");
    machine_free(&m);

    m = machine_new(WC_MODE_ARTICLE); /* seventeen times DIVERGE */
    for (unsigned i = 0; i < WC_STACK + 1; i++)
        put(&m, WC_diverge, .a = 0, .imm = 0, .rpc = WC_NONE);
    put(&m, WC_exit);
    machine_expect_fault(&m, WC_LANES, WC_TRAP_STACK_OVERFLOW, "divergence stack is full");
    machine_free(&m);
}

/* The machine's state is drawn: mask bits with lane 0 on the right, entries from the top. */
void fault_report(void **state)
{
    struct machine m = machine_new(WC_MODE_RPC);
    uint32_t text = machine_text(&m, "stop", "");
    below(&m, 1, 3);
    uint32_t skip = put(&m, WC_br, .a = 1, .imm = 6);
    put(&m, WC_slt_I_imm, .d = 1, .a = LANE, .imm = 5);
    put(&m, WC_assert, .a = 1, .imm = (int32_t)text);
    uint32_t jump = put(&m, WC_br, .a = 0, .imm = 0, .rpc = WC_NONE);
    put(&m, WC_nop);
    machine_target(&m, jump);
    machine_reconverge(&m, skip);
    put(&m, WC_converge, .imm = WC_NONE);
    put(&m, WC_exit);
    machine_expect_fault(&m, WC_LANES, WC_TRAP_ASSERT, "stop");
    const char *report = kernc_last_trap(m.context)->report, *rest = strchr(report, '\n');
    assert_non_null(strstr(report, "FAULT 4 (assert) in warp 0 at word 4 line 104: assert "));
    assert_string_equal(rest, "\nmode rpc; active 11111..., live 11111111; divergence stack:\n"
                              "   0 top  saved 11111111  pending .....111 at 6 line 106  "
                              "reconverge at 7 line 107\n");
    machine_free(&m);
}

/* ---- limits ------------------------------------------------------------------------------------------ */

void fuel(void **state)
{
    struct machine m = machine_new(WC_MODE_RPC);
    put(&m, WC_nop);
    put(&m, WC_br, .a = 0, .imm = 0, .rpc = WC_NONE);
    m.launch.fuel = 1000000;
    for (unsigned timed = 0; timed < 2; timed++) {
        m.launch.flags = timed ? KERNC_STATISTICS : 0;
        machine_expect(&m, 1, 9 * WC_LANES, KERNC_LIMIT);
        assert_in_range(metrics(&m)->warp_instructions, 1000000, 1000010);
    }
    machine_free(&m);

    m = machine_new(WC_MODE_RPC); /* warp 0 waits for the flag that the last warp sets */
    uint32_t *flag = machine_buffer(&m, "flag", 1);
    put(&m, WC_ldarg, .d = BASE, .imm = 0);
    put(&m, WC_csrr, .d = WARP, .imm = WC_CSR_WARP);
    put(&m, WC_eq_I_imm, .d = 1, .a = WARP, .imm = 8);
    uint32_t sets = put(&m, WC_br, .a = 1, .imm = 0, .rpc = WC_NONE);
    uint32_t spin = put(&m, WC_ld_global_32, .d = 5, .a = BASE);
    put(&m, WC_csrw, .a = 0, .imm = WC_CSR_YIELD);
    put(&m, WC_eq_I_imm, .d = 1, .a = 5, .imm = 0);
    put(&m, WC_br, .a = 1, .imm = (int32_t)spin, .rpc = WC_NONE);
    put(&m, WC_exit);
    machine_target(&m, sets);
    put(&m, WC_li, .d = 5, .imm = 1);
    put(&m, WC_st_global_32, .d = 5, .a = BASE);
    put(&m, WC_exit);
    m.launch.fuel = 1000000;
    machine_expect(&m, 1, 9 * WC_LANES, KERNC_OK);
    assert_int_equal(flag[0], 1);
    machine_free(&m);
}

static void drop(void *user, const char *bytes, size_t n)
{
}

/* Whichever allocation fails while a module is loaded and run with a trace: an error, and no leak. */
void no_memory(void **state)
{
    struct machine m = six_cycles();
    struct text bytes = {0};
    kernc_status status = KERNC_NO_MEMORY;
    wc_write(m.image, &bytes);
    kernc_launch launch = {
        .size = sizeof launch, .block = {40}, .trace = KERNC_TRACE_JSON, .trace_output = drop};
    for (long n = 1; status != KERNC_OK; n++) {
        kernc_module *module = NULL;
        kernc_kernel *kernel = NULL;
        mem_fail_after(n);
        status = kernc_module_load(m.context, bytes.at, bytes.length, &module);
        if (status == KERNC_OK && kernc_module_kernel(module, NULL, &kernel) == KERNC_OK)
            status = kernc_run(kernel, &launch, NULL);
        mem_fail_after(0);
        assert_true(status == KERNC_OK || status == KERNC_NO_MEMORY);
        assert_true(n < 1000);
        kernc_module_free(module);
    }
    text_free(&bytes);
    machine_free(&m);
}

/* What the interface says of a module that is an image. */
void module_of_both_kinds(void **state)
{
    struct machine m = six_cycles();
    machine_expect(&m, 1, 1, KERNC_OK);
    assert_string_equal(kernc_module_scheme(m.module), "warp-core:rpc");
    assert_null(rt_module_program(m.module));
    assert_non_null(rt_module_image(m.module));
    m.launch.scheme = "pdom";
    machine_expect(&m, 1, 1, KERNC_INVALID);
    m.launch.scheme = NULL;
    m.launch.sample = 1;
    machine_expect(&m, 2, 1, KERNC_INVALID);
    m.launch.sample = 0;
    m.launch.warp = 16;
    machine_expect(&m, 1, 1, KERNC_INVALID);
    m.launch.warp = 8;
    m.launch.isa = "none";
    machine_expect(&m, 1, 1, KERNC_NOT_FOUND);
    struct text bytes = {0};
    kernc_module *copy;
    wc_write(rt_module_image(m.module), &bytes);
    assert_int_equal(kernc_module_load(m.context, bytes.at, bytes.length, &copy), KERNC_OK);
    assert_int_equal(kernc_module_load(m.context, bytes.at, bytes.length - 1, &copy), KERNC_BAD_PROGRAM);
    text_free(&bytes);
    machine_free(&m);
}
