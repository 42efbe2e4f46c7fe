/* layout.c: the order of a function's blocks.
 *
 * A block comes when all have come that lead forward to it; of those that can come, first the one that was
 * led to last: so a loop's blocks lie together, and one side of most branches is the next word. Of a branch's
 * successors the deeper in loops is next, then the one that converge.h does not want to be jumped to. A block
 * without words is left out, and who leads to it leads to its successor.
 *
 * In mode frontier the order is that of priorities.
 */
#include "backend/warpcore/codegen.h"

/* ---- empty blocks ------------------------------------------------------------------------------------ */

static bool moves_nothing(struct wc_context *c, const struct wc_mfunction *f, const struct wc_block *block)
{
    struct wc_transfer *moves;
    return wc_transfers(c, f, block, &block->codes.at[0], &c->arena, &moves) == 0;
}

static bool is_empty(struct wc_context *c, const struct wc_mfunction *f, uint32_t b)
{
    const struct wc_block *block = &f->blocks.at[b];
    return b > 1 && block->codes.count == 1 && block->codes.at[0].op == WC_jump &&
           f->reconvergence->at[block->ir].converge.count == 0 && moves_nothing(c, f, block);
}

/* Backwards only to a block that keeps its words, so that an endless loop keeps one; and not in mode article,
 * where which side is taken decides which lanes are lost. */
static bool is_left_out(struct wc_context *c, const struct wc_mfunction *f, uint32_t b)
{
    uint32_t to = f->blocks.at[b].successors[0];
    return is_empty(c, f, b) && (to > b || (c->o->mode != WC_MODE_ARTICLE && !is_empty(c, f, to)));
}

/* Mode frontier: the blocks where lanes may wait, the sides of branches. One keeps its word though it is empty:
 * behind it they would wait at another place than that of which checks know. */
static struct bitset find_sides(struct wc_context *c, const struct wc_mfunction *f)
{
    struct bitset sides = bitset_new(&c->arena, f->blocks.count);
    for (uint32_t b = 0; b < f->blocks.count && c->o->mode == WC_MODE_FRONTIER; b++) {
        const struct wc_block *block = &f->blocks.at[b];
        for (uint32_t k = 0; block->successor_count == 2 && k < 2; k++)
            if (!f->reconvergence->at[block->ir].uniform)
                bitset_add(sides, block->successors[k]);
    }
    return sides;
}

static void lead_through(struct wc_context *c, struct wc_mfunction *f)
{
    struct bitset sides = find_sides(c, f);
    for (uint32_t b = f->blocks.count; b-- > 0;) {
        struct wc_block *block = &f->blocks.at[b];
        bool left_out = !bitset_has(sides, b) && is_left_out(c, f, b);
        uint32_t to = block->successors[0];
        block->leads_to = !left_out ? b : to > b ? f->blocks.at[to].leads_to : to;
    }
    for (uint32_t b = 0; b < f->blocks.count; b++)
        for (uint32_t k = 0; k < f->blocks.at[b].successor_count; k++)
            f->blocks.at[b].successors[k] = f->blocks.at[f->blocks.at[b].successors[k]].leads_to;
}

/* ---- order ------------------------------------------------------------------------------------------- */

struct order {
    struct wc_context *c;
    struct wc_mfunction *f;
    uint32_t *waits;
    u32_vec ready;
};

/* Numbers are in reverse post-order: a smaller one is led to backwards. */
static void count_forward(struct order *o)
{
    for (uint32_t b = 0; b < o->f->blocks.count; b++) {
        const struct wc_block *block = &o->f->blocks.at[b];
        for (uint32_t k = 0; block->leads_to == b && k < block->successor_count; k++)
            o->waits[block->successors[k]] += block->successors[k] > b;
    }
}

static void arrive(struct order *o, uint32_t from, uint32_t to)
{
    if (to > from && --o->waits[to] == 0)
        vec_push(&o->c->arena, &o->ready, to);
}

/* The last one pushed comes next. */
static uint32_t next_edge(const struct wc_mfunction *f, const struct wc_block *block)
{
    uint32_t w0 = f->blocks.at[block->successors[0]].weight, w1 = f->blocks.at[block->successors[1]].weight;
    uint32_t taken = f->reconvergence->at[block->ir].taken;
    if (block->next_edge != WC_EITHER)
        return block->next_edge;
    if (f->reconvergence->at[block->ir].direct || (w0 == w1 && taken != WC_EITHER))
        return 1 - taken;
    return w0 >= w1 ? 0 : 1;
}

static void lay_out_by_priority(struct wc_context *c, struct wc_mfunction *f)
{
    vec_push(&c->arena, &f->layout, 0);
    for (uint32_t i = 0; i < f->reconvergence->order.count; i++) {
        uint32_t b = f->block_of[f->reconvergence->order.at[i]];
        if (b && f->blocks.at[b].leads_to == b)
            vec_push(&c->arena, &f->layout, b);
    }
    for (uint32_t b = 0; b < f->blocks.count; b++)
        f->blocks.at[b].next_edge = WC_EITHER;
}

void wc_layout(struct wc_context *c, struct wc_mfunction *f)
{
    struct order o = {c, f, arena_array(&c->arena, uint32_t, f->blocks.count), {0}};
    lead_through(c, f);
    if (c->o->mode == WC_MODE_FRONTIER) {
        lay_out_by_priority(c, f);
        return;
    }
    count_forward(&o);
    vec_push(&c->arena, &o.ready, 0);
    while (o.ready.count) {
        uint32_t b = vec_pop(&o.ready);
        const struct wc_block *block = &f->blocks.at[b];
        vec_push(&c->arena, &f->layout, b);
        uint32_t last = block->successor_count == 2 ? next_edge(f, block) : 0;
        if (block->successor_count == 2)
            arrive(&o, b, block->successors[1 - last]);
        if (block->successor_count)
            arrive(&o, b, block->successors[last]);
    }
}
