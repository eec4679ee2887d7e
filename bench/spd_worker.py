# SPDX-License-Identifier: MIT
"""One contender of spd_peers.py, or its referee: reads lines of JSON, does what they say, and prints one for each. Runs in the
Python of the peers; data sets are read before the clock starts.

    {"do": "about"}                                             versions, and the library behind numpy
    {"do": "mean"|"dist", "who": ..., "set": ..., "setting": ..., "threads": ..., "file": ...}
                                                                seconds, processor time; the answer goes to the file
    {"do": "check", "set": ..., "files": [...]}                 gradient and variance at each mean, how far each is from the first
    {"do": "same", "files": [...]}                              the largest relative difference of distances from the first
"""
import json
import logging
import os
import sys
import time
import warnings

import numpy as np
from threadpoolctl import threadpool_info, threadpool_limits

warnings.filterwarnings("ignore")
logging.disable(logging.WARNING)
folder = sys.argv[1]
data = {}


def matrices(name):
    if name not in data:
        rows = np.load(os.path.join(folder, name + ".npy"))
        order = int(round(rows.shape[1] ** 0.5))
        data[name] = np.ascontiguousarray(rows.reshape(-1, order, order))
    return data[name]


# ---- pyRiemann: `setting` is its tolerance, the norm of the gradient one step before the last ----


def pyriemann_job(do, x, setting):
    try:
        from pyriemann.geometry.distance import pairwise_distance
        from pyriemann.geometry.mean import mean_riemann
    except ImportError:  # before 0.12
        from pyriemann.utils.distance import pairwise_distance
        from pyriemann.utils.mean import mean_riemann
    if do == "mean":
        return lambda: mean_riemann(x, tol=setting, maxiter=1000)
    return lambda: pairwise_distance(x, metric="riemann")


# ---- geomstats: `setting` is where it starts; it stops at a gradient of 1e-10 ----


def geomstats_job(do, x, setting):
    from geomstats.geometry.spd_matrices import SPDMatrices
    from geomstats.learning.frechet_mean import FrechetMean

    space = SPDMatrices(x.shape[1])

    def mean():
        estimator = FrechetMean(space)
        start = x.mean(axis=0) if setting == "arithmetic mean" else None
        estimator.set(max_iter=1000, epsilon=1e-20 / space.dim, init_point=start)
        return estimator.fit(x).estimate_

    def distances():  # a row at a time: its own dist_pairwise goes pair by pair and takes longer
        out = np.zeros((len(x), len(x)))
        for i in range(len(x) - 1):
            out[i, i + 1 :] = space.metric.dist(x[i], x[i + 1 :])
        return out + out.T

    return mean if do == "mean" else distances


def timed(call):
    begin, processor = time.perf_counter(), time.process_time()
    answer = call()
    return answer, {"seconds": time.perf_counter() - begin, "processor": time.process_time() - processor}


def job(order):
    x = matrices(order["set"])
    make = {"pyriemann": pyriemann_job, "geomstats": geomstats_job}[order["who"]]
    call = make(order["do"], x, order["setting"])
    with threadpool_limits(order["threads"]):
        answer, took = timed(call)
    np.save(os.path.join(folder, order["file"]), np.asarray(answer))
    return took


# ---- the referee: plain numpy ----


def logs(base, x):
    """The logarithms of x seen from the base point, whitened by its Cholesky factor."""
    root = np.linalg.inv(np.linalg.cholesky(base))
    white = root @ x @ root.T
    values, vectors = np.linalg.eigh((white + np.swapaxes(white, 1, 2)) / 2)
    return (vectors * np.log(values)[:, None, :]) @ np.swapaxes(vectors, 1, 2)


def check(order):
    x = matrices(order["set"])
    means = [np.load(os.path.join(folder, f)).reshape(x.shape[1:]) for f in order["files"]]
    out = []
    for mean in means:
        v = logs(mean, x)
        out.append({"gradient": float(np.linalg.norm(v.mean(axis=0))),
                    "variance": float((v**2).sum() / len(x)),
                    "apart": float(np.linalg.norm(logs(means[0], mean[None])))})
    return out


def same(order):
    tables = [np.load(os.path.join(folder, f)) for f in order["files"]]
    off = ~np.eye(len(tables[0]), dtype=bool)
    return [{"apart": float(np.max(np.abs(t - tables[0])[off] / tables[0][off]))} for t in tables]


def about(_):
    found = {"numpy": np.__version__}
    for module in ("pyriemann", "geomstats"):
        try:
            found[module] = __import__(module).__version__
        except ImportError:
            pass
    blas = {"%s %s" % (p["internal_api"], p["version"]) for p in threadpool_info() if p["user_api"] == "blas"}
    found["blas"] = ", ".join(sorted(blas))
    return found


DOES = {"about": about, "mean": job, "dist": job, "check": check, "same": same}
for line in sys.stdin:
    wanted = json.loads(line)
    try:
        answer = DOES[wanted["do"]](wanted)
    except Exception as failure:  # the row says why, and the others go on
        answer = {"failure": "%s: %s" % (type(failure).__name__, failure)}
    print(json.dumps(answer), flush=True)
