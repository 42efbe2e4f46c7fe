/* reconverge.h: shared by the files of the pass reconverge (reconverge.c says what it does). */
#ifndef KERNC_OPT_RECONVERGE_H
#define KERNC_OPT_RECONVERGE_H

#include "ir/converge/order.h"
#include "opt/kit/merge_edges.h"

struct reconverge {
    struct opt_context *c;
    struct ir_function *f;
    struct arena *arena;
    struct ir_order *o;
    struct bitset divergent;     /* by block; a block that is newer is divergent */
    struct bitset leading;       /* by node that was there first: leads to one that can be demanded */
    struct bitset returning;     /* by node that was there first: leads to a ret */
    struct map exits;            /* see ir_reconvergence_tree */
    struct map broken;           /* edges that broke before the pass */
    uint32_t *virtual;           /* see ir_reconvergence_tree */
    struct bitset meetings;      /* nodes with barriers: sides of a branch behind one do not count */
    const struct ir_cfg *g;      /* now */
    struct ir_order_graph graph; /* the same, without exits */
    const struct ir_dominators *dominators, *waits; /* waits: ir_reconvergence_tree */
    uint32_t node;                                  /* that the pass has come to */
    u32_vec active;    /* branches before the node, whose threads wait for each other behind it */
    u32_vec demanding; /* of these: those for whose sake it is demanded */
    uint64_t work;
    bool changed, gives_up;    /* at a limit */
    bool diverges_at_barriers; /* see below; but for threads that may end first */
};

/* Places in the order: of a node, of a block, and of where the threads of block b's branch wait, UINT32_MAX: at
 * the function's end. */
static inline uint32_t position(const struct reconverge *x, uint32_t node)
{
    return x->o->position.at[node];
}

static inline uint32_t position_of_block(const struct reconverge *x, uint32_t b)
{
    return position(x, ir_order_node(x->o, b));
}

static inline uint32_t wait_position(const struct reconverge *x, uint32_t b)
{
    uint32_t node = x->waits->idom[ir_order_node(x->o, b)];
    return node == IR_NO_BLOCK ? UINT32_MAX : position(x, node);
}

static inline bool is_divergent(const struct reconverge *x, uint32_t b)
{
    return b >= x->divergent.bits || bitset_has(x->divergent, b);
}

static inline bool is_exit(const struct reconverge *x, uint32_t from, uint32_t to)
{
    return map_get(&x->exits, ir_edge_key(from, to)) != MAP_NONE;
}

/* After a change: the graph, where threads wait in it, and the branches before the node. */
void reconverge_look(struct reconverge *x);
/* The nodes of `from` and those that they lead to `by` the graph, next or before, by nodes that stand before
 * position `limit` and are not in `stop`. */
struct bitset reconverge_reach(struct reconverge *x, const u32_vec *from, uint32_t limit,
                               const struct rows *by, struct bitset stop);
#define NOWHERE ((struct bitset){0})
/* Whether the node is a place where threads may have to be together. */
bool reconverge_may_be_demanded(const struct reconverge *x, uint32_t node);
/* Nodes before the one at `at` from which a way leads there or behind it. */
struct bitset reconverge_find_live(struct reconverge *x, uint32_t at);
/* Makes edges from what is reached into parts from which no way leads on such that nobody waits for. Returns
 * whether there are new ones. */
bool reconverge_add_exits(struct reconverge *x, struct bitset reached, struct bitset live, uint32_t at);
/* Edges from what is reached to the node or behind it, and all others to the node. */
opt_edges reconverge_edges_to_merge(const struct reconverge *x, struct bitset reached, uint32_t node);
/* Leads the edges through one block before the node, which is returned. */
uint32_t reconverge_merge(struct reconverge *x, uint32_t node, const opt_edges *edges, struct bitset reached,
                          place at);

/* Whether threads of a kernel may be elsewhere while others are at a barrier, and have to be together with
 * them before, or with each other behind: for machines that hold nobody. */
bool reconverge_diverges_at_barriers(struct opt_context *c, struct ir_function *f);
/* Brings the cycle into normal form (loops.c); those whose latches stand before the node, where threads wait
 * elsewhere now that there are more edges that nobody waits for. */
void reconverge_normalise(struct reconverge *x, uint32_t cycle);
void reconverge_normalise_before(struct reconverge *x, uint32_t node);

#endif
