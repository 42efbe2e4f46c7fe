/* barrier.c: convergence barriers: one program counter a lane, barrier registers, and a scheduler of groups
 * ("Speculative Reconvergence", Table 1; the GPUs after Volta).
 *
 * Lanes that run together are a group; the running one is w->active, the others are ready, or wait at a
 * barrier. Groups become one where a barrier releases lanes that wait at the same place; and where they are
 * ready at the same place and in the same record of a barrier that gathers, as a prediction's does.
 *
 * A barrier register names a *record* for each set of lanes that joined it together: a register in a loop or
 * in a function that several groups execute at different times keeps them apart. A lane is a member of the
 * record that it joined last, until it cancels; it takes part in it until it waits there and is released,
 * cancels, or ends, and again after it has rejoined.
 *
 * Invariants. Ready groups, the running one and the lanes that wait are disjoint and together the live lanes.
 * Records of a register have disjoint members; waiting ⊆ joined ⊆ members. A lane waits in one record at
 * most. No record has waiting == joined but while an operation is executed, unless both are empty.
 *
 * Forward progress. Where all lanes wait the barrier with the most waiting lanes is given up: a yield. A
 * group that has run for PATIENCE time slices while others do not gives way to one that is ready, or else to
 * such lanes. From then on groups may be anywhere, so that each keeps a copy of the scalars, which the code
 * takes to be shared by lanes that barriers hold together.
 */
#include "runtime/schemes/barrier.h"

/* Time slices without a release after which other lanes run: the first time, and again. */
enum { PATIENCE = 64, PATIENCE_AGAIN = 1 };

/* Without the instruction, which not every host has, the compiler would call a function. */
static inline uint32_t count_lanes(uint64_t x)
{
    x -= x >> 1 & 0x5555555555555555u;
    x = (x & 0x3333333333333333u) + (x >> 2 & 0x3333333333333333u);
    x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fu;
    return (uint32_t)(x * 0x0101010101010101u >> 56);
}

/* ---- groups ------------------------------------------------------------------------------------------ */

static void save_scalars(struct rt_warp *w, struct barriers *s, uint64_t lanes)
{
    if (LIKELY(!s->copying))
        return;
    rt_each_lane(i, lanes)
        memcpy(s->copies + i * s->scalars, w->S, s->scalars * sizeof *w->S);
}

/* Whether lanes in two groups are in one barrier that gathers them. */
static bool gathered(const struct barriers *s, uint64_t lanes)
{
    for (uint32_t i = 1; i < s->used; i++)
        if (s->at[i].gathers && !(lanes & ~s->at[i].joined))
            return true;
    return false;
}

static void make_ready(struct barriers *s, uint64_t lanes, uint32_t pc)
{
    for (uint32_t i = 0; i < s->ready_count && s->gathering; i++) {
        if (s->ready[i].pc == pc && gathered(s, s->ready[i].lanes | lanes)) {
            lanes |= s->ready[i].lanes;
            memmove(&s->ready[i], &s->ready[i + 1], (--s->ready_count - i) * sizeof s->ready[i]);
            break;
        }
    }
    INVARIANT(s->ready_count < RT_MAX_LANES);
    s->ready[s->ready_count++] = (struct group){lanes, pc, count_lanes(lanes)};
}

/* Lanes of the running group go on later. */
static void suspend(struct rt_warp *w, struct barriers *s, uint64_t lanes, uint32_t pc)
{
    save_scalars(w, s, lanes);
    make_ready(s, lanes, pc);
}

/* The record's lanes that waited are ready, those that go on at one place as one group. */
static void release(struct rt_warp *w, struct barriers *s, struct record *r)
{
    uint64_t lanes = r->waiting;
    r->joined &= ~lanes;
    r->waiting = 0;
    w->events->reconvergences++;
    s->slices = 0;
    if (LIKELY(r->pc != RT_NOWHERE)) {
        make_ready(s, lanes, r->pc);
        return;
    }
    while (lanes) {
        uint32_t pc = s->pc[rt_lowest(lanes)];
        uint64_t group = 0;
        rt_each_lane(i, lanes)
            group |= (uint64_t)(s->pc[i] == pc) << i;
        make_ready(s, group, pc);
        lanes &= ~group;
    }
}

/* From now on groups are run in turns that no barrier asked for. */
static void copy_scalars(struct rt_warp *w, struct barriers *s)
{
    if (s->copying)
        return;
    s->copying = true;
    save_scalars(w, s, w->launched);
}

/* Gives up the barrier with the most waiting lanes. False: none wait. */
static bool yield(struct rt_warp *w, struct barriers *s)
{
    struct record *most = NULL;
    for (uint32_t i = 1; i < s->used; i++)
        if (s->at[i].waiting && (!most || count_lanes(s->at[i].waiting) > count_lanes(most->waiting)))
            most = &s->at[i];
    if (!most)
        return false;
    copy_scalars(w, s);
    w->events->yields++;
    release(w, s, most);
    return true;
}

static uint32_t lowest_pc(const struct barriers *s)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < s->ready_count; i++)
        if (s->ready[i].pc < s->ready[best].pc)
            best = i;
    return best;
}

static uint32_t most_lanes(const struct barriers *s)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < s->ready_count; i++)
        if (s->ready[i].count >= s->ready[best].count)
            best = i;
    return best;
}

static uint32_t choose(const struct rt_warp *w, const struct barriers *s)
{
    switch (w->worker->launch->schedule) {
    case KERNC_SCHEDULE_OLDEST: return 0;
    case KERNC_SCHEDULE_NEWEST: return s->ready_count - 1;
    case KERNC_SCHEDULE_LOWEST: return lowest_pc(s);
    default: return most_lanes(s);
    }
}

static uint32_t run_group(struct rt_warp *w, struct barriers *s, uint32_t chosen)
{
    struct group g = s->ready[chosen];
    s->ready_count--;
    memmove(&s->ready[chosen], &s->ready[chosen + 1], (s->ready_count - chosen) * sizeof g);
    w->active = g.lanes;
    if (UNLIKELY(s->copying))
        memcpy(w->S, s->copies + (size_t)rt_lowest(g.lanes) * s->scalars, s->scalars * sizeof *w->S);
    return g.pc;
}

/* Runs a ready group. */
static uint32_t run_next(struct rt_warp *w, struct barriers *s)
{
    if (UNLIKELY(s->ready_count == 0) && !yield(w, s))
        BUG("live lanes in no group");
    return run_group(w, s, choose(w, s));
}

static void note_depth(struct rt_warp *w, const struct barriers *s)
{
    if (UNLIKELY(w->events->max_stack_depth < s->ready_count))
        w->events->max_stack_depth = s->ready_count;
}

/* ---- records ----------------------------------------------------------------------------------------- */

/* BARRIER_NO_RECORD: the launch would take more memory than it may. */
static uint32_t take_record(struct rt_warp *w, struct barriers *s)
{
    uint32_t r = s->free;
    if (r == BARRIER_NO_RECORD)
        return s->used < s->capacity || barrier_more_records(w, s) ? s->used++ : BARRIER_NO_RECORD;
    s->free = s->at[r].next;
    return r;
}

/* Frees the register's records without members. */
static void sweep(struct barriers *s, uint32_t reg)
{
    for (uint32_t *at = &s->first[reg]; *at != BARRIER_NO_RECORD;) {
        uint32_t r = *at;
        if (s->at[r].members) {
            at = &s->at[r].next;
            continue;
        }
        *at = s->at[r].next;
        s->at[r] = (struct record){.next = s->free};
        s->free = r;
    }
}

#define each_record(r, s, reg)                                                                               \
    for (struct record *r = &(s)->at[(s)->first[reg]]; r != (s)->at; r = &(s)->at[r->next])

/* Releases those who wait if nobody else takes part. */
static void check(struct rt_warp *w, struct barriers *s, struct record *r)
{
    if (r->waiting && r->waiting == r->joined)
        release(w, s, r);
}

/* False: out of memory. */
static bool join(struct rt_warp *w, struct barriers *s, uint32_t reg, bool gathers)
{
    uint64_t lanes = w->active;
    struct record *only = &s->at[s->first[reg]];
    if (LIKELY(only->members == lanes && only->next == BARRIER_NO_RECORD)) {
        only->joined = lanes;
        return true;
    }
    bool empty = false;
    each_record(r, s, reg)
        lanes &= ~r->joined;
    if (!lanes)
        return true;
    each_record(r, s, reg) {
        r->members &= ~lanes;
        empty |= !r->members;
    }
    if (empty)
        sweep(s, reg);
    uint32_t made = take_record(w, s);
    if (made == BARRIER_NO_RECORD)
        return false;
    s->at[made] = (struct record){lanes, lanes, 0, RT_NOWHERE, s->first[reg], gathers};
    s->first[reg] = made;
    s->gathering |= gathers;
    return true;
}

/* stay: as members, which rejoin. */
static void cancel(struct rt_warp *w, struct barriers *s, uint32_t reg, uint64_t lanes, bool stay)
{
    bool empty = false;
    each_record(r, s, reg) {
        bool left = r->joined & lanes;
        r->joined &= ~lanes;
        r->members &= stay ? r->members : ~lanes;
        empty |= !r->members;
        if (left)
            check(w, s, r);
    }
    if (empty)
        sweep(s, reg);
}

/* Lanes of the group wait in the record, and will go on at `next`. */
static void arrive(struct rt_warp *w, struct barriers *s, struct record *r, uint64_t lanes, uint32_t next)
{
    if (r->waiting == 0) {
        r->pc = next;
    } else if (UNLIKELY(r->pc != next)) {
        rt_each_lane(i, r->waiting)
            s->pc[i] = r->pc == RT_NOWHERE ? s->pc[i] : r->pc;
        rt_each_lane(i, lanes)
            s->pc[i] = next;
        r->pc = RT_NOWHERE;
    }
    r->waiting |= lanes;
    save_scalars(w, s, lanes);
}

static bool is_complete(const struct record *r, uint32_t threshold)
{
    return r->waiting == r->joined || (threshold && count_lanes(r->waiting) >= threshold);
}

static bool is_ready_at(const struct barriers *s, uint32_t pc)
{
    for (uint32_t i = 0; i < s->ready_count && s->gathering; i++)
        if (s->ready[i].pc == pc)
            return true;
    return false;
}

/* The group arrives; `next` is where its lanes go on. Lanes that do not take part go on at once. */
static uint32_t wait(struct rt_warp *w, struct barriers *s, uint32_t reg, uint32_t threshold, uint32_t next)
{
    uint64_t left = w->active, joined;
    each_record(r, s, reg) {
        if (!(joined = r->joined & left))
            continue;
        arrive(w, s, r, joined, next);
        left &= ~joined;
        if (!is_complete(r, threshold))
            continue;
        if (LIKELY(joined == w->active && r->pc == next && !is_ready_at(s, next) && !s->copying)) {
            w->events->reconvergences += w->active != r->waiting;
            w->active = r->waiting;
            r->joined &= ~r->waiting;
            r->waiting = 0;
            s->slices = 0;
            return next;
        }
        release(w, s, r);
    }
    if (left == w->active)
        return next;
    if (left)
        suspend(w, s, left, next);
    return run_next(w, s);
}

/* The least of the records that lanes of the group take part in: if that is enough, all go on. */
static uint32_t arrived(struct rt_warp *w, uint32_t reg)
{
    struct barriers *s = w->scheme_data;
    uint32_t least = UINT32_MAX;
    each_record(r, s, reg) {
        uint32_t count = count_lanes(r->waiting | (r->joined & w->active));
        if (r->joined & w->active && count < least)
            least = count;
    }
    return least < UINT32_MAX ? least : count_lanes(w->active);
}

static uint32_t operate(struct rt_warp *w, const struct bc_ins *ins)
{
    struct barriers *s = w->scheme_data;
    uint32_t reg = ins->b, next = rt_index(w, ins) + 1;
    switch (ins->a) {
    case BC_CB_JOIN:
        if (LIKELY(join(w, s, reg, ins->imm)))
            break;
        w->stop = RT_TRAPPED;
        return RT_NOWHERE;
    case BC_CB_CANCEL: cancel(w, s, reg, w->active, ins->imm); break;
    case BC_CB_REJOIN:
        each_record(r, s, reg)
            r->joined |= r->members & w->active;
        break;
    default: return wait(w, s, reg, ins->imm, next);
    }
    return next;
}

/* ---- branches and ends ------------------------------------------------------------------------------- */

static uint32_t diverge(struct rt_warp *w, const struct rt_split *split)
{
    struct barriers *s = w->scheme_data;
    for (uint32_t i = split->n; i-- > 0;)
        suspend(w, s, split->mask[i], split->target[i]);
    note_depth(w, s);
    return run_next(w, s);
}

static uint32_t diverge_two(struct rt_warp *w, const struct bc_ins *ins, const struct bc_branch *branch,
                            uint64_t yes)
{
    struct barriers *s = w->scheme_data;
    uint64_t no = w->active & ~yes;
    suspend(w, s, no, branch->no);
    bool more = count_lanes(yes) >= count_lanes(no);
    if (LIKELY(s->ready_count == 1 && more && !s->copying) &&
        w->worker->launch->schedule == KERNC_SCHEDULE_LARGEST) {
        note_depth(w, s);
        w->active = yes;
        return branch->yes;
    }
    suspend(w, s, yes, branch->yes);
    note_depth(w, s);
    return run_next(w, s);
}

/* Lanes that end leave all barriers. */
static uint32_t leave(struct rt_warp *w)
{
    struct barriers *s = w->scheme_data;
    for (uint32_t i = 1; i < s->used; i++) {
        struct record *r = &s->at[i];
        bool left = r->joined & w->active;
        r->members &= ~w->active;
        r->joined &= ~w->active;
        if (left)
            check(w, s, r);
    }
    return run_next(w, s);
}

/* A time slice is over, behind which the group would go on at `pc`. */
static uint32_t expire(struct rt_warp *w, uint32_t pc)
{
    struct barriers *s = w->scheme_data;
    if (w->active == w->live || ++s->slices < (s->copying ? PATIENCE_AGAIN : PATIENCE))
        return pc;
    s->slices = 0;
    if (s->ready_count == 0 && !yield(w, s))
        return pc;
    copy_scalars(w, s);
    suspend(w, s, w->active, pc);
    return run_group(w, s, 0);
}

const struct rt_scheme rt_scheme_barrier = {
    .data_bytes = barrier_data_bytes,
    .start = barrier_start,
    .diverge_two = diverge_two,
    .diverge = diverge,
    .exit = leave,
    .op = operate,
    .arrived = arrived,
    .expire = expire,
};
