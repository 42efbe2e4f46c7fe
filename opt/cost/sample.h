/* sample.h: what the files that sample lanes share. */
#ifndef KERNC_OPT_SAMPLE_H
#define KERNC_OPT_SAMPLE_H

#include "opt/cost/cost.h"

/* A value of a lane in memory. */
struct cost_stored {
    scalar_bits value;
    bool known;
};

/* What was written as a block: what it holds unless a value was stored there since. Addresses are those of
 * `values`. */
struct cost_filled {
    uint64_t first, end;
    uint32_t since; /* values that had been stored */
    enum { COST_CLEARED, COST_COPIED, COST_ANYTHING } with;
    uint32_t from; /* COST_COPIED: from this address of an object in constant memory */
};

/* ---- what they run (sample_slice.c) ------------------------------------------------------------------ */

enum cost_step_kind {
    COST_STEP_NONE, /* it touches a segment, no more */
    COST_STEP_COMPUTE,
    COST_STEP_ADD, /* to an address */
    COST_STEP_SAME,
    COST_STEP_SPECIAL,
    COST_STEP_FRAME,
    COST_STEP_OBJECT,
    COST_STEP_LOAD,
    COST_STEP_STORE,
    COST_STEP_CLEAR,
    COST_STEP_COPY,
    COST_STEP_CALL,
    COST_STEP_FORGET,  /* it may write any memory */
    COST_STEP_UNKNOWN, /* what it gives is not known */
};
struct cost_step {
    uint8_t kind, argc;
    bool touches;                   /* its segment counts */
    uint16_t which;                 /* COMPUTE: enum scalar_case */
    uint32_t to;                    /* slot of what it gives; 0: of nothing that is wanted */
    uint32_t args[SCALAR_MAX_ARGS]; /* slots; of SPECIAL, FRAME and OBJECT [0] is enum ir_special, a place in
                                       the frame, the number of an object */
    ir_ref ins;
};
struct cost_move {
    uint32_t from, to; /* slots */
};
struct cost_slice_edge {
    uint32_t block, first, count; /* of moves, made at once */
};
struct cost_slice_block {
    uint32_t first, count; /* steps */
    uint32_t touched;      /* steps that touch a segment */
    uint32_t first_edge;
    uint32_t operand; /* slot of what its terminator has */
    uint32_t work;    /* instructions of the function's block, copied bytes too */
};
struct cost_constant {
    uint32_t slot;
    scalar_bits value;
};
/* A function's slice. */
struct cost_slice {
    const struct ir_function *f;
    uint32_t *slot;        /* by value: 0: it does not belong to the slice */
    uint32_t slots;        /* 0 included */
    const uint32_t *order; /* by block: its place in reverse post-order */
    uint32_t frame;        /* bytes */
    struct cost_slice_block *blocks;
    VEC(struct cost_step) steps;
    VEC(struct cost_slice_edge) edges;
    VEC(struct cost_move) moves;
    VEC(struct cost_constant) constants;
};
/* called: other functions want what it returns and stores; else the segments that it touches count. cfg: of f;
 * NULL: it has to be made. shared: what is in shared memory is wanted, too. Time and space: the function's
 * size. */
const struct cost_slice *cost_slice_new(struct arena *a, const struct ir_function *f,
                                        const struct ir_cfg *cfg, bool called, bool shared);

/* ---- lanes ------------------------------------------------------------------------------------------- */

/* What was stored in memory. */
struct cost_memory {
    struct map values; /* address and space -> index of `stored` plus 1 */
    VEC(struct cost_stored) stored;
    VEC(struct cost_filled) filled; /* each range once */
    bool forgot; /* a call may have written anywhere: what the launch gives is not there any more */
};

/* One lane while it is sampled. */
struct cost_lane {
    struct cost_memory memory; /* but for shared memory: what it has stored itself */
    u32_vec epochs; /* of one that is cut: the visit that each iteration of an outermost cycle begins with */
};

/* A function that lanes have entered together. Values stand by slot, and there by lane; slot 0 is never
 * known. */
struct cost_frame {
    const struct cost_slice *slice;
    scalar_bits *value;
    uint64_t *known; /* by slot: lanes that know it */
    uint32_t base;   /* where its private memory begins */
    bool entered;    /* and have not returned yet */
};

/* Lanes that are at blocks of a function; those of the first one in reverse post-order run next, so that lanes
 * that have parted meet again where they can. */
struct cost_group {
    uint32_t block;
    uint64_t lanes;
};
struct cost_groups {
    struct cost_group at[COST_MAX_LANES];
    uint32_t count; /* the last one is next */
};
void cost_groups_add(struct cost_groups *g, const struct cost_slice *slice, uint32_t block, uint64_t lanes);

struct cost_sampler {
    struct arena *arena;
    struct cost_sample *s;
    const struct ir_uniformity *u;
    const struct cost_hints *hints;
    const struct ir_kernel_info *kernel;   /* NULL: a device function */
    const struct launch_value **arguments; /* see cost_arguments */
    struct cost_frame **called;            /* by function, once it is called */
    struct cost_lane *lane;
    struct cost_memory *shared; /* if the lanes are a whole block; NULL: it holds anything */
    struct cost_frame *frame;   /* that runs */
    uint32_t calls;             /* around it */
    uint32_t *visited;          /* by block of the sampled function and lane: how often */
    uint32_t **sums;            /* by block: likelihoods of its edges, summed up; NULL: not asked for */
    uint32_t *place;            /* by object: its address */
    uint64_t left;              /* of the budget */
};

/* By parameter of the entry: what the launch gives it and loads find there, or NULL: not known
 * (sample_launch.c). */
const struct launch_value **cost_arguments(struct arena *a, const struct ir_function *f,
                                           const struct launch *l);
/* Parameters of the kernel whose memory it may write. */
struct bitset cost_written(struct arena *a, const struct ir_function *f);
/* Lanes of the warp; a special value of one of them. */
uint32_t cost_lanes_of(const struct cost_hints *hints);
/* Whether they are all threads of a block. */
bool cost_is_whole_block(const struct cost_hints *hints);
uint32_t cost_special(const struct cost_hints *hints, enum ir_special s, uint32_t lane);

/* A number in no order that depends on these alone. */
uint64_t cost_draw(uint64_t what, uint64_t which, uint64_t lane);
/* Where no value is known but constants. */
void cost_make_frame(const struct cost_sampler *x, struct arena *a, struct cost_frame *frame,
                     const struct cost_slice *slice);
/* Before the first instruction: parameters of the sampled function. */
void cost_run_parameters(struct cost_sampler *x);
/* Instructions of the block; those of functions that it calls run as well. What one gives is not known if that
 * can't be said. Segments of accesses, but for those in calls, go to the sample's, from first_segment on, for
 * one lane after the other. */
void cost_run_block(struct cost_sampler *x, uint32_t block, uint64_t lanes, uint32_t first_segment);
/* The edge that a lane takes by likelihood where it doesn't know. */
uint32_t cost_draw_edge(struct cost_sampler *x, uint32_t block, uint32_t lane);
/* The lanes leave the block, each by the edge that it takes, and join those who are where that leads. Those
 * that do not know theirs take a likely one; in a function that is called they are nowhere. */
void cost_leave_block(struct cost_sampler *x, uint32_t block, uint64_t lanes, struct cost_groups *groups);

#endif
