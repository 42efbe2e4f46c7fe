/* math_log.c: logarithms, powers and roots of doubles. See log_parts for the method.
 *
 * Errors, in units of the last place: tests hold them below 0.55 (log, log2, log10, log1p, cbrt, hypot)
 * and 0.75 (pow).
 */
#include "base/math_parts.h"

/* Whether the logarithm of x is special, and what it then is. */
static bool log_special(double x, double *result)
{
    if (x > 0 && x < MATH_INF)
        return false;
    *result = x == 0 ? -MATH_INF : x > 0 ? x : MATH_NAN;
    return true;
}

double scalar_log(double x)
{
    double special;
    return log_special(x, &special) ? special : dd_round(log_parts(x));
}

/* ln(x) divided by the base's. */
static double log_to_base(double x, double per, double per_lo)
{
    double special;
    if (log_special(x, &special))
        return special;
    struct dd l = log_parts(x), p = two_product(l.hi, per);
    return p.hi + (p.lo + (l.hi * per_lo + l.lo * per));
}

double scalar_log2(double x)
{
    return log_to_base(x, PER_LN2, PER_LN2_LO);
}

double scalar_log10(double x)
{
    return log_to_base(x, PER_LN10, PER_LN10_LO);
}

/* With u + v = 1 + x exactly: ln(u + v) = ln(u) + v / u, as v is below half a unit of u's last place. */
double scalar_log1p(double x)
{
    double special;
    if (log_special(1 + x, &special))
        return special;
    if (scalar_copysign(x, 1) < 0x1p-30)
        return x == 0 ? x : x - 0.5 * (x * x);
    struct dd u = two_sum(1, x), l = log_parts(u.hi);
    return l.hi + (l.lo + u.lo / u.hi);
}

/* ---- pow ----------------------------------------------------------------------------------------- */

/* Numbers from 2^53 on are even. */
static bool is_odd(double y)
{
    return scalar_trunc(y) == y && scalar_trunc(y / 2) * 2 != y;
}

bool math_pow_special(double x, double y, double *result)
{
    double m = scalar_copysign(x, 1);
    if (x == 1 || y == 0) {
        *result = 1;
    } else if (x != x || y != y) {
        *result = MATH_NAN;
    } else if (scalar_copysign(y, 1) == MATH_INF) {
        *result = m == 1 ? 1 : (m > 1) == (y > 0) ? MATH_INF : 0;
    } else if (m == 0 || m == MATH_INF) {
        double magnitude = (m == 0) == (y < 0) ? MATH_INF : 0;
        *result = is_odd(y) ? scalar_copysign(magnitude, x) : magnitude;
    } else if (x < 0 && scalar_trunc(y) != y) {
        *result = MATH_NAN;
    } else {
        return false;
    }
    return true;
}

double math_pow_sign(double x, double y)
{
    return x < 0 && is_odd(y) ? -1 : 1;
}

/* m^y = e^(y ln(m)) */
static double pow_of_magnitude(double m, double y)
{
    struct dd l = log_parts(m);
    double rough = y * l.hi;
    if (!(rough > -800 && rough < 800))
        return rough > 0 ? MATH_INF : 0;
    struct dd p = two_product(y, l.hi);
    p.lo += y * l.lo;
    if (scalar_copysign(rough, 1) < 0x1p-60)
        return 1 + rough;
    struct scaled s = exp_parts(p);
    return scale(dd_round(s.m), s.e);
}

double scalar_pow(double x, double y)
{
    double result;
    if (math_pow_special(x, y, &result))
        return result;
    return math_pow_sign(x, y) * pow_of_magnitude(scalar_copysign(x, 1), y);
}

/* ---- roots --------------------------------------------------------------------------------------- */

/* Halley's step for the cube root, which triples the number of right bits; t^3 is exact enough that the
 * rounding of the sum is the result's only one. */
static double cbrt_step(double t, double x)
{
    struct dd square = two_product(t, t), cube = two_product(square.hi, t);
    double rest = (x - cube.hi) - (cube.lo + square.lo * t);
    return t + t * (rest / (2 * cube.hi + x));
}

/* m > 0 and normal. A third of its bits, exponent and mantissa as one number, plus a constant that puts the
 * bias of the exponent right (2/3 * 1023, less 0.034) is within 3.2 % of the root. */
static double cbrt_of_magnitude(double m)
{
    double t = scalar_from_f64(scalar_raw_f64(m) / 3 + 0x2a9f740000000000u);
    for (int i = 0; i < 2; i++) {
        double cube = t * t * t;
        t += t * ((m - cube) / (2 * cube + m));
    }
    return cbrt_step(t, m);
}

double scalar_cbrt(double x)
{
    double m = scalar_copysign(x, 1);
    if (!(m > 0 && m < MATH_INF))
        return x;
    double t = m < 0x1p-900  ? cbrt_of_magnitude(m * 0x1p300) * 0x1p-100
               : m > 0x1p900 ? cbrt_of_magnitude(m * 0x1p-300) * 0x1p100
                             : cbrt_of_magnitude(m);
    return scalar_copysign(t, x);
}

/* sqrt(a^2 + b^2) in sums of two; 2^-500 < a < 2^500, b <= a. */
static double hypot_in_range(double a, double b)
{
    struct dd p = two_product(a, a), q = two_product(b, b), sum = fast_two_sum(p.hi, q.hi);
    double root = __builtin_sqrt(sum.hi);
    struct dd back = two_product(root, root);
    return root + ((sum.hi - back.hi) - back.lo + (sum.lo + p.lo + q.lo)) / (2 * root);
}

double scalar_hypot(double x, double y)
{
    x = scalar_copysign(x, 1);
    y = scalar_copysign(y, 1);
    if (x == MATH_INF || y == MATH_INF)
        return MATH_INF;
    double a = x > y ? x : y, b = x > y ? y : x;
    if (!(b >= a * 0x1p-60) || b == 0) /* b does not count, or one is NaN */
        return a + b;
    double up = a > 0x1p400 ? 0x1p-600 : a < 0x1p-400 ? 0x1p600 : 1;
    return hypot_in_range(a * up, b * up) / up;
}
