# SPDX-License-Identifier: MIT
"""The reference of the C interface, docs/api.md and docs/api/*.md, is what make_api.py makes of the headers, and names every function."""

import re

import make_api
import tree


def main():
    root = tree.arguments().root
    reference = make_api.Reference(root)
    findings = []
    pages = dict(reference.pages())
    for name, text in pages.items():
        path = root / "docs" / name
        if not path.exists() or path.read_text() != text:
            findings.append(f"docs/{name}:1: is not what the headers say; run python3 tests/project/make_api.py .")
    for path in (root / "docs/api").glob("*.md"):
        if f"api/{path.name}" not in pages:
            findings.append(f"docs/api/{path.name}:1: there is no such header")
    for header in tree.files(root, "include/manistat/*.h"):
        for name in re.findall(r"\b(mst_\w+)\(", " ".join(re.findall(r"MST_API[^;]*", tree.without_comments(header.read_text())))):
            if name not in reference.places:
                findings.append(f"{header.relative_to(root)}:1: {name} is not in the reference")
    tree.finish(findings)


main()
