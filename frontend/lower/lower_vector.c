/* lower_vector.c: vectors become scalars. An expression of vector type is lowered to the values of its
 * elements, which are stored only where an address of the whole is asked for.
 *
 * What is done by element is done in their order, when all elements of each operand have been computed.
 */
#include "frontend/lower/lower.h"

/* The values of a vector's elements; of a scalar that stands for each of them. */
struct elements {
    ir_ref at[FE_VECTOR_MAX];
};

static struct elements lower_elements(struct lowering *l, const struct fe_expr *e, uint64_t count);

static struct address element_at(struct address vector, const struct fe_type *of, uint64_t i)
{
    vector.offset = (int32_t)((uint32_t)vector.offset + (uint32_t)(i * of->size));
    vector.name = NULL;
    return vector;
}

uint32_t fe_wide(uint32_t align, uint64_t offset)
{
    uint64_t bits = offset | align | IR_MAX_WIDE;
    return (uint32_t)(bits & -bits);
}

void fe_note_wide(struct lowering *l, ir_ref access, const struct fe_type *t, uint32_t align, uint64_t offset)
{
    uint32_t wide = fe_wide(align, offset);
    if (wide > t->size)
        ir_at(l->f, access)->imm2 = wide;
}

static void note_element(struct lowering *l, ir_ref access, const struct fe_type *vector, uint64_t i)
{
    fe_note_wide(l, access, vector->of, vector->align, i * vector->of->size);
}

static struct elements load(struct lowering *l, struct address a, const struct fe_type *vector)
{
    struct elements v = {{0}};
    for (uint64_t i = 0; i < vector->count; i++) {
        v.at[i] = fe_load(l, element_at(a, vector->of, i), vector->of);
        note_element(l, v.at[i], vector, i);
    }
    return v;
}

static void store(struct lowering *l, struct address a, const struct fe_type *vector,
                  const struct elements *v)
{
    for (uint64_t i = 0; i < vector->count; i++)
        note_element(l, fe_store(l, element_at(a, vector->of, i), vector->of, v->at[i]), vector, i);
}

/* ---- operators --------------------------------------------------------------------------------------- */

/* C's promotion of an element. */
static const struct fe_type *promoted(struct lowering *l, const struct fe_type *t)
{
    return fe_is_integer(t) && t->size < 4 ? l->program->types.basic[FE_TYPE_INT] : t;
}

/* a op b of elements of type t, converted to an element of the result: a comparison's is 0 or -1. */
static ir_ref operate(struct lowering *l, enum fe_op op, const struct fe_type *t, ir_ref a, ir_ref b,
                      const struct fe_type *result)
{
    const struct fe_type *with = promoted(l, t), *truth = l->program->types.basic[FE_TYPE_BOOL];
    fe_tell_shift(l, op, with, b, t);
    ir_ref right = fe_lower_conversion(l, b, t, with), left = fe_lower_conversion(l, a, t, with);
    ir_ref r = fe_lower_operation(l, op, with, left, right);
    if (op < FE_OP_LT || op > FE_OP_NE)
        return fe_lower_conversion(l, r, with, result);
    return ir_emit1(&l->c, IR_neg, fe_ir_type(result), fe_lower_conversion(l, r, truth, result));
}

static struct elements by_element(struct lowering *l, enum fe_op op, const struct fe_type *t,
                                  const struct elements *a, const struct elements *b,
                                  const struct fe_type *result)
{
    struct elements v = {{0}};
    for (uint64_t i = 0; i < result->count; i++)
        v.at[i] = operate(l, op, t, a->at[i], b->at[i], result->of);
    return v;
}

static struct elements lower_binary(struct lowering *l, const struct fe_expr *e)
{
    const struct fe_type *x = e->sub.a->type, *t = fe_is_vector(x) ? x->of : e->sub.b->type->of;
    struct elements a = lower_elements(l, e->sub.a, e->type->count),
                    b = lower_elements(l, e->sub.b, e->type->count);
    fe_place(l, e->op_at);
    return by_element(l, e->op, t, &a, &b, e->type);
}

static struct elements lower_unary(struct lowering *l, const struct fe_expr *e)
{
    const struct fe_type *t = e->type->of, *with = promoted(l, t);
    struct elements v = lower_elements(l, e->sub.a, e->type->count);
    fe_place(l, e->where);
    for (uint64_t i = 0; i < e->type->count && e->op != FE_OP_PLUS; i++) {
        ir_ref x = fe_lower_conversion(l, v.at[i], t, with);
        x = ir_emit1(&l->c, e->op == FE_OP_NEG ? IR_neg : IR_not, fe_ir_type(with), x);
        v.at[i] = fe_lower_conversion(l, x, with, t);
    }
    return v;
}

static struct elements lower_cast(struct lowering *l, const struct fe_expr *e)
{
    const struct fe_type *from = e->cast.a->type;
    struct elements v = lower_elements(l, e->cast.a, e->type->count);
    fe_place(l, e->where);
    for (uint64_t i = 0; fe_is_vector(from) && i < e->type->count; i++)
        v.at[i] = fe_lower_conversion(l, v.at[i], from->of, e->type->of);
    return v;
}

/* ---- what is assigned to ----------------------------------------------------------------------------- */

/* Where a vector, or the vector that a MEMBER selects elements of, lies. */
static struct address target_address(struct lowering *l, const struct fe_expr *e)
{
    if (!fe_selects(e))
        return fe_lower_address(l, e);
    return e->member.arrow ? fe_lower_pointee(l, e->member.object) : fe_lower_address(l, e->member.object);
}

/* The vector there. */
static const struct fe_type *target_vector(const struct fe_expr *e)
{
    if (!fe_selects(e))
        return e->type;
    const struct fe_type *t = e->member.object->type;
    return e->member.arrow ? t->of : t;
}

static uint64_t selected(const struct fe_expr *e, uint64_t i)
{
    return fe_selects(e) ? e->member.elements[i] : i;
}

static struct elements load_target(struct lowering *l, const struct fe_expr *e, struct address a)
{
    struct elements v = {{0}};
    for (uint64_t i = 0; i < e->type->count; i++) {
        v.at[i] = fe_load(l, element_at(a, e->type->of, selected(e, i)), e->type->of);
        note_element(l, v.at[i], target_vector(e), selected(e, i));
    }
    return v;
}

static void store_target(struct lowering *l, const struct fe_expr *e, struct address a,
                         const struct elements *v)
{
    for (uint64_t i = 0; i < e->type->count; i++) {
        ir_ref r = fe_store(l, element_at(a, e->type->of, selected(e, i)), e->type->of, v->at[i]);
        note_element(l, r, target_vector(e), selected(e, i));
    }
}

/* The right side's value is taken before the left side is looked at. */
static struct elements lower_assign(struct lowering *l, const struct fe_expr *e)
{
    struct elements v = lower_elements(l, e->sub.b, e->type->count);
    struct address a = target_address(l, e->sub.a);
    fe_place(l, e->op_at);
    if (e->op != FE_OP_NONE) {
        struct elements old = load_target(l, e->sub.a, a);
        v = by_element(l, e->op, e->type->of, &old, &v, e->type);
    }
    store_target(l, e->sub.a, a, &v);
    return v;
}

static struct elements lower_step(struct lowering *l, const struct fe_expr *e)
{
    const struct fe_type *t = e->type->of, *ints = l->program->types.basic[FE_TYPE_INT];
    bool up = e->op == FE_OP_PREINC || e->op == FE_OP_POSTINC,
         before = e->op == FE_OP_PREINC || e->op == FE_OP_PREDEC;
    struct address a = target_address(l, e->sub.a);
    fe_place(l, e->op_at);
    struct elements old = load_target(l, e->sub.a, a), one = {{0}};
    for (uint64_t i = 0; i < e->type->count; i++)
        one.at[i] = ir_const(l->f, fe_ir_type(t), fe_fold_conversion(ints, t, 1));
    struct elements v = by_element(l, up ? FE_OP_ADD : FE_OP_SUB, t, &old, &one, e->type);
    store_target(l, e->sub.a, a, &v);
    return before ? v : old;
}

static struct elements lower_selection(struct lowering *l, const struct fe_expr *e)
{
    const struct fe_expr *o = e->member.object;
    struct elements v = {{0}};
    if (e->member.arrow || o->lvalue) {
        struct address a = target_address(l, e);
        fe_place(l, e->where);
        return load_target(l, e, a);
    }
    struct elements all = lower_elements(l, o, o->type->count);
    for (uint64_t i = 0; i < e->type->count; i++)
        v.at[i] = all.at[e->member.elements[i]];
    return v;
}

/* ---- builtins ---------------------------------------------------------------------------------------- */

/* The builtin once for each element: of arguments that are converted as it asks for. */
static struct elements lower_calls(struct lowering *l, const struct fe_expr *e, const struct fe_builtin *b)
{
    const struct fe_types *types = &l->program->types;
    struct fe_type *generic = e->call.target;
    const struct fe_type *from[FE_BUILTIN_ARGS], *to[FE_BUILTIN_ARGS];
    struct elements arguments[FE_BUILTIN_ARGS], v = {{0}};
    uint32_t n = 0;
    for (const struct fe_expr *a = e->call.args; a; a = a->next, n++) {
        char letter = fe_builtin_param(b, n);
        arguments[n] = lower_elements(l, a, e->type->count);
        from[n] = fe_is_vector(a->type) ? a->type->of : a->type->plain;
        to[n] = letter == 'x' || letter == 'y' ? from[n] : fe_builtin_type(types, letter, generic);
    }
    struct fe_expr one = *e;
    one.type = fe_builtin_type(types, b->signature[0], generic);
    fe_place(l, e->where);
    for (uint64_t i = 0; i < e->type->count; i++) {
        ir_ref at[FE_BUILTIN_ARGS];
        for (uint32_t k = 0; k < n; k++)
            at[k] = fe_lower_conversion(l, arguments[k].at[i], from[k], to[k]);
        ir_ref r = fe_lower_builtin_of(l, &one, b, n, at, to[0]);
        r = fe_lower_conversion(l, r, one.type, e->type->of);
        v.at[i] = one.type->kind == FE_TYPE_BOOL ? ir_emit1(&l->c, IR_neg, fe_ir_type(e->type->of), r) : r;
    }
    return v;
}

static ir_ref op2(struct lowering *l, enum ir_op op, const struct fe_type *t, ir_ref a, ir_ref b)
{
    return ir_emit2(&l->c, op, fe_ir_type(t), a, b);
}

/* The products' sum in the order of the elements; nothing is fused. */
static ir_ref dot(struct lowering *l, const struct fe_type *vector, const struct elements *a,
                  const struct elements *b)
{
    ir_ref sum = op2(l, IR_mul, vector->of, a->at[0], b->at[0]);
    for (uint64_t i = 1; i < vector->count; i++)
        sum = op2(l, IR_add, vector->of, sum, op2(l, IR_mul, vector->of, a->at[i], b->at[i]));
    return sum;
}

static ir_ref length(struct lowering *l, const struct fe_type *vector, const struct elements *v)
{
    return ir_emit1(&l->c, IR_sqrt, fe_ir_type(vector->of), dot(l, vector, v, v));
}

static struct elements cross(struct lowering *l, const struct fe_type *of, const struct elements *a,
                             const struct elements *b)
{
    struct elements v = {{0}};
    for (uint64_t i = 0; i < 3; i++) {
        uint64_t y = (i + 1) % 3, z = (i + 2) % 3;
        ir_ref less = op2(l, IR_mul, of, a->at[z], b->at[y]);
        v.at[i] = op2(l, IR_sub, of, op2(l, IR_mul, of, a->at[y], b->at[z]), less);
    }
    return v;
}

static struct elements normalized(struct lowering *l, const struct fe_type *vector, const struct elements *v)
{
    struct elements result = {{0}};
    ir_ref divisor = length(l, vector, v);
    for (uint64_t i = 0; i < vector->count; i++)
        result.at[i] = op2(l, IR_div, vector->of, v->at[i], divisor);
    return result;
}

/* OpenCL's: where the top bit of the mask is set, b, else a. */
static struct elements selection(struct lowering *l, const struct fe_type *of, const struct fe_type *mask,
                                 uint64_t count, const struct elements arguments[3])
{
    struct elements v = {{0}};
    enum ir_type t = fe_ir_type(of), m = fe_ir_type(mask->of);
    for (uint64_t i = 0; i < count; i++) {
        ir_ref bits = arguments[2].at[i], top;
        if (mask->of->size < 4 && !fe_is_signed(mask->of)) /* held with zeros above it */
            top = ir_emit2(&l->c, IR_ult, IR_TYPE_I1,
                           ir_const(l->f, m, ((scalar_bits)1 << (mask->of->size * 8 - 1)) - 1), bits);
        else
            top = ir_emit2(&l->c, IR_slt, IR_TYPE_I1, bits, ir_const(l->f, m, 0));
        v.at[i] = ir_emit3(&l->c, IR_select, t, top, arguments[1].at[i], arguments[0].at[i]);
    }
    return v;
}

/* The first element holds a result that is a scalar. */
static struct elements lower_whole(struct lowering *l, const struct fe_expr *e, const struct fe_builtin *b)
{
    const struct fe_type *vector = e->call.args->type->plain, *last = vector;
    struct elements arguments[FE_BUILTIN_ARGS] = {{{0}}}, v = {{0}};
    uint32_t n = 0;
    for (const struct fe_expr *a = e->call.args; a; a = a->next) {
        arguments[n++] = lower_elements(l, a, a->type->count);
        last = a->type->plain;
    }
    fe_place(l, e->where);
    switch (b->how) {
    case FE_HOW_DOT: v.at[0] = dot(l, vector, &arguments[0], &arguments[1]); break;
    case FE_HOW_LENGTH: v.at[0] = length(l, vector, &arguments[0]); break;
    case FE_HOW_CROSS: v = cross(l, vector->of, &arguments[0], &arguments[1]); break;
    case FE_HOW_SELECT: v = selection(l, vector->of, last, vector->count, arguments); break;
    case FE_HOW_DISTANCE:
        for (uint64_t i = 0; i < vector->count; i++)
            v.at[i] = op2(l, IR_sub, vector->of, arguments[0].at[i], arguments[1].at[i]);
        v.at[0] = length(l, vector, &v);
        break;
    default: v = normalized(l, vector, &arguments[0]);
    }
    return v;
}

ir_ref fe_lower_whole_vectors(struct lowering *l, const struct fe_expr *e, const struct fe_builtin *b)
{
    struct elements v = lower_whole(l, e, b);
    return v.at[0];
}

/* ---- any expression ---------------------------------------------------------------------------------- */

static const struct fe_builtin *builtin_of(const struct fe_expr *e)
{
    const struct fe_expr *callee = e->call.callee;
    return e->kind == FE_EXPR_CALL && callee->kind == FE_EXPR_NAME ? callee->name.builtin : NULL;
}

bool fe_is_by_element(const struct fe_expr *e)
{
    if (!fe_is_vector(e->type))
        return false;
    switch (e->kind) {
    case FE_EXPR_BINARY:
    case FE_EXPR_CAST: return true;
    case FE_EXPR_UNARY: return e->op != FE_OP_DEREF;
    case FE_EXPR_ASSIGN: return e->op != FE_OP_NONE || fe_selects(e->sub.a);
    case FE_EXPR_MEMBER: return fe_selects(e);
    case FE_EXPR_CALL: return builtin_of(e) != NULL;
    default: return false;
    }
}

static struct elements lower_elements(struct lowering *l, const struct fe_expr *e, uint64_t count)
{
    struct elements v = {{0}};
    if (!fe_is_vector(e->type)) {
        v.at[0] = fe_lower_value(l, e);
        for (uint64_t i = 1; i < count; i++)
            v.at[i] = v.at[0];
        return v;
    }
    if (!fe_is_by_element(e)) {
        struct address a = fe_lower_address(l, e);
        fe_place(l, e->where);
        return load(l, a, e->type);
    }
    switch (e->kind) {
    case FE_EXPR_BINARY: return lower_binary(l, e);
    case FE_EXPR_CAST: return lower_cast(l, e);
    case FE_EXPR_UNARY: return e->op >= FE_OP_PREINC ? lower_step(l, e) : lower_unary(l, e);
    case FE_EXPR_ASSIGN: return lower_assign(l, e);
    case FE_EXPR_MEMBER: return lower_selection(l, e);
    default:
        return strpbrk(builtin_of(e)->signature, "VW") ? lower_whole(l, e, builtin_of(e))
                                                       : lower_calls(l, e, builtin_of(e));
    }
}

struct address fe_lower_elements(struct lowering *l, const struct fe_expr *e)
{
    struct elements v = lower_elements(l, e, e->type->count);
    struct address a = fe_temporary(l, e->type, NULL);
    store(l, a, e->type, &v);
    return a;
}
