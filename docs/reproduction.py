#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measures the tables of docs/reproduction.md again and writes them there, between their marks:

    python3 docs/reproduction.py DATA WORK

from the root of the tree, after ./run build. DATA is the folder with the published S2.csv and so on; WORK keeps networks and
results, so that a run that was killed goes on where it was: what is there is not made again."""
import json
import os
import platform
import re
import subprocess
import sys

PAGE = os.path.join("docs", "reproduction.md")
PROGRAM = os.path.join("build", "release", "manistat")
OPTIONS = ["--paths", "16", "--patience", "3"]


def measure(table, data, work):
    path = os.path.join(work, table + ".json")
    if not os.path.exists(path):
        command = [PROGRAM, "reproduce", table, "--data", data, "--models", work, *OPTIONS, "--json", "-o", path]
        subprocess.run(command, check=True)
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def number(value, digits=2):
    if value is None:
        return ""
    text = f"{value:.{digits}g}"
    return f"{float(text):.10f}".rstrip("0").rstrip(".") if "e-0" in text and abs(value) >= 1e-6 else text


def both(row, first, second, digits=2):
    """Mean / t, or what there is of them."""
    parts = [number(row[key], digits) for key in (first, second)]
    return " / ".join(part or "none" for part in parts) if any(parts) else ""


def fifth(row):
    """Is the network within a fifth of the paper's errors, or 0.0005?"""
    if row["paper_mean"] is None:
        return ""
    good = [row["network_" + key] is not None and row["network_" + key] <= max(0.0005, row["paper_" + key] / 5) for key in ("mean", "time")]
    return " / ".join("yes" if one else "**no**" for one in good)


ERRORS = {
    "data": lambda r: r["data"],
    "points": lambda r: number(r["n"], 6),
    "paper": lambda r: both(r, "paper_mean", "paper_time", 3),
    "network": lambda r: both(r, "network_mean", "network_time"),
    "a fifth of it": fifth,
    "bridge, 16 paths": lambda r: both(r, "bridge_mean", "bridge_time"),
    "s.e.": lambda r: both(r, "standard_error", "time_standard_error"),
    "estimate from x₀, T": lambda r: both(r, "exact_from_start", "exact_time_from_start", 3),
}
SPEED = {
    "training, s": lambda r: number(r["training_seconds"], 3),
    "exact: steps, s": lambda r: steps(r, "exact"),
    "network: steps, s": lambda r: steps(r, "network"),
    "five": lambda r: number(r["network_five_seconds"]),
    "bridge: steps, s": lambda r: steps(r, "bridge"),
    "bridge / network": lambda r: number(r["times_faster"], 3),
}
FRECHET = {
    "Fréchet: paper": lambda r: number(r["paper_frechet"], 3),
    "100 steps": lambda r: number(r["frechet_published"], 3),
    "converged": lambda r: number(r["frechet_converged"], 3),
}


def steps(row, source):
    count, seconds = row[source + "_iterations"], row[source + "_seconds"]
    return f"{count:.0f}, {number(seconds)}" if count is not None and seconds is not None else ""


def markdown(rows, columns):
    shown = {name: make for name, make in columns.items() if any(make(row) for row in rows)}
    lines = ["| | " + " | ".join(shown) + " |", "|---" * (len(shown) + 1) + "|"]
    lines += ["| " + " | ".join([row["row"], *(make(row) for make in shown.values())]) + " |" for row in rows]
    return "\n".join(lines)


def notes(rows):
    said = [f"{row['row']}: {row['note']}." for row in rows if row["note"]]
    others = [row["row"] for row in rows if row["reference"] == "expansion"]
    if others:
        said.append("The reference of " + ", ".join(others) + " is the expansion.")
    return "\n\n" + " ".join(said) if said else ""


def put(text, name, table):
    begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->\n"
    pattern = re.compile(re.escape(begin) + ".*?" + re.escape(end), re.DOTALL)
    if not pattern.search(text):
        sys.exit(f"{PAGE} has no marks of {name}")
    return pattern.sub(lambda _: begin + "\n" + table + "\n\n" + end, text)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    data, work = sys.argv[1:]
    os.makedirs(work, exist_ok=True)
    results = {table: measure(table, data, work) for table in ("table1", "table2", "timing")}
    with open(PAGE, encoding="utf-8") as file:
        text = file.read()
    for table, result in results.items():
        rows = result["rows"]
        first = {"dim": lambda r: number(r["dim"], 3), **ERRORS} if table == "timing" else ERRORS
        if table == "timing":
            first = {name: first[name] for name in ("dim", "network", "bridge, 16 paths")}
        whole = markdown(rows, first) + "\n\n" + markdown(rows, {**SPEED, **({} if table == "timing" else FRECHET)}) + notes(rows)
        text = put(text, table, whole)
    seconds = sum(result.get("seconds", 0) for result in results.values())
    text = put(text, "machine", f"{os.cpu_count()} cores, {platform.machine()}, all three tables in {seconds / 60:.0f} minutes by the clock.")
    with open(PAGE, "w", encoding="utf-8") as file:
        file.write(text)


main()
