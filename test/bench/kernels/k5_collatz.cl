#pragma OPENCL FP_CONTRACT OFF
__kernel void k5(__global uint *out, int rounds)
{
    uint id = get_global_id(0), s = id * 2654435761u + 1, acc = 0;
    for (int r = 0; r < rounds; r++) {
        s ^= s << 13;
        s ^= s >> 17;
        s ^= s << 5;
        switch (s % 5) {
        case 0: acc += s; break;
        case 1: acc ^= s << 1; break;
        case 2: acc = acc * 31 + 7; break;
        case 3: acc -= s >> 3; break;
        default: acc = acc + (acc >> 5); break;
        }
        uint x = (s >> 8) % 1000 + 1;
        for (int k = 0; k < 12 && x != 1; k++) {
            x = x % 2 == 0 ? x / 2 : 3 * x + 1;
            acc++;
        }
    }
    out[id] = acc;
}
