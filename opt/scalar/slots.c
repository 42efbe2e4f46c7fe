/* slots.c: which pieces of private variables can become values (scalar replacement of aggregates).
 *
 * An alloca whose address goes nowhere but into loads, stores, memzero and memcpy at constant offsets is cut
 * into slots, one for each (offset, size) that is accessed. Copies between aggregates carry the slots of the
 * one side over to the other until nothing new comes up; bytes of a copied range that no access names get
 * slots of their own, so that in the end a memcpy is a list of slot moves.
 */
#include "opt/scalar/slots.h"

#include <stdlib.h>

/* ---- slots ------------------------------------------------------------------------------------------- */

struct opt_slot *opt_slot_at(struct opt_slots *s, uint32_t aggregate, uint32_t offset)
{
    uint32_t found = map_get(&s->at, (uint64_t)aggregate << 32 | offset);
    return found == MAP_NONE ? NULL : &s->slots.at[found];
}

static struct opt_slot *slot_need(struct opt_slots *s, uint32_t v, uint32_t offset, uint32_t size)
{
    struct opt_aggregate *var = &s->all.at[v];
    if (offset > var->bytes || size > var->bytes - offset || var->slot_count >= OPT_SLOTS_MAX) {
        var->escapes = true;
        return NULL;
    }
    struct opt_slot *x = opt_slot_at(s, v, offset);
    if (x) {
        x->in_memory |= x->size != size;
        x->size = size > x->size ? (uint8_t)size : x->size;
        return x;
    }
    uint32_t n = s->slots.count;
    map_set(s->arena, &s->at, (uint64_t)v << 32 | offset, n);
    vec_push(
        s->arena, &s->slots,
        ((struct opt_slot){.offset = offset, .size = (uint8_t)size, .next = var->first_slot, .same = n}));
    var->first_slot = n;
    var->slot_count++;
    return &vec_last(&s->slots);
}

static uint32_t leader(struct opt_slots *s, uint32_t x)
{
    while (s->slots.at[x].same != x)
        x = s->slots.at[x].same = s->slots.at[s->slots.at[x].same].same;
    return x;
}

struct opt_slot *opt_slot_leader(struct opt_slots *s, struct opt_slot *x)
{
    return &s->slots.at[leader(s, (uint32_t)(x - s->slots.at))];
}

/* What `y` knows of its accesses becomes known to `x`. */
static void slot_agree(struct opt_slot *x, const struct opt_slot *y)
{
    if (y->accessed && !x->accessed) {
        x->mem = y->mem;
        x->type = y->type;
        x->mixed |= y->mixed;
    } else if (y->accessed) {
        x->mixed |= y->mixed || x->mem != y->mem || x->type != y->type;
    }
    x->accessed |= y->accessed;
    x->copied_in |= y->copied_in;
    x->copied_out |= y->copied_out;
}

/* ---- a walk over the function ------------------------------------------------------------------------ */

static void escape(struct opt_slots *s, ir_ref r)
{
    if (s->root[r])
        s->all.at[s->root[r] - 1].escapes = true;
}

static void note_access(struct opt_slots *s, const struct ir_ins *ins, enum ir_type type)
{
    ir_ref address = ins->args[0];
    if (!s->root[address])
        return;
    struct opt_slot *x = slot_need(s, s->root[address] - 1, s->offset[address] + (uint32_t)ins->imm,
                                   ir_mem_info[ins->mem].bytes);
    struct opt_slot access = {.mem = ins->mem, .type = (uint8_t)type, .accessed = true};
    if (x)
        slot_agree(x, &access);
}

static void note_operation(struct opt_slots *s, ir_ref r)
{
    const struct ir_ins *ins = ir_at(s->f, r);
    struct opt_block_operation o = {.r = r, .copies = ins->op == IR_memcpy, .bytes = (uint32_t)ins->imm};
    o.to = s->root[ins->args[0]];
    o.to_offset = s->offset[ins->args[0]];
    if (o.copies) {
        o.from = s->root[ins->args[1]];
        o.from_offset = s->offset[ins->args[1]];
    }
    if (!o.to && !o.from)
        return;
    if (o.copies && (o.bytes > OPT_SPLIT_BYTES_MAX || o.to == o.from)) {
        escape(s, ins->args[0]);
        escape(s, ins->args[1]);
    }
    vec_push(s->arena, &s->operations, o);
}

static void note_address(struct opt_slots *s, ir_ref r, const struct ir_ins *ins)
{
    scalar_bits n;
    if (ins->op == IR_alloca) {
        vec_push(s->arena, &s->all, ((struct opt_aggregate){.alloca = r, .bytes = (uint32_t)ins->imm}));
        s->root[r] = s->all.count;
    } else if (ir_is_const(s->f, ins->args[1], &n)) {
        s->root[r] = s->root[ins->args[0]];
        s->offset[r] = s->offset[ins->args[0]] + (uint32_t)n;
    } else {
        escape(s, ins->args[0]);
    }
}

static void note_instruction(struct opt_slots *s, ir_ref r)
{
    const struct ir_ins *ins = ir_at(s->f, r);
    switch (ins->op) {
    case IR_alloca:
    case IR_ptradd: note_address(s, r, ins); return;
    case IR_load: note_access(s, ins, ins->type); return;
    case IR_store:
        note_access(s, ins, ir_at(s->f, ins->args[1])->type);
        escape(s, ins->args[1]);
        return;
    case IR_memcpy:
    case IR_memzero: note_operation(s, r); return;
    default:
        for (uint32_t i = 0; i < ins->argc; i++)
            escape(s, ins->args[i]);
    }
}

static void escape_arguments(struct opt_slots *s, uint32_t b)
{
    const struct ir_block *block = ir_block_at(s->f, b);
    for (uint32_t e = 0; e < block->edges.count; e++)
        for (uint32_t k = 0; k < block->edges.at[e].argc; k++)
            escape(s, block->edges.at[e].args[k]);
}

/* In reverse post-order, so that an address is met before its uses. What can't be reached is not looked at:
 * its accesses stay, and keep the memory of what they name. */
static void walk(struct opt_slots *s, const struct ir_cfg *g)
{
    for (uint32_t i = 0; i < g->rpo_count; i++) {
        ir_each_ins(r, s->f, g->rpo[i])
            note_instruction(s, r);
        escape_arguments(s, g->rpo[i]);
    }
    ir_each_block(i, b, s->f) {
        if (bitset_has(g->reachable, b))
            continue;
        ir_each_ins(r, s->f, b)
            for (uint32_t k = 0; k < ir_at(s->f, r)->argc; k++)
                escape(s, ir_at(s->f, r)->args[k]);
        escape_arguments(s, b);
    }
}

/* ---- copies carry slots over ------------------------------------------------------------------------- */

static int by_offset(const void *a, const void *b)
{
    const struct opt_slot *x = a, *y = b;
    return (x->offset > y->offset) - (x->offset < y->offset);
}

/* Copies of the aggregate's slots by rising offset. */
static uint32_t sorted_slots(const struct opt_slots *s, uint32_t v, struct opt_slot list[OPT_SLOTS_MAX])
{
    uint32_t n = 0;
    for (uint32_t at = s->all.at[v].first_slot; at; at = s->slots.at[at].next)
        list[n++] = s->slots.at[at];
    qsort(list, n, sizeof *list, by_offset);
    return n;
}

/* Slots of `from` within the operation's range become slots of `to`. */
static void carry(struct opt_slots *s, uint32_t from, uint32_t from_offset, uint32_t to, uint32_t to_offset,
                  uint32_t bytes)
{
    for (uint32_t at = s->all.at[from].first_slot; at; at = s->slots.at[at].next) {
        struct opt_slot x = s->slots.at[at];
        if (x.offset >= from_offset && x.offset + x.size <= from_offset + bytes)
            slot_need(s, to, to_offset + (x.offset - from_offset), x.size);
    }
}

/* Words where they fit, else bytes: the other side of a copy is no better aligned than the alloca. */
static void fill_gap(struct opt_slots *s, uint32_t v, uint32_t from, uint32_t to)
{
    bool aligned = ir_at(s->f, s->all.at[v].alloca)->imm2 % 4 == 0;
    while (from < to && !s->all.at[v].escapes) {
        uint32_t size = aligned && from % 4 == 0 && to - from >= 4 ? 4 : 1;
        slot_need(s, v, from, size);
        from += size;
    }
}

static void fill_range(struct opt_slots *s, uint32_t v, uint32_t offset, uint32_t bytes)
{
    struct opt_slot list[OPT_SLOTS_MAX];
    uint32_t n = sorted_slots(s, v, list), at = offset, end = offset + bytes;
    if (offset > s->all.at[v].bytes || bytes > s->all.at[v].bytes - offset)
        s->all.at[v].escapes = true;
    for (uint32_t i = 0; i < n && list[i].offset < end; i++) {
        if (list[i].offset + list[i].size <= at)
            continue;
        if (list[i].offset > at)
            fill_gap(s, v, at, list[i].offset);
        at = list[i].offset + list[i].size;
    }
    if (at < end)
        fill_gap(s, v, at, end);
}

static void queue_aggregate(struct opt_slots *s, u32_vec *work, uint32_t v)
{
    for (uint32_t i = s->all.at[v].first_operation; i;) {
        struct opt_block_operation *o = &s->operations.at[i - 1];
        if (o->copies && !o->queued) {
            o->queued = true;
            vec_push(s->arena, work, i - 1);
        }
        i = o->to == v + 1 ? o->next_to : o->next_from;
    }
}

static bool splits(const struct opt_slots *s, uint32_t side)
{
    return side && !s->all.at[side - 1].escapes;
}

static void carry_operation(struct opt_slots *s, u32_vec *work, const struct opt_block_operation *o)
{
    if (!splits(s, o->to) || !splits(s, o->from))
        return;
    uint32_t to = s->all.at[o->to - 1].slot_count, from = s->all.at[o->from - 1].slot_count;
    carry(s, o->to - 1, o->to_offset, o->from - 1, o->from_offset, o->bytes);
    carry(s, o->from - 1, o->from_offset, o->to - 1, o->to_offset, o->bytes);
    if (s->all.at[o->to - 1].slot_count != to)
        queue_aggregate(s, work, o->to - 1);
    if (s->all.at[o->from - 1].slot_count != from)
        queue_aggregate(s, work, o->from - 1);
}

/* An operation comes up again when one of its sides has got slots, at most OPT_SLOTS_MAX times each. */
static void drain(struct opt_slots *s, u32_vec *work)
{
    while (work->count) {
        struct opt_block_operation *o = &s->operations.at[vec_pop(work)];
        o->queued = false;
        carry_operation(s, work, o);
    }
}

static void fill_side(struct opt_slots *s, u32_vec *work, uint32_t side, uint32_t offset, uint32_t bytes)
{
    if (!splits(s, side))
        return;
    uint32_t before = s->all.at[side - 1].slot_count;
    fill_range(s, side - 1, offset, bytes);
    if (s->all.at[side - 1].slot_count != before)
        queue_aggregate(s, work, side - 1);
    drain(s, work);
}

static void link_operations(struct opt_slots *s)
{
    for (uint32_t i = 0; i < s->operations.count; i++) {
        struct opt_block_operation *o = &s->operations.at[i];
        if (o->to)
            o->next_to = s->all.at[o->to - 1].first_operation, s->all.at[o->to - 1].first_operation = i + 1;
        if (o->from && o->from != o->to)
            o->next_from = s->all.at[o->from - 1].first_operation,
            s->all.at[o->from - 1].first_operation = i + 1;
    }
}

/* Accessed slots first; only then are gaps filled, one range at a time, so that both sides of every copy are
 * cut alike. */
static void carry_all(struct opt_slots *s)
{
    u32_vec work = {0};
    link_operations(s);
    for (uint32_t v = 0; v < s->all.count; v++)
        queue_aggregate(s, &work, v);
    drain(s, &work);
    for (uint32_t i = 0; i < s->operations.count; i++) {
        struct opt_block_operation o = s->operations.at[i];
        if (!o.copies)
            continue;
        fill_side(s, &work, o.to, o.to_offset, o.bytes);
        fill_side(s, &work, o.from, o.from_offset, o.bytes);
    }
}

/* ---- what stays in memory ---------------------------------------------------------------------------- */

/* Also puts the aggregate's list in order. */
static void find_overlaps(struct opt_slots *s, uint32_t v)
{
    struct opt_slot list[OPT_SLOTS_MAX];
    uint32_t n = sorted_slots(s, v, list), furthest = 0, *link = &s->all.at[v].first_slot;
    for (uint32_t i = 0; i < n; i++) {
        struct opt_slot *x = opt_slot_at(s, v, list[i].offset);
        *link = (uint32_t)(x - s->slots.at);
        link = &x->next;
    }
    *link = 0;
    for (uint32_t i = 1; i < n; i++) {
        if (list[furthest].offset + list[furthest].size > list[i].offset) {
            opt_slot_at(s, v, list[furthest].offset)->in_memory = true;
            opt_slot_at(s, v, list[i].offset)->in_memory = true;
        }
        if (list[i].offset + list[i].size > list[furthest].offset + list[furthest].size)
            furthest = i;
    }
}

static void find_cuts(struct opt_slots *s, uint32_t v, uint32_t offset, uint32_t bytes)
{
    for (uint32_t at = s->all.at[v].first_slot; at; at = s->slots.at[at].next) {
        struct opt_slot *x = &s->slots.at[at];
        bool touched = x->offset < offset + bytes && x->offset + x->size > offset;
        x->in_memory |= touched && (x->offset < offset || x->offset + x->size > offset + bytes);
    }
}

static void find_memory(struct opt_slots *s)
{
    for (uint32_t v = 0; v < s->all.count; v++)
        find_overlaps(s, v);
    for (uint32_t i = 0; i < s->operations.count; i++) {
        const struct opt_block_operation *o = &s->operations.at[i];
        if (o->to)
            find_cuts(s, o->to - 1, o->to_offset, o->bytes);
        if (o->from)
            find_cuts(s, o->from - 1, o->from_offset, o->bytes);
    }
    for (uint32_t v = 0; v < s->all.count; v++)
        for (uint32_t at = s->all.at[v].first_slot; at; at = s->slots.at[at].next)
            s->all.at[v].keeps_memory |= s->slots.at[at].in_memory;
    for (uint32_t i = 0; i < s->operations.count; i++) {
        const struct opt_block_operation *o = &s->operations.at[i];
        if (o->copies && o->to)
            s->all.at[o->to - 1].escapes |= s->all.at[o->to - 1].keeps_memory;
        if (o->copies && o->from)
            s->all.at[o->from - 1].escapes |= s->all.at[o->from - 1].keeps_memory;
    }
}

/* Joins the slots that the copy moves into each other, or marks those it moves from or to memory. */
static void join_copy(struct opt_slots *s, const struct opt_block_operation *o)
{
    bool into = o->to != 0;
    uint32_t v = (into ? o->to : o->from) - 1, offset = into ? o->to_offset : o->from_offset;
    for (uint32_t at = s->all.at[v].first_slot; at; at = s->slots.at[at].next) {
        struct opt_slot *x = &s->slots.at[at], *mine = opt_slot_leader(s, x), *y;
        if (x->offset < offset || x->offset >= offset + o->bytes)
            continue;
        if (into && o->from) {
            y = opt_slot_leader(s, opt_slot_at(s, o->from - 1, o->from_offset + (x->offset - offset)));
            if (y != mine) {
                slot_agree(mine, y);
                y->same = (uint32_t)(mine - s->slots.at);
            }
        } else {
            mine->copied_in |= into;
            mine->copied_out |= !into;
        }
    }
}

void opt_slots_find(struct opt_slots *s, struct arena *a, struct ir_function *f, const struct ir_cfg *g)
{
    *s = (struct opt_slots){.arena = a, .f = f, .old_count = f->ins.count};
    s->root = arena_array(a, uint32_t, f->ins.count);
    s->offset = arena_array(a, uint32_t, f->ins.count);
    vec_push(a, &s->slots, ((struct opt_slot){0}));
    walk(s, g);
    carry_all(s);
    find_memory(s);
    for (uint32_t i = 0; i < s->operations.count; i++) {
        struct opt_block_operation *o = &s->operations.at[i];
        o->to = o->to && !s->all.at[o->to - 1].escapes ? o->to : 0;
        o->from = o->from && !s->all.at[o->from - 1].escapes ? o->from : 0;
        if (o->copies && (o->to || o->from))
            join_copy(s, o);
    }
}
