/* minsp_pc.c: a GPU without a stack that runs the threads of the deepest call first, and of these those of the
 * lowest program counter (S. Collange, "Simty: generalized SIMT execution on RISC-V", 2017; SIMTight).
 *
 * Each lane has a program counter and a call depth. At each instruction such a machine compares them all, and
 * runs the lanes that come first. So it needs no stack, no instruction of its own, and no mark where lanes may
 * meet. What it needs is an order of the blocks in memory that is right for it, which is that of thread
 * frontiers. Here it is asked at blocks with a re-convergence check alone, as nobody waits at others.
 *
 * Calls and uniform returns do not ask the machine, but where lanes return before others that are in endless
 * loops of the function or on their way to a trap: a call's depth is that of its return addresses, which each
 * lane has in registers.
 *
 * Invariant. No lane that waits comes before the running ones, but for the way from the end of a block to the
 * check of the next. So lanes in a function wait there for nobody outside, and return before those who wait to
 * call it come there.
 *
 * A group that comes to `barrier()` before all others have ended is held, as in pdom.c: it is not compared
 * until the others have come to an end.
 */
#include "runtime/core/lanes.h"
#include "runtime/launch/watch.h"
#include "runtime/schemes/scheme.h"

struct counters {
    uint32_t pc[RT_MAX_LANES], depth[RT_MAX_LANES];
    uint64_t at_barrier; /* lanes of the group that is held; none: there is none */
    uint64_t scalars[];  /* the same */
};

static size_t data_bytes(const struct bc_program *p, uint32_t lanes)
{
    return sizeof(struct counters) + rt_most_scalars(p) * sizeof(uint64_t);
}

static void start(struct rt_warp *w)
{
    struct counters *s = w->scheme_data;
    s->at_barrier = 0;
    w->released = 0;
}

static uint64_t compared(const struct rt_warp *w)
{
    const struct counters *s = w->scheme_data;
    return w->live & ~s->at_barrier;
}

/* Of the running lanes, which are in one call. */
static uint32_t depth_at(const struct rt_warp *w, uint32_t pc)
{
    return rt_call_depth(w, pc, rt_lowest(w->active));
}

/* The lanes are at `pc`, in so many calls. */
static void put(struct counters *s, uint64_t lanes, uint32_t pc, uint32_t depth)
{
    rt_each_lane(i, lanes) {
        s->pc[i] = pc;
        s->depth[i] = depth;
    }
}

static uint32_t run_at_barrier(struct rt_warp *w, struct counters *s)
{
    INVARIANT(s->at_barrier);
    memcpy(w->S, s->scalars, rt_scalar_bytes(w));
    w->active = s->at_barrier;
    w->released = 0;
    s->at_barrier = 0;
    return s->pc[rt_lowest(w->active)];
}

/* Whether lane a comes before lane b; of lanes at one place neither does. */
static bool comes_before(const struct counters *s, uint64_t a, uint64_t b)
{
    return s->depth[a] != s->depth[b] ? s->depth[a] > s->depth[b] : s->pc[a] < s->pc[b];
}

/* All lanes have been put. */
static uint32_t run_first(struct rt_warp *w, struct counters *s)
{
    uint64_t lanes = compared(w), before = w->active, active = 0;
    if (UNLIKELY(!lanes))
        return run_at_barrier(w, s);
    uint64_t first = rt_lowest(lanes);
    rt_each_lane(i, lanes)
        first = comes_before(s, i, first) ? i : first;
    rt_each_lane(i, lanes)
        active |= (uint64_t)(!comes_before(s, first, i)) << i;
    w->events->reconvergences += (active & before) && (active & ~before);
    w->active = active;
    return s->pc[first];
}

static uint32_t diverge(struct rt_warp *w, const struct rt_split *split)
{
    struct counters *s = w->scheme_data;
    enum bc_op op = (enum bc_op)w->code[split->pc].op;
    uint32_t depth = depth_at(w, split->pc) + (op == BC_icall) - bc_returns(op);
    for (uint32_t k = 0; k < split->n; k++)
        put(s, split->mask[k], split->target[k], depth);
    return run_first(w, s);
}

static uint32_t reconverge(struct rt_warp *w, uint32_t pc)
{
    put(w->scheme_data, w->active, pc, depth_at(w, pc));
    return run_first(w, w->scheme_data);
}

static uint32_t leave(struct rt_warp *w)
{
    return run_first(w, w->scheme_data);
}

static uint32_t hold(struct rt_warp *w, uint32_t pc)
{
    struct counters *s = w->scheme_data;
    if (s->at_barrier)
        return pc;
    w->released = w->live & ~w->active;
    memcpy(s->scalars, w->S, rt_scalar_bytes(w));
    put(s, w->active, pc, depth_at(w, pc));
    s->at_barrier = w->active;
    return run_first(w, s);
}

static bool check(struct rt_warp *w, uint32_t pc)
{
    const struct counters *s = w->scheme_data;
    rt_each_lane(i, compared(w) & ~w->active)
        if (!rt_check_waits(w, pc, (uint64_t)1 << i, s->pc[i]))
            return false;
    return true;
}

static void groups(const struct rt_warp *w, uint64_t running, struct rt_groups *g)
{
    const struct counters *s = w->scheme_data;
    rt_add_lanes(g, KERNC_WAIT_OTHERS, s->at_barrier, s->pc);
    rt_add_lanes(g, KERNC_WAIT_TURN, w->live & ~running & ~s->at_barrier, s->pc);
}

const struct rt_scheme rt_scheme_minsp_pc = {
    .flags = RT_ASK_DIVERGED,
    .data_bytes = data_bytes,
    .start = start,
    .diverge = diverge,
    .reconverge = reconverge,
    .exit = leave,
    .hold = hold,
    .check = check,
    .groups = groups,
};
