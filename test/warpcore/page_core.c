/* page_core.c: slots, ports, queues and blocks, cycle by cycle, by rules 1 to 9 of "Cycles" in docs/isa.md. */
#include "test/warpcore/page.h"

enum { NOBODY = UINT32_MAX };
#define NEVER UINT64_MAX

/* What a slot issues next. */
enum issue { IDLE, RUN, START, SAVE, RESTORE };
struct slot {
    enum issue next;
    uint32_t warp, comer;
    uint64_t free;
};
typedef VEC(uint32_t) warp_list;
struct core {
    struct page_machine m;
    struct arena *arena;
    struct page_warp *warp; /* of the block */
    struct slot slot[PAGE_SLOTS];
    uint64_t port[PAGE_UNITS]; /* when it is free again */
    warp_list queue, list;     /* without a slot; waiting at the barrier without a slot */
    uint32_t warps, ended, waiting, turn;
    uint64_t end; /* of the last block */
    bool busy;
    const char *fault;
};
struct launch {
    const struct page_tables *tables;
    struct page_job *job;
    uint64_t blocks, next;
};

static uint32_t parameter(const struct core *c, enum page_parameter p)
{
    return c->m.tables->parameter[p];
}

/* Cycles to clear so many bytes. */
static uint64_t clearing(const struct core *c, uint64_t bytes)
{
    return (bytes + 31) / 32 * parameter(c, PAGE_CLEAR);
}

static uint32_t take_first(warp_list *l)
{
    uint32_t first = l->at[0];
    memmove(l->at, l->at + 1, --l->count * sizeof *l->at);
    return first;
}

/* ---- who has a slot (rules 5 and 6) -------------------------------------------------------------------- */

static void enter(struct core *c, struct slot *s, uint32_t warp)
{
    s->warp = warp;
    s->next = c->warp[warp].started ? RESTORE : START;
}

static void leave(struct core *c, struct slot *s)
{
    s->next = SAVE;
    s->comer = take_first(&c->queue);
}

/* While somebody is in the queue: empty slots first, then those whose warps wait at the barrier. */
static void settle(struct core *c)
{
    for (bool moved = true; moved && c->queue.count;) {
        moved = false;
        for (int i = 0; i < PAGE_SLOTS && !moved; i++)
            if (c->slot[i].next == IDLE) {
                enter(c, &c->slot[i], take_first(&c->queue));
                moved = true;
            }
        for (int i = 0; i < PAGE_SLOTS && !moved; i++)
            if (c->slot[i].next == RUN && c->warp[c->slot[i].warp].waits) {
                leave(c, &c->slot[i]);
                moved = true;
            }
    }
}

/* Rule 7: `end` is when the instruction ends by which the last warp came or ended. */
static void open_barrier(struct core *c, uint64_t end)
{
    if (!c->waiting || c->waiting + c->ended < c->warps)
        return;
    for (uint32_t i = 0; i < c->warps; i++)
        if (c->warp[i].waits) {
            c->warp[i].waits = false;
            c->warp[i].ready = c->warp[i].ready > end ? c->warp[i].ready : end;
        }
    for (uint32_t i = 0; i < c->list.count; i++)
        vec_push(c->arena, &c->queue, c->list.at[i]);
    c->list.count = c->waiting = 0;
}

/* ---- issue (rules 1, 2, 8) ----------------------------------------------------------------------------- */

static uint32_t port_of(const struct core *c, const struct slot *s)
{
    const struct page_tables *t = c->m.tables;
    if (s->next == RUN)
        return t->unit[page_row_at(&c->m, c->warp[s->warp].pc)->unit].port;
    return s->next == START ? (uint32_t)NOBODY : page_unit(t, "GLOBAL");
}

/* When the slot can issue. */
static uint64_t issues_at(const struct core *c, const struct slot *s)
{
    if (s->next == IDLE || (s->next == RUN && c->warp[s->warp].waits))
        return NEVER;
    uint64_t at = s->free, port = port_of(c, s);
    if (s->next != SAVE && c->warp[s->warp].ready > at)
        at = c->warp[s->warp].ready;
    return port != NOBODY && c->port[port] > at ? c->port[port] : at;
}

static void run(struct core *c, struct slot *s, uint64_t t)
{
    struct page_warp *w = &c->warp[s->warp];
    const struct page_unit *unit = &c->m.tables->unit[page_row_at(&c->m, w->pc)->unit];
    struct page_effect e = page_step(&c->m, w);
    c->fault = e.fault;
    s->free = t + unit->cycles + e.more;
    if (unit->interval)
        c->port[unit->port] = t + unit->interval + e.segments;
    w->since++;
    w->issued++;
    if (e.ended) {
        c->ended++;
        s->next = IDLE;
    }
    w->waits = e.barrier;
    c->waiting += e.barrier;
    if (e.barrier || e.ended)
        open_barrier(c, s->free);
    if (c->queue.count && !e.ended && (e.yield || w->since >= parameter(c, PAGE_SLICE)))
        leave(c, s);
}

static void begin_warp(struct core *c, uint32_t number)
{
    struct page_warp *w = &c->warp[number];
    uint32_t threads = c->m.job->block[0] * c->m.job->block[1] * c->m.job->block[2];
    w->started = true;
    w->number = number;
    w->pc = c->m.job->entry;
    for (uint32_t l = 0; l < PAGE_LANES; l++) {
        if (number * PAGE_LANES + l < threads)
            w->live |= 1u << l;
        w->r[l][30] = 16;
        w->p[l][0] = 1;
        w->private[l] = arena_alloc(c->arena, c->m.job->private_bytes + 1);
    }
    w->active = w->live;
}

static void swap(struct core *c, struct slot *s, uint64_t t)
{
    struct page_warp *w = &c->warp[s->warp];
    uint32_t cycles = parameter(c, PAGE_SWAP);
    if (s->next == START) {
        begin_warp(c, s->warp);
        s->free = t + parameter(c, PAGE_START) + clearing(c, (uint64_t)PAGE_LANES * c->m.job->private_bytes);
        s->next = RUN;
        return;
    }
    c->port[port_of(c, s)] = t + cycles;
    s->free = t + cycles;
    if (s->next == RESTORE) {
        s->next = RUN;
        w->since = 0;
        return;
    }
    w->ready = t + cycles;
    if (w->waits)
        vec_push(c->arena, &c->list, s->warp);
    else
        vec_push(c->arena, &c->queue, s->warp);
    enter(c, s, s->comer);
}

/* The first slot in turn that can issue at t; NOBODY: none. */
static uint32_t next_slot(const struct core *c, uint64_t t)
{
    for (uint32_t i = 0; i < PAGE_SLOTS; i++)
        if (issues_at(c, &c->slot[(c->turn + i) % PAGE_SLOTS]) <= t)
            return (c->turn + i) % PAGE_SLOTS;
    return NOBODY;
}

static void issue(struct core *c, uint64_t t)
{
    for (uint32_t n = 0; n < parameter(c, PAGE_ISSUE) && !c->fault; n++) {
        uint32_t i = next_slot(c, t);
        if (i == NOBODY)
            return;
        if (c->slot[i].next == RUN)
            run(c, &c->slot[i], t);
        else
            swap(c, &c->slot[i], t);
        c->turn = (i + 1) % PAGE_SLOTS;
        settle(c);
    }
}

/* ---- blocks (rule 4) ----------------------------------------------------------------------------------- */

static void begin_block(struct core *c, struct launch *l, uint64_t t)
{
    const struct page_job *j = l->job;
    uint64_t n = l->next++;
    c->m.block[0] = (uint32_t)(n % j->grid[0]);
    c->m.block[1] = (uint32_t)(n / j->grid[0] % j->grid[1]);
    c->m.block[2] = (uint32_t)(n / j->grid[0] / j->grid[1]);
    c->m.shared = arena_alloc(c->arena, j->shared_bytes + 1);
    c->warps = (j->block[0] * j->block[1] * j->block[2] + PAGE_LANES - 1) / PAGE_LANES;
    c->warp = arena_array(c->arena, struct page_warp, c->warps);
    c->ended = c->waiting = c->turn = c->queue.count = c->list.count = 0;
    c->busy = true;
    for (uint32_t i = 0; i < c->warps; i++)
        vec_push(c->arena, &c->queue, i);
    for (int i = 0; i < PAGE_SLOTS; i++)
        c->slot[i] = (struct slot){.next = IDLE, .free = t + clearing(c, j->shared_bytes)};
    settle(c);
}

/* When all of the block's warps have ended, and with them what was issued. */
static void end_block(struct core *c)
{
    if (!c->busy || c->ended < c->warps)
        return;
    c->busy = false;
    for (int i = 0; i < PAGE_SLOTS; i++)
        c->end = c->slot[i].free > c->end ? c->slot[i].free : c->end;
}

/* When something happens on the core at or after t. */
static uint64_t next_time(const struct core *c, const struct launch *l, uint64_t t)
{
    uint64_t first = NEVER;
    if (!c->busy)
        return l->next == l->blocks ? NEVER : c->end > t ? c->end : t;
    for (int i = 0; i < PAGE_SLOTS; i++) {
        uint64_t at = issues_at(c, &c->slot[i]);
        at = at < t ? t : at;
        first = at < first ? at : first;
    }
    return first;
}

static void do_cycle(struct core *c, struct launch *l, uint64_t t)
{
    if (!c->busy && l->next < l->blocks && c->end <= t)
        begin_block(c, l, t);
    if (!c->busy)
        return;
    issue(c, t);
    end_block(c);
}

const char *page_run(const struct page_tables *t, struct page_job *j, struct arena *a, uint32_t cores,
                     uint64_t *core_cycles)
{
    struct launch l = {.tables = t, .job = j, .blocks = (uint64_t)j->grid[0] * j->grid[1] * j->grid[2]};
    struct core *core = arena_array(a, struct core, cores);
    for (uint32_t i = 0; i < cores; i++) {
        core[i].m = (struct page_machine){.tables = t, .job = j};
        core[i].arena = a;
    }
    for (uint64_t now = 0; now != NEVER;) {
        uint64_t next = NEVER;
        for (uint32_t i = 0; i < cores; i++) {
            do_cycle(&core[i], &l, now);
            if (core[i].fault)
                return core[i].fault;
        }
        for (uint32_t i = 0; i < cores; i++) {
            uint64_t at = next_time(&core[i], &l, now + 1);
            next = at < next ? at : next;
        }
        now = next;
    }
    *core_cycles = 0;
    for (uint32_t i = 0; i < cores; i++)
        *core_cycles = core[i].end > *core_cycles ? core[i].end : *core_cycles;
    return NULL;
}
