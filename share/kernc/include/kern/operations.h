/* operations.h: the operations of kernc's IR as functions. The symbol of one is "kern.", its name in the IR
 * (docs/ir.md), and its type if that can differ. Each name is overloaded by the types of C.
 */
#ifndef __KERN_OPERATIONS_H__
#define __KERN_OPERATIONS_H__

#include "attributes.h"

#define __KERN_OP(result, name, text, ...)                                                                   \
    extern __attribute__((host, device)) result __kern_##name(__VA_ARGS__) __asm__("kern." text);

/* For each type of C: X(type of C, type of the IR). */
#define __KERN_I32(X)      X(int, "i32") X(unsigned, "i32")
#define __KERN_I64(X)      __KERN_LONG(X, long) __KERN_LONG(X, long long)
#define __KERN_LONG(X, T)  X(T, "i64") X(unsigned T, "i64")
#define __KERN_INTEGERS(X) __KERN_I32(X) __KERN_I64(X)
#define __KERN_FLOATS(X)   X(float, "f32") X(double, "f64")
#define __KERN_NUMBERS(X)  __KERN_INTEGERS(X) __KERN_FLOATS(X)
#define __KERN_SIGNED(X)   X(int, "i32") X(long, "i64") X(long long, "i64")
#define __KERN_UNSIGNED(X) X(unsigned, "i32") X(unsigned long, "i64") X(unsigned long long, "i64")

/* ---- the thread's place ------------------------------------------------------------------------------ */

#define __KERN_SPECIAL3(name, text)                                                                          \
    __KERN_OP(unsigned, name##_x, "special." text ".x")                                                      \
    __KERN_OP(unsigned, name##_y, "special." text ".y")                                                      \
    __KERN_OP(unsigned, name##_z, "special." text ".z")
__KERN_SPECIAL3(tid, "tid")
__KERN_SPECIAL3(bid, "bid")
__KERN_SPECIAL3(bdim, "bdim")
__KERN_SPECIAL3(gdim, "gdim")
__KERN_OP(unsigned, lane, "special.lane")
__KERN_OP(unsigned, warp, "special.warp")
__KERN_OP(int, warpsize, "special.warpsize")
__KERN_OP(long long, clock, "clock")

/* ---- with other threads ------------------------------------------------------------------------------ */

__KERN_OP(void, barrier, "barrier")
__KERN_OP(void, syncwarp, "syncwarp")
__KERN_OP(void, fence, "fence")
__KERN_OP(unsigned long long, active_mask, "active.mask")
__KERN_OP(unsigned long long, ballot, "ballot", bool)
__KERN_OP(bool, any, "any", bool)
__KERN_OP(bool, all, "all", bool)
__KERN_OP(bool, elect, "elect")

#define __KERN_X(T, type)                                                                                    \
    __KERN_OP(T, shuffle, "shuffle." type, T, int)                                                           \
    __KERN_OP(T, shuffle_xor, "shuffle.xor." type, T, int)                                                   \
    __KERN_OP(T, shuffle_up, "shuffle.up." type, T, int)                                                     \
    __KERN_OP(T, shuffle_down, "shuffle.down." type, T, int)                                                 \
    __KERN_OP(T, broadcast, "broadcast." type, T, int)                                                       \
    __KERN_OP(T, broadcast_first, "broadcast.first." type, T)                                                \
    __KERN_OP(T, reduce_add, "reduce.add." type, T)                                                          \
    __KERN_OP(T, scan_add, "scan.add." type, T)
__KERN_NUMBERS(__KERN_X)
#undef __KERN_X
#define __KERN_X(T, type)                                                                                    \
    __KERN_OP(T, reduce_and, "reduce.and." type, T)                                                          \
    __KERN_OP(T, reduce_or, "reduce.or." type, T)                                                            \
    __KERN_OP(T, reduce_xor, "reduce.xor." type, T)
__KERN_INTEGERS(__KERN_X)
#undef __KERN_X
#define __KERN_X(T, type)                                                                                    \
    __KERN_OP(T, reduce_min, "reduce.smin." type, T)                                                         \
    __KERN_OP(T, reduce_max, "reduce.smax." type, T)
__KERN_SIGNED(__KERN_X)
__KERN_FLOATS(__KERN_X)
#undef __KERN_X
#define __KERN_X(T, type)                                                                                    \
    __KERN_OP(T, reduce_min, "reduce.umin." type, T)                                                         \
    __KERN_OP(T, reduce_max, "reduce.umax." type, T)
__KERN_UNSIGNED(__KERN_X)
#undef __KERN_X

/* ---- atomic operations: those on floats are add, min, max and xchg of f32 ---------------------------- */

#define __KERN_ATOMIC(T, name, text) __KERN_OP(T, atomic_##name, "atomic." text, volatile T *, T)
#define __KERN_X(T, type)                                                                                    \
    __KERN_ATOMIC(T, add, "add." type)                                                                       \
    __KERN_ATOMIC(T, sub, "sub." type)                                                                       \
    __KERN_ATOMIC(T, and, "and." type)                                                                       \
    __KERN_ATOMIC(T, or, "or." type)                                                                         \
    __KERN_ATOMIC(T, xor, "xor." type)                                                                       \
    __KERN_ATOMIC(T, exchange, "xchg." type)                                                                 \
    __KERN_OP(T, atomic_cas, "atomic.cas." type, volatile T *, T, T)
__KERN_INTEGERS(__KERN_X)
#undef __KERN_X
#define __KERN_X(T, type)                                                                                    \
    __KERN_ATOMIC(T, min, "smin." type)                                                                      \
    __KERN_ATOMIC(T, max, "smax." type)
__KERN_SIGNED(__KERN_X)
#undef __KERN_X
#define __KERN_X(T, type)                                                                                    \
    __KERN_ATOMIC(T, min, "umin." type)                                                                      \
    __KERN_ATOMIC(T, max, "umax." type)
__KERN_UNSIGNED(__KERN_X)
__KERN_X(float, "f32")
#undef __KERN_X
__KERN_ATOMIC(float, add, "add.f32")
__KERN_ATOMIC(float, sub, "sub.f32")
__KERN_ATOMIC(float, exchange, "xchg.f32")
#undef __KERN_ATOMIC

/* ---- of values --------------------------------------------------------------------------------------- */

#define __KERN_X(T, type)                                                                                    \
    __KERN_OP(T, popcount, "popcount." type, T)                                                              \
    __KERN_OP(T, clz, "clz." type, T)                                                                        \
    __KERN_OP(T, ctz, "ctz." type, T)                                                                        \
    __KERN_OP(T, brev, "brev." type, T)                                                                      \
    __KERN_OP(T, rotl, "rotl." type, T, T)
__KERN_UNSIGNED(__KERN_X)
#undef __KERN_X
#define __KERN_X(T, type)                                                                                    \
    __KERN_OP(T, min, "smin." type, T, T)                                                                    \
    __KERN_OP(T, max, "smax." type, T, T)                                                                    \
    __KERN_OP(T, mulhi, "mulhi_s." type, T, T)
__KERN_SIGNED(__KERN_X)
#undef __KERN_X
#define __KERN_X(T, type)                                                                                    \
    __KERN_OP(T, min, "umin." type, T, T)                                                                    \
    __KERN_OP(T, max, "umax." type, T, T)                                                                    \
    __KERN_OP(T, mulhi, "mulhi_u." type, T, T)
__KERN_UNSIGNED(__KERN_X)
#undef __KERN_X
#define __KERN_X(T, type)                                                                                    \
    __KERN_OP(T, min, "fmin." type, T, T)                                                                    \
    __KERN_OP(T, max, "fmax." type, T, T)                                                                    \
    __KERN_OP(T, fma, "fma." type, T, T, T)                                                                  \
    __KERN_OP(T, sqrt, "sqrt." type, T)                                                                      \
    __KERN_OP(T, floor, "floor." type, T)                                                                    \
    __KERN_OP(T, ceil, "ceil." type, T)                                                                      \
    __KERN_OP(T, truncate, "truncf." type, T)                                                                \
    __KERN_OP(T, rint, "rint." type, T)                                                                      \
    __KERN_OP(T, copysign, "copysign." type, T, T)
__KERN_FLOATS(__KERN_X)
#undef __KERN_X

/* ---- diagnostics ------------------------------------------------------------------------------------- */

__KERN_OP(void, assert, "assert", bool, const char *)
__KERN_OP(void, trap, "trap", const char *)
/* There is no such operation: what calls it is refused with this name. */
#define __KERN_MISSING(result, name, ...)                                                                    \
    extern __attribute__((host, device))                                                                     \
    result __kern_missing_##name(__VA_ARGS__) __asm__("kern.missing." #name);

#endif
