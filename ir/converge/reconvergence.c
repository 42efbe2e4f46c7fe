/* reconvergence.c: where the threads that a branch separates wait for each other. See order.h; why it is right:
 * docs/reconvergence.md.
 */
#include "ir/analysis/dominators.h"
#include "ir/converge/order.h"

struct finder {
    struct arena *arena;
    const struct ir_order *o;
    const struct ir_order_graph *graph;
    uint32_t end;                 /* the node behind those of the order */
    struct edge_list edges, back; /* of the nodes and the end */
    struct walk iteration;        /* scratch: over a cycle's scope */
};

static void add_edge(struct finder *x, uint32_t from, uint32_t to)
{
    edge_add(x->arena, &x->edges, from, to);
    edge_add(x->arena, &x->back, to, from);
}

struct ir_order_graph ir_order_graph_new(struct arena *a, const struct ir_cfg *c, const struct ir_order *o,
                                         const struct map *exits)
{
    struct finder x = {.arena = a};
    for (uint32_t k = 0; k < o->cycles->count; k++)
        add_edge(&x, k, ir_order_node(o, o->first.at[k]));
    for (uint32_t i = 0; i < c->rpo_count; i++) {
        uint32_t b = c->rpo[i];
        ir_each_succ(v, b, c->fn)
            if (map_get(exits, ir_edge_key(b, v)) == MAP_NONE)
                add_edge(&x, ir_order_node(o, b), ir_order_target(o, b, v));
    }
    uint32_t nodes = ir_order_node(o, c->blocks);
    return (struct ir_order_graph){rows_of_edges(a, nodes, &x.edges), rows_of_edges(a, nodes, &x.back)};
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
    const struct rows *next = &x->graph->next;
    bool leaves = false;
    walk_restart(&x->iteration);
    walk_add(&x->iteration, ir_order_node(x->o, x->o->first.at[cycle]));
    walk_each(node, &x->iteration)
        rows_each(i, *next, node) {
            uint32_t to = next->at[i];
            if (to == cycle)
                continue;
            if (is_inside(x->o, cycle, to)) {
                walk_add(&x->iteration, to);
                continue;
            }
            leaves = true;
            if (add)
                add_edge(x, cycle, to);
        }
    return leaves;
}

static void add_edges(struct finder *x, uint32_t node)
{
    const struct rows *next = &x->graph->next;
    if (node < x->o->cycles->count && bitset_has(x->o->demanded, node)) {
        leave_scope(x, node, true);
        return;
    }
    rows_each(i, *next, node)
        add_edge(x, node, next->at[i]);
    if (row_length(next, node) == 0)
        add_edge(x, node, x->end);
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
    struct rows back = rows_of_edges(x->arena, x->end + 1, &x->back);
    struct walk to_end = walk_new(x->arena, x->end + 1);
    reach_back(&to_end, &back, x->end);
    for (uint32_t k = 0; k < x->o->cycles->count; k++) {
        if (bitset_has(to_end.seen, k) || leave_scope(x, k, false))
            continue;
        add_edge(x, k, virtual[k] == IR_NO_BLOCK ? x->end : virtual[k]);
        reach_back(&to_end, &back, k);
    }
}

struct ir_dominators *ir_reconvergence_tree(struct arena *a, const struct ir_order *o,
                                            const struct ir_order_graph *graph, const uint32_t *virtual)
{
    struct finder x = {.arena = a, .o = o, .graph = graph, .end = graph->next.count};
    x.iteration = walk_new(a, x.end);
    for (uint32_t i = 0; i < o->at.count; i++)
        add_edges(&x, o->at.at[i]);
    end_endless(&x, virtual);
    struct rows back = rows_of_edges(a, x.end + 1, &x.back);
    struct rows forward = rows_of_edges(a, x.end + 1, &x.edges);
    struct dominator_graph g = {x.end + 1, x.end, {back.start, back.at}, {forward.start, forward.at}};
    return dominator_tree(a, &g, x.end);
}
