/* profile.c: likelihoods of edges from the counts of an earlier run.
 *
 * A profile says how often lanes came to each branch, of which passes may have made copies: if there are as
 * many now as there were then, each has its own count, in the order of the program; else all have the
 * largest. Of other blocks the lines alone are known, by the block that ran most: the least of them is taken.
 * An edge has the count of a block that has no other way in or out; others follow as flow is conserved: what
 * comes into a block, and what leaves it, adds up to its count. What stays unknown is left to the static
 * estimate.
 */
#include "opt/cost/cost.h"
#include "opt/opt.h"

static const uint64_t UNKNOWN = UINT64_MAX;

struct cost_profile {
    const struct ir_cfg *cfg;
    const struct opt_options *options;
    struct map copies;    /* by place: branches of the module */
    uint32_t *copy;       /* by block: of its branch */
    uint64_t *count;      /* by block */
    uint32_t *first_edge; /* by block: of its edges in `edge` */
    uint64_t *edge;
};

/* ---- counts of blocks -------------------------------------------------------------------------------- */

/* The first of the profile's rows that is not before the place. */
static uint32_t first_row(const struct opt_options *o, place at)
{
    uint32_t low = 0, high = o->profile.count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        place own = o->profile.at[middle].at;
        if (own.line < at.line || (own.line == at.line && own.column < at.column))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Of the copy-th of so many branches there. */
static uint64_t count_of_place(const struct opt_options *o, place at, uint32_t copy, uint32_t copies)
{
    uint32_t first = first_row(o, at), end = first;
    uint64_t most = 0;
    for (; end < o->profile.count; end++) {
        const struct opt_place_count *row = &o->profile.at[end];
        if (row->at.line != at.line || row->at.column != at.column)
            break;
        most = row->lanes > most ? row->lanes : most;
    }
    if (end == first)
        return UNKNOWN;
    return end - first == copies ? o->profile.at[first + copy].lanes : most;
}

static uint64_t key_of(place at)
{
    return (uint64_t)at.line << 32 | at.column;
}

/* Numbers the branches of each place of the module in order. */
static void count_branches(struct arena *a, struct cost_profile *p)
{
    const struct ir_module *m = p->cfg->fn->module;
    for (uint32_t i = 0; i < m->functions.count; i++) {
        const struct ir_function *f = m->functions.at[i];
        ir_each_block(k, b, f) {
            uint64_t key = key_of(ir_at(f, ir_terminator(f, b))->at);
            if (ir_block_at(f, b)->edges.count < 2)
                continue;
            uint32_t n = map_get(&p->copies, key);
            n = n == MAP_NONE ? 0 : n;
            if (f == p->cfg->fn)
                p->copy[b] = n;
            map_set(a, &p->copies, key, n + 1);
        }
    }
}

static uint64_t count_of_block(const struct cost_profile *p, uint32_t b)
{
    const struct ir_function *f = p->cfg->fn;
    place end = ir_at(f, ir_terminator(f, b))->at;
    uint64_t least = UNKNOWN;
    if (ir_block_at(f, b)->edges.count > 1 && end.column)
        least = count_of_place(p->options, end, p->copy[b], map_get(&p->copies, key_of(end)));
    if (least != UNKNOWN)
        return least;
    ir_each_ins(r, f, b) {
        uint64_t line = count_of_place(p->options, (place){ir_at(f, r)->at.line, 0}, 0, 1);
        least = line < least ? line : least;
    }
    return least;
}

/* ---- counts of edges --------------------------------------------------------------------------------- */

static uint32_t edges_of(const struct cost_profile *p, uint32_t b)
{
    return ir_block_at(p->cfg->fn, b)->edges.count;
}

/* What is left of the count for one edge if those of the others are known. */
static uint64_t rest(uint64_t count, uint64_t others)
{
    return count > others ? count - others : 0;
}

/* The one unknown edge out of b gets what the others leave. */
static bool solve_out(struct cost_profile *p, uint32_t b)
{
    uint64_t known = 0, *unknown = NULL;
    for (uint32_t e = 0; e < edges_of(p, b); e++) {
        uint64_t *edge = &p->edge[p->first_edge[b] + e];
        if (*edge != UNKNOWN)
            known += *edge;
        else if (unknown)
            return false;
        else
            unknown = edge;
    }
    if (!unknown || p->count[b] == UNKNOWN)
        return false;
    *unknown = rest(p->count[b], known);
    return true;
}

static bool solve_in(struct cost_profile *p, uint32_t b)
{
    uint64_t known = 0, *unknown = NULL;
    ir_each_pred(q, b, p->cfg) {
        for (uint32_t e = 0; e < edges_of(p, q); e++) {
            uint64_t *edge = &p->edge[p->first_edge[q] + e];
            if (ir_block_at(p->cfg->fn, q)->edges.at[e].block != b || unknown == edge)
                continue;
            if (*edge != UNKNOWN)
                known += *edge;
            else if (unknown)
                return false;
            else
                unknown = edge;
        }
    }
    if (!unknown || p->count[b] == UNKNOWN)
        return false;
    *unknown = rest(p->count[b], known);
    return true;
}

/* Those that are certain, then ever more. Each round of the loop finds an edge or is the last. */
static void find_edges(struct cost_profile *p)
{
    bool found = true;
    while (found) {
        found = false;
        for (uint32_t i = 0; i < p->cfg->rpo_count; i++)
            if (p->cfg->rpo[i] != ir_entry(p->cfg->fn))
                found |= solve_in(p, p->cfg->rpo[i]);
        for (uint32_t i = 0; i < p->cfg->rpo_count; i++)
            found |= solve_out(p, p->cfg->rpo[i]);
    }
}

struct cost_profile *cost_profile_new(struct arena *a, const struct ir_cfg *cfg, const struct opt_options *o)
{
    struct cost_profile *p = arena_new(a, struct cost_profile);
    uint32_t edges = 0;
    bool known = false;
    if (!o->profile.count)
        return NULL;
    *p = (struct cost_profile){.cfg = cfg,
                               .options = o,
                               .copy = arena_array(a, uint32_t, cfg->blocks),
                               .count = arena_array(a, uint64_t, cfg->blocks),
                               .first_edge = arena_array(a, uint32_t, cfg->blocks)};
    count_branches(a, p);
    for (uint32_t i = 0; i < cfg->rpo_count; i++) {
        uint32_t b = cfg->rpo[i];
        p->count[b] = count_of_block(p, b);
        known |= p->count[b] != UNKNOWN && p->count[b] > 0;
        p->first_edge[b] = edges;
        edges += edges_of(p, b);
    }
    p->edge = arena_array(a, uint64_t, edges + 1);
    memset(p->edge, 0xff, (edges + 1) * sizeof *p->edge);
    find_edges(p);
    return known ? p : NULL;
}

uint32_t cost_profile_likely(void *profile, const struct ir_function *f, uint32_t b, uint32_t e)
{
    const struct cost_profile *p = profile;
    uint64_t sum = 0, own = p->edge[p->first_edge[b] + e];
    for (uint32_t k = 0; k < edges_of(p, b); k++) {
        if (p->edge[p->first_edge[b] + k] == UNKNOWN)
            return UINT32_MAX;
        sum += p->edge[p->first_edge[b] + k];
    }
    return sum ? (uint32_t)((double)own / (double)sum * 65536) : UINT32_MAX;
}
