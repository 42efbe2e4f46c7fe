/* isolated.h: trials in a process of their own, so that one that crashes or hangs is known by its number. */
#ifndef KERNC_TEST_ISOLATED_H
#define KERNC_TEST_ISOLATED_H

#include "base/base.h"

/* Written by the child, read by its parent. */
struct isolated {
    uint32_t at, taken;
};
/* Adds to `taken` if its input was accepted. */
typedef void isolated_trial(void *data, uint32_t n, struct isolated *a);
/* Runs trials first … end - 1. True: all have come to their end. Else a->at is the trial that has not, and
 * `why` says how it ended. */
bool isolated_run(struct isolated *a, uint32_t first, uint32_t end, isolated_trial *trial, void *data,
                  char *why, size_t size);

#endif
