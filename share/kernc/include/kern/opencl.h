/* opencl.h: read before each .cl file: mathematical functions, ballots of sub-groups, and images as arrays. An
 * image is a pointer to floats, as CUDA's textures are here (texture.h): width, height, depth and 0, then its
 * texels of four floats each, x first. Those of read_imagei and read_imageui are floats, too, which whole
 * numbers of up to 24 bits are exactly; those of depth images are in the first of four. In an array of images
 * the height (image1d_array_t) or depth (image2d_array_t) is their number.
 */
#ifndef __KERN_OPENCL_H__
#define __KERN_OPENCL_H__

#include "opencl_math.h"

typedef __global float *__kern_image;
typedef uint __kern_sampler;
/* Other types, which functions tell apart by their coordinates or results. */
typedef __global struct __kern_row {
    float at;
} * __kern_rows;
typedef __global struct __kern_layer {
    float at;
} * __kern_layers;
typedef __global struct __kern_distance {
    float at;
} * __kern_depth;
typedef __global struct __kern_distances {
    float at;
} * __kern_depths;
#define image1d_t             __kern_image
#define image1d_buffer_t      __kern_image
#define image2d_t             __kern_image
#define image3d_t             __kern_image
#define image1d_array_t       __kern_rows
#define image2d_array_t       __kern_layers
#define image2d_depth_t       __kern_depth
#define image2d_array_depth_t __kern_depths
#define sampler_t             __kern_sampler
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

#define __KERN_SIZES(I)                                                                                      \
    __KERN_FUNCTION int get_image_width(I i) { return (int)((__kern_image)i)[0]; }                           \
    __KERN_FUNCTION int get_image_height(I i) { return (int)((__kern_image)i)[1]; }                          \
    __KERN_FUNCTION int2 get_image_dim(I i) { return (int2)(get_image_width(i), get_image_height(i)); }
__KERN_SIZES(__kern_image)
__KERN_SIZES(__kern_rows)
__KERN_SIZES(__kern_layers)
__KERN_SIZES(__kern_depth)
__KERN_SIZES(__kern_depths)
#undef __KERN_SIZES
__KERN_FUNCTION int get_image_depth(__kern_image i) { return (int)i[2]; }
__KERN_FUNCTION size_t get_image_array_size(__kern_rows i) { return (size_t)i[1].at; }
__KERN_FUNCTION size_t get_image_array_size(__kern_layers i) { return (size_t)i[2].at; }
__KERN_FUNCTION size_t get_image_array_size(__kern_depths i) { return (size_t)i[2].at; }

/* Behind the border: the other side, nothing, or the nearest one inside. */
__KERN_FUNCTION int __kern_wrapped(int at, int size) { return ((at % size) + size) % size; }
/* `axes` of at are places in an image; the one behind them is the number of an image, the nearest that is
 * there. */
__KERN_FUNCTION int4 __kern_size(__kern_image i) { return (int4)((int)i[0], (int)i[1], (int)i[2], 1); }
__KERN_FUNCTION float4 __kern_texel(__kern_image i, __kern_sampler s, int4 at, int axes)
{
    int4 size = __kern_size(i), inside = clamp(at, (int4)(0), size - 1);
    uint mode = s & 0xe; /* the bits of CLK_ADDRESS_ */
    at = select(inside, at, (int4)(0, 1, 2, 3) < axes);
    if (mode == CLK_ADDRESS_REPEAT)
        at = (int4)(__kern_wrapped(at.x, size.x), __kern_wrapped(at.y, size.y), __kern_wrapped(at.z, size.z),
                    0);
    else if (mode == CLK_ADDRESS_CLAMP && any(at != inside))
        return (float4)(0.0f);
    else
        at = inside;
    return vload4(1 + (at.z * size.y + at.y) * size.x + at.x, i);
}

__KERN_FUNCTION float4 __kern_sample(__kern_image i, __kern_sampler s, float4 at, int axes)
{
    int4 of_place = (int4)(0, 1, 2, 3) < axes;
    if (s & CLK_NORMALIZED_COORDS_TRUE)
        at = select(at, at * (float4)(i[0], i[1], i[2], 1.0f), of_place);
    at = select(rint(at), at, of_place);
    if (!(s & CLK_FILTER_LINEAR))
        return __kern_texel(i, s, convert_int4(floor(at)), axes);
    at = select(at, at - 0.5f, of_place);
    float4 low = floor(at), part = at - low, sum = (float4)(0.0f);
    for (int corner = 0; corner < 1 << axes; corner++) {
        int4 step = (int4)(corner & 1, corner >> 1 & 1, corner >> 2, 0);
        float4 share = select(1.0f - part, part, step != 0);
        sum += share.x * share.y * share.z * __kern_texel(i, s, convert_int4(low) + step, axes);
    }
    return sum;
}
__KERN_FUNCTION void __kern_write(__kern_image i, int4 at, float4 v)
{
    int4 size = __kern_size(i);
    if (all(at == clamp(at, (int4)(0), size - 1)))
        vstore4(v, 1 + (at.z * size.y + at.y) * size.x + at.x, i);
}

/* For each image and kind of place: a float or an int, of one to three dimensions, the last one perhaps the
 * number of an image. X(image, place, as four, axes, …) */
#define __KERN_PLACES(X, T)                                                                                  \
    X(__kern_image, T, (T##4)(at, 0, 0, 0), 1, float4, )                                                     \
    X(__kern_image, T##2, (T##4)(at, 0, 0), 2, float4, )                                                     \
    X(__kern_image, T##4, at, 3, float4, )                                                                   \
    X(__kern_rows, T##2, (T##4)(at, 0, 0), 1, float4, )                                                      \
    X(__kern_layers, T##4, at, 2, float4, )
#define __KERN_DEPTHS(X, T)                                                                                  \
    X(__kern_depth, T##2, (T##4)(at, 0, 0), 2, float, .x)                                                    \
    X(__kern_depths, T##4, at, 2, float, .x)
#define __KERN_SAMPLE(I, T, four, axes, R, part)                                                             \
    __KERN_FUNCTION R read_imagef(I i, __kern_sampler s, T at)                                               \
    {                                                                                                        \
        return __kern_sample((__kern_image)i, s, four, axes) part;                                           \
    }
#define __KERN_READ(I, T, four, axes, R, part)                                                               \
    __KERN_FUNCTION R read_imagef(I i, __kern_sampler s, T at)                                               \
    {                                                                                                        \
        return __kern_texel((__kern_image)i, s, four, axes) part;                                            \
    }                                                                                                        \
    __KERN_FUNCTION R read_imagef(I i, T at) { return read_imagef(i, 0, at); }                               \
    __KERN_FUNCTION void write_imagef(I i, T at, R v) { __kern_write((__kern_image)i, four, (float4)(v)); }
#define __KERN_WHOLE_NUMBERS(I, T, four, axes, R, part)                                                      \
    __KERN_FUNCTION int4 read_imagei(I i, __kern_sampler s, T at)                                            \
    {                                                                                                        \
        return convert_int4(read_imagef(i, s, at));                                                          \
    }                                                                                                        \
    __KERN_FUNCTION uint4 read_imageui(I i, __kern_sampler s, T at)                                          \
    {                                                                                                        \
        return convert_uint4(read_imagef(i, s, at));                                                         \
    }
#define __KERN_WHOLE_TEXELS(I, T, four, axes, R, part)                                                       \
    __KERN_FUNCTION int4 read_imagei(I i, T at) { return convert_int4(read_imagef(i, at)); }                 \
    __KERN_FUNCTION uint4 read_imageui(I i, T at) { return convert_uint4(read_imagef(i, at)); }              \
    __KERN_FUNCTION void write_imagei(I i, T at, int4 v) { write_imagef(i, at, convert_float4(v)); }         \
    __KERN_FUNCTION void write_imageui(I i, T at, uint4 v) { write_imagef(i, at, convert_float4(v)); }
__KERN_PLACES(__KERN_SAMPLE, float)
__KERN_DEPTHS(__KERN_SAMPLE, float)
__KERN_PLACES(__KERN_READ, int)
__KERN_DEPTHS(__KERN_READ, int)
__KERN_PLACES(__KERN_WHOLE_NUMBERS, float)
__KERN_PLACES(__KERN_WHOLE_NUMBERS, int)
__KERN_PLACES(__KERN_WHOLE_TEXELS, int)

#undef __KERN_DEPTHS
#undef __KERN_SAMPLE
#undef __KERN_WHOLE_NUMBERS
#undef __KERN_WHOLE_TEXELS
#undef __KERN_READ
#undef __KERN_PLACES
#undef __KERN_FUNCTION

#endif
