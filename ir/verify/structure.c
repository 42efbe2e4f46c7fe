/* structure.c: whether a function's lists and numbers agree, so that walking them is safe. */
#include "ir/verify/verify.h"

static bool wrong(struct verifier *v, const char *what, uint32_t number)
{
    ir_rule_broken(v, IR_RULE_STRUCTURE, v->fn->at, what, number);
    return false;
}

static bool is_live(const struct ir_function *f, uint32_t b)
{
    return b < f->blocks.count && !f->blocks.at[b].removed;
}

static bool check_order(struct verifier *v)
{
    const struct ir_function *f = v->fn;
    struct bitset seen = bitset_new(v->scratch, f->blocks.count);
    for (uint32_t i = 0; i < f->order.count; i++) {
        uint32_t b = f->order.at[i];
        if (!is_live(f, b) || bitset_has(seen, b))
            return wrong(v, "the order has block %u twice, or it is gone", b);
        bitset_add(seen, b);
    }
    for (uint32_t b = 0; b < f->blocks.count; b++)
        if (is_live(f, b) && !bitset_has(seen, b))
            return wrong(v, "the order lacks block %u", b);
    return true;
}

static bool check_params(struct verifier *v, uint32_t b)
{
    const u32_vec *params = &ir_block_at(v->fn, b)->params;
    for (uint32_t i = 0; i < params->count; i++) {
        ir_ref r = params->at[i];
        const struct ir_ins *ins = r < v->fn->ins.count ? ir_at(v->fn, r) : NULL;
        if (!ins || ins->op != IR_param || ins->block != b || ins->imm != i || ins->type >= IR_TYPES)
            return wrong(v, "a parameter of block %u is none", b);
        bitset_add(v->values, r);
    }
    return true;
}

static bool in_tables(const struct ir_ins *ins)
{
    return ins->op < IR_OPS && ins->op != IR_none && ins->op != IR_constant && ins->op != IR_param &&
           ins->type < IR_TYPES && ins->mem < IR_MEMS && (ins->args || !ins->argc);
}

/* Links, owners and positions; a list that runs in a circle comes to one whose `prev` is another. */
static bool check_list(struct verifier *v, uint32_t b)
{
    const struct ir_function *f = v->fn;
    const struct ir_block *block = ir_block_at(f, b);
    ir_ref prev = 0;
    uint32_t position = 0;
    for (ir_ref r = block->first; r; prev = r, r = ir_at(f, r)->next) {
        if (r >= f->ins.count || ir_at(f, r)->block != b || ir_at(f, r)->prev != prev ||
            !in_tables(ir_at(f, r)))
            return wrong(v, "an instruction of block %u is not where it says, or is none", b);
        v->position[r] = position++;
        if (ir_at(f, r)->type != IR_TYPE_VOID)
            bitset_add(v->values, r);
    }
    return block->last == prev || wrong(v, "block %u does not end at its last instruction", b);
}

static bool check_refs(struct verifier *v, uint32_t n, const ir_ref *refs, uint32_t user)
{
    for (uint32_t i = 0; i < n; i++) {
        if (refs[i] >= v->fn->ins.count || !bitset_has(v->values, refs[i])) {
            ir_rule_broken(v, IR_RULE_OPERAND, ir_at(v->fn, user)->at,
                           "instruction %u (%s) uses %u, which is no value", user,
                           ir_op_info[ir_at(v->fn, user)->op].text, refs[i]);
            return false;
        }
    }
    return true;
}

static bool check_edges(struct verifier *v, uint32_t b)
{
    const struct ir_block *block = ir_block_at(v->fn, b);
    if (block->reconverge < IR_AT_RETURN && !is_live(v->fn, block->reconverge))
        return wrong(v, "block %u reconverges at a block that is gone", b);
    if (block->frontier != IR_NO_BLOCK && !is_live(v->fn, block->frontier))
        return wrong(v, "the frontier of block %u begins at a block that is gone", b);
    for (uint32_t i = 0; i < block->edges.count; i++) {
        const struct ir_edge *e = &block->edges.at[i];
        if (!is_live(v->fn, e->block) || (e->argc && !e->args))
            return wrong(v, "an edge of block %u leads to a block that is gone", b);
        if (!check_refs(v, e->argc, e->args, block->last))
            return false;
    }
    return true;
}

static bool check_operands(struct verifier *v, uint32_t b)
{
    const struct ir_function *f = v->fn;
    ir_each_ins(r, f, b) {
        const struct ir_ins *ins = ir_at(f, r);
        if (!check_refs(v, ins->argc, ins->args, r) || (ins->token && !check_refs(v, 1, &ins->token, r)))
            return false;
    }
    return check_edges(v, b);
}

static bool within(struct verifier *v, uint64_t count, uint64_t limit, const char *what)
{
    if (count <= limit)
        return true;
    ir_rule_broken(v, IR_RULE_LIMITS, v->fn->at, "more than %llu %s", (unsigned long long)limit, what);
    return false;
}

static bool check_limits(struct verifier *v)
{
    const struct ir_function *f = v->fn;
    return within(v, f->predictions, IR_MAX_PREDICTIONS, "predictions (IR_MAX_PREDICTIONS)") &&
           within(v, ir_block_at(f, ir_entry(f))->params.count, IR_MAX_ARGS, "parameters (IR_MAX_ARGS)");
}

static void collect_constants(struct verifier *v)
{
    for (ir_ref r = 1; r < v->fn->ins.count; r++)
        if (ir_at(v->fn, r)->op == IR_constant && ir_at(v->fn, r)->type < IR_TYPES)
            bitset_add(v->values, r);
}

bool ir_verify_structure(struct verifier *v)
{
    const struct ir_function *f = v->fn;
    v->values = bitset_new(v->scratch, f->ins.count);
    v->position = arena_array(v->scratch, uint32_t, f->ins.count);
    collect_constants(v);
    if (f->order.count == 0) {
        ir_rule_broken(v, IR_RULE_NO_BLOCKS, f->at, "the function has no block");
        return false;
    }
    if (!check_order(v) || !check_limits(v))
        return false;
    ir_each_block(i, b, f)
        if (!check_params(v, b) || !check_list(v, b))
            return false;
    ir_each_block(i, b, f)
        if (!check_operands(v, b))
            return false;
    return true;
}
