/* scalar_inline.h: the short operations of scalar.def: conversions, rounding, minimum, fma.
 *
 * They are free of branches, of library calls and of integer conversions that SSE2 lacks, so that the
 * compiler turns a loop over lanes into vector code at -O3 -fno-trapping-math -fno-math-errno. (Those two
 * do not change values, only flags and errno, which nobody reads.) Rounding adds and subtracts the power of
 * two whose unit in the last place is 1, which needs round-to-nearest and no wider intermediate precision.
 * Included by scalar.h only.
 */
#ifndef KERNC_SCALAR_INLINE_H
#define KERNC_SCALAR_INLINE_H

#include <float.h>
_Static_assert(FLT_EVAL_METHOD == 0, "floats must be evaluated in their own type (x86: -msse2)");
#ifdef __FAST_MATH__
#error "kernc's arithmetic is exact: compile without -ffast-math"
#endif

/* ---- bits in reverse order: swap neighbours, pairs, nibbles, bytes, halves ------------------------- */

static inline uint32_t scalar_brev32(uint32_t x)
{
    x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
    x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
    x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
    x = (x >> 8 & 0x00ff00ffu) | (x & 0x00ff00ffu) << 8;
    return x >> 16 | x << 16;
}
static inline uint64_t scalar_brev64(uint64_t x)
{
    x = (x >> 1 & 0x5555555555555555u) | (x & 0x5555555555555555u) << 1;
    x = (x >> 2 & 0x3333333333333333u) | (x & 0x3333333333333333u) << 2;
    x = (x >> 4 & 0x0f0f0f0f0f0f0f0fu) | (x & 0x0f0f0f0f0f0f0f0fu) << 4;
    x = (x >> 8 & 0x00ff00ff00ff00ffu) | (x & 0x00ff00ff00ff00ffu) << 8;
    x = (x >> 16 & 0x0000ffff0000ffffu) | (x & 0x0000ffff0000ffffu) << 16;
    return x >> 32 | x << 32;
}

/* ---- sign and choice ----------------------------------------------------------------------------- */

static inline float scalar_copysignf(float a, float b)
{
    return scalar_from_f32((scalar_raw_f32(a) & 0x7fffffffu) | (scalar_raw_f32(b) & 0x80000000u));
}
static inline double scalar_copysign(double a, double b)
{
    return scalar_from_f64((scalar_raw_f64(a) & INT64_MAX) | (scalar_raw_f64(b) & (uint64_t)1 << 63));
}

/* Equal numbers differ in the sign of zero at most: joining their bits prefers -0, meeting them +0. */
#define FLOAT_CHOICE(name, type, word, raw, from, before, on_equal)                                          \
    static inline type name(type a, type b)                                                                  \
    {                                                                                                        \
        word x = raw(a), y = raw(b), r = a before b ? x : y;                                                 \
        r = a == b ? (x on_equal y) : r;                                                                     \
        return from(b != b ? x : r);                                                                         \
    }
FLOAT_CHOICE(scalar_fminf, float, uint32_t, scalar_raw_f32, scalar_from_f32, <, |)
FLOAT_CHOICE(scalar_fmaxf, float, uint32_t, scalar_raw_f32, scalar_from_f32, >, &)
FLOAT_CHOICE(scalar_fmin, double, uint64_t, scalar_raw_f64, scalar_from_f64, <, |)
FLOAT_CHOICE(scalar_fmax, double, uint64_t, scalar_raw_f64, scalar_from_f64, >, &)
#undef FLOAT_CHOICE

/* ---- rounding to integers ------------------------------------------------------------------------ */

/* UNIT is where all numbers become integers. Steps are added as a choice of constants, never computed in one
 * arm of a condition, which would keep the compiler from vectorising.
 * The last copysign gives zeros their sign.
 */
#define ROUNDING(f, type, fabs, UNIT)                                                                        \
    static inline type scalar_rint##f(type x)                                                                \
    {                                                                                                        \
        type m = fabs(x), r = scalar_copysign##f((m + (UNIT)) - (UNIT), x);                                  \
        return m < (UNIT) ? r : x;                                                                           \
    }                                                                                                        \
    static inline type scalar_floor##f(type x)                                                               \
    {                                                                                                        \
        type r = scalar_rint##f(x), step = r > x ? 1 : 0;                                                    \
        return r - step;                                                                                     \
    }                                                                                                        \
    static inline type scalar_ceil##f(type x)                                                                \
    {                                                                                                        \
        type r = scalar_rint##f(x), step = r < x ? 1 : 0;                                                    \
        return scalar_copysign##f(r + step, x);                                                              \
    }                                                                                                        \
    static inline type scalar_trunc##f(type x)                                                               \
    {                                                                                                        \
        type m = fabs(x), r = scalar_rint##f(m), step = r > m ? 1 : 0;                                       \
        return scalar_copysign##f(r - step, x);                                                              \
    }                                                                                                        \
    static inline type scalar_round##f(type x)                                                               \
    {                                                                                                        \
        type m = fabs(x), r = scalar_rint##f(m), step = m - r == (type)0.5 ? 1 : 0;                          \
        return scalar_copysign##f(r + step, x);                                                              \
    }
ROUNDING(f, float, __builtin_fabsf, 0x1p23f)
ROUNDING(, double, __builtin_fabs, 0x1p52)
#undef ROUNDING

/* ---- floats to integers: out of range clamps, NaN gives 0 ------------------------------------------ */

static inline uint32_t scalar_ftosi32(float x)
{
    int32_t r = (int32_t)(x >= -0x1p31f && x < 0x1p31f ? x : 0);
    r = x >= 0x1p31f ? INT32_MAX : r;
    return (uint32_t)(x < -0x1p31f ? INT32_MIN : r);
}
/* The upper half of the range is converted 2^31 lower, exactly, and moved back by setting the top bit. */
static inline uint32_t scalar_ftoui32(float x)
{
    float lower = x >= 0x1p31f ? x - 0x1p31f : x;
    uint32_t top = x >= 0x1p31f ? 0x80000000u : 0;
    uint32_t r = (uint32_t)(int32_t)(lower > 0 && lower < 0x1p31f ? lower : 0) | top;
    return x >= 0x1p32f ? UINT32_MAX : r;
}
static inline uint32_t scalar_dtosi32(double x)
{
    x = x == x ? x : 0;
    x = x < 2147483647.0 ? x : 2147483647.0;
    x = x > -2147483648.0 ? x : -2147483648.0;
    return (uint32_t)(int32_t)x;
}
/* The integer part, below 2^52, has its bits at the low end of what 2^52 more is stored as. */
static inline uint32_t scalar_dtoui32(double x)
{
    x = x > 0 ? x : 0;
    x = x < 4294967295.0 ? x : 4294967295.0;
    return (uint32_t)scalar_raw_f64(scalar_trunc(x) + 0x1p52);
}
static inline uint64_t scalar_dtosi64(double x)
{
    int64_t r = (int64_t)(x >= -0x1p63 && x < 0x1p63 ? x : 0);
    r = x >= 0x1p63 ? INT64_MAX : r;
    return (uint64_t)(x < -0x1p63 ? INT64_MIN : r);
}
static inline uint64_t scalar_dtoui64(double x)
{
    double lower = x >= 0x1p63 ? x - 0x1p63 : x;
    uint64_t top = x >= 0x1p63 ? (uint64_t)1 << 63 : 0;
    uint64_t r = (uint64_t)(int64_t)(lower > 0 && lower < 0x1p63 ? lower : 0) | top;
    return x >= 0x1p64 ? UINT64_MAX : r;
}
static inline uint64_t scalar_ftosi64(float x)
{
    return scalar_dtosi64((double)x);
}
static inline uint64_t scalar_ftoui64(float x)
{
    return scalar_dtoui64((double)x);
}

/* ---- fused multiply-add -------------------------------------------------------------------------- */

/* Without the machine's own: the product is exact in binary64, the sum is rounded to odd there (the error
 * of the sum moves an inexact even result by one towards the exact one), so that rounding it again to
 * binary32 is as good as rounding the exact sum once.
 */
static inline float scalar_fmaf(float a, float b, float c)
{
#ifdef __FMA__
    return __builtin_fmaf(a, b, c);
#else
    double p = (double)a * b, d = c, s = p + d, part = s - p;
    double error = (p - (s - part)) + (d - part);
    uint64_t bits = scalar_raw_f64(s), step = (error > 0) == (s > 0) ? 1 : UINT64_MAX;
    step = (error > 0 || error < 0) ? step : 0;
    return (float)scalar_from_f64(bits + (bits & 1 ? 0 : step));
#endif
}
/* The library's fma is exact by definition, so it is the same on every host. */
static inline double scalar_fma(double a, double b, double c)
{
    return __builtin_fma(a, b, c);
}

#endif
