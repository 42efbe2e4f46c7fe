/* tf_stack.c: thread frontiers on a sorted stack ("SIMD Re-Convergence at Thread Frontiers", section 5.2).
 *
 * Of all the places where lanes are, the one with the lowest code index is run: the compiler has laid out
 * blocks by priority (opt/reconverge/frontier.c). Groups that wait are entries of a stack that is sorted
 * by their code index, the next to run on top. Lanes that get to the place of an entry merge with it; so
 * there is one entry for each place, and at most one for each lane. At a block with a re-convergence check
 * the running group compares its place with that on top: it takes these lanes in, or gives way to them.
 *
 * The cost of an insertion is the number of entries that it is compared with, which the hardware of the paper
 * does one in a cycle.
 *
 * Invariants. Groups that wait are disjoint, and with the running one they are the live lanes. Their places
 * differ. The running group's place is lower than all of them, but for the way from the end of a block to the
 * check of the next.
 *
 * A group that comes to `barrier()` before all others have ended is held, as in pdom.c: the others run on as if
 * it had ended. It is no entry of the stack, and goes on when this is empty, with a copy of the scalars.
 */
#include "runtime/core/lanes.h"
#include "runtime/launch/watch.h"
#include "runtime/schemes/scheme.h"

struct entry {
    uint64_t lanes;
    uint32_t pc;
};
struct stack {
    uint32_t depth;
    struct entry at[RT_MAX_LANES];
    struct entry at_barrier; /* no lanes: none is */
    uint64_t scalars[];      /* those of the group at a barrier() */
};

static size_t data_bytes(const struct bc_program *p, uint32_t lanes)
{
    return sizeof(struct stack) + rt_most_scalars(p) * sizeof(uint64_t);
}

static void start(struct rt_warp *w)
{
    struct stack *s = w->scheme_data;
    s->depth = 0;
    s->at_barrier.lanes = 0;
    w->released = 0;
}

static inline void insert(struct rt_warp *w, struct stack *s, uint64_t lanes, uint32_t pc)
{
    uint32_t i = s->depth;
    while (i && s->at[i - 1].pc < pc)
        i--;
    w->events->stack_comparisons += s->depth - i + (i > 0);
    if (i && s->at[i - 1].pc == pc) {
        s->at[i - 1].lanes |= lanes;
        w->events->reconvergences++;
        return;
    }
    INVARIANT(s->depth < RT_MAX_LANES);
    memmove(&s->at[i + 1], &s->at[i], (s->depth - i) * sizeof *s->at);
    s->at[i] = (struct entry){lanes, pc};
    s->depth++;
    if (UNLIKELY(w->events->max_stack_depth < s->depth))
        w->events->max_stack_depth = s->depth;
}

static __attribute__((noinline)) uint32_t run_at_barrier(struct rt_warp *w, struct stack *s)
{
    INVARIANT(s->at_barrier.lanes);
    memcpy(w->S, s->scalars, rt_scalar_bytes(w));
    w->active = s->at_barrier.lanes;
    s->at_barrier.lanes = 0;
    w->released = 0;
    return s->at_barrier.pc;
}

static inline uint32_t run_top(struct rt_warp *w, struct stack *s)
{
    if (UNLIKELY(s->depth == 0))
        return run_at_barrier(w, s);
    struct entry e = s->at[--s->depth];
    w->active = e.lanes;
    return e.pc;
}

/* Lanes go on at `pc`, unless others are to run first. */
static inline uint32_t run(struct rt_warp *w, struct stack *s, uint64_t lanes, uint32_t pc)
{
    w->active = lanes;
    if (LIKELY(s->depth == 0 || s->at[s->depth - 1].pc > pc))
        return pc;
    insert(w, s, lanes, pc);
    return run_top(w, s);
}

static uint32_t diverge_two(struct rt_warp *w, const struct bc_ins *ins, const struct bc_branch *branch,
                            uint64_t yes, uint32_t takers)
{
    struct stack *s = w->scheme_data;
    uint64_t no = w->active & ~yes;
    bool first = branch->yes < branch->no;
    insert(w, s, first ? no : yes, first ? branch->no : branch->yes);
    return run(w, s, first ? yes : no, first ? branch->yes : branch->no);
}

static uint32_t diverge(struct rt_warp *w, const struct rt_split *split)
{
    struct stack *s = w->scheme_data;
    for (uint32_t i = 0; i < split->n; i++)
        insert(w, s, split->mask[i], split->target[i]);
    return run_top(w, s);
}

static uint32_t reconverge(struct rt_warp *w, uint32_t pc)
{
    return run(w, w->scheme_data, w->active, pc);
}

static uint32_t leave(struct rt_warp *w)
{
    return run_top(w, w->scheme_data);
}

static uint32_t hold(struct rt_warp *w, uint32_t pc)
{
    struct stack *s = w->scheme_data;
    if (s->at_barrier.lanes)
        return pc;
    w->released = w->live & ~w->active;
    memcpy(s->scalars, w->S, rt_scalar_bytes(w));
    s->at_barrier = (struct entry){w->active, pc};
    return run_top(w, s);
}

static bool check(struct rt_warp *w, uint32_t pc)
{
    const struct stack *s = w->scheme_data;
    for (uint32_t i = 0; i < s->depth; i++)
        if (!rt_check_waits(w, pc, s->at[i].lanes, s->at[i].pc))
            return false;
    return true;
}

static void groups(const struct rt_warp *w, uint64_t running, struct rt_groups *g)
{
    const struct stack *s = w->scheme_data;
    if (s->at_barrier.lanes)
        rt_add_group(g, KERNC_WAIT_OTHERS, s->at_barrier.lanes, s->at_barrier.pc);
    for (uint32_t i = 0; i < s->depth; i++)
        rt_add_group(g, KERNC_WAIT_TURN, s->at[i].lanes, s->at[i].pc);
}

const struct rt_scheme rt_scheme_tf_stack = {
    .flags = RT_ASK_DIVERGED,
    .data_bytes = data_bytes,
    .start = start,
    .diverge_two = diverge_two,
    .diverge = diverge,
    .reconverge = reconverge,
    .exit = leave,
    .hold = hold,
    .check = check,
    .groups = groups,
};
