/* flow.c: see flow.h. */
#include "backend/format/warpcore/flow.h"

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
