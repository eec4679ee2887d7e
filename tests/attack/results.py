# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the manistat authors
"""Damaged results: each is drawn and reported or refused, and no file appears that is not whole."""
import copy
import json
import os

VALUES = [None, True, -1, 0, 1, 3, 0.5, 1e308, -1e308, 1e-320, "", "x" * 3000, "nan", "sphere:2", "circle", "score", "whole", "ellipsoid", [], [[]],
          [1, 2, 3], [[1, 0], [0, 1]], [None], {}, {"mean": [1, 2]}]
MAKE = [["mean", "--manifold", "sphere:2", "--json", "points.csv"], ["mean", "--manifold", "circle", "--json", "angles.csv"],
        ["kmeans", "--manifold", "sphere:2", "-k", "2", "--json", "points.csv"],
        ["mixture", "--manifold", "torus:2", "-k", "2", "--json", "pairs.csv"],
        ["regress", "--manifold", "circle", "--y", "angles.csv", "--x", "x.csv", "--json"],
        ["sample", "--manifold", "hyperbolic:2", "--time", "0.2", "-n", "5", "--json"],
        ["sample", "--manifold", "euclidean:2", "--time", "0.2", "-n", "3", "--steps", "4", "--paths", "--json"]]


def places(value, path=()):
    """All members and elements, as paths."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield (*path, key)
        yield from places(inner, (*path, key))


def damage(random, good):
    bad = copy.deepcopy(good)
    for _ in range(random.choice([1, 1, 1, 2, 3])):
        path = random.choice(list(places(bad)) or [None])
        if path is None:
            return bad
        inner = bad
        for key in path[:-1]:
            inner = inner[key]
        if random.random() < 0.3:
            del inner[path[-1]]
        else:
            inner[path[-1]] = random.choice(VALUES)
    return bad


def write_data(ground):
    ground.write("points.csv", "0,0,1\n0,0.6,0.8\n0.6,0,0.8\n1,0,0\n0,1,0\n0.8,0.6,0\n")
    ground.write("angles.csv", "0.1\n0.4\n0.5\n1.2\n1.4\n2.1\n")
    ground.write("pairs.csv", "0.1,1\n0.4,1.2\n0.5,0.7\n1.2,3\n1.4,3.1\n2.1,2.8\n")
    ground.write("x.csv", "hour\n0\n1\n2\n3\n4\n5\n")


def attack(ground):
    write_data(ground)
    results = []
    for make in MAKE:
        status, out, err = ground.run(make)
        if status not in (0, 1):
            ground.find(f"no result to begin with: {err}", "manistat " + " ".join(make))
            return
        results.append(json.loads(out))
    while ground.goes_on():
        bad = damage(ground.random, ground.random.choice(results))
        ground.write("bad.json", json.dumps(bad))
        if ground.random.random() < 0.3:
            use = ["report", "bad.json", "--force", "-o", "bad.html"]
        else:
            use = ["plot", "bad.json", "--force", "-o", "bad." + ground.random.choice(["svg", "pdf", "png"])]
            use += ground.random.choice([[], [], ["--no-data"], ["--kind", "map"], ["--kind", "plane"]])
        if os.path.exists(ground.path(use[4])):
            os.remove(ground.path(use[4]))
        ground.count("damaged results")
        outcome = ground.run(use)
        fine = ground.judge(use, outcome)
        if fine and (outcome[0] == 0) != os.path.exists(ground.path(use[4])):
            fine = False
            ground.find("a file that should not be there, or none", "manistat " + " ".join(use))
        if not fine:
            name = f"found-{len(ground.findings)}.json"
            ground.write(name, json.dumps(bad))
            ground.findings[-1] += f"\n    with {ground.path(name)}"
