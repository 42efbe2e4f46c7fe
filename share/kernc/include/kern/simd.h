/* simd.h: CUDA's functions of two or four small integers in a word: __vadd2 to __vsetgtu4. */
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

#endif
