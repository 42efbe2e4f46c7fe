/* atomic.c: atomics, lane by lane in ascending order, and copies of whole objects. */
#include "runtime/launch/grid.h"

/* ---- atomics ----------------------------------------------------------------------------------------- */

/* The function's number in the order of bytecode.def, and the type of its operands. */
enum function { ADD, SUB, SMIN, SMAX, UMIN, UMAX, AND, OR, XOR, XCHG, CAS };
struct atomic {
    uint8_t function, type;
};

static struct atomic atomic_of(enum bc_op op)
{
    static const uint16_t first[] = {BC_at_gadd_I, BC_at_gadd_L, BC_at_gadd_F,
                                     BC_at_hadd_I, BC_at_hadd_L, BC_at_hadd_F};
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
#define X              scalar_from_f32(a)
#define Y              scalar_from_f32(b)

/* One loop a function: d = old value a; memory = formula of a and the operands b, c. Several lanes at one
 * place take turns in ascending order. Other host threads may be at it too if `contended`: then the new value
 * goes in only if a still is what is there. */
#define LANES_BY(word, formula)                                                                              \
    rt_each_lane(i, w->active) {                                                                             \
        word *at = (word *)(void *)(base + w->address[i]), a = __atomic_load_n(at, __ATOMIC_RELAXED);        \
        word b = operand[i], c = exchange[i], new;                                                           \
        UNUSED(c);                                                                                           \
        if (!contended)                                                                                      \
            *at = new = (formula);                                                                           \
        else                                                                                                 \
            do                                                                                               \
                new = (formula);                                                                             \
            while (!__atomic_compare_exchange_n(at, &a, new, true, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));     \
        w->changed |= new != a;                                                                              \
        d[i] = a;                                                                                            \
    }                                                                                                        \
    break;
#define INTEGERS(name, word, registers, s)                                                                   \
    static void name(struct rt_warp *w, const struct bc_ins *ins, uint8_t *base, enum function f,            \
                     bool contended)                                                                         \
    {                                                                                                        \
        word *d = registers(w, ins->d);                                                                      \
        const word *operand = registers(w, ins->b), *exchange = registers(w, f == CAS ? ins->c : ins->b);    \
        switch (f) {                                                                                         \
        case ADD: LANES_BY(word, a + b)                                                                      \
        case SUB: LANES_BY(word, a - b)                                                                      \
        case SMIN: LANES_BY(word, s(a) < s(b) ? a : b)                                                       \
        case SMAX: LANES_BY(word, s(a) > s(b) ? a : b)                                                       \
        case UMIN: LANES_BY(word, a < b ? a : b)                                                             \
        case UMAX: LANES_BY(word, a > b ? a : b)                                                             \
        case AND: LANES_BY(word, a &b)                                                                       \
        case OR: LANES_BY(word, a | b)                                                                       \
        case XOR: LANES_BY(word, a ^ b)                                                                      \
        case XCHG: LANES_BY(word, b)                                                                         \
        case CAS: LANES_BY(word, a == b ? c : a)                                                             \
        }                                                                                                    \
    }
INTEGERS(atomic_I, uint32_t, rt_v, i32)
INTEGERS(atomic_L, uint64_t, rt_w, i64)

static void atomic_F(struct rt_warp *w, const struct bc_ins *ins, uint8_t *base, enum function f,
                     bool contended)
{
    uint32_t *d = rt_v(w, ins->d);
    const uint32_t *operand = rt_v(w, ins->b), *exchange = rt_v(w, f == CAS ? ins->c : ins->b);
    switch (f) {
    case ADD: LANES_BY(uint32_t, FLOAT(X + Y))
    case SUB: LANES_BY(uint32_t, FLOAT(X - Y))
    case SMIN:
    case UMIN: LANES_BY(uint32_t, FLOAT(scalar_fminf(X, Y)))
    case SMAX:
    case UMAX: LANES_BY(uint32_t, FLOAT(scalar_fmaxf(X, Y)))
    case XCHG: LANES_BY(uint32_t, canonical(b))
    case CAS: LANES_BY(uint32_t, a == canonical(b) ? canonical(c) : a)
    default: atomic_I(w, ins, base, f, contended);
    }
}

void rt_atomic(struct rt_warp *w, const struct bc_ins *ins, uint8_t *base)
{
    struct atomic what = atomic_of(ins->op);
    bool contended = w->contended && rt_access[ins->op].space == RT_GLOBAL;
    bool changed = w->changed;
    w->polled = true;
    w->changed = false;
    switch (what.type) {
    case SCALAR_I: atomic_I(w, ins, base, what.function, contended); break;
    case SCALAR_L: atomic_L(w, ins, base, what.function, contended); break;
    default: atomic_F(w, ins, base, what.function, contended); break;
    }
    *(rt_access[ins->op].space == RT_GLOBAL ? &w->worker->changes : &w->worker->own_changes) += w->changed;
    w->changed |= changed;
}

/* ---- copies of objects ------------------------------------------------------------------------------- */

/* Bytes that a lane copies or clears for the price of an instruction. */
#define RT_FUEL_BYTES 64u

/* The word itself has paid for the first bytes; copies of many lanes take their time one after the other. */
static void pay(struct rt_warp *w, uint32_t bytes)
{
    w->fuel -= (int64_t)(bytes / RT_FUEL_BYTES);
    w->worker->copied += bytes / RT_FUEL_BYTES;
}

/* Host address of a whole object, or NULL: trapped. */
static uint8_t *object_address(struct rt_warp *w, const struct bc_ins *ins, uint16_t reg, unsigned space,
                               bool store, unsigned lane)
{
    uint32_t address = rt_v(w, reg)[lane];
    uint8_t *p = rt_locate(w, space, store, lane, address, ins->imm, 1);
    if (!p)
        rt_trap_access(w, ins, lane, "ghp"[space], store, address, ins -> imm);
    else if (space == RT_GLOBAL && w->transactions.counted && ins->imm) {
        uint32_t last = (address + ins->imm - 1) >> w->transactions.segment_shift;
        w->sites[ins->e].transactions += last - (address >> w->transactions.segment_shift) + 1;
    } else if (space == RT_SHARED && w->transactions.counted && ins->imm)
        rt_count_object(w, ins, address, ins->imm);
    return p;
}

bool rt_memcpy(struct rt_warp *w, const struct bc_ins *ins)
{
    unsigned to_space = ins->c & 3, from_space = ins->c >> 2 & 3;
    rt_each_lane(i, w->active) {
        const uint8_t *from = object_address(w, ins, ins->b, from_space, false, (unsigned)i);
        uint8_t *to = from ? object_address(w, ins, ins->a, to_space, true, (unsigned)i) : NULL;
        if (!to)
            return false;
        memmove(to, from, ins->imm);
        pay(w, ins->imm);
    }
    return true;
}

bool rt_memzero(struct rt_warp *w, const struct bc_ins *ins)
{
    rt_each_lane(i, w->active) {
        uint8_t *to = object_address(w, ins, ins->a, ins->c & 3, true, (unsigned)i);
        if (!to)
            return false;
        memset(to, 0, ins->imm);
        pay(w, ins->imm);
    }
    return true;
}
