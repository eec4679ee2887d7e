# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the manistat authors
"""Disks that are full and writes that are cut: status 3, one line, and no part of a file."""
import os

from memory import commands


def without_output(arguments):
    """The call without its -o, and the ending that the file has to have."""
    if "-o" not in arguments:
        return arguments, ".csv"
    at = arguments.index("-o")
    return [a for a in arguments[:at] + arguments[at + 2:] if a != "--force"], os.path.splitext(arguments[at + 1])[1]


def attack(ground):
    calls = [without_output(c) for c in commands(ground) if c[0] != "manifolds"]
    while ground.goes_on():
        arguments, ending = ground.random.choice(calls)
        if ground.random.random() < 0.3:
            arguments = [*arguments, "-o", "/dev/full", "--force"]
            outcome = ground.run(arguments)
            ground.count("full disks")
            if ground.judge(arguments, outcome) and outcome[0] not in (2, 3):
                ground.find(f"a full disk, and exit status {outcome[0]}", "manistat " + " ".join(arguments))
            continue
        target = ground.path("cut" + ending)
        limit = ground.random.choice([0, 1, 7, 20, 64])
        arguments = [*arguments, "-o", "cut" + ending]
        outcome = ground.run(arguments, file_limit=limit)
        ground.count("short writes")
        whole = ground.judge(arguments, outcome, preface=f"ulimit -f with {limit} bytes: ")
        if whole and os.path.exists(target) and outcome[0] not in (0, 1):
            ground.find("part of a file is left", f"limit of {limit} bytes: manistat " + " ".join(arguments))
        if os.path.exists(target):
            os.remove(target)
