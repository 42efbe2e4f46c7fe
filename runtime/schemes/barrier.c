/* barrier.c: convergence barriers: one program counter a lane, barrier registers, and a scheduler of groups
 * ("Speculative Reconvergence", Table 1; the GPUs after Volta).
 *
 * Lanes that run together are a group; the running one is w->active, the others are ready, or wait at a
 * barrier. Groups become one where a barrier releases lanes that wait at the same place; and where they are
 * ready at the same place and in the same record of a barrier that gathers, as a prediction's does.
 *
 * A barrier register names a *record* for each set of lanes that joined it together: a register in a loop or
 * in a function that several groups execute at different times keeps them separate. A lane is a member of the
 * record that it joined last, until it cancels; it takes part in it until it waits there and is released,
 * cancels, or ends, and again after it has rejoined.
 *
 * Invariants. Ready groups, the running one, the one at a barrier() and the lanes that wait are disjoint and
 * together the live lanes. Records of a register have disjoint members and joined lanes; waiting ⊆ joined; of
 * registers that lanes rejoin, joined ⊆ members. A lane waits in one record at most. No record has waiting ==
 * joined but while an operation is executed, unless both are empty.
 *
 * Nearly always one set of lanes uses a register at a time, in its first record, and all lanes of a group take
 * part: operations try that first.
 *
 * Forward progress. Where all lanes wait the barrier with the most waiting lanes is given up: a yield. A group
 * that has been ready for PATIENCE time slices runs. Where none is ready, lanes that wait may be what the
 * running ones spin for: if these have done nothing but spin for as long, a barrier is given up as well. Lanes
 * spin by atomics (docs/language.md) that leave memory as it is; for those that compute, however long, others
 * wait. From then on groups may be anywhere, so that each keeps a copy of the scalars, which the code takes to
 * be shared by lanes that barriers hold together.
 */
#include "runtime/schemes/barrier.h"

/* ---- records ----------------------------------------------------------------------------------------- */

static inline struct record *next_record(struct barriers *s, const struct record *r)
{
    return r->next == BARRIER_NO_RECORD ? NULL : &s->at[r->next];
}
#define each_record(r, s, reg) for (struct record *r = &(s)->at[reg]; r; r = next_record(s, r))

/* BARRIER_NO_RECORD: the launch would take more memory than it may. */
static uint32_t take_record(struct rt_warp *w, struct barriers *s)
{
    uint32_t r = s->free;
    if (r == BARRIER_NO_RECORD)
        return s->used < s->capacity || barrier_more_records(w, s) ? s->used++ : BARRIER_NO_RECORD;
    s->free = s->at[r].next;
    return r;
}

static bool is_unused(const struct barriers *s, uint32_t reg, const struct record *r)
{
    return !r->joined && !(s->rejoins[reg] && r->members);
}

/* Frees the register's unused records but the first. */
static void sweep(struct barriers *s, uint32_t reg)
{
    for (uint32_t *at = &s->at[reg].next; *at != BARRIER_NO_RECORD;) {
        uint32_t r = *at;
        if (!is_unused(s, reg, &s->at[r])) {
            at = &s->at[r].next;
            continue;
        }
        *at = s->at[r].next;
        s->at[r] = (struct record){.next = s->free};
        s->free = r;
    }
}

/* Releases those who wait if nobody else takes part. */
static void check(struct rt_warp *w, struct barriers *s, struct record *r)
{
    if (r->waiting && r->waiting == r->joined)
        barrier_release(w, s, r);
}

/* ---- operations -------------------------------------------------------------------------------------- */

/* Lanes of the group that are in none of the register's records get one. False: out of memory. */
static __attribute__((noinline)) bool join_several(struct rt_warp *w, struct barriers *s, uint32_t reg,
                                                   bool gathers)
{
    uint64_t lanes = w->active;
    each_record(r, s, reg)
        lanes &= ~r->joined;
    if (!lanes)
        return true;
    each_record(r, s, reg)
        r->members &= ~lanes;
    sweep(s, reg);
    uint32_t made = reg;
    if (!is_unused(s, reg, &s->at[reg])) {
        made = take_record(w, s);
        if (made == BARRIER_NO_RECORD) {
            w->stop = RT_TRAPPED;
            return false;
        }
        s->at[made].next = s->at[reg].next;
        s->at[reg].next = made;
    }
    s->at[made] = (struct record){
        .joined = lanes, .members = lanes, .pc = RT_NOWHERE, .next = s->at[made].next, .gathers = gathers};
    return true;
}

/* False: out of memory, the warp has trapped. */
static inline bool join(struct rt_warp *w, uint32_t reg, bool gathers)
{
    struct barriers *s = w->scheme_data;
    struct record *r = &s->at[reg];
    uint64_t lanes = w->active;
    if (LIKELY(r->next == BARRIER_NO_RECORD && !r->joined && !(r->members & ~lanes && s->rejoins[reg]))) {
        r->joined = r->members = lanes;
        r->gathers = gathers;
        return true;
    }
    return !(lanes & ~r->joined) || join_several(w, s, reg, gathers);
}

static bool execute_join(struct rt_warp *w, const struct bc_ins *ins)
{
    struct barriers *s = w->scheme_data;
    s->any_gathers |= ins->d;
    return join(w, ins->b, ins->d);
}

static bool rejoin(struct rt_warp *w, const struct bc_ins *ins)
{
    struct barriers *s = w->scheme_data;
    each_record(r, s, ins->b)
        r->joined |= r->members & w->active;
    return true;
}

static bool is_complete(const struct record *r, uint32_t threshold)
{
    return r->waiting == r->joined || (threshold && r->arrived >= threshold);
}

/* Whether some lane of the group would have to wait for others. */
static bool has_to_wait(const struct rt_warp *w, struct barriers *s, uint32_t reg, uint32_t threshold)
{
    each_record(r, s, reg) {
        uint64_t come = r->joined & w->active;
        uint32_t count = come == w->active ? w->active_count : barrier_count_lanes(come);
        if (come && (r->waiting | come) != r->joined && r->arrived + count < threshold)
            return true;
    }
    return false;
}

static bool cancel(struct rt_warp *w, const struct bc_ins *ins)
{
    struct barriers *s = w->scheme_data;
    uint64_t lanes = w->active;
    bool stay = ins->d; /* as members, which rejoin */
    if (ins->imm && !has_to_wait(w, s, ins->c, ins->imm))
        return true;
    each_record(r, s, ins->b) {
        bool left = r->joined & lanes;
        r->joined &= ~lanes;
        r->members &= stay ? r->members : ~lanes;
        if (left)
            check(w, s, r);
    }
    return true;
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
    r->arrived += barrier_count_lanes(lanes);
    if (UNLIKELY(s->copying))
        barrier_save_scalars(w, s, lanes);
}

/* The group arrives. Lanes that do not take part go on at once. */
static __attribute__((noinline)) uint32_t wait_several(struct rt_warp *w, struct barriers *s,
                                                       const struct bc_ins *ins)
{
    uint32_t next = rt_index(w, ins) + 1;
    uint64_t left = w->active, joined;
    each_record(r, s, ins->b) {
        if (!(joined = r->joined & left))
            continue;
        arrive(w, s, r, joined, next);
        left &= ~joined;
        if (is_complete(r, ins->imm))
            barrier_release(w, s, r);
    }
    each_record(r, s, ins->b)
        r->joined |= ins->d ? r->members & left : 0;
    if (left == w->active)
        return next;
    if (left)
        barrier_suspend(w, s, left, barrier_count_lanes(left), next);
    return barrier_run_next(w, s);
}

static __attribute__((noinline)) uint32_t release_and_run(struct rt_warp *w, struct barriers *s,
                                                          struct record *r, uint32_t next)
{
    r->pc = next;
    barrier_release(w, s, r);
    return barrier_run_next(w, s);
}

/* The same, where all lanes of the group take part in one record: if they are the last to come, all go on as
 * the running group. */
static uint32_t wait(struct rt_warp *w, const struct bc_ins *ins)
{
    struct barriers *s = w->scheme_data;
    struct record *r = &s->at[ins->b];
    uint32_t next = rt_index(w, ins) + 1;
    while (!(w->active & r->joined)) {
        if (r->next == BARRIER_NO_RECORD)
            return ins->d ? wait_several(w, s, ins) : next;
        r = &s->at[r->next];
    }
    bool alone = r->waiting == 0;
    if (UNLIKELY(w->active & ~r->joined || s->copying || (!alone && r->pc != next)))
        return wait_several(w, s, ins);
    r->waiting |= w->active;
    r->arrived += w->active_count;
    if (!is_complete(r, ins->imm)) {
        r->pc = next;
        return barrier_run_next(w, s);
    }
    if (UNLIKELY(barrier_may_gather(s, next)))
        return release_and_run(w, s, r, next);
    w->events->reconvergences += !alone;
    w->active = r->waiting;
    r->joined &= ins->d ? r->joined : ~r->waiting;
    r->waiting = 0;
    r->arrived = 0;
    return next;
}

/* ---- branches and ends ------------------------------------------------------------------------------- */

/* Lanes that diverge at a branch join the barrier where it reconverges, if there is a wait. False: out of
 * memory. */
static inline bool join_at(struct rt_warp *w, uint32_t reconverge)
{
    if (reconverge == BC_NO_TARGET)
        return true;
    const struct bc_ins *wait = w->code + reconverge + 1;
    while (UNLIKELY(wait->op >= BC_splat_v && wait->op <= BC_spread_m))
        wait++; /* of the block's parameters */
    return wait->op != BC_wait || join(w, wait->b, false);
}

/* Whether a side of a branch, `count` lanes, goes to block `target` only to wait there for others: it has
 * executed the block, as it would have had its turn come, without being made a group. */
static inline bool waits_at_once(struct rt_warp *w, struct barriers *s, uint64_t lanes, uint32_t count,
                                 uint32_t target)
{
    const struct bc_ins *block = w->code + target, *wait = block + 1;
    if (wait->op != BC_wait || wait->imm || s->copying || barrier_may_gather(s, target))
        return false;
    struct record *r = &s->at[wait->b];
    if (lanes & ~r->joined || (r->waiting | lanes) == r->joined || (r->waiting && r->pc != target + 2))
        return false;
    struct rt_count *counts = &w->counts[block->imm];
    counts->some++;
    counts->threads += count;
    w->events->widths[count] += counts->instructions;
    w->fuel -= counts->instructions;
    w->cycles += counts->cycles;
    r->waiting |= lanes;
    r->arrived += count;
    r->pc = target + 2;
    return true;
}

/* A side of a branch. */
struct side {
    uint64_t lanes;
    uint32_t count, target;
};

static inline void go_later(struct rt_warp *w, struct barriers *s, struct side x)
{
    if (!waits_at_once(w, s, x.lanes, x.count, x.target))
        barrier_suspend(w, s, x.lanes, x.count, x.target);
}

static inline void note_depth(struct rt_warp *w, const struct barriers *s)
{
    if (UNLIKELY(w->events->max_stack_depth < s->ready_count))
        w->events->max_stack_depth = s->ready_count;
}

static uint32_t diverge(struct rt_warp *w, const struct rt_split *split)
{
    struct barriers *s = w->scheme_data;
    if (w->code[split->pc].op != BC_icall && !join_at(w, split->reconverge))
        return RT_NOWHERE;
    for (uint32_t i = split->n; i-- > 0;) {
        uint64_t lanes = split->mask[i];
        go_later(w, s, (struct side){lanes, barrier_count_lanes(lanes), split->target[i]});
    }
    note_depth(w, s);
    return barrier_run_next(w, s);
}

/* The larger side runs at once unless a group is ready that is larger still. */
static uint32_t diverge_two(struct rt_warp *w, const struct bc_ins *ins, const struct bc_branch *branch,
                            uint64_t yes, uint32_t takers)
{
    struct barriers *s = w->scheme_data;
    if (UNLIKELY(!join_at(w, branch->reconverge)))
        return RT_NOWHERE;
    struct side larger = {yes, takers, branch->yes};
    struct side other = {w->active & ~yes, w->active_count - takers, branch->no};
    if (takers < other.count && s->by_size) {
        struct side no = other;
        other = larger;
        larger = no;
    }
    go_later(w, s, other);
    note_depth(w, s);
    uint32_t most = s->ready_count ? s->ready[s->ready_count - 1].rank : 0;
    if (LIKELY(s->by_size && most <= larger.count && !s->copying && !barrier_may_gather(s, larger.target)) &&
        w->code[larger.target + 1].op != BC_wait) {
        w->active = larger.lanes;
        return larger.target;
    }
    go_later(w, s, larger);
    note_depth(w, s);
    return barrier_run_next(w, s);
}

void barrier_leave(struct rt_warp *w, struct barriers *s, uint64_t lanes)
{
    for (uint32_t i = 0; i < s->used; i++) {
        struct record *r = &s->at[i];
        bool left = r->joined & lanes;
        r->members &= ~lanes;
        r->joined &= ~lanes;
        if (left)
            check(w, s, r);
    }
}

static uint32_t leave(struct rt_warp *w)
{
    struct barriers *s = w->scheme_data;
    barrier_leave(w, s, w->active);
    return barrier_run_next(w, s);
}

/* Counts the time slice that is over. */
static void note_slice(struct rt_warp *w, struct barriers *s)
{
    s->age = (s->age / BARRIER_SLICE + 1) * BARRIER_SLICE;
    s->spinning = w->polled && !w->changed ? s->spinning + 1 : 0;
    w->polled = w->changed = false;
}

/* A time slice is over, behind which the group would go on at `pc`. */
static uint32_t expire(struct rt_warp *w, uint32_t pc)
{
    struct barriers *s = w->scheme_data;
    uint64_t patience = s->copying ? BARRIER_PATIENCE_AGAIN : BARRIER_PATIENCE;
    note_slice(w, s);
    if (w->active == w->live || (s->ready_count ? barrier_longest_ready(s) : s->spinning) < patience)
        return pc;
    s->spinning = 0;
    if (s->ready_count == 0 && !barrier_yield(w, s))
        return pc;
    barrier_copy_scalars(w, s);
    barrier_suspend(w, s, w->active, w->active_count, pc);
    return barrier_run_oldest(w, s);
}

const struct rt_scheme rt_scheme_barrier = {
    .data_bytes = barrier_data_bytes,
    .start = barrier_start,
    .diverge_two = diverge_two,
    .diverge = diverge,
    .exit = leave,
    .op = {[BC_CB_JOIN] = execute_join, [BC_CB_CANCEL] = cancel, [BC_CB_REJOIN] = rejoin},
    .wait = wait,
    .expire = expire,
    .hold = barrier_hold,
    .digest = barrier_digest,
    .groups = barrier_groups,
};
