/* callgraph.c: see callgraph.h. Linear. */
#include "ir/analysis/callgraph.h"

struct ir_call_graph ir_call_graph_new(struct arena *a, const struct ir_module *m)
{
    struct edge_list edges = {0};
    u32_vec calls = {0};
    for (uint32_t i = 0; i < m->functions.count; i++) {
        const struct ir_function *f = m->functions.at[i];
        ir_each_block(n, b, f)
            ir_each_ins(r, f, b)
                if (ir_at(f, r)->op == IR_call) {
                    edge_add(a, &edges, i, (uint32_t)ir_at(f, r)->imm);
                    vec_push(a, &calls, r);
                }
    }
    /* The edges come sorted by caller, so each keeps its place in the rows. */
    return (struct ir_call_graph){rows_of_edges(a, m->functions.count, &edges), edges.from.at, calls.at};
}

u32_vec ir_callees_first(struct arena *a, const struct ir_module *m)
{
    struct ir_call_graph g = ir_call_graph_new(a, m);
    struct depth_first d = depth_first_new(a, &g.callees);
    for (uint32_t i = 0; i < m->functions.count; i++)
        depth_first_visit(&d, i);
    return d.order;
}

bool ir_has_calls(const struct ir_function *f)
{
    ir_each_block(i, b, f)
        ir_each_ins(r, f, b)
            if (ir_at(f, r)->op == IR_call || ir_at(f, r)->op == IR_icall)
                return true;
    return false;
}

static void note_address(struct bitset taken, const struct ir_ins *ins)
{
    if (ins->op == IR_function)
        bitset_add(taken, (uint32_t)ins->imm);
    if (ins->op == IR_constant && ins->type == IR_TYPE_FUNCTION && ins->imm > 0 &&
        (uint64_t)ins->imm <= taken.bits)
        bitset_add(taken, (uint32_t)ins->imm - 1);
}

struct bitset ir_addresses_taken(struct arena *a, const struct ir_module *m)
{
    struct bitset taken = bitset_new(a, m->functions.count);
    for (uint32_t i = 0; i < m->functions.count; i++) {
        if (m->functions.at[i]->flags & IR_FN_TAKEN)
            bitset_add(taken, i);
        for (uint32_t r = 1; r < m->functions.at[i]->ins.count; r++)
            note_address(taken, ir_at(m->functions.at[i], r));
    }
    return taken;
}

struct bitset ir_reach_functions(struct walk *w, const struct ir_module *m)
{
    bool by_pointer = false, added = false;
    walk_each(id, w) {
        const struct ir_function *f = m->functions.at[id];
        ir_each_block(n, b, f)
            ir_each_ins(r, f, b) {
                by_pointer |= ir_at(f, r)->op == IR_icall;
                if (ir_at(f, r)->op == IR_call)
                    walk_add(w, (uint32_t)ir_at(f, r)->imm);
            }
        if (!by_pointer || added)
            continue;
        struct bitset taken = ir_addresses_taken(w->arena, m);
        bitset_each(i, taken)
            walk_add(w, i);
        added = true;
    }
    return w->seen;
}
