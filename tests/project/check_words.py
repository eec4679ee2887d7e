# SPDX-License-Identifier: MIT
"""The tree speaks about the software, not about how or where it was written: no paths of one machine, no hosts
of package mirrors, no numbers of a tracker, no unfinished marks. Source files carry a licence line.
"""

import re

import tree

TEXT = ["**/*", ".ci/*", ".*"]
BINARY = {".npy", ".png", ".pdf", ".gz", ".nii"}
# Written with character classes so that this file does not find itself.
FORBIDDEN = re.compile(
    r"\b(sub)?[a]gents?\b|\b[s]essions?\b|\b[i]ssues? +#?\d+|\b[c]laude\b|\b[c]hatgpt\b|\b[a]s an ai\b"
    r"|(?<![\w.])/(w[o]rk|r[o]ot|h[o]m[e]/\w+)/"
    r"|\b(registry|mirror|proxy|nexus|artifactory)\.[\w-]+\.\w+"
    r"|\b(T[O]DO|F[I]XME|X[X]X)\b",
    re.I,
)
LICENSED = {".c", ".h", ".py", ".sh", ".cmake"}


def main():
    args = tree.arguments()
    findings = []
    for path in tree.files(args.root, *TEXT):
        relative = path.relative_to(args.root)
        if path.suffix in BINARY:
            continue
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            if relative.parts[0] != "tests":  # readers are tested with broken files
                findings.append(f"{relative}:1: not UTF-8")
            continue
        for match in FORBIDDEN.finditer(text):
            findings.append(f"{relative}:{tree.line_of(text, match.start())}: {match.group()!r}")
        if path.suffix in LICENSED and "SPDX-License-Identifier: MIT" not in text[:200]:
            findings.append(f"{relative}:1: no SPDX line")
    tree.finish(findings)


main()
