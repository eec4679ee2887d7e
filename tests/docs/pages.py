# SPDX-License-Identifier: MIT
"""Pages as the documentation tests see them: fenced blocks with what invisible comments say about them.

A comment <!-- docs-test: WORD ... --> belongs to the next block:

    slow             runs with --slow only
    skip REASON      is not run; the reason is counted
    needs PATH...    is skipped where one of these files is not there; $DATA and $MORE are folders of data sets
    status N         is expected to end with this exit status (a block of sh)
    tolerance X      numbers may differ by this part of the largest one in their line
    ignore REGEX     what this matches is left out of the comparison
    file NAME        is the content of this file, which later blocks read
    from PATH        is an excerpt: its lines stand in this file of the tree, in this order
    body TEXT        is C in which these declarations are missing; it is compiled and run
    compiles TEXT    the same, compiled only

<!-- docs-test: setup ... --> holds shell commands that run where the comment stands, in every run, and
<!-- docs-test: slow setup ... --> such that run with --slow only.
"""

import dataclasses
import re

WORDS = {"slow", "skip", "needs", "status", "tolerance", "ignore", "file", "from", "body", "compiles"}
COMMENT = re.compile(r"^<!-- docs-test: (.*?)\s*-->", re.S | re.M)
FENCE = re.compile(r"^(?P<indent> *)```(?P<language>[\w+-]*)[^\n]*\n(?P<text>.*?)^(?P=indent)```$", re.S | re.M)


class BadPage(Exception):
    """A page that cannot be understood; the text begins with file:line."""


@dataclasses.dataclass
class Block:
    line: int
    language: str  # "setup" for the commands of a comment
    text: str
    words: dict = dataclasses.field(default_factory=dict)

    @property
    def slow(self):
        return "slow" in self.words


def comment_block(name, line, text, pending):
    """The commands of a setup comment, or None if the comment belongs to the next block."""
    word, _, rest = text.partition(" ") if not text.startswith("setup") else ("setup", "", text[5:])
    if word == "slow" and rest.startswith("setup"):
        return Block(line, "setup", rest[5:].strip() + "\n", {"slow": ""})
    if word == "setup":
        return Block(line, "setup", rest.strip() + "\n")
    if word not in WORDS:
        raise BadPage(f"{name}:{line}: docs-test does not know {word!r}")
    pending[word] = rest.strip()
    return None


def blocks_of(name, text):
    """The blocks of a page in their order, commands of setup comments among them."""
    fences = [(m.start(), m) for m in FENCE.finditer(text)]
    inside = [m.span() for _, m in fences]
    comments = [(m.start(), m) for m in COMMENT.finditer(text)]
    comments = [c for c in comments if not any(a <= c[0] < b for a, b in inside)]
    pending = {}
    for offset, match in sorted(fences + comments, key=lambda item: item[0]):
        line = text.count("\n", 0, offset) + 1
        if match.re is COMMENT:
            block = comment_block(name, line, match.group(1), pending)
            if block:
                yield block
            continue
        indent = match.group("indent")
        body = re.sub(rf"^{indent}", "", match.group("text"), flags=re.M)
        yield Block(line, match.group("language"), body, pending)
        pending = {}
    if pending:
        raise BadPage(f"{name}: docs-test {', '.join(pending)} stands behind the last block")


def inline_commands(text):
    """(line, code) of code within the text that is a command line of manistat."""
    blank = FENCE.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)
    for match in re.finditer(r"`(manistat [^`]*)`", blank):
        yield blank.count("\n", 0, match.start()) + 1, " ".join(match.group(1).split())
