# SPDX-License-Identifier: MIT
"""The script and the style of reports: plain ASCII, lines of 110 characters at most, two blanks to indent, brackets that
match, and nothing that asks for something outside or makes elements of texts.
"""

import re

import tree

MOST = 110
FORBIDDEN = {
    ".js": ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function", "fetch(",
            "XMLHttpRequest", "WebSocket", "import(", "http:", "https:", "var ", "==null", "</script"],
    ".css": ["@import", "url(", "http:", "https:", "</style", "expression("],
}
PAIRS = {")": "(", "]": "[", "}": "{"}


def bare(text, is_script):
    """Without comments and texts, whose brackets need not match; lines stay."""
    blank = lambda m: re.sub(r"[^\n]", " ", m.group())
    pattern = r"/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\""
    return re.sub(pattern + r"|//[^\n]*" if is_script else pattern, blank, text, flags=re.S)


def main():
    args = tree.arguments()
    findings = []
    paths = tree.files(args.root, "src/**/*.js", "src/**/*.css")
    if len(paths) < 2:
        findings.append("src/cli: the script or the style of reports is gone")
    for path in paths:
        name, text = path.relative_to(args.root), path.read_text()
        for number, line in enumerate(text.split("\n"), 1):
            if len(line) > MOST:
                findings.append(f"{name}:{number}: {len(line)} characters")
            if not line.isascii() or "\t" in line or line != line.rstrip():
                findings.append(f"{name}:{number}: not ASCII, a tab, or blanks at the end")
            if (len(line) - len(line.lstrip(" "))) % 2 and not line.lstrip().startswith("*"):
                findings.append(f"{name}:{number}: indented by an odd number of blanks")
            for word in FORBIDDEN[path.suffix]:
                if word in line:
                    findings.append(f"{name}:{number}: {word} has no place in a report")
        if path.suffix == ".js" and '"use strict";' not in text:
            findings.append(f"{name}: not strict")
        open_ones = []
        for match in re.finditer(r"[()\[\]{}]", bare(text, path.suffix == ".js")):
            if match.group() in PAIRS.values():
                open_ones.append(match)
            elif not open_ones or open_ones.pop().group() != PAIRS[match.group()]:
                findings.append(f"{name}:{tree.line_of(text, match.start())}: {match.group()} closes nothing")
                break
        if open_ones:
            findings.append(f"{name}:{tree.line_of(text, open_ones[0].start())}: not closed")
    tree.finish(findings)


if __name__ == "__main__":
    main()
