/* endless.h: launches that can never end are stopped, and say so.
 *
 * A block that comes to a state in which it has been before does for ever what it did in between; most often
 * lanes spin for one that waits for them to reconverge. It is looked at where a worker reports what it has
 * run (rt_progress.report), at the end of that round: what ends before pays nothing, and the rest some
 * hundredths.
 *
 * A state is all that the block and its machine look at: of each warp the registers, where its lanes are,
 * what the scheme holds; shared, private and global memory. Memory is as it was if no store has been counted
 * since and no atomic has changed anything. What cannot be seen counts as a change each time: calls of the
 * host; printing, as text takes memory; reading the clock; a barrier where barriers are checked (check.h),
 * since what has been noted decides who passes.
 *
 * There are two ways to look. The block as a whole, by cycle.h, from report to report: that finds cycles
 * that change memory and restore it, and whatever the scheme does. But how long a cycle is follows from time
 * slices and from all warps together. So, after 2, 4, 8 … reports without a change of memory, warps are
 * *probed*, each by itself: it is run row by row, in its turns, until it is where the probe began. Is that
 * true of all, they can be interleaved in any way. Only under schemes for which a time slice is nothing (no
 * rt_scheme.expire).
 *
 * Other workers may change global memory. So each of them, too, has to be in a cycle, during none of which
 * anybody has changed it since the first of them began. Without a lock: rt_progress.epoch is raised by a
 * worker as a cycle may begin, and as it ends. A cycle that closes counts if the epoch is still that of its
 * begin, else the next one is waited for. Once all count at the same epoch, whoever is the first to change
 * memory after the first of the begins would do so outside its cycle: before its begin, and then the epoch
 * was raised in between; or behind the end, and there it does what it did in the cycle, from the same state
 * and with the same memory.
 */
#ifndef KERNC_RT_ENDLESS_H
#define KERNC_RT_ENDLESS_H

#include "runtime/launch/grid.h"

/* At the end of a round of the worker's block that has warps left. Whether the launch can never end: the
 * block's trap says so. */
bool rt_endless(struct rt_worker *k);
/* Runs a warp of its block for a time slice, where rt_worker.probing. */
void rt_endless_turn(struct rt_worker *k, struct rt_warp *w);
/* The worker runs no more blocks. */
void rt_endless_leave(struct rt_worker *k);

#endif
