/* host_math.h: the special functions that C++17 has in <cmath>, declared. Only the host can call them. What the
 * host does is checked and left out, so that their bodies are needed nowhere; those of libstdc++ take longer
 * to read than all else that a kernel needs. math.h includes it in the place of libstdc++'s header.
 */
#ifndef __KERN_HOST_MATH_H__
#define __KERN_HOST_MATH_H__

#define __STDCPP_MATH_SPEC_FUNCS__       201003L
#define __cpp_lib_math_special_functions 201603L

/* X(function, kinds of its parameters): u is unsigned, r a real number. */
#define __KERN_SPECIAL(X)                                                                                    \
    X(assoc_laguerre, uur)                                                                                   \
    X(assoc_legendre, uur)                                                                                   \
    X(beta, rr)                                                                                              \
    X(comp_ellint_1, r)                                                                                      \
    X(comp_ellint_2, r)                                                                                      \
    X(comp_ellint_3, rr)                                                                                     \
    X(cyl_bessel_i, rr)                                                                                      \
    X(cyl_bessel_j, rr)                                                                                      \
    X(cyl_bessel_k, rr)                                                                                      \
    X(cyl_neumann, rr)                                                                                       \
    X(ellint_1, rr)                                                                                          \
    X(ellint_2, rr)                                                                                          \
    X(ellint_3, rrr)                                                                                         \
    X(expint, r)                                                                                             \
    X(hermite, ur)                                                                                           \
    X(laguerre, ur)                                                                                          \
    X(legendre, ur)                                                                                          \
    X(riemann_zeta, r)                                                                                       \
    X(sph_bessel, ur)                                                                                        \
    X(sph_legendre, uur)                                                                                     \
    X(sph_neumann, ur)
#define __KERN_EXTENDED(X)                                                                                   \
    X(airy_ai, r)                                                                                            \
    X(airy_bi, r)                                                                                            \
    X(conf_hyperg, rrr)                                                                                      \
    X(hyperg, rrrr)

/* Of float, of long double, and of any numbers: in double if an integer is among them. */
#define __KERN_PLAIN_r(T)    (T)
#define __KERN_PLAIN_ur(T)   (unsigned, T)
#define __KERN_PLAIN_uur(T)  (unsigned, unsigned, T)
#define __KERN_PLAIN_rr(T)   (T, T)
#define __KERN_PLAIN_rrr(T)  (T, T, T)
#define __KERN_PLAIN_rrrr(T) (T, T, T, T)
#define __KERN_ANY_r(f)      template <class A> __kern_real<A> f(A);
#define __KERN_ANY_ur(f)     template <class A> __kern_real<A> f(unsigned, A);
#define __KERN_ANY_uur(f)    template <class A> __kern_real<A> f(unsigned, unsigned, A);
#define __KERN_ANY_rr(f)     template <class A, class B> __kern_real<A, B> f(A, B);
#define __KERN_ANY_rrr(f)    template <class A, class B, class C> __kern_real<A, B, C> f(A, B, C);
#define __KERN_ANY_rrrr(f)                                                                                   \
    template <class A, class B, class C, class D> __kern_real<A, B, C, D> f(A, B, C, D);
#define __KERN_DECLARE(name, kinds)                                                                          \
    float name##f __KERN_PLAIN_##kinds(float);                                                               \
    long double name##l __KERN_PLAIN_##kinds(long double);                                                   \
    __KERN_ANY_##kinds(name)

template <class A> using __kern_real_of = std::conditional_t<std::is_integral_v<A>, double, A>;
template <class... A>
using __kern_real = std::enable_if_t<(std::is_arithmetic_v<A> && ...), decltype((__kern_real_of<A>() + ...))>;

namespace std
{
__KERN_SPECIAL(__KERN_DECLARE)
}
namespace __gnu_cxx
{
__KERN_EXTENDED(__KERN_DECLARE)
}

#undef __KERN_DECLARE
#undef __KERN_ANY_r
#undef __KERN_ANY_ur
#undef __KERN_ANY_uur
#undef __KERN_ANY_rr
#undef __KERN_ANY_rrr
#undef __KERN_ANY_rrrr
#undef __KERN_PLAIN_r
#undef __KERN_PLAIN_ur
#undef __KERN_PLAIN_uur
#undef __KERN_PLAIN_rr
#undef __KERN_PLAIN_rrr
#undef __KERN_PLAIN_rrrr
#undef __KERN_SPECIAL
#undef __KERN_EXTENDED

#endif
