/* demote.h: repairing SSA form after code was copied.
 *
 * A pass that copies blocks gives some values several definitions. It says which (opt_demote), and for each
 * copied value what copies stand for it (opt_demote_copy); opt_demote_finish makes the values variables,
 * written at each definition and read at each use that is not direct, and turns them into values again.
 */
#ifndef KERNC_OPT_DEMOTE_H
#define KERNC_OPT_DEMOTE_H

#include "opt/pass.h"

struct opt_demotion {
    struct opt_context *c;
    struct ir_function *f;
    struct map variable; /* of a value that is a variable now */
    VEC(ir_ref) values;  /* by variable: the value it was */
    VEC(struct {
        ir_ref r;
        uint32_t variable;
    })
    definitions;
    u32_vec region; /* by block: 0, or where uses of values of the same region are
                       direct */
};
/* Uses in a block of the region that the value's own block is in are direct. Regions are numbered from 1. */
void opt_demote_region(struct opt_demotion *d, uint32_t block, uint32_t region);
void opt_demote(struct opt_demotion *d, ir_ref value);                   /* twice does no harm */
void opt_demote_copy(struct opt_demotion *d, ir_ref value, ir_ref copy); /* nothing if value is not demoted */
/* Those whose definitions do not dominate all their uses any more; tokens are not looked at. Asks for the
 * analyses anew. Near-linear. */
void opt_demote_broken(struct opt_demotion *d);
void opt_demote_finish(struct opt_demotion *d); /* asks for the analyses anew */

/* The values that are used outside of their region. Linear. */
struct bitset opt_used_outside(struct opt_demotion *d);

#endif
