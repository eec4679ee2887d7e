#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compare two files of figures that ./run bench --json has written: compare.py OLD NEW.

Ratios are turned so that above 1 is better: faster, smaller, more exact.
"""

import json
import math
import sys


def figures(path):
    """(program, about, name) to a list of figures, best first: a file may hold several runs."""
    found = {}
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            figure = json.loads(line)
            key = (figure["program"], figure["about"], figure["name"])
            found.setdefault(key, []).append(figure)
    for same in found.values():
        same.sort(key=lambda figure: figure["value"], reverse=same[0]["better"] == "larger")
    return found


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: compare.py OLD NEW")
    old, new = figures(sys.argv[1]), figures(sys.argv[2])
    ratios, heading = [], None
    for key, (after, *_) in new.items():
        if key not in old:
            continue
        before = old[key][0]
        if (before["unit"], before["better"]) != (after["unit"], after["better"]):
            continue
        a, b = before["value"], after["value"]
        ratio = (b / a if after["better"] == "larger" else a / b) if a > 0 and b > 0 else math.nan
        if key[:2] != heading:
            heading = key[:2]
            print("\n" + ": ".join(part for part in heading if part))
        print(f"{key[2]:62} {a:11.4g} {b:11.4g} {after['unit']:11} {ratio:6.3f} x")
        if ratio > 0:
            ratios.append(ratio)
    for path, here, there in ((sys.argv[1], old, new), (sys.argv[2], new, old)):
        for key in here.keys() - there.keys():
            print(f"only in {path}: {', '.join(key)}")
    if not ratios:
        sys.exit("nothing to compare")
    ratios.sort()
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    print(f"\n{len(ratios)} figures: geometric mean {mean:.3f} x, from {ratios[0]:.3f} to {ratios[-1]:.3f}")


main()
