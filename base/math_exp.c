/* math_exp.c: exp, exp2, expm1 and the hyperbolic functions of doubles. See exp_parts for the method.
 *
 * Errors, in units of the last place: tests hold them below 0.85, and 0.55 for exp and exp2 of normal
 * results (0.76 below, where the result is rounded a second time).
 */
#include "base/math_parts.h"

static struct scaled exp_of(double x)
{
    return exp_parts((struct dd){x, 0});
}

double scalar_exp(double x)
{
    if (!(x > -746 && x < 710))
        return x > 0 ? MATH_INF : x < 0 ? 0 : x;
    struct scaled s = exp_of(x);
    return scale(dd_round(s.m), s.e);
}

double scalar_exp2(double x)
{
    if (!(x > -1075 && x < 1024))
        return x > 0 ? MATH_INF : x < 0 ? 0 : x;
    int32_t k = nearest(x * 128);
    struct scaled s = exp_of_step(k, (x - k / 128.0) * LN2);
    return scale(dd_round(s.m), s.e);
}

/* e^x where it is far from overflow and underflow: |x| < 100. */
static struct dd exp_sum(double x)
{
    struct scaled s = exp_of(x);
    double power = two_to(s.e);
    return fast_two_sum(s.m.hi * power, s.m.lo * power);
}

double scalar_expm1(double x)
{
    if (scalar_copysign(x, 1) <= 0.35)
        return x == 0 ? x : x + x * x * (0.5 + x * POLYNOMIAL(x, expm1_terms));
    if (!(x > -40 && x < 60))
        return x < 0 ? -1 : scalar_exp(x);
    struct dd e = exp_sum(x), d = two_sum(e.hi, -1);
    return d.hi + (d.lo + e.lo);
}

/* e^m / 2 for m >= 40, which is sinh(m) and cosh(m) to the last place; a NaN gives a NaN. */
static double half_exp(double m)
{
    if (!(m < 711))
        return m * MATH_INF;
    struct scaled s = exp_of(m);
    return scale(dd_round(s.m), s.e - 1);
}

double scalar_sinh(double x)
{
    double m = scalar_copysign(x, 1);
    if (m <= 1)
        return x == 0 ? x : x + x * (x * x) * POLYNOMIAL(x * x, sinh_terms);
    if (!(m < 40))
        return scalar_copysign(half_exp(m), x);
    struct dd e = exp_sum(m);
    return scalar_copysign(0.5 * e.hi + (0.5 * e.lo - 0.5 / e.hi), x);
}

double scalar_cosh(double x)
{
    double m = scalar_copysign(x, 1);
    if (!(m < 40))
        return half_exp(m);
    struct dd e = exp_sum(m), inverse = quotient(0.5, e.hi);
    struct dd sum = fast_two_sum(0.5 * e.hi, inverse.hi);
    return sum.hi + (sum.lo + (0.5 * e.lo + inverse.lo - e.lo * inverse.hi / e.hi));
}

/* tanh(m) = 1 - 2 / (e^(2m) + 1) */
double scalar_tanh(double x)
{
    double m = scalar_copysign(x, 1);
    if (m <= 0.5)
        return x == 0 ? x : x + x * (x * x) * POLYNOMIAL(x * x, tanh_terms);
    if (!(m < 22))
        return m == m ? scalar_copysign(1, x) : x;
    struct dd e = exp_sum(2 * m), d = fast_two_sum(e.hi, 1), q = quotient(2, d.hi);
    struct dd r = fast_two_sum(1, -q.hi);
    return scalar_copysign(r.hi + (r.lo - q.lo + q.hi * (d.lo + e.lo) / d.hi), x);
}
