/* simplify.c: algebra on single instructions.
 *
 * opt_simplify looks at an instruction and at what makes its operands, no further, and either names a value
 * equal to it or rewrites it in place. Integer rules hold modulo 2^width; floats have a file of their own,
 * simplify_float.c.
 */
#include "opt/scalar/simplify.h"

bool opt_fold(const struct ir_function *f, ir_ref r, const scalar_bits *args, scalar_bits *result)
{
    const struct ir_ins *ins = ir_at(f, r);
    if (ins->op == IR_ptradd)
        *result = (uint32_t)(args[0] + args[1]);
    else if (ins->op == IR_ptrcast)
        *result = args[0];
    else if (ir_is_pure(ins->op))
        *result = scalar_evaluate(ir_scalar_case(f, r), args);
    else
        return false;
    return true;
}

/* ---- small words ------------------------------------------------------------------------------------- */

static unsigned width(const struct opt_view *v)
{
    return v->ins.type == IR_TYPE_I1 ? 1 : ir_type_info[v->ins.type].bytes * 8u;
}

static scalar_bits ones(const struct opt_view *v)
{
    return ~(scalar_bits)0 >> (64 - width(v));
}

static ir_ref zero(const struct opt_view *v)
{
    return ir_const(v->f, v->ins.type, 0);
}

static ir_ref truth(const struct opt_view *v, bool value)
{
    return ir_const_i1(v->f, value);
}

static bool is(const struct opt_view *v, unsigned arg, scalar_bits bits)
{
    return v->is_const[arg] && v->bits[arg] == bits;
}

ir_ref opt_rewrite(struct opt_view *v, enum ir_op op, ir_ref a, ir_ref b)
{
    struct ir_ins *ins = ir_at(v->f, v->r);
    ins->op = (uint16_t)op;
    ins->argc = b ? 2 : 1;
    ins->args[0] = a;
    if (b)
        ins->args[1] = b;
    *v->changed = true;
    return 0;
}

/* (x op c1) op c2 is x op (c1 op c2): for associative integer operations, constants on the right. */
static ir_ref combine_constants(struct opt_view *v)
{
    const struct ir_ins *inner = maker(v, 0);
    scalar_bits c1, both;
    if (inner->op != v->ins.op || !v->is_const[1] || !ir_is_const(v->f, inner->args[1], &c1))
        return 0;
    ir_ref x = inner->args[0];
    if (!opt_fold(v->f, v->r, (scalar_bits[]){c1, v->bits[1]}, &both))
        return 0;
    return opt_rewrite(v, v->ins.op, x, ir_const(v->f, v->ins.type, both));
}

/* ---- rules by operation: integers -------------------------------------------------------------------- */

static ir_ref simplify_add(struct opt_view *v)
{
    if (is(v, 1, 0))
        return v->ins.args[0];
    if (maker(v, 1)->op == IR_neg)
        return opt_rewrite(v, IR_sub, v->ins.args[0], maker(v, 1)->args[0]);
    return combine_constants(v);
}

static ir_ref simplify_sub(struct opt_view *v)
{
    if (v->ins.args[0] == v->ins.args[1])
        return zero(v);
    if (v->is_const[1])
        return opt_rewrite(v, IR_add, v->ins.args[0], ir_const(v->f, v->ins.type, -v->bits[1]));
    if (is(v, 0, 0))
        return opt_rewrite(v, IR_neg, v->ins.args[1], 0);
    const struct ir_ins *a = maker(v, 0);
    if (a->op == IR_add && a->args[0] == v->ins.args[1])
        return a->args[1];
    return a->op == IR_add && a->args[1] == v->ins.args[1] ? a->args[0] : 0;
}

static ir_ref simplify_mul(struct opt_view *v)
{
    if (is(v, 1, 1))
        return v->ins.args[0];
    if (is(v, 1, 0))
        return v->ins.args[1];
    if (is(v, 1, ones(v)))
        return opt_rewrite(v, IR_neg, v->ins.args[0], 0);
    return combine_constants(v);
}

/* x / 0 is all ones; x / -1 is -x, INT_MIN included (base/scalar.def). */
static ir_ref simplify_divide(struct opt_view *v)
{
    if (is(v, 1, 1))
        return v->ins.args[0];
    if (is(v, 1, 0))
        return ir_const(v->f, v->ins.type, ones(v));
    return v->ins.op == IR_sdiv && is(v, 1, ones(v)) ? opt_rewrite(v, IR_neg, v->ins.args[0], 0) : 0;
}

static ir_ref simplify_remainder(struct opt_view *v)
{
    if (is(v, 1, 1) || (v->ins.op == IR_srem && is(v, 1, ones(v))))
        return zero(v);
    return is(v, 1, 0) ? v->ins.args[0] : 0;
}

static ir_ref simplify_and(struct opt_view *v)
{
    if (v->ins.args[0] == v->ins.args[1] || is(v, 1, ones(v)))
        return v->ins.args[0];
    if (is(v, 1, 0))
        return v->ins.args[1];
    const struct ir_ins *a = maker(v, 0);
    bool narrow = (a->op == IR_zext8 && (v->bits[1] & 0xff) == 0xff) ||
                  (a->op == IR_zext16 && (v->bits[1] & 0xffff) == 0xffff);
    if (v->is_const[1] && narrow)
        return v->ins.args[0];
    return combine_constants(v);
}

static ir_ref simplify_or(struct opt_view *v)
{
    if (v->ins.args[0] == v->ins.args[1] || is(v, 1, 0))
        return v->ins.args[0];
    return is(v, 1, ones(v)) ? v->ins.args[1] : combine_constants(v);
}

static ir_ref simplify_xor(struct opt_view *v)
{
    if (v->ins.args[0] == v->ins.args[1])
        return zero(v);
    if (is(v, 1, 0))
        return v->ins.args[0];
    return is(v, 1, ones(v)) ? opt_rewrite(v, IR_not, v->ins.args[0], 0) : combine_constants(v);
}

static ir_ref simplify_shift(struct opt_view *v)
{
    if (v->is_const[1] && (v->bits[1] & (width(v) - 1)) == 0)
        return v->ins.args[0];
    const struct ir_ins *a = maker(v, 0);
    scalar_bits c1;
    if (a->op != v->ins.op || !v->is_const[1] || !ir_is_const(v->f, a->args[1], &c1))
        return is(v, 0, 0) ? v->ins.args[0] : 0;
    scalar_bits sum = (c1 & (width(v) - 1)) + (v->bits[1] & (width(v) - 1));
    if (v->ins.op == IR_rotl || sum < width(v))
        return opt_rewrite(v, v->ins.op, a->args[0], ir_const(v->f, v->ins.type, sum & (width(v) - 1)));
    if (v->ins.op == IR_ashr)
        return opt_rewrite(v, v->ins.op, a->args[0], ir_const(v->f, v->ins.type, width(v) - 1));
    return zero(v);
}

static ir_ref simplify_minmax(struct opt_view *v)
{
    return v->ins.args[0] == v->ins.args[1] ? v->ins.args[0] : 0;
}

ir_ref opt_simplify_involution(struct opt_view *v)
{
    return maker(v, 0)->op == v->ins.op ? maker(v, 0)->args[0] : 0;
}

static ir_ref simplify_not(struct opt_view *v)
{
    static const struct {
        uint16_t from, to;
        bool swap;
    } opposite[] = {
        {IR_eq, IR_ne, false},  {IR_ne, IR_eq, false},  {IR_slt, IR_sle, true},
        {IR_sle, IR_slt, true}, {IR_ult, IR_ule, true}, {IR_ule, IR_ult, true},
    };
    const struct ir_ins *a = maker(v, 0);
    for (unsigned i = 0; i < COUNT(opposite); i++)
        if (a->op == opposite[i].from) {
            ir_ref x = a->args[opposite[i].swap], y = a->args[!opposite[i].swap];
            struct ir_ins *ins = ir_at(v->f, v->r);
            ins->args = arena_array(&v->f->module->arena, ir_ref, 2);
            return opt_rewrite(v, opposite[i].to, x, y);
        }
    return opt_simplify_involution(v);
}

/* ---- comparisons, selects, conversions --------------------------------------------------------------- */

static bool on_floats(const struct opt_view *v)
{
    return ir_is_float(ir_at(v->f, v->ins.args[0])->type);
}

/* (zext of an i1) compared with 0 or 1 is the i1 or its complement. */
static ir_ref simplify_truth_test(struct opt_view *v)
{
    const struct ir_ins *a = maker(v, 0);
    bool widened = a->op == IR_zext && ir_at(v->f, a->args[0])->type == IR_TYPE_I1;
    ir_ref truth_value = widened ? a->args[0] : v->ins.args[0];
    if (!widened && a->type != IR_TYPE_I1)
        return 0;
    if (!v->is_const[1] || v->bits[1] > 1)
        return 0;
    if ((v->ins.op == IR_eq) == (v->bits[1] == 1))
        return truth_value;
    return opt_rewrite(v, IR_not, truth_value, 0);
}

static ir_ref simplify_equality(struct opt_view *v)
{
    if (on_floats(v))
        return 0;
    if (v->ins.args[0] == v->ins.args[1])
        return truth(v, v->ins.op == IR_eq);
    return simplify_truth_test(v);
}

static ir_ref simplify_order(struct opt_view *v)
{
    bool or_equal = v->ins.op == IR_sle || v->ins.op == IR_ule;
    if (v->ins.args[0] == v->ins.args[1])
        return truth(v, or_equal);
    if (v->ins.op == IR_ult && is(v, 1, 0))
        return truth(v, false);
    return v->ins.op == IR_ule && is(v, 0, 0) ? truth(v, true) : 0;
}

ir_ref opt_simplify_select(struct opt_view *v)
{
    ir_ref yes = v->ins.args[1], no = v->ins.args[2];
    if (v->is_const[0])
        return v->bits[0] ? yes : no;
    if (yes == no)
        return yes;
    if (v->ins.type == IR_TYPE_I1 && is(v, 1, 1) && is(v, 2, 0))
        return v->ins.args[0];
    if (v->ins.type == IR_TYPE_I1 && is(v, 1, 0) && is(v, 2, 1))
        return opt_rewrite(v, IR_not, v->ins.args[0], 0);
    if (maker(v, 0)->op == IR_not) {
        struct ir_ins *ins = ir_at(v->f, v->r);
        ins->args[0] = maker(v, 0)->args[0];
        ins->args[1] = no;
        ins->args[2] = yes;
        *v->changed = true;
    }
    return 0;
}

/* Low bits that are extended already, by an operation or by the load that made them. */
static ir_ref simplify_narrow(struct opt_view *v)
{
    const struct ir_ins *a = maker(v, 0);
    static const uint8_t access[] = {IR_MEM_S8, IR_MEM_S16, IR_MEM_U8, IR_MEM_U16};
    enum ir_mem wanted = access[v->ins.op - IR_sext8];
    if (a->op == v->ins.op || (a->op == IR_load && a->mem == wanted))
        return v->ins.args[0];
    bool byte = v->ins.op == IR_sext8 || v->ins.op == IR_zext8;
    bool same_low_bits =
        byte ? a->op >= IR_sext8 && a->op <= IR_zext16 : a->op == IR_sext16 || a->op == IR_zext16;
    if (same_low_bits)
        return opt_rewrite(v, v->ins.op, a->args[0], 0);
    return v->ins.op == IR_zext16 && (a->op == IR_zext8 || (a->op == IR_load && a->mem == IR_MEM_U8))
               ? v->ins.args[0]
               : 0;
}

static ir_ref simplify_trunc(struct opt_view *v)
{
    const struct ir_ins *a = maker(v, 0);
    bool extends = (a->op == IR_sext || a->op == IR_zext) && ir_at(v->f, a->args[0])->type == IR_TYPE_I32;
    return extends ? a->args[0] : 0;
}

/* ---- addresses --------------------------------------------------------------------------------------- */

static ir_ref simplify_ptradd(struct opt_view *v)
{
    if (is(v, 1, 0))
        return v->ins.args[0];
    const struct ir_ins *a = maker(v, 0);
    scalar_bits c1;
    if (a->op != IR_ptradd || !v->is_const[1] || !ir_is_const(v->f, a->args[1], &c1))
        return 0;
    ir_ref x = a->args[0];
    return opt_rewrite(v, IR_ptradd, x, ir_const_i32(v->f, (uint32_t)(c1 + v->bits[1])));
}

static ir_ref simplify_ptrcast(struct opt_view *v)
{
    if (maker(v, 0)->type == v->ins.type)
        return v->ins.args[0];
    if (maker(v, 0)->op == IR_ptrcast)
        return ir_at(v->f, maker(v, 0)->args[0])->type == v->ins.type
                   ? maker(v, 0)->args[0]
                   : opt_rewrite(v, IR_ptrcast, maker(v, 0)->args[0], 0);
    return 0;
}

/* A constant added to the address moves into the access's own offset. */
static ir_ref simplify_access(struct opt_view *v)
{
    struct ir_address a = ir_address_of(v->f, v->ins.args[0]);
    if (a.root == v->ins.args[0])
        return 0;
    struct ir_ins *ins = ir_at(v->f, v->r);
    ins->args[0] = a.root;
    ins->imm = (int32_t)((uint32_t)ins->imm + a.offset);
    *v->changed = true;
    return 0;
}

bool opt_constant_load(const struct ir_function *f, const struct ir_ins *load, scalar_bits *bits)
{
    struct ir_address a = ir_address_of(f, load->args[0]);
    const struct ir_ins *from = ir_at(f, a.root);
    if (from->op != IR_object || from->type != IR_TYPE_CONSTANT ||
        (load->mem == IR_MEM_PTR && load->type != IR_TYPE_FUNCTION))
        return false;
    const struct ir_object *o = &f->module->objects.at[from->imm];
    uint64_t begin = (uint32_t)load->imm + a.offset, bytes = ir_mem_info[load->mem].bytes;
    if (begin + bytes > o->size)
        return false;
    *bits = ir_loaded(load->mem, o->bytes + begin);
    return true;
}

static ir_ref simplify_load(struct opt_view *v)
{
    scalar_bits bits;
    simplify_access(v);
    const struct ir_ins *load = ir_at(v->f, v->r);
    return opt_constant_load(v->f, load, &bits) ? ir_const(v->f, load->type, bits) : 0;
}

/* ---- the table --------------------------------------------------------------------------------------- */

static ir_ref simplify_operation(struct opt_view *v)
{
    if (ir_is_float(v->ins.type) && ir_is_pure(v->ins.op))
        return opt_simplify_float(v);
    switch (v->ins.op) {
    case IR_add: return simplify_add(v);
    case IR_sub: return simplify_sub(v);
    case IR_mul: return simplify_mul(v);
    case IR_sdiv:
    case IR_udiv: return simplify_divide(v);
    case IR_srem:
    case IR_urem: return simplify_remainder(v);
    case IR_and: return simplify_and(v);
    case IR_or: return simplify_or(v);
    case IR_xor: return simplify_xor(v);
    case IR_shl:
    case IR_lshr:
    case IR_ashr:
    case IR_rotl: return simplify_shift(v);
    case IR_smin:
    case IR_smax:
    case IR_umin:
    case IR_umax: return simplify_minmax(v);
    case IR_neg:
    case IR_brev: return opt_simplify_involution(v);
    case IR_not: return simplify_not(v);
    case IR_eq:
    case IR_ne: return simplify_equality(v);
    case IR_slt:
    case IR_sle:
    case IR_ult:
    case IR_ule: return simplify_order(v);
    case IR_select: return opt_simplify_select(v);
    case IR_sext8:
    case IR_sext16:
    case IR_zext8:
    case IR_zext16: return simplify_narrow(v);
    case IR_trunc: return simplify_trunc(v);
    case IR_ptradd: return simplify_ptradd(v);
    case IR_ptrcast: return simplify_ptrcast(v);
    case IR_load: return simplify_load(v);
    case IR_store: return simplify_access(v);
    default:
        return ir_op_info[v->ins.op].flags & IR_WRITES && v->ins.op >= IR_atomic_add &&
                       v->ins.op <= IR_atomic_cas
                   ? simplify_access(v)
                   : 0;
    }
}

static bool all_constant(const struct opt_view *v)
{
    for (uint32_t i = 0; i < v->ins.argc; i++)
        if (!v->is_const[i])
            return false;
    return v->ins.argc != 0;
}

/* Constants stand on the right of commutative operations. */
static void put_in_order(struct opt_view *v)
{
    ir_ref *args = ir_at(v->f, v->r)->args, a = args[0];
    if (!v->is_const[0] || v->is_const[1])
        return;
    args[0] = args[1];
    args[1] = a;
    v->is_const[0] = false;
    v->is_const[1] = true;
    v->bits[1] = v->bits[0];
    *v->changed = true;
}

ir_ref opt_simplify(struct ir_function *f, ir_ref r, bool *changed)
{
    struct opt_view v = {.f = f, .r = r, .changed = changed, .ins = *ir_at(f, r)};
    scalar_bits result;
    if (v.ins.argc == 0 || v.ins.argc > SCALAR_MAX_ARGS)
        return 0;
    for (uint32_t i = 0; i < v.ins.argc; i++)
        v.is_const[i] = ir_is_const(f, v.ins.args[i], &v.bits[i]);
    if (all_constant(&v) && opt_fold(f, r, v.bits, &result))
        return ir_const(f, v.ins.type, result);
    if (ir_op_info[v.ins.op].flags & IR_COMMUTES)
        put_in_order(&v);
    return simplify_operation(&v);
}
