/* opencl_math.h: OpenCL's mathematical functions for which the importer has no operation, on float, double, and
 * vectors of them. What a header declares, clang does not look for among OpenCL's own functions.
 */
#ifndef __KERN_OPENCL_MATH_H__
#define __KERN_OPENCL_MATH_H__

#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF

#define __KERN_CODE static __attribute__((overloadable, unused, nodebug))
#define __KERN_NOEXCEPT
#define __KERN_ON_FLOAT(name) name
#define __KERN_AS_BITS        as_ulong
#define __KERN_AS_DOUBLE      as_double
#define __KERN_AS_BITS32      as_uint
#define __KERN_AS_FLOAT       as_float
#define __kern_copysign       copysign
#define __kern_floor          floor
typedef ulong __kern_u64;
#include "special.h"

/* ---- of pi times a number, and others that C has not ------------------------------------------------- */

#define __KERN_BOTH(name, value)                                                                             \
    __KERN_CODE double name(double a) { return value; }                                                      \
    __KERN_WIDE(name)
#define __KERN_BOTH2(name, value)                                                                            \
    __KERN_CODE double name(double a, double b) { return value; }                                            \
    __KERN_WIDE2(name)

/* Exact for whole numbers and halves: of a number between -1/4 and 1/4 and the quarter it is in. */
__KERN_CODE double __kern_sine_pi(double a, int quarter)
{
    double whole = rint(2 * a), part = (a - whole / 2) * 3.14159265358979323846;
    int turn = (int)(whole - 4 * floor(whole / 4)) + quarter;
    double r = turn & 1 ? cos(part) : sin(part);
    return isfinite(a) ? turn & 2 ? -r : r : a - a;
}
__KERN_BOTH(sinpi, a == 0 ? a : __kern_sine_pi(a, 0))
__KERN_BOTH(cospi, __kern_sine_pi(a, 1))
__KERN_BOTH(tanpi, a == 0 ? a : __kern_sine_pi(a, 0) / __kern_sine_pi(a, 1))
__KERN_BOTH(asinpi, asin(a) * 0.31830988618379067154)
__KERN_BOTH(acospi, acos(a) * 0.31830988618379067154)
__KERN_BOTH(atanpi, atan(a) * 0.31830988618379067154)
__KERN_BOTH2(atan2pi, atan2(a, b) * 0.31830988618379067154)
__KERN_BOTH2(maxmag, fabs(a) > fabs(b) ? a : fabs(b) > fabs(a) ? b : fmax(a, b))
__KERN_BOTH2(minmag, fabs(a) < fabs(b) ? a : fabs(b) < fabs(a) ? b : fmin(a, b))

__KERN_CODE double rootn(double a, int n)
{
    double r = pow(fabs(a), 1.0 / n);
    return n == 0 || (a < 0 && !(n & 1)) ? __builtin_nan("") : n & 1 ? copysign(r, a) : r;
}
__KERN_CODE float rootn(float a, int n) { return (float)rootn((double)a, n); }

__KERN_CODE int islessgreater(double a, double b) { return a < b || b < a; }
__KERN_CODE int islessgreater(float a, float b) { return a < b || b < a; }

/* ---- with a second result ---------------------------------------------------------------------------- */

__KERN_CODE double __kern_fraction(double a, int *n)
{
    bool plain = a != 0 && __kern_is_number(a);
    *n = plain ? __kern_exponent(a) + 1 : 0;
    return plain ? ldexp(a, -*n) : a;
}
/* The last seven bits of the quotient, with its sign. */
__KERN_CODE double __kern_rest(double a, double b, int *n)
{
    double r = remainder(a, b),
           quotient = rint((fmod(fabs(a), 128 * fabs(b)) - copysign(r, r * a)) / fabs(b));
    int bits = __kern_is_number(quotient) ? (int)quotient & 127 : 0;
    *n = (a < 0) != (b < 0) ? -bits : bits;
    return r;
}
__KERN_CODE double __kern_log_gamma(double a, int *sign)
{
    *sign = a < 0 && floor(a) != a && fmod(floor(a), 2.0) != 0 ? -1 : 1;
    return lgamma(a);
}

/* X(space of the second result) */
#define __KERN_SPACES(X) X(__private) X(__local) X(__global)
#define __KERN_SECOND(S)                                                                                     \
    __KERN_CODE double frexp(double a, S int *n)                                                             \
    {                                                                                                        \
        int i;                                                                                               \
        double r = __kern_fraction(a, &i);                                                                   \
        *n = i;                                                                                              \
        return r;                                                                                            \
    }                                                                                                        \
    __KERN_CODE float frexp(float a, S int *n) { return (float)frexp((double)a, n); }                        \
    __KERN_CODE double remquo(double a, double b, S int *n)                                                  \
    {                                                                                                        \
        int i;                                                                                               \
        double r = __kern_rest(a, b, &i);                                                                    \
        *n = i;                                                                                              \
        return r;                                                                                            \
    }                                                                                                        \
    __KERN_CODE float remquo(float a, float b, S int *n) { return (float)remquo((double)a, (double)b, n); }  \
    __KERN_CODE double lgamma_r(double a, S int *n)                                                          \
    {                                                                                                        \
        int i;                                                                                               \
        double r = __kern_log_gamma(a, &i);                                                                  \
        *n = i;                                                                                              \
        return r;                                                                                            \
    }                                                                                                        \
    __KERN_CODE float lgamma_r(float a, S int *n) { return (float)lgamma_r((double)a, n); }
__KERN_SPACES(__KERN_SECOND)
#undef __KERN_SECOND

/* ---- of vectors: by halves ---------------------------------------------------------------------------- */

/* X(type of the vector, its half, the same of ints, T) */
#define __KERN_VECTORS_OF(X, T, name)                                                                        \
    X(name, T##2, int2, T) X(name, T##4, int4, T) X(name, T##8, int8, T) X(name, T##16, int16, T)
#define __KERN_HALVES(name, V, I, T)                                                                         \
    __KERN_CODE V name(V a)                                                                                  \
    {                                                                                                        \
        V r;                                                                                                 \
        r.lo = name(a.lo);                                                                                   \
        r.hi = name(a.hi);                                                                                   \
        return r;                                                                                            \
    }
#define __KERN_HALVES2(name, V, I, T)                                                                        \
    __KERN_CODE V name(V a, V b)                                                                             \
    {                                                                                                        \
        V r;                                                                                                 \
        r.lo = name(a.lo, b.lo);                                                                             \
        r.hi = name(a.hi, b.hi);                                                                             \
        return r;                                                                                            \
    }
#define __KERN_HALVES_INT(name, V, I, T)                                                                     \
    __KERN_CODE V name(V a, I b)                                                                             \
    {                                                                                                        \
        V r;                                                                                                 \
        r.lo = name(a.lo, b.lo);                                                                             \
        r.hi = name(a.hi, b.hi);                                                                             \
        return r;                                                                                            \
    }
#define __KERN_INT_HALVES(name, V, I, T)                                                                     \
    __KERN_CODE I name(V a)                                                                                  \
    {                                                                                                        \
        I r;                                                                                                 \
        r.lo = name(a.lo);                                                                                   \
        r.hi = name(a.hi);                                                                                   \
        return r;                                                                                            \
    }
#define __KERN_THREE(name, T)                                                                                \
    __KERN_CODE T##3 name(T##3 a) { return (T##3)(name(a.x), name(a.y), name(a.z)); }
#define __KERN_THREE2(name, T)                                                                               \
    __KERN_CODE T##3 name(T##3 a, T##3 b) { return (T##3)(name(a.x, b.x), name(a.y, b.y), name(a.z, b.z)); }
#define __KERN_VECTORS(name)                                                                                 \
    __KERN_VECTORS_OF(__KERN_HALVES, float, name)                                                            \
    __KERN_VECTORS_OF(__KERN_HALVES, double, name) __KERN_THREE(name, float) __KERN_THREE(name, double)
#define __KERN_VECTORS2(name)                                                                                \
    __KERN_VECTORS_OF(__KERN_HALVES2, float, name)                                                           \
    __KERN_VECTORS_OF(__KERN_HALVES2, double, name) __KERN_THREE2(name, float) __KERN_THREE2(name, double)
__KERN_VECTORS(logb)
__KERN_VECTORS(asinh)
__KERN_VECTORS(acosh)
__KERN_VECTORS(atanh)
__KERN_VECTORS(erf)
__KERN_VECTORS(erfc)
__KERN_VECTORS(lgamma)
__KERN_VECTORS(tgamma)
__KERN_VECTORS(sinpi)
__KERN_VECTORS(cospi)
__KERN_VECTORS(tanpi)
__KERN_VECTORS(asinpi)
__KERN_VECTORS(acospi)
__KERN_VECTORS(atanpi)
__KERN_VECTORS2(atan2pi)
__KERN_VECTORS2(maxmag)
__KERN_VECTORS2(minmag)
__KERN_VECTORS2(remainder)
__KERN_VECTORS2(nextafter)
__KERN_VECTORS_OF(__KERN_HALVES_INT, float, rootn)
__KERN_VECTORS_OF(__KERN_HALVES_INT, double, rootn)
__KERN_VECTORS_OF(__KERN_INT_HALVES, float, ilogb)
__KERN_VECTORS_OF(__KERN_INT_HALVES, double, ilogb)
__KERN_CODE float3 rootn(float3 a, int3 n)
{
    return (float3)(rootn(a.x, n.x), rootn(a.y, n.y), rootn(a.z, n.z));
}
__KERN_CODE double3 rootn(double3 a, int3 n)
{
    return (double3)(rootn(a.x, n.x), rootn(a.y, n.y), rootn(a.z, n.z));
}
__KERN_CODE int3 ilogb(float3 a) { return (int3)(ilogb(a.x), ilogb(a.y), ilogb(a.z)); }
__KERN_CODE int3 ilogb(double3 a) { return (int3)(ilogb(a.x), ilogb(a.y), ilogb(a.z)); }

#define __KERN_RELATE(V)                                                                                     \
    __KERN_CODE __typeof__((V)0 < (V)0) islessgreater(V a, V b) { return (a < b) | (b < a); }
__KERN_RELATE(float2)
__KERN_RELATE(float3)
__KERN_RELATE(float4)
__KERN_RELATE(float8)
__KERN_RELATE(float16)
__KERN_RELATE(double2)
__KERN_RELATE(double3)
__KERN_RELATE(double4)
__KERN_RELATE(double8)
__KERN_RELATE(double16)

#define __KERN_NAN(n)                                                                                        \
    __KERN_CODE float##n nan(uint##n code) { return as_float##n(code | 0x7fc00000u); }                       \
    __KERN_CODE double##n nan(ulong##n code) { return as_double##n(code | 0x7ff8000000000000ul); }
__KERN_NAN()
__KERN_NAN(2)
__KERN_NAN(3)
__KERN_NAN(4)
__KERN_NAN(8)
__KERN_NAN(16)

/* `low` and `high`: the arguments of the halves, in brackets, but for the second result. */
#define __KERN_BARE(...) __VA_ARGS__
#define __KERN_SECOND_HALVES(name, V, I, S, parameters, low, high)                                           \
    __KERN_CODE V name(__KERN_BARE parameters, S I *n)                                                       \
    {                                                                                                        \
        V r;                                                                                                 \
        I i;                                                                                                 \
        __typeof__(i.lo) of_low, of_high;                                                                    \
        r.lo = name(__KERN_BARE low, &of_low);                                                               \
        r.hi = name(__KERN_BARE high, &of_high);                                                             \
        i.lo = of_low;                                                                                       \
        i.hi = of_high;                                                                                      \
        *n = i;                                                                                              \
        return r;                                                                                            \
    }
#define __KERN_SECOND_OF(V, I, S)                                                                            \
    __KERN_SECOND_HALVES(frexp, V, I, S, (V a), (a.lo), (a.hi))                                              \
    __KERN_SECOND_HALVES(lgamma_r, V, I, S, (V a), (a.lo), (a.hi))                                           \
    __KERN_SECOND_HALVES(remquo, V, I, S, (V a, V b), (a.lo, b.lo), (a.hi, b.hi))
#define __KERN_SECOND_VECTORS(S)                                                                             \
    __KERN_SECOND_OF(float2, int2, S)                                                                        \
    __KERN_SECOND_OF(float4, int4, S)                                                                        \
    __KERN_SECOND_OF(double2, int2, S)                                                                       \
    __KERN_SECOND_OF(double4, int4, S)
__KERN_SPACES(__KERN_SECOND_VECTORS)

#undef __KERN_SECOND_VECTORS
#undef __KERN_SECOND_OF
#undef __KERN_SECOND_HALVES
#undef __KERN_BARE
#undef __KERN_SPACES
#undef __KERN_RELATE
#undef __KERN_NAN
#undef __KERN_VECTORS
#undef __KERN_VECTORS2
#undef __KERN_VECTORS_OF
#undef __KERN_HALVES
#undef __KERN_HALVES2
#undef __KERN_HALVES_INT
#undef __KERN_INT_HALVES
#undef __KERN_THREE
#undef __KERN_THREE2
#undef __KERN_BOTH
#undef __KERN_BOTH2
#undef __KERN_WIDE
#undef __KERN_WIDE2
#undef __kern_copysign
#undef __kern_floor
#undef __KERN_CODE
#pragma OPENCL FP_CONTRACT DEFAULT

#endif
