/* trace.h: what each slot of each core did in a window of cycles, as a waveform or a timeline. */
#ifndef KERNC_RT_TRACE_H
#define KERNC_RT_TRACE_H

#include "backend/warpcore/image.h"
#include "include/kernc-rt.h"

enum { RT_TRACE_WINDOW = 1000000 };      /* cycles, if no end is given */

/* An instruction is issued, or (cycles 0) the slot has nothing more to issue. */
struct rt_trace_event {
    uint64_t time;
    uint32_t block;
    uint16_t cycles, word, warp;
    uint8_t  core, slot, active, depth;
    bool     first;                      /* of a run */
};

struct rt_trace {
    const struct wc_image *image;
    uint64_t from, to;
    VEC(struct rt_trace_event) events;   /* of one core in the order of time, but cores one block after the
                                            other */
    struct arena arena;
};

/* NULL: the launch is not traced. */
struct rt_trace *rt_trace_new(const struct wc_image *image, const kernc_launch *o);
void rt_trace_free(struct rt_trace *t);
static inline void rt_trace_add(struct rt_trace *t, struct rt_trace_event e)
{
    if (e.time >= t->from && e.time < t->to)
        vec_push(&t->arena, &t->events, e);
}
/* Hands the text to the launch's trace_output. */
void rt_trace_write(struct rt_trace *t, const kernc_launch *o);

#endif
