/* core.h: instances of the interpreter's core. core.c is compiled once for each row of the makefile's CORES. */
#ifndef KERNC_RT_CORE_H
#define KERNC_RT_CORE_H

#include "runtime/core/warp.h"

struct rt_core {
    const char *isa;
    uint32_t lanes;
    /* Tables of BC_OPS rows: all lanes active; all live lanes active (others may be computed, never stored);
     * only some of the live lanes active. */
    const struct rt_op *full, *brief, *partial;
    /* Rows of `full` for launches that count transactions; NULL: the same. */
    const struct rt_op *counted;
    /* Accesses to shared memory that count passes over its banks; then they are those of the table. */
    const struct bc_ins *(*banks_full)(RT_OP_PARAMS), *(*banks_brief)(RT_OP_PARAMS),
        *(*banks_partial)(RT_OP_PARAMS);
    /* Other handlers, for launches that need them in their tables: BC_block of programs that read the clock;
     * of schemes with RT_ASK_RECONVERGE; the same that also check where lanes wait; convergent operations of
     * schemes with RT_ASK_CONVERGENT. */
    const struct bc_ins *(*block_clock)(RT_OP_PARAMS), *(*block_ask)(RT_OP_PARAMS),
        *(*block_check)(RT_OP_PARAMS), *(*ask_convergent)(RT_OP_PARAMS);
    /* The lanes, active or not, whose v (w) register holds x. */
    uint64_t (*equal_v)(const struct rt_warp *w, uint32_t reg, uint32_t x);
    uint64_t (*equal_w)(const struct rt_warp *w, uint32_t reg, uint64_t x);
    /* Runs from w->pc until the warp stops; sets w->stop and w->pc. */
    void (*run)(struct rt_warp *w);
    /* Starts warp number w->index at w->pc with the lanes w->launched and runs it; when it ends, the next
     * one in the same registers, and so on up to w->last. Returns when one of them, then w->index, stops for
     * another reason, or behind the last with RT_DONE. Most warps end in their first turn, and many do
     * little more than start. */
    void (*begin)(struct rt_warp *w);
};

/* The fastest instance this machine can run with at least `width` lanes (1..64), of this instruction set
 * (NULL: any). NULL: not built, or this machine can't. */
const struct rt_core *rt_core_choose(const char *isa, uint32_t width);
/* Whether this machine has an instruction set of CORES. */
bool rt_runs_here(const char *isa);

#endif
