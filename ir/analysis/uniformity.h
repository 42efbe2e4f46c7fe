/* uniformity.h: what the files of the uniformity analysis share. Private to ir/. */
#ifndef KERNC_IR_UNIFORMITY_H
#define KERNC_IR_UNIFORMITY_H

#include "base/rows.h"
#include "ir/analysis/analysis.h"

struct uniformity_use {
    ir_ref value, user;
};
struct uniformity_finder {
    struct ir_uniformity *u;
    const struct ir_function *fn;
    struct ir_join_finder *joins;
    const struct ir_dominators *dominators; /* NULL: all cycles are reducible, or a machine is asked about */
    struct rows users;                      /* of each value; an edge argument's user is the parameter */
    VEC(struct uniformity_use) * outside;   /* by cycle: uses outside of it of values made in it */
    u32_vec work, branch_work;              /* divergent values and branches whose effects are still to be
                                               followed */
    uint32_t scoped_done;                   /* branches of u->scoped that have been followed */
    bool machine;                           /* ignore_tokens, of struct ir_uniformity_options */
    struct bitset divergent_loads;          /* without bits: none */
    const bool *uniform_params;
    uint32_t *first_edge;          /* scratch by block: the latest branch's first edge to it */
    const uint32_t *reconvergence; /* see struct ir_uniformity_options */
    uint64_t steps, most;          /* taken, and the limit */
    /* by cycle */
    uint32_t *outermost, *irreducible; /* around it, or itself; the latter the outermost irreducible one */
    uint32_t *unsettled;               /* towards the first one around it, or itself, that threads do not
                                          exit divergently by itself (union-find) */
    struct bitset assumed_outward;     /* it and all around it are assumed divergent */
    uint32_t *assumed_at, assumed;     /* as how manieth it was assumed divergent */
    uint32_t *unassumed;               /* by place in cycles->blocks: towards the first from there on that
                                          is in no cycle assumed divergent (union-find) */
    uint32_t *exit_block;              /* with `reconvergence`: the block that all exits lead to, or
                                          IR_NO_BLOCK: there are several */
    const struct ir_dominators *tree, *post; /* NULL until they are asked for */
    struct walk unreconverged; /* scratch: over blocks that a branch's threads may pass before they
                                  reconverge */
    uint32_t visits;
    struct arena *arena;
    struct arena *passing; /* until the fixed point is reached: what is as large as the
                              cycles that all edges and uses leave */
};

/* ---- marking (ir/analysis/uniformity.c) -------------------------------------------------------------- */

/* The value r is divergent; nothing happens if it is known, or if r makes no value. */
void ir_mark_value(struct uniformity_finder *f, ir_ref r, enum ir_divergence kind, ir_ref cause);
/* So is the branch at the block's end, if there is one. */
void ir_mark_branch(struct uniformity_finder *f, uint32_t block, enum ir_divergence kind, ir_ref cause);
/* What `user` makes of a value that is not the same for all who are together there. */
void ir_mark_user(struct uniformity_finder *f, ir_ref user, enum ir_divergence kind, ir_ref value);

/* ---- scopes (ir/analysis/uniformity_scopes.c) -------------------------------------------------------- */

/* Before the rest: what ir_mark_divergent_exit looks at. Uses that leave cycles, summed over these cycles. */
void ir_find_uses_outside(struct uniformity_finder *f);
/* Cycle k has a divergent exit: threads that leave cycle `beyond` (k, or around it) have left k in different
 * iterations. */
void ir_mark_divergent_exit(struct uniformity_finder *f, uint32_t k, uint32_t beyond);
/* The cycle k, or the first one around it, of which there may be more to say by ir_mark_divergent_exit. */
uint32_t ir_first_unsettled(struct uniformity_finder *f, uint32_t k);
/* What anchors' groups do to values and branches inside and outside of their regions. */
void ir_separate_groups(struct uniformity_finder *f);

/* ---- loads (ir/analysis/uniformity_loads.c) ----------------------------------------------------------- */

/* The loads that may differ between threads that execute them together though their addresses are the same. */
struct bitset ir_divergent_loads(struct arena *a, const struct ir_cfg *c);

/* ---- cycles (ir/analysis/uniformity_cycles.c) -------------------------------------------------------- */

/* How many cycles the edges leave, all together. */
uint64_t ir_exits_of_cycles(const struct uniformity_finder *f);
/* What is found once about the cycles. */
void ir_prepare_cycles(struct uniformity_finder *f);
/* Each block is not m-converged for the sake of the cycle around it that was assumed divergent last. */
void ir_note_unconverged(struct uniformity_finder *f);
/* The cycle is assumed divergent: nothing in its scope is converged. */
void ir_assume_divergent(struct uniformity_finder *f, uint32_t k);
/* Assumes those cycles divergent that are not m-converged since threads from the branch reconverge at block
 * `join`. */
void ir_check_join(struct uniformity_finder *f, uint32_t branch, uint32_t join);
/* For a machine: assumes the irreducible cycles around the block divergent, where threads diverge or
 * reconverge. */
void ir_check_irreducible(struct uniformity_finder *f, uint32_t block);
/* Whether the block has a barrier, behind which all threads that have not ended are together. */
bool ir_meet_at_barrier(const struct ir_join_finder *j, uint32_t block);
/* With the option `reconvergence`: assumes those cycles divergent in which iterations reconverge because of the
 * branch. */
void ir_check_iterations(struct uniformity_finder *f, uint32_t branch);
/* Finds exit_block. */
void ir_find_exit_blocks(struct uniformity_finder *f);

#endif
