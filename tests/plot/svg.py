# SPDX-License-Identifier: MIT
"""Looks into an SVG that manistat has drawn: svg.py FILE EXPRESSION. The expression may use

  points(colour)  how many filled shapes have this colour, six hexadecimal digits, at any opacity
  rings(colour)   how many outlines have it
  texts, caption  the title and the caption
  letters         how many letters are set
  images          how many images there are
  width, height   of the page, in points

Whatever the expression, all numbers must be finite, and letters must be inside the page.
"""

import re
import sys
import xml.etree.ElementTree as tree

SVG = "{http://www.w3.org/2000/svg}"
LINK = "{http://www.w3.org/1999/xlink}href"


def transform(text):
    match = re.fullmatch(r"matrix\(([^)]*)\)", text or "matrix(1,0,0,1,0,0)")
    return [float(x) for x in match.group(1).split(",")]


def colour(style, what):
    match = re.search(what + r":rgb\(([\d.]+)%,([\d.]+)%,([\d.]+)%\)", style)
    return "".join(f"{round(float(x) * 2.55):02x}" for x in match.groups()) if match else None


class Picture:
    def __init__(self, path):
        self.root = tree.parse(path).getroot()
        self.ids = {e.get("id"): e for e in self.root.iter() if e.get("id")}
        self.width = float(self.root.get("width").removesuffix("pt"))
        self.height = float(self.root.get("height").removesuffix("pt"))
        self.paths, self.letters, self.images = [], [], 0
        for child in self.root:
            if child.tag != SVG + "defs":
                self.walk(child, 0, 0)

    def walk(self, e, dx, dy):
        if e.tag == SVG + "path":
            self.paths.append((e.get("style"), e.get("d")))
        elif e.tag == SVG + "use":
            name = e.get(LINK)[1:]
            shift = transform(e.get("transform"))
            if name.startswith("glyph"):
                self.letters.append((dx + float(e.get("x")), dy + float(e.get("y"))))
            elif self.ids[name].tag == SVG + "image":
                self.images += 1
            else:
                self.walk(self.ids[name], dx + shift[4], dy + shift[5])
        for child in e:
            self.walk(child, dx, dy)

    def count(self, what, wanted):
        return sum(colour(style, what) == wanted for style, _ in self.paths)


def main():
    path, expression = sys.argv[1:]
    text = open(path, encoding="utf-8").read()
    picture = Picture(path)
    problems = []
    if re.search(r"\b(nan|inf)\b", text):
        problems.append("a number is not finite")
    for x, y in picture.letters:
        if not (0 <= x <= picture.width and 0 <= y <= picture.height):
            problems.append(f"a letter at {x}, {y} is outside of {picture.width} x {picture.height}")
    names = {
        "points": lambda wanted: picture.count("fill", wanted),
        "rings": lambda wanted: picture.count("stroke", wanted),
        "texts": picture.root.find(SVG + "title").text or "",
        "caption": picture.root.find(SVG + "desc").text or "",
        "letters": len(picture.letters),
        "images": picture.images,
        "width": picture.width,
        "height": picture.height,
    }
    if not eval(expression, names):
        counts = {}
        for style, _ in picture.paths:
            key = (colour(style, "fill"), colour(style, "stroke"))
            counts[key] = counts.get(key, 0) + 1
        problems.append(f"not so: {expression}; {counts}; {names['texts']}: {names['caption']}")
    for problem in problems:
        print(f"{path}: {problem}")
    sys.exit(1 if problems else 0)


main()
