/* libm.h: functions of C's math.h for which the IR has no operation. Each has the symbol of the C library
 * and is emitted only where it is called. Those on float are computed on double.
 */
#ifndef __KERN_LIBM_H__
#define __KERN_LIBM_H__

#include "operations.h"

/* special.h in C++: a function of float has an f behind its name. */
#define __KERN_ON_FLOAT(name)  name##f
#define __KERN_AS_BITS(a)      __builtin_bit_cast(unsigned long long, a)
#define __KERN_AS_DOUBLE(bits) __builtin_bit_cast(double, bits)
#define __KERN_AS_BITS32(a)    __builtin_bit_cast(unsigned, a)
#define __KERN_AS_FLOAT(bits)  __builtin_bit_cast(float, bits)
#define __KERN_NOEXCEPT        noexcept
typedef unsigned long long __kern_u64;

extern "C" {
#include "special.h"

__KERN_CODE double ldexp(double a, int n) noexcept
{
    /* In steps that rounding cannot disturb: only the last may make a number small. */
    for (int i = 0; i < 2 && n > 1023; i++, n -= 1023)
        a *= 0x1p1023;
    for (int i = 0; i < 2 && n < -969; i++, n += 969)
        a *= 0x1p-969;
    return a * __kern_power_of_2(n > 1023 ? 1023 : n < -1022 ? -1022 : n);
}
__KERN_CODE double frexp(double a, int *n) noexcept
{
    bool plain = a != 0 && __kern_is_number(a);
    *n = plain ? __kern_exponent(a) + 1 : 0;
    return plain ? ldexp(a, -*n) : a;
}
__KERN_CODE double modf(double a, double *whole) noexcept
{
    *whole = __kern_truncate(a);
    return __kern_copysign(__kern_is_number(a) ? a - *whole : a != a ? a : 0.0, a);
}
__KERN_CODE double fdim(double a, double b) noexcept { return a <= b ? 0.0 : a - b; }
__KERN_CODE double scalbn(double a, int n) noexcept { return ldexp(a, n); }
__KERN_CODE double scalbln(double a, long n) noexcept
{
    return ldexp(a, n > 9999 ? 9999 : n < -9999 ? -9999 : (int)n);
}
__KERN_CODE float ldexpf(float a, int n) noexcept { return (float)ldexp(a, n); }
__KERN_CODE float scalbnf(float a, int n) noexcept { return (float)ldexp(a, n); }
__KERN_CODE float scalblnf(float a, long n) noexcept { return (float)scalbln(a, n); }
__KERN_CODE float frexpf(float a, int *n) noexcept { return (float)frexp(a, n); }
__KERN_CODE float modff(float a, float *whole) noexcept
{
    double part, rest = modf(a, &part);
    *whole = (float)part;
    return (float)rest;
}
__KERN_CODE float fdimf(float a, float b) noexcept { return a <= b ? 0.0f : a - b; }

#define __KERN_TO_LONG(T, name, nearest)                                                                     \
    __KERN_CODE T name(double a) noexcept { return (T)nearest(a); }                                          \
    __KERN_CODE T name##f(float a) noexcept { return (T)nearest##f(a); }
__KERN_TO_LONG(long, lrint, rint)
__KERN_TO_LONG(long long, llrint, rint)
__KERN_TO_LONG(long, lround, round)
__KERN_TO_LONG(long long, llround, round)
#undef __KERN_TO_LONG

/* ---- functions of one number ------------------------------------------------------------------------- */

__KERN_CODE void sincos(double a, double *s, double *c) noexcept
{
    *s = sin(a);
    *c = cos(a);
}
__KERN_CODE void sincosf(float a, float *s, float *c) noexcept
{
    *s = sinf(a);
    *c = cosf(a);
}
__KERN_CODE double exp10(double a) noexcept { return pow(10.0, a); }
__KERN_WIDE(exp10)
}

/* ---- of CUDA ----------------------------------------------------------------------------------------- */

#define __KERN_WIDE_INLINE(name)                                                                             \
    __KERN_INLINE float name##f(float a) { return (float)name((double)a); }

/* exp(a^2) erfc(a) */
__KERN_CODE double erfcx(double a)
{
    double t, p = __kern_erfc_exponent(fabs(a), &t), r = t * exp(p);
    return a < 0 ? 2 * exp(a * a) - r : r;
}
__KERN_WIDE_INLINE(erfcx)
/* The number whose erfc is a: a guess by its tail, then steps of Newton's. */
__KERN_CODE double erfcinv(double a)
{
    double small = a > 1 ? 2 - a : a;
    if (!(small > 0))
        return a == 0 ? __builtin_inf() : a == 2 ? -__builtin_inf() : __builtin_nan("");
    double t = sqrt(-2 * log(small / 2));
    double x = 0.70710678118654752440 * (t - (2.515517 + t * (0.802853 + t * 0.010328)) /
                                                 (1 + t * (1.432788 + t * (0.189269 + t * 0.001308))));
    for (int i = 0; i < 3; i++) {
        double miss = (erfc(x) - small) / (-1.12837916709551257390 * exp(-x * x));
        x -= miss / (1 + x * miss);
    }
    return a > 1 ? -x : x;
}
__KERN_WIDE_INLINE(erfcinv)
__KERN_CODE double erfinv(double a)
{
    if (!(fabs(a) < 0.1))
        return a < 0 ? -erfcinv(1 + a) : erfcinv(1 - a);
    double x = a * 0.88622692545275801365;
    for (int i = 0; i < 3; i++)
        x -= (erf(x) - a) / (1.12837916709551257390 * exp(-x * x));
    return x;
}
__KERN_WIDE_INLINE(erfinv)
__KERN_CODE double normcdfinv(double a) { return -1.41421356237309504880 * erfcinv(2 * a); }
__KERN_WIDE_INLINE(normcdfinv)

#endif
