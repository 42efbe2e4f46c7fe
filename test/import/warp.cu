// CUDA's functions of a warp, with masks.
// NEEDS: clang-19

__global__ void votes(unsigned *ballot, int *any, int *all, unsigned *active)
{
    int i = threadIdx.x;
    ballot[i] = __ballot_sync(0xffffffff, i % 3 == 0);
    any[i] = __any_sync(0xffffffff, i == 5) + 2 * __any_sync(0xffffffff, i == 99);
    all[i] = __all_sync(0xffffffff, i < 32) + 2 * __all_sync(0xffffffff, i < 31);
    if (i % 2) {
        active[i] = __activemask();
        any[i] += 4 * __any_sync(0xaaaaaaaa, i == 4) + 8 * __any_sync(0xaaaaaaaa, i == 7);
        all[i] += 4 * __all_sync(0xaaaaaaaa, i % 2) + 8 * __all_sync(0xaaaaaaaa, i < 9);
    }
}
// kern: launch votes(ballot = zeros(32), any = zeros(32), all = zeros(32), active = zeros(32)) block(32) show(ballot[0..2] as hex) show(any[4..8]) show(all[4..8]) show(active[0..2] as hex)
// RUN: %kernc run %s --launch=votes
// OUT: ballot[0..2]: 0x49249249 0x49249249
// OUT: any[4..8]: 1 9 1 9
// OUT: all[4..8]: 1 5 1 5
// OUT: active[0..2]: 0x00000000 0xaaaaaaaa

// Halves of a warp, each with a mask of its own, in one place of the code.
__global__ void masks(unsigned *ballot, int *sum, int *least, unsigned *peers, int *same)
{
    int i = threadIdx.x, all;
    unsigned mask = i < 16 ? 0xffff : 0xffff0000;
    ballot[i] = __ballot_sync(mask, i % 5 == 0);
    sum[i] = __reduce_add_sync(mask, i);
    least[i] = __reduce_min_sync(mask, 100 - i) + 1000 * __reduce_max_sync(mask, 100 - i);
    peers[i] = __match_any_sync(mask, i / 8 % 2);
    same[i] = __match_all_sync(mask, i / 16, &all) == mask;
    same[i] += 2 * all;
    __match_all_sync(mask, i / 8, &all);
    same[i] += 4 * all;
}
// kern: launch masks(ballot = zeros(32), sum = zeros(32), least = zeros(32), peers = zeros(32), same = zeros(32)) block(32) show(ballot[15..17] as hex) show(sum[15..17]) show(least[15..17]) show(peers[15..17] as hex) show(same[15..17])
// RUN: %kernc run %s --launch=masks
// OUT: ballot[15..17]: 0x00008421 0x42100000
// OUT: sum[15..17]: 120 376
// OUT: least[15..17]: 100085 84069
// OUT: peers[15..17]: 0x0000ff00 0x00ff0000
// OUT: same[15..17]: 3 3

// A lane outside the segment gives the own value.
__global__ void shuffles(int *down, long long *up, float *exchange, double *from)
{
    int i = threadIdx.x;
    down[i] = __shfl_down_sync(0xffffffff, i, 3, 8);
    up[i] = __shfl_up_sync(0xffffffff, (long long)i << 40, 2) >> 40;
    exchange[i] = __shfl_xor_sync(0xffffffff, (float)i, 12, 8) + __shfl_xor_sync(0xffffffff, (float)i, 1);
    from[i] = __shfl_sync(0xffffffff, i + 0.5, 5, 8);
}
// kern: launch shuffles(down = zeros(32), up = zeros(32), exchange = zeros(32), from = zeros(32)) block(32) show(down[8..16]) show(up[0..4]) show(exchange[0..4]) show(from[7..9])
// RUN: %kernc run %s --launch=shuffles
// OUT: down[8..16]: 11 12 13 14 15 13 14 15
// OUT: up[0..4]: 0 1 0 1
// OUT: exchange[0..4]: 1 1 5 5
// OUT: from[7..9]: 5.5 13.5

// The same under every scheme.
// RUN: %kernc compare %s --launch=masks
// OUT: pdom
