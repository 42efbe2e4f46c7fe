/* predictions.c: the predictions of a kernel that its code honours, as the passes reported them. */
#include "lib/result.h"

#include <stdlib.h>

/* ---- what the kernel may run ------------------------------------------------------------------------- */

static void reach(struct arena *a, struct bitset reached, u32_vec *work, uint32_t function)
{
    if (bitset_has(reached, function))
        return;
    bitset_add(reached, function);
    vec_push(a, work, function);
}

/* A call through a pointer may lead to each function whose address is taken anywhere. */
static void reach_named(struct arena *a, const struct ir_module *m, struct bitset reached, u32_vec *work)
{
    for (uint32_t i = 0; i < m->functions.count; i++) {
        const struct ir_function *f = m->functions.at[i];
        if (f->flags & IR_FN_TAKEN)
            reach(a, reached, work, i);
        ir_each_block(k, b, f)
            ir_each_ins(r, f, b)
                if (ir_at(f, r)->op == IR_function)
                    reach(a, reached, work, (uint32_t)ir_at(f, r)->imm);
    }
}

static struct bitset functions_of(struct arena *a, const struct ir_module *m, uint32_t kernel)
{
    struct bitset reached = bitset_new(a, m->functions.count);
    u32_vec work = {0};
    bool through_pointers = false;
    reach(a, reached, &work, kernel);
    while (work.count) {
        const struct ir_function *f = m->functions.at[vec_pop(&work)];
        ir_each_block(k, b, f) {
            ir_each_ins(r, f, b) {
                const struct ir_ins *ins = ir_at(f, r);
                if (ins->op == IR_call)
                    reach(a, reached, &work, (uint32_t)ins->imm);
                if (ins->op == IR_icall && !through_pointers) {
                    through_pointers = true;
                    reach_named(a, m, reached, &work);
                }
            }
        }
    }
    return reached;
}

/* ---- the list ---------------------------------------------------------------------------------------- */

static int by_number(uint32_t a, uint32_t b)
{
    return (a > b) - (a < b);
}

static int by_place(const void *x, const void *y)
{
    const struct opt_prediction *p = x, *q = y;
    const uint32_t a[] = {p->name.from.line, p->name.from.column, p->name.to.line, p->name.to.column};
    const uint32_t b[] = {q->name.from.line, q->name.from.column, q->name.to.line, q->name.to.column};
    for (size_t i = 0; i < COUNT(a); i++)
        if (a[i] != b[i])
            return by_number(a[i], b[i]);
    return 0;
}

static bool find(const kernc_result *r, struct arena *a, const char *kernel, unsigned index,
                 struct opt_prediction *found)
{
    VEC(struct opt_prediction) list = {0};
    const struct ir_module *m = r->module;
    uint32_t function = 0, kept = 0;
    while (function < m->functions.count && strcmp(m->functions.at[function]->name, kernel) != 0)
        function++;
    if (function == m->functions.count)
        return false;
    struct bitset reached = functions_of(a, m, function);
    for (uint32_t i = 0; i < r->report.predictions.count; i++) {
        struct opt_prediction p = r->report.predictions.at[i];
        if (p.honoured && bitset_has(reached, p.function))
            vec_push(a, &list, p);
    }
    if (list.count)
        qsort(list.at, list.count, sizeof *list.at, by_place);
    for (uint32_t i = 0; i < list.count; i++)
        if (i == 0 || by_place(&list.at[i], &list.at[kept - 1]) != 0)
            list.at[kept++] = list.at[i];
    if (index < kept)
        *found = list.at[index];
    return index < kept;
}

bool result_prediction(const kernc_result *r, const char *kernel, unsigned index, kernc_prediction *p)
{
    struct scratch scratch;
    struct opt_prediction found;
    if (!r || !p || !kernel || !r->module || !r->reported || r->status != KERNC_COMPILED)
        return false;
    bool there = find(r, scratch_begin(&scratch), kernel, index, &found);
    scratch_end(&scratch);
    if (!there)
        return false;
    kernc_prediction all = {.line = found.name.from.line,
                            .column = found.name.from.column,
                            .to_line = found.name.to.line,
                            .to_column = found.name.to.column,
                            .threshold = found.threshold,
                            .found = found.found};
    return sized_write(p, &all, sizeof all);
}

bool kernc_result_prediction(const kernc_result *r, const char *kernel, unsigned index, kernc_prediction *p)
{
    struct mem_guard guard;
    if (mem_guard_enter(&guard))
        return false;
    bool there = result_prediction(r, kernel, index, p);
    mem_guard_leave(&guard);
    return there;
}
