# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the manistat authors
"""libFuzzer on every reader and parser: the programs fuzz_* of the build named fuzz."""
import glob
import os
import re
import subprocess
import time


def attack(ground, folder):
    programs = sorted(p for p in glob.glob(os.path.join(folder, "fuzz_*")) if os.access(p, os.X_OK))
    if not programs:
        ground.find("there is no program to fuzz", f"the folder {folder}")
        return
    for left, program in zip(range(len(programs), 0, -1), programs):
        name = os.path.basename(program)
        seconds = max(1, int((ground.deadline - time.monotonic()) / left))
        corpus = ground.path("corpus-" + name)
        os.makedirs(corpus, exist_ok=True)
        done = subprocess.run([program, corpus, f"-max_total_time={seconds}", "-print_final_stats=1", "-timeout=20",
                               "-rss_limit_mb=4096", f"-seed={ground.random.randrange(1, 1 << 31)}",
                               f"-artifact_prefix={corpus}/found-"], capture_output=True, text=True, errors="replace")
        runs = re.search(r"number_of_executed_units: (\d+)", done.stderr)
        ground.count(f"executions of {name}", int(runs.group(1)) if runs else 0)
        if done.returncode != 0:
            last = [line for line in done.stderr.splitlines() if "ERROR" in line or "SUMMARY" in line]
            ground.find(f"{name} failed: {' '.join(last)[:300]}", f"inputs in {corpus}")
