/* simulator.h: a warp of the warp-core machine while it runs, and what the parts of the simulator share.
 *
 * The image's words are decoded once. Straight-line code between two instructions of control flow is a run:
 * all of it executes under one mask, so it is counted by its first and last word alone (struct rt_sim_tally).
 *
 *   core.c       instructions that are common, compiled for several instruction sets of the host
 *   services.c   those that are rare: warp operations, atomics, control registers, printing
 *   fault.c      how a warp stops that has gone wrong
 *   schedule.c   blocks, turns of warps, barriers
 *   timing.c     the cycles of a core's four warps
 *   launch.c     launches, statistics
 *
 * Memory and text do not depend on whether a launch is timed.
 */
#ifndef KERNC_RT_SIMULATOR_H
#define KERNC_RT_SIMULATOR_H

#include "backend/warpcore/image.h"
#include "runtime/grid.h"
#include "runtime/warpcore/divergence.h"

struct rt_sim_warp;
/* An instruction's code. Returns NULL when the warp has stopped: rt_sim_warp.stop says why. */
#define RT_SIM_PARAMS struct rt_sim_warp *w, const struct rt_sim_ins *pc
struct rt_sim_ins {
    const struct rt_sim_ins *(*run)(RT_SIM_PARAMS);
    int32_t  imm;
    uint16_t op, rpc;
    uint16_t word;                       /* its own */
    uint8_t  d, a, b, c;                 /* d: r0 and p0 as a destination are the spare row behind the last */
};
typedef const struct rt_sim_ins *rt_sim_handler(RT_SIM_PARAMS);

/* Handlers by enum wc_op, made for one instruction set of the host. */
struct rt_sim_core {
    const char *isa;
    rt_sim_handler *const *handlers;
    rt_sim_handler *const *handlers_all; /* when all live lanes are active; NULL: the same */
    rt_sim_handler *illegal;             /* of the place behind the code */
    void (*run)(struct rt_sim_warp *w);  /* from w->flow.pc until the warp stops */
};
const struct rt_sim_core *rt_sim_core_choose(const char *isa);    /* NULL: not on this machine */

/* How often runs began at a word, and ended before it: warps, and lanes active in them. */
struct rt_sim_count { uint64_t warps, threads; };
struct rt_sim_tally {
    struct rt_sim_count begins[WC_MAX_WORDS + 1], ends[WC_MAX_WORDS + 1];
    uint64_t transactions[WC_MAX_WORDS], segments[WC_MAX_WORDS], divergences[WC_MAX_WORDS];
    uint64_t parted, joined, effective;  /* branches that diverged; entries popped; CONVERGEs that did
                                            something */
    uint32_t deepest;
};

/* What a turn executed, for the clock: runs, and the additional cycles of each access to global memory in
 * them. */
/* words start..end-1; more: of the last */
struct rt_sim_run { uint16_t start, end; uint8_t active, depth, more; };
struct rt_sim_log {
    struct rt_sim_run *runs;
    uint8_t *costs;
    uint32_t run_count, cost_count;
};
enum { RT_SIM_LOG = RT_SLICE_INSTRUCTIONS + WC_MAX_WORDS + 1 };      /* most of either in a turn */

struct rt_sim;
struct rt_sim_warp {
    _Alignas(32) uint32_t r[WC_REGISTERS + 1][WC_LANES];
    _Alignas(32) uint32_t lane_mask[WC_LANES];      /* all ones in active lanes, else 0 */
    _Alignas(32) uint32_t address[WC_LANES];        /* scratch of memory instructions */
    uint8_t  p[WC_PREDICATES + 1];                  /* bit n: lane n's */
    struct rt_divergence flow;                      /* pc is kept up to date only where the warp stops */
    const struct rt_sim_ins *codes[2];              /* for: some live lanes active; all of them */
    const struct rt_sim_ins *code, *begin;          /* the one that fits; begin of the run, NULL: it has
                                                       ended */
    int64_t  fuel;                                  /* instructions left in this turn */
    uint32_t active_count;
    enum rt_stop stop;

    uint8_t *global, *shared, *private;             /* global: host address of address 0; private: of lane
                                                       0's */
    const uint32_t *limits, *store_limits;
    uint32_t shared_bytes, private_bytes;           /* private: of a lane */

    struct rt_sim_tally *tally;
    struct rt_sim_log   *log;                       /* NULL: not timed */
    uint64_t cycles, clock;                         /* so far, if timed; at the latest read of the clock */
    struct rt_sim *sim;
    uint32_t index;                                 /* number in the block */
    uint32_t barrier;                               /* word of the barrier it waits at */
    bool     started;                               /* this is not its first turn */
    struct rt_sim_warp *next_free;
};

struct rt_clock;
struct rt_trace;
/* A launch. */
struct rt_sim {
    struct kernc_context *context;
    struct kernc_kernel  *kernel;
    const struct wc_image  *image;
    const struct wc_kernel *entry;
    const struct rt_sim_core *core;
    struct rt_sim_ins *codes[2];         /* as many as the image has words, and an illegal one behind */
    uint32_t *cycles_before;             /* of a straight line from word 0 to each word */
    uint32_t  arguments[WC_ARGUMENT_WORDS];
    uint32_t  grid[3], block[3], block_index[3];
    uint64_t  blocks, fuel, total;       /* total: warp instructions so far */
    uint32_t  threads, warps;            /* in a block */
    uint32_t  segment_shift;             /* of memory transactions as metrics count them */
    uint32_t  data;                      /* address of the constant data */
    struct rt_sim_tally *tally;
    struct rt_clock *clock;              /* NULL: not timed */
    struct rt_trace *trace;              /* NULL: not traced; only if timed */
    uint8_t  *shared;
    struct rt_sim_warp **running;        /* by warp of the block; NULL: not started, or done */
    struct rt_sim_warp *free_warps;
    uint64_t  thread_slots, memory;      /* memory: bytes of warps and shared memory */
    struct text text;                    /* what the block printed */
    struct rt_trap_record trap;
    struct text report;                  /* of a fault: the machine's state, for people */
    bool      over_memory, out_of_fuel;
    struct arena arena;
};

void rt_sim_log_run(struct rt_sim_warp *w, uint32_t start, uint32_t end);        /* timing.c */

static inline bool rt_sim_is_global(enum wc_op op)
{
    return (op >= WC_ld_global_u8 && op <= WC_st_global_lo64) ||
           (op >= WC_at_global_add_I && op < WC_at_shared_add_I);
}

/* The run ends with the instruction at `pc`, before that changes the mask. */
static inline void rt_sim_end_run(struct rt_sim_warp *w, const struct rt_sim_ins *pc)
{
    uint32_t start = w->begin->word, end = pc->word + 1;
    struct rt_sim_count *from = &w->tally->begins[start], *to = &w->tally->ends[end];
    from->warps++;
    from->threads += w->active_count;
    to->warps++;
    to->threads += w->active_count;
    w->fuel -= end - start;
    if (__builtin_expect(w->log != NULL, false))
        rt_sim_log_run(w, start, end);
}

/* ---- launch.c ------------------------------------------------------------------------------------------ */

/* A launch of an image's kernel: kernc_run, its options checked and completed. */
kernc_status rt_sim_launch(kernc_kernel *kernel, const kernc_launch *o, kernc_statistics **statistics);

/* ---- fault.c: records the trap and stops the warp ------------------------------------------------------ */

void rt_sim_fault(struct rt_sim_warp *w, const struct rt_sim_ins *pc, enum wc_trap code, unsigned lane,
                  const char *fmt, ...) __attribute__((format(printf, 5, 6)));
void rt_sim_fault_event(struct rt_sim_warp *w, const struct rt_sim_ins *pc, enum rt_divergence_event event);
/* Text imm of the image. */
void rt_sim_fault_text(struct rt_sim_warp *w, const struct rt_sim_ins *pc, enum wc_trap code, unsigned lane);
void rt_sim_fault_access(struct rt_sim_warp *w, const struct rt_sim_ins *pc, unsigned lane,
                         enum wc_space space, bool store, uint32_t address, uint32_t bytes);

/* ---- services.c; false: the warp has stopped ----------------------------------------------------------- */

void rt_sim_group(struct rt_sim_warp *w, const struct rt_sim_ins *pc);           /* warp operations */
/* at base + address[lane] */
void rt_sim_atomic(struct rt_sim_warp *w, const struct rt_sim_ins *pc, uint8_t *base);
void rt_sim_csr(struct rt_sim_warp *w, const struct rt_sim_ins *pc);             /* csrr */
bool rt_sim_printf(struct rt_sim_warp *w, const struct rt_sim_ins *pc);
/* The lanes' accesses one by one: the first bad one faults. */
bool rt_sim_check(struct rt_sim_warp *w, const struct rt_sim_ins *pc, enum wc_space space, bool store,
                  uint32_t bytes);
/* What an access to global memory at w->address costs beyond its first segment; counts it. Timed launches
 * only. */
void rt_sim_count_access(struct rt_sim_warp *w, const struct rt_sim_ins *pc, uint32_t bytes);

/* ---- schedule.c ---------------------------------------------------------------------------------------- */

void rt_sim_blocks(struct rt_sim *s);    /* runs block after block until none is left or one has failed */

/* ---- timing.c ------------------------------------------------------------------------------------------ */

/* `cores` share the launch's blocks. */
struct rt_clock *rt_clock_new(struct rt_sim *s, uint32_t cores);
void rt_clock_block(struct rt_clock *c);           /* the next block begins, on the core that is free first */
/* A turn of warp number `warp` begins: where it has to be logged. The slot is free for it after so many
 * cycles. */
struct rt_sim_log *rt_clock_turn(struct rt_clock *c, uint32_t warp, uint32_t cycles);
void rt_clock_round(struct rt_clock *c);             /* all turns so far have ended before the next begins */
uint64_t rt_clock_cycles(struct rt_clock *c);        /* of the launch */

#endif
