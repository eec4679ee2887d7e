#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Means of `align` on real shapes against their closed form: procrustes_means.py MANISTAT MORE. In the plane, with
scale, the mean is the leading eigenvector of Σ zz*/|z|², found here by the power method. Data sets of the
folder MORE that are not there are left out."""
import json
import os
import subprocess
import sys

LARGEST = 1e-10  # difference of a coordinate, the mean being of size 1
FILES = ["gorilla_8x2.csv", "schizophrenia_13x2.csv"]


def shapes(path):
    """Centred configurations of size 1 as complex vectors."""
    for line in open(path):
        numbers = [float(cell) for cell in line.split(",")]
        z = [complex(a, b) for a, b in zip(numbers[0::2], numbers[1::2])]
        centre = sum(z) / len(z)
        size = sum(abs(p - centre) ** 2 for p in z) ** 0.5
        yield [(p - centre) / size for p in z]


def inner(a, b):
    return sum(p.conjugate() * q for p, q in zip(a, b))


def leading_vector(rows):
    mean = rows[0]
    for _ in range(200):
        parts = [inner(z, mean) for z in rows]
        mean = [sum(z[p] * c for z, c in zip(rows, parts)) for p in range(len(mean))]
        size = abs(inner(mean, mean)) ** 0.5
        mean = [p / size for p in mean]
    return mean


def main():
    program, more = sys.argv[1:]
    failures = compared = 0
    for name in FILES:
        path = os.path.join(more, "data", "landmarks", name)
        if not os.path.exists(path):
            print(f"{name}: not there")
            continue
        done = subprocess.run([program, "align", "--scale", "--json", "--quiet", path], capture_output=True, text=True, check=True)
        numbers = json.loads(done.stdout)["mean"]
        mean = [complex(a, b) for a, b in zip(numbers[0::2], numbers[1::2])]
        want = leading_vector(list(shapes(path)))
        turn = inner(want, mean)
        turn /= abs(turn)
        off = max(abs(a - b * turn) for a, b in zip(mean, want))
        print(f"{name}: off by {off:.2g}")
        failures += off > LARGEST
        compared += 1
    print(f"{compared} compared, {failures} failed")
    sys.exit(failures > 0)


main()
