/* core_alu.h: the lane operations of base/scalar.def, with registers (L_) or a number (I_) for b. Part of core.c.
 *
 * scalar.def has rows for types that the machine has no registers for: the macros of those shapes are empty.
 */

#define OUT_I(reg) uint32_t *d = ROW(reg);
#define OUT_F(reg) float *d = (float *)ROW(reg);
#define IN_I(x, reg) const uint32_t *x = ROW(reg);
#define IN_F(x, reg) const float *x = (const float *)ROW(reg);

/* FETCH declares the operands of lane i. Functions are called for the active lanes only. */
#define LANES_DO(op, R, FETCH, formula)                                                                      \
    if (calls_##op()) {                                                                                      \
        for rt_each_lane (i, ACTIVE) {                                                                       \
            FETCH d[i] = (formula);                                                                          \
        }                                                                                                    \
    } else {                                                                                                 \
        const uint32_t *mask = LANE_MASK;                                                                    \
        LANE_LOOP (i, WC_LANES) {                                                                            \
            FETCH blend_##R(&d[i], (formula), mask[i]);                                                      \
        }                                                                                                    \
    }                                                                                                        \
    NEXT;
#define FETCH_1(A) scalar_ctype_##A a = x[i];
#define FETCH_2(A) FETCH_1(A) scalar_ctype_##A b = y[i];
#define FETCH_3(A) FETCH_2(A) scalar_ctype_##A c = z[i];
#define FETCH_NUMBER FETCH_1(I) scalar_ctype_I b = (uint32_t)pc->imm;

#define UNARY(op, name, R, A, formula)                                                                       \
    HANDLER(L_##name)                                                                                        \
    {                                                                                                        \
        OUT_##R(pc->d) IN_##A(x, pc->a) LANES_DO(op, R, FETCH_1(A), formula)                                 \
    }
#define BINARY(op, name, A, formula)                                                                         \
    HANDLER(L_##name)                                                                                        \
    {                                                                                                        \
        OUT_##A(pc->d) IN_##A(x, pc->a) IN_##A(y, pc->b) LANES_DO(op, A, FETCH_2(A), formula)                \
    }
#define BINARY_NUMBER(op, name, formula)                                                                     \
    HANDLER(I_##name)                                                                                        \
    {                                                                                                        \
        OUT_I(pc->d) IN_I(x, pc->a) LANES_DO(op, I, FETCH_NUMBER, formula)                                   \
    }

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

HANDLER(L_fma_F)
{
    float *d = (float *)ROW(pc->d);
    const float *x = (const float *)ROW(pc->a), *y = (const float *)ROW(pc->b), *z = (const float *)ROW(pc->c);
    const uint32_t *mask = LANE_MASK;
    LANE_LOOP (i, WC_LANES)
        blend_F(&d[i], scalar_fmaf(x[i], y[i], z[i]), mask[i]);
    NEXT;
}

/* ---- predicates: all lanes at a time ----------------------------------------------------------------- */

static inline void put_predicate(struct rt_sim_warp *w, unsigned d, uint64_t bits)
{
    w->p[d] = (uint8_t)((bits & ACTIVE) | (w->p[d] & ~ACTIVE));
}

#define PREDICATE(name, value)                                                                               \
    HANDLER(name)                                                                                            \
    {                                                                                                        \
        put_predicate(w, pc->d, (uint64_t)(value));                                                          \
        NEXT;                                                                                                \
    }
PREDICATE(L_not_B, ~w->p[pc->a])
PREDICATE(L_and_B, w->p[pc->a] & w->p[pc->b])
PREDICATE(L_or_B, w->p[pc->a] | w->p[pc->b])
PREDICATE(L_xor_B, w->p[pc->a] ^ w->p[pc->b])
PREDICATE(L_eq_B, ~(w->p[pc->a] ^ w->p[pc->b]))
PREDICATE(L_ne_B, w->p[pc->a] ^ w->p[pc->b])
PREDICATE(L_select_B, (w->p[pc->a] & w->p[pc->b]) | (~w->p[pc->a] & w->p[pc->c]))
PREDICATE(O_mov_p, w->p[pc->a])

/* Comparisons: the formula is evaluated on machine vectors, where it means the same. */
#define COMPARISON(name, handler, vec_type, SECOND, formula)                                                 \
    HANDLER(handler)                                                                                         \
    {                                                                                                        \
        uint64_t bits = 0;                                                                                   \
        CHUNK_LOOP (chunk, WC_LANES / CHUNK_32) {                                                            \
            vec_type a = (vec_type)lanes_load(ROW(pc->a) + chunk * CHUNK_32);                                \
            vec_type b = (vec_type)SECOND;                                                                   \
            bits |= lanes_bits_32((vec_i)(formula)) << chunk * CHUNK_32;                                     \
        }                                                                                                    \
        put_predicate(w, pc->d, bits);                                                                       \
        NEXT;                                                                                                \
    }
#define SECOND_REGISTER lanes_load(ROW(pc->b) + chunk * CHUNK_32)
#define SECOND_NUMBER   lanes_splat32((uint32_t)pc->imm)
#define COMPARE_BI(name, formula)                                                                            \
    COMPARISON(name, L_##name, vec_I, SECOND_REGISTER, formula)                                              \
    COMPARISON(name, I_##name, vec_I, SECOND_NUMBER, formula)
#define COMPARE_BF(name, formula) COMPARISON(name, L_##name, vec_F, SECOND_REGISTER, formula)
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
#define MOVE(name, value)                                                                                    \
    HANDLER(name)                                                                                            \
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
MOVE(O_mov, lanes_load(ROW(pc->a) + at))
MOVE(O_li, lanes_splat32((uint32_t)pc->imm))
MOVE(O_lui, lanes_splat32((uint32_t)pc->imm << 10))
MOVE(O_ldarg, lanes_splat32(w->sim->arguments[pc->imm]))
MOVE(L_zext_BI, lanes_expand32(w->p[pc->a], chunk) & 1)
MOVE(L_select_I, choose(lanes_expand32(w->p[pc->a], chunk), lanes_load(ROW(pc->b) + at), lanes_load(ROW(pc->c) + at)))

HANDLER(O_nop)
{
    NEXT;
}
