#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Draws the error of log p on spheres over (r, t), of the plain series and of manistat, in SVG.

    docs/images/make_heat_error.py build/release/manistat > docs/images/heat_error.svg

The plain series has 100 terms in double precision. The truth is the same series with as many terms and digits as
it takes: hundreds to thousands of both. It takes a minute or two.
"""

import math
import subprocess
import sys
from decimal import Decimal, getcontext

DIMENSIONS = [2, 10]
COLUMNS, ROWS = 63, 48  # cells of a panel: distances from 0 to π, times from 1e-3 to 10
TIME_LOW, TIME_HIGH = -3, 1  # powers of ten
WORST, BEST = 0, -16  # of the colour scale, powers of ten
TERMS = 100

PANEL_WIDTH, PANEL_HEIGHT = 378, 240
LEFT, TOP, GAP_X, GAP_Y = 84, 66, 44, 72
# Light where all digits are right, dark where none is.
STOPS = ["#fcfdbf", "#fed395", "#fe9f6d", "#f76f5c", "#de4968", "#b73779", "#8c2981", "#641a80", "#3b0f70", "#150e37"]
NO_VALUE = "#9aa0a6"


def distances():
    return [math.pi * (i + 0.5) / COLUMNS for i in range(COLUMNS)]


def times():
    return [10 ** (TIME_LOW + (TIME_HIGH - TIME_LOW) * (i + 0.5) / ROWS) for i in range(ROWS)]


def log_area(m):
    """log of the volume of the unit sphere of dimension m."""
    return math.log(2) + (m + 1) / 2 * math.log(math.pi) - math.lgamma((m + 1) / 2)


def multiplicity(m, l):
    """Number of independent spherical harmonics of degree l."""
    return math.comb(m + l, m) - (math.comb(m + l - 2, m) if l > 1 else 0)


def series(m, x, weights, number):
    """Σ weights[l] P_l(x), P_l(1) = 1, in the arithmetic of `number`."""
    before, value, total = number(0), number(1), number(0)
    for l, weight in enumerate(weights):
        total += weight * value
        before, value = value, ((2 * l + m - 1) * x * value - l * before) / (l + m - 1)
    return total


def plain(m, r, t):
    weights = [multiplicity(m, l) * math.exp(-l * (l + m - 1) * t / 2) for l in range(TERMS)]
    p = series(m, math.cos(r), weights, float)
    return math.log(p) - log_area(m) if p > 0 else None


def cosine(r):
    """cos r by its Taylor series in the present precision."""
    square, term, total, k = Decimal(r) ** 2, Decimal(1), Decimal(1), 0
    while abs(term) > Decimal(10) ** -getcontext().prec:
        k += 2
        term *= -square / (k * (k - 1))
        total += term
    return total


def precise_weights(m, t, smallest):
    """The weights of the series until they are 1e-26 of e^(−smallest)."""
    step, weights, l = Decimal(t), [], 0
    decay = (-step).exp()
    factor, power = Decimal(1), (-step * m / 2).exp()  # e^(−l(l+m−1)t/2), and what takes it to l + 1
    while l * (l + m - 1) * t / 2 < smallest + 60 + m * math.log(l + 2):
        weights.append(multiplicity(m, l) * factor)
        factor *= power
        power *= decay
        l += 1
    return weights


def truths(m, t):
    """log p at all distances for one t."""
    values, weights = [], None
    for r in reversed(distances()):  # the farthest needs the most digits
        smallest = r * r / (2 * t) + 60 + m  # −log p is less than this
        getcontext().prec = int(smallest / math.log(10)) + 40
        weights = weights or precise_weights(m, t, smallest)
        tiny = Decimal(10) ** -getcontext().prec
        total = series(m, cosine(r), [+w for w in weights if w > tiny], Decimal)
        values.append(float(total.ln()) - log_area(m))
    return values[::-1]


def ours(binary, m):
    """log p of all cells, row by row, from points on the sphere."""
    zeros = ",".join(["0"] * (m - 1))
    pole = f"0,{zeros},1"
    lines = [f"{pole},{math.sin(r)!r},{zeros},{math.cos(r)!r},{t!r}" for t in times() for r in distances()]
    done = subprocess.run([binary, "heat", "--manifold", f"sphere:{m}"], input="\n".join(lines), text=True, capture_output=True, check=True)
    return [float(line.split(",")[0]) for line in done.stdout.splitlines()[1:]]


def level(value, truth):
    """log10 of the error, rounded up to a whole number within the colour scale; None without a value."""
    if value is None:
        return None
    error = abs(value - truth) / max(1, abs(truth))
    return max(BEST, min(WORST, math.ceil(math.log10(error)))) if error > 0 else BEST


def colour(which):
    if which is None:
        return NO_VALUE
    place = (which - BEST) / (WORST - BEST) * (len(STOPS) - 1)
    i = min(int(place), len(STOPS) - 2)
    low, high = ([int(c[k : k + 2], 16) for k in (1, 3, 5)] for c in STOPS[i : i + 2])
    return "#" + "".join(f"{round(a + (b - a) * (place - i)):02x}" for a, b in zip(low, high))


def text(x, y, words, anchor="middle", size=13, extra=""):
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" font-size="{size}"{extra}>{words}</text>'


def panel(x, y, title, cells, with_times):
    out = [text(x + PANEL_WIDTH / 2, y - 10, title, size=14)]
    width, height = PANEL_WIDTH // COLUMNS, PANEL_HEIGHT // ROWS
    shapes = {}
    for j in range(ROWS):
        row, begin, top = cells[j * COLUMNS : (j + 1) * COLUMNS], 0, y + PANEL_HEIGHT - (j + 1) * height
        for i in range(1, COLUMNS + 1):  # equal neighbours become one rectangle
            if i == COLUMNS or row[i] != row[begin]:
                shape = f"M{x + begin * width} {top}h{(i - begin) * width}v{height}h-{(i - begin) * width}z"
                shapes[colour(row[begin])] = shapes.get(colour(row[begin]), "") + shape
                begin = i
    out += [f'<path fill="{fill}" shape-rendering="crispEdges" d="{shape}"/>' for fill, shape in shapes.items()]
    out.append(f'<rect x="{x}" y="{y}" width="{PANEL_WIDTH}" height="{PANEL_HEIGHT}" fill="none" stroke="#333"/>')
    bottom = y + PANEL_HEIGHT
    for k, name in enumerate(["0", "π/4", "π/2", "3π/4", "π"]):
        at = x + PANEL_WIDTH * k / 4
        out.append(f'<path d="M{at:g} {bottom}v5" stroke="#333"/>' + text(at, bottom + 19, name))
    out.append(text(x + PANEL_WIDTH / 2, bottom + 36, "distance r"))
    for power in range(TIME_LOW, TIME_HIGH + 1):
        at = bottom - PANEL_HEIGHT * (power - TIME_LOW) / (TIME_HIGH - TIME_LOW)
        out.append(f'<path d="M{x} {at:g}h-5" stroke="#333"/>')
        if with_times:
            out.append(text(x - 9, at + 4, f"{10.0**power:g}", "end"))
    if with_times:
        middle = y + PANEL_HEIGHT / 2
        out.append(text(x - 58, middle, "time t", extra=f' transform="rotate(-90 {x - 58} {middle:g})"'))
    return out


def scale(x, y):
    """The colour bar, from the best at the left to the worst at the right, and what has no colour."""
    out = [text(x, y - 8, "error of log p, relative to max(1, |log p|), rounded up to a power of ten", "start")]
    levels, width = range(BEST, WORST + 1), 32
    for i, which in enumerate(levels):
        left = x + i * width
        out.append(f'<rect x="{left}" y="{y}" width="{width}" height="16" fill="{colour(which)}"/>')
        if which % 2 == 0:
            base = "≤ 10" if which == BEST else "10"
            power = f'<tspan dy="-5" font-size="10">{str(which).replace("-", "−")}</tspan>'
            out.append(text(left + width / 2, y + 33, base + power))
    out.append(f'<rect x="{x}" y="{y}" width="{len(levels) * width}" height="16" fill="none" stroke="#333"/>')
    left = x + len(levels) * width + 28
    out.append(f'<rect x="{left}" y="{y}" width="{width}" height="16" fill="{NO_VALUE}" stroke="#333"/>')
    out.append(text(left + width + 8, y + 13, "no value: the sum is ≤ 0", "start"))
    return out


def main():
    binary = sys.argv[1]
    body = []
    for k, m in enumerate(DIMENSIONS):
        truth = [value for t in times() for value in truths(m, t)]
        sums = [plain(m, r, t) for t in times() for r in distances()]
        exact = ours(binary, m)
        y = TOP + k * (PANEL_HEIGHT + GAP_Y)
        name = "S²" if m == 2 else "S¹⁰"
        for i, (title, values) in enumerate([(f"{name}, series of {TERMS} terms", sums), (f"{name}, manistat", exact)]):
            cells = [level(a, b) for a, b in zip(values, truth)]
            worst = max(abs(a - b) / max(1, abs(b)) for a, b in zip(values, truth) if a is not None)
            print(f"{title}: largest error {worst:.1e}, no value in {values.count(None)} of {len(values)}", file=sys.stderr)
            body += panel(LEFT + i * (PANEL_WIDTH + GAP_X), y, title, cells, i == 0)
    width = LEFT + 2 * PANEL_WIDTH + GAP_X + 30
    bar = TOP + len(DIMENSIONS) * (PANEL_HEIGHT + GAP_Y) + 12
    body += scale(LEFT, bar)
    body.append(text(width / 2, 30, "Error of the heat kernel on spheres in double precision", size=17))
    print(
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{bar + 50}" viewBox="0 0 {width} {bar + 50}" '
        f'font-family="sans-serif" fill="#222">\n<rect width="100%" height="100%" fill="#fff"/>'
    )
    print("\n".join(body))
    print("</svg>")


main()
