// Floats of 8 bits: conversions, rounded once; the types saturate.
// NEEDS: clang-19
#include <cuda_fp8.h>

__global__ void codes(const float *in, unsigned *out)
{
    int i = threadIdx.x;
    float a = in[i];
    out[i] = __nv_cvt_float_to_fp8(a, __NV_NOSAT, __NV_E4M3) | __nv_fp8_e4m3(a).__x << 8 |
        __nv_cvt_float_to_fp8(a, __NV_NOSAT, __NV_E5M2) << 16 | (unsigned)__nv_fp8_e5m2(a).__x << 24;
}
// kern: launch codes(in = {1, -1.0625, 464, 465, 1e9, -0.0009765625, 0.0009765626, 61439, 61440, -3e-5, nan, 0.0146484375}, out = zeros(12)) block(12) show(out as hex)
// RUN: %kernc run %s --launch=codes
// OUT: out[0..12]: 0x3c3c3838 0xbcbcb8b8 0x5f5f7e7e 0x5f5f7e7f 0x7b7c7e7f 0x94948080 0x14140101 0x7b7b7e7f 0x7b7c7e7f 0x82828080 0x7f7f7f7f 0x24240808

// Each code and back: all 255 but the NaNs; and what lies between two is rounded to the even one.
template <class S> __device__ int turns(__nv_fp8_interpretation_t kind)
{
    S a, next;
    a.__x = (unsigned char)threadIdx.x;
    next.__x = (unsigned char)(a.__x + 1);
    float f = (float)a, g = (float)next;
    bool same = S(f).__x == a.__x && S((__half)a).__x == a.__x && S((__nv_bfloat16)a).__x == a.__x && (float)(__half)a == f;
    unsigned char odd = a.__x & 1 ? next.__x : a.__x;
    bool even = g - g != 0 || S(((double)f + g) / 2).__x == odd;
    bool near = g - g != 0 || (S((double)f + ((double)g - f) * 0.4999999999).__x == a.__x && S((double)f + ((double)g - f) * 0.5000000001).__x == next.__x);
    return __syncthreads_count(f != f || f - f != 0) * 1000000 + __syncthreads_count(same) * 1000 + __syncthreads_count((even && near) || (a.__x & 127) == 127);
}
__global__ void all(int *n)
{
    int e4m3 = turns<__nv_fp8_e4m3>(__NV_E4M3), e5m2 = turns<__nv_fp8_e5m2>(__NV_E5M2);
    if (threadIdx.x == 0)
        n[0] = e4m3, n[1] = e5m2;
}
// kern: launch all(n = zeros(2)) block(256) show(n)
// RUN: %kernc run %s --launch=all
// OUT: n[0..2]: 2254256 8248256

__global__ void pairs(float *f, unsigned *n)
{
    __nv_fp8x2_e4m3 two(make_float2(1.5f, -2.25f));
    __nv_fp8x4_e5m2 four(make_float4(1.0f, 0.3f, -70000.0f, 5.0f));
    float4 back = (float4)four;
    f[0] = ((float2)two).x, f[1] = ((float2)two).y, f[2] = back.y, f[3] = back.z, f[4] = back.w;
    f[5] = __half2float(((__half2)two).y) + (float)__nv_fp8_e4m3(17) + (int)__nv_fp8_e5m2(2.5f);
    __half_raw h = __nv_cvt_fp8_to_halfraw(0x38, __NV_E4M3);
    n[0] = two.__x, n[1] = four.__x, n[2] = h.x, n[3] = __nv_cvt_halfraw_to_fp8(h, __NV_NOSAT, __NV_E5M2);
}
// kern: launch pairs(f = zeros(6), n = zeros(4)) block(1) show(f) show(n as hex)
// RUN: %kernc run %s --launch=pairs
// OUT: f[0..6]: 1.5 -2.25 0.3125 -57344 5 15.75
// OUT: n[0..4]: 0x0000c13c 0x45fb353c 0x00003c00 0x0000003c
