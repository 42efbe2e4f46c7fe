/* hanoi.c: the control flow of GPUs from Turing on: barrier registers and a stack of warp splits (M. Abaie
 * Shoushtary, J. Tubella Murgadas, A. Gonzalez, "Control Flow Management in Modern GPUs", 2024).
 *
 * Lanes that run together are a *warp split*. The running one goes on until it waits, ends or yields; then
 * the one on top of the stack runs. A branch at which lanes diverge pushes one for each side, the first last.
 *
 *   BSSY B     (cb.join)    the running lanes take part in B
 *   BSYNC B    (cb.wait)    lanes that take part in B wait until all that do have come, and go on as one split
 *   BREAK B    (cb.cancel)  the running lanes take part in B no more
 *   YIELD                   the running split goes to the bottom of the stack. No instruction here: a split
 *                           yields that has done nothing but spin for PATIENCE time slices
 *
 * A register is one mask for the warp. That is enough because splits run last in, first out: before lanes of
 * a lower split come to a BSSY, all in its register have come to the BSYNC, broken or ended.
 *
 * Invariants. Splits on the stack, the running one, the one at a barrier() and the waiting lanes are disjoint
 * and together the live lanes. waiting, alone ⊆ joined; a lane waits at one register at most. No register has
 * waiting == joined but while an operation is executed, unless both are empty.
 *
 * A group that comes to `barrier()` before all others is held and leaves all registers, as if it had ended.
 *
 * After a yield lanes may be anywhere: those that wait at one register may go on at several places, and
 * where all wait a register is given up. From then on, and while a group is held, splits keep copies of the
 * scalars, which the code takes to be shared by lanes that barriers hold together.
 */
#include "runtime/core/lanes.h"
#include "runtime/launch/watch.h"
#include "runtime/schemes/scheme.h"

/* Time slices of spinning after which a split yields: the first time, and again. */
enum { PATIENCE = 64, PATIENCE_AGAIN = 1 };

struct split {
    uint64_t lanes;
    uint32_t pc;
};
struct barrier_register {
    uint64_t joined, waiting;
    uint64_t alone; /* took part together with lanes that are held: *released* (pdom.c) as they go on */
};
struct hanoi {
    uint32_t depth, registers, scalars;
    uint32_t spinning;             /* time slices in which the warp did nothing but spin */
    bool copying;                  /* splits keep copies of the scalars */
    struct split at[RT_MAX_LANES]; /* the stack */
    struct split at_barrier;       /* no lanes: none is */
    uint32_t pc[RT_MAX_LANES];     /* where a waiting lane goes on */
    uint64_t *copies;              /* once copying: the scalars of each lane that does not run */
    struct barrier_register b[];
};

static size_t register_bytes(uint32_t registers)
{
    return sizeof(struct hanoi) + registers * sizeof(struct barrier_register);
}

static size_t data_bytes(const struct bc_program *p, uint32_t lanes)
{
    return register_bytes(rt_count_barriers(p)) + (size_t)lanes * rt_most_scalars(p) * sizeof(uint64_t);
}

static void start(struct rt_warp *w)
{
    struct hanoi *s = w->scheme_data;
    if (!s->copies) {
        s->registers = rt_count_barriers(w->worker->launch->program);
        s->scalars = w->worker->launch->kernel->scalars;
        s->copies = (uint64_t *)(void *)((uint8_t *)w->scheme_data + register_bytes(s->registers));
    }
    memset(s->b, 0, s->registers * sizeof *s->b);
    s->depth = s->spinning = 0;
    s->copying = false;
    w->released = s->at_barrier.lanes = 0;
}

/* ---- splits ------------------------------------------------------------------------------------------ */

static void save_scalars(struct rt_warp *w, struct hanoi *s, uint64_t lanes)
{
    rt_each_lane(i, lanes)
        memcpy(s->copies + i * s->scalars, w->S, s->scalars * sizeof *w->S);
}

static void copy_scalars(struct rt_warp *w, struct hanoi *s)
{
    if (!s->copying)
        save_scalars(w, s, w->launched);
    s->copying = true;
}

/* The lanes' scalars have been saved, if they are copied. */
static void push(struct rt_warp *w, struct hanoi *s, uint64_t lanes, uint32_t pc)
{
    INVARIANT(s->depth < RT_MAX_LANES);
    s->at[s->depth++] = (struct split){lanes, pc};
    if (UNLIKELY(w->events->max_stack_depth < s->depth))
        w->events->max_stack_depth = s->depth;
}

/* The same of running lanes. */
static void suspend(struct rt_warp *w, struct hanoi *s, uint64_t lanes, uint32_t pc)
{
    if (UNLIKELY(s->copying))
        save_scalars(w, s, lanes);
    push(w, s, lanes, pc);
}

static uint32_t run(struct rt_warp *w, struct hanoi *s, struct split x)
{
    w->active = x.lanes;
    if (UNLIKELY(s->copying))
        memcpy(w->S, s->copies + (size_t)rt_lowest(x.lanes) * s->scalars, s->scalars * sizeof *w->S);
    return x.pc;
}

/* The lanes that wait go on, those at one place as one split. */
static void release(struct rt_warp *w, struct hanoi *s, struct barrier_register *b)
{
    uint64_t lanes = b->waiting, same;
    w->released |= b->alone & lanes;
    b->joined &= ~lanes;
    b->alone &= ~lanes;
    b->waiting = 0;
    w->events->reconvergences++;
    for (; lanes; lanes &= ~same) {
        uint32_t pc = s->pc[rt_lowest(lanes)];
        same = 0;
        rt_each_lane(i, lanes)
            same |= (uint64_t)(s->pc[i] == pc) << i;
        push(w, s, same, pc);
    }
}

/* The lanes, which run, are in the barrier no more. */
static void leave_barrier(struct rt_warp *w, struct hanoi *s, struct barrier_register *b, uint64_t lanes)
{
    bool left = b->joined & lanes;
    b->joined &= ~lanes;
    b->alone &= ~lanes;
    if (left && b->waiting && b->waiting == b->joined)
        release(w, s, b);
}

static void leave_all(struct rt_warp *w, struct hanoi *s, uint64_t lanes)
{
    for (uint32_t r = 0; r < s->registers; r++)
        leave_barrier(w, s, &s->b[r], lanes);
}

/* Where all wait for each other, the lanes of the register at which most do go on. False: none wait. */
static bool give_up(struct rt_warp *w, struct hanoi *s)
{
    struct barrier_register *most = NULL;
    for (uint32_t r = 0; r < s->registers; r++) {
        uint64_t waiting = s->b[r].waiting;
        if (waiting && (!most || __builtin_popcountll(waiting) > __builtin_popcountll(most->waiting)))
            most = &s->b[r];
    }
    if (!most)
        return false;
    w->events->yields++;
    copy_scalars(w, s);
    release(w, s, most);
    return true;
}

static uint32_t run_next(struct rt_warp *w, struct hanoi *s)
{
    if (LIKELY(s->depth) || give_up(w, s))
        return run(w, s, s->at[--s->depth]);
    struct split at_barrier = s->at_barrier;
    if (!at_barrier.lanes)
        BUG("live lanes in no split");
    s->at_barrier.lanes = 0;
    w->released = 0;
    for (uint32_t r = 0; r < s->registers; r++)
        s->b[r].alone = 0;
    return run(w, s, at_barrier);
}

/* ---- instructions ------------------------------------------------------------------------------------ */

static bool bssy(struct rt_warp *w, const struct bc_ins *ins)
{
    ((struct hanoi *)w->scheme_data)->b[ins->b].joined |= w->active;
    return true;
}

static bool break_(struct rt_warp *w, const struct bc_ins *ins)
{
    struct hanoi *s = w->scheme_data;
    leave_barrier(w, s, &s->b[ins->b], w->active);
    return true;
}

static uint32_t bsync(struct rt_warp *w, const struct bc_ins *ins)
{
    struct hanoi *s = w->scheme_data;
    struct barrier_register *b = &s->b[ins->b];
    uint64_t come = w->active & b->joined, others = w->active & ~come;
    uint32_t next = rt_index(w, ins) + 1;
    if (!come)
        return next;
    if (come == b->joined && !others) { /* nobody else takes part */
        w->released |= b->alone;
        b->joined = b->alone = 0;
        return next;
    }
    if (UNLIKELY(s->copying))
        save_scalars(w, s, come);
    rt_each_lane(i, come)
        s->pc[i] = next;
    b->waiting |= come;
    if (others)
        suspend(w, s, others, next);
    if (b->waiting == b->joined)
        release(w, s, b);
    return run_next(w, s);
}

static uint32_t diverge(struct rt_warp *w, const struct rt_split *split)
{
    struct hanoi *s = w->scheme_data;
    for (uint32_t i = split->n; i-- > 0;)
        suspend(w, s, split->mask[i], split->target[i]);
    return run_next(w, s);
}

static uint32_t leave(struct rt_warp *w)
{
    leave_all(w, w->scheme_data, w->active);
    return run_next(w, w->scheme_data);
}

static uint32_t hold(struct rt_warp *w, uint32_t pc)
{
    struct hanoi *s = w->scheme_data;
    if (s->at_barrier.lanes)
        return pc;
    copy_scalars(w, s);
    save_scalars(w, s, w->active);
    s->at_barrier = (struct split){w->active, pc};
    for (uint32_t r = 0; r < s->registers; r++)
        s->b[r].alone = s->b[r].joined & w->active ? s->b[r].joined & ~w->active : 0;
    leave_all(w, s, w->active);
    return run_next(w, s);
}

/* YIELD, if the split is to. */
static uint32_t expire(struct rt_warp *w, uint32_t pc)
{
    struct hanoi *s = w->scheme_data;
    uint32_t patience = s->copying ? PATIENCE_AGAIN : PATIENCE;
    s->spinning = w->polled && !w->changed ? s->spinning + 1 : 0;
    w->polled = w->changed = false;
    if (w->active == w->live || s->spinning < patience)
        return pc;
    s->spinning = 0;
    w->events->yields += s->depth > 0;
    if (s->depth == 0 && !give_up(w, s))
        return pc;
    copy_scalars(w, s);
    save_scalars(w, s, w->active);
    struct split top = s->at[s->depth - 1];
    memmove(s->at + 1, s->at, (s->depth - 1) * sizeof *s->at);
    s->at[0] = (struct split){w->active, pc};
    return run(w, s, top);
}

/* ---- what the warp's state is ------------------------------------------------------------------------ */

static void digest(const struct rt_warp *w, struct rt_digest *d)
{
    const struct hanoi *s = w->scheme_data;
    size_t head = sizeof *s, all = data_bytes(w->worker->launch->program, w->lanes);
    struct hanoi now = *s;
    now.spinning = s->spinning < PATIENCE ? s->spinning : PATIENCE;
    rt_digest_bytes(d, &now, head);
    rt_digest_bytes(d, (const uint8_t *)w->scheme_data + head, all - head);
}

/* ---- what a watched warp tells ----------------------------------------------------------------------- */

static void groups(const struct rt_warp *w, uint64_t running, struct rt_groups *g)
{
    const struct hanoi *s = w->scheme_data;
    for (uint32_t r = 0; r < s->registers; r++) {
        uint32_t first = g->list.count;
        if (s->b[r].waiting)
            rt_add_lanes(g, KERNC_WAIT_BARRIER, s->b[r].waiting, s->pc);
        else if (s->b[r].joined)
            rt_add_group(g, KERNC_WAIT_BARRIER, 0, RT_NOWHERE);
        for (uint32_t i = first; i < g->list.count; i++) {
            g->list.at[i].barrier = r;
            g->list.at[i].joined = s->b[r].joined;
        }
    }
    if (s->at_barrier.lanes)
        rt_add_group(g, KERNC_WAIT_OTHERS, s->at_barrier.lanes, s->at_barrier.pc);
    for (uint32_t i = 0; i < s->depth; i++)
        rt_add_group(g, KERNC_WAIT_TURN, s->at[i].lanes, s->at[i].pc);
}

const struct rt_scheme rt_scheme_hanoi = {
    .data_bytes = data_bytes,
    .start = start,
    .diverge = diverge,
    .exit = leave,
    .op = {[BC_CB_JOIN] = bssy, [BC_CB_CANCEL] = break_},
    .wait = bsync,
    .expire = expire,
    .hold = hold,
    .digest = digest,
    .groups = groups,
};
