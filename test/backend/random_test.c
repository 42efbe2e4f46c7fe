/* random_test.c: random modules run as bytecode compute what each thread computes alone in the plain
 * evaluator.
 *
 * Every thread gets its own numbers and its own 4 KiB of global memory, so that neighbours take different
 * branches; values, memory and the results of calls must not leak from lane to lane. Convergent operations
 * become pure ones, since the evaluator's warp is one thread. `bytecode_random SEED` shows one seed's module
 * and program.
 */
#include "backend/backend.h"
#include "opt/opt.h"
#include "runtime/module.h"
#include "test/opt/evaluate.h"
#include "test/opt/optimize.h"
#include "test/opt/random_ir.h"
#include "test/programs.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { THREADS = 96, FUEL = 60000 };

static void make_pure(struct ir_module *m)
{
    for (uint32_t i = 0; i < m->functions.count; i++) {
        struct ir_function *f = m->functions.at[i];
        for (uint32_t r = 1; r < f->ins.count; r++) {
            struct ir_ins *ins = ir_at(f, r);
            if (ins->op != IR_reduce_add && ins->op != IR_ballot)
                continue;
            ins->op = ins->op == IR_ballot ? IR_zext : IR_not;
            ins->token = 0;
        }
    }
}

/* kernel k(memory, results, numbers): results[id] = f(memory + 4096 id, numbers[2 id], numbers[2 id + 1]) */
static void add_kernel(struct ir_module *m)
{
    struct ir_function *callee = m->functions.at[m->functions.count - 1];
    struct ir_function *f =
        ir_function_new(m, intern_z(&m->strings, "k"), IR_TYPE_VOID, IR_FN_KERNEL | IR_FN_CONVERGENT);
    struct ir_cursor c = {.fn = f, .block = ir_block_new(f, "entry")};
    struct ir_kernel_info info = {.function = f->id};
    static const char *const names[] = {"memory", "results", "numbers"};
    ir_ref params[3], id = ir_emit0(&c, IR_special, IR_TYPE_I32),
                      block = ir_emit0(&c, IR_special, IR_TYPE_I32);
    ir_at(f, id)->imm = IR_SPECIAL_TID_X;
    ir_at(f, block)->imm = IR_SPECIAL_BID_X;
    id = ir_emit2(&c, IR_add, IR_TYPE_I32, id,
                  ir_emit2(&c, IR_mul, IR_TYPE_I32, block, ir_const_i32(f, THREADS / 2)));
    for (int i = 0; i < 3; i++) {
        params[i] = ir_param_new(f, c.block, IR_TYPE_GLOBAL, names[i]);
        struct ir_param_info p = {names[i], "global int *", IR_TYPE_GLOBAL, LAUNCH_INT, 4, NULL};
        vec_push(&m->arena, &info.params, p);
    }
    ir_ref memory = ir_emit2(&c, IR_ptradd, IR_TYPE_GLOBAL, params[0],
                             ir_emit2(&c, IR_shl, IR_TYPE_I32, id, ir_const_i32(f, 12)));
    ir_ref eight = ir_emit2(&c, IR_shl, IR_TYPE_I32, id, ir_const_i32(f, 3));
    ir_ref numbers = ir_emit2(&c, IR_ptradd, IR_TYPE_GLOBAL, params[2], eight);
    ir_ref args[3] = {memory, ir_emit_load(&c, IR_MEM_I32, IR_TYPE_I32, numbers, 0),
                      ir_emit_load(&c, IR_MEM_I32, IR_TYPE_I32, numbers, 4)};
    ir_ref r = ir_emit(&c, IR_call, IR_TYPE_I64, 3, args);
    ir_at(f, r)->imm = callee->id;
    ir_emit_store(&c, IR_MEM_I64, ir_emit2(&c, IR_ptradd, IR_TYPE_GLOBAL, params[1], eight), 0, r);
    ir_emit_ret(&c, 0);
    vec_push(&m->arena, &m->kernels, info);
}

static struct bc_program *compile(uint64_t seed, int level)
{
    struct ir_module *m = random_module(seed, false);
    struct arena a = {0};
    struct diagnostics d;
    char why[200];
    make_pure(m);
    add_kernel(m);
    optimize(m, NULL, level);
    diag_init(&d, &a, NULL);
    struct bc_program *p = be_bytecode(m, SCHEME_pdom, false, &d);
    assert_non_null(p);
    if (bc_verify(p, why, sizeof why))
        fail_msg("seed %" PRIu64 " -O%d: %s", seed, level, why);
    ir_module_free(m);
    arena_free(&a);
    return p;
}

/* ---- expected ---------------------------------------------------------------------------------------- */

struct thread {
    uint32_t numbers[2];
    struct evaluation e;
};

/* False if some thread does not end: then there is nothing to compare. */
static bool expect(uint64_t seed, struct thread *threads)
{
    struct ir_module *m = random_module(seed, false);
    bool all = true;
    make_pure(m);
    for (unsigned i = 0; i < THREADS && all; i++) {
        struct thread *t = &threads[i];
        t->numbers[0] = (uint32_t)hash_mix(seed, i) >> (i % 30);
        t->numbers[1] = (uint32_t)hash_mix(i, seed);
        uint64_t args[3] = {0, t->numbers[0], t->numbers[1]};
        t->e = evaluate(m->functions.at[m->functions.count - 1], args, seed, FUEL);
        all = t->e.finished;
    }
    ir_module_free(m);
    return all;
}

/* ---- run --------------------------------------------------------------------------------------------- */

static void fill_memory(uint8_t *memory, uint64_t seed)
{
    for (unsigned t = 0; t < THREADS; t++)
        for (unsigned i = 0; i < MEMORY_BYTES; i++)
            memory[t * MEMORY_BYTES + i] = (uint8_t)(hash_mix(seed, i) >> 8);
}

static void compare(uint64_t seed, int level, unsigned warp, const struct thread *threads,
                    const uint64_t *results, const uint8_t *memory)
{
    static const uint8_t none[MEMORY_BYTES];
    for (unsigned t = 0; t < THREADS; t++) {
        uint64_t hash = hash_bytes(memory + t * MEMORY_BYTES, MEMORY_BYTES) ^ hash_bytes(none, MEMORY_BYTES);
        if (results[t] != threads[t].e.result || hash != threads[t].e.memory)
            fail_msg("seed %" PRIu64 " -O%d warp %u thread %u: result %" PRIx64 " instead of %" PRIx64 "%s",
                     seed, level, warp, t, results[t], threads[t].e.result,
                     hash != threads[t].e.memory ? ", memory differs" : "");
    }
}

static void run(uint64_t seed, int level, unsigned warp, const struct thread *threads)
{
    kernc_context *ctx;
    kernc_module *module;
    kernc_kernel *kernel;
    kernc_buffer *buffers[3];
    kernc_argument args[3];
    static const uint32_t sizes[3] = {THREADS * MEMORY_BYTES, THREADS * 8, THREADS * 8};
    assert_int_equal(kernc_context_create(NULL, &ctx), KERNC_OK);
    if (rt_module_adopt(ctx, compile(seed, level), &module) != KERNC_OK)
        fail_msg("seed %" PRIu64 " -O%d: %s", seed, level, kernc_error_text(ctx));
    assert_int_equal(kernc_module_kernel(module, "k", &kernel), KERNC_OK);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(kernc_buffer_create(ctx, sizes[i], NULL, &buffers[i]), KERNC_OK);
        args[i] = kernc_arg_buffer(NULL, buffers[i]);
    }
    fill_memory(kernc_buffer_map(buffers[0]), seed);
    uint32_t *numbers = kernc_buffer_map(buffers[2]);
    for (unsigned t = 0; t < THREADS; t++)
        memcpy(numbers + 2 * t, threads[t].numbers, 8);
    kernc_launch launch = {.size = sizeof launch,
                           .grid = {2},
                           .block = {THREADS / 2},
                           .args = args,
                           .arg_count = 3,
                           .warp = warp};
    if (kernc_run(kernel, &launch, NULL) != KERNC_OK)
        fail_msg("seed %" PRIu64 " -O%d warp %u: %s", seed, level, warp, kernc_error_text(ctx));
    compare(seed, level, warp, threads, kernc_buffer_map(buffers[1]), kernc_buffer_map(buffers[0]));
    kernc_context_free(ctx);
}

static void check(uint64_t seed)
{
    struct thread threads[THREADS];
    if (!expect(seed, threads))
        return;
    for (int level = 0; level <= 2; level++)
        for (unsigned w = 0; w < 3; w++)
            run(seed, level, (const unsigned[]){1, 8, 32}[w], threads);
}

static void random_modules(void **state)
{
    for (uint64_t seed = 0; seed < test_programs(50); seed++)
        check(seed);
}

static int show(uint64_t seed, int level)
{
    struct ir_module *m = random_module(seed, false);
    struct bc_program *p = compile(seed, level);
    struct text t = {0};
    make_pure(m);
    add_kernel(m);
    optimize(m, NULL, level);
    ir_print_module(m, &t);
    bc_disassemble(p, &t);
    fputs(t.at, stdout);
    check(seed);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return show(strtoull(argv[1], NULL, 10), argc > 2 ? atoi(argv[2]) : 0);
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_modules)};
    return cmocka_run_group_tests_name("bytecode_random", tests, NULL, NULL);
}
