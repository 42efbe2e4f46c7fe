/* frames.c: which functions are reached, callees before callers; where allocas and spilled values lie.
 *
 * Recursion being an error, frames have fixed places: a callee's lie behind those of all its callers. Allocas
 * have the addresses that they have in the interpreter (backend/bytecode/frames.c), so that a program that
 * reads uninitialised private memory reads the same; slots for spilled values lie behind all of them, above
 * r30.
 */
#include "backend/warpcore/codegen.h"

static uint32_t max32(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/* ---- call graph -------------------------------------------------------------------------------------- */

static void note_barriers(struct wc_context *c, uint32_t id)
{
    const struct ir_function *f = c->m->functions.at[id];
    ir_each_block(i, b, f)
        ir_each_ins(r, f, b)
            c->frames[id].has_barrier |= ir_at(f, r)->op == IR_barrier;
}

static bool find_order(struct wc_context *c)
{
    c->call_graph = ir_call_graph_new(&c->arena, c->m);
    struct depth_first d = depth_first_new(&c->arena, &c->call_graph.callees);
    for (uint32_t i = 0; i < c->m->functions.count; i++)
        if (c->m->functions.at[i]->flags & IR_FN_KERNEL)
            depth_first_visit(&d, i);
    if (d.retreating.count) {
        const struct ir_function *f = c->m->functions.at[c->call_graph.callees.at[d.retreating.at[0]]];
        wc_fail(c, "recursion", f->at,
                "'%s' may call itself, directly or through others; recursion has no frame", f->name);
        return false;
    }
    c->order = d.order;
    for (uint32_t i = 0; i < c->order.count; i++) {
        c->frames[c->order.at[i]].reached = true;
        note_barriers(c, c->order.at[i]);
    }
    return true;
}

/* ---- private memory ---------------------------------------------------------------------------------- */

static bool place_allocas(struct wc_context *c)
{
    for (uint32_t i = c->order.count; i-- > 0;) {
        uint32_t id = c->order.at[i];
        struct wc_frame *frame = &c->frames[id];
        frame->private_base = max32(frame->private_base, BE_FIRST_ADDRESS);
        uint32_t end = be_frame_end(frame->private_base, frame->private_size);
        if (!be_private_memory_fits(c->m->functions.at[id], end, c->d))
            return false;
        rows_each(k, c->call_graph.callees, c->order.at[i]) {
            struct wc_frame *callee = &c->frames[c->call_graph.callees.at[k]];
            callee->private_base = max32(callee->private_base, end);
        }
        const struct wc_mfunction *f = c->functions[id];
        for (uint32_t r = 1; f->alloca_address && r < f->ir->ins.count; r++)
            f->alloca_address[r] += frame->private_base;
    }
    return true;
}

bool wc_frames(struct wc_context *c)
{
    uint32_t n = c->m->functions.count;
    c->frames = arena_array(&c->arena, struct wc_frame, n);
    c->functions = arena_array(&c->arena, struct wc_mfunction *, n);
    if (!find_order(c))
        return false;
    for (uint32_t i = 0; i < c->order.count; i++) {
        struct wc_mfunction *f = c->functions[c->order.at[i]] = arena_new(&c->arena, struct wc_mfunction);
        f->id = c->order.at[i];
        f->ir = c->m->functions.at[f->id];
        f->kernel = f->ir->flags & IR_FN_KERNEL;
        f->calls = row_length(&c->call_graph.callees, f->id) > 0;
        f->alloca_address = be_lay_out_allocas(&c->arena, f->ir, &c->frames[f->id].private_size);
    }
    return place_allocas(c);
}

/* ---- slots ------------------------------------------------------------------------------------------- */

/* What the words of a load or store can name above r30. */
static bool within_reach(struct wc_context *c, uint32_t id)
{
    const struct wc_frame *frame = &c->frames[id];
    uint32_t end = frame->base + frame->slots;
    const struct ir_function *f = c->m->functions.at[id];
    if (end <= WC_MAX_SLOTS)
        return true;
    wc_fail(c, "frame-size", f->at,
            "'%s' and its callers keep %u values in private memory for want of registers, %u more than "
            "instructions reach",
            f->name, end, end - WC_MAX_SLOTS);
    return false;
}

/* Slots behind those of all callers; what a call destroys and needs was summed up as each function got its
 * registers. */
bool wc_frame_places(struct wc_context *c)
{
    for (uint32_t i = c->order.count; i-- > 0;) {
        const struct wc_frame *frame = &c->frames[c->order.at[i]];
        if (!within_reach(c, c->order.at[i]))
            return false;
        rows_each(k, c->call_graph.callees, c->order.at[i]) {
            struct wc_frame *callee = &c->frames[c->call_graph.callees.at[k]];
            callee->base = max32(callee->base, frame->base + frame->slots);
        }
    }
    return true;
}

/* ---- edges ------------------------------------------------------------------------------------------- */

/* A block with one way in takes its parameters' values from there. */
static void forward_params(struct wc_context *c, struct wc_mfunction *f, const struct ir_cfg *cfg)
{
    ir_ref *to = arena_array(&c->arena, ir_ref, f->ir->ins.count);
    for (uint32_t i = 1; i < cfg->rpo_count; i++) {
        uint32_t b = cfg->rpo[i];
        struct ir_block *block = ir_block_at(f->ir, b);
        if (ir_pred_count(cfg, b) != 1 || !block->params.count)
            continue;
        uint32_t from = cfg->preds[cfg->pred_start[b]], edge = cfg->pred_edges[cfg->pred_start[b]];
        struct ir_edge *e = &ir_block_at(f->ir, from)->edges.at[edge];
        for (uint32_t k = 0; k < block->params.count; k++)
            to[block->params.at[k]] = e->args[k];
        e->argc = 0;
        block->params.count = 0;
    }
    ir_substitute(f->ir, to);
}

/* An edge of a branch that has arguments still gets a block for their moves. */
static void split_edges(struct wc_mfunction *f)
{
    for (uint32_t i = 0, n = f->ir->order.count; i < n; i++) {
        uint32_t b = f->ir->order.at[i];
        if (ir_block_at(f->ir, b)->edges.count < 2)
            continue;
        for (uint32_t e = 0; e < 2; e++)
            if (ir_block_at(f->ir, b)->edges.at[e].argc)
                ir_edge_split(f->ir, b, e);
    }
}

/* Both edges of a branch lead to one block: no lanes diverge, the arguments are chosen. Blocks on the edges
 * would part them, and a loop that was uniform would no longer be in the form of mode source-pc. */
static void choose_arguments(struct wc_mfunction *f, uint32_t b)
{
    ir_ref r = ir_terminator(f->ir, b);
    struct ir_cursor c = {.fn = f->ir, .block = b, .before = r, .at = ir_at(f->ir, r)->at};
    struct ir_edge yes = ir_block_at(f->ir, b)->edges.at[0], no = ir_block_at(f->ir, b)->edges.at[1];
    ir_ref condition = ir_at(f->ir, r)->args[0];
    for (uint32_t k = 0; k < yes.argc; k++) {
        enum ir_type t = (enum ir_type)ir_at(f->ir, yes.args[k])->type;
        if (yes.args[k] != no.args[k])
            yes.args[k] = ir_emit3(&c, IR_select, t, condition, yes.args[k], no.args[k]);
    }
    ir_block_at(f->ir, b)->edges.count = 1;
    ir_at(f->ir, r)->op = IR_br;
    ir_at(f->ir, r)->argc = 0;
}

/* An i64 can't be chosen any more (opt/lower/split_i64.h). */
static bool may_choose(const struct ir_function *f, uint32_t b)
{
    const struct ir_block *block = ir_block_at(f, b);
    bool twins = block->edges.count == 2 && block->edges.at[0].block == block->edges.at[1].block;
    for (uint32_t k = 0; twins && k < block->edges.at[0].argc; k++)
        twins = ir_at(f, block->edges.at[0].args[k])->type != IR_TYPE_I64;
    return twins;
}

static void merge_twin_edges(struct wc_mfunction *f)
{
    ir_each_block(i, b, f->ir)
        if (may_choose(f->ir, b))
            choose_arguments(f, b);
}

static void remove_unreachable(struct wc_context *c, struct wc_mfunction *f, const struct ir_cfg *cfg)
{
    struct bitset dead = bitset_new(&c->arena, f->ir->blocks.count);
    ir_each_block(i, b, f->ir)
        if (!bitset_has(cfg->reachable, b))
            bitset_add(dead, b);
    ir_blocks_remove(f->ir, dead);
}

void wc_prepare(struct wc_context *c, struct wc_mfunction *f)
{
    merge_twin_edges(f);
    const struct ir_cfg *cfg = ir_cfg_new(&c->arena, f->ir);
    remove_unreachable(c, f, cfg);
    forward_params(c, f, ir_cfg_new(&c->arena, f->ir));
    split_edges(f);
    f->cfg = ir_cfg_new(&c->arena, f->ir);
    f->cycles = ir_cycles_new(&c->arena, f->cfg);
}
