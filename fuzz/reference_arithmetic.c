/* reference_arithmetic.c: what conversions, operators and builtins give, by docs/language.md: C's rules, and
 * what Kern defines where C does not. Written without the compiler's and the machine's own arithmetic
 * (base/scalar.def), which folding and running share, so that a mistake there shows.
 *
 * One thing is taken from there: the functions of math.h that nobody rounds correctly (`approximate`), since
 * the reference of the language says no more than that they are the same everywhere. What they have to be
 * close to is the business of test/unit/base_math.c.
 */
#include "base/scalar.h"
#include "fuzz/reference.h"

#include <math.h>

/* ---- conversions ------------------------------------------------------------------------------------- */

static bool is_signed(enum fz_type t)
{
    return fz_type_info[t].family == 's';
}

static uint32_t width_of(enum fz_type t)
{
    return fz_type_info[t].bits;
}

static uint64_t sign_of(enum fz_type t)
{
    return (uint64_t)1 << (width_of(t) - 1);
}

uint64_t fz_cut(uint64_t bits, enum fz_type t)
{
    uint32_t width = t == FZ_BOOL ? 1 : width_of(t);
    return width == 64 ? bits : bits & (((uint64_t)1 << width) - 1);
}

/* An integer as 64 bits. */
static uint64_t extended(uint64_t v, enum fz_type t)
{
    return is_signed(t) && v & sign_of(t) ? v | -sign_of(t) : v;
}

static float single_of(uint64_t bits)
{
    uint32_t low = (uint32_t)bits;
    float f;
    memcpy(&f, &low, 4);
    return f;
}

static double number(uint64_t v, enum fz_type t)
{
    double d;
    memcpy(&d, &v, 8);
    if (fz_is_float(t))
        return t == FZ_FLOAT ? (double)single_of(v) : d;
    return is_signed(t) ? (double)(int64_t)extended(v, t) : (double)v;
}

static bool is_nan(uint64_t bits, enum fz_type t)
{
    return fz_is_float(t) && isnan(number(bits, t));
}

uint64_t fz_canonical(uint64_t bits, enum fz_type t)
{
    if (!is_nan(bits, t))
        return bits;
    return t == FZ_FLOAT ? 0x7fc00000 : 0x7ff8000000000000;
}

static uint64_t single(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, 4);
    return fz_canonical(bits, FZ_FLOAT);
}

static uint64_t twofold(double d)
{
    uint64_t bits;
    memcpy(&bits, &d, 8);
    return fz_canonical(bits, FZ_DOUBLE);
}

/* Rounded once: a long would be rounded twice on its way through double. */
static float to_float(uint64_t v, enum fz_type t)
{
    if (fz_is_float(t))
        return (float)number(v, t);
    return is_signed(t) ? (float)(int64_t)extended(v, t) : (float)v;
}

/* Towards zero, or the nearest end of the range; to a narrow type by way of int. */
static uint64_t to_integer(double d, enum fz_type narrow)
{
    enum fz_type t = fz_promoted(narrow);
    double least = is_signed(t) ? -(double)sign_of(t) : 0,
           beyond = is_signed(t) ? -least : 2.0 * (double)sign_of(t);
    uint64_t bits;
    if (isnan(d))
        bits = 0;
    else if (d <= least)
        bits = is_signed(t) ? sign_of(t) : 0;
    else if (d >= beyond)
        bits = is_signed(t) ? sign_of(t) - 1 : ~(uint64_t)0;
    else
        bits = is_signed(t) ? (uint64_t)(int64_t)d : (uint64_t)d;
    return fz_cut(bits, narrow);
}

static bool is_true(uint64_t bits, enum fz_type t)
{
    return fz_is_float(t) ? number(bits, t) != 0 : bits != 0;
}

uint64_t fz_converted(uint64_t v, enum fz_type from, enum fz_type to)
{
    if (from == to)
        return v;
    if (to == FZ_BOOL)
        return is_true(v, from);
    if (to == FZ_FLOAT)
        return single(to_float(v, from));
    if (to == FZ_DOUBLE)
        return twofold(number(v, from));
    return fz_is_float(from) ? to_integer(number(v, from), to) : fz_cut(extended(v, from), to);
}

/* ---- operators --------------------------------------------------------------------------------------- */

static uint64_t float_result(enum fz_operator op, uint64_t a, uint64_t b, enum fz_type t)
{
    double x = number(a, t), y = number(b, t);
    float s = single_of(a), r = single_of(b);
    bool f = t == FZ_FLOAT;
    switch (op) {
    case FZ_OP_ADD: return f ? single(s + r) : twofold(x + y);
    case FZ_OP_SUB: return f ? single(s - r) : twofold(x - y);
    case FZ_OP_MUL: return f ? single(s * r) : twofold(x * y);
    default: return f ? single(s / r) : twofold(x / y);
    }
}

static bool is_negative(uint64_t a, enum fz_type t)
{
    return is_signed(t) && a & sign_of(t);
}

/* |a|: of the least number, which has none in its type, too. */
static uint64_t size_of(uint64_t a, enum fz_type t)
{
    return is_negative(a, t) ? -extended(a, t) : a;
}

static uint64_t quotient(uint64_t a, uint64_t b, enum fz_type t)
{
    if (b == 0)
        return ~(uint64_t)0;
    uint64_t q = size_of(a, t) / size_of(b, t);
    return is_negative(a, t) != is_negative(b, t) ? -q : q;
}

static uint64_t rest(uint64_t a, uint64_t b, enum fz_type t)
{
    if (b == 0)
        return a;
    uint64_t r = size_of(a, t) % size_of(b, t);
    return is_negative(a, t) ? -r : r;
}

static uint64_t shifted(enum fz_operator op, uint64_t a, uint64_t by, enum fz_type t)
{
    uint32_t n = (uint32_t)by % width_of(t);
    if (op == FZ_OP_SHL)
        return a << n;
    return is_negative(a, t) ? ~(~extended(a, t) >> n) : a >> n;
}

static bool compared(enum fz_operator op, uint64_t a, uint64_t b, enum fz_type t)
{
    bool less, equal, ordered = !is_nan(a, t) && !is_nan(b, t);
    if (fz_is_float(t))
        less = number(a, t) < number(b, t), equal = number(a, t) == number(b, t);
    else if (is_signed(t))
        less = (int64_t)extended(a, t) < (int64_t)extended(b, t), equal = a == b;
    else
        less = a < b, equal = a == b;
    switch (op) {
    case FZ_OP_LT: return less;
    case FZ_OP_LE: return less || equal;
    case FZ_OP_GT: return ordered && !less && !equal;
    case FZ_OP_GE: return ordered && !less;
    case FZ_OP_EQ: return equal;
    default: return !equal;
    }
}

static uint64_t integer_result(enum fz_operator op, uint64_t a, uint64_t b, enum fz_type t)
{
    switch (op) {
    case FZ_OP_ADD: return fz_cut(a + b, t);
    case FZ_OP_SUB: return fz_cut(a - b, t);
    case FZ_OP_MUL: return fz_cut(a * b, t);
    case FZ_OP_DIV: return fz_cut(quotient(a, b, t), t);
    case FZ_OP_REM: return fz_cut(rest(a, b, t), t);
    case FZ_OP_AND: return a & b;
    case FZ_OP_OR: return a | b;
    case FZ_OP_XOR: return a ^ b;
    default: BUG("no operator of integers");
    }
}

uint64_t fz_operate(enum fz_operator op, uint64_t a, enum fz_type at, uint64_t b, enum fz_type bt,
                    enum fz_type *result)
{
    const struct fz_operator_info *o = &fz_operator_info[op];
    if (o->operands == 'I' && fz_is_float(at)) /* as the printer converts it */
        a = fz_converted(a, at, FZ_INT), at = FZ_INT;
    if (o->operands == 'I' && fz_is_float(bt))
        b = fz_converted(b, bt, FZ_INT), bt = FZ_INT;
    *result = o->result == 'B' ? FZ_BOOL : o->result == 'L' ? fz_promoted(at) : fz_usual(at, bt);
    if (o->result == 'L')
        return fz_cut(shifted(op, fz_converted(a, at, *result), b, *result), *result);
    enum fz_type t = fz_usual(at, bt);
    a = fz_converted(a, at, t), b = fz_converted(b, bt, t);
    if (o->result == 'B')
        return compared(op, a, b, t);
    return fz_is_float(t) ? float_result(op, a, b, t) : integer_result(op, a, b, t);
}

uint64_t fz_operate_unary(enum fz_operator op, uint64_t a, enum fz_type t, enum fz_type *result)
{
    if (op == FZ_OP_FLIP && fz_is_float(t))
        a = fz_converted(a, t, FZ_INT), t = FZ_INT;
    *result = op == FZ_OP_NOT ? FZ_BOOL : fz_promoted(t);
    if (op == FZ_OP_NOT)
        return !is_true(a, t);
    a = fz_converted(a, t, *result);
    if (fz_is_float(*result))
        return fz_canonical(a ^ sign_of(*result), *result);
    return fz_cut(op == FZ_OP_FLIP ? ~a : -a, *result);
}

uint64_t fz_stepped(uint64_t bits, enum fz_type t, uint8_t op)
{
    enum fz_type result;
    bits = fz_operate(op & 1 ? FZ_OP_SUB : FZ_OP_ADD, bits, t, 1, FZ_INT, &result);
    return fz_converted(bits, result, t);
}

/* ---- builtins ---------------------------------------------------------------------------------------- */

/* By their names, those of C's float functions without the f. */
enum exact {
    MIN,
    MAX,
    CLAMP,
    ABS,
    POPCOUNT,
    CLZ,
    CTZ,
    BREV,
    ROTL,
    ROTR,
    MULHI,
    AS_INT,
    AS_UINT,
    AS_FLOAT,
    AS_LONG,
    AS_ULONG,
    AS_DOUBLE,
    SQRT,
    FLOOR,
    CEIL,
    TRUNC,
    ROUND,
    RINT,
    FABS,
    FMOD,
    FMIN,
    FMAX,
    COPYSIGN,
    FMA,
    RSQRT,
    ISNAN,
    ISINF,
    ISFINITE,
    EXACT_COUNT
};
static const char *const exact[EXACT_COUNT] = {[MIN] = "min",
                                               [MAX] = "max",
                                               [CLAMP] = "clamp",
                                               [ABS] = "abs",
                                               [POPCOUNT] = "popcount",
                                               [CLZ] = "clz",
                                               [CTZ] = "ctz",
                                               [BREV] = "brev",
                                               [ROTL] = "rotl",
                                               [ROTR] = "rotr",
                                               [MULHI] = "mulhi",
                                               [AS_INT] = "as_int",
                                               [AS_UINT] = "as_uint",
                                               [AS_FLOAT] = "as_float",
                                               [AS_LONG] = "as_long",
                                               [AS_ULONG] = "as_ulong",
                                               [AS_DOUBLE] = "as_double",
                                               [SQRT] = "sqrt",
                                               [FLOOR] = "floor",
                                               [CEIL] = "ceil",
                                               [TRUNC] = "trunc",
                                               [ROUND] = "round",
                                               [RINT] = "rint",
                                               [FABS] = "fabs",
                                               [FMOD] = "fmod",
                                               [FMIN] = "fmin",
                                               [FMAX] = "fmax",
                                               [COPYSIGN] = "copysign",
                                               [FMA] = "fma",
                                               [RSQRT] = "rsqrt",
                                               [ISNAN] = "isnan",
                                               [ISINF] = "isinf",
                                               [ISFINITE] = "isfinite"};

static const struct {
    const char *name;
    float (*one_single)(float);
    double (*one)(double);
    float (*two_single)(float, float);
    double (*two)(double, double);
} approximate[] = {
#define ONE(name) {#name, scalar_##name##f, scalar_##name, NULL, NULL},
#define TWO(name) {#name, NULL, NULL, scalar_##name##f, scalar_##name},
    ONE(sin) ONE(cos) ONE(tan) ONE(asin) ONE(acos) ONE(atan) TWO(atan2) ONE(sinh) ONE(cosh) ONE(tanh) ONE(exp)
        ONE(exp2) ONE(expm1) ONE(log) ONE(log2) ONE(log10) ONE(log1p) TWO(pow) ONE(cbrt) TWO(hypot)
#undef ONE
#undef TWO
};

static bool has_name(const struct fe_builtin *b, const char *name)
{
    size_t n = strlen(name);
    bool single_version = strncmp(b->signature, "f:f", 3) == 0;
    return strncmp(b->name, name, n) == 0 &&
           (!b->name[n] || (single_version && strcmp(b->name + n, "f") == 0));
}

int fz_known(const struct fe_builtin *b)
{
    for (int i = 0; i < EXACT_COUNT; i++)
        if (has_name(b, exact[i]))
            return i;
    for (int i = 0; i < (int)COUNT(approximate); i++)
        if (has_name(b, approximate[i].name))
            return EXACT_COUNT + i;
    return -1;
}

/* The smaller one, or the larger; a NaN loses, and -0 is less than 0. */
static uint64_t lesser(uint64_t a, uint64_t b, enum fz_type t, bool larger)
{
    if (is_nan(a, t) || is_nan(b, t))
        return is_nan(a, t) ? b : a;
    if (fz_is_float(t) && compared(FZ_OP_EQ, a, b, t)) /* zeros may differ, in the sign */
        return larger ? a & b : a | b;
    return compared(FZ_OP_LT, a, b, t) == larger ? b : a;
}

static uint64_t magnitude(uint64_t a, enum fz_type t)
{
    return fz_is_float(t) ? a & ~sign_of(t) : fz_cut(size_of(a, t), t);
}

static uint64_t reversed(uint64_t a, enum fz_type t)
{
    uint64_t result = 0;
    for (uint32_t i = 0; i < width_of(t); i++)
        result |= (a >> i & 1) << (width_of(t) - 1 - i);
    return result;
}

static uint64_t rotated(uint64_t a, uint32_t by, enum fz_type t)
{
    uint32_t n = by % width_of(t);
    return n ? fz_cut(a << n | a >> (width_of(t) - n), t) : a;
}

/* The upper half of the product, from halves of the numbers; a negative one counts as much too large. */
static uint64_t upper_half(uint64_t a, uint64_t b, enum fz_type t)
{
    uint32_t half = width_of(t) / 2;
    uint64_t low = ((uint64_t)1 << half) - 1, al = a & low, ah = a >> half, bl = b & low, bh = b >> half;
    uint64_t middle = (al * bl >> half) + (ah * bl & low) + (al * bh & low);
    uint64_t result = ah * bh + (ah * bl >> half) + (al * bh >> half) + (middle >> half);
    result -= is_negative(a, t) ? b : 0;
    result -= is_negative(b, t) ? a : 0;
    return fz_cut(result, t);
}

/* From the bit `from` on, in this direction, up to the first one bit. */
static uint64_t zeros(uint64_t a, enum fz_type t, bool leading)
{
    uint32_t n = 0, width = width_of(t);
    while (n < width && !(a >> (leading ? width - 1 - n : n) & 1))
        n++;
    return n;
}

static uint64_t ones(uint64_t a)
{
    uint64_t n = 0;
    for (; a; a >>= 1)
        n += a & 1;
    return n;
}

static uint64_t real(enum exact which, const uint64_t x[], enum fz_type t)
{
    double a = number(x[0], t), b = number(x[1], t), c = number(x[2], t);
    float s = (float)a, r = (float)b;
    bool f = t == FZ_FLOAT;
    switch (which) {
    case SQRT: return f ? single(sqrtf(s)) : twofold(sqrt(a));
    case RSQRT: return f ? single(1 / sqrtf(s)) : twofold(1 / sqrt(a));
    case FLOOR: return f ? single(floorf(s)) : twofold(floor(a));
    case CEIL: return f ? single(ceilf(s)) : twofold(ceil(a));
    case TRUNC: return f ? single(truncf(s)) : twofold(trunc(a));
    case ROUND: return f ? single(roundf(s)) : twofold(round(a));
    case RINT: return f ? single(rintf(s)) : twofold(rint(a));
    case FMOD: return f ? single(fmodf(s, r)) : twofold(fmod(a, b));
    case FMA: return f ? single(fmaf(s, r, (float)c)) : twofold(fma(a, b, c));
    default: BUG("no function of floating numbers");
    }
}

static uint64_t apply(enum exact which, const uint64_t x[], enum fz_type t)
{
    switch (which) {
    case MIN:
    case FMIN: return lesser(x[0], x[1], t, false);
    case MAX:
    case FMAX: return lesser(x[0], x[1], t, true);
    case CLAMP: return lesser(lesser(x[0], x[1], t, true), x[2], t, false);
    case ABS:
    case FABS: return magnitude(x[0], t);
    case COPYSIGN: return fz_canonical((x[0] & ~sign_of(t)) | (x[1] & sign_of(t)), t);
    case POPCOUNT: return ones(x[0]);
    case CLZ: return zeros(x[0], t, true);
    case CTZ: return zeros(x[0], t, false);
    case BREV: return reversed(x[0], t);
    case ROTL: return rotated(x[0], (uint32_t)x[1], t);
    case ROTR: return rotated(x[0], -(uint32_t)x[1], t);
    case MULHI: return upper_half(x[0], x[1], t);
    case AS_FLOAT: return fz_canonical(x[0], FZ_FLOAT);
    case AS_DOUBLE: return fz_canonical(x[0], FZ_DOUBLE);
    case AS_INT:
    case AS_UINT:
    case AS_LONG:
    case AS_ULONG: return fz_canonical(x[0], t);
    case ISNAN: return is_nan(x[0], t);
    case ISINF: return isinf(number(x[0], t)) != 0;
    case ISFINITE: return isfinite(number(x[0], t)) != 0;
    default: return real(which, x, t);
    }
}

static uint64_t approximated(size_t row, const uint64_t x[], enum fz_type t)
{
    double a = number(x[0], t), b = number(x[1], t);
    if (t == FZ_FLOAT)
        return single(approximate[row].one ? approximate[row].one_single((float)a)
                                           : approximate[row].two_single((float)a, (float)b));
    return twofold(approximate[row].one ? approximate[row].one(a) : approximate[row].two(a, b));
}

uint64_t fz_apply(int known, const struct fe_builtin *b, const uint64_t arguments[], enum fz_type generic)
{
    uint64_t x[FE_BUILTIN_ARGS] = {0}, result;
    enum fz_type t = FZ_INT, given = fz_letter_type(*b->signature, generic);
    for (uint32_t i = fe_builtin_params(b); i-- > 0;) {
        enum fz_type own = fz_letter_type(fe_builtin_param(b, i), generic);
        t = fz_promoted(own);
        x[i] = fz_converted(arguments[i], own, t);
    }
    result = known < EXACT_COUNT ? apply((enum exact)known, x, t)
                                 : approximated((size_t)(known - EXACT_COUNT), x, t);
    return given == generic ? fz_converted(result, t, given) : result;
}
