/* random_ir.h: random modules as a frontend would lower them: variables in memory, structured and goto
 * control flow. */
#ifndef KERNC_TEST_RANDOM_IR_H
#define KERNC_TEST_RANDOM_IR_H

#include "ir/ir.h"

/* The last function is i64 (ptr.global, i32, i32); the same seed gives the same module. `shares`: it accesses
 * shared memory too. */
struct ir_module *random_module(uint64_t seed, bool shares);

#endif
