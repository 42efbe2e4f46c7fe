/* lower_division.c: 64-bit division becomes calls.
 *
 * One function each for quotient and remainder, made when a module first needs it, by shift and subtract: the
 * divisor is moved up to the dividend's highest bit and then down again, a bit of the quotient a step. Signed
 * operations divide magnitudes. All of it is 64-bit code.
 */
#include "opt/pass.h"

static ir_ref wide_const(struct ir_function *f, uint64_t v)
{
    return ir_const(f, IR_TYPE_I64, v);
}

static ir_ref wide2(struct ir_cursor *c, enum ir_op op, ir_ref a, ir_ref b)
{
    return ir_emit2(c, op, IR_TYPE_I64, a, b);
}

static ir_ref test(struct ir_cursor *c, enum ir_op op, ir_ref a, ir_ref b)
{
    return ir_emit2(c, op, IR_TYPE_I1, a, b);
}

static ir_ref wide_select(struct ir_cursor *c, ir_ref condition, ir_ref a, ir_ref b)
{
    return ir_emit3(c, IR_select, IR_TYPE_I64, condition, a, b);
}

/* ---- the two functions ------------------------------------------------------------------------------- */

struct division {
    struct ir_function *f;
    ir_ref a, b;
    uint32_t entry, loop, end;
};

static void pass(struct division *v, uint32_t from, uint32_t edge, uint32_t n, const ir_ref *args)
{
    struct ir_edge *e = &ir_block_at(v->f, from)->edges.at[edge];
    for (uint32_t i = 0; i < n; i++)
        ir_edge_arg(v->f, e, args[i]);
}

/* Where 0 < b <= a, the loop starts with b << (clz b - clz a); else quotient 0 (all ones for b = 0),
 * remainder a. */
static void make_entry(struct division *v)
{
    struct ir_cursor c = {.fn = v->f, .block = v->entry};
    ir_ref zero = wide_const(v->f, 0), nothing = test(&c, IR_eq, v->b, zero);
    ir_ref none = wide_select(&c, nothing, wide_const(v->f, UINT64_MAX), zero);
    ir_ref something = ir_emit1(&c, IR_not, IR_TYPE_I1, nothing), fits = test(&c, IR_ule, v->b, v->a);
    ir_ref runs = ir_emit2(&c, IR_and, IR_TYPE_I1, fits, something);
    ir_ref highest = ir_emit1(&c, IR_clz, IR_TYPE_I64, v->a);
    ir_ref up = wide2(&c, IR_sub, ir_emit1(&c, IR_clz, IR_TYPE_I64, v->b), highest);
    ir_ref divisor = wide2(&c, IR_shl, v->b, up), bit = wide2(&c, IR_shl, wide_const(v->f, 1), up);
    ir_emit_brif(&c, runs, v->loop, v->end);
    pass(v, v->entry, 0, 4, (ir_ref[]){zero, v->a, divisor, bit});
    pass(v, v->entry, 1, 2, (ir_ref[]){none, v->a});
}

/* (quotient, rest, divisor, bit): bit is the quotient's bit that this step decides. */
static void make_loop(struct division *v)
{
    ir_ref p[4];
    struct ir_cursor c = {.fn = v->f, .block = v->loop};
    for (unsigned i = 0; i < COUNT(p); i++)
        p[i] = ir_param_new(v->f, v->loop, IR_TYPE_I64, NULL);
    ir_ref fits = test(&c, IR_ule, p[2], p[1]), one = wide_const(v->f, 1);
    ir_ref quotient = wide_select(&c, fits, wide2(&c, IR_or, p[0], p[3]), p[0]);
    ir_ref rest = wide_select(&c, fits, wide2(&c, IR_sub, p[1], p[2]), p[1]);
    ir_ref divisor = wide2(&c, IR_lshr, p[2], one), bit = wide2(&c, IR_lshr, p[3], one);
    ir_emit_brif(&c, test(&c, IR_ne, bit, wide_const(v->f, 0)), v->loop, v->end);
    pass(v, v->loop, 0, 4, (ir_ref[]){quotient, rest, divisor, bit});
    pass(v, v->loop, 1, 2, (ir_ref[]){quotient, rest});
}

static uint32_t make_function(struct ir_module *m, const char *name, bool remainder)
{
    struct division v = {.f = ir_function_new(m, name, IR_TYPE_I64, 0)};
    v.entry = ir_block_new(v.f, "entry");
    v.loop = ir_block_new(v.f, "step");
    v.end = ir_block_new(v.f, "end");
    v.a = ir_param_new(v.f, v.entry, IR_TYPE_I64, "a");
    v.b = ir_param_new(v.f, v.entry, IR_TYPE_I64, "b");
    make_entry(&v);
    make_loop(&v);
    ir_ref quotient = ir_param_new(v.f, v.end, IR_TYPE_I64, "quotient");
    ir_ref rest = ir_param_new(v.f, v.end, IR_TYPE_I64, "rest");
    ir_emit_ret(&(struct ir_cursor){.fn = v.f, .block = v.end}, remainder ? rest : quotient);
    return v.f->id;
}

/* The functions of a module: number + 1, or 0: not made yet. */
struct lower {
    struct ir_module *m;
    uint32_t quotient, remainder;
};

/* A name that no function of a source can have; IR may have it. */
static const char *free_name(struct ir_module *m, bool remainder)
{
    const char *base = remainder ? "i64.urem" : "i64.udiv", *name = base;
    for (uint32_t n = 2; ir_function_find(m, name); n++)
        name = arena_printf(&m->arena, "%s.%u", base, n);
    return name;
}

static uint32_t function_for(struct lower *x, bool remainder)
{
    uint32_t *made = remainder ? &x->remainder : &x->quotient;
    if (!*made)
        *made = make_function(x->m, free_name(x->m, remainder), remainder) + 1;
    return *made - 1;
}

/* ---- the operations ---------------------------------------------------------------------------------- */

static ir_ref magnitude(struct ir_cursor *c, ir_ref a)
{
    return ir_emit1(c, IR_abs, IR_TYPE_I64, a);
}

/* a / 0 = -1 and a % 0 = a whatever the signs; INT64_MIN / -1 comes out right by itself. */
static ir_ref with_sign(struct ir_cursor *c, ir_ref a, ir_ref b, bool remainder, ir_ref unsigned_result)
{
    ir_ref zero = wide_const(c->fn, 0), minus = ir_emit1(c, IR_neg, IR_TYPE_I64, unsigned_result);
    if (remainder)
        return wide_select(c, test(c, IR_slt, a, zero), minus, unsigned_result);
    ir_ref differ = test(c, IR_slt, wide2(c, IR_xor, a, b), zero);
    ir_ref quotient = wide_select(c, differ, minus, unsigned_result);
    return wide_select(c, test(c, IR_eq, b, zero), wide_const(c->fn, UINT64_MAX), quotient);
}

static ir_ref divide(struct lower *x, struct ir_function *f, ir_ref r)
{
    struct ir_ins ins = *ir_at(f, r);
    struct ir_cursor c = {.fn = f, .block = ins.block, .before = r, .at = ins.at};
    bool is_signed = ins.op == IR_sdiv || ins.op == IR_srem,
         remainder = ins.op == IR_srem || ins.op == IR_urem;
    ir_ref a = is_signed ? magnitude(&c, ins.args[0]) : ins.args[0];
    ir_ref b = is_signed ? magnitude(&c, ins.args[1]) : ins.args[1];
    ir_ref call = wide2(&c, IR_call, a, b);
    ir_at(f, call)->imm = function_for(x, remainder);
    return is_signed ? with_sign(&c, ins.args[0], ins.args[1], remainder, call) : call;
}

static bool is_division(const struct ir_ins *ins)
{
    return ins->type == IR_TYPE_I64 &&
           (ins->op == IR_sdiv || ins->op == IR_udiv || ins->op == IR_srem || ins->op == IR_urem);
}

static bool lower_function(struct lower *x, struct arena *scratch, struct ir_function *f)
{
    u32_vec found = {0};
    struct opt_renaming renaming = {.arena = scratch};
    ir_each_block(i, b, f)
        ir_each_ins(r, f, b)
            if (is_division(ir_at(f, r)))
                vec_push(scratch, &found, r);
    for (uint32_t i = 0; i < found.count; i++)
        opt_rename(&renaming, f, found.at[i], divide(x, f, found.at[i]));
    opt_rename_all(&renaming, f);
    for (uint32_t i = 0; i < found.count; i++)
        ir_remove(f, found.at[i]);
    return found.count;
}

bool opt_lower_division(struct opt_context *c, struct ir_module *m)
{
    struct lower x = {.m = m};
    bool changed = false;
    for (uint32_t i = 0, n = m->functions.count; i < n; i++)
        changed |= lower_function(&x, c->scratch, m->functions.at[i]);
    return changed;
}
