# SPDX-License-Identifier: MIT
"""What the pages show is what is there: console blocks print what they say, the C program of README.md is
examples/quickstart.c, links lead somewhere, and version numbers agree.

A console block holds lines "$ command" and what the command prints. Numbers may differ by 1e-9 of their size,
for other processors; a line "..." stands for any lines.
"""

import math
import os
import re
import subprocess
import tempfile

import tree

NUMBER = re.compile(r"-?\d+\.?\d*(?:e[-+]?\d+)?")


def code_blocks(text, language):
    """(line number, block) of each fenced block of the language."""
    for match in re.finditer(r"^```%s\n(.*?)^```$" % language, text, re.S | re.M):
        yield tree.line_of(text, match.start(1)), match.group(1)


def links(path):
    text = path.read_text()
    for match in re.finditer(r"\]\(([^)#\s]+)(?:#[^)]*)?\)|(?:src|href)=\"([^\"#]+)\"", text):
        target = match.group(1) or match.group(2)
        if not re.match(r"https?:|mailto:", target):
            yield target, tree.line_of(text, match.start())


def same_line(shown, printed):
    if NUMBER.sub("#", shown) != NUMBER.sub("#", printed):
        return False
    pairs = zip(NUMBER.findall(shown), NUMBER.findall(printed))
    return all(math.isclose(float(a), float(b), rel_tol=1e-9, abs_tol=1e-12) for a, b in pairs)


def same_text(shown, printed):
    if "..." not in shown:
        return len(shown) == len(printed) and all(map(same_line, shown, printed))
    cut = shown.index("...")
    head, tail = shown[:cut], shown[cut + 1 :]
    if len(printed) < len(head) + len(tail):
        return False
    return same_text(head, printed[: len(head)]) and same_text(tail, printed[len(printed) - len(tail) :])


def run_block(block, folder, binary):
    """Runs the commands of a console block; yields what went wrong."""
    environment = dict(os.environ, PATH=f"{binary.parent}:{os.environ['PATH']}")
    for step in re.split(r"^\$ ", block, flags=re.M)[1:]:
        command, *shown = step.splitlines()
        while command.endswith("\\"):
            command += "\n" + shown.pop(0)
        done = subprocess.run(command, shell=True, cwd=folder, env=environment, capture_output=True, text=True)
        printed = done.stdout.splitlines() + done.stderr.splitlines()
        if not same_text(shown, printed):
            yield "\n".join([f"$ {command}", f"status {done.returncode}, prints", *printed])


def check_consoles(page, name, binary):
    blocks = list(code_blocks(page.read_text(), "console"))
    with tempfile.TemporaryDirectory() as folder:
        for line, block in blocks:
            for problem in run_block(block, folder, binary):
                yield f"{name}:{line}: {problem}"


def check_program(root):
    example = (root / "examples/quickstart.c").read_text()
    programs = [block for _, block in code_blocks((root / "README.md").read_text(), "c")]
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
    args = tree.arguments()
    findings = [*check_program(args.root), *check_version(args.root)]
    for page in tree.files(args.root, "*.md", "docs/**/*.md"):
        name = page.relative_to(args.root)
        for target, line in links(page):
            if not (page.parent / target).exists():
                findings.append(f"{name}:{line}: {target} does not exist")
        if args.binary:
            findings += check_consoles(page, name, args.binary.resolve())
    tree.finish(findings)


main()
