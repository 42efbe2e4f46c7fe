/* trace.c: see trace.h.
 *
 * VCD: for each slot of each core the program counter, active mask, stack depth, the warp's number, whether
 * the slot is busy and whether it issues in this cycle. JSON: a core is a process, a warp a thread, a run of
 * straight-line code a slice. Text: a line for each instruction, in the order in which they are issued, with
 * what it left in registers and predicates.
 */
#include "runtime/warpcore/trace.h"

#include <stdlib.h>

struct rt_trace *rt_trace_new(struct rt_sim *s)
{
    if (!s->given.trace)
        return NULL;
    struct rt_trace *t = arena_new(&s->arena, struct rt_trace);
    t->image = s->image;
    t->arena = &s->arena;
    rt_trace_open(&t->file, &s->given, &s->arena);
    if (s->given.trace == KERNC_TRACE_TEXT)
        text_addz(&t->file.out, "# cycle core slot block warp pc word active depth, what is written\n");
    return t;
}

/* ---- events ------------------------------------------------------------------------------------------ */

struct rt_trace_event rt_trace_before(const struct rt_sim_warp *w, const struct rt_sim_ins *at, uint64_t time)
{
    return (struct rt_trace_event){.time = time,
                                   .block = (uint32_t)w->block->number,
                                   .word = at->word,
                                   .warp = (uint16_t)w->index,
                                   .active = w->flow.active,
                                   .depth = w->flow.depth,
                                   .first = at == w->begin};
}

static void add_event(struct rt_trace *t, struct rt_trace_event e)
{
    if (e.time >= t->file.from && e.time < t->file.to)
        vec_push(t->arena, &t->events, e);
}

/* r3=00000001,-,…: of the lanes that were active, lane 0 first; p1=05. */
static void add_written(struct text *out, const struct rt_sim_warp *w, const struct rt_sim_ins *at,
                        uint8_t active)
{
    char letter = wc_op_info[at->op].operands[0];
    if (letter == 'P' && at->d < WC_PREDICATES)
        text_printf(out, " p%u=%02x", at->d, w->p[at->d] & active);
    if (letter != 'D' || at->d == WC_REGISTERS)
        return;
    for (unsigned i = 0; i < WC_LANES; i++) {
        text_printf(out, i ? "," : " r%u=", at->d);
        if (active >> i & 1)
            text_printf(out, "%08x", w->r[at->d][i]);
        else
            text_char(out, '-');
    }
}

static void add_line(struct rt_trace *t, const struct rt_sim_warp *w, const struct rt_sim_ins *at,
                     const struct rt_trace_event *e)
{
    text_printf(&t->file.out, "%llu %u %u %u %u %u %08x %02x %u", (unsigned long long)e->time, e->core,
                e->slot, e->block, e->warp, e->word,
                e->word < t->image->code.count ? t->image->code.at[e->word] : 0, e->active, e->depth);
    if (w->stop == RT_TRAPPED)
        text_addz(&t->file.out, " fault");
    else
        add_written(&t->file.out, w, at, e->active);
    text_char(&t->file.out, '\n');
}

void rt_trace_issued(struct rt_trace *t, const struct rt_sim_warp *w, const struct rt_sim_ins *at,
                     struct rt_trace_event e)
{
    if (t->file.given->trace != KERNC_TRACE_TEXT)
        add_event(t, e);
    else if (e.time >= t->file.from && e.time < t->file.to)
        add_line(t, w, at, &e);
}

void rt_trace_idle(struct rt_trace *t, struct rt_trace_event e, uint64_t time)
{
    e.time = time;
    e.cycles = 0;
    if (t->file.given->trace != KERNC_TRACE_TEXT)
        add_event(t, e);
}

/* ---- VCD --------------------------------------------------------------------------------------------- */

/* The signals of a slot, and where an event has their values. */
static const struct rt_signal signals[] = {{"busy", 1},  {"issue", 1}, {"pc", 12},   {"active", WC_LANES},
                                           {"depth", 5}, {"warp", 9},  {"block", 32}};
enum { BUSY, ISSUE, PC, ACTIVE, DEPTH, WARP, BLOCK, SIGNALS };

static uint32_t value_of(const struct rt_trace_event *e, unsigned signal)
{
    switch (signal) {
    case BUSY:
    case ISSUE: return e->cycles != 0;
    case PC: return e->word;
    case ACTIVE: return e->active;
    case DEPTH: return e->depth;
    case WARP: return e->warp;
    default: return e->block;
    }
}

static void declare(struct rt_vcd *v, uint32_t cores)
{
    for (uint32_t core = 0; core < cores; core++) {
        text_printf(v->out, "$scope module core%u $end\n", core);
        for (uint32_t slot = 0; slot < WC_SLOTS; slot++) {
            text_printf(v->out, "$scope module slot%u $end\n", slot);
            rt_vcd_declare(v);
        }
        text_addz(v->out, "$upscope $end\n");
    }
}

static int by_time(const void *a, const void *b)
{
    const struct rt_trace_event *x = *(const struct rt_trace_event *const *)a,
                                *y = *(const struct rt_trace_event *const *)b;
    if (x->time != y->time)
        return (x->time > y->time) - (x->time < y->time);
    return (x > y) - (x < y); /* in the order they were added */
}

/* `issued`: by slot when it issued last. */
struct waveform {
    struct rt_vcd vcd;
    uint64_t *issued;
};

static uint32_t slot_of(const struct rt_trace_event *e)
{
    return e->core * WC_SLOTS + e->slot;
}

/* The slot does not issue again in the cycle after this event's. */
static void end_issue(struct waveform *v, const struct rt_trace_event *e)
{
    if (e->cycles && v->issued[slot_of(e)] == e->time)
        rt_vcd_change(&v->vcd, slot_of(e), ISSUE, e->time + 1, 0);
}

static void add_changes(struct waveform *v, const struct rt_trace_event *e)
{
    if (e->cycles == 0) {
        rt_vcd_change(&v->vcd, slot_of(e), BUSY, e->time, 0);
        return;
    }
    v->issued[slot_of(e)] = e->time;
    for (unsigned signal = 0; signal < SIGNALS; signal++)
        rt_vcd_change(&v->vcd, slot_of(e), signal, e->time, value_of(e, signal));
}

static const struct rt_trace_event **sorted(struct rt_trace *t)
{
    uint32_t n = t->events.count;
    const struct rt_trace_event **order = arena_array(t->arena, const struct rt_trace_event *, n + 1);
    for (uint32_t i = 0; i < n; i++)
        order[i] = &t->events.at[i];
    qsort(order, n, sizeof *order, by_time);
    return order;
}

static void write_vcd(struct rt_trace *t, uint32_t cores)
{
    uint32_t n = t->events.count, ended = 0;
    const struct rt_trace_event **order = sorted(t);
    struct waveform v = {.issued = arena_array(t->arena, uint64_t, cores * WC_SLOTS)};
    rt_vcd_begin(&v.vcd, &t->file.out, "warp-core simulator", signals, SIGNALS, t->file.from);
    declare(&v.vcd, cores);
    rt_vcd_start(&v.vcd, t->arena);
    for (uint32_t i = 0; i < n; i++) {
        for (; order[ended]->time + 1 < order[i]->time; ended++)
            end_issue(&v, order[ended]);
        add_changes(&v, order[i]);
    }
    for (; ended < n; ended++)
        end_issue(&v, order[ended]);
    rt_vcd_move(&v.vcd, n ? order[n - 1]->time + 1 : t->file.from + 1);
}

/* ---- JSON -------------------------------------------------------------------------------------------- */

struct slice {
    struct rt_trace_event first;
    uint64_t end;
    uint32_t last;
    bool open;
};

static void add_slice(struct text *out, const struct wc_image *m, const struct slice *s)
{
    const struct rt_trace_event *e = &s->first;
    place at = e->word < m->places.count ? m->places.at[e->word] : (place){0};
    rt_events_slice(out, e->core, e->warp, e->time, s->end - e->time, at.line, "word", e->word);
    text_printf(out, "\"words\": \"%u..%u\"", e->word, s->last);
    rt_events_active(out, e->active, WC_LANES);
    text_printf(out, ", \"depth\": %u, \"block\": %u, \"slot\": %u}}", e->depth, e->block, e->slot);
}

static void close_slice(struct text *out, const struct wc_image *m, struct slice *s)
{
    if (s->open)
        add_slice(out, m, s);
    s->open = false;
}

/* Warps are named when they are first seen. */
static void add_names(struct rt_trace *t, uint32_t cores, struct text *out)
{
    struct bitset seen = bitset_new(t->arena, cores * KERNC_MAX_BLOCK_THREADS);
    for (uint32_t core = 0; core < cores; core++)
        rt_events_name(out, "process_name", core, 0, "core", core);
    for (uint32_t i = 0; i < t->events.count; i++) {
        const struct rt_trace_event *e = &t->events.at[i];
        uint32_t number = e->core * KERNC_MAX_BLOCK_THREADS + e->warp;
        if (bitset_has(seen, number))
            continue;
        bitset_add(seen, number);
        rt_events_name(out, "thread_name", e->core, e->warp, "warp", e->warp);
    }
}

static void write_json(struct rt_trace *t, uint32_t cores)
{
    struct text *out = &t->file.out;
    struct slice *slices = arena_array(t->arena, struct slice, cores * WC_SLOTS);
    rt_events_begin(out);
    add_names(t, cores, out);
    for (uint32_t i = 0; i < t->events.count; i++) {
        const struct rt_trace_event *e = &t->events.at[i];
        struct slice *s = &slices[slot_of(e)];
        if (e->first || e->cycles == 0)
            close_slice(out, t->image, s);
        if (e->cycles == 0)
            continue;
        if (!s->open)
            *s = (struct slice){.first = *e, .open = true};
        s->end = e->time + e->cycles;
        s->last = e->word;
    }
    for (uint32_t i = 0; i < cores * WC_SLOTS; i++)
        close_slice(out, t->image, &slices[i]);
    rt_events_end(out);
}

void rt_trace_write(struct rt_trace *t)
{
    if (t->file.given->trace == KERNC_TRACE_VCD)
        write_vcd(t, t->file.given->cores);
    else if (t->file.given->trace == KERNC_TRACE_JSON)
        write_json(t, t->file.given->cores);
    rt_trace_close(&t->file);
}
