/* space.c: see space.h. Addresses are reserved once; pages of them are made accessible, and reserved anew. */
#include "base/space.h"

#include <sys/mman.h>
#include <unistd.h>

#define SPACE_BYTES ((size_t)1 << 32)

static void *reserve(void *at, size_t bytes)
{
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (at ? MAP_FIXED : 0);
    void *p = mmap(at, bytes, PROT_NONE, flags, -1, 0);
    if (p != MAP_FAILED)
        mem_prefer_huge_pages(p, bytes);
    return p;
}

static size_t page_round(uint32_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return ((size_t)bytes + page - 1) / page * page;
}

uint8_t *space_open(void)
{
    void *p = reserve(NULL, SPACE_BYTES);
    return p == MAP_FAILED ? NULL : p;
}

void space_close(uint8_t *space)
{
    munmap(space, SPACE_BYTES);
}

bool space_commit(uint8_t *space, uint32_t offset, uint32_t bytes)
{
    return mprotect(space + offset, page_round(bytes), PROT_READ | PROT_WRITE) == 0;
}

void space_write(uint8_t *to, const void *from, size_t bytes)
{
#ifdef MADV_POPULATE_WRITE
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), begin = (uintptr_t)to / page * page;
    if (bytes > 4 * page)
        madvise((void *)begin, (uintptr_t)to + bytes - begin, MADV_POPULATE_WRITE);
#endif
    memcpy(to, from, bytes);
}

void space_drop(uint8_t *space, uint32_t offset, uint32_t bytes)
{
    reserve(space + offset, page_round(bytes));
}
