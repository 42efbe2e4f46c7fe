/* cuda_fp16.h: half and half2. */
#ifndef __KERN_CUDA_FP16_H__
#define __KERN_CUDA_FP16_H__

#include "kern/attributes.h"
#include "kern/atomics.h"
#include "kern/small.h"

__KERN_SMALL(__half, __half2, __kern_from_half, __kern_to_half)
typedef __half half;
typedef __half2 half2;
struct __half_raw {
    unsigned short x;
};

__KERN_INLINE float __half2float(__half a) { return (float)a; }
__KERN_INLINE __half __double2half(double a) { return __half(a); }
#define __KERN_ROUND(suffix, to_integral)                                                                    \
    __KERN_INLINE __half __float2half##suffix(float a) { return __half(a); }                                 \
    __KERN_INLINE __half __int2half##suffix(int a) { return __half(a); }                                     \
    __KERN_INLINE __half __uint2half##suffix(unsigned a) { return __half(a); }                               \
    __KERN_INLINE __half __short2half##suffix(short a) { return __half(a); }                                 \
    __KERN_INLINE __half __ushort2half##suffix(unsigned short a) { return __half(a); }                       \
    __KERN_INLINE __half __ll2half##suffix(long long a) { return __half(a); }                                \
    __KERN_INLINE int __half2int##suffix(__half a) { return (int)to_integral((float)a); }                    \
    __KERN_INLINE unsigned __half2uint##suffix(__half a) { return (unsigned)to_integral((float)a); }         \
    __KERN_INLINE short __half2short##suffix(__half a) { return (short)to_integral((float)a); }              \
    __KERN_INLINE unsigned short __half2ushort##suffix(__half a)                                             \
    {                                                                                                        \
        return (unsigned short)to_integral((float)a);                                                        \
    }                                                                                                        \
    __KERN_INLINE long long __half2ll##suffix(__half a) { return (long long)to_integral((float)a); }
__KERN_ROUND(_rn, __kern_rint)
__KERN_ROUND(_rz, __kern_truncate)
__KERN_ROUND(_rd, __kern_floor)
__KERN_ROUND(_ru, __kern_ceil)
#undef __KERN_ROUND
__KERN_INLINE __half __float2half(float a) { return __half(a); }
__KERN_INLINE unsigned short __half_as_ushort(__half a) { return a.__x; }
__KERN_INLINE short __half_as_short(__half a) { return (short)a.__x; }
__KERN_INLINE __half __ushort_as_half(unsigned short a) { return __kern_of_bits<__half>(a); }
__KERN_INLINE __half __short_as_half(short a) { return __kern_of_bits<__half>((unsigned short)a); }
__KERN_INLINE __half2 __floats2half2_rn(float x, float y) { return __half2(__half(x), __half(y)); }
__KERN_INLINE __half2 __float22half2_rn(float2 a) { return __floats2half2_rn(a.x, a.y); }
__KERN_INLINE __half2 __float2half2_rn(float a) { return __floats2half2_rn(a, a); }
__KERN_INLINE float2 __half22float2(__half2 a) { return make_float2((float)a.x, (float)a.y); }
__KERN_INLINE __half2 __half2half2(__half a) { return __half2(a, a); }
__KERN_INLINE __half2 __halves2half2(__half x, __half y) { return __half2(x, y); }
__KERN_INLINE __half2 make_half2(__half x, __half y) { return __half2(x, y); }
__KERN_INLINE __half __low2half(__half2 a) { return a.x; }
__KERN_INLINE __half __high2half(__half2 a) { return a.y; }
__KERN_INLINE float __low2float(__half2 a) { return (float)a.x; }
__KERN_INLINE float __high2float(__half2 a) { return (float)a.y; }
__KERN_INLINE __half2 __low2half2(__half2 a) { return __half2(a.x, a.x); }
__KERN_INLINE __half2 __high2half2(__half2 a) { return __half2(a.y, a.y); }
__KERN_INLINE __half2 __lowhigh2highlow(__half2 a) { return __half2(a.y, a.x); }
__KERN_INLINE __half2 __lows2half2(__half2 a, __half2 b) { return __half2(a.x, b.x); }
__KERN_INLINE __half2 __highs2half2(__half2 a, __half2 b) { return __half2(a.y, b.y); }

#endif
