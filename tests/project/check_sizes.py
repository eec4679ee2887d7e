# SPDX-License-Identifier: MIT
"""Lines are no longer than .editorconfig says, functions no longer than 80 lines from brace to brace, and files no
longer than 600 lines.
"""

import sizes
import tree

MOST_LINES = 80
MOST_FILE = 600
# Older than the check, and still to be done: ./run format, and away from this list.
WAITING = """
include/manistat/manifold.h
tests/support/manifolds.h
""".split()


def functions(lines):
    """First and last line of each body; in the house style its braces stand alone at the left."""
    begin = None
    for number, line in enumerate(lines, 1):
        if line == "{":
            begin = number
        elif line == "}" and begin is not None:
            yield begin, number
            begin = None


def main():
    args = tree.arguments()
    findings = []
    limits = sizes.widths(args.root)
    bodies = 0
    for path in tree.files(args.root, "**/*.[ch]"):
        relative = path.relative_to(args.root)
        waits = str(relative) in WAITING
        lines = path.read_text().split("\n")
        width = sizes.width_of(limits, path)
        for number, line in enumerate(lines, 1):
            if len(line) > width and not waits:
                findings.append(f"{relative}:{number}: {len(line)} characters, {width} is the most")
        for begin, end in functions(lines):
            bodies += 1
            if end - begin + 1 > MOST_LINES:
                findings.append(f"{relative}:{begin}: a function of {end - begin + 1} lines, {MOST_LINES} is the most")
        if len(lines) - 1 > MOST_FILE and not waits:
            findings.append(f"{relative}:1: a file of {len(lines) - 1} lines, {MOST_FILE} is the most")
    if bodies == 0:
        findings.append("no functions found")
    tree.finish(findings)


main()
