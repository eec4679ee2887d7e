#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Draws paths on the sphere as an orthographic globe, in SVG.

    manistat sample --manifold sphere:2 --time 1 --steps 3000 -n 4 --paths |
        docs/images/make_brownian_paths.py > docs/images/brownian_paths.svg

Reads the table path,time,x_1,x_2,x_3 of `manistat sample --paths` from standard input.
"""

import csv
import math
import sys

SIZE, RADIUS = 6000, 2800  # in tenths of a pixel, so that whole numbers are fine enough
LATITUDE, LONGITUDE = math.radians(60), math.radians(-5)  # of the point in the middle
COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b8860b", "#56b4e9", "#444444"]

SIN, COS = math.sin(LATITUDE), math.cos(LATITUDE)
RIGHT = (-math.sin(LONGITUDE), math.cos(LONGITUDE), 0)
UP = (-SIN * math.cos(LONGITUDE), -SIN * math.sin(LONGITUDE), COS)
FRONT = (COS * math.cos(LONGITUDE), COS * math.sin(LONGITUDE), SIN)


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def project(x):
    """Picture coordinates of a point of the sphere, and its height above the plane of the picture."""
    return SIZE / 2 + RADIUS * dot(x, RIGHT), SIZE / 2 - RADIUS * dot(x, UP), dot(x, FRONT)


def runs(points):
    """Splits a curve where it passes the rim: (is in front, picture coordinates) of each part."""
    parts = []
    for u, v, height in map(project, points):
        front = height >= 0
        if not parts or parts[-1][0] != front:
            joint = [parts[-1][1][-1]] if parts else []
            parts.append((front, joint))
        parts[-1][1].append((u, v))
    return parts


def path_data(line):
    """Relative moves take half the space of absolute ones."""
    whole = [(round(u), round(v)) for u, v in line]
    moves = [(a[0] - b[0], a[1] - b[1]) for a, b in zip(whole[1:], whole)]
    return "M{},{}l".format(*whole[0]) + " ".join(f"{u},{v}".replace(",-", "-") for u, v in moves)


def graticule():
    """Parallels and meridians every 30 degrees."""
    fine = [math.radians(a) for a in range(0, 361, 3)]
    for latitude in range(-60, 61, 30):
        z, r = math.sin(math.radians(latitude)), math.cos(math.radians(latitude))
        yield [(r * math.cos(a), r * math.sin(a), z) for a in fine]
    for longitude in range(0, 180, 30):
        c, s = math.cos(math.radians(longitude)), math.sin(math.radians(longitude))
        yield [(c * math.cos(a), s * math.cos(a), math.sin(a)) for a in fine]


def read_paths(lines):
    paths = {}
    for row in csv.DictReader(lines):
        paths.setdefault(row["path"], []).append(tuple(float(row[f"x_{k}"]) for k in (1, 2, 3)))
    return list(paths.values())


def draw(paths, out):
    out.write(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {SIZE} {SIZE}" width="{SIZE // 10}" height="{SIZE // 10}"'
        ' fill="none" stroke-linejoin="round" stroke-linecap="round">\n'
        "<title>Brownian paths on the sphere from a common start</title>\n"
        '<defs><radialGradient id="ball" cx="0.38" cy="0.3" r="0.78">'
        '<stop offset="0" stop-color="#ffffff"/><stop offset="0.55" stop-color="#eef2f6"/>'
        '<stop offset="1" stop-color="#c3ced9"/></radialGradient></defs>\n'
        f'<circle cx="{SIZE // 2}" cy="{SIZE // 2}" r="{RADIUS}" fill="url(#ball)"/>\n'
    )
    lines = [part for curve in graticule() for part in runs(curve)]
    coloured = [
        (front, line, COLOURS[k % len(COLOURS)]) for k, path in enumerate(paths) for front, line in runs(path)
    ]
    for front in (False, True):
        data = "".join(path_data(line) for side, line in lines if side == front and len(line) > 1)
        opacity = 0.55 if front else 0.16
        out.write(f'<path d="{data}" stroke="#8796a5" stroke-width="8" stroke-opacity="{opacity}"/>\n')
        width, opacity = (12, 0.95) if front else (10, 0.25)
        for side, line, colour in coloured:
            if side == front and len(line) > 1:
                out.write(
                    f'<path d="{path_data(line)}" stroke="{colour}" stroke-width="{width}"'
                    f' stroke-opacity="{opacity}"/>\n'
                )
    for k, path in enumerate(paths):
        u, v, height = project(path[-1])
        if height >= 0:
            colour = COLOURS[k % len(COLOURS)]
            out.write(
                f'<circle cx="{u:.0f}" cy="{v:.0f}" r="50" fill="{colour}" stroke="#ffffff" stroke-width="15"/>\n'
            )
    out.write(
        f'<circle cx="{SIZE // 2}" cy="{SIZE // 2}" r="{RADIUS}" stroke="#6b7a89" stroke-width="12"/>\n'
    )
    u, v, _ = project(paths[0][0])
    out.write(f'<circle cx="{u:.0f}" cy="{v:.0f}" r="70" fill="#111111" stroke="#ffffff" stroke-width="20"/>\n')
    out.write("</svg>\n")


def main():
    paths = read_paths(sys.stdin)
    if not paths:
        sys.exit("make_brownian_paths.py: no paths on standard input")
    draw(paths, sys.stdout)


main()
