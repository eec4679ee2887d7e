#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Fréchet means of shapes by a general-purpose minimiser: frechet_means.py prints frechet_means.csv, which the test
stat.shape_means compares with. Σρ² is a function of all coordinates of an unnormalised mean; its minimum is found
by BFGS and made exact by Powell's hybrid method on the gradient. It needs NumPy and SciPy.

Columns: the manifold, the file, mean squared distance, coordinates of the mean in any position."""
import csv
import os
import sys

import numpy as np
from scipy.optimize import minimize, root

HERE = os.path.dirname(os.path.abspath(__file__))


def fit(z, x):
    """tr(Rᵀ zᵀx) at its largest over rotations R, and z's gradient of it."""
    u, s, vt = np.linalg.svd(z.T @ x)
    if np.linalg.det(u @ vt) < 0:
        s[-1] = -s[-1]
        u[:, -1] = -u[:, -1]
    return s.sum(), x @ (u @ vt).T


def objective(flat, shapes, unit):
    """The mean squared distance and its gradient; unit: on Kendall's space, else with sizes."""
    z = flat.reshape(shapes[0].shape)
    z = z - z.mean(0)
    size = np.linalg.norm(z)
    value, gradient = 0.0, np.zeros_like(z)
    for x in shapes:
        trace, slope = fit(z, x)
        if unit:
            c = trace / size
            rho = np.arccos(min(1, c))
            value += rho**2
            gradient -= 2 / np.sinc(rho / np.pi) * (slope / size - c * z / size**2)
        else:
            value += size**2 + (x**2).sum() - 2 * trace
            gradient += 2 * (z - slope)
    gradient -= gradient.mean(0)
    return value / len(shapes), gradient.ravel() / len(shapes)


def mean(rows, dim, unit):
    shapes = [r.reshape(-1, dim) - r.reshape(-1, dim).mean(0) for r in rows]
    if unit:
        shapes = [x / np.linalg.norm(x) for x in shapes]
    best = minimize(objective, shapes[0].ravel(), (shapes, unit), jac=True, method="BFGS", options={"gtol": 1e-7})

    def stationary(flat):
        # Gauge: the size, the centroid and the orientation do not matter to the gradient, so they are kept.
        z, start = flat.reshape(-1, dim), best.x.reshape(-1, dim)
        turn = z.T @ start - start.T @ z
        extra = start @ turn + z.mean(0) + (start * (np.sum(z * start) - np.sum(start * start)) if unit else 0)
        return objective(flat, shapes, unit)[1] + extra.ravel()

    found = root(stationary, best.x, method="hybr", options={"xtol": 1e-14})
    value, gradient = objective(found.x, shapes, unit)
    assert np.abs(gradient).max() < 1e-12 * max(1, np.abs(found.x).max()), np.abs(gradient).max()
    assert value <= best.fun * (1 + 1e-12)
    return value, found.x


def main():
    out = csv.writer(sys.stdout, lineterminator="\n")
    for name, k, dim in [("passiflora_15x2", 15, 2), ("optical_nerves_5x3", 5, 3)]:
        rows = np.loadtxt(os.path.join(HERE, name + ".csv"), delimiter=",")
        for family in ["kendall", "size-and-shape"]:
            value, z = mean(rows, dim, family == "kendall")
            out.writerow([f"{family}:{k}x{dim}", name + ".csv"] + [repr(float(v)) for v in [value, *z]])


main()
