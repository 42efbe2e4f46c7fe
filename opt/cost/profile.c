/* profile.c: how often blocks run and edges are taken, by the counts of an earlier run. All passes that ask how
 * often something happens ask here first, and their model, or the static estimate, for what is not known.
 *
 * A profile says how often lanes came to each branch, of which passes may have made copies: if there are as
 * many now as there were then, each has its own count, in the order of the program; if there is one, it has
 * the sum; else tests in front of loops have the least that is not 0, and others the largest. Of other blocks
 * the lines alone are known, by the block that ran most: the least of them is taken. An edge has the count of a
 * block that has no other way in or out; others follow as flow is conserved: what comes into a block, and what
 * leaves it, adds up to its count. A test in front of a loop that is still unknown then lets all in that the
 * loop's count allows. What stays unknown is left to the static
 * estimate.
 *
 * Time: for a module each branch is numbered once; for a function of n instructions and edges and a profile of
 * r rows O(n log r), and each row is read once more at most. Each edge is found once.
 */
#include "opt/pass.h"

static const uint64_t UNKNOWN = UINT64_MAX;

struct cost_branches {
    struct map copies; /* by place: branches of the module */
    struct map *own;   /* by function, by place: those of the function */
    struct map *first; /* by function, by place: how many there are in the functions before it */
};

/* What goes into a block or out of it. */
struct flow {
    uint64_t known;   /* the sum of known edges */
    uint32_t unknown; /* edges */
};
enum { IN, OUT, SIDES };

/* Of the counts of a place: the largest, and the least that is not 0, or 0. */
struct extremes {
    uint64_t most, least;
};

struct cost_profile {
    const struct ir_cfg *cfg;
    const struct opt_options *options;
    const struct cost_branches *branches;
    const struct ir_cycles *cycles;
    struct arena *arena;
    struct map of_place; /* index in `extremes` */
    VEC(struct extremes) extremes;
    struct map own;       /* by place: the function's branches, which may have been changed since */
    uint32_t *copy;       /* by block: of its branch among those */
    uint64_t *count;      /* by block */
    uint32_t *first_edge; /* by block: of its edges in `edge` */
    uint32_t *first_in;   /* by block: of the edges to it in `in`, which end where the next block's begin */
    uint32_t *in;
    uint32_t *from, *to; /* by edge: blocks */
    uint64_t *edge;
    struct flow *flow; /* by block and side */
    u32_vec ready;     /* those with one unknown edge and a known count */
    bool known;        /* something ran; else nothing below `count` is there */
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

/* Of rows first to end, which are those of the place: looked at once. */
static struct extremes extremes_of(struct cost_profile *p, uint64_t key, uint32_t first, uint32_t end)
{
    const struct opt_place_count *row = p->options->profile.at;
    uint32_t at = map_get(&p->of_place, key);
    if (at != MAP_NONE)
        return p->extremes.at[at];
    struct extremes x = {.least = UNKNOWN};
    for (uint32_t i = first; i < end; i++) {
        x.most = row[i].lanes > x.most ? row[i].lanes : x.most;
        x.least = row[i].lanes && row[i].lanes < x.least ? row[i].lanes : x.least;
    }
    x.least = x.least == UNKNOWN ? 0 : x.least;
    map_set(p->arena, &p->of_place, key, p->extremes.count);
    vec_push(p->arena, &p->extremes, x);
    return x;
}

static uint64_t count_of_line(struct cost_profile *p, uint32_t line)
{
    uint64_t key = key_of((place){line, 0});
    uint32_t first = first_row(p->options, key), end = first_row(p->options, key + 1);
    return end == first ? UNKNOWN : extremes_of(p, key, first, end).most;
}

static bool is_branch(const struct ir_function *f, uint32_t b)
{
    return ir_block_at(f, b)->edges.count > 1;
}

static place end_of(const struct ir_function *f, uint32_t b)
{
    return ir_at(f, ir_terminator(f, b))->at;
}

static uint32_t number_at(const struct map *m, uint64_t key)
{
    uint32_t n = map_get(m, key);
    return n == MAP_NONE ? 0 : n;
}

/* Counts the function's branches by place; copy: by block, how many of the same place come before it. */
static void number_branches(struct arena *a, const struct ir_function *f, struct map *own, uint32_t *copy)
{
    ir_each_block(k, b, f) {
        if (!is_branch(f, b))
            continue;
        uint64_t key = key_of(end_of(f, b));
        uint32_t n = number_at(own, key);
        if (copy)
            copy[b] = n;
        map_set(a, own, key, n + 1);
    }
}

struct cost_branches *cost_branches_new(struct arena *a, const struct ir_module *m,
                                        const struct opt_options *o)
{
    struct cost_branches *all = arena_new(a, struct cost_branches);
    *all = (struct cost_branches){0};
    if (!o->profile.count)
        return all;
    all->own = arena_array(a, struct map, m->functions.count);
    all->first = arena_array(a, struct map, m->functions.count);
    for (uint32_t i = 0; i < m->functions.count; i++) {
        const struct ir_function *f = m->functions.at[i];
        number_branches(a, f, &all->own[i], NULL);
        ir_each_block(k, b, f) {
            uint64_t key = key_of(end_of(f, b));
            if (!is_branch(f, b) || map_get(&all->first[i], key) != MAP_NONE)
                continue;
            uint32_t before = number_at(&all->copies, key);
            map_set(a, &all->first[i], key, before);
            map_set(a, &all->copies, key, before + map_get(&all->own[i], key));
        }
    }
    return all;
}

/* Of the branch at the end of the block. */
static uint64_t count_of_branch(struct cost_profile *p, uint32_t b)
{
    uint32_t id = p->cfg->fn->id;
    uint64_t key = key_of(end_of(p->cfg->fn, b)), sum = 0;
    uint32_t first = first_row(p->options, key), end = first_row(p->options, key + 1);
    uint32_t others = number_at(&p->branches->copies, key) - number_at(&p->branches->own[id], key);
    uint32_t copies = others + number_at(&p->own, key);
    const struct opt_place_count *row = p->options->profile.at;
    if (end == first)
        return UNKNOWN;
    if (end - first == copies)
        return row[first + number_at(&p->branches->first[id], key) + p->copy[b]].lanes;
    if (copies > 1) {
        struct extremes x = extremes_of(p, key, first, end);
        bool guards = cost_guarded_edge(p->cfg->fn, p->cycles, b) < ir_block_at(p->cfg->fn, b)->edges.count;
        return guards ? x.least : x.most;
    }
    for (uint32_t i = first; i < end; i++)
        sum = sum > UNKNOWN - 1 - row[i].lanes ? UNKNOWN - 1 : sum + row[i].lanes;
    return sum;
}

static uint64_t count_of_block(struct cost_profile *p, uint32_t b)
{
    const struct ir_function *f = p->cfg->fn;
    uint64_t least = UNKNOWN;
    if (is_branch(f, b) && end_of(f, b).column)
        least = count_of_branch(p, b);
    if (least != UNKNOWN)
        return least;
    ir_each_ins(r, f, b) {
        uint64_t line = count_of_line(p, ir_at(f, r)->at.line);
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

static void set_edge(struct cost_profile *p, uint32_t e, uint64_t count)
{
    p->edge[e] = count;
    note_known(p, p->from[e], OUT, count);
    note_known(p, p->to[e], IN, count);
}

/* The one unknown edge of a side gets what the others leave, which may make that of another side the last. */
static void conserve_flow(struct cost_profile *p)
{
    for (uint32_t i = 0; i < p->ready.count; i++) {
        uint32_t b = p->ready.at[i] / SIDES, side = p->ready.at[i] % SIDES;
        const struct flow *f = &p->flow[p->ready.at[i]];
        if (f->unknown) /* else it is known from its other end */
            set_edge(p, unknown_edge(p, b, side), p->count[b] > f->known ? p->count[b] - f->known : 0);
    }
    vec_clear(&p->ready);
}

/* Threads that come to a test in front of a loop are taken to enter it. */
static void assume_entered(struct cost_profile *p)
{
    for (uint32_t k = 0; k < p->cycles->count; k++) {
        uint32_t header = p->cycles->at[k].header;
        for (uint32_t i = p->first_in[header]; i < p->first_in[header + 1]; i++) {
            uint32_t e = p->in[i], from = p->from[e];
            if (p->edge[e] != UNKNOWN || ir_cycle_has(p->cycles, k, from) || p->count[from] == UNKNOWN ||
                p->count[header] == UNKNOWN)
                continue;
            set_edge(p, e, p->count[from] < p->count[header] ? p->count[from] : p->count[header]);
            conserve_flow(p);
        }
    }
}

/* Edges that are certain come first. */
static void find_edges(struct cost_profile *p)
{
    for (uint32_t side = IN; side < SIDES; side++)
        for (uint32_t i = 0; i < p->cfg->rpo_count; i++)
            note_ready(p, p->cfg->rpo[i], side);
    conserve_flow(p);
    assume_entered(p);
}

struct cost_profile *cost_profile_new(struct arena *a, const struct ir_cfg *cfg,
                                      const struct ir_cycles *cycles, const struct cost_branches *branches,
                                      const struct opt_options *o)
{
    struct cost_profile *p = arena_new(a, struct cost_profile);
    *p = (struct cost_profile){.cfg = cfg,
                               .options = o,
                               .branches = branches,
                               .cycles = cycles,
                               .arena = a,
                               .copy = arena_array(a, uint32_t, cfg->blocks),
                               .count = arena_array(a, uint64_t, cfg->blocks)};
    if (!branches->own || cfg->rpo_count == 0)
        return p;
    number_branches(a, cfg->fn, &p->own, p->copy);
    for (uint32_t i = 0; i < cfg->rpo_count; i++) {
        uint32_t b = cfg->rpo[i];
        p->count[b] = count_of_block(p, b);
        p->known |= p->count[b] != UNKNOWN && p->count[b] > 0;
    }
    number_edges(a, p);
    find_edges(p);
    return p;
}

/* ---- what passes ask ------------------------------------------------------------------------------------ */

bool cost_is_counted(const struct cost_profile *p, uint32_t b)
{
    return p && p->known && b < p->cfg->blocks && bitset_has(p->cfg->reachable, b) && p->count[b] != UNKNOWN;
}

uint64_t cost_count(const struct cost_profile *p, uint32_t b)
{
    return cost_is_counted(p, b) ? p->count[b] : 0;
}

uint64_t cost_edge_count(const struct cost_profile *p, uint32_t b, uint32_t e)
{
    uint64_t n = p && p->known ? p->edge[p->first_edge[b] + e] : 0;
    return n == UNKNOWN ? 0 : n;
}

uint32_t cost_likely(const struct cost_profile *p, uint32_t b, uint32_t e)
{
    if (!p || !p->known)
        return UINT32_MAX;
    const struct flow *out = &p->flow[b * SIDES + OUT];
    if (out->unknown || out->known == 0)
        return UINT32_MAX;
    return (uint32_t)((double)p->edge[p->first_edge[b] + e] / (double)out->known * 65536);
}

double cost_trips(const struct cost_profile *p, uint32_t cycle)
{
    if (!p || !p->known)
        return 0;
    uint32_t header = p->cycles->at[cycle].header;
    double entered = 0;
    for (uint32_t i = p->first_in[header]; i < p->first_in[header + 1]; i++) {
        uint32_t e = p->in[i];
        if (ir_cycle_has(p->cycles, cycle, p->from[e]))
            continue;
        if (p->edge[e] == UNKNOWN)
            return 0;
        entered += (double)p->edge[e];
    }
    return entered > 0 && cost_is_counted(p, header) ? (double)p->count[header] / entered : 0;
}
