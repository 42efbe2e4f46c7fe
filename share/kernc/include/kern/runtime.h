/* runtime.h: CUDA's functions of the host, as far as they have to be known to read a file: they are
 * declared only. */
#ifndef __KERN_RUNTIME_H__
#define __KERN_RUNTIME_H__

#include "vectors.h"
#include <limits.h>
#include <stddef.h>

/* ---- types and constants ----------------------------------------------------------------------------- */

enum cudaError_t {
    cudaSuccess,
    cudaErrorInvalidValue,
    cudaErrorMemoryAllocation,
    cudaErrorInitializationError,
    cudaErrorCudartUnloading,
    cudaErrorInvalidConfiguration = 9,
    cudaErrorInvalidSymbol = 13,
    cudaErrorInvalidDevicePointer = 17,
    cudaErrorInvalidTexture = 18,
    cudaErrorInsufficientDriver = 35,
    cudaErrorNoDevice = 100,
    cudaErrorInvalidDevice,
    cudaErrorPeerAccessAlreadyEnabled = 704,
    cudaErrorNotReady = 600,
    cudaErrorLaunchOutOfResources = 701,
    cudaErrorAssert = 710,
    cudaErrorIllegalAddress = 700,
    cudaErrorLaunchTimeout = 702,
    cudaErrorLaunchFailure = 719,
    cudaErrorNotSupported = 801,
    cudaErrorUnknown = 999,
};
typedef enum cudaError_t cudaError;
enum cudaMemcpyKind {
    cudaMemcpyHostToHost,
    cudaMemcpyHostToDevice,
    cudaMemcpyDeviceToHost,
    cudaMemcpyDeviceToDevice,
    cudaMemcpyDefault,
};
enum cudaFuncCache {
    cudaFuncCachePreferNone,
    cudaFuncCachePreferShared,
    cudaFuncCachePreferL1,
    cudaFuncCachePreferEqual
};
enum cudaSharedMemConfig {
    cudaSharedMemBankSizeDefault,
    cudaSharedMemBankSizeFourByte,
    cudaSharedMemBankSizeEightByte
};
enum cudaLimit {
    cudaLimitStackSize,
    cudaLimitPrintfFifoSize,
    cudaLimitMallocHeapSize,
    cudaLimitDevRuntimeSyncDepth,
    cudaLimitDevRuntimePendingLaunchCount,
    cudaLimitMaxL2FetchGranularity,
    cudaLimitPersistingL2CacheSize,
};
enum cudaFuncAttribute {
    cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
    cudaFuncAttributePreferredSharedMemoryCarveout,
};
enum cudaMemoryAdvise {
    cudaMemAdviseSetReadMostly = 1,
    cudaMemAdviseUnsetReadMostly,
    cudaMemAdviseSetPreferredLocation,
    cudaMemAdviseUnsetPreferredLocation,
    cudaMemAdviseSetAccessedBy,
    cudaMemAdviseUnsetAccessedBy,
};
enum cudaComputeMode {
    cudaComputeModeDefault,
    cudaComputeModeExclusive,
    cudaComputeModeProhibited,
    cudaComputeModeExclusiveProcess,
};
enum cudaMemPoolAttr {
    cudaMemPoolReuseFollowEventDependencies = 1,
    cudaMemPoolReuseAllowOpportunistic,
    cudaMemPoolReuseAllowInternalDependencies,
    cudaMemPoolAttrReleaseThreshold,
    cudaMemPoolAttrReservedMemCurrent,
    cudaMemPoolAttrReservedMemHigh,
    cudaMemPoolAttrUsedMemCurrent,
    cudaMemPoolAttrUsedMemHigh,
};
enum cudaDeviceAttr {
    cudaDevAttrMaxThreadsPerBlock = 1,
    cudaDevAttrMaxBlockDimX,
    cudaDevAttrMaxGridDimX = 5,
    cudaDevAttrMaxSharedMemoryPerBlock = 8,
    cudaDevAttrTotalConstantMemory,
    cudaDevAttrWarpSize,
    cudaDevAttrMaxRegistersPerBlock = 12,
    cudaDevAttrClockRate,
    cudaDevAttrMultiProcessorCount = 16,
    cudaDevAttrComputeMode = 20,
    cudaDevAttrMemoryClockRate = 36,
    cudaDevAttrGlobalMemoryBusWidth,
    cudaDevAttrL2CacheSize,
    cudaDevAttrMaxThreadsPerMultiProcessor,
    cudaDevAttrComputeCapabilityMajor = 75,
    cudaDevAttrComputeCapabilityMinor,
    cudaDevAttrManagedMemory = 83,
    cudaDevAttrConcurrentManagedAccess = 89,
    cudaDevAttrCooperativeLaunch = 95,
    cudaDevAttrMaxSharedMemoryPerMultiprocessor = 81,
    cudaDevAttrMaxSharedMemoryPerBlockOptin = 97,
    cudaDevAttrMemoryPoolsSupported = 115,
};
enum {
    cudaHostAllocDefault = 0,
    cudaHostAllocPortable = 1,
    cudaHostAllocMapped = 2,
    cudaHostAllocWriteCombined = 4,
    cudaHostRegisterDefault = 0,
    cudaHostRegisterPortable = 1,
    cudaHostRegisterMapped = 2,
    cudaHostRegisterReadOnly = 8,
    cudaMemAttachGlobal = 1,
    cudaMemAttachHost = 2,
    cudaEventDefault = 0,
    cudaEventBlockingSync = 1,
    cudaEventDisableTiming = 2,
    cudaStreamDefault = 0,
    cudaStreamNonBlocking = 1,
    cudaDeviceScheduleAuto = 0,
    cudaDeviceScheduleSpin = 1,
    cudaDeviceScheduleYield = 2,
    cudaDeviceScheduleBlockingSync = 4,
    cudaDeviceMapHost = 8,
    cudaArrayDefault = 0,
    cudaCpuDeviceId = -1,
    cudaInvalidDeviceId = -2,
    cudaOccupancyDefault = 0,
};

typedef struct CUstream_st *cudaStream_t;
typedef struct CUevent_st *cudaEvent_t;
typedef struct CUgraph_st *cudaGraph_t;
typedef struct CUgraphExec_st *cudaGraphExec_t;
typedef struct CUgraphNode_st *cudaGraphNode_t;
typedef struct CUfunc_st *cudaFunction_t;
typedef struct CUmemPoolHandle_st *cudaMemPool_t;
typedef struct cudaArray *cudaArray_t;
typedef const struct cudaArray *cudaArray_const_t;
typedef void (*cudaStreamCallback_t)(cudaStream_t, cudaError_t, void *);
typedef void (*cudaHostFn_t)(void *);
#define cudaStreamLegacy    ((cudaStream_t)1)
#define cudaStreamPerThread ((cudaStream_t)2)

struct CUuuid_st {
    char bytes[16];
};
typedef struct CUuuid_st cudaUUID_t;
struct cudaDeviceProp {
    char name[256];
    cudaUUID_t uuid;
    size_t totalGlobalMem, sharedMemPerBlock, memPitch, totalConstMem, textureAlignment,
        sharedMemPerMultiprocessor;
    size_t sharedMemPerBlockOptin, surfaceAlignment, texturePitchAlignment, reservedSharedMemPerBlock;
    int regsPerBlock, warpSize, maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], clockRate, major, minor;
    int deviceOverlap, multiProcessorCount, kernelExecTimeoutEnabled, integrated, canMapHostMemory,
        computeMode;
    int concurrentKernels, ECCEnabled, pciBusID, pciDeviceID, pciDomainID, tccDriver, asyncEngineCount,
        unifiedAddressing;
    int memoryClockRate, memoryBusWidth, l2CacheSize, persistingL2CacheMaxSize, maxThreadsPerMultiProcessor;
    int regsPerMultiprocessor, managedMemory, isMultiGpuBoard, pageableMemoryAccess, concurrentManagedAccess;
    int cooperativeLaunch, cooperativeMultiDeviceLaunch, maxBlocksPerMultiProcessor,
        hostNativeAtomicSupported;
    int maxTexture1D, maxTexture1DLinear, maxTexture2D[2], maxTexture3D[3], streamPrioritiesSupported;
    int globalL1CacheSupported, localL1CacheSupported, singleToDoublePrecisionPerfRatio,
        accessPolicyMaxWindowSize;
    char gcnArchName[256];
};
struct cudaFuncAttributes {
    size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
    int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, maxDynamicSharedSizeBytes;
};
struct cudaPointerAttributes {
    int type, device;
    void *devicePointer, *hostPointer;
};
struct cudaExtent {
    size_t width, height, depth;
};
struct cudaPos {
    size_t x, y, z;
};
struct cudaPitchedPtr {
    void *ptr;
    size_t pitch, xsize, ysize;
};
struct cudaMemcpy3DParms {
    cudaArray_t srcArray;
    cudaPos srcPos;
    cudaPitchedPtr srcPtr;
    cudaArray_t dstArray;
    cudaPos dstPos;
    cudaPitchedPtr dstPtr;
    cudaExtent extent;
    cudaMemcpyKind kind;
};
enum cudaMemLocationType {
    cudaMemLocationTypeInvalid,
    cudaMemLocationTypeDevice,
    cudaMemLocationTypeHost,
    cudaMemLocationTypeHostNuma,
    cudaMemLocationTypeHostNumaCurrent,
};
struct cudaMemLocation {
    cudaMemLocationType type;
    int id;
};
struct cudaLaunchConfig_t {
    dim3 gridDim, blockDim;
    size_t dynamicSmemBytes;
    cudaStream_t stream;
    struct cudaLaunchAttribute *attrs;
    unsigned numAttrs;
};
static inline cudaExtent make_cudaExtent(size_t w, size_t h, size_t d) { return {w, h, d}; }
static inline cudaPos make_cudaPos(size_t x, size_t y, size_t z) { return {x, y, z}; }
static inline cudaPitchedPtr make_cudaPitchedPtr(void *p, size_t pitch, size_t x, size_t y)
{
    return {p, pitch, x, y};
}

/* ---- launches ---------------------------------------------------------------------------------------- */

/* What k<<<grid, block, shared, stream>>>(…) calls: one of these, as clang takes the version to be. */
cudaError_t cudaConfigureCall(dim3 grid, dim3 block, size_t shared = 0, cudaStream_t stream = nullptr);
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared = 0, cudaStream_t stream = nullptr);
template <class K> cudaError_t cudaLaunchKernel(K *, dim3, dim3, void **, size_t = 0, cudaStream_t = nullptr);
template <class K>
cudaError_t cudaLaunchCooperativeKernel(K *, dim3, dim3, void **, size_t = 0, cudaStream_t = nullptr);
template <class K, class... A> cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *, K *, A &&...);

/* ---- functions --------------------------------------------------------------------------------------- */

const char *cudaGetErrorString(cudaError_t);
const char *cudaGetErrorName(cudaError_t);
#define __KERN_HOST(name, ...) cudaError_t name(__VA_ARGS__);
__KERN_HOST(cudaGetLastError)
__KERN_HOST(cudaPeekAtLastError)
__KERN_HOST(cudaGetDeviceCount, int *)
__KERN_HOST(cudaGetDevice, int *)
__KERN_HOST(cudaSetDevice, int)
__KERN_HOST(cudaSetDeviceFlags, unsigned)
__KERN_HOST(cudaChooseDevice, int *, const cudaDeviceProp *)
__KERN_HOST(cudaGetDeviceProperties, cudaDeviceProp *, int)
__KERN_HOST(cudaDeviceGetAttribute, int *, cudaDeviceAttr, int)
__KERN_HOST(cudaDeviceReset)
__attribute__((host, device)) cudaError_t cudaDeviceSynchronize();
__KERN_HOST(cudaThreadSynchronize)
__KERN_HOST(cudaThreadExit)
__KERN_HOST(cudaDeviceSetLimit, cudaLimit, size_t)
__KERN_HOST(cudaDeviceGetLimit, size_t *, cudaLimit)
__KERN_HOST(cudaDeviceSetCacheConfig, cudaFuncCache)
__KERN_HOST(cudaDeviceSetSharedMemConfig, cudaSharedMemConfig)
__KERN_HOST(cudaDeviceCanAccessPeer, int *, int, int)
__KERN_HOST(cudaDeviceEnablePeerAccess, int, unsigned)
__KERN_HOST(cudaDeviceDisablePeerAccess, int)
__KERN_HOST(cudaDeviceGetStreamPriorityRange, int *, int *)
__KERN_HOST(cudaDeviceGetDefaultMemPool, cudaMemPool_t *, int)
__KERN_HOST(cudaMemPoolSetAttribute, cudaMemPool_t, int, void *)
__KERN_HOST(cudaMemPoolGetAttribute, cudaMemPool_t, int, void *)
__KERN_HOST(cudaMemPrefetchAsync, const void *, size_t, cudaMemLocation, unsigned, cudaStream_t = nullptr)
__KERN_HOST(cudaMemAdvise, const void *, size_t, cudaMemoryAdvise, cudaMemLocation)
__KERN_HOST(cudaDriverGetVersion, int *)
__KERN_HOST(cudaRuntimeGetVersion, int *)
__KERN_HOST(cudaMemGetInfo, size_t *, size_t *)
__KERN_HOST(cudaProfilerStart)
__KERN_HOST(cudaProfilerStop)
__KERN_HOST(cudaFree, void *)
__KERN_HOST(cudaFreeHost, void *)
__KERN_HOST(cudaFreeAsync, void *, cudaStream_t)
__KERN_HOST(cudaFreeArray, cudaArray_t)
template <class T>
__KERN_HOST(cudaMalloc, T **, size_t)
template <class T>
__KERN_HOST(cudaMallocHost, T **, size_t, unsigned = 0)
template <class T>
__KERN_HOST(cudaMallocManaged, T **, size_t, unsigned = cudaMemAttachGlobal)
template <class T>
__KERN_HOST(cudaMallocAsync, T **, size_t, cudaStream_t)
template <class T>
__KERN_HOST(cudaMallocPitch, T **, size_t *, size_t, size_t)
template <class T>
__KERN_HOST(cudaHostAlloc, T **, size_t, unsigned)
template <class T>
__KERN_HOST(cudaHostGetDevicePointer, T **, void *, unsigned)
__KERN_HOST(cudaMalloc3D, cudaPitchedPtr *, cudaExtent) __KERN_HOST(
    cudaHostRegister, void *, size_t,
    unsigned) __KERN_HOST(cudaHostUnregister,
                          void *) __KERN_HOST(cudaPointerGetAttributes, cudaPointerAttributes *,
                                              const void *) __KERN_HOST(cudaMemcpy, void *, const void *,
                                                                        size_t, cudaMemcpyKind)
    __KERN_HOST(cudaMemcpyAsync, void *, const void *, size_t, cudaMemcpyKind,
                cudaStream_t = nullptr) __KERN_HOST(cudaMemcpyPeer, void *, int, const void *, int,
                                                    size_t) __KERN_HOST(cudaMemcpyPeerAsync, void *, int,
                                                                        const void *, int, size_t,
                                                                        cudaStream_t = nullptr)
        __KERN_HOST(cudaMemcpy2D, void *, size_t, const void *, size_t, size_t, size_t,
                    cudaMemcpyKind) __KERN_HOST(cudaMemcpy2DAsync, void *, size_t, const void *, size_t,
                                                size_t, size_t, cudaMemcpyKind, cudaStream_t = nullptr)
            __KERN_HOST(cudaMemcpy3D, const cudaMemcpy3DParms *) __KERN_HOST(
                cudaMemcpy3DAsync, const cudaMemcpy3DParms *,
                cudaStream_t =
                    nullptr) __KERN_HOST(cudaMemcpyToArray, cudaArray_t, size_t, size_t, const void *, size_t,
                                         cudaMemcpyKind)
                __KERN_HOST(
                    cudaMemcpy2DToArray, cudaArray_t, size_t, size_t,
                    const void *, size_t, size_t, size_t, cudaMemcpyKind) __KERN_HOST(cudaMemcpy2DFromArray,
                                                                                      void *, size_t,
                                                                                      cudaArray_const_t,
                                                                                      size_t, size_t, size_t,
                                                                                      size_t, cudaMemcpyKind)
                    __KERN_HOST(cudaMemset, void *, int, size_t) __KERN_HOST(
                        cudaMemsetAsync, void *, int, size_t,
                        cudaStream_t = nullptr) __KERN_HOST(cudaMemset2D, void *, size_t, int, size_t, size_t)
                        __KERN_HOST(cudaMemset2DAsync, void *, size_t, int, size_t, size_t,
                                    cudaStream_t = nullptr)
                            __KERN_HOST(cudaMemset3D, cudaPitchedPtr,
                                        int, cudaExtent) __KERN_HOST(cudaMemPrefetchAsync, const void *,
                                                                     size_t, int, cudaStream_t = nullptr)
                                __KERN_HOST(cudaMemAdvise, const void *, size_t, cudaMemoryAdvise,
                                            int) template <class S>
                                __KERN_HOST(cudaMemcpyToSymbol, const S &, const void *, size_t, size_t = 0,
                                            cudaMemcpyKind = cudaMemcpyHostToDevice)
                                template <class S>
                                __KERN_HOST(cudaMemcpyToSymbolAsync, const S &, const void *, size_t, size_t,
                                            cudaMemcpyKind,
                                            cudaStream_t = nullptr)
                                template <class S>
                                __KERN_HOST(cudaMemcpyFromSymbol, void *, const S &, size_t, size_t = 0,
                                            cudaMemcpyKind = cudaMemcpyDeviceToHost)
                                template <class S>
                                __KERN_HOST(cudaMemcpyFromSymbolAsync, void *,
                                            const S &, size_t, size_t, cudaMemcpyKind, cudaStream_t = nullptr)
                                template <class S>
                                __KERN_HOST(cudaGetSymbolAddress, void **, const S &)
                                template <class S>
                                __KERN_HOST(cudaGetSymbolSize, size_t *, const S &)
                                __KERN_HOST(
                                    cudaStreamCreate, cudaStream_t *) __KERN_HOST(cudaStreamCreateWithFlags,
                                                                                  cudaStream_t *, unsigned)
                                    __KERN_HOST(
                                        cudaStreamCreateWithPriority,
                                        cudaStream_t *,
                                        unsigned,
                                        int) __KERN_HOST(cudaStreamDestroy,
                                                         cudaStream_t) __KERN_HOST(cudaStreamSynchronize,
                                                                                   cudaStream_t)
                                        __KERN_HOST(cudaStreamQuery, cudaStream_t) __KERN_HOST(
                                            cudaStreamWaitEvent, cudaStream_t, cudaEvent_t,
                                            unsigned =
                                                0) __KERN_HOST(cudaStreamAddCallback, cudaStream_t,
                                                               cudaStreamCallback_t, void *,
                                                               unsigned) template <class T>
                                        __KERN_HOST(
                                            cudaStreamAttachMemAsync, cudaStream_t,
                                            T *, size_t = 0,
                                            unsigned = 4)
                                        __KERN_HOST(
                                            cudaLaunchHostFunc,
                                            cudaStream_t, cudaHostFn_t,
                                            void *) __KERN_HOST(cudaEventCreate, cudaEvent_t *, unsigned = 0)
                                            __KERN_HOST(cudaEventCreateWithFlags, cudaEvent_t *,
                                                        unsigned) __KERN_HOST(cudaEventRecord, cudaEvent_t,
                                                                              cudaStream_t = nullptr)
                                                __KERN_HOST(cudaEventSynchronize,
                                                            cudaEvent_t) __KERN_HOST(cudaEventQuery,
                                                                                     cudaEvent_t)
                                                    __KERN_HOST(cudaEventElapsedTime, float *, cudaEvent_t,
                                                                cudaEvent_t)
                                                        __KERN_HOST(cudaEventDestroy,
                                                                    cudaEvent_t) template <class K>
                                                        __KERN_HOST(cudaFuncSetAttribute, K *,
                                                                    cudaFuncAttribute, int)
                                                        template <class K>
                                                        __KERN_HOST(cudaFuncSetCacheConfig, K *,
                                                                    cudaFuncCache)
                                                        template <class K>
                                                        __KERN_HOST(cudaFuncSetSharedMemConfig, K *,
                                                                    cudaSharedMemConfig)
                                                        template <class K>
                                                        __KERN_HOST(cudaFuncGetAttributes,
                                                                    cudaFuncAttributes *, K *)
                                                        template <class K>
                                                        __KERN_HOST(
                                                            cudaOccupancyMaxActiveBlocksPerMultiprocessor,
                                                            int *, K, int, size_t)
                                                        template <class K>
                                                        __KERN_HOST(cudaOccupancyMaxPotentialBlockSize, int *,
                                                                    int *, K, size_t = 0, int = 0)
                                                        enum cudaStreamCaptureMode {
                                                            cudaStreamCaptureModeGlobal,
                                                            cudaStreamCaptureModeThreadLocal,
                                                            cudaStreamCaptureModeRelaxed
                                                        };
struct cudaKernelNodeParams {
    void *func;
    dim3 gridDim, blockDim;
    unsigned sharedMemBytes;
    void **kernelParams, **extra;
};
struct cudaMemsetParams {
    void *dst;
    size_t pitch;
    unsigned value, elementSize;
    size_t width, height;
};
struct cudaHostNodeParams {
    cudaHostFn_t fn;
    void *userData;
};
enum cudaGraphNodeType {
    cudaGraphNodeTypeKernel,
    cudaGraphNodeTypeMemcpy,
    cudaGraphNodeTypeMemset,
    cudaGraphNodeTypeHost
};
__KERN_HOST(cudaStreamBeginCapture, cudaStream_t, cudaStreamCaptureMode)
__KERN_HOST(cudaStreamEndCapture, cudaStream_t, cudaGraph_t *)
__KERN_HOST(cudaGraphCreate, cudaGraph_t *, unsigned)
__KERN_HOST(cudaGraphDestroy, cudaGraph_t)
__KERN_HOST(cudaGraphClone, cudaGraph_t *, cudaGraph_t)
__KERN_HOST(cudaGraphGetNodes, cudaGraph_t, cudaGraphNode_t *, size_t *)
__KERN_HOST(cudaGraphAddKernelNode, cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *, size_t,
            const cudaKernelNodeParams *)
__KERN_HOST(cudaGraphAddMemcpyNode, cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *, size_t,
            const cudaMemcpy3DParms *)
__KERN_HOST(cudaGraphAddMemsetNode, cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *, size_t,
            const cudaMemsetParams *)
__KERN_HOST(cudaGraphAddHostNode, cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *, size_t,
            const cudaHostNodeParams *)
template <class... A>
__KERN_HOST(cudaGraphInstantiate, cudaGraphExec_t *, cudaGraph_t, A...)
__KERN_HOST(cudaGraphLaunch, cudaGraphExec_t, cudaStream_t) __KERN_HOST(cudaGraphExecDestroy, cudaGraphExec_t)
#undef __KERN_HOST

#endif
