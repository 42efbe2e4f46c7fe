/* unify_returns.c: one return for the whole function.
 *
 * Lanes that diverge at a branch and return at different places have no place to reconverge: with one ret,
 * in a block of its own, every branch from which the function can return has an immediate post-dominator.
 * Mode source-pc of the warp-core machine, the structured form and calls (whose lanes return together)
 * depend on it. Linear.
 */
#include "opt/pass.h"

bool opt_unify_returns(struct opt_context *c, struct ir_function *f)
{
    bool changed = opt_return_once(c->scratch, opt_cfg(c, f), f);
    opt_count(c, "functions", changed);
    return changed;
}
