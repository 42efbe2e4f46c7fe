// Functions of the C++ library that only the host can call are checked, and need no header of their own.
// NEEDS: clang-19
#include <cmath>
#include <execution>
#include <numeric>
#include <tr1/cmath>

static_assert(sizeof(std::beta(1.0f, 2)) == sizeof(double) && sizeof(std::beta(1.0f, 2.0f)) == sizeof(float), "");
static_assert(sizeof(std::ellint_3(1.0f, 2.0f, 3.0L)) == sizeof(long double), "");
#ifdef __STRICT_ANSI__
#define GNU 0
#else
#define GNU __gnu_cxx::hyperg(1.0, 2.0, 3.0, 4)
#endif
__global__ void k(double *p)
{
    p[threadIdx.x] = std::numeric_limits<short>::max();
}
int main()
{
    double a[4] = {std::riemann_zeta(2), std::assoc_legendre(2, 1, .5), std::cyl_bessel_jf(0, 1), (double)std::hermitel(3, 1)};
    a[0] += std::tr1::sph_neumann(2, 1.0) + GNU;
    std::sort(std::execution::par, a, a + 4);
    std::sort(a, a + 4);
    return std::reduce(std::execution::seq, a, a + 4) > std::accumulate(a, a + 4, 0);
}
// kern: launch k(p = zeros(1)) block(1) show(p)
// RUN: %kernc run %s
// OUT-IS: p[0..1]: 32767
// RUN: %kernc run --std=c++17 %s
// OUT-IS: p[0..1]: 32767
