/* pdom.c: the pre-Volta stack: lanes that part meet at the branch's immediate post-dominator.
 *
 * A stack entry is a group of lanes that waits: where it goes on, and where it will meet its siblings. A
 * branch pushes the entry of all its lanes at the meeting point, then one for each side but the first, and
 * runs the first; a group that comes to its meeting point pops the next entry. Lanes whose side begins at the
 * meeting point wait in the entry of all.
 *
 * Invariants. The running group's `meet` is the meeting point of the innermost open branch. If a branch meets
 * where the running group already will, the entry of all is there and none is pushed: a loop holds one entry,
 * however often it diverges. Groups that wait are disjoint and nested branches run strictly smaller
 * groups, so there are fewer than 2 * lanes entries. Lanes that ended are not live and drop out
 * when an entry is popped.
 */
#include "runtime/lanes.h"
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

static inline void push(struct rt_warp *w, struct stack *s, uint64_t lanes, uint32_t pc, uint32_t meet)
{
    INVARIANT(s->depth < MAX_ENTRIES);
    s->at[s->depth++] = (struct entry){lanes, pc, meet};
    if (UNLIKELY(w->events->max_stack_depth < s->depth))
        w->events->max_stack_depth = s->depth;
}

/* Opens the region of the branch at `pc`, which ends at `meet`, unless it is open. Returns where it ends. */
static inline uint32_t open_region(struct rt_warp *w, struct stack *s, uint32_t meet, uint32_t pc)
{
    if (UNLIKELY(meet == BC_NO_TARGET))
        meet = rt_return_point(w, pc);
    if (meet == s->meet || UNLIKELY(meet == BC_NO_TARGET))
        return s->meet;
    push(w, s, w->active, meet, s->meet);
    meet_at(w, s, meet);
    return meet;
}

static uint32_t part(struct rt_warp *w, const struct bc_ins *ins, const struct bc_branch *branch,
                     uint64_t yes)
{
    struct stack *s = w->scheme_data;
    uint64_t no = w->active & ~yes;
    uint32_t meet = open_region(w, s, branch->meet, rt_index(w, ins));
    if (branch->yes == meet) {
        w->active = no;
        return branch->no;
    }
    if (branch->no != meet)
        push(w, s, no, branch->no, meet);
    w->active = yes;
    return branch->yes;
}

/* Two sides or more; the first that does not begin where all meet is run. */
static uint32_t diverge(struct rt_warp *w, const struct rt_split *split)
{
    struct stack *s = w->scheme_data;
    uint32_t meet = open_region(w, s, split->meet, split->pc), run = split->target[0] == meet;
    for (uint32_t i = split->n - 1; i > run; i--)
        if (split->target[i] != meet)
            push(w, s, split->mask[i], split->target[i], meet);
    w->active = split->mask[run];
    return split->target[run];
}

/* The next group that still has live lanes. */
static inline uint32_t pop(struct rt_warp *w)
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
    w->events->reconvergences += next == pc;
    return next;
}

static uint32_t leave(struct rt_warp *w)
{
    return pop(w);
}

/* The next place of these lanes is the topmost entry that has them. Those whose next instruction is the
 * kernel's end have returned: a barrier does not wait for them. 0: some lane has something else to do. */
static uint64_t returned(const struct rt_warp *w, const struct stack *s, uint32_t *pc)
{
    uint64_t left = w->live & ~w->active, last = 0;
    for (uint32_t i = s->depth; i-- > 0 && left;) {
        uint64_t here = s->at[i].lanes & left;
        if (here && w->code[s->at[i].pc + 1].op != BC_exit)
            return 0;
        left &= ~here;
        last = here ? here : last;
        *pc = here ? s->at[i].pc : *pc;
    }
    return last;
}

/* Lets lanes that have returned end, one group a time; then the barrier is tried again. */
static bool wait(struct rt_warp *w, uint32_t pc, uint32_t *next)
{
    struct stack *s = w->scheme_data;
    uint64_t done = returned(w, s, next);
    if (!done)
        return false;
    push(w, s, w->active, pc, s->meet);
    meet_at(w, s, BC_NO_TARGET);
    w->active = done;
    return true;
}

const struct rt_scheme rt_scheme_pdom = {
    .name = "pdom",
    .meaning = "mask stack; lanes meet at the immediate post-dominator",
    .data_bytes = data_bytes,
    .start = start,
    .part = part,
    .diverge = diverge,
    .meet = meet,
    .exit = leave,
    .wait = wait,
};
