/* lower_block_memory.c: memcpy and memzero become loads and stores: words, halves or bytes, as the addresses
 * are known to be aligned. Many of them stand in a loop.
 */
#include "opt/pass.h"

struct lower {
    struct ir_function *f;
    struct ir_cursor c;
};

enum { UNROLL = 16, DEPTH = 8 }; /* accesses written out; steps that an address is followed */

static uint32_t lowest_bit(uint64_t v)
{
    return v ? (uint32_t)(v & -v) : 4;
}

/* A power of two up to 4 that divides the value. */
static uint32_t alignment(const struct lower *x, ir_ref r, unsigned depth)
{
    const struct ir_ins *ins = ir_at(x->f, r);
    uint32_t a = 1, b;
    if (depth == 0)
        return 1;
    switch (ins->op) {
    case IR_constant: a = lowest_bit((uint64_t)ins->imm); break;
    case IR_alloca: a = ins->imm2; break;
    case IR_object: a = x->f->module->objects.at[ins->imm].align; break;
    case IR_ptrcast: a = alignment(x, ins->args[0], depth - 1); break;
    case IR_add:
    case IR_ptradd:
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

static uint32_t unit_of(const struct lower *x, const struct ir_ins *ins)
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
static void move_unit(struct lower *x, ir_ref to, ir_ref from, uint32_t offset, uint32_t unit)
{
    ir_ref v = from ? ir_emit_load(&x->c, access_of(unit), IR_TYPE_I32, from, (int32_t)offset)
                    : ir_const_i32(x->f, 0);
    ir_emit_store(&x->c, access_of(unit), to, (int32_t)offset, v);
}

static ir_ref advanced(struct lower *x, ir_ref address, ir_ref by)
{
    return address ? ir_emit2(&x->c, IR_ptradd, (enum ir_type)ir_at(x->f, address)->type, address, by) : 0;
}

/* Units from 0 to bytes - 1, in a loop in front of instruction r. */
static void emit_loop(struct lower *x, ir_ref r, ir_ref to, ir_ref from, uint32_t bytes, uint32_t unit)
{
    uint32_t head = ir_at(x->f, r)->block, rest = ir_block_split(x->f, head, r, NULL);
    uint32_t loop = ir_block_new(x->f, from ? "copy" : "clear");
    ir_ref i = ir_param_new(x->f, loop, IR_TYPE_I32, NULL);
    x->c.before = 0;
    x->c.block = head;
    ir_emit_br(&x->c, loop);
    ir_edge_arg(x->f, &ir_block_at(x->f, head)->edges.at[0], ir_const_i32(x->f, 0));
    x->c.block = loop;
    ir_ref source = advanced(x, from, i);
    move_unit(x, advanced(x, to, i), source, 0, unit);
    ir_ref next = ir_emit2(&x->c, IR_add, IR_TYPE_I32, i, ir_const_i32(x->f, unit));
    ir_emit_brif(&x->c, ir_emit2(&x->c, IR_ult, IR_TYPE_I1, next, ir_const_i32(x->f, bytes)), loop, rest);
    ir_edge_arg(x->f, &ir_block_at(x->f, loop)->edges.at[0], next);
    x->c.block = rest;
    x->c.before = r;
}

static void lower_block_memory(struct lower *x, ir_ref r)
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

bool opt_lower_block_memory(struct opt_context *c, struct ir_function *f)
{
    struct lower x = {.f = f};
    u32_vec found = opt_find_backwards(c->scratch, f, IR_memcpy, IR_memzero);
    for (uint32_t i = 0; i < found.count; i++)
        lower_block_memory(&x, found.at[i]);
    return found.count;
}
