# SPDX-License-Identifier: MIT
"""A file includes only from its own layer and from those that its layer may know; the command line includes
public headers and src/util, which it shares with the library. Quoted includes name the layer, #include "base/internal.h", unless they mean a neighbour.
"""

import re

import tree

# layer: the layers it builds on; what those know is known too.
KNOWS = {
    "base": [],
    "util": ["base"],
    "io": ["util"],
    "formula": ["util"],
    "manifold": ["base", "io", "formula"],
    "points": ["manifold", "io"],
    "heat": ["manifold"],
    "net": ["base", "io"],
    "pde": ["manifold"],
    "spectral": ["pde"],
    "score": ["heat", "net", "spectral"],
    "train": ["score"],
    "stat": ["score"],
    "examine": ["heat"],
    "check": ["stat", "train"],
    "plot": ["stat", "points"],
}

# A folder of a layer that is too large for one: the two know each other.
ROOMS = {"geodesic": "manifold", "learned": "manifold"}

# public header: the layer that implements it
PUBLIC = {
    "status": "base",
    "version": "base",
    "random": "base",
    "shrink": "base",
    "io": "io",
    "signals": "io",
    "manifold": "manifold",
    "metric": "manifold",
    "constraint": "manifold",
    "geodesic": "manifold",
    "distances": "manifold",
    "learned": "manifold",
    "points": "points",
    "bridge": "heat",
    "brownian": "heat",
    "heat": "heat",
    "score": "score",
    "network": "score",
    "train": "train",
    "examine": "examine",
    "check": "check",
    "align": "stat",
    "covariance": "stat",
    "mean": "stat",
    "sample_test": "stat",
    "uniformity": "stat",
    "cluster": "stat",
    "regress": "stat",
    "terms": "stat",
    "curve": "stat",
    "plot": "plot",
}

INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]', re.M)


def closure(layer):
    known = {layer}
    for other in KNOWS[layer]:
        known |= closure(other)
    return known


def problem(layer, quote, name):
    """What is wrong with including `name` from a file of the layer; None if nothing is."""
    public = re.fullmatch(r"manistat/(\w+)\.h", name)
    if quote == "<":
        if name == "manistat.h":
            return None if layer == "cli" else "includes the umbrella header; name the parts"
        if public is None or layer == "cli":
            return None
        if public.group(1) not in PUBLIC:
            return f"includes <{name}>, which has no layer in tests/project/check_layers.py"
        other = PUBLIC[public.group(1)]
    else:
        other = name.split("/")[0] if "/" in name else layer
        other = ROOMS.get(other, other)
        if layer == "cli":
            return None if other in ("cli", "util") else f'includes the internal header "{name}"'
    return None if other in closure(layer) else f"layer {layer} must not know {other} ({name})"


def main():
    args = tree.arguments()
    findings = []
    sources = {}
    for path in tree.files(args.root, "src/**/*.[ch]"):
        folder = path.relative_to(args.root).parts[1]
        sources[path] = ROOMS.get(folder, folder)
    for path in tree.files(args.root, "include/manistat/*.h"):
        sources[path] = PUBLIC.get(path.stem)
    for path, layer in sources.items():
        relative = path.relative_to(args.root)
        if layer != "cli" and layer not in KNOWS:
            findings.append(f"{relative}:1: belongs to no layer of tests/project/check_layers.py")
            continue
        text = path.read_text()
        for match in INCLUDE.finditer(tree.without_comments(text)):
            wrong = problem(layer, *match.groups())
            if wrong:
                findings.append(f"{relative}:{tree.line_of(text, match.start())}: {wrong}")
    if not sources:
        findings.append("src: no files found")
    tree.finish(findings)


main()
