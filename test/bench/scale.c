/* scale.c: time against size: each analysis up to 100,000 blocks, and compiling up to 100,000 lines.
 *
 *     scale          (`make bench-scale` calls it; prints Markdown tables)
 *
 * Kernels of seventeen shapes (shapes.c) are compiled in three sizes, once each in a process of its own, for
 * time and memory. Analyses run on three shapes: a chain of if/else diamonds whose branches diverge, loops
 * nested four deep one after the other, and random edges (mostly forward, 2 % backward). Compiling takes
 * copies of 20 lines with loops, branches and memory, as many functions and as one. CPU time, best of three
 * (compiling: five, each in a process of its own); near-linear means that times per block or line stay about
 * the same.
 */
#include "include/kernc.h"
#include "ir/analysis/pdg.h"
#include "test/bench/cases.h"
#include "test/bench/shapes.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define COMPILE_RUNS 5

static uint64_t state = 1;
static uint32_t draw(uint32_t below)
{
    state = hash_mix(state, 0x9e3779b97f4a7c15u);
    return (uint32_t)(state >> 20) % below;
}

/* ---- graphs ------------------------------------------------------------------------------------------ */

enum shape { DIAMONDS, LOOPS, RANDOM, SHAPES };
static const char *const shape_names[SHAPES] = {"diamonds", "nested loops", "random"};

/* Successors of block b among n: 0, 1 or 2. */
static uint32_t successors(enum shape s, uint32_t b, uint32_t n, uint32_t *to)
{
    if (b + 3 >= n) {
        to[0] = n - 1;
        return b + 1 == n ? 0 : 1;
    }
    to[0] = b + 1;
    switch (s) {
    case DIAMONDS:
        to[1] = b + 2;
        if (b % 3 == 1)
            to[0] = b + 2; /* then: to the join */
        return b % 3 == 0 ? 2 : 1;
    case LOOPS: /* headers b % 8 < 4, latches b % 8 >= 4, innermost first */
        to[1] = b - (2 * (b % 8 - 4) + 1);
        return b % 8 < 4 ? 1 : 2;
    default: to[1] = draw(50) == 0 ? 1 + draw(b + 1) : b + 1 + draw(3); return 2;
    }
}

static struct ir_module *make_graph(enum shape s, uint32_t n)
{
    struct ir_module *m = ir_module_new("scale");
    struct ir_function *f = ir_function_new(m, "k", IR_TYPE_VOID, IR_FN_KERNEL);
    for (uint32_t b = 0; b < n; b++)
        ir_block_new(f, NULL);
    struct ir_cursor c = {f, 0, 0, {0, 0}};
    ir_ref tid = ir_emit0(&c, IR_special, IR_TYPE_I32);
    ir_ref divergent = ir_emit2(&c, IR_slt, IR_TYPE_I1, tid, ir_const_i32(f, 5));
    for (uint32_t b = 0; b < n; b++) {
        uint32_t to[2], count = successors(s, b, n, to);
        c.block = b;
        ir_emit2(&c, IR_add, IR_TYPE_I32, tid, ir_const_i32(f, b));
        if (count == 0)
            ir_emit_ret(&c, 0);
        else if (count == 1)
            ir_emit_br(&c, to[0]);
        else
            ir_emit_brif(&c, divergent, to[0], to[1]);
    }
    return m;
}

/* ---- analyses ---------------------------------------------------------------------------------------- */

enum { CFG, DOMINATORS, POST_DOMINATORS, CYCLES, PST, CONTROL, PDG, UNIFORMITY, ANALYSES };
static const char *const analysis_names[ANALYSES] = {
    "cfg", "dominators",         "post-dominators",   "cycles",
    "pst", "control dependence", "memory dependence", "uniformity",
};

static void measure_once(const struct ir_function *f, double *best)
{
    struct arena a;
    double start;
    arena_init(&a);
#define MEASURE(which, statement)                                                                            \
    start = bench_cpu_seconds();                                                                             \
    statement;                                                                                               \
    start = bench_cpu_seconds() - start;                                                                     \
    if (start < best[which])                                                                                 \
    best[which] = start
    MEASURE(CFG, struct ir_cfg *c = ir_cfg_new(&a, f));
    MEASURE(DOMINATORS, ir_dominators_new(&a, c));
    MEASURE(POST_DOMINATORS, struct ir_dominators *post = ir_post_dominators_new(&a, c));
    MEASURE(CYCLES, struct ir_cycles *cycles = ir_cycles_new(&a, c));
    MEASURE(PST, struct ir_pst *pst = ir_pst_new(&a, c));
    MEASURE(CONTROL, struct ir_control_dependence *control = ir_control_dependence_new(&a, c, post));
    MEASURE(PDG, ir_pdg_new(&a, ir_memory_new(&a, f, c), c, cycles, control, pst, 0));
    MEASURE(UNIFORMITY, ir_uniformity_new(&a, c, cycles, NULL, NULL));
    arena_free(&a);
}

static void print_analyses(enum shape s)
{
    static const uint32_t sizes[] = {1000, 10000, 100000};
    double best[COUNT(sizes)][ANALYSES];
    for (size_t i = 0; i < COUNT(sizes); i++) {
        struct ir_module *m = make_graph(s, sizes[i]);
        for (int x = 0; x < ANALYSES; x++)
            best[i][x] = 1e9;
        for (int run = 0; run < 3; run++)
            measure_once(m->functions.at[0], best[i]);
        ir_module_free(m);
    }
    printf("| %s: ns a block | 1,000 | 10,000 | 100,000 blocks |\n| --- | ---: | ---: | ---: |\n",
           shape_names[s]);
    for (int x = 0; x < ANALYSES; x++) {
        printf("| %s |", analysis_names[x]);
        for (size_t i = 0; i < COUNT(sizes); i++)
            printf(" %.0f |", 1e9 * best[i][x] / sizes[i]);
        printf("\n");
    }
    printf("\n");
}

/* ---- compiling --------------------------------------------------------------------------------------- */

enum program { MANY_FUNCTIONS, ONE_FUNCTION, PROGRAMS };
static const char *const program_names[PROGRAMS] = {"functions of 20 lines", "one function"};

/* 17 lines without its frame of 3. */
static void add_body(struct text *t, uint32_t number)
{
    text_printf(t,
                "    int sum = 0;\n    for (int i = 0; i < n; i++) {\n"
                "        int x = a[i] * %u + k;\n        if (x %% 3 == 0)\n            sum += x;\n"
                "        else if (x > 100)\n            sum -= x >> 2;\n        else\n            sum ^= x;\n"
                "        while (x > 0 && x < 50) {\n            x = x * 2 + 1;\n            sum++;\n"
                "        }\n    }\n"
                "    a[k & 7] = sum;\n",
                number % 17 + 1);
}

static struct text make_program(enum program p, uint32_t lines)
{
    struct text t = {0};
    if (p == ONE_FUNCTION)
        text_printf(&t, "kernel void k(global int *a, int n, int k)\n{\n");
    for (uint32_t f = 0; f < lines / 20; f++) {
        if (p == MANY_FUNCTIONS)
            text_printf(&t, "int work%u(global int *a, int n, int k)\n", f);
        text_printf(&t, "{\n");
        add_body(&t, f);
        text_printf(&t, p == MANY_FUNCTIONS ? "    return sum;\n}\n\n" : "}\n\n\n\n");
    }
    if (p == MANY_FUNCTIONS)
        text_printf(&t, "kernel void k(global int *a, int n)\n{\n"
                        "    a[threadIdx.x] = work0(a, n, 1) + work1(a, n, 2);\n");
    text_printf(&t, "}\n");
    return t;
}

static double compile_seconds(const struct text *source, unsigned level)
{
    kernc_options o;
    kernc_options_init(&o);
    o.level = level;
    double start = bench_cpu_seconds();
    kernc_result *r = kernc_compile("scale.kern", source->at, source->length, &o);
    size_t n = 0;
    if (kernc_result_text(r, KERNC_TEXT_BYTECODE, &n) == NULL) {
        fprintf(stderr, "%s", kernc_result_text(r, KERNC_TEXT_DIAGNOSTICS, NULL));
        exit(1);
    }
    return bench_cpu_seconds() - start;
}

struct compiled {
    double seconds, megabytes;
};

/* In a process of its own: small programs too get their memory from the system, not from what is left of
 * others. */
static struct compiled fresh_compile(const struct text *source, unsigned level)
{
    int ends[2];
    double seconds = 0;
    struct rusage used;
    if (pipe(ends) != 0)
        exit(1);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        seconds = compile_seconds(source, level);
        _exit(write(ends[1], &seconds, sizeof seconds) != sizeof seconds);
    }
    close(ends[1]);
    if (child < 0 || read(ends[0], &seconds, sizeof seconds) != sizeof seconds)
        exit(1);
    close(ends[0]);
    wait4(child, NULL, 0, &used);
    return (struct compiled){seconds, (double)used.ru_maxrss / 1024};
}

static double klines(const struct text *source, uint32_t lines, unsigned level)
{
    double best = 1e9;
    for (int run = 0; run < COMPILE_RUNS; run++) {
        double seconds = fresh_compile(source, level).seconds;
        best = seconds < best ? seconds : best;
    }
    return lines / best / 1000;
}

static void print_compiling(enum program p)
{
    static const uint32_t lines[] = {2000, 20000, 100000};
    double speed[COUNT(lines)][3];
    printf("| %s: lines | -O0, klines/s | -O1 | -O2 |\n| ---: | ---: | ---: | ---: |\n", program_names[p]);
    for (size_t i = 0; i < COUNT(lines); i++) {
        struct text t = make_program(p, lines[i]);
        printf("| %u |", lines[i]);
        for (unsigned level = 0; level <= 2; level++)
            printf(" %.0f |", speed[i][level] = klines(&t, lines[i], level));
        printf("\n");
        text_free(&t);
    }
    printf("| 20,000 / 2,000 |");
    for (unsigned level = 0; level <= 2; level++)
        printf(" %.2f |", speed[1][level] / speed[0][level]);
    printf("\n\n");
}

/* ---- shapes ------------------------------------------------------------------------------------------ */

static void print_shapes(void)
{
    printf("| shape, -O2 | n | n: s | 2n | 4n | 4n / n | n: MB | 2n | 4n |\n"
           "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n");
    for (size_t i = 0; i < BENCH_SHAPES; i++) {
        const struct bench_shape *s = &bench_shapes[i];
        struct compiled made[3];
        for (uint32_t k = 0; k < 3; k++) {
            struct text t = {0};
            s->add(&t, s->size << k);
            made[k] = fresh_compile(&t, 2);
            text_free(&t);
        }
        printf("| %s | %u %s |", s->name, s->size, s->unit);
        for (uint32_t k = 0; k < 3; k++)
            printf(" %.3f |", made[k].seconds);
        printf(" %.1f |", made[2].seconds / made[0].seconds);
        for (uint32_t k = 0; k < 3; k++)
            printf(" %.0f |", made[k].megabytes);
        printf("\n");
    }
    printf("\n");
}

int main(void)
{
    print_shapes();
    for (enum program p = 0; p < PROGRAMS; p++)
        print_compiling(p);
    for (enum shape s = 0; s < SHAPES; s++)
        print_analyses(s);
    return 0;
}
