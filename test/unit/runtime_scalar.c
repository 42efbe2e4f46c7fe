/* Every case of scalar.def in every form, lane count and instruction set, against scalar_evaluate: with all
 * lanes active, and with every third; lanes that are not active keep what V_ forms would have overwritten. */
#include "test/unit/runtime_program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

enum { LANES = 64, KEPT = 0x5a5a5a5a };

static kernc_context *context;
static kernc_buffer *operands[SCALAR_MAX_ARGS], *masks, *results;

/* ---- inputs ------------------------------------------------------------------------------------------ */

static uint64_t sample(enum scalar_type type, unsigned i, unsigned operand)
{
    static const uint64_t floats[] = {0,          0x80000000, 0x3f800000, 0xbf800000, 0x7f800000,
                                      0xff800000, 0x7fc00000, 1,          0x7f7fffff, 0x4b000001,
                                      0x3effffff, 0xcf000000, 0x4f800000, 0x00800000};
    static const uint64_t words[] = {
        0,  1,  UINT64_MAX, (uint64_t)1 << 63, INT64_MAX, 0x80000000, 0x7fffffff, 0xffffffff, 31, 32, 33,
        63, 64, 7};
    static const double doubles[] = {0,   -0.0, 1,    -1,           1e300,  -1e300, 0.5,
                                     1.5, 2.5,  -2.5, 4294967295.5, 9.3e18, 1e-310};
    uint64_t mix = hash_mix(i * SCALAR_MAX_ARGS + operand, 0x9e3779b97f4a7c15u);
    if (i * 7 % 5 == 4)
        return type == SCALAR_B ? mix & 1 : type == SCALAR_I || type == SCALAR_F ? (uint32_t)mix : mix;
    unsigned pick = i + operand * (i / 8 + 1);
    switch (type) {
    case SCALAR_B: return mix & 1;
    case SCALAR_I: return (uint32_t)words[pick % COUNT(words)];
    case SCALAR_L: return words[pick % COUNT(words)];
    case SCALAR_F: return floats[pick % COUNT(floats)];
    default: return scalar_raw_f64(doubles[pick % COUNT(doubles)]);
    }
}

/* What functions of floats have most often, for which they have quick forms: 2^-40 to 2^20, of both signs every
 * other time. */
static uint64_t plain_float(unsigned i, bool positive)
{
    uint64_t mix = hash_mix(i, 0xd1b54a32d192ed03u), exponent = 127 - 40 + mix % 60;
    return (positive ? 0 : mix & 0x80000000) | exponent << 23 | (mix >> 32 & 0x7fffff);
}

/* NaNs are equal to each other. */
static bool same(enum scalar_type type, uint64_t a, uint64_t b)
{
    if (type == SCALAR_F)
        return scalar_bits_f32(scalar_from_f32((uint32_t)a)) == scalar_bits_f32(scalar_from_f32((uint32_t)b));
    if (type == SCALAR_D)
        return scalar_bits_f64(scalar_from_f64(a)) == scalar_bits_f64(scalar_from_f64(b));
    return a == b;
}

/* ---- programs: out[lane] = op(a[lane], b[lane], c[lane], e[lane]), elements 8 bytes apart ------------ */

/* Registers: v0 lane; s0 s1 s2 s3 operands, then as named; from s8 on values. Values in m1 m2 m3 m4 -> m5,
 * v2 v4 v6 v8 -> v10, s8 s9 s10 s11 -> s12. */
enum { MASKS = SCALAR_MAX_ARGS, OUT, ONE, TRUTH = 6, VALUES = 8, RESULT = SCALAR_MAX_ARGS };
static unsigned value_register(enum scalar_type type, unsigned i)
{
    return type == SCALAR_B ? 1 + i : 2 + 2 * i;
}

static enum bc_op load_op(enum scalar_type type)
{
    return type == SCALAR_B ? BC_ldx_gb : type == SCALAR_I || type == SCALAR_F ? BC_ldx_g32 : BC_ldx_g64;
}

static void load(struct maker *m, enum scalar_type type, unsigned reg, unsigned base)
{
    make(m, load_op(type), .d = (uint16_t)reg, .a = 0, .b = (uint16_t)base, .c = 3,
         .e = make_site(m, BC_SITE_GLOBAL));
}

static void store(struct maker *m, enum scalar_type type, unsigned reg)
{
    enum bc_op op = type == SCALAR_B                       ? BC_stx_gb
                    : type == SCALAR_I || type == SCALAR_F ? BC_stx_g32
                                                           : BC_stx_g64;
    make(m, op, .d = (uint16_t)reg, .a = 0, .b = OUT, .c = 3, .e = make_site(m, BC_SITE_GLOBAL));
}

static struct maker begin(void)
{
    static const char *const names[] = {"a", "b", "c", "e", "mask", "out"};
    struct maker m = make_program(16, 8, 16);
    for (unsigned i = 0; i < COUNT(names); i++)
        make_fill(&m, BC_FROM_PARAM, BC_KIND_S, i, make_param(&m, names[i], BE_PTR));
    make_fill(&m, BC_FROM_SPECIAL, BC_KIND_V, 0, BC_SPECIAL_LANE);
    make_fill(&m, BC_FROM_CONSTANT, BC_KIND_S, ONE, 1);
    make_block(&m, 0);
    return m;
}

/* Lanes with mask[lane] do the operation; all store, or those alone (T_ forms say nothing of the others). */
static kernc_module *lane_program(const struct scalar_case_info *info, enum bc_op op, bool temporary)
{
    struct maker m = begin();
    for (unsigned i = 0; i < info->arity; i++)
        load(&m, info->argument[i], value_register(info->argument[i], i), i);
    unsigned d = value_register(info->result, RESULT);
    load(&m, info->result, d, OUT);
    load(&m, SCALAR_B, 0, MASKS);
    make(&m, BC_br, .a = 0);
    uint32_t branch = make_branch(&m, 0, 0, 0);
    uint32_t then = make_block(&m, 0);
    uint16_t x[SCALAR_MAX_ARGS] = {0};
    for (unsigned i = 0; i < info->arity; i++)
        x[i] = (uint16_t)value_register(info->argument[i], i);
    make(&m, op, .d = (uint16_t)d, .a = x[0], .b = x[1], .c = x[2], .e = x[3]);
    if (temporary)
        store(&m, info->result, d);
    uint32_t jump = make(&m, BC_jump), join = make_block(&m, BC_RECONVERGE);
    if (!temporary)
        store(&m, info->result, d);
    make(&m, BC_exit);
    m.p->code.at[jump].imm = join;
    branch_at(&m, branch)->yes = then;
    branch_at(&m, branch)->no = branch_at(&m, branch)->reconverge = join;
    return make_finish(&m, context);
}

static void load_scalar(struct maker *m, enum scalar_type type, unsigned i)
{
    enum bc_op op = type == SCALAR_B                       ? BC_ldu_gb
                    : type == SCALAR_I || type == SCALAR_F ? BC_ldu_g32
                                                           : BC_ldu_g64;
    make(m, op, .d = (uint16_t)(VALUES + i), .a = (uint16_t)i, .e = make_site(m, BC_SITE_GLOBAL));
}

/* The branch of a comparison in form B, U or C: out[lane] = it was taken. */
static kernc_module *branch_program(enum scalar_case c, enum bc_form form)
{
    const struct scalar_case_info *info = &scalar_case_info[c];
    struct maker m = begin();
    uint16_t x[2];
    for (unsigned i = 0; i < 2; i++) {
        bool lanes = form == BC_FORM_B || (form == BC_FORM_U && i == 0);
        x[i] = (uint16_t)(lanes ? value_register(info->argument[i], i) : VALUES + i);
        if (lanes)
            load(&m, info->argument[i], x[i], i);
        else
            load_scalar(&m, info->argument[i], i);
    }
    uint16_t d = (uint16_t)value_register(SCALAR_B, RESULT);
    make(&m, BC_splat_m, .d = TRUTH, .a = ONE);
    make(&m, bc_scalar_op(SCALAR_xor_B, BC_FORM_V), .d = d, .a = TRUTH, .b = TRUTH);
    make(&m, bc_scalar_op(c, form), .a = x[0], .b = x[1]);
    uint32_t branch = make_branch(&m, 0, 0, 0);
    uint32_t then = make_block(&m, 0);
    make(&m, BC_spread_m, .d = d, .a = ONE);
    uint32_t jump = make(&m, BC_jump), join = make_block(&m, BC_RECONVERGE);
    store(&m, SCALAR_B, d);
    make(&m, BC_exit);
    m.p->code.at[jump].imm = join;
    branch_at(&m, branch)->yes = then;
    branch_at(&m, branch)->no = branch_at(&m, branch)->reconverge = join;
    return make_finish(&m, context);
}

/* Element 0 of each operand, once for the warp. */
static kernc_module *scalar_program(const struct scalar_case_info *info, enum bc_op op)
{
    struct maker m = begin();
    for (unsigned i = 0; i < info->arity; i++)
        load_scalar(&m, info->argument[i], i);
    uint16_t x[SCALAR_MAX_ARGS] = {0};
    for (unsigned i = 0; i < info->arity; i++)
        x[i] = (uint16_t)(VALUES + i);
    make(&m, op, .d = VALUES + RESULT, .a = x[0], .b = x[1], .c = x[2], .e = x[3]);
    enum bc_op splat = info->result == SCALAR_B                               ? BC_splat_m
                       : info->result == SCALAR_I || info->result == SCALAR_F ? BC_splat_v
                                                                              : BC_splat_w;
    unsigned d = value_register(info->result, RESULT);
    make(&m, splat, .d = (uint16_t)d, .a = VALUES + RESULT);
    store(&m, info->result, d);
    make(&m, BC_exit);
    return make_finish(&m, context);
}

/* ---- running ----------------------------------------------------------------------------------------- */

static void launch(kernc_module *module, uint32_t lanes, const char *isa)
{
    kernc_argument args[] = {kernc_arg_buffer(NULL, operands[0]), kernc_arg_buffer(NULL, operands[1]),
                             kernc_arg_buffer(NULL, operands[2]), kernc_arg_buffer(NULL, operands[3]),
                             kernc_arg_buffer(NULL, masks),       kernc_arg_buffer(NULL, results)};
    kernc_launch l = {.size = sizeof l,
                      .block = {lanes},
                      .warp = lanes,
                      .args = args,
                      .arg_count = COUNT(args),
                      .isa = isa};
    if (kernc_run(kernc_module_kernel_at(module, 0), &l, NULL) != KERNC_OK)
        fail_msg("%s", kernc_error_text(context));
}

static uint64_t *elements(kernc_buffer *b)
{
    return kernc_buffer_map(b);
}

static uint64_t wanted(enum scalar_case c, unsigned lane)
{
    scalar_bits args[SCALAR_MAX_ARGS];
    for (unsigned o = 0; o < SCALAR_MAX_ARGS; o++)
        args[o] = elements(operands[o])[lane];
    return scalar_evaluate(c, args);
}

static uint64_t cut(enum scalar_type type, uint64_t bits)
{
    return type == SCALAR_B ? bits & 1 : type == SCALAR_I || type == SCALAR_F ? (uint32_t)bits : bits;
}

static void set_inputs(const struct scalar_case_info *info, unsigned shift, bool all)
{
    for (unsigned i = 0; i < LANES; i++) {
        for (unsigned o = 0; o < SCALAR_MAX_ARGS; o++)
            elements(operands[o])[i] = o < info->arity ? sample(info->argument[o], i + shift, o) : 0;
        elements(masks)[i] = all || i % 3 == 1;
        elements(results)[i] = info->result == SCALAR_B ? i & 1 : KEPT;
    }
}

static void check_lanes(enum scalar_case c, const char *form, uint32_t lanes, const char *isa)
{
    const struct scalar_case_info *info = &scalar_case_info[c];
    for (unsigned i = 0; i < lanes; i++) {
        bool active = elements(masks)[i];
        uint64_t kept = info->result == SCALAR_B ? i & 1 : KEPT;
        uint64_t want = cut(info->result, active ? wanted(c, i) : kept),
                 got = cut(info->result, elements(results)[i]);
        if (!same(info->result, want, got))
            fail_msg(
                "%s%s %u lanes %s: lane %u (%s) of %llx %llx %llx %llx gives %llx, not %llx", form,
                info->name, lanes, isa, i, active ? "active" : "not active",
                (unsigned long long)elements(operands[0])[i], (unsigned long long)elements(operands[1])[i],
                (unsigned long long)elements(operands[2])[i], (unsigned long long)elements(operands[3])[i],
                (unsigned long long)got, (unsigned long long)want);
    }
}

static const uint32_t widths[] = {8, 16, 32, 64, 5, 33};
static const char *const isas[] = {"base", "avx2"};

static bool has_isa(const char *isa)
{
#if defined __x86_64__
    return strcmp(isa, "base") == 0 || __builtin_cpu_supports("avx2");
#else
    return strcmp(isa, "base") == 0;
#endif
}

static void set_plain_inputs(const struct scalar_case_info *info, unsigned shift)
{
    for (unsigned o = 0; o < info->arity; o++)
        for (unsigned i = 0; info->argument[o] == SCALAR_F && i < LANES; i++)
            elements(operands[o])[i] = plain_float(shift * LANES + i, shift % 2);
}

static void run_everywhere(enum scalar_case c, const char *form, kernc_module *module)
{
    assert_non_null(module);
    for (unsigned v = 0; v < COUNT(isas) * COUNT(widths); v++) {
        const char *isa = isas[v / COUNT(widths)];
        uint32_t width = widths[v % COUNT(widths)];
        for (int kind = 0; kind < 4 && has_isa(isa); kind++) {
            set_inputs(&scalar_case_info[c], v, kind % 2);
            if (kind >= 2)
                set_plain_inputs(&scalar_case_info[c], v);
            launch(module, width, isa);
            check_lanes(c, form, width, isa);
        }
    }
    kernc_module_free(module);
}

static void lane_forms_agree(void **state)
{
    UNUSED(state);
    for (unsigned c = 0; c < SCALAR_CASES; c++) {
        const struct scalar_case_info *info = &scalar_case_info[c];
        run_everywhere(c, "V_", lane_program(info, bc_scalar_op(c, BC_FORM_V), false));
        run_everywhere(c, "T_", lane_program(info, bc_scalar_op(c, BC_FORM_T), true));
    }
}

static void check_branch_form(enum scalar_case c, enum bc_form form, const char *name)
{
    kernc_module *module = branch_program(c, form);
    assert_non_null(module);
    for (unsigned v = 0; v < COUNT(isas) * COUNT(widths); v++) {
        const char *isa = isas[v / COUNT(widths)];
        if (!has_isa(isa))
            continue;
        set_inputs(&scalar_case_info[c], v, true);
        for (unsigned i = 1; i < LANES && form == BC_FORM_U; i++)
            elements(operands[1])[i] = elements(operands[1])[0];
        launch(module, widths[v % COUNT(widths)], isa);
        check_lanes(c, name, widths[v % COUNT(widths)], isa);
    }
    kernc_module_free(module);
}

static void branch_forms_agree(void **state)
{
    UNUSED(state);
    for (unsigned c = 0; c < SCALAR_CASES; c++) {
        if (!bc_is_comparison(c))
            continue;
        check_branch_form(c, BC_FORM_B, "B_");
        check_branch_form(c, BC_FORM_U, "U_");
    }
}

/* One element at a time; every lane stores the same. */
static void check_scalar_form(enum scalar_case c, const char *form, kernc_module *module)
{
    const struct scalar_case_info *info = &scalar_case_info[c];
    assert_non_null(module);
    for (unsigned i = 0; i < 40; i++) {
        set_inputs(info, i, true);
        launch(module, 8, i % 2 && has_isa("avx2") ? "avx2" : "base");
        uint64_t want = wanted(c, 0);
        for (unsigned lane = 0; lane < 8; lane++)
            if (!same(info->result, cut(info->result, want), cut(info->result, elements(results)[lane])))
                fail_msg("%s%s of sample %u gives %llx, not %llx", form, info->name, i,
                         (unsigned long long)elements(results)[lane], (unsigned long long)want);
    }
    kernc_module_free(module);
}

static void scalar_forms_agree(void **state)
{
    UNUSED(state);
    for (unsigned c = 0; c < SCALAR_CASES; c++) {
        const struct scalar_case_info *info = &scalar_case_info[c];
        check_scalar_form(c, "S_", scalar_program(info, bc_scalar_op(c, BC_FORM_S)));
        if (bc_is_comparison(c))
            check_scalar_form(c, "C_", branch_program(c, BC_FORM_C));
    }
}

static int set_up(void **state)
{
    UNUSED(state);
    bool good = kernc_context_create(NULL, &context) == KERNC_OK;
    for (int i = 0; i < SCALAR_MAX_ARGS; i++)
        good = good && kernc_buffer_create(context, LANES * 8, "operand", &operands[i]) == KERNC_OK;
    good = good && kernc_buffer_create(context, LANES * 8, "mask", &masks) == KERNC_OK;
    return good && kernc_buffer_create(context, LANES * 8, "out", &results) == KERNC_OK ? 0 : -1;
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
        cmocka_unit_test(lane_forms_agree),
        cmocka_unit_test(branch_forms_agree),
        cmocka_unit_test(scalar_forms_agree),
    };
    return cmocka_run_group_tests_name("runtime: scalar operations", tests, set_up, tear_down);
}
