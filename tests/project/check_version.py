# SPDX-License-Identifier: MIT
"""The version stands in CMakeLists.txt, include/manistat/version.h and CITATION.cff, and what was built says the same."""

import re
import subprocess

import tree


def first(path, pattern):
    match = re.search(pattern, path.read_text(), re.M)
    return match.groups() if match else None


def main():
    args = tree.arguments()
    header = args.root / "include/manistat/version.h"
    parts = [first(header, rf"^#define MST_VERSION_{part} (\d+)$") for part in ("MAJOR", "MINOR", "PATCH")]
    if None in parts:
        tree.finish(["include/manistat/version.h:1: MST_VERSION_MAJOR, _MINOR or _PATCH is missing"])
    version = ".".join(part[0] for part in parts)
    findings = []
    for name, pattern in (("CMakeLists.txt", r"^project\(manistat VERSION (\S+)"), ("CITATION.cff", r"^version: (\S+)$")):
        found = first(args.root / name, pattern)
        if found != (version,):
            findings.append(f"{name}:1: version {found and found[0]}, but {version} in include/manistat/version.h")
    if args.binary:
        said = subprocess.run([args.binary, "--version"], check=True, capture_output=True, text=True).stdout
        if said != f"manistat {version}\n":
            findings.append(f"{args.binary.name}: --version says {said.strip()}, not {version}")
    tree.finish(findings)


main()
