/* class_e_values.c: values and conditions in the blocks of class e, and how they are seen.
 *
 * Any value may be used wherever its definition dominates: results behind the loop that made them, in
 * conditions, as arguments.
 */
#include "fuzz/class_e_fill.h"

/* ---- values ------------------------------------------------------------------------------------------ */

ir_ref fz_e_emit2(struct fz_e_filler *w, enum ir_op op, ir_ref a, ir_ref b)
{
    bool compares = op == IR_eq || op == IR_ne || op == IR_ult || op == IR_ule || op == IR_slt;
    return ir_emit2(&w->c, op, compares ? IR_TYPE_I1 : type_of(w, a), a, b);
}

ir_ref fz_e_offer(struct fz_e_filler *w, ir_ref r)
{
    vec_push(w->g->arena, &w->visible, r);
    vec_push(w->g->arena, &w->g->blocks[w->block].made, r);
    return r;
}

/* Whether it was made in a cycle that does not go on here, or by a token of one: threads may have come from
 * there at different times. */
static bool is_left_behind(const struct fz_e_filler *w, ir_ref r)
{
    const struct ir_ins *ins = ir_at(w->g->fn, r);
    uint32_t home = ins->token ? ir_at(w->g->fn, ins->token)->block : ins->block;
    uint32_t cycle = w->g->cycles->innermost[home];
    return cycle != IR_NO_CYCLE && !ir_cycle_has(w->g->cycles, cycle, w->block);
}

ir_ref fz_e_pick(struct fz_e_filler *w, enum ir_type t)
{
    uint32_t n = w->visible.count, start = n ? below(w, n) : 0;
    for (uint32_t i = chance(w, 40) ? 0 : n; i < n; i++) {
        ir_ref r = w->visible.at[(start + i) % n];
        if (type_of(w, r) == t && is_left_behind(w, r))
            return r;
    }
    for (uint32_t tries = 0; n > 0 && tries < 6; tries++) {
        uint32_t recent = n < 8 ? n : 8;
        ir_ref r = w->visible.at[chance(w, 50) ? n - 1 - below(w, recent) : below(w, n)];
        if (type_of(w, r) == t)
            return r;
    }
    return 0;
}

static ir_ref truncate(struct fz_e_filler *w, ir_ref wide)
{
    ir_ref shifted = fz_e_emit2(w, IR_lshr, wide, ir_const(w->g->fn, IR_TYPE_I64, below(w, 40)));
    return ir_emit1(&w->c, IR_trunc, IR_TYPE_I32, shifted);
}

ir_ref fz_e_load_input(struct fz_e_filler *w)
{
    ir_ref input = ir_block_at(w->g->fn, 0)->params.at[1];
    return ir_emit_load(&w->c, IR_MEM_I32, IR_TYPE_I32, input, (int32_t)(4 * below(w, FZ_INPUTS)));
}

ir_ref fz_e_number(struct fz_e_filler *w)
{
    uint32_t dice = below(w, 100);
    ir_ref r = dice < 60   ? fz_e_pick(w, IR_TYPE_I32)
               : dice < 72 ? fz_e_pick(w, IR_TYPE_I64)
               : dice < 80 ? fz_e_pick(w, IR_TYPE_I1)
                           : 0;
    if (r && dice >= 60)
        r = dice < 72 ? truncate(w, r) : ir_emit1(&w->c, IR_zext, IR_TYPE_I32, r);
    if (r)
        return r;
    if (dice < 90 && w->g->is_kernel)
        return chance(w, 50) ? w->lane : fz_e_load_input(w);
    return dice < 93 ? w->hash : constant(w, below(w, chance(w, 70) ? 8 : 1u << 31));
}

ir_ref fz_e_arithmetic(struct fz_e_filler *w)
{
    static const uint16_t ops[] = {IR_add, IR_sub, IR_mul, IR_xor, IR_and, IR_or, IR_lshr, IR_umin};
    ir_ref a = fz_e_number(w), b = fz_e_number(w);
    return fz_e_offer(w, fz_e_emit2(w, ops[below(w, COUNT(ops))], a, b));
}

static ir_ref comparison(struct fz_e_filler *w)
{
    static const uint32_t masks[] = {1, 1, 3, 7};
    uint32_t mask = masks[below(w, COUNT(masks))];
    ir_ref bits = fz_e_emit2(w, IR_lshr, fz_e_number(w), constant(w, chance(w, 50) ? 0 : below(w, 24)));
    return fz_e_emit2(w, chance(w, 70) ? IR_eq : IR_ne, fz_e_emit2(w, IR_and, bits, constant(w, mask)),
                      constant(w, below(w, mask + 1)));
}

ir_ref fz_e_lowest_bit(struct fz_e_filler *w, ir_ref r)
{
    ir_ref bit = fz_e_emit2(w, IR_and, r, ir_const(w->g->fn, type_of(w, r), 1));
    return fz_e_emit2(w, IR_ne, bit, ir_const(w->g->fn, type_of(w, r), 0));
}

static ir_ref lanes(struct fz_e_filler *w)
{
    uint64_t m = fz_next(w->g->r) & (chance(w, 50) ? fz_next(w->g->r) : ~(uint64_t)0);
    ir_ref wide = ir_emit1(&w->c, IR_zext, IR_TYPE_I64, w->lane);
    return fz_e_lowest_bit(w, fz_e_emit2(w, IR_lshr, ir_const(w->g->fn, IR_TYPE_I64, m), wide));
}

ir_ref fz_e_turn(struct fz_e_filler *w)
{
    static const uint32_t masks[] = {1, 3, 3, 7};
    for (uint32_t b = w->block; b != IR_NO_BLOCK; b = w->g->dominators->idom[b]) {
        ir_ref trip = w->g->blocks[b].trip, other;
        if (!trip)
            continue;
        other =
            fz_e_emit2(w, IR_and, chance(w, 70) ? w->lane : fz_e_number(w), constant(w, masks[below(w, 4)]));
        return fz_e_emit2(w, chance(w, 70) ? IR_ne : IR_ult, trip,
                          chance(w, 80) ? other : constant(w, below(w, 4)));
    }
    return 0;
}

/* Whether all threads of an iteration have the same. */
static bool is_of_iteration(const struct fz_e_filler *w, ir_ref r)
{
    const struct ir_ins *ins = ir_at(w->g->fn, r);
    return ir_op_info[ins->op].flags & IR_UNIFORM ||
           (ins->op == IR_param && r == w->g->blocks[ins->block].trip);
}

/* How tempting it is to take a value of a cycle left behind for uniform: least in the cycle itself, most
 * where the cycle's token alone keeps iterations apart; 0: it is none. */
static uint32_t temptation(const struct fz_e_filler *w, ir_ref r)
{
    const struct ir_ins *ins = ir_at(w->g->fn, r);
    if (!is_left_behind(w, r) || !is_of_iteration(w, r))
        return 0;
    if (!ins->token)
        return 1;
    uint32_t cycle = w->g->cycles->innermost[ir_at(w->g->fn, ins->token)->block];
    return ir_cycle_has(w->g->cycles, cycle, ins->block) ? 2 : 3;
}

ir_ref fz_e_tempting_condition(struct fz_e_filler *w)
{
    uint32_t n = w->visible.count, start = n ? below(w, n) : 0, most = 0;
    ir_ref bits = 0;
    for (uint32_t i = 0; i < n; i++) {
        ir_ref r = w->visible.at[(start + i) % n];
        if (temptation(w, r) > most) {
            most = temptation(w, r);
            bits = r;
        }
    }
    if (!bits)
        bits = w->g->is_kernel ? fz_e_load_input(w) : constant(w, 1);
    if (type_of(w, bits) == IR_TYPE_I1)
        return bits;
    ir_ref shift = ir_const(w->g->fn, type_of(w, bits), below(w, type_of(w, bits) == IR_TYPE_I64 ? 8 : 2));
    return fz_e_lowest_bit(w, fz_e_emit2(w, IR_lshr, bits, shift));
}

ir_ref fz_e_condition(struct fz_e_filler *w)
{
    uint32_t dice = below(w, 100);
    ir_ref r = dice < 30 ? fz_e_pick(w, IR_TYPE_I1) : dice >= 80 ? fz_e_turn(w) : 0;
    if (!r && dice < 45)
        r = lanes(w);
    if (!r && dice < 60)
        r = fz_e_emit2(w, chance(w, 50) ? IR_ult : IR_slt, fz_e_number(w), constant(w, below(w, 6)));
    if (!r)
        r = comparison(w);
    return fz_e_offer(w, chance(w, 15) ? ir_emit1(&w->c, IR_not, IR_TYPE_I1, r) : r);
}

/* ---- what is seen ------------------------------------------------------------------------------------ */

static ir_ref widen(struct fz_e_filler *w, ir_ref r)
{
    return type_of(w, r) == IR_TYPE_I64 ? r : ir_emit1(&w->c, IR_zext, IR_TYPE_I64, r);
}

void fz_e_mix(struct fz_e_filler *w, ir_ref r)
{
    if (type_of(w, r) == IR_TYPE_I64) {
        ir_ref high = fz_e_emit2(w, IR_lshr, r, ir_const(w->g->fn, IR_TYPE_I64, 32));
        r = ir_emit1(&w->c, IR_trunc, IR_TYPE_I32, fz_e_emit2(w, IR_xor, r, high));
    } else if (type_of(w, r) == IR_TYPE_I1) {
        r = ir_emit1(&w->c, IR_zext, IR_TYPE_I32, r);
    }
    w->hash = fz_e_emit2(w, IR_mul, fz_e_emit2(w, IR_xor, w->hash, r), constant(w, FZ_E_HASH_FACTOR));
}

/* The next row of the thread's log; all that come too late share the last one. */
static void write_row(struct fz_e_filler *w, ir_ref r)
{
    ir_ref row = fz_e_emit2(w, IR_umin, w->row, constant(w, FZ_E_ROWS - 1)), at, log;
    at = fz_e_emit2(w, IR_add, fz_e_emit2(w, IR_mul, row, w->threads), w->gid);
    log = ir_block_at(w->g->fn, 0)->params.at[0];
    at = ir_emit2(&w->c, IR_ptradd, IR_TYPE_GLOBAL, log, fz_e_emit2(w, IR_shl, at, constant(w, 3)));
    ir_emit_store(&w->c, IR_MEM_I64, at, 0, widen(w, r));
    w->row = fz_e_emit2(w, IR_add, w->row, constant(w, 1));
}

void fz_e_see(struct fz_e_filler *w, ir_ref r)
{
    bool logs = w->g->is_kernel && chance(w, 75);
    if (logs)
        write_row(w, r);
    if (!logs || chance(w, 30))
        fz_e_mix(w, r);
}
