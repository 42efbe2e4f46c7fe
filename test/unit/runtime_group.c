/* Shuffles, reductions and scans of every lane count and instruction set, in whole and in partial groups,
 * against their definition; and division of lanes, which the core does its own way. */
#include "test/unit/runtime_program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

enum { LANES = 64 };

static kernc_context *context;
static kernc_buffer  *buffers[4];                /* a, b, mask, out: 8 bytes a lane */

static uint64_t *elements(unsigned i)
{
    return kernc_buffer_map(buffers[i]);
}

/* Registers: v0 lane; s0 … s3 buffers; v2 (w) a, v4 b, m0 mask, m1 a as truth; result v8 (w) or m2. */
static struct maker begin(void)
{
    static const char *const names[] = {"a", "b", "mask", "out"};
    struct maker m = make_program(16, 8, 16);
    for (unsigned i = 0; i < COUNT(names); i++)
        make_fill(&m, BC_FROM_PARAM, BC_KIND_S, i, make_param(&m, names[i], BE_PTR));
    make_fill(&m, BC_FROM_SPECIAL, BC_KIND_V, 0, BC_SPECIAL_LANE);
    make_block(&m, 0);
    return m;
}

enum kind { V, W, M };

/* Under the mask: d = op(a, b); then every lane stores d. S results are spread under the mask. */
static kernc_module *program(enum bc_op op, enum kind kind, bool to_scalar)
{
    struct maker m = begin();
    static const enum bc_op loads[] = {BC_ldx_g32, BC_ldx_g64, BC_ldx_gb},
                            stores[] = {BC_stx_g32, BC_stx_g64, BC_stx_gb};
    static const enum bc_op spreads[] = {BC_spread_v, BC_spread_w, BC_spread_m};
    unsigned a = kind == M ? 1 : 2, d = kind == M ? 2 : 8;
    make(&m, loads[kind], .d = (uint16_t)a, .a = 0, .b = 0, .c = 3, .e = make_site(&m, BC_SITE_GLOBAL));
    make(&m, BC_ldx_g32, .d = 4, .a = 0, .b = 1, .c = 3, .e = make_site(&m, BC_SITE_GLOBAL));
    make(&m, BC_ldx_gb, .d = 0, .a = 0, .b = 2, .c = 3, .e = make_site(&m, BC_SITE_GLOBAL));
    make(&m, loads[kind], .d = (uint16_t)d, .a = 0, .b = 3, .c = 3, .e = make_site(&m, BC_SITE_GLOBAL));
    make(&m, BC_br, .a = 0);
    uint32_t branch = make_branch(&m, 0, 0, 0), then = make_block(&m, 0);
    if (to_scalar) {
        make(&m, op, .d = 8, .a = (uint16_t)a, .e = BC_NO_TOKEN);
        make(&m, spreads[kind], .d = (uint16_t)d, .a = 8);
    } else if (op < BC_SCALAR_OPS)
        make(&m, op, .d = (uint16_t)d, .a = (uint16_t)a, .b = 4);
    else
        make(&m, op, .d = (uint16_t)d, .a = (uint16_t)a,
             .b = op >= BC_scan_add_I && op <= BC_scan_add_D ? 0 : 4, .e = BC_NO_TOKEN);
    uint32_t jump = make(&m, BC_jump), join = make_block(&m, BC_RECONVERGE);
    make(&m, stores[kind], .d = (uint16_t)d, .a = 0, .b = 3, .c = 3, .e = make_site(&m, BC_SITE_GLOBAL));
    make(&m, BC_exit);
    m.p->code.at[jump].imm = join;
    *branch_at(&m, branch) = (struct bc_branch){BC_branch, branch_at(&m, branch)->site, then, join, join};
    kernc_module *module = make_finish(&m, context);
    if (!module)
        fail_msg("%s", kernc_error_text(context));
    return module;
}

/* What lane i of the group gets, from a, b and the group. */
typedef uint64_t definition(unsigned i, uint64_t group, uint32_t lanes);

static void set_inputs(unsigned round, enum kind kind, uint64_t group)
{
    for (unsigned i = 0; i < LANES; i++) {
        uint64_t mix = hash_mix(i, round);
        elements(0)[i] = kind == M ? mix & 1 : round % 3 ? mix : mix % 100;
        elements(1)[i] = round % 2 ? hash_mix(mix, 1) % 70 : round % 5;
        elements(2)[i] = group >> i & 1;
        elements(3)[i] = kind == M ? 1 : 12345;
    }
}

static void check(enum bc_op op, enum kind kind, bool to_scalar, definition *wanted)
{
    static const uint64_t groups[] = {UINT64_MAX, 0x5555555555555555u, 1, 0xfffffffffffffffeu,
                                      0x00f0ff3300000008u};
    static const uint32_t widths[] = {8, 16, 32, 64, 20};
    uint64_t keep = kind == V ? UINT32_MAX : kind == W ? UINT64_MAX : 0xff;
    kernc_module *module = program(op, kind, to_scalar);
    for (unsigned round = 0; round < 50; round++) {
        uint32_t lanes = widths[round / 2 % COUNT(widths)];
        uint64_t all = UINT64_MAX >> (64 - lanes), group = groups[round % COUNT(groups)] & all;
        set_inputs(round, kind, group);
        kernc_argument args[4];
        for (unsigned i = 0; i < 4; i++)
            args[i] = kernc_arg_buffer(NULL, buffers[i]);
        kernc_launch l = {.size = sizeof l, .block = {lanes}, .warp = lanes, .args = args, .arg_count = 4,
                          .isa = round % 4 < 2 ? NULL : "base"};
        assert_int_equal(kernc_run(kernc_module_kernel_at(module, 0), &l, NULL), KERNC_OK);
        for (unsigned i = 0; i < lanes; i++) {
            uint64_t want = group >> i & 1 ? wanted(i, group, lanes) : kind == M ? 1 : 12345;
            if ((elements(3)[i] & keep) != (want & keep))
                fail_msg("%s, %u lanes, group %llx, lane %u: %llx, not %llx", bc_op_info(op)->name, lanes,
                         (unsigned long long)group, i, (unsigned long long)(elements(3)[i] & keep),
                         (unsigned long long)(want & keep));
        }
    }
    kernc_module_free(module);
}

/* ---- shuffles ---------------------------------------------------------------------------------------- */

static uint64_t from_lane(unsigned i, uint32_t lane, uint64_t group)
{
    return elements(0)[lane < LANES && group >> lane & 1 ? lane : i];
}
static uint64_t to_lane(unsigned i, uint64_t group, uint32_t lanes)
{
    return from_lane(i, (uint32_t)elements(1)[i], group);
}
static uint64_t by_xor(unsigned i, uint64_t group, uint32_t lanes)
{
    return from_lane(i, i ^ (uint32_t)elements(1)[i], group);
}
static uint64_t up(unsigned i, uint64_t group, uint32_t lanes)
{
    return from_lane(i, i - (uint32_t)elements(1)[i], group);
}
static uint64_t down(unsigned i, uint64_t group, uint32_t lanes)
{
    return from_lane(i, i + (uint32_t)elements(1)[i], group);
}

static void shuffles_take_values_of_the_group(void **state)
{
    UNUSED(state);
#define SHUFFLE(op, wanted)                                                                                  \
    check(BC_##op##_v, V, false, wanted);                                                                    \
    check(BC_##op##_w, W, false, wanted);                                                                    \
    check(BC_##op##_m, M, false, wanted);
    SHUFFLE(shuffle, to_lane)
    SHUFFLE(shuffle_xor, by_xor)
    SHUFFLE(shuffle_up, up)
    SHUFFLE(shuffle_down, down)
}

/* ---- reductions and scans ---------------------------------------------------------------------------- */

/* By a case of scalar.def over the group up to `last`. */
static uint64_t fold(enum scalar_case c, uint64_t group, unsigned last)
{
    bool first = true;
    uint64_t r = 0, mask = scalar_case_info[c].result == SCALAR_I || scalar_case_info[c].result == SCALAR_F
                               ? UINT32_MAX
                               : UINT64_MAX;
    for (unsigned i = 0; i <= last; i++) {
        if (!(group >> i & 1))
            continue;
        r = first ? elements(0)[i] & mask : scalar_evaluate(c, (scalar_bits[]){r, elements(0)[i] & mask});
        first = false;
    }
    return r;
}
#define FOLD(op, c)                                                                                          \
    static uint64_t op##_I(unsigned i, uint64_t group, uint32_t lanes)                                       \
    {                                                                                                        \
        return fold(SCALAR_##c##_I, group, 63);                                                              \
    }                                                                                                        \
    static uint64_t op##_L(unsigned i, uint64_t group, uint32_t lanes)                                       \
    {                                                                                                        \
        return fold(SCALAR_##c##_L, group, 63);                                                              \
    }
FOLD(add, add) FOLD(smin, smin) FOLD(smax, smax) FOLD(umin, umin) FOLD(umax, umax)
FOLD(and, and) FOLD(or, or) FOLD(xor, xor)
#define FOLD_FLOAT(op, c)                                                                                    \
    static uint64_t op##_F(unsigned i, uint64_t group, uint32_t lanes)                                       \
    {                                                                                                        \
        return scalar_bits_f32(scalar_from_f32((uint32_t)fold(SCALAR_##c##_F, group, 63)));                  \
    }                                                                                                        \
    static uint64_t op##_D(unsigned i, uint64_t group, uint32_t lanes)                                       \
    {                                                                                                        \
        return scalar_bits_f64(scalar_from_f64(fold(SCALAR_##c##_D, group, 63)));                            \
    }
FOLD_FLOAT(smin, fmin) FOLD_FLOAT(smax, fmax)

static uint64_t sum_to_I(unsigned i, uint64_t group, uint32_t lanes)
{
    return fold(SCALAR_add_I, group, i);
}
static uint64_t sum_to_L(unsigned i, uint64_t group, uint32_t lanes)
{
    return fold(SCALAR_add_L, group, i);
}

static void reductions_cover_the_group(void **state)
{
    UNUSED(state);
#define REDUCTION(op) check(BC_reduce_##op##_I, V, true, op##_I); check(BC_reduce_##op##_L, W, true, op##_L);
    REDUCTION(add)
    REDUCTION(smin) REDUCTION(smax) REDUCTION(umin) REDUCTION(umax) REDUCTION(and) REDUCTION(or)
        REDUCTION(xor) check(BC_scan_add_I, V, false, sum_to_I);
    check(BC_scan_add_L, W, false, sum_to_L);
}

/* Inputs are random bits, NaNs among them: only those of one kind may come out. */
static void float_reductions_cover_the_group(void **state)
{
    UNUSED(state);
    check(BC_reduce_smin_D, W, true, smin_D);
    check(BC_reduce_smax_D, W, true, smax_D);
    check(BC_reduce_smin_F, V, true, smin_F);
    check(BC_reduce_smax_F, V, true, smax_F);
}

/* ---- division ---------------------------------------------------------------------------------------- */

/* Quotients next to integers, and the ends of the ranges. */
static void set_division(unsigned round)
{
    static const uint32_t ends[] = {0,          1,          2,          3,       0x7fffffff, 0x80000000,
                                    0x80000001, 0xfffffffe, 0xffffffff, 0x10000, 0xffff};
    for (unsigned i = 0; i < LANES; i++) {
        uint64_t mix = hash_mix(i, round);
        uint32_t b = round % 4 == 0 ? ends[mix % COUNT(ends)] : (uint32_t)(mix >> (mix % 32)),
                 q = (uint32_t)(mix >> 32) >> (mix >> 5) % 32;
        uint32_t near = (uint32_t)(mix >> 11) % 3 - 1;
        elements(0)[i] = round % 4 == 1   ? ends[(mix >> 8) % COUNT(ends)]
                         : round % 4 == 2 ? b * q + near
                                          : (uint32_t)hash_mix(mix, 7);
        elements(1)[i] = b;
        elements(2)[i] = 1;
    }
}

static void division_is_exact(void **state)
{
    UNUSED(state);
    static const enum scalar_case cases[] = {SCALAR_udiv_I, SCALAR_sdiv_I, SCALAR_urem_I, SCALAR_srem_I};
    for (unsigned c = 0; c < COUNT(cases); c++) {
        kernc_module *module = program(bc_scalar_op(cases[c], BC_FORM_V), V, false);
        for (unsigned round = 0; round < 400; round++) {
            kernc_argument args[4];
            for (unsigned i = 0; i < 4; i++)
                args[i] = kernc_arg_buffer(NULL, buffers[i]);
            kernc_launch l = {.size = sizeof l, .block = {64}, .warp = 64, .args = args, .arg_count = 4,
                              .isa = round % 8 ? NULL : "base"};
            set_division(round);
            assert_int_equal(kernc_run(kernc_module_kernel_at(module, 0), &l, NULL), KERNC_OK);
            for (unsigned i = 0; i < LANES; i++)
                assert_int_equal((uint32_t)elements(3)[i],
                                 scalar_evaluate(cases[c], (scalar_bits[]){elements(0)[i], elements(1)[i]}));
        }
        kernc_module_free(module);
    }
}

static int set_up(void **state)
{
    UNUSED(state);
    bool good = kernc_context_create(NULL, &context) == KERNC_OK;
    for (unsigned i = 0; i < COUNT(buffers); i++)
        good = good && kernc_buffer_create(context, LANES * 8, NULL, &buffers[i]) == KERNC_OK;
    return good ? 0 : -1;
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
        cmocka_unit_test(shuffles_take_values_of_the_group),
        cmocka_unit_test(reductions_cover_the_group),
        cmocka_unit_test(float_reductions_cover_the_group),
        cmocka_unit_test(division_is_exact),
    };
    return cmocka_run_group_tests_name("runtime: groups and division", tests, set_up, tear_down);
}
