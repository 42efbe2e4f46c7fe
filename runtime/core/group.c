/* group.c: convergent operations that add floats in lane order, or wait for lanes. The group is the active
 * lanes. */
#include "runtime/core/barrier_text.h"
#include "runtime/launch/grid.h"
#include "runtime/launch/watch.h"

/* From the lowest lane on: `next` is lane i's value in the case's type, a the result so far. */
#define REDUCE(type, read, put, formula)                                                                     \
    {                                                                                                        \
        scalar_ctype_##type a = read(rt_lowest(w->active));                                                  \
        rt_each_lane(i, w->active & (w->active - 1)) {                                                       \
            scalar_ctype_##type b = read(i);                                                                 \
            a = (formula);                                                                                   \
        }                                                                                                    \
        w->S[ins->d] = put(a);                                                                               \
        break;                                                                                               \
    }
#define READ_F(i) scalar_from_f32(rt_v(w, ins->a)[i])
#define READ_D(i) scalar_from_f64(rt_w(w, ins->a)[i])

void rt_reduce_float(struct rt_warp *w, const struct bc_ins *ins)
{
    switch (ins->op) {
    case BC_reduce_add_F: REDUCE(F, READ_F, scalar_raw_f32, a + b)
    case BC_reduce_smin_F: REDUCE(F, READ_F, scalar_raw_f32, scalar_fminf(a, b))
    case BC_reduce_smax_F: REDUCE(F, READ_F, scalar_raw_f32, scalar_fmaxf(a, b))
    case BC_reduce_add_D: REDUCE(D, READ_D, scalar_raw_f64, a + b)
    case BC_reduce_smin_D: REDUCE(D, READ_D, scalar_raw_f64, scalar_fmin(a, b))
    case BC_reduce_smax_D: REDUCE(D, READ_D, scalar_raw_f64, scalar_fmax(a, b))
    default: BUG("opcode %u is no reduction of floats", ins->op);
    }
}

void rt_scan(struct rt_warp *w, const struct bc_ins *ins)
{
    bool wide = ins->op == BC_scan_add_L || ins->op == BC_scan_add_D;
    enum scalar_case add = ins->op == BC_scan_add_I   ? SCALAR_add_I
                           : ins->op == BC_scan_add_L ? SCALAR_add_L
                           : ins->op == BC_scan_add_F ? SCALAR_add_F
                                                      : SCALAR_add_D;
    unsigned first = rt_lowest(w->active);
    scalar_bits sum = 0;
    rt_each_lane(i, w->active) {
        scalar_bits x = wide ? rt_w(w, ins->a)[i] : rt_v(w, ins->a)[i];
        sum = i == first ? x : scalar_evaluate(add, (scalar_bits[]){sum, x});
        if (wide)
            rt_w(w, ins->d)[i] = sum;
        else
            rt_v(w, ins->d)[i] = (uint32_t)sum;
    }
}

struct at_barrier {
    uint64_t lanes;
    const struct bc_ins *at;
};

/* Of the lanes at a barrier(), those who came first, or the active ones, which are at `ins`. */
static struct at_barrier first_at_barrier(struct rt_warp *w, const struct bc_ins *ins)
{
    struct rt_groups g = {.arena = &w->worker->arena};
    w->scheme->groups(w, w->active, &g);
    for (uint32_t i = 0; i < g.list.count; i++)
        if (g.list.at[i].wait == KERNC_WAIT_OTHERS)
            return (struct at_barrier){g.list.at[i].lanes, w->code + g.list.at[i].code};
    return (struct at_barrier){w->active, ins};
}

void rt_barrier(struct rt_warp *w, const struct bc_ins *ins)
{
    struct at_barrier h = first_at_barrier(w, ins);
    rt_trap(w, h.at, rt_lowest(h.lanes), RT_BARRIER_TEXT, __builtin_popcountll(h.lanes),
            __builtin_popcountll(w->live), rt_lowest(w->live & ~h.lanes));
}

bool rt_await(struct rt_warp *w, const struct bc_ins *ins)
{
    uint64_t active = w->active;
    struct at_barrier first = first_at_barrier(w, NULL);
    if (!(ins->imm >> first.at->d % 32 & 1))
        return true;
    w->active = first.lanes;
    bool passes = rt_check_parts(w);
    w->active = active;
    if (!passes)
        rt_barrier(w, NULL);
    return passes;
}
