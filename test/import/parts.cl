// OpenCL: the parts of a number that is no number, or infinite.
// NEEDS: clang-19

__kernel void parts(__global float *x, __global float *o)
{
    float whole;
    int i = get_global_id(0);
    o[2 * i] = fract(x[i], &whole);
    o[2 * i + 1] = modf(x[i], &whole);
}
// kern: launch parts(x = {inf, nan, -2.25, 3}, o = zeros(8)) block(4) show(o)
// RUN: %kernc run %s
// OUT: o[0..8]: 0 0 nan nan 0.75 -0.25 0 0
