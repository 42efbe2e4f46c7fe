/* tf_sandy.c: thread frontiers on a GPU with a program counter for each thread ("SIMD Re-Convergence at Thread
 * Frontiers", section 5.1).
 *
 * The warp has a program counter too; lanes whose own equals it are active. Nothing tells where the others
 * are, so a branch can't go to the place of highest priority where lanes wait: it goes to the block of
 * highest priority where they *may* wait, by the static frontier of the block it leaves, and so on from
 * there. A block that is run by nobody is a *conservative branch*: it is counted, and so are its
 * instructions, without threads. None of them accesses memory.
 *
 * `next` is where the frontier of the running block begins. It is noted at block words with BC_RECONVERGE,
 * which all blocks with a frontier have; what follows any other block has none either.
 *
 * A group that comes to `barrier()` before all others have ended is held, as in pdom.c: the warp goes where the
 * others are, as if it had ended.
 */
#include "runtime/core/lanes.h"
#include "runtime/launch/watch.h"
#include "runtime/schemes/scheme.h"

struct counters {
    uint32_t next, pc[RT_MAX_LANES];
    uint32_t barrier_next; /* `next` of the group that is held */
    uint64_t at_barrier;   /* its lanes; none: there is none */
    uint64_t scalars[];    /* the same */
};

static size_t data_bytes(const struct bc_program *p, uint32_t lanes)
{
    return sizeof(struct counters) + rt_most_scalars(p) * sizeof(uint64_t);
}

static void start(struct rt_warp *w)
{
    struct counters *s = w->scheme_data;
    s->next = BC_NO_TARGET;
    s->at_barrier = 0;
    w->released = 0;
}

/* Live lanes that the warp goes to. */
static inline uint64_t going(const struct rt_warp *w)
{
    const struct counters *s = w->scheme_data;
    return w->live & ~s->at_barrier;
}

/* Where the frontier of the block at `pc` begins; BC_NO_TARGET: it has none. */
static uint32_t frontier_of(const struct rt_warp *w, uint32_t pc)
{
    uint32_t first = w->worker->launch->program->blocks.at[w->code[pc].imm].frontier;
    return first ? first : BC_NO_TARGET;
}

/* Lanes wait where the program says, if it does, while the block at `pc` is run. */
static bool check_lanes(struct rt_warp *w, uint32_t pc, uint64_t lanes)
{
    const struct counters *s = w->scheme_data;
    rt_each_lane(i, lanes)
        if (!rt_check_waits(w, pc, (uint64_t)1 << i, s->pc[i]))
            return false;
    return true;
}

static bool check(struct rt_warp *w, uint32_t pc)
{
    return check_lanes(w, pc, going(w) & ~w->active);
}

static bool look_at_empty(struct rt_warp *w, uint32_t pc)
{
    const struct rt_launch *l = w->worker->launch;
    if (l->watch)
        rt_watch_empty(w, w->code[pc].imm);
    return !l->program->checks_waiting || check_lanes(w, pc, going(w));
}

/* The block at `pc` is run without an active lane. False: the warp has trapped. */
static bool run_empty(struct rt_warp *w, uint32_t pc)
{
    rt_run_empty(w, w->code[pc].imm);
    w->events->conservative_branches++;
    return !w->worker->launch->looks_empty || look_at_empty(w, pc);
}

static uint32_t run_at_barrier(struct rt_warp *w, struct counters *s)
{
    INVARIANT(s->at_barrier);
    memcpy(w->S, s->scalars, rt_scalar_bytes(w));
    w->active = s->at_barrier;
    s->next = s->barrier_next;
    s->at_barrier = 0;
    w->released = 0;
    return s->pc[rt_lowest(w->active)];
}

/* Lanes have program counters: those of the lowest are active, when the warp has got there. */
static uint32_t go(struct rt_warp *w, struct counters *s)
{
    uint32_t lowest = BC_NO_TARGET;
    uint64_t before = w->active, active = 0;
    if (UNLIKELY(!going(w)))
        return run_at_barrier(w, s);
    rt_each_lane(i, going(w))
        lowest = s->pc[i] < lowest ? s->pc[i] : lowest;
    rt_each_lane(i, going(w))
        active |= (uint64_t)(s->pc[i] == lowest) << i;
    for (; s->next < lowest; s->next = frontier_of(w, s->next))
        if (!run_empty(w, s->next))
            return RT_NOWHERE;
    s->next = BC_NO_TARGET;
    w->events->reconvergences += (active & before) && (active & ~before);
    w->active = active;
    return lowest;
}

static uint32_t diverge(struct rt_warp *w, const struct rt_split *split)
{
    struct counters *s = w->scheme_data;
    for (uint32_t k = 0; k < split->n; k++)
        rt_each_lane(i, split->mask[k])
            s->pc[i] = split->target[k];
    return go(w, s);
}

static uint32_t reconverge(struct rt_warp *w, uint32_t pc)
{
    struct counters *s = w->scheme_data;
    uint32_t next = pc;
    if (w->active != w->live || s->next < pc) {
        rt_each_lane(i, w->active)
            s->pc[i] = pc;
        next = go(w, s);
    }
    if (next == pc)
        s->next = frontier_of(w, pc);
    return next;
}

static uint32_t leave(struct rt_warp *w)
{
    return go(w, w->scheme_data);
}

static uint32_t hold(struct rt_warp *w, uint32_t pc)
{
    struct counters *s = w->scheme_data;
    if (s->at_barrier)
        return pc;
    w->released = w->live & ~w->active;
    memcpy(s->scalars, w->S, rt_scalar_bytes(w));
    s->at_barrier = w->active;
    s->barrier_next = s->next;
    rt_each_lane(i, w->active)
        s->pc[i] = pc;
    return go(w, s);
}

static void groups(const struct rt_warp *w, uint64_t running, struct rt_groups *g)
{
    const struct counters *s = w->scheme_data;
    rt_add_lanes(g, KERNC_WAIT_OTHERS, s->at_barrier, s->pc);
    rt_add_lanes(g, KERNC_WAIT_TURN, w->live & ~running & ~s->at_barrier, s->pc);
}

const struct rt_scheme rt_scheme_tf_sandy = {
    .flags = RT_ASK_RECONVERGE,
    .data_bytes = data_bytes,
    .start = start,
    .diverge = diverge,
    .reconverge = reconverge,
    .exit = leave,
    .hold = hold,
    .check = check,
    .groups = groups,
};
