# SPDX-License-Identifier: MIT
"""Messages of the library name members of options in backquotes, `t_max`, never the --flags of the command line, which
puts them there itself; and it has such members, so that the words can be found."""

import re

import tree

LITERAL = re.compile(r'"(?:[^"\\\n]|\\.)*"')
FLAG = re.compile(r"(?<![\w-])--[a-z][\w-]*")
MEMBER = re.compile(r"`([a-z]\w*)`")


def main():
    args = tree.arguments()
    headers = "".join(tree.without_comments(p.read_text()) for p in tree.files(args.root, "include/**/*.h"))
    findings, members = [], 0
    for path in tree.files(args.root, "src/**/*.c", "src/**/*.h"):
        place = path.relative_to(args.root)
        if place.parts[1] == "cli":
            continue
        code = tree.without_comments(path.read_text())
        for literal in LITERAL.finditer(code):
            where = f"{place}:{tree.line_of(code, literal.start())}"
            findings += [f"{where}: {flag} is the command line's word" for flag in FLAG.findall(literal.group())]
            for member in MEMBER.findall(literal.group()):
                members += 1
                if not re.search(rf"\b{member}\b", headers):
                    findings.append(f"{where}: `{member}` is no member or argument in include/manistat")
    if members == 0:
        findings.append("src: no message names a member")
    tree.finish(findings)


main()
