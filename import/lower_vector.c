/* lower_vector.c: functions that look at a vector as a whole, move it, change its elements' type, or give a
 * structure. Most are OpenCL's ("The OpenCL C Specification", Geometric Functions, Vector Data Load and Store
 * Functions, Conversions).
 */
#include "import/vocabulary.h"

static ir_ref float_op(struct lowering *l, enum ir_op op, ir_ref a, ir_ref b)
{
    return op2(l, op, type_of(l, a), a, b);
}

static ir_ref dot(struct lowering *l, const u32_vec *a, const u32_vec *b)
{
    ir_ref sum = float_op(l, IR_mul, a->at[0], b->at[0]);
    for (uint32_t k = 1; k < a->count; k++)
        sum = float_op(l, IR_add, sum, float_op(l, IR_mul, a->at[k], b->at[k]));
    return sum;
}

static u32_vec elements(struct lowering *l, const struct ll_value *v)
{
    u32_vec all = {0};
    for (uint32_t k = 0; k < import_components(l->im, v->type).count; k++)
        vec_push(l->im->arena, &all, import_component(l, v, k));
    return all;
}

void import_geometric(struct lowering *l, const struct ll_ins *i, enum builtin_how how)
{
    u32_vec a = elements(l, i->args[0]), b = i->argc > 1 ? elements(l, i->args[1]) : a;
    enum ir_type t = type_of(l, a.at[0]);
    if (how == HOW_CROSS) {
        for (uint32_t k = 0; k < a.count; k++) {
            uint32_t y = (k + 1) % 3, z = (k + 2) % 3;
            ir_ref r = k == 3 ? ir_const(l->f, t, 0)
                              : float_op(l, IR_sub, float_op(l, IR_mul, a.at[y], b.at[z]),
                                         float_op(l, IR_mul, a.at[z], b.at[y]));
            import_give(l, i, k, r);
        }
        return;
    }
    for (uint32_t k = 0; how == HOW_DISTANCE && k < a.count; k++)
        a.at[k] = b.at[k] = float_op(l, IR_sub, a.at[k], b.at[k]);
    ir_ref product = dot(l, &a, &b);
    if (how == HOW_DOT) {
        import_give(l, i, 0, product);
        return;
    }
    ir_ref length = ir_emit1(&l->c, IR_sqrt, t, product);
    if (how != HOW_NORMALIZE) {
        import_give(l, i, 0, length);
        return;
    }
    ir_ref is_zero = op2(l, IR_eq, IR_TYPE_I1, length, ir_const(l->f, t, 0));
    for (uint32_t k = 0; k < a.count; k++)
        import_give(l, i, k,
                    ir_emit3(&l->c, IR_select, t, is_zero, a.at[k], float_op(l, IR_div, a.at[k], length)));
}

/* OpenCL's any and all: of the elements' upper bits. */
void import_any_all(struct lowering *l, const struct ll_ins *i, bool all_of_them)
{
    struct components in = import_components(l->im, i->args[0]->type);
    ir_ref r = 0;
    for (uint32_t k = 0; k < in.count; k++) {
        ir_ref v = import_sign_extended(l, import_component(l, i->args[0], k), in.at[k].type->bits);
        ir_ref set = op2(l, IR_slt, IR_TYPE_I1, v, ir_const(l->f, type_of(l, v), 0));
        r = !r ? set : op2(l, all_of_them ? IR_and : IR_or, IR_TYPE_I1, r, set);
    }
    import_give(l, i, 0, r);
}

/* OpenCL's shuffle and shuffle2: the elements of one or two vectors that the mask, which comes last, names.
 * Of a number in it as many bits count as there are elements. */
void import_permute(struct lowering *l, const struct ll_ins *i)
{
    const struct ll_value *mask = i->args[i->argc - 1];
    u32_vec from = elements(l, i->args[0]), names = elements(l, mask);
    u32_vec second = i->argc > 2 ? elements(l, i->args[1]) : (u32_vec){0};
    for (uint32_t k = 0; k < second.count; k++)
        vec_push(l->im->arena, &from, second.at[k]);
    for (uint32_t k = 0; k < names.count && k < import_components(l->im, i->type).count; k++) {
        enum ir_type t = type_of(l, names.at[k]);
        ir_ref n = op2(l, IR_and, t, names.at[k], number(l, t, from.count - 1)), r = from.at[0];
        for (uint32_t e = 1; e < from.count; e++)
            r = choose(l, op2(l, IR_eq, IR_TYPE_I1, n, number(l, t, e)), from.at[e], r);
        import_give(l, i, k, r);
    }
}

/* ---- of LLVM ------------------------------------------------------------------------------------------- */

static ir_ref extended(struct lowering *l, ir_ref v, uint32_t bits, bool is_unsigned)
{
    return is_unsigned ? import_zero_extended(l, v, bits) : import_sign_extended(l, v, bits);
}

/* Whether the exact result is another than `r`, that of a register: what is lost is in the upper half of the
 * product, or seen by the signs. */
static ir_ref overflows(struct lowering *l, enum builtin_how how, bool is_unsigned, ir_ref a, ir_ref b,
                        ir_ref r)
{
    enum ir_type t = type_of(l, r);
    ir_ref zero = ir_const(l->f, t, 0);
    if (how == HOW_MUL_OVERFLOW) {
        ir_ref high = op2(l, is_unsigned ? IR_mulhi_u : IR_mulhi_s, t, a, b);
        ir_ref sign = ir_const(l->f, t, t == IR_TYPE_I64 ? 63 : 31);
        return op2(l, IR_ne, IR_TYPE_I1, high, is_unsigned ? zero : op2(l, IR_ashr, t, r, sign));
    }
    if (is_unsigned)
        return how == HOW_ADD_OVERFLOW ? op2(l, IR_ult, IR_TYPE_I1, r, a) : op2(l, IR_ult, IR_TYPE_I1, a, b);
    ir_ref changed = op2(l, IR_xor, t, a, r);
    ir_ref differs = op2(l, IR_xor, t, b, how == HOW_ADD_OVERFLOW ? r : a);
    return op2(l, IR_slt, IR_TYPE_I1, op2(l, IR_and, t, changed, differs), zero);
}

/* llvm.sadd.with.overflow and the like: the results, then whether they are not exact. */
void import_overflow(struct lowering *l, const struct ll_ins *i, const struct builtin *builtin)
{
    enum ir_op op = builtin->how == HOW_ADD_OVERFLOW   ? IR_add
                    : builtin->how == HOW_SUB_OVERFLOW ? IR_sub
                                                       : IR_mul;
    struct components in = import_components(l->im, i->args[0]->type);
    bool is_unsigned = builtin->op == IR_umax;
    for (uint32_t k = 0; k < in.count && 2 * in.count == import_components(l->im, i->type).count; k++) {
        uint32_t bits = in.at[k].type->bits;
        if (bits == 1) {
            import_refuse(l, "import-call", "an overflow of i1");
            return;
        }
        ir_ref a = extended(l, import_component(l, i->args[0], k), bits, is_unsigned);
        ir_ref b = extended(l, import_component(l, i->args[1], k), bits, is_unsigned);
        ir_ref r = op2(l, op, type_of(l, a), a, b), lost = overflows(l, builtin->how, is_unsigned, a, b, r);
        ir_ref cut = op2(l, IR_ne, IR_TYPE_I1, extended(l, r, bits, is_unsigned), r);
        import_give(l, i, k, r);
        import_give(l, i, in.count + k, op2(l, IR_or, IR_TYPE_I1, lost, cut));
    }
}

static enum ir_op of_truth(enum ir_op op)
{
    switch (op) {
    case IR_add: return IR_xor;
    case IR_umax:
    case IR_smin: return IR_or;
    case IR_mul:
    case IR_umin:
    case IR_smax: return IR_and;
    default: return op;
    }
}

/* llvm.vector.reduce.add and the like, in the order of the elements; fadd and fmul have a first number. */
void import_reduce(struct lowering *l, const struct ll_ins *i, const struct builtin *builtin)
{
    const struct ll_value *v = i->args[i->argc - 1];
    struct components all = import_components(l->im, v->type);
    ir_ref r = i->argc > 1 ? import_value(l, i->args[0]) : 0;
    for (uint32_t k = 0; k < all.count; k++) {
        const struct ll_type *t = all.at[k].type;
        ir_ref x = import_component(l, v, k);
        if (t->kind == LL_INT)
            x = extended(l, x, t->bits, builtin->op != IR_smax && builtin->op != IR_smin);
        enum ir_op op = type_of(l, x) == IR_TYPE_I1 ? of_truth(builtin->op) : builtin->op;
        r = r ? import_round(l, t, op2(l, op, type_of(l, x), r, x)) : x;
    }
    import_give(l, i, 0, r);
}

/* ---- in memory ----------------------------------------------------------------------------------------- */

/* p[offset * n .. + n): aligned as its elements are. vload_half: of halves, which memory holds as such. */
static ir_ref element_address(struct lowering *l, const struct ll_value *p, const struct ll_value *offset,
                              uint64_t bytes)
{
    ir_ref n = import_i32(l, import_value(l, offset)), address = import_value(l, p);
    ir_ref at = op2(l, IR_mul, IR_TYPE_I32, n, ir_const_i32(l->f, (uint32_t)bytes));
    return op2(l, IR_ptradd, type_of(l, address), address, at);
}

static const struct ll_type *memory_type(const struct importer *im, const struct ll_ins *i,
                                         const struct ll_type *t)
{
    static const struct ll_type half = {.kind = LL_HALF, .bits = 16};
    return strstr(im->ll->functions.at[i->callee->number].name, "_half") ? &half : t;
}

void import_vload(struct lowering *l, const struct ll_ins *i)
{
    struct components all = import_components(l->im, i->type);
    const struct ll_type *t = memory_type(l->im, i, all.at[0].type);
    uint64_t bytes = ll_bytes(l->im->ll, t);
    ir_ref address = element_address(l, i->args[1], i->args[0], bytes * all.count);
    for (uint32_t k = 0; k < all.count; k++)
        import_give(l, i, k, import_load(l, t, import_scalar(t), address, k * bytes, (uint32_t)bytes));
}

void import_vstore(struct lowering *l, const struct ll_ins *i)
{
    struct components all = import_components(l->im, i->args[0]->type);
    const struct ll_type *t = memory_type(l->im, i, all.at[0].type);
    uint64_t bytes = ll_bytes(l->im->ll, t);
    ir_ref address = element_address(l, i->args[2], i->args[1], bytes * all.count);
    for (uint32_t k = 0; k < all.count; k++) {
        ir_ref v = import_component(l, i->args[0], k);
        v = t != all.at[k].type ? import_shortened(l, t, v) : v;
        import_store(l, t, address, k * bytes, (uint32_t)bytes, v);
    }
}

/* fract, modf and sincos: the second result goes through a pointer. */
void import_second_result(struct lowering *l, const struct ll_ins *i, enum builtin_how how)
{
    struct components all = import_components(l->im, i->type);
    ir_ref address = import_value(l, i->args[1]);
    for (uint32_t k = 0; k < all.count; k++) {
        ir_ref x = import_component(l, i->args[0], k), first, second;
        enum ir_type t = type_of(l, x);
        enum ir_op other = how == HOW_SINCOS ? IR_cos : how == HOW_MODF ? IR_truncf : IR_floor;
        second = ir_emit1(&l->c, other, t, x);
        if (how == HOW_SINCOS) {
            first = ir_emit1(&l->c, IR_sin, t, x);
        } else { /* infinity minus infinity is 0 here; below 1, although x - floor(x) may round to it */
            ir_ref below = ir_const(l->f, t, t == IR_TYPE_F32 ? 0x3f7fffff : 0x3fefffffffffffff);
            ir_ref whole = op2(l, IR_eq, IR_TYPE_I1, x, second), part = op2(l, IR_sub, t, x, second);
            part = ir_emit3(&l->c, IR_select, t, op2(l, IR_lt, IR_TYPE_I1, below, part), below, part);
            first = ir_emit3(&l->c, IR_select, t, whole, ir_const(l->f, t, 0), part);
        }
        import_store(l, all.at[k].type, address, all.at[k].offset, ll_align(l->im->ll, i->type), second);
        import_give(l, i, k, first);
    }
}

/* The threads of the block copy an element each in turn: for (n = thread; n < count; n += threads). A strided
 * copy has another number behind the count: from global memory (then `to` is shared), or to it. */
void import_async_copy(struct lowering *l, const struct ll_ins *i, const struct builtin *builtin)
{
    ir_ref to = import_value(l, i->args[0]), from = import_value(l, i->args[1]);
    ir_ref count = import_i32(l, import_value(l, i->args[2])), bytes = ir_const_i32(l->f, builtin->bytes);
    ir_ref stride =
        i->argc > 4 ? op2(l, IR_mul, IR_TYPE_I32, import_i32(l, import_value(l, i->args[3])), bytes) : bytes;
    bool gathers = type_of(l, to) == IR_TYPE_SHARED;
    ir_ref first = import_local_linear(l), threads = import_block_size(l);
    if (!builtin->bytes)
        import_refuse(l, "import-call", "an async copy of elements whose size its name does not say");
    struct count_loop loop = import_begin_loop(l, first, count);
    ir_ref a = op2(l, IR_mul, IR_TYPE_I32, loop.n, gathers ? bytes : stride);
    ir_ref b = op2(l, IR_mul, IR_TYPE_I32, loop.n, gathers ? stride : bytes);
    ir_ref copy = op2(l, IR_memcpy, IR_TYPE_VOID, op2(l, IR_ptradd, type_of(l, to), to, a),
                      op2(l, IR_ptradd, type_of(l, from), from, b));
    ir_at(l->f, copy)->imm = builtin->bytes ? builtin->bytes : 1;
    import_end_loop(l, &loop, threads);
    import_give(l, i, 0, ir_const_i32(l->f, 0));
}

/* ---- conversions --------------------------------------------------------------------------------------- */

static ir_ref rounded(struct lowering *l, const char *name, ir_ref v)
{
    static const struct {
        const char *suffix;
        enum ir_op op;
    } rows[] = {{"_rte", IR_rint}, {"_rtp", IR_ceil}, {"_rtn", IR_floor}};
    for (size_t k = 0; k < COUNT(rows); k++)
        if (strstr(name, rows[k].suffix))
            return ir_emit1(&l->c, rows[k].op, type_of(l, v), v);
    return v;
}

/* ---- rounding of floats in a direction */

/* The exact number minus its nearest float r, as an f64 of the right sign. An integer of 64 bits is the sum of
 * its halves `high` + `low`, of which `sum` is rounded: low - (sum - high) is what that lost (Fast2Sum). */
static ir_ref rest_of(struct lowering *l, ir_ref v, bool is_unsigned, ir_ref r)
{
    enum ir_type d = IR_TYPE_F64, from = type_of(l, v);
    ir_ref nearest = type_of(l, r) == d ? r : op1(l, IR_fext, d, r);
    enum ir_op signed_or_not = is_unsigned ? IR_uitof : IR_sitof;
    if (from != IR_TYPE_I64)
        return op2(l, IR_sub, d, from == d ? v : op1(l, signed_or_not, d, v), nearest);
    ir_ref top = op2(l, is_unsigned ? IR_lshr : IR_ashr, from, v, number(l, from, 32));
    ir_ref high =
        op2(l, IR_mul, d, op1(l, signed_or_not, d, top), ir_const(l->f, d, scalar_bits_f64(4294967296.0)));
    ir_ref low = op1(l, IR_uitof, d, import_i32(l, v)), sum = op2(l, IR_add, d, high, low);
    ir_ref lost = op2(l, IR_sub, d, low, op2(l, IR_sub, d, sum, high));
    return op2(l, IR_add, d, op2(l, IR_sub, d, sum, nearest), lost);
}

/* The nearest float r of v, rounded upwards (_rtp), downwards (_rtn) or towards 0 (_rtz) instead, as the name
 * says: r, or the float next to it. */
static ir_ref directed(struct lowering *l, const char *name, ir_ref v, bool is_unsigned, ir_ref r)
{
    enum ir_type t = type_of(l, r), bits = t == IR_TYPE_F64 ? IR_TYPE_I64 : IR_TYPE_I32;
    bool up = strstr(name, "_rtp"), down = strstr(name, "_rtn"), to_zero = strstr(name, "_rtz");
    if (!up && !down && !to_zero)
        return r;
    ir_ref rest = rest_of(l, v, is_unsigned, r), zero = ir_const(l->f, IR_TYPE_F64, 0);
    ir_ref above = op2(l, IR_lt, IR_TYPE_I1, zero, rest), below = op2(l, IR_lt, IR_TYPE_I1, rest, zero);
    ir_ref old = op1(l, IR_bits, bits, r), one = number(l, bits, 1);
    ir_ref is_negative = op2(l, IR_slt, IR_TYPE_I1, old, number(l, bits, 0));
    ir_ref larger = op2(l, IR_add, bits, old, one), smaller = op2(l, IR_sub, bits, old, one), moved;
    if (up)
        moved = choose(l, above, choose(l, is_negative, smaller, larger), old);
    else if (down)
        moved = choose(l, below, choose(l, is_negative, larger, smaller), old);
    else
        moved = choose(l, choose(l, is_negative, above, below), smaller, old);
    return op1(l, IR_bits, t, moved);
}

/* An integer in [bottom, top] of a type of that width; both are in the range of t. */
static ir_ref clamped(struct lowering *l, ir_ref v, bool from_unsigned, uint32_t bits, bool to_unsigned)
{
    enum ir_type t = type_of(l, v);
    uint32_t own = t == IR_TYPE_I64 ? 64 : 32;
    uint64_t all = bits >= 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1, top = to_unsigned ? all : all >> 1;
    uint64_t bottom = to_unsigned ? 0 : ~top, mask = own == 64 ? UINT64_MAX : UINT32_MAX;
    if (from_unsigned)
        return bits > own || (bits == own && to_unsigned)
                   ? v
                   : op2(l, IR_umin, t, v, ir_const(l->f, t, top & mask));
    if (bits < own || (bits == own && to_unsigned))
        v = op2(l, IR_smax, t, v, ir_const(l->f, t, bottom & mask));
    return bits < own ? op2(l, IR_smin, t, v, ir_const(l->f, t, top)) : v;
}

/* convert_uchar4_sat_rte: what the name says, from signed or unsigned numbers as its parameter is mangled. */
void import_convert(struct lowering *l, const struct ll_ins *i, const struct builtin *builtin)
{
    const char *name = strstr(l->im->ll->functions.at[i->callee->number].name, "convert_") + 8;
    bool to_unsigned = *name == 'u', saturates = strstr(name, "_sat") != NULL;
    struct components in = import_components(l->im, i->args[0]->type),
                      out = import_components(l->im, i->type);
    for (uint32_t k = 0; k < out.count && k < in.count; k++) {
        const struct ll_type *from = in.at[k].type, *to = out.at[k].type;
        ir_ref v = import_component(l, i->args[0], k);
        enum ir_type t = import_scalar(to), whole = t == IR_TYPE_I64 ? t : IR_TYPE_I32;
        bool is_float = from->kind != LL_INT;
        if (to->kind == LL_INT && is_float) {
            v = ir_emit1(&l->c, to_unsigned ? IR_ftoui : IR_ftosi, whole, rounded(l, name, v));
            v = saturates ? clamped(l, v, to_unsigned, to->bits, to_unsigned) : v;
        } else if (to->kind == LL_INT) {
            v = builtin->is_unsigned ? import_zero_extended(l, v, from->bits)
                                     : import_sign_extended(l, v, from->bits);
            if (type_of(l, v) != IR_TYPE_I64 && whole == IR_TYPE_I64)
                v = ir_emit1(&l->c, builtin->is_unsigned ? IR_zext : IR_sext, whole, v);
            v = saturates ? clamped(l, v, builtin->is_unsigned, to->bits, to_unsigned) : v;
            v = whole == IR_TYPE_I32 ? import_i32(l, v) : v;
        } else if (import_is_short(to) && strstr(name, "_rt") && !strstr(name, "_rte")) {
            import_refuse(l, "import-call", "'convert_%s': a half is rounded to the nearest (_rte)", name);
            return;
        } else if (!is_float) {
            v = builtin->is_unsigned ? import_zero_extended(l, v, from->bits)
                                     : import_sign_extended(l, v, from->bits);
            ir_ref r = import_round(l, to, ir_emit1(&l->c, builtin->is_unsigned ? IR_uitof : IR_sitof, t, v));
            v = directed(l, name, v, builtin->is_unsigned, r);
        } else if (t == IR_TYPE_F64) {
            v = type_of(l, v) != t ? ir_emit1(&l->c, IR_fext, t, v) : v;
        } else {
            ir_ref r = import_shortened(l, to, v);
            v = type_of(l, v) == IR_TYPE_F64 ? directed(l, name, v, false, r) : r;
        }
        import_give(l, i, k, v);
    }
}
