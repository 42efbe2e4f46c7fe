/* barrier.h: what a warp holds under convergence barriers. Private to the scheme; see barrier.c. */
#ifndef KERNC_RT_BARRIER_H
#define KERNC_RT_BARRIER_H

#include "runtime/core/lanes.h"
#include "runtime/launch/grid.h"
#include "runtime/schemes/scheme.h"

enum { BARRIER_NO_RECORD = 0 };
struct group {
    uint64_t lanes;
    uint32_t pc, count;
};
struct record {
    uint64_t members, joined, waiting;
    uint32_t pc;   /* where the waiting lanes go on; RT_NOWHERE: see barriers.pc */
    uint32_t next; /* of the register, or free */
    bool gathers;  /* its lanes run together wherever they are ready at one place */
};

struct barriers {
    uint32_t registers, used, free; /* records 1 … used - 1 are made, some are free */
    uint32_t capacity;              /* of `at` */
    uint32_t scalars;               /* of the kernel */
    uint32_t ready_count;
    uint32_t slices;                  /* since lanes were released last */
    bool gathering;                   /* some record has gathered */
    bool copying;                     /* groups keep copies of the scalars */
    struct group ready[RT_MAX_LANES]; /* that became ready last: the last */
    uint32_t pc[RT_MAX_LANES];        /* of lanes that wait where others go on elsewhere */
    uint32_t *first;                  /* by register: a record, or NO_RECORD */
    struct record *at;
    uint64_t *copies; /* once copying: the scalars of each lane that does not run */
};

/* barrier_storage.c: the hooks data_bytes and start. */
size_t barrier_data_bytes(const struct bc_program *p, uint32_t lanes);
void barrier_start(struct rt_warp *w);
/* Makes room for records; false: the launch would take more memory than it may. */
bool barrier_more_records(struct rt_warp *w, struct barriers *s);

#endif
