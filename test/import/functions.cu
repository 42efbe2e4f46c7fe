// C's mathematical functions: those that are operations, and those of libm.h.
// NEEDS: clang-19
#include <cmath>

__global__ void operations(float *f, double *d)
{
    float a = f[0];
    double b = d[0];
    int n = 0, k = 0;
    f[n++] = sinf(a) + __sinf(a);
    f[n++] = std::sqrt(a) + sqrtf(a);
    f[n++] = fmaf(a, a, 1.0f) + std::fma(a, a, 1.0f);
    f[n++] = rsqrtf(4 * a) + __fdividef(a, 2.0f) + fdividef(a, 2.0f);
    f[n++] = floorf(-a) + ceilf(-a) + roundf(-2.5f) + rintf(-2.5f) + truncf(-2.5f) + nearbyintf(3.5f);
    f[n++] = fminf(a, 2.0f) + fmaxf(a, 2.0f) + std::max(a, 3.0f) + fmin(a, 7.0f) + max(a, 4.0f);
    f[n++] = fabsf(-a) + std::abs(-a) + fabs(-a) + abs(-3) + std::abs(-4);
    f[n++] = powf(2.0f, 10.0f) + std::pow(2.0f, 3) + exp2f(4.0f) + exp10f(2.0f);
    f[n++] = fmodf(7.0f, 4.0f) + copysignf(3.0f, -a) + hypotf(3.0f, 4.0f) + cbrtf(27.0f);
    f[n++] = isnan(a - a) + 10 * isinf(a / 0.0f) + 100 * signbit(-a) + 1000 * isfinite(a) + 10000 * std::isnan(NAN);
    d[k++] = cos(b) + sin(b);
    d[k++] = pow(b + 2, 3.0) + exp(b) + log(b + 1) + max(b, 2.0) + norm3d(2.0, 3.0, 6.0);
    d[k++] = rcbrt(b + 8) + sinpi(b + 0.5) + cospi(b + 1) + normcdf(b);
}
// kern: launch operations(f = {1, 0, 0, 0, 0, 0, 0, 0, 0, 0}, d = {0, 0, 0}) block(1) show(f) show(d)
// RUN: %kernc run %s --launch=operations
// OUT: f[0..10]: 1.6829419 2 4 1.5 -5 11 10 1148 8 11110
// OUT: d[0..3]: 1 18 1

__global__ void library(double *d, int *o)
{
    double whole, s, c, x = d[0];
    int e;
    d[0] = erf(x) + erfc(x);
    d[1] = tgamma(5 * x) - 24;
    d[2] = lgamma(3 * x) - log(2.0);
    d[3] = ldexp(x, -1074) / 0x1p-1074;
    d[4] = frexp(12 * x, &e) + e;
    d[5] = modf(-2.75 * x, &whole) * 100 + whole;
    d[6] = nextafter(x, 2.0) - 1;
    d[7] = remainder(11 * x, 4) + fdim(5 * x, 3) + logb(9 * x) + scalbn(x, 4);
    sincos(x - 1, &s, &c);
    d[8] = s + c + asinh(x - 1) + acosh(x) + atanh(x - 1);
    d[9] = erfinv(0.5 * x) - 0.47693627620446987;
    d[10] = normcdfinv(0.975 * x) - 1.9599639845400545;
    o[0] = lround(2.5 * x) + lrint(2.5 * x) + (int)llround(-2.5 * x) + ilogb(1025 * x);
}
// kern: launch library(d = {1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, o = zeros(1)) block(1) show(d) show(o)
// RUN: %kernc run %s --launch=library | awk '{ for (i = 2; i <= NF; i++) $i = sprintf("%%.9g", $i); print }' | sed 's/[0-9.]*e-1[0-9]/tiny/g; s/-tiny/tiny/g'
// OUT: d[0..11]: 1 tiny tiny 1 4.75 -77 tiny 20 1 
// OUT: o[0..1]: 12
