/* flow.c: see flow.h. */
#include "backend/format/warpcore/flow.h"

/* ---- post-dominators --------------------------------------------------------------------------------- */

/* The graph against its edges, from a virtual end (node `count`) behind all ends. */
struct backward {
    const struct wc_flow *g;
    uint32_t *start, *preds;  /* rows of predecessors by node; the virtual end's holds the ends */
    uint32_t *order, reached; /* nodes that reach an end, in post-order of the search from the virtual
                                 end */
    uint32_t *number;         /* of each node: its place in order, plus 1; 0: reaches no end */
};

static bool is_end(const struct wc_node *n)
{
    return n->count == 0 && !n->stops;
}

static void find_predecessors(struct arena *a, struct backward *b)
{
    const struct wc_flow *g = b->g;
    uint32_t *at = arena_array(a, uint32_t, g->count + 2);
    b->start = arena_array(a, uint32_t, g->count + 3);
    for (uint32_t n = 0; n < g->count; n++) {
        b->start[g->count + 1] += is_end(&g->at[n]);
        for (uint32_t i = 0; i < g->at[n].count; i++)
            b->start[g->at[n].next[i] + 1]++;
    }
    for (uint32_t n = 0; n <= g->count; n++)
        b->start[n + 1] += at[n] = b->start[n];
    b->preds = arena_array(a, uint32_t, b->start[g->count + 1]);
    for (uint32_t n = 0; n < g->count; n++) {
        if (is_end(&g->at[n]))
            b->preds[at[g->count]++] = n;
        for (uint32_t i = 0; i < g->at[n].count; i++)
            b->preds[at[g->at[n].next[i]]++] = n;
    }
}

static void find_order(struct arena *a, struct backward *b)
{
    uint32_t nodes = b->g->count + 1, depth = 0;
    uint32_t *stack = arena_array(a, uint32_t, nodes), *next = arena_array(a, uint32_t, nodes);
    struct bitset seen = bitset_new(a, nodes);
    memcpy(next, b->start, nodes * sizeof *next);
    b->order = arena_array(a, uint32_t, nodes);
    b->number = arena_array(a, uint32_t, nodes);
    bitset_add(seen, b->g->count);
    stack[depth++] = b->g->count;
    while (depth) {
        uint32_t n = stack[depth - 1];
        if (next[n] == b->start[n + 1]) {
            b->order[b->reached++] = n;
            b->number[n] = b->reached;
            depth--;
            continue;
        }
        uint32_t p = b->preds[next[n]++];
        if (!bitset_has(seen, p)) {
            bitset_add(seen, p);
            stack[depth++] = p;
        }
    }
}

/* The nearest common post-dominator, by what is known so far. */
static uint32_t common(const struct backward *b, const uint32_t *reconverge, uint32_t x, uint32_t y)
{
    while (x != y) {
        while (b->number[x] < b->number[y])
            x = reconverge[x];
        while (b->number[y] < b->number[x])
            y = reconverge[y];
    }
    return x;
}

static uint32_t reconvergence_of(const struct backward *b, const uint32_t *reconverge, uint32_t n)
{
    const struct wc_node *node = &b->g->at[n];
    uint32_t found = is_end(node) ? b->g->count : WC_NO_NODE;
    for (uint32_t i = 0; i < node->count; i++) {
        uint32_t s = node->next[i];
        if (b->number[s] && reconverge[s] != WC_NO_NODE)
            found = found == WC_NO_NODE ? s : common(b, reconverge, found, s);
    }
    return found;
}

uint32_t *wc_flow_post_dominators(struct arena *a, const struct wc_flow *g)
{
    struct backward b = {.g = g};
    uint32_t *reconverge = arena_array(a, uint32_t, g->count + 1);
    bool changed = true;
    find_predecessors(a, &b);
    find_order(a, &b);
    for (uint32_t n = 0; n < g->count; n++)
        reconverge[n] = WC_NO_NODE;
    reconverge[g->count] = g->count;
    while (changed) {
        changed = false;
        for (uint32_t i = b.reached - 1; i-- > 0;) { /* without the virtual end, which is the last */
            uint32_t n = b.order[i], found = reconvergence_of(&b, reconverge, n);
            changed |= reconverge[n] != found;
            reconverge[n] = found;
        }
    }
    for (uint32_t n = 0; n < g->count; n++)
        if (reconverge[n] == g->count)
            reconverge[n] = WC_NO_NODE;
    return reconverge;
}

/* ---- influence --------------------------------------------------------------------------------------- */

struct wc_influence *wc_influence_new(struct arena *a, const struct wc_flow *g)
{
    struct wc_influence *i = arena_new(a, struct wc_influence);
    i->seen = arena_array(a, uint32_t, g->count);
    return i;
}

static void reach(struct arena *a, struct wc_influence *i, const struct wc_node *node, uint32_t reconverge)
{
    for (uint32_t e = 0; e < node->count; e++) {
        uint32_t s = node->next[e];
        if (s == reconverge || i->seen[s] == i->mark)
            continue;
        i->seen[s] = i->mark;
        vec_push(a, &i->nodes, s);
    }
}

void wc_influence_of(struct arena *a, struct wc_influence *i, const struct wc_flow *g, uint32_t branch,
                     uint32_t reconverge)
{
    i->mark++;
    vec_clear(&i->nodes);
    reach(a, i, &g->at[branch], reconverge);
    for (uint32_t next = 0; next < i->nodes.count; next++)
        reach(a, i, &g->at[i->nodes.at[next]], reconverge);
}
