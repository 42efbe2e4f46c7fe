// OpenCL: work items, local memory, vectors, atomics, functions of vectors.
// NEEDS: clang-19

__kernel void items(__global int *ids, __global int *sums, __local int *part)
{
    size_t g = get_global_id(0), l = get_local_id(0);
    part[l] = (int)g;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (size_t n = get_local_size(0) / 2; n > 0; n /= 2) {
        if (l < n)
            part[l] += part[l + n];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    ids[g] = 1000 * get_group_id(0) + 100 * get_num_groups(0) + l;
    if (l == 0)
        sums[get_group_id(0)] = part[0];
}
// kern: launch items(ids = zeros(16), sums = zeros(2)) grid(2) block(8) shared(8) show(ids[7..9]) show(sums)
// RUN: %kernc run %s --launch=items
// OUT: ids[7..9]: 207 1200
// OUT: sums[0..2]: 28 92

__kernel void vectors(__global float4 *v, __global int *n, __global uchar4 *c)
{
    float4 a = v[0], b = (float4)(1.0f, 2.0f, 3.0f, 4.0f);
    v[0] = fma(a, b, (float4)(0.5f)) + b.wzyx;
    v[1] = (float4)(dot(a, b), length(b.xy - (float2)(4.0f, 6.0f)), mix(1.0f, 3.0f, 0.25f), clamp(9.0f, 0.0f, 5.0f));
    v[2].xy = sqrt(b.wx);
    v[2].zw = native_recip(b.yw);
    v[3] = select(a, b, (int4)(0, -1, 0, -1));
    int4 k = convert_int4(b) * 2 + (int4)(1, 0, -1, 0);
    n[0] = k.x + 10 * k.y + 100 * k.z + 1000 * k.w;
    n[1] = any(k > 7) + 10 * all(k > 1) + 100 * popcount(255) + 10000 * clz(1);
    n[2] = mul24(3, -4) + mad24(2, 3, 100) + rotate(1, 4) + max(3, 7) + abs_diff(3, 9) + add_sat(2147483647, 1) - 2147483647;
    n[3] = as_int(1.0f) == 0x3f800000;
    c[0] = convert_uchar4_sat(b * 100.0f);
    vstore4(vload4(0, (__global float *)v) * 2.0f, 4, (__global float *)v);
    float8 wide = (float8)(a, b);
    v[5] = wide.odd + wide.lo;
}
// kern: launch vectors(v = {{1, 1, 1, 1}, {0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}}, n = zeros(4), c = zeros(1)) block(1) show(v) show(n) show(c)
// RUN: %kernc run %s --launch=vectors
// OUT: v[0..6]: (5.5 5.5 5.5 5.5) (10 5 1.5 5) (2 1 0.5 0.25) (1 2 1 4) (11 11 11 11) (2 2 3 5)
// OUT: n[0..4]: 8543 310811 123 1
// OUT: c[0..1]: (100 200 255 255)

typedef struct {
    int count;
    float weight[2];
} cell;
__constant int table[3] = {5, 6, 7};
__kernel void others(__global cell *cells, __global volatile int *counts, __constant float *by, uint n)
{
    int i = get_global_id(0);
    __local int shared_count;
    if (i == 0)
        shared_count = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&shared_count);
    atomic_add(&counts[0], table[i % 3]);
    atomic_max(&counts[1], i);
    atomic_cmpxchg(&counts[2], 0, 7);
    barrier(CLK_LOCAL_MEM_FENCE);
    cells[i].count += shared_count + n;
    cells[i].weight[i % 2] = by[i % 2];
    __private float copy[4];
    for (int k = 0; k < 4; k++)
        copy[k] = k * by[1];
    if (i == 0)
        printf("%d threads, %.1f\n", shared_count, copy[3]);
}
// kern: launch others(cells = {{1, {0, 0}}, {2, {0, 0}}, {3, {0, 0}}}, counts = zeros(3), by = {0.5, 1.5}, n = 10) block(3) show(cells) show(counts)
// RUN: %kernc run %s --launch=others
// OUT: 3 threads, 4.5
// OUT: cells[0..3]: {count = 14, weight = {0.5, 0}} {count = 15, weight = {0, 1.5}} {count = 16, weight = {0.5, 0}}
// OUT: counts[0..3]: 18 2 7

__kernel void copies(__global const float *in, __global float *out)
{
    __local float part[8];
    event_t e = async_work_group_copy(part, in + 8 * get_group_id(0), 8, 0);
    wait_group_events(1, &e);
    out[get_global_id(0)] = part[7 - get_local_id(0)];
}
// kern: launch copies(in = iota(16), out = zeros(16)) grid(2) block(8) show(out[6..10])
// RUN: %kernc run %s --launch=copies
// OUT: out[6..10]: 1 0 15 14

// The launch's dimensions: the last one with more than one work item.
__kernel void dimensions(__global uint *n) { n[0] = get_work_dim(); }
// kern: launch dimensions(n = zeros(1)) block(4)
// kern: launch dimensions(n = zeros(1)) grid(1, 3) block(4)
// kern: launch dimensions(n = zeros(1)) block(1, 2, 2)
// RUN: %kernc run %s --launch=dimensions
