/* cost.h: what a function costs a warp, estimated before it ever runs.
 *
 * Two steps. Lanes of a warp are *sampled*: each runs the function alone, on the values that the launch
 * directive gives; what it can't know (memory that other threads write, arguments nobody gave) leaves branches
 * undecided, which are then drawn by likelihood. The samples are lists of *visits* of blocks. Then a warp
 * *replays* them: the same work in code with different barriers, piece by piece, in modelled cycles
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
    COST_LEVELS = 3,        /* of loops in one another that count so */
    COST_GUESSES = 3,
};

/* each_lane(n, lanes) — n is each lane whose bit is set, from the lowest on. */
#define each_lane(n, lanes)                                                                                  \
    for (uint64_t n##_left = (lanes), n##_one = 0; n##_left; n##_left &= n##_left - 1)                       \
        for (uint32_t n = (uint32_t)__builtin_ctzll(n##_left); n##_one != n##_left; n##_one = n##_left)

/* ---- without running anything (static_cost.c) -------------------------------------------------------- */

/* Cycles of the block's instructions, the warp's accesses to memory in one segment each; of calls only the
 * call. */
uint32_t cost_of_block(const struct ir_function *f, uint32_t b);
/* Cycles of the instruction; of a call with those of the callee. functions: the analysis costs. At most
 * UINT32_MAX. */
uint32_t cost_of_instruction(const struct ir_function *f, ir_ref r, const uint64_t *functions);
/* Cycles of a call of each function, 0 for those that nothing calls or points to: blocks in loops count
 * as often as a profile says, or COST_TRIPS times a level, COST_LEVELS at most. Passes ask for it as the
 * analysis costs. */
typedef VEC(uint64_t) cost_table;
cost_table *cost_of_functions(struct opt_context *c, struct arena *a, const struct ir_module *m);
/* The edge of a test in front of a loop, as rotate makes it, that leads to the loop; the number of edges: the
 * block ends in no such test. */
uint32_t cost_guarded_edge(const struct ir_function *f, const struct ir_cycles *cycles, uint32_t b);
/* Accesses to global or constant memory, whose transactions count. */
bool cost_is_access(const struct ir_function *f, ir_ref r);

/* ---- how often, by a profile (profile.c) ------------------------------------------------------------- */

/* How often lanes ran each block of a function and took each edge in an earlier run (--profile-use), as far as
 * the counts of places in it tell. Passes ask for it as the analysis profile; NULL knows nothing. */
struct cost_profile;
struct opt_options;
/* The branches of each place of the module, which passes may have copied. Passes ask for it as the analysis
 * branches. */
struct cost_branches;
struct cost_branches *cost_branches_new(struct arena *a, const struct ir_module *m,
                                        const struct opt_options *o);
struct cost_profile *cost_profile_new(struct arena *a, const struct ir_cfg *cfg,
                                      const struct ir_cycles *cycles, const struct cost_branches *branches,
                                      const struct opt_options *o);
/* Whether the block's count is known. */
bool cost_is_counted(const struct cost_profile *p, uint32_t b);
/* Of lanes; 0 also if it is not known. */
uint64_t cost_count(const struct cost_profile *p, uint32_t b);
uint64_t cost_edge_count(const struct cost_profile *p, uint32_t b, uint32_t e);
/* The share of edge e among those of block b, in 1/65536; UINT32_MAX: not known. */
uint32_t cost_likely(const struct cost_profile *p, uint32_t b, uint32_t e);
/* Iterations of the cycle, on average, each time lanes enter it; 0: not known. */
double cost_trips(const struct cost_profile *p, uint32_t cycle);

/* ---- sampled lanes (sample.c, sample_values.c, sample_launch.c) --------------------------------------- */

struct cost_visit {
    uint32_t block, segments; /* segments: index in the sample's, of the block's first access */
};
typedef VEC(struct cost_visit) cost_visits;

/* What one knows of a kernel besides. */
struct cost_hints {
    const struct cost_profile *profile;
    const struct launch *launch;  /* of the kernel; NULL: none */
    uint32_t warp;                /* threads of its warps; 0: COST_LANES, whatever the launch's blocks have */
    uint32_t block, first_thread; /* which warp of the launch: its block, and its first thread there */
    bool once;      /* what the budget is too little for is left out, and no iterations are repeated */
    uint32_t guess; /* below COST_GUESSES: 0, of what is not known the likely; others, what may be as well */
    const struct cost_hints *mixed; /* the lanes are of these warps, as many of each: see cost_mix */
    uint32_t mix;                   /* how many */
};

/* The launch of a kernel that is expected: the module's first, but for what the options say. */
const struct launch *cost_launch_of(struct arena *a, const struct ir_function *f,
                                    const struct opt_options *o);

/* Warps across the launch's grid, as different as may be: hints[0] is given, and `most` of them at most are
 * filled in; how many. */
uint32_t cost_choose_warps(struct cost_hints *hints, uint32_t most);
/* As many lanes as a warp has, of several warps, of each some across it. False: a warp is not whole, or its
 * lanes can't be divided among so many. */
bool cost_mix(const struct cost_hints *warps, uint32_t count, struct cost_hints *mixed);

struct cost_sample {
    const struct ir_function *f;
    const struct ir_cfg *cfg;
    const struct ir_cycles *cycles;
    uint32_t *cost; /* by block: cycles, callees included */
    u32_vec segments;
    uint32_t lanes;
    cost_visits lane[COST_MAX_LANES]; /* each leads to the next; behind the last is one of no block */
    uint64_t visits, together; /* by lanes while they were sampled; by those who were at the block together */
    bool guessed;              /* branches were drawn of which nothing is known */
    bool cut;                  /* the budget was too little */
    uint32_t epochs;           /* that it was enough for, of each lane; 1: it was enough */
};

/* Runs the lanes of a warp, `budget` instructions together at most. Where that is too little, lanes keep the
 * iterations of outermost loops that all have come through, and further ones are made by repeating those of
 * other lanes. NULL: the function has nothing to run. */
struct cost_sample *cost_sample_new(struct arena *a, const struct ir_uniformity *u, const uint64_t *functions,
                                    const struct cost_hints *hints, uint64_t budget);
/* The lanes of one warp of those that are mixed in the sample. */
const struct cost_sample *cost_sample_part(struct arena *a, const struct cost_sample *mixed, uint32_t part,
                                           uint32_t parts);

/* ---- registers (registers.c) ------------------------------------------------------------------------- */

/* By value, one of those that have its register: an argument of an edge is moved to its parameter unless these
 * are the same. Values and edges, times the edges back that a value lives through. */
uint32_t *cost_registers(struct arena *a, const struct ir_cfg *g);

/* ---- the code that a warp runs (code.c) -------------------------------------------------------------- */

/* An operation on a convergence barrier, as in ir/ops.def. */
struct cost_op {
    enum ir_op op;
    uint32_t reg, threshold, wait; /* threshold, wait: of a cancel: only those who would have to wait there */
    bool flag;                     /* of a join: gather; of a cancel: as member; of a wait: with a rejoin */
};
/* A part of a block, or code beside those of the sampled function. */
struct cost_piece {
    uint32_t cycles, instructions, accesses;
    uint32_t first_access;  /* number of the first access, among the block's */
    uint32_t block;         /* of the sampled function; IR_NO_BLOCK: of none */
    bool is_first, is_last; /* of the block's pieces */
    bool is_wait;           /* nothing but operations on barriers stands in it */
    uint32_t first_op, ops; /* a cb.wait is the last; there is one edge then */
    uint32_t first_edge, edges;
    uint32_t reconverge; /* register that lanes join as they diverge at the end, or COST_NOWHERE */
};
/* What code costs that is issued, but for its accesses. */
struct cost_issue {
    uint32_t cycles, instructions;
};
struct cost_edge {
    uint32_t piece, block; /* block: of the sampled function, whose first piece is the next one on this way */
    uint32_t moves;        /* instructions of a cycle each that lanes run on the way */
    struct cost_issue missed; /* what is issued of a predicated arm, where no lane goes this way */
};
#define COST_NOWHERE UINT32_MAX
struct cost_code {
    VEC(struct cost_piece) pieces;
    VEC(struct cost_op) ops;
    VEC(struct cost_edge) edges;
    uint32_t registers, entry;
    bool *rejoins; /* by register: lanes rejoin it, or cancel as members */
};

/* The code of `placed`, which is a copy of the function with barriers placed: what was an instruction is one,
 * under the same number. Registers are below `registers`. */
struct cost_code *cost_code_of(struct arena *a, const struct ir_function *f, const struct ir_function *placed,
                               uint32_t registers, const uint64_t *functions);
/* The function's own code, whose threads wait for each other at the branches' post-dominators, at no cost. */
struct cost_code *cost_code_plain(struct arena *a, const struct ir_uniformity *u,
                                  const struct ir_dominators *post, const uint64_t *functions);
/* The register that is waited for with this threshold, or COST_NOWHERE. */
uint32_t cost_code_register(const struct cost_code *code, uint32_t threshold);
/* Waits for the register that have a threshold, and cancels before them, get another one. */
void cost_code_set_threshold(struct cost_code *code, uint32_t reg, uint32_t threshold);

/* ---- a warp (replay.c) ------------------------------------------------------------------------------- */

struct cost_figures {
    uint64_t cycles, instructions, steps; /* steps: pieces executed by a group */
    bool cut;                             /* the steps allowed were too few */
    /* By block of the function; all NULL: not wanted. By groups; by lanes; cycles of further segments. */
    uint64_t *executions, *visits, *extra;
    uint64_t *taken; /* by edge of the code: groups that have taken it; NULL: not wanted */
};
/* What a warp of the sampled lanes costs in this code; after so many steps it is cut. `most` cycles, or more:
 * it was not run any further. */
void cost_replay(const struct cost_sample *s, const struct cost_code *code, uint64_t steps, uint64_t most,
                 struct cost_figures *figures);

#endif
