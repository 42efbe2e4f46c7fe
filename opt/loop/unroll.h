/* unroll.h: what unroll.c (loops of known length), unroll_rest.c (counted loops, with a remainder) and
 * unroll_predict.c (predictions' marks in either) share. */
#ifndef KERNC_OPT_UNROLL_H
#define KERNC_OPT_UNROLL_H

#include "opt/kit/clone.h"

enum { OPT_UNROLL_SIZE_PART = 64 };  /* most instructions of a round that stays a loop */
enum { OPT_UNROLL_TRIPS_FULL = 64 }; /* most iterations that are all written out, and copies of a loop */

struct opt_unroll {
    struct opt_context *c;
    struct ir_function *f;
    const struct ir_cfg *g;
    const struct ir_dominators *d;
    const struct ir_cycles *cycles;
    const struct opt_uses *uses;
    const struct cost_profile *profile; /* NULL: there is none */
    struct opt_demotion demotion;
    struct bitset outside;
    struct opt_renaming renaming;
    struct opt_clone clone; /* the copy at work */
    uint32_t *homes;        /* by prediction: the cycle within one iteration of which it
                               is, or IR_NO_CYCLE; opt_unroll_find_homes */
    u32_vec of_functions;   /* each predict.function */
    uint32_t predictions;   /* of the function, before any copy */
};

/* The loop goes on while lo < hi (or lo <= hi). One side is the counter plus `offset`, where the counter is a
 * parameter of the header that `step` is added to in each iteration; the other side, `bound`, is the same all
 * the time. */
struct opt_counted {
    ir_ref bound;
    uint32_t counter;
    int64_t offset, step;
    bool is_signed, strict;
};

/* A loop that can be unrolled: `test` is the block that leaves it by edge `out`, after `trips` runs; 0: not
 * known, `counted` says when. */
struct opt_unroll_plan {
    uint32_t cycle, latch, latch_edge, test, out, trips, size, factor;
    struct opt_counted counted;
};
struct opt_loop_copy {
    uint32_t header, latch, test;
};

/* Says in a remark at r why the loop is not unrolled. False. */
bool opt_unroll_decline(const struct opt_unroll *u, ir_ref r, const char *id, const char *why);
/* The one edge into the loop, and the block it comes from; NULL: there are several. */
struct ir_edge *opt_unroll_entering_edge(const struct opt_unroll *u, uint32_t cycle, uint32_t *from);
/* Copies the loop; the copy's back edge leads to its own header, its exits to where the loop's do. */
struct opt_loop_copy opt_unroll_copy(struct opt_unroll *u, const struct opt_unroll_plan *p);

/* Whether the loop counts, and is small enough for some factor; fills in `counted` and `factor`. */
bool opt_unroll_counts(struct opt_unroll *u, struct opt_unroll_plan *p);
/* Whether a remainder is allowed and worth it; a remark says why not. */
bool opt_unroll_may_leave_rest(struct opt_unroll *u, const struct opt_unroll_plan *p);
/* Does it: p->factor copies behind a test that as many iterations are left, and the loop for the rest. */
void opt_unroll_rest(struct opt_unroll *u, const struct opt_unroll_plan *p);

/* Needs cycles and dominators; to be called once, before anything is copied. */
void opt_unroll_find_homes(struct opt_unroll *u);
/* Whether the loop may be unrolled with the mark r in it; a remark says why not. */
bool opt_unroll_may_copy_mark(struct opt_unroll *u, const struct opt_unroll_plan *p, ir_ref r);
/* The same of a call, for predictions of functions. */
bool opt_unroll_may_copy_call(struct opt_unroll *u, const struct opt_unroll_plan *p, ir_ref call);
/* Gives the copy of the n blocks predictions of its own, of those that are within an iteration. */
void opt_unroll_renumber(struct opt_unroll *u, const struct opt_unroll_plan *p, const uint32_t *blocks,
                         uint32_t n);

#endif
