/* model_graphs.c: random control flow by class, and what is computed on it: distances and post-dominators. */
#include "test/warpcore/model.h"

const char *const model_class_name[MODEL_CLASSES] = {[MODEL_STRUCTURED] = "structured",
                                                     [MODEL_DAG] = "shared joins",
                                                     [MODEL_JUMPS] = "break, continue, return",
                                                     [MODEL_REDUCIBLE] = "goto, reducible",
                                                     [MODEL_GOTO] = "goto, irreducible"};

uint64_t model_next(struct model_random *r)
{
    uint64_t z = r->state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* ---- structured programs ----------------------------------------------------------------------------- */

struct maker {
    struct model_graph *g;
    struct model_random *r;
    bool jumps;          /* break, continue and return too */
    uint16_t out, again; /* where break and continue go; MODEL_NONE: no loop here */
};

static uint16_t new_block(struct model_graph *g)
{
    INVARIANT(g->count < MODEL_BLOCKS);
    g->at[g->count] = (struct model_block){.kind = MODEL_WORK};
    return (uint16_t)g->count++;
}

static void go(struct maker *m, uint16_t from, uint16_t to)
{
    m->g->at[from].count = 1;
    m->g->at[from].next[0] = to;
}

static void choose(struct maker *m, uint16_t from, uint16_t no, uint16_t yes)
{
    m->g->at[from].count = 2;
    m->g->at[from].next[0] = no;
    m->g->at[from].next[1] = yes;
}

static uint16_t statements(struct maker *m, uint16_t at, int depth);

static uint16_t make_if(struct maker *m, uint16_t at, int depth)
{
    uint16_t then = new_block(m->g), join;
    bool has_else = model_chance(m->r, 50);
    uint16_t otherwise = has_else ? new_block(m->g) : MODEL_NONE;
    uint16_t then_end = statements(m, then, depth - 1);
    uint16_t else_end = has_else ? statements(m, otherwise, depth - 1) : MODEL_NONE;
    join = new_block(m->g);
    choose(m, at, has_else ? otherwise : join, then);
    if (then_end != MODEL_NONE)
        go(m, then_end, join);
    if (else_end != MODEL_NONE)
        go(m, else_end, join);
    return join;
}

static uint16_t make_loop(struct maker *m, uint16_t at, int depth)
{
    uint16_t head = new_block(m->g), latch = new_block(m->g), out = new_block(m->g);
    struct maker inner = *m;
    inner.out = out;
    inner.again = latch;
    go(m, at, head);
    bool test_first = model_chance(m->r, 50);
    uint16_t body = test_first ? new_block(m->g) : head;
    if (test_first)
        choose(m, head, body, out);
    uint16_t end = statements(&inner, body, depth - 1);
    if (end != MODEL_NONE)
        go(m, end, latch);
    if (test_first)
        go(m, latch, head);
    else
        choose(m, latch, head, out);
    return out;
}

/* From block `at`, which has no successor yet; returns the block that goes on, MODEL_NONE: none does. */
static uint16_t statements(struct maker *m, uint16_t at, int depth)
{
    for (uint32_t n = model_below(m->r, 3) + (depth > 2); n > 0 && depth > 0 && m->g->count < 40; n--)
        at = model_chance(m->r, 65) ? make_if(m, at, depth) : make_loop(m, at, depth);
    if (!m->jumps || !model_chance(m->r, 25))
        return at;
    if (m->out != MODEL_NONE && model_chance(m->r, 75))
        go(m, at, model_chance(m->r, 60) ? m->out : m->again);
    else if (depth == 4 || !model_chance(m->r, 50))
        return at;
    return MODEL_NONE;
}

/* ---- graphs of goto ---------------------------------------------------------------------------------- */

static bool dominates(const struct model_graph *g, uint16_t a, uint16_t b)
{
    bool seen[MODEL_BLOCKS] = {0};
    uint16_t stack[MODEL_BLOCKS];
    uint32_t depth = 0;
    if (a == 0 || a == b)
        return true;
    stack[depth++] = 0;
    seen[0] = true;
    while (depth) {
        const struct model_block *x = &g->at[stack[--depth]];
        for (int i = 0; i < x->count; i++)
            if (x->next[i] != a && !seen[x->next[i]]) {
                seen[x->next[i]] = true;
                stack[depth++] = x->next[i];
            }
    }
    return !seen[b];
}

static void make_dag(struct model_graph *g, struct model_random *r)
{
    uint32_t n = 3 + model_below(r, 14);
    g->count = n;
    for (uint32_t b = 0; b < n; b++) {
        struct model_block *x = &g->at[b];
        *x = (struct model_block){.kind = MODEL_WORK};
        uint32_t later = n - 1 - b, near = later < 5 ? later : 5;
        x->count = later == 0 || model_chance(r, 4) ? 0 : model_chance(r, 75) ? 2 : 1;
        for (int i = 0; i < x->count; i++)
            x->next[i] = (uint16_t)(b + 1 + model_below(r, model_chance(r, 70) ? near : later));
    }
}

/* A DAG with edges back to blocks that dominate where they come from. */
static void make_reducible(struct model_graph *g, struct model_random *r)
{
    make_dag(g, r);
    for (uint32_t tries = 1 + model_below(r, 6); tries > 0; tries--) {
        uint16_t from = (uint16_t)model_below(r, g->count), to = (uint16_t)model_below(r, from + 1);
        struct model_block *x = &g->at[from];
        if (x->count && dominates(g, to, from))
            x->next[model_below(r, x->count)] = to;
    }
}

static void make_goto(struct model_graph *g, struct model_random *r)
{
    uint32_t n = 2 + model_below(r, 13);
    g->count = n;
    for (uint32_t b = 0; b < n; b++) {
        struct model_block *x = &g->at[b];
        *x = (struct model_block){.kind = MODEL_WORK};
        x->count = model_chance(r, 10) ? 0 : model_chance(r, 70) ? 2 : 1;
        for (int i = 0; i < x->count; i++)
            x->next[i] = (uint16_t)model_below(r, n);
    }
}

static uint32_t branches(const struct model_graph *g)
{
    uint32_t n = 0;
    for (uint32_t b = 0; b < g->count; b++)
        n += g->at[b].count == 2;
    return n;
}

static void make(struct model_graph *g, enum model_class class, struct model_random *r)
{
    g->count = 0;
    struct maker m = {g, r, class == MODEL_JUMPS, MODEL_NONE, MODEL_NONE};
    switch (class) {
    case MODEL_STRUCTURED:
    case MODEL_JUMPS: statements(&m, new_block(g), 4); break;
    case MODEL_DAG: make_dag(g, r); break;
    case MODEL_REDUCIBLE: make_reducible(g, r); break;
    default: make_goto(g, r); break;
    }
    model_tidy(g);
}

/* What random edges leave of a graph is often next to nothing. */
void model_make(struct model_graph *g, enum model_class class, struct model_random *r)
{
    do
        make(g, class, r);
    while (branches(g) < 3);
}

/* ---- tidying ----------------------------------------------------------------------------------------- */

void model_distances(const struct model_graph *g, uint16_t *distance)
{
    for (uint32_t b = 0; b < g->count; b++)
        distance[b] = g->at[b].count ? MODEL_NONE : 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t b = 0; b < g->count; b++)
            for (int i = 0; i < g->at[b].count; i++) {
                uint16_t via = distance[g->at[b].next[i]];
                if (via != MODEL_NONE && via + 1 < distance[b]) {
                    distance[b] = via + 1;
                    changed = true;
                }
            }
    }
}

/* New numbers of the blocks that are reached, in the order they are found. */
static uint32_t number_reachable(const struct model_graph *g, uint16_t *number, uint16_t *order)
{
    uint32_t count = 1;
    for (uint32_t b = 0; b < g->count; b++)
        number[b] = MODEL_NONE;
    order[0] = number[0] = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct model_block *x = &g->at[order[i]];
        for (int s = 0; s < x->count; s++)
            if (number[x->next[s]] == MODEL_NONE) {
                number[x->next[s]] = (uint16_t)count;
                order[count++] = x->next[s];
            }
    }
    return count;
}

void model_tidy(struct model_graph *g)
{
    static struct model_block old[MODEL_BLOCKS];
    uint16_t distance[MODEL_BLOCKS], number[MODEL_BLOCKS], order[MODEL_BLOCKS];
    model_distances(g, distance);
    for (uint32_t b = 0; b < g->count; b++)
        if (distance[b] == MODEL_NONE)
            g->at[b].count = 0;
    memcpy(old, g->at, g->count * sizeof *old);
    g->count = number_reachable(g, number, order);
    for (uint32_t b = 0; b < g->count; b++) {
        g->at[b] = old[order[b]];
        for (int i = 0; i < g->at[b].count; i++)
            g->at[b].next[i] = number[g->at[b].next[i]];
    }
}

void model_decorate(struct model_graph *g, struct model_random *r)
{
    uint32_t ends = 0;
    for (uint32_t b = 0; b < g->count; b++)
        ends += g->at[b].count == 0;
    for (uint32_t b = 0; b < g->count; b++) {
        struct model_block *x = &g->at[b];
        x->value = (uint16_t)b;
        x->weight = (uint16_t)(1 + model_below(r, 6));
        x->constant = x->count == 2 && model_chance(r, 8);
        x->stops = x->count == 0 && ends > 1 && model_chance(r, 30);
        ends -= x->stops;
    }
}

/* ---- post-dominators --------------------------------------------------------------------------------- */

uint32_t model_post_order(const struct model_graph *g, uint16_t *order)
{
    bool seen[MODEL_BLOCKS] = {0};
    uint16_t stack[MODEL_BLOCKS];
    uint8_t done[MODEL_BLOCKS];
    uint32_t depth = 1, count = 0;
    stack[0] = 0;
    done[0] = 0;
    seen[0] = true;
    while (depth) {
        const struct model_block *x = &g->at[stack[depth - 1]];
        if (done[depth - 1] == x->count) {
            order[count++] = stack[--depth];
            continue;
        }
        uint16_t next = x->next[done[depth - 1]++];
        if (!seen[next]) {
            seen[next] = true;
            stack[depth] = next;
            done[depth++] = 0;
        }
    }
    return count;
}

static bool reaches_end(const struct model_graph *g, bool *reach)
{
    bool changed = false;
    for (uint32_t b = g->count; b-- > 0;) {
        bool now = g->at[b].count == 0 && !g->at[b].stops;
        for (int i = 0; i < g->at[b].count; i++)
            now |= reach[g->at[b].next[i]];
        changed |= now != reach[b];
        reach[b] = now;
    }
    return changed;
}

/* The post-dominator sets themselves: slow, but nothing to get wrong. Row g->count stands for the virtual
 * exit. */
typedef uint64_t block_set[MODEL_BLOCKS / 64 + 1];

static bool intersect_successors(const struct model_graph *g, const bool *reach, block_set *sets, uint32_t b)
{
    uint32_t words = g->count / 64 + 1;
    block_set now;
    memset(now, 0xff, sizeof now);
    for (int i = 0; i < g->at[b].count; i++)
        for (uint32_t w = 0; reach[g->at[b].next[i]] && w < words; w++)
            now[w] &= sets[g->at[b].next[i]][w];
    if (g->at[b].count == 0)
        memset(now, 0, sizeof now);
    now[b / 64] |= (uint64_t)1 << b % 64;
    bool changed = memcmp(now, sets[b], words * 8) != 0;
    memcpy(sets[b], now, words * 8);
    return changed;
}

static uint32_t set_size(const uint64_t *set, uint32_t words)
{
    uint32_t n = 0;
    for (uint32_t w = 0; w < words; w++)
        n += (uint32_t)__builtin_popcountll(set[w]);
    return n;
}

/* Post-dominators of a block are a chain: the nearest has one fewer of its own. */
static uint16_t nearest(const struct model_graph *g, block_set *sets, const uint32_t *size, uint32_t b)
{
    for (uint32_t d = 0; d < g->count; d++)
        if (d != b && sets[b][d / 64] >> d % 64 & 1 && size[d] == size[b] - 1)
            return (uint16_t)d;
    return MODEL_NONE;
}

void model_post_dominators(const struct model_graph *g, uint16_t *reconverge)
{
    static block_set sets[MODEL_BLOCKS];
    bool reach[MODEL_BLOCKS] = {0};
    uint16_t order[MODEL_BLOCKS];
    uint32_t size[MODEL_BLOCKS], n = model_post_order(g, order), words = g->count / 64 + 1;
    while (reaches_end(g, reach))
        continue;
    for (uint32_t b = 0; b < g->count; b++)
        for (uint32_t w = 0; w < words; w++)
            sets[b][w] = UINT64_MAX;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < n; i++)
            if (reach[order[i]])
                changed |= intersect_successors(g, reach, sets, order[i]);
    }
    for (uint32_t b = 0; b < g->count; b++)
        size[b] = set_size(sets[b], words);
    for (uint32_t b = 0; b < g->count; b++)
        reconverge[b] = reach[b] ? nearest(g, sets, size, b) : MODEL_NONE;
}
