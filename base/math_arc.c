/* math_arc.c: inverse trigonometric functions of doubles.
 *
 * atan of a ratio in [0, 1]: with c the nearest multiple of 1/64, atan(q) = atan(c) + atan(t) where
 * t = (q - c) / (1 + q c) is at most 1/128. asin by its own polynomial up to 1/2, above it through
 * asin(x) = pi/2 - 2 asin(sqrt((1 - x) / 2)).
 *
 * Errors, in units of the last place: tests hold them below 0.75.
 */
#include "base/math_parts.h"

static const struct dd no_turn = {0, 0}, quarter_turn = {HALF_PI, HALF_PI_LO}, half_turn = {PI, PI_LO};

/* turn + a and turn - a */
static double turn_plus(struct dd turn, struct dd a)
{
    struct dd s = fast_two_sum(turn.hi, a.hi);
    return s.hi + (s.lo + (turn.lo + a.lo));
}

static double turn_minus(struct dd turn, struct dd a)
{
    return turn_plus(turn, (struct dd){-a.hi, -a.lo});
}

/* ---- atan ---------------------------------------------------------------------------------------- */

/* atan(q.hi + q.lo), 0 <= q.hi <= 1 */
static struct dd atan_of(struct dd q)
{
    if (q.hi < 1.0 / 16) {
        double z = q.hi * q.hi;
        return (struct dd){q.hi, q.lo + q.hi * z * POLYNOMIAL(z, atan_terms)};
    }
    int i = (int)(q.hi * 64 + 0.5);
    double c = i / 64.0, t = ((q.hi - c) + q.lo) / (1 + c * q.hi), z = t * t;
    return fast_two_sum(atan_table[i][0], t + (atan_table[i][1] + t * z * POLYNOMIAL(z, atan_terms)));
}

double scalar_atan(double x)
{
    double m = scalar_copysign(x, 1), a;
    if (m < 0x1p-27 || x != x)
        return x;
    if (m <= 1)
        a = dd_round(atan_of((struct dd){m, 0}));
    else
        a = turn_minus(quarter_turn, m < 0x1p60 ? atan_of(quotient(1, m)) : no_turn);
    return scalar_copysign(a, x);
}

/* A common factor that brings numbers near `larger` into a range where sums of two stay exact. */
static double factor_for(double larger)
{
    return larger > 0x1p400 ? 0x1p-600 : larger < 0x1p-400 ? 0x1p600 : 1;
}

/* atan(small / large), 0 <= small <= large, large > 0; infinite numbers count as equal. */
static struct dd atan_of_ratio(double small, double large)
{
    if (small == large)
        return (struct dd){HALF_PI / 2, HALF_PI_LO / 2};
    if (small < large * 0x1p-60)
        return no_turn;
    double f = factor_for(large);
    return atan_of(quotient(small * f, large * f));
}

double scalar_atan2(double y, double x)
{
    if (x != x || y != y)
        return MATH_NAN;
    double across = scalar_copysign(x, 1), up = scalar_copysign(y, 1), a;
    bool left = scalar_raw_f64(x) >> 63;
    if (up == 0)
        a = left ? PI : 0;
    else if (up > across)
        a = (left ? turn_plus : turn_minus)(quarter_turn, atan_of_ratio(across, up));
    else if (left)
        a = turn_minus(half_turn, atan_of_ratio(up, across));
    else if (up < across * 0x1p-60)
        a = up / across;
    else
        a = dd_round(atan_of_ratio(up, across));
    return scalar_copysign(a, y);
}

/* ---- asin ---------------------------------------------------------------------------------------- */

/* asin(x) - x for |x| <= 1/2, z = x^2 */
static double asin_beyond(double x, double z)
{
    return x * z * POLYNOMIAL(z, asin_terms);
}

/* 2 asin(sqrt((1 - m) / 2)) = acos(m), 1/2 <= m <= 1 */
static struct dd acos_near_one(double m)
{
    double z = (1 - m) / 2, root = __builtin_sqrt(z);
    if (z == 0)
        return no_turn;
    struct dd square = two_product(root, root);
    double root_lo = ((z - square.hi) - square.lo) / (2 * root);
    return (struct dd){2 * root, 2 * (root_lo + asin_beyond(root, z))};
}

double scalar_asin(double x)
{
    double m = scalar_copysign(x, 1);
    if (!(m <= 1))
        return MATH_NAN;
    if (m < 0x1p-27)
        return x;
    if (m <= 0.5)
        return x + asin_beyond(x, x * x);
    return scalar_copysign(turn_minus(quarter_turn, acos_near_one(m)), x);
}

double scalar_acos(double x)
{
    double m = scalar_copysign(x, 1);
    if (!(m <= 1))
        return MATH_NAN;
    if (m <= 0.5)
        return turn_minus(quarter_turn, (struct dd){x, asin_beyond(x, x * x)});
    return x < 0 ? turn_minus(half_turn, acos_near_one(m)) : dd_round(acos_near_one(m));
}
