/* core_flow.h: control flow: runs begin and end here; warp operations, control registers, services. Part of
 * core.c. */

/* What follows from the mask. */
static inline void refresh(struct rt_sim_warp *w)
{
    CHUNK_LOOP(c, WC_LANES / CHUNK_32)
    lanes_store(w->lane_mask + c * CHUNK_32, lanes_expand32(ACTIVE, c));
    w->active_count = (uint32_t)__builtin_popcount(ACTIVE);
    w->code = w->codes[ACTIVE == w->flow.live];
}

/* ---- runs -------------------------------------------------------------------------------------------- */

static inline const struct rt_sim_ins *begin(struct rt_sim_warp *w, const struct rt_sim_ins *at)
{
    w->begin = at;
    return at;
}

/* The warp stops for a while and goes on at `at`. */
static const struct rt_sim_ins *suspend(struct rt_sim_warp *w, const struct rt_sim_ins *at, enum rt_stop why)
{
    w->flow.pc = (uint16_t)at->word;
    w->stop = why;
    return NULL;
}

#define GO_RUN(to)                                                                                           \
    do {                                                                                                     \
        const struct rt_sim_ins *run_ = begin(w, to);                                                        \
        if (UNLIKELY(w->fuel <= 0))                                                                          \
            return suspend(w, run_, RT_SLICE);                                                               \
        GO(run_);                                                                                            \
    } while (0)

/* ---- the divergence unit ----------------------------------------------------------------------------- */

/* Ends the run, and has the unit see where the warp is. */
static inline void enter_unit(struct rt_sim_warp *w, const struct rt_sim_ins *pc)
{
    rt_sim_end_run(w, pc);
    w->begin = NULL;
    w->flow.pc = (uint16_t)pc->word;
}

/* After the unit. */
static const struct rt_sim_ins *leave_unit(struct rt_sim_warp *w, const struct rt_sim_ins *pc,
                                           enum rt_divergence_event event)
{
    struct rt_sim_tally *t = w->tally;
    if (UNLIKELY(event >= RT_FIRST_FAULT)) {
        rt_sim_fault_event(w, pc, event);
        return NULL;
    }
    if (event == RT_ENDED) {
        w->stop = RT_DONE;
        return NULL;
    }
    t->joined += event == RT_JOINED;
    t->deepest = w->flow.deepest > t->deepest ? w->flow.deepest : t->deepest;
    refresh(w);
    GO_RUN(w->code + w->flow.pc);
}

/* The divergence stack is written; lanes diverge if they disagree. */
static void charge_divergence(struct rt_sim_warp *w, const struct rt_sim_ins *pc, bool diverges)
{
    w->tally->divergences[pc->word] += diverges;
    rt_sim_charge(w, pc, w->sim->timing.parameter[WC_DIVERGE]);
}

static __attribute__((noinline)) const struct rt_sim_ins *diverge(struct rt_sim_warp *w,
                                                                  const struct rt_sim_ins *pc, uint8_t yes)
{
    enter_unit(w, pc);
    charge_divergence(w, pc, true);
    return leave_unit(w, pc, rt_divergence_branch(&w->flow, yes, (uint16_t)pc->imm, pc->rpc));
}

/* The active lanes in `yes` go to the target, the others to `next`. */
#define BRANCH_TO(yes, next)                                                                                 \
    do {                                                                                                     \
        uint8_t taken_ = (yes)&ACTIVE;                                                                       \
        if (taken_ && taken_ != ACTIVE)                                                                      \
            return diverge(w, pc, taken_);                                                                   \
        rt_sim_end_run(w, pc);                                                                               \
        GO_RUN(taken_ ? w->code + pc->imm : (next));                                                         \
    } while (0)
#define BRANCH(yes) BRANCH_TO(yes, pc + 1)
HANDLER(O_br)
{
    BRANCH(w->p[pc->a]);
}
HANDLER(O_brn)
{
    BRANCH((uint8_t)~w->p[pc->a]);
}
/* Mode frontier: the branch names where the others go. */
HANDLER(OT_br)
{
    BRANCH_TO(w->p[pc->a], w->code + pc->rpc);
}
HANDLER(OT_brn)
{
    BRANCH_TO((uint8_t)~w->p[pc->a], w->code + pc->rpc);
}
HANDLER(O_diverge)
{
    uint8_t before = ACTIVE;
    enter_unit(w, pc);
    enum rt_divergence_event event = rt_divergence_diverge(&w->flow, w->p[pc->a], (uint16_t)pc->imm, pc->rpc);
    if (event == RT_DIVERGED)
        charge_divergence(w, pc, ACTIVE != before);
    return leave_unit(w, pc, event);
}

static __attribute__((noinline)) const struct rt_sim_ins *converge(struct rt_sim_warp *w,
                                                                   const struct rt_sim_ins *pc)
{
    enter_unit(w, pc);
    enum rt_divergence_event event = rt_divergence_converge(&w->flow, (uint16_t)pc->imm);
    if (event == RT_SWAPPED && w->flow.mode == WC_MODE_FRONTIER)
        charge_divergence(w, pc, false);
    w->tally->effective += event == RT_SWAPPED || event == RT_JOINED;
    return leave_unit(w, pc, event);
}
HANDLER(O_converge)
{
    if (w->flow.depth)
        return converge(w, pc);
    rt_sim_end_run(w, pc);
    GO_RUN(pc + 1);
}

HANDLER(O_exit)
{
    enter_unit(w, pc);
    unsigned depth = w->flow.depth;
    enum rt_divergence_event event = rt_divergence_exit(&w->flow, ACTIVE);
    rt_sim_charge(w, pc, (depth - w->flow.depth) * w->sim->timing.parameter[WC_POP]);
    return leave_unit(w, pc, event);
}

/* ---- calls ------------------------------------------------------------------------------------------- */

static inline void write_link(struct rt_sim_warp *w, const struct rt_sim_ins *pc)
{
    uint32_t *d = ROW(pc->d), link = pc->word + 1;
    const uint32_t *mask = LANE_MASK;
    LANE_LOOP(i, WC_LANES)
    blend_I(&d[i], link, mask[i]);
}

HANDLER(O_call)
{
    write_link(w, pc);
    rt_sim_end_run(w, pc);
    GO_RUN(w->code + pc->imm);
}

/* Where a register sends the active lanes; NULL: the warp has stopped. */
static __attribute__((noinline)) const struct rt_sim_ins *agreed(struct rt_sim_warp *w,
                                                                 const struct rt_sim_ins *pc)
{
    const uint32_t *to = ROW(pc->a);
    unsigned first = rt_lowest(ACTIVE);
    rt_each_lane(i, ACTIVE)
        if (to[i] != to[first]) {
            rt_sim_fault(w, pc, WC_TRAP_NOT_UNIFORM, (unsigned)i,
                         "lanes disagree on where to go: words %u and %u", to[first], to[i]);
            return NULL;
        }
    if (to[first] < w->sim->image->code.count)
        return w->code + to[first];
    rt_sim_fault(w, pc, WC_TRAP_BAD_PC, first, "a jump to word %u, which is behind the code", to[first]);
    return NULL;
}
HANDLER(O_callr)
{
    const struct rt_sim_ins *to = agreed(w, pc);
    if (!to)
        return NULL;
    write_link(w, pc);
    rt_sim_end_run(w, pc);
    GO_RUN(to);
}
HANDLER(O_ret)
{
    const struct rt_sim_ins *to = agreed(w, pc);
    if (!to)
        return NULL;
    rt_sim_end_run(w, pc);
    GO_RUN(to);
}

/* ---- what plain C does ------------------------------------------------------------------------------- */

HANDLER(O_group)
{
    rt_sim_group(w, pc);
    NEXT;
}
HANDLER(O_csrr)
{
    rt_sim_csr(w, pc);
    NEXT;
}
HANDLER(O_printf)
{
    if (!rt_sim_printf(w, pc))
        return NULL;
    NEXT;
}
HANDLER(O_assert)
{
    uint8_t broken = ACTIVE & (uint8_t)~w->p[pc->a];
    if (LIKELY(!broken))
        NEXT;
    rt_sim_fault_text(w, pc, WC_TRAP_ASSERT, rt_lowest(broken));
    return NULL;
}
HANDLER(O_trap)
{
    rt_sim_fault_text(w, pc, WC_TRAP_TRAP, rt_lowest(ACTIVE));
    return NULL;
}

/* The control registers that can be written: a barrier, and giving way to others. */
HANDLER(O_csrw)
{
    if (pc->imm == WC_CSR_BARRIER && ACTIVE != w->flow.live) {
        rt_sim_fault(w, pc, WC_TRAP_BARRIER, rt_lowest(ACTIVE), RT_BARRIER_TEXT, __builtin_popcount(ACTIVE),
                     __builtin_popcount(w->flow.live), rt_lowest(w->flow.live & ~ACTIVE));
        return NULL;
    }
    rt_sim_end_run(w, pc);
    begin(w, pc + 1);
    return suspend(w, pc + 1, pc->imm == WC_CSR_BARRIER ? RT_BARRIER : RT_SLICE);
}
