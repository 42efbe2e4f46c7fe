/* timeline.h: the trace of a launch of bytecode: which warp ran what, and when.
 *
 * The interpreter runs one warp after the other, in turns, so time is the launch's modelled cycles so far; in
 * the end it is the metric `cycles`.
 */
#ifndef KERNC_RT_TIMELINE_H
#define KERNC_RT_TIMELINE_H

#include "runtime/launch/grid.h"

/* The warp begins a step, or (row RT_NO_ROW) its turn is over. */
#define RT_NO_ROW UINT32_MAX
struct rt_moment {
    uint64_t time, block, active;
    uint32_t warp, row; /* row: of the block table */
    uint32_t groups;    /* that wait */
};

/* Of a launch that is traced, in its arena. */
struct rt_timeline *rt_timeline_new(struct rt_launch *l);
/* Moments come in the order of time; outside of the window none is kept. */
void rt_timeline_add(struct rt_timeline *t, struct rt_moment m);
/* Hands the text to the launch's trace_output. */
void rt_timeline_write(struct rt_timeline *t);

#endif
