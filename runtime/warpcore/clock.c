/* clock.c: launches that are timed: each instruction is executed in the cycle in which the machine issues it,
 * by the rules of docs/isa.md, "Cycles". So programs whose warps communicate get the bytes of the machine,
 * not only its cycles.
 *
 * A core has four slots. In each cycle it issues for the first slot in turn that is ready: whose warp has
 * finished its instruction before, and whose next one finds its port free. Filling a slot (START, RESTORE)
 * and emptying it (SAVE) are issued like instructions. Warps without a slot wait in a queue; those at a
 * barrier, in a list. Cores go ahead in the order of the cycles of what they do next, and of their numbers.
 */
#include "runtime/warpcore/simulator.h"
#include "runtime/warpcore/trace.h"

#define NEVER UINT64_MAX
enum { NO_PORT = WC_UNITS, PORTS }; /* NO_PORT is always free */

/* What a slot issues next. EMPTY and WAITS (for the barrier): nothing. */
enum slot_state { EMPTY, WAITS, RUNS, STARTS, SAVES, RESTORES };
struct slot {
    enum slot_state state;
    uint32_t port;                   /* that it needs */
    uint64_t ready;                  /* the first cycle in which it can; NEVER: nothing to issue */
    uint64_t issued;                 /* instructions since the warp came */
    struct rt_sim_warp *warp, *next; /* next: SAVES: who comes then */
};

struct queue {
    struct rt_sim_warp *first, *last;
};

struct core {
    struct slot slots[WC_SLOTS];
    uint64_t free[PORTS];          /* by port: when it takes the next instruction */
    uint64_t now, end;             /* nothing is issued before now; all that was has ended at `end` */
    uint32_t turn, issued;         /* the slot whose turn it is; instructions issued in cycle now */
    uint64_t when;                 /* of what it does next: */
    struct slot *chosen;           /* NULL: it takes a block */
    struct queue queue, barrier;   /* warps without a slot: ready to go on; at the barrier */
    uint32_t begun, left, waiting; /* warps: that have been given a slot; not ended; at the barrier */
    struct rt_sim_block *block;    /* NULL: not yet allocated */
};

/* What the clock knows of a code word. */
struct word {
    uint32_t cycles, interval;
    uint8_t port;
};

struct clock {
    struct rt_sim *sim;
    const uint32_t *parameter; /* of the timing, by enum wc_parameter */
    const struct word *words;  /* one more than the code has */
    struct core *cores;
    uint32_t core_count;
    uint64_t next_block;
    bool stops; /* a trap, no fuel or no memory */
};

static void append(struct queue *q, struct rt_sim_warp *w)
{
    w->next = NULL;
    if (q->first)
        q->last->next = w;
    else
        q->first = w;
    q->last = w;
}

/* ---- slots and the queue ----------------------------------------------------------------------------- */

static bool queue_empty(const struct clock *k, const struct core *c)
{
    return c->begun == k->sim->sizes.warps && !c->queue.first;
}

/* Who is first in the queue: warps that have not begun stand in front. NULL: no memory. */
static struct rt_sim_warp *dequeue(struct clock *k, struct core *c)
{
    struct rt_sim_warp *w = c->queue.first;
    if (c->begun < k->sim->sizes.warps) {
        w = rt_sim_warp_begin(c->block, c->begun++);
        k->stops = k->stops || !w;
    } else
        c->queue.first = w->next;
    return w;
}

/* The slot goes on with its warp, which may have left it in the middle of a run. */
static void run_on(const struct clock *k, struct slot *s, uint64_t ready)
{
    if (s->warp->stop != RT_RUNNING)
        k->sim->core->enter(s->warp);
    s->state = RUNS;
    s->port = k->words[s->warp->at->word].port;
    s->ready = ready;
}

/* The warp comes to the slot, which is empty from `time` on. */
static void fill(struct slot *s, struct rt_sim_warp *w, uint64_t time)
{
    s->warp = w;
    s->issued = 0;
    s->state = w->started ? RESTORES : STARTS;
    s->port = w->started ? WC_UNIT_GLOBAL : NO_PORT;
    s->ready = w->saved > time ? w->saved : time;
}

/* The slot's warp leaves it for the first in the queue. */
static void leave(struct clock *k, struct core *c, struct slot *s, uint64_t time)
{
    s->next = dequeue(k, c);
    s->state = SAVES;
    s->port = WC_UNIT_GLOBAL;
    s->ready = time;
}

static struct slot *find(struct core *c, enum slot_state state)
{
    for (unsigned i = 0; i < WC_SLOTS; i++)
        if (c->slots[i].state == state)
            return &c->slots[i];
    return NULL;
}

/* As long as warps are in the queue, empty slots and then those whose warps wait are given to them. */
static void fill_slots(struct clock *k, struct core *c, uint64_t time)
{
    struct slot *s;
    while (!k->stops && !queue_empty(k, c)) {
        if ((s = find(c, EMPTY)) != NULL) {
            struct rt_sim_warp *w = dequeue(k, c);
            if (w)
                fill(s, w, time);
        } else if ((s = find(c, WAITS)) != NULL)
            leave(k, c, s, time);
        else
            return;
    }
}

/* ---- blocks ------------------------------------------------------------------------------------------ */

/* The cycles that clearing so many pieces of 32 bytes takes. */
static uint64_t clearing(const struct clock *k, uint64_t bytes)
{
    return (bytes + 31) / 32 * k->parameter[WC_CLEAR];
}

/* The core takes a block, or has nothing to do any more. */
static void begin_block(struct clock *k, struct core *c)
{
    struct rt_sim *sim = k->sim;
    c->when = NEVER;
    if (k->next_block == sim->sizes.blocks)
        return;
    if (!c->block && !(c->block = rt_sim_block_new(sim))) {
        k->stops = true;
        return;
    }
    rt_sim_block_begin(c->block, k->next_block++);
    c->left = sim->sizes.warps;
    c->begun = c->waiting = c->turn = c->issued = 0;
    c->now = c->end;
    fill_slots(k, c, c->now + clearing(k, sim->sizes.shared.bytes));
}

/* The number below which all blocks have ended. */
static uint64_t oldest_block(const struct clock *k)
{
    uint64_t oldest = k->next_block;
    for (uint32_t i = 0; i < k->core_count; i++)
        if (k->cores[i].left && k->cores[i].block->number < oldest)
            oldest = k->cores[i].block->number;
    return oldest;
}

/* All warps that have not ended wait: they go on together. */
static void open_barrier(struct clock *k, struct core *c, uint64_t time)
{
    c->waiting = 0;
    for (unsigned i = 0; i < WC_SLOTS; i++)
        if (c->slots[i].state == WAITS)
            run_on(k, &c->slots[i], time);
    c->queue = c->barrier;
    c->barrier.first = NULL;
    rt_sim_block_output(c->block);
    fill_slots(k, c, time);
}

/* After a warp has come to the barrier, or has ended. */
static void look_around(struct clock *k, struct core *c, uint64_t time)
{
    if (c->left == 0)
        rt_sim_block_end(c->block, oldest_block(k));
    else if (c->waiting == c->left)
        open_barrier(k, c, time);
    else
        fill_slots(k, c, time);
}

/* ---- issue ------------------------------------------------------------------------------------------- */

/* The warp has stopped in its instruction, which ends at `time`. */
static void stop(struct clock *k, struct core *c, struct slot *s, uint64_t time)
{
    struct rt_sim_warp *w = s->warp;
    s->ready = NEVER;
    switch (w->stop) {
    case RT_DONE:
        s->state = EMPTY;
        c->left--;
        rt_sim_warp_end(w);
        look_around(k, c, time);
        break;
    case RT_BARRIER:
        s->state = WAITS;
        c->waiting++;
        look_around(k, c, time);
        break;
    case RT_SLICE: run_on(k, s, time); break;
    default: k->stops = true; break;
    }
}

static void execute(struct clock *k, struct core *c, struct slot *s)
{
    struct rt_sim *sim = k->sim;
    struct rt_sim_warp *w = s->warp;
    const struct rt_sim_ins *at = w->at;
    const struct word *word = &k->words[at->word];
    struct rt_trace_event event;
    if (sim->trace) {
        event = rt_trace_before(w, at, c->now);
        event.core = (uint8_t)(c - k->cores);
        event.slot = (uint8_t)(s - c->slots);
    }
    w->more = 0;
    w->at = at->run(w, at);
    uint64_t time = c->now + word->cycles + w->more;
    w->cycles += word->cycles + w->more;
    sim->total++;
    sim->thread_slots += w->threads;
    if (word->interval)
        c->free[word->port] = c->now + word->interval + (word->port == WC_UNIT_GLOBAL ? w->more : 0);
    c->end = time > c->end ? time : c->end;
    s->ready = time;
    s->issued++;
    if (sim->trace) {
        event.cycles = (uint32_t)(time - c->now);
        rt_trace_issued(sim->trace, w, at, event);
    }
    bool yields = !w->at && w->stop == RT_SLICE;
    if (w->at)
        s->port = k->words[w->at->word].port;
    else
        stop(k, c, s, time);
    if (s->state == RUNS && (yields || s->issued >= k->parameter[WC_SLICE]) && !queue_empty(k, c))
        leave(k, c, s, time);
    if (sim->trace && s->state != RUNS)
        rt_trace_idle(sim->trace, event, time);
}

static void start(struct clock *k, struct core *c, struct slot *s)
{
    uint64_t bytes = (uint64_t)s->warp->spaces.private_bytes * WC_LANES;
    s->warp->started = true;
    run_on(k, s, c->now + k->parameter[WC_START] + clearing(k, bytes));
}

static void save(struct clock *k, struct core *c, struct slot *s)
{
    struct rt_sim_warp *w = s->warp;
    uint64_t time = c->now + k->parameter[WC_SWAP];
    w->saved = c->free[WC_UNIT_GLOBAL] = time;
    append(w->stop == RT_BARRIER ? &c->barrier : &c->queue, w);
    fill(s, s->next, time);
    fill_slots(k, c, time);
}

static void restore(struct clock *k, struct core *c, struct slot *s)
{
    uint64_t time = c->now + k->parameter[WC_SWAP];
    c->free[WC_UNIT_GLOBAL] = time;
    run_on(k, s, time);
}

static void issue(struct clock *k, struct core *c)
{
    struct slot *s = c->chosen;
    if (c->when > c->now) {
        c->now = c->when;
        c->issued = 0;
    }
    c->turn = (uint32_t)(s - c->slots + 1) % WC_SLOTS;
    switch (s->state) {
    case RUNS: execute(k, c, s); break;
    case STARTS: start(k, c, s); break;
    case SAVES: save(k, c, s); break;
    default: restore(k, c, s); break;
    }
    if (++c->issued == k->parameter[WC_ISSUE]) {
        c->now++;
        c->issued = 0;
    }
}

/* What the core does next, and when: of the slots that can issue in the earliest cycle, the first in turn. */
static void choose(struct core *c)
{
    if (c->left == 0) {
        c->chosen = NULL;
        c->when = c->end;
        return;
    }
    c->when = NEVER;
    for (unsigned i = 0; i < WC_SLOTS; i++) {
        struct slot *s = &c->slots[(c->turn + i) % WC_SLOTS];
        uint64_t when = s->ready > c->now ? s->ready : c->now;
        when = when > c->free[s->port] ? when : c->free[s->port];
        if (when < c->when) {
            c->chosen = s;
            c->when = when;
        }
    }
}

/* ---- whether it can never end ------------------------------------------------------------------------ */

/* A time that is past is as good as now. */
static uint64_t from_now(uint64_t time, uint64_t now)
{
    return time == NEVER ? NEVER : time > now ? time - now : 0;
}

static void look_at_waiting(struct rt_sim *s, const struct rt_sim_warp *w, uint64_t now)
{
    for (; w; w = w->next) {
        rt_sim_look_warp(s, w);
        rt_digest_word(&s->endless.rest, from_now(w->saved, now));
    }
    rt_digest_word(&s->endless.rest, NEVER);
}

static void look_at_slot(struct clock *k, const struct slot *slot, uint64_t now)
{
    struct rt_digest *d = &k->sim->endless.rest;
    uint64_t slice = k->parameter[WC_SLICE];
    rt_digest_word(d, (uint64_t)slot->state << 32 | slot->port);
    rt_digest_word(d, from_now(slot->ready, now));
    rt_digest_word(d, slot->issued < slice ? slot->issued : slice);
    if (slot->state != EMPTY)
        rt_sim_look_warp(k->sim, slot->warp);
    if (slot->state == SAVES)
        rt_sim_look_warp(k->sim, slot->next);
}

static void look_at_core(struct clock *k, const struct core *c, uint64_t now)
{
    struct rt_sim *s = k->sim;
    struct rt_digest *d = &s->endless.rest;
    rt_sim_look_block(s, c->block);
    rt_digest_word(d, from_now(c->now, now));
    rt_digest_word(d, from_now(c->end, now));
    rt_digest_word(d, (uint64_t)c->turn << 32 | (c->now >= now ? c->issued : 0));
    rt_digest_word(d, (uint64_t)c->begun << 32 | c->left);
    for (unsigned i = 0; i < PORTS; i++)
        rt_digest_word(d, from_now(c->free[i], now));
    for (unsigned i = 0; i < WC_SLOTS; i++)
        look_at_slot(k, &c->slots[i], now);
    look_at_waiting(s, c->queue.first, now);
    look_at_waiting(s, c->barrier.first, now);
}

/* The core is the next to do something. */
static __attribute__((noinline, cold)) bool can_never_end(struct clock *k, const struct core *next)
{
    struct rt_sim *s = k->sim;
    rt_sim_look_begin(s);
    rt_digest_word(&s->endless.rest, (uint64_t)(next - k->cores));
    for (uint32_t i = 0; i < k->core_count; i++)
        if (k->cores[i].left)
            look_at_core(k, &k->cores[i], next->when);
        else /* it may take another block then */
            rt_digest_word(&s->endless.rest, from_now(k->cores[i].when, next->when));
    return rt_sim_can_never_end(s, next->chosen->warp);
}

/* ---- the launch -------------------------------------------------------------------------------------- */

static const struct word *list_words(struct rt_sim *s)
{
    uint32_t n = s->image->code.count;
    struct word *words = arena_array(&s->arena, struct word, n + 1);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t unit = wc_op_info[s->codes[0][i].op].unit;
        words[i] = (struct word){s->timing.cycles[unit], s->timing.interval[unit], wc_unit_info[unit].port};
    }
    words[n] = (struct word){0, 0, NO_PORT};
    return words;
}

static struct clock *clock_new(struct rt_sim *s, uint32_t cores)
{
    struct clock *k = arena_new(&s->arena, struct clock);
    *k = (struct clock){.sim = s,
                        .parameter = s->timing.parameter,
                        .words = list_words(s),
                        .cores = arena_array(&s->arena, struct core, cores),
                        .core_count = cores};
    for (uint32_t i = 0; i < cores; i++)
        for (unsigned slot = 0; slot < WC_SLOTS; slot++)
            k->cores[i].slots[slot] = (struct slot){.ready = NEVER, .port = NO_PORT};
    return k;
}

static struct core *first_core(struct clock *k)
{
    struct core *first = k->cores;
    for (uint32_t i = 1; i < k->core_count; i++)
        if (k->cores[i].when < first->when)
            first = &k->cores[i];
    return first;
}

/* The launch stops while the warp runs: what it executed of its run is counted. */
static void end_run(struct rt_sim_warp *w)
{
    if (w && w->at && w->begin && w->at > w->begin)
        rt_sim_end_run(w, w->at - 1);
}

static void interrupt(struct core *c)
{
    for (unsigned i = 0; i < WC_SLOTS; i++)
        if (c->slots[i].state != EMPTY)
            end_run(c->slots[i].warp);
    for (struct rt_sim_warp *w = c->queue.first; w; w = w->next)
        end_run(w);
    for (unsigned i = 0; i < WC_SLOTS; i++)
        if (c->slots[i].state == SAVES)
            end_run(c->slots[i].next);
    rt_sim_block_end(c->block, 0);
}

static void finish(struct clock *k)
{
    for (uint32_t i = 0; i < k->core_count; i++) {
        struct core *c = &k->cores[i];
        k->sim->core_cycles = c->end > k->sim->core_cycles ? c->end : k->sim->core_cycles;
        if (c->block && c->left)
            interrupt(c);
    }
    if (k->cores[0].block)
        rt_sim_block_end(k->cores[0].block, NEVER);
}

void rt_sim_run_clock(struct rt_sim *s, uint32_t cores)
{
    struct clock *k = clock_new(s, cores < s->sizes.blocks ? cores : (uint32_t)s->sizes.blocks);
    struct core *c;
    while (!k->stops && (c = first_core(k))->when != NEVER) {
        if (c->chosen && rt_sim_is_to_look(s, c->chosen->warp) && can_never_end(k, c))
            break;
        if (c->chosen)
            issue(k, c);
        else
            begin_block(k, c);
        if (c->when != NEVER || c->left)
            choose(c);
        s->out_of_fuel = (s->total >= s->given.fuel || rt_interrupted(s->given.interrupt)) && c->left;
        if (s->out_of_fuel && c->chosen && c->chosen->warp->at)
            rt_sim_out_of_fuel(c->chosen->warp, c->chosen->warp->at->word);
        k->stops = k->stops || s->out_of_fuel;
    }
    finish(k);
}
