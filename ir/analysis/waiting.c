/* waiting.c: which functions, and calls, may lead to a barrier.
 *
 * Those that have a barrier are found first, then by turns those that call what has been found. Linear, but
 * that each function found is compared with the signatures that none has fitted yet.
 */
#include "base/rows.h"
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

/* Which functions call directly, and through each signature; by signature whether it has been looked at. */
struct callers {
    struct rows of_function, of_signature;
    bool *seen;
};

static struct callers find_callers(struct arena *a, const struct ir_module *m)
{
    struct edge_list direct = {0}, by_pointer = {0};
    for (uint32_t i = 0; i < m->functions.count; i++)
        ir_each_block(n, b, m->functions.at[i])
            ir_each_ins(r, m->functions.at[i], b) {
                const struct ir_ins *ins = ir_at(m->functions.at[i], r);
                if (ins->op == IR_call)
                    edge_add(a, &direct, (uint32_t)ins->imm, i);
                else if (ins->op == IR_icall)
                    edge_add(a, &by_pointer, (uint32_t)ins->imm, i);
            }
    return (struct callers){rows_of_edges(a, m->functions.count, &direct),
                            rows_of_edges(a, m->signatures.count, &by_pointer),
                            arena_array(a, bool, m->signatures.count + 1)};
}

/* A kernel is called by nobody. */
static void add(struct walk *w, const struct ir_module *m, uint32_t f)
{
    if (!(m->functions.at[f]->flags & IR_FN_KERNEL))
        walk_add(w, f);
}

static void add_callers(struct walk *w, const struct ir_module *m, struct callers *c, uint32_t f)
{
    rows_each(k, c->of_function, f)
        add(w, m, c->of_function.at[k]);
    for (uint32_t s = 0; s < m->signatures.count; s++) {
        if (c->seen[s] || !ir_may_call(&m->signatures.at[s], m->functions.at[f]))
            continue;
        c->seen[s] = true;
        rows_each(k, c->of_signature, s)
            add(w, m, c->of_signature.at[k]);
    }
}

struct bitset ir_waiting_functions(struct arena *a, const struct ir_module *m)
{
    struct walk w = walk_new(a, m->functions.count);
    for (uint32_t i = 0; i < m->functions.count; i++)
        if (!(m->functions.at[i]->flags & IR_FN_KERNEL) && has_barrier(m->functions.at[i]))
            walk_add(&w, i);
    if (w.list.count == 0)
        return w.seen;
    struct callers callers = find_callers(a, m);
    walk_each(f, &w)
        add_callers(&w, m, &callers, f);
    return w.seen;
}
