/* access.c: checks of single accesses, and the count of segments far apart. */
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

/* Segments in ascending order are counted as they change; else each is looked up in a table of twice as many slots as
 * there are lanes, searched linearly from the segment's hash. Slots hold the segment's number plus 1. */
uint32_t rt_distinct_segments(const struct rt_warp *w, const uint32_t *address, uint64_t lanes)
{
    enum { SLOTS = 2 * RT_MAX_LANES };
    uint32_t slots[SLOTS] = {0}, distinct = 0, latest = 0;
    bool ascending = true;
    for rt_each_lane (i, lanes) {
        uint32_t segment = (address[i] >> w->segment_shift) + 1;
        ascending = ascending && segment >= latest;
        distinct += segment != latest;
        latest = segment;
    }
    if (ascending)
        return distinct;
    distinct = 0;
    for rt_each_lane (j, lanes) {
        uint32_t segment = (address[j] >> w->segment_shift) + 1, at = segment * 2654435761u >> 25;
        while (slots[at % SLOTS] && slots[at % SLOTS] != segment)
            at++;
        distinct += slots[at % SLOTS] == 0;
        slots[at % SLOTS] = segment;
    }
    return distinct;
}
