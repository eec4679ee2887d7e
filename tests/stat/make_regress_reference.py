#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes tests/data/reference/regress_S2.csv (columns x, y1, y2, y3) and regress_S2.json: geodesic regression on the
sphere with one covariate, by NumPy and SciPy alone. The likelihood is that of the Legendre series of the heat kernel,
maximised over (intercept, velocity, log sigma^2) by BFGS with derivatives by differences, then by Newton steps with
derivatives in extended precision: make_regress_reference.py FOLDER. Needs numpy and scipy."""
import json
import os
import sys

import numpy as np
from scipy.optimize import minimize

TERMS = 160
ld = np.longdouble


def log_kernel(c, t):
    """log p_t of the inner products c, one time t: sum of (2l+1)/4π exp(-l(l+1)t/2) P_l(c)."""
    before, here = np.ones_like(c), c.copy()
    total = before + 3 * np.exp(-t) * here
    for l in range(2, TERMS):
        before, here = here, ((2 * l - 1) * c * here - (l - 1) * before) / l
        total += (2 * l + 1) * np.exp(-l * (l + 1) * t / 2) * here
    return np.log(total / (4 * ld(np.pi)))


def curve(p, z):
    """p: latitude-like coordinates of the intercept (2), the velocity in the frame below (2), log sigma^2."""
    a, b = p[0], p[1]
    mu = np.array([np.sin(a) * np.cos(b), np.sin(a) * np.sin(b), np.cos(a)])
    e1 = np.array([np.cos(a) * np.cos(b), np.cos(a) * np.sin(b), -np.sin(a)])
    e2 = np.array([-np.sin(b), np.cos(b), ld(0)])
    v = p[2] * e1 + p[3] * e2
    speed = np.sqrt(v @ v)
    angle = z * speed
    return np.cos(angle)[:, None] * mu + (np.sin(angle) / speed)[:, None] * v, mu, v


def minus(p, z, y):
    f, _, _ = curve(p, z)
    return -np.sum(log_kernel(np.sum(f * y, axis=1), np.exp(p[4])))


def newton(p, z, y, h=ld(2) ** -14):
    """Second-order differences in extended precision: gradient to about 1e-12."""
    n = len(p)
    unit = np.eye(n, dtype=ld) * h
    for _ in range(4):
        gradient = np.array([(8 * (minus(p + u, z, y) - minus(p - u, z, y)) - minus(p + 2 * u, z, y) + minus(p - 2 * u, z, y)) / (12 * h) for u in unit])
        hessian = np.empty((n, n), dtype=ld)
        for i in range(n):
            for k in range(n):
                hessian[i, k] = (minus(p + unit[i] + unit[k], z, y) - minus(p + unit[i] - unit[k], z, y)
                                 - minus(p - unit[i] + unit[k], z, y) + minus(p - unit[i] - unit[k], z, y)) / (4 * h * h)
        p = p - np.linalg.solve(hessian.astype(float), gradient.astype(float)).astype(ld)
    return p


def main(folder):
    rng = np.random.default_rng(20)
    n, noise = 150, 0.08
    x = np.round(rng.uniform(10, 50, n), 3)
    z = (x - np.mean(x)).astype(ld)
    truth = np.array([0.9, 0.4, 0.02, -0.015, np.log(noise)], dtype=ld)
    f, _, _ = curve(truth, z)
    y = f + np.sqrt(noise) * rng.normal(size=(n, 3))
    y = (y / np.linalg.norm(y.astype(float), axis=1)[:, None]).astype(float)
    y /= np.linalg.norm(y, axis=1)[:, None]
    with open(os.path.join(folder, "regress_S2.csv"), "w") as out:
        out.write("x,y1,y2,y3\n")
        for a, b in zip(x, y):
            out.write(",".join(repr(float(v)) for v in (a, *b)) + "\n")
    y = y.astype(ld)
    first = minimize(lambda p: float(minus(p.astype(ld), z, y)), truth.astype(float), method="BFGS")
    p = newton(first.x.astype(ld), z, y)
    _, mu, v = curve(p, z)
    f, _, _ = curve(p, z)
    result = {"origin": float(np.mean(x)), "intercept": [float(a) for a in mu], "velocity": [float(a) for a in v],
              "noise": float(np.exp(p[4])), "log_likelihood": float(-minus(p, z, y))}
    with open(os.path.join(folder, "regress_S2.json"), "w") as out:
        json.dump(result, out, indent=1)
        out.write("\n")
    print(result)


main(sys.argv[1])
