/* special.h: functions of C's math.h that C++ (libm.h) and OpenCL (opencl_math.h) share, in what both languages
 * have. They are computed on double; those on float round once more. Who includes it defines
 *
 *   __KERN_CODE                what stands before a function
 *   __KERN_ON_FLOAT(name)      the name of its form on float
 *   __KERN_AS_BITS(a)          the bits of a double
 *   __KERN_AS_DOUBLE(bits)     the double of these bits
 *   __KERN_AS_BITS32, __KERN_AS_FLOAT   the same of a float
 *   __KERN_NOEXCEPT            behind a function's parameters
 */
#ifndef __KERN_SPECIAL_H__
#define __KERN_SPECIAL_H__

#define __KERN_WIDE(name)                                                                                    \
    __KERN_CODE float __KERN_ON_FLOAT(name)(float a) __KERN_NOEXCEPT { return (float)name((double)a); }
#define __KERN_WIDE2(name)                                                                                   \
    __KERN_CODE float __KERN_ON_FLOAT(name)(float a, float b) __KERN_NOEXCEPT                                \
    {                                                                                                        \
        return (float)name((double)a, (double)b);                                                            \
    }

/* ---- parts of a number ------------------------------------------------------------------------------- */

__KERN_CODE __kern_u64 __kern_bits(double a) { return __KERN_AS_BITS(a); }
__KERN_CODE double __kern_power_of_2(int n) { return __KERN_AS_DOUBLE((__kern_u64)(n + 1023) << 52); }
/* The exponent of a number that is not 0, infinite or a NaN: a / 2^n is at least 1 and less than 2. */
__KERN_CODE int __kern_exponent(double a)
{
    int n = (int)(__kern_bits(a) >> 52 & 2047);
    return n ? n - 1023 : (int)(__kern_bits(a * 0x1p54) >> 52 & 2047) - 1023 - 54;
}
__KERN_CODE bool __kern_is_number(double a) { return a - a == 0; }

__KERN_CODE double logb(double a) __KERN_NOEXCEPT
{
    return a == 0 ? -__builtin_inf() : __kern_is_number(a) ? (double)__kern_exponent(a) : a * a;
}
__KERN_CODE int ilogb(double a) __KERN_NOEXCEPT
{
    return a == 0 || a != a ? -2147483647 - 1 : __kern_is_number(a) ? __kern_exponent(a) : 2147483647;
}
__KERN_WIDE(logb)
__KERN_CODE int __KERN_ON_FLOAT(ilogb)(float a) __KERN_NOEXCEPT { return ilogb((double)a); }
__KERN_CODE double remainder(double a, double b) __KERN_NOEXCEPT
{
    double r = fmod(a, b), size = fabs(b), rest = fabs(r), other = size - rest;
    bool odd = fmod(fabs(a), 2 * size) >= size;
    return rest > other || (rest == other && odd) ? r - __kern_copysign(size, a) : r;
}
__KERN_CODE double nextafter(double a, double b) __KERN_NOEXCEPT
{
    if (a == b || a != a || b != b)
        return a == b ? b : a + b;
    if (a == 0)
        return __kern_copysign(0x1p-1074, b);
    return __KERN_AS_DOUBLE(__kern_bits(a) + ((a < b) == (a > 0) ? 1 : -1));
}
__KERN_WIDE2(remainder)
__KERN_CODE float __KERN_ON_FLOAT(nextafter)(float a, float b) __KERN_NOEXCEPT
{
    if (a == b || a != a || b != b)
        return a == b ? b : a + b;
    if (a == 0)
        return __kern_copysign(0x1p-149f, b);
    return __KERN_AS_FLOAT(__KERN_AS_BITS32(a) + ((a < b) == (a > 0) ? 1 : -1));
}

/* ---- functions of one number ------------------------------------------------------------------------- */

__KERN_CODE double asinh(double a) __KERN_NOEXCEPT
{
    double size = fabs(a), square = size * size;
    double r =
        size > 0x1p28 ? log(size) + 0.69314718055994530942 : log1p(size + square / (1 + sqrt(1 + square)));
    return __kern_copysign(r, a);
}
__KERN_WIDE(asinh)
__KERN_CODE double acosh(double a) __KERN_NOEXCEPT
{
    return a > 0x1p28 ? log(a) + 0.69314718055994530942 : log1p((a - 1) + sqrt((a - 1) * (a + 1)));
}
__KERN_WIDE(acosh)
__KERN_CODE double atanh(double a) __KERN_NOEXCEPT
{
    double size = fabs(a); /* log1p loses digits just above -1 */
    return __kern_copysign(0.5 * log1p(2 * size / (1 - size)), a);
}
__KERN_WIDE(atanh)

/* erfc(a) = t exp(p(t) - a^2) with t = 2 / (2 + a), for a >= 0: p as Chebyshev polynomials of 2 t - 1. */
__KERN_CODE double __kern_erfc_exponent(double a, double *t)
{
    const double of[] = {
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
__KERN_CODE double erfc(double a) __KERN_NOEXCEPT
{
    double t, size = fabs(a), p = __kern_erfc_exponent(size, &t), r = t * exp(p - size * size);
    return a < 0 ? 2 - r : r;
}
__KERN_WIDE(erfc)
__KERN_CODE double erf(double a) __KERN_NOEXCEPT
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

/* What Stirling's series adds to (a - 1/2) log(a) - a + log(2 pi) / 2, from 10 on; smaller numbers are brought
 * there, and `below` is the product by which. */
__KERN_CODE double __kern_stirling(double *a, double *below)
{
    *below = 1;
    for (; *a < 10; (*a)++)
        *below *= *a;
    double r = 1 / (*a * *a);
    return (1.0 / 12 -
            r * (1.0 / 360 - r * (1.0 / 1260 - r * (1.0 / 1680 - r * (1.0 / 1188 - r * (691.0 / 360360)))))) /
           *a;
}
/* sin(pi a), by which both go on to numbers below 0. */
__KERN_CODE double __kern_sine_of_part(double a)
{
    double whole = __kern_floor(a);
    return sin(3.14159265358979323846 * (a - whole)) * (fmod(whole, 2.0) == 0 ? 1 : -1);
}
__KERN_CODE double lgamma(double a) __KERN_NOEXCEPT
{
    double below, above = a > 0 ? a : 1 - a, rest = __kern_stirling(&above, &below);
    double r = (above - 0.5) * log(above) - above + 0.91893853320467274178 + rest - log(below);
    return a > 0 || a != a        ? r
           : a == __kern_floor(a) ? __builtin_inf()
                                  : log(3.14159265358979323846 / fabs(__kern_sine_of_part(a))) - r;
}
__KERN_WIDE(lgamma)
__KERN_CODE double tgamma(double a) __KERN_NOEXCEPT
{
    double below, above = a > 0 ? a : 1 - a, rest = __kern_stirling(&above, &below);
    double root = pow(above, 0.5 * above - 0.25); /* its square may be infinite where the result is not */
    double r = root * exp(-above) * root * 2.5066282746310005024 * exp(rest) / below;
    return a > 0 || a != a        ? r
           : a == 0               ? 1 / a
           : a == __kern_floor(a) ? __builtin_nan("")
                                  : 3.14159265358979323846 / (__kern_sine_of_part(a) * r);
}
__KERN_WIDE(tgamma)

#endif
