/* math_parts.h: what the functions of math_*.c share: sums of two doubles, polynomials, and the cores of
 * exponential and logarithm. Private to them.
 *
 * Everything here uses + - * / and integers only, so results are the same on every host with IEEE
 * arithmetic. A `dd` stands for the exact sum hi + lo, |lo| small against |hi|; most functions end by
 * returning hi + lo, which is the only rounding of weight.
 */
#ifndef KERNC_MATH_PARTS_H
#define KERNC_MATH_PARTS_H

#include "base/math_tables.h"
#include "base/scalar.h"

struct dd {
    double hi, lo;
};

#define EXPONENT ((uint64_t)0xfff << 52) /* the bits of sign and exponent */
#define MATH_INF __builtin_inf()
#define MATH_NAN __builtin_nan("")

static inline double dd_round(struct dd x)
{
    return x.hi + x.lo;
}

/* a + b exactly; |a| >= |b| or a == 0. */
static inline struct dd fast_two_sum(double a, double b)
{
    double s = a + b;
    return (struct dd){s, b - (s - a)};
}

/* a + b exactly. */
static inline struct dd two_sum(double a, double b)
{
    double s = a + b, part = s - a;
    return (struct dd){s, (a - (s - part)) + (b - part)};
}

/* x in two halves of 26 bits; |x| < 2^996. */
static inline struct dd halves(double x)
{
    double scaled = x * 0x1.0000002p27, hi = scaled - (scaled - x);
    return (struct dd){hi, x - hi};
}

/* a * b exactly, unless that overflows or leaves the normal numbers. (Both ways give the same bits.) */
static inline struct dd two_product(double a, double b)
{
    double p = a * b;
#ifdef __FMA__
    return (struct dd){p, __builtin_fma(a, b, -p)};
#else
    struct dd x = halves(a), y = halves(b);
    return (struct dd){p, ((x.hi * y.hi - p) + x.hi * y.lo + x.lo * y.hi) + x.lo * y.lo};
#endif
}

/* a / b to about 100 bits. */
static inline struct dd quotient(double a, double b)
{
    double q = a / b;
    struct dd p = two_product(q, b);
    return (struct dd){q, ((a - p.hi) - p.lo) / b};
}

/* The polynomial with the `count` coefficients c, lowest first; even and odd powers as two chains of
 * operations take half the time of one. */
static inline __attribute__((always_inline)) double polynomial(double x, const double *c, int count)
{
    double square = x * x, even = c[(count - 1) & ~1], odd = c[(count - 2) | 1];
#pragma GCC unroll 16
    for (int i = ((count - 1) & ~1) - 2; i >= 0; i -= 2)
        even = even * square + c[i];
#pragma GCC unroll 16
    for (int i = ((count - 2) | 1) - 2; i >= 0; i -= 2)
        odd = odd * square + c[i];
    return even + odd * x;
}
#define POLYNOMIAL(x, terms) polynomial((x), (terms), (int)COUNT(terms))

static inline double two_to(int e) /* -1022 <= e <= 1023 */
{
    return scalar_from_f64((uint64_t)(1023 + e) << 52);
}

/* m * 2^e rounded once; 1/2 < m < 4, any e. */
static inline double scale(double m, int e)
{
    if (e > 1022)
        return e > 1026 ? MATH_INF : m * 0x1p1022 * two_to(e - 1022);
    return e >= -1021 ? m * two_to(e) : e < -1100 ? 0 : m * two_to(e + 200) * 0x1p-200;
}

/* ---- exponential --------------------------------------------------------------------------------- */

/* (m.hi + m.lo) * 2^e; 1 <= m.hi < 2, |m.lo| < 2^-7. */
struct scaled {
    struct dd m;
    int e;
};

/* x to the nearest integer, halves to even; |x| < 2^31. */
static inline int32_t nearest(double x)
{
    return (int32_t)(uint32_t)scalar_raw_f64(x + 0x1.8p52);
}

/* 2^(k/128) * e^r, |r| <= ln(2) / 256: k gives the exponent and an entry of the table; what the Taylor series
 * leaves out is below 2^-60. */
static inline struct scaled exp_of_step(int32_t k, double r)
{
    const double *power = exp_table[k & 127];
    double tail = r + r * r * (0.5 + r * (1.0 / 6 + r * (1.0 / 24 + r * (1.0 / 120))));
    return (struct scaled){{power[0], power[1] + power[0] * tail}, k >> 7};
}

/* e^(x.hi + x.lo), |x.hi| < 900. */
static inline struct scaled exp_parts(struct dd x)
{
    int32_t k = nearest(x.hi * PER_LN2_128);
    return exp_of_step(k, (x.hi - k * LN2_128) - k * LN2_128_LO + x.lo);
}

/* The same to about 48 bits as a double, for float results; k / 128 within the exponents of double. Of k the
 * last 19 bits count. */
static inline double exp_of_step_short(uint64_t k, double r)
{
    const double *table = exp_table[0]; /* gcc makes no vectors of two indices */
    double power = table[2 * (k & 127)];
    power = scalar_from_f64(scalar_raw_f64(power) + (k << 45 & EXPONENT));
    return power + power * (r + r * r * (0.5 + r * (1.0 / 6 + r * (1.0 / 24))));
}

/* e^x; beyond what float holds, something beyond it as well. A NaN gives a NaN. */
static inline double exp_short(double x)
{
    x = x < -200 ? -200 : x;
    x = x > 200 ? 200 : x;
    double shifted = x * PER_LN2_128 + 0x1.8p52, k = shifted - 0x1.8p52;
    return exp_of_step_short(scalar_raw_f64(shifted), x - k * LN2_128 - k * LN2_128_LO);
}

/* ---- logarithm ----------------------------------------------------------------------------------- */

/* x = 2^e * m where m lies in cell i of log_table, about 0.705 <= m < 1.41. x is normal. */
struct log_cell {
    double m;
    int e;
    uint32_t i;
};

static inline struct log_cell log_cell(uint64_t bits)
{
    uint64_t offset = bits - LOG_START;
    int e = (int)(i64(offset) >> 52);
    return (struct log_cell){scalar_from_f64(bits - ((uint64_t)e << 52)), e, offset >> 45 & 127};
}

/* ln(x) to 2^-66 of itself; x is positive and finite. With r = c * m - 1, exact as m is split and c short,
 * ln(x) = e * ln(2) - ln(c) + r - r^2 / 2 + r^3 / 3 ...; |r| < 2^-7.8. Near 1 both first terms vanish.
 */
static inline struct dd log_parts(double x)
{
    static const double cubic[] = {1.0 / 3, -1.0 / 4, 1.0 / 5, -1.0 / 6, 1.0 / 7, -1.0 / 8, 1.0 / 9};
    bool small = x < 0x1p-1022;
    struct log_cell cell = log_cell(scalar_raw_f64(small ? x * 0x1p54 : x));
    double e = small ? cell.e - 54 : cell.e, c = log_table[cell.i].c;
    double m_hi = scalar_from_f64(scalar_raw_f64(cell.m) & ~(uint64_t)0x7ffffff);
    struct dd r = two_sum(m_hi * c - 1, (cell.m - m_hi) * c);
    struct dd square = two_product(r.hi, r.hi);
    struct dd s = fast_two_sum(e * LN2_42 + log_table[cell.i].log, r.hi);
    struct dd t = fast_two_sum(s.hi, -0.5 * square.hi);
    double tail = r.hi * square.hi * POLYNOMIAL(r.hi, cubic) - 0.5 * square.lo - r.hi * r.lo + r.lo;
    return fast_two_sum(t.hi, tail + (e * LN2_42_LO + log_table[cell.i].log_lo) + s.lo + t.lo);
}

/* ln(x) to about 2^-50 of itself, for float results, from the cell as above with e made without a conversion;
 * x is a positive finite float, so that c * x is exact. */
static inline double log_short(double x)
{
    static const double series[] = {-1.0 / 2, 1.0 / 3, -1.0 / 4, 1.0 / 5, -1.0 / 6};
    uint64_t bits = scalar_raw_f64(x), offset = bits - LOG_START, i = offset >> 45 & 127;
    double e = scalar_from_f64((offset >> 52 ^ 0x800) | scalar_raw_f64(0x1p52)) - (0x1p52 + 0x800);
    double r = scalar_from_f64(bits - (offset & EXPONENT)) * log_table[i].c - 1;
    double tail = log_table[i].log_lo + r * r * POLYNOMIAL(r, series);
    return (e * LN2 + log_table[i].log) + (r + tail);
}

/* ---- pow, in both precisions (math_log.c) ----------------------------------------------------------- */

/* Whether C's rules for zeros, infinities, NaNs and negative numbers give x^y, and what they give. */
bool math_pow_special(double x, double y, double *result);
double math_pow_sign(double x, double y); /* -1 if x < 0 and y is odd, else 1 */

#endif
