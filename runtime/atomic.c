/* atomic.c: atomics, lane by lane in ascending order, and copies of whole objects. */
#include "runtime/grid.h"

/* ---- which access an opcode makes ---------------------------------------------------------------------------- */

#define LOAD(name, space, mode, bytes)  [BC_##name] = {space, mode, bytes, false, true},
#define STORE(name, space, mode, bytes) [BC_##name] = {space, mode, bytes, true, true},
#define LOADS(x, space, pre, mode)                                                                           \
    LOAD(pre##x##8, space, mode, 0) LOAD(pre##x##8s, space, mode, 0) LOAD(pre##x##16, space, mode, 1)        \
    LOAD(pre##x##16s, space, mode, 1) LOAD(pre##x##32, space, mode, 2) LOAD(pre##x##64, space, mode, 3)      \
    LOAD(pre##x##b, space, mode, 0)
#define STORES(x, space, pre, mode)                                                                          \
    STORE(pre##x##8, space, mode, 0) STORE(pre##x##16, space, mode, 1) STORE(pre##x##32, space, mode, 2)     \
    STORE(pre##x##64, space, mode, 3) STORE(pre##x##f32, space, mode, 2) STORE(pre##x##f64, space, mode, 3)  \
    STORE(pre##x##b, space, mode, 0)
#define SPACE(x, space)                                                                                      \
    LOADS(x, space, ld_, RT_MODE_V) LOADS(x, space, ldx_, RT_MODE_X)                                         \
    STORES(x, space, st_, RT_MODE_V) STORES(x, space, stx_, RT_MODE_X)
#define ATOMICS(x, space, t, bytes)                                                                          \
    STORE(at_##x##add_##t, space, RT_MODE_V, bytes) STORE(at_##x##sub_##t, space, RT_MODE_V, bytes)          \
    STORE(at_##x##smin_##t, space, RT_MODE_V, bytes) STORE(at_##x##smax_##t, space, RT_MODE_V, bytes)        \
    STORE(at_##x##umin_##t, space, RT_MODE_V, bytes) STORE(at_##x##umax_##t, space, RT_MODE_V, bytes)        \
    STORE(at_##x##and_##t, space, RT_MODE_V, bytes) STORE(at_##x##or_##t, space, RT_MODE_V, bytes)           \
    STORE(at_##x##xor_##t, space, RT_MODE_V, bytes) STORE(at_##x##xchg_##t, space, RT_MODE_V, bytes)         \
    STORE(at_##x##cas_##t, space, RT_MODE_V, bytes)
const struct rt_access rt_access[BC_OPS] = {
    SPACE(g, RT_GLOBAL) SPACE(h, RT_SHARED) SPACE(p, RT_PRIVATE)
    LOADS(g, RT_GLOBAL, ldu_, RT_MODE_U) LOADS(h, RT_SHARED, ldu_, RT_MODE_U)
    ATOMICS(g, RT_GLOBAL, I, 2) ATOMICS(g, RT_GLOBAL, L, 3) ATOMICS(g, RT_GLOBAL, F, 2)
    ATOMICS(h, RT_SHARED, I, 2) ATOMICS(h, RT_SHARED, L, 3) ATOMICS(h, RT_SHARED, F, 2)
};
#undef ATOMICS

/* ---- atomics ---------------------------------------------------------------------------------------------------- */

/* The function's number in the order of bytecode.def, and the type of its operands. */
enum function { ADD, SUB, SMIN, SMAX, UMIN, UMAX, AND, OR, XOR, XCHG, CAS };
struct atomic { uint8_t function, type; };

static struct atomic atomic_of(enum bc_op op)
{
    static const uint16_t first[] = {BC_at_gadd_I, BC_at_gadd_L, BC_at_gadd_F, BC_at_hadd_I, BC_at_hadd_L, BC_at_hadd_F};
    static const uint8_t types[] = {SCALAR_I, SCALAR_L, SCALAR_F};
    unsigned row = 0;
    while (row + 1 < COUNT(first) && op >= first[row + 1])
        row++;
    return (struct atomic){(uint8_t)(op - first[row]), types[row % 3]};
}

/* Floats are exchanged and compared as bits, NaNs being canonical; and, or, xor work on the bits. */
static uint32_t canonical(uint32_t bits)
{
    return scalar_bits_f32(scalar_from_f32(bits));
}
#define FLOAT(formula) scalar_bits_f32(formula)
#define X scalar_from_f32(a)
#define Y scalar_from_f32(b)

/* One loop a function: d = old value a; memory = formula of a and the operands b, c. Several lanes at one place take turns
 * in ascending order. Other host threads may be at it too if `contended`: then the new value goes in only if a still is
 * what is there. */
#define LANES_BY(word, formula)                                                                              \
    for rt_each_lane (i, w->active) {                                                                        \
        word *at = (word *)(void *)(base + w->address[i]), a = __atomic_load_n(at, __ATOMIC_RELAXED);        \
        word b = operand[i], c = exchange[i];                                                                \
        UNUSED(c);                                                                                           \
        if (!contended)                                                                                      \
            *at = (formula);                                                                                 \
        else                                                                                                 \
            while (!__atomic_compare_exchange_n(at, &a, (formula), true, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) \
                continue;                                                                                    \
        d[i] = a;                                                                                            \
    }                                                                                                        \
    break;
#define INTEGERS(name, word, registers, s)                                                                   \
    static void name(struct rt_warp *w, const struct bc_ins *ins, uint8_t *base, enum function f, bool contended) \
    {                                                                                                        \
        word *d = registers(w, ins->d);                                                                      \
        const word *operand = registers(w, ins->b), *exchange = registers(w, f == CAS ? ins->c : ins->b);    \
        switch (f) {                                                                                         \
        case ADD:  LANES_BY(word, a + b)                                                                     \
        case SUB:  LANES_BY(word, a - b)                                                                     \
        case SMIN: LANES_BY(word, s(a) < s(b) ? a : b)                                                       \
        case SMAX: LANES_BY(word, s(a) > s(b) ? a : b)                                                       \
        case UMIN: LANES_BY(word, a < b ? a : b)                                                             \
        case UMAX: LANES_BY(word, a > b ? a : b)                                                             \
        case AND:  LANES_BY(word, a & b)                                                                     \
        case OR:   LANES_BY(word, a | b)                                                                     \
        case XOR:  LANES_BY(word, a ^ b)                                                                     \
        case XCHG: LANES_BY(word, b)                                                                         \
        case CAS:  LANES_BY(word, a == b ? c : a)                                                            \
        }                                                                                                    \
    }
INTEGERS(atomic_I, uint32_t, rt_v, i32)
INTEGERS(atomic_L, uint64_t, rt_w, i64)

static void atomic_F(struct rt_warp *w, const struct bc_ins *ins, uint8_t *base, enum function f, bool contended)
{
    uint32_t *d = rt_v(w, ins->d);
    const uint32_t *operand = rt_v(w, ins->b), *exchange = rt_v(w, f == CAS ? ins->c : ins->b);
    switch (f) {
    case ADD:  LANES_BY(uint32_t, FLOAT(X + Y))
    case SUB:  LANES_BY(uint32_t, FLOAT(X - Y))
    case SMIN: case UMIN: LANES_BY(uint32_t, FLOAT(scalar_fminf(X, Y)))
    case SMAX: case UMAX: LANES_BY(uint32_t, FLOAT(scalar_fmaxf(X, Y)))
    case XCHG: LANES_BY(uint32_t, canonical(b))
    case CAS:  LANES_BY(uint32_t, a == canonical(b) ? canonical(c) : a)
    default:   atomic_I(w, ins, base, f, contended);
    }
}

void rt_atomic(struct rt_warp *w, const struct bc_ins *ins, uint8_t *base)
{
    struct atomic what = atomic_of(ins->op);
    bool contended = w->contended && rt_access[ins->op].space == RT_GLOBAL;
    switch (what.type) {
    case SCALAR_I: atomic_I(w, ins, base, what.function, contended); break;
    case SCALAR_L: atomic_L(w, ins, base, what.function, contended); break;
    default:       atomic_F(w, ins, base, what.function, contended); break;
    }
}

/* ---- copies of objects -------------------------------------------------------------------------------------------- */

/* Host address of a whole object, or NULL: trapped. */
static uint8_t *object_address(struct rt_warp *w, const struct bc_ins *ins, uint16_t reg, unsigned space, bool store,
                               unsigned lane)
{
    uint32_t address = rt_v(w, reg)[lane];
    uint8_t *p = rt_locate(w, space, store, lane, address, ins->imm, 1);
    if (!p)
        rt_trap_access(w, ins, lane, "ghp"[space], store, address, ins->imm);
    else if (space == RT_GLOBAL && w->count_transactions && ins->imm) {
        uint32_t last = (address + ins->imm - 1) >> w->segment_shift;
        w->sites[ins->e].transactions += last - (address >> w->segment_shift) + 1;
    }
    return p;
}

bool rt_memcpy(struct rt_warp *w, const struct bc_ins *ins)
{
    unsigned to_space = ins->c & 3, from_space = ins->c >> 2 & 3;
    for rt_each_lane (i, w->active) {
        const uint8_t *from = object_address(w, ins, ins->b, from_space, false, (unsigned)i);
        uint8_t *to = from ? object_address(w, ins, ins->a, to_space, true, (unsigned)i) : NULL;
        if (!to)
            return false;
        memmove(to, from, ins->imm);
    }
    return true;
}

bool rt_memzero(struct rt_warp *w, const struct bc_ins *ins)
{
    for rt_each_lane (i, w->active) {
        uint8_t *to = object_address(w, ins, ins->a, ins->c & 3, true, (unsigned)i);
        if (!to)
            return false;
        memset(to, 0, ins->imm);
    }
    return true;
}
