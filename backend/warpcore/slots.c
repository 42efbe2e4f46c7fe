/* slots.c: which spilled values share a word of the frame: those that are never kept at the same time.
 *
 * Liveness and interference are as those of registers, but of the values that spill.c has put into memory,
 * when no more will come. These are in SSA form, so their graph is chordal (Hack, Grund, Goos 2006): if each
 * takes any word that is free, in the order of definitions, there are no more words than values at a time. Of
 * the words in use so far a value takes that of one that it is moved from or to, so that nothing need be
 * moved: parameters of blocks and their arguments, parameters of the function that came in the frame. Those
 * words are free behind the prologue's params, which takes all that came at once.
 */
#include "backend/warpcore/codegen.h"

#define NONE UINT32_MAX

/* `block`: whose parameters it is one of; 0: the function's; NONE: none. */
struct definition {
    uint32_t number, block;
};
struct slots {
    struct wc_context *c;
    struct wc_mfunction *f;
    struct arena *scratch;
    uint32_t count;                   /* spilled values; each has a number, struct wc_vreg.slot */
    VEC(struct definition) order;     /* these as they are defined, in reverse post-order */
    u32_vec *neighbours, *affinities; /* of each: what is kept at the same time; what is moved from or to
                                         it */
    uint32_t *came;                   /* of each: the word that a caller passed it in, or NONE */
    uint32_t *place;                  /* of each: its word; NONE: none yet */
    u32_vec *jumps;                   /* by block: blocks that jump to it */
    struct bitset *live_out;          /* by block */
    struct bitset taken, sources;     /* words that a value can't have; that it had better not have */
};

static bool is_spilled(const struct slots *x, uint32_t v)
{
    return wc_vreg(x->f, v)->home == WC_HOME_SLOT;
}

static uint32_t number(const struct slots *x, uint32_t v)
{
    return wc_vreg(x->f, v)->slot;
}

static bool is_save(const struct wc_mins *i)
{
    return i->op == WC_save || i->op == WC_save_p;
}

static bool is_reload(const struct wc_mins *i)
{
    return i->op == WC_reload || i->op == WC_reload_p;
}

/* ---- what is live ------------------------------------------------------------------------------------ */

static void add_all(const struct slots *x, struct bitset live, uint32_t n, const uint32_t *list)
{
    for (uint32_t k = 0; k < n; k++)
        if (is_spilled(x, list[k]))
            bitset_add(live, number(x, list[k]));
}

static void remove_all(const struct slots *x, struct bitset live, uint32_t n, const uint32_t *list)
{
    for (uint32_t k = 0; k < n; k++)
        if (is_spilled(x, list[k]))
            bitset_remove(live, number(x, list[k]));
}

static const uint32_t *list_of(const struct slots *x, const struct wc_mins *i)
{
    return x->f->lists.at + i->first;
}

/* From what is live behind an instruction to what is before it. */
static void step_back(const struct slots *x, const struct wc_mins *i, struct bitset live)
{
    if (is_save(i))
        bitset_remove(live, number(x, (uint32_t)i->imm));
    if (wc_list_writes(i->op))
        remove_all(x, live, i->count, list_of(x, i));
    if (is_reload(i))
        bitset_add(live, number(x, (uint32_t)i->imm));
    if (wc_list_reads(i->op))
        add_all(x, live, i->count, list_of(x, i));
}

static void live_in(void *data, uint32_t b, struct bitset live)
{
    const struct slots *x = data;
    const struct wc_block *block = &x->f->blocks.at[b];
    for (uint32_t k = block->codes.count; k-- > 0;)
        step_back(x, &block->codes.at[k], live);
    remove_all(x, live, block->params.count, block->params.at);
}

static void find_live(struct slots *x)
{
    struct wc_backward w = wc_backward_new(x->scratch, x->f);
    struct ir_dataflow d = {&w.predecessors, &w.order, x->count, live_in, x, NULL};
    x->live_out = ir_dataflow_solve(x->scratch, &d);
}

/* ---- what is kept at the same time ------------------------------------------------------------------- */

static void define(struct slots *x, struct bitset live, uint32_t v)
{
    uint32_t a = number(x, v);
    bitset_each(b, live)
        if (a != b) {
            vec_push(x->scratch, &x->neighbours[a], b);
            vec_push(x->scratch, &x->neighbours[b], a);
        }
}

/* All at once: each conflicts with what is live behind, and with the others. */
static void define_all(struct slots *x, struct bitset live, uint32_t n, const uint32_t *list)
{
    add_all(x, live, n, list);
    for (uint32_t k = 0; k < n; k++)
        if (is_spilled(x, list[k]))
            define(x, live, list[k]);
}

static void find_neighbours(struct slots *x)
{
    struct bitset live = bitset_new(x->scratch, x->count);
    for (uint32_t b = 0; b < x->f->blocks.count; b++) {
        const struct wc_block *block = &x->f->blocks.at[b];
        bitset_copy(live, x->live_out[b]);
        for (uint32_t k = block->codes.count; k-- > 0;) {
            const struct wc_mins *i = &block->codes.at[k];
            if (is_save(i))
                define(x, live, (uint32_t)i->imm);
            if (wc_list_writes(i->op))
                define_all(x, live, i->count, list_of(x, i));
            step_back(x, i, live);
        }
        define_all(x, live, block->params.count, block->params.at);
    }
}

/* ---- what would like the same word ------------------------------------------------------------------- */

static void add_affinity(struct slots *x, uint32_t a, uint32_t b)
{
    if (!is_spilled(x, a) || !is_spilled(x, b))
        return;
    vec_push(x->scratch, &x->affinities[number(x, a)], number(x, b));
    vec_push(x->scratch, &x->affinities[number(x, b)], number(x, a));
}

static void note_incoming(struct slots *x, const struct wc_mins *params)
{
    const struct wc_location *at = wc_places(x->c, x->f, params, x->scratch);
    for (uint32_t k = 0; k < params->count; k++) {
        uint32_t v = wc_list_at(x->f, params, k);
        if (at[k].kind == WC_IN_SLOT && is_spilled(x, v))
            x->came[number(x, v)] = at[k].slot;
    }
}

static void find_affinities(struct slots *x)
{
    const wc_mins_vec *prologue = &x->f->blocks.at[0].codes;
    for (uint32_t n = 0; n < x->count; n++)
        x->came[n] = NONE;
    if (prologue->count && prologue->at[0].op == WC_params)
        note_incoming(x, &prologue->at[0]);
    for (uint32_t b = 0; b < x->f->blocks.count; b++) {
        const struct wc_block *block = &x->f->blocks.at[b];
        const struct wc_mins *i = block->codes.count ? &vec_last(&block->codes) : NULL;
        if (!i || i->op != WC_jump)
            continue;
        vec_push(x->scratch, &x->jumps[block->successors[0]], b);
        for (uint32_t k = 0; k < i->count; k++)
            add_affinity(x, wc_list_at(x->f, i, k), x->f->blocks.at[block->successors[0]].params.at[k]);
    }
}

/* ---- words ------------------------------------------------------------------------------------------- */

static bool has_wish(const struct slots *x, uint32_t n)
{
    return x->came[n] != NONE || x->affinities[n].count > 0;
}

/* What is defined together may come in any order: first what would like a certain word. */
static void note_definitions(struct slots *x, uint32_t n, const uint32_t *list, uint32_t block)
{
    for (unsigned wish = 2; wish-- > 0;)
        for (uint32_t k = 0; k < n; k++)
            if (is_spilled(x, list[k]) && has_wish(x, number(x, list[k])) == wish)
                vec_push(x->scratch, &x->order, ((struct definition){number(x, list[k]), block}));
}

static void find_order(struct slots *x)
{
    for (uint32_t b = 0; b < x->f->blocks.count; b++) {
        const struct wc_block *block = &x->f->blocks.at[b];
        note_definitions(x, block->params.count, block->params.at, b);
        for (uint32_t k = 0; k < block->codes.count; k++) {
            const struct wc_mins *i = &block->codes.at[k];
            uint32_t saved = (uint32_t)i->imm;
            if (is_save(i))
                note_definitions(x, 1, &saved, NONE);
            if (wc_list_writes(i->op))
                note_definitions(x, i->count, list_of(x, i), i->op == WC_params ? 0 : NONE);
        }
    }
}

/* The words that parameters of the block are moved from. */
static void find_sources(struct slots *x, uint32_t block)
{
    memset(x->sources.words, 0, (x->sources.bits + 63) / 64 * sizeof *x->sources.words);
    for (uint32_t k = 0; block == 0 && k < x->c->frames[x->f->id].incoming; k++)
        bitset_add(x->sources, k);
    for (uint32_t j = 0; block != NONE && j < x->jumps[block].count; j++) {
        const struct wc_mins *i = &vec_last(&x->f->blocks.at[x->jumps[block].at[j]].codes);
        for (uint32_t k = 0; k < i->count; k++) {
            uint32_t v = wc_list_at(x->f, i, k);
            if (is_spilled(x, v) && x->place[number(x, v)] != NONE)
                bitset_add(x->sources, x->place[number(x, v)]);
        }
    }
}

/* A parameter had better not have the word that another one is moved from: such moves can form a cycle. Of
 * the `open` words, those in use so far, it takes such a one only if there is no other; of those that the
 * function's arguments come in none. */
static uint32_t choose(const struct slots *x, struct definition d, uint32_t open)
{
    uint32_t came = x->came[d.number], word = NONE;
    if (came != NONE && !bitset_has(x->taken, came))
        return came;
    for (uint32_t k = 0; k < x->affinities[d.number].count; k++) {
        uint32_t at = x->place[x->affinities[d.number].at[k]];
        if (at != NONE && !bitset_has(x->taken, at))
            return at;
    }
    for (uint32_t k = open; k-- > 0;) {
        bool better = word == NONE || !bitset_has(x->sources, k) || bitset_has(x->sources, word);
        if (!bitset_has(x->taken, k) && better)
            word = k;
    }
    bool none = word == NONE || (d.block == 0 && bitset_has(x->sources, word));
    return none ? open : word;
}

static void mark(struct slots *x, uint32_t n, bool is_taken)
{
    for (uint32_t k = 0; k < x->neighbours[n].count; k++) {
        uint32_t at = x->place[x->neighbours[n].at[k]];
        if (at != NONE && is_taken)
            bitset_add(x->taken, at);
        else if (at != NONE)
            bitset_remove(x->taken, at);
    }
}

/* The number of words, those that arguments come in included. */
static uint32_t choose_all(struct slots *x)
{
    uint32_t open = x->c->frames[x->f->id].incoming, group = NONE;
    x->taken = bitset_new(x->scratch, open + x->count);
    x->sources = bitset_new(x->scratch, open + x->count);
    for (uint32_t n = 0; n < x->count; n++)
        x->place[n] = NONE;
    for (uint32_t k = 0; k < x->order.count; k++) {
        struct definition d = x->order.at[k];
        if (d.block != group)
            find_sources(x, group = d.block);
        mark(x, d.number, true);
        uint32_t word = choose(x, d, open);
        mark(x, d.number, false);
        x->place[d.number] = word;
        open = word == open ? open + 1 : open;
    }
    return open;
}

uint32_t wc_share_slots(struct wc_context *c, struct wc_mfunction *f, struct arena *scratch)
{
    uint32_t n = f->spilled;
    struct slots x = {.c = c,
                      .f = f,
                      .scratch = scratch,
                      .count = n,
                      .neighbours = arena_array(scratch, u32_vec, n),
                      .affinities = arena_array(scratch, u32_vec, n),
                      .came = arena_array(scratch, uint32_t, n),
                      .jumps = arena_array(scratch, u32_vec, f->blocks.count),
                      .place = arena_array(scratch, uint32_t, n)};
    if (n == 0)
        return c->frames[f->id].incoming;
    find_live(&x);
    find_neighbours(&x);
    find_affinities(&x);
    find_order(&x);
    uint32_t words = choose_all(&x);
    INVARIANT(x.order.count == n);
    for (uint32_t v = WC_V_FIRST; v < f->vregs.count; v++)
        if (is_spilled(&x, v))
            wc_vreg(f, v)->slot = x.place[number(&x, v)];
    return words;
}
