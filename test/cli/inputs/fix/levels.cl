#pragma OPENCL EXTENSION cl_khr_global_int32_base_atomics : enable
#define DONE 1
typedef struct {
    int first, count;
} Span;

/* One level of a search in a graph: all neighbours of the vertices that are open. */
__kernel void visit(__global const Span *spans, __global const int *edges, __global char *open, __global int *level,
                    volatile __global int *found, const int vertices)
{
    size_t v = get_global_id(0);
    __local int here;
    if (get_local_id(0) == 0)
        here = 0;
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (v < vertices && open[v]) {
        open[v] = false;
        for (int e = spans[v].first; e < spans[v].first + spans[v].count; e++) {
            int to = edges[e];
            if (level[to] < 0) {
                level[to] = mad24(level[v], DONE, 1);
                atomic_add(&here, 1);
            }
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == get_local_size(0) - 1)
        atomic_add(found, here);
}
