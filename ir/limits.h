/* limits.h: the named limits of a module and of its text (limits.def) as constants. The parser reports what
 * goes beyond them (`limit`), the verifier what code builds beyond them (`limits`).
 */
#ifndef KERNC_IR_LIMITS_H
#define KERNC_IR_LIMITS_H

enum ir_limit {
#define LIMIT(name, value, what) name = value,
#include "ir/limits.def"
};
/* Threads of a block, and blocks of a grid, on every machine that runs a module: threads and warps have numbers
 * below the first. */
enum { IR_MAX_BLOCK_THREADS = 4096, IR_MAX_GRID_BLOCKS = 2147483647 };

#endif
