/* pdom.c: the pre-Volta stack: lanes that diverge reconverge at the branch's immediate post-dominator.
 *
 * A stack entry is a group of lanes that waits: where it goes on, and where it will reconverge with its
 * siblings. A branch pushes the entry of all its lanes at the reconvergence point, then one for each side but
 * the first, and runs the first; a group that comes to its reconvergence point pops the next entry. Lanes
 * whose side begins at the reconvergence point wait in the entry of all.
 *
 * Invariants. The running group's `reconverge` is the reconvergence point of the innermost open branch. If a
 * branch reconverges where the running group already will, the entry of all is there and none is pushed: a
 * loop holds one entry, however often it diverges. Groups that wait are disjoint and nested branches run
 * strictly smaller groups, so there are fewer than 2 * lanes entries. Lanes that ended are not live and drop
 * out when an entry is popped.
 *
 * A group that comes to `barrier()` before all others have ended is held: the others run on as if it had
 * ended, and it goes on when they have. So it keeps a copy of the stack and of the scalars, which are all that
 * groups share. Others that wait for it at a reconvergence point do so no more; they are *released*. If they
 * come to an operation where they have to (ir/converge/barriers.c), or others to a barrier, nobody can go on: a
 * trap.
 */
#include "runtime/core/lanes.h"
#include "runtime/launch/watch.h"
#include "runtime/schemes/scheme.h"

enum { MAX_ENTRIES = 2 * RT_MAX_LANES };

struct entry {
    uint64_t lanes;
    uint32_t pc, reconverge;
};
struct stack {
    uint32_t depth, reconverge;
    struct entry at[MAX_ENTRIES];
};
struct data {
    struct stack now;
    uint64_t at_barrier; /* lanes at the `barrier()` of code index `pc` */
    uint32_t pc;
    struct stack then;  /* that of the group at it */
    uint64_t scalars[]; /* the same */
};

static size_t data_bytes(const struct bc_program *p, uint32_t lanes)
{
    return sizeof(struct data) + rt_most_scalars(p) * sizeof(uint64_t);
}

static void reconverge_at(struct rt_warp *w, struct stack *s, uint32_t reconverge)
{
    s->reconverge = reconverge;
    w->reconverge = reconverge == BC_NO_TARGET ? NULL : w->code + reconverge;
}

static void start(struct rt_warp *w)
{
    struct data *d = w->scheme_data;
    d->at_barrier = 0;
    w->released = 0;
    d->now.depth = 0;
    reconverge_at(w, &d->now, BC_NO_TARGET);
}

static inline void push(struct rt_warp *w, struct stack *s, uint64_t lanes, uint32_t pc, uint32_t reconverge)
{
    INVARIANT(s->depth < MAX_ENTRIES);
    s->at[s->depth++] = (struct entry){lanes, pc, reconverge};
    if (UNLIKELY(w->events->max_stack_depth < s->depth))
        w->events->max_stack_depth = s->depth;
}

/* Opens the region of the branch at `pc`, which ends at `reconverge`, unless it is open. Returns where it
 * ends. */
static inline uint32_t open_region(struct rt_warp *w, struct stack *s, uint32_t reconverge, uint32_t pc)
{
    if (UNLIKELY(reconverge == BC_NO_TARGET))
        reconverge = rt_return_point(w, pc);
    if (reconverge == s->reconverge || UNLIKELY(reconverge == BC_NO_TARGET))
        return s->reconverge;
    push(w, s, w->active, reconverge, s->reconverge);
    reconverge_at(w, s, reconverge);
    return reconverge;
}

static uint32_t diverge_two(struct rt_warp *w, const struct bc_ins *ins, const struct bc_branch *branch,
                            uint64_t yes, uint32_t takers)
{
    struct stack *s = w->scheme_data;
    uint64_t no = w->active & ~yes;
    uint32_t reconverge = open_region(w, s, branch->reconverge, rt_index(w, ins));
    if (branch->yes == reconverge) {
        w->active = no;
        return branch->no;
    }
    if (branch->no != reconverge)
        push(w, s, no, branch->no, reconverge);
    w->active = yes;
    return branch->yes;
}

/* Two sides or more; the first that does not begin where all reconverge is run. */
static uint32_t diverge(struct rt_warp *w, const struct rt_split *split)
{
    struct stack *s = w->scheme_data;
    uint32_t reconverge = open_region(w, s, split->reconverge, split->pc),
             run = split->target[0] == reconverge;
    for (uint32_t i = split->n - 1; i > run; i--)
        if (split->target[i] != reconverge)
            push(w, s, split->mask[i], split->target[i], reconverge);
    w->active = split->mask[run];
    return split->target[run];
}

static void copy_stack(struct stack *to, const struct stack *from)
{
    to->depth = from->depth;
    memcpy(to->at, from->at, from->depth * sizeof *from->at);
}

/* The group at the barrier(), which is all that is left. */
static uint32_t run_at_barrier(struct rt_warp *w, struct data *d)
{
    if (!d->at_barrier)
        BUG("live lanes in no group");
    copy_stack(&d->now, &d->then);
    reconverge_at(w, &d->now, d->then.reconverge);
    memcpy(w->S, d->scalars, rt_scalar_bytes(w));
    w->active = d->at_barrier;
    w->released = 0;
    d->at_barrier = 0;
    return d->pc;
}

/* The next group that still has live lanes. */
static inline uint32_t pop(struct rt_warp *w)
{
    struct data *d = w->scheme_data;
    struct stack *s = &d->now;
    uint64_t live = w->live & ~d->at_barrier;
    while (s->depth > 0) {
        struct entry e = s->at[--s->depth];
        if (e.lanes & live) {
            w->active = e.lanes & live;
            w->released |= e.lanes & d->at_barrier ? w->active : 0;
            reconverge_at(w, s, e.reconverge);
            return e.pc;
        }
    }
    return run_at_barrier(w, d);
}

static uint32_t reconverge(struct rt_warp *w, uint32_t pc)
{
    uint32_t next = pop(w);
    w->events->reconvergences += next == pc;
    return next;
}

static uint32_t leave(struct rt_warp *w)
{
    return pop(w);
}

static uint32_t hold(struct rt_warp *w, uint32_t pc)
{
    struct data *d = w->scheme_data;
    if (d->at_barrier)
        return pc;
    copy_stack(&d->then, &d->now);
    d->then.reconverge = d->now.reconverge;
    memcpy(d->scalars, w->S, rt_scalar_bytes(w));
    d->at_barrier = w->active;
    d->pc = pc;
    return pop(w);
}

static void groups(const struct rt_warp *w, uint64_t running, struct rt_groups *g)
{
    const struct data *d = w->scheme_data;
    if (d->at_barrier)
        rt_add_group(g, KERNC_WAIT_OTHERS, d->at_barrier, d->pc);
    for (uint32_t i = 0; i < d->now.depth; i++)
        rt_add_group(g, KERNC_WAIT_TURN, d->now.at[i].lanes & w->live & ~d->at_barrier, d->now.at[i].pc);
}

const struct rt_scheme rt_scheme_pdom = {
    .data_bytes = data_bytes,
    .start = start,
    .diverge_two = diverge_two,
    .diverge = diverge,
    .reconverge = reconverge,
    .exit = leave,
    .hold = hold,
    .groups = groups,
};
