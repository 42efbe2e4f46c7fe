/* direct_calls.c: a call through a pointer to a known function becomes a call of that function, which may then
 * be inlined. Known are the address of a function, and what constant data holds at a known place: an entry of a
 * table of functions. A pointer to no function of the call's type is left, to trap. Linear.
 */
#include "opt/pass.h"
#include "opt/scalar/simplify.h"

/* The pointer's bits: the function's number, plus 1 (docs/ir.md). */
static bool is_known(const struct ir_function *f, ir_ref pointer, scalar_bits *bits)
{
    while (ir_at(f, pointer)->op == IR_ptrcast)
        pointer = ir_at(f, pointer)->args[0];
    const struct ir_ins *ins = ir_at(f, pointer);
    *bits = (uint64_t)ins->imm + 1;
    return ins->op == IR_function || ir_is_const(f, pointer, bits) ||
           (ins->op == IR_load && opt_constant_load(f, ins, bits));
}

static bool make_direct(struct ir_function *f, struct ir_ins *call)
{
    const struct ir_module *m = f->module;
    scalar_bits bits;
    if (!is_known(f, call->args[0], &bits) || bits == 0 || bits > m->functions.count ||
        !ir_may_call(&m->signatures.at[call->imm], m->functions.at[bits - 1]))
        return false;
    call->op = IR_call;
    call->imm = (int64_t)bits - 1;
    call->argc--;
    call->args++;
    return true;
}

bool opt_direct_calls(struct opt_context *c, struct ir_function *f)
{
    uint32_t made = 0;
    ir_each_block(i, b, f)
        ir_each_ins(r, f, b)
            if (ir_at(f, r)->op == IR_icall)
                made += make_direct(f, ir_at(f, r));
    opt_count(c, "calls", made);
    return made;
}
