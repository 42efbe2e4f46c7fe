/* shapes.h: kernels of one shape each in any size, for compile time and memory against size (scale.c). */
#ifndef KERNC_BENCH_SHAPES_H
#define KERNC_BENCH_SHAPES_H

#include "base/base.h"

struct bench_shape {
    const char *name, *unit; /* unit: what the size counts */
    uint32_t size;           /* the least of three: this, twice and four times as much */
    void (*add)(struct text *t, uint32_t n);
};
#define BENCH_SHAPES 17
extern const struct bench_shape bench_shapes[BENCH_SHAPES];

#endif
