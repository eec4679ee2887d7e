#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the manistat authors
"""Writes tests/data/reference/covariances.txt: covariances and intensities of small integer signals, from the
definitions and in exact rational arithmetic.

    S = sum x_k x_k' / nu,  m = tr(S)/p,  d2 = |S - m I|^2 / p
    Ledoit and Wolf (2004), section 3.2:  b2 = sum |x_k x_k' - S|^2 / (p nu^2),  a = min(b2, d2) / d2
    Chen and others (2010), equation 23:  a = min(1, ((1 - 2/p) tr(S^2) + tr(S)^2) / ((nu + 1 - 2/p) (tr(S^2) - tr(S)^2/p)))

For signals about their mean with nu = T - 1 the sum of b2 is that with T terms plus |S|^2, because sum x_k x_k' is nu S
and not T S: sum |x_k|^4 - nu |S|^2 = sum |x_k x_k' - S|^2 - (T - nu) |S|^2, which is what is written.

A case is a line "p T centre unbiased ledoit-wolf oas", p lines of T samples, p lines of S.
"""
import random
from fractions import Fraction

random.seed(2004)


def case(p, T, centre, unbiased, spread):
    mix = [[random.randint(-3, 3) + (4 * spread if i == j == 0 else 1 if i == j else 0) for j in range(p)] for i in range(p)]
    raw = [[random.randint(-9, 9) for _ in range(T)] for _ in range(p)]
    signals = [[sum(mix[i][k] * raw[k][t] for k in range(p)) + 7 * i for t in range(T)] for i in range(p)]
    x = [[Fraction(v) - (Fraction(sum(row), T) if centre else 0) for v in row] for row in signals]
    nu = T - 1 if centre and unbiased else T
    S = [[sum(x[i][t] * x[j][t] for t in range(T)) / nu for j in range(p)] for i in range(p)]
    m = sum(S[i][i] for i in range(p)) / p
    d2 = sum((S[i][j] - (m if i == j else 0)) ** 2 for i in range(p) for j in range(p)) / p
    squares = sum(S[i][j] ** 2 for i in range(p) for j in range(p))
    error = sum((x[i][t] * x[j][t] - S[i][j]) ** 2 for t in range(T) for i in range(p) for j in range(p))
    b2 = (error - (T - nu) * squares) / (p * nu**2)
    lw = min(max(b2, 0), d2) / d2
    trace2 = (p * m) ** 2
    above = (1 - Fraction(2, p)) * squares + trace2
    oas = min(Fraction(1), above / ((nu + 1 - Fraction(2, p)) * (squares - trace2 / p)))
    print(p, T, int(centre), int(unbiased), repr(float(lw)), repr(float(oas)))
    for row in signals:
        print(*row)
    for row in S:
        print(*(repr(float(v)) for v in row))


print(10)
for p, T, spread in ((2, 30, 2), (3, 12, 5), (5, 40, 9), (6, 4, 3), (8, 25, 12)):
    case(p, T, True, True, spread)
    case(p, T, p % 2 == 0, False, spread)
