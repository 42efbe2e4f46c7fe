/* check.h: the checker of memory: races, accesses beyond their object, reads of what nobody wrote, barriers
 * that not all threads come to, found while a program runs that has been compiled with check.memory, check.sync
 * (opt/check/check_memory.c) and check.origin (opt/check/origins.h).
 *
 * A race is a pair of accesses to a byte by two threads, one of them at least a store, not both atomic, that
 * nothing orders: program order, barrier() in the block, syncwarp() in its group, or an atomic operation
 * that sees what another thread released by fence() and an atomic operation on the same place ("happens
 * before"). What runs first here plays no part, but for silent stores, of what is there already: they race
 * neither with accesses before them that are not atomic, nor with reads behind them, nor with what was before
 * the store that they repeat.
 */
#ifndef KERNC_RT_CHECK_H
#define KERNC_RT_CHECK_H

#include "runtime/launch/grid.h"

/* An access, as remembered. `site`: row of the program's site table; 24 bits, then the bytes of the cell it
 * had, then whether it was atomic. clock 0: none. */
struct rt_seen {
    uint32_t thread, epoch, clock, site;
};
struct rt_check;
/* Whether the program has checks of memory or barriers. */
bool rt_check_wanted(const struct rt_launch *l);
/* NULL: the program has no checks. What is found joins the context's alarms. */
struct rt_check *rt_check_new(struct rt_launch *l);
/* The launch is over: what is left to be said. */
void rt_check_end(struct rt_check *c);
void rt_check_free(struct rt_check *c);
/* Where a block begins, and where all its warps wait at barriers: whether they are not the same, as has been
 * noted. */
void rt_check_block(struct rt_worker *k);
bool rt_check_barrier(struct rt_worker *k);
/* Whether lanes that come to barriers in parts pass: what the launch does then follows from what is
 * noted. */
bool rt_check_decides(const struct rt_check *c);

/* ---- order.c: what happened before what -------------------------------------------------------------- */

/* Blocks run one after the other, so that there are clocks for the threads of one alone. */
/* The block that runs: its first thread, how many it has, its barriers passed; whether threads' clocks have
 * moved on from 1, and whether any has acquired what others did. */
struct rt_order_block {
    uint32_t first, threads, epoch;
    bool moved, knows;
};
struct rt_order;
/* Lives as long as the order; changes with the block. */
const struct rt_order_block *rt_order_current(const struct rt_order *o);
struct rt_order *rt_order_new(struct arena *a, uint32_t warps, uint32_t width);
void rt_order_block(struct rt_order *o, uint64_t block);
void rt_order_barrier(struct rt_order *o);
void rt_order_group(struct rt_order *o, uint32_t warp, uint64_t lanes);
void rt_order_fence(struct rt_order *o, uint32_t warp, uint64_t lanes);
/* The thread's atomic operation on the place, of shared memory or global. */
void rt_order_atomic(struct rt_order *o, uint32_t warp, unsigned lane, uint32_t address, bool shared);
/* What each thread of the block knows of others by atomic operations (NULL: nothing), and the threads' own
 * clocks. They live as long as the order and change with the block. */
struct rt_knowledge;
const struct rt_knowledge *const *rt_order_knowledge(const struct rt_order *o);
const uint32_t *rt_order_clocks(const struct rt_order *o);
/* Whether the access happened before what the thread does now. */
bool rt_order_knows(const struct rt_order *o, uint32_t warp, unsigned lane, struct rt_seen seen);

#endif
