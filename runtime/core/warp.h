/* warp.h: a warp while it runs: what the core, the schemes and the helpers of rare instructions share.
 *
 * Everything here is private to one host thread. A warp's registers are three files: lane vectors (a slot
 * is `lanes` 32-bit words; 64-bit vectors take two slots), lane masks and scalars (64-bit words each).
 * Masks are bit sets of lanes; active ⊆ live ⊆ launched. Lanes that are not launched hold anything.
 */
#ifndef KERNC_RT_WARP_H
#define KERNC_RT_WARP_H

#include "backend/format/bytecode/program.h"

enum { RT_MAX_LANES = 64 };
#define RT_NOWHERE UINT32_MAX /* a code index: nothing left to run, see rt_warp.stop */

/* Why the core came back. */
enum rt_stop { RT_RUNNING, RT_DONE, RT_SLICE, RT_BARRIER, RT_TRAPPED };

/* A block's counters; the cost fields are copies of the block table's, beside them for the cache's sake. */
struct rt_count {
    uint64_t full;          /* times run by all lanes of the core */
    uint64_t some, threads; /* times run by fewer; their sum */
    uint32_t instructions, cycles;
};
struct rt_site_count {
    uint64_t transactions, divergences;
};
/* Passes over the banks of shared memory; of them, those that words spread evenly would not need. */
struct rt_bank_count {
    uint64_t passes, conflicts;
};

/* A branch whose lanes diverge: lanes mask[i] go to block word target[i]; masks are disjoint, not empty, and
 * together the active lanes. Targets are distinct. `reconverge`: where they all reconverge, or
 * BC_NO_TARGET. */
struct rt_split {
    uint32_t n, pc, reconverge, site;
    uint32_t target[RT_MAX_LANES];
    uint64_t mask[RT_MAX_LANES];
};

/* A register that gets other lanes in each warp of a block: `from` has the core's number of lanes for each;
 * bases[base] is added, which is the block's. */
enum { RT_BASES = 4, RT_NO_BASE = 3 }; /* of dimensions x, y, z; 0 */
struct rt_lane_preload {
    uint32_t reg, base;
    const uint32_t *from;
};

/* A wide access, as its head leaves it: its parts are at base + w->address[lane] + their offsets. fits: it is
 * aligned, and all its bytes may be accessed, in each active lane; else each part is checked. space: enum
 * rt_space. */
struct rt_wide {
    uint8_t *base;
    uint8_t space;
    bool fits;
};

/* What the lanes of a warp read and write: address spaces, as host addresses. */
struct rt_spaces {
    uint8_t *global;                       /* of address 0 */
    const uint32_t *limits, *store_limits; /* by address >> 20: end of the buffer there, 0: none */
    uint8_t *shared, *private;             /* private: lane i's begins at i * private_bytes */
    uint32_t shared_bytes, private_bytes;  /* private: of a lane */
};

/* How accesses of global memory are counted as transactions. */
struct rt_transactions {
    uint32_t segment_shift; /* one is 1 << segment_shift bytes */
    uint32_t cycles;        /* of each beyond the first */
    bool counted;
};

/* Registers that differ from warp to warp when one begins. */
struct rt_initial {
    uint32_t count;
    const struct rt_lane_preload *preloads;
    const uint32_t *bases; /* of the block */
    uint32_t ramp;         /* a vector that counts up from lane to lane in full warps, or RT_NO_RAMP */
    uint32_t first;        /* its lane 0 */
};

struct rt_warp;
struct rt_op;
/* An instruction's code. Returns NULL to leave the core (rt_warp.stop says why). */
#define RT_OP_PARAMS struct rt_warp *w, const struct bc_ins *pc, const struct rt_op *table, uint8_t *V
struct rt_op {
    const struct bc_ins *(*run)(RT_OP_PARAMS);
};

struct rt_warp {
    uint64_t active, live, launched;
    const struct rt_op *table; /* of `tables`, the one that fits `active` */
    const struct bc_ins *code,
        *reconverge;             /* reconverge: block word at which the scheme is asked; NULL: none */
    struct rt_count *counts;     /* by block */
    struct rt_site_count *sites; /* by site */
    int64_t fuel;                /* instructions left in this time slice */
    int64_t slice;               /* fuel of a time slice */
    uint64_t spent;              /* fuel of the warps that have ended since the core was entered */
    uint64_t cycles;             /* modelled, so far; kept only if the program reads the clock */
    uint32_t active_count, launched_count, lanes; /* lanes: of the core, not of the launch */
    uint8_t *V;
    uint64_t *M; /* scalars are S, at the end */

    struct rt_spaces spaces;
    struct rt_transactions transactions;
    bool ask_uniform;     /* the scheme's RT_ASK_UNIFORM */
    bool asked;           /* a hook has run since the scheme started the lanes `launched` */
    bool contended;       /* other host threads run blocks of this launch */
    bool polled, changed; /* since the warp began, or the scheme looked: an atomic was executed;
                             one gave memory another value */

    const struct rt_op *tables[3]; /* for: some live lanes active; all live lanes; all the core's lanes */
    struct rt_events *events;      /* see scheme.h */
    uint32_t pc;                   /* code index where the warp goes on */
    enum rt_stop stop;
    uint32_t index;    /* number of the warp in its block */
    uint32_t last;     /* of the warps that follow it without leaving the core,
                          see rt_core.begin */
    uint32_t width;    /* threads of a full warp of this launch */
    uint32_t barrier;  /* code index of the barrier it waits at */
    uint64_t released; /* live lanes that have gone on without others at a barrier() where they
                          would have waited for these; set by the scheme */
    struct rt_initial initial;
    struct rt_worker *worker;
    const struct rt_scheme *scheme;
    void *scheme_data;

    _Alignas(64) uint32_t lane_mask[RT_MAX_LANES]; /* all ones in active lanes, else 0 */
    _Alignas(64) uint32_t address[RT_MAX_LANES];   /* scratch of memory instructions */
    struct rt_wide wide;                           /* between the head of a wide access and its last part */
    struct rt_split split;                         /* scratch of branches */
    uint64_t S[]; /* here, and not behind a pointer: a load less for each operand */
};

static inline uint32_t *rt_v(const struct rt_warp *w, uint32_t reg)
{
    return (uint32_t *)(void *)(w->V + (size_t)reg * w->lanes * 4);
}
static inline uint64_t *rt_w(const struct rt_warp *w, uint32_t reg)
{
    return (uint64_t *)(void *)(w->V + (size_t)reg * w->lanes * 4);
}
static inline uint32_t rt_index(const struct rt_warp *w, const struct bc_ins *ins)
{
    return (uint32_t)(ins - w->code);
}
static inline unsigned rt_lowest(uint64_t mask)
{
    return (unsigned)__builtin_ctzll(mask);
}
#define rt_each_lane(i, lanes_)                                                                              \
    for (uint64_t left_##i = (lanes_), i = 0; left_##i && (i = (uint64_t)__builtin_ctzll(left_##i), 1);      \
         left_##i &= left_##i - 1)

/* ---- trap.c: every way to fail. They record the trap and stop the warp; callers then return NULL. ---- */

/* Place from the instruction's site; `lane` is the culprit. */
void rt_trap(struct rt_warp *w, const struct bc_ins *ins, unsigned lane, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* The text of trap and assert instructions. */
void rt_trap_text(struct rt_warp *w, const struct bc_ins *ins, unsigned lane);
/* A bad access of `bytes` at `address` (space letter g, h or p); finds out what is wrong with it. */
void rt_trap_access(struct rt_warp *w, const struct bc_ins *ins, unsigned lane, char space, bool store,
                    uint32_t address, uint32_t bytes);

/* Notes where the warp stands as its launch runs out of fuel, unless another of the worker's has been
 * noted. */
void rt_trap_fuel(struct rt_warp *w);

/* The launch can never end (endless.c): the trap says how the warp stands. */
void rt_trap_endless(struct rt_warp *w);

/* ---- instructions the core leaves to plain C; false or RT_NOWHERE: the warp has stopped -------------- */

uint32_t rt_diverge(struct rt_warp *w); /* control.c: w->split tells how */
/* Splits the lanes by value, pointer or return address, and asks the scheme; where the warp goes on. */
uint32_t rt_switch(struct rt_warp *w, const struct bc_ins *ins);
uint32_t rt_icall(struct rt_warp *w, const struct bc_ins *ins);
uint32_t rt_ret(struct rt_warp *w, const struct bc_ins *ins);
/* The block is issued, and no lane runs it: it is counted, and so are its instructions. */
void rt_run_empty(struct rt_warp *w, uint32_t row);
/* No lane takes this side of the predicate: if its instructions have guards, they are issued all the same. */
void rt_run_guarded(struct rt_warp *w, const struct bc_ins *ins, bool yes);
/* ret_m, ret_true and ret_false: of the active lanes `yes` return true. */
uint32_t rt_ret_to(struct rt_warp *w, const struct bc_ins *ins, uint64_t yes);
/* atomic.c; at base + w->address[lane] */
void rt_atomic(struct rt_warp *w, const struct bc_ins *ins, uint8_t *base);
/* Lane by lane, each checked when its turn comes; copied bytes cost fuel. */
bool rt_memcpy(struct rt_warp *w, const struct bc_ins *ins);
bool rt_memzero(struct rt_warp *w, const struct bc_ins *ins);
void rt_reduce_float(struct rt_warp *w, const struct bc_ins *ins); /* group.c */
/* In the order of lanes. */
void rt_scan(struct rt_warp *w, const struct bc_ins *ins);
void rt_barrier(struct rt_warp *w, const struct bc_ins *ins); /* a fault: live lanes are elsewhere */
/* The active lanes, which have gone on without those at a barrier(), come to an operation at which they would
 * wait for these if the barrier is among the instruction's: a fault of it, unless the checker lets all
 * pass. */
bool rt_await(struct rt_warp *w, const struct bc_ins *ins);
/* By the scheme, or 0. */
bool rt_token(struct rt_warp *w, const struct bc_ins *ins);
bool rt_hostcall(struct rt_warp *w, const struct bc_ins *ins);      /* hostcall.c */
bool rt_printf(struct rt_warp *w, const struct bc_ins *ins);        /* print.c */
bool rt_check_uniform(struct rt_warp *w, const struct bc_ins *ins); /* check.c */

/* The active lanes of an access that the checker hears of: whether their addresses are first + i * step, i
 * counted from the lowest of them, and all were derived from one address. step 0: of a single lane too. */
struct rt_row {
    uint32_t first, step;
    bool regular;
};
/* runtime/check/memory.c */
void rt_check_memory(struct rt_warp *w, const struct bc_ins *ins, struct rt_row row);
void rt_check_sync(struct rt_warp *w, const struct bc_ins *ins);
void rt_check_origin(struct rt_warp *w, const struct bc_ins *ins); /* runtime/check/pointers.c */
/* The active lanes come to a barrier() without the other live ones. Whether the checker notes it, and lets them
 * pass. */
bool rt_check_parts(struct rt_warp *w); /* runtime/check/barriers.c */
/* Whether the lanes may wait at code index `at` while the block word at `pc` is run; else they trap. */
bool rt_check_waits(struct rt_warp *w, uint32_t pc, uint64_t lanes, uint32_t at); /* check.c */

/* ---- memory accesses --------------------------------------------------------------------------------- */

enum rt_space { RT_GLOBAL, RT_SHARED, RT_PRIVATE };
enum rt_mode { RT_MODE_V, RT_MODE_X, RT_MODE_U };
struct rt_access {
    uint8_t space, mode, log2_bytes;
    bool store, valid;
};
extern const struct rt_access rt_access[BC_OPS]; /* loads, stores and atomics */

/* Host address of `address` for this lane, or NULL: not valid (no trap recorded). `align` 1: any. */
uint8_t *rt_locate(struct rt_warp *w, enum rt_space space, bool store, unsigned lane, uint32_t address,
                   uint32_t bytes, uint32_t align);
/* Whether the `bytes` at each active lane's w->address are a wide access of w->wide.space that may be made as
 * one: aligned to their number, and all valid. */
bool rt_wide_fits(struct rt_warp *w, uint32_t bytes, bool store);
/* Of a part of one that does not fit: whether each lane's is valid, else it traps; counts its transactions. */
bool rt_check_part(struct rt_warp *w, const struct bc_ins *ins);
/* How many distinct segments the lanes' addresses lie in. */
uint32_t rt_distinct_segments(const struct rt_warp *w, const uint32_t *address, uint64_t lanes);

/* banks.c: the passes in which so many banks serve `count` accesses of `bytes` at the addresses, at most
 * RT_MAX_LANES of BC_MAX_WIDE bytes: the most distinct words of a bank. `atomic`: each access is served by
 * itself. */
struct rt_bank_count rt_bank_passes(const uint32_t *address, uint32_t count, uint32_t bytes, bool atomic,
                                    uint32_t banks);
/* Counts the instruction's access, which is to shared memory; launches that count only. Active lanes' addresses
 * are from `low` to `high`, but of a uniform load. */
void rt_count_banks(struct rt_warp *w, const struct bc_ins *ins, uint32_t low, uint32_t high);
/* The same of `bytes`, at least 1, of a single lane's object. */
void rt_count_object(struct rt_warp *w, const struct bc_ins *ins, uint32_t address, uint32_t bytes);

#endif
