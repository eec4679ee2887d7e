# SPDX-License-Identifier: MIT
"""What the check_*.py scripts share: arguments, files of the tree, and how a check ends.

Each script is called as check_NAME.py SOURCE_DIR [--library libmanistat.so] [--binary manistat], prints its
findings as file:line: text, and exits with 1 if there is any. Without a build it checks what it can.
"""

import argparse
import pathlib
import re
import sys


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("--library", type=pathlib.Path)
    parser.add_argument("--binary", type=pathlib.Path)
    args = parser.parse_args()
    args.root = args.root.resolve()
    return args


def files(root, *patterns):
    """Files under root that match one of the patterns, without build trees and version control."""
    found = set()
    for pattern in patterns:
        for path in root.glob(pattern):
            parts = path.relative_to(root).parts
            if path.is_file() and parts[0] not in ("build", ".git") and "__pycache__" not in parts:
                found.add(path)
    return sorted(found)


def comment_spans(text):
    """Begin and end of each block comment."""
    return [m.span() for m in re.finditer(r"/\*.*?\*/", text, re.S)]


def without_comments(text):
    """The text with comments blanked out; offsets and line numbers stay."""
    return re.sub(r"/\*.*?\*/", lambda m: re.sub(r"[^\n]", " ", m.group()), text, flags=re.S)


def line_of(text, offset):
    return text.count("\n", 0, offset) + 1


def finish(findings):
    for finding in findings:
        print(finding)
    sys.exit(1 if findings else 0)
