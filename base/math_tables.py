#!/usr/bin/env python3
"""Prints math_tables.h: the constants behind base/math_*.c, computed to 70 digits and rounded once; `tables`: prints
math_tables.c, the large ones that several of these files and the interpreter read.

    python3 base/math_tables.py > base/math_tables.h
    python3 base/math_tables.py tables > base/math_tables.c

Polynomials interpolate at Chebyshev nodes, which comes within a small factor of the best polynomial of the
degree; the comment of each states the largest error found, before its coefficients are rounded.
"""
from decimal import Decimal as D, getcontext, localcontext
import math, sys

getcontext().prec = 70

def arctan(x):
    """Halves the angle until the Taylor series converges fast."""
    doublings = 0
    while abs(x) > D("0.01"):
        x = x / (1 + (1 + x * x).sqrt())
        doublings += 1
    term, total, k = x, D(0), 0
    while abs(term) > D(10) ** -75:
        total += term / (2 * k + 1)
        term *= -x * x
        k += 1
    return total * 2 ** doublings

PI = 4 * arctan(D(1))
LN2 = D(2).ln()
LOG_START = 0x3fe6900000000000    # 0.705; an odd multiple of 2^44, so that 1 lies inside a cell

def series(coefficient, z, start):
    """The power series with the given coefficients, from that of z^start, divided by z^start."""
    total, power, term, k = D(0), D(1), D(1), start
    while abs(term) > D(10) ** -75:
        term = coefficient(k) * power
        total += term
        power *= z
        k += 1
    return total

def fact(n):
    return D(math.factorial(n))

def sin_tail(z):
    return series(lambda k: (-1) ** k / fact(2 * k + 1), z, 1)

def cos_tail(z):
    return series(lambda k: (-1) ** k / fact(2 * k), z, 2)

def sinh_tail(z):
    return series(lambda k: 1 / fact(2 * k + 1), z, 1)

def asin_tail(z):
    return series(lambda k: fact(2 * k) / (D(4) ** k * fact(k) ** 2 * (2 * k + 1)), z, 1)

def atan_tail(z):
    return series(lambda k: D((-1) ** k) / (2 * k + 1), z, 1)

def expm1_tail(x):
    return series(lambda k: 1 / fact(k), x, 3)

def tanh_tail(z):
    x = z.sqrt()
    e = (2 * x).exp()
    return ((e - 1) / (e + 1) / x - 1) / z

def interpolate(f, low, high, count):
    """Coefficients of the polynomial of `count` terms, lowest first, and its largest error."""
    with localcontext() as context:
        context.prec = 60
        nodes = [low + (high - low) * (1 + D(math.cos((2 * i + 1) * math.pi / (2 * count)))) / 2
                 for i in range(count)]
        divided = [f(x) for x in nodes]
        for j in range(1, count):
            for i in range(count - 1, j - 1, -1):
                divided[i] = (divided[i] - divided[i - 1]) / (nodes[i] - nodes[i - j])
        poly = [D(0)] * count
        for i in range(count - 1, -1, -1):    # poly = poly * (x - node) + divided
            poly = [(poly[k - 1] if k else divided[i]) - nodes[i] * poly[k] for k in range(count)]
        samples = [low + (high - low) * (2 * i + 1) / 64 for i in range(32)] + [high]
        error = max(abs(f(x) - sum(c * x ** k for k, c in enumerate(poly))) for x in samples)
    return poly, error

def hexf(x):
    return float(x).hex()

def bits_below(x, bits):
    """x rounded to a multiple of 2^-bits."""
    return D(int((x * D(2) ** bits).to_integral_value())) / D(2) ** bits

def top_bits(x, bits):
    """x rounded to so many significant bits."""
    return bits_below(x, bits - math.frexp(float(x))[1])

def rows(values, per_line=4):
    for i in range(0, len(values), per_line):
        print("    " + ", ".join(values[i:i + per_line]) + ",")

def emit_polynomial(name, what, f, low, high, count):
    poly, error = interpolate(f, D(low), D(high), count)
    print(f"\n/* {what}; error 2^{math.log2(float(error)):.1f} */")
    print(f"static const double {name}[{count}] = {{")
    rows([hexf(c) for c in poly])
    print("};")

def emit_constant(name, value, what=""):
    print(f"#define {name} {hexf(value)}" + (f" /* {what} */" if what else ""))

def emit_split(name, value, what):
    high = D(float(value))
    emit_constant(name, high, what)
    emit_constant(name + "_LO", value - high)

def emit_parts(name, value, bits, count):
    """The value as a sum: count - 1 parts of so many bits each, then the rest."""
    for i in range(1, count + 1):
        part = top_bits(value, bits) if i < count else value
        emit_constant(f"{name}_{i}", part)
        value -= part

def emit_pairs(array, count, what, f):
    print(f"\n/* {what}, each as a sum of two */")
    print(f"{array}[{count}][2] = {{")
    for i in range(count):
        high = D(float(f(i)))
        print(f"    {{{hexf(high)}, {hexf(f(i) - high)}}},")
    print("};")

def emit_logarithms():
    """See log_parts in math_parts.h. Cell i begins with the number whose bits are LOG_START + (i << 45)."""
    print("\nconst struct math_logarithm log_table[128] = {")
    def number(bits):
        return (1 + (bits & (1 << 52) - 1) / 2.0 ** 52) * 2.0 ** ((bits >> 52) - 1023)
    for i in range(128):
        low, high = (number(LOG_START + (k << 45)) for k in (i, i + 1))
        c = 1.0 if low < 1 < high else round(1024 / ((low + high) / 2)) / 1024
        log = bits_below(-D(c).ln(), 42)
        print(f"    {{{hexf(c)}, {hexf(log)}, {hexf(-D(c).ln() - log)}}},")
    print("};")

def emit_tables():
    print("/* math_tables.c: generated by math_tables.py. */")
    print('#include "base/math_tables.h"')
    emit_pairs("const double exp_table", 128, "2^(i/128)", lambda i: (LN2 * i / 128).exp())
    emit_logarithms()

def emit_two_over_pi(words):
    with localcontext() as context:
        context.prec = 420
        one = 10 ** 410                   # pi by Machin's formula in integers
        def arccot(n):
            total, power, k = 0, one // n, 0
            while power:
                total += (-1) ** k * power // (2 * k + 1)
                power //= n * n
                k += 1
            return total
        pi = 4 * (4 * arccot(5) - arccot(239))
        bits = (2 * one << 64 * words) // pi
    print(f"\n/* 0, then the first {64 * words} bits of 2 / pi behind the point, highest first */")
    print(f"static const uint64_t two_over_pi[{words + 1}] = {{")
    rows(["0"] + [f"0x{bits >> 64 * (words - 1 - i) & (1 << 64) - 1:016x}" for i in range(words)], 4)
    print("};")

def main():
    print("/* math_tables.h: generated by math_tables.py; included by math_*.c only. */")
    print("#ifndef KERNC_MATH_TABLES_H\n#define KERNC_MATH_TABLES_H\n\n#include <stdint.h>\n")
    print(f"#define LOG_START {LOG_START:#x}u /* the bits of the first cell's first number */")
    emit_constant("LN2", LN2)
    emit_constant("LN2_42", bits_below(LN2, 42), "a multiple of 2^-42, so that 11-bit multiples are exact")
    emit_constant("LN2_42_LO", LN2 - bits_below(LN2, 42))
    step = LN2 / 128
    emit_constant("LN2_128", top_bits(step, 34), "ln(2) / 128 in 34 bits, so that 18-bit multiples are exact")
    emit_constant("LN2_128_LO", step - top_bits(step, 34))
    emit_constant("PER_LN2_128", 1 / step)
    emit_split("PER_LN2", 1 / LN2, "1 / ln(2)")
    emit_split("PER_LN10", 1 / D(10).ln(), "1 / ln(10)")
    emit_split("PI", PI, "")
    emit_split("HALF_PI", PI / 2, "")
    emit_constant("TWO_PER_PI", 2 / PI)
    print("/* pi / 2 as a sum; 20-bit multiples of all but the last are exact */")
    emit_parts("HALF_PI", PI / 2, 33, 4)
    z = PI * PI / 16 * D("1.0001")
    emit_polynomial("sin_terms", "(sin(x) / x - 1) / z, z = x^2 <= (pi/4)^2", sin_tail, 0, z, 7)
    emit_polynomial("cos_terms", "(cos(x) - 1 + z / 2) / z^2", cos_tail, 0, z, 7)
    emit_polynomial("sinf_terms", "the same for float results", sin_tail, 0, z, 4)
    emit_polynomial("cosf_terms", "the same for float results", cos_tail, 0, z, 4)
    emit_polynomial("asin_terms", "(asin(x) / x - 1) / z, z = x^2 <= 1/4", asin_tail, 0, D("0.25"), 14)
    emit_polynomial("atan_terms", "(atan(x) / x - 1) / z, z = x^2 <= 1/256", atan_tail, 0, D(1) / 256, 6)
    emit_polynomial("sinh_terms", "(sinh(x) / x - 1) / z, z = x^2 <= 1", sinh_tail, 0, D(1), 7)
    emit_polynomial("tanh_terms", "(tanh(x) / x - 1) / z, z = x^2 <= 1/4", tanh_tail, 0, D("0.25"), 12)
    emit_polynomial("expm1_terms", "(expm1(x) - x - x^2 / 2) / x^3, |x| <= 0.35", expm1_tail, "-0.35", "0.35", 11)
    emit_pairs("static const double atan_table", 65, "atan(i/64)", lambda i: arctan(D(i) / 64))
    emit_two_over_pi(20)
    print("""
/* In math_tables.c. c: in 11 bits near the reciprocals of a cell's numbers; -ln(c) as a multiple of 2^-42 and a
 * rest. */
#pragma GCC visibility push(hidden)
extern const double exp_table[128][2];
extern const struct math_logarithm { double c, log, log_lo; } log_table[128];
#pragma GCC visibility pop

#endif""")

emit_tables() if sys.argv[1:] == ["tables"] else main()
