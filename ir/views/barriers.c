/* barriers.c: convergence barriers, shown ("Speculative Reconvergence", section 4.2.1): whose each is, where
 * threads join it, wait, leave and come back; the joined sets of equation 1 and the live ones of equation 2;
 * and which barriers' threads wait for each other (section 4.3).
 *
 * Calls that lead to predicted functions, and barriers that callers hand on, are not followed: only what stands
 * in the function counts.
 */
#include "ir/analysis/dataflow.h"
#include "ir/views/view.h"

struct ir_barrier_sets {
    struct ir_viewer *v;
    const struct ir_function *f;
    u32_vec registers; /* by number: the register */
    struct map number;
    struct bitset *joined, *live; /* by block: at its start; at its end */
};

static uint32_t number_of(const struct ir_barrier_sets *x, uint32_t reg)
{
    return map_get(&x->number, reg);
}

/* The barrier that threads join as they diverge at the end of the block; MAP_NONE: none. */
static uint32_t joined_by_branch(const struct ir_barrier_sets *x, uint32_t b)
{
    uint32_t to = ir_block_at(x->f, b)->reconverge;
    if (to >= x->f->blocks.count)
        return MAP_NONE;
    const struct ir_ins *first = ir_at(x->f, ir_block_at(x->f, to)->first);
    return first->op == IR_cb_wait ? number_of(x, (uint32_t)first->imm) : MAP_NONE;
}

/* ---- equations ------------------------------------------------------------------------------------------- */

static void step_forward(const struct ir_barrier_sets *x, ir_ref r, struct bitset joined)
{
    const struct ir_ins *ins = ir_at(x->f, r);
    if (!ir_is_convergence_barrier(ins->op))
        return;
    uint32_t n = number_of(x, (uint32_t)ins->imm);
    if (ins->op == IR_cb_join || ins->op == IR_cb_rejoin)
        bitset_add(joined, n);
    else if (ins->op == IR_cb_wait || !ir_cancel_of(ins).threshold)
        bitset_remove(joined, n);
}

static void step_backward(const struct ir_barrier_sets *x, ir_ref r, struct bitset live)
{
    const struct ir_ins *ins = ir_at(x->f, r);
    if (ins->op == IR_cb_wait)
        bitset_add(live, number_of(x, (uint32_t)ins->imm));
    else if (ins->op == IR_cb_join && ins->imm2)
        bitset_remove(live, number_of(x, (uint32_t)ins->imm));
}

static void forward(void *data, uint32_t b, struct bitset set)
{
    const struct ir_barrier_sets *x = data;
    ir_each_ins(r, x->f, b)
        step_forward(x, r, set);
    if (joined_by_branch(x, b) != MAP_NONE)
        bitset_add(set, joined_by_branch(x, b));
}

static void backward(void *data, uint32_t b, struct bitset set)
{
    const struct ir_barrier_sets *x = data;
    for (ir_ref r = ir_block_at(x->f, b)->last; r; r = ir_at(x->f, r)->prev)
        step_backward(x, r, set);
}

static const struct ir_barrier_sets *find(struct ir_viewer *v)
{
    if (v->barriers)
        return v->barriers;
    struct ir_barrier_sets *x = v->barriers = arena_new(v->arena, struct ir_barrier_sets);
    x->v = v;
    x->f = v->fn;
    struct edge_list down = {0};
    u32_vec order = {0}, reverse = {0};
    for (uint32_t i = 0; i < v->cfg->rpo_count; i++) {
        uint32_t b = v->cfg->rpo[i];
        const struct ir_block *block = ir_block_at(x->f, b);
        vec_push(v->arena, &order, b);
        vec_push(v->arena, &reverse, v->cfg->rpo[v->cfg->rpo_count - 1 - i]);
        for (uint32_t e = 0; e < block->edges.count; e++)
            edge_add(v->arena, &down, b, block->edges.at[e].block);
        ir_each_ins(r, x->f, b) {
            uint32_t reg = (uint32_t)ir_at(x->f, r)->imm;
            if (!ir_is_convergence_barrier(ir_at(x->f, r)->op) || number_of(x, reg) != MAP_NONE)
                continue;
            map_set(v->arena, &x->number, reg, x->registers.count);
            vec_push(v->arena, &x->registers, reg);
        }
    }
    struct edge_list up = {down.to, down.from};
    struct rows ahead = rows_of_edges(v->arena, x->f->blocks.count, &down);
    struct rows back = rows_of_edges(v->arena, x->f->blocks.count, &up);
    struct ir_dataflow d = {&ahead, &order, x->registers.count, forward, x};
    x->joined = ir_dataflow_solve(v->arena, &d);
    d = (struct ir_dataflow){&back, &reverse, x->registers.count, backward, x};
    x->live = ir_dataflow_solve(v->arena, &d);
    return x;
}

/* What is joined and live just before r; r 0: at the end of the block. */
static void sets_at(const struct ir_barrier_sets *x, uint32_t b, ir_ref r, struct bitset *joined,
                    struct bitset *live)
{
    *joined = bitset_new(x->v->arena, x->registers.count);
    *live = bitset_new(x->v->arena, x->registers.count);
    bitset_copy(*joined, x->joined[b]);
    bitset_copy(*live, x->live[b]);
    for (ir_ref i = ir_block_at(x->f, b)->first; i != r; i = ir_at(x->f, i)->next)
        step_forward(x, i, *joined);
    for (ir_ref i = ir_block_at(x->f, b)->last; i && r; i = ir_at(x->f, i)->prev) {
        step_backward(x, i, *live);
        if (i == r)
            break;
    }
}

/* ---- text ------------------------------------------------------------------------------------------------ */

static void add_set(const struct ir_barrier_sets *x, struct bitset set, struct text *out)
{
    const char *separator = "{";
    bitset_each(n, set) {
        text_printf(out, "%s%u", separator, x->registers.at[n]);
        separator = ", ";
    }
    text_addz(out, separator[0] == '{' ? "{}" : "}");
}

/* Blocks with the operation on barrier n. */
static u32_vec places_of(const struct ir_barrier_sets *x, uint32_t n, enum ir_op op)
{
    u32_vec blocks = {0};
    for (uint32_t i = 0; i < x->v->cfg->rpo_count; i++) {
        uint32_t b = x->v->cfg->rpo[i];
        bool has = op == IR_cb_join && joined_by_branch(x, b) == n;
        ir_each_ins(r, x->f, b)
            has |= ir_at(x->f, r)->op == op && (uint32_t)ir_at(x->f, r)->imm == x->registers.at[n];
        if (has)
            vec_push(x->v->arena, &blocks, b);
    }
    return blocks;
}

/* Blocks in whose midst, or at whose start, threads may be in the barrier and still come to a wait for it. */
static u32_vec range_of(const struct ir_barrier_sets *x, uint32_t n)
{
    u32_vec blocks = {0};
    for (uint32_t i = 0; i < x->v->cfg->rpo_count; i++) {
        uint32_t b = x->v->cfg->rpo[i];
        struct bitset joined, live;
        bool in = false;
        ir_each_ins(r, x->f, b) {
            if (r != ir_block_at(x->f, b)->first && !ir_is_convergence_barrier(ir_at(x->f, r)->op))
                continue;
            sets_at(x, b, r, &joined, &live);
            in |= bitset_has(joined, n) && bitset_has(live, n);
        }
        if (in)
            vec_push(x->v->arena, &blocks, b);
    }
    return blocks;
}

/* Threads join a prediction's barrier so that they gather again. */
static bool is_prediction(const struct ir_barrier_sets *x, uint32_t n, place *at)
{
    bool gathers = false;
    for (uint32_t i = 0; i < x->v->cfg->rpo_count; i++)
        ir_each_ins(r, x->f, x->v->cfg->rpo[i]) {
            const struct ir_ins *ins = ir_at(x->f, r);
            if (!ir_is_convergence_barrier(ins->op) || (uint32_t)ins->imm != x->registers.at[n])
                continue;
            gathers |= ins->op == IR_cb_join && ins->imm2;
            *at = ins->op == IR_cb_wait ? ins->at : *at;
        }
    return gathers;
}

/* by[n]: barriers that threads are in, and that others may wait for, where they wait for n. */
static struct bitset *find_waits(const struct ir_barrier_sets *x)
{
    struct bitset *by = arena_array(x->v->arena, struct bitset, x->registers.count);
    for (uint32_t n = 0; n < x->registers.count; n++)
        by[n] = bitset_new(x->v->arena, x->registers.count);
    for (uint32_t i = 0; i < x->v->cfg->rpo_count; i++)
        ir_each_ins(r, x->f, x->v->cfg->rpo[i]) {
            struct bitset joined, live;
            if (ir_at(x->f, r)->op != IR_cb_wait)
                continue;
            uint32_t n = number_of(x, (uint32_t)ir_at(x->f, r)->imm);
            sets_at(x, x->v->cfg->rpo[i], r, &joined, &live);
            bitset_intersect(joined, live);
            bitset_remove(joined, n);
            bitset_union(by[n], joined);
        }
    return by;
}

ir_view_barriers ir_view_list_barriers(struct ir_viewer *v)
{
    const struct ir_barrier_sets *x = find(v);
    ir_view_barriers all = {0};
    for (uint32_t n = 0; n < x->registers.count; n++) {
        struct ir_view_barrier b = {.reg = x->registers.at[n]};
        b.prediction = is_prediction(x, n, &b.at);
        b.joined = places_of(x, n, IR_cb_join);
        b.waited = places_of(x, n, IR_cb_wait);
        b.rejoined = places_of(x, n, IR_cb_rejoin);
        b.cancelled = places_of(x, n, IR_cb_cancel);
        b.live = range_of(x, n);
        vec_push(v->arena, &all, b);
    }
    return all;
}

static void add_blocks(struct ir_viewer *v, const char *what, const u32_vec *blocks, struct text *out)
{
    for (uint32_t i = 0; i < blocks->count; i++)
        text_printf(out, "%s %s", i ? "," : what, ir_view_block(v, blocks->at[i]));
}

void ir_view_barriers_text(struct ir_viewer *v, struct text *out)
{
    const struct ir_barrier_sets *x = find(v);
    const struct bitset *waits = find_waits(x);
    const ir_view_barriers all = ir_view_list_barriers(v);
    for (uint32_t n = 0; n < all.count; n++) {
        const struct ir_view_barrier *b = &all.at[n];
        text_printf(out, "  barrier %u, of %s", b->reg, b->prediction ? "a prediction" : "post-dominators");
        if (b->prediction && b->at.line)
            text_printf(out, " in line %u", b->at.line);
        add_blocks(v, ": joined in", &b->joined, out);
        add_blocks(v, "; waited for in", &b->waited, out);
        add_blocks(v, "; rejoined in", &b->rejoined, out);
        add_blocks(v, "; cancelled in", &b->cancelled, out);
        text_addz(out, "\n    live range:");
        for (uint32_t i = 0; i < b->live.count; i++)
            text_printf(out, " %s", ir_view_block(v, b->live.at[i]));
        text_addz(out, "\n");
        bitset_each(m, waits[n])
            text_printf(out, "    threads wait for it where they are in %u%s\n", x->registers.at[m],
                        bitset_has(waits[m], n) ? ", and for that where they are in it: they conflict" : "");
    }
    for (uint32_t i = 0; i < v->cfg->rpo_count; i++) {
        struct bitset joined, live;
        uint32_t b = v->cfg->rpo[i];
        sets_at(x, b, ir_block_at(x->f, b)->first, &joined, &live);
        text_printf(out, "  %s: joined ", ir_view_block(v, b));
        add_set(x, joined, out);
        text_addz(out, ", live ");
        add_set(x, live, out);
        text_addz(out, "\n");
    }
}

/* ---- graphs and comments --------------------------------------------------------------------------------- */

void ir_view_barriers_dot(struct ir_viewer *v, struct text *out)
{
    const struct ir_barrier_sets *x = find(v);
    for (uint32_t i = 0; i < v->cfg->rpo_count; i++) {
        uint32_t b = v->cfg->rpo[i];
        struct bitset joined, live;
        struct text label = {.arena = v->arena};
        sets_at(x, b, ir_block_at(x->f, b)->first, &joined, &live);
        text_addz(&label, ", xlabel=\"joined ");
        add_set(x, joined, &label);
        text_addz(&label, "\\nlive ");
        add_set(x, live, &label);
        text_addz(&label, "\"");
        ir_view_dot_block(v, b, label.at, out);
        for (uint32_t e = 0; e < ir_block_at(x->f, b)->edges.count; e++)
            ir_view_dot_edge(v, b, ir_block_at(x->f, b)->edges.at[e].block, "", out);
    }
}

/* At the start of each block, and at each operation on a barrier: the sets before it. */
void ir_view_barriers_comment(struct ir_viewer *v, ir_ref r, struct text *out)
{
    uint32_t b = ir_at(v->fn, r)->block;
    struct bitset joined, live;
    if (!bitset_has(v->cfg->reachable, b) ||
        (ir_block_at(v->fn, b)->first != r && !ir_is_convergence_barrier(ir_at(v->fn, r)->op)))
        return;
    const struct ir_barrier_sets *x = find(v);
    sets_at(x, b, r, &joined, &live);
    text_addz(out, "joined ");
    add_set(x, joined, out);
    text_addz(out, ", live ");
    add_set(x, live, out);
}
