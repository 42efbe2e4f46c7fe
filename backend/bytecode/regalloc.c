/* regalloc.c: registers of a function's frame, for what lives across switch points: linear scan (Poletto and
 * Sarkar, 1999) over the intervals of liveness.c, which says why sharing is safe although lanes diverge.
 *
 * Coalescing comes first (ir/analysis/coalesce.h): a block parameter and the values that edges bring to it
 * form a group, as long as no two members live at one place, and a group gets one register, so that the moves
 * between its members vanish. Edges that go back are tried first: their moves are the ones that run often.
 *
 * Registers that are not shared but within a group: scalars that live across switch points (written without a
 * mask; only moves that warp_scalars.c allows it form groups); not at all: the function's result, as
 * several blocks may have it as their parameter (select_values.c), which one interval does not say.
 */
#include "backend/bytecode/emit.h"
#include "ir/analysis/coalesce.h"

#include <stdlib.h>

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

struct allocator {
    struct be_context *c;
    struct be_function *f;
    struct ir_lives lives;
    struct ir_coalescer groups;
    struct be_pool pools[BE_REGIONS];
};

static bool shares(const struct be_vreg *v)
{
    return v->home == BE_FRAME && v->kind != BC_KIND_S;
}

/* Of vectors and masks, which are written under the mask; of others the whole interval counts. */
static void note_use(struct allocator *a, uint32_t v, uint32_t position)
{
    if (shares(be_vreg(a->f, v)) && v != a->f->result)
        edge_add(&a->c->arena, &a->lives.uses, v, position);
}

static void note_word(struct allocator *a, uint32_t i)
{
    uint32_t uses[5], more_count;
    const uint32_t *more = NULL;
    if (!a->f->words.at[i].live)
        return;
    uint32_t n = be_uses(a->f, &a->f->words.at[i], uses, &more, &more_count);
    for (uint32_t k = 0; k < n; k++)
        note_use(a, uses[k], 2 * i);
    for (uint32_t k = 0; k < more_count; k++)
        note_use(a, more[k], 2 * i);
}

static void note_edge(struct allocator *a, const struct be_edge *edge, uint32_t position)
{
    for (uint32_t i = 0; i < edge->moves; i++)
        if (be_vreg(a->f, a->f->moves.at[edge->first_move + i].to)->live)
            note_use(a, a->f->moves.at[edge->first_move + i].from, position);
}

static void find_lives(struct allocator *a)
{
    struct be_function *f = a->f;
    struct arena *arena = &a->c->arena;
    a->lives = (struct ir_lives){.g = f->cfg,
                                 .block = arena_array(arena, struct ir_span, f->blocks.count),
                                 .whole = arena_array(arena, struct ir_span, f->vregs.count),
                                 .values = f->vregs.count};
    for (uint32_t v = 1; v < f->vregs.count; v++)
        a->lives.whole[v] = (struct ir_span){be_vreg(f, v)->start, be_vreg(f, v)->end};
    for (uint32_t k = 0; k < f->blocks.count; k++) {
        const struct be_block *b = &f->blocks.at[k];
        struct ir_span *block = &a->lives.block[k];
        *block = (struct ir_span){2 * b->first, 2 * (b->end - 1) + 1};
        for (uint32_t i = b->first; i < b->end; i++)
            note_word(a, i);
        for (uint32_t e = 0; e < ir_block_at(f->ir, b->ir)->edges.count; e++)
            note_edge(a, &f->edges.at[b->first_edge + e], block->end);
    }
}

static void coalesce(struct allocator *a, const struct be_move *move)
{
    const struct be_vreg *to = be_vreg(a->f, move->to), *from = be_vreg(a->f, move->from);
    bool scalars = move->shares && from->home == BE_FRAME && from->kind == BC_KIND_S;
    if (to->live && (shares(from) || scalars) && to->kind == from->kind && move->to != a->f->result)
        ir_coalesce(&a->groups, move->to, move->from);
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
    struct ir_span all = ir_coalesced_span(&a->groups, leader);
    return (struct interval){all.start, all.end, leader};
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
        if (is_scanned(a, v) && a->groups.leader[v] == v)
            intervals[n++] = group_interval(a, v);
    scan(a, intervals, n);
    for (uint32_t v = 1; v < f->vregs.count; v++)
        if (is_scanned(a, v))
            be_vreg(f, v)->reg = be_vreg(f, a->groups.leader[v])->reg;
}

static bool is_frame_scalar(const struct be_vreg *v)
{
    return v->live && v->home == BE_FRAME && v->kind == BC_KIND_S;
}

static void allocate_exclusive(struct allocator *a)
{
    for (uint32_t v = 1; v < a->f->vregs.count; v++) {
        struct be_vreg *x = be_vreg(a->f, v);
        if ((is_frame_scalar(x) && a->groups.leader[v] == v) || v == a->f->result)
            x->reg = take(a, v);
    }
    for (uint32_t v = 1; v < a->f->vregs.count; v++)
        if (is_frame_scalar(be_vreg(a->f, v)))
            be_vreg(a->f, v)->reg = be_vreg(a->f, a->groups.leader[v])->reg;
}

void be_regalloc(struct be_context *c, struct be_function *f)
{
    struct allocator a = {.c = c, .f = f};
    find_lives(&a);
    a.groups = ir_coalescer_new(&c->arena, &a.lives);
    coalesce_edges(&a, true);
    coalesce_edges(&a, false);
    allocate_exclusive(&a);
    allocate_shared(&a);
    for (unsigned region = BC_FILE_VECTORS; region < BE_REGIONS; region++)
        c->frames[f->id].size[region] = a.pools[region].most;
}
