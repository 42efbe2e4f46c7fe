/* cuda_runtime.h: all of CUDA C++ that needs no header of its own to be named: read before each .cu file. */
#ifndef __KERN_CUDA_RUNTIME_H__
#define __KERN_CUDA_RUNTIME_H__

#define __CUDA_RUNTIME_H__
#include "kern/attributes.h"
#include "kern/math.h"
#include "kern/simd.h"
#include "kern/threads.h"
#include "kern/warp.h"
#include "kern/atomics.h"
#include "kern/runtime.h"
#include "kern/texture.h"

#endif
