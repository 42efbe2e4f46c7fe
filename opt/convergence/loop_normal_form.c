/* loop_normal_form.c: loops whose threads may leave in different iterations get one way out.
 *
 * For the warp-core machine in mode source-pc (docs/warp-core.md). Its stack entry names the branch that
 * separated the lanes: lanes that leave a loop wait in the entry of the exit branch, which is the top one
 * again in each iteration if there is one such branch, on every path to the next iteration, and if the lanes
 * wait at the place itself where they reconverge. So each loop that threads may leave apart, or in which
 * they may reconverge in different iterations, gets
 *
 *   - one latch, whose branch is the only way out (of those that lead to a ret), taken
 *   - behind it a block of its own, the landing, without parameters
 *
 * by a cut (cut_loops.c). A loop that has the form but for the landing keeps its branch, wherever it stands.
 * Irreducible cycles get a header first, and a latch if threads leave them for good alone (latch.c).
 *
 * No convergent operation is copied or moved; blocks of an extended cycle (a token of the loop is used there)
 * come to lie before the latch.
 *
 * Threads that leave for good (ir/analysis/leaving.c) go the same way out as the others, behind them. Other
 * machines could not run these threads before a barrier of the others any more, so for them such kernels stay.
 */
#include "opt/kit/cut.h"
#include "opt/kit/merge_edges.h"

static bool lower_switches(struct ir_function *f)
{
    bool any = false;
    for (uint32_t i = 0, n = f->order.count; i < n; i++) {
        any |= ir_at(f, ir_terminator(f, f->order.at[i]))->op == IR_switch;
        opt_switch_to_tests(f, f->order.at[i]);
    }
    return any;
}

static bool some_leave(struct opt_context *c, struct ir_function *f)
{
    const struct bitset part = opt_leaving(c, f)->part;
    return bitset_next(part, 0) != part.bits;
}

bool opt_loop_normal_form(struct opt_context *c, struct ir_function *f)
{
    if (c->options->target != TARGET_warp_core && some_leave(c, f)) {
        opt_remark(c, f, OPT_MISSED, "leaving", f->at, "some threads return while others come to a barrier");
        return false;
    }
    bool changed = false, fits = opt_make_reducible(c, f, &changed);
    if (changed && opt_unify_latches(c, f)) /* a cycle may have one entry only now */
        opt_invalidate(c, f);
    changed |= lower_switches(f);
    if (!fits || !opt_cut_loops(c, f, (struct opt_loop_form){.landing = true}, &changed))
        opt_remark(c, f, OPT_MISSED, "too-large", f->at, "control flow too large for loop normal form");
    return changed;
}
