/* rows.c: see rows.h. */
#include "base/rows.h"

struct rows rows_new(struct arena *a, uint32_t rows, const uint32_t *row_of, uint32_t items)
{
    struct rows r = {rows, arena_array(a, uint32_t, rows + 2), arena_array(a, uint32_t, items + 1)};
    uint32_t *next = r.start + 1; /* ends as the starts, one row on */
    for (uint32_t i = 0; i < items; i++)
        next[row_of[i] + 1]++;
    for (uint32_t row = 0; row < rows; row++)
        next[row + 1] += next[row];
    for (uint32_t i = 0; i < items; i++)
        r.at[next[row_of[i]]++] = i;
    return r;
}

void edge_add(struct arena *a, struct edge_list *l, uint32_t from, uint32_t to)
{
    vec_push(a, &l->from, from);
    vec_push(a, &l->to, to);
}

struct rows rows_of_edges(struct arena *a, uint32_t nodes, const struct edge_list *l)
{
    struct rows r = rows_new(a, nodes, l->from.at, l->from.count);
    for (uint32_t k = 0; k < l->from.count; k++)
        r.at[k] = l->to.at[r.at[k]];
    return r;
}

/* ---- depth-first search ------------------------------------------------------------------------------ */

enum { UNSEEN, OPEN, DONE };
struct step {
    uint32_t node, next; /* next: place of the successor to be visited */
};

struct depth_first depth_first_new(struct arena *a, const struct rows *graph)
{
    return (struct depth_first){
        .arena = a, .graph = graph, .state = arena_array(a, uint8_t, graph->count + 1)};
}

bool depth_first_reached(const struct depth_first *d, uint32_t node)
{
    return d->state[node] != UNSEEN;
}

void depth_first_visit(struct depth_first *d, uint32_t root)
{
    const struct rows *g = d->graph;
    VEC(struct step) path = {0};
    if (d->state[root] != UNSEEN)
        return;
    d->state[root] = OPEN;
    vec_push(d->arena, &path, ((struct step){root, g->start[root]}));
    while (path.count) {
        struct step *top = &vec_last(&path);
        if (top->next == g->start[top->node + 1]) {
            d->state[top->node] = DONE;
            vec_push(d->arena, &d->order, top->node);
            path.count--;
            continue;
        }
        uint32_t place = top->next++, to = g->at[place];
        if (d->state[to] == OPEN)
            vec_push(d->arena, &d->retreating, place);
        if (d->state[to] != UNSEEN)
            continue;
        d->state[to] = OPEN;
        vec_push(d->arena, &path, ((struct step){to, g->start[to]}));
    }
}

/* ---- walks ------------------------------------------------------------------------------------------- */

struct walk walk_from(struct arena *a, struct bitset set)
{
    struct walk w = {.arena = a, .seen = set};
    bitset_each(node, set)
        vec_push(a, &w.list, node);
    return w;
}

void walk_restart(struct walk *w)
{
    for (uint32_t i = 0; i < w->list.count; i++)
        bitset_remove(w->seen, w->list.at[i]);
    vec_clear(&w->list);
    w->visited = 0;
}
