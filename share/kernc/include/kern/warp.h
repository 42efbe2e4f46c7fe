/* warp.h: CUDA's functions of a warp. kernc's operations act on the group of threads that execute one
 * dynamic instance together; a mask chooses among them. So the value is right for the threads that the mask
 * names, if they come together. With KERN_MASKS_MEET they need not, and with KERN_CHECK_MASKS they have to:
 * meet.h.
 */
#ifndef __KERN_WARP_H__
#define __KERN_WARP_H__

#include "operations.h"

#define __KERN_FULL 0xffffffffu

__KERN_DEVICE unsigned __activemask() { return (unsigned)__kern_active_mask(); }
__KERN_DEVICE unsigned __lanemask_lt() { return (1u << __kern_lane()) - 1; }
__KERN_DEVICE unsigned __lanemask_le() { return (2u << __kern_lane()) - 1; }
__KERN_DEVICE unsigned __lanemask_eq() { return 1u << __kern_lane(); }
__KERN_DEVICE unsigned __lanemask_gt() { return ~((2u << __kern_lane()) - 1); }
__KERN_DEVICE unsigned __lanemask_ge() { return ~((1u << __kern_lane()) - 1); }
__KERN_DEVICE unsigned __lane_id() { return __kern_lane(); }

/* What __reduce_…_sync does, for one type: __KERN_REDUCE(type, name, of a and b). meet.h has it, too. */
#define __KERN_REDUCTIONS(T, type)                                                                           \
    __KERN_REDUCE(T, add, a + b)                                                                             \
    __KERN_REDUCE(T, min, b < a ? b : a)                                                                     \
    __KERN_REDUCE(T, max, a < b ? b : a)                                                                     \
    __KERN_REDUCE(T, and, a &b)                                                                              \
    __KERN_REDUCE(T, or, a | b)                                                                              \
    __KERN_REDUCE(T, xor, a ^ b)

#if defined KERN_MASKS_MEET || defined KERN_CHECK_MASKS
#include "meet.h"
#else
__KERN_DEVICE void __syncwarp(unsigned = __KERN_FULL) { __kern_syncwarp(); }
__KERN_DEVICE unsigned __ballot_sync(unsigned mask, int p) { return (unsigned)__kern_ballot(p != 0) & mask; }
#endif
__KERN_DEVICE int __any_sync(unsigned mask, int p) { return __ballot_sync(mask, p) != 0; }
__KERN_DEVICE int __all_sync(unsigned mask, int p) { return __ballot_sync(mask, !p) == 0; }
__KERN_DEVICE int __uni_sync(unsigned mask, int p) { return __all_sync(mask, p) || __all_sync(mask, !p); }
__KERN_DEVICE unsigned __ballot(int p) { return (unsigned)__kern_ballot(p != 0); }
__KERN_DEVICE int __any(int p) { return __kern_any(p != 0); }
__KERN_DEVICE int __all(int p) { return __kern_all(p != 0); }

#if !defined KERN_MASKS_MEET && !defined KERN_CHECK_MASKS
/* The warp in segments of `width` lanes, a power of two; a lane outside the own segment gives the own
 * value. */
#define __KERN_X(T, type)                                                                                    \
    __KERN_DEVICE T __shfl_sync(unsigned, T v, int lane, int width = 32)                                     \
    {                                                                                                        \
        return __kern_shuffle(v, ((int)__kern_lane() & -width) | (lane & (width - 1)));                      \
    }                                                                                                        \
    __KERN_DEVICE T __shfl_up_sync(unsigned, T v, unsigned by, int width = 32)                               \
    {                                                                                                        \
        T other = __kern_shuffle_up(v, (int)by);                                                             \
        return (__kern_lane() & (unsigned)(width - 1)) >= by ? other : v;                                    \
    }                                                                                                        \
    __KERN_DEVICE T __shfl_down_sync(unsigned, T v, unsigned by, int width = 32)                             \
    {                                                                                                        \
        T other = __kern_shuffle_down(v, (int)by);                                                           \
        return (__kern_lane() & (unsigned)(width - 1)) + by < (unsigned)width ? other : v;                   \
    }                                                                                                        \
    __KERN_DEVICE T __shfl_xor_sync(unsigned, T v, int bits, int width = 32)                                 \
    {                                                                                                        \
        T other = __kern_shuffle_xor(v, bits);                                                               \
        return ((int)__kern_lane() ^ bits) <= ((int)__kern_lane() | (width - 1)) ? other : v;                \
    }
__KERN_NUMBERS(__KERN_X)
#undef __KERN_X
#endif

#define __KERN_X(T, type)                                                                                    \
    __KERN_DEVICE T __shfl(T v, int lane, int width = 32)                                                    \
    {                                                                                                        \
        return __shfl_sync(__KERN_FULL, v, lane, width);                                                     \
    }                                                                                                        \
    __KERN_DEVICE T __shfl_up(T v, unsigned by, int width = 32)                                              \
    {                                                                                                        \
        return __shfl_up_sync(__KERN_FULL, v, by, width);                                                    \
    }                                                                                                        \
    __KERN_DEVICE T __shfl_down(T v, unsigned by, int width = 32)                                            \
    {                                                                                                        \
        return __shfl_down_sync(__KERN_FULL, v, by, width);                                                  \
    }                                                                                                        \
    __KERN_DEVICE T __shfl_xor(T v, int bits, int width = 32)                                                \
    {                                                                                                        \
        return __shfl_xor_sync(__KERN_FULL, v, bits, width);                                                 \
    }
__KERN_NUMBERS(__KERN_X)
#undef __KERN_X

/* ---- match and reduce -------------------------------------------------------------------------------- */

/* The lanes of the group that have the value: one round for each value that occurs. */
template <class T> __KERN_DEVICE_CODE unsigned __kern_match(T v)
{
    unsigned left = (unsigned)__kern_active_mask(), result = 0;
    while (left) {
        int leader = (int)__kern_ctz(left);
        bool same = v == __kern_shuffle(v, leader);
        unsigned peers = (unsigned)__kern_ballot(same);
        if (same)
            result = peers;
        left &= ~(peers | 1u << leader);
    }
    return result;
}
template <class T> __KERN_DEVICE_CODE T __kern_of_lowest(unsigned mask, T v)
{
    unsigned there = mask & (unsigned)__kern_active_mask();
    return __kern_shuffle(v, there ? (int)__kern_ctz(there) : (int)__kern_lane());
}

#if !defined KERN_MASKS_MEET && !defined KERN_CHECK_MASKS
#define __KERN_X(T, type)                                                                                    \
    __KERN_DEVICE unsigned __match_any_sync(unsigned mask, T v) { return __kern_match(v) & mask; }           \
    __KERN_DEVICE unsigned __match_all_sync(unsigned mask, T v, int *all)                                    \
    {                                                                                                        \
        *all = __all_sync(mask, v == __kern_of_lowest(mask, v));                                             \
        return *all ? mask : 0;                                                                              \
    }
__KERN_NUMBERS(__KERN_X)
#undef __KERN_X

/* Over the lanes of the mask; by the operation of the IR if that names the whole group. */
#define __KERN_REDUCE(T, name, operation)                                                                    \
    __KERN_DEVICE_CODE T __reduce_##name##_sync(unsigned mask, T v)                                          \
    {                                                                                                        \
        unsigned there = (unsigned)__kern_active_mask();                                                     \
        if (__kern_all((there & ~mask) == 0))                                                                \
            return __kern_reduce_##name(v);                                                                  \
        T a = __kern_of_lowest(mask, v);                                                                     \
        bool begun = false;                                                                                  \
        for (int lane = 0; lane < 32; lane++) {                                                              \
            T b = __kern_shuffle(v, lane);                                                                   \
            bool counts = (there & mask) >> lane & 1;                                                        \
            if (counts && begun)                                                                             \
                a = operation;                                                                               \
            begun |= counts;                                                                                 \
        }                                                                                                    \
        return a;                                                                                            \
    }
__KERN_I32(__KERN_REDUCTIONS)
#undef __KERN_REDUCE
#endif

#endif
