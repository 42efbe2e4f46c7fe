/* access.c: checks of single accesses, and the count of memory transactions. */
#include "runtime/grid.h"

uint8_t *rt_locate(struct rt_warp *w, enum rt_space space, bool store, unsigned lane, uint32_t address,
                   uint32_t bytes, uint32_t align)
{
    uint64_t end = (uint64_t)address + bytes;
    if (address & (align - 1))
        return NULL;
    if (space == RT_GLOBAL) {
        uint32_t limit = (store ? w->store_limits : w->limits)[address >> RT_SEGMENT_SHIFT];
        return end <= limit ? w->global + address : NULL;
    }
    uint32_t limit = space == RT_SHARED ? w->shared_bytes : w->private_bytes;
    if (space > RT_PRIVATE || address < BC_FIRST_ADDRESS || end > limit)
        return NULL;
    return space == RT_SHARED ? w->shared + address : w->private + (size_t)lane * w->private_bytes + address;
}

/* The segments are spread over 64 bits by their distance from the lowest; those further away go to a table of twice
 * as many slots as there are lanes, searched linearly from the segment's hash. */
void rt_count_transactions(struct rt_warp *w, uint32_t site, const uint32_t *address, uint64_t lanes, uint32_t bytes)
{
    enum { SLOTS = 2 * RT_MAX_LANES };
    uint32_t slots[SLOTS], low = UINT32_MAX, distinct = 0;
    uint64_t near = 0, far = 0;
    for rt_each_lane (i, lanes) {
        uint32_t segment = address[i] >> w->segment_shift;
        low = segment < low ? segment : low;
    }
    for rt_each_lane (j, lanes) {
        uint32_t distance = (address[j] >> w->segment_shift) - low;
        if (distance < 64)
            near |= (uint64_t)1 << distance;
        else
            far |= (uint64_t)1 << j;
    }
    if (far)
        memset(slots, 0, sizeof slots);
    for rt_each_lane (k, far) {
        uint32_t key = (address[k] >> w->segment_shift) - low, at = key * 2654435761u >> 25;
        while (slots[at % SLOTS] && slots[at % SLOTS] != key)
            at++;
        distinct += slots[at % SLOTS] == 0;
        slots[at % SLOTS] = key;
    }
    distinct += (uint32_t)__builtin_popcountll(near);
    w->sites[site].transactions += distinct;
    w->cycles += (uint64_t)(distinct - 1) * w->transaction_cycles;
}
