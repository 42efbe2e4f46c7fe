/* select_wide.c: loads and stores that are made as one.
 *
 * An access that begins a wide one (`wide N` in the IR) takes in those behind it in its block that load or
 * store as it does, have the same address operand, and move others of the N bytes. What stands between them
 * neither touches memory nor can trap: loads come up to the first, stores go down to the last.
 *
 * In lanes, a word at the head finds the addresses, checks all N bytes, and counts as the instruction; the
 * words behind it, one a part, only move. Of a uniform address each part is a load of its own, counted with
 * the first. Whether addresses are multiples of N is seen at run time: where not, parts are checked and
 * counted one by one.
 */
#include "backend/bytecode/select.h"

_Static_assert(BC_ldw_64 - BC_ldw_8 == BC_ldu_g64 - BC_ldu_g8 && BC_stw_f64 - BC_stw_8 == 5,
               "parts are in the order of loads and stores");

/* ---- which belong together --------------------------------------------------------------------------- */

static uint32_t delta_of(const struct be_selector *s, ir_ref part)
{
    return (uint32_t)(ir_at(s->ir, part)->imm - ir_at(s->ir, s->wide.parts[0])->imm);
}

/* taken: the bytes that others move, a bit each. A mask comes from a load of its own. */
static bool joins(const struct ir_ins *first, const struct ir_ins *ins, uint32_t *taken)
{
    if (ins->op != first->op || ins->args[0] != first->args[0] || ins->mem == IR_MEM_B8)
        return false;
    int64_t bytes = ir_mem_info[ins->mem].bytes, delta = ins->imm - first->imm;
    if (delta < 0 || delta + bytes > first->imm2 || delta % bytes)
        return false;
    uint32_t moved = ((1u << bytes) - 1) << delta;
    if (*taken & moved)
        return false;
    *taken |= moved;
    return true;
}

static bool is_transparent(const struct ir_ins *ins)
{
    enum { SEEN = IR_EFFECT | IR_READS | IR_WRITES | IR_CONVERGENT | IR_TERMINATOR | IR_TRAPS };
    return (ir_op_info[ins->op].flags & SEEN) == 0;
}

/* Each scan ends at the next access that is no part. */
static void find_parts(struct be_selector *s, ir_ref r)
{
    const struct ir_ins *first = ir_at(s->ir, r);
    uint32_t taken = (1u << ir_mem_info[first->mem].bytes) - 1;
    s->wide = (struct be_wide){.parts = {r}, .count = 1};
    for (ir_ref next = first->next; next; next = ir_at(s->ir, next)->next) {
        if (joins(first, ir_at(s->ir, next), &taken))
            s->wide.parts[s->wide.count++] = next;
        else if (!is_transparent(ir_at(s->ir, next)))
            break;
    }
}

static bool is_part(const struct be_selector *s, ir_ref r)
{
    for (uint32_t i = 0; i < s->wide.count; i++)
        if (s->wide.parts[i] == r)
            return true;
    return false;
}

/* ---- words ------------------------------------------------------------------------------------------- */

static void put_head(struct be_selector *s, const struct be_address *a)
{
    const struct ir_ins *first = ir_at(s->ir, s->wide.parts[0]);
    struct be_mode m = be_choose_mode(s, a);
    unsigned row = 2 * be_space_of(s, first->args[0]) + m.indexed;
    uint32_t what = first->imm2 | (first->op == IR_store) << 8;
    struct be_word *head = be_put(s, (enum bc_op)(BC_wide_g + row), what, m.a, m.b, 0);
    head->effect = first->op == IR_store; /* of loads that nobody reads none is made */
    be_finish_access(head, &m);
}

static void finish_part(struct be_selector *s, ir_ref part, struct be_word *w)
{
    w->imm = delta_of(s, part);
    w->part = true;
    w->cycles = 0;
}

static void put_loads(struct be_selector *s)
{
    const struct be_wide *wide = &s->wide;
    const struct ir_ins *first = ir_at(s->ir, wide->parts[0]);
    struct be_address a = be_split_address(s, first);
    bool uniform = !a.index && be_space_of(s, first->args[0]) != 2;
    if (!uniform)
        put_head(s, &a);
    for (uint32_t i = 0; i < wide->count; i++) {
        ir_ref part = s->at = wide->parts[i];
        enum bc_op op = (enum bc_op)(BC_ldw_8 + be_load_row((enum ir_mem)ir_at(s->ir, part)->mem));
        if (uniform)
            be_load_uniform(s, part, &a, first->imm2, delta_of(s, part));
        else
            finish_part(s, part, be_put(s, op, be_define(s, part), 0, 0, 0));
    }
}

/* Values come into lanes before the head, so that nothing stands between it and its parts. */
static void put_stores(struct be_selector *s)
{
    const struct be_wide *wide = &s->wide;
    const struct ir_ins *first = ir_at(s->ir, wide->parts[0]);
    uint32_t values[BE_WIDE_PARTS];
    for (uint32_t i = 0; i < wide->count; i++)
        values[i] = be_lanes(s, ir_at(s->ir, wide->parts[i])->args[1]);
    struct be_address a = be_split_address(s, first);
    s->at = wide->parts[0];
    put_head(s, &a);
    for (uint32_t i = 0; i < wide->count; i++) {
        ir_ref part = s->at = wide->parts[i];
        enum bc_op op = (enum bc_op)(BC_stw_8 + be_store_row((enum ir_mem)ir_at(s->ir, part)->mem));
        finish_part(s, part, be_put(s, op, 0, values[i], 0, 0));
    }
}

bool be_select_wide(struct be_selector *s, ir_ref r)
{
    const struct ir_ins *ins = ir_at(s->ir, r);
    struct be_wide *wide = &s->wide;
    if (is_part(s, r)) {
        if (ins->op == IR_store && wide->parts[wide->count - 1] == r)
            put_stores(s);
        return true;
    }
    if (!ins->imm2 || ins->mem == IR_MEM_B8)
        return false;
    find_parts(s, r);
    if (wide->count < 2) {
        wide->count = 0;
        return false;
    }
    if (ins->op == IR_load)
        put_loads(s);
    return true;
}
