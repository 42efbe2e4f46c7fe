/* launch.c: a launch of bytecode: prepares what its host threads share, runs them, and says how it went. */
#include "runtime/check/check.h"
#include "runtime/launch/block_warp.h"
#include "runtime/launch/endless.h"
#include "runtime/launch/watch.h"
#include "runtime/warpcore/simulator.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* ---- schemes ----------------------------------------------------------------------------------------- */

#define MACHINE_bytecode(machine)  &rt_scheme_##machine
#define MACHINE_warp_core(machine) NULL
static const struct rt_scheme *const machines[SCHEMES] = {
#define SCHEME(id, name, target, machine, lowering, properties, meaning)                                     \
    [SCHEME_##id] = MACHINE_##target(machine),
#include "base/schemes.def"
};

const struct rt_scheme *rt_scheme_of(enum scheme s)
{
    return s < SCHEMES ? machines[s] : NULL;
}

static kernc_status choose(struct rt_launch *l)
{
    kernc_context *c = l->context;
    l->scheme = rt_scheme_of(scheme_find(l->program->scheme));
    l->core = rt_core_choose(l->given.isa, l->given.warp);
    if (!l->core && !l->given.isa)
        return rt_fail(c, KERNC_NOT_FOUND, "no interpreter for warps of %u threads was built", l->given.warp);
    if (!l->core)
        return rt_fail(c, KERNC_NOT_FOUND, "no interpreter for instruction set %s on this machine",
                       l->given.isa);
    return KERNC_OK;
}

/* ---- dispatch tables --------------------------------------------------------------------------------- */

static bool asks(const struct rt_launch *l, const struct rt_op *table, unsigned op)
{
    unsigned flags = l->scheme->flags;
    if (op == BC_block)
        return flags & RT_ASK_RECONVERGE || (flags & RT_ASK_DIVERGED && table == l->core->partial);
    return flags & RT_ASK_CONVERGENT &&
           (op == BC_tok_anchor || (bc_op_info((enum bc_op)op) && bc_is_convergent((enum bc_op)op)));
}

/* The table, or a copy in which what this launch wants is done: blocks and convergent operations ask the
 * scheme, and guards always do; accesses to memory, and blocks by active lanes, are counted. */
static const struct rt_op *adapt(struct rt_launch *l, const struct rt_op *table)
{
    const struct rt_core *core = l->core;
    bool checks = l->program->checks_waiting && l->scheme->check;
    bool counts = l->count_transactions && table == core->full;
    if (!l->scheme->flags && !l->keeps_clock && !l->count_transactions)
        return table;
    struct rt_op *copy = arena_array(&l->arena, struct rt_op, BC_OPS);
    memcpy(copy, table, BC_OPS * sizeof *copy);
    if (l->keeps_clock || (l->count_transactions && table != core->full))
        copy[BC_block].run = core->block_clock;
    for (unsigned op = 0; op < BC_OPS; op++)
        if (asks(l, table, op))
            copy[op].run = op != BC_block ? core->ask_convergent
                           : checks       ? core->block_check
                                          : core->block_ask;
        else if (l->scheme->flags & RT_ASK_UNIFORM && op < BC_SCALAR_OPS && op % BC_FORMS == BC_FORM_U)
            copy[op] = core->partial[op];
        else if (counts && core->counted[op].run)
            copy[op] = core->counted[op];
        else if (l->count_transactions && rt_access[op].valid && rt_access[op].space == RT_SHARED)
            copy[op].run = table == core->full    ? core->banks_full
                           : table == core->brief ? core->banks_brief
                                                  : core->banks_partial;
    return copy;
}

/* ---- preparing --------------------------------------------------------------------------------------- */

static kernc_status prepare(struct rt_launch *l)
{
    const kernc_launch *o = &l->given;
    kernc_status status = rt_configure(l->handle, o, &l->arena, &l->sizes);
    if (status == KERNC_OK)
        status = choose(l);
    if (status != KERNC_OK)
        return status;
    l->block_warp = rt_block_warp_new(l);
    rt_watch_new(l);
    l->looks_empty = l->watch || l->program->checks_waiting;
    bool rows = o->block[0] % o->warp == 0 || o->block[0] == l->sizes.threads; /* a warp lies in one */
    l->start.ramp = rows ? l->handle->ramp : RT_NO_RAMP;
    l->keeps_clock = l->module->reads_clock || o->trace;
    l->count_transactions = o->flags & KERNC_STATISTICS || o->trace;
    l->start.entry = l->program->functions.at[l->kernel->function].code;
    l->progress.slice = o->fuel < RT_SLICE_INSTRUCTIONS ? o->fuel : RT_SLICE_INSTRUCTIONS;
    l->progress.report = o->fuel / 16 < 1u << 20 ? o->fuel / 16 : 1u << 20;
    l->tables.full = adapt(l, l->core->full);
    l->tables.brief = adapt(l, l->core->brief);
    l->tables.partial = adapt(l, l->core->partial);
    if (l->watch)
        rt_watch_tables(l);
    atomic_store(&l->progress.trap_block, UINT64_MAX);
    status = rt_prepare_preloads(l, l->sizes.params);
    bool alike = !l->keeps_clock && !l->kernel->private_bytes && !l->start.preloads[RT_PRELOAD_WARP].count;
    l->start.alike = alike ? l->sizes.threads / o->warp : 0;
    return status;
}

/* Blocks are handed out so many at a time that the counter is not fought over, and each worker comes for more
 * often enough to end with the others. */
enum { BATCHES = 16, MOST_BATCH = 64 };

static kernc_status prepare_workers(struct rt_launch *l)
{
    uint32_t count = l->given.threads;
    if (l->sizes.grid > UINT32_MAX / ((uint64_t)l->sizes.warps * l->given.warp) && rt_check_wanted(l))
        return rt_fail(l->context, KERNC_LIMIT, "memory is checked in launches of less than 2^32 threads");
    l->check = rt_check_new(l);
    count = l->check || l->watch ? 1 : count; /* clocks of the check are of one block */
    count = count < l->sizes.blocks ? count : (uint32_t)l->sizes.blocks;
    l->workers = arena_array(&l->arena, struct rt_worker, count);
    l->worker_count = count;
    uint64_t share = l->sizes.blocks / l->worker_count;
    l->progress.batch = share >= MOST_BATCH * BATCHES ? MOST_BATCH : 1 + share / BATCHES;
    if (!rt_memory_take(l, (uint64_t)l->worker_count * l->sizes.shared.bytes))
        return rt_fail_shared(l->context, l->sizes.shared.bytes);
    for (uint32_t i = 0; i < l->worker_count; i++) {
        struct rt_worker *k = &l->workers[i];
        k->launch = l;
        k->index = i;
    }
    return KERNC_OK;
}

/* ---- running ----------------------------------------------------------------------------------------- */

static void *thread_main(void *worker)
{
    rt_worker_run(worker);
    return NULL;
}

double rt_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Worker 0 is this thread. Threads that cannot be started are missed by nobody: the others take their blocks.
 */
static double run_workers(struct rt_launch *l)
{
    double start = rt_now();
    uint32_t started = 1;
    while (started < l->worker_count &&
           pthread_create(&l->workers[started].thread, NULL, thread_main, &l->workers[started]) == 0)
        started++;
    for (uint32_t i = started; i < l->worker_count; i++) {
        atomic_store(&l->workers[i].block, RT_NO_BLOCK);
        rt_endless_leave(&l->workers[i]);
    }
    rt_worker_run(&l->workers[0]);
    for (uint32_t i = 1; i < started; i++)
        pthread_join(l->workers[i].thread, NULL);
    return rt_now() - start;
}

kernc_status rt_report_stop(const kernc_kernel *k, kernc_status status, const struct rt_trap_record *t)
{
    kernc_context *c = k->module->context;
    uint32_t line = t->line;
    size_t n;
    text_addz(&c->trap_report, t->help);
    const char *file =
        source_names_find(k->entry ? k->module->image->file : k->module->program->file, &line, &n);
    snprintf(c->trap_file, sizeof c->trap_file, "%.*s", (int)(n < sizeof c->trap_file ? n : 0), file);
    memcpy(c->trap_text, t->text, sizeof c->trap_text);
    c->trap = (kernc_trap){.text = c->trap_text,
                           .file = c->trap_file,
                           .line = line,
                           .column = t->column,
                           .has_address = t->has_address,
                           .address = t->address,
                           .report = c->trap_report.length ? c->trap_report.at : ""};
    memcpy(c->trap.block, t->block, sizeof t->block);
    memcpy(c->trap.thread, t->thread, sizeof t->thread);
    c->trapped = true;
    c->trap_buffer = t->buffer;
    char at[32] = "";
    if (line)
        snprintf(at, sizeof at, t->column ? ":%u:%u" : ":%u", line, t->column);
    return rt_fail(c, status, "%s%s: kernel %s: %s (block %u,%u,%u thread %u,%u,%u)", c->trap_file, at,
                   k->name, t->text, t->block[0], t->block[1], t->block[2], t->thread[0], t->thread[1],
                   t->thread[2]);
}

/* Where the lowest block stood whose host thread noticed. */
static kernc_status report_fuel(struct rt_launch *l)
{
    const struct rt_worker *first = NULL;
    for (uint32_t i = 0; i < l->worker_count; i++) {
        const struct rt_worker *k = &l->workers[i];
        if (k->out_of_fuel.set && (!first || atomic_load(&k->block) < atomic_load(&first->block)))
            first = k;
    }
    if (first)
        return rt_report_stop(l->handle, KERNC_LIMIT, &first->out_of_fuel);
    bool interrupted = rt_interrupted(l->given.interrupt);
    return rt_fail(l->context, KERNC_LIMIT, "kernel %s: %s after %llu warp instructions", l->kernel->name,
                   RT_FUEL_WORDS(interrupted),
                   (unsigned long long)(interrupted ? l->progress.total : l->given.fuel));
}

static bool ran_out_of_memory(const struct rt_launch *l)
{
    bool out = false;
    for (uint32_t i = 0; i < l->worker_count; i++)
        out |= l->workers[i].no_memory;
    return out;
}

/* How the launch went. A trap counts before limits, the lowest block's before others. */
static kernc_status outcome(struct rt_launch *l)
{
    kernc_context *c = l->context;
    uint64_t trap_block = atomic_load(&l->progress.trap_block);
    bool over_memory = false;
    for (uint32_t i = 0; i < l->worker_count; i++) {
        const struct rt_worker *k = &l->workers[i];
        if (k->trap.set && k->trap_block == trap_block)
            return rt_report_stop(l->handle, k->trap.endless ? KERNC_DEADLOCK : KERNC_TRAP, &k->trap);
        over_memory |= k->over_memory;
    }
    if (over_memory)
        return rt_fail(c, KERNC_LIMIT,
                       "kernel %s: its registers, memory%s printed text%s are over the limit (max_memory, "
                       "--max-memory)",
                       l->kernel->name, l->block_warp ? "," : " and",
                       l->block_warp ? " and the paths of a block's threads (--warp=block)" : "");
    return atomic_load(&l->progress.out_of_fuel) ? report_fuel(l) : KERNC_OK;
}

static void free_launch(struct rt_launch *l)
{
    for (uint32_t i = 0; i < l->worker_count; i++) {
        struct rt_worker *k = &l->workers[i];
        for (uint32_t o = k->flushed; o < k->printed.count; o++)
            text_free(&k->printed.at[o].text);
        text_free(&k->text);
        rt_begun_free(&k->begun);
        arena_free(&k->arena);
    }
    rt_check_free(l->check);
    kernc_statistics_free(l->statistics);
    kernc_statistics_free(l->spare);
    text_free(&l->handed);
    pthread_mutex_destroy(&l->output_lock);
    arena_free(&l->arena);
    free(l);
}

static kernc_status run(struct rt_launch *l, kernc_statistics **statistics)
{
    kernc_status status = prepare(l);
    if (status == KERNC_OK)
        status = prepare_workers(l);
    if (status != KERNC_OK)
        return status;
    rt_hosts_prepare(l->module);
    double seconds = run_workers(l);
    if (ran_out_of_memory(l))
        return rt_fail_memory(l->context); /* what traces and checks have noted may be in two halves */
    rt_check_end(l->check);
    status = outcome(l);
    rt_watch_end(l);
    rt_output_flush(l, atomic_load(&l->progress.trap_block) == UINT64_MAX
                           ? UINT64_MAX
                           : atomic_load(&l->progress.trap_block) + 1);
    rt_statistics_of(l, status, seconds, &l->statistics);
    rt_statistics_keep(l->handle, &l->statistics, &l->spare, statistics);
    return status;
}

static kernc_status run_program(kernc_kernel *kernel, const kernc_launch *o, kernc_statistics **statistics)
{
    kernc_context *c = kernel->module->context;
    kernc_status status;
    struct rt_launch *l = c->launch = calloc(1, sizeof *l);
    if (!l)
        return rt_fail_memory(c);
    l->context = c;
    l->module = kernel->module;
    l->handle = kernel;
    l->given = *o;
    l->program = kernel->module->program;
    l->kernel = kernel->code;
    arena_init(&l->arena);
    pthread_mutex_init(&l->output_lock, NULL);
    struct mem_guard guard;
    if (mem_guard_enter(&guard)) {
        c->trapped = false;
        status = rt_fail_memory(c);
    } else
        status = run(l, statistics);
    mem_guard_leave(&guard);
    free_launch(l);
    c->launch = NULL;
    return status;
}

kernc_status kernc_run(kernc_kernel *kernel, const kernc_launch *launch, kernc_statistics **statistics)
{
    if (statistics)
        *statistics = NULL;
    if (!kernel)
        return KERNC_INVALID;
    kernc_context *c = kernel->module->context;
    if (rt_check_idle(c) != KERNC_OK)
        return KERNC_INVALID;
    c->trapped = false;
    c->trap_report.length = 0;
    if (!launch || launch->size == 0)
        return rt_fail(c, KERNC_INVALID, "a launch needs its size set");
    kernc_launch o;
    kernc_status status = rt_read_launch(kernel, launch, &o);
    if (status != KERNC_OK)
        return status;
    if (rt_interrupted(o.interrupt))
        return rt_fail(c, KERNC_LIMIT, "kernel %s: interrupted before it ran", kernel->name);
    c->launching = true;
    status = kernel->entry ? rt_sim_launch(kernel, &o, statistics) : run_program(kernel, &o, statistics);
    c->launching = false;
    return status;
}
