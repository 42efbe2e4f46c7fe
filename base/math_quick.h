/* math_quick.h: functions of floats without branches, so that loops over lanes become vector code; and where
 * they hold. scalar_sinf and the like are made of them, so both give the same bits.
 *
 * Integers have 64 bits like the doubles beside them, and are moved by shifts and additions that vector units
 * have: a machine vector of four may have no conversion of them.
 */
#ifndef KERNC_MATH_QUICK_H
#define KERNC_MATH_QUICK_H

#include "base/math_parts.h"

/* For which x they hold, also of vectors of x. Up to QUICK_BELOW multiples of pi/2 are subtracted in parts that
 * are exact. */
#define QUICK_BELOW        0x1p20f
#define QUICK_HOLDS_sin(x) (((x) < QUICK_BELOW) & ((x) > -QUICK_BELOW))
#define QUICK_HOLDS_cos    QUICK_HOLDS_sin
#define QUICK_HOLDS_exp(x) ((x) == (x))
#define QUICK_HOLDS_exp2   QUICK_HOLDS_exp
#define QUICK_HOLDS_log(x) (((x) > 0.0f) & ((x) < (float)MATH_INF))
#define QUICK_HOLDS_log2   QUICK_HOLDS_log
#define QUICK_HOLDS_log10  QUICK_HOLDS_log

/* An angle as n * pi/2 + r; `quadrant`: n, whose last two bits count. */
struct quick_angle {
    double r;
    uint64_t quadrant;
};

static inline struct quick_angle quick_reduce(double x)
{
    double shifted = x * TWO_PER_PI + 0x1.8p52, n = shifted - 0x1.8p52;
    double r = x - n * HALF_PI_1 - n * (HALF_PI_2 + HALF_PI_3);
    return (struct quick_angle){r, scalar_raw_f64(shifted)};
}

static inline double quick_sin_of(double r)
{
    double z = r * r;
    return r + r * z * POLYNOMIAL(z, sinf_terms);
}

static inline double quick_cos_of(double r)
{
    double z = r * r;
    return (1 - 0.5 * z) + z * z * POLYNOMIAL(z, cosf_terms);
}

/* The sine of the angle. */
static inline float quick_sin_of_angle(struct quick_angle a)
{
    double sine = quick_sin_of(a.r), cosine = quick_cos_of(a.r);
    uint64_t odd = -(a.quadrant & 1), bits = (scalar_raw_f64(cosine) & odd) | (scalar_raw_f64(sine) & ~odd);
    return (float)scalar_from_f64(bits ^ (a.quadrant & 2) << 62);
}

static inline float quick_sin(float x)
{
    float sine = quick_sin_of_angle(quick_reduce(x));
    return x == 0 ? x : sine;
}

static inline float quick_cos(float x)
{
    struct quick_angle a = quick_reduce(x);
    return quick_sin_of_angle((struct quick_angle){a.r, a.quadrant + 1});
}

static inline float quick_exp(float x)
{
    return (float)exp_short(x);
}

static inline float quick_exp2(float x)
{
    double wide = x < -200 ? -200 : x;
    wide = wide > 200 ? 200 : wide;
    double shifted = wide * 128 + 0x1.8p52, k = shifted - 0x1.8p52;
    return (float)exp_of_step_short(scalar_raw_f64(shifted), (wide - k / 128) * LN2);
}

static inline float quick_log(float x)
{
    return (float)log_short(x);
}

static inline float quick_log2(float x)
{
    return (float)(log_short(x) * PER_LN2);
}

static inline float quick_log10(float x)
{
    return (float)(log_short(x) * PER_LN10);
}

#endif
