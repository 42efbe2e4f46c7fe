// A file as people have it: host and device together, a template that the host instantiates.
#include <cuda_runtime.h>
#include <cstdio>
#include <vector>

template <class T> __global__ void sum(const T *in, T *out, int n)
{
    extern __shared__ T part[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    T v = i < n ? in[i] : T(0);
    for (int step = warpSize / 2; step > 0; step /= 2)
        v += __shfl_down_sync(0xffffffff, v, step);
    if (threadIdx.x % warpSize == 0)
        atomicAdd(out, v);
#ifdef BROKEN
    v = ;
#endif
}

int main()
{
    std::vector<float> host(100, 1.0f);
    float *in, *out, result;
    cudaMalloc(&in, 100 * sizeof(float));
    cudaMalloc(&out, sizeof(float));
    cudaMemcpy(in, host.data(), 100 * sizeof(float), cudaMemcpyHostToDevice);
    sum<float><<<1, 128>>>(in, out, 100);
    if (cudaMemcpy(&result, out, sizeof result, cudaMemcpyDeviceToHost) != cudaSuccess)
        std::fputs(cudaGetErrorString(cudaGetLastError()), stderr);
    std::printf("%g\n", result);
}
