# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the manistat authors
"""Disks that are full and writes that are cut: status 3, one line, and no part of a file."""
import os

from memory import commands


def attack(ground):
    calls = [c for c in commands(ground) if c[0] != "manifolds"]
    calls.append(["train", "--manifold", "sphere:2", "--steps", "5", "--width", "8", "--depth", "1", "--batch", "64", "--quiet"])
    while ground.goes_on():
        arguments = ground.random.choice(calls)
        if ground.random.random() < 0.3:
            arguments = [*arguments, "-o", "/dev/full", "--force"]
            outcome = ground.run(arguments)
            ground.count("full disks")
            if ground.judge(arguments, outcome) and outcome[0] not in (2, 3):
                ground.find(f"a full disk, and exit status {outcome[0]}", "manistat " + " ".join(arguments))
            continue
        target = ground.path("cut.csv")
        limit = ground.random.choice([0, 1, 7, 20, 64])
        arguments = [*arguments, "-o", "cut.csv"]
        outcome = ground.run(arguments, file_limit=limit)
        ground.count("short writes")
        whole = ground.judge(arguments, outcome, preface=f"ulimit -f with {limit} bytes: ")
        if whole and os.path.exists(target) and outcome[0] not in (0, 1):
            ground.find("part of a file is left", f"limit of {limit} bytes: manistat " + " ".join(arguments))
        if os.path.exists(target):
            os.remove(target)
