#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the manistat authors
"""Every allocation of some short commands fails, one after the other: shortages.py BINARY."""
import os
import sys
import tempfile

import memory
from ground import Ground

SHORT = {"info", "learn", "log"}


def main():
    with tempfile.TemporaryDirectory() as scratch:
        ground = Ground(os.path.abspath(sys.argv[1]), scratch, 0, float("inf"))
        library = memory.make_library(ground)
        if library is None:
            sys.exit(77)
        for arguments in memory.commands(ground):
            found = memory.run_whole(ground, library, arguments) if arguments[0] in SHORT else None
            if found is None or found[1] > 2000:
                continue
            ground.count("commands")
            for k in range(1, found[1] + 1):
                memory.fail_at(ground, library, arguments, found[0], "MST_FAIL_AT", k)
        for finding in ground.findings:
            print(finding)
        print(ground.counts)
        sys.exit(len(ground.findings) > 0 or ground.counts.get("commands", 0) < 2)


if __name__ == "__main__":
    main()
