/* barrier_flow.c: see barrier_flow.h. */
#include "ir/analysis/barrier_flow.h"

#include "ir/analysis/dataflow.h"

uint32_t ir_barrier_of_branch(const struct ir_barrier_flow *w, uint32_t b)
{
    const struct ir_function *f = w->g->fn;
    uint32_t to = ir_block_at(f, b)->reconverge;
    if (!w->context->branches_join || to >= f->blocks.count)
        return MAP_NONE;
    const struct ir_ins *first = ir_at(f, ir_block_at(f, to)->first);
    return first->op == IR_cb_wait ? ir_barrier_number(w, (uint32_t)first->imm) : MAP_NONE;
}

/* ---- equations ------------------------------------------------------------------------------------------- */

void ir_barrier_step_joined(const struct ir_barrier_flow *w, ir_ref r, struct bitset joined)
{
    const struct ir_ins *ins = ir_at(w->g->fn, r);
    if (!ir_is_convergence_barrier(ins->op))
        return;
    uint32_t n = ir_barrier_number(w, (uint32_t)ins->imm);
    if (ins->op == IR_cb_join || ins->op == IR_cb_rejoin)
        bitset_add(joined, n);
    else if (ins->op == IR_cb_wait || !ir_cancel_of(ins).threshold)
        bitset_remove(joined, n);
}

void ir_barrier_step_live(const struct ir_barrier_flow *w, ir_ref r, struct bitset live)
{
    const struct ir_ins *ins = ir_at(w->g->fn, r);
    if (ins->op == IR_cb_wait)
        bitset_add(live, ir_barrier_number(w, (uint32_t)ins->imm));
    else if (ins->op == IR_cb_join && ins->imm2)
        bitset_remove(live, ir_barrier_number(w, (uint32_t)ins->imm));
    else if ((ins->op == IR_call || ins->op == IR_icall) && w->context->waits_of_call)
        w->context->waits_of_call(w->context->data, w, r, live);
}

static void forward(void *data, uint32_t b, struct bitset joined)
{
    const struct ir_barrier_flow *w = data;
    ir_each_ins(r, w->g->fn, b)
        ir_barrier_step_joined(w, r, joined);
    uint32_t n = ir_barrier_of_branch(w, b);
    if (n != MAP_NONE)
        bitset_add(joined, n);
}

static void backward(void *data, uint32_t b, struct bitset live)
{
    const struct ir_barrier_flow *w = data;
    for (ir_ref r = ir_block_at(w->g->fn, b)->last; r; r = ir_at(w->g->fn, r)->prev)
        ir_barrier_step_live(w, r, live);
}

/* ---- solution -------------------------------------------------------------------------------------------- */

static void add_register(struct ir_barrier_flow *w, uint32_t reg)
{
    if (ir_barrier_number(w, reg) != MAP_NONE)
        return;
    map_set(w->arena, &w->number, reg, w->registers.count);
    vec_push(w->arena, &w->registers, reg);
}

static void number_registers(struct ir_barrier_flow *w)
{
    for (uint32_t i = 0; i < w->context->first.count; i++)
        add_register(w, w->context->first.at[i]);
    bitset_each(reg, w->context->inherited)
        add_register(w, reg);
    for (uint32_t i = 0; i < w->g->rpo_count; i++)
        ir_each_ins(r, w->g->fn, w->g->rpo[i])
            if (ir_is_convergence_barrier(ir_at(w->g->fn, r)->op))
                add_register(w, (uint32_t)ir_at(w->g->fn, r)->imm);
}

/* What callers have joined where the function is entered, and wait for where it returns. */
static const struct bitset *find_outside(const struct ir_barrier_flow *w, bool against)
{
    struct bitset *outside = arena_array(w->arena, struct bitset, w->g->blocks);
    struct bitset inherited = bitset_new(w->arena, w->registers.count);
    bitset_each(reg, w->context->inherited)
        bitset_add(inherited, ir_barrier_number(w, reg));
    for (uint32_t i = 0; i < w->g->rpo_count; i++) {
        uint32_t b = w->g->rpo[i];
        bool returns = ir_at(w->g->fn, ir_terminator(w->g->fn, b))->op == IR_ret;
        if (against ? returns : b == ir_entry(w->g->fn))
            outside[b] = inherited;
    }
    return outside;
}

/* Solves one equation: what holds where blocks are entered, in its direction, and where they are left. */
static void solve(struct ir_barrier_flow *w, bool against, void (*transfer)(void *, uint32_t, struct bitset),
                  struct bitset **entered, struct bitset **left)
{
    u32_vec order = {0};
    for (uint32_t i = 0; i < w->g->rpo_count; i++)
        vec_push(w->arena, &order, w->g->rpo[against ? w->g->rpo_count - 1 - i : i]);
    struct rows edges = ir_cfg_edges(w->arena, w->g, against);
    struct ir_dataflow d = {&edges, &order, w->registers.count, transfer, w, find_outside(w, against)};
    *entered = ir_dataflow_solve(w->arena, &d);
    *left = arena_array(w->arena, struct bitset, w->g->blocks);
    for (uint32_t b = 0; b < w->g->blocks; b++)
        (*left)[b] = bitset_new(w->arena, d.bits);
    for (uint32_t i = 0; i < order.count; i++) {
        uint32_t b = order.at[i];
        bitset_copy((*left)[b], (*entered)[b]);
        transfer(w, b, (*left)[b]);
    }
}

struct ir_barrier_flow *ir_barrier_flow_new(struct arena *a, const struct ir_cfg *g,
                                            const struct ir_barrier_context *context)
{
    struct ir_barrier_flow *w = arena_new(a, struct ir_barrier_flow);
    *w = (struct ir_barrier_flow){.arena = a, .g = g, .context = context};
    number_registers(w);
    solve(w, false, forward, &w->joined_in, &w->joined_out);
    solve(w, true, backward, &w->live_out, &w->live_in);
    return w;
}

/* ---- within a block -------------------------------------------------------------------------------------- */

struct bitset ir_barrier_joined_before(const struct ir_barrier_flow *w, ir_ref r)
{
    uint32_t b = ir_at(w->g->fn, r)->block;
    struct bitset joined = bitset_new(w->arena, w->registers.count);
    bitset_copy(joined, w->joined_in[b]);
    for (ir_ref i = ir_block_at(w->g->fn, b)->first; i != r; i = ir_at(w->g->fn, i)->next)
        ir_barrier_step_joined(w, i, joined);
    return joined;
}

struct bitset ir_barrier_live_behind(const struct ir_barrier_flow *w, ir_ref r)
{
    uint32_t b = ir_at(w->g->fn, r)->block;
    struct bitset live = bitset_new(w->arena, w->registers.count);
    bitset_copy(live, w->live_out[b]);
    for (ir_ref i = ir_block_at(w->g->fn, b)->last; i != r; i = ir_at(w->g->fn, i)->prev)
        ir_barrier_step_live(w, i, live);
    return live;
}

struct bitset ir_barrier_live_before(const struct ir_barrier_flow *w, ir_ref r)
{
    struct bitset live = ir_barrier_live_behind(w, r);
    ir_barrier_step_live(w, r, live);
    return live;
}
