// Masks by CUDA's meaning: threads that a mask names meet, also from two places of the code (kern/meet.h).
// NEEDS: clang-19
#define ALL 0xffffffffu

// The second warp has eight threads, of which one leaves.
__global__ void arms(unsigned *from, unsigned *votes, int *sums, unsigned *peers)
{
    unsigned i = threadIdx.x, lane = i % 32, vote;
    int sum, same;
    if (i == 34)
        return;
    if (lane % 2 == 0) {
        from[i] = __shfl_sync(ALL, lane + 100, (lane + 1) % 8);
        vote = __ballot_sync(ALL, lane & 2);
    } else {
        unsigned x = __shfl_sync(ALL, lane + 200, (lane + 1) % 8);
        for (int k = 0; k < lane; k++)
            x += 1000;
        from[i] = x;
        vote = __ballot_sync(ALL, lane & 4);
    }
    votes[i] = vote;
    if (lane < 3) {
        sum = __reduce_add_sync(ALL, (int)lane);
        peers[i] = __match_any_sync(ALL, lane % 3);
    } else {
        sum = __reduce_add_sync(ALL, 100);
        peers[i] = __match_any_sync(ALL, 2);
    }
    __match_all_sync(ALL, lane < 50, &same);
    sums[i] = sum + same;
}
// kern: launch arms(from = zeros(40), votes = zeros(40), sums = zeros(40), peers = zeros(40)) block(40) show(from[0..8]) show(votes[0..1] as hex) show(votes[39..40] as hex) show(sums[31..34]) show(peers[0..4] as hex)
// RUN: %kernc import -DKERN_MASKS_MEET %s -o %t.kir; for o in 0 2; do %kernc run -w --scheme=oracle -O$o %t.kir --launch=arms | md5sum; done | sort -u | wc -l; %kernc run -w --scheme=oracle %t.kir --launch=arms
// OUT: 1
// OUT: from[0..8]: 201 1102 203 3104 205 5106 207 7100
// OUT: votes[0..1]: 0xe4e4e4e4
// OUT: votes[39..40]: 0x000000e0
// OUT: sums[31..34]: 2904 502 502
// OUT: peers[0..4]: 0x00000001 0x00000002 0xfffffffc 0xfffffffc

// Without KERN_MASKS_MEET each place has its own threads; -Wall says so, and KERN_CHECK_MASKS.
// RUN: %kernc run -w --scheme=oracle %s --launch=arms | grep from
// OUT: from[0..8]: 100 1201 102 3203 104 5205 106 7207
// RUN: %kernc run -Wall --no-outputs %s --launch=arms
// ERR: warning: shuffle in both arms of a divergent branch
// RUN: for s in pdom oracle; do %kernc run -w -DKERN_CHECK_MASKS --scheme=$s %s --launch=arms; done
// EXIT: 2
// ERR: meet.cu:13:19: error: the mask names threads that are elsewhere in the code in thread (0,0,0)
// ERR: meet.cu:13:19: error: the mask names threads that are elsewhere in the code in thread (0,0,0)

// Two halves, of which each has rounds of its own; then all of the warp, in two places.
__global__ void rounds(int *out)
{
    int i = threadIdx.x, half = i / 16, x = i;
    unsigned mask = half ? 0xffff0000u : 0xffffu;
    for (int k = 0; k < 3 + 4 * half; k++) {
        if (i % 4 == k % 4)
            x += __shfl_xor_sync(mask, x, 1);
        else
            x -= __shfl_xor_sync(mask, x, 1);
    }
    out[i] = x;
    if (half)
        __syncwarp();
    else
        __syncwarp(ALL);
    out[i] += 1000 * out[i ^ 31];
}

// kern: launch rounds(out = zeros(32)) block(32) show(out[0..4])
// RUN: %kernc run -w --scheme=oracle %t.kir --launch=rounds
// OUT: out[0..4]: 31998 2 16000 -15996

// What comes together needs no other place: the same with masks that are checked.
// RUN: for d in KERN_CHECK_MASKS KERN_MASKS_MEET NOTHING; do for f in warp groups; do %kernc run -w -D$d --scheme=oracle %S/$f.cu; done | md5sum; done | sort -u | wc -l
// OUT-IS: 1
