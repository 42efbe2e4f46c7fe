/* kern.h: kernels in plain C++; read before each .cpp file. Every function without a mark of its own may be
 * called by a kernel. All that CUDA has is there as well.
 */
#ifndef __KERN_H__
#define __KERN_H__

#include "cuda_runtime.h"

#define KERN_KERNEL   __global__   /* before a function that returns void */
#define KERN_SHARED   __shared__   /* before a variable in a kernel: one for the block */
#define KERN_CONSTANT __constant__ /* before a variable outside functions that kernels only read */

/* To the end of the file. */
#pragma clang force_cuda_host_device begin

#endif
