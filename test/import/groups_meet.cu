// Groups by mask: their threads meet wherever they call (KERN_MASKS_MEET), and parts of groups know their numbers.
// NEEDS: clang-19
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

// Threads of one tile in two arms; the warp's other tiles come elsewhere, later, or not at all.
__global__ void tiles(int *sums, unsigned *votes, int *swaps)
{
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    __shared__ volatile int cell[64];
    int i = threadIdx.x, rank = tile.thread_rank();
    if (i >= 24 && i < 32)
        return;
    cell[i] = 0;
    if (rank % 2) {
        cell[i] = i;
        tile.sync();
        votes[i] = tile.ballot(rank & 2);
        sums[i] = cg::reduce(tile, i, cg::plus<int>());
    } else {
        for (int k = 0; k < i; k++)
            cell[i]++;
        tile.sync();
        votes[i] = tile.ballot(rank & 4);
        sums[i] = cg::reduce(tile, 100, cg::plus<int>());
    }
    double own = rank < 4 ? tile.shfl_xor(i + 0.5, 7) : tile.shfl_xor(i + 0.25, 7);
    swaps[i] = (int)(own * 100) + 10000 * cell[i ^ 1];
}
// kern: launch tiles(sums = zeros(64), votes = zeros(64), swaps = zeros(64)) block(64) show(sums[7..9]) show(sums[40..41]) show(votes[0..1] as hex) show(votes[63..64] as hex) show(swaps[0..8])
// RUN: for o in 0 2; do %kernc run -w -DKERN_MASKS_MEET --scheme=oracle -O$o %s --launch=tiles; done | sort -u
// OUT: sums[40..41]: 576
// OUT: sums[7..9]: 416 448
// OUT: swaps[0..8]: 10725 625 30525 20425 50350 40250 70150 60050
// OUT: votes[0..1]: 0x000000d8
// OUT: votes[63..64]: 0x000000d8
// RUN: %kernc run -w -DKERN_CHECK_MASKS %s --launch=tiles
// EXIT: 2
// ERR: the mask names threads that are elsewhere in the code

// A group made together, used apart; parts of groups.
__global__ void parts(int *ranks, int *sums, int *halves, int *fours)
{
    int i = threadIdx.x;
    if (i % 4 != 1) {
        cg::coalesced_group g = cg::coalesced_threads();
        cg::coalesced_group label = cg::labeled_partition(g, i % 3), even = cg::binary_partition(g, i % 2 == 0);
        cg::coalesced_group four = cg::tiled_partition(g, 4);
        cg::thread_group any = i < 16 ? cg::thread_group(label) : cg::thread_group(g);
        ranks[i] = 100 * g.size() + label.thread_rank();
        halves[i] = 1000 * even.size() + 100 * even.meta_group_rank() + 10 * label.meta_group_rank() + label.meta_group_size();
        fours[i] = 1000 * four.size() + 100 * four.meta_group_size() + 10 * four.meta_group_rank() + four.thread_rank();
        sums[i] = i < 9 ? cg::reduce(four, i, cg::plus<int>()) : cg::reduce(four, 1000, cg::plus<int>());
        if (i & 2)
            label.sync();
        else
            label.sync();
        sums[i] += 100000 * any.size();
    }
}
// kern: launch parts(ranks = zeros(32), sums = zeros(32), halves = zeros(32), fours = zeros(32)) block(32) show(ranks[28..32]) show(sums[8..12]) show(halves[0..8]) show(fours[28..32])
// RUN: %kernc run -w -DKERN_MASKS_MEET --scheme=oracle %s --launch=parts
// OUT: ranks[28..32]: 2406 0 2408 2407
// OUT: sums[8..12]: 701021 0 801021 704000
// OUT: halves[0..8]: 16003 0 16013 8103 16023 0 16003 8123
// OUT: fours[28..32]: 4651 0 4652 4653

// Groups of a kind that is known as the kernel runs.
__device__ int sum_of(cg::thread_group g, int *cell, int v)
{
    int sum = 0;
    cell[g.thread_rank()] = v;
    g.sync();
    for (int k = 0; k < g.size(); k++)
        sum += cell[k];
    g.sync();
    return sum;
}
__global__ void kinds(int *sums, int *tiles)
{
    __shared__ int cell[64];
    cg::thread_block block = cg::this_thread_block();
    cg::thread_group tile = cg::tiled_partition(block, 16), four = cg::tiled_partition(tile, 4);
    int i = block.thread_rank();
    sums[i] = sum_of(block, cell, i);
    sums[i] += 10000 * sum_of(four, cell + i / 4 * 4, 1);
    sums[i] += 100000 * sum_of(cg::tiled_partition<2>(block), cell + i / 2 * 2, 1);
    tiles[i] = 100 * tile.thread_rank() + 10 * four.thread_rank() + four.meta_group_rank();
}
// kern: launch kinds(sums = zeros(64), tiles = zeros(64)) block(64) show(sums[62..64]) show(tiles[42..44])
// RUN: %kernc run -w %s --launch=kinds
// OUT: sums[62..64]: 242016 242016
// OUT: tiles[42..44]: 1022 1132
