/* opencl.h: read before each .cl file: mathematical functions, ballots of sub-groups, and images as arrays. An
 * image is a pointer to floats, as CUDA's textures are here (texture.h): width, height, depth and 0, then its
 * texels of four floats each, x first. Those of read_imagei and read_imageui are floats, too, which whole
 * numbers of up to 24 bits are exactly.
 */
#ifndef __KERN_OPENCL_H__
#define __KERN_OPENCL_H__

#include "opencl_math.h"

typedef __global float *__kern_image;
typedef uint __kern_sampler;
#define image1d_t __kern_image
#define image2d_t __kern_image
#define image3d_t __kern_image
#define sampler_t __kern_sampler
#define read_only
#define write_only
#define read_write
#define __read_only
#define __write_only
#define __read_write

#define __KERN_FUNCTION static __attribute__((overloadable, always_inline, unused))

/* ---- sub-groups: the functions of cl_khr_subgroup_ballot ---------------------------------------------- */

extern __attribute__((convergent)) ulong __kern_ballot(int) __asm__("kern.ballot");
extern __attribute__((convergent)) int __kern_elect(void) __asm__("kern.elect");

__KERN_FUNCTION __attribute__((convergent)) uint4 sub_group_ballot(int predicate)
{
    ulong set = __kern_ballot(predicate);
    return (uint4)((uint)set, (uint)(set >> 32), 0, 0);
}
__KERN_FUNCTION __attribute__((convergent)) int sub_group_elect(void) { return __kern_elect(); }
__KERN_FUNCTION ulong __kern_set(uint4 set) { return (ulong)set.y << 32 | set.x; }
__KERN_FUNCTION int sub_group_ballot_bit_extract(uint4 set, uint n) { return __kern_set(set) >> n & 1; }
__KERN_FUNCTION int sub_group_inverse_ballot(uint4 set)
{
    return sub_group_ballot_bit_extract(set, get_sub_group_local_id());
}
__KERN_FUNCTION uint sub_group_ballot_bit_count(uint4 set) { return popcount(__kern_set(set)); }
__KERN_FUNCTION uint sub_group_ballot_inclusive_scan(uint4 set)
{
    return popcount(__kern_set(set) & ~0ul >> (63 - get_sub_group_local_id()));
}
__KERN_FUNCTION uint sub_group_ballot_exclusive_scan(uint4 set)
{
    return popcount(__kern_set(set) & ((1ul << get_sub_group_local_id()) - 1));
}
__KERN_FUNCTION uint sub_group_ballot_find_lsb(uint4 set) { return ctz(__kern_set(set)); }
__KERN_FUNCTION uint sub_group_ballot_find_msb(uint4 set) { return 63 - clz(__kern_set(set)); }

/* ---- images ------------------------------------------------------------------------------------------- */

__KERN_FUNCTION int get_image_width(__kern_image i) { return (int)i[0]; }
__KERN_FUNCTION int get_image_height(__kern_image i) { return (int)i[1]; }
__KERN_FUNCTION int get_image_depth(__kern_image i) { return (int)i[2]; }
__KERN_FUNCTION int2 get_image_dim(__kern_image i) { return (int2)((int)i[0], (int)i[1]); }

/* Behind the border: the other side, nothing, or the nearest one inside. */
__KERN_FUNCTION int __kern_wrapped(int at, int size) { return ((at % size) + size) % size; }
__KERN_FUNCTION float4 __kern_texel(__kern_image i, __kern_sampler s, int4 at)
{
    int4 size = (int4)((int)i[0], (int)i[1], (int)i[2], 1);
    uint mode = s & 0xe; /* the bits of CLK_ADDRESS_ */
    if (mode == CLK_ADDRESS_REPEAT)
        at = (int4)(__kern_wrapped(at.x, size.x), __kern_wrapped(at.y, size.y), __kern_wrapped(at.z, size.z),
                    0);
    else if (mode == CLK_ADDRESS_CLAMP && any(at != clamp(at, (int4)(0), size - 1)))
        return (float4)(0.0f);
    at = clamp(at, (int4)(0), size - 1);
    return vload4(1 + (at.z * size.y + at.y) * size.x + at.x, i);
}

__KERN_FUNCTION float4 __kern_sample(__kern_image i, __kern_sampler s, float4 at)
{
    if (s & CLK_NORMALIZED_COORDS_TRUE)
        at *= (float4)(i[0], i[1], i[2], 1.0f);
    if (!(s & CLK_FILTER_LINEAR))
        return __kern_texel(i, s, convert_int4(floor(at)));
    at -= 0.5f;
    float4 low = floor(at), part = at - low, sum = (float4)(0.0f);
    for (int corner = 0; corner < 8; corner++) {
        int4 step = (int4)(corner & 1, corner >> 1 & 1, corner >> 2, 0);
        float4 share = select(1.0f - part, part, step != 0);
        sum += share.x * share.y *
               (i[2] > 1.0f ? share.z
                : step.z    ? 0.0f
                            : 1.0f) *
               __kern_texel(i, s, convert_int4(low) + step);
    }
    return sum;
}

/* For each kind of place: a float or an int, of one to three dimensions. X(type, as four) */
#define __KERN_PLACES(X, T)                                                                                  \
    X(T, (T##4)(at, 0, 0, 0))                                                                                \
    X(T##2, (T##4)(at, 0, 0))                                                                                \
    X(T##4, at)
#define __KERN_READ_FLOAT(T, four)                                                                           \
    __KERN_FUNCTION float4 read_imagef(__kern_image i, __kern_sampler s, T at)                               \
    {                                                                                                        \
        return __kern_sample(i, s, four);                                                                    \
    }
#define __KERN_READ(T, four)                                                                                 \
    __KERN_FUNCTION float4 read_imagef(__kern_image i, __kern_sampler s, T at)                               \
    {                                                                                                        \
        return __kern_texel(i, s, four);                                                                     \
    }                                                                                                        \
    __KERN_FUNCTION float4 read_imagef(__kern_image i, T at) { return __kern_texel(i, 0, four); }            \
    __KERN_FUNCTION int4 read_imagei(__kern_image i, __kern_sampler s, T at)                                 \
    {                                                                                                        \
        return convert_int4(__kern_texel(i, s, four));                                                       \
    }                                                                                                        \
    __KERN_FUNCTION int4 read_imagei(__kern_image i, T at)                                                   \
    {                                                                                                        \
        return convert_int4(__kern_texel(i, 0, four));                                                       \
    }                                                                                                        \
    __KERN_FUNCTION uint4 read_imageui(__kern_image i, __kern_sampler s, T at)                               \
    {                                                                                                        \
        return convert_uint4(__kern_texel(i, s, four));                                                      \
    }                                                                                                        \
    __KERN_FUNCTION uint4 read_imageui(__kern_image i, T at)                                                 \
    {                                                                                                        \
        return convert_uint4(__kern_texel(i, 0, four));                                                      \
    }                                                                                                        \
    __KERN_FUNCTION void write_imagef(__kern_image i, T at, float4 v) { __kern_write(i, four, v); }          \
    __KERN_FUNCTION void write_imagei(__kern_image i, T at, int4 v)                                          \
    {                                                                                                        \
        __kern_write(i, four, convert_float4(v));                                                            \
    }                                                                                                        \
    __KERN_FUNCTION void write_imageui(__kern_image i, T at, uint4 v)                                        \
    {                                                                                                        \
        __kern_write(i, four, convert_float4(v));                                                            \
    }

__KERN_FUNCTION void __kern_write(__kern_image i, int4 at, float4 v)
{
    int4 size = (int4)((int)i[0], (int)i[1], (int)i[2], 1);
    if (all(at == clamp(at, (int4)(0), size - 1)))
        vstore4(v, 1 + (at.z * size.y + at.y) * size.x + at.x, i);
}
__KERN_PLACES(__KERN_READ_FLOAT, float)
__KERN_PLACES(__KERN_READ, int)

#undef __KERN_READ
#undef __KERN_READ_FLOAT
#undef __KERN_PLACES
#undef __KERN_FUNCTION

#endif
