/* memory.h: the global address space of a context: 4 GiB of reserved host memory, addressed by 32 bits.
 *
 * The space is cut into segments of 1 MiB. A region (buffer or constant data) begins on a segment, owns the
 * segments it touches, and is followed by one that nothing owns. limits[s] is the end address of the region
 * that owns segment s, 0 if none does, so an access is valid iff
 *     address + bytes <= limits[address >> 20]      (in 64 bits)
 * Segment 0 (null) and those from RT_LAST_SEGMENT on are never owned: the import has numbers there for
 * addresses of other memories (import/spaces.h). store_limits is the same for stores: 0 for constant data.
 */
#ifndef KERNC_RT_MEMORY_H
#define KERNC_RT_MEMORY_H

#include "base/base.h"

enum { RT_SEGMENT_SHIFT = 20, RT_SEGMENTS = 4096, RT_LAST_SEGMENT = 0xffb };

struct rt_digest;
struct rt_region {
    const char *name; /* owned; NULL: none */
    uint32_t address;
    uint32_t bytes;
    uint32_t element_bytes; /* of what the launch's parameter points to; 0: not known */
    bool constant;
    struct rt_region *next, **link; /* of rt_memory.regions */
};

struct rt_memory {
    uint8_t *base; /* host address of address 0 */
    struct rt_region *regions;
    uint64_t used, limit; /* bytes */
    uint32_t limits[RT_SEGMENTS], store_limits[RT_SEGMENTS];
};

bool rt_memory_open(struct rt_memory *m, uint64_t limit); /* false: the host refuses */
void rt_memory_close(struct rt_memory *m);                /* regions too */

enum rt_memory_result { RT_MEMORY_OK, RT_MEMORY_LIMIT, RT_MEMORY_FULL, RT_MEMORY_HOST };
/* Zeroed memory, owned by `r`, which the caller allocated zeroed with name and constant set. LIMIT: over the
 * limit of bytes; FULL: no room for it among the addresses; HOST: out of memory. */
enum rt_memory_result rt_region_open(struct rt_memory *m, struct rt_region *r, uint64_t bytes);
/* Gives its memory back to the host; `r` itself and its name are the caller's. Not for one that is not
 * open. */
void rt_region_close(struct rt_memory *m, struct rt_region *r);

/* Adds the bytes of all regions but constant data. */
void rt_memory_digest(const struct rt_memory *m, struct rt_digest *d);

/* Region nearest to an address; NULL: the null pointer is nearer, less than a segment away, or there is no
 * region. */
const struct rt_region *rt_memory_nearest(const struct rt_memory *m, uint32_t address);

#endif
