/* redundant_joins.c: joins of barriers that every thread is in already go: a join is for threads that came some
 * way on which they have not joined, or have waited or cancelled since (the complement of what equation 1 would
 * be with an intersection).
 */
#include "opt/convergence/barriers.h"

struct outsiders {
    const struct barriers *x;
    const struct barrier_flow *numbers;
};

static void step(const struct outsiders *o, const struct ir_ins *ins, struct bitset outside)
{
    if (!ir_is_convergence_barrier(ins->op))
        return;
    uint32_t n = map_get(&o->numbers->number, (uint32_t)ins->imm);
    if (ins->op == IR_cb_join)
        bitset_remove(outside, n);
    else if (ins->op != IR_cb_rejoin)
        bitset_add(outside, n);
}

static void transfer(void *data, uint32_t b, struct bitset outside)
{
    const struct outsiders *o = data;
    if (b == ir_entry(o->x->f))
        for (uint32_t n = 0; n < outside.bits; n++)
            bitset_add(outside, n);
    ir_each_ins(r, o->x->f, b)
        step(o, ir_at(o->x->f, r), outside);
}

static void remove_in(struct barriers *x, const struct outsiders *o, uint32_t b, struct bitset outside)
{
    for (ir_ref r = ir_block_at(x->f, b)->first, next; r; r = next) {
        const struct ir_ins *ins = ir_at(x->f, r);
        next = ins->next;
        bool redundant =
            ins->op == IR_cb_join && !bitset_has(outside, map_get(&o->numbers->number, (uint32_t)ins->imm));
        step(o, ins, outside);
        if (redundant)
            ir_remove(x->f, r);
    }
}

void barriers_drop_redundant(struct barriers *x)
{
    struct barrier_flow numbers = {0};
    barriers_look(x);
    barriers_number(x, &numbers);
    uint32_t count = numbers.registers.count;
    if (!opt_below(x->c, x->f, OPT_LIMIT_predict_work, (uint64_t)count * x->cfg->rpo_count))
        return;
    u32_vec order = {0};
    for (uint32_t i = 0; i < x->cfg->rpo_count; i++)
        vec_push(x->arena, &order, x->cfg->rpo[i]);
    struct outsiders o = {x, &numbers};
    struct rows edges = barriers_edges(x, false);
    struct ir_dataflow d = {&edges, &order, count, transfer, &o};
    struct bitset *entered = ir_dataflow_solve(x->arena, &d);
    if (x->cfg->rpo_count)
        for (uint32_t n = 0; n < count; n++)
            bitset_add(entered[ir_entry(x->f)], n);
    for (uint32_t i = 0; i < x->cfg->rpo_count; i++)
        remove_in(x, &o, x->cfg->rpo[i], entered[x->cfg->rpo[i]]);
}
