/* hip_runtime.h: HIP in terms of CUDA: read before each .hip file. */
#ifndef __KERN_HIP_RUNTIME_H__
#define __KERN_HIP_RUNTIME_H__

#include "../cuda_runtime.h"

#define __HIP__                        1
#define __HIPCC__                      1
#define __HIP_PLATFORM_AMD__           1
#define hipThreadIdx_x                 (threadIdx.x)
#define hipThreadIdx_y                 (threadIdx.y)
#define hipThreadIdx_z                 (threadIdx.z)
#define hipBlockIdx_x                  (blockIdx.x)
#define hipBlockIdx_y                  (blockIdx.y)
#define hipBlockIdx_z                  (blockIdx.z)
#define hipBlockDim_x                  (blockDim.x)
#define hipBlockDim_y                  (blockDim.y)
#define hipBlockDim_z                  (blockDim.z)
#define hipGridDim_x                   (gridDim.x)
#define hipGridDim_y                   (gridDim.y)
#define hipGridDim_z                   (gridDim.z)
#define HIP_KERNEL_NAME(...)           __VA_ARGS__
#define HIP_SYMBOL(name)               name
#define HIP_DYNAMIC_SHARED(type, name) extern __shared__ type name[];
#define hipLaunchKernelGGL(kernel, grid, block, shared, stream, ...)                                         \
    kernel<<<grid, block, shared, stream>>>(__VA_ARGS__)

#include "names.h"
#include "vectors.h"

#endif
