/* model_normal.c: loop normal form on plain graphs, the way of a dispatcher: every cyclic region gets one
 * header and one latch. Edges to the region's entries and edges out of it first write where they go to a lane
 * variable and then all go to the latch, whose branch is the region's only exit; behind the exit, and at a
 * header of several entries, tests of the variable go on to the place. Irreducible regions and ones with many
 * exits become like the rest. What remains inside has no edge to the entries any more, so inner regions are
 * found in it in turn. A region that has one entry and one exit branch on every cycle only gets a landing for
 * the exit.
 */
#include "test/warpcore/model.h"

struct region {
    uint32_t count;
    uint16_t at[MODEL_BLOCKS];
};
struct normal {
    struct model_graph *g;
    bool full;                     /* over MODEL_BLOCKS */
    bool inside[MODEL_BLOCKS];     /* of the region at hand */
    uint16_t places[MODEL_BLOCKS]; /* entries, then places outside that are gone to */
    uint32_t entries, place_count;
};

static uint16_t add(struct normal *n, enum model_kind kind, uint16_t value)
{
    if (n->g->count == MODEL_BLOCKS) {
        n->full = true;
        return 0;
    }
    n->g->at[n->g->count] = (struct model_block){.kind = (uint8_t)kind, .value = value, .weight = 1};
    return (uint16_t)n->g->count++;
}

static uint16_t add_set(struct normal *n, uint32_t value, uint16_t next)
{
    uint16_t b = add(n, MODEL_SET, (uint16_t)value);
    n->g->at[b].count = 1;
    n->g->at[b].next[0] = next;
    return b;
}

/* A chain of tests that goes to place `first` + i where the variable says so. */
static uint16_t add_tests(struct normal *n, uint32_t first, uint32_t end)
{
    uint16_t next = n->places[end - 1];
    for (uint32_t i = end - 1; i-- > first;) {
        uint16_t b = add(n, MODEL_TEST, (uint16_t)i);
        n->g->at[b].count = 2;
        n->g->at[b].next[0] = next;
        n->g->at[b].next[1] = n->places[i];
        next = b;
    }
    return next;
}

static void add_place(struct normal *n, uint16_t b)
{
    for (uint32_t i = 0; i < n->place_count; i++)
        if (n->places[i] == b)
            return;
    n->places[n->place_count++] = b;
}

static uint32_t place_of(const struct normal *n, uint16_t b)
{
    for (uint32_t i = 0; i < n->place_count; i++)
        if (n->places[i] == b)
            return i;
    return MODEL_NONE;
}

static void find_places(struct normal *n, uint32_t blocks)
{
    n->place_count = 0;
    for (int out = 0; out < 2; out++) {
        for (uint32_t b = 0; b < blocks; b++)
            for (int i = 0; i < n->g->at[b].count; i++)
                if (n->inside[b] == (out == 1) && n->inside[n->g->at[b].next[i]] == (out == 0))
                    add_place(n, n->g->at[b].next[i]);
        if (out == 0)
            n->entries = n->place_count;
    }
}

static void redirect(struct normal *n, uint32_t blocks, uint16_t latch, uint16_t header)
{
    for (uint32_t b = 0; b < blocks; b++)
        for (int i = 0; i < n->g->at[b].count; i++) {
            uint32_t place = place_of(n, n->g->at[b].next[i]);
            bool to_entry = place < n->entries;
            if (place == MODEL_NONE || (!n->inside[b] && !to_entry))
                continue;
            if (n->inside[b] || n->entries > 1) {
                uint16_t set = add_set(n, place, n->inside[b] ? latch : header);
                n->g->at[b].next[i] = set;
            }
        }
}

/* The block with the region's only edge out, MODEL_NONE: there are more edges. */
static uint16_t only_exit(const struct normal *n, const struct region *region)
{
    uint16_t found = MODEL_NONE;
    for (uint32_t i = 0; i < region->count; i++)
        for (int k = 0; k < n->g->at[region->at[i]].count; k++)
            if (!n->inside[n->g->at[region->at[i]].next[k]]) {
                if (found != MODEL_NONE)
                    return MODEL_NONE;
                found = region->at[i];
            }
    return found;
}

/* Whether a path inside leads from a block back to it without coming through `without`. */
static bool goes_round(const struct normal *n, uint16_t block, uint16_t without)
{
    bool seen[MODEL_BLOCKS] = {0};
    uint16_t stack[MODEL_BLOCKS] = {block};
    uint32_t depth = block != without;
    while (depth) {
        const struct model_block *x = &n->g->at[stack[--depth]];
        for (int i = 0; i < x->count; i++) {
            uint16_t to = x->next[i];
            if (to == block)
                return true;
            if (n->inside[to] && to != without && !seen[to]) {
                seen[to] = true;
                stack[depth++] = to;
            }
        }
    }
    return false;
}

/* The region is in normal form but for the landing, which it gets. An exit that is on an inner cycle as well
 * would be one of that region's exits, and not be the branch it is any more. */
static bool is_normal(struct normal *n, const struct region *region)
{
    uint16_t exit = only_exit(n, region), header = n->places[0];
    if (n->entries != 1 || exit == MODEL_NONE || goes_round(n, header, exit) || goes_round(n, exit, header))
        return false;
    struct model_block *x = &n->g->at[exit];
    int side = n->inside[x->next[0]];
    uint16_t landing = add_set(n, MODEL_NONE, x->next[side]);
    x->next[side] = landing;
    x->leaves = (uint8_t)(side + 1);
    return true;
}

/* `region` is strongly connected; what of it may still be cyclic remains in it. */
static void normalise(struct normal *n, struct region *region)
{
    uint32_t blocks = n->g->count;
    memset(n->inside, 0, sizeof n->inside);
    for (uint32_t i = 0; i < region->count; i++)
        n->inside[region->at[i]] = true;
    find_places(n, blocks);
    if (is_normal(n, region)) {
        uint32_t header = 0;
        while (region->at[header] != n->places[0])
            header++;
        region->at[header] = region->at[--region->count];
        return;
    }
    uint16_t header = add_tests(n, 0, n->entries);
    uint16_t landing = add_set(n, MODEL_NONE, 0), latch = add(n, MODEL_LEAVE, (uint16_t)n->entries);
    n->g->at[landing].next[0] = add_tests(n, n->entries, n->place_count);
    n->g->at[latch].count = n->g->at[latch].leaves = 2;
    n->g->at[latch].next[0] = header;
    n->g->at[latch].next[1] = landing;
    redirect(n, blocks, latch, header);
}

/* ---- strongly connected components of the blocks of a region (Tarjan) -------------------------------- */

struct search {
    struct normal *n;
    const bool *among;
    uint32_t index[MODEL_BLOCKS], low[MODEL_BLOCKS], next, depth, found;
    uint16_t stack[MODEL_BLOCKS];
    bool on_stack[MODEL_BLOCKS];
    struct region *regions;
};

static bool is_cyclic(const struct search *s, const struct region *r)
{
    const struct model_block *x = &s->n->g->at[r->at[0]];
    if (r->count > 1)
        return true;
    for (int i = 0; i < x->count; i++)
        if (x->next[i] == r->at[0])
            return true;
    return false;
}

static void model_visit(struct search *s, uint16_t b)
{
    s->index[b] = s->low[b] = ++s->next;
    s->stack[s->depth++] = b;
    s->on_stack[b] = true;
    for (int i = 0; i < s->n->g->at[b].count; i++) {
        uint16_t to = s->n->g->at[b].next[i];
        if (!s->among[to])
            continue;
        if (!s->index[to])
            model_visit(s, to);
        if (s->on_stack[to] && s->low[to] < s->low[b])
            s->low[b] = s->low[to];
    }
    if (s->low[b] != s->index[b])
        return;
    struct region *r = &s->regions[s->found];
    uint16_t member;
    r->count = 0;
    do {
        member = s->stack[--s->depth];
        s->on_stack[member] = false;
        r->at[r->count++] = member;
    } while (member != b);
    s->found += is_cyclic(s, r);
}

static void regions_among(struct normal *n, const struct region *within)
{
    struct search *s = mem_alloc(sizeof *s);
    bool among[MODEL_BLOCKS] = {0};
    s->n = n;
    s->among = among;
    s->regions = mem_alloc((within->count + 1) * sizeof *s->regions);
    for (uint32_t i = 0; i < within->count; i++)
        among[within->at[i]] = true;
    for (uint32_t i = 0; i < within->count; i++)
        if (!s->index[within->at[i]])
            model_visit(s, within->at[i]);
    for (uint32_t i = 0; i < s->found && !n->full; i++) {
        normalise(n, &s->regions[i]);
        regions_among(n, &s->regions[i]);
    }
    mem_free(s->regions);
    mem_free(s);
}

bool model_normal_form(const struct model_graph *g, struct model_graph *to)
{
    struct normal *n = mem_alloc(sizeof *n);
    struct region all = {.count = g->count};
    n->g = to;
    to->count = 1;
    to->at[0] =
        (struct model_block){.kind = MODEL_SET, .value = MODEL_NONE, .count = 1, .weight = 1, .next = {1}};
    for (uint32_t b = 0; b < g->count; b++) {
        all.at[b] = (uint16_t)(b + 1);
        to->at[to->count] = g->at[b];
        to->at[to->count].stops = false;
        for (int i = 0; i < 2; i++)
            to->at[to->count].next[i]++;
        to->count++;
    }
    uint16_t end = add(n, MODEL_SET, MODEL_NONE);
    for (uint32_t b = 1; b < end; b++)
        if (to->at[b].count == 0) {
            to->at[b].count = 1;
            to->at[b].next[0] = end;
        }
    regions_among(n, &all);
    bool fits = !n->full;
    mem_free(n);
    return fits;
}
