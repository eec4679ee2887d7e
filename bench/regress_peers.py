#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Geodesic regression on the sphere, 1000 points and one covariate, by manistat and by geomstats' GeodesicRegression on the
same rows in the same run: regress_peers.py BUILD, the folder of the release build. geomstats is installed into BUILD/peers
if it is not there and the package index can be reached; else it is not measured."""
import json
import os
import subprocess
import sys

import peers

SCRIPT = r"""
import json, sys, time
import numpy as np
import geomstats.backend as gs
from geomstats.geometry.hypersphere import Hypersphere
from geomstats.learning.geodesic_regression import GeodesicRegression
x = np.loadtxt(sys.argv[1] + "/x.csv", skiprows=1)
y = np.loadtxt(sys.argv[1] + "/y.csv", delimiter=",")
z = x - x.mean()
space = Hypersphere(2)
best = float("inf")
for _ in range(3):
    model = GeodesicRegression(space, center_X=False, method=sys.argv[2], initialization="frechet")
    begin = time.process_time()
    model.fit(gs.array(z), gs.array(y))
    best = min(best, time.process_time() - begin)
fitted = model.predict(gs.array(z))
square = float(np.sum(np.asarray(space.metric.dist(fitted, gs.array(y))) ** 2))
print(json.dumps({"seconds": best, "intercept": [float(a) for a in model.intercept_], "velocity": [float(a) for a in np.ravel(model.coef_)], "square": square}))
"""


def main(build):
    rows = os.path.join(build, "peers-rows")
    os.makedirs(rows, exist_ok=True)
    lines = subprocess.run([os.path.join(build, "bench", "bench_regress"), "--write", rows], check=True, capture_output=True, text=True).stdout
    best = 1e-3 * float(next(line for line in lines.split("\n") if line.startswith("the same by least squares")).split()[5])
    call = [os.path.join(build, "manistat"), "regress", "--manifold", "sphere:2", "--kind", "frechet", "--y", rows + "/y.csv",
            "--x", rows + "/x.csv", "--threads", "1", "--json"]
    ours = json.loads(subprocess.run(call, check=True, capture_output=True).stdout)
    square = sum(r * r for r in ours["residual_lengths"])
    print("processor time of a fit to 1000 points of the sphere, least squares, one covariate")
    print("manistat, with errors and tests  %9.1f ms   sum of squares %.9f" % (1e3 * best, square))
    python = peers.interpreter(build, "geomstats")
    if python is None:
        print("geomstats: not measured, the package index is out of reach")
        return
    for method in ("riemannian", "extrinsic"):
        run = subprocess.run([python, "-c", SCRIPT, rows, method], capture_output=True, text=True,
                             env=dict(os.environ, GEOMSTATS_BACKEND="autograd", OMP_NUM_THREADS="1"))
        if run.returncode != 0:
            print("geomstats, %s: failed: %s" % (method, run.stderr.strip().split("\n")[-1][:150]))
            continue
        theirs = json.loads(run.stdout.strip().split("\n")[-1])
        apart = max(abs(a - b) for a, b in zip(ours["intercept"] + ours["velocities"][0], theirs["intercept"] + theirs["velocity"]))
        print("geomstats, %-11s          %9.1f ms   sum of squares %.9f   %.0f times as long, parameters %.1e apart"
              % (method + ",", 1e3 * theirs["seconds"], theirs["square"], theirs["seconds"] / best, apart))


main(sys.argv[1])
