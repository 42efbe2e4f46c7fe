/* clone.h: copies of blocks of a function, in the same function.
 *
 * A pass clones the blocks of a region, then their instructions in an order in which definitions come before
 * uses, then their edges: these lead to the copies where there are any. The edges into the region are the
 * pass's to move, and so is the SSA form to be repaired (demote.h).
 */
#ifndef KERNC_OPT_CLONE_H
#define KERNC_OPT_CLONE_H

#include "opt/kit/demote.h"

struct opt_clone {
    struct arena *arena;
    struct ir_function *f;
    struct opt_demotion *demotion; /* is called for each copy, if not NULL */
    ir_ref *value;                 /* by value: its copy, or 0 */
    uint32_t *block;               /* by block: its copy, or IR_NO_BLOCK */
    uint32_t values, blocks;       /* that there is room for */
};
/* Makes room for the values and blocks that there are now. Nothing may be cloned that is not forgotten. */
void opt_clone_reserve(struct opt_clone *c);
/* A new block with parameters like those of b. */
uint32_t opt_clone_block(struct opt_clone *c, uint32_t b);
void opt_clone_instructions(struct opt_clone *c, uint32_t b, bool hearts); /* hearts: IR_loop, too */
/* The copies' edges, to copies where there are some; once all blocks are copied. */
void opt_clone_edges(struct opt_clone *c, uint32_t b);
/* Forgets the copies of b and of its values, so that it can be cloned again. */
void opt_clone_forget(struct opt_clone *c, uint32_t b);

static inline ir_ref opt_cloned_value(const struct opt_clone *c, ir_ref r)
{
    return r < c->values && c->value[r] ? c->value[r] : r;
}
static inline uint32_t opt_cloned_block(const struct opt_clone *c, uint32_t b)
{
    return b < c->blocks && c->block[b] != IR_NO_BLOCK ? c->block[b] : b;
}

#endif
