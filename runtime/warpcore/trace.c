/* trace.c: see trace.h.
 *
 * VCD (IEEE 1364-2005, clause 18): for each slot of each core the program counter, active mask, stack depth,
 * the warp's number and whether the slot issues at all; a cycle is one time unit of 1 ns. JSON: the trace
 * event format that Perfetto and chrome://tracing read; a core is a process, a warp a thread, a run of
 * straight-line code a slice; a cycle is 1 us there.
 */
#include "runtime/warpcore/trace.h"

#include <stdlib.h>

struct rt_trace *rt_trace_new(const struct wc_image *image, const kernc_launch *o)
{
    if (!o->trace)
        return NULL;
    struct rt_trace *t = mem_alloc(sizeof *t);
    arena_init(&t->arena);
    t->image = image;
    t->from = o->trace_from;
    t->to = o->trace_to ? o->trace_to : o->trace_from + RT_TRACE_WINDOW;
    return t;
}

void rt_trace_free(struct rt_trace *t)
{
    if (!t)
        return;
    arena_free(&t->arena);
    mem_free(t);
}

/* ---- VCD ----------------------------------------------------------------------------------------------- */

/* The signals of a slot, and where an event has their values. */
static const struct signal { const char *name; unsigned bits; } signals[] = {
    {"busy", 1}, {"pc", 12}, {"active", WC_LANES}, {"depth", 5}, {"warp", 9}, {"block", 32}};
enum { BUSY, PC, ACTIVE, DEPTH, WARP, BLOCK, SIGNALS };

static uint32_t value_of(const struct rt_trace_event *e, unsigned signal)
{
    switch (signal) {
    case BUSY:   return e->cycles != 0;
    case PC:     return e->word;
    case ACTIVE: return e->active;
    case DEPTH:  return e->depth;
    case WARP:   return e->warp;
    default:     return e->block;
    }
}

/* Short names of printable characters, the same number always the same. */
static void add_identifier(struct text *out, uint32_t number)
{
    do {
        text_char(out, (char)('!' + number % 94));
        number /= 94;
    } while (number);
}

static uint32_t signal_number(uint32_t core, uint32_t slot, uint32_t signal)
{
    return (core * WC_SLOTS + slot) * SIGNALS + signal;
}

static void add_value(struct text *out, uint32_t number, uint32_t value, unsigned bits)
{
    if (bits > 1)
        text_char(out, 'b');
    for (unsigned i = bits; i-- > 0;)
        text_char(out, value >> i & 1 ? '1' : '0');
    if (bits > 1)
        text_char(out, ' ');
    add_identifier(out, number);
    text_char(out, '\n');
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
                add_identifier(out, signal_number(core, slot, i));
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

/* Only values that change are written; *latest has those before, by signal number. */
static void write_vcd(struct rt_trace *t, uint32_t cores, struct text *out)
{
    uint32_t n = t->events.count;
    const struct rt_trace_event **order = arena_array(&t->arena, const struct rt_trace_event *, n + 1);
    uint64_t *latest = arena_array(&t->arena, uint64_t, cores * WC_SLOTS * SIGNALS), time = t->from;
    declare(out, cores);
    text_printf(out, "#%llu\n$dumpvars\n", (unsigned long long)t->from);
    for (uint32_t i = 0; i < cores * WC_SLOTS * SIGNALS; i++)
        add_value(out, i, 0, signals[i % SIGNALS].bits);
    text_addz(out, "$end\n");
    for (uint32_t i = 0; i < n; i++)
        order[i] = &t->events.at[i];
    qsort(order, n, sizeof *order, by_time);
    for (uint32_t i = 0; i < n; i++)
        for (unsigned signal = 0; signal < SIGNALS; signal++) {
            uint32_t number = signal_number(order[i]->core, order[i]->slot, signal),
                     value = value_of(order[i], signal);
            if (latest[number] == value || (signal != BUSY && order[i]->cycles == 0))
                continue;
            if (order[i]->time != time)
                text_printf(out, "#%llu\n", (unsigned long long)order[i]->time);
            time = order[i]->time;
            latest[number] = value;
            add_value(out, number, value, signals[signal].bits);
        }
    text_printf(out, "#%llu\n", (unsigned long long)(n ? order[n - 1]->time + 1 : t->from + 1));
}

/* ---- JSON ---------------------------------------------------------------------------------------------- */

struct slice { struct rt_trace_event first; uint64_t end; uint32_t last; bool open; };

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
    struct text out = {0};
    struct mem_guard guard;
    if (mem_guard_enter(&guard)) {
        text_free(&out);
        mem_fail(0);
    }
    if (o->trace == KERNC_TRACE_VCD)
        write_vcd(t, o->cores, &out);
    else
        write_json(t, o->cores, &out);
    mem_guard_leave(&guard);
    o->trace_output(o->trace_user, out.at, out.length);
    text_free(&out);
}
