/* reconverge.h: where a function's branches reconverge, and which CONVERGE instructions that takes: what the
 * emitter has to know of divergence.
 *
 * The function is as the passes of the mode left it (base/schemes.def; they run
 * after those of the target, and nothing that changes control flow after them): terminators are br, brif, ret
 * and trap; one ret. docs/warp-core.md has the reasons; verify_divergence.c checks on the emitted words that
 * they were heeded:
 *
 *   - BR names `reconverge` in its R field in every mode. IR_NO_BLOCK: NONE, but for lanes that diverge and
 *     never reconverge the BR's own word. The machine of mode source-pc does not read it; there it is the
 *     word of the branch's own CONVERGE. A jump is BR p0 with NONE. In mode frontier it names
 *     where the lanes go that do not take the branch, if they may diverge.
 *   - A block begins with its CONVERGEs, in the order given, before all else (moves of spilled parameters
 *     too), and every edge to it, jumps and fall-through included, enters at the first of them. Arguments are
 *     moved before, on the edge.
 *   - If `direct`, BR's target is edge `taken`: the word of the branch's own CONVERGE, without code on the
 *     edge (it has no arguments); the other side is the next word. If not `direct`, `taken` is what costs
 *     least: a loop's exit.
 *   - The entry block's CONVERGEs, if any, come behind the prologue: calls enter before it, loops do not.
 *   - A function returns by one RET, a kernel ends by one EXIT.
 */
#ifndef KERNC_WARPCORE_RECONVERGE_H
#define KERNC_WARPCORE_RECONVERGE_H

#include "backend/format/warpcore/isa.h"
#include "base/diag.h"
#include "ir/analysis/analysis.h"

#define WC_EITHER UINT32_MAX
struct wc_block_reconvergence {
    uint32_t reconverge; /* block where the lanes of the block's brif reconverge; IR_NO_BLOCK: R = NONE */
    uint32_t taken;      /* edge that BR's target is better made of; WC_EITHER: both are as good */
    uint32_t breaks;     /* edge that breaks, if the other does not: better the next word, since the
                            others need not be switched to and back; WC_EITHER: both or none */
    uint32_t ends;       /* edge by which lanes may end without coming to a barrier, where by the other
                            they do not: better the next word, since the others may come to one */
    bool direct;         /* BR's target must be `taken`, straight to the CONVERGE */
    bool uniform;        /* the brif is proven uniform */
    u32_vec converge;    /* the CONVERGEs that the block begins with: each the block of the branch it
                         joins. Modes rpc and article: one at most, whose branch does not matter */
};
struct wc_reconvergence {
    struct wc_block_reconvergence *at;     /* by block */
    uint32_t branches, uniform, converges; /* counts, for statistics */
    u32_vec order;                         /* mode frontier: the blocks, highest priority first */
};
/* In `a`. NULL with a diagnostic ("divergence") if the function is not in
 * the form that mode source-pc asks for. */
struct wc_reconvergence *wc_reconvergence_new(struct arena *a, const struct ir_cfg *g,
                                              const struct ir_cycles *cycles, enum wc_mode mode,
                                              struct diagnostics *d);

/* The same for mode frontier: `order`, and a CONVERGE at each block with a re-convergence check. `out` has
 * what a function without branches has. (frontier.c) */
void wc_place_checks(struct arena *a, const struct ir_cfg *g, const struct ir_cycles *cycles,
                     struct wc_reconvergence *out);

#endif
