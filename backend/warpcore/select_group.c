/* select_group.c: operations of the warp. The machine has them for words; truth values go as 0 or 1. */
#include "backend/warpcore/select.h"

/* Operation of each of the IR's that takes a word, and for floats; 0: none. */
static const uint16_t word_ops[IR_OPS] = {
    [IR_shuffle] = WC_shuffle,           [IR_shuffle_xor] = WC_shuffle_xor,
    [IR_shuffle_up] = WC_shuffle_up,     [IR_shuffle_down] = WC_shuffle_down,
    [IR_broadcast] = WC_shuffle,         [IR_broadcast_first] = WC_first,
    [IR_reduce_add] = WC_reduce_add_I,   [IR_reduce_smin] = WC_reduce_smin_I,
    [IR_reduce_smax] = WC_reduce_smax_I, [IR_reduce_umin] = WC_reduce_umin_I,
    [IR_reduce_umax] = WC_reduce_umax_I, [IR_reduce_and] = WC_reduce_and_I,
    [IR_reduce_or] = WC_reduce_or_I,     [IR_reduce_xor] = WC_reduce_xor_I,
    [IR_scan_add] = WC_scan_add_I,
};
static const uint16_t float_ops[IR_OPS] = {
    [IR_reduce_add] = WC_reduce_add_F,
    [IR_reduce_smin] = WC_reduce_min_F,
    [IR_reduce_smax] = WC_reduce_max_F,
    [IR_scan_add] = WC_scan_add_F,
};
static const uint16_t truth_ops[IR_OPS] = {
    [IR_ballot] = WC_ballot,  [IR_any] = WC_any,       [IR_all] = WC_all,
    [IR_reduce_and] = WC_all, [IR_reduce_or] = WC_any,
};

static void select_word(struct wc_selector *s, ir_ref r)
{
    const struct ir_ins *ins = ir_at(s->ir, r);
    bool truth = ins->type == IR_TYPE_I1;
    uint32_t a = wc_value(s, ins->args[0]), b = ins->argc > 1 ? wc_value(s, ins->args[1]) : 0;
    unsigned op = ins->type == IR_TYPE_F32 && float_ops[ins->op] ? float_ops[ins->op] : word_ops[ins->op];
    INVARIANT(op);
    if (!truth) {
        wc_put(s, op, wc_define(s, r), a, b, 0);
        return;
    }
    uint32_t word = wc_make(s, op, wc_truth_word(s, a), b, 0);
    wc_put(s, WC_ne_I_imm, wc_define(s, r), word, 0, 0);
}

bool wc_select_group(struct wc_selector *s, ir_ref r)
{
    const struct ir_ins *ins = ir_at(s->ir, r);
    switch (ins->op) {
    case IR_barrier: wc_put(s, WC_csrw, 0, WC_V_ZERO, 0, WC_CSR_BARRIER)->effect = true; return true;
    case IR_syncwarp:
    case IR_entry:
    case IR_anchor:
    case IR_loop: return true;
    case IR_elect: wc_put(s, WC_elect, wc_define(s, r), 0, 0, 0); return true;
    case IR_active_mask: wc_put(s, WC_csrr, wc_define(s, r), 0, 0, WC_CSR_ACTIVE); return true;
    default: break;
    }
    bool truth = ins->argc && ir_at(s->ir, ins->args[0])->type == IR_TYPE_I1;
    if (truth && truth_ops[ins->op]) {
        uint32_t a = wc_value(s, ins->args[0]);
        wc_put(s, truth_ops[ins->op], wc_define(s, r), a, 0, 0);
        return true;
    }
    if (!word_ops[ins->op])
        return false;
    select_word(s, r);
    return true;
}
