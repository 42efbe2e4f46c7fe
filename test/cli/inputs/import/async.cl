kernel void k(global int *o, global float *f, local float *t, global atomic_int *a)
{
    int i = get_local_id(0);
    event_t e = async_work_group_copy(t, f, 8, 0);
    wait_group_events(1, &e);
    float w;
    f[i] = fract(t[7 - i] * 0.75f, &w) + w;
    int old = atomic_fetch_add_explicit(a, 2, memory_order_relaxed, memory_scope_device);
    int want = 16;
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (i == 0) atomic_compare_exchange_strong_explicit(a, &want, 100, memory_order_relaxed, memory_order_relaxed, memory_scope_device);
    barrier(CLK_GLOBAL_MEM_FENCE);
    o[i] = atomic_load_explicit(a, memory_order_relaxed, memory_scope_device) + convert_uchar_sat(i * 100);
    int4 v = vload4(0, o);
}
