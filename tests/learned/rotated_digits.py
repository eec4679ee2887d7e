# SPDX-License-Identifier: MIT
"""Rotations of a handwritten digit, learned as a ring: geodesics, means, and what they decode to.

    rotated_digits.py MANISTAT DATA

DATA is the folder with mnist/rot_mnist_200x784_f32.npy (or one above it, data/mnist); without the file the test
is skipped. The 200 images are a turn by 2π i/199 each; rows 0 and 199 are the same. Grey values were divided by 255
once too often.

Reference values are those of an independent solver of the heat equation (finite elements on a polar grid): at length
scale 0.2 the diffusion mean of the first 100 images has t = 430 and lies on the ring; at the maximum of the
likelihood it has t = 1120 and lies in the hole, r = 0.75.
"""

import json
import math
import pathlib
import struct
import subprocess
import sys
import tempfile

FILE = "mnist/rot_mnist_200x784_f32.npy"
ROWS, PIXELS = 200, 784
failures = []


def check(what, holds, shown):
    print(f"{'ok  ' if holds else 'FAIL'} {what}: {shown}")
    if not holds:
        failures.append(what)


def run(*args):
    done = subprocess.run([manistat, *map(str, args)], capture_output=True, text=True)
    if done.returncode not in (0, 1):
        sys.exit(f"manistat {' '.join(map(str, args))}: {done.stderr}")
    return done.stdout, done.stderr


def run_json(*args):
    out, err = run(*args, "--json")
    return json.loads(out), err


def read_images(path):
    data = path.read_bytes()
    start = 10 + struct.unpack("<H", data[8:10])[0]
    numbers = struct.unpack(f"<{ROWS * PIXELS}f", data[start:])
    return [[255 * x for x in numbers[i * PIXELS : (i + 1) * PIXELS]] for i in range(ROWS)]


def angle_of(i):
    return 2 * math.pi * i / (ROWS - 1)


def write_rows(name, rows):
    pathlib.Path(name).write_text("".join(",".join(map(repr, row)) + "\n" for row in rows))


def correlation(a, b):
    ma, mb = sum(a) / len(a), sum(b) / len(b)
    top = sum((x - ma) * (y - mb) for x, y in zip(a, b))
    return top / math.sqrt(sum((x - ma) ** 2 for x in a) * sum((y - mb) ** 2 for y in b))


def decoded(manifold, point, images):
    """Brightness against the data, and the angle by a parabola through the three largest correlations."""
    write_rows("point.csv", [point])
    out, _ = run("decode", "--manifold", manifold, "point.csv")
    row = list(map(float, out.split(",")))
    size = math.sqrt(sum(x * x for x in row))
    mean = sum(math.sqrt(sum(x * x for x in image)) for image in images) / len(images)
    fits = [correlation(row, image) for image in images]
    k = max(range(1, ROWS - 1), key=lambda i: fits[i])
    below, here, above = fits[k - 1 : k + 2]
    shift = 0.5 * (below - above) / (below - 2 * here + above)
    return size / mean, math.degrees(angle_of(k + shift))


def place(mean):
    return math.hypot(*mean), math.degrees(math.atan2(mean[1], mean[0]))


def ring_pairs(count):
    """Pairs of the ring, the same every time."""
    state, rows, turns = 12345, [], []
    for _ in range(count):
        ends = []
        for _ in range(2):
            state = (6364136223846793005 * state + 1442695040888963407) % 2**64
            ends.append(2 * math.pi * (state >> 11) / 2**53)
        rows.append([f(a) for a in ends for f in (math.cos, math.sin)])
        turn = abs(ends[0] - ends[1])
        turns.append(min(turn, 2 * math.pi - turn))
    return rows, turns


def geodesics(manifold, speed):
    rows, turns = ring_pairs(200)
    write_rows("pairs.csv", rows)
    r, _ = run_json("dist", "--manifold", manifold, "pairs.csv")
    # Neighbours on the ring have one way to begin with: what is found is not compared with another.
    fine = [s in ("minimal among its starts", "locally minimal") for s in r["status"]]
    along = [d / t for d, t in zip(r["dist"], turns)]
    check(f"{manifold}: 200 ring pairs converge", all(fine), sum(fine))
    check(f"{manifold}: along the ring", all(abs(a / speed - 1) < 0.05 for a in along), f"{min(along):.2f} to {max(along):.2f}")


def main():
    data = pathlib.Path(sys.argv[2])
    path = next((p for p in (data / FILE, data / "data" / FILE) if p.exists()), None)
    if path is None:
        print("skipped: no", FILE)
        sys.exit(77)
    images = read_images(path)
    middle = math.degrees(angle_of(49.5))
    write_rows("ring.csv", [[math.cos(angle_of(i)), math.sin(angle_of(i))] for i in range(ROWS)])
    write_rows("half.csv", [[math.cos(angle_of(i)), math.sin(angle_of(i))] for i in range(100)])
    common = ("learn", "gp", "--latent", "ring.csv", "--data", path, "--scale", 255, "--shape", "28x28")

    r, _ = run_json(*common, "--length-scale", 0.2, "--noise", 1e-4, "-o", "wide.gp")
    check("variance", abs(r["variance"] - 1.396) < 0.001, r["variance"])
    check("ratio", abs(r["ratio"] - 25) < 0.5, r["ratio"])
    check("no warnings", r["warnings"] == [], r["warnings"])
    r, _ = run_json(*common, "-o", "best.gp")
    check("likelihood", abs(r["log_likelihood"] - 564623) < 1, r["log_likelihood"])
    check("its length scale", abs(r["length_scale"] - 0.0865) < 5e-5, r["length_scale"])
    check("its variance", abs(r["variance"] - 0.0409) < 5e-5, r["variance"])
    r, err = run_json(*common, "--centre", "-o", "centred.gp")
    check("centred: a warning", r["warnings"] == ["short-cuts"] and "2.5" in err, r["ratio"])
    r, _ = run_json(*(*common[:-4], "--length-scale", 0.0447, "--variance", 1, "--noise", 1e-10, "-o", "blind.gp"))
    check("divided by 255 the metric ignores the data", "ignores-the-data" in r["warnings"], r["along_mean"] / r["along"])

    geodesics("wide.gp", 33.0)
    geodesics("best.gp", 34.5)

    r, err = run_json("mean", "--manifold", "wide.gp", "--kind", "frechet", "half.csv")
    radius, angle = place(r["mean"])
    check("Frechet mean: angle", abs(angle - middle) < 0.2, angle - middle)
    check("Frechet mean: radius", abs(radius - 1) <= 0.01, radius)
    bright, turned = decoded("wide.gp", r["mean"], images)
    check("decoded brightness", 0.95 <= bright <= 1.05, bright)
    check("decoded angle", abs(turned - middle) < 0.3, turned - middle)
    check("no remarks", r["warnings"] == [], r["warnings"])

    r, err = run_json("mean", "--manifold", "wide.gp", "--score", "pde", "half.csv")
    radius, angle = place(r["mean"])
    check("diffusion mean: time", abs(r["time"] - 430) < 43, r["time"])
    check("diffusion mean: radius", abs(radius - 0.99) <= 0.005, radius)
    check("diffusion mean: angle", abs(angle - middle) < 0.2, angle - middle)
    bright, _ = decoded("wide.gp", r["mean"], images)
    check("diffusion mean: brightness", bright >= 0.95, bright)

    r, err = run_json("mean", "--manifold", "best.gp", "--score", "pde", "half.csv")
    radius, angle = place(r["mean"])
    check("in the hole: time", abs(r["time"] - 1120) < 112, r["time"])
    check("in the hole: radius", abs(radius - 0.75) <= 0.02, radius)
    bright, _ = decoded("best.gp", r["mean"], images)
    check("in the hole: dark", bright < 0.05, bright)
    check("in the hole: it is said", "left-the-data" in r["warnings"] and "beyond-the-tube" in r["warnings"], r["warnings"])
    check("with the remedies", "take the Frechet mean" in err and "uncertainty" in err, err.strip())
    sys.exit(1 if failures else 0)


manistat = str(pathlib.Path(sys.argv[1]).resolve())
sys.argv[2] = str(pathlib.Path(sys.argv[2]).resolve())
with tempfile.TemporaryDirectory(prefix="rotated_digits.") as scratch:
    import os

    os.chdir(scratch)
    main()
