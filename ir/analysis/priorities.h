/* priorities.h: what the files of the order of priorities share (priorities.c). Private to ir/. */
#ifndef KERNC_IR_PRIORITIES_H
#define KERNC_IR_PRIORITIES_H

#include "base/rows.h"
#include "ir/analysis/analysis.h"

/* Nodes are blocks, and behind them cycles; each belongs to a stretch: a cycle, or the last, the function. */
struct sorter {
    const struct ir_cfg *g;
    const struct ir_cycles *cycles;
    const struct bitset *turned; /* cycles that end with their header (turns.c); or NULL */
    const struct ir_leaving *leaving;
    struct arena *arena;
    struct bitset stays;    /* blocks that are reached without parting edges (ir_is_parting) */
    struct bitset hoisted;  /* of the others, those that come before all but the entry */
    uint32_t *parent;       /* by node: its stretch */
    uint32_t *depth;        /* by stretch: how many it is in */
    uint32_t *jump;         /* by stretch: one farther out, as of dominators; of the function: itself */
    struct rows successors; /* of nodes, within their stretch */
    uint32_t *waits;        /* by node: edges from nodes that are not placed yet */
    uint64_t *rank;         /* by node: the lowest is placed first */
    u32_vec *ready;         /* by stretch: a heap of nodes */
    uint32_t *latch;        /* by cycle: the block that leads back; IR_NO_BLOCK: none yet */
    struct bitset header_last;
    u32_vec order;
    struct rows uses; /* of each token: the blocks where it is used, but for its own */
    uint64_t left;    /* of the work; 0: too much */
};

static inline uint32_t node_of_cycle(const struct sorter *s, uint32_t cycle)
{
    return s->g->blocks + cycle;
}

static inline uint32_t function(const struct sorter *s)
{
    return s->cycles->count;
}

/* Stretches as the cycles are. */
void ir_stretches_of_cycles(struct sorter *s);
/* Those of cycles take in the regions of their tokens. */
void ir_stretches_extend(struct sorter *s);
/* Finds depths and jumps. */
void ir_stretches_measure(struct sorter *s);
/* The innermost stretch that has both nodes; they become the ones in it that have them. O(log depth). */
uint32_t ir_stretch_common(const struct sorter *s, uint32_t *a, uint32_t *b);

#endif
