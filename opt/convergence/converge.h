/* converge.h: what the files of the pass converge share. converge.c says what it does. */
#ifndef KERNC_OPT_CONVERGE_H
#define KERNC_OPT_CONVERGE_H

#include "opt/kit/demote.h"
#include "opt/kit/merge_edges.h"

struct converge {
    struct opt_context *c;
    struct ir_function *f;
    struct arena *arena; /* of one round */
    uint32_t values;     /* of the function before */
    uint64_t work;       /* its values in each round, added up */
    uint64_t looked;     /* blocks looked at in search of demands */
    const struct ir_cfg *g;
    const struct ir_cycles *cycles;
    const struct ir_dominators *dominators, *post;
    const struct ir_leaving *leaving;
    struct bitset stayed_in; /* see ir_stayed_in */
    struct bitset joined;    /* see ir_joined_barriers_new */
    struct bitset gathers;   /* ends of endless parts before them: ways go no farther */
    const struct ir_tokens *tokens;
    struct bitset in_use; /* see ir_tokens_in_use */
    const struct ir_uniformity *uniformity;
    struct ir_join_finder *joins; /* if opt_converge_asks_joins */
    u32_vec cuts;                 /* operations that have to begin a block of their own */
    struct map tried;             /* (branch, user or definition): how often merged before */
    struct map rounds;            /* user or definition: the same, for any branch */
    struct bitset before;         /* of the demand that is being met: opt_converge_before */
    /* of searches (converge_demand.c), by block: the last that saw it; the side that led to it; its place in
     * a region */
    uint32_t *seen, *side, *place, searches;
    u32_vec list;
    struct bitset inside;
};

/* Threads that diverge at block `branch` are to be together in block `target`, those that come there without
 * passing block `stop`: for `user`, an operation with the token of `def`, or (user == def) since an iteration
 * ends. */
struct demand {
    uint32_t branch;
    ir_ref def, user;
    uint32_t target, stop, cycle;
};

static inline uint32_t opt_converge_home(const struct converge *x, ir_ref r)
{
    return ir_at(x->f, r)->block;
}

/* The first demand that is not met and may be tried, or where the search ended as it came to its limit; false:
 * there is none (converge_demand.c). Each is tried once, in functions with barriers twice: the first time may
 * leave out an edge that is leaving, and by what it merges make it one that an operation holds. */
bool opt_converge_find(struct converge *x, struct demand *d);
static inline bool opt_converge_is_over(const struct converge *x)
{
    return x->looked >= x->c->options->limits[OPT_LIMIT_converge_looks];
}
/* False: the finder of joins could give up, so it is not asked. */
static inline bool opt_converge_asks_joins(const struct converge *x)
{
    return x->g->pred_start[x->g->blocks] <= IR_JOIN_LIMIT;
}
/* Notes that the demand is tried. */
void opt_converge_note(struct converge *x, struct demand d);
/* How many demands of the same user have been tried. */
uint32_t opt_converge_rounds(const struct converge *x, struct demand d);
/* Blocks whose ends lead to the target without passing `stop`, nor leaving the cycle. */
struct bitset opt_converge_before(const struct converge *x, struct demand d);
/* Whether the edge to block s leads to the target; `before`: opt_converge_before. */
bool opt_converge_leads_there(struct demand d, struct bitset before, uint32_t s);

#endif
