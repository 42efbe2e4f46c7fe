/* instructions.c: what of a launch's costs follows from its instructions and how often their blocks ran. */
#include "runtime/launch/grid.h"

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
    for (uint32_t i = p->blocks.at[block].code + 1; i < p->code.count && p->code.at[i].op != BC_block; i++) {
        const struct bc_ins *ins = &p->code.at[i];
        if (!is_shared(ins))
            continue;
        s->metrics.shared_instructions += ran.warps;
        rt_statistics_line(s, p->sites.at[ins->e].line)->shared_instructions += ran.warps;
    }
}
