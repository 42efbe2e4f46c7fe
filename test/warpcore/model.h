/* model.h: control-flow graphs with random decisions, run by each thread alone and by a warp under the
 * divergence unit: the model test's diverges. No registers, no memory: what counts is which blocks each lane
 * goes through.
 */
#ifndef KERNC_TEST_MODEL_H
#define KERNC_TEST_MODEL_H

#include "runtime/warpcore/divergence.h"

enum { MODEL_LANES = 8, MODEL_BLOCKS = 1000, MODEL_TRACE = 4000, MODEL_NONE = 0xffff };

/* A source of random numbers (splitmix64). */
struct model_random {
    uint64_t state;
};
uint64_t model_next(struct model_random *r);
static inline uint32_t model_below(struct model_random *r, uint32_t n)
{
    return (uint32_t)(model_next(r) >> 32) % n;
}

static inline bool model_chance(struct model_random *r, uint32_t percent)
{
    return model_below(r, 100) < percent;
}

/* ---- graphs: block 0 is the entry -------------------------------------------------------------------- */

enum model_kind {
    MODEL_WORK,  /* a block of the program: its number is in the trace, its decision is the lane's
                    own */
    MODEL_SET,   /* lane variable = value; not in the trace */
    MODEL_TEST,  /* decides whether the variable is `value` */
    MODEL_LEAVE, /* the one exit branch of a loop: decides whether the variable is at least `value` */
};
struct model_block {
    uint8_t kind, count;    /* count of successors; 0: EXIT */
    uint8_t leaves;         /* normal form: 1 + the successor by which this branch leaves its loop;
                               0: none */
    bool constant;          /* decides the same way always: proven uniform */
    bool stops;             /* an EXIT that is no end: a trap, which post-dominance leaves out */
    uint16_t next[2];       /* next[1] if the decision is true */
    uint16_t value, weight; /* WORK: its number in the original graph; weight: instructions */
};
struct model_graph {
    uint32_t count;
    struct model_block at[MODEL_BLOCKS];
};

enum model_class { MODEL_STRUCTURED, MODEL_DAG, MODEL_JUMPS, MODEL_REDUCIBLE, MODEL_GOTO, MODEL_CLASSES };
extern const char *const model_class_name[MODEL_CLASSES];
void model_make(struct model_graph *g, enum model_class class, struct model_random *r);
/* Drops unreachable blocks, and ends the program at those that reach no end. */
void model_tidy(struct model_graph *g);
/* Some EXITs (but never all) become traps; blocks get random weights, some decisions become constant. */
void model_decorate(struct model_graph *g, struct model_random *r);
/* The same program in loop normal form with one EXIT, for source-pc mode. False: too large. */
bool model_normal_form(const struct model_graph *g, struct model_graph *to);

/* Each block's immediate post-dominator on the graph restricted to blocks that reach an end; MODEL_NONE:
 * none. */
void model_post_dominators(const struct model_graph *g, uint16_t *reconverge);
/* Blocks in an order in which (cycles apart) successors come first; their count. */
uint32_t model_post_order(const struct model_graph *g, uint16_t *order);
/* Distance to the nearest EXIT, traps included. */
void model_distances(const struct model_graph *g, uint16_t *distance);
/* ---- programs ---------------------------------------------------------------------------------------- */

enum model_op { MODEL_ENTER, MODEL_BRANCH, MODEL_JUMP, MODEL_CONVERGE, MODEL_EXIT };
/* CONVERGE: target is the branch */
struct model_word {
    uint8_t op;
    bool inverted;
    uint16_t target, reconverge, block;
};
struct model_program {
    uint32_t count, entry;
    struct model_word at[4 * MODEL_BLOCKS];
    bool waits[MODEL_BLOCKS]; /* one side of the block's branch is where its lanes reconverge */
};
/* Blocks in random order, branches of random polarity where the mode leaves them free. */
void model_emit(const struct model_graph *g, const uint16_t *reconverge, enum wc_mode mode,
                struct model_random *r, struct model_program *p);

/* The words as the compiler's and verifier's stack bound (backend/format/warpcore/stack_bound.h) sees them:
 * its answer. */
uint32_t model_given_bound(const struct model_graph *g, const struct model_program *p, enum wc_mode mode);
/* Most entries the stack of rpc mode may hold, worked out here from docs/isa.md's stacking graph. */
uint32_t model_stack_bound(const struct model_graph *g, const uint16_t *reconverge,
                           const struct model_program *p);

/* ---- runs -------------------------------------------------------------------------------------------- */

/* How lanes decide: `table` bits if it has any, else at random; in any case toward the exit after `patience`
 * blocks. */
struct model_decisions {
    uint64_t seed;
    uint32_t patience, bias, group; /* bias: percent of true; lanes of a group decide alike */
    uint32_t table_bits;
    uint32_t table[MODEL_LANES]; /* the decision numbers 0, 1, … of a lane */
    const struct model_graph *original;
    const uint16_t *distance; /* by block of it */
};
struct model_trace {
    uint32_t count;
    uint16_t at[MODEL_TRACE];
};

/* What a thread alone goes through. */
void model_thread(const struct model_graph *g, const struct model_decisions *how, uint32_t lane,
                  struct model_trace *t);

struct model_result {
    const char *failure;        /* NULL: all is as it has to be */
    uint64_t issued, converges; /* words; CONVERGEs among them */
    uint32_t deepest, left;     /* entries at most, and before the last EXIT */
};
/* The warp, and whether its lanes' traces are `expected`. */
struct model_result model_warp(const struct model_graph *g, const struct model_program *p, enum wc_mode mode,
                               const struct model_decisions *how, const struct model_trace *expected,
                               uint32_t lanes);
/* Words that a warp issues under an ideal stack: lanes reconverge at the branches' reconvergence points,
 * CONVERGEs cost nothing. */
uint64_t model_ideal(const struct model_graph *g, const struct model_program *p,
                     const struct model_decisions *how, uint32_t lanes);

#endif
