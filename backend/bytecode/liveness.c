/* liveness.c: which words are needed, and how long registers live.
 *
 * Positions: word i reads at 2 i and writes at 2 i + 1; a block parameter begins at its block's first word;
 * edge arguments are read at the last word's 2 i + 1, behind the branch. A live range is one interval of
 * positions in generation order, reverse post-order.
 *
 * Why intervals are enough for SIMT. What lives across a switch point is written under the mask, so that each
 * lane sees its own register as a thread running alone would, in whatever order a scheme runs the arms of a
 * branch: ordinary interference of one thread's live ranges decides who may share a register (wide and narrow
 * vectors never do: enum be_region says why). What is written in every lane (temporaries, scalars) is never
 * live across a switch point, or, if it is the same all the time or a warp scalar (warp_scalars.c),
 * has a scalar of its own.
 *
 * Intervals. A definition dominates its uses, and in reverse post-order what dominates comes first; so a live
 * block never lies before the definition's. Beyond the last use it may: on the way round a loop that is
 * entered after the definition. For each edge u → h that goes back, with the definition before h: if the
 * interval reaches h, it must reach the end of u. Proof that this is enough: take a path from a block where
 * the value is live, beyond the interval's end, to its use; where the path comes back under the end, it comes
 * by such an edge into the interval.
 *
 * The spans [h, u] of back edges with h behind the definition are kept as disjoint unions, sorted, while
 * definitions are visited from the last block to the first: each span is pushed once, each value looks its
 * end up once. O((blocks + values) log blocks), whatever the number of loops a value lives through.
 */
#include "backend/bytecode/emit.h"

/* ---- needed words: marked from those that have effects ----------------------------------------------- */

struct marker {
    struct be_context *c;
    struct be_function *f;
    u32_vec work;
};

static void mark(struct marker *m, uint32_t v)
{
    if (be_vreg(m->f, v)->live)
        return;
    be_vreg(m->f, v)->live = true;
    vec_push(&m->c->arena, &m->work, v);
}

static void mark_word(struct marker *m, struct be_word *w)
{
    uint32_t uses[5], more_count;
    const uint32_t *more = NULL;
    if (w->live)
        return;
    w->live = true;
    uint32_t n = be_uses(m->f, w, uses, &more, &more_count);
    for (uint32_t i = 0; i < n; i++)
        mark(m, uses[i]);
    for (uint32_t i = 0; i < more_count; i++)
        mark(m, more[i]);
    if (!w->part || w->op < BC_ldw_8 || w->op > BC_ldw_64)
        return;
    while (w->part) /* of a wide load: the head stands before the parts (select_wide.c) */
        w--;
    mark_word(m, w);
}

static void mark_needed(struct be_context *c, struct be_function *f)
{
    struct marker m = {.c = c, .f = f};
    for (uint32_t i = 0; i < f->words.count; i++)
        if (f->words.at[i].effect)
            mark_word(&m, &f->words.at[i]);
    if (f->result)
        mark(&m, f->result);
    while (m.work.count) {
        const struct be_vreg *v = be_vreg(f, vec_pop(&m.work));
        if (v->home == BE_LOCAL)
            mark_word(&m, &f->words.at[v->word]);
        for (uint32_t i = v->first_move; i != BE_NONE; i = f->moves.at[i].next)
            mark(&m, f->moves.at[i].from);
    }
}

/* ---- ranges ------------------------------------------------------------------------------------------ */

struct range_walk {
    struct be_function *f;
    uint32_t block, segment;
};

static void note_use(struct range_walk *w, uint32_t r, uint32_t position)
{
    struct be_vreg *v = be_vreg(w->f, r);
    v->end = position > v->end ? position : v->end;
    v->last_block = w->block;
    v->across |= v->segment != w->segment;
}

/* No destination may overlap an operand of another width in part (program.h, rule 4): it begins before
 * they end. */
static uint32_t definition_position(const struct be_function *f, uint32_t word, const uint32_t *uses,
                                    uint32_t n)
{
    const struct be_vreg *d = be_vreg(f, f->words.at[word].d);
    for (uint32_t i = 0; i < n; i++) {
        unsigned kind = be_vreg(f, uses[i])->kind;
        if (kind != d->kind && be_file((enum bc_kind)kind) == be_file((enum bc_kind)d->kind))
            return 2 * word;
    }
    return 2 * word + 1;
}

static void walk_word(struct range_walk *w, uint32_t i)
{
    struct be_function *f = w->f;
    const struct be_word *word = &f->words.at[i];
    w->segment += word->boundary;
    if (!word->live)
        return;
    uint32_t uses[5], more_count;
    const uint32_t *more = NULL;
    uint32_t n = be_uses(f, word, uses, &more, &more_count);
    for (uint32_t k = 0; k < n; k++)
        note_use(w, uses[k], 2 * i);
    for (uint32_t k = 0; k < more_count; k++)
        note_use(w, more[k], 2 * i);
    if (!be_defines(word) || be_vreg(f, word->d)->home == BE_FOREIGN)
        return;
    struct be_vreg *d = be_vreg(f, word->d);
    d->segment = w->segment;
    d->block = d->last_block = w->block;
    d->start = definition_position(f, i, uses, n);
    d->end = 2 * i + 1;
}

static void walk_edges(struct range_walk *w, const struct be_block *b, uint32_t edge_count)
{
    struct be_function *f = w->f;
    for (uint32_t e = 0; e < edge_count; e++) {
        const struct be_edge *edge = &f->edges.at[b->first_edge + e];
        for (uint32_t i = 0; i < edge->moves; i++) {
            const struct be_move *move = &f->moves.at[edge->first_move + i];
            if (!be_vreg(f, move->to)->live)
                continue;
            note_use(w, move->from, 2 * (b->end - 1) + 1);
            struct be_vreg *from = be_vreg(f, move->from);
            from->across |= edge_count > 1 || from->kind != BC_KIND_S || move->shares;
        }
    }
}

static void find_ranges(struct be_function *f)
{
    struct range_walk w = {.f = f};
    for (uint32_t k = 0; k < f->blocks.count; k++) {
        const struct be_block *b = &f->blocks.at[k];
        w.block = k;
        for (uint32_t i = b->first; i < b->end; i++)
            walk_word(&w, i);
        walk_edges(&w, b, ir_block_at(f->ir, b->ir)->edges.count);
    }
    for (uint32_t v = 1; v < f->vregs.count; v++) {
        struct be_vreg *x = be_vreg(f, v);
        if (x->home == BE_LOCAL && x->across)
            x->home = BE_FRAME;
        if (x->end < x->start)
            x->end = x->start;
    }
}

/* ---- loops ------------------------------------------------------------------------------------------- */

struct loop {
    uint32_t first, last;
};
struct loops {
    VEC(struct loop) stack; /* disjoint, the first ones on top */
};

/* How far a live range that ends in `block` must reach; BE_NONE: no loop makes it longer. */
static uint32_t reach_of(const struct loops *s, uint32_t block)
{
    uint32_t low = 0, high = s->stack.count; /* those below `low` begin behind the block */
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (s->stack.at[middle].first > block)
            low = middle + 1;
        else
            high = middle;
    }
    return low < s->stack.count && s->stack.at[low].last >= block ? s->stack.at[low].last : BE_NONE;
}

static void push_span(struct arena *a, struct loops *s, struct loop x)
{
    while (s->stack.count && vec_last(&s->stack).first <= x.last) {
        uint32_t last = vec_pop(&s->stack).last;
        x.last = last > x.last ? last : x.last;
    }
    vec_push(a, &s->stack, x);
}

/* By block: the last block with an edge back to it, or BE_NONE. */
static uint32_t *back_edges(struct arena *a, const struct be_function *f)
{
    uint32_t *back = arena_array(a, uint32_t, f->blocks.count);
    for (uint32_t k = 0; k < f->blocks.count; k++)
        back[k] = BE_NONE;
    for (uint32_t k = 0; k < f->blocks.count; k++) {
        const struct ir_block *b = ir_block_at(f->ir, f->blocks.at[k].ir);
        for (uint32_t e = 0; e < b->edges.count; e++) {
            uint32_t to = f->cfg->rpo_index[b->edges.at[e].block];
            if (to <= k)
                back[to] = k;
        }
    }
    return back;
}

static void extend_over_loops(struct be_context *c, struct be_function *f)
{
    uint32_t *back = back_edges(&c->arena, f), *first = arena_array(&c->arena, uint32_t, f->blocks.count);
    for (uint32_t v = 1; v < f->vregs.count; v++) {
        struct be_vreg *x = be_vreg(f, v);
        if (x->home != BE_FRAME || !x->live || v == f->result)
            continue;
        x->next = first[x->block];
        first[x->block] = v;
    }
    struct loops loops = {0};
    for (uint32_t k = f->blocks.count; k-- > 0;) {
        for (uint32_t v = first[k]; v; v = be_vreg(f, v)->next) {
            struct be_vreg *x = be_vreg(f, v);
            uint32_t reach = reach_of(&loops, x->last_block);
            if (reach != BE_NONE)
                x->end = 2 * (f->blocks.at[reach].end - 1) + 1;
        }
        if (back[k] != BE_NONE)
            push_span(&c->arena, &loops, (struct loop){k, back[k]});
    }
}

void be_liveness(struct be_context *c, struct be_function *f)
{
    mark_needed(c, f);
    find_ranges(f);
    extend_over_loops(c, f);
}
