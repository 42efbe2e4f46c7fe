/* fuzz.h: what the fuzz targets share: running whatever compiled, within narrow limits. */
#ifndef KERNC_TEST_FUZZ_H
#define KERNC_TEST_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Loads the bytes of a compiled program and launches each of its kernels in warps of this width, with the
 * arguments that the program's launches give where these are small, and little fuel. Any status will do; what
 * must not happen is a crash. False: the program is refused. */
bool fuzz_run_program(const void *bytes, size_t size, unsigned warp);
/* The same in a context that is there already: faster. */
struct kernc_context;
bool fuzz_run_within(struct kernc_context *ctx, const void *bytes, size_t size, unsigned warp);
/* One for such runs: with little memory, printing nothing. NULL: there is no memory. */
struct kernc_context *fuzz_context(void);
/* IR text: refused, or it prints to a text that reads as the same, and compiles for the scheme and runs, as
 * it is and optimised. Aborts where that is not so. False: it is refused. */
bool fuzz_try_ir(struct kernc_context *ctx, const void *text, size_t size, const char *scheme);

/* Aborts if the compiler has refused what it has made itself. */
struct kernc_result;
void fuzz_no_internal_error(struct kernc_result *r);

#endif
