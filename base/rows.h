/* rows.h: lists of numbers by row in compressed form, and depth-first search over graphs of that form. */
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

#endif
