/* simulator.h: a warp of the warp-core machine while it runs, and what the parts of the simulator share.
 *
 * The image's words are decoded once. Straight-line code between two instructions of control flow is a run:
 * all of it executes under one mask, so it is counted by its first and last word alone (struct rt_sim_tally).
 *
 *   core.c       instructions that are common, compiled for several instruction sets of the host
 *   services.c   those that are rare: warp operations, atomics, control registers, printing
 *   fault.c      how a warp stops that has gone wrong
 *   block.c      blocks and warps from their begin to their end; the order of printed text
 *   endless.c    whether a launch can never end
 *   schedule.c   launches that are not timed: warps take turns of many instructions
 *   clock.c      launches that are: each instruction in the cycle in which the machine issues it
 *   launch.c     launches, statistics
 *
 * Text does not depend on whether a launch is timed; memory does only if warps communicate by other means
 * than barriers and atomics whose order does not matter.
 */
#ifndef KERNC_RT_SIMULATOR_H
#define KERNC_RT_SIMULATOR_H

#include "backend/format/warpcore/image.h"
#include "runtime/launch/cycle.h"
#include "runtime/launch/grid.h"
#include "runtime/warpcore/divergence.h"

struct rt_sim_warp;
/* An instruction's code. Returns NULL when the warp has stopped: rt_sim_warp.stop says why. */
#define RT_SIM_PARAMS struct rt_sim_warp *w, const struct rt_sim_ins *pc
struct rt_sim_ins {
    const struct rt_sim_ins *(*run)(RT_SIM_PARAMS);
    int32_t imm;
    uint16_t op, rpc;
    uint16_t word;      /* its own */
    uint8_t d, a, b, c; /* d: r0 and p0 as a destination are the spare row behind the last */
};
typedef const struct rt_sim_ins *rt_sim_handler(RT_SIM_PARAMS);

/* Handlers by enum wc_op, made for one instruction set of the host: those of `steps` return to the caller
 * after each instruction, the others go on to the next one's by themselves. */
struct rt_sim_core {
    const char *isa;
    bool steps;
    rt_sim_handler *const *handlers;
    rt_sim_handler *const *handlers_all;  /* when all live lanes are active; NULL: the same */
    rt_sim_handler *const *handlers_two;  /* of branches that name two words (mode frontier) */
    rt_sim_handler *illegal;              /* of the place behind the code */
    void (*enter)(struct rt_sim_warp *w); /* the warp begins, or goes on, at w->flow.pc: w->at */
    void (*run)(struct rt_sim_warp *w);   /* from w->at until the warp stops */
};
/* NULL: not on this machine. */
const struct rt_sim_core *rt_sim_core_choose(const char *isa, bool steps);

/* How often runs began at a word, and ended before it: warps, and lanes active in them. */
struct rt_sim_count {
    uint64_t warps, threads;
};
struct rt_sim_tally {
    struct rt_sim_count begins[WC_MAX_WORDS + 1], ends[WC_MAX_WORDS + 1];
    uint64_t transactions[WC_MAX_WORDS], divergences[WC_MAX_WORDS];
    struct rt_bank_count banks[WC_MAX_WORDS];
    uint64_t more[WC_MAX_WORDS];   /* cycles besides those of the unit */
    uint64_t widths[WC_LANES + 1]; /* words run, by active lanes */
    uint64_t joined, effective;    /* entries popped; CONVERGEs that did something */
    uint32_t deepest;
};

struct rt_sim;
struct rt_sim_warp {
    _Alignas(32) uint32_t r[WC_REGISTERS + 1][WC_LANES];
    _Alignas(32) uint32_t lane_mask[WC_LANES]; /* all ones in active lanes, else 0 */
    _Alignas(32) uint32_t address[WC_LANES];   /* scratch of memory instructions */
    uint8_t p[WC_PREDICATES + 1];              /* bit n: lane n's */
    struct rt_divergence flow;                 /* pc is kept up to date only where the warp stops */
    const struct rt_sim_ins *codes[2];         /* for: some live lanes active; all of them */
    const struct rt_sim_ins *code, *begin;     /* the one that fits; begin of the run, NULL: it has
                                                  ended */
    const struct rt_sim_ins *at;               /* the next one; kept only where the warp is not running */
    int64_t fuel;                              /* instructions left in this turn (schedule.c) */
    uint32_t active_count;
    enum rt_stop stop;

    struct rt_spaces spaces;
    struct rt_sim_tally *tally;
    bool timed;
    uint32_t more;          /* cycles of the latest instruction besides its unit's */
    uint64_t cycles, clock; /* so far, if timed; at the latest read of the clock */
    uint64_t saved;         /* the cycle from which on it is in memory (clock.c) */
    struct rt_sim *sim;
    struct rt_sim_block *block;
    uint32_t index, threads;  /* number in the block; live lanes at its begin */
    bool started;             /* this is not its first turn */
    struct rt_sim_warp *next; /* of a list that it is in */
};

/* of a block's raw text */
struct rt_sim_piece {
    uint32_t warp;
    size_t at, end;
};
/* A block while it runs; the next one when it has ended. */
struct rt_sim_block {
    struct rt_sim *sim;
    uint64_t number;
    uint32_t index[3];
    uint8_t *shared;
    struct text text; /* what it printed, in order */
    struct text raw;  /* what its warps printed since then, as it came: */
    VEC(struct rt_sim_piece) pieces;
    struct rt_begun begun;
    struct rt_sim_block *next; /* of rt_sim.all */
};

/* Whether the launch is in a state in which it has been before (endless.c). */
struct rt_sim_endless {
    struct rt_cycle cycle;
    uint64_t last, next, lost; /* instructions before the latest look at the state; before the next one, at
                                  least; and if that place is not come to */
    const struct rt_sim_warp *where; /* whose turn it was then, at this word */
    uint32_t word;
    /* What is looked at: all that runs, in an order that follows from it, and what else decides. */
    VEC(const struct rt_sim_block *) blocks;
    VEC(const struct rt_sim_warp *) warps;
    struct rt_digest rest;
};

struct rt_trace;
struct rt_sim_watch;
/* A launch. */
struct rt_sim {
    struct kernc_context *context;
    struct kernc_kernel *kernel;
    const struct wc_image *image;
    const struct wc_kernel *entry;
    const struct rt_sim_core *core;
    struct wc_timing timing;
    struct rt_sim_ins *codes[2]; /* as many as the image has words, and an illegal one behind */
    uint32_t arguments[WC_ARGUMENT_WORDS];
    kernc_launch given;    /* as rt_read_launch has it */
    struct rt_sizes sizes; /* what follows from it */
    uint64_t total;        /* warp instructions so far */
    uint32_t data;         /* address of the constant data */
    struct rt_sim_tally *tally;
    bool timed;
    uint64_t core_cycles;       /* if timed */
    struct rt_trace *trace;     /* NULL: not traced; only if timed */
    struct rt_sim_watch *watch; /* NULL: nobody wants to know its steps */
    struct rt_sim_warp *free_warps;
    struct rt_sim_block *all;
    uint64_t thread_slots, memory; /* memory: bytes of warps, shared memory and
                                      text not yet handed on */
    VEC(struct rt_output) outputs; /* of blocks that have ended before others of lower numbers */
    struct rt_trap_record trap;
    struct text report; /* of a fault: the machine's state, for people */
    bool over_memory, out_of_fuel;
    struct arena arena;
    struct rt_sim_endless endless;
};

static inline bool rt_sim_is_global(enum wc_op op)
{
    return (op >= WC_ld_global_u8 && op <= WC_st_global_lo64) ||
           (op >= WC_at_global_add_I && op < WC_at_shared_add_I);
}

static inline bool rt_sim_is_shared(enum wc_op op)
{
    return (op >= WC_ld_shared_u8 && op <= WC_st_shared_lo64) ||
           (op >= WC_at_shared_add_I && op <= WC_at_shared_cas_F);
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
    w->tally->widths[w->active_count] += end - start;
    w->fuel -= end - start;
}

/* The instruction takes so many cycles more than its unit says. */
static inline void rt_sim_charge(struct rt_sim_warp *w, const struct rt_sim_ins *pc, uint32_t cycles)
{
    w->more += cycles;
    w->tally->more[pc->word] += cycles;
}

/* ---- launch.c ---------------------------------------------------------------------------------------- */

/* The words that the kernel's code reads, of the bits of its arguments; how many. */
uint32_t rt_argument_words(const kernc_kernel *k, const uint64_t *bits, const struct rt_shared *shared,
                           uint32_t words[WC_ARGUMENT_WORDS]);
/* A launch of an image's kernel: kernc_run, its options checked and completed. */
kernc_status rt_sim_launch(kernc_kernel *kernel, const kernc_launch *o, kernc_statistics **statistics);

/* ---- fault.c: records the trap and stops the warp ---------------------------------------------------- */

/* `lane` is the culprit; the text goes to the launch's trap. Ends the run at `pc`, which is not counted as
 * executed. */
void rt_sim_fault(struct rt_sim_warp *w, const struct rt_sim_ins *pc, enum wc_trap code, unsigned lane,
                  const char *fmt, ...) __attribute__((format(printf, 5, 6)));
/* The fault that is this event of the divergence unit, from RT_FIRST_FAULT on. */
void rt_sim_fault_event(struct rt_sim_warp *w, const struct rt_sim_ins *pc, enum rt_divergence_event event);
/* Text imm of the image. */
void rt_sim_fault_text(struct rt_sim_warp *w, const struct rt_sim_ins *pc, enum wc_trap code, unsigned lane);
/* The text says what is wrong with the access. */
void rt_sim_fault_access(struct rt_sim_warp *w, const struct rt_sim_ins *pc, unsigned lane,
                         enum wc_space space, bool store, uint32_t address, uint32_t bytes);
/* Notes that the warp, which is not running, stands at the word as the launch runs out of fuel. */
void rt_sim_out_of_fuel(struct rt_sim_warp *w, uint32_t word);
/* Notes that the launch can never end; nor can the warp, at the word. */
void rt_sim_trap_endless(const struct rt_sim_warp *w, uint32_t word);

/* ---- services.c; false: the warp has stopped --------------------------------------------------------- */

void rt_sim_group(struct rt_sim_warp *w, const struct rt_sim_ins *pc); /* warp operations */
/* at base + address[lane] */
void rt_sim_atomic(struct rt_sim_warp *w, const struct rt_sim_ins *pc, uint8_t *base);
void rt_sim_csr(struct rt_sim_warp *w, const struct rt_sim_ins *pc); /* csrr */
/* Lane by lane, from the operands in private memory. */
bool rt_sim_printf(struct rt_sim_warp *w, const struct rt_sim_ins *pc);
/* The lanes' accesses one by one: the first bad one faults. */
bool rt_sim_check(struct rt_sim_warp *w, const struct rt_sim_ins *pc, enum wc_space space, bool store,
                  uint32_t bytes);
/* Counts and charges an access to global memory at w->address. Timed launches only. */
void rt_sim_count_access(struct rt_sim_warp *w, const struct rt_sim_ins *pc, uint32_t bytes);
/* Counts an access to shared memory at w->address; of 8 bytes, the low word alone is moved. The same. */
void rt_sim_count_banks(struct rt_sim_warp *w, const struct rt_sim_ins *pc);

/* ---- block.c ----------------------------------------------------------------------------------------- */

bool rt_sim_memory_take(struct rt_sim *s, uint64_t bytes); /* false: over the limit */
/* NULL: the launch would take more memory than it may; the same of the next. */
struct rt_sim_block *rt_sim_block_new(struct rt_sim *s);
/* Its lanes at the kernel's entry, registers and private memory zeroed. */
struct rt_sim_warp *rt_sim_warp_begin(struct rt_sim_block *b, uint32_t index);
/* The warp's storage may be used again. */
void rt_sim_warp_end(struct rt_sim_warp *w);
/* The block is now this one of the grid; shared memory is zeroed. */
void rt_sim_block_begin(struct rt_sim_block *b, uint64_t number);
/* Where the warp prints to. */
struct text *rt_sim_text(struct rt_sim_warp *w);
/* All warps have come to the barrier, or have ended: what each printed since the last time follows, in the
 * order of the warps. */
void rt_sim_block_output(struct rt_sim_block *b);
/* The block has ended, or the launch stops; what blocks with numbers below `oldest` printed is handed on. */
void rt_sim_block_end(struct rt_sim_block *b, uint64_t oldest);
void rt_sim_free(struct rt_sim *s); /* all text and the arena */

/* ---- endless.c --------------------------------------------------------------------------------------- */

void rt_sim_endless_begin(struct rt_sim *s);
uint32_t rt_sim_word_of(const struct rt_sim_warp *w); /* where it goes on */
/* Whether the state is to be looked at, before the warp's turn. Asked for each instruction. */
static inline bool rt_sim_is_to_look(const struct rt_sim *s, const struct rt_sim_warp *w)
{
    const struct rt_sim_endless *e = &s->endless;
    return s->total >= e->next && (s->total >= e->lost || (e->where == w && e->word == rt_sim_word_of(w)));
}
/* Nothing runs. */
void rt_sim_look_begin(struct rt_sim *s);
void rt_sim_look_block(struct rt_sim *s, const struct rt_sim_block *b);
void rt_sim_look_warp(struct rt_sim *s, const struct rt_sim_warp *w);
/* All has been told. w: whose turn it is. True: the launch can never end, and its trap says so. */
bool rt_sim_can_never_end(struct rt_sim *s, const struct rt_sim_warp *w);

/* ---- schedule.c, clock.c: run block after block until none is left or the launch has to stop --------- */

/* In turns of instructions, one block at a time: for launches that are not timed. */
void rt_sim_schedule(struct rt_sim *s);
void rt_sim_run_clock(struct rt_sim *s, uint32_t cores); /* sets core_cycles */

#endif
