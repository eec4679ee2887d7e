# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the manistat authors
"""Allocations that fail, one after the other, in every command: the right answer, or one line that says so."""
import os
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))


TRAIN = ["train", "--manifold", "sphere:2", "--steps", "5", "--width", "8", "--depth", "1", "--batch", "64", "--quiet"]
# What is there before the calls of the table.
BEFORE = [
    [*TRAIN, "-o", "model.safetensors", "--force"],
    ["learn", "gp", "--data", "points.csv", "--latent", "pca", "--dim", "2", "-o", "plane.gp", "--force"],
    ["mean", "--manifold", "sphere:2", "points.csv", "--json", "-o", "mean.json", "--force"],
]
DO_NOT_COMPUTE = {"help"}
# Cairo and fontconfig crash or loop where their allocations fail, which docs/reliability.md says: of these, our own fail.
DRAW = {"plot", "report"}
TIMED = {"train", "reproduce"}  # their tables tell seconds and rates, and so do the models of the one


def missing_commands(ground, calls):
    """A new command joins by a line in the table; one that has none is a finding."""
    status, names, _ = ground.run(["help", "--list"])
    if status != 0 or not names:
        ground.find("help --list does not tell the commands", "manistat help --list")
    for name in set(names.split()) - {call[0] for call in calls} - DO_NOT_COMPUTE:
        ground.find(f"no allocation of {name} fails: it is not in the table of memory.py", f"manistat {name}")


def commands(ground):
    """One call of every command that computes, on files in the scratch folder. Those of -o are written again and again."""
    ground.write("points.csv", "0,0,1\n0,0.6,0.8\n0.6,0,0.8\n-0.6,0,0.8\n0,-0.6,0.8\n0.48,0.36,0.8\n")
    ground.write("pair.csv", "0,0,1,0,0.6,0.8\n")
    ground.write("x.csv", "age\n1\n2\n3\n4\n5\n6\n")
    ground.write("shapes.csv", "0,0,1,0,1,1\n0,0,1.1,0,1,1\n0,0.1,1,0,1,1.2\n0,0,1,0.1,1.1,1\n")
    ground.write("torus.manifold", "coordinates u v\nperiod u 2*pi\nperiod v 2*pi\nembedding = (2 + cos(v))*cos(u), "
                                   "(2 + cos(v))*sin(u), sin(v)\ncompact = yes\nstart = 0, 0\n")
    ground.write("angles.csv", "0,0,1,0.5\n")
    ground.write("signals.csv", "Fz,Cz\n1,2\n2,4.5\n-1,0\n0,3\n2,2\n5,1\n")
    ground.write("latent.csv", "0,0\n0.1,0.2\n")
    sphere = ["--manifold", "sphere:2"]
    for before in BEFORE:
        status, _, err = ground.run(before)
        if status not in (0, 1):
            ground.find(f"nothing to begin with: {err.strip()}", "manistat " + " ".join(before))
    calls = [
        ["manifolds"], ["manifolds", "torus.manifold", "--check"], ["sample", *sphere, "--time", "0.1", "-n", "5"],
        ["heat", *sphere, "--time", "0.1", "pair.csv"], ["exp", *sphere, "pair.csv", "--project"], ["log", *sphere, "pair.csv"],
        ["dist", *sphere, "pair.csv"], ["dist", "--manifold", "torus.manifold", "angles.csv"],
        ["heat", "--manifold", "torus.manifold", "--time", "0.1", "angles.csv"],
        ["heat", "--manifold", "torus.manifold", "--score", "spectral?functions=100", "--time", "3", "angles.csv"],
        ["heat", *sphere, "--score", "bridge?paths=8&steps=8", "--time", "0.1", "pair.csv"],
        ["geodesic", *sphere, "--steps", "3", "pair.csv"], ["mean", *sphere, "points.csv", "--json"],
        ["mean", *sphere, "--kind", "frechet", "points.csv"], ["test", *sphere, "--uniform", "points.csv"],
        ["kmeans", *sphere, "-k", "2", "points.csv"], ["mixture", *sphere, "-k", "2", "points.csv"],
        ["regress", *sphere, "--y", "points.csv", "--x", "x.csv"], ["align", "--dim", "2", "shapes.csv"],
        ["cov", "--window", "3", "--shrink", "oas", "signals.csv", "--json"], ["info", "points.csv"],
        ["test", *sphere, "points.csv", "points.csv", "--permutations", "99"], ["info", "model.safetensors"],
        [*TRAIN, "-o", "trained.safetensors", "--force"],
        ["check", "model.safetensors", "--samples", "256", "--dry-run", "--json"],
        ["mean", *sphere, "--score", "model.safetensors", "points.csv"],
        ["learn", "gp", "--data", "points.csv", "--latent", "pca", "--dim", "2", "-o", "learnt.gp", "--force"],
        ["decode", "--manifold", "plane.gp", "latent.csv"], ["dist", "--manifold", "plane.gp", "angles.csv"],
        ["plot", "mean.json", "-o", "mean.svg", "--force"], ["plot", "mean.json", "-o", "mean.png", "--force"],
        ["report", "mean.json", "-o", "mean.html", "--force"],
        ["reproduce", "table1", "--rows", "R2", "--steps", "3", "--paths", "0", "--format", "csv"],
    ]
    missing_commands(ground, calls)
    return calls


def without_seconds(text):
    return "\n".join(line for line in text.splitlines() if '"seconds"' not in line and "seconds" not in line)


def written(ground, arguments):
    """The bytes of the file that the call writes, unless they hold its seconds."""
    if "-o" not in arguments or arguments[0] in TIMED:
        return None
    try:
        with open(ground.path(arguments[arguments.index("-o") + 1]), "rb") as f:
            return f.read()
    except FileNotFoundError:
        return None


def short_of_memory(library, arguments, **more):
    own = {"MST_FAIL_OWN": "1"} if arguments[0] in DRAW else {}
    return {"LD_PRELOAD": library, "MANISTAT_THREADS": "1", **own, **more}


def make_library(ground):
    """The allocator that fails, or None."""
    library = ground.path("failing_malloc.so")
    if subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", library, os.path.join(HERE, "failing_malloc.c")]).returncode:
        ground.find("failing_malloc.c does not compile", "cc")
        return None
    return library


def run_whole(ground, library, arguments):
    """The command's answer, and the number of its allocations; None if it has none."""
    whole = ground.run(arguments, environment=short_of_memory(library, arguments, MST_FAIL_COUNT=ground.path("count")))
    if whole[0] not in (0, 1):
        ground.find(f"the command itself ends with {whole[0]}: {whole[2].strip()}", " ".join(arguments))
        return None
    with open(ground.path("count")) as f:
        return (*whole, written(ground, arguments)), int(f.read())


def fail_at(ground, library, arguments, whole, how, k):
    """One run, and what is wrong with it."""
    environment = short_of_memory(library, arguments, **{how: str(k)})
    outcome = ground.run(arguments, environment=environment)
    ground.count("allocation failures")
    preface = "".join(f"{name}={os.path.basename(value)} " for name, value in environment.items())
    if how == "MST_FAIL_AFTER" and k < 60 and outcome[0] not in (None, *range(0, 4)):
        return  # the loader and the C library start up before manistat does, and end themselves
    if not ground.judge(arguments, outcome, preface=preface):
        return
    if outcome[0] == whole[0] and arguments[0] not in TIMED and without_seconds(outcome[1]) != without_seconds(whole[1]):
        ground.find("another answer for want of memory", preface + "manistat " + " ".join(arguments))
    if written(ground, arguments) != whole[3]:  # the old one, or the same again
        ground.find("another file for want of memory", preface + "manistat " + " ".join(arguments))


def attack(ground):
    library = make_library(ground)
    if library is None:
        return
    wholes = []
    for arguments in commands(ground):
        found = run_whole(ground, library, arguments)
        if found is not None:
            wholes.append((arguments, *found))
    while ground.goes_on() and wholes:
        arguments, whole, count = ground.random.choice(wholes)
        # Early ones are rare among many, and as dangerous.
        k = ground.random.randrange(1, count + 1) if ground.random.random() < 0.7 else ground.random.randrange(1, min(count, 60) + 1)
        how = ground.random.choice(["MST_FAIL_AT", "MST_FAIL_AFTER"])
        fail_at(ground, library, arguments, whole, how, k)
