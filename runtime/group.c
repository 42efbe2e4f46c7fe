/* group.c: convergent operations that combine values of the lanes of a group, which is the active lanes. */
#include "runtime/grid.h"

/* ---- shuffles: a lane keeps its own value where the lane it names is not in the group ------------------------ */

enum direction { TO_LANE, BY_XOR, UP, DOWN };

static unsigned source_lane(const struct rt_warp *w, enum direction d, unsigned own, uint32_t operand)
{
    unsigned from = d == BY_XOR ? own ^ operand : d == UP ? own - operand : d == DOWN ? own + operand : operand;
    return from < RT_MAX_LANES && w->active >> from & 1 ? from : own;
}

static void shuffle_v(struct rt_warp *w, const struct bc_ins *ins, enum direction direction)
{
    const uint32_t *a = rt_v(w, ins->a), *b = rt_v(w, ins->b);
    uint32_t *d = rt_v(w, ins->d), moved[RT_MAX_LANES];
    for rt_each_lane (i, w->active)
        moved[i] = a[source_lane(w, direction, (unsigned)i, b[i])];
    for rt_each_lane (j, w->active)
        d[j] = moved[j];
}

static void shuffle_w(struct rt_warp *w, const struct bc_ins *ins, enum direction direction)
{
    const uint64_t *a = rt_w(w, ins->a);
    const uint32_t *b = rt_v(w, ins->b);
    uint64_t *d = rt_w(w, ins->d), moved[RT_MAX_LANES];
    for rt_each_lane (i, w->active)
        moved[i] = a[source_lane(w, direction, (unsigned)i, b[i])];
    for rt_each_lane (j, w->active)
        d[j] = moved[j];
}

static void shuffle_m(struct rt_warp *w, const struct bc_ins *ins, enum direction direction)
{
    const uint32_t *b = rt_v(w, ins->b);
    uint64_t bits = 0;
    for rt_each_lane (i, w->active)
        bits |= (w->M[ins->a] >> source_lane(w, direction, (unsigned)i, b[i]) & 1) << i;
    w->M[ins->d] = bits | (w->M[ins->d] & ~w->active);
}

void rt_shuffle(struct rt_warp *w, const struct bc_ins *ins)
{
    switch (ins->op) {
#define BY_LANE(op, direction)                                                                               \
    case BC_##op##_v: shuffle_v(w, ins, direction); break;                                                   \
    case BC_##op##_w: shuffle_w(w, ins, direction); break;                                                   \
    case BC_##op##_m: shuffle_m(w, ins, direction); break;
    BY_LANE(shuffle, TO_LANE)
    BY_LANE(shuffle_xor, BY_XOR)
    BY_LANE(shuffle_up, UP)
    BY_LANE(shuffle_down, DOWN)
#undef BY_LANE
    default: BUG("opcode %u is no shuffle", ins->op);
    }
}

/* ---- reductions and scans: by the cases of scalar.def, lowest lane first --------------------------------------- */

static scalar_bits lane_bits(const struct rt_warp *w, uint16_t reg, unsigned lane, bool wide)
{
    return wide ? rt_w(w, reg)[lane] : rt_v(w, reg)[lane];
}

#define REDUCE_BY(op, type, read, formula)                                                                   \
    {                                                                                                        \
        scalar_ctype_##type a = read(rt_lowest(w->active));                                                  \
        for rt_each_lane (i, w->active & (w->active - 1)) {                                                  \
            scalar_ctype_##type b = read(i);                                                                 \
            a = (formula);                                                                                   \
        }                                                                                                    \
        result_##type(a)                                                                                     \
    }
#define READ_I(i) rt_v(w, ins->a)[i]
#define READ_L(i) rt_w(w, ins->a)[i]
#define READ_F(i) scalar_from_f32(rt_v(w, ins->a)[i])
#define READ_D(i) scalar_from_f64(rt_w(w, ins->a)[i])
#define result_I(x) w->S[ins->d] = (x);
#define result_L(x) w->S[ins->d] = (x);
#define result_F(x) w->S[ins->d] = scalar_raw_f32(x);
#define result_D(x) w->S[ins->d] = scalar_raw_f64(x);
#define INTEGERS(op, formula32, formula64)                                                                   \
    case BC_reduce_##op##_I: REDUCE_BY(op, I, READ_I, formula32) break;                                      \
    case BC_reduce_##op##_L: REDUCE_BY(op, L, READ_L, formula64) break;
#define FLOATS(op, formula32, formula64)                                                                     \
    case BC_reduce_##op##_F: REDUCE_BY(op, F, READ_F, formula32) break;                                      \
    case BC_reduce_##op##_D: REDUCE_BY(op, D, READ_D, formula64) break;

void rt_reduce(struct rt_warp *w, const struct bc_ins *ins)
{
    switch (ins->op) {
    INTEGERS(add, a + b, a + b)
    INTEGERS(and, a & b, a & b)
    INTEGERS(or, a | b, a | b)
    INTEGERS(xor, a ^ b, a ^ b)
    INTEGERS(umin, a < b ? a : b, a < b ? a : b)
    INTEGERS(umax, a > b ? a : b, a > b ? a : b)
    INTEGERS(smin, i32(a) < i32(b) ? a : b, i64(a) < i64(b) ? a : b)
    INTEGERS(smax, i32(a) > i32(b) ? a : b, i64(a) > i64(b) ? a : b)
    FLOATS(add, a + b, a + b)
    FLOATS(smin, scalar_fminf(a, b), scalar_fmin(a, b))
    FLOATS(smax, scalar_fmaxf(a, b), scalar_fmax(a, b))
    default: BUG("opcode %u is no reduction", ins->op);
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
    for rt_each_lane (i, w->active) {
        scalar_bits x = lane_bits(w, ins->a, (unsigned)i, wide);
        sum = i == first ? x : scalar_evaluate(add, sum, x, 0);
        if (wide)
            rt_w(w, ins->d)[i] = sum;
        else
            rt_v(w, ins->d)[i] = (uint32_t)sum;
    }
}

/* ---- barrier with some live lanes elsewhere ---------------------------------------------------------------------- */

uint32_t rt_barrier(struct rt_warp *w, const struct bc_ins *ins)
{
    uint32_t next = RT_NOWHERE;
    if (w->scheme->wait && w->scheme->wait(w, rt_index(w, ins), &next))
        return next;
    rt_trap(w, ins, rt_lowest(w->active), "barrier reached by only %d of %d threads of the warp",
            __builtin_popcountll(w->active), __builtin_popcountll(w->live));
    return RT_NOWHERE;
}
