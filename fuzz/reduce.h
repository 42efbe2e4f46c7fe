/* reduce.h: what the reducers of trees (reduce.c) and of modules (reduce_module.c) share. */
#ifndef KERNC_FUZZ_REDUCE_H
#define KERNC_FUZZ_REDUCE_H

#include "fuzz/fuzz.h"

struct fz_reducer {
    struct fz_program *p;
    fz_still_fails *fails;
    void *data;
    uint32_t tries;
    bool changed; /* something smaller failed as well */
};

/* Whether the program as it is now still fails; false too once the tries are used up. */
bool fz_reduce_try(struct fz_reducer *r);
/* One pass over a program of class e. */
void fz_reduce_module(struct fz_reducer *r);
/* One pass over a program of class g. */
void fz_reduce_sequence(struct fz_reducer *r);

#endif
