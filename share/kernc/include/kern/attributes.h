/* attributes.h: what CUDA's words for functions and variables are to clang.
 *
 * The file is read once, for the device, with clang's language CUDA: code of the host is parsed and left
 * out. What these headers define works in both, so that functions for host and device may call it.
 */
#ifndef __KERN_ATTRIBUTES_H__
#define __KERN_ATTRIBUTES_H__

#define __global__   __attribute__((global))
#define __device__   __attribute__((device))
#define __host__     __attribute__((host))
#define __shared__   __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__  __attribute__((device))
#define __grid_constant__
#define __forceinline__ __inline__ __attribute__((always_inline))
/* The C library has attributes of the form __attribute__((__noinline__)). */
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __maxnreg__(...)
#define __cluster_dims__(...)
#define __align__(n)         __attribute__((aligned(n)))
#define __builtin_align__(n) __attribute__((aligned(n)))
#define __CUDACC__           1
#define __CUDACC_VER_MAJOR__ 12
#define __CUDACC_VER_MINOR__ 4
#define CUDART_VERSION       12040
#define CUDA_VERSION         12040
#define CUDART_CB

/* A function of these headers: in the place of its call, under the caller's line. */
#define __KERN_INLINE static __inline__ __attribute__((host, device, always_inline, nodebug, unused))
/* One that is too long for that. */
#define __KERN_CODE inline __attribute__((host, device, nodebug))
/* The same of functions that only a kernel may call: a file may have its own for the host. */
#define __KERN_DEVICE      static __inline__ __attribute__((device, always_inline, nodebug, unused))
#define __KERN_DEVICE_CODE inline __attribute__((device, nodebug))
/* The same as members. */
#define __KERN_MEMBER __inline__ __attribute__((host, device, always_inline, nodebug))

#endif
