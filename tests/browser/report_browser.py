#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the manistat authors
"""Reports in a browser: report_browser.py MANISTAT [--shots DIR] [--new-golden]

Loads, turns by mouse, touch and keys, reads values, asks for nothing, complains of nothing, and looks as it did
(golden/*.png, with a tolerance). Exit status 77 without a browser."""
import argparse
import os
import subprocess
import sys
import tempfile

import browser

HERE = os.path.dirname(os.path.abspath(__file__))
failures = []


def check(name, holds, more=""):
    if not holds:
        failures.append(name)
        print("FAIL", name, more)


def make(program, folder):
    """Reports of a few kinds: names to paths."""
    def run(*arguments, out):
        with open(os.path.join(folder, out), "w") as f:
            subprocess.run([program, *arguments], cwd=folder, stdout=f, stderr=subprocess.DEVNULL, check=True)

    cases = {"sphere": "sphere:2", "torus": "torus:2", "circle": "circle", "disc": "hyperbolic:2", "rotations": "so3",
             "space": "euclidean:3", "tangent": "sphere:4"}
    for name, spec in cases.items():
        run("sample", "--manifold", spec, "--time", "0.1", "-n", "120", "--seed", "4", out=name + ".csv")
        run("mean", "--manifold", spec, name + ".csv", "--json", out=name + ".json")
        run("report", name + ".json", out=name + ".html")
    run("kmeans", "--manifold", "sphere:2", "-k", "3", "sphere.csv", "--json", out="<_script>.json")
    run("report", *[n + ".json" for n in cases], "<_script>.json", out="all.html")
    return {n: os.path.join(folder, n + ".html") for n in list(cases) + ["all"]}


def state(b):
    return b.run("document.querySelector('canvas').dataset.turned || ''")


def ink(b):
    """How many pixels of the canvas are not its background."""
    return b.run("(c => { const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data; let n = 0; "
                 "for (let i = 3; i < d.length; i += 4) n += d[i] > 60; return n; })(document.querySelector('canvas'))")


def silent(b, name):
    check(f"{name}: no error in the console", not b.log, b.log)
    check(f"{name}: no request but the page", len(b.requests) == 1 and b.requests[0].startswith("file:"), b.requests)


def compare(b, name, new):
    """The canvas against its golden picture: the mean difference, and how many pixels are quite another."""
    clip = b.place("canvas")
    data = b.shot(clip=clip, scale=0.2)
    path = os.path.join(HERE, "golden", name + ".png")
    if new:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as f:
            f.write(data)
        return
    width, height, now = browser.pixels(data)
    with open(path, "rb") as f:
        old_width, old_height, old = browser.pixels(f.read())
    check(f"{name}: the size of its golden picture", (width, height) == (old_width, old_height), (width, old_width))
    apart = [max(abs(p - q) for p, q in zip(a, c)) for r, s in zip(now, old) for a, c in zip(r, s)]
    mean, other = sum(apart) / len(apart), sum(d > 60 for d in apart) / len(apart)
    # A different version smooths edges differently: a few units in the mean. A dot that is missing is 0.1 % of
    # all pixels, the region or the grid 1 % and more.
    check(f"{name}: like its golden picture", mean < 4 and other < 0.01, f"mean {mean:.2f}, {100 * other:.2f} % apart")


def solid(b, pages, name):
    b.open(pages[name])
    x, y, w, h = b.place("canvas")
    check(f"{name}: drawn", ink(b) > 1000)
    before, old = state(b), b.shot(clip=(x, y, w, h))
    b.drag(x + w / 2, y + h / 2, w / 5, h / 9)
    check(f"{name}: turned by the mouse", state(b) != before and b.shot(clip=(x, y, w, h)) != old)
    before = state(b)
    b.touch(x + w / 2, y + h / 2, -w / 4, h / 8)
    check(f"{name}: turned by touch", state(b) != before)
    b.run("document.querySelector('canvas').focus()")
    for key in ("ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"):
        before, old = state(b), b.shot(clip=(x, y, w, h))
        b.key(key)
        check(f"{name}: turned by {key}", state(b) != before and b.shot(clip=(x, y, w, h)) != old)
    old = b.shot(clip=(x, y, w, h))
    b.key("+")
    check(f"{name}: larger by +", b.shot(clip=(x, y, w, h)) != old)
    b.key("0")
    b.key("n")
    tip = b.run("document.querySelector('.tip').textContent")
    check(f"{name}: the first estimate is read", tip.startswith("mean"), tip)
    silent(b, name)


def hover(b, pages):
    """The pointer over each of a grid of places: rows and the mean are read."""
    b.open(pages["torus"])
    x, y, w, h = b.place("canvas")
    found = set()
    for i in range(4, 44):
        for j in range(18, 30):
            b.call("Input.dispatchMouseEvent", type="mouseMoved", x=x + w * i / 48, y=y + h * j / 48)
            found.add(b.run("document.querySelector('.tip').textContent"))
    check("hover: rows are read", any(t.startswith("row ") for t in found), found)
    check("hover: the mean is read", any(t.startswith("mean: (") for t in found))
    check("hover: nothing where nothing is", "" in found)
    silent(b, "hover")


def layout(b, pages, shots):
    """Nothing is wider than the window, on phones and desks, in both colours; paper has the still picture."""
    b.open(pages["all"])
    for width, height in ((375, 720), (1280, 900)):
        for dark in (False, True):
            b.screen(width, height, dark)
            name = f"{width}-{'dark' if dark else 'light'}"
            wide = b.run("document.documentElement.scrollWidth")
            check(f"layout {name}: no wider than the window", wide <= width, wide)
            paper = b.run("getComputedStyle(document.body).backgroundColor")
            check(f"layout {name}: its colour", (paper == "rgb(255, 255, 255)") == (not dark), paper)
            if shots:
                b.run("scrollTo(0, 0)")
                b.shot(os.path.join(shots, name + ".png"))
    b.screen(800, 900, dark=True, paper=True)
    check("paper: the still picture", b.run("getComputedStyle(document.querySelector('.still')).display") == "block")
    check("paper: no canvas", b.run("getComputedStyle(document.querySelector('canvas')).display") == "none")
    check("paper: white", b.run("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)")
    if shots:
        b.run("scrollTo(0, 0)")
        b.shot(os.path.join(shots, "paper.png"))
    b.screen(800, 900)
    check("names: every view is alive", b.run("document.querySelectorAll('.view').length === "
                                              "document.querySelectorAll('.view.live').length"))
    silent(b, "all")


def without_script(b, pages):
    b.call("Emulation.setScriptExecutionDisabled", value=True)
    b.call("Page.navigate", url="file://" + pages["sphere"])
    while True:
        message = b.message(30)
        if message is None or message.get("method") == "Page.loadEventFired":
            break
    b.call("Emulation.setScriptExecutionDisabled", value=False)
    shown = b.run("[getComputedStyle(document.querySelector('.still')).display, document.querySelector('canvas').hidden]")
    check("without script: the still picture", shown == ["block", True], shown)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("manistat")
    parser.add_argument("--shots", help="write screenshots into this folder")
    parser.add_argument("--new-golden", action="store_true", help="replace the golden pictures")
    options = parser.parse_args()
    program = browser.find()
    if program is None:
        print("there is no browser; ./run test --browser installs one")
        return 77
    with tempfile.TemporaryDirectory() as folder, browser.Browser(program) as b:
        pages = make(os.path.abspath(options.manistat), folder)
        b.screen(800, 900)
        for name in ("sphere", "torus", "circle", "disc", "rotations", "space", "tangent"):
            b.open(pages[name])
            check(f"{name}: drawn", ink(b) > 500)
            silent(b, name)
            if name in ("sphere", "rotations"):
                compare(b, name, options.new_golden)
            if options.shots:
                b.shot(os.path.join(options.shots, name + ".png"))
        for name in ("sphere", "rotations", "space"):
            solid(b, pages, name)
        hover(b, pages)
        layout(b, pages, options.shots)
        without_script(b, pages)
    print(f"{len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
