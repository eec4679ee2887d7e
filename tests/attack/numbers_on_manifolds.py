# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the manistat authors
"""Hostile numbers: every command on every manifold, with cells that nobody measures."""
import os
import re

from memory import DO_NOT_COMPUTE

EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../examples/manifolds")
FILES = ["torus.manifold", "ellipsoid.manifold", "gaussian.manifold"]  # an embedding, an equation, a metric
LEARNED = "plane.gp"
MANIFOLDS = [
    "euclidean:3", "circle", "torus:2", "sphere:2", "sphere:20", "hyperbolic:2", "spd:2", "spd:3",
    "spd:3?metric=log-euclidean", "spd:2?metric=log-cholesky", "spd:3?metric=bures-wasserstein", "spd:2?metric=frobenius", "sym:3",
    "so3", "kendall:5x2", "size-and-shape:5x2", "landmarks:3x2?sigma=0.5", "product(sphere:2,euclidean:1)", "product(so3,circle)",
]
CELLS = [
    "0", "-0", "1", "-1", "1e-300", "-1e-300", "5e-324", "1e-20", "1e20", "-1e20", "1e150", "1e154", "1e300", "-1e300",
    "1.7976931348623157e308", "1e309", "-1e309", "nan", "inf", "-inf", "", "x", "1e", "0x1p3", "1_000", "9" * 400,
]
ROWS = 6
TIMES = ["0", "-1", "1e-320", "1e-300", "1e-12", "1e-3", "1", "50", "1e6", "1e150", "1e300", "1e309", "nan", "inf"]
# A command, what its rows are made of (p: a point, v: a point's worth of numbers, t: a time, n: a number), and whether it takes --time. Rows
# go to standard input, after the rest or where "-" is; points.csv is a file of six good points, numbers.csv one of six numbers.
COMMANDS = [
    (["mean"], "p", False), (["mean", "--kind", "frechet"], "p", False), (["mean", "--covariance", "sandwich"], "p", False),
    (["mean"], "p", True), (["kmeans", "-k", "2"], "p", False), (["mixture", "-k", "2"], "p", False),
    (["test", "--uniform"], "p", False), (["info"], "p", False), (["dist"], "pp", False), (["log"], "pp", False),
    (["exp"], "pv", False), (["geodesic", "--steps", "3"], "pp", False), (["heat"], "ppt", False), (["heat"], "pp", True),
    (["test", "-", "points.csv", "--method", "permutation", "--permutations", "19"], "p", False),
    (["test", "-", "points.csv"], "p", False), (["mean", "--plot", "picture.svg", "--force"], "p", False),
    (["regress", "--y", "-", "--x", "numbers.csv"], "p", False), (["align", "--dim", "2"], "p", False),
    (["sample", "-n", "2", "--steps", "4"], "", True), (["cov", "--shrink", "ledoit-wolf"], "p", False), (["cov"], "p", False),
    (["dist", "--all"], "p", False), (["mean", "--weights", "-", "points.csv"], "n", False),
    (["mean", "--kind", "frechet", "--weights", "-", "--weights-are", "relative", "points.csv"], "n", False),
    (["kmeans", "-k", "2", "--weights", "-", "points.csv"], "n", False), (["mixture", "-k", "2", "--weights", "-", "points.csv"], "n", False),
    (["regress", "--kind", "frechet", "--y", "points.csv", "--x", "-"], "n", False),
    (["decode", "--manifold", LEARNED], "p", False),
    (["learn", "gp", "--latent", "pca", "--dim", "1", "-o", "learnt.gp", "--force", "--data", "-"], "p", False),
]
PLAIN = ("info", "cov", "align", "learn")  # read any table, of no manifold
NO_NUMBERS = {"manifolds", "train", "check", "plot", "report", "reproduce"}  # read models and results, which models.py and results.py damage
SIX = ("--x", "--weights")  # read a row for each of six points
NOT_A_NUMBER = re.compile(r"(?<![A-Za-z_])-?(nan|inf)(?![A-Za-z_])", re.I)


def points(ground, manifold):
    status, out, _ = ground.run(["sample", "--manifold", manifold, "--time", "0.01", "-n", str(ROWS), "--steps", "8"])
    return [line.split(",") for line in out.splitlines()] if status == 0 else []


def missing(ground):
    """A new command and a new family of manifolds join by their lines; one that has none is a finding."""
    for name in set(ground.run(["help", "--list"])[1].split()) - {command[0] for command, _, _ in COMMANDS} - NO_NUMBERS - DO_NOT_COMPUTE:
        ground.find(f"no hostile number for {name}: it is not in the table of numbers_on_manifolds.py", f"manistat {name}")

    def family(spec):
        return " ".join(re.findall(r"^[a-z0-9-]+|metric=[a-z-]+", spec))
    examples = [line.split()[0] for line in ground.run(["manifolds"])[1].partition("\n\n")[0].splitlines()[1:]]
    if len(examples) < 10:
        ground.find("manifolds does not tell the families", "manistat manifolds")
    for spec in {family(e) for e in examples} - {family(m) for m in MANIFOLDS}:
        ground.find(f"no hostile number on {spec}: it is not in the table of numbers_on_manifolds.py", f"manistat manifolds {spec}")


def make_files(ground):
    for name in FILES:
        with open(os.path.join(EXAMPLES, name)) as f:
            ground.write(name, f.read())
    ground.write("cloud.csv", "".join(f"{k % 5},{k // 5},{0.1 * ((k * 7) % 5)}\n" for k in range(20)))
    learn = ["learn", "gp", "--data", "cloud.csv", "--latent", "pca", "--dim", "2", "-o", LEARNED, "--force"]
    status, _, err = ground.run(learn)
    if status != 0:
        ground.find(f"no learned manifold to begin with: {err.strip()}", "manistat " + " ".join(learn))


def attack(ground):
    missing(ground)
    make_files(ground)
    everywhere = [*MANIFOLDS, *FILES, LEARNED]
    some = {m: points(ground, m) for m in everywhere}
    for m in (m for m in everywhere if len(some[m]) != ROWS):
        ground.find("no points to begin with", f"manistat sample --manifold '{m}' --time 0.01 -n {ROWS} --steps 8")
        return
    ground.write("numbers.csv", "".join(f"{k}\n" for k in range(ROWS)))
    while ground.goes_on():
        command, parts, timed = ground.random.choice(COMMANDS)
        manifold = command[command.index("--manifold") + 1] if "--manifold" in command else ground.random.choice(everywhere)
        if "points.csv" in command:
            ground.write("points.csv", "".join(",".join(row) + "\n" for row in some[manifold]))
        rows = [[cell for kind in parts for cell in
                 (ground.random.choice(some[manifold]) if kind in "pv" else [ground.random.choice(["0.1", "1"])])]
                for _ in range(ROWS if any(a in SIX for a in command) else ground.random.choice([1, 2, 3, ROWS])) if parts]
        for _ in range(ground.random.choice([0, 1, 1, 2]) if rows else 0):
            row = ground.random.choice(rows)
            row[ground.random.randrange(len(row))] = ground.random.choice(CELLS)
        text = "".join(",".join(row) + "\n" for row in rows)
        arguments = [*command, *([] if command[0] in PLAIN or "--manifold" in command else ["--manifold", manifold])]
        arguments += ["--time", ground.random.choice(TIMES)] if timed else []
        arguments += ["--project"] if parts and command[0] not in (*PLAIN, "decode") and ground.random.random() < 0.4 else []
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
