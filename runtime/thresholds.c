/* thresholds.c: how many threads of a warp a kernel's predictions wait for. */
#include "backend/format/bytecode/program.h"
#include "base/rows.h"
#include "runtime/context.h"
#include "runtime/module.h"

struct search {
    const struct bc_program *p;
    struct arena *arena;
    struct map functions; /* by the code index of the first block */
    struct walk walk;     /* over functions */
    const struct bc_ins *most;
};

static void look_at(struct search *s, const struct bc_ins *ins)
{
    if (ins->op == BC_call)
        walk_add(&s->walk, map_get(&s->functions, ins->imm));
    for (uint32_t i = 0; ins->op == BC_icall && i < s->p->functions.count; i++)
        if (!s->p->functions.at[i].kernel && bc_reaches(ins->imm, s->p->functions.at[i].signature))
            walk_add(&s->walk, i);
    if (ins->op == BC_wait && ins->imm > (s->most ? s->most->imm : 0))
        s->most = ins;
}

/* The wait with the largest threshold in the kernel and the functions that it calls; NULL: none has one. */
static const struct bc_ins *find_most(struct search *s, uint32_t kernel)
{
    s->walk = walk_new(s->arena, s->p->functions.count);
    for (uint32_t i = 0; i < s->p->functions.count; i++)
        map_set(s->arena, &s->functions, s->p->functions.at[i].code, i);
    walk_add(&s->walk, kernel);
    walk_each(id, &s->walk) {
        const struct bc_function *f = &s->p->functions.at[id];
        for (uint32_t i = f->code; i < f->end; i++) {
            look_at(s, &s->p->code.at[i]);
            i += bc_has_branch_word((enum bc_op)s->p->code.at[i].op);
        }
    }
    return s->most;
}

uint32_t rt_threshold(const kernc_kernel *kernel, uint32_t *line, uint32_t *column)
{
    struct scratch scratch;
    struct search s = {.p = kernel ? kernel->module->program : NULL, .arena = scratch_begin(&scratch)};
    const struct bc_ins *most = s.p ? find_most(&s, kernel->code->function) : NULL;
    scratch_end(&scratch);
    struct bc_site at = most ? s.p->sites.at[most->e] : (struct bc_site){0};
    if (line)
        *line = at.line;
    if (column)
        *column = at.column;
    return most ? most->imm : 0;
}

uint32_t kernc_kernel_threshold(const kernc_kernel *kernel, uint32_t *line, uint32_t *column)
{
    struct mem_guard guard;
    if (mem_guard_enter(&guard))
        return 0;
    uint32_t threshold = rt_threshold(kernel, line, column);
    mem_guard_leave(&guard);
    return threshold;
}
