/* cuda_bf16.h: __nv_bfloat16 and __nv_bfloat162. */
#ifndef __KERN_CUDA_BF16_H__
#define __KERN_CUDA_BF16_H__

#include "kern/attributes.h"
#include "kern/atomics.h"
#include "kern/small.h"

__KERN_SMALL(__nv_bfloat16, __nv_bfloat162, __kern_from_bfloat, __kern_to_bfloat)
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;
struct __nv_bfloat16_raw {
    unsigned short x;
};

__KERN_INLINE float __bfloat162float(__nv_bfloat16 a) { return (float)a; }
__KERN_INLINE __nv_bfloat16 __float2bfloat16(float a) { return __nv_bfloat16(a); }
__KERN_INLINE __nv_bfloat16 __float2bfloat16_rn(float a) { return __nv_bfloat16(a); }
__KERN_INLINE __nv_bfloat16 __double2bfloat16(double a) { return __nv_bfloat16(a); }
__KERN_INLINE __nv_bfloat16 __int2bfloat16_rn(int a) { return __nv_bfloat16(a); }
__KERN_INLINE int __bfloat162int_rn(__nv_bfloat16 a) { return (int)__kern_rint((float)a); }
__KERN_INLINE int __bfloat162int_rz(__nv_bfloat16 a) { return (int)(float)a; }
__KERN_INLINE unsigned short __bfloat16_as_ushort(__nv_bfloat16 a) { return a.__x; }
__KERN_INLINE short __bfloat16_as_short(__nv_bfloat16 a) { return (short)a.__x; }
__KERN_INLINE __nv_bfloat16 __ushort_as_bfloat16(unsigned short a)
{
    return __kern_of_bits<__nv_bfloat16>(a);
}
__KERN_INLINE __nv_bfloat16 __short_as_bfloat16(short a)
{
    return __kern_of_bits<__nv_bfloat16>((unsigned short)a);
}
__KERN_INLINE __nv_bfloat162 __floats2bfloat162_rn(float x, float y)
{
    return __nv_bfloat162(__nv_bfloat16(x), __nv_bfloat16(y));
}
__KERN_INLINE __nv_bfloat162 __float22bfloat162_rn(float2 a) { return __floats2bfloat162_rn(a.x, a.y); }
__KERN_INLINE __nv_bfloat162 __float2bfloat162_rn(float a) { return __floats2bfloat162_rn(a, a); }
__KERN_INLINE float2 __bfloat1622float2(__nv_bfloat162 a) { return make_float2((float)a.x, (float)a.y); }
__KERN_INLINE __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 a) { return __nv_bfloat162(a, a); }
__KERN_INLINE __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 x, __nv_bfloat16 y)
{
    return __nv_bfloat162(x, y);
}
__KERN_INLINE __nv_bfloat162 make_bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) { return __nv_bfloat162(x, y); }
__KERN_INLINE __nv_bfloat16 __low2bfloat16(__nv_bfloat162 a) { return a.x; }
__KERN_INLINE __nv_bfloat16 __high2bfloat16(__nv_bfloat162 a) { return a.y; }
__KERN_INLINE float __low2float(__nv_bfloat162 a) { return (float)a.x; }
__KERN_INLINE float __high2float(__nv_bfloat162 a) { return (float)a.y; }

#endif
