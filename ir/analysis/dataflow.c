/* dataflow.c: see dataflow.h. A worklist, taken in the given order round after round. */
#include "ir/analysis/dataflow.h"

struct solver {
    const struct ir_dataflow *d;
    struct bitset *entered, left, waiting; /* waiting: by position in the order */
    uint32_t *position;
};

static void dataflow_visit(struct solver *s, uint32_t node)
{
    bitset_copy(s->left, s->entered[node]);
    s->d->transfer(s->d->data, node, s->left);
    rows_each(k, *s->d->flow, node) {
        uint32_t to = s->d->flow->at[k];
        if (bitset_union(s->entered[to], s->left))
            bitset_add(s->waiting, s->position[to]);
    }
}

struct bitset *ir_dataflow_solve(struct arena *a, const struct ir_dataflow *d)
{
    uint32_t nodes = d->flow->count;
    struct solver s = {d, arena_array(a, struct bitset, nodes), bitset_new(a, d->bits),
                       bitset_new(a, d->order->count), arena_array(a, uint32_t, nodes)};
    for (uint32_t n = 0; n < nodes; n++) {
        s.entered[n] = bitset_new(a, d->bits);
        if (d->outside && d->outside[n].bits)
            bitset_copy(s.entered[n], d->outside[n]);
    }
    for (uint32_t i = 0; i < d->order->count; i++) {
        s.position[d->order->at[i]] = i;
        bitset_add(s.waiting, i);
    }
    for (uint32_t i = bitset_next(s.waiting, 0); i < d->order->count; i = bitset_next(s.waiting, 0))
        for (; i < d->order->count; i = bitset_next(s.waiting, i + 1)) {
            bitset_remove(s.waiting, i);
            dataflow_visit(&s, d->order->at[i]);
        }
    return s.entered;
}

struct rows ir_cfg_edges(struct arena *a, const struct ir_cfg *g, bool against)
{
    struct edge_list l = {0};
    for (uint32_t i = 0; i < g->rpo_count; i++) {
        const struct ir_block *b = ir_block_at(g->fn, g->rpo[i]);
        for (uint32_t e = 0; e < b->edges.count; e++)
            edge_add(a, &l, against ? b->edges.at[e].block : g->rpo[i],
                     against ? g->rpo[i] : b->edges.at[e].block);
    }
    return rows_of_edges(a, g->blocks, &l);
}
