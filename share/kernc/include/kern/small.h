/* small.h: floats of 16 bits, half and bfloat16: computed as float, and rounded to the nearest, halves to
 * even.
 *
 * __KERN_SMALL(S, V, …) makes the type S of one, V of two, and their functions, from two that convert bits.
 */
#ifndef __KERN_SMALL_H__
#define __KERN_SMALL_H__

#include "operations.h"
#include "vectors.h"
#include "warp.h"
#include "math.h"

/* ---- bits -------------------------------------------------------------------------------------------- */

/* From and to 1 bit of sign, 5 of exponent and 10 of fraction. */
__KERN_CODE float __kern_from_half(unsigned short h)
{
    unsigned sign = (unsigned)(h & 0x8000) << 16, rest = h & 0x7fff;
    if (rest >= 0x7c00)
        return __uint_as_float(sign | 0x7f800000 | (rest & 0x3ff) << 13);
    /* The exponent moves from a bias of 15 to one of 127 by a product, which numbers without a leading one
     * need, too. */
    return __uint_as_float(sign | __float_as_uint(__uint_as_float(rest << 13) * 0x1p112f));
}
__KERN_CODE unsigned short __kern_to_half(float f)
{
    unsigned bits = __float_as_uint(f), sign = bits >> 16 & 0x8000, rest = bits & 0x7fffffff;
    if (rest > 0x7f800000)
        return 0x7fff;
    if (rest >= 0x477ff000) /* 65520 and more */
        return (unsigned short)(sign | 0x7c00);
    if (rest < 0x38800000) /* less than 2^-14: its units are 2^-24 */
        return (unsigned short)(sign | (unsigned)__kern_rint(__uint_as_float(rest) * 0x1p24f));
    rest += 0xfff + (rest >> 13 & 1);
    return (unsigned short)(sign | (rest - 0x38000000) >> 13);
}
/* The upper half of a float. */
__KERN_INLINE float __kern_from_bfloat(unsigned short b) { return __uint_as_float((unsigned)b << 16); }
__KERN_CODE unsigned short __kern_to_bfloat(float f)
{
    unsigned bits = __float_as_uint(f);
    if ((bits & 0x7fffffff) > 0x7f800000)
        return 0x7fff;
    return (unsigned short)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/* ---- the types --------------------------------------------------------------------------------------- */

#define __KERN_SMALL(S, V, from, to)                                                                         \
    struct S {                                                                                               \
        unsigned short __x;                                                                                  \
        S() = default;                                                                                       \
        __KERN_MEMBER S(float a) : __x(to(a)) {}                                                             \
        __KERN_MEMBER S(double a) : __x(to((float)a)) {}                                                     \
        template <class T, class = std::enable_if_t<std::is_integral<T>::value>>                             \
        __KERN_MEMBER S(T a) : __x(to((float)a))                                                             \
        {                                                                                                    \
        }                                                                                                    \
        __KERN_MEMBER operator float() const { return from(__x); }                                           \
        __KERN_MEMBER S &operator+=(S b) { return *this = S((float)*this + (float)b); }                      \
        __KERN_MEMBER S &operator-=(S b) { return *this = S((float)*this - (float)b); }                      \
        __KERN_MEMBER S &operator*=(S b) { return *this = S((float)*this * (float)b); }                      \
        __KERN_MEMBER S &operator/=(S b) { return *this = S((float)*this / (float)b); }                      \
        __KERN_MEMBER S &operator++() { return *this += S(1.0f); }                                           \
        __KERN_MEMBER S &operator--() { return *this -= S(1.0f); }                                           \
    };                                                                                                       \
    __KERN_INLINE S operator-(S a)                                                                           \
    {                                                                                                        \
        a.__x ^= 0x8000;                                                                                     \
        return a;                                                                                            \
    }                                                                                                        \
    __KERN_INLINE S operator+(S a, S b) { return a += b; }                                                   \
    __KERN_INLINE S operator-(S a, S b) { return a -= b; }                                                   \
    __KERN_INLINE S operator*(S a, S b) { return a *= b; }                                                   \
    __KERN_INLINE S operator/(S a, S b) { return a /= b; }                                                   \
    __KERN_INLINE bool operator==(S a, S b) { return (float)a == (float)b; }                                 \
    __KERN_INLINE bool operator!=(S a, S b) { return (float)a != (float)b; }                                 \
    __KERN_INLINE bool operator<(S a, S b) { return (float)a < (float)b; }                                   \
    __KERN_INLINE bool operator>(S a, S b) { return (float)a > (float)b; }                                   \
    __KERN_INLINE bool operator<=(S a, S b) { return (float)a <= (float)b; }                                 \
    __KERN_INLINE bool operator>=(S a, S b) { return (float)a >= (float)b; }                                 \
    struct __align__(4) V                                                                                    \
    {                                                                                                        \
        S x, y;                                                                                              \
        V() = default;                                                                                       \
        __KERN_MEMBER V(S x, S y) : x(x), y(y) {}                                                            \
    };                                                                                                       \
    __KERN_SMALL_PAIRS(S, V, +)                                                                              \
    __KERN_SMALL_PAIRS(S, V, -)                                                                              \
    __KERN_SMALL_PAIRS(S, V, *)                                                                              \
    __KERN_SMALL_PAIRS(S, V, /)                                                                              \
    __KERN_INLINE V operator-(V a) { return V(-a.x, -a.y); }                                                 \
    __KERN_INLINE S __hadd(S a, S b) { return a + b; }                                                       \
    __KERN_INLINE S __hsub(S a, S b) { return a - b; }                                                       \
    __KERN_INLINE S __hmul(S a, S b) { return a * b; }                                                       \
    __KERN_INLINE S __hdiv(S a, S b) { return a / b; }                                                       \
    __KERN_INLINE S __hneg(S a) { return -a; }                                                               \
    __KERN_INLINE S __habs(S a)                                                                              \
    {                                                                                                        \
        a.__x &= 0x7fff;                                                                                     \
        return a;                                                                                            \
    }                                                                                                        \
    __KERN_INLINE S __hfma(S a, S b, S c) { return S((double)a * (double)b + (double)c); }                   \
    __KERN_INLINE S __hadd_sat(S a, S b) { return S(__saturatef((float)a + (float)b)); }                     \
    __KERN_INLINE S __hmul_sat(S a, S b) { return S(__saturatef((float)a * (float)b)); }                     \
    __KERN_INLINE bool __hisnan(S a) { return (float)a != (float)a; }                                        \
    __KERN_INLINE int __hisinf(S a) { return __builtin_fabsf(a) == __builtin_inff(); }                       \
    __KERN_INLINE S __hmin(S a, S b) { return S(__kern_min((float)a, (float)b)); }                           \
    __KERN_INLINE S __hmax(S a, S b) { return S(__kern_max((float)a, (float)b)); }                           \
    __KERN_SMALL_COMPARE(S, V, eq, ==)                                                                       \
    __KERN_SMALL_COMPARE(S, V, ne, !=)                                                                       \
    __KERN_SMALL_COMPARE(S, V, lt, <)                                                                        \
    __KERN_SMALL_COMPARE(S, V, le, <=)                                                                       \
    __KERN_SMALL_COMPARE(S, V, gt, >)                                                                        \
    __KERN_SMALL_COMPARE(S, V, ge, >=)                                                                       \
    __KERN_INLINE V __hadd2(V a, V b) { return a + b; }                                                      \
    __KERN_INLINE V __hsub2(V a, V b) { return a - b; }                                                      \
    __KERN_INLINE V __hmul2(V a, V b) { return a * b; }                                                      \
    __KERN_INLINE V __h2div(V a, V b) { return a / b; }                                                      \
    __KERN_INLINE V __hneg2(V a) { return -a; }                                                              \
    __KERN_INLINE V __habs2(V a) { return V(__habs(a.x), __habs(a.y)); }                                     \
    __KERN_INLINE V __hfma2(V a, V b, V c) { return V(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)); }       \
    __KERN_INLINE V __hmin2(V a, V b) { return V(__hmin(a.x, b.x), __hmin(a.y, b.y)); }                      \
    __KERN_INLINE V __hmax2(V a, V b) { return V(__hmax(a.x, b.x), __hmax(a.y, b.y)); }                      \
    __KERN_SMALL_FUNCTION(S, V, exp, expf)                                                                   \
    __KERN_SMALL_FUNCTION(S, V, exp2, exp2f)                                                                 \
    __KERN_SMALL_FUNCTION(S, V, exp10, exp10f)                                                               \
    __KERN_SMALL_FUNCTION(S, V, log, logf)                                                                   \
    __KERN_SMALL_FUNCTION(S, V, log2, log2f)                                                                 \
    __KERN_SMALL_FUNCTION(S, V, log10, log10f)                                                               \
    __KERN_SMALL_FUNCTION(S, V, sin, sinf)                                                                   \
    __KERN_SMALL_FUNCTION(S, V, cos, cosf)                                                                   \
    __KERN_SMALL_FUNCTION(S, V, tanh, tanhf)                                                                 \
    __KERN_SMALL_FUNCTION(S, V, sqrt, sqrtf)                                                                 \
    __KERN_SMALL_FUNCTION(S, V, rsqrt, rsqrtf)                                                               \
    __KERN_SMALL_FUNCTION(S, V, rcp, 1.0f /)                                                                 \
    __KERN_SMALL_FUNCTION(S, V, floor, floorf)                                                               \
    __KERN_SMALL_FUNCTION(S, V, ceil, ceilf)                                                                 \
    __KERN_SMALL_FUNCTION(S, V, trunc, truncf)                                                               \
    __KERN_SMALL_FUNCTION(S, V, rint, rintf)                                                                 \
    __KERN_SMALL_EXCHANGE(S)                                                                                 \
    __KERN_SMALL_EXCHANGE(V)
#define __KERN_SMALL_PAIRS(S, V, op)                                                                         \
    __KERN_INLINE V operator op(V a, V b) { return V(a.x op b.x, a.y op b.y); }                              \
    __KERN_INLINE V &operator op##=(V &a, V b) { return a = a op b; }
#define __KERN_SMALL_COMPARE(S, V, name, op)                                                                 \
    __KERN_INLINE bool __h##name(S a, S b) { return a op b; }                                                \
    __KERN_INLINE V __h##name##2(V a, V b)                                                                   \
    {                                                                                                        \
        return V(S(a.x op b.x ? 1.0f : 0.0f), S(a.y op b.y ? 1.0f : 0.0f));                                  \
    }                                                                                                        \
    __KERN_INLINE bool __hb##name##2(V a, V b) { return a.x op b.x && a.y op b.y; }
#define __KERN_SMALL_FUNCTION(S, V, name, function)                                                          \
    __KERN_INLINE S h##name(S a) { return S(function((float)a)); }                                           \
    __KERN_INLINE V h2##name(V a) { return V(h##name(a.x), h##name(a.y)); }
/* With other lanes, and in memory: by their bits. */
#define __KERN_SMALL_EXCHANGE(T)                                                                             \
    __KERN_SMALL_SHUFFLE(T, __shfl_sync, int)                                                                \
    __KERN_SMALL_SHUFFLE(T, __shfl_up_sync, unsigned)                                                        \
    __KERN_SMALL_SHUFFLE(T, __shfl_down_sync, unsigned)                                                      \
    __KERN_SMALL_SHUFFLE(T, __shfl_xor_sync, int)                                                            \
    __KERN_DEVICE T atomicAdd(T *at, T v)                                                                    \
    {                                                                                                        \
        T old = *at, seen;                                                                                   \
        do {                                                                                                 \
            seen = old;                                                                                      \
            old = __kern_cas_bits(at, seen, seen + v);                                                       \
        } while (!__kern_same_bits(old, seen));                                                              \
        return old;                                                                                          \
    }
#define __KERN_SMALL_SHUFFLE(T, name, L)                                                                     \
    __KERN_DEVICE T name(unsigned mask, T v, L by, int width = 32)                                           \
    {                                                                                                        \
        return __kern_of_bits<T>(name(mask, __kern_bits_of(v), by, width));                                  \
    }

template <class T> __KERN_INLINE unsigned __kern_bits_of(T v)
{
    unsigned bits = 0;
    __builtin_memcpy(&bits, &v, sizeof v);
    return bits;
}
template <class T> __KERN_INLINE T __kern_of_bits(unsigned bits)
{
    T v;
    __builtin_memcpy(&v, &bits, sizeof v);
    return v;
}
template <class T> __KERN_INLINE bool __kern_same_bits(T a, T b)
{
    return __kern_bits_of(a) == __kern_bits_of(b);
}
template <class T> __KERN_DEVICE T __kern_cas_bits(T *at, T expected, T v)
{
    if constexpr (sizeof(T) == 2)
        return __kern_of_bits<T>(atomicCAS((unsigned short *)at, (unsigned short)__kern_bits_of(expected),
                                           (unsigned short)__kern_bits_of(v)));
    else
        return __kern_of_bits<T>(
            __kern_atomic_cas((unsigned *)at, __kern_bits_of(expected), __kern_bits_of(v)));
}

#endif
