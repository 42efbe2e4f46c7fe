// OpenCL: ballots of sub-groups, together and in an arm.
// NEEDS: clang-19

__kernel void ballots(__global uint *o)
{
    uint i = get_sub_group_local_id();
    uint4 odd = sub_group_ballot(i & 1);
    if (i < 3) {
        uint4 arm = sub_group_ballot(1);
        o[i] = arm.x * 100 + sub_group_elect() * 10 + sub_group_ballot_exclusive_scan(odd);
    } else {
        o[i] = sub_group_ballot_bit_count(odd) * 100 + sub_group_ballot_find_lsb(odd) * 10 + sub_group_ballot_find_msb(odd)
            + sub_group_inverse_ballot(odd) * 1000 + sub_group_ballot_inclusive_scan(odd) * 10000;
    }
}
// kern: launch ballots(o = zeros(8)) block(8) show(o)
// RUN: %kernc run %s --launch=ballots
// OUT: o[0..8]: 710 700 701 21417 20417 31417 30417 41417

// A sub-group with fewer work-items than others; the functions for control flow that is not uniform.
__kernel void sizes(__global uint *o)
{
    uint i = get_sub_group_local_id(), at = get_local_id(0);
    o[at] = get_sub_group_size() * 100000 + sub_group_non_uniform_reduce_xor(1u << i) * 100 + sub_group_non_uniform_scan_inclusive_add(i);
    if (i & 1)
        o[at] += 10000000 * (sub_group_non_uniform_reduce_max(i) + 10 * sub_group_broadcast_first(i) + sub_group_non_uniform_all(i));
}
// kern: launch sizes(o = zeros(12)) block(12) show(o)
// RUN: %kernc run %s --warp=8 --launch=sizes
// OUT: o[0..12]: 825500 180825501 825503 180825506 825510 180825515 825521 180825528 401500 140401501 401503 140401506
