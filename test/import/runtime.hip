// HIP's names, and operators of its vectors.
// NEEDS: clang-19
#include <hip/hip_runtime.h>

__global__ void scale(float4 *v, float2 by)
{
    int i = hipBlockIdx_x * hipBlockDim_x + hipThreadIdx_x;
    float4 b = make_float4(by.x, by.x, by.y, by.y);
    v[i] = v[i] * b + b;
    v[i].x = __shfl(v[i].x, 0);
}
// kern: launch scale(v = {{1, 2, 3, 4}, {5, 6, 7, 8}}, by = {2, 10}) block(2) show(v)
// RUN: %kernc run %s
// OUT-IS: v[0..2]: (4 6 40 50) (4 14 80 90)

int main()
{
    float4 *v;
    hipMalloc(&v, 2 * sizeof *v);
    hipLaunchKernelGGL(scale, dim3(1), dim3(2), 0, 0, v, make_float2(2, 10));
    return hipDeviceSynchronize() != hipSuccess;
}
