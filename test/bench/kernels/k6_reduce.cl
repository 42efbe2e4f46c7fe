#pragma OPENCL FP_CONTRACT OFF
#define BLOCK 256

__kernel void k6(__global int *total, __global const int *in, uint n)
{
    __local int partial[BLOCK];
    uint t = get_local_id(0);
    int sum = 0;
    for (uint i = get_global_id(0); i < n; i += get_global_size(0))
        sum += in[i];
    partial[t] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint step = BLOCK / 2; step > 0; step /= 2) {
        if (t < step)
            partial[t] += partial[t + step];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (t == 0)
        atomic_add(&total[0], partial[0]);
}
