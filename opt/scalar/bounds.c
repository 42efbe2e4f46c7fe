/* bounds.c: removes assertions that the ranges of integers prove, above all that an index is within its
 * array.
 *
 * W. Harrison, "Compiler analysis of the value ranges for variables" (1977). An assertion before bounds those
 * behind it: of two equal ones the first is enough. One that may fail stays, whether or not the access it
 * guards does. Nothing is done for a function without assertions.
 */
#include "opt/pass.h"

static void find_assertions(struct opt_context *c, struct ir_function *f, u32_vec *found)
{
    const struct ir_cfg *g = opt_cfg(c, f);
    for (uint32_t i = 0; i < g->rpo_count; i++)
        ir_each_ins(r, f, g->rpo[i])
            if (ir_at(f, r)->op == IR_assert)
                vec_push(c->scratch, found, r);
}

bool opt_bounds(struct opt_context *c, struct ir_function *f)
{
    u32_vec assertions = {0};
    find_assertions(c, f, &assertions);
    if (!assertions.count)
        return false;
    const struct ir_ranges *g = opt_ranges(c, f);
    uint32_t n = 0;
    for (uint32_t i = 0; i < assertions.count; i++) {
        ir_ref r = assertions.at[i];
        if (!ir_is_true_at(g, ir_at(f, r)->args[0], r))
            continue;
        ir_remove(f, r);
        n++;
    }
    opt_count(c, "assertions proved", n);
    return n != 0;
}
