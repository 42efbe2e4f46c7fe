/* cuda_fp8.h: floats of 8 bits, e4m3 (no infinity, largest 448) and e5m2: conversions, rounded once to the
 * nearest, halves to even. The types saturate, as CUDA's do.
 */
#ifndef __KERN_CUDA_FP8_H__
#define __KERN_CUDA_FP8_H__

#include "cuda_bf16.h"
#include "cuda_fp16.h"

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned __nv_fp8x4_storage_t;
enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE };
enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 };

/* ---- bits -------------------------------------------------------------------------------------------- */

__KERN_CODE __nv_fp8_storage_t __nv_cvt_double_to_fp8(double a, __nv_saturation_t saturates,
                                                      __nv_fp8_interpretation_t kind)
{
    int fraction = kind == __NV_E4M3 ? 3 : 2, bias = kind == __NV_E4M3 ? 7 : 15;
    unsigned largest = kind == __NV_E4M3 ? 0x7e : 0x7b;
    unsigned long long bits = (unsigned long long)__double_as_longlong(a);
    unsigned sign = (unsigned)(bits >> 63) << 7, code = largest + 1;
    int exponent = (int)(bits >> 52 & 0x7ff) - 1023;
    if (a != a)
        return 0x7f;
    exponent = exponent < 1 - bias ? 1 - bias : exponent;
    if (exponent < 16) {
        /* In units of the last place: a number with its leading one counts that as a step of the exponent. */
        double units = __longlong_as_double((long long)(1023 + fraction - exponent) << 52);
        code = (unsigned)__builtin_rint(__builtin_fabs(a) * units) +
               ((unsigned)(exponent + bias - 1) << fraction);
    }
    if (code > largest)
        code = largest + (saturates == __NV_NOSAT);
    return (__nv_fp8_storage_t)(sign | code);
}
__KERN_CODE float __kern_from_fp8(__nv_fp8_storage_t a, __nv_fp8_interpretation_t kind)
{
    unsigned sign = (unsigned)(a & 0x80) << 24, rest = a & 0x7f;
    if (kind == __NV_E4M3 ? rest == 0x7f : rest >= 0x7c)
        return __uint_as_float(sign | 0x7f800000 | (rest & 3) << 21);
    return kind == __NV_E4M3
               ? __uint_as_float(sign | __float_as_uint(__uint_as_float(rest << 20) * 0x1p120f))
               : __uint_as_float(sign | __float_as_uint(__uint_as_float(rest << 21) * 0x1p112f));
}

/* ---- CUDA's functions -------------------------------------------------------------------------------- */

/* From one and from two of a type; two stand in one number, the first one lowest. */
#define __KERN_TO_FP8(T, name, pair, name2, x, y)                                                            \
    __KERN_INLINE __nv_fp8_storage_t __nv_cvt_##name##_to_fp8(T a, __nv_saturation_t saturates,              \
                                                              __nv_fp8_interpretation_t kind)                \
    {                                                                                                        \
        return __nv_cvt_double_to_fp8((double)__kern_widened(a), saturates, kind);                           \
    }                                                                                                        \
    __KERN_FP8_PAIR(pair, name2, x, y)
#define __KERN_FP8_PAIR(pair, name2, x, y)                                                                   \
    __KERN_INLINE __nv_fp8x2_storage_t __nv_cvt_##name2##_to_fp8x2(pair a, __nv_saturation_t saturates,      \
                                                                   __nv_fp8_interpretation_t kind)           \
    {                                                                                                        \
        return (__nv_fp8x2_storage_t)(__nv_cvt_double_to_fp8((double)__kern_widened(x), saturates, kind) |   \
                                      __nv_cvt_double_to_fp8((double)__kern_widened(y), saturates, kind)     \
                                          << 8);                                                             \
    }
struct __half2_raw {
    unsigned short x, y;
};
struct __nv_bfloat162_raw {
    unsigned short x, y;
};
__KERN_INLINE double __kern_widened(double a) { return a; }
__KERN_INLINE float __kern_widened(float a) { return a; }
__KERN_INLINE float __kern_widened(__half_raw a) { return __kern_from_half(a.x); }
__KERN_INLINE float __kern_widened(__nv_bfloat16_raw a) { return __kern_from_bfloat(a.x); }
__KERN_TO_FP8(float, float, float2, float2, a.x, a.y)
__KERN_FP8_PAIR(double2, double2, a.x, a.y)
__KERN_TO_FP8(__half_raw, halfraw, __half2_raw, halfraw2, __half_raw{a.x}, __half_raw{a.y})
__KERN_TO_FP8(__nv_bfloat16_raw, bfloat16raw, __nv_bfloat162_raw, bfloat16raw2, __nv_bfloat16_raw{a.x},
              __nv_bfloat16_raw{a.y})
#undef __KERN_TO_FP8
#undef __KERN_FP8_PAIR

__KERN_INLINE __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t a, __nv_fp8_interpretation_t kind)
{
    return {__kern_to_half(__kern_from_fp8(a, kind))};
}
__KERN_INLINE __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t a, __nv_fp8_interpretation_t kind)
{
    return {__nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)a, kind).x,
            __nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)(a >> 8), kind).x};
}

/* ---- the types --------------------------------------------------------------------------------------- */

#define __KERN_FP8(S, x2, x4, kind)                                                                          \
    struct S {                                                                                               \
        __nv_fp8_storage_t __x;                                                                              \
        S() = default;                                                                                       \
        template <class T, class = std::enable_if_t<std::is_arithmetic<T>::value>>                           \
        explicit __KERN_MEMBER S(T a) : __x(__nv_cvt_double_to_fp8((double)a, __NV_SATFINITE, kind))         \
        {                                                                                                    \
        }                                                                                                    \
        explicit __KERN_MEMBER S(__half a) : S((float)a) {}                                                  \
        explicit __KERN_MEMBER S(__nv_bfloat16 a) : S((float)a) {}                                           \
        explicit __KERN_MEMBER operator float() const { return __kern_from_fp8(__x, kind); }                 \
        explicit __KERN_MEMBER operator double() const { return (float)*this; }                              \
        explicit __KERN_MEMBER operator __half() const { return __half((float)*this); }                      \
        explicit __KERN_MEMBER operator __nv_bfloat16() const { return __nv_bfloat16((float)*this); }        \
        template <class T, class = std::enable_if_t<std::is_integral<T>::value>>                             \
        explicit __KERN_MEMBER operator T() const                                                            \
        {                                                                                                    \
            return (T)(float)*this;                                                                          \
        }                                                                                                    \
    };                                                                                                       \
    struct x2 {                                                                                              \
        __nv_fp8x2_storage_t __x;                                                                            \
        x2() = default;                                                                                      \
        explicit __KERN_MEMBER x2(float2 a) : __x(__nv_cvt_float2_to_fp8x2(a, __NV_SATFINITE, kind)) {}      \
        explicit __KERN_MEMBER x2(double2 a) : __x(__nv_cvt_double2_to_fp8x2(a, __NV_SATFINITE, kind)) {}    \
        explicit __KERN_MEMBER x2(__half2 a) : x2(__half22float2(a)) {}                                      \
        explicit __KERN_MEMBER x2(__nv_bfloat162 a) : x2(__bfloat1622float2(a)) {}                           \
        explicit __KERN_MEMBER operator float2() const                                                       \
        {                                                                                                    \
            return make_float2(__kern_from_fp8((__nv_fp8_storage_t)__x, kind),                               \
                               __kern_from_fp8((__nv_fp8_storage_t)(__x >> 8), kind));                       \
        }                                                                                                    \
        explicit __KERN_MEMBER operator __half2() const { return __float22half2_rn((float2) * this); }       \
    };                                                                                                       \
    struct x4 {                                                                                              \
        __nv_fp8x4_storage_t __x;                                                                            \
        x4() = default;                                                                                      \
        explicit __KERN_MEMBER x4(float4 a)                                                                  \
            : __x(x2(make_float2(a.x, a.y)).__x | (unsigned)x2(make_float2(a.z, a.w)).__x << 16)             \
        {                                                                                                    \
        }                                                                                                    \
        explicit __KERN_MEMBER operator float4() const                                                       \
        {                                                                                                    \
            x2 low, high;                                                                                    \
            low.__x = (__nv_fp8x2_storage_t)__x, high.__x = (__nv_fp8x2_storage_t)(__x >> 16);               \
            return make_float4(((float2)low).x, ((float2)low).y, ((float2)high).x, ((float2)high).y);        \
        }                                                                                                    \
    };
__KERN_FP8(__nv_fp8_e4m3, __nv_fp8x2_e4m3, __nv_fp8x4_e4m3, __NV_E4M3)
__KERN_FP8(__nv_fp8_e5m2, __nv_fp8x2_e5m2, __nv_fp8x4_e5m2, __NV_E5M2)
#undef __KERN_FP8

#endif
