/* barrier_groups.c: the groups of the scheme barrier that are ready, and which of them runs next.
 *
 * They are kept in the order in which they are to run, the next one last, so that to run one is cheap: by rank,
 * and among equal ones as the schedule says. There are few at a time, and most new ones belong near the end.
 *
 *   largest   by the number of lanes; among equal ones the newest
 *   newest    as they became ready
 *   oldest    the other way round
 *   lowest    by place in the code; among equal ones the oldest
 */
#include "runtime/launch/watch.h"
#include "runtime/schemes/barrier.h"

void barrier_save_scalars(struct rt_warp *w, struct barriers *s, uint64_t lanes)
{
    rt_each_lane(i, lanes)
        memcpy(s->copies + i * s->scalars, w->S, s->scalars * sizeof *w->S);
}

void barrier_copy_scalars(struct rt_warp *w, struct barriers *s)
{
    if (s->copying)
        return;
    s->copying = true;
    barrier_save_scalars(w, s, w->launched);
}

/* ---- the order of ready groups ----------------------------------------------------------------------- */

void barrier_insert_by_schedule(struct rt_warp *w, struct barriers *s, struct group g)
{
    uint32_t i = s->ready_count++, before; /* g stands before groups whose rank is larger than that */
    switch (w->worker->launch->given.schedule) {
    case KERNC_SCHEDULE_LOWEST:
        g.rank = RT_NOWHERE - g.pc;
        before = g.rank - 1;
        break;
    case KERNC_SCHEDULE_OLDEST:
        g.rank = 1;
        before = 0;
        break;
    default: before = g.rank = 1; break;
    }
    for (; i > 0 && s->ready[i - 1].rank > before; i--)
        s->ready[i] = s->ready[i - 1];
    s->ready[i] = g;
}

static struct group take(struct barriers *s, uint32_t at)
{
    struct group g = s->ready[at];
    s->ready_count--;
    for (; at < s->ready_count; at++)
        s->ready[at] = s->ready[at + 1];
    return g;
}

/* Whether lanes in two groups are in one barrier that gathers them. */
static bool gathered(const struct barriers *s, uint64_t lanes)
{
    for (uint32_t i = 0; i < s->used; i++)
        if (s->at[i].gathers && !(lanes & ~s->at[i].joined))
            return true;
    return false;
}

uint64_t barrier_gather(struct barriers *s, uint64_t lanes, uint32_t pc)
{
    for (uint32_t i = 0; i < s->ready_count; i++)
        if (s->ready[i].pc == pc && gathered(s, s->ready[i].lanes | lanes))
            return take(s, i).lanes;
    return 0;
}

/* ---- groups become ready ----------------------------------------------------------------------------- */

void barrier_release(struct rt_warp *w, struct barriers *s, struct record *r)
{
    uint64_t lanes = r->waiting;
    uint32_t count = r->arrived;
    r->waiting = 0;
    r->arrived = 0;
    w->events->reconvergences++;
    while (lanes) {
        uint32_t pc = r->pc;
        uint64_t group = lanes;
        if (UNLIKELY(pc == RT_NOWHERE)) {
            pc = s->pc[rt_lowest(lanes)];
            rt_each_lane(i, lanes)
                group &= ~((uint64_t)(s->pc[i] != pc) << i);
            count = barrier_count_lanes(group);
        }
        r->joined &= w->code[pc - 1].d ? r->joined : ~group; /* they rejoin as they go on, or have left */
        barrier_make_ready(w, s, group, count, pc);
        lanes &= ~group;
    }
}

bool barrier_yield(struct rt_warp *w, struct barriers *s)
{
    struct record *most = NULL;
    for (uint32_t i = 0; i < s->used; i++) {
        struct record *r = &s->at[i];
        if (r->waiting && (!most || r->arrived > most->arrived))
            most = r;
    }
    if (!most)
        return false;
    barrier_copy_scalars(w, s);
    w->events->yields++;
    barrier_release(w, s, most);
    return true;
}

static uint32_t run(struct rt_warp *w, struct barriers *s, struct group g)
{
    w->active = g.lanes;
    if (s->copying)
        memcpy(w->S, s->copies + (size_t)rt_lowest(g.lanes) * s->scalars, s->scalars * sizeof *w->S);
    return g.pc;
}

/* All others wait, as they do for the group at the barrier() if for anybody. */
static void cancel_at_barrier(struct rt_warp *w, struct barriers *s)
{
    s->cancelled = true;
    w->released = w->live & ~s->at_barrier.lanes;
    barrier_leave(w, s, s->at_barrier.lanes);
}

uint32_t barrier_run_copied(struct rt_warp *w, struct barriers *s)
{
    if (!s->ready_count && s->at_barrier.lanes && s->at_barrier.lanes != w->live && !s->cancelled)
        cancel_at_barrier(w, s);
    if (s->ready_count || barrier_yield(w, s))
        return run(w, s, s->ready[--s->ready_count]);
    struct group at_barrier = s->at_barrier;
    if (!at_barrier.lanes)
        BUG("live lanes in no group");
    s->at_barrier.lanes = 0;
    s->cancelled = false;
    w->released = 0;
    return run(w, s, at_barrier);
}

/* Lanes may come to `barrier()` before others, which are still on their way to it or to the end of the kernel:
 * where no barrier register holds them, since a prediction's has taken its place, this one gathers them, as
 * GPUs count the threads that come to one. Lanes that come to another one meanwhile are not together with
 * them, which is the kernel's mistake. Where all others wait, this group leaves the barriers at which they
 * do: they run on as if it had ended, and it goes on when they have. If they come to this `barrier()` after
 * all, they may be in another iteration, and not together with it either. */
uint32_t barrier_hold(struct rt_warp *w, uint32_t pc)
{
    struct barriers *s = w->scheme_data;
    uint64_t lanes = s->at_barrier.lanes | w->active;
    if (s->at_barrier.lanes && (s->at_barrier.pc != pc || s->cancelled))
        return pc;
    barrier_copy_scalars(w, s);
    barrier_save_scalars(w, s, w->active);
    w->events->reconvergences += s->at_barrier.lanes != 0;
    s->at_barrier = (struct group){.lanes = lanes, .pc = pc};
    return barrier_run_copied(w, s);
}

static uint32_t find_oldest(const struct barriers *s)
{
    uint32_t oldest = 0;
    for (uint32_t i = 1; i < s->ready_count; i++)
        if (s->ready[i].age < s->ready[oldest].age)
            oldest = i;
    return oldest;
}

uint64_t barrier_longest_ready(const struct barriers *s)
{
    return s->ready_count ? s->age / BARRIER_SLICE - s->ready[find_oldest(s)].age / BARRIER_SLICE : 0;
}

uint32_t barrier_run_oldest(struct rt_warp *w, struct barriers *s)
{
    return run(w, s, take(s, find_oldest(s)));
}

/* ---- what a watched warp tells ----------------------------------------------------------------------- */

/* The record's lanes that wait go on at one place, or at several. */
static void add_record(const struct barriers *s, uint32_t reg, const struct record *r, struct rt_groups *g)
{
    uint32_t first = g->list.count;
    if (r->waiting && r->pc == RT_NOWHERE)
        rt_add_lanes(g, KERNC_WAIT_BARRIER, r->waiting, s->pc);
    else if (r->joined)
        rt_add_group(g, KERNC_WAIT_BARRIER, r->waiting, r->waiting ? r->pc : RT_NOWHERE);
    for (uint32_t i = first; i < g->list.count; i++) {
        g->list.at[i].barrier = reg;
        g->list.at[i].joined = r->joined;
    }
}

void barrier_groups(const struct rt_warp *w, uint64_t running, struct rt_groups *g)
{
    const struct barriers *s = w->scheme_data;
    for (uint32_t reg = 0; reg < s->registers; reg++) {
        add_record(s, reg, &s->at[reg], g);
        for (uint32_t r = s->at[reg].next; r != BARRIER_NO_RECORD; r = s->at[r].next)
            add_record(s, reg, &s->at[r], g);
    }
    if (s->at_barrier.lanes)
        rt_add_group(g, KERNC_WAIT_OTHERS, s->at_barrier.lanes, s->at_barrier.pc);
    for (uint32_t i = 0; i < s->ready_count; i++)
        rt_add_group(g, KERNC_WAIT_TURN, s->ready[i].lanes, s->ready[i].pc);
}
