# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the manistat authors
"""What every attack stands on: a binary, a scratch folder, a clock, and what counts as a finding."""
import os
import random
import re
import resource
import shlex
import signal
import subprocess
import time

STATUSES = {0, 1, 2, 3, 130}  # docs/cli.md
SECONDS = 60  # of processor time; no command on a few rows may take longer
WAITING = 10  # times as long by the clock, on a machine that others use
SANITIZER = re.compile(r"AddressSanitizer|LeakSanitizer|runtime error:|ThreadSanitizer")


class Ground:
    def __init__(self, binary, scratch, seed, deadline):
        self.binary, self.scratch = binary, scratch
        self.random = random.Random(seed)
        self.deadline = deadline
        self.counts, self.findings = {}, []

    def goes_on(self):
        return time.monotonic() < self.deadline

    def count(self, what, n=1):
        self.counts[what] = self.counts.get(what, 0) + n

    def find(self, what, command):
        self.findings.append(f"{what}\n    {command}")

    def path(self, name):
        return os.path.join(self.scratch, name)

    def write(self, name, content):
        with open(self.path(name), "wb" if isinstance(content, bytes) else "w") as f:
            f.write(content)
        return self.path(name)

    def run(self, arguments, stdin="", environment=None, file_limit=None):
        """The status, standard output and error of a command; None for a status: it took too long."""
        def limit():
            resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 1))
            if file_limit is not None:
                resource.setrlimit(resource.RLIMIT_FSIZE, (file_limit, file_limit))
        try:
            done = subprocess.run([self.binary, *arguments], input=stdin.encode(), capture_output=True, cwd=self.scratch,
                                  timeout=WAITING * SECONDS, env={**os.environ, **(environment or {})}, preexec_fn=limit)
            if done.returncode == -signal.SIGXCPU:
                return None, "", ""
            return done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")
        except subprocess.TimeoutExpired:
            return None, "", ""

    def judge(self, arguments, outcome, stdin="", preface=""):
        """Whatever is given: an end that docs/cli.md knows, whole lines for errors, and no sanitizer's report."""
        status, _, err = outcome
        command = f"{preface}printf {shlex.quote(stdin)} | manistat {shlex.join(arguments)}" if stdin else \
            f"{preface}manistat {shlex.join(arguments)}"
        problem = None
        if status is None:
            problem = f"no end within {SECONDS} s of processor time"
        elif status not in STATUSES:
            problem = f"exit status {status}"
        elif SANITIZER.search(err):
            problem = "a sanitizer's report: " + SANITIZER.search(err).group()
        elif status in (2, 3) and not err:
            problem = f"exit status {status} without a word"
        elif status in (2, 3) and not all(line.startswith("manistat") for line in err.splitlines()):
            problem = "lines on standard error that do not say whose they are"
        elif any(ord(c) < 32 and c != "\n" for c in err):
            problem = "raw control codes on standard error"
        if problem:
            self.find(problem, command)
        return problem is None
