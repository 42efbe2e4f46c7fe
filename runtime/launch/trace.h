/* trace.h: what the traces of both machines have in common: the window, waveforms (VCD, IEEE 1364-2005, clause
 * 18; a cycle is 1 ns), timelines (the trace event format that chrome://tracing and Perfetto read; a cycle is
 * 1 us).
 */
#ifndef KERNC_RT_TRACE_FILE_H
#define KERNC_RT_TRACE_FILE_H

#include "runtime/context.h"

enum { RT_TRACE_WINDOW = 1000000 }; /* cycles, if no end is given */

struct rt_trace_file {
    const kernc_launch *given;
    uint64_t from, to; /* the window */
    struct text out;
};
/* The text in the arena. */
void rt_trace_open(struct rt_trace_file *f, const kernc_launch *given, struct arena *a);
/* Hands the text to the launch's trace_output. */
void rt_trace_close(struct rt_trace_file *f);

/* ---- waveforms --------------------------------------------------------------------------------------- */

/* Signals that each scope has. */
struct rt_signal {
    const char *name;
    unsigned bits;
};
struct rt_vcd {
    struct text *out;
    const struct rt_signal *signals;
    uint32_t count, scopes;
    uint64_t time, *latest; /* latest: by signal of each scope, its value */
};
/* Of what `machine` does, from `time` on. Scopes are declared next, in their order; then rt_vcd_start has all
 * values begin at 0. */
void rt_vcd_begin(struct rt_vcd *v, struct text *out, const char *machine, const struct rt_signal *signals,
                  uint32_t count, uint64_t time);
/* The signals of the next scope, whose name is written already. */
void rt_vcd_declare(struct rt_vcd *v);
void rt_vcd_start(struct rt_vcd *v, struct arena *a);
/* From `time` on, which is not before the latest, the signal has the value; nothing, if it had it before. */
void rt_vcd_change(struct rt_vcd *v, uint32_t scope, uint32_t signal, uint64_t time, uint64_t value);
/* What comes next is at this time. */
void rt_vcd_move(struct rt_vcd *v, uint64_t time);

/* ---- timelines --------------------------------------------------------------------------------------- */

void rt_events_begin(struct text *out);
/* `what`: process_name or thread_name, "name number". */
void rt_events_name(struct text *out, const char *what, uint64_t process, uint32_t thread, const char *name,
                    uint64_t number);
/* A slice called "line N", or without a line by `code` and its number, up to its arguments: the caller adds
 * these, and "}}". */
void rt_events_slice(struct text *out, uint64_t process, uint32_t thread, uint64_t time, uint64_t cycles,
                     uint32_t line, const char *code, uint32_t number);
/* The argument "active" behind another one: the highest lane first, 1 or a point. */
void rt_events_active(struct text *out, uint64_t active, uint32_t lanes);
void rt_events_end(struct text *out);

#endif
