/* memory.c: points-to classes, and what they say of two accesses. See memory.h. */
#include "ir/analysis/memory.h"

/* ---- classes ----------------------------------------------------------------------------------------- */

static uint32_t leader(const struct ir_memory *m, uint32_t r)
{
    while (m->class[r] != r)
        r = m->class[r] = m->class[m->class[r]];
    return r;
}

static bool is_data_pointer(enum ir_type t)
{
    return t >= IR_TYPE_GLOBAL && t <= IR_TYPE_PRIVATE;
}

static uint32_t unknown_of(const struct ir_memory *m, enum ir_type space)
{
    return m->count + (space - IR_TYPE_GLOBAL);
}

/* The class of `unknown` stays the leader: no object of it is the only one. A class that has had several
 * never has one again. */
static void unify(struct ir_memory *m, uint32_t x, uint32_t y)
{
    x = leader(m, x);
    y = leader(m, y);
    if (x == y)
        return;
    if (x < y) {
        uint32_t swap = x;
        x = y;
        y = swap;
    }
    m->class[y] = x;
    if (x >= m->count || (m->only[x] && m->only[y]))
        m->only[x] = IR_SEVERAL_OBJECTS;
    else if (!m->only[x])
        m->only[x] = m->only[y];
}

static void make_unknown(struct ir_memory *m, ir_ref r)
{
    enum ir_type t = ir_at(m->fn, r)->type;
    if (is_data_pointer(t))
        unify(m, r, unknown_of(m, t));
}

/* A null pointer points to nothing. */
static void flow(struct ir_memory *m, ir_ref from, ir_ref to)
{
    const struct ir_ins *source = ir_at(m->fn, from), *target = ir_at(m->fn, to);
    if (!is_data_pointer(target->type) || (source->op == IR_constant && source->imm == 0))
        return;
    if (source->op == IR_constant)
        make_unknown(m, to);
    else
        unify(m, from, to);
}

/* ---- a walk over the function ------------------------------------------------------------------------ */

static void note_cast(struct ir_memory *m, ir_ref r)
{
    ir_ref from = ir_at(m->fn, r)->args[0];
    if (ir_at(m->fn, from)->type == ir_at(m->fn, r)->type) {
        flow(m, from, r);
    } else {
        make_unknown(m, from);
        make_unknown(m, r);
    }
}

/* Operands from number `first` on go where nothing more is known of them. */
static void note_escapes(struct ir_memory *m, ir_ref r, uint32_t first)
{
    const struct ir_ins *ins = ir_at(m->fn, r);
    for (uint32_t i = first; i < ins->argc; i++)
        make_unknown(m, ins->args[i]);
    make_unknown(m, r);
}

static void note_instruction(struct ir_memory *m, ir_ref r)
{
    const struct ir_ins *ins = ir_at(m->fn, r);
    switch (ins->op) {
    case IR_memzero:
    case IR_memcpy:
    case IR_eq:
    case IR_ne:
    case IR_ult:
    case IR_ule: break;
    case IR_alloca:
    case IR_object:
        if (!m->object[r]) /* in a block that can't be reached */
            make_unknown(m, r);
        break;
    case IR_ptradd: flow(m, ins->args[0], r); break;
    case IR_ptrcast: note_cast(m, r); break;
    case IR_select:
        flow(m, ins->args[1], r);
        flow(m, ins->args[2], r);
        break;
    default: note_escapes(m, r, ir_op_info[ins->op].imm == IR_IMM_OFFSET);
    }
}

static void note_edge(struct ir_memory *m, const struct ir_edge *e)
{
    for (uint32_t i = 0; i < e->argc; i++)
        flow(m, e->args[i], ir_block_at(m->fn, e->block)->params.at[i]);
}

static void find_classes(struct ir_memory *m)
{
    const struct ir_function *f = m->fn;
    ir_each_block(i, b, f) {
        const struct ir_block *block = ir_block_at(f, b);
        for (uint32_t k = 0; b == ir_entry(f) && k < block->params.count; k++)
            make_unknown(m, block->params.at[k]);
        ir_each_ins(r, f, b)
            note_instruction(m, r);
        for (uint32_t e = 0; e < block->edges.count; e++)
            note_edge(m, &block->edges.at[e]);
    }
}

/* ---- objects ----------------------------------------------------------------------------------------- */

static void begin_object(struct ir_memory *m, struct arena *a, struct map *first, ir_ref r)
{
    const struct ir_ins *ins = ir_at(m->fn, r);
    ir_ref same = ins->op == IR_object ? map_get(first, (uint64_t)ins->imm) : MAP_NONE;
    if (same == MAP_NONE && ins->op == IR_object)
        map_set(a, first, (uint64_t)ins->imm, r);
    m->object[r] = same == MAP_NONE ? r : same;
    if (same == MAP_NONE)
        m->only[r] = r;
    else
        unify(m, r, same);
}

/* Values made from one address alone; the blocks in reverse post-order, so that operands come first. */
static void find_objects(struct ir_memory *m, struct arena *a, const struct ir_cfg *c)
{
    struct map first = {0};
    for (uint32_t i = 0; i < c->rpo_count; i++)
        ir_each_ins(r, m->fn, c->rpo[i]) {
            const struct ir_ins *ins = ir_at(m->fn, r);
            if (ins->op == IR_alloca || ins->op == IR_object)
                begin_object(m, a, &first, r);
            else if (ins->op == IR_ptradd || (ins->op == IR_ptrcast && is_data_pointer(ins->type)))
                m->object[r] = m->object[ins->args[0]];
        }
}

struct ir_memory *ir_memory_new(struct arena *a, const struct ir_function *f, const struct ir_cfg *c)
{
    struct ir_memory *m = arena_new(a, struct ir_memory);
    uint32_t n = f->ins.count, spaces = IR_TYPE_PRIVATE - IR_TYPE_GLOBAL + 1;
    *m = (struct ir_memory){f,
                            n,
                            n + spaces,
                            arena_array(a, ir_ref, n),
                            arena_array(a, uint32_t, n + spaces),
                            arena_array(a, ir_ref, n + spaces)};
    for (uint32_t r = 0; r < n + spaces; r++)
        m->class[r] = r;
    find_objects(m, a, c);
    find_classes(m);
    return m;
}

/* ---- locations --------------------------------------------------------------------------------------- */

struct ir_location ir_location_of(const struct ir_memory *m, ir_ref address, int64_t imm, uint32_t size)
{
    struct ir_address at = ir_address_of(m->fn, address);
    const struct ir_ins *root = ir_at(m->fn, at.root);
    struct ir_location x = {.root = at.root,
                            .offset = at.offset + (uint32_t)imm,
                            .size = size,
                            .space = (enum ir_type)root->type};
    bool known = at.root < m->count && root->op != IR_constant;
    x.class = leader(m, known ? at.root : unknown_of(m, x.space));
    x.object = known && m->object[at.root] ? m->object[at.root] : m->only[x.class];
    if (x.object == IR_SEVERAL_OBJECTS)
        x.object = 0;
    if (root->op == IR_object && known)
        x.root = x.object;
    return x;
}

static bool ranges_overlap(struct ir_location x, struct ir_location y)
{
    return x.size == 0 || y.size == 0 || y.offset - x.offset < x.size || x.offset - y.offset < y.size;
}

bool ir_is_own(const struct ir_memory *m, struct ir_location x)
{
    return x.class < m->count;
}

bool ir_may_overlap(const struct ir_memory *m, struct ir_location x, struct ir_location y)
{
    if (x.space != y.space)
        return false;
    if (x.root == y.root)
        return ranges_overlap(x, y);
    if (x.object && y.object)
        return x.object == y.object;
    return x.class == y.class;
}

bool ir_covers(struct ir_location whole, struct ir_location part)
{
    uint32_t from = part.offset - whole.offset;
    return whole.root == part.root && part.size && from < whole.size && part.size <= whole.size - from;
}

/* ---- instructions ------------------------------------------------------------------------------------ */

bool ir_written(const struct ir_memory *m, ir_ref r, struct ir_location *x)
{
    const struct ir_ins *ins = ir_at(m->fn, r);
    bool block = ins->op == IR_memzero || ins->op == IR_memcpy;
    if (!block && !ir_is_atomic(ins->op) && ins->op != IR_store)
        return false;
    *x = ir_location_of(m, ins->args[0], block ? 0 : ins->imm,
                        block ? (uint32_t)ins->imm : ir_mem_info[ins->mem].bytes);
    return true;
}

bool ir_read(const struct ir_memory *m, ir_ref r, struct ir_location *x)
{
    const struct ir_ins *ins = ir_at(m->fn, r);
    if (ins->op == IR_memcpy)
        *x = ir_location_of(m, ins->args[1], 0, (uint32_t)ins->imm);
    else if (ins->op == IR_load || ir_is_atomic(ins->op))
        *x = ir_location_of(m, ins->args[0], ins->imm, ir_mem_info[ins->mem].bytes);
    else
        return false;
    return true;
}

enum ir_clobber ir_clobber_of(enum ir_op op)
{
    if (op == IR_call || op == IR_icall || op == IR_hostcall)
        return IR_CLOBBERS_ALL;
    bool orders = op == IR_barrier || op == IR_syncwarp || op == IR_fence || ir_is_atomic(op);
    return orders ? IR_CLOBBERS_COMMON : IR_CLOBBERS_NOTHING;
}

bool ir_is_clobbered(const struct ir_memory *m, enum ir_clobber c, struct ir_location x)
{
    if (c == IR_CLOBBERS_NOTHING || x.space == IR_TYPE_CONSTANT)
        return false;
    return x.space == IR_TYPE_PRIVATE ? c == IR_CLOBBERS_ALL && !ir_is_own(m, x) : true;
}
