# SPDX-License-Identifier: MIT
"""Every public function is declared with MST_API, exported, documented and tested; nothing else is exported.

Documented: a comment stands above the declaration or above its block (declarations without a blank line
between them), or after it, or a page in docs/ names it. mst_X_options_default is documented by the comments on
the members of mst_X_options.
"""

import re
import subprocess

import tree

DECLARATION = re.compile(r"\bMST_API\b[^;]*?\b(mst_\w+)\s*\(")


def declarations(path):
    """(name, line, documented) of each MST_API function in a header."""
    text = path.read_text()
    code = tree.without_comments(text)
    ends = [end for _, end in tree.comment_spans(text)]
    for match in DECLARATION.finditer(code):
        if code.rfind("\n", 0, match.start()) + 1 != match.start():
            continue  # inside a #define
        block = text.rfind("\n\n", 0, match.start())
        semicolon = code.index(";", match.end())
        line_end = text.index("\n", semicolon)
        documented = any(block < end <= match.start() or semicolon < end <= line_end for end in ends)
        name = match.group(1)
        options = re.fullmatch(r"(mst_\w+_options)_default", name)
        if options and re.search(r"\}\s*%s;" % options.group(1), code):
            documented = True
        yield name, tree.line_of(text, match.start()), documented


def words(paths):
    return {word for path in paths for word in re.findall(r"\bmst_\w+", path.read_text())}


def exported(library):
    listing = subprocess.run(
        ["nm", "-D", "--defined-only", library], check=True, capture_output=True, text=True
    ).stdout
    return {line.split()[-1].split("@")[0] for line in listing.splitlines()}


def main():
    args = tree.arguments()
    tested = words(tree.files(args.root, "tests/**/*.c", "tests/**/*.h"))
    in_docs = words(tree.files(args.root, "docs/**/*.md"))
    findings = []
    declared = {}
    for path in tree.files(args.root, "include/**/*.h"):
        for name, line, documented in declarations(path):
            where = f"{path.relative_to(args.root)}:{line}: {name}"
            declared[name] = where
            if not documented and name not in in_docs:
                findings.append(f"{where} is not documented")
            if name not in tested:
                findings.append(f"{where} occurs in no test")
    if not declared:
        findings.append("include: no declarations found")
    if args.library:
        symbols = exported(args.library)
        findings += [f"{declared[name]} is not exported" for name in sorted(declared.keys() - symbols)]
        findings += [
            f"{args.library.name}: {name} is exported but not declared with MST_API"
            for name in sorted(symbols - declared.keys())
        ]
    tree.finish(findings)


main()
