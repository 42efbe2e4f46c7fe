/* endless.c: launches on warp-core that can never end are stopped, and say so. See runtime/launch/endless.h.
 *
 * The machine is one, whatever its cores: once it is in a state where it has been before, it goes on for ever.
 * A state is all that decides what it does next: of the blocks that run the registers of their warps, where
 * lanes are, and memory; global memory; and of a timed launch times, from now on (clock.c). Text that grows is
 * part of it, and so is when a warp last read the clock.
 *
 * It is looked at now and then, if it can be where it was at the look before: so the length of a cycle needs
 * not divide the time between two looks.
 */
#include "runtime/warpcore/simulator.h"

/* Warp instructions. */
enum {
    FIRST = 1 << 20, /* before the first look */
    APART = 1 << 16, /* between two */
    LOST = 8,        /* one part in so many of what has run is waited for that place */
};

uint32_t rt_sim_word_of(const struct rt_sim_warp *w)
{
    return w->stop == RT_RUNNING && w->at ? w->at->word : w->flow.pc;
}

/* ---- the state --------------------------------------------------------------------------------------- */

/* Registers of lanes that have ended hold anything. */
static void add_registers(const struct rt_sim_warp *w, struct rt_digest *d)
{
    for (unsigned i = 0; i < WC_REGISTERS; i++)
        for (unsigned lane = 0; lane < WC_LANES; lane++)
            rt_digest_word(d, w->flow.live >> lane & 1 ? w->r[i][lane] : 0);
    for (unsigned i = 0; i < WC_PREDICATES; i++)
        rt_digest_word(d, w->p[i] & w->flow.live);
}

static void add_flow(const struct rt_divergence *flow, struct rt_digest *d)
{
    rt_digest_word(d, (uint32_t)flow->active << 16 | flow->live << 8 | flow->depth);
    for (uint32_t i = 0; i < flow->depth; i++) {
        const struct rt_divergence_entry *e = &flow->stack[i];
        rt_digest_word(d, (uint32_t)e->saved << 16 | e->pending << 8 | e->phase);
        rt_digest_word(d, (uint64_t)e->target << 32 | (uint32_t)e->key << 16 | e->reconverge);
    }
}

static size_t private_bytes(const struct rt_sim *s)
{
    return (size_t)s->entry->private_bytes * WC_LANES;
}

static void own_memory(void *from, struct rt_digest *d)
{
    const struct rt_sim *s = from;
    for (uint32_t i = 0; i < s->endless.blocks.count; i++)
        rt_digest_bytes(d, s->endless.blocks.at[i]->shared, s->sizes.shared.bytes);
    for (uint32_t i = 0; i < s->endless.warps.count; i++)
        rt_digest_bytes(d, s->endless.warps.at[i]->spaces.private, private_bytes(s));
}

static void global_memory(void *from, struct rt_digest *d)
{
    rt_memory_digest(&((const struct rt_sim *)from)->context->memory, d);
}

/* ---- looking ----------------------------------------------------------------------------------------- */

void rt_sim_endless_begin(struct rt_sim *s)
{
    s->endless.next = s->endless.lost = FIRST;
}

void rt_sim_look_begin(struct rt_sim *s)
{
    vec_clear(&s->endless.blocks);
    vec_clear(&s->endless.warps);
    s->endless.rest = (struct rt_digest){0};
}

void rt_sim_look_block(struct rt_sim *s, const struct rt_sim_block *b)
{
    struct rt_digest *d = &s->endless.rest;
    rt_digest_word(d, b->number);
    rt_digest_word(d, b->text.length);
    rt_digest_word(d, b->raw.length);
    vec_push(&s->arena, &s->endless.blocks, b);
}

void rt_sim_look_warp(struct rt_sim *s, const struct rt_sim_warp *w)
{
    struct rt_digest *d = &s->endless.rest;
    rt_digest_word(d, (uint64_t)w->index << 32 | rt_sim_word_of(w));
    rt_digest_word(d, (uint64_t)w->stop << 1 | w->started);
    rt_digest_word(d, w->clock);
    add_flow(&w->flow, d);
    add_registers(w, d);
    vec_push(&s->arena, &s->endless.warps, w);
}

/* To tell of: one in which lanes wait for others, else the one whose turn it is. */
static const struct rt_sim_warp *stuck(const struct rt_sim_endless *e)
{
    for (uint32_t i = 0; i < e->warps.count; i++)
        if (e->warps.at[i]->flow.active != e->warps.at[i]->flow.live && e->warps.at[i]->stop != RT_BARRIER)
            return e->warps.at[i];
    return e->where;
}

bool rt_sim_can_never_end(struct rt_sim *s, const struct rt_sim_warp *w)
{
    struct rt_sim_endless *e = &s->endless;
    struct rt_sight sight = {.ran = s->total - e->last,
                             .stores = s->total, /* there may have been some */
                             .alone = true,
                             .near = e->rest,
                             .own_bytes = (uint64_t)e->blocks.count * s->sizes.shared.bytes +
                                          (uint64_t)e->warps.count * private_bytes(s),
                             .memory_bytes = s->context->memory.used,
                             .own = own_memory,
                             .memory = global_memory,
                             .from = s};
    e->last = s->total;
    e->next = s->total + APART;
    e->lost = e->next + s->total / LOST;
    e->where = w;
    e->word = rt_sim_word_of(w);
    if (rt_cycle_look(&e->cycle, &sight) != RT_CLOSED)
        return false;
    rt_sim_trap_endless(stuck(e), rt_sim_word_of(stuck(e)));
    return true;
}
