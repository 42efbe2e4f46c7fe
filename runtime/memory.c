/* memory.c: see memory.h. Host memory is reserved once and committed region by region. */
#include "runtime/memory.h"
#include "runtime/launch/cycle.h"

#include "base/space.h"

bool rt_memory_open(struct rt_memory *m, uint64_t limit)
{
    *m = (struct rt_memory){.limit = limit};
    m->base = space_open();
    return m->base != NULL;
}

void rt_memory_close(struct rt_memory *m)
{
    if (m->base)
        space_close(m->base);
    *m = (struct rt_memory){0};
}

/* First of `count` unowned segments with an unowned one before and after them; 0: there are none. A region of
 * no bytes has limits of its own address, so ownership is read off the regions' first segments as well. */
static uint32_t find_segments(const struct rt_memory *m, uint32_t count)
{
    uint32_t run = 0;
    for (uint32_t s = 1; s <= RT_LAST_SEGMENT; s++) {
        run = m->limits[s] ? 0 : run + 1;
        bool first = s == run; /* segment 0 is the gap before */
        if (run >= count + (first ? 0 : 1) + 1)
            return s - count;
    }
    return 0;
}

enum rt_memory_result rt_region_open(struct rt_memory *m, struct rt_region *r, uint64_t bytes)
{
    uint64_t count = (bytes + (1u << RT_SEGMENT_SHIFT) - 1) >> RT_SEGMENT_SHIFT;
    if (bytes > m->limit - m->used)
        return RT_MEMORY_LIMIT;
    if (bytes > UINT32_MAX)
        return RT_MEMORY_FULL;
    if (count == 0)
        count = 1;
    uint32_t first = count < RT_SEGMENTS ? find_segments(m, (uint32_t)count) : 0;
    if (first == 0)
        return RT_MEMORY_FULL;
    r->address = first << RT_SEGMENT_SHIFT;
    r->bytes = (uint32_t)bytes;
    if (bytes && !space_commit(m->base, r->address, r->bytes))
        return RT_MEMORY_HOST;
    for (uint32_t s = first; s < first + count; s++) {
        m->limits[s] = r->address + r->bytes;
        m->store_limits[s] = r->constant ? 0 : m->limits[s];
    }
    m->used += bytes;
    r->next = m->regions;
    r->link = &m->regions;
    if (r->next)
        r->next->link = &r->next;
    m->regions = r;
    return RT_MEMORY_OK;
}

void rt_region_close(struct rt_memory *m, struct rt_region *r)
{
    uint32_t first = r->address >> RT_SEGMENT_SHIFT, limit = r->address + r->bytes;
    for (uint32_t s = first; s < RT_SEGMENTS && m->limits[s] == limit; s++)
        m->limits[s] = m->store_limits[s] = 0;
    if (r->bytes)
        space_drop(m->base, r->address, r->bytes);
    m->used -= r->bytes;
    *r->link = r->next;
    if (r->next)
        r->next->link = r->link;
}

/* Addresses wrap around: a negative index may lead below 0. */
static uint32_t distance(const struct rt_region *r, uint32_t address)
{
    uint32_t offset = address - r->address, before = -offset, past = offset - r->bytes;
    return offset < r->bytes ? 0 : before < past ? before : past;
}

void rt_memory_digest(const struct rt_memory *m, struct rt_digest *d)
{
    for (const struct rt_region *r = m->regions; r; r = r->next)
        if (!r->constant)
            rt_digest_bytes(d, m->base + r->address, r->bytes);
}

const struct rt_region *rt_memory_nearest(const struct rt_memory *m, uint32_t address)
{
    const struct rt_region *best = NULL;
    for (const struct rt_region *r = m->regions; r; r = r->next)
        if (!best || distance(r, address) < distance(best, address))
            best = r;
    uint32_t from_null = address < -address ? address : -address;
    bool null = from_null >> RT_SEGMENT_SHIFT == 0 && best && from_null <= distance(best, address);
    return null ? NULL : best;
}
