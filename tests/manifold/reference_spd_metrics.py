#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the manistat authors
"""Distances and logarithms of positive definite matrices in 80 digits (mpmath), for condition numbers to 1e10.

    python3 tests/manifold/reference_spd_metrics.py > tests/data/reference/spd_metrics.csv

A row: the order n, the condition number that P was made with, P and Q (doubles, taken as exact), the
log-Cholesky distance, the Bures-Wasserstein distance, and Log_P(Q) of the latter."""
import random

from mpmath import mp, mpf, matrix, diag, cholesky, eigsy, sqrt, log, qr

mp.dps = 80
random.seed(20)


def random_spd(n, condition):
    """Eigenvalues from 1 to 1/condition, in a random basis, rounded to doubles."""
    basis, _ = qr(matrix([[mpf(random.gauss(0, 1)) for _ in range(n)] for _ in range(n)]))
    values = [mpf(condition) ** (-mpf(k) / max(1, n - 1)) for k in range(n)]
    p = basis * diag(values) * basis.T
    return matrix([[mpf(float(p[max(i, j), min(i, j)])) for j in range(n)] for i in range(n)])


def root(p):
    values, vectors = eigsy(p)
    return vectors * diag([sqrt(v) for v in values]) * vectors.T


def log_cholesky(p, q):
    a, b, n = cholesky(p), cholesky(q), p.rows
    total = mpf(0)
    for i in range(n):
        total += log(b[i, i] / a[i, i]) ** 2
        for j in range(i):
            total += (b[i, j] - a[i, j]) ** 2
    return sqrt(total)


def bures(p, q):
    r = root(p)
    inverse = r ** -1
    t = inverse * root(r * q * r) * inverse
    n = p.rows
    l = t - mp.eye(n)
    v = l * p + p * l
    length = sqrt(sum((l * p * l)[i, i] for i in range(n)))
    return length, v


def text(x):
    return repr(float(x))


for n in (2, 3, 4, 6, 8):
    for condition in (1e2, 1e6, 1e10):
        p = random_spd(n, condition)
        far = random_spd(n, condition)
        near = p.copy()
        for i in range(n):
            for j in range(i + 1):
                change = mpf(random.gauss(0, 1)) * 1e-3 / condition
                near[i, j] = near[j, i] = mpf(float(p[i, j] + change))
        for q in (far, near):
            length, v = bures(p, q)
            numbers = [n, condition] + [x for x in p] + [x for x in q]
            numbers += [log_cholesky(p, q), length] + [x for x in v]
            print(",".join(text(x) for x in numbers))
