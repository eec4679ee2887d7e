# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the manistat authors
"""libFuzzer on every reader and parser: the programs fuzz_* of the build named fuzz."""
import glob
import os
import re
import subprocess
import time

from memory import BEFORE, commands
from numbers_on_manifolds import MANIFOLDS
from results import MAKE, write_data

EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../examples/manifolds/*.manifold")
LEAKS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../leaks_of_others.txt")
SOURCES = ["exact", "log", "expansion", "bridge?paths=4&steps=8&seed=1&guide=log", "pde?grid=1.5", "none.safetensors?beyond=yes&t=least"]


def framed(data):
    """A safetensors file as the targets want it: without the length of its header, but with a line feed after it."""
    length = int.from_bytes(data[:8], "little")
    return data[8:8 + length] + b"\n" + data[8 + length:]


def read(path):
    with open(path, "rb") as f:
        return f.read()


def seeds(ground):
    """Inputs of the right form, by target; those without any begin from nothing."""
    commands(ground)  # for its files
    write_data(ground)
    header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2)}\n"
    return {
        "fuzz_number_text": [b"-1.5e-7", b"nan", b"5e-324", b"9007199254740993"],
        "fuzz_csv_reader": [read(ground.path("points.csv")), b"# c\n1;2\r\n3;4\r\n", b'"a, b","c""d"\n1,2,\n'],
        "fuzz_npy_reader": [b"\1\0" + bytes([len(header), 0]) + header + bytes(16)],
        "fuzz_tps_reader": [b"2\n1 2\n-3 4.5\nCURVES=1\nPOINTS=1\n1 2\nID=a\nSCALE=0.5\nLM=2\n5 6\nNA NA\nID=b\n"],
        "fuzz_signals": [read(ground.path("signals.csv"))],
        "fuzz_formulas": [read(path) for path in sorted(glob.glob(EXAMPLES))],
        "fuzz_network": [framed(read(ground.path(BEFORE[0][BEFORE[0].index("-o") + 1])))],
        "fuzz_learned": [framed(read(ground.path(BEFORE[1][BEFORE[1].index("-o") + 1])))],
        "fuzz_saved": [ground.run(make)[1].encode() for make in MAKE],
        "fuzz_json_reader": [ground.run(MAKE[0])[1].encode()],
        "fuzz_specs": [f"{m}\n{s}".encode() for m in MANIFOLDS for s in SOURCES],
    }


def attack(ground, folder):
    programs = sorted(p for p in glob.glob(os.path.join(folder, "fuzz_*")) if os.access(p, os.X_OK))
    if not programs:
        ground.find("there is no program to fuzz", f"the folder {folder}")
        return
    inputs = seeds(ground)
    for left, program in zip(range(len(programs), 0, -1), programs):
        name = os.path.basename(program)
        seconds = max(1, int((ground.deadline - time.monotonic()) / left))
        corpus = ground.path("corpus-" + name)
        os.makedirs(corpus, exist_ok=True)
        for k, content in enumerate(inputs.get(name, [])):
            ground.write(os.path.join(corpus, f"seed-{k}"), content)
        done = subprocess.run([program, corpus, f"-max_total_time={seconds}", "-print_final_stats=1", "-timeout=20",
                               "-rss_limit_mb=4096", f"-seed={ground.random.randrange(1, 1 << 31)}",
                               f"-artifact_prefix={corpus}/found-"], capture_output=True, text=True, errors="replace",
                              env={**os.environ, "LSAN_OPTIONS": f"suppressions={LEAKS}:print_suppressions=0"})
        runs = re.search(r"number_of_executed_units: (\d+)", done.stderr)
        ground.count(f"executions of {name}", int(runs.group(1)) if runs else 0)
        if done.returncode != 0:
            last = [line for line in done.stderr.splitlines() if "ERROR" in line or "SUMMARY" in line]
            ground.find(f"{name} failed: {' '.join(last)[:300]}", f"inputs in {corpus}")
