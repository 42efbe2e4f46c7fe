/* page_random.h: random straight assembly that uses every instruction of the page's tables. */
#ifndef KERNC_TEST_PAGE_RANDOM_H
#define KERNC_TEST_PAGE_RANDOM_H

#include "test/warpcore/page.h"

/* A program with a launch, of several blocks and up to 12 warps each, that ends without a fault: operations on
 * random registers, accesses within a buffer, shared and private memory, divergent branches, barriers, yields,
 * early exits; at the end each thread stores its registers. The same for the same seed. */
void page_random_assembly(const struct page_tables *t, uint64_t seed, struct text *out);

#endif
