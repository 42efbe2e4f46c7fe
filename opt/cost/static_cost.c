/* static_cost.c: costs that the code alone tells. */
#include "opt/pass.h"

uint32_t cost_of_block(const struct ir_function *f, uint32_t b)
{
    uint32_t sum = 0;
    ir_each_ins(r, f, b)
        sum += ir_cost_of(f, r);
    return sum;
}

bool cost_is_access(const struct ir_function *f, ir_ref r)
{
    const struct ir_ins *i = ir_at(f, r);
    if (!(ir_op_info[i->op].flags & (IR_READS | IR_WRITES)) || i->argc == 0 || i->mem == IR_MEM_NONE)
        return false;
    uint8_t space = ir_at(f, i->args[0])->type;
    return space == IR_TYPE_GLOBAL || space == IR_TYPE_CONSTANT;
}

uint32_t cost_of_instruction(const struct ir_function *f, ir_ref r, const uint64_t *functions)
{
    const struct ir_ins *i = ir_at(f, r);
    uint64_t callee = i->op == IR_call ? functions[i->imm] : i->op == IR_icall ? COST_UNKNOWN_CALL : 0;
    uint64_t sum = ir_cost_of(f, r) + callee;
    return sum < UINT32_MAX ? (uint32_t)sum : UINT32_MAX;
}

/* Whether the edge leads to a loop that the branch is outside of, maybe by a block that only jumps there. */
static bool enters_loop(const struct ir_function *f, const struct ir_cycles *cycles, uint32_t b, uint32_t e)
{
    uint32_t to = ir_block_at(f, b)->edges.at[e].block;
    if (cycles->innermost[to] == cycles->innermost[b] && ir_block_at(f, to)->edges.count == 1)
        to = ir_block_at(f, to)->edges.at[0].block;
    uint32_t cycle = cycles->innermost[to];
    return cycle != IR_NO_CYCLE && cycles->at[cycle].header == to && !ir_cycle_has(cycles, cycle, b);
}

uint32_t cost_guarded_edge(const struct ir_function *f, const struct ir_cycles *cycles, uint32_t b)
{
    const struct ir_block *block = ir_block_at(f, b);
    if (block->edges.count != 2 || enters_loop(f, cycles, b, 0) == enters_loop(f, cycles, b, 1))
        return block->edges.count;
    return enters_loop(f, cycles, b, 1);
}

/* How often a warp runs the block in a call: what its branches lead to it runs once, unless a profile has never
 * seen it; loops, by the profile, or COST_TRIPS times. */
static double runs_of_block(const struct ir_cycles *cycles, const struct cost_profile *profile, uint32_t b)
{
    double runs = cost_is_counted(profile, b) && cost_count(profile, b) == 0 ? 0 : 1;
    uint32_t cycle = cycles->innermost[b], depth = cycle == IR_NO_CYCLE ? 0 : cycles->at[cycle].depth;
    for (; cycle != IR_NO_CYCLE; cycle = cycles->at[cycle].parent, depth--) {
        double trips = cost_trips(profile, cycle);
        runs *= trips > 0 ? trips : depth <= COST_LEVELS ? COST_TRIPS : 1;
    }
    return runs;
}

static uint64_t cost_of_function(const struct ir_cfg *cfg, const struct ir_cycles *cycles,
                                 const struct cost_profile *profile, const uint64_t *functions)
{
    const struct ir_function *f = cfg->fn;
    double sum = 0;
    for (uint32_t i = 0; i < cfg->rpo_count; i++) {
        double once = 0;
        ir_each_ins(r, f, cfg->rpo[i])
            once += cost_of_instruction(f, r, functions);
        sum += once * runs_of_block(cycles, profile, cfg->rpo[i]);
    }
    sum = sum < 1 ? 1 : sum; /* cold by the profile, but called */
    return sum < UINT32_MAX ? (uint64_t)sum : UINT32_MAX;
}

static void add_called(const struct ir_function *f, struct bitset called)
{
    ir_each_block(n, b, f)
        ir_each_ins(r, f, b) {
            const struct ir_ins *i = ir_at(f, r);
            if (i->op == IR_call || i->op == IR_function)
                bitset_add(called, (uint32_t)i->imm);
        }
}

cost_table *cost_of_functions(struct opt_context *c, struct arena *a, const struct ir_module *m)
{
    cost_table *costs = arena_new(a, cost_table);
    const u32_vec *order = opt_callees_first(c, m);
    struct bitset called = bitset_new(a, m->functions.count);
    for (uint32_t i = 0; i < m->functions.count; i++) {
        vec_push(a, costs, 0);
        if (m->functions.at[i]->flags & IR_FN_TAKEN)
            bitset_add(called, i);
        add_called(m->functions.at[i], called);
    }
    for (uint32_t i = 0; i < order->count; i++) {
        const struct ir_function *f = m->functions.at[order->at[i]];
        if (f->order.count && bitset_has(called, f->id))
            costs->at[f->id] =
                cost_of_function(opt_cfg(c, f), opt_cycles(c, f), opt_profile(c, f), costs->at);
    }
    return costs;
}
