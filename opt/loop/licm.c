/* licm.c: what gives the same in each iteration is computed before the loop.
 *
 * Blocks in reverse post-order, so that operands have moved before their users; an instruction climbs out of
 * as many loops as its operands allow. What cannot trap may run although it would not have run, if it is
 * cheap; what is dear, and every load, only where the loop runs it whenever it is entered. A load stays if
 * the loop may write what it reads: no store, atomic, barrier or call in the way (ir/analysis/memory.c).
 * Assertions leave on the terms of loads, but for loops that print or call: what is printed before a trap
 * stays. There a load from an object stays too: an assertion that its index is within may stand before it.
 *
 * Convergent operations never move: before the loop other threads would take part. Cycles with
 * several entries are left alone. Needs cycles and dominators; near-linear.
 */
#include "ir/analysis/memory.h"
#include "opt/pass.h"

enum { WRITES_MAX = 8 };

struct effects {
    struct ir_location writes[WRITES_MAX];
    uint32_t count;
    bool too_many;
    uint8_t clobber; /* enum ir_clobber */
    bool prints, asserts;
    uint32_t first_exit, last_exit; /* preorder numbers of the blocks it is left from */
    uint32_t preheader;             /* IR_NO_BLOCK: none yet */
};

struct licm {
    struct opt_context *c;
    struct ir_function *f;
    const struct ir_cfg *g;
    const struct ir_dominators *d;
    const struct ir_cycles *cycles;
    const struct ir_memory *memory;
    struct effects *effects; /* by cycle */
    u32_vec home;            /* by block, new ones too: innermost cycle */
    bool has_new_blocks;
};

/* ---- what loops do ----------------------------------------------------------------------------------- */

static void add_write(struct effects *e, struct ir_location x)
{
    if (e->count == WRITES_MAX)
        e->too_many = true;
    else
        e->writes[e->count++] = x;
}

static bool may_print(enum ir_op op)
{
    return op == IR_printf || op == IR_hostcall || op == IR_call || op == IR_icall;
}

static void note_instruction(struct licm *l, struct effects *e, ir_ref r)
{
    struct ir_location x;
    enum ir_clobber c = ir_clobber_of((enum ir_op)ir_at(l->f, r)->op);
    if (c > e->clobber)
        e->clobber = (uint8_t)c;
    e->prints |= may_print((enum ir_op)ir_at(l->f, r)->op);
    e->asserts |= ir_at(l->f, r)->op == IR_assert;
    if (ir_written(l->memory, r, &x))
        add_write(e, x);
}

static void note_exit(struct licm *l, uint32_t cycle, uint32_t from, uint32_t to)
{
    for (uint32_t i = cycle; i != IR_NO_CYCLE && !ir_cycle_has(l->cycles, i, to);
         i = l->cycles->at[i].parent) {
        struct effects *e = &l->effects[i];
        if (l->d->pre[from] < e->first_exit)
            e->first_exit = l->d->pre[from];
        if (l->d->pre[from] > e->last_exit)
            e->last_exit = l->d->pre[from];
    }
}

static void add_to_parent(struct effects *to, const struct effects *from)
{
    for (uint32_t i = 0; i < from->count; i++)
        add_write(to, from->writes[i]);
    to->too_many |= from->too_many;
    to->prints |= from->prints;
    to->asserts |= from->asserts;
    if (from->clobber > to->clobber)
        to->clobber = from->clobber;
}

static void find_effects(struct licm *l)
{
    for (uint32_t i = 0; i < l->cycles->count; i++)
        l->effects[i] = (struct effects){.first_exit = UINT32_MAX, .preheader = IR_NO_BLOCK};
    for (uint32_t i = 0; i < l->g->rpo_count; i++) {
        uint32_t b = l->g->rpo[i], cycle = l->cycles->innermost[b];
        if (cycle == IR_NO_CYCLE)
            continue;
        ir_each_ins(r, l->f, b)
            note_instruction(l, &l->effects[cycle], r);
        for (uint32_t e = 0; e < ir_block_at(l->f, b)->edges.count; e++)
            note_exit(l, cycle, b, ir_block_at(l->f, b)->edges.at[e].block);
    }
    for (uint32_t i = l->cycles->count; i-- > 0;)
        if (l->cycles->at[i].parent != IR_NO_CYCLE)
            add_to_parent(&l->effects[l->cycles->at[i].parent], &l->effects[i]);
}

/* Whether the load may give something else in the loop than before it, or trap where an assertion would. */
static bool may_change(const struct licm *l, uint32_t cycle, ir_ref load)
{
    const struct effects *e = &l->effects[cycle];
    struct ir_location x;
    ir_read(l->memory, load, &x);
    if (e->prints && e->asserts && x.object)
        return true;
    if (x.space == IR_TYPE_CONSTANT)
        return false;
    if (e->too_many || ir_is_clobbered(l->memory, e->clobber, x))
        return true;
    for (uint32_t i = 0; i < e->count; i++)
        if (ir_may_overlap(l->memory, e->writes[i], x))
            return true;
    return false;
}

/* Whether the block runs in the first iteration already, whatever happens: it dominates every exit. */
static bool always_runs(const struct licm *l, uint32_t cycle, uint32_t b)
{
    const struct effects *e = &l->effects[cycle];
    if (b == l->cycles->at[cycle].header)
        return true;
    return e->first_exit != UINT32_MAX && l->d->pre[b] <= e->first_exit && e->last_exit <= l->d->post[b];
}

/* ---- what may move ----------------------------------------------------------------------------------- */

static bool is_movable(const struct licm *l, ir_ref r)
{
    const struct ir_ins *ins = ir_at(l->f, r);
    switch (ins->op) {
    case IR_load:
    case IR_assert:
    case IR_ptradd:
    case IR_ptrcast:
    case IR_object:
    case IR_function:
    case IR_special: return true;
    default: return ir_is_pure(ins->op);
    }
}

static uint32_t home_of(const struct licm *l, uint32_t block)
{
    return block == IR_NO_BLOCK ? IR_NO_CYCLE : l->home.at[block];
}

static bool is_invariant(const struct licm *l, const struct ir_ins *ins, uint32_t cycle)
{
    for (uint32_t i = 0; i < ins->argc; i++) {
        uint32_t home = home_of(l, ir_at(l->f, ins->args[i])->block);
        if (home != IR_NO_CYCLE && ir_cycle_contains(l->cycles, cycle, home))
            return false;
    }
    return true;
}

static bool is_cheap(enum ir_latency n)
{
    return n == IR_LAT_NONE || n == IR_LAT_ALU || n == IR_LAT_MUL || n == IR_LAT_FPU;
}

static bool may_leave(const struct licm *l, ir_ref r, uint32_t b, uint32_t cycle)
{
    const struct ir_ins *ins = ir_at(l->f, r);
    const struct ir_cycle *k = &l->cycles->at[cycle];
    if (k->entries.count != 1 || k->header == ir_entry(l->f) || !is_invariant(l, ins, cycle))
        return false;
    if (ins->op == IR_load)
        return always_runs(l, cycle, b) && !may_change(l, cycle, r);
    if (ins->op == IR_assert)
        return always_runs(l, cycle, b) && !l->effects[cycle].prints;
    return is_cheap(ir_latency_of(l->f, r)) || always_runs(l, cycle, b);
}

/* ---- preheaders -------------------------------------------------------------------------------------- */

static void set_home(struct licm *l, uint32_t block, uint32_t cycle)
{
    uint32_t old = l->home.count;
    if (block >= old) {
        vec_resize(l->c->scratch, &l->home, block + 1);
        memset(l->home.at + old, 0xff, (block + 1 - old) * sizeof *l->home.at);
    }
    l->home.at[block] = cycle;
}

/* The only predecessor outside, if it leads nowhere else. */
static uint32_t existing_preheader(const struct licm *l, uint32_t cycle)
{
    uint32_t found = IR_NO_BLOCK;
    ir_each_pred(p, l->cycles->at[cycle].header, l->g) {
        if (!l->d->depth[p] || ir_cycle_has(l->cycles, cycle, p))
            continue;
        if (found != IR_NO_BLOCK || ir_at(l->f, ir_terminator(l->f, p))->op != IR_br)
            return IR_NO_BLOCK;
        found = p;
    }
    return found;
}

static uint32_t new_preheader(struct licm *l, uint32_t cycle)
{
    uint32_t header = l->cycles->at[cycle].header, b = ir_block_new(l->f, NULL);
    struct ir_cursor c = {.fn = l->f, .block = b};
    for (uint32_t i = 0; i < ir_block_at(l->f, header)->params.count; i++) {
        const struct ir_ins *p = ir_at(l->f, ir_block_at(l->f, header)->params.at[i]);
        ir_param_new(l->f, b, p->type, p->name);
    }
    ir_each_pred(p, header, l->g)
        if (!ir_cycle_has(l->cycles, cycle, p))
            ir_block_at(l->f, p)->edges.at[l->g->pred_edges[p_at]].block = b;
    ir_emit_br(&c, header);
    for (uint32_t i = 0; i < ir_block_at(l->f, b)->params.count; i++)
        ir_edge_arg(l->f, &ir_block_at(l->f, b)->edges.at[0], ir_block_at(l->f, b)->params.at[i]);
    set_home(l, b, l->cycles->at[cycle].parent);
    l->has_new_blocks = true;
    return b;
}

static uint32_t preheader_of(struct licm *l, uint32_t cycle)
{
    struct effects *e = &l->effects[cycle];
    if (e->preheader == IR_NO_BLOCK)
        e->preheader = existing_preheader(l, cycle);
    if (e->preheader == IR_NO_BLOCK)
        e->preheader = new_preheader(l, cycle);
    return e->preheader;
}

/* ---- the walk ---------------------------------------------------------------------------------------- */

static void decline_convergent(struct licm *l, ir_ref r, uint32_t cycle)
{
    const struct ir_ins *ins = ir_at(l->f, r);
    if (ins->op == IR_anchor)
        opt_remark(l->c, l->f, OPT_MISSED, "anchor", ins->at,
                   "'token.anchor' not moved out of the loop: each iteration has its own");
    if (ir_op_info[ins->op].flags & IR_CONVERGENT && !(ir_op_info[ins->op].flags & IR_EFFECT) &&
        !opt_is_token_op(ins->op) && is_invariant(l, ins, cycle))
        opt_remark(l->c, l->f, OPT_MISSED, "convergent", ins->at,
                   "'%s' not moved out of the loop: other threads would take part", ir_op_info[ins->op].text);
}

static bool licm_visit(struct licm *l, ir_ref r, uint32_t b)
{
    uint32_t target = IR_NO_CYCLE, cycle = l->cycles->innermost[b];
    if (!is_movable(l, r)) {
        decline_convergent(l, r, cycle);
        return false;
    }
    for (; cycle != IR_NO_CYCLE && may_leave(l, r, b, cycle); cycle = l->cycles->at[cycle].parent)
        target = cycle;
    if (target == IR_NO_CYCLE)
        return false;
    uint32_t to = preheader_of(l, target);
    struct ir_cursor c = {.fn = l->f, .block = to, .before = ir_terminator(l->f, to)};
    ir_unlink(l->f, r);
    ir_link(&c, r);
    opt_count(l->c, ir_at(l->f, r)->op == IR_load ? "loads moved" : "expressions moved", 1);
    return true;
}

bool opt_licm(struct opt_context *c, struct ir_function *f)
{
    struct licm l = {
        .c = c, .f = f, .g = opt_cfg(c, f), .d = opt_dominators(c, f), .cycles = opt_cycles(c, f)};
    bool changed = false;
    if (l.cycles->count == 0)
        return false;
    l.memory = opt_points_to(c, f);
    l.effects = arena_array(c->scratch, struct effects, l.cycles->count);
    for (uint32_t b = 0; b < f->blocks.count; b++)
        set_home(&l, b, l.cycles->innermost[b]);
    find_effects(&l);
    for (uint32_t i = 0; i < l.g->rpo_count; i++) {
        uint32_t b = l.g->rpo[i];
        if (l.cycles->innermost[b] == IR_NO_CYCLE)
            continue;
        for (ir_ref r = ir_block_at(f, b)->first, next; r; r = next) {
            next = ir_at(f, r)->next;
            changed |= licm_visit(&l, r, b);
        }
    }
    if (l.has_new_blocks)
        opt_invalidate(c, f);
    return changed;
}
