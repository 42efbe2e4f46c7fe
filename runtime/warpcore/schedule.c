/* schedule.c: blocks, one after the other, and the turns of a block's warps.
 *
 * Warps take turns in the order of their numbers: each runs until it ends, waits at the barrier, gives way,
 * or has used its time slice, and when all have had a turn the next round begins. A round in which all warps
 * that have not ended come to the barrier opens it. So memory and printed text are those of the interpreter,
 * and do not depend on the clock, which lays the turns of a round over each other in the core's slots.
 */
#include "runtime/warpcore/simulator.h"

/* ---- warps --------------------------------------------------------------------------------------------- */

static size_t private_total(const struct rt_sim *s)
{
    return (size_t)s->entry->private_bytes * WC_LANES;
}

/* NULL: the launch would take more memory than it may. */
static struct rt_sim_warp *new_warp(struct rt_sim *s)
{
    uint64_t bytes = sizeof(struct rt_sim_warp) + private_total(s) + 64;
    const struct rt_memory *m = &s->context->memory;
    if (s->memory + bytes > m->limit - m->used) {
        s->over_memory = true;
        return NULL;
    }
    s->memory += bytes;
    uintptr_t raw = (uintptr_t)arena_alloc(&s->arena, bytes);
    struct rt_sim_warp *w = (struct rt_sim_warp *)((raw + 31) & ~(uintptr_t)31);
    w->codes[0] = w->code = s->codes[0];
    w->codes[1] = s->codes[1];
    w->global = m->base;
    w->limits = m->limits;
    w->store_limits = m->store_limits;
    w->shared = s->shared;
    w->shared_bytes = s->image->shared_bytes;
    w->private = (uint8_t *)(w + 1);
    w->private_bytes = s->entry->private_bytes;
    w->tally = s->tally;
    w->sim = s;
    return w;
}

static struct rt_sim_warp *start_warp(struct rt_sim *s, uint32_t index)
{
    struct rt_sim_warp *w = s->free_warps;
    uint32_t left = s->threads - index * WC_LANES, threads = left < WC_LANES ? left : WC_LANES;
    if (w)
        s->free_warps = w->next_free;
    else if (!(w = new_warp(s)))
        return NULL;
    memset(w->r, 0, sizeof w->r);
    for (unsigned i = 0; i < WC_LANES; i++)
        w->r[WC_FRAME][i] = WC_FIRST_ADDRESS;
    memset(w->p, 0, sizeof w->p);
    w->p[0] = 0xff;
    memset(w->private, 0, private_total(s));
    rt_divergence_start(&w->flow, (enum wc_mode)s->image->mode, (uint8_t)((1u << threads) - 1),
                        (uint16_t)s->entry->entry);
    w->index = index;
    w->cycles = w->clock = 0;
    w->started = false;
    return w;
}

static void end_warp(struct rt_sim *s, struct rt_sim_warp *w)
{
    w->next_free = s->free_warps;
    s->free_warps = w;
}

/* More warps than slots have to leave them when others have their turns. */
static uint32_t turn_cost(const struct rt_sim_warp *w)
{
    if (!w->started)
        return WC_COST_START;
    return w->sim->warps > WC_SLOTS ? WC_COST_SWAP : 0;
}

/* One turn. False: the launch has to stop. */
static bool run_turn(struct rt_sim *s, struct rt_sim_warp *w)
{
    uint64_t left = s->fuel - s->total, slice = left < RT_SLICE_INSTRUCTIONS ? left : RT_SLICE_INSTRUCTIONS;
    uint32_t threads = s->threads - w->index * WC_LANES;
    w->log = s->clock ? rt_clock_turn(s->clock, w->index, turn_cost(w)) : NULL;
    w->started = true;
    w->fuel = (int64_t)slice;
    s->core->run(w);
    uint64_t used = (uint64_t)((int64_t)slice - w->fuel);
    s->total += used;
    s->thread_slots += used * (threads < WC_LANES ? threads : WC_LANES);
    s->out_of_fuel = s->total >= s->fuel && w->stop != RT_DONE && w->stop != RT_TRAPPED;
    return w->stop != RT_TRAPPED && !s->out_of_fuel;
}

/* ---- blocks -------------------------------------------------------------------------------------------- */

static bool same_place(const struct wc_image *m, uint32_t a, uint32_t b)
{
    if (a == b)
        return true;
    return a < m->places.count && b < m->places.count && m->places.at[a].line != 0 &&
           m->places.at[a].line == m->places.at[b].line && m->places.at[a].column == m->places.at[b].column;
}

/* All warps that have not ended wait at a barrier. It has to be the same one, or a copy that a pass has
 * made. */
static bool open_barrier(struct rt_sim *s)
{
    struct rt_sim_warp *first = NULL;
    for (uint32_t i = 0; i < s->warps; i++) {
        struct rt_sim_warp *w = s->running[i];
        if (!w)
            continue;
        first = first ? first : w;
        if (!same_place(s->image, w->barrier, first->barrier)) {
            w->begin = NULL;
            rt_sim_fault(w, w->code + w->barrier, WC_TRAP_BARRIER, rt_lowest(w->flow.live),
                         "threads of the block wait at different barriers: warp %u at another than warp %u",
                         w->index, first->index);
            return false;
        }
        w->stop = RT_SLICE;
    }
    return true;
}

/* Each warp that can run has a turn. *left: warps that have not ended. False: the launch has to stop. */
static bool run_round(struct rt_sim *s, bool first, uint32_t *left)
{
    uint32_t waiting = 0;
    for (uint32_t i = 0; i < s->warps; i++) {
        if (first && !(s->running[i] = start_warp(s, i)))
            return false;
        struct rt_sim_warp *w = s->running[i];
        if (!w)
            continue;
        if (w->stop != RT_BARRIER && !run_turn(s, w))
            return false;
        if (w->stop == RT_DONE) {
            s->running[i] = NULL;
            end_warp(s, w);
            --*left;
        }
        waiting += w->stop == RT_BARRIER;
    }
    if (s->clock)
        rt_clock_round(s->clock);
    return waiting < *left || *left == 0 || open_barrier(s);
}

static bool run_block(struct rt_sim *s, uint64_t number)
{
    uint32_t left = s->warps;
    s->block_index[0] = (uint32_t)(number % s->grid[0]);
    s->block_index[1] = (uint32_t)(number / s->grid[0] % s->grid[1]);
    s->block_index[2] = (uint32_t)(number / s->grid[0] / s->grid[1]);
    memset(s->shared, 0, s->image->shared_bytes);
    if (s->clock)
        rt_clock_block(s->clock);
    bool good = run_round(s, true, &left);
    while (good && left)
        good = run_round(s, false, &left);
    return good;
}

void rt_sim_blocks(struct rt_sim *s)
{
    bool good = true;
    for (uint64_t number = 0; good && number < s->blocks; number++) {
        good = run_block(s, number);
        if (s->text.length)
            s->context->output(s->context->output_user, s->text.at, s->text.length);
        s->text.length = 0;
    }
    if (s->clock)
        rt_clock_round(s->clock);
}
