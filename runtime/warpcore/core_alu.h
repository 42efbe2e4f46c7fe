/* core_alu.h: the lane operations of base/scalar.def, with registers (L_) or a number (I_) for b. Part of
 * core.c.
 *
 * Each has a second handler (LA_, IA_) for when all live lanes are active: it writes every lane, since what
 * others hold is never read.
 *
 * scalar.def has rows for types that the machine has no registers for: the macros of those shapes are empty.
 */

#define OUT_I(reg) uint32_t *d = ROW(reg);
#define OUT_F(reg) float *d = (float *)ROW(reg);
#define IN_I(x, reg) const uint32_t *x = ROW(reg);
#define IN_F(x, reg) const float *x = (const float *)ROW(reg);

/* An operation makes no NaN but the canonical one. Where no clock runs, that is left to the instructions by
 * which the compiler's code lets a float's bits be seen. */
#define RESULT_I(x) (x)
static inline float RESULT_F(float x)
{
#ifdef CORE_STEPS
    return x == x ? x : scalar_from_f32(SCALAR_NAN_F32);
#else
    return x;
#endif
}

/* `name` and name##A. FETCH declares the operands of lane i. Functions are called
 * for the active lanes only. */
#define LANE_HANDLERS(prefix, op, name, R, POINTERS, FETCH, formula)                                         \
    HANDLER(prefix##A_##name)                                                                                \
    {                                                                                                        \
        OUT_##R(pc->d) POINTERS                                                                              \
        if (calls_##op()) {                                                                                  \
            rt_each_lane(i, ACTIVE) {                                                                   \
                FETCH d[i] = RESULT_##R(formula);                                                            \
            }                                                                                                \
        } else {                                                                                             \
            LANE_LOOP (i, WC_LANES) {                                                                        \
                FETCH d[i] = RESULT_##R(formula);                                                            \
            }                                                                                                \
        }                                                                                                    \
        NEXT;                                                                                                \
    }                                                                                                        \
    HANDLER(prefix##_##name)                                                                                 \
    {                                                                                                        \
        if (calls_##op())                                                                                    \
            return prefix##A_##name(w, pc);                                                                  \
        OUT_##R(pc->d) POINTERS                                                                              \
        const uint32_t *mask = LANE_MASK;                                                                    \
        LANE_LOOP (i, WC_LANES) {                                                                            \
            FETCH blend_##R(&d[i], RESULT_##R(formula), mask[i]);                                            \
        }                                                                                                    \
        NEXT;                                                                                                \
    }
#define FETCH_1(A) scalar_ctype_##A a = x[i];
#define FETCH_2(A) FETCH_1(A) scalar_ctype_##A b = y[i];
#define FETCH_3(A) FETCH_2(A) scalar_ctype_##A c = z[i];
#define FETCH_NUMBER FETCH_1(I) scalar_ctype_I b = (uint32_t)pc->imm;

#define UNARY(op, name, R, A, formula) LANE_HANDLERS(L, op, name, R, IN_##A(x, pc->a), FETCH_1(A), formula)
#define BINARY(op, name, A, formula)                                                                         \
    LANE_HANDLERS(L, op, name, A, IN_##A(x, pc->a) IN_##A(y, pc->b), FETCH_2(A), formula)
#define BINARY_NUMBER(op, name, formula) LANE_HANDLERS(I, op, name, I, IN_I(x, pc->a), FETCH_NUMBER, formula)

/* Shapes by result and argument type. */
#define UNARY_II(op, name, formula) UNARY(op, name, I, I, formula)
#define UNARY_FF(op, name, formula) UNARY(op, name, F, F, formula)
#define UNARY_FI(op, name, formula) UNARY(op, name, F, I, formula)
#define UNARY_IF(op, name, formula) UNARY(op, name, I, F, formula)
#define UNARY_BB(op, name, formula)
#define UNARY_IB(op, name, formula)
#define UNARY_LB(op, name, formula)
#define UNARY_LL(op, name, formula)
#define UNARY_LI(op, name, formula)
#define UNARY_LF(op, name, formula)
#define UNARY_LD(op, name, formula)
#define UNARY_IL(op, name, formula)
#define UNARY_ID(op, name, formula)
#define UNARY_FL(op, name, formula)
#define UNARY_FD(op, name, formula)
#define UNARY_DI(op, name, formula)
#define UNARY_DL(op, name, formula)
#define UNARY_DF(op, name, formula)
#define UNARY_DD(op, name, formula)
#define BINARY_II(op, name, formula) BINARY(op, name, I, formula) BINARY_NUMBER(op, name, formula)
#define BINARY_FF(op, name, formula) BINARY(op, name, F, formula)
#define BINARY_LL(op, name, formula)
#define BINARY_DD(op, name, formula)
#define BINARY_BB(op, name, formula)
#define BINARY_BI(op, name, formula)
#define BINARY_BF(op, name, formula)
#define BINARY_BL(op, name, formula)
#define BINARY_BD(op, name, formula)
#define S1(op, name, R, A, formula)    UNARY_##R##A(op, name, formula)
#define S2(op, name, R, A, B, formula) BINARY_##R##A(op, name, formula)
#include "base/scalar.def"

LANE_HANDLERS(L, fma, fma_F, F, IN_F(x, pc->a) IN_F(y, pc->b) IN_F(z, pc->c), FETCH_3(F),
              scalar_fmaf(a, b, c))

/* ---- predicates: all lanes at a time ----------------------------------------------------------------- */

static inline void put_predicate(struct rt_sim_warp *w, unsigned d, uint64_t bits)
{
    w->p[d] = (uint8_t)((bits & ACTIVE) | (w->p[d] & ~ACTIVE));
}

#define PREDICATE(prefix, name, value)                                                                       \
    HANDLER(prefix##A_##name)                                                                                \
    {                                                                                                        \
        w->p[pc->d] = (uint8_t)(value);                                                                      \
        NEXT;                                                                                                \
    }                                                                                                        \
    HANDLER(prefix##_##name)                                                                                 \
    {                                                                                                        \
        put_predicate(w, pc->d, (uint64_t)(value));                                                          \
        NEXT;                                                                                                \
    }
PREDICATE(L, not_B, ~w->p[pc->a])
PREDICATE(L, and_B, w->p[pc->a] & w->p[pc->b])
PREDICATE(L, or_B, w->p[pc->a] | w->p[pc->b])
PREDICATE(L, xor_B, w->p[pc->a] ^ w->p[pc->b])
PREDICATE(L, eq_B, ~(w->p[pc->a] ^ w->p[pc->b]))
PREDICATE(L, ne_B, w->p[pc->a] ^ w->p[pc->b])
PREDICATE(L, select_B, (w->p[pc->a] & w->p[pc->b]) | (~w->p[pc->a] & w->p[pc->c]))
PREDICATE(O, mov_p, w->p[pc->a])

/* Comparisons: the formula is evaluated on machine vectors, where it means the same. */
#define COMPARED(vec_type, SECOND, formula)                                                                  \
    uint64_t bits = 0;                                                                                       \
    CHUNK_LOOP (chunk, WC_LANES / CHUNK_32) {                                                                \
        vec_type a = (vec_type)lanes_load(ROW(pc->a) + chunk * CHUNK_32);                                    \
        vec_type b = (vec_type)SECOND;                                                                       \
        bits |= lanes_bits_32((vec_i)(formula)) << chunk * CHUNK_32;                                         \
    }
#define COMPARISON(prefix, name, vec_type, SECOND, formula)                                                  \
    HANDLER(prefix##A_##name)                                                                                \
    {                                                                                                        \
        COMPARED(vec_type, SECOND, formula)                                                                  \
        w->p[pc->d] = (uint8_t)bits;                                                                         \
        NEXT;                                                                                                \
    }                                                                                                        \
    HANDLER(prefix##_##name)                                                                                 \
    {                                                                                                        \
        COMPARED(vec_type, SECOND, formula)                                                                  \
        put_predicate(w, pc->d, bits);                                                                       \
        NEXT;                                                                                                \
    }
#define SECOND_REGISTER lanes_load(ROW(pc->b) + chunk * CHUNK_32)
#define SECOND_NUMBER   lanes_splat32((uint32_t)pc->imm)
#define COMPARE_BI(name, formula)                                                                            \
    COMPARISON(L, name, vec_I, SECOND_REGISTER, formula)                                              \
    COMPARISON(I, name, vec_I, SECOND_NUMBER, formula)
#define COMPARE_BF(name, formula) COMPARISON(L, name, vec_F, SECOND_REGISTER, formula)
#define COMPARE_BB(name, formula)
#define COMPARE_BL(name, formula)
#define COMPARE_BD(name, formula)
#define COMPARE_II(name, formula)
#define COMPARE_FF(name, formula)
#define COMPARE_LL(name, formula)
#define COMPARE_DD(name, formula)
#define i32(x) ((vec_i)(x))
#define S2(op, name, R, A, B, formula) COMPARE_##R##A(name, formula)
#include "base/scalar.def"
#undef i32

/* ---- moves ------------------------------------------------------------------------------------------- */

/* d = a vector a chunk, in the active lanes. */
#define MOVE(prefix, name, value)                                                                            \
    HANDLER(prefix##A_##name)                                                                                \
    {                                                                                                        \
        CHUNK_LOOP (chunk, WC_LANES / CHUNK_32) {                                                            \
            unsigned at = chunk * CHUNK_32;                                                                  \
            lanes_store(ROW(pc->d) + at, (value));                                                           \
        }                                                                                                    \
        NEXT;                                                                                                \
    }                                                                                                        \
    HANDLER(prefix##_##name)                                                                                 \
    {                                                                                                        \
        CHUNK_LOOP (chunk, WC_LANES / CHUNK_32) {                                                            \
            unsigned at = chunk * CHUNK_32;                                                                  \
            vec_I mask = lanes_load(LANE_MASK + at), old = lanes_load(ROW(pc->d) + at), x = (value);         \
            lanes_store(ROW(pc->d) + at, (x & mask) | (old & ~mask));                                        \
        }                                                                                                    \
        NEXT;                                                                                                \
    }
static inline vec_I choose(vec_I which, vec_I a, vec_I b)
{
    return (a & which) | (b & ~which);
}
MOVE(O, mov, lanes_load(ROW(pc->a) + at))
MOVE(O, li, lanes_splat32((uint32_t)pc->imm))
MOVE(O, lui, lanes_splat32((uint32_t)pc->imm << 10))
MOVE(O, ldarg, lanes_splat32(w->sim->arguments[pc->imm]))
MOVE(L, zext_BI, lanes_expand32(w->p[pc->a], chunk) & 1)
MOVE(L, select_I,
     choose(lanes_expand32(w->p[pc->a], chunk), lanes_load(ROW(pc->b) + at), lanes_load(ROW(pc->c) + at)))

HANDLER(O_nop)
{
    NEXT;
}
