/* scalar.h: exact scalar arithmetic: what each pure operation of scalar.def computes, bit for bit, on
 * every machine and in every build. Compiled with -ffp-contract=off and without fast-math, always.
 */
#ifndef KERNC_SCALAR_H
#define KERNC_SCALAR_H

#include "base/base.h"

/* Scalar types as scalar.def names them. */
enum scalar_type { SCALAR_B, SCALAR_I, SCALAR_L, SCALAR_F, SCALAR_D, SCALAR_TYPES };
typedef bool     scalar_ctype_B;
typedef uint32_t scalar_ctype_I;
typedef uint64_t scalar_ctype_L;
typedef float    scalar_ctype_F;
typedef double   scalar_ctype_D;

enum scalar_op {
#define SCALAR_OP(op, flags, meaning) SCALAR_OP_##op,
#include "base/scalar.def"
    SCALAR_OPS
};
enum scalar_case {
#define S1(op, name, R, A, formula)          SCALAR_##name,
#define S2(op, name, R, A, B, formula)       SCALAR_##name,
#define S3(op, name, R, A, B, C, formula)    SCALAR_##name,
#define S4(op, name, R, A, B, C, E, formula) SCALAR_##name,
#include "base/scalar.def"
    SCALAR_CASES
};

struct scalar_op_info { const char *name, *flags; };
extern const struct scalar_op_info scalar_op_info[SCALAR_OPS];
const char *scalar_op_meaning(enum scalar_op op); /* for references */

#define SCALAR_MAX_ARGS 4
struct scalar_case_info {
    const char *name;
    uint8_t op, arity, result, argument[SCALAR_MAX_ARGS];    /* enum scalar_op; enum scalar_type */
};
extern const struct scalar_case_info scalar_case_info[SCALAR_CASES];

/* The case of `op` with result type `result` and first argument type `argument`, or -1: there is none.
 * (Both are needed: sext and the conversions share an operation; select's first argument is always B.) */
int scalar_find(enum scalar_op op, enum scalar_type result, enum scalar_type argument);

/* A scalar's bits, low bits first; B is 0 or 1, F in the low 32 bits. */
typedef uint64_t scalar_bits;
/* args: as many as the case has; no others are read. */
scalar_bits scalar_evaluate(enum scalar_case c, const scalar_bits args[]);
/* The same for several lanes: to[n] of args[0][n], args[1][n] … for each bit n that is set. `to` is none of the
 * arguments. */
void scalar_evaluate_lanes(enum scalar_case c, const scalar_bits *const args[], uint64_t lanes,
                           scalar_bits *to);

#define SCALAR_NAN_F32 0x7fc00000u
#define SCALAR_NAN_F64 0x7ff8000000000000u

static inline int32_t i32(uint32_t x) { return (int32_t)x; }
static inline int64_t i64(uint64_t x) { return (int64_t)x; }
static inline float scalar_from_f32(uint32_t x) { float f; memcpy(&f, &x, 4); return f; }
static inline double scalar_from_f64(uint64_t x) { double d; memcpy(&d, &x, 8); return d; }
static inline uint32_t scalar_raw_f32(float f) { uint32_t x; memcpy(&x, &f, 4); return x; }
static inline uint64_t scalar_raw_f64(double d) { uint64_t x; memcpy(&x, &d, 8); return x; }
/* The float's bits, any NaN as the canonical one. */
static inline uint32_t scalar_bits_f32(float f) { return f == f ? scalar_raw_f32(f) : SCALAR_NAN_F32; }
static inline uint64_t scalar_bits_f64(double d) { return d == d ? scalar_raw_f64(d) : SCALAR_NAN_F64; }

static inline uint32_t scalar_udiv32(uint32_t a, uint32_t b)
{
    return b ? a / b : UINT32_MAX;
}
static inline uint32_t scalar_urem32(uint32_t a, uint32_t b)
{
    return b ? a % b : a;
}
static inline uint32_t scalar_sdiv32(uint32_t a, uint32_t b)
{
    return b == 0 ? UINT32_MAX : b == UINT32_MAX ? -a : (uint32_t)(i32(a) / i32(b));
}
static inline uint64_t scalar_sdiv64(uint64_t a, uint64_t b)
{
    return b == 0 ? UINT64_MAX : b == UINT64_MAX ? -a : (uint64_t)(i64(a) / i64(b));
}
static inline uint32_t scalar_srem32(uint32_t a, uint32_t b)
{
    return b == 0 ? a : b == UINT32_MAX ? 0 : (uint32_t)(i32(a) % i32(b));
}
static inline uint64_t scalar_srem64(uint64_t a, uint64_t b)
{
    return b == 0 ? a : b == UINT64_MAX ? 0 : (uint64_t)(i64(a) % i64(b));
}

#include "base/scalar_inline.h" /* conversions, rounding, min/max: short enough to vectorise */

/* base/math_*.c: accuracy is stated and tested there (docs/language.md lists it). */
#define MATH1(op) float scalar_##op##f(float a); double scalar_##op(double a);
#define MATH2(op) float scalar_##op##f(float a, float b); double scalar_##op(double a, double b);
MATH2(fmod)
MATH1(sin) MATH1(cos) MATH1(tan) MATH1(asin) MATH1(acos) MATH1(atan) MATH2(atan2)
MATH1(sinh) MATH1(cosh) MATH1(tanh) MATH1(exp) MATH1(exp2) MATH1(expm1)
MATH1(log) MATH1(log2) MATH1(log10) MATH1(log1p) MATH2(pow) MATH1(cbrt) MATH2(hypot)
#undef MATH1
#undef MATH2

#endif
