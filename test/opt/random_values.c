/* random_values.c: the expressions of random modules. */
#include "test/opt/random_maker.h"

ir_ref random_number(struct maker *k)
{
    static const uint32_t some[] = {0,   1,          2,          3,          7,          8,  31,
                                    255, 0x7fffffff, 0x80000000, 0xffffffff, 0xfffffffd, 10, 64};
    return ir_const_i32(k->f, draw(k, 3) ? some[draw(k, COUNT(some))] : draw(k, 100000));
}

ir_ref random_condition(struct maker *k, unsigned depth)
{
    static const uint16_t ops[] = {IR_eq, IR_ne, IR_slt, IR_sle, IR_ult, IR_ule};
    ir_ref a = random_expression(k, depth), b = draw(k, 2) ? random_number(k) : random_expression(k, depth);
    ir_ref c = ir_emit2(&k->c, ops[draw(k, COUNT(ops))], IR_TYPE_I1, a, b);
    return draw(k, 5) ? c : ir_emit1(&k->c, IR_not, IR_TYPE_I1, c);
}

ir_ref random_address(struct maker *k)
{
    ir_ref i = ir_emit2(&k->c, IR_and, IR_TYPE_I32, random_expression(k, 1), ir_const_i32(k->f, 60));
    return draw(k, 2)
               ? ir_emit2(&k->c, IR_ptradd, IR_TYPE_GLOBAL, k->buffer, i)
               : ir_emit2(&k->c, IR_ptradd, IR_TYPE_GLOBAL, k->buffer, ir_const_i32(k->f, draw(k, 8) * 4));
}

static ir_ref some_sign(struct maker *k, ir_ref x)
{
    return draw(k, 3) ? x : ir_emit1(&k->c, IR_neg, IR_TYPE_F32, x);
}

static ir_ref some_float(struct maker *k)
{
    static const uint32_t some[] = {0, 0x80000000, 0x3f800000, 0x7fc00000, 0x40490fdb};
    return draw(k, 2) ? ir_const(k->f, IR_TYPE_F32, some[draw(k, COUNT(some))])
                      : some_sign(k, ir_emit1(&k->c, IR_sitof, IR_TYPE_F32, random_expression(k, 1)));
}

/* Operations of one and two products, and sums that become such when they are selected. */
static ir_ref sum_of_products(struct maker *k, ir_ref a, ir_ref b)
{
    static const uint16_t one[] = {IR_fma, IR_muladd, IR_mulsub, IR_submul}, two[] = {IR_dot2, IR_cross2};
    ir_ref args[] = {a, b, some_float(k), draw(k, 2) ? a : some_float(k)};
    if (draw(k, 3) == 0)
        return ir_emit3(&k->c, one[draw(k, COUNT(one))], IR_TYPE_F32, a, b, args[2]);
    if (draw(k, 3) == 0)
        return ir_emit(&k->c, two[draw(k, COUNT(two))], IR_TYPE_F32, COUNT(args), args);
    ir_ref first = some_sign(k, ir_emit2(&k->c, draw(k, 4) ? IR_mul : IR_div, IR_TYPE_F32, a, b));
    ir_ref second = draw(k, 4) ? ir_emit2(&k->c, IR_mul, IR_TYPE_F32, args[2], args[3]) : args[2];
    return draw(k, 2) ? ir_emit2(&k->c, draw(k, 2) ? IR_add : IR_sub, IR_TYPE_F32, first, second)
                      : ir_emit2(&k->c, draw(k, 2) ? IR_add : IR_sub, IR_TYPE_F32, second, first);
}

static ir_ref float_expression(struct maker *k)
{
    static const uint16_t ops[] = {IR_add, IR_sub, IR_mul, IR_div, IR_fmin};
    ir_ref a = some_sign(k, ir_emit1(&k->c, IR_bits, IR_TYPE_F32, random_expression(k, 1))),
           b = some_float(k);
    ir_ref r =
        draw(k, 2) ? ir_emit2(&k->c, ops[draw(k, COUNT(ops))], IR_TYPE_F32, a, b) : sum_of_products(k, a, b);
    return ir_emit1(&k->c, IR_bits, IR_TYPE_I32, r);
}

/* The token in force, or an anchor for the next operation alone. */
static ir_ref some_token(struct maker *k)
{
    return k->controlled && draw(k, 4) == 0 ? ir_emit0(&k->c, IR_anchor, IR_TYPE_TOKEN) : k->token;
}

static ir_ref convergent(struct maker *k, ir_ref a)
{
    bool reduces = draw(k, 2);
    ir_ref operand = reduces ? a : random_condition(k, 1), token = some_token(k);
    ir_ref r =
        ir_emit1(&k->c, reduces ? IR_reduce_add : IR_ballot, reduces ? IR_TYPE_I32 : IR_TYPE_I64, operand);
    ir_at(k->f, r)->token = token;
    return reduces ? r : ir_emit1(&k->c, IR_trunc, IR_TYPE_I32, r);
}

static ir_ref leaf(struct maker *k)
{
    static const uint8_t mems[] = {IR_MEM_I32, IR_MEM_I32, IR_MEM_U8, IR_MEM_S16, IR_MEM_S8};
    unsigned kind = draw(k, 10);
    if (kind < 5)
        return ir_emit_load(&k->c, IR_MEM_I32, IR_TYPE_I32, k->vars[draw(k, VARS)], 0);
    if (kind == 5)
        return ir_emit_load(&k->c, mems[draw(k, COUNT(mems))], IR_TYPE_I32, k->structs[draw(k, STRUCTS)],
                            (int32_t)draw(k, 4) * 4);
    if (kind == 6)
        return ir_emit_load(&k->c, IR_MEM_I32, IR_TYPE_I32, random_address(k), 0);
    return random_number(k);
}

ir_ref random_expression(struct maker *k, unsigned depth)
{
    static const uint16_t ops[] = {IR_add,  IR_add,  IR_sub,  IR_mul,  IR_sdiv, IR_udiv,
                                   IR_srem, IR_urem, IR_and,  IR_or,   IR_xor,  IR_shl,
                                   IR_lshr, IR_ashr, IR_smin, IR_umax, IR_rotl, IR_mulhi_u};
    static const uint16_t unary[] = {IR_neg, IR_not, IR_sext8, IR_zext8, IR_sext16, IR_zext16, IR_abs};
    if (depth == 0)
        return leaf(k);
    ir_ref a = random_expression(k, depth - 1);
    switch (draw(k, 12)) {
    case 0: return ir_emit1(&k->c, unary[draw(k, COUNT(unary))], IR_TYPE_I32, a);
    case 1:
        return ir_emit3(&k->c, IR_select, IR_TYPE_I32, random_condition(k, 0), a,
                        random_expression(k, depth - 1));
    case 2: return ir_emit1(&k->c, IR_zext, IR_TYPE_I32, random_condition(k, 0));
    case 3: return draw(k, 3) ? float_expression(k) : a;
    case 4: return draw(k, 3) ? a : convergent(k, a);
    default: break;
    }
    ir_ref b = draw(k, 2) ? random_number(k) : random_expression(k, depth - 1);
    return ir_emit2(&k->c, ops[draw(k, COUNT(ops))], IR_TYPE_I32, a, b);
}
