/* pdg_nodes.h: the instructions of a region that have effects, and which of them stand in for others. Private
 * to the program dependence graph.
 *
 * One stands in for another if all that conflicts with the other, and comes behind both, conflicts with it,
 * too. A store meets every access that may be to its object, but for those from the same root at other
 * offsets: so it stands in for what was there before, but for these. They are distinguished by *parts* of the
 * root: the bytes between neighbouring ends of the accesses from it; if there are too many, the last part is
 * what the others leave.
 */
#ifndef KERNC_IR_PDG_NODES_H
#define KERNC_IR_PDG_NODES_H

#include "ir/analysis/pdg.h"

/* Parts that the accesses from one root touch, and those that some of them write. */
struct ir_pdg_root {
    uint64_t any, written;
    uint32_t cycle;
}; /* cycle: the innermost that defines it */
struct ir_pdg_node {
    struct ir_effects fresh, stale; /* stale: the roots of its addresses may have other values by now */
    ir_ref r;
    bool writes;                 /* conflicts with reads, too */
    bool needed;                 /* something in the region conflicts with its like */
    bool single;                 /* accesses one location, and does nothing else; then root, touches and
                                    covers are set */
    bool all_from, all_to;       /* meets every access from the same root */
    uint32_t from_root, to_root; /* numbers in `roots` */
    uint32_t root;               /* of the one location */
    uint64_t touches, covers;    /* covers: the parts of which it writes every byte */
};
struct ir_pdg_nodes {
    VEC(struct ir_pdg_node) at;    /* in reverse post-order */
    uint32_t *first, *end;         /* by block: its nodes are first .. end - 1 */
    VEC(struct ir_pdg_root) roots; /* number 0 is none */
};
/* Fills in n, in the arena, for the instructions with effects in the blocks of `region`. */
void ir_pdg_nodes_find(struct ir_pdg_nodes *n, struct arena *a, const struct ir_memory *m,
                       const struct ir_cfg *c, const struct ir_cycles *cycles, struct bitset region);

/* Of an effect in force: the accesses for which nothing stands in for it. root 0: all that conflict with it;
 * else those from the root in the parts `left`, which may be none. */
struct ir_pdg_exposure {
    uint32_t root;
    uint64_t left;
};
/* What is left of it behind node k. `i`: the effect as it is by now, of the node `of`. */
struct ir_pdg_exposure ir_pdg_behind(const struct ir_pdg_nodes *n, const struct ir_memory *m,
                                     const struct ir_pdg_node *k, const struct ir_pdg_node *of,
                                     const struct ir_effects *i, struct ir_pdg_exposure x);
static inline bool ir_pdg_is_exposed(struct ir_pdg_exposure x, const struct ir_pdg_node *k)
{
    return x.root == 0 || !k->single || (k->root == x.root && k->touches & x.left);
}
static inline struct ir_pdg_exposure ir_pdg_joined(struct ir_pdg_exposure x, struct ir_pdg_exposure y)
{
    return x.root == y.root ? (struct ir_pdg_exposure){x.root, x.left | y.left}
                            : (struct ir_pdg_exposure){0, 0};
}

#endif
