#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the manual pages of section 5, man/*.5, from pages of docs/: make_man.py SOURCE_DIR.

What the pages use of Markdown is known here: headings, paragraphs, lists, tables, fenced and indented code, inline code,
emphasis and links, of which the words stay. check_man.py sees whether the files are up to date.
"""

import pathlib
import re
import sys

# Page of docs/, name of the manual page, what it says under NAME.
PAGES = [
    ("files.md", "manistat-files", "files that manistat reads and writes"),
    ("formulas.md", "manistat-formulas", "manifolds from formulas in a text file"),
]


def escaped(text):
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("^", "\\(ha").replace("~", "\\(ti").replace("`", "\\(ga")
    return text.replace("'", "\\(aq")


def inline(text):
    """Words of a paragraph; code and strong words are bold, emphasis is italic."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text).replace("\\|", "|").replace("\\*", "*")
    out = []
    for i, part in enumerate(re.split(r"`([^`]*)`", text)):
        if i % 2:
            out.append(f"\\fB{escaped(part)}\\fR")
            continue
        part = escaped(part)
        part = re.sub(r"\*\*([^*]+)\*\*", r"\\fB\1\\fR", part)
        out.append(re.sub(r"(?<!\w)\*([^*\s][^*]*)\*(?!\w)", r"\\fI\1\\fR", part))
    return "".join(out)


def lines_of(text):
    """A paragraph, wrapped nowhere; what roff would take for a request is protected."""
    text = " ".join(text.split())
    return ("\\&" if text[:1] in ".'" else "") + text


def code(lines):
    body = [("\\&" if line[:1] in (".", "'") else "") + escaped(line) for line in lines]
    return [".PP", ".in +4n", ".EX", *body, ".EE", ".in"]


def cells_of(row):
    return [inline(cell.strip()) for cell in re.split(r"(?<!\\)\|", row.strip()[1:-1])]


def table(head, rows):
    """A table is a list of words with what they mean; further columns follow with their headings."""
    names = cells_of(head)
    for row in rows:
        cells = cells_of(row)
        more = [f"{name}: {cell}" for name, cell in list(zip(names, cells))[2:] if cell]
        yield from (".TP", lines_of(cells[0]) or "\\&", lines_of("; ".join([cells[1], *more])) or "\\&")


def body(text):
    text = re.sub(r"<!-- docs-test:.*?-->\n", "", text, flags=re.S)
    paragraph, fenced = [], None
    for line in [*text.splitlines(), ""]:
        if fenced is not None and line.startswith("```"):
            yield from code(fenced)
            fenced = None
        elif fenced is not None:
            fenced.append(line)
        elif line.startswith("```") or not line.strip():
            yield from paragraph_lines(paragraph)
            paragraph, fenced = [], [] if line else None
        else:
            paragraph.append(line)


def paragraph_lines(lines):
    if not lines:
        return
    heading = re.match(r"(#+) (.*)", lines[0])
    if heading:
        if len(heading.group(1)) > 1:
            yield f".SH {inline(heading.group(2)).upper()}" if len(heading.group(1)) == 2 else f".SS {inline(heading.group(2))}"
        yield from paragraph_lines(lines[1:])
    elif lines[0].startswith("|"):
        yield from table(lines[0], lines[2:])
    elif lines[0].startswith("    "):
        yield from code([line[4:] for line in lines])
    elif lines[0].startswith("- "):
        items = re.split(r"\n(?=- )", "\n".join(lines))
        for item in items:
            yield from (".IP \\(bu 2", lines_of(inline(item[2:])))
    else:
        cut = next((i for i, line in enumerate(lines) if line.startswith(("- ", "|"))), len(lines))
        yield from (".PP", lines_of(inline(" ".join(lines[:cut]))))
        yield from paragraph_lines(lines[cut:])


def without_idle(lines):
    """Paragraph marks right behind a heading are idle."""
    out = []
    for line in lines:
        if line == ".PP" and out and out[-1].startswith((".SH", ".SS")):
            continue
        out.append(line)
    return out


def page(root, source, name, summary):
    text = (root / "docs" / source).read_text()
    head = [f'.TH {name.upper()} 5 "" "manistat" "File Formats"', ".SH NAME", f"{escaped(name)} \\- {summary}", ".SH DESCRIPTION"]
    tail = [".SH SEE ALSO", ".BR manistat (1)", *(f".BR {escaped(other)} (5)" for _, other, _ in PAGES if other != name)]
    return "\n".join(without_idle([*head, *body(text), *tail])) + "\n"


def pages(root):
    """Path below man/ and text of every page."""
    for source, name, summary in PAGES:
        yield f"{name}.5", page(root, source, name, summary)


def main():
    root = pathlib.Path(sys.argv[1])
    (root / "man").mkdir(exist_ok=True)
    for name, text in pages(root):
        (root / "man" / name).write_text(text)


if __name__ == "__main__":
    main()
