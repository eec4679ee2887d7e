#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Head pose from 68 landmarks of a face, AFLW2000 on the three-sphere: a random 80 % of the rows is fitted and the angle
between true and predicted rotation measured on the others, for a constant, linear regression of Euler angles, geodesic
regression and a network, in one run: headpose.py MANISTAT FOLDER, FOLDER with aflw2000_*.csv."""
import json
import math
import os
import random
import subprocess
import sys
import tempfile
import time


def lines(path):
    return open(path).read().split()


def quaternion(pitch, yaw, roll):
    """R = Rz(roll) Ry(yaw) Rx(pitch), angles in degrees, as w, x, y, z."""
    (cp, sp), (cy, sy), (cr, sr) = [(math.cos(a), math.sin(a)) for a in (math.radians(v) / 2 for v in (pitch, yaw, roll))]
    return [cr * cy * cp + sr * sy * sp, cr * cy * sp - sr * sy * cp, cr * sy * cp + sr * cy * sp, sr * cy * cp - cr * sy * sp]


def angle(p, q):
    """Of the rotation between two unit quaternions, in degrees."""
    return math.degrees(2 * math.acos(min(1, abs(sum(a * b for a, b in zip(p, q))))))


def main(manistat, folder):
    landmarks = lines(os.path.join(folder, "aflw2000_landmarks68x2.csv"))
    poses = lines(os.path.join(folder, "aflw2000_quat_s3.csv"))
    euler = [",".join(row.split(",")[1:4]) for row in lines(os.path.join(folder, "aflw2000_pose.csv"))[1:]]
    order = list(range(len(poses)))
    random.Random(2712).shuffle(order)
    count = len(order) * 8 // 10
    header = ",".join("%s%d" % (c, i) for i in range(1, 69) for c in "xy")
    with tempfile.TemporaryDirectory() as work:
        def write(name, rows, head=None):
            path = os.path.join(work, name)
            open(path, "w").write("\n".join(([head] if head else []) + rows) + "\n")
            return path
        x, new = write("x.csv", [landmarks[i] for i in order[:count]], header), write("new.csv", [landmarks[i] for i in order[count:]], header)
        y, angles = write("y.csv", [poses[i] for i in order[:count]]), write("euler.csv", [euler[i] for i in order[:count]])
        truth = [list(map(float, poses[i].split(","))) for i in order[count:]]

        def regress(*options):
            begin = time.perf_counter()
            run = subprocess.run([manistat, "regress", "--x", x, "--predict", new, "--json", "--quiet", *options], check=True, capture_output=True)
            return json.loads(run.stdout)["predictions"], time.perf_counter() - begin

        mean = json.loads(subprocess.run([manistat, "mean", "--manifold", "sphere:3", "--json", "--quiet", y], check=True, capture_output=True).stdout)["mean"]
        results = [("constant (the mean)", [mean] * len(truth), 0.0)]
        flat, seconds = regress("--manifold", "euclidean:3", "--kind", "frechet", "--y", angles)
        results.append(("linear in Euler angles", [quaternion(*row) for row in flat], seconds))
        results.append(("geodesic", *regress("--manifold", "sphere:3", "--kind", "frechet", "--y", y)))
        results.append(("network", *regress("--manifold", "sphere:3", "--curve", "network", "--y", y)))
        print("AFLW2000, %d rows fitted, %d predicted" % (count, len(truth)))
        print("%-24s %10s %12s %10s" % ("", "mean, deg", "median, deg", "seconds"))
        for name, predicted, seconds in results:
            errors = sorted(angle(p, q) for p, q in zip(predicted, truth))
            print("%-24s %10.2f %12.2f %10.1f" % (name, sum(errors) / len(errors), errors[len(errors) // 2], seconds))


main(sys.argv[1], sys.argv[2])
