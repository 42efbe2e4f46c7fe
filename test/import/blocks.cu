// CUB's reductions and scans.
// NEEDS: clang-19
#include <cub/cub.cuh>

__global__ void blocks(int *sum, int *most, int *before, int *upto, int *warp)
{
    typedef cub::BlockReduce<int, 96> reduce;
    typedef cub::BlockScan<int, 96> scan;
    __shared__ union {
        typename reduce::TempStorage reduce;
        typename scan::TempStorage scan;
    } store;
    int i = threadIdx.x, all, part[2] = {i, 1}, scanned[2];
    int s = reduce(store.reduce).Sum(i);
    __syncthreads();
    int m = reduce(store.reduce).Reduce((i * 37) % 96, cub::Max());
    __syncthreads();
    if (i == 0) {
        *sum = s;
        *most = m;
    }
    scan(store.scan).ExclusiveSum(1, before[i], all);
    before[i] += 1000 * all;
    __syncthreads();
    scan(store.scan).InclusiveSum(part, scanned);
    upto[i] = scanned[1];
    __shared__ typename cub::WarpReduce<int>::TempStorage none[3];
    warp[i] = cub::WarpReduce<int>(none[i / 32]).Sum(i);
}
// kern: launch blocks(sum = zeros(1), most = zeros(1), before = zeros(96), upto = zeros(96), warp = zeros(96)) block(96) show(sum) show(most) show(before[94..96]) show(upto[0..3]) show(warp[32..33])
// RUN: %kernc run %s
// OUT: sum[0..1]: 4560
// OUT: most[0..1]: 95
// OUT: before[94..96]: 96094 96095
// OUT: upto[0..3]: 1 3 6
// OUT: warp[32..33]: 1520
