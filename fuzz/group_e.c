/* group_e.c: what convergent operations give, by the operands of the threads that execute them together. */
#include "fuzz/reference_e.h"

static uint32_t lowest(uint64_t mask)
{
    return (uint32_t)__builtin_ctzll(mask);
}

static uint64_t fold(enum ir_op op, uint32_t x, uint32_t y)
{
    switch (op) {
    case IR_reduce_smin: return (int32_t)x < (int32_t)y ? x : y;
    case IR_reduce_smax: return (int32_t)x > (int32_t)y ? x : y;
    case IR_reduce_umin: return x < y ? x : y;
    case IR_reduce_umax: return x > y ? x : y;
    case IR_reduce_and: return x & y;
    case IR_reduce_or: return x | y;
    case IR_reduce_xor: return x ^ y;
    default: return x + y;
    }
}

static uint64_t folded(const uint64_t *a, enum ir_op op, uint64_t mask)
{
    uint64_t result = a[lowest(mask)];
    for (mask &= mask - 1; mask; mask &= mask - 1)
        result = (uint32_t)fold(op, (uint32_t)result, (uint32_t)a[lowest(mask)]);
    return result;
}

static uint64_t true_in(const uint64_t *a, uint64_t mask)
{
    uint64_t lanes = 0;
    for (; mask; mask &= mask - 1)
        lanes |= (a[lowest(mask)] & 1) << lowest(mask);
    return lanes;
}

/* The operand of another lane of the group, or the own one. */
static uint64_t from_lane(const uint64_t *a, uint64_t mask, uint32_t lane, uint32_t other)
{
    return a[other < 64 && mask >> other & 1 ? other : lane];
}

uint64_t fz_group_result(enum ir_op op, uint32_t lane, uint64_t mask, const uint64_t *a, uint32_t b)
{
    switch (op) {
    case IR_ballot: return true_in(a, mask);
    case IR_active_mask: return mask;
    case IR_any: return true_in(a, mask) != 0;
    case IR_all: return true_in(a, mask) == mask;
    case IR_elect: return lane == lowest(mask);
    case IR_broadcast_first: return a[lowest(mask)];
    case IR_broadcast:
    case IR_shuffle: return from_lane(a, mask, lane, b);
    case IR_shuffle_xor: return from_lane(a, mask, lane, lane ^ b);
    case IR_shuffle_up: return from_lane(a, mask, lane, lane - b);
    case IR_shuffle_down: return from_lane(a, mask, lane, lane + b);
    case IR_scan_add: return folded(a, op, mask & (((uint64_t)2 << lane) - 1));
    case IR_syncwarp: return 0;
    default: return folded(a, op, mask);
    }
}
