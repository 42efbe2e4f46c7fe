/* math_float.c: functions of floats, computed in double and rounded once. (sinf, cosf, tanf: math_trig.c)
 *
 * The cores that loops of kernels spend their time in (exp, log, pow, tanh) use exp_short and log_short,
 * good to 40 bits or more; the rest use the double functions. Either way the result is the nearest float
 * unless the exact value lies within about 2^-14 units of the last place of the middle between two.
 */
#include "base/math_quick.h"

/* ---- exponentials -------------------------------------------------------------------------------- */

float scalar_expf(float x)
{
    return quick_exp(x);
}

float scalar_exp2f(float x)
{
    return x == x ? quick_exp2(x) : x;
}

/* Below this the Taylor series are short, above it the difference of exponentials loses at most 6 bits. */
#define SMALL 0x1p-6

float scalar_expm1f(float a)
{
    double x = a;
    if (scalar_copysign(x, 1) < SMALL)
        return a == 0 ? a : (float)(x + x * x * (1.0 / 2 + x * (1.0 / 6 + x * (1.0 / 24 + x * (1.0 / 120)))));
    return (float)(exp_short(x) - 1);
}

float scalar_sinhf(float a)
{
    double x = a, z = x * x, e = exp_short(x);
    if (scalar_copysign(x, 1) < SMALL)
        return a == 0 ? a : (float)(x + x * z * (1.0 / 6 + z * (1.0 / 120)));
    return (float)(0.5 * e - 0.5 / e);
}

float scalar_coshf(float x)
{
    double e = exp_short(x);
    return (float)(0.5 * e + 0.5 / e);
}

float scalar_tanhf(float a)
{
    double x = a, z = x * x;
    if (scalar_copysign(x, 1) < SMALL)
        return a == 0 ? a : (float)(x - x * z * (1.0 / 3 - z * (2.0 / 15 - z * (17.0 / 315))));
    return (float)(1 - 2 / (exp_short(2 * x) + 1));
}

/* ---- logarithms ---------------------------------------------------------------------------------- */

/* Of a number that is not positive or not finite. */
static float log_of_special(float x)
{
    return x == 0 ? -(float)MATH_INF : x > 0 ? x : (float)MATH_NAN;
}

float scalar_logf(float x)
{
    return QUICK_HOLDS_log(x) ? quick_log(x) : log_of_special(x);
}

float scalar_log2f(float x)
{
    return QUICK_HOLDS_log(x) ? quick_log2(x) : log_of_special(x);
}

float scalar_log10f(float x)
{
    return QUICK_HOLDS_log(x) ? quick_log10(x) : log_of_special(x);
}

float scalar_powf(float x, float y)
{
    double result;
    if (!(x > 0 && x < MATH_INF && scalar_copysignf(y, 1) < MATH_INF) && math_pow_special(x, y, &result))
        return (float)result;
    return (float)(math_pow_sign(x, y) * exp_short(y * log_short(scalar_copysign(x, 1))));
}

/* ---- through the double functions ---------------------------------------------------------------- */

#define THROUGH_DOUBLE(name)                                                                                 \
    float scalar_##name##f(float x)                                                                          \
    {                                                                                                        \
        return (float)scalar_##name(x);                                                                      \
    }
THROUGH_DOUBLE(asin)
THROUGH_DOUBLE(acos)
THROUGH_DOUBLE(atan)
THROUGH_DOUBLE(log1p)
THROUGH_DOUBLE(cbrt)

float scalar_atan2f(float y, float x)
{
    return (float)scalar_atan2(y, x);
}

/* The squares are exact, their sum is nearly so and cannot overflow. */
float scalar_hypotf(float x, float y)
{
    double a = x, b = y;
    if (scalar_copysign(a, 1) == MATH_INF || scalar_copysign(b, 1) == MATH_INF)
        return (float)MATH_INF;
    return (float)__builtin_sqrt(a * a + b * b);
}
