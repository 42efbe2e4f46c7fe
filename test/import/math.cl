// OpenCL: mathematical functions of opencl_math.h, rounding in a direction, and narrow integers.
// NEEDS: clang-19

__kernel void functions(__global float *out)
{
    int n, m;
    float f = frexp(48.0f, &n), r = remquo(23.0f, 4.0f, &m);
    float3 v = sinpi((float3)(0.5f, 1.0f, 1.5f));
    out[0] = f;
    out[1] = n;
    out[2] = ilogb(48.0f) + logb(48.0f);
    out[3] = v.x + 10 * v.y + 100 * v.z;
    out[4] = rootn(-27.0f, 3);
    out[5] = maxmag(-3.0f, 2.0f) + minmag(-3.0f, 2.0f);
    out[6] = remainder(7.0f, 4.0f);
    out[7] = r;
    out[8] = m;
    out[9] = nextafter((float2)(1.0f, 2.0f), 0.0f).y == as_float(0x3fffffff);
    out[10] = tgamma((float4)(5.0f)).w;
    out[11] = isnan(nan(7u)) + 2 * islessgreater(1.0f, 2.0f);
    out[12] = erf(0.0f) + acospi(-1.0f) + asinh(0.0f);
}
// kern: launch functions(out = zeros(13)) block(1) show(out)
// RUN: %kernc run %s --launch=functions
// OUT: out[0..13]: 0.75 6 10 -99 -3 -1 -1 -1 6 1 24 3 1

__kernel void rounding(__global int *n, __global uint *bits, __global double *d)
{
    bits[0] = as_uint(convert_float_rtz(n[0]));
    bits[1] = as_uint(convert_float_rtp(n[0]));
    bits[2] = as_uint(convert_float_rtn(-n[0]));
    bits[3] = as_uint(convert_float_rtp(-n[0]));
    bits[4] = as_uint(convert_float_rtp(d[0]));
    bits[5] = as_uint(convert_float_rtn(d[0]));
    bits[6] = as_uint(convert_float_rtz(d[1]));
    bits[7] = as_uint(convert_float_rtp(0x8000008000000001ul));
    bits[8] = as_uint(convert_float_rtz(0x8000008000000001ul));
    bits[9] = as_ulong(convert_double_rtp(0x7ffffffffffffc01l)) >> 32;
}
// kern: launch rounding(n = {16777217}, bits = zeros(10), d = {1e-60, 1e300}) block(1) show(bits as hex)
// RUN: %kernc run %s --launch=rounding
// OUT: bits[0..10]: 0x4b800000 0x4b800001 0xcb800001 0xcb800000 0x00000001 0x00000000 0x7f7fffff 0x5f000001 0x5f000000 0x43e00000

__kernel void narrow(__global char *c, __global uchar *u, __global int *out)
{
    out[0] = abs(u[0]);
    out[1] = abs(0xfffffff0u);
    out[2] = mad_hi(c[0], c[1], (char)1);
    out[3] = mad_hi(u[0], u[1], (uchar)250);
    out[4] = mad_sat(c[0], c[1], (char)1);
    out[5] = mad_sat(u[0], u[1], (uchar)1);
    out[6] = mad_sat(0x7fffffff, (int)c[1], -1);
    out[7] = mad_sat(0x8000000000000000ul, (ulong)c[1], 1ul) >> 32;
    out[8] = mad_sat(0x4000000000000000l, -(long)(c[1] / 9), -1l) >> 32;
    out[9] = mad_sat(0x4000000000000000l, -(long)(c[1] / 9), 1l) & 15;
    out[10] = shuffle((int4)(1, 2, 3, 4), (uint2)(c[1], 7)).x * 10 + shuffle((int4)(1, 2, 3, 4), (uint2)(c[1], 7)).y;
    out[11] = shuffle2((int2)(1, 2), (int2)(3, 4), (uint4)(3, 2, 1, c[1])).s0;
}
// kern: launch narrow(c = {-96, 18}, u = {186, 13}, out = zeros(12)) block(1) show(out)
// RUN: %kernc run %s --launch=narrow
// OUT: out[0..12]: 186 -16 -6 3 -128 255 2147483647 -1 -2147483648 1 34 4

__kernel void second_results(__global float4 *o)
{
    int4 n, m;
    float4 a = (float4)(48.0f, 3.0f, 5.0f, 7.0f);
    o[0] = frexp(a, &n);
    o[1] = remquo(a, (float4)(5.0f), &m);
    o[2] = convert_float4(n * 100 + m);
}
// kern: launch second_results(o = zeros(3)) block(1) show(o)
// RUN: %kernc run %s --launch=second_results
// OUT: o[0..3]: (0.75 0.75 0.625 0.875) (-2 -2 0 2) (610 201 301 301)
