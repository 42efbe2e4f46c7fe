/* math_fmod.c: the remainder of a division of floats, exact.
 *
 * Both numbers are integers times the power of two of the smaller one's last place; the remainder of the
 * integers is found by long division, as many binary digits a step as fit 64 bits.
 */
#include "base/math_parts.h"

/* a * 2^up modulo b; a < b < 2^53. */
static uint64_t shifted_remainder(uint64_t a, int up, uint64_t b, int digits)
{
    for (; up > digits && a; up -= digits)
        a = (a << digits) % b;
    return a ? (a << up) % b : 0;
}

/* A positive finite number's integer and exponent: value = integer * 2^(e - 1075), e >= 1. */
struct binary {
    uint64_t integer;
    int e;
};

static struct binary binary_of(double x)
{
    uint64_t bits = scalar_raw_f64(x), hidden = (uint64_t)1 << 52;
    int e = (int)(bits >> 52);
    return (struct binary){(bits & (hidden - 1)) | (e ? hidden : 0), e ? e : 1};
}

/* integer < 2^53 and the value at least the smallest that the exponent can hold: exact. */
static double double_of(struct binary b)
{
    if (!b.integer)
        return 0;
    int up = __builtin_clzll(b.integer) - 11;
    up = up < b.e - 1 ? up : b.e - 1;
    uint64_t bits = b.integer << up, hidden = (uint64_t)1 << 52;
    return scalar_from_f64(bits & hidden ? (bits - hidden) | (uint64_t)(b.e - up) << 52 : bits);
}

static bool defined(double a, double b)
{
    return scalar_copysign(a, 1) < MATH_INF && b == b && b != 0;
}

double scalar_fmod(double a, double b)
{
    if (!defined(a, b))
        return MATH_NAN;
    double m = scalar_copysign(a, 1), n = scalar_copysign(b, 1);
    if (m < n)
        return a;
    struct binary x = binary_of(m), y = binary_of(n);
    uint64_t rest = shifted_remainder(x.integer % y.integer, x.e - y.e, y.integer, 11);
    return scalar_copysign(double_of((struct binary){rest, y.e}), a);
}

float scalar_fmodf(float a, float b)
{
    return (float)scalar_fmod(a, b);
}
