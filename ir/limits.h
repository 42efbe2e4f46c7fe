/* limits.h: the named limits of a module and of its text (limits.def) as constants. The parser reports what
 * goes beyond them (`limit`), the verifier what code builds beyond them (`limits`).
 */
#ifndef KERNC_IR_LIMITS_H
#define KERNC_IR_LIMITS_H

enum ir_limit {
#define LIMIT(name, value, what) name = value,
#include "ir/limits.def"
};
/* Threads of a block on every machine that runs a module: threads and warps have numbers below. */
enum { IR_MAX_BLOCK_THREADS = 4096 };

#endif
