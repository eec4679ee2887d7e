# SPDX-License-Identifier: MIT
"""Runs what the pages show: run_docs.py ROOT BUILD [--slow] [--more DIR] [--jobs N] [PAGE...].

Every fenced block of a page runs in the order of the page, in a scratch folder of its own in which `examples`, `tests` and
`build/release` are those of the tree. Blocks of the language

    console    are lines "$ command" and what these print, standard output before standard error (compare.py)
    sh         must succeed
    c          are compiled and run
    text       are not code
    other      need a comment that says what to do with them (pages.py), or the page fails

--slow runs the pages that have slow blocks, whole, and no others. Prints what failed, and how many blocks ran, were
skipped and why. Exit status 0: all ran or have a reason not to; 1: something is wrong; 77: nothing could run.
"""

import argparse
import collections
import concurrent.futures
import functools
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

import compare
import pages

LIMIT = 1500  # seconds for one command


class Failed(Exception):
    """A block does not do what the page says; the text tells how."""


class Skipped(Exception):
    """A block cannot run here; the text is the reason."""


class Runner:
    """One page: its scratch folder, and how each kind of block runs there."""

    def __init__(self, args, folder):
        self.args = args
        self.folder = folder
        home = folder / "home"
        home.mkdir()
        (folder / "build").mkdir()
        (folder / "build/release").symlink_to(args.build)
        for name in ("examples", "tests", "docs"):
            (folder / name).symlink_to(args.root / name)
        self.environment = dict(
            os.environ,
            PATH=f"{args.build}:{os.environ['PATH']}",
            HOME=str(home),
            LC_ALL="C.UTF-8",
            TREE=str(args.root),
            DATA=str(args.root / "tests/data"),
            MORE=str(args.more),
            PKG_CONFIG_PATH=f"{home}/.local/lib/pkgconfig:{home}/.local/lib/{args.multiarch}/pkgconfig",
        )

    def call(self, command):
        return subprocess.run(["bash", "-c", command], cwd=self.folder, env=self.environment, capture_output=True,
                              text=True, timeout=LIMIT, stdin=subprocess.DEVNULL)

    def console(self, block):
        tolerance = float(block.words["tolerance"]) if "tolerance" in block.words else None
        if not block.text.startswith("$ "):
            raise Failed("a console block begins with \"$ command\"")
        for step in re.split(r"^\$ ", block.text, flags=re.M)[1:]:
            command, *shown = step.splitlines()
            while command.endswith("\\") or command.count("'") % 2:
                command += "\n" + shown.pop(0)
            done = self.call(command)
            printed = done.stdout.splitlines() + done.stderr.splitlines()
            ignore = block.words.get("ignore")
            if not compare.same_text(compare.without(shown, ignore), compare.without(printed, ignore), tolerance):
                raise Failed("\n".join([f"$ {command}", f"status {done.returncode}, prints", *printed]))
            if done.returncode and not any(re.match(r"manistat[ a-z]*: |…|\.\.\.", line) for line in shown):
                raise Failed(f"$ {command}\nstatus {done.returncode}, and the page shows no message")

    def script(self, block):
        done = self.call(f"set -e -o pipefail\n{block.text}")
        if done.returncode != int(block.words.get("status", 0)):
            raise Failed(f"{block.text}status {done.returncode}, prints\n{done.stdout}{done.stderr}")

    def program(self, block):
        word = "body" if "body" in block.words else "compiles"
        text = block.text
        if "int main(" not in text:
            if word not in block.words:
                raise Failed("an excerpt of C needs docs-test: from, body or compiles")
            text = (f"#include <manistat.h>\n#include <stdio.h>\nint main(void)\n{{\n{block.words[word]}\n"
                    f"{text}return 0;\n}}\n")
        source, binary = self.folder / f"block{block.line}.c", self.folder / f"block{block.line}"
        source.write_text(text)
        flags = "-std=c17 -Wall -Wextra -Werror -Wno-unused-variable -Wno-unused-but-set-variable"
        build = self.call(f"cc {flags} -I{self.args.root}/include {source} -o {binary} -L{self.args.build} -lmanistat -lm "
                          f"-Wl,-rpath,{self.args.build}")
        if build.returncode:
            raise Failed(build.stderr)
        if "compiles" in block.words:
            return
        done = self.call(str(binary))
        if done.returncode:
            raise Failed(f"the program ends with status {done.returncode}\n{done.stdout}{done.stderr}")

    def excerpt(self, block):
        def lines(text):
            text = re.sub(r"/\*.*?\*/", "", text)
            return [" ".join(line.split()) for line in text.splitlines() if line.strip() not in ("", "…")]

        wanted, source = lines(block.text), lines((self.args.root / block.words["from"]).read_text())
        place = 0
        for line in wanted:
            if line not in source[place:]:
                raise Failed(f"{block.words['from']} does not have, at this place: {line}")
            place += source[place:].index(line) + 1

    def run(self, block):
        """Runs a block, or raises Failed or Skipped."""
        if "skip" in block.words:
            raise Skipped(block.words["skip"] or "no reason given")
        for path in shlex.split(block.words.get("needs", "")):
            path = os.path.expandvars(path.replace("$MORE", str(self.args.more)).replace("$DATA", self.environment["DATA"]))
            if not (self.folder / path).exists():
                raise Skipped(f"{pathlib.Path(path).name} is not there")
        if block.slow and not self.args.slow:
            raise Skipped("slow")
        if "file" in block.words:
            (self.folder / block.words["file"]).write_text(block.text)
        elif "from" in block.words:
            self.excerpt(block)
        elif block.language == "console":
            self.console(block)
        elif block.language in ("sh", "setup"):
            self.script(block)
        elif block.language == "c":
            self.program(block)
        else:
            raise Failed(f"a block of the language {block.language!r} that no docs-test comment explains; "
                         "what is not code is \"text\"")


def run_page(args, path):
    """Findings and counts of one page."""
    name = path.relative_to(args.root) if path.is_relative_to(args.root) else path.name
    findings, counts = [], collections.Counter()
    text = path.read_text()
    findings += [f"{name}:{line}: {problem}" for line, problem in check_inline(args, text)]
    try:
        blocks = list(pages.blocks_of(name, text))
    except pages.BadPage as problem:
        return [*findings, str(problem)], counts
    if args.slow and not any(block.slow for block in blocks):
        return findings, counts
    with tempfile.TemporaryDirectory(prefix="docs-") as folder:
        runner = Runner(args, pathlib.Path(folder))
        for block in blocks:
            if block.language == "text" and not block.words:
                if re.search(r"^\$ ", block.text, re.M):
                    findings.append(f"{name}:{block.line}: a block of text with commands; make it a console block")
                counts["text"] += 1
                continue
            try:
                runner.run(block)
                counts["setup" if block.language == "setup" else "ran"] += 1
            except Skipped as reason:
                if block.language != "setup":
                    counts[f"skipped: {reason}"] += 1
            except (Failed, subprocess.TimeoutExpired, OSError) as problem:
                findings.append(f"{name}:{block.line}: {problem}")
    return findings, counts


def check_inline(args, text):
    """Commands and options within the text exist."""
    for line, code in pages.inline_commands(text):
        words = re.split(r"[\s\[\]|]+", code)[1:]
        if not words or not re.fullmatch(r"[a-z]+", words[0]) or re.fullmatch(r"manistat \w+ \d+", code):
            continue  # an option, or the name of a format
        known = options_of(args.build / "manistat", words[0])
        if known is None:
            yield line, f"there is no command {words[0]!r}: {code}"
            continue
        for word in words[1:]:
            option = word.split("=")[0].rstrip(".,;")
            if re.fullmatch(r"--?[a-z][a-z-]*", option) and option not in known:
                yield line, f"{words[0]} has no option {option}: {code}"


@functools.cache
def options_of(binary, command):
    """The options of a command, as its help names them; None if there is no such command."""
    help_text = subprocess.run([binary, command, "--help"], capture_output=True, text=True)
    if help_text.returncode:
        return None
    options = set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*", help_text.stdout))
    if command == "help":
        options |= {"--list", "--man", "--completion"}  # for packagers, and not in the help
    return options


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--slow", action="store_true")
    parser.add_argument("--more", type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("pages", nargs="*", type=pathlib.Path)
    args = parser.parse_intermixed_args()
    args.root, args.build = args.root.resolve(), args.build.resolve()
    args.more = (args.more or args.root / "../shared").resolve()
    args.multiarch = subprocess.run(["cc", "-print-multiarch"], capture_output=True, text=True).stdout.strip()
    args.pages = [page.resolve() for page in args.pages] or [
        args.root / "README.md", args.root / "CONTRIBUTING.md", *sorted(args.root.glob("docs/*.md"))]
    return args


def main():
    args = arguments()
    findings, counts = [], collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for page_findings, page_counts in pool.map(lambda page: run_page(args, page), args.pages):
            findings += page_findings
            counts += page_counts
    for finding in findings:
        print(finding)
    skipped = sum(n for what, n in counts.items() if what.startswith("skipped"))
    print(f"{len(args.pages)} pages: {counts['ran']} blocks ran, {len(findings)} findings, {skipped} skipped, "
          f"{counts['text']} are no code, {counts['setup']} setups")
    for what, n in sorted(counts.items()):
        if what.startswith("skipped"):
            print(f"  {n} {what}")
    sys.exit(1 if findings else 0)


main()
