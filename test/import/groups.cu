// Cooperative groups.
// NEEDS: clang-19
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

__device__ int sum_of(cg::thread_block_tile<8> tile, int v)
{
    for (int by = tile.size() / 2; by > 0; by /= 2)
        v += tile.shfl_down(v, by);
    return tile.shfl(v, 0);
}

__global__ void tiles(int *rank, int *sum, unsigned *votes, int *meta)
{
    cg::thread_block block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    auto tile = cg::tiled_partition<8>(warp);
    int i = block.thread_rank();
    rank[i] = 100 * warp.thread_rank() + tile.thread_rank();
    sum[i] = sum_of(tile, i) + 1000 * cg::reduce(warp, 1, cg::plus<int>());
    votes[i] = tile.ballot(i % 2) << 8 | tile.any(i == 9) << 4 | tile.all(i < 16);
    meta[i] = 100 * tile.meta_group_size() + 10 * tile.meta_group_rank() + block.size() / 32;
    block.sync();
}
// kern: launch tiles(rank = zeros(64), sum = zeros(64), votes = zeros(64), meta = zeros(64)) block(64) show(rank[39..42]) show(sum[39..41]) show(votes[7..9] as hex) show(meta[15..17])
// RUN: %kernc run %s --launch=tiles
// OUT: rank[39..42]: 707 800 901
// OUT: sum[39..41]: 32284 32348
// OUT: votes[7..9]: 0x0000aa01 0x0000aa11
// OUT: meta[15..17]: 812 822

__global__ void together(int *rank, int *size, int *least, unsigned *peers, int *scan)
{
    int i = threadIdx.x;
    auto all = cg::tiled_partition<32>(cg::this_thread_block());
    if (i % 3 == 1) {
        cg::coalesced_group g = cg::coalesced_threads();
        rank[i] = g.thread_rank();
        size[i] = g.size() + 100 * g.shfl(i, 2);
        least[i] = cg::reduce(g, 50 - i, cg::less<int>()) + 100 * cg::reduce(g, i, cg::greater<int>());
        peers[i] = g.match_any(i % 2);
    }
    cg::coalesced_group half = cg::binary_partition(all, i % 4 == 0);
    scan[i] = cg::inclusive_scan(half, 1) + 100 * cg::exclusive_scan(all, i, cg::plus<int>());
    auto label = cg::labeled_partition(all, i / 5);
    scan[i] += 1000000 * label.size();
}
// kern: launch together(rank = zeros(32), size = zeros(32), least = zeros(32), peers = zeros(32), scan = zeros(32)) block(32) show(rank[0..8]) show(size[4..5]) show(least[4..5]) show(peers[4..8] as hex) show(scan[3..6])
// RUN: %kernc run %s --launch=together
// OUT: rank[0..8]: 0 0 0 0 1 0 0 2
// OUT: size[4..5]: 711
// OUT: least[4..5]: 3119
// OUT: peers[4..8]: 0x000002aa 0x00000000 0x00000000 0x00000555
// OUT: scan[3..6]: 5000303 5000602 5001004

struct pair {
    float a;
    int b;
    double c;
};
__global__ void anything(pair *p, unsigned long long *grid)
{
    auto tile = cg::tiled_partition<4>(cg::this_thread_block());
    int i = threadIdx.x;
    pair mine = {i * 0.5f, i, i * 2.0};
    mine = tile.shfl_xor(mine, 3);
    p[i] = mine;
    auto g = cg::this_grid();
    grid[0] = g.size() * 10 + g.num_blocks();
    if (blockIdx.x == 1 && i == 3)
        grid[1] = g.thread_rank();
}
// kern: launch anything(p = zeros(8), grid = zeros(2)) grid(2) block(8) show(p[3..5]) show(grid)
// RUN: %kernc run %s --launch=anything
// OUT: p[3..5]: {a = 0, b = 0, c = 0} {a = 3.5, b = 7, c = 14}
// OUT: grid[0..2]: 162 11

#ifdef WHOLE_GRID
__global__ void grid_barrier() { cg::this_grid().sync(); }
#endif
// RUN: %kernc run -DWHOLE_GRID %s
// EXIT: 1
// ERR: error: there is no barrier of a grid: what stands behind it is a launch of its own
