/* divergence.c: see divergence.h. */
#include "runtime/warpcore/divergence.h"

void rt_divergence_start(struct rt_divergence *d, enum wc_mode mode, uint8_t lanes, uint16_t pc)
{
    *d = (struct rt_divergence){.pc = pc, .active = lanes, .live = lanes, .mode = (uint8_t)mode};
}

static struct rt_divergence_entry *top_of(struct rt_divergence *d)
{
    return d->depth ? &d->stack[d->depth - 1] : NULL;
}

static bool push(struct rt_divergence *d, uint8_t pending, uint16_t target, uint16_t key, uint16_t reconverge)
{
    if (d->depth == WC_STACK)
        return false;
    d->stack[d->depth++] = (struct rt_divergence_entry){
        .saved = d->active, .pending = pending, .target = target, .key = key, .reconverge = reconverge};
    if (d->deepest < d->depth)
        d->deepest = d->depth;
    return true;
}

static enum rt_divergence_event swap(struct rt_divergence *d, struct rt_divergence_entry *top)
{
    if (!(top->pending & d->live))
        return RT_NO_LANES;
    d->active = top->pending & d->live;
    d->pc = top->target;
    top->pending = 0;
    top->phase = 1;
    return RT_SWAPPED;
}

/* ---- mode frontier: a sorted stack ------------------------------------------------------------------- */

/* The lanes wait at the word. There are at most as many entries as lanes. */
static void wait_at(struct rt_divergence *d, uint8_t lanes, uint16_t word)
{
    unsigned i = d->depth;
    while (i && d->stack[i - 1].target < word)
        i--;
    if (i && d->stack[i - 1].target == word) {
        d->stack[i - 1].pending |= lanes;
        return;
    }
    memmove(&d->stack[i + 1], &d->stack[i], (d->depth - i) * sizeof d->stack[0]);
    d->stack[i] = (struct rt_divergence_entry){.pending = lanes, .target = word};
    d->depth++;
}

static void run_lowest(struct rt_divergence *d)
{
    const struct rt_divergence_entry *top = &d->stack[--d->depth];
    d->active = top->pending;
    d->pc = top->target;
    if (d->deepest < d->depth)
        d->deepest = d->depth;
}

static enum rt_divergence_event diverge_sorted(struct rt_divergence *d, uint8_t taken, uint8_t other,
                                               uint16_t target, uint16_t reconverge)
{
    if (reconverge == WC_NONE)
        return RT_NOT_UNIFORM;
    wait_at(d, other, reconverge);
    wait_at(d, taken, target);
    run_lowest(d);
    return RT_DIVERGED;
}

static enum rt_divergence_event look_for_others(struct rt_divergence *d)
{
    const struct rt_divergence_entry *top = top_of(d);
    if (!top || top->target > d->pc) {
        d->pc++;
        return RT_WENT_ON;
    }
    if (top->target == d->pc) {
        d->active |= top->pending;
        d->depth--;
        d->pc++;
        return RT_JOINED;
    }
    wait_at(d, d->active, d->pc);
    run_lowest(d);
    return RT_SWAPPED;
}

/* ---- branches ---------------------------------------------------------------------------------------- */

/* Neither `taken` nor `other` is empty. Branches that name no reconvergence point are those that must be
 * uniform. An entry that reconverges at the same place is shared where it can be: lanes that are there
 * already need nothing but its saved mask; others wait in it if it has room for their target. */
static enum rt_divergence_event diverge_rpc(struct rt_divergence *d, uint8_t taken, uint8_t other,
                                            uint16_t target, uint16_t reconverge)
{
    struct rt_divergence_entry *top = top_of(d);
    uint16_t next = d->pc + 1;
    bool shared = top && top->key == reconverge;
    if (reconverge == WC_NONE)
        return RT_NOT_UNIFORM;
    if (target == reconverge || next == reconverge) {
        if (!shared && !push(d, 0, 0, reconverge, reconverge))
            return RT_STACK_FULL;
        d->active = target == reconverge ? other : taken;
        d->pc = target == reconverge ? next : target;
        return RT_DIVERGED;
    }
    if (shared && (top->pending == 0 || top->target == target)) {
        top->pending |= taken;
        top->target = target;
    } else if (!push(d, taken, target, reconverge, reconverge))
        return RT_STACK_FULL;
    d->active = other;
    d->pc = next;
    return RT_DIVERGED;
}

/* A branch that finds its own entry on the top is that of a loop: lanes that leave wait with those before
 * them. */
static enum rt_divergence_event part_source(struct rt_divergence *d, uint8_t taken, uint8_t other,
                                            uint16_t target, uint16_t reconverge)
{
    struct rt_divergence_entry *top = top_of(d);
    if (top && top->key == d->pc)
        top->pending |= taken;
    else if (!push(d, taken, target, d->pc, reconverge))
        return RT_STACK_FULL;
    d->active = other;
    d->pc++;
    return RT_DIVERGED;
}

enum rt_divergence_event rt_divergence_branch(struct rt_divergence *d, uint8_t p, uint16_t target,
                                              uint16_t reconverge)
{
    uint8_t taken = d->active & p, other = d->active & ~p;
    if (!other) {
        d->pc = target;
        return RT_WENT_ON;
    }
    if (!taken) {
        bool named = d->mode == WC_MODE_FRONTIER && reconverge != WC_NONE;
        d->pc = named ? reconverge : d->pc + 1;
        return RT_WENT_ON;
    }
    if (d->mode == WC_MODE_FRONTIER)
        return diverge_sorted(d, taken, other, target, reconverge);
    return d->mode == WC_MODE_RPC ? diverge_rpc(d, taken, other, target, reconverge)
                                  : part_source(d, taken, other, target, reconverge);
}

/* As published it pushes whatever the predicate. */
enum rt_divergence_event rt_divergence_diverge(struct rt_divergence *d, uint8_t p, uint16_t target,
                                               uint16_t reconverge)
{
    uint8_t stay = d->active & p;
    if (d->mode != WC_MODE_ARTICLE)
        return rt_divergence_branch(d, (uint8_t)~p, target, reconverge);
    if (!stay)
        return RT_EMPTY_DIVERGE;
    if (!push(d, d->active & ~p, target, d->pc, reconverge))
        return RT_STACK_FULL;
    d->active = stay;
    d->pc++;
    return RT_DIVERGED;
}

/* ---- reconvergence ----------------------------------------------------------------------------------- */

/* Pops the top. In rpc mode the warp stays here while the next entry reconverges here as well. */
static enum rt_divergence_event join(struct rt_divergence *d)
{
    d->active = d->stack[--d->depth].saved & d->live;
    const struct rt_divergence_entry *top = top_of(d);
    if (d->mode != WC_MODE_RPC || !top || top->key != d->pc)
        d->pc++;
    return RT_JOINED;
}

enum rt_divergence_event rt_divergence_converge(struct rt_divergence *d, uint16_t source)
{
    if (d->mode == WC_MODE_FRONTIER)
        return look_for_others(d);
    struct rt_divergence_entry *top = top_of(d);
    bool rpc = d->mode == WC_MODE_RPC;
    if (!top || (d->mode != WC_MODE_ARTICLE && top->key != (rpc ? d->pc : source))) {
        d->pc++;
        return RT_WENT_ON;
    }
    if (rpc)
        return top->pending ? swap(d, top) : join(d);
    return top->phase == 0 && top->target != d->pc ? swap(d, top) : join(d);
}

/* No lane is active: those of the stack that are next. */
static enum rt_divergence_event unwind(struct rt_divergence *d)
{
    if (d->mode == WC_MODE_FRONTIER && d->depth) {
        run_lowest(d);
        return RT_SWAPPED;
    }
    for (;;) {
        struct rt_divergence_entry *top = top_of(d);
        if (!top)
            return d->live ? RT_LANES_LOST : RT_ENDED;
        if (top->pending & d->live)
            return swap(d, top);
        uint8_t waiting = top->saved & d->live;
        d->depth--;
        if (!waiting)
            continue;
        if (d->mode == WC_MODE_ARTICLE || top->reconverge == WC_NONE)
            return RT_LANES_LOST;
        d->active = waiting;
        d->pc = top->reconverge;
        return RT_JOINED;
    }
}

enum rt_divergence_event rt_divergence_exit(struct rt_divergence *d, uint8_t lanes)
{
    d->live &= ~lanes;
    d->active &= ~lanes;
    if (d->active) {
        d->pc++;
        return RT_WENT_ON;
    }
    struct rt_divergence before = *d;
    enum rt_divergence_event event = unwind(d);
    if (event >= RT_FIRST_FAULT)
        *d = before;
    return event;
}
