/* watch.h: launches of the warp-core machine of which one warp is watched: each run of straight-line code is a
 * step, reported to whoever launched as it begins (kernc_launch.step). */
#ifndef KERNC_RT_SIM_WATCH_H
#define KERNC_RT_SIM_WATCH_H

#include "runtime/launch/watch.h"
#include "runtime/warpcore/simulator.h"

/* Makes s->watch if the launch is to be watched, in its arena, and has decoded words tell of themselves. They
 * have to be of a core that steps. */
void rt_sim_watch_new(struct rt_sim *s);

#endif
