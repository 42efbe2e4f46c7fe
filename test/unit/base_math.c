/* The functions of math.h that kernc computes itself: accuracy against the host's long double, and the
 * special values of C's Annex F. Errors are in units of the result's last place.
 */
#include "base/scalar.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define ROUNDS 200000

static uint64_t state;

static uint64_t random_bits(void)
{
    state += 0x9e3779b97f4a7c15u;
    return hash_mix(state, 0);
}

static double uniform(double low, double high)
{
    return low + (high - low) * ((double)(random_bits() >> 11) * 0x1p-53);
}

/* Of either sign, evenly spread over exponents from low to high. */
static double wide(double low, double high)
{
    double m = exp2(floor(uniform(low, high))) * uniform(1, 2);
    return random_bits() & 1 ? -m : m;
}

/* ---- arguments of one function ------------------------------------------------------------------- */

struct function {
    const char *name;
    double (*d1)(double);
    float (*f1)(float);
    long double (*l1)(long double);
    double (*d2)(double, double);
    float (*f2)(float, float);
    long double (*l2)(long double, long double);
    double low, high;                   /* uniformly spread arguments */
    double exponent_low, exponent_high; /* and those spread over exponents, for float within its own */
    double bound, bound_f;
};

#define ONE(name) #name, scalar_##name, scalar_##name##f, name##l, NULL, NULL, NULL
#define TWO(name) #name, NULL, NULL, NULL, scalar_##name, scalar_##name##f, name##l

static const struct function functions[] = {
    {ONE(sin), -10, 10, -40, 1024, 0.8, 0.5002},     {ONE(cos), -10, 10, -40, 1024, 0.8, 0.5002},
    {ONE(tan), -10, 10, -40, 1024, 0.95, 0.5002},    {ONE(asin), -1, 1, -60, 0, 0.75, 0.5001},
    {ONE(acos), -1, 1, -60, 0, 0.75, 0.5001},        {ONE(atan), -3, 3, -40, 70, 0.75, 0.5001},
    {TWO(atan2), -3, 3, -30, 30, 0.75, 0.5001},      {ONE(sinh), -20, 20, -40, 9.4, 0.85, 0.5001},
    {ONE(cosh), -20, 20, -40, 9.4, 0.85, 0.5001},    {ONE(tanh), -3, 3, -40, 6, 0.85, 0.5001},
    {ONE(exp), -750, 712, -60, 9, 0.76, 0.5001},     {ONE(exp2), -1080, 1025, -60, 9, 0.76, 0.5001},
    {ONE(expm1), -5, 5, -60, 9, 0.85, 0.5001},       {ONE(log), 0, 3, -1074, 1024, 0.55, 0.5001},
    {ONE(log2), 0, 3, -1074, 1024, 0.55, 0.5001},    {ONE(log10), 0, 3, -1074, 1024, 0.55, 0.5001},
    {ONE(log1p), -1, 3, -70, 1024, 0.55, 0.5001},    {TWO(pow), -30, 30, -10, 10, 0.75, 0.501},
    {ONE(cbrt), -10, 10, -1074, 1024, 0.55, 0.5001}, {TWO(hypot), -10, 10, -1074, 1024, 0.55, 0.5001},
    {TWO(fmod), -10, 10, -1074, 1024, 0, 0},
};

static double argument(const struct function *f, unsigned i)
{
    double near_one = 1 + wide(-30, -3), e = f->exponent_high;
    return i % 4 == 0 ? wide(f->exponent_low, e) : i % 4 == 1 && e > 0 ? near_one : uniform(f->low, f->high);
}

static float argument_f(const struct function *f, unsigned i)
{
    double low = f->exponent_low < -149 ? -149 : f->exponent_low;
    double high = f->exponent_high > 128 ? 128 : f->exponent_high;
    return (float)(i % 4 == 0 ? wide(low, high) : argument(f, i | 1));
}

/* The error of `got`, both results rounded to `digits` binary digits, the last at 2^lowest or above. */
static double error_of(double got, long double exact, int digits, int lowest, long double overflow)
{
    if (isnan(exact) || isnan(got))
        return isnan(exact) && isnan(got) ? 0 : HUGE_VAL;
    if (fabsl(exact) >= overflow || isinf(got))
        return isinf(got) && fabsl(exact) >= overflow && (got > 0) == (exact > 0) ? 0 : HUGE_VAL;
    int e;
    frexpl(exact, &e);
    return (double)(fabsl(got - exact) / ldexpl(1, e - digits > lowest ? e - digits : lowest));
}

struct worst {
    double error, a, b;
};

static void note(struct worst *w, double error, double a, double b)
{
    if (error > w->error)
        *w = (struct worst){error, a, b};
}

static struct worst worst_double(const struct function *f)
{
    struct worst w = {0};
    for (unsigned i = 0; i < ROUNDS; i++) {
        double a = argument(f, i), b = argument(f, i / 4), got = f->d1 ? f->d1(a) : f->d2(a, b);
        long double exact = f->l1 ? f->l1(a) : f->l2(a, b);
        note(&w, error_of(got, exact, 53, -1074, 0x1.fffffffffffff8p1023L), a, b);
    }
    return w;
}

static struct worst worst_float(const struct function *f)
{
    struct worst w = {0};
    for (unsigned i = 0; i < ROUNDS; i++) {
        float a = argument_f(f, i), b = argument_f(f, i / 4), got = f->f1 ? f->f1(a) : f->f2(a, b);
        long double exact = f->l1 ? f->l1(a) : f->l2(a, b);
        note(&w, error_of(got, exact, 24, -149, 0x1.ffffffp127L), a, b);
    }
    return w;
}

static void accuracy(void **unused)
{
    UNUSED(unused);
    bool show = getenv("SHOW"), good = true;
    for (size_t i = 0; i < COUNT(functions); i++) {
        const struct function *f = &functions[i];
        struct worst d = worst_double(f), s = worst_float(f);
        bool fine = d.error <= f->bound && s.error <= f->bound_f;
        good = good && fine;
        if (show || !fine)
            print_message("%-6s %.4f at (%a, %a)  float %.6f at (%a, %a)%s\n", f->name, d.error, d.a, d.b,
                          s.error, s.a, s.b, fine ? "" : "  TOO MUCH");
    }
    assert_true(good);
}

/* ---- special values ------------------------------------------------------------------------------ */

#define INF  HUGE_VAL
#define TURN 0x1.921fb54442d18p+1 /* pi */

struct special {
    double (*d1)(double);
    float (*f1)(float);
    double a, result;
};
struct special2 {
    double (*d2)(double, double);
    float (*f2)(float, float);
    double a, b, result;
};
#define OF(name) scalar_##name, scalar_##name##f

static const struct special specials[] = {
    {OF(sin), 0, 0},
    {OF(sin), -0.0, -0.0},
    {OF(sin), INF, NAN},
    {OF(sin), -INF, NAN},
    {OF(sin), NAN, NAN},
    {OF(cos), 0, 1},
    {OF(cos), -0.0, 1},
    {OF(cos), INF, NAN},
    {OF(cos), NAN, NAN},
    {OF(tan), 0, 0},
    {OF(tan), -0.0, -0.0},
    {OF(tan), -INF, NAN},
    {OF(tan), NAN, NAN},
    {OF(asin), 0, 0},
    {OF(asin), -0.0, -0.0},
    {OF(asin), 1, TURN / 2},
    {OF(asin), -1, -TURN / 2},
    {OF(asin), 1.5, NAN},
    {OF(asin), -INF, NAN},
    {OF(asin), NAN, NAN},
    {OF(acos), 1, 0},
    {OF(acos), -1, TURN},
    {OF(acos), 0, TURN / 2},
    {OF(acos), -1.5, NAN},
    {OF(acos), NAN, NAN},
    {OF(atan), 0, 0},
    {OF(atan), -0.0, -0.0},
    {OF(atan), INF, TURN / 2},
    {OF(atan), -INF, -TURN / 2},
    {OF(atan), 1, TURN / 4},
    {OF(atan), NAN, NAN},
    {OF(sinh), 0, 0},
    {OF(sinh), -0.0, -0.0},
    {OF(sinh), INF, INF},
    {OF(sinh), -INF, -INF},
    {OF(sinh), NAN, NAN},
    {OF(sinh), -1000, -INF},
    {OF(cosh), 0, 1},
    {OF(cosh), -0.0, 1},
    {OF(cosh), INF, INF},
    {OF(cosh), -INF, INF},
    {OF(cosh), NAN, NAN},
    {OF(cosh), 1000, INF},
    {OF(tanh), 0, 0},
    {OF(tanh), -0.0, -0.0},
    {OF(tanh), INF, 1},
    {OF(tanh), -INF, -1},
    {OF(tanh), NAN, NAN},
    {OF(exp), 0, 1},
    {OF(exp), -0.0, 1},
    {OF(exp), INF, INF},
    {OF(exp), -INF, 0},
    {OF(exp), NAN, NAN},
    {OF(exp), 1e30, INF},
    {OF(exp), -1e30, 0},
    {OF(exp2), 0, 1},
    {OF(exp2), -0.0, 1},
    {OF(exp2), INF, INF},
    {OF(exp2), -INF, 0},
    {OF(exp2), NAN, NAN},
    {OF(exp2), 1e30, INF},
    {OF(exp2), -1e30, 0},
    {OF(exp2), -126, 0x1p-126},
    {OF(exp2), 100, 0x1p100},
    {OF(expm1), 0, 0},
    {OF(expm1), -0.0, -0.0},
    {OF(expm1), INF, INF},
    {OF(expm1), -INF, -1},
    {OF(expm1), NAN, NAN},
    {OF(log), 1, 0},
    {OF(log), 0, -INF},
    {OF(log), -0.0, -INF},
    {OF(log), INF, INF},
    {OF(log), -1, NAN},
    {OF(log), -INF, NAN},
    {OF(log), NAN, NAN},
    {OF(log2), 1, 0},
    {OF(log2), 0, -INF},
    {OF(log2), INF, INF},
    {OF(log2), -1, NAN},
    {OF(log2), 8, 3},
    {OF(log2), 0x1p-149, -149},
    {OF(log2), NAN, NAN},
    {OF(log10), 1, 0},
    {OF(log10), -0.0, -INF},
    {OF(log10), INF, INF},
    {OF(log10), -1, NAN},
    {OF(log10), 1e10, 10},
    {OF(log1p), 0, 0},
    {OF(log1p), -0.0, -0.0},
    {OF(log1p), -1, -INF},
    {OF(log1p), INF, INF},
    {OF(log1p), -2, NAN},
    {OF(log1p), NAN, NAN},
    {OF(cbrt), 0, 0},
    {OF(cbrt), -0.0, -0.0},
    {OF(cbrt), INF, INF},
    {OF(cbrt), -INF, -INF},
    {OF(cbrt), NAN, NAN},
    {OF(cbrt), -27, -3},
    {OF(cbrt), 0x1p-147, 0x1p-49},
};

static const struct special2 specials2[] = {
    {OF(atan2), 0, 1, 0},
    {OF(atan2), -0.0, 1, -0.0},
    {OF(atan2), 0, -1, TURN},
    {OF(atan2), -0.0, -1, -TURN},
    {OF(atan2), 0, 0, 0},
    {OF(atan2), -0.0, 0, -0.0},
    {OF(atan2), 0, -0.0, TURN},
    {OF(atan2), -0.0, -0.0, -TURN},
    {OF(atan2), 1, 0, TURN / 2},
    {OF(atan2), -1, -0.0, -TURN / 2},
    {OF(atan2), 1, INF, 0},
    {OF(atan2), -1, INF, -0.0},
    {OF(atan2), 1, -INF, TURN},
    {OF(atan2), -1, -INF, -TURN},
    {OF(atan2), INF, 1, TURN / 2},
    {OF(atan2), -INF, -1, -TURN / 2},
    {OF(atan2), INF, INF, TURN / 4},
    {OF(atan2), -INF, INF, -TURN / 4},
    {OF(atan2), INF, -INF, 3 * (TURN / 4)},
    {OF(atan2), -INF, -INF, -3 * (TURN / 4)},
    {OF(atan2), NAN, 1, NAN},
    {OF(atan2), 0, NAN, NAN},
    {OF(atan2), 1, -1, 3 * (TURN / 4)},
    {OF(pow), 0, -3, INF},
    {OF(pow), -0.0, -3, -INF},
    {OF(pow), -0.0, -2, INF},
    {OF(pow), 0, -INF, INF},
    {OF(pow), 0, 3, 0},
    {OF(pow), -0.0, 3, -0.0},
    {OF(pow), -0.0, 2, 0},
    {OF(pow), -0.0, 0.5, 0},
    {OF(pow), -1, INF, 1},
    {OF(pow), -1, -INF, 1},
    {OF(pow), 1, NAN, 1},
    {OF(pow), 1, INF, 1},
    {OF(pow), NAN, 0, 1},
    {OF(pow), INF, 0, 1},
    {OF(pow), 0, 0, 1},
    {OF(pow), -8, 1.0 / 3, NAN},
    {OF(pow), -2, 3, -8},
    {OF(pow), -2, 2, 4},
    {OF(pow), 0.5, -INF, INF},
    {OF(pow), 2, -INF, 0},
    {OF(pow), 0.5, INF, 0},
    {OF(pow), -2, INF, INF},
    {OF(pow), -INF, -3, -0.0},
    {OF(pow), -INF, -2, 0},
    {OF(pow), -INF, 3, -INF},
    {OF(pow), -INF, 2.5, INF},
    {OF(pow), INF, -1, 0},
    {OF(pow), INF, 0.1, INF},
    {OF(pow), NAN, 1, NAN},
    {OF(pow), 2, NAN, NAN},
    {OF(pow), 10, 1e5, INF},
    {OF(pow), -10, 100001, -INF},
    {OF(pow), 10, -1e5, 0},
    {OF(pow), -10, -100001, -0.0},
    {OF(pow), 3, 1, 3},
    {OF(pow), 0x1p-149, 1, 0x1p-149},
    {OF(pow), 2, -149, 0x1p-149},
    {OF(pow), 10, 5, 1e5},
    {OF(hypot), INF, NAN, INF},
    {OF(hypot), NAN, -INF, INF},
    {OF(hypot), NAN, 1, NAN},
    {OF(hypot), 1, NAN, NAN},
    {OF(hypot), -0.0, 0, 0},
    {OF(hypot), -3, 4, 5},
    {OF(hypot), 0x1p-149, 0, 0x1p-149},
    {OF(fmod), 0, 1, 0},
    {OF(fmod), -0.0, 1, -0.0},
    {OF(fmod), 1, 0, NAN},
    {OF(fmod), INF, 1, NAN},
    {OF(fmod), 5, INF, 5},
    {OF(fmod), -5, 3, -2},
    {OF(fmod), -6, 3, -0.0},
    {OF(fmod), NAN, 1, NAN},
    {OF(fmod), 1, NAN, NAN},
    {OF(fmod), 5.5, -2, 1.5},
    {OF(fmod), 0x1p127, 0x1.8p-148, 0x1p-149},
};

static void check(size_t row, const char *kind, double got, double wanted)
{
    if (scalar_bits_f64(got) != scalar_bits_f64(wanted))
        fail_msg("%s, row %zu: %a instead of %a", kind, row, got, wanted);
}

static void special_values(void **unused)
{
    UNUSED(unused);
    for (size_t i = 0; i < COUNT(specials); i++) {
        const struct special *s = &specials[i];
        check(i, "double", s->d1(s->a), s->result);
        check(i, "float", s->f1((float)s->a), (float)s->result);
    }
    for (size_t i = 0; i < COUNT(specials2); i++) {
        const struct special2 *s = &specials2[i];
        check(i, "double, two arguments", s->d2(s->a, s->b), s->result);
        check(i, "float, two arguments", s->f2((float)s->a, (float)s->b), (float)s->result);
    }
}

/* Doubles as near to a multiple of pi/2 as they come, and the ends of the range. */
static void hardest_reductions(void **unused)
{
    static const double xs[] = {
        0x1.6ac5b262ca1ffp+849, 0x1.921fb54442d18p+0, 0x1.921fb54442d18p+1,   0x1p20,
        0x1.fffffffffffffp+19,  0x1.0p1023,           0x1.fffffffffffffp1023, 0x1.921fb54442d18p+20};
    UNUSED(unused);
    for (size_t i = 0; i < COUNT(xs); i++) {
        assert_true(error_of(scalar_sin(xs[i]), sinl(xs[i]), 53, -1074, INFINITY) < 0.8);
        assert_true(error_of(scalar_cos(xs[i]), cosl(xs[i]), 53, -1074, INFINITY) < 0.8);
        assert_true(error_of(scalar_tan(-xs[i]), tanl(-xs[i]), 53, -1074, INFINITY) < 0.95);
    }
}

static void thresholds_of_overflow(void **unused)
{
    UNUSED(unused);
    assert_true(scalar_exp(0x1.62e42fefa39efp+9) < INF && scalar_exp(0x1.62e42fefa39fp+9) == INF);
    assert_true(scalar_exp(-0x1.74910d52d3051p9) == 0x1p-1074 && scalar_exp(-0x1.74910d52d3053p9) == 0);
    assert_true(scalar_exp2(-1074) == 0x1p-1074 && scalar_exp2(-1075) == 0 && scalar_exp2f(-150) == 0);
    assert_true(scalar_exp2(1023) == 0x1p1023 && scalar_exp2(1024) == INF);
    assert_true(scalar_sinh(710.4) < INF && scalar_sinh(710.5) == INF && scalar_cosh(-710.5) == INF);
    assert_true(scalar_expf(0x1.62e42ep6f) < INF && scalar_expf(0x1.62e43p6f) == INF);
    assert_true(scalar_hypot(0x1.fffffffffffffp1023, 0x1p970) == 0x1.fffffffffffffp1023);
    assert_true(scalar_hypot(0x1.8p1023, 0x1.8p1023) == INF);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accuracy),
        cmocka_unit_test(special_values),
        cmocka_unit_test(hardest_reductions),
        cmocka_unit_test(thresholds_of_overflow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
