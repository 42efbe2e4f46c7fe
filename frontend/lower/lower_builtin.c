/* lower_builtin.c: calls of builtins. Most are one operation, which builtins.def names; those made of several
 * are here (clamp, rsqrt, rotr, isnan, isinf, isfinite) and in lower_compound.c.
 */
#include "frontend/lower/lower.h"

/* of the first */
struct arguments {
    ir_ref at[FE_BUILTIN_ARGS];
    uint32_t count;
    const struct fe_type *type;
};

static struct arguments lower_arguments(struct lowering *l, const struct fe_expr *e)
{
    struct arguments a = {.type = e->call.args ? e->call.args->type->plain
                                               : l->program->types.basic[FE_TYPE_INT]};
    for (const struct fe_expr *x = e->call.args; x; x = x->next)
        a.at[a.count++] =
            fe_is_pointer(x->type) ? fe_pointer(l, fe_lower_pointee(l, x)) : fe_lower_value(l, x);
    fe_place(l, e->where);
    return a;
}

static ir_ref lower_op(struct lowering *l, const struct fe_expr *e, const struct fe_builtin *b,
                       const struct arguments *a)
{
    enum ir_op op = fe_builtin_op(b, a->type);
    if (op == IR_none)
        return a->at[0];
    enum ir_type t = e->type->kind == FE_TYPE_VOID ? IR_TYPE_VOID : fe_ir_type(e->type);
    bool counts =
        b->signature[0] == 'i' && a->count && fe_is_integer(a->type); /* popcount(long) gives an int */
    if (counts)
        t = fe_ir_type(a->type);
    ir_ref r = ir_emit(&l->c, op, t, a->count, a->at);
    return counts ? fe_lower_conversion(l, r, a->type, e->type) : r;
}

static ir_ref lower_convergent(struct lowering *l, const struct fe_expr *e, const struct fe_builtin *b,
                               const struct arguments *a)
{
    ir_ref token = fe_token(l, e->call.token), r = lower_op(l, e, b, a);
    ir_at(l->f, r)->token = token;
    return r;
}

static ir_ref lower_atomic(struct lowering *l, const struct fe_expr *e, const struct fe_builtin *b,
                           const struct arguments *a)
{
    ir_ref r = ir_emit(&l->c, fe_builtin_op(b, e->type), fe_ir_type(e->type), a->count, a->at);
    ir_at(l->f, r)->mem = (uint8_t)fe_ir_mem(e->type);
    return r;
}

static ir_ref lower_clamp(struct lowering *l, const struct arguments *a)
{
    static const enum ir_op low[] = {IR_fmax, IR_smax, IR_umax}, high[] = {IR_fmin, IR_smin, IR_umin};
    int k = fe_is_float(a->type) ? 0 : fe_is_signed(a->type) ? 1 : 2;
    enum ir_type t = fe_ir_type(a->type);
    return ir_emit2(&l->c, high[k], t, ir_emit2(&l->c, low[k], t, a->at[0], a->at[1]), a->at[2]);
}

static ir_ref float_constant(struct lowering *l, const struct fe_type *t, double v)
{
    uint64_t bits = scalar_bits_f64(v);
    return ir_const(l->f, fe_ir_type(t),
                    fe_fold_conversion(l->program->types.basic[FE_TYPE_DOUBLE], t, bits));
}

static ir_ref lower_rsqrt(struct lowering *l, const struct arguments *a)
{
    enum ir_type t = fe_ir_type(a->type);
    ir_ref root = ir_emit1(&l->c, IR_sqrt, t, a->at[0]);
    return ir_emit2(&l->c, IR_div, t, float_constant(l, a->type, 1), root);
}

/* |a| compared with infinity. */
static ir_ref lower_magnitude(struct lowering *l, const struct arguments *a, enum ir_op op)
{
    ir_ref magnitude = ir_emit1(&l->c, IR_abs, fe_ir_type(a->type), a->at[0]);
    return ir_emit2(&l->c, op, IR_TYPE_I1, magnitude, float_constant(l, a->type, __builtin_inf()));
}

static ir_ref lower_rotr(struct lowering *l, const struct arguments *a)
{
    enum ir_type t = fe_ir_type(a->type);
    return ir_emit2(&l->c, IR_rotl, t, a->at[0], ir_emit1(&l->c, IR_neg, t, a->at[1]));
}

static ir_ref lower_reinterpret(struct lowering *l, const struct fe_expr *e, const struct arguments *a)
{
    enum ir_type t = fe_ir_type(e->type);
    return fe_ir_type(a->type) == t ? a->at[0] : ir_emit1(&l->c, IR_bits, t, a->at[0]);
}

static ir_ref lower_assert(struct lowering *l, const struct fe_expr *e)
{
    struct arguments a = lower_arguments(l, e);
    size_t n;
    const char *condition = fe_span_text(l->fe, e->call.args->where, &n);
    struct text text = {.arena = l->arena};
    text_addz(&text, "assertion failed: ");
    text_visible_line(&text, condition, n < 200 ? n : 200);
    ir_ref r = ir_emit1(&l->c, IR_assert, IR_TYPE_VOID, a.at[0]);
    ir_at(l->f, r)->imm = ir_text_add(l->module, text.at, text.length);
    return 0;
}

/* An assertion, so that what follows has a place to stand. */
static ir_ref lower_trap(struct lowering *l, const struct fe_expr *e)
{
    static const char text[] = "trap() called";
    fe_place(l, e->where);
    ir_ref r = ir_emit1(&l->c, IR_assert, IR_TYPE_VOID, ir_const_i1(l->f, false));
    ir_at(l->f, r)->imm = ir_text_add(l->module, text, sizeof text - 1);
    return 0;
}

static ir_ref lower_of(struct lowering *l, const struct fe_expr *e, const struct fe_builtin *b,
                       const struct arguments *a)
{
    switch (b->how) {
    case FE_HOW_OP: return lower_op(l, e, b, a);
    case FE_HOW_CONVERGENT: return lower_convergent(l, e, b, a);
    case FE_HOW_ATOMIC:
        return e->type->kind == FE_TYPE_DOUBLE ? fe_lower_compound(l, e, b, a->at) : lower_atomic(l, e, b, a);
    case FE_HOW_CLAMP: return lower_clamp(l, a);
    case FE_HOW_RSQRT: return lower_rsqrt(l, a);
    case FE_HOW_ROTR: return lower_rotr(l, a);
    case FE_HOW_ISNAN: return ir_emit2(&l->c, IR_ne, IR_TYPE_I1, a->at[0], a->at[0]);
    case FE_HOW_ISINF: return lower_magnitude(l, a, IR_eq);
    case FE_HOW_ISFINITE: return lower_magnitude(l, a, IR_lt);
    case FE_HOW_REINTERPRET: return lower_reinterpret(l, e, a);
    case FE_HOW_FENCE: return ir_emit0(&l->c, IR_fence, IR_TYPE_VOID);
    case FE_HOW_CLOCK: return ir_emit0(&l->c, IR_clock, IR_TYPE_I64);
    default: return fe_lower_compound(l, e, b, a->at);
    }
}

ir_ref fe_lower_builtin(struct lowering *l, const struct fe_expr *e, const struct fe_builtin *b)
{
    if (b->how == FE_HOW_PRINTF)
        return fe_lower_printf(l, e);
    if (b->how == FE_HOW_ASSERT)
        return lower_assert(l, e);
    if (b->how == FE_HOW_TRAP)
        return lower_trap(l, e);
    if (strpbrk(b->signature, "VW"))
        return fe_lower_whole_vectors(l, e, b);
    struct arguments a = lower_arguments(l, e);
    return lower_of(l, e, b, &a);
}

ir_ref fe_lower_builtin_of(struct lowering *l, const struct fe_expr *e, const struct fe_builtin *b,
                           uint32_t count, const ir_ref *arguments, const struct fe_type *t)
{
    struct arguments a = {.count = count, .type = t};
    memcpy(a.at, arguments, count * sizeof *arguments);
    return lower_of(l, e, b, &a);
}
