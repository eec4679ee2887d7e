#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How long do commands take on a machine that is busy with other things?

    busy.py PROGRAM [--only PATTERN] [--runs 20] [--spinners 2]

Runs each command with processes beside it that do nothing but compute, and prints the median of the seconds that
it took, next to the processor time that it needs on one thread, which is its time on a quiet machine. The exit
status is 1 if a median is more than twice that time, or, for commands below 20 ms, more than that time and 10 ms.
The limits are for as many spinners as there are cores. The data are made by PROGRAM.
"""

import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

DATA = """
sample --manifold sphere:2 --time 0.3 -n 1000 -o s2.csv
sample --manifold spd:28 --time 0.02 -n 43 -o spd28.csv
sample --manifold spd:3 --time 0.3 -n 1000 -o spd3.csv
sample --manifold so3 --time 0.3 -n 1000 -o so3.csv
sample --manifold hyperbolic:2 --time 0.3 -n 1000 -o h2.csv
"""

WORK = """
mean --manifold spd:28 --kind frechet spd28.csv
mean --manifold spd:3 --kind frechet spd3.csv
mean --manifold sphere:2 s2.csv
mean --manifold so3 so3.csv
mean --manifold hyperbolic:2 --kind frechet h2.csv
sample --manifold spd:3 --time 0.3 -n 5000 -o out.csv --force
kmeans --manifold so3 -k 3 so3.csv
mixture --manifold sphere:2 -k 3 s2.csv
test --manifold sphere:2 --method permutation --permutations 199 s2.csv s2.csv
train --manifold sphere:2 --steps 100 --batch 1024 -o out.model --force
"""


def run(program, words, where, threads=None):
    """Seconds of the clock, and of the processor, of one run."""
    environment = dict(os.environ)
    environment.pop("MANISTAT_THREADS", None)
    if threads is not None:
        environment["MANISTAT_THREADS"] = str(threads)
    begin = time.perf_counter()
    child = subprocess.Popen([program] + words, cwd=where, env=environment, stdin=subprocess.DEVNULL,
                             stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    message = child.stderr.read()
    _, status, used = os.wait4(child.pid, 0)
    seconds = time.perf_counter() - begin
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode not in (0, 1):
        raise SystemExit(f"{program} {' '.join(words)}: {message.decode().strip()[-300:]}")
    return seconds, used.ru_utime + used.ru_stime


def lines(text):
    return [line.split() for line in text.strip().splitlines()]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--spinners", type=int, default=2)
    args = parser.parse_args()
    program = str(args.program.resolve())
    late = 0
    with tempfile.TemporaryDirectory() as where:
        for words in lines(DATA):
            run(program, words, where)
        work = [words for words in lines(WORK) if args.only in " ".join(words)]
        quiet = [min(run(program, words, where, 1)[1] for _ in range(5)) for words in work]
        spinners = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(args.spinners)]
        try:
            for words, alone in zip(work, quiet):
                busy = statistics.median(run(program, words, where)[0] for _ in range(args.runs))
                limit = alone + 0.01 if alone < 0.02 else 2 * alone
                late += busy > limit
                print(f"{1e3 * alone:9.1f} ms alone {1e3 * busy:9.1f} ms busy  {'late' if busy > limit else 'ok  '}  {' '.join(words)}",
                      flush=True)
        finally:
            for spinner in spinners:
                spinner.kill()
                spinner.wait()
    return 1 if late else 0


if __name__ == "__main__":
    sys.exit(main())
