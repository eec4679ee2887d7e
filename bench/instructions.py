#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How many instructions do two builds of manistat need for the same work?

    instructions.py OLD NEW [--only PATTERN]

Counts the instructions of each command on one thread, by perf where the machine lets it, else by callgrind, and
prints NEW over OLD. Unlike seconds, these are the same on a busy machine. Data are made by OLD.
"""

import argparse
import os
import pathlib
import re
import subprocess
import tempfile

DATA = """
sample --manifold sphere:2 --time 0.3 -n 1000 -o s2.csv
sample --manifold sphere:2 --time 0.3 -n 10 -o few.csv
sample --manifold sphere:10 --time 0.3 -n 1000 -o s10.csv
sample --manifold spd:3 --time 0.3 -n 1000 -o spd3.csv
sample --manifold so3 --time 0.3 -n 1000 -o so3.csv
sample --manifold spd:8 --time 0.1 -n 50 -o spd8.csv
sample --manifold product(sphere:2,euclidean:1) --time 0.3 -n 1000 -o pse.csv
sample --manifold sphere:2 --time 0.3 -n 100000 -o large.csv
train --manifold sphere:2 --steps 50 --width 32 --batch 512 -o s2.model
"""

WORK = """
sample --manifold sphere:2 --time 0.3 -n 20000 -o out.csv --force
sample --manifold spd:3 --time 0.3 -n 2000 -o out.csv --force
sample --manifold product(so3,torus:2) --time 0.3 -n 2000 -o out.csv --force
sample --manifold sphere:2 --time 0.3 -n 20000 --method exact -o out.csv --force
info large.csv
mean --manifold sphere:2 few.csv
mean --manifold sphere:2 --kind frechet few.csv
mean --manifold sphere:2 s2.csv
mean --manifold sphere:10 s10.csv
mean --manifold so3 so3.csv
mean --manifold spd:3 --kind frechet spd3.csv
mean --manifold spd:8 --kind frechet spd8.csv
mean --manifold product(sphere:2,euclidean:1) pse.csv
mean --manifold sphere:2 --score s2.model s2.csv
test --manifold sphere:2 s2.csv few.csv
kmeans --manifold so3 -k 3 so3.csv
mixture --manifold sphere:2 -k 2 s2.csv
train --manifold sphere:2 --steps 20 --batch 1024 -o out.model --force
train --manifold spd:3 --steps 10 --batch 512 -o out.model --force
train --manifold product(so3,euclidean:2) --steps 10 --batch 512 -o out.model --force
"""


def perf_works():
    try:
        out = subprocess.run(["perf", "stat", "-x,", "-e", "instructions:u", "true"], capture_output=True, text=True)
    except FileNotFoundError:
        return False
    return re.match(r"\d+,", out.stderr) is not None


def count(program, words, where, perf):
    """Instructions of one run."""
    environment = dict(os.environ, MANISTAT_THREADS="1")
    tool = ["perf", "stat", "-x,", "-e", "instructions:u"] if perf else [
        "valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
    run = subprocess.run(tool + [program] + words, cwd=where, env=environment, capture_output=True, text=True)
    pattern = r"^(\d+),.*instructions" if perf else r"Collected : (\d+)"
    found = re.search(pattern, run.stderr, re.M)
    if found is None or run.returncode not in (0, 1):
        raise SystemExit(f"{program} {' '.join(words)}: {run.stderr.strip()[-300:]}")
    return int(found.group(1))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("old", type=pathlib.Path)
    parser.add_argument("new", type=pathlib.Path)
    parser.add_argument("--only", default="")
    args = parser.parse_args()
    perf = perf_works()
    programs = [str(args.old.resolve()), str(args.new.resolve())]
    with tempfile.TemporaryDirectory() as where:
        for line in DATA.split("\n"):
            if line:
                subprocess.run([programs[0]] + line.split(), cwd=where, check=True, capture_output=True)
        print(f"millions of instructions, by {'perf' if perf else 'callgrind'}; one thread")
        print(f"{'old':>10} {'new':>10} {'ratio':>7}  command")
        for line in WORK.split("\n"):
            if line and re.search(args.only, line):
                old, new = (count(p, line.split(), where, perf) for p in programs)
                print(f"{old / 1e6:10.1f} {new / 1e6:10.1f} {new / old:7.3f}  {line}", flush=True)


main()
