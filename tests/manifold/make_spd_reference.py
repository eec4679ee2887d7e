#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the manistat authors
"""Distances and logarithms of positive definite matrices in 60 digits, for test_spd_wide.c.

    make_spd_reference.py > tests/data/spd_reference.csv    (needs mpmath)

The matrices are exact in double precision: L L^T with L of column scales 2^-k and small dyadic entries, the
same as in the test. A row holds order, number of the pair, what the scales are made of, condition numbers of the points, their distance,
S u and V u: V = Log_P(Q), S = L_P^-1 V L_P^-T, u = (1, -1/2, 1/3, ...).
"""
import mpmath as mp

mp.mp.dps = 60


def factor(n, number, octaves, shift):
    lower = mp.zeros(n, n)
    for j in range(n):
        scale = mp.mpf(2) ** -((j * 7 + number * shift) % (octaves + 1) + j * number % 3)
        lower[j, j] = scale
        for i in range(j + 1, n):
            lower[i, j] = scale * mp.mpf((i * 13 + j * 29 + number * 17 + i * j) % 15 - 7) / 64
    return lower


def solve_lower(lower, right):
    n = lower.rows
    out = right.copy()
    for i in range(n):
        for j in range(n):
            out[i, j] = (out[i, j] - sum(lower[i, k] * out[k, j] for k in range(i))) / lower[i, i]
    return out


def main():
    print("order,pair,octaves,shift,condition_p,condition_q,distance,su...,vu...")
    for n, octaves, shift in ((8, 2, 0), (8, 9, 0), (8, 9, 3), (32, 2, 0), (32, 8, 0), (32, 8, 3), (64, 8, 0)):
        for pair in range(1 if n == 64 else 2):
            p, q = factor(n, 2 * pair, octaves, shift), factor(n, 2 * pair + 1, octaves, shift)
            conditions = []
            for f in (p, q):
                values = mp.eigsy(f * f.T, eigvals_only=True)
                conditions.append(max(values) / min(values))
            b = solve_lower(p, q)
            values, vectors = mp.eigsy(b * b.T)
            logs = [mp.log(v) for v in values]
            u = mp.matrix([mp.mpf((-1) ** i) / (i + 1) for i in range(n)])
            c = vectors.T * u
            su = vectors * mp.matrix([logs[i] * c[i] for i in range(n)])
            c = vectors.T * (p.T * u)
            vu = p * (vectors * mp.matrix([logs[i] * c[i] for i in range(n)]))
            distance = mp.sqrt(sum(v * v for v in logs))
            fields = [str(n), str(pair), str(octaves), str(shift), mp.nstr(conditions[0], 3), mp.nstr(conditions[1], 3),
                      mp.nstr(distance, 20)] + [mp.nstr(v, 20) for v in list(su) + list(vu)]
            print(",".join(fields), flush=True)


main()
