/* stack_bound.c: see stack_bound.h. Longest paths by relaxation: a state's depth only grows, and at most to
 * DEEPEST. */
#include "backend/format/warpcore/stack_bound.h"

#include "backend/format/warpcore/flow_frontier.h"

enum { DEEPEST = WC_LANES - 1 };

/* A branch whose entry, the top one, waits for lanes to run `target` (WC_NO_NODE: for none). */
struct state {
    uint32_t branch, target;
    uint8_t depth;
    bool queued;
};

struct bound {
    struct arena *arena;
    const struct wc_flow *g;
    enum wc_mode mode;
    struct wc_influence *influence;
    u32_vec branches;         /* nodes that diverge */
    uint32_t *start, *within; /* stacking graph: within[start[i] ..]: branch nodes in the
                                 influence of branches.at[i] */
    uint32_t *index;          /* of each branch node: its place in branches */
    uint32_t work;            /* nodes visited and edges relaxed, against WC_MAX_STACK_STEPS */
    VEC(struct state) states;
    struct map state_at; /* branch << 32 | target -> its number */
    u32_vec queue;
};

static void find_branches(struct bound *b)
{
    b->index = arena_array(b->arena, uint32_t, b->g->count);
    for (uint32_t n = 0; n < b->g->count; n++)
        if (b->g->at[n].diverges) {
            b->index[n] = b->branches.count;
            vec_push(b->arena, &b->branches, n);
        }
}

static void influence_of(struct bound *b, uint32_t branch)
{
    wc_influence_of(b->arena, b->influence, b->g, branch, b->g->at[branch].reconverge);
    b->work += b->influence->nodes.count + 1;
}

/* False: too large. */
static bool find_stacking_graph(struct bound *b)
{
    u32_vec within = {0};
    b->start = arena_array(b->arena, uint32_t, b->branches.count + 1);
    for (uint32_t i = 0; i < b->branches.count; i++) {
        influence_of(b, b->branches.at[i]);
        if (b->work > WC_MAX_STACK_STEPS)
            return false;
        for (uint32_t k = 0; k < b->influence->nodes.count; k++)
            if (b->g->at[b->influence->nodes.at[k]].diverges)
                vec_push(b->arena, &within, b->influence->nodes.at[k]);
        b->start[i + 1] = within.count;
    }
    b->within = within.at;
    return true;
}

/* ---- what a branch does to the stack ----------------------------------------------------------------- */

/* One of its sides is where its lanes reconverge: those lanes have nothing to run. */
static bool has_empty_side(const struct wc_node *n)
{
    return n->reconverge != WC_NO_NODE && (n->next[0] == n->reconverge || n->next[1] == n->reconverge);
}

static uint32_t own_target(const struct wc_node *n)
{
    return has_empty_side(n) ? WC_NO_NODE : n->next[1];
}

/* The state that branch d makes where the top entry is in state `top`. */
static struct state after(const struct bound *b, struct state top, uint32_t d)
{
    const struct wc_node *n = &b->g->at[d], *owner = &b->g->at[top.branch];
    struct state pushed = {.branch = d, .target = own_target(n), .depth = top.depth + 1};
    if (b->mode == WC_MODE_SOURCE_PC)
        return d == top.branch ? top : pushed;
    if (n->reconverge == WC_NO_NODE || n->reconverge != owner->reconverge)
        return pushed;
    if (has_empty_side(n))
        return (struct state){.branch = d, .target = top.target, .depth = top.depth};
    if (top.target == WC_NO_NODE || top.target == n->next[1])
        return (struct state){.branch = d, .target = n->next[1], .depth = top.depth};
    return pushed;
}

static void reach(struct bound *b, struct state s)
{
    uint64_t key = (uint64_t)s.branch << 32 | s.target;
    uint32_t at = map_get(&b->state_at, key);
    if (s.depth > DEEPEST)
        s.depth = DEEPEST;
    if (at == MAP_NONE) {
        at = b->states.count;
        map_set(b->arena, &b->state_at, key, at);
        vec_push(b->arena, &b->states, ((struct state){.branch = s.branch, .target = s.target}));
    }
    struct state *known = &b->states.at[at];
    if (s.depth <= known->depth)
        return;
    known->depth = s.depth;
    if (!known->queued)
        vec_push(b->arena, &b->queue, at);
    known->queued = true;
}

static bool relax(struct bound *b)
{
    for (uint32_t i = 0; i < b->branches.count; i++) {
        uint32_t d = b->branches.at[i];
        reach(b, (struct state){.branch = d, .target = own_target(&b->g->at[d]), .depth = 1});
    }
    while (b->queue.count) {
        uint32_t at = vec_pop(&b->queue);
        struct state top = b->states.at[at];
        b->states.at[at].queued = false;
        for (uint32_t k = b->start[b->index[top.branch]]; k < b->start[b->index[top.branch] + 1]; k++)
            reach(b, after(b, top, b->within[k]));
        b->work += b->start[b->index[top.branch] + 1] - b->start[b->index[top.branch]];
        if (b->work > WC_MAX_STACK_STEPS)
            return false;
    }
    return true;
}

/* ---- results ----------------------------------------------------------------------------------------- */

static void note(uint8_t *at, uint8_t depth)
{
    *at = depth > *at ? depth : *at;
}

static void note_depths(struct bound *b, uint8_t *depth)
{
    uint8_t *deepest = arena_array(b->arena, uint8_t, b->branches.count);
    for (uint32_t s = 0; s < b->states.count; s++)
        note(&deepest[b->index[b->states.at[s].branch]], b->states.at[s].depth);
    for (uint32_t i = 0; i < b->branches.count; i++) {
        influence_of(b, b->branches.at[i]);
        note(&depth[b->branches.at[i]], deepest[i]);
        for (uint32_t k = 0; k < b->influence->nodes.count; k++)
            note(&depth[b->influence->nodes.at[k]], deepest[i]);
    }
}

static uint32_t deepest_state(const struct bound *b)
{
    uint32_t deepest = 0;
    for (uint32_t s = 0; s < b->states.count; s++)
        deepest = b->states.at[s].depth > deepest ? b->states.at[s].depth : deepest;
    return deepest;
}

/* Mode frontier. */
static uint32_t most_that_wait(struct arena *scratch, const struct wc_flow *g, uint8_t *depth)
{
    const struct wc_frontier *x = wc_frontier_new(scratch, g, WC_MAX_STACK_STEPS);
    uint32_t most = 0;
    for (uint32_t n = 0; n < g->count; n++) {
        uint32_t waits = x ? bitset_count(x->at[n]) : DEEPEST;
        waits = waits < DEEPEST ? waits : DEEPEST;
        if (depth)
            depth[n] = (uint8_t)waits;
        most = waits > most ? waits : most;
    }
    return most;
}

uint32_t wc_stack_bound(struct arena *scratch, const struct wc_flow *g, enum wc_mode mode, uint8_t *depth)
{
    struct bound b = {.arena = scratch, .g = g, .mode = mode, .influence = wc_influence_new(scratch, g)};
    uint32_t most = mode == WC_MODE_ARTICLE ? WC_STACK : DEEPEST;
    if (depth)
        memset(depth, 0, g->count);
    find_branches(&b);
    if (b.branches.count == 0)
        return 0;
    if (mode == WC_MODE_FRONTIER)
        return most_that_wait(scratch, g, depth);
    if (mode == WC_MODE_ARTICLE || !find_stacking_graph(&b) || !relax(&b)) {
        if (depth)
            memset(depth, (int)most, g->count);
        return most;
    }
    if (depth)
        note_depths(&b, depth);
    return deepest_state(&b);
}
