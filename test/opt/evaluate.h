/* evaluate.h: what one thread computes: the plainest reading of the IR, to compare optimized code with. */
#ifndef KERNC_TEST_EVALUATE_H
#define KERNC_TEST_EVALUATE_H

#include "ir/ir.h"

#define MEMORY_BYTES 4096u /* of each space; addresses are taken modulo this */

struct evaluation {
    bool finished, trapped;         /* neither: out of fuel */
    uint64_t result, memory, trace; /* memory, trace: hashes; the trace is of effects with an order */
    uint64_t steps;
};
/* Runs the function on these argument bits; the warp is this thread alone. */
struct evaluation evaluate(const struct ir_function *f, const uint64_t *args, uint64_t seed, uint64_t fuel);

/* Who is told of each access: by the `step`-th instruction that the outermost function ran, which was r (a
 * call, if the access was in a callee), to which byte of which space. */
struct access_listener {
    void (*hear)(void *data, ir_ref r, uint64_t step, enum ir_type space, uint32_t byte, bool writes);
    void *data;
};
struct evaluation evaluate_listening(const struct ir_function *f, const uint64_t *args, uint64_t seed,
                                     uint64_t fuel, const struct access_listener *l);

#endif
