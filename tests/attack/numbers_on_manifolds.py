# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the manistat authors
"""Hostile numbers: every command on every manifold, with cells that nobody measures."""
import re

MANIFOLDS = [
    "euclidean:3", "circle", "torus:2", "sphere:2", "sphere:20", "hyperbolic:2", "spd:2", "spd:3",
    "spd:3?metric=log-euclidean", "sym:3", "so3", "kendall:5x2", "size-and-shape:5x2", "landmarks:3x2?sigma=0.5",
    "product(sphere:2,euclidean:1)", "product(so3,circle)",
]
CELLS = [
    "0", "-0", "1", "-1", "1e-300", "-1e-300", "5e-324", "1e-20", "1e20", "-1e20", "1e150", "1e154", "1e300", "-1e300",
    "1.7976931348623157e308", "1e309", "-1e309", "nan", "inf", "-inf", "", "x", "1e", "0x1p3", "1_000", "9" * 400,
]
ROWS = 6
TIMES = ["0", "-1", "1e-320", "1e-300", "1e-12", "1e-3", "1", "50", "1e6", "1e150", "1e300", "1e309", "nan", "inf"]
# A command, what its rows are made of (p: a point, v: a point's worth of numbers, t: a time), and whether it takes --time. Rows go to standard
# input, after the rest or where "-" is; points.csv is a file of six good points, numbers.csv one of six numbers.
COMMANDS = [
    (["mean"], "p", False), (["mean", "--kind", "frechet"], "p", False), (["mean", "--covariance", "sandwich"], "p", False),
    (["mean"], "p", True), (["kmeans", "-k", "2"], "p", False), (["mixture", "-k", "2"], "p", False),
    (["test", "--uniform"], "p", False), (["info"], "p", False), (["dist"], "pp", False), (["log"], "pp", False),
    (["exp"], "pv", False), (["geodesic", "--steps", "3"], "pp", False), (["heat"], "ppt", False), (["heat"], "pp", True),
    (["test", "-", "points.csv", "--method", "permutation", "--permutations", "19"], "p", False),
    (["test", "-", "points.csv"], "p", False), (["mean", "--plot", "picture.svg", "--force"], "p", False),
    (["regress", "--y", "-", "--x", "numbers.csv"], "p", False), (["align", "--dim", "2"], "p", False),
    (["sample", "-n", "2", "--steps", "4"], "", True), (["cov", "--shrink", "ledoit-wolf"], "p", False), (["cov"], "p", False),
]
PLAIN = ("info", "cov", "align")  # read any table, of no manifold
SEARCHED = "landmarks"  # geodesics between far points take a second, and twenty labellings have hundreds of them
NOT_A_NUMBER = re.compile(r"(?<![A-Za-z_])-?(nan|inf)(?![A-Za-z_])", re.I)


def points(ground, manifold):
    status, out, _ = ground.run(["sample", "--manifold", manifold, "--time", "0.01", "-n", str(ROWS), "--steps", "8"])
    return [line.split(",") for line in out.splitlines()] if status == 0 else []


def attack(ground):
    some = {m: points(ground, m) for m in MANIFOLDS}
    ground.write("numbers.csv", "".join(f"{k}\n" for k in range(ROWS)))
    while ground.goes_on():
        manifold = ground.random.choice(MANIFOLDS)
        command, parts, timed = ground.random.choice(COMMANDS)
        if "permutation" in command and manifold.startswith(SEARCHED):
            continue
        if "points.csv" in command:
            ground.write("points.csv", "".join(",".join(row) + "\n" for row in some[manifold]))
        rows = [[cell for kind in parts for cell in
                 (ground.random.choice(some[manifold]) if kind in "pv" else [ground.random.choice(["0.1", "1"])])]
                for _ in range(ROWS if "numbers.csv" in command else ground.random.choice([1, 2, 3, ROWS])) if parts]
        for _ in range(ground.random.choice([0, 1, 1, 2]) if rows else 0):
            row = ground.random.choice(rows)
            row[ground.random.randrange(len(row))] = ground.random.choice(CELLS)
        text = "".join(",".join(row) + "\n" for row in rows)
        arguments = [*command, *([] if command[0] in PLAIN else ["--manifold", manifold])]
        arguments += ["--time", ground.random.choice(TIMES)] if timed else []
        arguments += ["--project"] if parts and command[0] not in PLAIN and ground.random.random() < 0.4 else []
        shrunk = parts and manifold.startswith("spd") and command[0] not in PLAIN and ground.random.random() < 0.4
        arguments += ["--shrink", ground.random.choice(["0", "1e-9", "0.1", "1", "oas"]), "--samples", "9"] if shrunk else []
        arguments += ["-"] if parts and "-" not in command else []
        outcome = ground.run(arguments, text)
        ground.count("hostile numbers")
        if not ground.judge(arguments, outcome, text):
            continue
        given = NOT_A_NUMBER.search(text) or any("e30" in a for a in arguments)
        if outcome[0] == 0 and command != ["info"] and not given and NOT_A_NUMBER.search(outcome[1]):
            # An end of an interval may be infinite; a mean, a length or a coordinate may not.
            if command[0] in ("mean", "mixture", "kmeans", "test", "regress") and "nan" not in outcome[1].lower():
                continue
            ground.find("nan or inf with exit status 0", f"printf '{text}' | manistat {' '.join(arguments)}")
