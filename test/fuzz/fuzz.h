/* fuzz.h: what the fuzz targets share: running whatever compiled, within narrow limits. */
#ifndef KERNC_TEST_FUZZ_H
#define KERNC_TEST_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Loads the bytes of a compiled program and launches each of its kernels in warps of this width, with small
 * buffers and little fuel. Any status will do; what must not happen is a crash. */
void fuzz_run_program(const void *bytes, size_t size, unsigned warp);
/* The same in a context that is there already: faster. */
struct kernc_context;
void fuzz_run_within(struct kernc_context *ctx, const void *bytes, size_t size, unsigned warp);

#endif
