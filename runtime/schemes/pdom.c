/* pdom.c: the pre-Volta stack: lanes that part meet at the branch's immediate post-dominator.
 *
 * A stack entry is a group of lanes that waits: where it goes on, and where it will meet its siblings. A branch
 * pushes the entry of all its lanes at the meeting point, then one for each side but the first, and runs the
 * first; a group that comes to its meeting point pops the next entry. Lanes whose side begins at the meeting
 * point wait in the entry of all.
 *
 * Invariants. The running group's `meet` is the meeting point of the innermost open branch. If a branch meets
 * where the running group already will, the entry of all is there and none is pushed: a loop holds one entry,
 * however often it diverges. Groups that wait are disjoint and nested branches run strictly smaller groups, so
 * there are fewer than 2 * lanes entries. Lanes that ended are not live and drop out when an entry is popped.
 */
#include "runtime/scheme.h"

enum { MAX_ENTRIES = 2 * RT_MAX_LANES };

struct entry { uint64_t lanes; uint32_t pc, meet; };
struct stack { uint32_t depth, meet; struct entry at[MAX_ENTRIES]; };

static size_t data_bytes(const struct bc_program *p, uint32_t lanes)
{
    return sizeof(struct stack);
}

static void meet_at(struct rt_warp *w, struct stack *s, uint32_t meet)
{
    s->meet = meet;
    w->meet = meet == BC_NO_TARGET ? NULL : w->code + meet;
}

static void start(struct rt_warp *w)
{
    struct stack *s = w->scheme_data;
    s->depth = 0;
    meet_at(w, s, BC_NO_TARGET);
}

static void push(struct rt_warp *w, struct stack *s, uint64_t lanes, uint32_t pc, uint32_t meet)
{
    INVARIANT(s->depth < MAX_ENTRIES);
    s->at[s->depth++] = (struct entry){lanes, pc, meet};
    struct rt_events *events = rt_events(w);
    if (events->max_stack_depth < s->depth)
        events->max_stack_depth = s->depth;
}

static uint32_t diverge(struct rt_warp *w, const struct rt_split *split)
{
    struct stack *s = w->scheme_data;
    uint32_t meet = split->meet, first = UINT32_MAX;
    if (meet == BC_NO_TARGET)
        meet = rt_return_point(w, split->pc);
    if (meet == BC_NO_TARGET)
        meet = s->meet;
    if (meet != s->meet)
        push(w, s, w->active, meet, s->meet);
    for (uint32_t i = split->n; i-- > 0;) {
        if (split->target[i] == meet)
            continue;
        if (first != UINT32_MAX)
            push(w, s, split->mask[first], split->target[first], meet);
        first = i;
    }
    meet_at(w, s, meet);
    w->active = split->mask[first];
    return split->target[first];
}

/* The next group that still has live lanes. */
static uint32_t pop(struct rt_warp *w)
{
    struct stack *s = w->scheme_data;
    while (s->depth > 0) {
        struct entry e = s->at[--s->depth];
        if (e.lanes & w->live) {
            w->active = e.lanes & w->live;
            meet_at(w, s, e.meet);
            return e.pc;
        }
    }
    BUG("live lanes in no group");
}

static uint32_t meet(struct rt_warp *w, uint32_t pc)
{
    uint32_t next = pop(w);
    rt_events(w)->reconvergences += next == pc;
    return next;
}

const struct rt_scheme rt_scheme_pdom = {
    .name = "pdom",
    .meaning = "mask stack; lanes meet at the immediate post-dominator",
    .data_bytes = data_bytes,
    .start = start,
    .diverge = diverge,
    .meet = meet,
    .exit = pop,
};
