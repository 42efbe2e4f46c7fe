/* cuComplex.h: complex numbers as pairs of floats. */
#ifndef __KERN_CU_COMPLEX_H__
#define __KERN_CU_COMPLEX_H__

#include "cuda_runtime.h"

typedef float2 cuFloatComplex, cuComplex;
typedef double2 cuDoubleComplex;

/* For the type T of parts and C of numbers; f is the letter behind the names of those of float. */
#define __KERN_COMPLEX(T, C, f)                                                                              \
    __KERN_INLINE T cuCreal##f(C a) { return a.x; }                                                          \
    __KERN_INLINE T cuCimag##f(C a) { return a.y; }                                                          \
    __KERN_INLINE C cuConj##f(C a)                                                                           \
    {                                                                                                        \
        a.y = -a.y;                                                                                          \
        return a;                                                                                            \
    }                                                                                                        \
    __KERN_INLINE C cuCadd##f(C a, C b)                                                                      \
    {                                                                                                        \
        a.x += b.x;                                                                                          \
        a.y += b.y;                                                                                          \
        return a;                                                                                            \
    }                                                                                                        \
    __KERN_INLINE C cuCsub##f(C a, C b)                                                                      \
    {                                                                                                        \
        a.x -= b.x;                                                                                          \
        a.y -= b.y;                                                                                          \
        return a;                                                                                            \
    }                                                                                                        \
    __KERN_INLINE C cuCmul##f(C a, C b)                                                                      \
    {                                                                                                        \
        C r = {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};                                                \
        return r;                                                                                            \
    }                                                                                                        \
    __KERN_INLINE C cuCfma##f(C a, C b, C c) { return cuCadd##f(cuCmul##f(a, b), c); }                       \
    __KERN_INLINE T cuCabs##f(C a) { return (T)hypot(a.x, a.y); }                                            \
    __KERN_INLINE C cuCdiv##f(C a, C b)                                                                      \
    {                                                                                                        \
        T size = fabs(b.x) + fabs(b.y), x = b.x / size, y = b.y / size, n = size * (x * x + y * y);          \
        C r = {(a.x * x + a.y * y) / n, (a.y * x - a.x * y) / n};                                            \
        return r;                                                                                            \
    }
__KERN_COMPLEX(float, float2, f)
__KERN_COMPLEX(double, double2, )
#undef __KERN_COMPLEX
__KERN_INLINE cuFloatComplex make_cuFloatComplex(float x, float y) { return make_float2(x, y); }
__KERN_INLINE cuFloatComplex make_cuComplex(float x, float y) { return make_float2(x, y); }
__KERN_INLINE cuDoubleComplex make_cuDoubleComplex(double x, double y) { return make_double2(x, y); }
__KERN_INLINE cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex a) { return make_double2(a.x, a.y); }
__KERN_INLINE cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex a)
{
    return make_float2((float)a.x, (float)a.y);
}

#endif
