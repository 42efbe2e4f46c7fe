/* trace.c: see trace.h.
 *
 * VCD (IEEE 1364-2005, clause 18): for each slot of each core the program counter, active mask, stack depth,
 * the warp's number, whether the slot is busy and whether it issues in this cycle; a cycle is one time unit
 * of 1 ns. JSON: the trace event format that Perfetto and chrome://tracing read; a core is a process, a warp
 * a thread, a run of straight-line code a slice; a cycle is 1 us there. Text: a line for each instruction,
 * in the order in which they are issued, with what it left in registers and predicates.
 */
#include "runtime/warpcore/trace.h"
#include "runtime/launch/vcd.h"

#include <stdlib.h>

struct rt_trace *rt_trace_new(const struct wc_image *image, const kernc_launch *o)
{
    if (!o->trace)
        return NULL;
    struct rt_trace *t = mem_alloc(sizeof *t);
    *t = (struct rt_trace){.image = image, .form = o->trace, .from = o->trace_from};
    arena_init(&t->arena);
    t->to = o->trace_to ? o->trace_to : o->trace_from + RT_TRACE_WINDOW;
    if (t->form == KERNC_TRACE_TEXT)
        text_addz(&t->lines, "# cycle core slot block warp pc word active depth, what is written\n");
    return t;
}

void rt_trace_free(struct rt_trace *t)
{
    if (!t)
        return;
    text_free(&t->lines);
    arena_free(&t->arena);
    mem_free(t);
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
    if (e.time >= t->from && e.time < t->to)
        vec_push(&t->arena, &t->events, e);
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
    text_printf(&t->lines, "%llu %u %u %u %u %u %08x %02x %u", (unsigned long long)e->time, e->core, e->slot,
                e->block, e->warp, e->word, e->word < t->image->code.count ? t->image->code.at[e->word] : 0,
                e->active, e->depth);
    if (w->stop == RT_TRAPPED)
        text_addz(&t->lines, " fault");
    else
        add_written(&t->lines, w, at, e->active);
    text_char(&t->lines, '\n');
}

void rt_trace_issued(struct rt_trace *t, const struct rt_sim_warp *w, const struct rt_sim_ins *at,
                     struct rt_trace_event e)
{
    if (t->form != KERNC_TRACE_TEXT)
        add_event(t, e);
    else if (e.time >= t->from && e.time < t->to)
        add_line(t, w, at, &e);
}

void rt_trace_idle(struct rt_trace *t, struct rt_trace_event e, uint64_t time)
{
    e.time = time;
    e.cycles = 0;
    if (t->form != KERNC_TRACE_TEXT)
        add_event(t, e);
}

/* ---- VCD --------------------------------------------------------------------------------------------- */

/* The signals of a slot, and where an event has their values. */
static const struct signal {
    const char *name;
    unsigned bits;
} signals[] = {{"busy", 1},  {"issue", 1}, {"pc", 12},   {"active", WC_LANES},
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

static uint32_t signal_number(uint32_t core, uint32_t slot, uint32_t signal)
{
    return (core * WC_SLOTS + slot) * SIGNALS + signal;
}

static void declare(struct text *out, uint32_t cores)
{
    text_addz(out, "$version kernc warp-core simulator $end\n$timescale 1 ns $end\n");
    for (uint32_t core = 0; core < cores; core++) {
        text_printf(out, "$scope module core%u $end\n", core);
        for (uint32_t slot = 0; slot < WC_SLOTS; slot++) {
            text_printf(out, "$scope module slot%u $end\n", slot);
            for (unsigned i = 0; i < SIGNALS; i++) {
                text_printf(out, "$var wire %u ", signals[i].bits);
                rt_vcd_identifier(out, signal_number(core, slot, i));
                text_printf(out, " %s $end\n", signals[i].name);
            }
            text_addz(out, "$upscope $end\n");
        }
        text_addz(out, "$upscope $end\n");
    }
    text_addz(out, "$enddefinitions $end\n");
}

static int by_time(const void *a, const void *b)
{
    const struct rt_trace_event *x = *(const struct rt_trace_event *const *)a,
                                *y = *(const struct rt_trace_event *const *)b;
    if (x->time != y->time)
        return (x->time > y->time) - (x->time < y->time);
    return (x > y) - (x < y); /* in the order they were added */
}

/* By signal number its value; by slot when it issued last. */
struct waveform {
    struct text *out;
    uint64_t time, *issued;
    uint32_t *latest;
};

static void move_to(struct waveform *v, uint64_t time)
{
    if (time != v->time)
        text_printf(v->out, "#%llu\n", (unsigned long long)time);
    v->time = time;
}

/* Only values that change are written. */
static void change(struct waveform *v, const struct rt_trace_event *e, unsigned signal, uint64_t time,
                   uint32_t value)
{
    uint32_t number = signal_number(e->core, e->slot, signal);
    if (v->latest[number] == value)
        return;
    move_to(v, time);
    v->latest[number] = value;
    rt_vcd_value(v->out, number, value, signals[signal].bits);
}

/* The slot does not issue again in the cycle after this event's. */
static void end_issue(struct waveform *v, const struct rt_trace_event *e)
{
    if (e->cycles && v->issued[e->core * WC_SLOTS + e->slot] == e->time)
        change(v, e, ISSUE, e->time + 1, 0);
}

static void add_changes(struct waveform *v, const struct rt_trace_event *e)
{
    if (e->cycles == 0) {
        change(v, e, BUSY, e->time, 0);
        return;
    }
    v->issued[e->core * WC_SLOTS + e->slot] = e->time;
    for (unsigned signal = 0; signal < SIGNALS; signal++)
        change(v, e, signal, e->time, value_of(e, signal));
}

static const struct rt_trace_event **sorted(struct rt_trace *t)
{
    uint32_t n = t->events.count;
    const struct rt_trace_event **order = arena_array(&t->arena, const struct rt_trace_event *, n + 1);
    for (uint32_t i = 0; i < n; i++)
        order[i] = &t->events.at[i];
    qsort(order, n, sizeof *order, by_time);
    return order;
}

static void write_vcd(struct rt_trace *t, uint32_t cores, struct text *out)
{
    uint32_t n = t->events.count, ended = 0, slots = cores * WC_SLOTS;
    const struct rt_trace_event **order = sorted(t);
    struct waveform v = {out, t->from, arena_array(&t->arena, uint64_t, slots),
                         arena_array(&t->arena, uint32_t, slots * SIGNALS)};
    declare(out, cores);
    text_printf(out, "#%llu\n$dumpvars\n", (unsigned long long)t->from);
    for (uint32_t i = 0; i < slots * SIGNALS; i++)
        rt_vcd_value(out, i, 0, signals[i % SIGNALS].bits);
    text_addz(out, "$end\n");
    for (uint32_t i = 0; i < n; i++) {
        for (; order[ended]->time + 1 < order[i]->time; ended++)
            end_issue(&v, order[ended]);
        add_changes(&v, order[i]);
    }
    for (; ended < n; ended++)
        end_issue(&v, order[ended]);
    move_to(&v, n ? order[n - 1]->time + 1 : t->from + 1);
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
    char active[WC_LANES + 1] = {0};
    for (unsigned lane = 0; lane < WC_LANES; lane++)
        active[WC_LANES - 1 - lane] = e->active >> lane & 1 ? '1' : '.';
    text_printf(out, ",\n{\"ph\": \"X\", \"pid\": %u, \"tid\": %u, \"ts\": %llu, \"dur\": %llu, \"name\": \"",
                e->core, e->warp, (unsigned long long)e->time, (unsigned long long)(s->end - e->time));
    if (at.line)
        text_printf(out, "line %u", at.line);
    else
        text_printf(out, "word %u", e->word);
    text_printf(out,
                "\", \"args\": {\"words\": \"%u..%u\", \"active\": \"%s\", \"depth\": %u, \"block\": %u, "
                "\"slot\": %u}}",
                e->word, s->last, active, e->depth, e->block, e->slot);
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
    struct bitset seen = bitset_new(&t->arena, cores * KERNC_MAX_BLOCK_THREADS);
    text_addz(out, "{\"displayTimeUnit\": \"ms\", \"traceEvents\": [\n");
    for (uint32_t core = 0; core < cores; core++)
        text_printf(
            out,
            "%s{\"ph\": \"M\", \"pid\": %u, \"name\": \"process_name\", \"args\": {\"name\": \"core %u\"}}",
            core ? ",\n" : "", core, core);
    for (uint32_t i = 0; i < t->events.count; i++) {
        const struct rt_trace_event *e = &t->events.at[i];
        uint32_t number = e->core * KERNC_MAX_BLOCK_THREADS + e->warp;
        if (bitset_has(seen, number))
            continue;
        bitset_add(seen, number);
        text_printf(out,
                    ",\n{\"ph\": \"M\", \"pid\": %u, \"tid\": %u, \"name\": \"thread_name\", \"args\": "
                    "{\"name\": \"warp %u\"}}",
                    e->core, e->warp, e->warp);
    }
}

static void write_json(struct rt_trace *t, uint32_t cores, struct text *out)
{
    struct slice *slices = arena_array(&t->arena, struct slice, cores * WC_SLOTS);
    add_names(t, cores, out);
    for (uint32_t i = 0; i < t->events.count; i++) {
        const struct rt_trace_event *e = &t->events.at[i];
        struct slice *s = &slices[e->core * WC_SLOTS + e->slot];
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
    text_addz(out, "\n]}\n");
}

void rt_trace_write(struct rt_trace *t, const kernc_launch *o)
{
    if (t->form == KERNC_TRACE_VCD)
        write_vcd(t, o->cores, &t->lines);
    else if (t->form == KERNC_TRACE_JSON)
        write_json(t, o->cores, &t->lines);
    struct mem_outside outside = mem_go_outside();
    o->trace_output(o->trace_user, t->lines.at, t->lines.length);
    mem_come_back(outside);
}
