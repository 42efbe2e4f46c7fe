/* recolour.c: registers that are moved into each other get one colour where they can, after all have one (Hack
 * and Goos, "Copy coalescing by graph recoloring", 2008).
 *
 * Registers that are to share a colour form a chunk, at first each its own. Moves are looked at from the
 * dearest down: the chunks of both sides become one if they do not interfere, some colour is free for all of
 * it, and with the best such colour no more is spent on moves than before. So the moves never get dearer, and
 * nothing is spilled for them. A move costs what its block's weight says.
 */
#include "backend/warpcore/codegen.h"

#include <stdlib.h>

enum { CHUNK_MAX = 64 }; /* registers; larger chunks only grow by others of their colour */

struct move {
    uint32_t a, b, weight, number; /* b WC_V_NONE: from or to the register of that number */
};
struct recolouring {
    struct wc_context *c;
    struct wc_mfunction *f;
    struct arena *scratch;
    const struct wc_graph *g;
    VEC(struct move) moves;
    u32_vec *of;            /* by register: its moves */
    uint32_t *chunk, *next; /* by register: the first of its chunk; the next in it, in a ring */
    uint32_t *size;         /* by first register */
};

/* ---- moves ------------------------------------------------------------------------------------------- */

static void add_move(struct recolouring *x, struct move m)
{
    if (!wc_is_allocated(x->f, m.a) || m.a == m.b)
        return;
    if (m.b != WC_V_NONE) {
        if (!wc_is_allocated(x->f, m.b))
            return;
        vec_push(x->scratch, &x->of[m.b], x->moves.count);
    }
    vec_push(x->scratch, &x->of[m.a], x->moves.count);
    m.number = m.b == WC_V_NONE ? m.number : x->moves.count;
    vec_push(x->scratch, &x->moves, m);
}

static void add_places(struct recolouring *x, const struct wc_mins *i, uint32_t weight)
{
    struct wc_location *at = wc_places(x->c, x->f, i, x->scratch);
    for (uint32_t k = 0; k < i->count; k++)
        if (at[k].kind != WC_IN_SLOT)
            add_move(x, (struct move){wc_list_at(x->f, i, k), WC_V_NONE, weight, at[k].reg});
}

static void find_moves(struct recolouring *x)
{
    for (uint32_t b = 0; b < x->f->blocks.count; b++) {
        const struct wc_block *block = &x->f->blocks.at[b];
        for (uint32_t k = 0; k < block->codes.count; k++) {
            const struct wc_mins *i = &block->codes.at[k];
            for (uint32_t n = 0; i->op == WC_jump && n < i->count; n++)
                add_move(x,
                         (struct move){wc_list_at(x->f, i, n),
                                       x->f->blocks.at[block->successors[0]].params.at[n], block->weight, 0});
            if (i->op == WC_invoke || i->op == WC_return || wc_list_writes(i->op))
                add_places(x, i, block->weight);
        }
    }
}

/* ---- chunks ------------------------------------------------------------------------------------------ */

#define each_member(v, x, first)                                                                             \
    for (uint32_t v = (first), v##_more = 1; v##_more; v = (x)->next[v], v##_more = v != (first))

static void unite(struct recolouring *x, uint32_t a, uint32_t b)
{
    uint32_t behind = x->next[a];
    each_member(v, x, b) x->chunk[v] = a;
    x->next[a] = x->next[b];
    x->next[b] = behind;
    x->size[a] += x->size[b];
}

/* The colours that v could have as far as registers of other chunks are concerned; 0 if it interferes with one
 * of chunk b. */
static uint32_t free_for(const struct recolouring *x, uint32_t v, uint32_t a, uint32_t b)
{
    uint32_t free = wc_colours_of(x->f, v);
    for (uint32_t k = 0; k < x->g->rows[v].count && free; k++) {
        uint32_t other = x->g->rows[v].at[k];
        if (x->chunk[other] == b)
            return 0;
        if (x->chunk[other] != a && wc_vreg(x->f, other)->colour != WC_NO_COLOUR)
            free &= ~(1u << wc_vreg(x->f, other)->colour);
    }
    return free;
}

/* What moves between the chunk and registers outside of a and b save, by the chunk's colour. */
static void add_savings(const struct recolouring *x, uint32_t chunk, uint32_t a, uint32_t b, uint64_t *saved)
{
    each_member(v, x, chunk) for (uint32_t k = 0; k < x->of[v].count; k++)
    {
        const struct move *m = &x->moves.at[x->of[v].at[k]];
        uint32_t other = m->a == v ? m->b : m->a;
        if (other == WC_V_NONE)
            saved[m->number] += m->weight;
        else if (x->chunk[other] != a && x->chunk[other] != b)
            saved[wc_vreg(x->f, other)->colour] += m->weight;
    }
}

static uint64_t moves_between(const struct recolouring *x, uint32_t a, uint32_t b)
{
    uint64_t weight = 0;
    each_member(v, x, a) for (uint32_t k = 0; k < x->of[v].count; k++)
    {
        const struct move *m = &x->moves.at[x->of[v].at[k]];
        uint32_t other = m->a == v ? m->b : m->a;
        weight += other != WC_V_NONE && x->chunk[other] == b ? m->weight : 0;
    }
    return weight;
}

static void set_colour(const struct recolouring *x, uint32_t chunk, uint32_t colour)
{
    each_member(v, x, chunk) wc_vreg(x->f, v)->colour = (uint8_t)colour;
}

/* Chunks of different colours. */
static void try_to_unite(struct recolouring *x, uint32_t a, uint32_t b)
{
    uint64_t saved_a[32] = {0}, saved_b[32] = {0};
    uint32_t free = UINT32_MAX, ca = wc_vreg(x->f, a)->colour, cb = wc_vreg(x->f, b)->colour, best = ca;
    each_member(v, x, a) free &= free ? free_for(x, v, a, b) : 0;
    each_member(v, x, b) free &= free ? free_for(x, v, b, a) : 0;
    if (!free)
        return;
    add_savings(x, a, a, b, saved_a);
    add_savings(x, b, a, b, saved_b);
    if (!(free >> ca & 1))
        best = free >> cb & 1 ? cb : (uint32_t)__builtin_ctz(free);
    for (uint32_t k = 0; k < 32; k++)
        if (free >> k & 1 && saved_a[k] + saved_b[k] > saved_a[best] + saved_b[best])
            best = k;
    if (saved_a[best] + saved_b[best] + moves_between(x, a, b) <= saved_a[ca] + saved_b[cb])
        return;
    unite(x, a, b);
    set_colour(x, a, best);
}

static int by_weight(const void *a, const void *b)
{
    const struct move *x = a, *y = b;
    return x->weight != y->weight ? (x->weight < y->weight) - (x->weight > y->weight)
                                  : (x->number > y->number) - (x->number < y->number);
}

void wc_recolour(struct wc_context *c, struct wc_mfunction *f, struct arena *scratch,
                 const struct wc_graph *g)
{
    struct recolouring x = {.c = c, .f = f, .scratch = scratch, .g = g};
    x.of = arena_array(scratch, u32_vec, g->count);
    x.chunk = arena_array(scratch, uint32_t, g->count);
    x.next = arena_array(scratch, uint32_t, g->count);
    x.size = arena_array(scratch, uint32_t, g->count);
    for (uint32_t v = 0; v < g->count; v++) {
        x.chunk[v] = x.next[v] = v;
        x.size[v] = 1;
    }
    find_moves(&x);
    struct move *order = arena_array(scratch, struct move, x.moves.count);
    uint32_t n = 0;
    for (uint32_t i = 0; i < x.moves.count; i++)
        if (x.moves.at[i].b != WC_V_NONE)
            order[n++] = x.moves.at[i];
    qsort(order, n, sizeof *order, by_weight);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t a = x.chunk[order[i].a], b = x.chunk[order[i].b];
        if (a == b)
            continue;
        if (wc_vreg(f, a)->colour == wc_vreg(f, b)->colour)
            unite(&x, a, b);
        else if (x.size[a] + x.size[b] <= CHUNK_MAX)
            try_to_unite(&x, a, b);
    }
}
