/* rows.h: lists of numbers by row in compressed form, depth-first search over graphs of that form, and walks
 * over graphs of any form. */
#ifndef KERNC_BASE_ROWS_H
#define KERNC_BASE_ROWS_H

#include "base/base.h"

/* The items of row r are at[start[r]] … at[start[r + 1] - 1]. A graph is the rows of its nodes'
 * successors. */
struct rows {
    uint32_t count, *start, *at;
};

/* Items 0 … items - 1 by row: item i belongs to row row_of[i]. Items of a row ascend. Counting sort,
 * linear. */
struct rows rows_new(struct arena *a, uint32_t rows, const uint32_t *row_of, uint32_t items);

/* Edges under construction: edge i leads from.at[i] to to.at[i]. */
struct edge_list {
    u32_vec from, to;
};
/* Constant time on average. Loops and repeated edges are allowed. */
void edge_add(struct arena *a, struct edge_list *l, uint32_t from, uint32_t to);
/* The targets of each of `nodes` nodes, in the order in which their edges were added. */
struct rows rows_of_edges(struct arena *a, uint32_t nodes, const struct edge_list *l);

static inline uint32_t row_length(const struct rows *r, uint32_t row)
{
    return r->start[row + 1] - r->start[row];
}
/* rows_each(k, g, row) visit(g.at[k]): places of the row's items. */
#define rows_each(k, rows, row)                                                                              \
    for (uint32_t k = (rows).start[row], k##_end_ = (rows).start[(row) + 1]; k < k##_end_; k++)

/* ---- depth-first search ------------------------------------------------------------------------------ */

/* `order`: nodes as they are left, which puts successors first where no cycle forbids. `retreating`: places
 * in graph->at of edges to a node that is still open; there is one if and only if the visited part has a
 * cycle. */
struct depth_first {
    struct arena *arena;
    const struct rows *graph;
    uint8_t *state;
    u32_vec order, retreating;
};
/* Nothing visited yet. The graph has to live as long. */
struct depth_first depth_first_new(struct arena *a, const struct rows *graph);
/* Visits what can be reached from `root` and has not been visited, successors in their order. Linear. */
void depth_first_visit(struct depth_first *d, uint32_t root);
/* Whether a visit so far has come to the node. */
bool depth_first_reached(const struct depth_first *d, uint32_t node);

/* ---- walks ------------------------------------------------------------------------------------------- */

/* What some nodes of a graph lead to. This visits `from` and what it leads to by paths without a node that
 * stops:
 *
 *     struct walk w = walk_new(a, nodes);
 *     walk_add(&w, from);
 *     walk_each(n, &w)
 *         rows_each(k, graph, n)
 *             if (!stops(graph.at[k]))
 *                 walk_add(&w, graph.at[k]);
 *
 * Each node is visited once, in the order of walk_add; one that was put into `seen` by other means is not.
 * Linear in the calls of walk_add. */
struct walk {
    struct arena *arena;
    struct bitset seen; /* the nodes of `list`, and those that are not to be visited */
    u32_vec list;       /* what was added, each node once */
    uint32_t visited;   /* how many of the list */
};
static inline struct walk walk_new(struct arena *a, uint32_t nodes)
{
    return (struct walk){.arena = a, .seen = bitset_new(a, nodes)};
}
/* The members of the set are added; it becomes what the walk has seen. */
struct walk walk_from(struct arena *a, struct bitset set);
static inline void walk_add(struct walk *w, uint32_t node)
{
    if (bitset_has(w->seen, node))
        return;
    bitset_add(w->seen, node);
    vec_push(w->arena, &w->list, node);
}
/* The next node that was added and not visited; false: there is none. */
static inline bool walk_next(struct walk *w, uint32_t *node)
{
    if (w->visited == w->list.count)
        return false;
    *node = w->list.at[w->visited++];
    return true;
}
#define walk_each(node, walk) for (uint32_t node; walk_next((walk), &(node));)
/* For another walk over the same graph: what was added is not seen any more. Linear in that. */
void walk_restart(struct walk *w);

#endif
