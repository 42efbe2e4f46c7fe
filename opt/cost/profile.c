/* profile.c: likelihoods of edges from the counts of an earlier run.
 *
 * A profile says how often lanes came to each branch, of which passes may have made copies: if there are as
 * many now as there were then, each has its own count, in the order of the program; else all have the
 * largest. Of other blocks the lines alone are known, by the block that ran most: the least of them is taken.
 * An edge has the count of a block that has no other way in or out; others follow as flow is conserved: what
 * comes into a block, and what leaves it, adds up to its count. What stays unknown is left to the static
 * estimate.
 *
 * Time: for a module each branch is numbered once; for a function of n instructions and edges and a profile of
 * r rows O(n log r), and each row is read once more at most. Each edge is found once.
 */
#include "opt/cost/cost.h"
#include "opt/opt.h"

static const uint64_t UNKNOWN = UINT64_MAX;

struct cost_branches {
    struct map copies; /* by place: branches of the module */
    uint32_t **copy;   /* by function and block: of its branch */
};

/* What goes into a block or out of it. */
struct flow {
    uint64_t known;   /* the sum of known edges */
    uint32_t unknown; /* edges */
};
enum { IN, OUT, SIDES };

struct cost_profile {
    const struct ir_cfg *cfg;
    const struct opt_options *options;
    const struct cost_branches *branches;
    struct arena *arena;
    struct map most;      /* by place: the row with the largest count */
    uint64_t *count;      /* by block */
    uint32_t *first_edge; /* by block: of its edges in `edge` */
    uint32_t *first_in;   /* by block: of the edges to it in `in`, which end where the next block's begin */
    uint32_t *in;
    uint32_t *from, *to; /* by edge: blocks */
    uint64_t *edge;
    struct flow *flow; /* by block and side */
    u32_vec ready;     /* those with one unknown edge and a known count */
};

/* ---- counts of blocks -------------------------------------------------------------------------------- */

static uint64_t key_of(place at)
{
    return (uint64_t)at.line << 32 | at.column;
}

/* The first of the profile's rows whose place is not before this one. */
static uint32_t first_row(const struct opt_options *o, uint64_t key)
{
    uint32_t low = 0, high = o->profile.count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (key_of(o->profile.at[middle].at) < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The largest count of rows first to end, which are those of the place. */
static uint64_t most_of(struct cost_profile *p, uint64_t key, uint32_t first, uint32_t end)
{
    const struct opt_place_count *row = p->options->profile.at;
    uint32_t most = map_get(&p->most, key);
    if (most == MAP_NONE) {
        most = first;
        for (uint32_t i = first + 1; i < end; i++)
            most = row[i].lanes > row[most].lanes ? i : most;
        map_set(p->arena, &p->most, key, most);
    }
    return row[most].lanes;
}

/* Of the copy-th of so many branches there. */
static uint64_t count_of_place(struct cost_profile *p, place at, uint32_t copy, uint32_t copies)
{
    uint64_t key = key_of(at);
    uint32_t first = first_row(p->options, key), end = first_row(p->options, key + 1);
    if (end == first)
        return UNKNOWN;
    return end - first == copies ? p->options->profile.at[first + copy].lanes : most_of(p, key, first, end);
}

static bool is_branch(const struct ir_function *f, uint32_t b)
{
    return ir_block_at(f, b)->edges.count > 1;
}

static place end_of(const struct ir_function *f, uint32_t b)
{
    return ir_at(f, ir_terminator(f, b))->at;
}

struct cost_branches *cost_branches_new(struct arena *a, const struct ir_module *m,
                                        const struct opt_options *o)
{
    struct cost_branches *all = arena_new(a, struct cost_branches);
    if (!o->profile.count)
        return NULL;
    *all = (struct cost_branches){.copy = arena_array(a, uint32_t *, m->functions.count)};
    for (uint32_t i = 0; i < m->functions.count; i++) {
        const struct ir_function *f = m->functions.at[i];
        all->copy[i] = arena_array(a, uint32_t, f->blocks.count);
        ir_each_block(k, b, f) {
            if (!is_branch(f, b))
                continue;
            uint64_t key = key_of(end_of(f, b));
            uint32_t n = map_get(&all->copies, key);
            all->copy[i][b] = n = n == MAP_NONE ? 0 : n;
            map_set(a, &all->copies, key, n + 1);
        }
    }
    return all;
}

static uint64_t count_of_block(struct cost_profile *p, uint32_t b)
{
    const struct ir_function *f = p->cfg->fn;
    place end = end_of(f, b);
    uint64_t least = UNKNOWN;
    if (is_branch(f, b) && end.column)
        least =
            count_of_place(p, end, p->branches->copy[f->id][b], map_get(&p->branches->copies, key_of(end)));
    if (least != UNKNOWN)
        return least;
    ir_each_ins(r, f, b) {
        uint64_t line = count_of_place(p, (place){ir_at(f, r)->at.line, 0}, 0, 1);
        least = line < least ? line : least;
    }
    return least;
}

/* ---- counts of edges --------------------------------------------------------------------------------- */

static uint32_t edges_of(const struct cost_profile *p, uint32_t b)
{
    return ir_block_at(p->cfg->fn, b)->edges.count;
}

static void number_edges(struct arena *a, struct cost_profile *p)
{
    const struct ir_cfg *cfg = p->cfg;
    uint32_t edges = 0;
    p->first_edge = arena_array(a, uint32_t, cfg->blocks);
    p->first_in = arena_array(a, uint32_t, cfg->blocks + 1);
    p->flow = arena_array(a, struct flow, cfg->blocks * SIDES);
    for (uint32_t i = 0; i < cfg->rpo_count; i++) {
        p->first_edge[cfg->rpo[i]] = edges;
        edges += edges_of(p, cfg->rpo[i]);
    }
    p->in = arena_array(a, uint32_t, edges + 1);
    p->from = arena_array(a, uint32_t, edges + 1);
    p->to = arena_array(a, uint32_t, edges + 1);
    p->edge = arena_array(a, uint64_t, edges + 1);
    for (uint32_t i = 0; i < cfg->rpo_count; i++) {
        uint32_t b = cfg->rpo[i], n = edges_of(p, b);
        p->flow[b * SIDES + OUT].unknown = n;
        for (uint32_t e = p->first_edge[b]; e < p->first_edge[b] + n; e++) {
            p->from[e] = b;
            p->to[e] = ir_block_at(cfg->fn, b)->edges.at[e - p->first_edge[b]].block;
            p->edge[e] = UNKNOWN;
            p->flow[p->to[e] * SIDES + IN].unknown++;
        }
    }
    for (uint32_t b = 0; b < cfg->blocks; b++)
        p->first_in[b + 1] = p->first_in[b] + p->flow[b * SIDES + IN].unknown;
    uint32_t *next = arena_array(a, uint32_t, cfg->blocks);
    memcpy(next, p->first_in, cfg->blocks * sizeof *next);
    for (uint32_t e = 0; e < edges; e++)
        p->in[next[p->to[e]]++] = e;
}

/* The unknown edge of the block's side, which has one. */
static uint32_t unknown_edge(const struct cost_profile *p, uint32_t b, uint32_t side)
{
    uint32_t i = side == IN ? p->first_in[b] : p->first_edge[b];
    while (p->edge[side == IN ? p->in[i] : i] != UNKNOWN)
        i++;
    return side == IN ? p->in[i] : i;
}

static void note_ready(struct cost_profile *p, uint32_t b, uint32_t side)
{
    bool enters = side == IN && b == ir_entry(p->cfg->fn); /* by no edge */
    if (!enters && p->count[b] != UNKNOWN && p->flow[b * SIDES + side].unknown == 1)
        vec_push(p->arena, &p->ready, b * SIDES + side);
}

static void note_known(struct cost_profile *p, uint32_t b, uint32_t side, uint64_t count)
{
    struct flow *f = &p->flow[b * SIDES + side];
    f->known = f->known > UNKNOWN - count ? UNKNOWN : f->known + count;
    f->unknown--;
    note_ready(p, b, side);
}

/* The one unknown edge of a side gets what the others leave. Edges that are certain come first; each may make
 * that of another side the last. */
static void find_edges(struct cost_profile *p)
{
    for (uint32_t side = IN; side < SIDES; side++)
        for (uint32_t i = 0; i < p->cfg->rpo_count; i++)
            note_ready(p, p->cfg->rpo[i], side);
    for (uint32_t i = 0; i < p->ready.count; i++) {
        uint32_t b = p->ready.at[i] / SIDES, side = p->ready.at[i] % SIDES;
        const struct flow *f = &p->flow[p->ready.at[i]];
        if (f->unknown == 0)
            continue; /* known from its other end */
        uint32_t e = unknown_edge(p, b, side);
        p->edge[e] = p->count[b] > f->known ? p->count[b] - f->known : 0;
        note_known(p, p->from[e], OUT, p->edge[e]);
        note_known(p, p->to[e], IN, p->edge[e]);
    }
}

struct cost_profile *cost_profile_new(struct arena *a, const struct ir_cfg *cfg,
                                      const struct cost_branches *branches, const struct opt_options *o)
{
    struct cost_profile *p = arena_new(a, struct cost_profile);
    bool known = false;
    if (!branches)
        return NULL;
    *p = (struct cost_profile){.cfg = cfg,
                               .options = o,
                               .branches = branches,
                               .arena = a,
                               .count = arena_array(a, uint64_t, cfg->blocks)};
    for (uint32_t i = 0; i < cfg->rpo_count; i++) {
        uint32_t b = cfg->rpo[i];
        p->count[b] = count_of_block(p, b);
        known |= p->count[b] != UNKNOWN && p->count[b] > 0;
    }
    number_edges(a, p);
    find_edges(p);
    return known ? p : NULL;
}

uint32_t cost_profile_likely(void *profile, const struct ir_function *f, uint32_t b, uint32_t e)
{
    UNUSED(f);
    const struct cost_profile *p = profile;
    const struct flow *out = &p->flow[b * SIDES + OUT];
    if (out->unknown || out->known == 0)
        return UINT32_MAX;
    return (uint32_t)((double)p->edge[p->first_edge[b] + e] / (double)out->known * 65536);
}
