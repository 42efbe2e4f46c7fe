/* sample.h: what the files that sample lanes share. */
#ifndef KERNC_OPT_SAMPLE_H
#define KERNC_OPT_SAMPLE_H

#include "opt/cost/cost.h"

/* One lane while it is sampled. */
struct cost_lane {
    uint32_t number, block, from, edge; /* from: the block it comes from, by this edge */
    bool done;
    scalar_bits *value;
    bool *known;
    uint32_t *visited; /* by block: how often */
    struct map memory; /* address and space -> index of `stored` plus 1 */
    VEC(scalar_bits) stored;
    u32_vec epochs; /* index of the visit that each iteration of an outermost cycle begins with */
};

struct cost_sampler {
    struct arena *arena;
    struct cost_sample *s;
    const struct ir_uniformity *u;
    const struct cost_hints *hints;
    const struct ir_kernel_info *kernel;   /* NULL: a device function */
    const struct launch_value **arguments; /* see cost_arguments */
    int32_t *cases;                        /* by instruction: enum scalar_case, -1: none */
    uint32_t **sums; /* by block: likelihoods of its edges, summed up; NULL: not asked for */
    uint32_t *place; /* by alloca, object: its address */
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
/* What r gives the lane; `known` is false if that can't be said. Its access, if it is one, goes to the
 * sample's segments. */
void cost_run_instruction(struct cost_sampler *x, struct cost_lane *lane, ir_ref r);
/* Before the first instruction: parameters of the function. */
void cost_run_parameters(struct cost_sampler *x, struct cost_lane *lane);

#endif
