#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the manistat authors

# Tests of the command line: run_tests.sh PATH_TO_BINARY [PART...]. A part is a file *_part.sh beside this
# one; without any, all run. Prints what failed and a count; the exit status says whether all passed.
set -u
export LC_ALL=C

if [ $# -lt 1 ] || [ ! -x "$1" ]; then
    echo "usage: run_tests.sh PATH_TO_BINARY [PART...]" >&2
    exit 2
fi
here=$(cd "$(dirname "$0")" && pwd)
binary=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
shift
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/bin"
ln -s "$binary" "$scratch/bin/manistat"
PATH=$scratch/bin:$PATH

passed=0
failed=0
out=$scratch/out
err=$scratch/err
status=0

# verdict NAME CODE: counts a test and prints it if it failed.
verdict() {
    if [ "$2" -eq 0 ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAIL $1"
        echo "     status $status, stderr: $(head -c 300 "$err")"
    fi
}

# run ARGUMENTS: calls manistat; its output is in $out and $err, its exit status in $status. Standard
# input is what the caller gives.
run() {
    manistat "$@" >"$out" 2>"$err"
    status=$?
}

# Can script(1) make a pseudo-terminal here?
has_terminals() {
    script -qec true /dev/null </dev/null >/dev/null 2>&1
}

# check NAME COMMAND...: the command succeeds.
check() {
    local name=$1
    shift
    "$@" >/dev/null 2>&1
    verdict "$name" $?
}

# succeeds NAME ARGUMENTS: status 0 and silence on standard error.
succeeds() {
    local name=$1
    shift
    run "$@"
    [ "$status" -eq 0 ] && [ ! -s "$err" ]
    verdict "$name" $?
}

# refuses NAME STATUS PATTERN ARGUMENTS: that status, nothing on standard output and on standard error
# one line that names the program and fits the pattern.
refuses() {
    local name=$1 wanted=$2 pattern=$3
    shift 3
    run "$@"
    [ "$status" -eq "$wanted" ] && [ ! -s "$out" ] && [ "$(wc -l <"$err")" -eq 1 ] &&
        grep -q '^manistat[ a-z]*: ' "$err" && grep -Eq -- "$pattern" "$err"
    verdict "$name" $?
}

# close_to EXPECTED ACTUAL TOLERANCE: two CSV files of the same shape agree in every cell.
close_to() {
    paste -d'|' "$1" "$2" | awk -F'|' -v tolerance="$3" '
        { n = split($1, a, ","); m = split($2, b, ",")
          if (n != m || n == 0) bad = 1
          for (i = 1; i <= n; i++) {
              d = a[i] - b[i]
              if (d > tolerance || d < -tolerance || b[i] ~ /nan/) bad = 1
          } }
        END { exit bad || NR == 0 }'
}

# prints NAME EXPECTED TOLERANCE ARGUMENTS: status 0 and these rows (lines joined by blanks).
prints() {
    local name=$1 expected=$2 tolerance=$3
    shift 3
    run "$@"
    tr ' ' '\n' <<<"$expected" >"$scratch/expected"
    [ "$status" -eq 0 ] && close_to "$scratch/expected" "$out" "$tolerance"
    verdict "$name" $?
}

# as_json FILE EXPRESSION: the file is one JSON object and the Python expression on it, r, holds.
as_json() {
    python3 -c 'import json, math, sys
r = json.load(open(sys.argv[1]))
sys.exit(0 if eval(sys.argv[2]) else 1)' "$1" "$2"
}

cd "$scratch" || exit 2
if [ $# -eq 0 ]; then
    for part in "$here"/*_part.sh; do
        part=$(basename "$part")
        set -- "$@" "${part%_part.sh}"
    done
fi
for part in "$@"; do
    work=$scratch/$part
    mkdir "$work"
    cd "$work" || exit 2
    # shellcheck source=/dev/null
    . "$here/${part}_part.sh"
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
