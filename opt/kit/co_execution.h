/* co_execution.h: whether threads that execute a convergent operation in one block do so in another one.
 *
 * "Convergent Operation Semantics", Hoisting and sinking: a convergent operation may be moved across branches
 * that are uniform in every set of threads that could take part, since the sets stay what they were.
 */
#ifndef KERNC_OPT_CO_EXECUTION_H
#define KERNC_OPT_CO_EXECUTION_H

#include "opt/pass.h"

struct opt_co_execution {
    struct opt_context *c;
    struct ir_function *f;
    const struct ir_cfg *g;
    const struct ir_cycles *cycles;
    const struct ir_uniformity *uniformity; /* NULL: the function has no convergent value */
    u32_vec seen;                           /* by block: number of the last question it was looked at for */
    uint32_t question;
};
/* Of the function as it is now: asks for the analyses cfg, cycles and uniformity. Later answers hold as long
 * as blocks and edges stay, and values are replaced by equal ones only. */
struct opt_co_execution opt_co_execution_new(struct opt_context *c, struct ir_function *f);
/* Whether all threads with one instance of the token (0: all that run the block together) go the same way. To
 * be asked for the sake of a convergent value. */
bool opt_branch_is_uniform(struct opt_co_execution *t, uint32_t block, ir_ref token);
#define OPT_TOGETHER_MAX 64u
/* Whether of the threads with one instance of the token all that run `from` together run `to` in the same
 * iteration, or none of them does; `from` dominates `to`. Looks at OPT_TOGETHER_MAX blocks between them at
 * most; false beyond. */
bool opt_co_execute(struct opt_co_execution *t, uint32_t from, uint32_t to, ir_ref token);

#endif
