#include <hip/hip_runtime.h>

__global__ void scale(float *v, float by) { v[hipThreadIdx_x] *= by; }

int main()
{
    float *v;
    if (hipMalloc(&v, 64 * sizeof *v) != hipSuccess)
        return 1;
    hipLaunchKernelGGL(scale, dim3(1), dim3(64), 0, 0, v, 2.0f);
    return hipDeviceSynchronize() != hipSuccess;
}
