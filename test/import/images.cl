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

// Arrays of images: the number of an image is rounded, and is the nearest that is there; no mixing between images.
__kernel void layers(image1d_array_t rows, __read_only image2d_array_t planes, write_only image2d_array_t to, __global float *o)
{
    const sampler_t linear = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_LINEAR;
    o[0] = read_imagef(rows, linear, (float2)(1.0f, 0.6f)).x;
    o[1] = read_imagef(rows, linear, (float2)(0.0f, 7.0f)).y;
    o[2] = read_imagef(rows, nearest, (int2)(1, -5)).x + 100 * get_image_array_size(rows);
    o[3] = read_imagef(planes, linear, (float4)(1.0f, 0.5f, 0.4f, 0)).x;
    o[4] = read_imagef(planes, linear, (float4)(1.0f, 0.5f, 0.6f, 0)).x;
    o[5] = read_imagei(planes, nearest, (int4)(1, 0, 9, 0)).w + 100 * get_image_width(planes);
    write_imagef(to, (int4)(1, 0, 1, 0), (float4)(5, 6, 7, 8));
    write_imagef(to, (int4)(1, 0, 2, 0), (float4)(9));
}
// kern: launch layers(rows = {2, 2, 1, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 5, 5, 5, 5}, planes = {2, 1, 2, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 5, 5, 5, 5}, to = {2, 1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, o = zeros(6)) show(o) show(to[12..20])
// RUN: %kernc run %s --launch=layers
// OUT: o[0..6]: 4 1.5 202 1.5 4 205
// OUT: to[12..20]: {at = 0} {at = 0} {at = 0} {at = 0} {at = 5} {at = 6} {at = 7} {at = 8}

// Of one dimension, of depth, and a buffer.
__kernel void others(image1d_t line, image1d_buffer_t buffer, image2d_depth_t depth, image2d_array_depth_t depths, __global float *o)
{
    const sampler_t linear = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_LINEAR;
    o[0] = read_imagef(line, linear, 1.0f).x;
    o[1] = read_imagef(buffer, 1).z;
    o[2] = read_imagef(depth, linear, (float2)(0.5f, 0.0f)) + read_imagef(depth, (int2)(1, 0));
    o[3] = read_imagef(depths, nearest, (float4)(0, 0, 1, 0));
    write_imagef(depth, (int2)(0, 0), 0.25f);
    o[4] = read_imagef(depth, nearest, (int2)(0, 0));
}
// kern: launch others(line = {2, 1, 1, 0, 1, 1, 1, 1, 2, 2, 2, 2}, buffer = {2, 1, 1, 0, 1, 1, 1, 1, 2, 3, 4, 5}, depth = {2, 1, 1, 0, 1, 0, 0, 0, 2, 0, 0, 0}, depths = {1, 1, 2, 0, 1, 0, 0, 0, 7, 0, 0, 0}, o = zeros(5)) show(o)
// RUN: %kernc run %s --launch=others
// OUT: o[0..5]: 1.5 4 2.5 7 0.25
