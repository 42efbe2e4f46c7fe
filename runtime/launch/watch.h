/* watch.h: launches that are watched: each step of a warp is reported to whoever launched, the trace has those
 * of all, and threads leave their paths (block_warp.h).
 *
 * A step begins where lanes enter a block of code, which is when it is counted, and where others go on in the
 * middle of one, behind an operation for which they waited. The core runs such a launch one instruction at a
 * time, by tables that hand each instruction back; other launches know nothing of it. One host thread runs all
 * blocks, so that the steps are the same in every run.
 */
#ifndef KERNC_RT_WATCH_H
#define KERNC_RT_WATCH_H

#include "runtime/launch/grid.h"

/* What a scheme tells of the lanes that wait: kernc_step.groups, whose `code` is still a code index. */
struct rt_groups {
    struct arena *arena;
    VEC(kernc_group) list;
};
/* The lanes wait for `wait` (kernc_wait); they go on at `pc`. */
static inline void rt_add_group(struct rt_groups *g, int wait, uint64_t lanes, uint32_t pc)
{
    vec_push(g->arena, &g->list, ((kernc_group){.lanes = lanes, .wait = wait, .code = pc}));
}
/* The same of lanes that go on at pc[lane], those at one place as one group; the lowest place last. */
void rt_add_lanes(struct rt_groups *g, int wait, uint64_t lanes, const uint32_t *pc);

/* The steps of the warps that a launch watches (kernc_launch.step), on either machine. */
struct rt_steps {
    const kernc_launch *given;
    uint64_t block;  /* whose steps are wanted */
    uint64_t *count; /* of steps so far, of each of the warps */
    uint32_t warps;
    struct rt_groups groups;
    u32_vec lines;
};
/* All in the arena. */
void rt_steps_new(struct rt_steps *x, const kernc_launch *given, struct arena *a);
static inline bool rt_steps_wanted(const struct rt_steps *x, uint64_t block, uint32_t warp)
{
    return x->given->step && block == x->block && warp - x->given->step_warp < x->warps;
}
/* Tells the launch's caller of the step of a warp that is wanted, with its number and x's groups and lines. */
void rt_steps_tell(struct rt_steps *x, kernc_step step);

/* The source lines that a row of the block table stands for, as far as they are known, ascending. */
void rt_list_lines(struct arena *a, u32_vec *lines, const struct bc_program *p, uint32_t row);

/* Makes l->watch if the launch is to be watched, and l->core and l->scheme those of a watched launch. In the
 * launch's arena. To be called once they are chosen. */
void rt_watch_new(struct rt_launch *l);
/* Makes the launch's tables such that each instruction comes back. */
void rt_watch_tables(struct rt_launch *l);
/* Hands the trace on, if there is one. */
void rt_watch_end(struct rt_launch *l);
/* The block of this row is run by no lane at all. */
void rt_watch_empty(struct rt_warp *w, uint32_t row);

#endif
