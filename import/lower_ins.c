/* lower_ins.c: each instruction of LLVM IR in kernc's operations. What LLVM leaves undefined (a division by
 * zero, a shift by more than the width, a number out of range) is what kernc's operation makes of it. */
#include "import/lower_function.h"

/* ---- integers of other widths -------------------------------------------------------------------------- */

ir_ref import_zero_extended(struct lowering *l, ir_ref v, uint32_t bits)
{
    enum ir_type t = type_of(l, v);
    if (bits == 1 || bits == 32 || bits >= 64)
        return v;
    if (bits == 8 || bits == 16)
        return op1(l, bits == 8 ? IR_zext8 : IR_zext16, t, v);
    return op2(l, IR_and, t, v, number(l, t, ((uint64_t)1 << bits) - 1));
}

ir_ref import_sign_extended(struct lowering *l, ir_ref v, uint32_t bits)
{
    enum ir_type t = type_of(l, v);
    if (bits == 1 || bits == 32 || bits >= 64)
        return v;
    if (bits == 8 || bits == 16)
        return op1(l, bits == 8 ? IR_sext8 : IR_sext16, t, v);
    ir_ref shift = number(l, t, (t == IR_TYPE_I32 ? 32 : 64) - bits);
    return op2(l, IR_ashr, t, op2(l, IR_shl, t, v, shift), shift);
}

/* Truth values as numbers 0 and 1, or 0 and -1. */
static ir_ref truth(struct lowering *l, ir_ref v, bool is_signed, enum ir_type t)
{
    if (!is_signed)
        return op1(l, IR_zext, t, v);
    return ir_emit3(&l->c, IR_select, t, v, number(l, t, UINT64_MAX), number(l, t, 0));
}

/* ---- half and bfloat: a float that has the value -------------------------------------------------------- */

static ir_ref float_bits(struct lowering *l, ir_ref f)
{
    return op1(l, IR_bits, IR_TYPE_I32, f);
}
static ir_ref bits_float(struct lowering *l, ir_ref b)
{
    return op1(l, IR_bits, IR_TYPE_F32, b);
}
static ir_ref i32_op(struct lowering *l, enum ir_op op, ir_ref a, uint32_t b)
{
    return op2(l, op, IR_TYPE_I32, a, ir_const_i32(l->f, b));
}
static ir_ref below(struct lowering *l, ir_ref a, uint32_t b)
{
    return op2(l, IR_ult, IR_TYPE_I1, a, ir_const_i32(l->f, b));
}

/* A half's exponent is 112 less than a float's, so its bits as a float's are the value times 2^-112. */
static ir_ref from_half(struct lowering *l, ir_ref h)
{
    ir_ref magnitude = i32_op(l, IR_shl, i32_op(l, IR_and, h, 0x7fff), 13);
    ir_ref scaled =
        op2(l, IR_mul, IR_TYPE_F32, bits_float(l, magnitude), ir_const(l->f, IR_TYPE_F32, 0x77800000));
    ir_ref special = i32_op(l, IR_or, magnitude, 0x7f800000);
    ir_ref finite = below(l, magnitude, 0x7c00 << 13);
    ir_ref bits = choose(l, finite, float_bits(l, scaled), special);
    return bits_float(l,
                      op2(l, IR_or, IR_TYPE_I32, bits, i32_op(l, IR_shl, i32_op(l, IR_and, h, 0x8000), 16)));
}

/* To nearest even: normal halves by adding to what is cut off, subnormal ones by adding 0.5, whose unit in the
 * last place is theirs. */
static ir_ref to_half(struct lowering *l, ir_ref f)
{
    ir_ref bits = float_bits(l, f), a = i32_op(l, IR_and, bits, 0x7fffffff);
    ir_ref odd = i32_op(l, IR_and, i32_op(l, IR_lshr, a, 13), 1);
    ir_ref sum = i32_op(l, IR_add, op2(l, IR_add, IR_TYPE_I32, a, odd), 0xfff - 0x38000000u);
    ir_ref normal = i32_op(l, IR_lshr, sum, 13);
    ir_ref small = op2(l, IR_add, IR_TYPE_F32, bits_float(l, a), ir_const(l->f, IR_TYPE_F32, 0x3f000000));
    ir_ref subnormal = i32_op(l, IR_sub, float_bits(l, small), 0x3f000000);
    ir_ref finite = choose(l, below(l, a, 0x38800000), subnormal, normal);
    ir_ref special =
        choose(l, below(l, a, 0x7f800001), ir_const_i32(l->f, 0x7c00), ir_const_i32(l->f, 0x7e00));
    ir_ref h = choose(l, below(l, a, 0x47800000), finite, special);
    return op2(l, IR_or, IR_TYPE_I32, h, i32_op(l, IR_and, i32_op(l, IR_lshr, bits, 16), 0x8000));
}

static ir_ref to_bfloat(struct lowering *l, ir_ref f)
{
    ir_ref bits = float_bits(l, f), a = i32_op(l, IR_and, bits, 0x7fffffff);
    ir_ref odd = i32_op(l, IR_and, i32_op(l, IR_lshr, bits, 16), 1);
    ir_ref rounded =
        i32_op(l, IR_lshr, i32_op(l, IR_add, op2(l, IR_add, IR_TYPE_I32, bits, odd), 0x7fff), 16);
    return choose(l, below(l, a, 0x7f800001), rounded, ir_const_i32(l->f, 0x7fc0));
}

bool import_is_short(const struct ll_type *t)
{
    return t->kind == LL_HALF || t->kind == LL_BFLOAT;
}

/* The 16 bits of a half or bfloat, and back. */
ir_ref import_short_bits(struct lowering *l, const struct ll_type *t, ir_ref f)
{
    return t->kind == LL_HALF ? to_half(l, f) : to_bfloat(l, f);
}
ir_ref import_short_value(struct lowering *l, const struct ll_type *t, ir_ref bits)
{
    return t->kind == LL_HALF ? from_half(l, bits) : bits_float(l, i32_op(l, IR_shl, bits, 16));
}

/* Of the two floats next to a double that is none the one whose last bit is 1 ("round to odd"): rounded again
 * to a half or bfloat it gives what the double does ("When is double rounding innocuous?", Figueroa). */
static ir_ref to_odd(struct lowering *l, ir_ref d)
{
    ir_ref f = op1(l, IR_ftrunc, IR_TYPE_F32, d), back = op1(l, IR_fext, IR_TYPE_F64, f);
    ir_ref own = op1(l, IR_abs, IR_TYPE_F64, d), size = op1(l, IR_abs, IR_TYPE_F64, back);
    ir_ref above = op2(l, IR_lt, IR_TYPE_I1, own, size), below_it = op2(l, IR_lt, IR_TYPE_I1, size, own);
    ir_ref bits = op2(l, IR_sub, IR_TYPE_I32, float_bits(l, f), op1(l, IR_zext, IR_TYPE_I32, above));
    ir_ref odd = op1(l, IR_zext, IR_TYPE_I32, op2(l, IR_or, IR_TYPE_I1, above, below_it));
    return bits_float(l, op2(l, IR_or, IR_TYPE_I32, bits, odd));
}

ir_ref import_shortened(struct lowering *l, const struct ll_type *t, ir_ref v)
{
    if (type_of(l, v) == import_scalar(t))
        return import_round(l, t, v);
    return import_is_short(t) ? import_round(l, t, to_odd(l, v)) : op1(l, IR_ftrunc, IR_TYPE_F32, v);
}

ir_ref import_round(struct lowering *l, const struct ll_type *t, ir_ref v)
{
    return import_is_short(t) ? import_short_value(l, t, import_short_bits(l, t, v)) : v;
}

/* ---- arithmetic ---------------------------------------------------------------------------------------- */

static ir_ref binary(struct lowering *l, enum ll_op op, const struct ll_type *t, ir_ref a, ir_ref b)
{
    static const enum ir_op ops[LL_OPS] = {
        [LL_OP_add] = IR_add,   [LL_OP_sub] = IR_sub,   [LL_OP_mul] = IR_mul,   [LL_OP_udiv] = IR_udiv,
        [LL_OP_sdiv] = IR_sdiv, [LL_OP_urem] = IR_urem, [LL_OP_srem] = IR_srem, [LL_OP_shl] = IR_shl,
        [LL_OP_lshr] = IR_lshr, [LL_OP_ashr] = IR_ashr, [LL_OP_and] = IR_and,   [LL_OP_or] = IR_or,
        [LL_OP_xor] = IR_xor,   [LL_OP_fadd] = IR_add,  [LL_OP_fsub] = IR_sub,  [LL_OP_fmul] = IR_mul,
        [LL_OP_fdiv] = IR_div,  [LL_OP_frem] = IR_fmod};
    enum ir_type type = import_scalar(t);
    if (t->kind != LL_INT)
        return import_round(l, t, op2(l, ops[op], type, a, b));
    bool is_unsigned = op == LL_OP_udiv || op == LL_OP_urem || op == LL_OP_lshr;
    bool is_signed = op == LL_OP_sdiv || op == LL_OP_srem || op == LL_OP_ashr;
    if (t->bits == 1) /* what has a meaning: no shift, no division by 0 */
        switch (op) {
        case LL_OP_add:
        case LL_OP_sub:
        case LL_OP_xor: return op2(l, IR_xor, type, a, b);
        case LL_OP_mul:
        case LL_OP_and: return op2(l, IR_and, type, a, b);
        case LL_OP_or: return op2(l, IR_or, type, a, b);
        case LL_OP_urem:
        case LL_OP_srem: return ir_const_i1(l->f, false);
        default: return a;
        }
    if (is_unsigned)
        a = import_zero_extended(l, a, t->bits);
    if (is_signed)
        a = import_sign_extended(l, a, t->bits);
    if (is_unsigned || op == LL_OP_shl || op == LL_OP_ashr)
        b = import_zero_extended(l, b, t->bits);
    else if (is_signed)
        b = import_sign_extended(l, b, t->bits);
    return op2(l, ops[op], type, a, b);
}

static ir_ref compare_integers(struct lowering *l, enum ll_predicate p, ir_ref a, ir_ref b)
{
    static const struct {
        enum ir_op op;
        bool swaps;
    } rows[] = {[LL_eq] = {IR_eq, false},    [LL_ne] = {IR_ne, false},     [LL_i_ugt] = {IR_ult, true},
                [LL_i_uge] = {IR_ule, true}, [LL_i_ult] = {IR_ult, false}, [LL_i_ule] = {IR_ule, false},
                [LL_sgt] = {IR_slt, true},   [LL_sge] = {IR_sle, true},    [LL_slt] = {IR_slt, false},
                [LL_sle] = {IR_sle, false}};
    return op2(l, rows[p].op, IR_TYPE_I1, rows[p].swaps ? b : a, rows[p].swaps ? a : b);
}

static ir_ref compare(struct lowering *l, const struct ll_ins *i, uint32_t component)
{
    enum ll_predicate p = (enum ll_predicate)i->predicate;
    const struct ll_type *t = import_components(l->im, i->args[0]->type).at[component].type;
    ir_ref a = import_component(l, i->args[0], component), b = import_component(l, i->args[1], component);
    bool is_signed = p >= LL_sgt;
    if (t->kind == LL_POINTER) { /* null is 0 in each space */
        bool several = type_of(l, a) == SPACES_SEVERAL || type_of(l, b) == SPACES_SEVERAL;
        if (type_of(l, a) != type_of(l, b) || is_signed) {
            a = several ? import_as_space(l, a, SPACES_SEVERAL) : op1(l, IR_ptrcast, IR_TYPE_I32, a);
            b = several ? import_as_space(l, b, SPACES_SEVERAL) : op1(l, IR_ptrcast, IR_TYPE_I32, b);
        }
        return compare_integers(l, p, a, b);
    }
    if (t->bits == 1 && p == LL_eq)
        return op2(l, IR_eq, IR_TYPE_I1, a, b);
    if (t->bits == 1 && p == LL_ne)
        return op2(l, IR_xor, IR_TYPE_I1, a, b);
    if (t->bits == 1) {
        a = truth(l, a, is_signed, IR_TYPE_I32);
        b = truth(l, b, is_signed, IR_TYPE_I32);
    } else {
        a = is_signed ? import_sign_extended(l, a, t->bits) : import_zero_extended(l, a, t->bits);
        b = is_signed ? import_sign_extended(l, b, t->bits) : import_zero_extended(l, b, t->bits);
    }
    return compare_integers(l, p, a, b);
}

/* By the predicate's bits: 1 equal, 2 greater, 4 less, 8 unordered. What holds of unordered operands is the
 * complement of what holds of ordered ones only. */
static ir_ref compare_floats(struct lowering *l, const struct ll_ins *i, uint32_t component)
{
    ir_ref a = import_component(l, i->args[0], component), b = import_component(l, i->args[1], component);
    uint32_t bits = i->predicate, of = bits & 8 ? ~bits & 7 : bits & 7;
    ir_ref r;
    switch (of) {
    case 0: r = ir_const_i1(l->f, false); break;
    case 1: r = op2(l, IR_eq, IR_TYPE_I1, a, b); break;
    case 2: r = op2(l, IR_lt, IR_TYPE_I1, b, a); break;
    case 3: r = op2(l, IR_le, IR_TYPE_I1, b, a); break;
    case 4: r = op2(l, IR_lt, IR_TYPE_I1, a, b); break;
    case 5: r = op2(l, IR_le, IR_TYPE_I1, a, b); break;
    case 6:
        r = op2(l, IR_or, IR_TYPE_I1, op2(l, IR_lt, IR_TYPE_I1, a, b), op2(l, IR_lt, IR_TYPE_I1, b, a));
        break;
    default:
        r = op2(l, IR_and, IR_TYPE_I1, op2(l, IR_eq, IR_TYPE_I1, a, a), op2(l, IR_eq, IR_TYPE_I1, b, b));
        break;
    }
    return bits & 8 ? op1(l, IR_not, IR_TYPE_I1, r) : r;
}

/* ---- casts --------------------------------------------------------------------------------------------- */

static ir_ref widened(struct lowering *l, ir_ref v, const struct ll_type *from, enum ir_type to,
                      bool is_signed)
{
    if (from->bits == 1)
        return truth(l, v, is_signed, to);
    v = is_signed ? import_sign_extended(l, v, from->bits) : import_zero_extended(l, v, from->bits);
    return type_of(l, v) == to ? v : op1(l, is_signed ? IR_sext : IR_zext, to, v);
}

static ir_ref narrowed(struct lowering *l, ir_ref v, const struct ll_type *to)
{
    enum ir_type t = import_scalar(to);
    if (t == IR_TYPE_I1) {
        ir_ref bit = op2(l, IR_and, type_of(l, v), v, number(l, type_of(l, v), 1));
        return op2(l, IR_ne, IR_TYPE_I1, bit, number(l, type_of(l, v), 0));
    }
    return type_of(l, v) == t ? v : import_i32(l, v);
}

/* The same bits as another scalar of that size. */
static ir_ref same_bits(struct lowering *l, ir_ref v, const struct ll_type *from, const struct ll_type *to)
{
    enum ir_type t = import_scalar(to);
    if (import_is_short(from))
        v = import_short_bits(l, from, v);
    if (import_is_short(to))
        return import_short_value(l, to, v);
    return type_of(l, v) == t ? v : op1(l, IR_bits, t, v);
}

static ir_ref int_to_pointer(struct lowering *l, const struct ll_ins *i, ir_ref v)
{
    if (i->result == UINT32_MAX) /* of a constant: the type of its use makes it one */
        return import_i32(l, v);
    uint32_t object = l->spaces->values[l->spaces->first[i->result]].object;
    scalar_bits bits;
    if (!spaces_is_known(l->im, object) && !(ir_is_const(l->f, v, &bits) && bits == 0))
        import_refuse(l, "import-space",
                      "a number becomes a pointer: nothing says whether to global, shared or private memory");
    return import_as_space(l, import_i32(l, v), import_result_type(l, i, 0));
}

static ir_ref cast(struct lowering *l, const struct ll_ins *i, uint32_t component)
{
    const struct ll_type *from = import_components(l->im, i->args[0]->type).at[component].type;
    const struct ll_type *to = import_components(l->im, i->type).at[component].type;
    ir_ref v = import_component(l, i->args[0], component);
    enum ir_type t = import_scalar(to);
    switch ((enum ll_op)i->op) {
    case LL_OP_trunc: return narrowed(l, v, to);
    case LL_OP_zext: return widened(l, v, from, t, false);
    case LL_OP_sext: return widened(l, v, from, t, true);
    case LL_OP_fptrunc: return import_shortened(l, to, v);
    case LL_OP_fpext: return type_of(l, v) == t ? v : op1(l, IR_fext, t, v);
    case LL_OP_fptosi:
    case LL_OP_fptoui: {
        enum ir_type whole = t == IR_TYPE_I64 ? t : IR_TYPE_I32;
        return narrowed(l, op1(l, i->op == LL_OP_fptosi ? IR_ftosi : IR_ftoui, whole, v), to);
    }
    case LL_OP_sitofp:
    case LL_OP_uitofp: {
        bool is_signed = i->op == LL_OP_sitofp;
        ir_ref whole = widened(l, v, from, from->bits > 32 ? IR_TYPE_I64 : IR_TYPE_I32, is_signed);
        return import_round(l, to, op1(l, is_signed ? IR_sitof : IR_uitof, t, whole));
    }
    case LL_OP_ptrtoint: {
        ir_ref bits = type_of(l, v) == IR_TYPE_I32 ? v : op1(l, IR_ptrcast, IR_TYPE_I32, v);
        return t == IR_TYPE_I64 ? op1(l, IR_zext, t, bits) : narrowed(l, bits, to);
    }
    case LL_OP_inttoptr: return int_to_pointer(l, i, v);
    default: return from->kind == LL_POINTER ? v : same_bits(l, v, from, to);
    }
}

/* Between vectors of other elements: through memory. */
static void reinterpret(struct lowering *l, const struct ll_ins *i)
{
    struct components from = import_components(l->im, i->args[0]->type),
                      to = import_components(l->im, i->type);
    ir_ref memory = import_alloca(l, ll_bytes(l->im->ll, i->type), 16, NULL);
    if (from.at[0].type->bits == 1 || to.at[0].type->bits == 1)
        import_refuse(l, "import-type", "a vector of truth values becomes a number");
    for (uint32_t k = 0; k < from.count; k++)
        import_store(l, from.at[k].type, memory, from.at[k].offset, 16, import_component(l, i->args[0], k));
    for (uint32_t k = 0; k < to.count; k++)
        import_define(
            l, i, k,
            import_load(l, to.at[k].type, import_scalar(to.at[k].type), memory, to.at[k].offset, 16));
}

/* ---- parts of values ----------------------------------------------------------------------------------- */

static void lower_extract(struct lowering *l, const struct ll_ins *i)
{
    const struct ll_type *t = i->args[0]->type;
    uint32_t first = 0, count = 0;
    for (uint32_t k = 0; k < i->index_count; k++) {
        first += import_part(l->im, t, i->indices[k], &count);
        t = import_part_type(t, i->indices[k]);
    }
    for (uint32_t k = 0; k < import_components(l->im, i->type).count; k++)
        import_define(l, i, k, import_component(l, i->args[0], first + k));
}

static void lower_insert(struct lowering *l, const struct ll_ins *i)
{
    const struct ll_type *t = i->type;
    uint32_t first = 0, count = import_components(l->im, i->args[1]->type).count, part;
    for (uint32_t k = 0; k < i->index_count; k++) {
        first += import_part(l->im, t, i->indices[k], &part);
        t = import_part_type(t, i->indices[k]);
    }
    for (uint32_t k = 0; k < import_components(l->im, i->type).count; k++) {
        bool inside = k >= first && k < first + count;
        import_define(l, i, k, import_component(l, i->args[inside], inside ? k - first : k));
    }
}

/* By an index that is only known as the kernel runs: compared with each. */
static ir_ref is_index(struct lowering *l, const struct ll_value *index, uint32_t k)
{
    ir_ref v = import_zero_extended(l, import_i32(l, import_value(l, index)),
                                    index->type->bits > 32 ? 32 : index->type->bits);
    return op2(l, IR_eq, IR_TYPE_I1, v, ir_const_i32(l->f, k));
}

static void lower_extract_element(struct lowering *l, const struct ll_ins *i)
{
    const struct ll_value *index = i->args[1];
    uint32_t count = import_components(l->im, i->args[0]->type).count;
    if (index->kind == LL_CONST_INT) {
        import_define(
            l, i, 0,
            import_component(l, i->args[0], index->words[0] < count ? (uint32_t)index->words[0] : 0));
        return;
    }
    ir_ref r = import_component(l, i->args[0], 0);
    for (uint32_t k = 1; k < count; k++)
        r = choose(l, is_index(l, index, k), import_component(l, i->args[0], k), r);
    import_define(l, i, 0, r);
}

static void lower_insert_element(struct lowering *l, const struct ll_ins *i)
{
    const struct ll_value *index = i->args[2];
    ir_ref v = import_value(l, i->args[1]);
    for (uint32_t k = 0; k < import_components(l->im, i->type).count; k++) {
        ir_ref old = import_component(l, i->args[0], k);
        if (index->kind == LL_CONST_INT)
            import_define(l, i, k, index->words[0] == k ? v : old);
        else
            import_define(l, i, k, choose(l, is_index(l, index, k), v, old));
    }
}

static void lower_shuffle(struct lowering *l, const struct ll_ins *i)
{
    const struct ll_value *mask = i->args[2];
    uint32_t half = import_components(l->im, i->args[0]->type).count;
    for (uint32_t k = 0; k < import_components(l->im, i->type).count; k++) {
        uint64_t from = 0;
        if (mask->kind == LL_AGGREGATE && k < mask->argc && mask->args[k]->kind == LL_CONST_INT)
            from = mask->args[k]->words[0];
        import_define(l, i, k,
                      from < half       ? import_component(l, i->args[0], (uint32_t)from)
                      : from < 2 * half ? import_component(l, i->args[1], (uint32_t)from - half)
                                        : import_component(l, i->args[0], 0));
    }
}

/* ---- control flow -------------------------------------------------------------------------------------- */

static void lower_br(struct lowering *l, const struct ll_ins *i)
{
    if (i->block_count == 1)
        ir_emit_br(&l->c, l->blocks[i->blocks[0]]);
    else
        ir_emit_brif(&l->c, import_value(l, i->args[0]), l->blocks[i->blocks[0]], l->blocks[i->blocks[1]]);
}

static void lower_switch(struct lowering *l, const struct ll_ins *i)
{
    const struct ll_type *t = i->args[0]->type;
    ir_ref v = import_value(l, i->args[0]);
    v = t->bits == 1 ? truth(l, v, false, IR_TYPE_I32) : import_zero_extended(l, v, t->bits);
    bool is_long = type_of(l, v) == IR_TYPE_I64;
    ir_emit_switch(&l->c, v, l->blocks[i->blocks[0]]);
    for (uint32_t k = 0; k < i->case_count; k++) {
        uint64_t n = i->cases[k].value->words[0];
        ir_edge_add(l->f, l->c.block, l->blocks[i->cases[k].block],
                    is_long ? (int64_t)n : (int32_t)(uint32_t)n);
    }
}

static void lower_ret(struct lowering *l, const struct ll_ins *i)
{
    struct components all = i->argc ? import_components(l->im, i->args[0]->type) : (struct components){0};
    ir_ref v = all.count == 1 ? import_value(l, i->args[0]) : 0;
    for (uint32_t k = 0; k < all.count && l->result; k++)
        import_store(l, all.at[k].type, l->result, all.at[k].offset, ll_align(l->im->ll, i->args[0]->type),
                     import_component(l, i->args[0], k));
    ir_emit_ret(&l->c, v);
}

void import_trap(struct lowering *l, const char *text, size_t n)
{
    ir_ref r = ir_emit0(&l->c, IR_trap, IR_TYPE_VOID);
    ir_at(l->f, r)->imm = ir_text_add(l->im->m, text, n);
}

static void lower_unreachable(struct lowering *l)
{
    static const char text[] = "control is where the compiler was told that it never comes (unreachable)";
    import_trap(l, text, sizeof text - 1);
}

/* ---- the whole ----------------------------------------------------------------------------------------- */

ir_ref import_compute(struct lowering *l, const struct ll_ins *i, uint32_t component)
{
    const struct ll_type *t = import_components(l->im, i->type).at[component].type;
    switch ((enum ll_op)i->op) {
    case LL_OP_fneg: return op1(l, IR_neg, import_scalar(t), import_component(l, i->args[0], component));
    case LL_OP_icmp: return compare(l, i, component);
    case LL_OP_fcmp: return compare_floats(l, i, component);
    case LL_OP_select: {
        bool each = i->args[0]->type->kind == LL_VECTOR;
        return choose(l, import_component(l, i->args[0], each ? component : 0),
                      import_component(l, i->args[1], component), import_component(l, i->args[2], component));
    }
    case LL_OP_freeze:
    case LL_OP_addrspacecast: return import_component(l, i->args[0], component);
    case LL_OP_getelementptr: return import_step(l, i->element, i->args, i->argc);
    case LL_OP_trunc:
    case LL_OP_zext:
    case LL_OP_sext:
    case LL_OP_fptrunc:
    case LL_OP_fpext:
    case LL_OP_fptoui:
    case LL_OP_fptosi:
    case LL_OP_uitofp:
    case LL_OP_sitofp:
    case LL_OP_ptrtoint:
    case LL_OP_inttoptr:
    case LL_OP_bitcast: return cast(l, i, component);
    default:
        return binary(l, (enum ll_op)i->op, t, import_component(l, i->args[0], component),
                      import_component(l, i->args[1], component));
    }
}

/* Through getelementptr and casts of constants a pointer's space may be another than its operand's. */
static void lower_pure(struct lowering *l, const struct ll_ins *i)
{
    struct components all = import_components(l->im, i->type);
    if (i->op == LL_OP_getelementptr && i->type->kind != LL_POINTER) {
        import_refuse(l, "import-type", "a vector of addresses is made at once: kernc's lanes are threads");
        return;
    }
    if (i->op == LL_OP_bitcast && import_components(l->im, i->args[0]->type).count != all.count) {
        reinterpret(l, i);
        return;
    }
    for (uint32_t k = 0; k < all.count; k++) {
        ir_ref v = import_compute(l, i, k);
        enum ir_type t = import_result_type(l, i, k);
        import_define(l, i, k, t == IR_TYPE_TOKEN ? v : import_as_space(l, v, t));
    }
}

void import_lower_ins(struct lowering *l, const struct ll_ins *i)
{
    if (l->im->several && import_lower_several(l, i))
        return;
    switch ((enum ll_op)i->op) {
    case LL_OP_phi: break; /* a block's parameters: lower_function.c */
    case LL_OP_ret: lower_ret(l, i); break;
    case LL_OP_br: lower_br(l, i); break;
    case LL_OP_switch: lower_switch(l, i); break;
    case LL_OP_unreachable: lower_unreachable(l); break;
    case LL_OP_alloca:
    case LL_OP_load:
    case LL_OP_store:
    case LL_OP_cmpxchg:
    case LL_OP_atomicrmw:
    case LL_OP_fence: import_lower_memory(l, i); break;
    case LL_OP_call: import_lower_call(l, i); break;
    case LL_OP_extractelement: lower_extract_element(l, i); break;
    case LL_OP_insertelement: lower_insert_element(l, i); break;
    case LL_OP_shufflevector: lower_shuffle(l, i); break;
    case LL_OP_extractvalue: lower_extract(l, i); break;
    case LL_OP_insertvalue: lower_insert(l, i); break;
    case LL_OP_va_arg:
        import_refuse(l, "import-call", "a function with a variable number of arguments");
        break;
    default: lower_pure(l, i); break;
    }
}
