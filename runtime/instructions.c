/* instructions.c: what of a launch's costs follows from its instructions and how often their blocks ran. */
#include "runtime/launch/grid.h"

/* ---- the instruction mix ----------------------------------------------------------------------------- */

enum rt_class rt_class_of_scalar(enum scalar_case c)
{
    const struct scalar_case_info *info = &scalar_case_info[c];
    if (info->op == SCALAR_OP_select)
        return RT_CLASS_move;
    if (info->op >= SCALAR_OP_sext8 && info->op <= SCALAR_OP_bits)
        return RT_CLASS_conversion;
    if (info->op == SCALAR_OP_sqrt || strchr(scalar_op_info[info->op].flags, 'K'))
        return RT_CLASS_special;
    bool is_float = info->argument[0] == SCALAR_F || info->argument[0] == SCALAR_D;
    return !is_float ? RT_CLASS_integer : info->argument[0] == SCALAR_D ? RT_CLASS_fp64 : RT_CLASS_fp32;
}

static enum rt_class class_of_space(unsigned space)
{
    static const uint8_t classes[] = {
        [RT_GLOBAL] = RT_CLASS_global, [RT_SHARED] = RT_CLASS_shared, [RT_PRIVATE] = RT_CLASS_private};
    return (enum rt_class)classes[space];
}

/* The space of the three that a copy has most to do with: global before shared before private. */
static unsigned space_of_copy(const struct bc_ins *ins)
{
    unsigned to = ins->c & 3, from = ins->op == BC_memcpy ? ins->c >> 2 : to;
    return to < from ? to : from;
}

static bool is_atomic(enum bc_op op)
{
    return op >= BC_at_gadd_I && op <= BC_at_hcas_F;
}

/* Of an instruction that counts; of two, the second. */
static enum rt_class class_of(const struct bc_ins *ins)
{
    enum bc_op op = (enum bc_op)ins->op;
    if (bc_has_branch_word(op) || bc_ends_block(op))
        return RT_CLASS_control;
    if (op < BC_SCALAR_OPS)
        return rt_class_of_scalar((enum scalar_case)(op / BC_FORMS));
    if (rt_access[op].valid)
        return is_atomic(op) ? RT_CLASS_atomic : class_of_space(rt_access[op].space);
    if (op == BC_memcpy || op == BC_memzero)
        return class_of_space(space_of_copy(ins));
    if (op >= BC_mov_v && op <= BC_spread_m)
        return RT_CLASS_move;
    if (op == BC_barrier || op == BC_syncwarp)
        return RT_CLASS_barrier;
    if (op == BC_scheme || op == BC_wait)
        return RT_CLASS_convergence;
    return bc_is_convergent(op) ? RT_CLASS_group : RT_CLASS_other;
}

/* Of the first of two: the comparison of a branch or an assertion, the index of an address. */
static enum rt_class class_of_first(enum bc_op op)
{
    return op < BC_SCALAR_OPS ? rt_class_of_scalar((enum scalar_case)(op / BC_FORMS)) : RT_CLASS_integer;
}

void rt_statistics_add_class(kernc_statistics *s, enum rt_class class, struct rt_total ran)
{
    s->classes[class].warps += ran.warps;
    s->classes[class].threads += ran.threads;
}

/* ---- blocks of code ---------------------------------------------------------------------------------- */

/* Whether it accesses shared memory; of a copy, on either side. */
static bool is_shared(const struct bc_ins *ins)
{
    if (ins->op == BC_memcpy)
        return (ins->c & 3) == RT_SHARED || ins->c >> 2 == RT_SHARED;
    if (ins->op == BC_memzero)
        return ins->c == RT_SHARED;
    return rt_access[ins->op].valid && rt_access[ins->op].space == RT_SHARED;
}

void rt_statistics_add_code(kernc_statistics *s, const struct bc_program *p, uint32_t block,
                            struct rt_total ran)
{
    const struct bc_ins *head = &p->code.at[p->blocks.at[block].code], *end = p->code.at + p->code.count;
    const struct bc_ins *wait = bc_first_wait(head, end), *ins = head + 1;
    for (; ins < end && ins->op != BC_block; ins++) {
        unsigned parts = ins == wait ? 0 : bc_parts(ins);
        if (parts)
            rt_statistics_add_class(s, class_of(ins), ran);
        if (parts > 1)
            rt_statistics_add_class(s, class_of_first((enum bc_op)ins->op), ran);
        if (parts && is_shared(ins)) {
            s->metrics.shared_instructions += rt_executed(ran);
            rt_statistics_line(s, p->sites.at[ins->e].line)->shared_instructions += rt_executed(ran);
        }
    }
    if (bc_falls_into_wait(ins - 1, ins, end))
        rt_statistics_add_class(s, RT_CLASS_convergence, ran);
}
