/* page_test.c: the simulator against the machine that docs/isa.md describes (page.h): the same bytes in all
 * buffers and the same core_cycles, for the samples, random kernels and random
 * assembly, in every mode, on one core and on two, with the page's cycles and with others.
 *
 * Runs the program named by $KERNC (default ./kernc) from the root of the project.
 */
#include "base/json.h"
#include "test/programs.h"
#include "test/warpcore/page.h"
#include "test/warpcore/page_random.h"

#include <cmocka.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Cycles by which warps often leave their slots, and two instructions are issued at once. */
static const char other_timing[] =
    "ISSUE 2\nSLICE 40\nSWAP 30\nSTART 9\nCLEAR 2\nSEGMENT 3\nPOP 2\nDIVERGE 2\n"
    "ALU 2 0\nDIV 7 2\nSFU 16 0\nGLOBAL 5 3\n";

static struct arena arena;
static struct page_tables tables, other_tables;
static char directory[] = "/tmp/kernc-page-XXXXXX";
static struct {
    uint32_t runs, refused;
    uint64_t cycles;
} tally;

static const char *kernc(void)
{
    const char *k = getenv("KERNC");
    return k ? k : "./kernc";
}

static const char *in_directory(const char *name)
{
    return arena_printf(&arena, "%s/%s", directory, name);
}

/* ---- one launch on both -------------------------------------------------------------------------------- */

struct setup {
    const char *file, *options;
    enum page_mode mode;
    uint32_t level, cores;
    bool other_timing;
};

static const char *const mode_names[] = {"rpc", "source-pc", "article", "frontier"};

static const char *command_of(const struct setup *s)
{
    size_t n = strlen(s->file);
    const char *how =
        n > 2 && !strcmp(s->file + n - 2, ".s")
            ? ""
            : arena_printf(&arena, "--target=warp-core --divergence=%s -O%u", mode_names[s->mode], s->level);
    const char *file = s->file, *before = "";
    if (!*how) {
        file = in_directory("image.wcb");
        before = arena_printf(&arena, "%s asm %s -o %s 2>%s/errors &&", kernc(), s->file, file, directory);
    }
    return arena_printf(
        &arena,
        "%s %s run %s %s %s --cores=%u%s -w --no-outputs --fuel=2000000 --job=%s/job --stats-json=%s/stats"
        " >/dev/null 2>%s/errors",
        before, kernc(), file, how, s->options ? s->options : "", s->cores,
        s->other_timing ? arena_printf(&arena, " --timing=%s/timing", directory) : "", directory, directory,
        directory);
}

static uint64_t simulators_cycles(void)
{
    struct text t = {0};
    const char *why = file_read(in_directory("stats"), 1 << 24, &t);
    uint64_t cycles = 0;
    const char *at = why ? NULL : strstr(t.at, "\"core_cycles\":");
    if (!at)
        fail_msg("no core_cycles");
    cycles = strtoull(at + strlen("\"core_cycles\":"), NULL, 10);
    text_free(&t);
    return cycles;
}

static void compare_memory(const struct page_job *j, const char *command)
{
    for (uint32_t i = 0; i < j->after.count; i++) {
        const struct page_memory *want = &j->after.at[i], *got = &j->memory.at[i + 1];
        assert_int_equal(want->size, got->size);
        for (uint32_t n = 0; n < want->size; n++)
            if (want->bytes[n] != got->bytes[n])
                fail_msg("byte %u of %s: %02x by the page, %02x by the simulator\n%s", n, want->name,
                         got->bytes[n], want->bytes[n], command);
    }
}

/* False: the simulator did not come to an end (a fault, no fuel), so there is no job. */
static bool try(const struct setup *s)
{
    struct page_job *j = arena_new(&arena, struct page_job);
    const char *command = command_of(s), *why;
    uint64_t cycles = 0, want;
    unlink(in_directory("job"));
    if (system(command) != 0) {
        tally.refused++;
        return false;
    }
    why = page_read_job(j, &arena, in_directory("job"));
    if (why)
        fail_msg("the job has no good %s\n%s", why, command);
    why = page_run(s->other_timing ? &other_tables : &tables, j, &arena, s->cores, &cycles);
    if (why)
        fail_msg("by the page: FAULT %s\n%s", why, command);
    compare_memory(j, command);
    want = simulators_cycles();
    if (cycles != want)
        fail_msg("core_cycles: %llu by the page, %llu by the simulator\n%s", (unsigned long long)cycles,
                 (unsigned long long)want, command);
    tally.runs++;
    tally.cycles += cycles;
    return true;
}

/* ---- what is tried --------------------------------------------------------------------------------------- */

static void samples(void **state)
{
    static const char *const all[][2] = {
        {"saxpy", "--grid=2"},
        {"matmul", "--grid=1,1"},
        {"reduce", "--grid=2 --block=64"},
        {"scan", "--grid=1"},
        {"histogram", "--grid=2"},
        {"nbody", "--grid=1"},
        {"bitonic", "--grid=1"},
        {"sobel", "--grid=1,1"},
        {"collatz", "--grid=1"},
        {"mandelbrot", "--arg 'image=zeros(192)' --arg width=16 --arg height=12 --grid=2"},
        {"pathtracer", "--arg 'image=zeros(48)' --arg width=4 --arg height=4 --grid=2 --block=8"},
    };
    UNUSED(state);
    for (size_t i = 0; i < COUNT(all); i++)
        for (enum page_mode mode = PAGE_RPC; mode < PAGE_MODES; mode++) {
            if (mode == PAGE_ARTICLE)
                continue;
            struct setup s = {arena_printf(&arena, "samples/%s.kern", all[i][0]),
                              all[i][1],
                              mode,
                              2,
                              1 + i % 2,
                              i % 3 == 2};
            if (!try(&s))
                fail_msg("failed: %s", command_of(&s));
            arena_free(&arena);
        }
}

static void random_kernels(void **state)
{
    static const char *const classes[] = {"d", "b", "d", "c"};
    UNUSED(state);
    uint32_t runs = tally.runs;
    for (uint32_t i = 0; i < test_programs(30); i++) {
        struct setup s = {in_directory("random.kern"),
                          NULL,
                          (enum page_mode)(i % PAGE_MODES),
                          i / 4 % 3,
                          1 + i % 2,
                          i % 5 == 4};
        const char *print = arena_printf(&arena, "%s fuzz --class=%s --seed=%u --count=1 --print > %s",
                                         kernc(), classes[i % 4], 70000 + i, s.file);
        if (system(print) != 0)
            fail_msg("failed: %s", print);
        try(&s);
        arena_free(&arena);
    }
    if (2 * (tally.runs - runs) < test_programs(30))
        fail_msg("only %u ran", tally.runs - runs);
}

static void random_assembly(void **state)
{
    UNUSED(state);
    for (uint32_t i = 0; i < test_programs(30); i++) {
        struct text t = {0};
        struct setup s = {in_directory("random.s"), NULL, PAGE_RPC, 0, 1 + i % 3 / 2, i % 4 == 3};
        page_random_assembly(&tables, i, &t);
        assert_null(file_write(s.file, t.at, t.length));
        text_free(&t);
        if (!try(&s))
            fail_msg("assembly %u fails: %s", i, command_of(&s));
        arena_free(&arena);
    }
}

static int set_up(void **state)
{
    UNUSED(state);
    const char *why = page_read(&tables, &arena, "docs/isa.md", NULL);
    if (!why && !mkdtemp(directory))
        why = directory;
    if (!why)
        why = file_write(in_directory("timing"), other_timing, strlen(other_timing));
    if (!why)
        why = page_read(&other_tables, &arena, "docs/isa.md", in_directory("timing"));
    if (why)
        print_error("%s\n", why);
    return why != NULL;
}

static int tear_down(void **state)
{
    UNUSED(state);
    print_message("%u launches compared, %llu cycles; %u did not end\n", tally.runs,
                  (unsigned long long)tally.cycles, tally.refused);
    arena_free(&arena);
    return system(arena_printf(&arena, "rm -r %s", directory));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples),
        cmocka_unit_test(random_kernels),
        cmocka_unit_test(random_assembly),
    };
    return cmocka_run_group_tests_name("warpcore_page", tests, set_up, tear_down);
}
