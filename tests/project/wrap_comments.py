# SPDX-License-Identifier: MIT
"""Wraps comments of C files at the width of .editorconfig, which clang-format leaves as they are: wrap_comments.py
FILE... What does not fit moves to the next line of its paragraph; a comment behind code that does not fit moves above
it. Formulas, which are indented in their comment, and lists stay where they are.
"""

import pathlib
import re
import sys

import sizes

OPENS = re.compile(r"^(\s*)/\*(?= )")
GOES_ON = re.compile(r"^\s* \* \S")
NEW_ITEM = re.compile(r"^\s* \* [-*] ")
TRAILING = re.compile(r"^(\s*)(\S.*?) +(/\*(?:(?!\*/).)*\*/)$")

LEAST_LAST = 20  # characters in the last line of a paragraph


def split(line, width):
    """The line and what does not fit into it; words stay whole, and `*/` stays with the last of them."""
    cut = line.rfind(" ", 0, width + 1)
    if line[cut:].strip() == "*/":
        cut = line.rfind(" ", 0, cut)
    return line[:cut].rstrip(), line[cut:].strip()


def is_formula(line):
    """Indented within its comment: how it is set is part of what it says."""
    return re.match(r"^\s*/?\*  +\S", line) is not None


def wrap_block(lines, at, width):
    """Wraps the comment that begins in line `at` and has no code before it; gives the number of its last line."""
    indent = OPENS.match(lines[at]).group(1)
    while True:
        ends = lines[at].rstrip().endswith("*/")
        if len(lines[at]) > width and not lines[at].endswith("\\") and not is_formula(lines[at]):
            goes_on = not ends and GOES_ON.match(lines[at + 1]) and not NEW_ITEM.match(lines[at + 1])
            whole = lines[at]
            lines[at], rest = split(whole, width)
            if goes_on:
                lines[at + 1] = f"{indent} * {rest} {lines[at + 1].strip()[2:]}"
            else:
                if len(rest) < LEAST_LAST:  # no line of its own for a word
                    lines[at], rest = split(whole, width - LEAST_LAST)
                lines.insert(at + 1, f"{indent} * {rest}")
            ends = False
        if ends:
            return at
        at += 1


def wrapped(text, width):
    lines = text.split("\n")
    at = 0
    while at < len(lines):
        trailing = TRAILING.match(lines[at])
        if OPENS.match(lines[at]):
            if "*/" not in lines[at] or lines[at].rstrip().endswith("*/"):
                at = wrap_block(lines, at, width)
        elif len(lines[at]) > width and trailing and '"' not in lines[at]:
            indent, code, comment = trailing.groups()
            lines[at : at + 1] = [f"{indent}{comment}", f"{indent}{code}"]
            continue
        at += 1
    return "\n".join(lines)


def main():
    root = pathlib.Path(__file__).resolve().parent.parent.parent
    limits = sizes.widths(root)
    for name in sys.argv[1:]:
        path = pathlib.Path(name)
        before = path.read_text()
        after = wrapped(before, sizes.width_of(limits, path))
        if after != before:
            path.write_text(after)


if __name__ == "__main__":
    main()
