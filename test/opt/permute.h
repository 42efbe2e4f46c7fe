/* permute.h: a consumer of the program dependence graph that knows nothing else: it moves instructions at
 * random as far as the graph lets it. What it makes of a program has to compute the same.
 */
#ifndef KERNC_TEST_PERMUTE_H
#define KERNC_TEST_PERMUTE_H

#include "ir/analysis/pdg.h"

/* Moves instructions up to blocks of the same control dependences, then permutes each block. Convergent
 * operations keep their order in their block. Returns how many instructions have another place than
 * before. */
uint32_t permute(struct ir_function *f, uint64_t seed);

#endif
