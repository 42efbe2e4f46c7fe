/* schedule.c: launches that are not timed: blocks one after the other, and the turns of a block's warps.
 *
 * Warps take turns in the order of their numbers: each runs until it ends, waits at the barrier, gives way,
 * or has used its time slice at an instruction of control flow, and when all have had a turn the next round
 * begins. A round in which all warps that have not ended come to the barrier opens it. No machine has this
 * order; it is quick, and gives programs whose warps communicate by barriers alone, or by atomics whose order
 * does not matter, what any machine gives them.
 */
#include "runtime/warpcore/simulator.h"

/* One turn. False: the launch has to stop. */
static bool run_turn(struct rt_sim *s, struct rt_sim_warp *w)
{
    uint64_t left = s->given.fuel - s->total,
             slice = left < RT_SLICE_INSTRUCTIONS ? left : RT_SLICE_INSTRUCTIONS;
    w->fuel = (int64_t)slice;
    s->core->enter(w);
    s->core->run(w);
    uint64_t used = (uint64_t)((int64_t)slice - w->fuel);
    s->total += used;
    s->thread_slots += used * w->threads;
    bool over = s->total >= s->given.fuel || rt_interrupted(s->given.interrupt);
    s->out_of_fuel = over && w->stop != RT_DONE && w->stop != RT_TRAPPED;
    if (s->out_of_fuel)
        rt_sim_out_of_fuel(w, w->flow.pc);
    return w->stop != RT_TRAPPED && !s->out_of_fuel;
}

/* By warp of the block; NULL: not begun, or ended. */
struct round {
    struct rt_sim_block *block;
    struct rt_sim_warp **warps;
    uint32_t count, left;
};

/* All warps that have not ended wait. */
static void open_barrier(struct round *r)
{
    for (uint32_t i = 0; i < r->count; i++)
        if (r->warps[i])
            r->warps[i]->stop = RT_SLICE;
    rt_sim_block_output(r->block);
}

/* Each warp that can run has a turn. False: the launch has to stop. */
static bool run_round(struct round *r, bool first)
{
    struct rt_sim *s = r->block->sim;
    uint32_t waiting = 0;
    for (uint32_t i = 0; i < r->count; i++) {
        if (first && !(r->warps[i] = rt_sim_warp_begin(r->block, i)))
            return false;
        struct rt_sim_warp *w = r->warps[i];
        if (!w)
            continue;
        if ((first || w->stop != RT_BARRIER) && !run_turn(s, w))
            return false;
        if (w->stop == RT_DONE) {
            r->warps[i] = NULL;
            rt_sim_warp_end(w);
            r->left--;
        }
        waiting += w->stop == RT_BARRIER;
    }
    if (waiting == r->left)
        open_barrier(r);
    return true;
}

/* Between two rounds, as if it were the turn of the first warp that has not ended. */
static bool can_never_end(const struct round *r)
{
    struct rt_sim *s = r->block->sim;
    uint32_t first = 0;
    while (first < r->count && !r->warps[first])
        first++;
    if (first == r->count || !rt_sim_is_to_look(s, r->warps[first]))
        return false;
    rt_sim_look_begin(s);
    rt_sim_look_block(s, r->block);
    for (uint32_t i = first; i < r->count; i++)
        if (r->warps[i])
            rt_sim_look_warp(s, r->warps[i]);
    return rt_sim_can_never_end(s, r->warps[first]);
}

void rt_sim_schedule(struct rt_sim *s)
{
    struct round r = {rt_sim_block_new(s), arena_array(&s->arena, struct rt_sim_warp *, s->sizes.warps),
                      s->sizes.warps, 0};
    bool good = r.block != NULL;
    for (uint64_t number = 0; good && number < s->sizes.blocks; number++) {
        r.left = s->sizes.warps;
        rt_sim_block_begin(r.block, number);
        good = run_round(&r, true);
        while (good && r.left)
            good = run_round(&r, false) && !can_never_end(&r);
        rt_sim_block_end(r.block, number + 1);
    }
}
