/* knowledge.c: vector clocks in short: of ranges of blocks the epoch that was reached, of single warps the
 * clocks in their last epoch; see knowledge.h.
 *
 * Where it becomes too long (MOST), all counts as known: no alarm is made up.
 */
#include "runtime/check/knowledge.h"

enum { MOST = 1 << 14 };

struct range {
    uint32_t first, last, epoch; /* of all these blocks, the epochs before this one */
};
struct row {
    uint64_t warp;
    uint32_t epoch, width;
    const uint32_t *clocks;
};
struct rt_knowledge {
    VEC(struct range) ranges; /* by block, none overlaps another */
    VEC(struct row) rows;     /* by warp, each once */
    bool all;
};

/* ---- ranges ------------------------------------------------------------------------------------------ */

static void add_range(struct arena *a, struct rt_knowledge *k, struct range r)
{
    struct range *last = k->ranges.count ? &vec_last(&k->ranges) : NULL;
    if (last && last->last + 1 == r.first && last->epoch == r.epoch)
        last->last = r.last;
    else
        vec_push(a, &k->ranges, r);
}

/* Of the ranges from *i on: the epoch at `block` (0: none), and in *end the last block for which it holds. */
static uint32_t epoch_at(const struct rt_knowledge *k, uint32_t *i, uint32_t block, uint32_t *end)
{
    while (*i < k->ranges.count && k->ranges.at[*i].last < block)
        ++*i;
    *end = UINT32_MAX;
    if (*i == k->ranges.count)
        return 0;
    const struct range *r = &k->ranges.at[*i];
    *end = r->first <= block ? r->last : r->first - 1;
    return r->first <= block ? r->epoch : 0;
}

static void join_ranges(struct arena *a, struct rt_knowledge *to, const struct rt_knowledge *x,
                        const struct rt_knowledge *y)
{
    uint32_t i = 0, j = 0, xend, yend, end = 0;
    for (uint32_t block = 0; end != UINT32_MAX; block = end + 1) {
        uint32_t e = epoch_at(x, &i, block, &xend), f = epoch_at(y, &j, block, &yend);
        end = xend < yend ? xend : yend;
        if (e || f)
            add_range(a, to, (struct range){block, end, e > f ? e : f});
    }
}

/* ---- rows -------------------------------------------------------------------------------------------- */

/* The later one; of one epoch the later clocks of each. */
static struct row join_row(struct arena *a, struct row x, struct row y)
{
    bool over = true, under = true;
    if (x.epoch != y.epoch)
        return x.epoch > y.epoch ? x : y;
    for (uint32_t i = 0; i < x.width; i++) {
        over &= x.clocks[i] >= y.clocks[i];
        under &= x.clocks[i] <= y.clocks[i];
    }
    if (over || under)
        return over ? x : y;
    uint32_t *clocks = arena_array(a, uint32_t, x.width);
    for (uint32_t i = 0; i < x.width; i++)
        clocks[i] = x.clocks[i] > y.clocks[i] ? x.clocks[i] : y.clocks[i];
    return (struct row){x.warp, x.epoch, x.width, clocks};
}

static void join_rows(struct arena *a, struct rt_knowledge *to, const struct rt_knowledge *x,
                      const struct rt_knowledge *y)
{
    uint32_t i = 0, j = 0;
    while (i < x->rows.count || j < y->rows.count) {
        bool left = j == y->rows.count || (i < x->rows.count && x->rows.at[i].warp <= y->rows.at[j].warp);
        bool right = i == x->rows.count || (j < y->rows.count && y->rows.at[j].warp <= x->rows.at[i].warp);
        struct row row = left && right ? join_row(a, x->rows.at[i], y->rows.at[j])
                         : left        ? x->rows.at[i]
                                       : y->rows.at[j];
        vec_push(a, &to->rows, row);
        i += left, j += right;
    }
}

/* ---- all --------------------------------------------------------------------------------------------- */

/* Whether y tells nothing that x does not. Linear. */
static bool has_all(const struct rt_knowledge *x, const struct rt_knowledge *y)
{
    uint32_t i = 0, end;
    for (uint32_t j = 0; j < y->ranges.count; j++)
        for (uint32_t block = y->ranges.at[j].first; block <= y->ranges.at[j].last; block = end + 1) {
            if (epoch_at(x, &i, block, &end) < y->ranges.at[j].epoch)
                return false;
            if (end == UINT32_MAX)
                break;
        }
    for (uint32_t j = 0, k = 0; j < y->rows.count; j++) {
        const struct row *r = &y->rows.at[j];
        while (k < x->rows.count && x->rows.at[k].warp < r->warp)
            k++;
        const struct row *s = k < x->rows.count && x->rows.at[k].warp == r->warp ? &x->rows.at[k] : NULL;
        if (!s || s->epoch < r->epoch)
            return false;
        for (uint32_t lane = 0; s->epoch == r->epoch && s->clocks != r->clocks && lane < r->width; lane++)
            if (s->clocks[lane] < r->clocks[lane])
                return false;
    }
    return true;
}

const struct rt_knowledge *rt_know_both(struct arena *a, const struct rt_knowledge *x,
                                        const struct rt_knowledge *y)
{
    if (!x || !y || x == y)
        return x ? x : y;
    if (x->all || y->all)
        return x->all ? x : y;
    if (has_all(x, y))
        return x;
    if (has_all(y, x))
        return y;
    struct rt_knowledge *k = arena_new(a, struct rt_knowledge);
    join_ranges(a, k, x, y);
    join_rows(a, k, x, y);
    k->all = k->ranges.count + k->rows.count > MOST;
    return k;
}

const struct rt_knowledge *rt_know_all(void)
{
    static const struct rt_knowledge all = {.all = true};
    return &all;
}

const struct rt_knowledge *rt_know_block(struct arena *a, uint32_t block, uint32_t epoch)
{
    struct rt_knowledge *k = arena_new(a, struct rt_knowledge);
    vec_push(a, &k->ranges, ((struct range){block, block, epoch}));
    return k;
}

const struct rt_knowledge *rt_know_warp(struct arena *a, uint32_t block, uint64_t warp, uint32_t epoch,
                                        const uint32_t *clocks, uint32_t width)
{
    struct rt_knowledge *k = arena_new(a, struct rt_knowledge);
    struct row row = {warp, epoch, width, NULL};
    uint32_t *copy = arena_array(a, uint32_t, width);
    memcpy(copy, clocks, width * sizeof *copy);
    row.clocks = copy;
    vec_push(a, &k->ranges, ((struct range){block, block, epoch}));
    vec_push(a, &k->rows, row);
    return k;
}

/* The range that the block is in, NULL: none. */
static const struct range *find_range(const struct rt_knowledge *k, uint32_t block)
{
    uint32_t low = 0, high = k->ranges.count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (k->ranges.at[middle].last < block)
            low = middle + 1;
        else
            high = middle;
    }
    return low < k->ranges.count && k->ranges.at[low].first <= block ? &k->ranges.at[low] : NULL;
}

static const struct row *find_row(const struct rt_knowledge *k, uint64_t warp)
{
    uint32_t low = 0, high = k->rows.count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (k->rows.at[middle].warp < warp)
            low = middle + 1;
        else
            high = middle;
    }
    return low < k->rows.count && k->rows.at[low].warp == warp ? &k->rows.at[low] : NULL;
}

bool rt_knows(const struct rt_knowledge *k, uint32_t block, uint64_t warp, uint32_t lane, uint32_t epoch,
              uint32_t clock)
{
    if (!k || k->all)
        return k;
    const struct range *g = find_range(k, block);
    if (g && g->epoch > epoch)
        return true;
    const struct row *r = find_row(k, warp);
    return r && (r->epoch > epoch || (r->epoch == epoch && r->clocks[lane] >= clock));
}
