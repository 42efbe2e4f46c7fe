/* endless.c: see endless.h. */
#include "runtime/launch/endless.h"
#include "runtime/check/check.h"
#include "runtime/launch/watch.h"
#include "runtime/module.h"

/* What is in rt_worker.cycle besides the epoch of a cycle that has closed, plus 1. 0: it has none. */
#define ENDED UINT64_MAX

/* A warp that is probed. */
struct probe {
    bool there, begun, closed; /* there: it had not ended as the block's probe began */
    uint64_t ran;              /* lanes that have run since */
    struct rt_digest near;     /* where it began: */
    uint32_t pc;
    uint64_t active;
    uint32_t *vectors;
    uint64_t *masks;
};
struct rt_look {
    uint64_t block, reports;
    uint64_t changes; /* of memory, at the latest report */
    /* The block as a whole. */
    struct rt_cycle cycle;
    uint64_t epoch;
    /* Its warps. */
    struct probe *probes; /* by warp; NULL: there is no memory for them */
    uint64_t next_probe;  /* after so many reports */
    int64_t left;         /* instructions until it is given up */
    uint64_t probe_changes, probe_epoch;
    bool proved;      /* the latest ones have closed */
    const bool *wide; /* by even vector: somewhere it is one of 64 bits, together with the next */
};

/* ---- rows -------------------------------------------------------------------------------------------- */

/* What instructions of a row of the block table do besides what the block's state says. Atomics are not
 * among them: rt_worker.changes counts those that change global memory. */
enum { STORES = 1, OWN_STORES = 2, UNSEEN = 4 }; /* in global memory, in shared memory */

/* A store of a wide access says global memory, whatever its head does. */
static uint8_t doing(const struct rt_launch *l, const struct bc_ins *ins)
{
    struct rt_access a = rt_access[ins->op];
    switch (ins->op) {
    case BC_memcpy:
    case BC_memzero: return STORES | OWN_STORES;
    case BC_barrier: return l->check && rt_check_decides(l->check) ? UNSEEN : 0;
    case BC_clock:
    case BC_hostcall:
    case BC_printf: return UNSEEN;
    default: break;
    }
    bool is_atomic = ins->op >= BC_at_gadd_I && ins->op <= BC_at_hcas_F;
    if (!a.valid || !a.store || is_atomic)
        return 0;
    return a.space == RT_GLOBAL ? STORES | OWN_STORES : a.space == RT_SHARED ? OWN_STORES : 0;
}

static uint8_t *list_rows(struct rt_worker *k)
{
    const struct bc_program *p = k->launch->program;
    uint8_t *rows = arena_array(&k->arena, uint8_t, p->blocks.count);
    for (uint32_t i = 0, row = 0; i < p->code.count; i++) {
        const struct bc_ins *ins = &p->code.at[i];
        row = ins->op == BC_block ? ins->imm : row;
        rows[row] |= doing(k->launch, ins);
        i += bc_has_branch_word((enum bc_op)ins->op);
    }
    return rows;
}

/* How often rows have run that do `what`. Between two times at which the block is in the same state, equal
 * numbers say that it was not done: a row counts as it begins; if what it does is still to come at the first
 * time, it is at the second, and so the row has begun in between. */
static uint64_t count_rows(struct rt_worker *k, uint8_t what)
{
    uint64_t count = 0;
    if (!k->rows)
        k->rows = list_rows(k);
    for (uint32_t row = 0; row < k->launch->program->blocks.count; row++)
        count += k->rows[row] & what ? k->counts[row].full + k->counts[row].some : 0;
    return count;
}

/* ---- states ------------------------------------------------------------------------------------------ */

/* All but lane vectors and masks. */
static void add_warp(const struct rt_launch *l, const struct rt_warp *w, struct rt_digest *d)
{
    uint64_t at[] = {w->pc,
                     w->stop,
                     w->stop == RT_BARRIER ? w->barrier : 0,
                     w->reconverge ? rt_index(w, w->reconverge) : RT_NOWHERE,
                     w->active,
                     w->live,
                     w->launched,
                     w->released,
                     w->polled | w->changed << 1};
    rt_digest_bytes(d, at, sizeof at);
    rt_digest_bytes(d, w->S, rt_scalar_bytes(w));
    if (l->scheme->digest)
        l->scheme->digest(w, d);
    else
        rt_digest_bytes(d, w->scheme_data, l->scheme->data_bytes(l->program, w->lanes));
}

/* The lanes that a word of a lane vector is of, or may be of. */
static uint64_t lanes_of(const struct rt_warp *w, const bool *wide, uint32_t vector, uint32_t word)
{
    uint64_t lane = (uint64_t)1 << word;
    return wide[vector / 2] ? lane | (uint64_t)1 << (vector % 2 * w->lanes + word) / 2 : lane;
}

/* In lanes that do not run a vector or mask may hold anything as soon as they have no use for it (T_ in
 * bytecode.def): so in those that have ended. */
static void add_lanes(const struct rt_launch *l, const struct rt_warp *w, const bool *wide,
                      struct rt_digest *d)
{
    for (uint32_t m = 0; m < l->kernel->masks; m++)
        rt_digest_word(d, w->M[m] & w->live);
    for (uint32_t v = 0; v < l->kernel->vectors; v++)
        for (uint32_t i = 0; i < w->lanes; i++)
            rt_digest_word(d, lanes_of(w, wide, v, i) & w->live ? rt_v(w, v)[i] : 0);
}

static struct rt_digest registers(struct rt_worker *k)
{
    struct rt_digest d = {0};
    rt_digest_word(&d, count_rows(k, UNSEEN));
    for (uint32_t i = 0; i < k->launch->sizes.warps; i++) {
        rt_digest_word(&d, k->running[i] != NULL);
        if (!k->running[i])
            continue;
        add_warp(k->launch, &k->running[i]->warp, &d);
        add_lanes(k->launch, &k->running[i]->warp, k->seen->wide, &d);
    }
    return d;
}

static void own_memory(void *from, struct rt_digest *d)
{
    struct rt_worker *k = from;
    rt_digest_bytes(d, k->shared, k->launch->sizes.shared.bytes);
    for (uint32_t i = 0; i < k->launch->sizes.warps; i++)
        if (k->running[i])
            rt_digest_bytes(d, k->running[i]->warp.spaces.private, k->running[i]->private_total);
}

static uint64_t own_bytes(const struct rt_worker *k)
{
    uint64_t bytes = k->launch->sizes.shared.bytes;
    for (uint32_t i = 0; i < k->launch->sizes.warps; i++)
        bytes += k->running[i] ? k->running[i]->private_total : 0;
    return bytes;
}

static void global_memory(void *from, struct rt_digest *d)
{
    rt_memory_digest(&((struct rt_worker *)from)->launch->context->memory, d);
}

/* ---- workers ----------------------------------------------------------------------------------------- */

static bool alone(const struct rt_worker *k)
{
    const struct rt_launch *l = k->launch;
    for (uint32_t i = 0; i < l->worker_count; i++)
        if (i != k->index && atomic_load(&l->workers[i].cycle) != ENDED)
            return false;
    return true;
}

/* The worker's cycle has closed, which began in the epoch `mine`. Whether all others are in cycles as well. */
static bool count_cycle(struct rt_worker *k, uint64_t mine)
{
    struct rt_launch *l = k->launch;
    uint64_t epoch = atomic_load(&l->progress.epoch);
    if (mine != epoch)
        return false;
    atomic_store(&k->cycle, epoch + 1);
    for (uint32_t i = 0; i < l->worker_count; i++) {
        uint64_t cycle = atomic_load(&l->workers[i].cycle);
        if (cycle != epoch + 1 && cycle != ENDED)
            return false;
    }
    return atomic_load(&l->progress.epoch) == epoch;
}

static uint64_t raise_epoch(struct rt_launch *l)
{
    return atomic_fetch_add(&l->progress.epoch, 1) + 1;
}

/* ---- the block as a whole ---------------------------------------------------------------------------- */

static bool look(struct rt_worker *k)
{
    struct rt_launch *l = k->launch;
    struct rt_look *x = k->seen;
    uint64_t mine = x->epoch;
    struct rt_sight s = {.ran = l->progress.report,
                         .stores = k->changes + count_rows(k, STORES),
                         .alone = alone(k),
                         .near = registers(k),
                         .own_bytes = own_bytes(k),
                         .memory_bytes = l->context->memory.used,
                         .own = own_memory,
                         .memory = global_memory,
                         .from = k};
    switch (rt_cycle_look(&x->cycle, &s)) {
    case RT_CLOSED: x->epoch = atomic_load(&l->progress.epoch); return count_cycle(k, mine);
    case RT_BEGINS: x->epoch = raise_epoch(l); return false;
    default: return false;
    }
}

/* ---- its warps --------------------------------------------------------------------------------------- */

/* A hundredth of the time goes to this. */
enum { PROBE_SHARE = 128, DIGEST_BYTES = 16 /* in the time of an instruction */ };

static uint64_t count_changes(struct rt_worker *k)
{
    return k->changes + k->own_changes + count_rows(k, STORES | OWN_STORES | UNSEEN);
}

static struct rt_digest digest_warp(struct rt_worker *k, const struct rt_warp *w)
{
    struct rt_digest d = {0};
    size_t private = k->running[w->index]->private_total;
    add_warp(k->launch, w, &d);
    rt_digest_bytes(&d, w->spaces.private, private);
    k->seen->left -= (int64_t)(private + k->launch->kernel->vectors * w->lanes * 4u) / DIGEST_BYTES;
    return d;
}

static void begin_warp(struct rt_worker *k, const struct rt_warp *w, struct probe *p)
{
    const struct bc_kernel *kernel = k->launch->kernel;
    p->begun = true;
    p->near = digest_warp(k, w);
    p->pc = w->pc;
    p->active = p->ran = w->active;
    memcpy(p->vectors, w->V, (size_t)kernel->vectors * w->lanes * 4);
    memcpy(p->masks, w->M, kernel->masks * sizeof *w->M);
}

/* Whether vectors and masks are as they were, of lanes that have run since; others have theirs, and if they are
 * not what they were, have no use for them. */
static bool same_lanes(const struct rt_worker *k, const struct rt_warp *w, const struct probe *p)
{
    const struct bc_kernel *kernel = k->launch->kernel;
    for (uint32_t m = 0; m < kernel->masks; m++)
        if ((w->M[m] ^ p->masks[m]) & p->ran)
            return false;
    for (uint32_t v = 0; v < kernel->vectors; v++)
        for (uint32_t i = 0; i < w->lanes; i++)
            if (rt_v(w, v)[i] != p->vectors[v * w->lanes + i] && lanes_of(w, k->seen->wide, v, i) & p->ran)
                return false;
    return true;
}

/* At the end of a round. */
static void begin_probe(struct rt_worker *k, uint64_t changes)
{
    struct rt_launch *l = k->launch;
    struct rt_look *x = k->seen;
    if (!x->proved || changes != x->probe_changes)
        raise_epoch(l);
    x->probe_epoch = atomic_load(&l->progress.epoch);
    x->probe_changes = changes;
    x->left = (int64_t)(x->reports * l->progress.report / PROBE_SHARE);
    x->next_probe = 2 * x->reports;
    for (uint32_t i = 0; i < l->sizes.warps; i++)
        x->probes[i] = (struct probe){
            .there = k->running[i] != NULL, .vectors = x->probes[i].vectors, .masks = x->probes[i].masks};
    k->probing = true;
}

/* The warp's next row, of which it has not yet run any. */
static void step(struct rt_worker *k, struct rt_warp *w, struct probe *p)
{
    k->launch->core->run(w);
    p->ran |= w->active;
    if (w->stop == RT_SLICE && w->pc == p->pc && w->active == p->active) {
        struct rt_digest d = digest_warp(k, w);
        p->closed = rt_digest_equal(&d, &p->near) && same_lanes(k, w, p);
    }
}

/* As many rows as if the time slice had been given to the core at once. */
void rt_endless_turn(struct rt_worker *k, struct rt_warp *w)
{
    struct rt_look *x = k->seen;
    struct probe *p = &x->probes[w->index];
    int64_t left = w->fuel, slice = w->slice;
    if (!p->begun)
        begin_warp(k, w, p);
    w->slice = 0;
    for (w->stop = RT_SLICE; w->stop == RT_SLICE && left >= 0 && !p->closed && x->left > 0;) {
        w->fuel = 0;
        step(k, w, p);
        int64_t used = (int64_t)w->spent - w->fuel;
        w->spent = 0;
        left -= used;
        x->left -= used;
    }
    w->slice = slice;
    w->fuel = left;
    if (w->stop == RT_SLICE && left >= 0)
        k->launch->core->run(w);
}

/* What a warp does before it ends or comes to a barrier may be a store that was counted before. */
static bool stays(const struct rt_slot *s, const struct probe *p)
{
    if (!p->there)
        return true;
    return s && (p->closed || (!p->begun && s->warp.stop == RT_BARRIER));
}

/* At the end of a round. Whether all warps are in cycles that nobody else can keep from going on. */
static bool end_round(struct rt_worker *k)
{
    struct rt_look *x = k->seen;
    bool same = count_changes(k) == x->probe_changes, closed = same;
    for (uint32_t i = 0; i < k->launch->sizes.warps; i++)
        closed = closed && stays(k->running[i], &x->probes[i]);
    x->proved = closed;
    k->probing = same && !closed && x->left > 0;
    return closed && count_cycle(k, x->probe_epoch);
}

/* ---- workers ----------------------------------------------------------------------------------------- */

static const bool *list_wide(struct rt_worker *k)
{
    const struct bc_program *p = k->launch->program;
    bool *wide = arena_array(&k->arena, bool, (size_t)UINT16_MAX / 2 + 1);
    for (uint32_t i = 0; i < p->code.count; i++) {
        const struct bc_ins *ins = &p->code.at[i];
        const uint16_t fields[] = {ins->d, ins->a, ins->b, ins->c, ins->e};
        for (size_t f = 0; f < COUNT(fields); f++)
            if (strchr("wWY", bc_operands(ins->op)[f]))
                wide[fields[f] / 2] = true;
        i += bc_has_branch_word((enum bc_op)ins->op);
    }
    return wide;
}

static struct probe *new_probes(struct rt_worker *k)
{
    const struct rt_launch *l = k->launch;
    size_t vectors = (size_t)l->kernel->vectors * l->core->lanes, masks = l->kernel->masks;
    if (!rt_memory_take(k->launch, l->sizes.warps * (sizeof(struct probe) + vectors * 4 + masks * 8))) {
        rt_memory_give(k->launch, l->sizes.warps * (sizeof(struct probe) + vectors * 4 + masks * 8));
        return NULL;
    }
    struct probe *probes = arena_array(&k->arena, struct probe, l->sizes.warps);
    for (uint32_t i = 0; i < l->sizes.warps; i++) {
        probes[i].vectors = arena_array(&k->arena, uint32_t, vectors);
        probes[i].masks = arena_array(&k->arena, uint64_t, masks);
    }
    return probes;
}

static void begin_block(struct rt_worker *k, uint64_t block)
{
    if (!k->seen) {
        k->seen = arena_new(&k->arena, struct rt_look);
        k->seen->probes = new_probes(k);
        k->seen->wide = list_wide(k);
    }
    *k->seen =
        (struct rt_look){.block = block, .probes = k->seen->probes, .wide = k->seen->wide, .next_probe = 2};
}

/* Warps are probed where a time slice has no effect on them, and nothing has changed since the report
 * before. */
static bool report(struct rt_worker *k)
{
    struct rt_look *x = k->seen;
    uint64_t changes = count_changes(k);
    bool quiet = x->reports++ && changes == x->changes && x->probes && !k->launch->scheme->expire;
    x->changes = changes;
    if (!x->proved && look(k))
        return true;
    if (quiet && (x->proved || x->reports >= x->next_probe))
        begin_probe(k, changes);
    return false;
}

/* One with lanes that wait, if there is one: they tell most. */
static struct rt_warp *who_is_stuck(const struct rt_worker *k)
{
    struct rt_warp *stuck = NULL;
    for (uint32_t i = 0; i < k->launch->sizes.warps; i++) {
        struct rt_slot *s = k->running[i];
        if (!s || s->warp.stop == RT_BARRIER)
            continue;
        if (!stuck || (stuck->active == stuck->live && s->warp.active != s->warp.live))
            stuck = &s->warp;
    }
    INVARIANT(stuck != NULL);
    return stuck;
}

bool rt_endless(struct rt_worker *k)
{
    struct rt_launch *l = k->launch;
    uint64_t block = atomic_load_explicit(&k->block, memory_order_relaxed);
    k->reported = false;
    if (!k->seen || k->seen->block != block)
        begin_block(k, block);
    if (!atomic_load(&l->progress.endless) && (k->probing ? end_round(k) : report(k)))
        atomic_store(&l->progress.endless, true);
    k->reported = k->probing;
    if (!atomic_load(&l->progress.endless))
        return false;
    k->probing = false;
    rt_trap_endless(who_is_stuck(k));
    return true;
}

void rt_endless_leave(struct rt_worker *k)
{
    raise_epoch(k->launch);
    atomic_store(&k->cycle, ENDED);
}
