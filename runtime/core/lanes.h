/* lanes.h: vectors of lanes as the machine has them: GNU vector types, masks from and to bits.
 *
 * A chunk is VECTOR_BYTES of a register file slot. Comparisons of vectors give 0 or -1 in each element;
 * lanes_bits_* gather their signs into bits, lanes_expand* spread bits into elements. Intrinsics are used
 * where gcc finds no good code by itself; the plain C beside them is complete.
 */
#ifndef KERNC_RT_LANES_H
#define KERNC_RT_LANES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#if defined __SSE2__
#include <immintrin.h>
#endif

#if defined __AVX2__
#define VECTOR_BYTES 32
#else
#define VECTOR_BYTES 16
#endif
enum { CHUNK_32 = VECTOR_BYTES / 4, CHUNK_64 = VECTOR_BYTES / 8 };

#define VECTOR __attribute__((vector_size(VECTOR_BYTES)))
typedef uint32_t vec_I VECTOR;
typedef uint64_t vec_L VECTOR;
typedef int32_t vec_i VECTOR;
typedef int64_t vec_l VECTOR;
typedef float vec_F VECTOR;
typedef double vec_D VECTOR;

#define LIKELY(c)   __builtin_expect(!!(c), 1)
#define UNLIKELY(c) __builtin_expect(!!(c), 0)

/* A loop over n lanes that gcc turns into vector code: without `unroll 1` it unrolls short loops completely
 * before it looks for vectors. Registers are the same or disjoint, so no iteration depends on another. `n` is
 * looked at once: where it is a variable, stores might change it for all that the compiler knows. */
#define LANE_LOOP(i, n)                                                                                      \
    _Pragma("GCC ivdep") _Pragma("GCC unroll 1") for (unsigned i = 0, end_##i = (n); i < end_##i; i++)
/* A loop over chunks: unrolled whole for AVX2; for `base`, which has more and smaller ones, gcc would take
 * three times as long. Where their number is a variable, each loop stands once. */
#if defined __AVX2__
#define CHUNK_LOOP(c, n) _Pragma("GCC unroll 16") CHUNKS(c, n)
#elif defined CORE_LANES && !CORE_LANES
#define CHUNK_LOOP(c, n) _Pragma("GCC unroll 1") CHUNKS(c, n)
#else
#define CHUNK_LOOP(c, n) _Pragma("GCC unroll 8") CHUNKS(c, n)
#endif
#define CHUNKS(c, n) for (unsigned c = 0, end_##c = (n); c < end_##c; c++)
/* The lanes of chunk c, n in number: with n a constant gcc makes vector code without a loop. */
#define CHUNK_LANES(i, c, n)                                                                                 \
    _Pragma("GCC ivdep") _Pragma("GCC unroll 1") for (unsigned i = (c) * (n); i < ((c) + 1) * (n); i++)
#define CHUNK_OF(x) (unsigned)(VECTOR_BYTES / sizeof(x))
/* All lanes, chunks of x's type at a time: vector code without a loop, where LANE_LOOP leaves one. */
#define EACH_LANE(i, x) CHUNK_LOOP(chunk_##i, LANES / CHUNK_OF(x)) CHUNK_LANES(i, chunk_##i, CHUNK_OF(x))

static inline vec_I lanes_splat32(uint32_t x)
{
    return (vec_I){0} + x;
}
static inline vec_L lanes_splat64(uint64_t x)
{
    return (vec_L){0} + x;
}

#if VECTOR_BYTES == 32
#define LANES_IOTA_32 ((vec_I){0, 1, 2, 3, 4, 5, 6, 7})
#define LANES_BIT_32  ((vec_I){1, 2, 4, 8, 16, 32, 64, 128})
#define LANES_BIT_64  ((vec_L){1, 2, 4, 8})
#else
#define LANES_IOTA_32 ((vec_I){0, 1, 2, 3})
#define LANES_BIT_32  ((vec_I){1, 2, 4, 8})
#define LANES_BIT_64  ((vec_L){1, 2})
#endif

/* Element i of the result is element i ^ step of v. */
static inline vec_I lanes_exchange(vec_I v, uint32_t step)
{
#if defined __clang__ /* which shuffles by constants only */
    vec_I r;
    for (uint32_t i = 0; i < CHUNK_32; i++)
        r[i] = v[i ^ step];
    return r;
#else
    return __builtin_shuffle(v, LANES_IOTA_32 ^ step);
#endif
}

/* Elements of chunk c: all ones where the lane's bit is set. Chunks of the same 32 lanes share the splat. */
static inline vec_I lanes_expand32(uint64_t bits, unsigned c)
{
    unsigned first = c * CHUNK_32;
    vec_I own = LANES_BIT_32 << (first & 31);
    return (vec_I)((lanes_splat32((uint32_t)(bits >> (first & 32))) & own) == own);
}
static inline vec_L lanes_expand64(uint64_t bits, unsigned c)
{
    return (vec_L)((lanes_splat64(bits >> c * CHUNK_64) & LANES_BIT_64) == LANES_BIT_64);
}

#if defined __AVX2__
static inline uint64_t lanes_bits_32(vec_i v)
{
    return (uint32_t)_mm256_movemask_ps((__m256)v);
}
static inline uint64_t lanes_bits_64(vec_l v)
{
    return (uint32_t)_mm256_movemask_pd((__m256d)v);
}
static inline bool lanes_zero(vec_I v)
{
    return _mm256_testz_si256((__m256i)v, (__m256i)v);
}
static inline vec_I lanes_umin(vec_I a, vec_I b)
{
    return (vec_I)_mm256_min_epu32((__m256i)a, (__m256i)b);
}
static inline vec_I lanes_umax(vec_I a, vec_I b)
{
    return (vec_I)_mm256_max_epu32((__m256i)a, (__m256i)b);
}
#else
#if defined __SSE2__
static inline uint64_t lanes_bits_32(vec_i v)
{
    return (uint32_t)_mm_movemask_ps((__m128)v);
}
static inline uint64_t lanes_bits_64(vec_l v)
{
    return (uint32_t)_mm_movemask_pd((__m128d)v);
}
static inline bool lanes_zero(vec_I v)
{
    return _mm_movemask_epi8((__m128i)(v == 0)) == 0xffff;
}
#else
static inline uint64_t lanes_bits_32(vec_i v)
{
    return (uint64_t)(v[0] < 0) | (uint64_t)(v[1] < 0) << 1 | (uint64_t)(v[2] < 0) << 2 |
           (uint64_t)(v[3] < 0) << 3;
}
static inline uint64_t lanes_bits_64(vec_l v)
{
    return (uint64_t)(v[0] < 0) | (uint64_t)(v[1] < 0) << 1;
}
static inline bool lanes_zero(vec_I v)
{
    return (v[0] | v[1] | v[2] | v[3]) == 0;
}
#endif
static inline vec_I lanes_umin(vec_I a, vec_I b)
{
    vec_I less = (vec_I)(a < b);
    return (a & less) | (b & ~less);
}
static inline vec_I lanes_umax(vec_I a, vec_I b)
{
    vec_I less = (vec_I)(a < b);
    return (b & less) | (a & ~less);
}
#endif

static inline vec_I lanes_load(const void *p)
{
    vec_I v;
    memcpy(&v, p, sizeof v);
    return v;
}
static inline void lanes_store(void *p, vec_I v)
{
    memcpy(p, &v, sizeof v);
}

/* Of the lanes' addresses, chunk by chunk: the smallest, the largest, and all their bits. Begun with one
 * address; when all chunks have been added, reduced: the results are in element 0 of each. */
struct lanes_extent {
    vec_I smallest, largest, bits;
};
static inline struct lanes_extent lanes_extent_of(uint32_t first)
{
    vec_I all = lanes_splat32(first);
    return (struct lanes_extent){all, all, all};
}
static inline void lanes_extend(struct lanes_extent *e, vec_I v)
{
    e->smallest = lanes_umin(e->smallest, v);
    e->largest = lanes_umax(e->largest, v);
    e->bits |= v;
}
static inline void lanes_extent_reduce(struct lanes_extent *e)
{
    for (uint32_t step = CHUNK_32 / 2; step; step /= 2) {
        e->smallest = lanes_umin(e->smallest, lanes_exchange(e->smallest, step));
        e->largest = lanes_umax(e->largest, lanes_exchange(e->largest, step));
        e->bits |= lanes_exchange(e->bits, step);
    }
}

/* Adds i * stride to the word of lane i, of n lanes. */
static inline void lanes_add_ramp(uint32_t *words, unsigned n, uint32_t stride)
{
    CHUNK_LOOP(c, n / CHUNK_32)
    {
        vec_I lane = LANES_IOTA_32 + c * CHUNK_32;
        lanes_store(words + c * CHUNK_32, lanes_load(words + c * CHUNK_32) + lane * stride);
    }
}

/* a <= b of unsigned elements, as comparisons give it. */
static inline vec_i lanes_ule(vec_I a, vec_I b)
{
#if defined __AVX2__ /* which compares signed elements only */
    return (vec_i)(lanes_umin(a, b) == a);
#else
    return (vec_i)(a <= b);
#endif
}

/* Elements of `yes` where the mask is all ones, of `no` where it is 0. For AVX2, gcc makes code of the
 * formula that loads `no` twice, and of the intrinsic a comparison more. */
static inline vec_I lanes_blend(vec_I mask, vec_I yes, vec_I no)
{
#if defined __AVX2__
    vec_I r;
    __asm__("vblendvps %3, %2, %1, %0" : "=x"(r) : "x"(no), "x"(yes), "x"(mask));
    return r;
#else
    return (yes & mask) | (no & ~mask);
#endif
}

/* The chunk of a register at `d` gets the lanes of `r` whose word of `masks` is all ones: 32-bit and 64-bit
 * lanes. */
static inline void lanes_merge32(void *d, const void *r, const uint32_t *masks)
{
    lanes_store(d, lanes_blend(lanes_load(masks), lanes_load(r), lanes_load(d)));
}
static inline void lanes_merge64(void *d, const void *r, const uint32_t *masks)
{
#if defined __AVX2__
    vec_I wide = (vec_I)_mm256_cvtepi32_epi64(_mm_loadu_si128((const __m128i *)(const void *)masks));
#else
    vec_I wide;
    for (uint32_t i = 0; i < CHUNK_32; i++)
        wide[i] = masks[i / 2];
#endif
    lanes_store(d, lanes_blend(wide, lanes_load(r), lanes_load(d)));
}

/* Code for narrower vectors runs slowly until this has been called. The core is compiled without the
 * compiler's own calls of it, which would come with every instruction (-mno-vzeroupper). */
static inline void lanes_leave(void)
{
#if defined __AVX2__
    _mm256_zeroupper();
#endif
}

#endif
