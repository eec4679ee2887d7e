# SPDX-License-Identifier: MIT
"""Is what a command prints what the page shows?

Blanks count as one. A line "..." or "…" stands for any lines, and "…" within a line for any text. Numbers with
a decimal point or an exponent may differ by TOLERANCE of the largest number in their line, so that other
processors may round otherwise; whole numbers are the same, unless the page names a tolerance.
"""

import re

TOLERANCE = 1e-9
NUMBER = re.compile(r"(?<![\w.])-?\d+\.?\d*(?:e[-+]?\d+)?(?![\w])")
ANY_LINES = {"...", "…"}


def same_numbers(shown, printed, tolerance):
    pairs = [(a, b) for a, b in zip(shown, printed) if a != b]
    if tolerance is None and any(a.lstrip("-").isdigit() and b.lstrip("-").isdigit() for a, b in pairs):
        return False
    scale = max((abs(float(a)) for a in shown), default=0)
    return all(abs(float(a) - float(b)) <= (tolerance or TOLERANCE) * scale for a, b in pairs)


def same_line(shown, printed, tolerance=None):
    shown, printed = " ".join(shown.split()), " ".join(printed.split())
    if "…" in shown:
        parts = [re.escape(NUMBER.sub("#", part)) for part in shown.split("…")]
        if not re.fullmatch(".*".join(parts), NUMBER.sub("#", printed)):
            return False
        head = shown[: shown.index("…")]
        found = NUMBER.findall(head)
        return same_numbers(found, NUMBER.findall(printed)[: len(found)], tolerance)
    if NUMBER.sub("#", shown) != NUMBER.sub("#", printed):
        return False
    return same_numbers(NUMBER.findall(shown), NUMBER.findall(printed), tolerance)


def same_text(shown, printed, tolerance=None):
    """Both are lists of lines."""
    cut = next((i for i, line in enumerate(shown) if line.strip() in ANY_LINES), None)
    if cut is None:
        return len(shown) == len(printed) and all(same_line(a, b, tolerance) for a, b in zip(shown, printed))
    head, tail = shown[:cut], shown[cut + 1 :]
    if not same_text(head, printed[: len(head)], tolerance):
        return False
    return any(same_text(tail, printed[start:], tolerance) for start in range(len(head), len(printed) + 1))


def without(lines, pattern):
    """The lines with what the pattern matches left out."""
    return [re.sub(pattern, "", line) for line in lines] if pattern else lines
