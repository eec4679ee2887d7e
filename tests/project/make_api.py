#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the reference of the C interface, docs/api.md and docs/api/*.md, from the headers: make_api.py SOURCE_DIR.

Declarations that stand together, up to a blank line, are a section: its heading has their names, its text is the comment
before them. check_api.py sees whether the pages are up to date.
"""

import pathlib
import re
import sys

# Headers by what they are for; a header that is missing here goes to the end.
GROUPS = [
    ("Manifolds", "manifold metric constraint learned examine geodesic distances"),
    ("Heat kernels and Brownian motion", "heat brownian bridge"),
    ("Scores and networks", "score network train check"),
    ("Estimators", "mean sample_test uniformity cluster regress curve terms align"),
    ("Covariance matrices", "covariance shrink signals"),
    ("Files", "io points"),
    ("Everything", "status random version"),
]

HIDDEN = {"MST_API", "MST_MUST_USE"}  # marks of the compiler


def strip_noise(text):
    """The header without guards, includes and the marks of C++; the last #endif closes the guard."""
    text = re.sub(r"#ifdef __cplusplus\n(extern \"C\" \{|\})\n#endif\n", "\n", text)
    text = re.sub(r"^#(ifndef|define) MANISTAT_\w+_H\n", "", text, flags=re.M)
    text = re.sub(r"^#include .*\n", "", text, flags=re.M)
    return re.sub(r"\n#endif\s*\Z", "\n", text)


def sections(text):
    """Groups of lines between blank ones, outside of braces, brackets, comments and continued or conditional lines."""
    lines, depth, conditions, comment = [], 0, 0, False
    for line in text.splitlines():
        if not line.strip() and not depth and not conditions and not comment:
            if lines:
                yield "\n".join(lines)
            lines = []
            continue
        lines.append(line)
        code = re.sub(r"^.*?\*/", "", line) if comment and "*/" in line else "" if comment else line
        comment = comment and "*/" not in line
        code = re.sub(r"/\*.*?\*/", "", code)
        comment = comment or "/*" in code
        bare = re.sub(r"/\*.*", "", code)
        depth += sum(bare.count(c) for c in "{(") - sum(bare.count(c) for c in "})")
        conditions += bool(re.match(r"#if", line)) - bool(re.match(r"#endif", line))
    if lines:
        yield "\n".join(lines)


def prose(comment):
    """The words of a block comment, as paragraphs."""
    text = comment.strip()[2:-2].replace("----", "")  # rulers
    lines = [re.sub(r"^ ?\* ?", "", line.strip()) if line.strip().startswith("*") else line.strip() for line in text.splitlines()]
    paragraphs = "\n".join(lines).strip().split("\n\n")
    return [re.sub(r"\s+", " ", p).strip() for p in paragraphs]


def names_in(code):
    """What a section declares: functions, then types, then macros."""
    bare = re.sub(r"/\*.*?\*/", "", code, flags=re.S)
    outside = re.sub(r"\{[^{}]*(\{[^{}]*\}[^{}]*)*\}", "{}", bare)
    functions = re.findall(r"\bMST_API\b[^;{]*?\b(mst_\w+)\(", outside)
    types = re.findall(r"\btypedef\b[^;]*?[\s*(](mst_\w+)\)?(?:\([^;]*\))?;", outside)
    macros = re.findall(r"^#define (MST_\w+)", outside, re.M)
    constants = [] if functions + types else re.findall(r"\b(MST_\w+) =", bare)
    return [name for name in dict.fromkeys(functions + types + macros + constants) if name not in HIDDEN]


def split_comment(section):
    """The comment that a section begins with, and the rest."""
    match = re.match(r"\s*(/\*.*?\*/)\s*\n", section, re.S)
    return (prose(match.group(1)), section[match.end() :]) if match else ([], section)


class Reference:
    def __init__(self, root):
        self.headers = {}
        self.places = {}  # name → header
        for path in sorted((root / "include/manistat").glob("*.h")):
            self.headers[path.stem] = self.read(path)

    def read(self, path):
        licence, intro, *rest = re.split(r"(?<=\*/)\n", path.read_text(), maxsplit=2)
        found = []
        for section in sections(strip_noise("\n".join(rest))):
            words, code = split_comment(section)
            names = names_in(code)
            if names:
                found.append((names, words, code.strip("\n")))
            for name in names:
                self.places.setdefault(name, path.stem)
        return prose(intro), found

    def linked(self, text, here):
        """Markdown of a comment: names of the interface are links."""
        text = text.replace("\\", "\\\\").replace("*", "\\*").replace("<", "&lt;").replace("|", "\\|")

        def link(match):
            name = match.group()
            place = self.places.get(name)
            target = f"#{name}" if place == here else f"{'api/' if here is None else ''}{place}.md#{name}"
            return f"[`{name}`]({target})" if place else f"`{name}`"

        parts = text.split("`")
        parts[::2] = [re.sub(r"\b(?:mst|MST)_\w*[a-zA-Z0-9]", link, part) for part in parts[::2]]
        return re.sub(r"\bdocs/([\w-]+\.md)", r"[\1](../\1)", "`".join(parts))

    def page(self, stem):
        intro, found = self.headers[stem]
        lines = [f"# manistat/{stem}.h", "", "*Made from the [header](../../include/manistat/%s.h) by tests/project/make_api.py; "
                 "do not edit. [All headers](../api.md).*" % stem, ""]
        for paragraph in intro:
            lines += [self.linked(paragraph, stem), ""]
        for names, words, code in found:
            lines += ["".join(f'<a id="{name}"></a>' for name in names)]
            lines += [f"## {', '.join(names[:4])}{', …' if len(names) > 4 else ''}", ""]
            for paragraph in words:
                lines += [self.linked(paragraph, stem), ""]
            lines += ["```c", code, "```", ""]
        return "\n".join(lines).rstrip("\n") + "\n"

    def index(self):
        functions = sum(name.startswith("mst_") and f"{name}(" in code for h in self.headers.values() for names, _, code in h[1] for name in names)
        lines = ["# The C interface", "",
                 "*Made from the headers by tests/project/make_api.py; do not edit.*", "",
                 f"Include `manistat.h`, which includes all of these: {len(self.headers)} headers, {functions} functions. "
                 "Every function that may fail returns an [`mst_status`](api/status.md#mst_status); points are rows of doubles; "
                 "functions take n rows at a time; what a function creates comes first and is freed by its `_free`. "
                 "[Threads](threads.md) says what may be shared; [examples](../examples) holds whole programs.", ""]
        grouped = " ".join(stems for _, stems in GROUPS).split()
        rest = [stem for stem in self.headers if stem not in grouped]
        for title, stems in [*GROUPS, *([("Further", " ".join(rest))] if rest else [])]:
            lines += [f"## {title}", "", "| header | holds |", "|---|---|"]
            for stem in stems.split():
                first = re.split(r"(?<=[.:;])\s", self.headers[stem][0][0])[0].rstrip(".:;")
                lines.append(f"| [{stem}.h](api/{stem}.md) | {self.linked(first, None)} |")
            lines.append("")
        lines += ["## All names", ""]
        ordered = sorted((name for name in self.places if name.startswith("mst_")), key=str.lower)
        letters = {}
        for name in ordered:
            letters.setdefault(name.split("_")[1], []).append(name)
        for word in sorted(letters):
            lines += [" · ".join(f"[{name}](api/{self.places[name]}.md#{name})" for name in letters[word]), ""]
        return "\n".join(lines).rstrip("\n") + "\n"

    def pages(self):
        """Path below docs/ and text of every page."""
        yield "api.md", self.index()
        for stem in self.headers:
            yield f"api/{stem}.md", self.page(stem)


def main():
    root = pathlib.Path(sys.argv[1])
    (root / "docs/api").mkdir(exist_ok=True)
    wanted = dict(Reference(root).pages())
    for old in (root / "docs/api").glob("*.md"):
        if f"api/{old.name}" not in wanted:
            old.unlink()
    for name, text in wanted.items():
        (root / "docs" / name).write_text(text)


if __name__ == "__main__":
    main()
