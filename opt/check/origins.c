/* origins.c: the origins of a function's pointers; see origins.h.
 *
 * Found like copies of copies: optimistically, until nothing changes.
 */
#include "opt/check/origins.h"

static bool is_joined(const struct ir_function *f, ir_ref r)
{
    const struct ir_ins *ins = ir_at(f, r);
    bool inner = ins->op == IR_param && ins->block != ir_entry(f);
    return opt_has_origin((enum ir_type)ins->type) && (inner || ins->op == IR_select);
}

ir_ref opt_pointer_in(const struct ir_function *f, ir_ref value)
{
    const struct ir_ins *ins = ir_at(f, value);
    if (ins->op == IR_ptrcast && ins->type == IR_TYPE_I32)
        ins = ir_at(f, value = ins->args[0]);
    return opt_has_origin((enum ir_type)ins->type) ? value : 0;
}

/* The pointer that this one was made from; 0: none. */
static ir_ref derived_from(const struct ir_function *f, ir_ref pointer)
{
    const struct ir_ins *ins = ir_at(f, pointer);
    bool cast = ins->op == IR_ptrcast && opt_has_origin((enum ir_type)ins->type);
    return cast ? opt_pointer_in(f, ins->args[0]) : ins->op == IR_ptradd ? ins->args[0] : 0;
}

/* 0: not known yet. */
static ir_ref origin_of(const struct opt_origins *o, ir_ref pointer)
{
    for (ir_ref from; pointer < o->count && (from = derived_from(o->f, pointer));)
        pointer = from;
    bool known = pointer < o->count && (o->of[pointer] || is_joined(o->f, pointer));
    return known ? o->of[pointer] : pointer;
}

static bool is_same(const struct ir_function *f, ir_ref a, ir_ref b)
{
    const struct ir_ins *x = ir_at(f, a), *y = ir_at(f, b);
    return a == b || (x->op == IR_object && y->op == IR_object && x->imm == y->imm);
}

/* `pointer` comes into `to`. Whether that says something new. */
static bool join(struct opt_origins *o, ir_ref to, ir_ref pointer)
{
    ir_ref come = origin_of(o, pointer), known = o->of[to];
    if (!come || known == to || (known && is_same(o->f, come, known)))
        return false;
    o->of[to] = known ? to : come;
    return true;
}

static bool join_edges(struct opt_origins *o, uint32_t b)
{
    bool changed = false;
    const struct ir_block *from = ir_block_at(o->f, b);
    for (uint32_t e = 0; e < from->edges.count; e++) {
        const struct ir_edge *edge = &from->edges.at[e];
        const u32_vec *params = &ir_block_at(o->f, edge->block)->params;
        for (uint32_t i = 0; i < edge->argc; i++)
            if (is_joined(o->f, params->at[i]))
                changed |= join(o, params->at[i], edge->args[i]);
    }
    return changed;
}

static bool join_block(struct opt_origins *o, uint32_t b)
{
    bool changed = false;
    ir_each_ins(r, o->f, b)
        if (ir_at(o->f, r)->op == IR_select && is_joined(o->f, r)) {
            changed |= join(o, r, ir_at(o->f, r)->args[1]);
            changed |= join(o, r, ir_at(o->f, r)->args[2]);
        }
    return join_edges(o, b) || changed;
}

/* ---- carriers ---------------------------------------------------------------------------------------- */

ir_ref opt_origin_at(struct opt_origins *o, struct ir_cursor *c, ir_ref pointer)
{
    enum ir_type type = (enum ir_type)ir_at(o->f, pointer)->type;
    ir_ref origin = origin_of(o, pointer);
    if (!origin) /* nothing comes in: it is never executed */
        return pointer;
    if (ir_at(o->f, origin)->op == IR_object) {
        int64_t object = ir_at(o->f, origin)->imm;
        origin = ir_emit0(c, IR_object, (enum ir_type)ir_at(o->f, origin)->type);
        ir_at(o->f, origin)->imm = object;
    } else if (origin < o->count && o->shadow[origin]) {
        origin = o->shadow[origin];
    }
    return ir_at(o->f, origin)->type == type ? origin : ir_emit1(c, IR_ptrcast, type, origin);
}

static void make_carriers(struct opt_origins *o, uint32_t b)
{
    for (uint32_t i = 0, n = ir_block_at(o->f, b)->params.count; i < n; i++) {
        ir_ref p = ir_block_at(o->f, b)->params.at[i];
        if (is_joined(o->f, p) && o->of[p] == p)
            o->shadow[p] = ir_param_new(o->f, b, (enum ir_type)ir_at(o->f, p)->type, "origin");
    }
    ir_each_ins(r, o->f, b) {
        struct ir_ins ins = *ir_at(o->f, r);
        if (ins.op != IR_select || !is_joined(o->f, r) || o->of[r] != r)
            continue;
        struct ir_cursor c = {.fn = o->f, .block = b, .before = ins.next, .at = ins.at};
        o->shadow[r] = ir_emit3(&c, IR_select, (enum ir_type)ins.type, ins.args[0], ins.args[1], ins.args[2]);
        r = o->shadow[r];
    }
}

/* The carriers' operands. */
static void fill_carriers(struct opt_origins *o, uint32_t b)
{
    ir_ref next;
    for (ir_ref r = ir_block_at(o->f, b)->first; r; r = next) {
        next = ir_at(o->f, r)->next;
        if (r >= o->count || !o->shadow[r])
            continue;
        struct ir_cursor c = {.fn = o->f, .block = b, .before = o->shadow[r], .at = ir_at(o->f, r)->at};
        ir_ref yes = opt_origin_at(o, &c, ir_at(o->f, r)->args[1]),
               no = opt_origin_at(o, &c, ir_at(o->f, r)->args[2]);
        ir_at(o->f, o->shadow[r])->args[1] = yes;
        ir_at(o->f, o->shadow[r])->args[2] = no;
    }
    struct ir_cursor end = {.fn = o->f, .block = b, .before = ir_terminator(o->f, b)};
    for (uint32_t e = 0; e < ir_block_at(o->f, b)->edges.count; e++) {
        uint32_t to = ir_block_at(o->f, b)->edges.at[e].block, n = ir_block_at(o->f, b)->edges.at[e].argc;
        for (uint32_t i = 0; i < n; i++) {
            ir_ref p = ir_block_at(o->f, to)->params.at[i];
            if (p < o->count && o->shadow[p]) {
                ir_ref origin = opt_origin_at(o, &end, ir_block_at(o->f, b)->edges.at[e].args[i]);
                ir_edge_arg(o->f, &ir_block_at(o->f, b)->edges.at[e], origin);
            }
        }
    }
}

struct opt_origins *opt_origins_new(struct arena *a, struct ir_function *f, struct opt_carrying *carrying)
{
    struct opt_origins *o = arena_new(a, struct opt_origins);
    *o = (struct opt_origins){.f = f, .arena = a, .carrying = carrying, .count = f->ins.count};
    o->of = arena_array(a, ir_ref, o->count);
    o->shadow = arena_array(a, ir_ref, o->count);
    if (carrying)
        opt_origins_ask(o);
    for (bool changed = true; changed;) {
        changed = false;
        ir_each_block(i, b, f)
            changed |= join_block(o, b);
    }
    ir_each_block(i, b, f)
        make_carriers(o, b);
    ir_each_block(i, b, f)
        fill_carriers(o, b);
    return o;
}
