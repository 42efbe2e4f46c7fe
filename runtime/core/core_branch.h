/* core_branch.h: changes of the mask, blocks, branches, calls and ends. Part of core.c. */

/* ---- changes of the mask ----------------------------------------------------------------------------- */

/* What follows from w->active, which a hook may have changed. Most often all lanes have reconverged; where
 * they have not diverged since, as when a warp follows another, nothing is to be done. */
static inline void refresh(struct rt_warp *w)
{
    w->asked = true;
    uint64_t active = w->active;
    if (active == ALL_LANES) {
        if (w->table == w->tables[2])
            return;
        CHUNK_LOOP(c, LANES / CHUNK_32)
        lanes_store(LANE_MASK + c * CHUNK_32, lanes_splat32(UINT32_MAX));
        w->active_count = LANES;
        w->table = w->tables[2];
        return;
    }
    CHUNK_LOOP(c, LANES / CHUNK_32)
    lanes_store(LANE_MASK + c * CHUNK_32, lanes_expand32(active, c));
    w->active_count = (uint32_t)__builtin_popcountll(active);
    w->table = w->tables[active == w->live];
}

/* Goes on at code index `next` after a hook. */
static __attribute__((noinline)) const struct bc_ins *resume(struct rt_warp *w, uint32_t next)
{
    if (UNLIKELY(next == RT_NOWHERE))
        return NULL;
    const struct bc_ins *pc = w->code + next;
    refresh(w);
    KNOW_REGISTERS();
    NEXT(0);
}

/* ---- blocks ------------------------------------------------------------------------------------------ */

/* A warp whose time is up goes on after the block word, which has been counted. */
static __attribute__((noinline)) const struct bc_ins *end_slice(struct rt_warp *w, const struct bc_ins *pc)
{
    w->pc = rt_index(w, pc) + 1;
    if (w->scheme->expire) {
        w->pc = OUTSIDE(w->scheme->expire(w, w->pc));
        refresh(w);
    }
    w->stop = RT_SLICE;
    return NULL;
}
#define FINISH_BLOCK(count)                                                                                  \
    if (UNLIKELY((w->fuel -= (count)->instructions) < 0))                                                    \
        return end_slice(w, pc);                                                                             \
    NEXT(1)
#define COUNT_LANES(count)                                                                                   \
    struct rt_count *count = &w->counts[pc->imm];                                                            \
    count->some++;                                                                                           \
    count->threads += w->active_count

HANDLER(enter_block)
{
    COUNT_LANES(count);
    w->events->widths[w->active_count] += count->instructions;
    w->cycles += count->cycles;
    FINISH_BLOCK(count);
}
static __attribute__((noinline)) const struct bc_ins *enter_again(struct rt_warp *w, const struct bc_ins *pc)
{
    refresh(w);
    KNOW_REGISTERS();
    return enter_block(PASS);
}
static __attribute__((noinline)) const struct bc_ins *ask_reconverge(struct rt_warp *w,
                                                                     const struct bc_ins *pc)
{
    uint32_t at = rt_index(w, pc), next = OUTSIDE(w->scheme->reconverge(w, at));
    return next == at ? enter_again(w, pc) : resume(w, next);
}
HANDLER(O_block)
{
    if (UNLIKELY(pc == w->reconverge))
        return ask_reconverge(w, pc);
    COUNT_LANES(count);
    FINISH_BLOCK(count);
}
/* The same for the table of full warps. */
HANDLER(full_block)
{
    if (UNLIKELY(pc == w->reconverge))
        return ask_reconverge(w, pc);
    struct rt_count *count = &w->counts[pc->imm];
    count->full++;
    FINISH_BLOCK(count);
}
/* O_block for programs that read the clock, and for launches that count instructions by active lanes. */
HANDLER(block_clock)
{
    if (UNLIKELY(pc == w->reconverge))
        return ask_reconverge(w, pc);
    return enter_block(PASS);
}
/* O_block for schemes that want to be asked at every reconvergence point. */
HANDLER(block_ask)
{
    return pc->d & BC_RECONVERGE ? ask_reconverge(w, pc) : enter_block(PASS);
}
/* block_ask for programs that check where lanes wait. */
HANDLER(block_check)
{
    uint32_t at = rt_index(w, pc), next = at;
    if (pc->d & BC_RECONVERGE)
        next = OUTSIDE(w->scheme->reconverge(w, at));
    if (next != at)
        return resume(w, next);
    return OUTSIDE(w->scheme->check(w, at)) ? enter_again(w, pc) : NULL;
}
/* A convergent operation under a scheme that decides who takes part. */
static const struct rt_op partial_table[BC_OPS];
static const struct bc_ins *run_again(struct rt_warp *w, const struct bc_ins *pc)
{
    refresh(w);
    KNOW_REGISTERS();
    return partial_table[pc->op].run(PASS);
}
HANDLER(ask_convergent)
{
    uint32_t at = rt_index(w, pc), next = OUTSIDE(w->scheme->convergent(w, at));
    if (next != at)
        return resume(w, next);
    return run_again(w, pc);
}

/* ---- branches ---------------------------------------------------------------------------------------- */

/* All active lanes take the same way, and the scheme asks to be asked anyway. */
static __attribute__((noinline)) const struct bc_ins *follow(struct rt_warp *w, const struct bc_ins *pc,
                                                             uint32_t target)
{
    const struct bc_branch *branch = (const struct bc_branch *)(pc + 1);
    struct rt_split *split = &w->split;
    split->n = 1;
    split->pc = rt_index(w, pc);
    split->reconverge = branch->reconverge;
    split->site = branch->site;
    split->mask[0] = w->active;
    split->target[0] = target;
    return resume(w, OUTSIDE(w->scheme->diverge(w, split)));
}

/* Of the active lanes `yes` take the branch, which are some but not all;
 * or the scheme asks to be asked anyway. */
static __attribute__((noinline)) const struct bc_ins *diverge_two(struct rt_warp *w, const struct bc_ins *pc,
                                                                  uint64_t yes)
{
    const struct bc_branch *branch = (const struct bc_branch *)(pc + 1);
    uint64_t no = w->active & ~yes;
    if (UNLIKELY(!yes || !no))
        return follow(w, pc, yes ? branch->yes : branch->no);
    w->events->divergences++;
    w->sites[branch->site].divergences++;
    if (LIKELY(w->scheme->diverge_two != NULL)) {
        uint32_t takers = (uint32_t)__builtin_popcountll(yes);
        return resume(w, OUTSIDE(w->scheme->diverge_two(w, pc, branch, yes, takers)));
    }
    struct rt_split *split = &w->split;
    split->n = 2;
    split->pc = rt_index(w, pc);
    split->reconverge = branch->reconverge;
    split->site = branch->site;
    split->mask[0] = yes;
    split->mask[1] = no;
    split->target[0] = branch->yes;
    split->target[1] = branch->no;
    return resume(w, OUTSIDE(w->scheme->diverge(w, split)));
}
#define BRANCH_LANES(takers)                                                                                 \
    const struct bc_branch *branch = (const struct bc_branch *)(pc + 1);                                     \
    if (LIKELY(!w->ask_uniform)) {                                                                           \
        if ((takers) == w->active)                                                                           \
            ENTER(branch->yes);                                                                              \
        if (!(takers))                                                                                       \
            ENTER(branch->no);                                                                               \
    }                                                                                                        \
    return diverge_two(w, pc, takers)
#define BRANCH_SCALAR(takes)                                                                                 \
    const struct bc_branch *branch = (const struct bc_branch *)(pc + 1);                                     \
    ENTER((takes) ? branch->yes : branch->no)

HANDLER(O_jump)
{
    ENTER(pc->imm);
}
HANDLER(O_br)
{
    uint64_t yes = M[pc->a] & w->active;
    BRANCH_LANES(yes);
}
/* Of the active lanes all go the same way. */
static __attribute__((noinline)) const struct bc_ins *predicate_all(struct rt_warp *w,
                                                                    const struct bc_ins *pc, bool yes)
{
    const struct bc_branch *branch = (const struct bc_branch *)(pc + 1);
    OUTSIDE(rt_run_guarded(w, pc, !yes));
    return resume(w, yes ? branch->yes : branch->no);
}
HANDLER(O_predicate)
{
    uint64_t yes = M[pc->a] & w->active;
    if (UNLIKELY(w->ask_uniform) || (yes && yes != w->active))
        return diverge_two(w, pc, yes);
    return predicate_all(w, pc, yes != 0);
}
HANDLER(O_unpredicate)
{
    ENTER(pc->imm);
}
HANDLER(O_sbr)
{
    BRANCH_SCALAR(S[pc->a] & 1);
}
HANDLER(O_switch_v)
{
    return resume(w, OUTSIDE(rt_switch(w, pc)));
}
HANDLER(O_icall)
{
    return resume(w, OUTSIDE(rt_icall(w, pc)));
}
HANDLER(O_ret)
{
    return resume(w, OUTSIDE(rt_ret(w, pc)));
}
HANDLER(O_ret_m)
{
    return resume(w, OUTSIDE(rt_ret_to(w, pc, M[pc->b])));
}
HANDLER(O_ret_true)
{
    return resume(w, OUTSIDE(rt_ret_to(w, pc, UINT64_MAX)));
}
HANDLER(O_ret_false)
{
    return resume(w, OUTSIDE(rt_ret_to(w, pc, 0)));
}
HANDLER(O_call)
{
    uint32_t *d = (uint32_t *)LANE_VECTOR(pc->d), back = rt_index(w, pc) + 1;
    const uint32_t *mask = LANE_MASK;
    MERGE_LANES(I, , back)
    pc = w->code + pc->imm;
    NEXT(0);
}
HANDLER(O_scheme)
{
    w->asked = true;
    if (UNLIKELY(!OUTSIDE(w->scheme->op[pc->a](w, pc))))
        return NULL;
    RELOAD_REGISTERS();
    NEXT(1);
}
HANDLER(O_wait)
{
    return resume(w, OUTSIDE(w->scheme->wait(w, pc)));
}

/* ---- warps ------------------------------------------------------------------------------------------- */

/* The state in which lanes w->launched begin; and in which they end, if the scheme is asked
 * nothing in between. */
static __attribute__((noinline)) void start_lanes(struct rt_warp *w)
{
    w->active = w->live = w->launched;
    w->reconverge = NULL;
    OUTSIDE(w->scheme->start(w));
    refresh(w);
    w->asked = false;
}
/* Registers that differ from warp to warp. */
static inline void fill_lanes(struct rt_warp *w)
{
    const struct rt_lane_preload *preload = w->initial.preloads, *end = preload + w->initial.count;
    const uint32_t *bases = w->initial.bases;
    size_t at = (size_t)w->index * LANES;
    uint8_t *V = w->V;
    w->polled = w->changed = false;
    for (; preload < end; preload++) {
        const uint32_t *from = preload->from + at;
        uint32_t *to = LANE_VECTOR(preload->reg), base = bases[preload->base];
        if (preload->reg == w->initial.ramp)
            w->initial.first = from[0] + base;
        CHUNK_LOOP(c, LANES / CHUNK_32)
        lanes_store(to + c * CHUNK_32, lanes_load(from + c * CHUNK_32) + base);
    }
}
static inline const struct bc_ins *enter_kernel(struct rt_warp *w)
{
    const struct bc_ins *pc;
    fill_lanes(w);
    KNOW_REGISTERS();
    ENTER(w->pc);
}
static __attribute__((noinline)) const struct bc_ins *start_again(struct rt_warp *w)
{
    start_lanes(w);
    return enter_kernel(w);
}
static __attribute__((noinline)) const struct bc_ins *exit_some(struct rt_warp *w)
{
    w->live &= ~w->active;
    return resume(w, OUTSIDE(w->scheme->exit(w)));
}
/* The next warp begins without leaving the core: what it shares with this one stays as it is. */
HANDLER(O_exit)
{
    if (UNLIKELY(w->active != w->live))
        return exit_some(w);
    w->spent += (uint64_t)(w->slice - w->fuel);
    w->fuel = w->slice;
    if (w->index == w->last) {
        w->stop = RT_DONE;
        return NULL;
    }
    w->index++;
    return UNLIKELY(w->asked) ? start_again(w) : enter_kernel(w);
}

/* ---- traps ------------------------------------------------------------------------------------------- */

HANDLER(invalid)
{
    rt_trap(w, pc, rt_lowest(w->active), "invalid instruction %u", pc->op);
    return NULL;
}
HANDLER(O_trap)
{
    rt_trap_text(w, pc, rt_lowest(w->active));
    return NULL;
}
HANDLER(O_assert)
{
    uint64_t failed = w->active & ~M[pc->a];
    if (LIKELY(!failed))
        NEXT(1);
    rt_trap_text(w, pc, rt_lowest(failed));
    return NULL;
}
static inline struct rt_row row_of(const struct rt_warp *w, const uint32_t *at, const uint32_t *root)
{
    uint32_t low = rt_lowest(w->active), first = at[low], step = 0;
    uint64_t rest = w->active & (w->active - 1);
    if (rest) {
        uint32_t next = rt_lowest(rest);
        step = next - low == 1 ? at[next] - first : (at[next] - first) / (next - low);
    }
    vec_I difference = {0}, from = lanes_splat32(root[low]);
    vec_I wanted = LANES_IOTA_32 * step + (first - low * step);
    CHUNK_LOOP(c, LANES / CHUNK_32)
    {
        vec_I other = (lanes_load(at + c * CHUNK_32) ^ wanted) | (lanes_load(root + c * CHUNK_32) ^ from);
        difference |= other & lanes_load(LANE_MASK + c * CHUNK_32);
        wanted += CHUNK_32 * step;
    }
    return (struct rt_row){first, step, lanes_zero(difference)};
}
HANDLER(O_check_memory)
{
    struct rt_row row = row_of(w, (const uint32_t *)LANE_VECTOR(pc->a), (const uint32_t *)LANE_VECTOR(pc->b));
    OUTSIDE(rt_check_memory(w, pc, row));
    NEXT(1);
}
HANDLER(O_check_origin)
{
    OUTSIDE(rt_check_origin(w, pc));
    NEXT(1);
}
HANDLER(O_check_sync)
{
    OUTSIDE(rt_check_sync(w, pc));
    NEXT(1);
}
HANDLER(O_await)
{
    if (UNLIKELY(w->active & w->released) && !OUTSIDE(rt_await(w, pc)))
        return NULL;
    NEXT(1);
}
HANDLER(O_check_uniform)
{
    if (!rt_check_uniform(w, pc))
        return NULL;
    NEXT(1);
}
