/* unroll.h: what unroll.c (loops of known length) and unroll_rest.c (counted loops,
 * with a remainder) share. */
#ifndef KERNC_OPT_UNROLL_H
#define KERNC_OPT_UNROLL_H

#include "opt/demote.h"

enum { OPT_UNROLL_SIZE_PART = 64 };      /* most instructions of a round that stays a loop */

struct opt_unroll {
    struct opt_context         *c;
    struct ir_function         *f;
    const struct ir_cfg        *g;
    const struct ir_dominators *d;
    const struct ir_cycles     *cycles;
    const struct ir_uniformity *uniformity;   /* NULL: not asked for yet */
    struct opt_uses             uses;
    struct opt_demotion         demotion;
    struct bitset               outside;
    struct opt_renaming         renaming;
    ir_ref                     *map;          /* value of the loop -> copy at work */
    uint32_t                   *block_map;
    uint32_t                    map_count;
};

/* The loop goes on while lo < hi (or lo <= hi). One side is the counter plus `offset`, where the counter is a
 * parameter of the header that `step` is added to in each iteration; the other side, `bound`, is the same all
 * the time. */
struct opt_counted { ir_ref bound; uint32_t counter; int64_t offset, step; bool is_signed, strict; };

/* A loop that can be unrolled: `test` is the block that leaves it by edge `out`, after `trips` runs; 0: not
 * known, `counted` says when. */
struct opt_unroll_plan {
    uint32_t cycle, latch, latch_edge, test, out, trips, size, factor;
    struct opt_counted counted;
};
struct opt_loop_copy { uint32_t header, latch, test; };

/* The one edge into the loop, and the block it comes from; NULL: there are several. */
struct ir_edge *opt_unroll_entering_edge(const struct opt_unroll *u, uint32_t cycle, uint32_t *from);
/* Copies the loop; the copy's back edge leads to its own header, its exits to where the loop's do. */
struct opt_loop_copy opt_unroll_copy(struct opt_unroll *u, const struct opt_unroll_plan *p);

/* Whether the loop counts, and is small enough for some factor; fills in `counted` and `factor`. */
bool opt_unroll_counts(struct opt_unroll *u, struct opt_unroll_plan *p);
/* Whether a remainder is allowed and worth it; a remark says why not. */
bool opt_unroll_may_leave_rest(struct opt_unroll *u, const struct opt_unroll_plan *p);
void opt_unroll_rest(struct opt_unroll *u, const struct opt_unroll_plan *p);

#endif
