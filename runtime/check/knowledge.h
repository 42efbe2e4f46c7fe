/* knowledge.h: what a thread knows to have happened, in blocks and warps that are not its own; see order.c.
 *
 * A value that never changes: threads and places share it.
 */
#ifndef KERNC_RT_KNOWLEDGE_H
#define KERNC_RT_KNOWLEDGE_H

#include "runtime/check/check.h"

struct rt_knowledge;
/* What both know; NULL is nothing. In the arena, unless it is one of the two. Linear in their sizes. */
const struct rt_knowledge *rt_know_both(struct arena *a, const struct rt_knowledge *x,
                                        const struct rt_knowledge *y);
/* Everything: for where a limit is reached. */
const struct rt_knowledge *rt_know_all(void);
/* All that the block's threads did in epochs before this one. */
const struct rt_knowledge *rt_know_block(struct arena *a, uint32_t block, uint32_t epoch);
/* Besides, what the threads of warp number `warp` of the grid did in this epoch up to these clocks, as many as
 * `width`; they are copied. */
const struct rt_knowledge *rt_know_warp(struct arena *a, uint32_t block, uint64_t warp, uint32_t epoch,
                                        const uint32_t *clocks, uint32_t width);
/* Whether the thread, lane `lane` of that warp, was known to have passed this clock of this epoch. */
bool rt_knows(const struct rt_knowledge *k, uint32_t block, uint64_t warp, uint32_t lane, uint32_t epoch,
              uint32_t clock);

#endif
