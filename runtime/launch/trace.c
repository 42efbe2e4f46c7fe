/* trace.c: see trace.h. */
#include "runtime/launch/trace.h"

void rt_trace_open(struct rt_trace_file *f, const kernc_launch *given, struct arena *a)
{
    *f = (struct rt_trace_file){.given = given, .from = given->trace_from, .to = given->trace_to};
    f->to = f->to ? f->to : f->from + RT_TRACE_WINDOW;
    f->out.arena = a;
}

void rt_trace_close(struct rt_trace_file *f)
{
    struct mem_outside outside = mem_go_outside();
    f->given->trace_output(f->given->trace_user, f->out.at, f->out.length);
    mem_come_back(outside);
}

/* ---- waveforms --------------------------------------------------------------------------------------- */

/* A short name of printable characters for the signal, always the same for a number. */
static void identifier(struct text *out, uint32_t number)
{
    do {
        text_char(out, (char)('!' + number % 94));
        number /= 94;
    } while (number);
}

static void value(struct rt_vcd *v, uint32_t number, uint64_t bits)
{
    unsigned width = v->signals[number % v->count].bits;
    if (width > 1)
        text_char(v->out, 'b');
    for (unsigned i = width; i-- > 0;)
        text_char(v->out, bits >> i & 1 ? '1' : '0');
    if (width > 1)
        text_char(v->out, ' ');
    identifier(v->out, number);
    text_char(v->out, '\n');
}

void rt_vcd_begin(struct rt_vcd *v, struct text *out, const char *machine, const struct rt_signal *signals,
                  uint32_t count, uint64_t time)
{
    *v = (struct rt_vcd){.out = out, .signals = signals, .count = count, .time = time};
    text_printf(out, "$version kernc %s $end\n$timescale 1 ns $end\n", machine);
}

void rt_vcd_declare(struct rt_vcd *v)
{
    for (uint32_t i = 0; i < v->count; i++) {
        text_printf(v->out, "$var wire %u ", v->signals[i].bits);
        identifier(v->out, v->scopes * v->count + i);
        text_printf(v->out, " %s $end\n", v->signals[i].name);
    }
    text_addz(v->out, "$upscope $end\n");
    v->scopes++;
}

void rt_vcd_start(struct rt_vcd *v, struct arena *a)
{
    v->latest = arena_array(a, uint64_t, (size_t)v->scopes * v->count);
    text_printf(v->out, "$enddefinitions $end\n#%llu\n$dumpvars\n", (unsigned long long)v->time);
    for (uint32_t i = 0; i < v->scopes * v->count; i++)
        value(v, i, 0);
    text_addz(v->out, "$end\n");
}

void rt_vcd_move(struct rt_vcd *v, uint64_t time)
{
    if (time != v->time)
        text_printf(v->out, "#%llu\n", (unsigned long long)time);
    v->time = time;
}

void rt_vcd_change(struct rt_vcd *v, uint32_t scope, uint32_t signal, uint64_t time, uint64_t bits)
{
    uint32_t number = scope * v->count + signal;
    if (v->latest[number] == bits)
        return;
    rt_vcd_move(v, time);
    v->latest[number] = bits;
    value(v, number, bits);
}

/* ---- timelines --------------------------------------------------------------------------------------- */

void rt_events_begin(struct text *out)
{
    text_addz(out, "{\"displayTimeUnit\": \"ms\", \"traceEvents\": [");
}

static void begin_event(struct text *out, char phase, uint64_t process, uint32_t thread)
{
    text_addz(out, out->at[out->length - 1] == '[' ? "\n" : ",\n");
    text_printf(out, "{\"ph\": \"%c\", \"pid\": %llu, \"tid\": %u, ", phase, (unsigned long long)process,
                thread);
}

void rt_events_name(struct text *out, const char *what, uint64_t process, uint32_t thread, const char *name,
                    uint64_t number)
{
    begin_event(out, 'M', process, thread);
    text_printf(out, "\"name\": \"%s\", \"args\": {\"name\": \"%s %llu\"}}", what, name,
                (unsigned long long)number);
}

void rt_events_slice(struct text *out, uint64_t process, uint32_t thread, uint64_t time, uint64_t cycles,
                     uint32_t line, const char *code, uint32_t number)
{
    begin_event(out, 'X', process, thread);
    text_printf(out, "\"ts\": %llu, \"dur\": %llu, \"name\": \"%s %u\", \"args\": {",
                (unsigned long long)time, (unsigned long long)cycles, line ? "line" : code,
                line ? line : number);
}

void rt_events_active(struct text *out, uint64_t active, uint32_t lanes)
{
    text_addz(out, ", \"active\": \"");
    while (lanes-- > 0)
        text_char(out, active >> lanes & 1 ? '1' : '.');
    text_char(out, '"');
}

void rt_events_end(struct text *out)
{
    text_addz(out, "\n]}\n");
}
