/* coalesce.h: values that may have one register, so that nothing is moved between them where control flow
 * brings one to the other. Shared by the code generator and by the model of what code costs.
 *
 * A value lives in *spans* of positions: of each block where it is needed, from the definition or the block's
 * begin to the last use there or the block's end. Values of a group get one register; no two spans of a group
 * overlap. Lanes of a warp write registers under a mask, so a lane sees its own as if it ran alone: whether the
 * blocks of two arms run one behind the other does not matter, only the ways of one thread do.
 */
#ifndef KERNC_IR_COALESCE_H
#define KERNC_IR_COALESCE_H

#include "ir/analysis/analysis.h"

struct ir_span {
    uint32_t start, end; /* positions, both in it */
};

/* Positions rise along the order of blocks. Of a value without uses, and of one that lives in too many blocks,
 * the whole span counts. */
struct ir_lives {
    const struct ir_cfg *g;
    struct ir_span *block; /* by place in g->rpo */
    struct ir_span *whole; /* by value, from its definition on: at most there it lives */
    uint32_t values;
    struct edge_list uses; /* from: value; to: position; behind the last instruction if an edge takes it */
};

/* Of a group's leader. */
struct ir_group {
    uint32_t count, capacity; /* of spans; capacity 0: they are not its own */
    struct ir_span *spans;    /* in order; NULL: not looked for */
};
struct ir_coalescer {
    struct arena *arena;
    const struct ir_lives *lives;
    struct rows uses;
    uint32_t *leader, *behind; /* by value: which stands for its group; the next one of it, in a circle */
    struct ir_group *groups;   /* by leader */
    /* Of one value, while its spans are looked for; blocks by place in g->rpo. */
    struct walk blocks; /* where it lives */
    uint32_t *last;     /* by block: its last position there */
};
struct ir_coalescer ir_coalescer_new(struct arena *a, const struct ir_lives *lives);
/* Makes one group of two, if no spans overlap and it does not become too large. A group's size is bounded, and
 * so is the number of blocks looked at for a value: near-linear. */
void ir_coalesce(struct ir_coalescer *x, uint32_t v, uint32_t w);
/* A span that has all of v's group; v is its leader. */
struct ir_span ir_coalesced_span(const struct ir_coalescer *x, uint32_t v);

#endif
