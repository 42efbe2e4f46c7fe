/* flow_frontier.c: see flow_frontier.h. A fixed point: frontiers only grow. */
#include "backend/format/warpcore/flow_frontier.h"

struct finder {
    struct arena *arena;
    const struct wc_flow *g;
    struct wc_frontier *x;
    uint32_t *place; /* of each node: its index in places, plus 1; 0: it is none */
    struct bitset dirty, set;
    uint64_t left;
};

static void find_places(struct finder *d)
{
    for (uint32_t n = 0; n < d->g->count; n++) {
        const struct wc_node *node = &d->g->at[n];
        d->place[n] |= node->check;
        for (uint32_t e = 0; node->diverges && e < node->count; e++)
            d->place[node->next[e]] = 1;
    }
    for (uint32_t n = 0; n < d->g->count; n++)
        if (d->place[n]) {
            vec_push(d->arena, &d->x->places, n);
            d->place[n] = d->x->places.count;
        }
}

static bool spend(struct finder *d, uint64_t n)
{
    d->left = d->left > n ? d->left - n : 0;
    return d->left;
}

static void add(struct finder *d, uint32_t node, struct bitset more)
{
    if (spend(d, 1) && bitset_union(d->x->at[node], more))
        bitset_add(d->dirty, node);
}

/* Lanes are in any of the set's places. The lowest runs, and may be any; those above it wait. */
static void close_set(struct finder *d)
{
    struct bitset above = bitset_new(d->arena, d->x->places.count);
    u32_vec members = {0};
    bitset_each(p, d->set)
        vec_push(d->arena, &members, p);
    for (uint32_t i = members.count; i-- > 0 && d->left;) {
        add(d, d->x->places.at[members.at[i]], above);
        bitset_add(above, members.at[i]);
        spend(d, members.count);
    }
}

static void look_at(struct finder *d, uint32_t n)
{
    const struct wc_node *node = &d->g->at[n];
    bitset_copy(d->set, d->x->at[n]);
    for (uint32_t e = 0; node->diverges && e < node->count; e++)
        bitset_add(d->set, d->place[node->next[e]] - 1);
    if (node->diverges || node->count == 0)
        close_set(d);
    for (uint32_t e = 0; !node->diverges && e < node->count; e++) {
        if (!d->g->at[node->next[e]].check) {
            add(d, node->next[e], d->x->at[n]);
            continue;
        }
        bitset_copy(d->set, d->x->at[n]);
        bitset_add(d->set, d->place[node->next[e]] - 1);
        close_set(d);
    }
}

struct wc_frontier *wc_frontier_new(struct arena *a, const struct wc_flow *g, uint64_t steps)
{
    struct finder d = {.arena = a, .g = g, .x = arena_new(a, struct wc_frontier), .left = steps};
    d.place = arena_array(a, uint32_t, g->count + 1);
    find_places(&d);
    d.x->at = arena_array(a, struct bitset, g->count);
    for (uint32_t n = 0; n < g->count; n++)
        d.x->at[n] = bitset_new(a, d.x->places.count);
    d.set = bitset_new(a, d.x->places.count);
    d.dirty = bitset_new(a, g->count);
    for (uint32_t n = 0; n < g->count; n++)
        bitset_add(d.dirty, n);
    for (uint32_t n; (n = bitset_next(d.dirty, 0)) < g->count && d.left;) {
        bitset_remove(d.dirty, n);
        look_at(&d, n);
    }
    return d.left ? d.x : NULL;
}

uint32_t wc_frontier_first(const struct wc_frontier *x, uint32_t node)
{
    uint32_t p = bitset_next(x->at[node], 0);
    return p < x->places.count ? x->places.at[p] : WC_NO_NODE;
}
