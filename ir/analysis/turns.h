/* turns.h: cycles as the order of priorities takes them (priorities.c). */
#ifndef KERNC_IR_ANALYSIS_TURNS_H
#define KERNC_IR_ANALYSIS_TURNS_H

#include "ir/analysis/analysis.h"

/* The forest of cycles, with some taken apart anew. Of those in `turned`, `header` is the block that ends them,
 * and `blocks` begins with their first in reverse post-order; `entries` is empty, and its blocks do not stand
 * together with those of the cycle around, so ir_cycle_has and the like do not hold. */
struct ir_turns {
    struct ir_cycles cycles;
    struct bitset turned;
};
/* ends: as of ir_priorities_new. NULL: all are as they were. Near-linear times the depth, which is limited. */
struct ir_turns *ir_turns_new(struct arena *a, const struct ir_cfg *g, const struct ir_cycles *old,
                              const struct ir_leaving *l, const uint8_t *ends);

#endif
