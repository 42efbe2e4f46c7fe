/* evaluate.c: see evaluate.h. Written for plainness: every value is 64 bits, every step
 * looks at everything. */
#include "test/opt/evaluate.h"

#include <stdlib.h>

struct machine {
    const struct ir_module *m;
    uint8_t memory[IR_TYPES][MEMORY_BYTES];
    uint32_t private_top;
    uint64_t fuel;
    struct evaluation *e;
    unsigned depth; /* of calls */
    ir_ref at;      /* instruction of the outermost function, and how many it has run */
    uint64_t steps;
    const struct access_listener *listener; /* or NULL */
};

static uint8_t *byte_at(struct machine *x, enum ir_type space, uint64_t address)
{
    if (space == IR_TYPE_CONSTANT)
        space = IR_TYPE_GLOBAL;
    return &x->memory[space][address % MEMORY_BYTES];
}

static void tell(struct machine *x, enum ir_type space, uint64_t address, bool writes)
{
    if (x->listener)
        x->listener->hear(x->listener->data, x->at, x->steps,
                          space == IR_TYPE_CONSTANT ? IR_TYPE_GLOBAL : space,
                          (uint32_t)(address % MEMORY_BYTES), writes);
}

static uint64_t peek(struct machine *x, enum ir_type space, uint64_t address, unsigned bytes)
{
    uint64_t v = 0;
    for (unsigned i = 0; i < bytes; i++) {
        tell(x, space, address + i, false);
        v |= (uint64_t)*byte_at(x, space, address + i) << 8 * i;
    }
    return v;
}

static void poke(struct machine *x, enum ir_type space, uint64_t address, unsigned bytes, uint64_t v)
{
    for (unsigned i = 0; i < bytes; i++) {
        tell(x, space, address + i, true);
        *byte_at(x, space, address + i) = (uint8_t)(v >> 8 * i);
    }
}

static uint64_t widen(enum ir_mem m, uint64_t v)
{
    switch (m) {
    case IR_MEM_B8: return v != 0;
    case IR_MEM_S8: return (uint32_t)(int32_t)(int8_t)v;
    case IR_MEM_S16: return (uint32_t)(int32_t)(int16_t)v;
    default: return v;
    }
}

static uint64_t canonical(enum ir_mem m, uint64_t v)
{
    if (m == IR_MEM_F32)
        return scalar_bits_f32(scalar_from_f32((uint32_t)v));
    return m == IR_MEM_F64 ? scalar_bits_f64(scalar_from_f64(v)) : v;
}

static void note(struct machine *x, uint64_t what)
{
    x->e->trace = hash_mix(x->e->trace, what);
}

static uint64_t atomic(const struct ir_ins *ins, uint64_t old, const uint64_t *a)
{
    switch (ins->op) {
    case IR_atomic_add: return old + a[1];
    case IR_atomic_sub: return old - a[1];
    case IR_atomic_and: return old & a[1];
    case IR_atomic_or: return old | a[1];
    case IR_atomic_xor: return old ^ a[1];
    case IR_atomic_cas: return old == a[1] ? a[2] : old;
    default: return a[1];
    }
}

static bool call(struct machine *x, const struct ir_function *f, const uint64_t *args, uint64_t *result);

static bool memory_step(struct machine *x, const struct ir_function *f, const struct ir_ins *ins,
                        const uint64_t *a, uint64_t *v)
{
    enum ir_type space = ins->argc ? ir_at(f, ins->args[0])->type : 0;
    unsigned bytes = ir_mem_info[ins->mem].bytes;
    uint64_t at = ins->argc ? (uint32_t)(a[0] + (uint64_t)ins->imm) : 0;
    switch (ins->op) {
    case IR_load: *v = widen(ins->mem, peek(x, space, at, bytes)); return true;
    case IR_store: poke(x, space, at, bytes, canonical(ins->mem, a[1])); return true;
    case IR_memcpy:
        for (int64_t i = 0; i < ins->imm; i++)
            poke(x, space, a[0] + (uint64_t)i, 1,
                 peek(x, ir_at(f, ins->args[1])->type, a[1] + (uint64_t)i, 1));
        return true;
    case IR_memzero:
        for (int64_t i = 0; i < ins->imm; i++)
            poke(x, space, a[0] + (uint64_t)i, 1, 0);
        return true;
    default:
        *v = peek(x, space, at, bytes);
        poke(x, space, at, bytes, atomic(ins, *v, a));
        return true;
    }
}

/* One that is no terminator; false if the run has to end. */
static bool step(struct machine *x, const struct ir_function *f, ir_ref r, const uint64_t *a, uint64_t *v)
{
    const struct ir_ins *ins = ir_at(f, r);
    if (ir_is_pure(ins->op)) {
        *v = scalar_evaluate(ir_scalar_case(f, r), a);
        return true;
    }
    switch (ins->op) {
    case IR_ptradd: *v = (uint32_t)(a[0] + a[1]); return true;
    case IR_ptrcast:
    case IR_broadcast_first:
    case IR_shuffle:
    case IR_broadcast:
    case IR_reduce_add:
    case IR_scan_add:
    case IR_any:
    case IR_all: *v = a[0]; return true;
    case IR_alloca: /* once an activation */
        if (*v == 0) {
            *v = x->private_top += 16;
            x->private_top += (uint32_t)ins->imm;
        }
        return true;
    case IR_object: *v = 64 * (uint64_t)ins->imm; return true;
    case IR_special: *v = 7 + 3 * (uint64_t)ins->imm; return true;
    case IR_ballot: *v = a[0]; return true;
    case IR_elect:
    case IR_active_mask: *v = 1; return true;
    case IR_entry:
    case IR_anchor:
    case IR_loop:
    case IR_fence: return true;
    case IR_barrier:
    case IR_syncwarp: note(x, ins->op); return true;
    case IR_predict:
    case IR_predict_point: return true;
    case IR_call: return call(x, x->m->functions.at[ins->imm], a, v);
    case IR_printf: note(x, a[0]); return true;
    case IR_assert: x->e->trapped |= !a[0]; return a[0];
    default: return memory_step(x, f, ins, a, v);
    }
}

static uint32_t choose(const struct ir_function *f, uint32_t b, uint64_t v)
{
    const struct ir_block *block = ir_block_at(f, b);
    const struct ir_ins *t = ir_at(f, block->last);
    if (t->op == IR_br)
        return 0;
    if (t->op == IR_brif)
        return !v;
    for (uint32_t e = 1; e < block->edges.count; e++)
        if (ir_at(f, t->args[0])->type == IR_TYPE_I32 ? (uint32_t)block->edges.at[e].value == (uint32_t)v
                                                      : (uint64_t)block->edges.at[e].value == v)
            return e;
    return 0;
}

static uint64_t value_of(const struct ir_function *f, const uint64_t *values, ir_ref r)
{
    return ir_at(f, r)->op == IR_constant ? (uint64_t)ir_at(f, r)->imm : values[r];
}

static void follow(const struct ir_function *f, uint64_t *values, const struct ir_edge *e)
{
    uint64_t next[256];
    for (uint32_t i = 0; i < e->argc; i++)
        next[i] = value_of(f, values, e->args[i]);
    for (uint32_t i = 0; i < e->argc; i++)
        values[ir_block_at(f, e->block)->params.at[i]] = next[i];
}

static bool run_blocks(struct machine *x, const struct ir_function *f, uint64_t *values, uint64_t *result)
{
    for (uint32_t b = ir_entry(f);;) {
        ir_each_ins(r, f, b) {
            const struct ir_ins *ins = ir_at(f, r);
            uint64_t a[16] = {0};
            if (x->depth == 1) {
                x->at = r;
                x->steps++;
            }
            for (uint32_t i = 0; i < ins->argc && i < 16; i++)
                a[i] = value_of(f, values, ins->args[i]);
            x->e->steps++;
            if (x->fuel-- == 0)
                return false;
            if (ins->op == IR_ret) {
                *result = ins->argc ? a[0] : 0;
                return true;
            }
            if (ins->op == IR_trap) {
                x->e->trapped = true;
                return false;
            }
            if (ir_op_info[ins->op].flags & IR_TERMINATOR) {
                const struct ir_edge *e = &ir_block_at(f, b)->edges.at[choose(f, b, a[0])];
                follow(f, values, e);
                b = e->block;
                break;
            }
            if (!step(x, f, r, a, &values[r]))
                return false;
        }
    }
}

static bool call(struct machine *x, const struct ir_function *f, const uint64_t *args, uint64_t *result)
{
    uint64_t *values = calloc(f->ins.count, sizeof *values);
    uint32_t top = x->private_top;
    const u32_vec *params = &ir_block_at(f, ir_entry(f))->params;
    for (uint32_t i = 0; i < params->count; i++)
        values[params->at[i]] = args[i];
    x->depth++;
    bool fine = run_blocks(x, f, values, result);
    x->depth--;
    x->private_top = top;
    free(values);
    return fine;
}

struct evaluation evaluate(const struct ir_function *f, const uint64_t *args, uint64_t seed, uint64_t fuel)
{
    return evaluate_listening(f, args, seed, fuel, NULL);
}

struct evaluation evaluate_listening(const struct ir_function *f, const uint64_t *args, uint64_t seed,
                                     uint64_t fuel, const struct access_listener *l)
{
    struct evaluation e = {0};
    struct machine *x = calloc(1, sizeof *x);
    x->listener = l;
    x->m = f->module;
    x->e = &e;
    x->fuel = fuel;
    for (unsigned i = 0; i < MEMORY_BYTES; i++)
        x->memory[IR_TYPE_GLOBAL][i] = (uint8_t)(hash_mix(seed, i) >> 8);
    e.finished = call(x, f, args, &e.result);
    e.memory = hash_bytes(x->memory[IR_TYPE_GLOBAL], MEMORY_BYTES) ^
               hash_bytes(x->memory[IR_TYPE_SHARED], MEMORY_BYTES);
    free(x);
    return e;
}
