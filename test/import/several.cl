// Generic pointers of OpenCL that lead to several memories; atomics on a local variable.
// NEEDS: clang-19
int total(const int *p, int n)
{
    int s = 0;
    for (int i = 0; i < n; i++)
        s += p[i];
    return s;
}
void bump(volatile atomic_int *p)
{
    atomic_fetch_add_explicit(p, 5, memory_order_relaxed, memory_scope_work_group);
}
// RUN: for o in 0 2; do %kernc run -w -O$o %s; done | sort -u
// OUT: counts[0..8]: 5 20 5 40 5 0 5 0
// OUT: ends[0..8]: 30 5 7 90 11 13 150 17
// OUT: sums[0..8]: 60 10 14 180 22 26 300 34
// RUN: %kernc run -w %s --target=warp-core --no-outputs
kernel void mix(global int *in, global int *sums, global int *ends, global int *counts)
{
    local int tile[12];
    local atomic_int count;
    int t = get_local_id(0), own[4] = {t, t + 1, t + 2, t + 3}, d[3] = {0};
    if (t == 0)
        atomic_init(&count, 0);
    for (int i = t; i < 12; i += 8)
        tile[i] = 10 * i;
    barrier(CLK_LOCAL_MEM_FENCE);
    const int *p = t % 3 == 0 ? (const int *)(tile + t) : t % 3 == 1 ? (const int *)(in + t) : (const int *)own;
    sums[t] = total(p, 4);
    int4 v = vload4(0, p);
    ends[t] = v.x + v.w;
    bump(t % 2 ? (volatile atomic_int *)&count : (volatile atomic_int *)(counts + t));
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    int *to = t == 1 ? (int *)d : (int *)(counts + t);
    if (t == 1)
        for (int k = 0; k < 3; k++)
            to[k] = tile[k];
    if (t == 1)
        counts[t] = d[2];
    if (t == 3)
        counts[t] += 2 * atomic_load(&count);
}
// kern: launch mix(in = iota(12), sums = zeros(8), ends = zeros(8), counts = zeros(8)) block(8) show(sums) show(ends) show(counts)
