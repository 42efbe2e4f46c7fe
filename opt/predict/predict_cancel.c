/* predict_cancel.c: the dataflow of convergence barriers, and the cancels that it asks for ("Speculative
 * Reconvergence", section 4.2.1, equations 1 and 2).
 *
 * Joined: on some way from the function's entry a thread has joined (or rejoined) the barrier and neither
 * waited for it nor cancelled it since. Live: on some way from here a thread waits for it before it joins
 * anew. Equation 2 ends that at every join; but threads that join a post-dominator's barrier once more stay in
 * it, so that only the joins of predictions do.
 *
 * Where a barrier is joined and stops being live, threads cancel: those that wait must not wait for them.
 * A call that may lead to a predicted function counts as a wait and rejoin. In functions that inherit a
 * prediction its barrier is joined at the entry and live at the end.
 */
#include "opt/predict/barriers.h"

/* ---- equations --------------------------------------------------------------------------------------- */

static uint32_t number_of(const struct barrier_flow *w, uint32_t reg)
{
    return map_get(&w->number, reg);
}

/* The predicted functions' barriers that a call may wait for. */
static void add_waits_of_call(const struct barriers *x, const struct barrier_flow *w, ir_ref r,
                              struct bitset into)
{
    bool through_convergent;
    for (uint32_t i = 0; i < w->registers.count; i++) {
        uint32_t reg = w->registers.at[i];
        if (reg < x->leads[x->f->id].bits && barriers_leads_to(x, r, reg, &through_convergent))
            bitset_add(into, i);
    }
}

static bool may_wait(const struct barriers *x, ir_ref r)
{
    const struct ir_ins *ins = ir_at(x->f, r);
    return x->leads[x->f->id].bits && (ins->op == IR_call || ins->op == IR_icall);
}

void barriers_step_forward(const struct barriers *x, const struct barrier_flow *w, ir_ref r,
                           struct bitset joined)
{
    const struct ir_ins *ins = ir_at(x->f, r);
    if (!ir_is_convergence_barrier(ins->op))
        return;
    uint32_t n = number_of(w, (uint32_t)ins->imm);
    if (ins->op == IR_cb_join || ins->op == IR_cb_rejoin)
        bitset_add(joined, n);
    else if (ins->op == IR_cb_wait || !ir_cancel_of(ins).threshold)
        bitset_remove(joined, n);
}

void barriers_step_backward(const struct barriers *x, const struct barrier_flow *w, ir_ref r,
                            struct bitset live)
{
    const struct ir_ins *ins = ir_at(x->f, r);
    if (may_wait(x, r))
        add_waits_of_call(x, w, r, live);
    if (ins->op == IR_cb_wait)
        bitset_add(live, number_of(w, (uint32_t)ins->imm));
    else if (ins->op == IR_cb_join && ins->imm2)
        bitset_remove(live, number_of(w, (uint32_t)ins->imm));
}

void barriers_enter(const struct barriers *x, const struct barrier_flow *w, uint32_t b, struct bitset joined)
{
    if (b != ir_entry(x->f) || x->f->flags & IR_FN_KERNEL)
        return;
    bitset_each(reg, x->inherited[x->f->id])
        bitset_add(joined, number_of(w, reg));
}

struct transfer {
    const struct barriers *x;
    const struct barrier_flow *w;
};

static void forward(void *data, uint32_t b, struct bitset set)
{
    const struct transfer *t = data;
    barriers_enter(t->x, t->w, b, set);
    ir_each_ins(r, t->x->f, b)
        barriers_step_forward(t->x, t->w, r, set);
}

static void at_returns(const struct barriers *x, const struct barrier_flow *w, uint32_t b, struct bitset live)
{
    if (x->f->flags & IR_FN_KERNEL || ir_at(x->f, ir_terminator(x->f, b))->op != IR_ret)
        return;
    bitset_each(reg, x->inherited[x->f->id])
        bitset_add(live, number_of(w, reg));
}

static void backward(void *data, uint32_t b, struct bitset set)
{
    const struct transfer *t = data;
    at_returns(t->x, t->w, b, set);
    for (ir_ref r = ir_block_at(t->x->f, b)->last; r; r = ir_at(t->x->f, r)->prev)
        barriers_step_backward(t->x, t->w, r, set);
}

/* ---- the flow of a function -------------------------------------------------------------------------- */

static void add_register(struct barriers *x, struct barrier_flow *w, uint32_t reg)
{
    if (map_get(&w->number, reg) != MAP_NONE)
        return;
    map_set(x->arena, &w->number, reg, w->registers.count);
    vec_push(x->arena, &w->registers, reg);
}

void barriers_number(struct barriers *x, struct barrier_flow *w)
{
    for (uint32_t i = 0; i < x->predictions.count; i++)
        add_register(x, w, x->predictions.at[i].reg);
    for (uint32_t i = 0; i < x->cfg->rpo_count; i++)
        ir_each_ins(r, x->f, x->cfg->rpo[i])
            if (ir_is_convergence_barrier(ir_at(x->f, r)->op))
                add_register(x, w, (uint32_t)ir_at(x->f, r)->imm);
}

struct rows barriers_edges(const struct barriers *x, bool against)
{
    struct edge_list l = {0};
    for (uint32_t i = 0; i < x->cfg->rpo_count; i++) {
        const struct ir_block *b = ir_block_at(x->f, x->cfg->rpo[i]);
        for (uint32_t e = 0; e < b->edges.count; e++)
            edge_add(x->arena, &l, against ? b->edges.at[e].block : x->cfg->rpo[i],
                     against ? x->cfg->rpo[i] : b->edges.at[e].block);
    }
    return rows_of_edges(x->arena, x->f->blocks.count, &l);
}

static struct bitset *left(struct barriers *x, const struct bitset *entered, uint32_t bits,
                           const struct transfer *t, void (*transfer)(void *, uint32_t, struct bitset))
{
    struct bitset *out = arena_array(x->arena, struct bitset, x->f->blocks.count);
    for (uint32_t b = 0; b < x->f->blocks.count; b++)
        out[b] = bitset_new(x->arena, bits);
    for (uint32_t i = 0; i < x->cfg->rpo_count; i++) {
        uint32_t b = x->cfg->rpo[i];
        bitset_copy(out[b], entered[b]);
        transfer((void *)t, b, out[b]);
    }
    return out;
}

struct barrier_flow *barriers_flow(struct barriers *x)
{
    struct barrier_flow *w = arena_new(x->arena, struct barrier_flow);
    struct transfer t = {x, w};
    barriers_number(x, w);
    u32_vec order = {0}, reverse = {0};
    for (uint32_t i = 0; i < x->cfg->rpo_count; i++)
        vec_push(x->arena, &order, x->cfg->rpo[i]);
    for (uint32_t i = x->cfg->rpo_count; i-- > 0;)
        vec_push(x->arena, &reverse, x->cfg->rpo[i]);
    struct rows down = barriers_edges(x, false), up = barriers_edges(x, true);
    struct ir_dataflow d = {&down, &order, w->registers.count, forward, &t};
    w->joined_in = ir_dataflow_solve(x->arena, &d);
    w->joined_out = left(x, w->joined_in, d.bits, &t, forward);
    d = (struct ir_dataflow){&up, &reverse, w->registers.count, backward, &t};
    w->live_out = ir_dataflow_solve(x->arena, &d);
    w->live_in = left(x, w->live_out, d.bits, &t, backward);
    return w;
}

/* ---- cancels ----------------------------------------------------------------------------------------- */

/* Whether threads that take the edge stop being able to come to a wait for barrier n. */
static bool ends_on(const struct barrier_flow *w, uint32_t n, uint32_t from, uint32_t to)
{
    return bitset_has(w->joined_out[from], n) && !bitset_has(w->live_in[to], n);
}

/* Whether all edges into the block end the barrier: one cancel at its start does for them. */
static bool all_end(const struct barriers *x, const struct barrier_flow *w, uint32_t n, uint32_t b)
{
    ir_each_pred(p, b, x->cfg)
        if (bitset_has(x->cfg->reachable, p) && !ends_on(w, n, p, b))
            return false;
    return true;
}

/* Threads that are in the barrier come to the block no more ready to wait than where they came from. */
static bool is_end(const struct barriers *x, const struct barrier_flow *w, uint32_t n, uint32_t b)
{
    bool live_before = false;
    ir_each_pred(p, b, x->cfg)
        live_before |=
            bitset_has(x->cfg->reachable, p) && ends_on(w, n, p, b) && bitset_has(w->live_out[p], n);
    return live_before;
}

/* Rejoins that no wait follows go; behind the last call that leads to a predicted function, threads cancel. */
static bool end_in_block(struct barriers *x, const struct barrier_flow *w, uint32_t b, struct bitset live,
                         struct bitset waits)
{
    bool changed = false;
    bitset_copy(live, w->live_out[b]);
    at_returns(x, w, b, live);
    for (ir_ref r = ir_block_at(x->f, b)->last, before; r; r = before) {
        const struct ir_ins *ins = ir_at(x->f, r);
        before = ins->prev;
        if (ins->op == IR_cb_rejoin && !bitset_has(live, number_of(w, (uint32_t)ins->imm))) {
            ir_remove(x->f, r);
            changed = true;
            continue;
        }
        if (may_wait(x, r)) {
            bitset_clear(waits);
            add_waits_of_call(x, w, r, waits);
            bitset_each(n, waits)
                if (!bitset_has(live, n) && n < x->predictions.count)
                    barriers_put(x, b, ins->next, IR_cb_cancel, w->registers.at[n], 0);
        }
        barriers_step_backward(x, w, r, live);
    }
    return changed;
}

static struct barrier_flow *flow_with_ends(struct barriers *x)
{
    barriers_look(x);
    struct barrier_flow *w = barriers_flow(x);
    struct bitset live = bitset_new(x->arena, w->registers.count),
                  waits = bitset_new(x->arena, w->registers.count);
    bool changed = false;
    for (uint32_t i = 0; i < x->cfg->rpo_count; i++)
        changed |= end_in_block(x, w, x->cfg->rpo[i], live, waits);
    if (!changed)
        return w;
    barriers_look(x);
    return barriers_flow(x);
}

struct cancel {
    uint32_t from, edge, to, reg; /* from IR_NO_BLOCK: at the start of `to` */
};

void barriers_cancel(struct barriers *x)
{
    struct barrier_flow *w = flow_with_ends(x);
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
        uint64_t key = (uint64_t)k->from << 32 | k->edge;
        uint32_t block = k->from == IR_NO_BLOCK ? k->to : map_get(&split, key);
        if (block == MAP_NONE) {
            block = ir_edge_split(x->f, k->from, k->edge);
            map_set(x->arena, &split, key, block);
        }
        barriers_put(x, block, ir_block_at(x->f, block)->first, IR_cb_cancel, k->reg, 0);
    }
}
