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
// RUN: %kernc run %s
// OUT: o[0..8]: 710 700 701 21417 20417 31417 30417 41417
