// OpenCL: images are arrays of floats: width, height, depth, 0, then texels of four.
// NEEDS: clang-19

const sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;

__kernel void shift(read_only image2d_t in, write_only image2d_t out)
{
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    float4 v = read_imagef(in, nearest, at - (int2)(1, 0));
    write_imagef(out, at, v + (float4)(get_image_width(in)));
}
// kern: launch shift(in = {2, 2, 1, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4}, out = {2, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}) block(2, 2) show(out)
// RUN: %kernc run %s --launch=shift
// OUT: out[0..20]: 2 2 1 0 2 2 2 2 3 3 3 3 2 2 2 2 5 5 5 5

__kernel void between(__read_only image2d_t in, __global float *o, __global int *n)
{
    const sampler_t linear = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;
    o[0] = read_imagef(in, linear, (float2)(0.5f, 0.25f)).x;
    o[1] = read_imagef(in, linear, (float2)(0.5f, 0.5f)).x;
    o[2] = read_imagef(in, linear, (float2)(0.0f, 0.0f)).x;
    n[0] = read_imagei(in, (int2)(1, 1)).w;
}
// kern: launch between(in = {2, 2, 1, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4}, o = zeros(3), n = zeros(1)) show(o) show(n)
// RUN: %kernc run %s --launch=between
// OUT: o[0..3]: 1.5 2.5 1
// OUT: n[0..1]: 4
