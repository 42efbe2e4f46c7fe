/* trace.h: what each slot of each core did in a window of cycles: a waveform, a timeline, or a line for each
 * instruction. */
#ifndef KERNC_RT_TRACE_H
#define KERNC_RT_TRACE_H

#include "runtime/launch/trace.h"
#include "runtime/warpcore/simulator.h"

/* An instruction is issued, or (cycles 0) the slot has nothing to issue until its next event. */
struct rt_trace_event {
    uint64_t time;
    uint32_t block, cycles;
    uint16_t word, warp;
    uint8_t core, slot, active, depth;
    bool first; /* of a run */
};

struct rt_trace {
    const struct wc_image *image;
    struct arena *arena;
    struct rt_trace_file file;
    VEC(struct rt_trace_event) events; /* of one core in the order of time, but for slots that go idle */
};

/* In the launch's arena; NULL: it is not traced. */
struct rt_trace *rt_trace_new(struct rt_sim *s);
/* Before the instruction is executed; what rt_trace_issued is then given, with the cycles it took. */
struct rt_trace_event rt_trace_before(const struct rt_sim_warp *w, const struct rt_sim_ins *at,
                                      uint64_t time);
/* Outside of the window nothing is kept. */
void rt_trace_issued(struct rt_trace *t, const struct rt_sim_warp *w, const struct rt_sim_ins *at,
                     struct rt_trace_event e);
/* From `time` on the slot of e has nothing to issue. */
void rt_trace_idle(struct rt_trace *t, struct rt_trace_event e, uint64_t time);
/* Hands the text to the launch's trace_output. */
void rt_trace_write(struct rt_trace *t);

#endif
