/* predict_cancel.c: the cancels that the dataflow of convergence barriers asks for ("Speculative
 * Reconvergence", section 4.2.1; equations 1 and 2 are ir/analysis/barrier_flow.h).
 *
 * Where a barrier is joined and stops being live, threads cancel: those that wait must not wait for them.
 * A call that may lead to a predicted function counts as a wait and rejoin. In functions that inherit a
 * prediction its barrier is joined at the entry and live at the end.
 */
#include "ir/converge/order.h"
#include "opt/predict/barriers.h"

/* The predicted functions' barriers that a call may wait for. */
static void add_waits_of_call(const void *data, const struct ir_barrier_flow *w, ir_ref r, struct bitset into)
{
    const struct barriers *x = data;
    bool through_convergent;
    for (uint32_t i = 0; i < w->registers.count; i++) {
        uint32_t reg = w->registers.at[i];
        if (reg < x->leads[x->f->id].bits && barriers_leads_to(x, r, reg, &through_convergent))
            bitset_add(into, i);
    }
}

struct ir_barrier_flow *barriers_flow(struct barriers *x)
{
    struct ir_barrier_context *context = arena_new(x->arena, struct ir_barrier_context);
    *context = (struct ir_barrier_context){.data = x};
    if (!(x->f->flags & IR_FN_KERNEL))
        context->inherited = x->inherited[x->f->id];
    if (x->leads[x->f->id].bits)
        context->waits_of_call = add_waits_of_call;
    for (uint32_t i = 0; i < x->predictions.count; i++)
        vec_push(x->arena, &context->first, x->predictions.at[i].reg);
    return ir_barrier_flow_new(x->arena, x->cfg, context);
}

/* ---- cancels ----------------------------------------------------------------------------------------- */

/* Whether threads that take the edge stop being able to come to a wait for barrier n. */
static bool ends_on(const struct ir_barrier_flow *w, uint32_t n, uint32_t from, uint32_t to)
{
    return bitset_has(w->joined_out[from], n) && !bitset_has(w->live_in[to], n);
}

/* Whether all edges into the block end the barrier: one cancel at its start does for them. */
static bool all_end(const struct barriers *x, const struct ir_barrier_flow *w, uint32_t n, uint32_t b)
{
    ir_each_pred(p, b, x->cfg)
        if (bitset_has(x->cfg->reachable, p) && !ends_on(w, n, p, b))
            return false;
    return true;
}

/* Threads that are in the barrier come to the block no more ready to wait than where they came from. */
static bool is_end(const struct barriers *x, const struct ir_barrier_flow *w, uint32_t n, uint32_t b)
{
    bool live_before = false;
    ir_each_pred(p, b, x->cfg)
        live_before |=
            bitset_has(x->cfg->reachable, p) && ends_on(w, n, p, b) && bitset_has(w->live_out[p], n);
    return live_before;
}

/* Rejoins that no wait follows go; behind the last call that leads to a predicted function, threads cancel. */
static bool end_in_block(struct barriers *x, const struct ir_barrier_flow *w, uint32_t b, struct bitset waits)
{
    struct bitset live = ir_barrier_live_behind(w, ir_block_at(x->f, b)->last);
    bool changed = false;
    for (ir_ref r = ir_block_at(x->f, b)->last, before; r; r = before) {
        const struct ir_ins *ins = ir_at(x->f, r);
        before = ins->prev;
        if (ins->op == IR_cb_rejoin && !bitset_has(live, ir_barrier_number(w, (uint32_t)ins->imm))) {
            ir_remove(x->f, r);
            changed = true;
            continue;
        }
        if ((ins->op == IR_call || ins->op == IR_icall) && w->context->waits_of_call) {
            bitset_clear(waits);
            add_waits_of_call(x, w, r, waits);
            bitset_each(n, waits)
                if (!bitset_has(live, n) && n < x->predictions.count)
                    barriers_put(x, b, ins->next, IR_cb_cancel, w->registers.at[n], 0);
        }
        ir_barrier_step_live(w, r, live);
    }
    return changed;
}

static struct ir_barrier_flow *flow_with_ends(struct barriers *x)
{
    barriers_look(x);
    struct ir_barrier_flow *w = barriers_flow(x);
    struct bitset waits = bitset_new(x->arena, w->registers.count);
    bool changed = false;
    for (uint32_t i = 0; i < x->cfg->rpo_count; i++)
        changed |= end_in_block(x, w, x->cfg->rpo[i], waits);
    if (!changed)
        return w;
    barriers_look(x);
    return barriers_flow(x);
}

static bool bring_the_same(const struct ir_edge *a, const struct ir_edge *b)
{
    return a->argc == b->argc && (!a->argc || memcmp(a->args, b->args, a->argc * sizeof *a->args) == 0);
}

void barriers_cancel_on_edge(struct barriers *x, struct map *split, uint32_t from, uint32_t e, uint32_t to,
                             uint32_t reg)
{
    struct ir_edge *edge = &ir_block_at(x->f, from)->edges.at[e];
    uint32_t block = edge->block;
    if (block == to) {
        uint64_t key = ir_edge_key(from, to);
        block = map_get(split, key);
        if (block != MAP_NONE && bring_the_same(&ir_block_at(x->f, block)->edges.at[0], edge)) {
            *edge = (struct ir_edge){.block = block, .value = edge->value, .breaks = edge->breaks};
        } else {
            block = ir_edge_split(x->f, from, e);
            map_set(x->arena, split, key, block);
        }
    }
    ir_each_ins(r, x->f, block)
        if (ir_at(x->f, r)->op == IR_cb_cancel && ir_at(x->f, r)->imm == reg)
            return;
    barriers_put(x, block, ir_block_at(x->f, block)->first, IR_cb_cancel, reg, 0);
}

struct cancel {
    uint32_t from, edge, to, reg; /* from IR_NO_BLOCK: at the start of `to` */
};

void barriers_cancel(struct barriers *x)
{
    struct ir_barrier_flow *w = flow_with_ends(x);
    VEC(struct cancel) cancels = {0};
    for (uint32_t i = 0; w != NULL && i < x->cfg->rpo_count; i++) {
        uint32_t b = x->cfg->rpo[i];
        for (uint32_t n = 0; n < x->predictions.count; n++) {
            uint32_t reg = w->registers.at[n];
            if (!is_end(x, w, n, b))
                continue;
            if (all_end(x, w, n, b)) {
                vec_push(x->arena, &cancels, ((struct cancel){IR_NO_BLOCK, 0, b, reg}));
                continue;
            }
            ir_each_pred(p, b, x->cfg)
                if (bitset_has(x->cfg->reachable, p) && ends_on(w, n, p, b) && bitset_has(w->live_out[p], n))
                    vec_push(x->arena, &cancels, ((struct cancel){p, x->cfg->pred_edges[p_at], b, reg}));
        }
    }
    struct map split = {0};
    for (uint32_t i = 0; i < cancels.count; i++) {
        const struct cancel *k = &cancels.at[i];
        if (k->from == IR_NO_BLOCK)
            barriers_put(x, k->to, ir_block_at(x->f, k->to)->first, IR_cb_cancel, k->reg, 0);
        else
            barriers_cancel_on_edge(x, &split, k->from, k->edge, k->to, k->reg);
    }
}
