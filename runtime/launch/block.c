/* block.c: a host thread's work: blocks, one after the other, and the warps of a block in turns.
 *
 * A warp runs until it ends, waits at a barrier or has used its time slice; the next warp in the block
 * follows, so that a warp that spins does not keep another from setting what it waits for. The order depends
 * on nothing but the program. When every warp that has not ended waits, the barrier opens, provided that all
 * wait at the same.
 */
#include "runtime/check/check.h"
#include "runtime/launch/block_warp.h"
#include "runtime/launch/endless.h"

/* ---- slots ------------------------------------------------------------------------------------------- */

static size_t round64(size_t n)
{
    return (n + 63) & ~(size_t)63;
}

static void apply_preload(struct rt_warp *w, struct rt_preload f, uint64_t bits)
{
    switch (f.kind) {
    case BC_KIND_V:
        for (uint32_t i = 0; i < w->lanes; i++)
            rt_v(w, f.reg)[i] = (uint32_t)bits;
        break;
    case BC_KIND_W:
        for (uint32_t i = 0; i < w->lanes; i++)
            rt_w(w, f.reg)[i] = bits;
        break;
    case BC_KIND_M: w->M[f.reg] = bits & 1 ? UINT64_MAX : 0; break;
    default: w->S[f.reg] = bits; break;
    }
}

static void fill_launch(struct rt_warp *w, const struct rt_launch *l)
{
    for (uint32_t i = 0; i < l->start.preloads[RT_PRELOAD_LAUNCH].count; i++) {
        struct rt_preload f = l->start.preloads[RT_PRELOAD_LAUNCH].at[i];
        if (f.special != BC_SPECIAL_LANE)
            apply_preload(w, f, f.value);
        else
            for (uint32_t lane = 0; lane < w->lanes; lane++)
                rt_v(w, f.reg)[lane] = lane;
    }
}

static void fill_block(struct rt_slot *s, struct rt_worker *k)
{
    const struct rt_preloads *preloads = &k->launch->start.preloads[RT_PRELOAD_BLOCK];
    for (uint32_t i = 0; i < preloads->count; i++)
        apply_preload(&s->warp, preloads->at[i], k->block_index[preloads->at[i].value]);
    s->preloaded_block = atomic_load_explicit(&k->block, memory_order_relaxed);
}

/* What differs from lane to lane is left to the core. */
static void fill_warp(struct rt_warp *w, const struct rt_launch *l)
{
    const struct rt_preloads *preloads = &l->start.preloads[RT_PRELOAD_WARP];
    for (uint32_t i = 0; i < preloads->count; i++)
        apply_preload(w, preloads->at[i], w->index);
}

/* The parts of a slot's memory, each on a 64-byte boundary. */
struct layout {
    size_t masks, vectors, private, scheme, total;
};

static struct layout slot_layout(const struct rt_launch *l)
{
    const struct bc_kernel *k = l->kernel;
    uint32_t lanes = l->core->lanes;
    struct layout s = {.masks = round64(sizeof(struct rt_slot) + (size_t)k->scalars * 8)};
    s.vectors = s.masks + round64((size_t)k->masks * 8);
    s.private = s.vectors + round64((size_t)k->vectors * lanes * 4);
    s.scheme = s.private + round64((size_t)k->private_bytes * lanes);
    s.total = s.scheme + round64(l->scheme->data_bytes(l->program, lanes));
    return s;
}

/* What is the same for every warp that the slot will hold. */
static void set_up_warp(struct rt_warp *w, struct rt_worker *k)
{
    const struct rt_launch *l = k->launch;
    w->worker = k;
    w->scheme = l->scheme;
    w->ask_uniform = l->scheme->flags & RT_ASK_UNIFORM;
    w->contended = l->worker_count > 1;
    w->lanes = l->core->lanes;
    w->width = l->given.warp;
    w->initial.ramp = l->start.ramp;
    w->asked = true;
    w->slice = (int64_t)l->progress.slice;
    w->initial.preloads = l->start.lane_preloads.at;
    w->initial.count = l->start.lane_preloads.count;
    w->initial.bases = k->bases;
    w->tables[0] = l->tables.partial;
    w->tables[1] = l->tables.brief;
    w->tables[2] = l->tables.full;
    w->events = &k->events;
    w->code = l->program->code.at;
    w->counts = k->counts;
    w->sites = k->sites;
    w->spaces.global = l->context->memory.base;
    w->spaces.limits = l->context->memory.limits;
    w->spaces.store_limits = l->context->memory.store_limits;
    w->spaces.shared = k->shared;
    w->spaces.shared_bytes = l->sizes.shared.bytes;
    w->spaces.private_bytes = l->kernel->private_bytes;
    w->transactions.segment_shift = l->sizes.segment_shift;
    w->transactions.cycles = RT_TRANSACTION_CYCLES;
    w->transactions.counted = l->count_transactions;
    fill_launch(w, l);
}

bool rt_memory_take(struct rt_launch *l, uint64_t bytes)
{
    uint64_t left = l->context->memory.limit - l->context->memory.used;
    return atomic_fetch_add(&l->memory, bytes) + bytes <= left;
}

void rt_memory_give(struct rt_launch *l, uint64_t bytes)
{
    atomic_fetch_sub(&l->memory, bytes);
}

/* NULL: the launch would take more memory than it may. */
static struct rt_slot *new_slot(struct rt_worker *k)
{
    struct layout at = slot_layout(k->launch);
    if (!rt_memory_take(k->launch, at.total)) {
        k->over_memory = true;
        return NULL;
    }
    uintptr_t raw = (uintptr_t)arena_alloc(&k->arena, at.total + 63);
    uint8_t *base = (uint8_t *)((raw + 63) & ~(uintptr_t)63);
    struct rt_slot *s = (struct rt_slot *)(void *)base;
    s->preloaded_block = RT_NO_BLOCK;
    s->private_total = at.scheme - at.private;
    s->warp.M = (uint64_t *)(void *)(base + at.masks);
    s->warp.V = base + at.vectors;
    s->warp.spaces.private = base + at.private;
    s->warp.scheme_data = base + at.scheme;
    set_up_warp(&s->warp, k);
    return s;
}

/* ---- warps ------------------------------------------------------------------------------------------- */

static struct rt_slot *take_slot(struct rt_worker *k)
{
    struct rt_slot *s = k->free_slots;
    if (!s)
        return new_slot(k);
    k->free_slots = s->next_free;
    return s;
}

static void give_back(struct rt_worker *k, struct rt_slot *s)
{
    s->next_free = k->free_slots;
    k->free_slots = s;
}

/* Makes the slot hold warp `index` of the block, ready to begin, and with it those behind it that are alike.
 * What they run is reported when the core is left: at a warp that has not ended in its time slice, or behind
 * them all. */
static void hold_warp(struct rt_worker *k, struct rt_slot *s, uint32_t index)
{
    const struct rt_launch *l = k->launch;
    struct rt_warp *w = &s->warp;
    uint32_t threads = index + 1 < l->sizes.warps ? l->given.warp : l->sizes.threads - index * l->given.warp;
    w->index = index;
    w->last = index < l->start.alike ? l->start.alike - 1 : index;
    w->asked |= w->launched_count != threads;
    w->launched = UINT64_MAX >> (64 - threads);
    w->launched_count = threads;
    w->cycles = 0;
    w->pc = l->start.entry;
    if (s->preloaded_block != atomic_load_explicit(&k->block, memory_order_relaxed))
        fill_block(s, k);
    fill_warp(w, l);
    if (s->private_total)
        memset(w->spaces.private, 0, s->private_total);
}

/* Adds what the worker has run to the launch's total. False: it is more than the launch's fuel, or the launch
 * is interrupted. */
static bool report(struct rt_worker *k)
{
    struct rt_launch *l = k->launch;
    uint64_t total = atomic_fetch_add(&l->progress.total, k->unreported) + k->unreported;
    k->unreported = 0;
    k->reported = true;
    bool enough = total <= l->given.fuel && !rt_interrupted(l->given.interrupt);
    if (!enough)
        atomic_store(&l->progress.out_of_fuel, true);
    return enough;
}

/* Nobody wants the rest of this block: the launch is out of fuel, or an earlier block has trapped. */
static bool abandoned(struct rt_worker *k)
{
    struct rt_launch *l = k->launch;
    return atomic_load_explicit(&l->progress.out_of_fuel, memory_order_relaxed) ||
           atomic_load_explicit(&l->progress.stopped, memory_order_relaxed) ||
           atomic_load_explicit(&l->progress.trap_block, memory_order_relaxed) <
               atomic_load_explicit(&k->block, memory_order_relaxed);
}

/* Lets the warp run for a time slice, its first, with those held behind it, or another.
 * False: the block has to stop. */
static inline bool run_warp(struct rt_worker *k, struct rt_slot *s, bool first)
{
    struct rt_launch *l = k->launch;
    struct rt_warp *w = &s->warp;
    w->fuel = w->slice;
    w->spent = k->copied = 0;
    if (first)
        l->core->begin(w);
    else if (k->probing)
        rt_endless_turn(k, w);
    else
        l->core->run(w);
    uint64_t used = w->spent + (uint64_t)(w->slice - w->fuel);
    k->unreported += used;
    k->thread_slots += (used - k->copied) * w->launched_count;
    if (w->stop == RT_TRAPPED)
        return false;
    bool enough = k->unreported < l->progress.report || report(k);
    if (enough && (w->stop != RT_SLICE || !abandoned(k)))
        return true;
    if (atomic_load_explicit(&l->progress.out_of_fuel, memory_order_relaxed))
        rt_trap_fuel(w);
    return false;
}

/* ---- blocks ------------------------------------------------------------------------------------------ */

/* All warps that have not ended wait at a barrier: at the same one, or the block is stuck, unless the checker
 * has noted it. */
static bool open_barrier(struct rt_worker *k)
{
    struct rt_warp *first = NULL;
    bool noted = k->launch->check && rt_check_barrier(k);
    for (uint32_t i = 0; i < k->launch->sizes.warps; i++) {
        if (!k->running[i])
            continue;
        struct rt_warp *w = &k->running[i]->warp;
        first = first ? first : w;
        if (w->barrier != first->barrier && !noted) {
            rt_trap(w, w->code + w->barrier, rt_lowest(w->live),
                    "threads of the block wait at different barriers: warp %u at another than warp %u",
                    w->index, first->index);
            return false;
        }
        w->stop = RT_SLICE;
    }
    return true;
}

/* One turn of each warp that can run. *left: warps that have not ended. False: the block has stopped. */
static bool run_round(struct rt_worker *k, uint32_t *left)
{
    uint32_t waiting = 0;
    for (uint32_t i = 0; i < k->launch->sizes.warps; i++) {
        struct rt_slot *s = k->running[i];
        if (!s)
            continue;
        if (s->warp.stop != RT_BARRIER && !run_warp(k, s, false))
            return false;
        if (s->warp.stop == RT_DONE) {
            k->running[i] = NULL;
            give_back(k, s);
            --*left;
        }
        waiting += s->warp.stop == RT_BARRIER;
    }
    return waiting < *left || *left == 0 || open_barrier(k);
}

/* The first turn of each warp: most never need another, and then share one slot. */
static bool run_first_round(struct rt_worker *k, uint32_t *left)
{
    uint32_t waiting = 0;
    struct rt_slot *s = NULL;
    for (uint32_t i = 0; i < k->launch->sizes.warps; i++) {
        if (!s && !(s = take_slot(k)))
            return false;
        hold_warp(k, s, i);
        if (!run_warp(k, s, true))
            return false;
        i = s->warp.index;
        if (s->warp.stop == RT_DONE)
            continue;
        k->running[i] = s;
        ++*left;
        waiting += s->warp.stop == RT_BARRIER;
        s = NULL;
    }
    if (s)
        give_back(k, s);
    return waiting < *left || *left == 0 || open_barrier(k);
}

static void place_block(struct rt_worker *k, uint64_t number)
{
    const struct rt_launch *l = k->launch;
    k->block_index[0] = (uint32_t)number;
    k->block_index[1] = k->block_index[2] = 0;
    if (number >= l->given.grid[0]) { /* divisions cost as much as a small warp */
        k->block_index[0] = (uint32_t)(number % l->given.grid[0]);
        k->block_index[1] = (uint32_t)(number / l->given.grid[0] % l->given.grid[1]);
        k->block_index[2] = (uint32_t)(number / l->given.grid[0] / l->given.grid[1]);
    }
    for (int d = 0; d < 3; d++)
        k->bases[d] = k->block_index[d] * l->given.block[d];
}

static bool run_block(struct rt_worker *k, uint64_t number)
{
    const struct rt_launch *l = k->launch;
    uint32_t left = 0;
    place_block(k, number);
    k->probing = false;
    if (l->sizes.shared.bytes)
        memset(k->shared, 0, l->sizes.shared.bytes);
    if (l->check)
        rt_check_block(k);
    bool good = run_first_round(k, &left);
    while (good && left) {
        good = run_round(k, &left);
        if (k->reported && good && left)
            good = !rt_endless(k);
    }
    return good && (!l->block_warp || rt_block_warp_end(l->block_warp, k));
}

/* The trap of the lowest block counts. */
static void record_trap(struct rt_worker *k, uint64_t block)
{
    struct rt_launch *l = k->launch;
    uint64_t lowest = atomic_load(&l->progress.trap_block);
    k->trap_block = block;
    while (block < lowest && !atomic_compare_exchange_weak(&l->progress.trap_block, &lowest, block))
        continue;
}

/* Runs one block. False: the worker is to run no other. */
static bool run_numbered(struct rt_worker *k, uint64_t number)
{
    atomic_store_explicit(&k->block, number, memory_order_release); /* of what earlier blocks printed */
    if (abandoned(k))
        return false;
    bool good = run_block(k, number);
    rt_output_finish(k);
    if (good)
        return true;
    if (k->trap.set)
        record_trap(k, number);
    else if (k->over_memory)
        atomic_store(&k->launch->progress.stopped, true);
    return false;
}

/* The grid's number of the i-th block that runs: of a sample, one of the i-th stretch of the grid, by a hash of
 * i, as a fixed place in each would take a column of the grid. */
static uint64_t number_of(const struct rt_sizes *z, uint64_t i)
{
    uint64_t first = i * z->grid / z->blocks, length = (i + 1) * z->grid / z->blocks - first;
    return length == 1 ? first : first + hash_mix(i, z->grid) % length;
}

/* After a trap only the blocks before it go on. The worker's `block` stays at the one it stopped in, so that
 * nothing printed after it is handed on. */
static void run_blocks(struct rt_worker *k)
{
    struct rt_launch *l = k->launch;
    for (;;) {
        uint64_t first = atomic_fetch_add(&l->progress.next_block, l->progress.batch);
        if (first >= l->sizes.blocks)
            break;
        for (uint64_t i = first; i < l->sizes.blocks && i - first < l->progress.batch; i++)
            if (!run_numbered(k, number_of(&l->sizes, i)))
                return;
    }
    atomic_store(&k->block, RT_NO_BLOCK);
}

/* In the worker's own arena, so that no two host threads write to the same cache line. */
static void allocate(struct rt_worker *k)
{
    const struct bc_program *p = k->launch->program;
    k->shared = arena_alloc(&k->arena, k->launch->sizes.shared.bytes + 16);
    k->running = arena_array(&k->arena, struct rt_slot *, k->launch->sizes.warps);
    k->sites = arena_array(&k->arena, struct rt_site_count, p->sites.count + 1);
    if (k->launch->count_transactions)
        k->banks = arena_array(&k->arena, struct rt_bank_count, p->sites.count + 1);
    k->counts = arena_array(&k->arena, struct rt_count, p->blocks.count);
    k->empty = arena_array(&k->arena, uint64_t, p->blocks.count);
    for (uint32_t b = 0; b < p->blocks.count; b++) {
        k->counts[b].instructions = p->blocks.at[b].instructions;
        k->counts[b].cycles = p->blocks.at[b].cycles;
    }
}

void rt_worker_run(struct rt_worker *k)
{
    struct mem_guard guard;
    if (mem_guard_enter(&guard)) {
        k->no_memory = true;
        atomic_store(&k->launch->progress.stopped, true);
        rt_endless_leave(k);
        return;
    }
    allocate(k);
    run_blocks(k);
    report(k);
    rt_endless_leave(k);
    mem_guard_leave(&guard);
}
