#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Diffusion means by the expansion on three surfaces against those by a kernel that was computed in another way:
surface_means.py MANISTAT MANIFOLDS MORE. Skipped where the folder MORE has no data of surfaces."""
import csv
import json
import math
import os
import subprocess
import sys

MEAN, TIME = 0.4, 0.8  # in standard errors of the reference


def frame(name, u, v):
    """Lengths of the coordinate vectors of u and v, and the unit vectors in space."""
    rho, rho_v, z_v = math.sin(v), math.cos(v), -0.6 * math.sin(v)
    if name == "torus":
        rho, rho_v, z_v = 1 + 0.5 * math.cos(v), -0.5 * math.sin(v), 0.5 * math.cos(v)
    if name == "bumpy":
        s, s_v = 1 + 0.15 * math.cos(3 * v), -0.45 * math.sin(3 * v)
        rho, rho_v, z_v = s * math.sin(v), s_v * math.sin(v) + s * math.cos(v), s_v * math.cos(v) - s * math.sin(v)
    size = math.hypot(rho_v, z_v)
    along = (-math.sin(u), math.cos(u), 0), (rho_v * math.cos(u) / size, rho_v * math.sin(u) / size, z_v / size)
    return (rho, size), along


def check(binary, manifolds, references, name):
    reference = json.load(open(f"{references}/surface_{name}_mean.json", encoding="utf-8"))
    columns = ("u", "v") if name == "torus" else ("x1", "x2", "x3")
    with open(f"{references}/surface_{name}_data.csv", encoding="utf-8") as file:
        rows = "".join(",".join(row[c] for c in columns) + "\n" for row in csv.DictReader(file))
    command = [binary, "mean", "--manifold", f"{manifolds}/{name}.manifold", "--score", "expansion", "--json", "--project"]
    done = subprocess.run(command, input=rows, capture_output=True, text=True, check=False)
    fit = json.loads(done.stdout)
    sizes, along = frame(name, *reference["mu_uv"])
    if name == "torus":
        off = [s * (a - b) for s, a, b in zip(sizes, fit["mean"], reference["mu_uv"])]
    else:
        way = [a - b for a, b in zip(fit["mean"], reference["mu_xyz"])]
        off = [sum(a * b for a, b in zip(way, e)) for e in along]
    mean = max(abs(a) / b for a, b in zip(off, reference["se_mu"]))
    time = (fit["time"] - reference["t"]) / reference["se_t"]
    beyond = fit["beyond_validity"]["share"]
    print(f"{name}: mean off by {mean:.2f}, time by {time:+.2f} standard errors, {beyond:.0%} of the rows beyond validity")
    # Above a quarter of such rows the exit status is 1, and the result is there all the same.
    exit_right = done.returncode == (1 if beyond > 0.25 else 0)
    return fit["converged"] and mean <= MEAN and abs(time) <= TIME and exit_right


def main():
    binary, manifolds, more = sys.argv[1:4]
    references = f"{more}/reference"
    if not os.path.isfile(f"{references}/surface_torus_mean.json"):
        print(f"no data of surfaces in {references}")
        return 77
    return 0 if all([check(binary, manifolds, references, name) for name in ("torus", "ellipsoid", "bumpy")]) else 1


if __name__ == "__main__":
    sys.exit(main())
