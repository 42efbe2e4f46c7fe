/* permuted_test.c: random programs of classes a and b (docs/testing.md), whose instructions are permuted as
 * far as the program dependence graph allows, compute the same as without, under `oracle` and under `pdom`.
 * `opt_permuted CLASS SEED [LEVEL]` shows one. KERNC_TEST_PROGRAMS: how many of each class.
 */
#include "fuzz/fuzz.h"
#include "include/kernc-rt.h"
#include "lib/result.h"
#include "test/opt/permute.h"
#include "test/programs.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { BUFFERS = 8 };
static const struct setup {
    const char *scheme;
    uint32_t width;
} setups[] = {{"oracle", 4}, {"pdom", 32}};

static uint32_t programs;

/* ---- before and after -------------------------------------------------------------------------------- */

/* Without an index outside its array: the graph lets a load overtake the assertion that its index is
 * within. */
static const struct fz_program *generate(char class, uint64_t seed, struct arena *a)
{
    struct fz_program *p = fz_generate(fz_class_find(class), seed, a);
    p->beyond = 0;
    return p;
}

static struct text module_text(const struct fz_program *p, uint32_t level, bool permuted, uint64_t *moved)
{
    struct text source = {0}, out = {0};
    kernc_options o;
    kernc_options_init(&o);
    o.ir_only = o.no_warnings = true;
    o.level = level;
    o.scheme = "oracle"; /* whose lowering leaves the control flow alone */
    fz_print(p, NULL, &source);
    kernc_result *r = kernc_compile("random.kern", source.at, source.length, &o);
    assert_int_equal(kernc_result_status(r), KERNC_COMPILED);
    for (uint32_t i = 0; permuted && i < r->module->functions.count; i++)
        *moved += permute(r->module->functions.at[i], p->seed + i);
    ir_print_module(r->module, &out);
    kernc_result_free(r);
    text_free(&source);
    return out;
}

static kernc_module *load(kernc_context *c, const struct text *module, const char *scheme, uint64_t seed)
{
    size_t n;
    kernc_module *loaded;
    kernc_options o;
    kernc_options_init(&o);
    o.input = KERNC_INPUT_IR;
    o.level = 0;
    o.scheme = scheme;
    kernc_result *r = kernc_compile("random.kir", module->at, module->length, &o);
    if (kernc_result_status(r) != KERNC_COMPILED)
        fail_msg("seed %" PRIu64 ": %s", seed, kernc_result_text(r, KERNC_TEXT_DIAGNOSTICS, NULL));
    const char *bytes = kernc_result_text(r, KERNC_TEXT_BYTECODE, &n);
    assert_int_equal(kernc_module_load(c, bytes, n, &loaded), KERNC_OK);
    kernc_result_free(r);
    return loaded;
}

static size_t bytes_of(const struct fz_program *p, uint32_t buffer)
{
    const struct fz_buffer *b = &p->buffers.at[buffer];
    return (size_t)fz_elements(p, b) * (fz_type_info[b->type].bits / 8);
}

/* A hash of all buffers, or 0 if it does not end. */
static uint64_t run(const struct fz_program *p, const struct text *module, struct setup s)
{
    kernc_context *c;
    kernc_kernel *kernel;
    kernc_buffer *buffers[BUFFERS];
    kernc_argument args[BUFFERS];
    uint64_t hash = 1;
    assert_int_equal(kernc_context_create(NULL, &c), KERNC_OK);
    assert_int_equal(kernc_module_kernel(load(c, module, s.scheme, p->seed), "k", &kernel), KERNC_OK);
    for (uint32_t i = 0; i < p->buffers.count; i++) {
        const struct fz_buffer *b = &p->buffers.at[i];
        assert_int_equal(kernc_buffer_create(c, bytes_of(p, i), b->name, &buffers[i]), KERNC_OK);
        args[i] = kernc_arg_buffer(b->name, buffers[i]);
        if (b->input)
            memcpy(kernc_buffer_map(buffers[i]), p->inputs, sizeof p->inputs);
    }
    kernc_launch l = {.size = sizeof l,
                      .grid = {p->blocks},
                      .block = {p->threads},
                      .args = args,
                      .arg_count = p->buffers.count,
                      .scheme = s.scheme,
                      .warp = s.width,
                      .threads = 1,
                      .fuel = (uint64_t)1 << 24};
    uint32_t sizes[FZ_TYPES];
    l.shared_sizes = sizes;
    while (kernc_kernel_shared_array(kernel, l.shared_count, NULL))
        sizes[l.shared_count++] = p->threads;
    kernc_status status = kernc_run(kernel, &l, NULL);
    if (status != KERNC_OK && status != KERNC_LIMIT)
        fail_msg("class %c, seed %" PRIu64 ": %s", p->class, p->seed, kernc_error_text(c));
    for (uint32_t i = 0; i < p->buffers.count; i++)
        hash = hash_mix(hash, hash_bytes(kernc_buffer_map(buffers[i]), bytes_of(p, i)));
    kernc_context_free(c);
    return status == KERNC_OK ? hash : 0;
}

static uint64_t check(char class, uint64_t seed, uint32_t level)
{
    struct arena a = {0};
    uint64_t moved = 0;
    const struct fz_program *p = generate(class, seed, &a);
    struct text before = module_text(p, level, false, NULL), after = module_text(p, level, true, &moved);
    for (size_t i = 0; i < COUNT(setups); i++) {
        uint64_t expected = run(p, &before, setups[i]);
        if (expected && run(p, &after, setups[i]) != expected)
            fail_msg("class %c, seed %" PRIu64 ", -O%u, %s: permuted, it computes something else", class,
                     seed, level, setups[i].scheme);
    }
    text_free(&before);
    text_free(&after);
    arena_free(&a);
    return moved;
}

static void check_class(void **state)
{
    uint64_t moved = 0;
    for (uint64_t seed = 1; seed <= programs; seed++)
        moved += check(*(const char *)*state, seed, (uint32_t)(seed % 3));
    assert_true(moved > 50 * programs);
}

static void show(char class, uint64_t seed, uint32_t level)
{
    struct arena a = {0};
    uint64_t moved = 0;
    const struct fz_program *p = generate(class, seed, &a);
    struct text before = module_text(p, level, false, NULL), after = module_text(p, level, true, &moved);
    printf("%s; ---- permuted\n%s", before.at, after.at);
    text_free(&before);
    text_free(&after);
    arena_free(&a);
    check(class, seed, level);
}

int main(int argc, char **argv)
{
    programs = test_programs(75);
    if (argc > 2) {
        show(*argv[1], strtoull(argv[2], NULL, 10), argc > 3 ? (uint32_t)atoi(argv[3]) : 2);
        return 0;
    }
    const struct CMUnitTest tests[] = {
        {"class a", check_class, NULL, NULL, "a"},
        {"class b", check_class, NULL, NULL, "b"},
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
