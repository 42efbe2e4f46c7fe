/* scalar.c: scalar.def as tables and as one function, for folding and for tests. */
#include "base/scalar.h"

const struct scalar_op_info scalar_op_info[SCALAR_OPS] = {
#define SCALAR_OP(op, flags, meaning) {#op, flags},
#include "base/scalar.def"
};

const char *scalar_op_meaning(enum scalar_op op)
{
    static const char *const meanings[SCALAR_OPS] = {
#define SCALAR_OP(op, flags, meaning) meaning,
#include "base/scalar.def"
    };
    return meanings[op];
}

const struct scalar_case_info scalar_case_info[SCALAR_CASES] = {
#define S1(op, name, R, A, formula) {#name, SCALAR_OP_##op, 1, SCALAR_##R, {SCALAR_##A}},
#define S2(op, name, R, A, B, formula) {#name, SCALAR_OP_##op, 2, SCALAR_##R, {SCALAR_##A, SCALAR_##B}},
#define S3(op, name, R, A, B, C, formula)                                                                    \
    {#name, SCALAR_OP_##op, 3, SCALAR_##R, {SCALAR_##A, SCALAR_##B, SCALAR_##C}},
#define S4(op, name, R, A, B, C, E, formula)                                                                 \
    {#name, SCALAR_OP_##op, 4, SCALAR_##R, {SCALAR_##A, SCALAR_##B, SCALAR_##C, SCALAR_##E}},
#include "base/scalar.def"
};

/* One more than the case, so that what is not mentioned is 0. A pair given twice is a compiler warning. */
static const uint16_t case_of[SCALAR_OPS][SCALAR_TYPES][SCALAR_TYPES] = {
#define S1(op, name, R, A, formula)          [SCALAR_OP_##op][SCALAR_##R][SCALAR_##A] = SCALAR_##name + 1,
#define S2(op, name, R, A, B, formula)       [SCALAR_OP_##op][SCALAR_##R][SCALAR_##A] = SCALAR_##name + 1,
#define S3(op, name, R, A, B, C, formula)    [SCALAR_OP_##op][SCALAR_##R][SCALAR_##A] = SCALAR_##name + 1,
#define S4(op, name, R, A, B, C, E, formula) [SCALAR_OP_##op][SCALAR_##R][SCALAR_##A] = SCALAR_##name + 1,
#include "base/scalar.def"
};

int scalar_find(enum scalar_op op, enum scalar_type result, enum scalar_type argument)
{
    return (int)case_of[op][result][argument] - 1;
}

static bool     take_B(scalar_bits x) { return x & 1; }
static uint32_t take_I(scalar_bits x) { return (uint32_t)x; }
static uint64_t take_L(scalar_bits x) { return x; }
static float    take_F(scalar_bits x) { return scalar_from_f32((uint32_t)x); }
static double   take_D(scalar_bits x) { return scalar_from_f64(x); }

static scalar_bits give_B(bool x) { return x; }
static scalar_bits give_I(uint32_t x) { return x; }
static scalar_bits give_L(uint64_t x) { return x; }
static scalar_bits give_F(float x) { return scalar_bits_f32(x); }
static scalar_bits give_D(double x) { return scalar_bits_f64(x); }

/* Each formula in a function of its own, where the names a, b, c, e are its arguments. */
#define S1(op, name, R, A, formula)                                                                          \
    static scalar_ctype_##R compute_##name(scalar_ctype_##A a) { return formula; }
#define S2(op, name, R, A, B, formula)                                                                       \
    static scalar_ctype_##R compute_##name(scalar_ctype_##A a, scalar_ctype_##B b) { return formula; }
#define S3(op, name, R, A, B, C, formula)                                                                    \
    static scalar_ctype_##R compute_##name(scalar_ctype_##A a, scalar_ctype_##B b, scalar_ctype_##C c)       \
    {                                                                                                        \
        return formula;                                                                                      \
    }
#define S4(op, name, R, A, B, C, E, formula)                                                                 \
    static scalar_ctype_##R compute_##name(scalar_ctype_##A a, scalar_ctype_##B b, scalar_ctype_##C c,       \
                                           scalar_ctype_##E e)                                               \
    {                                                                                                        \
        return formula;                                                                                      \
    }
#include "base/scalar.def"

scalar_bits scalar_evaluate(enum scalar_case which, const scalar_bits args[])
{
    switch (which) {
#define S1(op, name, R, A, formula) \
    case SCALAR_##name: return give_##R(compute_##name(take_##A(args[0])));
#define S2(op, name, R, A, B, formula) \
    case SCALAR_##name: return give_##R(compute_##name(take_##A(args[0]), take_##B(args[1])));
#define S3(op, name, R, A, B, C, formula) \
    case SCALAR_##name:                   \
        return give_##R(compute_##name(take_##A(args[0]), take_##B(args[1]), take_##C(args[2])));
#define S4(op, name, R, A, B, C, E, formula)                                                    \
    case SCALAR_##name:                                                                         \
        return give_##R(compute_##name(take_##A(args[0]), take_##B(args[1]), take_##C(args[2]), \
                                       take_##E(args[3])));
#include "base/scalar.def"
    case SCALAR_CASES: break;
    }
    BUG("no such scalar case: %d", (int)which);
}

#define EACH(n)                                                                                              \
    for (uint64_t left = lanes, n; left && ((n) = (uint64_t)__builtin_ctzll(left), true); left &= left - 1)

void scalar_evaluate_lanes(enum scalar_case which, const scalar_bits *const args[], uint64_t lanes,
                           scalar_bits *to)
{
    switch (which) {
#define S1(op, name, R, A, formula) \
    case SCALAR_##name:             \
        EACH(n)                     \
            to[n] = give_##R(compute_##name(take_##A(args[0][n]))); \
        return;
#define S2(op, name, R, A, B, formula) \
    case SCALAR_##name:                \
        EACH(n)                        \
            to[n] = give_##R(compute_##name(take_##A(args[0][n]), take_##B(args[1][n]))); \
        return;
#define S3(op, name, R, A, B, C, formula) \
    case SCALAR_##name:                   \
        EACH(n)                           \
            to[n] =                       \
                give_##R(compute_##name(take_##A(args[0][n]), take_##B(args[1][n]), take_##C(args[2][n]))); \
        return;
#define S4(op, name, R, A, B, C, E, formula)                                                          \
    case SCALAR_##name:                                                                               \
        EACH(n)                                                                                       \
            to[n] = give_##R(compute_##name(take_##A(args[0][n]), take_##B(args[1][n]),               \
                                            take_##C(args[2][n]), take_##E(args[3][n])));             \
        return;
#include "base/scalar.def"
    case SCALAR_CASES: break;
    }
    BUG("no such scalar case: %d", (int)which);
}
