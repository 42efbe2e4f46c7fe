/* regalloc.c: registers for virtual registers by colouring their interference graph (Chaitin 1982; Briggs,
 * Cooper, Torczon 1994).
 *
 * Nodes that certainly find a colour are taken away, else the one that is cheapest to keep in memory; then
 * all are coloured in the opposite order, and only what really finds none is spilled, before the next round.
 * Instead of merging nodes that are moved into each other, a node prefers the colours of those that it is
 * moved from or to: block parameters, arguments and results then mostly need no move; recolour.c does what is
 * left of that when all have a colour. A short-lived register made by a spill is taken last and so coloured
 * first.
 */
#include "backend/warpcore/codegen.h"

#include <float.h>
#include <stdlib.h>

enum { MAX_ROUNDS = 100 };

struct affinity {
    uint32_t a, b;
};
struct colouring {
    struct wc_context *c;
    struct wc_mfunction *f;
    struct arena *scratch;
    struct wc_graph g;
    uint32_t *degree;
    bool *taken;
    u32_vec stack, low;  /* taken nodes; nodes that certainly find a colour */
    uint32_t *cheapest;  /* nodes by what spilling costs for each neighbour it frees */
    u32_vec *affinities; /* registers that are moved from or to this one */
};

uint32_t wc_colours_of(const struct wc_mfunction *f, uint32_t v)
{
    const struct wc_vreg *reg = wc_vreg(f, v);
    return (reg->kind == WC_CLASS_R ? WC_ALLOCATABLE : WC_ALLOCATABLE_P) & ~reg->forbidden;
}

/* ---- what would like the same register --------------------------------------------------------------- */

static void add_affinity(struct colouring *x, uint32_t a, uint32_t b)
{
    if (!wc_is_allocated(x->f, a) || !wc_is_allocated(x->f, b))
        return;
    vec_push(x->scratch, &x->affinities[a], b);
    vec_push(x->scratch, &x->affinities[b], a);
}

static void add_param_affinities(struct colouring *x, const struct wc_block *block,
                                 const struct wc_mins *jump)
{
    const struct wc_block *to = &x->f->blocks.at[block->successors[0]];
    for (uint32_t k = 0; k < jump->count; k++)
        add_affinity(x, wc_list_at(x->f, jump, k), to->params.at[k]);
}

static void prefer_places(struct colouring *x, const struct wc_mins *i)
{
    struct wc_location *at = wc_places(x->c, x->f, i, x->scratch);
    for (uint32_t k = 0; k < i->count; k++)
        if (at[k].kind != WC_IN_SLOT)
            wc_vreg(x->f, wc_list_at(x->f, i, k))->preferred = at[k].reg;
}

static void find_affinities(struct colouring *x)
{
    x->affinities = arena_array(x->scratch, u32_vec, x->g.count);
    for (uint32_t b = 0; b < x->f->blocks.count; b++) {
        const struct wc_block *block = &x->f->blocks.at[b];
        for (uint32_t k = 0; k < block->codes.count; k++) {
            const struct wc_mins *i = &block->codes.at[k];
            if (i->op == WC_jump)
                add_param_affinities(x, block, i);
            else if (i->op == WC_invoke || i->op == WC_return || wc_list_writes(i->op))
                prefer_places(x, i);
        }
    }
}

/* ---- taking nodes away ------------------------------------------------------------------------------- */

static void consider(struct colouring *x, uint32_t v)
{
    if (!x->taken[v] && x->degree[v] < (uint32_t)__builtin_popcount(wc_colours_of(x->f, v)))
        vec_push(x->scratch, &x->low, v);
}

static void take(struct colouring *x, uint32_t v)
{
    x->taken[v] = true;
    vec_push(x->scratch, &x->stack, v);
    for (uint32_t k = 0; k < x->g.rows[v].count; k++) {
        uint32_t other = x->g.rows[v].at[k];
        x->degree[other]--;
        consider(x, other);
    }
}

static float price(const struct wc_mfunction *f, const struct wc_graph *g, uint32_t v)
{
    const struct wc_vreg *reg = wc_vreg(f, v);
    return reg->short_lived ? FLT_MAX : reg->cost / (float)(g->rows[v].count + 1);
}

static int by_price(const void *a, const void *b, void *colouring)
{
    const struct colouring *x = colouring;
    uint32_t va = *(const uint32_t *)a, vb = *(const uint32_t *)b;
    float pa = price(x->f, &x->g, va), pb = price(x->f, &x->g, vb);
    return pa != pb ? (pa > pb) - (pa < pb) : (va > vb) - (va < vb);
}

static void simplify(struct colouring *x)
{
    uint32_t n = 0, next = 0;
    x->degree = arena_array(x->scratch, uint32_t, x->g.count);
    x->taken = arena_array(x->scratch, bool, x->g.count);
    x->cheapest = arena_array(x->scratch, uint32_t, x->g.count);
    for (uint32_t v = 0; v < x->g.count; v++) {
        x->degree[v] = x->g.rows[v].count;
        x->taken[v] = !wc_is_allocated(x->f, v);
        if (!x->taken[v])
            x->cheapest[n++] = v;
    }
    qsort_r(x->cheapest, n, sizeof *x->cheapest, by_price, x);
    for (uint32_t i = 0; i < n; i++)
        consider(x, x->cheapest[i]);
    for (;;) {
        while (x->low.count) {
            uint32_t v = vec_pop(&x->low);
            if (!x->taken[v])
                take(x, v);
        }
        while (next < n && x->taken[x->cheapest[next]])
            next++;
        if (next == n)
            return;
        take(x, x->cheapest[next]);
    }
}

/* ---- colouring --------------------------------------------------------------------------------------- */

static uint8_t choose(const struct colouring *x, uint32_t v, uint32_t free)
{
    const struct wc_vreg *reg = wc_vreg(x->f, v);
    for (uint32_t k = 0; k < x->affinities[v].count; k++) {
        uint8_t colour = wc_vreg(x->f, x->affinities[v].at[k])->colour;
        if (colour != WC_NO_COLOUR && free >> colour & 1)
            return colour;
    }
    if (reg->preferred != WC_NO_COLOUR && free >> reg->preferred & 1)
        return reg->preferred;
    return (uint8_t)__builtin_ctz(free);
}

/* A register that must not be spilled gets none: its cheapest neighbour goes. */
static uint32_t victim(const struct colouring *x, uint32_t v)
{
    uint32_t best = v;
    for (uint32_t k = 0; wc_vreg(x->f, v)->short_lived && k < x->g.rows[v].count; k++) {
        uint32_t other = x->g.rows[v].at[k];
        if (!wc_vreg(x->f, other)->short_lived && (best == v || by_price(&other, &best, (void *)x) < 0))
            best = other;
    }
    return best;
}

static u32_vec colour_all(struct colouring *x)
{
    u32_vec failed = {0};
    struct bitset listed = bitset_new(x->scratch, x->g.count);
    for (uint32_t v = WC_V_FIRST; v < x->g.count; v++)
        wc_vreg(x->f, v)->colour = WC_NO_COLOUR;
    while (x->stack.count) {
        uint32_t v = vec_pop(&x->stack), free = wc_colours_of(x->f, v);
        for (uint32_t k = 0; k < x->g.rows[v].count; k++) {
            uint8_t colour = wc_vreg(x->f, x->g.rows[v].at[k])->colour;
            if (colour != WC_NO_COLOUR)
                free &= ~(1u << colour);
        }
        if (free) {
            wc_vreg(x->f, v)->colour = choose(x, v, free);
            continue;
        }
        uint32_t out = victim(x, v);
        if (!bitset_has(listed, out))
            vec_push(x->scratch, &failed, out);
        bitset_add(listed, out);
    }
    return failed;
}

/* ---- the function ------------------------------------------------------------------------------------ */

/* What a call of it destroys: what it writes itself, and what its calls destroy. */
static void sum_up(struct wc_context *c, struct wc_mfunction *f)
{
    struct wc_frame *frame = &c->frames[f->id];
    uint32_t masks[WC_CLASSES] = {0}, call[WC_CLASSES];
    for (uint32_t b = 0; b < f->blocks.count; b++)
        for (uint32_t k = 0; k < f->blocks.at[b].codes.count; k++) {
            const struct wc_mins *i = &f->blocks.at[b].codes.at[k];
            if (i->op != WC_invoke && i->op != WC_return)
                continue;
            wc_call_clobbers(c, f, i, call);
            masks[WC_CLASS_R] |= call[WC_CLASS_R];
            masks[WC_CLASS_P] |= call[WC_CLASS_P];
        }
    for (uint32_t v = WC_V_FIRST; v < f->vregs.count; v++)
        if (wc_is_allocated(f, v) && wc_vreg(f, v)->colour != WC_NO_COLOUR)
            masks[wc_vreg(f, v)->kind] |= 1u << wc_vreg(f, v)->colour;
    frame->clobbers = masks[WC_CLASS_R];
    frame->clobbers_p = masks[WC_CLASS_P];
}

static bool round_of(struct wc_context *c, struct wc_mfunction *f, bool *good)
{
    struct scratch scratch;
    struct arena *a = scratch_begin(&scratch);
    wc_liveness(a, f);
    struct colouring x = {.c = c, .f = f, .scratch = a, .g = wc_interference(c, a, f)};
    find_affinities(&x);
    simplify(&x);
    u32_vec failed = colour_all(&x);
    *good = failed.count == 0;
    if (failed.count) {
        wc_spill(c, f, &failed);
    } else {
        wc_recolour(c, f, a, &x.g);
        c->frames[f->id].slots = wc_share_slots(c, f, a);
    }
    scratch_end(&scratch);
    return *good;
}

bool wc_regalloc(struct wc_context *c, struct wc_mfunction *f)
{
    bool good = false;
    struct wc_frame *frame = &c->frames[f->id];
    for (unsigned n = 0; n < MAX_ROUNDS && !good && f->vregs.count <= WC_MAX_VALUES; n++)
        round_of(c, f, &good);
    if (!good) {
        wc_fail(c, "registers", f->ir->at, "'%s' keeps too many values at a time to find registers for",
                f->ir->name);
        return false;
    }
    frame->slots += frame->slots > 0; /* one more, where cycles of moves are broken */
    frame->slots += frame->print_slots;
    sum_up(c, f);
    return true;
}
