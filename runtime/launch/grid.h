/* grid.h: a launch while it runs: what its host threads share, and what each has for itself.
 *
 * Blocks are handed out in ascending order, some at a time. A block runs on one host thread from its start to
 * its end; its warps take turns there, each in a slot (register files and warp state) that the host thread
 * keeps for the launch.
 */
#ifndef KERNC_RT_GRID_H
#define KERNC_RT_GRID_H

#include <pthread.h>
#include <stdatomic.h>

#include "include/kernc-rt.h"
#include "runtime/context.h"
#include "runtime/core/core.h"
#include "runtime/launch/cycle.h"
#include "runtime/schemes/scheme.h"

#define RT_NO_BLOCK           UINT64_MAX
#define RT_SLICE_INSTRUCTIONS 65536 /* warp instructions of a time slice */
#define RT_TRANSACTION_CYCLES 8     /* of each memory transaction beyond an instruction's first */

/* When a preload's value changes. */
enum rt_preload_scope { RT_PRELOAD_LAUNCH, RT_PRELOAD_BLOCK, RT_PRELOAD_WARP, RT_PRELOAD_SCOPES };
struct rt_preload {
    uint8_t kind, special;
    uint16_t reg;
    uint64_t value;
};
struct rt_preloads {
    struct rt_preload *at;
    uint32_t count;
};
struct rt_lane_preloads {
    struct rt_lane_preload *at;
    uint32_t count;
};

struct rt_trap_record {
    bool set, has_address;
    bool endless; /* it would have gone on for ever */
    uint32_t address, line, column;
    uint32_t block[3], thread[3];
    char text[512];
    char help[256];                 /* lines for people, or "" */
    const struct rt_region *buffer; /* that the text names, or NULL */
};

struct rt_output {
    uint64_t block;
    struct text text;
};

struct rt_slot {
    uint64_t preloaded_block; /* whose BLOCK preloads its registers hold */
    size_t private_total;     /* bytes of private memory of all lanes */
    struct rt_slot *next_free;
    struct rt_warp warp;
};

struct rt_look;
struct rt_worker {
    struct rt_launch *launch;
    uint32_t index;
    _Atomic uint64_t block; /* the one it runs; RT_NO_BLOCK: it has finished */
    uint32_t block_index[3];
    uint32_t bases[RT_BASES]; /* the block's index * its size; see rt_lane_preload */
    struct rt_count *counts;  /* by block of code */
    uint64_t *empty;          /* beside: of the times run, those by no lane */
    struct rt_site_count *sites;
    struct rt_bank_count *banks; /* by site; NULL: not counted */
    struct rt_events events;
    uint64_t unreported;      /* warp instructions not yet in the launch's total */
    uint64_t copied;          /* fuel of the core's last run that was paid for copied bytes */
    uint64_t thread_slots;    /* sum over instructions of threads launched in the warp */
    struct rt_slot **running; /* by warp of the block: its slot; NULL: not started, or done */
    struct rt_slot *free_slots;
    uint8_t *shared;
    struct arena arena;         /* of all of the above */
    void *scheme_data;          /* what a scheme knows of the program; NULL: nothing yet; in the
                                   arena */
    struct rt_checked *checked; /* check.c; NULL: no check has run */
    struct text text;           /* what the block printed */
    struct rt_begun begun;
    VEC(struct rt_output) printed; /* of finished blocks, ascending; under launch->output_lock */
    uint32_t flushed;              /* outputs already handed on */
    struct rt_trap_record trap, out_of_fuel;
    uint64_t trap_block;
    /* endless.c */
    bool reported;          /* it has reported, or probes, and its block is to be looked at */
    uint64_t changes;       /* atomics that changed global memory, */
    uint64_t own_changes;   /* and shared memory */
    uint8_t *rows;          /* by row of the block table: what it does unseen; NULL: not yet known */
    struct rt_look *seen;   /* NULL: none of its blocks has been looked at */
    bool probing;           /* warps run by rt_endless_turn */
    _Atomic uint64_t cycle; /* how it stands with the launch's others */
    bool no_memory, over_memory;
    pthread_t thread;
};

struct rt_check;
struct rt_watch;
struct rt_block_warp;
/* The core's tables of instructions, or copies with the launch's changes. */
struct rt_tables {
    const struct rt_op *full, *brief, *partial;
};

/* How the warps of a launch begin. */
struct rt_start {
    uint32_t alike; /* warps of a block, from the first on, that differ in lane preloads alone */
    uint32_t entry; /* code index of the kernel's first block */
    uint32_t ramp;  /* see rt_initial */
    struct rt_preloads preloads[RT_PRELOAD_SCOPES];
    struct rt_lane_preloads lane_preloads; /* thread indices */
    uint32_t *tid[3]; /* lane vectors by warp, padded to the core's lanes; NULL: unused */
};

/* How far a launch is, and how its workers share it. */
struct rt_progress {
    uint64_t slice, report; /* warp instructions of a turn, and after which a worker reports */
    uint64_t batch;         /* blocks a worker takes at a time */
    _Atomic uint64_t next_block, trap_block, total;
    _Atomic bool out_of_fuel, stopped, printed; /* printed: some block has printed */
    _Atomic bool endless;                       /* no worker can ever go on: endless.c */
    _Atomic uint64_t epoch;
};

struct rt_launch {
    struct kernc_context *context;
    struct kernc_module *module;
    struct kernc_kernel *handle; /* the kernel as the caller has it */
    const struct bc_program *program;
    const struct bc_kernel *kernel;
    const struct rt_core *core;
    const struct rt_scheme *scheme;
    struct rt_tables tables;
    kernc_launch given;    /* as rt_read_launch has it */
    struct rt_sizes sizes; /* what follows from it */
    struct rt_start start;
    bool count_transactions;
    bool keeps_clock; /* of each warp: the program reads it, or a trace is made */
    struct rt_progress progress;
    _Atomic uint64_t memory; /* bytes of slots, shared memory, text not yet handed on */
    pthread_mutex_t output_lock;
    struct text handed; /* what the context's output function has just now */
    struct rt_worker *workers;
    uint32_t worker_count;
    struct rt_check *check;               /* runtime/check/; NULL: the program has no checks of memory */
    struct rt_watch *watch;               /* watch.c; NULL: nobody wants to know its steps */
    struct rt_block_warp *block_warp;     /* NULL: it is not modelled */
    bool looks_empty;                     /* blocks that no lane runs are checked, or reported */
    kernc_statistics *statistics, *spare; /* being made; freed with the launch */
    struct arena arena;
};

/* preloads.c: which registers are filled with what, by scope; `params`: the kernel's parameters. In the
 * launch's arena. KERNC_BAD_PROGRAM with a message if an index is to fill a scalar. */
kernc_status rt_prepare_preloads(struct rt_launch *l, const uint64_t *params);
bool rt_memory_take(struct rt_launch *l, uint64_t bytes); /* block.c: false: over the limit */
/* Back to the launch's limit. */
void rt_memory_give(struct rt_launch *l, uint64_t bytes);
/* block.c: runs block after block until none is left or the launch stops. */
void rt_worker_run(struct rt_worker *k);
/* output.c: the text of the block just finished joins the launch's; worker 0 hands on what is complete. */
void rt_output_finish(struct rt_worker *k);
void rt_output_flush(struct rt_launch *l, uint64_t before); /* of blocks below `before` */

#endif
