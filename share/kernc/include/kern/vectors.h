/* vectors.h: CUDA's vector types: char1 to double4, make_char1 to make_double4; dim3. */
#ifndef __KERN_VECTORS_H__
#define __KERN_VECTORS_H__

#include "attributes.h"

/* Of n elements: the type, how it is aligned, and its make_. */
#define __KERN_VECTORS(name, T, align2, align4)                                                              \
    struct name##1 { T x; };                                                                                 \
    struct __align__(align2) name##2 { T x, y; };                                                            \
    struct name##3 { T x, y, z; };                                                                           \
    struct __align__(align4) name##4 { T x, y, z, w; };                                                      \
    __KERN_INLINE name##1 make_##name##1(T x)                                                                \
    {                                                                                                        \
        name##1 v = {x};                                                                                     \
        return v;                                                                                            \
    }                                                                                                        \
    __KERN_INLINE name##2 make_##name##2(T x, T y)                                                           \
    {                                                                                                        \
        name##2 v = {x, y};                                                                                  \
        return v;                                                                                            \
    }                                                                                                        \
    __KERN_INLINE name##3 make_##name##3(T x, T y, T z)                                                      \
    {                                                                                                        \
        name##3 v = {x, y, z};                                                                               \
        return v;                                                                                            \
    }                                                                                                        \
    __KERN_INLINE name##4 make_##name##4(T x, T y, T z, T w)                                                 \
    {                                                                                                        \
        name##4 v = {x, y, z, w};                                                                            \
        return v;                                                                                            \
    }
__KERN_VECTORS(char, signed char, 2, 4)
__KERN_VECTORS(uchar, unsigned char, 2, 4)
__KERN_VECTORS(short, short, 4, 8)
__KERN_VECTORS(ushort, unsigned short, 4, 8)
__KERN_VECTORS(int, int, 8, 16)
__KERN_VECTORS(uint, unsigned, 8, 16)
__KERN_VECTORS(long, long, 16, 16)
__KERN_VECTORS(ulong, unsigned long, 16, 16)
__KERN_VECTORS(longlong, long long, 16, 16)
__KERN_VECTORS(ulonglong, unsigned long long, 16, 16)
__KERN_VECTORS(float, float, 8, 16)
__KERN_VECTORS(double, double, 16, 16)
#undef __KERN_VECTORS

struct dim3 {
    unsigned x, y, z;
    __KERN_MEMBER constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
    __KERN_MEMBER constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    __KERN_MEMBER constexpr operator uint3() const { return {x, y, z}; }
};

#endif
