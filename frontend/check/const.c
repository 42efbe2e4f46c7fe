/* const.c: which operations of the IR the language's operators and conversions are, and the same at
 * compile time, through base/scalar.def: a constant expression gives the bits that running it gives.
 *
 * Constants are held as scalar_bits of the type's register: narrow integers extended to 32 bits, upper
 * bits zero.
 */
#include "frontend/check/program.h"

/* For each operator the operation on signed, unsigned and floating operands; comparisons > and >= swap. */
static const struct {
    uint16_t on_signed, on_unsigned, on_float;
    bool swap;
} binary_ops[FE_OPS] = {
    [FE_OP_ADD] = {IR_add, IR_add, IR_add, false},    [FE_OP_SUB] = {IR_sub, IR_sub, IR_sub, false},
    [FE_OP_MUL] = {IR_mul, IR_mul, IR_mul, false},    [FE_OP_DIV] = {IR_sdiv, IR_udiv, IR_div, false},
    [FE_OP_REM] = {IR_srem, IR_urem, IR_none, false}, [FE_OP_SHL] = {IR_shl, IR_shl, IR_none, false},
    [FE_OP_SHR] = {IR_ashr, IR_lshr, IR_none, false}, [FE_OP_AND] = {IR_and, IR_and, IR_none, false},
    [FE_OP_XOR] = {IR_xor, IR_xor, IR_none, false},   [FE_OP_OR] = {IR_or, IR_or, IR_none, false},
    [FE_OP_LT] = {IR_slt, IR_ult, IR_lt, false},      [FE_OP_GT] = {IR_slt, IR_ult, IR_lt, true},
    [FE_OP_LE] = {IR_sle, IR_ule, IR_le, false},      [FE_OP_GE] = {IR_sle, IR_ule, IR_le, true},
    [FE_OP_EQ] = {IR_eq, IR_eq, IR_eq, false},        [FE_OP_NE] = {IR_ne, IR_ne, IR_ne, false},
};

enum ir_op fe_binary_op(enum fe_op op, const struct fe_type *operand, bool *swap)
{
    *swap = binary_ops[op].swap;
    return fe_is_float(operand)    ? binary_ops[op].on_float
           : fe_is_signed(operand) ? binary_ops[op].on_signed
                                   : binary_ops[op].on_unsigned;
}

/* ---- conversions ------------------------------------------------------------------------------------- */

struct steps {
    struct fe_step *at;
    uint32_t count;
    enum ir_type type;
};

static void step(struct steps *s, enum ir_op op, enum ir_type to)
{
    s->at[s->count++] = (struct fe_step){op, s->type, to};
    s->type = to;
}

/* Whether every value of `from` is one of the narrower-than-int type `to`. */
static bool fits(const struct fe_type *from, const struct fe_type *to)
{
    if (from->kind == to->kind || from->kind == FE_TYPE_BOOL)
        return true;
    return fe_is_integer(from) && from->size < to->size && (!fe_is_signed(from) || fe_is_signed(to));
}

static void convert_integer_width(struct steps *s, const struct fe_type *from, const struct fe_type *to)
{
    if (s->type == IR_TYPE_I32 && to->size == 8)
        step(s, fe_is_signed(from) ? IR_sext : IR_zext, IR_TYPE_I64);
    else if (s->type == IR_TYPE_I64 && to->size < 8)
        step(s, IR_trunc, IR_TYPE_I32);
    if (to->size < 4 && !fits(from, to)) {
        static const enum ir_op narrow[2][2] = {{IR_zext8, IR_sext8}, {IR_zext16, IR_sext16}};
        step(s, narrow[to->size == 2][fe_is_signed(to)], IR_TYPE_I32);
    }
}

static void convert_to_integer(struct steps *s, const struct fe_type *from, const struct fe_type *to)
{
    if (fe_is_float(from)) {
        bool to_signed = fe_is_signed(to) || to->size < 4;
        step(s, to_signed ? IR_ftosi : IR_ftoui, to->size == 8 ? IR_TYPE_I64 : IR_TYPE_I32);
    }
    convert_integer_width(s, from, to);
}

static void convert_to_float(struct steps *s, const struct fe_type *from, const struct fe_type *to)
{
    if (!fe_is_float(from))
        step(s, fe_is_signed(from) ? IR_sitof : IR_uitof, fe_ir_type(to));
    else if (from->kind != to->kind)
        step(s, to->kind == FE_TYPE_DOUBLE ? IR_fext : IR_ftrunc, fe_ir_type(to));
}

uint32_t fe_conversion(const struct fe_type *from, const struct fe_type *to,
                       struct fe_step steps[FE_MAX_STEPS])
{
    struct steps s = {steps, 0, fe_ir_type(from)};
    if (from->kind == to->kind && !fe_is_pointer(from))
        return 0;
    if (to->kind == FE_TYPE_BOOL) {
        step(&s, IR_ne, IR_TYPE_I1);
        return s.count;
    }
    if (fe_is_pointer(from) && fe_is_pointer(to)) {
        if (s.type != fe_ir_type(to))
            step(&s, IR_ptrcast, fe_ir_type(to));
        return s.count;
    }
    if (fe_is_pointer(from))
        step(&s, IR_ptrcast, IR_TYPE_I32);
    else if (from->kind == FE_TYPE_BOOL && !(to->kind == FE_TYPE_LONG || to->kind == FE_TYPE_ULONG))
        step(&s, IR_zext, IR_TYPE_I32);
    if (fe_is_pointer(to)) {
        if (s.type == IR_TYPE_I64)
            step(&s, IR_trunc, IR_TYPE_I32);
        step(&s, IR_ptrcast, fe_ir_type(to));
    } else if (fe_is_float(to)) {
        convert_to_float(&s, from, to);
    } else if (s.type == IR_TYPE_I1) {
        step(&s, IR_zext, IR_TYPE_I64);
    } else {
        convert_to_integer(&s, from, to);
    }
    return s.count;
}

/* ---- evaluation -------------------------------------------------------------------------------------- */

static scalar_bits evaluate(enum ir_op op, enum ir_type result, enum ir_type argument, scalar_bits a,
                            scalar_bits b)
{
    int c = scalar_find((enum scalar_op)op, (enum scalar_type)ir_type_info[result].scalar,
                        (enum scalar_type)ir_type_info[argument].scalar);
    INVARIANT(c >= 0);
    return scalar_evaluate((enum scalar_case)c, (scalar_bits[]){a, b});
}

scalar_bits fe_fold_conversion(const struct fe_type *from, const struct fe_type *to, scalar_bits v)
{
    struct fe_step steps[FE_MAX_STEPS];
    uint32_t n = fe_conversion(from, to, steps);
    for (uint32_t i = 0; i < n; i++)
        if (steps[i].op != IR_ptrcast)
            v = evaluate(steps[i].op, steps[i].to, steps[i].from, v, 0);
    return v;
}

scalar_bits fe_fold_binary(enum fe_op op, const struct fe_type *operand, scalar_bits a, scalar_bits b)
{
    bool swap;
    enum ir_op ir = fe_binary_op(op, operand, &swap);
    enum ir_type t = fe_ir_type(operand);
    enum ir_type result = op >= FE_OP_LT && op <= FE_OP_NE ? IR_TYPE_I1 : t;
    return swap ? evaluate(ir, result, t, b, a) : evaluate(ir, result, t, a, b);
}

scalar_bits fe_fold_unary(enum fe_op op, const struct fe_type *operand, scalar_bits a)
{
    enum ir_type t = fe_ir_type(operand);
    switch (op) {
    case FE_OP_NEG: return evaluate(IR_neg, t, t, a, 0);
    case FE_OP_BITNOT:
    case FE_OP_NOT: return evaluate(IR_not, t, t, a, 0);
    default: return a;
    }
}

int64_t fe_integer_value(const struct fe_expr *e)
{
    const struct fe_type *t = e->type;
    if (t->size == 8)
        return (int64_t)e->value;
    return fe_is_signed(t) ? (int64_t)(int32_t)e->value : (int64_t)e->value;
}

double fe_float_value(const struct fe_expr *e)
{
    return e->type->kind == FE_TYPE_FLOAT ? scalar_from_f32((uint32_t)e->value) : scalar_from_f64(e->value);
}

bool fe_is_zero(const struct fe_type *t, scalar_bits v)
{
    return fe_is_float(t) ? !fe_fold_binary(FE_OP_NE, t, v, 0) : v == 0;
}

const struct fe_function *fe_named_function(const struct fe_expr *e)
{
    for (;;) {
        bool is_address = e->kind == FE_EXPR_UNARY && (e->op == FE_OP_ADDRESS || e->op == FE_OP_DEREF);
        if (e->kind == FE_EXPR_CAST && (fe_is_function_pointer(e->type) || e->type->kind == FE_TYPE_FUNCTION))
            e = e->cast.a;
        else if (is_address && (fe_is_function_pointer(e->type) || e->type->kind == FE_TYPE_FUNCTION))
            e = e->sub.a;
        else
            break;
    }
    bool named = e->kind == FE_EXPR_NAME && e->name.decl && e->name.decl->kind == FE_DECL_FUNCTION;
    return named ? fe_function(e->name.decl) : NULL;
}
