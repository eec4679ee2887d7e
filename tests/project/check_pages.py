# SPDX-License-Identifier: MIT
"""The pages hang together: links lead to files and headings that are there, every page of docs/ is in its index, the C
program of README.md is examples/quickstart.c, and version numbers agree. What they show is run by tests/docs.
"""

import re

import tree


def without_code(text):
    """The text with code blanked out; offsets and line numbers stay."""
    text = re.sub(r"^( *)```.*?^\1```$", lambda m: re.sub(r"[^\n]", " ", m.group()), text, flags=re.S | re.M)
    return re.sub(r"`[^`\n]*`", lambda m: "x" * len(m.group()), text)


def links(text):
    """(file, heading, line) of each link; the file is empty for this page."""
    blank = without_code(text)
    for match in re.finditer(r"\]\(([^)\s]+)\)|(?:src|href)=\"([^\"]+)\"", blank):
        target, _, heading = (match.group(1) or match.group(2)).partition("#")
        if not re.match(r"https?:|mailto:", target):
            yield target, heading, tree.line_of(text, match.start())


def anchors(text):
    """What links to the headings of a page are called: GitHub's rule."""
    text = re.sub(r"^( *)```.*?^\1```$", "", text, flags=re.S | re.M)
    found = set(re.findall(r"<a (?:id|name)=\"([^\"]+)\"", text))
    for heading in re.findall(r"^#+ (.*)$", text, re.M):
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)|[`*]", r"\1", heading).strip().lower()
        anchor = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
        number = 1
        while anchor in found:
            anchor, number = f"{anchor.rstrip('0123456789').rstrip('-')}-{number}", number + 1
        found.add(anchor)
    return found


def check_links(page, name):
    text = page.read_text()
    for target, heading, line in links(text):
        file = page.parent / target if target else page
        if not file.exists():
            yield f"{name}:{line}: {target} does not exist"
        elif heading and file.suffix == ".md" and heading not in anchors(file.read_text()):
            yield f"{name}:{line}: {target or page.name} has no heading #{heading}"


def check_index(root):
    index = root / "docs/README.md"
    named = {(index.parent / target).resolve() for target, _, _ in links(index.read_text()) if target}
    for page in tree.files(root, "docs/*.md"):
        if page != index and page.resolve() not in named:
            yield f"docs/README.md:1: does not name {page.name}"


def check_program(root):
    example = (root / "examples/quickstart.c").read_text()
    programs = re.findall(r"^```c\n(.*?)^```$", (root / "README.md").read_text(), re.S | re.M)
    if len(programs) != 1 or not example.endswith("\n\n" + programs[0]):
        yield "README.md:1: the C program is not the end of examples/quickstart.c"


def check_version(root):
    cmake = (root / "CMakeLists.txt").read_text()
    version = re.search(r"project\(manistat VERSION ([\d.]+)", cmake).group(1)
    if f"version: {version}\n" not in (root / "CITATION.cff").read_text():
        yield f"CITATION.cff:1: the version is not {version}"
    if version not in (root / "CHANGELOG.md").read_text():
        yield f"CHANGELOG.md:1: says nothing about {version}"


def main():
    root = tree.arguments().root
    findings = [*check_program(root), *check_version(root), *check_index(root)]
    for page in tree.files(root, "*.md", "docs/**/*.md"):
        findings += check_links(page, page.relative_to(root))
    tree.finish(findings)


main()
