/* block_warp.h: a launch on a machine whose warps are as wide as their blocks: the "infinitely wide SIMD
 * machine" by which "SIMD Re-Convergence at Thread Frontiers" defines the activity factor (section 6.2, Figure
 * 7).
 *
 * The interpreter has no such warps: its sets of lanes are words of 64 bits. So this is a model. The launch
 * runs in warps as always, and each thread leaves its *path*: the blocks of code that it ran, in their order.
 * When a block of the grid has ended, its threads run again as the lanes of one warp, which knows nothing but
 * their paths: where lanes go from the end of a block of code is what their paths have next. If they go
 * different ways, the scheme decides who runs and who waits, by the same rules as in runtime/schemes/; its
 * sets of lanes are wider. What is counted is how often the warp ran each block of code, and with how many
 * lanes.
 *
 * The schemes are those of the paper: pdom, struct (which runs on pdom's machine), tf-stack and tf-sandy. Who
 * runs next under others depends on more than where lanes go: on barrier registers, tokens, time slices.
 *
 * For a block that is one warp of the launch the model counts what the interpreter counts. For a larger one it
 * is exact, too, if the warp that a thread is in does not matter to what the thread does. It does if the
 * kernel asks for its lane or for its warp's width, votes, shuffles or synchronises within the warp, reads the
 * clock, or if its threads race: then the paths are those of the launch's own warps, and the model is of
 * threads that take these. Threads that go on without others at a barrier() are not stopped where they would
 * wait for these (BC_await).
 */
#ifndef KERNC_RT_BLOCK_WARP_H
#define KERNC_RT_BLOCK_WARP_H

#include "runtime/launch/grid.h"

/* What the warps of the model have run in the launch's blocks so far. */
struct rt_block_warp_total {
    uint64_t instructions; /* warp instructions, as metrics count them */
    uint64_t slots;        /* the sum of the block's threads over them: what the activity factor divides by */
};

struct rt_block_warp;
/* Whether the scheme is modelled. */
bool rt_block_warp_models(enum scheme s);
/* Fails, with a message, if the launch wants the model and there is none for the kernel's scheme, or for blocks
 * of so many threads. */
kernc_status rt_block_warp_check(const kernc_kernel *k, const kernc_launch *given, uint32_t threads);
/* For a launch that wants it, which one host thread runs; NULL: it does not. In the launch's arena. */
struct rt_block_warp *rt_block_warp_new(struct rt_launch *l);
/* The active lanes of the warp run row `row` of the block table. */
void rt_block_warp_step(struct rt_block_warp *x, const struct rt_warp *w, uint32_t row);
/* The worker's block has ended, and the next begins. False, with the reason in the worker: the paths took more
 * memory than the launch may have; or the launch is interrupted; or no warp can hold the block, as threads come
 * to a barrier() while others wait at one. */
bool rt_block_warp_end(struct rt_block_warp *x, struct rt_worker *k);
struct rt_block_warp_total rt_block_warp_total(const struct rt_block_warp *x);

#endif
