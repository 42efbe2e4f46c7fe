/* select_values.c: which register holds a value: one that the runtime fills in before the warp runs, a
 * scalar, or lanes (select.h).
 */
#include "backend/bytecode/select.h"

ir_ref be_strip_casts(const struct be_selector *s, ir_ref r)
{
    while (ir_at(s->ir, r)->op == IR_ptrcast)
        r = ir_at(s->ir, r)->args[0];
    return r;
}

bool be_known(const struct be_selector *s, ir_ref r, uint64_t *bits)
{
    r = be_strip_casts(s, r);
    const struct ir_ins *ins = ir_at(s->ir, r);
    switch (ins->op) {
    case IR_constant: *bits = (uint64_t)ins->imm; return true;
    case IR_function: *bits = (uint64_t)ins->imm + 1; return true;
    case IR_alloca: *bits = s->c->frames[s->f->id].private_base + s->f->allocas[r]; return true;
    case IR_object:
        *bits = s->c->objects.address[ins->imm];
        return ins->type == IR_TYPE_SHARED && !s->c->m->objects.at[ins->imm].unit;
    default: return false;
    }
}

static bool is_kernel_param(const struct be_selector *s, const struct ir_ins *ins)
{
    return ins->op == IR_param && s->f->kernel && ins->block == ir_entry(s->ir);
}

static bool is_special(const struct be_selector *s, ir_ref r, uint64_t special)
{
    const struct ir_ins *ins = ir_at(s->ir, r);
    return ins->op == IR_special && (uint64_t)ins->imm == special;
}

/* Whether a and b are the operands, in some order. */
static bool are_specials(const struct be_selector *s, const struct ir_ins *ins, uint64_t a, uint64_t b)
{
    return (is_special(s, ins->args[0], a) && is_special(s, ins->args[1], b)) ||
           (is_special(s, ins->args[0], b) && is_special(s, ins->args[1], a));
}

/* blockIdx.d * blockDim.d + threadIdx.d, with which most kernels begin: the runtime fills it in. */
bool be_is_grid_index(const struct be_selector *s, ir_ref r, uint64_t *d)
{
    const struct ir_ins *sum = ir_at(s->ir, r);
    if (sum->op != IR_add)
        return false;
    for (uint32_t k = 0; k < 2; k++) {
        const struct ir_ins *index = ir_at(s->ir, sum->args[k]), *product = ir_at(s->ir, sum->args[1 - k]);
        *d = (uint64_t)index->imm - IR_SPECIAL_TID_X;
        if (index->op == IR_special && *d < 3 && product->op == IR_mul &&
            are_specials(s, product, IR_SPECIAL_BID_X + *d, IR_SPECIAL_BDIM_X + *d))
            return true;
    }
    return false;
}

/* A preload that differs from thread to thread. */
static bool is_by_lane(const struct be_selector *s, ir_ref r)
{
    const struct ir_ins *ins = ir_at(s->ir, r);
    return ins->op == IR_add || (ins->op == IR_special && ir_special_info[ins->imm].scope == IR_SCOPE_THREAD);
}

/* Filled by the runtime before the warp runs: where from? */
static bool has_preload(const struct be_selector *s, ir_ref r, enum bc_source *source, uint64_t *value)
{
    const struct ir_ins *ins = ir_at(s->ir, r);
    *source = BC_FROM_CONSTANT;
    if (be_known(s, r, value))
        return true;
    *value = (uint64_t)ins->imm;
    *source = BC_FROM_PARAM;
    if (is_kernel_param(s, ins))
        return true;
    if (ins->op == IR_object && ins->type == IR_TYPE_SHARED) {
        const struct ir_kernel_info *k = ir_kernel_info(s->c->m, s->ir->id);
        *value = k->params.count + ir_unsized_number(k, (uint32_t)ins->imm);
        return true;
    }
    *source = BC_FROM_SPECIAL;
    if (ins->op == IR_special)
        return true;
    *source = BC_FROM_GRID;
    if (be_is_grid_index(s, r, value))
        return true;
    *source = BC_FROM_DATA;
    *value = ins->op == IR_object ? s->c->objects.address[ins->imm] : 0;
    return ins->op == IR_object;
}

bool be_invariant(const struct be_selector *s, ir_ref r)
{
    enum bc_source source;
    uint64_t value;
    return s->invariant[r] || (has_preload(s, r, &source, &value) && !is_by_lane(s, r));
}

bool be_uniform(const struct be_selector *s, ir_ref r)
{
    return be_invariant(s, r) ||
           (s->scalars[r] && (s->warp_scalar[r] || be_vreg(s->f, s->scalars[r])->segment == s->segment));
}

uint32_t be_scalar(struct be_selector *s, ir_ref r)
{
    enum bc_source source;
    uint64_t value;
    INVARIANT(be_uniform(s, r));
    if (!s->scalars[r] && has_preload(s, r, &source, &value)) {
        uint32_t preload = be_preload(s->c, s->f, BC_KIND_S, source, value);
        s->scalars[r] = preload;
    }
    return s->scalars[r];
}

/* Whether a parameter of its block is only what that returns. Then edges write it where the function's result
 * is, which nothing reads before the lanes have returned. If pointers may lead there, that is elsewhere. */
static bool is_result(const struct be_selector *s, ir_ref r)
{
    const struct ir_ins *ins = ir_at(s->ir, r), *end = ir_at(s->ir, ir_terminator(s->ir, ins->block));
    return s->f->result && s->f->signature == BE_NONE && ins->block != ir_entry(s->ir) && s->uses[r] == 1 &&
           !s->warp_scalar[r] && end->op == IR_ret && end->argc && end->args[0] == r;
}

/* Parameters of blocks are made when first named: the edges of earlier blocks name them. */
static uint32_t param_register(struct be_selector *s, ir_ref r)
{
    const struct ir_ins *ins = ir_at(s->ir, r);
    if (is_result(s, r))
        return s->f->result;
    uint32_t v = be_vreg_new(s->c, s->f, be_kind((enum ir_type)ins->type), BE_FRAME);
    be_vreg(s->f, v)->content = be_content((enum ir_type)ins->type);
    return v;
}

uint32_t be_lanes(struct be_selector *s, ir_ref r)
{
    enum bc_source source;
    uint64_t value;
    const struct ir_ins *ins = ir_at(s->ir, r);
    if (s->lanes[r])
        return s->lanes[r];
    if (has_preload(s, r, &source, &value))
        s->lanes[r] = be_preload(s->c, s->f, be_kind((enum ir_type)ins->type), source, value);
    else if (ins->op == IR_param)
        s->lanes[r] = param_register(s, r);
    else
        BUG("%s in %s is used before its definition", ir_op_info[ins->op].text, s->ir->name);
    return s->lanes[r];
}

uint32_t be_lane_constant(struct be_selector *s, enum bc_kind kind, uint64_t bits)
{
    return be_preload(s->c, s->f, kind, BC_FROM_CONSTANT, bits);
}
