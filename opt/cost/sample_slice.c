/* sample_slice.c: what sampled lanes run of a function: its *slice* (Weiser, "Program Slicing") on the
 * branches, and on the addresses whose segments count. All else that a kernel computes changes neither where
 * its lanes go nor what their accesses cost.
 *
 * Of a function that is called, what it returns belongs to the criterion, and what it stores, since callers may
 * load it; of one that calls others, what it stores. Where no load of a slice reads a kind of memory, no store
 * to it belongs to the slice.
 *
 * A slice is decoded once for all lanes: values have *slots*, which number those of the slice from 1 on, and
 * instructions are *steps* on slots. Time and space: the function's size.
 */
#include "opt/cost/sample.h"

struct slicing {
    struct arena *arena;
    const struct ir_function *f;
    const struct ir_cfg *cfg;
    struct walk wanted;   /* values */
    u32_vec writes;       /* stores, atomics and fills of memory that loads may read */
    bool reads[IR_TYPES]; /* by space */
    bool called, shared;
};

/* ---- the slice --------------------------------------------------------------------------------------- */

static void want_all(struct slicing *x, const struct ir_ins *i)
{
    for (uint32_t k = 0; k < i->argc; k++)
        walk_add(&x->wanted, i->args[k]);
}

static enum ir_type space_of(const struct ir_function *f, ir_ref pointer)
{
    return (enum ir_type)ir_at(f, pointer)->type;
}

/* Loads of the slice read this space: what is stored there is wanted. */
static void want_memory(struct slicing *x, enum ir_type space)
{
    if (x->reads[space] || (space == IR_TYPE_SHARED && !x->shared))
        return;
    x->reads[space] = true;
    for (uint32_t k = 0; k < x->writes.count; k++) {
        const struct ir_ins *i = ir_at(x->f, x->writes.at[k]);
        if (space_of(x->f, i->args[0]) != space)
            continue;
        if (ir_is_atomic(i->op))
            walk_add(&x->wanted, i->args[0]);
        else
            want_all(x, i);
        if (i->op == IR_memcpy)
            want_memory(x, space_of(x->f, i->args[1]));
    }
}

static void want_operands(struct slicing *x, ir_ref r)
{
    const struct ir_ins *i = ir_at(x->f, r);
    if (i->op == IR_param) {
        uint32_t b = i->block;
        for (uint32_t p = x->cfg->pred_start[b]; p < x->cfg->pred_start[b + 1]; p++)
            walk_add(&x->wanted,
                     ir_block_at(x->f, x->cfg->preds[p])->edges.at[x->cfg->pred_edges[p]].args[i->imm]);
    } else if (i->op == IR_load) {
        walk_add(&x->wanted, i->args[0]);
        want_memory(x, space_of(x->f, i->args[0]));
    } else if (ir_is_pure(i->op) || i->op == IR_ptradd || i->op == IR_ptrcast) {
        want_all(x, i);
    }
}

static bool calls(enum ir_op op)
{
    return op == IR_call || op == IR_icall;
}

/* The criterion. */
static void begin(struct slicing *x)
{
    bool others = x->called;
    ir_each_block(k, b, x->f) {
        const struct ir_ins *end = ir_at(x->f, ir_terminator(x->f, b));
        if (end->argc && (x->called || end->op != IR_ret))
            walk_add(&x->wanted, end->args[0]);
        ir_each_ins(r, x->f, b) {
            const struct ir_ins *i = ir_at(x->f, r);
            others |= calls(i->op);
            if (i->op == IR_store || ir_is_atomic(i->op) || i->op == IR_memcpy || i->op == IR_memzero)
                vec_push(x->arena, &x->writes, r);
            if (i->op == IR_call)
                want_all(x, i);
            else if (!x->called && cost_is_access(x->f, r))
                walk_add(&x->wanted, i->args[0]);
        }
    }
    for (uint32_t s = 0; others && s < IR_TYPES; s++)
        want_memory(x, (enum ir_type)s);
}

/* ---- steps ------------------------------------------------------------------------------------------- */

static enum cost_step_kind kind_of(const struct slicing *x, ir_ref r)
{
    const struct ir_ins *i = ir_at(x->f, r);
    bool wanted = bitset_has(x->wanted.seen, r);
    if (ir_is_atomic(i->op) && x->reads[space_of(x->f, i->args[0])])
        return COST_STEP_STORE;
    switch (i->op) {
    case IR_call: return COST_STEP_CALL;
    case IR_icall: return COST_STEP_FORGET;
    case IR_memcpy: return x->reads[space_of(x->f, i->args[0])] ? COST_STEP_COPY : COST_STEP_NONE;
    case IR_memzero: return x->reads[space_of(x->f, i->args[0])] ? COST_STEP_CLEAR : COST_STEP_NONE;
    case IR_store: return x->reads[space_of(x->f, i->args[0])] ? COST_STEP_STORE : COST_STEP_NONE;
    case IR_load: return wanted ? COST_STEP_LOAD : COST_STEP_NONE;
    case IR_special: return wanted ? COST_STEP_SPECIAL : COST_STEP_NONE;
    case IR_alloca: return wanted ? COST_STEP_FRAME : COST_STEP_NONE;
    case IR_object: return wanted ? COST_STEP_OBJECT : COST_STEP_NONE;
    case IR_ptradd: return wanted ? COST_STEP_ADD : COST_STEP_NONE;
    case IR_ptrcast: return wanted ? COST_STEP_SAME : COST_STEP_NONE;
    default: break;
    }
    if (!wanted)
        return COST_STEP_NONE;
    return ir_is_pure(i->op) && i->argc ? COST_STEP_COMPUTE : COST_STEP_UNKNOWN;
}

static uint32_t slot_of(struct slicing *x, struct cost_slice *slice, ir_ref r)
{
    if (!bitset_has(x->wanted.seen, r))
        return 0;
    if (!slice->slot[r])
        slice->slot[r] = slice->slots++;
    return slice->slot[r];
}

static void add_step(struct slicing *x, struct cost_slice *slice, ir_ref r)
{
    const struct ir_ins *i = ir_at(x->f, r);
    struct cost_step s = {.kind = kind_of(x, r), .ins = r, .to = slot_of(x, slice, r)};
    s.touches = !x->called && cost_is_access(x->f, r);
    if (s.kind == COST_STEP_NONE && !s.touches)
        return;
    if (s.kind == COST_STEP_COMPUTE)
        s.which = ir_scalar_case(x->f, r);
    s.argc = i->argc < SCALAR_MAX_ARGS ? (uint8_t)i->argc : SCALAR_MAX_ARGS;
    for (uint32_t k = 0; k < s.argc; k++)
        s.args[k] = slot_of(x, slice, i->args[k]);
    if (ir_is_atomic(i->op))
        s.args[1] = 0; /* what it leaves there is not known */
    if (s.kind == COST_STEP_FRAME) {
        s.args[0] = slice->frame;
        slice->frame += ((uint32_t)i->imm + 15) / 16 * 16;
    } else if (s.kind == COST_STEP_OBJECT || s.kind == COST_STEP_SPECIAL) {
        s.args[0] = (uint32_t)i->imm;
    }
    slice->blocks[i->block].touched += s.touches;
    vec_push(x->arena, &slice->steps, s);
}

static void add_edges(struct slicing *x, struct cost_slice *slice, uint32_t b)
{
    const struct ir_block *block = ir_block_at(x->f, b);
    slice->blocks[b].first_edge = slice->edges.count;
    for (uint32_t e = 0; e < block->edges.count; e++) {
        const struct ir_edge *edge = &block->edges.at[e];
        uint32_t first = slice->moves.count;
        for (uint32_t k = 0; k < edge->argc; k++) {
            uint32_t to = slot_of(x, slice, ir_block_at(x->f, edge->block)->params.at[k]);
            uint32_t from = slot_of(x, slice, edge->args[k]);
            if (to && to != from)
                vec_push(x->arena, &slice->moves, ((struct cost_move){from, to}));
        }
        vec_push(x->arena, &slice->edges,
                 ((struct cost_slice_edge){edge->block, first, slice->moves.count - first}));
    }
}

static void decode(struct slicing *x, struct cost_slice *slice)
{
    ir_each_block(k, b, x->f) {
        struct cost_slice_block *block = &slice->blocks[b];
        block->first = slice->steps.count;
        ir_each_ins(r, x->f, b) {
            const struct ir_ins *i = ir_at(x->f, r);
            add_step(x, slice, r);
            block->work += i->op == IR_memcpy ? 1 + (uint32_t)i->imm : 1;
        }
        block->count = slice->steps.count - block->first;
        const struct ir_ins *end = ir_at(x->f, ir_terminator(x->f, b));
        block->operand = end->argc ? slot_of(x, slice, end->args[0]) : 0;
        add_edges(x, slice, b);
    }
    for (ir_ref r = 1; r < x->f->ins.count; r++) {
        scalar_bits bits = 0;
        if (slice->slot[r] && ir_is_const(x->f, r, &bits))
            vec_push(x->arena, &slice->constants, ((struct cost_constant){slice->slot[r], bits}));
    }
}

const struct cost_slice *cost_slice_new(struct arena *a, const struct ir_function *f,
                                        const struct ir_cfg *cfg, bool called, bool shared)
{
    struct slicing x = {.arena = a,
                        .f = f,
                        .cfg = cfg ? cfg : ir_cfg_new(a, f),
                        .wanted = walk_new(a, f->ins.count),
                        .called = called,
                        .shared = shared};
    struct cost_slice *slice = arena_new(a, struct cost_slice);
    *slice = (struct cost_slice){.f = f,
                                 .slot = arena_array(a, uint32_t, f->ins.count),
                                 .blocks = arena_array(a, struct cost_slice_block, f->blocks.count),
                                 .slots = 1};
    slice->order = x.cfg->rpo_index;
    begin(&x);
    walk_each(r, &x.wanted)
        want_operands(&x, r);
    decode(&x, slice);
    return slice;
}
