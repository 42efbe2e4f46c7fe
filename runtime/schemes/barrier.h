/* barrier.h: what a warp holds under convergence barriers. Private to the scheme; see barrier.c. */
#ifndef KERNC_RT_BARRIER_H
#define KERNC_RT_BARRIER_H

#include "runtime/core/lanes.h"
#include "runtime/launch/grid.h"
#include "runtime/schemes/scheme.h"

#define BARRIER_SLICE ((uint64_t)1 << 32) /* of an age */
/* Time slices after which lanes run that have been ready for so long, or wait for some that spin for so long:
 * the first time, and again. */
enum { BARRIER_PATIENCE = 64, BARRIER_PATIENCE_AGAIN = 1 };

/* A ready group. The group that is to run next stands last; see barrier_groups.c for `rank`. */
struct group {
    uint64_t lanes, age; /* age: the time slice in which it became ready times BARRIER_SLICE, and a number */
    uint32_t pc, rank;
};

enum { BARRIER_NO_RECORD = 0 };
struct record {
    uint64_t joined, waiting;
    uint64_t members; /* of registers that lanes rejoin; of others anything */
    uint32_t arrived; /* lanes that wait */
    uint32_t pc;      /* where the waiting lanes go on; RT_NOWHERE: see barriers.pc */
    uint32_t next;    /* of the register, or free: a record of number `registers` or above, or NO_RECORD */
    bool gathers;     /* its lanes run together wherever they are ready at one place */
};

struct barriers {
    uint32_t registers, used, free; /* records below `used` are made, some are free */
    uint32_t capacity;              /* of `at` */
    uint32_t scalars;               /* of the kernel */
    uint32_t ready_count;
    uint32_t spinning; /* time slices in which the warp did nothing but spin */
    bool any_gathers;  /* some record has gathered */
    bool copying;      /* groups keep copies of the scalars */
    bool by_size;      /* the schedule is `largest` */
    uint64_t age;      /* of the next group that becomes ready, in the present time slice */
    uint64_t places;   /* bit pc % 64 is set if a group is ready at pc; perhaps others too */
    struct group ready[RT_MAX_LANES];
    struct group at_barrier;   /* comes to `barrier()` before others have ended; no lanes: there is none */
    bool cancelled;            /* that group has left all barriers, so that others need not wait for it */
    uint32_t pc[RT_MAX_LANES]; /* of lanes that wait where others go on elsewhere */
    bool *rejoins;             /* by register: lanes rejoin it, or cancel as members */
    struct record *at;         /* the first one of each register, then the others */
    uint64_t *copies;          /* once copying: the scalars of each lane that does not run */
};

/* barrier_storage.c: the hooks data_bytes, start and digest. */
size_t barrier_data_bytes(const struct bc_program *p, uint32_t lanes);
/* All lanes are one group. */
void barrier_start(struct rt_warp *w);
void barrier_digest(const struct rt_warp *w, struct rt_digest *d);
/* Makes room for records; false: the launch would take more memory than it may. */
bool barrier_more_records(struct rt_warp *w, struct barriers *s);

/* barrier.c: lanes that have ended, or go on when all others have, leave all barriers. */
void barrier_leave(struct rt_warp *w, struct barriers *s, uint64_t lanes);

/* ---- barrier_groups.c -------------------------------------------------------------------------------- */

/* The order in which ready groups run, which is any but by size; g.rank is set here. */
void barrier_insert_by_schedule(struct rt_warp *w, struct barriers *s, struct group g);
/* Takes a group out that stands at `pc`, where a barrier gathers its lanes and these. Its lanes, or 0. */
uint64_t barrier_gather(struct barriers *s, uint64_t lanes, uint32_t pc);
/* The lanes' copies of the scalars, once they are copied. */
void barrier_save_scalars(struct rt_warp *w, struct barriers *s, uint64_t lanes);
/* From now on groups are run in turns that no barrier asked for. */
void barrier_copy_scalars(struct rt_warp *w, struct barriers *s);
/* The record's lanes that waited are ready, those that go on at one place as one group. */
void barrier_release(struct rt_warp *w, struct barriers *s, struct record *r);
/* Gives up the barrier with the most waiting lanes. False: none wait. */
bool barrier_yield(struct rt_warp *w, struct barriers *s);
/* Runs the group that is to run next, by a yield if none is ready, with its scalars. The code index. */
uint32_t barrier_run_copied(struct rt_warp *w, struct barriers *s);
/* The hook hold. */
uint32_t barrier_hold(struct rt_warp *w, uint32_t pc);
/* The hook groups: barrier registers, then who waits for the others of the block, then ready groups. */
void barrier_groups(const struct rt_warp *w, uint64_t running, struct rt_groups *g);
/* How many time slices ago the oldest ready group became ready; 0: there is none. */
uint64_t barrier_longest_ready(const struct barriers *s);
/* Runs the oldest ready group; there is one. The code index. */
uint32_t barrier_run_oldest(struct rt_warp *w, struct barriers *s);

/* Without the instruction, which not every host has, the compiler would call a function. */
static inline uint32_t barrier_count_lanes(uint64_t x)
{
    x -= x >> 1 & 0x5555555555555555u;
    x = (x & 0x3333333333333333u) + (x >> 2 & 0x3333333333333333u);
    x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fu;
    return (uint32_t)(x * 0x0101010101010101u >> 56);
}

/* Whether a barrier may gather lanes that become ready at `pc` with a group there. */
static inline bool barrier_may_gather(const struct barriers *s, uint32_t pc)
{
    if (!s->any_gathers || !(s->places >> pc % 64 & 1))
        return false;
    for (uint32_t i = 0; i < s->ready_count; i++)
        if (s->ready[i].pc == pc)
            return true;
    return false;
}

/* Lanes that are in no group, `count` of them, become a ready one. Inline, as the branches of a kernel are. */
static inline void barrier_make_ready(struct rt_warp *w, struct barriers *s, uint64_t lanes, uint32_t count,
                                      uint32_t pc)
{
    if (UNLIKELY(barrier_may_gather(s, pc))) {
        lanes |= barrier_gather(s, lanes, pc);
        count = barrier_count_lanes(lanes);
    }
    struct group *at = &s->ready[s->ready_count];
    s->places = (at == s->ready ? 0 : s->places) | (uint64_t)1 << pc % 64;
    if (UNLIKELY(!s->by_size)) {
        barrier_insert_by_schedule(w, s, (struct group){lanes, s->age++, pc, 0});
        return;
    }
    for (; at > s->ready && at[-1].rank > count; at--)
        *at = at[-1];
    *at = (struct group){lanes, s->age++, pc, count};
    s->ready_count++;
}

/* The same for lanes of the running group, which go on later. */
static inline void barrier_suspend(struct rt_warp *w, struct barriers *s, uint64_t lanes, uint32_t count,
                                   uint32_t pc)
{
    if (UNLIKELY(s->copying))
        barrier_save_scalars(w, s, lanes);
    barrier_make_ready(w, s, lanes, count, pc);
}

/* Runs the ready group that is to run next; there may be none, if lanes wait. The code index. */
static inline uint32_t barrier_run_next(struct rt_warp *w, struct barriers *s)
{
    if (UNLIKELY(s->ready_count == 0 || s->copying))
        return barrier_run_copied(w, s);
    const struct group *g = &s->ready[--s->ready_count];
    w->active = g->lanes;
    return g->pc;
}

#endif
