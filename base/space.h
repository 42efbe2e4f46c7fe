/* space.h: 4 GiB of host addresses, of which parts are memory. */
#ifndef KERNC_BASE_SPACE_H
#define KERNC_BASE_SPACE_H

#include "base/base.h"

/* Aligned to a page; nothing of it is memory. NULL: the host has no such addresses left. */
uint8_t *space_open(void);
void space_close(uint8_t *space);
/* Makes the bytes from `offset` on, which is a whole page, memory, all zero. False: the host has none. */
bool space_commit(uint8_t *space, uint32_t offset, uint32_t bytes);
/* Copies into what was committed; the pages come by one call of the host instead of a fault each. */
void space_write(uint8_t *to, const void *from, size_t bytes);
/* Gives back what was committed. */
void space_drop(uint8_t *space, uint32_t offset, uint32_t bytes);

#endif
