/* math.h: the mathematical functions of C and CUDA. C's own names come from C's headers, read as functions
 * of both host and device: the importer knows their symbols. What the IR has no operation for is in libm.h.
 */
#ifndef __KERN_MATH_H__
#define __KERN_MATH_H__

#include "operations.h"

/* What only the host could call, and takes long to read: C++17's special functions, which host_math.h declares,
 * and declarations of the parallel algorithms, which <execution> defines. Of strict C++ <tr1/cmath> needs the
 * former. */
#if __cplusplus > 201402L && !defined __STRICT_ANSI__
#define _GLIBCXX_BITS_SPECFUN_H     1
#define _PSTL_GLUE_ALGORITHM_DEFS_H 1
#endif
/* libstdc++ puts headers of its own before those of C. */
#define _GLIBCXX_INCLUDE_NEXT_C_HEADERS
#pragma clang force_cuda_host_device begin
extern "C" int printf(const char *, ...) __asm__("kern.printf");
/* CUDA's quick versions are the exact ones. glibc has functions of these names. */
extern "C" {
#define __KERN_QUICK(name) float __##name(float) noexcept __asm__(#name);
__KERN_QUICK(sinf)
__KERN_QUICK(cosf)
__KERN_QUICK(tanf)
__KERN_QUICK(expf)
__KERN_QUICK(logf)
__KERN_QUICK(log2f)
__KERN_QUICK(log10f)
__KERN_QUICK(exp10f)
__KERN_QUICK(tanhf)
#undef __KERN_QUICK
float __powf(float, float) noexcept __asm__("powf");
void __sincosf(float, float *, float *) noexcept __asm__("sincosf");
}
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <malloc.h>
#pragma clang force_cuda_host_device end
#undef _GLIBCXX_INCLUDE_NEXT_C_HEADERS
#include <assert.h>
#include <stdint.h>
#include <time.h>
#include "libm.h"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <math.h>
#include <stdlib.h>
#if __cplusplus > 201402L && !defined __STRICT_ANSI__ && defined __GLIBCXX__
#include "host_math.h"
#endif

/* ---- smaller and larger ------------------------------------------------------------------------------ */

#define __KERN_MIN_MAX(R, A, B, less, more)                                                                  \
    constexpr __KERN_INLINE R min(A a, B b) { return less; }                                                 \
    constexpr __KERN_INLINE R max(A a, B b) { return more; }
#define __KERN_X(T, type) __KERN_MIN_MAX(T, T, T, b < a ? b : a, a < b ? b : a)
__KERN_INTEGERS(__KERN_X)
#undef __KERN_X
__KERN_MIN_MAX(float, float, float, __builtin_fminf(a, b), __builtin_fmaxf(a, b))
__KERN_MIN_MAX(double, double, double, __builtin_fmin(a, b), __builtin_fmax(a, b))
#define __KERN_MIXED(R, A, B)                                                                                \
    __KERN_MIN_MAX(R, A, B, min((R)a, (R)b), max((R)a, (R)b))                                                \
    __KERN_MIN_MAX(R, B, A, min((R)a, (R)b), max((R)a, (R)b))
__KERN_MIXED(unsigned, int, unsigned)
__KERN_MIXED(unsigned long, long, unsigned long)
__KERN_MIXED(unsigned long long, long long, unsigned long long)
__KERN_MIXED(double, float, double)
#undef __KERN_MIXED
#undef __KERN_MIN_MAX
__KERN_INLINE unsigned umin(unsigned a, unsigned b) { return min(a, b); }
__KERN_INLINE unsigned umax(unsigned a, unsigned b) { return max(a, b); }
/* The templates of the C++ library give references, of which each may lead to another memory. */
namespace std
{
using ::max;
using ::min;
} // namespace std

/* ---- bits -------------------------------------------------------------------------------------------- */

__KERN_INLINE int __popc(unsigned a) { return (int)__kern_popcount(a); }
__KERN_INLINE int __popcll(unsigned long long a) { return (int)__kern_popcount(a); }
__KERN_INLINE int __clz(int a) { return (int)__kern_clz((unsigned)a); }
__KERN_INLINE int __clzll(long long a) { return (int)__kern_clz((unsigned long long)a); }
__KERN_INLINE int __ffs(int a) { return a ? (int)__kern_ctz((unsigned)a) + 1 : 0; }
__KERN_INLINE int __ffsll(long long a) { return a ? (int)__kern_ctz((unsigned long long)a) + 1 : 0; }
__KERN_INLINE unsigned __brev(unsigned a) { return __kern_brev(a); }
__KERN_INLINE unsigned long long __brevll(unsigned long long a) { return __kern_brev(a); }
__KERN_INLINE int __mulhi(int a, int b) { return __kern_mulhi(a, b); }
__KERN_INLINE unsigned __umulhi(unsigned a, unsigned b) { return __kern_mulhi(a, b); }
__KERN_INLINE long long __mul64hi(long long a, long long b) { return __kern_mulhi(a, b); }
__KERN_INLINE unsigned long long __umul64hi(unsigned long long a, unsigned long long b)
{
    return __kern_mulhi(a, b);
}
__KERN_INLINE int __mul24(int a, int b) { return (a << 8 >> 8) * (b << 8 >> 8); }
__KERN_INLINE unsigned __umul24(unsigned a, unsigned b) { return (a & 0xffffff) * (b & 0xffffff); }
__KERN_INLINE unsigned __sad(int a, int b, unsigned c)
{
    return c + (a < b ? (unsigned)b - a : (unsigned)a - b);
}
__KERN_INLINE unsigned __usad(unsigned a, unsigned b, unsigned c) { return c + (a < b ? b - a : a - b); }
__KERN_INLINE int __hadd(int a, int b) { return (int)(((long long)a + b) >> 1); }
__KERN_INLINE int __rhadd(int a, int b) { return (int)(((long long)a + b + 1) >> 1); }
__KERN_INLINE unsigned __uhadd(unsigned a, unsigned b)
{
    return (unsigned)(((unsigned long long)a + b) >> 1);
}
__KERN_INLINE unsigned __urhadd(unsigned a, unsigned b)
{
    return (unsigned)(((unsigned long long)a + b + 1) >> 1);
}
__KERN_INLINE unsigned __kern_pair(unsigned low, unsigned high, unsigned by)
{
    return (unsigned)(((unsigned long long)high << 32 | low) >> by);
}
__KERN_INLINE unsigned __funnelshift_r(unsigned low, unsigned high, unsigned by)
{
    return __kern_pair(low, high, by & 31);
}
__KERN_INLINE unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned by)
{
    return __kern_pair(low, high, min(by, 32u));
}
__KERN_INLINE unsigned __funnelshift_l(unsigned low, unsigned high, unsigned by)
{
    return by & 31 ? __kern_pair(low, high, 32 - (by & 31)) : high;
}
__KERN_INLINE unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned by)
{
    return __kern_pair(low, high, 32 - min(by, 32u));
}
__KERN_CODE unsigned __byte_perm(unsigned a, unsigned b, unsigned select)
{
    unsigned long long bytes = (unsigned long long)b << 32 | a;
    unsigned result = 0;
    for (int i = 0; i < 4; i++) {
        unsigned s = select >> (4 * i) & 15, byte = (unsigned)(bytes >> (8 * (s & 7))) & 255;
        result |= (s & 8 ? (byte & 128 ? 255u : 0u) : byte) << (8 * i);
    }
    return result;
}
/* The place of the n-th one bit from bit `base` on: upwards if n is positive. */
__KERN_CODE unsigned __fns(unsigned mask, unsigned base, int n)
{
    if (n == 0)
        return mask >> base & 1 ? base : 0xffffffffu;
    for (int at = (int)base; at >= 0 && at<32; at += n> 0 ? 1 : -1)
        if (mask >> at & 1 && (n > 0 ? --n : ++n) == 0)
            return (unsigned)at;
    return 0xffffffffu;
}
__KERN_CODE int __dp4a(int a, int b, int c)
{
    for (int i = 0; i < 32; i += 8)
        c += (signed char)(a >> i) * (signed char)(b >> i);
    return c;
}
__KERN_CODE unsigned __dp4a(unsigned a, unsigned b, unsigned c)
{
    for (int i = 0; i < 32; i += 8)
        c += (a >> i & 255) * (b >> i & 255);
    return c;
}
__KERN_INLINE int __dp2a_lo(int a, int b, int c)
{
    return c + (short)a * (signed char)b + (a >> 16) * (signed char)(b >> 8);
}
__KERN_INLINE int __dp2a_hi(int a, int b, int c) { return __dp2a_lo(a, b >> 16, c); }

/* ---- the same bits as another type ------------------------------------------------------------------- */

__KERN_INLINE int __float_as_int(float a) { return __builtin_bit_cast(int, a); }
__KERN_INLINE unsigned __float_as_uint(float a) { return __builtin_bit_cast(unsigned, a); }
__KERN_INLINE float __int_as_float(int a) { return __builtin_bit_cast(float, a); }
__KERN_INLINE float __uint_as_float(unsigned a) { return __builtin_bit_cast(float, a); }
__KERN_INLINE long long __double_as_longlong(double a) { return __builtin_bit_cast(long long, a); }
__KERN_INLINE double __longlong_as_double(long long a) { return __builtin_bit_cast(double, a); }
__KERN_INLINE int __double2hiint(double a) { return (int)(__double_as_longlong(a) >> 32); }
__KERN_INLINE int __double2loint(double a) { return (int)__double_as_longlong(a); }
__KERN_INLINE double __hiloint2double(int high, int low)
{
    return __longlong_as_double((long long)((unsigned long long)(unsigned)high << 32 | (unsigned)low));
}

/* ---- rounded in a direction -------------------------------------------------------------------------- */

/* What lies `by` steps of the last place from a: its bits as a number that grows with the value. */
__KERN_INLINE float __kern_step(float a, int by)
{
    int bits = __float_as_int(a), n = bits < 0 ? (int)(0x80000000u - (unsigned)bits) : bits;
    n += by;
    return __int_as_float(n < 0 ? (int)(0x80000000u - (unsigned)n) : n);
}
__KERN_INLINE double __kern_step(double a, int by)
{
    long long bits = __double_as_longlong(a);
    long long n = bits < 0 ? (long long)(0x8000000000000000ull - (unsigned long long)bits) : bits;
    n += by;
    return __longlong_as_double(n < 0 ? (long long)(0x8000000000000000ull - (unsigned long long)n) : n);
}
/* a is the nearest to a value that differs from it by `error`, of which only the sign counts. */
template <class T> __KERN_INLINE T __kern_down(T a, T error) { return error < 0 ? __kern_step(a, -1) : a; }
template <class T> __KERN_INLINE T __kern_up(T a, T error) { return error > 0 ? __kern_step(a, 1) : a; }
template <class T> __KERN_INLINE T __kern_to_zero(T a, T error)
{
    return a < 0 ? __kern_up(a, error) : __kern_down(a, error);
}
template <class T> __KERN_INLINE T __kern_add_error(T a, T b, T sum)
{
    T part = sum - a;
    return (a - (sum - part)) + (b - part);
}
/* Of a * b + c, which lies between the sums of c and each part of the product. */
template <class T> __KERN_INLINE T __kern_fma_error(T a, T b, T c, T r)
{
    T high = a * b, low = __kern_fma(a, b, -high), sum = high + c;
    T rest = __kern_add_error(high, c, sum);
    return (sum - r) + (rest + low);
}
#define __KERN_ROUNDED(T, p, name, parameters, value, error)                                                 \
    __KERN_INLINE T __##p##name##_rn parameters { return value; }                                            \
    __KERN_INLINE T __##p##name##_rd parameters                                                              \
    {                                                                                                        \
        T r = value;                                                                                         \
        return __kern_down(r, (T)(error));                                                                   \
    }                                                                                                        \
    __KERN_INLINE T __##p##name##_ru parameters                                                              \
    {                                                                                                        \
        T r = value;                                                                                         \
        return __kern_up(r, (T)(error));                                                                     \
    }                                                                                                        \
    __KERN_INLINE T __##p##name##_rz parameters                                                              \
    {                                                                                                        \
        T r = value;                                                                                         \
        return __kern_to_zero(r, (T)(error));                                                                \
    }
#define __KERN_ROUNDED_OPERATIONS(T, p, multiply_add)                                                        \
    __KERN_ROUNDED(T, p, add, (T a, T b), a + b, __kern_add_error(a, b, r))                                  \
    __KERN_ROUNDED(T, p, sub, (T a, T b), a - b, __kern_add_error(a, -b, r))                                 \
    __KERN_ROUNDED(T, p, mul, (T a, T b), a *b, __kern_fma(a, b, -r))                                        \
    __KERN_ROUNDED(T, p, div, (T a, T b), a / b, __kern_fma(-r, b, a) * (b < 0 ? -1 : 1))                    \
    __KERN_ROUNDED(T, p, rcp, (T a), 1 / a, __kern_fma(-r, a, (T)1) * (a < 0 ? -1 : 1))                      \
    __KERN_ROUNDED(T, p, sqrt, (T a), __kern_sqrt(a), __kern_fma(-r, r, a))                                  \
    __KERN_ROUNDED(T, p, multiply_add, (T a, T b, T c), __kern_fma(a, b, c), __kern_fma_error(a, b, c, r))
__KERN_ROUNDED_OPERATIONS(float, f, maf)
__KERN_ROUNDED_OPERATIONS(double, d, ma)
#undef __KERN_ROUNDED_OPERATIONS
#undef __KERN_ROUNDED
__KERN_INLINE float __frsqrt_rn(float a) { return 1 / __kern_sqrt(a); }
__KERN_INLINE float __fdividef(float a, float b) { return a / b; }
__KERN_INLINE float fdividef(float a, float b) { return a / b; }
__KERN_INLINE float __saturatef(float a) { return a > 0 ? (a < 1 ? a : 1.0f) : 0.0f; }

/* Between floats and integers, by the integer that the rounding gives; what does not fit becomes the
 * nearest that does. */
#define __KERN_TO_INTEGER(F, from, I, to)                                                                    \
    __KERN_INLINE I __##from##2##to##_rz(F a) { return (I)a; }                                               \
    __KERN_INLINE I __##from##2##to##_rn(F a) { return (I)__kern_rint(a); }                                  \
    __KERN_INLINE I __##from##2##to##_rd(F a) { return (I)__kern_floor(a); }                                 \
    __KERN_INLINE I __##from##2##to##_ru(F a) { return (I)__kern_ceil(a); }
#define __KERN_TO_INTEGERS(F, from)                                                                          \
    __KERN_TO_INTEGER(F, from, int, int)                                                                     \
    __KERN_TO_INTEGER(F, from, unsigned, uint)                                                               \
    __KERN_TO_INTEGER(F, from, long long, ll)                                                                \
    __KERN_TO_INTEGER(F, from, unsigned long long, ull)
__KERN_TO_INTEGERS(float, float)
__KERN_TO_INTEGERS(double, double)
#undef __KERN_TO_INTEGERS
#undef __KERN_TO_INTEGER
/* Integers to floats by OpenCL's convert_float_rtz and its kind; `letter`: its mangled parameter. */
#define __KERN_TO_FLOAT(I, from, F, to, letter, length)                                                      \
    extern __attribute__((host, device))                                                                     \
    F __kern_##from##2##to##_rz(I) __asm__("_Z" length "convert_" #F "_rtz" letter);                         \
    extern __attribute__((host, device))                                                                     \
    F __kern_##from##2##to##_rd(I) __asm__("_Z" length "convert_" #F "_rtn" letter);                         \
    extern __attribute__((host, device))                                                                     \
    F __kern_##from##2##to##_ru(I) __asm__("_Z" length "convert_" #F "_rtp" letter);                         \
    __KERN_INLINE F __##from##2##to##_rn(I a) { return (F)a; }                                               \
    __KERN_INLINE F __##from##2##to##_rz(I a) { return __kern_##from##2##to##_rz(a); }                       \
    __KERN_INLINE F __##from##2##to##_rd(I a) { return __kern_##from##2##to##_rd(a); }                       \
    __KERN_INLINE F __##from##2##to##_ru(I a) { return __kern_##from##2##to##_ru(a); }
#define __KERN_TO_FLOATS(I, from, letter) __KERN_TO_FLOAT(I, from, float, float, letter, "17")
__KERN_TO_FLOATS(int, int, "i")
__KERN_TO_FLOATS(unsigned, uint, "j")
__KERN_TO_FLOATS(long long, ll, "l")
__KERN_TO_FLOATS(unsigned long long, ull, "m")
__KERN_TO_FLOAT(long long, ll, double, double, "l", "18")
__KERN_TO_FLOAT(unsigned long long, ull, double, double, "m", "18")
__KERN_TO_FLOAT(double, double, float, float, "d", "17")
#undef __KERN_TO_FLOATS
#undef __KERN_TO_FLOAT
__KERN_INLINE double __int2double_rn(int a) { return a; }
__KERN_INLINE double __uint2double_rn(unsigned a) { return a; }

/* ---- functions that C has not ------------------------------------------------------------------------ */

#define __KERN_BOTH(name, parameters, arguments, value)                                                      \
    __KERN_INLINE double name parameters(double)                                                             \
    {                                                                                                        \
        typedef double T;                                                                                    \
        return value;                                                                                        \
    }                                                                                                        \
    __KERN_INLINE float name##f parameters(float)                                                            \
    {                                                                                                        \
        typedef float T;                                                                                     \
        return (float)(value);                                                                               \
    }
#define __KERN_OF1(T) (T a)
#define __KERN_OF2(T) (T a, T b)
#define __KERN_OF3(T) (T a, T b, T c)
#define __KERN_OF4(T) (T a, T b, T c, T d)
__KERN_BOTH(rsqrt, __KERN_OF1, (a), (T)1 / __kern_sqrt(a))
__KERN_BOTH(rcbrt, __KERN_OF1, (a), (T)1 / std::cbrt(a))
__KERN_BOTH(rhypot, __KERN_OF2, (a, b), (T)1 / std::hypot(a, b))
__KERN_BOTH(norm3d, __KERN_OF3, (a, b, c), __kern_sqrt(a *a + b * b + c * c))
__KERN_BOTH(rnorm3d, __KERN_OF3, (a, b, c), (T)1 / __kern_sqrt(a * a + b * b + c * c))
__KERN_BOTH(norm4d, __KERN_OF4, (a, b, c, d), __kern_sqrt(a *a + b * b + c * c + d * d))
__KERN_BOTH(rnorm4d, __KERN_OF4, (a, b, c, d), (T)1 / __kern_sqrt(a * a + b * b + c * c + d * d))
__KERN_BOTH(sinpi, __KERN_OF1, (a), std::sin((T)3.14159265358979323846 * (a - 2 * __kern_rint(a / 2))))
__KERN_BOTH(cospi, __KERN_OF1, (a), std::cos((T)3.14159265358979323846 * (a - 2 * __kern_rint(a / 2))))
__KERN_BOTH(normcdf, __KERN_OF1, (a), (T)0.5 * std::erfc(a * (T)-0.70710678118654752440))
#undef __KERN_BOTH
__KERN_INLINE float rsqrt(float a) { return rsqrtf(a); }
__KERN_INLINE void sincospi(double a, double *s, double *c)
{
    *s = sinpi(a);
    *c = cospi(a);
}
__KERN_INLINE void sincospif(float a, float *s, float *c)
{
    *s = sinpif(a);
    *c = cospif(a);
}
__KERN_INLINE void sincos(float a, float *s, float *c) { sincosf(a, s, c); }

#endif
