/* select_memory.c: loads, stores, atomics, and how their addresses fold into them.
 *
 * An address is split into   base (uniform) + (index << shift) + offset,   all modulo 2^32 as addresses
 * are: constants go to the offset, one uniform term to the base, a shift or a multiplication by a power of
 * two and the constants below it to the index. What cannot be split stays one address in lanes.
 */
#include "backend/bytecode/select.h"

/* r + constant: r, or 0. */
static ir_ref peel_constant(const struct be_selector *s, ir_ref r, uint32_t *constant)
{
    const struct ir_ins *ins = ir_at(s->ir, r);
    uint64_t bits;
    if (ins->op != IR_ptradd && ins->op != IR_add && ins->op != IR_sub)
        return 0;
    for (unsigned i = 1 + 1; i-- > (ins->op == IR_add ? 0u : 1u);) {
        if (!ir_is_const(s->ir, ins->args[i], &bits))
            continue;
        *constant = ins->op == IR_sub ? -(uint32_t)bits : (uint32_t)bits;
        return ins->args[1 - i];
    }
    return 0;
}

/* r << constant, or r * 2^constant: r, or 0. */
static ir_ref peel_shift(const struct be_selector *s, ir_ref r, unsigned *shift)
{
    const struct ir_ins *ins = ir_at(s->ir, r);
    uint64_t bits;
    if (ins->type != IR_TYPE_I32 || (ins->op != IR_shl && ins->op != IR_mul) ||
        !ir_is_const(s->ir, ins->args[1], &bits))
        return 0;
    if (ins->op == IR_mul && (bits == 0 || bits & (bits - 1)))
        return 0;
    *shift = ins->op == IR_mul ? (unsigned)__builtin_ctzll(bits) : (unsigned)(bits & 31);
    return ins->args[0];
}

static ir_ref peel_offset(const struct be_selector *s, ir_ref r, uint32_t *offset, unsigned shift)
{
    uint32_t constant;
    for (ir_ref inner; (inner = peel_constant(s, r, &constant)); r = inner)
        *offset += constant << shift;
    return r;
}

static ir_ref peel_casts(const struct be_selector *s, ir_ref r, uint32_t *offset)
{
    for (;;) {
        r = peel_offset(s, r, offset, 0);
        if (ir_at(s->ir, r)->op != IR_ptrcast)
            return r;
        r = ir_at(s->ir, r)->args[0];
    }
}

static void split_index(const struct be_selector *s, struct be_address *a, ir_ref r)
{
    unsigned shift;
    r = peel_offset(s, r, &a->offset, 0);
    for (ir_ref inner; (inner = peel_shift(s, r, &shift)) && a->shift + shift < 32; r = inner) {
        a->shift += shift;
        inner = peel_offset(s, inner, &a->offset, a->shift);
    }
    a->index = r;
}

static void take_base(const struct be_selector *s, struct be_address *a, ir_ref r)
{
    uint64_t bits;
    a->base = peel_casts(s, r, &a->offset);
    a->known = be_known(s, a->base, &bits);
    if (a->known)
        a->offset += (uint32_t)bits;
}

struct be_address be_split_address(const struct be_selector *s, const struct ir_ins *access)
{
    struct be_address a = {.offset = (uint32_t)access->imm};
    ir_ref r = peel_casts(s, access->args[0], &a.offset);
    const struct ir_ins *ins = ir_at(s->ir, r);
    if (be_uniform(s, r)) {
        take_base(s, &a, r);
    } else if (ins->op == IR_ptradd && be_uniform(s, ins->args[0])) {
        take_base(s, &a, ins->args[0]);
        split_index(s, &a, ins->args[1]);
    } else if (ins->op == IR_ptradd && be_uniform(s, ins->args[1])) {
        a.base = ins->args[1];
        a.index = peel_casts(s, ins->args[0], &a.offset);
    } else {
        a.index = r;
    }
    return a;
}

/* ---- the access -------------------------------------------------------------------------------------- */

enum { LOAD_8, LOAD_8S, LOAD_16, LOAD_16S, LOAD_32, LOAD_64, LOAD_B };
enum { STORE_8, STORE_16, STORE_32, STORE_64, STORE_F32, STORE_F64, STORE_B };
/* Rows of SPACE and UNIFORM in bytecode.def, in their order, for each access type. */
static const struct {
    uint8_t load, store;
} rows[IR_MEMS] = {
    [IR_MEM_B8] = {LOAD_B, STORE_B},     [IR_MEM_U8] = {LOAD_8, STORE_8},
    [IR_MEM_S8] = {LOAD_8S, STORE_8},    [IR_MEM_U16] = {LOAD_16, STORE_16},
    [IR_MEM_S16] = {LOAD_16S, STORE_16}, [IR_MEM_I32] = {LOAD_32, STORE_32},
    [IR_MEM_I64] = {LOAD_64, STORE_64},  [IR_MEM_F32] = {LOAD_32, STORE_F32},
    [IR_MEM_F64] = {LOAD_64, STORE_F64}, [IR_MEM_PTR] = {LOAD_32, STORE_32},
};
_Static_assert(BC_ldx_gb == BC_ld_g8 + 2 * LOAD_B + 1 && BC_stx_gb == BC_st_g8 + 2 * STORE_B + 1 &&
                   BC_ldu_gb == BC_ldu_g8 + LOAD_B && BC_ldx_pb - BC_ldx_hb == BC_ldx_hb - BC_ldx_gb,
               "rows of bytecode.def have moved");

unsigned be_load_row(enum ir_mem m)
{
    return rows[m].load;
}

unsigned be_store_row(enum ir_mem m)
{
    return rows[m].store;
}

unsigned be_space_of(const struct be_selector *s, ir_ref address)
{
    enum ir_type t = (enum ir_type)ir_at(s->ir, address)->type;
    return t == IR_TYPE_SHARED ? 1 : t == IR_TYPE_PRIVATE ? 2 : 0;
}

static enum bc_op access_op(enum bc_op first, unsigned space, unsigned row, bool indexed)
{
    return (enum bc_op)(first + space * (BC_ld_h8 - BC_ld_g8) + 2 * row + indexed);
}

static uint32_t lane_zero(struct be_selector *s)
{
    return s->zero ? s->zero : (s->zero = be_lane_constant(s, BC_KIND_V, 0));
}

struct be_mode be_choose_mode(struct be_selector *s, const struct be_address *a)
{
    struct be_mode m = {.shift = a->shift, .offset = a->offset};
    bool plain_index = a->index && a->shift == 0;
    m.indexed = a->index && a->base && !(a->known && plain_index);
    if (m.indexed && a->known) {
        m.b = be_preload(s->c, s->f, BC_KIND_S, BC_FROM_CONSTANT, a->offset);
        m.offset = 0;
    } else if (m.indexed) {
        m.b = be_scalar(s, a->base);
    }
    if (a->index)
        m.a = be_lanes(s, a->index);
    else if (a->known)
        m.a = lane_zero(s);
    else
        m.a = be_lanes(s, a->base);
    return m;
}

void be_finish_access(struct be_word *w, const struct be_mode *m)
{
    w->imm = m->offset;
    w->c = m->shift;
    if (m->indexed)
        w->cycles = (uint8_t)(w->cycles + ir_latency_cycles[IR_LAT_ALU]);
}

void be_load_uniform(struct be_selector *s, ir_ref r, const struct be_address *a, uint32_t wide,
                     uint32_t delta)
{
    const struct ir_ins *ins = ir_at(s->ir, r);
    bool invariant = ir_at(s->ir, ins->args[0])->type == IR_TYPE_CONSTANT && be_invariant(s, a->base);
    unsigned row =
        be_space_of(s, ins->args[0]) * (BC_ldu_h8 - BC_ldu_g8) + be_load_row((enum ir_mem)ins->mem);
    uint32_t base;
    if (a->known)
        base = be_preload(s->c, s->f, BC_KIND_S, BC_FROM_CONSTANT, 0);
    else
        base = be_scalar(s, a->base);
    uint32_t d = be_define_scalar(s, r, invariant);
    struct be_word *w = be_put(s, (enum bc_op)(BC_ldu_g8 + row), d, base, wide, 0);
    w->c = delta;
    w->imm = a->offset + delta;
    w->part = delta != 0;
    if (w->part)
        w->cycles = 0;
    be_spread(s, r);
}

void be_select_load(struct be_selector *s, ir_ref r)
{
    const struct ir_ins *ins = ir_at(s->ir, r);
    struct be_address a = be_split_address(s, ins);
    unsigned space = be_space_of(s, ins->args[0]), row = rows[ins->mem].load;
    if (!a.index && space != 2) {
        be_load_uniform(s, r, &a, 0, 0);
        return;
    }
    struct be_mode m = be_choose_mode(s, &a);
    be_finish_access(be_put(s, access_op(BC_ld_g8, space, row, m.indexed), be_define(s, r), m.a, m.b, 0), &m);
}

void be_select_store(struct be_selector *s, ir_ref r)
{
    const struct ir_ins *ins = ir_at(s->ir, r);
    struct be_address a = be_split_address(s, ins);
    struct be_mode m = be_choose_mode(s, &a);
    uint32_t value = be_lanes(s, ins->args[1]);
    enum bc_op op = access_op(BC_st_g8, be_space_of(s, ins->args[0]), rows[ins->mem].store, m.indexed);
    be_finish_access(m.indexed ? be_put(s, op, value, m.a, m.b, 0) : be_put(s, op, 0, m.a, value, 0), &m);
}

/* ---- the rest ---------------------------------------------------------------------------------------- */

#define ATOMICS_OF_TYPE (BC_at_gadd_L - BC_at_gadd_I)
_Static_assert(BC_at_gcas_I - BC_at_gadd_I == IR_atomic_cas - IR_atomic_add &&
                   BC_at_hadd_I - BC_at_gadd_I == 3 * ATOMICS_OF_TYPE,
               "atomics in the IR's order, three types a space");

/* An address in lanes with an offset: mode V. */
static uint32_t lane_address(struct be_selector *s, const struct ir_ins *ins, uint32_t *offset)
{
    uint64_t bits;
    *offset = (uint32_t)ins->imm;
    ir_ref r = peel_casts(s, ins->args[0], offset);
    if (!be_known(s, r, &bits))
        return be_lanes(s, r);
    *offset += (uint32_t)bits;
    return lane_zero(s);
}

void be_select_atomic(struct be_selector *s, ir_ref r)
{
    const struct ir_ins *ins = ir_at(s->ir, r);
    unsigned type = ins->mem == IR_MEM_I64 ? 1 : ins->mem == IR_MEM_F32 ? 2 : 0;
    unsigned row = (be_space_of(s, ins->args[0]) * 3 + type) * ATOMICS_OF_TYPE + (ins->op - IR_atomic_add);
    uint32_t offset, address = lane_address(s, ins, &offset), b = be_lanes(s, ins->args[1]);
    uint32_t c = ins->argc > 2 ? be_lanes(s, ins->args[2]) : 0;
    struct be_word *w = be_put(s, (enum bc_op)(BC_at_gadd_I + row), be_define(s, r), address, b, 0);
    w->c = c;
    w->imm = offset;
}

void be_select_block_memory(struct be_selector *s, ir_ref r)
{
    const struct ir_ins *ins = ir_at(s->ir, r);
    uint32_t to = be_lanes(s, ins->args[0]);
    unsigned spaces = be_space_of(s, ins->args[0]);
    struct be_word *w;
    if (ins->op == IR_memcpy) {
        spaces += 4 * be_space_of(s, ins->args[1]);
        w = be_put(s, BC_memcpy, 0, to, be_lanes(s, ins->args[1]), 0);
    } else {
        w = be_put(s, BC_memzero, 0, to, 0, 0);
    }
    w->c = spaces;
    w->imm = (uint32_t)ins->imm;
}
