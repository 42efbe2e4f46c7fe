/* pdom.c: the pre-Volta stack: lanes that diverge reconverge at the branch's immediate post-dominator.
 *
 * A stack entry is a group of lanes that waits: where it goes on, and where it will reconverge its siblings.
 * A branch pushes the entry of all its lanes at the reconvergence point, then one for each side but the
 * first, and runs the first; a group that comes to its reconvergence point pops the next entry. Lanes whose
 * side begins at the reconvergence point wait in the entry of all.
 *
 * Invariants. The running group's `reconverge` is the reconvergence point of the innermost open branch. If a
 * branch reconverges where the running group already will, the entry of all is there and none is pushed: a
 * loop holds one entry, however often it diverges. Groups that wait are disjoint and nested branches run
 * strictly smaller groups, so there are fewer than 2 * lanes entries. Lanes that ended are not live and drop
 * out when an entry is popped.
 *
 * A group that comes to `barrier()` while another waits for its turn has that one run first: it may be on its
 * way to the kernel's end, as far as the code's order of sides could not see to it. The code takes groups to
 * run to their reconvergence point without others between, so that the one that is held keeps a copy of the
 * scalars.
 */
#include "runtime/core/lanes.h"
#include "runtime/launch/watch.h"
#include "runtime/schemes/scheme.h"

enum { MAX_ENTRIES = 2 * RT_MAX_LANES };

struct entry { uint64_t lanes; uint32_t pc, reconverge; };
struct stack {
    uint32_t depth, reconverge;
    uint32_t held; /* depth of the entry whose lanes are at a `barrier()`; 0: none is held */
    struct entry at[MAX_ENTRIES];
    uint64_t scalars[]; /* the held group's */
};

static size_t data_bytes(const struct bc_program *p, uint32_t lanes)
{
    return sizeof(struct stack) + rt_most_scalars(p) * sizeof(uint64_t);
}

static void reconverge_at(struct rt_warp *w, struct stack *s, uint32_t reconverge)
{
    s->reconverge = reconverge;
    w->reconverge = reconverge == BC_NO_TARGET ? NULL : w->code + reconverge;
}

static void start(struct rt_warp *w)
{
    struct stack *s = w->scheme_data;
    s->depth = s->held = 0;
    reconverge_at(w, s, BC_NO_TARGET);
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

static size_t scalar_bytes(const struct rt_warp *w)
{
    return w->worker->launch->kernel->scalars * sizeof *w->S;
}

static void restore_scalars(struct rt_warp *w, struct stack *s)
{
    memcpy(w->S, s->scalars, scalar_bytes(w));
    s->held = 0;
}

/* The next group that still has live lanes. */
static inline uint32_t pop(struct rt_warp *w)
{
    struct stack *s = w->scheme_data;
    while (s->depth > 0) {
        if (UNLIKELY(s->depth == s->held))
            restore_scalars(w, s);
        struct entry e = s->at[--s->depth];
        if (e.lanes & w->live) {
            w->active = e.lanes & w->live;
            reconverge_at(w, s, e.reconverge);
            return e.pc;
        }
    }
    BUG("live lanes in no group");
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

/* The group nearest to the top that waits for its turn. Entries of lanes at their reconvergence point have the
 * active ones, too: those wait for these. MAX_ENTRIES: there is none. */
static uint32_t find_other(const struct rt_warp *w, const struct stack *s)
{
    for (uint32_t i = s->depth; i-- > 0;)
        if (s->at[i].lanes & w->live && !(s->at[i].lanes & w->active))
            return i;
    return MAX_ENTRIES;
}

/* What lies on the other group's entry belongs to the active lanes, which wait at `pc` on top of it. */
static uint32_t hold(struct rt_warp *w, uint32_t pc)
{
    struct stack *s = w->scheme_data;
    uint32_t at = s->held ? MAX_ENTRIES : find_other(w, s);
    if (at == MAX_ENTRIES)
        return pc;
    struct entry other = s->at[at];
    s->depth--;
    memmove(&s->at[at], &s->at[at + 1], (s->depth - at) * sizeof other);
    push(w, s, w->active, pc, s->reconverge);
    s->held = s->depth;
    memcpy(s->scalars, w->S, scalar_bytes(w));
    w->active = other.lanes & w->live;
    reconverge_at(w, s, other.reconverge);
    return other.pc;
}

static void groups(const struct rt_warp *w, uint64_t running, struct rt_groups *g)
{
    const struct stack *s = w->scheme_data;
    for (uint32_t i = 0; i < s->depth; i++)
        rt_add_group(g, i + 1 == s->held ? KERNC_WAIT_OTHERS : KERNC_WAIT_TURN, s->at[i].lanes & w->live,
                     s->at[i].pc);
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
