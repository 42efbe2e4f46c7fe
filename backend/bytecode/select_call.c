/* select_call.c: calls, returns, and the operations that take a list of operands.
 *
 * Arguments go straight into the callee's parameter registers, the result comes back in a register of the
 * callee's frame; of calls through pointers, and of functions that may be called so, both are in the
 * signature's frame.
 */
#include "backend/bytecode/select.h"

static uint32_t call_token(struct be_selector *s, const struct ir_ins *ins)
{
    return scheme_has(s->c->scheme, SCHEME_TOKENS) && ins->token ? be_lanes(s, ins->token) : 0;
}

static void pass_arguments(struct be_selector *s, uint32_t node, uint32_t n, const ir_ref *args)
{
    for (uint32_t i = 0; i < n; i++) {
        enum ir_type t = (enum ir_type)ir_at(s->ir, args[i])->type;
        be_put_move(s, be_foreign(s->c, s->f, t, node, BE_ARGUMENT + i), args[i]);
    }
}

/* Where a function's result is. */
static uint32_t result_node(const struct be_context *c, uint32_t function)
{
    const struct be_function *f = c->functions[function];
    return f->signature == BE_NONE ? function : be_signature_node(c, f->signature);
}

/* Nothing reads the truth value but the branch that follows the call, as it does where a function throws. */
static bool only_branches(const struct be_selector *s, ir_ref r)
{
    const struct ir_ins *ins = ir_at(s->ir, r), *next = ir_at(s->ir, ins->next);
    return s->uses[r] == 1 && ins->next == ir_terminator(s->ir, ins->block) && next->op == IR_brif &&
           next->args[0] == r && !be_uniform(s, r);
}

/* Behind the call: lanes may come back in any groups. A branch that follows at once reads the result where the
 * callee left it: no lane can have called again. */
static void fetch_result(struct be_selector *s, ir_ref r, uint32_t node)
{
    const struct ir_ins *ins = ir_at(s->ir, r);
    be_switch_point(s);
    if (ins->type == IR_TYPE_VOID)
        return;
    enum ir_type t = (enum ir_type)ins->type;
    uint32_t from = be_foreign(s->c, s->f, t, node, BE_RESULT);
    if (only_branches(s, r)) {
        s->lanes[r] = from;
        return;
    }
    struct be_word *w = be_put(s, (enum bc_op)(BC_mov_v + be_kind(t)), be_define(s, r), from, 0, 0);
    w->cycles = ir_latency_cycles[IR_LAT_ALU];
    w->effect = false;
}

void be_select_call(struct be_selector *s, ir_ref r)
{
    const struct ir_ins *ins = ir_at(s->ir, r);
    uint32_t callee = (uint32_t)ins->imm, token = call_token(s, ins);
    pass_arguments(s, callee, ins->argc, ins->args);
    uint32_t slot = be_foreign(s->c, s->f, IR_TYPE_I32, callee, BE_SLOT);
    be_put(s, BC_call, slot, 0, 0, token)->imm = callee;
    fetch_result(s, r, result_node(s->c, callee));
}

void be_select_icall(struct be_selector *s, ir_ref r)
{
    const struct ir_ins *ins = ir_at(s->ir, r);
    uint32_t signature = be_signature(s->c, (uint32_t)ins->imm), node = be_signature_node(s->c, signature);
    uint32_t token = call_token(s, ins), pointer = be_lanes(s, ins->args[0]);
    pass_arguments(s, node, ins->argc - 1, ins->args + 1);
    uint32_t slot = be_foreign(s->c, s->f, IR_TYPE_I32, node, BE_SLOT);
    be_put(s, BC_icall, slot, pointer, token, 0)->imm =
        bc_signature(signature, s->c->m->signatures.at[ins->imm].convergent);
    fetch_result(s, r, node);
}

uint32_t be_find_successor(struct be_selector *s)
{
    bool two = s->f->frontiers && !s->f->kernel && s->ir->result == IR_TYPE_I1;
    return two ? be_foreign(s->c, s->f, IR_TYPE_I1, result_node(s->c, s->f->id), BE_RESULT) : 0;
}

/* The lanes go on where the branch behind the call leads. */
static void return_to_successors(struct be_selector *s, ir_ref value, uint32_t slot)
{
    const struct ir_ins *ins = ir_at(s->ir, value);
    if (ins->op == IR_constant) {
        be_put(s, ins->imm & 1 ? BC_ret_true : BC_ret_false, s->f->successor, slot, 0, 0);
        return;
    }
    uint32_t mask = be_uniform(s, value) ? s->f->successor : be_lanes(s, value);
    if (mask == s->f->successor)
        be_put_move(s, mask, value);
    be_put(s, BC_ret_m, s->f->successor, slot, mask, 0);
}

void be_select_return(struct be_selector *s, ir_ref r)
{
    const struct ir_ins *ins = ir_at(s->ir, r);
    if (s->f->kernel) {
        be_put(s, BC_exit, 0, 0, 0, 0);
        return;
    }
    if (s->f->successor) {
        return_to_successors(s, ins->args[0], be_foreign(s->c, s->f, IR_TYPE_I32, s->f->id, BE_SLOT));
        return;
    }
    if (ins->argc && (be_uniform(s, ins->args[0]) || be_lanes(s, ins->args[0]) != s->f->result)) {
        enum ir_type t = (enum ir_type)ir_at(s->ir, ins->args[0])->type;
        be_put_move(s, be_foreign(s->c, s->f, t, result_node(s->c, s->f->id), BE_RESULT), ins->args[0]);
    }
    be_put(s, BC_ret, 0, be_foreign(s->c, s->f, IR_TYPE_I32, s->f->id, BE_SLOT), 0, 0);
}

void be_select_listed(struct be_selector *s, ir_ref r)
{
    const struct ir_ins *ins = ir_at(s->ir, r);
    struct arena *a = &s->c->arena;
    uint32_t first = s->f->operands.count;
    for (uint32_t i = 0; i < ins->argc; i++) {
        ir_ref arg = ins->args[i];
        uint32_t reg = be_uniform(s, arg) ? be_scalar(s, arg) : be_lanes(s, arg);
        vec_push(a, &s->f->operands, reg);
        vec_push(a, &s->f->operand_types, (uint8_t)be_value_type((enum ir_type)ir_at(s->ir, arg)->type));
    }
    uint32_t d = ins->type == IR_TYPE_VOID ? 0 : be_define(s, r);
    struct be_word *w = be_put(s, ins->op == IR_printf ? BC_printf : BC_hostcall, d, ins->argc, first, 0);
    w->imm = (uint32_t)ins->imm;
}
