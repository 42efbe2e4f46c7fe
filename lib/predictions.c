/* predictions.c: the predictions of a kernel that its code honours, as the passes reported them. */
#include "ir/analysis/callgraph.h"
#include "lib/result.h"

#include <stdlib.h>

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
    struct walk w = walk_new(a, m->functions.count);
    walk_add(&w, function);
    struct bitset reached = ir_reach_functions(&w, m);
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
