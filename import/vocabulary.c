/* vocabulary.c: finding a function's name in vocabulary.def. */
#include "import/vocabulary.h"

enum family { FAMILY_LLVM, FAMILY_C, FAMILY_CL };

static const struct row {
    const char *name;
    uint8_t family;    /* enum family */
    uint8_t how;       /* enum builtin_how */
    uint16_t sop, uop; /* enum ir_op */
    uint16_t reg;
} rows[] = {
#define LLVM(name, how, op)     {name, FAMILY_LLVM, HOW_##how, IR_##op, IR_##op, 0},
#define C(name, how, op)        {name, FAMILY_C, HOW_##how, IR_##op, IR_##op, 0},
#define CL(name, how, sop, uop) {name, FAMILY_CL, HOW_##how, IR_##sop, IR_##uop, 0},
#define LLVM_REGISTER(name, how, special)                                                                    \
    {name, FAMILY_LLVM, HOW_##how, IR_none, IR_none, IR_SPECIAL_##special},
#define CL_REGISTER(name, how, special) {name, FAMILY_CL, HOW_##how, IR_none, IR_none, IR_SPECIAL_##special},
#include "import/vocabulary.def"
};

/* The longest row that the name begins with, up to its end or a dot. */
static const struct row *find_row(enum family family, const char *name, size_t n)
{
    for (;;) {
        for (size_t i = 0; i < COUNT(rows); i++)
            if (rows[i].family == family && strlen(rows[i].name) == n && memcmp(rows[i].name, name, n) == 0)
                return &rows[i];
        if (family != FAMILY_LLVM)
            return NULL;
        while (n && name[n - 1] != '.')
            n--;
        if (!n--)
            return NULL;
    }
}

/* `name` of C, or with the f of float's. */
static const struct row *find_c(const char *name, size_t n)
{
    const struct row *r = find_row(FAMILY_C, name, n);
    return r || n < 2 || name[n - 1] != 'f' ? r : find_row(FAMILY_C, name, n - 1);
}

/* _Z3maxDv4_jS_: the name, the letter of its first parameter behind pointers, qualifiers and vectors ("Itanium
 * C++ ABI", Mangling), and the elements of that vector. */
static const char *demangled(const char *name, size_t *n, char *letter, uint32_t *elements)
{
    const char *at = name + 2;
    *n = 0;
    while (*at >= '0' && *at <= '9' && *n < 1000)
        *n = *n * 10 + (size_t)(*at++ - '0');
    if (!*n || strlen(at) < *n)
        return NULL;
    const char *p = at + *n;
    *elements = 1;
    while (*p) {
        if (strchr("PKVR", *p)) {
            p++;
        } else if (p[0] == 'D' && p[1] == 'v') {
            *elements = (uint32_t)(p[3] >= '0' && p[3] <= '9' ? 10 * (p[2] - '0') + p[3] - '0' : p[2] - '0');
            p += strcspn(p, "_");
            p += *p == '_';
        } else if (*p == 'U') {
            size_t skip = 0;
            for (p++; *p >= '0' && *p <= '9' && skip < 1000; p++)
                skip = skip * 10 + (size_t)(*p - '0');
            p += strlen(p) < skip ? strlen(p) : skip;
        } else {
            break;
        }
    }
    *letter = *p;
    return at;
}

/* kern.shuffle.xor.i32: the longest operation that the name begins with. */
static bool find_kernc(const char *name, struct builtin *b)
{
    size_t n = strlen(name);
    if (strncmp(name, "special.", 8) == 0) {
        for (uint32_t s = 0; s < IR_SPECIALS; s++)
            if (strcmp(ir_special_info[s].text, name + 8) == 0) {
                *b = (struct builtin){.how = HOW_REGISTER, .reg = (enum ir_special)s, .is_kernc = true};
                return true;
            }
        return false;
    }
    for (;;) {
        for (uint32_t op = 0; op < IR_OPS; op++)
            if (strlen(ir_op_info[op].text) == n && memcmp(ir_op_info[op].text, name, n) == 0 &&
                op != IR_none) {
                *b = (struct builtin){.how = HOW_OP, .op = (enum ir_op)op, .is_kernc = true};
                return true;
            }
        while (n && name[n - 1] != '.')
            n--;
        if (!n--)
            return false;
    }
}

static bool find_builtin(const char *name, struct builtin *b)
{
    const struct row *r = NULL;
    char letter = 0;
    uint32_t elements = 1;
    size_t n = 0;
    if (strncmp(name, "kern.", 5) == 0)
        return find_kernc(name + 5, b);
    if (strncmp(name, "llvm.", 5) == 0) {
        r = find_row(FAMILY_LLVM, name + 5, strlen(name) - 5);
    } else if (strncmp(name, "_Z", 2) == 0) {
        const char *base = demangled(name, &n, &letter, &elements);
        if (base && strncmp(base, "convert_", 8) == 0)
            n = 8;
        r = base ? find_row(FAMILY_CL, base, n) : NULL;
        r = r || !base ? r : find_c(base, n);
    } else {
        name += strncmp(name, "__nv_", 5) == 0 ? 5 : 0;
        r = find_c(name, strlen(name));
        r = r ? r : find_row(FAMILY_CL, name, strlen(name));
    }
    if (!r)
        return false;
    uint32_t bytes = !letter || !strchr("cahstijflmxyd", letter) ? 0
                     : strchr("cah", letter)                     ? 1
                     : strchr("st", letter)                      ? 2
                     : strchr("ijf", letter)                     ? 4
                                                                 : 8;
    bool is_unsigned = letter && strchr("htjmyb", letter);
    *b = (struct builtin){.how = (enum builtin_how)r->how,
                          .op = (enum ir_op)(is_unsigned && r->uop != IR_none ? r->uop : r->sop),
                          .reg = (enum ir_special)r->reg,
                          .is_unsigned = is_unsigned,
                          .bytes = bytes * (elements == 3 ? 4 : elements)};
    return true;
}

const struct builtin *import_builtin(struct importer *im, uint32_t function)
{
    static const struct builtin none;
    const struct builtin **known = &im->builtins[function];
    struct builtin b;
    if (!*known && find_builtin(im->ll->functions.at[function].name, &b))
        *known = memcpy(arena_alloc(im->arena, sizeof b), &b, sizeof b);
    else if (!*known)
        *known = &none;
    return *known == &none ? NULL : *known;
}

uint32_t import_least_args(const struct builtin *b)
{
    switch (b->how) {
    case HOW_OP: return ir_is_pure(b->op) ? (uint32_t)ir_op_info[b->op].argc : ir_is_atomic(b->op);
    case HOW_MEMCPY:
    case HOW_MEMSET:
    case HOW_COMPARE_EXCHANGE:
    case HOW_ASYNC_COPY:
    case HOW_VSTORE:
    case HOW_CLAMP:
    case HOW_MIX:
    case HOW_SMOOTHSTEP:
    case HOW_MAD:
    case HOW_MAD_HI:
    case HOW_MAD_SAT:
    case HOW_BITSELECT:
    case HOW_SELECT:
    case HOW_FUNNEL_LEFT:
    case HOW_FUNNEL_RIGHT: return 3;
    case HOW_ATOMIC_STORE:
    case HOW_FRACT:
    case HOW_MODF:
    case HOW_SINCOS:
    case HOW_VLOAD:
    case HOW_DOT:
    case HOW_CROSS:
    case HOW_DISTANCE:
    case HOW_ADD_OVERFLOW:
    case HOW_SUB_OVERFLOW:
    case HOW_MUL_OVERFLOW:
    case HOW_ABS_DIFF:
    case HOW_ADD_SAT:
    case HOW_SUB_SAT:
    case HOW_COPYSIGN:
    case HOW_FDIM:
    case HOW_HADD:
    case HOW_RHADD:
    case HOW_LDEXP:
    case HOW_POWN:
    case HOW_RELATE:
    case HOW_RELATE_SWAPPED:
    case HOW_STEP:
    case HOW_UPSAMPLE:
    case HOW_PERMUTE:
    case HOW_FP_CLASS: return 2;
    case HOW_AXIS:
    case HOW_REGISTER:
    case HOW_GLOBAL_LINEAR:
    case HOW_LOCAL_LINEAR:
    case HOW_WORK_DIM:
    case HOW_NUM_WARPS:
    case HOW_WARP_THREADS:
    case HOW_CLOCK:
    case HOW_CONVERGE:
    case HOW_VOTE:
    case HOW_VOTE_INT:
    case HOW_SHUFFLE:
    case HOW_FENCE:
    case HOW_NOTHING:
    case HOW_TRAP:
    case HOW_PRINTF:
    case HOW_ASSERT_FAIL:
    case HOW_ZERO: return 0;
    default: return 1;
    }
}

/* ---- functions of numbers ------------------------------------------------------------------------------ */

static enum ir_type type_in(const struct element *e, ir_ref v)
{
    return (enum ir_type)ir_at(e->l->f, v)->type;
}
static ir_ref op(const struct element *e, enum ir_op o, ir_ref a, ir_ref b)
{
    return ir_emit2(&e->l->c, o, type_in(e, a), a, b);
}
static ir_ref unary(const struct element *e, enum ir_op o, ir_ref a)
{
    return ir_emit1(&e->l->c, o, type_in(e, a), a);
}
static ir_ref test(const struct element *e, enum ir_op o, ir_ref a, ir_ref b)
{
    return ir_emit2(&e->l->c, o, IR_TYPE_I1, a, b);
}
static ir_ref pick(const struct element *e, ir_ref c, ir_ref a, ir_ref b)
{
    return ir_emit3(&e->l->c, IR_select, type_in(e, a), c, a, b);
}
/* A number of the type of v. */
static ir_ref number_as(const struct element *e, ir_ref v, double n)
{
    enum ir_type t = type_in(e, v);
    return ir_const(e->l->f, t,
                    t == IR_TYPE_F32   ? scalar_bits_f32((float)n)
                    : t == IR_TYPE_F64 ? scalar_bits_f64(n)
                    : t == IR_TYPE_I64 ? (uint64_t)(int64_t)n
                                       : (uint32_t)(int32_t)n);
}
static bool is_float(const struct element *e)
{
    return e->type->kind != LL_INT;
}
static uint32_t width(const struct element *e)
{
    return is_float(e) ? (e->type->kind == LL_DOUBLE ? 64 : 32) : e->type->bits;
}

/* What OpenCL gives of a relation: 1 or 0 of scalars, -1 or 0 of vectors, in the width of the result. LLVM:
 * i1. */
static ir_ref truth(const struct element *e, ir_ref c)
{
    enum ir_type t = import_scalar(e->result);
    bool of_vector = e->l->ins->type->kind == LL_VECTOR;
    if (t == IR_TYPE_I1)
        return c;
    if (!of_vector)
        return ir_emit1(&e->l->c, IR_zext, t, c);
    return ir_emit3(&e->l->c, IR_select, t, c,
                    ir_const(e->l->f, t, t == IR_TYPE_I64 ? UINT64_MAX : UINT32_MAX),
                    ir_const(e->l->f, t, 0));
}

static ir_ref smaller(const struct element *e, ir_ref a, ir_ref b)
{
    return op(e, is_float(e) ? IR_fmin : e->builtin.op == IR_umax ? IR_umin : IR_smin, a, b);
}
static ir_ref larger(const struct element *e, ir_ref a, ir_ref b)
{
    return op(e, is_float(e) ? IR_fmax : e->builtin.op == IR_umax ? IR_umax : IR_smax, a, b);
}

/* Magnitude and sign bit of a float, as integers. */
static ir_ref bits_of(const struct element *e, ir_ref v)
{
    return ir_emit1(&e->l->c, IR_bits, width(e) == 64 ? IR_TYPE_I64 : IR_TYPE_I32, v);
}
static ir_ref sign_mask(const struct element *e)
{
    return width(e) == 64 ? ir_const(e->l->f, IR_TYPE_I64, (uint64_t)1 << 63)
                          : ir_const_i32(e->l->f, 0x80000000u);
}

static ir_ref copysign_of(const struct element *e)
{
    ir_ref magnitude = bits_of(e, unary(e, IR_abs, e->a[0]));
    ir_ref sign = op(e, IR_and, bits_of(e, e->a[1]), sign_mask(e));
    return ir_emit1(&e->l->c, IR_bits, type_in(e, e->a[0]), op(e, IR_or, magnitude, sign));
}

/* By squaring; of a constant power that is small no more than needed would be, so a call of pow does. */
static ir_ref power(const struct element *e)
{
    ir_ref n = ir_emit1(&e->l->c, IR_sitof, type_in(e, e->a[0]), import_sign_extended(e->l, e->a[1], 32));
    return op(e, IR_pow, e->a[0], n);
}

/* a * 2^n: in two steps, so that neither factor is out of range. */
static ir_ref scale(const struct element *e)
{
    int32_t most = type_in(e, e->a[0]) == IR_TYPE_F64 ? 1000 : 120;
    ir_ref n = e->a[1], r = e->a[0];
    for (int step = 0; step < 3; step++) {
        ir_ref part = op(e, IR_smax, op(e, IR_smin, n, number_as(e, n, most)), number_as(e, n, -most));
        ir_ref factor =
            ir_emit1(&e->l->c, IR_exp2, type_in(e, r), ir_emit1(&e->l->c, IR_sitof, type_in(e, r), part));
        n = op(e, IR_sub, n, part);
        r = op(e, IR_mul, r, factor);
    }
    return r;
}

static ir_ref funnel(const struct element *e, bool left)
{
    uint32_t bits = width(e);
    ir_ref high = e->a[0], low = import_zero_extended(e->l, e->a[1], bits);
    ir_ref n = op(e, IR_and, e->a[2], number_as(e, high, bits - 1)), zero = number_as(e, high, 0);
    ir_ref rest = op(e, IR_sub, number_as(e, high, bits), n);
    ir_ref h = op(e, IR_shl, high, left ? n : rest), w = op(e, IR_lshr, low, left ? rest : n);
    ir_ref both = op(e, IR_or, h, w);
    return pick(e, test(e, IR_eq, n, zero), left ? e->a[0] : e->a[1], both);
}

static ir_ref swap_bytes(const struct element *e)
{
    ir_ref v = import_zero_extended(e->l, e->a[0], width(e)), r = number_as(e, v, 0);
    for (uint32_t k = 0; k < width(e); k += 8) {
        ir_ref byte = op(e, IR_and, op(e, IR_lshr, v, number_as(e, v, k)), number_as(e, v, 255));
        r = op(e, IR_or, r, op(e, IR_shl, byte, number_as(e, v, width(e) - 8 - k)));
    }
    return r;
}

/* The largest and smallest number of the type, as bits of a register. */
static uint64_t limit(const struct element *e, bool top)
{
    uint32_t bits = width(e);
    uint64_t all = bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
    if (e->builtin.op == IR_umax)
        return top ? all : 0;
    return top ? all >> 1 : ~(all >> 1);
}

static ir_ref saturated(const struct element *e, bool subtracts)
{
    enum ir_type t = type_in(e, e->a[0]);
    bool is_unsigned = e->builtin.op == IR_umax;
    ir_ref a = e->a[0], b = e->a[1], sum = op(e, subtracts ? IR_sub : IR_add, a, b);
    ir_ref top = ir_const(e->l->f, t, t == IR_TYPE_I32 ? (uint32_t)limit(e, true) : limit(e, true));
    ir_ref bottom = ir_const(e->l->f, t, t == IR_TYPE_I32 ? (uint32_t)limit(e, false) : limit(e, false));
    if (width(e) < (t == IR_TYPE_I32 ? 32 : 64))
        return op(e, IR_smin, op(e, IR_smax, sum, bottom), top); /* the register holds the exact sum */
    if (is_unsigned)
        return subtracts ? pick(e, test(e, IR_ult, a, b), bottom, sum)
                         : pick(e, test(e, IR_ult, sum, a), top, sum);
    ir_ref changed =
        op(e, IR_and, op(e, IR_xor, a, sum), subtracts ? op(e, IR_xor, a, b) : op(e, IR_xor, b, sum));
    ir_ref overflow = test(e, IR_slt, changed, number_as(e, a, 0));
    return pick(e, overflow, pick(e, test(e, IR_slt, a, number_as(e, a, 0)), bottom, top), sum);
}

/* a * b + c, as near as the type has it: exact in 64 bits of what is narrower, else in two registers. */
static ir_ref mad_saturated(const struct element *e)
{
    struct lowering *l = e->l;
    bool is_unsigned = e->builtin.is_unsigned;
    enum ir_type t = IR_TYPE_I64;
    ir_ref a[3], top = ir_const(l->f, t, limit(e, true)), bottom = ir_const(l->f, t, limit(e, false));
    for (uint32_t k = 0; k < 3; k++)
        a[k] =
            type_in(e, e->a[k]) == t ? e->a[k] : ir_emit1(&l->c, is_unsigned ? IR_zext : IR_sext, t, e->a[k]);
    ir_ref low = op(e, IR_mul, a[0], a[1]), sum = op(e, IR_add, low, a[2]);
    if (width(e) <= 32)
        return import_i32(l, is_unsigned ? op(e, IR_umin, sum, top)
                                         : op(e, IR_smin, op(e, IR_smax, sum, bottom), top));
    ir_ref high = op(e, is_unsigned ? IR_mulhi_u : IR_mulhi_s, a[0], a[1]);
    high = op(e, IR_add, high, ir_emit1(&l->c, IR_zext, t, test(e, IR_ult, sum, low)));
    if (is_unsigned)
        return pick(e, test(e, IR_ne, high, bottom), top, sum);
    ir_ref sign = ir_const(l->f, t, 63);
    high = op(e, IR_add, high, op(e, IR_ashr, a[2], sign));
    ir_ref bound = pick(e, test(e, IR_slt, high, ir_const(l->f, t, 0)), bottom, top);
    return pick(e, test(e, IR_ne, high, op(e, IR_ashr, sum, sign)), bound, sum);
}

/* (a + b + carry) >> 1 without overflow. */
static ir_ref half_sum(const struct element *e, bool rounds)
{
    enum ir_op shift = e->builtin.op == IR_umax ? IR_lshr : IR_ashr;
    ir_ref one = number_as(e, e->a[0], 1);
    ir_ref carry = op(e, IR_and, op(e, rounds ? IR_or : IR_and, e->a[0], e->a[1]), one);
    return op(e, IR_add, op(e, IR_add, op(e, shift, e->a[0], one), op(e, shift, e->a[1], one)), carry);
}

static ir_ref step_smoothly(const struct element *e)
{
    ir_ref t = op(e, IR_div, op(e, IR_sub, e->a[2], e->a[0]), op(e, IR_sub, e->a[1], e->a[0]));
    t = op(e, IR_fmin, op(e, IR_fmax, t, number_as(e, t, 0)), number_as(e, t, 1));
    ir_ref rest = op(e, IR_sub, number_as(e, t, 3), op(e, IR_mul, number_as(e, t, 2), t));
    return op(e, IR_mul, op(e, IR_mul, t, t), rest);
}

static ir_ref sign_of(const struct element *e)
{
    ir_ref a = e->a[0], zero = number_as(e, a, 0);
    ir_ref r = pick(e, test(e, IR_lt, zero, a), number_as(e, a, 1),
                    pick(e, test(e, IR_lt, a, zero), number_as(e, a, -1), a));
    return pick(e, test(e, IR_eq, a, a), r, zero);
}

static ir_ref is_finite(const struct element *e)
{
    return test(e, IR_lt, unary(e, IR_abs, e->a[0]), number_as(e, e->a[0], __builtin_inf()));
}

/* OpenCL's select(a, b, c): b where c is true, of a vector where its upper bit is set. */
static ir_ref select_of(const struct element *e)
{
    ir_ref c = e->a[2], zero = number_as(e, c, 0);
    bool of_vector = e->l->ins->type->kind == LL_VECTOR;
    uint32_t bits = import_components(e->l->im, e->l->ins->args[2]->type).at[0].type->bits;
    ir_ref chosen = of_vector ? test(e, IR_slt, import_sign_extended(e->l, c, bits), zero)
                              : test(e, IR_ne, import_zero_extended(e->l, c, bits), zero);
    return pick(e, chosen, e->a[1], e->a[0]);
}

static ir_ref bit_select(const struct element *e)
{
    ir_ref a = e->a[0], b = e->a[1], c = e->a[2];
    if (is_float(e)) {
        a = bits_of(e, a);
        b = bits_of(e, b);
        c = bits_of(e, c);
    }
    ir_ref r = op(e, IR_xor, a, op(e, IR_and, op(e, IR_xor, a, b), c));
    return is_float(e) ? ir_emit1(&e->l->c, IR_bits, type_in(e, e->a[0]), r) : r;
}

/* LLVM's is.fpclass, of the classes that clang asks for: NaN 3, infinity 0x204, finite 0x1f8. */
static ir_ref fp_class(const struct element *e)
{
    scalar_bits mask = 0;
    ir_ref nan = ir_emit1(&e->l->c, IR_not, IR_TYPE_I1, test(e, IR_eq, e->a[0], e->a[0]));
    ir_ref inf = test(e, IR_eq, unary(e, IR_abs, e->a[0]), number_as(e, e->a[0], __builtin_inf()));
    ir_ref no = ir_const_i1(e->l->f, false), r = no;
    ir_is_const(e->l->f, e->a[1], &mask);
    if ((mask & ~(scalar_bits)0x3ff) || ((mask & 3) != 0 && (mask & 3) != 3) ||
        ((mask & 0x204) && (mask & 0x204) != 0x204) || ((mask & 0x1f8) && (mask & 0x1f8) != 0x1f8))
        import_refuse(e->l, "import-call",
                      "llvm.is.fpclass asks for the classes 0x%x: of NaN, infinite and finite "
                      "numbers kernc tells which",
                      (unsigned)mask);
    r = mask & 3 ? nan : r;
    r = mask & 0x204 ? ir_emit2(&e->l->c, IR_or, IR_TYPE_I1, r, inf) : r;
    return mask & 0x1f8 ? ir_emit2(&e->l->c, IR_or, IR_TYPE_I1, r, is_finite(e)) : r;
}

/* Rounded once: a product and a sum of halves are exact in f64 as far as their rounding asks. */
static ir_ref fused(const struct element *e)
{
    struct lowering *l = e->l;
    ir_ref a[3];
    for (uint32_t k = 0; k < 3; k++)
        a[k] = ir_emit1(&l->c, IR_fext, IR_TYPE_F64, e->a[k]);
    return import_shortened(l, e->result, ir_emit(&l->c, IR_fma, IR_TYPE_F64, 3, a));
}

/* An integer narrower than its register: extended as the operation reads it, and its result as wide as it
 * is. */
static ir_ref plain(const struct element *e)
{
    static const enum ir_op of_floats[IR_OPS] = {[IR_smax] = IR_fmax, [IR_smin] = IR_fmin};
    enum ir_op o = e->builtin.op;
    struct lowering *l = e->l;
    if (o == IR_fma && import_is_short(e->result))
        return fused(e);
    ir_ref a[4];
    uint32_t n = ir_is_pure(o) ? (uint32_t)ir_op_info[o].argc : e->n, bits = width(e);
    n = n > e->n ? e->n : n;
    bool is_narrow = !is_float(e) && bits != 32 && bits != 64 && bits != 1;
    bool is_signed = o == IR_smax || o == IR_smin || o == IR_abs || o == IR_mulhi_s || o == IR_sdiv ||
                     o == IR_srem || o == IR_ashr || o == IR_slt || o == IR_sle || o == IR_sitof;
    if (is_float(e) && of_floats[o])
        o = of_floats[o];
    for (uint32_t k = 0; k < n; k++)
        a[k] = !is_narrow  ? e->a[k]
               : is_signed ? import_sign_extended(l, e->a[k], bits)
                           : import_zero_extended(l, e->a[k], bits);
    enum ir_type t = import_scalar(e->result);
    if (is_narrow && o == IR_ctz)
        a[0] = op(e, IR_or, a[0], number_as(e, a[0], (double)((uint64_t)1 << bits)));
    if (ir_fixed_type(o) >= 0)
        t = (enum ir_type)ir_fixed_type(o);
    ir_ref r = ir_emit(&l->c, o, t, n, a);
    uint32_t above = (t == IR_TYPE_I32 ? 32 : 64) - bits;
    if (is_narrow && o == IR_clz)
        return op(e, IR_sub, r, number_as(e, r, above));
    if (is_narrow && o == IR_brev)
        return op(e, IR_lshr, r, number_as(e, r, above));
    if (is_narrow && (o == IR_mulhi_s || o == IR_mulhi_u))
        return op(e, IR_lshr, op(e, IR_mul, a[0], a[1]), number_as(e, r, bits));
    if (is_narrow && o == IR_rotl)
        return funnel(&(struct element){.l = l, .type = e->type, .n = 3, .a = {a[0], a[0], a[1]}}, true);
    return import_round(l, e->result, r);
}

static ir_ref convert(const struct element *e, enum ir_op o)
{
    enum ir_type t = import_scalar(e->result);
    uint32_t bits = e->result->bits;
    ir_ref r = ir_emit1(&e->l->c, o, t, e->a[0]);
    if (bits == 32 || bits == 64)
        return r;
    struct element of = *e;
    of.type = e->result;
    of.builtin.op = o == IR_ftosi ? IR_smax : IR_umax;
    ir_ref top = ir_const(e->l->f, t, limit(&of, true)),
           bottom = ir_const(e->l->f, t, (uint32_t)limit(&of, false));
    return o == IR_ftosi ? op(e, IR_smin, op(e, IR_smax, r, bottom), top) : op(e, IR_umin, r, top);
}

ir_ref import_element(const struct element *e)
{
    const ir_ref *a = e->a;
    switch (e->builtin.how) {
    case HOW_ABS: return e->builtin.is_unsigned ? a[0] : unary(e, IR_abs, a[0]);
    case HOW_ABS_DIFF: return op(e, IR_sub, larger(e, a[0], a[1]), smaller(e, a[0], a[1]));
    case HOW_ADD_SAT: return saturated(e, false);
    case HOW_SUB_SAT: return saturated(e, true);
    case HOW_BITSELECT: return bit_select(e);
    case HOW_BSWAP: return swap_bytes(e);
    case HOW_CLAMP: return smaller(e, larger(e, a[0], a[1]), a[2]);
    case HOW_COPYSIGN: return copysign_of(e);
    case HOW_DEGREES: return op(e, IR_mul, a[0], number_as(e, a[0], 57.295779513082320877));
    case HOW_RADIANS: return op(e, IR_mul, a[0], number_as(e, a[0], 0.017453292519943295769));
    case HOW_EXP10: return op(e, IR_pow, number_as(e, a[0], 10), a[0]);
    case HOW_FDIM:
        return pick(e, test(e, IR_le, a[0], a[1]), number_as(e, a[0], 0), op(e, IR_sub, a[0], a[1]));
    case HOW_FIRST: return a[0];
    case HOW_FP_CLASS: return fp_class(e);
    case HOW_FUNNEL_LEFT: return funnel(e, true);
    case HOW_FUNNEL_RIGHT: return funnel(e, false);
    case HOW_HADD: return half_sum(e, false);
    case HOW_RHADD: return half_sum(e, true);
    case HOW_IS_FINITE: return truth(e, is_finite(e));
    case HOW_IS_INF:
        return truth(e, test(e, IR_eq, unary(e, IR_abs, a[0]), number_as(e, a[0], __builtin_inf())));
    case HOW_IS_NORMAL: {
        ir_ref least = number_as(e, a[0], width(e) == 64 ? 0x1p-1022 : 0x1p-126);
        return truth(e, ir_emit2(&e->l->c, IR_and, IR_TYPE_I1, is_finite(e),
                                 test(e, IR_le, least, unary(e, IR_abs, a[0]))));
    }
    case HOW_LDEXP: return scale(e);
    case HOW_MAD: return op(e, IR_add, op(e, IR_mul, a[0], a[1]), a[2]);
    case HOW_MAD_HI: return op(e, IR_add, plain(e), a[2]);
    case HOW_MAD_SAT: return mad_saturated(e);
    case HOW_MIX: return op(e, IR_add, a[0], op(e, IR_mul, op(e, IR_sub, a[1], a[0]), a[2]));
    case HOW_ORDERED:
    case HOW_UNORDERED: {
        ir_ref b = e->n > 1 ? a[1] : a[0];
        ir_ref r = ir_emit2(&e->l->c, IR_and, IR_TYPE_I1, test(e, IR_eq, a[0], a[0]), test(e, IR_eq, b, b));
        return truth(e, e->builtin.how == HOW_ORDERED ? r : ir_emit1(&e->l->c, IR_not, IR_TYPE_I1, r));
    }
    case HOW_POWN: return power(e);
    case HOW_RECIP: return op(e, IR_div, number_as(e, a[0], 1), a[0]);
    case HOW_RELATE: return truth(e, test(e, e->builtin.op, a[0], a[1]));
    case HOW_RELATE_SWAPPED: return truth(e, test(e, e->builtin.op, a[1], a[0]));
    case HOW_RSQRT: return op(e, IR_div, number_as(e, a[0], 1), unary(e, IR_sqrt, a[0]));
    case HOW_SELECT: return select_of(e);
    case HOW_SIGN: return sign_of(e);
    case HOW_SIGN_BIT:
        return truth(e, test(e, IR_ne, op(e, IR_and, bits_of(e, a[0]), sign_mask(e)),
                             number_as(e, bits_of(e, a[0]), 0)));
    case HOW_SMOOTHSTEP: return step_smoothly(e);
    case HOW_STEP: return pick(e, test(e, IR_lt, a[1], a[0]), number_as(e, a[0], 0), number_as(e, a[0], 1));
    case HOW_TO_SIGNED: return convert(e, IR_ftosi);
    case HOW_TO_UNSIGNED: return convert(e, IR_ftoui);
    case HOW_UPSAMPLE: {
        enum ir_type t = import_scalar(e->result);
        ir_ref high = a[0], low = import_zero_extended(e->l, a[1], width(e));
        high = type_in(e, high) == t ? high : ir_emit1(&e->l->c, IR_zext, t, high);
        low = type_in(e, low) == t ? low : ir_emit1(&e->l->c, IR_zext, t, low);
        return op(e, IR_or, op(e, IR_shl, high, number_as(e, high, width(e))), low);
    }
    case HOW_ZERO: return ir_const(e->l->f, import_scalar(e->result), 0);
    default: return plain(e);
    }
}
