// half and bfloat16: computed as float, and rounded.
// NEEDS: clang-19
#include <cuda_bf16.h>
#include <cuda_fp16.h>

__global__ void halves(half *h, float *f, int *o)
{
    half a = h[0], b = __float2half(0.1f);
    h[1] = a + b;
    h[2] = __hfma(a, b, __int2half_rn(2));
    h[3] = hsqrt(a * half(8.0f)) - __hneg(a);
    f[0] = __half2float(b);
    f[1] = (float)__hmul(a, a);
    f[2] = __half2float(__float2half(65520.0f));
    f[3] = __half2float(__float2half(65519.0f));
    f[4] = __half2float(__float2half(1e-7f)) * 0x1p24f;
    f[5] = __half2float(__float2half(2049.0f)) + __half2float(__float2half(2051.0f));
    o[0] = __half_as_ushort(half(-1.5f));
    o[1] = __hgt(a, b) + 2 * (a < b) + 4 * __hisnan(__float2half(0.0f / (float)h[4]));
    o[2] = __half2int_rn(half(2.5f)) + 10 * __half2int_ru(half(2.25f));
}
// kern: launch halves(h = {16384, 0, 0, 0, 0}, f = zeros(6), o = zeros(3)) block(1) show(f) show(o)
// RUN: %kernc run %s --launch=halves
// OUT: f[0..6]: 0.099975586 4 inf 65504 2 4100
// OUT: o[0..3]: 48640 5 32

__global__ void pairs(half2 *p, float2 *f, __nv_bfloat16 *b, float *g)
{
    int i = threadIdx.x;
    half2 x = __floats2half2_rn(i, 1.0f);
    x = __hadd2(x, __float2half2_rn(0.5f)) * x;
    x = __shfl_xor_sync(0xffffffff, x, 1);
    f[i] = __half22float2(x);
    atomicAdd(p, __halves2half2(half(1.0f), half(0.5f)));
    __nv_bfloat16 c = __float2bfloat16(1.0f + i / 256.0f);
    g[i] = __bfloat162float(c) + (float)(c * __nv_bfloat16(2.0f));
    b[i] = c;
    __syncthreads();
    if (i == 0)
        f[4] = __half22float2(p[0]);
}
// kern: launch pairs(p = zeros(1), f = zeros(5), b = zeros(4), g = zeros(4)) block(4) show(f) show(g)
// RUN: %kernc run %s --launch=pairs
// OUT: f[0..5]: (1.5 1.5) (0 1.5) (10.5 1.5) (5 1.5) (4 2)
// OUT: g[0..4]: 3 3 3.0234375 3.046875
