/* math_trig.c: sine, cosine and tangent, of doubles and floats.
 *
 * x = n * pi/2 + r with |r| <= pi/4; n modulo 4 chooses the function of r and its sign. Up to 2^20 the
 * multiple of pi/2 is subtracted in parts short enough to be exact; beyond, x * 2/pi is computed modulo 4
 * in integers (Payne and Hanek), from the bits of 2/pi that matter for x's exponent. Both keep r to more
 * than 2^-64 of itself even where x is as near to a multiple of pi/2 as a double can be (2^-62).
 *
 * Errors, in units of the last place: tests hold them below 0.8 (sin, cos), 0.95 (tan) and 0.5002 (floats).
 */
#include "base/math_quick.h"

#define QUARTER_PI  (HALF_PI / 2)
#define EXACT_BELOW 0x1p20

/* ---- reduction ----------------------------------------------------------------------------------- */

struct reduced {
    struct dd r;
    int quadrant;
};

static struct reduced reduce_in_parts(double x)
{
    int32_t quadrant = nearest(x * TWO_PER_PI);
    double n = quadrant;
    struct dd a = two_sum(x - n * HALF_PI_1, -n * HALF_PI_2);
    struct dd b = two_sum(a.hi, -n * HALF_PI_3);
    return (struct reduced){two_sum(b.hi, a.lo + b.lo - n * HALF_PI_4), quadrant & 3};
}

/* 64 bits of two_over_pi from bit `at` on, the highest bit of its second word being bit 64. */
static uint64_t window(int at)
{
    const uint64_t *word = two_over_pi + at / 64;
    int shift = at % 64;
    return shift ? word[0] << shift | word[1] >> (64 - shift) : word[0];
}

/* x = mantissa * 2^e, x >= 2^20, so e >= -32. Of the bits of 2/pi those above 2^(1-e) make multiples of 4,
 * and those 192 bits lower add less than 2^-137: only the window between them is multiplied, modulo 4.
 */
static struct reduced reduce_in_integers(double x)
{
    uint64_t bits = scalar_raw_f64(x), mantissa = (bits & 0xfffffffffffffu) | (uint64_t)1 << 52;
    int e = (int)(bits >> 52) - 1075, at = e + 62;
    unsigned __int128 low = (unsigned __int128)mantissa * window(at + 128);
    unsigned __int128 middle = (unsigned __int128)mantissa * window(at + 64) + (uint64_t)(low >> 64);
    uint64_t high = mantissa * window(at) + (uint64_t)(middle >> 64); /* two bits before the point */
    unsigned __int128 fraction =
        (unsigned __int128)high << 66 | (unsigned __int128)(uint64_t)middle << 2 | (uint64_t)low >> 62;
    __int128 rest = (__int128)fraction >> 1; /* below zero if above one half: the next quadrant's */
    double hi = (double)rest, lo = (double)(rest - (__int128)hi);
    struct dd r = two_product(hi * 0x1p-127, HALF_PI);
    r = fast_two_sum(r.hi, r.lo + (hi * HALF_PI_LO + lo * HALF_PI) * 0x1p-127);
    return (struct reduced){r, (int)(high >> 62) + (rest < 0)};
}

static struct reduced reduce(double x)
{
    double m = scalar_copysign(x, 1);
    if (m <= QUARTER_PI)
        return (struct reduced){{x, 0}, 0};
    if (m < EXACT_BELOW)
        return reduce_in_parts(x);
    struct reduced s = reduce_in_integers(m);
    return x > 0 ? s : (struct reduced){{-s.r.hi, -s.r.lo}, -s.quadrant & 3};
}

/* ---- sine and cosine of the reduced argument -------------------------------------------------------- */

static struct dd sin_of(struct dd r)
{
    double z = r.hi * r.hi;
    return (struct dd){r.hi, r.hi * z * POLYNOMIAL(z, sin_terms) + r.lo * (1 - 0.5 * z)};
}

static struct dd cos_of(struct dd r)
{
    struct dd z = two_product(r.hi, r.hi), c = fast_two_sum(1, -0.5 * z.hi);
    c.lo += z.hi * z.hi * POLYNOMIAL(z.hi, cos_terms) - 0.5 * z.lo - r.hi * r.lo;
    return c;
}

/* The sine of r + quadrant * pi/2. */
static double sin_in_quadrant(struct dd r, int quadrant)
{
    double s = dd_round(quadrant & 1 ? cos_of(r) : sin_of(r));
    return quadrant & 2 ? -s : s;
}

static bool is_finite(double x)
{
    return scalar_copysign(x, 1) < MATH_INF;
}

double scalar_sin(double x)
{
    if (!is_finite(x))
        return MATH_NAN;
    if (scalar_copysign(x, 1) < 0x1p-27)
        return x;
    struct reduced s = reduce(x);
    return sin_in_quadrant(s.r, s.quadrant);
}

double scalar_cos(double x)
{
    if (!is_finite(x))
        return MATH_NAN;
    struct reduced s = reduce(x);
    return sin_in_quadrant(s.r, s.quadrant + 1);
}

/* (a.hi + a.lo) / (b.hi + b.lo) */
static double divide(struct dd a, struct dd b)
{
    struct dd q = quotient(a.hi, b.hi);
    return q.hi + (q.lo + (a.lo - q.hi * b.lo) / b.hi);
}

double scalar_tan(double x)
{
    if (!is_finite(x))
        return MATH_NAN;
    if (scalar_copysign(x, 1) < 0x1p-27)
        return x;
    struct reduced n = reduce(x);
    struct dd s = sin_of(n.r), c = cos_of(n.r);
    s = fast_two_sum(s.hi, s.lo);
    c = fast_two_sum(c.hi, c.lo);
    return n.quadrant & 1 ? -divide(c, s) : divide(s, c);
}

/* ---- floats: the same in plain double, to about 40 bits -------------------------------------------- */

static inline struct quick_angle reduce_float(float x)
{
    if (QUICK_HOLDS_sin(x))
        return quick_reduce(x);
    if (!is_finite(x))
        return (struct quick_angle){MATH_NAN, 0};
    struct reduced s = reduce(x);
    return (struct quick_angle){s.r.hi, (uint64_t)s.quadrant};
}

/* quick_sin_of_angle with branches, which a single value is quicker with. */
static inline float sinf_in_quadrant(double r, uint64_t quadrant)
{
    double s = quadrant & 1 ? quick_cos_of(r) : quick_sin_of(r);
    return (float)(quadrant & 2 ? -s : s);
}

float scalar_sinf(float x)
{
    struct quick_angle a = reduce_float(x);
    return x == 0 ? x : sinf_in_quadrant(a.r, a.quadrant);
}

float scalar_cosf(float x)
{
    struct quick_angle a = reduce_float(x);
    return sinf_in_quadrant(a.r, a.quadrant + 1);
}

float scalar_tanf(float x)
{
    struct quick_angle a = reduce_float(x);
    double s = quick_sin_of(a.r), c = quick_cos_of(a.r);
    return x == 0 ? x : (float)(a.quadrant & 1 ? -c / s : s / c);
}
