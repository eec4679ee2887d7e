#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What does a row cost where rows are many?

    big.py MANISTAT [--rows N] [--only PATTERN] [--against OLD]

Processor time (user and system) of whole commands on one thread, a row, with reading, uniqueness and errors, for a
hundredth and a tenth of N rows and for N (default 10^7): the three should be the same within a tenth. Then the ratio
of the time on the clock by one and by two threads, and with --against that of another build on a hundredth. Data are
drawn by MANISTAT into a temporary directory, which takes up to 200 N bytes.
"""

import argparse
import os
import pathlib
import re
import resource
import subprocess
import tempfile
import time

SPACES = [("sphere:2", ""), ("so3", ""), ("hyperbolic:2", ""), ("circle", ""), ("torus:2", ""), ("spd:3", "--kind frechet")]
TIMES = ["0.01", "0.1", "1"]
OTHERS = [("kmeans", "-k 3"), ("mixture", "-k 3")]


def run(words, **more):
    """Processor seconds and seconds on the clock."""
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, **more)
    after, clock = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter() - begin
    if done.returncode:
        raise SystemExit(f"{' '.join(words)}\nended with {done.returncode}: {done.stderr}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, clock


def draw(program, directory, spec, t, rows):
    path = os.path.join(directory, re.sub(r"\W", "", spec) + f"_{t}_{rows}.npy")
    if not os.path.exists(path):
        run([program, "sample", "--manifold", spec, "--time", t, "-n", str(rows), "--seed", "3", "-o", path])
    return path


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("manistat")
    parser.add_argument("--rows", type=int, default=10**7)
    parser.add_argument("--only", default="")
    parser.add_argument("--against")
    options = parser.parse_args()
    program = str(pathlib.Path(options.manistat).resolve())
    counts = [options.rows // 100, options.rows // 10, options.rows]
    print("microseconds of the processor a row, one thread")
    print(f"{'command':42s} {'t':>5s} " + " ".join(f"{n:>9.0e}" for n in counts) + "  2 threads" +
          ("  old/new" if options.against else ""))
    jobs = [("mean", spec, more, t) for spec, more in SPACES for t in TIMES]
    jobs += [(command, "sphere:2", more, "0.1") for command, more in OTHERS]
    for command, spec, more, t in jobs:
        name = " ".join(f"{command} --manifold {spec} {more}".split())
        if not re.search(options.only, name):
            continue
        with tempfile.TemporaryDirectory() as directory:
            costs, clock = [], 0
            for n in counts:
                words = [program, command, "--manifold", spec, *more.split(), draw(program, directory, spec, t, n),
                         "--json", "--threads"]
                run([*words, "1"])
                processor, clock = run([*words, "1"])
                costs.append(1e6 * processor / n)
            line = f"{name:42s} {t:>5s} " + " ".join(f"{c:9.3f}" for c in costs)
            line += f" {clock / run([*words, '2'])[1]:10.2f}"
            if options.against:
                path = draw(program, directory, spec, t, counts[0])
                words = [command, "--manifold", spec, *more.split(), path, "--json", "--threads", "1"]
                line += f" {run([options.against, *words])[0] / run([program, *words])[0]:8.1f}"
            print(line, flush=True)


if __name__ == "__main__":
    main()
