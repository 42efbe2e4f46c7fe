/* Every case of scalar.def at edge values and random bits, against a second reading of the table's
 * meanings: integers in 128 bits, floats in long double or with the host's libm.
 */
#include "base/scalar.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

typedef __int128 s128;
typedef unsigned __int128 u128;

static const unsigned width[SCALAR_TYPES] = {1, 32, 64, 32, 64};

static bool is_float(unsigned type)
{
    return type == SCALAR_F || type == SCALAR_D;
}

static scalar_bits mask_of(unsigned type)
{
    return UINT64_MAX >> (64 - width[type]);
}

/* ---- integers ------------------------------------------------------------------------------------ */

static s128 with_sign(scalar_bits x, unsigned bits)
{
    s128 value = (s128)(x & UINT64_MAX >> (64 - bits));
    return value >> (bits - 1) & 1 ? value - ((s128)1 << bits) : value;
}

static scalar_bits reversed(scalar_bits x, unsigned bits)
{
    scalar_bits r = 0;
    for (unsigned i = 0; i < bits; i++)
        r |= (x >> i & 1) << (bits - 1 - i);
    return r;
}

static unsigned ones(scalar_bits x)
{
    unsigned n = 0;
    for (; x; x >>= 1)
        n += x & 1;
    return n;
}

static unsigned zeros_below(scalar_bits x, unsigned bits)
{
    unsigned n = 0;
    while (n < bits && !(x >> n & 1))
        n++;
    return n;
}

static scalar_bits float_bits(unsigned type, long double x)
{
    return type == SCALAR_F ? scalar_bits_f32((float)x) : scalar_bits_f64((double)x);
}

static long double value_of(unsigned type, scalar_bits x)
{
    return type == SCALAR_F ? (long double)scalar_from_f32((uint32_t)x) : (long double)scalar_from_f64(x);
}

static s128 integer_result(const struct scalar_case_info *c, scalar_bits a, scalar_bits b)
{
    unsigned w = width[c->argument[0]], n = (unsigned)(b & (w - 1));
    u128 u = a, v = b;
    s128 s = with_sign(a, w), t = with_sign(b, w);
    switch ((enum scalar_op)c->op) {
    case SCALAR_OP_add: return s + t;
    case SCALAR_OP_sub: return s - t;
    case SCALAR_OP_mul: return (s128)(u * v);
    case SCALAR_OP_sdiv: return t ? s / t : -1;
    case SCALAR_OP_udiv: return v ? (s128)(u / v) : -1;
    case SCALAR_OP_srem: return t ? s % t : s;
    case SCALAR_OP_urem: return v ? (s128)(u % v) : (s128)u;
    case SCALAR_OP_mulhi_s: return s * t >> w;
    case SCALAR_OP_mulhi_u: return (s128)(u * v >> w);
    case SCALAR_OP_and: return (s128)(u & v);
    case SCALAR_OP_or: return (s128)(u | v);
    case SCALAR_OP_xor: return (s128)(u ^ v);
    case SCALAR_OP_not: return -1 - s;
    case SCALAR_OP_shl: return (s128)(u << n);
    case SCALAR_OP_lshr: return (s128)(u >> n);
    case SCALAR_OP_ashr: return s >> n;
    case SCALAR_OP_rotl: return (s128)((u << n) | (u >> (w - n)));
    case SCALAR_OP_neg: return -s;
    case SCALAR_OP_abs: return s < 0 ? -s : s;
    case SCALAR_OP_smin: return s < t ? s : t;
    case SCALAR_OP_smax: return s > t ? s : t;
    case SCALAR_OP_umin: return (s128)(u < v ? u : v);
    case SCALAR_OP_umax: return (s128)(u > v ? u : v);
    case SCALAR_OP_popcount: return ones(a);
    case SCALAR_OP_clz: return zeros_below(reversed(a, w), w);
    case SCALAR_OP_ctz: return zeros_below(a, w);
    case SCALAR_OP_brev: return (s128)reversed(a, w);
    case SCALAR_OP_eq: return s == t;
    case SCALAR_OP_ne: return s != t;
    case SCALAR_OP_slt: return s < t;
    case SCALAR_OP_sle: return s <= t;
    case SCALAR_OP_ult: return u < v;
    case SCALAR_OP_ule: return u <= v;
    case SCALAR_OP_sext8: return with_sign(a, 8);
    case SCALAR_OP_sext16: return with_sign(a, 16);
    case SCALAR_OP_zext8: return (s128)(u % 256);
    case SCALAR_OP_zext16: return (s128)(u % 65536);
    case SCALAR_OP_sext: return s;
    case SCALAR_OP_zext: return (s128)u;
    case SCALAR_OP_trunc: return (s128)u;
    case SCALAR_OP_sitof: return (s128)float_bits(c->result, (long double)s);
    case SCALAR_OP_uitof: return (s128)float_bits(c->result, (long double)u);
    case SCALAR_OP_bits: return float_bits(c->result, value_of(c->result, a));
    default: fail_msg("no reference for %s", c->name);
    }
    return 0;
}

/* ---- floats -------------------------------------------------------------------------------------- */

static scalar_bits clamped(long double x, long double low, long double high)
{
    x = truncl(x);
    return isnan(x)   ? 0
           : x < low  ? (scalar_bits)(int64_t)low
           : x > high ? (scalar_bits)high
           : x < 0    ? (scalar_bits)(int64_t)x
                      : (scalar_bits)x;
}

static long double lesser(long double a, long double b)
{
    return isnan(a) || (b < a) || (a == b && signbit(b)) ? (isnan(b) ? a : b) : a;
}

/* Rounded once to the type. Long double's 64 bits are more than twice float's, so that rounding from it a
 * second time is harmless; for double the host's own operations are asked. */
static scalar_bits arithmetic(unsigned op, unsigned type, scalar_bits a, scalar_bits b)
{
    long double x = value_of(type, a), y = value_of(type, b);
    double p = (double)x, q = (double)y;
    switch (op) {
    case SCALAR_OP_add: return type == SCALAR_F ? float_bits(type, x + y) : scalar_bits_f64(p + q);
    case SCALAR_OP_sub: return type == SCALAR_F ? float_bits(type, x - y) : scalar_bits_f64(p - q);
    case SCALAR_OP_mul: return type == SCALAR_F ? float_bits(type, x * y) : scalar_bits_f64(p * q);
    case SCALAR_OP_div: return type == SCALAR_F ? float_bits(type, x / y) : scalar_bits_f64(p / q);
    default: return type == SCALAR_F ? float_bits(type, sqrtl(x)) : scalar_bits_f64(sqrt(p));
    }
}

static scalar_bits float_result(const struct scalar_case_info *c, const scalar_bits args[])
{
    scalar_bits a = args[0], b = args[1], d = args[2];
    unsigned type = c->argument[0], w = width[c->result];
    long double x = value_of(type, a), y = value_of(type, b);
    switch ((enum scalar_op)c->op) {
    case SCALAR_OP_add:
    case SCALAR_OP_sub:
    case SCALAR_OP_mul:
    case SCALAR_OP_div:
    case SCALAR_OP_sqrt: return arithmetic(c->op, type, a, b);
    case SCALAR_OP_neg: return float_bits(type, -x);
    case SCALAR_OP_abs: return float_bits(type, fabsl(x));
    case SCALAR_OP_eq: return x == y;
    case SCALAR_OP_ne: return x != y;
    case SCALAR_OP_lt: return x < y;
    case SCALAR_OP_le: return x <= y;
    case SCALAR_OP_ftosi: return clamped(x, -ldexpl(1, (int)w - 1), ldexpl(1, (int)w - 1) - 1);
    case SCALAR_OP_ftoui: return clamped(x, 0, ldexpl(1, (int)w) - 1);
    case SCALAR_OP_fext:
    case SCALAR_OP_ftrunc: return float_bits(c->result, x);
    case SCALAR_OP_bits: return isnan(x) ? (w == 32 ? SCALAR_NAN_F32 : SCALAR_NAN_F64) : a;
    case SCALAR_OP_fma:
        return type == SCALAR_F ? scalar_bits_f32(fmaf((float)x, (float)y, (float)value_of(type, d)))
                                : scalar_bits_f64(fma((double)x, (double)y, (double)value_of(type, d)));
    case SCALAR_OP_muladd: return arithmetic(SCALAR_OP_add, type, arithmetic(SCALAR_OP_mul, type, a, b), d);
    case SCALAR_OP_mulsub: return arithmetic(SCALAR_OP_sub, type, arithmetic(SCALAR_OP_mul, type, a, b), d);
    case SCALAR_OP_submul: return arithmetic(SCALAR_OP_sub, type, d, arithmetic(SCALAR_OP_mul, type, a, b));
    case SCALAR_OP_dot2:
        return arithmetic(SCALAR_OP_add, type, arithmetic(SCALAR_OP_mul, type, a, b),
                          arithmetic(SCALAR_OP_mul, type, d, args[3]));
    case SCALAR_OP_cross2:
        return arithmetic(SCALAR_OP_sub, type, arithmetic(SCALAR_OP_mul, type, a, b),
                          arithmetic(SCALAR_OP_mul, type, d, args[3]));
    case SCALAR_OP_fmin: return float_bits(type, lesser(x, y));
    case SCALAR_OP_fmax: return float_bits(type, -lesser(-x, -y));
    case SCALAR_OP_copysign: return float_bits(type, copysignl(x, y == y ? y : 1));
    case SCALAR_OP_floor: return float_bits(type, floorl(x));
    case SCALAR_OP_ceil: return float_bits(type, ceill(x));
    case SCALAR_OP_truncf: return float_bits(type, truncl(x));
    case SCALAR_OP_rint: return float_bits(type, rintl(x));
    case SCALAR_OP_round: return float_bits(type, roundl(x));
    case SCALAR_OP_fmod: return float_bits(type, fmodl(x, y));
    default: fail_msg("no reference for %s", c->name);
    }
    return 0;
}

static scalar_bits expected(const struct scalar_case_info *c, const scalar_bits args[])
{
    if (c->op == SCALAR_OP_select) {
        scalar_bits chosen = args[0] ? args[1] : args[2];
        return is_float(c->result) ? float_bits(c->result, value_of(c->result, chosen)) : chosen;
    }
    if (is_float(c->argument[0]))
        return float_result(c, args) & mask_of(c->result);
    return (scalar_bits)integer_result(c, args[0], args[1]) & mask_of(c->result);
}

/* ---- arguments ----------------------------------------------------------------------------------- */

static const scalar_bits integers[] = {
    0,
    1,
    2,
    7,
    31,
    32,
    33,
    63,
    64,
    127,
    128,
    255,
    32767,
    32768,
    65535,
    0x55555555,
    0x7fffffff,
    0x80000000,
    0x80000001,
    0xfffffffe,
    0xffffffff,
    0x100000000,
    0x7fffff8000000000,
    0x7fffffffffffffff,
    0x8000000000000000,
    0x8000000000000001,
    0x123456789abcdef0,
    0xfffffffffffffffe,
    0xffffffffffffffff,
};

static const double floats[] = {
    0,
    0x1p-149,
    0x1p-126,
    0x1p-1074,
    0x1p-1022,
    0x1.fffffffffffffp-2,
    0x1.fffffep-2,
    0.5,
    0x1.000002p-1,
    0.75,
    1,
    0x1.000002p0,
    1.5,
    2,
    2.5,
    3,
    3.5,
    0x1p22,
    0x1.000002p22,
    0x1.fffffep22,
    0x1p23,
    0x1.000002p23,
    0x1.fffffep23,
    0x1p24,
    0x1.fffffep30,
    0x1.fffffffcp30,
    2147483646.5,
    2147483647.5,
    0x1p31,
    2147483648.5,
    2147483649.0,
    0x1.fffffep31,
    4294967294.5,
    4294967295.5,
    0x1p32,
    0x1p51,
    0x1.0000000000001p51,
    0x1.fffffffffffffp51,
    0x1p52,
    0x1.0000000000001p52,
    0x1p53,
    0x1.fffffffffffffp62,
    0x1.fffffep62,
    0x1p63,
    0x1.fffffffffffffp63,
    0x1p64,
    0x1.fffffep127,
    0x1p128,
    0x1.fffffffffffffp1023,
    HUGE_VAL,
    NAN,
};

static uint64_t state = 1;

static uint64_t random_bits(void)
{
    state += 0x9e3779b97f4a7c15u;
    return hash_mix(state, 0);
}

/* The number of edge values of a type, then random ones for ever. */
static unsigned edges(unsigned type)
{
    return type == SCALAR_B ? 2 : is_float(type) ? 2 * COUNT(floats) : COUNT(integers);
}

static scalar_bits edge(unsigned type, unsigned i)
{
    if (type == SCALAR_B)
        return i & 1;
    if (!is_float(type))
        return integers[i] & mask_of(type);
    double x = i & 1 ? -floats[i / 2] : floats[i / 2];
    return type == SCALAR_F ? scalar_raw_f32((float)x) : scalar_raw_f64(x);
}

/* Half of the random floats have exponents near 0, so that they meet. */
static scalar_bits random_of(unsigned type)
{
    scalar_bits x = random_bits();
    if (type == SCALAR_F && x >> 63)
        x = (x & 0x807fffff) | (uint64_t)(115 + random_bits() % 26) << 23;
    if (type == SCALAR_D && random_bits() & 1)
        x = (x & 0x800fffffffffffff) | (uint64_t)(1023 - 30 + random_bits() % 60) << 52;
    return x & mask_of(type);
}

static void check(enum scalar_case which, const scalar_bits args[SCALAR_MAX_ARGS])
{
    const struct scalar_case_info *c = &scalar_case_info[which];
    scalar_bits wanted = expected(c, args), got = scalar_evaluate(which, args);
    if (wanted != got)
        fail_msg("%s(%#llx, %#llx, %#llx, %#llx) is %#llx instead of %#llx", c->name, (long long)args[0],
                 (long long)args[1], (long long)args[2], (long long)args[3], (long long)got,
                 (long long)wanted);
}

static bool is_own_function(unsigned op) /* tested in base_math.c */
{
    return op >= SCALAR_OP_sin;
}

/* The first three go through all their edges (the third through some); a fourth takes any. */
static unsigned fourth(unsigned n)
{
    return (unsigned)(random_bits() % n);
}

static void edge_values(void **unused)
{
    UNUSED(unused);
    for (unsigned which = 0; which < SCALAR_CASES; which++) {
        const struct scalar_case_info *c = &scalar_case_info[which];
        unsigned n[SCALAR_MAX_ARGS] = {1, 1, 1, 1};
        for (unsigned k = 0; k < c->arity; k++)
            n[k] = edges(c->argument[k]);
        if (is_own_function(c->op))
            continue;
        for (unsigned i = 0; i < n[0]; i++)
            for (unsigned j = 0; j < n[1]; j++)
                for (unsigned k = 0; k < n[2];
                     k += c->argument[2] == SCALAR_F || c->argument[2] == SCALAR_D ? 7 : 1)
                    check(which,
                          (scalar_bits[]){edge(c->argument[0], i), edge(c->argument[1], j),
                                          edge(c->argument[2], k), edge(c->argument[3], fourth(n[3]))});
    }
}

static void random_values(void **unused)
{
    UNUSED(unused);
    for (unsigned which = 0; which < SCALAR_CASES; which++) {
        const struct scalar_case_info *c = &scalar_case_info[which];
        if (is_own_function(c->op))
            continue;
        for (int i = c->op == SCALAR_OP_fma ? 200000 : 5000; i > 0; i--)
            check(which, (scalar_bits[]){random_of(c->argument[0]), random_of(c->argument[1]),
                                         random_of(c->argument[2]), random_of(c->argument[3])});
    }
}

static void tables_agree(void **unused)
{
    UNUSED(unused);
    for (unsigned which = 0; which < SCALAR_CASES; which++) {
        const struct scalar_case_info *c = &scalar_case_info[which];
        bool conditional = c->op == SCALAR_OP_select;
        assert_int_equal(scalar_find(c->op, c->result, c->argument[0]), which);
        assert_memory_equal(c->name, scalar_op_info[c->op].name, strlen(scalar_op_info[c->op].name));
        assert_true(conditional || c->arity < 2 || c->argument[0] == c->argument[1]);
    }
    assert_int_equal(scalar_find(SCALAR_OP_div, SCALAR_I, SCALAR_I), -1);
    assert_int_equal(scalar_find(SCALAR_OP_sin, SCALAR_D, SCALAR_F), -1);
    assert_string_equal(scalar_op_info[SCALAR_OP_add].flags, "C");
}

/* What 'C' promises. */
static void commutative_operations(void **unused)
{
    UNUSED(unused);
    for (unsigned which = 0; which < SCALAR_CASES; which++) {
        const struct scalar_case_info *c = &scalar_case_info[which];
        for (unsigned i = 0; i < 2000 && strchr(scalar_op_info[c->op].flags, 'C'); i++) {
            unsigned n = edges(c->argument[0]);
            scalar_bits a = edge(c->argument[0], (unsigned)(random_bits() % n)),
                        b = edge(c->argument[0], i % n);
            assert_int_equal(scalar_evaluate(which, (scalar_bits[]){a, b}),
                             scalar_evaluate(which, (scalar_bits[]){b, a}));
        }
    }
}

static void nans_become_canonical(void **unused)
{
    UNUSED(unused);
    assert_int_equal(scalar_evaluate(SCALAR_select_F, (scalar_bits[]){1, 0xffc12345, 0}), SCALAR_NAN_F32);
    assert_int_equal(scalar_evaluate(SCALAR_neg_D, (scalar_bits[]){SCALAR_NAN_F64}), SCALAR_NAN_F64);
    assert_int_equal(scalar_evaluate(SCALAR_bits_LD, (scalar_bits[]){0xfff8000000000001}), SCALAR_NAN_F64);
    assert_int_equal(scalar_evaluate(SCALAR_fmax_F, (scalar_bits[]){0x7fc12345, 0x7fc54321}), SCALAR_NAN_F32);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_agree),          cmocka_unit_test(edge_values),
        cmocka_unit_test(random_values),         cmocka_unit_test(commutative_operations),
        cmocka_unit_test(nans_become_canonical),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
