/* block.c: blocks and warps from their begin to their end, whatever the order in which warps take turns.
 *
 * What a block's warps print is put in order where they reconverge: at each barrier and at the block's end,
 * the text of warp 0 since the last time comes first, then that of warp 1, and so on; and blocks follow each
 * other by number.
 */
#include "runtime/warpcore/simulator.h"

#include <stdlib.h>

/* ---- memory ------------------------------------------------------------------------------------------ */

bool rt_sim_memory_take(struct rt_sim *s, uint64_t bytes)
{
    const struct rt_memory *m = &s->context->memory;
    s->over_memory = s->over_memory || s->memory + bytes > m->limit - m->used;
    s->memory += s->over_memory ? 0 : bytes;
    return !s->over_memory;
}

struct rt_sim_block *rt_sim_block_new(struct rt_sim *s)
{
    if (!rt_sim_memory_take(s, s->sizes.shared.bytes))
        return NULL;
    struct rt_sim_block *b = arena_new(&s->arena, struct rt_sim_block);
    b->sim = s;
    b->shared = arena_alloc(&s->arena, s->sizes.shared.bytes + WC_LANES * 4);
    b->next = s->all;
    s->all = b;
    return b;
}

void rt_sim_free(struct rt_sim *s)
{
    for (struct rt_sim_block *b = s->all; b; b = b->next) {
        text_free(&b->text);
        text_free(&b->raw);
        rt_begun_free(&b->begun);
    }
    for (uint32_t i = 0; i < s->outputs.count; i++)
        text_free(&s->outputs.at[i].text);
    text_free(&s->report);
    arena_free(&s->arena);
}

/* ---- warps ------------------------------------------------------------------------------------------- */

static size_t private_total(const struct rt_sim *s)
{
    return (size_t)s->entry->private_bytes * WC_LANES;
}

static struct rt_sim_warp *new_warp(struct rt_sim *s)
{
    uint64_t bytes = sizeof(struct rt_sim_warp) + private_total(s) + 64;
    const struct rt_memory *m = &s->context->memory;
    if (!rt_sim_memory_take(s, bytes))
        return NULL;
    uintptr_t raw = (uintptr_t)arena_alloc(&s->arena, bytes);
    struct rt_sim_warp *w = (struct rt_sim_warp *)((raw + 31) & ~(uintptr_t)31);
    w->codes[0] = w->code = s->codes[0];
    w->codes[1] = s->codes[1];
    w->spaces.global = m->base;
    w->spaces.limits = m->limits;
    w->spaces.store_limits = m->store_limits;
    w->spaces.shared_bytes = s->sizes.shared.bytes;
    w->spaces.private = (uint8_t *)(w + 1);
    w->spaces.private_bytes = s->entry->private_bytes;
    w->tally = s->tally;
    w->timed = s->timed;
    w->sim = s;
    return w;
}

static void clear(struct rt_sim_warp *w)
{
    memset(w->r, 0, sizeof w->r);
    for (unsigned i = 0; i < WC_LANES; i++)
        w->r[WC_FRAME][i] = WC_FIRST_ADDRESS;
    memset(w->p, 0, sizeof w->p);
    w->p[0] = 0xff;
    memset(w->spaces.private, 0, private_total(w->sim));
}

struct rt_sim_warp *rt_sim_warp_begin(struct rt_sim_block *b, uint32_t index)
{
    struct rt_sim *s = b->sim;
    struct rt_sim_warp *w = s->free_warps;
    uint32_t left = s->sizes.threads - index * WC_LANES;
    if (w)
        s->free_warps = w->next;
    else if (!(w = new_warp(s)))
        return NULL;
    clear(w);
    w->index = index;
    w->threads = left < WC_LANES ? left : WC_LANES;
    rt_divergence_start(&w->flow, (enum wc_mode)s->image->mode, (uint8_t)((1u << w->threads) - 1),
                        (uint16_t)s->entry->entry);
    w->block = b;
    w->spaces.shared = b->shared;
    w->fuel = INT64_MAX;
    w->stop = RT_SLICE;
    w->cycles = w->clock = w->saved = 0;
    w->started = false;
    w->next = NULL;
    return w;
}

void rt_sim_warp_end(struct rt_sim_warp *w)
{
    w->next = w->sim->free_warps;
    w->sim->free_warps = w;
}

/* ---- blocks and their text --------------------------------------------------------------------------- */

void rt_sim_block_begin(struct rt_sim_block *b, uint64_t number)
{
    const uint32_t *grid = b->sim->given.grid;
    b->number = number;
    b->index[0] = (uint32_t)(number % grid[0]);
    b->index[1] = (uint32_t)(number / grid[0] % grid[1]);
    b->index[2] = (uint32_t)(number / grid[0] / grid[1]);
    memset(b->shared, 0, b->sim->sizes.shared.bytes);
}

struct text *rt_sim_text(struct rt_sim_warp *w)
{
    struct rt_sim_block *b = w->block;
    if (!b->pieces.count || vec_last(&b->pieces).warp != w->index)
        vec_push(&b->sim->arena, &b->pieces, ((struct rt_sim_piece){.warp = w->index, .at = b->raw.length}));
    return &b->raw;
}

static int by_warp(const void *a, const void *b)
{
    const struct rt_sim_piece *x = a, *y = b;
    return x->warp != y->warp ? (x->warp > y->warp) - (x->warp < y->warp) : (x->at > y->at) - (x->at < y->at);
}

void rt_sim_block_output(struct rt_sim_block *b)
{
    uint32_t n = b->pieces.count;
    for (uint32_t i = 0; i < n; i++)
        b->pieces.at[i].end = i + 1 < n ? b->pieces.at[i + 1].at : b->raw.length;
    if (n > 1)
        qsort(b->pieces.at, n, sizeof *b->pieces.at, by_warp);
    for (uint32_t i = 0; i < n; i++)
        text_add(&b->text, b->raw.at + b->pieces.at[i].at, b->pieces.at[i].end - b->pieces.at[i].at);
    vec_clear(&b->pieces);
    b->raw.length = 0;
}

/* The block's text finds its place among those that wait. */
static void keep_text(struct rt_sim_block *b)
{
    struct rt_sim *s = b->sim;
    vec_push(&s->arena, &s->outputs, ((struct rt_output){b->number, b->text}));
    b->text = (struct text){0};
    for (uint32_t i = s->outputs.count - 1; i > 0 && s->outputs.at[i - 1].block > b->number; i--) {
        struct rt_output latest = s->outputs.at[i];
        s->outputs.at[i] = s->outputs.at[i - 1];
        s->outputs.at[i - 1] = latest;
    }
}

void rt_sim_block_end(struct rt_sim_block *b, uint64_t oldest)
{
    struct rt_sim *s = b->sim;
    uint32_t done = 0, left = 0;
    rt_sim_block_output(b);
    if (b->text.length)
        keep_text(b);
    for (; done < s->outputs.count && s->outputs.at[done].block < oldest; done++) {
        struct text *t = &s->outputs.at[done].text;
        struct mem_outside outside = mem_go_outside();
        s->context->output(s->context->output_user, t->at, t->length);
        mem_come_back(outside);
        s->memory -= t->length;
        text_free(t);
    }
    if (!done)
        return;
    while (done + left < s->outputs.count) {
        s->outputs.at[left] = s->outputs.at[done + left];
        left++;
    }
    s->outputs.count = left;
}
