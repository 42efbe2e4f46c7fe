/* atomics.h: CUDA's atomic functions. Scopes and orders are the widest: kernc has one kind. */
#ifndef __KERN_ATOMICS_H__
#define __KERN_ATOMICS_H__

#include "operations.h"

/* On types for which the IR has no operation: `next` is what memory becomes where it was `old`. The bits
 * travel. */
#define __KERN_CAS_LOOP(T, Bits, name, next)                                                                 \
    __KERN_DEVICE_CODE T name(T *at, T v)                                                                    \
    {                                                                                                        \
        Bits *word = (Bits *)at, seen = *(volatile Bits *)word;                                              \
        for (;;) {                                                                                           \
            T old = __builtin_bit_cast(T, seen);                                                             \
            Bits is = __kern_atomic_cas(word, seen, __builtin_bit_cast(Bits, (T)(next)));                    \
            if (is == seen)                                                                                  \
                return old;                                                                                  \
            seen = is;                                                                                       \
        }                                                                                                    \
    }

#define __KERN_ATOMIC(T, name, operation)                                                                    \
    __KERN_DEVICE T name(T *at, T v) { return __kern_atomic_##operation(at, v); }
#define __KERN_X(T, type)                                                                                    \
    __KERN_ATOMIC(T, atomicAdd, add)                                                                         \
    __KERN_ATOMIC(T, atomicSub, sub)                                                                         \
    __KERN_ATOMIC(T, atomicMin, min)                                                                         \
    __KERN_ATOMIC(T, atomicMax, max)                                                                         \
    __KERN_ATOMIC(T, atomicAnd, and)                                                                         \
    __KERN_ATOMIC(T, atomicOr, or)                                                                           \
    __KERN_ATOMIC(T, atomicXor, xor)                                                                         \
    __KERN_ATOMIC(T, atomicExch, exchange)                                                                   \
    __KERN_DEVICE T atomicCAS(T *at, T expected, T v) { return __kern_atomic_cas(at, expected, v); }
__KERN_INTEGERS(__KERN_X)
#undef __KERN_X
__KERN_ATOMIC(float, atomicAdd, add)
__KERN_ATOMIC(float, atomicSub, sub)
__KERN_ATOMIC(float, atomicExch, exchange)
#undef __KERN_ATOMIC
__KERN_CAS_LOOP(double, unsigned long long, atomicAdd, old + v)
__KERN_CAS_LOOP(double, unsigned long long, atomicExch, v)
__KERN_CAS_LOOP(unsigned, unsigned, atomicInc, old >= v ? 0u : old + 1)
__KERN_CAS_LOOP(unsigned, unsigned, atomicDec, old == 0 || old > v ? v : old - 1)

/* Of 16 bits, by the word that they are in. */
__KERN_DEVICE_CODE unsigned short atomicCAS(unsigned short *at, unsigned short expected, unsigned short v)
{
    unsigned shift = (unsigned)((unsigned long)at & 2) * 8;
    unsigned *word = (unsigned *)((char *)at - ((unsigned long)at & 2)), seen = *(volatile unsigned *)word;
    while ((unsigned short)(seen >> shift) == expected) {
        unsigned is = __kern_atomic_cas(word, seen, (seen & ~(0xffffu << shift)) | (unsigned)v << shift);
        if (is == seen)
            return expected;
        seen = is;
    }
    return (unsigned short)(seen >> shift);
}

/* For threads of the block, and of the whole system. */
#define __KERN_SCOPED(name)                                                                                  \
    template <class T, class... V> __KERN_DEVICE T name##_block(T *at, V... v) { return name(at, (T)v...); } \
    template <class T, class... V> __KERN_DEVICE T name##_system(T *at, V... v) { return name(at, (T)v...); }
__KERN_SCOPED(atomicAdd)
__KERN_SCOPED(atomicSub)
__KERN_SCOPED(atomicMin)
__KERN_SCOPED(atomicMax)
__KERN_SCOPED(atomicAnd)
__KERN_SCOPED(atomicOr)
__KERN_SCOPED(atomicXor)
__KERN_SCOPED(atomicExch)
__KERN_SCOPED(atomicCAS)
__KERN_SCOPED(atomicInc)
__KERN_SCOPED(atomicDec)
#undef __KERN_SCOPED

/* Loads and stores with advice for the cache, which kernc has none of. */
#define __KERN_LOAD(name)                                                                                    \
    template <class T> __KERN_DEVICE T name(const T *at) { return *at; }
__KERN_LOAD(__ldg)
__KERN_LOAD(__ldca)
__KERN_LOAD(__ldcg)
__KERN_LOAD(__ldcs)
__KERN_LOAD(__ldcv)
__KERN_LOAD(__ldlu)
#undef __KERN_LOAD
#define __KERN_STORE(name)                                                                                   \
    template <class T> __KERN_DEVICE void name(T *at, T v) { *at = v; }
__KERN_STORE(__stwb)
__KERN_STORE(__stcg)
__KERN_STORE(__stcs)
__KERN_STORE(__stwt)
#undef __KERN_STORE

#endif
