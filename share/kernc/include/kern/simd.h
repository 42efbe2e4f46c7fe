/* simd.h: CUDA's functions of two or four small integers in a word, __vadd2 to __vsetgtu4, and of three numbers
 * at once (DPX), __viaddmax_s32 to __vimin3_u16x2. */
#ifndef __KERN_SIMD_H__
#define __KERN_SIMD_H__

#include "attributes.h"

/* Part by part, of N bits: a and b as numbers of type T. */
#define __KERN_PARTS(name, N, T, value)                                                                      \
    __KERN_CODE unsigned name(unsigned x, unsigned y)                                                        \
    {                                                                                                        \
        unsigned result = 0;                                                                                 \
        for (int i = 0; i < 32; i += N) {                                                                    \
            int a = (T)(x >> i), b = (T)(y >> i);                                                            \
            result |= ((unsigned)(value) & (0xffffffffu >> (32 - N))) << i;                                  \
        }                                                                                                    \
        return result;                                                                                       \
    }
#define __KERN_CLAMP(value, low, high) ((value) < (low) ? (low) : (value) > (high) ? (high) : (value))
#define __KERN_SIMD(n, N, S, U, low, high)                                                                   \
    __KERN_PARTS(__vadd##n, N, U, a + b)                                                                     \
    __KERN_PARTS(__vsub##n, N, U, a - b)                                                                     \
    __KERN_PARTS(__vaddss##n, N, S, __KERN_CLAMP(a + b, low, high))                                          \
    __KERN_PARTS(__vsubss##n, N, S, __KERN_CLAMP(a - b, low, high))                                          \
    __KERN_PARTS(__vaddus##n, N, U, __KERN_CLAMP(a + b, 0, high - low))                                      \
    __KERN_PARTS(__vsubus##n, N, U, __KERN_CLAMP(a - b, 0, high - low))                                      \
    __KERN_PARTS(__vavgs##n, N, S, (a + b + (a + b >= 0)) >> 1)                                              \
    __KERN_PARTS(__vavgu##n, N, U, (a + b + 1) >> 1)                                                         \
    __KERN_PARTS(__vhaddu##n, N, U, (a + b) >> 1)                                                            \
    __KERN_PARTS(__vmins##n, N, S, a < b ? a : b)                                                            \
    __KERN_PARTS(__vmaxs##n, N, S, a > b ? a : b)                                                            \
    __KERN_PARTS(__vminu##n, N, U, a < b ? a : b)                                                            \
    __KERN_PARTS(__vmaxu##n, N, U, a > b ? a : b)                                                            \
    __KERN_PARTS(__vabsdiffs##n, N, S, a > b ? a - b : b - a)                                                \
    __KERN_PARTS(__vabsdiffu##n, N, U, a > b ? a - b : b - a)                                                \
    __KERN_SIMD_COMPARE(n, N, S, U, eq, ==)                                                                  \
    __KERN_SIMD_COMPARE(n, N, S, U, ne, !=)                                                                  \
    __KERN_SIMD_COMPARE(n, N, S, S, gts, >)                                                                  \
    __KERN_SIMD_COMPARE(n, N, S, S, ges, >=)                                                                 \
    __KERN_SIMD_COMPARE(n, N, S, S, lts, <)                                                                  \
    __KERN_SIMD_COMPARE(n, N, S, S, les, <=)                                                                 \
    __KERN_SIMD_COMPARE(n, N, S, U, gtu, >)                                                                  \
    __KERN_SIMD_COMPARE(n, N, S, U, geu, >=)                                                                 \
    __KERN_SIMD_COMPARE(n, N, S, U, ltu, <)                                                                  \
    __KERN_SIMD_COMPARE(n, N, S, U, leu, <=)                                                                 \
    __KERN_INLINE unsigned __vneg##n(unsigned x) { return __vsub##n(0, x); }                                 \
    __KERN_INLINE unsigned __vabs##n(unsigned x) { return __vmaxs##n(x, __vneg##n(x)); }                     \
    __KERN_INLINE unsigned __vnegss##n(unsigned x) { return __vsubss##n(0, x); }                             \
    __KERN_INLINE unsigned __vabsss##n(unsigned x) { return __vmaxs##n(x, __vnegss##n(x)); }                 \
    __KERN_CODE unsigned __vsads##n(unsigned x, unsigned y)                                                  \
    {                                                                                                        \
        unsigned d = __vabsdiffs##n(x, y), sum = 0;                                                          \
        for (int i = 0; i < 32; i += N)                                                                      \
            sum += (U)(d >> i);                                                                              \
        return sum;                                                                                          \
    }                                                                                                        \
    __KERN_CODE unsigned __vsadu##n(unsigned x, unsigned y)                                                  \
    {                                                                                                        \
        unsigned d = __vabsdiffu##n(x, y), sum = 0;                                                          \
        for (int i = 0; i < 32; i += N)                                                                      \
            sum += (U)(d >> i);                                                                              \
        return sum;                                                                                          \
    }
#define __KERN_SIMD_COMPARE(n, N, S, T, name, op)                                                            \
    __KERN_PARTS(__vcmp##name##n, N, T, a op b ? -1 : 0)                                                     \
    __KERN_PARTS(__vset##name##n, N, T, a op b ? 1 : 0)
__KERN_SIMD(2, 16, short, unsigned short, -32768, 32767)
__KERN_SIMD(4, 8, signed char, unsigned char, -128, 127)
#undef __KERN_SIMD
#undef __KERN_SIMD_COMPARE
#undef __KERN_CLAMP
#undef __KERN_PARTS

/* ---- of three numbers --------------------------------------------------------------------------------- */

#define __KERN_SUM(a, b)  ((a) + 0u + (b))
#define __KERN_LESS(a, b) ((a) < (b) ? (a) : (b))
#define __KERN_MORE(a, b) ((a) > (b) ? (a) : (b))
#define __KERN_OF_THREE(t, T, name, sum, of)                                                                 \
    __KERN_INLINE T __viadd##name##_##t(T a, T b, T c)                                                       \
    {                                                                                                        \
        T d = (T)sum(a, b);                                                                                  \
        return of(d, c);                                                                                     \
    }                                                                                                        \
    __KERN_INLINE T __vi##name##3_##t(T a, T b, T c)                                                         \
    {                                                                                                        \
        T d = of(a, b);                                                                                      \
        return of(d, c);                                                                                     \
    }
/* Of signed ones, 0 at the least. */
#define __KERN_RELU(t, T, name, of, most)                                                                    \
    __KERN_INLINE T __viadd##name##_##t##_relu(T a, T b, T c)                                                \
    {                                                                                                        \
        T d = __viadd##name##_##t(a, b, c);                                                                  \
        return most(d, 0);                                                                                   \
    }                                                                                                        \
    __KERN_INLINE T __vi##name##3_##t##_relu(T a, T b, T c)                                                  \
    {                                                                                                        \
        T d = __vi##name##3_##t(a, b, c);                                                                    \
        return most(d, 0);                                                                                   \
    }                                                                                                        \
    __KERN_INLINE T __vi##name##_##t##_relu(T a, T b)                                                        \
    {                                                                                                        \
        T d = of(a, b);                                                                                      \
        return most(d, 0);                                                                                   \
    }
/* And whether it is the first one. */
#define __KERN_WHICH(t, T, name, op)                                                                         \
    __KERN_INLINE T __vib##name##_##t(T a, T b, bool *first)                                                 \
    {                                                                                                        \
        *first = a op b;                                                                                     \
        return *first ? a : b;                                                                               \
    }
#define __KERN_WHICH_HALVES(t, T, name, op)                                                                  \
    __KERN_INLINE unsigned __vib##name##_##t(unsigned a, unsigned b, bool *high, bool *low)                  \
    {                                                                                                        \
        *high = (T)(a >> 16) op(T)(b >> 16);                                                                 \
        *low = (T)a op(T) b;                                                                                 \
        return ((*high ? a : b) & 0xffff0000u) | ((*low ? a : b) & 0xffffu);                                 \
    }
__KERN_OF_THREE(s32, int, max, __KERN_SUM, __KERN_MORE)
__KERN_OF_THREE(s32, int, min, __KERN_SUM, __KERN_LESS)
__KERN_OF_THREE(u32, unsigned, max, __KERN_SUM, __KERN_MORE)
__KERN_OF_THREE(u32, unsigned, min, __KERN_SUM, __KERN_LESS)
__KERN_OF_THREE(s16x2, unsigned, max, __vadd2, __vmaxs2)
__KERN_OF_THREE(s16x2, unsigned, min, __vadd2, __vmins2)
__KERN_OF_THREE(u16x2, unsigned, max, __vadd2, __vmaxu2)
__KERN_OF_THREE(u16x2, unsigned, min, __vadd2, __vminu2)
__KERN_RELU(s32, int, max, __KERN_MORE, __KERN_MORE)
__KERN_RELU(s32, int, min, __KERN_LESS, __KERN_MORE)
__KERN_RELU(s16x2, unsigned, max, __vmaxs2, __vmaxs2)
__KERN_RELU(s16x2, unsigned, min, __vmins2, __vmaxs2)
__KERN_WHICH(s32, int, max, >=)
__KERN_WHICH(s32, int, min, <=)
__KERN_WHICH(u32, unsigned, max, >=)
__KERN_WHICH(u32, unsigned, min, <=)
__KERN_WHICH_HALVES(s16x2, short, max, >=)
__KERN_WHICH_HALVES(s16x2, short, min, <=)
__KERN_WHICH_HALVES(u16x2, unsigned short, max, >=)
__KERN_WHICH_HALVES(u16x2, unsigned short, min, <=)
#undef __KERN_SUM
#undef __KERN_LESS
#undef __KERN_MORE
#undef __KERN_OF_THREE
#undef __KERN_RELU
#undef __KERN_WHICH
#undef __KERN_WHICH_HALVES

#endif
