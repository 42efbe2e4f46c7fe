/* timing.c: the cycles of a core. Turns of warps are executed one after the other and logged; here they are
 * laid over each other as the core does it: in four slots, at most one instruction a cycle, from the slots in
 * turn whose warp is ready. A warp is ready for its next instruction when the one before has taken its cycles
 * (timing.def): issue is in order, and nothing of a warp overlaps. A turn that finds no free slot waits for
 * one. Several cores share the blocks: each takes the next one when it is free.
 */
#include "runtime/warpcore/simulator.h"
#include "runtime/warpcore/trace.h"

struct slot {
    struct rt_sim_log log;
    bool     busy;                       /* instructions of the log are left */
    uint32_t run, word, cost;            /* the next one */
    uint32_t warp;
    uint64_t ready;                      /* when it can be issued; if not busy, since when the slot is free */
};

struct rt_clock {
    struct rt_sim *sim;
    struct slot slots[WC_SLOTS];
    uint32_t next;                       /* the slot whose turn it is */
    uint64_t now;                        /* no instruction before this cycle can be issued any more */
    const uint8_t *cycles;               /* by code word */
    const bool *costs;                   /* by code word: the log has a cost for it */
    uint64_t *cores;                     /* when each is free */
    uint32_t core_count, core;
};

struct rt_clock *rt_clock_new(struct rt_sim *s, uint32_t cores)
{
    struct rt_clock *c = arena_new(&s->arena, struct rt_clock);
    uint32_t words = s->image->code.count;
    uint8_t *cycles = arena_array(&s->arena, uint8_t, words);
    bool *costs = arena_array(&s->arena, bool, words);
    for (uint32_t i = 0; i < words; i++) {
        cycles[i] = (uint8_t)wc_cycles((enum wc_op)s->codes[0][i].op);
        costs[i] = rt_sim_is_global((enum wc_op)s->codes[0][i].op);
    }
    for (unsigned i = 0; i < WC_SLOTS; i++) {
        c->slots[i].log.runs = arena_array(&s->arena, struct rt_sim_run, RT_SIM_LOG);
        c->slots[i].log.costs = arena_array(&s->arena, uint8_t, RT_SIM_LOG);
    }
    c->sim = s;
    c->cycles = cycles;
    c->costs = costs;
    c->core_count = cores;
    c->cores = arena_array(&s->arena, uint64_t, cores);
    return c;
}

void rt_sim_log_run(struct rt_sim_warp *w, uint32_t start, uint32_t end)
{
    w->log->runs[w->log->run_count++] = (struct rt_sim_run){
        .start = (uint16_t)start, .end = (uint16_t)end, .active = w->flow.active, .depth = w->flow.depth};
    w->cycles += w->sim->cycles_before[end] - w->sim->cycles_before[start];
}

/* ---- issue --------------------------------------------------------------------------------------------- */

/* The busy slot that issues next: of those ready in the earliest cycle possible, the first in turn. NULL:
 * none. */
static struct slot *choose(struct rt_clock *c)
{
    struct slot *best = NULL;
    uint64_t at = UINT64_MAX;
    for (unsigned i = 0; i < WC_SLOTS; i++) {
        struct slot *s = &c->slots[(c->next + i) % WC_SLOTS];
        uint64_t when = s->ready > c->now ? s->ready : c->now;
        if (s->busy && when < at) {
            best = s;
            at = when;
        }
    }
    if (best)
        c->now = at;
    return best;
}

/* The instruction at hand, or (cycles 0) that there is none any more. */
static void trace(const struct rt_clock *c, const struct slot *s, const struct rt_sim_run *run, uint64_t time,
                  uint32_t cycles)
{
    const struct rt_sim *sim = c->sim;
    const uint32_t *b = sim->block_index, *grid = sim->grid;
    rt_trace_add(sim->trace, (struct rt_trace_event){.time = time,
                                                     .block = b[0] + grid[0] * (b[1] + grid[1] * b[2]),
                                                     .cycles = (uint16_t)cycles,
                                                     .word = (uint16_t)s->word,
                                                     .warp = (uint16_t)s->warp,
                                                     .core = (uint8_t)c->core,
                                                     .slot = (uint8_t)(s - c->slots),
                                                     .active = run->active,
                                                     .depth = run->depth,
                                                     .first = s->word == run->start});
}

static void issue(struct rt_clock *c, struct slot *s)
{
    const struct rt_sim_run *run = &s->log.runs[s->run];
    uint32_t cycles = c->cycles[s->word];
    if (c->costs[s->word] && s->cost < s->log.cost_count)
        cycles += s->log.costs[s->cost++];
    cycles += s->word + 1u == run->end ? run->more : 0;
    if (c->sim->trace)
        trace(c, s, run, c->now, cycles);
    s->ready = c->now + cycles;
    if (++s->word == run->end) {
        s->busy = ++s->run < s->log.run_count;
        s->word = s->busy ? run[1].start : 0;
    }
    if (c->sim->trace && !s->busy)
        trace(c, s, run, s->ready, 0);
    c->next = (uint32_t)(s - c->slots + 1) % WC_SLOTS;
    c->now++;
}

/* A slot whose turn has been logged, but not issued. */
static void take_up(struct slot *s)
{
    if (s->run == UINT32_MAX) {
        s->run = 0;
        s->busy = s->log.run_count > 0;
        s->word = s->busy ? s->log.runs[0].start : 0;
    }
}

static void take_up_all(struct rt_clock *c)
{
    for (unsigned i = 0; i < WC_SLOTS; i++)
        take_up(&c->slots[i]);
}

/* ---- turns --------------------------------------------------------------------------------------------- */

/* The free slot that has been free for longest; NULL: all are busy. */
static struct slot *free_slot(struct rt_clock *c)
{
    struct slot *best = NULL;
    for (unsigned i = 0; i < WC_SLOTS; i++) {
        struct slot *s = &c->slots[i];
        if (!s->busy && (!best || s->ready < best->ready))
            best = s;
    }
    return best;
}

struct rt_sim_log *rt_clock_turn(struct rt_clock *c, uint32_t warp, uint32_t cycles)
{
    struct slot *s;
    take_up_all(c);
    while ((s = free_slot(c)) == NULL)
        issue(c, choose(c));
    s->log.run_count = s->log.cost_count = s->cost = 0;
    s->run = UINT32_MAX;
    s->warp = warp;
    s->ready += cycles;
    return &s->log;
}

void rt_clock_round(struct rt_clock *c)
{
    struct slot *s;
    uint64_t end = 0;
    take_up_all(c);
    while ((s = choose(c)) != NULL)
        issue(c, s);
    for (unsigned i = 0; i < WC_SLOTS; i++)
        end = c->slots[i].ready > end ? c->slots[i].ready : end;
    for (unsigned i = 0; i < WC_SLOTS; i++)
        c->slots[i].ready = end;
    c->cores[c->core] = end;
}

/* ---- blocks -------------------------------------------------------------------------------------------- */

void rt_clock_block(struct rt_clock *c)
{
    c->core = 0;
    for (uint32_t i = 1; i < c->core_count; i++)
        if (c->cores[i] < c->cores[c->core])
            c->core = i;
    c->now = c->cores[c->core];
    c->next = 0;
    for (unsigned i = 0; i < WC_SLOTS; i++) {
        c->slots[i].busy = false;
        c->slots[i].run = 0;
        c->slots[i].ready = c->now;
    }
}

uint64_t rt_clock_cycles(struct rt_clock *c)
{
    uint64_t last = 0;
    for (uint32_t i = 0; i < c->core_count; i++)
        last = c->cores[i] > last ? c->cores[i] : last;
    return last;
}
