/* waits_e.h: whether threads that wait for each other come to their ends. */
#ifndef KERNC_FUZZ_WAITS_E_H
#define KERNC_FUZZ_WAITS_E_H

#include "ir/analysis/analysis.h"

/* What the threads of a warp wait for. */
struct fz_waits {
    uint32_t lanes;          /* 64 at most */
    const u32_vec *groups;   /* of each lane: the groups that it comes to, in order */
    const uint64_t *members; /* of each group; 0: a barrier, for all threads that have not ended */
};

/* False: some threads wait for ever, for others that are elsewhere or have ended. Appends the barriers that
 * the warp passes to the list, in order. Time: what all lanes come to, times the lanes. */
bool fz_waits_end(const struct fz_waits *x, struct arena *a, u32_vec *barriers);

/* Whether the kernel's barriers are right by its graph, whichever way each thread takes (barriers_e.c). Time:
 * operations times barriers, times the blocks. */
bool fz_barriers_are_right(const struct ir_function *f, const struct ir_cfg *c, struct arena *a);

#endif
