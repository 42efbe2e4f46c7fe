#pragma OPENCL FP_CONTRACT OFF
#define N 256

__kernel void k4(__global int *data)
{
    __local int a[N];
    int i = get_local_id(0);
    a[i] = data[get_group_id(0) * N + i];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int size = 2; size <= N; size *= 2)
        for (int stride = size / 2; stride > 0; stride /= 2) {
            int j = i ^ stride;
            if (j > i) {
                int x = a[i], y = a[j];
                int up = (i & size) == 0;
                if (up == (x > y)) {
                    a[i] = y;
                    a[j] = x;
                }
            }
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    data[get_group_id(0) * N + i] = a[i];
}
