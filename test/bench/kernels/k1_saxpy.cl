#pragma OPENCL FP_CONTRACT OFF
__kernel void k1(__global float *y, __global const float *x, float a, uint n)
{
    uint i = get_global_id(0);
    if (i < n)
        y[i] = a * x[i] + y[i];
}
