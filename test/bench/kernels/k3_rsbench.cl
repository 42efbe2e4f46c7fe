#pragma OPENCL FP_CONTRACT OFF
uint next(uint s) { s ^= s << 13; s ^= s >> 17; s ^= s << 5; return s; }

__kernel void k3(__global float *out, __global const float *cumulative, __global const int *nuclides, int tasks)
{
    uint id = get_global_id(0), s = id * 2654435761u + 1;
    float total = 0;
    for (int t = 0; t < tasks; t++) {
        s = next(s);
        float r = (s >> 8) * (1.0f / 16777216);
        int m = 0;
        while (m < 11 && r > cumulative[m])
            m++;
        int n = nuclides[m];
        float e = 1 + r, sum = 0, wr = 0, wi = 0;
        for (int i = 0; i < n; i++) {
            float re = e - 0.5f * wr, im = 0.3f - 0.5f * wi;   // w = 1 / (z - w / 2), twice
            float d = re * re + im * im;
            wr = re / d;
            wi = -im / d;
            re = e - 0.5f * wr;
            im = 0.3f - 0.5f * wi;
            d = re * re + im * im;
            wr = re / d;
            wi = -im / d;
            sum += wr;
        }
        total += sum;
    }
    out[id] = total;
}
