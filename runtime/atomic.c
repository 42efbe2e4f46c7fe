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

static uint32_t new_I(enum function f, uint32_t a, uint32_t b, uint32_t c)
{
    switch (f) {
    case ADD:  return a + b;
    case SUB:  return a - b;
    case SMIN: return i32(a) < i32(b) ? a : b;
    case SMAX: return i32(a) > i32(b) ? a : b;
    case UMIN: return a < b ? a : b;
    case UMAX: return a > b ? a : b;
    case AND:  return a & b;
    case OR:   return a | b;
    case XOR:  return a ^ b;
    case XCHG: return b;
    case CAS:  return a == b ? c : a;
    }
    return a;
}

static uint64_t new_L(enum function f, uint64_t a, uint64_t b, uint64_t c)
{
    switch (f) {
    case ADD:  return a + b;
    case SUB:  return a - b;
    case SMIN: return i64(a) < i64(b) ? a : b;
    case SMAX: return i64(a) > i64(b) ? a : b;
    case UMIN: return a < b ? a : b;
    case UMAX: return a > b ? a : b;
    case AND:  return a & b;
    case OR:   return a | b;
    case XOR:  return a ^ b;
    case XCHG: return b;
    case CAS:  return a == b ? c : a;
    }
    return a;
}

/* Floats are exchanged and compared as bits, NaNs being canonical; and, or, xor work on the bits. */
static uint32_t new_F(enum function f, uint32_t a, uint32_t b, uint32_t c)
{
    float x = scalar_from_f32(a), y = scalar_from_f32(b);
    uint32_t canonical = scalar_bits_f32(y);
    switch (f) {
    case ADD:  return scalar_bits_f32(x + y);
    case SUB:  return scalar_bits_f32(x - y);
    case SMIN: case UMIN: return scalar_bits_f32(scalar_fminf(x, y));
    case SMAX: case UMAX: return scalar_bits_f32(scalar_fmaxf(x, y));
    case XCHG: return canonical;
    case CAS:  return a == canonical ? scalar_bits_f32(scalar_from_f32(c)) : a;
    default:   return new_I(f, a, b, c);
    }
}

/* Makes the memory new; returns the old value. Other host threads may be at the same place if `contended`. */
#define APPLY(letter, type, compute)                                                                         \
    static type apply_##letter(type *at, enum function f, type b, type c, bool contended)                    \
    {                                                                                                        \
        type old = __atomic_load_n(at, __ATOMIC_RELAXED);                                                    \
        if (!contended) {                                                                                    \
            *at = compute(f, old, b, c);                                                                     \
            return old;                                                                                      \
        }                                                                                                    \
        while (!__atomic_compare_exchange_n(at, &old, compute(f, old, b, c), true, __ATOMIC_SEQ_CST,         \
                                            __ATOMIC_RELAXED))                                               \
            continue;                                                                                        \
        return old;                                                                                          \
    }
APPLY(I, uint32_t, new_I)
APPLY(L, uint64_t, new_L)
APPLY(F, uint32_t, new_F)

/* Checked host address of the lane's operand, or NULL: trapped. */
static uint8_t *atomic_address(struct rt_warp *w, const struct bc_ins *ins, unsigned lane)
{
    struct rt_access access = rt_access[ins->op];
    uint32_t address = rt_v(w, ins->a)[lane] + ins->imm, bytes = 1u << access.log2_bytes;
    uint8_t *p = rt_locate(w, access.space, true, lane, address, bytes, bytes);
    if (!p)
        rt_trap_access(w, ins, lane, "ghp"[access.space], true, address, bytes);
    w->address[lane] = address;
    return p;
}

bool rt_atomic(struct rt_warp *w, const struct bc_ins *ins)
{
    struct atomic what = atomic_of(ins->op);
    enum function f = what.function;
    bool global = rt_access[ins->op].space == RT_GLOBAL, contended = w->contended && global;
    for rt_each_lane (i, w->active) {
        uint8_t *p = atomic_address(w, ins, (unsigned)i);
        if (!p)
            return false;
        if (what.type == SCALAR_L) {
            uint64_t *a = (uint64_t *)(void *)p, c = f == CAS ? rt_w(w, ins->c)[i] : 0;
            rt_w(w, ins->d)[i] = apply_L(a, f, rt_w(w, ins->b)[i], c, contended);
        } else {
            uint32_t *a = (uint32_t *)(void *)p, b = rt_v(w, ins->b)[i], c = f == CAS ? rt_v(w, ins->c)[i] : 0;
            rt_v(w, ins->d)[i] = what.type == SCALAR_I ? apply_I(a, f, b, c, contended) : apply_F(a, f, b, c, contended);
        }
    }
    if (global && w->count_transactions)
        rt_count_transactions(w, ins->e, w->address, w->active, 1u << rt_access[ins->op].log2_bytes);
    return true;
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
