/* reconvergence.c: where the threads that a branch separates wait for each other. See order.h; why it is right:
 * docs/reconvergence.md.
 */
#include "base/rows.h"
#include "ir/analysis/dominators.h"
#include "ir/converge/order.h"

struct finder {
    struct arena *arena;
    const struct ir_cfg *g;
    const struct ir_order *o;
    const struct map *exits;
    struct edge_list edges, back; /* of the nodes; the end is the last */
    struct walk iteration;        /* scratch: over blocks of a cycle's scope */
};

static void add_edge(struct finder *x, uint32_t from, uint32_t to)
{
    edge_add(x->arena, &x->edges, from, to);
    edge_add(x->arena, &x->back, to, from);
}

/* The node behind those of the order. */
static uint32_t end_of(const struct finder *x)
{
    return ir_order_node(x->o, x->g->blocks);
}

static bool is_exit(const struct finder *x, uint32_t from, uint32_t to)
{
    return map_get(x->exits, ir_edge_key(from, to)) != MAP_NONE;
}

/* Whether the node is of the cycle's scope. */
static bool is_inside(const struct ir_order *o, uint32_t cycle, uint32_t node)
{
    uint32_t at = o->position.at[node];
    return o->position.at[ir_order_node(o, o->first.at[cycle])] <= at && at <= o->position.at[cycle];
}

/* Where threads of an iteration leave the cycle's scope, by edges that others wait for. The latch leads there,
 * if `add`. Returns whether they do. */
static bool leave_scope(struct finder *x, uint32_t cycle, bool add)
{
    bool leaves = false;
    walk_restart(&x->iteration);
    walk_add(&x->iteration, x->o->first.at[cycle]);
    walk_each(b, &x->iteration) {
        const struct ir_block *block = ir_block_at(x->g->fn, b);
        for (uint32_t e = 0; e < block->edges.count; e++) {
            uint32_t v = block->edges.at[e].block, to = ir_order_target(x->o, b, v);
            if (is_exit(x, b, v) || to == cycle)
                continue;
            if (!is_inside(x->o, cycle, to)) {
                leaves = true;
                if (add)
                    add_edge(x, cycle, to);
            } else {
                walk_add(&x->iteration, v);
            }
        }
    }
    return leaves;
}

static void add_block(struct finder *x, uint32_t b)
{
    const struct ir_block *block = ir_block_at(x->g->fn, b);
    bool leads_on = false;
    for (uint32_t e = 0; e < block->edges.count; e++) {
        uint32_t v = block->edges.at[e].block, to = ir_order_target(x->o, b, v);
        if (is_exit(x, b, v))
            continue;
        leads_on = true;
        add_edge(x, ir_order_node(x->o, b), to);
    }
    if (!leads_on)
        add_edge(x, ir_order_node(x->o, b), end_of(x));
}

/* Visits what leads to the node. */
static void reach_back(struct walk *w, const struct rows *back, uint32_t node)
{
    walk_add(w, node);
    walk_each(n, w)
        rows_each(i, *back, n)
            walk_add(w, back->at[i]);
}

/* Outermost cycles first: those around which no end is in sight. */
static void end_endless(struct finder *x, const uint32_t *virtual)
{
    const struct ir_order *o = x->o;
    uint32_t nodes = end_of(x) + 1;
    struct rows back = rows_of_edges(x->arena, nodes, &x->back);
    struct walk to_end = walk_new(x->arena, nodes);
    reach_back(&to_end, &back, end_of(x));
    for (uint32_t k = 0; k < o->cycles->count; k++) {
        if (bitset_has(to_end.seen, k) || leave_scope(x, k, false))
            continue;
        add_edge(x, k, virtual[k] == IR_NO_BLOCK ? end_of(x) : virtual[k]);
        reach_back(&to_end, &back, k);
    }
}

struct ir_dominators *ir_reconvergence_tree(struct arena *a, const struct ir_cfg *c, const struct ir_order *o,
                                            const struct map *exits, const uint32_t *virtual)
{
    struct finder f = {.arena = a, .g = c, .o = o, .exits = exits}, *x = &f;
    x->iteration = walk_new(x->arena, x->g->blocks);
    for (uint32_t i = 0; i < x->g->rpo_count; i++)
        add_block(x, x->g->rpo[i]);
    for (uint32_t k = 0; k < o->cycles->count; k++)
        if (bitset_has(o->demanded, k))
            leave_scope(x, k, true);
        else
            add_edge(x, k, ir_order_node(o, o->first.at[k]));
    end_endless(x, virtual);
    uint32_t nodes = end_of(x) + 1;
    struct rows back = rows_of_edges(x->arena, nodes, &x->back);
    struct rows forward = rows_of_edges(x->arena, nodes, &x->edges);
    struct dominator_graph g = {nodes, end_of(x), {back.start, back.at}, {forward.start, forward.at}};
    return dominator_tree(x->arena, &g, nodes - 1);
}
