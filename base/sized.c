/* sized.c: structs that begin with their size, see base.h. */
#include "base/base.h"

#include <string.h>

static size_t size_of(const void *callers)
{
    size_t size;
    memcpy(&size, callers, sizeof size);
    return size;
}

void sized_read(void *to, size_t n, const void *callers)
{
    size_t size = size_of(callers);
    memcpy(to, callers, size < n ? size : n);
}

bool sized_write(void *callers, const void *from, size_t n)
{
    size_t size = size_of(callers);
    if (size < sizeof size)
        return false;
    n = size < n ? size : n;
    memcpy((char *)callers + sizeof size, (const char *)from + sizeof size, n - sizeof size);
    return true;
}
