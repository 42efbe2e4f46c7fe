/* sample.h: what the files that sample lanes share. */
#ifndef KERNC_OPT_SAMPLE_H
#define KERNC_OPT_SAMPLE_H

#include "opt/cost/cost.h"

/* A value of a lane in memory. */
struct cost_stored {
    scalar_bits value;
    bool known;
};

/* Memory of a lane that was written as a block: what it holds unless the lane has stored there since. Addresses
 * are those that `memory` of the lane has. */
struct cost_filled {
    uint64_t first, end;
    uint32_t since; /* values that had been stored */
    enum { COST_CLEARED, COST_COPIED, COST_ANYTHING } with;
    uint32_t from; /* COST_COPIED: from this address of an object in constant memory */
};

/* One lane while it is sampled. */
struct cost_lane {
    uint32_t number, block, from, edge; /* from: the block it comes from, by this edge */
    bool done;
    scalar_bits *value;
    bool *known;
    uint32_t *visited; /* by block: how often */
    struct map memory; /* address and space -> index of `stored` plus 1 */
    VEC(struct cost_stored) stored;
    VEC(struct cost_filled) filled; /* each range once */
    bool forgot;    /* a call may have written anywhere: what the launch gives is not there any more */
    uint32_t frame; /* where the private memory of the function begins */
    u32_vec epochs; /* index of the visit that each iteration of an outermost cycle begins with */
};

/* A function as lanes run it. */
struct cost_body {
    const struct ir_function *f;
    int32_t *cases;  /* by instruction: enum scalar_case, -1: none */
    uint32_t *place; /* by alloca: its address in the frame */
    uint32_t frame;  /* bytes */
};

struct cost_sampler {
    struct arena *arena;
    struct cost_sample *s;
    const struct ir_uniformity *u;
    const struct cost_hints *hints;
    const struct ir_kernel_info *kernel;   /* NULL: a device function */
    const struct launch_value **arguments; /* see cost_arguments */
    struct cost_body **bodies;             /* by function, once it is run */
    const struct cost_body *body;          /* that runs */
    uint32_t calls;                        /* around it */
    uint32_t **sums; /* by block: likelihoods of its edges, summed up; NULL: not asked for */
    uint32_t *place; /* by object: its address */
    uint64_t left;   /* of the budget */
};

/* By parameter of the entry: what the launch gives it and loads find there, or NULL: not known
 * (sample_launch.c). */
const struct launch_value **cost_arguments(struct arena *a, const struct ir_function *f,
                                           const struct launch *l);
/* Parameters of the kernel whose memory it may write. */
struct bitset cost_written(struct arena *a, const struct ir_function *f);
/* Lanes of the warp; a special value of one of them. */
uint32_t cost_lanes_of(const struct cost_hints *hints);
uint32_t cost_special(const struct cost_hints *hints, enum ir_special s, uint32_t lane);

/* A number in no order that depends on these alone. */
uint64_t cost_draw(uint64_t what, uint64_t which, uint64_t lane);
const struct cost_body *cost_body_of(struct cost_sampler *x, const struct ir_function *f);
/* No value is known but constants. */
void cost_begin_function(struct arena *a, struct cost_lane *lane, const struct ir_function *f);
/* Instructions of the lane's block; those of functions that it calls run as well. What one gives is not `known`
 * if that can't be said. Accesses go to the sample's segments, but for those in calls. */
void cost_run_instructions(struct cost_sampler *x, struct cost_lane *lane);
/* The lane's way along the edge. */
void cost_follow(const struct cost_sampler *x, struct cost_lane *lane, const struct ir_edge *e);
/* Before the first instruction: parameters of the function. */
void cost_run_parameters(struct cost_sampler *x, struct cost_lane *lane);

#endif
