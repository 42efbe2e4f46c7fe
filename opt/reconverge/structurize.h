/* structurize.h: the structured form that opt/reconverge/structurize.c makes. */
#ifndef KERNC_OPT_STRUCTURIZE_H
#define KERNC_OPT_STRUCTURIZE_H

#include "opt/kit/clone.h"
#include "opt/reconverge/cut.h"

/* Whether control flow is nested regions of one entry and one exit (structured.c says what counts);
 * `reconvergence`: ir_return_post_dominators_new. */
bool opt_is_structured(struct arena *scratch, const struct ir_cfg *g,
                       const struct ir_dominators *reconvergence);

/* ---- shared by the pass's files ------------------------------------------------------------------------ */

/* Blocks that a branch's sides lead to before they reconverge. Sides are numbered by their first edge. */
struct sides {
    uint32_t *first; /* by block: the first side that leads there, plus 1; 0: none */
    struct bitset shared, all;
    u32_vec blocks; /* those in `all` */
    uint32_t shared_count;
};

struct structurize {
    struct opt_cut cut;
    uint32_t copies_left; /* instructions */
    uint32_t copied;
    struct map declined;    /* branches that can't be helped */
    struct sides sides;     /* of the branch at hand */
    struct opt_clone clone; /* of the blocks at hand */
};

/* Whether the blocks may run as another copy: few enough, and nothing convergent in them. */
bool opt_structurize_may_copy(const struct structurize *s, struct bitset set);
/* Copies the blocks: s->clone has the copies, whose edges lead to each other or to where the originals' do. */
void opt_structurize_copy(struct structurize *s, struct bitset set);
/* Makes values variables that do not dominate their uses any more, or have a copy. */
void opt_structurize_repair(struct structurize *s);
/* Helps one branch whose sides share blocks, innermost first; or declines it. False: there is none. */
bool opt_structurize_branch(struct structurize *s);

#endif
