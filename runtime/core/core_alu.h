/* core_alu.h: the operations of base/scalar.def in their six forms (see bytecode.def). Part of core.c.
 *
 * One template for each shape of operands. A K operation calls its function for the active lanes only; all
 * others run over every lane, and V_ forms blend the result into the active ones. Lanes that are not active
 * may compute garbage: nothing here can fault.
 */
#include "base/math_quick.h"
#include "runtime/core/lane_ops.h"

/* Registers by the letters of scalar.def. */
#define LANES_OF_I(reg) ((uint32_t *)LANE_VECTOR(reg))
#define LANES_OF_L(reg) ((uint64_t *)LANE_VECTOR(reg))
#define LANES_OF_F(reg) ((float *)LANE_VECTOR(reg))
#define LANES_OF_D(reg) ((double *)LANE_VECTOR(reg))
#define GET_B(s) ((bool)((s) & 1))
#define GET_I(s) ((uint32_t)(s))
#define GET_L(s) (s)
#define GET_F(s) scalar_from_f32((uint32_t)(s))
#define GET_D(s) scalar_from_f64(s)
#define PUT_B(x) (uint64_t)(x)
#define PUT_I(x) (uint64_t)(x)
#define PUT_L(x) (x)
#define PUT_F(x) (uint64_t)scalar_raw_f32(x)
#define PUT_D(x) scalar_raw_f64(x)

/* Operations that take a machine longer than to look whether a chunk has active lanes:
 * chunks without are left out. */
static inline bool is_slow(enum scalar_op op)
{
    return op == SCALAR_OP_div || op == SCALAR_OP_sqrt || op == SCALAR_OP_sdiv || op == SCALAR_OP_udiv ||
           op == SCALAR_OP_srem || op == SCALAR_OP_urem;
}
#define HAS_LANES(active, c, n) LIKELY((active) & UINT64_MAX >> (64 - (n)) << (c) * (n))
#define WORTH_CHUNK(op, active, c, n) (!is_slow(SCALAR_OP_##op) || HAS_LANES(active, c, n))

/* The T_ and V_ handlers of one case; FETCH declares a, b, c, e of lane i.
 * A chunk of the result at a time. */
#define LANE_HANDLERS(op, name, R, POINTERS, FETCH, formula)                                                 \
    HANDLER(T_##name)                                                                                        \
    {                                                                                                        \
        scalar_ctype_##R *d = LANES_OF_##R(pc->d);                                                           \
        uint64_t active = w->active;                                                                         \
        POINTERS                                                                                             \
        if (calls_##op()) {                                                                                  \
            lanes_leave();                                                                                   \
            rt_each_lane(i, active) {                                                                   \
                FETCH d[i] = (formula);                                                                      \
            }                                                                                                \
            NEXT(1);                                                                                         \
        }                                                                                                    \
        CHUNK_LOOP (chunk, LANES / CHUNK_OF(*d))                                                             \
            if (WORTH_CHUNK(op, active, chunk, CHUNK_OF(*d)))                                                \
                CHUNK_LANES (i, chunk, CHUNK_OF(*d)) {                                                       \
                    FETCH d[i] = (formula);                                                                  \
                }                                                                                            \
        NEXT(1);                                                                                             \
    }                                                                                                        \
    HANDLER(V_##name)                                                                                        \
    {                                                                                                        \
        if (calls_##op())                                                                                    \
            return T_##name(PASS);                                                                           \
        scalar_ctype_##R *d = LANES_OF_##R(pc->d);                                                           \
        uint64_t active = w->active;                                                                         \
        POINTERS                                                                                             \
        const uint32_t *mask = LANE_MASK;                                                                    \
        CHUNK_LOOP (chunk, LANES / CHUNK_OF(*d))                                                             \
            if (WORTH_CHUNK(op, active, chunk, CHUNK_OF(*d)))                                                \
                MERGE_CHUNK(R, chunk, FETCH, formula)                                                        \
        NEXT(1);                                                                                             \
    }
#define SCALAR_HANDLER(op, name, R, FETCH, formula)                                                          \
    HANDLER(S_##name)                                                                                        \
    {                                                                                                        \
        if (calls_##op())                                                                                    \
            lanes_leave();                                                                                   \
        FETCH S[pc->d] = PUT_##R((formula));                                                                 \
        NEXT(1);                                                                                             \
    }
#define FETCH_1(A) scalar_ctype_##A a = x[i];
#define FETCH_2(A, B) FETCH_1(A) scalar_ctype_##B b = y[i];
#define FETCH_3(A, B, C) FETCH_2(A, B) scalar_ctype_##C c = z[i];
#define FETCH_4(A, B, C, E) FETCH_3(A, B, C) scalar_ctype_##E e = u[i];
#define POINTERS_1(A) const scalar_ctype_##A *x = LANES_OF_##A(pc->a);
#define POINTERS_2(A, B) POINTERS_1(A) const scalar_ctype_##B *y = LANES_OF_##B(pc->b);
#define POINTERS_3(A, B, C) POINTERS_2(A, B) const scalar_ctype_##C *z = LANES_OF_##C(pc->c);
#define POINTERS_4(A, B, C, E) POINTERS_3(A, B, C) const scalar_ctype_##E *u = LANES_OF_##E(pc->e);
#define SCALAR_1(A) scalar_ctype_##A a = GET_##A(S[pc->a]);
#define SCALAR_2(A, B) SCALAR_1(A) scalar_ctype_##B b = GET_##B(S[pc->b]);
#define SCALAR_3(A, B, C) SCALAR_2(A, B) scalar_ctype_##C c = GET_##C(S[pc->c]);
#define SCALAR_4(A, B, C, E) SCALAR_3(A, B, C) scalar_ctype_##E e = GET_##E(S[pc->e]);

/* Cases whose operands or results are lane masks. */
#define MASK_HANDLERS(name, value)                                                                           \
    HANDLER(T_##name)                                                                                        \
    {                                                                                                        \
        M[pc->d] = (value);                                                                                  \
        NEXT(1);                                                                                             \
    }                                                                                                        \
    HANDLER(V_##name)                                                                                        \
    {                                                                                                        \
        uint64_t r = (value);                                                                                \
        M[pc->d] = (r & w->active) | (M[pc->d] & ~w->active);                                                \
        NEXT(1);                                                                                             \
    }
MASK_HANDLERS(not_B, ~M[pc->a])
MASK_HANDLERS(and_B, M[pc->a] & M[pc->b])
MASK_HANDLERS(or_B, M[pc->a] | M[pc->b])
MASK_HANDLERS(xor_B, M[pc->a] ^ M[pc->b])
MASK_HANDLERS(eq_B, ~(M[pc->a] ^ M[pc->b]))
MASK_HANDLERS(ne_B, M[pc->a] ^ M[pc->b])
MASK_HANDLERS(select_B, (M[pc->a] & M[pc->b]) | (~M[pc->a] & M[pc->c]))

/* Comparisons of lanes with lanes, and with one value: the formula is evaluated on machine vectors,
 * where it means the same. */
#define COMPARE_B(name, formula)
#define COMPARE_CHUNKS(A, vec_s, kind, FETCH_RIGHT, formula)                                                 \
    {                                                                                                        \
        uint64_t bits = 0;                                                                                   \
        CHUNK_LOOP (chunk, LANES / CHUNK_##kind) {                                                           \
            vec_##A a, b;                                                                                    \
            memcpy(&a, x + chunk * VECTOR_BYTES, VECTOR_BYTES);                                              \
            FETCH_RIGHT;                                                                                     \
            bits |= lanes_bits_##kind((vec_s)(formula)) << chunk * CHUNK_##kind;                             \
        }                                                                                                    \
        return bits;                                                                                         \
    }
#define COMPARE_WITH(name, A, vec_s, kind, formula)                                                          \
    static inline uint64_t compare_##name(const struct rt_warp *w, const uint8_t *x, const uint8_t *y)       \
        COMPARE_CHUNKS(A, vec_s, kind, memcpy(&b, y + chunk * VECTOR_BYTES, VECTOR_BYTES), formula)          \
    static inline uint64_t compare_one_##name(const struct rt_warp *w, const uint8_t *x, uint64_t y)         \
        COMPARE_CHUNKS(A, vec_s, kind, b = (vec_##A)lanes_splat##kind((uint##kind##_t)y), formula)
#define COMPARE_I(name, formula) COMPARE_WITH(name, I, vec_i, 32, formula)
#define COMPARE_F(name, formula) COMPARE_WITH(name, F, vec_i, 32, formula)
#define COMPARE_L(name, formula) COMPARE_WITH(name, L, vec_l, 64, formula)
#define COMPARE_D(name, formula) COMPARE_WITH(name, D, vec_l, 64, formula)
#define IGNORE_B(A, name, formula) COMPARE_##A(name, formula)
#define IGNORE_I(A, name, formula)
#define IGNORE_L(A, name, formula)
#define IGNORE_F(A, name, formula)
#define IGNORE_D(A, name, formula)
#define i32(x) ((vec_i)(x))
#define i64(x) ((vec_l)(x))
#define S2(op, name, R, A, B, formula) IGNORE_##R(A, name, formula)
#include "base/scalar.def"
#undef i32
#undef i64
COMPARE_WITH(unsigned_le, I, vec_i, 32, lanes_ule(a, b))
COMPARE_WITH(unsigned_ge, I, vec_i, 32, lanes_ule(b, a))
#define compare_ule_I     compare_unsigned_le
#define compare_one_ule_I compare_one_unsigned_le
#define compare_ult_I(w, x, y)     (~compare_unsigned_ge(w, x, y))
#define compare_one_ult_I(w, x, y) (~compare_one_unsigned_ge(w, x, y))

#define compare_eq_B(w, x, y)     (~(M[pc->a] ^ M[pc->b]))
#define compare_ne_B(w, x, y)     (M[pc->a] ^ M[pc->b])
#define compare_one_ne_B(w, x, y) (M[pc->a] ^ -(S[pc->b] & 1))
#define compare_one_eq_B(w, x, y) (~compare_one_ne_B(w, x, y))
#define COMPARED(name)                                                                                       \
    compare_##name(w, (const uint8_t *)LANE_VECTOR(pc->a), (const uint8_t *)LANE_VECTOR(pc->b))
#define COMPARED_ONE(name) compare_one_##name(w, (const uint8_t *)LANE_VECTOR(pc->a), S[pc->b])

/* B_, U_: lanes where the comparison holds go one way, the others the other. C_: all go together. */
#define BRANCH_HANDLERS(name, A, B, formula)                                                                 \
    HANDLER(B_##name)                                                                                        \
    {                                                                                                        \
        uint64_t yes = COMPARED(name) & w->active;                                                           \
        BRANCH_LANES(yes);                                                                                   \
    }                                                                                                        \
    HANDLER(U_##name)                                                                                        \
    {                                                                                                        \
        uint64_t yes = COMPARED_ONE(name) & w->active;                                                       \
        BRANCH_LANES(yes);                                                                                   \
    }                                                                                                        \
    HANDLER(C_##name)                                                                                        \
    {                                                                                                        \
        SCALAR_2(A, B)                                                                                       \
        BRANCH_SCALAR(formula);                                                                              \
    }
#define LANE_COMPARE_B(name)
#define LANE_COMPARE_I(name) MASK_HANDLERS(name, COMPARED(name))
#define LANE_COMPARE_L(name) MASK_HANDLERS(name, COMPARED(name))
#define LANE_COMPARE_F(name) MASK_HANDLERS(name, COMPARED(name))
#define LANE_COMPARE_D(name) MASK_HANDLERS(name, COMPARED(name))

/* and_B, or_B and xor_B are no comparisons, but their lane forms are masks too and stand above. */
#define BINARY_B(op, name, A, B, formula) LANE_COMPARE_##A(name) BRANCH_HANDLERS(name, A, B, formula)
#define BINARY_I(op, name, A, B, formula) BINARY(op, name, I, A, B, formula)
#define BINARY_L(op, name, A, B, formula) BINARY(op, name, L, A, B, formula)
#define BINARY_F(op, name, A, B, formula) BINARY(op, name, F, A, B, formula)
#define BINARY_D(op, name, A, B, formula) BINARY(op, name, D, A, B, formula)
#define BINARY(op, name, R, A, B, formula)                                                                   \
    LANE_HANDLERS(op, name, R, POINTERS_2(A, B), FETCH_2(A, B), formula)
#define compare_and_B(w, x, y) (M[pc->a] & M[pc->b])
#define compare_or_B(w, x, y) (M[pc->a] | M[pc->b])
#define compare_xor_B(w, x, y) (M[pc->a] ^ M[pc->b])
#define compare_one_and_B   compare_and_B
#define compare_one_or_B    compare_or_B
#define compare_one_xor_B   compare_xor_B

/* Masks spread into lanes. */
#define UNARY_B(op, name, R, formula) SPREAD_##R(name)
#define SPREAD_B(name)
#define SPREAD(name, R, kind)                                                                         \
    HANDLER(T_##name)                                                                                        \
    {                                                                                                        \
        CHUNK_LOOP (chunk, LANES / CHUNK_##kind) {                                                           \
            vec_##R one = lanes_expand##kind(M[pc->a], chunk) & 1;                                           \
            memcpy((uint8_t *)LANE_VECTOR(pc->d) + chunk * VECTOR_BYTES, &one, VECTOR_BYTES);                \
        }                                                                                                    \
        NEXT(1);                                                                                             \
    }                                                                                                        \
    HANDLER(V_##name)                                                                                        \
    {                                                                                                        \
        CHUNK_LOOP (chunk, LANES / CHUNK_##kind) {                                                           \
            uint8_t *d = (uint8_t *)LANE_VECTOR(pc->d) + chunk * VECTOR_BYTES;                               \
            vec_##R mask = lanes_expand##kind(w->active, chunk), old;                                        \
            memcpy(&old, d, VECTOR_BYTES);                                                                   \
            old = (lanes_expand##kind(M[pc->a], chunk) & 1 & mask) | (old & ~mask);                          \
            memcpy(d, &old, VECTOR_BYTES);                                                                   \
        }                                                                                                    \
        NEXT(1);                                                                                             \
    }
#define SPREAD_I(name) SPREAD(name, I, 32)
#define SPREAD_L(name) SPREAD(name, L, 64)
#define UNARY_I(op, name, R, formula) UNARY(op, name, R, I, formula)
#define UNARY_L(op, name, R, formula) UNARY(op, name, R, L, formula)
#define UNARY_F(op, name, R, formula) UNARY(op, name, R, F, formula)
#define UNARY_D(op, name, R, formula) UNARY(op, name, R, D, formula)
#define UNARY(op, name, R, A, formula) LANE_HANDLERS(op, name, R, POINTERS_1(A), FETCH_1(A), formula)

/* d = a ? b : c with masks of 32 or 64 bits; only bits are moved. */
#define SELECT(name, kind)                                                                                   \
    HANDLER(T_##name)                                                                                        \
    {                                                                                                        \
        select_chunks_##kind(w, (uint8_t *)LANE_VECTOR(pc->d), M[pc->a],                                     \
                             (const uint8_t *)LANE_VECTOR(pc->b), (const uint8_t *)LANE_VECTOR(pc->c),       \
                             UINT64_MAX);                                                                    \
        NEXT(1);                                                                                             \
    }                                                                                                        \
    HANDLER(V_##name)                                                                                        \
    {                                                                                                        \
        select_chunks_##kind(w, (uint8_t *)LANE_VECTOR(pc->d), M[pc->a],                                     \
                             (const uint8_t *)LANE_VECTOR(pc->b), (const uint8_t *)LANE_VECTOR(pc->c),       \
                             w->active);                                                                     \
        NEXT(1);                                                                                             \
    }
#define SELECT_CHUNKS(vec, kind)                                                                             \
    static inline void select_chunks_##kind(const struct rt_warp *w, uint8_t *d, uint64_t condition,         \
                                            const uint8_t *b, const uint8_t *c, uint64_t active)             \
    {                                                                                                        \
        CHUNK_LOOP (chunk, LANES / CHUNK_##kind) {                                                           \
            size_t at = (size_t)chunk * VECTOR_BYTES;                                                        \
            vec mask = lanes_expand##kind(condition, chunk), x, y, old;                                      \
            memcpy(&x, b + at, VECTOR_BYTES);                                                                \
            memcpy(&y, c + at, VECTOR_BYTES);                                                                \
            x = (x & mask) | (y & ~mask);                                                                    \
            if (active != UINT64_MAX) {                                                                      \
                mask = lanes_expand##kind(active, chunk);                                                    \
                memcpy(&old, d + at, VECTOR_BYTES);                                                          \
                x = (x & mask) | (old & ~mask);                                                              \
            }                                                                                                \
            memcpy(d + at, &x, VECTOR_BYTES);                                                                \
        }                                                                                                    \
    }
SELECT_CHUNKS(vec_I, 32)
SELECT_CHUNKS(vec_L, 64)
#define TERNARY_B(op, name, R, B, C, formula) SELECT_##R(name)
#define SELECT_B(name)
#define SELECT_I(name) SELECT(name, 32)
#define SELECT_F(name) SELECT(name, 32)
#define SELECT_L(name) SELECT(name, 64)
#define SELECT_D(name) SELECT(name, 64)
#define TERNARY_F(op, name, R, B, C, formula)                                                                \
    LANE_HANDLERS(op, name, R, POINTERS_3(F, B, C), FETCH_3(F, B, C), formula)
#define TERNARY_D(op, name, R, B, C, formula)                                                                \
    LANE_HANDLERS(op, name, R, POINTERS_3(D, B, C), FETCH_3(D, B, C), formula)

/* Division of lanes by way of binary64, which machines have as vector instructions. Exact: a quotient that is
 * no integer is at least 2^-32 of itself away from the next, and rounding moves it by 2^-53 of itself. Adding
 * 2^52 (1.5 * 2^52 where it may be negative) leaves an integer's low 32 bits at the low end. b == 0 gives all
 * ones, a - a / b * b is then a. */
static inline uint32_t lane_udiv32(uint32_t a, uint32_t b)
{
    uint32_t q = (uint32_t)scalar_raw_f64(scalar_trunc((double)a / (double)b) + 0x1p52);
    return b ? q : UINT32_MAX;
}
static inline uint32_t lane_sdiv32(uint32_t a, uint32_t b)
{
    uint32_t q = (uint32_t)scalar_raw_f64(scalar_trunc((double)i32(a) / (double)i32(b)) + 0x1.8p52);
    return b ? q : UINT32_MAX;
}
static inline uint32_t lane_urem32(uint32_t a, uint32_t b)
{
    return a - lane_udiv32(a, b) * b;
}
static inline uint32_t lane_srem32(uint32_t a, uint32_t b)
{
    return a - lane_sdiv32(a, b) * b;
}
#define scalar_udiv32 lane_udiv32
#define scalar_sdiv32 lane_sdiv32
#define scalar_urem32 lane_urem32
#define scalar_srem32 lane_srem32

/* Whether one lane after the other takes less time than the chunks that have lanes: a chunk takes as long as
 * two or three calls of a function. */
static inline bool are_few(const struct rt_warp *w, uint64_t active)
{
    int lanes = __builtin_popcountll(active), chunks = 0;
    CHUNK_LOOP (chunk, LANES / CHUNK_32)
        chunks += (active & UINT64_MAX >> (64 - CHUNK_32) << chunk * CHUNK_32) != 0;
    return lanes <= 2 * chunks;
}

/* x in active lanes, 0 in others, from whose values denormal numbers might come. */
static inline float active_or_zero(float x, uint32_t mask)
{
    return scalar_from_f32(scalar_raw_f32(x) & mask);
}

/* Functions of floats that are quick if all active lanes have what most have (base/math_quick.h). */
#define QUICK_HANDLER(op, form, do_chunk)                                                                    \
    HANDLER(form)                                                                                            \
    {                                                                                                        \
        float *d = LANES_OF_F(pc->d);                                                                        \
        const float *x = LANES_OF_F(pc->a);                                                                  \
        uint64_t active = w->active;                                                                         \
        const uint32_t *mask = LANE_MASK;                                                                    \
        if (are_few(w, active) || UNLIKELY(active & ~quick_lanes_##op(w, x))) {                              \
            slow_lanes_##op(d, x, active);                                                                   \
            NEXT(1);                                                                                         \
        }                                                                                                    \
        CHUNK_LOOP (chunk, LANES / CHUNK_32)                                                                 \
            if (HAS_LANES(active, chunk, CHUNK_32)) {                                                        \
                do_chunk                                                                                     \
            }                                                                                                \
        NEXT(1);                                                                                             \
    }
#define QUICK_HANDLERS(op, name)                                                                             \
    static inline uint64_t quick_lanes_##op(const struct rt_warp *w, const float *x)                         \
    {                                                                                                        \
        uint64_t bits = 0;                                                                                   \
        CHUNK_LOOP (chunk, LANES / CHUNK_32) {                                                               \
            vec_F a;                                                                                         \
            memcpy(&a, x + chunk * CHUNK_32, VECTOR_BYTES);                                                  \
            bits |= lanes_bits_32((vec_i)(QUICK_HOLDS_##op(a))) << chunk * CHUNK_32;                         \
        }                                                                                                    \
        return bits;                                                                                         \
    }                                                                                                        \
    static __attribute__((noinline)) void slow_lanes_##op(float *d, const float *x, uint64_t active)         \
    {                                                                                                        \
        lanes_leave();                                                                                       \
        rt_each_lane(i, active)                                                                         \
            d[i] = scalar_##op##f(x[i]);                                                                     \
    }                                                                                                        \
    QUICK_HANDLER(op, T_##name,                                                                              \
                  CHUNK_LANES (i, chunk, CHUNK_32)                                                           \
                      d[i] = quick_##op(active_or_zero(x[i], mask[i]));)                                     \
    QUICK_HANDLER(op, V_##name,                                                                              \
                  MERGE_CHUNK(F, chunk, FETCH_1(F), quick_##op(active_or_zero(a, mask[i]))))
#define Q1(op, name, R, A, formula) QUICK_HANDLERS(op, name) SCALAR_HANDLER(op, name, R, SCALAR_1(A), formula)
#define S1(op, name, R, A, formula)                                                                          \
    UNARY_##A(op, name, R, formula) SCALAR_HANDLER(op, name, R, SCALAR_1(A), formula)
#define S2(op, name, R, A, B, formula)                                                                       \
    BINARY_##R(op, name, A, B, formula) SCALAR_HANDLER(op, name, R, SCALAR_2(A, B), formula)
#define S3(op, name, R, A, B, C, formula)                                                                    \
    TERNARY_##A(op, name, R, B, C, formula) SCALAR_HANDLER(op, name, R, SCALAR_3(A, B, C), formula)
#define S4(op, name, R, A, B, C, E, formula)                                                                 \
    LANE_HANDLERS(op, name, R, POINTERS_4(A, B, C, E), FETCH_4(A, B, C, E), formula)                         \
    SCALAR_HANDLER(op, name, R, SCALAR_4(A, B, C, E), formula)
#include "base/scalar.def"
#undef scalar_udiv32
#undef scalar_sdiv32
#undef scalar_urem32
#undef scalar_srem32

/* Checks of indices. */
HANDLER(O_assert_below)
{
    uint64_t failed =
        w->active & compare_one_unsigned_ge(w, (const uint8_t *)LANE_VECTOR(pc->a), S[pc->b]);
    if (LIKELY(!failed))
        NEXT(1);
    rt_trap_text(w, pc, rt_lowest(failed));
    return NULL;
}
HANDLER(O_assert_below_s)
{
    if (LIKELY((uint32_t)S[pc->a] < (uint32_t)S[pc->b]))
        NEXT(1);
    rt_trap_text(w, pc, rt_lowest(w->active));
    return NULL;
}

/* Guards like `if (i < n)`, in full warps whose lanes count up: if the comparison holds for the last lane, it
 * does for all, unless the count wraps on its way there. */
#define GUARDS(ROW)                                                                                          \
    ROW(ult_I, uint32_t, <) ROW(ule_I, uint32_t, <=) ROW(slt_I, int32_t, <) ROW(sle_I, int32_t, <=)
#define GUARD(name, type, order)                                                                             \
    HANDLER(full_U_##name)                                                                                   \
    {                                                                                                        \
        type first = (type)w->initial.first, last = (type)(w->initial.first + LANES - 1);                    \
        if (UNLIKELY(pc->a != w->initial.ramp || last < first || !(last order (type)S[pc->b])))              \
            return U_##name(PASS);                                                                           \
        BRANCH_SCALAR(true);                                                                                 \
    }
GUARDS(GUARD)
HANDLER(full_assert_below)
{
    uint32_t first = w->initial.first, last = first + LANES - 1;
    if (UNLIKELY(pc->a != w->initial.ramp || last < first || last >= (uint32_t)S[pc->b]))
        return O_assert_below(PASS);
    NEXT(1);
}
