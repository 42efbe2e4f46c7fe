/* libm.h: functions of C's math.h for which the IR has no operation. Each has the symbol of the C library
 * and is emitted only where it is called. Those on float are computed on double.
 */
#ifndef __KERN_LIBM_H__
#define __KERN_LIBM_H__

#include "operations.h"

/* ---- parts of a number ------------------------------------------------------------------------------- */

__KERN_INLINE unsigned long long __kern_bits(double a) { return __builtin_bit_cast(unsigned long long, a); }
__KERN_INLINE double __kern_power_of_2(int n)
{
    return __builtin_bit_cast(double, (unsigned long long)(n + 1023) << 52);
}
/* The exponent of a number that is not 0, infinite or a NaN: a / 2^n is at least 1 and less than 2. */
__KERN_CODE int __kern_exponent(double a)
{
    int n = (int)(__kern_bits(a) >> 52 & 2047);
    return n ? n - 1023 : (int)(__kern_bits(a * 0x1p54) >> 52 & 2047) - 1023 - 54;
}
__KERN_INLINE bool __kern_is_number(double a) { return a - a == 0; }

extern "C" {

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
__KERN_CODE double logb(double a) noexcept
{
    return a == 0 ? -__builtin_inf() : __kern_is_number(a) ? (double)__kern_exponent(a) : a * a;
}
__KERN_CODE int ilogb(double a) noexcept
{
    return a == 0 || a != a ? -2147483647 - 1 : __kern_is_number(a) ? __kern_exponent(a) : 2147483647;
}
__KERN_CODE double fdim(double a, double b) noexcept { return a <= b ? 0.0 : a - b; }
__KERN_CODE double remainder(double a, double b) noexcept
{
    double r = fmod(a, b), size = fabs(b), rest = fabs(r), half = size - rest;
    bool odd = fmod(fabs(a), 2 * size) >= size;
    return rest > half || (rest == half && odd) ? r - __kern_copysign(size, a) : r;
}
__KERN_CODE double nextafter(double a, double b) noexcept
{
    if (a == b || a != a || b != b)
        return a == b ? b : a + b;
    if (a == 0)
        return __kern_copysign(0x1p-1074, b);
    return __builtin_bit_cast(double, __kern_bits(a) + (a<b == a> 0 ? 1 : -1));
}
__KERN_CODE float nextafterf(float a, float b) noexcept
{
    if (a == b || a != a || b != b)
        return a == b ? b : a + b;
    if (a == 0)
        return __kern_copysign(0x1p-149f, b);
    return __builtin_bit_cast(float, __builtin_bit_cast(unsigned, a) + (a<b == a> 0 ? 1 : -1));
}
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
__KERN_CODE float logbf(float a) noexcept { return (float)logb(a); }
__KERN_CODE int ilogbf(float a) noexcept { return ilogb(a); }
__KERN_CODE float fdimf(float a, float b) noexcept { return a <= b ? 0.0f : a - b; }
__KERN_CODE float remainderf(float a, float b) noexcept { return (float)remainder(a, b); }

#define __KERN_TO_LONG(T, name, nearest)                                                                     \
    __KERN_CODE T name(double a) noexcept { return (T)nearest(a); }                                          \
    __KERN_CODE T name##f(float a) noexcept { return (T)nearest##f(a); }
__KERN_TO_LONG(long, lrint, rint)
__KERN_TO_LONG(long long, llrint, rint)
__KERN_TO_LONG(long, lround, round)
__KERN_TO_LONG(long long, llround, round)
#undef __KERN_TO_LONG

/* ---- functions of one number ------------------------------------------------------------------------- */

/* On float too. */
#define __KERN_WIDE(name)                                                                                    \
    __KERN_CODE float name##f(float a) noexcept { return (float)name((double)a); }

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
__KERN_CODE double asinh(double a) noexcept
{
    double size = fabs(a), square = size * size;
    double r =
        size > 0x1p28 ? log(size) + 0.69314718055994530942 : log1p(size + square / (1 + sqrt(1 + square)));
    return __kern_copysign(r, a);
}
__KERN_WIDE(asinh)
__KERN_CODE double acosh(double a) noexcept
{
    return a > 0x1p28 ? log(a) + 0.69314718055994530942 : log1p((a - 1) + sqrt((a - 1) * (a + 1)));
}
__KERN_WIDE(acosh)
__KERN_CODE double atanh(double a) noexcept { return 0.5 * log1p(2 * a / (1 - a)); }
__KERN_WIDE(atanh)

/* erfc(a) = t exp(p(t) - a^2) with t = 2 / (2 + a), for a >= 0: p as Chebyshev polynomials of 2 t - 1. */
__KERN_CODE double __kern_erfc_exponent(double a, double *t)
{
    static constexpr double of[] = {
        -1.3026537197817094,     0.64196979235649021,     0.019476473204185836,    -0.0095615147868086323,
        -0.00094659534448203692, 0.00036683949785276145,  4.2523324806907769e-05,  -2.0278578112534242e-05,
        -1.6242900046470256e-06, 1.3036558355805232e-06,  1.5626441722066142e-08,  -8.5238095914926541e-08,
        6.5290544390988515e-09,  5.0593434955514693e-09,  -9.9136415649303307e-10, -2.273651222931836e-10,
        9.646791102015527e-11,   2.3940380830391146e-12,  -6.8860275264975532e-12, 8.9448792730907253e-13,
        3.1309213993429581e-13,  -1.1270822361367252e-13, 3.8109052551892321e-16,  7.1060976136092371e-15,
        -1.5230282014571043e-15, -9.4574945712912334e-17,
    };
    double y = 4 / (2 + a) - 1, next = 0, after = 0;
    for (int i = 25; i > 0; i--) {
        double now = 2 * y * next - after + of[i];
        after = next;
        next = now;
    }
    *t = 2 / (2 + a);
    return y * next - after + 0.5 * of[0];
}
__KERN_CODE double erfc(double a) noexcept
{
    double t, size = fabs(a), p = __kern_erfc_exponent(size, &t), r = t * exp(p - size * size);
    return a < 0 ? 2 - r : r;
}
__KERN_WIDE(erfc)
__KERN_CODE double erf(double a) noexcept
{
    double square = a * a, sum = 0, term = a;
    if (!(square < 0.25))
        return a < 0 ? erfc(-a) - 1 : 1 - erfc(a);
    for (int i = 0; i < 14; i++) { /* the series about 0 */
        sum += term / (2 * i + 1);
        term *= -square / (i + 1);
    }
    return 1.12837916709551257390 * sum;
}
__KERN_WIDE(erf)

/* By Stirling's series from 10 on; smaller ones are brought there by the product `below`. */
__KERN_CODE double __kern_stirling(double a, double *below)
{
    *below = 1;
    for (; a < 10; a++)
        *below *= a;
    double r = 1 / (a * a);
    double rest =
        (1.0 / 12 -
         r * (1.0 / 360 - r * (1.0 / 1260 - r * (1.0 / 1680 - r * (1.0 / 1188 - r * (691.0 / 360360)))))) /
        a;
    return (a - 0.5) * log(a) - a + 0.91893853320467274178 + rest;
}
/* sin(pi a), by which both go on to numbers below 0. */
__KERN_CODE double __kern_sine_of_part(double a)
{
    double whole = __kern_floor(a);
    return sin(3.14159265358979323846 * (a - whole)) * (fmod(whole, 2.0) == 0 ? 1 : -1);
}
__KERN_CODE double lgamma(double a) noexcept
{
    double below, above = a > 0 ? a : 1 - a, r = __kern_stirling(above, &below);
    r -= log(below);
    return a > 0 || a != a        ? r
           : a == __kern_floor(a) ? __builtin_inf()
                                  : log(3.14159265358979323846 / fabs(__kern_sine_of_part(a))) - r;
}
__KERN_WIDE(lgamma)
__KERN_CODE double tgamma(double a) noexcept
{
    double below, above = a > 0 ? a : 1 - a, r = exp(__kern_stirling(above, &below)) / below;
    return a > 0 || a != a        ? r
           : a == 0               ? 1 / a
           : a == __kern_floor(a) ? __builtin_nan("")
                                  : 3.14159265358979323846 / (__kern_sine_of_part(a) * r);
}
__KERN_WIDE(tgamma)
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
