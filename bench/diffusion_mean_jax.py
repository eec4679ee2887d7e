#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The mean of 1000 points on a sphere with a network of the published size, 5 x 512, by manistat to convergence and by five iterations of
the published algorithm in JAX (jitted, compiled before the clock starts) on the same rows in the same run:
diffusion_mean_jax.py BUILD [m ...], the folder of the release build and dimensions, by default 2 and 10. JAX is installed into BUILD/jax
if it is not there and the package index can be reached; else it is not measured. Seconds are of the wall clock, the best of three, with
the processor's in brackets; the time of an iteration does not depend on the weights, so those of JAX are random."""
import json
import os
import subprocess
import sys
import time

SCRIPT = r"""
import json, sys, time
import jax
import jax.numpy as jnp
import numpy as np

x = jnp.asarray(np.loadtxt(sys.argv[1], delimiter=","), jnp.float32)
D = x.shape[1]
sizes = [2 * D + 1] + [512] * 5 + [D]
keys = jax.random.split(jax.random.PRNGKey(2712), len(sizes))
layers = [(jax.random.normal(k, (a, b)) / a**0.5, jnp.zeros(b)) for k, a, b in zip(keys, sizes, sizes[1:])]


def score(x, y, t):
    h = jnp.concatenate([x, y, t[None]])
    for w, b in layers[:-1]:
        h = jnp.tanh(h @ w + b)
    w, b = layers[-1]
    v = h @ w + b
    return v - y * jnp.dot(y, v)


def both(x, y, t):
    s = score(x, y, t)
    jacobian = jax.jacfwd(score, 1)(x, y, t)
    divergence = jnp.trace(jacobian) - y @ jacobian @ y
    return s, 0.5 * (divergence + s @ s)


@jax.jit
def five(y, t):
    for _ in range(5):
        s, slope = jax.vmap(both, (0, None, None))(x, y, t)
        v = 0.01 * s.mean(0)
        r = jnp.linalg.norm(v) + 1e-20
        y = jnp.cos(r) * y + jnp.sin(r) * v / r
        t = jnp.clip(t + 0.01 * slope.mean(), 0.01, 1.0)
    return y, t


start = (x[0], jnp.float32(0.2))
jax.block_until_ready(five(*start))
best = []
for _ in range(3):
    wall, cpu = time.time(), time.process_time()
    jax.block_until_ready(five(*start))
    best.append((time.time() - wall, time.process_time() - cpu))
print(json.dumps([min(b[0] for b in best), min(b[1] for b in best)]))
"""


def peer(build):
    """The interpreter that has JAX, or null."""
    folder = os.path.join(build, "jax")
    python = os.path.join(folder, "bin", "python")
    if not os.path.exists(python):
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    test = [python, "-c", "import jax, numpy"]
    if subprocess.run(test, capture_output=True).returncode != 0:
        subprocess.run([python, "-m", "pip", "install", "-q", "jax"], capture_output=True)
    return python if subprocess.run(test, capture_output=True).returncode == 0 else None


def ours(manistat, model, rows, start, *options):
    call = [manistat, "mean", "--score", model, "--start", start, "--start-time", "0.2", "--starts", "1", "--force", "--json", rows, *options]
    best = []
    for _ in range(3):
        before = os.times()
        result = json.loads(subprocess.run(call, capture_output=True, text=True).stdout)
        after = os.times()
        best.append((result["seconds"], after.children_user + after.children_system - before.children_user - before.children_system))
    return min(b[0] for b in best), min(b[1] for b in best), result


def main(build, dimensions):
    manistat = os.path.join(build, "manistat")
    work = os.path.join(build, "jax-rows")
    os.makedirs(work, exist_ok=True)
    python = peer(build)
    for m in dimensions:
        rows, model, start = (os.path.join(work, name % m) for name in ("S%s.csv", "S%s.safetensors", "S%s-start.csv"))
        if not os.path.exists(rows):
            subprocess.run([manistat, "sample", "--manifold", "sphere:" + m, "--time", "0.5", "-n", "1000", "--method", "exact", "-o", rows], check=True)
            with open(rows) as source, open(start, "w") as first:
                first.write(source.readline())
        if not os.path.exists(model):
            subprocess.run([manistat, "train", "--manifold", "sphere:" + m, "--width", "512", "--depth", "5", "--batch", "1024", "--steps", "200", "--quiet", "-o", model], check=True, capture_output=True)
        wall, cpu, result = ours(manistat, model, rows, start)
        print("sphere:%s, manistat to convergence: %.3f s (%.3f), %d iterations, converged: %s" % (m, wall, cpu, result["iterations"], result["converged"]))
        wall, cpu, result = ours(manistat, model, rows, start, "--method", "gradient", "--rate", "0.01", "--iterations", "5")
        print("sphere:%s, manistat, five iterations as published: %.3f s (%.3f)" % (m, wall, cpu))
        if python is None:
            print("sphere:%s, JAX: not measured (not installed, and the package index cannot be reached)" % m)
            continue
        wall, cpu = json.loads(subprocess.run([python, "-c", SCRIPT, rows], check=True, capture_output=True, text=True).stdout)
        print("sphere:%s, JAX, five iterations as published: %.3f s (%.3f)" % (m, wall, cpu))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:] or ["2", "10"])
