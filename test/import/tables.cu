// Tables: what is const is the file's own, whatever stands in it; of other variables the host may fill those of zeros.
// NEEDS: clang-19
#include <cuda_runtime.h>

const __device__ unsigned zeros[4] = {0, 0, 0, 0};
const __device__ unsigned ones[4] = {0, 1, 0, 0};
__constant__ unsigned filled[4];
__constant__ unsigned given[4] = {5, 6, 7, 8};

__global__ void sum(unsigned *o)
{
    int i = threadIdx.x;
    o[i] = zeros[i] + 10 * ones[i] + 100 * filled[i] + 1000 * given[i];
}
// kern: launch sum(o = zeros(4), filled = {1, 2, 3, 4}) block(4) show(o)
// RUN: %kernc run %s
// OUT: o[0..4]: 5100 6210 7300 8400
