# SPDX-License-Identifier: MIT
"""The manual pages of section 5, man/*.5, are what make_man.py makes of docs/."""

import make_man
import tree


def main():
    root = tree.arguments().root
    findings = []
    for name, text in make_man.pages(root):
        path = root / "man" / name
        if not path.exists() or path.read_text() != text:
            findings.append(f"man/{name}:1: is not what docs/ says; run ./run format")
    tree.finish(findings)


main()
