/* threads.h: where a thread is, and the barriers of its block. */
#ifndef __KERN_THREADS_H__
#define __KERN_THREADS_H__

#include "operations.h"
#include "vectors.h"

/* threadIdx and its kind: no objects, each member is the register read. Like all constants that the host does
 * not set they have a value, which nobody reads. */
#define __KERN_PLACE(name, of)                                                                               \
    struct __kern_##name {                                                                                   \
        char none;                                                                                           \
        __declspec(property(get = get_x)) unsigned x;                                                        \
        __declspec(property(get = get_y)) unsigned y;                                                        \
        __declspec(property(get = get_z)) unsigned z;                                                        \
        static __KERN_MEMBER unsigned get_x() { return __kern_##of##_x(); }                                  \
        static __KERN_MEMBER unsigned get_y() { return __kern_##of##_y(); }                                  \
        static __KERN_MEMBER unsigned get_z() { return __kern_##of##_z(); }                                  \
        __KERN_MEMBER operator dim3() const { return dim3(get_x(), get_y(), get_z()); }                      \
        __KERN_MEMBER operator uint3() const { return make_uint3(get_x(), get_y(), get_z()); }               \
    };                                                                                                       \
    static constexpr __device__ __kern_##name name = {1};
__KERN_PLACE(threadIdx, tid)
__KERN_PLACE(blockIdx, bid)
__KERN_PLACE(blockDim, bdim)
__KERN_PLACE(gridDim, gdim)
#undef __KERN_PLACE

struct __kern_warpSize {
    char none;
    __KERN_MEMBER operator int() const { return __kern_warpsize(); }
};
static constexpr __device__ __kern_warpSize warpSize = {1};

/* clang has __syncthreads() itself. */
__KERN_DEVICE void __barrier_sync(unsigned) { __kern_barrier(); }
__KERN_DEVICE void __threadfence() { __kern_fence(); }
__KERN_DEVICE void __threadfence_block() { __kern_fence(); }
__KERN_DEVICE void __threadfence_system() { __kern_fence(); }

/* The threads of the block for which p holds, on `cell` of the block. The first barrier lets the earlier
 * use of the cell come to its end. */
__KERN_DEVICE_CODE int __syncthreads_count(int p)
{
    static __shared__ int cell;
    bool first = (__kern_tid_x() | __kern_tid_y() | __kern_tid_z()) == 0;
    __kern_barrier();
    if (first)
        cell = 0;
    __kern_barrier();
    if (p)
        __kern_atomic_add(&cell, 1);
    __kern_barrier();
    return cell;
}
__KERN_DEVICE int __syncthreads_or(int p) { return __syncthreads_count(p) != 0; }
__KERN_DEVICE int __syncthreads_and(int p) { return __syncthreads_count(!p) == 0; }

__KERN_DEVICE long long clock64() { return __kern_clock(); }
__KERN_DEVICE long clock() { return __kern_clock(); }
__KERN_DEVICE unsigned long long wall_clock64() { return (unsigned long long)__kern_clock(); }
__KERN_DEVICE void __nanosleep(unsigned) {}
__KERN_DEVICE void __trap() { __kern_trap("__trap()"); }
__KERN_DEVICE void __brkpt() {}
__KERN_DEVICE void __prof_trigger(int) {}

#endif
