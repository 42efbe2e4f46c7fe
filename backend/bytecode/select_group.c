/* select_group.c: convergent operations and tokens.
 *
 * A program that keeps tokens may switch lanes before every convergent operation, one that does not only
 * before a barrier (program.h, rules 1 and 2).
 */
#include "backend/bytecode/select.h"

static uint32_t token_of(struct be_selector *s, const struct ir_ins *ins)
{
    return scheme_has(s->c->scheme, SCHEME_TOKENS) && ins->token ? be_lanes(s, ins->token) : 0;
}

/* Offset of a type's row behind the first of its operation: v w m. */
static unsigned kind_row(const struct be_selector *s, ir_ref r)
{
    return be_kind((enum ir_type)ir_at(s->ir, r)->type);
}

static bool is_class(const struct ir_ins *ins, enum ir_type a, enum ir_type b)
{
    return ins->type == a || ins->type == b;
}

/* reduce_OP_I and its neighbours: integers in pairs I L, then the floats of add, smin, smax. */
static enum bc_op reduce_op(const struct ir_ins *ins)
{
    static const enum bc_op integers[] = {BC_reduce_add_I,  BC_reduce_smin_I, BC_reduce_smax_I,
                                          BC_reduce_umin_I, BC_reduce_umax_I, BC_reduce_and_I,
                                          BC_reduce_or_I,   BC_reduce_xor_I};
    static const enum bc_op floats[] = {BC_reduce_add_F, BC_reduce_smin_F, BC_reduce_smax_F};
    unsigned n = ins->op - IR_reduce_add;
    if (ins->type == IR_TYPE_I1)
        return ins->op == IR_reduce_and ? BC_all : BC_any;
    enum bc_op op = ir_is_float((enum ir_type)ins->type) ? floats[n] : integers[n];
    return (enum bc_op)(op + is_class(ins, IR_TYPE_I64, IR_TYPE_F64));
}

static enum bc_op scan_op(const struct ir_ins *ins)
{
    enum bc_op op = ir_is_float((enum ir_type)ins->type) ? BC_scan_add_F : BC_scan_add_I;
    return (enum bc_op)(op + is_class(ins, IR_TYPE_I64, IR_TYPE_F64));
}

/* One result for the group. */
static void select_vote(struct be_selector *s, ir_ref r, enum bc_op op)
{
    const struct ir_ins *ins = ir_at(s->ir, r);
    uint32_t token = token_of(s, ins), a = ins->argc ? be_lanes(s, ins->args[0]) : 0;
    be_put(s, op, be_define_scalar(s, r, false), a, 0, token);
    be_spread(s, r);
}

/* A result for each lane. */
static void select_exchange(struct be_selector *s, ir_ref r, enum bc_op op)
{
    const struct ir_ins *ins = ir_at(s->ir, r);
    uint32_t token = token_of(s, ins), a = ins->argc ? be_lanes(s, ins->args[0]) : 0;
    uint32_t b = ins->argc > 1 ? be_lanes(s, ins->args[1]) : 0;
    be_put(s, op, be_define(s, r), a, b, token);
}

static void select_token(struct be_selector *s, ir_ref r)
{
    const struct ir_ins *ins = ir_at(s->ir, r);
    if (!scheme_has(s->c->scheme, SCHEME_TOKENS))
        return;
    be_switch_point(s);
    if (ins->op == IR_loop) {
        uint32_t outer = be_lanes(s, ins->token);
        be_put(s, BC_tok_loop, be_define(s, r), outer, 0, 0)->imm = s->c->hearts++;
    } else {
        be_put(s, ins->op == IR_entry ? BC_tok_entry : BC_tok_anchor, be_define(s, r), 0, 0, 0);
    }
    be_vreg(s->f, s->lanes[r])->across = true; /* callees' entries read the tokens of calls */
}

static void select_operation(struct be_selector *s, ir_ref r)
{
    const struct ir_ins *ins = ir_at(s->ir, r);
    unsigned kind = kind_row(s, r);
    switch (ins->op) {
    case IR_barrier:
        be_put(s, BC_barrier, s->f->barriers ? (uint32_t)__builtin_ctz(s->f->barriers[r]) : 0, 0, 0,
               token_of(s, ins));
        break;
    case IR_syncwarp: be_put(s, BC_syncwarp, 0, 0, 0, token_of(s, ins)); break;
    case IR_ballot: select_vote(s, r, BC_ballot); break;
    case IR_any: select_vote(s, r, BC_any); break;
    case IR_all: select_vote(s, r, BC_all); break;
    case IR_active_mask: select_vote(s, r, BC_active); break;
    case IR_broadcast_first: select_vote(s, r, (enum bc_op)(BC_first_v + kind)); break;
    case IR_shuffle:
    case IR_broadcast: select_exchange(s, r, (enum bc_op)(BC_shuffle_v + kind)); break;
    case IR_shuffle_xor: select_exchange(s, r, (enum bc_op)(BC_shuffle_xor_v + kind)); break;
    case IR_shuffle_up: select_exchange(s, r, (enum bc_op)(BC_shuffle_up_v + kind)); break;
    case IR_shuffle_down: select_exchange(s, r, (enum bc_op)(BC_shuffle_down_v + kind)); break;
    case IR_scan_add: select_exchange(s, r, scan_op(ins)); break;
    case IR_elect: select_exchange(s, r, BC_elect); break;
    default: select_vote(s, r, reduce_op(ins));
    }
}

/* The rejoin that all lanes execute behind a wait, and nobody else; or 0. It becomes part of the wait. */
static ir_ref rejoin_behind(const struct be_selector *s, ir_ref wait)
{
    ir_ref r = ir_at(s->ir, wait)->next;
    uint32_t next = ir_at(s->ir, r)->op == IR_br
                        ? ir_block_at(s->ir, ir_at(s->ir, r)->block)->edges.at[0].block
                        : IR_NO_BLOCK;
    if (next != IR_NO_BLOCK && ir_pred_count(s->f->cfg, next) == 1)
        r = ir_block_at(s->ir, next)->first;
    while (ir_at(s->ir, r)->op == IR_cb_rejoin && ir_at(s->ir, r)->imm != ir_at(s->ir, wait)->imm)
        r = ir_at(s->ir, r)->next;
    return ir_at(s->ir, r)->op == IR_cb_rejoin ? r : 0;
}

static bool is_part_of_wait(const struct be_selector *s, ir_ref rejoin)
{
    const struct ir_cfg *cfg = s->f->cfg;
    uint32_t b = ir_at(s->ir, rejoin)->block;
    ir_ref before = rejoin;
    while (before && ir_at(s->ir, before)->op == IR_cb_rejoin)
        before = ir_at(s->ir, before)->prev;
    if (!before && ir_pred_count(cfg, b) == 1)
        before = ir_at(s->ir, ir_terminator(s->ir, cfg->preds[cfg->pred_start[b]]))->prev;
    return before && ir_at(s->ir, before)->op == IR_cb_wait && rejoin_behind(s, before) == rejoin;
}

/* Operations on convergence barriers. They change nothing that a kernel computes: schemes without barriers
 * leave them out. */
static void select_barrier(struct be_selector *s, ir_ref r)
{
    static const enum bc_barrier_op operations[] = {
        [IR_cb_join - IR_cb_join] = BC_CB_JOIN,
        [IR_cb_cancel - IR_cb_join] = BC_CB_CANCEL,
        [IR_cb_rejoin - IR_cb_join] = BC_CB_REJOIN,
    };
    const struct ir_ins *ins = ir_at(s->ir, r);
    if (!scheme_has(s->c->scheme, SCHEME_BARRIERS) || (ins->op == IR_cb_rejoin && is_part_of_wait(s, r)))
        return;
    if (ins->op == IR_cb_wait) { /* the others change nothing for those that execute them */
        be_switch_point(s);
        be_put(s, BC_wait, rejoin_behind(s, r) != 0, 0, (uint32_t)ins->imm, 0)->imm = ins->imm2;
        be_switch_point(s);
        return;
    }
    struct ir_cancel cancel = ins->op == IR_cb_cancel ? ir_cancel_of(ins) : (struct ir_cancel){0};
    bool flag = ins->op == IR_cb_join ? ins->imm2 : cancel.member;
    struct be_word *w = be_put(s, BC_scheme, flag, operations[ins->op - IR_cb_join], (uint32_t)ins->imm, 0);
    w->c = cancel.wait;
    w->imm = cancel.threshold;
}

bool be_select_group(struct be_selector *s, ir_ref r)
{
    const struct ir_ins *ins = ir_at(s->ir, r);
    if (ir_is_convergence_barrier(ins->op)) {
        select_barrier(s, r);
        return true;
    }
    if (ins->op < IR_barrier || ins->op > IR_loop)
        return false;
    if (ins->op >= IR_entry) {
        select_token(s, r);
        return true;
    }
    if (scheme_has(s->c->scheme, SCHEME_TOKENS) || ins->op == IR_barrier)
        be_switch_point(s);
    select_operation(s, r);
    return true;
}
