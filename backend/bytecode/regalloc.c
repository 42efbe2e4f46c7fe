/* regalloc.c: registers of a function's frame, for what lives across switch points: linear scan (Poletto and
 * Sarkar, 1999) over the intervals of liveness.c, which says why sharing is safe although lanes diverge.
 *
 * Coalescing comes first: a block parameter and the values that edges bring to it form a group, as long as no
 * two members' intervals overlap, and a group gets one register, so that the moves between its members
 * vanish. Edges that go back are tried first: their moves are the ones that run often. A group's members are
 * kept sorted, the smaller group is merged into the larger, and groups stop growing at GROUP_LIMIT: no input
 * makes this quadratic.
 *
 * Registers that are not shared but within a group: scalars that live across switch points (written without a
 * mask; only moves that warp_scalars.c allows it form groups); not at all: the function's result, as
 * several blocks may have it as their parameter (select_values.c), which one interval does not say.
 */
#include "backend/bytecode/emit.h"

#include <stdlib.h>

#define GROUP_LIMIT 256

/* ---- pools ------------------------------------------------------------------------------------------- */

static uint64_t bits_of(uint32_t reg, bool wide)
{
    return (uint64_t)(wide ? 3 : 1) << (reg % 64);
}

/* Bits where a free slot, or a free even slot with its neighbour, begins that has no other content. */
static uint64_t free_places(const struct be_slots *s, bool wide, enum be_content content)
{
    uint64_t used = s->used;
    for (unsigned k = 0; k < BE_CONTENTS; k++)
        used |= k == content ? 0 : s->of[k];
    return wide ? ~(used | used >> 1) & 0x5555555555555555u : ~used;
}

uint32_t be_pool_take(struct arena *a, struct be_pool *p, bool wide, enum be_content content)
{
    uint32_t word = p->low[content][wide] / 64, reg;
    while (word < p->words.count && !free_places(&p->words.at[word], wide, content))
        word++;
    if (word == p->words.count)
        vec_push(a, &p->words, (struct be_slots){0});
    struct be_slots *s = &p->words.at[word];
    reg = word * 64 + (uint32_t)__builtin_ctzll(free_places(s, wide, content));
    s->used |= bits_of(reg, wide);
    s->of[content] |= bits_of(reg, wide);
    p->low[content][wide] = reg;
    p->most = reg + 1 + wide > p->most ? reg + 1 + wide : p->most;
    return reg;
}

void be_pool_give(struct be_pool *p, uint32_t reg, bool wide)
{
    struct be_slots *s = &p->words.at[reg / 64];
    INVARIANT(s->used & bits_of(reg, false));
    s->used &= ~bits_of(reg, wide);
    for (unsigned k = 0; k < BE_CONTENTS; k++)
        for (unsigned w = 0; w < 2; w++)
            p->low[k][w] = reg < p->low[k][w] ? reg & ~63u : p->low[k][w];
}

void be_pool_clear(struct be_pool *p)
{
    for (uint32_t i = 0; i < p->words.count; i++)
        p->words.at[i].used = 0;
    memset(p->low, 0, sizeof p->low);
}

/* ---- groups ------------------------------------------------------------------------------------------ */

/* sorted by start; NULL: the register alone */
struct group {
    uint32_t count;
    uint32_t *members;
};
struct allocator {
    struct be_context *c;
    struct be_function *f;
    uint32_t *leader;     /* by virtual register: the one that stands for its group */
    struct group *groups; /* by leader */
    struct be_pool pools[BE_REGIONS];
};

static bool shares(const struct be_vreg *v)
{
    return v->home == BE_FRAME && v->kind != BC_KIND_S;
}

static uint32_t member(const struct allocator *a, uint32_t leader, uint32_t i)
{
    return a->groups[leader].members ? a->groups[leader].members[i] : leader;
}

static uint32_t member_count(const struct allocator *a, uint32_t leader)
{
    return a->groups[leader].members ? a->groups[leader].count : 1;
}

/* The first member that ends at or behind `start`: members do not overlap, so their ends are sorted too. */
static uint32_t first_member_from(const struct allocator *a, uint32_t leader, uint32_t start)
{
    uint32_t low = 0, high = member_count(a, leader);
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (be_vreg(a->f, member(a, leader, middle))->end < start)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool overlap(const struct allocator *a, uint32_t small, uint32_t large)
{
    for (uint32_t i = 0; i < member_count(a, small); i++) {
        const struct be_vreg *x = be_vreg(a->f, member(a, small, i));
        uint32_t at = first_member_from(a, large, x->start);
        if (at < member_count(a, large) && be_vreg(a->f, member(a, large, at))->start <= x->end)
            return true;
    }
    return false;
}

static void merge(struct allocator *a, uint32_t small, uint32_t large)
{
    uint32_t n = member_count(a, small), m = member_count(a, large), i = n, j = m;
    uint32_t *all = arena_array(&a->c->arena, uint32_t, n + m);
    for (uint32_t k = n + m; k-- > 0;) {
        bool take_small = j == 0 || (i && be_vreg(a->f, member(a, small, i - 1))->start >
                                              be_vreg(a->f, member(a, large, j - 1))->start);
        all[k] = take_small ? member(a, small, --i) : member(a, large, --j);
    }
    for (uint32_t k = 0; k < n; k++)
        a->leader[member(a, small, k)] = large;
    a->groups[large] = (struct group){n + m, all};
}

static void coalesce(struct allocator *a, const struct be_move *move)
{
    const struct be_vreg *to = be_vreg(a->f, move->to), *from = be_vreg(a->f, move->from);
    bool scalars = move->shares && from->home == BE_FRAME && from->kind == BC_KIND_S;
    if (!to->live || (!shares(from) && !scalars) || to->kind != from->kind || move->to == a->f->result)
        return;
    uint32_t x = a->leader[move->to], y = a->leader[move->from];
    if (x == y || member_count(a, x) + member_count(a, y) > GROUP_LIMIT)
        return;
    uint32_t small = member_count(a, x) < member_count(a, y) ? x : y, large = small == x ? y : x;
    if (!overlap(a, small, large))
        merge(a, small, large);
}

static void coalesce_edges(struct allocator *a, bool back)
{
    struct be_function *f = a->f;
    for (uint32_t k = 0; k < f->blocks.count; k++) {
        const struct be_block *b = &f->blocks.at[k];
        for (uint32_t e = 0; e < ir_block_at(f->ir, b->ir)->edges.count; e++) {
            const struct be_edge *edge = &f->edges.at[b->first_edge + e];
            if ((f->cfg->rpo_index[edge->target] <= k) != back)
                continue;
            for (uint32_t i = 0; i < edge->moves; i++)
                coalesce(a, &f->moves.at[edge->first_move + i]);
        }
    }
}

/* ---- linear scan ------------------------------------------------------------------------------------- */

struct interval {
    uint32_t start, end, leader;
};

static struct interval group_interval(const struct allocator *a, uint32_t leader)
{
    uint32_t n = member_count(a, leader);
    return (struct interval){be_vreg(a->f, member(a, leader, 0))->start,
                             be_vreg(a->f, member(a, leader, n - 1))->end, leader};
}

static int by_start(const void *a, const void *b)
{
    const struct interval *x = a, *y = b;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return (x->leader > y->leader) - (x->leader < y->leader);
}

static uint32_t take(struct allocator *a, uint32_t v)
{
    const struct be_vreg *x = be_vreg(a->f, v);
    return be_pool_take(&a->c->arena, &a->pools[be_region_of(x)], x->kind == BC_KIND_W,
                        (enum be_content)x->content);
}

static void give(struct allocator *a, uint32_t v)
{
    const struct be_vreg *x = be_vreg(a->f, v);
    be_pool_give(&a->pools[be_region_of(x)], x->reg, x->kind == BC_KIND_W);
}

static void scan(struct allocator *a, struct interval *intervals, uint32_t n)
{
    heap active = {0}; /* leaders of intervals, the one that ends first on top */
    qsort(intervals, n, sizeof *intervals, by_start);
    for (uint32_t i = 0; i < n; i++) {
        while (active.count && active.at[0].key < intervals[i].start)
            give(a, heap_pop(&active));
        be_vreg(a->f, intervals[i].leader)->reg = take(a, intervals[i].leader);
        heap_push(&a->c->arena, &active, intervals[i].end, intervals[i].leader);
    }
}

/* Those of a function that share registers; a result is exclusive. */
static bool is_scanned(const struct allocator *a, uint32_t v)
{
    return v != a->f->result && be_vreg(a->f, v)->live && shares(be_vreg(a->f, v));
}

static void allocate_shared(struct allocator *a)
{
    struct be_function *f = a->f;
    struct interval *intervals = arena_array(&a->c->arena, struct interval, f->vregs.count);
    uint32_t n = 0;
    for (uint32_t v = 1; v < f->vregs.count; v++)
        if (is_scanned(a, v) && a->leader[v] == v)
            intervals[n++] = group_interval(a, v);
    scan(a, intervals, n);
    for (uint32_t v = 1; v < f->vregs.count; v++)
        if (is_scanned(a, v))
            be_vreg(f, v)->reg = be_vreg(f, a->leader[v])->reg;
}

static bool is_frame_scalar(const struct be_vreg *v)
{
    return v->live && v->home == BE_FRAME && v->kind == BC_KIND_S;
}

static void allocate_exclusive(struct allocator *a)
{
    for (uint32_t v = 1; v < a->f->vregs.count; v++) {
        struct be_vreg *x = be_vreg(a->f, v);
        if ((is_frame_scalar(x) && a->leader[v] == v) || v == a->f->result)
            x->reg = take(a, v);
    }
    for (uint32_t v = 1; v < a->f->vregs.count; v++)
        if (is_frame_scalar(be_vreg(a->f, v)))
            be_vreg(a->f, v)->reg = be_vreg(a->f, a->leader[v])->reg;
}

void be_regalloc(struct be_context *c, struct be_function *f)
{
    struct allocator a = {.c = c, .f = f};
    a.leader = arena_array(&c->arena, uint32_t, f->vregs.count);
    a.groups = arena_array(&c->arena, struct group, f->vregs.count);
    for (uint32_t v = 0; v < f->vregs.count; v++)
        a.leader[v] = v;
    coalesce_edges(&a, true);
    coalesce_edges(&a, false);
    allocate_exclusive(&a);
    allocate_shared(&a);
    for (unsigned region = BC_FILE_VECTORS; region < BE_REGIONS; region++)
        c->frames[f->id].size[region] = a.pools[region].most;
}
