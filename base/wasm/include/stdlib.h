/* stdlib.h: that of wasi-libc, and what it lacks (libc.c). */
#include_next <stdlib.h>

#ifndef KERNC_WASM_STDLIB_H
#define KERNC_WASM_STDLIB_H
void qsort_r(void *at, size_t n, size_t size, int (*compare)(const void *, const void *, void *), void *data);
/* The path as it is: there are no links. */
char *realpath(const char *path, char *to);
#endif
