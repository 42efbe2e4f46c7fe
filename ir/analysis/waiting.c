/* waiting.c: which functions, and calls, may lead to a barrier.
 *
 * A round looks at all instructions of functions that are not found yet; there are as many rounds as calls are
 * nested on the way to a barrier, and one if no function has a barrier.
 */
#include "ir/analysis/analysis.h"

static bool has_barrier(const struct ir_function *f)
{
    ir_each_block(i, b, f)
        ir_each_ins(r, f, b)
            if (ir_at(f, r)->op == IR_barrier)
                return true;
    return false;
}

bool ir_call_may_wait(const struct ir_function *f, ir_ref r, struct bitset waiting)
{
    const struct ir_ins *ins = ir_at(f, r);
    if (ins->op == IR_call)
        return bitset_has(waiting, ins->imm);
    if (ins->op != IR_icall)
        return false;
    bitset_each(i, waiting)
        if (ir_may_call(&f->module->signatures.at[ins->imm], f->module->functions.at[i]))
            return true;
    return false;
}

static bool calls_waiting(const struct ir_function *f, struct bitset waiting)
{
    ir_each_block(i, b, f)
        ir_each_ins(r, f, b)
            if (ir_call_may_wait(f, r, waiting))
                return true;
    return false;
}

struct bitset ir_waiting_functions(struct arena *a, const struct ir_module *m)
{
    struct bitset waiting = bitset_new(a, m->functions.count);
    bool again = false;
    for (uint32_t i = 0; i < m->functions.count; i++)
        if (!(m->functions.at[i]->flags & IR_FN_KERNEL) && has_barrier(m->functions.at[i])) {
            bitset_add(waiting, i);
            again = true;
        }
    while (again) {
        again = false;
        for (uint32_t i = 0; i < m->functions.count; i++)
            if (!(m->functions.at[i]->flags & IR_FN_KERNEL) && !bitset_has(waiting, i) &&
                calls_waiting(m->functions.at[i], waiting)) {
                bitset_add(waiting, i);
                again = true;
            }
    }
    return waiting;
}
