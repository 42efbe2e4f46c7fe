// OpenCL: volatile accesses go to memory. Threads of a warp that write one word read what the last of them wrote, so each
// counts itself in a round of its own.
// NEEDS: clang-19

__kernel void count(__global uint *counts, __global float *last)
{
    volatile __local uint words[2];
    volatile __local float shared_float;
    uint me = get_local_id(0), tag = me << 27, c;
    if (me < 2)
        words[me] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    do {
        c = tag | ((words[me & 1] & 0x07ffffff) + 1);
        words[me & 1] = c;
    } while (words[me & 1] != c);
    shared_float = me;
    last[me] = shared_float;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (me < 2)
        counts[me] = words[me] & 0x07ffffff;
}
// kern: launch count(counts = zeros(2), last = zeros(32)) grid(1) block(32) show(counts) show(last[0..3])
// RUN: %kernc run -O0 %s
// RUN: %kernc run -O2 %s
// RUN: %kernc run -O2 --scheme=pdom %s
// OUT: counts[0..2]: 16 16
// OUT: last[0..3]: 31 31 31
