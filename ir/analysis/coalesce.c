/* coalesce.c: groups of values that may share a register (coalesce.h).
 *
 * The blocks where a value lives are found from its uses, back to its definition. Spans of a group are kept
 * sorted. Two groups are compared by looking up the spans of the one with fewer in the other; the values of the
 * smaller one change their leader.
 */
#include "ir/analysis/coalesce.h"

#include <stdlib.h>

enum {
    SPANS_MOST = 1024, /* of a group */
    BLOCKS_MOST = 512, /* where a value lives, before it is taken to live in all between */
};

struct ir_coalescer ir_coalescer_new(struct arena *a, const struct ir_lives *lives)
{
    struct ir_coalescer x = {.arena = a, .lives = lives};
    x.uses = rows_of_edges(a, lives->values, &lives->uses);
    x.leader = arena_array(a, uint32_t, lives->values);
    x.behind = arena_array(a, uint32_t, lives->values);
    x.groups = arena_array(a, struct ir_group, lives->values);
    for (uint32_t v = 0; v < lives->values; v++)
        x.leader[v] = x.behind[v] = v;
    x.blocks = walk_new(a, lives->g->rpo_count);
    x.last = arena_array(a, uint32_t, lives->g->rpo_count);
    return x;
}

/* ---- the spans of a value ---------------------------------------------------------------------------- */

/* The place of the block that has the position. */
static uint32_t block_at(const struct ir_coalescer *x, uint32_t position)
{
    uint32_t low = 0, high = x->lives->g->rpo_count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (x->lives->block[middle].start <= position)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static void lives_to(struct ir_coalescer *x, uint32_t k, uint32_t position)
{
    walk_add(&x->blocks, k);
    x->last[k] = position > x->last[k] ? position : x->last[k];
}

/* false: in too many blocks. */
static bool find_blocks(struct ir_coalescer *x, uint32_t v, uint32_t home)
{
    const struct ir_cfg *g = x->lives->g;
    lives_to(x, home, x->lives->whole[v].start);
    rows_each(i, x->uses, v)
        lives_to(x, block_at(x, x->uses.at[i]), x->uses.at[i]);
    walk_each(k, &x->blocks) {
        if (x->blocks.list.count > BLOCKS_MOST)
            return false;
        if (k != home)
            ir_each_pred(p, g->rpo[k], g)
                if (bitset_has(g->reachable, p))
                    lives_to(x, g->rpo_index[p], x->lives->block[g->rpo_index[p]].end);
    }
    return true;
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Of the blocks that were found, those that follow each other made one. */
static void make_spans(struct ir_coalescer *x, uint32_t v, uint32_t home)
{
    struct ir_group *group = &x->groups[v];
    const struct ir_span *whole = &x->lives->whole[v];
    u32_vec blocks = x->blocks.list;
    qsort(blocks.at, blocks.count, sizeof *blocks.at, by_number);
    group->spans = arena_array(x->arena, struct ir_span, blocks.count);
    group->count = 0;
    for (uint32_t i = 0; i < blocks.count; i++) {
        uint32_t k = blocks.at[i], start = k == home ? whole->start : x->lives->block[k].start;
        if (group->count && group->spans[group->count - 1].end + 1 == start)
            group->spans[group->count - 1].end = x->last[k];
        else
            group->spans[group->count++] = (struct ir_span){start, x->last[k]};
    }
    INVARIANT(group->spans[0].start == whole->start && group->spans[group->count - 1].end <= whole->end);
}

static struct ir_group *group_of(struct ir_coalescer *x, uint32_t v)
{
    struct ir_group *group = &x->groups[v];
    uint32_t home = block_at(x, x->lives->whole[v].start);
    if (group->spans)
        return group;
    if (row_length(&x->uses, v) && find_blocks(x, v, home)) {
        make_spans(x, v, home);
    } else {
        group->spans = &x->lives->whole[v];
        group->count = 1;
    }
    for (uint32_t i = 0; i < x->blocks.list.count; i++)
        x->last[x->blocks.list.at[i]] = 0;
    walk_restart(&x->blocks);
    return group;
}

/* ---- groups ------------------------------------------------------------------------------------------ */

/* The first span that ends at or behind `start`. */
static uint32_t first_span_from(const struct ir_group *group, uint32_t start)
{
    uint32_t low = 0, high = group->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (group->spans[middle].end < start)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool overlap(const struct ir_group *small, const struct ir_group *large)
{
    for (uint32_t i = 0; i < small->count; i++) {
        uint32_t at = first_span_from(large, small->spans[i].start);
        if (at < large->count && large->spans[at].start <= small->spans[i].end)
            return true;
    }
    return false;
}

/* Puts the spans of the one among those of the other, from the last to the first. */
static void add_spans(struct ir_coalescer *x, struct ir_group *to, const struct ir_group *from)
{
    uint32_t i = from->count, j = to->count, all = i + j;
    const struct ir_span *old = to->spans;
    if (all > to->capacity) {
        to->capacity = 2 * all;
        to->spans = arena_array(x->arena, struct ir_span, to->capacity);
    }
    to->count = all;
    while (all-- > 0)
        to->spans[all] =
            j == 0 || (i && from->spans[i - 1].start > old[j - 1].start) ? from->spans[--i] : old[--j];
}

static void merge(struct ir_coalescer *x, uint32_t small, uint32_t large)
{
    uint32_t v = small, next = x->behind[large];
    add_spans(x, &x->groups[large], &x->groups[small]);
    do {
        x->leader[v] = large;
        v = x->behind[v];
    } while (v != small);
    x->behind[large] = x->behind[small];
    x->behind[small] = next;
}

void ir_coalesce(struct ir_coalescer *x, uint32_t v, uint32_t w)
{
    v = x->leader[v];
    w = x->leader[w];
    const struct ir_group *a = group_of(x, v), *b = group_of(x, w);
    if (v == w || a->count + b->count > SPANS_MOST)
        return;
    uint32_t small = a->count < b->count ? v : w, large = small == v ? w : v;
    if (!overlap(&x->groups[small], &x->groups[large]))
        merge(x, small, large);
}

struct ir_span ir_coalesced_span(const struct ir_coalescer *x, uint32_t v)
{
    const struct ir_group *group = &x->groups[v];
    if (!group->spans)
        return x->lives->whole[v];
    return (struct ir_span){group->spans[0].start, group->spans[group->count - 1].end};
}
