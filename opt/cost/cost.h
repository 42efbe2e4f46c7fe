/* cost.h: what a function costs a warp, estimated before it ever runs.
 *
 * Two steps. Lanes of one warp are *sampled*: each runs the function alone, on the values that the launch
 * directive gives; what it can't know (memory that other threads write, arguments nobody gave) leaves branches
 * undecided, which are then drawn by likelihood. The samples are lists of *visits* of blocks. Then a warp
 * *replays* them: the same work under different rules of who waits where, block by block, in modelled cycles
 * (ir/latency.def, docs/metrics.md). All of it is deterministic.
 */
#ifndef KERNC_OPT_COST_H
#define KERNC_OPT_COST_H

#include "ir/analysis/analysis.h"

struct opt_context;

enum {
    COST_LANES = 32, /* of a warp of which nothing is said */
    COST_MAX_LANES = 64,
    COST_SEGMENT = 128,     /* bytes of a memory transaction */
    COST_NEXT_SEGMENT = 8,  /* cycles for each segment of an access beyond the first */
    COST_UNKNOWN_CALL = 50, /* cycles of a call that may lead anywhere */
    COST_TRIPS = 8,         /* iterations of a loop of which nothing is known */
};

/* ---- without running anything (static_cost.c) -------------------------------------------------------- */

/* Cycles of the block's instructions, the warp's accesses to memory in one segment each; of calls only the
 * call. */
uint32_t cost_of_block(const struct ir_function *f, uint32_t b);
/* Cycles of the instruction; of a call with those of the callee. functions: the analysis costs. At most
 * UINT32_MAX. */
uint32_t cost_of_instruction(const struct ir_function *f, ir_ref r, const uint64_t *functions);
/* Cycles of a call of each function, 0 for those that nothing calls or points to: blocks in loops count
 * COST_TRIPS times a level, three levels at most. Passes ask for it as the analysis costs. */
typedef VEC(uint64_t) cost_table;
cost_table *cost_of_functions(struct opt_context *c, struct arena *a, const struct ir_module *m);
/* Accesses to global or constant memory, whose transactions count. */
bool cost_is_access(const struct ir_function *f, ir_ref r);

/* ---- with a profile (profile.c) ---------------------------------------------------------------------- */

/* How often lanes took each edge of a function in an earlier run, as far as the counts of places in it tell. */
struct cost_profile;
struct opt_options;
/* The branches of each place of the module, numbered in order, which passes may have copied. Functions keep
 * their branches until their profile is made. NULL: the options have no profile. */
struct cost_branches;
struct cost_branches *cost_branches_new(struct arena *a, const struct ir_module *m,
                                        const struct opt_options *o);
/* NULL: there are no branches, or the profile knows nothing of the function. */
struct cost_profile *cost_profile_new(struct arena *a, const struct ir_cfg *cfg,
                                      const struct cost_branches *branches, const struct opt_options *o);
/* For struct cost_hints: the share of edge e among those of block b, in 1/65536; UINT32_MAX: not known. */
uint32_t cost_profile_likely(void *profile, const struct ir_function *f, uint32_t b, uint32_t e);

/* ---- sampled lanes (sample.c, sample_values.c) ------------------------------------------------------- */

struct cost_visit {
    uint32_t block, segments; /* segments: index in the sample's, of the block's first access */
    uint32_t cycles;          /* of a visit that stands for a whole loop; 0: the block's */
    uint32_t further;         /* of such: cycles that the lane adds where another one runs it too */
};
typedef VEC(struct cost_visit) cost_visits;

/* What one knows of a branch besides: `likely` gives the probability of edge e of block b in 1/65536, or
 * UINT32_MAX; NULL: nothing. */
struct cost_hints {
    uint32_t (*likely)(void *data, const struct ir_function *f, uint32_t b, uint32_t e);
    void *data;
    const struct launch *launch; /* of the kernel; NULL: none */
    uint32_t warp;               /* threads of its warps; 0: COST_LANES, whatever the launch's blocks have */
};

/* The launch of a kernel that is expected: the module's first, but for what the options say. */
const struct launch *cost_launch_of(struct arena *a, const struct ir_function *f,
                                    const struct opt_options *o);

struct cost_sample {
    const struct ir_function *f;
    const struct ir_cfg *cfg;
    const struct ir_cycles *cycles;
    const struct ir_dominators *post; /* where threads reconverge */
    uint32_t *cost, *accesses;        /* by block: cycles, callees included; accesses to memory */
    u32_vec segments;
    uint32_t lanes;
    cost_visits lane[COST_MAX_LANES];
    bool *whole; /* by block: its visits stand for the loop that it heads; NULL: none do */
    bool cut;    /* the budget was too little */
};

/* Runs the lanes of a warp, `budget` instructions together at most. Where that is too little, lanes keep the
 * iterations of outermost loops that all have come through, and further ones are made by repeating those of
 * other lanes. NULL: the function has nothing to run. */
struct cost_sample *cost_sample_new(struct arena *a, const struct ir_uniformity *u,
                                    const struct ir_dominators *post, const uint64_t *functions,
                                    const struct cost_hints *hints, uint64_t budget);
/* The same lanes, where each run through a cycle that neither `keep` nor any block of `around` stands in is one
 * visit, of its header. `further`: by block, cycles of segments that a lane's visit adds to another's. */
struct cost_sample *cost_sample_collapse(struct arena *a, const struct cost_sample *s, uint32_t keep,
                                         const double *further);

/* ---- a warp (replay.c) ------------------------------------------------------------------------------- */

struct cost_rules {
    uint32_t label;       /* block at whose start threads wait, or IR_NO_BLOCK: no prediction */
    uint32_t start;       /* block at whose end they join */
    struct bitset region; /* blocks from which the label can be reached without passing the start */
    uint32_t threshold;   /* 0: all wait */
};
struct cost_figures {
    uint64_t cycles, steps; /* steps: blocks executed by a group */
    bool cut;               /* the steps allowed were too few */
    /* by block; all NULL: not wanted */
    uint64_t *executions, *visits, *extra; /* by groups; by lanes; cycles of further segments */
};
/* What a warp of the sampled lanes costs under these rules; after `steps` blocks of groups it is cut. */
void cost_replay(const struct cost_sample *s, const struct cost_rules *rules, uint64_t steps,
                 struct cost_figures *figures);

#endif
