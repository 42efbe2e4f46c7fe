/* build.c: making and changing functions.
 *
 * Invariants kept here: an instruction that stands in a block has its number in `block` and is linked
 * into the block's list; constants, parameters and removed instructions are in no list (a parameter's
 * `block` is the block it belongs to). Growth of fn->ins or of a block's edges moves them, so pointers
 * into them are fetched again after each call that may add one.
 */
#include "ir/ir.h"

static struct arena *arena_of(const struct ir_function *f)
{
    return &f->module->arena;
}

static ir_ref ins_new(struct ir_function *f, struct ir_ins ins)
{
    ir_ref r = f->ins.count;
    f->module->orders |= ins.op == IR_fence || ins.op == IR_anchor;
    vec_push(arena_of(f), &f->ins, ins);
    return r;
}

static ir_ref *copy_refs(struct ir_function *f, uint32_t n, const ir_ref *refs)
{
    if (n == 0)
        return NULL;
    ir_ref *copy = arena_array(arena_of(f), ir_ref, n);
    memcpy(copy, refs, n * sizeof *refs);
    return copy;
}

/* ---- blocks, parameters, constants ----------------------------------------------------------------- */

uint32_t ir_block_new(struct ir_function *f, const char *name)
{
    uint32_t b = f->blocks.count;
    struct ir_block block = {.name = name, .reconverge = IR_NO_BLOCK, .frontier = IR_NO_BLOCK};
    vec_push(arena_of(f), &f->blocks, block);
    vec_push(arena_of(f), &f->order, b);
    return b;
}

ir_ref ir_param_new(struct ir_function *f, uint32_t block, enum ir_type t, const char *name)
{
    u32_vec *params = &ir_block_at(f, block)->params;
    ir_ref r = ins_new(
        f, (struct ir_ins){
               .op = IR_param, .type = (uint8_t)t, .block = block, .imm = params->count, .name = name});
    vec_push(arena_of(f), params, r);
    return r;
}

/* The bits that a type's values have; the rest of a constant's imm is zero. */
static scalar_bits type_mask(enum ir_type t)
{
    return t == IR_TYPE_I1 ? 1 : ir_type_info[t].bytes == 8 ? UINT64_MAX : UINT32_MAX;
}

ir_ref ir_const(struct ir_function *f, enum ir_type t, scalar_bits bits)
{
    bits &= type_mask(t);
    uint64_t key = hash_mix(bits, t);
    uint32_t r;
    for (; (r = map_get(&f->constants, key)) != MAP_NONE; key++)
        if (ir_at(f, r)->type == t && (scalar_bits)ir_at(f, r)->imm == bits)
            return r;
    r = ins_new(f, (struct ir_ins){
                       .op = IR_constant, .type = (uint8_t)t, .block = IR_NO_BLOCK, .imm = (int64_t)bits});
    map_set(arena_of(f), &f->constants, key, r);
    return r;
}

bool ir_is_const(const struct ir_function *f, ir_ref r, scalar_bits *bits)
{
    const struct ir_ins *ins = ir_at(f, r);
    if (ins->op != IR_constant)
        return false;
    if (bits)
        *bits = (scalar_bits)ins->imm;
    return true;
}

/* ---- lists of instructions ------------------------------------------------------------------------- */

void ir_link(struct ir_cursor *c, ir_ref r)
{
    struct ir_function *f = c->fn;
    struct ir_block *block = ir_block_at(f, c->block);
    struct ir_ins *ins = ir_at(f, r);
    INVARIANT(!c->before || ir_at(f, c->before)->block == c->block);
    ins->block = c->block;
    ins->next = c->before;
    ins->prev = c->before ? ir_at(f, c->before)->prev : block->last;
    *(ins->prev ? &ir_at(f, ins->prev)->next : &block->first) = r;
    *(ins->next ? &ir_at(f, ins->next)->prev : &block->last) = r;
}

void ir_unlink(struct ir_function *f, ir_ref r)
{
    struct ir_ins *ins = ir_at(f, r);
    struct ir_block *block = ir_block_at(f, ins->block);
    *(ins->prev ? &ir_at(f, ins->prev)->next : &block->first) = ins->next;
    *(ins->next ? &ir_at(f, ins->next)->prev : &block->last) = ins->prev;
    ins->prev = ins->next = 0;
    ins->block = IR_NO_BLOCK;
    if (ir_op_info[ins->op].flags & IR_TERMINATOR) {
        block->reconverge = IR_NO_BLOCK;
        block->overhead = false;
        block->predicated = 0;
    }
}

void ir_drop(struct ir_function *f, ir_ref r)
{
    *ir_at(f, r) = (struct ir_ins){.op = IR_none, .block = IR_NO_BLOCK};
    f->removed++;
}

void ir_remove(struct ir_function *f, ir_ref r)
{
    ir_unlink(f, r);
    ir_drop(f, r);
}

/* ---- emitting -------------------------------------------------------------------------------------- */

ir_ref ir_emit(struct ir_cursor *c, enum ir_op op, enum ir_type t, uint32_t argc, const ir_ref *args)
{
    ir_ref r = ins_new(c->fn, (struct ir_ins){.op = (uint16_t)op,
                                              .type = (uint8_t)t,
                                              .argc = argc,
                                              .args = copy_refs(c->fn, argc, args),
                                              .at = c->at});
    ir_link(c, r);
    return r;
}

ir_ref ir_emit0(struct ir_cursor *c, enum ir_op op, enum ir_type t)
{
    return ir_emit(c, op, t, 0, NULL);
}

ir_ref ir_emit1(struct ir_cursor *c, enum ir_op op, enum ir_type t, ir_ref a)
{
    return ir_emit(c, op, t, 1, &a);
}

ir_ref ir_emit2(struct ir_cursor *c, enum ir_op op, enum ir_type t, ir_ref a, ir_ref b)
{
    return ir_emit(c, op, t, 2, (ir_ref[]){a, b});
}

ir_ref ir_emit3(struct ir_cursor *c, enum ir_op op, enum ir_type t, ir_ref a, ir_ref b, ir_ref d)
{
    return ir_emit(c, op, t, 3, (ir_ref[]){a, b, d});
}

ir_ref ir_emit_load(struct ir_cursor *c, enum ir_mem m, enum ir_type t, ir_ref address, int32_t offset)
{
    ir_ref r = ir_emit1(c, IR_load, t, address);
    ir_at(c->fn, r)->mem = (uint8_t)m;
    ir_at(c->fn, r)->imm = offset;
    return r;
}

ir_ref ir_emit_store(struct ir_cursor *c, enum ir_mem m, ir_ref address, int32_t offset, ir_ref value)
{
    ir_ref r = ir_emit2(c, IR_store, IR_TYPE_VOID, address, value);
    ir_at(c->fn, r)->mem = (uint8_t)m;
    ir_at(c->fn, r)->imm = offset;
    return r;
}

ir_ref ir_emit_br(struct ir_cursor *c, uint32_t to)
{
    ir_edge_add(c->fn, c->block, to, 0);
    return ir_emit0(c, IR_br, IR_TYPE_VOID);
}

ir_ref ir_emit_brif(struct ir_cursor *c, ir_ref condition, uint32_t yes, uint32_t no)
{
    ir_edge_add(c->fn, c->block, yes, 0);
    ir_edge_add(c->fn, c->block, no, 0);
    return ir_emit1(c, IR_brif, IR_TYPE_VOID, condition);
}

ir_ref ir_emit_switch(struct ir_cursor *c, ir_ref value, uint32_t otherwise)
{
    ir_edge_add(c->fn, c->block, otherwise, 0);
    return ir_emit1(c, IR_switch, IR_TYPE_VOID, value);
}

ir_ref ir_emit_ret(struct ir_cursor *c, ir_ref value)
{
    return ir_emit(c, IR_ret, IR_TYPE_VOID, value != 0, &value);
}

/* ---- edges ----------------------------------------------------------------------------------------- */

struct ir_edge *ir_edge_add(struct ir_function *f, uint32_t from, uint32_t to, int64_t value)
{
    struct ir_block *block = ir_block_at(f, from);
    vec_push(arena_of(f), &block->edges, ((struct ir_edge){.block = to, .value = value}));
    return &vec_last(&block->edges);
}

void ir_edge_arg(struct ir_function *f, struct ir_edge *e, ir_ref arg)
{
    if (e->argc >= e->capacity) {
        e->capacity = e->argc < 4 ? 4 : e->argc * 2;
        ir_ref *grown = arena_array(arena_of(f), ir_ref, e->capacity);
        if (e->argc)
            memcpy(grown, e->args, e->argc * sizeof *grown);
        e->args = grown;
    }
    e->args[e->argc++] = arg;
}

uint32_t ir_edge_split(struct ir_function *f, uint32_t b, uint32_t e)
{
    uint32_t middle = ir_block_new(f, NULL);
    struct ir_edge *edge = &ir_block_at(f, b)->edges.at[e];
    struct ir_edge moved = *edge;
    moved.value = 0;
    moved.breaks = false;
    *edge = (struct ir_edge){.block = middle, .value = edge->value, .breaks = edge->breaks};
    struct ir_cursor c = {.fn = f, .block = middle, .at = ir_at(f, ir_terminator(f, b))->at};
    ir_emit_br(&c, moved.block);
    ir_block_at(f, middle)->edges.at[0] = moved;
    return middle;
}

/* ---- larger changes -------------------------------------------------------------------------------- */

static void block_clear(struct ir_function *f, uint32_t b)
{
    struct ir_block *block = ir_block_at(f, b);
    for (ir_ref r = block->first, next; r; r = next) {
        next = ir_at(f, r)->next;
        ir_drop(f, r);
    }
    for (uint32_t i = 0; i < block->params.count; i++)
        ir_drop(f, block->params.at[i]);
    *block = (struct ir_block){
        .name = block->name, .reconverge = IR_NO_BLOCK, .frontier = IR_NO_BLOCK, .removed = true};
}

/* What named a block that was removed names none any more. */
static void order_compact(struct ir_function *f)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < f->order.count; i++) {
        struct ir_block *block = ir_block_at(f, f->order.at[i]);
        if (block->removed)
            continue;
        if (block->reconverge < IR_AT_RETURN && ir_block_at(f, block->reconverge)->removed)
            block->reconverge = IR_NO_BLOCK;
        if (block->frontier != IR_NO_BLOCK && ir_block_at(f, block->frontier)->removed)
            block->frontier = IR_NO_BLOCK;
        f->order.at[kept++] = f->order.at[i];
    }
    f->order.count = kept;
}

void ir_block_remove(struct ir_function *f, uint32_t b)
{
    block_clear(f, b);
    order_compact(f);
}

void ir_blocks_remove(struct ir_function *f, struct bitset dead)
{
    bitset_each(b, dead)
        block_clear(f, b);
    order_compact(f);
}

static void edge_arg_remove(struct ir_edge *e, uint32_t position)
{
    e->argc--;
    memmove(e->args + position, e->args + position + 1, (e->argc - position) * sizeof *e->args);
}

void ir_param_remove(struct ir_function *f, uint32_t b, uint32_t position)
{
    u32_vec *params = &ir_block_at(f, b)->params;
    ir_drop(f, params->at[position]);
    params->count--;
    for (uint32_t i = position; i < params->count; i++) {
        params->at[i] = params->at[i + 1];
        ir_at(f, params->at[i])->imm = i;
    }
    ir_each_block(i, from, f) {
        struct ir_block *block = ir_block_at(f, from);
        for (uint32_t e = 0; e < block->edges.count; e++)
            if (block->edges.at[e].block == b)
                edge_arg_remove(&block->edges.at[e], position);
    }
}

/* The end of r's chain of replacements; what was walked is shortened to point there. */
static ir_ref resolve(ir_ref *to, ir_ref r)
{
    ir_ref end = r;
    while (to[end])
        end = to[end];
    while (to[r]) {
        ir_ref next = to[r];
        to[r] = end;
        r = next;
    }
    return end;
}

static void substitute_all(ir_ref *to, uint32_t n, ir_ref *refs)
{
    for (uint32_t i = 0; i < n; i++)
        if (to[refs[i]])
            refs[i] = resolve(to, refs[i]);
}

void ir_substitute(struct ir_function *f, ir_ref *to)
{
    ir_each_block(i, b, f) {
        ir_each_ins(r, f, b) {
            struct ir_ins *ins = ir_at(f, r);
            substitute_all(to, ins->argc, ins->args);
            substitute_all(to, 1, &ins->token);
        }
        struct ir_block *block = ir_block_at(f, b);
        for (uint32_t e = 0; e < block->edges.count; e++)
            substitute_all(to, block->edges.at[e].argc, block->edges.at[e].args);
    }
}

uint32_t ir_block_split(struct ir_function *f, uint32_t b, ir_ref r, const char *name)
{
    uint32_t rest = ir_block_new(f, name);
    struct ir_block *head = ir_block_at(f, b), *tail = ir_block_at(f, rest);
    INVARIANT(ir_at(f, r)->block == b);
    tail->first = r;
    tail->last = head->last;
    head->last = ir_at(f, r)->prev;
    *(head->last ? &ir_at(f, head->last)->next : &head->first) = 0;
    ir_at(f, r)->prev = 0;
    for (ir_ref moved = r; moved; moved = ir_at(f, moved)->next)
        ir_at(f, moved)->block = rest;
    tail->edges.at = head->edges.at;
    tail->edges.count = head->edges.count;
    tail->edges.capacity = head->edges.capacity;
    tail->reconverge = head->reconverge;
    tail->overhead = head->overhead;
    tail->predicated = head->predicated;
    memset(&head->edges, 0, sizeof head->edges);
    head->reconverge = IR_NO_BLOCK;
    head->overhead = false;
    head->predicated = 0;
    return rest;
}

static ir_ref copy_operand(struct ir_function *to, const struct ir_function *from, ir_ref r,
                           const ir_ref *map)
{
    if (r == 0 || map[r])
        return r ? map[r] : 0;
    const struct ir_ins *ins = ir_at(from, r);
    if (ins->op == IR_constant)
        return ir_const(to, ins->type, (scalar_bits)ins->imm);
    INVARIANT(to == from);
    return r;
}

ir_ref ir_copy_ins(struct ir_cursor *c, const struct ir_function *from, ir_ref r, const ir_ref *map)
{
    struct ir_ins copy = *ir_at(from, r);
    copy.args = copy_refs(c->fn, copy.argc, copy.args);
    for (uint32_t i = 0; i < copy.argc; i++)
        copy.args[i] = copy_operand(c->fn, from, copy.args[i], map);
    copy.token = copy_operand(c->fn, from, copy.token, map);
    ir_ref fresh = ins_new(c->fn, copy);
    ir_link(c, fresh);
    return fresh;
}
