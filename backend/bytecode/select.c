/* select.c: instruction selection: IR → words on virtual registers, a block after the other in reverse
 * post-order, so that definitions come before their uses.
 *
 * Nothing is looked ahead for: every value gets its words where it stands, and what turns out to be unneeded
 * (comparisons that went into a branch, address arithmetic that went into a load, spread uniform values that
 * only scalar forms read) is dropped by liveness.c.
 */
#include "backend/bytecode/select.h"

/* ---- words ------------------------------------------------------------------------------------------- */

static uint32_t define(struct be_selector *s, enum bc_kind kind)
{
    uint32_t v = be_vreg_new(s->c, s->f, kind, BE_LOCAL);
    be_vreg(s->f, v)->segment = s->segment;
    return v;
}

uint32_t be_define(struct be_selector *s, ir_ref r)
{
    enum ir_type t = (enum ir_type)ir_at(s->ir, r)->type;
    s->lanes[r] = define(s, be_kind(t));
    be_vreg(s->f, s->lanes[r])->content = be_content(t);
    return s->lanes[r];
}

uint32_t be_define_scalar(struct be_selector *s, ir_ref r, bool invariant)
{
    s->invariant[r] = invariant && (s->f->kernel || s->c->function_scalars++ < BE_FUNCTION_SCALARS);
    return s->scalars[r] = define(s, BC_KIND_S);
}

struct be_word *be_put(struct be_selector *s, enum bc_op op, uint32_t d, uint32_t a, uint32_t b, uint32_t e)
{
    const struct ir_ins *ins = ir_at(s->ir, s->at);
    struct be_word w = {.op = (uint16_t)op,
                        .cycles = ir_cost_of(s->ir, s->at),
                        .d = d,
                        .a = a,
                        .b = b,
                        .e = e,
                        .at = ins->at,
                        .boundary = s->boundary};
    w.effect = !be_defines(&w) || be_vreg(s->f, d)->home == BE_FOREIGN || ir_has_effect(s->ir, s->at);
    if (be_defines(&w) && d)
        be_vreg(s->f, d)->word = s->f->words.count;
    s->boundary = false;
    vec_push(&s->c->arena, &s->f->words, w);
    return &vec_last(&s->f->words);
}

static struct be_word *put_move_word(struct be_selector *s, enum bc_op op, uint32_t to, uint32_t from)
{
    struct be_word *w = be_put(s, op, to, from, 0, 0);
    w->cycles = ir_latency_cycles[IR_LAT_ALU];
    w->effect = be_vreg(s->f, to)->home == BE_FOREIGN;
    return w;
}

void be_spread(struct be_selector *s, ir_ref r)
{
    uint32_t from = s->scalars[r];
    put_move_word(s, (enum bc_op)(BC_spread_v + be_kind((enum ir_type)ir_at(s->ir, r)->type)),
                  be_define(s, r), from);
}

void be_put_move(struct be_selector *s, uint32_t to, ir_ref r)
{
    unsigned kind = be_vreg(s->f, to)->kind;
    if (be_uniform(s, r))
        put_move_word(s, (enum bc_op)(BC_spread_v + kind), to, be_scalar(s, r));
    else
        put_move_word(s, (enum bc_op)(BC_mov_v + kind), to, be_lanes(s, r));
}

void be_switch_point(struct be_selector *s)
{
    s->segment++;
    s->boundary = true;
}

/* ---- control ----------------------------------------------------------------------------------------- */

/* A comparison of this block that only the branch reads becomes part of it. */
static bool select_fused(struct be_selector *s, const struct ir_ins *branch)
{
    ir_ref condition = branch->args[0];
    const struct ir_ins *compare = ir_at(s->ir, condition);
    if (s->uses[condition] != 1 || compare->block != branch->block || !ir_is_pure((enum ir_op)compare->op))
        return false;
    enum scalar_case which = ir_scalar_case(s->ir, condition);
    if (!bc_is_comparison(which))
        return false;
    bool uniform[2] = {be_uniform(s, compare->args[0]), be_uniform(s, compare->args[1])};
    enum bc_form form = uniform[0] && uniform[1] ? BC_FORM_C : uniform[1] ? BC_FORM_U : BC_FORM_B;
    if (form != BC_FORM_C && s->scalars[condition])
        return false;
    uint32_t a = form == BC_FORM_C ? be_scalar(s, compare->args[0]) : be_lanes(s, compare->args[0]);
    uint32_t b = form == BC_FORM_B ? be_lanes(s, compare->args[1]) : be_scalar(s, compare->args[1]);
    struct be_word *w = be_put(s, bc_scalar_op(which, form), 0, a, b, 0);
    w->cycles = (uint8_t)(w->cycles + ir_cost_of(s->ir, condition));
    return true;
}

/* Sides that are neither arms nor lead to where the threads reconverge are branched to. */
static void select_predicate(struct be_selector *s, const struct ir_ins *branch)
{
    const struct ir_predication *p = &s->f->predication;
    bool whole = bitset_has(p->whole, branch->block);
    uint32_t left = whole ? 0 : IR_BOTH_SIDES & ~(uint32_t)p->sides[branch->block];
    struct be_word *w = be_put(s, BC_predicate, left, be_lanes(s, branch->args[0]), 0, 0);
    w->cycles = whole ? 0 : ir_latency_cycles[IR_LAT_BR];
}

static void select_brif(struct be_selector *s, ir_ref r)
{
    const struct ir_ins *ins = ir_at(s->ir, r);
    if (s->f->predication.sides && s->f->predication.sides[ins->block]) {
        select_predicate(s, ins);
        return;
    }
    if (select_fused(s, ins))
        return;
    if (be_uniform(s, ins->args[0]))
        be_put(s, BC_sbr, 0, be_scalar(s, ins->args[0]), 0, 0);
    else
        be_put(s, BC_br, 0, be_lanes(s, ins->args[0]), 0, 0);
}

/* A switch without cases is a jump: its edge's moves stand before it. */
static void select_switch(struct be_selector *s, ir_ref r)
{
    ir_ref value = ir_at(s->ir, r)->args[0];
    if (ir_block_at(s->ir, ir_at(s->ir, r)->block)->edges.count == 1)
        be_put(s, BC_jump, 0, 0, 0, 0);
    else if (be_uniform(s, value))
        be_put(s, BC_switch_s, 0, be_scalar(s, value), 0, 0);
    else
        be_put(s, ir_at(s->ir, value)->type == IR_TYPE_I64 ? BC_switch_w : BC_switch_v, 0, be_lanes(s, value),
               0, 0);
}

/* An index below a limit, which only the assertion reads, becomes part of it. */
static struct be_word *select_index_check(struct be_selector *s, const struct ir_ins *assertion)
{
    ir_ref condition = assertion->args[0];
    const struct ir_ins *compare = ir_at(s->ir, condition);
    if (s->uses[condition] != 1 || compare->block != assertion->block || compare->op != IR_ult ||
        ir_at(s->ir, compare->args[0])->type != IR_TYPE_I32 || !be_uniform(s, compare->args[1]))
        return NULL;
    bool uniform = be_uniform(s, compare->args[0]);
    if (!uniform && s->scalars[condition])
        return NULL;
    uint32_t a = uniform ? be_scalar(s, compare->args[0]) : be_lanes(s, compare->args[0]);
    struct be_word *w =
        be_put(s, uniform ? BC_assert_below_s : BC_assert_below, 0, a, be_scalar(s, compare->args[1]), 0);
    w->cycles = (uint8_t)(w->cycles + ir_cost_of(s->ir, condition));
    return w;
}

static void select_assert(struct be_selector *s, ir_ref r)
{
    const struct ir_ins *ins = ir_at(s->ir, r);
    struct be_word *check = select_index_check(s, ins);
    if (check)
        check->imm = (uint32_t)ins->imm;
    else
        be_put(s, BC_assert, 0, be_lanes(s, ins->args[0]), 0, 0)->imm = (uint32_t)ins->imm;
}

static void select_check(struct be_selector *s, ir_ref r)
{
    const struct ir_ins *ins = ir_at(s->ir, r);
    be_put(s, BC_check_uniform, 0, be_lanes(s, ins->args[0]), be_lanes(s, ins->args[1]), 0)->imm =
        (uint32_t)ins->imm;
}

static void select_memory_check(struct be_selector *s, ir_ref r)
{
    const struct ir_ins *ins = ir_at(s->ir, r);
    uint32_t lanes[3] = {0};
    for (uint32_t i = 0; i < ins->argc; i++)
        lanes[i] = be_lanes(s, ins->args[i]);
    enum bc_op op = ins->op == IR_check_memory ? BC_check_memory : BC_check_sync;
    struct be_word *w = be_put(s, op, 0, lanes[0], lanes[1], 0);
    w->c = lanes[2];
    w->imm = (uint32_t)ins->imm;
}

static void select_origin(struct be_selector *s, ir_ref r)
{
    const struct ir_ins *ins = ir_at(s->ir, r);
    uint32_t address = be_lanes(s, ins->args[0]), pointer = be_lanes(s, ins->args[1]);
    be_put(s, BC_check_origin, be_define(s, r), address, pointer, 0)->imm = (uint32_t)ins->imm;
}

static void select_await(struct be_selector *s, uint32_t barriers)
{
    struct be_word *w = be_put(s, BC_await, 0, 0, 0, 0);
    w->cycles = 0;
    w->imm = barriers;
}

static void select_ins(struct be_selector *s, ir_ref r)
{
    const struct ir_ins *ins = ir_at(s->ir, r);
    if (s->f->barriers && s->f->barriers[r] && ins->op != IR_barrier)
        select_await(s, s->f->barriers[r]);
    switch (ins->op) {
    case IR_object:
    case IR_function:
    case IR_special:
    case IR_alloca:
    case IR_fence:
    case IR_predict:
    case IR_predict_point:
    case IR_predict_function: return;
    case IR_ptradd: be_select_as(s, r, SCALAR_add_I); return;
    case IR_ptrcast: be_select_cast(s, r); return;
    case IR_load:
        if (!be_select_wide(s, r))
            be_select_load(s, r);
        return;
    case IR_store:
        if (!be_select_wide(s, r))
            be_select_store(s, r);
        return;
    case IR_memcpy:
    case IR_memzero: be_select_block_memory(s, r); return;
    case IR_clock: be_put(s, BC_clock, be_define(s, r), 0, 0, 0); return;
    case IR_call: be_select_call(s, r); return;
    case IR_icall: be_select_icall(s, r); return;
    case IR_hostcall:
    case IR_printf: be_select_listed(s, r); return;
    case IR_assert: select_assert(s, r); return;
    case IR_check_uniform: select_check(s, r); return;
    case IR_check_memory:
    case IR_check_sync: select_memory_check(s, r); return;
    case IR_check_origin: select_origin(s, r); return;
    case IR_br: be_put(s, BC_jump, 0, 0, 0, 0); return;
    case IR_brif: select_brif(s, r); return;
    case IR_switch: select_switch(s, r); return;
    case IR_ret: be_select_return(s, r); return;
    case IR_trap: be_put(s, BC_trap, 0, 0, 0, 0)->imm = (uint32_t)ins->imm; return;
    default: break;
    }
    if (ir_is_pure((enum ir_op)ins->op)) {
        be_select_pure(s, r);
    } else if (ir_is_atomic((enum ir_op)ins->op)) {
        be_select_atomic(s, r);
    } else if (!be_select_group(s, r)) {
        BUG("bytecode has no %s", ir_op_info[ins->op].text);
    }
}

/* ---- blocks ------------------------------------------------------------------------------------------ */

static uint32_t scalar_param(struct be_selector *s, ir_ref param)
{
    if (!s->scalars[param])
        s->scalars[param] = be_vreg_new(s->c, s->f, BC_KIND_S, BE_FRAME);
    return s->scalars[param];
}

/* Whether the parameter is what the block's branch decides by, and that branch is overhead. */
static bool decides_overhead(const struct ir_function *f, uint32_t b, ir_ref param)
{
    const struct ir_ins *branch = ir_at(f, ir_terminator(f, b));
    return ir_block_at(f, b)->overhead && branch->argc && branch->args[0] == param;
}

/* The moves that the edge's arguments ask for. They stand at the end of the block, behind a branch in a
 * block of their own: there only invariant values and warp scalars can still be read. */
static void select_edge(struct be_selector *s, uint32_t from_block, const struct ir_edge *e, bool only)
{
    struct be_function *f = s->f;
    const u32_vec *params = &ir_block_at(s->ir, e->block)->params;
    vec_push(&s->c->arena, &f->edges, ((struct be_edge){e->block, f->moves.count, e->argc}));
    for (uint32_t i = 0; i < e->argc; i++) {
        ir_ref p = params->at[i], arg = e->args[i];
        uint32_t to = s->warp_scalar[p] ? scalar_param(s, p) : be_lanes(s, p);
        bool scalar = only ? be_uniform(s, arg) : be_invariant(s, arg) || s->warp_scalar[arg];
        INVARIANT(scalar || !s->warp_scalar[p]);
        uint32_t from = scalar ? be_scalar(s, arg) : be_lanes(s, arg);
        struct be_vreg *param = be_vreg(f, to);
        bool shares = s->warp_scalar[p] && be_may_share(s, p, arg, from_block);
        bool overhead = decides_overhead(s->ir, e->block, p);
        vec_push(&s->c->arena, &f->moves, ((struct be_move){to, from, param->first_move, shares, overhead}));
        param->first_move = f->moves.count - 1;
    }
}

static void begin_param(struct be_selector *s, uint32_t v, uint32_t word)
{
    struct be_vreg *param = be_vreg(s->f, v);
    param->word = word;
    param->start = 2 * word;
    param->block = s->f->cfg->rpo_index[ir_at(s->ir, s->at)->block];
}

static void begin_params(struct be_selector *s, const struct ir_block *block, uint32_t word)
{
    for (uint32_t i = 0; i < block->params.count; i++) {
        ir_ref p = block->params.at[i];
        begin_param(s, s->warp_scalar[p] ? scalar_param(s, p) : be_lanes(s, p), word);
        if (s->warp_scalar[p])
            be_spread(s, p);
    }
}

static void select_block(struct be_selector *s, uint32_t b)
{
    struct be_function *f = s->f;
    const struct ir_block *block = ir_block_at(s->ir, b);
    struct be_block *out = &f->blocks.at[s->f->cfg->rpo_index[b]];
    *out = (struct be_block){.ir = b, .first = f->words.count};
    s->at = block->first;
    be_switch_point(s);
    be_put(s, BC_block, 0, 0, 0, 0)->cycles = 0;
    if (!s->f->kernel || b != ir_entry(s->ir))
        begin_params(s, block, out->first);
    ir_each_ins(r, s->ir, b)
        select_ins(s, s->at = r);
    out->first_edge = f->edges.count;
    for (uint32_t e = 0; e < block->edges.count; e++)
        select_edge(s, b, &block->edges.at[e], block->edges.count == 1);
    out->end = f->words.count;
}

static void count_uses(struct be_selector *s)
{
    for (uint32_t i = 0; i < s->f->cfg->rpo_count; i++) {
        uint32_t b = s->f->cfg->rpo[i];
        ir_each_ins(r, s->ir, b)
            for (uint32_t k = 0; k < ir_at(s->ir, r)->argc; k++)
                s->uses[ir_at(s->ir, r)->args[k]]++;
        const struct ir_block *block = ir_block_at(s->ir, b);
        for (uint32_t e = 0; e < block->edges.count; e++)
            for (uint32_t k = 0; k < block->edges.at[e].argc; k++)
                s->uses[block->edges.at[e].args[k]]++;
    }
}

static void note_params(struct be_selector *s)
{
    const u32_vec *params = &ir_block_at(s->ir, ir_entry(s->ir))->params;
    s->f->params = arena_array(&s->c->arena, uint32_t, params->count);
    for (uint32_t i = 0; i < params->count && !s->f->kernel; i++)
        s->f->params[i] = s->lanes[params->at[i]];
}

static bool may_diverge(enum bc_op op)
{
    return op == BC_br || op == BC_predicate || op == BC_switch_v || op == BC_switch_w ||
           (op < BC_SCALAR_OPS && (op % BC_FORMS == BC_FORM_B || op % BC_FORMS == BC_FORM_U));
}

uint32_t be_reconvergence_point(const struct be_function *f, uint32_t branch)
{
    uint32_t chosen = ir_block_at(f->ir, branch)->reconverge;
    if (chosen == IR_AT_RETURN || (f->joins && chosen == IR_NO_BLOCK))
        return IR_NO_BLOCK; /* where branches join barriers, those that join none wait nowhere */
    return chosen != IR_NO_BLOCK && bitset_has(f->cfg->reachable, chosen) ? chosen : f->post->idom[branch];
}

uint32_t be_reconvergence_of(const struct be_function *f, const struct be_block *b)
{
    enum bc_op op = (enum bc_op)f->words.at[b->end - 1].op;
    if (!may_diverge(op) || f->frontiers)
        return IR_NO_BLOCK;
    return be_reconvergence_point(f, b->ir);
}

static bool is_checked(const struct be_context *c, const struct ir_block *b)
{
    bool goes_there = scheme_has(c->scheme, SCHEME_CONSERVATIVE);
    return b->check || (goes_there && b->frontier != IR_NO_BLOCK);
}

static void find_reconvergence_points(const struct be_context *c, struct be_function *f)
{
    for (uint32_t i = 0; i < f->blocks.count; i++) {
        uint32_t reconverge = be_reconvergence_of(f, &f->blocks.at[i]);
        if (f->frontiers)
            f->blocks.at[i].reconverge = is_checked(c, ir_block_at(f->ir, f->blocks.at[i].ir));
        if (reconverge != IR_NO_BLOCK)
            f->blocks.at[f->cfg->rpo_index[reconverge]].reconverge = true;
    }
}

/* Under convergence barriers the arms of divergent branches are predicated that the IR marks so. */
static void find_predication(struct be_selector *s)
{
    struct be_function *f = s->f;
    uint8_t *asked = f->joins ? ir_asks_predication(&s->c->arena, s->ir) : NULL;
    for (uint32_t b = 0; asked && b < s->ir->blocks.count; b++)
        if (asked[b] && be_uniform(s, ir_at(s->ir, ir_terminator(s->ir, b))->args[0]))
            asked[b] = 0;
    f->predication = ir_predication_new(&s->c->arena, f->cfg, asked, true);
}

void be_select(struct be_context *c, struct be_function *f)
{
    uint32_t n = f->ir->ins.count;
    f->post = ir_reconvergence_new(&c->arena, f->cfg);
    if (!scheme_has(c->scheme, SCHEME_TOKENS))
        f->barriers = ir_reached_from_barriers(&c->arena, f->cfg, c->waiting);
    struct be_selector s = {.c = c, .f = f, .ir = f->ir};
    s.lanes = arena_array(&c->arena, uint32_t, n);
    s.scalars = arena_array(&c->arena, uint32_t, n);
    s.uses = arena_array(&c->arena, uint32_t, n);
    s.invariant = arena_array(&c->arena, bool, n);
    s.warp_scalar = arena_array(&c->arena, bool, n);
    vec_resize(&c->arena, &f->blocks, f->cfg->rpo_count);
    vec_reserve(&c->arena, &f->words, n + f->blocks.count); /* about what most functions need */
    vec_reserve(&c->arena, &f->vregs, n);
    be_vreg_new(c, f, BC_KIND_S, BE_LOCAL); /* number 1 exists, so that the table does */
    if (f->ir->result != IR_TYPE_VOID) {
        f->result = be_vreg_new(c, f, be_kind((enum ir_type)f->ir->result), BE_FRAME);
        be_vreg(f, f->result)->content = be_content((enum ir_type)f->ir->result);
    }
    f->successor = be_find_successor(&s);
    count_uses(&s);
    be_find_warp_scalars(&s);
    find_predication(&s);
    for (uint32_t i = 0; i < f->cfg->rpo_count; i++)
        select_block(&s, f->cfg->rpo[i]);
    note_params(&s);
    find_reconvergence_points(c, f);
}
