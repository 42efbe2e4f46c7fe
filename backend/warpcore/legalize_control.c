/* legalize_control.c: what becomes several blocks: calls through pointers, memcpy and memzero (switch:
 * legalize_switch.c).
 *
 * Blocks are split from their ends backwards, so that each instruction moves once.
 */
#include "backend/warpcore/legalize.h"

/* ---- collecting ---------------------------------------------------------------------------------------- */

/* Instructions of these operations, each block's last ones first. */
static u32_vec find_backwards(struct wc_legalizer *x, enum ir_op op, enum ir_op other)
{
    u32_vec found = {0};
    for ir_each_block(i, b, x->f)
        for (ir_ref r = ir_block_at(x->f, b)->last; r; r = ir_at(x->f, r)->prev)
            if (ir_at(x->f, r)->op == op || ir_at(x->f, r)->op == other)
                vec_push(x->scratch, &found, r);
    return found;
}

/* ---- memcpy and memzero: words, halves or bytes, as the addresses are known to be aligned -------------- */

enum { UNROLL = 16, DEPTH = 8 };             /* accesses written out; steps that an address is followed */

static uint32_t lowest_bit(uint64_t v)
{
    return v ? (uint32_t)(v & -v) : 4;
}

/* A power of two up to 4 that divides the value. */
static uint32_t alignment(const struct wc_legalizer *x, ir_ref r, unsigned depth)
{
    const struct ir_ins *ins = ir_at(x->f, r);
    uint32_t a = 1, b;
    if (depth == 0)
        return 1;
    switch (ins->op) {
    case IR_constant: a = lowest_bit((uint64_t)ins->imm); break;
    case IR_alloca: a = ins->imm2; break;
    case IR_object: a = x->m->objects.at[ins->imm].align; break;
    case IR_ptrcast: a = alignment(x, ins->args[0], depth - 1); break;
    case IR_add: case IR_ptradd:
        a = alignment(x, ins->args[0], depth - 1);
        b = alignment(x, ins->args[1], depth - 1);
        a = a < b ? a : b;
        break;
    case IR_mul: a = alignment(x, ins->args[0], depth - 1) * alignment(x, ins->args[1], depth - 1); break;
    case IR_shl:
        b = alignment(x, ins->args[0], depth - 1);
        a = ir_is_const(x->f, ins->args[1], NULL) && (ir_at(x->f, ins->args[1])->imm & 31) <= 2
                ? b << (ir_at(x->f, ins->args[1])->imm & 31)
                : b;
        break;
    default: break;
    }
    return a > 4 ? 4 : a ? a : 1;
}

static uint32_t unit_of(const struct wc_legalizer *x, const struct ir_ins *ins)
{
    uint32_t unit = 4;
    for (uint32_t i = 0; i < ins->argc; i++) {
        uint32_t a = alignment(x, ins->args[i], DEPTH);
        unit = a < unit ? a : unit;
    }
    return unit;
}

static enum ir_mem access_of(uint32_t unit)
{
    return unit == 4 ? IR_MEM_I32 : unit == 2 ? IR_MEM_U16 : IR_MEM_U8;
}

/* Moves (or clears) `unit` bytes at to + offset; from == 0: clears. */
static void move_unit(struct wc_legalizer *x, ir_ref to, ir_ref from, uint32_t offset, uint32_t unit)
{
    ir_ref v = from ? ir_emit_load(&x->c, access_of(unit), IR_TYPE_I32, from, (int32_t)offset)
                    : wc_const(x, 0);
    ir_emit_store(&x->c, access_of(unit), to, (int32_t)offset, v);
}

static ir_ref advanced(struct wc_legalizer *x, ir_ref address, ir_ref by)
{
    return address ? ir_emit2(&x->c, IR_ptradd, (enum ir_type)ir_at(x->f, address)->type, address, by) : 0;
}

/* Units from 0 to bytes - 1, in a loop in front of instruction r. */
static void emit_loop(struct wc_legalizer *x, ir_ref r, ir_ref to, ir_ref from, uint32_t bytes, uint32_t unit)
{
    uint32_t head = ir_at(x->f, r)->block, rest = ir_block_split(x->f, head, r, NULL);
    uint32_t loop = ir_block_new(x->f, from ? "copy" : "clear");
    ir_ref i = ir_param_new(x->f, loop, IR_TYPE_I32, NULL);
    x->c.before = 0;
    x->c.block = head;
    ir_emit_br(&x->c, loop);
    ir_edge_arg(x->f, &ir_block_at(x->f, head)->edges.at[0], wc_const(x, 0));
    x->c.block = loop;
    move_unit(x, advanced(x, to, i), advanced(x, from, i), 0, unit);
    ir_ref next = wc_emit2(x, IR_add, i, wc_const(x, unit));
    ir_emit_brif(&x->c, wc_compare(x, IR_ult, next, wc_const(x, bytes)), loop, rest);
    ir_edge_arg(x->f, &ir_block_at(x->f, loop)->edges.at[0], next);
    x->c.block = rest;
    x->c.before = r;
}

static void lower_block_memory(struct wc_legalizer *x, ir_ref r)
{
    struct ir_ins ins = *ir_at(x->f, r);
    uint32_t unit = unit_of(x, &ins), bytes = (uint32_t)ins.imm, whole = bytes / unit * unit, at = 0;
    ir_ref to = ins.args[0], from = ins.argc > 1 ? ins.args[1] : 0;
    x->c = (struct ir_cursor){.fn = x->f, .block = ins.block, .before = r, .at = ins.at};
    if (whole / unit > UNROLL) {
        emit_loop(x, r, to, from, whole, unit);
        at = whole;
    }
    for (; at + unit <= bytes; at += unit)
        move_unit(x, to, from, at, unit);
    for (; at < bytes; at++)
        move_unit(x, to, from, at, 1);
    ir_remove(x->f, r);
}

void wc_lower_block_memory(struct wc_legalizer *x)
{
    u32_vec found = find_backwards(x, IR_memcpy, IR_memzero);
    for (uint32_t i = 0; i < found.count; i++)
        lower_block_memory(x, found.at[i]);
}

/* ---- calls through pointers ---------------------------------------------------------------------------- */

static void note_address(struct bitset taken, const struct ir_ins *ins)
{
    if (ins->op == IR_function)
        bitset_add(taken, (uint32_t)ins->imm);
    if (ins->op == IR_constant && ins->type == IR_TYPE_FUNCTION && ins->imm > 0 &&
        (uint64_t)ins->imm <= taken.bits)
        bitset_add(taken, (uint32_t)ins->imm - 1);
}

void wc_find_addresses(struct wc_legalizer *x)
{
    x->taken = bitset_new(x->scratch, x->m->functions.count);
    for (uint32_t i = 0; i < x->m->functions.count; i++)
        for (uint32_t r = 1; r < x->m->functions.at[i]->ins.count; r++)
            note_address(x->taken, ir_at(x->m->functions.at[i], r));
}

/* Functions whose address is taken and that the call's signature reaches. */
static u32_vec candidates(struct wc_legalizer *x, uint32_t signature)
{
    u32_vec found = {0};
    for bitset_each(n, x->taken)
        if (ir_may_call(&x->m->signatures.at[signature], x->m->functions.at[n]))
            vec_push(x->scratch, &found, n);
    return found;
}

static ir_ref points_to(struct wc_legalizer *x, ir_ref pointer, uint32_t function)
{
    return wc_compare(x, IR_eq, pointer, wc_const(x, function + 1));
}

/* Traps unless the pointer is one of the candidates'. */
static void check_pointer(struct wc_legalizer *x, ir_ref pointer, const u32_vec *found)
{
    static const char text[] = "call through a bad function pointer";
    ir_ref good = ir_const_i1(x->f, false);
    for (uint32_t i = 0; i < found->count; i++)
        good = ir_emit2(&x->c, IR_or, IR_TYPE_I1, good, points_to(x, pointer, found->at[i]));
    ir_ref check = ir_emit1(&x->c, IR_assert, IR_TYPE_VOID, good);
    ir_at(x->f, check)->imm = ir_text_add(x->m, text, sizeof text - 1);
}

static ir_ref direct_call(struct wc_legalizer *x, const struct ir_ins *icall, uint32_t function)
{
    ir_ref r = ir_emit(&x->c, IR_call, (enum ir_type)icall->type, icall->argc - 1, icall->args + 1);
    ir_at(x->f, r)->imm = function;
    ir_at(x->f, r)->token = icall->token;
    return r;
}

/* The last block calls the one that is left; all lead to `rest` with their results. */
static void chain(struct wc_legalizer *x, const struct ir_ins *icall, ir_ref pointer, const u32_vec *found,
                  uint32_t rest)
{
    for (uint32_t i = 0; i < found->count; i++) {
        uint32_t from = x->c.block;
        if (i + 1 < found->count) {
            uint32_t arm = ir_block_new(x->f, NULL), next = ir_block_new(x->f, NULL);
            ir_emit_brif(&x->c, points_to(x, pointer, found->at[i]), arm, next);
            x->c.block = arm;
            from = next;
        }
        ir_ref result = direct_call(x, icall, found->at[i]);
        ir_emit_br(&x->c, rest);
        if (icall->type != IR_TYPE_VOID)
            ir_edge_arg(x->f, &ir_block_at(x->f, x->c.block)->edges.at[0], result);
        x->c.block = from;
    }
}

static void lower_icall(struct wc_legalizer *x, ir_ref r, ir_ref *to)
{
    struct ir_ins ins = *ir_at(x->f, r);
    u32_vec found = candidates(x, (uint32_t)ins.imm);
    x->c = (struct ir_cursor){.fn = x->f, .block = ins.block, .before = r, .at = ins.at};
    ir_ref pointer = ir_emit1(&x->c, IR_ptrcast, IR_TYPE_I32, ins.args[0]);
    check_pointer(x, pointer, &found);
    uint32_t rest = ir_block_split(x->f, ins.block, r, NULL);
    x->c.before = 0;
    if (ins.type != IR_TYPE_VOID)
        *to = ir_param_new(x->f, rest, (enum ir_type)ins.type, ins.name);
    if (found.count) {
        chain(x, &ins, pointer, &found, rest);
    } else {
        ir_emit_br(&x->c, rest);
        if (ins.type != IR_TYPE_VOID)
            ir_edge_arg(x->f, &ir_block_at(x->f, ins.block)->edges.at[0],
                        ir_const(x->f, (enum ir_type)ins.type, 0));
    }
}

void wc_lower_icalls(struct wc_legalizer *x)
{
    u32_vec found = find_backwards(x, IR_icall, IR_icall);
    if (!found.count)
        return;
    VEC(ir_ref) by = {0};
    for (uint32_t i = 0; i < found.count; i++) {
        ir_ref to = 0;
        lower_icall(x, found.at[i], &to);
        vec_push(x->scratch, &by, to);
    }
    ir_ref *to = arena_array(x->scratch, ir_ref, x->f->ins.count);
    for (uint32_t i = 0; i < found.count; i++)
        to[found.at[i]] = by.at[i];
    ir_substitute(x->f, to);
    for (uint32_t i = 0; i < found.count; i++)
        ir_remove(x->f, found.at[i]);
}
