# SPDX-License-Identifier: MIT
"""Nothing above the manifolds goes by the name of one: what has to be known is asked of its traits. Names and specs
may be printed and stored, but not compared.
"""

import re

import tree

LAYERS = ["heat", "score", "train", "stat", "check", "points", "plot"]

# A spec or a name of a table, however it is written.
NAMED = r"(?:->spec\b|\bmst_manifold_spec\s*\(|->ops\.name\b|\bmst_manifold_table\s*\([^()]*\)\s*->\s*name\b)"
FORBIDDEN = [
    (re.compile(r"\bmst_is_family\b|\bbuilt_in\b"), "asks for a family"),
    (re.compile(r"\b(?:str\w*cmp|strstr|strchr|memcmp|strn?spn|strcspn|fnmatch|regexec)\s*\([^;]*?" + NAMED),
     "compares the name of a manifold"),
    (re.compile(NAMED + r"\s*(?:\[|[=!]=)"), "looks into the name of a manifold"),
    (re.compile(r"\bmst_manifold_table\s*\([^()]*\)\s*->\s*\w+\s*[=!]=\s*(?!NULL\b)"),
     "tells manifolds apart by a function of theirs"),
    (re.compile(r"\bmst_manifold_family_of\s*\("), "asks for a family"),
    # Whether two manifolds are the same one may be asked, but not whether one is this or that.
    (re.compile(r'\bmst_spec_names\s*\(\s*"'), "compares the name of a manifold"),
]


def main():
    args = tree.arguments()
    findings = []
    seen = 0
    for layer in LAYERS:
        for path in tree.files(args.root, f"src/{layer}/*.[ch]"):
            seen += 1
            relative = path.relative_to(args.root)
            text = path.read_text()
            code = tree.without_comments(text)
            for pattern, what in FORBIDDEN:
                for match in pattern.finditer(code):
                    findings.append(f"{relative}:{tree.line_of(text, match.start())}: {what}")
    if seen == 0:
        findings.append("src: no files found")
    tree.finish(findings)


main()
