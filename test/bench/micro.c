/* micro.c: what single things cost in the interpreter (T3 of the speed targets): ns for each, best of several
 * runs.
 *
 *     build/test/bench/micro [ISA [ROW]]        (ISA: avx2, base or best; ROW: part of the names of the rows
 *                                               to time)
 *
 * Each row runs a loop of many copies of one instruction in a single warp and takes the loop's own cost away.
 */
#include "test/unit/runtime_program.h"

#include <stdio.h>
#include <stdlib.h>

enum { COPIES = 64, ROUNDS = 1000, RUNS = 60 };

static kernc_context *context;
static const char *isa;

/* Registers: v0 lane, v1 v2 v3 values, w4 a wide value; s0 counter, s1 limit, s2 step, s3 address; m0 odd
 * lanes. */
typedef void body(struct maker *m, unsigned i);

struct shape {
    uint32_t warp;
    bool half, statistics;
};

static void fail(void)
{
    fprintf(stderr, "%s\n", kernc_error_text(context));
    exit(1);
}

static void start(struct maker *m)
{
    *m = make_program(32, 8, 16);
    make_fill(m, BC_FROM_SPECIAL, BC_KIND_V, 0, BC_SPECIAL_LANE);
    make_fill(m, BC_FROM_CONSTANT, BC_KIND_V, 1, 0x3f800000);
    make_fill(m, BC_FROM_CONSTANT, BC_KIND_V, 2, 1);
    make_fill(m, BC_FROM_CONSTANT, BC_KIND_V, 8, 0);
    make_fill(m, BC_FROM_CONSTANT, BC_KIND_V, 9, 37);
    make_fill(m, BC_FROM_CONSTANT, BC_KIND_S, 1, ROUNDS);
    make_fill(m, BC_FROM_CONSTANT, BC_KIND_S, 2, 1);
    make_fill(m, BC_FROM_PARAM, BC_KIND_S, 3, make_param(m, "data", BE_PTR));
    make_fill(m, BC_FROM_PARAM, BC_KIND_V, 18, 0);
}

/* for (s0 = 0; s0 != ROUNDS; s0++) body, under half a mask if asked. */
static kernc_module *loop_of(body *emit, int copies, bool half)
{
    struct maker m;
    start(&m);
    make_block(&m, 0);
    make(&m, bc_scalar_op(SCALAR_and_I, BC_FORM_V), .d = 10, .a = 0, .b = 2);
    make(&m, bc_scalar_op(SCALAR_mul_I, BC_FORM_V), .d = 11, .a = 0, .b = 9);
    make(&m, bc_scalar_op(SCALAR_ne_I, BC_FORM_V), .d = 0, .a = 10, .b = 8);
    make(&m, bc_scalar_op(SCALAR_eq_I, BC_FORM_V), .d = 1, .a = 10, .b = 10);
    make(&m, bc_scalar_op(SCALAR_sub_I, BC_FORM_S), .d = 4, .a = 2, .b = 2);
    make(&m, BC_br, .a = half ? 0 : 1);
    uint32_t skip = make_branch(&m, 0, 0, 0);
    uint32_t head = make_block(&m, 0);
    for (int i = 0; i < copies; i++)
        emit(&m, (unsigned)i);
    make(&m, bc_scalar_op(SCALAR_add_I, BC_FORM_S), .d = 4, .a = 4, .b = 2);
    make(&m, bc_scalar_op(SCALAR_ne_I, BC_FORM_C), .a = 4, .b = 1);
    uint32_t again = make_branch(&m, head, 0, BC_NO_TARGET);
    uint32_t end = make_block(&m, BC_RECONVERGE);
    make(&m, BC_exit);
    *branch_at(&m, skip) = (struct bc_branch){BC_branch, branch_at(&m, skip)->site, head, end, end};
    branch_at(&m, again)->no = end;
    kernc_module *module = make_finish(&m, context);
    if (!module)
        fail();
    return module;
}

static double seconds_of(kernc_module *module, struct shape s, kernc_buffer *data)
{
    double best = 1e9;
    for (int run = 0; run < RUNS; run++) {
        kernc_argument args[] = {kernc_arg_buffer("data", data)};
        kernc_launch launch = {.size = sizeof launch,
                               .block = {s.warp},
                               .warp = s.warp,
                               .args = args,
                               .arg_count = 1,
                               .isa = isa,
                               .flags = s.statistics ? KERNC_STATISTICS : 0};
        kernc_statistics *statistics = NULL;
        if (kernc_run(kernc_module_kernel_at(module, 0), &launch, &statistics) != KERNC_OK)
            fail();
        kernc_metrics m = {.size = sizeof m};
        kernc_statistics_metrics(statistics, &m);
        best = m.seconds < best ? m.seconds : best;
        kernc_statistics_free(statistics);
    }
    return best;
}

/* ns for one copy of the body. */
static double cost(body *emit, struct shape s, kernc_buffer *data)
{
    kernc_module *empty = loop_of(emit, 0, s.half), *full = loop_of(emit, COPIES, s.half);
    double ns = (seconds_of(full, s, data) - seconds_of(empty, s, data)) * 1e9 / ROUNDS / COPIES;
    kernc_module_free(empty);
    kernc_module_free(full);
    return ns;
}

/* Results go to different registers, so that no instruction waits for the one before. */
#define V(i) (uint16_t)(20 + i % 4 * 2)
#define ONE(name, op_, ...)                                                                                  \
    static void name(struct maker *m, unsigned i)                                                            \
    {                                                                                                        \
        UNUSED(i);                                                                                           \
        make(m, op_, __VA_ARGS__);                                                                           \
    }
ONE(scalar_add, bc_scalar_op(SCALAR_add_I, BC_FORM_S), .d = 6, .a = 2, .b = 1)
ONE(float_add, bc_scalar_op(SCALAR_add_F, BC_FORM_V), .d = V(i), .a = 1, .b = 9)
ONE(float_add_t, bc_scalar_op(SCALAR_add_F, BC_FORM_T), .d = V(i), .a = 1, .b = 9)
ONE(double_add, bc_scalar_op(SCALAR_add_D, BC_FORM_V), .d = V(i), .a = 12, .b = 16)
ONE(integer_mul, bc_scalar_op(SCALAR_mul_I, BC_FORM_V), .d = V(i), .a = 11, .b = 9)
ONE(shift, bc_scalar_op(SCALAR_shl_I, BC_FORM_V), .d = V(i), .a = 11, .b = 2)
ONE(unsigned_div, bc_scalar_op(SCALAR_udiv_I, BC_FORM_V), .d = V(i), .a = 11, .b = 9)
ONE(unsigned_rem, bc_scalar_op(SCALAR_urem_I, BC_FORM_V), .d = V(i), .a = 11, .b = 9)
ONE(signed_rem, bc_scalar_op(SCALAR_srem_I, BC_FORM_V), .d = V(i), .a = 11, .b = 9)
ONE(compare, bc_scalar_op(SCALAR_slt_I, BC_FORM_V), .d = 2, .a = 12, .b = 9)
ONE(choose, bc_scalar_op(SCALAR_select_I, BC_FORM_V), .d = V(i), .a = 0, .b = 1, .c = 2)
ONE(square_root, bc_scalar_op(SCALAR_sqrt_F, BC_FORM_V), .d = V(i), .a = 1)
ONE(sine, bc_scalar_op(SCALAR_sin_F, BC_FORM_V), .d = V(i), .a = 1)
ONE(scalar_sine, bc_scalar_op(SCALAR_sin_F, BC_FORM_S), .d = 6, .a = 2)
ONE(load_run, BC_ldx_g32, .d = V(i), .a = 0, .b = 3, .c = 2, .e = make_site(m, BC_SITE_GLOBAL))
ONE(load_spread, BC_ldx_g32, .d = V(i), .a = 11, .b = 3, .c = 2, .e = make_site(m, BC_SITE_GLOBAL))
ONE(load_uniform, BC_ldu_g32, .d = 6, .a = 3, .e = make_site(m, BC_SITE_GLOBAL))
ONE(store_run, BC_stx_g32, .d = V(i), .a = 0, .b = 3, .c = 2, .e = make_site(m, BC_SITE_GLOBAL))
ONE(store_spread, BC_stx_g32, .d = V(i), .a = 11, .b = 3, .c = 2, .e = make_site(m, BC_SITE_GLOBAL))
ONE(atomic_add, BC_at_gadd_I, .d = V(i), .a = 18, .b = 2, .e = make_site(m, BC_SITE_GLOBAL))
ONE(shuffle, BC_shuffle_xor_v, .d = V(i), .a = 0, .b = 2, .e = BC_NO_TOKEN)
ONE(reduce, BC_reduce_add_I, .d = 6, .a = 0, .e = BC_NO_TOKEN)

/* if (odd lane) a block; then all reconverge. */
static void divergent_if(struct maker *m, unsigned i)
{
    make(m, BC_br, .a = 0);
    uint32_t branch = make_branch(m, 0, 0, 0);
    uint32_t then = make_block(m, 0);
    uint32_t jump = make(m, BC_jump);
    uint32_t join = make_block(m, BC_RECONVERGE);
    branch_at(m, branch)->yes = then;
    branch_at(m, branch)->no = branch_at(m, branch)->reconverge = join;
    m->p->code.at[jump].imm = join;
    make(m, bc_scalar_op(SCALAR_add_I, BC_FORM_S), .d = 6, .a = 6, .b = 2);
}

/* A block that the one before falls into. */
static void new_block(struct maker *m, unsigned i)
{
    uint32_t jump = make(m, BC_jump), next = make_block(m, 0);
    m->p->code.at[jump].imm = next;
}

int main(int argc, char **argv)
{
    static const uint32_t widths[] = {8, 16, 32, 64};
    static const struct {
        const char *name;
        body *emit;
    } rows[] = {
        {"scalar add (dispatch)", scalar_add},
        {"jump and block", new_block},
        {"float add", float_add},
        {"float add, temporary", float_add_t},
        {"double add", double_add},
        {"integer mul", integer_mul},
        {"shift", shift},
        {"unsigned div", unsigned_div},
        {"unsigned rem", unsigned_rem},
        {"signed rem", signed_rem},
        {"compare", compare},
        {"select", choose},
        {"square root", square_root},
        {"sine", sine},
        {"scalar sine", scalar_sine},
        {"load, consecutive", load_run},
        {"load, scattered", load_spread},
        {"load, uniform", load_uniform},
        {"store, consecutive", store_run},
        {"store, scattered", store_spread},
        {"atomic add, one address", atomic_add},
        {"shuffle", shuffle},
        {"reduce", reduce},
        {"divergent if and reconverge", divergent_if},
    };
    kernc_buffer *data = NULL;
    isa = argc > 1 && strcmp(argv[1], "best") != 0 ? argv[1] : NULL;
    if (kernc_context_create(NULL, &context) != KERNC_OK ||
        kernc_buffer_create(context, 1 << 16, "data", &data) != KERNC_OK)
        return 1;
    printf("%-26s%8s%8s%8s%8s   half mask: %8s%8s%8s%8s      counted: %8s\n", "ns", "8", "16", "32", "64",
           "8", "16", "32", "64", "32");
    for (size_t r = 0; r < COUNT(rows); r++) {
        if (argc > 2 && !strstr(rows[r].name, argv[2]))
            continue;
        printf("%-26s", rows[r].name);
        for (int half = 0; half < 2; half++) {
            for (size_t i = 0; i < COUNT(widths); i++)
                printf("%8.2f", cost(rows[r].emit, (struct shape){widths[i], half, false}, data));
            printf("              ");
        }
        printf("%8.2f\n", cost(rows[r].emit, (struct shape){32, false, true}, data));
        fflush(stdout);
    }
    kernc_context_free(context);
    return 0;
}
