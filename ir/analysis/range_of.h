/* range_of.h: what ranges.c, range_conditions.c and range_of.c share. */
#ifndef KERNC_IR_ANALYSIS_RANGE_OF_H
#define KERNC_IR_ANALYSIS_RANGE_OF_H

#include "ir/analysis/ranges.h"

/* All values of an integer type. An i1 counts as 0 or 1. */
struct ir_range ir_range_of_type(enum ir_type t);
/* What an instruction or constant of type i32 or i64 gives, but for parameters and selects, which this knows
 * nothing of; `from`: the type of its first operand; `operands`: ranges of the first two, none empty. */
struct ir_range ir_range_of(const struct ir_ins *ins, enum ir_type from, const struct ir_range operands[2]);

/* ---- conditions (range_conditions.c) ------------------------------------------------------------------ */

struct ir_range_condition {
    ir_ref test; /* a comparison */
    ir_ref of;   /* what it compares: the value that it bounds, plus `add` unless that wraps around */
    int64_t add;
    bool truth;
    uint32_t block, position; /* holds from there on, in what the block dominates */
    uint32_t next;            /* of the same value, plus 1; 0: none */
};

struct ir_ranges {
    struct arena *arena;
    const struct ir_function *f;
    const struct ir_cfg *g;
    const struct ir_dominators *d;
    uint8_t *widen;      /* by block: in which round the header of a cycle begins; 0: none */
    struct ir_range *of; /* by value */
    uint32_t *position;  /* by instruction: in its block, from 1 */
    uint32_t *first;     /* by value: its latest condition, plus 1; 0: none */
    VEC(struct ir_range_condition) conditions;
    struct walk wanted; /* over values whose ranges are found */
    bool changed;
};

#define IR_RANGE_EMPTY ((struct ir_range){INT64_MAX, INT64_MIN})
static inline bool ir_has_range(enum ir_type t)
{
    return t == IR_TYPE_I32 || t == IR_TYPE_I64;
}
static inline bool ir_range_is_empty(struct ir_range r)
{
    return r.lo > r.hi;
}

/* A point of the function: before the instruction at this position of the block. */
struct ir_range_place {
    uint32_t block, position;
};
/* Numbers the block's instructions and notes what holds behind its assertions and along its edges. */
void ir_range_conditions_of(struct ir_ranges *g, uint32_t b);
/* Of the integer v at the place, by what is known of v so far and the conditions that hold there. Looks at
 * CONDITIONS_MAX of them. */
struct ir_range ir_range_in(const struct ir_ranges *g, ir_ref v, struct ir_range_place at);
/* The same where the i1 is true, or false, besides. */
struct ir_range ir_range_if(struct ir_ranges *g, ir_ref v, struct ir_range_place at, ir_ref condition,
                            bool truth);

#endif
