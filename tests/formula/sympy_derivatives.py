# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the manistat authors

"""Random formulas of x, y and z with values and derivatives by SymPy, 30 digits each.

A line for each: the formula as manistat writes it, then the point (3 numbers), the value, the gradient (3) and the
Hessian (9 numbers, by rows), separated by tabs. Exit status 77 if there is no SymPy."""

import random
import sys

try:
    import sympy
except ImportError:
    print("SymPy is not installed", file=sys.stderr)
    sys.exit(77)

NAMES = sympy.symbols("x y z", real=True)
# As manistat writes it, and as SymPy does; arguments are kept where each is smooth.
FUNCTIONS = [
    ("exp({})", lambda a: sympy.exp(a)),
    ("log(2 + ({})^2)", lambda a: sympy.log(2 + a**2)),
    ("sqrt(1 + ({})^2)", lambda a: sympy.sqrt(1 + a**2)),
    ("sin({})", sympy.sin),
    ("cos({})", sympy.cos),
    ("tan(0.4*tanh({}))", lambda a: sympy.tan(sympy.Rational(2, 5) * sympy.tanh(a))),
    ("asin(0.6*sin({}))", lambda a: sympy.asin(sympy.Rational(3, 5) * sympy.sin(a))),
    ("acos(0.6*sin({}))", lambda a: sympy.acos(sympy.Rational(3, 5) * sympy.sin(a))),
    ("atan({})", sympy.atan),
    ("sinh(0.5*tanh({}))", lambda a: sympy.sinh(sympy.tanh(a) / 2)),
    ("cosh(0.5*tanh({}))", lambda a: sympy.cosh(sympy.tanh(a) / 2)),
    ("tanh({})", sympy.tanh),
    ("asinh({})", sympy.asinh),
    ("acosh(2 + ({})^2)", lambda a: sympy.acosh(2 + a**2)),
    ("atanh(0.6*sin({}))", lambda a: sympy.atanh(sympy.Rational(3, 5) * sympy.sin(a))),
    ("abs(3 + sin({}))", lambda a: 3 + sympy.sin(a)),
    ("lgamma(3 + sin({}))", lambda a: sympy.loggamma(3 + sympy.sin(a))),
    ("polygamma(1, 3 + sin({}))", lambda a: sympy.polygamma(1, 3 + sympy.sin(a))),
    ("(1.5 + sin({}))^2.3", lambda a: (sympy.Rational(3, 2) + sympy.sin(a)) ** sympy.Rational(23, 10)),
    ("({})^3", lambda a: a**3),
    ("1/(2 + sin({}))", lambda a: 1 / (2 + sympy.sin(a))),
]


def grow(depth):
    """A random formula as text and as an expression."""
    kind = random.random()
    if depth == 0 or kind < 0.1:
        if random.random() < 0.7:
            k = random.randrange(3)
            return "xyz"[k], NAMES[k]
        number = random.randint(1, 40)
        return str(number / 8), sympy.Rational(number, 8)
    if kind < 0.5:
        text, make = random.choice(FUNCTIONS)
        inner, argument = grow(depth - 1)
        return text.format(inner), make(argument)
    left, a = grow(depth - 1)
    right, b = grow(depth - 1)
    if kind < 0.65:
        return f"({left} + {right})", a + b
    if kind < 0.75:
        return f"({left} - {right})", a - b
    if kind < 0.9:
        return f"({left})*({right})", a * b
    return f"atan2(3 + sin({left}), {right})", sympy.atan2(3 + sympy.sin(a), b)


def main():
    random.seed(2712)
    count = int(sys.argv[1])
    while count > 0:
        text, f = grow(3)
        if not f.free_symbols:
            continue
        at = [sympy.Rational(random.randint(-16, 16), 16) for _ in NAMES]
        point = dict(zip(NAMES, at))
        first = [sympy.diff(f, v) for v in NAMES]
        wanted = [f, *first, *(sympy.diff(g, v) for g in first for v in NAMES)]
        numbers = [sympy.N(w.subs(point), 30) for w in wanted]
        # A value beyond 1e6 says more of rounding than of rules.
        if any(not n.is_real or abs(n) > 1e6 for n in numbers):
            continue
        print(text, *(float(a) for a in at), *(f"{float(n):.17g}" for n in numbers), sep="\t", flush=True)
        count -= 1


if __name__ == "__main__":
    main()
