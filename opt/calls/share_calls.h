/* share_calls.h: what the files of the pass share_calls share. */
#ifndef KERNC_OPT_SHARE_CALLS_H
#define KERNC_OPT_SHARE_CALLS_H

#include "opt/cost/cost.h"
#include "opt/pass.h"

/* A direct call. `reach`: blocks that lead to it within an iteration of the innermost cycle around it, its own
 * among them. */
struct share_site {
    ir_ref call;
    uint32_t block, callee;
    struct bitset reach;
};

/* Function f as it is. */
struct share_sites {
    struct opt_context *c;
    struct ir_function *f;
    VEC(struct share_site) at; /* in reverse post-order */
};

/* Call sites that may become one: indices of share_sites.at. `moved`: values that one block more carries to
 * those behind the calls. */
struct share_group {
    u32_vec sites;
    uint32_t moved;
    uint64_t saved;
};

/* Cycles that sharing costs, of so many sites and values that are carried along, the selector among them: a
 * group of lanes pays for its moves into the block and out of it, and for the branch. */
static inline uint64_t share_price(uint64_t sites, uint64_t values)
{
    return sites * (2 * values + 1);
}

/* Whether no thread comes from one of the calls to the other within an iteration, and some divergent branch
 * leads to both by different edges. Linear in the function. */
bool share_parted(const struct share_sites *s, uint32_t a, uint32_t b);
/* Why the sites must not, or should not, become one, as the id of a remark; NULL: they may. Finds `moved` and
 * `saved`, for a callee of so many cycles. Linear, but for
 * tokens times blocks of those whose regions have some of the calls. */
const char *share_refused(const struct share_sites *s, struct share_group *g, uint64_t cycles);
/* Makes one call of the group's, and repairs the SSA form. The sites are out of date then. */
void share_group(struct share_sites *s, const struct share_group *g);

#endif
