/* space.c: see base/space.h. Pages have no protection here, and memory has 4 GiB in all: a space is but its
 * lowest ROOM bytes. Memory never shrinks, so a space that is closed is kept, all zero, for the next. Accesses
 * are checked by the interpreter. */
#include "base/space.h"

enum { ROOM = 256 << 20, SPACES = 8, WASM_PAGE_SHIFT = 16 };

static struct {
    uint8_t *base; /* NULL: not made yet */
    bool used;
    uint32_t top; /* behind the last byte that was committed */
} spaces[SPACES];

uint8_t *space_open(void)
{
    for (unsigned i = 0; i < SPACES; i++) {
        if (spaces[i].used)
            continue;
        if (!spaces[i].base) {
            size_t page = __builtin_wasm_memory_grow(0, ROOM >> WASM_PAGE_SHIFT);
            if (page == SIZE_MAX)
                return NULL;
            spaces[i].base = (uint8_t *)(page << WASM_PAGE_SHIFT);
        }
        spaces[i].used = true;
        return spaces[i].base;
    }
    return NULL;
}

static unsigned space_index(const uint8_t *space)
{
    unsigned i = 0;
    while (spaces[i].base != space)
        i++;
    return i;
}

void space_close(uint8_t *space)
{
    unsigned i = space_index(space);
    memset(space, 0, spaces[i].top);
    spaces[i].used = false;
    spaces[i].top = 0;
}

bool space_commit(uint8_t *space, uint32_t offset, uint32_t bytes)
{
    unsigned i = space_index(space);
    if (offset >= ROOM || bytes > ROOM - offset)
        return false;
    if (offset + bytes > spaces[i].top)
        spaces[i].top = offset + bytes;
    return true;
}

void space_write(uint8_t *to, const void *from, size_t bytes)
{
    memcpy(to, from, bytes);
}

void space_drop(uint8_t *space, uint32_t offset, uint32_t bytes)
{
    memset(space + offset, 0, bytes);
}
