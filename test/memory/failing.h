/* failing.h: what a program takes from its host fails, all of it in turn: memory, its own and that of the
 * C library and of libpng and libffi; mappings, threads. A program that is linked with failing.c has these
 * functions in place of the C library's (sanitizers' stay behind them).
 */
#ifndef KERNC_TEST_MEMORY_FAILING_H
#define KERNC_TEST_MEMORY_FAILING_H

#include <stdbool.h>

/* The k-th request from now fails, with `onwards` all behind it as well; k = 0: none, they are only
 * counted. */
void failing_begin(long k, bool onwards);
/* None fails any more. How many there were. */
long failing_end(void);

#endif
