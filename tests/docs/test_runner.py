# SPDX-License-Identifier: MIT
"""Does run_docs.py notice? test_runner.py ROOT BUILD runs it on pages that are right, wrong or unclear."""

import pathlib
import subprocess
import sys
import tempfile

# What the page is about, its text, the exit status and a part of what is printed.
CASES = [
    ("right output", "```console\n$ echo 0,0,1,1,0,0 | manistat dist --manifold sphere:2\n1.5707963267948966\n```\n", 0, "1 blocks ran"),
    ("the last digits", "```console\n$ echo 0,0,1,1,0,0 | manistat dist --manifold sphere:2\n1.57079632679\n```\n", 0, "1 blocks ran"),
    ("a digit that is wrong", "```console\n$ echo 0,0,1,1,0,0 | manistat dist --manifold sphere:2\n1.570797\n```\n", 1, "page.md:1: $ echo"),
    ("a whole number that is wrong", "```console\n$ echo 3\n4\n```\n", 1, "page.md:1: $ echo 3"),
    ("a word that is wrong", "```console\n$ echo mean 3.5\nmedian 3.5\n```\n", 1, "page.md:1"),
    ("a line that is missing", "```console\n$ printf 'a\\nb\\n'\na\n```\n", 1, "page.md:1"),
    ("lines that are left out", "```console\n$ printf 'a\\nb\\nc\\n'\na\n…\nc\n```\n", 0, "1 blocks ran"),
    ("the end after lines that are left out", "```console\n$ printf 'a\\nb\\nc\\n'\na\n...\nd\n```\n", 1, "page.md:1"),
    ("text that is left out", "```console\n$ echo mean 3.5, 4.5\nmean 3.5, …\n```\n", 0, "1 blocks ran"),
    ("numbers before what is left out", "```console\n$ echo mean 3.5, 4.5\nmean 3.6, …\n```\n", 1, "page.md:1"),
    ("a tolerance", "<!-- docs-test: tolerance 0.1 -->\n```console\n$ echo 3.5\n3.6\n```\n", 0, "1 blocks ran"),
    ("times that are ignored", "<!-- docs-test: ignore [0-9.]+ s -->\n```console\n$ echo took 3 s\ntook 5 s\n```\n", 0, "1 blocks ran"),
    ("an error in silence", "```console\n$ false\n```\n", 1, "shows no message"),
    ("an error that is shown", "```console\n$ manistat nonsense\nmanistat: …\n```\n", 0, "1 blocks ran"),
    ("no command", "```console\nmanistat --version\n```\n", 1, "begins with"),
    ("a script", "```sh\necho 1 > a\ncat a\n```\n", 0, "1 blocks ran"),
    ("a script that fails in the middle", "```sh\ncat missing\necho fine\n```\n", 1, "page.md:1"),
    ("a status that is expected", "<!-- docs-test: status 3 -->\n```sh\nexit 3\n```\n", 0, "1 blocks ran"),
    ("a language that is unknown", "```\nsomething\n```\n", 1, "no docs-test comment explains"),
    ("text", "```text\nsomething\n```\n", 0, "1 are no code"),
    ("commands called text", "```text\n$ echo 1\n1\n```\n", 1, "make it a console block"),
    ("a word that is unknown", "<!-- docs-test: sometimes -->\n```sh\ntrue\n```\n", 1, "does not know"),
    ("a word without a block", "<!-- docs-test: slow -->\n", 1, "behind the last block"),
    ("a reason not to run", "<!-- docs-test: skip it explodes -->\n```sh\nfalse\n```\n", 0, "1 skipped: it explodes"),
    ("a slow block", "<!-- docs-test: slow -->\n```sh\nfalse\n```\n", 0, "1 skipped: slow"),
    ("data that are not there", "<!-- docs-test: needs $MORE/none.csv -->\n```sh\nfalse\n```\n", 0, "none.csv is not there"),
    ("a setup", "<!-- docs-test: setup\necho 7 > n\n-->\n```console\n$ cat n\n7\n```\n", 0, "1 blocks ran"),
    ("a setup that fails", "<!-- docs-test: setup\nfalse\n-->\n", 1, "page.md:1"),
    ("a file", "<!-- docs-test: file n -->\n```text\n7\n```\n\n```console\n$ cat n\n7\n```\n", 0, "2 blocks ran"),
    ("a program", "```c\n#include <manistat.h>\nint main(void)\n{\n    return mst_version()[0] == 0;\n}\n```\n", 0, "1 blocks ran"),
    ("a program that fails", "```c\nint main(void)\n{\n    return 1;\n}\n```\n", 1, "status 1"),
    ("a call of nothing", "<!-- docs-test: body -->\n```c\nmst_no_such_function();\n```\n", 1, "mst_no_such_function"),
    ("an excerpt of C alone", "```c\nmst_version();\n```\n", 1, "needs docs-test"),
    ("an excerpt", "<!-- docs-test: from examples/quickstart.c -->\n```c\nint main(void)\n```\n", 0, "1 blocks ran"),
    ("an excerpt of something else", "<!-- docs-test: from examples/quickstart.c -->\n```c\nint max(void)\n```\n", 1, "does not have"),
    ("a command in the text", "Try `manistat mean --kind frechet`.\n", 0, "0 findings"),
    ("no such command", "Try `manistat median`.\n", 1, "no command 'median'"),
    ("no such option", "Try `manistat mean --median`.\n", 1, "no option --median"),
]


def main():
    root, build = map(pathlib.Path, sys.argv[1:])
    runner = pathlib.Path(__file__).with_name("run_docs.py")
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        page = pathlib.Path(folder) / "page.md"
        for what, text, status, words in CASES:
            page.write_text(text)
            done = subprocess.run([sys.executable, "-B", runner, root, build, page], capture_output=True, text=True)
            if done.returncode != status or words not in done.stdout:
                failed += 1
                print(f"FAIL {what}: status {done.returncode}, {done.stdout}{done.stderr}")
    print(f"{len(CASES) - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


main()
