# SPDX-License-Identifier: MIT
"""Each public header compiles alone, as C17 and as C++, without a warning."""

import os
import shutil
import subprocess

import tree

WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror", "-fsyntax-only"]


def main():
    args = tree.arguments()
    compilers = [[os.environ.get("CC", "cc"), "-std=c17", "-x", "c"]]
    if shutil.which(os.environ.get("CXX", "c++")):
        compilers.append([os.environ.get("CXX", "c++"), "-std=c++17", "-x", "c++"])
    findings = []
    include = args.root / "include"
    for path in tree.files(args.root, "include/**/*.h"):
        line = f"#include <{path.relative_to(include)}>\n"
        for compiler in compilers:
            # Twice, so that a missing guard is found too.
            done = subprocess.run(
                [*compiler, *WARNINGS, f"-I{include}", "-"], input=2 * line, text=True, capture_output=True
            )
            if done.returncode != 0:
                findings.append(f"{path.relative_to(args.root)}:1: {compiler[0]} says:\n{done.stderr}")
    tree.finish(findings)


main()
