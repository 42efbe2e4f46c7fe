#pragma OPENCL FP_CONTRACT OFF
__kernel void k2(__global int *steps, int side, int limit)
{
    int p = get_global_id(0);
    float cx = -2.0f + 3.0f * (p % side) / side, cy = -1.5f + 3.0f * (p / side) / side;
    float x = 0, y = 0;
    int n = 0;
    while (n < limit && x * x + y * y <= 4) {
        float t = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = t;
        n++;
    }
    steps[p] = n;
}
