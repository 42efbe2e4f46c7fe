/* programs.h: how many random programs, modules or graphs a suite tries. */
#ifndef KERNC_TEST_PROGRAMS_H
#define KERNC_TEST_PROGRAMS_H

#include <stdint.h>
#include <stdlib.h>

/* $KERNC_TEST_PROGRAMS of them, as sanitizer builds ask for, or else as many as is usual. */
static inline uint32_t test_programs(uint32_t usual)
{
    const char *n = getenv("KERNC_TEST_PROGRAMS");
    return n ? (uint32_t)strtoul(n, NULL, 10) : usual;
}

#endif
