#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the manistat authors
"""Attacks the command line and the readers for some minutes, prints what was tried and what was found.

attack.py BINARY [--minutes M] [--seed S] [--only NAME,...] [--fuzz FOLDER] [--keep FOLDER]
"""
import argparse
import os
import sys
import tempfile
import time

import disk
import fuzz
import kills
import memory
import models
import numbers_on_manifolds
import results
from ground import Ground

# The share of the time that each gets.
ATTACKS = {"numbers": (numbers_on_manifolds.attack, 3), "models": (models.attack, 2), "results": (results.attack, 1), "memory": (memory.attack, 2),
           "kills": (kills.attack, 1), "disk": (disk.attack, 1), "fuzz": (None, 3)}


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("binary")
    p.add_argument("--minutes", type=float, default=3)
    p.add_argument("--seed", type=int, default=2712)
    p.add_argument("--only", default=",".join(ATTACKS))
    p.add_argument("--fuzz", default="", help="folder of the programs fuzz_*")
    p.add_argument("--keep", help="a folder for inputs that were found; a temporary one otherwise")
    o = p.parse_args()
    names = o.only.split(",")
    unknown = [n for n in names if n not in ATTACKS]
    if unknown:
        sys.exit(f"attack: no attack is called {unknown[0]}; there are {', '.join(ATTACKS)}")
    if not o.fuzz and "fuzz" in names:
        names.remove("fuzz")
    shares, found = sum(ATTACKS[n][1] for n in names), 0
    with tempfile.TemporaryDirectory() as temporary:
        for name in names:
            run, share = ATTACKS[name]
            scratch = os.path.join(o.keep or temporary, name)
            os.makedirs(scratch, exist_ok=True)
            ground = Ground(os.path.abspath(o.binary), scratch, o.seed, time.monotonic() + 60 * o.minutes * share / shares)
            if name == "fuzz":
                fuzz.attack(ground, os.path.abspath(o.fuzz))
            else:
                run(ground)
            for what, count in ground.counts.items():
                print(f"{what}: {count}", flush=True)
            for finding in dict.fromkeys(ground.findings):
                print(f"FOUND {finding}", flush=True)
            found += len(ground.findings)
    print(f"findings: {found}")
    sys.exit(found > 0)


if __name__ == "__main__":
    main()
